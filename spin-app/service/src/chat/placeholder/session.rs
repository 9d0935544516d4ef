//! The placeholders of a conversation, in the form in which they are kept between its requests.

use std::{borrow::Cow, collections::BTreeSet};

use serde::{Deserialize, Serialize};
use textveil_engine::{Category, Country, Entity, Metadata, Span};

use super::{Made, Placeholders, ValueOrigin, ValueSource, split_id};

/// The values of a conversation so far, with their placeholders and who said them.
///
/// It holds personal data in clear: what is written to a store must be sealed.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct SessionValues {
    values: Vec<SessionValue>,
    /// Names of placeholders that the conversation's own texts have.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    literals: BTreeSet<String>,
}

#[derive(Clone, Serialize, Deserialize)]
struct SessionValue {
    /// The text between the brackets, in lower case.
    name: String,
    kind: String,
    original: String,
    /// Absent where it is the original.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    normalised: Option<String>,
    /// Absent where nobody is known who said it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    source: Option<SessionSource>,
}

/// The properties of a placeholder's finding on which policies decide.
#[derive(Clone, Serialize, Deserialize)]
struct SessionSource {
    category: Category,
    country: Option<String>,
    confidence: f64,
    validated: bool,
    origins: BTreeSet<ValueOrigin>,
}

/// Values stay out: only how many there are is shown.
impl std::fmt::Debug for SessionValues {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "SessionValues({})", self.values.len())
    }
}

impl Placeholders {
    /// Lists what a later request of the conversation needs.
    pub fn session_values(&self) -> SessionValues {
        let mut values = Vec::with_capacity(self.originals.len());
        for (kind, made) in &self.made {
            for (normalised, Made { name, .. }) in made {
                let Some(original) = self.originals.get(name) else { continue };
                values.push(SessionValue {
                    name: name.clone(),
                    kind: kind.clone(),
                    original: original.clone(),
                    normalised: (normalised != original).then(|| normalised.clone()),
                    source: self.sources.get(name).map(SessionSource::of),
                });
            }
        }
        SessionValues { values, literals: self.literal.clone() }
    }

    /// Adds the placeholders of the conversation's earlier requests. Comes before anything is read or made.
    pub fn resume(&mut self, earlier: &SessionValues) {
        for value in &earlier.values {
            let Some((kind, id)) = value.name.rsplit_once('_') else { continue };
            let placeholder = format!("[[{}_{id}]]", kind.to_ascii_uppercase());
            let made = Made { placeholder, name: value.name.clone() };
            let normalised = value.normalised.as_ref().unwrap_or(&value.original);
            self.insert(&value.kind, normalised, &value.original, id.to_owned(), made);
            let source = value.source.as_ref().map(|source| source.source(value));
            self.sources.extend(source.map(|source| (value.name.clone(), source)));
        }
        self.literal_ids.extend(earlier.literals.iter().filter_map(|name| Some(split_id(name)?.1)));
        self.literal.extend(earlier.literals.iter().cloned());
    }
}

impl SessionSource {
    fn of(source: &ValueSource) -> Self {
        let entity = &source.entity;
        Self {
            category: entity.category,
            country: entity.country.map(Country::upper),
            confidence: entity.confidence,
            validated: entity.validated,
            origins: source.origins.clone(),
        }
    }

    fn source(&self, value: &SessionValue) -> ValueSource {
        let mut metadata = Metadata::default();
        if let Some(normalised) = &value.normalised {
            metadata.text("normalized", normalised.clone());
        }
        let nowhere = Span { start: 0, end: value.original.len() };
        let entity = Entity {
            kind: Cow::Owned(value.kind.clone()),
            category: self.category,
            original: value.original.clone(),
            country: self.country.as_deref().and_then(Country::parse),
            confidence: self.confidence,
            validated: self.validated,
            span: nowhere,
            bytes: nowhere,
            metadata,
            evidence: Vec::new(),
        };
        ValueSource { entity, origins: self.origins.clone() }
    }
}
