//! The values of a document, and how another text is written in their place.

use std::ops::Range;

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use crate::references::{Reference, raw_place};

/// The unescaped characters of an address: the reserved and unreserved characters of RFC 3986.
const ADDRESS: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');
/// The same of several addresses, which spaces part from their sizes.
const ADDRESSES: &AsciiSet = &ADDRESS.remove(b' ');

/// A value of a record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Value {
    /// Its bytes in the raw text, quotes included.
    pub place: Range<usize>,
    /// Its column, key or field.
    pub label: Option<String>,
    /// Its text, without quotes, escapes and references.
    pub text: String,
    /// The gap between it and the preceding value.
    pub gap: Gap,
    /// Whether the values before and after it are read without it: an attribute inside a sentence.
    pub is_aside: bool,
    /// Whether it is a key, which is read in front of the next value.
    pub(crate) is_key: bool,
    /// The syntax in which its replacement is written.
    pub(crate) syntax: Syntax,
}

/// Longest label, in bytes. A longer one is no name that people gave, and is left out: each of many values would copy it.
pub(crate) const MAX_LABEL: usize = 100;

/// The label that a column, key or element is, if it may be one.
pub(crate) fn label(name: &str) -> Option<String> {
    (name.len() <= MAX_LABEL).then(|| name.to_owned())
}

/// The gap between a value and the preceding one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Gap {
    /// Nothing: they are parts of one line.
    None,
    /// A space.
    Space,
    /// A tab: they are cells of one row.
    Tab,
    /// A line break.
    #[default]
    Line,
}

impl Gap {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Space => " ",
            Self::Tab => "\t",
            Self::Line => "\n",
        }
    }
}

/// The syntax of a value in its document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// As it is.
    #[default]
    Plain,
    /// A cell of a table.
    Cell { delimiter: u8 },
    /// A string, number or key of JSON.
    Json,
    /// Text of a page, with character references.
    Markup(Vec<Reference>),
    /// The inside of a comment of a page.
    Comment,
    /// Code of a page.
    Code,
    /// A string, number or key of JSON in a script of a page.
    JsonInCode,
    /// A section of XML in which markup is text.
    Section,
    /// An attribute.
    Attribute,
    /// An attribute with an address; what precedes the value stays.
    Address { origin: String },
    /// An attribute with several addresses.
    Addresses,
    /// A part of a page that is an attribute of another page, as it is written in that page.
    Nested { raw: String, syntax: Box<Syntax> },
}

/// A replacement inside a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Bytes of the value's text.
    pub place: Range<usize>,
    /// The new text.
    pub text: String,
}

impl Edit {
    /// The edit between two texts; `None` if they are equal. It leaves their common prefix and suffix.
    pub fn between(old: &str, new: &str) -> Option<Self> {
        if old == new {
            return None;
        }
        let start = common(old.chars(), new.chars());
        let (old_rest, new_rest) = (old.get(start..)?, new.get(start..)?);
        let end = common(old_rest.chars().rev(), new_rest.chars().rev());
        let text = new_rest.get(..new_rest.len() - end)?.to_owned();
        Some(Self { place: start..old.len() - end, text })
    }
}

/// Returns the length of the common prefix of two texts, in bytes.
fn common(one: impl Iterator<Item = char>, other: impl Iterator<Item = char>) -> usize {
    one.zip(other).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
}

impl Value {
    /// A value that is written as it reads, with its label if it has one.
    pub fn plain(label: Option<String>, text: String) -> Self {
        Self { label, text, ..Self::default() }
    }

    /// Writes the value with its edits, which are in order and do not overlap. `raw` is how it is written now.
    pub(crate) fn written(&self, raw: &str, edits: &[Edit]) -> String {
        self.syntax.written(raw, &self.text, edits)
    }
}

impl Syntax {
    fn written(&self, raw: &str, text: &str, edits: &[Edit]) -> String {
        if edits.is_empty() {
            return raw.to_owned();
        }
        let new = || edited(text, edits);
        match self {
            Self::Plain => new(),
            Self::Cell { delimiter } => cell(raw, &new(), char::from(*delimiter)),
            Self::Json => json(&new()),
            Self::Markup(references) => {
                let at = |place| raw_place(references, place);
                let edits: Vec<_> = edits
                    .iter()
                    .map(|Edit { place, text }| Edit {
                        place: at(place.start)..at(place.end),
                        text: escape(text),
                    })
                    .collect();
                edited(raw, &edits)
            }
            Self::Comment => new().replace("-->", "--&gt;"),
            Self::Code => closed(&new()),
            Self::JsonInCode => closed(&json(&new())),
            Self::Section => new().replace("]]>", "]]]]><![CDATA[>"),
            Self::Attribute => format!("\"{}\"", escape(&new())),
            Self::Address { origin } => {
                let carried = utf8_percent_encode(&new(), ADDRESS).to_string();
                format!("\"{}{}\"", origin.replace('"', "&quot;"), escape(&carried))
            }
            Self::Addresses => {
                format!("\"{}\"", escape(&utf8_percent_encode(&new(), ADDRESSES).to_string()))
            }
            Self::Nested { raw, syntax } => escape(&syntax.written(raw, text, edits)),
        }
    }
}

/// Returns the text with its edits, which are in order and do not overlap.
pub fn edited(text: &str, edits: &[Edit]) -> String {
    let mut new = String::with_capacity(text.len());
    let mut done = 0;
    for Edit { place, text: replacement } in edits {
        new.push_str(text.get(done..place.start).unwrap_or_default());
        new.push_str(replacement);
        done = place.end;
    }
    new.push_str(text.get(done..).unwrap_or_default());
    new
}

fn cell(old: &str, new: &str, delimiter: char) -> String {
    let is_quoted = old.starts_with('"') || new.contains([delimiter, '"', '\n', '\r']);
    if is_quoted { format!("\"{}\"", new.replace('"', "\"\"")) } else { new.to_owned() }
}

fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Escapes a text for a page: in text, and in an attribute with double quotes.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            character => escaped.push(character),
        }
    }
    escaped
}

/// Writes code so that it does not end its element: an end tag is one wherever it stands.
fn closed(code: &str) -> String {
    let mut out = String::with_capacity(code.len());
    let mut parts = code.split("</");
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        out.push_str(if part.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
            "<\\/"
        } else {
            "</"
        });
        out.push_str(part);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_edit_between_two_texts_is_small() {
        for (old, new, place, text) in [
            ("a b c", "a x c", 2..3, "x"),
            ("čb", "čšb", 2..2, "š"),
            ("aa", "a", 1..2, ""),
            ("", "a", 0..0, "a"),
            ("žš", "šž", 0..4, "šž"),
        ] {
            assert_eq!(Edit::between(old, new), Some(Edit { place, text: text.into() }), "{old} {new}");
        }
        assert_eq!(Edit::between("same", "same"), None);
    }

    #[test]
    fn each_syntax_keeps_its_document_whole() {
        let origin = "https://a.example".to_owned();
        for (syntax, raw, text, new, written) in [
            (Syntax::Plain, "a", "a", "<\"", "<\""),
            (Syntax::Cell { delimiter: b';' }, "a", "a", "x,y", "x,y"),
            (Syntax::Cell { delimiter: b';' }, "a", "a", "x;\"y", "\"x;\"\"y\""),
            (Syntax::Cell { delimiter: b',' }, "\"a\"", "a", "x", "\"x\""),
            (Syntax::Json, "1.0", "1.0", "a\"\n", r#""a\"\n""#),
            (Syntax::Comment, "a", "a", "a-->b", "a--&gt;b"),
            (Syntax::Code, "a", "a", "'</script>' </ 1", "'<\\/script>' </ 1"),
            (Syntax::JsonInCode, "\"a\"", "a", "</b>", "\"<\\/b>\""),
            (Syntax::Section, "a", "a", "]]>", "]]]]><![CDATA[>"),
            (Syntax::Attribute, "'a'", "a", "\"<&", "\"&quot;&lt;&amp;\""),
            (Syntax::Address { origin }, "x", "/a", "/[é]?a=b", "\"https://a.example/%5B%C3%A9%5D?a=b\""),
            (Syntax::Addresses, "x", "a 1x", "[[ 1x", "\"%5B%5B 1x\""),
        ] {
            let edit = Edit { place: 0..text.len(), text: new.into() };
            assert_eq!(syntax.written(raw, text, &[edit]), written, "{syntax:?}");
            assert_eq!(syntax.written(raw, text, &[]), raw, "{syntax:?}");
        }
    }

    #[test]
    fn references_outside_an_edit_stay() {
        let (text, references) = crate::references::decode("&copy; a &amp; b &eacute;");
        let value = Value { text, syntax: Syntax::Markup(references), ..Value::default() };
        let at = value.text.find('a').unwrap();
        let edit = Edit { place: at..at + 5, text: "<x>".into() };
        assert_eq!(value.written("&copy; a &amp; b &eacute;", &[edit]), "&copy; &lt;x&gt; &eacute;");
    }
}
