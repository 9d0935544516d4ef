//! Subtitles: SubRip (`.srt`) and WebVTT. Numbers and times of cues stay, their text is read as one.

use crate::{
    Gap, Value,
    lines::{Entries, blanks, content_length, line_length},
    parts::Parts,
    places::Places,
    syntax::{Escape, Syntax},
};

/// The lines of cues.
#[derive(Default)]
pub(crate) struct Subtitles {
    /// Whether the line is not the first of its cue.
    is_inside: bool,
    /// Whether text precedes the line in its cue.
    has_text: bool,
}

impl Entries for Subtitles {
    fn entry(&mut self, text: &str, _: bool, parts: &mut dyn Parts) -> Option<usize> {
        let line = text.get(..line_length(text))?;
        let content = line.trim().trim_start_matches('\u{feff}');
        if content.is_empty() {
            (self.is_inside, self.has_text) = (false, false);
            parts.keep(line);
            return Some(line.len());
        }
        let is_number = content.len() <= 6 && content.bytes().all(|byte| byte.is_ascii_digit());
        if is_times(content) || !self.is_inside && (is_number || content == "WEBVTT") {
            parts.keep(line);
        } else {
            let start = blanks(line);
            let end = content_length(line);
            parts.keep(line.get(..start)?);
            let raw = line.get(start..end)?;
            let gap = if self.has_text { Gap::Space } else { Gap::Line };
            let syntax = Syntax::escaped(Places::default(), Escape::Line);
            parts.value(raw, Value { text: raw.to_owned(), gap, syntax, ..Value::default() });
            parts.keep(line.get(end..)?);
            self.has_text = true;
        }
        self.is_inside = true;
        Some(line.len())
    }
}

/// Whether a line has the times of a cue: `00:00:01,600 --> 00:00:04,200 align:start`.
fn is_times(line: &str) -> bool {
    let is_time = |text: &str| {
        text.contains(':')
            && text.len() <= 16
            && text.bytes().all(|byte| byte.is_ascii_digit() || b":,.".contains(&byte))
    };
    let Some((start, rest)) = line.split_once("-->") else { return false };
    let mut words = rest.split_whitespace();
    let is_setting = |word: &str| {
        let is_inside = |byte: u8| byte.is_ascii_alphanumeric() || b":%,.-".contains(&byte);
        word.len() <= 24 && word.contains(':') && word.bytes().all(is_inside)
    };
    is_time(start.trim()) && words.next().is_some_and(is_time) && words.all(is_setting)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        lines::Lines,
        tests::{protected, record_of},
    };

    #[test]
    fn cues_are_read_as_text() {
        let text = "\u{feff}1\n00:00:01,600 --> 00:00:04,200\nI am Emily\nCarter.\n\n2\n00:05.000 --> 00:06.000 align:start\n- 4111111111111111\n";
        let record = record_of(&mut Lines::new(Subtitles::default()), text);
        let values: Vec<_> = record.values.iter().map(|value| (value.text.as_str(), value.gap)).collect();
        assert_eq!(
            values,
            [("I am Emily", Gap::Line), ("Carter.", Gap::Space), ("- 4111111111111111", Gap::Line)]
        );
        let expected =
            text.replace("Emily", "[R]").replace("Carter", "[R]").replace("4111111111111111", "[R]");
        let found = ["Emily Carter", "4111111111111111"];
        assert_eq!(protected(&mut Lines::new(Subtitles::default()), text, &found), expected);
    }

    #[test]
    fn times_have_nothing_else() {
        for (line, want) in [
            ("00:00:01,600 --> 00:00:04,200", true),
            ("00:01.600 --> 00:04.200 line:0 position:20%", true),
            ("00:01.600 --> 00:04.200 Emily Carter", false),
            ("+49 30 901820 --> 00:04.200", false),
            ("a --> b", false),
        ] {
            assert_eq!(is_times(line), want, "{line}");
        }
    }
}
