//! The regions of a text that are judged: those that may have names.

use std::ops::Range;

use super::{AROUND, Domain, Judged, SCRIPTS, SPACE, WITHIN};
use crate::{
    Part,
    cues::{Says, says},
    inflection,
    passages::{Letters, Passage},
    person::{ends_field, is_particle, is_second_part},
    token::{Case, Gap, Token, signs_off},
};

/// The script of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Script {
    /// With capitals: words that begin with one, and particles between them.
    Cased,
    /// Words of a script without capitals.
    Words,
    /// Characters of a script without spaces.
    Characters,
    /// Words in lower case, in a passage without capitals: those around anchors.
    Small,
    /// The same, where the first word of the passage has a capital.
    Opening,
    /// Words of a passage in capitals.
    Capitals,
}

impl Script {
    /// Returns whether its letter case tells names.
    pub fn domain(self) -> Domain {
        match self {
            Self::Cased | Self::Words | Self::Characters => Domain::Plain,
            Self::Small | Self::Opening | Self::Capitals => Domain::Caseless,
        }
    }

    /// Its place in the calibration of its domain.
    pub fn line(self) -> usize {
        self as usize % SCRIPTS
    }

    /// Whether its regions are windows around anchors.
    pub(crate) fn is_window(self) -> bool {
        matches!(self, Self::Small | Self::Opening)
    }

    /// Whether its words have capitals.
    pub(crate) fn has_capitals(self) -> bool {
        matches!(self, Self::Cased | Self::Capitals)
    }
}

/// A word or a character that is judged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unit {
    /// The range, in bytes.
    pub start: u32,
    pub end: u32,
    /// The index of the token that it is, or is part of.
    pub token: u32,
    /// The class of the gap before it.
    pub gap: u8,
    /// Whether a name may go on over that gap.
    pub link: Link,
}

/// Whether a name may go on over the gap before a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    /// As the weights say.
    Plain,
    /// A dot between the words of one name: `ジャン・ルソー`, `Edwin M. McMillan`.
    Dot,
    /// The end of a clause, or a sign such as a semicolon or a bracket: no name goes on over it.
    Break,
}

/// A stretch of a text in which names may be.
#[derive(Clone, Debug)]
pub(crate) struct Region {
    pub script: Script,
    pub units: Vec<Unit>,
}

impl Region {
    /// Reads the region that begins at a token, and returns the index after its last one.
    pub fn read(&mut self, text: &str, tokens: &[Token], first: usize) -> usize {
        self.units.clear();
        let Some(script) = tokens.get(first).and_then(|token| script(text, token)) else { return first + 1 };
        self.script = script;
        match script {
            Script::Words | Script::Characters => plain(text, tokens, first, script, &mut self.units),
            _ => cased(text, tokens, first, &mut self.units),
        }
    }

    /// Reads a window.
    fn read_window(&mut self, text: &str, tokens: &[Token], script: Script, words: Range<usize>) {
        self.units.clear();
        self.script = script;
        let all = tokens.get(words.clone()).unwrap_or_default();
        self.units.extend(all.iter().zip(words).map(|(token, at)| unit(text, tokens, token, at)));
    }

    /// Reads the region of a script with these words again.
    pub fn read_again(&mut self, text: &str, tokens: &[Token], script: Script, words: Range<usize>) {
        if script.is_window() {
            return self.read_window(text, tokens, script, words);
        }
        self.read(text, tokens, words.start);
        self.script = script;
    }

    /// Returns its words, as indices of tokens.
    pub fn words(&self) -> Range<usize> {
        match (self.units.first(), self.units.last()) {
            (Some(first), Some(last)) => first.token as usize..last.token as usize + 1,
            _ => 0..0,
        }
    }

    /// Whether all words are initials, which are no name alone.
    pub fn is_initials(&self, tokens: &[Token]) -> bool {
        self.script.has_capitals()
            && self
                .units
                .iter()
                .all(|unit| tokens.get(unit.token as usize).is_some_and(|token| token.case == Case::Initial))
    }

    /// The range of a name, in bytes.
    pub fn span(&self, name: &Judged) -> Option<Part> {
        let units = self.units.get(name.start..name.end)?;
        Some(Part { start: units.first()?.start, end: units.last()?.end })
    }
}

/// The maximum number of particles between two words with a capital.
const MAX_SMALL: usize = 3;
/// The maximum number of units of a region.
const MAX_UNITS: usize = 128;

/// A text as it is judged.
#[derive(Clone, Copy)]
pub(crate) struct Source<'t> {
    pub text: &'t str,
    pub tokens: &'t [Token],
    /// The words that may begin a name: [`crate::Anchors`].
    pub beginnings: &'t [usize],
    /// The passages whose letter case does not tell names.
    pub passages: &'t [Passage],
}

/// Words in lower case that are judged.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    pub script: Script,
    /// Indices of tokens.
    pub words: Range<usize>,
}

/// Returns the windows around the anchors in passages without capitals, sorted by position.
pub(super) fn windows(source: Source<'_>, mut is_anchor: impl FnMut(Script, usize) -> bool) -> Vec<Window> {
    let Source { text, tokens, passages, .. } = source;
    let mut windows: Vec<Window> = Vec::new();
    for passage in passages {
        let script = match passage.letters {
            Letters::Small => Script::Small,
            Letters::Opening => Script::Opening,
            Letters::Capitals => continue,
        };
        for row in (Rows { text, tokens, words: passage.words.clone() }) {
            // of this row
            let first = windows.len();
            for at in row.clone().filter(|at| is_anchor(script, *at)) {
                let words = row.start.max(at.saturating_sub(AROUND))..row.end.min(at + AROUND + 1);
                match windows.get_mut(first..).and_then(<[Window]>::last_mut) {
                    Some(last) if words.start <= last.words.end => last.words.end = words.end,
                    _ => windows.push(Window { script, words }),
                }
            }
        }
    }
    windows
}

/// The rows of words in lower case, between others and parts of identifiers; a long one is cut.
struct Rows<'t> {
    text: &'t str,
    tokens: &'t [Token],
    /// The words that were not read yet.
    words: Range<usize>,
}

impl Iterator for Rows<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let is_small = |at: &usize| {
            let token = self.tokens.get(*at);
            token.is_some_and(|token| token.case == Case::Lower && !is_in_identifier(self.text, token))
        };
        let first = self.words.find(is_small)?;
        let more = self.words.clone().take(MAX_UNITS - 1).take_while(is_small).count();
        self.words.start = first + 1 + more;
        Some(first..self.words.start)
    }
}

/// Whether a word in lower case touches a sign of a program, of a path or of an address: `jan.novak@`, `--jan`, `get_jan`.
fn is_in_identifier(text: &str, token: &Token) -> bool {
    let (before, after) =
        (text.as_bytes().get(..token.start as usize), text.as_bytes().get(token.end as usize..));
    let is_after = |before: &[u8]| match before {
        [.., b'_' | b'/' | b'\\' | b'@' | b'#' | b'$' | b'%' | b'&' | b'=' | b'~'] => true,
        [.., last, b'.' | b':'] => last.is_ascii_alphanumeric() || *last == b':',
        [.., last, b'-'] => !last.is_ascii_alphanumeric() && last.is_ascii(),
        [b'.' | b'-'] => true,
        _ => false,
    };
    let is_before = |after: &[u8]| match after {
        [b'_' | b'/' | b'\\' | b'@' | b'#' | b'$' | b'=' | b'(' | b'[' | b'{' | b'~', ..] => true,
        [b'.' | b':', next, ..] => next.is_ascii_alphanumeric() || matches!(next, b':' | b'/'),
        _ => false,
    };
    before.is_some_and(is_after) || after.is_some_and(is_before)
}

/// Calls `take` with each region of a text; `windows` are those of its passages without capitals.
pub(crate) fn regions(source: Source<'_>, windows: &[Window], mut take: impl FnMut(&Region)) {
    let Source { text, tokens, beginnings, passages } = source;
    let mut region = Region { script: Script::Cased, units: Vec::new() };
    let mut windows = windows.iter().peekable();
    let mut capitals = passages.iter().filter(|passage| passage.letters == Letters::Capitals).peekable();
    let mut done = 0;
    for &at in beginnings {
        while let Some(window) = windows.next_if(|window| window.words.start < at) {
            done = done.max(window.words.end);
            region.read_window(text, tokens, window.script, window.words.clone());
            take(&region);
        }
        let is_done =
            |token: &Token| at < done || script(text, token).is_none() || is_regnal(text, tokens, at);
        if tokens.get(at).is_none_or(is_done) {
            continue;
        }
        done = region.read(text, tokens, at);
        while capitals.next_if(|passage| passage.words.end <= at).is_some() {}
        if region.script == Script::Cased
            && capitals.peek().is_some_and(|passage| passage.words.contains(&at))
        {
            region.script = Script::Capitals;
        }
        if !is_hopeless(tokens, &region) {
            take(&region);
        }
    }
    for window in windows {
        region.read_window(text, tokens, window.script, window.words.clone());
        take(&region);
    }
}

/// Whether a token follows the number of a ruler: `エドワード4世`, `니콜라이 2세`.
pub(crate) fn is_regnal(text: &str, tokens: &[Token], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|last| tokens.get(last));
    tokens.get(at).is_some_and(|token| token.gap == Gap::None && matches!(token.text(text), "世" | "세"))
        && before.is_some_and(|number| number.case == Case::Number)
}

/// Whether a region is a common word at the start of a sentence. Most words with a capital are.
fn is_hopeless(tokens: &[Token], region: &Region) -> bool {
    let [unit] = region.units.as_slice() else { return false };
    let Some(token) = tokens.get(unit.token as usize) else { return true };
    region.script == Script::Cased
        && matches!(token.gap, Gap::Line | Gap::Dot | Gap::Other)
        && token.case == Case::Capital
        && says(token.phrase).any(Says::COMMON)
}

/// The script of a word that may be part of a name.
fn script(text: &str, token: &Token) -> Option<Script> {
    match token.case {
        Case::Capital | Case::Initial | Case::Upper | Case::Mixed => Some(Script::Cased),
        Case::Lower | Case::Number => None,
        // Han and Hangul, whose first byte is not that of kana
        Case::None if token.is_alone && text.as_bytes().get(token.start as usize) != Some(&0xe3) => {
            Some(Script::Characters)
        }
        Case::None => {
            let first = token.text(text).chars().next()?;
            match first {
                // hiragana are the words between names
                '\u{3040}'..='\u{309f}' => None,
                // Burmese, Khmer, Lao
                _ if is_unspaced(first) && is_unlearnt(first) => None,
                _ if token.is_alone || is_unspaced(first) => Some(Script::Characters),
                _ => Some(Script::Words),
            }
        }
    }
}

/// Whether a letter is of a script that is written without spaces, and not a word of its own: Thai, Lao,
/// Burmese, Khmer.
fn is_unspaced(letter: char) -> bool {
    matches!(letter, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
}

/// Whether a letter is of a script with spaces and without capitals. The core of a page has no tables of Unicode for this:
/// the ranges are those between the scripts with capitals.
pub(crate) fn is_spaced_without_capitals(letter: char) -> bool {
    matches!(letter, '\u{590}'..='\u{1c7f}' | '\u{ac00}'..='\u{d7a3}') && !is_unspaced(letter)
}

/// Whether a letter is of a script without capitals of whose names the judge has learnt nothing: those of India but
/// Devanagari and Bengali, Sinhala, Lao, Burmese, Georgian, Amharic, Khmer.
pub(crate) fn is_unlearnt(letter: char) -> bool {
    matches!(letter,
        '\u{a00}'..='\u{dff}' | '\u{e80}'..='\u{eff}' | '\u{1000}'..='\u{10ff}' | '\u{1200}'..='\u{139f}'
        | '\u{1780}'..='\u{17ff}')
}

/// Whether a character belongs to the one before it.
pub(super) fn is_mark(letter: char) -> bool {
    matches!(letter,
        '\u{e31}' | '\u{e34}'..='\u{e3a}' | '\u{e47}'..='\u{e4e}'
        | '\u{eb1}' | '\u{eb4}'..='\u{ebc}' | '\u{ec8}'..='\u{ece}'
        | '\u{102b}'..='\u{103e}' | '\u{17b4}'..='\u{17d3}')
}

/// Returns the unit that a token is.
fn unit(text: &str, tokens: &[Token], token: &Token, at: usize) -> Unit {
    let Token { start, end, .. } = *token;
    let written = token.text(text);
    // the proclitic of a Hebrew name is no part of it
    let proclitic = if token.case == Case::None && written.starts_with(is_hebrew) {
        inflection::after_proclitic(written).map_or(0, |(len, _)| len as u32)
    } else {
        0
    };
    Unit {
        start: start + proclitic,
        end,
        token: at as u32,
        gap: gap(token.gap),
        link: link(text, tokens, token, at),
    }
}

/// The class of a gap, for the weights of two tags in a row.
fn gap(gap: Gap) -> u8 {
    match gap {
        Gap::Space => SPACE,
        Gap::Hyphen => 1,
        Gap::Apostrophe => 2,
        Gap::Dot => 3,
        Gap::Comma => 4,
        Gap::None => WITHIN,
        Gap::Colon | Gap::Other => 6,
        Gap::Line => 7,
    }
}

/// The fewest letters of a word whose dot ends a sentence, and those in a script without capitals: shorter ones may be
/// abbreviations.
const SENTENCE: usize = 6;
const SENTENCE_PLAIN: usize = 4;

/// Returns whether a name may go on over the gap before the word `at`, which is `token`.
fn link(text: &str, tokens: &[Token], token: &Token, at: usize) -> Link {
    let Some(before) = at.checked_sub(1).and_then(|last| tokens.get(last)) else { return Link::Plain };
    let written = before.text(text);
    let letters = || written.chars().count();
    match token.gap {
        Gap::Other => {
            let between = text.get(before.end as usize..token.start as usize).unwrap_or_default();
            link_over(written, between, token.text(text))
        }
        Gap::Dot => match before.case {
            Case::Initial => Link::Dot,
            Case::None if script(text, before) == Some(Script::Words) && letters() >= SENTENCE_PLAIN => {
                Link::Break
            }
            Case::Capital | Case::Upper | Case::Mixed if letters() >= SENTENCE => Link::Break,
            _ => Link::Plain,
        },
        Gap::Space if signs_off(text, tokens, at) || is_and(token, token.text(text)) => Link::Break,
        _ => Link::Plain,
    }
}

/// Whether a word is `and` and a name, written as one word: `وبطليموس`, `וקליין`.
fn is_and(token: &Token, written: &str) -> bool {
    token.case == Case::None
        && written.starts_with(['\u{5d5}', '\u{648}'])
        && inflection::after_proclitic(written).is_some()
}

fn is_hebrew(letter: char) -> bool {
    matches!(letter, '\u{5d0}'..='\u{5ea}')
}

/// Returns whether a name may go on over a gap of other characters between two words.
fn link_over(before: &str, between: &str, after: &str) -> Link {
    match between {
        // `ジャン・ルソー`, but two given names in a list: `辰次・猪次郎`
        "\u{30fb}" if !(before.ends_with(is_katakana) && after.starts_with(is_katakana)) => Link::Break,
        "\u{30fb}" | "\u{b7}" | "\u{2027}" => Link::Dot,
        _ if between.contains(BREAKS) => Link::Break,
        _ => Link::Plain,
    }
}

/// Signs that no name goes on over.
const BREAKS: [char; 10] =
    ['(', ')', '\u{ff08}', '\u{ff09}', ';', '\u{ff1b}', '\u{3001}', '\u{ff0c}', '/', '|'];

/// Whether a letter is of katakana, in which Japanese writes foreign names.
pub(super) fn is_katakana(letter: char) -> bool {
    matches!(letter, '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}')
}

/// Adds the words from one with a capital on, up to the label of the next field, and returns the index after the last.
fn cased(text: &str, tokens: &[Token], first: usize, units: &mut Vec<Unit>) -> usize {
    // `J. van Pelt`
    let is_initial = |at: usize| tokens.get(at).is_some_and(|token| token.case == Case::Initial);
    let mut end = first;
    let mut at = first;
    while let Some(token) = tokens.get(at) {
        let small = at - end;
        let ends = at > first && (token.gap == Gap::Line || ends_field(text, tokens, first, at));
        if ends || at - first >= MAX_UNITS {
            break;
        }
        if token.is_capital() {
            let more = tokens.get(end..=at).unwrap_or_default();
            units.extend(more.iter().zip(end..).map(|(token, at)| unit(text, tokens, token, at)));
            end = at + 1;
        } else if token.case != Case::Lower || small >= MAX_SMALL {
            break;
        } else {
            let is_joined = matches!(token.gap, Gap::Space | Gap::Apostrophe | Gap::Hyphen)
                || token.gap == Gap::Dot && is_initial(at - 1);
            if !(is_joined && is_particle(token.text(text)) || is_second_part(tokens, at)) {
                break;
            }
        }
        at += 1;
    }
    end
}

/// Adds the words or the characters from one on, and returns the index after the last.
fn plain(text: &str, tokens: &[Token], first: usize, is: Script, units: &mut Vec<Unit>) -> usize {
    let mut at = first;
    while let Some(token) = tokens.get(at) {
        if at > first && token.gap == Gap::Line || units.len() >= MAX_UNITS || script(text, token) != Some(is)
        {
            break;
        }
        if is == Script::Characters && !token.is_alone {
            characters(text, tokens, token, at, units);
        } else if token.is_alone && token.gap == Gap::None {
            // most characters, without a look at what no such word has
            let Token { start, end, .. } = *token;
            units.push(Unit { start, end, token: at as u32, gap: WITHIN, link: Link::Plain });
        } else {
            units.push(unit(text, tokens, token, at));
        }
        at += 1;
    }
    at
}

/// Adds the characters of a token, each with its marks.
fn characters(text: &str, tokens: &[Token], token: &Token, at: usize, units: &mut Vec<Unit>) {
    let first = units.len();
    for (offset, letter) in token.text(text).char_indices() {
        let start = token.start + offset as u32;
        let end = start + letter.len_utf8() as u32;
        match units.get_mut(first..).and_then(<[Unit]>::last_mut) {
            Some(last) if is_mark(letter) => last.end = end,
            _ => {
                let (gap, link) = match offset {
                    0 => (gap(token.gap), link(text, tokens, token, at)),
                    _ => (WITHIN, Link::Plain),
                };
                units.push(Unit { start, end, token: at as u32, gap, link });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proclitics_are_no_part_of_a_name() {
        for (text, want) in [
            ("\u{5d1}\u{5df} \u{5d5}\u{5d3}\u{5d5}\u{5d3}", ["\u{5d1}\u{5df}", "\u{5d3}\u{5d5}\u{5d3}"]),
            (
                "\u{623}\u{62d}\u{645}\u{62f} \u{648}\u{645}\u{62d}\u{645}\u{62f}",
                ["\u{623}\u{62d}\u{645}\u{62f}", "\u{648}\u{645}\u{62d}\u{645}\u{62f}"],
            ),
        ] {
            let tokens = crate::token::tokens(text);
            let mut region = Region { script: Script::Words, units: Vec::new() };
            region.read(text, &tokens, 0);
            let units = region.units.iter();
            let written: Vec<&str> =
                units.map(|unit| text.get(unit.start as usize..unit.end as usize).unwrap()).collect();
            assert_eq!(written, want);
            assert_eq!(region.units.last().unwrap().link, Link::Break);
        }
    }

    #[test]
    fn signs_that_no_name_goes_on_over() {
        for (before, between, after, want) in [
            ("Joe", "; ", "Peters", Link::Break),
            ("Feyfant", " (", "Olivier", Link::Break),
            ("リッカ", "、", "マレー", Link::Break),
            ("リッカ", "・", "マレー", Link::Dot),
            ("辰次", "・", "猪次郎", Link::Break),
            ("让", "·", "卢梭", Link::Dot),
            ("Robert", " \"", "Bob", Link::Plain),
        ] {
            assert_eq!(link_over(before, between, after), want, "{before}{between}{after}");
        }
    }
}
