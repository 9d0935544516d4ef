//! The middleware in front of an application, composed by this host as Spin does it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use http::{Method, Request};
use http_body_util::{BodyExt as _, Full};
use serde_json::json;
use tempfile::tempdir;
use textveil::app::{App, Manifest, Options};
use wasmtime::component::Component;

use crate::support::{self, Answer};

/// A variable with this value is not set at all.
const ABSENT: &str = "absent";

const SECRETS: &str = "1:000102030405060708090a0b0c0d0e0f";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

fn middleware() -> PathBuf {
    let built = root().join("dist/middleware.wasm");
    assert!(built.is_file(), "dist/middleware.wasm: build it with `cargo xtask build --only middleware`");
    built
}

/// Builds the application of the example, which answers with what it was sent and its content type.
pub fn notes() -> PathBuf {
    support::application("textveil-example-notes")
}

/// Loads the tests' guest with the middleware before it, with these variables.
fn load(folder: &Path, variables: &[(&str, &str)]) -> App {
    load_with(support::guest(), folder, variables, |_| {})
}

/// Loads an application with the middleware before it.
pub fn load_with(
    application: &Path,
    folder: &Path,
    variables: &[(&str, &str)],
    change: impl FnOnce(&mut Options),
) -> App {
    let manifest = folder.join("spin.toml");
    let (guest, middleware) = (application.display(), middleware());
    let given = [("options", "{}")].into_iter().chain(variables.iter().copied());
    let mut variables: BTreeMap<_, _> = given.collect();
    variables.retain(|_, value| *value != ABSENT);
    let variables: Vec<_> =
        variables.iter().map(|(name, value)| format!("textveil_{name} = {}", json!(value))).collect();
    let text = format!(
        r#"
        spin_manifest_version = 2
        [application]
        name = "behind"
        [[trigger.http]]
        route = "/..."
        component = "app"
        dependencies.middleware = [{{ component = "textveil", inherit_configuration = ["variables"] }}]
        [component.app]
        source = "{guest}"
        [component.app.variables]
        {}
        [component.textveil]
        source = "{}"
        "#,
        variables.join("\n"),
        middleware.display()
    );
    fs::write(&manifest, text).unwrap();
    let mut options = support::options(&folder.join("state"));
    change(&mut options);
    App::load(&Manifest::read(&manifest).unwrap(), options).unwrap()
}

/// Sends a body, and returns the answer of the application, which repeats it.
async fn echo(app: &App, content_type: Option<&str>, body: impl Into<Bytes>) -> Answer {
    let body = body.into();
    let mut request = Request::builder().method(Method::POST).uri("http://localhost/x/echo");
    if let Some(content_type) = content_type {
        request = request.header("content-type", content_type);
    }
    let request = request.header("content-length", body.len());
    support::send(app, request.body(Full::new(body)).unwrap()).await
}

const ADDRESS: &str = "jan.novak@example.com";

#[tokio::test]
async fn the_application_gets_no_personal_data() {
    let folder = tempdir().unwrap();
    let app = load(folder.path(), &[]);
    let part =
        |head: &str, body: &str| format!("--b\r\nContent-Disposition: form-data; {head}\r\n\r\n{body}\r\n");
    for (content_type, body, want) in [
        ("text/plain", format!("to {ADDRESS}\n"), "to [REDACTED]\n"),
        ("text/plain; charset=utf-8", format!("é {ADDRESS}"), "é [REDACTED]"),
        (
            "application/json",
            format!("{{ \"n\": 1.50, \"to\": [\"{ADDRESS}\"], \"é\": \"\\u006aan.novak@example.com\" }}"),
            "{ \"n\": 1.50, \"to\": [\"[REDACTED]\"], \"é\": \"[REDACTED]\" }",
        ),
        ("application/vnd.api+json", format!("\"{ADDRESS}\""), "\"[REDACTED]\""),
        (
            "application/x-ndjson",
            format!("{{\"a\":\"{ADDRESS}\"}}\n\n{{\"b\":2}}\n\"{ADDRESS}\""),
            "{\"a\":\"[REDACTED]\"}\n\n{\"b\":2}\n\"[REDACTED]\"",
        ),
        (
            "application/x-www-form-urlencoded",
            "a=1&to=jan.novak%40example.com".to_owned(),
            "a=1&to=%5BREDACTED%5D",
        ),
        ("application/x-www-form-urlencoded", "a=1&b=%20".to_owned(), "a=1&b=%20"),
        (
            "multipart/form-data; boundary=b",
            part("name=\"a\"", ADDRESS) + "--b--\r\n",
            "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n[REDACTED]\r\n--b--\r\n",
        ),
        ("application/json", String::new(), ""),
    ] {
        let answer = echo(&app, Some(content_type), body).await;
        assert_eq!((answer.status.as_u16(), answer.text()), (200, want), "{content_type}");
    }
    // bodies without inspection
    assert_eq!(support::get(&app, "/x/empty").await.status, 200);
    let head = support::get(&app, "/x/head/1").await;
    assert!(head.text().contains("\"method\":\"GET\""), "{}", head.text());
}

/// Bodies that must not reach the application, and the caller's error.
#[tokio::test]
async fn what_cannot_be_inspected_does_not_pass() {
    let folder = tempdir().unwrap();
    let app = load(folder.path(), &[("max_body", "1000")]);
    let file = "--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a.png\"\r\nContent-Type: image/png\r\n\r\n\
                zanzibar\r\n--b--\r\n";
    let twice = "--b\r\nContent-Disposition: form-data; name=\"f\"\r\nContent-Type: text/plain\r\n\
                 Content-Type: image/png\r\n\r\nzanzibar\r\n--b--\r\n";
    let encoded = "--b\r\nContent-Disposition: form-data; name=\"f\"\r\nContent-Transfer-Encoding: base64\r\n\r\n\
                   emFuemliYXI=\r\n--b--\r\n";
    let long = format!("\"{}\"", "zanzibar ".repeat(200));
    for (content_type, body, status) in [
        (Some("image/png"), &b"zanzibar"[..], 415),
        (Some("text/plain; charset=utf-16"), b"zanzibar", 415),
        (None, b"zanzibar", 415),
        (Some("application/json"), b"{\"zanzibar\":", 400),
        (Some("application/json"), b"\"zanzibar \xff\"", 400),
        (Some("application/json"), b"\"zanzibar \\ud800\"", 400),
        (Some("application/json"), long.as_bytes(), 413),
        (Some("application/x-ndjson"), long.as_bytes(), 413),
        (Some("application/x-ndjson"), b"{}\nzanzibar\n", 400),
        (Some("text/plain"), b"zanzibar \xff", 400),
        (Some("application/x-www-form-urlencoded"), b"a=zanzibar%FF", 400),
        (Some("multipart/form-data; boundary=b"), file.as_bytes(), 415),
        (Some("multipart/form-data; boundary=b"), twice.as_bytes(), 400),
        (Some("multipart/form-data; boundary=b"), encoded.as_bytes(), 415),
        (Some("multipart/form-data; boundary=b"), b"zanzibar", 400),
        (Some("multipart/form-data; boundary=b"), b"before\r\n--b--", 400),
        (Some("multipart/form-data"), b"--b--", 400),
    ] {
        let answer = echo(&app, content_type, body.to_vec()).await;
        let said = answer.json();
        assert_eq!(answer.status, status, "{content_type:?}: {said}");
        assert_eq!(answer.headers["content-type"], "application/problem+json", "{content_type:?}");
        assert!(!answer.text().contains("zanzibar"), "{said}");
    }
    let compressed = Request::post("http://localhost/x/echo")
        .header("content-type", "text/plain")
        .header("content-encoding", "gzip")
        .body(Full::new(Bytes::from_static(b"zanzibar")));
    assert_eq!(support::send(&app, compressed.unwrap()).await.status, 415);

    let lenient = tempdir().unwrap();
    let app = load(lenient.path(), &[("unsupported", "pass")]);
    let answer = echo(&app, Some("image/png"), "zanzibar").await;
    assert_eq!((answer.status.as_u16(), answer.text()), (200, "zanzibar"));
    assert_eq!(echo(&app, Some("multipart/form-data; boundary=b"), file).await.text(), file);
}

#[tokio::test]
async fn a_policy_blocks_a_body() {
    let folder = tempdir().unwrap();
    let options =
        json!({ "mode": "policy", "policies": [{ "name": "no mail", "action": "BLOCK", "conditions": [] }] });
    let app = load(folder.path(), &[("options", &options.to_string())]);
    for content_type in ["application/json", "text/plain"] {
        let answer = echo(&app, Some(content_type), format!("\"{ADDRESS}\"")).await;
        assert_eq!(answer.status, 422, "{content_type}: {}", answer.text());
        assert!(!answer.text().contains("jan"), "{}", answer.text());
    }
}

#[tokio::test]
async fn tokens_in_answers_become_values_again() {
    let folder = tempdir().unwrap();
    let tokens = [("options", r#"{"mode":"tokenize"}"#), ("secrets", SECRETS)];
    let app = load_with(&notes(), folder.path(), &tokens, |_| {});
    let restoring = tempdir().unwrap();
    let variables = [&tokens[..], &[("responses", "restore")]].concat();
    let restoring = load_with(&notes(), restoring.path(), &variables, |_| {});
    for (content_type, body) in [
        ("text/plain", format!("to {ADDRESS}\n")),
        ("application/json", format!("[\"{ADDRESS}\", 1]")),
        ("application/x-ndjson", format!("\"{ADDRESS}\"\n\"{ADDRESS}\"\n")),
        ("application/x-www-form-urlencoded", "a=jan.novak%40example.com".to_owned()),
    ] {
        let seen = echo(&app, Some(content_type), body.clone()).await;
        assert!(seen.text().contains("tok_") && !seen.text().contains("jan.novak"), "{}", seen.text());
        let answer = echo(&restoring, Some(content_type), body.clone()).await;
        assert_eq!(answer.text(), body, "{content_type}");
        assert!(!answer.headers.contains_key("x-privacy-withheld"));
    }
    let answer =
        echo(&restoring, Some("application/json"), format!("[\"//evil.example/{ADDRESS}\", 1]")).await;
    assert!(answer.text().contains("//evil.example/tok_"), "{}", answer.text());
    assert_eq!(answer.headers["x-privacy-withheld"], "1");
}

#[tokio::test]
async fn answers_are_protected() {
    let folder = tempdir().unwrap();
    let variables = [("responses", "protect"), ("unsupported", "pass")];
    let app = load_with(&notes(), folder.path(), &variables, |_| {});
    let answer = echo(&app, Some("application/json"), format!("[\"{ADDRESS}\"]")).await;
    assert_eq!(answer.text(), "[\"[REDACTED]\"]");
    assert_eq!(echo(&app, Some("image/png"), "zanzibar").await.text(), "zanzibar");
}

#[tokio::test]
async fn faulty_variables_let_nothing_pass() {
    for (name, value) in [
        // as under Spin, where the middleware inherits no variables
        ("options", ABSENT),
        ("options", "zanzibar"),
        ("options", r#"{"mode":"zanzibar"}"#),
        ("options", r#"{"mode":"tokenize"}"#),
        ("secrets", "zanzibar"),
        ("responses", "zanzibar"),
        ("responses", "restore"),
        ("unsupported", "zanzibar"),
        ("max_body", "33554433"),
    ] {
        let folder = tempdir().unwrap();
        let app = load(folder.path(), &[(name, value)]);
        let answer = support::get(&app, "/x/empty").await;
        assert_eq!(answer.status, 503, "{name}: {}", answer.text());
        assert!(
            answer.text().contains("textveil_") && !answer.text().contains("zanzibar"),
            "{}",
            answer.text()
        );
        assert_eq!(answer.text().contains("inherit_configuration"), value == ABSENT, "{}", answer.text());
    }
}

/// If the body of the answer is aborted, the caller has received only a part of it, without blocked text.
#[tokio::test]
async fn a_fault_in_a_streamed_body_breaks_it_off() {
    let folder = tempdir().unwrap();
    let app = load(folder.path(), &[]);
    let mut text = "The delivery is on its way.\n".repeat(20_000).into_bytes();
    text.extend(b"zanzibar \xff zanzibar\n");
    let request = Request::post("http://localhost/x/echo").header("content-type", "text/plain");
    let request = request.body(Full::new(Bytes::from(text))).unwrap();
    let (head, body) = app.handle(request, "192.0.2.1:4567".parse().unwrap()).await.into_parts();
    match body.collect().await {
        Ok(body) => {
            assert_eq!(head.status, 400, "a body that is faulty seems whole");
            assert!(!body.to_bytes().windows(8).any(|word| word == b"zanzibar"));
        }
        Err(_) => assert_eq!(head.status, 200),
    }
}

/// A long text is streamed: it passes in constant memory, however it is cut.
#[tokio::test]
async fn a_long_text_passes_whole() {
    let folder = tempdir().unwrap();
    let app = load(folder.path(), &[]);
    let text = format!("Please write to {ADDRESS} about the delivery of the goods.\n").repeat(50_000);
    let answer = echo(&app, Some("text/plain"), text.clone()).await;
    assert_eq!(answer.status, 200);
    assert!(answer.text() == text.replace(ADDRESS, "[REDACTED]"), "{} bytes", answer.body.len());
}

/// The manifest of the example with the files that are built here, and with these texts replaced.
fn example(folder: &Path, replaced: &[(&str, &str)]) -> Manifest {
    let (notes, middleware) = (notes().display().to_string(), middleware().display().to_string());
    let files = [
        ("../../target/wasm32-wasip2/release/textveil_example_notes.wasm", &*notes),
        ("../../dist/middleware.wasm", &middleware),
    ];
    let mut text = fs::read_to_string(root().join("examples/spin-middleware/spin.toml")).unwrap();
    for (from, to) in files.iter().chain(replaced) {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    let manifest = folder.join("spin.toml");
    fs::write(&manifest, text).unwrap();
    Manifest::read(&manifest).unwrap()
}

#[tokio::test]
async fn the_example_runs() {
    let folder = tempdir().unwrap();
    let app =
        App::load(&example(folder.path(), &[]), support::options(&folder.path().join("state"))).unwrap();
    let body = json!({ "note": "PESEL 44051401359, jan.novak@example.com" }).to_string();
    let answer = echo(&app, Some("application/json"), body).await;
    assert_eq!(answer.text(), r#"{"note":"PESEL [REDACTED], [REDACTED]"}"#);
}

/// Whether Spin 4.1 links an interface, as far as the components use it.
fn is_linked(import: &str) -> bool {
    let Some((package, rest)) = import.split_once('/') else { return false };
    let version = rest.split_once('@').map_or("", |(_, version)| version);
    match package {
        "wasi:cli" | "wasi:clocks" | "wasi:filesystem" | "wasi:http" | "wasi:io" | "wasi:random" => {
            version.starts_with("0.2.") && !version.contains('-') || version == "0.3.0"
        }
        "wasi:keyvalue" => {
            ["store", "batch", "atomics"].iter().any(|name| rest == format!("{name}@0.2.0-draft2"))
        }
        "spin:variables" | "spin:key-value" => version == "3.0.0",
        _ => false,
    }
}

const HANDLER: &str = "wasi:http/handler@0.3.0";

/// The names of a component's imports, or of its exports.
fn interfaces(component: &str) -> (Vec<String>, Vec<String>) {
    let mut config = wasmtime::Config::new();
    config.wasm_component_model_async(true);
    let engine = wasmtime::Engine::new(&config).unwrap();
    let component = Component::from_file(&engine, root().join("dist").join(component)).unwrap();
    let kind = component.component_type();
    let imports = kind.imports(&engine).map(|(name, _)| name.to_owned()).collect();
    (imports, kind.exports(&engine).map(|(name, _)| name.to_owned()).collect())
}

#[test]
fn components_import_what_spin_links_and_no_more_than_they_need() {
    middleware();
    for (component, wanted, unwanted) in [
        (
            "middleware.wasm",
            &[HANDLER, "spin:variables/"][..],
            &["key-value", "keyvalue", "wasi:http/client", "sockets"][..],
        ),
        (
            "api.wasm",
            &["spin:key-value/", "wasi:keyvalue/atomics", "spin:variables/"],
            &["wasi:http/client", "sockets"],
        ),
        ("gateway.wasm", &["wasi:http/client@0.3.0", "spin:key-value/"], &["sockets"]),
        ("stateless.wasm", &["spin:variables/"], &["key-value", "keyvalue", "wasi:http/client", "sockets"]),
        ("pages.wasm", &["spin:variables/"], &["key-value", "keyvalue", "wasi:http/client", "sockets"]),
    ] {
        let (imports, exports) = interfaces(component);
        assert_eq!(exports, [HANDLER], "{component}");
        for import in &imports {
            assert!(is_linked(import), "{component} imports {import}");
            assert!(
                !unwanted.iter().any(|unwanted| import.contains(unwanted)),
                "{component} imports {import}"
            );
        }
        for wanted in wanted {
            assert!(
                imports.iter().any(|import| import.starts_with(wanted)),
                "{component}: {wanted}, {imports:?}"
            );
        }
    }
}

/// The capabilities of Spin 4.2 by the interfaces that need them, as far as the components use them.
const CAPABILITIES: [(&str, &str); 6] = [
    ("spin:variables/", "variables"),
    ("spin:key-value/", "key_value_stores"),
    ("wasi:keyvalue/store", "key_value_stores"),
    ("wasi:http/client", "allowed_outbound_hosts"),
    ("wasi:cli/environment", "environment"),
    ("wasi:filesystem/preopens", "files"),
];

/// `spin deps add` takes a component that imports and exports the handler for a middleware, and asks which of its
/// capabilities it inherits.
#[test]
fn spin_deps_add_recognises_the_middleware() {
    let (imports, exports) = interfaces("middleware.wasm");
    assert!(
        imports.iter().any(|import| import == HANDLER) && exports == [HANDLER],
        "{imports:?} {exports:?}"
    );
    let needed = |import: &String| {
        let found = CAPABILITIES.iter().find(|(interface, _)| import.starts_with(interface));
        found.map(|(_, capability)| *capability)
    };
    let needed: BTreeSet<_> = imports.iter().filter_map(needed).collect();
    // all but the first belong to the standard library
    assert!(needed.contains("variables"), "{needed:?}");
    assert!(needed.iter().all(|one| ["variables", "environment", "files"].contains(one)), "{needed:?}");
}

#[test]
fn a_middleware_gets_no_more_than_it_inherits() {
    let folder = tempdir().unwrap();
    let manifest = example(folder.path(), &[(r#", inherit_configuration = ["variables"]"#, "")]);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let _inside = runtime.enter();
    let loaded = App::load(&manifest, support::options(&folder.path().join("state")));
    let error = format!("{:#}", loaded.err().unwrap());
    assert!(error.contains("middleware `textveil`") && error.contains("\"variables\""), "{error}");
}
