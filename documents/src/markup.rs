//! HTML and XML: everything except personal data is kept byte for byte, wherever it is: text, attributes, comments,
//! scripts, styles, names.
//!
//! We read markup ourselves: a document arrives in pieces, every byte of it has to be kept or inspected, and parsers
//! repair and drop what they do not expect.

mod elements;
mod tag;

use anyhow::{Result, bail};

use crate::{
    Gap, Value,
    json::read_all,
    parts::{LONGEST_HELD, Parts, Reader},
    places::Places,
    references::{decode, decode_attribute},
    syntax::{Escape, Syntax, TOKEN},
    value::label,
};
use elements::{Content, has_address, has_addresses, is_cell, is_inline, is_known};
use tag::{Attribute, attributes, name_of, tag_end};

/// A text longer than this is cut at a space, in bytes.
const LONGEST_TEXT: usize = 32_768;
/// Deepest nesting of elements whose names are labels.
const DEEPEST: usize = 256;
/// The start and the end of a comment.
const COMMENT: (&str, &str) = ("<!--", "-->");
/// Those of a processing instruction of XML.
const INSTRUCTION: (&str, &str) = ("<?", "?>");
/// Those of a section in which markup is text.
const SECTION: (&str, &str) = ("<![CDATA[", "]]>");

/// The markup language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// A page. Names of elements are fixed, scripts and styles have no tags inside.
    Html,
    /// Data or a document. Names of elements and attributes are labels.
    Xml,
}

/// The text of a document, and everything else in it that may be personal data. Code is read as text: a script in which
/// something is replaced may no longer run, which is better than to let the data pass.
pub(crate) struct Markup {
    dialect: Dialect,
    held: String,
    /// The position up to which the held text was read.
    seen: usize,
    line: usize,
    /// The element whose content has no tags, and whether that is JSON.
    inside: Option<(String, Content)>,
    /// The gap between the next text and the one before.
    gap: Gap,
    /// The names of the open elements of XML.
    open: Vec<String>,
}

impl Markup {
    pub(crate) fn new(dialect: Dialect) -> Self {
        Self {
            dialect,
            held: String::new(),
            seen: 0,
            line: 1,
            inside: None,
            gap: Gap::Line,
            open: Vec::new(),
        }
    }

    fn scan(&mut self, is_last: bool, parts: &mut dyn Parts) {
        let text = std::mem::take(&mut self.held);
        let mut at = 0;
        loop {
            let rest = text.get(at..).unwrap_or_default();
            let length = match self.inside.take() {
                Some((name, content)) => self.content(rest, name, content, is_last, parts),
                None => self.markup(rest, parts),
            };
            if length == 0 {
                break;
            }
            self.line += rest.bytes().take(length).filter(|byte| *byte == b'\n').count();
            at += length;
            self.seen = 0;
        }
        self.held = if at == 0 { text } else { text.get(at..).unwrap_or_default().to_owned() };
    }

    fn finish(&mut self, parts: &mut dyn Parts) {
        self.scan(true, parts);
        // a tag or a comment that is never closed may hold anything
        let held = std::mem::take(&mut self.held);
        self.text(&held, parts);
    }

    /// Hands over the text, tag or comment that begins here; returns its length, or 0 if its end has not come.
    fn markup(&mut self, held: &str, parts: &mut dyn Parts) -> usize {
        if !begins_markup(held) {
            return self.run(held, parts);
        }
        // browsers end these at once
        if let Some(empty) = ["<!-->", "<!--->"].into_iter().find(|empty| held.starts_with(empty)) {
            parts.keep(empty);
            return empty.len();
        }
        for (start, end) in [COMMENT, INSTRUCTION, SECTION] {
            if start.starts_with(held) {
                return 0;
            }
            if let Some(inside) = held.strip_prefix(start)
                && ((start, end) == COMMENT || self.dialect == Dialect::Xml)
            {
                return self.enclosed(held, inside, (start, end), parts);
            }
        }
        match tag_end(held, self.seen, self.dialect == Dialect::Xml) {
            Ok(end) => {
                self.tag(held.get(..end).unwrap_or_default(), parts);
                end
            }
            Err(seen) => {
                self.seen = seen;
                0
            }
        }
    }

    /// Hands over text up to the next markup, as `markup`.
    fn run(&mut self, held: &str, parts: &mut dyn Parts) -> usize {
        let mut from = self.seen;
        let end = loop {
            match held.get(from..).and_then(|rest| rest.find('<')) {
                Some(at) if begins_markup(held.get(from + at..).unwrap_or_default()) => {
                    break Some(from + at);
                }
                // a `<` at the end may begin a tag
                Some(at) if from + at + 1 < held.len() => from += at + 1,
                Some(at) => {
                    self.seen = from + at;
                    break None;
                }
                None => {
                    self.seen = held.len();
                    break None;
                }
            }
        };
        let length = match end {
            Some(end) if end < LONGEST_TEXT => end,
            _ => cut(held),
        };
        if length > 0 {
            self.text(held.get(..length).unwrap_or_default(), parts);
        }
        length
    }

    /// Hands over a comment or a section, as `markup`.
    fn enclosed(&mut self, held: &str, inside: &str, marks: (&str, &str), parts: &mut dyn Parts) -> usize {
        let (start, end) = marks;
        let from = self.seen.saturating_sub(start.len() + end.len());
        let from = (from..inside.len()).find(|at| inside.is_char_boundary(*at)).unwrap_or(0);
        let Some(length) = inside.get(from..).and_then(|rest| rest.find(end)).map(|at| from + at) else {
            self.seen = held.len();
            return 0;
        };
        let content = inside.get(..length).unwrap_or_default();
        let value = Value { text: content.to_owned(), ..Value::default() };
        parts.keep(start);
        if marks != SECTION {
            let syntax = if marks == COMMENT { Syntax::comment() } else { Syntax::instruction() };
            parts.value(content, Value { is_aside: true, syntax, ..value });
        } else {
            let (label, gap) = (self.label(), std::mem::replace(&mut self.gap, Gap::None));
            parts.value(content, Value { label, gap, syntax: Syntax::section(), ..value });
        }
        parts.keep(end);
        start.len() + length + end.len()
    }

    /// Hands over the content of an element that has no tags inside, as `markup`.
    fn content(
        &mut self,
        held: &str,
        name: String,
        content: Content,
        is_last: bool,
        parts: &mut dyn Parts,
    ) -> usize {
        let from = self.seen.saturating_sub(name.len() + 3);
        let end = match end_tag(held, &name, from) {
            Some(end) => end,
            None if is_last => held.len(),
            None => {
                self.seen = held.len();
                self.inside = Some((name, content));
                return 0;
            }
        };
        let inside = held.get(..end).unwrap_or_default();
        match content {
            Content::Text => self.text(inside, parts),
            Content::Json | Content::Code => script(inside, content, parts),
        }
        if end == 0 { self.markup(held, parts) } else { end }
    }

    fn text(&mut self, raw: &str, parts: &mut dyn Parts) {
        if raw.trim().is_empty() {
            parts.keep(raw);
            if self.gap == Gap::None && !raw.is_empty() {
                self.gap = Gap::Space;
            }
            return;
        }
        let label = self.label();
        let (text, places) = decode(raw);
        let (gap, syntax) =
            (std::mem::replace(&mut self.gap, Gap::None), Syntax::escaped(places, Escape::Text));
        parts.value(raw, Value { label, text, gap, syntax, ..Value::default() });
    }

    /// The name of the element that begins with the next text; `None` if the text goes on in it.
    fn label(&self) -> Option<String> {
        let name = self.open.last().filter(|_| self.gap == Gap::Line && self.open.len() <= DEEPEST)?;
        let name = name.rsplit(':').next().unwrap_or_default();
        // `p` and the like say nothing about their content
        label(name).filter(|name| name.len() > 1)
    }

    fn tag(&mut self, tag: &str, parts: &mut dyn Parts) {
        let written = name_of(tag);
        let name = written.to_ascii_lowercase();
        if is_cell(&name) {
            self.gap = if self.gap == Gap::Line { Gap::Line } else { Gap::Tab };
        } else if !is_inline(&name, self.dialect) {
            self.gap = Gap::Line;
        }
        let declaration: String = tag.to_ascii_lowercase().split_whitespace().collect();
        if declaration == "<!doctypehtml>" {
            return parts.keep(tag);
        }
        // a declaration, or a comment by mistake: browsers show nothing of it, and it may hold anything
        if name.is_empty() {
            return declaration_parts(tag, parts);
        }
        let is_known = match self.dialect {
            Dialect::Html => is_known(&name),
            Dialect::Xml => name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.:".contains(&byte)),
        };
        self.attributes(tag, &name, is_known, parts);
        if self.dialect == Dialect::Xml {
            self.nest(tag, written);
        } else if let Some(content) = Content::of(&name, tag).filter(|_| !tag.starts_with("</")) {
            self.inside = Some((name, content));
        }
    }

    /// Follows the elements of XML. An end tag closes the innermost element of its name.
    fn nest(&mut self, tag: &str, name: &str) {
        if tag.starts_with("</") {
            if let Some(at) = self.open.iter().rposition(|open| open == name) {
                self.open.truncate(at);
            }
        } else if !tag.ends_with("/>")
            && !is_inline(&name.to_ascii_lowercase(), Dialect::Xml)
            && self.open.len() <= DEEPEST
        {
            self.open.push(name.to_owned());
        }
    }

    /// Hands over a tag: the values of its attributes, and the rest if it is not that of a usual tag.
    fn attributes(&self, tag: &str, name: &str, is_known: bool, parts: &mut dyn Parts) {
        let rest = |raw: &str, parts: &mut dyn Parts| {
            if is_known && !is_unusual(raw) {
                return parts.keep(raw);
            }
            let (text, places) = decode(raw);
            let syntax = Syntax::escaped(places, Escape::Attribute('"'));
            parts.value(raw, Value { text, is_aside: true, syntax, ..Value::default() });
        };
        let mut done = 0;
        let all = attributes(tag);
        // once a tag: it may have many attributes
        let field = if self.dialect == Dialect::Html { field_of(&all, tag) } else { None };
        for attribute in &all {
            rest(tag.get(done..attribute.value.start).unwrap_or_default(), parts);
            done = attribute.value.end;
            self.attribute(attribute, field.as_deref(), tag, name, parts);
        }
        rest(tag.get(done..).unwrap_or_default(), parts);
    }

    fn attribute(
        &self,
        attribute: &Attribute,
        field: Option<&str>,
        tag: &str,
        element: &str,
        parts: &mut dyn Parts,
    ) {
        let name = tag.get(attribute.name.clone()).unwrap_or_default().to_ascii_lowercase();
        let written = tag.get(attribute.value.clone()).unwrap_or_default();
        let inner = tag.get(attribute.inner.clone()).unwrap_or_default();
        let is_html = self.dialect == Dialect::Html;
        let quote = written.chars().next().filter(|_| written != inner);
        if is_html && name == "srcdoc" {
            return page(inner, quote, parts);
        }
        let value = Value { is_aside: true, ..Value::default() };
        let value = if has_addresses(&name) {
            let (text, syntax) = address(written, inner, quote, Escape::Addresses);
            Value { text, syntax, ..value }
        } else if has_address(&name) && (is_html || inner.contains("://")) {
            // an address as a whole names a page, not a person; what follows its host may
            let (_, carried) = inner.split_at(origin_of(inner));
            let (text, syntax) = address(written, carried, quote, Escape::Address);
            Value { text, syntax, ..value }
        } else {
            let label = match is_html {
                true => field.filter(|_| name == "value" || name == "content").map(str::to_owned),
                false => xml_label(&name, tag.get(attribute.name.clone()).unwrap_or_default(), element),
            };
            let (text, places) = decode_attribute(inner);
            let syntax =
                Syntax::attribute(places.after(attribute.inner.start - attribute.value.start), quote);
            Value { text, label, syntax, ..value }
        };
        parts.value(written, value);
    }
}

impl Reader for Markup {
    fn read(&mut self, text: &str, parts: &mut dyn Parts) -> Result<()> {
        self.held.push_str(text);
        self.scan(false, parts);
        if self.held.len() > LONGEST_HELD {
            bail!("line {} begins a tag, comment or script that is longer than 16 MiB", self.line);
        }
        Ok(())
    }

    fn end(&mut self, parts: &mut dyn Parts) -> Result<()> {
        self.finish(parts);
        Ok(())
    }
}

/// Hands over the content of a script or a style.
fn script(content: &str, kind: Content, parts: &mut dyn Parts) {
    let value = Value { is_aside: true, ..Value::default() };
    match if kind == Content::Json { read_all(content) } else { None } {
        None if content.is_empty() => (),
        None => parts.value(content, Value { text: content.to_owned(), syntax: Syntax::code(), ..value }),
        Some(read) => {
            for (raw, value) in read {
                match value {
                    None => parts.keep(&raw),
                    Some(value) => {
                        let syntax = value.syntax.in_code();
                        parts.value(&raw, Value { is_aside: true, syntax, ..value });
                    }
                }
            }
        }
    }
}

/// Hands over a page inside an attribute, in the quotes of which each part is escaped.
fn page(inner: &str, quote: Option<char>, parts: &mut dyn Parts) {
    struct Within<'a> {
        inner: &'a str,
        places: &'a Places,
        quote: char,
        /// The position in the decoded page.
        at: usize,
        parts: &'a mut dyn Parts,
    }
    impl Within<'_> {
        /// Returns the next part of the page as it is written in the attribute, and its start there.
        fn next(&mut self, raw: &str) -> (String, usize) {
            let start = self.places.of(self.at);
            let written = self.inner.get(start..self.places.of(self.at + raw.len())).unwrap_or_default();
            (written.to_owned(), start)
        }
    }
    impl Parts for Within<'_> {
        fn keep(&mut self, raw: &str) {
            let (written, _) = self.next(raw);
            self.at += raw.len();
            self.parts.keep(&written);
        }
        fn value(&mut self, raw: &str, value: Value) {
            let (written, start) = self.next(raw);
            let places = self.places.within(self.at, raw.len(), start);
            self.at += raw.len();
            let syntax = value.syntax.inside(raw, places, self.quote);
            self.parts.value(&written, Value { is_aside: true, syntax, ..value });
        }
        fn end_record(&mut self) {}
    }
    let quotes = quote.map(String::from).unwrap_or_default();
    let (decoded, places) = decode_attribute(inner);
    let quote = quote.unwrap_or('"');
    parts.keep(&quotes);
    let mut page = Markup::new(Dialect::Html);
    page.held.push_str(&decoded);
    page.finish(&mut Within { inner, places: &places, quote, at: 0, parts });
    parts.keep(&quotes);
}

/// The text of the last part of an attribute, which is an address, and its syntax.
fn address(written: &str, carried: &str, quote: Option<char>, escape: Escape) -> (String, Syntax) {
    let (attribute, places) = decode_attribute(carried);
    let end = written.len() - usize::from(quote.is_some());
    let (text, escapes) = percent_decoded(&attribute);
    (text, Syntax::attribute(places.after(end - carried.len()), quote).with(escapes, escape, attribute))
}

/// Hands over a declaration: its strings, and what is between them.
fn declaration_parts(tag: &str, parts: &mut dyn Parts) {
    let mut part = |raw: &str, quote: char, gap: Gap| {
        let (text, places) = decode(raw);
        let syntax = Syntax::escaped(places, Escape::Attribute(quote));
        parts.value(raw, Value { text, is_aside: true, gap, syntax, ..Value::default() });
    };
    let (mut rest, mut done, mut gap) = (tag, 0, Gap::Line);
    // the quotes belong to the parts between the strings
    while let Some((start, quote)) =
        rest.char_indices().skip(done).find(|(_, letter)| matches!(letter, '"' | '\''))
        && let Some(length) = rest.get(start + 1..).and_then(|rest| rest.find(quote))
    {
        let (before, string) = rest.split_at(start + 1);
        let (inside, behind) = string.split_at(length);
        part(before, quote, gap);
        if !inside.is_empty() {
            part(inside, quote, Gap::None);
        }
        (rest, done, gap) = (behind, 1, Gap::None);
    }
    part(rest, '"', gap);
}

fn begins_markup(text: &str) -> bool {
    matches!(text.as_bytes(), [b'<', next, ..] if next.is_ascii_alphabetic() || b"/!?".contains(next))
}

/// Returns the start of the end tag of `name`, at `from` or later.
fn end_tag(text: &str, name: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    (from..bytes.len()).find(|at| {
        let Some([b'<', b'/', rest @ ..]) = bytes.get(*at..) else { return false };
        let (tag, after) = rest.split_at(name.len().min(rest.len()));
        tag.eq_ignore_ascii_case(name.as_bytes())
            && matches!(after.first(), Some(b' ' | b'\t' | b'\n' | b'\r' | b'\x0c' | b'/' | b'>'))
    })
}

/// Returns whether a tag has characters that programs write only in the values of attributes.
fn is_unusual(raw: &str) -> bool {
    let digits = raw.as_bytes().windows(4).any(|four| four.iter().all(u8::is_ascii_digit));
    digits || !raw.is_ascii() || raw.contains('@')
}

/// Returns the name that a form gives to the field of a tag.
fn field_of(all: &[Attribute], tag: &str) -> Option<String> {
    let named = |attribute: &&Attribute| {
        let name = tag.get(attribute.name.clone()).unwrap_or_default();
        ["name", "property", "id"].iter().any(|field| name.eq_ignore_ascii_case(field))
    };
    let field = all.iter().find(named)?;
    label(&decode_attribute(tag.get(field.inner.clone())?).0)
}

/// The label of an attribute of XML: its name, or that of its element where the name is `value`.
fn xml_label(name: &str, written: &str, element: &str) -> Option<String> {
    if name == "xmlns" || name.starts_with("xmlns:") || name.starts_with("xsi:") {
        return None;
    }
    let named = if matches!(name, "value" | "val" | "text") { element } else { written };
    named.rsplit(':').next().and_then(label)
}

/// Returns the length of the scheme and the host of an address, in bytes.
fn origin_of(address: &str) -> usize {
    let start = address.len() - address.trim_start().len();
    let rest = address.get(start..).unwrap_or_default();
    let scheme = rest.find(':').filter(|at| {
        let name = rest.get(..*at).unwrap_or_default();
        name.starts_with(|first: char| first.is_ascii_alphabetic())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    });
    let at = start + scheme.map_or(0, |at| at + 1);
    let Some(host) = address.get(at..).and_then(|rest| rest.strip_prefix("//")) else { return at };
    let length = host.find(['/', '?', '#', '@']).unwrap_or(host.len());
    let (name, after) = host.split_at(length);
    // the part before an `@` is the name of a user; a token may be that of a user with the host
    if after.starts_with('@') || name.contains(TOKEN) { at } else { at + 2 + length }
}

/// Decodes the escapes of an address, which stay where they are no UTF-8.
fn percent_decoded(address: &str) -> (String, Places) {
    let (mut bytes, mut places) = (Vec::with_capacity(address.len()), Places::default());
    let mut rest = address.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escaped =
            after.get(..2).filter(|_| *first == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        let escaped = escaped.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        match escaped.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
                places.add(bytes.len(), address.len() - rest.len());
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    match String::from_utf8(bytes) {
        Ok(text) => (text, places),
        Err(_) => (address.to_owned(), Places::default()),
    }
}

/// Returns the offset at which a long text is cut, in bytes: after a space; 0 while it is short.
fn cut(text: &str) -> usize {
    if text.len() <= LONGEST_TEXT {
        return 0;
    }
    let end = (0..=LONGEST_TEXT).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let window = text.get(..end).unwrap_or_default();
    window.rfind(['\n', ' ']).map_or(end, |space| space + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{protected, record_of};

    const MAIL: &str = "jan.novak@example.cz";
    const FOUND: &[&str] = &[MAIL, "44051401359", "Emily Carter"];

    #[test]
    fn personal_data_in_pages() {
        for (page, expected) in [
            (
                "<!doctype html><p class=a>mail jan.novak@example.cz</p>",
                "<!doctype html><p class=a>mail [R]</p>",
            ),
            // text that tags separate, and blocks that are read apart
            ("<p>PESEL <b>440514</b><i>01359</i>!</p>", "<p>PESEL <b>[R]</b><i>[R]</i>!</p>"),
            ("<p>440514</p><p>01359</p>", "<p>440514</p><p>01359</p>"),
            ("<td>440514</td><td>01359</td>", "<td>440514</td><td>01359</td>"),
            // references stay if nothing changes
            (
                "<p>&copy; Nov&aacute;k &amp; co: jan&#46;novak&commat;example.cz &eacute;</p>",
                "<p>&copy; Nov&aacute;k &amp; co: [R] &eacute;</p>",
            ),
            (
                "<script>let pesel = '44051401359', a = '<b>';</script>x",
                "<script>let pesel = '[R]', a = '<b>';</script>x",
            ),
            ("<script>let a = '</b>' < 1 && b;</script>x", "<script>let a = '</b>' < 1 && b;</script>x"),
            ("<style>/* jan.novak@example.cz */ .a{}</style>x", "<style>/* [R] */ .a{}</style>x"),
            ("<b onclick=\"call('jan.novak@example.cz')\">x</b>", "<b onclick=\"call('[R]')\">x</b>"),
            (
                "<iframe srcdoc=\"<p title='jan.novak@example.cz'>PESEL 440514<b>01359</b> &amp;amp; co\"></iframe>",
                "<iframe srcdoc=\"<p title='[R]'>PESEL [R]<b>[R]</b> &amp;amp; co\"></iframe>",
            ),
            (
                "<img srcset=\"/jan.novak%40example.cz/a.png 1x, /b.png 2x\">",
                "<img srcset=\"/%5BR%5D/a.png 1x, /b.png 2x\">",
            ),
            (
                "<input name=\"jan.novak@example.cz\" id=jan.novak@example.cz class=\"a jan.novak@example.cz\">",
                "<input name=\"[R]\" id=[R] class=\"a [R]\">",
            ),
            ("Jan <jan.novak@example.cz> <b>x</b>", "Jan <[R]> <b>x</b>"),
            ("<Emily Carter> wrote", "<[R]> wrote"),
            ("<p jan.novak@example.cz>x", "<p [R]>x"),
            (
                "<p>x</p title=\"jan.novak@example.cz\"><!doctype html \"jan.novak@example.cz\">",
                "<p>x</p title=\"[R]\"><!doctype html \"[R]\">",
            ),
            (
                "<script type=\"application/ld+json\">{\"email\":\"jan.novak@example.cz\"}</script>",
                "<script type=\"application/ld+json\">{\"email\":\"[R]\"}</script>",
            ),
            (
                "<title>jan.novak@example.cz</title><textarea><b>jan.novak@example.cz</textarea>",
                "<title>[R]</title><textarea><b>[R]</textarea>",
            ),
            ("<!-- ask jan.novak@example.cz > now --><p>x", "<!-- ask [R] > now --><p>x"),
            ("<!--><p>jan.novak@example.cz", "<!--><p>[R]"),
            ("<img alt=\"jan.novak@example.cz\" src=\"a.png\">", "<img alt=\"[R]\" src=\"a.png\">"),
            (
                "<a href=\"mailto:jan.novak@example.cz\">write</a> <a href=\"https://example.com/a?x=1\">read</a>",
                "<a href=\"mailto:%5BR%5D\">write</a> <a href=\"https://example.com/a?x=1\">read</a>",
            ),
            (
                "<a href='https://example.com/stop?who=jan.novak%40example.cz'>stop</a>",
                "<a href='https://example.com/stop?who=%5BR%5D'>stop</a>",
            ),
            (
                "<a href='https://a\"b.example/jan.novak@example.cz'>",
                "<a href='https://a\"b.example/%5BR%5D'>",
            ),
            (
                "<p title=\"a > b\">it's <b don't>jan.novak@example.cz</b></p>",
                "<p title=\"a > b\">it's <b don't>[R]</b></p>",
            ),
            ("a <b title='jan.novak@example.cz", "a <b title='[R]"),
            ("1 < 2 <3 jan.novak@example.cz <", "1 < 2 <3 [R] <"),
            ("<![CDATA[jan.novak@example.cz]]>", "<![CDATA[[R]]]>"),
        ] {
            assert_eq!(protected(&mut Markup::new(Dialect::Html), page, FOUND), expected, "{page}");
        }
    }

    #[test]
    fn personal_data_in_xml() {
        for (document, expected) in [
            (
                "<?xml version=\"1.0\"?>\n<a:mail>jan.novak@example.cz</a:mail>",
                "<?xml version=\"1.0\"?>\n<a:mail>[R]</a:mail>",
            ),
            ("<p mail='jan.novak@example.cz' n=\"1\"/>", "<p mail='[R]' n=\"1\"/>"),
            ("<a><![CDATA[<b>jan.novak@example.cz</b>]]></a>", "<a><![CDATA[<b>[R]</b>]]></a>"),
            ("<p>PESEL 440514<b>01359</b></p>", "<p>PESEL [R]<b>[R]</b></p>"),
            ("<script>if (a < b) 440514<i>01359</i></script>", "<script>if (a < b) [R]<i>[R]</i></script>"),
            ("<!DOCTYPE a [<!ENTITY x \"jan.novak@example.cz\">]>", "<!DOCTYPE a [<!ENTITY x \"[R]\">]>"),
            (
                "<!DOCTYPE a [<!-- b > jan.novak@example.cz --> <!ENTITY x 'y > jan.novak@example.cz'> ]><a/>",
                "<!DOCTYPE a [<!-- b > [R] --> <!ENTITY x 'y > [R]'> ]><a/>",
            ),
            ("<?a \"b > jan.novak@example.cz\"?><a/>", "<?a \"b > [R]\"?><a/>"),
            (
                "<a href=\"https://a.example/jan.novak@example.cz\"/>",
                "<a href=\"https://a.example/%5BR%5D\"/>",
            ),
        ] {
            assert_eq!(protected(&mut Markup::new(Dialect::Xml), document, FOUND), expected, "{document}");
        }
    }

    #[test]
    fn labels() {
        let labels = |dialect, document: &str| {
            let record = record_of(&mut Markup::new(dialect), document);
            let labelled = record.values.into_iter().filter(|value| !value.text.trim().is_empty());
            labelled.map(|value| (value.label.unwrap_or_default(), value.text)).collect::<Vec<_>>()
        };
        let pairs = |list: &[(&str, &str)]| -> Vec<(String, String)> {
            list.iter().map(|(label, text)| ((*label).to_owned(), (*text).to_owned())).collect()
        };
        let xml = "<c:client xmlns:c=\"u\" birthDate=\"d\"><name>J<b>a</b>n</name><pesel value=\"4\"/><p>x</p></c:client>";
        let expected =
            [("", "u"), ("birthDate", "d"), ("name", "J"), ("", "a"), ("", "n"), ("pesel", "4"), ("", "x")];
        assert_eq!(labels(Dialect::Xml, xml), pairs(&expected));
        let form = "<input type=text name=pesel value=1><meta content='x' property=author><p>t</p>";
        let expected =
            [("", "text"), ("", "pesel"), ("pesel", "1"), ("author", "x"), ("", "author"), ("", "t")];
        assert_eq!(labels(Dialect::Html, form), pairs(&expected));
    }

    #[test]
    fn a_long_text_is_cut_at_spaces() {
        let text = "some words of a log line and more\n".repeat(5_000);
        let page = format!("<pre>{text}PESEL 44051401359\n</pre>");
        let mut markup = Markup::new(Dialect::Html);
        assert_eq!(protected(&mut markup, &page, FOUND), page.replace("44051401359", "[R]"));
    }

    #[test]
    fn deep_documents_take_little_memory() {
        let document = "<deep>".repeat(100_000);
        let mut markup = Markup::new(Dialect::Xml);
        assert_eq!(protected(&mut markup, &document, FOUND), document);
        assert!(markup.open.len() <= DEEPEST + 1);
    }
}
