//! Telephone numbers: validity, country and line type.
//!
//! The rules are those of Google's [libphonenumber](https://github.com/google/libphonenumber): the numbering
//! plans in `plans.toml`, compiled by the build (`build/phone.rs`) into one automaton over digits, and its
//! way of reading a number. A number is valid here exactly where `isValidNumber` accepts it, with the same
//! region and type; `tests.rs` compares both. One thing differs on purpose: digits dialled in a country are
//! never read as an international number, whether without its `+` or after that country's own international
//! prefix (such as 011 in the United States). A caller that has seen a `+` or `00` calls [`international`].
//!
//! A number costs ten to thirty steps through the automaton, without a regex, an allocation or
//! initialisation. (libphonenumber's regexes take a hundred times as long, and its tables are three times the
//! size in WebAssembly.)

use std::fmt;

use crate::api::entity::Country;

pub(crate) mod digits;
#[cfg(test)]
mod tests;

include!(concat!(env!("OUT_DIR"), "/phone.rs"));

/// A telephone number of a numbering plan. Displayed in E.164: `+420601123456`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Phone {
    /// The region of the number; `None` for calling codes without a country, such as +800.
    pub country: Option<Country>,
    /// The line type.
    pub line_type: LineType,
    calling_code: u16,
    national: u64,
    /// Digits of the national number, which in some plans begins with zeros.
    length: u8,
}

/// The line type of a number, by the plan of its region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum LineType {
    FixedLine,
    Mobile,
    /// The plan does not distinguish the two, as in North America.
    FixedLineOrMobile,
    TollFree,
    PremiumRate,
    SharedCost,
    Voip,
    /// Follows a person from line to line.
    PersonalNumber,
    Pager,
    /// Universal access number of a company.
    Uan,
    Voicemail,
}

impl LineType {
    /// Returns the name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::FixedLine => "fixed_line",
            Self::Mobile => "mobile",
            Self::FixedLineOrMobile => "fixed_line_or_mobile",
            Self::TollFree => "toll_free",
            Self::PremiumRate => "premium_rate",
            Self::SharedCost => "shared_cost",
            Self::Voip => "voip",
            Self::PersonalNumber => "personal_number",
            Self::Pager => "pager",
            Self::Uan => "uan",
            Self::Voicemail => "voicemail",
        }
    }
}

impl fmt::Display for Phone {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // every telephone number has it, and a format string takes several times as long
        let mut text = [0; 4 + LONGEST];
        let mut at = text.len();
        let mut put = |byte: u8| {
            at -= 1;
            text.get_mut(at).into_iter().for_each(|place| *place = byte);
        };
        for (mut number, length) in [(self.national, self.length), (self.calling_code.into(), 0)] {
            let mut digits = 0;
            while number > 0 || digits < length {
                put(b'0' + (number % 10) as u8);
                number /= 10;
                digits += 1;
            }
        }
        put(b'+');
        out.write_str(text.get(at..).and_then(|text| std::str::from_utf8(text).ok()).unwrap_or_default())
    }
}

/// Omits the number.
impl fmt::Debug for Phone {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Phone")
            .field("country", &self.country)
            .field("line_type", &self.line_type)
            .field("digits", &self.length)
            .finish_non_exhaustive()
    }
}

/// Reads the digits of a number in international notation, from its calling code on, without `+` or `00`.
///
/// A national prefix after the calling code, as in `+44 (0)20`, is removed. `None` if no plan has the number.
pub fn international(digits: &[u8]) -> Option<Phone> {
    let (code, length) = calling_code(digits)?;
    let home = REGIONS.get(usize::from(code.first))?;
    code.number(home.without_prefix(digits.get(length..)?))
}

/// Returns the country of the calling code that the digits begin with, whatever follows it: new numbers and
/// those for fiction have one too.
///
/// `None` if several countries share the code.
pub fn country(digits: &[u8]) -> Option<Country> {
    let (code, _) = calling_code(digits)?;
    let home = REGIONS.get(usize::from(code.first))?;
    let next = REGIONS.get(usize::from(code.first) + 1);
    home.country.filter(|_| next.is_none_or(|next| next.calling_code != home.calling_code))
}

/// Whether the digits begin with a calling code.
pub fn is_calling_code(digits: &str) -> bool {
    calling_code(digits.as_bytes()).is_some()
}

/// Returns the calling code that the digits begin with, and its length. No code is a prefix of another.
fn calling_code(digits: &[u8]) -> Option<(&'static CallingCode, usize)> {
    let mut value = 0;
    for (index, digit) in digits.iter().enumerate().take(3) {
        value = value * 10 + usize::from(digit.checked_sub(b'0').filter(|digit| *digit < 10)?);
        if value == 0 {
            return None;
        }
        if let Some(code) = entry(&CALLING_CODES, u16::from(*CODES_BY_VALUE.get(value)?)) {
            return Some((code, index + 1));
        }
    }
    None
}

/// Reads digits as dialled or written within a country, with its national prefix if it has one.
///
/// The number may be in another country with the same calling code. `None` if no plan has the number.
pub fn national(digits: &[u8], country: Country) -> Option<Phone> {
    let found = COUNTRIES.binary_search_by_key(&country, |(known, _)| *known).ok()?;
    let (_, index) = COUNTRIES.get(found)?;
    let home = REGIONS.get(usize::from(*index))?;
    let code = CALLING_CODES.get(usize::from(home.calling_code))?;
    code.number(home.without_prefix(digits))
}

/// A country calling code; the tables are made by the build.
struct CallingCode {
    code: u16,
    /// The automaton of its valid national numbers; its classes are [`VERDICTS`].
    numbers: u16,
    /// The first of its [`REGIONS`], which is the main one.
    first: u8,
}

/// A region of a calling code.
struct Region {
    country: Option<Country>,
    /// Index of its [`CALLING_CODES`].
    calling_code: u8,
    /// The automaton of its national prefixes; its classes are [`ENDINGS`].
    prefix: u16,
    /// The automaton of all possible numbers of the region, to distinguish a prefix from the number's own
    /// digits.
    general: u16,
    /// The possible lengths of a national number, one bit each.
    lengths: u32,
}

/// The region and the line type of a number.
struct NumberClass {
    /// The index from the calling code's first region.
    region: u8,
    line_type: LineType,
}

/// The rewrites for the prefix matched so far: numbers of [`REWRITES`], 0 for none.
struct Ending {
    /// The rewrite if the number ends here.
    last: u8,
    /// The rewrite if the number continues.
    inside: u8,
}

/// The replacement of a national prefix.
struct Rewrite {
    front: &'static [u8],
    /// The range of the matched digits that stay.
    keep: (u8, u8),
    matched: u8,
}

/// The maximum number of digits of a national number in the plans.
const LONGEST: usize = 17;

/// A national number, in parts.
#[derive(Clone, Copy)]
struct National<'a>([&'a [u8]; 3]);

impl<'a> National<'a> {
    fn len(self) -> usize {
        self.0.iter().map(|piece| piece.len()).sum()
    }

    fn digits(self) -> impl Iterator<Item = u8> + use<'a> {
        self.0.into_iter().flatten().map(|digit| digit.wrapping_sub(b'0'))
    }

    /// Returns the class of the whole number in an automaton, 0 for no match.
    fn class(self, automaton: u16) -> u16 {
        let mut node = automaton;
        for piece in self.0 {
            for digit in piece {
                node = step(node, digit.wrapping_sub(b'0'));
                if node == 0 {
                    return 0;
                }
            }
        }
        class(node)
    }
}

impl CallingCode {
    fn number(&self, national: National) -> Option<Phone> {
        let length = national.len();
        if !(2..=LONGEST).contains(&length) {
            return None;
        }
        let NumberClass { region, line_type } = entry(&VERDICTS, national.class(self.numbers))?;
        let region = REGIONS.get(usize::from(self.first) + usize::from(*region))?;
        Some(Phone {
            country: region.country,
            line_type: *line_type,
            calling_code: self.code,
            national: national.digits().fold(0, |value, digit| value * 10 + u64::from(digit)),
            length: u8::try_from(length).ok()?,
        })
    }
}

impl Region {
    /// Removes the national prefix, or replaces it by the plan's digits, if the rest is a possible number.
    ///
    /// The digits stay if only they are possible as they are.
    fn without_prefix<'a>(&self, digits: &'a [u8]) -> National<'a> {
        let whole = National([digits, &[], &[]]);
        let Some(bare) = self.rewritten(digits) else { return whole };
        let like_a_number = |number: National| number.class(self.general) != 0;
        if self.has_length(bare.len()) && (like_a_number(bare) || !like_a_number(whole)) {
            bare
        } else {
            whole
        }
    }

    /// Whether a national number may have this length.
    fn has_length(&self, digits: usize) -> bool {
        let bits = u32::try_from(digits).ok().and_then(|digits| self.lengths.checked_shr(digits));
        bits.is_some_and(|bits| bits & 1 == 1)
    }

    /// Removes the digits that the prefix automaton matches; `None` if it matches nothing.
    fn rewritten<'a>(&self, digits: &'a [u8]) -> Option<National<'a>> {
        let (mut node, mut found) = (self.prefix, None);
        for next in digits.iter().map(Some).chain([None]) {
            let rewrite = entry(&ENDINGS, class(node)).and_then(|ending| {
                let rewrite = if next.is_some() { ending.inside } else { ending.last };
                entry(&REWRITES, rewrite.into())
            });
            found = rewrite.or(found);
            node = next.map_or(0, |digit| step(node, digit.wrapping_sub(b'0')));
            if node == 0 {
                break;
            }
        }
        let Rewrite { front, keep, matched } = found?;
        let kept = digits.get(usize::from(keep.0)..usize::from(keep.1))?;
        Some(National([front, kept, digits.get(usize::from(*matched)..)?]))
    }
}

/// Returns the entry with that number, counted from 1.
fn entry<T>(table: &'static [T], number: u16) -> Option<&'static T> {
    table.get(usize::from(number).checked_sub(1)?)
}

/// The bits of a node's header that mark the start of a run of digits with the same next node.
const RUNS: u16 = (1 << 9) - 1;

/// The bit of a next node that is encoded as a distance.
const RELATIVE: u16 = 1 << 15;
/// The offset added to a distance.
const MIDDLE: u16 = 1 << 14;

/// Returns the class of a node.
fn class(node: u16) -> u16 {
    NODES.get(usize::from(node)).map_or(0, |header| header >> 9)
}

/// Returns the node after a digit; 0, which matches nothing, for any other byte.
fn step(node: u16, digit: u8) -> u16 {
    if digit > 9 {
        return 0;
    }
    let header = NODES.get(usize::from(node)).copied().unwrap_or(0);
    let run = (header & RUNS & ((1 << digit) - 1)).count_ones();
    match NODES.get(usize::from(node) + 1 + run as usize).copied().unwrap_or(0) {
        next if next < RELATIVE => next,
        ahead => {
            let end = node.wrapping_add(2 + (header & RUNS).count_ones() as u16);
            end.wrapping_add(ahead - RELATIVE).wrapping_sub(MIDDLE)
        }
    }
}
