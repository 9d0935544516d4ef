//! `cargo xtask test`: runs every test there is and sums up.

mod native;
mod suites;
mod tally;

use std::{
    collections::BTreeMap,
    panic::resume_unwind,
    sync::{Condvar, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Result, bail};

use native::Tests;
use suites::{Lane, Prepared, Suite};
use tally::Tally;

use crate::{
    build::{self, Finish, Part},
    program,
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
    /// Also run what takes long: whole samples instead of parts of them, a second browser, and the suites `evaluation` and `schemathesis`
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

/// Runs the requested suites; a failing one does not stop the others.
///
/// Builds the shipped files beside the tests in Rust. A suite starts when its files are built and the suite before it in
/// its lane is done: linkers and browsers leave processors idle.
///
/// # Errors
/// If a test failed.
pub fn run(arguments: &Arguments) -> Result<()> {
    let suites = if arguments.only.is_empty() { Suite::all(arguments.full) } else { arguments.only.clone() };
    let start = Instant::now();
    let parts: Vec<_> = suites.iter().flat_map(|suite| suite.parts()).collect();
    let in_lane = |lane| suites.iter().copied().filter(move |suite| suite.lane() == lane).collect::<Vec<_>>();
    let (mut browsers, others) = (in_lane(Lane::Browser), in_lane(Lane::Other));
    // suites whose files are built early, first
    browsers.sort_by_key(|suite| suite.parts().len());
    let run = Run {
        prefixed: !browsers.is_empty() && !others.is_empty(),
        full: arguments.full,
        finish: if arguments.shipped { Finish::Shipped } else { Finish::Quick },
        ..Run::default()
    };
    let mut table = thread::scope(|threads| {
        threads.spawn(|| run.build(&parts));
        let tests = threads.spawn(|| run.compile(&parts, suites.iter().any(|suite| suite.is_native())));
        let beside = threads.spawn(|| run.suites(browsers, &Ok(Tests::default())));
        let tests = joined(tests.join());
        let mut rows = run.suites(others, &tests);
        rows.extend(joined(beside.join()));
        rows
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
#[derive(Default)]
struct Run {
    /// Whether each line begins with the name of its suite, since lines of other suites come between.
    prefixed: bool,
    full: bool,
    finish: Finish,
    /// The parts that were built, or the reason why they were not.
    built: Mutex<BTreeMap<Part, Result<(), String>>>,
    one_more: Condvar,
    /// Held by what installs packages.
    installing: Mutex<()>,
}

impl Run {
    /// Builds parts, except the native program.
    fn build(&self, parts: &[Part]) {
        for step in build::steps(parts) {
            self.done(&step, &build::build_step(&step, self.finish));
        }
    }

    /// Compiles the program if it is one of the parts, and then the tests in Rust if they run.
    fn compile(&self, parts: &[Part], with_tests: bool) -> Result<Tests> {
        if parts.contains(&Part::Host) {
            self.done(&[Part::Host], &program::build(self.finish));
        }
        if with_tests { Tests::compile() } else { Ok(Tests::default()) }
    }

    fn done(&self, parts: &[Part], result: &Result<()>) {
        let result = result.as_ref().map_err(|error| format!("{error:#}")).copied();
        let mut built = self.built.lock().unwrap_or_else(PoisonError::into_inner);
        built.extend(parts.iter().map(|part| (*part, result.clone())));
        self.one_more.notify_all();
    }

    /// Waits until parts are built.
    fn wait_for(&self, parts: &[Part]) -> Result<()> {
        let parts = build::with_dependencies(parts);
        let built = self.built.lock().unwrap_or_else(PoisonError::into_inner);
        let missing = |built: &mut BTreeMap<_, _>| parts.iter().any(|part| !built.contains_key(part));
        let built = self.one_more.wait_while(built, missing).unwrap_or_else(PoisonError::into_inner);
        for part in &parts {
            if let Some(Err(error)) = built.get(part) {
                bail!("the build failed: {error}");
            }
        }
        Ok(())
    }

    /// Runs suites one after the other.
    fn suites(&self, suites: Vec<Suite>, tests: &Result<Tests>) -> Vec<Row> {
        suites.into_iter().map(|suite| self.suite(suite, tests)).collect()
    }

    fn suite(&self, suite: Suite, tests: &Result<Tests>) -> Row {
        let prepared = self.prepare(suite, tests);
        let start = Instant::now();
        let prefix = if self.prefixed { format!("{:<12} | ", suite.name()) } else { String::new() };
        let tally = prepared
            .and_then(|prepared| run_suite(suite, prepared, &prefix))
            .unwrap_or_else(|error| Tally::broken(&format!("{error:#}")));
        Row { suite, tally, time: start.elapsed() }
    }

    /// Installs what a suite needs when what it tests is built.
    fn prepare(&self, suite: Suite, tests: &Result<Tests>) -> Result<Prepared> {
        let tests = match tests {
            Err(error) if suite.is_native() => bail!("the tests were not compiled: {error:#}"),
            Err(_) => &Tests::default(),
            Ok(tests) => tests,
        };
        self.wait_for(&suite.parts())?;
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
