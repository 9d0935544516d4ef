//! Names of types: Presidio's if it has the type, otherwise the engine's in upper case after the code of
//! their country (`PL_REGON`, `UK_VAT`).
//!
//! The catalogue's aliases map Presidio's names to the engine's types.

use std::collections::BTreeSet;

use textveil_engine::{Country, DetectOptions, Entity, detectors, presidio_type, types_named};

use crate::workspace::{DENY_LIST, Settings};

/// Returns the name of the type of a finding.
pub(super) fn of(entity: &Entity) -> String {
    presidio_type(&entity.kind, entity.country)
}

/// Returns every name that a finding can have in a workspace, sorted.
pub(super) fn supported(settings: &Settings) -> BTreeSet<String> {
    let catalogue = detectors(None).into_iter();
    let names =
        catalogue.map(|detector| presidio_type(detector.entity_type, Country::parse(detector.region)));
    names.chain(settings.types().map(str::to_ascii_uppercase)).collect()
}

/// Returns the recognizers of a workspace, sorted: one per type, by the engine's names.
pub(super) fn recognizers(settings: &Settings) -> BTreeSet<String> {
    let catalogue = detectors(None).into_iter().map(|detector| detector.entity_type.to_owned());
    catalogue.chain(settings.types().map(str::to_owned)).collect()
}

/// The types requested by name, Presidio's or the engine's.
pub(super) struct WantedTypes {
    /// The engine's types that are wanted for every country.
    kinds: BTreeSet<String>,
    /// Names of a country and an engine's type.
    names: BTreeSet<String>,
}

impl WantedTypes {
    /// Resolves `entities`, with the caller's own types in `options`. Unknown names are ignored, as in
    /// Presidio: clients request all types that they know.
    pub(super) fn new(entities: &[String], options: &DetectOptions) -> Self {
        let mut wanted = Self { kinds: BTreeSet::new(), names: BTreeSet::new() };
        let own = own_types(options);
        for entity in entities {
            let entity = entity.trim();
            let kinds = types_named(entity);
            let lower = entity.to_ascii_lowercase();
            if own.contains(lower.as_str()) {
                wanted.kinds.insert(lower);
            } else if kinds.is_empty() {
                wanted.names.insert(entity.to_ascii_uppercase());
            }
            wanted.kinds.extend(kinds.into_iter().map(str::to_owned));
        }
        let known = supported(&Settings::default());
        wanted.names.retain(|name| known.contains(name));
        wanted
    }

    pub(super) fn is_empty(&self) -> bool {
        self.kinds.is_empty() && self.names.is_empty()
    }

    /// Returns the types to request from the engine.
    pub(super) fn types(&self) -> Vec<String> {
        let mut types = self.kinds.clone();
        for detector in detectors(None) {
            if self.names.contains(&presidio_type(detector.entity_type, Country::parse(detector.region))) {
                types.insert(detector.entity_type.to_owned());
            }
        }
        types.into_iter().collect()
    }

    /// Whether a finding of those types was requested.
    pub(super) fn has(&self, entity: &Entity) -> bool {
        self.kinds.contains(entity.kind.as_ref()) || self.names.contains(&of(entity))
    }
}

/// Returns the caller's own types.
fn own_types(options: &DetectOptions) -> BTreeSet<&str> {
    let custom = options.custom_detectors.iter().map(|detector| detector.name.as_str());
    let denied = options.deny_list.iter().map(|rule| rule.kind.as_deref().unwrap_or(DENY_LIST));
    custom.chain(denied).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every reported name can be requested.
    #[test]
    fn every_name_leads_back_to_its_type() {
        for detector in detectors(None) {
            let kind = detector.entity_type;
            let name = presidio_type(kind, Country::parse(detector.region));
            let wanted = WantedTypes::new(std::slice::from_ref(&name), &DetectOptions::default());
            assert!(wanted.types().iter().any(|wanted| wanted == kind), "{name} does not lead to {kind}");
        }
    }

    #[test]
    fn both_kinds_of_names_are_understood() {
        let ask = |name: &str| WantedTypes::new(&[name.to_owned()], &DetectOptions::default()).types();
        for (name, want) in [
            ("EMAIL_ADDRESS", vec!["email"]),
            ("email", vec!["email"]),
            ("UK_NHS", vec!["nhs_number"]),
            ("CZ_RODNE_CISLO", vec!["rodne_cislo"]),
            ("rodne_cislo", vec!["rodne_cislo"]),
            ("UK_VAT", vec!["vat_gb"]),
            ("PERSON", vec!["name"]),
            ("NOTHING_AT_ALL", vec![]),
        ] {
            assert_eq!(ask(name), want, "{name}");
        }
    }
}
