//! Every component as Spin runs it: requests as clients send them, with the headers that Spin leaves in, and
//! connections without TCP_NODELAY.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request};
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};
use textveil::app::{App, Options};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::{gateway, middleware, stateless, support};

const SECRETS: &str = "1:000102030405060708090a0b0c0d0e0f";
const SERVICE_TOKEN: &str = "tvs_0123456789abcdefghijABCDEFGHIJ0123456789";
const ADDRESS: &str = "jan.novak@example.com";
const ANSWER: &str = "the provider has answered";

/// The way in which a client sends a request.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// Head and body in one segment.
    Whole,
    /// The body in a segment of its own, these milliseconds after the head.
    Apart(u64),
    /// `Transfer-Encoding: chunked`, as clients do that stream.
    Chunked,
    /// With further headers, as proxies and clients add them.
    With(&'static [(&'static str, &'static str)]),
}

const WAYS: [Way; 10] = [
    Way::Whole,
    Way::Apart(0),
    Way::Apart(1),
    Way::Apart(20),
    Way::Chunked,
    Way::With(&[("Keep-Alive", "timeout=5, max=100"), ("Connection", "keep-alive")]),
    // `curl --http2`
    Way::With(&[
        ("Connection", "Upgrade, HTTP2-Settings"),
        ("Upgrade", "h2c"),
        ("HTTP2-Settings", "AAMAAABkAAQAoAAAAAIAAAAA"),
    ]),
    Way::With(&[("Proxy-Connection", "keep-alive")]),
    Way::With(&[("Proxy-Authorization", "Basic eDp5"), ("Proxy-Authenticate", "Basic")]),
    Way::With(&[("TE", "trailers")]),
];

/// A request to a component.
#[derive(Clone)]
struct Call {
    component: &'static str,
    address: SocketAddr,
    method: Method,
    path: &'static str,
    headers: Vec<(&'static str, String)>,
    body: String,
    /// The status of the answer, and a part of it.
    want: (u16, String),
}

/// A connection that is kept.
struct Connection(TcpStream);

struct Answer {
    status: u16,
    body: String,
    /// The first read had all of it.
    is_together: bool,
}

impl Connection {
    async fn open(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Self(stream)
    }

    async fn send(&mut self, call: &Call, way: Way) -> Answer {
        let mut head = format!("{} {} HTTP/1.1\r\nHost: localhost\r\n", call.method, call.path);
        for (name, value) in &call.headers {
            head += &format!("{name}: {value}\r\n");
        }
        if let Way::With(headers) = way {
            for (name, value) in headers {
                head += &format!("{name}: {value}\r\n");
            }
        }
        head += &match way {
            Way::Chunked => "Transfer-Encoding: chunked\r\n\r\n".to_owned(),
            _ => format!("Content-Length: {}\r\n\r\n", call.body.len()),
        };
        let stream = &mut self.0;
        match way {
            Way::Whole | Way::With(_) => stream.write_all((head + &call.body).as_bytes()).await.unwrap(),
            Way::Apart(ms) => {
                stream.write_all(head.as_bytes()).await.unwrap();
                tokio::time::sleep(Duration::from_millis(ms)).await;
                stream.write_all(call.body.as_bytes()).await.unwrap();
            }
            Way::Chunked => {
                stream.write_all(head.as_bytes()).await.unwrap();
                for chunk in call.body.as_bytes().chunks(10_007) {
                    let chunk = [format!("{:x}\r\n", chunk.len()).as_bytes(), chunk, b"\r\n"].concat();
                    stream.write_all(&chunk).await.unwrap();
                }
                stream.write_all(b"0\r\n\r\n").await.unwrap();
            }
        }
        self.answer().await
    }

    async fn answer(&mut self) -> Answer {
        let (mut received, mut reads) = (Vec::new(), 0);
        loop {
            reads += 1;
            let read = read(&mut self.0, &mut received).await;
            assert!(read > 0, "the connection ended within {:?}", String::from_utf8_lossy(&received));
            let Some(end) = received.windows(4).position(|bytes| bytes == b"\r\n\r\n") else { continue };
            let head = std::str::from_utf8(&received[..end]).unwrap().to_ascii_lowercase();
            let value = |name: &str| head.lines().find_map(|line| line.strip_prefix(name));
            let body = &received[end + 4..];
            let body = match value("content-length: ") {
                Some(length) => (body.len() == length.parse::<usize>().unwrap()).then(|| body.to_vec()),
                None => unchunked(body),
            };
            let Some(body) = body else { continue };
            let status = head.split(' ').nth(1).unwrap().parse().unwrap();
            return Answer { status, body: String::from_utf8(body).unwrap(), is_together: reads == 1 };
        }
    }
}

/// Reads what has arrived, and returns its length.
async fn read(stream: &mut TcpStream, received: &mut Vec<u8>) -> usize {
    let mut part = vec![0; 1 << 20];
    let read = stream.read(&mut part).await.unwrap_or_default();
    received.extend_from_slice(&part[..read]);
    read
}

/// The content of a body in chunks; `None` if it has not ended.
fn unchunked(mut rest: &[u8]) -> Option<Vec<u8>> {
    let mut whole = Vec::new();
    loop {
        let line = rest.windows(2).position(|bytes| bytes == b"\r\n")?;
        let length = usize::from_str_radix(std::str::from_utf8(&rest[..line]).unwrap(), 16).unwrap();
        let chunk = rest.get(line + 2..line + 2 + length)?;
        rest = rest.get(line + 4 + length..)?;
        if length == 0 {
            return Some(whole);
        }
        whole.extend_from_slice(chunk);
    }
}

/// A provider of language models. It counts the requests that it gets, and those of which head and body came apart.
#[derive(Default)]
struct Provider {
    requests: AtomicUsize,
    apart: AtomicUsize,
    raw: Mutex<Vec<String>>,
}

impl Provider {
    async fn start() -> (SocketAddr, Arc<Self>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let provider = Arc::new(Self::default());
        let shared = provider.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(shared.clone().serve(stream));
            }
        });
        (address, provider)
    }

    async fn serve(self: Arc<Self>, mut stream: TcpStream) {
        stream.set_nodelay(true).unwrap();
        let message = json!({ "role": "assistant", "content": ANSWER });
        let choice = json!({ "index": 0, "message": message, "finish_reason": "stop" });
        let body = json!({ "id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice] });
        let body = body.to_string();
        let answer = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        loop {
            let mut received = Vec::new();
            for reads in 1.. {
                if read(&mut stream, &mut received).await == 0 {
                    return;
                }
                let Some(end) = received.windows(4).position(|bytes| bytes == b"\r\n\r\n") else { continue };
                let head = String::from_utf8_lossy(&received[..end]).to_ascii_lowercase();
                let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
                if received.len() - end - 4 < length.map_or(0, |length| length.parse().unwrap()) {
                    continue;
                }
                self.requests.fetch_add(1, Ordering::Relaxed);
                self.apart.fetch_add(usize::from(reads > 1), Ordering::Relaxed);
                break;
            }
            let text = String::from_utf8_lossy(&received).into_owned();
            if text.contains(ADDRESS) {
                self.raw.lock().unwrap().push(text);
            }
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    }
}

/// The servers of all components.
struct Spin {
    service: SocketAddr,
    stateless: SocketAddr,
    protected: SocketAddr,
    provider: Arc<Provider>,
    api_key: String,
    _folders: [TempDir; 3],
}

impl Spin {
    async fn start() -> Self {
        let folders = [tempdir().unwrap(), tempdir().unwrap(), tempdir().unwrap()];
        let [of_service, of_stateless, of_middleware] = &folders;
        let (provider_address, provider) = Provider::start().await;
        let provider_hosts = format!("http://{provider_address}");
        let api_key = new_key(&of_service.path().join("state"));
        let app = gateway::load_with(of_service.path(), Some(&provider_hosts), |options| {
            options.like_spin = true;
            let tokens = format!("chat:gateway.chat@acme:{SERVICE_TOKEN}");
            options.variables.insert("service_tokens".into(), tokens);
        });
        gateway::create(&app, &format!("{provider_hosts}/v1")).await;
        let service = serve(app).await;
        let stateless = stateless::load(of_stateless.path(), |options| {
            options.like_spin = true;
            let keys = format!("app:enterprise@acme:1000000/1000:{}", stateless::KEY);
            options.variables.insert("api_keys".into(), keys);
        });
        let stateless = serve(stateless).await;
        let notes = middleware::notes();
        let like_spin = |options: &mut Options| options.like_spin = true;
        let protected = serve(middleware::load_with(&notes, of_middleware.path(), &[], like_spin)).await;
        Self { service, stateless, protected, provider, api_key, _folders: folders }
    }

    /// Requests to all components, with texts of `characters`.
    fn calls(&self, characters: usize) -> Vec<Call> {
        // the longest text that the service takes; more characters are several of them
        let length = characters.min(50_000);
        let text = format!("{ADDRESS} {}", "The delivery is on its way. ".repeat(length.div_ceil(28)));
        let texts: Vec<String> =
            (0..characters.div_ceil(50_000)).map(|_| format!("{text:.length$}")).collect();
        let of_texts = |component, address, key: &str| {
            let (path, body) = match texts.as_slice() {
                [text] => ("/api/v1/protect", json!({ "text": text })),
                texts => ("/api/v1/protect/batch", json!({ "texts": texts })),
            };
            call(component, address, path, "application/json", &body.to_string(), "[REDACTED] The delivery")
                .with("x-api-key", key)
        };
        let content = texts.join("\n");
        let chat = json!({ "model": "m", "messages": [{ "role": "user", "content": content }] });
        let chat = call(
            "gateway",
            self.service,
            "/v1/chat/completions",
            "application/json",
            &chat.to_string(),
            ANSWER,
        )
        .with("authorization", &format!("Bearer {SERVICE_TOKEN}"));
        let echo = |kind, body: &str| {
            let want = body.replace(ADDRESS, "[REDACTED]");
            call("middleware", self.protected, "/x", kind, body, &want)
        };
        vec![
            of_texts("api", self.service, &self.api_key),
            of_texts("stateless", self.stateless, stateless::KEY),
            chat,
            self.page(),
            echo("text/plain", &content),
            echo("application/json", &json!([content]).to_string()),
        ]
    }

    /// A request for the playground.
    fn page(&self) -> Call {
        let call = call("pages", self.service, "/", "text/plain", "", "<!doctype html>");
        Call { method: Method::GET, ..call }
    }
}

impl Call {
    fn with(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    fn check(&self, way: &dyn std::fmt::Debug, status: u16, body: &str) {
        let Self { component, path, want: (wanted, part), .. } = self;
        let shown: String = body.chars().take(300).collect();
        assert_eq!(status, *wanted, "{component} {path}, {way:?}: {shown}");
        assert!(body.to_lowercase().contains(&part.to_lowercase()), "{component} {path}, {way:?}: {shown}");
    }
}

fn call(
    component: &'static str,
    address: SocketAddr,
    path: &'static str,
    content_type: &'static str,
    body: &str,
    want: &str,
) -> Call {
    let headers = vec![("Content-Type", content_type.to_owned())];
    let (method, body, want) = (Method::POST, body.to_owned(), (200, want.to_owned()));
    Call { component, address, method, path, headers, body, want }
}

/// A key without limits that matter, made as an operator does.
fn new_key(state: &Path) -> String {
    let limits = ["--requests-per-minute", "--requests-per-month", "--concurrent-requests"];
    let made = Command::new(env!("CARGO_BIN_EXE_textveil"))
        .args(["keys", "create", "--workspace", "acme", "--plan", "enterprise"])
        .args(limits.iter().flat_map(|limit| [limit, "1000000"]))
        .arg("--state-dir")
        .arg(state)
        .env("SPIN_VARIABLE_TOKEN_SECRETS", SECRETS)
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    String::from_utf8(made.stdout).unwrap().trim().to_owned()
}

async fn serve(app: App) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(Arc::new(app).serve(listener, std::future::pending()));
    address
}

#[tokio::test(flavor = "multi_thread")]
async fn every_component_answers_however_a_request_is_sent() {
    let spin = Spin::start().await;
    for characters in [100, 50_000] {
        for call in spin.calls(characters) {
            // all on one connection
            let mut connection = Connection::open(call.address).await;
            for way in WAYS {
                if call.method == Method::GET {
                    // the host closes one of which a body was not read
                    connection = Connection::open(call.address).await;
                }
                let answer = connection.send(&call, way).await;
                call.check(&way, answer.status, &answer.body);
            }
        }
    }
    for call in spin.calls(1_000_000) {
        let mut connection = Connection::open(call.address).await;
        for way in [Way::Chunked, Way::Apart(1)].into_iter().filter(|_| call.method == Method::POST) {
            let answer = connection.send(&call, way).await;
            call.check(&way, answer.status, &answer.body);
        }
    }
    assert_eq!(spin.provider.raw.lock().unwrap().len(), 0, "the provider sees an address");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_component_answers_over_http_2() {
    let spin = Spin::start().await;
    for call in [100, 50_000].iter().flat_map(|characters| spin.calls(*characters)) {
        let stream = TcpStream::connect(call.address).await.unwrap();
        let handshake = http2::Builder::new(TokioExecutor::new()).handshake(TokioIo::new(stream)).await;
        let (mut client, connection) = handshake.unwrap();
        tokio::spawn(connection);
        for _ in 0..2 {
            let mut request =
                Request::builder().method(&call.method).uri(format!("http://localhost{}", call.path));
            for (name, value) in &call.headers {
                request = request.header(*name, value);
            }
            let request = request.body(Full::new(Bytes::from(call.body.clone()))).unwrap();
            let (head, body) = client.send_request(request).await.unwrap().into_parts();
            let body = body.collect().await.unwrap().to_bytes();
            call.check(&"HTTP/2", head.status.as_u16(), std::str::from_utf8(&body).unwrap());
        }
    }
}

/// `spin registry push` packs up to 499 files of an application one by one. Of more it makes an archive, which Spin
/// 4.1.0-pre0 cannot read.
#[tokio::test]
async fn few_files_have_every_page() {
    let dist = Path::new(env!("CARGO_MANIFEST_DIR")).join("../dist");
    let packed = walkdir::WalkDir::new(dist.join("pages")).into_iter();
    assert!(packed.filter(|entry| entry.as_ref().unwrap().file_type().is_file()).count() < 500);
    let folder = tempdir().unwrap();
    let app = gateway::load_with(folder.path(), None, |_| {});
    for (page, route) in [("playground", ""), ("console", "/console"), ("docs", "/docs")] {
        let mut served = 0;
        for entry in walkdir::WalkDir::new(dist.join(page)) {
            let entry = entry.unwrap();
            let name = entry.path().strip_prefix(dist.join(page)).unwrap().to_str().unwrap();
            let answer = support::get(&app, &format!("{route}/{name}")).await;
            // the service answers some paths of the playground's folder itself
            if entry.file_type().is_file() && answer.status == 200 {
                assert!(answer.body == std::fs::read(entry.path()).unwrap(), "{page}/{name}");
                served += 1;
            }
        }
        assert!(served > 2, "{page}: {served}");
    }
}

/// A second segment waits some 40 ms for the acknowledgement of the first one.
#[tokio::test(flavor = "multi_thread")]
async fn head_and_body_of_a_short_message_leave_together() {
    const REQUESTS: usize = 40;
    let spin = Spin::start().await;
    for call in spin.calls(100) {
        let mut connection = Connection::open(call.address).await;
        let mut apart = 0;
        for _ in 0..REQUESTS {
            let answer = connection.send(&call, Way::Whole).await;
            call.check(&Way::Whole, answer.status, &answer.body);
            apart += usize::from(!answer.is_together);
        }
        assert!(apart <= REQUESTS / 10, "{} {}: {apart} of {REQUESTS}", call.component, call.path);
    }
    let (requests, apart) = (&spin.provider.requests, &spin.provider.apart);
    let (requests, apart) = (requests.load(Ordering::Relaxed), apart.load(Ordering::Relaxed));
    assert!(requests >= REQUESTS && apart <= requests / 10, "the provider: {apart} of {requests}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_component_sees_the_headers_that_spin_leaves_in() {
    for (like_spin, seen) in [(false, ""), (true, "keep-alive host upgrade")] {
        let folder = tempdir().unwrap();
        let app = support::load(folder.path(), |options| options.like_spin = like_spin);
        let call = call("guest", serve(app).await, "/a/head/x", "text/plain", "x", "");
        let headers = [("Connection", "Upgrade"), ("Upgrade", "h2c"), ("Keep-Alive", "timeout=5")];
        let call = headers.into_iter().fold(call, |call, (name, value)| call.with(name, value));
        let answer = Connection::open(call.address).await.send(&call, Way::Whole).await;
        let head: Value = serde_json::from_str(&answer.body).unwrap();
        let headers = head["headers"].to_string();
        let names = ["connection", "keep-alive", "host", "upgrade"];
        let found: Vec<_> =
            names.into_iter().filter(|name| headers.contains(&format!("\"{name}\""))).collect();
        assert_eq!(found.join(" "), seen, "{headers}");
    }
}
