//! Validating one value against one type.

use std::borrow::Cow;

use crate::{
    api::{
        answer::Validation,
        entity::{Country, Metadata},
        error::Error,
        facts::{Facts, Invalid},
        limits::MAX_TEXT_CHARS,
    },
    catalogue::{
        self, Detector, Recogniser,
        shape::{self, Layout},
    },
    detect::{facts, plan::not_a_type},
    evidence::candidate::Verdict,
    phrase::work::Work,
    recognise::{
        self, Compact, date, email, iban,
        pattern::{pattern, whole},
        url,
    },
    text::fold::Folded,
};

/// Confidence of a value whose check digits hold, whose structure alone holds, which has nothing to hold
/// but its form, and of a rejected one.
const CHECKED: f64 = 0.99;
const STRUCTURAL: f64 = 0.95;
const FORM_ONLY: f64 = 0.7;
const REFUSED: f64 = 0.05;

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
        let outcome = judge(index, detector, &folded.text, country);
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
    let read = |(index, detector)| (index, judge(index, detector, value, country));
    let nearest = detectors.map(read).min_by_key(|(_, outcome)| rank(outcome));
    nearest.map_or((0, None), |(index, outcome)| (index, outcome.ok()))
}

/// A value that a detector has read.
pub(crate) struct Read {
    pub verdict: Verdict,
    pub facts: Facts,
    pub check_digits: bool,
    pub country: Option<Country>,
    pub phone: Option<crate::phone::Phone>,
}

impl Read {
    fn new(verdict: Verdict, facts: Facts, check_digits: bool) -> Self {
        Self { verdict, facts, check_digits, country: None, phone: None }
    }
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
        (Some(_), _) | (_, Err(_)) => REFUSED,
        (None, Ok(Verdict::Valid)) if checked => CHECKED,
        (None, Ok(Verdict::Valid)) => STRUCTURAL,
        (None, Ok(_)) => FORM_ONLY,
    };
    Validation {
        kind: Cow::Borrowed(detector.kind()),
        country: country.or(detector.country).or(given),
        valid: refused.is_none(),
        confidence,
        metadata,
    }
}

/// Checks a value with a detector.
fn judge(
    index: u16,
    detector: &'static Detector,
    value: &str,
    country: Option<Country>,
) -> Result<Read, Invalid> {
    let valid = |found: bool| {
        if found {
            Ok(Read::new(Verdict::Valid, Facts::default(), detector.has_check_digits(0)))
        } else {
            Err(Invalid::Format)
        }
    };
    match detector.recogniser {
        Some(Recogniser::Email) => {
            let at = value.rfind('@').or_else(|| value.find(['(', '[', '{'])).ok_or(Invalid::Format)?;
            valid(
                email::around(value, at, &Work::default())
                    .is_some_and(|email| email.start == 0 && email.end == value.len()),
            )
        }
        Some(Recogniser::Url) => {
            let schemed = value.find("://").and_then(|colon| url::around(value, colon));
            valid(
                schemed == Some((0, value.len()))
                    || value.starts_with("www.") && url::bare(value, 0) == (true, value.len()),
            )
        }
        Some(Recogniser::Ipv6 | Recogniser::Mrz | Recogniser::Geo) => {
            let (verdict, facts) = recognise::judge(detector, value)?;
            Ok(Read::new(verdict, facts, detector.has_check_digits(value.len())))
        }
        Some(Recogniser::Phone) => phone(value, country),
        Some(Recogniser::Iban) => {
            let compact = Compact::new(value, "", false).ok_or(Invalid::Length)?;
            if iban::at(value, 0).is_none_or(|found| found.end != value.len()) {
                crate::checks::iban::facts(compact.as_str())?;
            }
            let (verdict, facts) = recognise::judge(detector, compact.as_str())?;
            let country = compact.as_str().get(..2).and_then(Country::parse);
            Ok(Read { country, ..Read::new(verdict, facts, detector.has_check_digits(0)) })
        }
        Some(Recogniser::Date) => {
            let year = value.len().checked_sub(4).ok_or(Invalid::Format)?;
            match date::ending_with(value, year, value.len()) {
                Some((0, born)) => {
                    let facts = Facts { birth_date: Some(born), ..Facts::default() };
                    Ok(Read::new(Verdict::Valid, facts, false))
                }
                _ => shaped(detector, value),
            }
        }
        Some(
            Recogniser::Labelled
            | Recogniser::Cookie
            | Recogniser::Secret
            | Recogniser::Phrase
            | Recogniser::Name
            | Recogniser::Address
            | Recogniser::Organization
            | Recogniser::City
            | Recogniser::Birthplace,
        ) => text(index, detector, value),
        None if detector.pattern().is_some() => text(index, detector, value).or_else(|refused| {
            if detector.shapes().next().is_none() { Err(refused) } else { shaped(detector, value) }
        }),
        None => shaped(detector, value),
    }
}

/// A value that is a text of some pattern.
fn text(index: u16, detector: &'static Detector, value: &str) -> Result<Read, Invalid> {
    if !pattern(index, detector).is_none_or(|pattern| whole(pattern, value)) {
        return Err(Invalid::Format);
    }
    let (verdict, facts) = match detector.facts(value) {
        None => (Verdict::Unchecked, Facts::default()),
        Some(Ok(facts)) => (Verdict::Valid, facts),
        Some(Err(reason @ (Invalid::Checksum | Invalid::Component))) => {
            (Verdict::Failed(reason), Facts::default())
        }
        Some(Err(reason)) => return Err(reason),
    };
    Ok(Read::new(verdict, facts, detector.has_check_digits(value.len())))
}

/// Checks a value in one of the layouts, with any separators.
fn shaped(detector: &'static Detector, value: &str) -> Result<Read, Invalid> {
    let compact = Compact::new(value, detector.keep, detector.exact).ok_or(Invalid::Length)?;
    let separator = |letter: char| letter.is_ascii() && shape::SEPARATORS.contains(&(letter as u8));
    // `№` in `4510 № 123456` is omitted from the compact value
    if value.chars().any(|letter| !letter.is_alphanumeric() && !separator(letter) && letter != '№') {
        return Err(Invalid::Format);
    }
    let bare: String = compact.as_str().chars().filter(|letter| letter.is_ascii_alphanumeric()).collect();
    let layouts: Vec<Layout> = detector
        .shapes()
        .filter_map(|shape| shape::expand(shape).ok())
        .flatten()
        .map(|layout| layout.compact())
        .collect();
    // a rule's error about a matching layout is more specific than the mismatch of another layout
    let (mut refused, mut by_rule) = (Invalid::Length, None);
    let mut best: Option<Read> = None;
    for layout in &layouts {
        // the literal prefix may be omitted
        let (body, length) = match compact.as_str().strip_prefix(layout.literal.as_str()) {
            Some(body) => (body, bare.len()),
            None => (compact.as_str(), bare.len() + layout.literal.len()),
        };
        if length != layout.len() {
            continue;
        }
        if !layout.body_matches(body.bytes().filter(u8::is_ascii_alphanumeric)) {
            refused = Invalid::Format;
            continue;
        }
        match recognise::judge(detector, body) {
            Err(reason) => by_rule = Some(reason),
            Ok((verdict, facts)) => {
                if best.as_ref().is_none_or(|known| matches!(known.verdict, Verdict::Failed(_))) {
                    best = Some(Read::new(verdict, facts, detector.has_check_digits(body.len())));
                }
            }
        }
    }
    best.ok_or(by_rule.unwrap_or(refused))
}

/// A telephone number, in international notation or in that of the country.
fn phone(value: &str, country: Option<Country>) -> Result<Read, Invalid> {
    let written = value.trim_start_matches('(');
    if value.chars().any(|letter| !(letter.is_ascii_digit() || "+ -./()".contains(letter))) {
        return Err(Invalid::Format);
    }
    let digits: String = value.chars().filter(char::is_ascii_digit).collect();
    if !(5..=18).contains(&digits.len()) {
        return Err(Invalid::Length);
    }
    let international = match written.starts_with('+') {
        true => crate::phone::international(digits.as_bytes()),
        false => digits.as_bytes().strip_prefix(b"00").and_then(crate::phone::international),
    };
    let national = || country.and_then(|country| crate::phone::national(digits.as_bytes(), country));
    let found = international.or_else(national).ok_or(Invalid::Component)?;
    let read = Read::new(Verdict::Valid, Facts::default(), false);
    Ok(Read { country: found.country, phone: Some(found), ..read })
}
