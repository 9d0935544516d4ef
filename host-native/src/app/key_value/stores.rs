//! Which store a label means: Spin's runtime configuration, and what holds without one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;

use super::super::outbound::BlockedNetworks;
use super::{Database, KeyValueStore, MemoryStore};

/// Spin's name for the file of the stores that the runtime configuration does not mention.
const DEFAULT_FILE: &str = "sqlite_key_value.db";

/// The file of `--runtime-config-file`, in Spin's syntax.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RuntimeConfig {
    #[serde(default)]
    key_value_store: BTreeMap<String, StoreConfig>,
    #[serde(default)]
    outbound_networking: OutboundNetworking,
    /// The folder that relative paths start from.
    #[serde(skip)]
    folder: PathBuf,
}

/// What holds of all requests that components send.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct OutboundNetworking {
    #[serde(default)]
    block_networks: BlockedNetworks,
}

#[derive(Debug, Deserialize)]
struct StoreConfig {
    #[serde(rename = "type")]
    kind: String,
    path: Option<PathBuf>,
}

impl RuntimeConfig {
    /// Addresses that no component may reach.
    pub(crate) fn blocked_networks(&self) -> &BlockedNetworks {
        &self.outbound_networking.block_networks
    }

    /// Reads the file at `path`.
    ///
    /// # Errors
    /// Says what in the file cannot be read, is unknown, or is not supported by this host.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let read = || {
            let text = std::fs::read_to_string(path)?;
            let config = Self {
                folder: path.parent().unwrap_or(Path::new("")).to_path_buf(),
                ..toml::from_str(&text)?
            };
            for (label, store) in &config.key_value_store {
                if store.kind != "spin" {
                    bail!("key_value_store.{label}: this host has no type `{}`; use `spin`", store.kind);
                }
            }
            anyhow::Ok(config)
        };
        read().with_context(|| format!("in the runtime configuration {}", path.display()))
    }
}

/// Opens the stores of all `labels`.
///
/// A label that the runtime configuration mentions is what it says there: a file, or memory where no
/// path is given. All others share one file in `state_dir`, those of `write_behind` through memory.
pub(crate) fn open_stores(
    labels: &BTreeSet<String>,
    config: &RuntimeConfig,
    state_dir: &Path,
    write_behind: &BTreeSet<String>,
) -> Result<BTreeMap<String, Arc<dyn KeyValueStore>>> {
    let mut files: BTreeMap<PathBuf, Arc<Database>> = BTreeMap::new();
    let mut database = |path: PathBuf| match files.get(&path) {
        Some(database) => Ok(database.clone()),
        None => {
            let database = Database::open(&path)?;
            files.insert(path, database.clone());
            anyhow::Ok(database)
        }
    };
    let mut stores = BTreeMap::new();
    for label in labels {
        let store: Arc<dyn KeyValueStore> = match config.key_value_store.get(label) {
            Some(StoreConfig { path: None, .. }) => Arc::new(MemoryStore::default()),
            Some(StoreConfig { path: Some(path), .. }) => {
                Arc::new(database(config.folder.join(path))?.store(label))
            }
            None => {
                let store = database(state_dir.join(DEFAULT_FILE))?.store(label);
                if write_behind.contains(label) {
                    MemoryStore::written_behind(store)?
                } else {
                    Arc::new(store)
                }
            }
        };
        stores.insert(label.clone(), store);
    }
    Ok(stores)
}
