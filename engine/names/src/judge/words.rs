//! The features of words: the word, its letters, its case, its entries in the lexicons, and the same of the
//! words around it.

use super::{
    Bits, Features,
    Of::{self, Knowledge, Letters},
    Region, Script, Sums,
};
use crate::{
    Known,
    cues::{self, Says, says},
    inflection::{self, Forms},
    lexicon,
    spelling::each_letter,
    token::{Case, Gap, Token},
};

/// The number of words before and after a word from which its features are read.
pub(super) const AROUND: usize = 2;
/// The number of letters of a word that are read.
const MAX_LETTERS: usize = 24;
/// The longest prefix and suffix, and the suffix of words around.
const MAX_AFFIX: usize = 5;
const TAIL: usize = 3;

/// The meanings of a word that features have.
const SAYS: Says = Says::ANY_TITLE
    .or(Says::TITLE_AFTER)
    .or(Says::ROLE)
    .or(Says::SALUTATION)
    .or(Says::CLOSING)
    .or(Says::INTRODUCTION)
    .or(Says::RELATION)
    .or(Says::LABEL)
    .or(Says::LABEL_CITY)
    .or(Says::LABEL_ORGANIZATION)
    .or(Says::MONTH)
    .or(Says::NEVER)
    .or(Says::THING)
    .or(Says::THING_BEFORE)
    .or(Says::COMMON)
    .or(Says::LEGAL_FORM)
    .or(Says::STREET_BEFORE)
    .or(Says::STREET_AFTER)
    .or(Says::COUNTRY);

/// The meanings of the phrase before a word that features have.
const CUES: Says = Says::ANY_TITLE
    .or(Says::ROLE)
    .or(Says::SALUTATION)
    .or(Says::CLOSING)
    .or(Says::INTRODUCTION)
    .or(Says::PERHAPS)
    .or(Says::RELATION)
    .or(Says::LABEL)
    .or(Says::LABEL_OTHER)
    .or(Says::LABEL_CITY)
    .or(Says::LABEL_BIRTH_PLACE)
    .or(Says::LABEL_ORGANIZATION)
    .or(Says::THING_BEFORE);

/// The features of a word.
#[derive(Clone, Copy, Default)]
pub(super) struct SeenWord {
    word: u32,
    /// Its letter case and length.
    case: u32,
    /// The gap before it.
    gap: u32,
    /// Its entry in the lexicon, and the country in which it is most frequent as a name.
    lexicon: u32,
    country: &'static str,
    /// Its meanings.
    says: u32,
    /// Its last letters.
    tail: u32,
    known: bool,
}

impl SeenWord {
    /// Reads a word, without the gap before it.
    pub fn new<'t>(written: &'t str, token: &Token, is: As, known: &Known, forms: &mut Forms<'t>) -> Self {
        if is != As::Name {
            return Self::context(written, token);
        }
        let letters = Spelling::new(written);
        let (lexicon, country) = lexical(written, token, forms);
        Self {
            lexicon,
            country,
            tail: letters.suffix(TAIL),
            known: known.contains_form(written, token.phrase),
            ..Self::with_letters(token, letters.len)
        }
    }

    /// Reads a word that is no name itself, without the gap before it.
    pub fn context(written: &str, token: &Token) -> Self {
        let (letters, tail) = length_and_tail(written);
        Self { tail, ..Self::with_letters(token, letters) }
    }

    fn with_letters(token: &Token, letters: usize) -> Self {
        Self {
            word: token.phrase.value(),
            case: case(token, letters),
            says: says(token.phrase).and(SAYS).bits(),
            ..Self::default()
        }
    }
}

/// A word, with the sums of the weights of its own features.
#[derive(Clone, Copy, Default)]
pub(super) struct WeighedWord {
    pub seen: SeenWord,
    /// The hash of its last two letters.
    pub pair: u32,
    pub sums: Sums,
}

impl WeighedWord {
    /// Reads a word that may be part of a name; `sum` returns the sums of the weights of features.
    pub fn new(
        written: &str,
        seen: SeenWord,
        with_weights: &Bits,
        sum: impl FnOnce(&Features<'_>) -> Sums,
    ) -> Self {
        let letters = Spelling::new(written);
        Self { seen, pair: letters.suffix(2), sums: sum(&own(&letters, &seen, with_weights)) }
    }

    /// Returns its own features.
    pub fn own<'w>(&self, written: &str, with_weights: &'w Bits) -> Features<'w> {
        own(&Spelling::new(written), &self.seen, with_weights)
    }
}

/// The role of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum As {
    /// It may be part of a name.
    Name,
    /// It may be part of a name together with others only: `van`.
    Particle,
    /// It is beside those that may be part of a name.
    Context,
}

/// Reads the words of a region and those around it with `word`, without the gaps before them.
pub(super) fn read(
    text: &str,
    tokens: &[Token],
    region: &Region,
    words: &mut Vec<WeighedWord>,
    mut word: impl FnMut(&Token, As) -> WeighedWord,
) {
    words.clear();
    let Some(first) = region.units.first().map(|unit| unit.token as usize) else { return };
    let len = region.units.len() + 2 * AROUND;
    words.extend((0..len).map(|index| {
        let at = (first + index).checked_sub(AROUND);
        let Some((at, token)) = at.and_then(|at| Some((at, tokens.get(at)?))) else {
            return WeighedWord::default();
        };
        let is_small =
            token.case == Case::Number || region.script == Script::Cased && token.case == Case::Lower;
        let is_unit = (AROUND..len - AROUND).contains(&index);
        // nothing else matters of the first and the last one
        let is_far = index == 0 || index + 1 == len;
        let mut word = word(
            token,
            match is_unit {
                _ if is_far => As::Context,
                true if is_small => As::Particle,
                false if is_small => As::Context,
                _ => As::Name,
            },
        );
        word.seen.gap = if index < AROUND { token.gap as u32 + 1 } else { gap(text, tokens, at) };
        word
    }));
}

/// The number of normalised letters of a word, as far as they are read, and the hash of the last of them.
fn length_and_tail(written: &str) -> (usize, u32) {
    if !written.is_ascii() {
        let (mut len, mut last) = (0, [0; TAIL]);
        each_letter(written, &mut |letter| {
            let [_, b, c] = last;
            last = [b, c, letter as u32];
            len += 1;
            (len < MAX_LETTERS).then_some(())
        });
        return (len, hash(last.into_iter().skip(TAIL - len.min(TAIL))));
    }
    let letters = written.as_bytes();
    let letters = letters.get(..MAX_LETTERS).unwrap_or(letters);
    let tail = letters.get(letters.len().saturating_sub(TAIL)..).unwrap_or_default();
    (letters.len(), hash(tail.iter().map(|letter| u32::from(letter.to_ascii_lowercase()))))
}

/// The normalised letters of a word.
#[derive(Clone, Copy, Default)]
struct Spelling {
    letters: [u32; MAX_LETTERS],
    len: usize,
}

impl Spelling {
    fn new(written: &str) -> Self {
        let mut word = Self::default();
        if written.is_ascii() {
            for (place, letter) in word.letters.iter_mut().zip(written.bytes()) {
                *place = u32::from(letter.to_ascii_lowercase());
                word.len += 1;
            }
            return word;
        }
        each_letter(written, &mut |letter| {
            *word.letters.get_mut(word.len)? = letter as u32;
            word.len += 1;
            Some(())
        });
        word
    }

    fn prefix(&self, len: usize) -> u32 {
        hash(self.letters.iter().take(self.len.min(len)).copied())
    }

    fn suffix(&self, len: usize) -> u32 {
        hash(self.letters.iter().take(self.len).skip(self.len.saturating_sub(len)).copied())
    }
}

fn hash(letters: impl Iterator<Item = u32>) -> u32 {
    letters.fold(0x811c_9dc5, |hash, letter| (hash ^ letter).wrapping_mul(0x0100_0193))
}

/// The letter case of a word, with its length.
fn case(token: &Token, letters: usize) -> u32 {
    let length = match letters {
        0..=1 => 1,
        2..=3 => letters as u32,
        4..=5 => 4,
        6..=8 => 5,
        _ => 6,
    };
    (token.case as u32 + 1) * 8 + length
}

/// The gap before a word: its kind, and the characters at its ends.
fn gap(text: &str, tokens: &[Token], at: usize) -> u32 {
    let Some(token) = tokens.get(at) else { return 0 };
    let end = at.checked_sub(1).and_then(|last| tokens.get(last)).map_or(0, |last| last.end);
    let kind = token.gap as u32 + 1;
    if token.start.saturating_sub(end) < 2 && token.gap != Gap::Other && token.gap != Gap::Line {
        return kind;
    }
    let between = text.get(end as usize..token.start as usize).unwrap_or_default().as_bytes();
    let breaks = between.iter().filter(|byte| **byte == b'\n').count().min(2) as u32;
    let sign = |byte: Option<&u8>| byte.map_or(0, |byte| u32::from(*byte));
    let is_sign = |byte: &&u8| !byte.is_ascii_whitespace();
    let (first, last) = (sign(between.iter().find(is_sign)), sign(between.iter().rev().find(is_sign)));
    let spaced = u32::from(between.last().is_some_and(u8::is_ascii_whitespace));
    kind | breaks << 4 | spaced << 6 | first << 8 | last << 16
}

/// The entry of a word in the lexicon: how usual it is as a name, and as the name of a city; and the country in which
/// the name is most frequent.
fn lexical<'t>(written: &'t str, token: &Token, forms: &mut Forms<'t>) -> (u32, &'static str) {
    let own = lexicon::lookup(token.phrase);
    let is_name = own.is_some_and(|(kind, _)| kind.name() > 0);
    let form = if is_name { None } else { forms.get(token, inflection::known) };
    let country = own.map_or("", |(_, country)| country);
    let Some((kind, _)) = form.or(own) else { return (1, country) };
    let flags = u32::from(kind.word)
        | u32::from(kind.accented && written.is_ascii()) << 1
        | u32::from(form.is_some()) << 2;
    let lexicon =
        2 | u32::from(kind.given) << 2 | u32::from(kind.family) << 4 | u32::from(kind.city) << 6 | flags << 8;
    (lexicon, country)
}

/// The features of a word that are its own.
fn own<'w>(letters: &Spelling, c: &SeenWord, with_weights: &'w Bits) -> Features<'w> {
    let mut list = Features::new(with_weights);
    list.add(0, Knowledge, [c.case, 0, 0]);
    list.add(1, Letters, [c.word, 0, 0]);
    list.add(25, Knowledge, [c.lexicon, 0, 0]);
    list.add(33, Knowledge, [c.says, 0, 0]);
    list.add(42, Letters, [c.tail, c.case, 0]);
    list.add(43, Letters, [c.tail, c.lexicon, 0]);
    list.add(48, Of::known(c.known), [u32::from(c.known), c.lexicon, c.case]);
    for len in 1..=MAX_AFFIX.min(letters.len) {
        list.add(50 + len as u32, Letters, [letters.prefix(len), 0, 0]);
        list.add(60 + len as u32, Letters, [letters.suffix(len), 0, 0]);
    }
    list
}

/// Calls `take` with each word of a region and its features that are not its own: those of the words around it and
/// those of several words.
pub(super) fn around(
    text: &str,
    tokens: &[Token],
    region: &Region,
    words: &[WeighedWord],
    with_weights: &Bits,
    mut take: impl FnMut(&WeighedWord, &Features<'_>),
) {
    let Some(first) = region.units.first().map(|unit| unit.token as usize) else { return };
    let len = region.units.len();
    let shouts = region.units.iter().all(|unit| {
        tokens.get(unit.token as usize).is_some_and(|token| matches!(token.case, Case::Upper | Case::Initial))
    });
    for (unit, around) in words.windows(2 * AROUND + 1).enumerate() {
        let [
            WeighedWord { seen: a2, .. },
            WeighedWord { seen: a1, .. },
            word,
            WeighedWord { seen: b1, .. },
            WeighedWord { seen: b2, .. },
        ] = around
        else {
            return;
        };
        let c = &word.seen;
        let at = first + unit;
        let mut list = Features::new(with_weights);
        let position = match region.script {
            // the edges of a window say nothing of a word
            Script::Small => 8,
            Script::Opening => 9,
            _ => u32::from(unit == 0) | u32::from(unit + 1 == len) << 1 | u32::from(shouts) << 2,
        };
        list.add(2, Letters, [a1.word, 0, 0]);
        list.add(3, Letters, [b1.word, 0, 0]);
        list.add(4, Letters, [a2.word, 0, 0]);
        list.add(5, Letters, [b2.word, 0, 0]);
        list.add(6, Letters, [a1.word, c.word, 0]);
        list.add(7, Letters, [c.word, b1.word, 0]);
        list.add(10, Letters, [a1.word, c.case, 0]);
        list.add(11, Letters, [b1.word, c.case, 0]);
        list.add(12, Letters, [a1.word, c.lexicon, 0]);
        list.add(13, Letters, [b1.word, c.lexicon, 0]);
        list.add(16, Knowledge, [a1.case, c.case, b1.case]);
        list.add(18, Knowledge, [c.case, b1.case, b2.case]);
        list.add(19, Knowledge, [c.gap, 0, 0]);
        list.add(20, Knowledge, [b1.gap, 0, 0]);
        list.add(21, Knowledge, [c.gap, c.case, a1.case]);
        list.add(22, Knowledge, [b1.gap, c.case, b1.case]);
        list.add(24, Letters, [c.gap, c.word, 0]);
        list.add(26, Knowledge, [a1.lexicon, 0, 0]);
        list.add(27, Knowledge, [b1.lexicon, 0, 0]);
        list.add(28, Knowledge, [a1.lexicon, c.lexicon, c.gap & 15]);
        list.add(29, Knowledge, [c.lexicon, b1.lexicon, b1.gap & 15]);
        list.add(30, Knowledge, [a1.lexicon, c.lexicon, b1.lexicon]);
        list.add(31, Knowledge, [c.lexicon, c.gap, 0]);
        list.add(32, Knowledge, [c.lexicon, c.case, position]);
        list.add(34, Knowledge, [a1.says, c.gap & 15, 0]);
        list.add(35, Knowledge, [b1.says, b1.gap & 15, 0]);
        list.add(37, Letters, [a1.tail, 0, 0]);
        list.add(38, Letters, [b1.tail, 0, 0]);
        list.add(41, Knowledge, [position, c.case, 0]);
        let cue = cues::before(text, tokens, at, CUES);
        let cue = cue.map_or(0, |cue| cue.says.bits() | (cue.words.min(2) as u32) << 29);
        list.add(44, Knowledge, [cue, c.gap & 15, 0]);
        list.add(45, Knowledge, [cue, c.lexicon, 0]);
        list.add(47, Of::known(c.known), [u32::from(c.known), u32::from(a1.known), u32::from(b1.known)]);
        list.add(70, Letters, [word.pair, a1.case, b1.case]);
        if a1.lexicon > 1 && c.lexicon > 1 && a1.gap & 15 != 0 {
            let same = !c.country.is_empty() && c.country == a1.country;
            list.add(46, Knowledge, [u32::from(same), a1.lexicon & 0x3c, c.lexicon & 0x3c]);
        }
        take(word, &list);
    }
}
