//! The mapping of labels to stores: Spin's runtime configuration, and the defaults.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use serde::Deserialize;
use toml::{Table, Value};

use super::super::outbound::BlockedNetworks;
use super::{Database, KeyValueStore, MemoryStore, RedisStore};

/// Spin's name for the file of the stores that are not in the runtime configuration.
const DEFAULT_FILE: &str = "sqlite_key_value.db";

/// The file of `--runtime-config-file`, in Spin's syntax.
#[derive(Debug, Default)]
pub(crate) struct RuntimeConfig {
    stores: BTreeMap<String, StoreConfig>,
    blocked_networks: BlockedNetworks,
}

/// A store in the file.
enum StoreConfig {
    /// `type = "spin"`: an SQLite file, or memory without one.
    Spin { path: Option<PathBuf> },
    /// `type = "redis"`, with its URL, which may contain a password.
    Redis { url: String },
}

impl fmt::Debug for StoreConfig {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Spin { path } => formatter.debug_struct("Spin").field("path", path).finish(),
            Self::Redis { .. } => formatter.debug_struct("Redis").finish_non_exhaustive(),
        }
    }
}

impl RuntimeConfig {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// Describes what in the file cannot be read, is unknown, or is not supported by this host, without
    /// values: they may be passwords.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let folder = path.parent().unwrap_or(Path::new(""));
        std::fs::read_to_string(path)
            .map_err(anyhow::Error::from)
            .and_then(|text| Self::parse(&text, folder))
            .with_context(|| format!("in the runtime configuration {}", path.display()))
    }

    /// Reads a file with relative paths based on `folder`.
    fn parse(text: &str, folder: &Path) -> Result<Self> {
        let mut stores = BTreeMap::new();
        let mut blocked_networks = BlockedNetworks::default();
        for (section, value) in table(text)? {
            let Value::Table(labels) = value else {
                bail!("this host has no setting `{section}`; remove it")
            };
            if section == "outbound_networking" {
                blocked_networks = blocked(labels).with_context(|| format!("[{section}]"))?;
                continue;
            }
            ensure!(
                section == "key_value_store",
                "this host has no section `{section}`, only [key_value_store.LABEL] and \
                 [outbound_networking]; remove it"
            );
            for (label, store) in labels {
                let store = StoreConfig::parse(store, folder)
                    .with_context(|| format!("[key_value_store.{label}]"))?;
                stores.insert(label, store);
            }
        }
        Ok(Self { stores, blocked_networks })
    }
}

impl RuntimeConfig {
    /// Addresses that no component may reach.
    pub(crate) fn blocked_networks(&self) -> &BlockedNetworks {
        &self.blocked_networks
    }

    /// Checks that every label in the file is one of `labels`, those of the application.
    ///
    /// # Errors
    /// If one is not: a misspelt label would put the data elsewhere.
    pub(crate) fn check(&self, labels: &BTreeSet<String>) -> Result<()> {
        let Some(unknown) = self.stores.keys().find(|label| !labels.contains(*label)) else { return Ok(()) };
        let labels: Vec<_> = labels.iter().map(String::as_str).collect();
        bail!(
            "the runtime configuration has [key_value_store.{unknown}], which no component uses; the \
             application's stores are: {}",
            labels.join(", ")
        );
    }

    /// Checks that the stores that are in memory by default, `write_behind`, are shared with other hosts if
    /// any store is.
    ///
    /// # Errors
    /// If they are not: they contain the locks and limits of the shared data.
    pub(crate) fn check_shared(
        &self,
        labels: &BTreeSet<String>,
        write_behind: &BTreeSet<String>,
    ) -> Result<()> {
        let is_shared = |label: &&String| matches!(self.stores.get(*label), Some(StoreConfig::Redis { .. }));
        let own = write_behind.intersection(labels).find(|label| !is_shared(label));
        if let (Some(shared), Some(own)) = (labels.iter().find(is_shared), own) {
            bail!(
                "the runtime configuration puts [key_value_store.{shared}] on a Redis, and not `{own}`, which \
                 hosts that share anything must share too; put it on the same Redis"
            );
        }
        Ok(())
    }
}

impl StoreConfig {
    fn parse(value: Value, folder: &Path) -> Result<Self> {
        let Value::Table(mut settings) = value else { bail!("this must be a table") };
        let mut take = |key: &str| match settings.remove(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => bail!("`{key}` must be a string"),
        };
        let kind = take("type")?.context("`type` is missing; give \"spin\" or \"redis\"")?;
        let store = match kind.as_str() {
            "spin" => Self::Spin { path: take("path")?.map(|path| folder.join(path)) },
            "redis" => Self::Redis { url: take("url")?.context("`url` is missing")? },
            _ => bail!("this host has no such `type`; use \"spin\" or \"redis\""),
        };
        if let Some(unknown) = settings.keys().next() {
            bail!("the type \"{kind}\" has no setting `{unknown}`");
        }
        Ok(store)
    }
}

/// Reads the settings of all outgoing requests.
fn blocked(mut settings: Table) -> Result<BlockedNetworks> {
    let networks = settings.remove("block_networks");
    if let Some(unknown) = settings.keys().next() {
        bail!("this host has no setting `{unknown}` there");
    }
    let read = networks.map(|networks| BlockedNetworks::deserialize(networks).context("`block_networks`"));
    Ok(read.transpose()?.unwrap_or_default())
}

/// Reads TOML. An error contains the position but, unlike the parser's, not the text.
fn table(text: &str) -> Result<Table> {
    text.parse().map_err(|error: toml::de::Error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        anyhow!("line {}: {}", before.matches('\n').count().saturating_add(1), error.message())
    })
}

/// Opens the stores of all `labels`.
///
/// A label in the runtime configuration has the store configured there; labels with one URL share a store.
/// All others share one file in `state_dir`, those of `write_behind` through memory; without a folder, each is in memory.
///
/// An unreachable Redis is not an error: its operations fail until it is reachable, which standard error
/// reports.
///
/// # Errors
/// If a file cannot be opened or a URL is malformed.
///
/// # Panics
/// Outside a Tokio runtime.
pub(crate) fn open_stores(
    labels: &BTreeSet<String>,
    config: &RuntimeConfig,
    state_dir: Option<&Path>,
    write_behind: &BTreeSet<String>,
) -> Result<BTreeMap<String, Arc<dyn KeyValueStore>>> {
    let mut backends = Backends::default();
    let mut stores = BTreeMap::new();
    for label in labels {
        let store: Arc<dyn KeyValueStore> = match config.stores.get(label) {
            Some(StoreConfig::Spin { path: None }) => Arc::new(MemoryStore::default()),
            Some(StoreConfig::Spin { path: Some(path) }) => Arc::new(backends.database(path)?.store(label)),
            Some(StoreConfig::Redis { url }) => {
                backends.redis(url).with_context(|| format!("[key_value_store.{label}]: `url`"))?
            }
            None => match state_dir {
                Some(state_dir) => {
                    let store = backends.database(&state_dir.join(DEFAULT_FILE))?.store(label);
                    match write_behind.contains(label) {
                        true => MemoryStore::written_behind(store)?,
                        false => Arc::new(store),
                    }
                }
                None => Arc::new(MemoryStore::default()),
            },
        };
        stores.insert(label.clone(), store);
    }
    Ok(stores)
}

/// The stores already open, to be shared.
#[derive(Default)]
struct Backends {
    files: BTreeMap<PathBuf, Arc<Database>>,
    servers: BTreeMap<String, Arc<RedisStore>>,
}

impl Backends {
    fn database(&mut self, path: &Path) -> Result<Arc<Database>> {
        if let Some(database) = self.files.get(path) {
            return Ok(database.clone());
        }
        let database = Database::open(path)?;
        self.files.insert(path.to_path_buf(), database.clone());
        Ok(database)
    }

    fn redis(&mut self, url: &str) -> Result<Arc<RedisStore>> {
        if let Some(store) = self.servers.get(url) {
            return Ok(store.clone());
        }
        let store = Arc::new(RedisStore::new(url)?);
        self.servers.insert(url.to_owned(), store.clone());
        // reports an unreachable server at startup, not only on first use
        let asked = store.clone();
        tokio::spawn(async move { asked.is_reachable().await });
        Ok(store)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_named_and_not_shown() {
        for (text, want) in [
            ("[key_value_store.a", "line 1: "),
            ("[key_value_store.a]\ntype = \"redis\"\nurl = \"redis://:secret@h\" x", "line 3: "),
            ("[outbound_networking]\nblock_networks = [\"secret\"]", "block_networks lists networks"),
            ("[outbound_networking]\nclient_tls = [\"secret\"]", "no setting `client_tls`"),
            ("[outbound_http]\nmax_connections = \"secret\"", "no section `outbound_http`"),
            ("token = \"secret\"", "no setting `token`"),
            ("key_value_store = \"secret\"", "no setting `key_value_store`"),
            ("key_value_store.a = \"secret\"", "[key_value_store.a]: this must be a table"),
            ("[key_value_store.a]\nurl = \"redis://:secret@h\"", "`type` is missing"),
            ("[key_value_store.a]\ntype = \"secret\"", "no such `type`; use \"spin\" or \"redis\""),
            ("[key_value_store.a]\ntype = 1", "`type` must be a string"),
            ("[key_value_store.a]\ntype = \"redis\"", "`url` is missing"),
            ("[key_value_store.a]\ntype = \"redis\"\nurl = [\"secret\"]", "`url` must be a string"),
            ("[key_value_store.a]\ntype = \"redis\"\nuri = \"secret\"\nurl = \"x\"", "no setting `uri`"),
            ("[key_value_store.a]\ntype = \"spin\"\nurl = \"secret\"", "type \"spin\" has no setting `url`"),
        ] {
            let error = RuntimeConfig::parse(text, Path::new("")).unwrap_err();
            let message = format!("{error:#}");
            assert!(message.contains(want), "{text}: {message}");
            assert!(!format!("{message} {error:?}").contains("secret"), "{text}: {message}");
        }
    }

    #[test]
    fn who_shares_a_store_shares_those_in_memory_too() {
        let set = |labels: &[&str]| labels.iter().map(|label| (*label).to_owned()).collect();
        let redis = "{ type = \"redis\", url = \"redis://127.0.0.1:1\" }";
        for (stores, sound) in [
            (String::new(), true),
            ("records = { type = \"spin\" }".to_owned(), true),
            (format!("counters = {redis}"), true),
            (format!("records = {redis}\ncounters = {redis}"), true),
            (format!("records = {redis}"), false),
            (format!("records = {redis}\ncounters = {{ type = \"spin\" }}"), false),
        ] {
            let config =
                RuntimeConfig::parse(&format!("[key_value_store]\n{stores}"), Path::new("")).unwrap();
            let checked =
                config.check_shared(&set(&["counters", "records"]), &set(&["counters", "elsewhere"]));
            assert_eq!(checked.is_ok(), sound, "{stores}: {checked:?}");
        }
    }

    #[test]
    fn a_password_is_not_in_the_debug_output() {
        let text = "[key_value_store.a]\ntype = \"redis\"\nurl = \"redis://:secret@h\"";
        let config = format!("{:?}", RuntimeConfig::parse(text, Path::new("")).unwrap());
        assert!(config.contains("Redis") && !config.contains("secret"), "{config}");
    }

    #[tokio::test]
    async fn labels_of_one_url_share_their_connection() {
        let stores = "
            [key_value_store]
            a = { type = \"redis\", url = \"redis://127.0.0.1:1\" }
            b = { type = \"redis\", url = \"redis://127.0.0.1:1\" }
            c = { type = \"redis\", url = \"redis://127.0.0.1:1/1\" }";
        let config = RuntimeConfig::parse(stores, Path::new("")).unwrap();
        let labels = ["a", "b", "c"].map(str::to_owned).into();
        let stores = open_stores(&labels, &config, None, &BTreeSet::new()).unwrap();
        let address = |label: &str| Arc::as_ptr(&stores[label]).cast::<()>();
        assert_eq!(address("a"), address("b"));
        assert_ne!(address("a"), address("c"));
    }
}
