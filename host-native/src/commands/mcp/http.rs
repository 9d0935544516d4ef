//! The other server behind an address: Streamable HTTP.
//!
//! Each message is a POST; its answer is one message or a stream of them. Servers of older revisions may open a session,
//! and send messages of their own in a stream that a GET opens.

use std::{
    collections::BTreeMap,
    io::{self, BufReader},
    str::FromStr as _,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use anyhow::{Context as _, Result, bail};
use base64ct::{Base64, Encoding as _};
use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, Uri,
    header::{ACCEPT, CONTENT_TYPE, HOST, TRAILER},
};
use http_body_util::BodyExt as _;
use serde_json::Value;
use textveil::app::{OutboundClient, ResponseBody};
use textveil_service::{chat::events::EventReader, mcp::PROTOCOL_VERSION, upstream::SET_BY_SENDER};
use tokio::{
    sync::mpsc,
    task::{AbortHandle, JoinError, JoinSet},
    time::{Instant, sleep, timeout},
};

use super::{
    super::Outcome,
    lines::{self, InputLine, LONGEST, Output},
    note,
    wrapper::{Routed, To, Wrapper, request_key},
};

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const REVISION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");
const EVENTS: &str = "text/event-stream";
const JSON: &str = "application/json";

/// Headers that this program sets itself, beside [`SET_BY_SENDER`].
const OWN: [HeaderName; 5] = [TRAILER, SESSION, REVISION, METHOD, NAME];

/// Time for a message that holds up the following ones: a notification, a response, and `initialize`.
const HOLD: Duration = Duration::from_secs(60);
/// Time for requests in flight after the client has ended.
const DRAIN: Duration = Duration::from_secs(30);
/// Time for the end of a session after that.
const GOODBYE: Duration = Duration::from_secs(5);
/// Pauses before the stream of a server is opened again; they double while it does not last.
const PAUSES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(60)];

/// A header with its value from a variable of the environment, which keeps it out of the list of processes.
#[derive(Clone, Debug)]
pub struct Header {
    name: HeaderName,
    variable: String,
}

impl Header {
    /// Parses `NAME=VARIABLE`.
    ///
    /// # Errors
    /// Says what is missing.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (name, variable) = text.split_once('=').ok_or("a name, `=` and a variable are needed")?;
        let name = HeaderName::from_str(name).map_err(|_| "the name of the header is not valid")?;
        if SET_BY_SENDER.contains(&name) || OWN.contains(&name) {
            return Err("this header is set by the program; leave it out".to_owned());
        }
        Ok(Self { name, variable: variable.to_owned() })
    }

    fn value(&self) -> Result<HeaderValue> {
        let Self { name, variable } = self;
        let value = std::env::var(variable)
            .with_context(|| format!("--header {name} needs the variable {variable} in the environment"))?;
        let mut value = HeaderValue::try_from(value)
            .with_context(|| format!("the variable {variable} has a character that a header cannot have"))?;
        value.set_sensitive(true);
        Ok(value)
    }
}

/// Passes messages until the client ends and its requests are answered.
///
/// # Errors
/// If the address or a header is not valid, or the client cannot be read or written to.
pub fn run(wrapper: Wrapper, url: &str, headers: &[Header]) -> Result<Outcome> {
    let uri: Uri = url.parse().context("--wrap-url needs an address such as https://example.com/mcp")?;
    let host = uri.authority().map(http::uri::Authority::as_str);
    if host.is_some_and(|host| host.contains('@')) {
        bail!("--wrap-url must not have a credential; put it in a variable, and name it with --header");
    }
    let host = host.filter(|_| matches!(uri.scheme_str(), Some("http" | "https")));
    let host = HeaderValue::try_from(host.context("--wrap-url needs an address with http:// or https://")?)?;
    let mut own: HeaderMap = HeaderMap::from_iter([(HOST, host)]);
    for header in headers {
        own.insert(header.name.clone(), header.value()?);
    }
    let server = Arc::new(RemoteServer {
        wrapper,
        output: Output::new(io::stdout()),
        client: OutboundClient::new(),
        uri,
        headers: own,
        session: Mutex::default(),
        is_listening: AtomicBool::new(false),
    });
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let outcome = runtime.block_on(serve(server));
    // a stream of the server may still be open
    runtime.shutdown_background();
    outcome
}

async fn serve(server: Arc<RemoteServer>) -> Result<Outcome> {
    let (sender, mut lines) = mpsc::channel(1);
    thread::spawn(move || {
        let mut input = BufReader::new(io::stdin());
        loop {
            let line = lines::next(&mut input).transpose();
            let Some(line) = line else { return };
            if sender.blocking_send(line).is_err() {
                return;
            }
        }
    });
    let mut requests = JoinSet::new();
    let mut running: BTreeMap<String, AbortHandle> = BTreeMap::new();
    while let Some(line) = lines.recv().await {
        let line = line?;
        let routed = tokio::task::block_in_place(|| server.wrapper.route_client(line));
        for message in server.deliver(routed)? {
            let cancelled = cancelled(&message);
            let key = request_key(&message).filter(|_| !is_first(&message));
            let sending = Arc::clone(&server).post(message);
            // the order of notifications counts, and the session of `initialize`
            match key {
                Some(key) => _ = running.insert(key, requests.spawn(sending)),
                None => sending.await?,
            }
            // a server without sessions learns it from the end of the connection
            if let Some(request) = cancelled.and_then(|key| running.remove(&key)) {
                request.abort();
            }
        }
        while let Some(done) = requests.try_join_next() {
            ended(done)?;
        }
        running.retain(|_, request| !request.is_finished());
    }
    let drain = async {
        while let Some(done) = requests.join_next().await {
            ended(done)?;
        }
        anyhow::Ok(())
    };
    match timeout(DRAIN, drain).await {
        Ok(drained) => drained?,
        Err(_) => drop(server.deliver(server.wrapper.fail_all("the client has ended"))?),
    }
    server.end_session().await;
    Ok(Outcome::Done)
}

/// Passes on a failure of a request, other than that it was cancelled.
fn ended(done: Result<Result<()>, JoinError>) -> Result<()> {
    match done {
        Err(error) if error.is_cancelled() => Ok(()),
        done => done?,
    }
}

/// Whether a message opens a session.
fn is_first(message: &Value) -> bool {
    message.get("method").is_some_and(|method| method == "initialize")
}

/// The request that a message cancels, by its `id` as it is written.
fn cancelled(message: &Value) -> Option<String> {
    let is_cancellation = message.get("method")? == "notifications/cancelled";
    Some(message.pointer("/params/requestId").filter(|_| is_cancellation)?.to_string())
}

/// The server, and its session.
struct RemoteServer {
    wrapper: Wrapper,
    output: Output<io::Stdout>,
    client: OutboundClient,
    uri: Uri,
    /// Of every request.
    headers: HeaderMap,
    session: Mutex<Session>,
    /// Set once [`Self::listen`] has started.
    is_listening: AtomicBool,
}

/// The session that a server of an older revision opened in its answer to `initialize`.
#[derive(Clone, Default)]
struct Session {
    id: Option<HeaderValue>,
    revision: Option<HeaderValue>,
}

impl RemoteServer {
    /// Writes the messages for the client, and returns those for the server.
    fn deliver(&self, routed: Routed) -> Result<Vec<Value>> {
        let mut to_server = Vec::new();
        for (to, message) in routed {
            match to {
                To::Client => self.output.write(&message)?,
                To::Server => to_server.push(message),
            }
        }
        Ok(to_server)
    }

    /// Sends a message, and delivers what it is answered with.
    ///
    /// # Errors
    /// If the client has gone. A fault of the server is an answer.
    async fn post(self: Arc<Self>, message: Value) -> Result<()> {
        let key = request_key(&message);
        let is_initialized =
            message.get("method").is_some_and(|method| method == "notifications/initialized");
        let exchange = Box::pin(self.exchange(&message));
        let outcome = match key.is_none() || is_first(&message) {
            true => timeout(HOLD, exchange).await.unwrap_or_else(|_| bail!("it does not answer in time")),
            false => exchange.await,
        };
        // an error of the exchange has nothing of the message
        let (why, is_fault) = match outcome {
            Err(error) if error.is::<io::Error>() => return Err(error),
            Err(error) => (format!("the server gives no answer: {error:#}"), true),
            Ok(()) => ("the server gives no answer that can be read".to_owned(), false),
        };
        let failed = key.as_deref().map(|key| self.wrapper.fail(key, &why)).unwrap_or_default();
        if !failed.is_empty() || (is_fault && key.is_none()) {
            note(&why);
        }
        self.deliver(failed)?;
        if is_initialized && !self.is_listening.swap(true, Ordering::Relaxed) {
            tokio::spawn(Arc::clone(&self).listen());
        }
        Ok(())
    }

    async fn exchange(&self, message: &Value) -> Result<()> {
        let is_first = is_first(message);
        if is_first {
            *self.session() = Session::default();
        }
        let mut request = self.request(Method::POST, Bytes::from(message.to_string()))?;
        let headers = request.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
        describe(message, headers)?;
        let response = self.client.send(request).await?;
        if is_first {
            let id = response.headers().get(SESSION).cloned();
            self.session().id = id;
        }
        self.receive(response, is_first).await
    }

    /// Reads the messages of an answer.
    async fn receive(&self, response: Response<ResponseBody>, is_first: bool) -> Result<()> {
        let (head, mut body) = response.into_parts();
        let status = head.status.as_u16();
        if matches!(head.status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
            bail!("it rejects the credential with status {status}; pass a valid one with --header");
        }
        match media_type(&head.headers).as_str() {
            EVENTS if head.status.is_success() => {
                let mut reader = EventReader::new(LONGEST);
                while let Some(frame) = body.frame().await {
                    let Ok(data) = frame?.into_data() else { continue };
                    let mut events = Vec::new();
                    let read = reader.push(&data, &mut events);
                    for event in events {
                        self.message(event.data.as_bytes(), is_first).await?;
                    }
                    if read.is_err() {
                        bail!("an event is too long or not UTF-8");
                    }
                }
                Ok(())
            }
            JSON => {
                let mut read = Vec::new();
                while let Some(frame) = body.frame().await {
                    if let Ok(data) = frame?.into_data() {
                        read.extend_from_slice(&data);
                    }
                    if read.len() > LONGEST {
                        bail!("the answer is longer than {} MiB", LONGEST >> 20);
                    }
                }
                self.message(&read, is_first).await?;
                // only an error of the protocol has answered the request
                if !head.status.is_success() {
                    bail!("it answers with status {status}");
                }
                Ok(())
            }
            _ if matches!(head.status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) => Ok(()),
            _ => bail!("it answers with status {status} and no message"),
        }
    }

    /// Reads a message of the server.
    async fn message(&self, data: &[u8], is_first: bool) -> Result<()> {
        if data.trim_ascii().is_empty() {
            return Ok(());
        }
        let line = if data.len() > LONGEST { InputLine::TooLong } else { lines::read(data) };
        if let InputLine::Message(message) = &line
            && is_first
            && let Some(revision) = message.pointer("/result/protocolVersion").and_then(Value::as_str)
        {
            self.session().revision = HeaderValue::try_from(revision).ok();
        }
        let routed = tokio::task::block_in_place(|| self.wrapper.route_server(line));
        // the refusal of a request of the server
        for refusal in self.deliver(routed)? {
            let mut request = self.request(Method::POST, Bytes::from(refusal.to_string()))?;
            request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
            drop(self.client.send(request).await);
        }
        Ok(())
    }

    /// Reads what a server of an older revision sends by itself, and asks again when the stream has ended.
    async fn listen(self: Arc<Self>) {
        let [shortest, longest] = PAUSES;
        let mut pause = shortest;
        loop {
            let Ok(request) = self.request(Method::GET, Bytes::new()) else { return };
            let since = Instant::now();
            if let Ok(response) = self.client.send(request).await {
                let status = response.status();
                // a server need not offer it, and may have ended the session
                let is_stream = status.is_success() && media_type(response.headers()) == EVENTS;
                if !status.is_server_error() && !is_stream {
                    return;
                }
                // a stream may end at any time; the next one tells whether the server is well
                if self.receive(response, false).await.is_err_and(|error| error.is::<io::Error>()) {
                    return;
                }
            }
            pause = if since.elapsed() >= longest { shortest } else { longest.min(pause * 2) };
            sleep(pause).await;
        }
    }

    async fn end_session(&self) {
        if self.session().id.is_none() {
            return;
        }
        if let Ok(request) = self.request(Method::DELETE, Bytes::new()) {
            drop(timeout(GOODBYE, self.client.send(request)).await);
        }
    }

    fn request(&self, method: Method, body: Bytes) -> Result<Request<Bytes>> {
        let accepted = if method == Method::GET { EVENTS } else { "application/json, text/event-stream" };
        let mut request = Request::builder().method(method).uri(self.uri.clone()).body(body)?;
        request.headers_mut().extend(self.headers.clone());
        request.headers_mut().insert(ACCEPT, HeaderValue::from_static(accepted));
        let Session { id, revision } = self.session().clone();
        let known = [(SESSION, id), (REVISION, revision)];
        request.headers_mut().extend(known.into_iter().filter_map(|(name, value)| Some((name, value?))));
        Ok(request)
    }

    fn session(&self) -> std::sync::MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The media type of a body, without its parameters.
fn media_type(headers: &HeaderMap) -> String {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Adds the headers that tell what a message is, as revisions without a handshake require.
fn describe(message: &Value, headers: &mut HeaderMap) -> Result<()> {
    let text = |place: &str| message.pointer(place).and_then(Value::as_str);
    let meta = message.pointer("/params/_meta").and_then(|meta| meta.get(PROTOCOL_VERSION));
    let Some(revision) = meta.and_then(Value::as_str) else { return Ok(()) };
    headers.insert(REVISION, HeaderValue::try_from(revision)?);
    let Some(method) = text("/method") else { return Ok(()) };
    headers.insert(METHOD, HeaderValue::try_from(method)?);
    let name = match method {
        "tools/call" | "prompts/get" => text("/params/name"),
        "resources/read" => text("/params/uri"),
        _ => None,
    };
    if let Some(name) = name {
        headers.insert(NAME, HeaderValue::try_from(header_text(name))?);
    }
    Ok(())
}

/// Writes a text as a header, in base64 if a header cannot have it.
fn header_text(text: &str) -> String {
    let is_plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~')) && text.trim() == text;
    if is_plain && !text.starts_with("=?base64?") {
        return text.to_owned();
    }
    format!("=?base64?{}?=", Base64::encode_string(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_written_as_headers() {
        for (name, want) in
            [("find", "find"), ("příklad", "=?base64?cMWZw61rbGFk?="), (" a", "=?base64?IGE=?="), ("", "")]
        {
            assert_eq!(header_text(name), want);
        }
        for wrong in ["authorization", "a b=C", "Content-Length=C", "mcp-session-id=C"] {
            assert!(Header::parse(wrong).is_err(), "{wrong}");
        }
    }
}
