//! Joins characters that were cut in two.
//!
//! Languages with UTF-16 strings cut streams of text inside a character, and JSON allows its halves in two
//! strings, `"\ud83e"` and `"\udd80"`, which are not valid text.

use std::{borrow::Cow, fmt};

/// Joins halves from two events of one stream.
#[derive(Default)]
pub(super) struct Surrogates {
    /// First halves that wait for their second, the oldest first.
    waiting: Vec<High>,
}

/// The first half of a character.
struct High {
    /// The JSON before its string, which is the same in the event with the second half, unless that is of
    /// another choice or call.
    place: String,
    /// Its escape, such as `\ud83e`.
    written: String,
}

/// The length of an escape, such as `\ud83e`.
const ESCAPE: usize = 6;

/// The maximum number of first halves that wait, equal to that of open texts.
const MAX_WAITING: usize = 256;

/// Stands for a half whose other half never comes.
const REPLACEMENT: &str = "\\ufffd";

impl Surrogates {
    /// The JSON with whole characters only: a first half is taken out, and precedes the second half when
    /// that comes.
    pub fn mend<'j>(&mut self, json: &'j str) -> Cow<'j, str> {
        // few streams have an escape of a half at all
        if !json.contains("\\ud") && !json.contains("\\uD") {
            return Cow::Borrowed(json);
        }
        let mut out = String::with_capacity(json.len() + ESCAPE);
        let (mut rest, mut place) = (json, "");
        // the start of a string, and the JSON before it
        let mut in_string = false;
        while let Some(at) = rest.find(['"', '\\']) {
            let (before, here) = rest.split_at_checked(at).unwrap_or((rest, ""));
            out.push_str(before);
            if here.starts_with('"') {
                in_string = !in_string;
                if in_string {
                    place = json.get(..json.len() - here.len()).unwrap_or_default();
                }
                out.push('"');
                rest = here.get(1..).unwrap_or_default();
                continue;
            }
            let length = match half(here) {
                None => here.chars().take(2).map(char::len_utf8).sum(),
                Some(Half::High) if is_low(here.get(ESCAPE..).unwrap_or_default()) => 2 * ESCAPE,
                Some(half) => {
                    let written = here.get(..ESCAPE).unwrap_or_default();
                    match half {
                        Half::High => self.wait(place, written, &mut out),
                        Half::Low => self.join(place, written, &mut out),
                    }
                    rest = here.get(ESCAPE..).unwrap_or_default();
                    continue;
                }
            };
            out.push_str(here.get(..length).unwrap_or_default());
            rest = here.get(length..).unwrap_or_default();
        }
        out.push_str(rest);
        Cow::Owned(out)
    }

    /// Keeps a first half for its second.
    fn wait(&mut self, place: &str, written: &str, out: &mut String) {
        if let Some(at) = self.at(place) {
            self.waiting.remove(at);
            out.push_str(REPLACEMENT);
        }
        if self.waiting.len() == MAX_WAITING {
            self.waiting.remove(0);
        }
        self.waiting.push(High { place: place.to_owned(), written: written.to_owned() });
    }

    /// Writes the character of a second half: with the first one of its place, or with the only one that waits, since
    /// the JSON before it may change from event to event.
    fn join(&mut self, place: &str, written: &str, out: &mut String) {
        match self.at(place).or((self.waiting.len() == 1).then_some(0)) {
            Some(at) => {
                out.push_str(&self.waiting.remove(at).written);
                out.push_str(written);
            }
            None => out.push_str(REPLACEMENT),
        }
    }

    fn at(&self, place: &str) -> Option<usize> {
        self.waiting.iter().position(|high| high.place == place)
    }
}

/// The text stays out.
impl fmt::Debug for Surrogates {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Surrogates({} waiting)", self.waiting.len())
    }
}

/// The half of a character that an escape is.
enum Half {
    High,
    Low,
}

/// Returns the half that the escape at the start is; `None` for a whole character.
fn half(escape: &str) -> Option<Half> {
    let unit = u16::from_str_radix(escape.get(..ESCAPE)?.strip_prefix("\\u")?, 16).ok()?;
    match unit {
        0xD800..=0xDBFF => Some(Half::High),
        0xDC00..=0xDFFF => Some(Half::Low),
        _ => None,
    }
}

fn is_low(escape: &str) -> bool {
    matches!(half(escape), Some(Half::Low))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_become_whole() {
        for (events, want) in [
            (
                &[r#"{"a":"x"}"#, r#"{"a":"\u00e9\ud83e\udd80"}"#][..],
                &[r#"{"a":"x"}"#, r#"{"a":"\u00e9\ud83e\udd80"}"#][..],
            ),
            (&[r#""x\ud83e""#, r#""\udd80y""#], &[r#""x""#, r#""\ud83e\udd80y""#]),
            (
                &[r#""x\uD83E""#, r#""between""#, r#""\uDD80y""#],
                &[r#""x""#, r#""between""#, r#""\uD83E\uDD80y""#],
            ),
            (&[r#""\udd80""#], &[r#""\ufffd""#]),
            (&[r#""\ud83e\ud83e\udd80""#], &[r#""\ud83e\udd80""#]),
            (&[r#""\ud83e""#, r#""\ud83e""#, r#""\udd80""#], &[r#""""#, r#""\ufffd""#, r#""\ud83e\udd80""#]),
            // two adjacent choices, and one with other text before it
            (
                &[
                    r#"{"index":0,"content":"\ud83e"}"#,
                    r#"{"index":1,"content":"\ud83d"}"#,
                    r#"{"index":0,"content":"\udd80"}"#,
                    r#"{"n":4,"index":1,"content":"\ude00"}"#,
                    r#"{"index":1,"content":"\ude00"}"#,
                ],
                &[
                    r#"{"index":0,"content":""}"#,
                    r#"{"index":1,"content":""}"#,
                    r#"{"index":0,"content":"\ud83e\udd80"}"#,
                    r#"{"n":4,"index":1,"content":"\ud83d\ude00"}"#,
                    r#"{"index":1,"content":"\ufffd"}"#,
                ],
            ),
            // a backslash that is escaped begins no escape
            (&[r#""\\ud83e""#, r#""\"\\\\udd80""#], &[r#""\\ud83e""#, r#""\"\\\\udd80""#]),
            (&[r#""\ud83"#], &[r#""\ud83"#]),
        ] {
            let mut surrogates = Surrogates::default();
            let got: Vec<_> = events.iter().map(|event| surrogates.mend(event).into_owned()).collect();
            assert_eq!(got, want, "{events:?}");
        }
    }
}
