//! The meaning of elements and attributes.

use super::Dialect;

/// The elements of HTML, SVG and MathML, sorted. Any other name may be personal data: `<jan@example.com>`.
const KNOWN: &[&str] = &[
    "a",
    "abbr",
    "acronym",
    "address",
    "animate",
    "area",
    "article",
    "aside",
    "audio",
    "b",
    "base",
    "bdi",
    "bdo",
    "big",
    "blockquote",
    "body",
    "br",
    "button",
    "canvas",
    "caption",
    "center",
    "circle",
    "cite",
    "code",
    "col",
    "colgroup",
    "data",
    "datalist",
    "dd",
    "defs",
    "del",
    "details",
    "dfn",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "ellipse",
    "em",
    "embed",
    "fieldset",
    "figcaption",
    "figure",
    "font",
    "footer",
    "foreignobject",
    "form",
    "frame",
    "frameset",
    "g",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hgroup",
    "hr",
    "html",
    "i",
    "iframe",
    "image",
    "img",
    "input",
    "ins",
    "kbd",
    "label",
    "legend",
    "li",
    "line",
    "lineargradient",
    "link",
    "main",
    "map",
    "mark",
    "marquee",
    "mask",
    "math",
    "menu",
    "meta",
    "meter",
    "mfrac",
    "mi",
    "mn",
    "mo",
    "mrow",
    "msqrt",
    "msub",
    "msup",
    "mtable",
    "mtd",
    "mtext",
    "mtr",
    "nav",
    "nobr",
    "noframes",
    "noscript",
    "object",
    "ol",
    "optgroup",
    "option",
    "output",
    "p",
    "param",
    "path",
    "pattern",
    "picture",
    "polygon",
    "polyline",
    "pre",
    "progress",
    "q",
    "rect",
    "rp",
    "rt",
    "ruby",
    "s",
    "samp",
    "script",
    "search",
    "section",
    "select",
    "slot",
    "small",
    "source",
    "span",
    "stop",
    "strike",
    "strong",
    "style",
    "sub",
    "summary",
    "sup",
    "svg",
    "symbol",
    "table",
    "tbody",
    "td",
    "template",
    "text",
    "textarea",
    "tfoot",
    "th",
    "thead",
    "time",
    "title",
    "tr",
    "track",
    "tspan",
    "tt",
    "u",
    "ul",
    "use",
    "var",
    "video",
    "wbr",
];

/// Elements that do not separate what precedes them from what follows, sorted.
const INLINE: &[&str] = &[
    "a", "abbr", "b", "bdi", "bdo", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins", "kbd",
    "mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var",
    "wbr",
];

/// The same in XML, where data has elements called `code`, `time` and `s`; sorted.
const INLINE_IN_XML: &[&str] = &["a", "b", "em", "i", "small", "span", "strong", "sub", "sup", "u"];

/// Attributes with an address, sorted.
const ADDRESS: &[&str] = &[
    "action",
    "archive",
    "background",
    "cite",
    "classid",
    "codebase",
    "data",
    "formaction",
    "href",
    "icon",
    "longdesc",
    "manifest",
    "ping",
    "poster",
    "profile",
    "src",
    "usemap",
    "xlink:href",
];

/// The content of an element without tags inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// Text with character references.
    Text,
    /// Code.
    Code,
    /// JSON, if it can be read as such.
    Json,
}

impl Content {
    /// The content after a start tag; `None` if it has tags.
    pub(super) fn of(name: &str, tag: &str) -> Option<Self> {
        match name {
            "textarea" | "title" => Some(Self::Text),
            "script" | "style" if is_json(tag) => Some(Self::Json),
            "script" | "style" => Some(Self::Code),
            _ => None,
        }
    }
}

/// Whether the type of a script is one of JSON: `application/ld+json`, `importmap` is code.
fn is_json(tag: &str) -> bool {
    super::attributes(tag).iter().any(|attribute| {
        let is_type = tag.get(attribute.name.clone()).is_some_and(|name| name.eq_ignore_ascii_case("type"));
        let value = tag.get(attribute.inner.clone()).unwrap_or_default();
        is_type && value.to_ascii_lowercase().contains("json")
    })
}

/// Whether an element is one of HTML, or a custom one.
pub(super) fn is_known(name: &str) -> bool {
    let is_custom = || {
        let is_letters = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
        is_letters && name.find('-').is_some_and(|at| at > 0 && at + 1 < name.len())
    };
    KNOWN.binary_search(&name).is_ok() || is_custom()
}

/// Whether text goes on over the tags of an element.
pub(super) fn is_inline(name: &str, dialect: Dialect) -> bool {
    let names = if dialect == Dialect::Html { INLINE } else { INLINE_IN_XML };
    names.binary_search(&name).is_ok()
}

/// Whether an element is a cell of a table.
pub(super) fn is_cell(name: &str) -> bool {
    matches!(name, "td" | "th")
}

/// Whether an attribute is an address.
pub(super) fn has_address(name: &str) -> bool {
    ADDRESS.binary_search(&name).is_ok()
}

/// Whether an attribute is several addresses, each with a size.
pub(super) fn has_addresses(name: &str) -> bool {
    matches!(name, "imagesrcset" | "srcset")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted() {
        for list in [KNOWN, INLINE, INLINE_IN_XML, ADDRESS] {
            assert!(list.is_sorted());
        }
    }

    #[test]
    fn custom_elements_are_known() {
        assert!(is_known("my-element") && is_known("h1"));
        assert!(!is_known("jan.novak@example.cz") && !is_known("emily") && !is_known("-a"));
    }
}
