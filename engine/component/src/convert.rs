//! The shapes of `wit/` from and to those of the engine, field by field.

mod check;

use textveil_engine::{Keyring, options, schema};

use crate::generated::exports::textveil::engine::{detection, protection, types, validation};

pub(crate) fn detect_options(
    given: Option<types::DetectOptions>,
) -> Result<options::DetectOptions, textveil_engine::Error> {
    let Some(given) = given else { return Ok(options::DetectOptions::default()) };
    let custom = given.custom_detectors.into_iter().enumerate();
    Ok(options::DetectOptions {
        country: given.country,
        language: given.language,
        privacy_preset: given.privacy_preset.map(options::Preset::from),
        entities: given.entities,
        exclude_entities: given.exclude_entities,
        min_confidence: given.min_confidence,
        allow_list: given.allow_list.into_iter().map(options::AllowRule::from).collect(),
        deny_list: given.deny_list.into_iter().map(options::DenyRule::from).collect(),
        custom_detectors: custom
            .map(|(index, given)| custom_detector(index, given))
            .collect::<Result<_, _>>()?,
        hints: given.hints.into_iter().map(options::Hint::from).collect(),
        cells: given.cells.into_iter().map(textveil_engine::Span::from).collect(),
        offset_unit: given.offset_unit.map(textveil_engine::OffsetUnit::from),
        explain: given.explain,
    })
}

pub(crate) fn protect_options(given: Option<protection::ProtectOptions>) -> options::ProtectOptions {
    let Some(given) = given else { return options::ProtectOptions::default() };
    let operators = given.operators.into_iter().map(|(kind, operator)| (kind, operator.into()));
    options::ProtectOptions {
        mode: given.mode.into(),
        operators: operators.collect(),
        policies: given.policies.into_iter().map(options::Policy::from).collect(),
        default_action: given.default_action.map(options::Action::from),
    }
}

/// Returns the keyring; `None` without keys. The first key hashes and seals; the others only open tokens.
pub(crate) fn keyring(keys: Vec<protection::Key>) -> Result<Option<Keyring>, textveil_engine::Error> {
    let mut keys = keys.into_iter();
    let Some(current) = keys.next() else { return Ok(None) };
    let ring = Keyring::new(current.version, &current.secret)?;
    keys.try_fold(ring, |ring, key| ring.with_previous(key.version, &key.secret)).map(Some)
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
    types::Preset => options::Preset { Conservative, Balanced, Aggressive }
    options::Preset => types::Preset { Conservative, Balanced, Aggressive }
    types::OffsetUnit => textveil_engine::OffsetUnit { CodePoint, Utf16, Byte }
    types::Category => textveil_engine::Category {
        Identity, Contact, Financial, Location, Personal, Business, Medical, Government, Credential,
    }
    textveil_engine::Category => types::Category {
        Identity, Contact, Financial, Location, Personal, Business, Medical, Government, Credential,
    }
    types::Product => schema::Product { Plain, DigitSum }
    protection::Mode => options::Mode { Replace, Mask, Hash, Tokenize, Policy }
    options::Mode => protection::Mode { Replace, Mask, Hash, Tokenize, Policy }
    protection::Action => options::Action { Allow, Flag, Mask, Tokenize, Hash, Redact, Block }
    options::Action => protection::Action { Allow, Flag, Mask, Tokenize, Hash, Redact, Block }
}

impl From<types::AllowRule> for options::AllowRule {
    fn from(rule: types::AllowRule) -> Self {
        match rule {
            types::AllowRule::Value(value) => Self::Value(value),
            types::AllowRule::Regex(pattern) => Self::Regex(pattern),
            types::AllowRule::Domain(domain) => Self::Domain(domain),
        }
    }
}

impl From<types::DenyRule> for options::DenyRule {
    fn from(rule: types::DenyRule) -> Self {
        Self { value: rule.value, kind: rule.type_ }
    }
}

impl From<types::Hint> for options::Hint {
    fn from(hint: types::Hint) -> Self {
        Self {
            kind: hint.type_,
            start: hint.start as usize,
            end: hint.end as usize,
            confidence: hint.confidence,
        }
    }
}

impl From<types::Span> for textveil_engine::Span {
    fn from(span: types::Span) -> Self {
        Self { start: span.start as usize, end: span.end as usize }
    }
}

fn custom_detector(
    index: usize,
    given: types::CustomDetector,
) -> Result<options::CustomDetector, textveil_engine::Error> {
    let types::CustomDetector {
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
    } = given;
    let check = check::from_list(check).map_err(|wrong| {
        textveil_engine::Error::invalid(format!("custom_detectors[{index}].check"), wrong)
    })?;
    let category = category.map(Into::into);
    let parts = parts.into_iter().map(Into::into).collect();
    Ok(options::CustomDetector {
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
    })
}

impl From<types::Part> for schema::Part {
    fn from(part: types::Part) -> Self {
        let types::Part { at, len, length, min, max, not, chars, one_of, none_of, within } = part;
        Self { at, len, length, min, max, not, chars, one_of, none_of, within }
    }
}

impl From<protection::Operator> for options::Operator {
    fn from(operator: protection::Operator) -> Self {
        Self {
            mode: operator.mode.into(),
            mask_char: operator.mask_char,
            keep_first: operator.keep_first as usize,
            keep_last: operator.keep_last as usize,
            new_value: operator.new_value,
        }
    }
}

impl From<protection::Policy> for options::Policy {
    fn from(policy: protection::Policy) -> Self {
        Self {
            name: policy.name,
            priority: policy.priority,
            action: policy.action.into(),
            conditions: policy.conditions.into_iter().map(options::Condition::from).collect(),
            is_default: policy.is_default,
        }
    }
}

impl From<protection::Condition> for options::Condition {
    fn from(condition: protection::Condition) -> Self {
        Self {
            confidence_min: condition.confidence_min,
            entity_types: condition.entity_types,
            exclude_entity_types: condition.exclude_entity_types,
            countries: condition.countries,
            categories: condition.categories.map(|all| all.into_iter().map(Into::into).collect()),
            validated: condition.validated,
            min_count: condition.min_count.map(|count| count as usize),
        }
    }
}

impl From<textveil_engine::Detection> for detection::Detection {
    fn from(found: textveil_engine::Detection) -> Self {
        Self {
            entities: found.entities.into_iter().map(types::Entity::from).collect(),
            countries: found.countries.into_iter().map(types::CountryDetection::from).collect(),
            preset: found.preset.into(),
        }
    }
}

impl From<textveil_engine::Entity> for types::Entity {
    fn from(entity: textveil_engine::Entity) -> Self {
        Self {
            type_: entity.kind.into_owned(),
            category: entity.category.into(),
            original: entity.original,
            country: entity.country.map(|country| country.upper()),
            confidence: entity.confidence,
            validated: entity.validated,
            span: entity.span.into(),
            bytes: entity.bytes.into(),
            metadata: facts(&entity.metadata),
            evidence: entity.evidence.into_iter().map(types::Evidence::from).collect(),
        }
    }
}

impl From<textveil_engine::CountryDetection> for types::CountryDetection {
    fn from(country: textveil_engine::CountryDetection) -> Self {
        Self {
            code: country.code.upper(),
            confidence: country.confidence,
            evidence: country.evidence.into_iter().map(types::Evidence::from).collect(),
        }
    }
}

impl From<textveil_engine::Evidence> for types::Evidence {
    fn from(evidence: textveil_engine::Evidence) -> Self {
        Self {
            signal: evidence.signal.to_owned(),
            weight: evidence.weight,
            span: evidence.span.map(types::Span::from),
        }
    }
}

impl From<textveil_engine::Span> for types::Span {
    fn from(span: textveil_engine::Span) -> Self {
        Self { start: count(span.start), end: count(span.end) }
    }
}

impl From<textveil_engine::wire::DetectorInfo> for detection::DetectorInfo {
    fn from(detector: textveil_engine::wire::DetectorInfo) -> Self {
        Self {
            name: detector.name.to_owned(),
            description: detector.description.to_owned(),
            region: detector.region.to_owned(),
            category: detector.category.to_owned(),
            entity_type: detector.entity_type.to_owned(),
        }
    }
}

impl From<textveil_engine::Validation> for validation::Validation {
    fn from(validation: textveil_engine::Validation) -> Self {
        Self {
            entity_type: validation.kind.into_owned(),
            country: validation.country.map(|country| country.upper()),
            valid: validation.valid,
            confidence: validation.confidence,
            metadata: facts(&validation.metadata),
        }
    }
}

impl From<textveil_engine::Protection> for protection::Protection {
    fn from(protection: textveil_engine::Protection) -> Self {
        Self {
            text: protection.text,
            entities: protection.entities.into_iter().map(protection::Protected::from).collect(),
            countries: protection.countries.into_iter().map(types::CountryDetection::from).collect(),
            mode: protection.mode.into(),
        }
    }
}

impl From<textveil_engine::Protected> for protection::Protected {
    fn from(protected: textveil_engine::Protected) -> Self {
        Self {
            entity: protected.entity.into(),
            replacement: protected.replacement,
            action: protected.action.map(Into::into),
            policy: protected.policy,
        }
    }
}

impl From<textveil_engine::Restored> for protection::Restoration {
    fn from(restored: textveil_engine::Restored) -> Self {
        Self { text: restored.text, restored: count(restored.restored), unknown: count(restored.unknown) }
    }
}

impl From<textveil_engine::Error> for types::Error {
    fn from(error: textveil_engine::Error) -> Self {
        match error.field() {
            Some(field) => Self::InvalidRequest(types::InvalidRequest {
                field: field.to_owned(),
                message: error.to_string(),
            }),
            None => match error.blocked() {
                Some(counts) => Self::PolicyViolation(
                    counts.iter().map(|(kind, blocked)| (kind.to_string(), count(*blocked))).collect(),
                ),
                None => Self::BudgetExceeded,
            },
        }
    }
}

fn facts(metadata: &textveil_engine::Metadata) -> Vec<(String, types::Fact)> {
    let fact = |fact: &textveil_engine::Fact| match fact {
        textveil_engine::Fact::Flag(flag) => types::Fact::Flag(*flag),
        textveil_engine::Fact::Text(text) => types::Fact::Text(text.clone().into_owned()),
    };
    metadata.iter().map(|(name, value)| (name.to_owned(), fact(value))).collect()
}

/// On wasm32 a `usize` has 32 bits.
fn count(number: usize) -> u32 {
    number as u32
}
