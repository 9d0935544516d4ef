//! Chains of records: lines, their authentication, and what is wrong with them. Nothing here asks a store.
//!
//! A line is a MAC in lower-case hex, a space, and the record as JSON. The MAC is HMAC-SHA256 (RFC 2104) of the
//! record's bytes under a key of the workspace; the record names the version of the key. The record holds in
//! `previous` the MAC of the line before it, in `sequence` its number, and in `chain` the number of its chain. So a
//! record can be neither changed, inserted, removed nor moved by anyone without the key, except at the end of a
//! chain, which the signed head covers (`super::head`).

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;

/// Length of a MAC in hex digits.
const MAC_DIGITS: usize = 64;

/// The keys of a workspace's audit records, newest first.
#[derive(Clone)]
pub struct AuditKeys(Vec<(u8, [u8; 32])>);

/// The keys stay out.
impl fmt::Debug for AuditKeys {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "AuditKeys({})", self.0.len())
    }
}

impl AuditKeys {
    /// Takes keys by their versions, newest first; `None` for an empty list.
    pub(crate) fn new(keys: Vec<(u8, [u8; 32])>) -> Option<Self> {
        (!keys.is_empty()).then_some(Self(keys))
    }

    /// The version of the newest key, which authenticates new records.
    pub(crate) fn version(&self) -> u8 {
        self.0.first().map(|(version, _)| *version).unwrap_or_default()
    }

    fn key(&self, version: u8) -> Option<&[u8; 32]> {
        self.0.iter().find(|(known, _)| *known == version).map(|(_, key)| key)
    }

    /// The MAC of a text for a purpose under a version of the key; `None` for an unknown version.
    fn mac(&self, version: u8, purpose: Purpose, text: &str) -> Option<Hmac<Sha256>> {
        let mac = Hmac::<Sha256>::new_from_slice(self.key(version)?).ok()?;
        Some(mac.chain_update(purpose.prefix()).chain_update(text))
    }

    /// Authenticates a text with the newest key; the MAC is in hex.
    pub(super) fn sign(&self, purpose: Purpose, text: &str) -> String {
        let mac = self.mac(self.version(), purpose, text).map(|mac| mac.finalize().into_bytes());
        mac.map(|mac| base16ct::lower::encode_string(&mac)).unwrap_or_default()
    }

    /// Checks the MAC of a text, in constant time.
    pub(super) fn verify(&self, version: u8, purpose: Purpose, text: &str, mac: &str) -> Result<(), Fault> {
        let expected = self.mac(version, purpose, text).ok_or(Fault::UnknownKey)?;
        let sent = base16ct::lower::decode_vec(mac).map_err(|_| Fault::Changed)?;
        expected.verify_slice(&sent).map_err(|_| Fault::Changed)
    }
}

/// The purpose of a MAC, so that it is not valid for another one.
#[derive(Clone, Copy)]
pub(super) enum Purpose {
    Record,
    Head,
    Start,
}

impl Purpose {
    fn prefix(self) -> &'static [u8] {
        match self {
            Self::Record => b"record\n",
            Self::Head => b"head\n",
            Self::Start => b"start\n",
        }
    }
}

/// A position in a chain: after the record with this number and MAC.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AuditLink"))]
pub struct Link {
    /// The number of the record; 0 before the first one.
    pub sequence: u64,
    /// Its MAC in hex; zeros before the first one.
    pub hash: String,
}

impl Link {
    /// The number of the next record. A store may hold any number.
    pub(super) fn next(&self) -> u64 {
        self.sequence.saturating_add(1)
    }
}

impl Default for Link {
    /// Before the first record.
    fn default() -> Self {
        Self { sequence: 0, hash: "0".repeat(MAC_DIGITS) }
    }
}

/// A fault of a line or of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// The line is not a MAC and a record.
    Unreadable,
    /// The record does not match its MAC.
    Changed,
    /// The record does not follow the one before it: one was removed, inserted or moved.
    Unlinked,
    /// The record names a key version that is not configured, or none.
    UnknownKey,
    /// Records that a signed head names are missing.
    Missing,
    /// The workspace was changed, and the audit has no record of it.
    NoRecords,
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Unreadable => "not a MAC and a record",
            Self::Changed => "the record does not match its MAC",
            Self::Unlinked => "the record does not follow the one before it",
            Self::UnknownKey => "the version of its key is not in token_secrets",
            Self::Missing => "records that the signed head names are missing",
            Self::NoRecords => "the workspace was changed, and the audit has no record of it",
        })
    }
}

/// The members of a record that form the chain.
#[derive(Deserialize)]
struct Position {
    chain: usize,
    sequence: u64,
    previous: String,
    #[serde(default)]
    key: Option<u8>,
}

/// The line of a record that names the newest key.
pub fn line(keys: &AuditKeys, record: &str) -> String {
    format!("{} {record}\n", keys.sign(Purpose::Record, record))
}

/// The MAC and the record of a line.
pub(super) fn parse(line: &str) -> Option<(&str, &str)> {
    line.split_once(' ').filter(|(mac, _)| mac.len() == MAC_DIGITS)
}

/// Returns the position after the last readable line of a document.
pub fn last(document: &str) -> Option<Link> {
    let (mac, record) = document.lines().rev().find_map(parse)?;
    let Position { sequence, .. } = serde_json::from_str(record).ok()?;
    Some(Link { sequence, hash: mac.to_owned() })
}

/// Follows a chain through a document, and reports each faulty line by its number from 1. `pass` receives the
/// position after each line.
pub(super) fn follow(
    keys: &AuditKeys,
    chain: usize,
    document: &str,
    at: &mut Link,
    mut pass: impl FnMut(&Link),
    mut report: impl FnMut(usize, Fault),
) {
    for (line, number) in document.lines().zip(1..) {
        let read = parse(line).and_then(|(mac, record)| Some((mac, record, position(record)?)));
        let Some((mac, record, position)) = read else {
            report(number, Fault::Unreadable);
            continue;
        };
        let verified = match position.key {
            Some(version) => keys.verify(version, Purpose::Record, record, mac),
            None => Err(Fault::UnknownKey),
        };
        if let Err(fault) = verified {
            report(number, fault);
        }
        if position.chain != chain || position.previous != at.hash || position.sequence != at.next() {
            report(number, Fault::Unlinked);
        }
        // one fault is reported once: the chain continues from this line
        *at = Link { sequence: position.sequence, hash: mac.to_owned() };
        pass(at);
    }
}

fn position(record: &str) -> Option<Position> {
    serde_json::from_str(record).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys() -> AuditKeys {
        AuditKeys::new(vec![(2, [2; 32]), (1, [1; 32])]).expect("keys")
    }

    fn chain(keys: &AuditKeys, records: usize) -> Vec<String> {
        let mut at = Link::default();
        let mut lines = Vec::new();
        for sequence in 1..=records {
            let version = keys.version();
            let record = format!(
                r#"{{"chain":0,"sequence":{sequence},"previous":"{}","key":{version},"note":"n{sequence}"}}"#,
                at.hash
            );
            lines.push(line(keys, &record));
            at = last(lines.last().map(String::as_str).unwrap_or_default()).expect("a line");
        }
        lines
    }

    fn faults_in(chain: usize, document: &str) -> Vec<(usize, Fault)> {
        let mut faults = Vec::new();
        let report = |line, fault| faults.push((line, fault));
        follow(&keys(), chain, document, &mut Link::default(), |_| (), report);
        faults
    }

    fn faults(document: &str) -> Vec<(usize, Fault)> {
        faults_in(0, document)
    }

    #[test]
    fn every_change_leaves_a_trace() {
        let lines = chain(&keys(), 4);
        let document = |order: &[usize]| order.iter().map(|index| lines[*index].as_str()).collect::<String>();
        assert_eq!(faults(&document(&[0, 1, 2, 3])), []);
        for (what, changed, want) in [
            ("one removed", document(&[0, 2, 3]), vec![(2, Fault::Unlinked)]),
            ("the first removed", document(&[1, 2, 3]), vec![(1, Fault::Unlinked)]),
            ("one twice", document(&[0, 1, 1, 2, 3]), vec![(3, Fault::Unlinked)]),
            (
                "two swapped",
                document(&[0, 2, 1, 3]),
                vec![(2, Fault::Unlinked), (3, Fault::Unlinked), (4, Fault::Unlinked)],
            ),
            ("a record changed", document(&[0, 1, 2, 3]).replace("n2", "nx"), vec![(2, Fault::Changed)]),
            ("a line added", document(&[0, 1, 2, 3]) + "no line", vec![(5, Fault::Unreadable)]),
        ] {
            assert_eq!(faults(&changed), want, "{what}");
        }
        assert_eq!(faults_in(1, &document(&[0])), [(1, Fault::Unlinked)], "moved to another chain");
    }

    #[test]
    fn a_record_without_the_key_cannot_be_made() {
        let lines = chain(&keys(), 4);
        let record = parse(lines[1].trim_end()).expect("a line").1.replace("n2", "nx");
        let others = AuditKeys::new(vec![(2, [9; 32])]).expect("keys");
        let unknown = AuditKeys::new(vec![(7, [2; 32])]).expect("keys");
        let forged = lines[0].clone() + &line(&others, &record);
        assert_eq!(faults(&forged), [(2, Fault::Changed)]);
        assert_eq!(faults(&chain(&unknown, 1).concat()), [(1, Fault::UnknownKey)]);
        // the unkeyed hashes of earlier builds prove nothing
        let unkeyed = format!("{} {}\n", "0".repeat(64), r#"{"chain":0,"sequence":1,"previous":""}"#);
        assert_eq!(faults(&unkeyed), [(1, Fault::UnknownKey), (1, Fault::Unlinked)]);
    }

    #[test]
    fn older_keys_still_verify() {
        let old = AuditKeys::new(vec![(1, [1; 32])]).expect("keys");
        assert_eq!(faults(&chain(&old, 3).concat()), []);
    }

    #[test]
    fn a_chain_continues_in_the_next_document() {
        let lines = chain(&keys(), 3);
        let mut at = Link::default();
        for document in [lines[0].clone() + &lines[1], String::new(), lines[2].clone()] {
            follow(&keys(), 0, &document, &mut at, |_| (), |line, fault| panic!("{line} {fault:?}"));
        }
        assert_eq!((at.sequence, Some(at)), (3, last(&lines[2])));
        assert_eq!(last(""), None);
    }
}
