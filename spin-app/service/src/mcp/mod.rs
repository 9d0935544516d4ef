//! Answers the Model Context Protocol, without a transport and without state: one message in, one answer out.
//!
//! Since revision 2026-07-28 a request names its revision in `_meta` and there is no handshake. A request without
//! `_meta` is one of an older client, which begins with `initialize`. A call of a tool is handed out as a
//! [`CalledTool`]: the host runs it, and [`CalledTool::answer`] makes the message.

mod tools;

pub use tools::{Detectors, Tool, detection, protection, restored, validation};

use serde_json::{Map, Value, json};

use self::tools::{INSTRUCTIONS, list};

/// The revisions that are answered, the newest first.
pub const REVISIONS: [&str; 5] = [STATELESS, "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
/// The first revision without a handshake.
const STATELESS: &str = "2026-07-28";
/// The newest revision with a handshake.
const NEWEST_HANDSHAKE: &str = "2025-11-25";

/// The key of `_meta` with the revision of a request.
pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// The other key that a request without a handshake must have.
const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// Lifetime of a list of tools in milliseconds. The list changes with the program only.
const LIST_TTL_MS: u64 = 3_600_000;

/// The codes of errors, of JSON-RPC and of the protocol.
pub mod code {
    /// The message is not JSON.
    pub const PARSE: i64 = -32_700;
    /// The message is not one of JSON-RPC.
    pub const INVALID_REQUEST: i64 = -32_600;
    /// The method is unknown.
    pub const METHOD_NOT_FOUND: i64 = -32_601;
    /// The parameters are not those of the method.
    pub const INVALID_PARAMS: i64 = -32_602;
    /// The method failed.
    pub const INTERNAL: i64 = -32_603;
    /// The server rejects the message for a reason outside of it.
    pub const SERVER: i64 = -32_000;
    /// A header says something else than the message.
    pub const HEADER_MISMATCH: i64 = -32_020;
    /// The revision is not one of [`super::REVISIONS`].
    pub const UNSUPPORTED_REVISION: i64 = -32_022;
}

/// The reaction to a message.
#[derive(Debug)]
pub enum Received {
    /// It is a notification, or a response that nobody asked for.
    Nothing,
    /// The answer is known.
    Answer(Value),
    /// A tool is called.
    Call(CalledTool),
}

/// A call of a tool, and where its answer goes.
#[derive(Debug)]
pub struct CalledTool {
    /// The tool.
    pub tool: Tool,
    /// Its arguments; their names are those of the tool.
    pub arguments: Map<String, Value>,
    id: Value,
    is_stateless: bool,
}

impl CalledTool {
    /// Returns the message with the result of the tool, or with its failure, which must not contain the caller's text.
    pub fn answer(self, result: Result<Value, String>) -> Value {
        let (text, is_error, structured) = match result {
            Ok(structured) => (structured.to_string(), false, Some(structured)),
            Err(failure) => (failure, true, None),
        };
        let mut fields = json!({ "content": [{ "type": "text", "text": text }], "isError": is_error });
        if let Some(structured) = structured {
            insert(&mut fields, "structuredContent", structured);
        }
        success(&self.id, self.is_stateless, fields)
    }
}

/// Reads a message. `restores` offers the tool `restore`, too.
pub fn receive(message: &Value, restores: bool) -> Received {
    let Some(message) = message.as_object().filter(|fields| fields.get("jsonrpc") == Some(&json!("2.0")))
    else {
        let why = "the message must be an object of JSON-RPC 2.0; send one message at a time";
        return Received::Answer(failure(&Value::Null, code::INVALID_REQUEST, why));
    };
    let Some(method) = message.get("method").and_then(Value::as_str) else {
        return match message.contains_key("result") || message.contains_key("error") {
            true => Received::Nothing,
            false => invalid(message.get("id"), "`method` must be a string"),
        };
    };
    let Some(id) = message.get("id") else { return Received::Nothing };
    if !id.is_string() && !id.is_number() {
        return invalid(None, "`id` must be a string or a number");
    }
    let empty = Map::new();
    let params = match message.get("params") {
        None => &empty,
        Some(Value::Object(params)) => params,
        Some(_) => return Received::Answer(failure(id, code::INVALID_PARAMS, "`params` must be an object")),
    };
    match Request::read(id, method, params) {
        Ok(request) => request.answer(method, params, restores),
        Err(answer) => Received::Answer(answer),
    }
}

/// The answer to a message that is not JSON.
pub fn not_json() -> Value {
    failure(&Value::Null, code::PARSE, "the message is not JSON; send one JSON object")
}

/// Returns a message with an error.
pub fn failure(id: &Value, code: i64, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}

fn invalid(id: Option<&Value>, why: &str) -> Received {
    Received::Answer(failure(id.unwrap_or(&Value::Null), code::INVALID_REQUEST, why))
}

fn insert(object: &mut Value, name: &str, value: Value) {
    if let Some(fields) = object.as_object_mut() {
        fields.insert(name.to_owned(), value);
    }
}

/// Returns a message with a result, in the form of the caller's revision.
fn success(id: &Value, is_stateless: bool, mut result: Value) -> Value {
    if is_stateless {
        insert(&mut result, "resultType", json!("complete"));
        insert(&mut result, "_meta", json!({ SERVER_INFO: server_info() }));
    }
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

fn server_info() -> Value {
    json!({ "name": "textveil", "title": "Textveil", "version": env!("CARGO_PKG_VERSION") })
}

/// A request whose revision is known.
struct Request<'m> {
    id: &'m Value,
    /// Whether it is of a revision without a handshake.
    is_stateless: bool,
}

impl<'m> Request<'m> {
    /// Reads the revision.
    ///
    /// # Errors
    /// Returns the answer to a revision that is not supported, and to a request without what its revision requires.
    fn read(id: &'m Value, method: &str, params: &Map<String, Value>) -> Result<Self, Value> {
        let meta = params.get("_meta").and_then(Value::as_object);
        let field = |name| meta.and_then(|meta| meta.get(name));
        let revision = match field(PROTOCOL_VERSION) {
            None if method == "server/discover" => {
                let why = format!("`params._meta` must have {PROTOCOL_VERSION} and {CLIENT_CAPABILITIES}");
                return Err(failure(id, code::INVALID_PARAMS, &why));
            }
            None => return Ok(Self { id, is_stateless: false }),
            Some(revision) => revision,
        };
        if !REVISIONS.iter().any(|known| revision == known) {
            let mut answer = failure(
                id,
                code::UNSUPPORTED_REVISION,
                "the revision of the protocol is not supported; choose one of `data.supported`",
            );
            if let Some(error) = answer.get_mut("error") {
                // another text is the caller's, and does not come back
                let requested = revision.as_str().filter(|revision| is_date(revision));
                insert(
                    error,
                    "data",
                    json!({ "supported": REVISIONS, "requested": requested.unwrap_or_default() }),
                );
            }
            return Err(answer);
        }
        let is_stateless = revision == STATELESS;
        if (is_stateless || method == "server/discover")
            && !field(CLIENT_CAPABILITIES).is_some_and(Value::is_object)
        {
            let why = format!("`params._meta` must have an object {CLIENT_CAPABILITIES}");
            return Err(failure(id, code::INVALID_PARAMS, &why));
        }
        Ok(Self { id, is_stateless })
    }

    fn answer(&self, method: &str, params: &Map<String, Value>, restores: bool) -> Received {
        let Self { id, is_stateless } = *self;
        Received::Answer(match method {
            "server/discover" => success(id, true, discovery()),
            "initialize" => success(id, false, initialization(params)),
            "ping" if !is_stateless => success(id, false, json!({})),
            "tools/list" => {
                let mut result = json!({ "tools": list(restores) });
                if is_stateless {
                    insert(&mut result, "ttlMs", json!(LIST_TTL_MS));
                    insert(&mut result, "cacheScope", json!("private"));
                }
                success(id, is_stateless, result)
            }
            "tools/call" => match self.call(params, restores) {
                Ok(call) => return Received::Call(call),
                Err(why) => failure(id, code::INVALID_PARAMS, why),
            },
            _ => failure(id, code::METHOD_NOT_FOUND, "the method is not supported"),
        })
    }

    /// Reads a call.
    ///
    /// # Errors
    /// Says what is wrong with the parameters.
    fn call(&self, params: &Map<String, Value>, restores: bool) -> Result<CalledTool, &'static str> {
        let name = params.get("name").and_then(Value::as_str).ok_or("`name` must be the name of a tool")?;
        let tool = Tool::of_name(name).filter(|tool| restores || *tool != Tool::Restore);
        let tool = tool.ok_or("`name` must be a tool of tools/list")?;
        let arguments = match params.get("arguments") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(arguments)) => arguments.clone(),
            Some(_) => return Err("`arguments` must be an object"),
        };
        Ok(CalledTool { tool, arguments, id: self.id.clone(), is_stateless: self.is_stateless })
    }
}

/// Whether a text has the form of a revision, such as `2026-07-28`.
fn is_date(text: &str) -> bool {
    let is_digit = |at: usize, byte: u8| byte.is_ascii_digit() != matches!(at, 4 | 7);
    text.len() == 10
        && text
            .bytes()
            .enumerate()
            .all(|(at, byte)| is_digit(at, byte) && (byte.is_ascii_digit() || byte == b'-'))
}

fn discovery() -> Value {
    json!({
        "supportedVersions": REVISIONS,
        "capabilities": { "tools": {} },
        "instructions": INSTRUCTIONS,
        "ttlMs": LIST_TTL_MS,
        "cacheScope": "private",
    })
}

fn initialization(params: &Map<String, Value>) -> Value {
    let asked = params.get("protocolVersion").and_then(Value::as_str);
    let revision = REVISIONS.into_iter().find(|known| *known != STATELESS && asked == Some(*known));
    json!({
        "protocolVersion": revision.unwrap_or(NEWEST_HANDSHAKE),
        "capabilities": { "tools": {} },
        "serverInfo": server_info(),
        "instructions": INSTRUCTIONS,
    })
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;

    fn answer(method: &str, params: Value) -> Value {
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        match receive(&message, false) {
            Received::Answer(answer) => answer,
            other => panic!("{method}: {other:?}"),
        }
    }

    fn stateless(fields: Value) -> Value {
        let mut params = json!({ "_meta": { PROTOCOL_VERSION: STATELESS, CLIENT_CAPABILITIES: {} } });
        for (name, value) in fields.as_object().unwrap() {
            insert(&mut params, name, value.clone());
        }
        params
    }

    #[test]
    fn an_older_client_gets_its_revision_or_the_newest() {
        for (asked, want) in [
            (json!("2025-06-18"), "2025-06-18"),
            (json!("2024-11-05"), "2024-11-05"),
            (json!("2026-07-28"), "2025-11-25"),
            (json!("1999-01-01"), "2025-11-25"),
            (json!(7), "2025-11-25"),
        ] {
            let result = answer("initialize", json!({ "protocolVersion": asked }))["result"].clone();
            assert_eq!(result["protocolVersion"], want, "{asked}");
            assert!(result.get("resultType").is_none());
        }
        assert_eq!(answer("ping", json!({}))["result"], json!({}));
    }

    #[test]
    fn without_a_handshake_each_request_has_its_revision() {
        let discovery = answer("server/discover", stateless(json!({})))["result"].clone();
        assert_eq!(discovery["resultType"], "complete");
        assert_eq!(discovery["supportedVersions"][0], STATELESS);
        assert_eq!(discovery["_meta"][SERVER_INFO]["name"], "textveil");
        let list = answer("tools/list", stateless(json!({})))["result"].clone();
        assert_eq!((&list["resultType"], &list["cacheScope"]), (&json!("complete"), &json!("private")));
        assert!(answer("tools/list", json!({}))["result"].get("resultType").is_none());
        assert_eq!(answer("ping", stateless(json!({})))["error"]["code"], code::METHOD_NOT_FOUND);

        let unknown = json!({ "_meta": { PROTOCOL_VERSION: "2030-01-01", CLIENT_CAPABILITIES: {} } });
        let error = answer("tools/list", unknown)["error"].clone();
        assert_eq!((&error["code"], &error["data"]["requested"]), (&json!(-32_022), &json!("2030-01-01")));
        for hidden in ["44051401359", "4405-14-13", "20300-1-01", "2030-01-0é"] {
            let params = json!({ "_meta": { PROTOCOL_VERSION: hidden, CLIENT_CAPABILITIES: {} } });
            let error = answer("tools/list", params)["error"].clone();
            assert_eq!(error["data"]["requested"], if hidden == "4405-14-13" { hidden } else { "" });
        }
        for params in [json!({}), json!({ "_meta": { PROTOCOL_VERSION: STATELESS } })] {
            let error = answer("server/discover", params)["error"].clone();
            assert_eq!(error["code"], code::INVALID_PARAMS);
        }
    }

    #[test]
    fn a_message_at_fault_is_answered_without_its_text() {
        let secret = "44051401359";
        for (message, want) in [
            (json!(secret), code::INVALID_REQUEST),
            (json!([]), code::INVALID_REQUEST),
            (json!({ "jsonrpc": "1.0", "id": 1, "method": secret }), code::INVALID_REQUEST),
            (json!({ "jsonrpc": "2.0", "id": {}, "method": secret }), code::INVALID_REQUEST),
            (json!({ "jsonrpc": "2.0", "id": 1, "method": 7 }), code::INVALID_REQUEST),
            (json!({ "jsonrpc": "2.0", "id": 1, "method": secret }), code::METHOD_NOT_FOUND),
            (
                json!({ "jsonrpc": "2.0", "id": 1, "method": "ping", "params": [secret] }),
                code::INVALID_PARAMS,
            ),
            (
                json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": secret } }),
                code::INVALID_PARAMS,
            ),
            (
                json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "restore" } }),
                code::INVALID_PARAMS,
            ),
        ] {
            let Received::Answer(answer) = receive(&message, false) else { panic!("{message}") };
            assert_eq!(answer["error"]["code"], want, "{message}");
            assert!(!answer.to_string().contains(secret), "{answer}");
        }
        for quiet in [
            json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
            json!({ "jsonrpc": "2.0", "id": 3, "result": {} }),
        ] {
            assert!(matches!(receive(&quiet, false), Received::Nothing));
        }
    }

    #[test]
    fn tools_are_listed_and_called_by_their_names() {
        for restores in [false, true] {
            for tool in list(restores) {
                assert_eq!(
                    tool["annotations"],
                    json!({ "readOnlyHint": true, "openWorldHint": false }),
                    "{tool}"
                );
                let params = json!({ "name": tool["name"], "arguments": { "text": "x" } });
                let message =
                    json!({ "jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": params });
                let Received::Call(call) = receive(&message, restores) else { panic!("{tool}") };
                assert_eq!(call.tool.name(), tool["name"]);
                let answer = call.answer(Ok(json!({ "a": 1 })));
                assert_eq!(answer["result"]["structuredContent"], json!({ "a": 1 }));
                assert_eq!(answer["result"]["content"][0]["text"], "{\"a\":1}");
            }
            assert_eq!(list(restores).len(), if restores { 5 } else { 4 });
        }
    }
}
