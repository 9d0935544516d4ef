//! The service of `dist/` as a separate process, with a separate state folder.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader},
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Command, Stdio},
};

use anyhow::{Context, Result, bail, ensure};
use tempfile::TempDir;

use crate::{
    dist, program,
    surfaces::{KEY_VERSION, SECRET, WORKSPACE, hex},
    workspace,
};

/// More than any test asks for.
const NO_LIMIT: &str = "4000000000";

/// A running service; it ends with this value.
#[derive(Debug)]
pub struct Service {
    process: Child,
    address: SocketAddr,
    api_key: String,
    state: TempDir,
}

/// Options for starting a service.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// A file in Spin's syntax with the configuration of the stores; `None` for stores in the state folder.
    pub runtime_config_file: Option<PathBuf>,
    /// Variables of the application, as `NAME=VALUE`.
    pub variables: Vec<String>,
}

impl Service {
    /// Starts `dist/textveil serve --dev` on a free port and waits until it serves. Its keys of hashes and
    /// tokens are made from the secret of the corpus.
    ///
    /// # Errors
    /// If it was not built, or ends at its start; with what it printed.
    pub fn start() -> Result<Self> {
        Self::start_with(&Options::default())
    }

    /// Starts a service as [`Service::start`] does, with options.
    ///
    /// # Errors
    /// As [`Service::start`].
    pub fn start_with(options: &Options) -> Result<Self> {
        dist("api.wasm")?;
        dist("gateway.wasm")?;
        let state = tempfile::tempdir()?;
        let (process, address) = spawn(state.path(), options, "127.0.0.1:0")?;
        let api_key = new_key(state.path(), options, WORKSPACE, &["--plan", "enterprise"])?;
        Ok(Self { process, address, api_key, state })
    }

    /// Kills the process as `kill -9` does, and starts it anew on the same state and address.
    ///
    /// # Errors
    /// As [`Service::start`].
    pub fn kill_and_restart(&mut self, options: &Options) -> Result<()> {
        self.process.kill()?;
        self.process.wait()?;
        let (process, address) = spawn(self.state.path(), options, &self.address.to_string())?;
        self.process = process;
        self.address = address;
        Ok(())
    }

    /// The id of the process.
    pub fn process_id(&self) -> u32 {
        self.process.id()
    }

    /// Returns a line of the memory of the process as Linux reports it, in MB; 0 if it cannot be read.
    ///
    /// `VmRSS:` is the resident memory, `VmHWM:` the most that it was.
    pub fn memory_mb(&self, line: &str) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process_id())).unwrap_or_default();
        let line = status.lines().find_map(|found| found.strip_prefix(line));
        line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok()).unwrap_or_default() / 1_024
    }

    /// A credential for development, by its name in `credentials.env`.
    ///
    /// # Errors
    /// If the file does not contain that name.
    pub fn credential(&self, name: &str) -> Result<String> {
        let file = fs::read_to_string(self.state.path().join("credentials.env"))?;
        let line = file.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        Ok(line.with_context(|| format!("there is no credential {name}"))?.to_owned())
    }

    /// Returns the address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// A key of the plan `enterprise`, without a limit that matters.
    pub fn api_key(&self) -> &str {
        &self.api_key
    }

    /// Makes a key of another workspace, without a limit that matters.
    ///
    /// # Errors
    /// If the stores are not in the state folder, or the key cannot be made; with what the program printed.
    pub fn another_key(&self, workspace: &str) -> Result<String> {
        new_key(self.state.path(), &Options::default(), workspace, &["--plan", "enterprise"])
    }
}

/// Starts the program; returns the process and its address.
fn spawn(state: &Path, options: &Options, listen: &str) -> Result<(Child, SocketAddr)> {
    let log = state.join("serve.log");
    let mut command = Command::new(program()?);
    command
        .args(["serve", "--dev", "--quiet", "--listen", listen, "--manifest"])
        .arg(workspace("spin.toml"))
        .args(state_flags(state, options))
        .args(["--variable", &format!("token_secrets={}", token_secrets())])
        // as users run it: with it, wasmtime takes one for each error between the service and its host
        .env_remove("RUST_BACKTRACE")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(File::create(&log)?);
    for variable in &options.variables {
        command.args(["--variable", variable]);
    }
    let mut process = command.spawn()?;
    match process.stdout.as_mut().map(read_address) {
        Some(Some(address)) => Ok((process, address)),
        _ => {
            let _ = process.kill();
            let printed = fs::read_to_string(log).unwrap_or_default();
            bail!("the service did not start ({}); it printed:\n{printed}", process.wait()?);
        }
    }
}

fn token_secrets() -> String {
    format!("{KEY_VERSION}:{}", hex(&SECRET))
}

/// Makes an API key without limits that matter, as the operator of a service does.
fn new_key(state: &Path, options: &Options, workspace: &str, flags: &[&str]) -> Result<String> {
    let made = Command::new(program()?)
        .args(["keys", "create", "--workspace", workspace])
        .args(["--requests-per-minute", NO_LIMIT, "--concurrent-requests", NO_LIMIT])
        .args(["--requests-per-month", NO_LIMIT])
        .args(flags)
        .args(state_flags(state, options))
        // authenticates the audit record of the new key
        .env("SPIN_VARIABLE_TOKEN_SECRETS", token_secrets())
        .output()?;
    ensure!(made.status.success(), "no key was made: {}", String::from_utf8_lossy(&made.stderr));
    Ok(String::from_utf8(made.stdout)?.trim().to_owned())
}

fn state_flags(state: &Path, options: &Options) -> Vec<PathBuf> {
    let mut flags = vec!["--state-dir".into(), state.to_path_buf()];
    if let Some(file) = &options.runtime_config_file {
        flags.extend(["--runtime-config-file".into(), file.clone()]);
    }
    flags
}

/// The address in the first line that the service prints: `Serving http://127.0.0.1:41873`.
fn read_address(printed: &mut ChildStdout) -> Option<SocketAddr> {
    let mut line = String::new();
    BufReader::new(printed).read_line(&mut line).ok()?;
    line.trim().rsplit_once("http://")?.1.parse().ok()
}

impl Drop for Service {
    fn drop(&mut self) {
        // its state folder is deleted, so an orderly shutdown is unnecessary
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
