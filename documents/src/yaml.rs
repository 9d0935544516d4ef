//! YAML (1.2): scalars change, and are labelled with their keys; comments are read as text.
//!
//! We read lines with their continuations, and not a whole document: every byte is kept or inspected. A line that
//! does not belong to a block or a string is a scalar, so nothing passes unseen.

use crate::{
    Gap, Value,
    lines::{Entries, LONGEST_STRING, blanks, comment, content_length, line_length, other, setting},
    parts::Parts,
    places::Places,
    strings::{decode_double, decode_single, string_length},
    syntax::{Escape, Syntax},
};

/// Scalars that are no text.
const WORDS: [&str; 9] = ["true", "false", "null", "~", "yes", "no", "True", "False", "NULL"];
/// Deepest nesting whose keys are labels.
const DEEPEST: usize = 256;
/// Most tags and anchors before a node.
const MOST_PROPERTIES: usize = 4;
/// The number of bytes in which ends of strings and lists are looked for in vain. Then each line is a scalar.
const MOST_IN_VAIN: usize = 8 << 20;

/// The lines of a stream of documents.
#[derive(Default)]
pub(crate) struct Yaml {
    /// The keys of the open blocks, with their columns.
    open: Vec<(usize, Option<String>)>,
    /// The number of bytes in which no end was found.
    in_vain: usize,
}

impl Entries for Yaml {
    fn entry(&mut self, text: &str, is_last: bool, parts: &mut dyn Parts) -> Option<usize> {
        let line = text.get(..line_length(text))?;
        let content = line.get(..content_length(line))?;
        if content.trim().is_empty() || content.starts_with("...") {
            parts.keep(line);
            return Some(line.len());
        }
        if content.starts_with('%') {
            other(line, parts);
            return Some(line.len());
        }
        // parts are handed over once the whole entry is there
        let mut entry = Entry {
            text,
            at: 0,
            is_last,
            parents: self.open.clone(),
            label: None,
            done: Vec::new(),
            in_vain: self.in_vain,
        };
        let read = entry.read()?;
        (self.open, self.in_vain) = (entry.parents, entry.in_vain);
        for part in entry.done {
            match part {
                Piece::Kept(raw) => parts.keep(raw),
                Piece::Comment(raw) => comment(raw, parts),
                Piece::Key(raw, scalar) => {
                    setting(raw, &scalar.text, scalar.syntax, parts);
                }
                Piece::Value(raw, value) => parts.value(raw, value),
            }
        }
        Some(read)
    }
}

/// A scalar as it reads, and its syntax.
struct Scalar {
    text: String,
    syntax: Syntax,
}

enum Piece<'t> {
    Kept(&'t str),
    Comment(&'t str),
    Key(&'t str, Scalar),
    Value(&'t str, Value),
}

/// A line with its continuations.
struct Entry<'t> {
    text: &'t str,
    at: usize,
    is_last: bool,
    parents: Vec<(usize, Option<String>)>,
    label: Option<String>,
    done: Vec<Piece<'t>>,
    in_vain: usize,
}

impl<'t> Entry<'t> {
    /// Reads the entry and returns its length; `None` if its end has not come.
    fn read(&mut self) -> Option<usize> {
        let marks = if self.rest().starts_with("---") && self.word().len() == 3 { 3 } else { 0 };
        if marks > 0 {
            self.parents.clear();
        }
        self.keep(marks + blanks(self.text.get(marks..)?));
        // the column in which the innermost block begins: its lines are indented more
        let mut block = None;
        // a second key behind the first one would be searched for in the rest of the line again and again
        let mut has_key = false;
        while !has_key {
            let rest = self.rest();
            let column = self.at;
            let is_item =
                matches!(rest.as_bytes(), [b'-' | b'?' | b':', b' ' | b'\t' | b'\r' | b'\n', ..] | [b'-']);
            if is_item {
                self.parents.retain(|(open, _)| *open <= column);
                block = Some(column);
                self.keep(1 + blanks(rest.get(1..)?));
                continue;
            }
            self.properties();
            let Some((length, scalar)) = self.key() else { break };
            self.parents.retain(|(open, _)| *open < column);
            has_key = true;
            let raw = self.take(length);
            if self.parents.len() < DEEPEST {
                self.parents.push((column, crate::value::label(&scalar.text)));
            }
            self.done.push(Piece::Key(raw, scalar));
            block = Some(column);
            let colon = self.rest().find(':').map_or(0, |at| at + 1);
            self.keep(colon + blanks(self.rest().get(colon..)?));
            self.properties();
        }
        let indent = blanks(self.text);
        if block.is_none() {
            // a scalar on lines of its own, below its key
            self.parents.retain(|(open, _)| *open < indent);
        }
        self.label = self.parents.last().and_then(|(_, key)| key.clone());
        let block = block.or_else(|| self.parents.last().map(|(column, _)| *column));
        self.value(block)?;
        Some(self.at)
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// The rest of the line, without its break.
    fn line(&self) -> &'t str {
        let rest = self.rest();
        rest.get(..line_length(rest)).unwrap_or_default().trim_end_matches(['\r', '\n'])
    }

    fn word(&self) -> &'t str {
        self.line().split([' ', '\t']).next().unwrap_or_default()
    }

    fn take(&mut self, length: usize) -> &'t str {
        let raw = self.rest().get(..length).unwrap_or_default();
        self.at += raw.len();
        raw
    }

    fn keep(&mut self, length: usize) {
        let raw = self.take(length);
        self.done.push(Piece::Kept(raw));
    }

    /// Keeps tags and anchors, with the spaces behind them.
    fn properties(&mut self) {
        for _ in 0..MOST_PROPERTIES {
            let word = self.word();
            if !(word.starts_with(['!', '&']) && word.len() > 1) {
                return;
            }
            let length = word.len();
            self.keep(length + blanks(self.rest().get(length..).unwrap_or_default()));
        }
    }

    /// Returns the key at the start of the rest of the line: its length, and how it reads.
    fn key(&self) -> Option<(usize, Scalar)> {
        let line = self.line();
        match line.chars().next()? {
            quote @ ('"' | '\'') => {
                let length = string_length(line, quote.encode_utf8(&mut [0; 4]), true)?;
                let behind = line.get(length..)?;
                is_colon(behind.trim_start_matches([' ', '\t']))
                    .then(|| (length, quoted(line.get(..length).unwrap_or_default())))
            }
            '[' | '{' | ']' | '}' | ',' | '|' | '>' | '#' | '%' | '@' | '`' => None,
            _ => {
                let end = comment_start(line);
                let line = line.get(..end)?;
                let colon = line
                    .match_indices(':')
                    .map(|(at, _)| at)
                    .find(|at| is_colon(line.get(*at..).unwrap_or_default()))?;
                let key = line.get(..colon)?.trim_end_matches([' ', '\t']);
                (!key.is_empty())
                    .then(|| (key.len(), Scalar { text: key.to_owned(), syntax: Syntax::plain(false) }))
            }
        }
    }

    /// Reads the value behind a key or a dash.
    fn value(&mut self, block: Option<usize>) -> Option<()> {
        let line = self.line();
        match line.chars().next() {
            None => self.line_end(),
            Some('#') => self.line_end(),
            Some('|' | '>') if is_header(line) => return self.lines(block),
            Some('*') if line.len() > 1 && !line.contains(' ') => {
                self.keep(line.len());
                self.line_end();
            }
            Some(quote @ ('"' | '\'')) => {
                let mark = quote.encode_utf8(&mut [0; 4]).to_owned();
                match self.within(|text| string_length(text, &mark, true))? {
                    Some(length) => {
                        let raw = self.take(length);
                        self.add(raw, quoted(raw));
                        self.line_end();
                    }
                    None => self.plain(block)?,
                }
            }
            Some('[' | '{') => match self.within(flow_length)? {
                Some(length) => {
                    let raw = self.take(length);
                    self.flow(raw);
                    self.line_end();
                }
                None => self.plain(block)?,
            },
            Some(_) => self.plain(block)?,
        }
        Some(())
    }

    /// Returns the length of a string or a list here; `Some(None)` if it does not end, `None` while its end has not come.
    fn within(&mut self, length: impl Fn(&str) -> Option<usize>) -> Option<Option<usize>> {
        let rest = self.rest();
        if self.in_vain > MOST_IN_VAIN {
            return Some(None);
        }
        let near = rest.get(..LONGEST_STRING).unwrap_or(rest);
        match length(near) {
            None if !self.is_last && rest.len() < LONGEST_STRING => None,
            None => {
                self.in_vain += near.len();
                Some(None)
            }
            length => Some(length),
        }
    }

    fn add(&mut self, raw: &'t str, Scalar { text, syntax }: Scalar) {
        if raw.is_empty() || WORDS.contains(&raw) {
            return self.done.push(Piece::Kept(raw));
        }
        let label = self.label.clone();
        self.done.push(Piece::Value(raw, Value { label, text, gap: Gap::Line, syntax, ..Value::default() }));
    }

    /// Reads what may follow a value in its line: spaces and a comment. Anything else is text.
    fn line_end(&mut self) {
        let rest = self.rest();
        self.keep(blanks(rest));
        let line = self.line();
        let content = content_length(line);
        let raw = self.take(content);
        if raw.starts_with('#') {
            self.done.push(Piece::Comment(raw));
        } else if !raw.is_empty() {
            self.add(raw, Scalar { text: raw.to_owned(), syntax: Syntax::plain(false) });
        }
        let rest = self.rest();
        self.keep(line_length(rest));
    }

    /// Reads a scalar without quotes, over several lines if they are indented more than its block.
    fn plain(&mut self, block: Option<usize>) -> Option<()> {
        let first = self.line();
        let end = comment_start(first);
        let mut length = content_length(first.get(..end)?);
        if end == first.len() {
            let least = block.map_or(0, |column| column + 1);
            let mut at = line_length(self.rest());
            loop {
                let next = self.rest().get(at..)?;
                if next.is_empty() {
                    if !self.is_last {
                        return None;
                    }
                    break;
                }
                let line = next.get(..line_length(next))?;
                let content = line.get(..content_length(line))?;
                if content.trim().is_empty() {
                    at += line.len();
                    continue;
                }
                // nothing else begins inside a scalar: neither a list nor a string
                let is_key =
                    content.match_indices(':').any(|(at, _)| is_colon(content.get(at..).unwrap_or_default()));
                let end = comment_start(content);
                let is_comment = end == blanks(content);
                if blanks(content) < least || block.is_none() || is_key || is_comment {
                    break;
                }
                length = at + content_length(content.get(..end)?);
                if end < content.len() {
                    break;
                }
                at += line.len();
            }
        }
        let raw = self.take(length);
        self.add(raw, Scalar { text: raw.to_owned(), syntax: Syntax::plain(false) });
        self.line_end();
        Some(())
    }

    /// Reads a block of lines behind its header.
    fn lines(&mut self, block: Option<usize>) -> Option<()> {
        let header = self.line();
        let digit = header
            .get(1..3)
            .unwrap_or(header.get(1..).unwrap_or_default())
            .chars()
            .find_map(|c| c.to_digit(10));
        let base = block.map_or(0, |column| column + 1);
        let mut indent =
            digit.and_then(|digit| usize::try_from(digit).ok()).map(|digit| base.saturating_sub(1) + digit);
        let start = line_length(self.rest());
        let body = self.rest().get(start..)?;
        let (mut at, mut end) = (0, 0);
        loop {
            let rest = body.get(at..)?;
            if rest.is_empty() {
                if !self.is_last && self.text.len() < crate::parts::LONGEST_HELD / 2 {
                    return None;
                }
                break;
            }
            let line = rest.get(..line_length(rest))?;
            let spaces = line.len() - line.trim_start_matches(' ').len();
            at += line.len();
            if line.trim().is_empty() {
                continue;
            }
            if spaces < *indent.get_or_insert(spaces) || spaces < base {
                break;
            }
            end = at;
        }
        self.keep_header();
        let indent = indent.unwrap_or(0);
        let raw = self.rest().get(..end)?;
        let raw = raw.strip_suffix('\n').map_or(raw, |raw| raw.strip_suffix('\r').unwrap_or(raw));
        let raw = self.take(raw.len());
        let (mut text, mut places) = (String::with_capacity(raw.len()), Places::default());
        let mut written = 0;
        for line in raw.split_inclusive('\n') {
            let spaces = (line.len() - line.trim_start_matches(' ').len()).min(indent);
            if spaces > 0 {
                places.leave_out(text.len(), written + spaces);
            }
            text.push_str(line.get(spaces..).unwrap_or_default());
            written += line.len();
        }
        let syntax = Syntax::escaped(places, Escape::Indented(indent));
        self.add(raw, Scalar { text, syntax });
        Some(())
    }

    /// Keeps the header of a block, with its comment.
    fn keep_header(&mut self) {
        let word = self.word().len();
        self.keep(word);
        self.line_end();
    }

    /// Reads lists and mappings in brackets.
    fn flow(&mut self, flow: &'t str) {
        let outer_label = self.label.clone();
        let mut outer: Vec<(Option<String>, bool)> = Vec::new();
        let mut at = 0;
        while let Some(first) = flow.get(at..).and_then(|rest| rest.chars().next()) {
            let rest = flow.get(at..).unwrap_or_default();
            let is_comment = first == '#'
                && (at == 0 || flow.get(..at).is_some_and(|before| before.ends_with([' ', '\t', '\n'])));
            let length = match first {
                '[' | '{' => {
                    outer.push((self.label.clone(), first == '{'));
                    1
                }
                ']' | '}' => {
                    self.label = outer.pop().and_then(|(key, _)| key);
                    1
                }
                ',' => {
                    self.label = outer.last().and_then(|(key, _)| key.clone());
                    1
                }
                ':' if is_colon(rest)
                    || rest
                        .get(1..)
                        .is_some_and(|rest| rest.starts_with([',', '[', ']', '{', '}', '"', '\''])) =>
                {
                    1
                }
                _ if first.is_whitespace() => first.len_utf8(),
                _ if is_comment => {
                    let length = content_length(rest.get(..line_length(rest)).unwrap_or_default());
                    self.done.push(Piece::Comment(rest.get(..length).unwrap_or_default()));
                    at += length;
                    continue;
                }
                _ => {
                    let (length, scalar) = flow_scalar(rest);
                    let raw = rest.get(..length).unwrap_or_default();
                    let behind = rest.get(length..).unwrap_or_default().trim_start();
                    let is_key = behind.starts_with(':')
                        && (raw.starts_with(['"', '\''])
                            || is_colon(behind)
                            || behind.get(1..).is_some_and(|rest| rest.starts_with([',', ']', '}'])));
                    if is_key {
                        self.label = crate::value::label(&scalar.text);
                        self.done.push(Piece::Key(raw, scalar));
                    } else {
                        self.add(raw, scalar);
                    }
                    at += length;
                    continue;
                }
            };
            self.done.push(Piece::Kept(rest.get(..length).unwrap_or_default()));
            at += length;
        }
        self.label = outer_label;
    }
}

/// Whether a text begins with the separator of a key: a colon before a space or the end of the line.
fn is_colon(text: &str) -> bool {
    text.strip_prefix(':').is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n']))
}

/// Returns the place of the comment in a line, or its length.
fn comment_start(line: &str) -> usize {
    let mut places = line.match_indices('#').map(|(at, _)| at);
    places
        .find(|at| *at == 0 || line.get(..*at).is_some_and(|before| before.ends_with([' ', '\t'])))
        .unwrap_or(line.len())
}

/// Whether a line is the header of a block.
fn is_header(line: &str) -> bool {
    let word = line.split([' ', '\t']).next().unwrap_or_default();
    let rest = line.get(word.len()..).unwrap_or_default().trim();
    word.len() <= 3
        && word.bytes().skip(1).all(|byte| byte.is_ascii_digit() || matches!(byte, b'+' | b'-'))
        && (rest.is_empty() || rest.starts_with('#'))
}

fn quoted(raw: &str) -> Scalar {
    let inside = raw.get(1..raw.len().saturating_sub(1)).unwrap_or_default();
    if raw.starts_with('"') {
        let (text, places) = decode_double(inside, 1);
        Scalar { text, syntax: Syntax::escaped(places, Escape::Double { has_lines: false }) }
    } else {
        let (text, places) = decode_single(inside, 1);
        Scalar { text, syntax: Syntax::single(places) }
    }
}

/// Returns the length of the list or mapping at the start of a text; `None` without an end.
fn flow_length(text: &str) -> Option<usize> {
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(first) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = text.get(at..)?;
        let before = text.get(..at)?;
        at += match first {
            '[' | '{' => {
                depth += 1;
                1
            }
            ']' | '}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at + 1);
                }
                1
            }
            '#' if before.ends_with([' ', '\t', '\n']) => line_length(rest),
            '"' | '\'' if before.trim_end().ends_with([',', ':', '[', '{']) => {
                string_length(rest, first.encode_utf8(&mut [0; 4]), true)?
            }
            _ => first.len_utf8(),
        };
    }
    None
}

/// Reads a scalar in brackets: its length, and how it reads.
fn flow_scalar(text: &str) -> (usize, Scalar) {
    if let Some(quote @ ('"' | '\'')) = text.chars().next()
        && let Some(length) = string_length(text, quote.encode_utf8(&mut [0; 4]), true)
    {
        return (length, quoted(text.get(..length).unwrap_or_default()));
    }
    let mut length = text.chars().next().map_or(0, char::len_utf8);
    let mut at = 0;
    // a scalar goes on in the next lines, until a mark of the list or a comment
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let line = rest.get(..line_length(rest)).unwrap_or_default();
        let mut end = comment_start(line);
        if at == 0 {
            end = end.max(1);
        }
        end = line.find([',', '[', ']', '{', '}']).map_or(end, |mark| mark.min(end));
        let mut colons = line.match_indices(':').map(|(at, _)| at);
        if let Some(colon) = colons.find(|at| is_colon(line.get(*at..).unwrap_or_default())) {
            end = end.min(colon);
        }
        let content = content_length(line.get(..end).unwrap_or_default());
        if content > blanks(line) {
            length = length.max(at + content);
        }
        if end < line.len() {
            break;
        }
        at += line.len();
    }
    let raw = text.get(..length).unwrap_or_default();
    (length, Scalar { text: raw.to_owned(), syntax: Syntax::plain(true) })
}

/// Whether a scalar may stand without quotes.
pub(crate) fn is_plain(text: &str, is_flow: bool) -> bool {
    let mut letters = text.chars();
    let begins = match (letters.next(), letters.next()) {
        (None, _) => false,
        (Some('-' | '?' | ':'), second) => second.is_some_and(|letter| !letter.is_whitespace()),
        (Some(first), _) => !first.is_whitespace() && !",[]{}#&*!|>'\"%@`".contains(first),
    };
    let separates = text.match_indices(':').any(|(at, _)| is_colon(text.get(at..).unwrap_or_default()));
    let is_commented = text.contains(" #") || text.contains("\t#") || text.contains("\n#");
    let has_bare_lines = !is_flow
        && text
            .match_indices('\n')
            .any(|(at, _)| !text.get(at + 1..).is_some_and(|rest| rest.starts_with([' ', '\t', '\n', '\r'])));
    // some parsers read a list here
    let has_dash = is_flow && text.lines().any(|line| line.trim() == "-");
    let ends = text.ends_with(char::is_whitespace);
    let breaks = separates || is_commented || has_bare_lines || has_dash || ends;
    let is_cut = is_flow && text.contains([',', '[', ']', '{', '}']);
    begins && !breaks && !is_cut
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        lines::Lines,
        tests::{labelled, protected},
    };

    fn yaml() -> Lines<Yaml> {
        Lines::new(Yaml::default())
    }

    #[test]
    fn keys_label_their_values() {
        let text = "%YAML 1.2\n--- # by Anna\nname: Anna Kellermann # chief\n\"Emily Carter\": !!str 17\nphones:\n- '+49 30 1'\n-  b:\n     deep\n   c: |\n     12 High St\n       Leeds\n\n   d: >-\n    folded\nflow: {city: Leeds, \"zip\":\"LS1\", n: [1, a b, {x: y}]}\nlong: one\n  two\n\n  three\nmarks: one\n  * [two]\n  - \"three\" # of them\nref: *a\nok: true\nkey2: \"q \\\"x\\\"\n  more\"\nurl: https://a.example/#x\n- [a,\n   b] # end\nlast text\n...\n";
        let expected = [
            ("", "%YAML 1.2"),
            ("", "# by Anna"),
            ("name", "Anna Kellermann"),
            ("", "# chief"),
            ("", "Emily Carter"),
            ("Emily Carter", "17"),
            ("phones", "+49 30 1"),
            ("b", "deep"),
            ("c", "12 High St\n  Leeds"),
            ("d", "folded"),
            ("city", "Leeds"),
            ("zip", "LS1"),
            ("n", "1"),
            ("n", "a b"),
            ("x", "y"),
            ("long", "one\n  two\n\n  three"),
            ("marks", "one\n  * [two]\n  - \"three\""),
            ("", "# of them"),
            ("", "key2"),
            ("key2", "q \"x\"\n  more"),
            ("url", "https://a.example/#x"),
            ("url", "a"),
            ("url", "b"),
            ("", "# end"),
            ("", "last text"),
        ];
        labelled(&mut yaml(), text, &expected);
    }

    #[test]
    fn replacements_are_written_for_their_places() {
        for (text, found, expected) in [
            ("a: X\nb: x X # X\n", &["X"][..], "a: \"[R]\"\nb: x [R] # [R]\n"),
            ("a: [X, b X]\nX y: 'X'\n", &["X"], "a: [\"[R]\", \"b [R]\"]\n\"[R] y\": '[R]'\n"),
            ("a: |\n  x\n  X\n", &["X"], "a: |\n  x\n  [R]\n"),
            ("a: to\n  X y\n", &["X"], "a: to\n  [R] y\n"),
            ("a: X\n  * \"b\" # c\n", &["X"], "a: \"[R]\n  * \\\"b\\\"\" # c\n"),
            ("a: [b\n  X, c]\n", &["X"], "a: [\"b\n  [R]\", c]\n"),
            ("a: b: X\n", &["X"], "a: b: [R]\n"),
            ("- X\n  and \"y\"\n- \"X\"\n", &["X"], "- \"[R]\n  and \\\"y\\\"\"\n- \"[R]\"\n"),
        ] {
            assert_eq!(protected(&mut yaml(), text, found), expected, "{text}");
        }
    }

    /// Each would take minutes if its time were not linear.
    #[test]
    fn hostile_documents_take_linear_time() {
        for part in ["[\n", "a: ", "!a ", "- ", "- [\"\n", "{", "? ", "[a\n", " a\n", "- a\n  [\n"] {
            let document = part.repeat(300_000);
            assert_eq!(protected(&mut yaml(), &document, &["X"]), document);
        }
    }

    #[test]
    fn scalars_that_need_quotes() {
        for (text, is_flow, want) in [
            ("a b", false, true),
            ("-1", false, true),
            ("- a", false, false),
            ("[R]", false, false),
            ("***", false, false),
            ("a: b", false, false),
            ("a:b #c", false, false),
            ("a, b", true, false),
            ("a, b", false, true),
            ("a\n  b", false, true),
            ("a\nb", false, false),
            ("a\n  [R] b", false, true),
            ("a\n  * \"b\"\n  - c", false, true),
            ("a\n  # b", false, false),
            ("a\nb", true, true),
            ("a\n-", true, false),
            ("", false, false),
        ] {
            assert_eq!(is_plain(text, is_flow), want, "{text}");
        }
    }
}
