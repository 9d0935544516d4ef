//! Counting tests by what the test runners print.

use std::{
    collections::VecDeque,
    fmt,
    io::{BufRead, BufReader},
    process::{ChildStderr, Command, Stdio},
    thread,
};

use anyhow::{Context, Result};

use crate::shell::{shown, target};

/// The variable of `textveil serve` with the folder of compiled components. All tests share one: each start of the service
/// would compile it anew in a state folder of its own.
const CACHE: &str = "TEXTVEIL_CACHE_DIR";

/// The number of lines of a broken runner's output that the report has.
const LAST: usize = 5;

/// Passes on what a runner writes to its standard error, and returns the last lines.
fn last_lines(errors: ChildStderr, prefix: &str) -> String {
    let mut last = VecDeque::new();
    for line in BufReader::new(errors).lines().map_while(Result::ok) {
        eprintln!("{prefix}{line}");
        last.push_back(line);
        if last.len() > LAST {
            last.pop_front();
        }
    }
    Vec::from(last).join(" | ")
}

/// Counts of test outcomes, with messages for the report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub passed: usize,
    pub failed: usize,
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
                write!(f, "unsteady: {test}{details} (it passed when the suite ran once more)")
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

    /// The outcome of a suite that ran once more since tests of it failed: a test fails if it fails in both runs.
    pub fn confirmed_by(self, again: Self) -> Self {
        let fails_in = |tally: &Self, failure: &Failure| {
            tally
                .remarks
                .iter()
                .any(|remark| matches!(remark, Remark::Failed(other) if other.test == failure.test))
        };
        if self.remarks.iter().any(|remark| matches!(remark, Remark::Failed(it) if fails_in(&again, it))) {
            return self;
        }
        let failures = self.remarks.into_iter().filter(|remark| matches!(remark, Remark::Failed(_)));
        let remarks = failures.chain(again.remarks).map(|remark| match remark {
            Remark::Failed(failure) => Remark::Unsteady(failure),
            other => other,
        });
        let (passed, skipped) = (again.passed + again.failed, again.skipped);
        Self { passed, failed: 0, skipped, remarks: remarks.collect() }
    }

    /// Both together.
    pub fn and(mut self, other: Self) -> Self {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
        self.remarks.extend(other.remarks);
        self
    }

    /// Runs test runners, prints their output and counts the results. Each printed line begins with `prefix`. A runner
    /// that fails without a failed test counts as a failure, as do runners without a test in any of them.
    pub fn of(commands: &mut [Command], prefix: &str) -> Result<Self> {
        let mut sum = Self::default();
        for command in &mut *commands {
            sum = sum.and(Self::of_runner(command, prefix)?);
        }
        if sum.passed + sum.failed + sum.skipped == 0 {
            let names: Vec<_> = commands.iter().map(|command| format!("`{}`", shown(command))).collect();
            return Ok(Self::broken(&format!("{} ran no test", names.join(", "))));
        }
        Ok(sum)
    }

    fn of_runner(command: &mut Command, prefix: &str) -> Result<Self> {
        let name = shown(command);
        let mut child = command
            .env(CACHE, target().join("xtask/compiled"))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start `{name}`; is it installed?"))?;
        let of_errors = prefix.to_owned();
        let errors = child.stderr.take().map(|errors| thread::spawn(move || last_lines(errors, &of_errors)));
        let mut reader = Reader::default();
        if let Some(printed) = child.stdout.take() {
            for line in BufReader::new(printed).lines() {
                let line = line?;
                println!("{prefix}{line}");
                reader.read(&line);
            }
        }
        let tally = reader.tally;
        let status = child.wait()?;
        let errors = errors.and_then(|errors| errors.join().ok()).unwrap_or_default();
        if !status.success() && tally.failed == 0 {
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
            // the reporter `spec` writes the time behind the name
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

    /// Takes a line of the report of a failed test: adds its time and its error to the remark.
    fn read_report(&mut self, line: &str) {
        let Some(Remark::Failed(Failure { details, .. })) = self.tally.remarks.last_mut() else { return };
        if line == "..." {
            self.report = Report::None;
        } else if self.report == Report::Error && !line.starts_with("code: ") && !line.starts_with("stack: ")
        {
            details.push_str(" | ");
            details.push_str(line);
        } else if self.report == Report::Rest {
            // until its end
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

    fn tally_of(printed: &str) -> Tally {
        let mut reader = Reader::default();
        printed.lines().for_each(|line| reader.read(line));
        reader.tally
    }

    fn counts(tally: &Tally) -> [usize; 3] {
        [tally.passed, tally.failed, tally.skipped]
    }

    fn said(tally: &Tally) -> Vec<String> {
        tally.remarks.iter().map(Remark::to_string).collect()
    }

    #[test]
    fn a_test_fails_if_it_fails_in_both_runs() {
        let run = |counts: [usize; 2], failures: &[&str]| {
            let mut tally = Tally { passed: counts[0], failed: counts[1], ..Tally::default() };
            failures.iter().for_each(|test| tally.fails(test, format!(" ({} ms)", counts[0])));
            tally
        };
        let failed = run([3, 2], &["a", "b"]);
        for again in [run([3, 2], &["a", "b"]), run([4, 1], &["b"])] {
            assert_eq!(failed.clone().confirmed_by(again), failed);
        }
        let [a, b, c] = ["a (3 ms)", "b (3 ms)", "c (4 ms)"]
            .map(|test| format!("unsteady: {test} (it passed when the suite ran once more)"));
        for (again, remarks) in [(run([5, 0], &[]), vec![&a, &b]), (run([4, 1], &["c"]), vec![&a, &b, &c])] {
            let tally = failed.clone().confirmed_by(again);
            assert_eq!((counts(&tally), said(&tally).iter().collect()), ([5, 0, 0], remarks));
        }
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
             \x20   ok 4 - c\n      ---\n      duration_ms: 4\n      ...\n# pass 2\n# fail 2",
        );
        let remarks = vec![
            "failed: 2 - a (1.6 ms): '1 == 2'".to_owned(),
            "failed: 3 - b (3 ms) | Timeout 30000ms exceeded. | - locator: #b".to_owned(),
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
