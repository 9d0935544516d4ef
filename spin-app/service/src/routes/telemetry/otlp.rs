//! The texts of a document in OTLP/JSON.
//!
//! A text is a string that is not an identifier, a time or a name of the protocol, whatever its field: a field that is not
//! known is read too. An attribute's value has its key as a label. A number of an attribute is read as a text, and one that
//! is replaced becomes a string.

use serde_json::{Map, Value};

/// The shortest number that is read as a text, in digits.
const MIN_DIGITS: usize = 6;

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
            match name.as_str() {
                "key" if is_attribute => {}
                "value" if is_attribute => self.value(value, key.as_deref()),
                "logRecords" | "spans" => self.each_record(value),
                // the replacement of a number is not a text of the document
                "stringValue" if is_replaced => {}
                name if is_of_protocol(name, value) => {}
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
        let written = match members.get("intValue") {
            Some(Value::String(digits)) => digits.clone(),
            Some(Value::Number(number)) => number.to_string(),
            _ => return false,
        };
        if written.len() < MIN_DIGITS {
            return false;
        }
        let new = self.text(label, &written);
        let is_replaced = new.is_some();
        if let Some(new) = new {
            members.remove("intValue");
            members.insert("stringValue".to_owned(), new.into());
        }
        is_replaced
    }

    fn text(&mut self, label: Option<&str>, text: &str) -> Option<String> {
        if text.is_empty() { None } else { (self.visit)(self.record, label, text) }
    }
}

/// Whether a field is the protocol's own, and has its form: an identifier, a time, an address of a schema.
fn is_of_protocol(name: &str, value: &Value) -> bool {
    let Value::String(text) = value else { return false };
    match name {
        "traceId" | "spanId" | "parentSpanId" => text.bytes().all(|byte| byte.is_ascii_hexdigit()),
        // `number` has read it
        "intValue" => true,
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
        let mut seen = Vec::new();
        each_text(&mut document, &mut |record, label, text| {
            seen.push(format!("{record} {} {text}", label.unwrap_or("-")));
            (text.len() > 10).then(|| "new".to_owned())
        });
        let want = "0 host.name h|0 - s|0 - 1|1 - a|1 user.id 4111111111111111|1 list x|1 in y|1 - e|1 - m|2 - not hex|2 - b|2 - c";
        assert_eq!(seen.join("|"), want);
        let span = &document["resourceSpans"][0]["scopeSpans"][0]["spans"][0];
        assert_eq!(span["attributes"][0]["value"], json!({ "stringValue": "new" }));
        assert_eq!(span["attributes"][1]["value"], json!({ "intValue": 12 }));
    }
}
