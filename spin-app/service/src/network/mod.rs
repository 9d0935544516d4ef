//! Where requests may go: patterns of allowed hosts, and which addresses are on the public internet.
//!
//! The service asks before it sends, by the name of the host. Whoever runs it asks again when it connects,
//! by the address that the name turned out to have.

mod addresses;
mod hosts;

pub use addresses::is_public;
pub use hosts::{AllowedHosts, Breadth, FaultyPattern};
