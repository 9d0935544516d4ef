//! Runs a Spin application under wasmtime: a manifest, its components, their stores and routes.
//!
//! [`App`] gives each component what `spin.toml` grants it and nothing else, and answers requests by
//! the application's HTTP triggers. Components are WASI 0.3 HTTP handlers, as spin-sdk 7 makes them.
//!
//! ```no_run
//! use std::sync::Arc;
//! use textveil::app::{App, Manifest, Options};
//!
//! # async fn program() -> anyhow::Result<()> {
//! let manifest = Manifest::read("spin-app/spin.toml".as_ref())?;
//! let app = App::load(&manifest, Options::new(".textveil"))?;
//! let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await?;
//! let ctrl_c = async { drop(tokio::signal::ctrl_c().await) };
//! Arc::new(app).serve(listener, ctrl_c).await?;
//! # Ok(())
//! # }
//! ```

mod access_log;
mod activity;
mod answer;
mod clients;
mod front;
mod instances;
mod interfaces;
pub mod key_value;
mod limits;
mod manifest;
mod memory;
mod middleware;
mod outbound;
mod route;
mod sandbox;
mod server;
mod timed_stream;
mod variables;
mod watchdog;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use tokio::sync::Semaphore;
use wasmtime::component::{Component, Linker};
use wasmtime::{Cache, CacheConfig, Config, Engine, PoolingAllocationConfig};
use wasmtime_wasi_http::p3::bindings::ServicePre;

use access_log::AccessLog;
use clients::Clients;
use front::Target;
use instances::Instances;
use key_value::{KeyValueStore, RuntimeConfig, open_stores};
use manifest::ComponentDeclaration;
use memory::TotalMemory;
use outbound::{BlockedNetworks, OutboundRules};
use route::Router;
use sandbox::{Grants, Sandbox};
use variables::Variables;
use watchdog::Watchdog;

pub use limits::Limits;
pub use manifest::Manifest;
pub use wasmtime_wasi_http::WasiBody;

/// How often a component that is compiled for interruption yields while it computes.
const EPOCH: Duration = Duration::from_millis(10);

/// What a component may consist of, so that the pool has room for as many instances of it as there may be. Those that
/// the SDK of Spin makes have three core modules with one memory.
const CORE_INSTANCES: u32 = 16;
const MEMORIES: u32 = 2;
const TABLES: u32 = 8;
const MAX_TABLE_ELEMENTS: usize = 100_000;

/// Stacks of an instance: one for each task of the guest, and what it does after its answers.
const STACKS: u32 = 16;

/// How to run an application.
#[derive(Clone, Debug)]
pub struct Options {
    /// The folder of the application's state: its stores and what was compiled. Made if need be.
    pub state_dir: PathBuf,
    /// A file in Spin's runtime configuration syntax, which says where key-value stores are.
    pub runtime_config_file: Option<PathBuf>,
    /// Values of the application's variables. Others come from the environment's
    /// `SPIN_VARIABLE_<NAME>` or are the manifest's defaults.
    pub variables: BTreeMap<String, String>,
    /// Labels of stores that are kept in memory and written to the disk every second, unless the runtime
    /// configuration mentions them: fast to write, and a crash loses the last second.
    pub write_behind: BTreeSet<String>,
    /// What requests may use.
    pub limits: Limits,
    /// Compiles components for interruption: each loop and function of theirs looks at a clock. A component
    /// that computes then yields to others every 10 ms, and is stopped after [`Limits::cpu_time`] at once. On
    /// prose, the engine takes 1.4 times as long.
    pub interrupt: bool,
    /// No log of requests that no component answered, and nothing of what components print on their
    /// standard output.
    pub quiet: bool,
}

impl Options {
    /// The defaults, with the state in `state_dir`.
    pub fn new(state_dir: impl Into<PathBuf>) -> Self {
        Self {
            state_dir: state_dir.into(),
            runtime_config_file: None,
            variables: BTreeMap::new(),
            write_behind: BTreeSet::new(),
            limits: Limits::default(),
            interrupt: false,
            quiet: false,
        }
    }

    /// Makes the folder of the state, if need be, so that only its owner can look into it.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub fn create_state_dir(&self) -> Result<PathBuf> {
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder
            .create(&self.state_dir)
            .and_then(|()| self.state_dir.canonicalize())
            .with_context(|| format!("cannot make the folder {}", self.state_dir.display()))
    }

    fn runtime_config(&self) -> Result<RuntimeConfig> {
        self.runtime_config_file.as_deref().map_or(Ok(RuntimeConfig::default()), RuntimeConfig::read)
    }
}

/// Opens one store of an application that need not run: the one that [`App::load`] would give its components
/// under this label.
///
/// # Errors
/// Where the folder of the state, the runtime configuration or the store cannot be used.
///
/// # Panics
/// Outside a Tokio runtime.
pub fn open_store(label: &str, options: &Options) -> Result<Arc<dyn KeyValueStore>> {
    let state_dir = options.create_state_dir()?;
    let config = options.runtime_config()?;
    let labels = BTreeSet::from([label.to_owned()]);
    let mut stores = open_stores(&labels, &config, &state_dir, &options.write_behind)?;
    stores.remove(label).with_context(|| format!("there is no store `{label}`"))
}

/// An application, ready to answer requests.
pub struct App {
    router: Router<Target>,
    stores: BTreeMap<String, Arc<dyn KeyValueStore>>,
    variables: Variables,
    limits: Limits,
    /// A permit for each request in flight.
    slots: Arc<Semaphore>,
    clients: Arc<Clients>,
    log: AccessLog,
}

impl App {
    /// Compiles the components (or takes them from the cache) and opens the stores.
    ///
    /// # Errors
    /// Says what is wrong with the manifest, a variable, a store or a component.
    ///
    /// # Panics
    /// Outside a Tokio runtime.
    pub fn load(manifest: &Manifest, options: Options) -> Result<Self> {
        let state_dir = options.create_state_dir()?;
        let config = options.runtime_config()?;
        let Options { variables, write_behind, limits, interrupt, quiet, .. } = options;
        let variables = Variables::resolve(&manifest.variables, &variables, |name| std::env::var(name).ok())?;
        let labels = manifest.component.values().flat_map(|component| component.key_value_stores.clone());
        let labels = labels.collect();
        config.check(&labels)?;
        let stores = open_stores(&labels, &config, &state_dir, &write_behind)?;
        config.check_shared(&labels, &write_behind)?;

        // routes to the same component behind the same middleware share its instances
        let chains: BTreeSet<_> = manifest
            .trigger
            .http
            .iter()
            .filter_map(|trigger| Some((trigger.component.as_ref()?, trigger.middleware())))
            .collect();
        // an idle instance of one component does not serve another, and one that ends makes room late
        let instances = limits.concurrent_requests.saturating_mul(chains.len() + 1);
        let engine = engine(&state_dir, interrupt, u32::try_from(instances).unwrap_or(u32::MAX))?;
        let linker = linker(&engine)?;
        let shared = instances::Shared {
            limits: limits.clone(),
            memory: TotalMemory::new(limits.total_memory),
            interrupt,
            watchdog: Watchdog::start(limits.stuck)?,
        };
        let mut components = BTreeMap::new();
        for (id, middleware) in chains {
            // the manifest's check lets no other id through
            let Some(declaration) = manifest.component.get(id) else { continue };
            let instances = || {
                let chain = middleware::Chain::read(manifest, middleware, declaration)?;
                let pre = prepare(&engine, &linker, &chain)?;
                let grants =
                    grants(manifest, declaration, &variables, &stores, config.blocked_networks(), !quiet)?;
                anyhow::Ok(Instances::new(id.clone(), pre, grants, shared.clone()))
            };
            components.insert((id, middleware), instances().with_context(|| format!("component `{id}`"))?);
        }
        let mut routes = Vec::new();
        for trigger in &manifest.trigger.http {
            let route = trigger.route()?.to_owned();
            let component =
                trigger.component.as_ref().and_then(|id| components.get(&(id, trigger.middleware())));
            let target = match (component, &trigger.static_response) {
                (Some(instances), _) => Target::Component(instances.clone()),
                (None, Some(response)) => Target::Static(
                    response.answer().with_context(|| format!("static_response of the route {route}"))?,
                ),
                // the manifest's check lets none through
                (None, None) => continue,
            };
            routes.push((route, target));
        }
        Ok(Self {
            router: Router::new(routes)?,
            stores,
            variables,
            slots: Arc::new(Semaphore::new(limits.concurrent_requests)),
            clients: Clients::new(limits.connections_per_client),
            limits,
            log: AccessLog::new(quiet)?,
        })
    }

    /// The key-value store of this label, if a component has it.
    pub fn store(&self, label: &str) -> Option<Arc<dyn KeyValueStore>> {
        self.stores.get(label).cloned()
    }

    /// The value of the application's variable, if it declares it.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name)
    }
}

/// Room for so many instances, in which one after the other finds its memory and its stacks.
///
/// Without it each request maps and unmaps a stack for every task of the guest. Pages that nobody uses cost nothing;
/// how much memory instances may use is limited by [`memory`].
fn pool(instances: u32) -> PoolingAllocationConfig {
    let mut pool = PoolingAllocationConfig::default();
    pool.total_component_instances(instances)
        .total_core_instances(instances.saturating_mul(CORE_INSTANCES))
        .total_memories(instances.saturating_mul(MEMORIES))
        .total_tables(instances.saturating_mul(TABLES))
        .total_stacks(instances.saturating_mul(STACKS))
        .table_elements(MAX_TABLE_ELEMENTS);
    pool
}

fn engine(state_dir: &Path, interrupt: bool, instances: u32) -> Result<Engine> {
    let mut cache = CacheConfig::new();
    cache.with_directory(state_dir.join("cache"));
    let mut config = Config::new();
    config.wasm_component_model_async(true).epoch_interruption(interrupt).cache(Some(Cache::new(cache)?));
    let on_demand = config.clone();
    config.allocation_strategy(pool(instances));
    // where there is no room for the pool, as on systems with small addresses, instances are allocated one by one
    let engine = Engine::new(&config).or_else(|_| Engine::new(&on_demand))?;
    if !interrupt {
        return Ok(engine);
    }
    let ticked = engine.weak();
    std::thread::Builder::new().name("epoch".into()).spawn(move || {
        while let Some(engine) = ticked.upgrade() {
            engine.increment_epoch();
            drop(engine);
            std::thread::sleep(EPOCH);
        }
    })?;
    Ok(engine)
}

fn linker(engine: &Engine) -> Result<Linker<Sandbox>> {
    let mut linker = Linker::new(engine);
    // Rust's standard library imports WASI 0.2, the SDK 0.3
    wasmtime_wasi::p2::add_to_linker_async(&mut linker)?;
    wasmtime_wasi::p3::add_to_linker(&mut linker)?;
    wasmtime_wasi_http::p3::add_to_linker(&mut linker)?;
    interfaces::add_to_linker(&mut linker)?;
    Ok(linker)
}

fn prepare(
    engine: &Engine,
    linker: &Linker<Sandbox>,
    chain: &middleware::Chain,
) -> Result<ServicePre<Sandbox>> {
    let source = chain.source();
    let prepare = || -> Result<_> {
        let component = match chain.composed()? {
            Some(composed) => Component::new(engine, composed)?,
            None => Component::from_file(engine, source)?,
        };
        Ok(ServicePre::new(linker.instantiate_pre(&component)?)?)
    };
    prepare().with_context(|| {
        format!(
            "{} cannot be used; it must be a WASI 0.3 HTTP handler, such as spin-sdk 7 builds for wasm32-wasip2",
            source.display()
        )
    })
}

fn grants(
    manifest: &Manifest,
    declaration: &ComponentDeclaration,
    variables: &Variables,
    stores: &BTreeMap<String, Arc<dyn KeyValueStore>>,
    blocked: &BlockedNetworks,
    show_output: bool,
) -> Result<Grants> {
    let hosts = declaration
        .allowed_outbound_hosts
        .iter()
        .map(|host| variables.expand(host))
        .collect::<Result<Vec<_>>>()?;
    let granted = |label| declaration.key_value_stores.contains(label);
    Ok(Grants {
        stores: stores
            .iter()
            .map(|(label, store)| (label.clone(), granted(label).then(|| store.clone())))
            .collect(),
        variables: declaration
            .variables
            .iter()
            .map(|(name, template)| Ok((name.clone(), variables.expand(template)?)))
            .collect::<Result<_>>()?,
        outbound: Arc::new(OutboundRules::new(hosts.iter().map(String::as_str), blocked.clone())?),
        environment: declaration.environment.clone(),
        mounts: manifest.mounts(declaration)?,
        show_output,
    })
}
