//! The collector that gets protected telemetry: one for the application, in variables of the operator.

use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, HeaderValue, Request, Response,
    header::{ACCEPT, CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER},
};
use http_body_util::{BodyExt, Limited};
use percent_encoding::percent_decode_str;
use serde_json::Value;
use url::Url;

use crate::{
    error::ApiError,
    host::Host,
    limits::{COLLECTOR_SECONDS, MAX_COLLECTOR_ANSWER_BYTES},
    network::AllowedHosts,
    system::within,
    upstream::{Deadlines, Failure, SET_BY_SENDER, Upstream},
};

/// The variable with the origin of the collector, which is also a pattern of `allowed_outbound_hosts`.
pub(crate) const ORIGIN_VARIABLE: &str = "otlp_collector";

/// The variable with the path before `/v1/logs` and `/v1/traces`.
pub(crate) const PATH_VARIABLE: &str = "otlp_path";

/// The variable with the headers for the collector, in the notation of `OTEL_EXPORTER_OTLP_HEADERS`.
pub(crate) const HEADERS_VARIABLE: &str = "otlp_headers";

/// The end of an origin that stands for no collector, since Spin accepts no empty pattern (RFC 6761).
const NOWHERE: &str = ".invalid";

/// Says what is wrong with a value of [`ORIGIN_VARIABLE`], if anything.
pub(crate) fn origin_fault(variable: &str) -> Option<&'static str> {
    origin(variable).is_err().then_some(
        "otlp_collector must be an origin such as http://127.0.0.1:4318; its path belongs in otlp_path",
    )
}

/// Says what is wrong with a value of [`ORIGIN_VARIABLE`] for a host that takes it for one pattern.
pub(crate) fn pattern_fault(variable: &str) -> Option<&'static str> {
    variable.trim().is_empty().then_some(
        "otlp_collector must not be empty under Spin, which lets no request out otherwise; leave it out, or write \
         https://collector.invalid",
    )
}

/// Says what is wrong with a value of [`PATH_VARIABLE`], if anything.
pub(crate) fn path_fault(variable: &str) -> Option<&'static str> {
    path(variable)
        .is_none()
        .then_some("otlp_path must be a path such as /otlp, of letters, digits and `-._~`, without /v1/logs")
}

/// Says what is wrong with a value of [`HEADERS_VARIABLE`], if anything.
pub(crate) fn headers_fault(variable: &str) -> Option<&'static str> {
    headers(variable).is_none().then_some(
        "otlp_headers must be name=value pairs separated by commas, with values in percent encoding, such as \
         Authorization=Bearer%20…",
    )
}

/// Reads an origin; `None` if it stands for no collector.
fn origin(variable: &str) -> Result<Option<Url>, ()> {
    let text = variable.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let url = Url::parse(text).map_err(|_| ())?;
    // parsers of addresses drop and rewrite parts, so the text must be the origin as it is written back
    let written = url.origin().ascii_serialization();
    let with_port = format!("{written}:{}", url.port_or_known_default().unwrap_or_default());
    let text = text.strip_suffix('/').unwrap_or(text).to_ascii_lowercase();
    let is_origin = text == written || text == with_port;
    if !is_origin
        || text.contains('*')
        || !matches!(url.scheme(), "http" | "https")
        || AllowedHosts::parse(&text).is_err()
    {
        return Err(());
    }
    let leads_nowhere = url.host_str().is_none_or(|host| host.ends_with(NOWHERE));
    Ok((!leads_nowhere).then_some(url))
}

/// Reads a path, which ends without a slash.
fn path(variable: &str) -> Option<&str> {
    let text = variable.trim().trim_end_matches('/');
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let is_segment = |segment: &str| !matches!(segment, "" | "." | "..") && segment.bytes().all(is_plain);
    let Some(segments) = text.strip_prefix('/') else { return text.is_empty().then_some("") };
    segments.split('/').all(is_segment).then_some(text)
}

/// Reads headers. The value of each is marked as sensitive.
fn headers(variable: &str) -> Option<HeaderMap> {
    let mut headers = HeaderMap::new();
    for pair in variable.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=')?;
        let name = HeaderName::try_from(name.trim()).ok()?;
        if SET_BY_SENDER.contains(&name) {
            return None;
        }
        let value = percent_decode_str(value.trim()).decode_utf8().ok()?;
        let mut value = HeaderValue::try_from(value.as_ref()).ok()?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Some(headers)
}

/// The operator's collector.
pub(super) struct Collector {
    /// Its origin and the path before that of a signal.
    base: Url,
    headers: HeaderMap,
}

impl Collector {
    /// Returns the collector of the application.
    ///
    /// # Errors
    /// `not_supported` if the application has no collector; `service_unavailable` if a variable is malformed.
    pub(super) async fn of(host: &impl Host) -> Result<Self, ApiError> {
        let [origin, path, headers] = [
            host.variable(ORIGIN_VARIABLE).await.unwrap_or_default(),
            host.variable(PATH_VARIABLE).await.unwrap_or_default(),
            host.variable(HEADERS_VARIABLE).await.unwrap_or_default(),
        ];
        let faults = [origin_fault(&origin), path_fault(&path), headers_fault(&headers)];
        let faults: Vec<_> = faults.into_iter().flatten().collect();
        let (Ok(origin), Some(path), Some(headers)) =
            (self::origin(&origin), self::path(&path), self::headers(&headers))
        else {
            return Err(ApiError::misconfigured(&faults));
        };
        let mut base = origin.ok_or_else(|| {
            ApiError::not_supported("there is no collector; the operator sets the variable otlp_collector")
        })?;
        base.set_path(path);
        Ok(Self { base, headers })
    }

    /// Sends an export, and gives the collector's answer to it.
    ///
    /// # Errors
    /// `upstream_refused` with the status of the collector, if the exporter can act on it; otherwise
    /// `upstream_error` and `upstream_timeout`.
    pub(super) async fn send<H: Upstream>(
        &self,
        host: &H,
        path: &str,
        document: Vec<u8>,
    ) -> Result<Value, ApiError> {
        let deadline_ms = COLLECTOR_SECONDS * 1_000;
        let deadlines =
            Deadlines { connect_ms: deadline_ms, first_byte_ms: deadline_ms, between_bytes_ms: deadline_ms };
        let sending = host.send(self.request(path, document)?, deadlines);
        let answer = within(host, deadline_ms, sending).await.ok_or_else(ApiError::collector_timeout)?;
        let answer = answer.map_err(failed)?;
        refused(&answer)?;
        Ok(within(host, deadline_ms, accepted(answer)).await.unwrap_or_else(empty))
    }

    fn request(&self, path: &str, document: Vec<u8>) -> Result<Request<Bytes>, ApiError> {
        let address = format!("{}{path}", self.base.as_str().trim_end_matches('/'));
        let json = HeaderValue::from_static("application/json");
        let length = HeaderValue::from(document.len());
        let mut request = Request::post(address)
            .body(Bytes::from(document))
            .map_err(|_| ApiError::internal("the address of the collector is not a URI"))?;
        request.headers_mut().extend(self.headers.clone());
        request.headers_mut().insert(ACCEPT, json.clone());
        request.headers_mut().insert(CONTENT_TYPE, json);
        // not every collector reads a body in chunks
        request.headers_mut().insert(CONTENT_LENGTH, length);
        Ok(request)
    }
}

/// The answer to an export that the collector has accepted, at least in part.
///
/// An answer that cannot be read is an empty one: an error would make the exporter send the export again.
async fn accepted<B>(answer: Response<B>) -> Value
where
    B: http_body::Body<Data = Bytes, Error = Failure>,
{
    let body = Limited::new(answer.into_body(), MAX_COLLECTOR_ANSWER_BYTES).collect().await;
    let body = body.map(|body| body.to_bytes()).unwrap_or_default();
    let answer: Option<Value> = serde_json::from_slice(&body).ok();
    answer.filter(Value::is_object).unwrap_or_else(empty)
}

/// The answer of a collector that has nothing to tell.
fn empty() -> Value {
    Value::Object(Default::default())
}

/// Returns the error for a status that is not a success.
///
/// An exporter gets the statuses that are about its export, and those that it retries. Any other says that the
/// variables are wrong, which the operator may correct before the exporter gives up.
fn refused<B>(answer: &Response<B>) -> Result<(), ApiError> {
    let status = answer.status();
    let number = status.as_u16();
    if status.is_success() {
        return Ok(());
    }
    Err(match number {
        400 | 413 | 422 | 500 => {
            let message = format!("the collector rejects the export with status {number}; its log says why");
            ApiError::upstream_refused(status, message, None)
        }
        429 | 502 | 503 | 504 => {
            let message = format!("the collector answered with status {number}; retry later");
            ApiError::upstream_refused(status, message, retry_after(answer.headers()))
        }
        401 | 403 => ApiError::upstream(format!(
            "the collector rejects the credential with status {number}; the operator sets the variable otlp_headers"
        )),
        415 => ApiError::upstream(
            "the collector does not read OTLP in JSON, status 415; the operator sends it to one that does",
        ),
        _ => ApiError::upstream(format!(
            "the collector answered with status {number}; the operator checks otlp_collector and otlp_path"
        )),
    })
}

/// The seconds, or the date, until a retry. Another text of the collector is not repeated.
fn retry_after(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b" ,:".contains(&byte);
    (value.len() <= "Sun, 06 Nov 1994 08:49:37 GMT".len() && value.bytes().all(is_plain))
        .then(|| value.to_owned())
}

fn failed(failure: Failure) -> ApiError {
    match failure {
        Failure::HostForbidden => ApiError::upstream(
            "requests to the collector are not let out; the operator adds otlp_collector to allowed_outbound_hosts",
        ),
        Failure::AddressForbidden => ApiError::upstream(
            "the address of the collector is in a blocked network; the operator removes that network from \
             block_networks in the runtime configuration",
        ),
        Failure::Unreachable => ApiError::upstream("there is no connection to the collector; retry later"),
        Failure::Broken => ApiError::upstream("the connection to the collector broke off; retry later"),
        Failure::ConnectTimeout | Failure::AnswerTimeout => ApiError::collector_timeout(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_have_their_forms() {
        for (text, want) in [
            ("", Ok(None)),
            ("https://collector.invalid", Ok(None)),
            ("http://127.0.0.1:4318", Ok(Some("http://127.0.0.1:4318/"))),
            ("http://127.0.0.1:4318/", Ok(Some("http://127.0.0.1:4318/"))),
            ("http://otel-collector:80", Ok(Some("http://otel-collector/"))),
            ("https://Otlp.example", Ok(Some("https://otlp.example/"))),
            ("http://otel-collector:4318", Ok(Some("http://otel-collector:4318/"))),
            ("http://[::1]:4318", Ok(Some("http://[::1]:4318/"))),
            ("http://127.0.0.1:4318/v1/logs", Err(())),
            ("https://otlp.example/otlp", Err(())),
            ("https://user:password@otlp.example", Err(())),
            ("https://otlp.example?key=1", Err(())),
            ("https://*.example", Err(())),
            ("https://a.example https://b.example", Err(())),
            ("grpc://127.0.0.1:4317", Err(())),
            ("127.0.0.1:4318", Err(())),
        ] {
            let read = origin(text).map(|url| url.map(|url| url.to_string()));
            assert_eq!(read, want.map(|url| url.map(str::to_owned)), "{text}");
        }
        for (text, want) in [
            ("", Some("")),
            ("/", Some("")),
            ("/otlp", Some("/otlp")),
            ("/api/public/otel/", Some("/api/public/otel")),
            ("otlp", None),
            ("//other.example", None),
            ("/a/../b", None),
            ("/a?b", None),
            ("/a b", None),
        ] {
            assert_eq!(path(text), want, "{text}");
        }
        for (text, want) in [
            ("", Some(0)),
            ("Authorization=Bearer%20abc%3D%3D", Some(1)),
            (" api-key=1 , x-tenant=a=b,", Some(2)),
            ("Authorization", None),
            ("a b=c", None),
            ("a=%0d%0ab", None),
            ("a=%ff", None),
            ("Host=other.example", None),
            ("Content-Type=text/plain", None),
        ] {
            assert_eq!(headers(text).map(|headers| headers.len()), want, "{text}");
        }
        let read = headers("Authorization=Bearer%20abc%3D%3D").unwrap();
        assert_eq!(read["authorization"], "Bearer abc==");
        assert!(!format!("{read:?}").contains("abc"));
    }
}
