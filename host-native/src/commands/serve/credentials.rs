//! What the first start makes and keeps in the state folder: development API keys, and the secret of
//! hashes and tokens.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use textveil::app::key_value::KeyValueStore;
use textveil_service::credentials::{ApiKeyRecord, Plan, generate, storage_key};

/// The workspace of the development keys.
const WORKSPACE: &str = "default";

/// The development keys by the name of their environment variable.
const KEYS: [(&str, Plan); 2] =
    [("TEXTVEIL_API_KEY", Plan::Pro), ("TEXTVEIL_ENTERPRISE_API_KEY", Plan::Enterprise)];

/// Keys that were just made: name and key.
pub type NewKeys = Vec<(&'static str, String)>;

/// The file that holds the development keys, as `NAME=KEY` lines that a shell can source.
pub fn keys_file(state_dir: &Path) -> PathBuf {
    state_dir.join("credentials.env")
}

/// Makes the development keys, unless the state folder has them already.
///
/// # Errors
/// Where the keys cannot be stored or the file cannot be written.
pub async fn make_keys(state_dir: &Path, store: &dyn KeyValueStore) -> Result<Option<NewKeys>> {
    let path = keys_file(state_dir);
    if path.exists() {
        return Ok(None);
    }
    let mut keys = NewKeys::new();
    let mut file =
        "# API keys for development, made by the first `textveil serve`. Keep them secret.\n".to_owned();
    for (name, plan) in KEYS {
        let key = generate(random()?);
        let record = ApiKeyRecord { name: "development".into(), ..ApiKeyRecord::new(&key, WORKSPACE, plan) };
        store.set(&storage_key(&key), record.to_json()).await.context("cannot store the API keys")?;
        writeln!(file, "{name}={key}")?;
        keys.push((name, key));
    }
    // last, so that a start that is cut off here makes others
    write_private(&path, &file)?;
    Ok(Some(keys))
}

/// The secret of hashes and tokens that the state folder keeps, made at the first start: what it holds
/// must stay the same for as long as tokens are to be restored.
///
/// # Errors
/// Where the file can be neither read nor written.
pub fn token_secrets(state_dir: &Path) -> Result<String> {
    let path = state_dir.join("token_secrets");
    if path.exists() {
        let secrets =
            std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        return Ok(secrets.trim().to_owned());
    }
    let mut secrets = "1:".to_owned();
    for byte in random()? {
        write!(secrets, "{byte:02x}")?;
    }
    write_private(&path, &secrets)?;
    Ok(secrets)
}

fn random() -> Result<[u8; 32]> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).context("the system gives no random bytes")?;
    Ok(bytes)
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
