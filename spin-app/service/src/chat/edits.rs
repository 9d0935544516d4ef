//! The differences between a restored text and the provider's, for annotations that name positions in it.

use serde_json::{Map, Value};

/// The changed stretches of one text, in the order of the text. All positions are in characters.
#[derive(Default)]
pub struct Edits {
    list: Vec<Edit>,
    /// The length of what is final, as the provider sent it.
    sent: usize,
    /// The length of what is final, as the application receives it.
    received: usize,
}

/// A changed stretch.
struct Edit {
    sent: (usize, usize),
    received: (usize, usize),
}

impl Edits {
    /// Adds text that stays.
    pub fn keep(&mut self, text: &str) {
        let length = text.chars().count();
        self.sent += length;
        self.received += length;
    }

    /// Adds text of `sent` characters that became `received`.
    pub fn replace(&mut self, sent: usize, received: &str) {
        let ends = (self.sent + sent, self.received + received.chars().count());
        if ends.0 - self.sent != ends.1 - self.received {
            self.list.push(Edit { sent: (self.sent, ends.0), received: (self.received, ends.1) });
        }
        (self.sent, self.received) = ends;
    }

    /// Moves the ranges `start_index` to `end_index` in a list of annotations, at any depth.
    ///
    /// A range that touches a changed stretch covers all of it. Positions behind the text move like its end.
    pub fn annotate(&self, annotations: &mut Value) {
        if self.list.is_empty() {
            return;
        }
        match annotations {
            Value::Array(values) => values.iter_mut().for_each(|value| self.annotate(value)),
            Value::Object(members) => {
                for (key, value) in members.iter_mut() {
                    let position = value.as_u64().and_then(|position| usize::try_from(position).ok());
                    match (key.as_str(), position) {
                        ("start_index", Some(at)) => *value = self.moved(at, |edit| edit.received.0).into(),
                        ("end_index", Some(at)) => *value = self.moved(at, |edit| edit.received.1).into(),
                        _ => self.annotate(value),
                    }
                }
            }
            Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Moves the annotations among the members of what has the text.
    pub fn annotate_beside(&self, members: &mut Map<String, Value>) {
        if let Some(annotations) = members.get_mut("annotations") {
            self.annotate(annotations);
        }
    }

    /// Moves a position; `inside` tells where one inside a changed stretch goes.
    fn moved(&self, at: usize, inside: impl Fn(&Edit) -> usize) -> usize {
        let begun = self.list.partition_point(|edit| edit.sent.0 < at);
        match begun.checked_sub(1).and_then(|last| self.list.get(last)) {
            None => at,
            Some(edit) if at < edit.sent.1 => inside(edit),
            Some(edit) => edit.received.1 + (at - edit.sent.1),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ranges_move_with_the_text() {
        let mut edits = Edits::default();
        edits.keep("Ž ");
        edits.replace(10, "Jan");
        edits.keep(" and ");
        edits.replace(10, "Eva Nováková");
        edits.keep(".");
        // before, over, inside, between, behind
        for ((start, end), want) in [
            ((0, 1), (0, 1)),
            ((2, 12), (2, 5)),
            ((1, 12), (1, 5)),
            ((4, 7), (2, 5)),
            ((12, 17), (5, 10)),
            ((17, 27), (10, 22)),
            ((0, 28), (0, 23)),
            ((28, 30), (23, 25)),
        ] {
            let mut annotations = json!([{ "type": "url_citation", "start_index": start, "end_index": end },
                { "url_citation": { "start_index": start, "end_index": end, "title": "x" }, "index": 40 }]);
            edits.annotate(&mut annotations);
            let (start, end) = want;
            let want = json!([{ "type": "url_citation", "start_index": start, "end_index": end },
                { "url_citation": { "start_index": start, "end_index": end, "title": "x" }, "index": 40 }]);
            assert_eq!(annotations, want);
        }
    }

    #[test]
    fn what_is_no_range_stays() {
        let mut edits = Edits::default();
        edits.replace(1, "long");
        let as_sent = json!([{ "start_index": -1, "end_index": "3" }, { "start_index": null }, 3, "x"]);
        let mut annotations = as_sent.clone();
        edits.annotate(&mut annotations);
        assert_eq!(annotations, as_sent);
    }
}
