//! Writes the replacements of a value so that its document stays whole.
//!
//! Edits of a value's text become edits of what is written, through its layers of escapes. So every other byte of the
//! value stays: its quotes, and the escapes outside the replaced places.
//!
//! A token says how `restore` must write its original: the first letter of one that was a number of JSON is escaped, and so are
//! those in the places of other forms ([`crate::spelling`]). Parsers read the same text.

use std::ops::Range;

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use crate::{
    csv,
    json::is_number,
    places::Places,
    spelling::Spelling,
    sql::NUMBER,
    value::{Edit, edited},
    yaml,
};

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

/// The prefix of every token.
pub(crate) const TOKEN: &str = "tok_";
/// The same where the original is a number of JSON, or a part of one.
const TOKEN_OF_NUMBER: &str = r"\u0074ok_";

/// The syntax of a value in its document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Syntax {
    /// The layers of escapes, from the text as it reads to the text as it is written.
    layers: Vec<Layer>,
    frame: Frame,
    /// Whether it is code in a page, which an end tag ends wherever it stands.
    is_code: bool,
    /// The attribute of a page that the document of the value is in.
    outer: Option<Box<Outer>>,
}

/// A layer of escapes.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Layer {
    places: Places,
    escape: Escape,
    /// The text that it writes, where another layer escapes that again.
    written: Option<String>,
}

/// The escapes of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Escape {
    /// None.
    None,
    /// A character twice, as in the quotes of CSV.
    Doubled(char),
    /// A quoted cell of CSV in which backslashes escape quotes; others stay.
    Backslashed,
    /// A string of JSON.
    Json,
    /// Text of a page.
    Text,
    /// An attribute in these quotes.
    Attribute(char),
    /// An address.
    Address,
    /// Several addresses with sizes.
    Addresses,
    /// A string of SQL, as it is written: a quote stays that is escaped already.
    Sql,
    /// A row of a `COPY` of SQL, as it is written.
    Copied,
    /// A text that ends with its line. A line break behind a backslash stays.
    Line,
    /// A string in double quotes, as it is written: a quote stays that is escaped already.
    Quoted,
    /// A string in which nothing is escaped, in these quotes.
    Literal {
        /// The quote that ends it.
        quote: char,
        /// The number of quotes that end it.
        times: usize,
        /// Whether it may have line breaks.
        has_lines: bool,
    },
    /// A string of YAML or TOML in double quotes.
    Double {
        /// Whether line breaks are written as such.
        has_lines: bool,
    },
    /// Lines that begin with so many spaces.
    Indented(usize),
    /// A text of vCard and iCalendar; of other values, only backslashes and line breaks are escaped.
    Contact {
        /// Whether it is a text.
        is_text: bool,
    },
    /// A parameter of vCard and iCalendar.
    Parameter {
        /// Whether it is in double quotes.
        is_quoted: bool,
    },
}

/// The quotes around a value, or the marks that it must not contain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Frame {
    #[default]
    None,
    /// The value is written as a whole.
    Anew,
    /// A cell of a table, which is quoted where it has to be.
    Cell { delimiter: u8 },
    /// A string of JSON.
    Json,
    /// A number of JSON, which becomes a string.
    JsonNumber,
    /// A string of TOML.
    Toml,
    /// A number or a date of TOML, which becomes a string.
    TomlBare,
    /// A key of TOML without quotes, which is quoted where it has to be.
    TomlKey,
    /// A scalar of YAML without quotes, which is quoted where it has to be.
    Plain {
        /// Whether it is in brackets.
        is_flow: bool,
    },
    /// A scalar of YAML in single quotes, which gets double quotes for a line break.
    Single,
    /// A number of SQL, which becomes a string.
    SqlNumber,
    /// A string of SQL that was a number.
    SqlToken,
    /// The inside of a comment of a page.
    Comment,
    /// The inside of a processing instruction of XML.
    Instruction,
    /// A section of XML in which markup is text.
    Section,
    /// The inside of a comment of SQL over lines.
    SqlComment,
    /// An attribute without quotes, which is quoted where it has to be.
    Unquoted,
}

/// The attribute around a document.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Outer {
    /// The value as it is written in the inner document.
    raw: String,
    layer: Layer,
}

impl Syntax {
    /// Text with these escapes.
    pub(crate) fn escaped(places: Places, escape: Escape) -> Self {
        Self { layers: vec![Layer { places, escape, written: None }], ..Self::default() }
    }

    /// Text that is written as it reads, between what is left out.
    pub(crate) fn placed(places: Places) -> Self {
        Self::escaped(places, Escape::None)
    }

    /// Text that is written as it reads, and as a whole.
    pub(crate) fn anew() -> Self {
        Self { frame: Frame::Anew, ..Self::default() }
    }

    /// A cell of a table, with the places and the escapes of a quoted one.
    pub(crate) fn cell(delimiter: u8, quoting: Option<(Places, Escape)>) -> Self {
        let layers =
            quoting.map(|(places, escape)| Layer { places, escape, written: None }).into_iter().collect();
        Self { layers, frame: Frame::Cell { delimiter }, ..Self::default() }
    }

    /// A string of JSON, with its quotes.
    pub(crate) fn json(places: Places) -> Self {
        Self { frame: Frame::Json, ..Self::escaped(places, Escape::Json) }
    }

    /// A number of JSON.
    pub(crate) fn json_number() -> Self {
        Self { frame: Frame::JsonNumber, ..Self::default() }
    }

    /// A string of TOML in double quotes.
    pub(crate) fn toml_string(places: Places, is_long: bool) -> Self {
        let frame = if is_long { Frame::None } else { Frame::Toml };
        Self { frame, ..Self::escaped(places, Escape::Double { has_lines: is_long }) }
    }

    /// A number or a date of TOML.
    pub(crate) fn toml_bare() -> Self {
        Self { frame: Frame::TomlBare, ..Self::default() }
    }

    /// The last part of a key of TOML, from a place on.
    pub(crate) fn toml_key(start: usize) -> Self {
        Self { frame: Frame::TomlKey, ..Self::placed(Places::from(start)) }
    }

    /// A scalar of YAML without quotes.
    pub(crate) fn plain(is_flow: bool) -> Self {
        Self { frame: Frame::Plain { is_flow }, ..Self::default() }
    }

    /// A scalar of YAML in single quotes.
    pub(crate) fn single(places: Places) -> Self {
        Self { frame: Frame::Single, ..Self::escaped(places, Escape::Doubled('\'')) }
    }

    /// A number of SQL.
    pub(crate) fn sql_number() -> Self {
        Self { frame: Frame::SqlNumber, ..Self::default() }
    }

    /// A string of SQL that was a number, with its mark.
    pub(crate) fn sql_token() -> Self {
        Self { frame: Frame::SqlToken, ..Self::escaped(Places::from(1), Escape::Sql) }
    }

    /// The inside of a comment of a page.
    pub(crate) fn comment() -> Self {
        Self { frame: Frame::Comment, ..Self::default() }
    }

    /// The inside of a processing instruction of XML.
    pub(crate) fn instruction() -> Self {
        Self { frame: Frame::Instruction, ..Self::default() }
    }

    /// The inside of a comment of SQL over lines.
    pub(crate) fn sql_comment() -> Self {
        Self { frame: Frame::SqlComment, ..Self::default() }
    }

    /// A section of XML.
    pub(crate) fn section() -> Self {
        Self { frame: Frame::Section, ..Self::default() }
    }

    /// Code of a page.
    pub(crate) fn code() -> Self {
        Self { is_code: true, ..Self::default() }
    }

    /// An attribute, with its quotes if it has any.
    pub(crate) fn attribute(places: Places, quote: Option<char>) -> Self {
        let frame = if quote.is_none() { Frame::Unquoted } else { Frame::None };
        Self { frame, ..Self::escaped(places, Escape::Attribute(quote.unwrap_or('"'))) }
    }

    /// The same in a script of a page.
    pub(crate) fn in_code(self) -> Self {
        Self { is_code: true, ..self }
    }

    /// The same with a layer of escapes that is read after the others, of a text that is `written` so.
    pub(crate) fn with(mut self, places: Places, escape: Escape, written: String) -> Self {
        self.layers.insert(0, Layer { places, escape, written: Some(written) });
        self
    }

    /// The same in a document that is an attribute of another one. `raw` is how the value is written in the inner one,
    /// `places` are those of `raw`.
    pub(crate) fn inside(self, raw: &str, places: Places, quote: char) -> Self {
        let layer = Layer { places, escape: Escape::Attribute(quote), written: None };
        Self { outer: Some(Box::new(Outer { raw: raw.to_owned(), layer })), ..self }
    }

    /// Returns where a place of the text is written, in bytes of the raw text.
    pub(crate) fn place(&self, place: usize) -> usize {
        let outer = self.outer.iter().map(|outer| &outer.layer);
        self.layers.iter().chain(outer).fold(place, |place, layer| layer.places.of(place))
    }

    /// Writes a text with edits, which are in order and do not overlap. `raw` is how it is written now.
    pub(crate) fn written(&self, raw: &str, text: &str, edits: &[Edit]) -> String {
        if edits.is_empty() {
            return raw.to_owned();
        }
        let inner = self.outer.as_ref().map_or(raw, |outer| outer.raw.as_str());
        let mut edits = self.frame.whole(inner, text, edits).unwrap_or_else(|| {
            let (mut text, mut layered) = (text, edits.to_vec());
            for layer in &self.layers {
                let written = layer.written.as_deref().unwrap_or(inner);
                layered = layer.outwards(text, written, layered);
                text = written;
            }
            self.frame.around(inner, layered)
        });
        if self.is_code {
            edits = replaced(inner, edits, closed);
        }
        if let Some(outer) = &self.outer {
            edits = outer.layer.outwards(inner, raw, edits);
        }
        edited(raw, &edits)
    }
}

impl Layer {
    /// Turns the edits of a text into those of what is written.
    fn outwards(&self, text: &str, raw: &str, edits: Vec<Edit>) -> Vec<Edit> {
        let outwards = |Edit { place, text: new }: Edit| {
            let spelling = Spelling::of(self.escape, (text, raw, &self.places), place.clone(), &new);
            let text = spelling.map_or_else(|| self.escape.escaped(&new), |spelling| spelling.written(&new));
            let start = self.places.of(place.start);
            Edit { place: start..self.places.end_of(place.end).max(start), text }
        };
        edits.into_iter().map(outwards).collect()
    }
}

impl Escape {
    /// Escapes a text in the usual forms.
    pub(crate) fn escaped(self, text: &str) -> String {
        match self {
            Self::None => text.to_owned(),
            Self::Doubled(quote) => text.replace(quote, &format!("{quote}{quote}")),
            Self::Backslashed => csv::with_backslashes(text),
            Self::Json | Self::Double { has_lines: false } => json_inside(text),
            Self::Text => references(text, |letter| matches!(letter, '&' | '<' | '>')),
            Self::Attribute(quote) => {
                references(text, |letter| matches!(letter, '&' | '<' | '>') || letter == quote)
            }
            Self::Address => utf8_percent_encode(text, ADDRESS).to_string(),
            Self::Addresses => utf8_percent_encode(text, ADDRESSES).to_string(),
            Self::Sql => sql_inside(text),
            Self::Copied => text.replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r"),
            Self::Line => on_one_line(text),
            Self::Quoted => quoted_inside(text),
            Self::Literal { quote, times, has_lines } => {
                let mark = quote.to_string().repeat(times);
                let text = text.replace(&mark, &"’".repeat(mark.len()));
                if has_lines { text } else { on_one_line(&text) }
            }
            Self::Double { has_lines: true } => {
                text.split('\n').map(json_inside).collect::<Vec<_>>().join("\n")
            }
            Self::Indented(spaces) => {
                // an empty line has no spaces
                let indent = " ".repeat(spaces);
                let mut lines =
                    text.split('\n').enumerate().map(|(index, line)| match index == 0 || line.is_empty() {
                        true => line.to_owned(),
                        false => format!("{indent}{line}"),
                    });
                let first = lines.next().unwrap_or_default();
                lines.fold(first, |text, line| text + "\n" + &line)
            }
            Self::Contact { is_text } => {
                let escaped = text.replace('\\', "\\\\").replace('\r', "").replace('\n', "\\n");
                if is_text { escaped.replace(',', "\\,").replace(';', "\\;") } else { escaped }
            }
            Self::Parameter { is_quoted } => {
                let text = on_one_line(text).replace('"', "'");
                if is_quoted { text } else { text.replace([':', ';', ','], " ") }
            }
        }
    }
}

/// Replaces line breaks, except those behind a backslash.
fn on_one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' if !out.ends_with(['\\', '\r']) => out.push(' '),
            '\r' if !out.ends_with('\\') => out.push(' '),
            '\n' if out.ends_with('\r') && !out.ends_with("\\\r") => {}
            _ => out.push(letter),
        }
    }
    out
}

/// Escapes the double quotes of a text, except those that are escaped already.
fn quoted_inside(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => {
                out.push(letter);
                out.extend(letters.next());
            }
            '"' => out.push_str("\\\""),
            _ => out.push(letter),
        }
    }
    out
}

impl Frame {
    /// The edits of a value that is written anew as a whole; `None` for any other.
    fn whole(self, raw: &str, text: &str, edits: &[Edit]) -> Option<Vec<Edit>> {
        let new = match self {
            Self::Anew => edited(text, edits),
            Self::JsonNumber | Self::TomlBare => {
                let written = json_inside(&edited(text, edits)).replacen(TOKEN, TOKEN_OF_NUMBER, 1);
                format!("\"{written}\"")
            }
            Self::SqlNumber => {
                let new = sql_inside(&edited(text, edits));
                format!("'{new}'{}", if new.contains(TOKEN) { NUMBER } else { "" })
            }
            Self::SqlToken => Some(edited(text, edits)).filter(|new| is_digits(new))?,
            Self::Json => {
                Some(edited(text, edits)).filter(|new| raw.contains(TOKEN_OF_NUMBER) && is_number(new))?
            }
            Self::Toml => {
                Some(edited(text, edits)).filter(|new| raw.contains(TOKEN_OF_NUMBER) && is_bare(new))?
            }
            _ => return None,
        };
        Some(vec![Edit { place: 0..raw.len(), text: new }])
    }

    /// The edits with what they make necessary around them.
    fn around(self, raw: &str, edits: Vec<Edit>) -> Vec<Edit> {
        match self {
            Self::None
            | Self::Anew
            | Self::Json
            | Self::JsonNumber
            | Self::Toml
            | Self::TomlBare
            | Self::SqlNumber
            | Self::SqlToken => edits,
            Self::TomlKey => {
                let new = edited(raw, &edits);
                let start = raw.rfind('.').map_or(0, |at| at + 1);
                let (before, name) = new.split_at_checked(start).unwrap_or(("", &new));
                let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
                if !name.is_empty() && name.bytes().all(is_bare) {
                    return edits;
                }
                let text = format!("{before}\"{}\"", json_inside(name));
                vec![Edit { place: 0..raw.len(), text }]
            }
            Self::Plain { is_flow } => {
                // a line break in a scalar without quotes reads as a space
                let may_stay = !has_lines(raw, &edits) && yaml::is_plain(&edited(raw, &edits), is_flow);
                // quotes would change a text that is not one scalar
                if may_stay || !yaml::is_plain(raw, is_flow) {
                    return edits;
                }
                vec![Edit {
                    place: 0..raw.len(),
                    text: double_quoted(raw, 0..raw.len(), &edits, str::to_owned),
                }]
            }
            Self::Single => {
                if !has_lines(raw, &edits) {
                    return edits;
                }
                let inside = 1..raw.len().saturating_sub(1);
                let text = double_quoted(raw, inside, &edits, |part| part.replace("''", "'"));
                vec![Edit { place: 0..raw.len(), text }]
            }
            Self::Cell { delimiter } => {
                let is_quoted = raw.len() > 1 && raw.starts_with('"') && raw.ends_with('"');
                let new = edited(raw, &edits);
                let needs_quotes = |edit: &Edit| {
                    // a quote inside a restored original was inside a cell without quotes, too
                    edit.text.contains([char::from(delimiter), '\n', '\r'])
                        || edit.text.contains('"') && !(is_token(raw, edit) && csv::reads_as_written(&new))
                };
                if is_quoted || !edits.iter().any(needs_quotes) {
                    return edits;
                }
                let quoted = new.replace('"', "\"\"");
                vec![Edit { place: 0..raw.len(), text: format!("\"{quoted}\"") }]
            }
            Self::Comment => in_comment(raw, edits),
            Self::Instruction => replaced(raw, edits, |new| new.replace("?>", "?&gt;")),
            Self::SqlComment => replaced(raw, edits, |new| new.replace("*/", "* /")),
            Self::Section => replaced(raw, edits, |new| new.replace("]]>", "]]]]><![CDATA[>")),
            Self::Unquoted => replaced(raw, edits, |new| {
                let needs_quotes = |letter: char| letter.is_whitespace() || "\"'`=<>".contains(letter);
                match new.is_empty() || new.contains(needs_quotes) || new.ends_with('/') {
                    true => format!("\"{new}\""),
                    false => new.to_owned(),
                }
            }),
        }
    }
}

/// Whether edits write line breaks, besides those of the originals of tokens.
fn has_lines(raw: &str, edits: &[Edit]) -> bool {
    edits.iter().any(|edit| edit.text.contains(['\n', '\r']) && !is_token(raw, edit))
}

/// Writes a scalar of YAML in double quotes. Its own line breaks stay, which mean the same there.
fn double_quoted(raw: &str, inside: Range<usize>, edits: &[Edit], read: impl Fn(&str) -> String) -> String {
    let mut out = String::from("\"");
    let mut done = inside.start;
    let own = |part: &str| read(part).replace('\\', "\\\\").replace('"', "\\\"");
    for Edit { place, text } in edits {
        out.push_str(&own(raw.get(done..place.start).unwrap_or_default()));
        out.push_str(&json_inside(&read(text)));
        done = place.end;
    }
    out.push_str(&own(raw.get(done..inside.end).unwrap_or_default()));
    out.push('"');
    out
}

/// Whether an edit replaces a token, to restore its original.
fn is_token(raw: &str, edit: &Edit) -> bool {
    raw.get(edit.place.clone()).is_some_and(|old| old.contains(TOKEN))
}

/// Escapes the parts of edits that would end their comment, or that XML allows in none: `--`. The original of a token was in a
/// comment before.
fn in_comment(raw: &str, mut edits: Vec<Edit>) -> Vec<Edit> {
    let mut before = String::new();
    let mut done = 0;
    for edit in &mut edits {
        before.push_str(raw.get(done..edit.place.start).unwrap_or_default());
        done = edit.place.end;
        let start = before.len();
        let is_restored = is_token(raw, edit);
        let next = raw.get(done..).and_then(|rest| rest.chars().next());
        let mut letters = edit.text.chars().peekable();
        while let Some(letter) = letters.next() {
            let ends =
                || before.is_empty() || before == "-" || before.ends_with("--") || before.ends_with("--!");
            match letter {
                '>' if ends() => before.push_str("&gt;"),
                '-' if !is_restored
                    && (before.ends_with('-')
                        || letters.peek().is_none() && matches!(next, None | Some('-'))) =>
                {
                    before.push_str("&#45;");
                }
                _ => before.push(letter),
            }
        }
        edit.text = before.get(start..).unwrap_or_default().to_owned();
    }
    edits
}

/// The edits, or one edit of the whole where `repair` changes what they write.
fn replaced(raw: &str, edits: Vec<Edit>, repair: impl Fn(&str) -> String) -> Vec<Edit> {
    let new = edited(raw, &edits);
    let repaired = repair(&new);
    if new == repaired { edits } else { vec![Edit { place: 0..raw.len(), text: repaired }] }
}

/// Escapes a text for the inside of a string of JSON.
fn json_inside(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted.get(1..quoted.len() - 1).unwrap_or_default().to_owned()
}

/// Doubles the quotes of a text for the inside of a string of SQL, except those that are escaped already.
fn sql_inside(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        out.push(letter);
        match letter {
            '\\' => out.extend(letters.next_if_eq(&'\'')),
            '\'' => {
                letters.next_if_eq(&'\'');
                out.push('\'');
            }
            _ => {}
        }
    }
    out
}

/// Whether a text is a number or a date of TOML.
fn is_bare(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '+' | '-'))
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-._:".contains(&byte))
}

/// Whether a text is a number of SQL.
fn is_digits(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.')
}

/// Writes some characters of a text as references of a page.
fn references(text: &str, is_special: impl Fn(char) -> bool) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            _ if !is_special(letter) => escaped.push(letter),
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            _ => escaped.push_str("&#39;"),
        }
    }
    escaped
}

/// Writes code so that it does not end its element: its end tag is one wherever it stands.
fn closed(code: &str) -> String {
    let ends = |part: &str| {
        ["script", "style"]
            .iter()
            .any(|name| part.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name)))
    };
    let mut out = String::with_capacity(code.len());
    let mut parts = code.split("</");
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        out.push_str(if ends(part) { "<\\/" } else { "</" });
        out.push_str(part);
    }
    out
}

/// Returns the places in a text that may be tokens: words with the prefix of tokens.
pub fn tokens(text: &str) -> impl Iterator<Item = Range<usize>> {
    let is_inside = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let mut done = 0;
    std::iter::from_fn(move || {
        let at = done + text.get(done..)?.find(TOKEN)?;
        let before = text.as_bytes().get(done..at)?.iter().rev().take_while(|byte| is_inside(**byte)).count();
        let after = text.as_bytes().get(at..)?.iter().take_while(|byte| is_inside(**byte)).count();
        done = at + after;
        Some(at - before..done)
    })
}

#[cfg(test)]
#[allow(clippy::string_slice, reason = "a test may fail")]
mod tests {
    use super::*;

    /// A string of JSON as it is written.
    fn string(raw: &str) -> (Syntax, String) {
        let (text, places) = crate::json::decode(raw).unwrap();
        (Syntax::json(places), text)
    }

    #[test]
    fn each_syntax_keeps_its_document_whole() {
        let literal = |times| {
            Syntax::escaped(Places::from(times), Escape::Literal { quote: '\'', times, has_lines: true })
        };
        let quoted = || Some((Places::from(1), Escape::Doubled('"')));
        for (syntax, raw, text, new, written) in [
            (Syntax::default(), "a", "a", "<\"", "<\""),
            (Syntax::cell(b';', None), "a", "a", "x,y", "x,y"),
            (Syntax::cell(b';', None), "a", "a", "x;\"y", "\"x;\"\"y\""),
            (Syntax::cell(b',', quoted()), "\"a\"", "a", "x", "\"x\""),
            (Syntax::cell(b',', quoted()), "\"a\"", "a", "x\"", "\"x\"\"\""),
            (literal(1), "'a'", "a", "x'\ny", "'x’\ny'"),
            (literal(3), "'''a'''", "a", "x'\n'''y", "'''x'\n’’’y'''"),
            (Syntax::json_number(), "1.0", "1.0", "a\"\n", r#""a\"\n""#),
            (Syntax::json(Places::from(1)), "\"a\"", "a", "a\"\n", r#""a\"\n""#),
            (Syntax::comment(), "a", "a", "a-->b", "a-&#45;>b"),
            (Syntax::comment(), "a", "a", ">-", "&gt;&#45;"),
            (Syntax::comment(), "tok_a", "tok_a", "a--b-->", "a--b--&gt;"),
            (Syntax::instruction(), "a", "a", "b?>", "b?&gt;"),
            (Syntax::code(), "a", "a", "'</script>' </ 1", "'<\\/script>' </ 1"),
            (Syntax::json(Places::from(1)).in_code(), "\"a\"", "a", "</Script>", "\"<\\/Script>\""),
            (Syntax::single(Places::from(1)), "'a'", "a", "x'y", "'x''y'"),
            (Syntax::single(Places::from(1)), "'a'", "a", "x'\ny\"", r#""x'\ny\"""#),
            (Syntax::plain(false), "a", "a", "x'\ny", r#""x'\ny""#),
            (Syntax::section(), "a", "a", "]]>", "]]]]><![CDATA[>"),
            (Syntax::attribute(Places::from(1), Some('\'')), "'a'", "a", "\"<&'", "'\"&lt;&amp;&#39;'"),
            (Syntax::attribute(Places::default(), None), "a", "a", "b", "b"),
            (Syntax::attribute(Places::default(), None), "a", "a", "b c", "\"b c\""),
            (
                Syntax::attribute(Places::from(18), Some('"')).with(
                    Places::default(),
                    Escape::Address,
                    "/a".into(),
                ),
                "\"https://a.example/a\"",
                "/a",
                "/[é]?a=b",
                "\"https://a.example/%5B%C3%A9%5D?a=b\"",
            ),
            (
                Syntax::attribute(Places::from(1), Some('"')).with(
                    Places::default(),
                    Escape::Addresses,
                    "a 1x".into(),
                ),
                "\"a 1x\"",
                "a 1x",
                "[[ 1x",
                "\"%5B%5B 1x\"",
            ),
        ] {
            let edit = Edit { place: 0..text.len(), text: new.into() };
            assert_eq!(syntax.written(raw, text, &[edit]), written, "{syntax:?}");
            assert_eq!(syntax.written(raw, text, &[]), raw, "{syntax:?}");
        }
    }

    #[test]
    fn escapes_outside_an_edit_stay() {
        let (text, places) = crate::references::decode("&copy; a &amp; b &eacute;");
        let at = text.find('a').unwrap();
        let edit = Edit { place: at..at + 5, text: "<x>".into() };
        let written =
            Syntax::escaped(places, Escape::Text).written("&copy; a &amp; b &eacute;", &text, &[edit]);
        assert_eq!(written, "&copy; &lt;x&gt; &eacute;");
        let raw = r#""\u00e9\n Jan \/ \"x""#;
        let (syntax, text) = string(raw);
        let at = text.find("Jan").unwrap();
        let edit = Edit { place: at..at + 3, text: "[\"]".into() };
        assert_eq!(syntax.written(raw, &text, &[edit]), r#""\u00e9\n [\"] \/ \"x""#);
        assert_eq!(&raw[syntax.place(at)..][..3], "Jan");
    }

    /// The original of a token is written again when it is restored.
    #[test]
    fn tokens_tell_how_their_originals_are_written() {
        let number = Edit { place: 0..4, text: "tok_xx_a".into() };
        assert_eq!(Syntax::json_number().written("1e10", "1e10", &[number]), r#""\u0074ok_xx_a""#);
        let part = Edit { place: 2..6, text: "tok_xx_a".into() };
        assert_eq!(Syntax::json_number().written("1.8312", "1.8312", &[part]), r#""1.\u0074ok_xx_a""#);
        for (raw, name, token, restored) in [
            (r#""René""#, "René", r#""tok_xx_a""#, r#""René""#),
            (r#""by Ren\u00e9""#, "René", r#""by tok\u005fxx_a""#, r#""by Ren\u00e9""#),
            (
                r#""Ren\u00E9 \ud83e\udd80""#,
                "René",
                r#""tok\u005Fxx_\u0061 \ud83e\udd80""#,
                r#""Ren\u00E9 \ud83e\udd80""#,
            ),
            (r#""\u0074ok_xx_a""#, "tok_xx_a", r#""\u0074ok_xx_a""#, "-1e3"),
            (r#""1.\u0074ok_xx_a""#, "tok_xx_a", r#""1.\u0074ok_xx_a""#, "1.8312"),
        ] {
            let (syntax, text) = string(raw);
            let at = text.find(name).unwrap();
            let edit = Edit { place: at..at + name.len(), text: "tok_xx_a".into() };
            assert_eq!(syntax.written(raw, &text, &[edit]), token);
            let (raw, original) = match restored {
                "-1e3" => (raw, restored),
                "1.8312" => (raw, "8312"),
                _ => (token, name),
            };
            let (syntax, text) = string(raw);
            let at = text.find("tok_xx_a").unwrap();
            let edit = Edit { place: at..at + 8, text: original.into() };
            assert_eq!(syntax.written(raw, &text, &[edit]), restored);
        }
    }

    #[test]
    fn tokens_are_words() {
        let text = "a tok_xx_a, xtok_y–tok_ztok_w tok";
        let found: Vec<_> = tokens(text).map(|place| &text[place]).collect();
        assert_eq!(found, ["tok_xx_a", "xtok_y", "tok_ztok_w"]);
    }
}
