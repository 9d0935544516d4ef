//! `GET /healthz`, in the component that has no store: it never waits for one.
//!
//! Spin waits for a store without a timeout, and an instance of a component serves several requests. So a probe that shares
//! an instance with requests that use a store may get no answer.

use bytes::Bytes;
use http::{
    HeaderMap, HeaderValue, Method, Response,
    header::{CACHE_CONTROL, X_CONTENT_TYPE_OPTIONS},
};
use textveil_service::{ApiError, alive, request_id};

/// The path of the probe.
pub(crate) const PATH: &str = "/healthz";

/// Answers a probe. `new_id` makes an id for a request without one.
pub(crate) fn answer(method: &Method, headers: &HeaderMap, new_id: impl FnOnce() -> u128) -> Response<Bytes> {
    let mut response = match *method {
        Method::GET => alive(),
        Method::HEAD => alive().map(|_| Bytes::new()),
        _ => ApiError::method_not_allowed("GET, HEAD").into_response(),
    };
    let id = request_id::of_caller(headers).map_or_else(|| format!("{:032x}", new_id()), str::to_owned);
    let sent = response.headers_mut();
    sent.extend(HeaderValue::from_str(&id).ok().map(|id| (request_id::HEADER, id)));
    sent.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    sent.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_probe_is_answered() {
        let headers = [(request_id::HEADER, HeaderValue::from_static("probe-0001"))].into_iter().collect();
        for (method, status, body) in [
            (Method::GET, 200, r#"{"status":"alive"}"#),
            (Method::HEAD, 200, ""),
            (Method::POST, 405, "method_not_allowed"),
        ] {
            let response = answer(&method, &headers, || 1);
            let text = std::str::from_utf8(response.body()).unwrap();
            assert_eq!(response.status(), status, "{method}");
            assert!(text.contains(body) && text.is_empty() == body.is_empty(), "{method}: {text}");
            assert_eq!(response.headers()["x-request-id"], "probe-0001");
            assert_eq!(response.headers()["cache-control"], "no-store");
        }
        let response = answer(&Method::GET, &HeaderMap::new(), || 0xa1);
        assert_eq!(response.headers()["x-request-id"], "000000000000000000000000000000a1");
    }
}
