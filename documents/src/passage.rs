//! Converts the values of a record to texts for the engine, and the findings back.
//!
//! The values of a record are read together, one per line and each after the name of its column or key:
//! `pesel: 44051401359`. So the name is a label of its value, and a value is country evidence for the next
//! one. An entity over several values, such as an address, is a finding in each: each value is a cell for the
//! engine.

use std::ops::Range;

use anyhow::Result;
use textveil_engine::{CountryDetection, Entity, Evidence, Protected, Span, limits::MAX_TEXT_CHARS};

use crate::{Edit, Gap, Value, value::MAX_LABEL};

/// The separator of a label and its value.
const LABEL_END: &str = ": ";

/// Something that the engine found at a place.
pub trait Finding {
    /// Returns its bytes in the text that was read.
    fn bytes(&self) -> Span;

    /// Moves it to its bytes in a value. `inside` moves other places likewise; `None` if they are not within the value.
    fn move_to(&mut self, bytes: Span, inside: &dyn Fn(Span) -> Option<Span>);
}

/// A finding with what replaces it.
pub trait Replaced: Finding {
    /// Returns the replacement.
    fn replacement(&self) -> &str;
}

impl Finding for Entity {
    fn bytes(&self) -> Span {
        self.bytes
    }

    fn move_to(&mut self, bytes: Span, inside: &dyn Fn(Span) -> Option<Span>) {
        (self.bytes, self.span) = (bytes, bytes);
        for evidence in &mut self.evidence {
            evidence.span = evidence.span.and_then(inside);
        }
    }
}

impl Finding for Protected {
    fn bytes(&self) -> Span {
        self.entity.bytes()
    }

    fn move_to(&mut self, bytes: Span, inside: &dyn Fn(Span) -> Option<Span>) {
        self.entity.move_to(bytes, inside);
    }
}

impl Replaced for Protected {
    fn replacement(&self) -> &str {
        &self.replacement
    }
}

/// The findings in the values of a record.
pub struct Analysis<F> {
    /// A list per value, ordered by start; every span counts bytes of the value's text.
    pub findings: Vec<Vec<F>>,
    /// Most likely first.
    pub countries: Vec<CountryDetection>,
}

impl<F> Analysis<F> {
    /// Findings in all values.
    pub fn count(&self) -> usize {
        self.findings.iter().map(Vec::len).sum()
    }
}

/// Has `judge` look at the values. Its spans must count bytes, and each must lie in a cell of the passage.
///
/// # Errors
/// Those of `judge`.
pub fn analyse<F: Finding>(
    values: &[Value],
    mut judge: impl FnMut(&Passage) -> Result<(Vec<F>, Vec<CountryDetection>)>,
) -> Result<Analysis<F>> {
    let mut analysis = Analysis::of(values);
    for passage in passages(values) {
        let (found, countries) = judge(&passage)?;
        analysis.add(&passage, found, countries);
    }
    Ok(analysis)
}

impl<F: Finding> Analysis<F> {
    /// Nothing is found yet in these values.
    pub fn of(values: &[Value]) -> Self {
        Self { findings: values.iter().map(|_| Vec::new()).collect(), countries: Vec::new() }
    }

    /// Adds the findings in a passage of the values; spans count its bytes, and each lies in a cell.
    pub fn add(&mut self, passage: &Passage, found: Vec<F>, countries: Vec<CountryDetection>) {
        for mut finding in found {
            let bytes = finding.bytes();
            let part = passage.parts_from(bytes.start).first();
            let Some((part, span)) = part.and_then(|part| Some((part, part.common(bytes)?))) else {
                continue;
            };
            finding.move_to(span, &|span| part.inside(span));
            if let Some(list) = self.findings.get_mut(part.value) {
                list.push(finding);
            }
        }
        let localised = countries.into_iter().map(|mut country| {
            country.evidence.iter_mut().for_each(|evidence| passage.localise(evidence));
            country
        });
        add_countries(&mut self.countries, localised);
    }
}

/// Adds countries to others, most likely first. Of one that is known, the likelier one counts.
pub fn add_countries(known: &mut Vec<CountryDetection>, more: impl IntoIterator<Item = CountryDetection>) {
    for country in more {
        match known.iter_mut().find(|known| known.code == country.code) {
            Some(known) if known.confidence >= country.confidence => (),
            Some(known) => *known = country,
            None => known.push(country),
        }
    }
    known.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
}

impl<F: Replaced> Analysis<F> {
    /// Returns a list of edits per value, in order: each finding becomes its replacement, passed through `show`.
    pub fn edits(&self, show: impl Fn(&str) -> String) -> Vec<Vec<Edit>> {
        let edit = |finding: &F| {
            let Span { start, end } = finding.bytes();
            Edit { place: start..end, text: show(finding.replacement()) }
        };
        self.findings.iter().map(|found| found.iter().map(edit).collect()).collect()
    }
}

/// Splits a text so that each piece fits one call: after a line if possible, otherwise between two words in lower case,
/// where no identifier or name is cut, otherwise after a space.
pub fn pieces(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
        let end = start + piece(rest);
        Some(std::mem::replace(&mut start, end)..end)
    })
}

/// Length in bytes of the first piece.
fn piece(text: &str) -> usize {
    let most = if text.len() <= MAX_TEXT_CHARS { None } else { text.char_indices().nth(MAX_TEXT_CHARS) };
    let Some((most, _)) = most else { return text.len() };
    let text = text.get(..most).unwrap_or_default();
    let after = |(at, space): (usize, char)| at + space.len_utf8();
    text.rfind('\n')
        .map(|newline| newline + 1)
        .or_else(|| between_words(text))
        .or_else(|| text.char_indices().rfind(|(_, space)| space.is_whitespace()).map(after))
        .unwrap_or(most)
}

/// The last place after a space between two words in lower case.
fn between_words(text: &str) -> Option<usize> {
    let mut follows = None;
    let mut space = None;
    for (at, character) in text.char_indices().rev() {
        match space {
            Some(space) if character.is_lowercase() => return Some(space),
            _ => space = follows.filter(|_| character == ' '),
        }
        follows = character.is_lowercase().then_some(at);
    }
    None
}

/// A text for one call, and the positions of the values in it.
#[derive(Default)]
pub struct Passage {
    text: String,
    chars: usize,
    parts: Vec<Part>,
    /// The places of the parts.
    cells: Vec<Span>,
    /// The key that the text ends with.
    key: Option<String>,
}

/// A value, or a piece of a long one, inside a passage.
struct Part {
    value: usize,
    /// The piece, in bytes of the value.
    piece: Range<usize>,
    /// Its start, in bytes of the passage.
    start: usize,
}

/// Puts values together to passages that each fit one call.
pub fn passages(values: &[Value]) -> Vec<Passage> {
    let mut passages = Vec::new();
    // values that are aside are read after the others, so that they do not interrupt a sentence
    for is_aside in [false, true] {
        let mut passage = Passage::default();
        for (index, value) in values.iter().enumerate().filter(|(_, value)| value.is_aside == is_aside) {
            for piece in pieces(&value.text) {
                if let Some(full) = passage.add(index, value, piece) {
                    passages.push(full);
                }
            }
        }
        if !passage.parts.is_empty() {
            passages.push(passage);
        }
    }
    passages
}

/// A column's name as people would write it before a value. One with digits in it is left out: the
/// first row of a table without a header would lend its numbers to every other.
fn readable(label: &str) -> String {
    if label.len() > MAX_LABEL || label.contains(|c: char| c.is_numeric() || c == '@') {
        return String::new();
    }
    let words =
        label.split(|c: char| c.is_whitespace() || c == '_' || c == '-').filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

impl Passage {
    /// The text that the engine reads.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The places of the values in the text, in bytes and in order: what is between them is no value.
    pub fn cells(&self) -> &[Span] {
        &self.cells
    }

    /// Adds a piece of a value. Returns what was there before if it does not fit.
    fn add(&mut self, index: usize, value: &Value, piece: Range<usize>) -> Option<Self> {
        let text = value.text.get(piece.clone()).unwrap_or_default();
        if text.trim().is_empty() && value.gap == Gap::Line {
            return None;
        }
        let is_after_its_key =
            !self.parts.is_empty() && self.key.is_some() && self.key.as_ref() == value.label.as_ref();
        let label = value.label.as_deref().filter(|_| !is_after_its_key).map(readable);
        let label = label.filter(|label| !label.is_empty());
        let mut label = label.map_or(String::new(), |label| format!("{label}{LABEL_END}"));
        let chars = text.chars().count() + 1;
        if chars + label.chars().count() > MAX_TEXT_CHARS {
            label.clear();
        }
        let is_full = self.chars + label.chars().count() + chars > MAX_TEXT_CHARS && !self.parts.is_empty();
        let full = is_full.then(|| std::mem::take(self));
        if !self.parts.is_empty() && !is_after_its_key {
            self.text.push_str(value.gap.as_str());
        }
        self.text.push_str(&label);
        let start = self.text.len();
        self.parts.push(Part { value: index, piece, start });
        self.text.push_str(text);
        self.cells.push(Span { start, end: self.text.len() });
        self.chars += label.chars().count() + chars;
        self.key = value.is_key.then(|| text.to_owned());
        if value.is_key {
            self.text.push_str(LABEL_END);
            self.chars += LABEL_END.len();
        }
        full
    }

    /// The parts that end after a place of the passage.
    fn parts_from(&self, place: usize) -> &[Part] {
        let first = self.parts.partition_point(|part| part.start + part.piece.len() <= place);
        self.parts.get(first..).unwrap_or_default()
    }

    /// Moves evidence to its position in its value; removes the span if it is not within one value.
    fn localise(&self, evidence: &mut Evidence) {
        evidence.span = evidence.span.and_then(|span| self.parts_from(span.start).first()?.inside(span));
    }
}

impl Part {
    /// Returns what a span of the passage and this part have in common, as a span of the value.
    fn common(&self, Span { start, end }: Span) -> Option<Span> {
        let (start, end) = (start.max(self.start), end.min(self.start + self.piece.len()));
        (start < end).then(|| self.shift(Span { start, end }))
    }

    fn inside(&self, span: Span) -> Option<Span> {
        (span.start >= self.start && span.end <= self.start + self.piece.len()).then(|| self.shift(span))
    }

    fn shift(&self, span: Span) -> Span {
        let shift = |at: usize| at - self.start + self.piece.start;
        Span { start: shift(span.start), end: shift(span.end) }
    }
}

#[cfg(test)]
#[allow(clippy::string_slice, reason = "a test may fail")]
mod tests {
    use super::*;
    use crate::tests;

    fn value(label: &str, text: &str) -> Value {
        Value { label: Some(label.into()), text: text.into(), ..Value::default() }
    }

    /// Finds every `needle`.
    fn find(needle: &str) -> impl FnMut(&Passage) -> Result<(Vec<Entity>, Vec<CountryDetection>)> {
        move |passage| {
            let found = tests::found(passage, &[needle]).into_iter();
            Ok((found.map(|found| found.entity).collect(), vec![]))
        }
    }

    fn spans(analysis: &Analysis<Entity>) -> Vec<Vec<(usize, usize)>> {
        let list = |found: &Vec<Entity>| found.iter().map(|e| (e.bytes.start, e.bytes.end)).collect();
        analysis.findings.iter().map(list).collect()
    }

    #[test]
    fn values_are_read_behind_their_names() {
        let values = [value("birth_number", "800101/1238"), value("", " "), value("col1", "x")];
        let mut seen = String::new();
        let judge = |passage: &Passage| {
            seen.push_str(passage.text());
            find("none")(passage)
        };
        analyse(&values, judge).unwrap();
        assert_eq!(seen, "birth number: 800101/1238\nx");
    }

    #[test]
    fn findings_are_placed_in_their_values() {
        let values = [value("né", "aé x x"), value("x", "x"), value("b", "y")];
        let found = analyse(&values, find("x")).unwrap();
        assert_eq!(spans(&found), [vec![(4, 5), (6, 7)], vec![(0, 1)], vec![]]);
        assert_eq!(found.count(), 3);
    }

    #[test]
    fn a_finding_over_values_is_one_in_each() {
        let values = [value("a", "ab"), value("", " "), value("l", "x"), value("b", "cd")];
        let found = analyse(&values, find("b\nl: x\nb: c")).unwrap();
        assert_eq!(spans(&found), [vec![(1, 2)], vec![], vec![(0, 1)], vec![(0, 1)]]);
        let originals: Vec<_> =
            found.findings.iter().flatten().map(|finding| finding.original.as_str()).collect();
        assert_eq!(originals, ["b", "x", "c"]);
        assert_eq!(found.count(), 3);
    }

    #[test]
    fn values_aside_do_not_interrupt_a_sentence() {
        let values = [
            Value { text: "4405".into(), ..Value::default() },
            Value { text: "a title".into(), is_aside: true, ..Value::default() },
            Value { text: "14".into(), gap: Gap::None, ..Value::default() },
            Value { text: "a link".into(), is_aside: true, ..Value::default() },
        ];
        let mut seen = Vec::new();
        analyse(&values, |passage| {
            seen.push(passage.text().to_owned());
            find("none")(passage)
        })
        .unwrap();
        assert_eq!(seen, ["440514", "a title\na link"]);
    }

    #[test]
    fn long_values_are_cut_and_found_in_whole() {
        let text = format!("{} x\n", "é".repeat(30_000)).repeat(5);
        let values = [value("v", &text), value("w", "x")];
        let mut calls = 0;
        let found = analyse(&values, |passage| {
            calls += 1;
            assert!(passage.text().chars().count() <= MAX_TEXT_CHARS);
            find("x")(passage)
        });
        let found = found.unwrap();
        assert_eq!(calls, 5);
        for entity in &found.findings[0] {
            assert_eq!(&text[entity.bytes.start..entity.bytes.end], "x");
        }
        assert_eq!(found.count(), 6);
    }

    #[test]
    fn a_long_text_is_cut_between_words() {
        let filler = "nobody knows ".repeat(MAX_TEXT_CHARS / 13);
        for iban in ["IBAN DE89 3704 0044 0532 0130 00 ", "Emily Carter Brown Smith Jones "] {
            for shift in 0..40 {
                let text = format!("{}{iban}{filler}", &filler[shift..]);
                let ranges: Vec<_> = pieces(&text).collect();
                assert!(ranges.len() >= 2);
                let end = ranges[0].end;
                assert!(text[..end].ends_with("y ") || text[..end].ends_with("s "), "{shift}");
                assert!(!text[..end].contains(&iban[..9]) || text[..end].contains(iban), "{shift}");
            }
        }
        assert_eq!(pieces(&"0123 ".repeat(MAX_TEXT_CHARS)).next(), Some(0..MAX_TEXT_CHARS));
    }

    #[test]
    fn pieces_join_to_the_text() {
        for text in ["", "a", &"a".repeat(120_000), &"ab ".repeat(50_000), &"🦀\n".repeat(60_000)] {
            let ranges: Vec<_> = pieces(text).collect();
            let joined: String = ranges.iter().map(|range| &text[range.clone()]).collect();
            assert_eq!(joined, text);
            assert!(ranges.iter().all(|range| text[range.clone()].chars().count() <= MAX_TEXT_CHARS));
        }
    }
}
