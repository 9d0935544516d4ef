//! The annotated texts.

use std::{
    fs::File,
    io::{BufRead as _, BufReader},
    path::Path,
};

use anyhow::{Context as _, Result};
use flate2::read::MultiGzDecoder;
use serde::Deserialize;

/// A text with its labels.
#[derive(Clone, Debug, Deserialize)]
pub struct Document {
    pub set: String,
    pub lang: String,
    pub text: String,
    #[serde(default)]
    pub labels: Vec<Label>,
    #[serde(default)]
    pub negative: bool,
}

/// The tag of a part of a text, with its range in characters as read, and in bytes afterwards.
#[derive(Clone, Debug, Deserialize)]
pub struct Label {
    #[serde(rename = "type")]
    pub kind: String,
    pub start: usize,
    pub end: usize,
}

/// The sets from which nothing is learnt, so that the scorecard has corpora that the judge does not know: messages in Danish, and
/// texts in Swedish that are not news.
const HELD_OUT: [&str; 2] = ["danplus", "talbanken"];

/// Reads the documents of `train/` and of `negatives/train/` from which the judge may learn.
///
/// # Errors
/// If a file cannot be read.
pub fn learnable(folder: &Path) -> Result<Vec<Document>> {
    let mut documents = read(folder, "train")?;
    documents.retain(|document| !HELD_OUT.contains(&document.set.as_str()));
    Ok(documents)
}

/// Reads the documents of `part/` and of `negatives/part/`.
///
/// # Errors
/// If a file cannot be read.
pub fn read(folder: &Path, part: &str) -> Result<Vec<Document>> {
    let mut documents = Vec::new();
    for folder in [folder.join(part), folder.join("negatives").join(part)] {
        let entries = std::fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
        let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
        paths.sort();
        for path in paths {
            for line in BufReader::new(MultiGzDecoder::new(BufReader::new(File::open(&path)?))).lines() {
                let mut document: Document =
                    serde_json::from_str(&line?).with_context(|| path.display().to_string())?;
                document.in_bytes();
                documents.push(document);
            }
        }
    }
    Ok(documents)
}

/// Reads generated documents: `cargo xtask eval --write FILE`.
///
/// # Errors
/// If the file cannot be read.
pub fn generated(file: &Path) -> Result<Vec<Document>> {
    let lines = BufReader::new(File::open(file).with_context(|| file.display().to_string())?).lines();
    lines
        .map(|line| {
            let mut document: Document =
                serde_json::from_str(&line?).with_context(|| file.display().to_string())?;
            document.in_bytes();
            // titles are no part of names
            for label in &mut document.labels {
                let written = &document.text[label.start..label.end];
                label.start += written.len() - written.strip_prefix("Dr ").unwrap_or(written).len();
            }
            Ok(document)
        })
        .collect()
}

impl Document {
    fn in_bytes(&mut self) {
        let offsets: Vec<usize> =
            self.text.char_indices().map(|(at, _)| at).chain([self.text.len()]).collect();
        for label in &mut self.labels {
            label.start = offsets[label.start];
            label.end = offsets[label.end];
        }
    }

    /// The ranges of the labels of a kind, in bytes.
    pub fn spans(&self, kind: &str) -> Vec<(usize, usize)> {
        let labels = self.labels.iter().filter(|label| label.kind == kind);
        labels.map(|label| (label.start, label.end)).collect()
    }
}
