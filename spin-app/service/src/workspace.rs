//! The settings that every call of a workspace uses: custom detectors, allow list, deny list.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use serde::{Deserialize, Serialize};
use textveil_engine::{
    Finder,
    options::{AllowRule, CustomDetector, DenyRule, DetectOptions},
};

use crate::{
    cache::{Entries, Stamp, Stamped},
    documents::{self, Document},
    error::ApiError,
    host::Host,
};

/// The settings of a workspace, as a document.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Settings {
    pub custom_detectors: Vec<CustomDetector>,
    pub allow_list: Vec<ListEntry<AllowRule>>,
    pub deny_list: Vec<ListEntry<DenyRule>>,
    #[serde(skip)]
    finders: Finders,
}

/// An entry of a list.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "{Rule}Entry"))]
pub(crate) struct ListEntry<Rule> {
    /// A UUID.
    pub id: String,
    /// ISO 8601.
    #[cfg_attr(feature = "schema", schemars(extend("format" = "date-time")))]
    pub created_at: String,
    /// The rule.
    #[serde(flatten)]
    pub rule: Rule,
}

/// The type of what a deny list finds, where its entry names none.
pub(crate) const DENY_LIST: &str = "deny_list";

impl Document for Settings {
    fn key(workspace: &str) -> String {
        format!("settings:{workspace}")
    }
}

/// By workspace.
#[derive(Default)]
struct KnownSettings(Entries<Stamped<Arc<Settings>>>);

impl Settings {
    /// Returns the settings of a workspace, cached or read. Their stamp is read unless it is given.
    ///
    /// # Errors
    /// `service_unavailable`; `internal_error` if they cannot be read.
    pub(crate) async fn of(
        host: &impl Host,
        workspace: &str,
        stamp: Option<&Stamp>,
    ) -> Result<Arc<Self>, ApiError> {
        let stamp = match stamp {
            Some(stamp) => stamp.clone(),
            None => documents::stamp(host, workspace).await?,
        };
        let known = host.cache().with(|KnownSettings(settings)| settings.get(workspace).cloned());
        if let Some(known) = known.filter(|known| known.is_current(&stamp, host.now_ms())) {
            return Ok(known.value);
        }
        let value = Arc::new(Self::of_workspace(host, workspace).await?);
        let known = Stamped { stamp, read_ms: host.now_ms(), value: Arc::clone(&value) };
        host.cache().with(|KnownSettings(settings)| settings.insert(workspace, known));
        Ok(value)
    }

    /// The types that the workspace has of its own.
    pub(crate) fn types(&self) -> impl Iterator<Item = &str> {
        let custom = self.custom_detectors.iter().map(|detector| detector.name.as_str());
        let denied = self.deny_list.iter().map(|entry| entry.rule.kind.as_deref());
        custom.chain(denied.map(|kind| kind.unwrap_or(DENY_LIST)))
    }

    /// Adds the workspace's settings to what a request asks for; the request's own come first.
    pub(crate) fn add_to(&self, options: &mut DetectOptions) {
        options.custom_detectors.extend_from_slice(&self.custom_detectors);
        options.allow_list.extend(self.allow_list.iter().map(|entry| entry.rule.clone()));
        options.deny_list.extend(self.deny_list.iter().map(|entry| entry.rule.clone()));
    }

    /// Compiles detection with the options of a request and these settings, or finds it compiled.
    ///
    /// It is not kept for a request with detectors, lists, hints or cells of its own, which may be different each time.
    ///
    /// # Errors
    /// `invalid_request` that names the option at fault.
    pub(crate) fn finder(&self, options: &DetectOptions) -> Result<Arc<Finder>, ApiError> {
        let brings_own = !(options.custom_detectors.is_empty()
            && options.allow_list.is_empty()
            && options.deny_list.is_empty()
            && options.hints.is_empty()
            && options.cells.is_empty());
        if brings_own {
            return self.compile(options);
        }
        if let Some(finder) = self.finders.get(options) {
            return Ok(finder);
        }
        let finder = self.compile(options)?;
        self.finders.insert(options.clone(), Arc::clone(&finder));
        Ok(finder)
    }

    fn compile(&self, options: &DetectOptions) -> Result<Arc<Finder>, ApiError> {
        let mut options = options.clone();
        self.add_to(&mut options);
        Ok(Arc::new(Finder::new(&options)?))
    }
}

/// Most options whose detection is kept compiled. A client seldom changes them.
const MAX_FINDERS: usize = 4;

/// Compiled detection by the options of requests, the last one first.
#[derive(Default)]
struct Finders(Mutex<Vec<(DetectOptions, Arc<Finder>)>>);

impl Finders {
    fn get(&self, options: &DetectOptions) -> Option<Arc<Finder>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().find(|(of, _)| are_alike(of, options)).map(|(_, finder)| Arc::clone(finder))
    }

    fn insert(&self, options: DetectOptions, finder: Arc<Finder>) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(0, (options, finder));
        known.truncate(MAX_FINDERS);
    }
}

/// Settings are copied to be changed, and then what was compiled is not theirs.
impl Clone for Finders {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// The contents stay out.
impl fmt::Debug for Finders {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Finders").finish_non_exhaustive()
    }
}

/// Whether options without detectors, lists, hints and cells are the same.
fn are_alike(one: &DetectOptions, other: &DetectOptions) -> bool {
    let DetectOptions {
        country,
        language,
        privacy_preset,
        min_confidence,
        entities,
        exclude_entities,
        offset_unit,
        explain,
        allow_list: _,
        deny_list: _,
        custom_detectors: _,
        hints: _,
        cells: _,
    } = one;
    *country == other.country
        && *language == other.language
        && *privacy_preset == other.privacy_preset
        && *min_confidence == other.min_confidence
        && *entities == other.entities
        && *exclude_entities == other.exclude_entities
        && *offset_unit == other.offset_unit
        && *explain == other.explain
}
