//! Helpers for the tests of the formats, and properties that hold for all of them.

use anyhow::Result;
use textveil_engine::{Category, Entity, Protected, Span};

use crate::{
    Edit, Format, Passage, Record, analyse,
    parts::{Collector, Parts, Reader},
};

/// The records of a text that comes whole.
pub(crate) fn outcome(reader: &mut dyn Reader, text: &str) -> Result<Vec<Record>> {
    let mut collector = Collector::default();
    reader.read(text, &mut collector)?;
    reader.end(&mut collector)?;
    collector.end_record();
    Ok(std::iter::from_fn(|| collector.next()).collect())
}

pub(crate) fn records_of(reader: &mut dyn Reader, text: &str) -> Vec<Record> {
    outcome(reader, text).unwrap()
}

pub(crate) fn record_of(reader: &mut dyn Reader, text: &str) -> Record {
    records_of(reader, text).remove(0)
}

/// Checks the labels and the texts of all values, and that records join to the document.
#[track_caller]
pub(crate) fn labelled(reader: &mut dyn Reader, document: &str, expected: &[(&str, &str)]) {
    let records = records_of(reader, document);
    assert_eq!(records.iter().map(|record| record.raw.as_str()).collect::<String>(), document);
    let values = records.iter().flat_map(|record| &record.values);
    let found: Vec<_> =
        values.map(|value| (value.label.as_deref().unwrap_or_default(), value.text.as_str())).collect();
    assert_eq!(found, expected);
}

/// The raw text of a record with other texts in its values.
pub(crate) fn rewritten(record: &Record, texts: &[Option<&str>]) -> String {
    let edit = |(index, value): (usize, &crate::Value)| {
        texts
            .get(index)
            .copied()
            .flatten()
            .and_then(|new| Edit::between(&value.text, new))
            .into_iter()
            .collect()
    };
    record.rewritten(&record.values.iter().enumerate().map(edit).collect::<Vec<_>>())
}

/// The document with each of `found` replaced by `[R]`, as an engine would that finds just these.
pub(crate) fn protected(reader: &mut dyn Reader, document: &str, found: &[&str]) -> String {
    let judge = |passage: &Passage| Ok((self::found(passage, found), vec![]));
    let protected =
        |record: &Record| record.rewritten(&analyse(&record.values, judge).unwrap().edits(str::to_owned));
    records_of(reader, document).iter().map(protected).collect()
}

/// Each of the needles in a passage, a finding in each of its cells, as the engine finds them.
pub(crate) fn found(passage: &Passage, needles: &[&str]) -> Vec<Protected> {
    let text = passage.text();
    let in_cells = |(start, whole): (usize, &str)| {
        let end = start + whole.len();
        let common = |cell: &Span| {
            let (start, end) = (start.max(cell.start), end.min(cell.end));
            text.get(start..end).filter(|part| !part.is_empty()).map(|part| needle(start, part))
        };
        passage.cells().iter().filter_map(common).collect::<Vec<_>>()
    };
    let mut found: Vec<_> =
        needles.iter().flat_map(|needle| text.match_indices(needle)).flat_map(in_cells).collect();
    found.sort_by_key(|found| found.entity.bytes.start);
    found
}

/// A finding of a text at a place.
pub(crate) fn needle(start: usize, original: &str) -> Protected {
    let span = Span { start, end: start + original.len() };
    let entity = Entity {
        kind: "needle".into(),
        category: Category::Personal,
        original: original.into(),
        country: None,
        confidence: 1.0,
        validated: false,
        span,
        bytes: span,
        metadata: Default::default(),
        evidence: vec![],
    };
    Protected { entity, replacement: "[R]".into(), action: None, policy: None }
}

const FORMATS: [Format; 12] = [
    Format::Text,
    Format::Csv,
    Format::Json,
    Format::Ndjson,
    Format::Sql,
    Format::Yaml,
    Format::Toml,
    Format::Ini,
    Format::Vcard,
    Format::Srt,
    Format::Html,
    Format::Xml,
];

/// A document of each kind of syntax.
const SAMPLE: &str = "<?xml version=\"1.0\"?>\r\n<!-- a -- b --><p class=a title='x > y' data-č=\"1\">č &amp; 🦀 <b>bold</b> 1 < 2\n\
    <script>let a = '</b>';</script><script type=\"application/json\">{\"a\": [1, \"x\"]}</script><title>t</title>\
    <![CDATA[ <raw> ]]><td>1</td>\t<td>2</td><a href=\"https://a.example/b?c=%C4%8D\">x</a><jan@example.cz>";

#[test]
fn all_records_joined_are_the_document_however_it_is_cut() {
    let json = "{\"a\": [1.50, \"č\\u010d\\\"🦀\", true], \"b@c\": {\"d\": null}}\r\n";
    for (format, text) in FORMATS.map(|format| (format, if format == Format::Json { json } else { SAMPLE })) {
        let whole = records_of(&mut *format.reader(None, false).unwrap(), text);
        let joined: String = whole.iter().map(|record| record.raw.as_str()).collect();
        assert_eq!(joined, text, "{format:?}");
        for record in &whole {
            for value in &record.values {
                assert!(record.raw.get(value.place.clone()).is_some(), "{format:?}");
            }
        }
        for size in [1, 2, 3, 7, 64] {
            let mut reader = format.reader(None, false).unwrap();
            let mut collector = Collector::default();
            let characters: Vec<char> = text.chars().collect();
            for piece in characters.chunks(size) {
                reader.read(&piece.iter().collect::<String>(), &mut collector).unwrap();
            }
            reader.end(&mut collector).unwrap();
            collector.end_record();
            let cut: Vec<_> = std::iter::from_fn(|| collector.next()).collect();
            assert_eq!(cut, whole, "{format:?} in pieces of {size}");
        }
    }
}
