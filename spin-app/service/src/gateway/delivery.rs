//! The delivery of a request: its phases, over one context.
//!
//! ```text
//! choose ─ protect ─ record ─ send ─ restore
//!          └─── for each destination ──────┘
//! ```
//!
//! The protection depends on the provider, so a request to the fallback route is protected again. An error says whether
//! another destination is tried ([`Stopped`]).

use bytes::Bytes;
use http::{
    HeaderMap, HeaderValue, Response, StatusCode,
    header::{CONTENT_ENCODING, CONTENT_TYPE},
};
use serde_json::{Value, json};

use super::{
    ask::{self, Asking, Failed},
    asked::Asked,
    conversation::{PlaceRules, Protection, is_blind},
    destination::{Destination, destinations},
    endpoint::Chat,
    ongoing::{Ongoing, Source},
    privacy::Privacy,
    protocol::{WorkspaceProtocol, error_message, protocol},
    reply::{Reply, StreamedReply},
    report::{self, by_type, word},
    sessions::{self, Keeping},
    streaming::About,
};
use crate::{
    audit::{self, Entry, Event},
    auth::Principal,
    calendar::timestamp,
    chat::{placeholder::SessionValues, protect::ProtectedBody, protocol::ApiCall, stream::Answer},
    error::{ApiError, Code},
    host::Unavailable,
    providers::{self, CallersHeaders},
    response,
    sessions::Session,
    setup::Setup,
    upstream::Upstream,
    usage::{
        breaker::{self, BreakerAdmission, BreakerState},
        metrics::{Sample, families},
    },
};

/// A parsed request on its way to a provider.
pub(super) struct Delivery<'a, 'h, H> {
    ongoing: &'a mut Ongoing<'h, H>,
    pub host: &'a H,
    pub principal: &'a Principal,
    pub setup: &'a Setup,
    privacy: Privacy,
    pub protection: Protection,
    asked: Asked,
    /// Headers of the caller that may be forwarded to a provider.
    pub callers: CallersHeaders,
    /// The time until providers began their answers, or failed.
    upstream_ms: f64,
}

/// A request as prepared for one provider.
pub(super) struct PreparedRequest {
    pub protocol: &'static WorkspaceProtocol,
    pub request: Value,
    pub protected: ProtectedBody,
    /// Whether it is forwarded with uninspected parts.
    pub bypassed: bool,
    /// The data kept of it, if its response is stored.
    pub keeping: Option<Keeping>,
}

/// A destination on the way of a request.
#[derive(Clone, Copy)]
struct Leg<'d> {
    endpoint: Chat,
    to: &'d Destination,
    is_fallback: bool,
    is_last: bool,
}

/// Why a destination gave no answer, which says whether another one is tried.
pub(super) enum Stopped {
    /// The request is at fault, or it cannot be recorded: no other destination is tried.
    Final(ApiError),
    /// The destination cannot take the request. A fallback that cannot is passed over.
    Unfit(ApiError),
    /// Its breaker admits nothing.
    Skipped(ApiError),
    /// It was asked and failed.
    Failed(ApiError),
}

impl From<ApiError> for Stopped {
    fn from(error: ApiError) -> Self {
        Self::Final(error)
    }
}

impl From<Unavailable> for Stopped {
    fn from(unavailable: Unavailable) -> Self {
        Self::Final(unavailable.into())
    }
}

impl Stopped {
    /// Returns the error of a request that has one destination.
    pub(super) fn into_error(self) -> ApiError {
        match self {
            Self::Final(error) | Self::Unfit(error) | Self::Skipped(error) | Self::Failed(error) => error,
        }
    }
}

impl<'a, 'h, H: Upstream + Clone + 'h> Delivery<'a, 'h, H> {
    /// Begins the delivery of a request.
    ///
    /// # Errors
    /// `invalid_request` naming the option of `privacy` that is at fault.
    pub(super) fn new(
        ongoing: &'a mut Ongoing<'h, H>,
        host: &'a H,
        principal: &'a Principal,
        setup: &'a Setup,
        privacy: Privacy,
        asked: Asked,
        callers: CallersHeaders,
    ) -> Result<Self, ApiError> {
        let protection = Protection::new(setup, &privacy)?;
        let upstream_ms = 0.0;
        Ok(Self { ongoing, host, principal, setup, privacy, protection, asked, callers, upstream_ms })
    }

    /// Delivers the request to its first destination, and if that fails to the fallback, if that can take the request.
    pub(super) async fn deliver(mut self, endpoint: Chat, body: Value) -> Result<Reply<H>, ApiError> {
        let (destinations, earlier) = self.choose(endpoint).await?;
        let mut asking = Asking::begin(self.host).await;
        let mut body = Some(body);
        let mut failure = None;
        let last = destinations.len().saturating_sub(1);
        for (index, to) in destinations.iter().enumerate() {
            if failure.is_some() && asking.is_over() {
                break;
            }
            // a caller's credential is for one host only
            let is_elsewhere =
                |first: &Destination| first.provider.record.base_url != to.provider.record.base_url;
            if index > 0 && to.takes_callers_credential() && destinations.first().is_some_and(is_elsewhere) {
                continue;
            }
            let leg = Leg { endpoint, to, is_fallback: index > 0, is_last: index == last };
            match self.deliver_to(&mut asking, leg, &mut body, earlier.as_ref()).await {
                Ok(reply) => return Ok(reply),
                Err(Stopped::Final(error)) => return Err(error),
                // that of a fallback must not hide why the first destination failed
                Err(Stopped::Unfit(error)) if failure.is_none() => return Err(error),
                Err(Stopped::Unfit(_)) => {}
                Err(Stopped::Skipped(error)) => {
                    failure.get_or_insert(error);
                }
                Err(Stopped::Failed(error)) => failure = Some(error),
            }
        }
        Err(failure.unwrap_or_else(|| ApiError::internal("a request has no destination")))
    }

    /// Chooses the destinations of the request, and reads the session of the response that it continues.
    async fn choose(&self, endpoint: Chat) -> Result<(Vec<Destination>, Option<SessionValues>), ApiError> {
        let model = self.asked.model.as_deref();
        let mut destinations = destinations(&self.setup.routing, model, endpoint, &self.callers)?;
        let sessions = sessions::store(self.host, self.principal, self.setup);
        let Some(earlier) = self.asked.continuation.earlier(&sessions).await? else {
            return Ok((destinations, None));
        };
        // other providers do not know the response
        destinations.retain(|to| to.provider.record.id == earlier.provider);
        if destinations.is_empty() {
            let field = self.asked.continuation.field();
            return Err(ApiError::invalid(
                field,
                format!("{field} must be of the provider that the request goes to; send its model"),
            ));
        }
        Ok((destinations, Some(earlier.values)))
    }

    /// Protects the request for one destination, records it, sends it, and restores the answer.
    async fn deliver_to(
        &mut self,
        asking: &mut Asking<'_, H>,
        leg: Leg<'_>,
        body: &mut Option<Value>,
        earlier: Option<&SessionValues>,
    ) -> Result<Reply<H>, Stopped> {
        let to = leg.to;
        let breaker = to.breaker();
        let state = breaker.state(self.host).await?;
        if state == BreakerState::Open {
            return Err(Stopped::Skipped(breaker::skipped()));
        }
        // the last destination may consume the body
        let body = if leg.is_last { body.take() } else { body.clone() };
        let mut prepared = match self.protect(leg.endpoint, to, body.unwrap_or_default(), earlier).await {
            Ok(prepared) => prepared,
            Err(error) if is_of_the_provider(error.code()) => return Err(Stopped::Unfit(error)),
            Err(error) if self.privacy.dry_run => return Err(Stopped::Final(error)),
            Err(error) => return Err(Stopped::Final(self.record_block(to, error).await?)),
        };
        if self.privacy.dry_run {
            return Ok(Reply::Whole(dry_run(to, &prepared)));
        }
        let admission = breaker.admit(self.host, state).await?;
        let admission = admission.ok_or_else(|| Stopped::Skipped(breaker::skipped()))?;
        self.record(to, &mut prepared).await?;
        self.count(asking, &prepared, leg.is_fallback);
        let call = prepared.protocol.api_call(&to.model);
        let body = Bytes::from(prepared.request.to_string());
        let response = self.send(asking, admission, to, call, Some(body), &prepared).await;
        report::write_headers(&mut self.ongoing.head, &prepared.protected.counts, prepared.bypassed);
        Ok(self.restore(asking, to, prepared, response?).await?)
    }

    /// Protects the request for one destination.
    async fn protect(
        &mut self,
        endpoint: Chat,
        to: &Destination,
        mut body: Value,
        earlier: Option<&SessionValues>,
    ) -> Result<PreparedRequest, ApiError> {
        let protocol = protocol(endpoint, to)?;
        if to.takes_callers_credential() && !self.callers.has_credential() {
            return Err(ApiError::caller_credential_missing());
        }
        if self.asked.streamed && !to.provider.record.supports_streaming {
            return Err(ApiError::invalid(
                "stream",
                "stream must be false: the provider's record has supports_streaming set to false",
            ));
        }
        protocol.check(&body)?;
        let protected = self.protection.protect(&self.host, &mut body, to, protocol.schema(), earlier).await;
        let protected = protected.inspect_err(|error| self.ongoing.refused(error, "input"))?;
        let bypassed = is_blind(protected.left);
        let keeping = self.asked.continuation.keeping(self.principal, self.setup, || Session {
            route: to.route.clone(),
            provider: to.provider.record.id.clone(),
            model: to.model.clone(),
            values: protected.placeholders.session_values(),
        })?;
        let request = protocol.request(body, &to.model)?;
        Ok(PreparedRequest { protocol, request, protected, bypassed, keeping })
    }

    /// Returns the source of audit records about this destination.
    fn source(&self, to: &Destination) -> Source {
        let now = timestamp(self.host.now_ms() / 1_000);
        let entry = Entry {
            route: to.route.clone(),
            provider: Some(to.provider.name(&self.setup.routing.providers)),
            model: Some(to.model.clone()),
            actor: self.ongoing.actor(),
            ..Entry::new(now, Event::Request, self.ongoing.id())
        };
        Source { audit: self.setup.routing.configuration.audit, entry }
    }

    /// Records the request before any part of it is sent.
    ///
    /// # Errors
    /// `service_unavailable` if it cannot be recorded, and the workspace fails closed.
    async fn record(&mut self, to: &Destination, prepared: &mut PreparedRequest) -> Result<(), ApiError> {
        let Source { audit, mut entry } = self.source(to);
        let PreparedRequest { protected, bypassed, .. } = prepared;
        entry.action = protected.counts.strictest();
        entry.entities = by_type(&protected.counts);
        entry.policies = protected.policies.iter().cloned().collect();
        entry.masked_text = protected.masked.take();
        entry.bypassed = *bypassed;
        let recorded = audit::append(self.host, audit, &self.principal.workspace, entry).await;
        if let Err(error) = recorded {
            if self.protection.fails_closed() {
                return Err(error);
            }
            *bypassed = true;
        }
        if *bypassed {
            self.ongoing.bypass();
        }
        Ok(())
    }

    /// Records that a policy blocks the request, if `error` says so, and returns the error.
    ///
    /// # Errors
    /// As [`Delivery::record`].
    async fn record_block(&self, to: &Destination, error: ApiError) -> Result<ApiError, ApiError> {
        let Source { audit, entry } = self.source(to);
        let Some(entry) = report::of_block(entry, &error) else { return Ok(error) };
        let recorded = audit::append(self.host, audit, &self.principal.workspace, entry).await;
        match recorded {
            Err(unrecorded) if self.protection.fails_closed() => Err(unrecorded),
            _ => Ok(error),
        }
    }

    /// Counts the findings of the request once, and that a fallback is used.
    fn count(&mut self, asking: &Asking<'_, H>, prepared: &PreparedRequest, is_fallback: bool) {
        if asking.attempts == 0 {
            self.ongoing.found(&prepared.protected.counts, "input");
            let overhead_ms = self.ongoing.elapsed_ms();
            self.ongoing.sample(Sample::time(&families::OVERHEAD, String::new(), overhead_ms));
        }
        if is_fallback {
            self.ongoing.sample(Sample::count(&families::FALLBACKS, String::new(), 1));
        }
    }

    /// Sends a request to the provider.
    pub(super) async fn send(
        &mut self,
        asking: &mut Asking<'_, H>,
        admission: BreakerAdmission,
        to: &Destination,
        call: ApiCall<'_>,
        body: Option<Bytes>,
        prepared: &PreparedRequest,
    ) -> Result<Response<H::ProviderBody>, Stopped> {
        // no way may lead a keyless caller to a credential of the operator
        if !to.admits(&self.callers) {
            return Err(Stopped::Failed(ApiError::caller_credential_missing()));
        }
        let has_credential = to.takes_callers_credential();
        let from = providers::From::Caller { headers: &self.callers, has_credential };
        let request = providers::prepare(self.host, &to.provider, call, body, from).await;
        let request = request.map_err(|reason| Stopped::Failed(ApiError::upstream(reason)))?;
        let began_ms = self.ongoing.elapsed_ms();
        let response = self.ongoing.hold_permit(asking.ask(admission, &request, to.credential)).await;
        let took_ms = self.ongoing.elapsed_ms() - began_ms;
        self.upstream_ms += took_ms;
        let labels = format!("provider=\"{}\"", word(to.provider.record.provider_type));
        self.ongoing.sample(Sample::time(&families::UPSTREAM, labels, took_ms));
        let overhead_ms = self.ongoing.elapsed_ms() - self.upstream_ms;
        write_headers(&mut self.ongoing.head, to, asking.attempts, overhead_ms);
        match response {
            Ok(response) => Ok(response),
            Err(Failed::Here(error)) => Err(Stopped::Failed(error)),
            Err(Failed::Refused { status, retry_after, body }) => {
                Err(Stopped::Final(self.refused(to, prepared, status, retry_after, &body).await?))
            }
        }
    }

    /// Returns the provider's error, with its message restored for the application.
    async fn refused(
        &mut self,
        to: &Destination,
        prepared: &PreparedRequest,
        status: StatusCode,
        retry_after: Option<String>,
        body: &Bytes,
    ) -> Result<ApiError, ApiError> {
        let mut answer = self.protection.answer(&prepared.protected, to);
        let message = match error_message(body) {
            Some(message) => self.passed(to, answer.text(&message)).await?,
            None => format!("the provider rejected the request with status {}", status.as_u16()),
        };
        Ok(ApiError::upstream_refused(status, message, retry_after))
    }

    /// Returns a restored answer of the provider; records a block by a policy.
    async fn passed<T>(&mut self, from: &Destination, restored: Result<T, ApiError>) -> Result<T, ApiError> {
        if let Err(error) = &restored {
            let source = self.source(from);
            self.ongoing.refused_answer(error, &source).await;
        }
        restored
    }

    /// Restores the answer of the provider, or its head with the state for the rest.
    pub(super) async fn restore(
        &mut self,
        asking: &Asking<'_, H>,
        to: &Destination,
        prepared: PreparedRequest,
        response: Response<H::ProviderBody>,
    ) -> Result<Reply<H>, ApiError> {
        let (upstream, body) = response.into_parts();
        check_encoding(&upstream.headers)?;
        let answer = self.protection.answer(&prepared.protected, to);
        let now = self.host.now_ms() / 1_000;
        if !self.asked.streamed {
            let answer_body = ask::whole(self.host, body, asking.until_ms());
            let bytes = self.ongoing.hold_permit(answer_body).await?;
            return self.whole(to, &prepared, answer, &bytes, now).await.map(Reply::Whole);
        }
        let is_events = upstream.headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        if !is_events.is_some_and(|kind| kind.trim_start().starts_with("text/event-stream")) {
            return Err(ApiError::upstream("the provider does not answer in parts; send stream: false"));
        }
        let mut head = Response::new(());
        let kind = HeaderValue::from_static("text/event-stream; charset=utf-8");
        head.headers_mut().insert(CONTENT_TYPE, kind);
        let stream = prepared.protocol.stream(self.asked.with_usage, now);
        let ProtectedBody { counts, left, .. } = prepared.protected;
        let about = About {
            until_ms: asking.until_ms(),
            provider_type: word(to.provider.record.provider_type),
            source: self.source(to),
            report: self.privacy.report.then_some((counts, left)),
            keeping: prepared.keeping,
        };
        Ok(Reply::Parts(Box::new(StreamedReply { head, body, stream, answer, about })))
    }

    /// Restores a whole answer.
    async fn whole(
        &mut self,
        from: &Destination,
        prepared: &PreparedRequest,
        mut answer: Answer<PlaceRules>,
        bytes: &Bytes,
        now: u64,
    ) -> Result<Response<Bytes>, ApiError> {
        let body: Value = serde_json::from_slice(bytes)
            .map_err(|_| ApiError::upstream("the provider's answer is not JSON in UTF-8"))?;
        if let Some(keeping) = &prepared.keeping
            && let Some(id) = Value::get(&body, "id").and_then(Value::as_str)
        {
            keeping.keep(self.host, id).await;
        }
        let restored = prepared.protocol.restore(body, &mut answer, now);
        self.ongoing.answered(answer.emitted(), answer.restores());
        let mut body = self.passed(from, restored).await?;
        report::write_withheld(&mut self.ongoing.head, answer.restores());
        self.ongoing.record_withheld(answer.restores(), &self.source(from)).await;
        if self.privacy.report
            && let Some(members) = body.as_object_mut()
        {
            let answer = Some((answer.emitted(), answer.restores()));
            let ProtectedBody { counts, left, .. } = &prepared.protected;
            members.insert("privacy".to_owned(), report::report(counts, *left, answer));
        }
        Ok(response::json(StatusCode::OK, body.to_string()))
    }
}

/// Whether another provider may take the request. A block by a policy is final.
fn is_of_the_provider(code: Code) -> bool {
    matches!(code, Code::InvalidRequest | Code::NotSupported)
}

/// Rejects a compressed answer: it cannot be inspected, and the request did not accept compression.
pub(super) fn check_encoding(headers: &HeaderMap) -> Result<(), ApiError> {
    let plain = |value: &HeaderValue| value.as_bytes().eq_ignore_ascii_case(b"identity");
    if headers.get_all(CONTENT_ENCODING).iter().all(plain) {
        return Ok(());
    }
    Err(ApiError::upstream("the provider's answer is compressed, though it was asked for as it is"))
}

fn write_headers(headers: &mut HeaderMap, to: &Destination, attempts: u32, overhead_ms: f64) {
    report::set(headers, "x-gateway-route", to.route.as_deref().unwrap_or_default());
    report::set(headers, "x-gateway-provider", &to.provider.record.id);
    report::set(headers, "x-gateway-model", &to.model);
    report::set(headers, "x-gateway-attempts", &attempts.to_string());
    report::set(headers, "x-gateway-overhead-ms", &format!("{overhead_ms:.2}"));
}

/// Answers with the request that would be sent, and its destination.
fn dry_run(to: &Destination, prepared: &PreparedRequest) -> Response<Bytes> {
    let protected = &prepared.protected;
    let body = json!({
        "object": "gateway.dry_run",
        "route": to.route,
        "provider": to.provider.record.id,
        "model": to.model,
        "request": prepared.request,
        "privacy": report::report(&protected.counts, protected.left, None),
    });
    let mut response = response::json(StatusCode::OK, body.to_string());
    report::write_headers(response.headers_mut(), &protected.counts, prepared.bypassed);
    response
}
