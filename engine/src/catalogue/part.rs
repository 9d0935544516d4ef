//! Fixed-position parts of a compact value.

use crate::checks::digits::place;

/// A part of a compact value, and its condition.
#[derive(Debug)]
pub(crate) struct Part {
    /// The first position, from 0; negative from the end.
    pub at: i8,
    /// The length in characters; 0 up to the end.
    pub len: u8,
    /// The length of the values that have it; 0 for all.
    pub length: u8,
    pub test: Test,
}

/// The condition of a part.
#[derive(Debug)]
pub(crate) enum Test {
    /// Each character is one of these.
    Characters(&'static str),
    /// It is one of these, each as long as the part, separated by spaces.
    OneOf(&'static str),
    /// It is not one of these, each as long as the part, separated by spaces.
    NoneOf(&'static str),
    /// It is a number within one of these ranges.
    Within(&'static [(u32, u32)]),
    /// It is a number from `min` to `max` and not one of `not`.
    Number { min: u32, max: u32, not: &'static [u32] },
}

/// Why a part of a value is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Misfit {
    /// A character is not allowed at its position: the value has another form.
    Character,
    /// An impossible number, or a digit that is not one of the allowed ones: the form is right.
    Number,
}

impl Part {
    /// Checks the part of a compact value.
    pub fn check(&self, value: &str) -> Result<(), Misfit> {
        if self.length != 0 && usize::from(self.length) != value.len() {
            return Ok(());
        }
        let start = place(self.at, value.len());
        let len = if self.len == 0 { value.len().saturating_sub(start) } else { usize::from(self.len) };
        let part = value.get(start..start.saturating_add(len)).ok_or(Misfit::Character)?;
        let is_number = part.bytes().all(|byte| byte.is_ascii_digit());
        let (holds, misfit) = match self.test {
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
                ((min..=max).contains(&number) && !not.contains(&number), Misfit::Number)
            }
        };
        if holds { Ok(()) } else { Err(misfit) }
    }
}

/// Whether a part is one of the entries of a list, each as long as the part, separated by spaces.
fn is_entry(part: &str, list: &str) -> bool {
    list.as_bytes().chunks(part.len() + 1).any(|entry| entry.starts_with(part.as_bytes()))
}
