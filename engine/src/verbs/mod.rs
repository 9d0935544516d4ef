//! The verbs of the engine: what a surface calls.

mod conversation;
mod finder;

pub use finder::Finder;

use crate::{
    api::{
        answer::{Detection, Protection},
        entity::Country,
        error::Error,
        options::{DetectOptions, ProtectOptions},
        wire::DetectorInfo,
    },
    catalogue::DETECTORS,
    phrase::work::Work,
    protect::Keyring,
    text::order,
};

/// Finds personal data in `text`, 1 to 50,000 characters.
///
/// # Errors
/// `invalid_request` naming `text` or the option at fault.
pub fn detect(text: &str, options: &DetectOptions) -> Result<Detection, Error> {
    detect_counted(text, options, &Work::default())
}

/// Finds personal data as [`detect()`] does and counts the steps.
///
/// # Errors
/// As [`detect()`].
///
/// # Examples
/// ```
/// use textveil_engine::{DetectOptions, Work, detect_counted};
///
/// let work = Work::default();
/// detect_counted("PESEL 44051401359", &DetectOptions::default(), &work)?;
/// assert!(work.total() > 0);
/// # Ok::<(), textveil_engine::Error>(())
/// ```
pub fn detect_counted(text: &str, options: &DetectOptions, work: &Work) -> Result<Detection, Error> {
    Finder::new(options)?.detect_counted(text, work)
}

/// Finds personal data in each of 1 to 50 texts; returns one detection per text, in their order.
///
/// # Errors
/// As [`detect()`]; the field of a text is `texts[3]`.
pub fn detect_batch<T: AsRef<str>>(texts: &[T], options: &DetectOptions) -> Result<Vec<Detection>, Error> {
    Finder::new(options)?.detect_batch(texts)
}

/// Finds personal data in `text` and replaces it. `hash` and `tokenize` need `keys`.
///
/// # Errors
/// As [`crate::detect()`]; `key` where it is missing; `policy_violation` where a policy blocks.
pub fn protect(
    text: &str,
    detection: &DetectOptions,
    protection: &ProtectOptions,
    keys: Option<&Keyring>,
) -> Result<Protection, Error> {
    protect_counted(text, detection, protection, keys, &Work::default())
}

/// Protects a text as [`protect()`] does and counts the steps.
///
/// # Errors
/// As [`protect()`].
pub fn protect_counted(
    text: &str,
    detection: &DetectOptions,
    protection: &ProtectOptions,
    keys: Option<&Keyring>,
    work: &Work,
) -> Result<Protection, Error> {
    Finder::new(detection)?.protect_counted(text, protection, keys, work)
}

/// Finds personal data in each of 1 to 50 texts and replaces it; one protection a text, in their order. The
/// options are checked and compiled once. Where a policy blocks one text, nothing of the others comes out.
///
/// # Errors
/// As [`protect()`]; the field of a text is `texts[3]`.
pub fn protect_batch<T: AsRef<str>>(
    texts: &[T],
    detection: &DetectOptions,
    protection: &ProtectOptions,
    keys: Option<&Keyring>,
) -> Result<Vec<Protection>, Error> {
    Finder::new(detection)?.protect_batch(texts, protection, keys)
}

/// Returns the detectors of `country`, or all of them, by region and name. `None` for an unknown country.
pub fn detectors(country: Option<&str>) -> Vec<DetectorInfo> {
    let wanted = country
        .map(|code| Country::parse(code).map_or_else(|| code.trim().to_ascii_uppercase(), Country::upper));
    let listed = DETECTORS.iter().filter(|detector| {
        !detector.suppressor && wanted.as_deref().is_none_or(|wanted| detector.region() == wanted)
    });
    let mut infos: Vec<DetectorInfo> = listed
        .map(|detector| DetectorInfo {
            name: detector.name(),
            description: detector.description(),
            region: detector.region(),
            category: detector.category.as_str(),
            entity_type: detector.kind(),
        })
        .collect();
    order::sort(&mut infos, |a, b| (a.region, a.name).cmp(&(b.region, b.name)));
    infos
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mode;

    #[test]
    fn a_batch_is_its_texts() {
        let (detection, protection) = (DetectOptions::default(), ProtectOptions::default());
        let texts = ["PESEL 44051401359", "nothing here", "to jan.novak@example.cz"];
        let batch = protect_batch(&texts, &detection, &protection, None).unwrap();
        let alone = texts.map(|text| protect(text, &detection, &protection, None).unwrap());
        assert_eq!(batch, alone);
        let refused = protect_batch(&["fine", ""], &detection, &protection, None).unwrap_err();
        assert_eq!((refused.code(), refused.field()), ("invalid_request", Some("texts[1]")));
        let none: [&str; 0] = [];
        let refused = protect_batch(&none, &detection, &protection, None).unwrap_err();
        assert_eq!(refused.field(), Some("texts"));
        let keyed = ProtectOptions { mode: Mode::Hash, ..ProtectOptions::default() };
        let refused = protect_batch(&texts, &detection, &keyed, None).unwrap_err();
        assert_eq!(refused.field(), Some("key"));
    }
}
