//! What stands at fixed places of a compact value.

/// Some places of a compact value, and what must hold there.
#[derive(Debug)]
pub(crate) struct Part {
    /// The first place; negative from the end.
    pub at: i8,
    /// How many places.
    pub len: u8,
    pub test: Test,
}

/// What must hold of a part.
#[derive(Debug)]
pub(crate) enum Test {
    /// Each character is one of these.
    Characters(&'static str),
    /// It is one of these, all as long as the part, with a space between two.
    OneOf(&'static str),
    /// It is a number from `min` to `max` and none of `not`.
    Number { min: u32, max: u32, not: &'static [u32] },
}

/// What is wrong with a part of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Misfit {
    /// A character that may not stand there: the value is of another form.
    Character,
    /// A number that is never there, or a digit that is not one of those that may be: the form is right.
    Number,
}

impl Part {
    /// Checks the part of a compact value.
    pub fn check(&self, value: &str) -> Result<(), Misfit> {
        let start = place(self.at, value.len());
        let part = value.get(start..start.saturating_add(usize::from(self.len))).ok_or(Misfit::Character)?;
        let is_number = part.bytes().all(|byte| byte.is_ascii_digit());
        let (holds, misfit) = match self.test {
            Test::Characters(known) => (
                part.bytes().all(|byte| known.as_bytes().contains(&byte)),
                // one digit in the place of another may be a typing error
                if is_number && known.bytes().any(|byte| byte.is_ascii_digit()) {
                    Misfit::Number
                } else {
                    Misfit::Character
                },
            ),
            Test::OneOf(known) => {
                let mut entries = known.as_bytes().chunks(part.len() + 1);
                (entries.any(|entry| entry.starts_with(part.as_bytes())), Misfit::Character)
            }
            Test::Number { min, max, not } => {
                let number: u32 = part.parse().map_err(|_| Misfit::Character)?;
                ((min..=max).contains(&number) && !not.contains(&number), Misfit::Number)
            }
        };
        if holds { Ok(()) } else { Err(misfit) }
    }
}

/// A place that may count from the end.
pub(crate) fn place(at: i8, length: usize) -> usize {
    if at < 0 {
        length.saturating_sub(usize::from(at.unsigned_abs()))
    } else {
        usize::from(at.unsigned_abs())
    }
}
