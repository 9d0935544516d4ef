//! The access log of requests that no component answered: one JSON object a line on standard error.
//!
//! A component logs what it answers itself, and better. The lines here are shaped like those of the service,
//! so that both can be read together: see `spin-app/service/src/log.rs`. Paths, queries, headers and bodies
//! are not logged: they can hold personal data.

use std::io::{BufWriter, Write as _};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::Result;
use serde::Serialize;

/// Lines that may wait to be written; more are dropped rather than hold up requests.
const WAITING: usize = 8192;

/// Writes in a separate thread, many lines at a time if there are many.
pub(crate) struct AccessLog(Option<SyncSender<Message>>);

enum Message {
    Line(String),
    /// Answered when all lines before it are written.
    Flush(tokio::sync::oneshot::Sender<()>),
}

/// One line.
#[derive(Serialize)]
pub(crate) struct Line<'a> {
    /// Unix time in milliseconds at which the request was answered.
    pub(crate) time_ms: u64,
    pub(crate) request_id: &'a str,
    /// Absent if the caller sent no trace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) trace_id: Option<&'a str>,
    pub(crate) method: &'a str,
    /// The route's pattern, not the path, which is the caller's. Absent for an unknown path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) route: Option<&'a str>,
    pub(crate) status: u16,
    pub(crate) duration_ms: f64,
    /// The error's code on the wire. Absent for a static answer of the manifest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<&'static str>,
    /// The cause, if the request is not at fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cause: Option<&'static str>,
}

impl<'a> Line<'a> {
    /// A line on a request that was answered now, after `took`.
    pub(crate) fn new(request_id: &'a str, method: &'a http::Method, status: u16, took: Duration) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self {
            time_ms: u64::try_from(now.as_millis()).unwrap_or(u64::MAX),
            request_id,
            trace_id: None,
            method: known(method),
            route: None,
            status,
            // to the microsecond, so that the number stays short
            duration_ms: (took.as_secs_f64() * 1e6).round() / 1e3,
            error: None,
            cause: None,
        }
    }
}

/// A method of one's own making is the caller's text.
fn known(method: &http::Method) -> &str {
    match method.as_str() {
        name @ ("GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS" | "TRACE" | "CONNECT") => {
            name
        }
        _ => "other",
    }
}

impl AccessLog {
    /// Creates a log, or one that logs nothing.
    pub(crate) fn new(quiet: bool) -> Result<Self> {
        if quiet {
            return Ok(Self(None));
        }
        let (sender, messages) = sync_channel(WAITING);
        std::thread::Builder::new().name("access log".into()).spawn(move || write(&messages))?;
        Ok(Self(Some(sender)))
    }

    /// Writes a line, soon.
    pub(crate) fn record(&self, line: &Line<'_>) {
        let Some(sender) = &self.0 else { return };
        if let Ok(line) = serde_json::to_string(line) {
            let _ = sender.try_send(Message::Line(line));
        }
    }

    /// Waits until every line so far is written.
    pub(crate) async fn flush(&self) {
        let Some(sender) = &self.0 else { return };
        let (done, written) = tokio::sync::oneshot::channel();
        if sender.send(Message::Flush(done)).is_ok() {
            let _ = written.await;
        }
    }
}

fn write(messages: &Receiver<Message>) {
    while let Ok(first) = messages.recv() {
        let mut output = BufWriter::new(std::io::stderr().lock());
        for message in std::iter::once(first).chain(messages.try_iter()) {
            match message {
                Message::Line(line) => {
                    // the error of a closed standard error cannot be reported
                    let _ = writeln!(output, "{line}");
                }
                Message::Flush(done) => {
                    let _ = output.flush();
                    let _ = done.send(());
                }
            }
        }
        let _ = output.flush();
    }
}
