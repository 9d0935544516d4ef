//! `textveil keys`: makes and renews the keys of hashes and tokens.

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, Subcommand};

use super::{Outcome, key_file};

/// Make and renew the keys of hashes and tokens
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Make a file with a new key, readable by you only
    New {
        /// The file to make; it must not exist
        file: PathBuf,
    },
    /// Put a new key in front: it makes the tokens from now on, the old ones still open theirs
    Rotate {
        /// A file of keys
        file: PathBuf,
    },
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<Outcome> {
    match &arguments.command {
        Command::New { file } => {
            key_file::create(file)?;
            eprintln!(
                "made {0}; use it with --key-file {0}, and keep it: tokens open with nothing else",
                file.display()
            );
        }
        Command::Rotate { file } => {
            let version = key_file::rotate(file)?;
            eprintln!(
                "version {version} is the current key of {}; hashes change, old tokens still open",
                file.display()
            );
        }
    }
    Ok(Outcome::Done)
}
