//! The spelling of a replaced place, which its token carries for `restore`.
//!
//! A text can be written in several ways: `é` as `\u00e9` or `&eacute;`, a line folded at any place. A token has more characters
//! than its original. So its character at the index of one that is not written as we write it has the same form: `t\u006fk_…`.
//! Parsers read the same token. `restore` gives that form to the character of the original at that index.

use std::ops::Range;

use textveil_phrase::references::name_of;

use crate::{
    places::Places,
    syntax::{Escape, TOKEN},
};

/// The mark of contacts, which have escapes for punctuation alone: two folds of a line.
const FOLDS: &str = "\r\n \r\n ";
/// The zeros of a decimal reference that stands for a reference by name, or for none.
const NAMED: usize = 6;

/// A form in which a character may be written besides the usual one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// `\x41`.
    Byte,
    /// `\u0041`.
    Unit,
    /// `\U00000041`; of a character with another form, that one.
    Long,
    /// `&#65;` with so many zeros before its digits.
    Decimal(usize),
    /// `&#x41;` with so many zeros before its digits.
    Hex(usize),
    /// Percent-encoded, or not where that is usual.
    Percent,
    /// Escaped in a contact, or not where that is usual.
    Other,
}

/// The forms of the characters of a place.
pub(crate) struct Spelling {
    escape: Escape,
    /// By the index of the character; `None` for the usual form.
    forms: Vec<Option<Form>>,
    /// Folds before the characters at these indices.
    folds: Vec<(usize, String)>,
    /// Whether digits are in the case that is not usual.
    has_other_case: bool,
    is_of_token: bool,
}

impl Spelling {
    /// Reads the spelling of a place of a text that is written as `raw`. `None` if the escapes have one form only, or if neither
    /// the place nor its replacement is a token.
    pub(crate) fn of(
        escape: Escape,
        (text, raw, places): (&str, &str, &Places),
        place: Range<usize>,
        new: &str,
    ) -> Option<Self> {
        let old = text.get(place.clone())?;
        let is_of_token = old.contains(TOKEN) && !new.starts_with(TOKEN);
        if !escape.has_forms() || !(is_of_token || new.starts_with(TOKEN)) {
            return None;
        }
        let mut spelling =
            Self { escape, forms: Vec::new(), folds: Vec::new(), has_other_case: false, is_of_token };
        let mut written = Vec::new();
        for (index, (at, letter)) in old.char_indices().enumerate() {
            let at = place.start + at;
            let start = places.of(at);
            if let Some(fold) = raw.get(places.end_of(at)..start).filter(|fold| index > 0 && !fold.is_empty())
            {
                spelling.folds.push((index, fold.to_owned()));
            }
            written.push((letter, raw.get(start..places.end_of(at + letter.len_utf8()))?));
        }
        let case = match is_of_token {
            true => written.pop().filter(|(letter, raw)| !raw.starts_with(*letter)).is_some(),
            false => written.iter().any(|(_, raw)| escape.has_other_case(raw)),
        };
        spelling.has_other_case = case;
        let form = |(letter, raw): (char, &str)| match raw == spelling.usual(letter) {
            true => None,
            false => escape.form(raw),
        };
        spelling.forms = written.into_iter().map(form).collect();
        spelling.read_marks();
        Some(spelling)
    }

    /// Takes the folds that are marks.
    fn read_marks(&mut self) {
        let forms = &mut self.forms;
        self.folds.retain(|(index, fold)| match forms.get_mut(*index).filter(|_| fold == FOLDS) {
            Some(form) => {
                *form = Some(Form::Other);
                false
            }
            None => true,
        });
    }

    /// Writes a text in the spelling.
    pub(crate) fn written(&self, new: &str) -> String {
        let mut out = String::with_capacity(new.len());
        let last = new.chars().count().saturating_sub(1);
        let mut folds = self.folds.iter().peekable();
        for (index, letter) in new.chars().enumerate() {
            while let Some((_, fold)) = folds.next_if(|(at, _)| *at <= index) {
                out.push_str(fold);
            }
            let form = self.forms.get(index).copied().flatten();
            let case = self.has_other_case && !self.is_of_token && index == last;
            match form.or_else(|| case.then(|| self.escape.form("")).flatten()) {
                Some(form) => out.push_str(&self.spelled(letter, form)),
                None => out.push_str(&self.usual(letter)),
            }
        }
        out
    }

    fn usual(&self, letter: char) -> String {
        let written = self.escape.escaped(letter.encode_utf8(&mut [0; 4]));
        match self.escape {
            Escape::Json | Escape::Double { .. } if self.has_other_case && written.starts_with("\\u") => {
                written.to_ascii_uppercase().replace('U', "u")
            }
            Escape::Address | Escape::Addresses if self.has_other_case && written.starts_with('%') => {
                written.to_ascii_lowercase()
            }
            _ => written,
        }
    }

    /// Writes a character in a form.
    fn spelled(&self, letter: char, form: Form) -> String {
        let code = u32::from(letter);
        let hex = |width: usize, code: u32| match self.has_other_case {
            true => format!("{code:0width$X}"),
            false => format!("{code:0width$x}"),
        };
        let units = || {
            letter
                .encode_utf16(&mut [0; 2])
                .iter()
                .map(|unit| format!("\\u{}", hex(4, (*unit).into())))
                .collect()
        };
        match form {
            Form::Byte if code < 0x100 => format!("\\x{}", hex(2, code)),
            Form::Unit if self.escape == Escape::Json && letter == '/' => "\\/".to_owned(),
            Form::Byte | Form::Unit => units(),
            Form::Long => match other_escape(letter) {
                Some(other) if other != self.usual(letter) => other.to_owned(),
                Some("\n") => "\\n".to_owned(),
                _ => format!("\\U{}", hex(8, code)),
            },
            Form::Decimal(NAMED) => self.reference(letter),
            Form::Decimal(zeros) => format!("&#{}{code};", "0".repeat(zeros)),
            Form::Hex(zeros) => format!("&#x{}{};", "0".repeat(zeros), hex(1, code)),
            Form::Percent => match self.usual(letter) {
                escaped if escaped.starts_with('%') => letter.to_string(),
                _ => letter
                    .encode_utf8(&mut [0; 4])
                    .bytes()
                    .map(|byte| match self.has_other_case {
                        true => format!("%{byte:02x}"),
                        false => format!("%{byte:02X}"),
                    })
                    .collect(),
            },
            Form::Other => match letter {
                ',' | ';' if self.usual(letter).len() > 1 => letter.to_string(),
                ',' | ';' | ':' => format!("\\{letter}"),
                '\n' => "\\N".to_owned(),
                '\\' => "\\".to_owned(),
                _ => format!("{FOLDS}{letter}"),
            },
        }
    }

    /// Writes a character as a reference by its name, or as itself where that is not usual. One of a token is a mark.
    fn reference(&self, letter: char) -> String {
        let code = u32::from(letter);
        if letter.is_ascii_alphanumeric() || letter == '_' {
            return format!("&#{}{code};", "0".repeat(NAMED));
        }
        if self.usual(letter).len() > letter.len_utf8() && self.escape != Escape::Attribute(letter) {
            return letter.to_string();
        }
        name_of(letter).map_or_else(|| format!("&#{code};"), |name| format!("&{name};"))
    }
}

impl Escape {
    /// Whether characters have several forms.
    fn has_forms(self) -> bool {
        matches!(
            self,
            Self::Json
                | Self::Double { .. }
                | Self::Text
                | Self::Attribute(_)
                | Self::Address
                | Self::Addresses
                | Self::Contact { .. }
                | Self::Parameter { .. }
        )
    }

    /// Returns the form that a character has which is not written as usual.
    fn form(self, raw: &str) -> Option<Form> {
        let zeros = |digits: &str| digits.len() - digits.trim_start_matches('0').len();
        match self {
            Self::Json => Some(Form::Unit),
            Self::Double { .. } => Some(match raw {
                _ if raw.starts_with("\\x") => Form::Byte,
                _ if raw.is_empty() || raw.starts_with("\\u") => Form::Unit,
                _ => Form::Long,
            }),
            Self::Text | Self::Attribute(_) => Some(match raw.strip_prefix("&#") {
                Some(digits) if digits.starts_with(['x', 'X']) => {
                    Form::Hex(zeros(digits.get(1..).unwrap_or_default()))
                }
                Some(digits) => Form::Decimal(zeros(digits)),
                None => Form::Decimal(NAMED),
            }),
            Self::Address | Self::Addresses => Some(Form::Percent),
            Self::Contact { .. } => Some(Form::Other),
            _ => None,
        }
    }

    /// Whether what is written has digits in the case that is not usual.
    fn has_other_case(self, raw: &str) -> bool {
        match self {
            Self::Json | Self::Double { .. } => {
                raw.starts_with("\\") && raw.bytes().skip(2).any(|byte| byte.is_ascii_uppercase())
            }
            Self::Text | Self::Attribute(_) => {
                raw.starts_with("&#") && raw.bytes().skip(3).any(|byte| byte.is_ascii_uppercase())
            }
            Self::Address | Self::Addresses => {
                raw.starts_with('%') && raw.bytes().any(|byte| byte.is_ascii_lowercase())
            }
            _ => false,
        }
    }
}

/// Returns the other form of a character in double quotes, besides digits and the usual form.
fn other_escape(letter: char) -> Option<&'static str> {
    Some(match letter {
        '/' => "\\/",
        '\n' => "\n",
        '\t' => "\t",
        '\\' => "\\",
        '"' => "\"",
        ' ' => "\\ ",
        '\u{a0}' => "\\_",
        '\u{85}' => "\\N",
        '\u{2028}' => "\\L",
        '\u{2029}' => "\\P",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};

    use super::*;
    use crate::{Edit, contacts, json, references, strings, syntax::Syntax};

    type Decode = fn(&str) -> (String, Places);

    /// The escapes of a language, how its texts are decoded, and the spellings of characters, with their folds before them.
    fn languages() -> [(Escape, Decode, &'static [&'static str]); 6] {
        let string = |raw: &str| {
            let (text, places) = json::decode(&format!("\"{raw}\"")).unwrap();
            (text.clone(), places.within(0, text.len(), 1))
        };
        let double = |raw: &str| strings::decode_double(raw, 0);
        [
            (
                Escape::Json,
                string,
                &[
                    "a",
                    "é",
                    r"\u00e9",
                    r"\u0007",
                    r"\u003c",
                    "/",
                    r"\/",
                    r"\u0022",
                    r#"\""#,
                    r"\n",
                    "🦀",
                    r"\ud83e\udd80",
                ],
            ),
            (
                Escape::Double { has_lines: false },
                double,
                &[
                    "a",
                    "é",
                    r"\xe9",
                    r"\u00e9",
                    r"\n",
                    r"\x0a",
                    "\n",
                    "/",
                    r"\/",
                    r"\_",
                    r"\u00a0",
                    "🦀",
                    r"\U0001f980",
                    r"\N",
                    "\\\n  a",
                    "\\\r\n\\ ",
                    r"\\",
                    r"\ud83e\udd80",
                ],
            ),
            (
                Escape::Double { has_lines: true },
                double,
                &["a", "\n", r"\n", "\t", r"\t", r"\u00e9", "\"", r#"\""#],
            ),
            (
                Escape::Text,
                references::decode,
                &[
                    "a", "&", "&amp;", "&#38;", "é", "&eacute;", "&#233;", "&#xe9;", "&#039;", "'", "&apos;",
                    "<", "&lt;", "&nbsp;", "&#0064;", "š", "&scaron;", "&#353;", "&Lstrok;",
                ],
            ),
            (
                Escape::Attribute('\''),
                references::decode,
                &["a", "& ", "&amp;", "&#39;", "&apos;", "&#x27;", "\"", "&quot;", ">", "&gt;"],
            ),
            (
                Escape::Contact { is_text: true },
                contacts::decode,
                &["a", ",", r"\,", r"\;", r"\n", r"\N", r"\\", ":", r"\:", "\r\n a", "\n\tb"],
            ),
        ]
    }

    proptest! {
        #[test]
        fn a_token_carries_the_spelling(picks in vec(any::<prop::sample::Index>(), 1..12)) {
            for (escape, decode, spellings) in languages() {
                let raw = "x".to_owned() + &picks.iter().map(|pick| *pick.get(spellings)).collect::<String>();
                let (text, places) = decode(&raw);
                let token = format!("{TOKEN}{}", "b".repeat(60));
                let edit = Edit { place: 0..text.len(), text: token.clone() };
                let written = Syntax::escaped(places, escape).written(&raw, &text, &[edit]);
                let (read, places) = decode(&written);
                prop_assert_eq!(&read, &token, "{:?} {} {}", escape, raw, written);
                let edit = Edit { place: 0..read.len(), text };
                let restored = Syntax::escaped(places, escape).written(&written, &read, &[edit]);
                prop_assert_eq!(restored, raw, "{:?} {}", escape, written);
            }
        }
    }
}
