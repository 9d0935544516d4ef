//! `textveil key-file`: makes and renews the keys of hashes and tokens.
//!
//! A key file has one line per key, `VERSION:HEX`, the current key first. Empty lines and lines that start
//! with `#` are ignored.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use textveil::Key;

use super::Outcome;

/// Bytes of a new secret.
const SECRET: usize = 32;
/// The highest version of a key.
const LAST_VERSION: u8 = 31;

const HEADER: &str = "\
# Keys of Textveil's hashes and tokens, the current one first. A reader of this file can restore the tokens.
";

/// Make and renew the keys of hashes and tokens
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Make a file with a new key, readable by you only
    New {
        /// The file to make; it must not exist
        file: PathBuf,
    },
    /// Add a new key as the current one: it makes new tokens, and the old keys still open theirs
    Rotate {
        /// A file of keys
        file: PathBuf,
    },
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<Outcome> {
    match &arguments.command {
        Command::New { file } => {
            create(file)?;
            eprintln!(
                "made {0}; use it with --key-file {0}, and keep it: tokens open with nothing else",
                file.display()
            );
        }
        Command::Rotate { file } => {
            let version = rotate(file)?;
            eprintln!(
                "version {version} is the current key of {}; hashes change, old tokens still open",
                file.display()
            );
        }
    }
    Ok(Outcome::Done)
}

/// Reads the keys of a file, the current one first; at least one.
///
/// # Errors
/// If the file cannot be read, users other than its owner may read it, or a line is not a key.
pub fn read(path: &Path) -> Result<Vec<Key>> {
    let name = path.display();
    let text = fs::read_to_string(path).with_context(|| format!("cannot read the key file {name}"))?;
    private(path)?;
    let mut keys = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let key = parse(line);
        keys.push(key.with_context(|| format!("key file {name}, line {}: is no VERSION:HEX", index + 1))?);
    }
    if keys.is_empty() {
        bail!("key file {name} has no key; make one with `textveil key-file new`");
    }
    Ok(keys)
}

/// Creates a file with a new key; it must not exist yet.
///
/// # Errors
/// If it exists or cannot be written.
pub fn create(path: &Path) -> Result<()> {
    let mut options = fs::File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path).with_context(|| format!("cannot make {}", path.display()))?;
    file.write_all(write(&[random(1)?]).as_bytes())?;
    Ok(file.sync_all()?)
}

/// Adds a new current key to a file and returns its version.
///
/// # Errors
/// If the file cannot be read or written, or has used up all versions.
pub fn rotate(path: &Path) -> Result<u8> {
    let mut keys = read(path)?;
    let version = keys.iter().map(|key| key.version).max().unwrap_or_default() + 1;
    if version > LAST_VERSION {
        bail!("{} has used all {LAST_VERSION} versions of keys; start a new file", path.display());
    }
    keys.insert(0, random(version)?);
    let path = path.canonicalize()?;
    let folder = path.parent().unwrap_or(Path::new("."));
    // readable by the owner only, as temporary files are
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(write(&keys).as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(&path)?;
    Ok(version)
}

/// Makes a key for this process only.
///
/// # Errors
/// If the system has no randomness.
pub fn temporary() -> Result<Key> {
    random(1)
}

fn random(version: u8) -> Result<Key> {
    let mut secret = vec![0; SECRET];
    getrandom::fill(&mut secret).context("the system has no randomness")?;
    Ok(Key { version, secret })
}

fn parse(line: &str) -> Option<Key> {
    let (version, secret) = line.trim().split_once(':')?;
    let version = version.parse().ok().filter(|version| *version <= LAST_VERSION)?;
    Some(Key { version, secret: base16ct::mixed::decode_vec(secret).ok()? })
}

fn write(keys: &[Key]) -> String {
    let lines =
        keys.iter().map(|key| format!("{}:{}\n", key.version, base16ct::lower::encode_string(&key.secret)));
    std::iter::once(HEADER.to_owned()).chain(lines).collect()
}

#[cfg(unix)]
fn private(path: &Path) -> Result<()> {
    let mode = std::os::unix::fs::PermissionsExt::mode(&path.metadata()?.permissions());
    let file = path.metadata()?.is_file();
    if file && mode & 0o077 != 0 {
        bail!("others may read the key file {0}; say `chmod 600 {0}`", path.display());
    }
    Ok(())
}

#[cfg(not(unix))]
fn private(_path: &Path) -> Result<()> {
    Ok(())
}
