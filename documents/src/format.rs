//! The formats of documents, and what tells them.

use crate::{
    csv::Csv,
    json::{Json, JsonLines},
    markup::{Dialect, Markup},
    parts::Reader,
    text::Text,
};

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
    /// A page: text, attributes, comments, addresses, scripts and styles; changed code may not run
    Html,
    /// XML: text, attributes, comments; the names of elements and attributes are labels
    Xml,
    /// A message with its parts, which comes out in UTF-8; attachments that are not text are rejected
    Eml,
    /// A Word document, of which the text comes out
    Docx,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 8] =
        [Self::Text, Self::Csv, Self::Json, Self::Ndjson, Self::Html, Self::Xml, Self::Eml, Self::Docx];

    /// Returns the name, as requests and the command line write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Csv => "csv",
            Self::Json => "json",
            Self::Ndjson => "ndjson",
            Self::Html => "html",
            Self::Xml => "xml",
            Self::Eml => "eml",
            Self::Docx => "docx",
        }
    }

    /// Returns the format of a file by the extension of its name; `None` if it is unknown.
    pub fn of_name(name: &str) -> Option<Self> {
        let (_, extension) = name.rsplit_once('.')?;
        Some(match extension.to_ascii_lowercase().as_str() {
            "csv" | "tsv" | "tab" => Self::Csv,
            "json" | "geojson" | "ipynb" | "webmanifest" => Self::Json,
            "ndjson" | "jsonl" => Self::Ndjson,
            "html" | "htm" | "xhtml" => Self::Html,
            "xml" | "svg" | "rss" | "atom" | "xsd" | "xsl" | "xslt" | "kml" | "gpx" | "plist" => Self::Xml,
            "eml" => Self::Eml,
            "docx" => Self::Docx,
            _ => return None,
        })
    }

    /// Returns the format of a media type; `None` for what is no text.
    pub fn of_media_type(media_type: &str) -> Option<Self> {
        let essence = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        Some(match essence.as_str() {
            "text/csv" | "text/tab-separated-values" | "application/csv" => Self::Csv,
            "application/ndjson"
            | "application/x-ndjson"
            | "application/jsonl"
            | "application/x-jsonl"
            | "application/jsonlines"
            | "application/x-jsonlines" => Self::Ndjson,
            "text/html" | "application/xhtml+xml" => Self::Html,
            "message/rfc822" => Self::Eml,
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document" => Self::Docx,
            "text/json" | "application/json" => Self::Json,
            "text/xml" | "application/xml" => Self::Xml,
            essence if essence.ends_with("+json") => Self::Json,
            essence if essence.ends_with("+xml") => Self::Xml,
            essence if essence.starts_with("text/") => Self::Text,
            _ => return None,
        })
    }

    /// The reader of a format that is text; `None` for one that is read as a whole.
    pub(crate) fn reader(self, delimiter: Option<u8>, is_whole: bool) -> Option<Box<dyn Reader>> {
        Some(match self {
            Self::Text => Box::new(Text::new(is_whole)),
            Self::Csv => Box::new(Csv::new(delimiter)),
            Self::Json => Box::new(Json::default()),
            Self::Ndjson => Box::new(JsonLines::default()),
            Self::Html => Box::new(Markup::new(Dialect::Html)),
            Self::Xml => Box::new(Markup::new(Dialect::Xml)),
            Self::Eml | Self::Docx => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_types_tell_the_format() {
        for (name, format) in
            [("a.TSV", Some(Format::Csv)), ("a.b.eml", Some(Format::Eml)), ("a.md", None), ("json", None)]
        {
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
}
