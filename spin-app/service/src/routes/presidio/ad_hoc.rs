//! Recognizers in a request: patterns and lists of words, scored like Presidio's.
//!
//! Each pattern and each word becomes a custom detector of the engine, whose name encodes its origin. The
//! engine finds the matches; their scores are computed like Presidio's.

use std::collections::BTreeMap;

use serde::Deserialize;
use textveil_engine::{
    DetectOptions, Entity, Error,
    limits::MAX_CUSTOM_DETECTORS,
    options::{AllowRule, CustomDetector, DenyRule},
};

use super::{
    code_points::CodePoints,
    explanation::{Explanation, supportive_word},
    findings::Finding,
};
use crate::error::ApiError;

/// The score that a context word adds to a pattern, and the minimum of the sum (Presidio's
/// `LemmaContextAwareEnhancer`).
const CONTEXT_SCORE: f64 = 0.35;
const MIN_CONTEXT_SCORE: f64 = 0.4;

/// A recognizer of patterns, of words, or of both. It applies to every language, whatever its own.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AdHocRecognizer"))]
pub(crate) struct Recognizer {
    /// Its name in explanations.
    name: Option<String>,
    /// The type of its findings.
    supported_entity: Option<String>,
    /// The type of its findings, as the first of a list; instead of `supported_entity`.
    supported_entities: Option<Vec<String>>,
    /// Its patterns.
    patterns: Option<Vec<AdHocPattern>>,
    /// Words that it finds, ignoring case.
    deny_list: Option<Vec<String>>,
    /// The score of a word of `deny_list`, 0 to 1; 1 when absent.
    deny_list_score: Option<f64>,
    /// Words near a match of a pattern that add 0.35 to its score, which is then at least 0.4.
    context: Option<Vec<String>>,
}

/// A pattern of an ad hoc recognizer.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AdHocPattern"))]
struct AdHocPattern {
    /// Its name in explanations.
    name: String,
    /// A regular expression without look-around, of at most 512 bytes; case is ignored.
    regex: String,
    /// The score of a match, 0 to 1.
    score: f64,
}

impl Recognizer {
    /// Returns the type of its findings.
    pub(super) fn entity_type(&self) -> &str {
        let first = || self.supported_entities.as_ref().and_then(|types| types.first());
        self.supported_entity.as_ref().or_else(first).map(String::as_str).unwrap_or_default()
    }

    fn patterns(&self) -> &[AdHocPattern] {
        self.patterns.as_deref().unwrap_or_default()
    }

    fn deny_list(&self) -> &[String] {
        self.deny_list.as_deref().unwrap_or_default()
    }

    fn deny_list_score(&self) -> f64 {
        self.deny_list_score.unwrap_or(1.0)
    }

    fn context(&self) -> &[String] {
        self.context.as_deref().unwrap_or_default()
    }
}

/// The validated recognizers of a request, by their index in it.
pub(super) struct AdHoc<'r>(BTreeMap<usize, &'r Recognizer>);

impl<'r> AdHoc<'r> {
    /// Validates the recognizers whose type `is_wanted`.
    ///
    /// # Errors
    /// `invalid_request` naming the recognizer without a type, without a pattern, or with an invalid score.
    pub(super) fn new(
        recognizers: &'r [Recognizer],
        is_wanted: impl Fn(&str) -> bool,
    ) -> Result<Self, ApiError> {
        for (index, recognizer) in recognizers.iter().enumerate() {
            check(index, recognizer)?;
        }
        let patterns: usize = recognizers.iter().map(|recognizer| recognizer.patterns().len()).sum();
        if patterns > MAX_CUSTOM_DETECTORS {
            return Err(ApiError::invalid(
                "ad_hoc_recognizers",
                format!("ad_hoc_recognizers must have at most {MAX_CUSTOM_DETECTORS} patterns together"),
            ));
        }
        let wanted = recognizers.iter().enumerate().filter(|(_, one)| is_wanted(one.entity_type()));
        Ok(Self(wanted.collect()))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns options of the engine for these recognizers only.
    pub(super) fn options(&self, allow_list: Vec<AllowRule>) -> DetectOptions {
        let custom_detectors: Vec<_> =
            self.0.iter().flat_map(|(index, one)| detectors(*index, one)).collect();
        let deny_list: Vec<_> = self.0.iter().flat_map(|(index, one)| rules(*index, one)).collect();
        let names = custom_detectors.iter().map(|detector| detector.name.clone());
        let entities = names.chain(deny_list.iter().filter_map(|rule| rule.kind.clone())).collect();
        DetectOptions {
            entities,
            custom_detectors,
            deny_list,
            allow_list,
            min_confidence: Some(0.0),
            // returns the context words near a match
            explain: true,
            ..DetectOptions::default()
        }
    }

    /// Converts a finding of the engine with [`AdHoc::options`] to Presidio's form; `text` is the searched
    /// text.
    pub(super) fn finding(&self, entity: &Entity, text: &CodePoints<'_>) -> Option<Finding> {
        let part = PatternPart::parse(&entity.kind)?;
        let recognizer = self.0.get(&part.recognizer)?;
        let context = supportive_word(&entity.evidence, text);
        let (pattern, original_score, end) = match part.of {
            Of::AdHocPattern(index) => {
                let pattern = recognizer.patterns().get(index)?;
                (Some(pattern), pattern.score, entity.span.end)
            }
            Of::Word(index) => {
                let word = recognizer.deny_list().get(index)?;
                (None, recognizer.deny_list_score(), with_punctuation(text, entity.span.end, word))
            }
        };
        let score = if context.is_empty() {
            original_score
        } else {
            (original_score + CONTEXT_SCORE).clamp(MIN_CONTEXT_SCORE, 1.0)
        };
        Some(Finding {
            analysis_explanation: Some(Explanation {
                recognizer: recognizer.name.clone().unwrap_or_else(|| "PatternRecognizer".to_owned()),
                pattern_name: Some(pattern.map_or("deny_list", |pattern| &pattern.name).to_owned()),
                pattern: pattern.map(|pattern| pattern.regex.clone()),
                original_score,
                score,
                textual_explanation: None,
                score_context_improvement: score - original_score,
                supportive_context_word: context,
                validation_result: None,
            }),
            entity_type: recognizer.entity_type().to_owned(),
            start: entity.span.start,
            end,
            score,
        })
    }

    /// Converts an error of the engine about a recognizer to one of the field in the request; `None` for
    /// other errors.
    pub(super) fn refused(&self, options: &DetectOptions, error: &Error) -> Option<ApiError> {
        let field = error.field()?;
        let of_ours = |list: &str| field.starts_with(list);
        let field = match sent(options, field) {
            Some(field) => field,
            None if ["custom_detectors", "deny_list", "entities"].into_iter().any(of_ours) => {
                "ad_hoc_recognizers".to_owned()
            }
            None => return None,
        };
        Some(ApiError::from(error.clone().within(field)))
    }
}

fn check(index: usize, recognizer: &Recognizer) -> Result<(), ApiError> {
    let field = |name: &str| format!("ad_hoc_recognizers[{index}]{name}");
    let invalid = |name: &str, message: &str| {
        let field = field(name);
        Err(ApiError::invalid(&field, format!("{field} {message}")))
    };
    if recognizer.entity_type().is_empty() {
        return invalid(".supported_entity", "is missing; name the type that is found");
    }
    if recognizer.patterns().is_empty() && recognizer.deny_list().is_empty() {
        return invalid("", "finds nothing; send patterns or a deny_list");
    }
    for (at, pattern) in recognizer.patterns().iter().enumerate() {
        if !(0.0..=1.0).contains(&pattern.score) {
            return invalid(&format!(".patterns[{at}].score"), "must be a number from 0 to 1");
        }
    }
    if !(0.0..=1.0).contains(&recognizer.deny_list_score()) {
        return invalid(".deny_list_score", "must be a number from 0 to 1");
    }
    Ok(())
}

/// Returns a detector for each pattern. Its confidence only decides between overlapping patterns.
fn detectors(index: usize, recognizer: &Recognizer) -> impl Iterator<Item = CustomDetector> {
    recognizer.patterns().iter().enumerate().map(move |(at, pattern)| CustomDetector {
        name: PatternPart { recognizer: index, of: Of::AdHocPattern(at) }.name(),
        // Presidio's patterns are read with DOTALL, MULTILINE and IGNORECASE
        pattern: Some(format!("(?ims){}", pattern.regex)),
        context: recognizer.context().to_vec(),
        confidence: Some(0.9 + pattern.score * 0.09),
        ..CustomDetector::default()
    })
}

fn rules(index: usize, recognizer: &Recognizer) -> impl Iterator<Item = DenyRule> {
    recognizer.deny_list().iter().enumerate().map(move |(at, word)| DenyRule {
        value: word.clone(),
        kind: Some(PatternPart { recognizer: index, of: Of::Word(at) }.name()),
    })
}

/// Returns the end of a word of a list including its punctuation, as in `Mr.`: the engine's words contain
/// only letters and digits.
fn with_punctuation(text: &CodePoints<'_>, end: usize, word: &str) -> usize {
    let tail = word.trim_end_matches(|letter: char| !letter.is_alphanumeric());
    let tail = word.strip_prefix(tail).unwrap_or_default();
    let longer = end + tail.chars().count();
    if text.piece(end, longer) == Some(tail) { longer } else { end }
}

/// The origin of a detector, encoded in the name of its type.
#[derive(Debug, PartialEq)]
struct PatternPart {
    recognizer: usize,
    of: Of,
}

#[derive(Debug, PartialEq)]
enum Of {
    AdHocPattern(usize),
    Word(usize),
}

impl PatternPart {
    fn name(&self) -> String {
        match self.of {
            Of::AdHocPattern(at) => format!("r{}_p{at}", self.recognizer),
            Of::Word(at) => format!("r{}_w{at}", self.recognizer),
        }
    }

    fn parse(name: &str) -> Option<Self> {
        let (recognizer, part) = name.strip_prefix('r')?.split_once('_')?;
        let of = match part.split_at_checked(1)? {
            ("p", at) => Of::AdHocPattern(at.parse().ok()?),
            ("w", at) => Of::Word(at.parse().ok()?),
            _ => return None,
        };
        Some(Self { recognizer: recognizer.parse().ok()?, of })
    }
}

fn sent(options: &DetectOptions, field: &str) -> Option<String> {
    let (list, rest) = field.split_once('[')?;
    let (index, name) = rest.split_once(']')?;
    let index: usize = index.parse().ok()?;
    let kind = match list {
        "custom_detectors" => Some(&options.custom_detectors.get(index)?.name),
        "deny_list" => options.deny_list.get(index)?.kind.as_ref(),
        _ => None,
    };
    let PatternPart { recognizer, of } = PatternPart::parse(kind?)?;
    Some(match of {
        Of::AdHocPattern(_) if name == ".context" => format!("ad_hoc_recognizers[{recognizer}].context"),
        Of::AdHocPattern(at) => format!("ad_hoc_recognizers[{recognizer}].patterns[{at}].regex"),
        Of::Word(at) => format!("ad_hoc_recognizers[{recognizer}].deny_list[{at}]"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_where_a_detector_came_from() {
        for of in [Of::AdHocPattern(0), Of::Word(17)] {
            let part = PatternPart { recognizer: 3, of };
            assert_eq!(PatternPart::parse(&part.name()), Some(part));
        }
        for name in ["", "r", "r1", "r1_", "r1_x2", "rx_p1", "r1_p", "pesel", "r1_é"] {
            assert_eq!(PatternPart::parse(name), None, "{name}");
        }
    }

    #[test]
    fn punctuation_behind_a_word_belongs_to_it() {
        for (text, end, word, want) in [
            ("Mr. Novak", 2, "Mr.", 3),
            ("Mr Novak", 2, "Mr.", 2),
            ("Žů!? x", 2, "Žů!?", 4),
            ("Mr", 2, "Mr.", 2),
            ("Mr. N", 2, "Mr", 2),
        ] {
            assert_eq!(with_punctuation(&CodePoints::new(text), end, word), want, "{word} in {text}");
        }
    }
}
