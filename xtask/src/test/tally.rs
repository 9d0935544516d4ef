//! Counting tests by what the test runners print.

use std::{
    collections::VecDeque,
    fmt,
    io::{BufRead, BufReader, Read},
    path::Path,
    process::{Command, Stdio},
    sync::mpsc::{self, RecvTimeoutError, Sender},
    thread,
    time::Duration,
};

use anyhow::{Context, Result, bail};

use crate::shell::{root, shown, target};

/// The variable of `textveil serve` with the folder of compiled components. All tests share one: each start of the service
/// would compile it anew in a state folder of its own.
const CACHE: &str = "TEXTVEIL_CACHE_DIR";

/// The number of lines of a broken runner's output that the report has.
const LAST: usize = 5;

/// The most tests of a run that may fail at first and pass when their suite runs once more. One is bad luck on a busy
/// machine; with three, a failure says nothing any more.
const MAX_UNSTEADY: usize = 2;

/// The time after which a runner that prints nothing is ended: a test that hangs must not take the report with it.
const SILENCE: Duration = Duration::from_secs(10 * 60);

/// A line of a runner.
enum Line {
    Printed(String),
    /// It was written to the standard error.
    Warned(String),
}

/// Sends the lines of a stream until it ends, from a thread of its own.
fn send_lines(stream: impl Read + Send + 'static, to: Sender<Line>, kind: fn(String) -> Line) {
    thread::spawn(move || {
        for line in BufReader::new(stream).split(b'\n').map_while(Result::ok) {
            // a byte that is no text must not end the count
            if to.send(kind(String::from_utf8_lossy(&line).into_owned())).is_err() {
                break;
            }
        }
    });
}

/// Counts of test outcomes, with messages for the report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub passed: usize,
    pub failed: usize,
    /// Tests that failed in one run and passed in another; `passed` counts them too.
    pub unsteady: usize,
    pub skipped: usize,
    /// Why something failed or was skipped, for the end.
    pub remarks: Vec<Remark>,
}

/// A line below the table of suites.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remark {
    /// A test failed.
    Failed(Failure),
    /// A test failed in one run and passed in another.
    Unsteady(Failure),
    /// A test or a suite was skipped: its name, if there is one, and the reason.
    Skipped(String),
}

/// A test that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The test as its runner names it: the same in each run.
    test: String,
    /// The details of the failure, as they follow the name; may be empty.
    details: String,
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(Failure { test, details }) => write!(f, "failed: {test}{details}"),
            Self::Unsteady(Failure { test, details }) => {
                write!(f, "unsteady: {test}{details} (it passed in the other run)")
            }
            Self::Skipped(reason) => write!(f, "skipped: {reason}"),
        }
    }
}

/// Reads what a test runner prints, and counts.
#[derive(Default)]
struct Reader {
    tally: Tally,
    report: Report,
}

/// The next part of the report of a failed test, which Node's reporter `tap` writes below the test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Report {
    /// There is no report.
    #[default]
    None,
    /// Its first line, if there is a report.
    Start,
    /// Its keys.
    Keys,
    /// The lines of its error.
    Error,
    /// Lines that say nothing to a reader of the summary.
    Rest,
}

impl Tally {
    /// A suite that could not be run to its end.
    pub fn broken(reason: &str) -> Self {
        let mut tally = Self { failed: 1, ..Self::default() };
        tally.fails("the suite", format!(": {reason}"));
        tally
    }

    /// A suite that this machine cannot run.
    pub fn skipped(reason: &str) -> Self {
        let mut tally = Self { skipped: 1, ..Self::default() };
        tally.skips(reason);
        tally
    }

    /// Notes a failed test. The counts come from the runner.
    fn fails(&mut self, test: &str, details: String) {
        self.remarks.push(Remark::Failed(Failure { test: test.to_owned(), details }));
    }

    /// Notes what was skipped. The counts come from the runner.
    pub fn skips(&mut self, reason: impl Into<String>) {
        self.remarks.push(Remark::Skipped(reason.into()));
    }

    /// Returns the outcome of a suite that ran once more, at least the files with failed tests.
    ///
    /// A test fails if it fails in both runs. A test that fails in one of them passes and is unsteady.
    pub fn confirmed_by(self, again: Self) -> Self {
        // the first run may have ended early, the second may have had the failed files only
        let whole = if self.tests() >= again.tests() { &self } else { &again };
        let mut tally = Self { skipped: whole.skipped, ..Self::default() };
        for failure in self.failures() {
            if again.names(failure) {
                tally.failed += 1;
                tally.remarks.push(Remark::Failed(failure.clone()));
            }
        }
        for (run, other) in [(&self, &again), (&again, &self)] {
            for failure in run.failures().filter(|failure| !other.names(failure)) {
                tally.unsteady += 1;
                tally.remarks.push(Remark::Unsteady(failure.clone()));
            }
        }
        // a failure that a runner counts without a name may have failed in both runs
        tally.failed += self.unnamed().min(again.unnamed());
        tally.passed = (whole.passed + whole.failed).saturating_sub(tally.failed);
        let is_skipped = |remark: &&Remark| matches!(remark, Remark::Skipped(_));
        tally.remarks.extend(whole.remarks.iter().filter(is_skipped).cloned());
        tally
    }

    /// Returns the number of tests, with those that were skipped.
    fn tests(&self) -> usize {
        self.passed + self.failed + self.skipped
    }

    /// Returns the tests that failed.
    fn failures(&self) -> impl Iterator<Item = &Failure> {
        self.remarks.iter().filter_map(|remark| match remark {
            Remark::Failed(failure) => Some(failure),
            Remark::Unsteady(_) | Remark::Skipped(_) => None,
        })
    }

    /// Whether the test of a failure is among those that failed.
    fn names(&self, failure: &Failure) -> bool {
        self.failures().any(|other| other.test == failure.test)
    }

    /// Returns the number of failures that the runner counted without naming the test.
    fn unnamed(&self) -> usize {
        self.failed.saturating_sub(self.failures().count())
    }

    /// Whether the run may pass: no test failed, and at most two are unsteady.
    ///
    /// # Errors
    /// If it may not; the message has the numbers.
    pub fn verdict(&self) -> Result<()> {
        let are_unsteady = self.unsteady > MAX_UNSTEADY;
        let failed = format!("{} test{} failed", self.failed, if self.failed == 1 { "" } else { "s" });
        match (self.failed, are_unsteady) {
            (0, false) => Ok(()),
            (0, true) => bail!("{} tests are unsteady; find what each of them waits for", self.unsteady),
            (_, false) => bail!("{failed}"),
            (_, true) => bail!("{failed} and {} are unsteady", self.unsteady),
        }
    }

    /// Both together.
    pub fn and(mut self, other: Self) -> Self {
        self.passed += other.passed;
        self.failed += other.failed;
        self.unsteady += other.unsteady;
        self.skipped += other.skipped;
        self.remarks.extend(other.remarks);
        self
    }

    /// Runs test runners, prints their output and counts the results. Each printed line begins with `prefix`. A runner
    /// that fails without a failed test counts as a failure, and so does one that prints nothing for [`SILENCE`]. Runners without
    /// a test in any of them are one failure, too.
    pub fn of(commands: &mut [Command], prefix: &str) -> Result<Self> {
        let mut sum = Self::default();
        for command in &mut *commands {
            sum = sum.and(Self::of_runner(command, prefix, SILENCE)?);
        }
        if sum.passed + sum.failed + sum.skipped == 0 {
            let names: Vec<_> = commands.iter().map(|command| format!("`{}`", shown(command))).collect();
            return Ok(Self::broken(&format!("{} ran no test", names.join(", "))));
        }
        Ok(sum)
    }

    /// Runs a test runner until it ends, or prints nothing for `silence`.
    fn of_runner(command: &mut Command, prefix: &str, silence: Duration) -> Result<Self> {
        let name = shown(command);
        let mut child = command
            .env(CACHE, target().join("xtask/compiled"))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start `{name}`; is it installed?"))?;
        let (to, lines) = mpsc::channel();
        send_lines(child.stdout.take().context("it has a standard output")?, to.clone(), Line::Printed);
        send_lines(child.stderr.take().context("it has a standard error")?, to, Line::Warned);
        let mut reader = Reader::default();
        let (mut warnings, mut last) = (VecDeque::new(), String::new());
        loop {
            match lines.recv_timeout(silence) {
                Ok(Line::Printed(line)) => {
                    println!("{prefix}{line}");
                    reader.read(&line);
                    last = line;
                }
                Ok(Line::Warned(line)) => {
                    eprintln!("{prefix}{line}");
                    if warnings.len() == LAST {
                        warnings.pop_front();
                    }
                    warnings.push_back(line);
                }
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    // its own children may keep the streams open: nobody waits for their end
                    child.kill()?;
                    child.wait()?;
                    let error =
                        format!("`{name}` was ended: it printed nothing for {silence:?} after «{last}»");
                    return Ok(reader.tally.and(Self::broken(&error)));
                }
            }
        }
        let tally = reader.tally;
        let status = child.wait()?;
        if !status.success() && tally.failed == 0 {
            let errors = Vec::from(warnings).join(" | ");
            return Ok(tally.and(Self::broken(&format!("`{name}` ended with {status}: {errors}"))));
        }
        Ok(tally)
    }
}

impl Reader {
    /// Takes a line of a test runner: cargo's, node's (its reporters `tap` and `spec`) or pytest's.
    fn read(&mut self, line: &str) {
        let line = line.trim();
        if self.report == Report::Start {
            self.report = if line == "---" { Report::Keys } else { Report::None };
        }
        if self.report != Report::None {
            self.read_report(line);
        } else if let Some(counts) = line.strip_prefix("test result: ").and_then(|rest| rest.split_once(". "))
        {
            for part in counts.1.split(';') {
                if let Some((count, outcome)) = part.trim().split_once(' ') {
                    self.count(outcome, count);
                }
            }
        } else if let Some(counts) = line.strip_prefix("# ").or_else(|| line.strip_prefix("ℹ ")) {
            if let Some((outcome, count)) = counts.split_once(' ') {
                self.count(outcome, count);
            }
        } else if let Some((test, outcome)) =
            line.strip_prefix("test ").and_then(|rest| rest.split_once(" ... "))
        {
            self.remark(test, outcome, "ignored");
            self.remark(test, outcome, "FAILED");
        } else if let Some((test, reason)) = line.split_once(" # SKIP") {
            self.tally.skips(format!("{test}: {}", reason.trim()));
        } else if let Some((test, reason)) = line.strip_prefix("﹣ ").and_then(|rest| rest.split_once(" # "))
        {
            self.tally.skips(format!("{test}: {reason}"));
        } else if let Some(test) = line.strip_prefix("not ok ").or_else(|| line.strip_prefix("✖ ")) {
            // the reporter `tap` writes the number of the test before the name, `spec` the time behind it
            let test = match test.split_once(" - ") {
                Some((number, test)) if number.parse::<usize>().is_ok() => test,
                _ => test,
            };
            let (test, time) = match test.rsplit_once(" (") {
                Some((test, time)) if time.ends_with("ms)") => (test, format!(" ({time}")),
                _ => (test, String::new()),
            };
            self.tally.fails(test, time);
            self.report = Report::Start;
        } else {
            self.read_pytest(line);
        }
    }

    /// Takes a line of the report of a failed test: adds its file, its time and its error to the remark.
    fn read_report(&mut self, line: &str) {
        if line == "..." {
            self.report = Report::None;
            return;
        }
        let Some(Remark::Failed(Failure { test, details })) = self.tally.remarks.last_mut() else { return };
        if line == "failureType: 'subtestsFailed'" && self.report == Report::Keys {
            // the tests in it have remarks of their own
            self.tally.remarks.pop();
            self.report = Report::Rest;
        } else if self.report == Report::Error && !line.starts_with("code: ") && !line.starts_with("stack: ")
        {
            details.push_str(" | ");
            details.push_str(line);
        } else if self.report == Report::Rest {
            // until its end
        } else if let Some(location) = line.strip_prefix("location: '") {
            let file = location.split(':').next().unwrap_or_default();
            let file = Path::new(file).strip_prefix(root("")).unwrap_or(Path::new(file));
            *test = format!("{}: {test}", file.display());
        } else if let Some(time) = line.strip_prefix("duration_ms: ") {
            details.push_str(&format!(" ({time} ms)"));
        } else if let Some(error) = line.strip_prefix("error: ") {
            self.report = if error.starts_with('|') { Report::Error } else { Report::Keys };
            if self.report == Report::Keys {
                details.push_str(": ");
                details.push_str(error);
            }
        } else {
            self.report = if line.starts_with("stack: ") { Report::Rest } else { Report::Keys };
        }
    }

    /// Takes a line of pytest: the counts at its end, or one of the summary above them (`-rfEs`).
    fn read_pytest(&mut self, line: &str) {
        if let Some((counts, time)) = line.trim_matches(['=', ' ']).rsplit_once(" in ")
            && line.starts_with("==")
            && time.split_once('s').is_some_and(|(seconds, _)| seconds.parse::<f64>().is_ok())
        {
            for part in counts.split(", ") {
                if let Some((count, outcome)) = part.split_once(' ') {
                    self.count(outcome, count);
                }
            }
        } else if let Some(parts) = [("SKIPPED [", 2), ("SUBSKIPPED[", 3)]
            .iter()
            .find_map(|(kind, parts)| line.starts_with(kind).then_some(*parts))
        {
            // `SKIPPED [1] gateway/test_readme.py:48: curl is not installed`
            let reason = line.splitn(parts, "] ").last().unwrap_or(line);
            self.tally.skips(reason);
        } else if let Some((_, test)) = line.split_once(' ')
            && ["FAILED ", "ERROR ", "SUBFAILED"].iter().any(|kind| line.starts_with(kind))
            && test.split(' ').any(|word| word.contains(".py::") || word.ends_with(".py"))
        {
            let (test, error) = test.split_once(" - ").unwrap_or((test, ""));
            self.tally.fails(test, if error.is_empty() { String::new() } else { format!(" - {error}") });
        }
    }

    fn count(&mut self, outcome: &str, count: &str) {
        let Ok(count) = count.parse::<usize>() else { return };
        match outcome {
            "passed" | "pass" => self.tally.passed += count,
            "failed" | "fail" | "cancelled" | "error" | "errors" => self.tally.failed += count,
            "ignored" | "skipped" | "todo" | "xfailed" => self.tally.skipped += count,
            _ => {}
        }
    }

    fn remark(&mut self, test: &str, outcome: &str, wanted: &str) {
        if let Some(reason) = outcome.strip_prefix(wanted) {
            let reason = reason.trim_start_matches(',').trim();
            let reason = if reason.is_empty() { String::new() } else { format!(" {reason}") };
            match wanted {
                "FAILED" => self.tally.fails(test, reason),
                _ => self.tally.skips(format!("{test}{reason}")),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_runner_is_quoted() {
        let mut command = Command::new("sh");
        command.args(["-c", "for line in 1 2 3 4 5 6; do echo line $line >&2; done; exit 3"]);
        let tally = Tally::of(&mut [command], "").unwrap();
        assert_eq!(tally.failed, 1);
        let said = tally.remarks[0].to_string();
        assert!(said.ends_with("line 2 | line 3 | line 4 | line 5 | line 6"), "{said}");
    }

    #[test]
    fn bytes_that_are_no_text_do_not_end_the_count() {
        let script =
            r"printf '\377\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n'";
        let mut command = crate::shell::command("sh", ["-c", script]);
        assert_eq!(counts(&Tally::of_runner(&mut command, "", SILENCE).unwrap()), [2, 0, 0]);
    }

    #[test]
    fn a_runner_that_hangs_is_ended_and_fails() {
        // a child of the runner keeps the streams open
        let script = "echo 'test a ... ok'; echo 'test b'; sleep 100 & sleep 100";
        let mut command = crate::shell::command("sh", ["-c", script]);
        let tally = Tally::of_runner(&mut command, "", Duration::from_millis(500)).unwrap();
        assert_eq!(tally.failed, 1);
        let said = said(&tally).join("\n");
        assert!(said.contains("printed nothing for 500ms after «test b»"), "{said}");
    }

    fn tally_of(printed: &str) -> Tally {
        let mut reader = Reader::default();
        printed.lines().for_each(|line| reader.read(line));
        reader.tally
    }

    /// Returns the counts in the order of the table, without `unsteady`, which only two runs have.
    fn counts(tally: &Tally) -> [usize; 3] {
        [tally.passed, tally.failed, tally.skipped]
    }

    fn said(tally: &Tally) -> Vec<String> {
        tally.remarks.iter().map(Remark::to_string).collect()
    }

    #[test]
    fn a_test_that_fails_in_one_of_two_runs_is_unsteady() {
        let run = |passed: usize, failures: &[&str]| {
            let mut tally = Tally { passed, failed: failures.len(), skipped: 1, ..Tally::default() };
            failures.iter().for_each(|test| tally.fails(test, format!(" ({passed} ms)")));
            tally.skips("d");
            tally
        };
        let first = || run(3, &["a", "b"]);
        for (again, wanted, failed, unsteady) in [
            (run(3, &["a", "b"]), [3, 2], vec!["a (3 ms)", "b (3 ms)"], vec![]),
            (run(4, &["b"]), [4, 1], vec!["b (3 ms)"], vec!["a (3 ms)"]),
            (run(5, &[]), [5, 0], vec![], vec!["a (3 ms)", "b (3 ms)"]),
            (run(4, &["c"]), [5, 0], vec![], vec!["a (3 ms)", "b (3 ms)", "c (4 ms)"]),
            // only the files with failed tests ran once more
            (run(1, &["b"]), [4, 1], vec!["b (3 ms)"], vec!["a (3 ms)"]),
        ] {
            let tally = first().confirmed_by(again);
            let failed = failed.iter().map(|test| format!("failed: {test}"));
            let remarks =
                unsteady.iter().map(|test| format!("unsteady: {test} (it passed in the other run)"));
            let skipped = "skipped: d".to_owned();
            assert_eq!(said(&tally), failed.chain(remarks).chain([skipped]).collect::<Vec<_>>());
            assert_eq!(([tally.passed, tally.failed], tally.unsteady), (wanted, unsteady.len()));
            assert_eq!(tally.skipped, 1);
        }
    }

    #[test]
    fn a_suite_that_ended_early_is_unsteady_and_counts_as_the_whole_run() {
        let first = Tally { passed: 2, ..Tally::default() }.and(Tally::broken("it ended"));
        let tally = first.clone().confirmed_by(Tally { passed: 9, skipped: 1, ..Tally::default() });
        assert_eq!((counts(&tally), tally.unsteady), ([9, 0, 1], 1));
        let tally = first.confirmed_by(Tally::broken("it ended later"));
        assert_eq!((counts(&tally), tally.unsteady), ([2, 1, 0], 0));
    }

    #[test]
    fn a_failure_without_a_name_is_not_taken_for_unsteady() {
        let first = Tally { passed: 2, failed: 1, ..Tally::default() };
        assert_eq!(counts(&first.clone().confirmed_by(first)), [2, 1, 0]);
    }

    #[test]
    fn three_unsteady_tests_fail_a_run() {
        let run = |failed, unsteady| Tally { passed: 9, failed, unsteady, ..Tally::default() };
        for (tally, verdict) in [
            (run(0, 0), Ok(())),
            (run(0, 2), Ok(())),
            (run(0, 3), Err("3 tests are unsteady; find what each of them waits for")),
            (run(2, 0), Err("2 tests failed")),
            (run(1, 3), Err("1 test failed and 3 are unsteady")),
        ] {
            assert_eq!(tally.verdict().map_err(|error| error.to_string()), verdict.map_err(str::to_owned));
        }
        // of all suites together
        assert!(run(0, 2).and(run(0, 1)).verdict().is_err());
    }

    #[test]
    fn cargo_is_counted() {
        let tally = tally_of(
            "running 3 tests\n\
             test a ... ok\n\
             test b ... ignored, needs a network\n\
             test c ... FAILED\n\
             test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\
             test result: ok. 4 passed; 0 failed; 0 ignored; 0 measured; 2 filtered out; finished in 0.00s",
        );
        let remarks = vec!["skipped: b needs a network".to_owned(), "failed: c".to_owned()];
        assert_eq!(counts(&tally), [5, 1, 1]);
        assert_eq!(said(&tally), remarks);
    }

    #[test]
    fn node_is_counted_in_both_reporters() {
        let tap = tally_of(
            "not ok 2 - b\nok 3 - c # SKIP no browser\n# tests 3\n# pass 1\n# fail 1\n# cancelled 0\n# skipped 1",
        );
        let spec = tally_of(
            "✖ b (1.2ms)\n﹣ c (0.1ms) # no browser\nℹ tests 3\nℹ pass 1\nℹ fail 1\nℹ cancelled 0\nℹ skipped 1",
        );
        for tally in [&tap, &spec] {
            assert_eq!(
                (tally.passed, tally.failed, tally.skipped, tally.remarks.len()),
                (1, 1, 1, 2),
                "{tally:?}"
            );
        }
    }

    #[test]
    fn the_errors_of_node_are_in_the_remarks() {
        let tally = tally_of(
            "    ok 1 - z\n      ---\n      duration_ms: 1.5\n      ...\n\
             \x20   not ok 2 - a\n      ---\n      duration_ms: 1.6\n      location: '/a.mjs:3:23'\n      error: '1 == 2'\n\
             \x20     code: 'ERR_ASSERTION'\n      stack: |-\n        TestContext.<anonymous>\n        error: no\n      ...\n\
             \x20   not ok 3 - b\n      ---\n      duration_ms: 3\n      error: |-\n        Timeout 30000ms exceeded.\n\
             \x20         - locator: #b\n      code: 'ERR_TEST_FAILURE'\n      ...\n\
             \x20   ok 4 - c\n      ---\n      duration_ms: 4\n      ...\n\
             not ok 1 - a suite\n  ---\n  duration_ms: 9\n  type: 'suite'\n  location: '/a.mjs:1:1'\n\
             \x20 failureType: 'subtestsFailed'\n  error: '2 subtests failed'\n  code: 'ERR_TEST_FAILURE'\n  ...\n\
             # pass 2\n# fail 2",
        );
        let remarks = vec![
            "failed: /a.mjs: a (1.6 ms): '1 == 2'".to_owned(),
            "failed: b (3 ms) | Timeout 30000ms exceeded. | - locator: #b".to_owned(),
        ];
        assert_eq!(counts(&tally), [2, 2, 0]);
        assert_eq!(said(&tally), remarks);
    }

    #[test]
    fn pytest_is_counted() {
        let tally = tally_of(
            "=== test session starts ===\n\
             clients/test_readme.py::ReadmeTest::test_curl SKIPPED (curl is not installed)    [ 50%]\n\
             clients/test_b.py::BTest::test_c FAILED                                          [100%]\n\
             ERROR    root:client.py:12 a line of a log\n\
             === short test summary info ===\n\
             SKIPPED [1] clients/test_readme.py:48: curl is not installed\n\
             SUBSKIPPED[a value] [1] clients/test_readme.py:50: [no] curl\n\
             SUBFAILED[a value] clients/test_b.py::BTest::test_a - AssertionError: 1 != 3\n\
             FAILED clients/test_b.py::BTest::test_c - AssertionError: 1 != 2\n\
             ERROR clients/test_d.py - ImportError: no module\n\
             === 2 failed, 5 passed, 2 skipped, 3 deselected, 2 warnings, 9 subtests passed, 1 error in 62.03s (0:01:02) ===",
        );
        let remarks = vec![
            "skipped: clients/test_readme.py:48: curl is not installed".to_owned(),
            "skipped: clients/test_readme.py:50: [no] curl".to_owned(),
            "failed: value] clients/test_b.py::BTest::test_a - AssertionError: 1 != 3".to_owned(),
            "failed: clients/test_b.py::BTest::test_c - AssertionError: 1 != 2".to_owned(),
            "failed: clients/test_d.py - ImportError: no module".to_owned(),
        ];
        assert_eq!(counts(&tally), [5, 3, 2]);
        assert_eq!(said(&tally), remarks);
        assert_eq!(tally_of("=== no tests ran in 0.01s ==="), Tally::default());
    }

    #[test]
    fn a_runner_that_breaks_or_runs_nothing_fails() {
        for script in ["exit 3", "echo nothing to do"] {
            let tally = Tally::of(&mut [crate::shell::command("sh", ["-c", script])], "").unwrap();
            assert_eq!((tally.passed, tally.failed), (0, 1), "{script}");
        }
        let tally = Tally::of(
            &mut [crate::shell::command("sh", ["-c", "echo '# pass 2'; echo '# fail 1'; exit 1"])],
            "",
        )
        .unwrap();
        assert_eq!((tally.passed, tally.failed), (2, 1));
    }
}
