//! Describes what a value must have in fixed places; `engine/catalogue/README.md` explains the keys.

use textveil_schema::Part;

/// Most parts that are described; the others are counted.
const MOST_PARTS: usize = 3;
/// Most characters or codes that are listed.
const MOST_CHARACTERS: usize = 12;
const MOST_CODES: usize = 4;

/// Each part in words, and the number of those that are left out.
pub(super) fn in_words(parts: &[Part]) -> Vec<String> {
    let mut words: Vec<String> = parts.iter().take(MOST_PARTS).map(part_in_words).collect();
    match parts.len().saturating_sub(MOST_PARTS) {
        0 => {}
        1 => words.push("a permitted value in 1 other place".to_owned()),
        others => words.push(format!("permitted values in {others} other places")),
    }
    words
}

fn part_in_words(part: &Part) -> String {
    let length = match part.length {
        0 => String::new(),
        length => format!(" of values with {length} characters"),
    };
    format!("{} as {}{length}", value(part), place(part))
}

fn place(part: &Part) -> String {
    let (at, len) = (i32::from(part.at), i32::from(part.len));
    let first = at + 1;
    match (at, len) {
        (-1, 1) => "the last character".to_owned(),
        (..0, 0) => format!("the last {} characters", -at),
        (..0, _) if at + len == 0 => format!("the last {len} characters"),
        (..0, 1) => format!("character {} from the end", -at),
        (..0, _) => format!("characters {} to {} from the end", -at, -at - len + 1),
        (_, 0) => format!("all characters from {first} on"),
        (_, 1) => format!("character {first}"),
        _ => format!("characters {first} to {}", at + len),
    }
}

fn value(part: &Part) -> String {
    let mut text = match (part.min, part.max) {
        _ if !part.chars.is_empty() => characters(part),
        _ if !part.one_of.is_empty() => codes(&part.one_of),
        _ if !part.within.is_empty() => {
            format!("a number within {}", alternatives(&part.within, "ranges"))
        }
        (Some(min), Some(max)) if min == max => format!("the number {min}"),
        (Some(min), Some(max)) => format!("a number from {min} to {max}"),
        (None, Some(0)) => "the number 0".to_owned(),
        (Some(0), None) => "a number".to_owned(),
        (Some(min), None) => format!("a number from {min} on"),
        (None, Some(max)) => format!("a number up to {max}"),
        (None, None) if part.none_of.is_empty() => "a number".to_owned(),
        (None, None) => "any value".to_owned(),
    };
    let mut excluded: Vec<String> = part.not.iter().map(u32::to_string).collect();
    excluded.extend(part.none_of.iter().map(|code| format!("`{code}`")));
    if !excluded.is_empty() {
        text += &format!(" except {}", alternatives(&excluded, "values"));
    }
    text
}

fn characters(part: &Part) -> String {
    let Part { chars, len, .. } = part;
    let kind = match (
        chars.contains(|one: char| one.is_ascii_digit()),
        chars.contains(|one: char| !one.is_ascii_digit()),
    ) {
        (true, false) => "digit",
        (false, _) => "letter",
        (true, true) => "letter or digit",
    };
    match (chars.chars().count(), *len == 1) {
        (1, true) => format!("`{chars}`"),
        (10, true) if kind == "digit" => "a digit".to_owned(),
        (10, false) if kind == "digit" => "digits".to_owned(),
        (..=MOST_CHARACTERS, true) => format!("one of `{chars}`"),
        (..=MOST_CHARACTERS, false) => format!("only `{chars}`"),
        (_, true) => format!("a permitted {kind}"),
        (_, false) => {
            format!("permitted {}", kind.replace("letter", "letters").replace("digit", "digits"))
        }
    }
}
fn codes(codes: &[String]) -> String {
    let quoted: Vec<String> = codes.iter().map(|code| format!("`{code}`")).collect();
    if codes.len() > MOST_CODES {
        format!("one of {} codes", codes.len())
    } else {
        alternatives(&quoted, "codes")
    }
}

fn alternatives(items: &[String], of: &str) -> String {
    match items {
        _ if items.len() > MOST_CODES => format!("{} {of}", items.len()),
        [others @ .., last] if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => items.concat(),
    }
}

#[test]
fn parts_are_described_in_words() {
    for (part, want) in [
        ("at = 0\nchars = '5'", "`5` as character 1"),
        ("at = 2\nchars = '259'", "one of `259` as character 3"),
        ("at = 0\nlen = 2\nchars = 'ABC'", "only `ABC` as characters 1 to 2"),
        ("at = -1\nchars = '0123456789'", "a digit as the last character"),
        ("at = 1\nlen = 0\nchars = 'ABCDEFGHJKLMNP'", "permitted letters as all characters from 2 on"),
        ("at = 0\nlen = 10\nmin = 1\nmax = 1999999", "a number from 1 to 1999999 as characters 1 to 10"),
        ("at = -2\nlen = 2\nmin = 1", "a number from 1 on as the last 2 characters"),
        ("at = -4\nlen = 2\nmax = 7", "a number up to 7 as characters 4 to 3 from the end"),
        ("at = 0\nmax = 0", "the number 0 as character 1"),
        ("at = 0\nmin = 0", "a number as character 1"),
        ("at = 0\nlen = 3\nnot = [0, 666]", "a number except 0 or 666 as characters 1 to 3"),
        ("at = 0\nlen = 2\nwithin = ['1-40', '70']", "a number within 1-40 or 70 as characters 1 to 2"),
        ("at = 0\nlen = 2\none_of = ['PL', 'GB']", "`PL` or `GB` as characters 1 to 2"),
        ("at = 0\none_of = ['1', '2', '3', '4', '5']", "one of 5 codes as character 1"),
        ("at = 0\nlen = 2\nnone_of = ['SA']", "any value except `SA` as characters 1 to 2"),
        ("at = 0\nmin = 1\nlength = 9", "a number from 1 on as character 1 of values with 9 characters"),
    ] {
        assert_eq!(in_words(&[toml::from_str(part).unwrap()]), [want], "{part}");
    }
}

#[test]
fn parts_that_are_left_out_are_counted() {
    let part: Part = toml::from_str("at = 0\nchars = '5'").unwrap();
    assert_eq!(in_words(&vec![part.clone(); 4])[3], "a permitted value in 1 other place");
    assert_eq!(in_words(&vec![part; 6])[3], "permitted values in 3 other places");
}
