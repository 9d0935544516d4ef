//! Results of the catalogue's rules: why a value is invalid, or the facts that it contains about its holder.

use crate::api::limits::REFERENCE_YEAR;

/// Why a value is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Invalid {
    /// A character is not allowed at its position.
    Format,
    /// Too long or too short.
    Length,
    /// The check digits are wrong.
    Checksum,
    /// A part is impossible, such as 31 February.
    Component,
}

impl Invalid {
    /// Returns the name on the wire and in the catalogue.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Format => "format",
            Self::Length => "length",
            Self::Checksum => "checksum",
            Self::Component => "component",
        }
    }
}

/// The gender that a number carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum Gender {
    Female,
    Male,
}

impl Gender {
    /// Returns the gender of a digit that is odd for men, as in most numbers.
    pub fn from_odd(digit: u8) -> Self {
        if digit % 2 == 1 { Self::Male } else { Self::Female }
    }

    /// Returns the other one of the two.
    pub fn other(self) -> Self {
        match self {
            Self::Female => Self::Male,
            Self::Male => Self::Female,
        }
    }

    /// Returns the name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Female => "female",
            Self::Male => "male",
        }
    }
}

/// A day of the Gregorian calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    year: u16,
    month: u8,
    day: u8,
}

impl Date {
    /// Creates a day; `None` if the calendar does not have it.
    pub fn new(year: u16, month: u8, day: u8) -> Option<Self> {
        let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
        let days = match month {
            1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
            4 | 6 | 9 | 11 => 30,
            2 if leap => 29,
            2 => 28,
            _ => return None,
        };
        ((1..=days).contains(&day) && (1..=9999).contains(&year)).then_some(Self { year, month, day })
    }

    /// Creates a day from a two-digit year, in the latest century that is not after [`REFERENCE_YEAR`].
    pub fn recent(year: u8, month: u8, day: u8) -> Option<Self> {
        let year = u16::from(year);
        let century = if 2000 + year <= REFERENCE_YEAR { 2000 } else { 1900 };
        Self::new(century + year, month, day)
    }

    /// Returns the day `days` later.
    pub fn after(self, days: u64) -> Option<Self> {
        let (mut year, mut left) = (self.year, days);
        // whole years first, which begin on the same day: none of those that count starts on 29 February
        while let Some(next) = Self::new(year + 1, self.month, self.day) {
            let leap = Self::new(if self.month > 2 { year + 1 } else { year }, 2, 29).is_some();
            let length = if leap { 366 } else { 365 };
            if left < length {
                break;
            }
            left -= length;
            year = next.year;
        }
        let mut day = Self { year, ..self };
        for _ in 0..left {
            day = day.next()?;
        }
        Some(day)
    }

    /// Returns the next day.
    fn next(self) -> Option<Self> {
        let Self { year, month, day } = self;
        Self::new(year, month, day + 1)
            .or_else(|| Self::new(year, month + 1, 1))
            .or_else(|| Self::new(year + 1, 1, 1))
    }

    /// Returns the year.
    pub fn year(self) -> u16 {
        self.year
    }

    /// Formats as ISO 8601.
    pub fn iso(self) -> String {
        let (month, day) = (self.month.into(), self.day.into());
        let [century, year] = [self.year / 100, self.year % 100];
        let mut text = String::with_capacity(10);
        for (separator, number) in [("", century), ("", year), ("-", month), ("-", day)] {
            text.push_str(separator);
            text.extend([number / 10, number % 10].map(|digit| char::from(b'0' + digit as u8)));
        }
        text
    }
}

/// The facts of a value about its holder. Small and without allocation, as they are made for every candidate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// The birth date.
    pub birth_date: Option<Date>,
    /// Both readings of an ambiguous date, day first and month first, in this order: the country decides.
    pub either_date: Option<[Date; 2]>,
    /// The two-digit year was completed to the latest possible century.
    pub century_inferred: bool,
    /// The gender.
    pub gender: Option<Gender>,
    /// Another fact, such as `("brand", "visa")`.
    pub other: Option<(&'static str, &'static str)>,
}

/// Parsing of compact ASCII values, for the catalogue's rules.
pub mod value {
    use super::Invalid;

    /// Returns the digits of a value that consists of exactly `N` digits.
    ///
    /// # Errors
    /// `Format` if a character is not a digit, `Length` if there are more or fewer than `N`.
    pub fn digits<const N: usize>(value: &str) -> Result<[u8; N], Invalid> {
        if let Some(other) = value.bytes().find(|byte| !byte.is_ascii_digit()) {
            let _ = other;
            return Err(Invalid::Format);
        }
        let bytes: [u8; N] = value.as_bytes().try_into().map_err(|_| Invalid::Length)?;
        Ok(bytes.map(|byte| byte - b'0'))
    }

    /// Returns the number that up to `len` digits from `at` on form; 0 if there are no digits.
    pub fn number(value: &str, at: usize, len: usize) -> u64 {
        let digits = value.bytes().skip(at).take(len);
        digits.fold(0, |number: u64, byte| {
            number.wrapping_mul(10).wrapping_add(u64::from(byte.wrapping_sub(b'0') & 0x0f))
        })
    }
}
