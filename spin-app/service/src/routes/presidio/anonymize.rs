//! `POST /anonymize`.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use textveil_engine::limits::MAX_TEXT_CHARS;

use super::{
    super::{Answer, ok},
    code_points::CodePoints,
    conflicts,
    operators::{Anonymizer, Config, DEFAULT},
    rewrite::{Piece, rewrite},
};
use crate::{body, error::ApiError, host::Host};

#[derive(Deserialize)]
struct AnonymizeRequest {
    #[serde(default)]
    text: String,
    analyzer_results: Vec<AnalyzerResult>,
    anonymizers: Option<BTreeMap<String, Config>>,
}

/// A finding, as `/analyze` reports it; what else it has is not looked at.
#[derive(Deserialize)]
struct AnalyzerResult {
    start: usize,
    end: usize,
    entity_type: String,
    score: f64,
}

/// The text with its findings changed, each by the operator of its type.
pub(super) fn answer<H: Host>(host: &H, request: Value) -> Answer {
    let request: AnonymizeRequest = body::record(request).map_err(ApiError::unprocessable)?;
    let AnonymizeRequest { text, analyzer_results, anonymizers } = request;
    let text_points = CodePoints::new(&text);
    if text_points.count() > MAX_TEXT_CHARS {
        let message = format!("text is longer than {MAX_TEXT_CHARS} characters");
        return Err(ApiError::invalid("text", message).unprocessable());
    }
    let mut operators = BTreeMap::new();
    for (kind, config) in anonymizers.unwrap_or_default() {
        operators.insert(kind, Anonymizer::try_from(config)?);
    }
    let default = operators.remove(DEFAULT).unwrap_or(Anonymizer::PRESIDIO_DEFAULT);
    let pieces = analyzer_results.into_iter().map(Piece::try_from).collect::<Result<_, _>>()?;
    let pieces = conflicts::resolve(pieces, &text_points);
    ok(&rewrite(&text, pieces, "analyzer_results", |kind, old| {
        let operator = operators.get(kind).unwrap_or(&default);
        Ok((operator.operate(host, kind, old), operator.name()))
    })?)
}

impl TryFrom<AnalyzerResult> for Piece {
    type Error = ApiError;

    fn try_from(result: AnalyzerResult) -> Result<Self, ApiError> {
        let AnalyzerResult { start, end, entity_type, score } = result;
        Self::new(start, end, entity_type, Some(score), "analyzer_results")
    }
}
