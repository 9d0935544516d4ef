//! Other readings of values that a scanner or markup has broken: digits that were taken for letters, digits with a space
//! between each, spaces around the signs of an e-mail address, and inline tags among digits.

use std::{borrow::Cow, ops::Range};

use super::{fold::Folded, order};
use crate::phrase::markup::inline_tag;

/// The shortest row of single characters that is one number, and the minimum number of digits in it.
const MIN_ROW: usize = 4;
/// The minimum number of digits of a misread number without another number beside it.
const MIN_DIGITS: usize = 2;
/// The longest inline tag, in bytes: `</strong>`.
const MAX_TAG: usize = 9;

/// Another reading of a part of a text.
pub(crate) struct Reread<'t> {
    /// The reading, with a map to the part.
    pub folded: Folded<'t>,
    /// The tags that it has not, in bytes of the part.
    pub tags: Vec<Range<usize>>,
}

/// Reads a part of a text again; `None` if there is no other reading.
pub(crate) fn reread(part: &str) -> Option<Reread<'_>> {
    let mut removed = spaces_in_rows(part.as_bytes());
    removed.extend(spaces_in_addresses(part.as_bytes()));
    let tags = tags_in_numbers(part.as_bytes());
    removed.extend(tags.iter().cloned());
    order::sort(&mut removed, |a, b| a.start.cmp(&b.start));
    removed.dedup();
    let mut folded = Folded::without(part, &removed);
    let digits = with_digits(&folded.text);
    if removed.is_empty() && digits.is_none() {
        return None;
    }
    if let Some(digits) = digits {
        folded.text = Cow::Owned(digits);
    }
    Some(Reread { folded, tags })
}

/// Whether a word with digits and letters may be a number that a scanner has misread: `37O4`, `O3/14`.
pub(crate) fn is_misread(text: &[u8], start: usize, end: usize) -> bool {
    let Some(word) = text.get(start..end).filter(|word| word.iter().any(is_like_digit)) else { return false };
    let is_digit = |at: Option<usize>| at.and_then(|at| text.get(at)).is_some_and(u8::is_ascii_digit);
    let numbered = is_digit(start.checked_sub(2)) || is_digit(Some(end + 1));
    misread(word).any(|run| {
        let digits = word.get(run.clone()).unwrap_or_default().iter().filter(|byte| byte.is_ascii_digit());
        let digits = digits.count();
        numbered || digits >= MIN_DIGITS && 2 * digits >= run.len()
    })
}

/// Whether the end of a tag at `at` is that of an inline tag within a number: `+49 <b>30</b> 2312`.
pub(crate) fn divides_number(text: &[u8], at: usize) -> bool {
    let behind = text.get(at + 1..).unwrap_or_default();
    let from = at.saturating_sub(MAX_TAG);
    let tag = text.get(from..at).unwrap_or_default().iter().rposition(|byte| *byte == b'<');
    begins_with_digit(behind)
        && tag.is_some_and(|tag| {
            let before = text.get(..from + tag).unwrap_or_default();
            inline_tag(text, from + tag).is_some() && (before.ends_with(b"> ") || ends_within_number(before))
        })
}

/// Whether the third of three digits with a space between each is at `at`: `5 3 1`.
pub(crate) fn is_spaced_out(text: &[u8], at: usize) -> bool {
    at >= 4
        && matches!(text.get(at - 4..=at), Some([b'0'..=b'9', b' ', b'0'..=b'9', b' ', b'0'..=b'9']))
        && is_single(text, at)
        && is_single(text, at - 4)
}

/// Returns the spaces within rows of single characters that are numbers: `5 3 1 - 8 4`.
fn spaces_in_rows(text: &[u8]) -> Vec<Range<usize>> {
    let mut removed = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let row = (at..text.len())
            .step_by(2)
            .take_while(|at| is_single(text, *at) && (*at == 0 || text.get(at - 1) != Some(&b'\n')))
            .count();
        let digits = (0..row).filter(|step| text.get(at + 2 * step).is_some_and(u8::is_ascii_digit)).count();
        if row >= MIN_ROW && digits >= MIN_ROW {
            removed.extend((1..row).map(|step| at + 2 * step - 1..at + 2 * step));
        }
        at += (2 * row).max(1);
    }
    removed
}

/// Whether the `@` at a place has a space on both sides, and words behind them.
pub(crate) fn is_spaced_address(text: &[u8], at: usize) -> bool {
    let before = at.checked_sub(2).and_then(|start| text.get(start..at));
    matches!(before, Some([last, b' ']) if last.is_ascii_alphanumeric())
        && matches!(text.get(at + 1..at + 3), Some([b' ', first]) if first.is_ascii_alphanumeric())
}

/// Returns the spaces around the `@` of e-mail addresses, and around the dots of their domains.
fn spaces_in_addresses(text: &[u8]) -> Vec<Range<usize>> {
    let mut removed = Vec::new();
    for (at, _) in text.iter().enumerate().filter(|(_, byte)| **byte == b'@') {
        if !is_spaced_address(text, at) {
            continue;
        }
        removed.extend([at - 1..at, at + 1..at + 2]);
        let mut end = at + 2;
        loop {
            let label = text.get(end..).unwrap_or_default().iter();
            end +=
                label.take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.')).count();
            if !matches!(text.get(end..end + 4), Some([b' ', b'.', b' ', next]) if next.is_ascii_lowercase() || next.is_ascii_digit())
            {
                break;
            }
            removed.extend([end..end + 1, end + 2..end + 3]);
            end += 3;
        }
    }
    removed
}

/// Whether a visible character of ASCII is a word of its own between spaces.
fn is_single(text: &[u8], at: usize) -> bool {
    let is_space =
        |at: Option<usize>| at.and_then(|at| text.get(at)).is_none_or(|byte| byte.is_ascii_whitespace());
    text.get(at).is_some_and(u8::is_ascii_graphic) && is_space(at.checked_sub(1)) && is_space(Some(at + 1))
}

/// Returns the inline tags between the digits of a number.
fn tags_in_numbers(text: &[u8]) -> Vec<Range<usize>> {
    let mut removed = Vec::new();
    let mut at = 0;
    while let Some(ahead) = text.get(at..).and_then(|rest| rest.iter().position(|byte| *byte == b'<')) {
        let first = at + ahead;
        let tags = std::iter::successors(tag_at(text, first), |tag| {
            tag_at(text, tag.end)
                .or_else(|| tag_at(text, tag.end + 1).filter(|_| text.get(tag.end) == Some(&b' ')))
        });
        let tags: Vec<Range<usize>> = tags.collect();
        at = tags.last().map_or(first + 1, |last| last.end);
        let before = text.get(..first).unwrap_or_default();
        if ends_within_number(before) && begins_with_digit(text.get(at..).unwrap_or_default()) {
            removed.extend(tags);
        }
    }
    removed
}

fn tag_at(text: &[u8], at: usize) -> Option<Range<usize>> {
    inline_tag(text, at).map(|len| at..at + len)
}

/// Whether a text ends with a digit or a sign of a number, and at most one space.
fn ends_within_number(text: &[u8]) -> bool {
    let text = text.strip_suffix(b" ").unwrap_or(text);
    matches!(text.last(), Some(b'0'..=b'9' | b'+' | b'(' | b')' | b'-' | b'/' | b'.'))
}

/// Whether a text begins with a digit, behind at most one space and one bracket.
fn begins_with_digit(text: &[u8]) -> bool {
    let text = text.strip_prefix(b" ").unwrap_or(text);
    text.strip_prefix(b"(").unwrap_or(text).first().is_some_and(u8::is_ascii_digit)
}

/// Returns the text with digits for the letters in its numbers that look like them; `None` without such letters.
fn with_digits(text: &str) -> Option<String> {
    let runs: Vec<Range<usize>> = misread(text.as_bytes()).collect();
    let mut read = String::with_capacity(if runs.is_empty() { return None } else { text.len() });
    let mut done = 0;
    for run in runs {
        read.push_str(text.get(done..run.start).unwrap_or_default());
        let digit = |letter| match letter {
            'O' | 'o' => '0',
            'l' | 'I' => '1',
            _ => letter,
        };
        read.extend(text.get(run.clone()).unwrap_or_default().chars().map(digit));
        done = run.end;
    }
    read.push_str(text.get(done..).unwrap_or_default());
    Some(read)
}

/// Returns the runs of digits and letters that look like digits, which have both. Other letters next to a run are capitals:
/// those of `DE8937O4`, and not the word of `vol1`.
fn misread(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start =
                at + text.get(at..)?.iter().position(|byte| byte.is_ascii_digit() || is_like_digit(byte))?;
            let run =
                text.get(start..)?.iter().take_while(|byte| byte.is_ascii_digit() || is_like_digit(byte));
            at = start + run.count();
            let run = text.get(start..at)?;
            let of_word =
                |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_lowercase() || *byte >= 0x80);
            let is_mixed = run.iter().any(u8::is_ascii_digit) && run.iter().any(is_like_digit);
            if is_mixed
                && !of_word(start.checked_sub(1).and_then(|at| text.get(at)))
                && !of_word(text.get(at))
            {
                return Some(start..at);
            }
        }
    })
}

/// Whether a letter looks like 0 or 1.
fn is_like_digit(byte: &u8) -> bool {
    matches!(byte, b'O' | b'o' | b'l' | b'I')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings() {
        for (part, read) in [
            ("IBAN DE89 37O4 0044", Some("IBAN DE89 3704 0044")),
            ("DE8937O40044", Some("DE8937040044")),
            ("born O3/l4/1978", Some("born 03/14/1978")),
            ("S S N : 5 3 1 - 8 4", Some("SSN:531-84")),
            ("Tel. 0 3 O 2 3", Some("Tel. 03023")),
            ("to anna.keller @ example . com now", Some("to anna.keller@example.com now")),
            ("+49 <b>30</b> <i>23</i>125", Some("+49 30 23125")),
            ("phone <b>+49</b> 30", Some("phone <b>+49 30")),
            // no number, or as it was meant
            ("vol1 and 10th", None),
            ("a b c d 1 2", None),
            ("1 2 3", None),
            ("<td>12</td><td>34</td>", None),
            ("<b>Hall</b> 30", None),
            ("meet @ noon", Some("meet@noon")),
            ("", None),
        ] {
            let again = reread(part).map(|reread| reread.folded.text.into_owned());
            assert_eq!(again.as_deref(), read, "{part}");
        }
    }

    #[test]
    fn places_of_a_reading_are_those_of_the_part() {
        let part = "+49 <b>30</b> 2312";
        let Reread { folded, tags } = reread(part).unwrap();
        assert_eq!(folded.original(0, folded.text.len()), (0, part.len()));
        assert_eq!(tags, [4..7, 9..13]);
        assert_eq!(folded.copied(part.len()), folded.text.len());
    }

    #[test]
    fn words_that_may_be_misread() {
        for (text, word, wanted) in [
            ("37O4", "37O4", true),
            ("O3/14", "O3", true),
            ("+49 3O 23", "3O", true),
            ("S3 and O2 here", "O2", false),
            ("l0n", "l0n", false),
            ("abc123", "abc123", false),
        ] {
            let start = text.find(word).unwrap();
            assert_eq!(is_misread(text.as_bytes(), start, start + word.len()), wanted, "{text}");
        }
    }

    #[test]
    fn marks_within_numbers() {
        let marked = |text: &str, at: fn(&[u8], usize) -> bool| -> Vec<usize> {
            (0..text.len()).filter(|place| at(text.as_bytes(), *place)).collect()
        };
        assert_eq!(marked("x 5 3 1 8 44", is_spaced_out), [6, 8]);
        let tagged = |text| marked(text, |text, at| text[at] == b'>' && divides_number(text, at));
        assert_eq!(tagged("+49 <b>30</b> 2312"), [6, 12]);
        assert_eq!(tagged("30</b> <i>23</i>"), [9]);
        assert_eq!(tagged("<b>30</b> EUR, <td>3</td><td>4</td>"), Vec::<usize>::new());
    }
}
