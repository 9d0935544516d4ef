//! Detection and decisions for many texts that belong together, such as the strings of a conversation.
//!
//! What one text says about its country counts for those after it, and never for those before: so a
//! conversation that grows is decided about as it was when it was shorter.

use std::mem;

use crate::{
    detect,
    entity::{Country, Entity},
    error::Error,
    finder::Finder,
    infer::Hints,
    options::{Action, DetectOptions, Mode, Policy, ProtectOptions},
    phrase::work::Work,
    plan::Plan,
    protect::{Keyring, Protected, Protector},
};

/// What the texts before have said about their country, and the names that they told.
#[derive(Clone, Default)]
pub struct Context(Hints);

impl Context {
    /// Takes the names that are told in `other`, which gets those of this one.
    pub fn swap_names(&mut self, other: &mut Self) {
        mem::swap(&mut self.0.names, &mut other.0.names);
    }
}

/// What was found stays out.
impl std::fmt::Debug for Context {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Context").finish_non_exhaustive()
    }
}

/// The country that a [`Context`] speaks of, and about how surely. By two contexts of which this is the same, a text
/// is read alike but for what is on the edge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Belief(Option<(Country, u8)>);

impl Finder {
    /// What is found in `text` from the byte `from` on. What stands before it is read for its labels
    /// alone; nothing is found that begins there. What the text says of its country is added to `context`.
    pub fn find(&self, text: &str, from: usize, context: &mut Context) -> Vec<Entity> {
        detect::follow(text, from, from > 0, self.plan(), &mut context.0, &Work::default())
    }

    /// What a context makes the texts behind it believe. The same for all where the options name the country.
    pub fn belief(&self, context: &Context) -> Belief {
        match self.plan().country {
            Some(_) => Belief::default(),
            None => Belief(context.0.belief(self.plan().language.as_deref())),
        }
    }
}

/// Decides by policy what happens to findings: mode `policy` of [`crate::protect()`].
pub struct Decider(Protector);

impl Decider {
    /// A decider with these policies, in any order.
    ///
    /// # Errors
    /// As [`crate::protect()`] for its policies.
    pub fn new(policies: Vec<Policy>, default_action: Option<Action>) -> Result<Self, Error> {
        let options =
            ProtectOptions { mode: Mode::Policy, policies, default_action, ..ProtectOptions::default() };
        Protector::new(&options, &Plan::new(&DetectOptions::default())?, None).map(Self)
    }

    /// Decides about the findings of one text.
    ///
    /// # Errors
    /// `policy_violation` where a policy blocks; `key` where a policy needs one and there is none.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_any_length_and_a_label_before_it() {
        let finder = Finder::new(&DetectOptions::default()).unwrap();
        let mut context = Context::default();
        let long = format!("{}jan.novak@example.cz", "some words ".repeat(10_000));
        assert_eq!(finder.find(&long, 0, &mut context).len(), 1);
        let label = "passport number: ";
        let text = format!("{label}C01234567");
        assert_eq!(finder.find("C01234567", 0, &mut context).len(), 0);
        let found = finder.find(&text, label.len(), &mut context);
        assert_eq!(found.iter().map(|entity| entity.original.as_str()).collect::<Vec<_>>(), ["C01234567"]);
    }

    #[test]
    fn a_name_told_once_is_known_in_the_rest_of_a_conversation() {
        let finder = Finder::new(&DetectOptions::default()).unwrap();
        let mut context = Context::default();
        let mut names = |text: &str| -> Vec<String> {
            let found = finder.find(text, 0, &mut context).into_iter();
            found.filter(|entity| entity.kind == "name").map(|entity| entity.original).collect()
        };
        let later = "yesterday okuloski wrote that Okuloski would call";
        assert_eq!(names(later), Vec::<String>::new());
        assert_eq!(names("Patient: Vendra Okuloski"), ["Vendra Okuloski"]);
        assert_eq!(names(later), ["Okuloski"]);
    }

    #[test]
    fn a_belief_changes_with_the_country_only() {
        let finder = Finder::new(&DetectOptions::default()).unwrap();
        let mut context = Context::default();
        let mut after = |text: &str| {
            finder.find(text, 0, &mut context);
            finder.belief(&context)
        };
        assert_eq!(after("12 eggs"), Belief::default());
        let polish = after("My PESEL is 44051401359");
        assert_ne!(polish, Belief::default());
        assert_eq!(after("and 12 eggs"), polish);
        assert_ne!(
            after("IBAN DE89 3704 0044 0532 0130 00, tel. +49 30 901820, USt-IdNr. DE136695976"),
            polish
        );
        let given = DetectOptions { country: Some("PL".to_owned()), ..DetectOptions::default() };
        assert_eq!(Finder::new(&given).unwrap().belief(&context), Belief::default());
    }

    #[test]
    fn decisions_are_those_of_mode_policy() {
        let finder = Finder::new(&DetectOptions::default()).unwrap();
        for (action, want) in [
            (Action::Allow, Some("jan.novak@example.cz")),
            (Action::Mask, Some("********************")),
            (Action::Block, None),
        ] {
            let decider = Decider::new(Vec::new(), Some(action)).unwrap();
            let decided =
                decider.decide(finder.find("jan.novak@example.cz", 0, &mut Context::default()), None);
            let replacement = decided.map(|all| all[0].replacement.clone());
            assert_eq!(replacement.as_deref().ok(), want, "{action:?}");
        }
    }
}
