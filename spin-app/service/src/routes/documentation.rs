//! `GET /api/v1/openapi.json` and `GET /docs`: the description of the API, for programs and for people.
//!
//! Both are files that are generated from the types (`src/openapi`) and compiled in.

use std::sync::LazyLock;

use bytes::Bytes;
use data_encoding::{BASE64, HEXLOWER};
use http::{
    HeaderMap, HeaderName, HeaderValue, Response, StatusCode,
    header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH, REFERRER_POLICY},
};
use sha2::{Digest, Sha256};

use super::Answer;

/// The style sheet that stands in the page.
pub(crate) const STYLE: &str = include_str!("../openapi/style.css");

/// A file, with what a browser has to know of it.
struct File {
    content: &'static str,
    content_type: &'static str,
    entity_tag: String,
    /// Beside those that each file has.
    headers: Vec<(HeaderName, String)>,
}

static DOCUMENT: LazyLock<File> =
    LazyLock::new(|| File::new(include_str!("../../openapi.json"), "application/json", Vec::new()));

static PAGE: LazyLock<File> = LazyLock::new(|| {
    // nothing but the page itself and its own style: no script, no other host, no frame
    let style = BASE64.encode(&Sha256::digest(STYLE));
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{style}'; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'"
    );
    let headers = vec![(CONTENT_SECURITY_POLICY, policy), (REFERRER_POLICY, "no-referrer".to_owned())];
    File::new(include_str!("../../docs.html"), "text/html; charset=utf-8", headers)
});

/// The OpenAPI document.
pub(super) fn document(headers: &HeaderMap) -> Answer {
    Ok(DOCUMENT.answer(headers))
}

/// The page.
pub(super) fn page(headers: &HeaderMap) -> Answer {
    Ok(PAGE.answer(headers))
}

impl File {
    fn new(content: &'static str, content_type: &'static str, headers: Vec<(HeaderName, String)>) -> Self {
        let hash = Sha256::digest(content);
        let entity_tag = format!("\"{}\"", HEXLOWER.encode(hash.get(..16).unwrap_or_default()));
        Self { content, content_type, entity_tag, headers }
    }

    /// The file, or 304 for a client that has it.
    fn answer(&self, headers: &HeaderMap) -> Response<Bytes> {
        let known = headers.get_all(IF_NONE_MATCH).iter().filter_map(|tags| tags.to_str().ok());
        let mut tags = known.flat_map(|tags| tags.split(',')).map(|tag| tag.trim().trim_start_matches("W/"));
        let mut response = if tags.any(|tag| tag == "*" || tag == self.entity_tag) {
            let mut response = Response::new(Bytes::new());
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            response
        } else {
            Response::new(Bytes::from_static(self.content.as_bytes()))
        };
        let out = response.headers_mut();
        let own = [(ETAG, self.entity_tag.as_str()), (CACHE_CONTROL, "no-cache")];
        let typed = [(CONTENT_TYPE, self.content_type)];
        let all = own.iter().chain(&typed).map(|(name, value)| (name, *value));
        for (name, value) in all.chain(self.headers.iter().map(|(name, value)| (name, value.as_str()))) {
            out.extend(HeaderValue::from_str(value).ok().map(|value| (name.clone(), value)));
        }
        response
    }
}
