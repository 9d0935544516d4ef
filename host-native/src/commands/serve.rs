//! `textveil serve`: the service on this machine.

pub(super) mod credentials;
mod greeting;
mod metrics;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use clap::Args;
use textveil::app::{App, HostLimits, Listener, Manifest, Options, Tls};
use textveil_service::{Label, auth::keyless, providers::credential::HOSTS_VARIABLE, secrets};
use tokio::net::TcpListener;
use tokio::sync::Notify;

use self::metrics::MetricsListener;
use super::{Outcome, state::State};

/// Label of the store that counts requests: each request writes to it.
const WRITE_BEHIND: &str = "usage";

/// LLM providers on this machine, such as Ollama, on any port.
const LOCAL_PROVIDERS: &str = "http://localhost:*, http://127.0.0.1:*, http://[::1]:*";

/// The variable with the service's profile, which is set by `--dev`.
const PROFILE_VARIABLE: &str = "profile";
/// Its value with `--dev`.
const DEV_PROFILE: &str = "dev";

/// Run the service: REST API over the engine
///
/// Serves the Spin application of the manifest. Without --dev there are no credentials until you create one:
/// `textveil keys create` makes API keys, the variables service_tokens and user_token_key admit services and
/// users. SIGTERM or Ctrl-C finishes the requests in flight and ends the program; a second one ends it at
/// once. Options that `spin up` also has have the same meaning.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Address to serve on; port 0 takes a free one. The first line printed contains it
    #[arg(
        long,
        value_name = "ADDRESS:PORT",
        default_value = "127.0.0.1:3000",
        env = "SPIN_HTTP_LISTEN_ADDR"
    )]
    listen: String,

    /// Run for development: make credentials and allow LLM providers on this machine
    ///
    /// The credentials are in credentials.env in the state folder, and are printed to a terminal when they
    /// are made. The user token there is valid for 30 days; a start on its last day or later replaces it.
    #[arg(long)]
    dev: bool,

    /// Allow --dev on an address that other machines reach
    #[arg(long, requires = "dev")]
    dev_allow_remote: bool,

    /// Serve on an address that other machines reach: a reverse proxy in front ends TLS
    ///
    /// All clients then have the proxy's address, so their connections have no limit unless
    /// --max-connections-per-client is given.
    #[arg(long)]
    behind_proxy: bool,

    /// File with the certificate for TLS and its chain, in PEM. When it changes, new connections get it within a minute
    #[arg(long, value_name = "FILE", requires = "tls_key", env = "SPIN_TLS_CERT")]
    tls_cert: Option<PathBuf>,

    /// File with the private key of the certificate, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert", env = "SPIN_TLS_KEY")]
    tls_key: Option<PathBuf>,

    /// Address of a separate listener for `GET /metrics`, which needs no credential there: choose one that
    /// only your monitoring reaches. It answers nothing else. The second line printed contains it
    #[arg(long, value_name = "ADDRESS:PORT")]
    metrics_listen: Option<String>,

    /// Folder of keys, secrets, stores and compiled components; created if it is absent
    #[arg(long, value_name = "FOLDER", default_value = ".textveil")]
    state_dir: PathBuf,

    /// Folder of compiled components [default: cache in the state folder]
    ///
    /// Processes may share it, and a start that finds a component there does not compile it. Whoever can write to it
    /// can run code in this process.
    #[arg(long, value_name = "FOLDER", env = "TEXTVEIL_CACHE_DIR", hide_env_values = true)]
    cache_dir: Option<PathBuf>,

    /// File with the configuration of the key-value stores, in Spin's syntax
    #[arg(long, value_name = "FILE")]
    runtime_config_file: Option<PathBuf>,

    /// Variable of the application: NAME=VALUE, NAME=@FILE for the contents of a file, or @FILE.toml for
    /// all that the file sets. Also read from SPIN_VARIABLE_<NAME>
    #[arg(long = "variable", value_name = "NAME=VALUE")]
    variables: Vec<String>,

    /// The application's spin.toml [default: beside this program, else ./spin.toml]
    #[arg(long, value_name = "FILE")]
    manifest: Option<PathBuf>,

    /// Seconds until an answer must have begun
    #[arg(long, value_name = "SECONDS", default_value_t = HostLimits::default().request_timeout.as_secs())]
    request_timeout: u64,

    /// Bytes of memory of one instance of a component
    #[arg(long, value_name = "BYTES", default_value_t = HostLimits::default().memory)]
    max_instance_memory: usize,

    /// Bytes of memory of all instances together [default: half of the memory of the container or of the machine, and 2
    /// GiB at most]
    ///
    /// Requests wait for memory, and are answered with 503 after a minute; an instance that cannot grow fails its
    /// request.
    #[arg(long, value_name = "BYTES")]
    max_memory: Option<usize>,

    /// Bytes of a request's body
    #[arg(long, value_name = "BYTES", default_value_t = HostLimits::default().request_body)]
    max_request_body: u64,

    /// Requests in flight; more wait
    #[arg(long, value_name = "NUMBER", default_value_t = HostLimits::default().concurrent_requests)]
    max_concurrent_requests: usize,

    /// Open connections of one client address; one more is answered with 503 and closed. 0 for no limit, which
    /// a reverse proxy needs: all of its clients have one address [default: 256; 0 with --behind-proxy]
    #[arg(long, value_name = "NUMBER")]
    max_connections_per_client: Option<usize>,

    /// Seconds without data of a request's body, after which it is answered with 408
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = HostLimits::default().receive_timeout.as_secs(),
        value_parser = clap::value_parser!(u64).range(1..)
    )]
    receive_timeout: u64,

    /// Seconds in which a client reads nothing of an answer, after which the answer is cut off
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = HostLimits::default().send_timeout.as_secs(),
        value_parser = clap::value_parser!(u64).range(1..)
    )]
    send_timeout: u64,

    /// Seconds of processor time until an answer begins, and between its parts; then the request is answered with 500,
    /// or its answer is cut off
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = HostLimits::default().cpu_time.as_secs(),
        value_parser = clap::value_parser!(u64).range(1..)
    )]
    max_cpu_time: u64,

    /// Print the address, warnings and errors only: no credentials, no access log
    #[arg(long, short)]
    quiet: bool,
}

impl Arguments {
    fn connections_per_client(&self) -> usize {
        let default = if self.behind_proxy { 0 } else { HostLimits::default().connections_per_client };
        self.max_connections_per_client.unwrap_or(default)
    }
}

/// Serves until the program is stopped.
///
/// # Errors
/// Describes what prevents the application from starting, and the option that changes it.
pub fn run(arguments: Arguments) -> Result<Outcome> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(serve(arguments))?;
    Ok(Outcome::Done)
}

async fn serve(arguments: Arguments) -> Result<()> {
    let manifest = manifest(arguments.manifest.as_deref())?;
    let (listener, address) = bind(&arguments.listen).await?;
    if arguments.dev && !arguments.dev_allow_remote {
        ensure!(
            address.ip().is_loopback(),
            "--dev makes credentials for development, and other machines reach {address}; listen on a loopback \
             address such as 127.0.0.1, leave --dev out, or add --dev-allow-remote"
        );
    }

    check_address(
        address,
        arguments.behind_proxy || arguments.dev_allow_remote || arguments.tls_cert.is_some(),
        "add --tls-cert and --tls-key, or --behind-proxy if a reverse proxy in front ends TLS",
    )?;
    let listener = match (&arguments.tls_cert, &arguments.tls_key) {
        (Some(certificate), Some(key)) => {
            let tls = Tls::read(certificate, key).context("--tls-cert and --tls-key")?;
            Listener::encrypted(listener, tls)
        }
        _ => Listener::from(listener),
    };

    let mut options = Options::new(&arguments.state_dir);
    options.create_state_dir()?;
    options.cache_dir.clone_from(&arguments.cache_dir);
    options.runtime_config_file.clone_from(&arguments.runtime_config_file);
    options.variables = variables(&arguments.variables)?;
    options.write_behind.insert(WRITE_BEHIND.into());
    options.quiet = arguments.quiet;
    options.limits = HostLimits {
        cpu_time: Duration::from_secs(arguments.max_cpu_time),
        request_timeout: Duration::from_secs(arguments.request_timeout),
        memory: arguments.max_instance_memory,
        request_body: arguments.max_request_body,
        total_memory: arguments.max_memory.unwrap_or(HostLimits::default().total_memory),
        concurrent_requests: arguments.max_concurrent_requests,
        connections_per_client: arguments.connections_per_client(),
        receive_timeout: Duration::from_secs(arguments.receive_timeout),
        send_timeout: Duration::from_secs(arguments.send_timeout),
        ..HostLimits::default()
    };
    let own_secrets =
        credentials::secret_variables(&arguments.state_dir, &manifest, &options.variables, arguments.dev)?;
    options.variables.extend(own_secrets.clone());
    if arguments.dev {
        set_for_development(&manifest, address, &mut options.variables);
    }

    let warnings = match arguments.dev {
        true => Vec::new(),
        false => greeting::warnings(&manifest, &options.variables, &arguments.state_dir),
    };
    let metrics = match &arguments.metrics_listen {
        Some(address) => Some(MetricsListener::bind(address, &manifest, &mut options.variables).await?),
        None => None,
    };

    let app = Arc::new(App::load(&manifest, options)?);
    check(&app, arguments.dev)?;
    check_keyless(&app, address)?;
    let credentials = match state(&app)? {
        Some(state) if arguments.dev => {
            credentials::prepare(&arguments.state_dir, &state, &own_secrets).await?
        }
        _ => None,
    };
    for warning in warnings {
        eprintln!("textveil: {warning}");
    }
    // before anybody can know that it serves, and stop it
    let signals = Signals::catch()?;
    // a reader that has gone does not end the service
    let metrics_address = metrics.as_ref().map(|metrics| metrics.address);
    let scheme = if listener.is_encrypted() { "https" } else { "http" };
    let served = format!("{scheme}://{address}");
    let _ = greeting::print(&served, metrics_address, credentials.as_ref().filter(|_| !arguments.quiet));
    serve_until_signal(app, listener, metrics, signals).await
}

/// Binds the address of the service.
pub(super) async fn bind(address: &str) -> Result<(TcpListener, SocketAddr)> {
    let listener = TcpListener::bind(address)
        .await
        .with_context(|| format!("cannot serve on {address}; choose another address with --listen"))?;
    let address = listener.local_addr()?;
    Ok((listener, address))
}

/// Checks that only this machine reaches the address, or that TLS protects it; `remedy` names the options for that.
pub(super) fn check_address(address: SocketAddr, has_tls: bool, remedy: &str) -> Result<()> {
    ensure!(
        address.ip().is_loopback() || has_tls,
        "other machines reach {address}, and credentials and texts would cross the network in plain text; listen on a \
         loopback address such as 127.0.0.1, {remedy}"
    );
    Ok(())
}

/// Checks that callers without a token come from this machine, unless the operator names the hosts by which others come.
fn check_keyless(app: &App, address: SocketAddr) -> Result<()> {
    let is_set = |name: &str| app.variable(name).is_some_and(|value| !value.trim().is_empty());
    ensure!(
        address.ip().is_loopback() || !is_set(keyless::VARIABLE) || is_set(keyless::HOSTS_VARIABLE),
        "other machines reach {address}, and `{}` admits callers without a token; listen on a loopback address such as \
         127.0.0.1, empty that variable, or set `{}` to the host names by which such callers reach the gateway",
        keyless::VARIABLE,
        keyless::HOSTS_VARIABLE
    );
    Ok(())
}

/// The stores and secrets of the application that keys are made with; `None` if it is not the service.
fn state(app: &App) -> Result<Option<State>> {
    let stores =
        [Label::Config, Label::Audit].map(|label| Some((label.as_str(), app.store(label.as_str())?)));
    let ([Some(config), Some(audit)], Some(secrets)) = (stores, app.variable(secrets::VARIABLE)) else {
        return Ok(None);
    };
    State::new([config, audit], [(secrets::VARIABLE, secrets.to_owned())]).map(Some)
}

/// Sets what `--dev` changes in the application's variables, except those that were given.
fn set_for_development(manifest: &Manifest, address: SocketAddr, variables: &mut BTreeMap<String, String>) {
    if manifest.lacks(PROFILE_VARIABLE, variables) {
        variables.insert(PROFILE_VARIABLE.into(), DEV_PROFILE.into());
    }
    // on loopback, every caller is on this machine and reaches its ports without the service
    if address.ip().is_loopback() && manifest.lacks(HOSTS_VARIABLE, variables) {
        variables.insert(HOSTS_VARIABLE.into(), LOCAL_PROVIDERS.into());
    }
}

/// Checks the values of the application's variables.
fn check(app: &App, dev: bool) -> Result<()> {
    let profile = app.variable(PROFILE_VARIABLE);
    ensure!(
        profile.is_none_or(|profile| (profile == DEV_PROFILE) == dev),
        "the variable `{PROFILE_VARIABLE}` contradicts the options; remove it: `textveil serve` is strict \
         without --dev"
    );
    let faults = textveil_service::config::faults(|name| app.variable(name).map(str::to_owned));
    ensure!(faults.is_empty(), "{}", faults.join("; "));
    Ok(())
}

/// Reads the manifest at `path`, by default `spin.toml` beside the program, else in this folder.
pub(super) fn manifest(path: Option<&Path>) -> Result<Manifest> {
    Manifest::read(&path.map_or_else(default_manifest, |path| Ok(path.to_path_buf()))?)
}

fn default_manifest() -> Result<PathBuf> {
    let beside = std::env::current_exe().ok().and_then(|program| Some(program.parent()?.join("spin.toml")));
    let found = beside.into_iter().chain([PathBuf::from("spin.toml")]).find(|path| path.is_file());
    found.context("there is no spin.toml beside this program nor in this folder; name it with --manifest")
}

/// Reads the values of `--variable`; of two for one name the last holds.
fn variables(given: &[String]) -> Result<BTreeMap<String, String>> {
    let read = |path: &str| {
        let text = std::fs::read_to_string(path);
        let mut text = text.with_context(|| format!("--variable: cannot read {path}"))?;
        // editors end the last line; no value ends with a line break
        text.truncate(text.trim_end_matches(['\r', '\n']).len());
        anyhow::Ok(text)
    };
    let mut variables = BTreeMap::new();
    for given in given {
        if let Some(path) = given.strip_prefix('@') {
            // the parser's own message would show what is there, which may be a secret
            let Ok(file) = toml::from_str::<BTreeMap<String, String>>(&read(path)?) else {
                bail!("--variable: {path} must be TOML that sets names to strings");
            };
            variables.extend(file);
            continue;
        }
        let Some((name, value)) = given.split_once('=') else {
            // the argument may be a secret without its name
            bail!("--variable: write NAME=VALUE, NAME=@FILE or @FILE.toml");
        };
        let value = match value.strip_prefix('@') {
            Some(path) => read(path)?,
            None => value.to_owned(),
        };
        variables.insert(name.to_owned(), value);
    }
    Ok(variables)
}

/// Serves until a signal ends the program.
pub(super) async fn serve_until_signal(
    app: Arc<App>,
    listener: Listener,
    metrics: Option<MetricsListener>,
    mut signals: Signals,
) -> Result<()> {
    let (stop, stop_metrics) = (Notify::new(), Notify::new());
    let mut signals = pin!(async {
        signals.next().await?;
        stop.notify_one();
        stop_metrics.notify_one();
        eprintln!("textveil: finishing the requests in flight");
        signals.next().await
    });
    let metrics = async {
        if let Some(MetricsListener { listener, token, .. }) = metrics {
            app.clone().serve_metrics(listener, token, stop_metrics.notified()).await;
        }
    };
    let mut serving = pin!(async { tokio::join!(app.clone().serve(listener, stop.notified()), metrics).0 });
    tokio::select! {
        outcome = &mut serving => outcome,
        outcome = &mut signals => {
            outcome?;
            bail!("stopped before all requests were finished")
        }
    }
}

/// The signals that end the program: SIGTERM and Ctrl-C.
pub(super) struct Signals {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
}

impl Signals {
    /// Catches the signals from now on.
    pub(super) fn catch() -> std::io::Result<Self> {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            Ok(Self {
                terminate: signal(SignalKind::terminate())?,
                interrupt: signal(SignalKind::interrupt())?,
            })
        }
        #[cfg(not(unix))]
        Ok(Self {})
    }

    /// Waits for the next one.
    async fn next(&mut self) -> std::io::Result<()> {
        #[cfg(unix)]
        {
            tokio::select! {
                _ = self.terminate.recv() => (),
                _ = self.interrupt.recv() => (),
            }
            Ok(())
        }
        #[cfg(not(unix))]
        tokio::signal::ctrl_c().await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_given_in_three_ways() {
        let folder = tempfile::tempdir().unwrap();
        let text = folder.path().join("text");
        let table = folder.path().join("table.toml");
        std::fs::write(&text, "from=file\n").unwrap();
        std::fs::write(&table, "b = \"table\"\nc = \"table\"").unwrap();
        let given = [
            "a=1=2".to_owned(),
            format!("b=@{}", text.display()),
            format!("@{}", table.display()),
            "c=".into(),
        ];
        let want = [("a", "1=2"), ("b", "table"), ("c", "")];
        let want = want.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(variables(&given).unwrap(), BTreeMap::from(want));
        assert_eq!(variables(&given[..2]).unwrap()["b"], "from=file");
        std::fs::write(&table, "b = [\"secret\"]").unwrap();
        for given in ["secret".to_owned(), format!("@{}", table.display())] {
            let message = format!("{:#}", variables(&[given]).unwrap_err());
            assert!(message.starts_with("--variable: ") && !message.contains("secret"), "{message}");
        }
    }
}
