//! `cargo xtask test`: runs every test there is and sums up.

mod suites;
mod tally;

use std::{
    panic::resume_unwind,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Result, anyhow, bail};

use suites::{Lane, Prepared, Suite};
use tally::Tally;

use crate::{build, shell::say};

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

/// A row of the table.
struct Row {
    suite: Suite,
    tally: Tally,
    time: Duration,
}

/// Runs the requested suites; a failing one does not stop the others.
///
/// Builds everything first. Then suites run one after the other where they use all processors, and beside each other
/// where they mostly wait.
///
/// # Errors
/// If a test failed.
pub fn run(arguments: &Arguments) -> Result<()> {
    let suites = if arguments.only.is_empty() { Suite::all() } else { &arguments.only };
    let start = Instant::now();
    let (prepared, mut table) = prepare(suites);
    let built = start.elapsed();
    let (alone, beside): (Vec<_>, Vec<_>) =
        prepared.into_iter().partition(|(suite, _)| suite.lane() == Lane::Alone);
    let (browsers, services): (Vec<_>, Vec<_>) =
        beside.into_iter().partition(|(suite, _)| suite.lane() == Lane::Browser);
    table.extend(run_in_turn(alone, false));
    let prefixed = !browsers.is_empty() && !services.is_empty();
    table.extend(thread::scope(|threads| {
        let beside = threads.spawn(move || run_in_turn(services, prefixed));
        let mut rows = run_in_turn(browsers, prefixed);
        rows.extend(beside.join().unwrap_or_else(|panic| resume_unwind(panic)));
        rows
    }));
    table.sort_by_key(|row| row.suite);
    let total = table.iter().fold(Tally::default(), |sum, row| sum.and(row.tally.clone()));
    print(&table);
    println!(
        "built in {:.0} seconds, tested in {:.0}",
        built.as_secs_f64(),
        (start.elapsed() - built).as_secs_f64()
    );
    println!("{} passed, {} failed, {} skipped", total.passed, total.failed, total.skipped);
    if total.failed > 0 {
        bail!("{} tests failed", total.failed);
    }
    Ok(())
}

/// Builds what the suites test and need. Returns those that are ready, and a row for each of the others.
fn prepare(suites: &[Suite]) -> (Vec<(Suite, Prepared)>, Vec<Row>) {
    let parts: Vec<_> = suites.iter().flat_map(|suite| suite.parts()).collect();
    let built = build::build(&parts);
    let (mut ready, mut broken) = (Vec::new(), Vec::new());
    for &suite in suites {
        say(format!("preparing: {}", suite.name()));
        let start = Instant::now();
        let prepared = match &built {
            Err(error) if !suite.parts().is_empty() => Err(anyhow!("the build failed: {error:#}")),
            _ => suite.prepare(),
        };
        match prepared {
            Ok(prepared) => ready.push((suite, prepared)),
            Err(error) => {
                let tally = Tally::broken(format!("{error:#}"));
                broken.push(Row { suite, tally, time: start.elapsed() });
            }
        }
    }
    (ready, broken)
}

/// Runs suites one after the other. If lines of other suites come between, each line begins with the name of its suite.
fn run_in_turn(suites: Vec<(Suite, Prepared)>, prefixed: bool) -> Vec<Row> {
    let run = |(suite, prepared): (Suite, Prepared)| {
        let name = suite.name();
        say(format!("testing: {name}"));
        let start = Instant::now();
        let prefix = if prefixed { format!("{name:<12} | ") } else { String::new() };
        let tally = prepared.run(&prefix).unwrap_or_else(|error| Tally::broken(format!("{error:#}")));
        Row { suite, tally, time: start.elapsed() }
    };
    suites.into_iter().map(run).collect()
}

fn print(table: &[Row]) {
    println!("\n{:<14} {:>7} {:>7} {:>7} {:>8}", "suite", "passed", "failed", "skipped", "seconds");
    for Row { suite, tally, time } in table {
        let Tally { passed, failed, skipped, .. } = tally;
        println!("{:<14} {passed:>7} {failed:>7} {skipped:>7} {:>8.0}", suite.name(), time.as_secs_f64());
    }
    for Row { suite, tally, .. } in table {
        for remark in &tally.remarks {
            println!("{}: {remark}", suite.name());
        }
    }
    println!();
}
