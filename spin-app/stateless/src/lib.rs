//! The service without stores, as a Spin component of WASI 0.3: [`textveil_service::stateless`]. It reads variables and
//! nothing else.

use bytes::Bytes;
use spin_sdk::{
    http::{FullBody, Request},
    http_service,
    wasip3::{
        http::types::{ErrorCode, Response},
        spawn,
    },
};
use textveil_service::stateless::{self, Memory, Stateless};
use textveil_spin_host::{Platform, begun};

/// The state that this instance keeps from one request to the next.
static MEMORY: Memory = Memory::new();

/// Answers one request.
#[http_service]
async fn serve(request: Request) -> Result<Response, ErrorCode> {
    let (response, settlement) = stateless::handle(Stateless::new(Platform, &MEMORY), request).await;
    let response = begun(response.map(FullBody::<Bytes>::new)).await?;
    spawn(settlement.run());
    Ok(response)
}
