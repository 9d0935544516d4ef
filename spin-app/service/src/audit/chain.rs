//! The chain itself: lines, hashes, and what is wrong with them. Nothing here asks a store.
//!
//! A line is the lower-case hex of a SHA-256, a space, and a record as JSON, whose bytes were hashed. The
//! record says in `previous` the hash of the line before it, and in `sequence` its number. So a line is
//! checked with `sha256sum`, and a chain by comparing.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Where a chain is: behind the record of this number and hash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// The number of the record; 0 before the first one.
    pub sequence: u64,
    /// Its hash; zeros before the first one.
    pub hash: String,
}

impl Link {
    /// The number of the record that comes next. What lies in a store may say any number.
    pub(super) fn next(&self) -> u64 {
        self.sequence.saturating_add(1)
    }
}

impl Default for Link {
    /// Before the first record.
    fn default() -> Self {
        Self { sequence: 0, hash: "0".repeat(64) }
    }
}

/// What is wrong with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// It is no hash and no record.
    Unreadable,
    /// The record is not the one that was hashed.
    Changed,
    /// The record does not follow the one before it: one was taken out, put in or moved.
    Unlinked,
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Unreadable => "it is no record and its hash",
            Self::Changed => "the record is not the one that was hashed",
            Self::Unlinked => "the record does not follow the one before it",
        })
    }
}

/// What of a record makes the chain.
#[derive(Deserialize)]
struct Place {
    sequence: u64,
    previous: String,
}

/// The line of a record.
pub fn line(record: &str) -> String {
    format!("{} {record}\n", hash(record))
}

/// The hash and the record of a line.
pub fn parse(line: &str) -> Option<(&str, &str)> {
    line.split_once(' ').filter(|(hash, _)| hash.len() == 64)
}

/// The last link of a document; none where it has no line that can be read.
pub fn last(document: &str) -> Option<Link> {
    let (hash, record) = document.lines().rev().find_map(parse)?;
    let Place { sequence, .. } = serde_json::from_str(record).ok()?;
    Some(Link { sequence, hash: hash.to_owned() })
}

/// Follows a chain through a document, from `at` on, and tells each line that is wrong, from 1.
pub fn follow(document: &str, at: &mut Link, mut tell: impl FnMut(usize, Fault)) {
    for (line, number) in document.lines().zip(1..) {
        let read = parse(line).and_then(|(hash, record)| Some((hash, record, place(record)?)));
        let Some((stated, record, place)) = read else {
            tell(number, Fault::Unreadable);
            continue;
        };
        if stated != hash(record) {
            tell(number, Fault::Changed);
        }
        if place.previous != at.hash || place.sequence != at.next() {
            tell(number, Fault::Unlinked);
        }
        // one fault is told once: the chain goes on from what stands here
        *at = Link { sequence: place.sequence, hash: stated.to_owned() };
    }
}

fn place(record: &str) -> Option<Place> {
    serde_json::from_str(record).ok()
}

fn hash(record: &str) -> String {
    base16ct::lower::encode_string(&Sha256::digest(record))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(records: usize) -> Vec<String> {
        let mut at = Link::default();
        let mut lines = Vec::new();
        for sequence in 1..=records {
            let record =
                format!(r#"{{"sequence":{sequence},"previous":"{}","note":"n{sequence}"}}"#, at.hash);
            lines.push(line(&record));
            at = last(lines.last().map(String::as_str).unwrap_or_default()).expect("a line");
        }
        lines
    }

    fn faults(document: &str) -> Vec<(usize, Fault)> {
        let mut faults = Vec::new();
        follow(document, &mut Link::default(), |line, fault| faults.push((line, fault)));
        faults
    }

    #[test]
    fn every_change_leaves_a_trace() {
        let lines = chain(4);
        let document = |order: &[usize]| order.iter().map(|index| lines[*index].as_str()).collect::<String>();
        assert_eq!(faults(&document(&[0, 1, 2, 3])), []);
        for (what, changed, want) in [
            ("one taken out", document(&[0, 2, 3]), vec![(2, Fault::Unlinked)]),
            ("the first taken out", document(&[1, 2, 3]), vec![(1, Fault::Unlinked)]),
            ("one twice", document(&[0, 1, 1, 2, 3]), vec![(3, Fault::Unlinked)]),
            (
                "two changed over",
                document(&[0, 2, 1, 3]),
                vec![(2, Fault::Unlinked), (3, Fault::Unlinked), (4, Fault::Unlinked)],
            ),
            ("a record changed", document(&[0, 1, 2, 3]).replace("n2", "nx"), vec![(2, Fault::Changed)]),
            ("a line lost", document(&[0, 1, 2, 3]) + "no line", vec![(5, Fault::Unreadable)]),
        ] {
            assert_eq!(faults(&changed), want, "{what}");
        }
        // a record that is changed and hashed anew does not fit the next one
        let record = parse(lines[1].trim_end()).expect("a line").1.replace("n2", "nx");
        let forged = lines[0].clone() + &line(&record) + &lines[2] + &lines[3];
        assert_eq!(faults(&forged), [(3, Fault::Unlinked)]);
    }

    #[test]
    fn a_chain_goes_on_in_the_next_document() {
        let lines = chain(3);
        let mut at = Link::default();
        for document in [lines[0].clone() + &lines[1], String::new(), lines[2].clone()] {
            follow(&document, &mut at, |line, fault| panic!("{line} {fault:?}"));
        }
        assert_eq!((at.sequence, Some(at)), (3, last(&lines[2])));
        assert_eq!(last(""), None);
    }
}
