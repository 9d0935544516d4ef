//! Annotations of GitHub Actions: `::warning file=…,line=…::message`.

use std::{fmt::Write as _, io::Write};

use anyhow::Result;

use super::Reported;

pub(super) fn write(out: &mut impl Write, findings: &[Reported]) -> Result<()> {
    for finding in findings {
        let Reported { rule, path, line, column, end_line, end_column, .. } = finding;
        let (path, title) = (property(path), property(rule));
        // the columns of annotations are inclusive
        let end = end_column.saturating_sub(1).max(1);
        // an annotation with columns is on one line
        let columns = if line == end_line { format!(",col={column},endColumn={end}") } else { String::new() };
        let message = escaped(&finding.message(), &['%', '\r', '\n']);
        writeln!(
            out,
            "::warning file={path},line={line},endLine={end_line}{columns},title={title}::{message}"
        )?;
    }
    Ok(())
}

fn property(text: &str) -> String {
    escaped(text, &['%', '\r', '\n', ':', ','])
}

fn escaped(text: &str, special: &[char]) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        if special.contains(&letter) {
            // writing to a String cannot fail
            let _ = write!(out, "%{:02X}", u32::from(letter));
        } else {
            out.push(letter);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{super::finding, *};

    #[test]
    fn a_path_cannot_write_another_command() {
        let mut out = Vec::new();
        write(&mut out, &[finding("pl/pesel", "a,b:c%\n::error::x", 7)]).unwrap();
        let line = String::from_utf8(out).unwrap();
        assert_eq!(
            line,
            "::warning file=a%2Cb%3Ac%25%0A%3A%3Aerror%3A%3Ax,line=7,endLine=7,col=3,endColumn=8,title=pl/pesel::\
             personal data: pesel, confidence 0.99\n"
        );
    }
}
