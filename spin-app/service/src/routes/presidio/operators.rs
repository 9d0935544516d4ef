//! Presidio's operators.

use std::fmt::Write;

use serde::Deserialize;
use sha2::{Digest, Sha256, Sha512};

use super::cipher::Key;
use crate::{error::ApiError, host::Host};

/// Operators of `/anonymize`. Presidio's `custom` calls a function of Python and is not for servers.
pub(super) const ANONYMIZERS: [&str; 6] = ["encrypt", "hash", "keep", "mask", "redact", "replace"];

/// Operators of `/deanonymize`.
pub(super) const DEANONYMIZERS: [&str; 2] = ["decrypt", "deanonymize_keep"];

/// The operator for every type without its own.
pub(super) const DEFAULT: &str = "DEFAULT";

/// The minimum length of a salt, in bytes.
const MIN_SALT_BYTES: usize = 16;

/// An operator: its name, and its parameters.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "OperatorConfig"))]
pub(super) struct Config {
    /// `replace`, `redact`, `mask`, `hash`, `encrypt` or `keep`; to restore, `decrypt` or `deanonymize_keep`.
    #[serde(rename = "type")]
    name: Option<String>,
    /// Of `replace`: the text that replaces the finding; the type in angle brackets when absent.
    new_value: Option<String>,
    /// Of `mask`: the character that replaces each one.
    masking_char: Option<String>,
    /// Of `mask`: how many characters.
    chars_to_mask: Option<i64>,
    /// Of `mask`: whether the last characters are masked.
    from_end: Option<bool>,
    /// Of `hash`: the digest; `sha256` when absent.
    hash_type: Option<HashType>,
    /// Of `hash`: at least 16 bytes; a random one for each finding when absent.
    salt: Option<String>,
    /// Of `encrypt` and `decrypt`: 128, 192 or 256 bits of text.
    key: Option<String>,
}

/// A digest.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) enum HashType {
    /// 64 hex digits.
    #[default]
    Sha256,
    /// 128 hex digits.
    Sha512,
}

/// A validated operator of `/anonymize`.
pub(super) enum Anonymizer {
    /// Replaces by a text of the caller, or by the type in angle brackets.
    Replace { new_value: Option<String> },
    /// Removes the text.
    Redact,
    /// Replaces each of this many characters at the start or the end by one character, or none.
    Mask { masking_char: String, chars_to_mask: usize, from_end: bool },
    /// Replaces by a digest of the text and the salt; a random salt for each finding if none is given.
    Hash { hash_type: HashType, salt: Option<String> },
    /// AES-CBC.
    Encrypt(Key),
    /// Keeps the text.
    Keep,
}

impl TryFrom<Config> for Anonymizer {
    type Error = ApiError;

    fn try_from(config: Config) -> Result<Self, ApiError> {
        Ok(match config.name.as_deref() {
            Some("replace") => {
                Self::Replace { new_value: config.new_value.filter(|value| !value.is_empty()) }
            }
            Some("redact") => Self::Redact,
            Some("mask") => mask(config)?,
            Some("hash") => {
                if config.salt.as_ref().is_some_and(|salt| salt.len() < MIN_SALT_BYTES) {
                    return Err(invalid("hash needs a salt of at least 16 bytes, or none for a random one"));
                }
                Self::Hash { hash_type: config.hash_type.unwrap_or_default(), salt: config.salt }
            }
            Some("encrypt") => Self::Encrypt(key(config.key, "anonymizers")?),
            Some("keep") => Self::Keep,
            Some("custom") => {
                // a separate status, as in Presidio
                return Err(ApiError::invalid("anonymizers", "Custom type anonymizer is not supported"));
            }
            _ => return Err(invalid("the type must be replace, redact, mask, hash, encrypt or keep")),
        })
    }
}

fn mask(config: Config) -> Result<Anonymizer, ApiError> {
    let (Some(masking_char), Some(chars_to_mask), Some(from_end)) =
        (config.masking_char, config.chars_to_mask, config.from_end)
    else {
        return Err(invalid("mask needs masking_char, chars_to_mask and from_end"));
    };
    if masking_char.chars().nth(1).is_some() {
        return Err(invalid("masking_char must be one character"));
    }
    // a negative number masks nothing, a large one everything
    let chars_to_mask = usize::try_from(chars_to_mask.max(0)).unwrap_or(usize::MAX);
    Ok(Anonymizer::Mask { masking_char, chars_to_mask, from_end })
}

fn invalid(message: &str) -> ApiError {
    ApiError::invalid("anonymizers", format!("anonymizers: {message}")).unprocessable()
}

fn key(key: Option<String>, field: &str) -> Result<Key, ApiError> {
    key.and_then(|key| Key::new(key.as_bytes())).ok_or_else(|| {
        let message = format!("{field}: the key must be a text of 128, 192 or 256 bits");
        ApiError::invalid(field, message).unprocessable()
    })
}

impl Anonymizer {
    /// Presidio's default operator.
    pub(super) const PRESIDIO_DEFAULT: Self = Self::Replace { new_value: None };

    /// Returns the name on the wire.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Replace { .. } => "replace",
            Self::Redact => "redact",
            Self::Mask { .. } => "mask",
            Self::Hash { .. } => "hash",
            Self::Encrypt(_) => "encrypt",
            Self::Keep => "keep",
        }
    }

    /// Returns the replacement of `text`, which has that type.
    pub(super) fn operate(&self, host: &impl Host, entity_type: &str, text: &str) -> String {
        match self {
            Self::Replace { new_value: Some(new_value) } => new_value.clone(),
            Self::Replace { new_value: None } => format!("<{entity_type}>"),
            Self::Redact => String::new(),
            Self::Mask { masking_char, chars_to_mask, from_end } => {
                masked(text, masking_char, *chars_to_mask, *from_end)
            }
            Self::Hash { hash_type, salt: Some(salt) } => hash_type.hex(text, salt.as_bytes()),
            Self::Hash { hash_type, salt: None } => hash_type.hex(text, &host.random().to_be_bytes()),
            Self::Encrypt(key) => key.encrypt(text, host.random().to_be_bytes()),
            Self::Keep => text.to_owned(),
        }
    }
}

fn masked(text: &str, masking_char: &str, chars_to_mask: usize, from_end: bool) -> String {
    let count = text.chars().count();
    let mask = masking_char.repeat(chars_to_mask.min(count));
    let kept = count.saturating_sub(chars_to_mask);
    if from_end {
        text.chars().take(kept).chain(mask.chars()).collect()
    } else {
        mask.chars().chain(text.chars().skip(count - kept)).collect()
    }
}

impl HashType {
    fn hex(self, text: &str, salt: &[u8]) -> String {
        match self {
            Self::Sha256 => hex(&Sha256::new().chain_update(text).chain_update(salt).finalize()),
            Self::Sha512 => hex(&Sha512::new().chain_update(text).chain_update(salt).finalize()),
        }
    }
}

fn hex(digest: &[u8]) -> String {
    digest.iter().fold(String::with_capacity(digest.len() * 2), |mut hex, byte| {
        // writing to a String cannot fail
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// An operator of `/deanonymize`.
pub(super) enum Deanonymizer {
    /// AES-CBC.
    Decrypt(Key),
    /// Keeps the text.
    Keep,
}

impl TryFrom<Config> for Deanonymizer {
    type Error = ApiError;

    fn try_from(config: Config) -> Result<Self, ApiError> {
        match config.name.as_deref() {
            Some("decrypt") => Ok(Self::Decrypt(key(config.key, "deanonymizers")?)),
            Some("deanonymize_keep") => Ok(Self::Keep),
            _ => {
                let message = "deanonymizers: the type must be decrypt or deanonymize_keep";
                Err(ApiError::invalid("deanonymizers", message).unprocessable())
            }
        }
    }
}

impl Deanonymizer {
    /// Returns the name on the wire.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Decrypt(_) => "decrypt",
            Self::Keep => "deanonymize_keep",
        }
    }

    /// Returns the replacement of `text`.
    ///
    /// # Errors
    /// `invalid_request` if the text was not encrypted with this key.
    pub(super) fn operate(&self, text: &str) -> Result<String, ApiError> {
        match self {
            Self::Decrypt(key) => key.decrypt(text).ok_or_else(|| {
                let message = "a piece of the text was not encrypted with the key of its type";
                ApiError::invalid("anonymizer_results", message).unprocessable()
            }),
            Self::Keep => Ok(text.to_owned()),
        }
    }
}
