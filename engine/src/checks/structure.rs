//! The structure of a value, in data: the keys `born`, `gender`, `country`, `terms`, `has`, `hex`,
//! `random` and `uniform` of a catalogue file.

use textveil_schema::place;

use super::{
    countries,
    prelude::{Date, Facts, Gender, Invalid, number},
};
use crate::{api::limits::REFERENCE_YEAR, phrase::fold};

/// A condition on a compact value, or a fact that it contains.
#[derive(Debug)]
pub(crate) enum Rule {
    /// It has a digit.
    Digit,
    /// It has a letter.
    Letter,
    /// All its characters are hexadecimal digits.
    Hexadecimal,
    /// A generator made it: placeholders such as `ghp_xxxxxxxxxxxxxxxx` have few different characters.
    Random,
    /// A word of it begins with one of these, each after a space; an entry with a dot is the whole word.
    Terms(&'static str),
    /// Its characters are not all the same: `000000000` and its like are typed, not issued.
    Varied,
    /// It contains a date of birth.
    Born(Born),
    /// It says the gender of its holder.
    Gender(Codes),
    /// It has the code of a country in these two places.
    Country(i8),
    /// A rule in code, in a module of this folder, for what data cannot express.
    Function(fn(&str) -> Result<Facts, Invalid>),
}

/// A date of birth at fixed positions of a value.
#[derive(Debug)]
pub(crate) struct Born {
    /// The length of the values that contain it; 0 for all.
    pub length: u8,
    /// The position and the number of the digits of the year: two, the last three, or all four.
    pub year: (u8, u8),
    /// The position of the month and of the day.
    pub month: u8,
    pub day: u8,
    /// The day on which the count is 0, for a count of days; `year` is then its position and length.
    pub since: Option<(u16, u8, u8)>,
    /// The century of a year of two digits; without it the latest one that is not in the future.
    pub century: Option<Century>,
    /// Numbers that are added to the month or to the day.
    pub raised: &'static [Raised],
    /// Values without a date.
    pub without: Option<Entries>,
    /// The date is not after [`REFERENCE_YEAR`].
    pub past: bool,
    /// The date is not that of a birth: the calendar must have it, but it is no fact.
    pub other: bool,
}

/// A character that says the century.
#[derive(Debug)]
pub(crate) struct Century {
    pub at: u8,
    /// The characters of each century, with its first year; 0 for the latest one that is not in the future.
    pub of: &'static [(&'static str, u16)],
}

/// A number that is added to the month or to the day of a date.
#[derive(Debug)]
pub(crate) struct Raised {
    /// It is added to the month.
    pub month: bool,
    pub by: u8,
    pub says: Says,
}

/// The meaning of a raised month or day.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Says {
    Nothing,
    /// The gender; a value without this says the other one.
    Gender(Gender),
    /// The first year of the century.
    Century(u16),
    /// The holder is an organisation: the date is no birth date.
    Organisation,
}

/// Characters that stand for women and for men.
#[derive(Debug)]
pub(crate) struct Codes {
    /// The position; negative from the end.
    pub at: i8,
    /// The number of characters.
    pub len: u8,
    /// Codes of that length, one after the other. Any other code stands for no gender.
    pub female: &'static str,
    pub male: &'static str,
}

/// The entries of a list at a position, each of the same length, separated by spaces.
#[derive(Debug)]
pub(crate) struct Entries {
    pub at: u8,
    pub len: u8,
    pub of: &'static str,
}

/// Applies rules in their order; returns the facts that they find together, or the first error.
pub(crate) fn apply(rules: &[Rule], value: &str) -> Result<Facts, Invalid> {
    let mut facts = Facts::default();
    for rule in rules {
        rule.apply(value, &mut facts)?;
    }
    Ok(facts)
}

impl Rule {
    fn apply(&self, value: &str, facts: &mut Facts) -> Result<(), Invalid> {
        let (holds, error) = match self {
            Self::Digit => (value.bytes().any(|byte| byte.is_ascii_digit()), Invalid::Format),
            Self::Letter => (value.bytes().any(|byte| byte.is_ascii_alphabetic()), Invalid::Format),
            Self::Hexadecimal => (value.bytes().all(|byte| byte.is_ascii_hexdigit()), Invalid::Format),
            Self::Random => (is_random(value), Invalid::Format),
            Self::Terms(terms) => (has_term(value, terms), Invalid::Format),
            Self::Varied => {
                (value.bytes().any(|byte| Some(byte) != value.bytes().next()), Invalid::Component)
            }
            Self::Born(born) => return born.read(value, facts),
            Self::Gender(codes) => {
                facts.gender = codes.gender(value);
                (true, Invalid::Format)
            }
            Self::Country(at) => {
                let at = place(*at, value.len());
                let code = value.get(at..at + 2).ok_or(Invalid::Length)?;
                facts.other = countries::issuer(code)?.map(|code| ("country", code));
                (true, Invalid::Format)
            }
            Self::Function(read) => {
                *facts = read(value)?;
                (true, Invalid::Format)
            }
        };
        if holds { Ok(()) } else { Err(error) }
    }
}

impl Born {
    /// Adds the date, and the gender that its month or day encodes.
    fn read(&self, value: &str, facts: &mut Facts) -> Result<(), Invalid> {
        let is_of_length = self.length == 0 || usize::from(self.length) == value.len();
        if !is_of_length || self.without.as_ref().is_some_and(|without| without.has(value)) {
            return Ok(());
        }
        let (mut is_birth, mut is_inferred) = (!self.other, false);
        let years = number(value, self.year.0.into(), self.year.1.into());
        let date = if let Some((year, month, day)) = self.since {
            Date::new(year, month, day).and_then(|first| first.after(years))
        } else {
            let (month, by_month) = self.lowered(value, self.month, true);
            let (day, by_day) = self.lowered(value, self.day, false);
            let mut first_year = self.century_without(value)?;
            for raised in self.raised {
                if let Says::Gender(gender) = raised.says {
                    facts.gender.get_or_insert(gender.other());
                }
            }
            for says in [by_month, by_day] {
                match says {
                    Says::Nothing => {}
                    Says::Gender(gender) => facts.gender = Some(gender),
                    Says::Century(first) => first_year = first,
                    Says::Organisation => is_birth = false,
                }
            }
            is_inferred = self.year.1 == 2 && first_year == 0;
            match (self.year.1, years as u16) {
                (2, year) if is_inferred => Date::recent(year as u8, month, day),
                (2, year) => Date::new(first_year + year, month, day),
                (3, year) => Date::new(year + if year < 800 { 2000 } else { 1000 }, month, day),
                (_, year) => Date::new(year, month, day),
            }
        };
        let date = date.filter(|date| !self.past || date.year() <= REFERENCE_YEAR);
        let date = date.ok_or(Invalid::Component)?;
        if is_birth {
            facts.birth_date = Some(date);
            facts.century_inferred = is_inferred;
        }
        Ok(())
    }

    /// Returns the month or the day at a position without the number that is added to it, and what that number says.
    fn lowered(&self, value: &str, at: u8, of_month: bool) -> (u8, Says) {
        let written = number(value, at.into(), 2) as u8;
        let added = self.raised.iter().filter(|raised| raised.month == of_month && raised.by < written);
        let added = added.max_by_key(|raised| raised.by);
        added.map_or((written, Says::Nothing), |raised| (written - raised.by, raised.says))
    }

    /// Returns the first year of the century where neither month nor day says it; 0 for the latest century that is
    /// not in the future.
    fn century_without(&self, value: &str) -> Result<u16, Invalid> {
        match &self.century {
            Some(century) => {
                let letter = value.as_bytes().get(usize::from(century.at));
                let has =
                    |(letters, _): &&(&str, u16)| letter.is_some_and(|it| letters.as_bytes().contains(it));
                century.of.iter().find(has).map(|(_, first)| *first).ok_or(Invalid::Component)
            }
            None if self.raised.iter().any(|raised| matches!(raised.says, Says::Century(_))) => Ok(1900),
            None => Ok(0),
        }
    }
}

impl Codes {
    fn gender(&self, value: &str) -> Option<Gender> {
        let at = place(self.at, value.len());
        let len = usize::from(self.len);
        let code = value.as_bytes().get(at..at + len)?;
        let has = |codes: &str| codes.as_bytes().chunks(len).any(|known| known == code);
        match () {
            () if has(self.female) => Some(Gender::Female),
            () if has(self.male) => Some(Gender::Male),
            () => None,
        }
    }
}

impl Entries {
    fn has(&self, value: &str) -> bool {
        let at = usize::from(self.at);
        let part = value.get(at..at + usize::from(self.len));
        part.is_some_and(|part| self.of.split(' ').any(|entry| entry == part))
    }
}

/// Whether at least six different characters are among the last sixteen: of random hexadecimal digits, one token in ten
/// thousand has fewer.
pub(super) fn is_random(value: &str) -> bool {
    let seen = value.bytes().rev().take(16).fold(0_u128, |seen, byte| seen | 1 << (byte & 0x7f));
    seen.count_ones() >= 6
}

/// Whether a word begins with one of the terms, compared without case and diacritics.
fn has_term(value: &str, terms: &str) -> bool {
    let folded: String = value.chars().flat_map(fold).collect();
    let known = |word: &str| {
        terms.split_ascii_whitespace().any(|term| match term.strip_suffix('.') {
            Some(whole) => word == whole,
            None => word.starts_with(term),
        })
    };
    folded.split(|letter: char| !letter.is_alphanumeric()).any(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BORN: Born = Born {
        length: 0,
        year: (0, 2),
        month: 2,
        day: 4,
        since: None,
        century: None,
        raised: &[],
        without: None,
        past: false,
        other: false,
    };

    fn raised(month: bool, by: u8, says: Says) -> Raised {
        Raised { month, by, says }
    }

    /// The date, the gender, and whether the century was inferred.
    #[test]
    fn dates() {
        let by_month: &'static [Raised] =
            Vec::leak(vec![raised(true, 20, Says::Century(2000)), raised(true, 80, Says::Century(1800))]);
        let by_day: &'static [Raised] = Vec::leak(vec![raised(false, 40, Says::Gender(Gender::Female))]);
        let of_firms: &'static [Raised] = Vec::leak(vec![raised(false, 40, Says::Organisation)]);
        let century = || Some(Century { at: 6, of: &[("12", 1900), ("3", 2000), ("9", 0)] });
        let without = || Some(Entries { at: 2, len: 2, of: "13 14" });
        for (born, value, want) in [
            (BORN, "440514", Ok("1944-05-14 - inferred")),
            (BORN, "050514", Ok("2005-05-14 - inferred")),
            (BORN, "441314", Err(Invalid::Component)),
            (Born { raised: by_month, ..BORN }, "440514", Ok("1944-05-14 -")),
            (Born { raised: by_month, ..BORN }, "442514", Ok("2044-05-14 -")),
            (Born { raised: by_month, ..BORN }, "448514", Ok("1844-05-14 -")),
            (Born { raised: by_month, ..BORN }, "442014", Err(Invalid::Component)),
            (Born { raised: by_day, ..BORN }, "440554", Ok("1944-05-14 female inferred")),
            (Born { raised: by_day, ..BORN }, "440514", Ok("1944-05-14 male inferred")),
            (Born { raised: of_firms, ..BORN }, "440554", Ok("- -")),
            (Born { raised: of_firms, ..BORN }, "440572", Err(Invalid::Component)),
            (Born { century: century(), ..BORN }, "4405141", Ok("1944-05-14 -")),
            (Born { century: century(), ..BORN }, "0405143", Ok("2004-05-14 -")),
            (Born { century: century(), ..BORN }, "0405149", Ok("2004-05-14 - inferred")),
            (Born { century: century(), ..BORN }, "4405144", Err(Invalid::Component)),
            (Born { without: without(), ..BORN }, "441399", Ok("- -")),
            (Born { other: true, ..BORN }, "440514", Ok("- -")),
            (Born { length: 7, ..BORN }, "441314", Ok("- -")),
            (Born { year: (0, 4), month: 4, day: 6, ..BORN }, "19440514", Ok("1944-05-14 -")),
            (
                Born { year: (0, 4), month: 4, day: 6, past: true, ..BORN },
                "21440514",
                Err(Invalid::Component),
            ),
            (Born { year: (4, 3), month: 2, day: 0, ..BORN }, "1405944", Ok("1944-05-14 -")),
            (Born { year: (4, 3), month: 2, day: 0, ..BORN }, "1405004", Ok("2004-05-14 -")),
            (Born { year: (0, 5), since: Some((1900, 1, 1)), ..BORN }, "00031", Ok("1900-02-01 -")),
        ] {
            let read = apply(&[Rule::Born(born)], value).map(|facts| {
                let date = facts.birth_date.map_or_else(|| "-".to_owned(), Date::iso);
                let inferred = if facts.century_inferred { " inferred" } else { "" };
                format!("{date} {}{inferred}", facts.gender.map_or("-", Gender::as_str))
            });
            assert_eq!(read.as_deref(), want.as_deref(), "{value}");
        }
    }

    #[test]
    fn genders() {
        let pairs = Codes { at: 0, len: 2, female: "2728", male: "20" };
        let last = Codes { at: -1, len: 1, female: "02468", male: "13579" };
        for (codes, value, want) in [
            (&pairs, "20-1", Some(Gender::Male)),
            (&pairs, "28-1", Some(Gender::Female)),
            (&pairs, "72-1", None),
            (&last, "28-1", Some(Gender::Male)),
            (&last, "28-X", None),
        ] {
            assert_eq!(codes.gender(value), want, "{value}");
        }
    }

    #[test]
    fn conditions() {
        for (rule, value, want) in [
            (Rule::Digit, "ABC1", Ok(())),
            (Rule::Digit, "ABC", Err(Invalid::Format)),
            (Rule::Letter, "123A", Ok(())),
            (Rule::Letter, "123", Err(Invalid::Format)),
            (Rule::Hexadecimal, "09afAF", Ok(())),
            (Rule::Hexadecimal, "09g", Err(Invalid::Format)),
            (Rule::Random, "ghp_a1b2c3d4", Ok(())),
            (Rule::Random, "ghp_xxxxxxxxxxxxxxxx", Err(Invalid::Format)),
            (Rule::Terms("celibataire jew."), "Célibataires", Ok(())),
            (Rule::Terms("celibataire jew."), "a Jew", Ok(())),
            (Rule::Terms("celibataire jew."), "jewels", Err(Invalid::Format)),
            (Rule::Varied, "000000001", Ok(())),
            (Rule::Varied, "000000000", Err(Invalid::Component)),
            (Rule::Country(0), "DE98", Ok(())),
            (Rule::Country(-2), "98DE", Ok(())),
            (Rule::Country(0), "YY98", Err(Invalid::Component)),
            (Rule::Country(0), "D", Err(Invalid::Length)),
        ] {
            assert_eq!(apply(&[rule], value).map(drop), want, "{value}");
        }
    }

    /// The facts of several rules come together.
    #[test]
    fn rules_of_one_value() {
        let gender = Rule::Gender(Codes { at: 6, len: 1, female: "0", male: "1" });
        let facts = apply(&[Rule::Varied, Rule::Born(BORN), gender], "4405141").unwrap();
        assert_eq!((facts.birth_date, facts.gender), (Date::new(1944, 5, 14), Some(Gender::Male)));
    }
}
