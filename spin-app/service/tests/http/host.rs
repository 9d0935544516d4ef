//! A host in memory, as strict as the strictest backend, and the requests that tests send it.

use std::{
    cell::{Cell, RefCell},
    collections::{BTreeMap, BTreeSet, HashMap},
    rc::Rc,
};

use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body::Frame;
use http_body_util::{BodyExt, Full, StreamBody, combinators::UnsyncBoxBody};
use serde_json::Value;
use textveil_service::{
    Host, KeyValue, Label, Unavailable,
    auth::user_token::{Claims, issue},
    body::StreamError,
    cache::Cache,
    credentials::{ApiKeyRecord, Plan, generate, storage_key},
    gateway, handle,
    upstream::{Deadlines, Failure, Upstream},
};

use crate::openapi::answer_faults;

/// Monday 2026-11-23, 10:00:20.250 UTC: 39.75 seconds before the next rate window.
pub const NOW_MS: u64 = 1_795_428_020_250;

/// What user access tokens are signed with.
const USER_TOKEN_KEY: &str = "a shared secret of more than 32 bytes";

/// The access token of a user of the workspace `initech`.
pub fn user_token() -> String {
    let claims =
        Claims { plan: Some(Plan::Enterprise), ..Claims::new("user-1", "initech", NOW_MS / 1_000 + 3_600) };
    issue(USER_TOKEN_KEY, &claims).unwrap()
}

/// What the callers of the gateway's administration show.
pub const SERVICE_TOKEN: &str = "a-service-token-of-more-than-32-characters";

pub const SECRETS: &str = "2:202122232425262728292a2b2c2d2e2f,1:101112131415161718191a1b1c1d1e1f";

/// The keys that the store knows, by name, and one that it does not.
pub fn keys() -> Vec<(&'static str, String, Option<ApiKeyRecord>)> {
    let key = |seed| generate([seed; 32]);
    let record = |seed, workspace: &str, plan| Some(ApiKeyRecord::new(&key(seed), workspace, plan));
    let now = NOW_MS / 1_000;
    vec![
        ("free", key(1), record(1, "acme-free", Plan::Free)),
        ("pro", key(2), record(2, "acme", Plan::Pro)),
        ("enterprise", key(3), record(3, "globex", Plan::Enterprise)),
        (
            "expired",
            key(4),
            record(4, "acme", Plan::Pro).map(|key| ApiKeyRecord { expires_at: Some(now), ..key }),
        ),
        (
            "expiring",
            key(5),
            record(5, "acme", Plan::Pro).map(|key| ApiKeyRecord { expires_at: Some(now + 1), ..key }),
        ),
        (
            "revoked",
            key(6),
            record(6, "acme", Plan::Pro).map(|key| ApiKeyRecord { revoked_at: Some(now), ..key }),
        ),
        ("unknown", key(7), None),
        // another key's record in its place, as a meddled store would have it
        ("swapped", key(8), record(2, "acme", Plan::Pro)),
    ]
}

/// The key of that name.
pub fn key(name: &str) -> String {
    keys().into_iter().find(|(known, ..)| *known == name).map(|(_, key, _)| key).expect("a known key")
}

#[derive(Default)]
struct Stores {
    values: HashMap<(&'static str, String), Vec<u8>>,
    counters: HashMap<(&'static str, String), i64>,
}

/// Everything that the service asks for, in memory and under the control of a test.
pub struct Memory {
    stores: Rc<RefCell<Stores>>,
    pub down: Rc<Cell<Option<Label>>>,
    pub variables: RefCell<HashMap<&'static str, String>>,
    pub now_ms: Cell<u64>,
    ticks_us: Cell<u64>,
    /// When those who wait go on.
    waking_ms: RefCell<BTreeSet<u64>>,
    random: Cell<u128>,
    pub log: RefCell<Vec<String>>,
    pub upstream: RefCell<Scripted>,
    /// What the service asked others.
    pub sent: RefCell<Vec<Request<Bytes>>>,
    /// What the service remembers.
    pub cache: Cache,
}

/// Makes an answer of a request.
pub type MakeReply = Rc<dyn Fn(&Request<Bytes>) -> Reply>;

/// What comes back when the service asks somebody else.
#[derive(Clone)]
pub enum Scripted {
    Answer(u16, Bytes),
    Failure(Failure),
    /// What is made of the request.
    Reply(MakeReply),
    /// Not even a failure.
    Silence,
}

/// An answer of somebody else.
#[derive(Default)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    /// The body, as it arrives; an error in the place of a part breaks it off.
    pub parts: Vec<Result<Bytes, String>>,
    /// How long it takes to begin.
    pub wait_ms: u64,
}

impl Default for Memory {
    fn default() -> Self {
        let memory = Self {
            stores: Rc::default(),
            down: Rc::default(),
            variables: RefCell::new(HashMap::from([
                ("token_secrets", SECRETS.to_owned()),
                ("environment", "test".to_owned()),
                ("user_token_key", USER_TOKEN_KEY.to_owned()),
                ("service_tokens", SERVICE_TOKEN.to_owned()),
            ])),
            now_ms: Cell::new(NOW_MS),
            ticks_us: Cell::new(0),
            waking_ms: RefCell::default(),
            random: Cell::new(0),
            log: RefCell::default(),
            upstream: RefCell::new(Scripted::Failure(Failure::Forbidden)),
            sent: RefCell::default(),
            cache: Cache::new(),
        };
        for (_, key, record) in keys() {
            if let Some(record) = record {
                memory.put(&key, &record);
            }
        }
        memory
    }
}

impl Memory {
    /// Stores the record of a key.
    pub fn put(&self, key: &str, record: &ApiKeyRecord) {
        self.put_document(key, &record.to_json());
    }

    /// Stores a document of the service.
    pub fn put_config(&self, key: &str, document: &Value) {
        let document = document.to_string().into_bytes();
        self.stores.borrow_mut().values.insert(("config", key.to_owned()), document);
    }

    /// Stores whatever in the place of a key's record.
    pub fn put_document(&self, key: &str, document: &[u8]) {
        self.stores.borrow_mut().values.insert(("config", storage_key(key)), document.to_vec());
    }

    /// Puts a value into a store of that label, or takes it out.
    pub fn meddle(&self, label: &'static str, key: &str, value: Option<String>) {
        let place = (label, key.to_owned());
        let mut stores = self.stores.borrow_mut();
        match value {
            Some(value) => stores.values.insert(place, value.into_bytes()),
            None => stores.values.remove(&place),
        };
    }

    /// The values of a store, by their keys.
    pub fn values(&self, label: &str) -> BTreeMap<String, String> {
        let stores = self.stores.borrow();
        let of_label = stores.values.iter().filter(|((of, _), _)| *of == label);
        of_label.map(|((_, key), value)| (key.clone(), String::from_utf8(value.clone()).unwrap())).collect()
    }

    /// The counters there are.
    pub fn counters(&self) -> Vec<(String, i64)> {
        let stores = self.stores.borrow();
        stores.counters.iter().map(|((_, key), count)| (key.clone(), *count)).collect()
    }

    /// Everything that is stored, as text.
    pub fn stored(&self) -> String {
        let stores = self.stores.borrow();
        let values =
            stores.values.iter().map(|((_, key), value)| format!("{key} {}", String::from_utf8_lossy(value)));
        values.chain(stores.counters.keys().map(|(_, key)| key.clone())).collect::<Vec<_>>().join("\n")
    }

    /// Sends a request and reads the answer.
    pub async fn send(&self, request: Request<Full<Bytes>>) -> Answer {
        Answer::from(handle(self, request).await)
    }

    /// Sends a request to the gateway component and reads the answer.
    pub async fn send_to_gateway(&self, request: Request<Full<Bytes>>) -> Answer {
        Answer::from(collected(gateway::handle(self, request).await).await)
    }

    /// Sends a request to the gateway's administration with a service token, and holds the answer to its
    /// description; null for no body.
    pub async fn admin(&self, method: Method, path: &str, body: &Value) -> Answer {
        let uri = format!("/api/v1/gateway{path}");
        let request = Request::builder()
            .method(&method)
            .uri(&uri)
            .header("x-service-token", SERVICE_TOKEN)
            .header("content-type", "application/json")
            .body(Full::new(if body.is_null() { Bytes::new() } else { body.to_string().into() }));
        let answer = self.send_to_gateway(request.unwrap()).await;
        let faults = answer_faults(method.as_str(), &uri, &answer);
        assert!(faults.is_empty(), "{method} {path}: {faults:?}: {}", answer.text);
        answer
    }

    /// Sends JSON with the key of that name.
    pub async fn post(&self, key_name: &str, path: &str, body: &Value) -> Answer {
        self.send(post(key_name, path, body.to_string())).await
    }
}

/// An answer of the gateway with all parts of its body.
pub async fn collected(response: Response<gateway::AnswerBody<'_>>) -> Response<Bytes> {
    let (head, body) = response.into_parts();
    let Ok(body) = body.collect().await;
    Response::from_parts(head, body.to_bytes())
}

/// A request with the key of that name and this body.
pub fn post<B>(key_name: &str, path: &str, body: B) -> Request<Full<Bytes>>
where
    Bytes: From<B>,
{
    Request::post(path)
        .header("x-api-key", key(key_name))
        .header("content-type", "application/json")
        .body(Full::new(Bytes::from(body)))
        .unwrap()
}

/// An answer, its body read as JSON; null where it is empty or a stream of events.
#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub text: String,
    pub json: Value,
}

impl Answer {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map(|value| value.to_str().unwrap()).unwrap_or_default()
    }
}

impl From<Response<Bytes>> for Answer {
    fn from(response: Response<Bytes>) -> Self {
        let (parts, body) = response.into_parts();
        let text = String::from_utf8(body.to_vec()).expect("answers are UTF-8");
        let is_events =
            parts.headers.get("content-type").is_some_and(|kind| kind.as_bytes().starts_with(b"text/"));
        let json = if text.is_empty() || is_events {
            Value::Null
        } else {
            serde_json::from_str(&text).expect("answers are JSON")
        };
        Self { status: parts.status, headers: parts.headers, text, json }
    }
}

/// A refusal of a field, or of something inside it.
pub fn assert_invalid(answer: &Answer, field: &str, what: &str) {
    assert_eq!(answer.status, 400, "{what}: {}", answer.text);
    assert_eq!(answer.json["error"]["code"], "invalid_request", "{what}");
    assert_eq!(answer.json["error"]["details"]["field"], field, "{what}: {}", answer.text);
    let named = field.rsplit('.').next().unwrap();
    assert!(answer.json["detail"].as_str().unwrap().contains(named), "{what}: {}", answer.text);
    assert!(!answer.text.contains("zanzibar"), "{what}: an error quotes the caller: {}", answer.text);
}

/// One store. Counters and values are kept apart, and mixing them up fails the test: Spin's own
/// backend breaks for good on it.
pub struct Store {
    label: Label,
    stores: Rc<RefCell<Stores>>,
    down: Rc<Cell<Option<Label>>>,
}

impl Store {
    /// Gives way to other requests, as a real store would, and names the place.
    async fn place(&self, key: &str) -> Result<(&'static str, String), Unavailable> {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b":._-".contains(&byte);
        assert!(key.len() <= 255 && key.bytes().all(allowed), "no backend takes the key {key}");
        tokio::task::yield_now().await;
        if self.down.get() == Some(self.label) {
            return Err(Unavailable(self.label));
        }
        Ok((self.label.as_str(), key.to_owned()))
    }
}

impl KeyValue for Store {
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, Unavailable> {
        let place = self.place(key).await?;
        let stores = self.stores.borrow();
        assert!(!stores.counters.contains_key(&place), "{key} is a counter: it is read by adding 0");
        Ok(stores.values.get(&place).cloned())
    }

    async fn set(&self, key: &str, value: &[u8]) -> Result<(), Unavailable> {
        let place = self.place(key).await?;
        let mut stores = self.stores.borrow_mut();
        assert!(!stores.counters.contains_key(&place), "{key} is a counter: setting it breaks the store");
        stores.values.insert(place, value.to_vec());
        Ok(())
    }

    async fn delete(&self, key: &str) -> Result<(), Unavailable> {
        let place = self.place(key).await?;
        let mut stores = self.stores.borrow_mut();
        stores.values.remove(&place);
        stores.counters.remove(&place);
        Ok(())
    }

    async fn increment(&self, key: &str, by: i64) -> Result<i64, Unavailable> {
        let place = self.place(key).await?;
        let mut stores = self.stores.borrow_mut();
        assert!(!stores.values.contains_key(&place), "{key} is a value: counting in it breaks the store");
        let count = stores.counters.entry(place).or_default();
        *count += by;
        Ok(*count)
    }
}

impl Host for Memory {
    type Store = Store;

    fn store(&self, label: Label) -> Store {
        Store { label, stores: Rc::clone(&self.stores), down: Rc::clone(&self.down) }
    }

    async fn variable(&self, name: &str) -> Option<String> {
        self.variables.borrow().get(name).cloned()
    }

    fn now_ms(&self) -> u64 {
        self.now_ms.get()
    }

    fn ticks_us(&self) -> u64 {
        // time passes between any two looks at the clock
        self.ticks_us.set(self.ticks_us.get() + 1_250);
        self.ticks_us.get()
    }

    /// Time passes as soon as all others wait, and no further than one of them does.
    async fn sleep_ms(&self, duration: u64) {
        let until = self.now_ms.get() + duration;
        let (mut seen, mut waited) = (self.now_ms.get(), 0);
        while seen < until {
            self.waking_ms.borrow_mut().insert(until);
            tokio::task::yield_now().await;
            waited = if self.now_ms.get() == seen { waited + 1 } else { 0 };
            seen = self.now_ms.get();
            if waited == 100 {
                waited = 0;
                let next = self.waking_ms.borrow_mut().pop_first();
                self.now_ms.set(seen.max(next.unwrap_or(until)));
            }
        }
    }

    fn random(&self) -> u128 {
        self.random.set(self.random.get() + 1);
        self.random.get()
    }

    fn log(&self, line: &str) {
        self.log.borrow_mut().push(line.to_owned());
    }
}

impl Upstream for Memory {
    type AnswerBody = UnsyncBoxBody<Bytes, StreamError>;

    async fn send(
        &self,
        request: Request<Bytes>,
        _deadlines: Deadlines,
    ) -> Result<Response<Self::AnswerBody>, Failure> {
        self.sent.borrow_mut().push(request);
        tokio::task::yield_now().await;
        let scripted = self.upstream.borrow().clone();
        match scripted {
            Scripted::Answer(status, body) => {
                let body = Full::new(body).map_err(|never| match never {}).boxed_unsync();
                Ok(Response::builder().status(status).body(body).expect("a status"))
            }
            Scripted::Reply(reply) => {
                let sent = self.sent.borrow().last().cloned().expect("the request");
                let Reply { status, headers, parts, wait_ms } = reply(&sent);
                if wait_ms > 0 {
                    self.sleep_ms(wait_ms).await;
                }
                let frames = parts.into_iter().map(|part| part.map(Frame::data).map_err(StreamError::from));
                let body = StreamBody::new(futures_util::stream::iter(frames)).boxed_unsync();
                let mut response = Response::builder().status(status);
                for (name, value) in headers {
                    response = response.header(name, value);
                }
                Ok(response.body(body).expect("a response"))
            }
            Scripted::Failure(failure) => Err(failure),
            Scripted::Silence => std::future::pending().await,
        }
    }

    fn cache(&self) -> &Cache {
        &self.cache
    }
}
