//! Metrics for `/metrics`, in Prometheus' text format.
//!
//! They contain nothing of a workspace or a caller: only routes, statuses, times, and types of findings. Each
//! is a counter in the store `usage`. An instance collects the counts of its requests and writes them
//! together, soon after the answers ([`flush`]); counts of a crashed instance that were not written yet are
//! lost.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use http::StatusCode;
use serde::{Deserialize, Serialize};

use super::breaker::Breaker;
use crate::{
    host::{Host, KeyValue, Label, Unavailable},
    types::Counts,
};

/// Upper bounds of the buckets of times, in milliseconds. One bucket more lies beyond the last of them.
const BOUNDS_MS: [u32; 12] = [1, 2, 5, 10, 25, 50, 100, 250, 1_000, 5_000, 15_000, 60_000];

/// The number of times by bucket.
type Buckets = [i64; BOUNDS_MS.len() + 1];

/// One counter of the store.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum Counter {
    /// Requests, by route, status and bucket of their duration.
    Requests(String, u16, usize),
    /// The sum of durations in microseconds, by route.
    Duration(String),
    /// Findings by type.
    Entities(String),
    /// A count of the gateway or of tokens, by family and labels.
    Count(String, String),
    /// A number of times, by family, labels and bucket.
    Bucket(String, String, usize),
    /// The sum of times in microseconds, by family and labels.
    Sum(String, String),
    /// Circuit breakers that have opened, by their names.
    Breaker(String),
}

impl Counter {
    fn key(&self) -> String {
        match self {
            Self::Requests(route, status, bucket) => {
                format!("metric:requests:{}:{status}:{bucket}", for_key(route))
            }
            Self::Duration(route) => format!("metric:time-us:{}", for_key(route)),
            Self::Entities(kind) => format!("metric:entities:{kind}"),
            Self::Count(family, labels) => format!("metric:count:{family}:{}", for_key(labels)),
            Self::Bucket(family, labels, bucket) => {
                format!("metric:class:{family}:{}:{bucket}", for_key(labels))
            }
            Self::Sum(family, labels) => format!("metric:sum-us:{family}:{}", for_key(labels)),
            Self::Breaker(name) => format!("metric:breaker:{name}"),
        }
    }

    async fn read(&self, store: &impl KeyValue) -> Result<i64, Unavailable> {
        store.increment(&self.key(), 0).await
    }
}

/// A text without the characters that keys cannot hold.
fn for_key(text: &str) -> String {
    text.replace(|byte: char| !byte.is_ascii_alphanumeric() && !"_-".contains(byte), ".")
}

/// Counts that were not written yet.
pub(crate) struct Sample(Vec<(Counter, i64)>);

impl Sample {
    /// A count of a family.
    pub(crate) fn count(family: Family, labels: String, count: usize) -> Self {
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        Self(vec![(Counter::Count(family.0.to_owned(), labels), count)])
    }

    /// A time of a family.
    pub(crate) fn time(family: Family, labels: String, ms: f64) -> Self {
        let name = family.0.to_owned();
        Self(vec![
            (Counter::Bucket(name.clone(), labels.clone(), bucket(ms)), 1),
            (Counter::Sum(name, labels), microseconds(ms)),
        ])
    }
}

/// The counts of one answered request.
pub(crate) fn of_request(
    route: &'static str,
    status: StatusCode,
    duration_ms: f64,
    entities: &Counts,
) -> Sample {
    let mut counts = vec![
        (Counter::Requests(route.to_owned(), status.as_u16(), bucket(duration_ms)), 1),
        (Counter::Duration(route.to_owned()), microseconds(duration_ms)),
    ];
    for (kind, found) in entities.iter() {
        counts.push((Counter::Entities(kind.to_owned()), i64::try_from(found).unwrap_or(i64::MAX)));
    }
    Sample(counts)
}

fn bucket(ms: f64) -> usize {
    BOUNDS_MS.iter().take_while(|bound| ms > f64::from(**bound)).count()
}

/// A request takes less than 2^53 microseconds.
fn microseconds(ms: f64) -> i64 {
    (ms * 1_000.0) as i64
}

/// A family of metrics: its name and its help.
pub(crate) type Family = &'static (&'static str, &'static str);

/// The families of counts and times.
pub(crate) mod families {
    pub(crate) static REQUESTS: (&str, &str) =
        ("textveil_gateway_requests_total", "Requests to language models, by endpoint and outcome.");
    pub(crate) static ENTITIES: (&str, &str) =
        ("textveil_gateway_entities_total", "Findings, by type, action and direction.");
    pub(crate) static RESTORES: (&str, &str) = (
        "textveil_gateway_restores_total",
        "Placeholders in answers: restored (ok), or made up by the model (unknown).",
    );
    pub(crate) static WITHHELD: (&str, &str) = (
        "textveil_gateway_withheld_total",
        "Placeholders in answers that stay because their values would leave, by place: url or tool.",
    );
    pub(crate) static FALLBACKS: (&str, &str) =
        ("textveil_gateway_fallbacks_total", "Requests that used the fallback route.");
    pub(crate) static BLOCKS: (&str, &str) =
        ("textveil_gateway_blocks_total", "Requests and answers that a policy blocked, by direction.");
    pub(crate) static BYPASSES: (&str, &str) =
        ("textveil_gateway_bypasses_total", "Requests forwarded with uninspected or unrecorded parts.");
    pub(crate) static FAILURES: (&str, &str) =
        ("textveil_gateway_failures_total", "Requests without a successful answer, by error code.");
    pub(crate) static TOKENS: (&str, &str) = (
        "textveil_tokens_total",
        "Tokens in requests to restore, by the version of their key in token_secrets and by outcome.",
    );
    pub(crate) static OVERHEAD: (&str, &str) =
        ("textveil_gateway_overhead_seconds", "Time that the gateway adds before it asks the provider.");
    pub(crate) static UPSTREAM: (&str, &str) = (
        "textveil_gateway_upstream_seconds",
        "Time to the head of a provider's answer, by type of provider.",
    );
    pub(crate) static FIRST_TOKEN: (&str, &str) = (
        "textveil_gateway_first_token_seconds",
        "Time to the first part of a streamed answer, by type of provider.",
    );

    pub(super) static COUNTS: [super::Family; 9] =
        [&REQUESTS, &ENTITIES, &RESTORES, &WITHHELD, &FALLBACKS, &BLOCKS, &BYPASSES, &FAILURES, &TOKENS];
    pub(super) static TIMES: [super::Family; 3] = [&OVERHEAD, &UPSTREAM, &FIRST_TOKEN];
}

/// The counters that exist, so that showing them costs as many reads as there are, and not one for each route, status
/// and type that could be.
#[derive(Default, Serialize, Deserialize)]
#[serde(transparent)]
struct Known(BTreeSet<Counter>);

impl Known {
    const KEY: &str = "metrics-list";

    async fn read(store: &impl KeyValue) -> Result<Self, Unavailable> {
        let known = store.get(Self::KEY).await?.unwrap_or_default();
        Ok(serde_json::from_slice(&known).unwrap_or_default())
    }

    async fn add(store: &impl KeyValue, counters: Vec<Counter>) -> Result<(), Unavailable> {
        let mut known = Self::read(store).await?;
        known.0.extend(counters);
        store.set(Self::KEY, serde_json::json!(known).to_string().as_bytes()).await
    }
}

/// Counts of an instance that wait to be written.
#[derive(Default)]
pub(crate) struct Pending {
    counts: BTreeMap<Counter, i64>,
    /// Whether a task has begun to wait for more.
    is_scheduled: bool,
}

/// Adds counts to those of this instance, which [`flush`] writes.
pub(crate) fn collect(host: &impl Host, samples: Vec<Sample>) {
    let counts = samples.into_iter().flat_map(|Sample(counts)| counts).filter(|(_, count)| *count != 0);
    host.cache().with(|pending: &mut Pending| {
        for (counter, count) in counts {
            *pending.counts.entry(counter).or_default() += count;
        }
    });
}

/// Writes the counts of this instance, together with all that come within the host's batch time. A task that finds
/// another one waiting leaves its counts to that one. Counts that the store does not take are lost.
pub(crate) async fn flush(host: &impl Host) {
    let is_first = host.cache().with(|pending: &mut Pending| {
        !pending.counts.is_empty() && !std::mem::replace(&mut pending.is_scheduled, true)
    });
    if !is_first {
        return;
    }
    let batch_ms = host.batch_ms();
    if batch_ms > 0 {
        host.sleep_ms(batch_ms).await;
    }
    let _ = write(host).await;
}

/// Writes the counts of this instance.
async fn write(host: &impl Host) -> Result<(), Unavailable> {
    let counts = host.cache().with(|pending: &mut Pending| {
        pending.is_scheduled = false;
        std::mem::take(&mut pending.counts)
    });
    if counts.is_empty() {
        return Ok(());
    }
    let store = host.store(Label::Usage);
    let mut unlisted = Vec::new();
    for (counter, by) in counts {
        let sum = store.increment(&counter.key(), by).await?;
        // the list has no lock, so one of two new counters may get lost: a counter is listed again whenever
        // its sum gains a binary digit
        if sum.leading_zeros() < sum.saturating_sub(by).leading_zeros() {
            unlisted.push(counter);
        }
    }
    if !unlisted.is_empty() {
        Known::add(&store, unlisted).await?;
    }
    Ok(())
}

/// Shows the state of a circuit breaker from now on.
///
/// # Errors
/// [`Unavailable`].
pub(crate) async fn show_breaker(store: &impl KeyValue, breaker: &Breaker) -> Result<(), Unavailable> {
    let counter = Counter::Breaker(breaker.name());
    let sum = store.increment(&counter.key(), 1).await?;
    if sum.leading_zeros() < (sum - 1).leading_zeros() {
        Known::add(store, vec![counter]).await?;
    }
    Ok(())
}

/// All metrics, in Prometheus' text exposition format 0.0.4.
///
/// # Errors
/// [`Unavailable`].
pub(crate) async fn exposition(host: &impl Host) -> Result<String, Unavailable> {
    write(host).await?;
    let store = host.store(Label::Usage);
    let Known(known) = Known::read(&store).await?;
    let mut values = BTreeMap::new();
    for counter in known {
        let value = counter.read(&store).await?;
        values.insert(counter, value);
    }
    let mut text = String::new();
    show_requests(&values, &mut text);
    show_entities(&values, &mut text);
    show_counts(&values, &mut text);
    show_times(&values, &mut text);
    show_breakers(host, &values, &mut text).await?;
    Ok(text)
}

/// Returns the written counts of a family, with their labels.
///
/// # Errors
/// [`Unavailable`].
pub(crate) async fn counts(host: &impl Host, family: Family) -> Result<Vec<(String, u64)>, Unavailable> {
    let store = host.store(Label::Usage);
    let mut counts = Vec::new();
    for counter in Known::read(&store).await?.0 {
        let count = counter.read(&store).await?;
        match counter {
            Counter::Count(of, labels) if of == family.0 => {
                counts.push((labels, u64::try_from(count).unwrap_or_default()));
            }
            _ => {}
        }
    }
    Ok(counts)
}

/// Returns the value of a label in the labels of a count.
pub(crate) fn label<'a>(labels: &'a str, name: &str) -> Option<&'a str> {
    let value = |label: &'a str| label.strip_prefix(name)?.strip_prefix("=\"")?.strip_suffix('"');
    labels.split(',').find_map(value)
}

type Values = BTreeMap<Counter, i64>;

fn show_requests(values: &Values, text: &mut String) {
    let mut times: BTreeMap<&str, Buckets> = BTreeMap::new();
    let mut statuses: BTreeMap<(&str, u16), i64> = BTreeMap::new();
    for (counter, count) in values {
        let Counter::Requests(route, status, bucket) = counter else { continue };
        *statuses.entry((route, *status)).or_default() += count;
        if let Some(sum) = times.entry(route).or_default().get_mut(*bucket) {
            *sum += count;
        }
    }

    family(text, "textveil_requests_total", "counter", "Requests answered, by route and status.");
    for ((route, status), count) in statuses {
        let _ = writeln!(text, "textveil_requests_total{{route=\"{route}\",status=\"{status}\"}} {count}");
    }

    let name = "textveil_request_duration_seconds";
    family(text, name, "histogram", "Time from the head of a request to its answer, by route.");
    for (route, buckets) in times {
        let sum_us = values.get(&Counter::Duration(route.to_owned())).copied().unwrap_or_default();
        histogram(text, name, &format!("route=\"{route}\""), &buckets, sum_us);
    }
}

/// One member of a family of times.
fn histogram(text: &mut String, name: &str, labels: &str, buckets: &Buckets, sum_us: i64) {
    let comma = if labels.is_empty() { "" } else { "," };
    let mut total = 0;
    let bounds = BOUNDS_MS.iter().map(|bound| (f64::from(*bound) / 1_000.0).to_string());
    for (bound, count) in bounds.chain(["+Inf".to_owned()]).zip(buckets) {
        total += count;
        let _ = writeln!(text, "{name}_bucket{{{labels}{comma}le=\"{bound}\"}} {total}");
    }
    let sum = sum_us as f64 / 1_000_000.0;
    let _ = writeln!(text, "{name}_sum{{{labels}}} {sum}\n{name}_count{{{labels}}} {total}");
}

fn show_counts(values: &Values, text: &mut String) {
    for (name, help) in families::COUNTS {
        let mut has_head = false;
        for (counter, count) in values {
            let Counter::Count(of, labels) = counter else { continue };
            if of != name {
                continue;
            }
            if !std::mem::replace(&mut has_head, true) {
                family(text, name, "counter", help);
            }
            let _ = writeln!(text, "{name}{{{labels}}} {count}");
        }
    }
}

fn show_times(values: &Values, text: &mut String) {
    for (name, help) in families::TIMES {
        let mut members: BTreeMap<&str, Buckets> = BTreeMap::new();
        for (counter, count) in values {
            let Counter::Bucket(of, labels, bucket) = counter else { continue };
            if let Some(sum) =
                (of == name).then(|| members.entry(labels).or_default().get_mut(*bucket)).flatten()
            {
                *sum += count;
            }
        }
        if !members.is_empty() {
            family(text, name, "histogram", help);
        }
        for (labels, buckets) in members {
            let sum = Counter::Sum((*name).to_owned(), labels.to_owned());
            histogram(text, name, labels, &buckets, values.get(&sum).copied().unwrap_or_default());
        }
    }
}

/// The breakers of providers that failed often.
async fn show_breakers(host: &impl Host, values: &Values, text: &mut String) -> Result<(), Unavailable> {
    let name = "textveil_gateway_breaker_open";
    let mut has_head = false;
    for counter in values.keys() {
        let Counter::Breaker(known) = counter else { continue };
        if !std::mem::replace(&mut has_head, true) {
            family(text, name, "gauge", "Whether the circuit breaker of a provider is open, by its id.");
        }
        let breaker = Breaker::named(known);
        let open = u8::from(breaker.is_open(host).await?);
        let _ = writeln!(text, "{name}{{{}}} {open}", breaker.labels());
    }
    Ok(())
}

fn show_entities(values: &Values, text: &mut String) {
    family(text, "textveil_entities_total", "counter", "Findings, by type.");
    for (counter, count) in values {
        if let Counter::Entities(kind) = counter {
            let _ = writeln!(text, "textveil_entities_total{{type=\"{kind}\"}} {count}");
        }
    }
}

/// The head of a family. Here as above, writing to a String cannot fail.
fn family(text: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
}
