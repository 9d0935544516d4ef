//! Validating one value against one type.

use std::borrow::Cow;

use textveil_weights::confidence as weights;

use crate::{
    api::{
        answer::Validation,
        entity::{Country, Metadata},
        error::Error,
        facts::Invalid,
        limits::MAX_TEXT_CHARS,
    },
    catalogue::{self, Detector},
    detect::{facts, plan::not_a_type},
    evidence::candidate::Verdict,
    phrase::work::Work,
    recognise::{self, Read, WrittenValue},
    text::fold::Folded,
};

/// Validates `value` as an `entity_type` of `country`.
///
/// The value may be as people write it: with spaces, dots or dashes. Where several countries have the type
/// and none is given, the first of them that accepts the value is the one used.
///
/// # Errors
/// `invalid_request` naming `value` or `entity_type`.
///
/// # Examples
/// ```
/// use textveil_engine::validate;
///
/// assert!(validate("DE89 3704 0044 0532 0130 00", "iban", None)?.valid);
/// let mistyped = validate("DE89 3704 0044 0532 0130 01", "iban", None)?;
/// assert!(!mistyped.valid && mistyped.metadata.get("reason").is_some());
/// # Ok::<(), textveil_engine::Error>(())
/// ```
pub fn validate(value: &str, entity_type: &str, country: Option<&str>) -> Result<Validation, Error> {
    if value.is_empty() || value.len() > MAX_TEXT_CHARS && value.chars().count() > MAX_TEXT_CHARS {
        return Err(Error::invalid("value", "must have 1 to 50000 characters"));
    }
    let mut detectors: Vec<(u16, &Detector)> =
        catalogue::numbered_by_type(entity_type).filter(|(_, detector)| !detector.suppressor).collect();
    if detectors.is_empty() {
        return Err(not_a_type("entity_type", "is", entity_type));
    }
    let country = country.and_then(Country::parse);
    if let Some(country) = country
        && detectors.iter().any(|(_, detector)| detector.of(country))
    {
        detectors.retain(|(_, detector)| detector.of(country));
    }
    let folded = Folded::new(value.trim(), &Work::default());
    let mut best: Option<((u8, bool), Validation)> = None;
    for (index, detector) in detectors {
        let outcome = recognise::judge_one(&WrittenValue { index, detector, text: &folded.text, country });
        // of two detectors that reject the value, the one with the requested name decides
        let rank = (rank(&outcome), !detector.name().eq_ignore_ascii_case(entity_type));
        if best.as_ref().is_none_or(|(known, _)| rank < *known) {
            best = Some((rank, write(detector, &folded.text, country, outcome)));
        }
    }
    best.map(|(_, validation)| validation)
        .ok_or_else(|| Error::invalid("entity_type", "is no known entity type"))
}

/// Returns the detector that a value comes nearest to, and what it reads; the first one if none reads it.
pub(crate) fn nearest(
    detectors: impl Iterator<Item = (u16, &'static Detector)>,
    value: &str,
    country: Option<Country>,
) -> (u16, Option<Read>) {
    let read = |(index, detector)| {
        (index, recognise::judge_one(&WrittenValue { index, detector, text: value, country }))
    };
    let nearest = detectors.map(read).min_by_key(|(_, outcome)| rank(outcome));
    nearest.map_or((0, None), |(index, outcome)| (index, outcome.ok()))
}

/// The nearer a value comes to being valid, the lower.
fn rank(outcome: &Result<Read, Invalid>) -> u8 {
    match outcome.as_ref().map(|read| read.verdict) {
        Ok(Verdict::Valid) => 0,
        Ok(Verdict::Unchecked | Verdict::Exempt) => 1,
        Ok(Verdict::Failed(Invalid::Checksum)) => 2,
        Ok(Verdict::Failed(_)) => 3,
        Err(_) => 4,
    }
}

fn write(
    detector: &'static Detector,
    value: &str,
    given: Option<Country>,
    outcome: Result<Read, Invalid>,
) -> Validation {
    let mut metadata = Metadata::default();
    let (refused, country) = match &outcome {
        Ok(read) => {
            facts(&mut metadata, detector, read.verdict, &read.facts, value, read.check_digits);
            if let Some(phone) = read.phone {
                metadata.text("e164", phone.to_string());
                metadata.text("line_type", phone.line_type.as_str());
            }
            let refused = if let Verdict::Failed(reason) = read.verdict { Some(reason) } else { None };
            (refused, read.country)
        }
        Err(reason) => (Some(*reason), None),
    };
    if let Some(reason) = refused {
        metadata.text("reason", reason.as_str());
    }
    let checked = metadata.get("checksum_valid").is_some();
    let confidence = match (refused, outcome.map(|read| read.verdict)) {
        (Some(_), _) | (_, Err(_)) => weights::REFUSED,
        (None, Ok(Verdict::Valid)) if checked => weights::CHECKED,
        (None, Ok(Verdict::Valid)) => weights::STRUCTURAL,
        (None, Ok(_)) => weights::FORM_ONLY,
    };
    Validation {
        kind: Cow::Borrowed(detector.kind()),
        country: country.or(detector.country).or(given),
        valid: refused.is_none(),
        confidence,
        metadata,
    }
}
