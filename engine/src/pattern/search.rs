//! Searches a text with all states of a pattern side by side.
//!
//! This is the construction of Thompson with the priorities of Pike: each state is visited at most once a
//! character, and of the matches that begin first, the one that a backtracking search finds first wins.

use std::{mem, ops::Range};

use super::{
    Meter,
    program::{Program, State},
};

/// The furthest that a search reads behind a match for a longer one, in bytes. Otherwise, a pattern such as `a.*b|a`
/// reads the rest of a line again from each `a`.
const MAX_AHEAD: usize = 2_048;
/// Skipped bytes that take the time of a step.
const SKIPPED: usize = 8;

/// A state that waits for a character, with the start of its match.
#[derive(Clone, Copy)]
struct Thread {
    state: usize,
    start: usize,
}

/// The memory of a search.
#[derive(Default)]
pub(super) struct Threads {
    now: Vec<Thread>,
    next: Vec<Thread>,
    /// The round in which each state was last visited.
    visited: Vec<u64>,
    round: u64,
    open: Vec<usize>,
}

/// Returns the leftmost match from `from` on.
pub(super) fn find(
    program: &Program,
    text: &str,
    from: usize,
    threads: &mut Threads,
    meter: &mut Meter,
) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let mut at = from;
    let mut found: Option<Range<usize>> = None;
    threads.now.clear();
    threads.visited.resize(program.states(), 0);
    loop {
        if threads.now.is_empty() {
            if found.is_some() || (program.is_anchored() && at > 0) {
                break;
            }
            let rest = bytes.get(at..)?;
            let skipped = program.skip(rest);
            meter.add(skipped.unwrap_or(rest.len()) / SKIPPED);
            at += skipped?;
            // conditions that failed at an earlier place are asked again
            threads.round += 1;
        }
        if found.is_none() && (at == 0 || !program.is_anchored()) {
            let Threads { now, visited, round, open, .. } = threads;
            let mut walk = Walk { program, bytes, at, reached: now, visited, round: *round, open, meter };
            walk.follow(Thread { state: 0, start: at });
        }
        let letter = text.get(at..)?.chars().next();
        let after = at + letter.map_or(0, char::len_utf8);
        let Threads { now, next, visited, round, open } = threads;
        *round += 1;
        next.clear();
        meter.add(1 + now.len());
        let mut walk = Walk { program, bytes, at: after, reached: next, visited, round: *round, open, meter };
        for thread in now.iter() {
            let reads = match (program.state(thread.state), letter) {
                (Some(State::Match), _) => {
                    found = Some(thread.start..at);
                    break;
                }
                (Some(State::Char(wanted)), Some(letter)) => wanted == letter,
                (Some(State::Class(class)), Some(letter)) => program.class_contains(class, letter),
                _ => false,
            };
            if reads {
                walk.follow(Thread { state: thread.state + 1, ..*thread });
            }
        }
        mem::swap(now, next);
        if meter.is_spent() {
            return None;
        }
        if letter.is_none() || found.as_ref().is_some_and(|found| at > found.end + MAX_AHEAD) {
            break;
        }
        at = after;
    }
    found
}

/// A walk over the states that need no character.
struct Walk<'s> {
    program: &'s Program,
    bytes: &'s [u8],
    at: usize,
    reached: &'s mut Vec<Thread>,
    visited: &'s mut [u64],
    round: u64,
    open: &'s mut Vec<usize>,
    meter: &'s mut Meter,
}

impl Walk<'_> {
    /// Adds the states that a thread reaches, in their priority.
    fn follow(&mut self, thread: Thread) {
        self.open.push(thread.state);
        while let Some(mut state) = self.open.pop() {
            while let Some(visited) = self.visited.get_mut(state).filter(|visited| **visited != self.round) {
                *visited = self.round;
                self.meter.add(1);
                match self.program.state(state) {
                    Some(State::Jump(to)) => state = to as usize,
                    Some(State::Split(first, second)) => {
                        self.open.push(second as usize);
                        state = first as usize;
                    }
                    Some(State::Look(look)) if look.holds(self.bytes, self.at) => state += 1,
                    Some(State::Look(_)) | None => break,
                    Some(State::Char(_) | State::Class(_) | State::Match) => {
                        self.reached.push(Thread { state, ..thread });
                        break;
                    }
                }
            }
        }
    }
}
