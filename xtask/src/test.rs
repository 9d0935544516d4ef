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
/// cannot run is skipped, with its reason in the table. A suite with a browser or a server runs once more if tests of it
/// fail: those that pass then are in the table as unsteady.
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
/// Builds what ships first; suites that need nothing of it are compiled beside that, since linking leaves a processor
/// idle. Suites with browsers, which mostly wait, then run while the other suites are compiled. Of those, suites that
/// use all processors run before those that use the service.
///
/// # Errors
/// If a test failed.
pub fn run(arguments: &Arguments) -> Result<()> {
    let suites = if arguments.only.is_empty() { Suite::all() } else { &arguments.only };
    let start = Instant::now();
    let parts: Vec<_> = suites.iter().flat_map(|suite| suite.parts()).collect();
    // only what is compiled alone: two suites at once would install packages
    let (early, late): (Vec<Suite>, Vec<Suite>) =
        suites.iter().copied().partition(|suite| *suite == Suite::Rust);
    let in_lane = |lane| late.iter().copied().filter(move |suite| suite.lane() == lane);
    let (built, (compiled, mut table)) = thread::scope(|threads| {
        let building = threads.spawn(|| build::build(&parts));
        let compiled = prepare(early.into_iter(), &Ok(()));
        (building.join().unwrap_or_else(|panic| resume_unwind(panic)), compiled)
    });
    let build_time = start.elapsed();
    // before another suite is prepared: two would install packages at once
    let (browsers, broken) = prepare(in_lane(Lane::Browser), &built);
    table.extend(broken);
    let prefixed = !browsers.is_empty() && suites.iter().any(|suite| suite.lane() != Lane::Browser);
    table.extend(thread::scope(|threads| {
        let beside = threads.spawn(move || run_in_turn(browsers, prefixed));
        let mut rows = run_in_turn(compiled, prefixed);
        let (ready, broken) = prepare(in_lane(Lane::Alone).chain(in_lane(Lane::Service)), &built);
        rows.extend(broken);
        rows.extend(run_in_turn(ready, prefixed));
        rows.extend(beside.join().unwrap_or_else(|panic| resume_unwind(panic)));
        rows
    }));
    table.sort_by_key(|row| row.suite);
    let total = table.iter().fold(Tally::default(), |sum, row| sum.and(row.tally.clone()));
    print(&table);
    println!(
        "built in {:.0} seconds, compiled tests and ran them in {:.0}",
        build_time.as_secs_f64(),
        (start.elapsed() - build_time).as_secs_f64()
    );
    println!("{} passed, {} failed, {} skipped", total.passed, total.failed, total.skipped);
    if total.failed > 0 {
        bail!("{} tests failed", total.failed);
    }
    Ok(())
}

/// Installs and compiles what the suites need. Returns those that are ready, and a row for each of the others.
fn prepare(suites: impl Iterator<Item = Suite>, built: &Result<()>) -> (Vec<(Suite, Prepared)>, Vec<Row>) {
    let (mut ready, mut broken) = (Vec::new(), Vec::new());
    for suite in suites {
        say(format!("preparing: {}", suite.name()));
        let start = Instant::now();
        let prepared = match built {
            Err(error) if !suite.parts().is_empty() => Err(anyhow!("the build failed: {error:#}")),
            _ => suite.prepare(),
        };
        match prepared {
            Ok(prepared) => ready.push((suite, prepared)),
            Err(error) => {
                let tally = Tally::broken(&format!("{error:#}"));
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
        let tally =
            run_suite(suite, prepared, &prefix).unwrap_or_else(|error| Tally::broken(&format!("{error:#}")));
        Row { suite, tally, time: start.elapsed() }
    };
    suites.into_iter().map(run).collect()
}

/// Runs a suite, and once more if tests failed that wait for a browser or a server.
///
/// On a busy machine such a wait can fail for no fault of the code. A test fails if it fails in both runs. A test that
/// failed in one of them is in the report as unsteady, for somebody to find its cause.
fn run_suite(suite: Suite, mut prepared: Prepared, prefix: &str) -> Result<Tally> {
    let tally = prepared.run(prefix)?;
    if tally.failed == 0 || suite.lane() == Lane::Alone {
        return Ok(tally);
    }
    say(format!("testing once more: {}", suite.name()));
    Ok(tally.confirmed_by(prepared.run(prefix)?))
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
