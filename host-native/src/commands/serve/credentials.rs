//! What the first start makes and keeps in the state folder: secrets, and credentials for development.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use textveil::app::Manifest;
use textveil_service::{
    Host as _,
    auth::{service_token, user_token},
    credentials::{KeyLimits, NewKey, Plan, create},
    error::Code,
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

/// How long the development user token holds: ten years.
const USER_TOKEN_SECONDS: u64 = 10 * 365 * 86_400;

/// Credentials that were just made: name and value.
pub type NewCredentials = Vec<(&'static str, String)>;

/// The file that holds the development credentials, as `NAME=VALUE` lines that a shell can source.
pub fn file(state_dir: &Path) -> PathBuf {
    state_dir.join("credentials.env")
}

/// The application's secrets that nobody gave, from the state folder; made at the first start, since what
/// they hold must stay the same for as long as tokens are to be accepted and restored.
///
/// # Errors
/// Where a file can be neither read nor written.
pub fn secret_variables(
    state_dir: &Path,
    manifest: &Manifest,
    given: &BTreeMap<String, String>,
) -> Result<BTreeMap<String, String>> {
    let mut own = BTreeMap::new();
    for (name, prefix) in
        [(secrets::VARIABLE, "1:"), (user_token::KEY_VARIABLE, ""), (service_token::VARIABLE, "tvs_")]
    {
        if manifest.lacks(name, given) {
            own.insert(name.to_owned(), kept_secret(&state_dir.join(name), prefix)?);
        }
    }
    Ok(own)
}

/// Makes the development credentials, unless the state folder has them already. `own` are the secrets that
/// this host made: where others were given, whoever gave them makes the tokens.
///
/// # Errors
/// Where the keys cannot be stored or the file cannot be written.
pub async fn make(
    state_dir: &Path,
    state: &State,
    own: &BTreeMap<String, String>,
) -> Result<Option<NewCredentials>> {
    let path = file(state_dir);
    if path.exists() {
        return Ok(None);
    }
    let mut credentials = NewCredentials::new();
    for (name, plan) in KEYS {
        let new = NewKey {
            workspace: WORKSPACE.to_owned(),
            plan,
            name: "development".to_owned(),
            limits: KeyLimits::default(),
            expires_at: None,
        };
        let key = match create(state, new).await {
            Ok((key, _)) => key,
            // it will be there again, and what needs it answers so until then
            Err(error) if error.code() == Code::ServiceUnavailable => {
                eprintln!("textveil: the store of the API keys does not answer; the next start makes some");
                return Ok(None);
            }
            Err(error) => bail!("cannot make the API keys: {}", error.message()),
        };
        credentials.push((name, key));
    }
    if let Some(token) = own.get(service_token::VARIABLE) {
        credentials.push((SERVICE_TOKEN, token.clone()));
    }
    if let Some(secret) = own.get(user_token::KEY_VARIABLE) {
        credentials.push((USER_TOKEN, development_user(secret, state.now_ms() / 1_000)?));
    }
    let mut contents =
        "# Credentials for development, made by the first `textveil serve`. Keep them secret.\n".to_owned();
    for (name, value) in &credentials {
        writeln!(contents, "{name}={value}")?;
    }
    // last, so that a start that is cut off here makes others
    write_private(&path, &contents)?;
    Ok(Some(credentials))
}

fn development_user(secret: &str, now: u64) -> Result<String> {
    let claims = user_token::Claims {
        plan: Some(Plan::Enterprise),
        ..user_token::Claims::new("developer", WORKSPACE, now + USER_TOKEN_SECONDS)
    };
    user_token::issue(secret, &claims).context("cannot sign the user token")
}

/// The secret in a file of the state folder, made if it is not there.
fn kept_secret(path: &Path, prefix: &str) -> Result<String> {
    if path.exists() {
        let secret =
            std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        return Ok(secret.trim().to_owned());
    }
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).context("the system gives no random bytes")?;
    let mut secret = prefix.to_owned();
    for byte in bytes {
        write!(secret, "{byte:02x}")?;
    }
    write_private(path, &secret)?;
    Ok(secret)
}

/// Writes a file that only its owner can read, whole or not at all.
fn write_private(path: &Path, contents: &str) -> Result<()> {
    let write = || {
        // such files are their owner's alone
        let mut file = tempfile::NamedTempFile::new_in(path.parent().unwrap_or(Path::new(".")))?;
        file.write_all(contents.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        anyhow::Ok(())
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}
