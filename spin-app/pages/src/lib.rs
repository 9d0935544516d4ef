//! The Spin component of the web pages: the playground at `/`, the gateway's console at `/console` and the
//! documentation at `/docs/`. It reads files, and the variables that say which identity provider the console may
//! ask: it has no network and no store. So it answers `/healthz`, too.

mod bundle;
mod health;
mod site;

use spin_sdk::{
    http::Request,
    http_service,
    wasip3::http::types::{ErrorCode, Response},
};
use textveil_service::{System as _, auth::sign_in::IdentityProvider};
use textveil_spin_host::{Platform, whole};

/// Answers one request.
#[http_service]
async fn serve(request: Request) -> Result<Response, ErrorCode> {
    let path = request.uri().path();
    if path == health::PATH {
        return whole(health::answer(request.method(), request.headers(), || Platform.random())).await;
    }
    let provider = match site::is_of_console(path) {
        true => IdentityProvider::configured(&Platform).await,
        false => None,
    };
    let origins: Vec<String> = provider.iter().flat_map(IdentityProvider::origins).collect();
    whole(site::answer(request.method(), path, request.headers(), &origins, bundle::read)).await
}
