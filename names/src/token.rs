//! The words of a text, how they are written, and what stands between them.

use textveil_phrase::{Phrase, case::is_upper, is_alone, is_letter, is_mark};

use crate::{Part, markup, signs::Signs};

/// How a word is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    /// `word`.
    Lower,
    /// `Word`.
    Capital,
    /// `W`.
    Initial,
    /// `WORD`.
    Upper,
    /// `McWord`, and `wordWord`, which no name is.
    Mixed,
    /// With a digit.
    Number,
    /// Of a script without capitals.
    None,
}

/// What stands before a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gap {
    /// The start of the text, or the end of a line.
    Line,
    Space,
    Hyphen,
    Apostrophe,
    /// A point, and maybe a space.
    Dot,
    /// A comma and a space.
    Comma,
    /// A colon, an equals sign, a tab: what stands between a label and its value.
    Colon,
    /// Nothing: two words of a script without spaces.
    None,
    /// Anything else.
    Other,
}

/// A word.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    /// In bytes.
    pub start: u32,
    pub end: u32,
    pub case: Case,
    pub gap: Gap,
    /// A character of a script that is written without spaces.
    pub is_alone: bool,
    pub signs: Signs,
    /// As it is compared.
    pub phrase: Phrase,
}

impl Token {
    /// As it is written.
    pub fn text<'t>(&self, text: &'t str) -> &'t str {
        text.get(self.start as usize..self.end as usize).unwrap_or_default()
    }

    /// Whether it begins as a name does.
    #[inline]
    pub fn is_capital(&self) -> bool {
        matches!(self.case, Case::Capital | Case::Initial | Case::Upper | Case::Mixed)
    }
}

/// The place from one word to before another.
pub(crate) fn span(tokens: &[Token], start: usize, end: usize) -> Option<Part> {
    let place = tokens.get(start..end)?;
    Some(Part { start: place.first()?.start, end: place.last()?.end })
}

/// Words as they are compared, as one phrase.
pub(crate) fn phrase(text: &str, words: &[Token]) -> Phrase {
    let Some((first, rest)) = words.split_first() else { return Phrase::EMPTY };
    rest.iter().fold(first.phrase, |phrase, word| phrase.with(word.text(text)))
}

/// The longest phrase of up to `most` words that begins with the word `at` and is something: the word behind it, and what
/// it is.
pub(crate) fn longest<T>(
    text: &str,
    tokens: &[Token],
    at: usize,
    most: usize,
    is: impl Fn(Phrase) -> Option<T>,
) -> Option<(usize, T)> {
    let mut phrase = Phrase::EMPTY;
    let mut longest = None;
    for (index, token) in tokens.get(at..)?.iter().take(most).enumerate() {
        if index > 0 && !matches!(token.gap, Gap::Space | Gap::Hyphen | Gap::Apostrophe) {
            break;
        }
        phrase = if index == 0 { token.phrase } else { phrase.with(token.text(text)) };
        longest = is(phrase).map(|what| (at + index + 1, what)).or(longest);
    }
    longest
}

/// The shortest line of running text that was cut where it became too long, in characters.
const WRAPPED: usize = 60;

/// The words of a text.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::with_capacity(text.len() / 6);
    let bytes = text.as_bytes();
    let (mut at, mut end) = (0, 0);
    while let Some(byte) = bytes.get(at) {
        if class(*byte) == 0 {
            at += match byte {
                b'<' => markup::tag(bytes, at).unwrap_or(1),
                b'&' => markup::entity(bytes, at).map_or(1, |(len, _)| len),
                _ => 1,
            };
            continue;
        }
        let word = word(text, at);
        if word.len == 0 {
            at += byte.leading_ones() as usize;
            continue;
        }
        // by far the most stand behind one space
        let gap = if at == end + 1 && bytes.get(end) == Some(&b' ') {
            Gap::Space
        } else {
            match gap(text.get(end..at).unwrap_or_default()) {
                Gap::Line if word.case != Case::None && is_wrapped(bytes, end, at) => Gap::Space,
                gap => gap,
            }
        };
        end = at + word.len;
        let Word { case, is_alone, phrase, .. } = word;
        let (start, signs) = (at as u32, Signs::of(phrase));
        tokens.push(Token { start, end: end as u32, case, gap, is_alone, signs, phrase });
        at = end;
    }
    if let Some(first) = tokens.first_mut() {
        first.gap = Gap::Line;
    }
    tokens
}

/// A word at a place of the text; of no length where there is none.
struct Word {
    len: usize,
    case: Case,
    is_alone: bool,
    phrase: Phrase,
}

const LOWER: u8 = 1;
const UPPER: u8 = 2;
const DIGIT: u8 = 4;
/// A letter of a script without capitals, and one that is a word of its own.
const PLAIN: u8 = 8;
const ALONE: u8 = 32;
/// A mark on the letter before it.
const MARK: u8 = 64;
/// The first byte of a character beyond ASCII.
const HIGH: u8 = 16;
/// Classes of bytes; 0 for whatever ends a word.
#[allow(clippy::indexing_slicing, reason = "evaluated by the compiler")]
const CLASS: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'0'..=b'9' => DIGIT,
            b'A'..=b'Z' => UPPER,
            b'a'..=b'z' => LOWER,
            0x80.. => HIGH,
            _ => 0,
        };
        byte += 1;
    }
    table
};

#[inline]
fn class(byte: u8) -> u8 {
    CLASS.get(usize::from(byte)).copied().unwrap_or_default()
}

/// The class of the character beyond ASCII at a place of a word, 0 where it ends the word, and the phrase with it.
/// Apart from [`word`], so that what that loop needs stays in registers, and in two numbers, for the same reason.
#[inline(never)]
fn beyond_ascii(text: &str, at: usize, phrase: Phrase) -> (u8, Phrase) {
    let letter = match *text.as_bytes().get(at..).unwrap_or_default() {
        // most are of two bytes
        [lead @ 0xc2..=0xdf, next, ..] => {
            char::from_u32(u32::from(lead & 0x1f) << 6 | u32::from(next & 0x3f))
        }
        _ => text.get(at..).and_then(|rest| rest.chars().next()),
    };
    let letter = letter.unwrap_or_default();
    match class_beyond_ascii(letter) {
        0 if is_mark(letter) => (MARK, phrase.with_letter(letter)),
        0 => (0, phrase),
        class => (class, phrase.with_letter(letter)),
    }
}

/// The word that begins here.
#[inline]
fn word(text: &str, start: usize) -> Word {
    let bytes = text.as_bytes();
    let mut at = start;
    let mut phrase = Phrase::EMPTY;
    // the classes of the first letter, and of the others
    let (mut first, mut rest) = (0, 0);
    if let Some(byte) = bytes.get(at) {
        if byte.is_ascii() {
            first = class(*byte);
            phrase = phrase.with_ascii(*byte);
            at += 1;
        } else {
            (first, phrase) = beyond_ascii(text, at, phrase);
            if matches!(first, 0 | MARK) {
                return Word { len: 0, case: Case::None, is_alone: false, phrase };
            }
            at += byte.leading_ones() as usize;
        }
    }
    loop {
        if first == ALONE {
            break;
        }
        for byte in bytes.get(at..).unwrap_or_default() {
            let of = class(*byte);
            if of & (LOWER | UPPER | DIGIT) == 0 {
                break;
            }
            rest |= of;
            phrase = phrase.with_ascii(*byte);
            at += 1;
        }
        let Some(byte) = bytes.get(at).filter(|byte| !byte.is_ascii()) else { break };
        let (of, longer) = beyond_ascii(text, at, phrase);
        if matches!(of, 0 | ALONE) {
            break;
        }
        rest |= of;
        phrase = longer;
        at += byte.leading_ones() as usize;
    }
    Word { len: at - start, case: case(first, rest), is_alone: first == ALONE, phrase }
}

/// How a word is written by the classes of its first letter and of the others.
#[inline]
fn case(first: u8, rest: u8) -> Case {
    const LETTERS: u8 = LOWER | UPPER | DIGIT;
    CASES.get(usize::from(first & LETTERS | (rest & LETTERS) << 3)).copied().unwrap_or(Case::None)
}

/// The cases by three bits of the class of the first letter, and three of those of the others.
#[allow(clippy::indexing_slicing, reason = "evaluated by the compiler")]
const CASES: [Case; 64] = {
    let mut table = [Case::None; 64];
    let mut classes = 0;
    while classes < 64 {
        let (first, rest) = (classes as u8 & 7, classes as u8 >> 3);
        let all = first | rest;
        table[classes] = match first {
            _ if all & DIGIT != 0 => Case::Number,
            _ if all & (UPPER | LOWER) == 0 => Case::None,
            _ if all & UPPER == 0 => Case::Lower,
            UPPER if rest == 0 => Case::Initial,
            _ if all & LOWER == 0 => Case::Upper,
            UPPER if rest & UPPER == 0 => Case::Capital,
            _ => Case::Mixed,
        };
        classes += 1;
    }
    table
};

/// The class of a letter beyond ASCII; 0 for what is none.
fn class_beyond_ascii(letter: char) -> u8 {
    match letter {
        // the commonest first
        '\u{df}'..='\u{f6}' | '\u{f8}'..='\u{ff}' | '\u{430}'..='\u{45f}' => LOWER,
        '\u{c0}'..='\u{d6}' | '\u{d8}'..='\u{de}' | '\u{400}'..='\u{42f}' => UPPER,
        '\u{100}'..='\u{17f}' => {
            if is_upper(letter) {
                UPPER
            } else {
                LOWER
            }
        }
        _ if is_alone(letter) => ALONE,
        _ if !is_letter(letter) => 0,
        _ if is_upper(letter) => UPPER,
        _ if has_case(letter) => LOWER,
        _ => PLAIN,
    }
}

/// Whether a letter that is no capital has one. More of the commonest scripts are told by their blocks.
fn has_case(letter: char) -> bool {
    match letter {
        '\u{3ac}'..='\u{3ce}' => true,
        '\u{590}'..='\u{109f}' | '\u{1100}'..='\u{1c7f}' => false,
        _ => letter.is_lowercase(),
    }
}

/// What bytes between two words are.
#[inline(never)]
fn gap(written: &str) -> Gap {
    let between = written.as_bytes();
    match between {
        [] => Gap::None,
        [b'.'] | [b'.', b' '] => Gap::Dot,
        [b','] | [b',', b' '] => Gap::Comma,
        [b'-'] => Gap::Hyphen,
        [b'\''] => Gap::Apostrophe,
        // `<firstName>Jan`
        [b'>'] => Gap::Colon,
        _ => markup::gap(written).unwrap_or_else(|| longer_gap(between)),
    }
}

fn longer_gap(between: &[u8]) -> Gap {
    match between {
        b"\xc2\xa0" => Gap::Space,
        b"\xe2\x80\x91" | b"\xe2\x80\x90" => Gap::Hyphen,
        b"\xe2\x80\x99" => Gap::Apostrophe,
        b".\xc2\xa0" => Gap::Dot,
        // `type::Name`
        b"::" => Gap::Other,
        _ if between.contains(&b'\n') => Gap::Line,
        _ if between.iter().any(|byte| matches!(byte, b':' | b'=' | b'\t'))
            || between.starts_with("：".as_bytes()) =>
        {
            Gap::Colon
        }
        _ => Gap::Other,
    }
}

/// Whether the word that ends at `end` goes on in the next line, at `next`: the line is one of running text, cut where it
/// became too long. Scripts without capitals, where a line has fewer characters, are not asked.
fn is_wrapped(text: &[u8], end: usize, next: usize) -> bool {
    let between = text.get(end..next).unwrap_or_default();
    matches!(between, b"\n" | b" \n" | b"\r\n" | b" \r\n") && is_long(text, end)
}

/// Whether a line that ends at `end` is long, and ends with a letter.
fn is_long(text: &[u8], end: usize) -> bool {
    let line = text.iter().take(end).rev().take_while(|byte| **byte != b'\n');
    let is_start = |byte: &&u8| **byte & 0xc0 != 0x80;
    line.clone().next().is_some_and(|last| last.is_ascii_alphabetic() || !last.is_ascii())
        && line.filter(is_start).nth(WRAPPED - 1).is_some()
}

/// Whether a text, with the end of its line, breaks off within what may be a name, which the next line may go on with.
pub fn breaks_off(text: &str) -> bool {
    let text = ["\n", "\r", " "].iter().fold(text, |text, ending| text.strip_suffix(ending).unwrap_or(text));
    let space = text.bytes().rposition(|byte| byte == b' ').unwrap_or_default();
    is_long(text.as_bytes(), text.len())
        && text.get(space + 1..).is_some_and(|last| last.starts_with(is_upper))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_what_stands_between_them() {
        let text = "Dr. J. O’Neill-Kent: MUDr. WORD, x1\nЖук 王明";
        let found: Vec<(&str, Case, Gap)> =
            tokens(text).iter().map(|token| (token.text(text), token.case, token.gap)).collect();
        assert_eq!(
            found,
            [
                ("Dr", Case::Capital, Gap::Line),
                ("J", Case::Initial, Gap::Dot),
                ("O", Case::Initial, Gap::Dot),
                ("Neill", Case::Capital, Gap::Apostrophe),
                ("Kent", Case::Capital, Gap::Hyphen),
                ("MUDr", Case::Mixed, Gap::Colon),
                ("WORD", Case::Upper, Gap::Dot),
                ("x1", Case::Number, Gap::Comma),
                ("Жук", Case::Capital, Gap::Line),
                ("王", Case::None, Gap::Space),
                ("明", Case::None, Gap::None),
            ]
        );
    }

    #[test]
    fn a_long_line_goes_on_in_the_next() {
        let long = "many words that make the line a long one, ".repeat(2);
        let short = "όχι πολλές λέξεις σε μια γραμμή, όπου ";
        let text = format!("{short}Γιάννης\nΝικολάου");
        assert!(short.len() > WRAPPED && tokens(&text).last().unwrap().gap == Gap::Line);
        for (end, joined) in [
            ("Jan\nNovák", true),
            ("Jan\r\nNovák", true),
            ("Jan \nNovák", true),
            ("Jan\n\nNovák", false),
            ("Jan.\nNovák", false),
            ("12\nNovák", false),
            ("\nJan\nNovák", false),
        ] {
            let text = format!("{long}{end}");
            let gap = tokens(&text).last().map(|token| token.gap);
            assert_eq!(gap == Some(Gap::Space), joined, "{end:?} {gap:?}");
            let line = text.trim_end_matches("Novák");
            assert_eq!(breaks_off(line), joined, "{end:?}");
        }
    }
}
