//! The common format of answers on all surfaces.

use serde_json::{Value, json};

/// Names of what differs from call to call.
const TIMES: [&str; 2] = ["processing_time_ms", "total_processing_time_ms"];

/// Returns a rejected call: `{"error": {"code", "field"}}`, `field` being null if no field is at fault.
pub fn refusal(code: &str, field: Option<&str>) -> Value {
    json!({ "error": { "code": code, "field": field } })
}

/// The same answer without its times, at any depth.
pub fn without_times(mut answer: Value) -> Value {
    remove(&mut answer, &TIMES);
    answer
}

/// The same answer without the offsets of its findings and of their evidence.
pub fn without_offsets(mut answer: Value) -> Value {
    remove(&mut answer, &["start", "end"]);
    answer
}

fn remove(value: &mut Value, names: &[&str]) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| !names.contains(&name.as_str()));
            fields.values_mut().for_each(|field| remove(field, names));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| remove(item, names)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_removed_at_any_depth() {
        let answer =
            json!({ "results": [{ "processing_time_ms": 1, "a": 2 }], "total_processing_time_ms": 1.5 });
        assert_eq!(without_times(answer), json!({ "results": [{ "a": 2 }] }));
    }
}
