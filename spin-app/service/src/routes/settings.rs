//! `/api/v1/custom-detectors`, `/api/v1/allow-list`, `/api/v1/deny-list`: the settings that every call of a
//! workspace uses.
//!
//! They are checked before they are stored. A detector or an entry of the deny list must find next to nothing in
//! ordinary text; an entry of the allow list, which weakens protection, must allow next to none of the specimens of
//! many types.

use http::StatusCode;
use serde::Serialize;
use serde_json::{Value, json};
use textveil_engine::{
    DetectOptions, Entity, Preset, detect,
    options::{AllowRule, CustomDetector, DenyRule},
    types_named, wire,
};

use super::{Call, RouteResult, answer, ok};
use crate::{
    audit::Event,
    calendar::timestamp,
    documents::{self, Change},
    error::ApiError,
    host::Host,
    ids::uuid,
    limits::{
        MAX_ALLOWED_SPECIMENS, MAX_ALLOWED_TYPES, MAX_SAMPLE_SHARE, MAX_WORKSPACE_DETECTORS,
        MAX_WORKSPACE_RULES,
    },
    workspace::{DENY_LIST, ListEntry, Settings},
};

/// Ordinary text, in which a custom detector must find next to nothing.
const SAMPLE: &str = include_str!("settings/ordinary.txt");

/// Specimens of many types, of which an entry of the allow list must allow next to none. Each is the issuer's own
/// example or generated.
const SPECIMENS: &str = include_str!("settings/specimens.txt");

/// The workspace's own detectors.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct CustomDetectors {
    /// In the order in which they were added.
    custom_detectors: Vec<CustomDetector>,
    /// The number of entries.
    count: usize,
}

/// The answer to a removed detector.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct DeletedDetector<'a> {
    /// True.
    deleted: bool,
    /// Its name.
    name: &'a str,
}

/// The allow list.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct AllowList {
    /// In the order in which they were added.
    allow_list: Vec<ListEntry<AllowRule>>,
    /// The number of entries.
    count: usize,
}

/// The deny list.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct DenyList {
    /// In the order in which they were added.
    deny_list: Vec<ListEntry<DenyRule>>,
    /// The number of entries.
    count: usize,
}

/// The answer to a removed entry.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct DeletedEntry<'a> {
    /// True.
    deleted: bool,
    /// Its id.
    id: &'a str,
}

impl<'a> DeletedEntry<'a> {
    /// Reports the removal of a record by its id.
    pub(super) fn new(id: &'a str) -> Self {
        Self { deleted: true, id }
    }
}

/// The rule of an entry of the allow list or the deny list.
pub(super) trait Rule: Clone + Serialize {
    /// The list in answers.
    type List: Serialize;

    /// The event of an added entry, for the audit.
    const CREATED: Event;

    /// The event of a removed entry, for the audit.
    const DELETED: Event;

    /// The name of the list in a request.
    const LIST: &str;

    /// The list of a workspace.
    fn of(settings: &mut Settings) -> &mut Vec<ListEntry<Self>>;

    /// The list of a request.
    fn sent(options: DetectOptions) -> Vec<Self>;

    /// The answer with these entries.
    fn listed(entries: Vec<ListEntry<Self>>) -> Self::List;

    /// Checks an entry, which `options` hold alone.
    fn check(options: &DetectOptions) -> Result<(), ApiError>;
}

impl Rule for AllowRule {
    type List = AllowList;

    const CREATED: Event = Event::AllowListCreate;

    const DELETED: Event = Event::AllowListDelete;

    const LIST: &str = "allow_list";

    fn of(settings: &mut Settings) -> &mut Vec<ListEntry<Self>> {
        &mut settings.allow_list
    }

    fn sent(options: DetectOptions) -> Vec<Self> {
        options.allow_list
    }

    fn listed(entries: Vec<ListEntry<Self>>) -> AllowList {
        AllowList { count: entries.len(), allow_list: entries }
    }

    fn check(options: &DetectOptions) -> Result<(), ApiError> {
        check_allowed(options)
    }
}

impl Rule for DenyRule {
    type List = DenyList;

    const CREATED: Event = Event::DenyListCreate;

    const DELETED: Event = Event::DenyListDelete;

    const LIST: &str = "deny_list";

    fn of(settings: &mut Settings) -> &mut Vec<ListEntry<Self>> {
        &mut settings.deny_list
    }

    fn sent(options: DetectOptions) -> Vec<Self> {
        options.deny_list
    }

    fn listed(entries: Vec<ListEntry<Self>>) -> DenyList {
        DenyList { count: entries.len(), deny_list: entries }
    }

    fn check(options: &DetectOptions) -> Result<(), ApiError> {
        let kind = options.deny_list.first().and_then(|rule| rule.kind.clone());
        check_share(options, kind.unwrap_or_else(|| DENY_LIST.to_owned()), "value")
    }
}

pub(super) async fn custom_detectors<H: Host>(call: Call<'_, H>) -> RouteResult {
    let settings = call.settings().await?;
    let custom_detectors = settings.custom_detectors.clone();
    ok(&CustomDetectors { count: custom_detectors.len(), custom_detectors })
}

pub(super) async fn create_custom_detector<H: Host>(call: Call<'_, H>, detector: Value) -> RouteResult {
    let detector = checked_detector(&detector)?;
    let created = documents::change(call.host, call.origin(), async |(settings,): &mut (Settings,)| {
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
        Ok(Change::of(Event::DetectorCreate, detector.name.clone(), detector))
    });
    answer(StatusCode::CREATED, &created.await?)
}

pub(super) async fn delete_custom_detector<H: Host>(call: Call<'_, H>) -> RouteResult {
    documents::change(call.host, call.origin(), async |(settings,): &mut (Settings,)| {
        remove(&mut settings.custom_detectors, |detector| detector.name == call.parameter, "detector")?;
        Ok(Change::of(Event::DetectorDelete, call.parameter, ()))
    })
    .await?;
    ok(&DeletedDetector { deleted: true, name: call.parameter })
}

pub(super) async fn rules<R: Rule, H: Host>(call: Call<'_, H>) -> RouteResult {
    let mut settings = Settings::clone(&*call.settings().await?);
    ok(&R::listed(std::mem::take(R::of(&mut settings))))
}

pub(super) async fn create_rule<R: Rule, H: Host>(call: Call<'_, H>, rule: Value) -> RouteResult {
    let options = compile(&json!({ R::LIST: [rule] }), R::LIST)?;
    R::check(&options)?;
    let rule = R::sent(options).into_iter().next();
    let rule = rule.ok_or_else(|| ApiError::internal("a list lost its entry"))?;
    let entry = ListEntry { id: uuid(call.host), created_at: timestamp(call.host.now_ms() / 1_000), rule };
    let created = documents::change(call.host, call.origin(), async |(settings,): &mut (Settings,)| {
        let rules = R::of(settings);
        if rules.len() >= MAX_WORKSPACE_RULES {
            return Err(ApiError::conflict(format!(
                "the list has {MAX_WORKSPACE_RULES} entries; delete one that is not needed"
            )));
        }
        rules.push(entry.clone());
        Ok(Change::of(R::CREATED, entry.id.clone(), entry))
    });
    answer(StatusCode::CREATED, &created.await?)
}

pub(super) async fn delete_rule<R: Rule, H: Host>(call: Call<'_, H>) -> RouteResult {
    documents::change(call.host, call.origin(), async |(settings,): &mut (Settings,)| {
        remove(R::of(settings), |entry| entry.id == call.parameter, "entry")?;
        Ok(Change::of(R::DELETED, call.parameter, ()))
    })
    .await?;
    ok(&DeletedEntry::new(call.parameter))
}

fn remove<T>(entries: &mut Vec<T>, is_meant: impl Fn(&T) -> bool, what: &str) -> Result<(), ApiError> {
    let before = entries.len();
    entries.retain(|entry| !is_meant(entry));
    if entries.len() == before { Err(ApiError::no_such(what)) } else { Ok(()) }
}

/// Checks that a detector is well-formed, has a name of its own, and finds next to nothing in ordinary text.
fn checked_detector(detector: &Value) -> Result<CustomDetector, ApiError> {
    let options = compile(&json!({ "custom_detectors": [detector] }), "custom_detectors")?;
    let own = options.custom_detectors.first().cloned();
    let detector = own.ok_or_else(|| ApiError::internal("a list lost its entry"))?;
    if !types_named(&detector.name).is_empty() {
        return Err(ApiError::invalid("name", "name is that of a type in the catalogue; choose another one"));
    }
    check_share(&options, detector.name.clone(), "pattern")?;
    Ok(detector)
}

/// Checks that findings of the type `kind` cover next to nothing of ordinary text.
///
/// # Errors
/// `invalid_request` naming `field`.
fn check_share(options: &DetectOptions, kind: String, field: &str) -> Result<(), ApiError> {
    let everything = DetectOptions { entities: vec![kind], min_confidence: Some(0.0), ..options.clone() };
    let found = detect(SAMPLE, &everything)?;
    let covered: usize = found.entities.iter().map(|entity| entity.original.chars().count()).sum();
    let share = covered as f64 / SAMPLE.chars().count() as f64;
    if share <= MAX_SAMPLE_SHARE {
        return Ok(());
    }
    Err(ApiError::invalid(
        field,
        format!(
            "{field} matches too much: {:.0} % of ordinary text, {} times in {} words; make it narrower",
            (share * 100.0).ceil(),
            found.entities.len(),
            SAMPLE.split_whitespace().count()
        ),
    ))
}

/// Checks that an entry of the allow list allows next to none of the specimens.
///
/// # Errors
/// `invalid_request` naming `regex`, `domain` or `value`.
fn check_allowed(options: &DetectOptions) -> Result<(), ApiError> {
    let field = match options.allow_list.first() {
        Some(AllowRule::Regex(_)) => "regex",
        Some(AllowRule::Domain(_)) => "domain",
        Some(AllowRule::Value(_)) | None => "value",
    };
    let with_rule = DetectOptions { privacy_preset: Some(Preset::Aggressive), ..options.clone() };
    let without_rule = DetectOptions { allow_list: Vec::new(), ..with_rule.clone() };
    let all = detect(SPECIMENS, &without_rule)?.entities;
    let left = detect(SPECIMENS, &with_rule)?.entities;
    let is_left =
        |entity: &&Entity| left.iter().any(|one| one.span == entity.span && one.kind == entity.kind);
    let allowed: Vec<&Entity> = all.iter().filter(|entity| !is_left(entity)).collect();
    let mut types: Vec<&str> = allowed.iter().map(|entity| &*entity.kind).collect();
    types.sort_unstable();
    types.dedup();
    if allowed.len() <= MAX_ALLOWED_SPECIMENS && types.len() <= MAX_ALLOWED_TYPES {
        return Ok(());
    }
    Err(ApiError::invalid(
        field,
        format!(
            "{field} allows too much: {} of {} specimens of personal data, of {} types; make it narrower",
            allowed.len(),
            all.len(),
            types.len()
        ),
    ))
}

/// Reads and compiles the options of a request with one entry in `list`. An error names the field within the entry.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_specimens_are_of_many_types() {
        let options = DetectOptions { privacy_preset: Some(Preset::Aggressive), ..DetectOptions::default() };
        let found = detect(SPECIMENS, &options).unwrap().entities;
        let mut types: Vec<&str> = found.iter().map(|entity| &*entity.kind).collect();
        types.sort_unstable();
        types.dedup();
        assert!(found.len() >= 55, "{} findings", found.len());
        assert!(types.len() >= 30, "{types:?}");
        for kind in ["email", "phone_number", "iban", "credit_card", "name", "address", "ssn", "pesel"] {
            assert!(types.contains(&kind), "{kind} among {types:?}");
        }
    }

    #[test]
    fn an_entry_may_allow_little() {
        for (rule, is_narrow) in [
            (json!({ "value": "info@example.com" }), true),
            (json!({ "domain": "example.com" }), true),
            (json!({ "domain": "example.cz" }), true),
            (json!({ "domain": "com" }), false),
            (json!({ "regex": "TEST-[0-9]+" }), true),
            (json!({ "regex": "[a-z.]+@example\\.com" }), true),
            (json!({ "regex": "\\+420 6.*" }), true),
            (json!({ "regex": ".+" }), false),
            (json!({ "regex": "(?s).+" }), false),
            (json!({ "regex": "[^ ]+" }), false),
            (json!({ "regex": ".*@.*" }), false),
            (json!({ "regex": "\\+.*" }), false),
            (json!({ "regex": "[0-9 ]+" }), false),
            (json!({ "regex": "[A-Z].*" }), false),
        ] {
            let options = compile(&json!({ "allow_list": [rule] }), "allow_list").unwrap();
            assert_eq!(check_allowed(&options).is_ok(), is_narrow, "{rule}: {:?}", check_allowed(&options));
        }
    }
}
