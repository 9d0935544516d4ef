//! The npm package in Node.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{KEY_VERSION, hex, key};
use crate::{Surface, Verb, answer, dist, workspace};

/// `dist/npm/` in one Node process, which reads a request per line.
#[derive(Debug)]
pub struct JavaScript {
    node: Child,
    requests: ChildStdin,
    replies: BufReader<ChildStdout>,
}

/// A line of `javascript/surface.mjs`.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Reply {
    Answer(Value),
    Refusal { code: String, field: Option<String> },
    Failure(String),
}

impl JavaScript {
    /// Starts Node with the package and the key of the corpus.
    ///
    /// # Errors
    /// If the package was not built or Node cannot be started.
    pub fn new() -> Result<Self> {
        let mut node = Command::new("node")
            .arg(workspace("tests/conformance/src/surfaces/javascript.mjs"))
            .arg(dist("npm")?)
            .args([hex(&key()?), KEY_VERSION.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot start node; is it installed?")?;
        let (Some(requests), Some(replies)) = (node.stdin.take(), node.stdout.take()) else {
            bail!("node was started without pipes");
        };
        Ok(Self { node, requests, replies: BufReader::new(replies) })
    }
}

impl Surface for JavaScript {
    fn name(&self) -> &'static str {
        "javascript"
    }

    fn offers(&self, verb: Verb) -> bool {
        verb != Verb::ProtectBatch
    }

    fn call(&mut self, verb: Verb, request: &Value) -> Result<Value> {
        let mut request = request.clone();
        if let Value::Object(fields) = &mut request {
            // the package counts in UTF-16 by itself; its own tests cover that
            if !matches!(verb, Verb::Validate | Verb::Detectors | Verb::ProtectDocument) {
                fields.entry("offset_unit").or_insert_with(|| json!("code_point"));
            }
        }
        writeln!(self.requests, "{}", json!({ "verb": verb, "request": request }))?;
        let mut line = String::new();
        if self.replies.read_line(&mut line)? == 0 {
            bail!("node has ended; its message is above");
        }
        match serde_json::from_str(&line)? {
            Reply::Answer(answer) => Ok(answer),
            Reply::Refusal { code, field } => Ok(answer::refusal(&code, field.as_deref())),
            Reply::Failure(message) => bail!(message),
        }
    }
}

impl Drop for JavaScript {
    fn drop(&mut self) {
        // its work is done; it may have ended already
        let _ = self.node.kill();
        let _ = self.node.wait();
    }
}
