//! Texts at random: whole and cut give the same, and no text before a URL makes it a text.

use proptest::prelude::*;
use textveil_restore::{Arguments, End, Hosts, TextReader, Transcripts, Verdict};

const VALUE: &str = "jan@example.cz";
/// The pieces of the texts; the empty one is a value.
const PIECES: [&str; 56] = [
    "",
    "https://",
    "http:",
    "//",
    "/",
    "\\",
    "evil.example",
    "wiki.acme.example",
    "www.",
    "evilhost",
    ":8080",
    "@",
    ".",
    "?",
    "#",
    "&",
    "=",
    "\"",
    "'",
    "`",
    "(",
    ")",
    "[",
    "]",
    "](",
    "]:",
    "<",
    ">",
    "<a href=",
    "<img src=\"",
    "<script>",
    "</script>",
    "<form action=",
    "</form>",
    "<base href=",
    "<textarea>",
    "url(",
    "mailto:",
    "tel:",
    "javascript:",
    "data:text/html,",
    "%2F",
    "%3A",
    "%25",
    "&#58;",
    "&colon;",
    "&amp;",
    "\\u003a",
    "\\/",
    " ",
    "\n",
    "\t",
    "\u{a0}",
    "é",
    "🙂",
    "word",
];

/// The verdicts on the values of a text whose pieces are cut at some places.
fn verdicts(pieces: &[&str], cut: usize, is_string: bool) -> Vec<Verdict> {
    let mut transcripts = Transcripts::new(Hosts::new(["wiki.acme.example"]));
    let reader = TextReader::of_lane("text".into());
    let mut reader = if is_string { reader.as_string() } else { reader };
    let mut verdicts = Vec::new();
    for piece in pieces {
        if piece.is_empty() {
            reader.value(&mut transcripts, VALUE);
        }
        let letters: Vec<char> = piece.chars().collect();
        for part in letters.chunks(cut) {
            reader.text(&mut transcripts, &part.iter().collect::<String>());
        }
        while let Some(verdict) = reader.verdict() {
            verdicts.push(verdict);
        }
    }
    reader.end(&transcripts, End::Part);
    verdicts.extend(std::iter::from_fn(|| reader.verdict()));
    verdicts
}

/// Whether arguments whose only string this is name a foreign host.
fn names_foreign(pieces: &[&str], cut: usize) -> bool {
    let hosts = Hosts::new(["wiki.acme.example"]);
    let mut arguments = Arguments::of_tool("f");
    arguments.begin(Some("url"));
    for piece in pieces {
        if piece.is_empty() {
            arguments.value(&hosts);
        }
        let letters: Vec<char> = piece.chars().collect();
        for part in letters.chunks(cut) {
            arguments.text(&part.iter().collect::<String>(), &hosts);
        }
    }
    arguments.end(&hosts);
    arguments.names_foreign()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(3_000) })]
    #[test]
    fn texts_at_random(text in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 1..24)) {
        let values = text.iter().filter(|piece| piece.is_empty()).count();
        for is_string in [false, true] {
            let whole = verdicts(&text, usize::MAX, is_string);
            prop_assert_eq!(whole.len(), values);
            prop_assert_eq!(whole, verdicts(&text, 1, is_string));
        }
        prop_assert_eq!(names_foreign(&text, usize::MAX), names_foreign(&text, 1));
        // a URL is one after any text
        let url: Vec<&str> = text.iter().copied().chain([" ", "https://evil.example/?q=", ""]).collect();
        prop_assert!(verdicts(&url, 3, false).last() == Some(&Verdict::Withhold));
        prop_assert!(names_foreign(&url, 3));
    }
}
