//! Chains: neighbouring words, each stretch of which is looked up by its signature.

use std::cell::LazyCell;

use textveil_weights::chain as weights;

use super::{Atom, Scanner, is_filler};
use crate::{
    catalogue::{
        self,
        layouts::Fit,
        shape::{Signature, Symbol},
    },
    evidence::{
        candidate::{Candidate, Extra, Source, weight_of},
        labels::Nearness,
        siblings::Apparent,
        words,
    },
    phrase::work::Stage,
    recognise::{self, Compact},
};

/// The maximum number of words of a candidate.
const MAX_WORDS: usize = 14;

/// Consecutive words of a chain.
#[derive(Clone, Copy)]
pub(in crate::recognise) struct Stretch<'c> {
    pub chain: &'c [Atom],
    pub first: usize,
    pub last: usize,
    pub start: usize,
    pub end: usize,
}

impl Scanner<'_> {
    /// Returns the separator between two words of a chain. `None` if they do not belong to one chain.
    pub(super) fn joint(&self, end: usize, start: usize) -> Option<u8> {
        match self.bytes.get(end..start)? {
            [byte @ (b' ' | b'-' | b'.' | b'/' | b':' | b'(')] => Some(*byte),
            [b' ', b' '] => Some(b' '),
            // `07700 – 900 – 286`
            [b' ', b'-', b' '] => Some(b'-'),
            [b'.', b' '] if self.chain.last().is_some_and(|atom| self.is_of_date(atom)) => Some(b'.'),
            [b'/', b' '] | [b' ', b'/'] | [b' ', b'/', b' '] => Some(b'/'),
            [b')'] | [b')', b' '] | [b')', b'-'] | [b')', b'('] => Some(b')'),
            [b' ', b'('] => Some(b'('),
            gap => (recognise::number_sign(self.bytes.get(end..)?) == gap.len()).then_some(b' '),
        }
    }

    /// Whether a word is written like a day, a month or a year: `3. 8. 1995`, `1995. 08. 03.`
    fn is_of_date(&self, atom: &Atom) -> bool {
        let word = self.bytes.get(atom.start..atom.end).unwrap_or_default();
        atom.digits && !atom.letters && matches!(word, [_] | [_, _] | [b'1', b'9', _, _] | [b'2', b'0', _, _])
    }

    pub(super) fn close_chain(&mut self) {
        if self.chain.is_empty() {
            return;
        }
        let chain = std::mem::take(&mut self.chain);
        let any = chain.iter().any(|atom| atom.digits)
            || chain.iter().any(|atom| matches!(atom.end - atom.start, 8 | 11));
        if any {
            let from = self.out.candidates.len();
            for first in 0..chain.len() {
                self.stretches(&chain, first);
                recognise::after_shapes(self, &chain, first);
            }
            self.list(from);
        }
        self.chain = chain;
        self.chain.clear();
    }

    /// Looks up every stretch of the chain that begins with this word.
    fn stretches(&mut self, chain: &[Atom], first: usize) {
        let Some(begin) = chain.get(first) else { return };
        recognise::before_shapes(self, chain, first);
        let (mut exact, mut any) = (Some(Signature::EMPTY), Some(Signature::EMPTY));
        for (index, atom) in chain.iter().enumerate().skip(first).take(MAX_WORDS) {
            if index > first {
                let joint = Symbol::Separator(atom.joint);
                exact = exact.map(|signature| signature.with(joint));
                any = any.map(|signature| signature.with(joint));
            }
            exact = exact.map(|signature| self.with_runs(signature, atom));
            any = any.map(|signature| signature.with(Symbol::Any((atom.end - atom.start) as u8)));
            self.work.add(Stage::Scan, 2);
            let of_exact = exact.and_then(|signature| self.layouts.fits(signature));
            let of_any = any.and_then(|signature| self.layouts.fits(signature));
            let fits = [of_exact.unwrap_or_default(), of_any.unwrap_or_default()];
            let stretch = Stretch { chain, first, last: index, start: begin.start, end: atom.end };
            if !fits[0].is_empty() || !fits[1].is_empty() {
                self.fits(&stretch, fits);
            }
            if !self.shapes.is_empty() {
                self.custom_fits(&stretch, [exact, any]);
                continue;
            }
            // no layout continues from here
            if of_exact.is_none() && of_any.is_none() {
                break;
            }
            exact = exact.filter(|_| of_exact.is_some());
            any = any.filter(|_| of_any.is_some());
        }
    }

    /// Adds the candidates of the caller's own layouts for a stretch.
    fn custom_fits(&mut self, stretch: &Stretch<'_>, signatures: [Option<Signature>; 2]) {
        let shapes = self.shapes;
        let Some(written) = self.text.get(stretch.start..stretch.end) else { return };
        let mut neighbour = None;
        for signature in signatures.into_iter().flatten() {
            let first = shapes.partition_point(|layout| layout.signature < signature);
            let same = shapes.iter().skip(first).take_while(|layout| layout.signature == signature);
            for layout in same {
                self.work.add(Stage::Customs, 4);
                if self.work.is_spent() {
                    return;
                }
                if !begins_with(written, &layout.literal) {
                    continue;
                }
                let neighbour = *neighbour.get_or_insert_with(|| {
                    self.out.labels.around(stretch.start, stretch.end, &mut self.contexts);
                    self.neighbour(stretch)
                });
                self.out.candidates.push(Candidate {
                    neighbour,
                    extra: Extra::Literal(layout.literal.len() as u8),
                    needs_label: layout.labelled,
                    ..Candidate::new(Source::Custom(layout.detector), stretch.start, stretch.end)
                });
            }
        }
    }

    /// Returns the signature extended by the runs of a word.
    fn with_runs(&self, mut signature: Signature, atom: &Atom) -> Signature {
        let word = self.bytes.get(atom.start..atom.end).unwrap_or_default();
        if !(atom.digits && atom.letters) {
            if atom.digits {
                return signature.with(Symbol::Digits(word.len() as u8));
            }
            let letters = word.iter().filter(|byte| !matches!(byte, 0x80..=0xbf)).count();
            return signature.with(Symbol::Letters(letters as u8));
        }
        let symbol = |(is_digits, len)| if is_digits { Symbol::Digits(len) } else { Symbol::Letters(len) };
        let mut run = (false, 0_u8);
        for byte in word.iter().filter(|byte| !matches!(byte, 0x80..=0xbf)) {
            let digit = byte.is_ascii_digit();
            if digit != run.0 && run.1 > 0 {
                signature = signature.with(symbol(run));
                run.1 = 0;
            }
            run = (digit, run.1 + 1);
        }
        signature.with(symbol(run))
    }

    /// Adds the candidates of the detectors whose layouts fit a stretch.
    fn fits(&mut self, stretch: &Stretch<'_>, fits: [&'static [Fit]; 2]) {
        let Some(written) = self.text.get(stretch.start..stretch.end) else { return };
        self.work.add(Stage::Scan, fits.iter().map(|fits| fits.len()).sum());
        // most layouts need a label, which is usually absent
        let near = self.out.labels.approach(stretch.start, stretch.end);
        // the compact value is shared by all detectors
        let mut compact = None;
        let plain = LazyCell::new(|| Compact::of(written, "", false, &mut compact));
        let (mut neighbour, mut is_known) = (None, false);
        let before = self.out.candidates.len();
        for fit in fits[0].iter().chain(fits[1]) {
            let index = fit.detector();
            let is_near = near.mention(index);
            if fit.labelled() && !is_near
                || self.layouts.literal(fit).is_some_and(|literal| !may_begin(written, literal))
            {
                continue;
            }
            if is_near && !std::mem::replace(&mut is_known, true) {
                self.out.labels.around(stretch.start, stretch.end, &mut self.contexts);
            }
            if fit.labelled() && !self.contexts.mention(index) {
                continue;
            }
            self.work.add(Stage::Recognise, 4);
            let label = if is_near { self.contexts.label(index) } else { None };
            let named = label.is_some_and(|label| label.nearness <= Nearness::Close)
                || is_near && self.contexts.told_label(index).is_some();
            // most numbers without a label fail their check
            let Some(mut candidate) = self.candidate(stretch, fit, written, &plain, named) else { continue };
            if !std::mem::replace(&mut is_known, true) {
                self.out.labels.around(stretch.start, stretch.end, &mut self.contexts);
            }
            candidate.neighbour = *neighbour.get_or_insert_with(|| self.neighbour(stretch));
            if is_round(written) && label.is_none_or(|label| label.nearness != Nearness::Direct) {
                candidate.neighbour += weights::ROUND;
            }
            words::apply(&mut candidate, index, &self.contexts);
            if candidate.odds() > weights::HOPELESS {
                self.out.candidates.push(candidate);
            }
        }
        if self.out.candidates.len() > before {
            let known = Apparent { checked: self.checked_since(before), ..Apparent::default() };
            self.out.labels.tell(stretch.start, stretch.end, &self.contexts, known);
        }
    }

    /// Returns the first detectors of the candidates from an index on whose check digits few other numbers pass, and that
    /// no label contradicts.
    fn checked_since(&self, from: usize) -> [Option<u16>; 2] {
        let counts = |candidate: &&Candidate| {
            candidate.is_checked()
                && candidate.check > weights::RARE
                && candidate.label.weight >= 0.0
                && candidate.sibling.weight >= 0.0
        };
        let candidates = self.out.candidates.iter().skip(from).filter(counts);
        let mut detectors = candidates.filter_map(|candidate| match candidate.source {
            Source::Catalogue(index) => Some(index),
            Source::Custom(_) | Source::Denied(_) => None,
        });
        [detectors.next(), detectors.next()]
    }

    /// Returns the candidate of a detector for a stretch in one of its layouts, without the evidence around
    /// it.
    ///
    /// `plain` is the stretch without separators. `None` if the value is not of the detector's form.
    // a call would copy the large result
    #[inline(always)]
    fn candidate<'v>(
        &self,
        stretch: &Stretch<'_>,
        fit: &Fit,
        written: &str,
        plain: &LazyCell<Option<&'v str>, impl FnOnce() -> Option<&'v str>>,
        named: bool,
    ) -> Option<Candidate> {
        let detector = catalogue::detector(fit.detector())?;
        if detector.upper && !named && written.bytes().any(|byte| byte.is_ascii_lowercase()) {
            return None;
        }
        let mut own = None;
        let compact = if detector.keep.is_empty() && !detector.exact {
            (**plain)?
        } else {
            Compact::of(written, detector.keep, detector.exact, &mut own)?
        };
        let value = match self.layouts.literal(fit) {
            None => compact,
            Some(literal) => compact.strip_prefix(literal)?,
        };
        // a failed check is a typing error with a label, and another kind of number without one
        let judged = recognise::judge_with(detector, value, !named || detector.suppressor).ok();
        let (verdict, facts) = judged.filter(|_| !is_filler(value.as_bytes()))?;
        let opens = written.as_bytes().contains(&b'(') && !written.as_bytes().contains(&b')');
        let closes = opens && self.bytes.get(stretch.end) == Some(&b')');
        Some(Candidate {
            verdict,
            facts,
            impersonal: detector.is_impersonal(value),
            check_digits: detector.has_check_digits(value.len()),
            in_groups: stretch.first < stretch.last,
            shape: self.layouts.prior(fit),
            check: weight_of(verdict, detector, &facts, value.len()),
            needs_label: fit.labelled(),
            ..Candidate::new(
                Source::Catalogue(fit.detector()),
                stretch.start,
                stretch.end + usize::from(closes),
            )
        })
    }

    /// Whether a chain continues after this word: `RX nr. 123456`.
    #[inline]
    pub(super) fn is_number_sign(&self, start: usize) -> bool {
        self.chain.last().is_some_and(|last| self.reaches_number(last.end, start))
    }

    /// Whether a number sign begins at `end` and ends after `start`.
    #[inline(never)]
    fn reaches_number(&self, end: usize, start: usize) -> bool {
        end + self.bytes.get(end..).map_or(0, recognise::number_sign) > start
    }
}

/// Whether a text is a number that ends with five zeros.
fn is_round(written: &str) -> bool {
    written.ends_with("00000") && written.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether the compact value of a text begins with a literal, in upper case.
fn begins_with(written: &str, literal: &str) -> bool {
    Compact::new(written, "", false).is_some_and(|compact| compact.as_str().starts_with(literal))
}

/// Whether the compact value of a text may begin with a literal: a letter beyond ASCII may become any letter.
#[inline]
fn may_begin(written: &str, literal: &str) -> bool {
    let mut letters = written.bytes().take_while(u8::is_ascii).zip(literal.bytes());
    letters.all(|(letter, wanted)| letter.to_ascii_uppercase() == wanted)
}
