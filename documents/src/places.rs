//! Places of a decoded text in the text that it was decoded from.

/// The place at which each character of a decoded text is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Places {
    /// The places where the distance between the two texts changes, in order.
    changes: Vec<Change>,
}

/// The end of an escape, or of what is left out of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Change {
    /// Its end in the decoded text, in bytes.
    end: usize,
    /// Its end where it is written, in bytes.
    written_end: usize,
    /// Whether it stands for nothing in the text: a quote, a fold of a line.
    is_left_out: bool,
}

impl Places {
    /// Every character is written as itself, from this byte on.
    pub(crate) fn from(start: usize) -> Self {
        let mut places = Self::default();
        if start > 0 {
            places.leave_out(0, start);
        }
        places
    }

    /// Adds an escape: the end of what it was decoded to, and its own end.
    pub(crate) fn add(&mut self, end: usize, written_end: usize) {
        self.changes.push(Change { end, written_end, is_left_out: false });
    }

    /// Adds what is left out at a place of the text: its own end.
    pub(crate) fn leave_out(&mut self, at: usize, written_end: usize) {
        self.changes.push(Change { end: at, written_end, is_left_out: true });
    }

    /// The same behind so many bytes.
    pub(crate) fn after(mut self, bytes: usize) -> Self {
        self.changes.iter_mut().for_each(|change| change.written_end += bytes);
        let mut changes = Self::from(bytes).changes;
        changes.append(&mut self.changes);
        Self { changes }
    }

    /// The places in a part of the text. `written` is the start of the part where it is written.
    pub(crate) fn within(&self, start: usize, length: usize, written: usize) -> Self {
        let first = self.changes.partition_point(|change| change.end <= start);
        let inside = self.changes.get(first..).unwrap_or_default();
        let inside = inside.iter().take_while(|change| change.end <= start + length);
        let moved = |change: &Change| Change {
            end: change.end - start,
            written_end: change.written_end - written,
            ..*change
        };
        Self { changes: inside.map(moved).collect() }
    }

    /// Returns where the character at a place of the text is written, in bytes.
    pub(crate) fn of(&self, place: usize) -> usize {
        self.behind(self.changes.partition_point(|change| change.end <= place), place)
    }

    /// Returns where what is written ends for the character before a place of the text, in bytes.
    pub(crate) fn end_of(&self, place: usize) -> usize {
        let before = self.changes.partition_point(|change| change.end <= place);
        let changes = self.changes.get(..before).unwrap_or_default().iter().rev();
        let left_out = changes.take_while(|change| change.is_left_out && change.end == place).count();
        self.behind(before - left_out, place)
    }

    /// Returns where a place behind so many changes is written.
    fn behind(&self, changes: usize, place: usize) -> usize {
        let last = changes.checked_sub(1).and_then(|last| self.changes.get(last));
        last.map_or(place, |change| change.written_end + place - change.end)
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
        assert_eq!([0, 1, 2, 3].map(|place| places.end_of(place)), [0, 2, 7, 8]);
        assert_eq!(Places::default().of(5), 5);
        // `"a\r\n b"`, with a fold that is no part of either letter
        let mut places = Places::from(1);
        places.leave_out(1, 5);
        assert_eq!([0, 1, 2].map(|place| (places.of(place), places.end_of(place))), [(1, 0), (5, 2), (6, 6)]);
    }
}
