//! The Spin component of {base_url}: [`textveil_service::handle`]. It has no outbound network.

use spin_sdk::{
    http::Request,
    http_service,
    wasip3::http::types::{ErrorCode, Response},
};
use textveil_spin_host::{Spin, settle, whole};

/// Answers one request. The work that remains is done after the answer has left.
#[http_service]
async fn serve(request: Request) -> Result<Response, ErrorCode> {
    let (response, settlement) = textveil_service::handle(Spin::default(), request).await;
    let response = whole(response).await?;
    settle(settlement.run());
    Ok(response)
}
