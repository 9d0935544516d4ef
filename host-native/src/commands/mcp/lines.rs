//! Messages as lines: read up to a limit, written one at a time.

use std::io::{self, BufRead, Write};
use std::sync::{Mutex, PoisonError};

use serde::Deserialize;
use serde_json::Value;

/// Longest message, in bytes; that of a request to the service.
pub const LONGEST: usize = 32 << 20;

/// A line of input.
pub enum InputLine {
    /// A message.
    Message(Value),
    /// It is not JSON, or nested too deeply, with its `id` if that can be read.
    Unreadable(Option<Value>),
    /// It is longer than [`LONGEST`], and was skipped.
    TooLong,
}

/// Reads the next line that is not empty; `None` at the end.
///
/// # Errors
/// If the input cannot be read.
pub fn next(input: &mut impl BufRead) -> io::Result<Option<InputLine>> {
    loop {
        let mut line = Vec::new();
        let mut is_long = false;
        loop {
            let available = input.fill_buf()?;
            if available.is_empty() && line.is_empty() && !is_long {
                return Ok(None);
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let part = available.get(..end.unwrap_or(available.len())).unwrap_or_default();
            is_long |= line.len() + part.len() > LONGEST;
            if is_long {
                line.clear();
            } else {
                line.extend_from_slice(part);
            }
            let used = part.len() + usize::from(end.is_some());
            let is_ended = end.is_some() || available.is_empty();
            input.consume(used);
            if is_ended {
                break;
            }
        }
        if is_long {
            return Ok(Some(InputLine::TooLong));
        }
        if !line.trim_ascii().is_empty() {
            return Ok(Some(read(&line)));
        }
    }
}

/// Reads a message.
pub fn read(line: &[u8]) -> InputLine {
    /// Values that are left out may be nested at any depth.
    #[derive(Deserialize)]
    struct Numbered {
        id: Option<Value>,
    }
    match serde_json::from_slice(line) {
        Ok(message) => InputLine::Message(message),
        Err(_) => InputLine::Unreadable(serde_json::from_slice(line).ok().and_then(|Numbered { id }| id)),
    }
}

/// An output to which several threads write messages.
pub struct Output<W>(Mutex<W>);

impl<W: Write> Output<W> {
    /// Writes to `output`.
    pub fn new(output: W) -> Self {
        Self(Mutex::new(output))
    }

    /// Writes a message, which is seen at once.
    ///
    /// # Errors
    /// If its reader has gone.
    pub fn write(&self, message: &Value) -> io::Result<()> {
        let mut line = message.to_string();
        line.push('\n');
        let mut output = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        output.write_all(line.as_bytes())?;
        output.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_up_to_a_limit() {
        let deep = format!("{{\"id\": 7, \"a\": {}{}}}", "[".repeat(500), "]".repeat(500));
        let text = format!("{{\"id\": 1}}\n\n \r\nno json\n{}\n{deep}\n[2]", "x".repeat(LONGEST + 1));
        let mut input = text.as_bytes();
        let mut kinds = Vec::new();
        while let Some(line) = next(&mut input).unwrap() {
            kinds.push(match line {
                InputLine::Message(message) => message.to_string(),
                InputLine::Unreadable(id) => format!("unreadable {}", id.unwrap_or_default()),
                InputLine::TooLong => "too long".to_owned(),
            });
        }
        assert_eq!(kinds, ["{\"id\":1}", "unreadable null", "too long", "unreadable 7", "[2]"]);
    }
}
