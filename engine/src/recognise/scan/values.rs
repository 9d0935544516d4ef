//! Values after their labels: `key = value`, cells of tables, passwords, phrases.

use super::Scanner;
use crate::{
    api::facts::Facts,
    catalogue::{self, Detector, Recogniser},
    evidence::hypothesis::{Hypothesis, Source, Verdict, hypothesis},
    lexicon,
    phrase::work::Stage,
    recognise::{
        labelled::{self, Joint},
        pattern::{pattern, whole},
    },
};

/// The most text that a phrase and the end of its clause are read from, in bytes: a seed phrase has 24 words.
const MAX_PHRASE: usize = 384;

impl Scanner<'_> {
    /// Reads the table cells in columns for a labelled value or a phrase: gender, password.
    pub(super) fn cells(&mut self, from: usize) {
        for (cell, uses) in self.out.labels.cells() {
            if cell.start < from {
                continue;
            }
            for packed in uses {
                let (index, weak) = lexicon::label_use(*packed);
                let Some(detector) = catalogue::detector(index).filter(|_| !weak) else { continue };
                if !matches!(detector.recogniser, Some(Recogniser::Labelled | Recogniser::Phrase)) {
                    continue;
                }
                self.out.labels.rewind(cell.start);
                if detector.recogniser == Some(Recogniser::Phrase) {
                    self.phrase(index, detector, cell.start, false);
                } else if let Some(value) = self.text.get(cell.start..cell.end) {
                    self.value(index, detector, cell.start, value, true);
                }
            }
        }
    }

    /// Reads the cell that begins directly after a separator.
    pub(super) fn cell(&mut self, at: usize) {
        if self.bytes.get(at + 1).is_some_and(|next| !next.is_ascii_whitespace()) {
            self.labelled(Joint::Cell, at, at + 1);
        }
    }

    /// Reads the value after a separator, which is the bytes `at..end`.
    pub(super) fn labelled(&mut self, joint: Joint, at: usize, end: usize) {
        if at < self.done.labelled {
            return;
        }
        let Some(found) = labelled::after(self.text, joint, at, end, &mut self.done.long) else { return };
        let labelled::LabelledValue { detectors, start, end, alone, quoted } = found;
        self.done.labelled = end;
        let Some(value) = self.text.get(start..end) else { return };
        let before = self.out.hypotheses.len();
        for index in detectors {
            let Some(detector) = catalogue::detector(index) else { continue };
            if detector.recogniser == Some(Recogniser::Phrase) {
                self.phrase(index, detector, start, alone);
            } else {
                self.value(index, detector, start, value, quoted);
            }
        }
        // a value that no detector accepts may be another kind of credential
        if self.out.hypotheses.len() > before {
            self.done.valued = end;
        }
    }

    /// Adds a labelled value, if it has the detector's form; `quoted` means that it ends with its quotation
    /// mark.
    fn value(&mut self, index: u16, detector: &'static Detector, start: usize, value: &str, quoted: bool) {
        let matches = |value: &&str| {
            pattern(index, detector).is_none_or(|pattern| whole(pattern, value))
                && detector.facts(value).is_none_or(|facts| facts.is_ok())
        };
        // a final full stop or bracket belongs to the value only if the form requires it
        let bare = if quoted { value } else { value.trim_end_matches(['.', ')', ']', '}']) };
        if let Some(value) = [bare, value].iter().find(|value| !value.is_empty() && matches(value)) {
            let shape = detector.prior().unwrap_or(2.0);
            self.push(index, start, start + value.len(), Verdict::Unchecked, shape);
        }
    }

    /// Adds the credential around a word with letters and digits, if it has a label.
    ///
    /// A generated credential needs a label nearby, one that a person chose needs a label next to it.
    pub(super) fn credential(&mut self, start: usize, end: usize) {
        let done = self.done.credential.max(self.done.valued).max(self.done.token).max(self.done.url);
        if start < done {
            return;
        }
        let made = labelled::credential(self.text, start, end);
        let Some((start, end)) = made.or_else(|| labelled::made_up(self.text, start, end)) else { return };
        let Some(value) = self.text.get(start..end).filter(|_| start >= done) else { return };
        self.done.credential = end;
        self.out.labels.around(start, end, &mut self.contexts);
        for &index in catalogue::LABELLED {
            let Some(detector) = catalogue::detector(index) else { continue };
            let label = self.contexts.label(index);
            let said = label.is_some_and(|label| made.is_some() || labelled::stands_at(&label, start));
            if said || made.is_some() && detector.prior() > Some(0.0) {
                self.value(index, detector, start, value, false);
            }
        }
    }

    /// Adds a phrase after its label: the longest one that the detector's pattern and rule accept.
    ///
    /// With `alone` it must fill its line.
    fn phrase(&mut self, index: u16, detector: &'static Detector, start: usize, alone: bool) {
        let Some(rest) = self.text.get(start..) else { return };
        let line = rest.get(..rest.floor_char_boundary(MAX_PHRASE)).unwrap_or(rest);
        let line = ['\n', '"'].iter().fold(line, |line, end| line.split(*end).next().unwrap_or(line));
        self.work.add(Stage::Recognise, 4 + line.len() / 8);
        let Some(found) = pattern(index, detector).and_then(|pattern| pattern.find(line)) else { return };
        let ends = |rest: &str| {
            if alone {
                labelled::ends_line(rest)
            } else if detector.alone {
                labelled::ends_clause(rest)
            } else {
                !rest.starts_with(|letter: char| letter.is_alphanumeric() || letter == '_')
            }
        };
        // the last word may be the label of the next field: `… yellow total: 12`
        let whole = found.as_str();
        let shorter = whole.rsplit_once(' ').map(|(shorter, _)| shorter);
        for value in std::iter::once(whole).chain(shorter) {
            let facts = detector.facts(value).unwrap_or(Ok(Facts::default()));
            if let Ok(facts) = facts
                && line.get(value.len()..).is_some_and(ends)
            {
                let shape = detector.prior().unwrap_or(2.0);
                let place = hypothesis(Source::Catalogue(index), start, start + value.len());
                return self.keep(Hypothesis { facts, shape, ..place });
            }
        }
    }

    /// Whether the word before a number may be one that needs no separator, by its last letter.
    #[inline]
    pub(super) fn is_measured(&self, start: usize) -> bool {
        let signed = usize::from(matches!(self.bytes.get(start.wrapping_sub(1)), Some(b'-' | b'+')));
        matches!(
            self.bytes.get(start.wrapping_sub(2 + signed)..start - signed),
            Some([b't' | b'T' | b'd' | b'D' | b'e' | b'E' | b'n' | b'N' | b'g' | b'G', b' '])
        )
    }

    /// Reads a number after such a word.
    pub(super) fn measured(&mut self, start: usize) {
        let before = self.bytes.get(..start).unwrap_or_default();
        let name = before
            .strip_suffix(b"-")
            .or_else(|| before.strip_suffix(b"+"))
            .unwrap_or(before)
            .trim_ascii_end();
        if labelled::measures(name) {
            self.labelled(Joint::Word, name.len(), name.len());
        }
    }
}
