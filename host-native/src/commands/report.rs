//! The output of the commands: findings for people, and the JSON of the API.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use anyhow::Result;
use serde::Serialize;
use textveil_engine::{Entity, Evidence};

use crate::documents::Source;
use textveil_documents::{Positions, Value};

/// The styles of the output; all plain without colours.
#[derive(Clone, Copy)]
pub struct Styles {
    /// The finding, or its replacement.
    pub finding: Style,
    /// Its type and other remarks.
    pub remark: Style,
    /// The name of a document.
    pub path: Style,
    /// A line's number.
    pub line: Style,
    /// A success message.
    pub good: Style,
}

impl Styles {
    /// Creates coloured or plain styles.
    pub fn new(colored: bool) -> Self {
        let style = |color: AnsiColor| if colored { color.on_default() } else { Style::new() };
        let bold = |style: Style| if colored { style.bold() } else { style };
        Self {
            finding: bold(style(AnsiColor::Red)),
            remark: style(AnsiColor::Cyan),
            path: style(AnsiColor::Magenta),
            line: style(AnsiColor::Green),
            good: bold(style(AnsiColor::Green)),
        }
    }
}

/// Prints `path:line:column: type country confidence text`, one line per finding.
pub fn list(
    out: &mut impl Write,
    styles: Styles,
    source: &Source,
    positions: &mut Positions<'_>,
    value: &Value,
    entities: &[Entity],
    show: bool,
) -> io::Result<()> {
    let Styles { finding, remark, path, line: number, .. } = styles;
    for entity in entities {
        let (line, column) = positions.of(value, entity.bytes.start);
        let country = entity.country.map_or("-".to_owned(), |country| country.upper());
        let place = value.location.clone().unwrap_or_else(|| format!("{line}:{column}"));
        write!(
            out,
            "{path}{}{path:#}:{number}{place}{number:#}: {remark}{} {country} {:.2}{remark:#}",
            source.name(),
            entity.kind,
            entity.confidence
        )?;
        if show {
            write!(out, " {finding}{}{finding:#}", entity.original.replace(['\r', '\n'], " "))?;
        }
        writeln!(out)?;
        for Evidence { signal, weight, .. } in &entity.evidence {
            writeln!(out, "    {weight:+.2} {signal}")?;
        }
    }
    Ok(())
}

/// Prints the lines that have findings, with the findings highlighted and their types.
pub fn highlight(
    out: &mut impl Write,
    styles: Styles,
    source: &Source,
    positions: &mut Positions<'_>,
    value: &Value,
    entities: &[Entity],
) -> io::Result<()> {
    let Styles { finding, remark, path, line: number, .. } = styles;
    let text = value.text.as_str();
    let line_start =
        |at: usize| text.get(..at).unwrap_or_default().rfind('\n').map_or(0, |newline| newline + 1);
    let line_end = |at: usize| {
        let rest = text.get(at..).unwrap_or_default();
        at + rest.find('\n').unwrap_or(rest.len())
    };
    let mut entities = entities.iter().peekable();
    while let Some(first) = entities.peek() {
        let mut done = line_start(first.bytes.start);
        let mut end = line_end(first.bytes.end);
        let (line, _) = positions.of(value, first.bytes.start);
        let place = value.location.clone().unwrap_or_else(|| line.to_string());
        write!(out, "{path}{}{path:#}:{number}{place}{number:#}: ", source.name())?;
        if let Some(label) = &value.label {
            write!(out, "{label}: ")?;
        }
        while let Some(entity) = entities.next_if(|entity| entity.bytes.start < end) {
            end = end.max(line_end(entity.bytes.end));
            write!(
                out,
                "{}{finding}{}{finding:#}{remark}⟨{} {:.2}⟩{remark:#}",
                text.get(done..entity.bytes.start).unwrap_or_default(),
                entity.original,
                entity.kind,
                entity.confidence
            )?;
            done = entity.bytes.end;
        }
        writeln!(out, "{}", text.get(done..end).unwrap_or_default().trim_end())?;
    }
    Ok(())
}

/// An answer of the API, with its position in the input.
#[derive(Serialize)]
pub struct Located<T> {
    /// Absent for standard input.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// The line of a value within a document, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    /// Its column or key.
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    /// Its place in an Office document.
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<String>,
    #[serde(flatten)]
    answer: T,
}

impl<T: Serialize> Located<T> {
    /// Creates the answer to a whole document.
    pub fn document(source: &Source, answer: T) -> Self {
        let path = source.path.as_ref().map(|path| path.display().to_string());
        Self { path, line: None, field: None, location: None, answer }
    }

    /// Creates the answer to one value of a document.
    pub fn value(source: &Source, positions: &mut Positions<'_>, value: &Value, answer: T) -> Self {
        let (line, _) = positions.of(value, 0);
        let (field, location) = (value.label.clone(), value.location.clone());
        Self { line: Some(line), field, location, ..Self::document(source, answer) }
    }

    /// Prints it, on one line.
    pub fn print(&self, out: &mut impl Write) -> Result<()> {
        serde_json::to_writer(&mut *out, self)?;
        Ok(writeln!(out)?)
    }
}
