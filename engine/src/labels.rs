//! The words around a candidate: labels such as `PESEL:`, read once and only where a candidate is near.

use crate::{
    catalogue,
    phrase::{Phrase, words},
};

/// How far before a candidate a word still counts, in bytes.
const BEFORE: usize = 96;
/// How far after a candidate a label still counts, in bytes.
const AFTER: usize = 40;
/// The longest word that may be part of a label, in bytes.
const MAX_WORD: usize = 48;
/// Words that stand between a label and its value: `PESEL nr: …`, `my SSN is …`.
const CONNECTORS: &[&str] = &[
    "no", "nr", "num", "number", "č", "číslo", "cislo", "n", "is", "je", "ist", "est", "jest", "es", "e", "to", "of", "the", "code", "id",
    "numero", "nummer", "value", "string", "text", "was", "lautet", "zní", "brzmi",
];

/// A label in the text.
#[derive(Clone, Copy, Debug)]
struct Hit {
    start: usize,
    end: usize,
    uses: &'static [u16],
}

/// How a label stands to a candidate, the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Nearness {
    /// Right before it, or right after it in brackets.
    Direct,
    /// A few words away.
    Close,
    /// In the neighbourhood.
    Near,
}

/// What a word near a candidate says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context {
    pub detector: u16,
    pub nearness: Nearness,
    /// A word that only stands near, and no label.
    pub weak: bool,
    pub start: usize,
    pub end: usize,
}

/// The labels of a text, read as far as candidates need them.
pub(crate) struct Labels<'t> {
    text: &'t str,
    /// Everything before has been read, or is too far from any candidate to come.
    read: usize,
    hits: Vec<Hit>,
    /// Beginnings of labels of several words that may go on.
    open: Vec<(usize, Phrase)>,
    /// Words read, for the tests of linear time.
    pub work: usize,
}

impl<'t> Labels<'t> {
    pub fn new(text: &'t str) -> Self {
        Self { text, read: 0, hits: Vec::new(), open: Vec::new(), work: 0 }
    }

    /// What the words around the candidate `start..end` say, into `into`. Candidates come in ascending
    /// order of their starts, give or take the length of one candidate.
    pub fn around(&mut self, start: usize, end: usize, into: &mut Vec<Context>) {
        into.clear();
        self.read_to(start, end + AFTER);
        for hit in self.hits.iter().rev() {
            if hit.end + BEFORE < start {
                break;
            }
            let nearness = if hit.end <= start {
                self.before(hit.end, start)
            } else if hit.start >= end {
                self.after(end, hit.start)
            } else {
                None
            };
            let Some(nearness) = nearness else { continue };
            for packed in hit.uses {
                let (detector, weak) = catalogue::label_use(*packed);
                let context = Context { detector, nearness, weak, start: hit.start, end: hit.end };
                match into.iter_mut().find(|known| known.detector == detector && known.weak == weak) {
                    Some(known) if known.nearness <= nearness => {}
                    Some(known) => *known = context,
                    None => into.push(context),
                }
            }
        }
    }

    /// How a label that ends at `end` stands to a candidate that starts at `start`.
    fn before(&self, end: usize, start: usize) -> Option<Nearness> {
        let gap = self.text.get(end..start)?;
        let mut others = 0;
        for (from, to) in words(gap) {
            let word = gap.get(from..to)?;
            if word.bytes().any(|byte| byte.is_ascii_digit()) {
                others += 4;
            } else if !CONNECTORS.iter().any(|known| word.eq_ignore_ascii_case(known)) {
                others += 1;
            }
        }
        let lines = gap.bytes().filter(|byte| *byte == b'\n').count();
        let sentence = gap.contains(". ") || gap.contains(';') || lines > 0;
        Some(match others {
            0 if lines <= 1 && gap.len() <= 24 => Nearness::Direct,
            0..=3 if !sentence => Nearness::Close,
            _ if lines <= 1 => Nearness::Near,
            _ => return None,
        })
    }

    /// How a label that starts at `start` stands to a candidate that ends at `end`.
    fn after(&self, end: usize, start: usize) -> Option<Nearness> {
        let gap = self.text.get(end..start)?;
        let bracket = gap.contains('(') || gap.contains('[');
        let only_marks = gap.len() <= 3 && !gap.bytes().any(|byte| byte.is_ascii_alphanumeric() || byte == b'\n');
        Some(match (only_marks, bracket) {
            (true, true) => Nearness::Direct,
            _ if gap.len() <= 16 && !gap.contains(['\n', ';', ',', ':']) && !gap.contains(". ") => Nearness::Near,
            _ => return None,
        })
    }

    /// Reads the words up to `end`, from far enough before `start`.
    fn read_to(&mut self, start: usize, end: usize) {
        let from = start.saturating_sub(BEFORE + MAX_WORD);
        if self.read < from {
            self.open.clear();
            self.read = from;
            while !self.text.is_char_boundary(self.read) {
                self.read += 1;
            }
        }
        let mut end = end.min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end += 1;
        }
        if self.read >= end {
            return;
        }
        let base = self.read;
        let Some(rest) = self.text.get(base..) else { return };
        for (from, to) in words(rest) {
            if base + from >= end {
                break;
            }
            self.word(base + from, base + to);
            self.read = base + to;
        }
        self.read = self.read.max(end);
        while !self.text.is_char_boundary(self.read) {
            self.read += 1;
        }
    }

    /// Takes the next word: it ends labels that are open, and may begin one.
    fn word(&mut self, start: usize, end: usize) {
        self.work += 1;
        let word = if end - start <= MAX_WORD { self.text.get(start..end) } else { None };
        let Some(word) = word else {
            self.open.clear();
            return;
        };
        let (text, hits) = (self.text, &mut self.hits);
        self.open.push((start, Phrase::EMPTY));
        self.open.retain_mut(|(from, phrase)| {
            // a label does not go over the end of a line
            if text.get(*from..start).is_none_or(|between| between.contains('\n')) {
                return false;
            }
            *phrase = phrase.with(word);
            let Some(uses) = catalogue::label(*phrase) else { return false };
            if !uses.is_empty() {
                hits.push(Hit { start: *from, end, uses });
            }
            true
        });
    }
}
