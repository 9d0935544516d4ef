//! Office documents that LibreOffice wrote (`office/make.sh`): the text of each, its places, and every value found.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test")]

use textveil_documents::{Analysis, Format, Reading, Record, Records, passages};
use textveil_engine::{DetectOptions, Finder, ProtectOptions, Work};

/// A document: its name, its bytes, the text that comes out, and the places of some addresses of e-mail.
type Row = (&'static str, &'static [u8], &'static str, &'static [(&'static str, &'static str)]);

const DOCUMENTS: [Row; 6] = [
    (
        "people.xlsx",
        include_bytes!("office/people.xlsx"),
        "People
Name,Date of birth,IBAN,Card,PESEL,E-mail
Anna Kellermann,1990-09-13,DE89 3704 0044 0532 0130 00,378282246310005,44051401359,cell@example.com
Siobhán O'Brien,1985-02-28,GB82 WEST 1234 5698 7654 32,,,write
merged@example.com,,\"first, line
second@example.com\",formula@example.com
List of header@example.com
by footer@example.com
Help
Ask prompt@example.com
Wrong
Tell error@example.com
\"choice@example.com,none\"
Archive
,,hidden@example.com
row@example.com
List of header@example.com
by footer@example.com
\"name@example.com\"
see comment@example.com
box@example.com
",
        &[
            ("cell", "People!F2"),
            ("merged", "People!A4"),
            ("second", "People!C4"),
            ("formula", "People!D4"),
            ("header", "People, header or footer"),
            ("prompt", "People, prompt"),
            ("hidden", "Archive!C1"),
            ("row", "Archive!A2"),
            ("name", "defined names"),
            ("comment", "comment on F2"),
            ("box", "text box 1"),
        ],
    ),
    (
        "people.ods",
        include_bytes!("office/people.ods"),
        "List of header@example.com
by footer@example.com
of:cell-content-is-in-list(\"choice@example.com\";\"none\")
Ask prompt@example.com
Tell error@example.com
People
Name,Date of birth,IBAN,Card,PESEL,E-mail
Anna Kellermann,13.09.1990,DE89 3704 0044 0532 0130 00,378282246310005,44051401359,cell@example.com
Siobhán O'Brien,28.02.1985,GB82 WEST 1234 5698 7654 32,,,write
merged@example.com,,\"first, line
second@example.com\",formula@example.com
box@example.com
see comment@example.com
Archive
,,hidden@example.com
row@example.com
\"name@example.com\"
",
        &[
            ("cell", "People!F2"),
            ("second", "People!C4"),
            ("choice", "choices"),
            ("box", "People, text box"),
            ("comment", "People, comment"),
            ("row", "Archive!A2"),
        ],
    ),
    (
        "letter.docx",
        include_bytes!("office/letter.docx"),
        "for header@example.com
Letter to heading@example.com
Dear Anna Kellermann, your IBAN is DE89 3704 0044 0532 0130 00.
Was deleted@example.com, is inserted@example.com.
A note and a comment and a link.
hidden@example.com
Tab\ttab@example.com
broken@example.com
item@example.com
PESEL\tMail
44051401359\tcell@example.com
Beside the box
box@example.com
by footer@example.com
foot@example.com
end@example.com
comment@example.com
",
        &[],
    ),
    (
        "letter.odt",
        include_bytes!("office/letter.odt"),
        "for header@example.com
by footer@example.com
deleted@example.com
Letter to heading@example.com
Dear Anna Kellermann, your IBAN is DE89 3704 0044 0532 0130 00.
Was , is inserted@example.com.
A note and a comment and a link.
foot@example.com
end@example.com
comment@example.com
hidden@example.com
Tab\ttab@example.com
broken@example.com
item@example.com
PESEL\tMail
44051401359\tcell@example.com
Beside the box
box@example.com
",
        &[("header", "header"), ("foot", "note"), ("comment", "comment"), ("cell", "text")],
    ),
    (
        "talk.pptx",
        include_bytes!("office/talk.pptx"),
        "About Anna Kellermann
IBAN DE89 3704 0044 0532 0130 00
write to body@example.com
group@example.com
shape@example.com
PESEL\t44051401359
Mail\tcell@example.com
footer@example.com
hidden@example.com
notes@example.com
comment@example.com
",
        &[
            ("body", "slide 1"),
            ("footer", "slide 1, PlaceHolder 1"),
            ("hidden", "slide 2"),
            ("notes", "notes 1"),
            ("comment", "comments 1"),
        ],
    ),
    (
        "talk.odp",
        include_bytes!("office/talk.odp"),
        "footer@example.com
About Anna Kellermann
IBAN DE89 3704 0044 0532 0130 00
write to body@example.com
group@example.com
shape@example.com
PESEL\t44051401359
Mail\tcell@example.com
notes@example.com
comment@example.com
hidden@example.com
",
        &[("body", "page Intro"), ("hidden", "page Second"), ("notes", "notes"), ("comment", "comment")],
    ),
];

fn read(name: &str, bytes: &[u8]) -> Vec<Record> {
    let format = Format::of_name(name).unwrap();
    let mut records =
        Records::open(bytes, Reading { format, is_whole: false, delimiter: None, encoding: None });
    std::iter::from_fn(|| records.next_record().unwrap()).collect()
}

#[test]
fn every_place_is_read() {
    for (name, bytes, expected, places) in DOCUMENTS {
        let records = read(name, bytes);
        let text: String = records.iter().map(|record| record.raw.as_str()).collect();
        assert_eq!(text, expected, "{name}");
        for (address, place) in places {
            let address = format!("{address}@example.com");
            let mut values = records.iter().flat_map(|record| &record.values);
            let value = values.find(|value| value.text.contains(&address)).unwrap();
            assert_eq!(value.location.as_deref(), Some(*place), "{name} {address}");
        }
    }
}

#[test]
fn every_value_is_found() {
    let finder = Finder::unlimited(&DetectOptions::default()).unwrap();
    for (name, bytes, ..) in DOCUMENTS {
        let mut out = String::new();
        for record in read(name, bytes) {
            let mut analysis = Analysis::of(&record.values);
            for passage in passages(&record.values) {
                let (text, cells) = (passage.text(), passage.cells());
                let found = finder
                    .protect_cells(text, cells, &ProtectOptions::default(), None, &Work::default())
                    .unwrap();
                analysis.add(&passage, found.entities, found.countries);
            }
            out.push_str(&record.rewritten(&analysis.edits(str::to_owned)));
        }
        for value in ["@", "Anna", "Kellermann", "Brien", "3704", "WEST", "3782", "4405", "1990", "1985"] {
            assert!(!out.contains(value), "{name} has {value}:\n{out}");
        }
    }
}
