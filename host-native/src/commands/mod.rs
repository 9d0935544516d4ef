//! The subcommands, one per file, and their shared types.

pub mod audit;
pub mod completions;
pub mod component;
pub mod detect;
pub mod detectors;
mod flags;
pub mod hook;
pub mod import;
pub mod key_file;
pub mod keys;
mod output_format;
pub mod protect;
mod report;
pub mod restore;
pub mod serve;
mod state;
pub mod validate;

use std::io::{self, IsTerminal};

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};

use crate::documents::{Progress, Source, Sources};

/// The result of a command that had no error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Exit status 0.
    Done,
    /// Exit status 1: what `--check` looks for is there, a value is not valid, or a record was changed.
    Found,
    /// Exit status 3: files of a folder were skipped, since their formats are not read.
    Skipped,
}

impl Outcome {
    fn found_if(found: bool) -> Self {
        if found { Self::Found } else { Self::Done }
    }
}

/// The output to the terminal.
#[derive(Args)]
pub struct Terminal {
    /// Colour the output; `auto` does on a terminal where NO_COLOR is not set
    #[arg(
        long,
        global = true,
        help_heading = "Options of every command",
        value_enum,
        default_value = "auto",
        value_name = "WHEN"
    )]
    color: Color,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Color {
    Auto,
    Always,
    Never,
}

impl Terminal {
    /// Whether standard output is coloured.
    fn colored(&self) -> bool {
        let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        match self.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => {
                io::stdout().is_terminal()
                    && !set("NO_COLOR")
                    && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
            }
        }
    }
}

/// Runs `work` for every document. A failure is reported, and the other documents are processed; so is a file of a
/// folder that is skipped. With `allows_skipped`, skipped files do not change the outcome.
///
/// # Errors
/// If any document failed; at once if the reader of the output has closed it.
fn each(
    sources: &Sources,
    allows_skipped: bool,
    progress: &Progress,
    mut work: impl FnMut(&Source, Box<dyn io::BufRead>) -> Result<()>,
) -> Result<Outcome> {
    let mut failed = 0;
    let mut skipped = 0;
    for source in &sources.all {
        let done = source.open(progress).and_then(|input| match input {
            Ok(input) => work(source, input),
            Err(reason) => {
                skipped += 1;
                progress.note(&format!("skipped: {}: {reason}", source.name()));
                Ok(())
            }
        });
        match done {
            Err(error) if is_broken_pipe(&error) => return Err(error),
            Err(error) => {
                failed += 1;
                progress.note(&format!("error: {}: {error:#}", source.name()));
            }
            Ok(()) => (),
        }
    }
    progress.finish();
    if skipped > 0 {
        let files = if skipped == 1 { "file was" } else { "files were" };
        eprintln!("{skipped} {files} skipped and may have personal data");
    }
    match failed {
        0 if skipped == 0 || allows_skipped => Ok(Outcome::Done),
        0 => Ok(Outcome::Skipped),
        _ => bail!("{failed} of {} documents failed", sources.all.len()),
    }
}

/// Writes a number with its noun, such as `2 findings`.
fn counted(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// Whether the reader of the output has closed it.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}
