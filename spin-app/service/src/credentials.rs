//! API keys and their records.
//!
//! A key is `fpk_` and 43 base-62 characters, which is 256 bits. It is shown once, when it is created. The
//! store contains only its SHA-256, so a copy of the store does not reveal it. The key is random enough that
//! a slow password hash would add cost without security.
//!
//! ```
//! use textveil_service::credentials::{ApiKeyRecord, Plan, generate, storage_key};
//!
//! let key = generate([7; 32]); // 32 bytes from the system's random source
//! let record = ApiKeyRecord::new(&key, "acme", Plan::Pro);
//! assert!(key.starts_with("fpk_") && storage_key(&key).starts_with("apikey:"));
//! assert_eq!(ApiKeyRecord::from_json(&record.to_json()), Some(record));
//! ```

use std::fmt::Write;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::{
    cache::{Entries, Stamp, Stamped},
    documents,
    error::ApiError,
    host::{Host, KeyValue, Label},
    limits::{CONCURRENT_REQUESTS, REQUESTS_PER_MINUTE},
    scope::Scopes,
};

/// The prefix of every API key.
pub const PREFIX: &str = "fpk_";

/// The number of base-62 digits of 256 bits.
const DIGITS: usize = 43;

const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The plan of a workspace.
// ordered by extent
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Plan {
    /// The smallest plan.
    Free,
    /// Everything except mode `policy`.
    Pro,
    /// Everything.
    Enterprise,
}

impl Plan {
    /// Parses the name on the wire.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Free, Self::Pro, Self::Enterprise].into_iter().find(|plan| plan.as_str() == name)
    }

    /// Returns the highest limits that users of the plan may give a key: requests per minute, and in flight.
    pub(crate) const fn key_limits(self) -> (u32, u32) {
        match self {
            Self::Free => (REQUESTS_PER_MINUTE, CONCURRENT_REQUESTS),
            Self::Pro => (10 * REQUESTS_PER_MINUTE, 5 * CONCURRENT_REQUESTS),
            Self::Enterprise => (1_000 * REQUESTS_PER_MINUTE, 100 * CONCURRENT_REQUESTS),
        }
    }

    /// Returns the name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Pro => "pro",
            Self::Enterprise => "enterprise",
        }
    }
}

/// Limits of one key; absent ones are the service's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KeyLimits {
    /// Requests per minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub requests_per_minute: Option<u32>,
    /// Requests in flight.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub concurrent_requests: Option<u32>,
    /// Requests of the workspace in a calendar month (UTC), after which this key is rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests_per_month: Option<u64>,
}

/// The record of a key, stored as JSON under [`storage_key`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiKeyRecord {
    /// A UUID, which identifies the key where the key itself must not appear.
    #[serde(default)]
    pub id: String,
    /// The first characters of the key, for recognition.
    #[serde(default)]
    pub key_prefix: String,
    /// SHA-256 of the key, lower-case hex.
    pub sha256: String,
    /// The workspace of the key, whose secrets and policies apply.
    pub workspace: String,
    /// The plan of the workspace.
    pub plan: Plan,
    /// The purpose of the key, for people.
    #[serde(default)]
    pub name: String,
    /// Limits of this key.
    #[serde(default)]
    pub limits: KeyLimits,
    /// The scopes of this key; [`Scopes::OF_KEY`] when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Scopes>,
    /// Unix time in seconds at which the key was created.
    #[serde(default)]
    pub created_at: u64,
    /// Unix time in seconds from which the key is rejected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<u64>,
    /// Unix time in seconds at which the key was revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<u64>,
}

impl ApiKeyRecord {
    /// Creates the record of `key`, without a name, limits or an expiry.
    pub fn new(key: &str, workspace: impl Into<String>, plan: Plan) -> Self {
        Self {
            id: String::new(),
            key_prefix: key.chars().take(PREFIX.len() + 4).collect(),
            sha256: sha256_hex(key.as_bytes()),
            workspace: workspace.into(),
            plan,
            name: String::new(),
            limits: KeyLimits::default(),
            scopes: None,
            created_at: 0,
            expires_at: None,
            revoked_at: None,
        }
    }

    /// Returns the key's scopes. Scopes in the store that a key cannot have are ignored.
    pub fn scopes(&self) -> Scopes {
        let scopes = self.scopes.unwrap_or(Scopes::OF_KEY);
        scopes.iter().filter(|scope| Scopes::GRANTABLE_TO_KEY.has(*scope)).fold(Scopes::NONE, Scopes::with)
    }

    /// Serialises the record for the store.
    pub fn to_json(&self) -> Vec<u8> {
        // A struct of strings and numbers always serialises; an empty document would open nothing.
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Parses a stored document; `None` if it is not a record.
    pub fn from_json(document: &[u8]) -> Option<Self> {
        serde_json::from_slice(document).ok()
    }

    /// Whether this is the record of `key`, compared in constant time.
    pub fn is_of(&self, key: &str) -> bool {
        self.sha256.as_bytes().ct_eq(sha256_hex(key.as_bytes()).as_bytes()).into()
    }

    /// Whether the key may be used at this Unix time in seconds.
    pub fn is_active(&self, now: u64) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|expiry| now < expiry)
    }
}

/// Generates a key from 32 bytes of the system's random source.
pub fn generate(random: [u8; 32]) -> String {
    let mut number = random;
    let mut digits = [b'0'; DIGITS];
    for digit in digits.iter_mut().rev() {
        // long division of the 256-bit number by 62, the remainder is the next digit
        let mut remainder = 0_u16;
        for byte in &mut number {
            let value = remainder << 8 | u16::from(*byte);
            *byte = u8::try_from(value / 62).unwrap_or_default();
            remainder = value % 62;
        }
        *digit = ALPHABET.get(usize::from(remainder)).copied().unwrap_or(b'0');
    }
    PREFIX.chars().chain(digits.into_iter().map(char::from)).collect()
}

/// Whether `key` has the form of an API key: [`PREFIX`] and 43 base-62 characters.
pub fn is_well_formed(key: &str) -> bool {
    key.strip_prefix(PREFIX).is_some_and(|digits| {
        digits.len() == DIGITS && digits.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// Returns the key of the record of `key` in the store `config`.
///
/// It begins with its kind, since some backends do not separate stores; it does not contain the API key.
pub fn storage_key(key: &str) -> String {
    place(&sha256_hex(key.as_bytes()))
}

/// Returns the key of the record of a key by its hash.
pub(crate) fn place(sha256: &str) -> String {
    format!("apikey:{sha256}")
}

/// SHA-256 in lower-case hex.
fn sha256_hex(bytes: &[u8]) -> String {
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        // writing to a String cannot fail
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

/// Returns the record of a key and the stamp of its workspace, by which it is cached; `None` if the key is
/// unknown.
///
/// # Errors
/// `service_unavailable`; `internal_error` if the stored document is not a record.
pub(crate) async fn of_key(host: &impl Host, key: &str) -> Result<Option<(ApiKeyRecord, Stamp)>, ApiError> {
    let sha256 = sha256_hex(key.as_bytes());
    let known = host.cache().with(|KnownKeys(keys)| keys.get(&sha256).cloned());
    if let Some(known) = known {
        let stamp = documents::stamp(host, &known.value.workspace).await?;
        if known.is_current(&stamp, host.now_ms()) {
            return Ok(Some((known.value, stamp)));
        }
    }
    let Some(read) = record(host, &sha256).await? else { return Ok(None) };
    let stamp = documents::stamp(host, &read.workspace).await?;
    // read again, so that the record is not older than its stamp
    let Some(record) = record(host, &sha256).await? else { return Ok(None) };
    // a record that lies in another key's place is rejected, and not kept
    if record.sha256 == sha256 {
        let known = Stamped { stamp: stamp.clone(), read_ms: host.now_ms(), value: record.clone() };
        host.cache().with(|KnownKeys(keys)| keys.insert(&sha256, known));
    }
    Ok(Some((record, stamp)))
}

/// By the hash of the key.
#[derive(Default)]
struct KnownKeys(Entries<Stamped<ApiKeyRecord>>);

/// Reads the record of a key by its hash.
///
/// # Errors
/// As [`of_key`].
pub(crate) async fn record(host: &impl Host, sha256: &str) -> Result<Option<ApiKeyRecord>, ApiError> {
    let Some(document) = host.store(Label::Config).get(&place(sha256)).await? else { return Ok(None) };
    let record = ApiKeyRecord::from_json(&document);
    record.map(Some).ok_or_else(|| {
        ApiError::internal("the store `config` holds a document that is not the record of a key")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_the_bytes_in_base_62() {
        let mut sixty_three = [0; 32];
        sixty_three[31] = 63;
        for (random, want) in [
            ([0; 32], format!("fpk_{}", "0".repeat(43))),
            (sixty_three, format!("fpk_{}11", "0".repeat(41))),
            ([255; 32], "fpk_yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp1".to_owned()),
        ] {
            let key = generate(random);
            assert!(is_well_formed(&key), "{key}");
            assert_eq!(key, want);
        }
    }

    #[test]
    fn keys_keep_all_256_bits() {
        let mut seen = std::collections::HashSet::new();
        for bit in 0..256 {
            let mut random = [0; 32];
            random[bit / 8] = 1 << (bit % 8);
            assert!(seen.insert(generate(random)), "bit {bit} is lost");
        }
    }

    #[test]
    fn well_formed_is_prefix_and_43_base_62_characters() {
        for (key, want) in [
            (format!("fpk_{}", "a".repeat(43)), true),
            (format!("fpk_{}", "a".repeat(42)), false),
            (format!("fpk_{}", "a".repeat(44)), false),
            (format!("fpk_{}-", "a".repeat(42)), false),
            (format!("fpk_{}é", "a".repeat(41)), false),
            (format!("FPK_{}", "a".repeat(43)), false),
            ("a".repeat(47), false),
            (String::new(), false),
        ] {
            assert_eq!(is_well_formed(&key), want, "{key}");
        }
    }

    #[test]
    fn storage_keys_hide_the_key_and_suit_every_backend() {
        let key = "fpk_0000000000000000000000000000000000000000000";
        let place = storage_key(key);
        assert_eq!(place, format!("apikey:{}", ApiKeyRecord::new(key, "w", Plan::Free).sha256));
        assert!(place.bytes().all(|byte| byte.is_ascii_alphanumeric() || b":._-".contains(&byte)), "{place}");
        assert!(place.len() <= 255);
        assert!(!place.contains(key));
    }

    #[test]
    fn hashes_are_sha_256() {
        // FIPS 180-2, appendix B.1
        assert_eq!(sha256_hex(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    #[test]
    fn records_read_what_older_ones_wrote() {
        let record = ApiKeyRecord::from_json(br#"{"sha256":"00","workspace":"w","plan":"pro","future":1}"#);
        let record = record.expect("optional fields may be absent and unknown ones present");
        assert_eq!((record.limits, record.expires_at, record.revoked_at), (KeyLimits::default(), None, None));
        assert_eq!(ApiKeyRecord::from_json(br#"{"sha256":"00","workspace":"w","plan":"gold"}"#), None);
        assert_eq!(ApiKeyRecord::from_json(b""), None);
    }

    #[test]
    fn expiry_and_revocation_end_a_key() {
        let record = ApiKeyRecord::new("fpk_x", "w", Plan::Free);
        let expiring = ApiKeyRecord { expires_at: Some(100), ..record.clone() };
        let revoked = ApiKeyRecord { revoked_at: Some(100), ..record.clone() };
        for (record, now, want) in [
            (&record, u64::MAX, true),
            (&expiring, 99, true),
            (&expiring, 100, false),
            (&revoked, 99, false),
            (&revoked, 101, false),
        ] {
            assert_eq!(record.is_active(now), want, "{record:?} at {now}");
        }
    }

    #[test]
    fn comparison_sees_every_difference() {
        let key = "fpk_x";
        let record = ApiKeyRecord::new(key, "w", Plan::Free);
        assert!(record.is_of(key));
        assert!(!record.is_of("fpk_y"));
        let shorter = record.sha256.chars().take(63).collect();
        assert!(!ApiKeyRecord { sha256: shorter, ..record.clone() }.is_of(key));
        assert!(!ApiKeyRecord { sha256: String::new(), ..record }.is_of(key));
    }
}
