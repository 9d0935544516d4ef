//! Whether an answer is what a case expects.
//!
//! Every key of an expected object must be in the answer, with a value that matches; the answer may
//! have others. Lists match item by item and have the same length. Numbers match by their value,
//! everything else when it is equal.

use serde_json::Value;

/// Returns the differences between an answer and the expectation; empty if it matches.
pub fn mismatches(expected: &Value, answer: &Value) -> Vec<String> {
    let mut found = Vec::new();
    compare("", expected, answer, Extra::Free, &mut found);
    found
}

/// Returns the differences between two answers that should be equal; empty if they are.
pub fn differences(first: &Value, second: &Value) -> Vec<String> {
    let mut found = Vec::new();
    compare("", first, second, Extra::Reported, &mut found);
    found
}

/// Keys of the second object that the first has not.
#[derive(Clone, Copy, PartialEq)]
enum Extra {
    Free,
    Reported,
}

fn compare(path: &str, expected: &Value, actual: &Value, extra: Extra, found: &mut Vec<String>) {
    match (expected, actual) {
        (Value::Object(expected), Value::Object(actual)) => {
            for (name, value) in expected {
                let path = format!("{path}.{name}");
                match actual.get(name) {
                    Some(actual) => compare(&path, value, actual, extra, found),
                    None => found.push(format!("{path}: expected {value}, is absent")),
                }
            }
            if extra == Extra::Reported {
                let unknown = actual.iter().filter(|(name, _)| !expected.contains_key(*name));
                found.extend(
                    unknown.map(|(name, value)| format!("{path}.{name}: expected to be absent, is {value}")),
                );
            }
        }
        (Value::Array(expected), Value::Array(actual)) => {
            if expected.len() != actual.len() {
                let (want, have) = (expected.len(), actual.len());
                found.push(format!(
                    "{path}: expected {want} items, has {have}: {}",
                    Value::from(actual.clone())
                ));
                return;
            }
            for (index, (expected, actual)) in expected.iter().zip(actual).enumerate() {
                compare(&format!("{path}[{index}]"), expected, actual, extra, found);
            }
        }
        (Value::Number(expected), Value::Number(actual)) if expected.as_f64() == actual.as_f64() => {}
        (expected, actual) if expected == actual => {}
        (expected, actual) => found.push(format!("{path}: expected {expected}, is {actual}")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keys_must_match_and_others_are_free() {
        for (expected, answer, matches) in [
            (json!({}), json!({ "a": 1 }), true),
            (json!({ "a": 1 }), json!({ "a": 1.0, "b": 2 }), true),
            (json!({ "a": 1 }), json!({ "b": 2 }), false),
            (json!({ "a": null }), json!({}), false),
            (json!({ "a": null }), json!({ "a": null }), true),
            (json!({ "a": { "b": "x" } }), json!({ "a": { "b": "x", "c": 1 } }), true),
            (json!({ "a": { "b": "x" } }), json!({ "a": "x" }), false),
            (json!([]), json!([]), true),
            (json!([]), json!([1]), false),
            (json!([1, 2]), json!([2, 1]), false),
            (json!([{ "a": 1 }]), json!([{ "a": 1, "b": 2 }]), true),
            (json!([{ "a": 1 }]), json!([{ "a": 1 }, { "a": 2 }]), false),
            (json!(true), json!("true"), false),
        ] {
            assert_eq!(mismatches(&expected, &answer).is_empty(), matches, "{expected} against {answer}");
        }
    }

    #[test]
    fn the_same_answers_have_the_same_keys() {
        for (first, second, same) in [
            (json!({ "a": 1 }), json!({ "a": 1.0 }), true),
            (json!({}), json!({ "a": 1 }), false),
            (json!({ "a": 1 }), json!({}), false),
            (json!([{ "a": [] }]), json!([{ "a": [], "b": null }]), false),
        ] {
            assert_eq!(differences(&first, &second).is_empty(), same, "{first} against {second}");
        }
    }

    #[test]
    fn a_mismatch_says_where() {
        let found = mismatches(&json!({ "a": [{ "b": 1 }] }), &json!({ "a": [{ "b": 2 }] }));
        assert_eq!(found, [".a[0].b: expected 1, is 2"]);
    }
}
