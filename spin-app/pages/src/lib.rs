//! The Spin component of the web pages: the playground at `/`, the gateway's console at `/console` and the
//! documentation below `/docs/`. It reads files only: it has no network, no store and no variable.

mod site;

use std::{fs, path::Path};

use bytes::Bytes;
use spin_sdk::{
    http::{FullBody, IntoResponse, Request},
    http_service,
};

/// Answers one request.
#[http_service]
async fn serve(request: Request) -> impl IntoResponse {
    let read = |path: &str| fs::read(Path::new("/").join(path)).ok();
    site::answer(request.method(), request.uri().path(), request.headers(), read).map(FullBody::<Bytes>::new)
}
