//! Tokens with a literal prefix, such as API keys.

use textveil_weights::prior as weights;

use super::{
    pattern::{end, pattern},
    scan::{ScannedWord, Scanner},
    table::Recognise,
    user,
};
use crate::{
    api::facts::{Facts, Invalid},
    catalogue,
    evidence::candidate::{Candidate, Source, Verdict, weight_of},
    phrase::bytes::WIDE,
};

/// The longest token, in bytes.
const MAX_TOKEN: usize = 4_096;
/// The longest first track of a card, in bytes: 79 characters (ISO/IEC 7813).
const MAX_CARD_TRACK: usize = 96;
/// The number of bytes of a token's literal prefix that are looked up first.
const HEAD: usize = 3;

/// Tokens with a literal prefix.
pub(super) struct PrefixedTokens;

/// The state of the search for tokens.
#[derive(Default)]
pub(super) struct PrefixedState {
    /// The end of the last token.
    pub done: usize,
    unspaced: Unspaced,
}

/// The range last searched for white space, so that no text is read twice.
#[derive(Default)]
struct Unspaced {
    /// The start of a range without white space; `end` is its end.
    start: usize,
    end: usize,
    /// White space follows at `end`.
    closed: bool,
}

impl Recognise for PrefixedTokens {
    type State = PrefixedState;

    const MARKS: &'static [u8] = b"-$\"%;{";

    fn at_mark(scanner: &mut Scanner<'_>, at: usize, _: u8) {
        read(scanner, at);
    }

    #[inline(always)]
    fn at_start(scanner: &mut Scanner<'_>, at: usize) {
        read(scanner, at);
    }

    #[inline(always)]
    fn at_word(scanner: &mut Scanner<'_>, word: ScannedWord) {
        if word.class & WIDE != 0 {
            read_within(scanner, word.start, word.end);
        }
    }
}

/// Reads a token with a literal prefix, at the start of a word.
#[inline]
fn read(scanner: &mut Scanner<'_>, at: usize) {
    if let Some(head) = scanner.bytes.get(at..).and_then(|rest| rest.first_chunk())
        && catalogue::may_start(*head)
        && at >= scanner.states.prefixed.done
    {
        read_with(scanner, *head, at);
    }
}

/// Reads a token that begins with these three bytes.
///
/// Few words do, so this function is not inlined.
#[inline(never)]
fn read_with(scanner: &mut Scanner<'_>, head: [u8; HEAD], at: usize) {
    let inside = at.checked_sub(1).and_then(|before| scanner.bytes.get(before));
    if inside.is_some_and(|byte| matches!(byte, b'_' | b'-' | b'.') || byte.is_ascii_alphanumeric()) {
        return;
    }
    for (start, index) in catalogue::starts(head) {
        // a URL is read once, from its start
        if at < scanner.states.url.done && start.contains("://") {
            continue;
        }
        let Some(rest) = scanner.text.get(at..).filter(|rest| rest.starts_with(start)) else { continue };
        let Some(detector) = catalogue::detector(index) else { continue };
        let window = scanner.states.prefixed.unspaced.window(rest, at, start);
        // a URL with a password contains an `@`
        if start.ends_with("://") && !window.contains('@') {
            continue;
        }
        scanner.count(1);
        let Some(end) = pattern(index, detector).and_then(|pattern| end(pattern, window)).map(|end| at + end)
        else {
            continue;
        };
        // a longer word is not this token; a prefix of three letters occurs in base64 by chance
        let after = scanner.bytes.get(end);
        let base64 = |byte: &u8| matches!(byte, b'+' | b'/' | b'=');
        let bare = start.bytes().all(|byte| byte.is_ascii_alphanumeric()) && start.len() == HEAD;
        // a query value follows `=`, and a path segment follows `/`
        if after.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
            || bare && (after.is_some_and(base64) || inside == Some(&b'+'))
        {
            continue;
        }
        let written = scanner.text.get(at..end).unwrap_or_default();
        let (verdict, facts) = match detector.facts(written) {
            None => (Verdict::Unchecked, Facts::default()),
            Some(Ok(facts)) => (Verdict::Valid, facts),
            Some(Err(reason @ (Invalid::Checksum | Invalid::Component))) => {
                (Verdict::Failed(reason), Facts::default())
            }
            Some(Err(Invalid::Format | Invalid::Length)) => continue,
        };
        scanner.states.prefixed.done = end;
        if detector.name() == "password_hash" {
            user::read_before_hash(scanner, at);
        }
        scanner.keep(Candidate {
            verdict,
            facts,
            check_digits: detector.has_check_digits(0),
            shape: detector.prior().unwrap_or(weights::PREFIXED) + weights::PREFIX,
            check: weight_of(verdict, detector, &facts, 0),
            ..Candidate::new(Source::Catalogue(index), at, end)
        });
    }
}

/// Finds tokens directly after a character of a script without spaces: `密钥ghp_…`, `（ghp_…`.
fn read_within(scanner: &mut Scanner<'_>, start: usize, end: usize) {
    for at in start + 1..end {
        let (before, here) = (scanner.bytes.get(at - 1), scanner.bytes.get(at));
        if before.is_some_and(|byte| *byte >= 0x80) && here.is_some_and(u8::is_ascii_alphanumeric) {
            let mut letter = scanner.bytes.iter().take(at).rev().take(4);
            if letter.find(|byte| **byte >= 0xc0).is_some_and(|first| *first >= 0xe0) {
                read(scanner, at);
            }
        }
    }
}

impl Unspaced {
    /// Cuts the text that a token's pattern is matched against; `rest` begins at `at` with the literal prefix.
    ///
    /// A token ends at white space. A token of several lines has up to [`MAX_TOKEN`] bytes and does not contain its own
    /// prefix again; the name on a card contains spaces.
    fn window<'r>(&mut self, rest: &'r str, at: usize, prefix: &str) -> &'r str {
        let cut = |end: usize| rest.get(..rest.floor_char_boundary(end)).unwrap_or(rest);
        if prefix.starts_with("-----") || prefix.starts_with("PuTTY-") {
            let window = cut(MAX_TOKEN);
            let again = window.get(prefix.len()..).and_then(|behind| behind.find(prefix));
            return cut(again.map_or(window.len(), |end| prefix.len() + end));
        }
        if prefix.starts_with("%B") {
            let window = cut(MAX_CARD_TRACK);
            let ends = |letter: char| letter.is_whitespace() && letter != ' ';
            return cut(window.find(ends).unwrap_or(window.len()));
        }
        let (from, limit) = (at + prefix.len(), (at + MAX_TOKEN).min(at + rest.len()));
        if from < self.start || from > self.end {
            *self = Self { start: from, end: from, closed: false };
        }
        if !self.closed && self.end < limit {
            let unread = rest.get(self.end - at..rest.floor_char_boundary(limit - at)).unwrap_or_default();
            let space = unread.find(char::is_whitespace);
            self.end += space.unwrap_or(unread.len());
            self.closed = space.is_some();
        }
        cut(self.end.min(limit) - at)
    }
}
