//! Tries policies on texts: what they would decide, with nothing stored and nothing sent.

use std::collections::BTreeMap;

use serde::Serialize;
use textveil_engine::{
    Action, DetectOptions, Keyring, Mode, Policy, ProtectOptions, Protection, protect_batch,
    wire::{ProtectResponse, ProtectedEntity},
};

use crate::{
    chat::{placeholder::Placeholders, protect::replacement},
    error::ApiError,
    log::Counts,
    order,
};

/// What was decided about one text.
pub(crate) struct Decision {
    /// The strictest of what was decided; `ALLOW` where nothing was found.
    pub decision: Action,
    /// The text as the model would see it, as if it were not blocked.
    pub text: String,
    /// What was found, with what was decided about it.
    pub entities: Vec<ProtectedEntity>,
    /// What was found, for the log.
    pub counts: Counts,
}

/// Policies in the order in which they decide, in the engine's terms except for one: the engine refuses a text
/// that is blocked and tells no more, so blocking is told to it as redacting and put back afterwards.
pub(crate) struct Trial {
    options: ProtectOptions,
    /// Names and actions, by the names that the engine has for them.
    decided: BTreeMap<String, (String, Action)>,
    default_action: Action,
}

impl Trial {
    /// Of policies that apply in one place, and of what to do where none decides.
    pub(crate) fn new(mut policies: Vec<Policy>, default_action: Action) -> Self {
        // the engine's order, in which the action breaks ties: it is settled before the actions change
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

    /// Decides about each of 1 to 50 texts. What is masked becomes one of the `placeholders`, as the model sees it.
    ///
    /// # Errors
    /// `invalid_request` naming an option; `internal_error` where a key is unusable.
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

/// A finding and what was decided about it.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct TestedEntity {
    /// The message that it is in, from 0; absent for a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<usize>,
    /// The part of the message that it is in, from 0; absent where the message has no parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<usize>,
    #[serde(flatten)]
    pub entity: ProtectedEntity,
}
