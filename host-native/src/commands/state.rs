//! The state of the service on this machine, for commands that read and change it as the service does.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result, anyhow, bail};
use clap::Args;
use textveil::app::{Options, key_value::KeyValueStore, open_store};
use textveil_service::{ApiError, Host, KeyValue, Label, Unavailable, workspace::is_workspace};

/// Where the state of the service is, and of which workspace.
#[derive(Args)]
pub struct StateFlags {
    /// Folder of the service's state, as `textveil serve` has it
    #[arg(long, global = true, value_name = "FOLDER", default_value = ".textveil")]
    state_dir: PathBuf,

    /// File that says where key-value stores are, as `textveil serve` has it
    #[arg(long, global = true, value_name = "FILE")]
    runtime_config_file: Option<PathBuf>,

    /// The workspace
    #[arg(long, global = true, value_name = "ID", default_value = "default")]
    workspace: String,
}

impl StateFlags {
    /// The workspace.
    ///
    /// # Errors
    /// Where its name can be none.
    pub fn workspace(&self) -> Result<&str> {
        if !is_workspace(&self.workspace) {
            bail!("--workspace: write 1 to 64 letters, digits, `.`, `_` and `-`");
        }
        Ok(&self.workspace)
    }

    /// The state, with the one store of that label.
    ///
    /// # Errors
    /// Where the store cannot be opened.
    pub fn open(&self, label: Label) -> Result<State> {
        let mut options = Options::new(&self.state_dir);
        options.runtime_config_file.clone_from(&self.runtime_config_file);
        State::new(label, open_store(label.as_str(), &options)?)
    }
}

/// What the service says is wrong.
pub fn why(error: ApiError) -> anyhow::Error {
    anyhow!("{}", error.message())
}

/// One of the stores that the service runs on, with this machine's clock. It has no variables.
pub struct State {
    label: Label,
    store: Arc<dyn KeyValueStore>,
}

/// One of its stores.
pub struct Store {
    label: Label,
    store: Option<Arc<dyn KeyValueStore>>,
}

impl State {
    /// The state whose store of that label is this one. It has no other.
    pub fn new(label: Label, store: Arc<dyn KeyValueStore>) -> Result<Self> {
        // the ids and keys that are made of it must not be guessed
        getrandom::u64().context("the system gives no random bytes")?;
        Ok(Self { label, store })
    }
}

impl Host for State {
    type Store = Store;

    fn store(&self, label: Label) -> Store {
        Store { label, store: (label == self.label).then(|| self.store.clone()) }
    }

    async fn variable(&self, _name: &str) -> Option<String> {
        None
    }

    fn now_ms(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }

    fn ticks_us(&self) -> u64 {
        self.now_ms().saturating_mul(1_000)
    }

    async fn sleep_ms(&self, duration: u64) {
        tokio::time::sleep(Duration::from_millis(duration)).await;
    }

    fn random(&self) -> u128 {
        let mut bytes = [0; 16];
        match getrandom::fill(&mut bytes) {
            Ok(()) => u128::from_ne_bytes(bytes),
            // it gave some when this state was made; a key of zeros must not exist
            Err(_) => std::process::abort(),
        }
    }

    fn log(&self, line: &str) {
        eprintln!("{line}");
    }
}

impl Store {
    async fn ask<T, F, O>(&self, operation: O) -> Result<T, Unavailable>
    where
        F: Future<Output = Result<T, textveil::app::key_value::StoreError>>,
        O: FnOnce(Arc<dyn KeyValueStore>) -> F,
    {
        let store = self.store.clone().ok_or(Unavailable(self.label))?;
        operation(store).await.map_err(|error| {
            eprintln!("textveil: {error}");
            Unavailable(self.label)
        })
    }
}

impl KeyValue for Store {
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, Unavailable> {
        self.ask(async |store| store.get(key).await).await
    }

    async fn set(&self, key: &str, value: &[u8]) -> Result<(), Unavailable> {
        self.ask(async |store| store.set(key, value.to_vec()).await).await
    }

    async fn delete(&self, key: &str) -> Result<(), Unavailable> {
        self.ask(async |store| store.delete(key).await).await
    }

    async fn increment(&self, key: &str, by: i64) -> Result<i64, Unavailable> {
        self.ask(async |store| store.increment(key, by).await).await
    }
}
