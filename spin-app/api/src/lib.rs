//! The Spin component of {base_url}: [`textveil_service`] over Spin's stores, variables and clocks.

use std::{
    io::Write,
    sync::LazyLock,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use bytes::Bytes;
use spin_sdk::{
    experimental::wasi::keyvalue as wasi_keyvalue,
    http::{FullBody, IntoResponse, Request},
    http_service, key_value, variables,
    wasip3::random::random::get_random_u64,
};
use textveil_service::{Host, KeyValue, Label, Unavailable};

/// Answers one request.
#[http_service]
async fn serve(request: Request) -> impl IntoResponse {
    textveil_service::handle(&Spin, request).await.map(FullBody::<Bytes>::new)
}

/// Where Spin's clock stood when this instance began.
static BEGINNING: LazyLock<Instant> = LazyLock::new(Instant::now);

struct Spin;

impl Host for Spin {
    type Store = Store;

    fn store(&self, label: Label) -> Store {
        Store(label)
    }

    async fn variable(&self, name: &str) -> Option<String> {
        variables::get(name).await.ok()
    }

    fn now_ms(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }

    fn ticks_us(&self) -> u64 {
        u64::try_from(BEGINNING.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    async fn sleep_ms(&self, duration: u64) {
        spin_sdk::time::sleep(Duration::from_millis(duration)).await;
    }

    fn random(&self) -> u128 {
        u128::from(get_random_u64()) << 64 | u128::from(get_random_u64())
    }

    fn log(&self, line: &str) {
        // not println, which panics where the output is closed
        let _ = writeln!(std::io::stdout().lock(), "{line}");
    }
}

/// A key-value store of the application, opened for each operation: an open handle would have to be
/// kept in a static, shared by all requests of the instance.
struct Store(Label);

impl Store {
    async fn open(&self) -> Result<key_value::Store, Unavailable> {
        key_value::Store::open(self.0.as_str()).await.map_err(|_| Unavailable(self.0))
    }
}

impl KeyValue for Store {
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, Unavailable> {
        self.open().await?.get(key).await.map_err(|_| Unavailable(self.0))
    }

    async fn set(&self, key: &str, value: &[u8]) -> Result<(), Unavailable> {
        self.open().await?.set(key, value).await.map_err(|_| Unavailable(self.0))
    }

    async fn delete(&self, key: &str) -> Result<(), Unavailable> {
        self.open().await?.delete(key).await.map_err(|_| Unavailable(self.0))
    }

    /// By `wasi:keyvalue`: Spin's own interface has no counters. Both see the same store.
    async fn increment(&self, key: &str, by: i64) -> Result<i64, Unavailable> {
        let bucket = wasi_keyvalue::store::open(self.0.as_str()).map_err(|_| Unavailable(self.0))?;
        wasi_keyvalue::atomics::increment(&bucket, key, by).map_err(|_| Unavailable(self.0))
    }
}
