//! The Spin component of the web pages: the playground at `/`, the gateway's console at `/console` and the
//! documentation below `/docs/`. It reads files, and the variables that say which identity provider the console may
//! ask: it has no network and no store.

mod site;

use std::{fs, path::Path};

use bytes::Bytes;
use spin_sdk::{
    http::{FullBody, IntoResponse, Request},
    http_service,
};
use textveil_service::auth::sign_in::IdentityProvider;
use textveil_spin_host::Platform;

/// Answers one request.
#[http_service]
async fn serve(request: Request) -> impl IntoResponse {
    let read = |path: &str| fs::read(Path::new("/").join(path)).ok();
    let path = request.uri().path();
    let provider = match site::is_of_console(path) {
        true => IdentityProvider::configured(&Platform).await,
        false => None,
    };
    let origins: Vec<String> = provider.iter().flat_map(IdentityProvider::origins).collect();
    site::answer(request.method(), path, request.headers(), &origins, read).map(FullBody::<Bytes>::new)
}
