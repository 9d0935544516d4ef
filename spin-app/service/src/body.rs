//! Reading a JSON body: bounded in bytes, in depth and in values.

use bytes::Bytes;
use http::{
    HeaderMap, Request,
    header::{CONTENT_LENGTH, CONTENT_TYPE},
};
use http_body::Body;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde_json::Value;

use crate::{error::ApiError, limits::MAX_JSON_VALUES};

/// What a body's stream may fail with.
pub type StreamError = Box<dyn std::error::Error + Send + Sync>;

/// The JSON object in the body of `request`, of at most `limit` bytes.
///
/// # Errors
/// `unsupported_media_type`; `payload_too_large`, as soon as the limit is passed; `invalid_request`
/// naming `body`.
pub(crate) async fn object<B>(request: Request<B>, limit: usize) -> Result<Value, ApiError>
where
    B: Body<Data = Bytes>,
    B::Error: Into<StreamError>,
{
    if !is_json(request.headers()) {
        return Err(ApiError::unsupported_media_type());
    }
    // what declares itself too large is not read at all
    if declared_length(request.headers()).is_some_and(|length| length > limit) {
        return Err(ApiError::payload_too_large(limit));
    }
    let body = Limited::new(request.into_body(), limit).collect().await.map_err(|error| {
        if error.is::<LengthLimitError>() {
            ApiError::payload_too_large(limit)
        } else {
            ApiError::invalid("body", "body broke off before its end; send it again")
        }
    })?;
    parse(&body.to_bytes())
}

/// Without a content type the body may be taken for what it should be (RFC 9110 §8.3).
fn is_json(headers: &HeaderMap) -> bool {
    let Some(content_type) = headers.get(CONTENT_TYPE) else { return true };
    let essence = content_type.to_str().unwrap_or_default().split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("application/json")
}

fn declared_length(headers: &HeaderMap) -> Option<usize> {
    let length: u64 = headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()?;
    Some(usize::try_from(length).unwrap_or(usize::MAX))
}

fn parse(body: &[u8]) -> Result<Value, ApiError> {
    if values(body) > MAX_JSON_VALUES {
        return Err(ApiError::invalid(
            "body",
            format!("body must have at most {MAX_JSON_VALUES} JSON values"),
        ));
    }
    let value = serde_json::from_slice(body).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        ApiError::invalid(
            "body",
            format!("body must be valid JSON in UTF-8; see line {line}, column {column}"),
        )
    })?;
    match value {
        Value::Object(_) => Ok(value),
        _ => Err(ApiError::invalid("body", "body must be a JSON object")),
    }
}

/// How many values a JSON text holds at most: each follows a comma, or opens a list or an object.
/// Right for every valid text and every valid beginning of one, which is as far as a parser gets.
fn values(json: &[u8]) -> usize {
    let (mut count, mut in_string, mut escaped) = (1, false, false);
    for byte in json {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b',' | b'[' | b'{' if !in_string => count += 1,
            _ => {}
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_outside_strings() {
        for (json, want) in [
            ("1", 1),
            (r#"{"a":1}"#, 2),
            (r#"{"a":[1,2,3]}"#, 5),
            (r#"{"a":",[{\",[{\\"}"#, 2),
            (r#"["\\",1]"#, 3),
        ] {
            assert_eq!(values(json.as_bytes()), want, "{json}");
        }
    }
}
