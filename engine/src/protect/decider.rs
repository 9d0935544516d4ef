//! Decisions by policy on findings, without a text.

use super::{Keyring, Protector};
use crate::{
    api::{
        answer::Protected,
        entity::Entity,
        error::Error,
        options::{Action, DetectOptions, Mode, Policy, ProtectOptions},
    },
    detect::plan::Plan,
};

/// Decides by policy what happens to findings: mode `policy` of [`crate::protect()`].
pub struct Decider(Protector);

impl Decider {
    /// Creates a decider; the policies may be in any order.
    ///
    /// # Errors
    /// As [`crate::protect()`] for its policies.
    pub fn new(policies: Vec<Policy>, default_action: Option<Action>) -> Result<Self, Error> {
        let options =
            ProtectOptions { mode: Mode::Policy, policies, default_action, ..ProtectOptions::default() };
        Protector::new(&options, &Plan::new(&DetectOptions::default())?, None).map(Self)
    }

    /// Decides on the findings of one text.
    ///
    /// # Errors
    /// `policy_violation` if a policy blocks; `key` if a policy needs a key and `keys` is `None`.
    pub fn decide(&self, entities: Vec<Entity>, keys: Option<&Keyring>) -> Result<Vec<Protected>, Error> {
        self.0.replace(entities, keys)
    }
}

/// Names of policies are the caller's.
impl std::fmt::Debug for Decider {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Decider").finish_non_exhaustive()
    }
}
