//! Checks a candidate against the detectors that its shape fits.
//!
//! Each kind of value that a shape cannot describe has a module here: where such a value begins and ends, and the
//! candidate that it becomes. The scanner calls it at its anchor (`@`, `://`, `:`, a word of a chain); no module searches the
//! text. The table below has a row for each recogniser.

#[macro_use]
mod table;

pub(crate) mod command;
mod cookie;
mod credential;
pub(crate) mod custom;
pub(crate) mod date;
pub(crate) mod email;
mod geo;
pub(crate) mod iban;
pub(crate) mod ipv6;
pub(crate) mod labelled;
pub(crate) mod mrz;
pub(crate) mod names;
pub(crate) mod pair;
pub(crate) mod pattern;
mod phone;
mod prefixed;
mod quoting;
pub(crate) mod scan;
mod secret;
pub(crate) mod token;
pub(crate) mod url;
mod user;

use scan::{Atom, ScannedWord, Scanner};
use table::Recognise as _;
pub(crate) use table::{Read, WrittenValue};

use crate::{
    api::facts::{Facts, Invalid},
    catalogue::{Detector, Recogniser},
    checks::digits::CheckDigits,
    evidence::candidate::Verdict,
    lexicon,
    phrase::bytes::{DIGIT, UPPER, class_of},
};

recognisers! {
    token::OwnTokens [],
    prefixed::PrefixedTokens [],
    url::UrlValues [Url],
    geo::Coordinates [Geo],
    email::EmailAddresses [Email],
    user::UserNames [],
    credential::Credentials [],
    labelled::LabelledValues [Labelled Phrase],
    secret::Secrets [Secret],
    cookie::SessionCookies [Cookie],
    command::CommandLines [],
    ipv6::Ipv6Values [Ipv6],
    mrz::MachineReadableZones [Mrz],
    iban::AccountNumbers [Iban],
    date::BirthDates [Date],
    phone::TelephoneNumbers [Phone],
    names::NamedThings [Name Address Organization City Birthplace],
}

/// The longest compact value, in bytes.
const MAX_COMPACT: usize = crate::catalogue::shape::MAX_RUN;

/// Returns the length of a number sign with its point and the spaces around it; 0 if the text does not begin
/// with one.
#[inline]
pub(crate) fn number_sign(text: &[u8]) -> usize {
    let spaces = text.iter().take_while(|byte| matches!(byte, b' ' | b',')).count();
    match text.get(spaces) {
        Some(first) if spaces <= 2 && lexicon::may_be_number_sign(*first) => after_number_sign(text, spaces),
        _ => 0,
    }
}

fn after_number_sign(text: &[u8], start: usize) -> usize {
    let rest = text.get(start..).unwrap_or_default();
    let Some(sign) = lexicon::NUMBER_SIGNS.iter().find(|sign| rest.starts_with(sign.as_bytes())) else {
        return 0;
    };
    let behind = rest.get(sign.len()..).unwrap_or_default();
    let point = usize::from(behind.first() == Some(&b'.'));
    let space = usize::from(behind.get(point) == Some(&b' '));
    let number = behind.get(point + space).is_some_and(u8::is_ascii_digit);
    if number { start + sign.len() + point + space } else { 0 }
}

/// A value without separators, with upper-case letters. Small enough to be built for every candidate.
#[derive(Clone, Copy)]
pub(crate) struct Compact {
    bytes: [u8; MAX_COMPACT],
    len: usize,
}

impl Compact {
    /// Returns the compact value of a text.
    ///
    /// Separators in `keep` stay, and `exact` keeps the case of letters. A number sign is omitted. `None` if
    /// the value is too long or has a character that no identifier contains.
    pub fn new(text: &str, keep: &str, exact: bool) -> Option<Self> {
        let (mut compact, mut len) = (Self { bytes: [0; MAX_COMPACT], len: 0 }, 0);
        let mut bytes = text.as_bytes().iter();
        while let Some(&byte) = bytes.next() {
            let byte = match byte {
                _ if class_of(byte) & (DIGIT | UPPER) != 0 => byte,
                b'a'..=b'z' if exact => byte,
                b'a'..=b'z' => byte.to_ascii_uppercase(),
                // of the letters beyond ASCII only umlauts are allowed
                0x80.. => match [byte, *bytes.next()?] {
                    [0xc3, 0x84 | 0xa4] => b'A',
                    [0xc3, 0x96 | 0xb6] => b'O',
                    [0xc3, 0x9c | 0xbc] => b'U',
                    _ => return None,
                },
                _ if keep.as_bytes().contains(&byte) => byte,
                b' ' if bytes.as_slice().first().is_some_and(|first| lexicon::may_be_number_sign(*first)) => {
                    bytes = bytes.as_slice().get(number_sign(bytes.as_slice())..).unwrap_or_default().iter();
                    continue;
                }
                _ => continue,
            };
            *compact.bytes.get_mut(len)? = byte;
            len += 1;
        }
        compact.len = len;
        Some(compact)
    }

    /// Returns the compact value of a text as [`Compact::new`], which is stored in `own` unless it is the text
    /// itself.
    pub fn of<'c>(text: &'c str, keep: &str, exact: bool, own: &'c mut Option<Self>) -> Option<&'c str> {
        let is_compact = |byte: u8| class_of(byte) & (DIGIT | UPPER) != 0;
        if text.len() <= MAX_COMPACT && text.bytes().all(is_compact) {
            return Some(text);
        }
        *own = Self::new(text, keep, exact);
        own.as_ref().map(Self::as_str)
    }

    /// Returns the value.
    pub fn as_str(&self) -> &str {
        self.bytes.get(..self.len).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default()
    }
}

/// Checks a compact value without its literal prefix with the parts, check and rule of a detector.
///
/// Returns an error if the value is not of the detector's form; a failed check is a verdict.
pub(crate) fn judge(detector: &Detector, value: &str) -> Result<(Verdict, Facts), Invalid> {
    judge_with(detector, value, false)
}

/// Checks a value like [`judge`]; if `strict`, stops at the first failed check and returns it as an error.
pub(crate) fn judge_with(
    detector: &Detector,
    value: &str,
    strict: bool,
) -> Result<(Verdict, Facts), Invalid> {
    let fault = |reason| if strict { Err(reason) } else { Ok(()) };
    let mut failed = None;
    let fails_check = detector.check.is_some_and(|check| !check.holds(value));
    let is_exempt = fails_check && detector.unchecked.is_some_and(|unchecked| unchecked.has(value));
    if fails_check && !is_exempt {
        // first, since most other numbers fail it
        fault(Invalid::Checksum)?;
        failed = Some(Invalid::Checksum);
    }
    for part in detector.parts {
        match part.check(value) {
            Ok(()) => {}
            Err(crate::catalogue::part::Misfit::Character) => return Err(Invalid::Format),
            Err(crate::catalogue::part::Misfit::Number) => {
                fault(Invalid::Component)?;
                failed = Some(Invalid::Component);
            }
        }
    }
    let checked = !detector.rules.is_empty()
        || detector.regions.is_some()
        || detector.check.is_some_and(|check| check.applies(value.len()));
    let region = detector.regions.as_ref().map(|regions| regions.of(value));
    if region == Some(None) {
        fault(Invalid::Component)?;
        failed = Some(Invalid::Component);
    }
    let mut facts = match detector.facts(value) {
        None => Facts::default(),
        Some(Ok(facts)) => facts,
        Some(Err(reason)) => {
            fault(reason)?;
            failed = match reason {
                Invalid::Component => Some(reason),
                Invalid::Checksum => failed.or(Some(reason)),
                Invalid::Format | Invalid::Length => return Err(reason),
            };
            Facts::default()
        }
    };
    if let Some(region) = region.flatten().filter(|region| !region.is_empty()) {
        facts.other = Some(("region", region));
    }
    // an impossible value says nothing of its holder
    if failed == Some(Invalid::Component) {
        facts = Facts::default();
    }
    let verdict = match failed {
        Some(reason) => Verdict::Failed(reason),
        None if is_exempt => Verdict::Exempt,
        None if checked || !detector.parts.is_empty() => Verdict::Valid,
        None => Verdict::Unchecked,
    };
    Ok((verdict, facts))
}
