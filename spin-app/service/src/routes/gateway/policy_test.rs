//! `POST /api/v1/gateway/policies/test`: the decisions of policies on test texts; nothing is stored or sent.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};
use textveil_engine::{
    Action, DetectOptions,
    limits::{MAX_BATCH, MAX_TEXT_CHARS},
    wire,
};

use crate::{
    call::{Call, RouteResult, ok},
    chat::placeholder::Placeholders,
    configuration::{ACTIONS, Configuration},
    error::ApiError,
    host::Host,
    limits::{MAX_CONDITION_NAME_BYTES, MAX_MODEL_BYTES, MAX_WORKSPACE_POLICIES},
    order,
    policies::{self, Decision, Direction, Place, PolicyDraft, PolicyRecord, TestedEntity, Trial},
    providers,
    sent::Sent,
    setup::Keys,
};

/// The decisions of policies.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct PolicyTest {
    /// The workspace whose settings were used.
    workspace_id: String,
    /// The strictest action; `ALLOW` without findings.
    decision: Action,
    /// The findings, with their decisions.
    entities: Vec<TestedEntity>,
    /// The text as sent to the model; null if it is blocked, or if messages were tested.
    protected_text: Option<String>,
    /// The messages as sent to the model; null if one is blocked, or if a text was tested.
    protected_messages: Option<Vec<TestedMessage>>,
}

/// A message as sent to the model.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct TestedMessage {
    /// Its role.
    role: String,
    /// A string, or parts, as in the request.
    content: Value,
}

/// A test text, and its position.
struct TriedText<'a> {
    message: Option<usize>,
    part: Option<usize>,
    role: Option<&'a str>,
    text: &'a str,
}

pub(crate) async fn run<H: Host>(call: Call<'_, H>, request: Value) -> RouteResult {
    let workspace = call.workspace().to_owned();
    let sent = Sent::body(&request)?;
    let pieces = pieces(&sent)?;
    let mut bench = Bench::new(call.host, &workspace, &request).await?;
    call.settings().await?.add_to(&mut bench.detection);
    let verdicts = bench.verdicts(&pieces)?;
    verdicts.iter().for_each(|verdict| call.counts.extend(&verdict.counts));
    ok(&result(workspace, &sent, &pieces, verdicts))
}

/// The settings for a test.
struct Bench {
    records: Vec<PolicyRecord>,
    configuration: Configuration,
    default_action: Action,
    detection: DetectOptions,
    direction: Direction,
    provider: Vec<String>,
    model: Option<String>,
    keys: Keys,
}

impl Bench {
    async fn new<H: Host>(host: &H, workspace: &str, request: &Value) -> Result<Self, ApiError> {
        let sent = &Sent::body(request)?;
        let configuration = Configuration::of(host, workspace).await?;
        let records = match drafts(sent, workspace)? {
            Some(drafts) => drafts,
            None => policies::list(host, workspace).await?,
        };
        let providers = providers::list(host, workspace).await?;
        let wanted = "the id of an LLM provider of the workspace, or its type where it is the only one of it";
        let provider = sent.read("provider", wanted, |value| {
            providers::named(&providers, value.as_str()?).map(|provider| provider.names().to_vec())
        })?;
        let model = sent.line("model", 1..=MAX_MODEL_BYTES)?.map(str::to_owned);
        let direction = sent.choice("direction", "input or output")?.unwrap_or(Direction::Input);
        let action = sent.choice("default_action", ACTIONS)?.unwrap_or(configuration.default_action);
        Ok(Self {
            records,
            default_action: policies::default_action(direction, action),
            configuration,
            detection: wire::decode(request)?,
            direction,
            provider: provider.unwrap_or_default(),
            model,
            keys: Keys::of(host, workspace).await?,
        })
    }

    /// Returns a decision per piece, in their order. Pieces of one role have the same policies.
    fn verdicts(&self, pieces: &[TriedText<'_>]) -> Result<Vec<Decision>, ApiError> {
        let mut by_role: BTreeMap<Option<&str>, Vec<usize>> = BTreeMap::new();
        for (index, piece) in pieces.iter().enumerate() {
            by_role.entry(piece.role).or_default().push(index);
        }
        let provider: Vec<&str> = self.provider.iter().map(String::as_str).collect();
        let mut placeholders = Placeholders::new(self.keys.placeholders.clone());
        pieces.iter().for_each(|piece| placeholders.read(piece.text));
        let mut verdicts = Vec::new();
        for (role, indexes) in by_role {
            let model = self.model.as_deref();
            let place = Place { direction: self.direction, role, provider: &provider, model, tool: None };
            let policies = policies::applying(&self.records, place, &self.configuration.risk_levels);
            let texts: Vec<&str> =
                indexes.iter().filter_map(|index| pieces.get(*index)).map(|piece| piece.text).collect();
            let decided = Trial::new(policies, self.default_action).run(
                &texts,
                &self.detection,
                &self.keys.ring,
                &mut placeholders,
            )?;
            verdicts.extend(indexes.into_iter().zip(decided));
        }
        order::sort_by_key(&mut verdicts, |(index, _)| *index);
        Ok(verdicts.into_iter().map(|(_, verdict)| verdict).collect())
    }
}

/// Returns the policies in the request; `None` to test the stored ones.
fn drafts(sent: &Sent<'_>, workspace: &str) -> Result<Option<Vec<PolicyRecord>>, ApiError> {
    let alone = sent.object("policy")?;
    let several = sent.objects("policies", MAX_WORKSPACE_POLICIES)?;
    if alone.is_some() && several.is_some() {
        return Err(sent.refused("policy", "absent where policies is there"));
    }
    let Some(drafts) = alone.map(|one| vec![one]).or(several) else { return Ok(None) };
    let record =
        |draft: &Sent<'_>| Ok(PolicyDraft::read(draft)?.record(String::new(), workspace, String::new(), ""));
    drafts.iter().map(record).collect::<Result<_, _>>().map(Some)
}

/// Returns the texts of a request: one, or those of 1 to 50 messages.
fn pieces<'a>(sent: &Sent<'a>) -> Result<Vec<TriedText<'a>>, ApiError> {
    let wanted = format!("a string of 1 to {MAX_TEXT_CHARS} characters");
    let text = sent.read("text", &wanted, |value| value.as_str().filter(|text| !text.is_empty()))?;
    let messages = sent.objects("messages", MAX_BATCH)?;
    match (text, messages) {
        (Some(text), None) => {
            let role = sent.line("role", 1..=MAX_CONDITION_NAME_BYTES)?;
            Ok(vec![piece(sent, "text", TriedText { message: None, part: None, role, text })?])
        }
        (None, Some(messages)) if messages.is_empty() => {
            Err(sent.refused("messages", &format!("a list of 1 to {MAX_BATCH} objects")))
        }
        (None, Some(messages)) => {
            let mut pieces = Vec::new();
            for (index, message) in messages.iter().enumerate() {
                pieces.extend(of_message(index, message)?);
            }
            if pieces.len() > MAX_BATCH {
                return Err(sent.refused("messages", &format!("at most {MAX_BATCH} texts, parts counted")));
            }
            Ok(pieces)
        }
        (Some(_), Some(_)) => Err(sent.refused("messages", "absent where text is there")),
        (None, None) => Err(ApiError::invalid("text", "text is missing; send it, or messages")),
    }
}

/// Returns the texts of a message. Parts without text are ignored; a message without text has no content to
/// protect.
fn of_message<'a>(index: usize, message: &Sent<'a>) -> Result<Vec<TriedText<'a>>, ApiError> {
    let role = message.line("role", 1..=MAX_CONDITION_NAME_BYTES)?;
    let role = Some(message.required("role", role)?);
    match message.value("content") {
        None => Ok(Vec::new()),
        Some(Value::String(text)) if text.is_empty() => Ok(Vec::new()),
        Some(Value::String(text)) => {
            Ok(vec![piece(message, "content", TriedText { message: Some(index), part: None, role, text })?])
        }
        Some(Value::Array(_)) => {
            let parts = message.objects("content", MAX_BATCH)?.unwrap_or_default();
            let mut pieces = Vec::new();
            for (part, sent) in parts.iter().enumerate() {
                let wanted = format!("a string of at most {MAX_TEXT_CHARS} characters");
                let text = sent.read("text", &wanted, Value::as_str)?.filter(|text| !text.is_empty());
                if let Some(text) = text {
                    let found = TriedText { message: Some(index), part: Some(part), role, text };
                    pieces.push(piece(sent, "text", found)?);
                }
            }
            Ok(pieces)
        }
        Some(_) => Err(message.refused("content", "a string, a list of parts or null")),
    }
}

fn piece<'a>(sent: &Sent<'_>, field: &str, piece: TriedText<'a>) -> Result<TriedText<'a>, ApiError> {
    if piece.text.chars().count() <= MAX_TEXT_CHARS {
        return Ok(piece);
    }
    Err(sent.refused(field, &format!("at most {MAX_TEXT_CHARS} characters long")))
}

fn result(
    workspace_id: String,
    sent: &Sent<'_>,
    pieces: &[TriedText<'_>],
    verdicts: Vec<Decision>,
) -> PolicyTest {
    let decision = verdicts.iter().map(|verdict| verdict.decision).max().unwrap_or(Action::Allow);
    let blocked = decision == Action::Block;
    let of_a_text = sent.value("messages").is_none();
    let mut messages = messages(sent);
    let (mut entities, mut protected_text) = (Vec::new(), None);
    for (piece, verdict) in pieces.iter().zip(verdicts) {
        let tested = |entity| TestedEntity { message: piece.message, part: piece.part, entity };
        entities.extend(verdict.entities.into_iter().map(tested));
        match piece.message.and_then(|index| messages.get_mut(index)) {
            Some(message) => message.put(piece.part, verdict.text),
            None => protected_text = Some(verdict.text),
        }
    }
    PolicyTest {
        workspace_id,
        decision,
        entities,
        protected_text: protected_text.filter(|_| !blocked),
        protected_messages: Some(messages).filter(|_| !blocked && !of_a_text),
    }
}

/// Returns the messages of the request.
fn messages(sent: &Sent<'_>) -> Vec<TestedMessage> {
    let messages = sent.value("messages").and_then(Value::as_array).into_iter().flatten();
    let message = |message: &Value| TestedMessage {
        role: message.get("role").and_then(Value::as_str).unwrap_or_default().to_owned(),
        content: message.get("content").cloned().unwrap_or_default(),
    };
    messages.map(message).collect()
}

impl TestedMessage {
    /// Replaces the text of the request.
    fn put(&mut self, part: Option<usize>, text: String) {
        let place = match part {
            None => Some(&mut self.content),
            Some(part) => self.content.get_mut(part).and_then(|part| part.get_mut("text")),
        };
        if let Some(place) = place {
            *place = json!(text);
        }
    }
}
