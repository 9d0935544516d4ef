//! The text that is read before a word of the model passes an output policy.
//!
//! Ordinary words pass at once. A word that could begin a finding waits until the window after its start is full.

use textveil_engine::Entity;

use super::{Answer, TextStream, shift};
use crate::{chat::protect::Rules, error::ApiError};

/// The smallest window, in characters: an IBAN in groups of four has 42.
pub(super) const MIN_WINDOW: usize = 48;
/// The most text that is read behind a word, in bytes: words for `@` and for dots are shorter.
const MAX_NEXT: usize = 64;
/// The longest stretch that waits for its end, such as a private key, in characters.
pub(super) const MAX_STRETCH: usize = 16_384;
/// The maximum length of a machine readable zone (three lines of 30 or two of 44, with line breaks), and the
/// minimum length of a wallet's seed phrase (twelve words of eight letters), in characters.
const LONG: usize = 112;
/// The length of the last line of a PuTTY key after its label, plus one, in characters.
const PUTTY_MAC: usize = 65;
/// A longer word of letters may be a secret.
const MAX_PLAIN: usize = 24;

impl TextStream {
    /// Returns the end of the first word, with the space after it; `None` if it may continue.
    pub(super) fn word(&self, ends: bool) -> Option<usize> {
        let stop = self.marks.front().map_or(self.text.len(), |mark| mark.start);
        let rest = self.text.get(self.from..stop)?;
        let complete = ends || !self.marks.is_empty();
        let mut letters = rest.char_indices().enumerate();
        let end = letters.find(|(count, (_, letter))| is_space(*letter) || *count >= MAX_STRETCH);
        match end {
            Some((_, (at, letter))) if is_space(letter) => Some(self.from + at + letter.len_utf8()),
            Some((_, (at, _))) => Some(self.from + at),
            None if complete => Some(stop),
            None => None,
        }
    }

    /// Whether the word up to `end` is ordinary; `None` if the next character is needed.
    pub(super) fn is_plain(&self, end: usize, ends: bool) -> Option<bool> {
        let word = self.text.get(self.from..end)?;
        if word.trim_start_matches(is_space).is_empty() {
            return Some(true);
        }
        if self.expected.is_some_and(|at| self.from <= at && at < end) || !is_plain(word) {
            return Some(false);
        }
        if self.awaits_phrase() || self.may_begin(word) {
            return Some(false);
        }
        if word.ends_with(' ') {
            // `jan dot novak at example dot com`: the next word decides, and a whole answer may follow it
            let behind = self.text.get(end..)?.trim_start_matches(' ');
            let next = behind.get(..behind.floor_char_boundary(MAX_NEXT)).unwrap_or(behind);
            let behind = [next, self.reader.held(), self.begun.as_str()].concat();
            match textveil_engine::may_be_dictated(&behind) {
                Some(true) => return Some(false),
                None if !ends && self.marks.is_empty() => return None,
                _ => {}
            }
        }
        let held = self.reader.held().chars().chain(self.begun.chars());
        let mut behind = self.text.get(end..)?.chars().chain(held);
        let plain = match behind.next() {
            // `jan (at) example.com` and `January 31, 1980` begin with ordinary words
            Some('(' | '[' | '{') => behind.next().map(|letter| !letter.eq_ignore_ascii_case(&'a')),
            Some(next) => Some(!next.is_numeric()),
            None => (!word.ends_with(is_space)).then_some(true),
        };
        plain.or(ends.then_some(true))
    }

    /// Whether ordinary words may be a finding here.
    fn awaits_phrase(&self) -> bool {
        textveil_engine::awaits_phrase(self.text.get(self.before(self.from)..self.from).unwrap_or_default())
    }

    /// Whether a word contains a label, its sign, and the start of a phrase: `seed_phrase=legal`.
    fn begins_phrase(&self, word: &str) -> bool {
        word.rfind(['=', ':']).is_some_and(|sign| {
            let named = self.text.get(self.before(self.from)..self.from + sign + 1);
            textveil_engine::awaits_phrase(named.unwrap_or_default())
        })
    }

    /// Whether a name may begin with this ordinary word: `my name is jan`.
    fn may_begin(&self, word: &str) -> bool {
        let before = self.text.get(self.before(self.from)..self.from);
        textveil_engine::may_begin(before.unwrap_or_default(), word)
    }

    /// Returns the first finding in the stretch of the first word, with its range in bytes of the text;
    /// `None` if more text is needed.
    ///
    /// # Errors
    /// `budget_exceeded`
    pub(super) fn find<R: Rules>(
        &self,
        answer: &Answer<R>,
        word: usize,
        ends: bool,
    ) -> Result<Option<Option<Entity>>, ApiError> {
        let before = self.before(self.from);
        let mut length = self.first_length(answer.window, word);
        loop {
            let Some(end) = self.stretch(length, ends) else { return Ok(None) };
            let stretch = self.text.get(before..end).unwrap_or_default();
            // keeps the context of final text only, because this stretch is read again
            let mut known = self.context.as_ref().unwrap_or(&answer.context).clone();
            let found = answer.guard.find(stretch, self.from - before, &mut known)?.into_iter().next();
            // a finding at the end of the stretch may continue after it
            let touches = found.as_ref().is_some_and(|entity| before + entity.bytes.end >= end);
            if !touches || length >= MAX_STRETCH || (ends && end == self.text.len()) {
                return Ok(Some(found.map(|mut entity| {
                    shift(&mut entity, before);
                    entity
                })));
            }
            length += answer.window;
        }
    }

    /// Returns the number of characters of the first stretch.
    fn first_length(&self, window: usize, word: usize) -> usize {
        let rest = self.text.get(self.from..).unwrap_or_default();
        let word = self.text.get(self.from..word).unwrap_or_default();
        // a private key continues to its last line
        let end = if word.contains("-----BEGIN") {
            rest.find("-----END ").and_then(|end| Some(end + rest.get(end + 9..)?.find("-----")? + 14))
        } else if word.contains("PuTTY-User-Key-File-") {
            rest.find("Private-MAC: ").map(|end| end + "Private-MAC: ".len() + PUTTY_MAC)
        } else {
            // a machine readable zone begins with a `<` in its first line
            let is_long = word.contains('<')
                || self.awaits_phrase()
                || self.begins_phrase(word)
                || textveil_engine::begins_dictation(word);
            let long = if is_long { LONG } else { 0 };
            return window.max(long).max(word.chars().count());
        };
        let length = end.map_or(MAX_STRETCH, |end| rest.get(..end).unwrap_or(rest).chars().count());
        length.clamp(window, MAX_STRETCH)
    }

    /// Returns the end of a stretch of `length` characters; that of the text if it is shorter.
    fn stretch(&self, length: usize, ends: bool) -> Option<usize> {
        let rest = self.text.get(self.from..)?;
        match rest.char_indices().nth(length) {
            Some((at, _)) => Some(self.from + at),
            None if ends => Some(self.text.len()),
            None => None,
        }
    }
}

/// Whether a character ends a word. Scripts without spaces have their own marks.
fn is_space(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '。' | '，' | '、' | '！' | '？')
}

/// Whether a word can neither be nor begin a finding: lower-case letters and marks.
///
/// A capital may begin a name, as may a letter of a script without capitals. An option of a command may contain a secret or
/// precede it: `-pmarigold`, `-p marigold`.
fn is_plain(word: &str) -> bool {
    let word = word.trim_end_matches(is_space);
    let mark = |letter: char| ".,;!?'\"()*-–—…’“”„«»".contains(letter);
    let inside = word.trim_matches(mark);
    inside.chars().all(|letter| letter.is_lowercase() || matches!(letter, '\'' | '’' | '-'))
        && inside.chars().count() <= MAX_PLAIN
        && !is_option(word)
}

/// Whether a word is an option of a command, perhaps in quotes.
fn is_option(word: &str) -> bool {
    let option = word.trim_start_matches(['"', '\'', '`', '(', '[']);
    option.contains("--")
        || option
            .strip_prefix('-')
            .is_some_and(|name| name.starts_with(|letter: char| letter.is_ascii_alphabetic()))
}
