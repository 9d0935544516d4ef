//! `X-Request-Id`: echoed where it is safe to repeat, made otherwise.

use http::{HeaderMap, HeaderName};

use crate::{host::Host, limits::MAX_REQUEST_ID_BYTES};

pub(crate) const HEADER: HeaderName = HeaderName::from_static("x-request-id");

/// The caller's id, or a new one of 32 hex digits. It goes to the log, so it is bounded and has only
/// characters that stand for nothing there.
pub(crate) fn of(headers: &HeaderMap, host: &impl Host) -> String {
    headers
        .get(HEADER)
        .and_then(|id| id.to_str().ok())
        .filter(|id| is_safe(id))
        .map_or_else(|| format!("{:032x}", host.random()), str::to_owned)
}

fn is_safe(id: &str) -> bool {
    (1..=MAX_REQUEST_ID_BYTES).contains(&id.len())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:/+=".contains(&byte))
}
