//! The Spin component of {base_url}: [`textveil_service::handle`]. It has no outbound network.

use bytes::Bytes;
use spin_sdk::{
    http::{FullBody, Request},
    http_service,
    wasip3::{
        http::types::{ErrorCode, Response},
        spawn,
    },
};
use textveil_spin_host::{Spin, begun};

/// Answers one request. The work that remains is done after the answer has left.
#[http_service]
async fn serve(request: Request) -> Result<Response, ErrorCode> {
    let (response, settlement) = textveil_service::handle(Spin::default(), request).await;
    let response = begun(response.map(FullBody::<Bytes>::new)).await?;
    spawn(settlement.run());
    Ok(response)
}
