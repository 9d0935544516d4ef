//! `textveil proxy`: the gateway for the programs of one person, with the credentials that they send.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, bail, ensure};
use clap::Args;
use serde_json::Value;
use textveil::app::{App, Listener, Options};
use textveil_service::{
    Label,
    auth::{Principal, keyless, service_token, user_token},
    providers::{
        ProviderType,
        credential::{HOSTS_VARIABLE, SECRETS_VARIABLE, VARIABLES},
    },
    proxy::{CallersProvider, ProtectionSettings, Summary, set_up, summary},
    secrets,
};

use super::{
    Outcome, counted,
    flags::AllowFlags,
    serve::{self, Signals, credentials::new_secret},
    state::{State, why},
};

/// The workspace of all callers.
const WORKSPACE: &str = "default";

/// The route of the gateway that clients of language models use.
const ROUTE: &str = "/v1/...";

/// Protect what programs send to OpenAI or Anthropic: a local gateway that keeps nothing
///
/// Listens on this machine and forwards to the provider, with the credential that the client sends: personal data in a
/// request becomes placeholders, and answers are restored. Standard error says which variables to set. Nothing is
/// written to the disk unless --cache-dir is given. SIGTERM or Ctrl-C ends it, with counts by type.
#[derive(Args)]
#[command(group = clap::ArgGroup::new("providers").required(true).multiple(true).args(["openai", "anthropic"]))]
pub struct Arguments {
    /// Forward OpenAI's API, to OpenAI or to a compatible provider at URL
    #[arg(
        long,
        value_name = "URL",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "https://api.openai.com"
    )]
    openai: Option<String>,

    /// Forward Anthropic's API, to Anthropic or to a compatible provider at URL
    #[arg(
        long,
        value_name = "URL",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "https://api.anthropic.com"
    )]
    anthropic: Option<String>,

    /// Address to listen on; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7300")]
    listen: String,

    /// Listen on an address that other machines reach: a reverse proxy in front ends TLS and admits your callers only
    #[arg(long, requires = "host")]
    behind_proxy: bool,

    /// Host name by which callers on other machines reach the proxy, without its port; may be repeated
    #[arg(long, value_name = "NAME", requires = "behind_proxy")]
    host: Vec<String>,

    /// File with policies and a configuration, as the gateway exports them; its routes, limits and audit do not count
    #[arg(long, value_name = "FILE")]
    settings: Option<PathBuf>,

    /// Host whose URLs may contain restored values, `*.example.com` for all subdomains; may be repeated
    #[arg(long, value_name = "HOST")]
    restore_host: Vec<String>,

    #[command(flatten)]
    allowed: AllowFlags,

    /// Folder that keeps the compiled gateway, for a fast start; created if it is absent [default: none]
    ///
    /// It has nothing of a request. Whoever can write to it can run code in this process.
    #[arg(long, value_name = "FOLDER", env = "TEXTVEIL_CACHE_DIR", hide_env_values = true)]
    cache_dir: Option<PathBuf>,

    /// The application's spin.toml [default: beside this program, else ./spin.toml]
    #[arg(long, value_name = "FILE")]
    manifest: Option<PathBuf>,

    /// Write a line of JSON for each request to standard error, with counts and nothing of its text
    #[arg(long)]
    access_log: bool,
}

impl Arguments {
    /// The providers with the paths that lead to them, OpenAI first.
    fn providers(&self) -> Vec<CallersProvider> {
        let of = |provider_type, url: &Option<String>| {
            url.clone().map(|base_url| CallersProvider { provider_type, base_url })
        };
        let openai = of(ProviderType::OpenAi, &self.openai);
        openai.into_iter().chain(of(ProviderType::Anthropic, &self.anthropic)).collect()
    }
}

/// Forwards until the program is stopped.
///
/// # Errors
/// Describes what prevents the proxy from starting, and the option that changes it.
pub fn run(arguments: Arguments) -> Result<Outcome> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(forward(arguments))?;
    Ok(Outcome::Done)
}

async fn forward(arguments: Arguments) -> Result<()> {
    let providers = arguments.providers();
    let origins = providers.iter().map(|provider| origin(&provider.base_url)).collect::<Result<Vec<_>>>()?;
    let protection = ProtectionSettings {
        document: arguments.settings.as_deref().map(read_settings).transpose()?,
        restore_hosts: arguments.restore_host.clone(),
        allowed: arguments.allowed.rules().collect(),
    };
    let mut manifest = serve::manifest(arguments.manifest.as_deref())?;
    manifest.reduce_to(ROUTE, &origins)?;
    let (listener, address) = serve::bind(&arguments.listen).await?;
    serve::check_address(
        address,
        arguments.behind_proxy,
        "or add --behind-proxy if a reverse proxy in front ends TLS",
    )?;

    let mut options = Options::in_memory();
    options.cache_dir.clone_from(&arguments.cache_dir);
    options.quiet = !arguments.access_log;
    options.variables = variables(&origins, &arguments.host)?;
    if arguments.cache_dir.is_none() {
        eprintln!("textveil: compiling the gateway; --cache-dir keeps it for the next start");
    }
    let app = Arc::new(App::load(&manifest, options)?);
    let faults = textveil_service::config::faults(|name| app.variable(name).map(str::to_owned));
    ensure!(faults.is_empty(), "--host: {}", faults.join("; "));

    let state = state(&app)?;
    let operator = Principal::operator(WORKSPACE);
    set_up(&state, &operator, &providers, protection).await.map_err(why)?;
    // before anybody can know that it serves, and stop it
    let signals = Signals::catch()?;
    eprint!("{}", greeting(address, &providers));
    serve::serve_until_signal(app, Listener::from(listener), None, signals).await?;
    eprint!("{}", farewell(&summary(&state).await.context("cannot read the counts")?));
    Ok(())
}

/// The variables of the application. None of this machine's credentials is among them.
fn variables(origins: &[String], hosts: &[String]) -> Result<BTreeMap<String, String>> {
    let own = [
        // placeholders of this process
        (secrets::VARIABLE, new_secret("1:")?),
        (keyless::VARIABLE, WORKSPACE.to_owned()),
        (keyless::HOSTS_VARIABLE, hosts.join(",")),
        (HOSTS_VARIABLE, origins.join(",")),
    ];
    let unused = [SECRETS_VARIABLE, service_token::VARIABLE, user_token::KEY_VARIABLE];
    let credentials = VARIABLES.iter().map(|name| name.to_ascii_lowercase());
    let unused = unused.iter().map(|name| (*name).to_owned()).chain(credentials);
    let own = own.into_iter().map(|(name, value)| (name.to_owned(), value));
    Ok(own.chain(unused.map(|name| (name, String::new()))).collect())
}

/// The stores of the application, to set them up and to read them.
fn state(app: &App) -> Result<State> {
    let store = |label: Label| {
        let name = label.as_str();
        anyhow::Ok((name, app.store(name).with_context(|| format!("the application has no store `{name}`"))?))
    };
    let stores = [store(Label::Config)?, store(Label::Audit)?, store(Label::Usage)?];
    let variables = [secrets::VARIABLE, HOSTS_VARIABLE];
    State::new(stores, variables.map(|name| (name, app.variable(name).unwrap_or_default().to_owned())))
}

/// The scheme, host and port of a provider's address.
fn origin(url: &str) -> Result<String> {
    let uri: http::Uri =
        url.parse().context("the URL of a provider must be one such as https://api.openai.com")?;
    match (uri.scheme_str(), uri.authority()) {
        (Some(scheme @ ("http" | "https")), Some(authority)) if !authority.as_str().contains('@') => {
            Ok(format!("{scheme}://{authority}"))
        }
        _ => bail!("the URL of a provider must begin with https:// or http://, and have no credential"),
    }
}

/// Reads a document of settings.
fn read_settings(path: &Path) -> Result<Value> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("--settings: cannot read {}", path.display()))?;
    // the message of a JSON error has no text of the file
    serde_json::from_str(&text).with_context(|| format!("--settings: {} is not JSON", path.display()))
}

/// Says where requests go, and what to set.
fn greeting(address: SocketAddr, providers: &[CallersProvider]) -> String {
    let (mut routes, mut exports) = (String::new(), String::new());
    for provider in providers {
        let (paths, variable, suffix) = match provider.provider_type {
            ProviderType::Anthropic => ("/v1/messages", "ANTHROPIC_BASE_URL", ""),
            _ => ("/v1/chat/completions, /v1/responses, /v1/embeddings", "OPENAI_BASE_URL", "/v1"),
        };
        routes += &format!("  {paths} to {}\n", provider.base_url);
        exports += &format!("  export {variable}=http://{address}{suffix}\n");
    }
    format!(
        "textveil: protecting on http://{address}, with the credentials that clients send:\n{routes}\nSet this where a \
         client runs:\n{exports}\n"
    )
}

/// Says what was done, without a value.
fn farewell(summary: &Summary) -> String {
    let number = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    let total = summary.requests.values().sum();
    let mut text = format!("textveil: {}", counted(number(total), "request"));
    let others = summary.requests.iter().filter(|(outcome, count)| *outcome != "ok" && **count > 0);
    for (outcome, count) in others {
        text += &format!(", {count} {outcome}");
    }
    text += &format!(
        "; {} protected, {} restored\n",
        counted(number(summary.protected.values().sum()), "finding"),
        counted(number(summary.restored), "placeholder")
    );
    for (kind, count) in &summary.protected {
        text += &format!("  {kind} {count}\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_to_paste_lead_to_the_proxy() {
        let provider =
            |provider_type, base_url: &str| CallersProvider { provider_type, base_url: base_url.to_owned() };
        let providers = [
            provider(ProviderType::OpenAi, "https://api.openai.com"),
            provider(ProviderType::Anthropic, "https://api.anthropic.com"),
        ];
        let greeting = greeting(([127, 0, 0, 1], 7300).into(), &providers);
        for line in [
            "  /v1/messages to https://api.anthropic.com",
            "  export OPENAI_BASE_URL=http://127.0.0.1:7300/v1",
            "  export ANTHROPIC_BASE_URL=http://127.0.0.1:7300",
        ] {
            assert!(greeting.lines().any(|found| found == line), "no {line} in\n{greeting}");
        }
    }

    #[test]
    fn the_end_has_counts_by_type() {
        let counts = |counts: &[(&str, u64)]| {
            counts.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
        };
        let all = Summary {
            requests: counts(&[("failed", 1), ("ok", 2)]),
            protected: counts(&[("email", 3), ("iban", 1)]),
            restored: 1,
        };
        let want = "textveil: 3 requests, 1 failed; 4 findings protected, 1 placeholder restored\n  email 3\n  iban 1\n";
        assert_eq!(farewell(&all), want);
        let want = "textveil: 0 requests; 0 findings protected, 0 placeholders restored\n";
        assert_eq!(farewell(&Summary::default()), want);
    }

    #[test]
    fn a_provider_is_let_out_by_its_origin() {
        for (url, want) in [
            ("https://api.openai.com", Some("https://api.openai.com")),
            ("https://openrouter.ai/api/v1", Some("https://openrouter.ai")),
            ("http://127.0.0.1:11434/v1", Some("http://127.0.0.1:11434")),
            ("api.openai.com", None),
            ("ftp://api.openai.com", None),
            ("https://key@api.openai.com", None),
            ("", None),
        ] {
            assert_eq!(origin(url).ok().as_deref(), want, "{url}");
        }
    }
}
