//! `textveil serve` as a separate process.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// A `textveil serve` that runs until it is dropped.
pub struct Server {
    pub child: Child,
    /// The address that it listens on.
    pub address: String,
    /// The other output at startup.
    greeting: mpsc::Receiver<String>,
}

impl Server {
    /// Serves the test application in `folder`.
    pub fn start(folder: &Path, arguments: &[&str]) -> Self {
        Self::of(&mut command(folder, arguments))
    }

    /// Runs a command that becomes the program, and waits until it serves.
    pub fn of(command: &mut Command) -> Self {
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let first = lines.next().unwrap_or_else(|| panic!("{}", stderr(&mut child))).unwrap();
        let address = first.strip_prefix("Serving http://").unwrap().to_owned();
        let (sender, greeting) = mpsc::channel();
        std::thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Self { child, address, greeting }
    }

    pub fn ask(&self, method: &str, path: &str, body: &str) -> String {
        ask(&self.address, method, path, body)
    }

    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([name, &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }

    /// Returns the output after the first line, until a line that contains `until`.
    pub fn greeting(&self, until: &str) -> String {
        let mut greeting = String::new();
        while !greeting.contains(until) {
            greeting +=
                &self.greeting.recv_timeout(Duration::from_secs(20)).unwrap_or_else(|_| panic!("{greeting}"));
            greeting.push('\n');
        }
        greeting
    }
}

/// Sends one request over a separate connection; returns the answer's body. HTTP/1.0, which has no chunks.
pub fn ask(address: &str, method: &str, path: &str, body: &str) -> String {
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

/// Returns the standard error of a process that has ended.
pub fn stderr(child: &mut Child) -> String {
    let mut text = String::new();
    child.stderr.take().unwrap().read_to_string(&mut text).unwrap();
    text
}

/// `textveil serve` on the application in `folder`, with the stores and variables that it fills.
pub fn command(folder: &Path, arguments: &[&str]) -> Command {
    let manifest = super::manifest(folder);
    let text = std::fs::read_to_string(&manifest).unwrap();
    let text = text
        .replace(
            "[variables]",
            "[variables]\ntoken_secrets = { required = true, secret = true }\nuser_token_key = { default = \"\" }\n\
             service_tokens = { default = \"\" }\nmonthly_quotas = { default = \"\" }\n\
             profile = { default = \"strict\" }\nuser_token_issuer = { default = \"\" }\n\
             user_token_audience = { default = \"\" }",
        )
        .replace("variables = {", "variables = { token_secrets = \"{{ token_secrets }}\", service_tokens = \"{{ service_tokens }}\", \
             profile = \"{{ profile }}\", ")
        .replace("\"usage\"]", "\"usage\", \"config\", \"audit\"]");
    std::fs::write(&manifest, text).unwrap();
    let state = folder.join("state");
    let cache = super::compiled();
    let mut command = Command::new(env!("CARGO_BIN_EXE_textveil"));
    command.arg("serve");
    let defaults = [
        ("--listen", "127.0.0.1:0".as_ref()),
        ("--manifest", manifest.as_os_str()),
        ("--state-dir", state.as_os_str()),
        ("--cache-dir", cache.as_os_str()),
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
