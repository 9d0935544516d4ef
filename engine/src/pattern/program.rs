//! States of a pattern.

use super::{Fault, class::Class, look::Look, parse::Node};

/// A state. After a character, a set or a condition, the next state follows.
#[derive(Clone, Copy, Debug)]
pub(super) enum State {
    /// Reads this character.
    Char(char),
    /// Reads a character of this set, by its number.
    Class(u32),
    /// Continues if the condition holds.
    Look(Look),
    /// Continues with the first and with the second state; the first has priority.
    Split(u32, u32),
    /// Continues with another state.
    Jump(u32),
    /// Ends a match.
    Match,
}

/// The states of a pattern, with the characters that a match may begin with.
pub(super) struct Program {
    states: Vec<State>,
    classes: Vec<Class>,
    /// Most states.
    limit: usize,
    first: First,
    /// A match can begin at the start of the text only.
    anchored: bool,
}

/// The first bytes of matches.
#[derive(Default)]
struct First {
    ascii: u128,
    /// Matches may begin beyond ASCII.
    others: bool,
    /// Matches may be empty.
    empty: bool,
}

impl Program {
    /// Compiles a tree into at most `limit` states.
    pub fn new(node: &Node, limit: usize) -> Result<Self, Fault> {
        let mut program =
            Self { states: Vec::new(), classes: Vec::new(), limit, first: First::default(), anchored: false };
        program.add(node)?;
        program.push(State::Match)?;
        program.anchored = matches!(program.states.first(), Some(State::Look(Look::Start)));
        program.first = program.first_bytes();
        Ok(program)
    }

    /// Returns the number of states.
    pub fn states(&self) -> usize {
        self.states.len()
    }

    /// Returns a state.
    pub fn state(&self, at: usize) -> Option<State> {
        self.states.get(at).copied()
    }

    /// Whether a set has a character.
    pub fn class_contains(&self, class: u32, letter: char) -> bool {
        self.classes.get(class as usize).is_some_and(|class| class.contains(letter))
    }

    /// Whether a match can begin at the start of the text only.
    pub fn is_anchored(&self) -> bool {
        self.anchored
    }

    /// Returns the number of bytes that no match begins with. `None` if no match begins in the text.
    pub fn skip(&self, bytes: &[u8]) -> Option<usize> {
        let First { ascii, others, empty } = &self.first;
        if *empty {
            return Some(0);
        }
        bytes.iter().position(|byte| if byte.is_ascii() { ascii >> byte & 1 == 1 } else { *others })
    }

    fn push(&mut self, state: State) -> Result<usize, Fault> {
        if self.states.len() >= self.limit {
            return Err(Fault::Size);
        }
        self.states.push(state);
        Ok(self.states.len() - 1)
    }

    fn here(&self) -> u32 {
        self.states.len() as u32
    }

    /// Writes a split whose parts are known only later.
    fn set(&mut self, at: usize, state: State) {
        if let Some(old) = self.states.get_mut(at) {
            *old = state;
        }
    }

    fn add(&mut self, node: &Node) -> Result<(), Fault> {
        match node {
            Node::Empty => Ok(()),
            Node::Char(letter) => self.push(State::Char(*letter)).map(drop),
            Node::Class(class) => {
                let known = self.classes.iter().position(|known| known == class);
                let number = known.unwrap_or_else(|| {
                    self.classes.push(class.clone());
                    self.classes.len() - 1
                });
                self.push(State::Class(number as u32)).map(drop)
            }
            Node::Look(look) => self.push(State::Look(*look)).map(drop),
            Node::Concat(nodes) => nodes.iter().try_for_each(|node| self.add(node)),
            Node::Either(nodes) => self.add_either(nodes),
            Node::Repeat { node, min, max, greedy } => self.add_repeat(node, *min, *max, *greedy),
        }
    }

    fn add_either(&mut self, nodes: &[Node]) -> Result<(), Fault> {
        let mut jumps = Vec::new();
        for (at, node) in nodes.iter().enumerate() {
            if at + 1 == nodes.len() {
                self.add(node)?;
                break;
            }
            let split = self.push(State::Match)?;
            self.add(node)?;
            jumps.push(self.push(State::Match)?);
            self.set(split, State::Split(split as u32 + 1, self.here()));
        }
        let end = self.here();
        jumps.into_iter().for_each(|jump| self.set(jump, State::Jump(end)));
        Ok(())
    }

    fn add_repeat(&mut self, node: &Node, min: u32, max: Option<u32>, greedy: bool) -> Result<(), Fault> {
        let split =
            |again: u32, end: u32| if greedy { State::Split(again, end) } else { State::Split(end, again) };
        let Some(max) = max else {
            let optional = match min {
                // the repetition of what may be empty prefers another path than that of the plain loop
                0 if node.may_be_empty() => Some(self.push(State::Match)?),
                0 => {
                    let start = self.push(State::Match)?;
                    self.add(node)?;
                    self.push(State::Jump(start as u32))?;
                    self.set(start, split(start as u32 + 1, self.here()));
                    return Ok(());
                }
                _ => {
                    self.add_times(node, min - 1)?;
                    None
                }
            };
            let start = self.here();
            self.add(node)?;
            let end = self.here() + 1;
            self.push(split(start, end))?;
            if let Some(optional) = optional {
                self.set(optional, split(start, end));
            }
            return Ok(());
        };
        self.add_times(node, min)?;
        let mut splits = Vec::new();
        for _ in min..max {
            splits.push(self.push(State::Match)?);
            self.add(node)?;
        }
        let end = self.here();
        splits.into_iter().for_each(|at| self.set(at, split(at as u32 + 1, end)));
        Ok(())
    }

    fn add_times(&mut self, node: &Node, times: u32) -> Result<(), Fault> {
        for _ in 0..times {
            let before = self.states.len();
            self.add(node)?;
            // copies without states would take time and no size
            if self.states.len() == before {
                break;
            }
        }
        Ok(())
    }

    /// Returns the characters that a match may begin with, as if all conditions held.
    fn first_bytes(&self) -> First {
        let mut first = First::default();
        let mut seen = vec![false; self.states.len()];
        let mut open = vec![0];
        while let Some(at) = open.pop() {
            match seen.get_mut(at) {
                Some(seen) if !*seen => *seen = true,
                _ => continue,
            }
            match self.state(at) {
                Some(State::Char(letter)) if letter.is_ascii() => first.ascii |= 1 << u32::from(letter),
                Some(State::Char(_)) => first.others = true,
                Some(State::Class(class)) => {
                    if let Some(class) = self.classes.get(class as usize) {
                        first.ascii |= class.ascii();
                        first.others |= class.has_others();
                    }
                }
                Some(State::Look(_)) => open.push(at + 1),
                Some(State::Split(one, other)) => open.extend([one as usize, other as usize]),
                Some(State::Jump(to)) => open.push(to as usize),
                Some(State::Match) => first.empty = true,
                None => {}
            }
        }
        first
    }
}
