//! Searches audit records.

use std::{cmp::Reverse, collections::BTreeMap, fmt};

use serde::Serialize;
use textveil_engine::Action;

use super::{
    chain, chains,
    journal::{Chain, HOUR_SECONDS, Index, Part},
    record::{AuditRecord, Event},
    retention,
};
use crate::{
    error::ApiError,
    host::{Host, Label},
    limits::{MAX_AUDIT_PARTS, MAX_AUDIT_SEARCH_BYTES},
    order,
    types::is_same_type,
};

/// The criteria of a search.
#[derive(Clone, Debug)]
pub(crate) struct Filter {
    /// Unix time in seconds of the first one.
    pub from: u64,
    /// Unix time in seconds of the last one.
    pub to: u64,
    pub event: Option<Event>,
    pub actor: Option<String>,
    pub action: Option<Action>,
    pub entity_type: Option<String>,
    pub request_id: Option<String>,
    /// The position to start at; the newest record when absent.
    pub cursor: Option<Cursor>,
}

/// A record in the result.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct FoundRecord {
    /// The MAC of the stored record.
    pub hash: String,
    /// The record.
    #[serde(flatten)]
    pub record: AuditRecord,
}

impl Filter {
    fn takes(&self, at: u64, record: &AuditRecord) -> bool {
        let entry = &record.entry;
        (self.from..=self.to).contains(&at)
            && self.event.is_none_or(|event| event == entry.event)
            && (self.actor.as_ref())
                .is_none_or(|actor| entry.actor.as_ref().is_some_and(|one| one.as_str() == actor))
            && self.action.is_none_or(|action| Some(action) == entry.action)
            && self.request_id.as_ref().is_none_or(|id| *id == entry.request_id)
            && (self.entity_type.as_ref())
                .is_none_or(|kind| entry.entities.keys().any(|found| is_same_type(kind, found)))
    }
}

/// The end of a search: the next part of this chain to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cursor(Part, usize);

impl Cursor {
    const NEWEST: Self = Self(Part { hour: u64::MAX, number: u32::MAX }, usize::MAX);

    /// Parses the format of [`fmt::Display`].
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.split('.');
        let (hour, number, chain) = (numbers.next()?, numbers.next()?, numbers.next()?);
        let part = Part { hour: hour.parse().ok()?, number: number.parse().ok()? };
        numbers.next().is_none().then_some(Self(part, chain.parse().ok()?))
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(Part { hour, number }, chain) = self;
        write!(out, "{hour}.{number}.{chain}")
    }
}

/// The result of a search.
#[derive(Debug, Default)]
pub(crate) struct SearchResult {
    /// The records, the newest first.
    pub records: Vec<FoundRecord>,
    /// Some lines could not be read, so records may be missing.
    pub is_damaged: bool,
    /// The position to continue at; `None` at the end.
    pub next: Option<Cursor>,
}

/// Searches the records of a workspace, the newest parts first.
///
/// The documents and bytes read per request are limited. Expired records are deleted.
///
/// # Errors
/// `service_unavailable`; `internal_error` if the index cannot be read.
pub(crate) async fn search(
    host: &impl Host,
    workspace: &str,
    retention_days: u32,
    filter: &Filter,
) -> Result<SearchResult, ApiError> {
    let store = host.store(Label::Audit);
    let chain = |number| Chain { workspace, number };
    let first = retention::first_day(host, retention_days);
    let mut indexes = Vec::new();
    for number in chains() {
        indexes.push((number, chain(number).index(&store).await?));
    }
    if indexes.iter().any(|(_, index)| index.has_expired(first)) {
        // a search succeeds even if expired records could not be deleted
        if let Ok(keys) = super::keys(host, workspace).await {
            let _ = retention::sweep(host, &keys, workspace, first).await;
        }
    }
    let hours = filter.from / HOUR_SECONDS..=filter.to / HOUR_SECONDS;
    let start = filter.cursor.unwrap_or(Cursor::NEWEST);
    let mut days: BTreeMap<u64, Vec<&(usize, Index)>> = BTreeMap::new();
    for one in &indexes {
        for day in one.1.days_with(&hours).filter(|day| (first..=start.0.day()).contains(day)) {
            days.entry(day).or_default().push(one);
        }
    }

    let mut findings = SearchResult::default();
    let (mut documents, mut bytes) = (0, 0);
    'days: for (day, indexes) in days.into_iter().rev() {
        if documents >= MAX_AUDIT_PARTS || bytes >= MAX_AUDIT_SEARCH_BYTES {
            findings.next = Some(Cursor(Part::last_of(day), 0));
            break;
        }
        let mut places = Vec::new();
        for (number, index) in indexes {
            documents += 1;
            let parts = chain(*number).parts(&store, day).await?.into_iter();
            let parts = parts.filter(|part| index.hour_has(part.hour, &hours));
            places.extend(parts.map(|part| Cursor(part, *number)).filter(|place| *place <= start));
        }
        order::sort_by_key(&mut places, |place| Reverse(*place));
        for place in places {
            if documents >= MAX_AUDIT_PARTS || bytes >= MAX_AUDIT_SEARCH_BYTES {
                findings.next = Some(place);
                break 'days;
            }
            let Cursor(part, number) = place;
            let lines = chain(number).lines(&store, part).await?;
            documents += 1;
            bytes += lines.len();
            findings.read(&lines, filter);
        }
    }
    order::sort_by(&mut findings.records, |a, b| {
        b.record.entry.at.cmp(&a.record.entry.at).then(b.record.sequence.cmp(&a.record.sequence))
    });
    Ok(findings)
}

impl SearchResult {
    /// Adds the matching records of a part.
    fn read(&mut self, lines: &str, filter: &Filter) {
        for line in lines.lines() {
            match found(line) {
                Some((at, found)) if filter.takes(at, &found.record) => self.records.push(found),
                Some(_) => (),
                None => self.is_damaged = true,
            }
        }
    }
}

/// Parses the record of a line, with its time.
fn found(line: &str) -> Option<(u64, FoundRecord)> {
    let (hash, record) = chain::parse(line)?;
    let record: AuditRecord = serde_json::from_str(record).ok()?;
    let at = crate::calendar::parse_timestamp(&record.entry.at)?;
    Some((at, FoundRecord { hash: hash.to_owned(), record }))
}
