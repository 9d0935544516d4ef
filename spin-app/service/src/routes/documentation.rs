//! `GET /api/v1/openapi.json` and `GET /docs/api`: the description of the API, for programs and for people.
//!
//! Both are files that are generated from the types (`src/openapi`) and compiled in.

use std::sync::{LazyLock, OnceLock};

use base64ct::{Base64, Encoding as _};
use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, HeaderValue, Response, StatusCode,
    header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, REFERRER_POLICY},
};
use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;
use sha2::{Digest, Sha256};

use crate::{
    call::RouteResult,
    error::ApiError,
    revalidation::{entity_tag, is_known},
};

/// The style sheet in the page.
pub(crate) const STYLE: &str = include_str!("../openapi/style.css");

/// Largest file after decompression, in bytes.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// A file, with what a browser has to know of it.
struct File {
    /// Compressed by `build.rs`.
    compressed: &'static [u8],
    /// Decompressed for the first client that asks: anyone may ask again and again.
    content: OnceLock<Bytes>,
    content_type: &'static str,
    entity_tag: String,
    /// Beside those that each file has.
    headers: Vec<(HeaderName, String)>,
}

static DOCUMENT: LazyLock<File> = LazyLock::new(|| {
    let content = include_bytes!(concat!(env!("OUT_DIR"), "/openapi.json"));
    File::new(content, "application/json", Vec::new())
});

static PAGE: LazyLock<File> = LazyLock::new(|| {
    // only the page itself and its own style: no script, no other host, no frame
    let style = Base64::encode_string(&Sha256::digest(STYLE));
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{style}'; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'"
    );
    let headers = vec![(CONTENT_SECURITY_POLICY, policy), (REFERRER_POLICY, "no-referrer".to_owned())];
    let content = include_bytes!(concat!(env!("OUT_DIR"), "/docs.html"));
    File::new(content, "text/html; charset=utf-8", headers)
});

/// The OpenAPI document.
pub(crate) fn document(headers: &HeaderMap) -> RouteResult {
    DOCUMENT.answer(headers)
}

/// The page.
pub(crate) fn page(headers: &HeaderMap) -> RouteResult {
    PAGE.answer(headers)
}

impl File {
    fn new(
        compressed: &'static [u8],
        content_type: &'static str,
        headers: Vec<(HeaderName, String)>,
    ) -> Self {
        let entity_tag = entity_tag(compressed);
        Self { compressed, content: OnceLock::new(), content_type, entity_tag, headers }
    }

    fn content(&self) -> Result<Bytes, ApiError> {
        if let Some(content) = self.content.get() {
            return Ok(content.clone());
        }
        let content = decompress_to_vec_zlib_with_limit(self.compressed, MAX_BYTES)
            .map_err(|_| ApiError::internal("a file in the component cannot be decompressed"))?;
        Ok(self.content.get_or_init(|| content.into()).clone())
    }

    /// The file, or 304 for a client that has it.
    fn answer(&self, headers: &HeaderMap) -> RouteResult {
        let mut response = if is_known(headers, &self.entity_tag) {
            let mut response = Response::new(Bytes::new());
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            response
        } else {
            let mut response = Response::new(self.content()?);
            response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(self.content_type));
            response
        };
        let own = [(ETAG, self.entity_tag.clone()), (CACHE_CONTROL, "no-cache".to_owned())];
        for (name, value) in own.into_iter().chain(self.headers.clone()) {
            response.headers_mut().extend(HeaderValue::from_str(&value).ok().map(|value| (name, value)));
        }
        Ok(response)
    }
}
