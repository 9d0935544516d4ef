//! Trying policies on texts: what they would decide, with nothing stored and nothing sent.

use std::collections::BTreeMap;

use serde::Serialize;
use textveil_engine::{
    Action, DetectOptions, Keyring, Mode, Policy, ProtectOptions, Protection, protect_batch,
    wire::{ProtectResponse, ProtectedEntity},
};

use crate::{error::ApiError, log::Counts, order};

/// What was decided about one text.
pub(crate) struct Verdict {
    /// The strictest of what was decided; `ALLOW` where nothing was found.
    pub decision: Action,
    /// The text with what was decided done, as if it were not blocked.
    pub text: String,
    /// What was found, with what was decided about it.
    pub entities: Vec<ProtectedEntity>,
    /// What was found, for the log.
    pub counts: Counts,
}

/// Policies in the order in which they decide, in the engine's terms but for one: the engine refuses a text
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

    /// What they decide about each of 1 to 50 texts.
    ///
    /// # Errors
    /// `invalid_request` naming an option.
    pub(crate) fn run(
        &self,
        texts: &[&str],
        detection: &DetectOptions,
        keys: &Keyring,
    ) -> Result<Vec<Verdict>, ApiError> {
        let protections = protect_batch(texts, detection, &self.options, Some(keys))?;
        let verdicts = texts.iter().zip(protections).map(|(text, protection)| self.verdict(text, protection));
        Ok(verdicts.collect())
    }

    fn verdict(&self, text: &str, protection: Protection) -> Verdict {
        let mut counts = Counts::default();
        protection.entities.iter().for_each(|protected| counts.add(&protected.entity));
        let response = ProtectResponse::new(text, protection, 0.0);
        let mut decision = Action::Allow;
        let mut entities = response.entities;
        for entity in &mut entities {
            let by = entity.policy.take().and_then(|rank| self.decided.get(&rank));
            let action = by.map_or(self.default_action, |(_, action)| *action);
            entity.policy = by.map(|(name, _)| name.clone());
            entity.action = Some(action);
            decision = decision.max(action);
        }
        Verdict { decision, text: response.protected_text, entities, counts }
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
