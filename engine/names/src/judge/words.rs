//! The features of words: the word, its letters, its case, its entries in the lexicons, and the same of the
//! words around it.

use super::{
    Features,
    Of::{Knowledge, Letters},
    Region, Script,
};
use crate::{
    Known,
    cues::{self, Says, says},
    inflection, lexicon,
    spelling::each_letter,
    token::{Case, Gap, Token},
};

/// How many words before and after a word its features are read from.
const AROUND: usize = 2;
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

/// What is known of a word.
#[derive(Clone, Copy, Default)]
struct Seen {
    word: u32,
    /// Its letter case and length.
    case: u32,
    /// The gap before it.
    gap: u32,
    /// Its entry in the lexicon.
    lexicon: u32,
    /// Its meanings.
    says: u32,
    /// Its last letters.
    tail: u32,
    known: bool,
}

impl Seen {
    fn new(text: &str, tokens: &[Token], at: usize, script: Script, known: &Known) -> Self {
        let Some(token) = tokens.get(at) else { return Self::default() };
        let written = token.text(text);
        let (letters, tail) = length_and_tail(written);
        let is_context = token.case == Case::Number || script == Script::Cased && token.case == Case::Lower;
        Self {
            word: token.phrase.value(),
            case: case(token, letters),
            gap: gap(text, tokens, at),
            lexicon: if is_context { 0 } else { lexical(written, token) },
            says: says(token.phrase).and(SAYS).bits(),
            tail,
            known: !is_context && known.contains_form(written, token.phrase),
        }
    }
}

/// The number of normalised letters of a word, as far as they are read, and the hash of the last of them.
fn length_and_tail(written: &str) -> (usize, u32) {
    if !written.is_ascii() {
        let letters = Spelling::new(written);
        return (letters.len, letters.suffix(TAIL));
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
    let between = text.get(end as usize..token.start as usize).unwrap_or_default().as_bytes();
    let kind = token.gap as u32 + 1;
    if between.len() < 2 && token.gap != Gap::Other && token.gap != Gap::Line {
        return kind;
    }
    let breaks = between.iter().filter(|byte| **byte == b'\n').count().min(2) as u32;
    let sign = |byte: Option<&u8>| byte.map_or(0, |byte| u32::from(*byte));
    let is_sign = |byte: &&u8| !byte.is_ascii_whitespace();
    let (first, last) = (sign(between.iter().find(is_sign)), sign(between.iter().rev().find(is_sign)));
    let spaced = u32::from(between.last().is_some_and(u8::is_ascii_whitespace));
    kind | breaks << 4 | spaced << 6 | first << 8 | last << 16
}

/// The entry of a word in the lexicon: how usual it is as a name, and as the name of a city.
fn lexical(written: &str, token: &Token) -> u32 {
    let own = lexicon::lookup(token.phrase);
    let is_name = own.is_some_and(|(kind, _)| kind.name() > 0);
    let form = if is_name { None } else { inflection::known(written) };
    let Some((kind, _)) = form.or(own) else { return 1 };
    let flags = u32::from(kind.word)
        | u32::from(kind.accented && written.is_ascii()) << 1
        | u32::from(form.is_some()) << 2;
    2 | u32::from(kind.given) << 2 | u32::from(kind.family) << 4 | u32::from(kind.city) << 6 | flags << 8
}

/// The country in which a name is most frequent.
fn country(token: Option<&Token>) -> Option<&'static str> {
    lexicon::lookup(token?.phrase).map(|(_, country)| country).filter(|country| !country.is_empty())
}

/// Calls `take` with each unit and its features.
pub(super) fn features(
    text: &str,
    tokens: &[Token],
    region: &Region,
    known: &Known,
    take: &mut impl FnMut(usize, &Features),
) {
    let Some(first) = region.units.first().map(|unit| unit.token as usize) else { return };
    let len = region.units.len();
    // with the words around it
    let seen: Vec<Seen> = (0..len + 2 * AROUND)
        .map(|at| {
            (first + at)
                .checked_sub(AROUND)
                .map_or_else(Seen::default, |at| Seen::new(text, tokens, at, region.script, known))
        })
        .collect();
    let shouts = region.units.iter().all(|unit| {
        tokens.get(unit.token as usize).is_some_and(|token| matches!(token.case, Case::Upper | Case::Initial))
    });
    for (unit, around) in seen.windows(2 * AROUND + 1).enumerate() {
        let [a2, a1, c, b1, b2] = around else { return };
        let at = first + unit;
        let mut list = Features::NONE;
        let position = u32::from(unit == 0) | u32::from(unit + 1 == len) << 1 | u32::from(shouts) << 2;
        list.add(0, Knowledge, [c.case, 0, 0]);
        list.add(1, Letters, [c.word, 0, 0]);
        list.add(2, Letters, [a1.word, 0, 0]);
        list.add(3, Letters, [b1.word, 0, 0]);
        list.add(4, Letters, [a2.word, 0, 0]);
        list.add(5, Letters, [b2.word, 0, 0]);
        list.add(6, Letters, [a1.word, c.word, 0]);
        list.add(7, Letters, [c.word, b1.word, 0]);
        list.add(8, Letters, [a2.word, a1.word, 0]);
        list.add(9, Letters, [b1.word, b2.word, 0]);
        list.add(10, Letters, [a1.word, c.case, 0]);
        list.add(11, Letters, [b1.word, c.case, 0]);
        list.add(12, Letters, [a1.word, c.lexicon, 0]);
        list.add(13, Letters, [b1.word, c.lexicon, 0]);
        list.add(14, Knowledge, [a1.case, c.case, 0]);
        list.add(15, Knowledge, [c.case, b1.case, 0]);
        list.add(16, Knowledge, [a1.case, c.case, b1.case]);
        list.add(17, Knowledge, [a2.case, a1.case, c.case]);
        list.add(18, Knowledge, [c.case, b1.case, b2.case]);
        list.add(19, Knowledge, [c.gap, 0, 0]);
        list.add(20, Knowledge, [b1.gap, 0, 0]);
        list.add(21, Knowledge, [c.gap, c.case, a1.case]);
        list.add(22, Knowledge, [b1.gap, c.case, b1.case]);
        list.add(23, Knowledge, [c.gap, b1.gap, 0]);
        list.add(24, Letters, [c.gap, c.word, 0]);
        list.add(25, Knowledge, [c.lexicon, 0, 0]);
        list.add(26, Knowledge, [a1.lexicon, 0, 0]);
        list.add(27, Knowledge, [b1.lexicon, 0, 0]);
        list.add(28, Knowledge, [a1.lexicon, c.lexicon, c.gap & 15]);
        list.add(29, Knowledge, [c.lexicon, b1.lexicon, b1.gap & 15]);
        list.add(30, Knowledge, [a1.lexicon, c.lexicon, b1.lexicon]);
        list.add(31, Knowledge, [c.lexicon, c.gap, 0]);
        list.add(32, Knowledge, [c.lexicon, c.case, position]);
        list.add(33, Knowledge, [c.says, 0, 0]);
        list.add(34, Knowledge, [a1.says, c.gap & 15, 0]);
        list.add(35, Knowledge, [b1.says, b1.gap & 15, 0]);
        list.add(36, Knowledge, [a2.says, a1.says, 0]);
        list.add(37, Letters, [a1.tail, 0, 0]);
        list.add(38, Letters, [b1.tail, 0, 0]);
        list.add(39, Letters, [a1.tail, c.tail, 0]);
        list.add(40, Letters, [c.tail, b1.tail, 0]);
        list.add(41, Knowledge, [position, c.case, 0]);
        list.add(42, Letters, [c.tail, c.case, 0]);
        list.add(43, Letters, [c.tail, c.lexicon, 0]);
        let cue = cues::before(text, tokens, at, CUES);
        let cue = cue.map_or(0, |cue| cue.says.bits() | (cue.words.min(2) as u32) << 29);
        list.add(44, Knowledge, [cue, c.gap & 15, 0]);
        list.add(45, Knowledge, [cue, c.lexicon, 0]);
        if a1.lexicon > 1 && c.lexicon > 1 && a1.gap & 15 != 0 {
            let same = country(tokens.get(at)).is_some_and(|own| {
                at.checked_sub(1).is_some_and(|last| country(tokens.get(last)) == Some(own))
            });
            list.add(46, Knowledge, [u32::from(same), a1.lexicon & 0x3c, c.lexicon & 0x3c]);
        }
        list.add(47, Knowledge, [u32::from(c.known), u32::from(a1.known), u32::from(b1.known)]);
        list.add(48, Knowledge, [u32::from(c.known), c.lexicon, c.case]);
        let letters = Spelling::new(tokens.get(at).map_or("", |token| token.text(text)));
        for len in 1..=MAX_AFFIX.min(letters.len) {
            list.add(50 + len as u32, Letters, [letters.prefix(len), 0, 0]);
            list.add(60 + len as u32, Letters, [letters.suffix(len), 0, 0]);
        }
        list.add(70, Letters, [letters.suffix(2), a1.case, b1.case]);
        take(unit, &list);
    }
}
