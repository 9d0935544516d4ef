//! The access log: one JSON object a line on standard error for each request.
//!
//! A line has the request's id, method, matched route, status and milliseconds until the answer began.
//! Paths, queries, headers and bodies are not logged: they can hold personal data.

use std::io::{BufWriter, Write as _};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::Result;
use http::{Method, StatusCode};
use serde::Serialize;

/// Lines that may wait to be written; more are dropped rather than hold up requests.
const WAITING: usize = 8192;

/// Writes in a thread of its own, many lines at a time when there are many.
pub(crate) struct AccessLog(Option<SyncSender<Message>>);

enum Message {
    Line(String),
    /// Answered when all lines before it are written.
    Flush(tokio::sync::oneshot::Sender<()>),
}

#[derive(Serialize)]
struct Line<'a> {
    /// Unix time in seconds.
    time: f64,
    id: &'a str,
    method: &'a str,
    route: Option<&'a str>,
    status: u16,
    ms: f64,
}

impl AccessLog {
    /// A log, or one that logs nothing.
    pub(crate) fn new(quiet: bool) -> Result<Self> {
        if quiet {
            return Ok(Self(None));
        }
        let (sender, messages) = sync_channel(WAITING);
        std::thread::Builder::new().name("access log".into()).spawn(move || write(&messages))?;
        Ok(Self(Some(sender)))
    }

    /// Logs a request that was answered after `took`.
    pub(crate) fn record(
        &self,
        id: &str,
        method: &Method,
        route: Option<&str>,
        status: StatusCode,
        took: Duration,
    ) {
        let Some(sender) = &self.0 else { return };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let line = Line {
            time: milliseconds(now) / 1000.0,
            id,
            method: method.as_str(),
            route,
            status: status.as_u16(),
            ms: milliseconds(took),
        };
        if let Ok(line) = serde_json::to_string(&line) {
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

/// To the microsecond, so that the number stays short.
fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

fn write(messages: &Receiver<Message>) {
    while let Ok(first) = messages.recv() {
        let mut output = BufWriter::new(std::io::stderr().lock());
        for message in std::iter::once(first).chain(messages.try_iter()) {
            match message {
                Message::Line(line) => {
                    // nobody to tell when standard error is gone
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
