//! The table of formats in the documentation: each row is read, written back and left unseen as it says.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test")]

use std::{
    collections::BTreeSet,
    io::{Cursor, Write},
};

use textveil_documents::{Analysis, Format, Reading, Records, passages};
use textveil_engine::{DetectOptions, Finder, ProtectOptions, Work};
use zip::{ZipWriter, write::SimpleFileOptions};

const PAGE: &str = include_str!("../../docs/how-to/structured-data.md");

/// The documents of a row: `@` stands for an e-mail address that is read, `§` for one that is not seen.
fn row(format: Format) -> (Document, &'static str) {
    match format {
        Format::Text => text("write to @\n"),
        Format::Csv => text("name,mail\nx,\"@, @\"\n"),
        Format::Json => text("{\"@\": [\"@\", 1, true]}\n"),
        Format::Ndjson => text("{\"mail\":\"@\"}\nplain @\n"),
        Format::Sql => {
            text("-- @\nINSERT INTO t (mail) VALUES ('@', lower('@'));\nCOPY t FROM stdin;\n@\t1\n\\.\n")
        }
        Format::Yaml => text("# @\nmail: '@'\n? '@'\n: - |\n    to @\n"),
        Format::Toml => text("# @\nmail = \"@\"\n\"@\" = ['''@''']\n"),
        Format::Ini => text("; @\nmail = @\nMAIL_2=\"@\"\n"),
        Format::Ipynb => text("{\"cells\": [{\"source\": [\"# @\\n\", \"x\"]}]}\n"),
        Format::Vcard => text("BEGIN:VCARD\nEMAIL;X-OF=\"@\":@\nNOTE:to @\nEND:VCARD\n"),
        Format::Srt => text("1\n00:00:01,000 --> 00:00:02,000\n@\n"),
        Format::Html => text("<!-- @ --><p title=\"@\">@</p><script>'@'</script>\n"),
        Format::Xml => text("<!-- @ --><a b=\"@\">@ <![CDATA[@]]></a>\n"),
        Format::Eml => text("From: X <@>\nSubject: @\n\nto @\n"),
        Format::Docx => package(
            &[
                ("word/document.xml", "<p><r><t>@</t></r></p>"),
                ("word/comments.xml", "<p><t>@</t></p>"),
                ("docProps/core.xml", "<creator>§</creator>"),
            ],
            "@\n@\n",
        ),
        Format::Xlsx => package(
            &[
                ("xl/workbook.xml", "<workbook><sheets><sheet name=\"a\" id=\"1\"/></sheets></workbook>"),
                ("xl/_rels/workbook.xml.rels", "<a><Relationship Id=\"1\" Target=\"s.xml\"/></a>"),
                (
                    "xl/s.xml",
                    "<row r=\"1\"><c t=\"inlineStr\"><is><t>@</t></is></c><c t=\"str\"><f>\"§\"</f><v>@</v></c></row>",
                ),
                ("xl/comments1.xml", "<comment ref=\"A1\"><text><t>@</t></text></comment>"),
                ("docProps/core.xml", "<creator>§</creator>"),
            ],
            "@,@\n@\n",
        ),
        Format::Pptx => package(
            &[
                ("ppt/presentation.xml", "<p/>"),
                ("ppt/slides/slide1.xml", "<p><t>@</t></p>"),
                ("ppt/notesSlides/notesSlide1.xml", "<p><t>@</t></p>"),
                ("docProps/core.xml", "<creator>§</creator>"),
            ],
            "@\n@\n",
        ),
        Format::Odf => package(
            &[
                ("content.xml", "<office:text><text:p>@</text:p></office:text>"),
                ("meta.xml", "<creator>§</creator>"),
            ],
            "@\n",
        ),
    }
}

enum Document {
    Text(&'static str),
    Package(Vec<(&'static str, &'static str)>),
}

fn text(document: &'static str) -> (Document, &'static str) {
    (Document::Text(document), document)
}

fn package(files: &[(&'static str, &'static str)], out: &'static str) -> (Document, &'static str) {
    (Document::Package(files.to_vec()), out)
}

fn with_addresses(text: &str) -> String {
    text.replace('§', "unseen@example.org")
        .replace('@', "anna.k@example.com")
        .replace("unseenanna.k@example.comexample.org", "unseen@example.org")
}

impl Document {
    fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Text(text) => with_addresses(text).into_bytes(),
            Self::Package(files) => {
                let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
                for (name, content) in files {
                    archive.start_file(*name, SimpleFileOptions::default()).unwrap();
                    archive.write_all(with_addresses(content).as_bytes()).unwrap();
                }
                archive.finish().unwrap().into_inner()
            }
        }
    }
}

fn protected(bytes: &[u8], format: Format) -> String {
    let finder = Finder::unlimited(&DetectOptions::default()).unwrap();
    let mut records =
        Records::open(bytes, Reading { format, is_whole: false, delimiter: None, encoding: None });
    let mut out = String::new();
    while let Some(record) = records.next_record().unwrap() {
        let mut analysis = Analysis::of(&record.values);
        for passage in passages(&record.values) {
            let found = finder
                .protect_cells(
                    passage.text(),
                    passage.cells(),
                    &ProtectOptions::default(),
                    None,
                    &Work::default(),
                )
                .unwrap();
            analysis.add(&passage, found.entities, found.countries);
        }
        out.push_str(&record.rewritten(&analysis.edits(str::to_owned)));
    }
    out
}

/// The rows of the table: the name of the format, and whether it is written back.
fn rows() -> Vec<(String, bool)> {
    let lines = PAGE.lines().skip_while(|line| !line.starts_with("| format | files |")).skip(2);
    let cells = |line: &str| line.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    lines
        .take_while(|line| line.starts_with('|'))
        .map(cells)
        .map(|cells| (cells[1].trim_matches('`').to_owned(), cells[4] == "as it was"))
        .collect()
}

/// Without a head, or below one that says nothing, values are found that show what they are. Dates and bare numbers may be of anything.
#[test]
fn columns_without_a_useful_head_are_read_by_their_values() {
    let rows = "Anna Kellermann,2024-04-03,+49 30 901820,anna.k@example.com,DE89370400440532013000,1000001\n\
        René Müller,2024-04-04,+44 7700 900123,rene@example.de,GB82WEST12345698765432,1000002\n";
    let r = "[REDACTED]";
    let safe = format!("{r},2024-04-03,{r},{r},{r},1000001\n{r},2024-04-04,{r},{r},{r},1000002\n");
    for head in ["", "a,b,c,d,e,f\n", "col1,col2,col3,col4,col5,col6\n", ",,,,,\n"] {
        assert_eq!(protected(format!("{head}{rows}").as_bytes(), Format::Csv), format!("{head}{safe}"));
    }
    // the types of the next row tell a head, whose words are labels and no values
    let table = "Geb.-Datum,Telefon Nr\n1978-04-03,030 901820\n1985-11-20,030 901821\n";
    let safe = format!("Geb.-Datum,Telefon Nr\n{r},{r}\n{r},{r}\n");
    assert_eq!(protected(table.as_bytes(), Format::Csv), safe);
}

#[test]
fn every_format_is_a_row_that_is_true() {
    let rows = rows();
    let names: BTreeSet<_> = rows.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, Format::ALL.map(Format::name).into_iter().collect());
    for (name, is_written_back) in rows {
        let format = Format::ALL.into_iter().find(|format| format.name() == name).unwrap();
        let (document, expected) = row(format);
        let out = protected(&document.bytes(), format);
        let is_kept = matches!(document, Document::Text(_));
        assert_eq!(is_kept, is_written_back, "{name}");
        // in YAML and in brackets of a page, what replaces a value is quoted or escaped
        let wanted = expected.replace('@', "[REDACTED]");
        assert_eq!(out, wanted, "{name}");
        assert!(!out.contains("unseen"), "{name}");
    }
}
