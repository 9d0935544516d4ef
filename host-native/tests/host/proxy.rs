//! `textveil proxy` as a user runs it, in front of a provider on this machine.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};
use tempfile::tempdir;

use crate::support::{self, server::stderr};

const EMAIL: &str = "jan.novak@example.cz";

fn manifest() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    assert!(root.join("dist/gateway.wasm").is_file(), "build it with `cargo xtask build --only gateway`");
    root.join("spin.toml").canonicalize().unwrap()
}

/// The program, with `folder` for everything that a program may write to.
fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_textveil"));
    command.arg("proxy").args(arguments).arg("--manifest").arg(manifest()).current_dir(folder);
    command.env_remove("TEXTVEIL_CACHE_DIR").env("OPENAI_API_KEY", "sk-of-the-machine");
    for variable in ["HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"] {
        command.env(variable, folder);
    }
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Ends the program if a test fails.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A provider that repeats the last message, and the requests that it received.
fn provider() -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let received = Arc::new(Mutex::new(Vec::new()));
    let journal = received.clone();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let (head, body) = read(&mut stream);
            let sent: Value = serde_json::from_str(&body).unwrap();
            journal.lock().unwrap().push(format!("{head}{body}"));
            let said = &sent["messages"][0]["content"];
            let answer = json!({ "id": "c", "object": "chat.completion", "created": 1, "model": "m",
                "choices": [{ "index": 0, "finish_reason": "stop", "message": { "role": "assistant", "content": said } }] });
            let answer = answer.to_string();
            let length = answer.len();
            write!(
                stream,
                "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{answer}"
            )
            .unwrap();
        }
    });
    (url, received)
}

/// Reads a message with a length: its head and its body.
fn read(stream: &mut TcpStream) -> (String, String) {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert!(reader.read_line(&mut head).unwrap() > 0, "{head}");
    }
    let length = head.to_ascii_lowercase();
    let length = length.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
    let mut body = vec![0; length.parse().unwrap()];
    reader.read_exact(&mut body).unwrap();
    (head, String::from_utf8(body).unwrap())
}

fn chat(address: &str) -> (String, String) {
    let body =
        json!({ "model": "gpt-9", "messages": [{ "role": "user", "content": format!("to {EMAIL}") }] });
    let body = body.to_string();
    let mut stream = TcpStream::connect(address).unwrap();
    write!(
        stream,
        "POST /v1/chat/completions HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer sk-own\r\n\
         content-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    read(&mut stream)
}

/// Files that a process has open, except devices and memory.
fn open_files(process: u32) -> Vec<PathBuf> {
    let open = fs::read_dir(format!("/proc/{process}/fd")).unwrap();
    let open = open.filter_map(|entry| fs::read_link(entry.unwrap().path()).ok());
    open.filter(|file| {
        file.is_absolute()
            && !["/dev/", "/proc/", "/memfd:"].iter().any(|kind| file.to_string_lossy().starts_with(kind))
    })
    .collect()
}

#[test]
fn nothing_is_written_to_the_disk() {
    let folder = tempdir().unwrap();
    let (url, received) = provider();
    let openai = format!("--openai={url}");
    let arguments = [openai.as_str(), "--listen", "127.0.0.1:0"];
    let mut running = Running(command(folder.path(), &arguments).spawn().unwrap());
    let mut printed = BufReader::new(running.0.stderr.take().unwrap());
    let mut greeting = String::new();
    while !greeting.ends_with("\n\n") || !greeting.contains("export ") {
        assert!(printed.read_line(&mut greeting).unwrap() > 0, "{greeting}");
    }
    let base = greeting.split("export OPENAI_BASE_URL=http://").nth(1).unwrap();
    let address = base.split("/v1\n").next().unwrap().to_owned();
    assert!(!greeting.contains("ANTHROPIC"), "{greeting}");

    for _ in 0..2 {
        let (head, body) = chat(&address);
        assert!(head.starts_with("HTTP/1.1 200 ") && body.contains(&format!("to {EMAIL}")), "{head}{body}");
    }
    let received = received.lock().unwrap().join("\n");
    assert!(
        received.contains("authorization: Bearer sk-own\r\n") && received.contains("[[EMAIL_"),
        "{received}"
    );
    assert!(!received.contains(EMAIL) && !received.contains("sk-of-the-machine"), "{received}");
    assert_eq!(open_files(running.0.id()), Vec::<PathBuf>::new());

    let sent = Command::new("kill").args(["-INT", &running.0.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let mut farewell = String::new();
    printed.read_to_string(&mut farewell).unwrap();
    assert_eq!(running.0.wait().unwrap().code(), Some(0), "{farewell}");
    let want = "textveil: 2 requests; 2 findings protected, 2 placeholders restored\n  email 2\n";
    assert!(farewell.ends_with(want), "{farewell}");
    assert!(!greeting.contains(EMAIL) && !farewell.contains(EMAIL));
    let mut output = String::new();
    running.0.stdout.take().unwrap().read_to_string(&mut output).unwrap();
    assert_eq!(output, "");
    let written: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
    assert!(written.is_empty(), "{written:?}");
}

#[test]
fn what_is_wrong_is_said_before_it_listens() {
    let folder = tempdir().unwrap();
    let cache = support::compiled();
    let cache = cache.to_str().unwrap();
    fs::write(folder.path().join("text"), "zanzibar").unwrap();
    fs::write(
        folder.path().join("action"),
        r#"{ "version": 1, "configuration": { "default_action": "zanzibar" } }"#,
    )
    .unwrap();
    for (arguments, want) in [
        (&[][..], "--openai"),
        (&["--openai", "--listen", "0.0.0.0:0"], "other machines reach 0.0.0.0:"),
        (&["--openai", "--listen", "0.0.0.0:0", "--behind-proxy"], "--host"),
        (&["--openai", "--host", "proxy.internal"], "--behind-proxy"),
        (&["--openai=ftp://zanzibar"], "must begin with https://"),
        (&["--anthropic=https://key@zanzibar"], "must begin with https://"),
        (&["--openai", "--settings", "text"], "--settings: text is not JSON"),
        (&["--openai", "--settings", "action", "--cache-dir", cache], "configuration.default_action must be"),
        (&["--openai", "--allow-regex", ".*", "--cache-dir", cache], "regex"),
        (&["--openai", "--restore-host", "https://zanzibar", "--cache-dir", cache], "restore_hosts must be"),
    ] {
        let mut child = command(folder.path(), arguments).spawn().unwrap();
        let status = child.wait().unwrap();
        let printed = stderr(&mut child);
        assert_eq!(status.code(), Some(2), "{arguments:?}: {printed}");
        assert!(printed.contains(want), "{arguments:?}: {printed}");
        assert!(
            !printed.contains("zanzibar") && !printed.contains("protecting on"),
            "{arguments:?}: {printed}"
        );
    }
}

/// `textveil serve` admits no caller without a token on an address that other machines reach.
#[test]
fn keyless_callers_of_the_service_are_on_its_machine() {
    let folder = tempdir().unwrap();
    let manifest = folder.path().join("spin.toml");
    fs::write(
        &manifest,
        "spin_manifest_version = 2\napplication = { name = \"x\" }\n[variables]\nkeyless_workspace = { default = \"\" }\n\
         keyless_hosts = { default = \"\" }\n[[trigger.http]]\nroute = \"/up\"\nstatic_response = { body = \"up\" }\n",
    )
    .unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_textveil"));
    command.args([
        "serve",
        "--listen",
        "0.0.0.0:0",
        "--behind-proxy",
        "--variable",
        "keyless_workspace=default",
    ]);
    command.arg("--manifest").arg(&manifest).arg("--state-dir").arg(folder.path().join("state"));
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let status = child.wait().unwrap();
    let printed = stderr(&mut child);
    assert_eq!(status.code(), Some(2), "{printed}");
    assert!(printed.contains("`keyless_workspace` admits callers without a token"), "{printed}");
}
