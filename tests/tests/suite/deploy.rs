//! The files of `spin-app/deploy`: what they say is what the service takes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde::Deserialize;
use tempfile::tempdir;
use textveil_tests::{dist, workspace};
use toml::{Table, Value};
use yaml_rust2::{Yaml, YamlLoader};

use crate::redis::Redis;

fn deploy(name: &str) -> String {
    fs::read_to_string(workspace("spin-app/deploy").join(name)).unwrap()
}

fn manifest() -> Table {
    fs::read_to_string(workspace("spin-app/spin.toml")).unwrap().parse().unwrap()
}

/// The labels of all stores of the application.
fn labels() -> BTreeSet<String> {
    let manifest = manifest();
    let components = manifest["component"].as_table().unwrap().values();
    let labels = components
        .filter_map(|component| component.get("key_value_stores"))
        .flat_map(|labels| labels.as_array().unwrap().clone());
    labels.map(|label| label.as_str().unwrap().to_owned()).collect()
}

/// A `textveil serve` that runs until it is dropped.
struct Server {
    process: Child,
    address: String,
}

impl Server {
    /// Starts a command line of `textveil`.
    fn start<S: AsRef<std::ffi::OsStr>>(words: &[S], environment: &[(&str, &str)]) -> Self {
        let mut process = Command::new(&words[0])
            .args(&words[1..])
            .envs(environment.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("Serving http://").expect("it did not start").to_owned();
        Self { process, address }
    }

    /// The status of the answer to `GET path`.
    fn status(&self, path: &str) -> u16 {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(stream, "GET {path} HTTP/1.0\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.split(' ').nth(1).unwrap().parse().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
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

#[test]
fn the_runtime_configurations_have_every_store() {
    for file in ["deploy/redis.toml", "runtime-config.toml"] {
        let config: Table = fs::read_to_string(workspace("spin-app").join(file)).unwrap().parse().unwrap();
        let known = ["key_value_store", "outbound_networking"];
        assert!(config.keys().all(|section| known.contains(&section.as_str())), "{file}");
        let stores = config["key_value_store"].as_table().unwrap();
        assert_eq!(stores.keys().cloned().collect::<BTreeSet<_>>(), labels(), "{file}");
    }
}

#[test]
#[ignore = "needs redis-server"]
fn with_redis_the_runtime_configuration_serves_and_readiness_follows_the_redis() {
    let mut redis = Redis::start();
    let folder = tempdir().unwrap();
    let config = deploy("redis.toml");
    assert!(config.contains("redis://127.0.0.1:6379"));
    let path = folder.path().join("redis.toml");
    fs::write(&path, config.replace("redis://127.0.0.1:6379", &redis.url())).unwrap();
    let server = Server::start(
        &[
            &dist("textveil").unwrap(),
            Path::new("serve"),
            Path::new("--listen=127.0.0.1:0"),
            Path::new("--manifest"),
            &workspace("spin-app/spin.toml"),
            Path::new("--state-dir"),
            folder.path(),
            Path::new("--runtime-config-file"),
            &path,
        ],
        &[],
    );
    for _ in 0..2 {
        assert_eq!((server.status("/readyz"), server.status("/healthz")), (200, 200));
        redis.stop();
        assert_eq!((server.status("/readyz"), server.status("/healthz")), (503, 200));
        redis.resume();
    }
    assert_eq!(server.status("/readyz"), 200);
}

/// The files of `/opt/textveil` in `folder`, and what stands for their paths.
fn installed(folder: &Path) -> PathBuf {
    let root = folder.join("opt");
    for (file, to) in [
        (dist("textveil").unwrap(), "dist"),
        (dist("textveil-engine.wasm").unwrap(), "dist"),
        (dist("api.wasm").unwrap(), "dist"),
        (dist("gateway.wasm").unwrap(), "dist"),
        (dist("pages.wasm").unwrap(), "dist"),
        (dist("playground").unwrap(), "dist"),
        (dist("console").unwrap(), "dist"),
        (workspace("spin-app/spin.toml"), "spin-app"),
    ] {
        copy_all(&file, &root.join(to).join(file.file_name().unwrap()));
    }
    root
}

#[test]
fn the_unit_of_systemd_starts_the_service() {
    let unit = deploy("textveil.service");
    let folder = tempdir().unwrap();
    let root = installed(folder.path()).display().to_string();
    let credentials = folder.path().join("credentials");
    fs::create_dir(&credentials).unwrap();
    let line = unit.lines().find_map(|line| line.strip_prefix("ExecStart=")).unwrap();
    let words: Vec<String> = line
        .split(' ')
        .map(|word| {
            word.replace("/opt/textveil", &root)
                .replace("127.0.0.1:3000", "127.0.0.1:0")
                .replace("127.0.0.1:9464", "127.0.0.1:0")
                .replace("${STATE_DIRECTORY}", folder.path().join("state").to_str().unwrap())
                .replace("${CREDENTIALS_DIRECTORY}", credentials.to_str().unwrap())
        })
        .collect();
    // each credential that the line reads is one that the unit loads
    let table: Table = deploy("variables.toml").parse().unwrap();
    let commands = table["variable"].as_array().unwrap();
    for loaded in unit.lines().filter_map(|line| line.strip_prefix("LoadCredential=")) {
        let (name, _) = loaded.split_once(':').unwrap();
        let command = commands.iter().find(|variable| variable["name"].as_str() == Some(name)).unwrap();
        let made = Command::new("sh").args(["-c", command["make"].as_str().unwrap()]).output().unwrap();
        assert!(made.status.success(), "{name}: {}", String::from_utf8_lossy(&made.stderr));
        fs::write(credentials.join(name), made.stdout).unwrap();
    }
    let server = Server::start(&words, &[]);
    assert_eq!(server.status("/readyz"), 200);
    assert!(!folder.path().join("state/token_secrets").exists(), "the credential was not used");

    let Ok(version) = Command::new("systemd-analyze").arg("--version").output() else {
        println!("systemd is not installed: its own check of the unit is left out");
        return;
    };
    assert!(version.status.success());
    let copy = folder.path().join("textveil.service");
    fs::write(&copy, unit.replace("/opt/textveil", &root)).unwrap();
    let verified = Command::new("systemd-analyze").arg("verify").arg(&copy).output().unwrap();
    let said = String::from_utf8_lossy(&verified.stderr);
    assert!(verified.status.success() && !said.contains("textveil.service"), "{said}");
}

#[test]
fn the_container_has_what_its_program_needs() {
    let file = deploy("Containerfile");
    let last = file.rsplit("\nFROM ").next().unwrap();
    let folder = tempdir().unwrap();
    let inside = |path: &str| folder.path().join(path.trim_start_matches('/'));
    let copies: Vec<_> =
        last.lines().filter_map(|line| line.strip_prefix("COPY --from=build /src/")).collect();
    assert!(!copies.is_empty());
    for copy in copies {
        let (from, to) = copy.split_once(' ').unwrap();
        let from = workspace(from);
        // as a container file has it: a folder's content goes into the target
        let target = if from.is_dir() { inside(to) } else { inside(to).join(from.file_name().unwrap()) };
        copy_all(&from, &target);
    }
    let entrypoint = last.lines().find_map(|line| line.strip_prefix("ENTRYPOINT ")).unwrap();
    let words: Vec<String> = serde_json::from_str(entrypoint).unwrap();
    let words: Vec<String> = words
        .into_iter()
        .map(|word| match word.as_str() {
            "0.0.0.0:3000" => "127.0.0.1:0".to_owned(),
            path if path.starts_with('/') => inside(path).to_str().unwrap().to_owned(),
            _ => word,
        })
        .collect();
    let server = Server::start(&words, &[]);
    assert_eq!(server.status("/readyz"), 200);
    // the engine is beside the program, for the other commands
    let detect = Command::new(&words[0]).args(["detectors"]).current_dir(folder.path()).output().unwrap();
    assert!(detect.status.success(), "{}", String::from_utf8_lossy(&detect.stderr));
}

/// The fields of SpinKube's `core.spinkube.dev/v1alpha1` that are used, by their names there (its operator 0.6.1).
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SpinApp {
    api_version: String,
    kind: String,
    metadata: Metadata,
    spec: Spec,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Metadata {
    name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Spec {
    image: String,
    executor: String,
    replicas: u32,
    runtime_config: RuntimeConfig,
    variables: Vec<Variable>,
    checks: BTreeMap<String, Check>,
    resources: BTreeMap<String, BTreeMap<String, String>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RuntimeConfig {
    load_from_secret: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Variable {
    name: String,
    value: Option<String>,
    value_from: Option<ValueFrom>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ValueFrom {
    secret_key_ref: SecretKey,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SecretKey {
    name: String,
    key: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Check {
    http_get: HttpGet,
    #[serde(default)]
    _timeout_seconds: u32,
    #[serde(default)]
    _period_seconds: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct HttpGet {
    path: String,
}

fn json(yaml: Yaml) -> serde_json::Value {
    match yaml {
        Yaml::String(text) => text.into(),
        Yaml::Integer(number) => number.into(),
        Yaml::Array(list) => list.into_iter().map(json).collect(),
        Yaml::Hash(object) => {
            object.into_iter().map(|(name, value)| (name.into_string().unwrap(), json(value))).collect()
        }
        other => panic!("the manifest has no need of {other:?}"),
    }
}

#[test]
fn the_manifest_for_spinkube_is_of_this_application() {
    let [document]: [Yaml; 1] =
        YamlLoader::load_from_str(&deploy("spinkube.yaml")).unwrap().try_into().unwrap();
    let app: SpinApp = serde_json::from_value(json(document)).unwrap();
    assert_eq!((app.api_version.as_str(), app.kind.as_str()), ("core.spinkube.dev/v1alpha1", "SpinApp"));
    let spec = app.spec;
    assert_eq!(spec.executor, "containerd-shim-spin");
    assert!(spec.replicas > 1, "with one the stores need not be shared");

    // every variable is one of the application's, and every required one is given, as a secret if it is one
    let manifest = manifest();
    let declared = manifest["variables"].as_table().unwrap();
    let flag = |declaration: &Value, name: &str| declaration.get(name).and_then(Value::as_bool) == Some(true);
    for variable in &spec.variables {
        let declaration = declared.get(&variable.name).unwrap_or_else(|| panic!("{}", variable.name));
        assert_eq!(variable.value.is_none(), flag(declaration, "secret"), "{}", variable.name);
        assert_ne!(variable.value.is_some(), variable.value_from.is_some(), "{}", variable.name);
    }
    for (name, _) in declared.iter().filter(|(_, declaration)| flag(declaration, "required")) {
        assert!(spec.variables.iter().any(|variable| &variable.name == name), "{name} is required");
    }

    // the README says how to make the secrets and where the image comes from
    let readme = deploy("README.md");
    let generic = |name: &str| format!("create secret generic {name} ");
    assert!(readme.contains(&generic(&spec.runtime_config.load_from_secret)));
    for from in spec.variables.iter().filter_map(|variable| variable.value_from.as_ref()) {
        let SecretKey { name, key } = &from.secret_key_ref;
        assert!(
            readme.contains(&format!("{}--from-file=secrets/\n", generic(name)))
                && readme.contains(&format!(" > secrets/{key}\n")),
            "{key}"
        );
    }
    assert!(readme.contains(&format!(" {}\n", spec.image)));
    let version = manifest["application"]["version"].as_str().unwrap();
    assert!(spec.image.ends_with(&format!(":{version}")), "{}", spec.image);
    assert_eq!(app.metadata.name, manifest["application"]["name"].as_str().unwrap());

    assert_eq!(spec.resources.keys().collect::<Vec<_>>(), ["limits", "requests"]);
    let folder = tempdir().unwrap();
    let server = Server::start(
        &[
            &dist("textveil").unwrap(),
            Path::new("serve"),
            Path::new("--listen=127.0.0.1:0"),
            Path::new("--manifest"),
            &workspace("spin-app/spin.toml"),
            Path::new("--state-dir"),
            folder.path(),
        ],
        &[],
    );
    for (check, probe) in &spec.checks {
        assert!(["readiness", "liveness"].contains(&check.as_str()));
        assert_eq!(server.status(&probe.http_get.path), 200, "{check}");
    }
}
