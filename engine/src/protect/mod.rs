//! Protecting findings, and restoring tokens.

mod decider;
mod enclosed;
mod given;
mod keys;
mod marked;
mod policy;
mod stream;

use std::{borrow::Cow, collections::BTreeMap};

pub use decider::Decider;
pub use keys::{Keyring, Piece, read_tokens, restore, restore_observed};
pub use stream::Stream;

use crate::{
    api::{
        answer::{Detection, GivenFinding, Protected, Protection},
        entity::{Entity, TypeCounts},
        error::Error,
        options::{Action, Mode, Operator, ProtectOptions},
    },
    detect::{
        self,
        plan::{self, Plan},
    },
    phrase::work::{Stage, Work},
};

/// The default replacement of mode `replace`.
const REDACTED: &str = "[REDACTED]";

/// The text from `from` on with every replacement in its place.
pub(crate) fn rewrite(text: &str, entities: &[Protected], from: usize) -> String {
    let mut out = String::with_capacity(text.len());
    let mut read = from;
    for protected in entities {
        let span = protected.entity.bytes;
        out.push_str(text.get(read..span.start).unwrap_or_default());
        out.push_str(&protected.replacement);
        read = span.end;
    }
    out.push_str(text.get(read..).unwrap_or_default());
    out
}

/// The options of protection, checked once.
pub(crate) struct Protector {
    mode: Mode,
    operators: BTreeMap<String, Operator>,
    policies: Vec<policy::CompiledPolicy>,
    default_action: Action,
}

impl Protector {
    /// # Errors
    /// `invalid_request` naming the option at fault, or `key`.
    pub fn new(options: &ProtectOptions, plan: &Plan, keys: Option<&Keyring>) -> Result<Self, Error> {
        let mut operators = BTreeMap::new();
        for (name, operator) in &options.operators {
            if operator.mode == Mode::Policy {
                return Err(Error::invalid(
                    "operators",
                    "must have the mode replace, mask, hash or tokenize",
                ));
            }
            let own = name.trim().to_ascii_lowercase();
            let kinds: Vec<String> = plan::resolve(&own).map(str::to_owned).collect();
            if kinds.is_empty() && !plan.customs.names(&own) {
                return Err(plan::not_a_type("operators", "names", &own));
            }
            operators.extend(kinds.into_iter().chain([own]).map(|kind| (kind, operator.clone())));
        }
        let protector = Self {
            mode: options.mode,
            operators,
            policies: policy::compile(&options.policies)?,
            default_action: options.default_action.unwrap_or(Action::Mask),
        };
        let keyed = |mode: Mode| matches!(mode, Mode::Hash | Mode::Tokenize);
        if keyed(options.mode) || options.operators.values().any(|operator| keyed(operator.mode)) {
            required(keys)?;
        }
        Ok(protector)
    }

    /// Finds personal data in a text and replaces it.
    pub(crate) fn protect(
        &self,
        text: &str,
        plan: &Plan,
        keys: Option<&Keyring>,
        work: &Work,
    ) -> Result<Protection, Error> {
        self.replaced(text, detect::hinted(text, plan, work)?, keys, work)
    }

    /// Replaces the entities of a text.
    pub(crate) fn replaced(
        &self,
        text: &str,
        found: Detection,
        keys: Option<&Keyring>,
        work: &Work,
    ) -> Result<Protection, Error> {
        let policies = if self.mode == Mode::Policy { self.policies.len() } else { 0 };
        work.add(Stage::Protect, text.len() / 8 + found.entities.len() * (1 + policies));
        let entities = self.replace_in(text, found.entities, keys)?;
        Ok(Protection {
            text: rewrite(text, &entities, 0),
            entities,
            countries: found.countries,
            mode: self.mode,
        })
    }

    /// Replaces the findings that the caller gives.
    pub(crate) fn apply(
        &self,
        text: &str,
        findings: &[GivenFinding],
        plan: &Plan,
        keys: Option<&Keyring>,
    ) -> Result<Protection, Error> {
        let entities = self.replace_in(text, given::entities(text, findings, plan)?, keys)?;
        Ok(Protection { text: rewrite(text, &entities, 0), entities, countries: Vec::new(), mode: self.mode })
    }

    /// Decides on every finding of a text, and escapes replacements for the strings around them.
    ///
    /// # Errors
    /// As [`Self::replace`].
    pub fn replace_in(
        &self,
        text: &str,
        entities: Vec<Entity>,
        keys: Option<&Keyring>,
    ) -> Result<Vec<Protected>, Error> {
        let mut replaced = self.replace(entities, keys)?;
        // a policy writes nothing of the caller's
        for found in replaced.iter_mut().filter(|_| self.mode != Mode::Policy) {
            if let Cow::Owned(written) = enclosed::written(text, found.entity.bytes.start, &found.replacement)
            {
                found.replacement = written;
            }
        }
        Ok(replaced)
    }

    /// Decides on every finding.
    ///
    /// # Errors
    /// `policy_violation` if a policy blocks; `key` if a policy needs a key and `keys` is `None`.
    pub fn replace(&self, entities: Vec<Entity>, keys: Option<&Keyring>) -> Result<Vec<Protected>, Error> {
        if self.mode == Mode::Policy {
            return self.by_policy(entities, keys);
        }
        let replaced = entities.into_iter().map(|entity| {
            let operator = self.operators.get(entity.kind.as_ref());
            let replacement = match operator {
                Some(operator) => apply(operator.mode, &entity, operator, keys)?,
                None => apply(self.mode, &entity, &Operator::default(), keys)?,
            };
            Ok(Protected { entity, replacement, action: None, policy: None })
        });
        replaced.collect()
    }

    fn by_policy(&self, entities: Vec<Entity>, keys: Option<&Keyring>) -> Result<Vec<Protected>, Error> {
        let counts = by_type(&entities);
        let decisions: Vec<(Action, Option<String>)> = entities
            .iter()
            .map(|entity| {
                let count = counts.get(entity.kind.as_ref()).copied().unwrap_or_default();
                policy::decide(&self.policies, entity, count)
                    .map_or((self.default_action, None), |rule| (rule.action, Some(rule.name.clone())))
            })
            .collect();
        let blocked = entities.iter().zip(&decisions).filter(|(_, (action, _))| *action == Action::Block);
        let blocked = by_type(blocked.map(|(entity, _)| entity));
        if !blocked.is_empty() {
            return Err(Error::policy_violation(blocked));
        }
        let replaced = entities.into_iter().zip(decisions).map(|(entity, (action, policy))| {
            let mode = match action {
                Action::Allow | Action::Flag | Action::Block => None,
                Action::Mask => Some(Mode::Mask),
                Action::Tokenize => Some(Mode::Tokenize),
                Action::Hash => Some(Mode::Hash),
                Action::Redact => Some(Mode::Replace),
            };
            let replacement = match mode {
                Some(mode) => apply(mode, &entity, &Operator::default(), keys)?,
                None => entity.original.clone(),
            };
            Ok(Protected { entity, replacement, action: Some(action), policy })
        });
        replaced.collect()
    }
}

/// Counts the findings of each type.
fn by_type<'e>(entities: impl IntoIterator<Item = &'e Entity>) -> TypeCounts {
    let mut counts = TypeCounts::new();
    count(entities, &mut counts);
    counts
}

/// Adds how many findings there are of each type.
pub(crate) fn count<'e>(entities: impl IntoIterator<Item = &'e Entity>, counts: &mut TypeCounts) {
    for entity in entities {
        *counts.entry(entity.kind.clone()).or_default() += 1;
    }
}

/// Returns the replacement of a finding.
fn apply(mode: Mode, entity: &Entity, operator: &Operator, keys: Option<&Keyring>) -> Result<String, Error> {
    Ok(match mode {
        Mode::Replace | Mode::Policy => operator.new_value.clone().unwrap_or_else(|| REDACTED.to_owned()),
        Mode::Mask => mask(&entity.original, operator),
        Mode::Hash => required(keys)?.hash(entity),
        Mode::Tokenize => required(keys)?.seal(entity)?,
    })
}

fn required(keys: Option<&Keyring>) -> Result<&Keyring, Error> {
    keys.ok_or_else(|| {
        Error::invalid("key", "is missing; hash and tokenize need a secret of at least 16 bytes")
    })
}

/// Replaces every character by the mask character, except the letters and digits kept at either end.
fn mask(original: &str, operator: &Operator) -> String {
    let character = operator.mask_char.unwrap_or('*');
    let countable = original.chars().filter(|letter| letter.is_alphanumeric()).count();
    // always masks something: an operator that would keep every letter and digit masks them all
    let kept = operator.keep_first.saturating_add(operator.keep_last);
    let (first, last) = if kept < countable { (operator.keep_first, operator.keep_last) } else { (0, 0) };
    let mut seen = 0;
    let masked = original.chars().map(|letter| {
        if !letter.is_alphanumeric() {
            return character;
        }
        seen += 1;
        if seen <= first || seen > countable - last { letter } else { character }
    });
    masked.collect()
}
