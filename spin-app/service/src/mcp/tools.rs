//! The tools: their schemas, and the results of the engine as they are sent.

use serde_json::{Map, Value, json};
use textveil_engine::{
    Detection, Entity, Mode, Preset, Protection, Restored, TypeCounts, Validation, wire::DetectorInfo,
};

/// Entries of one page of detectors.
const PAGE: usize = 100;

/// The advice for a model.
pub(super) const INSTRUCTIONS: &str = "Finds, replaces and validates personal data in text, on the machine of this \
server. Call protect before a text leaves the conversation, and detect to learn the types and places of personal data. \
Results have no values unless they are asked for.";

/// A tool of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// Finds personal data.
    Detect,
    /// Replaces it.
    Protect,
    /// Validates a value of a type.
    Validate,
    /// Lists what can be found.
    ListDetectors,
    /// Restores tokens; for operators who allow it only.
    Restore,
}

impl Tool {
    const ALL: [Self; 5] = [Self::Detect, Self::Protect, Self::Validate, Self::ListDetectors, Self::Restore];

    /// Returns the name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Detect => "detect",
            Self::Protect => "protect",
            Self::Validate => "validate",
            Self::ListDetectors => "list_detectors",
            Self::Restore => "restore",
        }
    }

    pub(super) fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }

    /// Checks the names of the arguments, which are those of the schema.
    ///
    /// # Errors
    /// Lists the names, if there is another one.
    pub fn check(self, arguments: &Map<String, Value>) -> Result<(), String> {
        let input = self.input();
        let names: Vec<&str> =
            input.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
        match arguments.keys().all(|name| names.contains(&name.as_str())) {
            true => Ok(()),
            false => Err(format!("an argument is unknown; the arguments are {}", names.join(", "))),
        }
    }

    fn title(self) -> (&'static str, &'static str) {
        match self {
            Self::Detect => (
                "Find personal data",
                "Finds personal data in a text: its types and its places, counted in code points. The values are left \
                 out unless `values` is true.",
            ),
            Self::Protect => (
                "Replace personal data",
                "Returns the text with personal data replaced, and how many values of each type were replaced.",
            ),
            Self::Validate => (
                "Validate a value",
                "Says whether a value is valid as a type, such as `iban` or `pesel`, with its facts.",
            ),
            Self::ListDetectors => {
                ("List detectors", "Lists the types of personal data that can be found, in pages.")
            }
            Self::Restore => {
                ("Restore tokens", "Returns the text with its tokens replaced with their values.")
            }
        }
    }

    /// Returns the properties of the arguments.
    fn input(self) -> Value {
        let text =
            json!({ "type": "string", "minLength": 1, "maxLength": 50_000, "description": "The text" });
        let country = json!({ "type": "string", "description": "ISO 3166-1 alpha-2 code of the country that it is about" });
        let presets = [Preset::Conservative, Preset::Balanced, Preset::Aggressive].map(Preset::as_str);
        let preset =
            json!({ "type": "string", "enum": presets, "description": "How sure a finding must be" });
        let entities =
            json!({ "type": "array", "items": { "type": "string" }, "description": "Find these types only" });
        match self {
            Self::Detect => json!({
                "text": text, "country": country, "privacy_preset": preset, "entities": entities,
                "values": { "type": "boolean", "description": "Return the found values, too" },
            }),
            Self::Protect => json!({
                "text": text, "country": country, "privacy_preset": preset, "entities": entities,
                "mode": { "type": "string", "enum": Mode::NAMES, "description": "What replaces a finding" },
            }),
            Self::Validate => json!({
                "type": { "type": "string", "description": "A type of list_detectors" },
                "value": { "type": "string", "minLength": 1, "description": "The value" },
                "country": country,
            }),
            Self::ListDetectors => json!({
                "country": country,
                "category": { "type": "string", "description": "A category, such as identity" },
                "cursor": { "type": "string", "description": "The next_cursor of the preceding page" },
            }),
            Self::Restore => {
                json!({ "text": { "type": "string", "minLength": 1, "description": "The text" } })
            }
        }
    }

    /// Returns the names of the required arguments, and the schema of the result.
    fn shape(self) -> (&'static [&'static str], Value) {
        let (string, count) = (json!({ "type": "string" }), json!({ "type": "integer", "minimum": 0 }));
        let object = |properties: Value, required: &[&str]| json!({ "type": "object", "properties": properties, "required": required });
        match self {
            Self::Detect => {
                let number = json!({ "type": "number" });
                let finding = object(
                    json!({
                        "type": string, "start": count, "end": count, "confidence": number, "country": string,
                        "valid": { "type": "boolean" }, "value": string,
                    }),
                    &["type", "start", "end", "confidence"],
                );
                let findings = json!({ "type": "array", "items": finding });
                (&["text"], object(json!({ "findings": findings }), &["findings"]))
            }
            Self::Protect => {
                let counts = json!({ "type": "object", "additionalProperties": count });
                (&["text"], object(json!({ "text": string, "counts": counts }), &["text", "counts"]))
            }
            Self::Validate => {
                let verdict = json!({ "valid": { "type": "boolean" }, "reason": string, "facts": { "type": "object" } });
                (&["type", "value"], object(verdict, &["valid"]))
            }
            Self::ListDetectors => {
                let detector = object(
                    json!({ "type": string, "region": string, "category": string, "description": string }),
                    &["type", "region", "category", "description"],
                );
                let page =
                    json!({ "detectors": { "type": "array", "items": detector }, "next_cursor": string });
                (&[], object(page, &["detectors"]))
            }
            Self::Restore => (
                &["text"],
                object(
                    json!({ "text": string, "restored": count, "unknown": count }),
                    &["text", "restored", "unknown"],
                ),
            ),
        }
    }
}

/// The tools as they are listed, in an order that stays.
pub(super) fn list(restores: bool) -> Vec<Value> {
    let offered = Tool::ALL.into_iter().filter(|tool| restores || *tool != Tool::Restore);
    offered
        .map(|tool| {
            let (title, description) = tool.title();
            let (required, output) = tool.shape();
            json!({
                "name": tool.name(),
                "title": title,
                "description": description,
                "inputSchema": {
                    "type": "object", "properties": tool.input(), "required": required, "additionalProperties": false,
                },
                "outputSchema": output,
                "annotations": { "readOnlyHint": true, "openWorldHint": false },
            })
        })
        .collect()
}

/// Returns the result of `detect`.
pub fn detection(found: &Detection, has_values: bool) -> Value {
    let finding = |entity: &Entity| {
        let mut fields = json!({
            "type": entity.kind, "start": entity.span.start, "end": entity.span.end, "confidence": entity.confidence,
        });
        if let Some(country) = entity.country {
            super::insert(&mut fields, "country", json!(country.upper()));
        }
        if entity.validated {
            super::insert(&mut fields, "valid", json!(true));
        }
        if has_values {
            super::insert(&mut fields, "value", json!(entity.original));
        }
        fields
    };
    json!({ "findings": found.entities.iter().map(finding).collect::<Vec<_>>() })
}

/// Returns the result of `protect`.
pub fn protection(protection: &Protection) -> Value {
    let mut counts = TypeCounts::new();
    for protected in &protection.entities {
        *counts.entry(protected.entity.kind.clone()).or_default() += 1;
    }
    json!({ "text": protection.text, "counts": counts })
}

/// Returns the result of `validate`.
pub fn validation(validation: &Validation) -> Value {
    let mut facts = json!(validation.metadata);
    let reason = facts.as_object_mut().and_then(|facts| facts.shift_remove("reason"));
    let mut verdict = json!({ "valid": validation.valid });
    if let Some(reason) = reason {
        super::insert(&mut verdict, "reason", reason);
    }
    if facts.as_object().is_some_and(|facts| !facts.is_empty()) {
        super::insert(&mut verdict, "facts", facts);
    }
    verdict
}

/// Returns the result of `restore`.
pub fn restored(restored: &Restored) -> Value {
    json!({ "text": restored.text, "restored": restored.restored, "unknown": restored.unknown })
}

/// The arguments of `list_detectors`.
#[derive(Clone, Debug, Default)]
pub struct Detectors {
    /// Only those of this country.
    pub country: Option<String>,
    category: Option<String>,
    from: usize,
}

impl Detectors {
    /// Reads the arguments.
    ///
    /// # Errors
    /// Says which argument is at fault.
    pub fn read(arguments: &Map<String, Value>) -> Result<Self, String> {
        let text = |name: &str| match arguments.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(format!("{name} must be a string")),
        };
        let cursor = "cursor must be the next_cursor of the preceding page";
        let from = text("cursor")?.map_or(Ok(0), |from| from.parse().map_err(|_| cursor.to_owned()))?;
        Ok(Self { country: text("country")?, category: text("category")?, from })
    }

    /// Returns the page of these detectors.
    pub fn page(&self, detectors: &[DetectorInfo]) -> Value {
        let is_wanted = |one: &&DetectorInfo| self.category.as_ref().is_none_or(|name| name == one.category);
        let mut rest = detectors.iter().filter(is_wanted).skip(self.from);
        let entry = |one: &DetectorInfo| {
            json!({
                "type": one.entity_type, "region": one.region, "category": one.category, "description": one.description,
            })
        };
        let mut page = json!({ "detectors": rest.by_ref().take(PAGE).map(entry).collect::<Vec<_>>() });
        if rest.next().is_some() {
            super::insert(&mut page, "next_cursor", json!((self.from + PAGE).to_string()));
        }
        page
    }
}
