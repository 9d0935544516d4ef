//! Runs a Spin application under wasmtime.
//!
//! An application is a manifest, its components, their stores and routes. [`App`] gives each component only
//! what `spin.toml` grants it, and answers requests by the application's HTTP triggers. Components are HTTP
//! handlers of WASI 0.3, as built by spin-sdk 7, or of WASI 0.2.
//!
//! ```no_run
//! use std::sync::Arc;
//! use textveil::app::{App, Manifest, Options};
//!
//! # async fn program() -> anyhow::Result<()> {
//! let manifest = Manifest::read("spin.toml".as_ref())?;
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
mod container;
mod cpu_time;
mod front;
mod instances;
mod interfaces;
pub mod key_value;
mod likeness;
mod limits;
mod listener;
mod manifest;
mod memory;
mod middleware;
mod outbound;
mod private;
mod route;
mod sandbox;
mod server;
mod variables;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use textveil_service::config::LISTS_OF_HOSTS;
use tokio::sync::Semaphore;
use wasmtime::component::{Component, Linker};
use wasmtime::{Cache, CacheConfig, Config, Engine, PoolingAllocationConfig};
use wasmtime_wasi_http::handler::ProxyPre;
use wasmtime_wasi_http::{p2, p3};

use access_log::AccessLog;
use clients::Clients;
use front::RouteTarget;
use instances::Instances;
use key_value::{KeyValueStore, RuntimeConfig, open_stores};
use manifest::ComponentDeclaration;
use memory::TotalMemory;
use outbound::{BlockedNetworks, OutboundRules};
use route::Router;
use sandbox::{Grants, Sandbox};
use variables::Variables;

pub use limits::HostLimits;
pub use listener::{Listener, Tls};
pub use manifest::Manifest;
pub use outbound::{OutboundClient, ResponseBody};
pub use wasmtime_wasi_http::WasiBody;

/// The interval at which a component yields while it computes.
const EPOCH: Duration = Duration::from_millis(10);

/// The maximum number of core instances of a component, so that the pool has room for all instances.
/// Components of Spin's SDK have three core modules with one memory.
const CORE_INSTANCES: u32 = 16;
const MEMORIES: u32 = 2;
const TABLES: u32 = 8;
const MAX_TABLE_ELEMENTS: usize = 100_000;

/// The stacks of an instance: one for each task of the guest, and for work after its answers.
const STACKS: u32 = 16;

/// Options of an application.
#[derive(Clone, Debug)]
pub struct Options {
    /// The folder of the application's state: its stores and compiled components. Created if absent. `None` for stores in
    /// memory, which the disk does not see.
    pub state_dir: Option<PathBuf>,
    /// The folder of compiled components; `None` for `cache` in the state folder. Processes may share it. Its files are
    /// run without a check: a user who can write to it can run code in this process. Without either folder, each start
    /// compiles them.
    pub cache_dir: Option<PathBuf>,
    /// A file in Spin's runtime configuration syntax, which configures the key-value stores.
    pub runtime_config_file: Option<PathBuf>,
    /// Values of the application's variables. Others are read from the environment's `SPIN_VARIABLE_<NAME>`,
    /// or have the manifest's defaults.
    pub variables: BTreeMap<String, String>,
    /// Labels of in-memory stores that are written to the disk every second. They are fast to write, and a crash
    /// loses the last second. A label in the runtime configuration keeps its store there.
    pub write_behind: BTreeSet<String>,
    /// The limits of requests.
    pub limits: HostLimits,
    /// Hands over requests as Spin 4.1 does, for tests.
    ///
    /// Components see the hop-by-hop headers of a request, and TCP_NODELAY is off in both directions. So a body that
    /// leaves after its head waits for the peer's acknowledgement, which takes some 40 ms.
    pub like_spin: bool,
    /// Suppresses the log of unanswered requests, and the output of components. Without it, the host logs
    /// requests that no component answered, and components write to its standard output.
    pub quiet: bool,
}

impl Options {
    /// Returns the defaults, with the state in `state_dir`.
    ///
    /// # Examples
    /// ```
    /// use textveil::app::Options;
    ///
    /// let options = Options::new("/var/lib/textveil");
    /// assert!(options.cache_dir.is_none() && !options.like_spin);
    /// ```
    pub fn new(state_dir: impl Into<PathBuf>) -> Self {
        Self { state_dir: Some(state_dir.into()), ..Self::in_memory() }
    }

    /// Returns the defaults, with the state in memory.
    ///
    /// It ends with the application.
    ///
    /// # Examples
    /// ```
    /// use textveil::app::Options;
    ///
    /// assert_eq!(Options::in_memory().create_state_dir()?, None);
    /// # Ok::<(), anyhow::Error>(())
    /// ```
    pub fn in_memory() -> Self {
        Self {
            state_dir: None,
            cache_dir: None,
            runtime_config_file: None,
            variables: BTreeMap::new(),
            write_behind: BTreeSet::new(),
            limits: HostLimits::default(),
            like_spin: false,
            quiet: false,
        }
    }

    /// Creates the state folder if absent, and makes it private.
    ///
    /// Returns its absolute path; `None` if the state is in memory.
    ///
    /// # Errors
    /// If it cannot be created.
    ///
    /// # Examples
    /// ```
    /// use textveil::app::Options;
    ///
    /// # let folder = tempfile::tempdir()?;
    /// let options = Options::new(folder.path().join("state"));
    /// assert!(options.create_state_dir()?.is_some_and(|folder| folder.is_dir()));
    /// # Ok::<(), anyhow::Error>(())
    /// ```
    pub fn create_state_dir(&self) -> Result<Option<PathBuf>> {
        let Some(state_dir) = &self.state_dir else { return Ok(None) };
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder
            .create(state_dir)
            .and_then(|()| private::narrow(state_dir, private::FOLDER))
            .and_then(|()| state_dir.canonicalize())
            .map(Some)
            .with_context(|| format!("cannot make the folder {}", state_dir.display()))
    }

    fn runtime_config(&self) -> Result<RuntimeConfig> {
        self.runtime_config_file.as_deref().map_or(Ok(RuntimeConfig::default()), RuntimeConfig::read)
    }
}

/// Opens one store of an application that need not run.
///
/// It is the store that [`App::load`] gives the components under this label.
///
/// # Errors
/// If the folder of the state, the runtime configuration or the store cannot be used.
///
/// # Panics
/// Outside a Tokio runtime.
///
/// # Examples
/// ```
/// use textveil::app::{Options, open_store};
///
/// # let folder = tempfile::tempdir()?;
/// # tokio::runtime::Runtime::new()?.block_on(async {
/// let store = open_store("default", &Options::new(folder.path()))?;
/// store.set("greeting", b"hello".to_vec()).await?;
/// assert_eq!(store.keys().await?, ["greeting"]);
/// # Ok::<(), anyhow::Error>(())
/// # })?;
/// # Ok::<(), anyhow::Error>(())
/// ```
pub fn open_store(label: &str, options: &Options) -> Result<Arc<dyn KeyValueStore>> {
    let state_dir = options.create_state_dir()?;
    let config = options.runtime_config()?;
    let labels = BTreeSet::from([label.to_owned()]);
    let mut stores = open_stores(&labels, &config, state_dir.as_deref(), &options.write_behind)?;
    stores.remove(label).with_context(|| format!("there is no store `{label}`"))
}

/// A loaded application.
///
/// # Examples
/// ```
/// use textveil::app::{App, Manifest, Options};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("spin.toml");
/// std::fs::write(&path, r#"
///     spin_manifest_version = 2
///     application = { name = "hello" }
///     variables.greeting = { default = "hello" }
///     trigger.http = [{ route = "/health", static_response = { body = "up" } }]
/// "#)?;
/// # tokio::runtime::Runtime::new()?.block_on(async {
/// let app = App::load(&Manifest::read(&path)?, Options::new(folder.path()))?;
/// assert_eq!(app.variable("greeting"), Some("hello"));
/// assert!(app.store("default").is_none(), "no component may use a store");
/// let request = http::Request::get("http://localhost/health").body(http_body_util::Empty::new())?;
/// let answer = app.handle(request, "127.0.0.1:4000".parse()?).await;
/// assert_eq!(answer.status(), 200);
/// # Ok::<(), anyhow::Error>(())
/// # })?;
/// # Ok::<(), anyhow::Error>(())
/// ```
pub struct App {
    router: Router<RouteTarget>,
    stores: BTreeMap<String, Arc<dyn KeyValueStore>>,
    variables: Variables,
    limits: HostLimits,
    like_spin: bool,
    /// A permit for each request in flight.
    slots: Arc<Semaphore>,
    clients: Arc<Clients>,
    log: AccessLog,
}

impl App {
    /// Compiles the components and opens the stores.
    ///
    /// Components that are in the cache are not compiled again.
    ///
    /// # Errors
    /// Describes the fault of the manifest, a variable, a store or a component.
    ///
    /// # Panics
    /// Outside a Tokio runtime.
    pub fn load(manifest: &Manifest, options: Options) -> Result<Self> {
        let state_dir = options.create_state_dir()?;
        let config = options.runtime_config()?;
        let Options { cache_dir, variables, write_behind, limits, like_spin, quiet, .. } = options;
        let variables = Variables::resolve(&manifest.variables, &variables, |name| std::env::var(name).ok())?;
        let labels = manifest.component.values().flat_map(|component| component.key_value_stores.clone());
        let labels = labels.collect();
        config.check(&labels)?;
        let stores = open_stores(&labels, &config, state_dir.as_deref(), &write_behind)?;
        config.check_shared(&labels, &write_behind)?;

        // routes to the same component behind the same middleware share its instances
        let chains: BTreeSet<_> = manifest
            .trigger
            .http
            .iter()
            .filter_map(|trigger| Some((trigger.component.as_ref()?, trigger.middleware())))
            .collect();
        // idle instances are per component, and one that ends frees its memory late
        let instances = limits.concurrent_requests.saturating_mul(chains.len() + 1);
        let cache_dir = cache_dir.or_else(|| Some(state_dir?.join("cache")));
        let engine = engine(cache_dir.as_deref(), u32::try_from(instances).unwrap_or(u32::MAX))?;
        let linker = linker(&engine)?;
        let shared =
            instances::SharedLimits { limits: limits.clone(), memory: TotalMemory::new(limits.total_memory) };
        let mut components = BTreeMap::new();
        for (id, middleware) in chains {
            // the check of the manifest rejects other ids
            let Some(declaration) = manifest.component.get(id) else { continue };
            let instances = || {
                let chain = middleware::Chain::read(manifest, middleware, declaration)?;
                let pre = prepare(&engine, &linker, &chain)?;
                let outbound = outbound(declaration, &variables, config.blocked_networks(), !like_spin)?;
                let mut grants = grants(manifest, declaration, &variables, &stores, outbound)?;
                (grants.show_output, grants.like_spin) = (!quiet, like_spin);
                if !like_spin {
                    grants.variables.insert(LISTS_OF_HOSTS.to_owned(), "true".to_owned());
                }
                anyhow::Ok(Instances::new(id.clone(), engine.clone(), pre, grants, shared.clone()))
            };
            components.insert((id, middleware), instances().with_context(|| format!("component `{id}`"))?);
        }
        let mut routes = Vec::new();
        for trigger in &manifest.trigger.http {
            let route = trigger.route()?.to_owned();
            let component =
                trigger.component.as_ref().and_then(|id| components.get(&(id, trigger.middleware())));
            let target = match (component, &trigger.static_response) {
                (Some(instances), _) => RouteTarget::Component(instances.clone()),
                (None, Some(response)) => RouteTarget::Static(
                    response.answer().with_context(|| format!("static_response of the route {route}"))?,
                ),
                // the check of the manifest rejects this
                (None, None) => continue,
            };
            routes.push((route, target));
        }
        Ok(Self {
            router: Router::new(routes)?,
            stores,
            variables,
            slots: Arc::new(Semaphore::new(limits.concurrent_requests)),
            clients: Clients::new(limits.connections_per_client, limits.requests_per_client()),
            limits,
            like_spin,
            log: AccessLog::new(quiet)?,
        })
    }

    /// Returns the key-value store with this label.
    ///
    /// Returns `None` if no component may use it.
    pub fn store(&self, label: &str) -> Option<Arc<dyn KeyValueStore>> {
        self.stores.get(label).cloned()
    }

    /// Returns the value of the application's variable, if it is declared.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name)
    }
}

/// Configures a pool of `instances`, whose memories and stacks are reused.
///
/// Without it each request maps and unmaps a stack for every task of the guest. Unused pages cost nothing;
/// [`memory`] limits how much memory instances may use.
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

fn engine(cache_dir: Option<&Path>, instances: u32) -> Result<Engine> {
    let mut config = Config::new();
    config.wasm_component_model_async(true).epoch_interruption(true);
    if let Some(cache_dir) = cache_dir {
        let mut cache = CacheConfig::new();
        // wasmtime takes no other path
        cache.with_directory(std::path::absolute(cache_dir)?);
        config.cache(Some(Cache::new(cache)?));
    }
    let on_demand = config.clone();
    config.allocation_strategy(pool(instances));
    // without room for the pool, as on systems with small address spaces, instances are allocated one by one
    let engine = Engine::new(&config).or_else(|_| Engine::new(&on_demand))?;
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
    wasmtime_wasi_http::p2::add_only_http_to_linker_async(&mut linker)?;
    wasmtime_wasi::p3::add_to_linker(&mut linker)?;
    wasmtime_wasi_http::p3::add_to_linker(&mut linker)?;
    interfaces::add_to_linker(&mut linker)?;
    Ok(linker)
}

fn prepare(
    engine: &Engine,
    linker: &Linker<Sandbox>,
    chain: &middleware::Chain,
) -> Result<ProxyPre<Sandbox>> {
    let source = chain.source();
    let prepare = || -> Result<_> {
        let component = match chain.composed()? {
            Some(composed) => Component::new(engine, composed)?,
            None => Component::from_file(engine, source)?,
        };
        let pre = linker.instantiate_pre(&component)?;
        Ok(match p3::bindings::ServicePre::new(pre.clone()) {
            Ok(pre) => ProxyPre::P3(pre),
            Err(_) => ProxyPre::P2(p2::bindings::ProxyPre::new(pre)?),
        })
    };
    prepare().with_context(|| {
        format!(
            "{} cannot be used; it must be an HTTP handler of WASI 0.3, such as spin-sdk 7 builds for wasm32-wasip2, or of WASI 0.2",
            source.display()
        )
    })
}

fn grants(
    manifest: &Manifest,
    declaration: &ComponentDeclaration,
    variables: &Variables,
    stores: &BTreeMap<String, Arc<dyn KeyValueStore>>,
    outbound: OutboundRules,
) -> Result<Grants> {
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
        outbound: Arc::new(outbound),
        environment: declaration.environment.clone(),
        mounts: manifest.mounts(declaration)?,
        show_output: false,
        like_spin: false,
    })
}

/// Reads where a component may send requests.
fn outbound(
    declaration: &ComponentDeclaration,
    variables: &Variables,
    blocked: &BlockedNetworks,
    nodelay: bool,
) -> Result<OutboundRules> {
    let hosts = declaration.allowed_outbound_hosts.iter().map(|host| variables.expand(host));
    let hosts = hosts.collect::<Result<Vec<_>>>()?;
    OutboundRules::new(hosts.iter().map(String::as_str), blocked, nodelay)
}
