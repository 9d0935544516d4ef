//! The texts of a document in OTLP/JSON.
//!
//! A text is a string that is not an identifier, a time or a name of the protocol, whatever its field: a field that is not
//! known is read too. An attribute's value has its key as a label. A number of an attribute is read as a text, and one that
//! is replaced becomes a string. Bytes are read where they are text. The names of fields may be those of protobuf
//! (`log_records`), which readers of its JSON accept.

use std::borrow::Cow;

use base64ct::{Base64, Base64Unpadded, Base64Url, Base64UrlUnpadded, Encoding};
use serde_json::{Map, Value};

/// The shortest number that is read as a text, in digits.
const MIN_DIGITS: usize = 6;

/// The replacement of bytes that are not text.
const BINARY: &str = "[binary]";

/// Replaces bytes that cannot be read as text with a note.
pub(super) fn withhold_binary(document: &mut Value) {
    match document {
        Value::Array(values) => values.iter_mut().for_each(withhold_binary),
        Value::Object(members) => {
            for name in ["bytesValue", "bytes_value"] {
                if members.get(name).is_some_and(|bytes| text_of_bytes(bytes).is_none()) {
                    members.remove(name);
                    members.insert("stringValue".to_owned(), BINARY.into());
                }
            }
            members.values_mut().for_each(withhold_binary);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Returns the text that bytes are; readers of protobuf's JSON accept each kind of base64.
fn text_of_bytes(bytes: &Value) -> Option<String> {
    let bytes = bytes.as_str()?;
    let decoded = Base64::decode_vec(bytes)
        .or_else(|_| Base64Unpadded::decode_vec(bytes))
        .or_else(|_| Base64Url::decode_vec(bytes))
        .or_else(|_| Base64UrlUnpadded::decode_vec(bytes));
    String::from_utf8(decoded.ok()?).ok().filter(|text| !text.contains('\0'))
}

/// Calls `visit` for each text with the number of its record and its label; a returned text replaces it.
///
/// Spans and log records are records; everything around them, such as resources, is one more.
pub(super) fn each_text(
    document: &mut Value,
    visit: &mut impl FnMut(usize, Option<&str>, &str) -> Option<String>,
) {
    Walk { visit, records: 0, record: 0 }.value(document, None);
}

struct Walk<'v, V> {
    visit: &'v mut V,
    /// The number of records so far.
    records: usize,
    /// The current one; 0 outside of records.
    record: usize,
}

impl<V: FnMut(usize, Option<&str>, &str) -> Option<String>> Walk<'_, V> {
    fn value(&mut self, value: &mut Value, label: Option<&str>) {
        match value {
            Value::String(text) => {
                if let Some(new) = self.text(label, text) {
                    *text = new;
                }
            }
            Value::Array(values) => values.iter_mut().for_each(|value| self.value(value, label)),
            Value::Object(members) => self.members(members, label),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn members(&mut self, members: &mut Map<String, Value>, label: Option<&str>) {
        let key = members.get("key").and_then(Value::as_str).map(str::to_owned);
        let is_attribute = key.is_some() && members.contains_key("value");
        let is_replaced = self.number(members, label);
        for (name, value) in members.iter_mut() {
            match camel_case(name).as_ref() {
                "key" if is_attribute && !may_be_personal(value) => {}
                "value" if is_attribute => self.value(value, key.as_deref()),
                "logRecords" | "spans" => self.each_record(value),
                // the replacement of a number is not a text of the document
                "stringValue" if is_replaced => {}
                name if is_of_protocol(name, value) => {}
                "bytesValue" => self.bytes(value, label),
                // the parts of a value have its label
                "stringValue" | "arrayValue" | "values" | "kvlistValue" => self.value(value, label),
                _ => self.value(value, None),
            }
        }
    }

    fn each_record(&mut self, records: &mut Value) {
        let outside = self.record;
        for record in records.as_array_mut().into_iter().flatten() {
            self.records += 1;
            self.record = self.records;
            self.value(record, None);
        }
        self.record = outside;
    }

    /// Reads the number of an attribute, which is a number or a string of digits; returns whether it was replaced.
    fn number(&mut self, members: &mut Map<String, Value>, label: Option<&str>) -> bool {
        let mut is_replaced = false;
        for name in ["intValue", "int_value", "doubleValue", "double_value"] {
            let Some(written) = members.get(name).and_then(digits) else { continue };
            if let Some(new) = self.text(label, &written) {
                members.remove(name);
                members.insert("stringValue".to_owned(), new.into());
                is_replaced = true;
            }
        }
        is_replaced
    }

    fn bytes(&mut self, bytes: &mut Value, label: Option<&str>) {
        let Some(text) = text_of_bytes(bytes) else { return };
        if let Some(new) = self.text(label, &text) {
            *bytes = Base64::encode_string(new.as_bytes()).into();
        }
    }

    fn text(&mut self, label: Option<&str>, text: &str) -> Option<String> {
        if text.is_empty() { None } else { (self.visit)(self.record, label, text) }
    }
}

/// Returns the name of a field in JSON; it may be written as in protobuf.
fn camel_case(name: &str) -> Cow<'_, str> {
    if !name.contains('_') {
        return name.into();
    }
    let mut words = name.split('_');
    let mut joined = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut letters = word.chars();
        joined.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        joined.push_str(letters.as_str());
    }
    joined.into()
}

/// Returns a whole number of enough digits, as people write it.
fn digits(number: &Value) -> Option<String> {
    let written = match number {
        Value::String(digits) => digits.clone(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    let whole = written.strip_suffix(".0").unwrap_or(&written);
    let is_whole =
        whole.len() >= MIN_DIGITS && whole.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    is_whole.then(|| whole.to_owned())
}

/// Whether a key has a sign of a value. Conventions name attributes with words, dots and underscores.
fn may_be_personal(key: &Value) -> bool {
    let key = key.as_str().unwrap_or_default();
    let digits = key.bytes().filter(u8::is_ascii_digit).count();
    digits >= MIN_DIGITS || key.contains(|sign: char| sign == '@' || sign == '+' || sign.is_whitespace())
}

/// Whether a field is the protocol's own, and has its form: an identifier, a time, an address of a schema.
fn is_of_protocol(name: &str, value: &Value) -> bool {
    let Value::String(text) = value else { return false };
    match name {
        "traceId" | "spanId" | "parentSpanId" => text.bytes().all(|byte| byte.is_ascii_hexdigit()),
        // `number` has read it
        "intValue" => true,
        "doubleValue" => text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte)),
        "severityText" => text.len() <= 16 && text.bytes().all(|byte| byte.is_ascii_alphanumeric()),
        "schemaUrl" => text.starts_with("https://opentelemetry.io/schemas/"),
        name if name.ends_with("UnixNano") => text.bytes().all(|byte| byte.is_ascii_digit()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn seen(document: &mut Value, new: impl Fn(&str) -> Option<String>) -> String {
        let mut seen = Vec::new();
        each_text(document, &mut |record, label, text| {
            seen.push(format!("{record} {} {text}", label.unwrap_or("-")));
            new(text)
        });
        seen.join("|")
    }

    #[test]
    fn logs_have_bodies_of_any_form() {
        let mut document = json!({ "resourceLogs": [{ "scopeLogs": [{ "scope": {}, "logRecords": [
            { "timeUnixNano": "1544712660300000000", "observedTimeUnixNano": "1544712660300000000", "severityNumber": 9,
              "severityText": "INFO", "body": { "stringValue": "b" }, "eventName": "e", "flags": 1,
              "attributes": [{ "key": "k", "value": { "doubleValue": 44051401359.0 } }],
              "traceId": "5B8EFFF798038103D269B633813FC60C", "spanId": "EEE19B7EC3C1B174" },
            { "body": { "kvlistValue": { "values": [
                { "key": "m", "value": { "arrayValue": { "values": [{ "kvlistValue": { "values": [
                    { "key": "a@b", "value": { "stringValue": "v" } },
                ] } }] } } },
                { "key": "n", "value": { "doubleValue": 0.5 } },
            ] } } },
        ] }] }] });
        let want = "1 - b|1 - e|1 k 44051401359|2 - a@b|2 a@b v";
        assert_eq!(seen(&mut document, |text| (text == "a@b").then(|| "new".to_owned())), want);
        let values =
            &document["resourceLogs"][0]["scopeLogs"][0]["logRecords"][1]["body"]["kvlistValue"]["values"];
        assert_eq!(values[0]["value"]["arrayValue"]["values"][0]["kvlistValue"]["values"][0]["key"], "new");
    }

    #[test]
    fn names_of_protobuf_are_read_as_those_of_json() {
        let mut document = json!({ "resource_logs": [{ "scope_logs": [{ "log_records": [
            { "time_unix_nano": "1544712660300000000", "severity_text": "INFO", "trace_id": "5b8efff798038103d269b633813fc60c",
              "attributes": [{ "key": "k", "value": { "string_value": "v" } }, { "key": "n", "value": { "int_value": "4111111111111111" } }] },
        ] }] }] });
        assert_eq!(
            seen(&mut document, |text| (text.len() == 16).then(|| "new".to_owned())),
            "1 k v|1 n 4111111111111111"
        );
        let attributes = &document["resource_logs"][0]["scope_logs"][0]["log_records"][0]["attributes"];
        assert_eq!(attributes[1]["value"], json!({ "stringValue": "new" }));
    }

    #[test]
    fn bytes_are_read_where_they_are_text() {
        for (bytes, seen_as, after) in [
            ("amFuQGV4YW1wbGUuY3o=", "0 k jan@example.cz", json!({ "bytesValue": "bmV3" })),
            ("amFuQGV4YW1wbGUuY3o", "0 k jan@example.cz", json!({ "bytesValue": "bmV3" })),
            ("_____w==", "0 k [binary]", json!({ "stringValue": "new" })),
            ("iVBORw0KGgo=", "0 k [binary]", json!({ "stringValue": "new" })),
            ("not base64", "0 k [binary]", json!({ "stringValue": "new" })),
        ] {
            let mut document = json!({ "key": "k", "value": { "bytesValue": bytes } });
            withhold_binary(&mut document);
            assert_eq!(seen(&mut document, |_| Some("new".to_owned())), seen_as, "{bytes}");
            assert_eq!(document["value"], after, "{bytes}");
        }
    }

    #[test]
    fn texts_have_their_keys_and_records() {
        let mut document = json!({ "resourceSpans": [{
            "resource": { "attributes": [{ "key": "host.name", "value": { "stringValue": "h" } }] },
            "scopeSpans": [{ "scope": { "name": "s", "version": "1" }, "spans": [
                { "traceId": "5b8efff798038103d269b633813fc60c", "spanId": "eee19b7ec3c1b174", "name": "a", "kind": 1,
                  "startTimeUnixNano": "1544712660000000000", "attributes": [
                    { "key": "user.id", "value": { "intValue": "4111111111111111" } },
                    { "key": "n", "value": { "intValue": 12 } },
                    { "key": "list", "value": { "arrayValue": { "values": [{ "stringValue": "x" }, { "boolValue": true }] } } },
                    { "key": "map", "value": { "kvlistValue": { "values": [{ "key": "in", "value": { "stringValue": "y" } }] } } },
                  ], "events": [{ "name": "e", "timeUnixNano": "1" }], "status": { "message": "m", "code": 2 } },
                { "traceId": "not hex", "name": "b", "unknown": { "deep": ["c"] } },
            ] }],
        }] });
        let want = "0 host.name h|0 - s|0 - 1|1 - a|1 user.id 4111111111111111|1 list x|1 in y|1 - e|1 - m|2 - not hex|2 - b|2 - c";
        assert_eq!(seen(&mut document, |text| (text.len() > 10).then(|| "new".to_owned())), want);
        let span = &document["resourceSpans"][0]["scopeSpans"][0]["spans"][0];
        assert_eq!(span["attributes"][0]["value"], json!({ "stringValue": "new" }));
        assert_eq!(span["attributes"][1]["value"], json!({ "intValue": 12 }));
    }
}
