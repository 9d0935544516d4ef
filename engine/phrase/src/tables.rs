//! Tables in plain text: the head of a column is a label of the cells below it.
//!
//! A table is a line of heads and the following lines that have as many cells: CSV, TSV, semicolons, pipes, Markdown, and
//! columns aligned with spaces. The text is read once, line by line. A line is split only where the next one has as many
//! separators, so prose costs a count of bytes.

use std::ops::Range;

use crate::{
    Phrase,
    bytes::{DIGIT, LOWER, UPPER, class_of},
    words,
    work::{Stage, Work},
};

/// The longest head of a column, in bytes, and its maximum number of words.
const MAX_HEAD: usize = 48;
const MAX_HEAD_WORDS: usize = 6;
/// The maximum number of digits in a head. A line with more is a row.
const MAX_HEAD_DIGITS: usize = 4;
/// The maximum number of columns.
const MAX_COLUMNS: usize = 128;
/// The longest text of a log before a statement of SQL, in bytes.
const LONGEST_PREFIX: usize = 256;

/// The longest list of columns in a statement of SQL, in bytes.
const LONGEST_COLUMNS: usize = 4096;
/// The deepest brackets in a list of SQL. Statements without a closing bracket are read no further than these.
const MAX_DEPTH: usize = 16;
/// The maximum number of statements that create a table and are remembered.
const MAX_CREATED: usize = 64;
/// The first words of parts of a table in SQL that are no columns.
const CONSTRAINTS: [&str; 7] = ["check", "constraint", "foreign", "index", "key", "primary", "unique"];

/// A label at the head of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head<L> {
    /// The range of the label's words, in bytes.
    pub start: usize,
    /// First byte after.
    pub end: usize,
    /// The meaning of the label.
    pub label: L,
}

/// A cell below a label, without the spaces and quotes around its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The range of its value, in bytes.
    pub start: usize,
    /// First byte after.
    pub end: usize,
    /// The index of its head in [`Tables::heads`].
    pub head: usize,
}

/// A cell of a line of heads, with the cell below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeadCell {
    /// The range of the head, in bytes.
    pub head: Range<usize>,
    /// The range of the cell of the first row.
    pub below: Range<usize>,
}

/// The tables of a text.
#[derive(Debug)]
pub struct Tables<L> {
    /// The heads of HTML, then those of lines, each in their order.
    heads: Vec<Head<L>>,
    /// The number of heads of HTML.
    html_heads: usize,
    /// The index of the first head of each table.
    first_heads: Vec<usize>,
    /// The cells of lines of heads of which one is above a number.
    head_cells: Vec<HeadCell>,
    /// Cells in the order of their starts.
    cells: Vec<Cell>,
}

impl<L> Default for Tables<L> {
    fn default() -> Self {
        Self {
            heads: Vec::new(),
            html_heads: 0,
            first_heads: Vec::new(),
            head_cells: Vec::new(),
            cells: Vec::new(),
        }
    }
}

impl<L: Copy> Tables<L> {
    /// Finds the tables of a text.
    ///
    /// `label` returns the label in the head of a column, which is a range of the text. A table has one at least.
    ///
    /// ```
    /// use textveil_phrase::{tables::{Tables, longest}, work::Work};
    ///
    /// let text = "id,phone,city\n1,601 123 456,Brno";
    /// let tables = Tables::new(text, &Work::default(), |head| {
    ///     longest(text, &head, |_, written| (written == "phone").then_some(()))
    /// });
    /// let cell = tables.cells()[0];
    /// assert_eq!(&text[cell.start..cell.end], "601 123 456");
    /// ```
    pub fn new(text: &str, work: &Work, label: impl Fn(Range<usize>) -> Option<Head<L>>) -> Self {
        let mut tables = Self::default();
        // one line is not a table, except of SQL and HTML
        if !text.as_bytes().contains(&b'\n') && statement(text).is_none() && !text.starts_with('<') {
            return tables;
        }
        work.add(Stage::Labels, text.len() / 8);
        let mut reader =
            Reader { text, work, label, previous: None, index: None, table: None, created: Vec::new() };
        if text.as_bytes().contains(&b'<') {
            reader.html(&mut tables);
        }
        let html = std::mem::take(&mut tables.cells);
        tables.html_heads = tables.heads.len();
        let mut start = 0;
        while let Some(rest) = text.get(start..).filter(|rest| !rest.is_empty()) {
            let len = rest.find('\n').unwrap_or(rest.len());
            reader.line(start..start + len, &mut tables);
            start += len + 1;
        }
        // between the first and the last cell of HTML, signs do not separate cells
        if let (Some(first), Some(last)) = (html.first(), html.last()) {
            let before = tables.cells.partition_point(|cell| cell.end <= first.start);
            let behind = tables.cells.partition_point(|cell| cell.start < last.end);
            tables.cells.splice(before..behind.max(before), html);
        }
        tables
    }

    /// Adds a cell if it has a head, and a value.
    fn add(&mut self, cell: Range<usize>, head: Option<usize>) {
        if let Some(head) = head.filter(|_| !cell.is_empty()) {
            self.cells.push(Cell { start: cell.start, end: cell.end, head });
        }
    }

    /// Adds the cells of a row that has one for each column.
    #[inline(never)]
    fn add_row(&mut self, cells: Vec<Range<usize>>, columns: &[(usize, Option<usize>)]) {
        for (cell, (_, head)) in cells.into_iter().zip(columns) {
            self.add(cell, *head);
        }
    }

    /// The labels at the heads of columns.
    pub fn heads(&self) -> &[Head<L>] {
        &self.heads
    }

    /// The labels at the heads of columns, table by table.
    pub fn heads_by_table(&self) -> impl Iterator<Item = &[Head<L>]> {
        let ends = self.first_heads.iter().skip(1).copied().chain([self.heads.len()]);
        self.first_heads.iter().zip(ends).map(|(first, end)| self.heads.get(*first..end).unwrap_or_default())
    }

    /// The cells of lines of heads of which one is above a number, by position.
    ///
    /// A line with a label but no number below it may be the first row of a table without heads.
    pub fn head_cells(&self) -> &[HeadCell] {
        &self.head_cells
    }

    /// The cells below labels, by position.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// The label of a cell's column.
    pub fn head(&self, cell: Cell) -> Option<Head<L>> {
        self.heads.get(cell.head).copied()
    }

    /// Whether a range belongs to the label at the head of a column.
    #[inline]
    pub fn is_head(&self, start: usize, end: usize) -> bool {
        !self.heads.is_empty() && self.has_head(start, end)
    }

    #[inline(never)]
    fn has_head(&self, start: usize, end: usize) -> bool {
        let (html, lines) = self.heads.split_at_checked(self.html_heads).unwrap_or_default();
        [html, lines].into_iter().any(|heads| {
            let before = heads.partition_point(|head| head.start <= start);
            before.checked_sub(1).and_then(|last| heads.get(last)).is_some_and(|head| end <= head.end)
        })
    }

    /// The cell that contains a range, with the label of its column.
    #[inline]
    pub fn around(&self, start: usize, end: usize) -> Option<(Cell, Head<L>)> {
        if self.cells.is_empty() {
            return None;
        }
        let at = self.cells.partition_point(|cell| cell.start <= start).checked_sub(1)?;
        let cell = self.cells.get(at).filter(|cell| end <= cell.end)?;
        Some((*cell, *self.heads.get(cell.head)?))
    }
}

/// The separator between the cells of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Separator {
    Byte(u8),
    /// The upright lines of a box: `│`, `┆`.
    Box,
    /// Two spaces or more.
    Spaces,
    /// Commas within the brackets of a row of SQL: `(1, 'Jan'), (2, 'Petra')`.
    Rows,
}

/// The separators; if a line has several, the first one counts.
const SEPARATORS: [Separator; 6] = [
    Separator::Byte(b'\t'),
    Separator::Byte(b'|'),
    Separator::Box,
    Separator::Byte(b';'),
    Separator::Byte(b','),
    Separator::Spaces,
];

/// The number of each separator in a line.
type Counts = [usize; SEPARATORS.len()];

/// A table whose rows are being read.
#[derive(Clone)]
struct Table {
    separator: Separator,
    /// The start of each column in its line, and the index of its label.
    columns: Vec<(usize, Option<usize>)>,
    /// The end of the heads, in bytes of the text: a list of columns in SQL may have lines of its own.
    heads_end: usize,
    /// The index of the label of a column before them, which has its head in a line of its own.
    index: Option<usize>,
}

/// Reads a text line by line.
struct Reader<'t, F> {
    text: &'t str,
    work: &'t Work,
    /// Returns the label in a head.
    label: F,
    /// The preceding line, which may have the heads of a table.
    previous: Option<(Range<usize>, Counts)>,
    /// The name of the index of a data frame, in a line behind the heads.
    index: Option<Range<usize>>,
    table: Option<Table>,
    /// The tables that statements of SQL created, each with the range of its name.
    created: Vec<(Range<usize>, Table)>,
}

impl<F> Reader<'_, F> {
    fn line<L: Copy>(&mut self, line: Range<usize>, tables: &mut Tables<L>)
    where
        F: Fn(Range<usize>) -> Option<Head<L>>,
    {
        let written = self.text.get(line.clone()).unwrap_or_default();
        if is_rule(written) {
            if written.trim_ascii().is_empty() {
                (self.table, self.previous, self.index) = (None, None, None);
            }
            return;
        }
        if let Some(table) = self.table.take()
            && self.row(&table, &line, tables)
        {
            self.table = Some(table);
            return;
        }
        if let Some(table) = self.insert(&line, tables) {
            self.table = Some(table);
            return;
        }
        if self.create(&line, tables) {
            return;
        }
        // an index has its name below the heads, in a line of their length
        let is_index = |(heads, _): &(Range<usize>, Counts)| {
            heads.len() == line.len() && written.ends_with("  ") && !written.trim_ascii_end().contains(' ')
        };
        if self.previous.as_ref().is_some_and(is_index) {
            self.index = Some(trimmed(self.text, line));
            return;
        }
        let counts = counts(written);
        let index = self.index.take();
        if let Some((heads, before)) = self.previous.take() {
            let quoted = written.contains('"');
            for (separator, (count, above)) in SEPARATORS.into_iter().zip(counts.into_iter().zip(before)) {
                let alike = match separator {
                    Separator::Spaces => count > 0,
                    // commas within quotes are not separators
                    Separator::Byte(_) | Separator::Box => count == above || quoted && count > above,
                    Separator::Rows => false,
                };
                if above == 0 || !alike {
                    continue;
                }
                let Some(mut table) = self.head(&heads, separator, &line, tables) else { continue };
                if let Some(label) = index.clone().and_then(|index| (self.label)(index)) {
                    table.index = Some(tables.heads.len());
                    tables.heads.push(label);
                }
                if self.row(&table, &line, tables) {
                    self.add_head_cells(&heads, &line, separator, &mut tables.head_cells);
                    self.table = Some(table);
                    return;
                }
            }
        }
        self.previous = (!written.is_empty()).then_some((line, counts));
    }

    /// Reads a line as the heads of a table whose first row is `below`. `None` if no head is a label, or a cell cannot be a
    /// head.
    fn head<L: Copy>(
        &self,
        line: &Range<usize>,
        separator: Separator,
        below: &Range<usize>,
        tables: &mut Tables<L>,
    ) -> Option<Table>
    where
        F: Fn(Range<usize>) -> Option<Head<L>>,
    {
        self.work.add(Stage::Labels, line.len());
        let cells = split(self.text, line, separator);
        if !(2..=MAX_COLUMNS).contains(&cells.len()) {
            return None;
        }
        let is_head = |cell: &Range<usize>| {
            let written = self.text.get(cell.clone()).unwrap_or_default();
            let digits = written.bytes().filter(u8::is_ascii_digit).count();
            // a comma makes a sentence of what is aligned with the next line
            let is_sentence = separator == Separator::Spaces && written.contains(", ");
            written.len() <= MAX_HEAD
                && digits <= MAX_HEAD_DIGITS
                && !written.contains(['@', '=', '{', '$'])
                && !is_sentence
        };
        if !cells.iter().all(is_head) {
            return None;
        }
        let first = tables.heads.len();
        let columns = self.columns(line.start, cells, tables);
        // two words around a comma or a semicolon are a phrase more often than two heads
        let labelled = tables.heads.len() - first;
        let few = columns.len() == 2 && matches!(separator, Separator::Byte(b';' | b','));
        // `City | Leeds`, `Surname:   Nowak`: a field of a form, and a line of its own
        let is_field = columns.len() == 2 && columns.first().is_some_and(|(_, head)| head.is_some());
        let is_table = match labelled {
            0 => false,
            1 if few => self.is_above_number(line, separator, below, &columns),
            1 => !is_field,
            _ => true,
        };
        if !is_table {
            tables.heads.truncate(first);
            return None;
        }
        tables.first_heads.push(first);
        Some(Table { separator, columns, index: None, heads_end: 0 })
    }

    /// Whether the label of two heads is above a number, and no line has a space behind the separator: `id,phone` and below
    /// it `1,07700 900123`.
    fn is_above_number(
        &self,
        heads: &Range<usize>,
        separator: Separator,
        row: &Range<usize>,
        columns: &[(usize, Option<usize>)],
    ) -> bool {
        let Separator::Byte(byte) = separator else { return false };
        self.work.add(Stage::Labels, heads.len() + row.len());
        let is_tight = |line: &Range<usize>| {
            let line = self.text.as_bytes().get(line.clone()).unwrap_or_default();
            !line.windows(2).any(|pair| pair == [byte, b' '])
        };
        let cells = split(self.text, row, separator);
        let labelled = columns.iter().position(|(_, head)| head.is_some());
        let cell = labelled.and_then(|at| cells.get(at)).and_then(|cell| self.text.get(cell.clone()));
        cells.len() == columns.len()
            && cell.is_some_and(|cell| cell.bytes().any(|byte| byte.is_ascii_digit()))
            && is_tight(heads)
            && is_tight(row)
    }

    /// Adds the cells of a line of three or more that has words above a number of the first row.
    ///
    /// Lines of two cells are a label and a value as often: `Name;Jan`, `Born;1980`.
    #[inline(never)]
    fn add_head_cells(
        &self,
        heads: &Range<usize>,
        row: &Range<usize>,
        separator: Separator,
        cells: &mut Vec<HeadCell>,
    ) {
        self.work.add(Stage::Labels, heads.len() + row.len());
        let first = cells.len();
        let mut row_cells = split(self.text, row, separator).into_iter();
        let mut filled = 0;
        let mut is_above_number = false;
        for head in split(self.text, heads, separator) {
            let below = row_cells.next().unwrap_or(row.end..row.end);
            let written = |cell: &Range<usize>| self.text.get(cell.clone()).unwrap_or_default();
            let has_digit = |cell: &str| cell.bytes().any(|byte| byte.is_ascii_digit());
            let has_letter = |cell: &str| cell.contains(char::is_alphabetic);
            let (above, value) = (written(&head), written(&below));
            filled += usize::from(!above.is_empty());
            is_above_number |=
                has_digit(value) && !has_letter(value) && has_letter(above) && !has_digit(above);
            cells.push(HeadCell { head, below });
        }
        if filled < 3 || !is_above_number {
            cells.truncate(first);
        }
    }

    /// The columns of these heads, whose labels are added.
    #[inline(never)]
    fn columns<L: Copy>(
        &self,
        line: usize,
        heads: Vec<Range<usize>>,
        tables: &mut Tables<L>,
    ) -> Vec<(usize, Option<usize>)>
    where
        F: Fn(Range<usize>) -> Option<Head<L>>,
    {
        let column = |head: Range<usize>| {
            let start = head.start - line;
            let label = (self.label)(head);
            self.work.add(Stage::Labels, 40);
            let index = label.as_ref().map(|_| tables.heads.len());
            tables.heads.extend(label);
            (start, index)
        };
        heads.into_iter().map(column).collect()
    }

    /// Reads the tables of HTML: the first row of each with a label has the heads.
    fn html<L: Copy>(&self, tables: &mut Tables<L>)
    where
        F: Fn(Range<usize>) -> Option<Head<L>>,
    {
        let mut table: Option<Table> = None;
        let mut from = 0;
        while let Some((kind, Range { end: start, .. })) = tag(self.text, from) {
            from = start;
            match kind {
                Tag::Table => table = None,
                Tag::Row => {
                    let (cells, end) = row_of_html(self.text, start);
                    from = end;
                    self.work.add(Stage::Labels, (end - start) / 8);
                    match &table {
                        Some(table) if table.columns.len() == cells.len() => {
                            tables.add_row(cells, &table.columns);
                        }
                        Some(_) => {}
                        None if (2..=MAX_COLUMNS).contains(&cells.len()) => {
                            let first = tables.heads.len();
                            let columns = self.columns(start, cells, tables);
                            if tables.heads.len() > first {
                                tables.first_heads.push(first);
                                table = Some(Table {
                                    separator: Separator::Rows,
                                    columns,
                                    index: None,
                                    heads_end: 0,
                                });
                            }
                        }
                        None => {}
                    }
                }
                Tag::Cell | Tag::End => {}
            }
        }
    }

    /// Reads the statement of SQL that creates a table, whose rows may follow in statements without columns. Returns whether
    /// there is one.
    fn create<L: Copy>(&mut self, line: &Range<usize>, tables: &mut Tables<L>) -> bool
    where
        F: Fn(Range<usize>) -> Option<Head<L>>,
    {
        let Some(rest) = self.text.get(line.clone()).map(str::trim_ascii_start).and_then(behind_create)
        else {
            return false;
        };
        let at = line.end - rest.len();
        let list = self.bracket(at).and_then(|open| self.list(open));
        let (Some(name), Some(list)) = (self.name(at), list) else { return true };
        let (cells, _) = row_of_sql(self.text, list.start..list.end + 1);
        let column = |cell: Range<usize>| {
            let written = self.text.get(cell.clone()).unwrap_or_default().trim_ascii_start();
            let len = written.bytes().position(|byte| byte.is_ascii_whitespace()).unwrap_or(written.len());
            let start = cell.end - self.text.get(cell).unwrap_or_default().trim_ascii_start().len();
            trimmed(self.text, start..start + len)
        };
        let is_column = |cell: &Range<usize>| {
            let word = self.text.get(cell.clone()).unwrap_or_default();
            !CONSTRAINTS.iter().any(|constraint| word.eq_ignore_ascii_case(constraint))
        };
        let columns: Vec<Range<usize>> = cells.into_iter().map(column).filter(is_column).collect();
        self.work.add(Stage::Labels, list.len());
        if self.created.len() < MAX_CREATED
            && let Some(columns) = self.heads(columns, tables)
        {
            let table = Table { separator: Separator::Rows, columns, index: None, heads_end: list.end };
            self.created.push((name, table));
        }
        true
    }

    /// Returns the heads of a statement of SQL; `None` if none is a label.
    fn heads<L: Copy>(
        &self,
        cells: Vec<Range<usize>>,
        tables: &mut Tables<L>,
    ) -> Option<Vec<(usize, Option<usize>)>>
    where
        F: Fn(Range<usize>) -> Option<Head<L>>,
    {
        let first = tables.heads.len();
        let columns = self.columns(0, cells, tables);
        if tables.heads.len() == first || columns.len() > MAX_COLUMNS {
            tables.heads.truncate(first);
            return None;
        }
        tables.first_heads.push(first);
        Some(columns)
    }

    /// Returns the name of a table at a place, without quotes and without the schema before it.
    fn name(&self, at: usize) -> Option<Range<usize>> {
        let rest = self.text.get(at..)?;
        let is_of_name = |letter: char| letter.is_alphanumeric() || "_.`\"[]".contains(letter);
        let start = at + rest.len() - rest.trim_ascii_start().len();
        let name = self.text.get(start..)?;
        let name = name.get(..name.find(|letter| !is_of_name(letter)).unwrap_or(name.len()))?;
        let last = name.rfind('.').map_or(0, |dot| dot + 1);
        let bare = name.get(last..)?.trim_matches(['`', '"', '[', ']']);
        let start = start + last + name.get(last..)?.find(bare)?;
        (!bare.is_empty()).then(|| start..start + bare.len())
    }

    /// Returns the place of the bracket that opens after a place, on its line or the next one.
    fn bracket(&self, at: usize) -> Option<usize> {
        let mut lines = 0;
        // it reads two lines at most, since each line may ask
        let ends = |byte: &u8| {
            lines += usize::from(*byte == b'\n');
            lines > 1 || matches!(byte, b'(' | b';')
        };
        let rest = self.text.as_bytes().get(at..)?;
        let open = at + rest.iter().take(LONGEST_COLUMNS).position(ends)?;
        (self.text.as_bytes().get(open) == Some(&b'(')).then_some(open)
    }

    /// Returns the range within the brackets that open at a place.
    fn list(&self, open: usize) -> Option<Range<usize>> {
        let within = open + 1..self.text.floor_char_boundary(open + LONGEST_COLUMNS);
        let (cells, end) = row_of_sql(self.text, within.clone());
        self.work.add(Stage::Labels, (end - open) / 8);
        Some(within.start..cells.last()?.end)
    }

    /// Reads the statement of SQL that adds rows: its columns, or those of the table that was created, are heads. `None` if no
    /// column is a label.
    fn insert<L: Copy>(&self, line: &Range<usize>, tables: &mut Tables<L>) -> Option<Table>
    where
        F: Fn(Range<usize>) -> Option<Head<L>>,
    {
        let (statement, at) = statement(self.text.get(line.clone())?)?;
        self.work.add(Stage::Labels, line.len());
        let open = self.bracket(line.start + at)?;
        let written = self.text.get(line.start + at..open)?;
        if ends_with_word(written, "values") {
            let rest = behind_word(written, "insert")?;
            let rest = behind_word(behind_word(rest, "ignore").unwrap_or(rest), "into")?;
            let name = self.text.get(self.name(open - rest.len())?)?;
            let is_same = |created: &&(Range<usize>, Table)| {
                self.text.get(created.0.clone()).is_some_and(|known| name.eq_ignore_ascii_case(known))
            };
            let table = self.created.iter().rev().find(is_same)?.1.clone();
            self.rows(&table, &(open..line.end.max(open)), tables);
            return Some(table);
        }
        let list = self.list(open)?;
        let columns = self.heads(split(self.text, &list, Separator::Byte(b',')), tables)?;
        let table = Table { separator: statement.separator(), columns, index: None, heads_end: list.end + 1 };
        if table.separator == Separator::Rows && table.heads_end < line.end {
            self.rows(&table, &(table.heads_end..line.end), tables);
        }
        Some(table)
    }

    /// Adds the cells of all rows of SQL in a line.
    fn rows<L: Copy>(&self, table: &Table, line: &Range<usize>, tables: &mut Tables<L>) {
        let mut from = line.start;
        while let Some(open) = self.text.get(from..line.end).and_then(|rest| rest.find('(')) {
            let start = from + open + 1;
            let (cells, _) = row_of_sql(self.text, start..line.end);
            // a row without its closing bracket is the last one
            let Some(last) = cells.last() else { return };
            from = last.end;
            if cells.len() == table.columns.len() {
                let cells = cells.into_iter().map(|cell| trimmed(self.text, cell));
                tables.add_row(cells.collect(), &table.columns);
            }
        }
    }

    /// Adds the cells of a line if it is a row of the table.
    fn row<L: Copy>(&self, table: &Table, line: &Range<usize>, tables: &mut Tables<L>) -> bool {
        self.work.add(Stage::Labels, line.len());
        if line.start < table.heads_end {
            if line.end > table.heads_end && table.separator == Separator::Rows {
                self.rows(table, &(table.heads_end..line.end), tables);
            }
            return true;
        }
        if table.separator == Separator::Rows {
            let written = self.text.get(line.clone()).unwrap_or_default().trim_ascii_start();
            let goes_on = written.starts_with('(')
                || written.get(..6).is_some_and(|word| word.eq_ignore_ascii_case("values"));
            if goes_on {
                self.rows(table, line, tables);
            }
            return goes_on;
        }
        let mut cells = split(self.text, line, table.separator);
        // the index of a printed data frame precedes the heads
        let is_index = |cell: &Range<usize>| {
            let first = table.columns.first().map_or(0, |(start, _)| *start);
            cell.start == line.start && !cell.is_empty() && cell.end <= line.start + first
        };
        if table.separator == Separator::Spaces
            && cells.len() == table.columns.len() + 1
            && cells.first().is_some_and(is_index)
        {
            tables.add(cells.remove(0), table.index);
        }
        let written = |cell: &Range<usize>| self.text.get(cell.clone()).unwrap_or_default();
        if table.separator == Separator::Box && cells.iter().all(|cell| is_type(written(cell))) {
            return true;
        }
        let whole = cells.len() == table.columns.len();
        // in aligned text a cell may be empty, and its position determines the column
        if !whole
            && (table.separator != Separator::Spaces || cells.len() < 2 || cells.len() > table.columns.len())
        {
            return false;
        }
        for (index, cell) in cells.into_iter().enumerate() {
            let column = if whole { index } else { nearest(&table.columns, cell.start - line.start) };
            tables.add(cell, table.columns.get(column).and_then(|(_, head)| *head));
        }
        true
    }
}

/// A statement of SQL that adds rows.
#[derive(Clone, Copy)]
enum Statement {
    /// `INSERT INTO person (id, phone) VALUES (…)`: its rows are in brackets.
    Insert,
    /// `COPY person (id, phone) FROM stdin;`: its rows are the next lines, with tabs.
    Copy,
}

impl Statement {
    /// Returns the separator of the cells of its rows.
    fn separator(self) -> Separator {
        match self {
            Self::Insert => Separator::Rows,
            Self::Copy => Separator::Byte(b'\t'),
        }
    }
}

/// Returns the statement of SQL in a line that adds rows, and its start. The prefix of a log may be before it.
fn statement(line: &str) -> Option<(Statement, usize)> {
    let bytes = line.as_bytes();
    let begins = |at: usize, word: &[u8]| {
        bytes.get(at..at + word.len()).is_some_and(|here| here.eq_ignore_ascii_case(word))
    };
    let indentation = bytes.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    if begins(indentation, b"insert ") {
        return Some((Statement::Insert, indentation));
    }
    if begins(indentation, b"copy ") && line.trim_ascii_end().ends_with(';') {
        return Some((Statement::Copy, indentation));
    }
    let is_alone = |at: &usize| {
        at.checked_sub(1)
            .and_then(|before| bytes.get(before))
            .is_none_or(|byte| !byte.is_ascii_alphanumeric())
    };
    let last = bytes.len().min(LONGEST_PREFIX);
    // a quick look, as this is asked of each line
    if bytes.len() < "insert into ".len() {
        return None;
    }
    let prefix = bytes.get(..bytes.len().min(LONGEST_PREFIX + "ins".len()))?;
    if count(prefix, prefix.get(1..)?, |a, b| (a | 0x20 == b'n') & (b | 0x20 == b's')) == 0 {
        return None;
    }
    let inserts = |at: &usize| begins(*at, b"insert into ");
    (indentation..last).filter(inserts).find(is_alone).map(|at| (Statement::Insert, at))
}

/// Returns the text behind the words that create a table in SQL.
fn behind_create(line: &str) -> Option<&str> {
    let mut rest = behind_word(line, "create")?;
    for word in ["temporary", "temp", "unlogged"] {
        rest = behind_word(rest, word).unwrap_or(rest);
    }
    let rest = behind_word(rest, "table")?;
    let conditional = behind_word(rest, "if").and_then(|rest| behind_word(rest, "not"));
    Some(conditional.and_then(|rest| behind_word(rest, "exists")).unwrap_or(rest))
}

/// Returns the text behind a word and the white space after it.
fn behind_word<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let rest = text
        .get(word.len()..)
        .filter(|rest| rest.starts_with(|letter: char| letter.is_ascii_whitespace()))?;
    text.get(..word.len())
        .is_some_and(|here| here.eq_ignore_ascii_case(word))
        .then(|| rest.trim_ascii_start())
}

/// Whether a text ends with a word of SQL, and the white space after it.
fn ends_with_word(text: &str, word: &str) -> bool {
    let text = text.trim_ascii_end();
    let start = text.len().saturating_sub(word.len());
    text.get(start..).is_some_and(|last| last.eq_ignore_ascii_case(word))
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
    // a list of values has a word a line
    if bytes.iter().all(|byte| matches!(class_of(*byte), LOWER | UPPER | DIGIT)) {
        return [0; SEPARATORS.len()];
    }
    let next = bytes.get(1..).unwrap_or_default();
    SEPARATORS.map(|separator| match separator {
        Separator::Byte(byte) => count(bytes, bytes, |other, _| other == byte),
        Separator::Rows => 0,
        Separator::Box => match count(bytes, bytes, |other, _| other == BOX) {
            0 => 0,
            _ => (0..bytes.len()).filter(|at| is_upright(bytes, *at)).count(),
        },
        Separator::Spaces => count(bytes, next, |a, b| (a == b' ') & (b == b' ')),
    })
}

/// Whether a line is between the rows of a table, as in Markdown, in boxes, and in a data frame that is shortened.
fn is_rule(line: &str) -> bool {
    let is_rule = |letter: char| b"-+=|:. \t\r".contains(&(letter as u8)) && letter.is_ascii();
    let is_box =
        |letter: char| ('\u{2500}'..'\u{2580}').contains(&letter) || matches!(letter, '-' | ' ' | '\r');
    match line.as_bytes() {
        [] => false,
        [BOX, ..] => line.chars().all(is_box),
        _ => line.chars().all(is_rule),
    }
}

/// Whether a cell is empty or has the type of its column, as polars and DuckDB print it: `str`, `i64`, `datetime[μs]`.
fn is_type(cell: &str) -> bool {
    const TYPES: &str = " str varchar string text i u f int bigint integer float double decimal bool boolean date datetime timestamp time cat uuid ";
    let name = cell.split(['[', '(']).next().unwrap_or_default();
    let name = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
    cell.is_empty() || !name.is_empty() && TYPES.split(' ').any(|known| known == name)
}

/// The first byte of the characters of boxes.
const BOX: u8 = 0xe2;

/// Whether an upright line of a box begins here: light, heavy, dashed or double.
fn is_upright(bytes: &[u8], at: usize) -> bool {
    let here = bytes.get(at..at + 3);
    matches!(here, Some([BOX, 0x94, 0x82 | 0x83 | 0x86 | 0x87 | 0x8a | 0x8b] | [BOX, 0x95, 0x91]))
}

/// The number of bytes that are counted at once: their sum fits a byte, and vectors divide them.
const COUNTED: usize = 240;

/// Counts the pairs of bytes of two slices that satisfy a condition. The compiler vectorises it.
#[inline]
fn count(one: &[u8], other: &[u8], holds: impl Fn(u8, u8) -> bool) -> usize {
    let pairs = one.chunks(COUNTED).zip(other.chunks(COUNTED));
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
            Separator::Box => is_upright(bytes, at),
            Separator::Spaces => *byte == b' ' && bytes.get(at + 1) == Some(&b' '),
            Separator::Rows => false,
        };
        if ends {
            cells.push(start..at);
            match separator {
                Separator::Spaces => {
                    at += bytes.iter().skip(at + 1).take_while(|byte| **byte == b' ').count()
                }
                Separator::Box => at += '│'.len_utf8() - 1,
                _ => (),
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
    cells.into_iter().map(|cell| trimmed(text, line.start + cell.start..line.start + cell.end)).collect()
}

/// A tag of HTML that a table is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tag {
    Table,
    Row,
    Cell,
    /// The end of a row or of a table.
    End,
}

/// The next such tag from a place on, with its range.
fn tag(text: &str, mut from: usize) -> Option<(Tag, Range<usize>)> {
    let bytes = text.as_bytes();
    loop {
        let open = from + bytes.get(from..)?.iter().position(|byte| *byte == b'<')?;
        let end = open + bytes.get(open..)?.iter().position(|byte| *byte == b'>')? + 1;
        from = end;
        let name = bytes.get(open + 1..end - 1)?.split(u8::is_ascii_whitespace).next()?;
        let is = |tag: &str| name.eq_ignore_ascii_case(tag.as_bytes());
        let kinds = [
            ("table", Tag::Table),
            ("tr", Tag::Row),
            ("th", Tag::Cell),
            ("td", Tag::Cell),
            ("/tr", Tag::End),
            ("/table", Tag::End),
        ];
        if let Some((_, kind)) = kinds.into_iter().find(|(name, _)| is(name)) {
            return Some((kind, open..end));
        }
    }
}

/// The cells of a row of HTML without the tags around their text, and the end of the row.
fn row_of_html(text: &str, start: usize) -> (Vec<Range<usize>>, usize) {
    let mut cells = Vec::new();
    let mut from = start;
    let mut open = None;
    loop {
        let next = tag(text, from);
        let until = next.as_ref().map_or(text.len(), |(_, tag)| tag.start);
        if let Some(open) = open.take() {
            cells.push(within_tags(text, open..until));
        }
        match next {
            Some((Tag::Cell, tag)) => (open, from) = (Some(tag.end), tag.end),
            Some((Tag::End, tag)) => return (cells, tag.end),
            // the next row is read on its own
            Some((Tag::Row | Tag::Table, _)) => return (cells, until),
            None => return (cells, text.len()),
        }
    }
}

/// The text of a cell without the tags and spaces at its ends.
fn within_tags(text: &str, mut cell: Range<usize>) -> Range<usize> {
    loop {
        cell = trimmed(text, cell);
        let written = text.get(cell.clone()).unwrap_or_default();
        if written.starts_with('<')
            && let Some(end) = written.find('>')
        {
            cell.start += end + 1;
        } else if written.ends_with('>')
            && let Some(start) = written.rfind('<')
        {
            cell.end = cell.start + start;
        } else {
            return cell;
        }
    }
}

/// A cell without the spaces and quotes around its value.
fn trimmed(text: &str, cell: Range<usize>) -> Range<usize> {
    let written = text.as_bytes().get(cell.clone()).unwrap_or_default();
    let around = |byte: &u8| matches!(byte, b' ' | b'"' | b'\'' | b'`' | b'*' | b'\r' | b'\t' | b'\n');
    let before = written.iter().take_while(|byte| around(byte)).count();
    let after = written.iter().rev().take(written.len() - before).take_while(|byte| around(byte)).count();
    cell.start + before..cell.end - after
}

/// Returns the cells of a row of SQL, up to its closing bracket, and the end of what was read; no cells without a bracket.
fn row_of_sql(text: &str, row: Range<usize>) -> (Vec<Range<usize>>, usize) {
    let bytes = text.as_bytes().get(row.clone()).unwrap_or_default();
    let mut cells = Vec::new();
    let (mut start, mut quoted, mut depth) = (row.start, false, 0_usize);
    for (at, byte) in bytes.iter().enumerate().map(|(at, byte)| (row.start + at, *byte)) {
        let is_escaped = || {
            let behind = bytes.get(at - row.start + 1..).unwrap_or_default().trim_ascii_start().first();
            // `'C:\'`
            bytes.get(..at - row.start).is_some_and(|before| before.ends_with(b"\\"))
                && !matches!(behind, None | Some(b',' | b')'))
        };
        match byte {
            b'\'' if quoted && is_escaped() => {}
            b'\'' => quoted = !quoted,
            _ if quoted => {}
            b'(' if depth == MAX_DEPTH => return (Vec::new(), at),
            b'(' => depth += 1,
            b')' if depth > 0 => depth -= 1,
            b',' if depth == 0 => {
                cells.push(start..at);
                start = at + 1;
            }
            b')' => {
                cells.push(start..at);
                return (cells, at);
            }
            _ => {}
        }
    }
    (Vec::new(), row.end)
}

/// Returns the label in the head of a column, the range `head` of the text: the longest of its words that is one, the
/// last of several.
///
/// `label` returns what a stretch of words means, from its phrase and from the words as written.
pub fn longest<L: Copy>(
    text: &str,
    head: &Range<usize>,
    label: impl Fn(Phrase, &str) -> Option<L>,
) -> Option<Head<L>> {
    let written = text.get(head.clone())?;
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
    let mut longest: Option<Head<L>> = None;
    for (at, (start, _)) in parts.iter().enumerate() {
        for (_, end) in parts.iter().skip(at) {
            let Some(words) = written.get(*start..*end) else { continue };
            let Some(label) = label(Phrase::EMPTY.with(words), words) else { continue };
            if longest.as_ref().is_none_or(|known| known.end - known.start <= end - start) {
                longest = Some(Head { start: head.start + start, end: head.start + end, label });
            }
        }
    }
    longest
}

/// Returns the starts of the words of a key in camel case, except the first: `customerPhone`, `userIDNumber`.
///
/// ```
/// use textveil_phrase::tables::humps;
///
/// assert!(humps("customerPhone").eq([8]));
/// assert!(humps("userIDNumber").eq([4, 6]));
/// ```
///
/// A key such as `publicKeyToken` is one word, because what is public is not a secret.
pub fn humps(word: &str) -> impl Iterator<Item = usize> {
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
