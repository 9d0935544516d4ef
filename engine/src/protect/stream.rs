//! Protecting a text that arrives in pieces.

use std::sync::Arc;

use crate::{
    api::{
        answer::Protected,
        entity::TypeCounts,
        error::Error,
        options::{DetectOptions, ProtectOptions},
    },
    country::infer::Clues,
    detect::{self, plan::Plan},
    evidence::labels::OpenList,
    phrase::work::Work,
    protect::{Keyring, Protector, count, rewrite},
    recognise::{command, iban, labelled, mrz, names, pair},
    text::strings,
};

/// The text before a segment that is read again for its labels: so many lines, and so many bytes at most.
const CONTEXT_LINES: usize = 3;
const CONTEXT: usize = 256;
/// Length of the analysed text that is kept before the part older than its context is dropped, in bytes.
const MAX_KEPT: usize = 8_192;
/// The longest line in bytes that is not cut; a longer one is cut at a place without findings.
const MAX_LINE: usize = 8_192;
/// Length of the rest of a long line that is kept after the cut, in bytes.
const TAIL: usize = 1_024;
/// The longest multi-line block, in bytes.
const MAX_BLOCK: usize = 16_384;

/// Whether a text, with its line break, breaks off within something that may continue on the next line.
const LONGER_THAN_LINES: [fn(&str) -> bool; 7] = [
    strings::breaks_off,
    iban::breaks_off,
    mrz::breaks_off,
    labelled::breaks_off,
    command::breaks_off,
    pair::breaks_off,
    may_go_on,
];

/// Protects a text that arrives in pieces, in constant memory.
///
/// The output does not depend on how the input is cut into pieces. A segment ends with its line. A line of
/// more than 8 KiB ends at a place without findings, and a private key continues to its end. An IBAN, a
/// machine readable zone, a name, or a label with its value below keeps its lines together. Labels are read
/// across segments, and evidence for a country in earlier segments counts.
///
/// # Examples
/// ```
/// use textveil_engine::{DetectOptions, ProtectOptions, Stream};
///
/// let mut stream = Stream::new(DetectOptions::default(), ProtectOptions::default(), None)?;
/// assert_eq!(stream.push("PESEL 440514")?, "");
/// assert_eq!(stream.push("01359\nto jan")?, "PESEL [REDACTED]\n");
/// assert_eq!(stream.push(".novak@example.com")? + &stream.finish()?, "to [REDACTED]");
/// assert_eq!((stream.found()["pesel"], stream.found()["email"]), (1, 1));
/// # Ok::<(), textveil_engine::Error>(())
/// ```
pub struct Stream {
    plan: Arc<Plan>,
    protector: Protector,
    keys: Option<Keyring>,
    /// Text that is read and protected already, kept for its labels; `held` follows it.
    context: String,
    /// Text that is not final.
    held: String,
    clues: Clues,
    /// The list that the protected text ends with.
    list: OpenList,
    found: TypeCounts,
}

impl Stream {
    /// Creates a stream; the options are checked here, once.
    ///
    /// # Errors
    /// As [`crate::protect()`] for its options.
    pub fn new(
        detection: DetectOptions,
        protection: ProtectOptions,
        keys: Option<Keyring>,
    ) -> Result<Self, Error> {
        Self::of(Arc::new(Plan::new(&detection)?), &protection, keys)
    }

    /// Creates a stream with a plan that others may share.
    pub(crate) fn of(
        plan: Arc<Plan>,
        protection: &ProtectOptions,
        keys: Option<Keyring>,
    ) -> Result<Self, Error> {
        plan.hints.must_be_absent()?;
        plan.cells.must_be_absent()?;
        let protector = Protector::new(protection, &plan, keys.as_ref())?;
        Ok(Self {
            plan,
            protector,
            keys,
            context: String::new(),
            held: String::new(),
            clues: Clues::default(),
            list: OpenList::default(),
            found: TypeCounts::new(),
        })
    }

    /// Adds a piece and returns the protected text that is final.
    ///
    /// # Errors
    /// `policy_violation` if a policy blocks; the segment is then not returned.
    pub fn push(&mut self, chunk: &str) -> Result<String, Error> {
        self.push_edited(chunk, |_| ())
    }

    /// Adds a piece like [`Stream::push`], with edited replacements.
    ///
    /// `edit` may change the replacement of each finding. The spans of the findings are offsets in the part
    /// of the text that the stream still holds.
    ///
    /// # Errors
    /// As [`Stream::push`].
    ///
    /// # Examples
    /// ```
    /// use textveil_engine::{DetectOptions, ProtectOptions, Stream};
    ///
    /// let mut stream = Stream::new(DetectOptions::default(), ProtectOptions::default(), None)?;
    /// let edit = |found: &mut textveil_engine::Protected| found.replacement = format!("<{}>", found.entity.kind);
    /// assert_eq!(stream.push_edited("PESEL 44051401359\n", edit)?, "PESEL <pesel>\n");
    /// # Ok::<(), textveil_engine::Error>(())
    /// ```
    pub fn push_edited(
        &mut self,
        chunk: &str,
        mut edit: impl FnMut(&mut Protected),
    ) -> Result<String, Error> {
        self.held.push_str(chunk);
        let mut out = String::with_capacity(chunk.len());
        let mut held = std::mem::take(&mut self.held);
        let mut rest = held.as_str();
        while let Some(segment) = self.segment(rest) {
            let (now, later) = rest.split_at_checked(segment).unwrap_or((rest, ""));
            self.protect(now, &mut out, &mut edit)?;
            rest = later;
        }
        let done = held.len() - rest.len();
        held.drain(..done);
        self.held = held;
        Ok(out)
    }

    /// Returns the rest.
    ///
    /// The stream can then be used for another text.
    ///
    /// # Errors
    /// As [`Stream::push`].
    pub fn finish(&mut self) -> Result<String, Error> {
        self.finish_edited(|_| ())
    }

    /// Returns the rest like [`Stream::finish`], with edited replacements.
    ///
    /// `edit` may change the replacement of each finding.
    ///
    /// # Errors
    /// As [`Stream::push`].
    ///
    /// # Examples
    /// ```
    /// use textveil_engine::{DetectOptions, ProtectOptions, Stream};
    ///
    /// let mut stream = Stream::new(DetectOptions::default(), ProtectOptions::default(), None)?;
    /// stream.push("to jan.novak@example.com")?;
    /// assert_eq!(stream.finish_edited(|found| found.replacement = "<1>".to_owned())?, "to <1>");
    /// # Ok::<(), textveil_engine::Error>(())
    /// ```
    pub fn finish_edited(&mut self, mut edit: impl FnMut(&mut Protected)) -> Result<String, Error> {
        let rest = std::mem::take(&mut self.held);
        let mut out = String::new();
        let protected = if rest.is_empty() { Ok(()) } else { self.protect(&rest, &mut out, &mut edit) };
        self.context.clear();
        self.clues = Clues::default();
        self.list = OpenList::default();
        protected.map(|()| out)
    }

    /// Returns the number of findings by type, over all texts.
    ///
    /// It counts from the creation of the stream on.
    pub fn found(&self) -> &TypeCounts {
        &self.found
    }

    /// Returns the length of the first segment of the text, if it is final.
    fn segment(&self, text: &str) -> Option<usize> {
        match line(text) {
            Some(end) => LONGER_THAN_LINES
                .iter()
                .try_fold(block(text, end)?, |end, breaks_off| to_its_end(*breaks_off, text, end)),
            None if text.len() >= MAX_LINE => Some(self.cut(text)),
            None => None,
        }
    }

    /// Returns where to cut an overlong line: at the last space before its tail outside all findings.
    fn cut(&self, text: &str) -> usize {
        let window = floor(text, MAX_LINE);
        let found = detect::run(text.get(..window).unwrap_or(text), &self.plan, &Work::default()).entities;
        let covered = |at: usize| found.iter().any(|entity| entity.bytes.start < at && at < entity.bytes.end);
        let head = text.get(..floor(text, MAX_LINE - TAIL)).unwrap_or(text);
        let mut spaces = head
            .char_indices()
            .rev()
            .filter(|(_, letter)| letter.is_whitespace())
            .map(|(at, letter)| at + letter.len_utf8());
        spaces.by_ref().find(|at| !covered(*at)).unwrap_or_else(|| {
            let beyond =
                found.iter().find(|entity| entity.bytes.start < head.len() && head.len() < entity.bytes.end);
            beyond.map_or(head.len(), |entity| entity.bytes.end)
        })
    }

    /// Protects a segment and keeps the context of the next one.
    fn protect(
        &mut self,
        segment: &str,
        out: &mut String,
        edit: &mut dyn FnMut(&mut Protected),
    ) -> Result<(), Error> {
        let resumes = !self.context.is_empty() && !self.context.ends_with('\n');
        if self.context.len() > MAX_KEPT {
            let old = ceiling(&self.context, self.context.len() - CONTEXT);
            self.context.drain(..old);
        }
        let keep = context(&self.context);
        let from = self.context.len() - keep;
        self.context.push_str(segment);
        let text = self.context.get(keep..).unwrap_or_default();
        let (plan, work) = (&self.plan, &Work::default());
        let mut found = detect::follow(text, from, resumes, plan, &mut self.clues, &mut self.list, work);
        detect::encoded::add(text, from, 0, plan, &mut found, work);
        if found.is_empty() {
            out.push_str(segment);
        } else {
            count(&found, &mut self.found);
            let mut replaced = self.protector.replace_in(text, found, self.keys.as_ref())?;
            replaced.iter_mut().for_each(edit);
            out.push_str(&rewrite(text, &replaced, from));
        }
        Ok(())
    }
}

/// Returns the start of the context of what follows a text.
fn context(text: &str) -> usize {
    let start = ceiling(text, text.len().saturating_sub(CONTEXT));
    let breaks = text.get(start..).unwrap_or_default().rmatch_indices('\n');
    // the last one ends the last line
    breaks.map(|(at, _)| start + at + 1).nth(CONTEXT_LINES).unwrap_or(start)
}

/// Returns the end of the first line, if it has arrived and is not too long.
fn line(text: &str) -> Option<usize> {
    text.find('\n').map(|end| end + 1).filter(|end| *end <= MAX_LINE)
}

/// Returns the end of the segment that would end at `end`; lines that continue it belong to it. `None` if
/// they have not arrived.
fn to_its_end(breaks_off: fn(&str) -> bool, text: &str, mut end: usize) -> Option<usize> {
    while breaks_off(text.get(..end)?) {
        let rest = text.get(end..)?;
        match line(rest) {
            Some(next) => end += next,
            None => return (rest.len() >= MAX_LINE).then_some(end),
        }
    }
    Some(end)
}

/// Whether a name at the end of a text may continue on the next line, within the limit of a segment.
fn may_go_on(text: &str) -> bool {
    text.len() < MAX_LINE && names::breaks_off(text)
}

/// Returns the end of the segment whose first line ends at `end`: a private key continues to its last line.
/// `None` if that has not arrived.
fn block(text: &str, end: usize) -> Option<usize> {
    let line = text.get(..end)?;
    // most lines have no dash, and a search for one byte is fast
    if !line.as_bytes().contains(&b'-') {
        return Some(end);
    }
    let closed_by = if line.contains("-----BEGIN ") && line.contains("PRIVATE KEY") {
        "-----END "
    } else if line.contains("PuTTY-User-Key-File-") {
        "Private-MAC: "
    } else {
        return Some(end);
    };
    if line.contains(closed_by) {
        return Some(end);
    }
    let last = text.get(end..)?.find(closed_by).map(|at| end + at).filter(|at| *at < MAX_BLOCK);
    match last {
        Some(last) => text
            .get(last..)?
            .find('\n')
            .map(|line_end| last + line_end + 1)
            .filter(|end| *end < 2 * MAX_BLOCK)
            .or((text.len() >= 2 * MAX_BLOCK).then_some(end)),
        None => (text.len() >= MAX_BLOCK + MAX_LINE).then_some(end),
    }
}

/// Returns the last character boundary at or before `at`.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Returns the first character boundary at or after `at`.
fn ceiling(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

/// Omits the text; shows its length only.
impl std::fmt::Debug for Stream {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Stream({} bytes held)", self.held.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the output of a stream for a text in pieces of `size` characters.
    fn streamed(text: &str, size: usize) -> String {
        let mut stream = Stream::new(DetectOptions::default(), ProtectOptions::default(), None).unwrap();
        let letters: Vec<char> = text.chars().collect();
        let mut out = String::new();
        for piece in letters.chunks(size) {
            out.push_str(&stream.push(&piece.iter().collect::<String>()).unwrap());
        }
        out + &stream.finish().unwrap()
    }

    #[test]
    fn lines_that_belong_together() {
        for (text, want) in [
            ("IBAN DE89 3704 0044\n0532 0130 00\nend", "IBAN [REDACTED]\nend"),
            ("IBAN DE89 3704 0044\r\n0532 0130 00", "IBAN [REDACTED]"),
            ("IBAN DE89 3704 0044\n\n0532 0130 00\n", "IBAN DE89 3704 0044\n\n0532 0130 00\n"),
            (
                "I<UTOD231458907<<<<<<<<<<<<<<<\n7408122F1204159UTO<<<<<<<<<<<6\nERIKSSON<<ANNA<MARIA<<<<<<<<<<\nend",
                "[REDACTED]\nend",
            ),
            (
                "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<\nend",
                "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<\nend",
            ),
            ("PESEL:\n44051401359\n", "PESEL:\n[REDACTED]\n"),
            ("Password:\r\nhunter2\nGender:\nfemale\n", "Password:\r\n[REDACTED]\nGender:\n[REDACTED]\n"),
            ("Password:\n\nhunter2\n", "Password:\n\nhunter2\n"),
            ("Č: é １２\nPESEL ４４０５１４０１３５９\n", "Č: é １２\nPESEL [REDACTED]\n"),
        ] {
            for size in [1, 2, 7, 100] {
                assert_eq!(streamed(text, size), want, "{text:?} in pieces of {size}");
            }
        }
    }

    /// The label of a list reaches its last value, however many segments are between them.
    #[test]
    fn a_list_is_longer_than_a_segment() {
        let lines: String = (100..700).map(|number| format!("- AB1234{number}\n")).collect();
        let line = (100..1_400).map(|number| format!("AB123{number:04}, ")).collect::<String>();
        for text in [format!("Passport numbers:\n{lines}"), format!("passport numbers: {line}AB1234567\n")] {
            let detection =
                crate::Finder::unlimited(&DetectOptions::default()).unwrap().detect(&text).unwrap();
            assert_eq!(detection.entities.len(), text.matches("AB").count());
            let whole = streamed(&text, text.len());
            assert!(!whole.contains("AB"), "{whole}");
            assert_eq!(streamed(&text, 7), whole);
        }
        // the next text has no label
        let mut stream = Stream::new(DetectOptions::default(), ProtectOptions::default(), None).unwrap();
        let text = "passport number: AB1234567\n";
        assert_eq!(stream.push(text).unwrap() + &stream.finish().unwrap(), "passport number: [REDACTED]\n");
        assert_eq!(stream.push("CD1234567\n").unwrap() + &stream.finish().unwrap(), "CD1234567\n");
    }

    #[test]
    fn findings_are_counted_by_type() {
        let mut stream = Stream::new(DetectOptions::default(), ProtectOptions::default(), None).unwrap();
        for piece in ["PESEL 440514", "01359\na@example.com b@example.com\n", "c@example.com"] {
            stream.push(piece).unwrap();
        }
        stream.finish().unwrap();
        let found: Vec<_> = stream.found().iter().map(|(kind, count)| (kind.as_ref(), *count)).collect();
        assert_eq!(found, [("email", 3), ("pesel", 1)]);
    }

    #[test]
    fn a_name_keeps_its_lines_together() {
        let text = "The contract was drawn up in March and later also signed by Margaret\nHolloway, who left.\nHolloway\n";
        let long = text.replace('\n', "\n\n").replace("\n\nHolloway,", "\r\nHolloway,");
        for text in [text, long.as_str()] {
            let whole = streamed(text, text.len());
            assert_eq!(whole.matches("[REDACTED]").count(), 2, "{whole}");
            assert!(!whole.contains("Margaret") && !whole.contains("Holloway"), "{whole}");
            for size in [1, 7] {
                assert_eq!(streamed(text, size), whole, "in pieces of {size}");
            }
        }
    }

    /// The kept text is bounded, however many lines may continue.
    #[test]
    fn lines_that_may_all_go_on() {
        let mut stream = Stream::new(DetectOptions::default(), ProtectOptions::default(), None).unwrap();
        let line = format!("{}Prague\n", "some thing or other ".repeat(3));
        for _ in 0..1_000 {
            stream.push(&line).unwrap();
            assert!(stream.held.len() <= 2 * MAX_LINE);
        }
    }

    /// A line is returned with its line break, whatever follows.
    #[test]
    fn a_line_is_final_at_its_end() {
        let mut stream = Stream::new(DetectOptions::default(), ProtectOptions::default(), None).unwrap();
        assert_eq!(stream.push("to jan.novak@example.cz\nand").unwrap(), "to [REDACTED]\n");
        assert_eq!(stream.push(" more\nIBAN DE89 3704 0044\n").unwrap(), "and more\n");
        assert_eq!(stream.push("0532 0130 00\n").unwrap(), "IBAN [REDACTED]\n");
        assert_eq!(stream.finish().unwrap(), "");
    }
}
