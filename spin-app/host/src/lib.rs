//! [`Spin`]: the host of the service under Spin, by its stores, variables, clocks and outgoing HTTP. A component
//! imports only the parts that it uses.

use std::{
    cell::OnceCell,
    collections::BTreeMap,
    env, fmt,
    io::Write,
    rc::Rc,
    sync::{LazyLock, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use bytes::Bytes;
use http::{HeaderValue, Request, Response, header::CONTENT_LENGTH};
use http_body_util::{BodyExt, combinators::MapErr};
use spin_sdk::{
    experimental::wasi::keyvalue::{self as wasi_keyvalue, store::Bucket},
    http::{FromResponse, FullBody, IntoRequest, IntoResponse, Response as SpinResponse},
    key_value, variables,
    wasip3::{
        http::{
            client,
            types::{ErrorCode, RequestOptions, Response as WasiResponse},
        },
        http_compat::{IncomingBody, RequestOptionsExtension},
        random::random::get_random_u64,
        spawn,
    },
    wit_bindgen::yield_async,
};
use textveil_service::{
    Host, KeyValue, Label, PerStore, System, Unavailable,
    bounded::{Bounded, Liveness},
    cache::Cache,
    system::unix_ms,
    upstream::{Deadlines, Failure, Upstream},
};

/// The time on Spin's clock at which this instance began.
static BEGINNING: LazyLock<Instant> = LazyLock::new(Instant::now);

/// The state that this instance keeps between requests.
static CACHE: Cache = Cache::new();

/// The liveness of the stores: Spin waits for Redis without a timeout.
static LIVENESS: PerStore<Liveness> = PerStore::new([const { Liveness::new() }; Label::ALL.len()]);

/// The time for which a variable is kept.
const VARIABLE_AGE: Duration = Duration::from_secs(5);

/// Milliseconds for which metrics wait to be written together.
const BATCH_MS: u64 = 250;

/// A variable of the application, and when it was read.
#[derive(Clone)]
struct Variable {
    value: Option<String>,
    read_at: Instant,
}

/// The variables that this instance has read. There are as many as the service knows names.
static VARIABLES: Mutex<BTreeMap<String, Variable>> = Mutex::new(BTreeMap::new());

fn variables_read() -> MutexGuard<'static, BTreeMap<String, Variable>> {
    VARIABLES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The platform of a component of Spin: variables, clocks, randomness and its standard output.
#[derive(Clone, Copy, Debug, Default)]
pub struct Platform;

impl System for Platform {
    /// Reads a variable of Spin, or else the environment variable of its name in upper case.
    ///
    /// `wasi:config/store` would tell the same: Spin and wasmtime have drafts of it that exclude each other. Variables
    /// may change while the application runs, so a value is kept for some seconds only.
    async fn variable(&self, name: &str) -> Option<String> {
        let known =
            variables_read().get(name).filter(|known| known.read_at.elapsed() < VARIABLE_AGE).cloned();
        if let Some(known) = known {
            return known.value;
        }
        let value = variables::get(name).await.ok().or_else(|| env::var(name.to_ascii_uppercase()).ok());
        let known = Variable { value: value.clone(), read_at: Instant::now() };
        variables_read().insert(name.to_owned(), known);
        value
    }

    fn now_ms(&self) -> u64 {
        unix_ms()
    }

    fn ticks_us(&self) -> u64 {
        u64::try_from(BEGINNING.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    async fn sleep_ms(&self, duration: u64) {
        spin_sdk::time::sleep(Duration::from_millis(duration)).await;
    }

    async fn yield_now(&self) {
        yield_async().await;
    }

    fn random(&self) -> u128 {
        u128::from(get_random_u64()) << 64 | u128::from(get_random_u64())
    }

    fn log(&self, line: &str) {
        // not println, which panics if the output is closed
        let _ = writeln!(std::io::stdout().lock(), "{line}");
    }
}

/// The host that a component of Spin runs in, as one request sees it: what it opens is closed with it.
#[derive(Clone, Debug, Default)]
pub struct Spin {
    handles: PerStore<Rc<Handles>>,
}

impl System for Spin {
    async fn variable(&self, name: &str) -> Option<String> {
        Platform.variable(name).await
    }

    fn now_ms(&self) -> u64 {
        Platform.now_ms()
    }

    fn ticks_us(&self) -> u64 {
        Platform.ticks_us()
    }

    async fn sleep_ms(&self, duration: u64) {
        Platform.sleep_ms(duration).await;
    }

    async fn yield_now(&self) {
        Platform.yield_now().await;
    }

    fn random(&self) -> u128 {
        Platform.random()
    }

    fn log(&self, line: &str) {
        Platform.log(line);
    }
}

impl Host for Spin {
    type Store = Bounded<Self, Store>;

    fn store(&self, label: Label) -> Self::Store {
        let store = Store { label, handles: self.handles.of(label).clone() };
        Bounded::new(self.clone(), store, label, LIVENESS.of(label))
    }

    fn cache(&self) -> &Cache {
        &CACHE
    }

    fn batch_ms(&self) -> u64 {
        BATCH_MS
    }
}

impl Upstream for Spin {
    type ProviderBody = MapErr<IncomingBody<WasiResponse>, fn(ErrorCode) -> Failure>;

    async fn send(
        &self,
        mut request: Request<Bytes>,
        deadlines: Deadlines,
    ) -> Result<Response<Self::ProviderBody>, Failure> {
        request.extensions_mut().insert(RequestOptionsExtension(options(deadlines)));
        let request = request.map(FullBody::new).into_request().map_err(failure)?;
        // The writer of the body runs first, so that head and body leave in one segment. Spin does not set
        // TCP_NODELAY: a body that follows the head waits some 40 ms for the provider's acknowledgement.
        yield_async().await;
        let answer = client::send(request).await.and_then(SpinResponse::from_response).map_err(failure)?;
        Ok(answer.map(|body| body.map_err(failure as fn(ErrorCode) -> Failure)))
    }
}

/// Begins an answer whose body is written by [`spawn`]ed work, and gives it to the host.
///
/// The first chunk of the body waits when the host reads the head, so that both leave in one segment; see
/// [`Spin::send`].
///
/// # Errors
/// If the answer could not be made.
pub async fn begun(answer: impl IntoResponse) -> Result<WasiResponse, ErrorCode> {
    let answer = answer.into_response()?;
    yield_async().await;
    Ok(answer)
}

/// Makes an answer of which the whole body is there, and gives it to the host as [`begun`] does.
///
/// It has its length in the head: the end of a body in chunks is a segment of its own.
///
/// # Errors
/// If the answer could not be made.
pub async fn whole(mut answer: Response<Bytes>) -> Result<WasiResponse, ErrorCode> {
    // an answer without a body may be one to HEAD
    if !answer.body().is_empty() {
        let length = HeaderValue::from(answer.body().len());
        answer.headers_mut().entry(CONTENT_LENGTH).or_insert(length);
    }
    begun(answer.map(FullBody::new)).await
}

/// Starts the work that remains when an answer was made.
///
/// The host takes the answer first. A store in memory answers without a wait, so this work would hold up the answer.
pub fn settle(work: impl Future<Output = ()> + 'static) {
    spawn(async {
        yield_async().await;
        work.await;
    });
}

/// A deadline that the host does not support is left to the caller, which has one for the whole request.
fn options(deadlines: Deadlines) -> RequestOptions {
    let nanoseconds = |ms: u64| Some(ms.saturating_mul(1_000_000));
    let options = RequestOptions::new();
    let _ = options.set_connect_timeout(nanoseconds(deadlines.connect_ms));
    let _ = options.set_first_byte_timeout(nanoseconds(deadlines.first_byte_ms));
    let _ = options.set_between_bytes_timeout(nanoseconds(deadlines.between_bytes_ms));
    options
}

fn failure(error: ErrorCode) -> Failure {
    match error {
        ErrorCode::HttpRequestDenied => Failure::HostForbidden,
        ErrorCode::DestinationIpProhibited => Failure::AddressForbidden,
        ErrorCode::DnsTimeout | ErrorCode::ConnectionTimeout => Failure::ConnectTimeout,
        ErrorCode::ConnectionReadTimeout
        | ErrorCode::ConnectionWriteTimeout
        | ErrorCode::HttpResponseTimeout => Failure::AnswerTimeout,
        ErrorCode::DnsError(_)
        | ErrorCode::DestinationNotFound
        | ErrorCode::DestinationUnavailable
        | ErrorCode::DestinationIpUnroutable
        | ErrorCode::ConnectionRefused
        | ErrorCode::ConnectionLimitReached
        | ErrorCode::TlsProtocolError
        | ErrorCode::TlsCertificateError
        | ErrorCode::TlsAlertReceived(_) => Failure::Unreachable,
        _ => Failure::Broken,
    }
}

/// A key-value store of the application.
#[derive(Clone, Debug)]
pub struct Store {
    label: Label,
    handles: Rc<Handles>,
}

/// The two ways into a store, each opened when it is first used.
#[derive(Default)]
struct Handles {
    /// Spin's own interface.
    store: OnceCell<key_value::Store>,
    /// For counters, which Spin's own interface does not have. Both see the same store.
    bucket: OnceCell<Bucket>,
}

impl fmt::Debug for Handles {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Handles")
    }
}

impl Store {
    fn unavailable<E>(&self) -> impl Fn(E) -> Unavailable {
        let label = self.label;
        move |_| Unavailable(label)
    }

    async fn store(&self) -> Result<&key_value::Store, Unavailable> {
        if let Some(store) = self.handles.store.get() {
            return Ok(store);
        }
        let opened = key_value::Store::open(self.label.as_str()).await.map_err(self.unavailable())?;
        Ok(self.handles.store.get_or_init(|| opened))
    }

    fn bucket(&self) -> Result<&Bucket, Unavailable> {
        if let Some(bucket) = self.handles.bucket.get() {
            return Ok(bucket);
        }
        let opened = wasi_keyvalue::store::open(self.label.as_str()).map_err(self.unavailable())?;
        Ok(self.handles.bucket.get_or_init(|| opened))
    }
}

impl KeyValue for Store {
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, Unavailable> {
        self.store().await?.get(key).await.map_err(self.unavailable())
    }

    async fn set(&self, key: &str, value: &[u8]) -> Result<(), Unavailable> {
        self.store().await?.set(key, value).await.map_err(self.unavailable())
    }

    async fn delete(&self, key: &str) -> Result<(), Unavailable> {
        self.store().await?.delete(key).await.map_err(self.unavailable())
    }

    async fn increment(&self, key: &str, by: i64) -> Result<i64, Unavailable> {
        wasi_keyvalue::atomics::increment(self.bucket()?, key, by).map_err(self.unavailable())
    }
}
