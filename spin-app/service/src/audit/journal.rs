//! The storage of chains in the store `audit`, and the appending of records.
//!
//! A part is `audit:<workspace>:<chain>:<hour>:<part>`, lines as in [`super::chain`]; hours are counted from
//! 1970. A store cannot list its keys, so `audit-day:…` holds the number of parts for each hour of a day, and
//! `audit-index:…` the days and the last part. They are written before the part, in this order, so that a part is
//! always listed; a part that is listed and absent is empty.
//!
//! Requests append to one of several chains, the first whose lock is free. These locks lie in `usage`, where a lock
//! costs no write to the disk; so hosts that share `audit` must share `usage`. Administrative changes append to a
//! chain of their own, whose lock lies in `config`: the command line can take it while a service runs.

use std::{cell::Cell, collections::BTreeMap, ops::RangeInclusive};

use serde::{Deserialize, Serialize};

use super::{
    ADMINISTRATION,
    chain::{self, AuditKeys, Fault, Link, Purpose},
    record::{AuditRecord, Entry},
};
use crate::{
    documents::{self, Prepared},
    error::ApiError,
    host::{Host, KeyValue, Label, Unavailable},
    lease::Lease,
    limits::{AUDIT_CHAINS, MAX_AUDIT_PART_BYTES},
};

pub(super) const HOUR_SECONDS: u64 = 3_600;
const HOURS: u64 = 24;

/// The maximum number of documents deleted under one lease.
const DELETED_AT_ONCE: usize = 256;

/// A chain of a workspace.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chain<'a> {
    pub workspace: &'a str,
    pub number: usize,
}

/// The days of a chain that have records, and its start.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Index {
    /// The position after the last record that was deleted when its retention ended.
    pub start: Link,
    /// Proves that a holder of the key moved the start; absent for a chain that starts at its first record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    start_proof: Option<Proof>,
    /// Counted from 1970, ascending.
    pub days: Vec<u64>,
    /// Earlier days that are being deleted. They are no longer read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    expired: Vec<u64>,
    /// The last part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    latest: Option<Part>,
    /// The earliest hour whose records are stored under another hour: a clock ran ahead or back.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    earliest: BTreeMap<u64, u64>,
    /// The first day of the retention when expired records were last deleted, in all chains of the workspace.
    #[serde(default)]
    pub kept_from: u64,
}

/// A MAC and the version of its key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Proof {
    key: u8,
    mac: String,
}

impl Index {
    /// Whether the chain has records before the day `first`.
    pub(super) fn has_expired(&self, first: u64) -> bool {
        !self.expired.is_empty() || self.days.first().is_some_and(|day| *day < first)
    }

    /// Whether the parts of an hour may have records of `hours`.
    pub(super) fn hour_has(&self, hour: u64, hours: &RangeInclusive<u64>) -> bool {
        hour >= *hours.start() && self.earliest.get(&hour).unwrap_or(&hour) <= hours.end()
    }

    /// Returns the days that may have records of `hours`.
    pub(super) fn days_with(&self, hours: &RangeInclusive<u64>) -> impl Iterator<Item = u64> {
        let has = |day: &u64| {
            let (begin, end) = (day * HOURS, (day + 1) * HOURS);
            let has_earlier = || self.earliest.range(begin..end).any(|(_, earliest)| earliest <= hours.end());
            end > *hours.start() && (begin <= *hours.end() || has_earlier())
        };
        self.days.iter().copied().filter(has)
    }

    /// Notes that an hour has records of an earlier one; returns whether that is new.
    fn notes(&mut self, hour: u64, earlier: u64) -> bool {
        let is_new = earlier < *self.earliest.get(&hour).unwrap_or(&hour);
        if is_new {
            self.earliest.insert(hour, earlier);
        }
        is_new
    }
}

/// The number of parts for each hour of a day.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
struct Day(BTreeMap<u64, u32>);

/// A part of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Part {
    /// From 1970.
    pub hour: u64,
    /// From 1.
    pub number: u32,
}

impl Part {
    /// Returns the day, counted from 1970.
    pub(super) fn day(self) -> u64 {
        self.hour / HOURS
    }

    /// The position after every part of a day.
    pub(super) fn last_of(day: u64) -> Self {
        Self { hour: (day + 1) * HOURS - 1, number: u32::MAX }
    }
}

impl Chain<'_> {
    pub(super) fn index_key(self) -> String {
        format!("audit-index:{}:{}", self.workspace, self.number)
    }

    fn day_key(self, day: u64) -> String {
        format!("audit-day:{}:{}:{day}", self.workspace, self.number)
    }

    pub(super) fn part_key(self, Part { hour, number }: Part) -> String {
        format!("audit:{}:{}:{hour}:{number}", self.workspace, self.number)
    }

    /// Returns the index of the chain; empty without records.
    pub(super) async fn index(self, store: &impl KeyValue) -> Result<Index, ApiError> {
        documents::read(store, &self.index_key()).await
    }

    /// Returns the parts of a day, oldest first.
    pub(super) async fn parts(self, store: &impl KeyValue, day: u64) -> Result<Vec<Part>, ApiError> {
        let Day(hours) = documents::read(store, &self.day_key(day)).await?;
        let of_hour = |(hour, parts): (u64, u32)| {
            (1..=parts).map(move |number| Part { hour: day * HOURS + hour, number })
        };
        Ok(hours.into_iter().flat_map(of_hour).collect())
    }

    /// Returns the lines of a part; empty if it is absent.
    pub(super) async fn lines(self, store: &impl KeyValue, part: Part) -> Result<String, Unavailable> {
        let bytes = store.get(&self.part_key(part)).await?.unwrap_or_default();
        // the verifier reports bytes that are not text
        Ok(String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
    }

    /// Returns the position after the last record of a day; `None` without records.
    async fn last_of_day(self, store: &impl KeyValue, day: u64) -> Result<Option<Link>, ApiError> {
        for part in self.parts(store, day).await?.into_iter().rev() {
            if let Some(link) = chain::last(&self.lines(store, part).await?) {
                return Ok(Some(link));
            }
        }
        Ok(None)
    }

    /// Returns the position after the last record.
    pub(super) async fn last(self, store: &impl KeyValue, index: &Index) -> Result<Link, ApiError> {
        for day in index.days.iter().rev() {
            if let Some(link) = self.last_of_day(store, *day).await? {
                return Ok(link);
            }
        }
        Ok(index.start.clone())
    }

    /// Returns the text that the proof of the chain's start authenticates.
    fn start_text(self, start: &Link) -> String {
        format!("{}\n{}\n{}", self.number, start.sequence, start.hash)
    }

    /// Returns the fault of the chain's start, if it has one.
    pub(super) fn start_fault(self, index: &Index, keys: &AuditKeys) -> Option<Fault> {
        if index.start.sequence == 0 {
            return None;
        }
        let Some(Proof { key, mac }) = &index.start_proof else { return Some(Fault::UnknownKey) };
        keys.verify(*key, Purpose::Start, &self.start_text(&index.start), mac).err()
    }

    /// Returns the label of the store that contains the chain's lock.
    pub(super) fn lock_label(self) -> Label {
        if self.number == ADMINISTRATION { Label::Config } else { Label::Usage }
    }

    /// Deletes records before the day `first`, a bounded number per call, under the lease of the chain.
    pub(super) async fn delete_expired(
        self,
        host: &impl Host,
        keys: &AuditKeys,
        lease: &Lease,
        first: u64,
    ) -> Result<(), ApiError> {
        let store = &host.store(Label::Audit);
        let mut index = self.index(store).await?;
        let expired = index.days.iter().take_while(|day| **day < first).count();
        let expired: Vec<u64> = index.days.drain(..expired).collect();
        for day in expired.iter().rev() {
            if let Some(link) = self.last_of_day(store, *day).await? {
                let mac = keys.sign(Purpose::Start, &self.start_text(&link));
                index.start_proof = Some(Proof { key: keys.version(), mac });
                index.start = link;
                break;
            }
        }
        index.expired.extend(expired);
        index.earliest.retain(|hour, _| *hour >= first * HOURS);
        lease.check(host).await?;
        // first, so that a partly deleted day is no longer part of the chain
        Prepared::new(self.index_key(), &index)?.write_to(store).await?;

        let mut left = DELETED_AT_ONCE;
        while let Some(day) = index.expired.first().copied() {
            let Day(mut hours) = documents::read(store, &self.day_key(day)).await?;
            while let Some(mut last) = hours.last_entry() {
                let (hour, number) = (day * HOURS + last.key(), *last.get());
                if left == 0 {
                    return Prepared::new(self.day_key(day), &Day(hours))?.write_to(store).await;
                }
                lease.check(host).await?;
                store.delete(&self.part_key(Part { hour, number })).await?;
                left -= 1;
                match number {
                    0 | 1 => drop(last.remove()),
                    _ => *last.get_mut() -= 1,
                }
            }
            store.delete(&self.day_key(day)).await?;
            index.expired.remove(0);
            Prepared::new(self.index_key(), &index)?.write_to(store).await?;
        }
        Ok(())
    }

    /// Appends a record under the lease of the chain. Returns whether it is the chain's first one since the day
    /// `first` is the first of the retention.
    async fn append(
        self,
        host: &impl Host,
        keys: &AuditKeys,
        lease: &Lease,
        first: u64,
        entry: Entry,
    ) -> Result<bool, ApiError> {
        let store = &host.store(Label::Audit);
        let mut index = self.index(store).await?;
        let is_first = index.kept_from != first;
        index.kept_from = first;
        let latest = index.latest;
        let mut lines = match latest {
            Some(part) => self.lines(store, part).await?,
            None => String::new(),
        };
        let last = match chain::last(&lines) {
            Some(link) => link,
            None => self.last(store, &index).await?,
        };
        let at = crate::calendar::parse_timestamp(&entry.at).unwrap_or_default() / HOUR_SECONDS;
        let record = AuditRecord {
            chain: self.number,
            sequence: last.next(),
            previous: last.hash,
            key: keys.version(),
            entry,
        };
        let record = serde_json::to_string(&record)
            .map_err(|_| ApiError::internal("a record cannot be written as JSON"))?;
        let line = chain::line(keys, &record);

        // a clock that runs backwards must not change the order
        let hour = latest.map_or(at, |part| part.hour.max(at));
        let is_noted = index.notes(hour, at);
        let has_room = lines.len() + line.len() <= MAX_AUDIT_PART_BYTES;
        let part = match latest.filter(|part| has_room && part.hour == hour) {
            Some(part) => {
                if is_first || is_noted {
                    lease.check(host).await?;
                    Prepared::new(self.index_key(), &index)?.write_to(store).await?;
                }
                lines.push_str(&line);
                part
            }
            None => {
                lines = line;
                lease.check(host).await?;
                self.open(store, &mut index, hour).await?
            }
        };
        lease.check(host).await?;
        store.set(&self.part_key(part), lines.as_bytes()).await?;
        Ok(is_first)
    }

    /// Adds a part to an hour.
    async fn open(self, store: &impl KeyValue, index: &mut Index, hour: u64) -> Result<Part, ApiError> {
        let today = hour / HOURS;
        let mut day: Day = documents::read(store, &self.day_key(today)).await?;
        let parts = day.0.entry(hour % HOURS).or_default();
        *parts += 1;
        let part = Part { hour, number: *parts };
        Prepared::new(self.day_key(today), &day)?.write_to(store).await?;
        if index.days.last() != Some(&today) {
            index.days.push(today);
        }
        index.latest = Some(part);
        Prepared::new(self.index_key(), &*index)?.write_to(store).await?;
        Ok(part)
    }
}

thread_local! {
    /// The chain that this single-threaded instance wrote last. It is tried first, so that concurrent
    /// instances soon use different chains.
    static LAST: Cell<usize> = const { Cell::new(0) };
}

/// Appends the record of a request to a chain of the workspace whose lock is free. Returns whether it is the chain's
/// first one since the day `first` is the first of the retention.
///
/// # Errors
/// `service_unavailable`; `internal_error` if the keys are not configured.
pub(super) async fn append(
    host: &impl Host,
    keys: &AuditKeys,
    first: u64,
    workspace: &str,
    entry: Entry,
) -> Result<bool, ApiError> {
    let last = LAST.get();
    let chains = (0..AUDIT_CHAINS).map(|offset| Chain { workspace, number: (last + offset) % AUDIT_CHAINS });
    let locks = chains.map(|chain| (chain, chain.index_key()));
    let (lease, chain) = Lease::acquire_any(host, Label::Usage, locks).await?;
    LAST.set(chain.number);
    let appended = chain.append(host, keys, &lease, first, entry).await;
    lease.release(host).await;
    appended
}

/// Appends the record of an administrative change, as [`append`] does.
///
/// # Errors
/// As [`append`].
pub(super) async fn append_change(
    host: &impl Host,
    keys: &AuditKeys,
    first: u64,
    workspace: &str,
    entry: Entry,
) -> Result<bool, ApiError> {
    let chain = Chain { workspace, number: ADMINISTRATION };
    let lease = Lease::acquire(host, chain.lock_label(), &chain.index_key()).await?;
    let appended = chain.append(host, keys, &lease, first, entry).await;
    lease.release(host).await;
    appended
}
