//! The service's own limits, once; those of text and batch are [`textveil_engine::limits`].

use textveil_engine::limits::{MAX_BATCH, MAX_TEXT_CHARS};

/// Requests a minute that a key may make unless its record says otherwise (spec §8).
pub const REQUESTS_PER_MINUTE: u32 = 60;

/// Length of a rate window in seconds.
pub const WINDOW_SECONDS: u64 = 60;

/// Longest character in JSON: one outside the basic plane, escaped as `\ud83d\ude00`.
const MAX_ESCAPED_CHAR_BYTES: usize = 12;

/// Room for everything in a body that is no text: lists, detectors and policies of the caller.
const MAX_OPTIONS_BYTES: usize = 3 * 1024 * 1024;

/// Largest body of a request with one text: the longest text, all of it escaped, and its options.
pub const MAX_BODY_BYTES: usize = MAX_TEXT_CHARS * MAX_ESCAPED_CHAR_BYTES + MAX_OPTIONS_BYTES;

/// Largest body of a batch: a full one, all of it escaped, and its options.
pub const MAX_BATCH_BODY_BYTES: usize =
    MAX_BATCH * MAX_TEXT_CHARS * MAX_ESCAPED_CHAR_BYTES + MAX_OPTIONS_BYTES;

/// Most values in a body, all lists and objects counted through. A parsed value takes many times the
/// two bytes that `0,` does, so the size of a body does not bound the memory that it takes.
pub const MAX_JSON_VALUES: usize = 100_000;

/// Longest `X-Request-Id` that is echoed, in bytes.
pub const MAX_REQUEST_ID_BYTES: usize = 128;
