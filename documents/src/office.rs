//! Workbooks and presentations (Office Open XML, ECMA-376), and texts and tables of OpenDocument.
//!
//! A workbook comes out as CSV, everything else as text. Pictures, properties, names of authors and formulas do not come out, so
//! they cannot pass unseen.

use std::{
    collections::BTreeMap,
    io::{Cursor, Read},
};

use anyhow::{Context, Result, bail};
use quick_xml::{
    Reader,
    events::{BytesStart, Event},
};
use zip::ZipArchive;

use crate::{Gap, Value, csv, flow::Flow, parts::Parts, syntax::Syntax, unread::unread};

/// Most text that a document unpacks to, in bytes.
pub(crate) const LONGEST: u64 = 64 << 20;
/// Most text that comes out of a workbook, in bytes: a far cell has many empty ones before it.
const LONGEST_OUT: usize = 64 << 20;
/// Most columns of a sheet (Excel has 16,384).
const MOST_COLUMNS: usize = 16_384;

/// The files of an archive.
pub(crate) struct Package<'b> {
    archive: ZipArchive<Cursor<&'b [u8]>>,
    room: u64,
}

impl<'b> Package<'b> {
    /// Opens an archive that must be of a kind, such as `a Word document (.docx)`.
    ///
    /// # Errors
    /// If it is another file, or encrypted.
    pub(crate) fn open(bytes: &'b [u8], kind: &str) -> Result<Self> {
        if let Some(other) = unread(bytes).filter(|_| !bytes.starts_with(b"PK")) {
            return Err(other.into());
        }
        let archive = ZipArchive::new(Cursor::new(bytes)).ok();
        let archive = archive.with_context(|| format!("the file is not {kind}"))?;
        Ok(Self { archive, room: LONGEST })
    }

    /// Returns the names of its files, in order.
    pub(crate) fn names(&self) -> Vec<String> {
        let names = self.archive.file_names().filter_map(|name| Some(name.ok()?.into_owned()));
        let mut names: Vec<_> = names.collect();
        // `slide10.xml` comes after `slide9.xml`
        names.sort_by_key(|name| (name.len(), name.clone()));
        names
    }

    /// Unpacks a file.
    ///
    /// # Errors
    /// If it cannot be unpacked, or all of them unpack to more than 64 MiB. The error has nothing of the document.
    pub(crate) fn unpack(&mut self, name: &str) -> Result<String> {
        let file = self.archive.by_name(name).ok().with_context(|| format!("{name} cannot be unpacked"))?;
        let mut xml = String::new();
        let read = file.take(self.room + 1).read_to_string(&mut xml).ok();
        read.with_context(|| format!("{name} cannot be unpacked"))?;
        self.room =
            self.room.checked_sub(xml.len() as u64).context("the document unpacks to more than 64 MiB")?;
        Ok(xml)
    }

    fn unpack_if_there(&mut self, name: &str) -> Result<String> {
        match self.archive.index_for_name(name) {
            Some(_) => self.unpack(name),
            None => Ok(String::new()),
        }
    }
}

/// An event of XML with the names that are of use.
pub(crate) enum Node<'x> {
    Start(&'x BytesStart<'x>),
    End(&'x str),
    Text(&'x str),
}

/// Elements whose content is read elsewhere, or is no text of the document: what is shown by programs that do not know the
/// content before it, and who wrote a comment or a change, and when.
const LEFT_OUT: [&str; 6] =
    ["Fallback", "change-info", "creator", "date", "creator-initials", "note-citation"];

/// Walks through a file of XML. An empty element starts and ends.
pub(crate) fn walk(name: &str, xml: &str, mut visit: impl FnMut(Node<'_>) -> Result<()>) -> Result<()> {
    let mut reader = Reader::from_str(xml);
    // the number of open elements in one that is left out
    let mut left_out = 0_usize;
    loop {
        // the error of the parser may quote the document
        let event = reader.read_event().ok().with_context(|| format!("{name} is malformed"))?;
        match event {
            Event::Start(tag) => match left_out {
                0 if !LEFT_OUT.contains(&tag.local_name().as_ref()) => visit(Node::Start(&tag))?,
                _ => left_out += 1,
            },
            Event::End(_) if left_out > 0 => left_out -= 1,
            Event::Eof => return Ok(()),
            _ if left_out > 0 => (),
            Event::Empty(tag) => {
                visit(Node::Start(&tag))?;
                visit(Node::End(tag.local_name().as_ref()))?;
            }
            Event::End(tag) => visit(Node::End(tag.local_name().as_ref()))?,
            Event::Text(raw) => visit(Node::Text(&raw))?,
            Event::CData(raw) => visit(Node::Text(&raw))?,
            Event::GeneralRef(reference) => {
                visit(Node::Text(&crate::references::decode(&format!("&{};", &*reference)).0))?;
            }
            _ => (),
        }
    }
}

/// Returns the attribute of a tag, by its name without a prefix.
fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = tag.attributes().flatten().find(|attribute| attribute.key.local_name().as_ref() == name)?;
    Some(crate::references::decode_attribute(&found.value).0)
}

/// Hands over a workbook as CSV: a row a line, and the name of each sheet before it if there are several.
///
/// # Errors
/// If it is no workbook, or it unpacks to too much.
pub(crate) fn read_workbook(bytes: &[u8], parts: &mut dyn Parts) -> Result<()> {
    const KIND: &str = "a workbook (.xlsx)";
    const BOOK: &str = "xl/workbook.xml";
    let mut package = Package::open(bytes, KIND)?;
    let names = package.names();
    if !names.iter().any(|name| name == BOOK) {
        bail!("the file is not {KIND}: it has no {BOOK}");
    }
    let xml = package.unpack(BOOK)?;
    let (mut sheets, mut defined) = (Vec::new(), Vec::new());
    let mut is_1904 = false;
    let mut definition = None;
    walk(BOOK, &xml, |part| {
        match part {
            Node::Start(tag) => match tag.local_name().as_ref() {
                "sheet" => sheets.extend(attribute(tag, "name").zip(attribute(tag, "id"))),
                "definedName" => definition = Some(String::new()),
                "workbookPr" => is_1904 = matches!(attribute(tag, "date1904").as_deref(), Some("1" | "true")),
                _ => (),
            },
            Node::Text(text) => {
                if let Some(definition) = &mut definition {
                    definition.push_str(text);
                }
            }
            // a reference to cells says nothing
            Node::End("definedName") => {
                defined.extend(definition.take().and_then(literal));
            }
            Node::End(_) => (),
        }
        Ok(())
    })?;
    let targets = relations(&mut package, "xl/_rels/workbook.xml.rels")?;
    let strings = shared_strings(&mut package)?;
    let formats = date_formats(&mut package)?;
    let is_one = sheets.len() == 1;
    let mut written = 0;
    for (sheet, id) in sheets {
        let Some(target) = targets.get(&id) else { continue };
        let path = path_of("xl", target);
        if package.archive.index_for_name(&path).is_none() {
            continue;
        }
        let xml = package.unpack(&path)?;
        let table = Sheet::read(&path, &xml, &strings, &formats, is_1904)?;
        if !is_one {
            line(&sheet, &sheet, Gap::Line, parts);
        }
        written += table.hand_over(&sheet, parts);
        if written > LONGEST_OUT {
            bail!("the document has more than 64 MiB of text");
        }
        for text in table.margins {
            line(&text, &format!("{sheet}, header or footer"), Gap::Line, parts);
        }
        for text in table.prompts {
            line(&text, &format!("{sheet}, prompt"), Gap::Line, parts);
        }
        parts.end_record();
    }
    for text in defined {
        line(&text, "defined names", Gap::Line, parts);
    }
    for name in names
        .iter()
        .filter(|name| name.starts_with("xl/comments") || name.starts_with("xl/threadedComments/"))
    {
        comments(&mut package, name, parts)?;
    }
    let kinds =
        [("xl/drawings/drawing", "text box"), ("xl/diagrams/data", "diagram"), ("xl/charts/chart", "chart")];
    read_shapes(&mut package, &names, &kinds, parts)
}

/// Hands over a text that is a line of what comes out.
fn line(text: &str, location: &str, gap: Gap, parts: &mut dyn Parts) {
    let text = text.trim();
    if !text.is_empty() {
        let value =
            Value { text: text.to_owned(), gap, location: Some(location.to_owned()), ..Value::default() };
        parts.value(text, value);
        parts.keep("\n");
    }
}

/// Returns the targets of relations by their ids.
fn relations(package: &mut Package<'_>, name: &str) -> Result<BTreeMap<String, String>> {
    let xml = package.unpack_if_there(name)?;
    let mut targets = BTreeMap::new();
    walk(name, &xml, |part| {
        if let Node::Start(tag) = part
            && let (Some(id), Some(target)) = (attribute(tag, "Id"), attribute(tag, "Target"))
        {
            targets.insert(id, target);
        }
        Ok(())
    })?;
    Ok(targets)
}

/// The path of a target in the archive.
fn path_of(folder: &str, target: &str) -> String {
    match target.strip_prefix('/') {
        Some(path) => path.to_owned(),
        None => format!("{folder}/{target}"),
    }
}

/// Collects the texts of the elements `t`, one for each element of a name; phonetic texts are left out.
fn texts(name: &str, xml: &str, element: &str) -> Result<Vec<String>> {
    let mut all = Vec::new();
    let (mut is_text, mut is_phonetic) = (false, false);
    walk(name, xml, |part| {
        match part {
            Node::Start(tag) => match tag.local_name().as_ref() {
                "t" => is_text = true,
                "rPh" => is_phonetic = true,
                local if local == element => all.push(String::new()),
                _ => (),
            },
            Node::End("t") => is_text = false,
            Node::End("rPh") => is_phonetic = false,
            Node::Text(text) if is_text && !is_phonetic => {
                if let Some(last) = all.last_mut() {
                    last.push_str(text);
                }
            }
            _ => (),
        }
        Ok(())
    })?;
    Ok(all)
}

fn shared_strings(package: &mut Package<'_>) -> Result<Vec<String>> {
    const NAME: &str = "xl/sharedStrings.xml";
    let xml = package.unpack_if_there(NAME)?;
    texts(NAME, &xml, "si")
}

/// Returns for each style of cells whether it shows a date.
fn date_formats(package: &mut Package<'_>) -> Result<Vec<bool>> {
    const NAME: &str = "xl/styles.xml";
    let xml = package.unpack_if_there(NAME)?;
    let (mut custom, mut styles, mut is_inside) = (Vec::new(), Vec::new(), false);
    walk(NAME, &xml, |part| {
        match part {
            Node::Start(tag) => match tag.local_name().as_ref() {
                "numFmt" => custom.extend(
                    attribute(tag, "numFmtId")
                        .zip(attribute(tag, "formatCode"))
                        .filter(|(_, code)| is_date_format(code))
                        .map(|(id, _)| id),
                ),
                "cellXfs" => is_inside = true,
                "xf" if is_inside => {
                    let id = attribute(tag, "numFmtId").unwrap_or_default();
                    // the built-in formats of dates
                    let is_built_in = matches!(id.parse::<u32>(), Ok(14..=17 | 22 | 27..=36 | 50..=58));
                    styles.push(is_built_in || custom.contains(&id));
                }
                _ => (),
            },
            Node::End("cellXfs") => is_inside = false,
            _ => (),
        }
        Ok(())
    })?;
    Ok(styles)
}

/// Whether a format has a year or a day, outside of quotes and brackets.
fn is_date_format(code: &str) -> bool {
    let (mut is_quoted, mut is_bracketed) = (false, false);
    code.chars().any(|letter| {
        is_quoted ^= letter == '"';
        is_bracketed = letter == '[' || is_bracketed && letter != ']';
        !is_quoted && !is_bracketed && matches!(letter, 'y' | 'Y' | 'd' | 'D')
    })
}

/// Writes the serial number of a day as a date; others stay.
fn date(number: &str, is_1904: bool) -> Option<String> {
    let serial = number.parse::<f64>().ok().filter(|serial| (1.0..2_958_466.0).contains(serial))?;
    // days since 1970, by the calendar of Excel in which 1900 is a leap year
    let days = serial.floor() as i64 + if is_1904 { 1462 } else { 0 } - 25_569;
    let days = days + i64::from(serial < 60.0 && !is_1904);
    // Howard Hinnant's algorithm for the date of a day
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    Some(format!("{year:04}-{month:02}-{day:02}"))
}

/// The cells of a sheet.
#[derive(Default)]
struct Sheet {
    /// The numbers of rows, from 1, with the columns of their cells, from 0: a far cell takes no memory for those before.
    rows: Vec<(usize, Vec<(usize, String)>)>,
    /// The length of what is written, in bytes.
    size: usize,
    /// Headers and footers of its pages.
    margins: Vec<String>,
    /// Prompts, errors and choices of cells.
    prompts: Vec<String>,
}

impl Sheet {
    fn read(name: &str, xml: &str, strings: &[String], dates: &[bool], is_1904: bool) -> Result<Self> {
        let mut sheet = Self::default();
        let (mut place, mut kind, mut is_date) = (None, String::new(), false);
        let (mut text, mut is_text) = (String::new(), false);
        walk(name, xml, |part| {
            match part {
                Node::Start(tag) => match tag.local_name().as_ref() {
                    "row" => {
                        let next = sheet.rows.last().map_or(1, |(number, _)| number + 1);
                        let number =
                            attribute(tag, "r").and_then(|number| number.parse().ok()).unwrap_or(next);
                        sheet.rows.push((number, Vec::new()));
                    }
                    "c" => {
                        place = attribute(tag, "r").and_then(|reference| column_of(&reference));
                        kind = attribute(tag, "t").unwrap_or_default();
                        let style = attribute(tag, "s").and_then(|style| style.parse::<usize>().ok());
                        is_date = style.and_then(|style| dates.get(style)).copied().unwrap_or_default();
                        text.clear();
                    }
                    "v" | "t" => is_text = true,
                    "dataValidation" => sheet.prompts.extend(
                        ["promptTitle", "prompt", "errorTitle", "error"]
                            .into_iter()
                            .filter_map(|name| attribute(tag, name)),
                    ),
                    "formula1" | "formula2" => {
                        text.clear();
                        is_text = true;
                    }
                    "oddHeader" | "oddFooter" | "evenHeader" | "evenFooter" | "firstHeader"
                    | "firstFooter" => {
                        text.clear();
                        is_text = true;
                    }
                    _ => (),
                },
                Node::Text(more) if is_text => text.push_str(more),
                Node::End("v" | "t") => is_text = false,
                Node::End("c") => {
                    let shown = match kind.as_str() {
                        "s" => text.parse::<usize>().ok().and_then(|index| strings.get(index)).cloned(),
                        "" | "n" if is_date => date(&text, is_1904),
                        "" | "n" => number(&text),
                        _ => None,
                    };
                    let shown = shown.unwrap_or_else(|| text.clone());
                    let last = sheet.rows.last().and_then(|(_, row)| row.last());
                    let next = last.map_or(0, |(column, _)| column + 1);
                    sheet.add(place.unwrap_or(next), shown)?;
                    text.clear();
                }
                Node::End(
                    "oddHeader" | "oddFooter" | "evenHeader" | "evenFooter" | "firstHeader" | "firstFooter",
                ) => {
                    is_text = false;
                    sheet.margins.push(margin(&std::mem::take(&mut text)));
                }
                Node::End("formula1" | "formula2") => {
                    is_text = false;
                    sheet.prompts.extend(literal(std::mem::take(&mut text)));
                }
                _ => (),
            }
            Ok(())
        })?;
        sheet.rows.retain(|(_, row)| !row.is_empty());
        Ok(sheet)
    }

    /// Adds a cell to the last row.
    ///
    /// # Errors
    /// If too much would come out.
    fn add(&mut self, column: usize, text: String) -> Result<()> {
        if let Some((_, row)) = self.rows.last_mut().filter(|_| !text.is_empty()) {
            let before = row.last().map_or(0, |(column, _)| *column);
            self.size += column.saturating_sub(before) + text.len() + 1;
            row.push((column, text));
        }
        if self.size > LONGEST_OUT {
            bail!("the document has more than 64 MiB of text");
        }
        Ok(())
    }

    /// Hands over the rows as CSV, and returns the length of what was written.
    fn hand_over(&self, sheet: &str, parts: &mut dyn Parts) -> usize {
        let dense = |row: &Vec<(usize, String)>| {
            let width = row.iter().map(|(column, _)| column + 1).max().unwrap_or(0);
            let mut cells = vec![String::new(); width];
            for (column, text) in row {
                if let Some(cell) = cells.get_mut(*column) {
                    cell.clone_from(text);
                }
            }
            cells
        };
        let first: Vec<_> = self.rows.iter().take(3).map(|(_, row)| dense(row)).collect();
        let Some((heads, names)) = csv::heads(&first, true) else { return 0 };
        for (index, (number, row)) in self.rows.iter().enumerate() {
            let is_head = index < heads;
            let mut at = 0;
            for (column, text) in row {
                let column = *column;
                parts.keep(&",".repeat(column.saturating_sub(at)));
                at = column.max(at);
                let raw = csv::quoted(text);
                if is_head && csv::is_label_only(text) {
                    parts.keep(&raw);
                    continue;
                }
                let (text, places) = csv::decode(&raw);
                // the first row labels the others
                let label = names.get(column).cloned().flatten().filter(|_| index >= heads.max(1));
                let location = Some(format!("{sheet}!{}{number}", column_name(column)));
                let syntax = Syntax::cell(b',', places);
                parts.value(
                    &raw,
                    Value { label, text, syntax, is_aside: is_head, location, ..Value::default() },
                );
            }
            parts.keep("\n");
            parts.end_record();
        }
        self.size
    }
}

/// Returns the text of a header or a footer without its codes: `&C` begins the middle, `&"Arial,Bold"&12` is a font.
fn margin(written: &str) -> String {
    let mut text = String::with_capacity(written.len());
    let mut rest = written;
    while let Some((before, code)) = rest.split_once('&') {
        text.push_str(before);
        let mut letters = code.chars();
        rest = match letters.next() {
            Some('&') => {
                text.push('&');
                letters.as_str()
            }
            Some('L' | 'C' | 'R') => {
                text.push(' ');
                letters.as_str()
            }
            Some('"') => letters.as_str().split_once('"').map_or("", |(_, rest)| rest),
            Some('K') => letters.as_str().get(6..).unwrap_or_default(),
            Some(digit) if digit.is_ascii_digit() => {
                code.trim_start_matches(|letter: char| letter.is_ascii_digit())
            }
            _ => letters.as_str(),
        };
    }
    text.push_str(rest);
    text
}

/// Writes a number that a program stored with more digits than it shows: `4.1111111111111E15`.
fn number(text: &str) -> Option<String> {
    let value = text.contains(['e', 'E']).then(|| text.parse::<f64>().ok()).flatten()?;
    (value.fract() == 0.0 && value.abs() < 1e18).then(|| format!("{value:.0}"))
}

/// Returns the column of a reference such as `B2`, from 0.
fn column_of(reference: &str) -> Option<usize> {
    let letters = reference.bytes().take_while(u8::is_ascii_alphabetic).take(4);
    let number =
        letters.fold(0, |number, letter| number * 26 + usize::from(letter.to_ascii_uppercase() - b'A') + 1);
    number.checked_sub(1).filter(|column| *column < MOST_COLUMNS)
}

fn column_name(column: usize) -> String {
    let letter = char::from(b'A' + (column % 26) as u8);
    match column / 26 {
        0 => letter.to_string(),
        more => column_name(more - 1) + &letter.to_string(),
    }
}

/// Hands over the comments of a sheet, a line each.
fn comments(package: &mut Package<'_>, name: &str, parts: &mut dyn Parts) -> Result<()> {
    let xml = package.unpack(name)?;
    let (mut place, mut text, mut is_text) = (String::new(), String::new(), false);
    walk(name, &xml, |part| {
        match part {
            Node::Start(tag) => match tag.local_name().as_ref() {
                "comment" | "threadedComment" => {
                    place = attribute(tag, "ref").unwrap_or_default();
                    text.clear();
                }
                "text" | "t" => is_text = true,
                _ => (),
            },
            Node::Text(more) if is_text => text.push_str(more),
            // a file has more in it: the place of the comment on the screen
            Node::End("text") => is_text = false,
            Node::End("comment" | "threadedComment") => {
                line(&text.replace('\n', " "), &format!("comment on {place}"), Gap::Line, parts);
            }
            _ => (),
        }
        Ok(())
    })?;
    parts.end_record();
    Ok(())
}

/// Hands over the paragraphs of files with shapes, by the beginnings of their names and what they are called.
///
/// # Errors
/// If a file is malformed, or all of them unpack to too much.
pub(crate) fn read_shapes(
    package: &mut Package<'_>,
    names: &[String],
    kinds: &[(&str, &str)],
    parts: &mut dyn Parts,
) -> Result<()> {
    for (prefix, kind) in kinds {
        for name in names.iter().filter(|name| name.ends_with(".xml")) {
            let Some(rest) = name.strip_prefix(prefix) else { continue };
            let number =
                rest.trim_end_matches(".xml").trim_start_matches(|letter: char| !letter.is_ascii_digit());
            let xml = package.unpack(name)?;
            shapes(name, &xml, format!("{kind} {number}").trim(), parts)?;
            parts.end_record();
        }
    }
    Ok(())
}

/// Hands over a presentation as text: slides with their notes and comments, a line for each paragraph.
///
/// # Errors
/// If it is no presentation, or it unpacks to too much.
pub(crate) fn read_presentation(bytes: &[u8], parts: &mut dyn Parts) -> Result<()> {
    const KIND: &str = "a presentation (.pptx)";
    const DECK: &str = "ppt/presentation.xml";
    let mut package = Package::open(bytes, KIND)?;
    let names = package.names();
    if !names.iter().any(|name| name == DECK) {
        bail!("the file is not {KIND}: it has no {DECK}");
    }
    let kinds = [
        ("ppt/slides/slide", "slide"),
        ("ppt/notesSlides/notesSlide", "notes"),
        ("ppt/comments/", "comments"),
        ("ppt/diagrams/data", "diagram"),
        ("ppt/charts/chart", "chart"),
    ];
    read_shapes(&mut package, &names, &kinds, parts)
}

/// Hands over the paragraphs of a file of DrawingML, with the names of their shapes.
fn shapes(name: &str, xml: &str, place: &str, parts: &mut dyn Parts) -> Result<()> {
    let mut flow = Flow::new(parts);
    let (mut is_text, mut shape) = (false, String::new());
    walk(name, xml, |node| {
        match node {
            Node::Start(tag) => match tag.local_name().as_ref() {
                "cNvPr" => shape = attribute(tag, "name").unwrap_or_default(),
                "t" => is_text = true,
                "br" => flow.gap(Gap::Line),
                "tab" => flow.gap(Gap::Tab),
                // texts of slides, of comments of old programs, values of charts
                local @ ("p" | "text" | "v") => {
                    is_text = local != "p";
                    let shape = if shape.is_empty() { String::new() } else { format!(", {shape}") };
                    flow.start(Some(format!("{place}{shape}")));
                }
                _ => (),
            },
            Node::Text(text) if is_text => flow.text(text),
            Node::Text(_) => (),
            Node::End(tag) => match tag {
                "t" => is_text = false,
                "p" | "text" | "v" => {
                    is_text = false;
                    flow.end();
                }
                "tc" => flow.end_cell(),
                "tr" => flow.end_row(),
                _ => (),
            },
        }
        Ok(())
    })?;
    flow.finish();
    Ok(())
}

/// Hands over a text or a table of OpenDocument: a line for each paragraph, a row of a table as a line.
///
/// # Errors
/// If it is no such document, or it unpacks to too much.
pub(crate) fn read_open_document(bytes: &[u8], parts: &mut dyn Parts) -> Result<()> {
    const KIND: &str = "an OpenDocument text or table (.odt, .ods)";
    let mut package = Package::open(bytes, KIND)?;
    if package.archive.index_for_name("content.xml").is_none() {
        bail!("the file is not {KIND}: it has no content.xml");
    }
    for name in ["styles.xml", "content.xml"] {
        let xml = package.unpack_if_there(name)?;
        match xml.contains("<office:spreadsheet") {
            true => open_tables(name, &xml, parts)?,
            false => open_text(name, &xml, parts)?,
        }
        parts.end_record();
    }
    Ok(())
}

/// Hands over the paragraphs of a text or a presentation.
fn open_text(name: &str, xml: &str, parts: &mut dyn Parts) -> Result<()> {
    let mut flow = Flow::new(parts);
    let mut inside = Vec::new();
    walk(name, xml, |node| {
        match node {
            Node::Start(tag) => {
                let kind = tag.local_name();
                match kind.as_ref() {
                    "p" | "h" | "footer-decl" | "header-decl" | "date-time-decl" => {
                        flow.start(Some(inside.last().map_or_else(|| "text".to_owned(), Clone::clone)));
                    }
                    "tab" => flow.gap(Gap::Tab),
                    "line-break" => flow.gap(Gap::Line),
                    "s" => flow.text(" "),
                    // the number is that of the page on which it is shown
                    "page-number" => inside.push("page number".to_owned()),
                    _ => inside.extend(place_of(tag)),
                }
            }
            Node::Text(text) if inside.last().is_none_or(|kind| kind != "page number") => flow.text(text),
            Node::Text(_) => (),
            Node::End(tag) => match tag {
                "p" | "h" | "footer-decl" | "header-decl" | "date-time-decl" => flow.end(),
                "table-cell" | "covered-table-cell" => flow.end_cell(),
                "table-row" => flow.end_row(),
                "page-number" | "annotation" | "note-body" | "notes" | "page" | "header" | "footer" => {
                    inside.pop();
                }
                _ => (),
            },
        }
        Ok(())
    })?;
    flow.finish();
    Ok(())
}

/// Returns the place that an element of a text or a presentation is, if it is one.
fn place_of(tag: &BytesStart<'_>) -> Option<String> {
    Some(match tag.local_name().as_ref() {
        "annotation" => "comment".to_owned(),
        "note-body" => "note".to_owned(),
        "page" => attribute(tag, "name").map_or("page".to_owned(), |name| format!("page {name}")),
        place @ ("notes" | "header" | "footer") => place.to_owned(),
        _ => return None,
    })
}

/// Hands over the tables of a book as CSV, and its other paragraphs as lines.
fn open_tables(name: &str, xml: &str, parts: &mut dyn Parts) -> Result<()> {
    let mut sheet = Sheet::default();
    let (mut table, mut column, mut rows, mut repeats) = (None::<String>, 0_usize, 0_usize, 1);
    // the text of the cell, and the paragraphs beside the cells of the sheet: comments and text boxes
    let (mut cell, mut beside, mut is_cell) = (String::new(), Vec::new(), false);
    let (mut text, mut in_paragraph) = (String::new(), false);
    let mut inside = Vec::new();
    let mut written = 0;
    walk(name, xml, |node| {
        match node {
            Node::Start(tag) => match tag.local_name().as_ref() {
                "table" => {
                    beside
                        .drain(..)
                        .for_each(|(text, place): (String, _)| line(&text, place, Gap::Line, parts));
                    table = attribute(tag, "name");
                    (sheet, rows) = (Sheet::default(), 0);
                }
                "table-row" => {
                    (rows, column) = (rows + 1, 0);
                    sheet.rows.push((rows, Vec::new()));
                }
                "table-cell" | "covered-table-cell" => {
                    let number = attribute(tag, "number-columns-repeated");
                    repeats = number.and_then(|number| number.parse().ok()).unwrap_or(1);
                    is_cell = true;
                    cell.clear();
                }
                "p" => {
                    text.clear();
                    in_paragraph = true;
                }
                "tab" | "s" | "line-break" if in_paragraph => text.push(' '),
                "annotation" => inside.push("comment"),
                "text-box" | "custom-shape" => inside.push("text box"),
                "help-message" | "error-message" => inside.push("prompt"),
                // literal texts in formulas of names and of choices
                "named-expression" => {
                    beside.extend(
                        attribute(tag, "expression").and_then(literal).map(|text| (text, "defined names")),
                    );
                }
                "content-validation" => {
                    beside
                        .extend(attribute(tag, "condition").and_then(literal).map(|text| (text, "choices")));
                }
                _ => (),
            },
            Node::Text(more) if in_paragraph => text.push_str(more),
            Node::Text(_) => (),
            Node::End(tag) => match tag {
                "p" => {
                    in_paragraph = false;
                    match inside.last() {
                        Some(place) => beside.push((std::mem::take(&mut text), *place)),
                        None if is_cell => {
                            let gap = if cell.is_empty() { "" } else { "\n" };
                            cell.push_str(gap);
                            cell.push_str(&text);
                        }
                        None => beside.push((std::mem::take(&mut text), "text")),
                    }
                }
                "annotation" | "text-box" | "custom-shape" | "help-message" | "error-message" => {
                    inside.pop();
                }
                "table-cell" | "covered-table-cell" => {
                    let last = column.saturating_add(repeats).min(MOST_COLUMNS);
                    if !cell.is_empty() {
                        (column..last).try_for_each(|column| sheet.add(column, cell.clone()))?;
                    }
                    (column, is_cell) = (last, false);
                }
                "table" => {
                    if let Some(name) = table.take() {
                        line(&name, &name, Gap::Line, parts);
                        sheet.rows.retain(|(_, row)| !row.is_empty());
                        written += sheet.hand_over(&name, parts);
                        if written > LONGEST_OUT {
                            bail!("the document has more than 64 MiB of text");
                        }
                        for (text, place) in std::mem::take(&mut beside) {
                            line(&text, &format!("{name}, {place}"), Gap::Line, parts);
                        }
                    }
                }
                "spreadsheet" => {
                    beside.drain(..).for_each(|(text, place)| line(&text, place, Gap::Line, parts));
                }
                _ => (),
            },
        }
        Ok(())
    })
}

/// Returns a formula if it has a text in it; one that only refers to cells says nothing.
fn literal(formula: String) -> Option<String> {
    formula.contains('"').then_some(formula)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use zip::{ZipWriter, write::SimpleFileOptions};

    use super::*;
    use crate::{Record, parts::Collector};

    fn package(files: &[(&str, &str)]) -> Vec<u8> {
        let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in files {
            archive.start_file(*name, SimpleFileOptions::default()).unwrap();
            archive.write_all(content.as_bytes()).unwrap();
        }
        archive.finish().unwrap().into_inner()
    }

    fn records(read: crate::format::ReadWhole, bytes: &[u8]) -> Result<Vec<Record>> {
        let mut collector = Collector::default();
        read(bytes, &mut collector)?;
        collector.end_record();
        Ok(std::iter::from_fn(|| collector.next()).collect())
    }

    fn text_and_places(records: &[Record]) -> (String, Vec<(String, String, String)>) {
        let text = records.iter().map(|record| record.raw.as_str()).collect();
        let of = |value: &Value| {
            let [location, label] =
                [&value.location, &value.label].map(|part| part.clone().unwrap_or_default());
            (location, label, value.text.clone())
        };
        (text, records.iter().flat_map(|record| &record.values).map(of).collect())
    }

    const RELATIONS: &str = r#"<Relationships><Relationship Id="r1" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Target="/xl/worksheets/sheet2.xml"/></Relationships>"#;

    #[test]
    fn codes_of_headers_are_no_text() {
        for (written, text) in [
            ("&L&\"Arial,Bold\"&12Anna&C1 && 2&RP. &P", " Anna 1 & 2 P. "),
            ("&K00FF00by&Bob", "byob"),
            ("a&", "a"),
        ] {
            assert_eq!(margin(written), text);
        }
    }

    #[test]
    fn workbooks_come_out_as_csv() {
        let book = r#"<workbook xmlns:r="r"><sheets><sheet name="People" sheetId="1" r:id="r1"/><sheet name="Old &amp; new" state="hidden" r:id="r2"/></sheets>
            <definedNames><definedName name="x">People!$A$1</definedName><definedName name="y">"by Anna"</definedName></definedNames></workbook>"#;
        let strings = r#"<sst><si><t>name</t></si><si><r><t>Anna </t></r><r><t>Kellermann</t></r><rPh><t>x</t></rPh></si><si><t>born</t></si></sst>"#;
        let styles = r#"<styleSheet><numFmts><numFmt numFmtId="164" formatCode="dd/mm/yyyy"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/></cellXfs></styleSheet>"#;
        let one = r#"<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>2</v></c></row>
            <row r="4"><c r="A4" t="s"><v>1</v></c><c r="B4" t="inlineStr"><is><t>12 High St, Leeds</t></is></c><c r="C4" s="1"><v>33129</v></c><c r="D4"><f>"x"</f><v>4.111111111111111E15</v></c></row>
            </sheetData><headerFooter><oddHeader>&amp;Cfor Bob</oddHeader></headerFooter></worksheet>"#;
        let two = r#"<worksheet><sheetData><row><c t="str"><v>a b</v></c></row></sheetData></worksheet>"#;
        let comment = r#"<comments><authors><author>Jan</author></authors><commentList><comment ref="A4"><text><t>call</t><r><t> her</t></r></text></comment></commentList></comments>"#;
        let bytes = package(&[
            ("xl/workbook.xml", book),
            ("xl/_rels/workbook.xml.rels", RELATIONS),
            ("xl/sharedStrings.xml", strings),
            ("xl/styles.xml", styles),
            ("xl/worksheets/sheet1.xml", one),
            ("xl/worksheets/sheet2.xml", two),
            ("xl/comments1.xml", comment),
        ]);
        let (text, values) = text_and_places(&records(read_workbook, &bytes).unwrap());
        assert_eq!(
            text,
            "People\nname,,born\nAnna Kellermann,\"12 High St, Leeds\",1990-09-13,4111111111111110\nfor Bob\nOld & new\na b\n\"by Anna\"\ncall her\n"
                .replace("1110", "1111")
        );
        let values: Vec<_> = values
            .iter()
            .map(|(place, label, text)| (place.as_str(), label.as_str(), text.as_str()))
            .collect();
        assert_eq!(
            values,
            [
                ("People", "", "People"),
                ("People!A4", "name", "Anna Kellermann"),
                ("People!B4", "", "12 High St, Leeds"),
                ("People!C4", "born", "1990-09-13"),
                ("People!D4", "", "4111111111111111"),
                ("People, header or footer", "", "for Bob"),
                ("Old & new", "", "Old & new"),
                ("Old & new!A1", "", "a b"),
                ("defined names", "", "\"by Anna\""),
                ("comment on A4", "", "call her"),
            ]
        );
    }

    #[test]
    fn presentations_come_out_as_text() {
        let slide = r#"<p:sld xmlns:p="p" xmlns:a="a"><p:sp><p:nvSpPr><p:cNvPr id="2" name="Title 1"/></p:nvSpPr><a:p><a:r><a:t>Anna </a:t></a:r><a:r><a:t>Kellermann</a:t></a:r></a:p></p:sp></p:sld>"#;
        let notes = r#"<p:notes><a:p><a:r><a:t>call &amp; ask</a:t></a:r></a:p></p:notes>"#;
        let bytes = package(&[
            ("ppt/presentation.xml", "<p/>"),
            ("ppt/slides/slide10.xml", "<a:p><a:t>ten</a:t></a:p>"),
            ("ppt/slides/slide2.xml", slide),
            ("ppt/notesSlides/notesSlide2.xml", notes),
        ]);
        let (text, values) = text_and_places(&records(read_presentation, &bytes).unwrap());
        assert_eq!(text, "Anna Kellermann\nten\ncall & ask\n");
        let places: Vec<_> = values.iter().map(|(place, ..)| place.as_str()).collect();
        assert_eq!(places, ["slide 2, Title 1", "slide 10", "notes 2"]);
    }

    #[test]
    fn open_documents_come_out_as_text_and_csv() {
        let text = "<office:document-content><office:body><office:text><text:p>to <text:span>Anna</text:span><text:s/>K.</text:p><text:h>next</text:h></office:text></office:body></office:document-content>";
        let (out, _) =
            text_and_places(&records(read_open_document, &package(&[("content.xml", text)])).unwrap());
        assert_eq!(out, "to Anna K.\nnext\n");
        let table = r#"<office:body><office:spreadsheet><table:table table:name="S1"><table:table-row><table:table-cell><text:p>name</text:p></table:table-cell><table:table-cell><text:p>zip</text:p></table:table-cell></table:table-row>
            <table:table-row><table:table-cell><text:p>Anna</text:p></table:table-cell><table:table-cell table:number-columns-repeated="2"/><table:table-cell><text:p>x, y</text:p></table:table-cell><table:table-cell table:number-columns-repeated="16000"/></table:table-row></table:table></office:spreadsheet></office:body>"#;
        let (out, values) =
            text_and_places(&records(read_open_document, &package(&[("content.xml", table)])).unwrap());
        assert_eq!(out, "S1\nname,zip\nAnna,,,\"x, y\"\n");
        assert_eq!(values.last().unwrap().0, "S1!D2");
    }

    #[test]
    fn other_files_are_refused() {
        for (read, what) in [
            (read_workbook as crate::format::ReadWhole, "not a workbook"),
            (read_presentation, "not a presentation"),
            (read_open_document, "not an OpenDocument"),
        ] {
            for bytes in [b"PK\x03\x04".to_vec(), b"text".to_vec(), package(&[("a.xml", "")])] {
                assert!(records(read, &bytes).unwrap_err().to_string().contains(what));
            }
        }
        let bomb = package(&[("xl/workbook.xml", &" ".repeat(65 << 20))]);
        assert!(records(read_workbook, &bomb).unwrap_err().to_string().contains("64 MiB"));
        let far: String =
            (1..5000).map(|row| format!("<row r=\"{row}\"><c r=\"XFD{row}\"><v>1</v></c></row>")).collect();
        let far = format!("<worksheet><sheetData>{far}</sheetData></worksheet>");
        let book = r#"<workbook><sheets><sheet name="a" id="r1"/></sheets></workbook>"#;
        let far = package(&[
            ("xl/workbook.xml", book),
            ("xl/_rels/workbook.xml.rels", RELATIONS),
            ("xl/worksheets/sheet1.xml", &far),
        ]);
        assert!(records(read_workbook, &far).unwrap_err().to_string().contains("64 MiB"));
    }

    #[test]
    fn dates_and_columns() {
        for (serial, want) in [("1", "1900-01-01"), ("61", "1900-03-01"), ("45292.5", "2024-01-01")] {
            assert_eq!(date(serial, false).as_deref(), Some(want), "{serial}");
        }
        assert_eq!(date("43830", true).as_deref(), Some("2024-01-01"));
        for (reference, column) in [("A1", 0), ("Z9", 25), ("AA10", 26), ("XFD1", 16_383)] {
            assert_eq!(column_of(reference), Some(column));
            assert!(reference.starts_with(&column_name(column)));
        }
        assert_eq!(column_of("ZZZZ1"), None);
        assert!(is_date_format("dd.mm.yy") && !is_date_format("0.00 \"days\"") && !is_date_format("[Red]0"));
    }
}
