//! The policy in a request, checked field by field.

use serde::Serialize;
use serde_json::{Value, json};
use textveil_engine::{Action, Country};

use super::{PolicyCondition, PolicyRecord};
use crate::{
    configuration::{ACTIONS, RISKS},
    error::ApiError,
    limits::{
        MAX_CONDITION_ENTRIES, MAX_CONDITION_NAME_BYTES, MAX_CONDITIONS, MAX_DESCRIPTION_CHARS,
        MAX_MIN_COUNT, MAX_MODEL_BYTES, MAX_NAME_CHARS, MAX_PRIORITY,
    },
    sent::Sent,
};

/// The fields that a service sets.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct PolicyDraft {
    name: String,
    description: String,
    priority: i64,
    action: Action,
    conditions: Vec<PolicyCondition>,
    is_default: bool,
    restore: Option<bool>,
}

/// The keys of a condition.
const KEYS: [&str; 13] = [
    "confidence_min",
    "entity_types",
    "exclude_entity_types",
    "countries",
    "categories",
    "risk_level_min",
    "validated",
    "direction",
    "roles",
    "providers",
    "models",
    "tools",
    "min_count",
];

const CATEGORIES: &str =
    "identity, contact, financial, location, personal, business, medical, government or credential";

impl PolicyDraft {
    /// Reads what was sent; null is as good as absent.
    ///
    /// # Errors
    /// `invalid_request` naming the field.
    pub(crate) fn read(sent: &Sent<'_>) -> Result<Self, ApiError> {
        let name = sent.line("name", 1..=MAX_NAME_CHARS)?.filter(|name| !name.trim().is_empty());
        let action = sent.choice("action", ACTIONS)?;
        let conditions = sent.objects("conditions", MAX_CONDITIONS)?.unwrap_or_default();
        Ok(Self {
            name: sent.required("name", name)?.to_owned(),
            description: description(sent)?,
            priority: sent.integer("priority", -MAX_PRIORITY..=MAX_PRIORITY)?.unwrap_or_default(),
            action: sent.required("action", action)?,
            conditions: conditions.iter().map(condition).collect::<Result<_, _>>()?,
            is_default: sent.flag("is_default")?.unwrap_or_default(),
            restore: sent.flag("restore")?,
        })
    }

    /// Returns the draft of `record` with the fields of `patch` instead of its own. A null takes a
    /// field away.
    ///
    /// # Errors
    /// As [`PolicyDraft::read`].
    pub(crate) fn patched(record: &PolicyRecord, patch: &Value) -> Result<Self, ApiError> {
        let PolicyRecord { name, description, priority, action, conditions, is_default, restore, .. } =
            record;
        let mut whole = json!({
            "name": name, "description": description, "priority": priority, "action": action,
            "conditions": conditions, "is_default": is_default, "restore": restore,
        });
        if let (Value::Object(whole), Value::Object(patch)) = (&mut whole, patch) {
            whole.extend(patch.clone());
        }
        Self::read(&Sent::body(&whole)?)
    }

    /// The record of this draft in a workspace, made or changed `now`.
    pub(crate) fn record(self, id: String, workspace: &str, created_at: String, now: &str) -> PolicyRecord {
        let Self { name, description, priority, action, conditions, is_default, restore } = self;
        PolicyRecord {
            id,
            name,
            description,
            priority,
            action,
            conditions,
            is_default,
            restore,
            workspace_id: workspace.to_owned(),
            created_at,
            updated_at: now.to_owned(),
        }
    }
}

/// Lines are allowed in it.
fn description(sent: &Sent<'_>) -> Result<String, ApiError> {
    let wanted = format!("a string of at most {MAX_DESCRIPTION_CHARS} characters");
    let fits = |text: &&str| text.chars().count() <= MAX_DESCRIPTION_CHARS;
    let text = sent.read("description", &wanted, |value| value.as_str().filter(fits))?;
    Ok(text.unwrap_or_default().to_owned())
}

/// One of the alternatives. A list that is there has an entry: an empty one would hold for nothing, and
/// may have been meant to hold for everything.
fn condition(sent: &Sent<'_>) -> Result<PolicyCondition, ApiError> {
    if sent.names().any(|name| !KEYS.contains(&name)) {
        let place = sent.place();
        let message = format!("{place} has a key that is not known; use {}", KEYS.join(", "));
        return Err(ApiError::invalid(place, message));
    }
    let least = "a number from 0 to 1";
    let share = |value: &Value| value.as_f64().filter(|share| (0.0..=1.0).contains(share));
    let categories =
        sent.strings("categories", 1..=MAX_CONDITION_ENTRIES, &format!("of {CATEGORIES}"), |name| {
            category(name).is_some()
        })?;
    let is_model = |name: &str| {
        (1..=MAX_MODEL_BYTES).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_graphic())
    };
    let models = format!("names of models of 1 to {MAX_MODEL_BYTES} ASCII characters, with * for anything");
    let entries = 1..=MAX_CONDITION_ENTRIES;
    Ok(PolicyCondition {
        confidence_min: sent.read("confidence_min", least, share)?,
        entity_types: names(sent, "entity_types", 1)?,
        exclude_entity_types: names(sent, "exclude_entity_types", 0)?.unwrap_or_default(),
        countries: sent.strings("countries", entries.clone(), "ISO 3166-1 alpha-2 codes", |code| {
            Country::parse(code).is_some()
        })?,
        categories: categories.map(|names| names.iter().filter_map(|name| category(name)).collect()),
        risk_level_min: sent.choice("risk_level_min", RISKS)?,
        validated: sent.flag("validated")?,
        direction: sent.choice("direction", "input or output")?,
        roles: names(sent, "roles", 1)?,
        providers: names(sent, "providers", 1)?,
        models: sent.strings("models", entries, &models, is_model)?,
        tools: names(sent, "tools", 1)?,
        min_count: sent.integer("min_count", 1..=i64::from(MAX_MIN_COUNT))?,
    })
}

fn category(name: &str) -> Option<textveil_engine::Category> {
    serde_json::from_value(Value::from(name)).ok()
}

/// A list of names of at least so many entries.
fn names(sent: &Sent<'_>, field: &str, least: usize) -> Result<Option<Vec<String>>, ApiError> {
    let wanted = format!("names of 1 to {MAX_CONDITION_NAME_BYTES} letters, digits and -_.");
    let fits = |name: &str| {
        (1..=MAX_CONDITION_NAME_BYTES).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    sent.strings(field, least..=MAX_CONDITION_ENTRIES, &wanted, fits)
}
