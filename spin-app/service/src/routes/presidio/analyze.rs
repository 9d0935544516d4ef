//! `POST /analyze`.

use std::{borrow::Cow, collections::HashSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use textveil_engine::{
    DetectOptions, Entity, Error, Finder, Work,
    limits::{MAX_BATCH, MAX_LIST, MAX_TEXT_CHARS},
    options::AllowRule,
};

use super::{
    ad_hoc::{AdHoc, Recognizer},
    code_points::CodePoints,
    explanation,
    findings::{Finding, apart},
    names::{self, WantedTypes},
};
use crate::{
    body,
    call::{Call, RouteResult, ok},
    error::ApiError,
    host::Host,
    system::Pace,
    types::Counts,
    workspace::Settings,
};

/// The language that Presidio's clients send if they do not know it, since Presidio requires one.
const NO_LANGUAGE: &str = "en";

/// The supported flags of Python's `re`.
const FLAGS: [(u32, char); 3] = [(2, 'i'), (8, 'm'), (16, 's')];

/// Presidio's default: IGNORECASE, MULTILINE and DOTALL.
const DEFAULT_FLAGS: u32 = 26;

/// The texts and the options of an analysis. `correlation_id` is ignored: the log contains `X-Request-Id`.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct AnalyzeRequest {
    /// One text of 1 to 50000 characters, or 1 to 50 of them.
    text: Texts,
    /// Language of the text, such as `de`: evidence for the countries that speak it. `en` is not evidence,
    /// because clients that do not know the language send it.
    language: Option<String>,
    /// Report these types only, by Presidio's names or by those of this API; unknown names are ignored. All
    /// types when absent or empty.
    entities: Option<Vec<String>>,
    /// The minimum confidence of a finding, 0 to 1. When absent, the threshold of the preset `balanced`, and none for
    /// ad hoc recognizers.
    score_threshold: Option<f64>,
    /// Report the evidence of each finding.
    return_decision_process: Option<bool>,
    /// Recognizers for this request only.
    ad_hoc_recognizers: Option<Vec<Recognizer>>,
    /// Words that count as if they preceded the text, such as the name of its column.
    context: Option<Vec<String>>,
    /// Texts that are not reported.
    allow_list: Option<Vec<String>>,
    /// Whether the allow list contains texts or patterns; `exact` when absent.
    allow_list_match: Option<AllowListMatch>,
    /// The flags of the allow list's patterns, with the values of Python's `re`; 26 when absent.
    regex_flags: Option<u32>,
}

/// One text or several.
#[derive(Deserialize)]
#[serde(untagged)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
enum Texts {
    /// One text; the answer is the list of its findings.
    One(String),
    /// Several texts; the answer is a list of such lists.
    Several(Vec<String>),
}

/// The content of an allow list.
#[derive(Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
enum AllowListMatch {
    /// Texts, compared exactly.
    Exact,
    /// Patterns, searched in the findings.
    Regex,
}

/// The findings of one text or of several, the most confident first.
#[derive(Serialize)]
#[serde(untagged)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AnalyzeResponse"))]
pub(crate) enum Findings {
    /// Of one text.
    OfOne(Vec<Finding>),
    /// Of several texts, in their order.
    OfSeveral(Vec<Vec<Finding>>),
}

/// The findings of a text, or a list of them for each text of a list.
pub(super) async fn answer<H: Host>(call: Call<'_, H>, request: Value) -> RouteResult {
    let request: AnalyzeRequest = body::record(request)?;
    let settings = call.settings().await?;
    let (texts, single) = match &request.text {
        Texts::One(text) => (std::slice::from_ref(text), true),
        Texts::Several(texts) => (texts.as_slice(), false),
    };
    check_texts(texts, single)?;
    let mut pace = Pace::start(call.host);
    let mut findings = Analysis::new(&request, &settings)?.run(texts, call.counts, &mut pace).await?;
    ok(&match findings.pop() {
        Some(only) if single => Findings::OfOne(only),
        last => Findings::OfSeveral(findings.into_iter().chain(last).collect()),
    })
}

/// An empty text is allowed in a list, but not alone, as with Presidio.
fn check_texts(texts: &[String], single: bool) -> Result<(), ApiError> {
    if texts.is_empty() || single && texts.iter().all(String::is_empty) {
        return Err(ApiError::invalid("text", "text is empty; send a string, or a list of strings"));
    }
    if texts.len() > MAX_BATCH {
        return Err(ApiError::invalid("text", format!("text must be a list of at most {MAX_BATCH} strings")));
    }
    let too_long = texts.iter().position(|text| text.chars().nth(MAX_TEXT_CHARS).is_some());
    too_long.map_or(Ok(()), |index| {
        let field = if single { "text".to_owned() } else { format!("text[{index}]") };
        Err(ApiError::invalid(&field, format!("{field} is longer than {MAX_TEXT_CHARS} characters")))
    })
}

/// The options of an analysis, for the engine and for the answer.
struct Analysis<'r> {
    request: &'r AnalyzeRequest,
    /// The requested types; `None` for all.
    wanted: Option<WantedTypes>,
    /// Texts that are not reported, as written.
    allowed: HashSet<&'r str>,
    /// Options for the catalogue and the workspace's detectors; `None` if only ad hoc recognizers are
    /// requested.
    known: Option<DetectOptions>,
    ad_hoc: AdHoc<'r>,
    /// Options for the ad hoc recognizers; `None` without them.
    brought: Option<DetectOptions>,
}

impl<'r> Analysis<'r> {
    fn new(request: &'r AnalyzeRequest, settings: &Settings) -> Result<Self, ApiError> {
        if request.score_threshold.is_some_and(|threshold| !(0.0..=1.0).contains(&threshold)) {
            return Err(ApiError::invalid("score_threshold", "score_threshold must be a number from 0 to 1"));
        }
        let entities = request.entities.as_deref().filter(|entities| !entities.is_empty());
        if entities.is_some_and(|entities| entities.len() > MAX_LIST) {
            return Err(ApiError::invalid("entities", format!("entities must be at most {MAX_LIST} names")));
        }
        let mut options = DetectOptions {
            language: request.language.clone().filter(|language| !language.eq_ignore_ascii_case(NO_LANGUAGE)),
            min_confidence: request.score_threshold,
            allow_list: request.allow_rules(),
            explain: request.explains(),
            ..DetectOptions::default()
        };
        settings.add_to(&mut options);

        let is_named = |kind: &str| entities.is_none_or(|names| names.iter().any(|name| name == kind));
        let ad_hoc = AdHoc::new(request.ad_hoc_recognizers.as_deref().unwrap_or_default(), is_named)?;
        let brought = (!ad_hoc.is_empty()).then(|| ad_hoc.options(options.allow_list.clone()));
        let wanted = entities.map(|entities| WantedTypes::new(entities, &options));
        options.entities = wanted.as_ref().map(WantedTypes::types).unwrap_or_default();
        let known = wanted.as_ref().is_none_or(|wanted| !wanted.is_empty()).then_some(options);
        if known.is_none() && brought.is_none() {
            return Err(ApiError::invalid(
                "entities",
                "entities names no type that can be found; GET /supportedentities lists those there are",
            ));
        }
        let exact = request.allow_list_match != Some(AllowListMatch::Regex);
        let allowed = request.allow_list.iter().flatten().filter(|_| exact).map(String::as_str).collect();
        Ok(Self { request, wanted, allowed, known, ad_hoc, brought })
    }

    /// Returns the findings of each text.
    async fn run<H: Host>(
        &self,
        texts: &[String],
        counts: &mut Counts,
        pace: &mut Pace<'_, H>,
    ) -> Result<Vec<Vec<Finding>>, ApiError> {
        let context = self.request.context.as_deref().unwrap_or_default();
        let labelled: Vec<_> = texts.iter().map(|text| label(text, context)).collect();
        let texts: Vec<_> = labelled.iter().map(|(text, label)| Examined::new(text, *label)).collect();
        let mut findings: Vec<Vec<Finding>> = texts.iter().map(|_| Vec::new()).collect();
        // both searches share the budget for custom detectors
        let work = Work::default();
        if let Some(options) = &self.known {
            let found = detect(&texts, options, &work, pace).await.map_err(|error| self.refused(error))?;
            self.report(&texts, &found, Self::known, &mut findings, counts);
        }
        if let Some(options) = &self.brought {
            let found = detect(&texts, options, &work, pace).await.map_err(|error| {
                self.ad_hoc.refused(options, &error).unwrap_or_else(|| self.refused(error))
            })?;
            self.report(&texts, &found, Self::brought, &mut findings, counts);
        }
        Ok(findings.into_iter().map(apart).collect())
    }

    /// Adds the engine's findings of each text, converted by `finding`.
    fn report(
        &self,
        texts: &[Examined<'_>],
        found: &[Vec<Entity>],
        finding: impl Fn(&Self, &Entity, &CodePoints<'_>) -> Option<Finding>,
        findings: &mut [Vec<Finding>],
        counts: &mut Counts,
    ) {
        for ((text, entities), findings) in texts.iter().zip(found).zip(findings) {
            let entities = entities.iter().filter(|entity| !self.allowed.contains(entity.original.as_str()));
            for entity in entities {
                if let Some(finding) = finding(self, entity, &text.text).and_then(|found| text.place(found)) {
                    counts.add(entity);
                    findings.push(finding);
                }
            }
        }
    }

    /// Converts an error of the engine to one of the field in the request.
    fn refused(&self, error: Error) -> ApiError {
        let pattern = error.field().and_then(|field| field.strip_prefix("allow_list[")?.split(']').next());
        let sent = pattern.and_then(|pattern| {
            let mut patterns = self.request.patterns();
            patterns.nth(pattern.parse().ok()?).map(|(index, _)| format!("allow_list[{index}]"))
        });
        match sent {
            Some(field) => ApiError::from(error.within(field)),
            None => ApiError::from(error),
        }
    }

    /// Converts a finding of the catalogue, or of a detector of the workspace.
    fn known(&self, entity: &Entity, text: &CodePoints<'_>) -> Option<Finding> {
        let finding = || Finding {
            analysis_explanation: self.request.explains().then(|| explanation::of(entity, text)),
            entity_type: names::of(entity),
            start: entity.span.start,
            end: entity.span.end,
            score: entity.confidence,
        };
        self.wanted.as_ref().is_none_or(|wanted| wanted.has(entity)).then(finding)
    }

    /// Converts a finding of an ad hoc recognizer.
    ///
    /// Its score is the recognizer's, so only a threshold of the request applies.
    fn brought(&self, entity: &Entity, text: &CodePoints<'_>) -> Option<Finding> {
        let finding = self.ad_hoc.finding(entity, text)?;
        let is_sure = self.request.score_threshold.is_none_or(|threshold| finding.score >= threshold);
        let explanation = finding.analysis_explanation.filter(|_| self.request.explains());
        is_sure.then_some(Finding { analysis_explanation: explanation, ..finding })
    }
}

impl AnalyzeRequest {
    fn explains(&self) -> bool {
        self.return_decision_process == Some(true)
    }

    /// Returns the non-empty patterns of the allow list, with their indices.
    fn patterns(&self) -> impl Iterator<Item = (usize, &String)> {
        let are_patterns = self.allow_list_match == Some(AllowListMatch::Regex);
        let entries = self.allow_list.iter().flatten().enumerate();
        entries.filter(move |(_, entry)| are_patterns && !entry.is_empty())
    }

    /// Returns the patterns as rules of the engine.
    ///
    /// Presidio searches them in the findings, and compiles all of them with the same flags.
    fn allow_rules(&self) -> Vec<AllowRule> {
        let wanted = self.regex_flags.unwrap_or(DEFAULT_FLAGS);
        let flags: String =
            FLAGS.iter().filter(|(bit, _)| wanted & bit != 0).map(|(_, flag)| *flag).collect();
        let flags = if flags.is_empty() { flags } else { format!("(?{flags})") };
        let rule = |pattern: &String| AllowRule::Regex(format!("(?s:.*?)(?:{flags}{pattern})(?s:.*)"));
        self.patterns().map(|(_, pattern)| rule(pattern)).collect()
    }
}

/// Returns a text preceded by the words of the request's context, like a label, and the length of those in
/// characters.
///
/// They are evidence for findings near them, and everything in the cell of a table is near.
fn label<'t>(text: &'t str, context: &[String]) -> (Cow<'t, str>, usize) {
    let label = format!("{}: ", context.join(", "));
    let length = label.chars().count();
    let fits = text.chars().count() + length <= MAX_TEXT_CHARS;
    if context.is_empty() || text.is_empty() || !fits {
        return (Cow::Borrowed(text), 0);
    }
    (Cow::Owned(label + text), length)
}

/// A text as passed to the engine.
struct Examined<'t> {
    written: &'t str,
    text: CodePoints<'t>,
    /// The length of the label before it, in characters.
    label: usize,
}

impl<'t> Examined<'t> {
    fn new(written: &'t str, label: usize) -> Self {
        Self { written, text: CodePoints::new(written), label }
    }

    /// Returns a finding at its position in the request's text; `None` for one in the label.
    fn place(&self, finding: Finding) -> Option<Finding> {
        let start = finding.start.saturating_sub(self.label);
        let end = finding.end.saturating_sub(self.label);
        (start < end).then_some(Finding { start, end, ..finding })
    }
}

/// Returns the findings of each text; none in an empty one, which the engine rejects.
async fn detect<H: Host>(
    texts: &[Examined<'_>],
    options: &DetectOptions,
    work: &Work,
    pace: &mut Pace<'_, H>,
) -> Result<Vec<Vec<Entity>>, Error> {
    let mut found = vec![Vec::new(); texts.len()];
    let places = texts.iter().zip(&mut found).filter(|(text, _)| !text.written.is_empty());
    let finder = Finder::new(options)?;
    for (text, place) in places {
        *place = finder.detect_counted(text.written, work)?.entities;
        pace.rest().await;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn context_is_a_label_in_front() {
        for (text, context, want, length) in [
            ("AB", &["licence", "číslo"][..], "licence, číslo: AB", 16),
            ("AB", &[], "AB", 0),
            ("", &["licence"], "", 0),
        ] {
            let context: Vec<String> = context.iter().map(ToString::to_string).collect();
            assert_eq!(label(text, &context), (Cow::Borrowed(want), length));
        }
        let longest = "a".repeat(MAX_TEXT_CHARS);
        assert_eq!(label(&longest, &["x".to_owned()]).1, 0, "the longest text is examined as it is");
    }

    #[test]
    fn findings_are_placed_behind_the_label() {
        let text = Examined::new("id: 12 34", 4);
        let finding = |start, end| Finding {
            analysis_explanation: None,
            end,
            entity_type: "X".to_owned(),
            score: 1.0,
            start,
        };
        for (given, want) in [((4, 6), Some((0, 2))), ((2, 6), Some((0, 2))), ((0, 2), None), ((0, 4), None)]
        {
            let placed = text.place(finding(given.0, given.1)).map(|placed| (placed.start, placed.end));
            assert_eq!(placed, want, "{given:?}");
        }
    }
}
