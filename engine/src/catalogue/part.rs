//! Fixed places of a compact value.
//!
//! The build of the catalogue uses this file too.

use std::borrow::Cow;

use textveil_schema::{Part, place};

/// One condition on fixed places of a compact value.
#[derive(Clone, Debug)]
pub(crate) struct Requirement {
    /// The first place, from 0; negative from the end.
    pub at: i8,
    /// The length in characters; 0 up to the end.
    pub len: u8,
    /// The length of the values that have it; 0 for all.
    pub length: u8,
    pub test: Test,
}

/// The condition of a part.
#[derive(Clone, Debug)]
pub(crate) enum Test {
    /// Each character is one of these.
    Characters(Cow<'static, str>),
    /// It is one of these, each as long as the part, separated by spaces.
    OneOf(Cow<'static, str>),
    /// It is not one of these, each as long as the part, separated by spaces.
    NoneOf(Cow<'static, str>),
    /// It is a number within one of these ranges.
    Within(Cow<'static, [(u32, u32)]>),
    /// It is a number from `min` to `max` and not one of `not`.
    Number { min: u32, max: u32, not: Cow<'static, [u32]> },
}

/// Why a part of a value is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Misfit {
    /// A character is not allowed at its place: the value has another form.
    Character,
    /// An impossible number, or a digit that is not one of the allowed ones: the form is right.
    Number,
}

/// Returns the conditions of a part.
///
/// # Errors
/// If the part has no condition, or one that cannot be read; the message follows the name of a field.
pub(crate) fn requirements(part: &Part) -> Result<Vec<Requirement>, &'static str> {
    let mut tests = Vec::new();
    if !part.chars.is_empty() {
        tests.push(Test::Characters(Cow::Owned(part.chars.clone())));
    }
    for (entries, test) in
        [(&part.one_of, Test::OneOf as fn(Cow<'static, str>) -> Test), (&part.none_of, Test::NoneOf)]
    {
        let fits = |entry: &String| !entry.contains(' ') && entry.len() == usize::from(part.len);
        if !entries.iter().all(fits) {
            return Err("has an entry of another length than len, or with a space");
        }
        if !entries.is_empty() {
            tests.push(test(Cow::Owned(entries.join(" "))));
        }
    }
    if !part.within.is_empty() {
        let ranges: Option<Vec<(u32, u32)>> = part.within.iter().map(|range| self::range(range)).collect();
        let ranges =
            ranges.ok_or("has an entry of within that is neither a number nor a range such as 1-40")?;
        tests.push(Test::Within(Cow::Owned(ranges)));
    }
    if part.min.is_some() || part.max.is_some() || !part.not.is_empty() {
        let (min, max) = (part.min.unwrap_or(0), part.max.unwrap_or(u32::MAX));
        tests.push(Test::Number { min, max, not: Cow::Owned(part.not.clone()) });
    }
    if tests.is_empty() {
        return Err("has no condition; send min, max, not, chars, one_of, none_of or within");
    }
    let of = |test| Requirement { at: part.at, len: part.len, length: part.length, test };
    Ok(tests.into_iter().map(of).collect())
}

/// Reads a range such as `1-40`, or of one number.
fn range(range: &str) -> Option<(u32, u32)> {
    let (min, max) = range.split_once('-').unwrap_or((range, range));
    Some((min.parse().ok()?, max.parse().ok()?))
}

impl Requirement {
    /// Returns the steps of a check: the bytes or numbers that it reads.
    pub fn steps(&self) -> usize {
        // a part has up to some 40 characters
        match &self.test {
            Test::Characters(known) => 40 + known.len(),
            Test::OneOf(known) | Test::NoneOf(known) => 1 + known.len(),
            Test::Within(ranges) => 10 + ranges.len(),
            Test::Number { not, .. } => 10 + not.len(),
        }
    }

    /// Checks the part of a compact value.
    pub fn check(&self, value: &str) -> Result<(), Misfit> {
        if self.length != 0 && usize::from(self.length) != value.len() {
            return Ok(());
        }
        let start = place(self.at, value.len());
        let len = if self.len == 0 { value.len().saturating_sub(start) } else { usize::from(self.len) };
        let part = value.get(start..start.saturating_add(len)).ok_or(Misfit::Character)?;
        let is_number = part.bytes().all(|byte| byte.is_ascii_digit());
        let (holds, misfit) = match &self.test {
            Test::Characters(known) => (
                part.bytes().all(|byte| known.as_bytes().contains(&byte)),
                // one digit instead of another may be a typing error
                if is_number && known.bytes().any(|byte| byte.is_ascii_digit()) {
                    Misfit::Number
                } else {
                    Misfit::Character
                },
            ),
            Test::OneOf(known) => (is_entry(part, known), Misfit::Character),
            Test::NoneOf(known) => (!is_entry(part, known), Misfit::Number),
            Test::Within(ranges) => {
                let number: u32 = part.parse().map_err(|_| Misfit::Character)?;
                (ranges.iter().any(|(min, max)| (*min..=*max).contains(&number)), Misfit::Number)
            }
            Test::Number { min, max, not } => {
                let number: u32 = part.parse().map_err(|_| Misfit::Character)?;
                ((*min..=*max).contains(&number) && !not.contains(&number), Misfit::Number)
            }
        };
        if holds { Ok(()) } else { Err(misfit) }
    }
}

/// Whether a part is one of the entries of a list, each as long as the part, separated by spaces.
fn is_entry(part: &str, list: &str) -> bool {
    // the first letters differ mostly
    let part = part.as_bytes();
    list.as_bytes()
        .chunks(part.len() + 1)
        .any(|entry| entry.first() == part.first() && entry.starts_with(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(json: &str) -> Part {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn what_a_part_allows() {
        for (json, value, want) in [
            (r#"{"at": 0, "chars": "AB"}"#, "A1", Ok(())),
            (r#"{"at": 0, "chars": "AB"}"#, "C1", Err(Misfit::Character)),
            (r#"{"at": -1, "chars": "12"}"#, "A3", Err(Misfit::Number)),
            (r#"{"at": 0, "len": 2, "one_of": ["PL", "GB"]}"#, "GB1", Ok(())),
            (r#"{"at": 0, "len": 2, "one_of": ["PL", "GB"]}"#, "LG1", Err(Misfit::Character)),
            (r#"{"at": 0, "len": 2, "none_of": ["SA"]}"#, "SA1", Err(Misfit::Number)),
            (r#"{"at": 1, "len": 2, "min": 1, "max": 12, "not": [7]}"#, "A12", Ok(())),
            (r#"{"at": 1, "len": 2, "min": 1, "max": 12, "not": [7]}"#, "A07", Err(Misfit::Number)),
            (r#"{"at": 1, "len": 2, "min": 1, "max": 12}"#, "A13", Err(Misfit::Number)),
            (r#"{"at": 1, "len": 0, "within": ["1-40", "70"]}"#, "A70", Ok(())),
            (r#"{"at": 1, "len": 0, "within": ["1-40", "70"]}"#, "A41", Err(Misfit::Number)),
            // other lengths do not have the part, and a shorter value has no such place
            (r#"{"at": 0, "length": 3, "chars": "A"}"#, "B1", Ok(())),
            (r#"{"at": 5, "chars": "A"}"#, "B1", Err(Misfit::Character)),
        ] {
            let tests = requirements(&part(json)).unwrap();
            let held = tests.iter().try_for_each(|test| test.check(value));
            assert_eq!(held, want, "{json} {value}");
        }
    }

    #[test]
    fn what_is_no_part() {
        for json in [
            r#"{"at": 0}"#,
            r#"{"at": 0, "len": 2, "one_of": ["A"]}"#,
            r#"{"at": 0, "len": 3, "none_of": ["A B"]}"#,
            r#"{"at": 0, "within": ["1-"]}"#,
            r#"{"at": 0, "within": ["x"]}"#,
        ] {
            assert!(requirements(&part(json)).is_err(), "{json}");
        }
    }
}
