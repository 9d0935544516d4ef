//! Columns of names, addresses and places: each cell is read as the field of a form with the label of its column.
//!
//! The cells of all such columns make one form, a line each. It is read like any other text, and what is found in it
//! belongs to the cells. So a cell is found as `Last name: Novák` is.

use std::ops::Range;

use textveil_phrase::{
    tables::{Head, HeadCell, Tables, longest},
    work::Work,
};

use crate::{
    Candidate, Kind, Part,
    cues::{self, Says, says},
    token,
    words::columns::DETAILS,
};

/// The longest value that is read, in bytes.
const MAX_VALUE: usize = 160;
/// The most words that a head may have beyond its label: `Primary contact name`, but no sentence with a label.
const MAX_REST: usize = 2;
/// The shortest label that may be part of a head, in characters.
const LEAST_PART: usize = 4;

/// The kind of the cells of a column.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    Given,
    Family,
    Full,
    /// Names of people, or of anything else.
    Name,
    Address,
    City,
    BirthPlace,
    Organization,
    /// The name of a thing.
    Thing,
    /// Another detail of a person or of a company.
    Other,
}

impl Column {
    fn of(says: Says, words: &str) -> Option<Self> {
        let kinds = [
            (Says::LABEL_GIVEN, Self::Given),
            (Says::LABEL_FAMILY, Self::Family),
            // one word alone labels many things: `name`, `contact`, `author`
            (Says::LABEL_NAME, if is_word(words) { Self::Name } else { Self::Full }),
            (Says::LABEL_ADDRESS, Self::Address),
            (Says::LABEL_CITY, Self::City),
            (Says::LABEL_BIRTH_PLACE, Self::BirthPlace),
            (Says::LABEL_ORGANIZATION, Self::Organization),
            (Says::LABEL_OTHER, if says.any(Says::THING_BEFORE) { Self::Thing } else { Self::Other }),
        ];
        let kind = kinds.into_iter().find(|(meaning, _)| says.any(*meaning)).map(|(_, column)| column);
        let detail = || DETAILS.iter().any(|detail| words.eq_ignore_ascii_case(detail));
        kind.or_else(|| detail().then_some(Self::Other))
    }

    /// The label of such a field in the form; `None` for columns that are not read.
    fn label(self) -> Option<&'static str> {
        Some(match self {
            Self::Given => "First name: ",
            Self::Family => "Last name: ",
            Self::Full => "Full name: ",
            Self::Address => "Address: ",
            Self::City => "City: ",
            Self::BirthPlace => "Birthplace: ",
            Self::Organization => "Company: ",
            // a product has a name, too; the words of the cell decide
            Self::Name | Self::Thing | Self::Other => return None,
        })
    }
}

/// A line of the form.
struct FormLine {
    /// The start of its value in the form.
    at: usize,
    /// The range of the value in the text.
    start: usize,
    end: usize,
    /// The label in the head of the column.
    head: Part,
}

impl FormLine {
    /// Moves a finding in this line of the form to its place in the text; `None` if it is not within the value.
    fn place(&self, candidate: Candidate) -> Option<Candidate> {
        let moved = |part: Part| {
            let start = self.start + (part.start as usize).checked_sub(self.at)?;
            let end = self.start + (part.end as usize).checked_sub(self.at)?;
            (end <= self.end).then_some(Part { start: start as u32, end: end as u32 })
        };
        let Part { start, end } = moved(Part { start: candidate.start, end: candidate.end })?;
        let parts = candidate.parts.iter().filter_map(|(role, part)| Some((*role, moved(*part)?)));
        let label_at = candidate.label_at.map(|words| moved(words).unwrap_or(self.head));
        Some(Candidate { start, end, label_at, parts: parts.collect(), ..candidate })
    }
}

/// The columns of the tables of a text.
#[derive(Default)]
pub(crate) struct Columns {
    /// The cells as lines of a form; empty without such columns.
    pub form: String,
    /// In the order of the text, which is that of the form.
    fields: Vec<FormLine>,
    /// Heads with the cells below them.
    head_cells: Vec<HeadCell>,
}

impl Columns {
    /// Finds the columns of a text.
    pub fn new(text: &str, work: &Work) -> Self {
        let tables = Tables::new(text, work, |head| label(text, &head));
        let kinds: Vec<Column> = tables.heads_by_table().flat_map(|heads| meant(text, heads)).collect();
        let mut columns = Self { head_cells: tables.head_cells().to_vec(), ..Self::default() };
        for cell in tables.cells() {
            let Some(head) = tables.head(*cell) else { continue };
            let Some(label) = kinds.get(cell.head).and_then(|column| column.label()) else { continue };
            let Some(value) = text.get(cell.start..cell.end).filter(|value| value.len() <= MAX_VALUE) else {
                continue;
            };
            if !value.contains(char::is_alphabetic) {
                continue;
            }
            columns.form.push_str(label);
            columns.fields.push(FormLine {
                at: columns.form.len(),
                start: cell.start,
                end: cell.end,
                head: Part { start: head.start as u32, end: head.end as u32 },
            });
            columns.form.push_str(value);
            columns.form.push('\n');
        }
        columns
    }

    /// Moves the findings in the form to their places in the text.
    pub fn in_text(&self, found: Vec<Candidate>) -> Vec<Candidate> {
        let placed = |candidate: Candidate| {
            let at =
                self.fields.partition_point(|field| field.at <= candidate.start as usize).checked_sub(1)?;
            self.fields.get(at)?.place(candidate)
        };
        found.into_iter().filter_map(placed).collect()
    }

    /// Whether the columns say nothing about the text.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty() && self.head_cells.is_empty()
    }

    /// Whether the columns overrule a candidate of the text.
    ///
    /// They do in a cell, whose field of the form says what it is, and in a head, unless the head is a row. `found` are all
    /// candidates of the text, by position.
    pub fn overrule(&self, candidate: &Candidate, text: &str, found: &[Candidate]) -> bool {
        let (start, end) = (candidate.start as usize, candidate.end as usize);
        let field = self.fields.get(self.fields.partition_point(|field| field.end <= start));
        let head = self.head_cells.get(self.head_cells.partition_point(|cell| cell.head.end <= start));
        // full names one below the other are rows of a table without heads
        let is_row = |below: &Range<usize>| {
            let next = found.get(found.partition_point(|other| (other.start as usize) < below.start));
            is_full(candidate, text)
                && next.is_some_and(|other| (other.start as usize) < below.end && is_full(other, text))
        };
        field.is_some_and(|field| field.start < end)
            || head.is_some_and(|cell| cell.head.start < end && !is_row(&cell.below))
    }
}

/// Whether a candidate is a likely name of several words.
fn is_full(candidate: &Candidate, text: &str) -> bool {
    let written = text.get(candidate.start as usize..candidate.end as usize);
    candidate.kind == Kind::Name && candidate.odds() > 0.0 && written.is_some_and(|name| name.contains(' '))
}

/// The label in the head of a column, if the head is little more.
fn label(text: &str, head: &Range<usize>) -> Option<Head<Column>> {
    let found = longest(text, head, |phrase, words| Column::of(cues::meanings(phrase), words))?;
    let words = text.get(found.start..found.end)?;
    let mut rest = [text.get(head.start..found.start)?, text.get(found.end..head.end)?].into_iter();
    let rest_len = head.len() - words.len();
    // a short label is part of other words, and `the city` of a sentence
    let is_part = rest_len <= words.len() + MAX_REST
        && words.chars().count() >= LEAST_PART
        && !rest.any(|rest| token::tokens(rest).iter().any(|word| says(word.phrase).any(Says::COMMON)));
    (rest_len == 0 || is_part).then_some(found)
}

/// Returns the kinds of the columns: names are names of people if another column has a detail of them.
///
/// In many languages the label of a given or a family name is that of any name, too: `Nombre;Precio`, `Nom;Prix`.
fn meant<'t>(text: &'t str, heads: &'t [Head<Column>]) -> impl Iterator<Item = Column> + 't {
    let is_detail =
        |head: &&Head<Column>| !matches!(head.label, Column::Name | Column::Thing | Column::Organization);
    let details = heads.iter().filter(is_detail).count();
    heads.iter().map(move |head| {
        let written = || text.get(head.start..head.end).unwrap_or_default();
        match head.label {
            Column::Name if details > 0 => Column::Full,
            Column::Given | Column::Family if details == 1 && is_word(written()) => Column::Name,
            column => column,
        }
    })
}

/// Whether a head is one word.
fn is_word(head: &str) -> bool {
    !head.contains([' ', '_', '-'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_become_fields_of_a_form() {
        for (text, want) in [
            ("id,name,phone\n1,Jan Novák,601\n2,-,602\n", "Full name: Jan Novák\n"),
            ("name;size;note\nfoo;3;Jan\n", ""),
            ("name;first name\nfoo;Jan\n", "Full name: foo\nFirst name: Jan\n"),
            ("name;product name\nfoo;bar\n", ""),
            // no label, although it makes what follows the name of a thing
            ("the;hotel;note\nfoo;bar;Jan\n", ""),
            ("nombre;precio;stock\nfoo;3;4\n", ""),
            ("nombre;apellidos\nfoo;bar\n", "First name: foo\nLast name: bar\n"),
            (
                "| firstName | surname | town |\n|---|---|---|\n| Jan | Novák | Brno |\n",
                "First name: Jan\nLast name: Novák\nCity: Brno\n",
            ),
            ("<tr>\n<th>Name</th>\n<th>City</th>\n<tr><td>Jan<td>Brno", "Full name: Jan\nCity: Brno\n"),
            ("Please tell me your name, the city, and more\nof this, of that, and of it", ""),
            ("just a text, with commas,\nand two, lines,", ""),
        ] {
            assert_eq!(Columns::new(text, &Work::default()).form, want, "{text}");
        }
    }

    /// The number of names that stay, of those in a text.
    fn retained(text: &str, names: &[&str]) -> usize {
        let candidate = |name: &&str| {
            let at = text.find(name).unwrap();
            Candidate::new(Kind::Name, Part { start: at as u32, end: (at + name.len()) as u32 }, 1.0)
        };
        let found: Vec<Candidate> = names.iter().map(candidate).collect();
        let columns = Columns::new(text, &Work::default());
        found.iter().filter(|candidate| !columns.overrule(candidate, text, &found)).count()
    }

    #[test]
    fn heads_are_no_values() {
        for (text, is_head) in [
            ("Name\tPrice\tStock\nHammer\t12.50\t3", true),
            ("Name,Price,Stock\nHammer,,3", true),
            ("Name,Note,Stock,Price\nHammer,\"5,6\",3,-", true),
            ("| Name | Price | Stock |\n|---|---|---|\n| Hammer | 12.50 | 3 |", true),
            // a label and a value
            ("Name\tPrice\nBorn\t1980", false),
            // no line of heads
            ("Name,Price,patient\nPrice,Jan,patient", false),
            ("Name,Price,5\nJan,Price,6", false),
        ] {
            assert_eq!(retained(text, &["Price"]) == 0, is_head, "{text}");
        }
    }

    #[test]
    fn full_names_one_below_the_other_are_rows() {
        for (text, names, want) in [
            ("Jan Novák,patient,Brno\nEva Malá,patient,5", ["Jan Novák", "Eva Malá"], 2),
            ("Jan Novák|patient|Brno\nEva Malá|patient|5", ["Jan Novák", "Eva Malá"], 2),
            // a head of two words above one word, and above another column's name
            ("Sales Price,patient,Brno\nHammer,Malá,5", ["Sales Price", "Malá"], 1),
            ("Sales Price,City,Agent\n5,Brno,Eva Malá", ["Sales Price", "Eva Malá"], 1),
        ] {
            assert_eq!(retained(text, &names), want, "{text}");
        }
    }

    #[test]
    fn what_the_form_has_is_at_its_place_in_the_text() {
        let text = "name,street,email\nJan,\"Long 5\",a@b.c\n";
        let columns = Columns::new(text, &Work::default());
        let at = columns.form.find("Long").unwrap() as u32;
        let candidate = Candidate {
            label: 1.0,
            label_at: Some(Part { start: at - 9, end: at - 2 }),
            parts: vec![(crate::Role::Number, Part { start: at + 5, end: at + 6 })],
            ..Candidate::new(crate::Kind::Address, Part { start: at, end: at + 6 }, 0.0)
        };
        let found = columns.in_text(vec![candidate]);
        let written = |part: Part| text.get(part.start as usize..part.end as usize).unwrap();
        let candidate = &found[0];
        assert_eq!(written(Part { start: candidate.start, end: candidate.end }), "Long 5");
        assert_eq!(written(candidate.label_at.unwrap()), "street");
        assert_eq!(written(candidate.parts[0].1), "5");
        assert!(columns.overrule(candidate, text, &found));
        // from the line break of one field to the next: in no cell
        let across = Candidate::new(Kind::Name, Part { start: at - 12, end: at }, 0.0);
        assert!(columns.in_text(vec![across]).is_empty());
    }
}
