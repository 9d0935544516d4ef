//! The OpenAPI 3.1 document, generated from the table of routes and the types on the wire.
//!
//! This runs in tests only: they write `openapi.json` and `docs.html` of this crate, which the service
//! compiles in (`BLESS=1 cargo test -p textveil-service documentation`). To document a route, describe it
//! in `operations` by its id: without that, the table does not compile.

mod document;
pub(crate) mod operations;
mod page;
mod requests;
mod schemas;

pub use document::document;
pub use page::page;
