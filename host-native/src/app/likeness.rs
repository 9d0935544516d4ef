//! [`SpinHooks`]: requests as Spin hands them to a component.

use std::sync::Arc;

use http::header::CONNECTION;
use wasmtime_wasi_http::{ForbiddenHeaderFilter, WasiHttpHooks};

/// Keeps the headers of a request that a component could not set in one of its own, except `Connection`.
///
/// Spin 4.1 leaves them in. So a component that passes on a request has to remove them.
pub(crate) struct SpinHooks;

impl WasiHttpHooks for SpinHooks {
    fn forbidden_header_filter(&mut self) -> ForbiddenHeaderFilter {
        Arc::new(|name| *name == CONNECTION)
    }
}
