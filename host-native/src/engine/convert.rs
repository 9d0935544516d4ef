//! The shapes of `wit/` from and to those of the engine, field by field: the mirror of the
//! component's own conversions.

mod check;

use std::borrow::Cow;

use textveil_engine::{
    Country, CountryDetection, Detection, Entity, Evidence, Fact, Metadata, OffsetUnit, Protected,
    Protection, Restored, Span, Validation, entity::Category, options, schema, wire::DetectorInfo,
};

use super::{
    Key,
    generated::exports::textveil::engine::{detection, protection, types, validation},
    names::lasting,
};

/// # Errors
/// If a custom detector's check calls a function: a component can be given data only.
pub(super) fn detect_options(
    options: &options::DetectOptions,
) -> Result<types::DetectOptions, textveil_engine::Error> {
    let options = options.clone();
    let custom = options.custom_detectors.into_iter().enumerate();
    Ok(types::DetectOptions {
        country: options.country,
        language: options.language,
        privacy_preset: options.privacy_preset.map(types::Preset::from),
        entities: options.entities,
        exclude_entities: options.exclude_entities,
        min_confidence: options.min_confidence,
        allow_list: options.allow_list.into_iter().map(types::AllowRule::from).collect(),
        deny_list: options.deny_list.into_iter().map(types::DenyRule::from).collect(),
        custom_detectors: custom
            .map(|(index, detector)| custom_detector(index, detector))
            .collect::<Result<_, _>>()?,
        hints: options.hints.into_iter().map(types::Hint::from).collect(),
        cells: options.cells.into_iter().map(types::Span::from).collect(),
        offset_unit: options.offset_unit.map(types::OffsetUnit::from),
        explain: options.explain,
    })
}

pub(super) fn protect_options(options: &options::ProtectOptions) -> protection::ProtectOptions {
    let options = options.clone();
    protection::ProtectOptions {
        mode: options.mode.into(),
        operators: options.operators.into_iter().map(|(kind, operator)| (kind, operator.into())).collect(),
        policies: options.policies.into_iter().map(protection::Policy::from).collect(),
        default_action: options.default_action.map(protection::Action::from),
    }
}

pub(super) fn keys(keys: &[Key]) -> Vec<protection::Key> {
    keys.iter().map(|key| protection::Key { version: key.version, secret: key.secret.clone() }).collect()
}

/// `From` between two enumerations with the same cases.
macro_rules! same_cases {
    ($($from:ty => $to:ty { $($case:ident),+ $(,)? })+) => {$(
        impl From<$from> for $to {
            fn from(from: $from) -> Self {
                match from { $(<$from>::$case => Self::$case),+ }
            }
        }
    )+};
}

same_cases! {
    options::Preset => types::Preset { Conservative, Balanced, Aggressive }
    types::Preset => options::Preset { Conservative, Balanced, Aggressive }
    OffsetUnit => types::OffsetUnit { CodePoint, Utf16, Byte }
    Category => types::Category {
        Identity, Contact, Financial, Location, Personal, Business, Medical, Government, Credential,
    }
    types::Category => Category {
        Identity, Contact, Financial, Location, Personal, Business, Medical, Government, Credential,
    }
    schema::Product => types::Product { Plain, DigitSum }
    options::Mode => protection::Mode { Replace, Mask, Hash, Tokenize, Policy }
    protection::Mode => options::Mode { Replace, Mask, Hash, Tokenize, Policy }
    options::Action => protection::Action { Allow, Flag, Mask, Tokenize, Hash, Redact, Block }
    protection::Action => options::Action { Allow, Flag, Mask, Tokenize, Hash, Redact, Block }
}

impl From<options::AllowRule> for types::AllowRule {
    fn from(rule: options::AllowRule) -> Self {
        match rule {
            options::AllowRule::Value(value) => Self::Value(value),
            options::AllowRule::Regex(pattern) => Self::Regex(pattern),
            options::AllowRule::Domain(domain) => Self::Domain(domain),
        }
    }
}

impl From<options::DenyRule> for types::DenyRule {
    fn from(rule: options::DenyRule) -> Self {
        Self { value: rule.value, type_: rule.kind }
    }
}

impl From<options::Hint> for types::Hint {
    fn from(hint: options::Hint) -> Self {
        Self {
            type_: hint.kind,
            start: offset(hint.start),
            end: offset(hint.end),
            confidence: hint.confidence,
        }
    }
}

impl From<Span> for types::Span {
    fn from(span: Span) -> Self {
        Self { start: offset(span.start), end: offset(span.end) }
    }
}

/// No text has as many units: the engine names an offset outside of it.
fn offset(units: usize) -> u32 {
    u32::try_from(units).unwrap_or(u32::MAX)
}

fn custom_detector(
    index: usize,
    detector: options::CustomDetector,
) -> Result<types::CustomDetector, textveil_engine::Error> {
    let options::CustomDetector {
        name,
        pattern,
        shapes,
        labels,
        labelled,
        parts,
        check,
        context,
        confidence,
        category,
    } = detector;
    let mut list = Vec::new();
    if let Some(check) = check {
        check::into_list(check, &mut list).map_err(|wrong| {
            textveil_engine::Error::invalid(format!("custom_detectors[{index}].check"), wrong)
        })?;
    }
    let category = category.map(Into::into);
    let parts = parts.into_iter().map(Into::into).collect();
    Ok(types::CustomDetector {
        name,
        pattern,
        shapes,
        labels,
        labelled,
        parts,
        check: list,
        context,
        confidence,
        category,
    })
}

impl From<schema::Part> for types::Part {
    fn from(part: schema::Part) -> Self {
        let schema::Part { at, len, length, min, max, not, chars, one_of, none_of, within } = part;
        Self { at, len, length, min, max, not, chars, one_of, none_of, within }
    }
}

impl From<options::Operator> for protection::Operator {
    fn from(operator: options::Operator) -> Self {
        Self {
            mode: operator.mode.into(),
            mask_char: operator.mask_char,
            keep_first: count(operator.keep_first),
            keep_last: count(operator.keep_last),
            new_value: operator.new_value,
        }
    }
}

impl From<options::Policy> for protection::Policy {
    fn from(policy: options::Policy) -> Self {
        Self {
            name: policy.name,
            priority: policy.priority,
            action: policy.action.into(),
            conditions: policy.conditions.into_iter().map(protection::Condition::from).collect(),
            is_default: policy.is_default,
        }
    }
}

impl From<options::Condition> for protection::Condition {
    fn from(condition: options::Condition) -> Self {
        Self {
            confidence_min: condition.confidence_min,
            entity_types: condition.entity_types,
            exclude_entity_types: condition.exclude_entity_types,
            countries: condition.countries,
            categories: condition.categories.map(|all| all.into_iter().map(Into::into).collect()),
            validated: condition.validated,
            min_count: condition.min_count.map(count),
        }
    }
}

pub(super) fn detection(found: detection::Detection) -> wasmtime::Result<Detection> {
    Ok(Detection {
        entities: found.entities.into_iter().map(entity).collect::<Result<_, _>>()?,
        countries: found.countries.into_iter().map(country_detection).collect::<Result<_, _>>()?,
        preset: found.preset.into(),
    })
}

fn entity(entity: types::Entity) -> wasmtime::Result<Entity> {
    Ok(Entity {
        kind: Cow::Owned(entity.type_),
        category: entity.category.into(),
        original: entity.original,
        country: entity.country.as_deref().and_then(Country::parse),
        confidence: entity.confidence,
        validated: entity.validated,
        span: entity.span.into(),
        bytes: entity.bytes.into(),
        metadata: metadata(entity.metadata)?,
        evidence: entity.evidence.into_iter().map(evidence).collect::<Result<_, _>>()?,
    })
}

fn country_detection(country: types::CountryDetection) -> wasmtime::Result<CountryDetection> {
    let Some(code) = Country::parse(&country.code) else {
        wasmtime::bail!("the component reports a country whose code is no ISO 3166-1 alpha-2 code");
    };
    let evidence = country.evidence.into_iter().map(evidence).collect::<Result<_, _>>()?;
    Ok(CountryDetection { code, confidence: country.confidence, evidence })
}

fn evidence(evidence: types::Evidence) -> wasmtime::Result<Evidence> {
    let types::Evidence { signal, weight, span } = evidence;
    Ok(Evidence { signal: lasting(signal)?, weight, span: span.map(Span::from) })
}

impl From<types::Span> for Span {
    fn from(span: types::Span) -> Self {
        Self { start: span.start as usize, end: span.end as usize }
    }
}

pub(super) fn detector(detector: detection::DetectorInfo) -> wasmtime::Result<DetectorInfo> {
    Ok(DetectorInfo {
        name: lasting(detector.name)?,
        description: lasting(detector.description)?,
        region: lasting(detector.region)?,
        category: lasting(detector.category)?,
        entity_type: lasting(detector.entity_type)?,
    })
}

pub(super) fn validation(validation: validation::Validation) -> wasmtime::Result<Validation> {
    Ok(Validation {
        kind: Cow::Owned(validation.entity_type),
        country: validation.country.as_deref().and_then(Country::parse),
        valid: validation.valid,
        confidence: validation.confidence,
        metadata: metadata(validation.metadata)?,
    })
}

pub(super) fn protection(protection: protection::Protection) -> wasmtime::Result<Protection> {
    Ok(Protection {
        text: protection.text,
        entities: protection.entities.into_iter().map(protected).collect::<Result<_, _>>()?,
        countries: protection.countries.into_iter().map(country_detection).collect::<Result<_, _>>()?,
        mode: protection.mode.into(),
    })
}

fn protected(protected: protection::Protected) -> wasmtime::Result<Protected> {
    Ok(Protected {
        entity: entity(protected.entity)?,
        replacement: protected.replacement,
        action: protected.action.map(Into::into),
        policy: protected.policy,
    })
}

pub(super) fn restored(restored: protection::Restoration) -> Restored {
    let protection::Restoration { text, restored, unknown } = restored;
    Restored { text, restored: restored as usize, unknown: unknown as usize }
}

pub(super) fn refusal(error: types::Error) -> textveil_engine::Error {
    match error {
        types::Error::InvalidRequest(types::InvalidRequest { field, message }) => {
            // the engine writes the field in front of the message
            let message = message.strip_prefix(&field).map_or(message.as_str(), str::trim_start).to_owned();
            textveil_engine::Error::invalid(field, message)
        }
        types::Error::PolicyViolation(counts) => textveil_engine::Error::policy_violation(
            counts.into_iter().map(|(kind, blocked)| (kind.into(), blocked as usize)).collect(),
        ),
        types::Error::BudgetExceeded => textveil_engine::Error::budget_exceeded(),
    }
}

fn metadata(facts: Vec<(String, types::Fact)>) -> wasmtime::Result<Metadata> {
    let mut metadata = Metadata::default();
    for (name, fact) in facts {
        let fact = match fact {
            types::Fact::Flag(flag) => Fact::Flag(flag),
            types::Fact::Text(text) => Fact::Text(Cow::Owned(text)),
        };
        metadata.set(lasting(name)?, fact);
    }
    Ok(metadata)
}

/// The component counts in 32 bits; a larger number means the same to it as the largest.
fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
