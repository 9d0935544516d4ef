//! Routes messages between a client and another server, protected.
//!
//! Requests and notifications of known methods pass, the others do not, unless the operator lets them. A response passes if
//! it answers a request in flight: its method tells what of it is protected.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, PoisonError},
};

use anyhow::Result;
use serde_json::{Map, Value, json};
use textveil_service::mcp::{code, failure};

use super::{
    super::json_value::JsonProtector,
    lines::{InputLine, LONGEST},
    note,
    results::{Asked, Results},
};

/// The requests of a client that pass.
const CLIENT_REQUESTS: [&str; 15] = [
    "completion/complete",
    "initialize",
    "logging/setLevel",
    "ping",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/subscribe",
    "resources/templates/list",
    "resources/unsubscribe",
    "server/discover",
    "subscriptions/listen",
    "tools/call",
    "tools/list",
];
/// The notifications of a client that pass.
const CLIENT_NOTIFICATIONS: [&str; 4] = [
    "notifications/cancelled",
    "notifications/initialized",
    "notifications/progress",
    "notifications/roots/list_changed",
];
/// The requests of a server that pass, protected.
const SERVER_REQUESTS: [&str; 4] = ["elicitation/create", "ping", "roots/list", "sampling/createMessage"];
/// The notifications of a server that pass, protected.
const SERVER_NOTIFICATIONS: [&str; 8] = [
    "notifications/cancelled",
    "notifications/elicitation/complete",
    "notifications/message",
    "notifications/progress",
    "notifications/prompts/list_changed",
    "notifications/resources/list_changed",
    "notifications/resources/updated",
    "notifications/tools/list_changed",
];
const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";

/// Most requests in flight of either side. Clients have a few; a side that answers none must not fill the memory.
const MAX_IN_FLIGHT: usize = 256;

/// Whether results of this method are protected.
pub fn is_known(method: &str) -> bool {
    CLIENT_REQUESTS.contains(&method)
}

/// Returns the `id` of a request as it is written; `None` for a notification and a response.
pub fn request_key(message: &Value) -> Option<String> {
    message.get("id").filter(|_| message.get("method").is_some()).map(Value::to_string)
}

/// The receiver of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum To {
    /// The client.
    Client,
    /// The other server.
    Server,
}

/// Messages with their receivers.
pub type Routed = Vec<(To, Value)>;

/// Protects what another server sends.
pub struct Wrapper {
    results: Results,
    restore_for: BTreeSet<String>,
    in_flight: Mutex<OpenRequests>,
}

/// Requests that are not answered yet, by their `id` as it is written.
#[derive(Default)]
struct OpenRequests {
    of_client: BTreeMap<String, (Value, Asked)>,
    of_server: BTreeSet<String>,
}

/// The fields of a message.
struct MessageFields<'m> {
    fields: &'m Map<String, Value>,
    /// The `id` as it is written; empty if it is absent.
    key: String,
}

impl<'m> MessageFields<'m> {
    /// Reads a message of JSON-RPC.
    fn read(message: &'m Value) -> Option<Self> {
        let fields = message.as_object()?;
        let key = match fields.get("id") {
            None => String::new(),
            Some(id @ (Value::String(_) | Value::Number(_))) => id.to_string(),
            Some(_) => return None,
        };
        Some(Self { fields, key })
    }

    fn id(&self) -> &'m Value {
        self.fields.get("id").unwrap_or(&Value::Null)
    }

    fn method(&self) -> Option<&'m str> {
        self.fields.get("method").and_then(Value::as_str)
    }

    /// Writes the message anew, with known fields only.
    fn with<'n>(&self, fields: impl IntoIterator<Item = (&'n str, Option<Value>)>) -> Value {
        let mut message = json!({ "jsonrpc": "2.0" });
        let id = self.fields.get("id").cloned();
        let fields = [("id", id)].into_iter().chain(fields);
        if let Some(object) = message.as_object_mut() {
            object.extend(fields.filter_map(|(name, value)| Some((name.to_owned(), value?))));
        }
        message
    }

    /// Writes a request or a notification anew.
    fn call(&self, method: &str, params: Option<Value>) -> Value {
        self.with([("method", Some(json!(method))), ("params", params)])
    }

    /// Writes a response anew.
    fn response(&self, name: &str, value: Value) -> Value {
        self.with([(name, Some(value))])
    }
}

impl Wrapper {
    /// Restores tokens for these tools. `passes_binary` and `passes_unknown` let unprotected content through.
    pub fn new(
        json: JsonProtector,
        restore_for: &[String],
        passes_binary: bool,
        passes_unknown: bool,
    ) -> Self {
        let results = Results { json, passes_binary, passes_unknown };
        let restore_for = restore_for.iter().cloned().collect();
        Self { results, restore_for, in_flight: Mutex::default() }
    }

    /// Routes a line of the client.
    pub fn route_client(&self, line: InputLine) -> Routed {
        let message = match line {
            InputLine::Message(Value::Array(batch)) => {
                return batch
                    .into_iter()
                    .flat_map(|one| self.route_client(InputLine::Message(one)))
                    .collect();
            }
            InputLine::Message(message) => message,
            InputLine::Unreadable(id) => {
                let why = "the message is not JSON; send one JSON object";
                return vec![(To::Client, failure(&id.unwrap_or_default(), code::PARSE, why))];
            }
            InputLine::TooLong => {
                let why = format!("the message is longer than {} MiB", LONGEST >> 20);
                return vec![(To::Client, failure(&Value::Null, code::INVALID_REQUEST, &why))];
            }
        };
        let Some(message) = MessageFields::read(&message) else {
            let why = "the message must be an object of JSON-RPC 2.0 whose `id` is a string or a number";
            return vec![(To::Client, failure(&Value::Null, code::INVALID_REQUEST, why))];
        };
        match message.method() {
            Some(method) if message.key.is_empty() => self.client_notification(&message, method),
            Some(method) => match self.client_request(&message, method) {
                Ok(request) => vec![(To::Server, request)],
                Err((code, why)) => vec![(To::Client, failure(message.id(), code, &why))],
            },
            None => self.client_response(&message),
        }
    }

    fn client_request(&self, message: &MessageFields<'_>, method: &str) -> Result<Value, (i64, String)> {
        if !is_known(method) && !self.results.passes_unknown {
            let why = "this method is not protected, so it does not pass; the operator may pass it with --pass-unknown";
            return Err((code::METHOD_NOT_FOUND, why.to_owned()));
        }
        let mut params = message.fields.get("params").cloned();
        let text = |name: &str| params.as_ref()?.get(name)?.as_str().map(str::to_owned);
        let tool = text("name").filter(|_| method == "tools/call");
        let asked =
            Asked { method: method.to_owned(), uri: text("uri").filter(|_| method == "resources/read") };
        if tool.is_some_and(|tool| self.restore_for.contains(&tool))
            && let Some(arguments) = params.as_mut().and_then(|params| params.get_mut("arguments"))
        {
            *arguments = self.results.json.restored(arguments).map_err(|_| {
                (
                    code::INVALID_PARAMS,
                    "`arguments` cannot be read, so tokens in it cannot be restored".to_owned(),
                )
            })?;
        }
        let mut in_flight = self.in_flight();
        if in_flight.of_client.contains_key(&message.key) {
            let why = "a request with this `id` is in flight; use another one".to_owned();
            return Err((code::INVALID_REQUEST, why));
        }
        if in_flight.of_client.len() >= MAX_IN_FLIGHT {
            return Err((
                code::SERVER,
                format!("{MAX_IN_FLIGHT} requests are in flight; wait for an answer"),
            ));
        }
        in_flight.of_client.insert(message.key.clone(), (message.id().clone(), asked));
        Ok(message.call(method, params))
    }

    fn client_notification(&self, message: &MessageFields<'_>, method: &str) -> Routed {
        if !CLIENT_NOTIFICATIONS.contains(&method) && !self.results.passes_unknown {
            note(
                "a notification of the client is of an unknown kind and was dropped; --pass-unknown passes it",
            );
            return Vec::new();
        }
        let params = message.fields.get("params");
        if method == "notifications/cancelled"
            && let Some(id) = params.and_then(|params| params.get("requestId"))
        {
            self.in_flight().of_client.remove(&id.to_string());
        }
        vec![(To::Server, message.call(method, params.cloned()))]
    }

    /// Routes the answer of the client to a request of the server.
    fn client_response(&self, message: &MessageFields<'_>) -> Routed {
        let answer = ["result", "error"].into_iter().find_map(|name| Some((name, message.fields.get(name)?)));
        match answer {
            Some((name, value)) if self.in_flight().of_server.remove(&message.key) => {
                vec![(To::Server, message.response(name, value.clone()))]
            }
            _ => {
                note("a message of the client answers no request and was dropped");
                Vec::new()
            }
        }
    }

    /// Routes a line of the server.
    pub fn route_server(&self, line: InputLine) -> Routed {
        let message = match line {
            InputLine::Message(Value::Array(batch)) => {
                return batch
                    .into_iter()
                    .flat_map(|one| self.route_server(InputLine::Message(one)))
                    .collect();
            }
            InputLine::Message(message) => message,
            InputLine::Unreadable(Some(id)) => return self.unreadable(&id),
            InputLine::Unreadable(None) => {
                note("a line of the server is not a message and was dropped");
                return Vec::new();
            }
            // its `id` is in what was skipped
            InputLine::TooLong => {
                return self.fail_all("a message of the server is too long to be protected");
            }
        };
        let Some(message) = MessageFields::read(&message) else {
            note("a line of the server is not a message and was dropped");
            return Vec::new();
        };
        match message.method() {
            Some(method) if message.key.is_empty() => self.server_notification(&message, method),
            Some(method) => self.server_request(&message, method),
            None => self.server_response(&message),
        }
    }

    fn server_response(&self, message: &MessageFields<'_>) -> Routed {
        let Some((_, asked)) = self.in_flight().of_client.remove(&message.key) else {
            note("a message of the server answers no request in flight and was dropped");
            return Vec::new();
        };
        let protected = match (message.fields.get("result"), message.fields.get("error")) {
            (Some(result), None) => self.results.result(&asked, result).map(|result| ("result", result)),
            (None, Some(error)) => self.results.error(error).map(|error| ("error", error)),
            _ => Err(anyhow::anyhow!("it has no result")),
        };
        vec![(
            To::Client,
            match protected {
                Ok((name, value)) => message.response(name, value),
                Err(why) => failure(message.id(), code::INTERNAL, &unprotected(&why)),
            },
        )]
    }

    fn server_request(&self, message: &MessageFields<'_>, method: &str) -> Routed {
        let refused = |code, why: &str| vec![(To::Server, failure(message.id(), code, why))];
        let is_known = SERVER_REQUESTS.contains(&method);
        if !is_known && !self.results.passes_unknown {
            return refused(
                code::METHOD_NOT_FOUND,
                "the client is behind protection, which does not pass this method",
            );
        }
        let params = message.fields.get("params").filter(|params| !params.is_null());
        let params = match params {
            Some(params) if is_known => self.results.request(params).map(Some),
            params => Ok(params.cloned()),
        };
        let Ok(params) = params else {
            return refused(code::INVALID_PARAMS, "the parameters cannot be protected, so they do not pass");
        };
        let mut in_flight = self.in_flight();
        if in_flight.of_server.len() >= MAX_IN_FLIGHT {
            return refused(code::SERVER, "too many requests are in flight; wait for an answer");
        }
        if !in_flight.of_server.insert(message.key.clone()) {
            return refused(code::INVALID_REQUEST, "a request with this `id` is in flight; use another one");
        }
        drop(in_flight);
        vec![(To::Client, message.call(method, params))]
    }

    fn server_notification(&self, message: &MessageFields<'_>, method: &str) -> Routed {
        let is_known = SERVER_NOTIFICATIONS.contains(&method) || method == ACKNOWLEDGED;
        if !is_known && !self.results.passes_unknown {
            note(
                "a notification of the server is of an unknown kind and was dropped; --pass-unknown passes it",
            );
            return Vec::new();
        }
        let params = match message.fields.get("params") {
            Some(params) if is_known => self.results.notification(params).map(Some),
            params => Ok(params.cloned()),
        };
        match params {
            Ok(params) => vec![(To::Client, message.call(method, params))],
            Err(_) => {
                note("a notification of the server cannot be protected and was dropped");
                Vec::new()
            }
        }
    }

    /// Answers a request whose answer cannot be read.
    fn unreadable(&self, id: &Value) -> Routed {
        let why = "the answer of the server cannot be read, so it cannot be protected";
        let failed = self.fail(&id.to_string(), why);
        if failed.is_empty() {
            note("a line of the server is not a message and was dropped");
        }
        failed
    }

    /// Answers a request of the client with an error; with nothing if it is not in flight.
    pub fn fail(&self, key: &str, why: &str) -> Routed {
        let asked = self.in_flight().of_client.remove(key);
        asked.map(|(id, _)| (To::Client, failure(&id, code::INTERNAL, why))).into_iter().collect()
    }

    /// Answers all requests in flight with an error.
    pub fn fail_all(&self, why: &str) -> Routed {
        let all = std::mem::take(&mut self.in_flight().of_client);
        all.into_values().map(|(id, _)| (To::Client, failure(&id, code::INTERNAL, why))).collect()
    }

    fn in_flight(&self) -> std::sync::MutexGuard<'_, OpenRequests> {
        self.in_flight.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Says why an answer does not pass. The errors of the engine and of the readers of documents quote nothing.
fn unprotected(why: &anyhow::Error) -> String {
    format!("the answer of the server cannot be protected: {why:#}")
}
