//! The Spin component of {gateway_url}: [`textveil_service::gateway`]. It may send requests to LLM
//! providers.

use spin_sdk::{
    http::{IntoResponse, Request},
    http_service,
};
use textveil_spin_host::Spin;

/// Answers one request.
#[http_service]
async fn serve(request: Request) -> impl IntoResponse {
    textveil_service::gateway::handle(Spin::default(), request).await
}
