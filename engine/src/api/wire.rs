//! The JSON shapes of the API, including its irregularities.
//!
//! - Country codes are upper case in detection and lower case in protection.
//! - The type `phone_number` is written `phone` in protection.
//! - `processing_time_ms` is an integer in detection and a float in protection. The engine has no
//!   clock: a host measures and passes the time in.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize};
use textveil_schema::nearest;

use crate::api::{
    answer::{Detection, GivenFinding, Protected, Protection, Restored, Validation},
    entity::{self, Country, Entity, Evidence, Metadata},
    error::Error,
    options::Mode,
    tree::{Fault, FromTree, Tree, Unknown},
};
#[cfg(feature = "schema")]
use crate::api::{
    entity::Category,
    limits::{MAX_BATCH, MAX_TEXT_CHARS},
    options::Preset,
};

/// Version of the API, in every response.
pub const API_VERSION: &str = "v1";

/// The expected value by field, for the message of a field that could not be read.
const EXPECTED: &[(&str, &str)] = &[
    ("text", "must be a string of 1 to 50000 characters"),
    ("texts", "must be a list of 1 to 50 strings"),
    ("value", "must be a string"),
    ("entity_type", "must be the name of an entity type"),
    ("country", "must be a string or null"),
    ("language", "must be a string or null"),
    ("privacy_preset", "must be one of conservative, balanced, aggressive"),
    ("mode", Mode::EXPECTED),
    ("offset_unit", "must be one of code_point, utf16, byte"),
    ("min_confidence", "must be a number from 0 to 1"),
    ("entities", "must be a list of entity types"),
    ("exclude_entities", "must be a list of entity types"),
    ("allow_list", "must be a list of objects with one of value, regex, domain"),
    ("deny_list", "must be a list of objects with value and, where wanted, type"),
    (
        "custom_detectors",
        "must be a list of objects with name and pattern, and, where wanted, context, confidence, category",
    ),
    ("hints", "must be a list of objects with type, start, end and confidence"),
    ("cells", "must be a list of objects with start and end"),
    ("explain", "must be true or false"),
    ("operators", "must be an object: type to {mode, mask_char, keep_first, keep_last, new_value}"),
    ("policies", "must be a list of policies with name, action and known conditions"),
    ("default_action", "must be one of ALLOW, FLAG, MASK, REDACT, HASH, TOKENIZE, BLOCK"),
    ("findings", "must be a list of objects with type, start and end, as detection returns them"),
];

/// The expected value of a field inside another: each with the fields that expect it.
const EXPECTED_INSIDE: &[(&str, &[&str])] = &[
    ("must be a string", &["name", "pattern", "value", "regex", "domain", "type", "original", "country"]),
    ("must be a list of strings", &["shapes", "labels", "labelled", "context"]),
    ("must be a list of entity types", &["entity_types", "exclude_entity_types"]),
    ("must be a list of countries, as ISO 3166-1 alpha-2 codes", &["countries"]),
    ("must be a list of categories, such as identity or contact", &["categories"]),
    ("must be a category, such as identity or contact", &["category"]),
    ("must be a list of objects with at and the characters that may be there", &["parts"]),
    ("must be an object with rule and the fields of that rule", &["check"]),
    ("must be a list of objects with known conditions", &["conditions"]),
    ("must be one of ALLOW, FLAG, MASK, REDACT, HASH, TOKENIZE, BLOCK", &["action"]),
    ("must be a number from 0 to 1", &["confidence", "confidence_min"]),
    ("must be a whole number that is not negative", &["start", "end", "min_count"]),
    ("must be a whole number", &["priority"]),
    ("must be true or false", &["is_default", "validated"]),
];

/// The words for a list, each with those for one of its entries.
const ENTRIES: &[(&str, &str)] = &[
    ("a list of objects", "an object"),
    ("a list of strings", "a string"),
    ("a list of 1 to 50 strings", "a string of 1 to 50000 characters"),
    ("a list of entity types", "the name of an entity type"),
    ("a list of countries, as ISO 3166-1 alpha-2 codes", "the ISO 3166-1 alpha-2 code of a country"),
    ("a list of categories", "a category"),
    ("a list of policies", "a policy"),
];

/// Reads a request, or a part of one, from any format.
///
/// # Errors
/// `invalid_request` with the path of the field that is missing or cannot be read, such as
/// `custom_detectors[0].pattern`, as far as the names are those of the API. The message says what to
/// send and quotes nothing.
///
/// # Examples
/// ```
/// use textveil_engine::{DetectOptions, wire::decode};
///
/// let mut json = serde_json::Deserializer::from_str(r#"{"country": "PL"}"#);
/// assert_eq!(decode::<DetectOptions, _>(&mut json)?.country.as_deref(), Some("PL"));
/// let mut json = serde_json::Deserializer::from_str(r#"{"entities": ["email", 1]}"#);
/// assert_eq!(decode::<DetectOptions, _>(&mut json).unwrap_err().field(), Some("entities[1]"));
/// # Ok::<(), textveil_engine::Error>(())
/// ```
pub fn decode<'de, T, D>(from: D) -> Result<T, Error>
where
    T: FromTree,
    D: Deserializer<'de>,
{
    let tree = Tree::deserialize(from).map_err(|_| refused(Fault::default()))?;
    T::from_tree(&tree).map_err(refused)
}

/// Reads a request whose every name must be known.
///
/// A name that is not known is an error: an option that is ignored may protect less than the caller expects.
///
/// # Errors
/// As [`decode`], and with the path of the first name that is not known, such as `operators.email.keeplast`. The message
/// has the nearest known name; one of `elsewhere` is a name that other calls of the surface take.
///
/// # Examples
/// ```
/// use textveil_engine::{DetectOptions, wire::decode_known};
///
/// let mut json = serde_json::Deserializer::from_str(r#"{"denylist": [{"value": "Nightfall"}]}"#);
/// let error = decode_known::<DetectOptions, _>(&mut json, &[&["mode"]]).unwrap_err();
/// assert_eq!(error.to_string(), "denylist is not an option; did you mean deny_list?");
/// ```
pub fn decode_known<'de, T, D>(from: D, elsewhere: &[&[&'static str]]) -> Result<T, Error>
where
    T: FromTree,
    D: Deserializer<'de>,
{
    let tree = Tree::deserialize(from).map_err(|_| refused(Fault::default()))?;
    let read = T::from_tree(&tree);
    match (read, tree.unknown()) {
        // a field that is missing, or an object that is not as documented, may have the wrong name only
        (Err(fault), Some(unknown)) if unknown.path.starts_with(&fault.path) => {
            Err(misnamed(unknown, elsewhere))
        }
        (Ok(_), Some(unknown)) => Err(misnamed(unknown, elsewhere)),
        (read, _) => read.map_err(refused),
    }
}

fn misnamed(unknown: Unknown<'_>, elsewhere: &[&[&'static str]]) -> Error {
    let Unknown { path, name, known } = unknown;
    if !path.ends_with(name) {
        let path = if path.is_empty() { "options".to_owned() } else { path };
        return Error::invalid(path, format!("has an unknown option; there are {}", known.join(", ")));
    }
    let elsewhere = if path == name { elsewhere } else { &[] };
    if elsewhere.iter().any(|names| names.contains(&name)) {
        return Error::invalid(path, "is not an option of this call");
    }
    if let Some(near) =
        nearest(name, known.iter().copied().chain(elsewhere.iter().copied().flatten().copied()))
    {
        return Error::invalid(path, format!("is not an option; did you mean {near}?"));
    }
    Error::invalid(path, format!("is not an option; there are {}", known.join(", ")))
}

fn refused(fault: Fault) -> Error {
    let Fault { mut path, missing } = fault;
    if let Some(missing) = missing {
        path = if path.is_empty() { missing.to_owned() } else { format!("{path}.{missing}") };
        return Error::invalid(path, "is missing");
    }
    match expected(&path) {
        Some(expected) => Error::invalid(path, expected),
        None => Error::invalid("body", "must be an object as documented"),
    }
}

/// Returns the requirement for the field at a path, or for an entry of its list.
fn expected(path: &str) -> Option<Cow<'static, str>> {
    let top = path.split(['.', '[']).next()?;
    let (_, whole) = *EXPECTED.iter().find(|(field, _)| *field == top)?;
    let last = path.rsplit('.').next()?;
    let (name, index) = last.split_once('[').unwrap_or((last, ""));
    let inside = EXPECTED_INSIDE.iter().find(|(_, fields)| last.len() < path.len() && fields.contains(&name));
    let field = inside.map_or(whole, |(expected, _)| *expected);
    let entry = ENTRIES.iter().find(|(all, _)| !index.is_empty() && field.contains(all));
    Some(entry.map_or(field.into(), |(all, one)| field.replace(all, one).into()))
}

/// The request of one text: `text`, and the options.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OneText {
    /// 1 to 50000 characters.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = MAX_TEXT_CHARS)))]
    pub text: String,
}

impl FromTree for OneText {
    fn from_tree(tree: &Tree<'_>) -> Result<Self, Fault> {
        tree.object(|fields| Self { text: fields.required("text") })
    }
}

/// The request of restore: a text with tokens.
///
/// Tokens are longer than their originals.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RestoreRequest {
    /// At least one character; the body's limit applies.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub text: String,
}

impl FromTree for RestoreRequest {
    fn from_tree(tree: &Tree<'_>) -> Result<Self, Fault> {
        tree.object(|fields| Self { text: fields.required("text") })
    }
}

/// The request of a batch: `texts`, and the options.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ManyTexts {
    /// 1 to 50 texts.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = MAX_BATCH), inner(length(min = 1, max = MAX_TEXT_CHARS))))]
    pub texts: Vec<String>,
}

impl FromTree for ManyTexts {
    fn from_tree(tree: &Tree<'_>) -> Result<Self, Fault> {
        tree.object(|fields| Self { texts: fields.required("texts") })
    }
}

/// The findings to apply, with the options.
pub struct GivenFindings {
    /// In any order.
    pub findings: Vec<GivenFinding>,
}

impl FromTree for GivenFindings {
    fn from_tree(tree: &Tree<'_>) -> Result<Self, Fault> {
        tree.object(|fields| Self { findings: fields.required("findings") })
    }
}

/// A value to check.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ValidateRequest {
    /// Raw value.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = MAX_TEXT_CHARS)))]
    pub value: String,
    /// Entity type to validate against.
    pub entity_type: String,
    /// ISO country code for country-specific validation.
    #[cfg_attr(feature = "schema", schemars(default))]
    pub country: Option<String>,
}

impl FromTree for ValidateRequest {
    fn from_tree(tree: &Tree<'_>) -> Result<Self, Fault> {
        tree.object(|fields| Self {
            value: fields.required("value"),
            entity_type: fields.required("entity_type"),
            country: fields.optional("country"),
        })
    }
}

/// A piece of personal data.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DetectedEntity {
    /// Entity type.
    #[serde(rename = "type")]
    pub kind: Cow<'static, str>,
    /// Exact matched text.
    pub original: String,
    /// Country of the detector.
    pub country: Option<String>,
    /// 0 to 1.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub confidence: f64,
    /// Passed checksum or structural validation.
    pub validated: bool,
    /// Zero-based, in the requested unit.
    pub start: usize,
    /// Exclusive.
    pub end: usize,
    /// Detector-specific; null without facts.
    pub metadata: Option<Metadata>,
    /// With `explain` only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
}

impl DetectedEntity {
    fn new(entity: Entity) -> Self {
        Self {
            kind: entity.kind,
            original: entity.original,
            country: entity.country.map(|country| country.upper()),
            confidence: entity.confidence,
            validated: entity.validated,
            start: entity.span.start,
            end: entity.span.end,
            metadata: Some(entity.metadata).filter(|facts| !facts.is_empty()),
            evidence: entity.evidence,
        }
    }

    fn protected(entity: Entity) -> Self {
        let country = entity.country.map(|country| country.lower());
        Self { kind: protected_type(entity.kind.clone()), country, ..Self::new(entity) }
    }
}

/// Returns the name of a type in protection output.
///
/// `phone_number` is written `phone`.
///
/// # Examples
/// ```
/// use textveil_engine::wire::protected_type;
///
/// assert_eq!(protected_type("phone_number".into()), "phone");
/// assert_eq!(protected_type("email".into()), "email");
/// ```
pub fn protected_type(kind: Cow<'static, str>) -> Cow<'static, str> {
    if kind == "phone_number" { Cow::Borrowed("phone") } else { kind }
}

/// The type that protection output calls `name`: `phone` is `phone_number`.
pub(crate) fn detected_type(name: &str) -> Cow<'static, str> {
    if name == "phone" { Cow::Borrowed("phone_number") } else { Cow::Owned(name.to_owned()) }
}

/// A country that the text is probably about.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "CountryDetection"))]
pub struct LikelyCountry {
    /// ISO 3166-1 alpha-2.
    pub code: String,
    /// 0 to 1.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub confidence: f64,
    /// With `explain` only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
}

/// The findings in a text.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DetectResponse<'a> {
    /// Original input.
    pub text: &'a str,
    /// Ordered by start, never overlapping.
    pub entities: Vec<DetectedEntity>,
    /// Most likely first.
    pub countries_detected: Vec<LikelyCountry>,
    /// The effective preset.
    #[cfg_attr(feature = "schema", schemars(with = "Preset"))]
    pub privacy_preset: &'static str,
    /// Whole milliseconds, rounded up from a started one.
    pub processing_time_ms: u64,
    /// Version of the API.
    #[cfg_attr(feature = "schema", schemars(extend("const" = API_VERSION)))]
    pub api_version: &'static str,
}

impl<'a> DetectResponse<'a> {
    /// Creates the response to one text, after `elapsed_ms` of work.
    ///
    /// # Examples
    /// ```
    /// use textveil_engine::{DetectOptions, detect, wire::DetectResponse};
    ///
    /// let text = "PESEL 44051401359";
    /// let response = DetectResponse::new(text, detect(text, &DetectOptions::default())?, 1.2);
    /// assert_eq!(response.processing_time_ms, 2);
    /// assert_eq!(response.entities[0].country.as_deref(), Some("PL"));
    /// # Ok::<(), textveil_engine::Error>(())
    /// ```
    pub fn new(text: &'a str, detection: Detection, elapsed_ms: f64) -> Self {
        Self {
            text,
            entities: detection.entities.into_iter().map(DetectedEntity::new).collect(),
            countries_detected: countries(detection.countries, |country| country.upper()),
            privacy_preset: detection.preset.as_str(),
            processing_time_ms: elapsed_ms.ceil().max(0.0) as u64,
            api_version: API_VERSION,
        }
    }
}

/// The findings in several texts.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DetectBatchResponse<'a> {
    /// One per text, in the order of the texts.
    pub results: Vec<DetectResponse<'a>>,
    /// Sum over all results.
    pub total_entities: usize,
    /// Whole milliseconds for the batch.
    pub total_processing_time_ms: u64,
}

impl<'a> DetectBatchResponse<'a> {
    /// Creates the response to a batch, after `elapsed_ms` of work.
    ///
    /// # Examples
    /// ```
    /// use textveil_engine::{DetectOptions, detect_batch, wire::{DetectBatchResponse, DetectResponse}};
    ///
    /// let texts = ["PESEL 44051401359", "nothing"];
    /// let found = detect_batch(&texts, &DetectOptions::default())?;
    /// let results = texts.into_iter().zip(found).map(|(text, found)| DetectResponse::new(text, found, 0.5));
    /// assert_eq!(DetectBatchResponse::new(results.collect(), 1.0).total_entities, 1);
    /// # Ok::<(), textveil_engine::Error>(())
    /// ```
    pub fn new(results: Vec<DetectResponse<'a>>, elapsed_ms: f64) -> Self {
        let total_entities = results.iter().map(|result| result.entities.len()).sum();
        Self { results, total_entities, total_processing_time_ms: elapsed_ms.ceil().max(0.0) as u64 }
    }
}

/// A piece of personal data and its replacement.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProtectedEntity {
    /// The finding, with protection's names of type and country.
    #[serde(flatten)]
    pub entity: DetectedEntity,
    /// The replacement.
    pub protected: String,
    /// The action of the policy; in mode `policy` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<super::options::Action>,
    /// The policy that decided; absent for the default action.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
}

impl ProtectedEntity {
    /// Creates the finding with its replacement.
    ///
    /// # Examples
    /// ```
    /// use textveil_engine::{DetectOptions, ProtectOptions, protect, wire::ProtectedEntity};
    ///
    /// let text = "call +420 777 123 456";
    /// let mut found = protect(text, &DetectOptions::default(), &ProtectOptions::default(), None)?.entities;
    /// let entity = ProtectedEntity::new(found.remove(0));
    /// assert_eq!((entity.entity.kind.as_ref(), entity.protected.as_str()), ("phone", "[REDACTED]"));
    /// # Ok::<(), textveil_engine::Error>(())
    /// ```
    pub fn new(protected: Protected) -> Self {
        Self {
            entity: DetectedEntity::protected(protected.entity),
            protected: protected.replacement,
            action: protected.action,
            policy: protected.policy,
        }
    }
}

/// A protected text.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProtectResponse<'a> {
    /// Text before protection.
    pub original_text: &'a str,
    /// Text after protection.
    pub protected_text: String,
    /// Ordered by start; offsets are in `original_text`.
    pub entities: Vec<ProtectedEntity>,
    /// Most likely first.
    pub countries_detected: Vec<LikelyCountry>,
    /// Mode used.
    #[cfg_attr(feature = "schema", schemars(with = "Mode"))]
    pub protection_mode: &'static str,
    /// Milliseconds, a float.
    pub processing_time_ms: f64,
    /// Version of the API.
    #[cfg_attr(feature = "schema", schemars(extend("const" = API_VERSION)))]
    pub api_version: &'static str,
}

impl<'a> ProtectResponse<'a> {
    /// Creates the response to one text, after `elapsed_ms` of work.
    ///
    /// # Examples
    /// ```
    /// use textveil_engine::{DetectOptions, ProtectOptions, protect, wire::ProtectResponse};
    ///
    /// let text = "to jan.novak@example.com";
    /// let protection = protect(text, &DetectOptions::default(), &ProtectOptions::default(), None)?;
    /// let response = ProtectResponse::new(text, protection, 0.25);
    /// assert_eq!((response.original_text, response.protected_text.as_str()), (text, "to [REDACTED]"));
    /// assert_eq!(response.processing_time_ms, 0.25);
    /// # Ok::<(), textveil_engine::Error>(())
    /// ```
    pub fn new(text: &'a str, protection: Protection, elapsed_ms: f64) -> Self {
        let entities = protection.entities.into_iter().map(ProtectedEntity::new);
        Self {
            original_text: text,
            protected_text: protection.text,
            entities: entities.collect(),
            countries_detected: countries(protection.countries, |country| country.lower()),
            protection_mode: protection.mode.as_str(),
            processing_time_ms: (elapsed_ms * 1_000.0).round().max(0.0) / 1_000.0,
            api_version: API_VERSION,
        }
    }
}

/// Protected texts.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProtectBatchResponse<'a> {
    /// One per text, in the order of the texts.
    pub results: Vec<ProtectResponse<'a>>,
    /// Sum over all results.
    pub total_entities: usize,
    /// Milliseconds for the batch, a float.
    pub total_processing_time_ms: f64,
}

impl<'a> ProtectBatchResponse<'a> {
    /// Creates the response to a batch, after `elapsed_ms` of work.
    ///
    /// # Examples
    /// ```
    /// use textveil_engine::{Finder, DetectOptions, ProtectOptions, wire::{ProtectBatchResponse, ProtectResponse}};
    ///
    /// let texts = ["to a@example.com", "to b@example.com"];
    /// let finder = Finder::new(&DetectOptions::default())?;
    /// let protected = finder.protect_batch(&texts, &ProtectOptions::default(), None)?;
    /// let results = texts.into_iter().zip(protected).map(|(text, done)| ProtectResponse::new(text, done, 0.1));
    /// assert_eq!(ProtectBatchResponse::new(results.collect(), 0.2).total_entities, 2);
    /// # Ok::<(), textveil_engine::Error>(())
    /// ```
    pub fn new(results: Vec<ProtectResponse<'a>>, elapsed_ms: f64) -> Self {
        let total_entities = results.iter().map(|result| result.entities.len()).sum();
        let total_processing_time_ms = (elapsed_ms * 1_000.0).round().max(0.0) / 1_000.0;
        Self { results, total_entities, total_processing_time_ms }
    }
}

/// A text with its tokens restored.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RestoreResponse {
    /// Text with the originals instead of the tokens.
    pub text: String,
    /// The number of restored tokens.
    pub restored: usize,
    /// The number of unchanged tokens. They have another key, are altered, or only look like tokens.
    pub unknown: usize,
    /// Version of the API.
    #[cfg_attr(feature = "schema", schemars(extend("const" = API_VERSION)))]
    pub api_version: &'static str,
}

impl RestoreResponse {
    /// Creates the response to one text.
    ///
    /// # Examples
    /// ```
    /// use textveil_engine::{Keyring, restore, wire::RestoreResponse};
    ///
    /// let keys = Keyring::new(0, b"a secret of 16 bytes or more")?;
    /// let response = RestoreResponse::new(restore("a text without tokens", &keys)?);
    /// assert_eq!((response.restored, response.api_version), (0, "v1"));
    /// # Ok::<(), textveil_engine::Error>(())
    /// ```
    pub fn new(restored: Restored) -> Self {
        let Restored { text, restored, unknown } = restored;
        Self { text, restored, unknown, api_version: API_VERSION }
    }
}

/// The result of validating one value.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ValidateResponse<'a> {
    /// Input value.
    pub value: &'a str,
    /// Type used.
    pub entity_type: Cow<'static, str>,
    /// Country used.
    pub country: Option<String>,
    /// Passed validation.
    pub valid: bool,
    /// 0 to 1.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub confidence: f64,
    /// Facts; the `reason` if the value is invalid.
    pub metadata: Option<Metadata>,
}

impl<'a> ValidateResponse<'a> {
    /// Creates the response for one value.
    ///
    /// # Examples
    /// ```
    /// use textveil_engine::{validate, wire::ValidateResponse};
    ///
    /// let value = "44051401359";
    /// let response = ValidateResponse::new(value, validate(value, "pesel", None)?);
    /// assert_eq!((response.valid, response.country.as_deref()), (true, Some("PL")));
    /// # Ok::<(), textveil_engine::Error>(())
    /// ```
    pub fn new(value: &'a str, validation: Validation) -> Self {
        Self {
            value,
            entity_type: validation.kind,
            country: validation.country.map(|country| country.upper()),
            valid: validation.valid,
            confidence: validation.confidence,
            metadata: Some(validation.metadata).filter(|facts| !facts.is_empty()),
        }
    }
}

/// A detector.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DetectorInfo {
    /// Stable detector name.
    pub name: &'static str,
    /// Human-readable summary.
    pub description: &'static str,
    /// ISO 3166-1 alpha-2 code of the country, `EU` or `GLOBAL`.
    pub region: &'static str,
    /// Its category.
    #[cfg_attr(feature = "schema", schemars(with = "Category"))]
    pub category: &'static str,
    /// The `type` of its findings.
    pub entity_type: &'static str,
}

/// The detectors of the engine.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DetectorsResponse {
    /// The detectors, by region and name.
    pub detectors: Vec<DetectorInfo>,
    /// The number of detectors.
    pub count: usize,
}

impl DetectorsResponse {
    /// Creates the response that lists these detectors.
    ///
    /// # Examples
    /// ```
    /// use textveil_engine::{detectors, wire::DetectorsResponse};
    ///
    /// let response = DetectorsResponse::new(detectors(Some("PL")));
    /// assert!(response.count > 0);
    /// assert_eq!(response.count, response.detectors.len());
    /// ```
    pub fn new(detectors: Vec<DetectorInfo>) -> Self {
        Self { count: detectors.len(), detectors }
    }
}

fn countries(found: Vec<entity::CountryDetection>, code: impl Fn(Country) -> String) -> Vec<LikelyCountry> {
    let wire = |country: entity::CountryDetection| LikelyCountry {
        code: code(country.code),
        confidence: country.confidence,
        evidence: country.evidence,
    };
    found.into_iter().map(wire).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::options::{DetectOptions, ProtectOptions};

    #[test]
    fn messages_are_about_the_field_at_fault() {
        for (path, want) in [
            ("country", "must be a string or null"),
            ("entities", "must be a list of entity types"),
            ("entities[1]", "must be the name of an entity type"),
            ("texts[3]", "must be a string of 1 to 50000 characters"),
            ("allow_list[0]", "must be an object with one of value, regex, domain"),
            ("allow_list[0].regex", "must be a string"),
            ("deny_list[1]", "must be an object with value and, where wanted, type"),
            ("hints[0].start", "must be a whole number that is not negative"),
            ("custom_detectors[0].pattern", "must be a string"),
            ("custom_detectors[0].shapes", "must be a list of strings"),
            ("custom_detectors[0].shapes[2]", "must be a string"),
            ("custom_detectors[0].check", "must be an object with rule and the fields of that rule"),
            (
                "custom_detectors[0].parts[1]",
                "must be an object with at and the characters that may be there",
            ),
            ("policies[0]", "must be a policy with name, action and known conditions"),
            ("policies[0].conditions[0].countries[1]", "must be the ISO 3166-1 alpha-2 code of a country"),
            ("policies[0].conditions[0]", "must be an object with known conditions"),
            ("operators", "must be an object: type to {mode, mask_char, keep_first, keep_last, new_value}"),
        ] {
            assert_eq!(expected(path).as_deref(), Some(want), "{path}");
        }
        assert_eq!(expected("colour"), None);
    }

    #[test]
    fn unknown_names_are_errors_with_the_nearest_known_one() {
        let condition = |condition: &str| {
            let policy = r#"{"policies": [{"name": "a", "action": "MASK", "conditions": [CONDITION]}]}"#;
            policy.replace("CONDITION", condition)
        };
        let check = |check: &str| {
            let detector = r#"{"custom_detectors": [{"name": "a", "shapes": ["d8"], "check": CHECK}]}"#;
            detector.replace("CHECK", check)
        };
        for (request, want) in [
            (r#"{"country": "PL", "mode": "mask", "operators": {"email": {}}}"#.to_owned(), ""),
            (r#"{"denylist": []}"#.to_owned(), "denylist is not an option; did you mean deny_list?"),
            (r#"{"entites": ["email"]}"#.to_owned(), "entites is not an option; did you mean entities?"),
            (r#"{"preset": "balanced"}"#.to_owned(), "preset is not an option; did you mean privacy_preset?"),
            (r#"{"kepp": true}"#.to_owned(), "kepp is not an option; did you mean keep?"),
            (r#"{"keep": true}"#.to_owned(), "keep is not an option of this call"),
            (
                r#"{"colour": null}"#.to_owned(),
                "colour is not an option; there are country, language, privacy_preset, entities, exclude_entities, \
                 min_confidence, allow_list, deny_list, custom_detectors, hints, cells, offset_unit, explain, mode, operators, \
                 policies, default_action",
            ),
            (
                r#"{"operators": {"email": {"keeplast": 4}}}"#.to_owned(),
                "operators.email.keeplast is not an option; did you mean keep_last?",
            ),
            (
                r#"{"operators": {"jan.novak@example.cz": {"keep": 4}}}"#.to_owned(),
                "operators.keep is not an option; did you mean keep_last?",
            ),
            (
                r#"{"allow_list": [{"domain": "a"}, {"regexp": "a"}]}"#.to_owned(),
                "allow_list[1].regexp is not an option; did you mean regex?",
            ),
            (
                r#"{"deny_list": [{"vlaue": "a"}]}"#.to_owned(),
                "deny_list[0].vlaue is not an option; did you mean value?",
            ),
            (
                condition(r#"{"entityType": ["email"]}"#),
                "policies[0].conditions[0].entityType is not an option; did you mean entity_types?",
            ),
            (
                check(r#"{"rule": "integer", "modulus": 97, "checklen": 2}"#),
                "custom_detectors[0].check.checklen is not an option; did you mean check_len?",
            ),
            (
                check(r#"{"rule": "luhn", "lenght": 2}"#),
                "custom_detectors[0].check.lenght is not an option; there are rule, prefix",
            ),
            // beside a rule without parameters, too
            (
                check(r#"{"rule": "verhoeff", "modulus": 10}"#),
                "custom_detectors[0].check.modulus is not an option; there are rule",
            ),
            // the rule says which names there are
            (
                check(r#"{"rule": "tea", "weights": [1]}"#),
                "custom_detectors[0].check must be an object with rule",
            ),
            // a name that may be personal data is not repeated
            (r#"{"jan.novak@example.cz": 1}"#.to_owned(), "options has an unknown option; there are country"),
            // another fault is told first
            (r#"{"country": 1, "entites": []}"#.to_owned(), "country must be a string or null"),
        ] {
            let json = &mut serde_json::Deserializer::from_str(&request);
            let read = decode_known::<(DetectOptions, ProtectOptions), _>(json, &[&["keep"], &["signal"]]);
            let message = read.err().map(|error| error.to_string()).unwrap_or_default();
            assert!(
                message.starts_with(want) && message.is_empty() == want.is_empty(),
                "{request}: {message}"
            );
        }
    }

    #[test]
    fn faults_name_their_field() {
        let detector = |check: &str| {
            let detector = r#"{"custom_detectors": [{"name": "a", "check": CHECK}]}"#;
            detector.replace("CHECK", check)
        };
        for (request, field) in [
            (r#"{"country": null, "entities": null, "unknown": {}}"#.to_owned(), None),
            (r#"{"country": 1}"#.to_owned(), Some("country")),
            (r#"{"country": "PL", "country": "DE"}"#.to_owned(), Some("country")),
            (
                r#"{"hints": [{"type": "name", "start": -1, "end": 1, "confidence": 1}]}"#.to_owned(),
                Some("hints[0].start"),
            ),
            (r#"{"cells": [{"start": 0, "end": 4}, {"start": 5}]}"#.to_owned(), Some("cells[1].end")),
            (r#"{"entities": ["email", 1]}"#.to_owned(), Some("entities[1]")),
            (r#"{"deny_list": [{"value": "a"}, {}]}"#.to_owned(), Some("deny_list[1].value")),
            (r#"{"deny_list": [["a"]]}"#.to_owned(), Some("deny_list[0]")),
            (r#"{"allow_list": [{"value": "a", "regex": "a"}]}"#.to_owned(), Some("allow_list[0]")),
            (r#"{"operators": {"a name": {"mode": "hide"}}}"#.to_owned(), Some("operators")),
            (r#"{"operators": {"email": {"keep_first": -1}}}"#.to_owned(), Some("operators")),
            (
                r#"{"policies": [{"name": "a", "action": "MASK", "conditions": [{"moon": 1}]}]}"#.to_owned(),
                Some("policies[0].conditions[0]"),
            ),
            (detector(r#"{"rule": "luhn", "prefix": "80840"}"#), None),
            (detector("{}"), Some("custom_detectors[0].check.rule")),
            (detector(r#"{"rule": "part", "check": {"rule": "tea"}}"#), Some("custom_detectors[0].check")),
            (detector(r#"{"rule": "luhn", "modulus": 10}"#), Some("custom_detectors[0].check")),
            ("[]".to_owned(), Some("body")),
            ("{".to_owned(), Some("body")),
        ] {
            let json = &mut serde_json::Deserializer::from_str(&request);
            let protection = decode::<ProtectOptions, _>(json).map(drop);
            let json = &mut serde_json::Deserializer::from_str(&request);
            let read = protection.and_then(|()| decode::<DetectOptions, _>(json).map(drop));
            assert_eq!(read.err().as_ref().and_then(Error::field), field, "{request}");
        }
    }
}
