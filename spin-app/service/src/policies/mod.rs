//! The policies of a workspace, which decide on findings.
//!
//! The engine evaluates the conditions on a finding. The conditions on the position of its text (direction,
//! role, provider, model) and on the risk of its type are evaluated here first.

mod draft;
mod records;
mod transfer;
mod trial;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use textveil_engine::{Action, Category, Condition, Decider, Entity, Policy};

pub(crate) use draft::PolicyDraft;
pub(crate) use records::{change, create, delete, find, list};
pub(crate) use transfer::{ImportedPolicies, ImportedPolicy, import};
pub(crate) use trial::{Decision, TestedEntity, Trial};

use crate::{
    configuration::{Configuration, RiskLevel},
    documents::Document,
    error::ApiError,
    host::Host,
    types::is_same_type,
};

/// The policies of a workspace, as a document.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Policies(pub Vec<PolicyRecord>);

impl Document for Policies {
    fn key(workspace: &str) -> String {
        format!("policies:{workspace}")
    }
}

/// A policy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PolicyRecord {
    /// A UUID.
    pub id: String,
    /// Reported with each finding that it decides on.
    pub name: String,
    /// A description.
    #[serde(default)]
    pub description: String,
    /// The highest wins; ties go to the stricter action.
    #[serde(default)]
    pub priority: i64,
    /// The action.
    pub action: Action,
    /// Alternative conditions; empty for every finding.
    #[serde(default)]
    pub conditions: Vec<PolicyCondition>,
    /// Applies only if no other policy does.
    #[serde(default)]
    pub is_default: bool,
    /// Whether the values that it decides on are restored in the arguments of tools.
    ///
    /// Absent: they are restored, except that a value only found in the result of a tool is not passed to
    /// another tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restore: Option<bool>,
    /// The workspace of the policy.
    pub workspace_id: String,
    /// ISO 8601.
    pub created_at: String,
    /// ISO 8601.
    pub updated_at: String,
}

/// Keys of one condition; all that are present must hold. An unknown key is rejected: ignoring it would fail
/// open.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PolicyCondition {
    /// The minimum confidence of the finding, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence_min: Option<f64>,
    /// The finding has one of these types.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity_types: Option<Vec<String>>,
    /// The finding's type is not one of these.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exclude_entity_types: Vec<String>,
    /// The finding has one of these countries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub countries: Option<Vec<String>>,
    /// The finding has one of these categories.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub categories: Option<Vec<Category>>,
    /// The minimum risk of the type, as rated by the workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub risk_level_min: Option<RiskLevel>,
    /// The finding passed its checksum or structural rule, or did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validated: Option<bool>,
    /// The direction of the text. A policy changes a model's own text only if its condition says `output`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<Direction>,
    /// The role of the text is one of these, such as `user` or `tool`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roles: Option<Vec<String>>,
    /// The provider is one of these: ids or types.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub providers: Option<Vec<String>>,
    /// The model's name matches one of these patterns, with `*` for any text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub models: Option<Vec<String>>,
    /// The text is the result of one of these tools; for `restore`, an argument of one of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// The minimum number of findings of the type in the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_count: Option<usize>,
}

/// The direction of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Direction {
    /// To a model, or to this service.
    Input,
    /// From a model.
    Output,
}

/// The position of a text.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// Its direction.
    pub direction: Direction,
    /// Its role; `None` outside a conversation.
    pub role: Option<&'a str>,
    /// The id and the type of the provider; empty outside a conversation.
    pub provider: &'a [&'a str],
    /// The model; `None` outside a conversation.
    pub model: Option<&'a str>,
    /// The tool whose result or argument it is; `None` for other texts.
    pub tool: Option<&'a str>,
}

impl Place<'_> {
    /// A text sent to this service.
    pub const REQUEST: Self =
        Self { direction: Direction::Input, role: None, provider: &[], model: None, tool: None };
}

/// Returns the policies that apply at a position, in the engine's form, and the default action.
///
/// # Errors
/// `service_unavailable`; `internal_error` if a document cannot be read.
pub async fn at(
    host: &impl Host,
    workspace: &str,
    place: Place<'_>,
) -> Result<(Vec<Policy>, Option<Action>), ApiError> {
    let Policies(records) = Policies::of_workspace(host, workspace).await?;
    let configuration = Configuration::of(host, workspace).await?;
    Ok((applying(&records, place, &configuration.risk_levels), Some(configuration.default_action)))
}

/// Returns the action for findings without a policy.
///
/// The configured action applies to the input. Findings in a model's own text are only counted.
pub(crate) fn default_action(direction: Direction, configured: Action) -> Action {
    match direction {
        Direction::Input => configured,
        Direction::Output => Action::Flag,
    }
}

/// Returns the policies of `records` that can apply at a position.
pub fn applying(
    records: &[PolicyRecord],
    place: Place<'_>,
    risk_levels: &BTreeMap<String, RiskLevel>,
) -> Vec<Policy> {
    let policies = records.iter().filter_map(|record| {
        let here = record.conditions.iter().filter(|condition| condition.holds_at(place));
        let conditions: Vec<_> = here.filter_map(|condition| condition.about_findings(risk_levels)).collect();
        // a policy without conditions applies to every finding of the input
        let applies = if record.conditions.is_empty() {
            place.direction == Direction::Input
        } else {
            !conditions.is_empty()
        };
        applies.then(|| Policy {
            name: record.name.clone(),
            priority: record.priority,
            action: record.action,
            conditions,
            is_default: record.is_default,
        })
    });
    policies.collect()
}

/// Whether a value is restored in an argument of a tool, by the policies with `restore`; `None` if none
/// applies.
///
/// The highest priority decides; among equal ones, a policy that forbids it. `place` is that of the argument,
/// with the role of the text that contained the value. A condition's direction and `min_count` are ignored.
pub(crate) fn restores(
    records: &[PolicyRecord],
    place: Place<'_>,
    entity: &Entity,
    risk_levels: &BTreeMap<String, RiskLevel>,
) -> Option<bool> {
    const YES: Action = Action::Allow;
    const NO: Action = Action::Redact;
    let policies = records.iter().filter_map(|record| {
        let action = if record.restore? { YES } else { NO };
        let here = record.conditions.iter().filter(|condition| condition.holds_beside_direction(place));
        let of_findings = here.filter_map(|condition| condition.about_findings(risk_levels));
        let conditions: Vec<_> =
            of_findings.map(|condition| Condition { min_count: None, ..condition }).collect();
        let applies = record.conditions.is_empty() || !conditions.is_empty();
        let (name, priority, is_default) = (record.name.clone(), record.priority, record.is_default);
        applies.then_some(Policy { name, priority, action, conditions, is_default })
    });
    let policies: Vec<_> = policies.collect();
    if policies.is_empty() {
        return None;
    }
    // unreadable policies forbid restoring
    let decided =
        Decider::new(policies, Some(YES)).and_then(|decider| decider.decide(vec![entity.clone()], None));
    let Ok([decided]) = decided.as_deref() else { return Some(false) };
    decided.policy.as_ref().map(|_| decided.action == Some(YES))
}

impl PolicyCondition {
    /// Whether a text of this direction meets the condition.
    ///
    /// A condition must name the output to apply to a model's own text.
    fn holds_for(&self, direction: Direction) -> bool {
        match direction {
            Direction::Input => self.direction != Some(Direction::Output),
            Direction::Output => self.direction == Some(Direction::Output),
        }
    }

    fn holds_at(&self, place: Place<'_>) -> bool {
        self.holds_for(place.direction) && self.holds_beside_direction(place)
    }

    fn holds_beside_direction(&self, place: Place<'_>) -> bool {
        let model_is = |patterns: &Vec<String>| {
            place.model.is_some_and(|model| patterns.iter().any(|pattern| glob(pattern, model)))
        };
        let names = |known: &Vec<String>, name: &str| known.iter().any(|one| one.eq_ignore_ascii_case(name));
        self.roles.as_ref().is_none_or(|roles| place.role.is_some_and(|role| names(roles, role)))
            && (self.providers.as_ref())
                .is_none_or(|known| place.provider.iter().any(|provider| names(known, provider)))
            && self.models.as_ref().is_none_or(model_is)
            && self.tools.as_ref().is_none_or(|tools| place.tool.is_some_and(|tool| names(tools, tool)))
    }

    /// Returns the rest of the condition, in the engine's form; `None` if no finding can meet it.
    fn about_findings(&self, risk_levels: &BTreeMap<String, RiskLevel>) -> Option<Condition> {
        let mut entity_types = self.entity_types.clone();
        let mut exclude_entity_types = self.exclude_entity_types.clone();
        if let Some(least) = self.risk_level_min {
            if RiskLevel::Medium >= least {
                let below = risk_levels.iter().filter(|(_, level)| **level < least);
                exclude_entity_types.extend(below.map(|(kind, _)| kind.clone()));
            } else {
                let mut risky: Vec<String> = risk_levels
                    .iter()
                    .filter(|(_, level)| **level >= least)
                    .map(|(kind, _)| kind.clone())
                    .collect();
                if let Some(types) = entity_types {
                    risky.retain(|kind| types.iter().any(|wanted| is_same_type(wanted, kind)));
                }
                if risky.is_empty() {
                    return None;
                }
                entity_types = Some(risky);
            }
        }
        Some(Condition {
            confidence_min: self.confidence_min,
            entity_types,
            exclude_entity_types,
            countries: self.countries.clone(),
            categories: self.categories.clone(),
            validated: self.validated,
            min_count: self.min_count,
        })
    }
}

/// Whether `pattern`, in which `*` matches any text, matches the whole of `name`.
fn glob(pattern: &str, name: &str) -> bool {
    let mut pieces = pattern.split('*');
    let Some(rest) = pieces.next().and_then(|first| name.strip_prefix(first)) else { return false };
    let Some(last) = pieces.next_back() else { return rest.is_empty() };
    let Some(mut rest) = rest.strip_suffix(last) else { return false };
    for piece in pieces {
        let Some((_, after)) = rest.split_once(piece) else { return false };
        rest = after;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_anything() {
        for (pattern, name, want) in [
            ("gpt-4o", "gpt-4o", true),
            ("gpt-4o", "gpt-4o-mini", false),
            ("gpt-4*", "gpt-4o-mini", true),
            ("*", "", true),
            ("*mini", "gpt-4o-mini", true),
            ("gpt*o*mini", "gpt-4o-mini", true),
            ("gpt*o*mini", "gpt-4-mini", false),
            ("a*a", "a", false),
            ("", "", true),
            ("", "a", false),
        ] {
            assert_eq!(glob(pattern, name), want, "{pattern} on {name}");
        }
    }

    fn record(conditions: serde_json::Value) -> PolicyRecord {
        PolicyRecord {
            id: String::new(),
            name: "p".to_owned(),
            description: String::new(),
            priority: 0,
            action: Action::Mask,
            conditions: serde_json::from_value(conditions).expect("conditions"),
            is_default: false,
            restore: None,
            workspace_id: "w".to_owned(),
            created_at: String::new(),
            updated_at: String::new(),
        }
    }

    #[test]
    fn a_policy_applies_where_one_of_its_conditions_can_hold() {
        let chat = Place {
            direction: Direction::Input,
            role: Some("user"),
            provider: &["id-1", "openai"],
            model: Some("gpt-4o"),
            tool: None,
        };
        for (conditions, at_request, in_chat) in [
            (serde_json::json!([]), true, true),
            (serde_json::json!([{ "direction": "input" }]), true, true),
            (serde_json::json!([{ "direction": "output" }]), false, false),
            (serde_json::json!([{ "direction": "output" }, { "validated": true }]), true, true),
            (serde_json::json!([{ "roles": ["user", "tool"] }]), false, true),
            (serde_json::json!([{ "roles": ["tool"] }]), false, false),
            (serde_json::json!([{ "providers": ["OpenAI"] }]), false, true),
            (serde_json::json!([{ "providers": ["id-1"], "models": ["gpt-*"] }]), false, true),
            (serde_json::json!([{ "providers": ["id-1"], "models": ["claude-*"] }]), false, false),
            (serde_json::json!([{ "risk_level_min": "CRITICAL" }]), false, false),
        ] {
            let record = [record(conditions.clone())];
            let applies = |place| !applying(&record, place, &BTreeMap::new()).is_empty();
            assert_eq!((applies(Place::REQUEST), applies(chat)), (at_request, in_chat), "{conditions}");
        }
    }

    #[test]
    fn only_a_condition_that_names_the_output_decides_about_it() {
        let answer = Place { direction: Direction::Output, role: Some("assistant"), ..Place::REQUEST };
        for (conditions, want) in [
            (serde_json::json!([]), 0),
            (serde_json::json!([{ "validated": true }]), 0),
            (serde_json::json!([{ "direction": "input" }]), 0),
            (serde_json::json!([{ "roles": ["assistant"] }]), 0),
            (serde_json::json!([{ "direction": "output" }]), 1),
            (serde_json::json!([{ "direction": "output" }, { "validated": true }]), 1),
            (serde_json::json!([{ "direction": "output", "roles": ["user"] }]), 0),
        ] {
            let policies = applying(&[record(conditions.clone())], answer, &BTreeMap::new());
            let held: usize = policies.iter().map(|policy| policy.conditions.len()).sum();
            assert_eq!(held, want, "{conditions}");
        }
        assert_eq!(default_action(Direction::Output, Action::Block), Action::Flag);
        assert_eq!(default_action(Direction::Input, Action::Block), Action::Block);
    }

    #[test]
    fn risk_becomes_types() {
        let levels = BTreeMap::from([
            ("EMAIL".to_owned(), RiskLevel::Low),
            ("CREDIT_CARD".to_owned(), RiskLevel::Critical),
        ]);
        for (least, types, want_types, want_excluded) in [
            ("LOW", None, None, vec![]),
            ("MEDIUM", None, None, vec!["EMAIL"]),
            ("HIGH", None, Some(vec!["CREDIT_CARD"]), vec![]),
            ("HIGH", Some(vec!["credit_card", "iban"]), Some(vec!["CREDIT_CARD"]), vec![]),
        ] {
            let condition = serde_json::json!([{ "risk_level_min": least, "entity_types": types }]);
            let policies = applying(&[record(condition)], Place::REQUEST, &levels);
            let got = &policies[0].conditions[0];
            let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(got.entity_types, want_types.map(owned), "{least}");
            assert_eq!(got.exclude_entity_types, owned(want_excluded), "{least}");
        }
    }
}
