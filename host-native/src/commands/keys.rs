//! `textveil keys`: the API keys in the state of the service on this machine.

use std::io::{self, Write};

use anyhow::{Result, anyhow};
use clap::{Args, Subcommand};
use textveil_service::{
    System as _,
    api_keys::{self, NewKey},
    credentials::{ApiKeyRecord, KeyLimits, Plan},
    parse_timestamp,
    scope::Scopes,
    timestamp,
};

use super::{
    Outcome,
    state::{StateFlags, why},
};

/// Create, list and revoke the API keys of the service
///
/// Works on the state of a service, whether it runs or not. Changes are recorded in the audit.
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,

    #[command(flatten)]
    state: StateFlags,
}

#[derive(Subcommand)]
enum Command {
    /// Create a key and print it; it is not shown again
    Create(NewKeyFlags),
    /// List the keys of the workspace
    List {
        /// One JSON object a line
        #[arg(long)]
        json: bool,
    },
    /// Revoke a key: it is rejected from now on
    Revoke {
        /// The key's id, as `textveil keys list` prints it
        id: String,
    },
}

#[derive(Args)]
struct NewKeyFlags {
    /// The plan of the key: free, pro or enterprise
    #[arg(long, default_value = "pro", value_parser = plan)]
    plan: Plan,
    /// The purpose of the key
    #[arg(long, default_value = "")]
    name: String,
    /// Requests per minute, instead of the service's limit
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    requests_per_minute: Option<u32>,
    /// Requests in flight, instead of the service's limit
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    concurrent_requests: Option<u32>,
    /// Requests per month, instead of the plan's quota
    #[arg(long, value_name = "NUMBER")]
    requests_per_month: Option<u64>,
    /// Scopes of the key, separated by `+`: detect, protect, restore, settings.read, settings.write,
    /// settings.allow [default: all but the last two]
    #[arg(long, value_name = "SCOPES", value_parser = scopes)]
    scopes: Option<Scopes>,
    /// The time from which the key is rejected, such as 2027-01-01T00:00:00Z
    #[arg(long, value_name = "TIMESTAMP", value_parser = moment)]
    expires_at: Option<u64>,
}

fn plan(name: &str) -> Result<Plan> {
    Plan::parse(name).ok_or_else(|| anyhow!("write free, pro or enterprise"))
}

fn scopes(names: &str) -> Result<Scopes> {
    let scopes = Scopes::parse(names).filter(|scopes| scopes.is_within(Scopes::GRANTABLE_TO_KEY));
    scopes.ok_or_else(|| {
        anyhow!(
            "write detect, protect, restore, settings.read, settings.write or settings.allow, joined by +"
        )
    })
}

fn moment(text: &str) -> Result<u64> {
    parse_timestamp(text).ok_or_else(|| anyhow!("write an ISO 8601 timestamp with offset"))
}

/// Runs the command.
///
/// # Errors
/// If the state cannot be read or changed, or the key does not exist.
pub fn run(arguments: &Arguments) -> Result<Outcome> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(change(arguments))?;
    Ok(Outcome::Done)
}

async fn change(arguments: &Arguments) -> Result<()> {
    let workspace = arguments.state.workspace()?;
    let (state, operator) = (arguments.state.open()?, arguments.state.operator()?);
    // the audit record needs a request id, so a command generates one
    let request_id = format!("cli-{:032x}", state.random());
    let mut out = io::stdout().lock();
    match &arguments.command {
        Command::Create(flags) => {
            let (key, record) =
                api_keys::create(&state, &operator, &request_id, flags.new_key()).await.map_err(why)?;
            writeln!(out, "{key}")?;
            eprintln!("created the key {}; keep it: it is not shown again", record.id);
        }
        Command::List { json } => {
            for record in api_keys::list(&state, workspace).await.map_err(why)? {
                if *json {
                    writeln!(out, "{}", as_json(&record))?;
                } else {
                    writeln!(out, "{}", line(&record, state.now_ms() / 1_000))?;
                }
            }
        }
        Command::Revoke { id } => {
            let record = api_keys::revoke(&state, &operator, &request_id, id).await.map_err(why)?;
            eprintln!("revoked the key {} ({}…)", record.id, record.key_prefix);
        }
    }
    Ok(())
}

impl NewKeyFlags {
    fn new_key(&self) -> NewKey {
        NewKey {
            plan: self.plan,
            name: self.name.clone(),
            limits: KeyLimits {
                requests_per_minute: self.requests_per_minute,
                concurrent_requests: self.concurrent_requests,
                requests_per_month: self.requests_per_month,
            },
            scopes: self.scopes,
            expires_at: self.expires_at,
        }
    }
}

fn line(record: &ApiKeyRecord, now: u64) -> String {
    let state = match (record.revoked_at, record.is_active(now)) {
        (Some(_), _) => "revoked",
        (None, false) => "expired",
        (None, true) => "active",
    };
    let (id, prefix, plan) = (&record.id, &record.key_prefix, record.plan.as_str());
    format!("{id}  {prefix}…  {plan:<10}  {state:<7}  {}  {}", timestamp(record.created_at), record.name)
}

fn as_json(record: &ApiKeyRecord) -> serde_json::Value {
    serde_json::json!({
        "id": record.id,
        "name": record.name,
        "key_prefix": record.key_prefix,
        "workspace_id": record.workspace,
        "plan": record.plan,
        "limits": record.limits,
        "scopes": record.scopes(),
        "created_at": timestamp(record.created_at),
        "expires_at": record.expires_at.map(timestamp),
        "revoked_at": record.revoked_at.map(timestamp),
    })
}
