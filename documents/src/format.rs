//! The formats of documents, and what tells them.

use anyhow::Result;

use crate::{
    contacts::Contacts,
    csv::Csv,
    docx,
    ini::Ini,
    json::{Json, JsonLines},
    lines::Lines,
    mail,
    markup::{Dialect, Markup},
    office,
    parts::{Parts, Reader},
    sql::{self, Sql},
    subtitles::Subtitles,
    text::Text,
    toml::Toml,
    yaml::Yaml,
};

/// Reads a whole document and hands over its parts.
pub(crate) type ReadWhole = fn(&[u8], &mut dyn Parts) -> Result<()>;

/// The reader of a document.
pub(crate) enum Input {
    /// It is text, in pieces.
    Text(Box<dyn Reader>),
    /// It is bytes, and needed as a whole.
    Whole(ReadWhole),
}

/// How a document is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "DocumentFormat", rename_all = "lowercase")
)]
pub enum Format {
    /// Plain text, Markdown, logs, source code: everything may change
    Text,
    /// Comma-separated values, or any other delimiter: only cells change
    Csv,
    /// One JSON document: only keys, strings and numbers change; a number becomes a string
    Json,
    /// One JSON document per line; a line that is not JSON is plain text
    Ndjson,
    /// Statements and dumps of SQL: strings, numbers, comments and rows of `COPY` change; a number becomes a string
    Sql,
    /// YAML: keys, scalars and comments change
    Yaml,
    /// TOML: keys, strings, comments, numbers and dates change; a number or a date becomes a string
    Toml,
    /// Files of settings, such as `.env`, `.ini` and `.properties`: keys, values and comments change
    Ini,
    /// A notebook of Jupyter: as JSON, but lines of a cell are read as one text
    Ipynb,
    /// Contacts and calendars (vCard, iCalendar): values and parameters of properties change
    Vcard,
    /// Subtitles (SubRip, WebVTT): the text of cues changes, not their times
    Srt,
    /// A page: text, attributes, comments, addresses, scripts and styles; changed code may not run
    Html,
    /// XML: text, attributes, comments; the names of elements and attributes are labels
    Xml,
    /// A message with its parts, which comes out in UTF-8; attachments that are not text are rejected
    Eml,
    /// A Word document, of which the text comes out
    Docx,
    /// A workbook of Excel, which comes out as CSV
    Xlsx,
    /// A presentation of PowerPoint, of which the text comes out
    Pptx,
    /// A document of OpenDocument, such as `.odt` and `.ods`, of which the text comes out, tables as CSV
    Odf,
}

/// The number of first bytes that tell a format.
const MOST_TOLD: usize = 8 << 10;

/// The extensions of names. Any other is that of a plain text, or of what is no text.
const EXTENSIONS: [(&str, Format); 43] = [
    ("csv", Format::Csv),
    ("tsv", Format::Csv),
    ("tab", Format::Csv),
    ("json", Format::Json),
    ("geojson", Format::Json),
    ("webmanifest", Format::Json),
    ("ndjson", Format::Ndjson),
    ("jsonl", Format::Ndjson),
    ("sql", Format::Sql),
    ("yaml", Format::Yaml),
    ("yml", Format::Yaml),
    ("toml", Format::Toml),
    ("env", Format::Ini),
    ("ini", Format::Ini),
    ("cfg", Format::Ini),
    ("properties", Format::Ini),
    ("ipynb", Format::Ipynb),
    ("vcf", Format::Vcard),
    ("ics", Format::Vcard),
    ("srt", Format::Srt),
    ("vtt", Format::Srt),
    ("html", Format::Html),
    ("htm", Format::Html),
    ("xhtml", Format::Html),
    ("xml", Format::Xml),
    ("svg", Format::Xml),
    ("rss", Format::Xml),
    ("atom", Format::Xml),
    ("xsd", Format::Xml),
    ("xsl", Format::Xml),
    ("xslt", Format::Xml),
    ("kml", Format::Xml),
    ("gpx", Format::Xml),
    ("plist", Format::Xml),
    ("eml", Format::Eml),
    ("docx", Format::Docx),
    ("xlsx", Format::Xlsx),
    ("xlsm", Format::Xlsx),
    ("pptx", Format::Pptx),
    ("pptm", Format::Pptx),
    ("odt", Format::Odf),
    ("ods", Format::Odf),
    ("odp", Format::Odf),
];

/// The media types that are no plain text.
const MEDIA_TYPES: [(&str, Format); 35] = [
    ("text/csv", Format::Csv),
    ("text/tab-separated-values", Format::Csv),
    ("application/csv", Format::Csv),
    ("application/json", Format::Json),
    ("text/json", Format::Json),
    ("application/ndjson", Format::Ndjson),
    ("application/x-ndjson", Format::Ndjson),
    ("application/jsonl", Format::Ndjson),
    ("application/x-jsonl", Format::Ndjson),
    ("application/jsonlines", Format::Ndjson),
    ("application/x-jsonlines", Format::Ndjson),
    ("application/sql", Format::Sql),
    ("text/sql", Format::Sql),
    ("application/yaml", Format::Yaml),
    ("application/x-yaml", Format::Yaml),
    ("text/yaml", Format::Yaml),
    ("text/x-yaml", Format::Yaml),
    ("application/toml", Format::Toml),
    ("application/x-ipynb+json", Format::Ipynb),
    ("text/vcard", Format::Vcard),
    ("text/x-vcard", Format::Vcard),
    ("text/calendar", Format::Vcard),
    ("application/x-subrip", Format::Srt),
    ("text/vtt", Format::Srt),
    ("text/html", Format::Html),
    ("application/xhtml+xml", Format::Html),
    ("application/xml", Format::Xml),
    ("text/xml", Format::Xml),
    ("message/rfc822", Format::Eml),
    ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", Format::Docx),
    ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", Format::Xlsx),
    ("application/vnd.openxmlformats-officedocument.presentationml.presentation", Format::Pptx),
    ("application/vnd.oasis.opendocument.text", Format::Odf),
    ("application/vnd.oasis.opendocument.spreadsheet", Format::Odf),
    ("application/vnd.oasis.opendocument.presentation", Format::Odf),
];

/// The suffixes of other media types.
const SUFFIXES: [(&str, Format); 3] =
    [("+json", Format::Json), ("+xml", Format::Xml), ("+yaml", Format::Yaml)];

impl Format {
    /// All formats.
    pub const ALL: [Self; 18] = [
        Self::Text,
        Self::Csv,
        Self::Json,
        Self::Ndjson,
        Self::Sql,
        Self::Yaml,
        Self::Toml,
        Self::Ini,
        Self::Ipynb,
        Self::Vcard,
        Self::Srt,
        Self::Html,
        Self::Xml,
        Self::Eml,
        Self::Docx,
        Self::Xlsx,
        Self::Pptx,
        Self::Odf,
    ];

    /// Returns the name, as requests and the command line write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Csv => "csv",
            Self::Json => "json",
            Self::Ndjson => "ndjson",
            Self::Sql => "sql",
            Self::Yaml => "yaml",
            Self::Toml => "toml",
            Self::Ini => "ini",
            Self::Ipynb => "ipynb",
            Self::Vcard => "vcard",
            Self::Srt => "srt",
            Self::Html => "html",
            Self::Xml => "xml",
            Self::Eml => "eml",
            Self::Docx => "docx",
            Self::Xlsx => "xlsx",
            Self::Pptx => "pptx",
            Self::Odf => "odf",
        }
    }

    /// Returns the format of a file by the extension of its name; `None` if it is unknown.
    pub fn of_name(name: &str) -> Option<Self> {
        // `.env.local` has settings, too
        let name = if name.starts_with(".env.") { ".env" } else { name };
        let (_, extension) = name.rsplit_once('.')?;
        let extension = extension.to_ascii_lowercase();
        EXTENSIONS.iter().find(|(known, _)| *known == extension).map(|(_, format)| *format)
    }

    /// Returns the format of a media type; `None` for what is no text.
    pub fn of_media_type(media_type: &str) -> Option<Self> {
        let essence = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let known = MEDIA_TYPES.iter().find(|(known, _)| *known == essence);
        let known = known.or_else(|| SUFFIXES.iter().find(|(suffix, _)| essence.ends_with(suffix)));
        known.map(|(_, format)| *format).or_else(|| essence.starts_with("text/").then_some(Self::Text))
    }

    /// Returns the format that the first bytes of a document tell: SQL. `None` if they tell none.
    ///
    /// Every surface asks this where neither the caller nor a name nor a media type says the format.
    pub fn of_content(start: &[u8]) -> Option<Self> {
        let start = start.get(..MOST_TOLD).unwrap_or(start);
        sql::is_sql(&String::from_utf8_lossy(start)).then_some(Self::Sql)
    }

    /// Whether documents are archives of files, of which the text comes out.
    pub fn is_package(self) -> bool {
        self.extension_written().is_some()
    }

    /// Returns the extension of what comes out of an archive of files; `None` for a format that is kept.
    pub fn extension_written(self) -> Option<&'static str> {
        match self {
            Self::Docx | Self::Pptx | Self::Odf => Some("txt"),
            Self::Xlsx => Some("csv"),
            _ => None,
        }
    }

    /// Returns what reads a document. A plain text is one record if `is_one`.
    pub(crate) fn input(self, delimiter: Option<u8>, is_one: bool) -> Input {
        match self.reader(delimiter, is_one) {
            Some(reader) => Input::Text(reader),
            None => Input::Whole(match self {
                Self::Docx => docx::read,
                Self::Xlsx => office::read_workbook,
                Self::Pptx => office::read_presentation,
                Self::Odf => office::read_open_document,
                _ => mail::read,
            }),
        }
    }

    /// Returns the reader of a format that is text; `None` for one that is read as a whole.
    pub(crate) fn reader(self, delimiter: Option<u8>, is_one: bool) -> Option<Box<dyn Reader>> {
        Some(match self {
            Self::Text => Box::new(Text::new(is_one)),
            Self::Csv => Box::new(Csv::new(delimiter)),
            Self::Json => Box::new(Json::default()),
            Self::Ndjson => Box::new(JsonLines::default()),
            Self::Sql => Box::new(Sql::default()),
            Self::Yaml => Box::new(Lines::new(Yaml::default())),
            Self::Toml => Box::new(Lines::new(Toml::default())),
            Self::Ini => Box::new(Lines::new(Ini)),
            Self::Ipynb => Box::new(Json::notebook()),
            Self::Vcard => Box::new(Lines::new(Contacts)),
            Self::Srt => Box::new(Lines::new(Subtitles::default())),
            Self::Html => Box::new(Markup::new(Dialect::Html)),
            Self::Xml => Box::new(Markup::new(Dialect::Xml)),
            Self::Eml | Self::Docx | Self::Xlsx | Self::Pptx | Self::Odf => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_types_tell_the_format() {
        for (name, format) in [
            ("a.TSV", Some(Format::Csv)),
            ("a.b.eml", Some(Format::Eml)),
            ("a.md", None),
            ("json", None),
            (".env.local", Some(Format::Ini)),
        ] {
            assert_eq!(Format::of_name(name), format, "{name}");
        }
        for (name, format) in [
            ("text/html; charset=utf-8", Some(Format::Html)),
            ("application/ld+json", Some(Format::Json)),
            ("image/svg+xml", Some(Format::Xml)),
            ("text/markdown", Some(Format::Text)),
            ("image/png", None),
        ] {
            assert_eq!(Format::of_media_type(name), format, "{name}");
        }
    }

    /// The tables of the npm package.
    #[test]
    fn the_tables_of_the_package_are_these() {
        let table = |name: &str, rows: &[(&str, Format)]| {
            let rows = rows.iter().map(|(key, format)| format!("  \"{key}\": \"{}\",\n", format.name()));
            format!(
                "\nexport const {name}: Readonly<Record<string, Format>> = {{\n{}}};\n",
                rows.collect::<String>()
            )
        };
        let written = format!(
            "// Written by `BLESS=1 cargo test -p textveil-documents`.\n\nimport type {{ Format }} from \"./format.js\";\n{}{}{}",
            table("EXTENSIONS", &EXTENSIONS),
            table("MEDIA_TYPES", &MEDIA_TYPES),
            table("SUFFIXES", &SUFFIXES),
        );
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../bindings-js/js/format-tables.ts");
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(path, &written).unwrap();
        }
        assert_eq!(std::fs::read_to_string(path).unwrap(), written, "run it with BLESS=1");
    }
}
