//! Reading a JSON body: bounded in bytes, in depth and in values, and the same for every reader.

use std::{fmt, io::Read, marker::PhantomData};

use bytes::Bytes;
use flate2::read::MultiGzDecoder;
use http::{
    HeaderMap,
    header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE},
};
use http_body::Body;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, Error as _, MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer},
};
use serde_json::{Map, Value, error::Category};

use crate::{
    error::ApiError,
    limits::{BODY_SECONDS, MAX_JSON_VALUES},
    system::{System, within},
};

/// The error of a body's stream.
pub type StreamError = Box<dyn std::error::Error + Send + Sync>;

/// The body that a route reads, with its largest size in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyKind {
    /// None.
    None,
    /// A JSON object.
    Object(usize),
    /// A JSON object or list.
    Json(usize),
    /// An export of telemetry, an object that may be compressed.
    Telemetry(usize),
}

/// Reads the body of a request; null where none is read.
///
/// # Errors
/// As [`object`], [`json`] and [`telemetry`].
pub(crate) async fn of_kind<S, B>(
    system: &S,
    headers: &HeaderMap,
    body: B,
    kind: BodyKind,
) -> Result<Value, ApiError>
where
    S: System,
    B: Body<Data = Bytes>,
    B::Error: Into<StreamError>,
{
    match kind {
        BodyKind::None => Ok(Value::Null),
        BodyKind::Object(limit) => object(system, headers, body, limit).await,
        BodyKind::Json(limit) => json(system, headers, body, limit).await,
        BodyKind::Telemetry(limit) => telemetry(system, headers, body, limit).await,
    }
}

/// The JSON object in the body of a request, of at most `limit` bytes.
///
/// # Errors
/// `unsupported_media_type`; `payload_too_large`, as soon as the limit is exceeded; `request_timeout`;
/// `invalid_request` naming `body`.
async fn object<S, B>(system: &S, headers: &HeaderMap, body: B, limit: usize) -> Result<Value, ApiError>
where
    S: System,
    B: Body<Data = Bytes>,
    B::Error: Into<StreamError>,
{
    of_object(json(system, headers, body, limit).await?)
}

/// The JSON object in the body of an export of telemetry, of at most `limit` bytes; it may be compressed with gzip.
///
/// # Errors
/// As [`object`], with what an exporter must be set to.
async fn telemetry<S, B>(system: &S, headers: &HeaderMap, body: B, limit: usize) -> Result<Value, ApiError>
where
    S: System,
    B: Body<Data = Bytes>,
    B::Error: Into<StreamError>,
{
    if !is_json(headers) {
        return Err(ApiError::unsupported_telemetry(
            "the body must be OTLP in JSON, not in protobuf; set OTEL_EXPORTER_OTLP_PROTOCOL=http/json, or take an \
             exporter that sends JSON",
        ));
    }
    let is_compressed = match content_encoding(headers) {
        None => false,
        Some(coding) if coding.eq_ignore_ascii_case("identity") => false,
        Some(coding) if coding.eq_ignore_ascii_case("gzip") => true,
        Some(_) => {
            return Err(ApiError::unsupported_telemetry(
                "the body must be compressed with gzip, or not at all; set OTEL_EXPORTER_OTLP_COMPRESSION to gzip or \
                 none",
            ));
        }
    };
    let mut body = read(system, headers, body, limit).await?;
    if is_compressed {
        body = inflate(&body, limit)?;
    }
    of_object(parse(&body)?)
}

fn of_object(value: Value) -> Result<Value, ApiError> {
    match value {
        object @ Value::Object(_) => Ok(object),
        _ => Err(ApiError::invalid("body", "body must be a JSON object")),
    }
}

/// The JSON object or list in the body of a request, of at most `limit` bytes.
///
/// # Errors
/// As [`object`].
async fn json<S, B>(system: &S, headers: &HeaderMap, body: B, limit: usize) -> Result<Value, ApiError>
where
    S: System,
    B: Body<Data = Bytes>,
    B::Error: Into<StreamError>,
{
    if !is_json(headers) {
        return Err(ApiError::unsupported_media_type());
    }
    parse(&read(system, headers, body, limit).await?)
}

/// The bytes of a body, at most `limit`.
async fn read<S, B>(system: &S, headers: &HeaderMap, body: B, limit: usize) -> Result<Bytes, ApiError>
where
    S: System,
    B: Body<Data = Bytes>,
    B::Error: Into<StreamError>,
{
    // a body that declares itself too large is not read at all
    if declared_length(headers).is_some_and(|length| length > limit) {
        return Err(ApiError::payload_too_large(limit));
    }
    let body = Limited::new(body, limit).collect();
    let body = within(system, BODY_SECONDS * 1_000, body).await;
    let body = body.ok_or_else(|| ApiError::request_timeout(BODY_SECONDS))?.map_err(|error| {
        if error.is::<LengthLimitError>() {
            ApiError::payload_too_large(limit)
        } else {
            ApiError::invalid("body", "body broke off before its end; send it again")
        }
    })?;
    Ok(body.to_bytes())
}

/// Decompresses a body in gzip, to at most `limit` bytes.
fn inflate(body: &[u8], limit: usize) -> Result<Bytes, ApiError> {
    let mut content = Vec::new();
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    let read = MultiGzDecoder::new(body).take(most).read_to_end(&mut content);
    read.map_err(|_| ApiError::invalid("body", "body must be whole and in gzip, as Content-Encoding says"))?;
    if content.len() > limit { Err(ApiError::payload_too_large(limit)) } else { Ok(content.into()) }
}

/// The coding of a body; a list of several is one that is not known.
fn content_encoding(headers: &HeaderMap) -> Option<&str> {
    let mut codings = headers.get_all(CONTENT_ENCODING).iter();
    let coding = codings.next()?.to_str().unwrap_or("?").trim();
    Some(if codings.next().is_some() { "?" } else { coding })
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
    let Unambiguous(value) = serde_json::from_slice(body).map_err(|error| {
        let wrong = match error.classify() {
            Category::Data => "must not have a name twice in one object",
            Category::Syntax | Category::Eof | Category::Io => "must be valid JSON in UTF-8",
        };
        let (line, column) = (error.line(), error.column());
        ApiError::invalid("body", format!("body {wrong}; see line {line}, column {column}"))
    })?;
    match value {
        Value::Object(_) | Value::Array(_) => Ok(value),
        _ => Err(ApiError::invalid("body", "body must be a JSON object")),
    }
}

/// A JSON value of which no object has a name twice: which of the two counts is for each reader to choose
/// (RFC 8259 §4), so what one of them lets through another may read differently.
struct Unambiguous(Value);

impl<'de> Deserialize<'de> for Unambiguous {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct AnyValue;

        impl<'de> Visitor<'de> for AnyValue {
            type Value = Value;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a JSON value")
            }

            fn visit_unit<E>(self) -> Result<Value, E> {
                Ok(Value::Null)
            }

            fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
                Ok(Value::Bool(value))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
                Ok(Value::from(value))
            }

            fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
                Ok(Value::from(value))
            }

            fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
                Ok(Value::from(value))
            }

            fn visit_str<E>(self, value: &str) -> Result<Value, E> {
                Ok(Value::from(value))
            }

            fn visit_string<E>(self, value: String) -> Result<Value, E> {
                Ok(Value::String(value))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
                let mut values = Vec::new();
                while let Some(Unambiguous(value)) = list.next_element()? {
                    values.push(value);
                }
                Ok(Value::Array(values))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Value, A::Error> {
                let mut fields = Map::new();
                while let Some((name, Unambiguous(value))) = object.next_entry()? {
                    if fields.insert(name, value).is_some() {
                        return Err(A::Error::custom("a name occurs twice"));
                    }
                }
                Ok(Value::Object(fields))
            }
        }

        from.deserialize_any(AnyValue).map(Self)
    }
}

/// Reads a record of the service from the JSON object in a request. Unknown names are ignored, unless the
/// record rejects them.
///
/// # Errors
/// `invalid_request` naming the field that is missing or malformed.
pub(crate) fn record<T: DeserializeOwned>(object: Value) -> Result<T, ApiError> {
    serde_path_to_error::deserialize(object).map_err(
        |error: serde_path_to_error::Error<serde_json::Error>| {
            let (path, said) = (error.path().to_string(), error.inner().to_string());
            // the first name is a field of ours; what is inside may have names of the caller's
            let path = path.split('.').next().filter(|path| *path != "?").unwrap_or_default();
            let missing = said.strip_prefix("missing field `").and_then(|rest| rest.split('`').next());
            if let Some(missing) = missing {
                let field = if path.is_empty() { missing.to_owned() } else { format!("{path}.{missing}") };
                return ApiError::invalid(&field, format!("{field} is missing"));
            }
            let field = if path.is_empty() { "body" } else { path };
            let wrong = if said.starts_with("unknown field") {
                "has a key that is not known; leave it out"
            } else {
                "is not of the form that the documentation describes"
            };
            ApiError::invalid(field, format!("{field} {wrong}"))
        },
    )
}

/// Reads an object inside a record; `None` for `null`.
///
/// Without this function a struct could also be read from a list, by position.
///
/// # Errors
/// For any other value.
pub(crate) fn object_inside<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    struct DistinctNames<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for DistinctNames<T> {
        type Value = Option<T>;

        fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
            out.write_str("an object")
        }

        fn visit_unit<E>(self) -> Result<Option<T>, E> {
            Ok(None)
        }

        fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<Option<T>, A::Error> {
            T::deserialize(MapAccessDeserializer::new(fields)).map(Some)
        }
    }

    from.deserialize_any(DistinctNames(PhantomData))
}

/// Returns an upper bound for the number of values in a JSON text: each follows a comma, or opens a list or
/// an object.
///
/// Correct for every valid text and every prefix of one, which is as far as a parser reads.
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
