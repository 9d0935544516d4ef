//! The order of suites: the longest one that is ready runs next.

use std::{
    collections::BTreeMap,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
};

use anyhow::{Result, bail};

use super::{native::Tests, suites::Suite};
use crate::build::{self, Part};

/// The suites that wait for what they test, shared by the threads that run them.
pub struct Schedule {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// Longest first: a long suite that begins last would run alone.
    waiting: Vec<Suite>,
    /// The parts that were built, or the reason why they were not.
    built: BTreeMap<Part, Result<(), String>>,
    /// The tests in Rust once they are compiled, or the reason why they were not.
    tests: Option<Result<Tests, String>>,
}

impl Schedule {
    /// Plans suites, none of which is ready before its parts are.
    pub fn of(mut suites: Vec<Suite>) -> Self {
        suites.sort_by_key(|suite| std::cmp::Reverse(suite.seconds()));
        let state = State { waiting: suites, built: BTreeMap::new(), tests: None };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Notes parts that were built, or could not be.
    pub fn built(&self, parts: &[Part], result: &Result<()>) {
        let result = result.as_ref().map_err(|error| format!("{error:#}")).copied();
        self.change(|state| state.built.extend(parts.iter().map(|part| (*part, result.clone()))));
    }

    /// Notes the tests in Rust, or the reason why they were not compiled.
    pub fn compiled(&self, tests: Result<Tests>) {
        self.change(|state| state.tests = Some(tests.map_err(|error| format!("{error:#}"))));
    }

    /// Waits until a suite is ready, and returns it with the tests in Rust, or with the reason why it cannot run.
    /// Returns `None` when no suite is left.
    pub fn next(&self) -> Option<(Suite, Result<Tests>)> {
        let is_waiting = |state: &mut State| !state.waiting.is_empty() && state.first_ready().is_none();
        let mut state =
            self.changed.wait_while(self.lock(), is_waiting).unwrap_or_else(PoisonError::into_inner);
        let at = state.first_ready()?;
        let suite = state.waiting.remove(at);
        Some((suite, state.tests_of(suite)))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.lock());
        self.changed.notify_all();
    }
}

impl State {
    fn first_ready(&self) -> Option<usize> {
        self.waiting.iter().position(|suite| self.is_ready(*suite))
    }

    fn is_ready(&self, suite: Suite) -> bool {
        let is_built = |part| self.built.contains_key(part);
        build::with_dependencies(&suite.parts()).iter().all(is_built)
            && (self.tests.is_some() || !suite.is_native())
    }

    fn tests_of(&self, suite: Suite) -> Result<Tests> {
        for part in build::with_dependencies(&suite.parts()) {
            if let Some(Err(error)) = self.built.get(&part) {
                bail!("the build failed: {error}");
            }
        }
        match &self.tests {
            Some(Ok(tests)) => Ok(tests.clone()),
            Some(Err(error)) if suite.is_native() => bail!("the tests were not compiled: {error}"),
            Some(Err(_)) | None => Ok(Tests::default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;

    /// Returns the suite that is ready now, without waiting for another.
    fn ready(schedule: &Schedule) -> Option<Suite> {
        schedule.lock().first_ready()?;
        schedule.next().map(|(suite, _)| suite)
    }

    #[test]
    fn the_longest_suite_that_is_ready_is_next() {
        let schedule = Schedule::of(vec![Suite::Docs, Suite::Prose, Suite::Rust, Suite::Examples]);
        assert_eq!(ready(&schedule), Some(Suite::Prose));
        assert_eq!(ready(&schedule), None);
        schedule.built(&[Part::Npm, Part::Docs], &Ok(()));
        assert_eq!(ready(&schedule), Some(Suite::Examples));
        // the program and its component are needed, too
        assert_eq!(ready(&schedule), None);
        schedule.built(&[Part::Component, Part::Host], &Ok(()));
        schedule.compiled(Ok(Tests::default()));
        assert_eq!(ready(&schedule), Some(Suite::Rust));
        assert_eq!(ready(&schedule), Some(Suite::Docs));
        assert!(schedule.next().is_none());
    }

    #[test]
    fn a_suite_whose_parts_were_not_built_is_next_with_the_reason() {
        let schedule = Schedule::of(vec![Suite::Jco, Suite::Rust, Suite::Prose]);
        schedule.built(&[Part::Component], &Err(anyhow!("no compiler")));
        schedule.compiled(Err(anyhow!("no linker")));
        let mut reasons = BTreeMap::new();
        while let Some((suite, tests)) = schedule.next() {
            reasons.insert(suite, tests.err().map(|error| error.to_string()));
        }
        let reason = |text: &str| Some(text.to_owned());
        assert_eq!(
            reasons,
            BTreeMap::from([
                (Suite::Jco, reason("the build failed: no compiler")),
                (Suite::Rust, reason("the tests were not compiled: no linker")),
                (Suite::Prose, None),
            ])
        );
    }
}
