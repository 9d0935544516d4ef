//! Characters that were cut in two: languages whose strings are UTF-16 cut streams of text inside a character,
//! and JSON lets them write its halves in two strings, `"\ud83e"` and `"\udd80"`, which are no text each.

use std::borrow::Cow;

/// Puts halves together that stand in two events of one stream.
#[derive(Debug, Default)]
pub struct Surrogates {
    /// The escape of a first half that waits for its second.
    high: Option<String>,
}

/// How long an escape is, such as `\ud83e`.
const ESCAPE: usize = 6;

/// Stands for a half whose other half never comes.
const REPLACEMENT: &str = "\\ufffd";

impl Surrogates {
    /// The JSON with whole characters only: a first half is taken out, and stands before the second half when
    /// that comes.
    pub fn mend<'j>(&mut self, json: &'j str) -> Cow<'j, str> {
        // few streams have an escape of a half at all
        if !json.contains("\\ud") && !json.contains("\\uD") {
            return Cow::Borrowed(json);
        }
        let mut out = String::with_capacity(json.len() + ESCAPE);
        let mut rest = json;
        while let Some(at) = rest.find('\\') {
            let (before, escape) = rest.split_at_checked(at).unwrap_or((rest, ""));
            out.push_str(before);
            let length = match half(escape) {
                None => escape.chars().take(2).map(char::len_utf8).sum(),
                Some(Half::High) if is_low(escape.get(ESCAPE..).unwrap_or_default()) => 2 * ESCAPE,
                Some(Half::High) => {
                    let written = escape.get(..ESCAPE).unwrap_or_default();
                    if self.high.replace(written.to_owned()).is_some() {
                        out.push_str(REPLACEMENT);
                    }
                    rest = escape.get(ESCAPE..).unwrap_or_default();
                    continue;
                }
                Some(Half::Low) => {
                    match self.high.take() {
                        Some(high) => {
                            out.push_str(&high);
                            out.push_str(escape.get(..ESCAPE).unwrap_or_default());
                        }
                        None => out.push_str(REPLACEMENT),
                    }
                    rest = escape.get(ESCAPE..).unwrap_or_default();
                    continue;
                }
            };
            out.push_str(escape.get(..length).unwrap_or_default());
            rest = escape.get(length..).unwrap_or_default();
        }
        out.push_str(rest);
        Cow::Owned(out)
    }
}

/// Which half of a character an escape is.
enum Half {
    High,
    Low,
}

/// What the escape at the beginning is half of; none where it is whole.
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
