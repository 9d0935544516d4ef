//! The files of `spin-app/deploy`: their settings must be valid for the service.

mod attacks;
mod deployment;
mod manifests;
mod spinkube;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use deployment::{Deployment, Server};
use spinkube::{SecretKey, SpinApp};
use tempfile::tempdir;
use textveil_tests::{program, workspace};
use toml::{Table, Value};

fn deploy(name: &str) -> String {
    fs::read_to_string(workspace("spin-app/deploy").join(name)).unwrap()
}

fn manifest() -> Table {
    fs::read_to_string(workspace("spin.toml")).unwrap().parse().unwrap()
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

/// `wkg` rejects other keys.
#[test]
fn what_wkg_publishes_has_its_metadata() {
    for folder in ["wit", "engine/component", "spin-app/middleware"] {
        let text = fs::read_to_string(workspace(folder).join("wkg.toml")).unwrap();
        let config: Table = text.parse().unwrap();
        let known = ["authors", "description", "homepage", "licenses", "revision", "source"];
        let metadata = config["metadata"].as_table().unwrap();
        assert!(metadata.keys().all(|key| known.contains(&key.as_str())), "{folder}");
        assert!(metadata.contains_key("description") && metadata.contains_key("licenses"), "{folder}");
    }
}

/// `wkg publish` cannot try a publication, so the names and versions of its commands are compared with the packages.
#[test]
fn the_commands_of_publication_name_these_packages() {
    let world = fs::read_to_string(workspace("wit/world.wit")).unwrap();
    let engine = world.lines().find_map(|line| line.strip_prefix("package ")).unwrap().trim_end_matches(';');
    let middleware = format!("textveil:middleware@{}", env!("CARGO_PKG_VERSION"));
    let readme = deploy("README.md");
    let commands = readme.lines().filter_map(|line| line.strip_prefix("wkg publish "));
    let published: Vec<_> = commands.map(|command| command.split_once(" --package ").unwrap()).collect();
    assert_eq!(
        published,
        [("dist/textveil-engine.wit.wasm", engine), ("dist/middleware.wasm", middleware.as_str())]
    );
}

#[test]
#[ignore = "needs redis-server"]
fn with_redis_the_runtime_configuration_serves_and_readiness_follows_the_redis() {
    let mut deployment = Deployment::spin();
    let server = deployment.start();
    let redis = deployment.redis().unwrap();
    for _ in 0..2 {
        assert_eq!((server.get("/readyz"), server.get("/healthz")), (200, 200));
        redis.stop();
        assert_eq!((server.get("/readyz"), server.get("/healthz")), (503, 200));
        redis.resume();
    }
    assert_eq!(server.get("/readyz"), 200);
}

#[test]
fn the_unit_of_systemd_starts_the_service() {
    let deployment = Deployment::systemd();
    let server = deployment.start();
    assert_eq!(server.get("/readyz"), 200);
    assert!(!deployment.state().join("token_secrets").exists(), "the credential was not used");

    let Ok(version) = Command::new("systemd-analyze").arg("--version").output() else {
        println!("systemd is not installed: its own check of the unit is left out");
        return;
    };
    assert!(version.status.success());
    let folder = tempdir().unwrap();
    let copy = folder.path().join("textveil.service");
    fs::write(&copy, deploy("textveil.service").replace("/opt/textveil", &deployment.root())).unwrap();
    let verified = Command::new("systemd-analyze").arg("verify").arg(&copy).output().unwrap();
    let said = String::from_utf8_lossy(&verified.stderr);
    assert!(verified.status.success() && !said.contains("textveil.service"), "{said}");
}

#[test]
fn the_container_has_what_its_program_needs() {
    let deployment = Deployment::container();
    assert_eq!(deployment.start().get("/readyz"), 200);
    // the engine is beside the program, for the other commands
    let detect = Command::new(deployment.program()).args(["detectors"]).output().unwrap();
    assert!(detect.status.success(), "{}", String::from_utf8_lossy(&detect.stderr));
}

#[test]
fn the_manifest_for_spinkube_is_of_this_application() {
    let app = SpinApp::read();
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

    // the README describes how to generate the secrets and where the image comes from
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
            &program().unwrap(),
            Path::new("serve"),
            Path::new("--listen=127.0.0.1:0"),
            Path::new("--manifest"),
            &workspace("spin.toml"),
            Path::new("--state-dir"),
            folder.path(),
        ],
        &[],
    );
    for (check, probe) in &spec.checks {
        assert!(["readiness", "liveness"].contains(&check.as_str()));
        assert_eq!(server.get(&probe.http_get.path), 200, "{check}");
    }
}
