//! The service's own limits (spec §8), once; those of text and batch are the engine's.

/// Requests a minute that a key may make unless its record says otherwise (spec §8).
pub const REQUESTS_PER_MINUTE: u32 = 60;
