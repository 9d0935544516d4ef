//! Finding personal data.

use crate::{
    entity::{CountryDetection, Entity},
    error::Error,
    options::{DetectOptions, Preset},
    wire::DetectorInfo,
};

/// What was found in one text.
#[derive(Clone, Debug, PartialEq)]
pub struct Detection {
    /// Ordered by start, never overlapping.
    pub entities: Vec<Entity>,
    /// Given or inferred, most likely first.
    pub countries: Vec<CountryDetection>,
    /// The effective preset.
    pub preset: Preset,
}

/// Finds personal data in `text`, 1 to 50,000 characters.
///
/// # Errors
/// `invalid_request` naming `text` or the option at fault.
pub fn detect(text: &str, options: &DetectOptions) -> Result<Detection, Error> {
    let _ = text;
    Ok(Detection { entities: Vec::new(), countries: Vec::new(), preset: options.preset() })
}

/// Finds personal data in each of 1 to 50 texts; one detection a text, in their order.
///
/// # Errors
/// As [`detect()`]; the field of a text is `texts[3]`.
pub fn detect_batch<T: AsRef<str>>(texts: &[T], options: &DetectOptions) -> Result<Vec<Detection>, Error> {
    texts.iter().map(|text| detect(text.as_ref(), options)).collect()
}

/// The detectors of `country`, or all of them, by region and name. None for a code of no country.
pub fn detectors(country: Option<&str>) -> Vec<DetectorInfo> {
    let _ = country;
    Vec::new()
}
