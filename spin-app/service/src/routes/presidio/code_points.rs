//! Offsets of Presidio's protocol: code points, where Rust counts bytes.

/// A text whose pieces are named by code points.
pub(super) struct CodePoints<'t> {
    text: &'t str,
    /// The starts of the characters, and the end of the text, in bytes.
    starts: Vec<usize>,
}

impl<'t> CodePoints<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let starts = text.char_indices().map(|(start, _)| start).chain([text.len()]).collect();
        Self { text, starts }
    }

    /// Returns the number of code points.
    pub(super) fn count(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The piece from `start` to before `end`; none where it is not within the text.
    pub(super) fn piece(&self, start: usize, end: usize) -> Option<&'t str> {
        self.text.get(*self.starts.get(start)?..*self.starts.get(end)?)
    }
}
