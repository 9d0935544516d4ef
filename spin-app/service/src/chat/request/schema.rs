//! Definitions of tools and formats of answers: JSON schemas, whose keywords stay and everything else is text.

use serde_json::Value;

use super::{BodyWalk, Spelling, Visit, Walked, forms::is_name};

/// Keys of a schema whose values map names to schemas.
const SCHEMA_NAMED: [&str; 5] =
    ["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"];

/// Keys of a schema whose values are text: a change alters the request, but they may contain anything.
const SCHEMA_TEXTS: [&str; 6] = ["const", "default", "enum", "example", "examples", "required"];

/// The URLs of the JSON Schema dialects.
const SCHEMA_DIALECTS: [&str; 6] = [
    "http://json-schema.org/draft-04/schema",
    "http://json-schema.org/draft-06/schema",
    "http://json-schema.org/draft-07/schema",
    "http://json-schema.org/schema",
    "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
];

impl<V: Visit> BodyWalk<'_, V> {
    /// Visits the definition of a tool, in the formats of OpenAI and Anthropic.
    pub(in crate::chat) fn tool(&mut self, tool: &mut Value) -> Walked {
        let Value::Object(members) = tool else { return self.data(tool, None) };
        for (key, value) in members.iter_mut() {
            match key.as_str() {
                "type" if is_name(value) => {}
                "function" => self.tool(value)?,
                "parameters" | "input_schema" => self.schema(value)?,
                "name" => self.word(value, Spelling::Word)?,
                _ => self.data(value, None)?,
            }
        }
        self.keys(members, is_tool_key)
    }

    pub(in crate::chat) fn format(&mut self, format: &mut Value) -> Walked {
        let Value::Object(members) = format else { return self.data(format, None) };
        for (key, value) in members.iter_mut() {
            match key.as_str() {
                "type" if is_name(value) => {}
                "json_schema" => self.format(value)?,
                "schema" => self.schema(value)?,
                "name" => self.word(value, Spelling::Word)?,
                _ => self.data(value, None)?,
            }
        }
        self.keys(members, |key| is_tool_key(key) || matches!(key, "json_schema" | "schema"))
    }

    /// Visits a JSON schema: everything except the standard's keywords is text.
    pub(in crate::chat) fn schema(&mut self, schema: &mut Value) -> Walked {
        self.deeper(|walk| match schema {
            Value::Object(members) => {
                for (key, value) in members.iter_mut() {
                    match (key.as_str(), value) {
                        ("type" | "format", value) if is_name(value) => {}
                        ("$schema", Value::String(dialect)) if is_dialect(dialect) => {}
                        (key, Value::Object(named)) if SCHEMA_NAMED.contains(&key) => {
                            named.values_mut().try_for_each(|schema| walk.schema(schema))?;
                            walk.keys(named, |_| false)?;
                        }
                        (key, value) if SCHEMA_TEXTS.contains(&key) => walk.data(value, None)?,
                        (_, value) => walk.schema(value)?,
                    }
                }
                walk.keys(members, is_schema_key)
            }
            Value::Array(schemas) => schemas.iter_mut().try_for_each(|schema| walk.schema(schema)),
            other => walk.data(other, None),
        })
    }
}

fn is_dialect(url: &str) -> bool {
    SCHEMA_DIALECTS.contains(&url.trim_end_matches('#'))
}

fn is_tool_key(key: &str) -> bool {
    matches!(key, "description" | "function" | "input_schema" | "name" | "parameters" | "strict" | "type")
}

fn is_schema_key(key: &str) -> bool {
    SCHEMA_NAMED.contains(&key)
        || SCHEMA_TEXTS.contains(&key)
        || matches!(
            key,
            "$anchor"
                | "$comment"
                | "$dynamicRef"
                | "$id"
                | "$ref"
                | "$schema"
                | "additionalProperties"
                | "allOf"
                | "anyOf"
                | "contentEncoding"
                | "contentMediaType"
                | "dependentRequired"
                | "description"
                | "format"
                | "items"
                | "not"
                | "oneOf"
                | "pattern"
                | "title"
                | "type"
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dialects_are_those_of_the_standard() {
        for (url, want) in [
            ("http://json-schema.org/draft-07/schema#", true),
            ("https://json-schema.org/draft/2020-12/schema", true),
            ("https://json-schema.org/jan@example.cz", false),
            ("https://json-schema.org/draft/2020-12/schema?q=jan@example.cz", false),
        ] {
            assert_eq!(is_dialect(url), want, "{url}");
        }
    }
}
