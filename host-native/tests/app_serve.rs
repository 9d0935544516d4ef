//! Runs `textveil serve` as a user does: a process of its own, asked over a socket, stopped by signals.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test"
)]

mod support;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use tempfile::tempdir;

/// A `textveil serve` that runs until it is dropped.
struct Server {
    child: Child,
    address: String,
    /// What else it prints at its start.
    greeting: mpsc::Receiver<String>,
}

impl Server {
    /// Serves the test application in `folder`.
    fn start(folder: &Path, arguments: &[&str]) -> Self {
        let mut child = command(folder, arguments).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let first = lines.next().unwrap_or_else(|| panic!("{}", stderr(&mut child))).unwrap();
        let address = first.strip_prefix("Serving http://").unwrap().to_owned();
        let (sender, greeting) = mpsc::channel();
        std::thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Self { child, address, greeting }
    }

    fn ask(&self, method: &str, path: &str, body: &str) -> String {
        ask(&self.address, method, path, body)
    }

    fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([name, &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }

    /// What it printed after its first line, until a line that contains `until`.
    fn greeting(&self, until: &str) -> String {
        let mut greeting = String::new();
        while !greeting.contains(until) {
            greeting +=
                &self.greeting.recv_timeout(Duration::from_secs(20)).unwrap_or_else(|_| panic!("{greeting}"));
            greeting.push('\n');
        }
        greeting
    }
}

/// One request over a connection of its own; the answer's body. HTTP/1.0, which has no chunks.
fn ask(address: &str, method: &str, path: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let length = body.len();
    write!(stream, "{method} {path} HTTP/1.0\r\ncontent-length: {length}\r\n\r\n{body}").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (_, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{answer:?}"));
    body.to_owned()
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a process that has ended wrote to standard error.
fn stderr(child: &mut Child) -> String {
    let mut text = String::new();
    child.stderr.take().unwrap().read_to_string(&mut text).unwrap();
    text
}

/// `textveil serve` on the application in `folder`, which also has the store and the variable that it fills.
fn command(folder: &Path, arguments: &[&str]) -> Command {
    let manifest = support::manifest(folder);
    let text = std::fs::read_to_string(&manifest).unwrap();
    let text = text
        .replace(
            "[variables]",
            "[variables]\ntoken_secrets = { required = true, secret = true }\nuser_token_key = { default = \"\" }\n\
             service_tokens = { default = \"\" }\nmonthly_quotas = { default = \"\" }",
        )
        .replace("variables = {", "variables = { token_secrets = \"{{ token_secrets }}\", ")
        .replace("\"usage\"]", "\"usage\", \"config\"]");
    std::fs::write(&manifest, text).unwrap();
    let state = folder.join("state");
    support::options(&state);
    let mut command = Command::new(env!("CARGO_BIN_EXE_textveil"));
    command.arg("serve");
    let defaults = [
        ("--listen", "127.0.0.1:0".as_ref()),
        ("--manifest", manifest.as_os_str()),
        ("--state-dir", state.as_os_str()),
    ];
    for (flag, value) in defaults {
        if !arguments.contains(&flag) {
            command.arg(flag).arg(value);
        }
    }
    command
        .args(arguments)
        .env_remove("SPIN_VARIABLE_TOKEN_SECRETS")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

#[test]
fn nothing_acknowledged_is_lost_when_the_process_is_killed() {
    let folder = tempdir().unwrap();
    let mut acknowledged = 0;
    for _ in 0..3 {
        let mut server = Server::start(folder.path(), &["--quiet"]);
        let (sender, sums) = mpsc::channel::<i64>();
        let address = server.address.clone();
        let writer = std::thread::spawn(move || {
            let mut stream = TcpStream::connect(address).unwrap();
            // goes on until the connection breaks
            while let Some(sum) = increment(&mut stream) {
                sender.send(sum).unwrap();
            }
        });
        let mut last = sums.recv().unwrap();
        assert!(last == acknowledged + 1 || last == acknowledged + 2, "{acknowledged}, then {last}");
        for sum in sums.iter().take(50) {
            last = sum;
        }
        server.child.kill().unwrap(); // SIGKILL
        server.child.wait().unwrap();
        writer.join().unwrap();
        // acknowledged on its way while the signal was
        acknowledged = sums.iter().last().unwrap_or(last);
    }
    let server = Server::start(folder.path(), &["--quiet"]);
    let sum: i64 = server.ask("GET", "/a/increment/default/n/0", "").parse().unwrap();
    assert!(
        sum == acknowledged || sum == acknowledged + 1,
        "{acknowledged} were acknowledged, {sum} are there"
    );
}

/// One increment over a connection that stays open; none where it broke.
fn increment(stream: &mut TcpStream) -> Option<i64> {
    stream.write_all(b"GET /a/increment/default/n/1 HTTP/1.1\r\nhost: x\r\n\r\n").ok()?;
    let mut answer = Vec::new();
    let mut chunk = [0; 1024];
    loop {
        let read = stream.read(&mut chunk).ok().filter(|read| *read > 0)?;
        answer.extend_from_slice(&chunk[..read]);
        let text = std::str::from_utf8(&answer).ok()?;
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let head = head.to_ascii_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        match length {
            Some(length) if body.len() == length.parse::<usize>().ok()? => return body.parse().ok(),
            Some(_) => {}
            None if body.ends_with("0\r\n\r\n") => return body.lines().nth(1)?.parse().ok(),
            None => {}
        }
    }
}

#[test]
fn sigterm_finishes_what_is_in_work_and_writes_what_is_held_back() {
    let folder = tempdir().unwrap();
    for want in ["1", "2"] {
        let mut server = Server::start(folder.path(), &[]);
        assert_eq!(server.ask("GET", "/a/increment/usage/n/1", ""), want);
        let address = server.address.clone();
        let slow = std::thread::spawn(move || ask(&address, "GET", "/a/sleep/500", ""));
        std::thread::sleep(Duration::from_millis(200));
        server.signal("-TERM");
        assert_eq!(slow.join().unwrap(), "slept 0");
        assert!(server.child.wait().unwrap().success());
        let log = stderr(&mut server.child);
        let line = log.lines().find(|line| line.contains("\"ms\"")).unwrap_or_else(|| panic!("{log}"));
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(
            (&line["method"], &line["route"], &line["status"]),
            (&"GET".into(), &"/a/...".into(), &200.into())
        );
        assert!(line["id"].as_str().is_some_and(|id| !id.is_empty()) && line["time"].as_f64() > Some(1e9));
        assert!(!log.contains("increment"), "the log holds a path: {log}");
    }
}

#[test]
fn a_second_signal_ends_at_once() {
    let folder = tempdir().unwrap();
    let mut server = Server::start(folder.path(), &["--quiet"]);
    let mut stream = TcpStream::connect(&server.address).unwrap();
    stream.write_all(b"GET /a/sleep/20000 HTTP/1.1\r\nhost: x\r\n\r\n").unwrap();
    std::thread::sleep(Duration::from_millis(200));
    server.signal("-INT");
    std::thread::sleep(Duration::from_millis(200));
    assert!(server.child.try_wait().unwrap().is_none(), "it did not wait for the request in work");
    server.signal("-INT");
    assert_eq!(server.child.wait().unwrap().code(), Some(2));
}

#[test]
fn the_first_start_makes_keys_and_secrets_and_the_second_keeps_them() {
    let folder = tempdir().unwrap();
    let state = folder.path().join("state");
    let server = Server::start(folder.path(), &[]);
    let greeting = server.greeting("curl ");
    let keys = std::fs::read_to_string(state.join("credentials.env")).unwrap();
    let keys: Vec<(&str, &str)> = keys
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split_once('=').unwrap())
        .collect();
    assert_eq!(
        keys.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
        ["TEXTVEIL_API_KEY", "TEXTVEIL_ENTERPRISE_API_KEY", "TEXTVEIL_SERVICE_TOKEN", "TEXTVEIL_USER_TOKEN"]
    );
    assert_eq!(std::fs::read_to_string(state.join("service_tokens")).unwrap(), keys[2].1);
    assert_eq!(keys[3].1.split('.').count(), 3, "a JWT");
    for ((name, key), plan) in keys.iter().zip(["pro", "enterprise"]) {
        assert!(greeting.contains(&format!("{name}={key}")), "{greeting}");
        let place = textveil_service::credentials::storage_key(key);
        let record = server.ask("GET", &format!("/a/get/config/{place}"), "");
        assert!(record.contains(&format!(r#""plan":"{plan}""#)), "{record}");
    }
    let curl = greeting.lines().find(|line| line.contains("curl ")).unwrap();
    assert!(
        curl.contains(&server.address) && curl.contains(keys[0].1) && curl.contains("/api/v1/detect"),
        "{curl}"
    );
    let secret = server.ask("GET", "/a/variable/token_secrets", "");
    let digits = secret.trim_matches('"').strip_prefix("1:").unwrap();
    assert!(digits.len() == 64 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()), "{secret}");
    for file in ["credentials.env", "token_secrets", "user_token_key", "service_tokens"] {
        let mode = std::fs::metadata(state.join(file)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
    drop(server);

    let server = Server::start(folder.path(), &[]);
    let greeting = server.greeting("curl ");
    assert!(!greeting.contains("fpk_"), "the keys are printed again: {greeting}");
    assert_eq!(server.ask("GET", "/a/variable/token_secrets", ""), secret);
    drop(server);
    let server = Server::start(
        folder.path(),
        &[
            "--quiet",
            "--variable",
            "token_secrets=2:00112233445566778899aabbccddeeff",
            "--variable=greeting=ho",
        ],
    );
    assert_eq!(server.ask("GET", "/a/variable/token_secrets", ""), "\"2:00112233445566778899aabbccddeeff\"");
    assert_eq!(server.ask("GET", "/a/variable/greeting", ""), "\"ho there\"");
}

#[test]
fn what_keeps_it_from_starting_is_named() {
    let folder = tempdir().unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    for (arguments, want) in [
        (&["--listen", &taken][..], "--listen"),
        (&["--variable", "unknown=1"], "no variable `unknown`"),
        (&["--variable", "token_secrets=2:ab"], "token_secrets"),
        (&["--variable", "user_token_key=short-hunter2"], "user_token_key must be"),
        (&["--variable", "service_tokens=short-hunter2"], "service_tokens must be"),
        (&["--variable", "monthly_quotas=gold-hunter2"], "monthly_quotas must be"),
        (&["--manifest", "missing.toml"], "missing.toml"),
        (&["--runtime-config-file", "missing.toml"], "missing.toml"),
    ] {
        let output = command(folder.path(), arguments).output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(message.contains(want), "{arguments:?}: {message}");
        assert!(!message.contains("hunter2"), "a secret is shown: {message}");
    }
}
