//! `cargo xtask fuzz`: searches for inputs that break a property, for as long as it is told to.

use std::{
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail};

use crate::{shell::say, test::native::Tests};

/// Run the property tests of what strangers send again and again, each time with other inputs.
///
/// A target that fails prints the smallest input that it found, and ends the task. Make that input a test of its own.
#[derive(clap::Args)]
pub struct Arguments {
    /// The time for each target.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Run these targets only.
    #[arg(long, value_parser = TARGETS.map(|target| target.name))]
    only: Vec<String>,
}

/// Properties that are searched together.
struct Target {
    name: &'static str,
    /// The folder of the package, and its compiled test.
    folder: &'static str,
    test: &'static str,
    /// The start of the names of the properties.
    properties: &'static str,
}

/// The arguments of cargo that compile them. An input takes a fraction of the time of one in the profile `dev`.
const COMPILED: [&str; 8] = [
    "--profile=fuzz",
    "--package=textveil-engine",
    "--package=textveil-restore",
    "--package=textveil-service",
    "--lib",
    "--test=budget",
    "--test=fuzz",
    "--test=properties",
];

/// `cargo xtask test` runs each of them once.
const TARGETS: [Target; 8] = [
    // a value is withheld in whole and in cut texts alike
    target("restore", "restore", "fuzz", "texts_at_random"),
    // the request to the model has no planted value
    target("request", "spin-app/service", "textveil_service", "chat::fuzz::what_is_sent"),
    target("parts", "spin-app/service", "textveil_service", "chat::fuzz::a_value_over_two_parts"),
    target("json", "spin-app/service", "textveil_service", "chat::fuzz::tokens_of_json"),
    target("events", "spin-app/service", "textveil_service", "chat::fuzz::events"),
    target("placeholders", "spin-app/service", "textveil_service", "chat::placeholder::"),
    // tokens, streams and offsets
    target("tokens", "engine", "properties", ""),
    // a caller's own rules
    target("budget", "engine", "budget", "any_rules"),
];

const fn target(
    name: &'static str,
    folder: &'static str,
    test: &'static str,
    properties: &'static str,
) -> Target {
    Target { name, folder, test, properties }
}

/// Runs the targets one after the other.
///
/// # Errors
/// If a target fails, or is absent.
pub fn run(arguments: &Arguments) -> Result<()> {
    let tests = Tests::compile_with(&COMPILED)?;
    let is_chosen =
        |target: &&Target| arguments.only.is_empty() || arguments.only.iter().any(|name| name == target.name);
    for target in TARGETS.iter().filter(is_chosen) {
        let search = || {
            let mut test = tests.named(target.folder, target.test)?;
            test.arg(target.properties);
            Some(test)
        };
        let seconds = Duration::from_secs(arguments.seconds);
        let runs = repeat(search, seconds).with_context(|| format!("{} failed", target.name))?;
        say(format!("{}: {runs} runs without a failure", target.name));
    }
    Ok(())
}

/// Runs a test again and again for a time; returns the number of its runs.
fn repeat(test: impl Fn() -> Option<Command>, time: Duration) -> Result<usize> {
    let begun = Instant::now();
    let mut runs = 0;
    while runs == 0 || begun.elapsed() < time {
        let output = test().context("the test is absent")?.stderr(Stdio::inherit()).output()?;
        let printed = String::from_utf8_lossy(&output.stdout);
        if !output.status.success() {
            bail!("it failed:\n{printed}");
        }
        if printed.contains("running 0 tests") {
            bail!("no property has this name");
        }
        runs += 1;
    }
    Ok(runs)
}
