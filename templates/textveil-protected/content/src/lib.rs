//! An application that answers with what it was sent.

use spin_sdk::{
    http::{IntoResponse, Request, Response},
    http_service,
};

#[http_service]
async fn serve(request: Request) -> impl IntoResponse {
    let content_type = request.headers().get("content-type").cloned();
    let mut response = Response::new(request.into_body());
    if let Some(content_type) = content_type {
        response.headers_mut().insert("content-type", content_type);
    }
    response
}
