//! Presidio's names of the engine's types.

use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

use super::detectors;
use crate::{api::entity::Country, detect::plan::types_named};

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

/// Returns Presidio's name of a type, found as one of `country`.
///
/// A type that Presidio lacks has its own name in upper case, after the code of its country.
///
/// # Examples
/// ```
/// use textveil_engine::{Country, presidio_type};
///
/// assert_eq!(presidio_type("email", None), "EMAIL_ADDRESS");
/// assert_eq!(presidio_type("regon", Country::parse("PL")), "PL_REGON");
/// ```
pub fn presidio_type(kind: &str, country: Option<Country>) -> String {
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
            assert_eq!(presidio_type(kind, country.and_then(Country::parse)), want);
        }
    }

    #[test]
    fn a_type_has_one_name() {
        for kind in NAMES.keys() {
            let names: Vec<_> = PRESIDIO.iter().filter(|name| types_named(name).contains(kind)).collect();
            assert_eq!(names.len(), 1, "{kind} has several names: {names:?}");
        }
    }
}
