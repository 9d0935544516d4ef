//! Converts the values of a record to texts for the engine, and the findings back.
//!
//! The values of a record are read together, one per line and each after the name of its column or key:
//! `pesel: 44051401359`. So the name is a label of its value, and a value is country evidence for the next
//! one.

use std::ops::Range;

use anyhow::Result;
use textveil_engine::{CountryDetection, Entity, Evidence, Protected, Span, limits::MAX_TEXT_CHARS};

use super::Value;

/// Something that the engine found at a place.
pub trait Finding: Clone {
    /// Returns the finding.
    fn entity(&mut self) -> &mut Entity;
}

impl Finding for Entity {
    fn entity(&mut self) -> &mut Entity {
        self
    }
}

impl Finding for Protected {
    fn entity(&mut self) -> &mut Entity {
        &mut self.entity
    }
}

/// The findings in the values of a record.
pub struct Analysis<F> {
    /// A list a value, ordered by start; every span counts bytes of the value's text.
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

/// Has `judge` look at the values; its spans must count bytes.
///
/// # Errors
/// Those of `judge`.
pub fn analyse<F: Finding>(
    values: &[Value],
    mut judge: impl FnMut(&str) -> Result<(Vec<F>, Vec<CountryDetection>)>,
) -> Result<Analysis<F>> {
    let mut findings: Vec<Vec<F>> = values.iter().map(|_| Vec::new()).collect();
    let mut countries: Vec<CountryDetection> = Vec::new();
    for passage in passages(values) {
        let (found, likely) = judge(&passage.text)?;
        for finding in found {
            for part in &passage.parts {
                let Some(value) = values.get(part.value) else { continue };
                if let (Some(finding), Some(list)) =
                    (part.localise(&finding, &value.text), findings.get_mut(part.value))
                {
                    list.push(finding);
                }
            }
        }
        for mut country in likely {
            country.evidence.iter_mut().for_each(|evidence| passage.localise(evidence));
            match countries.iter_mut().find(|known| known.code == country.code) {
                Some(known) if known.confidence >= country.confidence => (),
                Some(known) => *known = country,
                None => countries.push(country),
            }
        }
    }
    countries.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    Ok(Analysis { findings, countries })
}

/// The text with the replacement of each finding in its place, passed through `show`.
pub fn replaced(text: &str, findings: &[Protected], show: impl Fn(&str) -> String) -> String {
    let mut new = String::with_capacity(text.len());
    let mut done = 0;
    for Protected { entity, replacement, .. } in findings {
        new.push_str(text.get(done..entity.bytes.start).unwrap_or_default());
        new.push_str(&show(replacement));
        done = entity.bytes.end;
    }
    new.push_str(text.get(done..).unwrap_or_default());
    new
}

/// Splits a text so that each piece fits one call: after a line if possible, otherwise after a space.
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
        .or_else(|| text.char_indices().rfind(|(_, space)| space.is_whitespace()).map(after))
        .unwrap_or(most)
}

/// A text for one call, and the positions of the values in it.
#[derive(Default)]
struct Passage {
    text: String,
    chars: usize,
    parts: Vec<Part>,
}

/// A value, or a piece of a long one, inside a passage.
struct Part {
    value: usize,
    /// The piece, in bytes of the value.
    piece: Range<usize>,
    /// Where it starts, in bytes of the passage.
    start: usize,
}

fn passages(values: &[Value]) -> Vec<Passage> {
    let mut passages = Vec::new();
    let mut passage = Passage::default();
    for (index, value) in values.iter().enumerate() {
        let label = value.label.as_deref().map(readable).filter(|label| !label.is_empty());
        for piece in pieces(&value.text) {
            let text = value.text.get(piece.clone()).unwrap_or_default();
            if text.trim().is_empty() {
                continue;
            }
            let mut label = label.as_ref().map_or(String::new(), |label| format!("{label}: "));
            let chars = text.chars().count() + 1;
            if chars + label.chars().count() > MAX_TEXT_CHARS {
                label.clear();
            }
            if passage.chars + label.chars().count() + chars > MAX_TEXT_CHARS && !passage.parts.is_empty() {
                passages.push(std::mem::take(&mut passage));
            }
            if !passage.parts.is_empty() {
                passage.text.push('\n');
            }
            passage.text.push_str(&label);
            passage.parts.push(Part { value: index, piece, start: passage.text.len() });
            passage.text.push_str(text);
            passage.chars += label.chars().count() + chars;
        }
    }
    if !passage.parts.is_empty() {
        passages.push(passage);
    }
    passages
}

/// A column's name as people would write it before a value. One with digits in it is left out: the
/// first row of a table without a header would lend its numbers to every other.
fn readable(label: &str) -> String {
    if label.len() > 100 || label.contains(|c: char| c.is_numeric() || c == '@') {
        return String::new();
    }
    let words =
        label.split(|c: char| c.is_whitespace() || c == '_' || c == '-').filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

impl Passage {
    /// Moves evidence to its position in its value; removes the span if it is not within one value.
    fn localise(&self, evidence: &mut Evidence) {
        evidence.span = evidence.span.and_then(|span| self.parts.iter().find_map(|part| part.inside(span)));
    }
}

impl Part {
    /// Returns the part of the finding that is in this value, with its position there; `None` if it is
    /// elsewhere.
    fn localise<F: Finding>(&self, finding: &F, text: &str) -> Option<F> {
        let mut finding = finding.clone();
        let entity = finding.entity();
        let start = entity.bytes.start.max(self.start);
        let end = entity.bytes.end.min(self.start + self.piece.len());
        if start >= end {
            return None;
        }
        let span = self.shift(Span { start, end });
        if span.end - span.start != entity.bytes.end - entity.bytes.start {
            entity.original = text.get(span.start..span.end)?.to_owned();
        }
        entity.bytes = span;
        entity.span = span;
        for evidence in &mut entity.evidence {
            evidence.span = evidence.span.and_then(|span| self.inside(span));
        }
        Some(finding)
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

    fn value(label: &str, text: &str) -> Value {
        Value { label: Some(label.into()), text: text.into(), ..Value::default() }
    }

    /// Finds every `needle`.
    fn find(needle: &str) -> impl FnMut(&str) -> Result<(Vec<Entity>, Vec<CountryDetection>)> {
        move |text| {
            let found = text.match_indices(needle).map(|(start, original)| {
                let span = Span { start, end: start + original.len() };
                Entity {
                    kind: "needle".into(),
                    category: textveil_engine::Category::Personal,
                    original: original.into(),
                    country: None,
                    confidence: 1.0,
                    validated: false,
                    span,
                    bytes: span,
                    metadata: Default::default(),
                    evidence: vec![],
                }
            });
            Ok((found.collect(), vec![]))
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
        let judge = |text: &str| {
            seen.push_str(text);
            find("")("")
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
    fn a_finding_over_two_values_is_cut_to_each() {
        let values = [
            Value { text: "ab".into(), ..Value::default() },
            Value { text: "cd".into(), ..Value::default() },
        ];
        let found = analyse(&values, find("b\nc")).unwrap();
        assert_eq!(spans(&found), [[(1, 2)], [(0, 1)]]);
        assert_eq!(found.findings[1][0].original, "c");
    }

    #[test]
    fn long_values_are_cut_and_found_in_whole() {
        let text = format!("{} x\n", "é".repeat(30_000)).repeat(5);
        let values = [value("v", &text), value("w", "x")];
        let mut calls = 0;
        let found = analyse(&values, |passage| {
            calls += 1;
            assert!(passage.chars().count() <= MAX_TEXT_CHARS);
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
    fn pieces_join_to_the_text() {
        for text in ["", "a", &"a".repeat(120_000), &"ab ".repeat(50_000), &"🦀\n".repeat(60_000)] {
            let ranges: Vec<_> = pieces(text).collect();
            let joined: String = ranges.iter().map(|range| &text[range.clone()]).collect();
            assert_eq!(joined, text);
            assert!(ranges.iter().all(|range| text[range.clone()].chars().count() <= MAX_TEXT_CHARS));
        }
    }
}
