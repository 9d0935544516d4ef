//! `textveil hook`: protects what a coding agent reads, as one of its hooks.
//!
//! Claude Code takes another result of a tool: every string in it is protected in place, since a result of another shape is
//! ignored. It takes no other prompt, and Codex takes no other text at all, so there the hook blocks. A fault ends with
//! status 2, which both agents read as a block where they can block.

use std::io::{self, Read, Write};

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use textveil_engine::TypeCounts;

use super::{
    Outcome,
    component::ComponentFlag,
    flags::{DetectFlags, KeyFlags, ProtectFlags, require_key},
    json_value::JsonProtector,
    restore::restore,
};
use crate::documents::Sources;

/// The keys of a result that name a file with its unprotected text.
const PERSISTED: [&str; 2] = ["persistedOutputPath", "persistedOutputSize"];

/// Protect what a coding agent reads: a hook of Claude Code or Codex
///
/// Reads the event from standard input and writes the answer. In Claude Code, results of tools are protected, and prompts
/// with personal data blocked; with a key, the reader sees tokens restored. Codex allows blocking only. An error blocks,
/// where the agent allows it.
#[derive(Args)]
pub struct Arguments {
    /// The agent; known by its events if absent
    #[arg(long, value_enum)]
    agent: Option<Agent>,
    #[command(flatten)]
    protection: ProtectFlags,
    #[command(flatten)]
    key: KeyFlags,
    #[command(flatten)]
    detection: DetectFlags,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Agent {
    Claude,
    Codex,
}

impl Agent {
    /// Only Codex numbers the turns of a tool.
    fn of(event: &Value) -> Self {
        let is_display = event.get("hook_event_name") == Some(&json!("MessageDisplay"));
        if event.get("turn_id").is_some() && !is_display { Self::Codex } else { Self::Claude }
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments, component: &ComponentFlag) -> Result<Outcome> {
    let (detection, _) = arguments.detection.options(&Sources::default())?;
    let protection = arguments.protection.options(&arguments.detection)?;
    let keys = arguments.key.keys()?;
    require_key(&protection, &keys)?;
    let mut input = String::new();
    io::stdin().read_to_string(&mut input)?;
    // the message of a JSON error has no text of the input
    let event: Value =
        serde_json::from_str(&input).context("the event is not JSON; call this as a hook of an agent")?;
    let agent = arguments.agent.unwrap_or_else(|| Agent::of(&event));
    let hook = Hook { json: JsonProtector { engine: component.load()?, detection, protection, keys }, agent };
    if let Some(answer) = hook.answer(&event)? {
        writeln!(io::stdout().lock(), "{answer}")?;
    }
    Ok(Outcome::Done)
}

struct Hook {
    json: JsonProtector,
    agent: Agent,
}

impl Hook {
    /// Returns the answer to an event. It is absent without findings: hooks run beside each other, and the last answer wins.
    fn answer(&self, event: &Value) -> Result<Option<Value>> {
        let name = event
            .get("hook_event_name")
            .and_then(Value::as_str)
            .context("the event has no hook_event_name")?;
        let field = |field: &str| event.get(field).with_context(|| format!("the event has no {field}"));
        Ok(match (name, self.agent) {
            ("UserPromptSubmit" | "UserPromptExpansion", agent) => {
                let (_, counts) = self.json.protected(field("prompt")?)?;
                (!counts.is_empty()).then(|| self.blocked(name, agent, "The prompt", &counts))
            }
            ("PostToolUse", Agent::Codex) => {
                let (_, counts) = self.json.protected(field("tool_response")?)?;
                (!counts.is_empty())
                    .then(|| self.blocked(name, Agent::Codex, "The result of the tool", &counts))
            }
            ("PostToolUse", Agent::Claude) => {
                let (mut result, counts) = self.json.protected(field("tool_response")?)?;
                if let Some(fields) = result.as_object_mut() {
                    fields.retain(|name, _| !PERSISTED.contains(&name.as_str()));
                }
                (!counts.is_empty()).then(|| output(name, json!({ "updatedToolOutput": result })))
            }
            ("MessageDisplay", Agent::Claude) if !self.json.keys.is_empty() => {
                let delta = field("delta")?.as_str().context("delta must be a string")?;
                let restored = restore(&self.json.engine, &self.json.keys, delta)?
                    .filter(|restored| restored.restored > 0);
                restored.map(|restored| output(name, json!({ "displayContent": restored.text })))
            }
            _ => None,
        })
    }

    /// Returns the answer that blocks. It names types only: a reason may reach the model.
    fn blocked(&self, event: &str, agent: Agent, what: &str, counts: &TypeCounts) -> Value {
        let types: Vec<_> = counts.iter().map(|(kind, count)| format!("{kind} ({count})")).collect();
        let reason = format!("{what} has personal data: {}. Remove or replace it.", types.join(", "));
        let mut answer = match agent {
            // an answer with a field that Codex does not know is ignored
            Agent::Codex => json!({}),
            Agent::Claude => output(event, json!({ "suppressOriginalPrompt": true })),
        };
        if let Some(fields) = answer.as_object_mut() {
            fields.insert("decision".to_owned(), json!("block"));
            fields.insert("reason".to_owned(), json!(reason));
        }
        answer
    }
}

fn output(event: &str, mut fields: Value) -> Value {
    if let Some(fields) = fields.as_object_mut() {
        fields.insert("hookEventName".to_owned(), json!(event));
    }
    json!({ "hookSpecificOutput": fields })
}
