//! `/api/v1/custom-detectors`, `/api/v1/allow-list`, `/api/v1/deny-list`: what a workspace adds to every
//! call of its own.

use http::StatusCode;
use serde_json::{Value, json};
use textveil_engine::{DetectOptions, detect, types_named, wire};

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

/// One of the two lists.
#[derive(Clone, Copy)]
pub(super) enum List {
    Allow,
    Deny,
}

impl List {
    fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow_list",
            Self::Deny => "deny_list",
        }
    }

    fn of(self, settings: &mut Settings) -> &mut Vec<Entry> {
        match self {
            Self::Allow => &mut settings.allow_list,
            Self::Deny => &mut settings.deny_list,
        }
    }
}

pub(super) async fn custom_detectors<H: Host>(call: Call<'_, H>) -> Answer {
    let detectors = Settings::of(call.host, &call.key.workspace).await?.custom_detectors;
    ok(&json!({ "custom_detectors": detectors, "count": detectors.len() }))
}

pub(super) async fn create_custom_detector<H: Host>(call: Call<'_, H>, detector: Value) -> Answer {
    check_detector(&detector)?;
    let name = detector.get("name").cloned();
    let stored = documents::update(call.host, &key(&call.key.workspace), |settings: &mut Settings| {
        let detectors = &mut settings.custom_detectors;
        if detectors.iter().any(|other| other.get("name") == name.as_ref()) {
            return Err(ApiError::conflict(
                "the workspace has a detector of this name; delete it first, or choose another name",
            ));
        }
        if detectors.len() >= MAX_WORKSPACE_DETECTORS {
            return Err(ApiError::too_many(format!(
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
        remove(&mut settings.custom_detectors, |detector| name_of(detector) == call.parameter, "detector")
    })
    .await?;
    ok(&json!({ "deleted": true, "name": call.parameter }))
}

pub(super) async fn rules<H: Host>(call: Call<'_, H>, list: List) -> Answer {
    let mut settings = Settings::of(call.host, &call.key.workspace).await?;
    let rules = list.of(&mut settings);
    ok(&json!({ list.name(): rules, "count": rules.len() }))
}

pub(super) async fn create_rule<H: Host>(call: Call<'_, H>, list: List, rule: Value) -> Answer {
    compile(&json!({ list.name(): [rule] }), list.name())?;
    let entry = Entry { id: uuid(call.host), created_at: timestamp(call.host.now_ms() / 1_000), rule };
    let stored = documents::update(call.host, &key(&call.key.workspace), |settings: &mut Settings| {
        let rules = list.of(settings);
        if rules.len() >= MAX_WORKSPACE_RULES {
            return Err(ApiError::too_many(format!(
                "the list has {MAX_WORKSPACE_RULES} entries; delete one that is not needed"
            )));
        }
        rules.push(entry.clone());
        Ok(entry)
    })
    .await?;
    answer(StatusCode::CREATED, &stored)
}

pub(super) async fn delete_rule<H: Host>(call: Call<'_, H>, list: List) -> Answer {
    documents::update(call.host, &key(&call.key.workspace), |settings: &mut Settings| {
        remove(list.of(settings), |entry| entry.id == call.parameter, "entry")
    })
    .await?;
    ok(&json!({ "deleted": true, "id": call.parameter }))
}

fn remove<T>(entries: &mut Vec<T>, is_meant: impl Fn(&T) -> bool, what: &str) -> Result<(), ApiError> {
    let before = entries.len();
    entries.retain(|entry| !is_meant(entry));
    if entries.len() == before { Err(ApiError::no_such(what)) } else { Ok(()) }
}

fn name_of(detector: &Value) -> &str {
    detector.get("name").and_then(Value::as_str).unwrap_or_default()
}

/// Whether a detector is well-formed, has a name of its own, and finds next to nothing in ordinary text.
fn check_detector(detector: &Value) -> Result<(), ApiError> {
    let options = compile(&json!({ "custom_detectors": [detector] }), "custom_detectors")?;
    let name = name_of(detector);
    if !types_named(name).is_empty() {
        return Err(ApiError::invalid("name", "name is that of a type in the catalogue; choose another one"));
    }
    let everything = DetectOptions { entities: vec![name.to_owned()], min_confidence: Some(0.0), ..options };
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
    Ok(())
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
