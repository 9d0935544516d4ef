//! The service's components under this host, asking LLM providers that are real servers on this machine.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use http::{Method, Request};
use http_body_util::Full;
use serde_json::{Value, json};
use tempfile::tempdir;
use textveil::app::{App, Manifest, Options};
use textveil_service::auth::user_token::{Audience, Claims, Role, issue};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::support::{self, Answer};

const TOKEN_KEY: &str = "the key of user access tokens in tests";
const ISSUER: &str = "https://login.example.com";
const AUDIENCE: &str = "textveil";
const PROVIDERS: &str = "/api/v1/llm-providers";

fn manifest() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for component in ["dist/api.wasm", "dist/gateway.wasm"] {
        let built = root.join(component).is_file();
        assert!(built, "{component}: build it with `cargo xtask build --only api --only gateway`");
    }
    root.join("spin.toml")
}

/// The application of this repository, with its state in `folder`.
fn load(folder: &Path, provider_hosts: Option<&str>) -> App {
    load_with(folder, provider_hosts, |_| {})
}

pub fn load_with(folder: &Path, provider_hosts: Option<&str>, change: impl FnOnce(&mut Options)) -> App {
    let mut options = support::options(&folder.join("state"));
    let mut set = |name: &str, value: &str| drop(options.variables.insert(name.into(), value.into()));
    set("token_secrets", "1:000102030405060708090a0b0c0d0e0f");
    set("user_token_key", TOKEN_KEY);
    set("user_token_issuer", ISSUER);
    set("user_token_audience", AUDIENCE);
    set("provider_secrets", r#"{ "LOCAL_KEY": "sk-local" }"#);
    if let Some(hosts) = provider_hosts {
        set("provider_hosts", hosts);
    }
    change(&mut options);
    App::load(&Manifest::read(&manifest()).unwrap(), options).unwrap()
}

fn token() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let claims = Claims {
        iss: Some(ISSUER.to_owned()),
        aud: Some(Audience::One(AUDIENCE.to_owned())),
        role: Some(Role::Admin),
        ..Claims::new("user", "acme", now + 600)
    };
    issue(TOKEN_KEY, &claims).unwrap()
}

async fn ask(app: &App, method: Method, path: &str, body: &Value) -> Answer {
    let body = if body.is_null() { Bytes::new() } else { body.to_string().into() };
    let request = Request::builder()
        .method(method)
        .uri(format!("http://localhost{PROVIDERS}{path}"))
        .header("authorization", format!("Bearer {}", token()))
        .header("content-type", "application/json")
        .body(Full::new(body));
    support::send(app, request.unwrap()).await
}

fn body(base_url: &str) -> Value {
    json!({
        "provider_type": "openai_compatible", "display_name": "Local", "credential_source": "env_placeholder",
        "env_placeholder": "${LOCAL_KEY}", "base_url": base_url, "default_model": "m",
    })
}

pub async fn create(app: &App, base_url: &str) -> Value {
    let answer = ask(app, Method::POST, "", &body(base_url)).await;
    assert_eq!(answer.status, 201, "{base_url}: {}", answer.text());
    answer.json()
}

/// Status and message.
async fn validate(app: &App, provider: &Value) -> (String, String) {
    let path = format!("/{}/validate", provider["id"].as_str().unwrap());
    let answer = ask(app, Method::POST, &path, &Value::Null).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert!(!answer.text().contains("zanzibar") && !answer.text().contains("sk-local"), "{}", answer.text());
    let said = |field: &str| answer.json()[field].as_str().unwrap().to_owned();
    (said("validation_status"), said("message"))
}

/// A server whose answer is set by the first part of the path, and the heads of the requests that it
/// received.
async fn provider() -> (SocketAddr, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let heads = Arc::new(Mutex::new(Vec::new()));
    let journal = heads.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer(stream, journal.clone()));
        }
    });
    (address, heads)
}

async fn answer(mut stream: TcpStream, journal: Arc<Mutex<Vec<String>>>) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    let head = String::from_utf8(head).unwrap();
    journal.lock().unwrap().push(head.clone());
    let list = r#"{"object":"list","data":[{"id":"zanzibar"}]}"#;
    let whole = |status: &str, body: &str| {
        format!(
            "HTTP/1.1 {status}\r\ncontent-length: {}\r\nlocation: /valid/v1/models\r\n\r\n{body}",
            body.len()
        )
    };
    let path = head.split(' ').nth(1).unwrap();
    let text = match path.split('/').nth(1).unwrap() {
        "valid" if path == "/valid/v1/models" => whole("200 OK", list),
        "chunked" => {
            let (first, second) = list.split_at(7);
            format!(
                "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{:x}\r\n{first}\r\n{:x}\r\n{second}\r\n0\r\n\r\n",
                first.len(),
                second.len()
            )
        }
        "refused" => whole("401 Unauthorized", r#"{"error":"zanzibar"}"#),
        "redirect" => whole("302 Found", ""),
        "broken" => "HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n[".to_owned(),
        "nonsense" => "zanzibar\r\n\r\n".to_owned(),
        "huge" => {
            // as long as anybody listens
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n[\"").await;
            while stream.write_all(&[b'z'; 64 * 1024]).await.is_ok() {}
            return;
        }
        "silent" => {
            let mut rest = Vec::new();
            let _ = stream.read_to_end(&mut rest).await;
            return;
        }
        _ => whole("404 Not Found", "zanzibar"),
    };
    stream.write_all(text.as_bytes()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn providers_on_this_machine_are_validated_where_they_are_allowed() {
    let folder = tempdir().unwrap();
    let (address, heads) = provider().await;
    let app = load(folder.path(), Some(&format!("http://{address}, http://127.0.0.1:1")));
    let checks = [
        (format!("http://{address}/valid"), "valid", "takes the credential"),
        (format!("http://{address}/valid/v1/"), "valid", "takes the credential"),
        (format!("http://{address}/chunked/v1"), "valid", "takes the credential"),
        (format!("http://{address}/refused"), "invalid", "status 401"),
        (format!("http://{address}/redirect"), "error", "not followed"),
        (format!("http://{address}/elsewhere"), "error", "status 404"),
        (format!("http://{address}/huge"), "error", "larger than"),
        (format!("http://{address}/broken"), "unreachable", "broke off"),
        (format!("http://{address}/nonsense"), "unreachable", "broke off"),
        (format!("http://{address}/silent"), "unreachable", "did not answer within 10 seconds"),
        ("http://127.0.0.1:1/v1".to_owned(), "unreachable", "no connection"),
    ];
    for (base_url, status, message) in &checks {
        let provider = create(&app, base_url).await;
        let verdict = validate(&app, &provider).await;
        assert_eq!(verdict.0, *status, "{base_url}: {}", verdict.1);
        assert!(verdict.1.contains(message), "{base_url}: {}", verdict.1);
        let path = format!("/{}", provider["id"].as_str().unwrap());
        let kept = ask(&app, Method::GET, &path, &Value::Null).await.json();
        assert_eq!(kept["validation_status"], *status, "{base_url}: the other component sees it");
    }
    let heads = std::mem::take(&mut *heads.lock().unwrap());
    assert_eq!(heads.len(), checks.len() - 1, "each was asked once, and no redirect was followed");
    for head in &heads {
        let head = head.to_ascii_lowercase();
        assert!(head.contains("authorization: bearer sk-local\r\n"), "{head}");
        assert!(head.contains(&format!("host: {address}\r\n")), "{head}");
        assert!(!head.contains("eyj"), "the user's own token is sent: {head}");
    }

    // a host that was allowed once is not allowed for good
    drop(app);
    let app = load(folder.path(), None);
    let providers = ask(&app, Method::GET, "", &Value::Null).await.json();
    let (status, message) = validate(&app, &providers["providers"][0]).await;
    assert_eq!(status, "error", "{message}");
    assert!(message.contains("no longer allowed"), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn this_machine_is_no_provider_unless_it_is_named() {
    let (address, heads) = provider().await;
    let base_url = format!("http://{address}/valid");
    for hosts in [None, Some(""), Some("https://api.openai.com, http://127.0.0.1:1")] {
        let folder = tempdir().unwrap();
        let answer = ask(&load(folder.path(), hosts), Method::POST, "", &body(&base_url)).await;
        assert_eq!(answer.status, 400, "{hosts:?}: {}", answer.text());
        assert_eq!(answer.json()["error"]["details"]["field"], "base_url", "{hosts:?}");
    }
    // the service lets it pass, and the host does not: a wildcard names no address of this network
    let folder = tempdir().unwrap();
    let app = load(folder.path(), Some("http://*:*"));
    for base_url in [base_url.clone(), base_url.replace("127.0.0.1", "localhost")] {
        let (status, message) = validate(&app, &create(&app, &base_url).await).await;
        assert_eq!(status, "unreachable", "{message}");
        assert!(message.contains("not let out"), "{message}");
    }
    assert!(heads.lock().unwrap().is_empty(), "this machine was asked");
}

#[test]
fn only_development_allows_providers_on_this_machine() {
    for (arguments, want) in [
        (&["--dev"][..], "201"),
        // a reverse proxy on this machine makes every caller a local one
        (&[], "400"),
        (&["--dev", "--variable", "provider_hosts=http://127.0.0.1:1"], "400"),
    ] {
        let folder = tempdir().unwrap();
        let state = folder.path().join("state");
        let mut serving = Command::new(env!("CARGO_BIN_EXE_textveil"))
            .args(["serve", "--quiet", "--listen", "127.0.0.1:0", "--manifest"])
            .arg(manifest())
            .arg("--state-dir")
            .arg(&state)
            .arg("--cache-dir")
            .arg(support::compiled())
            .args(["--variable", &format!("user_token_key={TOKEN_KEY}")])
            .args(["--variable", &format!("user_token_issuer={ISSUER}")])
            .args(["--variable", &format!("user_token_audience={AUDIENCE}")])
            .args(arguments)
            .env_remove("SPIN_VARIABLE_PROVIDER_HOSTS")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(serving.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("Serving http://").unwrap_or_default();
        let mut stream = std::net::TcpStream::connect(address).unwrap();
        let body = body("http://localhost:11434/v1").to_string();
        write!(
            stream,
            "POST {PROVIDERS} HTTP/1.0\r\nauthorization: Bearer {}\r\ncontent-length: {}\r\n\r\n{body}",
            token(),
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        serving.kill().unwrap();
        serving.wait().unwrap();
        assert_eq!(answer.split(' ').nth(1), Some(want), "{answer}");
    }
}
