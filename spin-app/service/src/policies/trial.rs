//! Tests policies on texts, without storing or sending anything.

use std::collections::BTreeMap;

use serde::Serialize;
use textveil_engine::{
    Action, DetectOptions, Keyring, Mode, Policy, ProtectOptions, Protection, protect_batch,
    wire::{ProtectResponse, ProtectedEntity},
};

use crate::{
    chat::{placeholder::Placeholders, protect::replacement},
    error::ApiError,
    order,
    types::Counts,
};

/// The decisions on one text.
pub(crate) struct Decision {
    /// The strictest action; `ALLOW` without findings.
    pub decision: Action,
    /// The text as sent to the model, as if it were not blocked.
    pub text: String,
    /// The findings, with their decisions.
    pub entities: Vec<ProtectedEntity>,
    /// The counts of findings, for the log.
    pub counts: Counts,
}

/// Policies in the order in which they are tried, converted for the engine.
///
/// The engine rejects a blocked text without details, so the action block is replaced by redact before, and
/// restored in the result.
pub(crate) struct Trial {
    options: ProtectOptions,
    /// The original names and actions, by the names in the engine.
    decided: BTreeMap<String, (String, Action)>,
    default_action: Action,
}

impl Trial {
    /// Creates a trial of the policies that apply at one position, and a default action.
    pub(crate) fn new(mut policies: Vec<Policy>, default_action: Action) -> Self {
        // sorts as the engine does before the actions change, because the action breaks ties
        order::sort_by(&mut policies, |a, b| b.priority.cmp(&a.priority).then(b.action.cmp(&a.action)));
        let mut decided = BTreeMap::new();
        for (policy, rank) in policies.iter_mut().zip(0_i64..) {
            let name = std::mem::replace(&mut policy.name, rank.to_string());
            decided.insert(policy.name.clone(), (name, policy.action));
            policy.priority = -rank;
            policy.action = unblocked(policy.action);
        }
        let options = ProtectOptions {
            mode: Mode::Policy,
            policies,
            default_action: Some(unblocked(default_action)),
            ..ProtectOptions::default()
        };
        Self { options, decided, default_action }
    }

    /// Decides on each of 1 to 50 texts. Masked findings become `placeholders`, as in a request to a model.
    ///
    /// # Errors
    /// `invalid_request` naming an option; `internal_error` if a key is unusable.
    pub(crate) fn run(
        &self,
        texts: &[&str],
        detection: &DetectOptions,
        keys: &Keyring,
        placeholders: &mut Placeholders,
    ) -> Result<Vec<Decision>, ApiError> {
        let protections = protect_batch(texts, detection, &self.options, Some(keys))?;
        let verdicts = texts.iter().zip(protections);
        verdicts.map(|(text, protection)| self.verdict(text, protection, placeholders)).collect()
    }

    fn verdict(
        &self,
        text: &str,
        mut protection: Protection,
        placeholders: &mut Placeholders,
    ) -> Result<Decision, ApiError> {
        let mut counts = Counts::default();
        let mut decision = Action::Allow;
        let (mut shown, mut read) = (String::with_capacity(text.len()), 0);
        for protected in &mut protection.entities {
            counts.add(&protected.entity);
            let by = protected.policy.take().and_then(|rank| self.decided.get(&rank));
            let action = by.map_or(self.default_action, |(_, action)| *action);
            protected.policy = by.map(|(name, _)| name.clone());
            protected.action = Some(action);
            decision = decision.max(action);
            protected.replacement = replacement(protected, placeholders)?;
            let span = &protected.entity.bytes;
            shown.push_str(text.get(read..span.start).unwrap_or_default());
            shown.push_str(&protected.replacement);
            read = span.end;
        }
        shown.push_str(text.get(read..).unwrap_or_default());
        let entities = ProtectResponse::new(text, protection, 0.0).entities;
        Ok(Decision { decision, text: shown, entities, counts })
    }
}

fn unblocked(action: Action) -> Action {
    if action == Action::Block { Action::Redact } else { action }
}

/// A finding with its decision.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct TestedEntity {
    /// The index of its message; absent for a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<usize>,
    /// The index of its part in the message; absent if the message has no parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<usize>,
    #[serde(flatten)]
    pub entity: ProtectedEntity,
}
