//! Telemetry in OTLP/JSON: texts of logs and traces are protected, attributes labelled with their keys.
//!
//! Langfuse asks for its spans (`POST /api/v1/guardrails/langfuse`). Exporters send theirs to
//! `POST /api/v1/otlp/v1/logs` and `/traces`, in the component with a network; the operator's collector gets them.

pub(crate) mod collector;
mod otlp;

use collector::Collector;
use serde_json::{Map, Value};
use textveil_documents::{Analysis, Edit, Value as DocumentValue, edited, passages};
use textveil_engine::{
    Work,
    tree::{Fault, FromTree, Tree},
};

use super::protect::{Protector, count, read};
use crate::{
    call::{Call, RouteResult, ok},
    error::ApiError,
    host::Host,
    system::Pace,
    upstream::Upstream,
};

/// Options in the query: clients of telemetry can set an address, and no field.
const OPTIONS: [&str; 4] = ["mode", "country", "language", "privacy_preset"];

/// Answers Langfuse with its spans, protected.
pub(crate) async fn langfuse<H: Host>(mut call: Call<'_, H>, mut spans: Value) -> RouteResult {
    protect(&mut call, &mut spans).await?;
    ok(&spans)
}

/// The path of exports of metrics, which no route takes.
pub(crate) const METRICS: &str = "/api/v1/otlp/v1/metrics";

/// The answer to an export of metrics: nothing passes unprotected.
pub(crate) fn metrics() -> ApiError {
    ApiError::not_supported(
        "metrics are not protected here, so they do not pass; send them to the collector itself \
         (OTEL_EXPORTER_OTLP_METRICS_ENDPOINT), or none (OTEL_METRICS_EXPORTER=none)",
    )
}

/// The kind of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Telemetry {
    /// Log records.
    Logs,
    /// Spans.
    Traces,
}

impl Telemetry {
    /// The path at a collector.
    fn path(self) -> &'static str {
        match self {
            Self::Logs => "/v1/logs",
            Self::Traces => "/v1/traces",
        }
    }

    /// The field with the list of resources.
    fn field(self) -> &'static str {
        match self {
            Self::Logs => "resourceLogs",
            Self::Traces => "resourceSpans",
        }
    }
}

/// Protects an export and sends it to the collector, whose answer becomes the answer.
pub(crate) async fn export<H: Upstream>(
    mut call: Call<'_, H>,
    endpoint: Telemetry,
    mut document: Value,
) -> RouteResult {
    let field = endpoint.field();
    if !document.get(field).is_none_or(Value::is_array) {
        return Err(ApiError::invalid(field, format!("{field} must be a list")));
    }
    let collector = Collector::of(call.host).await?;
    protect(&mut call, &mut document).await?;
    let document = serde_json::to_vec(&document)
        .map_err(|_| ApiError::internal("the protected export cannot be written as JSON"))?;
    ok(&collector.send(call.host, endpoint.path(), document).await?)
}

/// Protects a document of OTLP/JSON in place. Texts of one record or span are read together.
///
/// # Errors
/// `invalid_request` naming an option; otherwise as for `POST /api/v1/protect`.
pub(crate) async fn protect<H: Host>(call: &mut Call<'_, H>, document: &mut Value) -> Result<(), ApiError> {
    let options = options(call)?;
    let (Nothing, Protector { finder, protection, keys }) = read(call, &options).await?;
    otlp::withhold_binary(document);
    let mut records: Vec<Vec<DocumentValue>> = Vec::new();
    otlp::each_text(document, &mut |record, label, text| {
        if records.len() <= record {
            records.resize_with(record + 1, Vec::new);
        }
        if let Some(values) = records.get_mut(record) {
            values.push(DocumentValue::plain(label.map(str::to_owned), text.to_owned()));
        }
        None
    });
    let mut pace = Pace::start(call.host);
    // all records share the budget for custom detectors
    let work = Work::default();
    let mut replaced: Vec<std::vec::IntoIter<Option<String>>> = Vec::with_capacity(records.len());
    for values in &records {
        let mut analysis = Analysis::of(values);
        for passage in passages(values) {
            let protected =
                finder.protect_cells(passage.text(), passage.cells(), &protection, Some(&keys), &work)?;
            count(call.counts, &protected);
            analysis.add(&passage, protected.entities, protected.countries);
            pace.rest().await;
        }
        let edits = analysis.edits(str::to_owned);
        let new = |(value, edits): (&DocumentValue, &Vec<Edit>)| {
            (!edits.is_empty()).then(|| edited(&value.text, edits))
        };
        replaced.push(values.iter().zip(&edits).map(new).collect::<Vec<_>>().into_iter());
    }
    otlp::each_text(document, &mut |record, _, _| replaced.get_mut(record)?.next().flatten());
    Ok(())
}

/// The texts are not in the options.
struct Nothing;

impl FromTree for Nothing {
    fn from_tree(tree: &Tree<'_>) -> Result<Self, Fault> {
        tree.object(|_| Self)
    }
}

/// Reads the options in the query.
fn options<H>(call: &Call<'_, H>) -> Result<Value, ApiError> {
    let mut options = Map::new();
    for (name, value) in call.query.parameters() {
        if !OPTIONS.contains(&name.as_str()) {
            let known = OPTIONS.join(", ");
            return Err(ApiError::invalid("query", format!("the query may have {known}, and nothing else")));
        }
        if options.insert(name.clone(), value.into()).is_some() {
            return Err(ApiError::invalid(&name, format!("{name} must be in the query once")));
        }
    }
    Ok(Value::Object(options))
}
