//! Prints the values of a document, with their lines and labels:
//!
//! ```text
//! cargo run -p textveil-documents --example records -- people.csv
//! ```

use std::{env, fs::File};

use anyhow::{Context, Result};
use textveil_documents::{Format, Reading, Records};

fn main() -> Result<()> {
    let path = env::args().nth(1).context("the path of a document is missing")?;
    let format = Format::of_name(&path).unwrap_or(Format::Text);
    let reading = Reading { format, is_whole: false, delimiter: None, encoding: None };
    let mut records = Records::open(File::open(&path)?, reading);
    while let Some(record) = records.next_record()? {
        let mut positions = record.positions();
        for value in &record.values {
            let (line, column) = positions.of(value, 0);
            let label = value.label.as_deref().unwrap_or("-");
            println!("{line}:{column}\t{label}\t{}", value.text);
        }
    }
    Ok(())
}
