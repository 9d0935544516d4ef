//! `textveil mcp`: the tools of this program for a client of the Model Context Protocol, or another server of it behind
//! protection.
//!
//! A message is one line of JSON. Standard output has messages only; notes for the operator, which have nothing of a
//! message, go to standard error.

mod http;
mod lines;
mod process;
mod results;
mod server;
mod wrapper;

use std::ffi::OsString;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use textveil::Mode;

use super::{
    Outcome,
    component::ComponentFlag,
    flags::{DetectFlags, KeyFlags, ProtectFlags},
    json_value::JsonProtector,
    key_file,
};
use crate::documents::Sources;
use http::Header;
use wrapper::Wrapper;

/// Serve the Model Context Protocol on standard input, or protect what another server of it answers
///
/// Offers the tools detect, protect, validate and list_detectors. With --wrap or --wrap-url, it connects a client to
/// another server: results of tools, resources, prompts and errors are protected, and an unreadable answer becomes an error.
/// Without a key file, a key is made that ends with the program.
#[derive(Args)]
pub struct Arguments {
    /// Offer the tool restore, which returns the values of tokens to the client
    #[arg(long, conflicts_with_all = ["wrap", "wrap_url"])]
    allow_restore: bool,
    #[command(flatten)]
    wrapping: Wrapping,
    #[command(flatten)]
    protection: ProtectFlags,
    #[command(flatten)]
    key: KeyFlags,
    #[command(flatten)]
    detection: DetectFlags,
}

/// The other server, and what passes.
#[derive(Args)]
#[command(next_help_heading = "Another server")]
struct Wrapping {
    /// Start the command after `--`, and protect what it answers
    #[arg(long, requires = "command", conflicts_with = "wrap_url")]
    wrap: bool,
    /// Protect what the server at this address answers, over Streamable HTTP
    #[arg(long, value_name = "URL")]
    wrap_url: Option<String>,
    /// A header for the server of --wrap-url, with its value from a variable of the environment; may be repeated
    #[arg(long, value_name = "NAME=VARIABLE", requires = "wrap_url", value_parser = Header::parse)]
    header: Vec<Header>,
    /// Restore tokens in the arguments of this tool; may be repeated. Sets --mode tokenize if no mode is given
    #[arg(long, value_name = "TOOL")]
    restore_for: Vec<String>,
    /// Pictures, sound and other binary content, which cannot be searched: drop it with a note, or pass it
    #[arg(long, value_enum, default_value = "drop", value_name = "WHAT")]
    binary: Binary,
    /// Pass methods, notifications and content of unknown kinds as they are, without protection
    #[arg(long)]
    pass_unknown: bool,
    /// The command of --wrap with its arguments
    #[arg(last = true, requires = "wrap", value_name = "COMMAND")]
    command: Vec<OsString>,
}

impl Wrapping {
    fn is_used(&self) -> bool {
        self.wrap || self.wrap_url.is_some()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Binary {
    Drop,
    Pass,
}

/// Runs the command.
pub fn run(arguments: &Arguments, component: &ComponentFlag) -> Result<Outcome> {
    let Arguments { allow_restore, wrapping, protection, key, detection } = arguments;
    let (options, unit) = detection.options(&Sources::default())?;
    let mut protection = protection.options(detection)?;
    let mut keys = key.keys()?;
    if keys.is_empty() {
        keys.push(key_file::temporary()?);
    }
    if !wrapping.restore_for.is_empty() {
        if !wrapping.is_used() {
            bail!("--restore-for needs another server: say --wrap -- COMMAND or --wrap-url URL");
        }
        if protection.mode == Mode::Replace {
            protection.mode = Mode::Tokenize;
        }
    }
    let json = JsonProtector { engine: component.load()?, detection: options, protection, keys };
    if !wrapping.is_used() {
        return server::ToolServer { json, unit, restores: *allow_restore }.run();
    }
    let wrapper =
        Wrapper::new(json, &wrapping.restore_for, wrapping.binary == Binary::Pass, wrapping.pass_unknown);
    match &wrapping.wrap_url {
        Some(url) => http::run(wrapper, url, &wrapping.header),
        None => process::run(wrapper, &wrapping.command),
    }
}

/// Tells the operator, with nothing of a message.
fn note(text: &str) {
    eprintln!("textveil mcp: {text}");
}
