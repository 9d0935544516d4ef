//! The `textveil` program: finds, validates and protects personal data on the command line.

mod commands;
mod documents;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use commands::{Outcome, Terminal, component::ComponentFlag};

/// Finds personal data in text, validates it and protects it.
///
/// Reads files, folders and standard input: plain text, CSV, JSON, NDJSON, SQL, YAML, TOML, settings, notebooks, contacts,
/// subtitles, HTML, XML, messages and Office documents. Nothing leaves this machine.
#[derive(Parser)]
#[command(
    name = "textveil",
    version,
    arg_required_else_help = true,
    after_help = "Exit status: 0 done; 1 something was found (with --check), a value is not valid, or a record was changed; \
                  2 an error; 3 files of a folder were skipped, since their formats are not read (unless --allow-skipped)"
)]
pub struct Program {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    component: ComponentFlag,
    #[command(flatten)]
    terminal: Terminal,
}

#[derive(Subcommand)]
enum Command {
    Serve(commands::serve::Arguments),
    Detect(commands::detect::Arguments),
    Protect(commands::protect::Arguments),
    Restore(commands::restore::Arguments),
    Validate(commands::validate::Arguments),
    Detectors(commands::detectors::Arguments),
    Hook(commands::hook::Arguments),
    Mcp(commands::mcp::Arguments),
    Proxy(commands::proxy::Arguments),
    Import(commands::import::Arguments),
    Keys(commands::keys::Arguments),
    Audit(commands::audit::Arguments),
    KeyFile(commands::key_file::Arguments),
    Completions(commands::completions::Arguments),
}

fn main() -> ExitCode {
    let Program { command, component, terminal } = Program::parse();
    let outcome = match command {
        Command::Serve(arguments) => commands::serve::run(arguments),
        Command::Detect(arguments) => commands::detect::run(&arguments, &component, &terminal),
        Command::Protect(arguments) => commands::protect::run(&arguments, &component, &terminal),
        Command::Restore(arguments) => commands::restore::run(&arguments, &component, &terminal),
        Command::Validate(arguments) => commands::validate::run(&arguments, &component, &terminal),
        Command::Detectors(arguments) => commands::detectors::run(&arguments, &component),
        Command::Hook(arguments) => commands::hook::run(&arguments, &component),
        Command::Mcp(arguments) => commands::mcp::run(&arguments, &component),
        Command::Proxy(arguments) => commands::proxy::run(arguments),
        Command::Import(arguments) => commands::import::run(&arguments, &component),
        Command::Keys(arguments) => commands::keys::run(&arguments),
        Command::Audit(arguments) => commands::audit::run(&arguments),
        Command::KeyFile(arguments) => commands::key_file::run(&arguments),
        Command::Completions(arguments) => commands::completions::run(&arguments),
    };
    match outcome {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Found) => ExitCode::from(1),
        Ok(Outcome::Skipped) => ExitCode::from(3),
        // the reader of the output has seen enough, as `head` does
        Err(error) if commands::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}
