//! What callers use: the limits of spec §8, and the counts that `/metrics` shows.
//!
//! Everything is counters in the store `usage`, touched only by `increment`: so limits hold over all
//! instances of a host and over all hosts that share the store.

pub(crate) mod in_flight;
pub(crate) mod metrics;
pub(crate) mod quota;
pub(crate) mod rate;
