//! Sets of characters.

use crate::text::order;

/// The last code point.
const LAST: u32 = 0x10_FFFF;

/// A set of characters as sorted ranges of code points, with a bit for each ASCII character.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Class {
    ascii: u128,
    ranges: Vec<(u32, u32)>,
}

impl Class {
    /// Creates a set from ranges in any order.
    pub fn new(mut ranges: Vec<(u32, u32)>) -> Self {
        order::sort(&mut ranges, Ord::cmp);
        let mut merged: Vec<(u32, u32)> = Vec::new();
        for (first, last) in ranges {
            match merged.last_mut() {
                Some((_, end)) if first <= end.saturating_add(1) => *end = last.max(*end),
                _ => merged.push((first, last)),
            }
        }
        let ascii = (0..128).filter(|code| merged.iter().any(|(first, last)| (first..=last).contains(&code)));
        Self { ascii: ascii.fold(0, |bits, code| bits | 1 << code), ranges: merged }
    }

    /// Returns the set of all other characters.
    pub fn negated(self) -> Self {
        let mut others = Vec::new();
        let mut next = 0;
        for (first, last) in self.ranges {
            if first > next {
                others.push((next, first - 1));
            }
            next = last + 1;
        }
        if next <= LAST {
            others.push((next, LAST));
        }
        Self::new(others)
    }

    /// Returns the set with the other case of each ASCII letter.
    pub fn with_both_cases(self) -> Self {
        let mut ranges = self.ranges;
        for code in 0..128_u8 {
            let other = if code.is_ascii_lowercase() { code - 32 } else { code + 32 };
            if code.is_ascii_alphabetic() && self.ascii >> code & 1 == 1 {
                ranges.push((u32::from(other), u32::from(other)));
            }
        }
        Self::new(ranges)
    }

    /// Whether a character belongs to the set.
    pub fn contains(&self, letter: char) -> bool {
        let code = u32::from(letter);
        if code < 128 {
            return self.ascii >> code & 1 == 1;
        }
        let after = self.ranges.partition_point(|(first, _)| *first <= code);
        after.checked_sub(1).and_then(|at| self.ranges.get(at)).is_some_and(|(_, last)| code <= *last)
    }

    /// Returns a bit for each ASCII character of the set.
    pub fn ascii(&self) -> u128 {
        self.ascii
    }

    /// Whether the set has characters beyond ASCII.
    pub fn has_others(&self) -> bool {
        self.ranges.last().is_some_and(|(_, last)| *last > 127)
    }

    /// Returns its ranges.
    pub fn ranges(&self) -> &[(u32, u32)] {
        &self.ranges
    }

    /// Returns a class of POSIX, such as `alpha`.
    pub fn named(name: &str) -> Option<Self> {
        let ranges: &[(u8, u8)] = match name {
            "alnum" => &[(b'0', b'9'), (b'A', b'Z'), (b'a', b'z')],
            "alpha" => &[(b'A', b'Z'), (b'a', b'z')],
            "ascii" => &[(0, 127)],
            "blank" => &[(b'\t', b'\t'), (b' ', b' ')],
            "cntrl" => &[(0, 31), (127, 127)],
            "digit" => &[(b'0', b'9')],
            "graph" => &[(b'!', b'~')],
            "lower" => &[(b'a', b'z')],
            "print" => &[(b' ', b'~')],
            "punct" => &[(b'!', b'/'), (b':', b'@'), (b'[', b'`'), (b'{', b'~')],
            "space" => &[(b'\t', b'\r'), (b' ', b' ')],
            "upper" => &[(b'A', b'Z')],
            "word" => &[(b'0', b'9'), (b'A', b'Z'), (b'_', b'_'), (b'a', b'z')],
            "xdigit" => &[(b'0', b'9'), (b'A', b'F'), (b'a', b'f')],
            _ => return None,
        };
        Some(Self::new(ranges.iter().map(|(first, last)| (u32::from(*first), u32::from(*last))).collect()))
    }
}
