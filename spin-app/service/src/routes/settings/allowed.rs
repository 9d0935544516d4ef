//! Judges the allow list of a workspace: what it allows is neither reported nor replaced, so it must stay narrow.
//!
//! The whole list is judged, and not each entry: many narrow entries allow as much as one wide entry.

use serde::Serialize;
use textveil_engine::{DetectOptions, Entity, Preset, detect, options::AllowRule};

use super::public_suffix;
use crate::{
    error::ApiError,
    limits::{MAX_ALLOWED_SPECIMENS, MAX_ALLOWED_TYPES},
};

/// Specimens of many types, of which the allow list must allow next to none. Each is the issuer's own example or
/// generated.
const SPECIMENS: &str = include_str!("specimens.txt");

/// Domains of mail providers with addresses for everybody. A name without a dot is one under any public suffix.
const MAIL_PROVIDERS: &str = include_str!("mail_providers.txt");

/// Addresses that somebody may have at a mail provider: no entry may allow one of them, unless it names it whole.
const LOCAL_PARTS: [&str; 3] = ["vondrackova", "pavel.vondracek", "pavel.vondracek84"];

/// The number of built-in specimens of personal data that the allow list of the workspace allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct AllowedSpecimens {
    /// The specimens that the list allows.
    allowed_specimens: usize,
    /// All specimens.
    specimens: usize,
}

/// Judges a list.
///
/// # Errors
/// `invalid_request` if it does not compile.
pub(super) fn specimens_of(list: &[AllowRule]) -> Result<AllowedSpecimens, ApiError> {
    let Passed { specimens, total, .. } = Passed::by(list)?;
    Ok(AllowedSpecimens { allowed_specimens: specimens, specimens: total })
}

/// Checks that an entry may be added to a list.
///
/// # Errors
/// `invalid_request` naming `regex`, `domain` or `value`.
pub(super) fn check(list: &[AllowRule], entry: &AllowRule) -> Result<AllowedSpecimens, ApiError> {
    let field = match entry {
        AllowRule::Regex(_) => "regex",
        AllowRule::Domain(_) => "domain",
        AllowRule::Value(_) => "value",
    };
    match entry {
        AllowRule::Domain(domain) => check_domain(domain)?,
        AllowRule::Regex(_) => check_addresses(entry)?,
        AllowRule::Value(_) => {}
    }
    let union: Vec<AllowRule> = list.iter().chain([entry]).cloned().collect();
    let passed = Passed::by(&union)?;
    let Passed { specimens, types, total } = passed;
    let is_narrow = specimens <= MAX_ALLOWED_SPECIMENS && types <= MAX_ALLOWED_TYPES;
    // a list that is wide from an earlier version takes entries that widen it no further
    if is_narrow || (!list.is_empty() && Passed::by(list)? == passed) {
        return Ok(AllowedSpecimens { allowed_specimens: specimens, specimens: total });
    }
    let with = if list.is_empty() { "" } else { ", together with the entries before" };
    Err(ApiError::invalid(
        field,
        format!(
            "{field} allows too much{with}: {specimens} of {total} specimens of personal data, of {types} types; make it \
             narrower"
        ),
    ))
}

/// The effect of a list.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Passed {
    specimens: usize,
    types: usize,
    total: usize,
}

impl Passed {
    fn by(list: &[AllowRule]) -> Result<Self, ApiError> {
        let (passed, total) = passed(SPECIMENS, list)?;
        let mut types: Vec<&str> = passed.iter().map(|entity| &*entity.kind).collect();
        types.sort_unstable();
        types.dedup();
        Ok(Self { specimens: passed.len(), types: types.len(), total })
    }
}

/// Returns the findings of a text that a list allows, and the number of all.
fn passed(text: &str, list: &[AllowRule]) -> Result<(Vec<Entity>, usize), ApiError> {
    let without = DetectOptions { privacy_preset: Some(Preset::Aggressive), ..DetectOptions::default() };
    let with = DetectOptions { allow_list: list.to_vec(), ..without.clone() };
    let mut all = detect(text, &without)?.entities;
    let total = all.len();
    let left = detect(text, &with)?.entities;
    all.retain(|entity| !left.iter().any(|one| one.span == entity.span && one.kind == entity.kind));
    Ok((all, total))
}

/// # Errors
/// `invalid_request` for a domain in which everybody may have an address.
fn check_domain(domain: &str) -> Result<(), ApiError> {
    const UNREGISTERED: &str = "domain must be a registered name such as example.com; everybody may have a name below a public suffix";
    let refused = |message: &'static str| Err(ApiError::invalid("domain", message));
    let domain = domain.trim_start_matches(['@', '.']).trim_end_matches('.').to_lowercase();
    // names of suffixes in other scripts are compared as they are written, so such a suffix has one label
    let is_name = domain.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '.' | '-' | '_'));
    let is_address = domain.ends_with(|letter: char| letter.is_ascii_digit());
    if !is_name || is_address || domain.split('.').any(str::is_empty) {
        return refused(UNREGISTERED);
    }
    let Some(registered) = public_suffix::registered_name(&domain)? else { return refused(UNREGISTERED) };
    if is_mail_provider(registered) {
        return refused(
            "domain is of a mail provider, where everybody may have an address; name the addresses instead",
        );
    }
    Ok(())
}

fn is_mail_provider(registered: &str) -> bool {
    let name = registered.split_once('.').map_or(registered, |(name, _)| name);
    mail_providers().any(|known| known == registered || known == name)
}

fn mail_providers() -> impl Iterator<Item = &'static str> {
    MAIL_PROVIDERS.split_ascii_whitespace()
}

/// # Errors
/// `invalid_request` for a pattern of addresses at a mail provider.
fn check_addresses(entry: &AllowRule) -> Result<(), ApiError> {
    let mut text = String::new();
    for domain in mail_providers() {
        let suffix = if domain.contains('.') { "" } else { ".com" };
        for local in LOCAL_PARTS {
            text.push_str(&format!("E-mail: {local}@{domain}{suffix}\n"));
        }
    }
    let (passed, _) = passed(&text, std::slice::from_ref(entry))?;
    match passed.is_empty() {
        true => Ok(()),
        false => Err(ApiError::invalid(
            "regex",
            "regex allows too much: addresses of everybody at a mail provider; name the addresses instead",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> AllowRule {
        AllowRule::Value(text.to_owned())
    }

    fn regex(text: &str) -> AllowRule {
        AllowRule::Regex(text.to_owned())
    }

    fn domain(text: &str) -> AllowRule {
        AllowRule::Domain(text.to_owned())
    }

    #[test]
    fn the_specimens_are_of_many_types() {
        let options = DetectOptions { privacy_preset: Some(Preset::Aggressive), ..DetectOptions::default() };
        let found = detect(SPECIMENS, &options).unwrap().entities;
        let mut types: Vec<&str> = found.iter().map(|entity| &*entity.kind).collect();
        types.sort_unstable();
        types.dedup();
        assert!(found.len() >= 55, "{} findings", found.len());
        assert!(types.len() >= 30, "{types:?}");
        for kind in ["email", "phone_number", "iban", "credit_card", "name", "address", "ssn", "pesel"] {
            assert!(types.contains(&kind), "{kind} among {types:?}");
        }
    }

    #[test]
    fn an_entry_may_allow_little() {
        for (rule, is_narrow) in [
            (value("info@example.com"), true),
            (value("jan.novak@gmail.com"), true),
            (regex("TEST-[0-9]+"), true),
            (regex("[a-z.]+@example\\.com"), true),
            (regex("shop\\.acme@gmail\\.com"), true),
            (regex("\\+420 6.*"), true),
            (regex(".+"), false),
            (regex("(?s).+"), false),
            (regex("[^ ]+"), false),
            (regex(".*@.*"), false),
            (regex(".*@gmail\\.com"), false),
            (regex("[a-z]+@web\\.de"), false),
            (regex("[a-z.]+[0-9]+@(seznam|centrum)\\.cz"), false),
            (regex("\\+.*"), false),
            (regex("[0-9 ]+"), false),
            (regex("[A-Z].*"), false),
            (domain("example.com"), true),
            (domain("@example.com"), true),
            (domain("mail.example.co.uk"), true),
            (domain("example.cz"), true),
            (domain("acme.internal"), true),
            (domain("com"), false),
            (domain("cz"), false),
            (domain(".co.uk"), false),
            (domain("gov.pl"), false),
            (domain("github.io"), false),
            (domain("internal"), false),
            (domain("10.0.0.1"), false),
            (domain("a b.com"), false),
            (domain("müller.example"), true),
            (domain("gmail.com"), false),
            (domain("@GMAIL.com."), false),
            (domain("mail.gmail.com"), false),
            (domain("seznam.cz"), false),
            (domain("gmx.net"), false),
            (domain("yahoo.co.uk"), false),
        ] {
            let checked = check(&[], &rule);
            assert_eq!(checked.is_ok(), is_narrow, "{rule:?}: {checked:?}");
        }
    }

    /// Many narrow entries must not switch detection off slice by slice.
    #[test]
    fn the_whole_list_is_judged() {
        let slices = (0..10).flat_map(|digit| {
            [regex(&format!("{digit}[0-9 /-]*")), regex(&format!("[A-Z]{{2}}{digit}[0-9A-Z ]*"))]
        });
        let letters = ('A'..='Z').map(|letter| regex(&format!("{letter}[^ ]* [^ ]*")));
        let phones = (1..10).map(|digit| regex(&format!("\\+{digit}.*")));
        let mut list = Vec::new();
        let mut rejected = 0;
        for rule in slices.chain(letters).chain(phones) {
            match check(&list, &rule) {
                Ok(_) => list.push(rule),
                Err(_) => rejected += 1,
            }
        }
        let allowed = specimens_of(&list).unwrap();
        assert!(allowed.allowed_specimens <= MAX_ALLOWED_SPECIMENS, "{allowed:?}");
        assert!(rejected >= 10, "{rejected}");
    }

    #[test]
    fn an_entry_that_widens_nothing_is_taken() {
        // a list of an earlier version
        let list = [regex(".*@.*"), regex("\\+.*")];
        let wide = specimens_of(&list).unwrap();
        assert!(wide.allowed_specimens > MAX_ALLOWED_SPECIMENS && wide.specimens > 50, "{wide:?}");
        assert_eq!(check(&list, &value("TEST-1")).unwrap(), wide);
        assert!(check(&list, &regex("[A-Z]{2}[0-9].*")).is_err());
    }
}
