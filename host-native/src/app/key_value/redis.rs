//! Stores in Redis or Valkey, in Spin's encoding, so that Spin can use the same server.
//!
//! Redis has no labels: all stores with one URL share one key space, as under Spin.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use redis::aio::MultiplexedConnection;
use redis::{
    AsyncConnectionConfig, Client, Cmd, ConnectionAddr, ConnectionInfo, ErrorKind, FromRedisValue,
    ProtocolVersion, PushInfo, PushKind, RedisError, cmd,
};
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout_at};

use super::{KeyValueStore, NO_COUNTER, OUT_OF_RANGE, StoreError};

/// The timeout of an operation, including connecting.
const TIMEOUT: Duration = Duration::from_secs(2);

/// The number of keys that Redis scans per SCAN; it blocks other commands meanwhile.
const SCANNED: usize = 1000;

/// Sets a key whose value is the second argument; without one, a key without a value.
const COMPARE_AND_SET: &str = "
    if redis.call('GET', KEYS[1]) ~= (ARGV[2] or false) then return 0 end
    redis.call('SET', KEYS[1], ARGV[1])
    return 1";

/// A store in Redis, version 6 or later, or in Valkey.
///
/// Writes are as durable as the server's configuration (`appendonly`, `appendfsync`). All operations share
/// one connection, which is opened on first use and reopened after it was lost. While the server is
/// unreachable, operations fail within two seconds.
///
/// Each operation runs in a task of its own. An instance polls nothing else while its component waits in a synchronous
/// call. So an operation that waits its turn there, and gets it, would hold up all others, and the call that the
/// component waits for, too.
pub struct RedisStore(Arc<Server>);

/// A Redis and the connection to it.
struct Server {
    client: Client,
    /// Host and port or path, for messages; not the password.
    address: String,
    connection: Mutex<Option<Connection>>,
    /// Whether the last attempt to reach the server succeeded; each change is reported once.
    reachable: AtomicBool,
}

#[derive(Clone)]
struct Connection {
    link: MultiplexedConnection,
    /// Set when the server closed it or does not answer.
    lost: Arc<AtomicBool>,
}

impl RedisStore {
    /// Creates the store at `url`; nothing is sent yet.
    ///
    /// The URL is `redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE]`, or begins with `rediss://` for TLS.
    ///
    /// # Errors
    /// If the URL is malformed. The message does not repeat it.
    ///
    /// # Examples
    /// ```
    /// use textveil::app::key_value::RedisStore;
    ///
    /// assert!(RedisStore::new("rediss://:password@redis.example.com/2").is_ok());
    /// assert!(RedisStore::new("redis.example.com").is_err());
    /// ```
    pub fn new(url: &str) -> Result<Self, StoreError> {
        let malformed = |_| {
            StoreError::new(
                "this is no URL of a Redis; write redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE], or \
                 rediss:// for TLS",
            )
        };
        let info: ConnectionInfo = url.parse().map_err(malformed)?;
        if matches!(info.addr(), ConnectionAddr::TcpTls { insecure: true, .. }) {
            return Err(StoreError::new(
                "`#insecure` is not supported; let SSL_CERT_FILE name the certificate of the Redis",
            ));
        }
        let address = info.addr().to_string();
        // the third version reports when the connection is closed
        let settings = info.redis_settings().clone().set_protocol(ProtocolVersion::RESP3);
        let tcp = info.tcp_settings().clone().set_nodelay(true);
        let client =
            Client::open(info.set_redis_settings(settings).set_tcp_settings(tcp)).map_err(malformed)?;
        let (connection, reachable) = (Mutex::default(), AtomicBool::new(true));
        Ok(Self(Arc::new(Server { client, address, connection, reachable })))
    }

    /// Whether the server answers; if not, this is reported on standard error.
    ///
    /// # Examples
    /// ```
    /// use textveil::app::key_value::RedisStore;
    ///
    /// # tokio::runtime::Runtime::new()?.block_on(async {
    /// let store = RedisStore::new("redis://127.0.0.1:1")?;
    /// assert!(!store.is_reachable().await, "no server has port 1");
    /// # Ok::<(), textveil::app::key_value::StoreError>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn is_reachable(&self) -> bool {
        self.ask::<()>(&cmd("PING")).await.is_ok()
    }

    /// Sends one command, in a task of its own.
    async fn ask<T: FromRedisValue + Send + 'static>(&self, command: &Cmd) -> Result<T, StoreError> {
        let (server, command) = (self.0.clone(), command.clone());
        let asked = tokio::spawn(async move { server.ask(&command).await }).await;
        asked.unwrap_or_else(|_| Err(StoreError::new("the program ends")))
    }
}

impl Server {
    /// Sends one command, on the open connection or on a new one.
    ///
    /// A command is never sent twice: it may have been executed although its answer was lost.
    async fn ask<T: FromRedisValue>(&self, command: &Cmd) -> Result<T, StoreError> {
        let deadline = Instant::now() + TIMEOUT;
        let mut connection = match timeout_at(deadline, self.connection()).await {
            Ok(Ok(connection)) => connection,
            Ok(Err(error)) => return Err(self.out_of_reach(why(&error))),
            Err(_) => return Err(self.out_of_reach("it does not answer".into())),
        };
        let lose = || connection.lost.store(true, Ordering::Relaxed);
        match timeout_at(deadline, command.query_async(&mut connection.link)).await {
            Ok(Ok(answer)) => {
                self.in_reach();
                Ok(answer)
            }
            Ok(Err(error)) => {
                if error.is_unrecoverable_error() {
                    lose();
                }
                Err(match error.kind() {
                    ErrorKind::Io => self.out_of_reach(why(&error)),
                    _ => self.refused(&error),
                })
            }
            Err(_) => {
                lose();
                Err(self.out_of_reach("it does not answer".into()))
            }
        }
    }

    async fn connection(&self) -> Result<Connection, RedisError> {
        let mut slot = self.connection.lock().await;
        if let Some(open) = slot.as_ref().filter(|connection| !connection.lost.load(Ordering::Relaxed)) {
            return Ok(open.clone());
        }
        let lost = Arc::new(AtomicBool::new(false));
        let losing = lost.clone();
        let config = AsyncConnectionConfig::new()
            // the deadline of the operation applies
            .set_connection_timeout(None)
            .set_response_timeout(None)
            .set_push_sender(move |push: PushInfo| {
                if push.kind == PushKind::Disconnection {
                    losing.store(true, Ordering::Relaxed);
                }
                Ok::<_, std::convert::Infallible>(())
            });
        let link = self.client.get_multiplexed_async_connection_with_config(&config).await?;
        Ok(slot.insert(Connection { link, lost }).clone())
    }

    fn in_reach(&self) {
        if !self.reachable.swap(true, Ordering::Relaxed) {
            eprintln!("textveil: the Redis at {} can be reached again", self.address);
        }
    }

    fn out_of_reach(&self, why: String) -> StoreError {
        let error = StoreError(format!("the Redis at {} cannot be reached: {why}", self.address));
        if self.reachable.swap(false, Ordering::Relaxed) {
            eprintln!("textveil: {error}; what needs it fails until it can");
        }
        error
    }

    /// The server's message may contain keys and values, so only its code is reported.
    fn refused(&self, error: &RedisError) -> StoreError {
        let detail = error.detail().unwrap_or_default();
        if detail.contains("not an integer") || error.code() == Some("WRONGTYPE") {
            return StoreError::new(NO_COUNTER);
        }
        if detail.contains("would overflow") {
            return StoreError::new(OUT_OF_RANGE);
        }
        StoreError(format!("the Redis at {} rejected a command: {}", self.address, why(error)))
    }
}

/// Returns a reason without data of the request.
fn why(error: &RedisError) -> String {
    match (error.kind(), error.code()) {
        (ErrorKind::Io, _) => error.to_string(),
        (ErrorKind::AuthenticationFailed, _) | (_, Some("WRONGPASS")) => {
            "user name or password is wrong".into()
        }
        (ErrorKind::RESP3NotSupported, _) => "it is too old; this needs version 6 or later".into(),
        (_, Some("NOAUTH")) => "it asks for a password".into(),
        (_, Some(code)) => code.to_owned(),
        (kind, None) => format!("{kind:?}"),
    }
}

impl fmt::Debug for RedisStore {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("RedisStore").field("address", &self.0.address).finish_non_exhaustive()
    }
}

#[async_trait]
impl KeyValueStore for RedisStore {
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.ask(cmd("GET").arg(key)).await
    }

    async fn set(&self, key: &str, value: Vec<u8>) -> Result<(), StoreError> {
        self.ask(cmd("SET").arg(key).arg(value)).await
    }

    async fn delete(&self, key: &str) -> Result<(), StoreError> {
        self.ask(cmd("DEL").arg(key)).await
    }

    async fn exists(&self, key: &str) -> Result<bool, StoreError> {
        self.ask(cmd("EXISTS").arg(key)).await
    }

    async fn keys(&self) -> Result<Vec<String>, StoreError> {
        // SCAN may return a key twice
        let mut keys = HashSet::new();
        let mut cursor = 0_u64;
        loop {
            let (next, found): (u64, Vec<Vec<u8>>) =
                self.ask(cmd("SCAN").arg(cursor).arg("COUNT").arg(SCANNED)).await?;
            // the service's keys are text
            keys.extend(found.into_iter().filter_map(|key| String::from_utf8(key).ok()));
            if next == 0 {
                return Ok(keys.into_iter().collect());
            }
            cursor = next;
        }
    }

    async fn increment(&self, key: &str, delta: i64) -> Result<i64, StoreError> {
        self.ask(cmd("INCRBY").arg(key).arg(delta)).await
    }

    async fn compare_and_set(
        &self,
        key: &str,
        expected: Option<Vec<u8>>,
        value: Vec<u8>,
    ) -> Result<bool, StoreError> {
        let mut command = cmd("EVAL");
        command.arg(COMPARE_AND_SET).arg(1).arg(key).arg(value);
        if let Some(expected) = expected {
            command.arg(expected);
        }
        self.ask(&command).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls() {
        for (url, address) in [
            ("redis://127.0.0.1:6399", Some("127.0.0.1:6399")),
            ("redis://name:secret@redis.example.com/2", Some("redis.example.com:6379")),
            ("rediss://:secret@redis.example.com:6380", Some("redis.example.com:6380")),
            ("redis+unix:///run/redis.sock", Some("/run/redis.sock")),
            ("rediss://:secret@redis.example.com/#insecure", None),
            ("redis://:secret@redis.example.com/first", None),
            ("redis://:secret@redis.example.com:x", None),
            ("http://:secret@redis.example.com", None),
            ("secret", None),
            ("", None),
        ] {
            let said = match RedisStore::new(url) {
                Ok(store) => {
                    assert_eq!(Some(store.0.address.as_str()), address, "{url}");
                    format!("{store:?}")
                }
                Err(error) => {
                    assert_eq!(None, address, "{url}: {error}");
                    format!("{error} {error:?}")
                }
            };
            assert!(!said.contains("secret"), "{said}");
        }
    }
}
