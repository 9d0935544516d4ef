//! Dates in words: the months, and the words between the day, the month and the year.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use textveil_phrase::{self as phrase, languages::Language};

use crate::write::Output;

/// The languages whose dates the engine reads itself; the module of names reads those of all.
const LANGUAGES: [&str; 10] = ["cs", "de", "en", "es", "fr", "it", "nl", "pl", "pt", "sk"];

impl Output {
    /// Writes the forms of each month, and the words within dates.
    pub(crate) fn dates(&mut self, languages: &BTreeMap<String, Language>) {
        let dates = LANGUAGES.map(|code| &languages[code].dates);
        let mut known = BTreeMap::new();
        let mut months: [Vec<&str>; 12] = Default::default();
        for (month, forms) in dates.iter().flat_map(|dates| dates.months.iter().enumerate()) {
            for form in forms.split('|') {
                let letters: String = phrase::letters(form).collect();
                match known.insert(letters, month) {
                    Some(other) => assert_eq!(other, month, "{form}: names two months"),
                    None => months[month].push(form),
                }
            }
        }
        let months = months.map(|forms| forms.join(" "));
        let between = dates.iter().flat_map(|dates| &dates.between).filter(|word| !word.contains(' '));
        let between: BTreeSet<String> = between.map(|word| format!("{word:?}")).collect();
        let between = between.into_iter().collect::<Vec<_>>().join(" | ");
        writeln!(
            self.text,
            "/// The forms of each month, from January on, separated by spaces.\n\
             pub(crate) const MONTHS: [&str; 12] = {months:?};\n\
             /// Whether a word is listed as one between the day, the month and the year.\n\
             pub(crate) fn is_within_dates(word: &str) -> bool {{ matches!(word, {between}) }}"
        )
        .unwrap();
    }
}
