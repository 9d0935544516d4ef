//! Plain text.

use anyhow::Result;
use textveil_engine::limits::MAX_TEXT_CHARS;

use crate::{
    Value,
    parts::{Parts, Reader},
    passage::pieces,
};

/// The size in bytes of at least one piece, whatever its characters.
const PIECE: usize = 4 * MAX_TEXT_CHARS + 4;

/// Blocks of lines, each as long as one call of the engine takes; or the whole text as one.
pub(crate) struct Text {
    is_whole: bool,
    held: String,
}

impl Text {
    /// `is_whole` keeps the text in one record.
    pub(crate) fn new(is_whole: bool) -> Self {
        Self { is_whole, held: String::new() }
    }
}

impl Reader for Text {
    fn read(&mut self, text: &str, parts: &mut dyn Parts) -> Result<()> {
        self.held.push_str(text);
        // always as much as fits, so that how fast the text arrives makes no difference
        while !self.is_whole && self.held.len() >= PIECE {
            let end = pieces(&self.held).next().unwrap_or(0..0).end;
            let rest = self.held.split_off(end);
            block(std::mem::replace(&mut self.held, rest), parts);
        }
        Ok(())
    }

    fn end(&mut self, parts: &mut dyn Parts) -> Result<()> {
        let held = std::mem::take(&mut self.held);
        if self.is_whole {
            block(held, parts);
        } else {
            for piece in pieces(&held) {
                block(held.get(piece).unwrap_or_default().to_owned(), parts);
            }
        }
        Ok(())
    }
}

fn block(text: String, parts: &mut dyn Parts) {
    parts.value(&text.clone(), Value { text, ..Value::default() });
    parts.end_record();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::records_of;

    #[test]
    fn blocks_fit_one_call_and_join_to_the_text() {
        let text = "žluťoučký kůň\n".repeat(20_000);
        let blocks = records_of(&mut Text::new(false), &text);
        let mut joined = String::new();
        for record in &blocks {
            assert_eq!(record.line, joined.matches('\n').count() + 1);
            assert!(record.raw.chars().count() <= MAX_TEXT_CHARS);
            assert!(record.raw.ends_with('\n'));
            joined.push_str(&record.raw);
        }
        assert_eq!(joined, text);
        assert_eq!(blocks.len(), 6);
        assert_eq!(records_of(&mut Text::new(true), &text).len(), 1);
    }
}
