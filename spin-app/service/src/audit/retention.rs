//! How long records are kept: so many days, after the day (UTC) on which they were written.
//!
//! What is older goes with the next thing that is done in the workspace, in all its chains, whoever wrote them:
//! with the first record that a chain gets on a day, or after another retention; with the first request of a day
//! where none are recorded; with a search. Nobody holds a chain for that but while some documents go.

use super::{chains, journal::Chain};
use crate::{
    documents::{self, Prepared},
    error::ApiError,
    host::{Host, Label},
};

const DAY_MS: u64 = 86_400_000;

/// The first day whose records are kept, counted from 1970.
pub(super) fn first_day(host: &impl Host, retention_days: u32) -> u64 {
    (host.now_ms() / DAY_MS).saturating_sub(u64::from(retention_days))
}

/// Deletes what lies before the day `first`, in all chains of a workspace.
///
/// # Errors
/// `service_unavailable`; `internal_error` where an index cannot be read.
pub(super) async fn sweep(host: &impl Host, workspace: &str, first: u64) -> Result<(), ApiError> {
    let store = host.store(Label::Audit);
    for number in chains() {
        let chain = Chain { workspace, number };
        while chain.index(&store).await?.has_expired(first) {
            let key = [chain.index_key()];
            let delete = async |_| chain.delete_expired(&store, first).await;
            documents::hold_one_of(host, Label::Usage, &key, delete).await?;
        }
    }
    Ok(())
}

/// Does so where that was not begun yet, for who writes no record: the first chain remembers it.
///
/// # Errors
/// As [`sweep`].
pub(super) async fn sweep_once(host: &impl Host, workspace: &str, first: u64) -> Result<(), ApiError> {
    let store = host.store(Label::Audit);
    let chain = Chain { workspace, number: 0 };
    if chain.index(&store).await?.kept_from == first {
        return Ok(());
    }
    let key = chain.index_key();
    documents::hold_one_of(host, Label::Usage, std::slice::from_ref(&key), async |_| {
        let mut index = chain.index(&store).await?;
        index.kept_from = first;
        Prepared::new(&key, &index)?.write_to(&store).await
    })
    .await?;
    sweep(host, workspace, first).await
}
