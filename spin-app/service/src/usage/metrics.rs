//! Counts of what the service does, as `/metrics` shows them in Prometheus' text format.
//!
//! Nothing here tells of a workspace or a caller: routes, statuses, times, and types of findings.

use std::{collections::BTreeSet, fmt::Write as _};

use http::StatusCode;
use serde::{Deserialize, Serialize};

use crate::{
    host::{Host, KeyValue, Label, Unavailable},
    log::Counts,
};

/// Upper bounds of the classes of times, in milliseconds.
const BOUNDS_MS: [u32; 10] = [1, 2, 5, 10, 25, 50, 100, 250, 1_000, 5_000];

/// Name of the class beyond the last bound.
const BEYOND: &str = "inf";

const TIME_SUM_US: &str = "metric:time-us";

/// The counters that there are, so that to show them costs as many reads as there are, and not one for
/// each route, status and type that there could be.
#[derive(Default, Serialize, Deserialize)]
struct Known {
    /// Routes and statuses.
    requests: BTreeSet<(String, u16)>,
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
    raise(&store, &requests(route, status), 1, |known| {
        known.requests.insert((route.to_owned(), status));
    })
    .await?;
    let class = BOUNDS_MS.iter().find(|bound| duration_ms <= f64::from(**bound));
    let class = class.map_or_else(|| BEYOND.to_owned(), ToString::to_string);
    store.increment(&times(&class), 1).await?;
    // a request takes less than 2^53 microseconds
    store.increment(TIME_SUM_US, (duration_ms * 1_000.0) as i64).await?;
    for (kind, found) in entities.iter() {
        raise(&store, &findings(kind), i64::try_from(found).unwrap_or(i64::MAX), |known| {
            known.entities.insert(kind.to_owned());
        })
        .await?;
    }
    Ok(())
}

fn requests(route: &str, status: u16) -> String {
    // a path's slashes and braces are not for keys
    let route = route.replace(|byte: char| !byte.is_ascii_alphanumeric() && !"_-".contains(byte), ".");
    format!("metric:requests:{route}:{status}")
}

fn times(class: &str) -> String {
    format!("metric:time:{class}")
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
    let read = async |key: String| store.increment(&key, 0).await;
    let known = Known::read(&store).await?;
    let mut text = String::new();
    let family = |text: &mut String, name: &str, kind: &str, help: &str| {
        // writing to a String cannot fail
        let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
    };

    family(&mut text, "textveil_requests_total", "counter", "Requests answered, by route and status.");
    for (route, status) in known.requests {
        let count = read(requests(&route, status)).await?;
        let _ = writeln!(text, "textveil_requests_total{{route=\"{route}\",status=\"{status}\"}} {count}");
    }

    let name = "textveil_request_duration_seconds";
    family(&mut text, name, "histogram", "Time from the head of a request to its answer.");
    let mut total = 0;
    for bound in BOUNDS_MS {
        total += read(times(&bound.to_string())).await?;
        let seconds = f64::from(bound) / 1_000.0;
        let _ = writeln!(text, "{name}_bucket{{le=\"{seconds}\"}} {total}");
    }
    total += read(times(BEYOND)).await?;
    let sum = read(TIME_SUM_US.to_owned()).await? as f64 / 1_000_000.0;
    let _ = writeln!(text, "{name}_bucket{{le=\"+Inf\"}} {total}\n{name}_sum {sum}\n{name}_count {total}");

    family(&mut text, "textveil_entities_total", "counter", "Findings, by type.");
    for kind in known.entities {
        let count = read(findings(&kind)).await?;
        let _ = writeln!(text, "textveil_entities_total{{type=\"{kind}\"}} {count}");
    }
    Ok(text)
}
