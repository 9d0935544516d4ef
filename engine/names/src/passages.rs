//! The passages whose letter case does not tell names: sentences and lines without capitals, or in capitals only.

use std::ops::Range;

use textveil_phrase::case::is_upper;

use crate::{
    speakers,
    token::{Case, Gap, Token},
};

/// The letter case of a passage that does not tell names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Letters {
    /// No word begins with a capital, except words in capitals.
    Small,
    /// Only the first word does.
    Opening,
    /// All words are in capitals.
    Capitals,
}

/// A sentence or a line whose letter case does not tell names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Passage {
    /// Its words, as indices of tokens.
    pub words: Range<usize>,
    pub letters: Letters,
}

/// The minimum number of words in capitals of a passage: fewer may be a heading, or an abbreviation.
const LEAST_CAPITALS: usize = 3;
/// The maximum length of an abbreviation, in bytes: a dot after it ends no sentence.
const ABBREVIATION: u32 = 3;
/// A writer who set a capital within a sentence sets them for names, too: in the same line, and so many bytes after.
/// A stream reads as much text again.
const NEAR: u32 = 200;

/// Reads the passages of a text, word by word.
#[derive(Debug, Default)]
pub(crate) struct Passages {
    found: Vec<Passage>,
    /// The number of those before the line that is read.
    before_line: usize,
    /// The end of the last word with a capital within a passage, and whether it is in the line that is read.
    capital: Option<u32>,
    is_careful: bool,
    /// The end of the last such word before the line, while the words read may be the speaker of the line.
    head: Option<Option<u32>>,
    /// The first word of the passage that is read, and its start.
    first: usize,
    start: u32,
    /// Whether that word has a capital.
    opens: bool,
    /// The number of words that are not in lower case, of words in capitals, and of words in a script without capitals.
    others: usize,
    capitals: usize,
    uncased: usize,
    /// The number of initials and numbers.
    neutral: usize,
}

impl Passages {
    /// Reads a word with its index. Words in lower case after a space may be left out.
    #[inline]
    pub fn read(&mut self, text: &str, tokens: &[Token], at: usize, token: &Token) {
        if token.gap != Gap::Space && ends(text, tokens, at, token) {
            self.close(at);
            self.head = None;
            if token.gap == Gap::Line {
                (self.before_line, self.is_careful) = (self.found.len(), false);
                self.head = Some(self.capital);
            }
            self.start = token.start;
        } else if token.gap == Gap::Colon {
            self.end_speaker(text, tokens, at, token);
        }
        if token.case == Case::Lower {
            return;
        }
        self.others += 1;
        match token.case {
            Case::Upper => self.capitals += 1,
            Case::None => self.uncased += 1,
            // `I` is one in any text
            Case::Initial | Case::Number => self.neutral += 1,
            // the dot may end a sentence, or an abbreviation
            _ if token.gap == Gap::Dot => {}
            // `iPhone`
            Case::Mixed if !token.text(text).starts_with(is_upper) => {}
            _ if at > self.first => {
                self.capital = Some(token.end);
                self.is_careful = true;
            }
            _ => {}
        }
        self.opens |= at == self.first && !matches!(token.case, Case::Number | Case::None);
    }

    /// Ends the speaker with whose name a message begins: its capitals tell nothing about the message.
    fn end_speaker(&mut self, text: &str, tokens: &[Token], at: usize, token: &Token) {
        let head = tokens.get(self.first..at).unwrap_or_default();
        let Some(last) = head.last() else { return };
        // not within a time
        if !text.get(last.end as usize..token.start as usize).is_some_and(|gap| gap.starts_with(": ")) {
            return;
        }
        let Some(capital) = self.head.take() else { return };
        let name = head.iter().find(|word| word.case != Case::Number);
        let is_speaker =
            |name: &Token| speakers::time_before(text, name.start as usize, last.end as usize).is_some();
        if name.is_some_and(is_speaker) {
            (self.capital, self.is_careful) = (capital, false);
            self.begin(at);
            self.start = token.start;
        }
    }

    /// Returns the passages of a text with so many words.
    pub fn finish(mut self, words: usize) -> Vec<Passage> {
        self.close(words);
        self.found
    }

    /// Ends a passage before the word `at`.
    fn close(&mut self, at: usize) {
        let words = self.first..at;
        let is_small = words.len() > self.others;
        let is_near = self.capital.is_some_and(|end| self.start < end + NEAR);
        if self.is_careful {
            let line = self.found.get(self.before_line..).unwrap_or_default();
            if line.iter().any(|passage| passage.letters != Letters::Capitals) {
                let mut line = self.found.split_off(self.before_line);
                line.retain(|passage| passage.letters == Letters::Capitals);
                self.found.extend(line);
            }
        }
        let letters = match is_small {
            _ if self.uncased > 0 => None,
            true if self.is_careful || is_near => None,
            true if self.opens => Some(Letters::Opening),
            true => Some(Letters::Small),
            false => (self.capitals >= LEAST_CAPITALS && self.capitals + self.neutral == self.others)
                .then_some(Letters::Capitals),
        };
        self.found.extend(letters.map(|letters| Passage { words, letters }));
        self.begin(at);
    }

    /// Begins a passage with the word `at`.
    fn begin(&mut self, at: usize) {
        (self.first, self.opens) = (at, false);
        (self.others, self.capitals, self.uncased, self.neutral) = (0, 0, 0, 0);
    }
}

/// Whether a passage ends before a word, which does not follow a space only.
fn ends(text: &str, tokens: &[Token], at: usize, token: &Token) -> bool {
    let Some(last) = at.checked_sub(1).and_then(|last| tokens.get(last)) else { return true };
    match token.gap {
        Gap::Line => true,
        // not within `example.com`
        Gap::Dot => last.end - last.start > ABBREVIATION && token.start > last.end + 1,
        Gap::Other => {
            let between = text.get(last.end as usize..token.start as usize).unwrap_or_default();
            // the sign is before the first space, except for quotation marks and brackets: not `m., jo`
            let closing = |sign: char| matches!(sign, '"' | '\'' | '\u{201d}' | '\u{201c}' | '\u{bb}' | ')');
            between.split_once(char::is_whitespace).is_some_and(|(signs, _)| {
                signs.trim_end_matches(closing).ends_with(['.', '!', '?', '\u{2026}'])
            })
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Anchors, token};

    #[test]
    fn passages_are_sentences_and_lines() {
        use Letters::{Capitals, Opening, Small};
        let far = "ok then\n".repeat(30);
        let far = format!("We met Ana.\n{far}Is bob in?");
        for (text, want) in [
            (
                "hi its sarah. She met him today",
                vec![(Small, "hi its sarah"), (Opening, "She met him today")],
            ),
            ("Hi its sarah\nok", vec![(Opening, "Hi its sarah"), (Small, "ok")]),
            // a capital within a sentence: in the line, and near
            ("hi its sarah. We met Ana. Is bob in?", vec![]),
            ("hi its sarah\nWe met Ana.\nis bob in?", vec![(Small, "hi its sarah")]),
            ("I met sarah", vec![(Opening, "I met sarah")]),
            (
                "ask mr. smith at IBM! JOHN SMITH LEFT",
                vec![(Small, "ask mr. smith at IBM"), (Capitals, "JOHN SMITH LEFT")],
            ),
            ("from sarah.miller now", vec![(Small, "from sarah.miller now")]),
            ("Tai 1903 m., jo ilgis", vec![(Opening, "Tai 1903 m., jo ilgis")]),
            (
                "he said \u{201c}yes!\u{201d} (now) and left",
                vec![(Small, "he said \u{201c}yes"), (Small, "now) and left")],
            ),
            ("my iPhone broke", vec![(Small, "my iPhone broke")]),
            // the speaker of a chat
            ("14/5/25, 21:19 - Ana Ruiz: say hi to nacho", vec![(Small, "say hi to nacho")]),
            ("[14.05.25, 21:19:02] Ana: say hi to Bob", vec![]),
            ("name: PORT", vec![(Small, "name: PORT")]),
            ("at 21:19 ana left", vec![(Small, "at 21:19 ana left")]),
            ("we met Ana. TODO 12", vec![]),
            ("we met Anna. CALL JOHN SMITH 12", vec![(Capitals, "CALL JOHN SMITH 12")]),
            // a script without capitals
            ("\u{5d0}\u{5e0}\u{5d9} \u{5e9}\u{5e8}\u{5d4} iphone", vec![]),
            ("привет это саша", vec![(Small, "привет это саша")]),
        ] {
            assert_eq!(passages(text), want, "{text}");
        }
        let found = passages(&far);
        assert_eq!(found.last(), Some(&(Opening, "Is bob in")));
        assert!(found.len() > 1 && found.len() < 30, "{}", found.len());
    }

    /// The passages of a text, as written.
    fn passages(text: &str) -> Vec<(Letters, &str)> {
        let tokens = token::tokens(text);
        let passages = Anchors::new(text, &tokens).passages;
        let read = passages.iter().map(|passage| {
            let (first, last) = (tokens[passage.words.start], tokens[passage.words.end - 1]);
            (passage.letters, text.get(first.start as usize..last.end as usize).unwrap())
        });
        read.collect()
    }
}
