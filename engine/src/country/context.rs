//! The evidence of the texts before: what a conversation says about countries and names.

use std::mem;

use super::infer::Clues;
use crate::api::entity::Country;

/// The evidence of the preceding texts: countries, known names, people.
#[derive(Clone, Default)]
pub struct Context(Clues);

impl Context {
    /// Returns the evidence, for a detection that adds to it.
    pub(crate) fn clues(&mut self) -> &mut Clues {
        &mut self.0
    }

    /// Returns the belief for texts in a language, if it is known.
    pub(crate) fn belief(&self, language: Option<&str>) -> Belief {
        Belief(self.0.belief(language))
    }

    /// Exchanges the known names and people with those of `other`.
    ///
    /// # Examples
    /// ```
    /// use textveil_engine::{Context, DetectOptions, Finder, Work};
    ///
    /// let (finder, work) = (Finder::new(&DetectOptions::default())?, Work::default());
    /// let (mut told, mut other) = (Context::default(), Context::default());
    /// finder.find("Patient: Vendra Okuloski", 0, &mut told, &work)?;
    /// other.swap_names(&mut told);
    /// let found = finder.find("yesterday Okuloski would call", 0, &mut other, &work)?;
    /// assert_eq!(found[0].original, "Okuloski");
    /// # Ok::<(), textveil_engine::Error>(())
    /// ```
    pub fn swap_names(&mut self, other: &mut Self) {
        mem::swap(&mut self.0.names, &mut other.0.names);
        mem::swap(&mut self.0.persons, &mut other.0.persons);
    }
}

/// Omits the content: it may be personal data.
impl std::fmt::Debug for Context {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Context").finish_non_exhaustive()
    }
}

/// A context's most likely country with its confidence, rounded down to quarters.
///
/// Two contexts with equal beliefs yield the same findings, except for candidates close to a threshold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Belief(Option<(Country, u8)>);
