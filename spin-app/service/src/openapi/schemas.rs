//! The schemas of the types on the wire.

use std::collections::{BTreeMap, BTreeSet};

use schemars::{SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use crate::operation::MakeSchema;

/// The place of schemas in the document.
const SCHEMAS: &str = "/components/schemas";

/// The suffix of a schema's name for requests, if answers have another one of that name.
const OF_REQUESTS: &str = "Input";

/// The schemas of types: as they are read, and as they are written. A field with a default may be absent
/// from what is read and is always in what is written.
pub(super) struct Schemas {
    requests: SchemaGenerator,
    answers: SchemaGenerator,
}

impl Schemas {
    pub(super) fn new() -> Self {
        let settings = SchemaSettings::draft2020_12().with(|settings| {
            settings.definitions_path = SCHEMAS.into();
            settings.meta_schema = None;
        });
        Self {
            requests: settings.clone().for_deserialize().into_generator(),
            answers: settings.for_serialize().into_generator(),
        }
    }

    pub(super) fn request(&mut self, make: MakeSchema) -> Value {
        tidied(make(&mut self.requests).to_value())
    }

    pub(super) fn answer(&mut self, make: MakeSchema) -> Value {
        tidied(make(&mut self.answers).to_value())
    }

    /// All schemas with a name, and the names of those of requests that are renamed because answers have
    /// others of the same name.
    pub(super) fn finish(mut self) -> (BTreeMap<String, Value>, BTreeSet<String>) {
        let taken = |generator: &mut SchemaGenerator| -> BTreeMap<String, Value> {
            let definitions = generator.take_definitions(true).into_iter();
            definitions.map(|(name, schema)| (name, tidied(schema))).collect()
        };
        let requests: BTreeMap<String, Value> =
            taken(&mut self.requests).into_iter().map(|(name, schema)| (name, bounded(schema))).collect();
        let mut all = taken(&mut self.answers);

        let mut renamed: BTreeSet<String> = requests
            .iter()
            .filter(|(name, schema)| all.get(*name).is_some_and(|other| other != *schema))
            .map(|(name, _)| name.clone())
            .collect();
        // a schema that refers to one of them, and is answered too, differs as well
        loop {
            let differ = |schema: &Value| renamed.iter().any(|name| refers_to(schema, name));
            let more: Vec<_> = requests
                .iter()
                .filter(|(name, schema)| {
                    all.contains_key(*name) && !renamed.contains(*name) && differ(schema)
                })
                .map(|(name, _)| name.clone())
                .collect();
            if more.is_empty() {
                break;
            }
            renamed.extend(more);
        }
        for (name, mut schema) in requests {
            rename(&mut schema, &renamed);
            let name = if renamed.contains(&name) { name + OF_REQUESTS } else { name };
            all.insert(name, schema);
        }
        (all, renamed)
    }
}

fn refers_to(schema: &Value, name: &str) -> bool {
    match schema {
        Value::Object(fields) => fields.iter().any(|(key, value)| match value.as_str() {
            Some(target) if key == "$ref" => target.strip_prefix(&format!("#{SCHEMAS}/")) == Some(name),
            _ => refers_to(value, name),
        }),
        Value::Array(values) => values.iter().any(|value| refers_to(value, name)),
        _ => false,
    }
}

pub(super) fn rename(schema: &mut Value, renamed: &BTreeSet<String>) {
    match schema {
        Value::Object(fields) => {
            for (key, value) in fields {
                let target = value.as_str().and_then(|target| target.strip_prefix(&format!("#{SCHEMAS}/")));
                match target.filter(|name| key == "$ref" && renamed.contains(*name)) {
                    Some(name) => *value = json!(format!("#{SCHEMAS}/{name}{OF_REQUESTS}")),
                    None => rename(value, renamed),
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| rename(value, renamed)),
        _ => {}
    }
}

/// Takes out what says nothing to a reader of the API: defaults that are the same as an absent field,
/// widths of our integers, and places in the documents that the code is built by.
fn tidied(mut schema: Value) -> Value {
    tidy(&mut schema);
    schema
}

fn tidy(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            let empty = |value: &Value| {
                value.is_null()
                    || value == &json!(false)
                    || value.as_array().is_some_and(Vec::is_empty)
                    || value.as_object().is_some_and(Map::is_empty)
            };
            if fields.get("default").is_some_and(empty) {
                fields.remove("default");
            }
            if fields.get("format").is_some_and(|format| format == "uint" || format == "double") {
                fields.remove("format");
            }
            if let Some(Value::String(description)) = fields.get_mut("description") {
                *description = unwrapped(description);
            }
            fields.values_mut().for_each(tidy);
        }
        Value::Array(values) => values.iter_mut().for_each(tidy),
        _ => {}
    }
}

/// The text in one line a paragraph.
fn unwrapped(text: &str) -> String {
    text.replace("\n\n", "\u{b6}").replace('\n', " ").replace('\u{b6}', "\n\n")
}

/// The schema of a request, with the bounds of its integers: a value outside them is rejected.
fn bounded(mut schema: Value) -> Value {
    bound(&mut schema);
    schema
}

fn bound(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            let is_integer = |kind: &Value| match kind {
                Value::Array(kinds) => kinds.iter().any(|kind| kind == "integer"),
                kind => kind == "integer",
            };
            if fields.get("type").is_some_and(is_integer) {
                let (least, most) = match fields.get("format").and_then(Value::as_str) {
                    Some("int64") => (json!(i64::MIN), json!(i64::MAX)),
                    Some("uint64") => (json!(0), json!(u64::MAX)),
                    _ => (json!(0), json!(u32::MAX)),
                };
                fields.entry("minimum").or_insert(least);
                fields.entry("maximum").or_insert(most);
            }
            fields.values_mut().for_each(bound);
        }
        Value::Array(values) => values.iter_mut().for_each(bound),
        _ => {}
    }
}
