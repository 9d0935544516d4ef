//! `POST /deanonymize`.

use std::{cmp::Reverse, collections::BTreeMap};

use serde::Deserialize;
use serde_json::Value;

use super::{
    operators::{Config, DEFAULT, Deanonymizer},
    rewrite::{RewrittenPiece, rewrite},
};
use crate::{
    body,
    call::{RouteResult, ok},
    error::ApiError,
    order,
};

/// A text, what was encrypted in it, and with which keys.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct DeanonymizeRequest {
    /// The text in which something is encrypted.
    #[serde(default)]
    text: String,
    /// The encrypted parts of the text: the `items` of the answer of `/anonymize`.
    anonymizer_results: Option<Vec<AnonymizerResult>>,
    /// Operators by type, and the one of `DEFAULT` for all others.
    deanonymizers: Option<BTreeMap<String, Config>>,
}

/// An item of the answer of `/anonymize`; its other fields are ignored.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct AnonymizerResult {
    /// First code point of it.
    start: usize,
    /// First code point after it.
    end: usize,
    /// The type.
    entity_type: String,
    /// The confidence of the finding.
    score: Option<f64>,
}

/// The text with its items restored, each by the operator of its type.
pub(super) fn answer(request: Value) -> RouteResult {
    let request: DeanonymizeRequest = body::record(request).map_err(ApiError::unprocessable)?;
    let mut operators = BTreeMap::new();
    for (kind, config) in request.deanonymizers.unwrap_or_default() {
        operators.insert(kind, Deanonymizer::try_from(config)?);
    }
    let results = request.anonymizer_results.unwrap_or_default();
    let mut pieces = results.into_iter().map(RewrittenPiece::try_from).collect::<Result<Vec<_>, _>>()?;
    order::sort_by_key(&mut pieces, |piece| Reverse(piece.start));
    ok(&rewrite(&request.text, pieces, "anonymizer_results", |kind, old| {
        let operator = operators.get(kind).or_else(|| operators.get(DEFAULT)).ok_or_else(|| {
            let message = "deanonymizers has no operator for a type of anonymizer_results, and no DEFAULT";
            ApiError::invalid("deanonymizers", message).unprocessable()
        })?;
        Ok((operator.operate(old)?, operator.name()))
    })?)
}

impl TryFrom<AnonymizerResult> for RewrittenPiece {
    type Error = ApiError;

    fn try_from(result: AnonymizerResult) -> Result<Self, ApiError> {
        let AnonymizerResult { start, end, entity_type, score } = result;
        Self::new(start, end, entity_type, score, "anonymizer_results")
    }
}
