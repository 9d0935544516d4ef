//! The machine readable zone of passports, visas and identity cards: three lines of 30 characters (TD1), two of
//! 36 (TD2, MRV-B) or two of 44 (TD3, MRV-A).
//!
//! The number of the document, the dates and the optional data of TD3 each have a check digit, and all of them
//! one more, which visas have not: characters count 0 to 35, `<` is 0, times 7, 3 and 1 in turn, modulo 10. A
//! number of more than nine characters has `<` for its digit and goes on in the optional data, its digit last.
//!
//! Source: ICAO Doc 9303, parts 3 to 7.

use std::ops::Range;

use super::prelude::*;
use crate::api::{entity::Metadata, limits::REFERENCE_YEAR};

/// The longest validity of a document, in years from now; a later date is in the century before.
const LONGEST_HOLDING: u16 = 30;

/// The positions of the fields, in characters without line breaks; a check digit follows each.
struct Form {
    lines: (usize, usize),
    names: Range<usize>,
    number: usize,
    nationality: usize,
    born: usize,
    sex: usize,
    expiry: usize,
    optional: Range<usize>,
    /// The input of the final check digit, and its position.
    all: [Range<usize>; 4],
    last: usize,
}

const FORMS: [Form; 3] = [
    Form {
        lines: (3, 30),
        names: 60..90,
        number: 5,
        nationality: 45,
        born: 30,
        sex: 37,
        expiry: 38,
        optional: 15..30,
        all: [5..30, 30..37, 38..45, 48..59],
        last: 59,
    },
    Form {
        lines: (2, 36),
        names: 5..36,
        number: 36,
        nationality: 46,
        born: 49,
        sex: 56,
        expiry: 57,
        optional: 64..71,
        all: [36..46, 49..56, 57..71, 0..0],
        last: 71,
    },
    Form {
        lines: (2, 44),
        names: 5..44,
        number: 44,
        nationality: 54,
        born: 57,
        sex: 64,
        expiry: 65,
        optional: 72..86,
        all: [44..54, 57..64, 65..87, 0..0],
        last: 87,
    },
];

/// A zone without line breaks, and its form.
struct Zone {
    text: String,
    form: &'static Form,
}

impl Zone {
    fn new(value: &str) -> Result<Self, Invalid> {
        let mut lines = value.split_whitespace();
        let width = lines.next().map_or(0, str::len);
        let count = lines.clone().count() + 1;
        let form = FORMS.iter().find(|form| form.lines == (count, width)).ok_or(Invalid::Length)?;
        if lines.any(|line| line.len() != width) {
            return Err(Invalid::Length);
        }
        let text: String = value.split_whitespace().collect();
        let formed = |byte: u8| byte == b'<' || byte.is_ascii_digit() || byte.is_ascii_uppercase();
        if text.bytes().all(formed) && text.starts_with(['P', 'V', 'A', 'C', 'I']) {
            Ok(Self { text, form })
        } else {
            Err(Invalid::Format)
        }
    }

    fn get(&self, range: Range<usize>) -> &str {
        self.text.get(range).unwrap_or_default()
    }

    /// The number of the document, and its check digit.
    fn number(&self) -> (String, &str) {
        let at = self.form.number;
        let (number, check) = (self.get(at..at + 9), self.get(at + 9..at + 10));
        let rest = self.get(self.form.optional.clone()).split('<').next().unwrap_or_default();
        match rest.split_at_checked(rest.len().saturating_sub(1)) {
            Some((more, last)) if check == "<" && !last.is_empty() => ([number, more].concat(), last),
            _ => (number.to_owned(), check),
        }
    }

    /// Checks six digits at a position with the check digit after them.
    fn date_holds(&self, at: usize) -> bool {
        holds(self.get(at..at + 6), self.get(at + 6..at + 7))
    }

    fn check_digits_hold(&self) -> bool {
        let form = self.form;
        let (number, check) = self.number();
        let visa = self.text.starts_with('V');
        let optional = self.get(form.optional.clone());
        let all = form.all.clone().map(|range| self.get(range)).concat();
        holds(&number, check)
            && self.date_holds(form.born)
            && self.date_holds(form.expiry)
            && (visa || form.last != 87 || holds(optional, self.get(86..87)))
            && (visa || holds(&all, self.get(form.last..form.last + 1)))
    }

    /// The last day of the document.
    fn expiry(&self) -> Option<Date> {
        let recent = day(self.get(self.form.expiry..self.form.expiry + 6))?;
        let next = Date::new(recent.0.year() + 100, recent.1, recent.2);
        next.filter(|next| next.year() <= REFERENCE_YEAR + LONGEST_HOLDING).or(Some(recent.0))
    }
}

/// Birth date and gender.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let zone = Zone::new(value)?;
    let born = zone.get(zone.form.born..zone.form.born + 6);
    let birth_date = day(born).map(|(date, ..)| date);
    // a day that is not known has `<`
    if birth_date.is_none() && !born.contains('<') || zone.expiry().is_none() {
        return Err(Invalid::Component);
    }
    let gender = match zone.get(zone.form.sex..zone.form.sex + 1) {
        "M" => Some(Gender::Male),
        "F" => Some(Gender::Female),
        "<" | "X" => None,
        _ => return Err(Invalid::Format),
    };
    if !zone.check_digits_hold() {
        return Err(Invalid::Checksum);
    }
    Ok(Facts { birth_date, gender, century_inferred: true, ..Facts::default() })
}

/// Number, last day, nationality and names.
pub fn details(value: &str, metadata: &mut Metadata) {
    let Ok(zone) = Zone::new(value) else { return };
    let form = zone.form;
    let plain = |text: &str| text.trim_matches('<').replace('<', " ");
    let names = zone.get(form.names.clone());
    let (family, given) = names.split_once("<<").unwrap_or((names, ""));
    for (name, text) in [
        ("document_number", plain(&zone.number().0)),
        ("expiry_date", zone.expiry().map(Date::iso).unwrap_or_default()),
        ("nationality", plain(zone.get(form.nationality..form.nationality + 3))),
        ("family_name", plain(family)),
        ("given_name", plain(given)),
    ] {
        if !text.is_empty() {
            metadata.text(name, text);
        }
    }
}

/// The day of `YYMMDD` in the latest century that is not in the future, its month and its day.
fn day(text: &str) -> Option<(Date, u8, u8)> {
    let part = |at: usize| text.get(at..at + 2)?.parse().ok();
    let (month, day) = (part(2)?, part(4)?);
    Some((Date::recent(part(0)?, month, day)?, month, day))
}

/// Whether a check digit is that of a text; `<` is that of nothing.
fn holds(text: &str, check: &str) -> bool {
    let codes = text.chars().map(|letter| letter.to_digit(36).unwrap_or_default());
    let sum: u32 = codes.zip([7, 3, 1].into_iter().cycle()).map(|(code, weight)| code * weight).sum();
    check.parse() == Ok(sum % 10) || check == "<" && text.bytes().all(|byte| byte == b'<')
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        // the specimens of Doc 9303, parts 4 to 7
        (
            "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<\nL898902C36UTO7408122F1204159ZE184226B<<<<<10",
            Ok(()),
        ),
        (
            "I<UTOD231458907<<<<<<<<<<<<<<<\n7408122F1204159UTO<<<<<<<<<<<6\nERIKSSON<<ANNA<MARIA<<<<<<<<<<",
            Ok(()),
        ),
        ("I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<\nD231458907UTO7408122F1204159<<<<<<<6", Ok(())),
        (
            "V<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<\nL8988901C4XXX4009078F96121096ZE184226B<<<<<<",
            Ok(()),
        ),
        // a long number: D23145890734, its digit 9
        (
            "I<UTOD23145890<7349<<<<<<<<<<<\n3407127M9507122UTO<<<<<<<<<<<2\nSTEVENSON<<PETER<<<<<<<<<<<<<<",
            Ok(()),
        ),
        (
            "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<\nL898902C37UTO7408122F1204159ZE184226B<<<<<10",
            Err(Invalid::Checksum),
        ),
        (
            "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<\nL898902C36UTO7408122F1204159ZE184226B<<<<<11",
            Err(Invalid::Checksum),
        ),
        (
            "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<\nL898902C36UTO7413121F1204159ZE184226B<<<<<10",
            Err(Invalid::Component),
        ),
        (
            "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<\nL898902C36UTO7408122F1204159ZE184226B<<<<<1",
            Err(Invalid::Length),
        ),
        (
            "X<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<\nL898902C36UTO7408122F1204159ZE184226B<<<<<10",
            Err(Invalid::Format),
        ),
    ] {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
