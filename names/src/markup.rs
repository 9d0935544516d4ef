//! HTML and XML: tags that only lay a text out are no words of it, and where one stands a name ends; nor are characters
//! that are written out.

use crate::token::Gap;

/// The longest tag that is no word of the text, in bytes.
const MAX_TAG: usize = 40;
/// Elements that lay a text out.
const ELEMENTS: [&[u8]; 33] = [
    b"a",
    b"b",
    b"blockquote",
    b"body",
    b"br",
    b"center",
    b"dd",
    b"div",
    b"dl",
    b"dt",
    b"em",
    b"h1",
    b"h2",
    b"h3",
    b"h4",
    b"hr",
    b"i",
    b"label",
    b"li",
    b"mark",
    b"ol",
    b"p",
    b"small",
    b"span",
    b"strong",
    b"sub",
    b"sup",
    b"table",
    b"tbody",
    b"td",
    b"th",
    b"tr",
    b"u",
];
/// Of these, the ones within a line.
const INLINE: [&[u8]; 11] =
    [b"a", b"b", b"em", b"i", b"mark", b"small", b"span", b"strong", b"sub", b"sup", b"u"];

/// The length of the tag that begins here, if it is no word of the text: one that closes an element, or one without
/// attributes that lays the text out.
pub(crate) fn tag(text: &[u8], at: usize) -> Option<usize> {
    let inside = text.get(at..)?.strip_prefix(b"<")?;
    let len = inside.iter().take(MAX_TAG).position(|byte| *byte == b'>')?;
    let inside = inside.get(..len)?;
    let (closes, name) = match inside {
        [b'/', name @ ..] => (true, name),
        [name @ .., b' ', b'/'] | [name @ .., b'/'] => (false, name),
        name => (false, name),
    };
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':');
    // a capital alone is a type: `Peek<I>`
    let is_type = matches!(name, [b'A'..=b'Z']);
    let lays_out = || !is_type && ELEMENTS.iter().any(|element| element.eq_ignore_ascii_case(name));
    let is_tag = name.first().is_some_and(u8::is_ascii_alphabetic) && name.iter().all(is_name);
    (is_tag && (closes || lays_out())).then_some(len + 2)
}

/// Characters that stand in names, written out.
const ENTITIES: [(&[u8], Gap); 5] = [
    (b"&#39;", Gap::Apostrophe),
    (b"&apos;", Gap::Apostrophe),
    (b"&rsquo;", Gap::Apostrophe),
    (b"&nbsp;", Gap::Space),
    (b"&#160;", Gap::Space),
];

/// The character that is written out at a place: its length there, and what it is between two words.
pub(crate) fn entity(text: &[u8], at: usize) -> Option<(usize, Gap)> {
    let rest = text.get(at..)?;
    ENTITIES.iter().find(|(entity, _)| rest.starts_with(entity)).map(|(entity, gap)| (entity.len(), *gap))
}

/// Where a cell of a table ends, and where one begins.
const CELL_ENDS: char = '\t';
const CELL_BEGINS: char = '\u{b}';

/// What stands between two words as it looks: without the tags within a line, with an end of a line for each tag that
/// makes one, and `<` for any other.
pub(crate) fn shown(between: &str) -> impl Iterator<Item = char> {
    let bytes = between.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let Some(len) = tag(bytes, at) else {
                let letter = between.get(at..)?.chars().next()?;
                at += letter.len_utf8();
                return Some(letter);
            };
            let name = bytes.get(at + 1..at + len - 1).unwrap_or_default();
            at += len;
            return Some(match name {
                b"/td" | b"/th" | b"/dt" => CELL_ENDS,
                b"td" | b"dd" => CELL_BEGINS,
                b"/p" | b"/div" | b"br" | b"br/" | b"br /" => {
                    // most sources have a line for each as well
                    at += usize::from(bytes.get(at) == Some(&b'\n'));
                    '\n'
                }
                b"p" | b"div" => continue,
                _ if INLINE.contains(&name.strip_prefix(b"/").unwrap_or(name)) => continue,
                _ => '<',
            });
        }
    })
}

/// What stands between two words with markup between them: a cell of a table is the label of the next one. None where
/// there is none.
pub(crate) fn gap(between: &str) -> Option<Gap> {
    if let Some((len, gap)) = entity(between.as_bytes(), 0) {
        return (len == between.len()).then_some(gap);
    }
    if !between.contains('<') {
        return None;
    }
    let (mut label, mut line, mut len, mut cell) = (false, false, 0, false);
    for letter in shown(between) {
        len += letter.len_utf8();
        label |= letter == ':' || letter == CELL_BEGINS && cell;
        cell = letter == CELL_ENDS || cell && letter.is_ascii_whitespace();
        line |= matches!(letter, CELL_ENDS | CELL_BEGINS | '\n' | '<');
    }
    (len < between.len()).then_some(match (label, line) {
        (true, _) => Gap::Colon,
        (false, true) => Gap::Line,
        (false, false) => Gap::Other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_it_looks() {
        for (between, looks) in [
            (", ", ", "),
            ("<br>", "\n"),
            (",<br />\n", ",\n"),
            ("</p><p>", "\n"),
            ("</b> ", " "),
            ("</li><li>", "<<"),
        ] {
            assert_eq!(shown(between).collect::<String>(), looks, "{between}");
        }
    }

    #[test]
    fn tags_that_are_no_words() {
        for (text, len) in [
            ("</td>", Some(5)),
            ("</ns:firstName>x", Some(15)),
            ("<br/>", Some(5)),
            ("<br />", Some(6)),
            ("<TD>", Some(4)),
            ("<firstName>", None),
            ("<td class='name'>", None),
            ("</>", None),
            ("< b>", None),
            ("<u8>", None),
            ("<I>", None),
            ("</td", None),
        ] {
            assert_eq!(tag(text.as_bytes(), 0), len, "{text}");
        }
    }

    #[test]
    fn what_tags_stand_between() {
        for (between, what) in [
            ("</td><td>", Some(Gap::Colon)),
            ("</b></th>\n  <td>", Some(Gap::Colon)),
            (":</b> ", Some(Gap::Colon)),
            ("</td></tr><tr><td>", Some(Gap::Line)),
            ("<br>", Some(Gap::Line)),
            ("</name>", Some(Gap::Line)),
            (" <b>", Some(Gap::Other)),
            ("&#39;", Some(Gap::Apostrophe)),
            ("&nbsp;", Some(Gap::Space)),
            ("&nbsp;(", None),
            (" < ", None),
            (":\n", None),
        ] {
            assert_eq!(gap(between), what, "{between}");
        }
    }
}
