//! The service of `dist/` in a process of its own, with a state folder of its own.

use std::{
    fs::File,
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
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

/// How long the service may take to start: it compiles its component, on a machine that may be busy.
const START: Duration = Duration::from_secs(120);

/// A running service; it ends with this value.
#[derive(Debug)]
pub struct Service {
    process: Child,
    address: SocketAddr,
    api_key: String,
    state: TempDir,
}

impl Service {
    /// Starts `dist/textveil serve` on a free port and waits until it accepts connections. Its keys of
    /// hashes and tokens are made from the secret of the corpus.
    ///
    /// # Errors
    /// Where it was not built, or ends or hangs at its start; with what it printed.
    pub fn start() -> Result<Self> {
        let state = tempfile::tempdir()?;
        // a port that was free a moment ago
        let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?;
        let log = state.path().join("serve.log");
        let output = File::create(&log)?;
        dist("api.wasm")?;
        let process = Command::new(dist(&format!("textveil{}", std::env::consts::EXE_SUFFIX))?)
            .arg("serve")
            .args(["--listen", &address.to_string()])
            .arg("--manifest")
            .arg(workspace("spin-app/spin.toml"))
            .arg("--state-dir")
            .arg(state.path())
            .args(["--variable", &format!("token_secrets={KEY_VERSION}:{}", hex(&SECRET))])
            .stdin(Stdio::null())
            .stdout(output.try_clone()?)
            .stderr(output)
            .spawn()?;
        let api_key = generate(KEY_BYTES);
        let mut service = Self { process, address, api_key, state };
        service.wait_for_start(&log)?;
        service.admit_key()?;
        Ok(service)
    }

    fn wait_for_start(&mut self, log: &Path) -> Result<()> {
        let start = Instant::now();
        while TcpStream::connect(self.address).is_err() {
            let ended = self.process.try_wait()?;
            if ended.is_some() || start.elapsed() > START {
                let printed = std::fs::read_to_string(log).unwrap_or_default();
                bail!("the service did not start ({ended:?}); it printed:\n{printed}");
            }
            thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    /// Puts a key of the corpus's workspace into the store: on the plan that has everything, and with
    /// a limit that the corpus does not reach.
    fn admit_key(&self) -> Result<()> {
        let limits = KeyLimits { requests_per_minute: Some(u32::MAX) };
        let record = ApiKeyRecord { limits, ..ApiKeyRecord::new(&self.api_key, WORKSPACE, Plan::Enterprise) };
        let store = Connection::open(self.state.path().join("sqlite_key_value.db"))?;
        store.busy_timeout(START)?;
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

impl Drop for Service {
    fn drop(&mut self) {
        // its state folder goes with it, so there is nothing to end in order
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
