//! The guest component, an application around it, and a way to ask it.

pub mod redis;
#[cfg(unix)]
pub mod server;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use bytes::Bytes;
use http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::{BodyExt as _, Full};
use textveil::app::{App, Manifest, Options};

/// Builds the guest once and returns its file.
pub fn guest() -> &'static Path {
    static GUEST: OnceLock<PathBuf> = OnceLock::new();
    GUEST.get_or_init(|| application("textveil-test-guest"))
}

/// Builds an application of the workspace and returns its file.
pub fn application(package: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let target = root.join("target");
    let built = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--target=wasm32-wasip2", "--package", package, "--target-dir"])
        .arg(&target)
        .current_dir(&root)
        .status()
        .unwrap();
    assert!(built.success(), "{package} does not build; is the target wasm32-wasip2 installed?");
    let file = format!("wasm32-wasip2/debug/{}.wasm", package.replace('-', "_"));
    target.join(file).canonicalize().unwrap()
}

/// Writes an application of two components into `folder`: `a` has rights, `b` has no rights.
pub fn manifest(folder: &Path) -> PathBuf {
    let guest = guest().display();
    std::fs::create_dir_all(folder.join("assets")).unwrap();
    std::fs::write(folder.join("assets/file.txt"), "content").unwrap();
    let manifest = folder.join("spin.toml");
    std::fs::write(
        &manifest,
        format!(
            r#"
            spin_manifest_version = 2
            [application]
            name = "tested"
            [variables]
            greeting = {{ default = "hi" }}
            port = {{ default = "1" }}
            [[trigger.http]]
            route = "/a/..."
            component = "a"
            [[trigger.http]]
            route = "/a/head/:id/..."
            component = "a"
            [[trigger.http]]
            route = "/a/head/exact"
            component = "a"
            [[trigger.http]]
            route = "/metrics"
            component = "a"
            [[trigger.http]]
            route = "/b/..."
            component = "b"
            [[trigger.http]]
            route = "/static/..."
            static_response = {{ status_code = 418, body = "short and stout", headers = {{ x-a = "b" }} }}
            [component.a]
            source = "{guest}"
            key_value_stores = ["default", "usage"]
            variables = {{ greeting = "{{{{ greeting }}}} there" }}
            allowed_outbound_hosts = ["http://127.0.0.1:{{{{ port }}}}"]
            environment = {{ COLOUR = "green" }}
            files = [{{ source = "assets", destination = "/" }}]
            [component.b]
            source = "{guest}"
            key_value_stores = ["private"]
            "#
        ),
    )
    .unwrap();
    manifest
}

/// The folder of compiled components, so that only the first test compiles them: that of all suites if they run together.
pub fn compiled() -> PathBuf {
    let of_suites = std::env::var_os("TEXTVEIL_CACHE_DIR").map(PathBuf::from);
    of_suites.unwrap_or_else(|| Path::new(env!("CARGO_TARGET_TMPDIR")).join("compiled"))
}

/// Options of an application with its state in `state`.
pub fn options(state: &Path) -> Options {
    let mut options = Options::new(state);
    options.cache_dir = Some(compiled());
    options.quiet = true;
    options.write_behind.insert("usage".into());
    options
}

/// The application in `folder`, with its state there too.
pub fn load(folder: &Path, change: impl FnOnce(&mut Options)) -> App {
    let mut options = options(&folder.join("state"));
    change(&mut options);
    App::load(&Manifest::read(&manifest(folder)).unwrap(), options).unwrap()
}

/// An answer that arrived whole.
#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Answer {
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

/// Asks without a socket.
pub async fn ask(app: &App, method: Method, path: &str, body: impl Into<Bytes>) -> Answer {
    let request = Request::builder().method(method).uri(format!("http://localhost{path}"));
    send(app, request.body(Full::new(body.into())).unwrap()).await
}

pub async fn get(app: &App, path: &str) -> Answer {
    ask(app, Method::GET, path, "").await
}

pub async fn send(app: &App, request: Request<Full<Bytes>>) -> Answer {
    let (head, body) = app.handle(request, "192.0.2.1:4567".parse().unwrap()).await.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    Answer { status: head.status, headers: head.headers, body }
}
