//! `/api/v1/custom-detectors`, `/api/v1/allow-list`, `/api/v1/deny-list`: what a workspace adds to every
//! call of its own.

use http::StatusCode;
use serde::Serialize;
use serde_json::{Value, json};
use textveil_engine::{
    DetectOptions, detect,
    options::{AllowRule, CustomDetector, DenyRule},
    types_named, wire,
};

use super::{Answer, Call, answer, ok};
use crate::{
    calendar::timestamp,
    documents,
    error::ApiError,
    host::Host,
    ids::uuid,
    limits::{MAX_SAMPLE_SHARE, MAX_WORKSPACE_DETECTORS, MAX_WORKSPACE_RULES},
    workspace::{Entry, Settings, key},
};

/// Ordinary text, in which a detector of one's own should find next to nothing.
const SAMPLE: &str = include_str!("settings/ordinary.txt");

/// The workspace's own detectors.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct CustomDetectors {
    /// In the order in which they were added.
    custom_detectors: Vec<CustomDetector>,
    /// How many.
    count: usize,
}

/// A detector was removed.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct DeletedDetector<'a> {
    /// True.
    deleted: bool,
    /// Its name.
    name: &'a str,
}

/// What the workspace never reports.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct AllowList {
    /// In the order in which they were added.
    allow_list: Vec<Entry<AllowRule>>,
    /// How many.
    count: usize,
}

/// What the workspace always reports.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct DenyList {
    /// In the order in which they were added.
    deny_list: Vec<Entry<DenyRule>>,
    /// How many.
    count: usize,
}

/// An entry was removed.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct DeletedEntry<'a> {
    /// True.
    deleted: bool,
    /// Its id.
    id: &'a str,
}

impl<'a> DeletedEntry<'a> {
    /// Says that the one of this id is gone.
    pub(super) fn new(id: &'a str) -> Self {
        Self { deleted: true, id }
    }
}

/// What the entries of one of the two lists say.
pub(super) trait Rule: Clone + Serialize {
    /// The list as it is answered.
    type List: Serialize;

    /// The name of the list in a request.
    const LIST: &str;

    /// The list of a workspace.
    fn of(settings: &mut Settings) -> &mut Vec<Entry<Self>>;

    /// The list of a request.
    fn sent(options: DetectOptions) -> Vec<Self>;

    /// The answer that lists these.
    fn listed(entries: Vec<Entry<Self>>) -> Self::List;
}

impl Rule for AllowRule {
    type List = AllowList;

    const LIST: &str = "allow_list";

    fn of(settings: &mut Settings) -> &mut Vec<Entry<Self>> {
        &mut settings.allow_list
    }

    fn sent(options: DetectOptions) -> Vec<Self> {
        options.allow_list
    }

    fn listed(entries: Vec<Entry<Self>>) -> AllowList {
        AllowList { count: entries.len(), allow_list: entries }
    }
}

impl Rule for DenyRule {
    type List = DenyList;

    const LIST: &str = "deny_list";

    fn of(settings: &mut Settings) -> &mut Vec<Entry<Self>> {
        &mut settings.deny_list
    }

    fn sent(options: DetectOptions) -> Vec<Self> {
        options.deny_list
    }

    fn listed(entries: Vec<Entry<Self>>) -> DenyList {
        DenyList { count: entries.len(), deny_list: entries }
    }
}

pub(super) async fn custom_detectors<H: Host>(call: Call<'_, H>) -> Answer {
    let detectors = Settings::of(call.host, &call.key.workspace).await?.custom_detectors;
    ok(&CustomDetectors { count: detectors.len(), custom_detectors: detectors })
}

pub(super) async fn create_custom_detector<H: Host>(call: Call<'_, H>, detector: Value) -> Answer {
    let detector = checked_detector(&detector)?;
    let stored = documents::update(call.host, &key(&call.key.workspace), |settings: &mut Settings| {
        let detectors = &mut settings.custom_detectors;
        if detectors.iter().any(|other| other.name == detector.name) {
            return Err(ApiError::conflict(
                "the workspace has a detector of this name; delete it first, or choose another name",
            ));
        }
        if detectors.len() >= MAX_WORKSPACE_DETECTORS {
            return Err(ApiError::conflict(format!(
                "the workspace has {MAX_WORKSPACE_DETECTORS} detectors; delete one that is not needed"
            )));
        }
        detectors.push(detector.clone());
        Ok(detector)
    })
    .await?;
    answer(StatusCode::CREATED, &stored)
}

pub(super) async fn delete_custom_detector<H: Host>(call: Call<'_, H>) -> Answer {
    documents::update(call.host, &key(&call.key.workspace), |settings: &mut Settings| {
        remove(&mut settings.custom_detectors, |detector| detector.name == call.parameter, "detector")
    })
    .await?;
    ok(&DeletedDetector { deleted: true, name: call.parameter })
}

pub(super) async fn rules<R: Rule, H: Host>(call: Call<'_, H>) -> Answer {
    let mut settings = Settings::of(call.host, &call.key.workspace).await?;
    ok(&R::listed(std::mem::take(R::of(&mut settings))))
}

pub(super) async fn create_rule<R: Rule, H: Host>(call: Call<'_, H>, rule: Value) -> Answer {
    let sent = R::sent(compile(&json!({ R::LIST: [rule] }), R::LIST)?);
    let rule = sent.into_iter().next().ok_or_else(|| ApiError::internal("a list lost its entry"))?;
    let entry = Entry { id: uuid(call.host), created_at: timestamp(call.host.now_ms() / 1_000), rule };
    let stored = documents::update(call.host, &key(&call.key.workspace), |settings: &mut Settings| {
        let rules = R::of(settings);
        if rules.len() >= MAX_WORKSPACE_RULES {
            return Err(ApiError::conflict(format!(
                "the list has {MAX_WORKSPACE_RULES} entries; delete one that is not needed"
            )));
        }
        rules.push(entry.clone());
        Ok(entry)
    })
    .await?;
    answer(StatusCode::CREATED, &stored)
}

pub(super) async fn delete_rule<R: Rule, H: Host>(call: Call<'_, H>) -> Answer {
    documents::update(call.host, &key(&call.key.workspace), |settings: &mut Settings| {
        remove(R::of(settings), |entry| entry.id == call.parameter, "entry")
    })
    .await?;
    ok(&DeletedEntry::new(call.parameter))
}

fn remove<T>(entries: &mut Vec<T>, is_meant: impl Fn(&T) -> bool, what: &str) -> Result<(), ApiError> {
    let before = entries.len();
    entries.retain(|entry| !is_meant(entry));
    if entries.len() == before { Err(ApiError::no_such(what)) } else { Ok(()) }
}

/// A detector that is well-formed, has a name of its own, and finds next to nothing in ordinary text.
fn checked_detector(detector: &Value) -> Result<CustomDetector, ApiError> {
    let options = compile(&json!({ "custom_detectors": [detector] }), "custom_detectors")?;
    let own = options.custom_detectors.first().cloned();
    let detector = own.ok_or_else(|| ApiError::internal("a list lost its entry"))?;
    if !types_named(&detector.name).is_empty() {
        return Err(ApiError::invalid("name", "name is that of a type in the catalogue; choose another one"));
    }
    let entities = vec![detector.name.clone()];
    let everything = DetectOptions { entities, min_confidence: Some(0.0), ..options };
    let found = detect(SAMPLE, &everything)?;
    let covered: usize = found.entities.iter().map(|entity| entity.original.chars().count()).sum();
    let share = covered as f64 / SAMPLE.chars().count() as f64;
    if share > MAX_SAMPLE_SHARE {
        return Err(ApiError::invalid(
            "pattern",
            format!(
                "pattern matches too much: {:.0} % of ordinary text, {} times in {} words; make it narrower",
                (share * 100.0).ceil(),
                found.entities.len(),
                SAMPLE.split_whitespace().count()
            ),
        ));
    }
    Ok(detector)
}

/// The options of a request that holds one entry in `list`, compiled once to see that they can be. An error
/// names the field within the entry.
fn compile(request: &Value, list: &str) -> Result<DetectOptions, ApiError> {
    let read = wire::decode(request).and_then(|options: DetectOptions| {
        detect("x", &options)?;
        Ok(options)
    });
    read.map_err(|error| {
        let field = error.field().unwrap_or("body");
        let inside = field.strip_prefix(list).and_then(|rest| rest.strip_prefix("[0]")).unwrap_or(field);
        let inside = inside.trim_start_matches('.');
        let message =
            error.to_string().replace(&format!("{list}[0]."), "").replace(&format!("{list}[0]"), "body");
        ApiError::invalid(if inside.is_empty() { "body" } else { inside }, message)
    })
}
