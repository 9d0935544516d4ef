//! Speakers of an exported chat: `14/5/25, 21:04 - Bea: on my way`, `[14.05.25, 21:04:11] Bea: …`.

use crate::Part;

/// The longest time before a speaker, in bytes: `[14.05.2025, 10:04:11 p. m.] `.
const MAX_TIME: usize = 40;

/// Returns the place of the time before a speaker, whose name is in these bytes of the text; `None` if it is no speaker.
///
/// The time is the one that WhatsApp exports: a comma is between date and time, which logs write otherwise.
pub(crate) fn time_before(text: &str, start: usize, end: usize) -> Option<Part> {
    if !text.get(end..)?.starts_with(": ") {
        return None;
    }
    let before = text.get(..start)?;
    let line = before.rfind('\n').map_or(0, |line| line + 1);
    let time = before.get(line..).filter(|time| time.len() <= MAX_TIME)?;
    let time = match time.strip_prefix('[') {
        Some(time) => time.strip_suffix("] ")?,
        None => time.strip_suffix(" - ")?,
    };
    is_time(time).then_some(Part { start: line as u32, end: start as u32 })
}

/// Whether the line at `start` begins with such a time, without brackets.
pub(crate) fn begins_line(text: &[u8], start: usize) -> bool {
    let line = text.get(start..).unwrap_or_default();
    let line = line.get(..MAX_TIME).unwrap_or(line);
    let time = line.windows(3).position(|sign| sign == b" - ").and_then(|end| line.get(..end));
    line.first().is_some_and(u8::is_ascii_digit)
        && time.and_then(|time| std::str::from_utf8(time).ok()).is_some_and(is_time)
}

/// Whether a text is a date and a time, with a comma between them.
fn is_time(time: &str) -> bool {
    let Some((date, clock)) = time.split_once(", ") else { return false };
    let is_number =
        |part: &str| (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_list = |list: &str, signs: [char; 3], most: usize| {
        let parts = list.split(signs);
        parts.clone().all(is_number) && (2..=most).contains(&parts.count())
    };
    // `10:04 PM`, `10:04 p. m.`
    let clock = clock.split(' ').next().unwrap_or_default();
    is_list(date.trim_end_matches('.'), ['/', '.', '-'], 3) && is_list(clock, [':', '.', 'h'], 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        for (line, is_speaker) in [
            ("14/5/25, 21:04 - Bea: on my way", true),
            ("5/14/25, 9:04 PM - Bea: on my way", true),
            ("14.05.25, 21:04 - Bea: komme", true),
            ("[14.05.25, 21:04:11] Bea: komme", true),
            ("[2025-05-14, 21:04:11] Bea: komme", true),
            ("first line\n14/5/25, 21:04 - Bea: on my way", true),
            // logs
            ("2025-05-14 21:04:11 - Bea: ready", false),
            ("2025-05-14 21:04:11,123 - Bea: ready", false),
            ("[21:04:11] Bea: ready", false),
            ("14/5/25, 21:04 - Bea added you", false),
            ("note, see 3 - Bea: x", false),
            ("a, b - Bea: x", false),
            ("Bea: x", false),
        ] {
            let start = line.find("Bea").unwrap();
            assert_eq!(time_before(line, start, start + 3).is_some(), is_speaker, "{line}");
            let line = line.trim_start_matches("first line\n");
            let begins = is_speaker && !line.starts_with('[') || line.contains("added you");
            assert_eq!(begins_line(line.as_bytes(), 0), begins, "{line}");
        }
    }
}
