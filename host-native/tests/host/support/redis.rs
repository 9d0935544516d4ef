//! A Redis for one test, on a separate port and in a separate folder.
//!
//! Tests that need it are ignored by default, and their names begin with `with_redis_`: `cargo xtask test`
//! runs them if it has a Redis, and otherwise reports that it does not.

use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

/// A running `redis-server`; it ends with this value. Acknowledged data survives [`stop`](Self::stop).
#[derive(Debug)]
pub struct Redis {
    process: Option<Child>,
    port: u16,
    folder: TempDir,
    arguments: Vec<String>,
}

impl Redis {
    /// Starts one.
    pub fn start() -> Self {
        Self::with(&[])
    }

    /// Starts one with further arguments of `redis-server`.
    pub fn with(arguments: &[&str]) -> Self {
        let mut redis = Self::stopped(arguments);
        redis.resume();
        redis
    }

    /// One that has a port and is not started.
    pub fn stopped(arguments: &[&str]) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let arguments = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        Self { process: None, port, folder: TempDir::new().unwrap(), arguments }
    }

    /// `redis://127.0.0.1:PORT`
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// The port of 127.0.0.1 that it listens on.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Starts it again, on the same port and with what it had, and waits until it answers.
    pub fn resume(&mut self) {
        let program = std::env::var_os("REDIS_SERVER").unwrap_or(OsString::from("redis-server"));
        let process = Command::new(&program)
            .args(["--port", &self.port.to_string(), "--bind", "127.0.0.1", "--dir"])
            .arg(self.folder.path())
            .args(["--save", "", "--appendonly", "yes", "--appendfsync", "always"])
            .args(&self.arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start {}: {error}", program.display()));
        self.process = Some(process);
        while !self.answers() {
            let process = self.process.as_mut().unwrap();
            if let Some(status) = process.try_wait().unwrap() {
                panic!("{} ended with {status}", program.display());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Whether it takes commands, or asks for a password.
    fn answers(&self) -> bool {
        let ask = || {
            let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
            stream.write_all(b"PING\r\n")?;
            let mut answer = [0; 5];
            stream.read_exact(&mut answer)?;
            std::io::Result::Ok(answer)
        };
        // one that serves TLS only has no such port
        ask().is_ok_and(|answer| &answer == b"+PONG" || &answer == b"-NOAU")
    }

    /// Ends it.
    pub fn stop(&mut self) {
        if let Some(mut process) = self.process.take() {
            let _ = process.kill();
            let _ = process.wait();
        }
    }

    /// Sends it a signal, such as `-STOP`, which makes it deaf, and `-CONT`.
    pub fn signal(&self, name: &str) {
        let process = self.process.as_ref().unwrap();
        let sent = Command::new("kill").args([name, &process.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        self.stop();
    }
}
