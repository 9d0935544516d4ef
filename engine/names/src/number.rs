//! Numbers in words: `thirty-four`, `vierunddreißig`, `treinta y cuatro`.

use crate::{
    signs::Signs,
    table::{Table, may_have},
    token::{self, Token},
};

include!(concat!(env!("OUT_DIR"), "/numbers.rs"));

/// The most words of a number.
pub(crate) const MAX_WORDS: usize = 4;

/// Whether a number in words may begin with a word.
#[inline]
pub(crate) fn may_begin(word: &Token) -> bool {
    word.end - word.start > 1 && word.signs.has(Signs::NUMBER)
}

/// Reads the longest number, from one to ninety-nine, that begins with the word `at`; returns the index after
/// it, and the number; 0 if it means different numbers in different languages.
pub(crate) fn longest(text: &str, tokens: &[Token], at: usize) -> Option<(usize, u8)> {
    token::longest(text, tokens, at, MAX_WORDS, value)
}

/// The number that a phrase is.
pub(crate) fn value(phrase: textveil_phrase::Phrase) -> Option<u8> {
    may_have(&FILTER, phrase).then(|| NUMBERS.get(phrase)).flatten()
}
