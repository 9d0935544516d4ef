//! The Spin component of {base_url}: [`textveil_service::handle`]. It has no outbound network.

use bytes::Bytes;
use spin_sdk::{
    http::{FullBody, IntoResponse, Request},
    http_service,
    wasip3::spawn,
};
use textveil_spin_host::Spin;

/// Answers one request. The work that remains is done after the answer has left.
#[http_service]
async fn serve(request: Request) -> impl IntoResponse {
    let (response, settlement) = textveil_service::handle(Spin::default(), request).await;
    spawn(settlement.run());
    response.map(FullBody::<Bytes>::new)
}
