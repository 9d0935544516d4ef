//! `GET /metrics`, in Prometheus' text format.

use http::{HeaderValue, Response, header::CONTENT_TYPE};

use crate::{call::RouteResult, host::Host, usage::metrics};

pub(crate) async fn show<H: Host>(host: &H) -> RouteResult {
    let mut response = Response::new(metrics::exposition(host).await?.into());
    let format = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, format);
    Ok(response)
}
