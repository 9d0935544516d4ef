//! `cargo xtask test`: runs every test there is and sums up.

pub mod native;
mod schedule;
mod suites;
mod tally;

use std::{
    panic::resume_unwind,
    sync::{Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use anyhow::Result;

use native::Tests;
use schedule::Schedule;
use suites::{Prepared, Suite};
use tally::Tally;

use crate::{
    build::{self, Finish, Part},
    program, serve,
    shell::say,
};

/// Build what is tested and run every test: Rust, components, HTTP, Node, Python, browser.
///
/// Ends with a table of the suites and the line `N passed, N failed, N skipped`. What this machine
/// cannot run is skipped, with its reason in the table. A suite with a browser or a server runs once more if tests of it
/// fail: the table counts those that pass then as unsteady, and three of them fail the run.
#[derive(clap::Args)]
pub struct Arguments {
    /// Run only this suite; may be repeated.
    #[arg(long, value_enum, value_name = "SUITE")]
    only: Vec<Suite>,
    /// Also run what takes long: whole samples instead of parts of them, a second browser, and the suites
    /// `evaluation`, `reproducible` and `schemathesis`
    #[arg(long)]
    full: bool,
    /// Test the program and the components of the service as they ship, and not as they are compiled fastest
    #[arg(long)]
    shipped: bool,
}

/// The variable of test runners that tells them to take whole samples and both browsers.
const FULL: &str = "TEXTVEIL_FULL";

/// A row of the table.
struct Row {
    suite: Suite,
    tally: Tally,
    time: Duration,
}

/// The number of suites that run beside each other. Each waits for something half of the time, so three of them use the two
/// processors of a small machine.
const BESIDE: usize = 3;

/// Runs the requested suites; a failing one does not stop the others.
///
/// Builds the shipped files beside the tests in Rust, and runs the suites whose files are built: linkers and browsers leave
/// processors idle.
///
/// # Errors
/// If a test failed, or if three are unsteady.
pub fn run(arguments: &Arguments) -> Result<()> {
    // suites of the service need not wait for its pages
    serve::make_bundles()?;
    let suites = if arguments.only.is_empty() { Suite::all(arguments.full) } else { arguments.only.clone() };
    let start = Instant::now();
    let parts: Vec<_> = suites.iter().flat_map(|suite| suite.parts()).collect();
    let are_native = suites.iter().any(|suite| suite.is_native());
    let run = Run {
        prefixed: suites.len() > 1,
        full: arguments.full,
        finish: if arguments.shipped { Finish::Shipped } else { Finish::Quick },
        schedule: Schedule::of(suites),
        installing: Mutex::default(),
    };
    let mut table = thread::scope(|threads| {
        threads.spawn(|| run.build(&parts));
        threads.spawn(|| run.compile(&parts, are_native));
        let beside: Vec<_> = (0..BESIDE).map(|_| threads.spawn(|| run.suites())).collect();
        beside.into_iter().flat_map(|thread| joined(thread.join())).collect::<Vec<_>>()
    });
    table.sort_by_key(|row| row.suite);
    let total = table.iter().fold(Tally::default(), |sum, row| sum.and(row.tally.clone()));
    print(&table);
    println!("{:.0} seconds with everything that was built", start.elapsed().as_secs_f64());
    if run.finish == Finish::Quick && parts.iter().any(|part| part.has_finish()) {
        println!(
            "dist/ has components that were compiled for tests; `cargo xtask build` compiles what ships"
        );
    }
    println!("{} passed, {} failed, {} skipped", total.passed, total.failed, total.skipped);
    total.verdict()
}

fn joined<T>(result: thread::Result<T>) -> T {
    result.unwrap_or_else(|panic| resume_unwind(panic))
}

/// The state that the threads of a run share.
struct Run {
    /// Whether each line begins with the name of its suite, since lines of other suites come between.
    prefixed: bool,
    full: bool,
    finish: Finish,
    schedule: Schedule,
    /// Held by what installs packages.
    installing: Mutex<()>,
}

impl Run {
    /// Builds parts, except the native program.
    fn build(&self, parts: &[Part]) {
        for step in build::steps(parts) {
            self.schedule.built(&step, &build::build_step(&step, self.finish));
        }
    }

    /// Compiles the program if it is one of the parts, and then the tests in Rust if they run.
    fn compile(&self, parts: &[Part], with_tests: bool) {
        if parts.contains(&Part::Host) {
            self.schedule.built(&[Part::Host], &program::build(self.finish));
        }
        self.schedule.compiled(if with_tests { Tests::compile() } else { Ok(Tests::default()) });
    }

    /// Runs suites one after the other until none is left.
    fn suites(&self) -> Vec<Row> {
        let mut rows = Vec::new();
        while let Some((suite, tests)) = self.schedule.next() {
            rows.push(self.suite(suite, tests));
        }
        rows
    }

    fn suite(&self, suite: Suite, tests: Result<Tests>) -> Row {
        let prepared = tests.and_then(|tests| self.prepare(suite, &tests));
        let start = Instant::now();
        let prefix = if self.prefixed { format!("{:<12} | ", suite.name()) } else { String::new() };
        let tally = prepared
            .and_then(|prepared| run_suite(suite, prepared, &prefix))
            .unwrap_or_else(|error| Tally::broken(&format!("{error:#}")));
        Row { suite, tally, time: start.elapsed() }
    }

    /// Installs what a suite needs.
    fn prepare(&self, suite: Suite, tests: &Tests) -> Result<Prepared> {
        let _alone = self.installing.lock().unwrap_or_else(PoisonError::into_inner);
        say(format!("testing: {}", suite.name()));
        let mut prepared = suite.prepare(tests, self.full)?;
        prepared.set(native::PROGRAM, program::path(self.finish));
        if self.full {
            prepared.set(FULL, "1");
        }
        Ok(prepared)
    }
}

/// Runs a suite, and once more if tests failed that wait for a browser or a server.
///
/// On a busy machine such a wait can fail for no fault of the code. A test fails if it fails in both runs. A test that
/// failed in one of them is unsteady, for somebody to find its cause; [`Tally::verdict`] limits their number.
fn run_suite(suite: Suite, mut prepared: Prepared, prefix: &str) -> Result<Tally> {
    let tally = prepared.run(prefix)?;
    if tally.failed == 0 || !suite.waits() {
        return Ok(tally);
    }
    say(format!("testing once more: {}", suite.name()));
    prepared.repeats();
    Ok(tally.confirmed_by(prepared.run(prefix)?))
}

fn print(table: &[Row]) {
    let heads = ["suite", "passed", "failed", "unsteady", "skipped", "seconds"];
    let [suite, passed, failed, unsteady, skipped, seconds] = heads;
    println!("\n{suite:<14} {passed:>7} {failed:>7} {unsteady:>9} {skipped:>8} {seconds:>8}");
    for Row { suite, tally, time } in table {
        let Tally { passed, failed, unsteady, skipped, .. } = tally;
        let (name, seconds) = (suite.name(), time.as_secs_f64());
        println!("{name:<14} {passed:>7} {failed:>7} {unsteady:>9} {skipped:>8} {seconds:>8.0}");
    }
    for Row { suite, tally, .. } in table {
        for remark in &tally.remarks {
            println!("{}: {remark}", suite.name());
        }
    }
    println!();
}
