//! Tables in plain text: the head of a column is a label of the cells below it.
//!
//! A table is a line of heads and the following lines that have as many cells: CSV, TSV, semicolons, pipes, Markdown, and
//! columns aligned with spaces. The text is read once, line by line. A line is split only where the next one has as many
//! separators, so prose costs a count of bytes.

use std::ops::Range;

use crate::{
    catalogue,
    lexicon::{self, CONNECTOR},
    phrase::{
        Phrase, words,
        work::{Stage, Work},
    },
};

/// The longest head of a column, in bytes, and its maximum number of words.
const MAX_HEAD: usize = 48;
const MAX_HEAD_WORDS: usize = 6;
/// The maximum number of digits in a head. A line with more is a row.
const MAX_HEAD_DIGITS: usize = 4;
/// The maximum number of columns.
const MAX_COLUMNS: usize = 128;

/// A label at the head of a column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head {
    pub start: usize,
    pub end: usize,
    pub uses: &'static [u16],
}

/// A cell below a label, without the spaces and quotes around its value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    pub start: usize,
    pub end: usize,
    /// Index of its head.
    head: usize,
}

/// The tables of a text.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    heads: Vec<Head>,
    /// Cells in the order of their starts.
    cells: Vec<Cell>,
}

impl Tables {
    /// Finds the tables of a text.
    pub fn new(text: &str, work: &Work) -> Self {
        let mut tables = Self::default();
        // one line is not a table
        if !text.as_bytes().contains(&b'\n') {
            return tables;
        }
        work.add(Stage::Labels, text.len() / 8);
        let mut reader = Reader { text, work, previous: None, table: None };
        let mut start = 0;
        while let Some(rest) = text.get(start..).filter(|rest| !rest.is_empty()) {
            let len = rest.find('\n').unwrap_or(rest.len());
            reader.line(start..start + len, &mut tables);
            start += len + 1;
        }
        tables
    }

    /// The labels at the heads of columns.
    pub fn heads(&self) -> &[Head] {
        &self.heads
    }

    /// The cells with the labels of their columns.
    pub fn cells(&self) -> impl Iterator<Item = (Cell, Head)> {
        self.cells.iter().filter_map(|cell| Some((*cell, *self.heads.get(cell.head)?)))
    }

    /// The cell that contains a range, with the label of its column.
    #[inline]
    pub fn around(&self, start: usize, end: usize) -> Option<(Cell, Head)> {
        if self.cells.is_empty() {
            return None;
        }
        let at = self.cells.partition_point(|cell| cell.start <= start).checked_sub(1)?;
        let cell = self.cells.get(at).filter(|cell| end <= cell.end)?;
        Some((*cell, *self.heads.get(cell.head)?))
    }
}

/// What separates the cells of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Separator {
    Byte(u8),
    /// Two spaces or more.
    Spaces,
}

/// The separators; if a line has several, the first one counts.
const SEPARATORS: [Separator; 5] = [
    Separator::Byte(b'\t'),
    Separator::Byte(b'|'),
    Separator::Byte(b';'),
    Separator::Byte(b','),
    Separator::Spaces,
];

/// The number of each separator in a line.
type Counts = [usize; SEPARATORS.len()];

/// A table whose rows are being read.
struct Table {
    separator: Separator,
    /// The start of each column in its line, and the index of its label.
    columns: Vec<(usize, Option<usize>)>,
}

/// Reads a text line by line.
struct Reader<'t> {
    text: &'t str,
    work: &'t Work,
    /// The preceding line, which may have the heads of a table.
    previous: Option<(Range<usize>, Counts)>,
    table: Option<Table>,
}

impl Reader<'_> {
    fn line(&mut self, line: Range<usize>, tables: &mut Tables) {
        let written = self.text.get(line.clone()).unwrap_or_default();
        // lines between heads and rows, of Markdown and of boxes
        if !written.is_empty() && written.bytes().all(|byte| b"-+=|: \t\r".contains(&byte)) {
            if written.trim_ascii().is_empty() {
                (self.table, self.previous) = (None, None);
            }
            return;
        }
        if let Some(table) = self.table.take()
            && self.row(&table, &line, tables)
        {
            self.table = Some(table);
            return;
        }
        let counts = counts(written);
        if let Some((heads, before)) = self.previous.take() {
            let quoted = written.contains('"');
            for (separator, (count, above)) in SEPARATORS.into_iter().zip(counts.into_iter().zip(before)) {
                let alike = match separator {
                    Separator::Spaces => count > 0,
                    // commas within quotes are not separators
                    Separator::Byte(_) => count == above || quoted && count > above,
                };
                if above == 0 || !alike {
                    continue;
                }
                let Some(table) = self.head(&heads, separator, tables) else { continue };
                if self.row(&table, &line, tables) {
                    self.table = Some(table);
                    return;
                }
            }
        }
        self.previous = (!written.is_empty()).then_some((line, counts));
    }

    /// Reads a line as the heads of a table. `None` if no head is a label, or a cell cannot be a head.
    fn head(&self, line: &Range<usize>, separator: Separator, tables: &mut Tables) -> Option<Table> {
        self.work.add(Stage::Labels, line.len());
        let cells = split(self.text, line, separator);
        if !(2..=MAX_COLUMNS).contains(&cells.len()) {
            return None;
        }
        let is_head = |cell: &Range<usize>| {
            let written = self.text.get(cell.clone()).unwrap_or_default();
            let digits = written.bytes().filter(u8::is_ascii_digit).count();
            written.len() <= MAX_HEAD && digits <= MAX_HEAD_DIGITS && !written.contains(['@', '=', '{', '$'])
        };
        if !cells.iter().all(is_head) {
            return None;
        }
        let first = tables.heads.len();
        let mut columns = Vec::with_capacity(cells.len());
        for cell in cells {
            let label = label(self.text, &cell);
            self.work.add(Stage::Labels, 40);
            columns.push((cell.start - line.start, label.map(|_| tables.heads.len())));
            tables.heads.extend(label);
        }
        // two words around a comma or a semicolon are a phrase more often than two heads
        let labelled = tables.heads.len() - first;
        let few = columns.len() == 2 && matches!(separator, Separator::Byte(b';' | b','));
        if labelled == 0 || few && labelled < 2 {
            tables.heads.truncate(first);
            return None;
        }
        Some(Table { separator, columns })
    }

    /// Adds the cells of a line if it is a row of the table.
    fn row(&self, table: &Table, line: &Range<usize>, tables: &mut Tables) -> bool {
        self.work.add(Stage::Labels, line.len());
        let cells = split(self.text, line, table.separator);
        let whole = cells.len() == table.columns.len();
        // in aligned text a cell may be empty, and its position determines the column
        if !whole
            && (table.separator != Separator::Spaces || cells.len() < 2 || cells.len() > table.columns.len())
        {
            return false;
        }
        for (index, cell) in cells.into_iter().enumerate() {
            let column = if whole { index } else { nearest(&table.columns, cell.start - line.start) };
            if let Some((_, Some(head))) = table.columns.get(column).copied()
                && !cell.is_empty()
            {
                tables.cells.push(Cell { start: cell.start, end: cell.end, head });
            }
        }
        true
    }
}

/// The column that starts nearest to a place of a line.
fn nearest(columns: &[(usize, Option<usize>)], at: usize) -> usize {
    let after = columns.partition_point(|(start, _)| *start <= at);
    let distance = |index: usize| columns.get(index).map_or(usize::MAX, |(start, _)| start.abs_diff(at));
    let before = after.saturating_sub(1);
    if distance(after) < distance(before) { after } else { before }
}

/// Counts the separators of a line.
fn counts(line: &str) -> Counts {
    let bytes = line.as_bytes();
    let next = bytes.get(1..).unwrap_or_default();
    SEPARATORS.map(|separator| match separator {
        Separator::Byte(byte) => count(bytes, bytes, |other, _| other == byte),
        Separator::Spaces => count(bytes, next, |a, b| (a == b' ') & (b == b' ')),
    })
}

/// Counts the pairs of bytes of two slices that satisfy a condition. Sums of 255 bytes fit a byte, which the
/// compiler vectorises.
#[inline]
fn count(one: &[u8], other: &[u8], holds: impl Fn(u8, u8) -> bool) -> usize {
    let pairs = one.chunks(255).zip(other.chunks(255));
    let sums = pairs.map(|(one, other)| {
        let held = one.iter().zip(other).map(|(a, b)| u8::from(holds(*a, *b)));
        usize::from(held.fold(0, u8::wrapping_add))
    });
    sums.sum()
}

/// Splits a line into its cells, without the spaces and quotes around them.
fn split(text: &str, line: &Range<usize>, separator: Separator) -> Vec<Range<usize>> {
    let bytes = text.as_bytes().get(line.clone()).unwrap_or_default();
    let mut cells = Vec::new();
    let (mut start, mut at, mut quoted) = (0, 0, false);
    while let Some(byte) = bytes.get(at) {
        let ends = match separator {
            Separator::Byte(b',' | b';') if *byte == b'"' => {
                quoted = !quoted;
                false
            }
            Separator::Byte(wanted) => *byte == wanted && !quoted,
            Separator::Spaces => *byte == b' ' && bytes.get(at + 1) == Some(&b' '),
        };
        if ends {
            cells.push(start..at);
            if separator == Separator::Spaces {
                at += bytes.iter().skip(at + 1).take_while(|byte| **byte == b' ').count();
            }
            start = at + 1;
        }
        at += 1;
    }
    cells.push(start..bytes.len());
    // indentation is not a cell
    if separator == Separator::Spaces {
        cells.retain(|cell| !cell.is_empty());
    }
    let trim = |cell: Range<usize>| {
        let written = bytes.get(cell.clone()).unwrap_or_default();
        let around = |byte: &u8| matches!(byte, b' ' | b'"' | b'\'' | b'*' | b'\r' | b'\t');
        let before = written.iter().take_while(|byte| around(byte)).count();
        let after = written.iter().rev().take(written.len() - before).take_while(|byte| around(byte)).count();
        line.start + cell.start + before..line.start + cell.end - after
    };
    cells.into_iter().map(trim).collect()
}

/// The label in a head: the longest one of its words, the last one of several.
fn label(text: &str, cell: &Range<usize>) -> Option<Head> {
    let written = text.get(cell.clone())?;
    let mut parts: Vec<(usize, usize)> = Vec::new();
    for (start, end) in words(written).take(MAX_HEAD_WORDS) {
        let mut from = start;
        for hump in humps(written.get(start..end)?) {
            parts.push((from, start + hump));
            from = start + hump;
        }
        parts.push((from, end));
    }
    parts.truncate(2 * MAX_HEAD_WORDS);
    let mut longest: Option<Head> = None;
    for (at, (start, _)) in parts.iter().enumerate() {
        for (_, end) in parts.iter().skip(at) {
            let Some(label) = written.get(*start..*end) else { continue };
            let Some(uses) = lexicon::label(Phrase::EMPTY.with(label), label) else { continue };
            let speaks = |packed: &u16| {
                let (detector, _) = lexicon::label_use(*packed);
                detector != CONNECTOR && catalogue::detector(detector).is_some()
            };
            if uses.iter().any(speaks) && longest.is_none_or(|known| known.end - known.start <= end - start) {
                longest = Some(Head { start: cell.start + start, end: cell.start + end, uses });
            }
        }
    }
    longest
}

/// Where the words of a key in camel case begin, except the first one: `customerPhone`, `userIDNumber`.
///
/// A key such as `publicKeyToken` is one word, because what is public is not a secret.
pub(crate) fn humps(word: &str) -> impl Iterator<Item = usize> {
    let bytes = word.as_bytes();
    let public = bytes.get(..6).is_some_and(|start| start.eq_ignore_ascii_case(b"public"));
    let is = |at: usize, class: fn(&u8) -> bool| bytes.get(at).is_some_and(class);
    let begins = move |at: &usize| {
        let upper = is(*at, u8::is_ascii_uppercase);
        upper && is(at - 1, |byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
            || upper && is(at - 1, u8::is_ascii_uppercase) && is(at + 1, u8::is_ascii_lowercase)
    };
    (1..if public { 1 } else { bytes.len() }).filter(begins)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_label_their_cells() {
        for (text, want) in [
            ("id,name,phone\n1,Jane,555", &[("phone", "555")][..]),
            (
                "id;\"Phone\";dob\n1;\"555\";x\n2;666;y",
                &[("Phone", "555"), ("dob", "x"), ("Phone", "666"), ("dob", "y")],
            ),
            ("a\tcustomerPhone\n1\t555\r\n", &[("Phone", "555")]),
            ("| No | Phone (home) |\n|----|:------|\n| 1 | 555 |\n\n| 2 | 666 |", &[("Phone", "555")]),
            (
                "Item    Phone     Dob\na       555       x\nb                 y",
                &[("Phone", "555"), ("Dob", "x"), ("Dob", "y")],
            ),
            ("x,y,phone\n\"a,b\",1,555\nprose, with commas", &[("phone", "555")]),
            ("phone; exit\ntoken; value", &[]),
            ("Hello, Jane\nplease, come", &[]),
            ("phone,555", &[]),
        ] {
            let tables = Tables::new(text, &Work::default());
            let cells: Vec<(&str, &str)> = tables
                .cells()
                .map(|(cell, head)| (&text[head.start..head.end], &text[cell.start..cell.end]))
                .collect();
            let known = |(head, _): &&(&str, &str)| ["phone", "dob"].contains(&head.to_lowercase().as_str());
            assert_eq!(cells.iter().filter(known).copied().collect::<Vec<_>>(), want, "{text}");
        }
    }

    #[test]
    fn words_of_keys() {
        for (word, parts) in [
            ("customerPhone", &[8][..]),
            ("userIDNumber", &[4, 6]),
            ("phone", &[]),
            ("publicKeyToken", &[]),
            ("PHONE", &[]),
        ] {
            assert_eq!(humps(word).collect::<Vec<_>>(), parts, "{word}");
        }
    }
}
