//! Every limit of the API, once. The service, the bindings and the tests read them from here.

/// Longest text of one call, in Unicode code points.
pub const MAX_TEXT_CHARS: usize = 50_000;
/// Most texts in one batch.
pub const MAX_BATCH: usize = 50;
/// Most custom detectors in one call.
pub const MAX_CUSTOM_DETECTORS: usize = 50;
/// Most entries of an allow list or of a deny list, each.
pub const MAX_LIST: usize = 1_000;
/// Longest pattern, value or word of a caller, in bytes.
pub const MAX_PATTERN_BYTES: usize = 512;
/// Most states of a caller's pattern, of at most 16 bytes each.
///
/// A counted repetition has a state or two for each of its counts.
pub const MAX_PATTERN_STATES: usize = 1_024;
/// Most states of all patterns of one call.
///
/// They are the patterns of its detectors and of its allow list.
pub const MAX_PATTERNS_STATES: usize = 32 * MAX_PATTERN_STATES;
/// Most steps of the caller's own detectors and lists in one call.
///
/// All texts of the call share them. A step is a visited state, a compared word, or a checked part. So many take less than
/// a second on one core.
pub const MAX_CUSTOM_STEPS: u64 = 100_000_000;
/// Longest type name of a custom detector, in bytes.
pub const MAX_NAME_BYTES: usize = 64;
/// Most policies in one call, and most conditions of one policy.
pub const MAX_POLICIES: usize = 200;
/// Shortest secret that keys are derived from, in bytes.
pub const MIN_SECRET_BYTES: usize = 16;
/// The latest year of birth that two digits can mean.
///
/// The engine has no clock; each release sets it.
pub const REFERENCE_YEAR: u16 = 2026;
