//! [`Config`]: the variables of the middleware.
//!
//! | variable | value | default |
//! | --- | --- | --- |
//! | `textveil_options` | the options of `POST /api/v1/protect` as a JSON object, without a text, such as `{ "mode": "replace" }` | required |
//! | `textveil_secrets` | `version:hex` entries, newest first, as `token_secrets` of the service | needed for hashes and tokens |
//! | `textveil_workspace` | the workspace whose tokens these are | `default` |
//! | `textveil_responses` | `pass`, `restore` (tokens become values again) or `protect` | `pass` |
//! | `textveil_restore_hosts` | hosts whose URLs may contain restored values, separated by commas or spaces | none |
//! | `textveil_unsupported` | `reject` or `pass`: bodies that cannot be inspected | `reject` |
//! | `textveil_max_body` | bytes of JSON or a form, or of a line of NDJSON; at most 33,554,432 | `8388608` |

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use textveil_engine::{DetectOptions, Finder, Keyring, Mode, ProtectOptions, wire};
use textveil_restore::Hosts;
use textveil_service::secrets;

use crate::refusal::Refusal;

const OPTIONS: &str = "textveil_options";
const SECRETS: &str = "textveil_secrets";
const WORKSPACE: &str = "textveil_workspace";
const RESPONSES: &str = "textveil_responses";
const RESTORE_HOSTS: &str = "textveil_restore_hosts";
const UNSUPPORTED: &str = "textveil_unsupported";
const MAX_BODY: &str = "textveil_max_body";
const VARIABLES: [&str; 7] = [OPTIONS, SECRETS, WORKSPACE, RESPONSES, UNSUPPORTED, MAX_BODY, RESTORE_HOSTS];

/// The default limit of a body that is read whole, in bytes.
const DEFAULT_MAX_BODY: usize = 8 << 20;
/// The highest value of the variable, in bytes: edge hosts have some 128 MiB of memory.
const LARGEST_MAX_BODY: usize = 32 << 20;

/// The handling of the bodies of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Responses {
    Pass,
    Restore,
    Protect,
}

/// A variable may be set, and cannot be read.
pub(crate) struct Unreadable;

/// The configuration of the middleware.
pub(crate) struct Config {
    pub(crate) protection: ProtectOptions,
    pub(crate) finder: Finder,
    pub(crate) keys: Option<Keyring>,
    pub(crate) responses: Responses,
    pub(crate) restore_hosts: Hosts,
    pub(crate) passes_unsupported: bool,
    pub(crate) max_body: usize,
}

/// Values of the variables, in the order of [`VARIABLES`]; empty if a variable is not set.
type Values = [String; VARIABLES.len()];

/// The configuration of the last request, which is used while the variables stay as they are: options are compiled.
static LAST: Mutex<Option<(Values, Arc<Config>)>> = Mutex::new(None);

impl Config {
    /// Reads the variables by `value`, which returns `None` for one that is not set.
    ///
    /// One of them is required. Spin gives a middleware no variable that it does not inherit, so without this check a
    /// forgotten line of the manifest would leave answers unprotected.
    ///
    /// # Errors
    /// `Misconfigured`, naming the variable and never its value: nothing passes with an invalid
    /// configuration, or while a variable cannot be read.
    pub(crate) async fn read(
        value: impl AsyncFn(&str) -> Result<Option<String>, Unreadable>,
    ) -> Result<Arc<Self>, Refusal> {
        let mut values = Values::default();
        for (name, place) in VARIABLES.iter().zip(&mut values) {
            let read = value(name).await.map_err(|Unreadable| faulty(name, "readable"))?;
            if *name == OPTIONS && read.is_none() {
                return Err(no_options());
            }
            *place = read.map(|value| value.trim().to_owned()).unwrap_or_default();
        }
        let last = LAST.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((_, config)) = last.filter(|(known, _)| *known == values) {
            return Ok(config);
        }
        let config = Arc::new(Self::of(&values)?);
        *LAST.lock().unwrap_or_else(PoisonError::into_inner) = Some((values, Arc::clone(&config)));
        Ok(config)
    }

    fn of(
        [options, secrets, workspace, responses, unsupported, max_body, hosts]: &Values,
    ) -> Result<Self, Refusal> {
        let options: Value = match options.as_str() {
            "" => Value::Object(serde_json::Map::new()),
            options => serde_json::from_str(options).map_err(|_| faulty(OPTIONS, "a JSON object"))?,
        };
        let (detection, protection): (DetectOptions, ProtectOptions) = wire::decode(&options)?;
        let workspace = if workspace.is_empty() { "default" } else { workspace };
        let keys =
            match secrets.as_str() {
                "" => None,
                secrets => Some(secrets::keyring_of(secrets, workspace).ok_or_else(|| {
                    faulty(SECRETS, "version:hex entries of at least 16 bytes, newest first")
                })?),
            };
        let responses = match responses.as_str() {
            "" | "pass" => Responses::Pass,
            "restore" => Responses::Restore,
            "protect" => Responses::Protect,
            _ => return Err(faulty(RESPONSES, "pass, restore or protect")),
        };
        let needs_keys =
            responses == Responses::Restore || matches!(protection.mode, Mode::Hash | Mode::Tokenize);
        if needs_keys && keys.is_none() {
            return Err(faulty(SECRETS, "set, for hashes, tokens and restoring"));
        }
        let passes_unsupported = match unsupported.as_str() {
            "" | "reject" => false,
            "pass" => true,
            _ => return Err(faulty(UNSUPPORTED, "reject or pass")),
        };
        let max_body = match max_body.as_str() {
            "" => DEFAULT_MAX_BODY,
            bytes => bytes
                .parse()
                .ok()
                .filter(|bytes| (1..=LARGEST_MAX_BODY).contains(bytes))
                .ok_or_else(|| faulty(MAX_BODY, "a number of bytes from 1 to 33554432"))?,
        };
        let hosts = hosts.split([',', ' ']).filter(|host| !host.is_empty());
        if hosts.clone().any(|host| textveil_restore::pattern(host).is_none()) {
            return Err(faulty(RESTORE_HOSTS, "names of hosts such as crm.example.com or *.example.org"));
        }
        let restore_hosts = Hosts::new(hosts);
        let finder = Finder::new(&detection)?;
        Ok(Self { protection, finder, keys, responses, restore_hosts, passes_unsupported, max_body })
    }
}

fn no_options() -> Refusal {
    Refusal::Misconfigured(format!(
        "the variable {OPTIONS} is absent; set it on the component behind the middleware, and give the middleware \
         inherit_configuration = [\"variables\"]"
    ))
}

fn faulty(name: &str, must_be: &str) -> Refusal {
    Refusal::Misconfigured(format!("the variable {name} must be {must_be}"))
}
