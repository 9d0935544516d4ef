//! The stateless component: for WASI 0.3 under this host, and for WASI 0.2 in a separate instance for each
//! request, as hosts run it.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use bytes::Bytes;
use http::{Method, Request};
use http_body_util::{BodyExt as _, Full};
use serde_json::{Value, json};
use tempfile::tempdir;
use textveil::app::{App, Manifest};
use wasmtime::component::{Component, Linker, ResourceTable};
use wasmtime::{Engine, ResourceLimiter, Store};
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};
use wasmtime_wasi_http::p2::bindings::ProxyPre;
use wasmtime_wasi_http::p2::bindings::http::types::Scheme;
use wasmtime_wasi_http::{WasiHttpCtx, WasiHttpCtxView, WasiHttpView};

use crate::support::{self, Answer};

const KEY: &str = "fpk_0123456789abcdefghijABCDEFGHIJ0123456789abc";
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
        (Method::POST, "/api/v1/gateway/chat/completions", text, 401, ""),
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

#[tokio::test]
async fn the_component_of_wasi_03_answers_without_a_store() {
    let folder = tempdir().unwrap();
    let mut options = support::options(&folder.path().join("state"));
    options.variables.extend(variables());
    let app =
        App::load(&Manifest::read(&root().join("spin-app/stateless/spin.toml")).unwrap(), options).unwrap();
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

/// An instance of WASI 0.2.
struct Instance {
    wasi: WasiCtx,
    http: WasiHttpCtx,
    table: ResourceTable,
    limiter: Limiter,
}

/// Bytes that an instance may have on hosts that run components of WASI 0.2.
const MAX_MEMORY: usize = 128 * 1024 * 1024;

/// The largest memory that instances asked for, in bytes.
#[derive(Default)]
struct Memory(AtomicUsize);

struct Limiter(Arc<Memory>);

impl ResourceLimiter for Limiter {
    fn memory_growing(&mut self, _: usize, desired: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        self.0.0.fetch_max(desired, Ordering::Relaxed);
        Ok(desired <= MAX_MEMORY)
    }

    fn table_growing(&mut self, _: usize, _: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        Ok(true)
    }
}

impl WasiView for Instance {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

impl WasiHttpView for Instance {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        WasiHttpCtxView { ctx: &mut self.http, table: &mut self.table, hooks: Default::default() }
    }
}

/// The component, compiled once, with the variables that it reads.
fn wasi_02() -> ProxyPre<Instance> {
    let engine = Engine::default();
    let file = root().join("dist/stateless-wasi02.wasm");
    let component = Component::from_file(&engine, &file)
        .expect("dist/stateless-wasi02.wasm: build it with `cargo xtask build --only stateless-wasi02`");
    let kind = component.component_type();
    for (import, _) in kind.imports(&engine) {
        let linked = import.starts_with("wasi:") && import.contains("@0.2.")
            || import.starts_with("fermyon:spin/variables");
        let needless = ["sockets", "outgoing-handler", "keyvalue"].iter().any(|part| import.contains(part));
        assert!(linked && !needless, "it imports {import}");
    }
    assert!(kind.exports(&engine).any(|(name, _)| name.starts_with("wasi:http/incoming-handler@0.2.")));
    let mut linker = Linker::new(&engine);
    wasmtime_wasi::p2::add_to_linker_async(&mut linker).unwrap();
    wasmtime_wasi_http::p2::add_only_http_to_linker_async(&mut linker).unwrap();
    let mut interface = linker.instance("fermyon:spin/variables@2.0.0").unwrap();
    interface
        .func_wrap("get", |_, (name,): (String,)| {
            let value = variables().into_iter().find(|(known, _)| *known == name).map(|(_, value)| value);
            Ok((value.ok_or(VariableError::Undefined(name)),))
        })
        .unwrap();
    ProxyPre::new(linker.instantiate_pre(&component).unwrap()).unwrap()
}

#[derive(wasmtime::component::ComponentType, wasmtime::component::Lower)]
#[component(variant)]
enum VariableError {
    #[component(name = "invalid-name")]
    #[allow(dead_code, reason = "a case of the interface")]
    InvalidName(String),
    #[component(name = "undefined")]
    Undefined(String),
    #[component(name = "provider")]
    #[allow(dead_code, reason = "a case of the interface")]
    Provider(String),
    #[component(name = "other")]
    #[allow(dead_code, reason = "a case of the interface")]
    Other(String),
}

async fn ask(pre: &ProxyPre<Instance>, request: Request<Full<Bytes>>) -> Answer {
    ask_within(pre, request, &Arc::default()).await
}

/// Asks an instance that has no more memory than [`MAX_MEMORY`].
async fn ask_within(pre: &ProxyPre<Instance>, request: Request<Full<Bytes>>, memory: &Arc<Memory>) -> Answer {
    let instance = Instance {
        wasi: WasiCtx::builder().build(),
        http: WasiHttpCtx::new(),
        table: ResourceTable::new(),
        limiter: Limiter(Arc::clone(memory)),
    };
    let mut store = Store::new(pre.engine(), instance);
    store.limiter(|instance| &mut instance.limiter);
    let request = request.map(|body| body.map_err(|never| -> wasmtime_wasi_http::Error { match never {} }));
    let (sender, receiver) = tokio::sync::oneshot::channel();
    let request = store.data_mut().http().new_incoming_request(Scheme::Http, request).unwrap();
    let out = store.data_mut().http().new_response_outparam(sender).unwrap();
    let pre = pre.clone();
    let task = tokio::spawn(async move {
        let proxy = pre.instantiate_async(&mut store).await?;
        proxy.wasi_http_incoming_handler().call_handle(store, request, out).await
    });
    let (head, body) = receiver.await.unwrap().unwrap().into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    task.await.unwrap().unwrap();
    Answer { status: head.status, headers: head.headers, body }
}

#[tokio::test]
async fn the_component_of_wasi_02_answers_without_a_store() {
    let pre = wasi_02();
    for (method, path, body, status, part) in cases() {
        let answer = ask(&pre, request(method, path, &body, KEY)).await;
        assert_eq!(answer.status, status, "{path}: {}", answer.text());
        assert!(answer.text().contains(part), "{path}: {}", answer.text());
    }
    let protected = json!({ "text": "PESEL 44051401359", "mode": "tokenize" });
    let answer = ask(&pre, request(Method::POST, "/api/v1/protect", &protected, KEY)).await;
    let token = answer.json()["protected_text"].as_str().unwrap().to_owned();
    let answer = ask(&pre, request(Method::POST, "/api/v1/restore", &json!({ "text": token }), KEY)).await;
    assert!(answer.text().contains("PESEL 44051401359"), "{}", answer.text());
}

/// Hosts of its kind give an instance 128 MiB. `cargo test … memory_of -- --nocapture` prints what was needed.
#[tokio::test]
async fn the_memory_of_the_component_of_wasi_02_is_bounded() {
    let pre = wasi_02();
    let dense = "PESEL 44051401359, jan.novak@example.cz, Emily Carter; ".repeat(900);
    for (path, body) in [
        ("/api/v1/detect", json!({ "text": "PESEL 44051401359" })),
        ("/api/v1/detect", json!({ "text": dense })),
        ("/api/v1/protect", json!({ "text": dense })),
        ("/api/v1/detect/batch", json!({ "texts": vec![dense.as_str(); 20] })),
    ] {
        let memory = Arc::default();
        let answer = ask_within(&pre, request(Method::POST, path, &body, KEY), &memory).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        let mebibytes = memory.0.load(Ordering::Relaxed) / (1024 * 1024);
        eprintln!("{path}, {} bytes: {mebibytes} MiB", body.to_string().len());
    }
}
