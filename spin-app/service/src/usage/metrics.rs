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
    host::{Host, KeyValue, Label, Unavailable},
    log::Counts,
};

/// Upper bounds of the classes of times, in milliseconds. There is one class more, beyond the last of them.
const BOUNDS_MS: [u32; 10] = [1, 2, 5, 10, 25, 50, 100, 250, 1_000, 5_000];

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
    let class = BOUNDS_MS.iter().take_while(|bound| duration_ms > f64::from(**bound)).count();
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
        let mut total = 0;
        let bounds = BOUNDS_MS.iter().map(|bound| (f64::from(*bound) / 1_000.0).to_string());
        for (bound, count) in bounds.chain(["+Inf".to_owned()]).zip(classes) {
            total += count;
            let _ = writeln!(text, "{name}_bucket{{route=\"{route}\",le=\"{bound}\"}} {total}");
        }
        let sum = read(store, time_us(route)).await? as f64 / 1_000_000.0;
        let _ = writeln!(
            text,
            "{name}_sum{{route=\"{route}\"}} {sum}\n{name}_count{{route=\"{route}\"}} {total}"
        );
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
