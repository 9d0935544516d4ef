//! The words of a text, their letter case, and the gaps between them.

use textveil_phrase::{
    Phrase,
    bytes::{DIGIT, LOWER, UPPER, class_of},
    case::is_upper,
    markup::tag,
    words::{ALONE, Word, word_at},
};

use crate::{Part, markup, proclitics, signs::Signs, speakers};

/// The letter case of a word.
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
    /// `McWord`, and `wordWord`, which is never a name.
    Mixed,
    /// A word with a digit.
    Number,
    /// A word in a script without capitals.
    None,
}

/// The gap before a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gap {
    /// The start of the text, or a line break.
    Line,
    Space,
    Hyphen,
    Apostrophe,
    /// A dot, optionally with a space.
    Dot,
    /// A comma and a space.
    Comma,
    /// A separator of a label and its value: a colon, an equals sign, a tab.
    Colon,
    /// Empty: two words of a script without spaces.
    None,
    /// Any other text.
    Other,
}

/// A word.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    /// The range, in bytes.
    pub start: u32,
    pub end: u32,
    pub case: Case,
    pub gap: Gap,
    /// It is a character of a script without spaces.
    pub is_alone: bool,
    pub signs: Signs,
    /// The normalised word, for comparisons.
    pub phrase: Phrase,
}

impl Token {
    fn new(start: usize, word: Word, case: Case, gap: Gap) -> Self {
        let Word { end, phrase, first, .. } = word;
        let (start, end, signs, is_alone) = (start as u32, end as u32, Signs::of(phrase), first == ALONE);
        Self { start, end, case, gap, is_alone, signs, phrase }
    }

    /// Returns the word as written.
    pub fn text<'t>(&self, text: &'t str) -> &'t str {
        text.get(self.start as usize..self.end as usize).unwrap_or_default()
    }

    /// Whether it begins with a capital, as a name does.
    #[inline]
    pub fn is_capital(&self) -> bool {
        matches!(self.case, Case::Capital | Case::Initial | Case::Upper | Case::Mixed)
    }
}

/// Returns the range of the words from one index to before another.
pub(crate) fn span(tokens: &[Token], start: usize, end: usize) -> Option<Part> {
    let place = tokens.get(start..end)?;
    Some(Part { start: place.first()?.start, end: place.last()?.end })
}

/// Returns the words as one normalised phrase.
pub(crate) fn phrase(text: &str, words: &[Token]) -> Phrase {
    let Some((first, rest)) = words.split_first() else { return Phrase::EMPTY };
    rest.iter().fold(first.phrase, |phrase, word| phrase.with(word.text(text)))
}

/// Returns the longest phrase of up to `most` words that begins with the word `at` and has a value: the index
/// after it, and the value.
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

/// The minimum length of a line of running text that was wrapped, in characters.
const WRAPPED: usize = 60;

/// Splits a text into words.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::with_capacity(text.len() / 6);
    let bytes = text.as_bytes();
    let (mut at, mut end) = (0, 0);
    // most words follow a single space
    let mut behind_space = usize::MAX;
    while let Some(byte) = bytes.get(at) {
        if class_of(*byte) == 0 {
            at += match byte {
                b'<' => tag(bytes, at).unwrap_or(1),
                b'&' => markup::entity(bytes, at).map_or(1, |(len, _)| len),
                _ => 1,
            };
            continue;
        }
        let Some(word) = word_at::<true>(text, at) else {
            at += byte.leading_ones() as usize;
            continue;
        };
        let case = case(word.first, word.rest);
        let gap = if at == behind_space {
            Gap::Space
        } else {
            match gap(text.get(end..at).unwrap_or_default()) {
                Gap::Line if case != Case::None && is_wrapped(bytes, end, at) => Gap::Space,
                gap => gap,
            }
        };
        end = word.end;
        let token = Token::new(at, word, case, gap);
        match case {
            Case::Mixed if word.first == LOWER => push_mixed(&mut tokens, text, token),
            _ => tokens.push(token),
        }
        at = end;
        if bytes.get(at) == Some(&b' ') {
            at += 1;
            behind_space = at;
        }
    }
    if let Some(first) = tokens.first_mut() {
        first.gap = Gap::Line;
    }
    tokens
}

/// Adds a word that begins with a small letter and has capitals: two words, as if there were a space between them, if it is
/// a proclitic and a name.
#[inline(never)]
fn push_mixed(tokens: &mut Vec<Token>, text: &str, token: Token) {
    let start = token.start as usize;
    let name = proclitics::before_capital(token.text(text)).map(|len| start + len);
    let words = name.and_then(|name| {
        Some([(start, word_at::<true>(text.get(..name)?, start)?), (name, word_at::<true>(text, name)?)])
    });
    let Some(words) = words else { return tokens.push(token) };
    tokens.extend(
        words
            .into_iter()
            .zip([token.gap, Gap::Space])
            .map(|((start, word), gap)| Token::new(start, word, case(word.first, word.rest), gap)),
    );
}

/// Returns the letter case from the classes of the first letter and of the others.
#[inline]
fn case(first: u8, rest: u8) -> Case {
    const LETTERS: u8 = LOWER | UPPER | DIGIT;
    CASES.get(usize::from(first & LETTERS | (rest & LETTERS) << 3)).copied().unwrap_or(Case::None)
}

/// The cases, indexed by three bits of the class of the first letter and three of the others.
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

/// Returns the gap that the bytes between two words are.
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
        // within a string of a program or of SQL
        b"\\'" | b"''" => Gap::Apostrophe,
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

/// Whether the word that ends at `end` continues at `next` on the next line, in wrapped running text.
///
/// Scripts without capitals are excluded: their lines have fewer characters.
fn is_wrapped(text: &[u8], end: usize, next: usize) -> bool {
    let between = text.get(end..next).unwrap_or_default();
    matches!(between, b"\n" | b" \n" | b"\r\n" | b" \r\n")
        && is_long(text, end)
        // the next message of a chat
        && !speakers::begins_line(text, next)
}

/// Whether a line that ends at `end` is long, and ends with a letter.
fn is_long(text: &[u8], end: usize) -> bool {
    let line = text.iter().take(end).rev().take_while(|byte| **byte != b'\n');
    let is_start = |byte: &&u8| **byte & 0xc0 != 0x80;
    line.clone().next().is_some_and(|last| last.is_ascii_alphabetic() || !last.is_ascii())
        && line.filter(is_start).nth(WRAPPED - 1).is_some()
}

/// The longest abbreviation before the last word of a line, in bytes: `Dr.`, `Ing.`
const ABBREVIATION: u32 = 4;

/// Whether a line break before a word follows the signature of a letter: `Thanks, Gregg`.
///
/// The last word of the line is a clause of its own there, and not the first part of a name.
pub(crate) fn signs_off(text: &str, tokens: &[Token], at: usize) -> bool {
    let [before, last, token] = [2, 1, 0].map(|back| at.checked_sub(back).and_then(|at| tokens.get(at)));
    let (Some(last), Some(token)) = (last, token) else { return false };
    let is_broken =
        || text.get(last.end as usize..token.start as usize).is_some_and(|gap| gap.contains('\n'));
    let is_abbreviation = |before: &Token| before.end - before.start <= ABBREVIATION;
    match last.gap {
        Gap::Comma => is_broken(),
        Gap::Dot | Gap::Other => is_broken() && !before.is_some_and(is_abbreviation),
        _ => false,
    }
}

/// Whether a text, with its line break, breaks off within a possible name that the next line may continue.
pub fn breaks_off(text: &str) -> bool {
    let text = ["\n", "\r", " "].iter().fold(text, |text, ending| text.strip_suffix(ending).unwrap_or(text));
    let space = text.bytes().rposition(|byte| byte == b' ').unwrap_or_default();
    is_long(text.as_bytes(), text.len())
        && text.get(space + 1..).is_some_and(|last| last.starts_with(is_upper))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of a text, each with its case and the gap before it.
    fn read(text: &str) -> Vec<(&str, Case, Gap)> {
        tokens(text).iter().map(|token| (token.text(text), token.case, token.gap)).collect()
    }

    #[test]
    fn words_and_what_stands_between_them() {
        let text = "Dr. J. O’Neill-Kent: MUDr. WORD, x1\nЖук 王明";
        assert_eq!(
            read(text),
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
    fn an_apostrophe_may_be_escaped() {
        for text in ["O'Neill", "O\\'Neill", "O''Neill"] {
            let words = [("O", Case::Initial, Gap::Line), ("Neill", Case::Capital, Gap::Apostrophe)];
            assert_eq!(read(text), words, "{text}");
        }
    }

    #[test]
    fn a_proclitic_and_a_name_are_two_words() {
        let text = "<b>uThandeka noBongani iPhone";
        assert_eq!(
            read(text),
            [
                ("u", Case::Lower, Gap::Line),
                ("Thandeka", Case::Capital, Gap::Space),
                ("no", Case::Lower, Gap::Space),
                ("Bongani", Case::Capital, Gap::Space),
                ("iPhone", Case::Mixed, Gap::Space),
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
