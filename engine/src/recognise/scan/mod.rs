//! Finds candidates in one pass over the text, and passes each to the few detectors that it fits.
//!
//! Words without a digit are skipped. Words with a digit, and short words in capitals, form *chains*:
//! neighbours with a single separator between them (`732 829 320`, `800101/1238`, `AB 12 34 56 C`). Each
//! stretch of a chain is folded into a shape's signature as it grows, and looked up; the search stops at the
//! first stretch that is not a prefix of a layout. Other candidates start from an anchor: `@`, `://`, `:`,
//! `=`, the end of a tag, the literal prefix of a token.

mod chain;
mod neighbours;

use textveil_weights::prior as weights;

use crate::{
    api::{facts::Facts, limits::MAX_TEXT_CHARS},
    catalogue::{self, layouts::Layouts, shape::MAX_RUN},
    evidence::{
        candidate::{Candidate, Extra, LocalNumber, Source, Verdict, weight_of},
        labels::{self, Contexts, Labels},
        siblings::Apparent,
        words,
    },
    lexicon,
    phrase::{
        bytes::{DIGIT, HIGH, LOWER, UPPER, class_of},
        case::is_upper,
        is_alone, is_letter,
        work::{Stage, Work},
    },
    recognise::{self, States, custom::CustomLayout, judge},
    text::reread::{divides_number, is_misread, is_spaced_address, is_spaced_out},
};
pub(super) use chain::Stretch;

/// The longest word of a chain, in bytes.
pub(super) const MAX_ATOM: usize = MAX_RUN;
/// The length of text per candidate, in bytes, in a text full of identifiers.
const DENSEST: usize = 12;
/// The highest initial capacity for candidates: enough for the longest text of a call.
const ROOM: usize = MAX_TEXT_CHARS / DENSEST;
/// The minimum number of digits of a telephone number without separators.
const MIN_PHONE: usize = 7;

/// The results of the pass over a text.
#[derive(Debug)]
pub(crate) struct Scan<'t> {
    pub candidates: Vec<Candidate>,
    pub local_numbers: Vec<LocalNumber>,
    /// Ranges that no finding may overlap: the engine's own tokens and placeholders.
    pub reserved: Vec<(u32, u32)>,
    /// The details of the names and addresses among the candidates.
    pub named: Vec<textveil_names::Candidate>,
    /// Numbers in words.
    pub dictated: Vec<textveil_names::Candidate>,
    /// Places of values that a scanner or markup may have broken, in order.
    pub broken: Vec<u32>,
    /// The labels that have been read.
    pub labels: Labels<'t>,
}

/// A word of a chain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Atom {
    pub start: usize,
    pub end: usize,
    /// The separator before it.
    pub joint: u8,
    pub digits: bool,
    pub letters: bool,
}

/// Scans the text once, from `from` on.
///
/// `shapes` are the caller's own layouts, sorted by signature, and `labels` are those of the text.
pub(crate) fn scan<'t>(
    text: &'t str,
    from: usize,
    shapes: &'t [CustomLayout],
    labels: Labels<'t>,
    work: &'t Work,
) -> Scan<'t> {
    work.add(Stage::Scan, text.len() - from.min(text.len()));
    // code optimised for size grows the vectors on demand: few texts need the memory
    let room = if cfg!(small) { 0 } else { (text.len() / DENSEST).min(ROOM) };
    let mut scanner = Scanner {
        text,
        bytes: text.as_bytes(),
        layouts: catalogue::layouts(),
        shapes,
        out: Scan {
            candidates: Vec::with_capacity(room),
            local_numbers: Vec::with_capacity(room),
            reserved: Vec::new(),
            named: Vec::new(),
            dictated: Vec::new(),
            broken: Vec::new(),
            labels,
        },
        chain: Vec::new(),
        contexts: Contexts::default(),
        states: States::default(),
        from,
        work,
    };
    scanner.run(from);
    scanner.out
}

/// The pass over a text: the walk and the chains are here, each kind of value in a module of `recognise`.
pub(super) struct Scanner<'t> {
    pub text: &'t str,
    pub bytes: &'t [u8],
    layouts: &'static Layouts,
    shapes: &'t [CustomLayout],
    pub out: Scan<'t>,
    chain: Vec<Atom>,
    /// The labels and context words near the current candidate.
    pub contexts: Contexts<'t>,
    /// The state of each recogniser.
    pub states: States,
    /// The start of the scanned part of the text.
    pub from: usize,
    pub work: &'t Work,
}

/// A word that the walk has read.
#[derive(Clone, Copy)]
pub(super) struct ScannedWord {
    pub start: usize,
    pub end: usize,
    /// The classes of its bytes.
    pub class: u8,
    /// It is in no chain: it has a lower-case letter, no digit, and no adjacent separator.
    pub plain: bool,
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
                recognise::at_start(self, start);
                if !self.is_number_sign(start) {
                    self.close_chain();
                }
                recognise::at_word(self, ScannedWord { start, end: at, class, plain });
            } else {
                self.word(start, at, class);
            }
        }
        self.close_chain();
        recognise::at_end(self, from);
    }

    /// Handles a byte between words, which may be an anchor.
    fn mark(&mut self, at: usize, byte: u8) {
        match byte {
            b'@' => self.broken(at, is_spaced_address(self.bytes, at)),
            b'>' => self.broken(at, divides_number(self.bytes, at)),
            _ => {}
        }
        recognise::at_mark(self, at, byte);
    }

    #[inline]
    fn word(&mut self, start: usize, end: usize, class: u8) {
        recognise::at_start(self, start);
        recognise::at_word(self, ScannedWord { start, end, class, plain: false });
        if class & DIGIT == 0 && self.is_number_sign(start) {
            return;
        }
        if class & HIGH == 0 {
            self.atom(start, end, class);
            if class == DIGIT && end - start == 1 {
                self.broken(start, is_spaced_out(self.bytes, start));
            }
            if class & DIGIT != 0 && class != DIGIT {
                self.broken(start, is_misread(self.bytes, start, end));
                self.glued(start, end);
            }
        } else if class & DIGIT != 0 || end - start <= 8 {
            self.word_beyond_ascii(start, end);
        } else {
            self.close_chain();
        }
    }

    /// Notes the place of a value that may be broken.
    #[inline]
    fn broken(&mut self, at: usize, is_broken: bool) {
        if is_broken {
            self.out.broken.push(at as u32);
        }
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
        let is_number = |digits: &usize| self.chain.len() > 1 || *digits >= MIN_PHONE;
        let is_date = |_: &usize| self.chain.len() > 2 && last.joint == b'-';
        let end_of_number = before_extension(word).or(before_word(word)).filter(is_number);
        let is_dotted_date = |_: &usize| self.chain.len() > 2;
        let end_of_number = end_of_number
            .or(before_time(word).filter(is_date))
            .or(before_mark_of_year(word).filter(is_dotted_date));
        if let Some(len) = end_of_number {
            self.chain.pop();
            let letters = self.bytes.get(start + len - 1).is_some_and(u8::is_ascii_alphabetic);
            self.chain.push(Atom { end: start + len, letters, ..last });
            self.close_chain();
        }
        // after a dash a label is part of a longer word
        let value = labels::glued(word).or_else(|| self.area_code(word, end));
        let value = value.filter(|_| matches!(last.joint, 0 | b' '));
        let Some(start) = value.map(|value| start + value) else { return };
        let class = self.bytes.get(start..end).unwrap_or_default().iter();
        self.close_chain();
        self.atom(start, end, class.fold(0, |class, byte| class | class_of(*byte)));
        // `PESEL44051401359Nazwisko`
        self.glued(start, end);
    }

    /// Returns the start of the area code at the end of a word, if a telephone number in North American notation begins
    /// with it: `data630-555-0111`.
    fn area_code(&self, word: &str, end: usize) -> Option<usize> {
        let letters = word.bytes().take_while(u8::is_ascii_lowercase).count();
        let is_area = |code: &str| code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_digit());
        let behind = self.bytes.get(end..end + 9)?.iter();
        let is_number = behind.zip(b"-000-0000").all(|(byte, form)| match form {
            b'0' => byte.is_ascii_digit(),
            _ => byte == form,
        });
        let is_whole =
            !self.bytes.get(end + 9).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'-');
        let code = word.get(letters..).filter(|code| is_area(code) && is_number && is_whole && letters >= 3);
        code.map(|_| letters)
    }

    /// Splits a word with bytes outside ASCII at every character that is not a letter, and at letters of
    /// scripts without spaces: `身份证号110105…` is a label and its value.
    fn word_beyond_ascii(&mut self, start: usize, end: usize) {
        let Some(word) = self.text.get(start..end) else { return };
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
                        recognise::at_start(self, start + at);
                    }
                    0
                }
                _ if is_letter(letter) => LOWER | HIGH,
                _ => 0,
            };
            // digits end a word with letters beyond ASCII, such as a label: `RČ8001011238`; and a word of a text that lost
            // its spaces ends a number: `1238Pojišťovna`
            let begins_word = |of| of & UPPER != 0 && word.get(at..).is_some_and(begins_with_capital);
            let next = match of {
                0 => Some(start + at + letter.len_utf8()),
                DIGIT if class & HIGH != 0 => Some(start + at),
                of if class == DIGIT && begins_word(of) => Some(start + at),
                _ => None,
            };
            if let Some(next) = next {
                if class != 0 {
                    self.atom(from, start + at, class);
                }
                if of & UPPER != 0 {
                    self.close_chain();
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
        recognise::at_atom(self, ScannedWord { start, end, class, plain: false });
        if !keeps {
            return self.close_chain();
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

    /// Whether a word is next to a mark that may connect it to another word.
    #[inline]
    fn is_tight(&self, start: usize, end: usize) -> bool {
        let tight = |at: Option<&u8>| at.is_some_and(|byte| matches!(byte, b':' | b'-' | b'.'));
        tight(self.bytes.get(end)) || tight(start.checked_sub(1).and_then(|before| self.bytes.get(before)))
    }

    fn is_upper(&self, at: usize) -> bool {
        self.bytes.get(at).is_some_and(u8::is_ascii_uppercase)
    }

    /// Counts the steps of a recogniser, such as the bytes that it reads.
    #[inline]
    pub(super) fn count(&self, steps: usize) {
        self.work.add(Stage::Recognise, steps);
    }

    /// Adds a candidate that starts from an anchor, with the evidence of nearby labels.
    pub(super) fn keep(&mut self, mut candidate: Candidate) {
        if let Source::Catalogue(index) = candidate.source {
            let (start, end) = (candidate.start as usize, candidate.end as usize);
            self.out.labels.around(start, end, &mut self.contexts);
            words::apply(&mut candidate, index, &self.contexts);
            let country = if let Extra::Phone(phone) = candidate.extra { phone.country } else { None };
            self.out.labels.tell(start, end, &self.contexts, Apparent { country, ..Apparent::default() });
        }
        self.out.candidates.push(candidate);
    }

    /// Adds the candidate of an anchor, if the parts and the rule of its detector accept it.
    pub(super) fn judged(&mut self, detectors: &[u16], start: usize, end: usize) {
        let Some(&index) = detectors.first() else { return };
        let (Some(detector), Some(written)) = (catalogue::detector(index), self.text.get(start..end)) else {
            return;
        };
        let Ok((verdict, facts)) = judge(detector, written) else { return };
        self.keep(Candidate {
            verdict,
            facts,
            impersonal: detector.is_impersonal(written),
            check_digits: detector.has_check_digits(0),
            shape: detector.prior().unwrap_or(weights::ANCHORED),
            ..Candidate::new(Source::Catalogue(index), start, end)
        });
    }

    /// Adds a candidate of this detector.
    pub(super) fn push(&mut self, index: u16, start: usize, end: usize, verdict: Verdict, shape: f32) {
        let Some(detector) = catalogue::detector(index) else { return };
        self.keep(Candidate {
            verdict,
            check_digits: detector.has_check_digits(0),
            shape,
            check: weight_of(verdict, detector, &Facts::default(), 0),
            ..Candidate::new(Source::Catalogue(index), start, end)
        });
    }
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

/// Whether a text begins with a capital and a small letter.
fn begins_with_capital(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(is_upper) && letters.next().is_some_and(char::is_lowercase)
}

/// Returns the length of a number before the next word of a text that lost its spaces: `7796Patient`, `3000BIC`. A capital
/// before another one is its check letter: `12345678ZNombre`.
fn before_word(word: &str) -> Option<usize> {
    let digits = word.bytes().position(|byte| !byte.is_ascii_digit()).filter(|digits| *digits > 0)?;
    let next = word.get(digits..)?;
    let is_small = |rest: &[u8]| rest.len() > 1 && rest.iter().all(u8::is_ascii_lowercase);
    let is_capitalised = |next: &[u8]| matches!(next, [b'A'..=b'Z', rest @ ..] if is_small(rest));
    match next.as_bytes() {
        next if is_capitalised(next) => Some(digits),
        [letter, next @ ..] if letter.is_ascii_uppercase() && is_capitalised(next) => Some(digits + 1),
        _ => (next.len() > 2 && lexicon::is_label(next)).then_some(digits),
    }
}

/// Returns the number of digits of a day before a time: `03T00` of `1985-04-03T00:00:00Z` (ISO 8601).
fn before_time(word: &str) -> Option<usize> {
    let is_time = |word: &[u8]| matches!(word, [a, b, b'T' | b't', c, d] if [a, b, c, d].iter().all(|digit| digit.is_ascii_digit()));
    is_time(word.as_bytes()).then_some(2)
}

/// Returns the number of digits of a year before its abbreviation: `03-04-1978r.` in Polish.
fn before_mark_of_year(word: &str) -> Option<usize> {
    let year = word.strip_suffix('r').filter(|year| year.starts_with("19") || year.starts_with("20"))?;
    (year.len() == 4 && year.bytes().all(|byte| byte.is_ascii_digit())).then_some(4)
}

/// Whether a value is a filler, one digit repeated: six times, or four zeros.
pub(super) fn is_filler(value: &[u8]) -> bool {
    let mut characters = value.iter().filter(|byte| byte.is_ascii_alphanumeric());
    let Some(first) = characters.next().filter(|byte| byte.is_ascii_digit()) else { return false };
    let mut count = 1;
    characters.all(|byte| {
        count += 1;
        byte == first
    }) && count >= if *first == b'0' { 4 } else { 6 }
}
