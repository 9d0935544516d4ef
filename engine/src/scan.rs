//! Finds candidates in one pass over the text, and passes each to the few detectors that it fits.
//!
//! Words without a digit are skipped. Words with a digit, and short words in capitals, form *chains*:
//! neighbours with a single separator between them (`732 829 320`, `800101/1238`, `AB 12 34 56 C`). Each
//! stretch of a chain is folded into a shape's signature as it grows, and looked up; the search stops at the
//! first stretch that is not a prefix of a layout. Other candidates start from an anchor: `@`, `://`, `:`,
//! `=`, the end of a tag, the literal prefix of a token.

use std::sync::OnceLock;

use regex_lite::Regex;

use crate::{
    catalogue::{self, DETECTORS, Detector, Recogniser},
    custom::CustomLayout,
    facts::{Facts, Invalid},
    hypothesis::{Extra, Hypothesis, Signal, Source, Verdict, weight_of},
    labels::{self, Contexts, Labels, Nearness, Uses},
    layouts::{Fit, Layouts},
    limits::MAX_TEXT_CHARS,
    order,
    phone::Phone,
    phrase::{
        case::lower,
        is_alone, is_letter,
        work::{Stage, Work},
    },
    recognise::{
        self, Compact, date, email, geo, iban, ipv6,
        labelled::{self, Joint},
        mrz, token, url,
    },
    shape::{MAX_RUN, Signature, Symbol},
    weigh,
};

/// The longest word of a chain, in bytes.
const MAX_ATOM: usize = MAX_RUN;
/// The longest token, in bytes.
const MAX_TOKEN: usize = 4_096;
/// The longest first track of a card, in bytes: 79 characters (ISO/IEC 7813).
const MAX_CARD_TRACK: usize = 96;
/// The most text that a phrase and the end of its clause are read from, in bytes: a seed phrase has 24 words.
const MAX_PHRASE: usize = 384;
/// How many bytes of a token's literal prefix are looked up first.
const HEAD: usize = 3;
/// Weight of a token's literal prefix: stronger evidence than any label.
const BEGINNING: f32 = 3.0;
/// Candidates with lower odds, before the country is known, are dropped.
const HOPELESS: f32 = -8.0;
/// Penalty of a telephone number written like a file number.
const FILED: f32 = -3.0;
/// Penalty of a telephone number written like a large number.
const GROUPED: f32 = -1.0;
/// The length of text per candidate, in bytes, in a text full of identifiers.
const DENSEST: usize = 16;
/// The highest initial capacity for candidates: enough for the longest text of a call.
const ROOM: usize = MAX_TEXT_CHARS / DENSEST;
/// The longest number in a list of numbers with check digits, in bytes.
const LONGEST: u32 = 64;
/// The longest span, in bytes including both neighbours, that can be a numeric range such as `10-12,5`.
const LONG_FIELD: usize = 10;
/// The shortest number of a payment card, in bytes.
const CARD: usize = 13;
/// The minimum number of digits of a telephone number without separators.
const MIN_PHONE: usize = 7;
/// The maximum number of digits of a telephone number with its prefixes.
const MAX_PHONE: usize = 18;

/// A telephone number in national notation: valid or not depending on the country.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalNumber {
    /// Its digits.
    digits: [u8; MAX_PHONE],
    len: u8,
    /// The number of its groups: countries differ in their usual grouping.
    pub groups: u8,
    /// It is written as in North America: `415-555-0132`, `(415) 555-0132`.
    pub north_american: bool,
    /// Its first group is in brackets.
    pub area_in_brackets: bool,
    /// It is written as in Russia: `8-916-123-45-67`, `8 (495) 123-45-67`.
    pub russian: bool,
    /// The candidate, without the evidence of the country.
    pub guess: Hypothesis,
    /// The text has a label for it.
    pub named: bool,
}

impl LocalNumber {
    /// The digits as dialled.
    pub fn digits(&self) -> &str {
        self.digits
            .get(..usize::from(self.len))
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .unwrap_or_default()
    }
}

/// The results of the pass over a text.
#[derive(Debug)]
pub(crate) struct Scan<'t> {
    pub hypotheses: Vec<Hypothesis>,
    pub local_numbers: Vec<LocalNumber>,
    /// Ranges that no finding may overlap: the engine's own tokens and placeholders.
    pub reserved: Vec<(u32, u32)>,
    /// The details of the names and addresses among the candidates.
    pub named: Vec<textveil_names::Guess>,
    /// The labels that have been read.
    pub labels: Labels<'t>,
}

/// A word of a chain.
#[derive(Clone, Copy, Debug)]
struct Atom {
    start: usize,
    end: usize,
    /// The separator before it.
    joint: u8,
    digits: bool,
    letters: bool,
}

const DIGIT: u8 = 1;
const UPPER: u8 = 2;
const LOWER: u8 = 4;
const HIGH: u8 = 8;
/// The first byte of a three-byte or four-byte character; all scripts without spaces have such characters.
const WIDE: u8 = 16;
/// Classes of bytes; 0 for a byte that ends a word.
#[allow(clippy::indexing_slicing, reason = "evaluated by the compiler")]
const CLASS: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'0'..=b'9' => DIGIT,
            b'A'..=b'Z' => UPPER,
            b'a'..=b'z' => LOWER,
            0x80..0xe0 => HIGH,
            0xe0.. => HIGH | WIDE,
            _ => 0,
        };
        byte += 1;
    }
    table
};

/// The class of a byte.
#[inline]
fn class_of(byte: u8) -> u8 {
    CLASS.get(usize::from(byte)).copied().unwrap_or_default()
}

/// Scans the text once, from `from` on.
///
/// `shapes` are the caller's own layouts, sorted by signature.
pub(crate) fn scan<'t>(text: &'t str, from: usize, shapes: &'t [CustomLayout], work: &'t Work) -> Scan<'t> {
    work.add(Stage::Scan, text.len() - from.min(text.len()));
    // code optimised for size grows the vectors on demand: few texts need the memory
    let room = if cfg!(small) { 0 } else { (text.len() / DENSEST).min(ROOM) };
    let mut scanner = Scanner {
        text,
        bytes: text.as_bytes(),
        layouts: catalogue::layouts(),
        shapes,
        out: Scan {
            hypotheses: Vec::with_capacity(room),
            local_numbers: Vec::with_capacity(room),
            reserved: Vec::new(),
            named: Vec::new(),
            labels: Labels::new(text, work),
        },
        chain: Vec::new(),
        done: Done::default(),
        contexts: Contexts::default(),
        amount: None,
        checked: Vec::new(),
        unspaced: Unspaced::default(),
        work,
    };
    scanner.run(from);
    scanner.out
}

/// How far each kind of anchor has been read, so that no text is read twice.
#[derive(Default)]
struct Done {
    url: usize,
    ipv6: usize,
    mrz: usize,
    degrees: usize,
    token: usize,
    /// The ends of the last labelled value, of the last long one, and of the last one that was found.
    labelled: usize,
    long: usize,
    valued: usize,
    credential: usize,
}

struct Scanner<'t> {
    text: &'t str,
    bytes: &'t [u8],
    layouts: &'static Layouts,
    shapes: &'t [CustomLayout],
    out: Scan<'t>,
    chain: Vec<Atom>,
    done: Done,
    /// The labels and context words near the current candidate.
    contexts: Contexts,
    /// The last range checked for an amount or a constant, and the result.
    amount: Option<(usize, usize, bool)>,
    /// The candidates of a chain whose check digits hold, for [`Scanner::list`].
    checked: Vec<usize>,
    unspaced: Unspaced,
    work: &'t Work,
}

impl Scanner<'_> {
    fn run(&mut self, from: usize) {
        let mut at = from;
        while let Some(byte) = self.bytes.get(at) {
            if class_of(*byte) == 0 {
                self.mark(at, *byte);
                at += 1;
                continue;
            }
            let start = at;
            let mut class = 0;
            for byte in self.bytes.get(start..).unwrap_or_default() {
                let next = class_of(*byte);
                if next == 0 {
                    break;
                }
                class |= next;
                at += 1;
            }
            // most words are plain: they have a lower-case letter, no digit, and no adjacent separator
            let plain = class & (DIGIT | HIGH) == 0 && class & LOWER != 0 && at - start > 4
                || class == LOWER && at - start > 1 && !self.is_tight(start, at);
            if plain {
                self.token(start);
                if !self.is_number_sign(start) {
                    self.close_chain();
                }
                if self.bytes.get(start..at).is_some_and(labelled::joins) {
                    self.labelled(Joint::Word, start, at);
                }
            } else {
                self.word(start, at, class);
            }
        }
        self.close_chain();
        self.cells(from);
    }

    /// Reads the table cells in columns for a labelled value or a phrase: gender, password.
    fn cells(&mut self, from: usize) {
        for (cell, uses) in self.out.labels.cells() {
            if cell.start < from {
                continue;
            }
            for packed in uses {
                let (index, weak) = catalogue::label_use(*packed);
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

    /// Handles a byte between words, which may be an anchor.
    fn mark(&mut self, at: usize, byte: u8) {
        match byte {
            b'@' => self.email(at),
            b'%' if self.text.get(at..).is_some_and(|rest| rest.starts_with(email::ENCODED)) => {
                self.email(at)
            }
            b':' => self.colon(at),
            b'=' if at >= self.done.url => self.labelled(Joint::Sign, at, at + 1),
            b'\t' | b'|' => self.labelled(Joint::Cell, at, at + 1),
            b'_' => self.own_token(at),
            b'-' | b'$' | b'"' | b'%' => self.token(at),
            b';' => {
                self.token(at);
                self.cell(at);
            }
            b',' => {
                self.comma(at);
                self.cell(at);
            }
            b'<' => self.mrz(at),
            b'>' => {
                if let Some((joint, label)) = self.text.get(..=at).and_then(labelled::tag) {
                    self.labelled(joint, label, at + 1);
                }
            }
            b'(' | b'{' => self.hidden_email(at),
            b'[' => match self.text.get(at..).and_then(token::placeholder) {
                Some(len) => self.reserve(at, at + len),
                None => self.hidden_email(at),
            },
            _ => {}
        }
    }

    #[inline]
    fn word(&mut self, start: usize, end: usize, class: u8) {
        self.token(start);
        if class & WIDE != 0 {
            self.tokens_within(start, end);
        }
        if class & DIGIT == 0 && self.is_number_sign(start) {
            return;
        }
        if class & HIGH == 0 {
            self.atom(start, end, class);
            if class & DIGIT != 0 && class != DIGIT {
                self.glued(start, end);
            }
        } else if class & DIGIT != 0 || end - start <= 8 {
            self.word_beyond_ascii(start, end);
        } else {
            self.close_chain();
        }
    }

    /// Whether a chain continues after this word: `RX nr. 123456`.
    #[inline]
    fn is_number_sign(&self, start: usize) -> bool {
        self.chain.last().is_some_and(|last| self.reaches_number(last.end, start))
    }

    /// Whether a number sign begins at `end` and ends after `start`.
    #[inline(never)]
    fn reaches_number(&self, end: usize, start: usize) -> bool {
        end + self.bytes.get(end..).map_or(0, recognise::number_sign) > start
    }

    /// Splits a word that contains a number and adjacent letters.
    ///
    /// A label before the number is cut off, and the number begins a chain. An extension after the number
    /// ends the chain.
    #[inline(never)]
    fn glued(&mut self, start: usize, end: usize) {
        let (Some(word), Some(last)) = (self.text.get(start..end), self.chain.last().copied()) else {
            return;
        };
        if let Some(digits) = before_extension(word)
            && (self.chain.len() > 1 || digits >= MIN_PHONE)
        {
            self.chain.pop();
            self.chain.push(Atom { end: start + digits, letters: false, ..last });
            self.close_chain();
        }
        // after a dash a label is part of a longer word
        let value = labels::glued(word).filter(|_| matches!(last.joint, 0 | b' '));
        let Some(start) = value.map(|value| start + value) else { return };
        let class = self.bytes.get(start..end).unwrap_or_default().iter();
        self.close_chain();
        self.atom(start, end, class.fold(0, |class, byte| class | class_of(*byte)));
    }

    /// Finds tokens directly after a character of a script without spaces: `密钥ghp_…`, `（ghp_…`.
    fn tokens_within(&mut self, start: usize, end: usize) {
        for at in start + 1..end {
            let (before, here) = (self.bytes.get(at - 1), self.bytes.get(at));
            if before.is_some_and(|byte| *byte >= 0x80) && here.is_some_and(u8::is_ascii_alphanumeric) {
                let mut letter = self.bytes.iter().take(at).rev().take(4);
                if letter.find(|byte| **byte >= 0xc0).is_some_and(|first| *first >= 0xe0) {
                    self.token(at);
                }
            }
        }
    }

    /// Splits a word with bytes outside ASCII at every character that is not a letter, and at letters of
    /// scripts without spaces: `身份证号110105…` is a label and its value.
    fn word_beyond_ascii(&mut self, start: usize, end: usize) {
        let Some(word) = self.text.get(start..end) else { return };
        if let Some(sign) = word.find('°')
            && start + sign >= self.done.degrees
            && let Some((start, end)) = geo::degrees(self.text, start + sign)
        {
            self.done.degrees = end;
            self.judged(catalogue::GEO, start, end);
        }
        let mut from = start;
        let mut class = 0;
        for (at, letter) in word.char_indices() {
            let of = match letter {
                '0'..='9' => DIGIT,
                'A'..='Z' | 'Ä' | 'Ö' | 'Ü' => UPPER,
                _ if letter.is_ascii() => LOWER,
                _ if is_alone(letter) => {
                    // a Chinese licence plate begins with such a letter
                    if at > 0 {
                        self.token(start + at);
                    }
                    0
                }
                _ if is_letter(letter) => LOWER | HIGH,
                _ => 0,
            };
            // digits end a word with letters beyond ASCII, such as a label: `RČ8001011238`
            let next = match of {
                0 => Some(start + at + letter.len_utf8()),
                DIGIT if class & HIGH != 0 => Some(start + at),
                _ => None,
            };
            if let Some(next) = next {
                if class != 0 {
                    self.atom(from, start + at, class);
                }
                (from, class) = (next, 0);
            }
            class |= of;
        }
        if class != 0 {
            self.atom(from, end, class);
        }
    }

    /// Adds a word of letters and digits to the chain, or closes the chain.
    fn atom(&mut self, start: usize, end: usize, class: u8) {
        let len = end - start;
        let digits = class & DIGIT != 0;
        let joined = self.is_tight(start, end);
        let keeps = class & HIGH == 0
            && len <= MAX_ATOM
            && (digits
                || class & LOWER == 0 && len <= 11
                || len <= 4 && joined
                || len <= 3 && self.is_upper(start)
                || len == 1 && !self.chain.is_empty());
        if len == 3
            && start >= self.done.url
            && self.text.get(start..end).is_some_and(|word| word.eq_ignore_ascii_case("www"))
        {
            self.bare_url(start);
        }
        if digits && class & (UPPER | LOWER) != 0 && class & HIGH == 0 && len >= labelled::MIXED {
            self.credential(start, end);
        }
        if !keeps {
            return self.close_chain();
        }
        if digits && self.is_measured(start) {
            self.measured(start);
        }
        let joint = match self.chain.last() {
            None => 0,
            Some(last) => match self.joint(last.end, start) {
                Some(joint) => joint,
                None => {
                    self.close_chain();
                    0
                }
            },
        };
        self.chain.push(Atom { start, end, joint, digits, letters: class & (UPPER | LOWER) != 0 });
    }

    /// Whether the word before a number may be one that needs no separator, by its last letter.
    #[inline]
    fn is_measured(&self, start: usize) -> bool {
        let signed = usize::from(matches!(self.bytes.get(start.wrapping_sub(1)), Some(b'-' | b'+')));
        matches!(
            self.bytes.get(start.wrapping_sub(2 + signed)..start - signed),
            Some([b't' | b'T' | b'd' | b'D' | b'e' | b'E' | b'n' | b'N' | b'g' | b'G', b' '])
        )
    }

    /// Reads a number after such a word.
    fn measured(&mut self, start: usize) {
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

    /// Whether a word is next to a mark that may connect it to another word.
    #[inline]
    fn is_tight(&self, start: usize, end: usize) -> bool {
        let tight = |at: Option<&u8>| at.is_some_and(|byte| matches!(byte, b':' | b'-' | b'.'));
        tight(self.bytes.get(end)) || tight(start.checked_sub(1).and_then(|before| self.bytes.get(before)))
    }

    fn is_upper(&self, at: usize) -> bool {
        self.bytes.get(at).is_some_and(u8::is_ascii_uppercase)
    }

    /// Returns the separator between two words of a chain. `None` if they do not belong to one chain.
    fn joint(&self, end: usize, start: usize) -> Option<u8> {
        match self.bytes.get(end..start)? {
            [byte @ (b' ' | b'-' | b'.' | b'/' | b':' | b'(')] => Some(*byte),
            [b' ', b' '] => Some(b' '),
            [b'.', b' ']
                if self.chain.last().is_some_and(|atom| atom.digits && atom.end - atom.start <= 2) =>
            {
                Some(b'.')
            }
            [b'/', b' '] | [b' ', b'/'] | [b' ', b'/', b' '] => Some(b'/'),
            [b')'] | [b')', b' '] | [b')', b'-'] => Some(b')'),
            [b' ', b'('] => Some(b'('),
            gap => (recognise::number_sign(self.bytes.get(end..)?) == gap.len()).then_some(b' '),
        }
    }

    fn close_chain(&mut self) {
        if self.chain.is_empty() {
            return;
        }
        let chain = std::mem::take(&mut self.chain);
        let any = chain.iter().any(|atom| atom.digits)
            || chain.iter().any(|atom| matches!(atom.end - atom.start, 8 | 11));
        if any {
            let mut row = Row::default();
            let from = self.out.hypotheses.len();
            for first in 0..chain.len() {
                self.stretches(&chain, first);
                self.phones(&chain, first, &mut row);
            }
            self.list(from);
        }
        self.chain = chain;
        self.chain.clear();
    }

    /// Looks up every stretch of the chain that begins with this word.
    fn stretches(&mut self, chain: &[Atom], first: usize) {
        let Some(begin) = chain.get(first) else { return };
        if begin.digits && begin.letters {
            self.iban(begin.start);
        }
        if begin.digits && begin.end - begin.start == 4 {
            self.date_in_words(begin);
        }
        let (mut exact, mut any) = (Some(Signature::EMPTY), Some(Signature::EMPTY));
        for (index, atom) in chain.iter().enumerate().skip(first) {
            if index > first {
                let joint = Symbol::Separator(atom.joint);
                exact = exact.map(|signature| signature.with(joint));
                any = any.map(|signature| signature.with(joint));
            }
            exact = exact.map(|signature| self.with_runs(signature, atom));
            any = any.map(|signature| signature.with(Symbol::Any((atom.end - atom.start) as u8)));
            self.work.add(Stage::Scan, 2);
            let stretch = Stretch { chain, first, last: index, start: begin.start, end: atom.end };
            let fits = [exact, any].map(|signature| self.layouts.fits(signature?));
            if fits.iter().flatten().any(|fits| !fits.is_empty()) {
                self.fits(&stretch, fits.map(Option::unwrap_or_default));
            }
            if self.shapes.is_empty() {
                // no layout continues from here
                exact = exact.filter(|_| fits[0].is_some());
                any = any.filter(|_| fits[1].is_some());
            } else {
                self.custom_fits(&stretch, [exact, any]);
            }
            if exact.is_none() && any.is_none() || index - first > 12 {
                break;
            }
        }
    }

    /// Adds the candidates of the caller's own layouts for a stretch.
    fn custom_fits(&mut self, stretch: &Stretch<'_>, signatures: [Option<Signature>; 2]) {
        let shapes = self.shapes;
        let Some(written) = self.text.get(stretch.start..stretch.end) else { return };
        for signature in signatures.into_iter().flatten() {
            let first = shapes.partition_point(|layout| layout.signature < signature);
            let same = shapes.iter().skip(first).take_while(|layout| layout.signature == signature);
            for layout in same {
                self.work.add(Stage::Customs, 4);
                if !begins_with(written, &layout.literal) {
                    continue;
                }
                let neighbour = self.neighbour(stretch);
                self.out.hypotheses.push(Hypothesis {
                    neighbour,
                    extra: Extra::Literal(layout.literal.len() as u8),
                    ..hypothesis(Source::Custom(layout.detector), stretch.start, stretch.end)
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
        let mut run = (false, 0_u8);
        for byte in word.iter().filter(|byte| !matches!(byte, 0x80..=0xbf)) {
            let digit = byte.is_ascii_digit();
            if digit != run.0 && run.1 > 0 {
                signature =
                    signature.with(if run.0 { Symbol::Digits(run.1) } else { Symbol::Letters(run.1) });
                run.1 = 0;
            }
            run = (digit, run.1 + 1);
        }
        signature.with(if run.0 { Symbol::Digits(run.1) } else { Symbol::Letters(run.1) })
    }

    /// Adds the candidates of the detectors whose layouts fit a stretch.
    fn fits(&mut self, stretch: &Stretch<'_>, fits: [&'static [Fit]; 2]) {
        let Some(written) = self.text.get(stretch.start..stretch.end) else { return };
        self.work.add(Stage::Scan, fits.iter().map(|fits| fits.len()).sum());
        let (layouts, fits) = (self.layouts, fits[0].iter().chain(fits[1]));
        let may_be = |fit: &Fit, said: &Uses| {
            (!fit.labelled() || said.mention(fit.detector())) && may_begin(written, layouts.literal(fit))
        };
        // most layouts need a label, which is usually absent
        self.out.labels.read(stretch.start, stretch.end);
        if !fits.clone().any(|fit| may_be(fit, &self.out.labels.uses)) {
            return;
        }
        self.out.labels.around(stretch.start, stretch.end, &mut self.contexts);
        // the compact value is shared by all detectors
        let compact = Compact::new(written, "", false);
        let plain = compact.as_ref().map(Compact::as_str);
        let mut neighbour = None;
        for fit in fits {
            if !may_be(fit, &self.contexts.uses) {
                continue;
            }
            self.work.add(Stage::Recognise, 4);
            let Some(mut guess) = self.guess(stretch, fit, written, plain) else { continue };
            guess.neighbour = *neighbour.get_or_insert_with(|| self.neighbour(stretch));
            weigh::apply(&mut guess, fit.detector(), &self.contexts);
            if guess.odds() > HOPELESS {
                self.out.hypotheses.push(guess);
            }
        }
    }

    /// Returns the candidate of a detector for a stretch in one of its layouts, without the evidence around
    /// it.
    ///
    /// `plain` is the stretch without separators. `None` if the value is not of the detector's form.
    fn guess(
        &self,
        stretch: &Stretch<'_>,
        fit: &Fit,
        written: &str,
        plain: Option<&str>,
    ) -> Option<Hypothesis> {
        let detector = catalogue::detector(fit.detector())?;
        let named = self.is_named(fit.detector());
        if detector.upper && !named && written.bytes().any(|byte| byte.is_ascii_lowercase()) {
            return None;
        }
        let own;
        let compact = if detector.keep.is_empty() && !detector.exact {
            plain?
        } else {
            own = Compact::new(written, detector.keep, detector.exact)?;
            own.as_str()
        };
        let value = match self.layouts.literal(fit) {
            // most layouts have no literal, and comparing an empty string is slow
            "" => Some(compact),
            literal => compact.strip_prefix(literal),
        };
        let value = value.filter(|value| !is_filler(value))?;
        // a failed check is a typing error with a label, and another kind of number without one
        let judge = if named && !detector.suppressor { recognise::judge } else { recognise::accept };
        let (verdict, facts) = judge(detector, value).ok()?;
        let opens = written.as_bytes().contains(&b'(') && !written.as_bytes().contains(&b')');
        let closes = opens && self.bytes.get(stretch.end) == Some(&b')');
        Some(Hypothesis {
            verdict,
            facts,
            impersonal: detector.is_impersonal(value),
            check_digits: detector.has_check_digits(value.len()),
            shape: self.layouts.prior(fit),
            check: weight_of(verdict, detector, &facts, value.len()),
            needs_label: fit.labelled(),
            ..hypothesis(Source::Catalogue(fit.detector()), stretch.start, stretch.end + usize::from(closes))
        })
    }

    /// Whether a label of this detector is next to the current candidate.
    fn is_named(&self, detector: u16) -> bool {
        self.contexts.label(detector).is_some_and(|context| context.nearness <= Nearness::Close)
    }

    /// Adds a candidate that starts from an anchor, with the evidence of nearby labels.
    fn keep(&mut self, mut guess: Hypothesis) {
        if let Source::Catalogue(index) = guess.source {
            self.out.labels.around(guess.start as usize, guess.end as usize, &mut self.contexts);
            weigh::apply(&mut guess, index, &self.contexts);
        }
        self.out.hypotheses.push(guess);
    }

    /// Returns the penalty of a stretch for adjacent text that makes it part of something longer.
    fn neighbour(&mut self, stretch: &Stretch<'_>) -> f32 {
        let Stretch { chain, first, last, start, end } = *stretch;
        // the neighbouring cells are not evidence
        if self.out.labels.is_cell(start, end) {
            return 0.0;
        }
        let is_number = |atom: &Atom| atom.digits && !atom.letters && atom.joint != b':';
        let expires = end - start >= CARD
            && self.bytes.get(end..).is_some_and(is_expiry)
            && chain.get(first..=last).is_some_and(|words| words.iter().all(is_number));
        let next = chain.get(last + 1).filter(|_| !expires);
        let edge_after = if expires { 0.0 } else { self.edge_after(start, end) };
        let mut weight = self.edge_before(start, end) + edge_after;
        let spaced =
            chain.get(first + 1..=last).is_some_and(|rest| rest.iter().any(|atom| atom.joint == b' '));
        // a sequence continues with the same separator: a fingerprint, a version, a section
        let inside = |joint: u8| {
            chain.get(first + 1..=last).is_some_and(|rest| rest.iter().any(|atom| atom.joint == joint))
        };
        let joints = [chain.get(first).filter(|_| first > 0), next];
        let goes_on = |atom: &&Atom| matches!(atom.joint, b':' | b'-' | b'.' | b'/') && inside(atom.joint);
        if self.is_amount_or_constant(start, end) {
            weight -= 6.0;
        }
        weight += if joints.into_iter().flatten().any(|atom| goes_on(&atom)) { -16.0 } else { 0.0 };
        let before =
            chain.get(first).filter(|atom| atom.joint == b' ').and_then(|_| chain.get(first.wrapping_sub(1)));
        let after = next.filter(|atom| atom.joint == b' ');
        for neighbour in before.into_iter().chain(after) {
            weight += if neighbour.digits && !neighbour.letters { row(spaced) } else { 0.0 };
        }
        weight
    }

    /// Removes the penalties for adjacent digits between numbers with valid check digits: two of one
    /// detector, as in `4111 1111 1111 1111 4000 0566 5566 5556`, or one after an IBAN.
    fn list(&mut self, from: usize) {
        let mut checked = std::mem::take(&mut self.checked);
        let guesses = self.out.hypotheses.iter().enumerate().skip(from);
        checked.extend(guesses.filter(|(_, guess)| guess.is_checked()).map(|(at, _)| at));
        for (index, at) in checked.iter().enumerate() {
            for before in checked.iter().take(index).rev() {
                self.work.add(Stage::Scan, 1);
                let guesses = &self.out.hypotheses;
                let (Some(one), Some(next)) = (guesses.get(*before), guesses.get(*at)) else { continue };
                if one.start + LONGEST < next.start {
                    break;
                }
                let alike = one.source == next.source || matches!(one.extra, Extra::Country(_));
                let joined = one.end + 1 == next.start && self.bytes.get(one.end as usize) == Some(&b' ');
                if alike && joined {
                    self.alone(*before);
                    self.alone(*at);
                }
            }
        }
        checked.clear();
        self.checked = checked;
    }

    /// Removes the penalty for digits on one side of a number.
    fn alone(&mut self, guess: usize) {
        let Some(guess) = self.out.hypotheses.get_mut(guess) else { return };
        let written = self.text.get(guess.start as usize..guess.end as usize).unwrap_or_default();
        guess.neighbour = (guess.neighbour - row(written.contains(' '))).min(0.0);
    }

    fn is_amount_or_constant(&mut self, start: usize, end: usize) -> bool {
        if let Some((_, _, known)) = self.amount.filter(|(from, to, _)| (*from, *to) == (start, end)) {
            return known;
        }
        let (before, after) =
            (self.text.get(..start).unwrap_or_default(), self.text.get(end..).unwrap_or_default());
        let is = is_amount(after) || before.ends_with(['€', '£']) || is_constant(before, after);
        self.amount = Some((start, end, is));
        is
    }

    fn edge_before(&self, start: usize, end: usize) -> f32 {
        let Some(touching) = start.checked_sub(1).and_then(|at| self.bytes.get(at)) else { return 0.0 };
        if self.out.labels.is_cell(start, end) {
            return 0.0;
        }
        let beyond = start.checked_sub(2).and_then(|at| self.bytes.get(at)).copied().unwrap_or(b' ');
        let word = beyond.is_ascii_alphanumeric() || beyond >= 0x80;
        match touching {
            b'-' | b'_' if word => -6.0,
            b'-' | b'_' => -2.0,
            b',' if beyond.is_ascii_digit() => self.behind_comma(start, end),
            b'.' if beyond.is_ascii_digit() => -6.0,
            b'/' | b'\\' if word => -6.0,
            b'/' | b'\\' => -3.0,
            b'@' | b'%' | b'&' | b'~' => -4.0,
            b'$' => -4.0,
            b'+' => -3.0,
            _ => 0.0,
        }
    }

    fn edge_after(&self, start: usize, end: usize) -> f32 {
        let Some(touching) = self.bytes.get(end) else { return 0.0 };
        if self.out.labels.is_cell(start, end) {
            return 0.0;
        }
        let beyond = self.bytes.get(end + 1).copied().unwrap_or(b' ');
        let word = beyond.is_ascii_alphanumeric() || beyond >= 0x80;
        match touching {
            b'-' | b'_' if word => -6.0,
            b',' if beyond.is_ascii_digit() => self.before_comma(start, end),
            b'.' if beyond.is_ascii_digit() => -6.0,
            b'.' if beyond.is_ascii_lowercase() => -3.0,
            b'/' | b'\\' if word => -4.0,
            b'@' | b'%' => -6.0,
            b';' if beyond == b'\n'
                || beyond == b' ' && self.bytes.get(end + 2).is_none_or(|byte| *byte == b'/') =>
            {
                -3.0
            }
            b'(' => -2.0,
            _ => 0.0,
        }
    }

    /// Returns the penalty of a value after a comma between digits, which may be the fraction of a decimal
    /// number.
    ///
    /// Nine or more digits are a field of a row, as in `17,44051401359`, except after a zero:
    /// `0,44051401359`.
    fn behind_comma(&self, start: usize, end: usize) -> f32 {
        let whole = self.bytes.get(start.saturating_sub(3)..start - 1).unwrap_or_default();
        let is_zero = matches!(whole, [b'0'] | [..=b'/' | b':'.., b'0']);
        let is_long = end - start >= 9 && !is_zero;
        if is_long || self.is_field(start, end) { 0.0 } else { -6.0 }
    }

    /// Returns the penalty of a value before a comma: few fractions have five digits or are followed by a
    /// comma.
    fn before_comma(&self, start: usize, end: usize) -> f32 {
        let after = self.bytes.get(end + 1..).unwrap_or_default();
        let digits = after.iter().take(5).take_while(|byte| byte.is_ascii_digit()).count();
        let next = after.get(digits..digits + 2);
        let goes_on = next.is_some_and(|next| next.starts_with(b",") && !next.ends_with(b" "));
        if digits > 4 || goes_on || self.is_field(start, end) { 0.0 } else { -6.0 }
    }

    /// Whether a value is between commas, as in `1,44051401359,12`, or has letters, or is long and has
    /// separators: `415-555-2671,12`.
    fn is_field(&self, start: usize, end: usize) -> bool {
        let value = self.bytes.get(start.saturating_sub(1)..=end).unwrap_or_default();
        let parts = |byte: &u8| matches!(byte, b'-' | b'/' | b')');
        value.starts_with(b",") && value.ends_with(b",")
            || value.iter().any(u8::is_ascii_alphabetic)
            || value.len() > LONG_FIELD && value.iter().any(parts)
    }

    fn email(&mut self, at: usize) {
        let (Some(email), Some(&index)) = (email::around(self.text, at), catalogue::EMAIL.first()) else {
            return;
        };
        let shape = if email.known { 5.0 } else { -1.0 };
        self.push(index, email.start, email.end, Verdict::Valid, shape);
    }

    /// Reads an address with `(at)` instead of `@`.
    fn hidden_email(&mut self, at: usize) {
        if matches!(self.bytes.get(at + 1..at + 3), Some([b'a' | b'A', b't' | b'T'])) {
            self.email(at);
        }
    }

    fn colon(&mut self, at: usize) {
        if at >= self.done.url {
            if self.bytes.get(at + 1..at + 3) == Some(b"//") {
                if let Some((start, end)) = url::around(self.text, at) {
                    self.done.url = end;
                    self.url(start, end);
                }
            } else {
                self.labelled(Joint::Sign, at, at + 1);
            }
        }
        if at >= self.done.ipv6 {
            let (found, read) = ipv6::around(self.text, at);
            self.done.ipv6 = read;
            if let Some((start, end)) = found {
                self.ipv6(start, end);
            }
        }
    }

    fn ipv6(&mut self, start: usize, end: usize) {
        self.judged(catalogue::IPV6, start, end);
    }

    /// Reads a machine readable zone from a `<` in its first line.
    fn mrz(&mut self, at: usize) {
        if at >= self.done.mrz {
            let (found, read) = mrz::around(self.text, at);
            self.done.mrz = read;
            if let Some((start, end)) = found {
                self.judged(catalogue::MRZ, start, end);
            }
        }
    }

    /// Reads a pair of coordinates from the comma between them.
    fn comma(&mut self, at: usize) {
        if at.checked_sub(1).and_then(|before| self.bytes.get(before)).is_some_and(u8::is_ascii_digit)
            && let Some((start, end)) = geo::around(self.text, at)
        {
            self.judged(catalogue::GEO, start, end);
        }
    }

    /// Adds the candidate of an anchor, if the parts and the rule of its detector accept it.
    fn judged(&mut self, detectors: &[u16], start: usize, end: usize) {
        let Some(&index) = detectors.first() else { return };
        let (Some(detector), Some(written)) = (catalogue::detector(index), self.text.get(start..end)) else {
            return;
        };
        let Ok((verdict, facts)) = recognise::judge(detector, written) else { return };
        self.keep(Hypothesis {
            verdict,
            facts,
            impersonal: detector.is_impersonal(written),
            check_digits: detector.has_check_digits(0),
            shape: detector.prior().unwrap_or(3.0),
            ..hypothesis(Source::Catalogue(index), start, end)
        });
    }

    fn bare_url(&mut self, start: usize) {
        let (found, end) = url::bare(self.text, start);
        self.done.url = end;
        if found {
            self.url(start, end);
        }
    }

    fn url(&mut self, start: usize, end: usize) {
        let Some(&index) = catalogue::URL.first() else { return };
        let Some(detector) = catalogue::detector(index) else { return };
        let written = self.text.get(start..end).unwrap_or_default();
        self.keep(Hypothesis {
            verdict: Verdict::Valid,
            shape: detector.prior().unwrap_or(1.2),
            check: weight_of(Verdict::Valid, detector, &Facts::default(), 0),
            impersonal: !url::is_personal(written),
            ..hypothesis(Source::Catalogue(index), start, end)
        });
    }

    fn iban(&mut self, start: usize) {
        let Some(&index) = catalogue::IBAN.first() else { return };
        let (Some(iban), Some(detector)) = (iban::at(self.text, start), catalogue::detector(index)) else {
            return;
        };
        let iban::Iban { end, compact, broken } = iban;
        let Ok((verdict, facts)) = recognise::judge(detector, compact.as_str()) else { return };
        if broken && verdict != Verdict::Valid {
            return;
        }
        let extra = compact
            .as_str()
            .get(..2)
            .and_then(crate::entity::Country::parse)
            .map_or(Extra::None, Extra::Country);
        self.keep(Hypothesis {
            verdict,
            facts,
            extra,
            check_digits: detector.has_check_digits(0),
            shape: detector.prior().unwrap_or(0.5),
            check: weight_of(verdict, detector, &facts, 0),
            neighbour: self.edge_before(start, end) + self.edge_after(start, end),
            ..hypothesis(Source::Catalogue(index), start, end)
        });
    }

    fn date_in_words(&mut self, year: &Atom) {
        let Some(&index) = catalogue::DATE.first() else { return };
        if !matches!(self.bytes.get(year.start..year.start + 2), Some(b"19" | b"20")) {
            return;
        }
        if let Some((start, date)) = date::ending_with(self.text, year.start, year.end) {
            self.keep(Hypothesis {
                verdict: Verdict::Valid,
                facts: Facts { birth_date: Some(date), ..Facts::default() },
                shape: crate::names::DATE,
                needs_label: true,
                ..hypothesis(Source::Catalogue(index), start, year.end)
            });
        }
    }

    /// Reads the cell that begins directly after a separator.
    fn cell(&mut self, at: usize) {
        if self.bytes.get(at + 1).is_some_and(|next| !next.is_ascii_whitespace()) {
            self.labelled(Joint::Cell, at, at + 1);
        }
    }

    /// Reads the value after a separator, which is the bytes `at..end`.
    fn labelled(&mut self, joint: Joint, at: usize, end: usize) {
        if at < self.done.labelled {
            return;
        }
        let Some(found) = labelled::after(self.text, joint, at, end, &mut self.done.long) else { return };
        let labelled::Value { detectors, start, end, alone, quoted } = found;
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
                && detector.rule.is_none_or(|rule| rule(value).is_ok())
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
    fn credential(&mut self, start: usize, end: usize) {
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
            let facts = detector.rule.map_or(Ok(Facts::default()), |rule| rule(value));
            if let Ok(facts) = facts
                && line.get(value.len()..).is_some_and(ends)
            {
                let shape = detector.prior().unwrap_or(2.0);
                let place = hypothesis(Source::Catalogue(index), start, start + value.len());
                return self.keep(Hypothesis { facts, shape, ..place });
            }
        }
    }

    /// Reserves one of the engine's own tokens, from its first `_`; it may follow a word without a separator.
    fn own_token(&mut self, at: usize) {
        let start = at.wrapping_sub(3);
        if self.bytes.get(start..at) == Some(b"tok")
            && let Some(token) = self.text.get(start..).and_then(token::token)
        {
            self.reserve(start, start + token.len);
        }
    }

    /// Reads a token with a literal prefix, at the start of a word.
    #[inline]
    fn token(&mut self, at: usize) {
        if let Some(head) = self.bytes.get(at..).and_then(|rest| rest.first_chunk())
            && catalogue::may_start(*head)
            && at >= self.done.token
        {
            self.token_with(*head, at);
        }
    }

    /// Reads a token that begins with these three bytes.
    ///
    /// Few words do, so this function is not inlined.
    #[inline(never)]
    fn token_with(&mut self, head: [u8; HEAD], at: usize) {
        let inside = at.checked_sub(1).and_then(|before| self.bytes.get(before));
        if inside.is_some_and(|byte| matches!(byte, b'_' | b'-' | b'.') || byte.is_ascii_alphanumeric()) {
            return;
        }
        for (start, index) in catalogue::starts(head) {
            // a URL is read once, from its start
            if at < self.done.url && start.contains("://") {
                continue;
            }
            let Some(rest) = self.text.get(at..).filter(|rest| rest.starts_with(start)) else { continue };
            let Some(detector) = catalogue::detector(index) else { continue };
            let window = self.unspaced.window(rest, at, start);
            // a URL with a password contains an `@`
            if start.ends_with("://") && !window.contains('@') {
                continue;
            }
            self.work.add(Stage::Recognise, 1);
            let Some(end) = pattern(index, detector)
                .and_then(|pattern| pattern.find(window))
                .map(|found| at + found.end())
            else {
                continue;
            };
            // a longer word is not this token; a prefix of three letters occurs in base64 by chance
            let after = self.bytes.get(end);
            let base64 = |byte: &u8| matches!(byte, b'+' | b'/' | b'=');
            let bare = start.bytes().all(|byte| byte.is_ascii_alphanumeric()) && start.len() == HEAD;
            // a query value follows `=`, and a path segment follows `/`
            if after.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
                || bare && (after.is_some_and(base64) || inside == Some(&b'+'))
            {
                continue;
            }
            let written = self.text.get(at..end).unwrap_or_default();
            let (verdict, facts) = match detector.rule.map(|rule| rule(written)) {
                None => (Verdict::Unchecked, Facts::default()),
                Some(Ok(facts)) => (Verdict::Valid, facts),
                Some(Err(reason @ (Invalid::Checksum | Invalid::Component))) => {
                    (Verdict::Failed(reason), Facts::default())
                }
                Some(Err(Invalid::Format | Invalid::Length)) => continue,
            };
            self.done.token = end;
            self.keep(Hypothesis {
                verdict,
                facts,
                check_digits: detector.has_check_digits(0),
                shape: detector.prior().unwrap_or(4.0) + BEGINNING,
                check: weight_of(verdict, detector, &facts, 0),
                ..hypothesis(Source::Catalogue(index), at, end)
            });
        }
    }

    fn push(&mut self, index: u16, start: usize, end: usize, verdict: Verdict, shape: f32) {
        let Some(detector) = catalogue::detector(index) else { return };
        self.keep(Hypothesis {
            verdict,
            check_digits: detector.has_check_digits(0),
            shape,
            check: weight_of(verdict, detector, &Facts::default(), 0),
            ..hypothesis(Source::Catalogue(index), start, end)
        });
    }

    fn reserve(&mut self, start: usize, end: usize) {
        self.done.token = end;
        self.out.reserved.push((start as u32, end as u32));
    }

    /// Reads a telephone number that begins with this word of a chain.
    ///
    /// A number after `+` or `00` is validated at once, others when the country is known. Words come in
    /// order; `row` is the state from the preceding words.
    fn phones(&mut self, chain: &[Atom], first: usize, row: &mut Row) {
        let number = |atom: &&Atom| atom.digits && !atom.letters;
        let Some(atom) = chain.get(first).filter(number) else { return };
        if first >= row.end {
            // two spaces separate the columns of a table
            let joined = |(last, atom): &(&Atom, &Atom)| {
                number(atom) && atom.joint != b':' && (atom.joint != b' ' || atom.start - last.end == 1)
            };
            let pairs = chain.iter().skip(first).zip(chain.iter().skip(first + 1));
            let more = pairs.take_while(joined).count();
            *row = Row { end: first + 1 + more, next: first, begins: true };
        }
        if first < row.next {
            return;
        }
        let last = row.end - 1;
        let before = |back: usize| atom.start.checked_sub(back).and_then(|at| self.bytes.get(at));
        let plus = before(1) == Some(&b'+') || before(1) == Some(&b'(') && before(2) == Some(&b'+');
        let word = self.bytes.get(atom.start..atom.end).unwrap_or_default();
        let trunk = word.starts_with(b"0") || before(1) == Some(&b'(');
        let found = match plus || word.starts_with(b"00") {
            true => self.international(chain, first, last, plus),
            false if row.begins || trunk => self.local(chain, first, last),
            false => None,
        };
        row.begins = found.is_some();
        row.next = found.unwrap_or(first) + 1;
    }

    /// Reads a number in international notation that begins with this word; returns the index of its last
    /// word.
    fn international(&mut self, chain: &[Atom], first: usize, last: usize, plus: bool) -> Option<usize> {
        let begin = chain.get(first)?.start;
        let mut best = None;
        for index in (first..=last).take(8) {
            let end = chain.get(index)?.end;
            let Some(digits) = Digits::of(self.bytes.get(begin..end)?) else { break };
            self.work.add(Stage::Recognise, 4);
            let digits = if plus { digits.as_str() } else { digits.as_str().strip_prefix("00")? };
            if let Some(phone) = crate::phone::international(digits) {
                best = Some((index, end, phone));
            }
        }
        let Some((index, end, phone)) = best else {
            if plus {
                self.unplanned(chain, first, last);
            }
            return None;
        };
        let bracket = self.bytes.get(begin.wrapping_sub(2)) == Some(&b'(')
            && begin >= 2
            && self.bytes.get(begin - 1) == Some(&b'+');
        let start = if plus {
            begin - 1 - usize::from(bracket && self.bytes.get(begin..end)?.contains(&b')'))
        } else {
            begin
        };
        self.phone(phone, start, end, if plus { 2.5 } else { 1.5 }, self.edge_after(start, end));
        Some(index)
    }

    /// Adds a number in international notation that is not in a numbering plan: new ranges, and numbers
    /// reserved for fiction.
    fn unplanned(&mut self, chain: &[Atom], first: usize, last: usize) {
        let (Some(&index), Some(begin)) = (catalogue::PHONE.first(), chain.get(first)) else { return };
        let Some(end) = chain.get(last.min(first + 7)).map(|atom| atom.end) else { return };
        let Some(digits) = self.bytes.get(begin.start..end).and_then(Digits::of) else { return };
        if (9..=15).contains(&digits.len) && !digits.as_str().starts_with('0') && !is_filler(digits.as_str())
        {
            let neighbour = self.edge_after(begin.start, end);
            let country = crate::phone::country(digits.as_str());
            self.keep(Hypothesis {
                shape: 1.0,
                neighbour,
                extra: country.map_or(Extra::None, Extra::Country),
                ..hypothesis(Source::Catalogue(index), begin.start - 1, end)
            });
        }
    }

    fn phone(&mut self, phone: Phone, start: usize, end: usize, shape: f32, neighbour: f32) {
        let Some(&index) = catalogue::PHONE.first() else { return };
        self.keep(Hypothesis {
            verdict: Verdict::Valid,
            extra: Extra::Phone(phone),
            shape,
            neighbour,
            ..hypothesis(Source::Catalogue(index), start, end)
        });
    }

    /// Reads a number in national notation that begins with this word; returns the index of the last word of
    /// the longest one.
    fn local(&mut self, chain: &[Atom], first: usize, last: usize) -> Option<usize> {
        let &index = catalogue::PHONE.first()?;
        let begin = chain.get(first)?.start;
        // a date is not a telephone number; the word after it may begin one
        if self.bytes.get(begin..).is_some_and(date::begins) {
            return Some(last.min(first + 2));
        }
        let year =
            matches!(self.bytes.get(begin..begin + 5), Some([b'1' | b'2', b'9' | b'0', _, _, b'-' | b'/']));
        let mut longest = None;
        // the longest one, and up to two shorter ones
        for at in (first..=last.min(first + 6)).rev() {
            let end = chain.get(at)?.end;
            let written = self.bytes.get(begin..end)?;
            if written.len() < 7 {
                break;
            }
            let Some(digits) = Digits::of(written).filter(|digits| (7..=15).contains(&digits.len)) else {
                continue;
            };
            if longest.is_some_and(|longest| at + 2 < longest) || is_filler(digits.as_str()) {
                break;
            }
            // an unpaired bracket belongs to the surrounding text
            let opens = written.iter().filter(|byte| **byte == b'(').count();
            let closes = written.iter().filter(|byte| **byte == b')').count();
            let led = begin.checked_sub(1).and_then(|at| self.bytes.get(at)) == Some(&b'(');
            if opens + usize::from(led) < closes || opens > closes {
                continue;
            }
            self.work.add(Stage::Recognise, 4);
            self.out.labels.around(begin, end, &mut self.contexts);
            // digits without separators need a label or context word of telephone numbers
            if at == first && !self.contexts.uses.mention(index) {
                break;
            }
            longest = longest.or(Some(at));
            let bracket = written.contains(&b')')
                && begin.checked_sub(1).and_then(|at| self.bytes.get(at)) == Some(&b'(');
            let stretch = Stretch { chain, first, last: at, start: begin, end };
            let neighbour = if bracket { self.edge_after(begin, end) } else { self.neighbour(&stretch) };
            // dots and dashes, or a year and a separator: the number of a drawing, a shelf or a file
            let joint =
                |joint| chain.get(first + 1..=at).unwrap_or_default().iter().any(|atom| atom.joint == joint);
            let filed = year || joint(b'.') && joint(b'-');
            let sizes = || chain.get(first..=at).unwrap_or_default().iter().map(|atom| atom.end - atom.start);
            // `654.859.060` may be a large number
            let grouped = sizes().skip(1).all(|size| size == 3)
                && chain.get(first + 1..=at).unwrap_or_default().iter().all(|atom| atom.joint == b'.');
            let form = if filed {
                FILED
            } else if grouped && at > first {
                GROUPED
            } else {
                0.0
            };
            let mut guess = Hypothesis {
                neighbour: neighbour + form,
                ..hypothesis(Source::Catalogue(index), begin - usize::from(bracket), end)
            };
            weigh::apply(&mut guess, index, &self.contexts);
            let named = guess.named;
            let groups = (at - first + 1) as u8;
            let north_american = !joint(b' ') && sizes().eq([3, 3, 4]);
            self.out.local_numbers.push(LocalNumber {
                north_american,
                area_in_brackets: bracket,
                russian: joint(b'-') && digits.as_str().starts_with('8') && sizes().eq([1, 3, 3, 2, 2]),
                digits: digits.bytes,
                len: digits.len as u8,
                groups,
                guess,
                named,
            });
        }
        longest
    }
}

/// Whether the compact value of a text begins with a literal, in upper case.
fn begins_with(written: &str, literal: &str) -> bool {
    Compact::new(written, "", false).is_some_and(|compact| compact.as_str().starts_with(literal))
}

/// Whether the compact value of a text may begin with a literal: a letter beyond ASCII may become any letter.
#[inline]
fn may_begin(written: &str, literal: &str) -> bool {
    if literal.is_empty() {
        return true;
    }
    let mut letters = written.bytes().take_while(u8::is_ascii).zip(literal.bytes());
    letters.all(|(letter, wanted)| letter.to_ascii_uppercase() == wanted)
}

/// Whether a value is a filler, one digit repeated: six times, or four zeros.
fn is_filler(value: &str) -> bool {
    let mut characters = value.bytes().filter(|byte| byte.is_ascii_alphanumeric());
    let Some(first) = characters.next().filter(u8::is_ascii_digit) else { return false };
    let mut count = 1;
    characters.all(|byte| {
        count += 1;
        byte == first
    }) && count >= if first == b'0' { 4 } else { 6 }
}

/// Whether a unit or a currency follows, so that the number is an amount.
fn is_amount(after: &str) -> bool {
    const UNITS: &str = "% b byte bytes czk directories eur euro files gb gbp hits items kb kg km kč lines mb ms ns pages people \
        pixels pln px rows times tokens usd users zł";
    let after = after.strip_prefix([' ', '\u{a0}']).unwrap_or(after);
    match after.bytes().next() {
        Some(b'%') => return true,
        Some(first) if first.is_ascii_alphabetic() => {}
        Some(0x80..) if after.starts_with('€') => return true,
        // no unit begins with this byte
        _ => return false,
    }
    // one byte longer than the longest unit: a word that fills it is not a unit
    let mut unit = [0; 12];
    let mut length = 0;
    for letter in after.chars().take_while(|letter| letter.is_alphanumeric()).map(lower) {
        let Some(place) = unit.get_mut(length..length + letter.len_utf8()) else { return false };
        letter.encode_utf8(place);
        length += letter.len_utf8();
    }
    let unit = unit.get(..length).unwrap_or_default();
    order::find_word(UNITS, |known| known.cmp(unit)).is_some()
}

/// Whether source code assigns this value to a constant: `MAX_CALLS = 2147483648,` at the end of a line.
fn is_constant(before: &str, after: &str) -> bool {
    let Some(name) = before.trim_end_matches(' ').strip_suffix('=') else { return false };
    let closed = after.strip_prefix([',', ';']);
    let next = closed.unwrap_or(after).trim_start_matches(' ');
    // the last member of an enumeration has no comma
    let ends = next.trim_start().starts_with('}')
        || closed.is_some() && (next.is_empty() || next.starts_with(['\r', '\n', '/']));
    if !ends {
        return false;
    }
    let name = name.trim_end_matches(' ').bytes().rev();
    let mut name = name.take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').peekable();
    name.peek().is_some() && !name.any(|byte| byte.is_ascii_lowercase())
}

/// Returns the number of digits before an extension: `2671x12`, `2671ext12`. Identifiers have an upper-case
/// `X`.
fn before_extension(word: &str) -> Option<usize> {
    let digits = word.bytes().position(|byte| !byte.is_ascii_digit()).filter(|digits| *digits >= 3)?;
    let (_, rest) = word.split_at_checked(digits)?;
    let extension = rest.strip_prefix("ext").or_else(|| rest.strip_prefix('x'))?;
    let whole = (1..=5).contains(&extension.len()) && extension.bytes().all(|byte| byte.is_ascii_digit());
    whole.then_some(digits)
}

/// Whether the expiry month and year of a card follow its number: `/12/25`, ` 12/2025`, `:12:25`.
fn is_expiry(behind: &[u8]) -> bool {
    let [joint, b'0'..=b'1', b'0'..=b'9', sign, year @ ..] = behind else { return false };
    let digits = year.iter().take(5).take_while(|byte| byte.is_ascii_digit()).count();
    matches!(joint, b' ' | b'/' | b'-' | b':' | b',' | b';')
        && (*sign == b'/' || sign == joint)
        && matches!(digits, 2 | 4)
}

/// Returns the penalty for adjacent digits, which is higher for a number in groups.
fn row(spaced: bool) -> f32 {
    if spaced { -2.5 } else { -1.0 }
}

/// Consecutive words of a chain.
#[derive(Clone, Copy)]
struct Stretch<'c> {
    chain: &'c [Atom],
    first: usize,
    last: usize,
    start: usize,
    end: usize,
}

/// Consecutive words of digits only, with the state of the search for telephone numbers.
#[derive(Default)]
struct Row {
    /// The word after its last one.
    end: usize,
    /// The words before this one belong to numbers already.
    next: usize,
    /// A number in national notation may begin here, as at the start of the row; otherwise it needs a trunk
    /// prefix.
    begins: bool,
}

/// The digits of a telephone number.
struct Digits {
    bytes: [u8; MAX_PHONE],
    len: usize,
}

impl Digits {
    /// `None` if there are too many digits.
    fn of(written: &[u8]) -> Option<Self> {
        let mut digits = Self { bytes: [0; MAX_PHONE], len: 0 };
        for byte in written.iter().filter(|byte| byte.is_ascii_digit()) {
            *digits.bytes.get_mut(digits.len)? = *byte;
            digits.len += 1;
        }
        Some(digits)
    }

    fn as_str(&self) -> &str {
        self.bytes.get(..self.len).and_then(|digits| std::str::from_utf8(digits).ok()).unwrap_or_default()
    }
}

/// Creates a candidate without evidence.
pub(crate) fn hypothesis(source: Source, start: usize, end: usize) -> Hypothesis {
    Hypothesis {
        source,
        start: start as u32,
        end: end as u32,
        verdict: Verdict::Unchecked,
        facts: Facts::default(),
        extra: Extra::None,
        check_digits: false,
        named: false,
        needs_label: false,
        shape: 0.0,
        check: 0.0,
        label: Signal::default(),
        near: Signal::default(),
        country: 0.0,
        neighbour: 0.0,
        unlabelled: 0.0,
        impersonal: false,
    }
}

/// The range last searched for white space, so that no text is read twice.
#[derive(Default)]
struct Unspaced {
    /// The start of a range without white space; `end` is its end.
    start: usize,
    end: usize,
    /// White space follows at `end`.
    closed: bool,
}

impl Unspaced {
    /// Cuts the text that a token's pattern is matched against; `rest` begins at `at` with the literal prefix.
    ///
    /// A token ends at white space. A token of several lines has up to [`MAX_TOKEN`] bytes and does not contain its own
    /// prefix again; the name on a card contains spaces.
    fn window<'r>(&mut self, rest: &'r str, at: usize, prefix: &str) -> &'r str {
        let cut = |end: usize| rest.get(..rest.floor_char_boundary(end)).unwrap_or(rest);
        if prefix.starts_with("-----") || prefix.starts_with("PuTTY-") {
            let window = cut(MAX_TOKEN);
            let again = window.get(prefix.len()..).and_then(|behind| behind.find(prefix));
            return cut(again.map_or(window.len(), |end| prefix.len() + end));
        }
        if prefix.starts_with("%B") {
            let window = cut(MAX_CARD_TRACK);
            let ends = |letter: char| letter.is_whitespace() && letter != ' ';
            return cut(window.find(ends).unwrap_or(window.len()));
        }
        let (from, limit) = (at + prefix.len(), (at + MAX_TOKEN).min(at + rest.len()));
        if from < self.start || from > self.end {
            *self = Self { start: from, end: from, closed: false };
        }
        if !self.closed && self.end < limit {
            let unread = rest.get(self.end - at..rest.floor_char_boundary(limit - at)).unwrap_or_default();
            let space = unread.find(char::is_whitespace);
            self.end += space.unwrap_or(unread.len());
            self.closed = space.is_some();
        }
        cut(self.end.min(limit) - at)
    }
}

/// The compiled pattern of a detector; compiled once, when it is first needed.
pub(crate) fn pattern(index: u16, detector: &Detector) -> Option<&'static Regex> {
    static PATTERNS: [OnceLock<Option<Regex>>; DETECTORS.len()] =
        [const { OnceLock::new() }; DETECTORS.len()];
    let compile = || Regex::new(&format!("^(?:{})", detector.pattern()?)).ok();
    PATTERNS.get(usize::from(index))?.get_or_init(compile).as_ref()
}

/// Whether a pattern matches the whole value.
pub(crate) fn whole(pattern: &Regex, value: &str) -> bool {
    pattern.find(value).is_some_and(|found| found.end() == value.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants() {
        for (before, after, constant) in [
            ("enum { MAX_CALLS = ", ",\n", true),
            ("CALL=", "; // all of them", true),
            ("CALL = ", "\n}", true),
            ("CALL = ", "\nFAX = 2", false),
            ("call = ", ",\n", false),
            ("CALL: ", ",\n", false),
            ("CALL = ", ", or later", false),
            (" = ", ",\n", false),
        ] {
            assert_eq!(is_constant(before, after), constant, "{before} {after}");
        }
    }

    #[test]
    fn amounts_and_fillers() {
        for (after, amount) in [
            (" EUR in loans", true),
            ("ns", true),
            (" Kč.", true),
            (" €", true),
            ("%", true),
            (" zł", true),
            (" in", false),
            (", born", false),
            ("", false),
        ] {
            assert_eq!(is_amount(after), amount, "{after}");
        }
        for (value, filler) in [
            ("000000000", true),
            ("00/00/0000", true),
            ("111111", true),
            ("00000", true),
            ("100000", false),
            ("8.8.8.8", false),
        ] {
            assert_eq!(is_filler(value), filler, "{value}");
        }
    }
}
