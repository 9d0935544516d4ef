//! Tags of HTML and XML in a text.

/// The longest tag that is skipped, in bytes.
const MAX_TAG: usize = 40;
/// Elements for layout.
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
/// The inline elements among these.
const INLINE: [&[u8]; 11] =
    [b"a", b"b", b"em", b"i", b"mark", b"small", b"span", b"strong", b"sub", b"sup", b"u"];

/// Returns the length of the tag at `at`, if it is not a word of the text: a closing tag, or a layout element
/// without attributes.
pub fn tag(text: &[u8], at: usize) -> Option<usize> {
    let inside = text.get(at..)?.strip_prefix(b"<")?;
    let len = inside.iter().take(MAX_TAG).position(|byte| *byte == b'>')?;
    let inside = inside.get(..len)?;
    let (closes, name) = match inside {
        [b'/', name @ ..] => (true, name),
        [name @ .., b' ', b'/'] | [name @ .., b'/'] => (false, name),
        name => (false, name),
    };
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':');
    // a single capital is a type: `Peek<I>`
    let is_type = matches!(name, [b'A'..=b'Z']);
    let lays_out = || !is_type && ELEMENTS.iter().any(|element| element.eq_ignore_ascii_case(name));
    let is_tag = name.first().is_some_and(u8::is_ascii_alphabetic) && name.iter().all(is_name);
    (is_tag && (closes || lays_out())).then_some(len + 2)
}

/// Whether an element between words is part of a line, by what is between `<` and `>`: `b`, `/b`.
pub fn is_inline(name: &[u8]) -> bool {
    INLINE.contains(&name.strip_prefix(b"/").unwrap_or(name))
}

/// Returns the length of the inline tag at `at`, in bytes: `<b>`, `</b>`.
///
/// ```
/// use textveil_phrase::markup::inline_tag;
///
/// let lengths = [b"<b>30</b>".as_slice(), b"</td>"].map(|text| inline_tag(text, 0));
/// assert_eq!(lengths, [Some(3), None]);
/// ```
pub fn inline_tag(text: &[u8], at: usize) -> Option<usize> {
    let len = tag(text, at)?;
    text.get(at + 1..at + len - 1).is_some_and(is_inline).then_some(len)
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
