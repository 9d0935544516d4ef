//! `cargo xtask serve`: builds what the service needs and starts it.

use std::ffi::OsString;

use anyhow::Result;

use crate::{
    build::{self, SERVICE},
    shell::{command, dist, run as run_command, say, shown},
};

/// Build what the service needs and start it for development on 127.0.0.1:3000, with its state in .textveil/.
///
/// The first start makes credentials for development and prints how to use them.
#[derive(clap::Args)]
pub struct Arguments {
    /// Passed on to `textveil serve --dev`, after the arguments of this task: `cargo xtask serve -- --help`
    #[arg(last = true)]
    arguments: Vec<OsString>,
}

/// The default address of the service, and the folder of its state.
const DEFAULTS: [(&str, &str); 3] =
    [("--listen", "127.0.0.1:3000"), ("--state-dir", ".textveil"), ("--manifest", "spin-app/spin.toml")];

/// Builds and serves until the program is stopped.
pub fn run(arguments: &Arguments) -> Result<()> {
    build::build(&SERVICE)?;
    let mut serve = command(dist("textveil"), ["serve", "--dev"]);
    for (flag, value) in DEFAULTS {
        if !arguments.arguments.iter().any(|given| is_flag(given, flag)) {
            serve.args([flag, value]);
        }
    }
    serve.args(&arguments.arguments);
    say(shown(&serve));
    run_command(serve)
}

/// `--listen` and `--listen=…` alike.
fn is_flag(argument: &OsString, flag: &str) -> bool {
    argument
        .to_str()
        .and_then(|text| text.strip_prefix(flag))
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
}
