//! Names of types: Presidio's if it has the type, otherwise the engine's in upper case after the code of
//! their country (`PL_REGON`, `UK_VAT`).
//!
//! The catalogue's aliases map Presidio's names to the engine's types.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::LazyLock,
};

use textveil_engine::{Country, DetectOptions, Entity, detectors, types_named};

use crate::workspace::{DENY_LIST, Settings};

/// The types of Presidio's own recognizers, by country. Types without a detector do no harm.
const PRESIDIO: [&str; 92] = [
    "CREDIT_CARD",
    "CRYPTO",
    "DATE_TIME",
    "EMAIL_ADDRESS",
    "IBAN_CODE",
    "IP_ADDRESS",
    "LOCATION",
    "MAC_ADDRESS",
    "MEDICAL_LICENSE",
    "NRP",
    "ORGANIZATION",
    "PERSON",
    "PHONE_NUMBER",
    "URL",
    "UUID",
    "ABA_ROUTING_NUMBER",
    "AU_ABN",
    "AU_ACN",
    "AU_MEDICARE",
    "AU_TFN",
    "CA_POSTAL_CODE",
    "CA_SIN",
    "DE_BSNR",
    "DE_FUEHRERSCHEIN",
    "DE_HANDELSREGISTER",
    "DE_HEALTH_INSURANCE",
    "DE_ID_CARD",
    "DE_KFZ",
    "DE_LANR",
    "DE_PASSPORT",
    "DE_PLZ",
    "DE_SOCIAL_SECURITY",
    "DE_TAX_ID",
    "DE_TAX_NUMBER",
    "DE_VAT_ID",
    "ES_NIE",
    "ES_NIF",
    "ES_PASSPORT",
    "FI_PERSONAL_IDENTITY_CODE",
    "IN_AADHAAR",
    "IN_GSTIN",
    "IN_PAN",
    "IN_PASSPORT",
    "IN_VEHICLE_REGISTRATION",
    "IN_VOTER",
    "IT_DRIVER_LICENSE",
    "IT_FISCAL_CODE",
    "IT_IDENTITY_CARD",
    "IT_PASSPORT",
    "IT_VAT_CODE",
    "KR_BRN",
    "KR_DRIVER_LICENSE",
    "KR_FRN",
    "KR_PASSPORT",
    "KR_RRN",
    "NG_NIN",
    "NG_VEHICLE_REGISTRATION",
    "PH_PASSPORT",
    "PH_TIN",
    "PH_UMID",
    "PL_PESEL",
    "SE_ORGANISATIONSNUMMER",
    "SE_PERSONNUMMER",
    "SG_NRIC_FIN",
    "SG_UEN",
    "TH_TNIN",
    "TR_LICENSE_PLATE",
    "TR_NATIONAL_ID",
    "UK_DRIVING_LICENCE",
    "UK_NHS",
    "UK_NINO",
    "UK_PASSPORT",
    "UK_POSTCODE",
    "UK_VEHICLE_REGISTRATION",
    "US_BANK_NUMBER",
    "US_CLAIM_NUMBER",
    "US_DRIVER_LICENSE",
    "US_HEALTH_INSURANCE_MEMBER_ID",
    "US_ITIN",
    "US_MBI",
    "US_NPI",
    "US_PASSPORT",
    "US_PROVIDER_TAX_ID",
    "US_SSN",
    "ZA_COMPANY_REGISTRATION",
    "ZA_DRIVER_LICENSE",
    "ZA_ID_NUMBER",
    "ZA_INCOME_TAX_NUMBER",
    "ZA_LICENSE_PLATE",
    "ZA_PASSPORT",
    "ZA_TRAFFIC_REGISTER_NUMBER",
    "ZA_VAT_NUMBER",
];

/// Presidio's names of the engine's types.
static NAMES: LazyLock<HashMap<&'static str, &'static str>> = LazyLock::new(|| {
    let pairs = PRESIDIO.iter().flat_map(|name| types_named(name).into_iter().map(move |kind| (kind, *name)));
    pairs.collect()
});

/// The engine's types that belong to a country.
static NATIONAL: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let national = detectors(None).into_iter().filter(|detector| Country::parse(detector.region).is_some());
    national.map(|detector| detector.entity_type).collect()
});

/// Returns the name of an engine's type, found as one of `country`.
fn name(kind: &str, country: Option<Country>) -> String {
    if let Some(name) = NAMES.get(kind) {
        return (*name).to_owned();
    }
    let name = kind.to_ascii_uppercase();
    match country.filter(|_| NATIONAL.contains(kind)) {
        Some(country) => {
            let code = country.upper();
            let own = name.strip_suffix(&format!("_{code}")).unwrap_or(&name);
            format!("{}_{own}", if code == "GB" { "UK" } else { &code })
        }
        None => name,
    }
}

/// Returns the name of the type of a finding.
pub(super) fn of(entity: &Entity) -> String {
    name(&entity.kind, entity.country)
}

/// Returns every name that a finding can have in a workspace, sorted.
pub(super) fn supported(settings: &Settings) -> BTreeSet<String> {
    let catalogue = detectors(None).into_iter();
    let names = catalogue.map(|detector| name(detector.entity_type, Country::parse(detector.region)));
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
            if self.names.contains(&name(detector.entity_type, Country::parse(detector.region))) {
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

    #[test]
    fn names_are_presidios_or_ours() {
        for (kind, country, want) in [
            ("email", None, "EMAIL_ADDRESS"),
            ("iban", Some("DE"), "IBAN_CODE"),
            ("phone_number", Some("CZ"), "PHONE_NUMBER"),
            ("crypto_address", None, "CRYPTO"),
            ("ssn", Some("US"), "US_SSN"),
            ("bank_account_us", Some("US"), "US_BANK_NUMBER"),
            ("aba_routing", Some("US"), "ABA_ROUTING_NUMBER"),
            ("nhs_number", Some("GB"), "UK_NHS"),
            ("steuer_id", Some("DE"), "DE_TAX_ID"),
            ("kvnr", Some("DE"), "DE_HEALTH_INSURANCE"),
            ("pesel", Some("PL"), "PL_PESEL"),
            ("regon", Some("PL"), "PL_REGON"),
            ("rodne_cislo", Some("CZ"), "CZ_RODNE_CISLO"),
            ("rodne_cislo", Some("SK"), "SK_RODNE_CISLO"),
            ("dic_cz", Some("CZ"), "CZ_DIC"),
            ("vat_gb", Some("GB"), "UK_VAT"),
            ("openai_api_key", None, "OPENAI_API_KEY"),
            ("employee", None, "EMPLOYEE"),
        ] {
            assert_eq!(name(kind, country.and_then(Country::parse)), want);
        }
    }

    /// Every reported name can be requested, and Presidio's names have Presidio's meaning.
    #[test]
    fn every_name_leads_back_to_its_type() {
        for detector in detectors(None) {
            let kind = detector.entity_type;
            let name = name(kind, Country::parse(detector.region));
            let wanted = WantedTypes::new(std::slice::from_ref(&name), &DetectOptions::default());
            assert!(wanted.types().iter().any(|wanted| wanted == kind), "{name} does not lead to {kind}");
        }
        for kind in NAMES.keys() {
            let names: Vec<_> = PRESIDIO.iter().filter(|name| types_named(name).contains(kind)).collect();
            assert_eq!(names.len(), 1, "{kind} has several names: {names:?}");
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
