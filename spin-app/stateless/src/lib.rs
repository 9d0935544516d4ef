//! The service without stores, as a Spin component of WASI 0.3: [`textveil_service::stateless`]. It reads variables and
//! nothing else.

use spin_sdk::{
    http::Request,
    http_service,
    wasip3::http::types::{ErrorCode, Response},
};
use textveil_service::{
    handle_stateless,
    stateless::{Memory, Stateless},
};
use textveil_spin_host::{Platform, settle, whole};

/// The state that this instance keeps from one request to the next.
static MEMORY: Memory = Memory::new();

/// Answers one request.
#[http_service]
async fn serve(request: Request) -> Result<Response, ErrorCode> {
    let (response, settlement) = handle_stateless(Stateless::new(Platform, &MEMORY), request).await;
    let response = whole(response).await?;
    settle(settlement.run());
    Ok(response)
}
