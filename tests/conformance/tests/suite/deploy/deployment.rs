//! The service as a file of `spin-app/deploy` starts it.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::{TempDir, tempdir};
use textveil_tests::{dist, program, workspace};
use toml::Table;

use super::{deploy, spinkube::SpinApp};
use crate::redis::Redis;

/// A `textveil serve` that runs until it is dropped.
pub(super) struct Server {
    process: Child,
    address: String,
}

/// The status and the body of an answer.
pub(super) type Answer = (u16, String);

impl Server {
    /// Starts a command line of `textveil`.
    pub(super) fn start<S: AsRef<std::ffi::OsStr>>(words: &[S], environment: &[(String, String)]) -> Self {
        let mut process = Command::new(&words[0])
            .args(&words[1..])
            .envs(environment.iter().cloned())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("Serving http://").expect("it did not start").to_owned();
        Self { process, address }
    }

    /// Sends a request with these lines of the head.
    pub(super) fn ask(&self, method: &str, path: &str, head: &[String], body: &str) -> Answer {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let head: String = head.iter().map(|line| format!("{line}\r\n")).collect();
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.0\r\n{head}content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }

    /// The status of the answer to `GET path` without a credential.
    pub(super) fn get(&self, path: &str) -> u16 {
        self.ask("GET", path, &[], "").0
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A deployment: the command line of its file, made to run in a folder.
pub(super) struct Deployment {
    words: Vec<String>,
    environment: Vec<(String, String)>,
    folder: TempDir,
    redis: Option<Redis>,
}

impl Deployment {
    /// The unit of systemd.
    pub(super) fn systemd() -> Self {
        let mut deployment = Self::new();
        let unit = deploy("textveil.service");
        let line = unit.lines().find_map(|line| line.strip_prefix("ExecStart=")).unwrap();
        deployment.words = line.split(' ').map(str::to_owned).collect();
        for (from, to) in [
            ("/opt/textveil", deployment.root()),
            ("127.0.0.1:3000", "127.0.0.1:0".to_owned()),
            ("127.0.0.1:9464", "127.0.0.1:0".to_owned()),
            ("${STATE_DIRECTORY}", deployment.state().display().to_string()),
            ("${CREDENTIALS_DIRECTORY}", deployment.secrets()),
        ] {
            deployment.replace(from, &to);
        }
        let root = PathBuf::from(deployment.root());
        for (file, to) in [
            (program().unwrap(), "dist"),
            (dist("textveil-engine.wasm").unwrap(), "dist"),
            (dist("api.wasm").unwrap(), "dist"),
            (dist("gateway.wasm").unwrap(), "dist"),
            (dist("pages.wasm").unwrap(), "dist"),
            (dist("pages").unwrap(), "dist"),
            (workspace("spin.toml"), ""),
        ] {
            copy_all(&file, &root.join(to).join(file.file_name().unwrap()));
        }
        // each credential that the line reads is one that the unit loads
        let loaded: Vec<&str> = unit
            .lines()
            .filter_map(|line| Some(line.strip_prefix("LoadCredential=")?.split_once(':')?.0))
            .collect();
        deployment.make_secrets(Some(&loaded));
        deployment
    }

    /// The container, with the arguments that the README has.
    pub(super) fn container() -> Self {
        let mut deployment = Self::new();
        let file = fs::read_to_string(workspace("Containerfile")).unwrap();
        let last = file.rsplit("\nFROM ").next().unwrap();
        let root = PathBuf::from(deployment.root());
        let copies: Vec<_> =
            last.lines().filter_map(|line| line.strip_prefix("COPY --from=build /src/")).collect();
        assert!(!copies.is_empty());
        for copy in copies {
            let (from, to) = copy.split_once(' ').unwrap();
            let from = if from == "dist/textveil" { program().unwrap() } else { workspace(from) };
            let to = root.join(to.strip_prefix("/opt/textveil/").unwrap());
            // as a container file has it: a folder's content goes into the target
            let target = if from.is_dir() { to } else { to.join(from.file_name().unwrap()) };
            copy_all(&from, &target);
        }
        let entrypoint = last.lines().find_map(|line| line.strip_prefix("ENTRYPOINT ")).unwrap();
        deployment.words = serde_json::from_str(entrypoint).unwrap();
        let run = readme_command("container", "podman run ");
        let image = run.iter().position(|word| word == "textveil").unwrap();
        deployment.words.extend_from_slice(&run[image + 1..]);
        for (from, to) in [
            ("/opt/textveil", deployment.root()),
            ("0.0.0.0:3000", "127.0.0.1:0".to_owned()),
            ("/var/lib/textveil", deployment.state().display().to_string()),
            ("/run/secrets/textveil", deployment.secrets()),
        ] {
            deployment.replace(from, &to);
        }
        deployment.make_secrets(None);
        deployment
    }

    /// The command line of Spin in the README, with the stores on Redis; this host takes Spin's options.
    pub(super) fn spin() -> Self {
        let mut deployment = Self::on_redis();
        let words = readme_command("spin", "spin up ");
        let variables = words.iter().position(|word| word == "--variable").unwrap();
        let file = words.iter().position(|word| word == "--runtime-config-file").unwrap();
        assert_eq!(words[file + 1], "spin-app/deploy/redis.toml");
        deployment.words.extend_from_slice(&words[variables..]);
        let secrets = format!("@{}/", deployment.secrets());
        deployment.replace("@secrets/", &secrets);
        deployment
    }

    /// The manifest of SpinKube: its variables come from the environment.
    pub(super) fn spinkube() -> Self {
        let mut deployment = Self::on_redis();
        for variable in SpinApp::read().spec.variables {
            let value = match variable.value_from {
                Some(from) => deployment.secret(&from.secret_key_ref.key),
                // the README has people write what is not secret into the manifest
                None if variable.name == "environment" => variable.value.unwrap(),
                None => deployment.secret(&variable.name),
            };
            let name = format!("SPIN_VARIABLE_{}", variable.name.to_ascii_uppercase());
            deployment.environment.push((name, value));
        }
        deployment
    }

    fn on_redis() -> Self {
        let redis = Redis::start();
        let mut deployment = Self::new();
        let config = deploy("redis.toml");
        assert!(config.contains("redis://127.0.0.1:6379"));
        let path = deployment.folder.path().join("redis.toml");
        fs::write(&path, config.replace("redis://127.0.0.1:6379", &redis.url())).unwrap();
        deployment.words = [
            program().unwrap().display().to_string(),
            "serve".to_owned(),
            "--listen=127.0.0.1:0".to_owned(),
            "--manifest".to_owned(),
            workspace("spin.toml").display().to_string(),
            "--state-dir".to_owned(),
            deployment.state().display().to_string(),
            "--runtime-config-file".to_owned(),
            path.display().to_string(),
        ]
        .into();
        deployment.redis = Some(redis);
        deployment.make_secrets(None);
        deployment
    }

    fn new() -> Self {
        let folder = tempdir().unwrap();
        fs::create_dir(folder.path().join("secrets")).unwrap();
        Self { words: Vec::new(), environment: Vec::new(), folder, redis: None }
    }

    fn replace(&mut self, from: &str, to: &str) {
        for word in &mut self.words {
            *word = word.replace(from, to);
        }
    }

    /// Generates the values of the variables as described in the README, and users of an identity provider;
    /// only those in `loaded`, if it is given.
    fn make_secrets(&self, loaded: Option<&[&str]>) {
        let table: Table = deploy("variables.toml").parse().unwrap();
        for variable in table["variable"].as_array().unwrap() {
            let name = variable["name"].as_str().unwrap();
            if loaded.is_some_and(|loaded| !loaded.contains(&name)) {
                continue;
            }
            let value = match name {
                "user_token_key" => USER_TOKEN_KEY.to_owned(),
                "user_token_issuer" => USER_TOKEN_ISSUER.to_owned(),
                "user_token_audience" => USER_TOKEN_AUDIENCE.to_owned(),
                "openai_api_key" => "sk-of-the-operator".to_owned(),
                _ => {
                    let command = variable["make"].as_str().unwrap();
                    let made = Command::new("sh").args(["-c", command]).output().unwrap();
                    assert!(made.status.success(), "{name}: {}", String::from_utf8_lossy(&made.stderr));
                    String::from_utf8(made.stdout).unwrap()
                }
            };
            fs::write(self.folder.path().join("secrets").join(name), value).unwrap();
        }
    }

    /// Starts the service.
    pub(super) fn start(&self) -> Server {
        Server::start(&self.words, &self.environment)
    }

    /// Starts the service on the same stores, in the profile for development.
    pub(super) fn start_for_development(&self) -> Server {
        let words: Vec<&str> = self.words.iter().map(String::as_str).chain(["--dev"]).collect();
        Server::start(&words, &self.environment)
    }

    /// The program.
    pub(super) fn program(&self) -> &str {
        &self.words[0]
    }

    /// Returns the folder of the installed program.
    pub(super) fn root(&self) -> String {
        self.folder.path().join("opt").display().to_string()
    }

    /// The folder of the state.
    pub(super) fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    fn secrets(&self) -> String {
        self.folder.path().join("secrets").display().to_string()
    }

    /// The value of a variable.
    pub(super) fn secret(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path().join("secrets").join(name)).unwrap()
    }

    /// The service token of that name.
    pub(super) fn service_token(&self, name: &str) -> String {
        let tokens = self.secret("service_tokens");
        let entry = tokens.split(',').find(|entry| entry.starts_with(&format!("{name}:"))).unwrap();
        entry.rsplit(':').next().unwrap().to_owned()
    }

    /// Returns the Redis of the stores, if they are on one.
    pub(super) fn redis(&mut self) -> Option<&mut Redis> {
        self.redis.as_mut()
    }

    /// Returns the port of the stores on 127.0.0.1, if they are on a Redis.
    pub(super) fn redis_port(&self) -> Option<u16> {
        self.redis.as_ref().map(Redis::port)
    }
}

/// Signs the tokens of users, as the identity provider of the operator does.
pub(super) const USER_TOKEN_KEY: &str = "a shared secret of more than 32 bytes";
pub(super) const USER_TOKEN_ISSUER: &str = "https://login.example.com";
pub(super) const USER_TOKEN_AUDIENCE: &str = "textveil";

/// The words of a command of the README that begins so, in the region of that name.
fn readme_command(region: &str, beginning: &str) -> Vec<String> {
    let readme = deploy("README.md");
    let (_, block) = readme.split_once(&format!("<!-- {region} -->")).unwrap();
    let (block, _) = block.split_once(&format!("<!-- end of {region} -->")).unwrap();
    let block = block.replace("\\\n", " ");
    let line = block.lines().find(|line| line.starts_with(beginning)).unwrap();
    line.split_whitespace().map(str::to_owned).collect()
}

/// Copies a file, or a folder with all that is in it.
fn copy_all(from: &Path, to: &Path) {
    if from.is_dir() {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let path = entry.unwrap().path();
            copy_all(&path, &to.join(path.file_name().unwrap()));
        }
    } else {
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(from, to).unwrap_or_else(|error| panic!("{}: {error}", from.display()));
    }
}
