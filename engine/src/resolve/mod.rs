//! From candidates to findings: competition for a place, overlaps, addresses.

pub(crate) mod addresses;
pub(crate) mod calibrate;
pub(crate) mod compete;
pub(crate) mod overlaps;
