//! The Spin component of {gateway_url}: [`textveil_service::gateway`]. It may send requests to LLM providers and
//! to a collector of telemetry.

use spin_sdk::{
    http::Request,
    http_service,
    wasip3::{
        http::types::{ErrorCode, Response},
        http_compat::BodyWriter,
        spawn,
    },
};
use textveil_spin_host::{Spin, begun, settle};

/// Answers one request.
#[http_service]
async fn serve(request: Request) -> Result<Response, ErrorCode> {
    let (answer, settlement) = textveil_service::handle_gateway(Spin::default(), request).await;
    let (head, mut body) = answer.into_parts();
    let headers = head.headers.try_into().map_err(|_| ErrorCode::InternalError(None))?;
    let (writer, reader, end) = BodyWriter::new();
    let (response, _sent) = Response::new(headers, Some(reader), end);
    response.set_status_code(head.status.as_u16()).map_err(|()| ErrorCode::InternalError(None))?;
    spawn(async move {
        // the client has disconnected
        if writer.send_http_body(&mut body).await.is_err() {
            body.abandon().await;
        }
        settle(settlement.run());
    });
    begun(response).await
}
