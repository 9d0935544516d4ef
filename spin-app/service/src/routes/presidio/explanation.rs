//! `analysis_explanation`: the evidence of a finding in Presidio's fields.

use serde::Serialize;
use textveil_engine::{Entity, Evidence, Fact};

use super::code_points::CodePoints;

/// Signals of words around a finding, which Presidio calls its context.
const WORDS: [&str; 2] = ["label", "context"];

/// Why something was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AnalysisExplanation"))]
pub(crate) struct Explanation {
    /// The recognizer: the type by the engine's name, or the caller's name of an ad hoc recognizer.
    pub recognizer: String,
    /// The caller's name of the pattern.
    pub pattern_name: Option<String>,
    /// The caller's pattern.
    pub pattern: Option<String>,
    /// The confidence without the evidence of the words around it.
    pub original_score: f64,
    /// The confidence.
    pub score: f64,
    /// The evidence for and against it, in log-odds.
    pub textual_explanation: Option<String>,
    /// The score added by context words.
    pub score_context_improvement: f64,
    /// The word of the text, or of the request's context, that is the strongest evidence for it.
    pub supportive_context_word: String,
    /// Whether a check digit or a structural rule holds; null for a type without such a rule.
    pub validation_result: Option<bool>,
}

/// Why the engine reports a finding; `text` is the one that it was found in.
pub(super) fn of(entity: &Entity, text: &CodePoints<'_>) -> Explanation {
    let words: f64 = words(&entity.evidence).map(|evidence| evidence.weight).sum();
    let score = entity.confidence;
    let original_score = without(score, words);
    Explanation {
        recognizer: entity.kind.to_string(),
        pattern_name: None,
        pattern: None,
        original_score,
        score,
        textual_explanation: Some(evidence(&entity.evidence)),
        score_context_improvement: round(score - original_score),
        supportive_context_word: supportive_word(&entity.evidence, text),
        validation_result: validation(entity),
    }
}

/// The part of the text that is the strongest evidence for a finding; empty without evidence.
pub(super) fn supportive_word(evidence: &[Evidence], text: &CodePoints<'_>) -> String {
    let strongest = words(evidence).max_by(|a, b| a.weight.total_cmp(&b.weight));
    let span = strongest.and_then(|evidence| evidence.span);
    span.and_then(|span| text.piece(span.start, span.end)).unwrap_or_default().to_owned()
}

fn words(evidence: &[Evidence]) -> impl Iterator<Item = &Evidence> {
    evidence.iter().filter(|evidence| WORDS.contains(&evidence.signal))
}

/// Returns a confidence reduced by these log-odds.
fn without(confidence: f64, odds: f64) -> f64 {
    if odds == 0.0 {
        return confidence;
    }
    let confidence = confidence.clamp(0.000_1, 0.999_9);
    round(1.0 / (1.0 + (odds - (confidence / (1.0 - confidence)).ln()).exp()))
}

fn round(score: f64) -> f64 {
    (score * 10_000.0).round() / 10_000.0
}

fn evidence(evidence: &[Evidence]) -> String {
    let signals = evidence.iter().map(|evidence| format!("{} {:+.2}", evidence.signal, evidence.weight));
    format!("log-odds: {}", signals.collect::<Vec<_>>().join(", "))
}

fn validation(entity: &Entity) -> Option<bool> {
    match entity.metadata.get("checksum_valid") {
        Some(Fact::Flag(valid)) => Some(*valid),
        _ => entity.validated.then_some(true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odds_are_taken_off() {
        for (confidence, odds, want) in [
            (0.9, 0.0, 0.9),
            (0.5, 0.0, 0.5),
            (0.9, 2.197_224_6, 0.5),
            (0.5, -2.197_224_6, 0.9),
            (1.0, 1.0, 0.9997),
        ] {
            assert_eq!(without(confidence, odds), want, "{confidence} without {odds}");
        }
    }
}
