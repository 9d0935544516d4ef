//! The keys of a workspace, derived from the application's secrets: of hashes and tokens, of placeholders, of sessions,
//! and of audit records.
//!
//! The variable `token_secrets` holds `version:hex` entries separated by commas, newest first, each
//! of at least 16 bytes: `2:8f3c…,1:07aa…`. The newest one seals and authenticates; the older ones only open and
//! verify. A version may be removed when no token and no audit record of it is left.
//!
//! Each key is HKDF-SHA256 (RFC 5869) of a secret. Its info is the workspace, with a prefix for the purpose where a
//! key is not that of tokens. A workspace has no space in its name, so infos never coincide.

use hkdf::Hkdf;
use sha2::Sha256;
use textveil_engine::{Keyring, limits::MIN_SECRET_BYTES};

use crate::{error::ApiError, system::System};

/// Name of the application's variable.
pub const VARIABLE: &str = "token_secrets";

/// The cause of a failure, for the log.
pub(crate) const UNUSABLE: &str =
    "the variable token_secrets is not set, or is not version:hex entries of at least 16 bytes, newest first";

/// The application's secrets, newest first.
pub(crate) struct Secrets(Vec<(u8, Vec<u8>)>);

/// The purpose of a key that is not one of hashes and tokens.
#[derive(Clone, Copy, Debug)]
pub(crate) enum KeyPurpose {
    /// Authenticates audit records.
    Audit,
    /// Derives placeholders.
    Placeholders,
    /// Seals sessions.
    Sessions,
}

impl KeyPurpose {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Audit => "audit",
            Self::Placeholders => "placeholders",
            Self::Sessions => "sessions",
        }
    }
}

impl Secrets {
    /// Returns the keys that `derive` makes of the application's secrets.
    ///
    /// # Errors
    /// `internal_error` where the variable is not set or not of its form, and where `derive` returns `None`.
    pub(crate) async fn derive<K>(
        system: &impl System,
        derive: impl FnOnce(&Self) -> Option<K>,
    ) -> Result<K, ApiError> {
        let variable = system.variable(VARIABLE).await;
        let secrets = variable.and_then(|variable| Self::parse(&variable));
        secrets.as_ref().and_then(derive).ok_or_else(|| ApiError::internal(UNUSABLE))
    }

    fn parse(variable: &str) -> Option<Self> {
        let entries = variable.split(',').map(|entry| {
            let (version, hex) = entry.trim().split_once(':')?;
            let secret = base16ct::mixed::decode_vec(hex).ok()?;
            (secret.len() >= MIN_SECRET_BYTES).then_some((version.parse().ok()?, secret))
        });
        entries.collect::<Option<_>>().map(Self)
    }

    /// The keys of hashes and tokens. No workspace can open the tokens of another.
    pub(crate) fn ring(&self, workspace: &str) -> Option<Keyring> {
        self.0.iter().try_fold(None, |ring: Option<Keyring>, (version, secret)| {
            let derived = derive(secret, workspace)?;
            match ring {
                None => Keyring::new(*version, &derived),
                Some(ring) => ring.with_previous(*version, &derived),
            }
            .ok()
            .map(Some)
        })?
    }

    /// Derives the keys of a workspace for a purpose, by the versions of the secrets, newest first.
    pub(crate) fn keys(&self, purpose: KeyPurpose, workspace: &str) -> Option<Vec<(u8, [u8; 32])>> {
        let info = format!("{} of {workspace}", purpose.as_str());
        self.0.iter().map(|(version, secret)| Some((*version, derive(secret, &info)?))).collect()
    }
}

fn derive(secret: &[u8], info: &str) -> Option<[u8; 32]> {
    let mut derived = [0; 32];
    Hkdf::<Sha256>::new(None, secret).expand(info.as_bytes(), &mut derived).ok()?;
    Some(derived)
}

/// Says what is wrong with a value of the variable, if anything.
pub fn fault(variable: &str) -> Option<&'static str> {
    let usable = Secrets::parse(variable).and_then(|secrets| secrets.ring("check"));
    usable.is_none().then_some(UNUSABLE)
}

/// Derives the keys of a workspace's hashes and tokens from a value of the variable; `None` where it is malformed.
pub fn keyring_of(variable: &str, workspace: &str) -> Option<Keyring> {
    Secrets::parse(variable)?.ring(workspace)
}

/// The keys of a workspace's hashes and tokens.
///
/// # Errors
/// `internal_error` where the variable is not set or not of its form.
pub async fn keyring(system: &impl System, workspace: &str) -> Result<Keyring, ApiError> {
    Secrets::derive(system, |secrets| secrets.ring(workspace)).await
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "000102030405060708090a0b0c0d0e0f";

    #[test]
    fn entries_are_version_and_hex() {
        for (variable, want) in [
            (format!("1:{SECRET}"), Some(vec![1])),
            (format!(" 7:{SECRET} , 1:{}", SECRET.to_uppercase()), Some(vec![7, 1])),
            (String::new(), None),
            (SECRET.to_owned(), None),
            (format!("1:{SECRET},"), None),
            (format!("one:{SECRET}"), None),
            (format!("256:{SECRET}"), None),
            ("1:0001".to_owned(), None),
            (format!("1:{SECRET}0"), None),
            (format!("1:{}", SECRET.replace('0', "x")), None),
        ] {
            let secrets = Secrets::parse(&variable);
            let versions = secrets.map(|secrets| secrets.0.iter().map(|(version, _)| *version).collect());
            assert_eq!(versions, want, "{variable}");
        }
    }
}
