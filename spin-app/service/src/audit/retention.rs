//! Retention: how long records are kept, in days after the day (UTC) on which they were written.
//!
//! Expired records of all chains are deleted with the next activity in the workspace. That is the first record that a
//! chain gets on a day or after a change of the retention, the first request of a day if requests are not
//! recorded, or a search. A lease on a chain is held for a bounded number of deletions only.

use super::{chain::AuditKeys, chains, journal::Chain};
use crate::{
    documents::Prepared,
    error::ApiError,
    host::{Host, Label},
    lease::Lease,
};

const DAY_MS: u64 = 86_400_000;

/// The first day whose records are kept, counted from 1970.
pub(super) fn first_day(host: &impl Host, retention_days: u32) -> u64 {
    (host.now_ms() / DAY_MS).saturating_sub(u64::from(retention_days))
}

/// Deletes records before the day `first`, in all chains of a workspace.
///
/// # Errors
/// `service_unavailable`; `internal_error` where an index cannot be read.
pub(super) async fn sweep(
    host: &impl Host,
    keys: &AuditKeys,
    workspace: &str,
    first: u64,
) -> Result<(), ApiError> {
    let store = host.store(Label::Audit);
    for number in chains() {
        let chain = Chain { workspace, number };
        while chain.index(&store).await?.has_expired(first) {
            let lease = Lease::acquire(host, chain.lock_label(), &chain.index_key()).await?;
            let deleted = chain.delete_expired(host, keys, &lease, first).await;
            lease.release(host).await;
            deleted?;
        }
    }
    Ok(())
}

/// Starts a sweep for a workspace that records no requests, once a day. The first chain remembers it.
///
/// # Errors
/// As [`sweep`].
pub(super) async fn sweep_once(
    host: &impl Host,
    keys: &AuditKeys,
    workspace: &str,
    first: u64,
) -> Result<(), ApiError> {
    let store = host.store(Label::Audit);
    let chain = Chain { workspace, number: 0 };
    if chain.index(&store).await?.kept_from == first {
        return Ok(());
    }
    let lease = Lease::acquire(host, chain.lock_label(), &chain.index_key()).await?;
    let noted = async {
        let mut index = chain.index(&store).await?;
        index.kept_from = first;
        lease.check(host).await?;
        Prepared::new(chain.index_key(), &index)?.write_to(&store).await
    }
    .await;
    lease.release(host).await;
    noted?;
    sweep(host, keys, workspace, first).await
}
