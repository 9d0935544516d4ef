//! Tables: comma-separated values and similar formats (RFC 4180). Everything except the changed cells is kept
//! byte for byte.

use std::ops::Range;

use anyhow::{Result, bail};

use crate::{
    Value,
    parts::{LONGEST_HELD, Parts, Reader},
    places::Places,
    syntax::{Escape, Syntax, TOKEN},
    value::label,
};

/// The delimiters that a table may have without saying so. Of equally frequent ones, the first is taken.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];
/// The rows after which a table without delimiters has one column.
const ONE_COLUMN: usize = 64;

/// A token in a cell in which backslashes escape quotes, so that `restore` writes the original likewise.
const MARKED_TOKEN: &str = r"tok\_";

/// The rows of a table. The first one names the columns. It may be the head; since a table need not have one, it is read as
/// a row, too, unless its form or the types of the next row tell that it is a head.
pub(crate) struct Csv {
    delimiter: Option<u8>,
    names: Option<Vec<Option<String>>>,
    /// The first rows, until they tell the head.
    first: Vec<TableRow>,
    line: usize,
    /// The row that has not ended yet, and how far it was read.
    row: String,
    seen: usize,
    lines: usize,
    cells: Vec<Range<usize>>,
    cell: usize,
    state: State,
}

/// A row with its line break.
struct TableRow {
    raw: String,
    cells: Vec<Range<usize>>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Start,
    Plain,
    Quoted,
    /// After a quote inside a quoted cell: its end, or the first of two.
    Quote,
    /// After a backslash inside a quoted cell.
    Backslash,
    /// After a backslash and a quote inside a quoted cell: its end, or what tells that backslashes escape quotes in it.
    BackslashQuote,
    /// In a quoted cell in which backslashes escape quotes.
    Escaped,
    /// After a backslash in such a cell.
    Escape,
}

impl State {
    fn next(self, byte: u8, delimiter: u8) -> Self {
        match (self, byte) {
            (Self::Quoted, b'"') => Self::Quote,
            (Self::Quoted, b'\\') => Self::Backslash,
            (Self::Backslash, b'"') => Self::BackslashQuote,
            (Self::Quoted | Self::Backslash, _)
            | (Self::Start | Self::Quote | Self::BackslashQuote, b'"') => Self::Quoted,
            (Self::Escaped, b'\\') => Self::Escape,
            (Self::Escaped, b'"') => Self::Plain,
            (Self::Escaped | Self::Escape, _) => Self::Escaped,
            (_, byte) if byte == delimiter => Self::Start,
            (Self::BackslashQuote, byte) if !matches!(byte, b'\r' | b'\n') => Self::Escaped,
            _ => Self::Plain,
        }
    }

    /// The next state while the delimiter is not known.
    fn next_of_any(self, byte: u8) -> Self {
        self.next(byte, if DELIMITERS.contains(&byte) { byte } else { b'\n' })
    }

    /// Whether it is inside quotes, where delimiters and line breaks are text.
    fn is_quoted(self) -> bool {
        matches!(self, Self::Quoted | Self::Backslash | Self::Escaped | Self::Escape)
    }
}

impl Csv {
    /// With this delimiter, or with the one that the first rows tell.
    pub(crate) fn new(delimiter: Option<u8>) -> Self {
        Self {
            delimiter,
            names: None,
            first: Vec::new(),
            line: 1,
            row: String::new(),
            seen: 0,
            lines: 0,
            cells: Vec::new(),
            cell: 0,
            state: State::Start,
        }
    }

    /// Rows below columns that are known.
    pub(crate) fn with_columns(delimiter: u8, columns: Vec<Option<String>>) -> Self {
        Self { names: Some(columns), ..Self::new(Some(delimiter)) }
    }

    /// Takes more rows, with the delimiter that is known.
    pub(crate) fn add(&mut self, text: &str, parts: &mut dyn Parts) {
        self.row.push_str(text);
        self.scan(self.known_delimiter(), parts);
    }

    /// Returns the length of the row that has not ended.
    pub(crate) fn held(&self) -> usize {
        self.row.len()
    }

    /// Hands over the row that has not ended.
    pub(crate) fn rest(&mut self, parts: &mut dyn Parts) {
        let row = std::mem::take(&mut self.row);
        if !row.is_empty() {
            self.end_row(&row, self.known_delimiter(), parts);
        }
    }

    /// Keeps the byte order mark before the first row, which belongs to no cell.
    fn keep_mark(&mut self, parts: &mut dyn Parts) {
        let mark = self.row.len() - self.row.trim_start_matches('\u{feff}').len();
        if self.line == 1 && mark > 0 {
            let row = self.row.split_off(mark);
            parts.keep(&std::mem::replace(&mut self.row, row));
        }
    }

    fn scan(&mut self, delimiter: u8, parts: &mut dyn Parts) {
        let text = std::mem::take(&mut self.row);
        let mut start = 0;
        for (at, byte) in text.bytes().enumerate().skip(self.seen) {
            if !self.state.is_quoted() && ends_with_carriage_return(&text, at) {
                self.lines += 1;
                self.end_row(text.get(start..at).unwrap_or_default(), delimiter, parts);
                start = at;
            }
            self.lines += usize::from(byte == b'\n');
            self.state = self.state.next(byte, delimiter);
            if self.state == State::Start {
                self.cells.push(self.cell..at - start);
                self.cell = at + 1 - start;
            }
            if byte == b'\n' && !self.state.is_quoted() {
                self.end_row(text.get(start..=at).unwrap_or_default(), delimiter, parts);
                start = at + 1;
            }
        }
        self.seen = text.len() - start;
        self.row = if start == 0 { text } else { text.get(start..).unwrap_or_default().to_owned() };
    }

    /// Takes a row, with its line break.
    fn end_row(&mut self, row: &str, delimiter: u8, parts: &mut dyn Parts) {
        let content = row.trim_end_matches(['\r', '\n']).len();
        self.cells.push(self.cell..content.max(self.cell));
        let row = TableRow { raw: row.to_owned(), cells: std::mem::take(&mut self.cells) };
        if self.names.is_some() {
            self.row(&row, delimiter, false, parts);
        } else {
            self.first.push(row);
            self.first_rows(delimiter, false, parts);
        }
        self.line += self.lines;
        (self.lines, self.cell, self.state) = (0, 0, State::Start);
    }

    /// Hands over the first rows once it is known whether they are heads.
    fn first_rows(&mut self, delimiter: u8, is_last: bool, parts: &mut dyn Parts) {
        let texts: Vec<_> = self.first.iter().map(TableRow::texts).collect();
        if texts.len() == 1 && (texts.concat().concat().is_empty() || self.is_separator()) {
            return self.hand_over_first(parts);
        }
        // a comment may have personal data, and labels nothing
        if let [TableRow { raw, cells }] = self.first.as_slice()
            && raw.starts_with('#')
            && cells.len() == 1
        {
            for row in std::mem::take(&mut self.first) {
                self.row(&row, delimiter, false, parts);
            }
            return;
        }
        let Some((heads, names)) = heads(&texts, is_last) else { return };
        for (index, row) in std::mem::take(&mut self.first).into_iter().enumerate() {
            self.row(&row, delimiter, index < heads, parts);
            self.names.get_or_insert_with(|| names.clone());
        }
    }

    /// Hands over a row before the head.
    fn hand_over_first(&mut self, parts: &mut dyn Parts) {
        for TableRow { raw, .. } in std::mem::take(&mut self.first) {
            parts.keep(&raw);
            parts.end_record();
        }
    }

    /// Whether the first row says the separator.
    fn is_separator(&self) -> bool {
        self.line == 1 && self.first.first().is_some_and(|row| separator(&row.raw).is_some())
    }

    /// Hands over a row. Of a head, only cells are values that may be more than a label.
    fn row(&self, row: &TableRow, delimiter: u8, is_head: bool, parts: &mut dyn Parts) {
        let mut done = 0;
        for (column, place) in row.cells.iter().enumerate() {
            parts.keep(row.raw.get(done..place.start).unwrap_or_default());
            done = place.end;
            let cell = row.raw.get(place.clone()).unwrap_or_default();
            let (text, quoting) = decode(cell);
            if is_head && is_label_only(&text) {
                parts.keep(cell);
                continue;
            }
            let names = self.names.as_ref().filter(|_| !is_head);
            let label = names.and_then(|names| names.get(column)).cloned().flatten();
            let syntax = Syntax::cell(delimiter, quoting);
            parts.value(cell, Value { label, text, syntax, is_aside: is_head, ..Value::default() });
        }
        parts.keep(row.raw.get(done..).unwrap_or_default());
        parts.end_record();
    }

    /// The delimiter once the first rows have told it.
    fn known_delimiter(&self) -> u8 {
        self.delimiter.unwrap_or(DELIMITERS[0])
    }
}

impl Reader for Csv {
    fn read(&mut self, text: &str, parts: &mut dyn Parts) -> Result<()> {
        self.row.push_str(text);
        self.keep_mark(parts);
        if self.delimiter.is_none() {
            let is_long = self.row.len() >= LONGEST_HELD;
            // no row ends without a line break, so that pieces of one are not read again
            if is_long || text.contains(['\n', '\r']) {
                self.delimiter = first_delimiter(&self.row, is_long);
            }
            if self.delimiter.is_none() {
                return Ok(());
            }
        }
        self.scan(self.known_delimiter(), parts);
        if self.row.len() > LONGEST_HELD {
            bail!("line {} opens a quote that is not closed within {LONGEST_HELD} bytes", self.line);
        }
        Ok(())
    }

    fn end(&mut self, parts: &mut dyn Parts) -> Result<()> {
        self.delimiter = self.delimiter.or_else(|| first_delimiter(&self.row, true));
        let delimiter = self.known_delimiter();
        self.scan(delimiter, parts);
        if self.state.is_quoted() {
            bail!("line {} opens a quote that is never closed", self.line);
        }
        let row = std::mem::take(&mut self.row);
        if !row.is_empty() {
            self.end_row(&row, delimiter, parts);
        }
        self.first_rows(delimiter, true, parts);
        Ok(())
    }
}

impl TableRow {
    /// The texts of the cells as heads.
    fn texts(&self) -> Vec<String> {
        let cells = self.cells.iter().map(|place| self.raw.get(place.clone()).unwrap_or_default());
        cells.map(|cell| decode(cell).0.trim().to_owned()).collect()
    }
}

/// Whether a carriage return alone is before `at`: older programs for the Macintosh end rows with it.
fn ends_with_carriage_return(text: &str, at: usize) -> bool {
    let byte = |at: usize| text.as_bytes().get(at);
    at.checked_sub(1).and_then(byte) == Some(&b'\r') && byte(at) != Some(&b'\n')
}

/// Returns the first row without its line break, if that has arrived.
fn first_row(text: &str) -> Option<&str> {
    let mut state = State::default();
    for (at, byte) in text.bytes().enumerate() {
        if !state.is_quoted() && ends_with_carriage_return(text, at) {
            return text.get(..at - 1);
        }
        state = state.next_of_any(byte);
        if byte == b'\n' && !state.is_quoted() {
            return text.get(..at);
        }
    }
    None
}

/// The separator that the first line of a spreadsheet's table says: `sep=;`.
fn separator(line: &str) -> Option<u8> {
    let line = line.trim_end_matches(['\r', '\n']);
    match line.strip_prefix("sep=").or_else(|| line.strip_prefix("SEP="))?.as_bytes() {
        [separator] if separator.is_ascii_punctuation() || *separator == b'\t' => Some(*separator),
        _ => None,
    }
}

/// Returns the number of the first rows that are heads, and the names of the columns; `None` while more rows must tell it.
pub(crate) fn heads(rows: &[Vec<String>], is_last: bool) -> Option<(usize, Vec<Option<String>>)> {
    let heads = match rows {
        [] => return None,
        [first] if !is_last && may_be_head(first) => return None,
        [first, second] if !is_last && may_be_two(first, second) && !is_head(second, &[]) => return None,
        // a head over groups of columns has gaps
        [first, second, rest @ ..] if may_be_two(first, second) => {
            let third = rest.first().map_or(&[][..], Vec::as_slice);
            if is_head(second, third) { 2 } else { usize::from(is_head(first, second)) }
        }
        [first, rest @ ..] => usize::from(is_head(first, rest.first().map_or(&[][..], Vec::as_slice))),
    };
    let mut names = Vec::new();
    for row in rows.iter().take(heads.max(1)) {
        names.resize(names.len().max(row.len()), String::new());
        for (name, text) in names.iter_mut().zip(row).filter(|(_, text)| !text.is_empty()) {
            name.clone_from(text);
        }
    }
    Some((heads, names.iter().map(|name| label(name)).collect()))
}

/// Whether the cell of a head is no more than a label: a word.
pub(crate) fn is_label_only(text: &str) -> bool {
    !text.trim().contains(char::is_whitespace) && !text.contains(TOKEN)
}

/// Writes a cell as CSV with commas.
pub(crate) fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

/// Whether a text may be the head of a column: words without what data has.
fn is_word(text: &str) -> bool {
    let digits = text.as_bytes().windows(4).any(|four| four.iter().all(u8::is_ascii_digit));
    text.len() <= 64 && text.contains(char::is_alphabetic) && !text.contains(['@', '\n']) && !digits
}

/// Whether a row may be a head: not without the next one.
fn may_be_head(row: &[String]) -> bool {
    row.iter().any(|text| !text.is_empty()) && row.iter().all(|text| text.is_empty() || is_word(text))
}

/// Whether a row is a head, by its form or by the types of the next row.
fn is_head(row: &[String], next: &[String]) -> bool {
    if !may_be_head(row) {
        return false;
    }
    let is_identifier = |text: &String| {
        !text.chars().any(|letter| letter.is_uppercase() || letter.is_whitespace())
            && text.starts_with(char::is_alphabetic)
    };
    let mut sorted: Vec<_> = row.iter().filter(|text| !text.is_empty()).collect();
    let filled = sorted.len();
    sorted.sort();
    sorted.dedup();
    if sorted.len() == filled && filled > 1 && sorted.iter().all(|text| is_identifier(text)) {
        return true;
    }
    let is_data = |text: &str| text.contains(|letter: char| letter.is_ascii_digit() || letter == '@');
    let changed =
        row.iter().zip(next).filter(|(head, cell)| !head.is_empty() && !is_data(head) && is_data(cell));
    let changed = changed.count();
    changed > 1 && changed * 3 > filled || changed * 2 > filled
}

/// Whether a row may be a head over groups of columns, whose own heads are in the next one.
fn may_be_two(row: &[String], next: &[String]) -> bool {
    if !may_be_head(row) || !may_be_head(next) {
        return false;
    }
    let gaps = next
        .iter()
        .enumerate()
        .filter(|(column, text)| !text.is_empty() && row.get(*column).is_none_or(String::is_empty));
    gaps.count() * 2 >= next.len().max(2)
}

/// The text of a cell; of a quoted one, its places and how quotes are escaped.
pub(crate) fn decode(raw: &str) -> (String, Option<(Places, Escape)>) {
    let Some(inside) = raw.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')) else {
        return (raw.to_owned(), None);
    };
    if escapes_by_backslash(inside) {
        let (text, places) = decode_backslashes(inside);
        return (text, Some((places, Escape::Backslashed)));
    }
    let (mut text, mut places) = (String::with_capacity(inside.len()), Places::from(1));
    let mut rest = inside;
    while let Some((before, after)) = rest.split_once("\"\"") {
        text.push_str(before);
        text.push('"');
        rest = after;
        places.add(text.len(), 1 + inside.len() - rest.len());
    }
    text.push_str(rest);
    (text, Some((places, Escape::Doubled('"'))))
}

/// Whether a text without delimiters and line breaks reads as itself in a cell without quotes around it.
pub(crate) fn reads_as_written(text: &str) -> bool {
    let state = text.bytes().fold(State::Start, |state, byte| state.next(byte, b'\n'));
    !state.is_quoted() && decode(text).1.is_none()
}

/// Whether backslashes escape quotes inside the quotes of a cell, as [`State`] reads them; also of a token with the mark of it.
fn escapes_by_backslash(inside: &str) -> bool {
    let mut state = State::Quoted;
    inside.contains(MARKED_TOKEN)
        || inside.bytes().any(|byte| {
            state = state.next(byte, b'\n');
            state == State::Escaped
        })
}

/// Decodes quotes and the mark of a token behind backslashes; other backslashes stay.
fn decode_backslashes(inside: &str) -> (String, Places) {
    let (mut text, mut places) = (String::with_capacity(inside.len()), Places::from(1));
    let mut rest = inside;
    while let Some((before, after)) = rest.split_once('\\') {
        text.push_str(before);
        let is_mark = text.ends_with("tok") && after.starts_with('_');
        let letter = after.chars().next();
        if !is_mark && letter != Some('"') {
            text.push('\\');
        }
        text.extend(letter);
        rest = after.get(letter.map_or(0, char::len_utf8)..).unwrap_or_default();
        if is_mark || letter == Some('"') {
            places.add(text.len(), 1 + inside.len() - rest.len());
        }
    }
    text.push_str(rest);
    (text, places)
}

/// Escapes quotes by backslashes in a text that [`decode_backslashes`] returned, or that replaces a part of it.
pub(crate) fn with_backslashes(text: &str) -> String {
    if let Some(rest) = text.strip_prefix(TOKEN) {
        return format!("{MARKED_TOKEN}{rest}");
    }
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => {
                out.push(letter);
                // a backslash alone would escape what follows
                out.push(letters.next_if(|next| *next != '"').unwrap_or(letter));
            }
            _ => out.push(letter),
        }
    }
    out
}

/// Whether a row is a comment; `#id` may be the head of a column.
fn is_comment(row: &str) -> bool {
    let said = row.strip_prefix('#');
    said.is_some_and(|said| said.chars().next().is_none_or(|next| next == '#' || next.is_whitespace()))
}

/// Returns the delimiter of a table by its first rows; `None` if more must tell it. `is_whole` means that no more are waited for.
///
/// Comments and titles before the table do not tell it, unless there is nothing else.
fn first_delimiter(text: &str, is_whole: bool) -> Option<u8> {
    let (mut rest, mut rows) = (text, 0);
    while let Some(row) = first_row(rest).or(Some(rest).filter(|row| is_whole && !row.is_empty())) {
        rest = rest.get(row.len() + 1..).unwrap_or_default();
        rows += 1;
        if let Some(delimiter) = separator(row).filter(|_| rows == 1) {
            return Some(delimiter);
        }
        let counts = delimiters(row);
        let kinds = counts.iter().filter(|count| **count > 0).count();
        if kinds > 0 && !is_comment(row) {
            // a row comes out at once where only one can be meant
            let next = if kinds == 1 { "" } else { first_row(rest).or(Some(rest).filter(|_| is_whole))? };
            return likely_delimiter(counts, delimiters(next));
        }
        if rows == ONE_COLUMN {
            return Some(DELIMITERS[0]);
        }
    }
    is_whole.then(|| likely_delimiter(delimiters(text), delimiters("")).unwrap_or(DELIMITERS[0]))
}

/// The frequency of each of [`DELIMITERS`] in a row, outside quotes.
type Counts = [usize; DELIMITERS.len()];

/// Returns the delimiter that a row and the next one have equally often, or the one that is most frequent in the row.
fn likely_delimiter(counts: Counts, of_next: Counts) -> Option<u8> {
    let most = |agree: bool| {
        let mut best = (0, 0);
        for ((delimiter, count), other) in DELIMITERS.iter().zip(counts).zip(of_next) {
            if count > best.1 && (!agree || count == other) {
                best = (*delimiter, count);
            }
        }
        Some(best.0).filter(|_| best.1 > 0)
    };
    most(true).or_else(|| most(false))
}

/// Counts the delimiters of a row.
fn delimiters(row: &str) -> Counts {
    let mut counts = Counts::default();
    let mut state = State::default();
    for byte in row.bytes() {
        state = state.next_of_any(byte);
        let mut counts = DELIMITERS.iter().zip(&mut counts);
        if let Some((_, count)) = counts.find(|(delimiter, _)| !state.is_quoted() && **delimiter == byte) {
            *count += 1;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{outcome, record_of, records_of, rewritten};

    const TABLE: &str = "\u{feff}jméno;e-mail;pozn\r\n\"Novák, \"\"J\"\"\";a@b.cz;\r\n\n\"víc\nřádků\";;x";

    #[test]
    fn cells_of_rows() {
        let rows = records_of(&mut Csv::new(None), TABLE);
        let texts = |row: usize| rows[row].values.iter().map(|value| value.text.as_str()).collect::<Vec<_>>();
        assert_eq!(texts(0), [""; 0], "a head");
        assert_eq!(texts(1), ["Novák, \"J\"", "a@b.cz", ""]);
        assert_eq!(texts(2), [""]);
        assert_eq!(texts(3), ["víc\nřádků", "", "x"]);
        let labels: Vec<_> = rows[3].values.iter().map(|value| value.label.as_deref().unwrap()).collect();
        assert_eq!(labels, ["jméno", "e-mail", "pozn"]);
        assert_eq!(rows.iter().map(|row| row.line).collect::<Vec<_>>(), [1, 2, 3, 4]);
        assert_eq!(rows.iter().map(|row| row.raw.as_str()).collect::<String>(), TABLE);
    }

    #[test]
    fn heads_are_no_values() {
        for (table, expected) in [
            ("sep=;\nname;a,b\nX;Y\n", &[("name", "X"), ("a,b", "Y")][..]),
            ("\u{feff}sep=;\nname;a,b\nX;Y\n", &[("name", "X"), ("a,b", "Y")]),
            (
                "\u{feff}\"name, first\";phone\nX;Y\n",
                &[("", "name, first"), ("", "phone"), ("name, first", "X"), ("phone", "Y")],
            ),
            ("\u{feff}# a, b, c\nname;phone\nX;Y\n", &[("", "# a, b, c"), ("name", "X"), ("phone", "Y")]),
            (
                "Name;Ort;Geb.-Datum;Tel\nX;Y;1.2.90;+49 1\n",
                &[("Name", "X"), ("Ort", "Y"), ("Geb.-Datum", "1.2.90"), ("Tel", "+49 1")],
            ),
            (
                "First Name,Phone No\nX,\"12\"\nY,13\n",
                &[
                    ("", "First Name"),
                    ("", "Phone No"),
                    ("First Name", "X"),
                    ("Phone No", "12"),
                    ("First Name", "Y"),
                    ("Phone No", "13"),
                ],
            ),
            // without a head
            (
                "Emily Carter,Leeds\nAnna Kellermann,York\n",
                &[
                    ("", "Emily Carter"),
                    ("", "Leeds"),
                    ("Emily Carter", "Anna Kellermann"),
                    ("Leeds", "York"),
                ],
            ),
            (
                "a@example.com,x\nb@example.com,y\n",
                &[("", "a@example.com"), ("", "x"), ("a@example.com", "b@example.com"), ("x", "y")],
            ),
            ("Anna\n17\n", &[("Anna", "17")]),
            // heads over groups of columns, and columns without a head
            (
                "Person,,Contact,\nname,born,mail,tel\nX,1990,a@b,5\n",
                &[("name", "X"), ("born", "1990"), ("mail", "a@b"), ("tel", "5")],
            ),
            (",name,mail\n0,X,a@b\n", &[("", "0"), ("name", "X"), ("mail", "a@b")]),
            ("\n\nname,mail\nX,a@b\n", &[("name", "X"), ("mail", "a@b")]),
            ("\n\nname;mail\nX;a@b\n", &[("name", "X"), ("mail", "a@b")]),
            (
                "name;mail\rX;a@b\r\"Y\rZ\";b@c\r",
                &[("name", "X"), ("mail", "a@b"), ("name", "Y\rZ"), ("mail", "b@c")],
            ),
            // comments and titles before the table
            (
                "# by X, Y, Z\n#\n#country-\n#code\tname\n17\tA,b\n",
                &[
                    ("", "# by X, Y, Z"),
                    ("", "#"),
                    ("", "#country-"),
                    ("", "#code"),
                    ("", "name"),
                    ("#code", "17"),
                    ("name", "A,b"),
                ],
            ),
            ("name,mail", &[]),
            // a row with a token may have been data
            ("name,tok_xx_a\nX,1\n", &[("", "tok_xx_a"), ("name", "X"), ("tok_xx_a", "1")]),
        ] {
            let records = records_of(&mut Csv::new(None), table);
            assert_eq!(records.iter().map(|record| record.raw.as_str()).collect::<String>(), table);
            let values = records.iter().flat_map(|record| &record.values);
            let found: Vec<_> = values
                .map(|value| (value.label.as_deref().unwrap_or_default(), value.text.as_str()))
                .collect();
            assert_eq!(found, expected, "{table}");
        }
    }

    #[test]
    fn only_changed_cells_are_written_anew() {
        let row = record_of(&mut Csv::new(None), "\"a1234\",b, \"c\" ,\"d\"\"\"\r\n");
        assert_eq!(
            rewritten(&row, &[None, Some("x,\"y"), None, None]),
            "\"a1234\",\"x,\"\"y\", \"c\" ,\"d\"\"\"\r\n"
        );
        assert_eq!(rewritten(&row, &[Some("x"), None, Some("y"), None]), "\"x\",b,y,\"d\"\"\"\r\n");
    }

    #[test]
    fn the_first_row_may_have_line_breaks() {
        let rows = records_of(&mut Csv::new(None), "\"x, y\nz\";a@b.cz\nu;v\n");
        let texts: Vec<_> =
            rows.iter().flat_map(|row| &row.values).map(|value| value.text.as_str()).collect();
        assert_eq!(texts, ["x, y\nz", "a@b.cz", "u", "v"]);
    }

    #[test]
    fn the_first_rows_tell_the_delimiter() {
        for (table, delimiter) in [
            ("a,b;c,d", b','),
            ("a;b", b';'),
            ("a\tb", b'\t'),
            ("a|b|c,d", b'|'),
            ("a", b','),
            ("\"a;;;\",b", b','),
            ("\"a \\\"b;;;\",c", b','),
            ("5\" a;b", b';'),
            ("code\tname, a, or b\nx\ty\n", b'\t'),
            ("name, first;born\nX, Y, Z;1\n", b';'),
            ("\n# by X, Y\na title\n\nname;born\nX;1\n", b';'),
            ("# by X; Y\nA\nB", b';'),
            ("a;b, c\rX;1\r", b';'),
        ] {
            assert_eq!(first_delimiter(table, true), Some(delimiter), "{table}");
        }
        for table in ["a;b, c\n", "# a;b\nc\n", "a;b, c\n\"d\n"] {
            assert_eq!(first_delimiter(table, false), None, "{table}");
        }
        assert_eq!(first_delimiter("a;b\n", false), Some(b';'));
        assert_eq!(first_delimiter(&"a\n".repeat(ONE_COLUMN), false), Some(b','));
    }

    /// A backslash before a quote that ends no cell escapes it, and every further one of the cell.
    #[test]
    fn quotes_behind_backslashes() {
        for (table, expected) in [
            ("\"Bret \\\"Hit Man\\\" Hart\";1984\n", &["Bret \"Hit Man\" Hart", "1984"][..]),
            ("\"a \\\"b; c\\\"\\\\\";\"x\\\" \ny\\\"\";z\n", &["a \"b; c\"\\\\", "x\" \ny\"", "z"]),
            // the last character is a backslash
            ("\"C:\\\";\"D:\\\"\n", &["C:\\", "D:\\"]),
            ("\"C:\\\"\r\n", &["C:\\"]),
            ("\"a\\\"\"b\";c\n", &["a\\\"b", "c"]),
            ("\"a\\nb\";c\n", &["a\\nb", "c"]),
            ("\"to tok\\_xx\";c\n", &["to tok_xx", "c"]),
        ] {
            let rows = records_of(&mut Csv::with_columns(b';', Vec::new()), table);
            let texts: Vec<_> =
                rows.iter().flat_map(|row| &row.values).map(|value| value.text.as_str()).collect();
            assert_eq!(texts, expected, "{table}");
            assert_eq!(rows.len(), 1, "{table}");
        }
        let row = record_of(&mut Csv::with_columns(b';', Vec::new()), "\"a \\\"b\\\"\";\"c\"\n");
        assert_eq!(rewritten(&row, &[Some("x\"y\\"), Some("\"\\")]), "\"x\\\"y\\\\\";\"\"\"\\\"\n");
        assert_eq!(rewritten(&row, &[Some("tok_xx"), Some("tok_yy")]), "\"tok\\_xx\";\"tok_yy\"\n");
    }

    #[test]
    fn a_quote_that_is_never_closed() {
        let error = outcome(&mut Csv::new(None), "a,b\nc,\"d\ne\n").unwrap_err();
        assert_eq!(error.to_string(), "line 2 opens a quote that is never closed");
    }
}
