//! The verbs of the engine: what a surface calls.

mod conversation;
mod finder;
mod presidio;

pub use finder::Finder;
pub use presidio::presidio_type;

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
///
/// # Examples
/// ```
/// use textveil_engine::{DetectOptions, detect};
///
/// let found = detect("My PESEL is 44051401359.", &DetectOptions::default())?;
/// let pesel = &found.entities[0];
/// assert_eq!((pesel.kind.as_ref(), pesel.original.as_str()), ("pesel", "44051401359"));
/// assert!(pesel.validated);
/// # Ok::<(), textveil_engine::Error>(())
/// ```
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

/// Finds personal data in each of 1 to 50 texts.
///
/// Returns one detection per text, in their order.
///
/// # Errors
/// As [`detect()`]; the field of a text is `texts[3]`.
///
/// # Examples
/// ```
/// use textveil_engine::{DetectOptions, detect_batch};
///
/// let found = detect_batch(&["to jan.novak@example.com", "nothing"], &DetectOptions::default())?;
/// assert_eq!(found.iter().map(|text| text.entities.len()).collect::<Vec<_>>(), [1, 0]);
/// # Ok::<(), textveil_engine::Error>(())
/// ```
pub fn detect_batch<T: AsRef<str>>(texts: &[T], options: &DetectOptions) -> Result<Vec<Detection>, Error> {
    Finder::new(options)?.detect_batch(texts)
}

/// Finds personal data in `text` and replaces it.
///
/// The modes `hash` and `tokenize` need `keys`.
///
/// # Errors
/// As [`crate::detect()`]; `key` if it is missing; `policy_violation` if a policy blocks.
///
/// # Examples
/// ```
/// use textveil_engine::{DetectOptions, Mode, ProtectOptions, protect};
///
/// let mask = ProtectOptions { mode: Mode::Mask, ..ProtectOptions::default() };
/// let protected = protect("PESEL 44051401359", &DetectOptions::default(), &mask, None)?;
/// assert_eq!(protected.text, "PESEL ***********");
/// # Ok::<(), textveil_engine::Error>(())
/// ```
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
///
/// # Examples
/// ```
/// use textveil_engine::{DetectOptions, ProtectOptions, Stage, Work, protect_counted};
///
/// let work = Work::default();
/// protect_counted("PESEL 44051401359", &DetectOptions::default(), &ProtectOptions::default(), None, &work)?;
/// assert!(work.of(Stage::Scan) > 0);
/// # Ok::<(), textveil_engine::Error>(())
/// ```
pub fn protect_counted(
    text: &str,
    detection: &DetectOptions,
    protection: &ProtectOptions,
    keys: Option<&Keyring>,
    work: &Work,
) -> Result<Protection, Error> {
    Finder::new(detection)?.protect_counted(text, protection, keys, work)
}

/// Finds and replaces personal data in each of 1 to 50 texts.
///
/// Returns one protection per text, in their order. The options are checked and compiled once. If a policy blocks
/// one text, nothing of the others is returned.
///
/// # Errors
/// As [`protect()`]; the field of a text is `texts[3]`.
///
/// # Examples
/// ```
/// use textveil_engine::{DetectOptions, ProtectOptions, protect_batch};
///
/// let texts = ["PESEL 44051401359", "to jan.novak@example.com"];
/// let protected = protect_batch(&texts, &DetectOptions::default(), &ProtectOptions::default(), None)?;
/// assert_eq!(protected[1].text, "to [REDACTED]");
/// # Ok::<(), textveil_engine::Error>(())
/// ```
pub fn protect_batch<T: AsRef<str>>(
    texts: &[T],
    detection: &DetectOptions,
    protection: &ProtectOptions,
    keys: Option<&Keyring>,
) -> Result<Vec<Protection>, Error> {
    Finder::new(detection)?.protect_batch(texts, protection, keys)
}

/// Returns the detectors of `country`, or all, by region and name.
///
/// The list is empty for an unknown country.
///
/// # Examples
/// ```
/// use textveil_engine::detectors;
///
/// assert!(detectors(Some("pl")).iter().any(|detector| detector.entity_type == "pesel"));
/// assert!(detectors(None).len() > 100);
/// ```
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
