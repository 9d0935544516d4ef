//! HTML and XML between the words of a text: layout tags and entities are not words, and a tag ends a name.

use textveil_phrase::markup::{is_inline, tag};

use crate::token::Gap;

/// HTML entities of characters that occur in names.
const ENTITIES: [(&[u8], Gap); 5] = [
    (b"&#39;", Gap::Apostrophe),
    (b"&apos;", Gap::Apostrophe),
    (b"&rsquo;", Gap::Apostrophe),
    (b"&nbsp;", Gap::Space),
    (b"&#160;", Gap::Space),
];

/// Returns the length of the entity at `at`, and the gap that it is between two words.
pub(crate) fn entity(text: &[u8], at: usize) -> Option<(usize, Gap)> {
    let rest = text.get(at..)?;
    ENTITIES.iter().find(|(entity, _)| rest.starts_with(entity)).map(|(entity, gap)| (entity.len(), *gap))
}

/// The characters that [`shown`] yields for the end and the start of a table cell.
const CELL_ENDS: char = '\t';
const CELL_BEGINS: char = '\u{b}';

/// Returns the text between two words as rendered: without inline tags, with a line break for each block
/// element, and `<` for any other tag.
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
                    // most sources have a line break there as well
                    at += usize::from(bytes.get(at) == Some(&b'\n'));
                    '\n'
                }
                b"p" | b"div" => continue,
                _ if is_inline(name) => continue,
                _ => '<',
            });
        }
    })
}

/// Returns the gap between two words with markup between them; a table cell is the label of the next one.
/// `None` if there is no markup.
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
