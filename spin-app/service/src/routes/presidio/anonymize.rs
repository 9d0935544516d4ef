//! `POST /anonymize`.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::{
    code_points::CodePoints,
    conflicts,
    operators::{Anonymizer, Config, DEFAULT},
    rewrite::{RewrittenPiece, rewrite},
};
use crate::{
    body,
    call::{RouteResult, ok},
    error::ApiError,
    host::Host,
};

/// A text, its findings, and the operators for them.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct AnonymizeRequest {
    /// The text in which something was found.
    #[serde(default)]
    text: String,
    /// The findings.
    analyzer_results: Vec<AnalyzerResult>,
    /// Operators by type, and the one of `DEFAULT` for all others; without it that is `replace`.
    anonymizers: Option<BTreeMap<String, Config>>,
}

/// A finding, as `/analyze` reports it; its other fields are ignored.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct AnalyzerResult {
    /// First code point of it.
    start: usize,
    /// First code point after it.
    end: usize,
    /// The type.
    entity_type: String,
    /// The confidence of the finding.
    score: f64,
}

/// The text with its findings changed, each by the operator of its type.
///
/// Nothing is detected here, so the text may be as long as a body: clients analyze a long text in pieces and
/// anonymize it as a whole.
pub(super) fn answer<H: Host>(host: &H, request: Value) -> RouteResult {
    let request: AnonymizeRequest = body::record(request).map_err(ApiError::unprocessable)?;
    let AnonymizeRequest { text, analyzer_results, anonymizers } = request;
    let mut operators = BTreeMap::new();
    for (kind, config) in anonymizers.unwrap_or_default() {
        operators.insert(kind, Anonymizer::try_from(config)?);
    }
    let default = operators.remove(DEFAULT).unwrap_or(Anonymizer::PRESIDIO_DEFAULT);
    let pieces = analyzer_results.into_iter().map(RewrittenPiece::try_from).collect::<Result<_, _>>()?;
    let pieces = conflicts::resolve(pieces, &CodePoints::new(&text));
    ok(&rewrite(&text, pieces, "analyzer_results", |kind, old| {
        let operator = operators.get(kind).unwrap_or(&default);
        Ok((operator.operate(host, kind, old), operator.name()))
    })?)
}

impl TryFrom<AnalyzerResult> for RewrittenPiece {
    type Error = ApiError;

    fn try_from(result: AnalyzerResult) -> Result<Self, ApiError> {
        let AnalyzerResult { start, end, entity_type, score } = result;
        Self::new(start, end, entity_type, Some(score), "analyzer_results")
    }
}
