//! Hints: findings of a model of the caller's, as evidence.
//!
//! A hint adds the log-odds of its confidence to each candidate of its type that shares most of its place. If none has
//! exactly its place, the place becomes a candidate, with the checks of its type.

use textveil_weights::confidence as weights;

use crate::{
    api::{
        entity::{Country, OffsetUnit},
        error::Error,
        limits::MAX_LIST,
        options::Hint,
    },
    catalogue,
    detect::{plan, validate},
    evidence::candidate::{Candidate, Extra, Source, Verdict, weight_of},
    phrase::work::{Stage, Work},
    recognise::{
        Read,
        custom::{Customs, is_name},
    },
    text::{fold::Folded, offsets::Cursor, order},
};

/// The hints of a call, checked except for their places.
#[derive(Default)]
pub(crate) struct Hints(Vec<Given>);

/// A hint.
struct Given {
    /// In the caller's unit.
    start: usize,
    end: usize,
    kinds: Kinds,
    /// The log-odds of its confidence.
    odds: f32,
}

/// The types that a hint may be of.
enum Kinds {
    /// Types of the catalogue: a name of another tool may stand for several.
    Catalogue(Vec<&'static str>),
    /// The caller's own type, by the number of its detector.
    Own(u16),
}

/// A hint with its place in a text.
pub(crate) struct Located<'h> {
    /// In the original, in bytes.
    start: usize,
    end: usize,
    given: &'h Given,
}

impl Hints {
    /// Checks the hints. A type that is nowhere else becomes one of the caller's.
    ///
    /// # Errors
    /// `invalid_request` naming the field of the hint at fault, such as `hints[3].type`.
    pub fn new(hints: &[Hint], customs: &mut Customs) -> Result<Self, Error> {
        if hints.len() > MAX_LIST {
            return Err(Error::invalid("hints", "has more than 1000 entries; send fewer"));
        }
        let given = hints.iter().enumerate().map(|(index, hint)| {
            let refuse = |field: &str, message| Error::invalid(format!("hints[{index}].{field}"), message);
            if !(0.0..=1.0).contains(&hint.confidence) {
                return Err(refuse("confidence", "must be a number from 0 to 1"));
            }
            if hint.end <= hint.start {
                return Err(refuse("end", "must be greater than start"));
            }
            let name = hint.kind.trim().to_ascii_lowercase();
            let known: Vec<&str> = plan::resolve(&name).collect();
            let kinds = if !known.is_empty() && !customs.names(&name) {
                Kinds::Catalogue(known)
            } else if is_name(&name) {
                Kinds::Own(customs.type_of_hints(&name))
            } else {
                return Err(refuse("type", "must be lower-case letters, digits and _, at most 64"));
            };
            let confidence = hint.confidence.clamp(1.0 - weights::SUREST, weights::SUREST);
            let odds = (confidence / (1.0 - confidence)).ln() as f32;
            Ok(Given { start: hint.start, end: hint.end, kinds, odds })
        });
        given.collect::<Result<_, _>>().map(Self)
    }

    /// # Errors
    /// `invalid_request` naming `hints` if there are any: they belong to one text.
    pub fn must_be_absent(&self) -> Result<(), Error> {
        if self.0.is_empty() {
            return Ok(());
        }
        Err(Error::invalid("hints", "belong to one text; send them with a call for that text alone"))
    }

    /// Returns the hints with their places in a text, in one pass over it.
    ///
    /// # Errors
    /// `invalid_request` naming the offset that is outside the text or within a character.
    pub fn locate(&self, text: &str, unit: OffsetUnit) -> Result<Vec<Located<'_>>, Error> {
        let mut located: Vec<Located<'_>> =
            self.0.iter().map(|given| Located { start: 0, end: 0, given }).collect();
        let ends = self.0.iter().enumerate();
        let mut offsets: Vec<(usize, usize, bool)> =
            ends.flat_map(|(index, given)| [(given.start, index, false), (given.end, index, true)]).collect();
        order::sort(&mut offsets, Ord::cmp);
        let mut cursor = Cursor::new(text, unit);
        for (offset, index, is_end) in offsets {
            let Some(byte) = cursor.go_to(offset) else {
                let field = if is_end { "end" } else { "start" };
                return Err(Error::invalid(
                    format!("hints[{index}].{field}"),
                    "must be the offset of a character of the text",
                ));
            };
            if let Some(hint) = located.get_mut(index) {
                *(if is_end { &mut hint.end } else { &mut hint.start }) = byte;
            }
        }
        Ok(located)
    }
}

/// Adds the evidence of hints to the candidates, and the candidates that only hints have.
pub(crate) fn apply(
    hints: &[Located<'_>],
    folded: &Folded<'_>,
    country: Option<Country>,
    candidates: &mut Vec<Candidate>,
    work: &Work,
) {
    if hints.is_empty() {
        return;
    }
    order::sort(candidates, |a, b| a.start.cmp(&b.start));
    let mut added = Vec::new();
    for hint in hints {
        let (start, end) = (folded.copied(hint.start), folded.copied(hint.end));
        let written = folded.text.get(start..end).unwrap_or_default();
        let start = (start + written.len() - written.trim_start().len()) as u32;
        let written = written.trim();
        let end = start + written.len() as u32;
        if written.is_empty() {
            continue;
        }
        // a span that shares half of the longer one begins before the hint by its length at most
        let earliest = start.saturating_sub(end - start);
        let first = candidates.partition_point(|candidate| candidate.start < earliest);
        let mut is_known = false;
        for candidate in candidates.iter_mut().skip(first).take_while(|candidate| candidate.start < end) {
            work.add(Stage::Weigh, 1);
            let shared = candidate.end.min(end).saturating_sub(candidate.start.max(start));
            if 2 * shared < candidate.len().max(end - start) || !hint.given.is_of(candidate.source) {
                continue;
            }
            candidate.hint = stronger(candidate.hint, hint.given.odds);
            is_known |= (candidate.start, candidate.end) == (start, end);
        }
        if !is_known {
            work.add(Stage::Recognise, 4);
            added.push(hint.given.candidate(written, start as usize, end as usize, country));
        }
    }
    candidates.extend(added);
}

/// Of several hints for a candidate, the one that says most counts.
fn stronger(one: f32, other: f32) -> f32 {
    if other.abs() > one.abs() { other } else { one }
}

impl Given {
    /// Whether a candidate is of a type of the hint.
    fn is_of(&self, source: Source) -> bool {
        match (&self.kinds, source) {
            (Kinds::Catalogue(kinds), Source::Catalogue(index)) => {
                catalogue::detector(index).is_some_and(|detector| kinds.contains(&detector.kind()))
            }
            (Kinds::Own(own), Source::Custom(index)) => *own == index,
            _ => false,
        }
    }

    /// Returns the candidate for the place of the hint, with the checks of its type.
    fn candidate(&self, written: &str, start: usize, end: usize, country: Option<Country>) -> Candidate {
        let kinds = match &self.kinds {
            Kinds::Own(index) => {
                return Candidate { hint: self.odds, ..Candidate::new(Source::Custom(*index), start, end) };
            }
            Kinds::Catalogue(kinds) => kinds,
        };
        let detectors = kinds.iter().flat_map(|kind| catalogue::numbered_by_type(kind));
        let (index, read) = validate::nearest(detectors, written, country);
        let candidate = Candidate { hint: self.odds, ..Candidate::new(Source::Catalogue(index), start, end) };
        let (Some(read), Some(detector)) = (read, catalogue::detector(index)) else { return candidate };
        let extra = match (read.phone, read.country) {
            (Some(phone), _) => Extra::Phone(phone),
            (None, Some(country)) => Extra::Country(country),
            (None, None) => Extra::None,
        };
        let check = match read.verdict {
            Verdict::Unchecked | Verdict::Exempt => 0.0,
            verdict => weight_of(verdict, detector, &read.facts, written.len()),
        };
        let Read { verdict, facts, check_digits, .. } = read;
        Candidate { verdict, facts, check_digits, extra, check, ..candidate }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DetectOptions, Entity, ProtectOptions, detect, detect_batch, protect};

    fn hint(kind: &str, start: usize, end: usize, confidence: f64) -> Hint {
        Hint { kind: kind.to_owned(), start, end, confidence }
    }

    fn found(text: &str, hints: &[Hint]) -> Vec<Entity> {
        let options = DetectOptions { hints: hints.to_vec(), explain: true, ..DetectOptions::default() };
        detect(text, &options).unwrap().entities
    }

    #[test]
    fn a_hint_is_evidence() {
        for (text, hints, want) in [
            // nothing else would find these
            ("write to zq kvorn today", vec![hint("PERSON", 9, 17, 0.9)], vec![("name", "zq kvorn")]),
            ("write to zq kvorn today", vec![hint("name", 9, 17, 0.3)], vec![]),
            ("Nightfall starts", vec![hint("codename", 0, 9, 0.9)], vec![("codename", "Nightfall")]),
            ("Nightfall starts", vec![hint("codename", 0, 9, 0.4)], vec![]),
            // spaces around it are not part of it
            ("write to zq kvorn today", vec![hint("name", 8, 18, 0.9)], vec![("name", "zq kvorn")]),
            // a bare number is not certain without it
            ("about 44051401359", vec![], vec![("pesel", "44051401359")]),
            ("about 2-1234", vec![hint("passport_us", 6, 12, 0.9)], vec![("passport_us", "2-1234")]),
            // against a finding
            ("PESEL 44051401359", vec![hint("pesel", 6, 17, 0.0)], vec![("pesel", "44051401359")]),
        ] {
            let found = found(text, &hints);
            let found: Vec<(&str, &str)> =
                found.iter().map(|entity| (entity.kind.as_ref(), entity.original.as_str())).collect();
            assert_eq!(found, want, "{text} {hints:?}");
        }
    }

    #[test]
    fn the_evidence_is_explained() {
        let text = "about 44051401359";
        let weight = |entities: &[Entity]| {
            entities[0].evidence.iter().find(|evidence| evidence.signal == "hint").map(|hint| hint.weight)
        };
        let (without, with) = (found(text, &[]), found(text, &[hint("pesel", 6, 17, 0.9)]));
        assert_eq!((weight(&without), weight(&with)), (None, Some(2.2)));
        assert!(with[0].confidence > without[0].confidence);
        assert!(with[0].validated, "the checks of the type count");
    }

    #[test]
    fn a_hint_for_a_part_keeps_the_whole() {
        let text = "Contact: Zofia Kowalska";
        let hints = [hint("name", 15, 23, 0.9), hint("name", 9, 23, 0.8)];
        let found = found(text, &hints);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].original, "Zofia Kowalska");
    }

    #[test]
    fn a_long_candidate_begins_far_before_its_hint() {
        let own = serde_json::json!([{ "name": "own", "pattern": "[ab]+", "confidence": 0.5 }]);
        let hints = serde_json::json!([{ "type": "own", "start": 350, "end": 800, "confidence": 0.9 }]);
        let options = serde_json::json!({ "custom_detectors": own, "hints": hints, "entities": ["own"] });
        let options = crate::wire::decode(options).unwrap();
        let found = detect(&"ab".repeat(400), &options).unwrap().entities;
        assert_eq!(found.iter().map(|entity| entity.original.len()).collect::<Vec<_>>(), [800]);
    }

    #[test]
    fn offsets_are_in_the_unit_of_the_call() {
        for (unit, start) in [(OffsetUnit::CodePoint, 2), (OffsetUnit::Utf16, 3), (OffsetUnit::Byte, 5)] {
            let options = DetectOptions {
                hints: vec![hint("codename", start, start + 9, 0.9)],
                offset_unit: Some(unit),
                ..DetectOptions::default()
            };
            assert_eq!(
                detect("🙂 Nightfall", &options).unwrap().entities[0].original,
                "Nightfall",
                "{unit:?}"
            );
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        let text = "👩 Emily";
        for (hints, field) in [
            (vec![hint("name", 2, 7, 1.5)], "hints[0].confidence"),
            (vec![hint("name", 2, 2, 0.5)], "hints[0].end"),
            (vec![hint("name", 2, 7, 0.5), hint("name", 2, 8, 0.5)], "hints[1].end"),
            (vec![hint("name", 9, 10, 0.5)], "hints[0].start"),
            (vec![hint("a name", 2, 7, 0.5)], "hints[0].type"),
            (vec![hint("name", 2, 7, 0.5); 1_001], "hints"),
        ] {
            let options = DetectOptions { hints, ..DetectOptions::default() };
            let error = detect(text, &options).unwrap_err();
            assert_eq!(error.field(), Some(field));
            assert!(!error.to_string().contains("Emily"));
            assert_eq!(
                protect(text, &options, &ProtectOptions::default(), None).unwrap_err().field(),
                Some(field)
            );
        }
        let options = DetectOptions { hints: vec![hint("name", 0, 1, 0.5)], ..DetectOptions::default() };
        assert_eq!(detect_batch(&[text, text], &options).unwrap_err().field(), Some("hints"));
        let stream = crate::Stream::new(options, ProtectOptions::default(), None);
        assert_eq!(stream.err().unwrap().field(), Some("hints"));
    }

    #[test]
    fn many_hints_at_one_place_take_linear_work() {
        let text = "44051401359 ".repeat(2_000);
        let work = |hints: Vec<Hint>| {
            let work = Work::default();
            let options = DetectOptions { hints, ..DetectOptions::default() };
            crate::detect_counted(&text, &options, &work).unwrap();
            work.total()
        };
        let without = work(Vec::new());
        assert!(work(vec![hint("name", 0, text.len(), 0.9); 1_000]) < 10 * without);
    }
}
