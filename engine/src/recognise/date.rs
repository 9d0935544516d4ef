//! Dates with the month in words: `12 May 1980`, `14. února 1975`, `May 14, 1980`, `le 3 mars 1990`.
//!
//! Dates in languages other than those of `build/dates.rs` are found with the names of people.

use std::sync::OnceLock;

use textveil_weights::prior as weights;

use super::{
    scan::{Atom, Scanner},
    table::{Read, Recognise, WrittenValue},
};
use crate::{
    api::facts::{Date, Facts, Invalid},
    catalogue,
    evidence::candidate::{Candidate, Source, Verdict},
    lexicon,
    phrase::Phrase,
};

/// The digits of a year without its century.
const SHORT_YEAR: usize = 2;
/// Months in Roman numerals: `3.IV.1978`.
const ROMAN: [&str; 12] = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"];
/// A leap year.
const LEAP_YEAR: u16 = 2_000;
/// The longest distance from the start of a date to its year, in bytes.
const MAX: usize = 32;

/// Returns the start and the day of the date in words that ends with the year at `year..end`, in bytes of the
/// text.
pub(crate) fn ending_with(text: &str, year: usize, end: usize) -> Option<(usize, Date)> {
    let number: u16 = text.get(year..end)?.parse().ok()?;
    let is_short = end - year == SHORT_YEAR;
    let mut from = year.saturating_sub(MAX);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let before = text.get(from..year)?;
    let mut back = Words { text: before }.filter(|(_, word)| !lexicon::is_within_dates(word));
    let first = back.next().filter(|(_, word)| month_or_day(word))?;
    let second = back.next().filter(|(_, word)| month_or_day(word))?;
    let (day, month) = match (day(second.1), day(first.1)) {
        (Some(day), None) => (day, month(first.1)?),
        (None, Some(day)) => (day, month(second.1)?),
        _ => return None,
    };
    let date = match u8::try_from(number) {
        Ok(year) if is_short => Date::recent(year, month, day)?,
        _ => Date::new(number, month, day)?,
    };
    Some((from + first.0.min(second.0), date))
}

/// Whether a text begins with a date in digits, year first: `2024-05-17`, `2024/5/17`, `2024.05.17`.
pub(crate) fn begins(text: &[u8]) -> bool {
    let [b'1' | b'2', b'0' | b'9', _, _, sign @ (b'-' | b'/' | b'.'), rest @ ..] = text else { return false };
    let Some((month, rest)) = two_digits(rest) else { return false };
    let Some((day, after)) = rest.strip_prefix(&[*sign]).and_then(two_digits) else { return false };
    let year = (text.starts_with(b"19") || text.starts_with(b"20"))
        && !after.first().is_some_and(u8::is_ascii_digit);
    year && Date::new(LEAP_YEAR, month, day).is_some()
}

/// Returns the number of one or two digits at the start of a text, and the rest.
fn two_digits(text: &[u8]) -> Option<(u8, &[u8])> {
    let value = |digit: &u8| digit.checked_sub(b'0').filter(|digit| *digit < 10);
    let (first, rest) = text.split_first()?;
    let first = value(first)?;
    Some(match rest.split_first().and_then(|(second, after)| Some((value(second)?, after))) {
        Some((second, after)) => (10 * first + second, after),
        None => (first, rest),
    })
}

/// The words of a text with their starts, from the last to the first.
struct Words<'t> {
    text: &'t str,
}

impl<'t> Iterator for Words<'t> {
    type Item = (usize, &'t str);

    fn next(&mut self) -> Option<Self::Item> {
        let trimmed = self.text.trim_end_matches(|letter: char| !letter.is_alphanumeric());
        let start = trimmed
            .rfind(|letter: char| !letter.is_alphanumeric() && !('\u{300}'..='\u{36f}').contains(&letter));
        let start = start.map_or(0, |at| {
            at + trimmed.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
        });
        let word = trimmed.get(start..).filter(|word| !word.is_empty())?;
        self.text = trimmed.get(..start)?;
        Some((start, word))
    }
}

/// Whether a word may be the name of a month or a day: letters, or one or two digits with a suffix.
fn month_or_day(word: &str) -> bool {
    !word.starts_with(|letter: char| letter.is_ascii_digit()) || day(word).is_some()
}

/// Returns the day of `14`, `14th` or `1er`.
fn day(word: &str) -> Option<u8> {
    let digits = word.trim_end_matches(|letter: char| letter.is_alphabetic());
    (word.len() - digits.len() <= 2).then(|| digits.parse().ok()).flatten()
}

fn month(word: &str) -> Option<u8> {
    /// The names as phrases, built on first use.
    static NAMES: OnceLock<Vec<(Phrase, u8)>> = OnceLock::new();
    let names = NAMES.get_or_init(|| {
        let rows = (1_u8..).zip(lexicon::MONTHS);
        let named = |(month, names): (u8, &'static str)| {
            names.split(' ').map(move |name| (Phrase::EMPTY.with(name), month))
        };
        rows.flat_map(named).collect()
    });
    if let Some((month, _)) = (1..).zip(ROMAN).find(|(_, roman)| *roman == word) {
        return Some(month);
    }
    let word = Phrase::EMPTY.with(word);
    names.iter().find(|(name, _)| *name == word).map(|(_, month)| *month)
}

/// Dates with the month in words.
pub(super) struct BirthDates;

impl Recognise for BirthDates {
    type State = ();

    #[inline]
    fn before_shapes(scanner: &mut Scanner<'_>, chain: &[Atom], first: usize) {
        let is_year = |word: &&Atom| word.digits && !word.letters && matches!(word.end - word.start, 2 | 4);
        if let Some(year) = chain.get(first).filter(is_year) {
            // the month is in letters
            let before = chain.get(first.saturating_sub(2)..first).unwrap_or_default();
            let are_digits = before.len() == 2 && before.iter().all(|word| word.digits && !word.letters);
            read(scanner, year, !are_digits);
        }
    }

    fn judge(value: &WrittenValue<'_>) -> Result<Read, Invalid> {
        let text = value.text;
        let year = text.len().checked_sub(4).ok_or(Invalid::Format)?;
        match ending_with(text, year, text.len()) {
            Some((0, born)) => {
                let facts = Facts { birth_date: Some(born), ..Facts::default() };
                Ok(Read::new(Verdict::Valid, facts, false))
            }
            _ => value.in_shapes(),
        }
    }
}

/// Reads a date with its month in words from its year.
fn read(scanner: &mut Scanner<'_>, year: &Atom, may_follow_month: bool) {
    let Some(&index) = catalogue::DATE.first() else { return };
    if year.end - year.start == SHORT_YEAR {
        // any number of two digits may be such a year
        scanner.out.labels.read(year.start, year.end);
        if !may_follow_month || !scanner.out.labels.uses.mention(index) {
            return;
        }
    } else if !may_follow_month
        || !matches!(scanner.bytes.get(year.start..year.start + 2), Some(b"19" | b"20"))
    {
        return;
    }
    if let Some((start, date)) = ending_with(scanner.text, year.start, year.end) {
        scanner.keep(Candidate {
            verdict: Verdict::Valid,
            facts: Facts { birth_date: Some(date), ..Facts::default() },
            shape: weights::DATE,
            needs_label: true,
            ..Candidate::new(Source::Catalogue(index), start, year.end)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_in_digits() {
        for (text, begins_so) in [
            ("2024-05-17 10:30", true),
            ("1999/5/7", true),
            ("2024.02.29.", true),
            ("2024-05/17", false),
            ("2024-13-17", false),
            ("2024-05-175", false),
            ("2101-05-17", false),
            ("2024-05", false),
        ] {
            assert_eq!(begins(text.as_bytes()), begins_so, "{text}");
        }
    }

    #[test]
    fn dates() {
        for (text, want) in [
            ("born 12 May 1980", Some(("12 May 1980", "1980-05-12"))),
            ("on May 14, 1980", Some(("May 14, 1980", "1980-05-14"))),
            ("narozen 14. února 1975", Some(("14. února 1975", "1975-02-14"))),
            ("ur. 3 września 1990", Some(("3 września 1990", "1990-09-03"))),
            ("geboren am 1. März 1966", Some(("1. März 1966", "1966-03-01"))),
            ("née le 1er août 1988", Some(("1er août 1988", "1988-08-01"))),
            ("el 5 de mayo de 1971", Some(("5 de mayo de 1971", "1971-05-05"))),
            ("the 4th of July 1976", Some(("4th of July 1976", "1976-07-04"))),
            ("ur. 3.IV.1978", Some(("3.IV.1978", "1978-04-03"))),
            ("ur. 3 XII 1978", Some(("3 XII 1978", "1978-12-03"))),
            ("nato il 5 mag 1971", Some(("5 mag 1971", "1971-05-05"))),
            ("geboren am 14. Mai im Jahre 1980", Some(("14. Mai im Jahre 1980", "1980-05-14"))),
            ("ur. 3.iv.1978", None),
            ("30 February 1980", None),
            ("in 1980", None),
        ] {
            let found = ending_with(text, text.len() - 4, text.len());
            let found = found.map(|(start, date)| (&text[start..], date.iso()));
            assert_eq!(found, want.map(|(part, date)| (part, date.to_owned())), "{text}");
        }
    }

    #[test]
    fn years_of_two_digits() {
        for (text, want) in [
            ("DOB 7-Sep-91", Some(("7-Sep-91", "1991-09-07"))),
            ("born 3 March '05", Some(("3 March '05", "2005-03-03"))),
            ("nací el 7 de agosto del 96", Some(("7 de agosto del 96", "1996-08-07"))),
            ("née le 1er août 88", Some(("1er août 88", "1988-08-01"))),
            ("bus 12 or 88", None),
        ] {
            let found = ending_with(text, text.len() - 2, text.len());
            let found = found.map(|(start, date)| (&text[start..], date.iso()));
            assert_eq!(found, want.map(|(part, date)| (part, date.to_owned())), "{text}");
        }
    }
}
