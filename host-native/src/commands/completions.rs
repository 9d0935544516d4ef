//! `textveil completions`: a script that completes the command line.

use std::io;

use anyhow::Result;
use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::Outcome;

/// Print the completion script of a shell: textveil completions bash > ~/.local/share/bash-completion/completions/textveil
#[derive(Args)]
pub struct Arguments {
    /// The shell
    shell: Shell,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut crate::Program::command(), "textveil", &mut script);
    io::Write::write_all(&mut io::stdout().lock(), &script)?;
    Ok(Outcome::Done)
}
