//! The Spin component of {base_url}: [`textveil_service::handle`]. It has no outbound network.

use bytes::Bytes;
use spin_sdk::{
    http::{FullBody, IntoResponse, Request},
    http_service,
};
use textveil_spin_host::Spin;

/// Answers one request.
#[http_service]
async fn serve(request: Request) -> impl IntoResponse {
    textveil_service::handle(&Spin::default(), request).await.map(FullBody::<Bytes>::new)
}
