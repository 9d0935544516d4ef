//! The patterns of detectors, each compiled when it is first needed.

use std::sync::OnceLock;

use crate::{
    catalogue::{DETECTORS, Detector},
    pattern::{Meter, Pattern},
};

/// The compiled pattern of a detector; compiled once, when it is first needed.
pub(crate) fn pattern(index: u16, detector: &Detector) -> Option<&'static Pattern> {
    static PATTERNS: [OnceLock<Option<Pattern>>; DETECTORS.len()] =
        [const { OnceLock::new() }; DETECTORS.len()];
    let compile = || Pattern::new(&format!("^(?:{})", detector.pattern()?), usize::MAX).ok();
    PATTERNS.get(usize::from(index))?.get_or_init(compile).as_ref()
}

/// Returns the end of the match of a detector's pattern.
pub(crate) fn end(pattern: &Pattern, text: &str) -> Option<usize> {
    pattern.find(text, 0, &mut Meter::new(u64::MAX)).map(|found| found.end)
}

/// Whether a pattern matches the whole value.
pub(crate) fn whole(pattern: &Pattern, value: &str) -> bool {
    end(pattern, value) == Some(value.len())
}
