//! The patterns of detectors, each compiled when it is first needed.

use std::sync::OnceLock;

use regex_lite::Regex;

use crate::catalogue::{DETECTORS, Detector};

/// The compiled pattern of a detector; compiled once, when it is first needed.
pub(crate) fn pattern(index: u16, detector: &Detector) -> Option<&'static Regex> {
    static PATTERNS: [OnceLock<Option<Regex>>; DETECTORS.len()] =
        [const { OnceLock::new() }; DETECTORS.len()];
    let compile = || Regex::new(&format!("^(?:{})", detector.pattern()?)).ok();
    PATTERNS.get(usize::from(index))?.get_or_init(compile).as_ref()
}

/// Whether a pattern matches the whole value.
pub(crate) fn whole(pattern: &Regex, value: &str) -> bool {
    pattern.find(value).is_some_and(|found| found.end() == value.len())
}
