//! The paragraphs of an Office document, as lines of text.
//!
//! A note, a comment or a text box lies inside the paragraph that it is anchored in. Its own paragraphs follow that one, so
//! they interrupt no sentence and join no word of it.

use crate::{Gap, Value, parts::Parts};

/// Most paragraphs inside one another. Deeper ones join the outer one.
const DEEPEST: usize = 64;

/// Hands over paragraphs, a line for each.
pub(crate) struct Flow<'p> {
    parts: &'p mut dyn Parts,
    /// The open paragraphs, outermost first.
    open: Vec<Paragraph>,
    /// Those inside the outermost one that have ended.
    inner: Vec<Paragraph>,
    /// The number of open paragraphs beyond the deepest one.
    deeper: usize,
    /// The gap before the next paragraph.
    gap: Gap,
    /// Whether a line was handed over whose end is not.
    is_in_line: bool,
}

struct Paragraph {
    location: Option<String>,
    /// Its pieces between tabs and line breaks, each with the gap before it.
    pieces: Vec<(Gap, String)>,
}

impl<'p> Flow<'p> {
    pub(crate) fn new(parts: &'p mut dyn Parts) -> Self {
        Self { parts, open: Vec::new(), inner: Vec::new(), deeper: 0, gap: Gap::Line, is_in_line: false }
    }

    /// Begins a paragraph.
    pub(crate) fn start(&mut self, location: Option<String>) {
        if self.open.len() >= DEEPEST {
            self.deeper += 1;
            return self.gap(Gap::Line);
        }
        let gap = std::mem::replace(&mut self.gap, Gap::Line);
        self.open.push(Paragraph { location, pieces: vec![(gap, String::new())] });
    }

    /// Adds text to the innermost paragraph; outside of one it is markup.
    pub(crate) fn text(&mut self, text: &str) {
        if let Some((_, piece)) = self.open.last_mut().and_then(|paragraph| paragraph.pieces.last_mut()) {
            piece.push_str(text);
        }
    }

    /// Adds a tab or a line break.
    pub(crate) fn gap(&mut self, gap: Gap) {
        if let Some(paragraph) = self.open.last_mut() {
            paragraph.pieces.push((gap, String::new()));
        }
    }

    /// Ends a cell of a table: the first paragraph of the next one is in its row.
    pub(crate) fn end_cell(&mut self) {
        self.gap = Gap::Tab;
    }

    /// Ends a row of a table.
    pub(crate) fn end_row(&mut self) {
        self.gap = Gap::Line;
    }

    /// Ends the innermost paragraph, and hands over the outermost one with those inside it.
    pub(crate) fn end(&mut self) {
        if self.deeper > 0 {
            self.deeper -= 1;
            return;
        }
        let Some(paragraph) = self.open.pop() else { return };
        if !self.open.is_empty() {
            return self.inner.push(paragraph);
        }
        self.hand_over(paragraph);
        for paragraph in std::mem::take(&mut self.inner) {
            self.hand_over(paragraph);
        }
    }

    /// Ends the last line.
    pub(crate) fn finish(self) {
        if self.is_in_line {
            self.parts.keep("\n");
        }
    }

    fn hand_over(&mut self, Paragraph { location, pieces }: Paragraph) {
        let before = pieces.first().map_or(Gap::Line, |(gap, _)| *gap);
        let filled = pieces.into_iter().filter(|(_, text)| !text.trim().is_empty());
        for (index, (gap, text)) in filled.enumerate() {
            let gap = if index == 0 { before } else { gap };
            if self.is_in_line {
                self.parts.keep(gap.as_str());
            }
            self.is_in_line = true;
            let value = Value { text: text.clone(), gap, location: location.clone(), ..Value::default() };
            self.parts.value(&text, value);
        }
    }
}
