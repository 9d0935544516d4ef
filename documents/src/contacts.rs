//! Contacts and calendars: vCard (RFC 6350, RFC 2426) and iCalendar (RFC 5545). Properties label their values.

use crate::{
    Value,
    lines::{Entries, content_length, line_length, other},
    parts::Parts,
    places::Places,
    syntax::{Escape, Syntax},
};

/// Properties of the format itself, whose values are no text.
const FIXED: [&str; 9] =
    ["BEGIN", "END", "VERSION", "PRODID", "CALSCALE", "METHOD", "SEQUENCE", "TRANSP", "CLASS"];
/// The labels of properties, and of the components of those that have several.
const LABELS: [(&str, &[&str]); 10] = [
    ("FN", &["name"]),
    ("N", &["last name", "first name", "second name", "title", "title"]),
    ("ADR", &["post box", "address", "street", "city", "region", "postal code", "country"]),
    ("TEL", &["phone"]),
    ("EMAIL", &["email"]),
    ("BDAY", &["date of birth"]),
    ("ORG", &["organisation", "department"]),
    ("NICKNAME", &["nickname"]),
    ("ATTENDEE", &["attendee"]),
    ("ORGANIZER", &["organiser"]),
];

/// Properties with texts, in which commas and semicolons are escaped.
const TEXTS: [&str; 9] =
    ["FN", "NOTE", "TITLE", "ROLE", "SUMMARY", "DESCRIPTION", "LOCATION", "COMMENT", "CONTACT"];

/// The lines of cards and calendars.
pub(crate) struct Contacts;

impl Entries for Contacts {
    fn entry(&mut self, text: &str, is_last: bool, parts: &mut dyn Parts) -> Option<usize> {
        let mut end = line_length(text);
        // a line that begins with a space continues the one before
        loop {
            let rest = text.get(end..)?;
            if rest.is_empty() && !is_last {
                return None;
            }
            if !rest.starts_with([' ', '\t']) {
                break;
            }
            end += line_length(rest);
        }
        let line = text.get(..end)?;
        let content = line.trim_end_matches(['\r', '\n']);
        match Property::of(content) {
            Some(property) => property.read(content, parts),
            None => {
                other(line, parts);
                return Some(end);
            }
        }
        parts.keep(line.get(content.len()..)?);
        if content.len() == content_length(line) && content.to_ascii_uppercase().starts_with("END:V") {
            parts.end_record();
        }
        Some(end)
    }
}

/// A property: its name without its group, and the start of its value.
struct Property<'t> {
    name: &'t str,
    parameters: usize,
    value: usize,
}

impl<'t> Property<'t> {
    fn of(line: &'t str) -> Option<Self> {
        let end = line.find([':', ';'])?;
        let written = line.get(..end)?;
        let name = written.rsplit('.').next()?;
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        if name.is_empty() || !written.bytes().all(|byte| is_name(byte) || byte == b'.') {
            return None;
        }
        let mut is_quoted = false;
        let colon = line.get(end..)?.bytes().position(|byte| {
            is_quoted ^= byte == b'"';
            byte == b':' && !is_quoted
        })?;
        Some(Self { name, parameters: end, value: end + colon + 1 })
    }

    fn read(&self, line: &str, parts: &mut dyn Parts) {
        let Self { name, parameters, value } = *self;
        parts.keep(line.get(..parameters).unwrap_or_default());
        let upper = name.to_ascii_uppercase();
        for parameter in split(line.get(parameters..value - 1).unwrap_or_default(), ';', false) {
            self::parameter(parameter, parts);
        }
        parts.keep(":");
        let written = line.get(value..).unwrap_or_default();
        if FIXED.contains(&upper.as_str()) {
            return parts.keep(written);
        }
        let labels = LABELS.iter().find(|(known, _)| *known == upper).map(|(_, labels)| *labels);
        let own = name.to_ascii_lowercase();
        let is_structured = labels.is_some_and(|labels| labels.len() > 1);
        let components = if is_structured { split(written, ';', true) } else { vec![written] };
        for (index, component) in components.into_iter().enumerate() {
            let raw = component.strip_prefix(';').filter(|_| index > 0).unwrap_or(component);
            parts.keep(component.get(..component.len() - raw.len()).unwrap_or_default());
            let label = labels.and_then(|labels| labels.get(index)).map_or(own.as_str(), |label| label);
            let (text, places) = decode(raw);
            let is_text = is_structured || TEXTS.contains(&upper.as_str());
            let syntax = Syntax::escaped(places, Escape::Contact { is_text });
            match raw {
                "" => (),
                _ => parts
                    .value(raw, Value { label: Some(label.to_owned()), text, syntax, ..Value::default() }),
            }
        }
    }
}

/// Hands over a parameter with its semicolon: a name in it may be that of a person.
fn parameter(raw: &str, parts: &mut dyn Parts) {
    let (name, value) = raw.split_at(raw.find('=').map_or(raw.len(), |at| at + 1));
    parts.keep(name);
    let is_word = |byte: u8| byte.is_ascii_uppercase() || b",-".contains(&byte);
    if value.bytes().all(is_word) || value.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b',') {
        return parts.keep(value);
    }
    let inside = value.strip_prefix('"').and_then(|inside| inside.strip_suffix('"'));
    let label = name.trim_matches([';', '=']);
    let label = if label.eq_ignore_ascii_case("CN") { "name".to_owned() } else { label.to_ascii_lowercase() };
    let start = usize::from(inside.is_some());
    let (text, places) = unfolded(inside.unwrap_or(value), start);
    let syntax = Syntax::escaped(places, Escape::Parameter { is_quoted: inside.is_some() });
    parts.value(value, Value { label: Some(label), text, is_aside: true, syntax, ..Value::default() });
}

/// Splits a text before each separator that is not escaped or quoted.
fn split(text: &str, separator: char, is_escaped: bool) -> Vec<&str> {
    let (mut found, mut start) = (Vec::new(), 0);
    let (mut is_quoted, mut follows_backslash) = (false, false);
    for (at, letter) in text.char_indices() {
        if letter == separator && at > start && !is_quoted && !follows_backslash {
            found.push(text.get(start..at).unwrap_or_default());
            start = at;
        } else if letter == separator && at == 0 && is_escaped {
            found.push("");
        }
        is_quoted ^= letter == '"' && !is_escaped;
        follows_backslash = is_escaped && letter == '\\' && !follows_backslash;
    }
    if start < text.len() {
        found.push(text.get(start..).unwrap_or_default());
    }
    found
}

/// Joins folded lines.
fn unfolded(raw: &str, start: usize) -> (String, Places) {
    let (mut text, mut places) = (String::with_capacity(raw.len()), Places::from(start));
    let mut rest = raw;
    while let Some(at) = rest.find('\n') {
        let before = rest.get(..at).unwrap_or_default();
        text.push_str(before.strip_suffix('\r').unwrap_or(before));
        rest = rest.get(at + 2..).unwrap_or_default();
        places.leave_out(text.len(), start + raw.len() - rest.len());
    }
    text.push_str(rest);
    (text, places)
}

/// Joins folded lines, and decodes escapes.
pub(crate) fn decode(raw: &str) -> (String, Places) {
    let (mut text, mut places) = (String::with_capacity(raw.len()), Places::default());
    let mut rest = raw;
    while let Some(at) = rest.find(['\\', '\n']) {
        let (before, here) = rest.split_at(at);
        let (before, letter, length) = match (here.as_bytes().first(), here.chars().nth(1)) {
            (Some(b'\n'), next) => {
                (before.strip_suffix('\r').unwrap_or(before), None, 1 + next.map_or(0, char::len_utf8))
            }
            (_, Some('n' | 'N')) => (before, Some('\n'), 2),
            (_, Some(letter @ (',' | ';' | '\\' | ':'))) => (before, Some(letter), 2),
            _ => (before, Some('\\'), 1),
        };
        text.push_str(before);
        text.extend(letter);
        rest = here.get(length..).unwrap_or_default();
        match letter {
            Some(_) => places.add(text.len(), raw.len() - rest.len()),
            None => places.leave_out(text.len(), raw.len() - rest.len()),
        }
    }
    text.push_str(rest);
    (text, places)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        lines::Lines,
        tests::{labelled, protected},
    };

    #[test]
    fn properties_label_their_values() {
        let text = "BEGIN:VCARD\r\nVERSION:4.0\r\nN:Kellermann;Anna;;Dr.;\r\nitem1.TEL;TYPE=home,cell;X-A=a1:+49 30\r\n  1\r\n\
            ADR;LABEL=\"5; High St\":;;12 High St\\, Flat 3;Leeds;;LS1 1AA;UK\r\nNOTE:a\\nb\\; c\r\nEND:VCARD\r\nplain\r\n\
            ATTENDEE;CN=Emily Carter:mailto:e@example.com\r\n";
        let expected = [
            ("last name", "Kellermann"),
            ("first name", "Anna"),
            ("title", "Dr."),
            ("x-a", "a1"),
            ("phone", "+49 30 1"),
            ("label", "5; High St"),
            ("street", "12 High St, Flat 3"),
            ("city", "Leeds"),
            ("postal code", "LS1 1AA"),
            ("country", "UK"),
            ("note", "a\nb; c"),
            ("", "plain"),
            ("name", "Emily Carter"),
            ("attendee", "mailto:e@example.com"),
        ];
        labelled(&mut Lines::new(Contacts), text, &expected);
    }

    #[test]
    fn replacements_are_written_for_their_places() {
        let text = "N:X;X y;\nNOTE:a X\\, b\nTEL;X=\"X;\":1\n";
        assert_eq!(
            protected(&mut Lines::new(Contacts), text, &["X"]),
            "N:[R];[R] y;\nNOTE:a [R]\\, b\nTEL;X=\"[R];\":1\n"
        );
    }
}
