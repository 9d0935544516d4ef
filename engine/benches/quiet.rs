//! Counts false alarms: false findings per 1,000 words of the negative corpus, by preset, kind of
//! text and language.
//!
//! `cargo bench -p textveil-engine --bench quiet`; with `-- --list` every false finding, too.
#![allow(clippy::expect_used, clippy::panic, missing_docs, reason = "a benchmark")]

#[path = "../tests/corpus/mod.rs"]
mod corpus;

use corpus::{COLUMNS, Count};

fn row(name: &str, count: &Count) {
    let rates: String = count
        .rates()
        .iter()
        .zip(COLUMNS)
        .map(|(rate, (column, ..))| format!("  {rate:>0$.2}", column.len()))
        .collect();
    println!("{name:<14}{:>6}{:>8}{rates}", count.texts, count.words);
}

fn main() {
    let report = corpus::report(&corpus::texts());
    let columns: String = COLUMNS.iter().map(|(column, ..)| format!("  {column}")).collect();
    println!("false findings per 1,000 words\n\n{:<14}{:>6}{:>8}{columns}", "", "texts", "words");
    row("all", &report.total);
    for (title, rows) in [("kind", &report.kinds), ("language", &report.languages)] {
        println!("\n{title}");
        rows.iter().for_each(|(name, count)| row(name, count));
    }
    if std::env::args().any(|argument| argument == "--list") {
        for ((column, ..), findings) in COLUMNS.iter().zip(&report.findings) {
            println!("\n{column}");
            findings.iter().for_each(|finding| println!("  {finding}"));
        }
    }
}
