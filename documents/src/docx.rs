//! The text of Word documents (Office Open XML, ECMA-376).
//!
//! The result is text. Everything else in a document, such as pictures, properties and the names of
//! authors, stays behind.

use anyhow::{Result, bail};

use crate::{
    Gap,
    flow::Flow,
    office::{Node, Package, read_shapes, walk},
    parts::Parts,
};

/// Hands over the text of a document: headers, body, footers, notes and comments, a line per paragraph.
///
/// # Errors
/// If it is no such document, or it is encrypted, or it unpacks to more than 64 MiB.
pub(crate) fn read(bytes: &[u8], parts: &mut dyn Parts) -> Result<()> {
    let mut package = Package::open(bytes, "a Word document (.docx)")?;
    let names = package.names();
    let mut texts: Vec<_> = names.iter().filter_map(|name| Some((order(name)?, name))).collect();
    texts.sort();
    if !texts.iter().any(|(_, name)| *name == "word/document.xml") {
        bail!("the file is not a Word document (.docx): it has no word/document.xml");
    }
    for (_, name) in texts {
        let xml = package.unpack(name)?;
        paragraphs(name, &xml, parts)?;
        parts.end_record();
    }
    read_shapes(
        &mut package,
        &names,
        &[("word/diagrams/data", "diagram"), ("word/charts/chart", "chart")],
        parts,
    )
}

/// Returns the position at which a part of a document is read; `None` for a part without text.
fn order(name: &str) -> Option<usize> {
    let name = name.strip_prefix("word/")?.strip_suffix(".xml")?;
    let kind = name.trim_end_matches(|digit: char| digit.is_ascii_digit());
    ["header", "document", "footer", "footnotes", "endnotes", "comments"]
        .iter()
        .position(|part| *part == kind)
}

/// Hands over the paragraphs of a part: also deleted text, and codes of fields, which hold the addresses of links.
fn paragraphs(name: &str, xml: &str, parts: &mut dyn Parts) -> Result<()> {
    let mut flow = Flow::new(parts);
    let mut is_text = false;
    walk(name, xml, |node| {
        match node {
            Node::Start(tag) => match tag.local_name().as_ref() {
                "p" => flow.start(None),
                "t" | "delText" | "instrText" => is_text = true,
                "tab" => flow.gap(Gap::Tab),
                "br" | "cr" => flow.gap(Gap::Line),
                "noBreakHyphen" => flow.text("-"),
                _ => (),
            },
            Node::Text(text) if is_text => flow.text(text),
            Node::Text(_) => (),
            Node::End(tag) => match tag {
                "t" | "delText" | "instrText" => is_text = false,
                "p" => flow.end(),
                "tc" => flow.end_cell(),
                "tr" => flow.end_row(),
                _ => (),
            },
        }
        Ok(())
    })?;
    flow.finish();
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use zip::{ZipWriter, write::SimpleFileOptions};

    use super::*;
    use crate::{Record, parts::Collector};

    fn document(files: &[(&str, &str)]) -> Vec<u8> {
        let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in files {
            archive.start_file(*name, SimpleFileOptions::default()).unwrap();
            archive.write_all(content.as_bytes()).unwrap();
        }
        archive.finish().unwrap().into_inner()
    }

    fn records_of(bytes: &[u8]) -> Result<Vec<Record>> {
        let mut collector = Collector::default();
        read(bytes, &mut collector)?;
        Ok(std::iter::from_fn(|| collector.next()).collect())
    }

    #[test]
    fn paragraphs_are_lines() {
        let body = r#"<w:document xmlns:w="w"><w:body><w:p><w:r><w:t>PESEL 4405</w:t></w:r><w:r><w:t>1401359 &amp; co</w:t></w:r></w:p>
            <w:tbl><w:tr><w:tc><w:p><w:r><w:t>mail</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>a@example.cz</w:t></w:r></w:p></w:tc></w:tr></w:tbl>
            <w:p><w:r><w:t>one</w:t><w:tab/><w:t>two</w:t><w:br/><w:t>three</w:t></w:r></w:p></w:body></w:document>"#;
        let note = r#"<w:comments xmlns:w="w"><w:comment w:author="Jan"><w:p><w:r><w:t>a note</w:t></w:r></w:p></w:comment></w:comments>"#;
        let bytes =
            document(&[("word/comments.xml", note), ("word/document.xml", body), ("word/media/a.png", "x")]);
        let records = records_of(&bytes).unwrap();
        let texts: Vec<_> = records.iter().map(|record| record.raw.as_str()).collect();
        assert_eq!(texts, ["PESEL 44051401359 & co\nmail\ta@example.cz\none\ttwo\nthree\n", "a note\n"]);
    }

    #[test]
    fn other_files_are_refused() {
        for bytes in [b"PK\x03\x04".to_vec(), b"text".to_vec(), document(&[("a.xml", "")])] {
            assert!(records_of(&bytes).unwrap_err().to_string().contains("not a Word document"));
        }
        let error = records_of(&document(&[("word/document.xml", "<a><b></a>")])).unwrap_err();
        assert_eq!(error.to_string(), "word/document.xml is malformed");
        assert_eq!(format!("{error:#}"), "word/document.xml is malformed", "it quotes nothing");
    }

    #[test]
    fn what_unpacks_to_too_much_is_refused() {
        let error = records_of(&document(&[("word/document.xml", &" ".repeat(65 << 20))])).unwrap_err();
        assert!(error.to_string().contains("64 MiB"), "{error}");
    }
}
