//! Places of a decoded text in the text that it was decoded from.

/// The place at which each character of a decoded text is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Places {
    /// The places where the distance between the two texts changes, in order: the end of a decoded character and the end
    /// of its escape, in bytes.
    ends: Vec<(usize, usize)>,
}

impl Places {
    /// Every character is written as itself, from this byte on.
    pub(crate) fn from(start: usize) -> Self {
        let ends = if start == 0 { Vec::new() } else { vec![(0, start)] };
        Self { ends }
    }

    /// Adds an escape: the end of what it was decoded to, and its own end.
    pub(crate) fn add(&mut self, end: usize, written_end: usize) {
        self.ends.push((end, written_end));
    }

    /// The same behind so many bytes.
    pub(crate) fn after(mut self, bytes: usize) -> Self {
        self.ends.iter_mut().for_each(|(_, written_end)| *written_end += bytes);
        if bytes > 0 {
            self.ends.insert(0, (0, bytes));
        }
        self
    }

    /// The places in a part of the text. `written` is the start of the part where it is written.
    pub(crate) fn within(&self, start: usize, length: usize, written: usize) -> Self {
        let first = self.ends.partition_point(|(end, _)| *end <= start);
        let inside = self.ends.get(first..).unwrap_or_default();
        let inside = inside.iter().take_while(|(end, _)| *end <= start + length);
        Self { ends: inside.map(|(end, written_end)| (end - start, written_end - written)).collect() }
    }

    /// Returns where a place of the text is written, in bytes.
    pub(crate) fn of(&self, place: usize) -> usize {
        let before = self.ends.partition_point(|(end, _)| *end <= place);
        let last = before.checked_sub(1).and_then(|last| self.ends.get(last));
        last.map_or(place, |(end, written_end)| written_end + place - end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_escapes_and_of_what_is_between_them() {
        // `"a&amp;b"`, from behind its quote
        let mut places = Places::from(1);
        places.add(2, 7);
        assert_eq!([0, 1, 2, 3].map(|place| places.of(place)), [1, 2, 7, 8]);
        assert_eq!(Places::default().of(5), 5);
    }
}
