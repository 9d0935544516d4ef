//! The state of the service on this machine, for commands that read and change it as the service does.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail};
use clap::Args;
use textveil::app::{Options, key_value::KeyValueStore, open_store};
use textveil_service::{
    ApiError, Host, KeyValue, Label, System, Unavailable, auth::Principal, cache::Cache, ids::is_workspace,
    secrets, system::unix_ms,
};

/// The folder of the service's state, and the workspace.
#[derive(Args)]
pub struct StateFlags {
    /// Folder of the service's state, as for `textveil serve`
    #[arg(long, global = true, value_name = "FOLDER", default_value = ".textveil")]
    state_dir: PathBuf,

    /// File with the key-value stores, as for `textveil serve`
    #[arg(long, global = true, value_name = "FILE")]
    runtime_config_file: Option<PathBuf>,

    /// File with the variable `token_secrets`, whose keys authenticate audit records
    /// [default: token_secrets in the state folder]
    #[arg(long, global = true, value_name = "FILE")]
    token_secrets_file: Option<PathBuf>,

    /// The variable `token_secrets` itself
    #[arg(long, global = true, hide = true, env = "SPIN_VARIABLE_TOKEN_SECRETS", hide_env_values = true)]
    token_secrets: Option<String>,

    /// The workspace
    #[arg(long, global = true, value_name = "ID", default_value = "default")]
    workspace: String,
}

impl StateFlags {
    /// The workspace.
    ///
    /// # Errors
    /// If its name is malformed.
    pub fn workspace(&self) -> Result<&str> {
        if !is_workspace(&self.workspace) {
            bail!("--workspace: write 1 to 64 letters, digits, `.`, `_` and `-`");
        }
        Ok(&self.workspace)
    }

    /// The operator, in the workspace.
    ///
    /// # Errors
    /// As [`StateFlags::workspace`].
    pub fn operator(&self) -> Result<Principal> {
        Ok(Principal::operator(self.workspace()?))
    }

    /// Opens the stores that a running service shares with this process.
    ///
    /// # Errors
    /// If a store cannot be opened, or `token_secrets` is missing.
    pub fn open(&self) -> Result<State> {
        let mut options = Options::new(&self.state_dir);
        options.runtime_config_file.clone_from(&self.runtime_config_file);
        let open = |label: Label| anyhow::Ok((label.as_str(), open_store(label.as_str(), &options)?));
        // not `usage`: a service on this machine may hold it in memory
        let stores = [open(Label::Config)?, open(Label::Audit)?];
        State::new(stores, [(secrets::VARIABLE, self.secrets()?)])
    }

    fn secrets(&self) -> Result<String> {
        let secrets = match (&self.token_secrets_file, &self.token_secrets) {
            (None, Some(secrets)) => secrets.clone(),
            (file, _) => {
                let default = self.state_dir.join(secrets::VARIABLE);
                let path = file.as_deref().unwrap_or(&default);
                std::fs::read_to_string(path).with_context(|| {
                    format!(
                        "cannot read {}, whose keys authenticate audit records; name the file of token_secrets with \
                         --token-secrets-file",
                        path.display()
                    )
                })?
            }
        };
        match secrets::fault(secrets.trim()) {
            Some(fault) => bail!("{fault}"),
            None => Ok(secrets.trim().to_owned()),
        }
    }
}

/// The message of an error of the service.
pub fn why(error: ApiError) -> anyhow::Error {
    anyhow!("{}", error.message())
}

/// Stores of the service, with this machine's clock.
pub struct State {
    stores: BTreeMap<&'static str, Arc<dyn KeyValueStore>>,
    variables: BTreeMap<&'static str, String>,
    cache: Cache,
}

/// A store of the service.
pub struct Store {
    label: Label,
    store: Option<Arc<dyn KeyValueStore>>,
}

impl State {
    /// Makes the state from its stores, by their labels, and the variables of the application that it needs.
    ///
    /// # Errors
    /// If the system has no random bytes.
    pub fn new(
        stores: impl IntoIterator<Item = (&'static str, Arc<dyn KeyValueStore>)>,
        variables: impl IntoIterator<Item = (&'static str, String)>,
    ) -> Result<Self> {
        // ids and keys generated from these must not be guessable
        getrandom::u64().context("the system gives no random bytes")?;
        let (stores, variables) = (stores.into_iter().collect(), variables.into_iter().collect());
        Ok(Self { stores, variables, cache: Cache::new() })
    }
}

impl System for State {
    async fn variable(&self, name: &str) -> Option<String> {
        self.variables.get(name).cloned()
    }

    fn now_ms(&self) -> u64 {
        unix_ms()
    }

    fn ticks_us(&self) -> u64 {
        self.now_ms().saturating_mul(1_000)
    }

    async fn sleep_ms(&self, duration: u64) {
        tokio::time::sleep(Duration::from_millis(duration)).await;
    }

    async fn yield_now(&self) {
        tokio::task::yield_now().await;
    }

    fn random(&self) -> u128 {
        let mut bytes = [0; 16];
        match getrandom::fill(&mut bytes) {
            Ok(()) => u128::from_ne_bytes(bytes),
            // it gave some when this state was made; a key of zeros must not be made
            Err(_) => std::process::abort(),
        }
    }

    fn log(&self, line: &str) {
        eprintln!("{line}");
    }
}

impl Host for State {
    type Store = Store;

    fn store(&self, label: Label) -> Store {
        Store { label, store: self.stores.get(label.as_str()).cloned() }
    }

    fn cache(&self) -> &Cache {
        &self.cache
    }

    fn batch_ms(&self) -> u64 {
        0
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
