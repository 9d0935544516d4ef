//! Tags and their attributes.

use std::ops::Range;

/// An attribute with a value. All places are bytes of the tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Attribute {
    pub(super) name: Range<usize>,
    /// With its quotes.
    pub(super) value: Range<usize>,
    /// Without them.
    pub(super) inner: Range<usize>,
}

/// The name of a tag; empty for a declaration.
pub(super) fn name_of(tag: &str) -> &str {
    let name = tag.strip_prefix("</").or_else(|| tag.strip_prefix('<')).unwrap_or_default();
    let end = name.find(|c: char| c.is_whitespace() || matches!(c, '/' | '>')).unwrap_or(name.len());
    if name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
        name.get(..end).unwrap_or_default()
    } else {
        ""
    }
}

/// The attributes of a tag that have values, in order.
pub(super) fn attributes(tag: &str) -> Vec<Attribute> {
    let bytes = tag.as_bytes();
    let until = |from: usize, is_end: &dyn Fn(u8) -> bool| {
        let rest = bytes.get(from..).unwrap_or_default();
        from + rest.iter().position(|byte| is_end(*byte)).unwrap_or(rest.len())
    };
    let is_between = |byte: u8| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'/');
    let is_no_name = |byte: u8| is_between(byte) || matches!(byte, b'<' | b'>' | b'=');
    let is_no_space = |byte: u8| !byte.is_ascii_whitespace();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let end = until(at, &is_no_name);
        let is_start =
            at.checked_sub(1).and_then(|before| bytes.get(before)).is_some_and(|byte| is_between(*byte));
        if end == at || !is_start {
            at = end.max(at + 1);
            continue;
        }
        let name = at..end;
        at = end;
        let equals = until(end, &is_no_space);
        if bytes.get(equals) != Some(&b'=') {
            continue;
        }
        let start = until(equals + 1, &is_no_space);
        let (value, inner) = match bytes.get(start) {
            Some(quote @ (b'"' | b'\'')) => {
                let close = until(start + 1, &|byte| byte == *quote);
                if close == bytes.len() {
                    continue;
                }
                (start..close + 1, start + 1..close)
            }
            _ => {
                let close =
                    until(start, &|byte| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'>'));
                (start..close, start..close)
            }
        };
        if value.is_empty() {
            continue;
        }
        at = value.end;
        found.push(Attribute { name, value, inner });
    }
    found
}

/// The end of the tag at the start of `text`. A `>` in quotes does not end it. The tag of a document type of XML also ends where
/// its declarations begin.
///
/// # Errors
/// If it has not come yet: how far the text need not be read again.
pub(super) fn tag_end(text: &str, seen: usize, is_xml: bool) -> Result<usize, usize> {
    let bytes = text.as_bytes();
    let is_declaration = is_xml && text.starts_with("<!");
    let is_type = is_xml && text.get(..9).is_some_and(|start| start.eq_ignore_ascii_case("<!doctype"));
    let mut at = seen;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'>' => return Ok(at + 1),
            b'[' if is_type => return Ok(at + 1),
            // elsewhere a quote is a letter like any other
            b'"' | b'\'' if is_declaration || follows_equals(bytes.get(..at).unwrap_or_default()) => {
                let rest = bytes.get(at + 1..).unwrap_or_default();
                match rest.iter().position(|other| other == byte) {
                    Some(length) => at += 1 + length,
                    None => return Err(at),
                }
            }
            _ => (),
        }
        at += 1;
    }
    Err(at)
}

fn follows_equals(before: &[u8]) -> bool {
    before.iter().rev().take(64).find(|byte| !byte.is_ascii_whitespace()) == Some(&b'=')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_with_values() {
        for (tag, expected) in [
            ("<a href=x title='y z'>", vec![("href", "x", "x"), ("title", "'y z'", "y z")]),
            ("<input value = \"a>b\"name=c disabled>", vec![("value", "\"a>b\"", "a>b"), ("name", "c", "c")]),
            ("<b don't>", vec![]),
            ("<b a='open>", vec![]),
            ("<a=b>", vec![]),
            ("<a b=>", vec![]),
            ("<br/x=1/>", vec![("x", "1/", "1/")]),
        ] {
            let text = |place: &Range<usize>| tag.get(place.clone()).unwrap();
            let found = attributes(tag);
            let found: Vec<_> =
                found.iter().map(|a| (text(&a.name), text(&a.value), text(&a.inner))).collect();
            assert_eq!(found, expected, "{tag}");
        }
    }

    #[test]
    fn tags_end_outside_quotes() {
        for (text, end) in [
            ("<a>b>", Ok(3)),
            ("<a title=\"a > b\">x", Ok(17)),
            ("<b don't>x", Ok(9)),
            ("<a title = '>", Err(11)),
            ("<a title", Err(8)),
        ] {
            assert_eq!(tag_end(text, 0, false), end, "{text}");
        }
        for (text, end) in [
            ("<!DOCTYPE a SYSTEM 'b[>' [<!ENTITY x '>'>]>", Ok(26)),
            ("<!ENTITY x 'a>[b'>]>", Ok(18)),
            ("<!ENTITY x 'a>", Err(11)),
        ] {
            assert_eq!(tag_end(text, 0, true), end, "{text}");
        }
    }
}
