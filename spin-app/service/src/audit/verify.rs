//! Checking that no record was changed or taken out.

use serde::Serialize;

use super::{
    chain::{self, Link},
    chains,
    journal::Chain,
};
use crate::{error::ApiError, host::KeyValue};

/// What the chains of a workspace are like.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Verification {
    /// Those that have records, or had some.
    pub chains: Vec<ChainReport>,
    /// Everything that is wrong, in the order of the chains.
    pub faults: Vec<Fault>,
}

/// A chain that was followed to its end. That nothing was cut off there is known only to who kept `head`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChainReport {
    /// Its number.
    pub chain: usize,
    /// How many records it has. Older ones may have been deleted because of their age.
    pub records: usize,
    /// Behind its last record.
    pub head: Link,
}

/// Something that is wrong with a chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// The key of the document in the store `audit`.
    pub document: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub fault: chain::Fault,
}

/// Follows the chains of a workspace through the documents of the store `audit`.
///
/// # Errors
/// `service_unavailable`; `internal_error` where an index cannot be read.
pub async fn verify(store: &impl KeyValue, workspace: &str) -> Result<Verification, ApiError> {
    let mut verification = Verification::default();
    for number in chains() {
        let report = follow(store, Chain { workspace, number }, &mut verification.faults).await?;
        verification.chains.extend(report);
    }
    Ok(verification)
}

async fn follow(
    store: &impl KeyValue,
    chain: Chain<'_>,
    faults: &mut Vec<Fault>,
) -> Result<Option<ChainReport>, ApiError> {
    let index = chain.index(store).await?;
    let begun = index.start.sequence > 0 || !index.days.is_empty();
    let (mut at, mut records) = (index.start, 0);
    for day in index.days {
        for part in chain.parts(store, day).await? {
            let lines = chain.lines(store, part).await?;
            let document = chain.part_key(part);
            chain::follow(&lines, &mut at, |line, fault| {
                faults.push(Fault { document: document.clone(), line, fault });
            });
            records += lines.lines().count();
        }
    }
    Ok(begun.then_some(ChainReport { chain: chain.number, records, head: at }))
}
