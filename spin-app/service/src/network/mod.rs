//! Restricts outgoing requests: patterns of allowed hosts, and which addresses are on the public internet.
//!
//! The service checks the name of the host before it sends. The host runtime checks the resolved address when
//! it connects.

mod addresses;
mod hosts;

pub use addresses::is_public;
pub use hosts::{AllowedHosts, Breadth, FaultyPattern};
