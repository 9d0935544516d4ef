//! The service of `dist/` in a process of its own, with a state folder of its own.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader},
    net::SocketAddr,
    process::{Child, ChildStdout, Command, Stdio},
    time::Duration,
};

use anyhow::{Context, Result, bail};
use rusqlite::{Connection, params};
use tempfile::TempDir;
use textveil_service::credentials::{ApiKeyRecord, KeyLimits, Plan, STORE, generate, storage_key};

use crate::{
    dist,
    surfaces::{KEY_VERSION, SECRET, WORKSPACE, hex},
    workspace,
};

/// How long to wait for the store while the service writes to it.
const BUSY: Duration = Duration::from_secs(10);

/// A running service; it ends with this value.
#[derive(Debug)]
pub struct Service {
    process: Child,
    address: SocketAddr,
    api_key: String,
    state: TempDir,
}

impl Service {
    /// Starts `dist/textveil serve` on a free port and waits until it serves. Its keys of hashes and
    /// tokens are made from the secret of the corpus.
    ///
    /// # Errors
    /// Where it was not built, or ends at its start; with what it printed.
    pub fn start() -> Result<Self> {
        dist("api.wasm")?;
        dist("gateway.wasm")?;
        let state = tempfile::tempdir()?;
        let log = state.path().join("serve.log");
        let mut process = Command::new(dist(&format!("textveil{}", std::env::consts::EXE_SUFFIX))?)
            .args(["serve", "--quiet", "--listen", "127.0.0.1:0", "--manifest"])
            .arg(workspace("spin-app/spin.toml"))
            .arg("--state-dir")
            .arg(state.path())
            .args(["--variable", &format!("token_secrets={KEY_VERSION}:{}", hex(&SECRET))])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(File::create(&log)?)
            .spawn()?;
        let address = match process.stdout.as_mut().map(read_address) {
            Some(Some(address)) => address,
            _ => {
                let _ = process.kill();
                let printed = fs::read_to_string(log).unwrap_or_default();
                bail!("the service did not start ({}); it printed:\n{printed}", process.wait()?);
            }
        };
        let service = Self { process, address, api_key: generate(KEY_BYTES), state };
        service.admit_key()?;
        Ok(service)
    }

    /// Puts a key of the corpus's workspace into the store: on the plan that has everything, and with
    /// a limit that the corpus does not reach.
    fn admit_key(&self) -> Result<()> {
        let limits = KeyLimits { requests_per_minute: Some(u32::MAX) };
        let record = ApiKeyRecord { limits, ..ApiKeyRecord::new(&self.api_key, WORKSPACE, Plan::Enterprise) };
        let store = Connection::open(self.state.path().join("sqlite_key_value.db"))?;
        store.busy_timeout(BUSY)?;
        store
            .execute(
                "INSERT INTO spin_key_value (store, key, value) VALUES (?1, ?2, ?3)",
                params![STORE, storage_key(&self.api_key), record.to_json()],
            )
            .context("cannot write the key into the state folder")?;
        Ok(())
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// A key of the plan `enterprise`, without a limit that matters.
    pub fn api_key(&self) -> &str {
        &self.api_key
    }
}

/// What the key is made from; nobody but this service, which lives as long as a test, knows the key.
const KEY_BYTES: [u8; 32] = *b"the key of the conformance tests";

/// The address in the first line that the service prints: `Serving http://127.0.0.1:41873`.
fn read_address(printed: &mut ChildStdout) -> Option<SocketAddr> {
    let mut line = String::new();
    BufReader::new(printed).read_line(&mut line).ok()?;
    line.trim().rsplit_once("http://")?.1.parse().ok()
}

impl Drop for Service {
    fn drop(&mut self) {
        // its state folder goes with it, so there is nothing to end in order
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
