//! `cargo xtask test`: runs every test there is and sums up.

mod suites;
mod tally;

use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use suites::Suite;
use tally::Tally;

use crate::shell::say;

/// Build what is tested and run every test: Rust, components, HTTP, Node, Python, browser.
///
/// Ends with a table of the suites and the line `N passed, N failed, N skipped`. What this machine
/// cannot run is skipped, with its reason in the table.
#[derive(clap::Args)]
pub struct Arguments {
    /// Run only this suite; may be repeated.
    #[arg(long, value_enum, value_name = "SUITE")]
    only: Vec<Suite>,
}

/// Runs the requested suites; a failing one does not stop the others.
///
/// # Errors
/// If a test failed.
pub fn run(arguments: &Arguments) -> Result<()> {
    let suites = if arguments.only.is_empty() { Suite::all() } else { &arguments.only };
    let mut table = Vec::new();
    for &suite in suites {
        say(format!("testing: {}", suite.name()));
        let start = Instant::now();
        let tally = suite.run().unwrap_or_else(|error| Tally::broken(format!("{error:#}")));
        table.push((suite.name(), tally, start.elapsed()));
    }
    let total = table.iter().fold(Tally::default(), |sum, (_, tally, _)| sum.and(tally.clone()));
    print(&table);
    println!("{} passed, {} failed, {} skipped", total.passed, total.failed, total.skipped);
    if total.failed > 0 {
        bail!("{} tests failed", total.failed);
    }
    Ok(())
}

fn print(table: &[(String, Tally, Duration)]) {
    println!("\n{:<14} {:>7} {:>7} {:>7} {:>8}", "suite", "passed", "failed", "skipped", "seconds");
    for (name, tally, time) in table {
        let Tally { passed, failed, skipped, .. } = tally;
        println!("{name:<14} {passed:>7} {failed:>7} {skipped:>7} {:>8.0}", time.as_secs_f64());
    }
    for (name, tally, _) in table {
        for remark in &tally.remarks {
            println!("{name}: {remark}");
        }
    }
    println!();
}
