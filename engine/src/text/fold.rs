//! The detection copy: the normalised text, with a map to the original text.
//!
//! A copy is made only if a character must change. Digits of other scripts and full-width characters become
//! ASCII, all spaces become a space, all dashes `-`. Characters without width are removed. Letters that look
//! like Latin ones become Latin in words that also have ASCII letters or digits, and in the series of a
//! document (`КВ 123456`). [Escapes](super::escape) become their characters: `jan%40example.cz`. Escapes of control
//! characters stay, and those whose characters have a meaning in the URL around them. Line breaks and tabs that are
//! escaped in a string become those ([`strings`](super::strings)).

use std::{borrow::Cow, ops::Range};

use super::{escape::next_escape, strings::Strings};
use crate::phrase::{
    is_letter,
    work::{Stage, Work},
};

/// The number of bytes checked at a time.
const WORD: usize = 8;
/// The bits that are set in bytes beyond ASCII.
const HIGH: u64 = 0x8080_8080_8080_8080;

/// The detection copy of a text.
#[derive(Debug)]
pub(crate) struct Folded<'t> {
    /// The text that detection reads.
    pub text: Cow<'t, str>,
    /// Places where the offsets of copy and original diverge, in order.
    edits: Vec<Edit>,
}

#[derive(Clone, Copy, Debug)]
struct Edit {
    /// Offset in the copy.
    at: usize,
    /// Offset in the original, before the removed text.
    before: usize,
    /// Offset in the original, after the removed text.
    after: usize,
}

impl<'t> Folded<'t> {
    /// Makes the copy, or borrows the text if nothing must change.
    pub fn new(text: &'t str, work: &Work) -> Self {
        work.add(Stage::Fold, text.len() / WORD);
        let mut escapes = Escapes::new(text);
        let mut next = escapes.next(0);
        work.add(Stage::Fold, escapes.strings.read);
        if next.is_none() && !affected(text) {
            return Self { text: Cow::Borrowed(text), edits: Vec::new() };
        }
        work.add(Stage::Fold, text.len());
        let mut copy = Copy { out: String::with_capacity(text.len()), edits: Vec::new(), read: 0 };
        let mut urls = Urls { text, read: 0, part: UrlPart::None };
        let (mut at, mut high) = (0, 0);
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            if let Some(escape) = next.filter(|escape| escape.place == at) {
                match (escape.letter, text.get(at..at + escape.length)) {
                    (None, _) => copy.put(escape.length, '\0', Folding::Vanishes),
                    (Some(letter), _) if escape.is_of_string => {
                        copy.put(escape.length, letter, Folding::Becomes(letter));
                    }
                    (Some(letter), Some(written)) if letter.is_control() || urls.keep(at, letter) => {
                        copy.keep(written);
                    }
                    (Some(letter), _) => copy.write(escape.length, letter),
                }
                at += escape.length;
                next = escapes.next(at);
                continue;
            }
            if high <= at {
                high = at + beyond_ascii(rest.as_bytes()).unwrap_or(rest.len());
            }
            let stop = next.map_or(high, |escape| escape.place.min(high));
            let ascii = text.get(at..stop).unwrap_or_default();
            // words of ASCII stay, except one with a character beyond it
            let begun = match stop == high {
                true => ascii.bytes().rev().take_while(u8::is_ascii_alphanumeric).count(),
                false => 0,
            };
            let (kept, _) = ascii.split_at_checked(ascii.len() - begun).unwrap_or((ascii, ""));
            copy.keep(kept);
            at += kept.len();
            if stop == high && next.is_none_or(|escape| escape.place > at) {
                at += copy.fold(text.get(at..).unwrap_or_default());
            }
        }
        work.add(Stage::Fold, escapes.strings.read);
        if copy.edits.is_empty() && copy.out == text {
            return Self { text: Cow::Borrowed(text), edits: Vec::new() };
        }
        Self { text: Cow::Owned(copy.out), edits: copy.edits }
    }

    /// Makes a copy without some ranges, which are in order, in bytes.
    pub fn without(text: &'t str, removed: &[Range<usize>]) -> Self {
        let mut copy = Copy { out: String::with_capacity(text.len()), edits: Vec::new(), read: 0 };
        for range in removed {
            copy.keep(text.get(copy.read..range.start).unwrap_or_default());
            copy.put(range.len(), '\0', Folding::Vanishes);
        }
        copy.keep(text.get(copy.read..).unwrap_or_default());
        Self { text: Cow::Owned(copy.out), edits: copy.edits }
    }

    /// Converts a range of the copy to one of the original, in bytes. Removed text at its edges stays
    /// outside.
    pub fn original(&self, start: usize, end: usize) -> (usize, usize) {
        let find = |at: usize| self.edits.partition_point(|edit| edit.at <= at).checked_sub(1);
        let map =
            |at: usize, exact: fn(&Edit) -> usize| match find(at).and_then(|index| self.edits.get(index)) {
                Some(edit) if edit.at == at => exact(edit),
                Some(edit) => edit.after + (at - edit.at),
                None => at,
            };
        (map(start, |edit| edit.after), map(end, |edit| edit.before))
    }

    /// Converts an offset of the original to one of the copy, in bytes. An offset within removed text becomes that of
    /// the text after it.
    pub fn copied(&self, at: usize) -> usize {
        let later = self.edits.partition_point(|edit| edit.after <= at);
        let before = later.checked_sub(1).and_then(|index| self.edits.get(index));
        let copied = before.map_or(at, |edit| edit.at + (at - edit.after));
        self.edits.get(later).map_or(copied, |edit| copied.min(edit.at))
    }
}

/// The copy under construction.
struct Copy {
    out: String,
    edits: Vec<Edit>,
    read: usize,
}

impl Copy {
    /// Copies a part of the text that stays as it is.
    fn keep(&mut self, part: &str) {
        self.read += part.len();
        self.out.push_str(part);
    }

    /// Folds the word, or the other character, at the start of the rest of the text. Returns its length in bytes.
    fn fold(&mut self, rest: &str) -> usize {
        let word_end = rest.find(|letter: char| !is_letter(letter)).unwrap_or(rest.len());
        let (word, after) = rest.split_at_checked(word_end).unwrap_or((rest, ""));
        if word.is_empty() {
            let Some(sign) = rest.chars().next() else { return 0 };
            self.write(sign.len_utf8(), sign);
            return sign.len_utf8();
        }
        let mixed = word.bytes().any(|byte| byte.is_ascii_alphanumeric()) || is_series(word, after);
        for letter in word.chars() {
            let latin = if mixed { look_alike(letter) } else { None };
            let folding = latin.map_or_else(|| single(letter), Folding::Becomes);
            self.put(letter.len_utf8(), letter, folding);
        }
        word.len()
    }

    /// Writes a character that is written in so many bytes of the text.
    fn write(&mut self, length: usize, letter: char) {
        self.put(length, letter, single(letter));
    }

    fn put(&mut self, length: usize, letter: char, folding: Folding) {
        let before = self.read;
        self.read += length;
        let letter = match folding {
            Folding::Stays => letter,
            Folding::Becomes(other) => other,
            Folding::Vanishes => {
                match self.edits.last_mut() {
                    Some(last) if last.at == self.out.len() => last.after = self.read,
                    _ => self.edits.push(Edit { at: self.out.len(), before, after: self.read }),
                }
                return;
            }
        };
        self.out.push(letter);
        if letter.len_utf8() != length {
            self.edits.push(Edit { at: self.out.len(), before: self.read, after: self.read });
        }
    }
}

/// An escape in a text.
#[derive(Clone, Copy)]
struct Escape {
    place: usize,
    /// Its character; `None` for a soft line break.
    letter: Option<char>,
    /// In bytes.
    length: usize,
    /// It is one of [`Strings`].
    is_of_string: bool,
}

/// The escapes of a text in order, those of characters and those of strings.
struct Escapes<'t> {
    text: &'t str,
    strings: Strings<'t>,
    character: Option<Escape>,
    string: Option<Escape>,
}

impl<'t> Escapes<'t> {
    fn new(text: &'t str) -> Self {
        let mut escapes = Self { text, strings: Strings::new(text), character: None, string: None };
        escapes.read_character(0);
        escapes.read_string(0);
        escapes
    }

    fn read_character(&mut self, from: usize) {
        self.character = next_escape(self.text, from).map(|(place, letter, length)| Escape {
            place,
            letter: Some(letter),
            length,
            is_of_string: false,
        });
    }

    fn read_string(&mut self, from: usize) {
        self.string = self.strings.next(from).map(|(place, letter, length)| Escape {
            place,
            letter,
            length,
            is_of_string: true,
        });
    }

    /// Returns the first escape at or behind a place. The places of calls ascend.
    fn next(&mut self, from: usize) -> Option<Escape> {
        if self.character.is_some_and(|escape| escape.place < from) {
            self.read_character(from);
        }
        if self.string.is_some_and(|escape| escape.place < from) {
            self.read_string(from);
        }
        self.string.into_iter().chain(self.character).min_by_key(|escape| escape.place)
    }
}

/// Tells which escapes of a text stay, since their characters have a meaning in the URL around them.
struct Urls<'t> {
    text: &'t str,
    /// The place of the last question.
    read: usize,
    /// The part of a URL that is there.
    part: UrlPart,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum UrlPart {
    None,
    /// User, password, host and port.
    Authority,
    Rest,
}

impl Urls<'_> {
    /// Whether the escape of a character stays at a place, which is not before the last one. Each byte is read once.
    fn keep(&mut self, at: usize, letter: char) -> bool {
        let between = self.text.get(self.read..at).unwrap_or_default();
        self.read = at;
        let mut since = between;
        if let Some(word) = between.rfind(|sign: char| sign.is_whitespace() || ends_url(sign)) {
            self.part = UrlPart::None;
            since = between.get(word..).unwrap_or_default();
        }
        if self.part == UrlPart::None
            && let Some((_, authority)) = since.split_once("://")
        {
            self.part = UrlPart::Authority;
            since = authority;
        }
        if self.part == UrlPart::Authority && since.contains(['/', '?', '#']) {
            self.part = UrlPart::Rest;
        }
        match self.part {
            UrlPart::None => false,
            UrlPart::Authority => true,
            UrlPart::Rest => {
                ends_url(letter) || matches!(letter, '/' | '?' | '#' | ':' | ';' | '&' | '=' | ',')
            }
        }
    }
}

/// Whether a character ends a URL that it follows.
fn ends_url(sign: char) -> bool {
    matches!(
        sign,
        ' ' | '\u{a0}' | '"' | '\'' | '<' | '>' | '(' | ')' | '[' | ']' | '{' | '}' | '|' | '\\' | '^' | '`'
    )
}

/// The result of folding a character.
#[derive(Clone, Copy)]
enum Folding {
    Stays,
    Becomes(char),
    Vanishes,
}

/// Whether a character of the text may have to change.
fn affected(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(ahead) = bytes.get(at..).and_then(beyond_ascii) {
        at += ahead;
        at = match bytes.get(at) {
            // the letters from U+00C0 to U+037F never change, and they are most
            Some(0xc3..=0xcd) => at + 2,
            Some(0xce..=0xd1) => {
                let end = at + look_alikes(bytes.get(at..).unwrap_or_default());
                // look-alikes matter only in a word with ASCII letters or digits
                let ascii = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
                let series = end - at == 4 && matches!(bytes.get(end), Some(b' ' | b'-')) && ascii(end + 1);
                if at.checked_sub(1).is_some_and(ascii) || ascii(end) || series {
                    return true;
                }
                end
            }
            _ => match text.get(at..).and_then(|rest| rest.chars().next()) {
                Some(letter) if matches!(single(letter), Folding::Stays) => at + letter.len_utf8(),
                _ => return true,
            },
        };
    }
    false
}

/// Returns the offset of the first byte beyond ASCII.
fn beyond_ascii(bytes: &[u8]) -> Option<usize> {
    let (blocks, rest) = bytes.as_chunks();
    let high = blocks.iter().map(|block| u64::from_le_bytes(*block) & HIGH);
    match high.enumerate().find(|(_, high)| *high != 0) {
        Some((block, high)) => Some(block * 8 + high.trailing_zeros() as usize / 8),
        None => rest.iter().position(|byte| *byte >= 0x80).map(|at| blocks.len() * 8 + at),
    }
}

/// Returns the length in bytes of the Greek and Cyrillic letters at the start of a text.
fn look_alikes(bytes: &[u8]) -> usize {
    let (letters, _) = bytes.as_chunks();
    2 * letters.iter().take_while(|[first, _]| matches!(first, 0xce..=0xd1)).count()
}

/// Whether a word is the series of a document: two capitals, and six digits after a space or a hyphen.
fn is_series(word: &str, after: &str) -> bool {
    let number = after.strip_prefix([' ', '-']).unwrap_or_default();
    let digits = number.bytes().take(7).take_while(u8::is_ascii_digit).count();
    let capital = |letter: char| look_alike(letter).is_some_and(|latin| latin.is_ascii_uppercase());
    digits == 6 && word.chars().count() == 2 && word.chars().all(capital)
}

/// Folds a character in any context.
fn single(letter: char) -> Folding {
    match letter {
        // most characters, by their blocks
        '\0'..='\u{7f}' | '\u{ae}'..='\u{65f}' | '\u{3001}'..='\u{a61f}' => Folding::Stays,
        '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => {
            Folding::Becomes(' ')
        }
        '\u{ad}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' => Folding::Vanishes,
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' => Folding::Becomes('-'),
        '\u{2044}' | '\u{2215}' => Folding::Becomes('/'),
        '\u{ff01}'..='\u{ff5e}' => {
            char::from_u32(letter as u32 - 0xff01 + 0x21).map_or(Folding::Stays, Folding::Becomes)
        }
        _ => digit(letter).map_or(Folding::Stays, Folding::Becomes),
    }
}

/// Returns the ASCII digit of a decimal digit of another script.
fn digit(letter: char) -> Option<char> {
    /// The zeros of the decimal digits of all scripts, each the first of ten consecutive characters (Unicode,
    /// category Nd).
    const ZEROS: &[u32] = &[
        0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50,
        0xed0, 0xf20, 0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40,
        0x1c50, 0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0x104a0, 0x11066, 0x1d7ce, 0x1d7d8,
        0x1d7e2, 0x1d7ec, 0x1d7f6,
    ];
    let code = letter as u32;
    let zero = ZEROS.get(ZEROS.partition_point(|zero| *zero <= code).checked_sub(1)?)?;
    char::from_digit(code.checked_sub(*zero).filter(|digit| *digit < 10)?, 10)
}

/// Returns the Latin letter that a Greek or Cyrillic one looks like.
fn look_alike(letter: char) -> Option<char> {
    const PAIRS: &[(&str, &str)] =
        &[("АВЕЅІЈКМНОРСТУХаеѕіјорсух", "ABESIJKMHOPCTYXaesijopcyx"), ("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧο", "ABEZHIKMNOPTYXo")];
    if !('\u{391}'..='\u{458}').contains(&letter) {
        return None;
    }
    let find =
        |(like, latin): &(&str, &str)| latin.chars().nth(like.chars().position(|known| known == letter)?);
    PAIRS.iter().find_map(find)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_and_the_way_back() {
        for (text, copy, part, original) in [
            ("plain 123", "plain 123", "123", "123"),
            ("Číslo: 12", "Číslo: 12", "12", "12"),
            ("١٢٣ ab", "123 ab", "123", "١٢٣"),
            ("tel １２３－４５", "tel 123-45", "123-45", "１２３－４５"),
            ("12\u{200b}34\u{200b} x", "1234 x", "1234", "12\u{200b}34"),
            ("\u{feff}99", "99", "99", "99"),
            ("732\u{a0}829\u{202f}320", "732 829 320", "829 320", "829\u{202f}320"),
            ("2024–01", "2024-01", "-01", "–01"),
            ("ВG12 Вода", "BG12 Вода", "BG12", "ВG12"),
            ("серія КВ 123456", "серія KB 123456", "KB 123456", "КВ 123456"),
            ("ТА 123456", "TA 123456", "TA", "ТА"),
            ("ТА 12345", "ТА 12345", "ТА", "ТА"),
            ("👩\u{200d}👧 5", "👩👧 5", "5", "5"),
            ("AT&T 732&nbsp;829&nbsp;320;", "AT&T 732 829 320;", "829 320", "829&nbsp;320"),
            ("to=jan%40example.cz&x=1", "to=jan@example.cz&x=1", "jan@example.cz", "jan%40example.cz"),
            ("jan&#64;example.cz", "jan@example.cz", "@", "&#64;"),
            (r#""n": "Dvo\u0159\u00e1k""#, "\"n\": \"Dvořák\"", "řák", r"\u0159\u00e1k"),
            ("J%C3%B6rg Müller", "Jörg Müller", "Jörg", "J%C3%B6rg"),
            ("4111%201111", "4111 1111", "1 1", "1%201"),
            ("\u{e006a}\u{e0061}\u{e0040}x", "ja@x", "ja@", "\u{e006a}\u{e0061}\u{e0040}"),
            ("a&#8203;b", "ab", "b", "b"),
            // an escape that would end a URL stays in one
            ("https://x.example/a%20b%22?q=j%40x", "https://x.example/a%20b%22?q=j@x", "j@x", "j%40x"),
            ("see <https://x.example/%41> b%20c", "see <https://x.example/A> b c", "b c", "b%20c"),
            ("a%0Ab &#10; %5a", "a%0Ab &#10; Z", "Z", "%5a"),
            ("https://a:b%40c@d.example/%2fx", "https://a:b%40c@d.example/%2fx", "a:b%40c", "a:b%40c"),
        ] {
            let folded = Folded::new(text, &Work::default());
            assert_eq!(folded.text, copy, "{text}");
            let at = copy.find(part).unwrap();
            let (start, end) = folded.original(at, at + part.len());
            assert_eq!(&text[start..end], original, "{text}");
            assert_eq!(folded.copied(start), at, "{text}");
        }
        // offsets within removed text, and within text that became shorter
        let folded = Folded::new("a\u{200b}\u{200b}b 1&nbsp;2", &Work::default());
        assert_eq!(folded.text, "ab 1 2");
        assert_eq!([1, 4, 7, 8, 9, 10, 12, 16, 17].map(|at| folded.copied(at)), [1, 1, 1, 2, 3, 4, 5, 5, 6]);
        assert!(matches!(Folded::new("Příliš žluťoučký", &Work::default()).text, Cow::Borrowed(_)));
        assert!(matches!(Folded::new("Вода и хлеб", &Work::default()).text, Cow::Borrowed(_)));
    }

    #[test]
    fn blocks_that_stay_have_no_digits_and_no_spaces() {
        for letter in ('\u{ae}'..='\u{65f}').chain('\u{3001}'..='\u{a61f}') {
            assert!(digit(letter).is_none() && !letter.is_whitespace(), "{letter:?}");
            assert!(matches!(single(letter), Folding::Stays), "{letter:?}");
        }
    }

    #[test]
    fn parts_that_stay_and_words_that_change_meet_anywhere() {
        let pieces = ["abc", " ", "é", "—", "&nbsp;", "&", "КВ", "123456", "\u{200b}", "ａ", "漢", "\u{a0}"];
        // each piece between any two others
        for (first, middle, last) in pieces
            .iter()
            .flat_map(|first| pieces.iter().map(move |middle| (first, middle)))
            .flat_map(|(first, middle)| pieces.iter().map(move |last| (first, middle, last)))
        {
            let text = format!("{first}{middle}{last}");
            let folded = Folded::new(&text, &Work::default());
            if matches!(folded.text, Cow::Borrowed(_)) {
                continue;
            }
            // the words and the characters between them, one by one
            let mut copy = Copy { out: String::new(), edits: Vec::new(), read: 0 };
            while let Some(rest) = text.get(copy.read..).filter(|rest| !rest.is_empty()) {
                if rest.starts_with("&nbsp;") {
                    copy.write("&nbsp;".len(), '\u{a0}');
                } else {
                    copy.fold(rest);
                }
            }
            assert_eq!(folded.text, copy.out, "{text:?}");
            for at in 0..=copy.out.len() {
                let one_by_one = Folded { text: Cow::Borrowed(&copy.out), edits: copy.edits.clone() };
                assert_eq!(folded.original(at, at), one_by_one.original(at, at), "{text:?} {at}");
            }
        }
    }

    proptest::proptest! {
        /// Any mixture of escapes is read to its end, and each place of the copy has one in the text, in order.
        #[test]
        fn places_of_any_escapes_are_in_order(
            text in "(\\\\|n|u0040|ud83d|%|25|40|&|#64;|amp;|nbsp;|=|\r\n|C3|A1|://|x|\u{e0041}|é|\u{200b}| ){0,60}",
        ) {
            let folded = Folded::new(&text, &Work::default());
            let mut last = 0;
            for (at, _) in folded.text.char_indices() {
                let (start, _) = folded.original(at, at);
                proptest::prop_assert!(last <= start && text.is_char_boundary(start), "{:?} {}", text, at);
                last = start;
            }
        }
    }
}
