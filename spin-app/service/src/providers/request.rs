//! Requests to a provider: destination, headers and credential.

use super::{
    BaseUrl, CallersHeaders, Provider,
    credential::{self, Placeholder, Unusable},
};
use crate::{
    chat::protocol::{ApiCall, StoredResponse},
    host::Host,
};
use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Request,
    header::{ACCEPT, ACCEPT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, USER_AGENT},
};

/// The version of Anthropic's protocol that is spoken.
const ANTHROPIC_VERSION: &str = "2023-06-01";

/// The user agent.
const AGENT: &str = concat!("textveil/", env!("CARGO_PKG_VERSION"));

/// The caller on whose behalf a request is sent.
#[derive(Clone, Copy, Debug)]
pub(crate) enum From<'c> {
    /// The gateway's own.
    Gateway,
    /// That of a caller with these headers.
    Caller {
        /// Those that the provider may get.
        headers: &'c CallersHeaders,
        /// The credential is the caller's, not the provider's that is configured.
        has_credential: bool,
    },
}

impl ApiCall<'_> {
    fn method(self) -> Method {
        match self {
            Self::Models { .. } | Self::Stored { what: StoredResponse::Show | StoredResponse::Input, .. } => {
                Method::GET
            }
            Self::Stored { what: StoredResponse::Delete, .. } => Method::DELETE,
            Self::Chat { .. }
            | Self::Embeddings { .. }
            | Self::Responses
            | Self::CountTokens
            | Self::Stored { what: StoredResponse::Cancel, .. } => Method::POST,
        }
    }
}

/// Returns the request to send. Of the caller's own headers it contains only these.
///
/// # Errors
/// Why there is no credential, in a sentence that says what to do.
pub(crate) async fn prepare(
    host: &impl Host,
    provider: &Provider,
    call: ApiCall<'_>,
    body: Option<Bytes>,
    from: From<'_>,
) -> Result<Request<Bytes>, &'static str> {
    let listed = credential::provider_hosts(host).await;
    let not_allowed = match &listed {
        Ok(_) => "base_url is no longer allowed; the operator allows it by the variable provider_hosts",
        Err(_) => credential::HOSTS_FAULT,
    };
    let base =
        BaseUrl::parse(&provider.record.base_url, &listed.unwrap_or_default()).map_err(|_| not_allowed)?;
    let mut headers = HeaderMap::from_iter([
        (ACCEPT, HeaderValue::from_static("application/json, text/event-stream")),
        // a compressed answer cannot be inspected
        (ACCEPT_ENCODING, HeaderValue::from_static("identity")),
        (USER_AGENT, HeaderValue::from_static(AGENT)),
    ]);
    let credential = match from {
        From::Gateway | From::Caller { has_credential: false, .. } => {
            authentication(host, provider, &base).await?
        }
        From::Caller { headers, .. } => callers_authentication(provider, headers)?,
    };
    if let Some((name, value)) = credential {
        headers.insert(name, value);
    }
    let kind = provider.record.provider_type;
    if kind.speaks_anthropic() {
        headers.insert("anthropic-version", HeaderValue::from_static(ANTHROPIC_VERSION));
        if let From::Caller { headers: callers, .. } = from {
            callers.write_protocol(&mut headers);
        }
    }
    if let Some(body) = &body {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        // else it would be sent in chunks, which some servers do not read
        headers.insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
    }
    let mut request = Request::builder()
        .method(call.method())
        .uri(kind.address(&base, call).as_str())
        .body(body.unwrap_or_default())
        .map_err(|_| "base_url cannot be sent; check it")?;
    *request.headers_mut() = headers;
    Ok(request)
}

/// The header with the caller's own credential.
fn callers_authentication(
    provider: &Provider,
    headers: &CallersHeaders,
) -> Result<Option<(HeaderName, HeaderValue)>, &'static str> {
    match headers.authentication(provider.record.provider_type) {
        Some(Ok(header)) => Ok(Some(header)),
        Some(Err(_)) => Err("the credential has characters that no header can hold"),
        None => Err("the route takes the caller's own credential, and the request lacks it"),
    }
}

/// Returns the header with the credential, if the provider has one.
async fn authentication(
    host: &impl Host,
    provider: &Provider,
    base: &BaseUrl,
) -> Result<Option<(HeaderName, HeaderValue)>, &'static str> {
    let Some(placeholder) = provider.env_placeholder.as_deref().and_then(Placeholder::parse) else {
        return Ok(None);
    };
    let credential = credential::resolve(host, &placeholder, base, &provider.workspace).await;
    let credential = credential.map_err(|unusable| match unusable {
        Unusable::Malformed => credential::SECRETS_FAULT,
        Unusable::NotSet => {
            "the credential that env_placeholder names is not set; the operator sets it, in the environment or in \
             the variable provider_secrets"
        }
        Unusable::NotForThisHost => {
            "the credential is bound to other hosts than that of base_url; the operator widens it by hosts in the \
             variable provider_secrets"
        }
        Unusable::NotForThisWorkspace => {
            "the credential is bound to other workspaces; the operator widens it by workspaces in the variable \
             provider_secrets"
        }
    })?;
    let (name, prefix) = provider.record.provider_type.credential_header();
    let header = credential.header(prefix).map(|value| (name, value));
    header.map(Some).ok_or("the credential has characters that no header can hold")
}
