//! Finding records.

use std::cmp::Reverse;

use serde::Serialize;
use textveil_engine::Action;

use super::{
    chain, chains,
    journal::{Chain, Part},
    record::{AuditRecord, Event},
    retention,
};
use crate::{
    error::ApiError,
    host::{Host, Label},
    limits::{MAX_AUDIT_PARTS, MAX_AUDIT_SEARCH_BYTES},
    order,
    policies::is_same_type,
};

const HOUR_SECONDS: u64 = 3_600;
const DAY_SECONDS: u64 = 24 * HOUR_SECONDS;

/// Which records are asked for.
#[derive(Clone, Debug)]
pub(crate) struct Filter {
    /// Unix time in seconds of the first one.
    pub from: u64,
    /// Unix time in seconds of the last one.
    pub to: u64,
    pub event: Option<Event>,
    pub action: Option<Action>,
    pub entity_type: Option<String>,
    pub request_id: Option<String>,
}

/// A record that was found.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Found {
    /// The number of its chain. Records that are written at the same time have chains of their own.
    pub chain: usize,
    /// SHA-256 of the record as it is stored.
    pub hash: String,
    /// The record.
    #[serde(flatten)]
    pub record: AuditRecord,
}

impl Filter {
    fn takes(&self, record: &AuditRecord) -> bool {
        let entry = &record.entry;
        let at = crate::parse_timestamp(&entry.at).unwrap_or_default();
        (self.from..=self.to).contains(&at)
            && self.event.is_none_or(|event| event == entry.event)
            && self.action.is_none_or(|action| Some(action) == entry.action)
            && self.request_id.as_ref().is_none_or(|id| *id == entry.request_id)
            && (self.entity_type.as_ref())
                .is_none_or(|kind| entry.entities.keys().any(|found| is_same_type(kind, found)))
    }

    /// Whether a part may have some of them. The clock may have run backwards in it.
    fn may_lie_in(&self, part: &Part) -> bool {
        let (first, last) = (part.hour * HOUR_SECONDS, (part.hour + 1) * HOUR_SECONDS);
        last + HOUR_SECONDS > self.from && first <= self.to.saturating_add(HOUR_SECONDS)
    }
}

/// The records of a workspace, the newest first, and whether these are all: no more than so many parts and
/// bytes are read for one request. Those that are kept no longer are deleted.
///
/// # Errors
/// `service_unavailable`; `internal_error` where the index cannot be read.
pub(crate) async fn search(
    host: &impl Host,
    workspace: &str,
    retention_days: u32,
    filter: &Filter,
) -> Result<(Vec<Found>, bool), ApiError> {
    let store = host.store(Label::Audit);
    let chain = |number| Chain { workspace, number };
    let first = retention::first_day(host, retention_days);
    let mut indexes = Vec::new();
    for number in chains() {
        indexes.push((number, chain(number).index(&store).await?));
    }
    if indexes.iter().any(|(_, index)| index.has_expired(first)) {
        // who only reads is not refused for what could not be deleted
        let _ = retention::sweep(host, workspace, first).await;
    }
    let mut parts = Vec::new();
    for (number, index) in indexes {
        let within = |day: &u64| {
            (*day + 2) * DAY_SECONDS > filter.from
                && *day * DAY_SECONDS <= filter.to.saturating_add(DAY_SECONDS)
        };
        for day in index.days.into_iter().filter(|day| *day >= first).filter(within) {
            let of_day = chain(number).parts(&store, day).await?;
            parts
                .extend(of_day.into_iter().filter(|part| filter.may_lie_in(part)).map(|part| (part, number)));
        }
    }
    order::sort_by_key(&mut parts, |part| Reverse(*part));
    let (mut found, mut complete, mut bytes) = (Vec::new(), true, 0);
    for (read, (part, number)) in parts.into_iter().enumerate() {
        if read == MAX_AUDIT_PARTS || bytes >= MAX_AUDIT_SEARCH_BYTES {
            complete = false;
            break;
        }
        let lines = chain(number).lines(&store, part).await?;
        bytes += lines.len();
        found.extend(records(&lines, number).filter(|found| filter.takes(&found.record)));
    }
    order::sort_by(&mut found, |a, b| {
        b.record.entry.at.cmp(&a.record.entry.at).then(b.record.sequence.cmp(&a.record.sequence))
    });
    Ok((found, complete))
}

/// Those of a part; what cannot be read is for the verifier.
fn records(lines: &str, chain: usize) -> impl Iterator<Item = Found> {
    lines.lines().filter_map(chain::parse).filter_map(move |(hash, record)| {
        Some(Found { chain, hash: hash.to_owned(), record: serde_json::from_str(record).ok()? })
    })
}
