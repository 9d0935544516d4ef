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
///
/// # Examples
/// ```
/// use textveil_engine::{Action, Decider, DetectOptions, Policy, detect};
///
/// let policy = Policy {
///     name: "mask everything".to_owned(),
///     priority: 1,
///     action: Action::Mask,
///     conditions: Vec::new(),
///     is_default: false,
/// };
/// let decider = Decider::new(vec![policy], Some(Action::Allow))?;
/// let found = detect("PESEL 44051401359", &DetectOptions::default())?.entities;
/// assert_eq!(decider.decide(found, None)?[0].policy.as_deref(), Some("mask everything"));
/// # Ok::<(), textveil_engine::Error>(())
/// ```
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
