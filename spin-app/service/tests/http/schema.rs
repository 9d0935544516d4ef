//! Checking a JSON value against a schema of the OpenAPI document: as much of JSON Schema 2020-12 as the
//! document uses. A keyword that is not known here fails the test.

use regex_lite::Regex;
use serde_json::Value;
use textveil_service::parse_timestamp;

/// Keywords that do not restrict a value.
const ANNOTATIONS: &[&str] = &["default", "description", "title"];

/// Returns the faults of `value`: paths and violated rules. `root` is the document with the targets of
/// references.
pub fn faults(root: &Value, schema: &Value, value: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    check(root, schema, value, "", &mut faults);
    faults
}

fn check(root: &Value, schema: &Value, value: &Value, at: &str, faults: &mut Vec<String>) {
    let Value::Object(keywords) = schema else {
        assert!(schema == &Value::Bool(true), "a schema is an object or true: {schema}");
        return;
    };
    let valid = |schema: &Value| self::faults(root, schema, value).is_empty();
    for (keyword, wanted) in keywords {
        let holds = match keyword.as_str() {
            keyword if ANNOTATIONS.contains(&keyword) => true,
            "$ref" => {
                let target = wanted.as_str().unwrap().trim_start_matches('#');
                let target = root.pointer(target).unwrap_or_else(|| panic!("nothing at {target}"));
                check(root, target, value, at, faults);
                true
            }
            "type" => match wanted {
                Value::Array(kinds) => kinds.iter().any(|kind| is_a(kind, value)),
                kind => is_a(kind, value),
            },
            "const" => value == wanted,
            "enum" => wanted.as_array().unwrap().contains(value),
            "anyOf" => wanted.as_array().unwrap().iter().any(valid),
            "oneOf" => wanted.as_array().unwrap().iter().filter(|schema| valid(schema)).count() == 1,
            "properties" => {
                for (name, schema) in wanted.as_object().unwrap() {
                    if let Some(value) = value.get(name) {
                        check(root, schema, value, &format!("{at}.{name}"), faults);
                    }
                }
                true
            }
            "required" => {
                let has = |name: &Value| value.get(name.as_str().unwrap()).is_some();
                !value.is_object() || wanted.as_array().unwrap().iter().all(has)
            }
            "additionalProperties" => {
                let known = keywords.get("properties").and_then(Value::as_object);
                let others = value.as_object().into_iter().flatten();
                let mut others =
                    others.filter(|(name, _)| known.is_none_or(|known| !known.contains_key(*name)));
                match wanted {
                    Value::Bool(false) => others.next().is_none(),
                    schema => {
                        for (_, value) in others {
                            check(root, schema, value, &format!("{at}.*"), faults);
                        }
                        true
                    }
                }
            }
            "items" => {
                for (index, value) in value.as_array().into_iter().flatten().enumerate() {
                    check(root, wanted, value, &format!("{at}[{index}]"), faults);
                }
                true
            }
            "minItems" => value.as_array().is_none_or(|list| list.len() as u64 >= wanted.as_u64().unwrap()),
            "maxItems" => value.as_array().is_none_or(|list| list.len() as u64 <= wanted.as_u64().unwrap()),
            "minLength" => {
                value.as_str().is_none_or(|text| text.chars().count() as u64 >= wanted.as_u64().unwrap())
            }
            "maxLength" => {
                value.as_str().is_none_or(|text| text.chars().count() as u64 <= wanted.as_u64().unwrap())
            }
            "minimum" => value.as_f64().is_none_or(|number| number >= wanted.as_f64().unwrap()),
            "maximum" => value.as_f64().is_none_or(|number| number <= wanted.as_f64().unwrap()),
            "pattern" => {
                let pattern = Regex::new(wanted.as_str().unwrap()).unwrap();
                value.as_str().is_none_or(|text| pattern.is_match(text))
            }
            "format" => match wanted.as_str().unwrap() {
                "date-time" => value.as_str().is_none_or(|text| parse_timestamp(text).is_some()),
                format if format.contains("int") => value.is_null() || value.is_u64() || value.is_i64(),
                format => panic!("the format {format} is not known here"),
            },
            keyword => panic!("the keyword {keyword} is not known here"),
        };
        if !holds {
            faults.push(format!("{at} breaks {keyword}: {wanted:.80}"));
        }
    }
}

fn is_a(kind: &Value, value: &Value) -> bool {
    match kind.as_str().unwrap() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        kind => panic!("the type {kind} is not known here"),
    }
}

#[test]
fn a_value_is_held_to_every_keyword() {
    use serde_json::json;
    let root = json!({ "name": { "type": "string" } });
    for (schema, right, wrong) in [
        (json!({ "$ref": "#/name" }), json!("a"), json!(1)),
        (json!({ "type": ["integer", "null"] }), json!(null), json!(1.5)),
        (json!({ "const": "v1" }), json!("v1"), json!("v2")),
        (json!({ "enum": ["a", "b"] }), json!("b"), json!("c")),
        (json!({ "anyOf": [{ "type": "string" }, { "type": "null" }] }), json!(null), json!(1)),
        (json!({ "oneOf": [{ "type": "integer" }, { "minimum": 2 }] }), json!(1), json!(2)),
        (json!({ "properties": { "a": { "type": "null" } } }), json!({ "b": 1 }), json!({ "a": 1 })),
        (json!({ "required": ["a"] }), json!({ "a": 1 }), json!({ "b": 1 })),
        (
            json!({ "properties": { "a": {} }, "additionalProperties": false }),
            json!({ "a": 1 }),
            json!({ "b": 1 }),
        ),
        (json!({ "additionalProperties": { "type": "null" } }), json!({ "a": null }), json!({ "a": 1 })),
        (json!({ "items": { "type": "null" }, "minItems": 1, "maxItems": 1 }), json!([null]), json!([1])),
        (json!({ "minItems": 1 }), json!([1]), json!([])),
        (json!({ "maxItems": 1 }), json!([1]), json!([1, 2])),
        (json!({ "minLength": 1, "maxLength": 2 }), json!("é😀"), json!("")),
        (json!({ "maxLength": 2 }), json!("é😀"), json!("é😀a")),
        (json!({ "minimum": 0, "maximum": 1 }), json!(0.5), json!(1.5)),
        (json!({ "minimum": 0 }), json!(0), json!(-1)),
        (json!({ "pattern": "^[a-z]$" }), json!("a"), json!("A")),
        (json!({ "format": "date-time" }), json!("2026-11-23T10:00:00Z"), json!("yesterday")),
    ] {
        assert_eq!(faults(&root, &schema, &right), [""; 0], "{schema} of {right}");
        assert_ne!(faults(&root, &schema, &wrong), [""; 0], "{schema} of {wrong}");
    }
}
