//! [`Media`]: what a body is, and how it is filtered.

use std::sync::Arc;

use http::{HeaderMap, header};
use textveil_documents::Format;

use crate::{
    config::Config,
    filter::{Filter, Task},
    form, multipart,
    refusal::Refusal,
    stream::Chunks,
};

/// The format of a body, by its headers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Media {
    Json,
    /// A JSON document a line.
    Ndjson,
    /// CSV, SQL, YAML, HTML, XML or the like: only values change.
    Document(Format),
    /// `application/x-www-form-urlencoded`
    Form,
    /// `multipart/form-data` with its boundary.
    Multipart(String),
    Text,
}

impl Media {
    /// Reads `Content-Type` and `Content-Encoding`.
    ///
    /// # Errors
    /// `Unsupported` if the body cannot be inspected.
    pub(crate) fn of(headers: &HeaderMap) -> Result<Self, Refusal> {
        let only = |name: header::HeaderName| {
            let mut values = headers.get_all(name).iter();
            let value = values.next().map(|value| value.to_str().unwrap_or("?").trim().to_ascii_lowercase());
            // parsers take the first one, the last one, or both
            if values.next().is_some() { Some("?".to_owned()) } else { value }
        };
        if only(header::CONTENT_ENCODING).is_some_and(|encoding| encoding != "identity") {
            return Err(Refusal::Unsupported("the body is compressed"));
        }
        let Some(kind) = only(header::CONTENT_TYPE) else {
            return Err(Refusal::Unsupported("the body has no content type"));
        };
        let original =
            headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        Self::parse(&kind, original)
    }

    /// `kind` is the content type in lower case; a boundary is taken from `original`.
    pub(crate) fn parse(kind: &str, original: &str) -> Result<Self, Refusal> {
        let (essence, parameters) = kind.split_once(';').unwrap_or((kind, ""));
        let charset = parameter(parameters, "charset");
        if charset.is_some_and(|charset| !matches!(charset.as_str(), "utf-8" | "utf8" | "us-ascii")) {
            return Err(Refusal::Unsupported("the body is not in UTF-8"));
        }
        Ok(match essence.trim() {
            "application/x-www-form-urlencoded" => Self::Form,
            "multipart/form-data" => {
                let (_, parameters) = original.split_once(';').unwrap_or_default();
                let boundary =
                    parameter(parameters, "boundary").filter(|boundary| multipart::is_boundary(boundary));
                Self::Multipart(boundary.ok_or(Refusal::Malformed("the form has no valid boundary"))?)
            }
            "application/graphql" => Self::Text,
            essence => match Format::of_media_type(essence) {
                Some(Format::Json) => Self::Json,
                Some(Format::Ndjson) => Self::Ndjson,
                Some(Format::Text) => Self::Text,
                Some(Format::Eml | Format::Docx | Format::Xlsx | Format::Pptx | Format::Odf) | None => {
                    return Err(Refusal::Unsupported("the body is of a type that is not text"));
                }
                Some(format) => Self::Document(format),
            },
        })
    }

    /// Whether the body passes chunk by chunk, in memory that does not depend on its length.
    pub(crate) fn is_streamed(&self) -> bool {
        matches!(self, Self::Ndjson | Self::Text | Self::Document(_))
    }

    /// A filter of the chunks of a streamed body.
    pub(crate) fn stream(&self, filter: Filter, config: &Arc<Config>) -> Result<Chunks, Refusal> {
        match (self, filter.task()) {
            (Self::Text, Task::Protect) => Chunks::text(config),
            (Self::Document(format), _) => Chunks::document(filter, *format),
            _ => Ok(Chunks::lines(filter, config.max_body, *self == Self::Ndjson)),
        }
    }

    /// Filters a body that was read whole.
    ///
    /// # Errors
    /// If it is not of its media type, or a policy blocks it.
    pub(crate) fn whole(&self, filter: &Filter, config: &Config, body: &[u8]) -> Result<Vec<u8>, Refusal> {
        if let Self::Multipart(boundary) = self {
            return multipart::filtered(filter, config, boundary, body);
        }
        let text =
            std::str::from_utf8(body).map_err(|_| Refusal::Malformed("the body is not valid UTF-8"))?;
        Ok(match self {
            Self::Json => filter.document(text, Format::Json)?,
            Self::Document(format) => filter.document(text, *format)?,
            Self::Form => form::filtered(filter, text)?,
            _ => filter.text(text)?,
        }
        .into_bytes())
    }
}

/// A parameter of a header's value, without quotes. Present twice, it is not valid.
pub(crate) fn parameter(parameters: &str, name: &str) -> Option<String> {
    let mut found = parameters.split(';').filter_map(|parameter| {
        let (known, value) = parameter.split_once('=')?;
        known.trim().eq_ignore_ascii_case(name).then(|| value.trim().trim_matches('"').to_owned())
    });
    let value = found.next()?;
    Some(if found.next().is_some() { "?".to_owned() } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_by_their_headers() {
        for (content_type, encoding, want) in [
            ("application/json", None, Some(Media::Json)),
            ("Application/Problem+JSON; charset=UTF-8", None, Some(Media::Json)),
            ("application/x-ndjson", None, Some(Media::Ndjson)),
            ("application/x-www-form-urlencoded", Some("identity"), Some(Media::Form)),
            ("multipart/form-data; boundary=\"aB-1\"", None, Some(Media::Multipart("aB-1".into()))),
            ("text/plain", None, Some(Media::Text)),
            ("text/csv", None, Some(Media::Document(Format::Csv))),
            ("application/soap+xml", None, Some(Media::Document(Format::Xml))),
            ("message/rfc822", None, None),
            ("text/plain; charset=latin1", None, None),
            ("text/plain; charset=utf-8; charset=utf-7", None, None),
            ("multipart/form-data", None, None),
            ("application/json", Some("gzip"), None),
            ("image/png", None, None),
            ("application/octet-stream", None, None),
            ("", None, None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::CONTENT_TYPE, content_type.parse().unwrap());
            if let Some(encoding) = encoding {
                headers.insert(header::CONTENT_ENCODING, encoding.parse().unwrap());
            }
            assert_eq!(Media::of(&headers).ok(), want, "{content_type}");
        }
        assert!(Media::of(&HeaderMap::new()).is_err());
        let mut twice = HeaderMap::new();
        twice.append(header::CONTENT_TYPE, "text/plain".parse().unwrap());
        twice.append(header::CONTENT_TYPE, "image/png".parse().unwrap());
        assert!(Media::of(&twice).is_err());
    }
}
