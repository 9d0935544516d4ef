//! `/api/v1/custom-detectors`, `/api/v1/allow-list`, `/api/v1/deny-list`: the settings that every call of a
//! workspace uses.
//!
//! They are checked before they are stored. A detector or an entry of the deny list must find next to nothing in
//! ordinary text; the allow list, which weakens protection, must allow next to none of the specimens of many types.

mod allowed;
mod public_suffix;

use http::StatusCode;
use serde::Serialize;
use serde_json::{Value, json};
use textveil_engine::{
    DetectOptions, detect,
    options::{AllowRule, CustomDetector, DenyRule},
    types_named, wire,
};

use self::allowed::AllowedSpecimens;
use crate::{
    audit::Event,
    calendar::timestamp,
    call::{Call, RouteResult, answer, ok},
    changes::{self, Change, Origin},
    error::ApiError,
    host::Host,
    ids::uuid,
    limits::{MAX_SAMPLE_SHARE, MAX_WORKSPACE_DETECTORS, MAX_WORKSPACE_RULES},
    workspace::{DENY_LIST, ListEntry, Settings},
};

/// Ordinary text, in which a custom detector must find next to nothing.
const SAMPLE: &str = include_str!("settings/ordinary.txt");

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
    /// The effect of all entries.
    #[serde(flatten)]
    effect: AllowedSpecimens,
}

/// A new entry of the allow list.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct CreatedAllowRule {
    /// The entry.
    #[serde(flatten)]
    entry: ListEntry<AllowRule>,
    /// The effect of all entries.
    #[serde(flatten)]
    effect: AllowedSpecimens,
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
pub(crate) trait Rule: Clone + Serialize {
    /// The list in answers.
    type List: Serialize;

    /// A new entry in answers.
    type Created: Serialize;

    /// The effect of the list.
    type Effect;

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
    fn listed(entries: Vec<ListEntry<Self>>) -> Result<Self::List, ApiError>;

    /// Checks that the rule can be added to these entries.
    fn check(entries: &[ListEntry<Self>], rule: &Self) -> Result<Self::Effect, ApiError>;

    /// The answer with this new entry.
    fn created(entry: ListEntry<Self>, effect: Self::Effect) -> Self::Created;
}

/// The rules of entries.
fn rules_of<R: Clone>(entries: &[ListEntry<R>]) -> Vec<R> {
    entries.iter().map(|entry| entry.rule.clone()).collect()
}

impl Rule for AllowRule {
    type List = AllowList;

    type Created = CreatedAllowRule;

    type Effect = AllowedSpecimens;

    const CREATED: Event = Event::AllowListCreate;

    const DELETED: Event = Event::AllowListDelete;

    const LIST: &str = "allow_list";

    fn of(settings: &mut Settings) -> &mut Vec<ListEntry<Self>> {
        &mut settings.allow_list
    }

    fn sent(options: DetectOptions) -> Vec<Self> {
        options.allow_list
    }

    fn listed(entries: Vec<ListEntry<Self>>) -> Result<AllowList, ApiError> {
        let effect = allowed::specimens_of(&rules_of(&entries))?;
        Ok(AllowList { count: entries.len(), allow_list: entries, effect })
    }

    fn check(entries: &[ListEntry<Self>], rule: &Self) -> Result<AllowedSpecimens, ApiError> {
        allowed::check(&rules_of(entries), rule)
    }

    fn created(entry: ListEntry<Self>, effect: AllowedSpecimens) -> CreatedAllowRule {
        CreatedAllowRule { entry, effect }
    }
}

impl Rule for DenyRule {
    type List = DenyList;

    type Created = ListEntry<Self>;

    type Effect = ();

    const CREATED: Event = Event::DenyListCreate;

    const DELETED: Event = Event::DenyListDelete;

    const LIST: &str = "deny_list";

    fn of(settings: &mut Settings) -> &mut Vec<ListEntry<Self>> {
        &mut settings.deny_list
    }

    fn sent(options: DetectOptions) -> Vec<Self> {
        options.deny_list
    }

    fn listed(entries: Vec<ListEntry<Self>>) -> Result<DenyList, ApiError> {
        Ok(DenyList { count: entries.len(), deny_list: entries })
    }

    fn check(_entries: &[ListEntry<Self>], rule: &Self) -> Result<(), ApiError> {
        let kind = rule.kind.clone().unwrap_or_else(|| DENY_LIST.to_owned());
        let options = DetectOptions { deny_list: vec![rule.clone()], ..DetectOptions::default() };
        check_share(&options, kind, "value")
    }

    fn created(entry: ListEntry<Self>, (): ()) -> ListEntry<Self> {
        entry
    }
}

pub(crate) async fn custom_detectors<H: Host>(call: Call<'_, H>) -> RouteResult {
    let settings = call.settings().await?;
    let custom_detectors = settings.custom_detectors.clone();
    ok(&CustomDetectors { count: custom_detectors.len(), custom_detectors })
}

pub(crate) async fn create_custom_detector<H: Host>(call: Call<'_, H>, detector: Value) -> RouteResult {
    let detector = checked_detector(&detector)?;
    let created = changes::change(call.host, call.origin(), async |(settings,): &mut (Settings,)| {
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

pub(crate) async fn delete_custom_detector<H: Host>(call: Call<'_, H>) -> RouteResult {
    changes::change(call.host, call.origin(), async |(settings,): &mut (Settings,)| {
        remove(&mut settings.custom_detectors, |detector| detector.name == call.parameter, "detector")?;
        Ok(Change::of(Event::DetectorDelete, call.parameter, ()))
    })
    .await?;
    ok(&DeletedDetector { deleted: true, name: call.parameter })
}

pub(crate) async fn rules<R: Rule, H: Host>(call: Call<'_, H>) -> RouteResult {
    let mut settings = Settings::clone(&*call.settings().await?);
    ok(&R::listed(std::mem::take(R::of(&mut settings)))?)
}

pub(crate) async fn create_rule<R: Rule, H: Host>(call: Call<'_, H>, rule: Value) -> RouteResult {
    let options = compile(&json!({ R::LIST: [rule] }), R::LIST)?;
    let rule = R::sent(options).into_iter().next();
    let rule = rule.ok_or_else(|| ApiError::internal("a list lost its entry"))?;
    answer(StatusCode::CREATED, &add_rule(call.host, call.origin(), rule).await?)
}

/// Adds a rule to its list in the workspace of the principal.
///
/// # Errors
/// `invalid_request` naming the field of the rule at fault; `conflict` if the list is full; as [`changes::change`].
pub(crate) async fn add_rule<R: Rule>(
    host: &impl Host,
    origin: Origin<'_>,
    rule: R,
) -> Result<R::Created, ApiError> {
    let entry = ListEntry { id: uuid(host), created_at: timestamp(host.now_ms() / 1_000), rule };
    changes::change(host, origin, async |(settings,): &mut (Settings,)| {
        let rules = R::of(settings);
        if rules.len() >= MAX_WORKSPACE_RULES {
            return Err(ApiError::conflict(format!(
                "the list has {MAX_WORKSPACE_RULES} entries; delete one that is not needed"
            )));
        }
        let effect = R::check(rules, &entry.rule)?;
        rules.push(entry.clone());
        Ok(Change::of(R::CREATED, entry.id.clone(), R::created(entry, effect)))
    })
    .await
}

pub(crate) async fn delete_rule<R: Rule, H: Host>(call: Call<'_, H>) -> RouteResult {
    changes::change(call.host, call.origin(), async |(settings,): &mut (Settings,)| {
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
