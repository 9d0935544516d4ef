//! The words of a text, each with its phrase: the only place that says where a word begins and ends.

use crate::{
    Phrase,
    bytes::{DIGIT, LOWER, UPPER, class_of},
    case::is_upper,
    is_alone, is_letter, is_mark,
};

/// The class of a letter of a script without capitals.
pub const PLAIN: u8 = 32;
/// The class of a letter that is a word of its own.
pub const ALONE: u8 = 64;
/// The class of a combining mark, which goes on with a word and begins none.
const MARK: u8 = 128;

/// A word: a run of letters and digits, or a character of a script without spaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// The first byte after it.
    pub end: usize,
    /// Its letters and digits.
    pub phrase: Phrase,
    /// The class of its first letter: [`LOWER`], [`UPPER`], [`DIGIT`], [`PLAIN`] or [`ALONE`].
    pub first: u8,
    /// The classes of its other letters.
    pub rest: u8,
}

/// Returns the word that begins at a byte of a text; `None` if the character there begins none.
///
/// Without `CASES`, letters beyond ASCII are [`PLAIN`] whatever their case, which takes no table of Unicode.
///
/// ```
/// use textveil_phrase::{Phrase, bytes::{LOWER, UPPER}, words::word_at};
///
/// let word = word_at::<true>("R.č. Šárka", 6).unwrap();
/// assert_eq!((word.end, word.phrase), (13, Phrase::EMPTY.with("sarka")));
/// assert_eq!((word.first, word.rest), (UPPER, LOWER));
/// assert!(word_at::<true>("R.č. Šárka", 5).is_none());
/// ```
#[inline]
pub fn word_at<const CASES: bool>(text: &str, start: usize) -> Option<Word> {
    let bytes = text.as_bytes();
    let byte = *bytes.get(start)?;
    let mut word = Word { end: start, phrase: Phrase::EMPTY, first: class_of(byte), rest: 0 };
    if byte.is_ascii() {
        if word.first == 0 {
            return None;
        }
        word.phrase = word.phrase.with_ascii(byte);
        word.end += 1;
    } else if is_thai_joint(bytes, start) {
        let joint = text.get(start..start + THAI_JOINT)?;
        return Some(Word {
            end: start + THAI_JOINT,
            phrase: word.phrase.with(joint),
            first: PLAIN,
            rest: PLAIN,
        });
    } else {
        (word.first, word.phrase) = beyond_ascii::<CASES>(text, start, word.phrase);
        if matches!(word.first, 0 | MARK) {
            return None;
        }
        word.end += byte.leading_ones() as usize;
    }
    while let Some(byte) = bytes.get(word.end).filter(|_| word.first != ALONE) {
        let of = class_of(*byte);
        if of & (LOWER | UPPER | DIGIT) != 0 {
            word.rest |= of;
            word.phrase = word.phrase.with_ascii(*byte);
            word.end += 1;
            continue;
        }
        if byte.is_ascii() {
            break;
        }
        if let Some(longer) = bytes.get(word.end + 1).and_then(|next| word.phrase.with_small(*byte, *next)) {
            word.rest |= LOWER;
            word.phrase = longer;
            word.end += 2;
            continue;
        }
        let (of, longer) = beyond_ascii::<CASES>(text, word.end, word.phrase);
        if matches!(of, 0 | ALONE) || is_thai_joint(bytes, word.end) {
            break;
        }
        word.rest |= of;
        word.phrase = longer;
        word.end += byte.leading_ones() as usize;
    }
    Some(word)
}

/// Returns the class of the character beyond ASCII at a place of a word, 0 if it ends the word, and the
/// phrase with it.
///
/// Separate from [`word_at`], and with two numbers as its result, so that the loop there keeps its values in
/// registers.
#[inline(never)]
fn beyond_ascii<const CASES: bool>(text: &str, at: usize, phrase: Phrase) -> (u8, Phrase) {
    let letter = match *text.as_bytes().get(at..).unwrap_or_default() {
        // most characters have two bytes
        [lead @ 0xc2..=0xdf, next, ..] => {
            char::from_u32(u32::from(lead & 0x1f) << 6 | u32::from(next & 0x3f))
        }
        _ => text.get(at..).and_then(|rest| rest.chars().next()),
    };
    let letter = letter.unwrap_or_default();
    match class_beyond_ascii::<CASES>(letter) {
        0 => (0, phrase),
        class => (class, phrase.with_letter(letter)),
    }
}

/// Returns the class of a character beyond ASCII; 0 for one that ends a word.
fn class_beyond_ascii<const CASES: bool>(letter: char) -> u8 {
    match letter {
        // the most frequent first
        '\u{df}'..='\u{f6}' | '\u{f8}'..='\u{ff}' | '\u{430}'..='\u{45f}' if CASES => LOWER,
        '\u{c0}'..='\u{d6}' | '\u{d8}'..='\u{de}' | '\u{400}'..='\u{42f}' if CASES => UPPER,
        '\u{100}'..='\u{17f}' if CASES => {
            if is_upper(letter) {
                UPPER
            } else {
                LOWER
            }
        }
        _ if is_alone(letter) => ALONE,
        _ if !is_letter(letter) => {
            if is_mark(letter) {
                MARK
            } else {
                0
            }
        }
        _ if CASES && is_upper(letter) => UPPER,
        _ if CASES && has_case(letter) => LOWER,
        _ => PLAIN,
    }
}

/// Whether a letter that is not a capital has a capital form. The most frequent scripts are classified by
/// their blocks before.
fn has_case(letter: char) -> bool {
    match letter {
        '\u{3ac}'..='\u{3ce}' => true,
        // Georgian is among them: its capitals are for whole titles only
        '\u{590}'..='\u{1c7f}' => false,
        _ => letter.is_lowercase(),
    }
}

/// The length of `ของ` and of `คือ`, in bytes.
const THAI_JOINT: usize = 9;

/// Whether one of the words at which Thai is split begins here: `of` and `is`. Thai has no spaces between words.
#[inline]
fn is_thai_joint(bytes: &[u8], at: usize) -> bool {
    // Thai begins with the same byte everywhere
    bytes.get(at) == Some(&0xe0)
        && bytes
            .get(at..at + THAI_JOINT)
            .is_some_and(|here| here == "ของ".as_bytes() || here == "คือ".as_bytes())
}

/// Splits a text into words: the start and the end of each, in bytes.
///
/// A character of a script without spaces is a word of its own. Thai, which has no spaces either, is split at
/// the words for `of` and `is`.
pub fn words(text: &str) -> impl Iterator<Item = (usize, usize)> {
    phrases(text).map(|(start, end, _)| (start, end))
}

/// The words of a text as [`words`] has them, each with the phrase that it is.
pub fn phrases(text: &str) -> Phrases<'_> {
    Phrases { text, at: 0 }
}

/// The iterator of [`phrases`].
#[derive(Clone, Debug)]
pub struct Phrases<'t> {
    text: &'t str,
    /// The text before this is read.
    at: usize,
}

impl Iterator for Phrases<'_> {
    type Item = (usize, usize, Phrase);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let start = self.at;
            let byte = self.text.as_bytes().get(start)?;
            if let Some(Word { end, phrase, .. }) = word_at::<false>(self.text, start) {
                self.at = end;
                return Some((start, end, phrase));
            }
            self.at += (byte.leading_ones() as usize).max(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_words_are() {
        for (text, found) in [
            ("R.č.: 12 – Mój", vec!["R", "č", "12", "Mój"]),
            ("身份证号110105", vec!["身", "份", "证", "号", "110105"]),
            ("マイナンバーは12", vec!["マ", "イ", "ナ", "ン", "バ", "ー", "は", "12"]),
            ("주민번호는 97", vec!["주", "민", "번", "호", "는", "97"]),
            ("संख्या 12", vec!["संख्या", "12"]),
            ("ผู้เสียภาษี 12", vec!["ผู้เสียภาษี", "12"]),
            ("ชื่อของแม่คือ 12", vec!["ชื่อ", "ของ", "แม่", "คือ", "12"]),
        ] {
            let words: Vec<(&str, Phrase)> = phrases(text)
                .filter_map(|(start, end, phrase)| Some((text.get(start..end)?, phrase)))
                .collect();
            let told: Vec<(&str, Phrase)> =
                found.iter().map(|word| (*word, Phrase::EMPTY.with(word))).collect();
            assert_eq!(words, told);
        }
    }

    #[test]
    fn words_are_the_same_with_and_without_cases() {
        for first in '\0'..=char::MAX {
            for text in [format!("{first}b"), format!("a{first}b"), format!("Я{first}э")] {
                let [with, without] = [word_at::<true>(&text, 0), word_at::<false>(&text, 0)];
                let place = |word: Option<Word>| word.map(|word| (word.end, word.phrase));
                assert_eq!(place(with), place(without), "{text}");
            }
        }
    }
}
