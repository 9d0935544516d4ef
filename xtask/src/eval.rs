//! `cargo xtask eval`: how much of the personal data in real text, or in generated documents, the engine finds.

use std::ffi::OsString;

use anyhow::Result;

use crate::shell::{cargo, run as run_command};

/// Measure the engine on generated documents in many languages, or with `--real DIR` on real text (tests/eval/README.md).
/// Fails where it is worse than tests/eval/scorecard.json or tests/eval/real-text.json.
///
/// `--real DIR`, `--seed N`, `--documents N`, `--json`, `--full`, `--misses KEY` (what was not found), `--bless` (makes this run the
/// committed scorecard) and `--summarise` (writes its summary anew, and runs nothing) are passed on.
#[derive(clap::Args)]
pub struct Arguments {
    /// For the evaluation
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// Measures the generated documents of the committed scorecard.
pub fn measure() -> Result<()> {
    run(&Arguments { arguments: Vec::new() })
}

/// Writes the summary of the committed figures anew.
pub fn summarise() -> Result<()> {
    run(&Arguments { arguments: vec!["--summarise".into()] })
}

/// Builds the evaluation and runs it.
pub fn run(arguments: &Arguments) -> Result<()> {
    let mut eval = cargo(["run", "--quiet", "--profile", "eval", "--package", "textveil-eval", "--"]);
    eval.args(&arguments.arguments);
    run_command(eval)
}
