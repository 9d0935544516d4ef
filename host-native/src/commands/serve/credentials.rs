//! Secrets and development credentials in the state folder.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use base64ct::{Base64UrlUnpadded, Encoding as _};
use textveil::app::Manifest;
use textveil_service::{
    System as _,
    api_keys::{NewKey, create},
    auth::{Principal, service_token, user_token},
    credentials::{KeyLimits, Plan},
    error::Code,
    scope::Scopes,
    secrets,
};

use crate::commands::state::State;

/// The workspace of the development credentials.
const WORKSPACE: &str = "default";

/// The development keys by the name of their environment variable.
const KEYS: [(&str, Plan); 2] =
    [("TEXTVEIL_API_KEY", Plan::Pro), ("TEXTVEIL_ENTERPRISE_API_KEY", Plan::Enterprise)];

const SERVICE_TOKEN: &str = "TEXTVEIL_SERVICE_TOKEN";
const USER_TOKEN: &str = "TEXTVEIL_USER_TOKEN";

/// Lifetime of the development user token in seconds: 30 days.
const USER_TOKEN_LIFETIME: u64 = 30 * DAY;

/// A day in seconds. A user token that expires within a day is replaced.
const DAY: u64 = 86_400;

/// Development credentials in a file.
pub struct Credentials {
    /// `NAME=VALUE` lines that a shell can source.
    pub file: PathBuf,
    /// Name and value of those made at this start; empty if the file was there.
    pub made: Vec<(&'static str, String)>,
}

/// Returns the path of the development credentials.
pub fn file(state_dir: &Path) -> PathBuf {
    state_dir.join("credentials.env")
}

/// Returns the application's secrets that were not given, from the state folder.
///
/// The first start generates them, and later starts must use the same ones, which open existing tokens.
/// Without `dev` that is `token_secrets` only: the operator must provide secrets that admit callers.
///
/// # Errors
/// If a file can be neither read nor written.
pub fn secret_variables(
    state_dir: &Path,
    manifest: &Manifest,
    given: &BTreeMap<String, String>,
    dev: bool,
) -> Result<BTreeMap<String, String>> {
    let mut own = BTreeMap::new();
    let always = [(secrets::VARIABLE, "1:")];
    let for_development = [(user_token::KEY_VARIABLE, ""), (service_token::VARIABLE, "tvs_")];
    for (name, prefix) in always.into_iter().chain(for_development.into_iter().filter(|_| dev)) {
        if manifest.lacks(name, given) {
            own.insert(name.to_owned(), kept_secret(&state_dir.join(name), prefix)?);
        }
    }
    Ok(own)
}

/// Makes the development credentials, or renews the user token of those in the state folder.
///
/// `own` contains the secrets that this host made. If others were given, their owner issues the tokens.
///
/// # Errors
/// If the keys cannot be stored or the file cannot be read or written.
pub async fn prepare(
    state_dir: &Path,
    state: &State,
    own: &BTreeMap<String, String>,
) -> Result<Option<Credentials>> {
    let file = file(state_dir);
    let now = state.now_ms() / 1_000;
    if file.exists() {
        if let Some(secret) = own.get(user_token::KEY_VARIABLE) {
            renew_user_token(&file, secret, now)?;
        }
        return Ok(Some(Credentials { file, made: Vec::new() }));
    }
    let mut made = Vec::new();
    let operator = Principal::operator(WORKSPACE);
    for (name, plan) in KEYS {
        let new = NewKey {
            plan,
            name: "development".to_owned(),
            limits: KeyLimits::default(),
            scopes: Some(Scopes::GRANTABLE_TO_KEY),
            expires_at: None,
        };
        let key = match create(state, &operator, "serve-dev", new).await {
            Ok((key, _)) => key,
            // the service starts without its store, and answers 503 until the store is back
            Err(error) if error.code() == Code::ServiceUnavailable => {
                eprintln!("textveil: the store of the API keys does not answer; the next start makes keys");
                return Ok(None);
            }
            Err(error) => bail!("cannot make the API keys: {}", error.message()),
        };
        made.push((name, key));
    }
    if let Some(token) = own.get(service_token::VARIABLE) {
        made.push((SERVICE_TOKEN, token.clone()));
    }
    if let Some(secret) = own.get(user_token::KEY_VARIABLE) {
        made.push((USER_TOKEN, user_token(secret, now)?));
    }
    let mut contents =
        "# Credentials for development, made by `textveil serve --dev`. Keep them secret.\n".to_owned();
    for (name, value) in &made {
        writeln!(contents, "{name}={value}")?;
    }
    // last: a start that is interrupted before makes others
    write_private(&file, &contents)?;
    Ok(Some(Credentials { file, made }))
}

/// Replaces the user token in the file unless it is valid for more than a day and at most 30 days.
fn renew_user_token(file: &Path, secret: &str, now: u64) -> Result<()> {
    let contents =
        std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let prefix = format!("{USER_TOKEN}=");
    let (tokens, mut others): (Vec<&str>, Vec<&str>) =
        contents.lines().partition(|line| line.starts_with(&prefix));
    let expires = tokens.last().and_then(|line| expiry(line.strip_prefix(&prefix)?)).unwrap_or_default();
    if expires > now + DAY && expires <= now + USER_TOKEN_LIFETIME {
        return Ok(());
    }
    let renewed = format!("{prefix}{}", user_token(secret, now)?);
    others.push(&renewed);
    write_private(file, &(others.join("\n") + "\n"))
}

/// Issues a token of an enterprise administrator.
fn user_token(secret: &str, now: u64) -> Result<String> {
    let claims = user_token::Claims {
        plan: Some(Plan::Enterprise),
        role: Some(user_token::Role::Admin),
        ..user_token::Claims::new("developer", WORKSPACE, now + USER_TOKEN_LIFETIME)
    };
    user_token::issue(secret, &claims).context("cannot sign the user token")
}

/// Returns when a token expires, in Unix seconds; `None` if it cannot be read.
fn expiry(token: &str) -> Option<u64> {
    let claims = Base64UrlUnpadded::decode_vec(token.split('.').nth(1)?).ok()?;
    Some(serde_json::from_slice::<user_token::Claims>(&claims).ok()?.exp)
}

/// Reads the secret in a file of the state folder, or makes it.
fn kept_secret(path: &Path, prefix: &str) -> Result<String> {
    if path.exists() {
        let secret =
            std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        return Ok(secret.trim().to_owned());
    }
    let secret = new_secret(prefix)?;
    write_private(path, &secret)?;
    Ok(secret)
}

/// Makes a secret of 256 random bits in hex digits, after the prefix.
pub fn new_secret(prefix: &str) -> Result<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).context("the system gives no random bytes")?;
    Ok(format!("{prefix}{}", base16ct::lower::encode_string(&bytes)))
}

/// Writes a file that only its owner can read, as a whole or not at all.
fn write_private(path: &Path, contents: &str) -> Result<()> {
    let write = || {
        // temporary files have mode 600
        let mut file = tempfile::NamedTempFile::new_in(path.parent().unwrap_or(Path::new(".")))?;
        file.write_all(contents.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        anyhow::Ok(())
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_token_is_renewed_before_it_expires() {
        const NOW: u64 = 1_800_000_000;
        let secret = "a secret of the user tokens of these tests";
        let folder = tempfile::tempdir().unwrap();
        let path = file(folder.path());
        let issued = |expires| {
            user_token::issue(secret, &user_token::Claims::new("developer", WORKSPACE, expires)).unwrap()
        };
        for (token, is_kept) in [
            (issued(NOW + 30 * DAY), true),
            (issued(NOW + DAY + 1), true),
            (issued(NOW + DAY), false),
            (issued(NOW - 1), false),
            // as earlier versions issued them
            (issued(NOW + 3_650 * DAY), false),
            ("a.b.c".to_owned(), false),
        ] {
            let before = format!("# comment\nTEXTVEIL_API_KEY=fpk_x\n{USER_TOKEN}={token}\n");
            std::fs::write(&path, &before).unwrap();
            renew_user_token(&path, secret, NOW).unwrap();
            let after = std::fs::read_to_string(&path).unwrap();
            assert_eq!(after == before, is_kept, "{after}");
            let (others, renewed) = after.trim_end().rsplit_once(&format!("\n{USER_TOKEN}=")).unwrap();
            assert_eq!(others, "# comment\nTEXTVEIL_API_KEY=fpk_x");
            assert!(is_kept || expiry(renewed) == Some(NOW + USER_TOKEN_LIFETIME), "{after}");
        }
    }
}
