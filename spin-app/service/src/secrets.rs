//! The keys of hashes and tokens: each workspace's own, derived from the application's secrets.
//!
//! The variable `token_secrets` holds `version:hex` entries separated by commas, newest first, each
//! of at least 16 bytes: `2:8f3c…,1:07aa…`. The newest one seals; the older ones only open, until
//! the tokens that they sealed are gone.

use hkdf::Hkdf;
use sha2::Sha256;
use textveil_engine::{Keyring, limits::MIN_SECRET_BYTES};

use crate::{chat::placeholder::PlaceholderKey, error::ApiError, host::Host};

/// Name of the application's variable.
pub const VARIABLE: &str = "token_secrets";

/// The cause of a failure, for the log.
pub(crate) const UNUSABLE: &str =
    "the variable token_secrets is not set, or is not version:hex entries of at least 16 bytes, newest first";

/// The application's secrets, newest first.
struct Secrets(Vec<(u8, Vec<u8>)>);

impl Secrets {
    /// Those of the application; none where the variable is not of its form.
    async fn of(host: &impl Host) -> Option<Self> {
        Self::parse(&host.variable(VARIABLE).await?)
    }

    fn parse(variable: &str) -> Option<Self> {
        let entries = variable.split(',').map(|entry| {
            let (version, hex) = entry.trim().split_once(':')?;
            let secret = base16ct::mixed::decode_vec(hex).ok()?;
            (secret.len() >= MIN_SECRET_BYTES).then_some((version.parse().ok()?, secret))
        });
        entries.collect::<Option<_>>().map(Self)
    }

    /// HKDF-SHA256 (RFC 5869) with the workspace as its info, so that no workspace can open the
    /// tokens of another.
    fn ring(&self, workspace: &str) -> Option<Keyring> {
        self.0.iter().try_fold(None, |ring: Option<Keyring>, (version, secret)| {
            let mut derived = [0; 32];
            Hkdf::<Sha256>::new(None, secret).expand(workspace.as_bytes(), &mut derived).ok()?;
            match ring {
                None => Keyring::new(*version, &derived),
                Some(ring) => ring.with_previous(*version, &derived),
            }
            .ok()
            .map(Some)
        })?
    }

    /// From the newest secret alone, since nothing has to be opened with it later.
    fn placeholder_key(&self, workspace: &str) -> Option<PlaceholderKey> {
        let (_, newest) = self.0.first()?;
        let mut derived = [0; 32];
        // no workspace has a space in its name, so this is no workspace's key for anything else
        let info = format!("placeholders of {workspace}");
        Hkdf::<Sha256>::new(None, newest).expand(info.as_bytes(), &mut derived).ok()?;
        PlaceholderKey::derive(&derived).ok()
    }
}

/// What is wrong with a value of the variable, if anything.
pub fn fault(variable: &str) -> Option<&'static str> {
    let usable = Secrets::parse(variable).and_then(|secrets| secrets.ring("check"));
    usable.is_none().then_some(UNUSABLE)
}

/// The keys of a workspace's hashes and tokens.
///
/// # Errors
/// `internal_error` where the variable is not set or not of its form.
pub async fn keyring(host: &impl Host, workspace: &str) -> Result<Keyring, ApiError> {
    let ring = Secrets::of(host).await.and_then(|secrets| secrets.ring(workspace));
    ring.ok_or_else(|| ApiError::internal(UNUSABLE))
}

/// What is derived for the gateway of a workspace.
pub(crate) struct Keys {
    /// Of hashes and tokens.
    pub ring: Keyring,
    /// Of placeholders.
    pub placeholders: PlaceholderKey,
}

impl Keys {
    /// Those of a workspace.
    ///
    /// # Errors
    /// As [`keyring`].
    pub(crate) async fn of(host: &impl Host, workspace: &str) -> Result<Self, ApiError> {
        let secrets = Secrets::of(host).await;
        let keys = secrets.and_then(|secrets| {
            Some(Self { ring: secrets.ring(workspace)?, placeholders: secrets.placeholder_key(workspace)? })
        });
        keys.ok_or_else(|| ApiError::internal(UNUSABLE))
    }
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
