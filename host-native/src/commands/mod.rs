//! The subcommands, one per file, and their shared types.

pub mod audit;
pub mod completions;
pub mod component;
pub mod detect;
pub mod detectors;
mod flags;
pub mod hook;
pub mod import;
mod json_value;
pub mod key_file;
pub mod keys;
pub mod mcp;
mod output_format;
pub mod protect;
pub mod proxy;
mod report;
pub mod restore;
mod run;
pub mod serve;
mod state;
pub mod validate;

use std::io::{self, IsTerminal};

use clap::{Args, ValueEnum};

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
