//! Protecting a text that arrives in pieces.

use crate::{
    detect::{self, Carried},
    error::Error,
    options::{DetectOptions, ProtectOptions},
    plan::Plan,
    protect::{Keyring, Protector, rewrite},
};

/// How much of the text before a segment is read again, for the labels in it, in bytes.
const CONTEXT: usize = 256;
/// A line longer than this is cut where nothing is found, in bytes.
const MAX_LINE: usize = 8_192;
/// What is left of a long line behind the place where it is cut, in bytes.
const TAIL: usize = 1_024;
/// The longest block over several lines, in bytes.
const MAX_BLOCK: usize = 16_384;

/// Protects a text that arrives in pieces, in constant memory.
///
/// However the text is cut, the pieces that come out are the same text when joined: what is final is
/// decided by the text alone. A segment ends with its line; a line of more than 8 KiB ends where nothing
/// is found, and a private key goes to its end. Labels are read across segments, and what the text has
/// said about its country so far counts.
pub struct Stream {
    plan: Plan,
    protection: ProtectOptions,
    keys: Option<Keyring>,
    /// Text read and protected already, kept for its labels; `held` follows it.
    context: String,
    /// Text that is not final.
    held: String,
    carried: Carried,
}

impl Stream {
    /// A stream with these options; they are checked here, once.
    ///
    /// # Errors
    /// As [`crate::protect()`] for its options.
    pub fn new(
        detection: DetectOptions,
        protection: ProtectOptions,
        keys: Option<Keyring>,
    ) -> Result<Self, Error> {
        let plan = Plan::new(&detection)?;
        Protector::new(&protection, &plan, keys.as_ref())?;
        Ok(Self {
            plan,
            protection,
            keys,
            context: String::new(),
            held: String::new(),
            carried: Carried::default(),
        })
    }

    /// Takes the next piece and gives what is final by now, protected.
    ///
    /// # Errors
    /// `policy_violation` where a policy blocks; nothing of the segment comes out then.
    pub fn push(&mut self, chunk: &str) -> Result<String, Error> {
        self.held.push_str(chunk);
        let mut out = String::new();
        let held = std::mem::take(&mut self.held);
        let mut rest = held.as_str();
        while let Some(segment) = self.segment(rest) {
            let (now, later) = rest.split_at_checked(segment).unwrap_or((rest, ""));
            out.push_str(&self.protect(now)?);
            rest = later;
        }
        self.held.push_str(rest);
        Ok(out)
    }

    /// Gives the rest. The stream can be used again afterwards, for another text.
    ///
    /// # Errors
    /// As [`Stream::push`].
    pub fn finish(&mut self) -> Result<String, Error> {
        let rest = std::mem::take(&mut self.held);
        let out = if rest.is_empty() { Ok(String::new()) } else { self.protect(&rest) };
        self.context.clear();
        self.carried = Carried::default();
        out
    }

    /// The length of the first segment of the text, if it is final.
    fn segment(&self, text: &str) -> Option<usize> {
        let line = text.find('\n').map(|end| end + 1).filter(|end| *end <= MAX_LINE);
        match line {
            Some(end) => block(text, end),
            None if text.len() >= MAX_LINE => Some(self.cut(text)),
            None => None,
        }
    }

    /// Where to cut a line that is too long: at the last space before its tail that lies in no finding.
    fn cut(&self, text: &str) -> usize {
        let window = floor(text, MAX_LINE);
        let found = detect::run(text.get(..window).unwrap_or(text), &self.plan).entities;
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

    /// Protects a segment and remembers what the next one needs.
    fn protect(&mut self, segment: &str) -> Result<String, Error> {
        let protector = Protector::new(&self.protection, &self.plan, self.keys.as_ref())?;
        let from = self.context.len();
        let text = format!("{}{segment}", self.context);
        let mut found = detect::examine(&text, from, &self.plan, &mut self.carried).entities;
        found.retain(|entity| entity.bytes.start >= from);
        let out = rewrite(&text, &protector.replace(found)?, from);
        let mut keep = text.len().saturating_sub(CONTEXT);
        while !text.is_char_boundary(keep) {
            keep += 1;
        }
        self.context = text.get(keep..).unwrap_or_default().to_owned();
        Ok(out)
    }
}

/// The end of the segment whose first line ends at `end`: a private key goes on to its last line. None
/// where that has not come yet.
fn block(text: &str, end: usize) -> Option<usize> {
    let line = text.get(..end)?;
    if !(line.contains("-----BEGIN ") && line.contains("PRIVATE KEY")) || line.contains("-----END ") {
        return Some(end);
    }
    let last = text.get(end..)?.find("-----END ").map(|at| end + at).filter(|at| *at < MAX_BLOCK);
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

/// The last place between two characters that is no later than `at`.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The text stays out: only its length is shown.
impl std::fmt::Debug for Stream {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Stream({} bytes held)", self.held.len())
    }
}
