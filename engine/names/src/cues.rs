//! The phrases around names: titles, salutations, labels, and words that are never names.

use textveil_phrase::Phrase;

use crate::{
    table::{Keys, bits, may_have},
    token::{self, Gap, Token},
};

include!(concat!(env!("OUT_DIR"), "/cues.rs"));

/// A set of meanings of a phrase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Says(u32);

impl Says {
    pub const TITLE_MALE: Self = Self(1);
    pub const TITLE_FEMALE: Self = Self(1 << 1);
    /// A title of either gender.
    pub const TITLE: Self = Self(1 << 2);
    /// A title after a name.
    pub const TITLE_AFTER: Self = Self(1 << 3);
    /// A role of a person, before the name.
    pub const ROLE: Self = Self(1 << 4);
    pub const SALUTATION: Self = Self(1 << 5);
    /// The line before a signature.
    pub const CLOSING: Self = Self(1 << 6);
    /// `my name is`.
    pub const INTRODUCTION: Self = Self(1 << 7);
    /// A phrase before names, and before many other words.
    pub const PERHAPS: Self = Self(1 << 8);
    /// `my husband`.
    pub const RELATION: Self = Self(1 << 9);
    pub const LABEL_GIVEN: Self = Self(1 << 10);
    pub const LABEL_FAMILY: Self = Self(1 << 11);
    pub const LABEL_NAME: Self = Self(1 << 12);
    pub const LABEL_ADDRESS: Self = Self(1 << 13);
    pub const LABEL_CITY: Self = Self(1 << 14);
    pub const LABEL_BIRTH_PLACE: Self = Self(1 << 15);
    pub const LABEL_ORGANIZATION: Self = Self(1 << 16);
    /// A label of another type.
    pub const LABEL_OTHER: Self = Self(1 << 17);
    /// A month or a day of the week.
    pub const MONTH: Self = Self(1 << 18);
    /// A word that is never part of a name, even in capitals.
    pub const NEVER: Self = Self(1 << 19);
    /// After a name: the whole is the name of a thing.
    pub const THING: Self = Self(1 << 20);
    /// Before a name: the whole is the name of a thing.
    pub const THING_BEFORE: Self = Self(1 << 21);
    /// An honorific directly after a name.
    pub const HONORIFIC: Self = Self(1 << 22);
    /// A common word of some language.
    pub const COMMON: Self = Self(1 << 23);
    /// A legal form after the name of a company.
    pub const LEGAL_FORM: Self = Self(1 << 24);
    /// A legal form before the name of a company.
    pub const LEGAL_FORM_BEFORE: Self = Self(1 << 25);
    /// `rue`, `ulice`.
    pub const STREET_BEFORE: Self = Self(1 << 26);
    /// A street word that is also a common word.
    pub const STREET_WEAK: Self = Self(1 << 27);
    /// `Street`, `utca`.
    pub const STREET_AFTER: Self = Self(1 << 28);
    /// A word for a flat, a floor or a building.
    pub const UNIT: Self = Self(1 << 29);
    pub const PO_BOX: Self = Self(1 << 30);
    pub const COUNTRY: Self = Self(1 << 31);

    pub const ANY_TITLE: Self = Self::TITLE.or(Self::TITLE_MALE).or(Self::TITLE_FEMALE);
    /// A word that is seldom or never part of a name.
    pub const NO_NAME: Self = Self::COMMON.or(Self::NEVER);
    /// A label of a name.
    pub const LABEL: Self = Self::LABEL_NAME.or(Self::LABEL_GIVEN).or(Self::LABEL_FAMILY);

    /// Whether the set contains one of these meanings.
    pub fn any(self, of: Self) -> bool {
        self.0 & of.0 != 0
    }

    /// Returns the union of two sets.
    pub const fn or(self, of: Self) -> Self {
        Self(self.0 | of.0)
    }

    /// Returns the set as bits.
    pub fn bits(self) -> u32 {
        self.0
    }

    /// Returns the intersection of two sets.
    pub fn and(self, of: Self) -> Self {
        Self(self.0 & of.0)
    }
}

/// Returns the meanings of a word.
#[inline]
pub(crate) fn says(word: Phrase) -> Says {
    if Classes::begin(word).have(1) { meanings(word) } else { Says::default() }
}

/// Returns the meanings of a phrase of any number of words.
pub(crate) fn meanings(phrase: Phrase) -> Says {
    Says(PHRASES.find(phrase).and_then(|at| SAYS.get(at)).copied().unwrap_or_default())
}

/// Whether a phrase that introduces a name may end with a character that is a word of its own.
pub(crate) fn may_introduce(character: Phrase) -> bool {
    may_have(&TOLD_LASTS, character)
}

/// Whether a title after a name may begin with a character that is a word of its own.
pub(crate) fn may_begin_title(character: Phrase) -> bool {
    may_have(&TITLE_FIRSTS, character)
}

/// A phrase next to a word, with its number of words.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cue {
    pub says: Says,
    pub words: usize,
}

impl Cue {
    /// Returns the phrase restricted to these meanings, if it has any of them.
    #[inline]
    fn of(self, counts: Says) -> Option<Self> {
        let says = self.says.and(counts);
        (says != Says::default()).then_some(Self { says, ..self })
    }
}

/// The phrases that end before a word, the shortest first.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cues {
    list: [Cue; MOST_ENDING],
    len: usize,
}

impl Cues {
    /// Returns the longest phrase with any of these meanings, restricted to them.
    pub fn longest(&self, counts: Says) -> Option<Cue> {
        let found = self.list.get(..self.len)?;
        found.iter().rev().find_map(|cue| cue.of(counts))
    }

    fn push(&mut self, cue: Cue) {
        if let Some(place) = self.list.get_mut(self.len) {
            *place = cue;
            self.len += 1;
        }
    }
}

/// The lengths of the phrases that a word may begin or end, one bit per class.
///
/// False positives are possible: words share bits.
#[derive(Clone, Copy)]
struct Classes(u8);

impl Classes {
    /// Returns the classes of the phrases that a word begins.
    #[inline]
    fn begin(word: Phrase) -> Self {
        Self(bits::<{ 2 * CLASSES }, _>(&ENDS, word) & ((1 << CLASSES) - 1))
    }

    /// Returns the classes of the phrases that a word ends.
    #[inline]
    fn end(word: Phrase) -> Self {
        Self(bits::<{ 2 * CLASSES }, _>(&ENDS, word) >> CLASSES)
    }

    /// Whether there are any.
    #[inline]
    fn are_none(self) -> bool {
        self.0 == 0
    }

    /// Whether phrases of this length are among the classes. Long phrases are rare and form one class.
    #[inline]
    fn have(self, words: usize) -> bool {
        self.0 >> (words - 1).min(CLASSES - 1) & 1 == 1
    }

    /// Returns the length of the longest phrase of these classes, in words.
    #[inline]
    fn most(self) -> usize {
        match (u8::BITS - self.0.leading_zeros()) as usize {
            CLASSES => LONGEST,
            words => words,
        }
    }
}

/// Returns the phrases that end before the word `at`, the shortest first.
#[inline]
fn each_before(text: &str, tokens: &[Token], at: usize, mut take: impl FnMut(Cue)) {
    let Some(last) = at.checked_sub(1).and_then(|last| tokens.get(last)) else { return };
    let ending = Classes::end(last.phrase);
    for words in 1..=ending.most().min(at) {
        let Some(phrase) = tokens.get(at - words..at) else { break };
        // a phrase is on one line, without a separator
        if phrase.get(1).is_some_and(|token| match token.gap {
            Gap::Line | Gap::Colon | Gap::Comma => true,
            // `first_name`
            Gap::Other => text.get(..token.start as usize).is_none_or(|before| !before.ends_with('_')),
            _ => false,
        }) {
            break;
        }
        let Some(first) = phrase.first() else { break };
        if !ending.have(words) || !Classes::begin(first.phrase).have(words) {
            continue;
        }
        let says = meanings(token::phrase(text, phrase));
        if says != Says::default() {
            take(Cue { says, words });
        }
    }
}

/// Returns the meanings of all phrases that end before the word `at`.
pub(crate) fn all_before(text: &str, tokens: &[Token], at: usize) -> Cues {
    let mut found = Cues::default();
    each_before(text, tokens, at, |cue| found.push(cue));
    found
}

/// Returns the longest phrase with one of these meanings that ends before the word `at`.
pub(crate) fn before(text: &str, tokens: &[Token], at: usize, counts: Says) -> Option<Cue> {
    let last = at.checked_sub(1).and_then(|last| tokens.get(last))?;
    // many words end no phrase
    if Classes::end(last.phrase).are_none() { None } else { longest_before(text, tokens, at, counts) }
}

#[inline(never)]
fn longest_before(text: &str, tokens: &[Token], at: usize, counts: Says) -> Option<Cue> {
    let mut longest = None;
    each_before(text, tokens, at, |cue| longest = cue.of(counts).or(longest));
    longest
}

/// Returns the longest phrase with one of these meanings that begins with the word `at`.
pub(crate) fn from(text: &str, tokens: &[Token], at: usize, counts: Says) -> Option<Cue> {
    // many words begin no phrase
    if Classes::begin(tokens.get(at)?.phrase).are_none() {
        None
    } else {
        longest_from(text, tokens, at, counts)
    }
}

#[inline(never)]
fn longest_from(text: &str, tokens: &[Token], at: usize, counts: Says) -> Option<Cue> {
    let rest = tokens.get(at..)?;
    let first = rest.first()?;
    let mut found = None;
    // the phrase of the words before `read`
    let (mut phrase, mut read) = (first.phrase, 1);
    let beginning = Classes::begin(first.phrase);
    for (token, words) in rest.iter().zip(1..=beginning.most()) {
        if words > 1 && matches!(token.gap, Gap::Line | Gap::Colon | Gap::Comma) {
            break;
        }
        if beginning.have(words) && Classes::end(token.phrase).have(words) {
            let more = rest.get(read..words).unwrap_or_default();
            phrase = more.iter().fold(phrase, |phrase, token| phrase.with(token.text(text)));
            read = words;
            found = Cue { says: meanings(phrase), words }.of(counts).or(found);
        }
    }
    found
}
