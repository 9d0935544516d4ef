//! Verification: every record is authentic, in its place, and none is missing.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{
    ADMINISTRATION,
    chain::{self, AuditKeys, Link},
    chains,
    head::{self, Head},
    journal::Chain,
};
use crate::{
    documents,
    error::ApiError,
    host::{Host, KeyValue, Label},
};

/// The state of the chains of a workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Verification {
    /// Chains that have or had records.
    pub chains: Vec<ChainReport>,
    /// Everything that is wrong, in the order of the chains.
    pub faults: Vec<FaultyRecord>,
}

/// A chain that was followed to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChainReport {
    /// Its number.
    pub chain: usize,
    /// The number of its records. Expired ones are deleted.
    pub records: usize,
    /// Behind its last record.
    pub head: Link,
}

/// Something that is wrong with a chain or a head.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FaultyRecord {
    /// The key of the document in its store.
    pub document: String,
    /// The line from 1; 0 for the document as a whole.
    pub line: usize,
    /// The fault.
    pub fault: chain::Fault,
}

/// Verifies the chains of a workspace against their keys, the stored head, and exported heads.
///
/// # Errors
/// `service_unavailable`; `internal_error` where an index cannot be read or `token_secrets` is not configured.
pub async fn verify(host: &impl Host, workspace: &str, exported: &[Head]) -> Result<Verification, ApiError> {
    let keys = super::keys(host, workspace).await?;
    let store = host.store(Label::Audit);
    let mut verification = Verification::default();
    let mut expected = Expected::default();
    let stored = head::stored(&host.store(Label::Config), workspace).await?;
    let known = stored.iter().map(|head| (head::key(workspace), head));
    let sent = exported.iter().map(|head| ("exported head".to_owned(), head));
    for (document, head) in known.chain(sent) {
        match head.verify(&keys, workspace) {
            Ok(()) => expected.add(head),
            Err(fault) => verification.faults.push(FaultyRecord { document, line: 0, fault }),
        }
    }
    let mut has_records = false;
    for number in chains() {
        let chain = Chain { workspace, number };
        let report = follow(&store, chain, &keys, &mut expected, &mut verification.faults).await?;
        has_records |= report.is_some();
        verification.chains.extend(report);
    }
    let has_head = stored.is_some() || !exported.is_empty();
    // every change of a workspace is recorded before it is stored
    if !has_records && !has_head && documents::stamp(host, workspace).await?.is_some() {
        let document = Chain { workspace, number: ADMINISTRATION }.index_key();
        verification.faults.push(FaultyRecord { document, line: 0, fault: chain::Fault::NoRecords });
    }
    if has_records && stored.is_none() {
        let document = head::key(workspace);
        verification.faults.push(FaultyRecord { document, line: 0, fault: chain::Fault::Missing });
    }
    Ok(verification)
}

/// The records that heads name, by chain and number, until they are seen.
#[derive(Default)]
struct Expected(BTreeMap<(usize, u64), String>);

impl Expected {
    fn add(&mut self, head: &Head) {
        for (chain, link) in &head.head.chains {
            self.0.insert((*chain, link.sequence), link.hash.clone());
        }
    }

    /// Takes note of a record that is there.
    fn see(&mut self, chain: usize, link: &Link) {
        let place = (chain, link.sequence);
        if self.0.get(&place) == Some(&link.hash) {
            self.0.remove(&place);
        }
    }

    /// Whether a record of a chain is missing that lies behind its start.
    fn misses(&self, chain: usize, start: &Link) -> bool {
        self.0.range((chain, start.sequence.saturating_add(1))..=(chain, u64::MAX)).next().is_some()
    }
}

async fn follow(
    store: &impl KeyValue,
    chain: Chain<'_>,
    keys: &AuditKeys,
    expected: &mut Expected,
    faults: &mut Vec<FaultyRecord>,
) -> Result<Option<ChainReport>, ApiError> {
    let index = chain.index(store).await?;
    if let Some(fault) = chain.start_fault(&index, keys) {
        faults.push(FaultyRecord { document: chain.index_key(), line: 0, fault });
    }
    let has_begun = index.start.sequence > 0 || !index.days.is_empty();
    let start = index.start.clone();
    let (mut at, mut records) = (index.start, 0);
    for day in index.days {
        for part in chain.parts(store, day).await? {
            let lines = chain.lines(store, part).await?;
            let document = chain.part_key(part);
            let report = |line, fault| faults.push(FaultyRecord { document: document.clone(), line, fault });
            chain::follow(
                keys,
                chain.number,
                &lines,
                &mut at,
                |link| expected.see(chain.number, link),
                report,
            );
            records += lines.lines().count();
        }
    }
    if expected.misses(chain.number, &start) {
        faults.push(FaultyRecord { document: chain.index_key(), line: 0, fault: chain::Fault::Missing });
    }
    Ok(has_begun.then_some(ChainReport { chain: chain.number, records, head: at }))
}
