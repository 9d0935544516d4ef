//! Values over several texts: parts of a message, or neighbouring messages.
//!
//! Each text of a conversation is searched by itself. Here the end of the texts before it is searched once more
//! together with its beginning, joined with nothing and with a space: after the preceding text, and after the
//! preceding one of the same role. Each part of a value that is found over several texts is a finding in its text.

use std::{
    collections::{BTreeMap, VecDeque},
    ops::Range,
};

use textveil_engine::{Entity, Metadata};

/// The bytes of earlier texts that are searched with the next one. The longest identifiers have 40 characters.
const WINDOW: usize = 160;

/// The separators with which a reader may join two texts.
const SEPARATORS: [&str; 2] = ["", " "];

/// The parts of values over several texts.
#[derive(Default)]
pub struct Seams {
    /// The number of texts so far.
    texts: usize,
    /// The end of all texts, for each separator.
    all: [TextsEnd; 2],
    /// The end of the texts of each role.
    by_role: BTreeMap<String, [TextsEnd; 2]>,
    /// The parts that were found, by the number of their text.
    parts: BTreeMap<usize, Vec<Entity>>,
}

/// The end of several texts, joined.
#[derive(Clone, Default)]
struct TextsEnd {
    text: String,
    segments: VecDeque<Segment>,
}

/// A part of one text in [`TextsEnd`].
#[derive(Clone)]
struct Segment {
    /// The number of its text.
    number: usize,
    /// Its first byte in that text.
    from: usize,
    /// Its place in the joined text.
    place: Range<usize>,
}

impl Seams {
    /// Reads the next text. `find` finds personal data in a text of its own, with places in bytes.
    pub fn read(&mut self, role: &str, text: &str, find: &mut impl FnMut(&str) -> Vec<Entity>) {
        let number = self.texts;
        self.texts += 1;
        let beginning = text.get(..text.floor_char_boundary(WINDOW)).unwrap_or_default();
        let of_role = self.by_role.entry(role.to_owned()).or_default();
        let is_one = of_role[0].last() == self.all[0].last();
        for (ends, is_searched) in [(&mut self.all, true), (of_role, !is_one)] {
            let mut before = None;
            for (end, separator) in ends.iter_mut().zip(SEPARATORS) {
                if is_searched && end.may_continue(beginning) {
                    let joined = end.with(number, separator, beginning);
                    // with white space at the seam, both separators read alike
                    if before.as_ref() != Some(&joined.text) {
                        end.search(&joined, beginning, find, &mut self.parts);
                    }
                    before = Some(joined.text);
                }
                let from = text.ceil_char_boundary(text.len().saturating_sub(WINDOW));
                let last = text.get(from..).unwrap_or_default();
                *end = end.with(number, separator, last).cut(from);
            }
        }
    }

    /// Returns the parts of values in the text of this number, by their place in it.
    pub fn take(&mut self, number: usize) -> Vec<Entity> {
        self.parts.remove(&number).unwrap_or_default()
    }
}

impl TextsEnd {
    /// The number of the last text.
    fn last(&self) -> Option<usize> {
        self.segments.back().map(|segment| segment.number)
    }

    /// Whether a value may go on in the next text: at the seam there is a word with a digit or `@`, a separator of a
    /// label, or a capital on both sides.
    fn may_continue(&self, next: &str) -> bool {
        let (Some(last), Some(first)) = (self.text.split_whitespace().last(), next.split_whitespace().next())
        else {
            return false;
        };
        let is_value = |word: &str| word.contains(|letter: char| letter.is_numeric() || letter == '@');
        let is_capital = |word: &str| word.starts_with(char::is_uppercase);
        is_value(last)
            || is_value(first)
            || last.ends_with([':', '='])
            || is_capital(first) && is_capital(last) && !last.ends_with(['.', '!', '?'])
    }

    /// Adds a text.
    fn with(&self, number: usize, separator: &str, text: &str) -> Self {
        let mut joined = self.clone();
        if !joined.text.is_empty()
            && !joined.text.ends_with(char::is_whitespace)
            && !text.starts_with(char::is_whitespace)
        {
            joined.text.push_str(separator);
        }
        let begin = joined.text.len();
        joined.text.push_str(text);
        joined.segments.push_back(Segment { number, from: 0, place: begin..joined.text.len() });
        joined
    }

    /// Removes what is further from the end than the window; the last text begins at its byte `from`.
    fn cut(mut self, from: usize) -> Self {
        if from > 0 {
            self.text.drain(..self.segments.back().map_or(0, |last| last.place.start));
            self.segments.drain(..self.segments.len().saturating_sub(1));
            let place = 0..self.text.len();
            self.segments
                .iter_mut()
                .for_each(|last| *last = Segment { from, place: place.clone(), ..last.clone() });
            return self;
        }
        let cut = self.text.ceil_char_boundary(self.text.len().saturating_sub(WINDOW));
        self.text.drain(..cut);
        self.segments.retain(|segment| segment.place.end > cut);
        for Segment { from, place, .. } in &mut self.segments {
            *from += cut.saturating_sub(place.start);
            *place = place.start.saturating_sub(cut)..place.end - cut;
        }
        self
    }

    /// Adds the values of `joined`, this end with the beginning of the next text, that are in several texts.
    fn search(
        &self,
        joined: &Self,
        beginning: &str,
        find: &mut impl FnMut(&str) -> Vec<Entity>,
        parts: &mut BTreeMap<usize, Vec<Entity>>,
    ) {
        let seam = joined.text.len() - beginning.len();
        let is_over = |entity: &Entity| entity.bytes.start < self.text.len() && entity.bytes.end > seam;
        let mut found = find(&joined.text);
        found.retain(is_over);
        if found.is_empty() {
            return;
        }
        // a value that is whole on one side of the seam only touches the other one
        let mut alone = find(&self.text);
        alone.extend(find(beginning).into_iter().map(|mut entity| {
            entity.bytes.start += seam;
            entity.bytes.end += seam;
            entity
        }));
        for entity in found {
            let is_there = |one: &Entity| {
                one.bytes.start < entity.bytes.end
                    && entity.bytes.start < one.bytes.end
                    && (one.validated || one.kind == entity.kind)
            };
            if alone.iter().any(is_there) {
                continue;
            }
            for Segment { number, from, place } in &joined.segments {
                let start = entity.bytes.start.max(place.start);
                let end = entity.bytes.end.min(place.end);
                let part = joined.text.get(start..end.max(start)).unwrap_or_default();
                let original = part.trim_start();
                let start = start + part.len() - original.len();
                let original = original.trim_end();
                let end = start + original.len();
                if !original.contains(char::is_alphanumeric) {
                    continue;
                }
                let mut part = entity.clone();
                part.original = original.to_owned();
                part.bytes.start = from + (start - place.start);
                part.bytes.end = from + (end - place.start);
                // the facts are those of the whole value
                part.metadata = Metadata::default();
                let known = parts.entry(*number).or_default();
                if known
                    .iter()
                    .all(|one| one.bytes.end <= part.bytes.start || part.bytes.end <= one.bytes.start)
                {
                    known.push(part);
                }
            }
        }
    }
}

/// Adds the parts of values over several texts to the findings of a text.
///
/// A finding inside a part is a piece of the same value; a part that is in a finding, or crosses one, adds nothing.
pub(super) fn add_parts(found: &mut Vec<Entity>, parts: Vec<Entity>) {
    for part in parts {
        found.retain(|one| one.bytes.start < part.bytes.start || part.bytes.end < one.bytes.end);
        if found.iter().all(|one| one.bytes.end <= part.bytes.start || part.bytes.end <= one.bytes.start) {
            found.push(part);
        }
    }
}

#[cfg(test)]
mod tests {
    use textveil_engine::{Context, DetectOptions, Finder, Work};

    use super::*;

    /// The parts that are found in texts of roles, by the number of the text.
    fn parts(texts: &[(&str, &str)]) -> Vec<(usize, String)> {
        let finder = Finder::new(&DetectOptions::default()).unwrap();
        let mut seams = Seams::default();
        for (role, text) in texts {
            seams.read(role, text, &mut |text| {
                finder.find(text, 0, &mut Context::default(), &Work::default()).unwrap()
            });
        }
        let mut all = Vec::new();
        for (number, (_, text)) in texts.iter().enumerate() {
            for part in seams.take(number) {
                assert_eq!(text.get(part.bytes.start..part.bytes.end), Some(&*part.original));
                all.push((number, part.original));
            }
        }
        all
    }

    #[test]
    fn values_over_texts() {
        let user = |texts: &[&'static str]| texts.iter().map(|text| ("user", *text)).collect::<Vec<_>>();
        for (texts, want) in [
            (user(&["My card is 4111 1111", "1111 1111, thanks"]), &[(0, "4111 1111"), (1, "1111 1111")][..]),
            (
                user(&["My card is 4111", "1111", "1111", "1111."]),
                &[(0, "4111"), (1, "1111"), (2, "1111"), (3, "1111")],
            ),
            (user(&["write to jan.novak@", "example.cz"]), &[(0, "jan.novak@"), (1, "example.cz")]),
            (user(&["write to jan.novak", "@example.cz today"]), &[(0, "jan.novak"), (1, "@example.cz")]),
            (user(&["IBAN DE89 3704 0044", " 0532 0130 00"]), &[(0, "DE89 3704 0044"), (1, "0532 0130 00")]),
            (
                vec![("user", "card 4111 1111"), ("assistant", "And the rest?"), ("user", "1111 1111")],
                &[(0, "4111 1111"), (2, "1111 1111")],
            ),
            // whole values, and values of their own
            (user(&["write to jan.novak@example.cz", "Hello"]), &[]),
            (user(&["card 4111 1111 1111 1111", "and 5555 5555 5555 4444"]), &[]),
            (user(&["Hello there.", "We have 3 apples"]), &[]),
            (user(&["", "", "x"]), &[]),
        ] {
            let want: Vec<(usize, String)> =
                want.iter().map(|(number, part)| (*number, (*part).to_owned())).collect();
            assert_eq!(parts(&texts), want, "{texts:?}");
        }
    }

    #[test]
    fn the_window_ends_between_characters() {
        let long = "á".repeat(WINDOW) + " card 4111 1111";
        let after = format!("1111 1111 {}", "ř".repeat(WINDOW));
        let texts = [("user", &*long), ("user", &*after)];
        assert_eq!(parts(&texts), [(0, "4111 1111".to_owned()), (1, "1111 1111".to_owned())]);
    }
}
