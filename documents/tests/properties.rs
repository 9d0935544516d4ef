//! Documents of every format stay whole in every mode, and tokens are restored to the same document.

#![allow(clippy::indexing_slicing, clippy::string_slice, clippy::unwrap_used, reason = "a test")]

use std::ops::Range;

use proptest::{collection::vec, prelude::*, sample::select};
use textveil_documents::{Analysis, Edit, Format, Reading, Record, Records, Value, passages, tokens};
use textveil_engine::{
    DetectOptions, Finder, Keyring, Mode, ProtectOptions, Protected, Work, options::Operator, restore,
};

/// Columns and values that are found alone, together, or not at all.
const COLUMNS: [(&str, [&str; 5]); 9] = [
    ("name", ["Anna Kellermann", "Siobhán O'Brien", "Ng, Wei", "René \"Ren\" Müller", "Piotr Wiśniewski"]),
    ("street", ["12 High St", "Hauptstr. 5", "Goethestraße 12", "418 W Dayton St Apt 6", "ul. Długa 7/3"]),
    ("zip", ["LS1 1AA", "10115", "53703", "00-238", ""]),
    ("city", ["Leeds", "Berlin", "Madison", "Warszawa", "Zürich"]),
    ("email", ["anna.k@example.com", "w.ng@example.sg", "o'brien@example.ie", "x@example.cz", "none"]),
    ("phone", ["+49 30 901820", "07700 900123", "4111111111111111", "(213) 373-4253", ""]),
    ("iban", ["DE89370400440532013000", "GB82 WEST 1234 5698 7654 32", "", "-", "n/a"]),
    ("note", ["call\nback", "a \\ b", "<b>&amp;</b>", "to Anna Kellermann, Leeds", "tab\there 🦀"]),
    ("count", ["1", "17", "-3.50", "1e3", "0"]),
];

const FORMATS: [Shape; 15] = [
    Shape::Csv(','),
    Shape::Csv(';'),
    Shape::Csv('\t'),
    Shape::Json,
    Shape::JsonInAscii,
    Shape::Lines,
    Shape::Xml,
    Shape::Html,
    Shape::Sql,
    Shape::Yaml,
    Shape::YamlInBrackets,
    Shape::Toml,
    Shape::Ini,
    Shape::Vcard,
    Shape::Srt,
];

#[derive(Clone, Copy, Debug)]
enum Shape {
    Csv(char),
    Json,
    JsonInAscii,
    Lines,
    Xml,
    Html,
    Sql,
    Yaml,
    YamlInBrackets,
    Toml,
    Ini,
    Vcard,
    Srt,
}

type Row = Vec<(&'static str, &'static str)>;

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let columns = select(vec![
        vec![0, 1, 2, 3],
        vec![0, 4, 5, 8],
        vec![1, 2, 3],
        vec![7, 0, 6, 3, 2],
        vec![0, 1, 2, 3, 4, 5, 6, 7, 8],
    ]);
    (columns, vec(vec(0_usize..5, 9), 1..5)).prop_map(|(columns, picks)| {
        let row = |picks: &Vec<usize>| {
            columns
                .iter()
                .zip(picks)
                .map(|(column, pick)| (COLUMNS[*column].0, COLUMNS[*column].1[*pick]))
                .collect()
        };
        picks.iter().map(row).collect()
    })
}

impl Shape {
    fn format(self) -> Format {
        match self {
            Self::Csv(_) => Format::Csv,
            Self::Json | Self::JsonInAscii => Format::Json,
            Self::Lines => Format::Ndjson,
            Self::Xml => Format::Xml,
            Self::Html => Format::Html,
            Self::Sql => Format::Sql,
            Self::Yaml | Self::YamlInBrackets => Format::Yaml,
            Self::Toml => Format::Toml,
            Self::Ini => Format::Ini,
            Self::Vcard => Format::Vcard,
            Self::Srt => Format::Srt,
        }
    }

    fn written(self, rows: &[Row]) -> String {
        match self {
            Self::Csv(delimiter) => csv(rows, delimiter),
            Self::Json => serde_json::to_string_pretty(&json(rows)).unwrap(),
            Self::JsonInAscii => in_ascii(&json(rows).to_string()),
            Self::Lines => json(rows).as_array().unwrap().iter().map(|row| format!("{row}\n")).collect(),
            Self::Xml => markup(rows, "person", |name, text| format!("<{name}>{text}</{name}>")),
            Self::Html => {
                format!("<table>{}</table>", markup(rows, "tr", |_, text| format!("<td>{text}</td>")))
            }
            Self::Sql => sql(rows),
            Self::Yaml => settings(rows, "- kind: person # a person\n", |name, text| {
                format!("  {name}: {}\n", yaml(text, name.len()))
            }),
            Self::YamlInBrackets => settings(rows, "-\n", |name, text| {
                let text = if text.contains('\n') {
                    json_string(text)
                } else {
                    yaml_in_line(text, true, name.len())
                };
                format!("  - {{{name}: {text}, \"list\": [{text}]}}\n")
            }),
            Self::Toml => settings(rows, "[[person]] # a person\n", |name, text| {
                format!("{name} = {}\n", toml(text, name.len()))
            }),
            Self::Ini => settings(rows, "; a person\n[person]\n", |name, text| {
                let text = match text.contains('\n') || name.len() == 5 {
                    true => format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")),
                    false => text.to_owned(),
                };
                format!("{name} = {text}\n")
            }),
            Self::Vcard => vcard(rows),
            Self::Srt => rows
                .iter()
                .flatten()
                .enumerate()
                .map(|(number, (_, text))| {
                    format!("{number}\n00:00:01,000 --> 00:00:02,000\nis {text}.\nYes.\n\n")
                })
                .collect(),
        }
    }
}

fn csv(rows: &[Row], delimiter: char) -> String {
    let cell = |text: &str| match text.contains([delimiter, '"', '\n']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    };
    let line = |cells: Vec<String>| cells.join(&delimiter.to_string()) + "\r\n";
    let head = line(rows[0].iter().map(|(name, _)| cell(name)).collect());
    let rows = rows.iter().map(|row| line(row.iter().map(|(_, text)| cell(text)).collect()));
    head + &rows.collect::<String>()
}

fn sql(rows: &[Row]) -> String {
    let names: Vec<_> = rows[0].iter().map(|(name, _)| *name).collect();
    let value = |text: &str| match text.parse::<u64>() {
        Ok(_) => text.to_owned(),
        Err(_) => format!("'{}'", text.replace('\'', "''")),
    };
    let row = |row: &Row| row.iter().map(|(_, text)| value(text)).collect::<Vec<_>>().join(", ");
    let rows: Vec<_> = rows.iter().map(|values| format!("({})", row(values))).collect();
    format!("-- people\nINSERT INTO people ({}) VALUES\n{};\n", names.join(", "), rows.join(",\n"))
}

fn settings(rows: &[Row], head: &str, line: impl Fn(&str, &str) -> String) -> String {
    rows.iter()
        .map(|row| head.to_owned() + &row.iter().map(|(name, text)| line(name, text)).collect::<String>())
        .collect()
}

fn json_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A scalar in one of the forms of YAML.
fn yaml(text: &str, form: usize) -> String {
    match (text.contains('\n'), form % 2) {
        (true, 0) => format!("|-\n    {}", text.replace('\n', "\n    ")),
        (true, _) => json_string(text),
        _ => yaml_in_line(text, false, form),
    }
}

fn yaml_in_line(text: &str, is_flow: bool, form: usize) -> String {
    let special = if is_flow { "<\"&\\,[]{}\t:#-" } else { "<\"&\\\t:#-" };
    match (text.is_empty() || text.contains(|letter| special.contains(letter)), form % 2) {
        (false, _) => text.to_owned(),
        (true, 0) => json_string(text),
        _ => format!("'{}'", text.replace('\'', "''")),
    }
}

fn toml(text: &str, form: usize) -> String {
    match form % 3 {
        _ if text.parse::<f64>().is_ok() => text.to_owned(),
        _ if text.contains('\n') => format!("\"\"\"\n{text}\"\"\""),
        0 if !text.contains(['\'', '\t']) => format!("'{text}'"),
        _ => json_string(text),
    }
}

fn vcard(rows: &[Row]) -> String {
    let escaped =
        |text: &str| text.replace('\\', "\\\\").replace(',', "\\,").replace(';', "\\;").replace('\n', "\\n");
    let card = |row: &Row| {
        let of = |column: &str| row.iter().find(|(name, _)| *name == column).map_or("", |(_, text)| *text);
        let [name, street, zip, city] = ["name", "street", "zip", "city"].map(|column| escaped(of(column)));
        let (mail, phone, note) = (of("email"), of("phone"), escaped(of("note")));
        format!(
            "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:{name}\r\nADR;TYPE=home;X-OF=\"{}\":;;{street};{city};;{zip};\r\n\
             EMAIL:{mail}\r\nTEL:{phone}\r\nNOTE:{note}\r\nEND:VCARD\r\n",
            of("name").replace('"', "")
        )
    };
    rows.iter().map(card).collect()
}

fn json(rows: &[Row]) -> serde_json::Value {
    let value = |text: &str| match text.parse::<u64>() {
        Ok(number) if text == number.to_string() => number.into(),
        _ => serde_json::Value::from(text),
    };
    rows.iter()
        .map(|row| row.iter().map(|(name, text)| (*name, value(text))).collect::<serde_json::Value>())
        .collect()
}

/// As Python writes it by default.
fn in_ascii(json: &str) -> String {
    let mut out = String::new();
    for letter in json.chars() {
        match letter.is_ascii() {
            true => out.push(letter),
            false => letter
                .encode_utf16(&mut [0; 2])
                .iter()
                .for_each(|unit| out.push_str(&format!("\\u{unit:04x}"))),
        }
    }
    out
}

fn markup(rows: &[Row], outer: &str, cell: impl Fn(&str, &str) -> String) -> String {
    let escaped = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let row = |row: &Row| {
        let (_, name) = row[0];
        let title = escaped(name).replace('"', "&quot;");
        let cells: String = row.iter().map(|(name, text)| cell(name, &escaped(text))).collect();
        format!("<{outer} title=\"{title}\">{cells}</{outer}>\n")
    };
    rows.iter().map(row).collect()
}

fn read(document: &str, format: Format) -> Vec<Record> {
    let reading = Reading { format, is_whole: false, delimiter: None, encoding: None };
    let mut records = Records::open(document.as_bytes(), reading);
    std::iter::from_fn(|| records.next_record().unwrap()).collect()
}

/// The text between the values of a document, and the label of each.
fn skeleton(records: &[Record]) -> Vec<(String, Option<String>)> {
    let mut skeleton = Vec::new();
    for record in records {
        let mut done = 0;
        for Value { place, label, .. } in &record.values {
            skeleton.push((record.raw[done..place.start].to_owned(), label.clone()));
            done = place.end;
        }
        skeleton.push((record.raw[done..].to_owned(), None));
    }
    skeleton
}

/// Reads a document with a parser, without its texts; `None` if it rejects the document. `original` tells the delimiter of CSV.
fn shape(document: &str, format: Format, original: &str) -> Option<Vec<String>> {
    match format {
        Format::Json => Some(vec![outline(&serde_json::from_str(document).ok()?)]),
        Format::Ndjson => document
            .lines()
            .filter(|line| !line.trim().is_empty())
            .map(|line| Some(outline(&serde_json::from_str(line).ok()?)))
            .collect(),
        Format::Toml => Some(vec![toml_outline(&toml::Value::Table(toml::from_str(document).ok()?))]),
        Format::Yaml => yaml_events(document),
        Format::Xml => xml_events(document),
        Format::Csv => csv_rows(document, original),
        _ => None,
    }
}

/// The nesting of a document of JSON. Keys may be replaced, and two of them by the same text.
fn outline(value: &serde_json::Value) -> String {
    let joined = |parts: Vec<String>| parts.join(",");
    match value {
        serde_json::Value::Array(list) => format!("[{}]", joined(list.iter().map(outline).collect())),
        serde_json::Value::Object(map) => {
            let mut parts: Vec<_> = map.values().map(outline).collect();
            parts.sort();
            format!("{{{}}}", joined(parts))
        }
        _ => "v".to_owned(),
    }
}

fn toml_outline(value: &toml::Value) -> String {
    match value {
        toml::Value::Array(list) => {
            format!("[{}]", list.iter().map(toml_outline).collect::<Vec<_>>().join(","))
        }
        toml::Value::Table(table) => {
            let mut parts: Vec<_> = table.values().map(toml_outline).collect();
            parts.sort();
            format!("{{{}}}", parts.join(","))
        }
        // a date is a string when it is replaced
        _ => "v".to_owned(),
    }
}

fn yaml_events(document: &str) -> Option<Vec<String>> {
    use yaml_rust2::{Event, parser::Parser};
    let mut parser = Parser::new_from_str(document);
    let mut events = Vec::new();
    loop {
        match parser.next_token().ok()?.0 {
            Event::StreamEnd => return Some(events),
            Event::Scalar(..) => events.push("v".to_owned()),
            event => events.push(format!("{event:?}")),
        }
    }
}

fn xml_events(document: &str) -> Option<Vec<String>> {
    use quick_xml::{Reader, events::Event};
    let mut reader = Reader::from_str(document);
    reader.config_mut().check_comments = true;
    let mut events: Vec<String> = Vec::new();
    loop {
        let event = match reader.read_event().ok()? {
            Event::Eof => return Some(events),
            Event::Start(tag) => {
                format!("<{}", tag.attributes().map(|read| read.ok()).collect::<Option<Vec<_>>>()?.len())
            }
            Event::Empty(tag) => {
                format!("/{}", tag.attributes().map(|read| read.ok()).collect::<Option<Vec<_>>>()?.len())
            }
            Event::End(_) => ">".to_owned(),
            Event::Text(_) | Event::CData(_) | Event::GeneralRef(_) => "v".to_owned(),
            Event::Comment(_) => "!".to_owned(),
            Event::DocType(_) => "d".to_owned(),
            Event::PI(_) | Event::Decl(_) => "?".to_owned(),
        };
        if event != "v" || events.last() != Some(&event) {
            events.push(event);
        }
    }
}

/// The number of cells of each row, with the delimiter that most lines of the original have equally often.
fn csv_rows(document: &str, original: &str) -> Option<Vec<String>> {
    let alike = |mark: &&u8| {
        let counts = original.lines().map(|line| line.bytes().filter(|byte| byte == *mark).count());
        let mut lines = std::collections::HashMap::new();
        counts.filter(|count| *count > 0).for_each(|count| *lines.entry(count).or_insert(0) += 1);
        lines.into_values().max()
    };
    let delimiter = *b",;\t|".iter().max_by_key(alike)?;
    // some programs escape quotes with backslashes
    let escape = original.contains("\\\"").then_some(b'\\');
    let mut rows = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .escape(escape)
        .delimiter(delimiter)
        .from_reader(document.as_bytes());
    rows.records().map(|row| Some(row.ok()?.len().to_string())).collect()
}

/// The lines of two texts at their first difference.
fn first_change(one: &str, other: &str) -> Option<(String, String)> {
    let lines = |text: &str| text.split('\n').map(str::to_owned).collect::<Vec<_>>();
    let (one, other) = (lines(one), lines(other));
    let at = (0..one.len().max(other.len())).find(|&at| one.get(at) != other.get(at))?;
    Some((one.get(at).cloned().unwrap_or_default(), other.get(at).cloned().unwrap_or_default()))
}

/// The places of the values in their document.
fn places(records: &[Record]) -> Vec<Range<usize>> {
    let mut start = 0;
    let mut places = Vec::new();
    for record in records {
        places.extend(record.values.iter().map(|Value { place, .. }| start + place.start..start + place.end));
        start += record.raw.len();
    }
    places
}

fn raw_values(records: &[Record]) -> Vec<&str> {
    records
        .iter()
        .flat_map(|record| record.values.iter().map(|value| &record.raw[value.place.clone()]))
        .collect()
}

struct Tools {
    finder: Finder,
    keys: Keyring,
}

impl Tools {
    fn new() -> Self {
        Self {
            finder: Finder::unlimited(&DetectOptions::default()).unwrap(),
            keys: Keyring::new(0, b"a secret of 16 bytes or more").unwrap(),
        }
    }

    fn analysed(&self, record: &Record, protection: &ProtectOptions) -> Analysis<Protected> {
        let mut analysis = Analysis::of(&record.values);
        for passage in passages(&record.values) {
            let (text, cells) = (passage.text(), passage.cells());
            let found = self
                .finder
                .protect_cells(text, cells, protection, Some(&self.keys), &Work::default())
                .unwrap();
            analysis.add(&passage, found.entities, found.countries);
        }
        analysis
    }

    /// The protected document, and whether each value has findings.
    fn protected(&self, records: &[Record], protection: &ProtectOptions) -> (String, Vec<bool>) {
        let (mut document, mut has_findings) = (String::new(), Vec::new());
        for record in records {
            let analysis = self.analysed(record, protection);
            for (value, found) in record.values.iter().zip(&analysis.findings) {
                for finding in found {
                    let bytes = finding.entity.bytes;
                    assert_eq!(
                        value.text.get(bytes.start..bytes.end),
                        Some(finding.entity.original.as_str())
                    );
                }
                has_findings.push(!found.is_empty());
            }
            document.push_str(&record.rewritten(&analysis.edits(str::to_owned)));
        }
        (document, has_findings)
    }

    /// The places of the changed values in the protected document.
    fn replaced(&self, records: &[Record], protection: &ProtectOptions) -> Vec<Range<usize>> {
        let (mut start, mut places) = (0, Vec::new());
        for record in records {
            let edits = self.analysed(record, protection).edits(str::to_owned);
            let mut moved = 0_isize;
            for (index, (value, own)) in record.values.iter().zip(&edits).enumerate() {
                if own.is_empty() {
                    continue;
                }
                let alone: Vec<_> = edits
                    .iter()
                    .enumerate()
                    .map(|(other, edits)| if other == index { edits.clone() } else { Vec::new() })
                    .collect();
                let new = record.rewritten(&alone).len() + value.place.len() - record.raw.len();
                let at = (start + value.place.start).wrapping_add_signed(moved);
                places.push(at..at + new);
                moved += new as isize - value.place.len() as isize;
            }
            start += record.rewritten(&edits).len();
        }
        places
    }

    /// The protected document, which has the structure of the document, and the restored one.
    fn there_and_back(&self, document: &str, format: Format) -> (String, String) {
        let tokenize = ProtectOptions { mode: Mode::Tokenize, ..ProtectOptions::default() };
        let records = read(document, format);
        let (protected, has_findings) = self.protected(&records, &tokenize);
        assert!(has_findings.contains(&true), "{document}");
        let after = read(&protected, format);
        assert_eq!(skeleton(&after), skeleton(&records), "{protected}");
        let restored = self.restored(&after);
        (protected, restored)
    }

    fn restored(&self, records: &[Record]) -> String {
        let edits = |value: &Value| -> Vec<Edit> {
            let restored = |place: std::ops::Range<usize>| Edit {
                text: restore(&value.text[place.clone()], &self.keys).unwrap().text,
                place,
            };
            tokens(&value.text).map(restored).collect()
        };
        let restored =
            |record: &Record| record.rewritten(&record.values.iter().map(edits).collect::<Vec<_>>());
        records.iter().map(restored).collect()
    }
}

fn modes() -> Vec<ProtectOptions> {
    let of = |mode| ProtectOptions { mode, ..ProtectOptions::default() };
    let awkward =
        Operator { mode: Mode::Replace, new_value: Some("a\"b,\n<c>;'d".into()), ..Operator::default() };
    let operators = ["name", "address", "city", "email", "phone_number", "credit_card"];
    let operators = operators.map(|kind| (kind.to_owned(), awkward.clone())).into();
    vec![
        of(Mode::Replace),
        of(Mode::Mask),
        of(Mode::Hash),
        of(Mode::Policy),
        ProtectOptions { operators, ..of(Mode::Replace) },
        of(Mode::Tokenize),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn documents_stay_whole(rows in rows()) {
        let tools = Tools::new();
        for shape in FORMATS {
            let document = shape.written(&rows);
            let records = read(&document, shape.format());
            for protection in modes() {
                let (protected, has_findings) = tools.protected(&records, &protection);
                let after = read(&protected, shape.format());
                prop_assert_eq!(skeleton(&after), skeleton(&records), "{:?} {:?}\n{}", shape, protection.mode, protected);
                let values = raw_values(&records).into_iter().zip(raw_values(&after)).zip(&has_findings);
                for ((old, new), has_findings) in values {
                    prop_assert!(*has_findings || old == new, "{shape:?} {old} {new}");
                }
                if protection.mode == Mode::Tokenize {
                    prop_assert_eq!(tools.restored(&after), document.clone(), "{:?}\n{}", shape, protected);
                }
            }
        }
    }
}

/// A value that was found over several cells is restored in its own places.
#[test]
fn an_address_over_cells_is_restored() {
    let tools = Tools::new();
    let tokenize = ProtectOptions { mode: Mode::Tokenize, ..ProtectOptions::default() };
    for (format, document) in [
        (Format::Csv, "name,street,zip,city\nAnna Kellermann,12 High St,LS1 1AA,Leeds\n"),
        (Format::Json, r#"{"address":{"line1":"12 High St","line2":"Flat 3","postcode":"LS1 1AA"}}"#),
        (Format::Xml, "<a><street>12 High St</street><zip>LS1 1AA</zip></a>"),
    ] {
        let records = read(document, format);
        let (protected, _) = tools.protected(&records, &tokenize);
        assert!(!protected.contains("LS1") && !protected.contains("High"), "{protected}");
        let after = read(&protected, format);
        assert_eq!(
            raw_values(&after).iter().filter(|raw| raw.trim_matches('"').is_empty()).count(),
            0,
            "{protected}"
        );
        assert_eq!(tools.restored(&after), document, "{protected}");
    }
}

/// Each document has a value that is found, with characters that are not written as we would write them.
const SPELLINGS: &[(Format, &str)] = &[
    (Format::Yaml, r#"name: "Ren\xE9 M\xFCller""#),
    (Format::Yaml, r#"name: "Ren\xe9 M\xfcller""#),
    (Format::Yaml, r#"name: "Ren\u00E9 M\u00FCller""#),
    (Format::Yaml, r#"name: "Ren\xe9\u0020M\u00fcller""#),
    (Format::Yaml, "name: \"Anna\\\n  \\ Kellermann\"\n"),
    (Format::Yaml, "address: \"12 High St,\n  Leeds LS1 1AA\"\n"),
    (Format::Yaml, "a: {name: \"Anna\\_Kellermann\"}\n"),
    (Format::Yaml, "address: |\n  12 High St\n\n  Leeds LS1 1AA\n"),
    (
        Format::Yaml,
        "mail: formats:\\\n  * as in `anna.k@example.com`\n  - \"anna.k@example.com\" too # end\n",
    ),
    (Format::Yaml, "mail: [to\n  *anna.k@example.com, x]\n"),
    (Format::Yaml, "mail: also: `anna.k@example.com`\n"),
    (Format::Toml, r#"name = "Ren\u00E9 M\u00FCller""#),
    (Format::Toml, r#"name = "\u00c9milie M\u00fcller""#),
    (Format::Toml, "name = \"\"\"Ren\\u00E9 \\\n  M\\u00FCller\"\"\""),
    (Format::Toml, "address = \"\"\"12 High St\\nLeeds\nLS1 1AA\"\"\""),
    (Format::Json, r#"{"name": "Ren\u00e9 Müller"}"#),
    (Format::Json, r#"{"name": "Ren\u00E9 M\u00FCller \ud83e\udd80"}"#),
    (Format::Json, r#"{"name": "Siobh\u00e1n O\u0027Brien"}"#),
    (Format::Json, r#"{"name": "\u00c9milie M\u00fcller"}"#),
    (Format::Json, r#"{"url": "https:\/\/example.com\/users\/anna.kellermann?mail=a@example.com"}"#),
    (Format::Json, r#"{"from": "Anna Kellermann \u003canna.k@example.com\u003e"}"#),
    (Format::Html, "<p>name: Ren&eacute; M&#252;ller</p>"),
    (Format::Html, "<p>name: Ren&#xE9; M&#xFC;ller</p>"),
    (Format::Html, "<p>Dear Siobh&aacute;n O&#039;Brien,</p>"),
    (Format::Html, "<p>Dear Siobh&aacute;n O&#39;Brien,</p>"),
    (Format::Html, "<p>Dear Siobhán O&#x27;Brien,</p>"),
    (Format::Html, "<p>Dear Siobhán O&rsquo;Brien,</p>"),
    (Format::Html, "<p>Dear Anna&nbsp;Kellermann,</p>"),
    (Format::Html, "<p>write to anna&#64;example.com or to anna.k&commat;example.com</p>"),
    (Format::Html, "<p title='by Siobhán O&apos;Brien'>Jones & Sons Ltd</p>"),
    (Format::Html, "<a href=\"mailto:anna.k%40example.com?subject=a\">x</a>"),
    (
        Format::Html,
        "<a href=\"https://author@git.example.org/a.git\">https://author@git.example.org/a.git</a>",
    ),
    (Format::Html, "<a href=\"https://a.example/?mail=anna%2ek%40example.com&iban=DE89%2b\">x</a>"),
    (Format::Html, "<a href=\"https://a.example/?name=Ren%c3%a9%20M%c3%bcller&mail=a@example.com\">x</a>"),
    (Format::Html, "<p>Dear Zdenka &Zcaron;upan,</p>"),
    (Format::Xml, "<name>Siobh&#225;n O&apos;Brien</name>"),
    (
        Format::Xml,
        "<!DOCTYPE a [\n  <!-- to anna.k@example.com > a -->\n  <!ENTITY x \"b > anna.k@example.com &amp; c\">\n]>\n<a/>",
    ),
    (Format::Xml, "<?to 'anna.k@example.com' > a ?><a/>"),
    (Format::Csv, "name,mail\nRené \"Ren\" Müller,a@example.com\n"),
    (Format::Csv, "name,mail\nRené Müller,\"anna k\"@example.com\n"),
    (Format::Csv, "name,mail\n\"René \\\"Ren\\\" Müller\",a@example.com\n"),
    (Format::Csv, "name,note\nx,\"René \\\"Ren\\\" Müller, \\\"a@example.com\\\"\"\n"),
    (
        Format::Vcard,
        "BEGIN:VCARD\r\nFN:Anna Kel\r\n lermann\r\nEMAIL:anna.k@exa\r\n mple.com\r\nEND:VCARD\r\n",
    ),
    (
        Format::Vcard,
        "BEGIN:VCARD\nFN:Anna\n  Keller\n\tmann\nADR:;;12 High St\\, Fl\n at 3;Leeds;;LS1 1AA;\nEND:VCARD\n",
    ),
    (Format::Vcard, "BEGIN:VEVENT\r\nLOCATION:12 High St, Leeds LS1 1AA\r\nEND:VEVENT\r\n"),
    (Format::Vcard, "BEGIN:VEVENT\r\nLOCATION:12 High St\\, Lee\r\n ds, LS1 1AA\r\nEND:VEVENT\r\n"),
    (
        Format::Vcard,
        "BEGIN:VEVENT\r\nATTENDEE;CN=\"Anna Kel\r\n lermann\":mailto:anna.k@exam\r\n ple.com\r\nEND:VEVENT\r\n",
    ),
    (Format::Vcard, "BEGIN:VCARD\r\nX-NOTE:to 12 High St\\, Leeds LS1 1AA\r\nEND:VCARD\r\n"),
];

#[test]
fn a_restored_value_is_written_as_it_was() {
    let tools = Tools::new();
    for (format, document) in SPELLINGS {
        let (protected, restored) = tools.there_and_back(document, *format);
        assert_eq!(restored, *document, "{protected}");
    }
}

/// Forms without a mark in a token: the restored value reads the same.
#[test]
fn a_restored_value_reads_as_it_was() {
    let tools = Tools::new();
    for (format, document, restored) in [
        (Format::Yaml, r#"name: "Ren\xe9 M\xFCller""#, r#"name: "Ren\xE9 M\xFCller""#),
        (Format::Html, "<p>Dear Siobh&#225;n O&#X27;Brien,</p>", "<p>Dear Siobh&#225;n O&#x27;Brien,</p>"),
        (Format::Html, "<p>Dear Ren&eacute M&uumlller,</p>", "<p>Dear Ren&eacute; M&uuml;ller,</p>"),
    ] {
        let (protected, back) = tools.there_and_back(document, format);
        assert_eq!(back, restored, "{protected}");
        let text = |document: &str| -> Vec<String> {
            read(document, format)
                .into_iter()
                .flat_map(|record| record.values)
                .map(|value| value.text)
                .collect()
        };
        assert_eq!(text(&back), text(document), "{protected}");
    }
}

/// Parsers read a document of the same shape, with any replacement.
#[test]
fn a_replacement_keeps_the_shape_of_its_document() {
    let tools = Tools::new();
    for (format, document) in [
        (
            Format::Yaml,
            "mail: formats:\\\n  * as in `anna.k@example.com`\n  - & [\"anna.k@example.com\nnext: x\n",
        ),
        (Format::Yaml, "mail: to\n  anna.k@example.com\n  # a comment\nnext: x\n"),
        (Format::Yaml, "mail: to\n  anna.k@example.com # a comment\nnext: x\n"),
        (Format::Yaml, "- anna.k@example.com\n  *b\n- [to\n anna.k@example.com, {anna.k@example.com: x}]\n"),
        (Format::Yaml, "anna.k@example.com: x\n? anna.k@example.com\n: anna.k@example.com\n"),
        (
            Format::Yaml,
            "- 'to anna.k@example.com''s'\n- {'anna.k@example.com': \"anna.k@example.com\"}\n- |\n  anna.k@example.com\n  b\n",
        ),
        (
            Format::Toml,
            "'anna.k@example.com' = 'anna.k@example.com' # anna.k@example.com\na = \"\"\"anna.k@example.com\"\"\"\n",
        ),
        (Format::Json, r#"{"anna.k@example.com": ["anna.k@example.com"]}"#),
        (Format::Csv, "name,mail\nx,anna.k@example.com\n\"y\",\"anna.k@example.com\"\n"),
        (Format::Xml, "<!DOCTYPE a [ <!-- to anna.k@example.com--> ]><a/>"),
        (
            Format::Xml,
            "<!DOCTYPE a [\n<!-- b > anna.k@example.com --><!ENTITY x \"> anna.k@example.com\"> ]>\n<a/>",
        ),
        (
            Format::Xml,
            "<?to anna.k@example.com > a ?><a b='anna.k@example.com'><!--anna.k@example.com--></a>",
        ),
    ] {
        let records = read(document, format);
        let shape = shape(document, format, document);
        assert!(shape.is_some(), "{document}");
        for new in [
            "a #b", "a: b", "a:", "&a", "*a", "- a", "? a", "[a], {b}", "a\"'b", "a\n\nb", "a>", "-->", "--",
            "-", "]]>", "?>", "<b>",
        ] {
            let replace =
                Operator { mode: Mode::Replace, new_value: Some(new.into()), ..Operator::default() };
            let operators = [("email".to_owned(), replace)].into();
            let protection = ProtectOptions { mode: Mode::Replace, operators, ..ProtectOptions::default() };
            let (protected, has_findings) = tools.protected(&records, &protection);
            assert!(has_findings.contains(&true) && !protected.contains("anna.k"), "{protected}");
            assert_eq!(self::shape(&protected, format, document), shape, "{new}\n{protected}");
        }
    }
}

/// Longest file that is tried, in bytes.
const LONGEST_FILE: u64 = 200_000;

/// Files that strangers wrote: `FILES=DIR:DIR cargo test -p textveil-documents --test properties -- --ignored real`.
#[test]
#[ignore = "needs folders of files"]
fn real_files_stay_whole() {
    let tools = Tools::new();
    let folders = std::env::var("FILES").unwrap();
    let mut open: Vec<_> = folders.split(':').map(std::path::PathBuf::from).collect();
    let (mut tried, mut refused, mut parsed, mut found, mut wrong) = (0, 0, 0, 0, Vec::new());
    while let Some(path) = open.pop() {
        let kind = path.symlink_metadata().unwrap();
        if kind.is_dir() {
            open.extend(path.read_dir().unwrap().map(|entry| entry.unwrap().path()));
        }
        let format = path.file_name().and_then(|name| Format::of_name(name.to_str()?));
        let Some(format) = format.filter(|_| kind.is_file() && kind.len() <= LONGEST_FILE) else { continue };
        let bytes = std::fs::read(&path).unwrap();
        let reading = Reading { format, is_whole: false, delimiter: None, encoding: None };
        let mut records = Records::open(&bytes[..], reading);
        let records: Result<Vec<_>, _> = std::iter::from_fn(|| records.next_record().transpose()).collect();
        tried += 1;
        let Ok(records) = records else {
            refused += 1;
            continue;
        };
        let document: String = records.iter().map(|record| record.raw.as_str()).collect();
        if format == Format::Eml || format.is_package() {
            continue;
        }
        let shape = shape(&document, format, &document);
        parsed += usize::from(shape.is_some());
        let is_whole = |protection: &ProtectOptions| {
            let (protected, has_findings) = tools.protected(&records, protection);
            let after = read(&protected, format);
            let restored = (protection.mode == Mode::Tokenize).then(|| tools.restored(&after));
            let changed = restored.and_then(|restored| first_change(&document, &restored));
            // whether a row is a head depends on values, so there may be others; none is cut
            let places = places(&after);
            let is_cut = |place: &Range<usize>| {
                places
                    .iter()
                    .any(|other| other != place && other.start < place.end && place.start < other.end)
            };
            let cut = tools.replaced(&records, protection).into_iter().find(is_cut);
            let has_shape = shape.is_none() || self::shape(&protected, format, &document) == shape;
            (has_findings.contains(&true), cut.map(|place| protected[place].to_owned()), changed, has_shape)
        };
        for protection in
            modes().into_iter().filter(|modes| matches!(modes.mode, Mode::Replace | Mode::Tokenize))
        {
            let (has_findings, cut, changed, has_shape) = is_whole(&protection);
            found += usize::from(has_findings);
            if cut.is_some() || changed.is_some() || !has_shape {
                let mode = protection.mode;
                let message = format!(
                    "{mode:?} {}: cut {cut:?}, restored {changed:?}, shape {has_shape}",
                    path.display()
                );
                println!("{message}");
                wrong.push(message);
            }
        }
    }
    println!("{tried} files, {refused} refused, {parsed} parsed, {found} with findings in a mode");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
