//! Rules that the catalogue's data cannot express: one module per rule, each with its source.
//!
//! A rule is `pub fn facts(value: &str) -> Result<Facts, Invalid>` over a compact value. The catalogue
//! names it by its module.

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

pub(crate) mod adoazonosito_jel;
pub(crate) mod adoszam;
pub(crate) mod age_key;
pub(crate) mod amka;
pub(crate) mod ausweis;
pub(crate) mod bank_account_ru;
pub(crate) mod base58;
pub(crate) mod bic;
pub(crate) mod birth_ca;
pub(crate) mod bulstat;
pub(crate) mod calendar;
pub(crate) mod card;
pub(crate) mod cccd_vn;
pub(crate) mod cedula_ni;
pub(crate) mod cedula_pa;
pub(crate) mod chi_number;
pub(crate) mod cislo_uctu;
pub(crate) mod civil_id_kw;
pub(crate) mod clave_elector;
pub(crate) mod cni_fr;
pub(crate) mod cnic;
pub(crate) mod cnp;
pub(crate) mod codice_fiscale;
pub(crate) mod codigo_postal_es;
pub(crate) mod company_number_gb;
pub(crate) mod cookie;
pub(crate) mod cpr;
pub(crate) mod credential;
pub(crate) mod crypto_address;
pub(crate) mod cui_ro;
pub(crate) mod cuit;
pub(crate) mod curp;
pub(crate) mod date_of_birth;
pub(crate) mod dic_cz;
pub(crate) mod digits;
pub(crate) mod driving_licence_gb;
pub(crate) mod egn;
pub(crate) mod eircode;
pub(crate) mod ethereum;
pub(crate) mod fodselsnummer;
pub(crate) mod gender;
pub(crate) mod geo;
pub(crate) mod geo_coordinates;
pub(crate) mod handelsregisternummer;
pub(crate) mod has_digit;
pub(crate) mod hetu;
pub(crate) mod hex;
pub(crate) mod http_auth;
pub(crate) mod iban;
pub(crate) mod ic_dph;
pub(crate) mod iccid;
pub(crate) mod id_number_za;
pub(crate) mod iin_kz;
pub(crate) mod ipv4;
pub(crate) mod ipv4_small;
pub(crate) mod ipv6;
pub(crate) mod ird;
pub(crate) mod isikukood;
pub(crate) mod isil;
pub(crate) mod jmbg;
pub(crate) mod jwt;
pub(crate) mod kennitala;
pub(crate) mod kenteken;
pub(crate) mod kfz_kennzeichen;
pub(crate) mod leading_country;
pub(crate) mod lei;
pub(crate) mod lexicon;
pub(crate) mod mailchimp;
pub(crate) mod marital_status;
pub(crate) mod matricule_lu;
pub(crate) mod medical_condition;
pub(crate) mod mf_tn;
pub(crate) mod money;
pub(crate) mod mrz;
pub(crate) mod mwst_ch;
pub(crate) mod mykad;
pub(crate) mod national_id_eg;
pub(crate) mod national_id_rw;
pub(crate) mod national_id_tw;
pub(crate) mod nationality;
pub(crate) mod ncf_do;
pub(crate) mod ni_cu;
pub(crate) mod nic_lk;
pub(crate) mod nid_al;
pub(crate) mod nid_mu;
pub(crate) mod nida_tz;
pub(crate) mod nik;
pub(crate) mod nin_ug;
pub(crate) mod nino;
pub(crate) mod nir;
pub(crate) mod nit_sv;
pub(crate) mod not_uniform;
pub(crate) mod nrc_mm;
pub(crate) mod nrt_ad;
pub(crate) mod nuss;
pub(crate) mod ondernemingsnummer;
pub(crate) mod onrc;
pub(crate) mod organisasjonsnummer;
pub(crate) mod p_tal;
pub(crate) mod partita_iva;
pub(crate) mod password;
pub(crate) mod patente_it;
pub(crate) mod personal_number_by;
pub(crate) mod personas_kods;
pub(crate) mod personnummer;
pub(crate) mod pesel;
pub(crate) mod plaka;
pub(crate) mod plaque_fr;
pub(crate) mod plate_ru;
pub(crate) mod postcode_gb;
pub(crate) mod postcode_nl;
pub(crate) mod private_key;
pub(crate) mod random;
pub(crate) mod rejestracja_pl;
pub(crate) mod resident_id_cn;
pub(crate) mod rfc;
pub(crate) mod rib;
pub(crate) mod rijksregisternummer;
pub(crate) mod rnokpp;
pub(crate) mod rodne_cislo;
pub(crate) mod rrn;
pub(crate) mod rvnr;
pub(crate) mod seed_phrase;
pub(crate) mod solana;
pub(crate) mod special_category_term;
pub(crate) mod ssn;
pub(crate) mod ssn_am;
pub(crate) mod steuer_id;
pub(crate) mod steuernummer;
pub(crate) mod svnr_at;
pub(crate) mod szemelyi_szam;
pub(crate) mod tin_us;
pub(crate) mod token_crc;
pub(crate) mod trailing_country;
pub(crate) mod tva_fr;
pub(crate) mod unzr;
pub(crate) mod vat_gb;
pub(crate) mod vehicle_registration_gb;
pub(crate) mod vehicle_registration_in;
pub(crate) mod vin;
