//! The checks of a value: its check digits (`digits`), what its structure says in data (`structure`), and what only code
//! can say, one module each with its source.
//!
//! Such a module has `pub fn facts(value: &str) -> Result<Facts, Invalid>` over a compact value. The catalogue names
//! it by its module (`rule = "…"`).

use crate::text::order;

/// The imports of every rule.
pub(crate) mod prelude {
    pub(crate) use super::{entry, meaning, numbered};
    pub(crate) use crate::api::facts::{
        Date, Facts, Gender, Invalid,
        value::{digits, number},
    };
}

/// Returns the entry of a list that equals the value. The list is sorted, with a space between entries.
pub(crate) fn entry(list: &'static str, value: &str) -> Option<&'static str> {
    order::find_word(list, |known| known.cmp(value.as_bytes()))
}

/// Returns the meaning of a code in a list of entries separated by spaces. Each entry is a code directly
/// followed by its meaning.
pub(crate) fn meaning(list: &'static str, code: &str) -> Option<&'static str> {
    let mut rest = list;
    loop {
        if let Some(meaning) = rest.strip_prefix(code) {
            return meaning.split(' ').next();
        }
        // entries are so short that a vectorised search takes longer
        let space = rest.bytes().position(|byte| byte == b' ')?;
        rest = rest.get(space + 1..)?;
    }
}

/// Returns the entry with that number, counted from 1, of a list separated by spaces.
pub(crate) fn numbered(list: &'static str, number: u64) -> Option<&'static str> {
    list.split(' ').nth(usize::try_from(number).ok()?.checked_sub(1)?)
}

pub(crate) mod age_key;
pub(crate) mod ausweis;
pub(crate) mod bank_account_ru;
pub(crate) mod base58;
pub(crate) mod bic;
pub(crate) mod bulstat;
pub(crate) mod calendar;
pub(crate) mod card;
pub(crate) mod cedula_pa;
pub(crate) mod cislo_uctu;
pub(crate) mod cni_fr;
pub(crate) mod codice_fiscale;
pub(crate) mod company_number_gb;
pub(crate) mod cookie;
pub(crate) mod countries;
pub(crate) mod cpr;
pub(crate) mod credential;
pub(crate) mod crypto_address;
pub(crate) mod cui_ro;
pub(crate) mod date_of_birth;
pub(crate) mod dic_cz;
pub(crate) mod digits;
pub(crate) mod driving_licence_gb;
pub(crate) mod eircode;
pub(crate) mod ethereum;
pub(crate) mod fodselsnummer;
pub(crate) mod gender;
pub(crate) mod geo;
pub(crate) mod geo_coordinates;
pub(crate) mod handelsregisternummer;
pub(crate) mod hetu;
pub(crate) mod http_auth;
pub(crate) mod iban;
pub(crate) mod ic_dph;
pub(crate) mod iccid;
pub(crate) mod ipv4;
pub(crate) mod ipv4_small;
pub(crate) mod ipv6;
pub(crate) mod ird;
pub(crate) mod isil;
pub(crate) mod jwt;
pub(crate) mod kenteken;
pub(crate) mod kfz_kennzeichen;
pub(crate) mod last_digits;
pub(crate) mod mailchimp;
pub(crate) mod mf_tn;
pub(crate) mod money;
pub(crate) mod mrz;
pub(crate) mod national_id_tw;
pub(crate) mod nationality;
pub(crate) mod nic_lk;
pub(crate) mod nid_al;
pub(crate) mod nir;
pub(crate) mod nit_sv;
pub(crate) mod nrc_mm;
pub(crate) mod nrt_ad;
pub(crate) mod onrc;
pub(crate) mod password;
pub(crate) mod patente_it;
pub(crate) mod plaque_fr;
pub(crate) mod plate_ru;
pub(crate) mod postcode_gb;
pub(crate) mod private_key;
pub(crate) mod reference;
pub(crate) mod rejestracja_pl;
pub(crate) mod rib;
pub(crate) mod rijksregisternummer;
pub(crate) mod rodne_cislo;
pub(crate) mod rrn;
pub(crate) mod seed_phrase;
pub(crate) mod solana;
pub(crate) mod steuer_id;
pub(crate) mod steuernummer;
pub(crate) mod structure;
pub(crate) mod szemelyi_szam;
pub(crate) mod token_crc;
pub(crate) mod tva_fr;
pub(crate) mod userinfo;
pub(crate) mod vat_gb;
pub(crate) mod vehicle_registration_gb;
pub(crate) mod vehicle_registration_in;
pub(crate) mod vin;
