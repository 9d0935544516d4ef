//! A host in memory, as strict as the strictest backend, and the requests that tests send it.

use std::{
    cell::{Cell, RefCell, RefMut},
    collections::{BTreeMap, BTreeSet},
    pin::Pin,
    rc::Rc,
};

use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body::{Body, Frame};
use http_body_util::{BodyExt, Full, StreamBody};
use serde_json::Value;
use textveil_service::{
    Host, KeyValue, Label, System, Unavailable,
    auth::user_token::{Claims, Role, issue},
    body::StreamError,
    cache::Cache,
    credentials::{ApiKeyRecord, Plan, generate, storage_key},
    gateway, handle, handle_gateway,
    scope::Scopes,
    upstream::{Deadlines, Failure, Upstream},
};

use crate::openapi::answer_faults;

/// Monday 2026-11-23, 10:00:20.250 UTC: 39.75 seconds before the next rate window.
pub const NOW_MS: u64 = 1_795_428_020_250;

/// The key that signs user access tokens.
const USER_TOKEN_KEY: &str = "a shared secret of more than 32 bytes";

/// The access token of a user of the workspace `initech`.
pub fn user_token() -> String {
    let claims = Claims {
        plan: Some(Plan::Enterprise),
        role: Some(Role::Admin),
        ..Claims::new("user-1", "initech", NOW_MS / 1_000 + 3_600)
    };
    issue(USER_TOKEN_KEY, &claims).unwrap()
}

/// The token of callers of the gateway's administration.
pub const SERVICE_TOKEN: &str = "a-service-token-of-more-than-32-characters";

pub const SECRETS: &str = "2:202122232425262728292a2b2c2d2e2f,1:101112131415161718191a1b1c1d1e1f";

/// The keys that the store knows, by name, and one that it does not.
pub fn keys() -> Vec<(&'static str, String, Option<ApiKeyRecord>)> {
    let key = |seed| generate([seed; 32]);
    let record = |seed, workspace: &str, plan| {
        let scopes = Some(Scopes::GRANTABLE_TO_KEY);
        Some(ApiKeyRecord { scopes, ..ApiKeyRecord::new(&key(seed), workspace, plan) })
    };
    let now = NOW_MS / 1_000;
    vec![
        ("free", key(1), record(1, "acme-free", Plan::Free).map(|key| ApiKeyRecord { scopes: None, ..key })),
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

/// The content of one store.
#[derive(Default)]
struct Kept {
    values: BTreeMap<String, Vec<u8>>,
    counters: BTreeMap<String, i64>,
}

/// The stores by label. Several hosts may share one.
type Stores = BTreeMap<&'static str, Rc<RefCell<Kept>>>;

/// A simulated clock that advances only while all tasks wait.
#[derive(Clone)]
struct Clock {
    now_ms: Rc<Cell<u64>>,
    /// When those who wait go on.
    waking_ms: Rc<RefCell<BTreeSet<u64>>>,
}

impl Clock {
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

    /// Waits for what takes so long, as far as a deadline lets it.
    async fn wait(&self, needed_ms: u64, deadline_ms: u64, failure: Failure) -> Result<(), Failure> {
        self.sleep_ms(needed_ms.min(deadline_ms)).await;
        if needed_ms > deadline_ms { Err(failure) } else { Ok(()) }
    }
}

/// Everything that the service asks for, in memory and under the control of a test.
pub struct Memory {
    stores: Stores,
    pub down: Rc<Cell<Option<Label>>>,
    /// A key whose next read takes this many milliseconds.
    pub slow: Rc<RefCell<Option<(String, u64)>>>,
    /// Milliseconds that each increment takes.
    pub increment_ms: Rc<Cell<u64>>,
    /// The number of times that requests let others go on.
    pub turns: Cell<usize>,
    /// The time that metrics wait to be written together.
    pub batch_ms: Cell<u64>,
    /// Values that the stores still take before they take none.
    pub sets_left: Rc<Cell<Option<u32>>>,
    /// The keys of the calls of the stores.
    pub calls: Rc<RefCell<Vec<String>>>,
    pub variables: RefCell<BTreeMap<&'static str, String>>,
    pub now_ms: Rc<Cell<u64>>,
    clock: Clock,
    ticks_us: Cell<u64>,
    random: Cell<u128>,
    stamps: Cell<u128>,
    pub log: RefCell<Vec<String>>,
    pub upstream: RefCell<Scripted>,
    /// The outgoing requests of the service.
    pub sent: RefCell<Vec<Request<Bytes>>>,
    /// The cache of the service.
    pub cache: Cache,
}

/// Makes an answer of a request.
pub type MakeReply = Rc<dyn Fn(&Request<Bytes>) -> Reply>;

/// The scripted answer to an outgoing request.
#[derive(Clone)]
pub enum Scripted {
    Answer(u16, Bytes),
    Failure(Failure),
    /// The answer computed from the request.
    Reply(MakeReply),
    /// Not even a failure.
    Silence,
}

/// An answer of somebody else.
#[derive(Default)]
pub struct Reply {
    /// Why there is no answer.
    pub failure: Option<Failure>,
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    /// The body, as it arrives; an error instead of a part breaks it off.
    pub parts: Vec<Result<Bytes, Failure>>,
    /// The time until the connection is open.
    pub connect_ms: u64,
    /// The time from there to the first part.
    pub wait_ms: u64,
    /// The time from one part to the next.
    pub between_ms: u64,
}

impl Reply {
    /// The answer, in the time that it takes and within the deadlines, as a host keeps them.
    async fn arrive(
        self,
        clock: &Clock,
        deadlines: Deadlines,
    ) -> Result<Response<<Memory as Upstream>::ProviderBody>, Failure> {
        let Self { failure, status, headers, parts, connect_ms, wait_ms, between_ms } = self;
        clock.wait(connect_ms, deadlines.connect_ms, Failure::ConnectTimeout).await?;
        clock.wait(wait_ms, deadlines.first_byte_ms, Failure::AnswerTimeout).await?;
        failure.map_or(Ok(()), Err)?;
        let clock = clock.clone();
        let frames = stream::iter(parts).enumerate().then(move |(index, part)| {
            let clock = clock.clone();
            async move {
                let pause_ms = if index == 0 { 0 } else { between_ms };
                clock.wait(pause_ms, deadlines.between_bytes_ms, Failure::AnswerTimeout).await?;
                part.map(Frame::data)
            }
        });
        let mut response = Response::builder().status(status);
        for (name, value) in headers {
            response = response.header(name, value);
        }
        Ok(response.body(Box::pin(StreamBody::new(frames)) as _).expect("a response"))
    }
}

impl Default for Memory {
    fn default() -> Self {
        let now_ms = Rc::new(Cell::new(NOW_MS));
        let memory = Self {
            stores: Label::ALL.map(|label| (label.as_str(), Rc::default())).into(),
            down: Rc::default(),
            slow: Rc::default(),
            increment_ms: Rc::default(),
            turns: Cell::default(),
            batch_ms: Cell::new(0),
            sets_left: Rc::default(),
            calls: Rc::default(),
            variables: RefCell::new(BTreeMap::from([
                ("token_secrets", SECRETS.to_owned()),
                ("environment", "test".to_owned()),
                ("profile", "dev".to_owned()),
                ("user_token_key", USER_TOKEN_KEY.to_owned()),
                ("service_tokens", SERVICE_TOKEN.to_owned()),
            ])),
            clock: Clock { now_ms: Rc::clone(&now_ms), waking_ms: Rc::default() },
            now_ms,
            ticks_us: Cell::new(0),
            random: Cell::new(0),
            stamps: Cell::new(0),
            log: RefCell::default(),
            upstream: RefCell::new(Scripted::Failure(Failure::HostForbidden)),
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
    /// Another host with the same clock, variables and providers, which shares the stores of these labels.
    pub fn beside(&self, shared: &[Label]) -> Self {
        let mut other = Self {
            variables: self.variables.clone(),
            now_ms: Rc::clone(&self.now_ms),
            clock: self.clock.clone(),
            upstream: self.upstream.clone(),
            ..Self::default()
        };
        for label in shared {
            other.stores.insert(label.as_str(), Rc::clone(&self.stores[label.as_str()]));
        }
        other
    }

    fn kept(&self, label: &str) -> RefMut<'_, Kept> {
        self.stores[label].borrow_mut()
    }

    /// Stores the record of a key, as a change of its workspace does.
    pub fn put(&self, key: &str, record: &ApiKeyRecord) {
        self.put_document(key, &record.to_json());
        let stamp = format!("stamp:{}", record.workspace);
        self.meddle("config", &stamp, Some(self.unused_stamp().to_string()));
    }

    fn unused_stamp(&self) -> u128 {
        self.stamps.set(self.stamps.get() + 1);
        u128::MAX - self.stamps.get()
    }

    /// Stores a document of the service.
    pub fn put_config(&self, key: &str, document: &Value) {
        self.meddle("config", key, Some(document.to_string()));
    }

    /// Stores any bytes instead of a key's record.
    pub fn put_document(&self, key: &str, document: &[u8]) {
        self.kept("config").values.insert(storage_key(key), document.to_vec());
    }

    /// Puts a value into a store of that label, or takes it out.
    pub fn meddle(&self, label: &str, key: &str, value: Option<String>) {
        let mut kept = self.kept(label);
        match value {
            Some(value) => kept.values.insert(key.to_owned(), value.into_bytes()),
            None => kept.values.remove(key),
        };
    }

    /// The values of a store, by their keys.
    pub fn values(&self, label: &str) -> BTreeMap<String, String> {
        let text =
            |(key, value): (&String, &Vec<u8>)| (key.clone(), String::from_utf8_lossy(value).into_owned());
        self.kept(label).values.iter().map(text).collect()
    }

    /// The counters there are.
    pub fn counters(&self) -> Vec<(String, i64)> {
        self.stores.values().flat_map(|kept| kept.borrow().counters.clone()).collect()
    }

    /// Everything that is stored, as text.
    pub fn stored(&self) -> String {
        let mut text = String::new();
        for kept in self.stores.values() {
            let Kept { values, counters } = &*kept.borrow();
            values
                .iter()
                .for_each(|(key, value)| text += &format!("{key} {}\n", String::from_utf8_lossy(value)));
            counters.keys().for_each(|key| text += &format!("{key}\n"));
        }
        text
    }

    /// Waits on the clock of this host.
    pub async fn clock_sleep(&self, duration_ms: u64) {
        self.clock.sleep_ms(duration_ms).await;
    }

    /// Sends a request and returns the answer unchanged.
    pub async fn answer<B>(&self, request: Request<B>) -> Response<Bytes>
    where
        B: Body<Data = Bytes>,
        B::Error: Into<StreamError>,
    {
        let (response, settlement) = handle(self, request).await;
        settlement.run().await;
        response
    }

    /// Sends a request to the gateway component and returns the answer unchanged.
    pub async fn answer_of_gateway<B>(&self, request: Request<B>) -> Response<Bytes>
    where
        B: Body<Data = Bytes>,
        B::Error: Into<StreamError>,
    {
        let (response, settlement) = handle_gateway(self, request).await;
        let answer = collected(response).await;
        settlement.run().await;
        answer
    }

    /// Sends a request and reads the answer.
    pub async fn send(&self, request: Request<Full<Bytes>>) -> Answer {
        Answer::from(self.answer(request).await)
    }

    /// Sends a request to the gateway component and reads the answer.
    pub async fn send_to_gateway(&self, request: Request<Full<Bytes>>) -> Answer {
        Answer::from(self.answer_of_gateway(request).await)
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

/// An answer, its body parsed as JSON; null if it is empty or a stream of events.
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
        for name in parts.headers.keys() {
            assert_eq!(parts.headers.get_all(name).iter().count(), 1, "the header {name} occurs once");
        }
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
    kept: Rc<RefCell<Kept>>,
    down: Rc<Cell<Option<Label>>>,
    slow: Rc<RefCell<Option<(String, u64)>>>,
    increment_ms: Rc<Cell<u64>>,
    sets_left: Rc<Cell<Option<u32>>>,
    calls: Rc<RefCell<Vec<String>>>,
    clock: Clock,
}

impl Store {
    /// Gives way to other requests, as a real store would, and opens the store.
    async fn open(&self, key: &str) -> Result<RefMut<'_, Kept>, Unavailable> {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b":._-".contains(&byte);
        assert!(key.len() <= 255 && key.bytes().all(allowed), "no backend takes the key {key}");
        self.calls.borrow_mut().push(key.to_owned());
        tokio::task::yield_now().await;
        if self.down.get() == Some(self.label) {
            return Err(Unavailable(self.label));
        }
        Ok(self.kept.borrow_mut())
    }
}

impl KeyValue for Store {
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, Unavailable> {
        let slow = self.slow.borrow_mut().take_if(|(slow, _)| slow == key);
        if let Some((_, pause_ms)) = slow {
            self.clock.sleep_ms(pause_ms).await;
        }
        let kept = self.open(key).await?;
        assert!(!kept.counters.contains_key(key), "{key} is a counter: it is read by adding 0");
        Ok(kept.values.get(key).cloned())
    }

    async fn set(&self, key: &str, value: &[u8]) -> Result<(), Unavailable> {
        let mut kept = self.open(key).await?;
        if let Some(left) = self.sets_left.get() {
            self.sets_left.set(Some(left.checked_sub(1).ok_or(Unavailable(self.label))?));
        }
        assert!(!kept.counters.contains_key(key), "{key} is a counter: setting it breaks the store");
        kept.values.insert(key.to_owned(), value.to_vec());
        Ok(())
    }

    async fn delete(&self, key: &str) -> Result<(), Unavailable> {
        let mut kept = self.open(key).await?;
        kept.values.remove(key);
        kept.counters.remove(key);
        Ok(())
    }

    async fn increment(&self, key: &str, by: i64) -> Result<i64, Unavailable> {
        if self.increment_ms.get() > 0 {
            self.clock.sleep_ms(self.increment_ms.get()).await;
        }
        let mut kept = self.open(key).await?;
        assert!(!kept.values.contains_key(key), "{key} is a value: counting in it breaks the store");
        let count = kept.counters.entry(key.to_owned()).or_default();
        *count += by;
        Ok(*count)
    }
}

impl System for Memory {
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

    async fn sleep_ms(&self, duration: u64) {
        self.clock.sleep_ms(duration).await;
    }

    async fn yield_now(&self) {
        self.turns.set(self.turns.get() + 1);
        tokio::task::yield_now().await;
    }

    fn random(&self) -> u128 {
        self.random.set(self.random.get() + 1);
        self.random.get()
    }

    fn log(&self, line: &str) {
        self.log.borrow_mut().push(line.to_owned());
    }
}

impl Host for Memory {
    type Store = Store;

    fn store(&self, label: Label) -> Store {
        let kept = Rc::clone(&self.stores[label.as_str()]);
        let (down, slow) = (Rc::clone(&self.down), Rc::clone(&self.slow));
        let (increment_ms, sets_left) = (Rc::clone(&self.increment_ms), Rc::clone(&self.sets_left));
        let (calls, clock) = (Rc::clone(&self.calls), self.clock.clone());
        Store { label, kept, down, slow, increment_ms, sets_left, calls, clock }
    }

    fn cache(&self) -> &Cache {
        &self.cache
    }

    fn batch_ms(&self) -> u64 {
        self.batch_ms.get()
    }
}

impl Upstream for Memory {
    type ProviderBody = Pin<Box<dyn Body<Data = Bytes, Error = Failure>>>;

    async fn send(
        &self,
        request: Request<Bytes>,
        deadlines: Deadlines,
    ) -> Result<Response<Self::ProviderBody>, Failure> {
        self.sent.borrow_mut().push(request);
        tokio::task::yield_now().await;
        let scripted = self.upstream.borrow().clone();
        let reply = match scripted {
            Scripted::Answer(status, body) => Reply { status, parts: vec![Ok(body)], ..Reply::default() },
            Scripted::Failure(failure) => Reply { failure: Some(failure), ..Reply::default() },
            Scripted::Reply(reply) => {
                let sent = self.sent.borrow().last().cloned().expect("the request");
                reply(&sent)
            }
            Scripted::Silence => std::future::pending().await,
        };
        reply.arrive(&self.clock, deadlines).await
    }
}
