//! Detection and decisions for many texts that belong together, such as the strings of a conversation.
//!
//! Evidence for a country in one text applies to the texts after it, never to those before it, so decisions
//! about earlier texts stay the same when a conversation grows.

use crate::{
    api::{entity::Entity, error::Error},
    country::context::{Belief, Context},
    detect,
    evidence::labels::OpenList,
    phrase::work::Work,
    verbs::{Finder, finder::within_budget},
};

impl Finder {
    /// Finds personal data in `text` from byte `from` on.
    ///
    /// The text before `from` is read for labels only. Evidence for countries in the text is added to
    /// `context`, and steps to `work`: texts that share it share the budget of the caller's own detectors and lists.
    ///
    /// # Errors
    /// `budget_exceeded` if they take too long on the texts so far.
    ///
    /// # Examples
    /// ```
    /// use textveil_engine::{Context, DetectOptions, Finder, Work};
    ///
    /// let finder = Finder::new(&DetectOptions::default())?;
    /// let (label, mut context) = ("passport number: ", Context::default());
    /// let found = finder.find("passport number: C01234567", label.len(), &mut context, &Work::default())?;
    /// assert_eq!(found[0].original, "C01234567");
    /// # Ok::<(), textveil_engine::Error>(())
    /// ```
    pub fn find(
        &self,
        text: &str,
        from: usize,
        context: &mut Context,
        work: &Work,
    ) -> Result<Vec<Entity>, Error> {
        self.set_budget(work);
        let mut list = OpenList::default();
        let found = detect::follow(text, from, from > 0, self.plan(), context.clues(), &mut list, work);
        within_budget(work).map(|()| found)
    }

    /// Returns the belief of a context.
    ///
    /// It is the default if the options name a country.
    ///
    /// # Examples
    /// ```
    /// use textveil_engine::{Belief, Context, DetectOptions, Finder, Work};
    ///
    /// let finder = Finder::new(&DetectOptions::default())?;
    /// let mut context = Context::default();
    /// assert_eq!(finder.belief(&context), Belief::default());
    /// finder.find("My PESEL is 44051401359", 0, &mut context, &Work::default())?;
    /// assert_ne!(finder.belief(&context), Belief::default());
    /// # Ok::<(), textveil_engine::Error>(())
    /// ```
    pub fn belief(&self, context: &Context) -> Belief {
        match self.plan().country {
            Some(_) => Belief::default(),
            None => context.belief(self.plan().language.as_deref()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Action, Decider, DetectOptions};

    #[test]
    fn a_text_has_any_length_and_a_label_before_it() {
        let finder = Finder::new(&DetectOptions::default()).unwrap();
        let mut context = Context::default();
        let long = format!("{}jan.novak@example.cz", "some words ".repeat(10_000));
        assert_eq!(finder.find(&long, 0, &mut context, &Work::default()).unwrap().len(), 1);
        let label = "passport number: ";
        let text = format!("{label}C01234567");
        assert_eq!(finder.find("C01234567", 0, &mut context, &Work::default()).unwrap().len(), 0);
        let found = finder.find(&text, label.len(), &mut context, &Work::default()).unwrap();
        assert_eq!(found.iter().map(|entity| entity.original.as_str()).collect::<Vec<_>>(), ["C01234567"]);
    }

    #[test]
    fn a_name_told_once_is_known_in_the_rest_of_a_conversation() {
        let finder = Finder::new(&DetectOptions::default()).unwrap();
        let mut context = Context::default();
        let mut names = |text: &str| -> Vec<String> {
            let found = finder.find(text, 0, &mut context, &Work::default()).unwrap().into_iter();
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
            finder.find(text, 0, &mut context, &Work::default()).unwrap();
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
            let decided = decider.decide(
                finder.find("jan.novak@example.cz", 0, &mut Context::default(), &Work::default()).unwrap(),
                None,
            );
            let replacement = decided.map(|all| all[0].replacement.clone());
            assert_eq!(replacement.as_deref().ok(), want, "{action:?}");
        }
    }
}
