//! Counts of what the service does, as `/metrics` shows them in Prometheus' text format.
//!
//! Nothing here tells of a workspace or a caller: routes, statuses, times, and types of findings.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use http::StatusCode;
use serde::{Deserialize, Serialize};

use crate::{
    gateway::breaker,
    host::{Host, KeyValue, Label, Unavailable},
    log::Counts,
};

/// Upper bounds of the classes of times, in milliseconds. There is one class more, beyond the last of them.
const BOUNDS_MS: [u32; 12] = [1, 2, 5, 10, 25, 50, 100, 250, 1_000, 5_000, 15_000, 60_000];

/// How many requests took how long, by class.
type Classes = [i64; BOUNDS_MS.len() + 1];

/// The counters that there are, so that to show them costs as many reads as there are, and not one for
/// each route, status and type that there could be.
#[derive(Default, Serialize, Deserialize)]
struct Known {
    /// Routes, statuses, classes of time.
    requests: BTreeSet<(String, u16, usize)>,
    /// Types.
    entities: BTreeSet<String>,
    /// Families and labels of counts.
    #[serde(default)]
    counts: BTreeSet<(String, String)>,
    /// Families, labels, classes of time.
    #[serde(default)]
    times: BTreeSet<(String, String, usize)>,
    /// Ids of providers that failed often enough to be passed over.
    #[serde(default)]
    breakers: BTreeSet<String>,
}

/// Something that the gateway did, beside answering a request.
pub(crate) enum Sample {
    /// So many of something.
    Count(Family, String, usize),
    /// Something took so many milliseconds.
    Time(Family, String, f64),
}

/// A family of samples: its name and what it is about.
pub(crate) type Family = &'static (&'static str, &'static str);

/// What the gateway counts, by labels.
pub(crate) mod gateway {
    pub(crate) static REQUESTS: (&str, &str) =
        ("textveil_gateway_requests_total", "Requests to language models, by endpoint and outcome.");
    pub(crate) static ENTITIES: (&str, &str) =
        ("textveil_gateway_entities_total", "Findings, by type, action and direction.");
    pub(crate) static RESTORES: (&str, &str) = (
        "textveil_gateway_restores_total",
        "Placeholders in answers: turned back (ok), or made up by the model (unknown).",
    );
    pub(crate) static WITHHELD: (&str, &str) = (
        "textveil_gateway_withheld_total",
        "Placeholders in answers that stay because their values would leave, by place: url or tool.",
    );
    pub(crate) static FALLBACKS: (&str, &str) =
        ("textveil_gateway_fallbacks_total", "Requests that went to the fallback route.");
    pub(crate) static BLOCKS: (&str, &str) =
        ("textveil_gateway_blocks_total", "Requests and answers that a policy blocked, by direction.");
    pub(crate) static BYPASSES: (&str, &str) =
        ("textveil_gateway_bypasses_total", "Requests that went on though not all of them was looked at.");
    pub(crate) static FAILURES: (&str, &str) =
        ("textveil_gateway_failures_total", "Requests without a good answer, by the code of the error.");
    pub(crate) static OVERHEAD: (&str, &str) =
        ("textveil_gateway_overhead_seconds", "Time that the gateway adds before the provider is asked.");
    pub(crate) static UPSTREAM: (&str, &str) = (
        "textveil_gateway_upstream_seconds",
        "Time to the head of a provider's answer, by type of provider.",
    );
    pub(crate) static FIRST_TOKEN: (&str, &str) = (
        "textveil_gateway_first_token_seconds",
        "Time to the first part of a streamed answer, by type of provider.",
    );

    pub(super) static COUNTS: [super::Family; 8] =
        [&REQUESTS, &ENTITIES, &RESTORES, &WITHHELD, &FALLBACKS, &BLOCKS, &BYPASSES, &FAILURES];
    pub(super) static TIMES: [super::Family; 3] = [&OVERHEAD, &UPSTREAM, &FIRST_TOKEN];
}

impl Known {
    const KEY: &str = "metrics-known";

    async fn read(store: &impl KeyValue) -> Result<Self, Unavailable> {
        let known = store.get(Self::KEY).await?.unwrap_or_default();
        Ok(serde_json::from_slice(&known).unwrap_or_default())
    }

    async fn add(store: &impl KeyValue, add: impl FnOnce(&mut Self)) -> Result<(), Unavailable> {
        let mut known = Self::read(store).await?;
        add(&mut known);
        store.set(Self::KEY, serde_json::json!(known).to_string().as_bytes()).await
    }
}

/// Adds to a counter, and to the list of counters where it is new. Nothing locks that list, so of two that
/// are new at a time one may get lost: it is listed again whenever its count gets a binary digit more.
async fn raise(
    store: &impl KeyValue,
    counter: &str,
    by: i64,
    list: impl FnOnce(&mut Known),
) -> Result<(), Unavailable> {
    let count = store.increment(counter, by).await?;
    if count.leading_zeros() < (count - by).leading_zeros() {
        Known::add(store, list).await?;
    }
    Ok(())
}

/// Counts one answered request. What cannot be counted is not: an answer never waits for its metrics'
/// store to recover.
pub(crate) async fn count(
    host: &impl Host,
    route: &'static str,
    status: StatusCode,
    duration_ms: f64,
    entities: &Counts,
) {
    let _ = try_count(host, route, status, duration_ms, entities).await;
}

async fn try_count(
    host: &impl Host,
    route: &'static str,
    status: StatusCode,
    duration_ms: f64,
    entities: &Counts,
) -> Result<(), Unavailable> {
    let store = host.store(Label::Usage);
    let status = status.as_u16();
    let class = class(duration_ms);
    raise(&store, &requests(route, status, class), 1, |known| {
        known.requests.insert((route.to_owned(), status, class));
    })
    .await?;
    // a request takes less than 2^53 microseconds
    store.increment(&time_us(route), (duration_ms * 1_000.0) as i64).await?;
    for (kind, found) in entities.iter() {
        raise(&store, &findings(kind), i64::try_from(found).unwrap_or(i64::MAX), |known| {
            known.entities.insert(kind.to_owned());
        })
        .await?;
    }
    Ok(())
}

/// Counts what the gateway did; what cannot be counted is not.
pub(crate) async fn record(host: &impl Host, samples: Vec<Sample>) {
    let _ = try_record(host, samples).await;
}

async fn try_record(host: &impl Host, samples: Vec<Sample>) -> Result<(), Unavailable> {
    let store = host.store(Label::Usage);
    for sample in samples {
        match sample {
            Sample::Count(_, _, 0) => {}
            Sample::Count((family, _), labels, by) => {
                let by = i64::try_from(by).unwrap_or(i64::MAX);
                raise(&store, &counted(family, &labels), by, |known| {
                    known.counts.insert(((*family).to_owned(), labels.clone()));
                })
                .await?;
            }
            Sample::Time((family, _), labels, ms) => {
                let class = class(ms);
                raise(&store, &timed(family, &labels, class), 1, |known| {
                    known.times.insert(((*family).to_owned(), labels.clone(), class));
                })
                .await?;
                store.increment(&summed(family, &labels), (ms * 1_000.0) as i64).await?;
            }
        }
    }
    Ok(())
}

/// From now on the state of the breaker of this provider is shown.
///
/// # Errors
/// [`Unavailable`].
pub(crate) async fn show_breaker(store: &impl KeyValue, provider: &str) -> Result<(), Unavailable> {
    raise(store, &format!("metric:breaker:{provider}"), 1, |known| {
        known.breakers.insert(provider.to_owned());
    })
    .await
}

fn class(ms: f64) -> usize {
    BOUNDS_MS.iter().take_while(|bound| ms > f64::from(**bound)).count()
}

fn counted(family: &str, labels: &str) -> String {
    format!("metric:count:{family}:{}", for_key(labels))
}

fn timed(family: &str, labels: &str, class: usize) -> String {
    format!("metric:class:{family}:{}:{class}", for_key(labels))
}

fn summed(family: &str, labels: &str) -> String {
    format!("metric:sum-us:{family}:{}", for_key(labels))
}

fn requests(route: &str, status: u16, class: usize) -> String {
    format!("metric:requests:{}:{status}:{class}", for_key(route))
}

fn time_us(route: &str) -> String {
    format!("metric:time-us:{}", for_key(route))
}

/// A route's pattern without the slashes and braces, which are not for keys.
fn for_key(route: &str) -> String {
    route.replace(|byte: char| !byte.is_ascii_alphanumeric() && !"_-".contains(byte), ".")
}

fn findings(kind: &str) -> String {
    format!("metric:entities:{kind}")
}

/// All counts, in Prometheus' text exposition format 0.0.4.
///
/// # Errors
/// [`Unavailable`].
pub(crate) async fn exposition(host: &impl Host) -> Result<String, Unavailable> {
    let store = host.store(Label::Usage);
    let known = Known::read(&store).await?;
    let mut text = String::new();
    show_requests(&store, &known, &mut text).await?;
    show_entities(&store, &known, &mut text).await?;
    show_counts(&store, &known, &mut text).await?;
    show_times(&store, &known, &mut text).await?;
    show_breakers(host, &known, &mut text).await?;
    Ok(text)
}

async fn show_requests(store: &impl KeyValue, known: &Known, text: &mut String) -> Result<(), Unavailable> {
    let mut times: BTreeMap<&str, Classes> = BTreeMap::new();
    let mut statuses: BTreeMap<(&str, u16), i64> = BTreeMap::new();
    for (route, status, class) in &known.requests {
        let count = read(store, requests(route, *status, *class)).await?;
        *statuses.entry((route, *status)).or_default() += count;
        if let Some(sum) = times.entry(route).or_default().get_mut(*class) {
            *sum += count;
        }
    }

    family(text, "textveil_requests_total", "counter", "Requests answered, by route and status.");
    for ((route, status), count) in statuses {
        let _ = writeln!(text, "textveil_requests_total{{route=\"{route}\",status=\"{status}\"}} {count}");
    }

    let name = "textveil_request_duration_seconds";
    family(text, name, "histogram", "Time from the head of a request to its answer, by route.");
    for (route, classes) in times {
        let sum_us = read(store, time_us(route)).await?;
        histogram(text, name, &format!("route=\"{route}\""), &classes, sum_us);
    }
    Ok(())
}

/// One member of a family of times.
fn histogram(text: &mut String, name: &str, labels: &str, classes: &Classes, sum_us: i64) {
    let comma = if labels.is_empty() { "" } else { "," };
    let mut total = 0;
    let bounds = BOUNDS_MS.iter().map(|bound| (f64::from(*bound) / 1_000.0).to_string());
    for (bound, count) in bounds.chain(["+Inf".to_owned()]).zip(classes) {
        total += count;
        let _ = writeln!(text, "{name}_bucket{{{labels}{comma}le=\"{bound}\"}} {total}");
    }
    let sum = sum_us as f64 / 1_000_000.0;
    let _ = writeln!(text, "{name}_sum{{{labels}}} {sum}\n{name}_count{{{labels}}} {total}");
}

async fn show_counts(store: &impl KeyValue, known: &Known, text: &mut String) -> Result<(), Unavailable> {
    for (name, help) in gateway::COUNTS {
        let labels: Vec<_> = known.counts.iter().filter(|(family, _)| family == name).collect();
        if !labels.is_empty() {
            family(text, name, "counter", help);
        }
        for (_, labels) in labels {
            let count = read(store, counted(name, labels)).await?;
            let _ = writeln!(text, "{name}{{{labels}}} {count}");
        }
    }
    Ok(())
}

async fn show_times(store: &impl KeyValue, known: &Known, text: &mut String) -> Result<(), Unavailable> {
    for (name, help) in gateway::TIMES {
        let mut members: BTreeMap<&str, Classes> = BTreeMap::new();
        for (_, labels, class) in known.times.iter().filter(|(family, ..)| family == name) {
            let count = read(store, timed(name, labels, *class)).await?;
            if let Some(sum) = members.entry(labels).or_default().get_mut(*class) {
                *sum += count;
            }
        }
        if !members.is_empty() {
            family(text, name, "histogram", help);
        }
        for (labels, classes) in members {
            let sum_us = read(store, summed(name, labels)).await?;
            histogram(text, name, labels, &classes, sum_us);
        }
    }
    Ok(())
}

/// The state of those providers that failed often.
async fn show_breakers(host: &impl Host, known: &Known, text: &mut String) -> Result<(), Unavailable> {
    let name = "textveil_gateway_breaker_open";
    if !known.breakers.is_empty() {
        family(text, name, "gauge", "Whether a provider is passed over since it keeps failing, by its id.");
    }
    for provider in &known.breakers {
        let open = u8::from(breaker::is_open(host, provider).await?);
        let _ = writeln!(text, "{name}{{provider=\"{provider}\"}} {open}");
    }
    Ok(())
}

async fn show_entities(store: &impl KeyValue, known: &Known, text: &mut String) -> Result<(), Unavailable> {
    family(text, "textveil_entities_total", "counter", "Findings, by type.");
    for kind in &known.entities {
        let count = read(store, findings(kind)).await?;
        let _ = writeln!(text, "textveil_entities_total{{type=\"{kind}\"}} {count}");
    }
    Ok(())
}

async fn read(store: &impl KeyValue, counter: String) -> Result<i64, Unavailable> {
    store.increment(&counter, 0).await
}

/// The head of a family. Here as below, writing to a String cannot fail.
fn family(text: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
}
