//! Where chains lie in the store `audit`, and how records get there. Their locks lie in `usage`, which is fast
//! to write: so hosts that share `audit` must share `usage` too.
//!
//! A part is `audit:<workspace>:<chain>:<hour>:<part>`, lines as in [`super::chain`]; hours are counted from
//! 1970. A store cannot list its keys, so `audit-day:…` says how many parts each hour of a day has, and
//! `audit-index:…` which days there are and which part is the last. They are written before the part, in this
//! order, so that a part is always listed; one that is listed and not there is empty.

use std::{cell::Cell, collections::BTreeMap, ops::RangeInclusive};

use serde::{Deserialize, Serialize};

use super::{
    chain::{self, Link},
    chains,
    record::{AuditRecord, Entry},
};
use crate::{
    documents::{self, Prepared},
    error::ApiError,
    host::{Host, KeyValue, Label, Unavailable},
    limits::{AUDIT_CHAINS, MAX_AUDIT_PART_BYTES},
};

pub(super) const HOUR_SECONDS: u64 = 3_600;
const HOURS: u64 = 24;

/// Most documents that are deleted while a chain is held, which nobody may for long.
const DELETED_AT_ONCE: usize = 256;

/// A chain of a workspace.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chain<'a> {
    pub workspace: &'a str,
    pub number: usize,
}

/// Which days of a chain have records, and where it begins.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Index {
    /// Behind the last record that was deleted because of its age.
    pub start: Link,
    /// Counted from 1970, ascending.
    pub days: Vec<u64>,
    /// Days before them that are being deleted: nobody reads them any more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    expired: Vec<u64>,
    /// The last part that was begun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    latest: Option<Part>,
    /// The earliest hour of which an hour has records, where that is another one: a clock ran ahead or back.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    earliest: BTreeMap<u64, u64>,
    /// The first day that was to be kept when who held this chain last began to delete what is older, in all
    /// chains of the workspace.
    #[serde(default)]
    pub kept_from: u64,
}

impl Index {
    /// Whether something lies before the day `first`.
    pub(super) fn has_expired(&self, first: u64) -> bool {
        !self.expired.is_empty() || self.days.first().is_some_and(|day| *day < first)
    }

    /// Whether the parts of an hour may have records of `hours`.
    pub(super) fn hour_has(&self, hour: u64, hours: &RangeInclusive<u64>) -> bool {
        hour >= *hours.start() && self.earliest.get(&hour).unwrap_or(&hour) <= hours.end()
    }

    /// The days that may have records of `hours`.
    pub(super) fn days_with(&self, hours: &RangeInclusive<u64>) -> impl Iterator<Item = u64> {
        let has = |day: &u64| {
            let (begin, end) = (day * HOURS, (day + 1) * HOURS);
            let has_earlier = || self.earliest.range(begin..end).any(|(_, earliest)| earliest <= hours.end());
            end > *hours.start() && (begin <= *hours.end() || has_earlier())
        };
        self.days.iter().copied().filter(has)
    }

    /// Whether it is new that an hour has records of an earlier one.
    fn notes(&mut self, hour: u64, earlier: u64) -> bool {
        let is_new = earlier < *self.earliest.get(&hour).unwrap_or(&hour);
        if is_new {
            self.earliest.insert(hour, earlier);
        }
        is_new
    }
}

/// How many parts the hours of a day have, by the hour of the day.
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
    /// Counted from 1970.
    pub(super) fn day(self) -> u64 {
        self.hour / HOURS
    }

    /// Behind every part of a day.
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

    /// The days of the chain; none where there is no such chain.
    pub(super) async fn index(self, store: &impl KeyValue) -> Result<Index, ApiError> {
        documents::read_from(store, &self.index_key()).await
    }

    /// The parts of a day, oldest first.
    pub(super) async fn parts(self, store: &impl KeyValue, day: u64) -> Result<Vec<Part>, ApiError> {
        let Day(hours) = documents::read_from(store, &self.day_key(day)).await?;
        let of_hour = |(hour, parts): (u64, u32)| {
            (1..=parts).map(move |number| Part { hour: day * HOURS + hour, number })
        };
        Ok(hours.into_iter().flat_map(of_hour).collect())
    }

    /// The lines of a part; none where it is not there.
    pub(super) async fn lines(self, store: &impl KeyValue, part: Part) -> Result<String, Unavailable> {
        let bytes = store.get(&self.part_key(part)).await?.unwrap_or_default();
        // what is no text is shown by the verifier, and not by an error
        Ok(String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
    }

    /// The last part of a day and behind which record it is; none where the day has no record.
    async fn last_of_day(self, store: &impl KeyValue, day: u64) -> Result<Option<Link>, ApiError> {
        for part in self.parts(store, day).await?.into_iter().rev() {
            if let Some(link) = chain::last(&self.lines(store, part).await?) {
                return Ok(Some(link));
            }
        }
        Ok(None)
    }

    /// Behind which record the chain is.
    async fn last(self, store: &impl KeyValue, index: &Index) -> Result<Link, ApiError> {
        for day in index.days.iter().rev() {
            if let Some(link) = self.last_of_day(store, *day).await? {
                return Ok(link);
            }
        }
        Ok(index.start.clone())
    }

    /// Deletes what lies before the day `first`, so much at once. The caller holds the chain.
    pub(super) async fn delete_expired(self, store: &impl KeyValue, first: u64) -> Result<(), ApiError> {
        let mut index = self.index(store).await?;
        let expired = index.days.iter().take_while(|day| **day < first).count();
        let expired: Vec<u64> = index.days.drain(..expired).collect();
        for day in expired.iter().rev() {
            if let Some(link) = self.last_of_day(store, *day).await? {
                index.start = link;
                break;
            }
        }
        index.expired.extend(expired);
        index.earliest.retain(|hour, _| *hour >= first * HOURS);
        // before anything goes: what is left of a day is then no longer in the chain
        Prepared::new(&self.index_key(), &index)?.write_to(store).await?;

        let mut left = DELETED_AT_ONCE;
        while let Some(day) = index.expired.first().copied() {
            let Day(mut hours) = documents::read_from(store, &self.day_key(day)).await?;
            while let Some(mut last) = hours.last_entry() {
                let (hour, number) = (day * HOURS + last.key(), *last.get());
                if left == 0 {
                    return Prepared::new(&self.day_key(day), &Day(hours))?.write_to(store).await;
                }
                store.delete(&self.part_key(Part { hour, number })).await?;
                left -= 1;
                match number {
                    0 | 1 => drop(last.remove()),
                    _ => *last.get_mut() -= 1,
                }
            }
            store.delete(&self.day_key(day)).await?;
            index.expired.remove(0);
            Prepared::new(&self.index_key(), &index)?.write_to(store).await?;
        }
        Ok(())
    }

    /// Appends to the chain, which the caller holds. Returns whether that is the first time since the day
    /// `first` is the first to be kept.
    async fn append(self, store: &impl KeyValue, first: u64, entry: Entry) -> Result<bool, ApiError> {
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
        let at = crate::parse_timestamp(&entry.at).unwrap_or_default() / HOUR_SECONDS;
        let record = AuditRecord { sequence: last.next(), previous: last.hash, entry };
        let record = serde_json::to_string(&record)
            .map_err(|_| ApiError::internal("a record cannot be written as JSON"))?;
        let line = chain::line(&record);

        // a clock that runs backwards must not change the order
        let hour = latest.map_or(at, |part| part.hour.max(at));
        let is_noted = index.notes(hour, at);
        let has_room = lines.len() + line.len() <= MAX_AUDIT_PART_BYTES;
        if let Some(part) = latest.filter(|part| has_room && part.hour == hour) {
            if is_first || is_noted {
                Prepared::new(&self.index_key(), &index)?.write_to(store).await?;
            }
            lines.push_str(&line);
            store.set(&self.part_key(part), lines.as_bytes()).await?;
            return Ok(is_first);
        }
        let part = self.open(store, &mut index, hour).await?;
        store.set(&self.part_key(part), line.as_bytes()).await?;
        Ok(is_first)
    }

    /// Lists another part of an hour.
    async fn open(self, store: &impl KeyValue, index: &mut Index, hour: u64) -> Result<Part, ApiError> {
        let today = hour / HOURS;
        let mut day: Day = documents::read_from(store, &self.day_key(today)).await?;
        let parts = day.0.entry(hour % HOURS).or_default();
        *parts += 1;
        let part = Part { hour, number: *parts };
        Prepared::new(&self.day_key(today), &day)?.write_to(store).await?;
        if index.days.last() != Some(&today) {
            index.days.push(today);
        }
        index.latest = Some(part);
        Prepared::new(&self.index_key(), index)?.write_to(store).await?;
        Ok(part)
    }
}

thread_local! {
    /// The chain that this instance, which has one thread, wrote last: it tries that first, so that each of
    /// several soon has one of its own.
    static LAST: Cell<usize> = const { Cell::new(0) };
}

/// Appends to a chain of a workspace that nobody holds. Returns whether it is the chain's first time since the
/// day `first` is the first to be kept.
///
/// # Errors
/// `service_unavailable`.
pub(super) async fn append(
    host: &impl Host,
    first: u64,
    workspace: &str,
    entry: Entry,
) -> Result<bool, ApiError> {
    let chain = |offset| Chain { workspace, number: (LAST.get() + offset) % AUDIT_CHAINS };
    let all: Vec<Chain<'_>> = chains().map(chain).collect();
    let keys: Vec<String> = all.iter().map(|chain| chain.index_key()).collect();
    documents::hold_one_of(host, Label::Usage, &keys, async |index| {
        let chain = all.get(index).ok_or_else(|| ApiError::internal("a lock belongs to no chain"))?;
        LAST.set(chain.number);
        let store = host.store(Label::Audit);
        chain.append(&store, first, entry).await
    })
    .await
}
