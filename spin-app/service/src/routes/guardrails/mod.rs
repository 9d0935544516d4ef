//! Guardrails of other gateways: they ask about each request and each answer, and send both themselves.
//!
//! A conversation is protected and restored as in our gateway, by the code of `chat/`, with the policies, lists and audit
//! of the workspace. Two things differ. A provider is unknown, so a policy that names one does not apply. The answer comes
//! without its request, so a masked value becomes a token, which carries its value, and nothing is kept between them.

pub(crate) mod agent_gateway;
pub(crate) mod litellm;
pub(crate) mod portkey;

use std::sync::Arc;

use serde_json::Value;
use textveil_engine::Finder;
use textveil_restore::Hosts;

use crate::{
    audit::{self, Entry, Event},
    calendar::timestamp,
    call::Call,
    chat::{
        placeholder::Placeholders,
        protect::{Guard, ProtectedBody, protect_body},
        request::RequestSchema,
        stream::Answer,
        text::{Form, JsonStream},
    },
    error::{ApiError, Code},
    gateway::{
        conversation::{PlaceRules, check_inspected, check_model, is_blind},
        privacy::Privacy,
        report,
    },
    host::Host,
    policies::Direction,
    scope::Scope,
    setup::Setup,
    system::Pace,
    types::protected_as,
    usage::metrics::{Sample, families},
};

/// One question of another gateway.
struct Question<'a, H> {
    call: Call<'a, H>,
    setup: Setup,
    finder: Arc<Finder>,
    privacy: Privacy,
    model: Option<String>,
}

impl<'a, H: Host> Question<'a, H> {
    /// Reads the settings of the workspace.
    ///
    /// # Errors
    /// `service_unavailable`; `invalid_request` naming the option at fault.
    async fn new(call: Call<'a, H>, privacy: Privacy, model: Option<String>) -> Result<Self, ApiError> {
        let setup = Setup::of(call.host, call.workspace()).await?;
        let finder = setup.rules.settings.finder(&privacy.detection)?;
        Ok(Self { call, setup, finder, privacy, model })
    }

    /// Protects the body of a request in place, and records it.
    ///
    /// # Errors
    /// As `protect_body`; `privacy_check_failed` if it contains uninspectable content, unless the workspace allows that;
    /// `service_unavailable` if it cannot be recorded, and the workspace fails closed.
    async fn protect(&mut self, body: &mut Value, schema: RequestSchema) -> Result<(), ApiError> {
        match self.protected(body, schema).await {
            Ok(protected) => self.record(protected).await,
            Err(error) => Err(self.refused(error, "input").await),
        }
    }

    async fn protected(&self, body: &mut Value, schema: RequestSchema) -> Result<ProtectedBody, ApiError> {
        let mut guard = self.guard(Direction::Input);
        if let Some(model) = &self.model {
            check_model(&guard, model)?;
        }
        if self.setup.routing.configuration.audit.records_text() {
            guard = guard.that_records();
        }
        let placeholders = Placeholders::new(self.setup.keys.placeholders.clone());
        let mut pace = Pace::start(self.call.host);
        let mut rest = async || pace.rest().await;
        let protected = protect_body(body, guard, placeholders, schema, &mut rest).await?;
        if self.setup.routing.configuration.fails_closed() {
            check_inspected(protected.left)?;
        }
        Ok(protected)
    }

    async fn record(&mut self, protected: ProtectedBody) -> Result<(), ApiError> {
        let counts = &protected.counts;
        self.call.counts.extend(&report::for_log(counts));
        self.call.samples.extend(report::samples(counts, "input"));
        let entry = Entry {
            action: counts.strictest(),
            entities: report::by_type(counts),
            policies: protected.policies.into_iter().collect(),
            masked_text: protected.masked,
            bypassed: is_blind(protected.left),
            ..self.entry()
        };
        match self.append(entry).await {
            Err(error) if self.setup.routing.configuration.fails_closed() => Err(error),
            _ => Ok(()),
        }
    }

    /// Counts and records that a policy blocks a text, if `error` says so, and returns the error.
    async fn refused(&mut self, error: ApiError, direction: &str) -> ApiError {
        let Some(entry) = report::of_block(self.entry(), &error) else { return error };
        for (kind, count) in error.blocked().into_iter().flatten() {
            self.call.counts.add_many(protected_as(kind.clone()), *count);
        }
        self.call.samples.push(Sample::count(&families::BLOCKS, format!("direction=\"{direction}\""), 1));
        // blocked text does not pass, whether the record is written or not
        let _ = self.append(entry).await;
        error
    }

    fn entry(&self) -> Entry {
        let at = timestamp(self.call.host.now_ms() / 1_000);
        Entry {
            actor: Some(self.call.principal.actor.clone()),
            model: self.model.clone(),
            ..Entry::new(at, Event::Request, self.call.request_id)
        }
    }

    async fn append(&self, entry: Entry) -> Result<(), ApiError> {
        let settings = self.setup.routing.configuration.audit;
        audit::append(self.call.host, settings, self.call.workspace(), entry).await
    }

    /// Returns the state for restoring an answer. Without the scope `restore`, tokens stay.
    fn restoring(&self) -> Answer<PlaceRules> {
        let configuration = &self.setup.routing.configuration;
        let mut placeholders = Placeholders::new(self.setup.keys.placeholders.clone());
        if self.privacy.restore && self.call.principal.scopes.has(Scope::Restore) {
            placeholders = placeholders.with_tokens(self.setup.keys.ring.clone());
        }
        let mut hosts = Hosts::new(&configuration.restore_hosts);
        hosts.extend(&self.privacy.restore_hosts);
        let guard = self.guard(Direction::Output);
        Answer::new(guard, placeholders, Default::default(), configuration.window()).to_hosts(hosts)
    }

    /// Restores something of an answer with `work`.
    ///
    /// # Errors
    /// `policy_violation` if a policy blocks, which is recorded; otherwise as `work`.
    async fn restored<T>(
        &mut self,
        work: impl FnOnce(&mut Answer<PlaceRules>) -> Result<T, ApiError>,
    ) -> Result<T, ApiError> {
        let mut answer = self.restoring();
        match work(&mut answer) {
            Ok(restored) => {
                let restores = answer.restores();
                for (outcome, count) in [("ok", restores.restored), ("unknown", restores.unknown)] {
                    let labels = format!("outcome=\"{outcome}\"");
                    self.call.samples.push(Sample::count(&families::RESTORES, labels, count));
                }
                Ok(restored)
            }
            Err(error) => Err(self.refused(error, "output").await),
        }
    }

    fn guard(&self, direction: Direction) -> Guard<PlaceRules> {
        let rules = PlaceRules::of_another_gateway(self.setup.clone(), direction, self.model.clone());
        Guard::with_finder(Arc::clone(&self.finder), rules, self.setup.keys.ring.clone())
    }
}

/// A text of an answer, or its beginning.
struct RestoredText {
    text: String,
    /// The characters at its end that more text may change.
    open: usize,
}

/// Restores the text of this number in an answer, which may go on.
fn restored_text(
    answer: &mut Answer<PlaceRules>,
    number: usize,
    text: &str,
) -> Result<RestoredText, ApiError> {
    let mut stream = JsonStream::new(Form::Text(format!("{number} content").into()));
    let mut restored = stream.push(answer, text)?;
    let rest = stream.finish(answer)?;
    restored.push_str(&rest);
    Ok(RestoredText { text: restored, open: rest.chars().count() })
}

/// Whether an error is a decision about the text, which the gateway gets as an answer.
fn is_block(error: &ApiError) -> bool {
    matches!(error.code(), Code::PolicyViolation | Code::PrivacyCheckFailed)
}

/// Says why a text is blocked: the message and the types, never a value.
fn reason(error: &ApiError) -> String {
    let types = error.blocked().into_iter().flatten();
    let types: Vec<String> =
        types.map(|(kind, count)| format!("{} ({count})", protected_as(kind.clone()))).collect();
    if types.is_empty() {
        error.message().to_owned()
    } else {
        format!("{}: {}", error.message(), types.join(", "))
    }
}
