//! Words that are written together with the name behind them: `and` of Hebrew, `by` of Zulu.

use textveil_phrase::case::is_upper;

include!(concat!(env!("OUT_DIR"), "/proclitics.rs"));

/// Returns the lengths of the proclitics that a word begins with, in bytes, the shortest first.
pub(crate) fn of(word: &str) -> impl Iterator<Item = usize> {
    PROCLITICS.iter().filter(|proclitic| word.starts_with(**proclitic)).map(|proclitic| proclitic.len())
}

/// Returns where the name behind a proclitic begins, in bytes, as its capital tells: `noBongani`.
pub(crate) fn before_capital(word: &str) -> Option<usize> {
    let (at, _) = word.char_indices().find(|(_, letter)| is_upper(*letter))?;
    let mut rest = word.get(at..)?.chars().skip(1).peekable();
    let is_name = rest.peek().is_some() && !rest.any(is_upper);
    (is_name && of(word).any(|len| len == at)).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_capital_tells_where_the_name_behind_a_proclitic_begins() {
        for (word, want) in [
            ("uThandeka", Some("Thandeka")),
            ("noBongani", Some("Bongani")),
            ("nguÁdám", Some("Ádám")),
            ("iPhone", None),
            ("uTV", None),
            ("uThandekaMkhize", None),
            ("uT", None),
            ("Uthando", None),
            ("ubuntu", None),
        ] {
            assert_eq!(before_capital(word).and_then(|at| word.get(at..)), want, "{word}");
        }
    }
}
