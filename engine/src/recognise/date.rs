//! Dates with the month in words: `12 May 1980`, `14. února 1975`, `May 14, 1980`, `le 3 mars 1990`.

use crate::{
    facts::Date,
    phrase::{Phrase, words},
};

/// Names of the months, in the languages of the labels of `date_of_birth`; the rows are the months.
/// Forms of declension are listed; three letters and a dot are the abbreviations of most languages.
const MONTHS: [&[&str]; 12] = [
    &["january", "jan", "leden", "ledna", "január", "januára", "styczeń", "stycznia", "januar", "jänner", "janvier", "enero", "gennaio", "janeiro", "januari"],
    &["february", "feb", "únor", "února", "február", "februára", "luty", "lutego", "februar", "feber", "février", "febrero", "febbraio", "fevereiro", "februari"],
    &["march", "mar", "březen", "března", "marec", "marca", "marzec", "märz", "mars", "marzo", "março", "maart"],
    &["april", "apr", "duben", "dubna", "apríl", "apríla", "kwiecień", "kwietnia", "avril", "abril", "aprile"],
    &["may", "květen", "května", "máj", "mája", "maj", "maja", "mai", "mayo", "maggio", "maio", "mei"],
    &["june", "jun", "červen", "června", "jún", "júna", "czerwiec", "czerwca", "juni", "juin", "junio", "giugno", "junho"],
    &["july", "jul", "červenec", "července", "júl", "júla", "lipiec", "lipca", "juli", "juillet", "julio", "luglio", "julho"],
    &["august", "aug", "srpen", "srpna", "augusta", "sierpień", "sierpnia", "août", "agosto", "augustus"],
    &["september", "sep", "sept", "září", "septembra", "wrzesień", "września", "septembre", "septiembre", "settembre", "setembro"],
    &["october", "oct", "říjen", "října", "október", "októbra", "październik", "października", "oktober", "octobre", "octubre", "ottobre", "outubro"],
    &["november", "nov", "listopad", "listopadu", "novembra", "listopada", "novembre", "noviembre", "novembro"],
    &["december", "dec", "prosinec", "prosince", "decembra", "grudzień", "grudnia", "dezember", "décembre", "diciembre", "dicembre", "dezembro"],
];

/// How far back from the year a date may start, in bytes.
const MAX: usize = 32;

/// The date in words that ends with the year at `year..end`, in bytes of the text: its start, and the day.
pub(crate) fn ending_with(text: &str, year: usize, end: usize) -> Option<(usize, Date)> {
    let number: u16 = text.get(year..end)?.parse().ok()?;
    let mut from = year.saturating_sub(MAX);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let before = text.get(from..year)?;
    let spoken: Vec<(usize, &str)> =
        words(before).filter_map(|(start, end)| Some((start, before.get(start..end)?))).collect();
    let mut back = spoken.iter().rev().filter(|(_, word)| !matches!(*word, "de" | "of" | "del" | "r"));
    let (first, second) = (back.next()?, back.next()?);
    let (day, month) = match (day(second.1), month(first.1)) {
        (Some(day), Some(month)) => (day, month),
        _ => (day(first.1)?, month(second.1)?),
    };
    Some((from + first.0.min(second.0), Date::new(number, month, day)?))
}

/// The day of `14`, `14th` or `1er`.
fn day(word: &str) -> Option<u8> {
    let digits = word.trim_end_matches(|letter: char| letter.is_alphabetic());
    (word.len() - digits.len() <= 2).then(|| digits.parse().ok()).flatten()
}

fn month(word: &str) -> Option<u8> {
    let phrase = Phrase::EMPTY.with(word);
    let row = MONTHS.iter().position(|names| names.iter().any(|name| Phrase::EMPTY.with(name) == phrase))?;
    u8::try_from(row + 1).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

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
            ("30 February 1980", None),
            ("in 1980", None),
        ] {
            let found = ending_with(text, text.len() - 4, text.len());
            let found = found.map(|(start, date)| (&text[start..], date.iso()));
            assert_eq!(found, want.map(|(part, date)| (part, date.to_owned())), "{text}");
        }
    }
}
