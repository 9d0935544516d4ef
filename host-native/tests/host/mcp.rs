//! `textveil mcp`: its own tools, and another server behind it. The other server is a script: its n-th answer is a file.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::{Arc, Mutex, mpsc},
    thread,
    time::Duration,
};

use serde_json::{Value, json};
use tempfile::TempDir;

const PESEL: &str = "44051401359";
const EMAIL: &str = "jan.novak@example.cz";
const STATELESS: &str = "2026-07-28";
/// The longest wait for another thread, so that a fault fails a test and does not hang it.
const LIMIT: Duration = Duration::from_secs(120);

/// Appends each message to `seen`, and answers the n-th with the file `n`.
const SERVER: &str =
    r#"i=0; while IFS= read -r line; do i=$((i+1)); printf '%s\n' "$line" >> "$1/seen"; cat "$1/$i"; done"#;

/// The program, with a client.
struct Conversation {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Conversation {
    fn start(arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_textveil"));
        command.arg("mcp").args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        for variable in ["TEXTVEIL_COMPONENT", "TEXTVEIL_KEY_FILE"] {
            command.env_remove(variable);
        }
        let mut child = command.env("TOKEN", "Bearer secret").spawn().unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, input, output }
    }

    /// A server of these answers behind the program.
    fn wrap(flags: &[&str], folder: &Path, answers: &[&str]) -> Self {
        for (index, answer) in answers.iter().enumerate() {
            fs::write(folder.join((index + 1).to_string()), format!("{answer}\n")).unwrap();
        }
        let folder = folder.to_str().unwrap();
        Self::start(&[flags, &["--wrap", "--", "sh", "-c", SERVER, "sh", folder]].concat())
    }

    fn send(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        assert!(self.output.read_line(&mut line).unwrap() > 0, "the program has ended");
        serde_json::from_str(&line).unwrap()
    }

    fn ask(&mut self, message: &Value) -> Value {
        self.send(&message.to_string());
        self.receive()
    }

    /// Calls a tool of the program and returns its result.
    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask(&request(1, "tools/call", json!({ "name": tool, "arguments": arguments })))["result"].clone()
    }

    /// Ends the input, and returns the status, the rest of the output, and the errors.
    fn end(mut self) -> (i32, Vec<Value>, String) {
        drop(self.input.take());
        let rest = self.output.by_ref().lines().map(|line| serde_json::from_str(&line.unwrap()).unwrap());
        let rest = rest.collect();
        let mut errors = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        (self.child.wait().unwrap().code().unwrap(), rest, errors)
    }
}

fn request(id: u64, method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

fn response(id: u64, result: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

fn text(text: impl Into<String>) -> Value {
    json!({ "type": "text", "text": text.into() })
}

/// Sends one request through a wrapped server that answers it so, and returns what the client gets.
fn wrapped(flags: &[&str], method: &str, params: Value, answer: Value) -> Value {
    let folder = TempDir::new().unwrap();
    let mut message = json!({ "jsonrpc": "2.0", "id": 1 });
    message.as_object_mut().unwrap().extend(answer.as_object().unwrap().clone());
    let mut client = Conversation::wrap(flags, folder.path(), &[&message.to_string()]);
    let mut got = client.ask(&request(1, method, params));
    let (status, rest, errors) = client.end();
    assert_eq!((status, rest), (0, vec![]), "{errors}");
    assert!(!errors.contains(PESEL) && !errors.contains(EMAIL), "{errors}");
    let fields = got.as_object_mut().unwrap();
    assert_eq!((fields.remove("jsonrpc"), fields.remove("id")), (Some(json!("2.0")), Some(json!(1))));
    got
}

#[test]
fn a_client_of_each_revision_finds_and_protects() {
    let mut client = Conversation::start(&[]);
    let answer = client.ask(&request(1, "initialize", json!({ "protocolVersion": "2025-06-18" })));
    assert_eq!(answer["result"]["protocolVersion"], "2025-06-18");
    client.send(r#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#);
    let tools = client.ask(&request(2, "tools/list", json!({})))["result"]["tools"].clone();
    let names: Vec<_> = tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["detect", "protect", "validate", "list_detectors"]);

    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": STATELESS, "io.modelcontextprotocol/clientCapabilities": {},
    });
    let arguments = json!({ "text": format!("é PESEL {PESEL}") });
    let call = json!({ "name": "detect", "arguments": arguments, "_meta": meta });
    let result = client.ask(&request(3, "tools/call", call))["result"].clone();
    assert_eq!(result["resultType"], "complete");
    assert!(!result.to_string().contains(PESEL), "{result}");
    let finding = &result["structuredContent"]["findings"][0];
    assert_eq!(
        (&finding["type"], &finding["start"], &finding["end"], &finding["country"], &finding["valid"]),
        (&json!("pesel"), &json!(8), &json!(19), &json!("PL"), &json!(true))
    );
    let text = result["content"][0]["text"].as_str().unwrap();
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), result["structuredContent"]);
    let with_values = client.call("detect", json!({ "text": format!("PESEL {PESEL}"), "values": true }));
    assert_eq!(with_values["structuredContent"]["findings"][0]["value"], PESEL);

    let protected = client.call("protect", json!({ "text": format!("to {EMAIL}") }));
    let want = json!({ "text": "to [REDACTED]", "counts": { "email": 1 } });
    assert_eq!(protected["structuredContent"], want);
    let masked = client.call("protect", json!({ "text": format!("PESEL {PESEL}"), "mode": "mask" }));
    assert_eq!(masked["structuredContent"]["text"], "PESEL ***********");
    let valid = client.call("validate", json!({ "type": "pesel", "value": PESEL }));
    assert_eq!(valid["structuredContent"]["facts"]["birth_date"], "1944-05-14");
    let invalid = client.call("validate", json!({ "type": "pesel", "value": "44051401358" }));
    let verdict = &invalid["structuredContent"];
    assert_eq!((&verdict["valid"], &verdict["reason"]), (&json!(false), &json!("checksum")));

    let (mut all, mut arguments) = (0, json!({}));
    loop {
        let page = client.call("list_detectors", arguments)["structuredContent"].clone();
        all += page["detectors"].as_array().unwrap().len();
        let Some(cursor) = page.get("next_cursor") else { break };
        arguments = json!({ "cursor": cursor });
    }
    assert!(all > 500, "{all}");
    let polish = client.call("list_detectors", json!({ "country": "PL", "category": "identity" }));
    assert!(polish["structuredContent"]["detectors"].to_string().contains("\"pesel\""), "{polish}");
    assert_eq!(client.end().0, 0);
}

#[test]
fn faults_of_a_client_are_answered_without_its_text() {
    let mut client = Conversation::start(&[]);
    for (tool, arguments) in [
        ("detect", json!({ "text": "" })),
        ("detect", json!({ "text": [PESEL] })),
        ("detect", json!({ "text": "a", "values": PESEL })),
        ("detect", json!({ "text": "a", PESEL: 1 })),
        ("protect", json!({ "text": "a", "mode": PESEL })),
        ("validate", json!({ "type": PESEL, "value": PESEL })),
        ("list_detectors", json!({ "cursor": PESEL.repeat(9) })),
    ] {
        let result = client.call(tool, arguments.clone());
        assert_eq!(result["isError"], true, "{tool} {arguments}: {result}");
        assert!(!result.to_string().contains(PESEL), "{result}");
    }
    client.send(PESEL);
    assert_eq!(client.receive()["error"]["code"], -32_600);
    client.send("not JSON");
    assert_eq!(client.receive()["error"]["code"], -32_700);
    assert_eq!(client.ask(&request(4, "ping", json!({}))), response(4, json!({})));
}

#[test]
fn tokens_are_restored_only_where_the_operator_allows_it() {
    let mut client = Conversation::start(&["--allow-restore"]);
    let protected = client.call("protect", json!({ "text": format!("to {EMAIL}"), "mode": "tokenize" }));
    let token = protected["structuredContent"]["text"].clone();
    assert!(token.as_str().unwrap().starts_with("to tok_"), "{token}");
    let restored = client.call("restore", json!({ "text": token }));
    let want = json!({ "text": format!("to {EMAIL}"), "restored": 1, "unknown": 0 });
    assert_eq!(restored["structuredContent"], want);
    let mut other = Conversation::start(&[]);
    let call = json!({ "name": "restore", "arguments": { "text": token } });
    assert_eq!(other.ask(&request(1, "tools/call", call))["error"]["code"], -32_602);
}

#[test]
fn everything_that_a_model_reads_is_protected() {
    let call = || json!({ "name": "find", "arguments": {} });
    let blob = "iVBORw0KGgoAAAANSUhEUg==";
    let removed = |what: &str| text(format!("[{what} removed: it cannot be searched for personal data]"));
    for (method, params, answer, want) in [
        (
            "tools/call",
            call(),
            json!({ "result": { "content": [text(format!("PESEL {PESEL}"))], "isError": false } }),
            json!({ "result": { "content": [text("PESEL [REDACTED]")], "isError": false } }),
        ),
        (
            "tools/call",
            call(),
            json!({ "result": {
                "content": [text(format!("{{\"mail\": \"{EMAIL}\"}}"))],
                "structuredContent": { "mail": EMAIL, "list": [{ "pesel": 44051401359_u64, "n": 7 }] },
                "resultType": "complete",
                "_meta": { "io.modelcontextprotocol/serverInfo": { "name": "crm" }, "who": EMAIL },
            } }),
            json!({ "result": {
                "content": [text("{\"mail\": \"[REDACTED]\"}")],
                "structuredContent": { "mail": "[REDACTED]", "list": [{ "pesel": "[REDACTED]", "n": 7 }] },
                "resultType": "complete",
                "_meta": { "io.modelcontextprotocol/serverInfo": { "name": "crm" }, "who": "[REDACTED]" },
            } }),
        ),
        (
            "tools/call",
            call(),
            json!({ "result": { "content": [
                { "type": "resource", "resource": { "uri": "file:///a.txt", "text": format!("to {EMAIL}") } },
                { "type": "resource", "resource": { "uri": "file:///a.bin", "blob": blob } },
                { "type": "resource_link", "uri": "file:///b.txt", "name": format!("mail of {EMAIL}") },
                { "type": "image", "data": blob, "mimeType": "image/png" },
                { "type": "audio", "data": blob, "mimeType": "audio/wav" },
                { "type": "hologram", "data": EMAIL },
            ] } }),
            json!({ "result": { "content": [
                { "type": "resource", "resource": { "uri": "file:///a.txt", "text": "to [REDACTED]" } },
                removed("binary resource"),
                { "type": "resource_link", "uri": "file:///b.txt", "name": "mail of [REDACTED]" },
                removed("image"),
                removed("audio"),
                removed("content of an unknown type"),
            ] } }),
        ),
        (
            "resources/read",
            json!({ "uri": format!("crm://{EMAIL}") }),
            json!({ "result": { "contents": [
                { "uri": format!("crm://{EMAIL}"), "text": format!("PESEL {PESEL}") },
                { "uri": "crm://photo", "mimeType": "image/png", "blob": blob },
            ] } }),
            json!({ "result": { "contents": [
                { "uri": format!("crm://{EMAIL}"), "text": "PESEL [REDACTED]" },
                {
                    "uri": "crm://photo", "mimeType": "text/plain",
                    "text": "[binary resource removed: it cannot be searched for personal data]",
                },
            ] } }),
        ),
        (
            "prompts/get",
            json!({ "name": "greet" }),
            json!({ "result": { "description": format!("for {EMAIL}"), "messages": [
                { "role": "user", "content": text(format!("write to {EMAIL}")) },
                { "role": "user", "content": { "type": "image", "data": blob, "mimeType": "image/png" } },
            ] } }),
            json!({ "result": { "description": "for [REDACTED]", "messages": [
                { "role": "user", "content": text("write to [REDACTED]") },
                { "role": "user", "content": removed("image") },
            ] } }),
        ),
        (
            "tools/list",
            json!({}),
            json!({ "result": { "tools": [{ "name": "find", "description": format!("such as {EMAIL}") }], "nextCursor": "c" } }),
            json!({ "result": { "tools": [{ "name": "find", "description": format!("such as {EMAIL}") }], "nextCursor": "c" } }),
        ),
        (
            "resources/list",
            json!({}),
            json!({ "result": { "resources": [{ "uri": format!("crm://{EMAIL}"), "name": EMAIL }], "nextCursor": EMAIL } }),
            json!({ "result": { "resources": [{ "uri": format!("crm://{EMAIL}"), "name": "[REDACTED]" }], "nextCursor": EMAIL } }),
        ),
        (
            "initialize",
            json!({ "protocolVersion": "2025-11-25" }),
            json!({ "result": { "protocolVersion": "2025-11-25", "capabilities": { "tools": {}, "tasks": {} }, "serverInfo": { "name": "s" } } }),
            json!({ "result": { "protocolVersion": "2025-11-25", "capabilities": { "tools": {} }, "serverInfo": { "name": "s" } } }),
        ),
        (
            "tools/call",
            call(),
            json!({ "error": { "code": -32000, "message": format!("no row for {EMAIL}"), "data": { "pesel": PESEL } } }),
            json!({ "error": { "code": -32000, "message": "no row for [REDACTED]", "data": { "pesel": "[REDACTED]" } } }),
        ),
    ] {
        assert_eq!(wrapped(&[], method, params, answer.clone()), want, "{method} {answer}");
    }
}

#[test]
fn what_cannot_be_read_is_an_error() {
    let call = json!({ "name": "find" });
    for answer in [
        json!({}),
        json!({ "result": EMAIL }),
        json!({ "result": [EMAIL] }),
        json!({ "error": EMAIL }),
        json!({ "result": {}, "error": { "code": 1, "message": EMAIL } }),
        json!({ "result": { "resultType": "hologram", "content": [text(EMAIL)] } }),
    ] {
        let got = wrapped(&[], "tools/call", call.clone(), answer.clone());
        assert_eq!(got["error"]["code"], -32_603, "{answer}: {got}");
        assert!(!got.to_string().contains(EMAIL), "{got}");
    }
    // a policy that blocks
    let folder = TempDir::new().unwrap();
    let policies = folder.path().join("policies.json");
    fs::write(&policies, r#"[{"name": "none", "action": "BLOCK", "conditions": []}]"#).unwrap();
    let flags = ["--mode", "policy", "--policies", policies.to_str().unwrap()];
    let answer = json!({ "result": { "content": [text(format!("to {EMAIL}"))] } });
    let got = wrapped(&flags, "tools/call", call, answer);
    assert!(got["error"]["message"].as_str().unwrap().contains("cannot be protected"), "{got}");
}

#[test]
fn values_are_found_wherever_a_server_hides_them() {
    let call = json!({ "name": "find" });
    let result = |content: Value| json!({ "result": content });
    for (answer, leaked) in [
        (
            result(json!({ "content": [text("my card is 4111 1111"), text("1111 1111, thanks")] })),
            "1111 1111",
        ),
        (result(json!({ "content": [text("write to jan.novak@"), text("example.cz")] })), "example.cz"),
        (result(json!({ "content": [], "structuredContent": { EMAIL: 1 } })), EMAIL),
        (result(json!({ "content": [], "structuredContent": { "a": { "PESEL 44051401359": {} } } })), PESEL),
        (result(json!({ "content": [], "structuredContent": format!("to {EMAIL}") })), EMAIL),
        (result(json!({ "content": [text("x")], "isError": true, "detail": EMAIL })), EMAIL),
        (result(json!({ "content": { "type": "text", "text": EMAIL } })), EMAIL),
        (result(json!({ "content": [EMAIL] })), EMAIL),
        (
            result(
                json!({ "content": [{ "type": "text", "text": "a", "annotations": { "title": EMAIL } }] }),
            ),
            EMAIL,
        ),
        (
            result(json!({ "resultType": "input_required", "requestState": "s", "inputRequests": { "a": {
            "method": "elicitation/create", "params": { "message": format!("is it {EMAIL}?") },
        } } })),
            EMAIL,
        ),
        (json!({ "error": { "code": -32000, "message": "x", EMAIL: 1 } }), EMAIL),
        (json!({ "error": { "code": EMAIL, "message": "x" } }), EMAIL),
        (json!({ "result": { "content": [] }, "leak": EMAIL }), EMAIL),
    ] {
        let got = wrapped(&[], "tools/call", call.clone(), answer.clone());
        assert!(!got.to_string().contains(leaked), "{answer}: {got}");
    }
}

#[test]
fn only_messages_pass_and_only_answers_to_requests() {
    let folder = TempDir::new().unwrap();
    let ping = |id: u64| request(id, "ping", json!({})).to_string();
    let deep =
        format!("{{\"jsonrpc\": \"2.0\", \"id\": 3, \"result\": {}{}}}", "[".repeat(200), "]".repeat(200));
    let noise = [
        format!("starting for {EMAIL}"),
        format!("\"{EMAIL}\""),
        response(99, json!({ "content": [text(EMAIL)] })).to_string(),
        json!({ "jsonrpc": "2.0", "id": "1", "result": { "a": EMAIL } }).to_string(),
        json!({ "jsonrpc": "2.0", "id": { "a": EMAIL }, "result": {} }).to_string(),
        json!({ "jsonrpc": "2.0", "method": "notifications/secret", "params": { "a": EMAIL } }).to_string(),
        response(1, json!({})).to_string(),
        response(1, json!({ "again": EMAIL })).to_string(),
    ];
    let notifications = [
        json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": { "level": "info", "data": { "for": EMAIL } } }),
        json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": { "progressToken": 44051401359_u64, "message": EMAIL } }),
        response(2, json!({})),
    ];
    let notifications = notifications.map(|one| one.to_string()).join("\n");
    let long = format!("{{\"jsonrpc\": \"2.0\", \"id\": 4, \"result\": \"{}\"}}", EMAIL.repeat(2 << 20));
    let batch =
        json!([response(5, json!({ "a": EMAIL })), { "jsonrpc": "2.0", "method": "notifications/x" }]);
    let answers = [noise.join("\n"), notifications, deep, long, batch.to_string()];
    let answers: Vec<&str> = answers.iter().map(String::as_str).collect();
    let mut client = Conversation::wrap(&[], folder.path(), &answers);
    client.send(&ping(1));
    assert_eq!(client.receive(), response(1, json!({})));
    client.send(&ping(2));
    assert_eq!(client.receive()["params"], json!({ "level": "info", "data": { "for": "[REDACTED]" } }));
    let progress = json!({ "progressToken": 44051401359_u64, "message": "[REDACTED]" });
    assert_eq!(client.receive()["params"], progress);
    assert_eq!(client.receive()["id"], 2);
    for id in [3, 4] {
        client.send(&ping(id));
        let got = client.receive();
        assert_eq!((&got["id"], &got["error"]["code"]), (&json!(id), &json!(-32_603)), "{got}");
    }
    client.send(&ping(5));
    assert_eq!(client.receive(), response(5, json!({ "a": "[REDACTED]" })));
    let (status, rest, errors) = client.end();
    assert_eq!((status, rest), (0, vec![]), "{errors}");
    assert!(errors.contains("not a message") && !errors.contains(EMAIL), "{errors}");
}

#[test]
fn an_id_in_flight_is_not_used_twice() {
    let folder = TempDir::new().unwrap();
    let answer = [
        response(1, json!({ "content": [text(format!("to {EMAIL}"))] })),
        response(2, json!({ "tools": [] })),
    ];
    let answers = ["", &answer.map(|one| one.to_string()).join("\n")];
    let mut client = Conversation::wrap(&[], folder.path(), &answers);
    client.send(&request(1, "tools/call", json!({ "name": "find" })).to_string());
    // its untouched answer would be that of the call
    let refused = client.ask(&request(1, "tools/list", json!({})));
    assert_eq!(refused["error"]["code"], -32_600, "{refused}");
    client.send(&request(2, "tools/list", json!({})).to_string());
    assert_eq!(client.receive()["result"]["content"][0]["text"], "to [REDACTED]");
    assert_eq!(client.receive()["id"], 2);
    assert_eq!(client.end().0, 0);
}

#[test]
fn requests_of_a_server_are_protected_or_refused() {
    let folder = TempDir::new().unwrap();
    let sampling = |id| {
        let content =
            json!([text("card 4111 1111"), text("1111 1111"), { "type": "image", "data": "iVBORw0KGgo=" }]);
        let messages = json!([{ "role": "user", "content": content }]);
        request(
            id,
            "sampling/createMessage",
            json!({ "messages": messages, "systemPrompt": EMAIL, "maxTokens": 9 }),
        )
    };
    let unknown = request(8, "secret/method", json!({ "a": EMAIL }));
    let elicitation = request(9, "elicitation/create", json!({ "message": format!("is it {EMAIL}?") }));
    let lines = [sampling(7), sampling(7), unknown, elicitation].map(|one| one.to_string()).join("\n");
    let mut client =
        Conversation::wrap(&[], folder.path(), &[&lines, "", "", "", &response(2, json!({})).to_string()]);
    client.send(&request(1, "tools/call", json!({ "name": "find" })).to_string());
    let asked = client.receive();
    assert_eq!((&asked["id"], &asked["params"]["systemPrompt"]), (&json!(7), &json!("[REDACTED]")));
    let all = asked.to_string();
    assert!(!all.contains("1111") && !all.contains("iVBOR") && all.contains("maxTokens\":9"), "{all}");
    assert_eq!(client.receive()["params"]["message"], "is it [REDACTED]?");
    client.send(&json!({ "jsonrpc": "2.0", "id": 7, "result": { "role": "assistant" } }).to_string());
    // nobody asked for these
    client.send(&json!({ "jsonrpc": "2.0", "id": 7, "result": { "role": "again" } }).to_string());
    client.send(&json!({ "jsonrpc": "2.0", "id": 77, "result": { "role": "never" } }).to_string());
    assert_eq!(client.ask(&request(2, "ping", json!({})))["id"], 2);
    assert_eq!(client.end().0, 0);
    let seen = fs::read_to_string(folder.path().join("seen")).unwrap();
    let seen: Vec<Value> = seen.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let ids: Vec<_> = seen.iter().map(|one| (one["id"].clone(), one["error"]["code"].clone())).collect();
    let want = [(1, None), (7, Some(-32_600)), (8, Some(-32_601)), (7, None), (2, None)]
        .map(|(id, code)| (json!(id), json!(code)));
    assert_eq!(ids, want);
    assert_eq!(seen[3]["result"]["role"], "assistant");
}

#[test]
fn unknown_methods_and_binary_content_pass_where_the_operator_lets_them() {
    let answer = json!({ "result": { "secret": EMAIL } });
    let refused = wrapped(&[], "ping", json!({}), json!({ "result": {} }));
    assert_eq!(refused, json!({ "result": {} }));
    let mut client = Conversation::wrap(&[], TempDir::new().unwrap().path(), &[]);
    assert_eq!(client.ask(&request(1, "tasks/result", json!({})))["error"]["code"], -32_601);
    assert_eq!(wrapped(&["--pass-unknown"], "tasks/result", json!({}), answer.clone()), answer);

    let image = json!({ "type": "image", "data": "iVBORw0KGgoAAAANSUhEUg==", "mimeType": "image/png" });
    let answer = json!({ "result": { "content": [image, text(format!("to {EMAIL}"))] } });
    let got = wrapped(&["--binary", "pass"], "tools/call", json!({ "name": "find" }), answer);
    assert_eq!(got, json!({ "result": { "content": [image, text("to [REDACTED]")] } }));
}

#[test]
fn tokens_are_restored_for_the_tools_that_the_operator_names() {
    let folder = TempDir::new().unwrap();
    let found = response(1, json!({ "content": [text(format!("to {EMAIL}"))] })).to_string();
    let empty = |id| response(id, json!({ "content": [] })).to_string();
    let answers = [&*found, &empty(2), &empty(3)];
    let mut client = Conversation::wrap(&["--restore-for", "send_mail"], folder.path(), &answers);
    let got = client.ask(&request(1, "tools/call", json!({ "name": "find" })));
    let got = got["result"]["content"][0]["text"].as_str().unwrap();
    let token = got.strip_prefix("to ").unwrap();
    assert!(token.starts_with("tok_"), "{got}");
    for (id, tool) in [(2, "send_mail"), (3, "post_online")] {
        let arguments = json!({ "to": [token], "n": 1, "body": format!("Dear \"{token}\"") });
        client.ask(&request(id, "tools/call", json!({ "name": tool, "arguments": arguments })));
    }
    assert_eq!(client.end().0, 0);
    let seen = fs::read_to_string(folder.path().join("seen")).unwrap();
    let seen: Vec<Value> = seen.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let want = |value: &str| json!({ "to": [value], "n": 1, "body": format!("Dear \"{value}\"") });
    assert_eq!(seen[1]["params"]["arguments"], want(EMAIL));
    assert_eq!(seen[2]["params"]["arguments"], want(token));
}

#[test]
fn a_server_that_ends_or_does_not_start_is_an_error() {
    let mut client = Conversation::start(&["--wrap", "--", "sh", "-c", "read line; exit 3"]);
    let got = client.ask(&request(1, "ping", json!({})));
    assert_eq!(got["error"]["code"], -32_603, "{got}");
    let (status, _, errors) = client.end();
    assert!(status == 2 && errors.contains("the server has ended with exit status: 3"), "{status} {errors}");
    for (arguments, message) in [
        (&["--wrap"][..], "COMMAND"),
        (&["--wrap", "--", "/no/such/program"], "cannot start"),
        (&["--restore-for", "x"], "needs another server"),
        (&["--allow-restore", "--wrap", "--", "sh"], "cannot be used with"),
        (&["--wrap-url", "ftp://a"], "http://"),
        (&["--wrap-url", "http://a", "--header", "a=NO_SUCH_VARIABLE"], "NO_SUCH_VARIABLE"),
        (&["--wrap-url", "http://a", "--header", "content-length=TOKEN"], "set by the program"),
        (&["--wrap-url", "http://a:secret@b/mcp"], "--header"),
    ] {
        let (status, _, errors) = Conversation::start(arguments).end();
        assert!(status == 2 && errors.contains(message), "{arguments:?}: {errors}");
    }
}

#[test]
fn a_process_that_keeps_the_output_open_does_not_keep_the_program() {
    // as a launcher whose server outlives it
    let client = Conversation::start(&["--wrap", "--", "sh", "-c", "sleep 600 & cat"]);
    assert_eq!(client.end().0, 0);
    let client = Conversation::start(&["--wrap", "--", "sh", "-c", "sleep 600; cat"]);
    let (status, _, errors) = client.end();
    assert!(status == 0 && errors.contains("was stopped"), "{errors}");
}

#[test]
fn a_side_that_answers_nothing_has_few_requests_in_flight() {
    let mut client = Conversation::start(&["--wrap", "--", "sh", "-c", "cat > /dev/null"]);
    for id in 0..257 {
        client.send(&request(id, "ping", json!({})).to_string());
    }
    let refused = client.receive();
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(256), &json!(-32_000)), "{refused}");
    client.send(r#"{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 0}}"#);
    client.send(&request(257, "ping", json!({})).to_string());
    let (status, rest, errors) = client.end();
    assert_eq!((status, rest.len()), (0, 256), "{errors}");
    assert!(rest.iter().all(|answer| answer["error"]["code"] == -32_603 && answer["id"] != 0), "{rest:?}");
}

/// Reads a request of HTTP: its head in lower case, and its body.
fn read_http(stream: &TcpStream) -> Option<(String, String)> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let head = head.to_lowercase();
    let length =
        head.lines().find_map(|line| line.strip_prefix("content-length: ")).map_or(0, |n| n.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    Some((head, String::from_utf8(body).unwrap()))
}

#[test]
fn a_server_behind_an_address_is_protected_alike() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let heads = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&heads);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let Some((head, body)) = read_http(&stream) else { continue };
            let message: Value = serde_json::from_str(&body).unwrap_or_default();
            seen.lock().unwrap().push(head);
            let id = message["id"].as_u64().unwrap_or_default();
            let json = |result: Value| ("200 OK", "application/json", response(id, result).to_string());
            let (status, kind, body) = match message["method"].as_str() {
                Some("initialize") => json(json!({ "protocolVersion": "2025-11-25", "capabilities": {} })),
                Some("tools/call") => {
                    let note = json!({ "method": "notifications/message", "jsonrpc": "2.0", "params": { "data": EMAIL } });
                    let result = response(id, json!({ "content": [text(format!("to {EMAIL}"))] }));
                    ("200 OK", "text/event-stream", format!("data: {note}\n\nid: 7\ndata: {result}\n\n"))
                }
                Some("resources/read") => ("500 Oops", "text/plain", format!("no {EMAIL}")),
                Some("prompts/get") => {
                    let error = json!({ "code": -32_602, "message": format!("no {EMAIL}") });
                    (
                        "400 Bad",
                        "application/json",
                        json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string(),
                    )
                }
                Some("ping") => ("200 OK", "text/event-stream", ": nothing\n\n".to_owned()),
                Some(_) => ("202 Accepted", "text/plain", String::new()),
                None => ("405 No", "text/plain", String::new()),
            };
            let head = format!(
                "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\nmcp-session-id: s1\r\nconnection: close\r\n"
            );
            write!(stream, "{head}content-length: {}\r\n\r\n{body}", body.len()).unwrap();
        }
    });
    let mut client = Conversation::start(&["--wrap-url", &url, "--header", "authorization=TOKEN"]);
    client.ask(&request(1, "initialize", json!({ "protocolVersion": "2025-11-25" })));
    client.send(r#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#);
    let meta = json!({ "io.modelcontextprotocol/protocolVersion": STATELESS });
    client.send(&request(2, "tools/call", json!({ "name": "najdi č", "_meta": meta })).to_string());
    assert_eq!(client.receive()["params"]["data"], "[REDACTED]");
    assert_eq!(client.receive()["result"]["content"][0]["text"], "to [REDACTED]");
    for (id, method) in [(3, "resources/read"), (4, "prompts/get"), (5, "ping")] {
        let got = client.ask(&request(id, method, json!({})));
        assert_eq!(got["id"], id);
        assert!(got["error"].is_object() && !got.to_string().contains(EMAIL), "{got}");
    }
    let (status, rest, errors) = client.end();
    assert_eq!((status, rest), (0, vec![]), "{errors}");
    assert!(!errors.contains(EMAIL) && !errors.contains("secret"), "{errors}");
    let heads = heads.lock().unwrap().clone();
    assert!(
        heads[0].contains("authorization: bearer secret") && !heads[0].contains("mcp-session-id"),
        "{}",
        heads[0]
    );
    let call = heads.iter().find(|head| head.contains("mcp-method: tools/call")).unwrap();
    assert!(
        call.contains("mcp-session-id: s1") && call.contains("mcp-protocol-version: 2026-07-28"),
        "{call}"
    );
    assert!(call.contains("mcp-name: =?base64?"), "{call}");
    assert!(heads.iter().any(|head| head.starts_with("delete /mcp ")), "{heads:?}");

    // nobody listens
    let mut client = Conversation::start(&["--wrap-url", "http://127.0.0.1:1/mcp"]);
    assert_eq!(client.ask(&request(1, "ping", json!({})))["error"]["code"], -32_603);
}

/// A server that answers each request of HTTP as the function says, and its address.
fn http_server(answer: impl Fn(&mut TcpStream, String, Value) + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let answer = Arc::new(answer);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, answer) = (stream.unwrap(), Arc::clone(&answer));
            thread::spawn(move || {
                let Some((head, body)) = read_http(&stream) else { return };
                answer(&mut stream, head, serde_json::from_str(&body).unwrap_or_default());
            });
        }
    });
    url
}

fn write_http(stream: &mut TcpStream, status: &str, body: &str) {
    let head = "content-type: application/json\r\nmcp-session-id: s1\r\nconnection: close";
    write!(stream, "HTTP/1.1 {status}\r\n{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len()).unwrap();
}

#[test]
fn a_cancelled_request_ends_its_connection() {
    let (sender, closed) = mpsc::channel();
    let (arrived, request_arrived) = mpsc::channel();
    let url = http_server(move |stream, _, message| match message["method"].as_str() {
        Some("tools/call") => {
            arrived.send(()).unwrap();
            // returns when the other side closes
            let read = stream.read(&mut [0]);
            sender.send(matches!(read, Ok(0) | Err(_))).unwrap();
        }
        _ => write_http(stream, "202 Accepted", ""),
    });
    let mut client = Conversation::start(&["--wrap-url", &url]);
    client.send(&request(1, "tools/call", json!({ "name": "slow" })).to_string());
    request_arrived.recv_timeout(LIMIT).unwrap();
    client.send(r#"{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}"#);
    assert!(closed.recv_timeout(LIMIT).unwrap());
    let (status, rest, errors) = client.end();
    assert_eq!((status, rest), (0, vec![]), "{errors}");
}

#[test]
fn an_error_says_what_the_server_lacks() {
    let sessions = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&sessions);
    let url = http_server(move |stream, head, message| match message["method"].as_str() {
        Some("initialize") => {
            seen.lock().unwrap().push(head.contains("mcp-session-id"));
            let result = json!({ "protocolVersion": "2025-11-25", "capabilities": {} });
            let id = message["id"].as_u64().unwrap();
            write_http(stream, "200 OK", &response(id, result).to_string());
        }
        Some("tools/list") => {
            write_http(stream, "401 Unauthorized", &json!({ "error": EMAIL }).to_string());
        }
        Some("ping") => write_http(stream, "404 Not Found", &json!({ "error": EMAIL }).to_string()),
        Some("prompts/list") => write_http(stream, "200 OK", "no JSON"),
        _ => write_http(stream, "202 Accepted", ""),
    });
    let mut client = Conversation::start(&["--wrap-url", &url]);
    // a second handshake opens another session
    for id in [1, 2] {
        client.ask(&request(id, "initialize", json!({ "protocolVersion": "2025-11-25" })));
    }
    for (id, method, want) in [(3, "tools/list", "--header"), (4, "ping", "404"), (5, "prompts/list", "read")]
    {
        let got = client.ask(&request(id, method, json!({})));
        let why = got["error"]["message"].as_str().unwrap();
        assert!(why.contains(want) && !why.contains(EMAIL), "{method}: {why}");
    }
    let (status, _, errors) = client.end();
    assert!(status == 0 && !errors.contains(EMAIL), "{errors}");
    assert_eq!(*sessions.lock().unwrap(), [false, false]);
}
