//! Regular expressions with counted steps.
//!
//! A caller's pattern is matched with a budget, so its steps must be counted while it reads. No library does so: the
//! time of `regex-lite` is bounded by states × text, which is a second for a pattern that usually takes a millisecond.
//! The syntax and the matches are those of `regex-lite`, against which a test compares every construct.
//!
//! [`parse`] reads the syntax into a tree, [`program`] compiles it into states, [`search`] runs them side by side.

mod class;
mod look;
mod parse;
mod program;
mod search;
#[cfg(test)]
mod tests;

use std::{
    ops::Range,
    sync::{Mutex, PoisonError},
};

use program::Program;
use search::Threads;

/// Why a pattern was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It is not a regular expression, or uses a construct that is not supported.
    Syntax,
    /// It has too many states.
    Size,
}

/// Counts the steps of searches, up to a limit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meter {
    taken: u64,
    limit: u64,
}

impl Meter {
    /// Creates a meter for at most this many steps.
    pub fn new(limit: u64) -> Self {
        Self { taken: 0, limit }
    }

    /// Returns the steps taken.
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// Whether more steps were taken than allowed.
    pub fn is_spent(&self) -> bool {
        self.taken > self.limit
    }

    fn add(&mut self, steps: usize) {
        self.taken += steps as u64;
    }
}

/// A compiled regular expression.
pub(crate) struct Pattern {
    program: Program,
    /// The memory of a search, kept for the next one.
    threads: Mutex<Option<Threads>>,
}

impl Pattern {
    /// Compiles a regular expression of at most `limit` states.
    ///
    /// A state takes at most 16 bytes. A search visits each state at most once a character.
    ///
    /// # Errors
    /// [`Fault`]
    pub fn new(written: &str, limit: usize) -> Result<Self, Fault> {
        let program = Program::new(&parse::parse(written)?, limit)?;
        Ok(Self { program, threads: Mutex::new(None) })
    }

    /// Returns the number of states.
    pub fn states(&self) -> usize {
        self.program.states()
    }

    /// Returns the leftmost match from `from` on.
    ///
    /// Returns `None`, too, when the meter is spent.
    pub fn find(&self, text: &str, from: usize, meter: &mut Meter) -> Option<Range<usize>> {
        let kept = self.threads.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut threads = kept.unwrap_or_default();
        let found = search::find(&self.program, text, from, &mut threads, meter);
        *self.threads.lock().unwrap_or_else(PoisonError::into_inner) = Some(threads);
        found
    }

    /// Returns the next match that has characters, and moves `from` to its end.
    pub fn next(&self, text: &str, from: &mut usize, meter: &mut Meter) -> Option<Range<usize>> {
        loop {
            let found = self.find(text, *from, meter)?;
            *from = found.end;
            if !found.is_empty() {
                return Some(found);
            }
            *from += text.get(found.end..)?.chars().next()?.len_utf8();
        }
    }

    /// Whether the leftmost match is the whole text.
    pub fn is_whole(&self, text: &str, meter: &mut Meter) -> bool {
        self.find(text, 0, meter) == Some(0..text.len())
    }
}
