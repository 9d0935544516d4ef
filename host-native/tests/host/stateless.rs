//! The stateless component.

use std::path::{Path, PathBuf};

use bytes::Bytes;
use http::{Method, Request};
use http_body_util::Full;
use serde_json::{Value, json};
use tempfile::tempdir;
use textveil::app::{App, Manifest, Options};

use crate::support;

pub const KEY: &str = "fpk_0123456789abcdefghijABCDEFGHIJ0123456789abc";
const SECRETS: &str = "1:000102030405060708090a0b0c0d0e0f";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn variables() -> [(String, String); 2] {
    [("api_keys".into(), format!("app:pro@acme:{KEY}")), ("token_secrets".into(), SECRETS.into())]
}

/// A request, and what its answer must be: a status and a part of the body.
fn cases() -> Vec<(Method, &'static str, Value, u16, &'static str)> {
    let text = json!({ "text": "PESEL 44051401359" });
    let token = json!({ "text": "PESEL 44051401359", "mode": "tokenize" });
    vec![
        (Method::GET, "/healthz", Value::Null, 200, "alive"),
        (Method::GET, "/readyz", Value::Null, 200, "ready"),
        (Method::GET, "/api/v1/health", Value::Null, 200, "healthy"),
        (Method::GET, "/api/v1/detectors?country=PL", Value::Null, 200, "\"pesel\""),
        (Method::POST, "/api/v1/detect", text.clone(), 200, "\"44051401359\""),
        (Method::POST, "/api/v1/detect/batch", json!({ "texts": ["PESEL 44051401359"] }), 200, "\"pesel\""),
        (
            Method::POST,
            "/api/v1/validate",
            json!({ "value": "44051401359", "entity_type": "pesel" }),
            200,
            "true",
        ),
        (Method::POST, "/api/v1/protect", text.clone(), 200, "PESEL [REDACTED]"),
        (Method::POST, "/api/v1/protect", token, 200, "tok_"),
        (Method::POST, "/api/v1/restore", json!({ "text": "nothing" }), 200, "nothing"),
        (Method::POST, "/api/v1/detect", json!({ "text": 1 }), 400, "text"),
        // endpoints that need a store
        (Method::GET, "/metrics", Value::Null, 401, ""),
        (Method::GET, "/api/v1/allow-list", Value::Null, 404, ""),
        (Method::POST, "/api/v1/allow-list", json!({ "regex": ".+" }), 403, ""),
        (Method::GET, "/api/v1/api-keys", Value::Null, 401, ""),
        (Method::POST, "/v1/chat/completions", text, 401, ""),
    ]
}

fn request(method: Method, path: &str, body: &Value, key: &str) -> Request<Full<Bytes>> {
    let body = if body.is_null() { Bytes::new() } else { body.to_string().into() };
    Request::builder()
        .method(method)
        .uri(format!("http://localhost{path}"))
        .header("host", "localhost")
        .header("x-api-key", key)
        .header("content-type", "application/json")
        .body(Full::new(body))
        .unwrap()
}

/// Loads the component, with its state in `folder`.
pub fn load(folder: &Path, change: impl FnOnce(&mut Options)) -> App {
    let mut options = support::options(&folder.join("state"));
    options.variables.extend(variables());
    change(&mut options);
    App::load(&Manifest::read(&root().join("spin-app/stateless/spin.toml")).unwrap(), options).unwrap()
}

#[tokio::test]
async fn the_component_answers_without_a_store() {
    let folder = tempdir().unwrap();
    let app = load(folder.path(), |_| {});
    for (method, path, body, status, part) in cases() {
        let answer = support::send(&app, request(method, path, &body, KEY)).await;
        assert_eq!(answer.status, status, "{path}: {}", answer.text());
        assert!(answer.text().contains(part), "{path}: {}", answer.text());
    }
    let wrong = request(Method::GET, "/api/v1/health", &Value::Null, &KEY.replace("fpk_0", "fpk_1"));
    assert_eq!(support::send(&app, wrong).await.status, 401);
    // the limit of 60 holds for each of the few instances
    let mut refused = 0;
    for _ in 0..500 {
        let answer = support::send(&app, request(Method::GET, "/api/v1/health", &Value::Null, KEY)).await;
        refused += usize::from(answer.status == 429);
    }
    assert!(refused > 0);
}

/// Reads a variable that the manifest does not give it from the environment, as hosts do that have only that.
#[tokio::test]
async fn keys_may_come_from_the_environment() {
    let folder = tempdir().unwrap();
    let component = root().join("dist/stateless.wasm").canonicalize().unwrap();
    let manifest = folder.path().join("spin.toml");
    let text = format!(
        "spin_manifest_version = 2\n[application]\nname = \"x\"\n[[trigger.http]]\nroute = \"/...\"\n\
         component = \"x\"\n[component.x]\nsource = {:?}\n[component.x.environment]\n\
         API_KEYS = \"app:pro@acme:{KEY}\"\nTOKEN_SECRETS = \"{SECRETS}\"\n",
        component.display().to_string()
    );
    std::fs::write(&manifest, text).unwrap();
    let options = support::options(&folder.path().join("state"));
    let app = App::load(&Manifest::read(&manifest).unwrap(), options).unwrap();
    let body = json!({ "text": "PESEL 44051401359", "mode": "tokenize" });
    let answer = support::send(&app, request(Method::POST, "/api/v1/protect", &body, KEY)).await;
    assert!(answer.text().contains("tok_"), "{}", answer.text());
}

/// Akamai Functions gives an instance 128 MiB.
#[tokio::test]
async fn memory_is_bounded() {
    let folder = tempdir().unwrap();
    let app = load(folder.path(), |options| options.limits.memory = 128 << 20);
    let dense = "PESEL 44051401359, jan.novak@example.cz, Emily Carter; ".repeat(900);
    for (path, body) in [
        ("/api/v1/detect", json!({ "text": "PESEL 44051401359" })),
        ("/api/v1/detect", json!({ "text": dense })),
        ("/api/v1/protect", json!({ "text": dense })),
        ("/api/v1/detect/batch", json!({ "texts": vec![dense.as_str(); 20] })),
    ] {
        let answer = support::send(&app, request(Method::POST, path, &body, KEY)).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    }
}
