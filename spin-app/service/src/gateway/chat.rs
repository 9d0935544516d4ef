//! The endpoints that replace those of a language model's API.
//!
//! ```text
//! request ─ token, workspace, limits ─ protect ─ audit ─ provider ─ protect and restore ─ answer
//!           401        400        429   403, 503  503     502, 504   403
//! ```
//!
//! The protection depends on the provider, so a request to the fallback route is protected again.

use bytes::Bytes;
use http::{
    HeaderMap, HeaderValue, Request, Response, StatusCode,
    header::{CONTENT_ENCODING, CONTENT_TYPE},
};
use http_body::Body;
use serde_json::{Value, json};

use super::{
    answer_body::AnswerBody,
    ask::{self, Asking, Failed},
    conversation::{PlaceRules, Protection, is_blind},
    destination::{self, Destination, destinations},
    endpoint::Chat,
    model_list,
    ongoing::{Ongoing, Source},
    privacy::Privacy,
    protocol::{WorkspaceProtocol, error_message, protocol},
    report::{self, by_type, word},
    sessions::{self, Continuation, Keeping},
    stored::Wanted,
    streaming::{About, Passing},
};
use crate::{
    admission::Entered,
    audit::{self, Entry, Event},
    auth::{Principal, service_token},
    body::{self, StreamError},
    calendar::timestamp,
    chat::{
        placeholder::SessionValues,
        protect::ProtectedBody,
        protocol::{AnswerStream, ApiCall},
        stream::Answer,
    },
    error::{ApiError, Code},
    exchange::{Exchange, Settlement},
    limits::MAX_MODEL_BYTES,
    providers::{self, CallersHeaders, From},
    response,
    route::Access,
    sent::Sent,
    sessions::Session,
    setup::Setup,
    upstream::Upstream,
    usage::{
        breaker::{self, BreakerAdmission, BreakerState},
        metrics::{Sample, families},
    },
};

/// Answers one request; errors are answers too. A streamed answer settles itself when it ends.
pub(crate) async fn answer<'h, H, B>(
    host: H,
    exchange: Exchange<H>,
    access: &Access,
    endpoint: Chat,
    request: Request<B>,
) -> (Response<AnswerBody<'h>>, Settlement<'h, H>)
where
    H: Upstream + Clone + 'h,
    B: Body<Data = Bytes>,
    B::Error: Into<StreamError>,
{
    let mut ongoing = Ongoing::new(host, exchange, endpoint);
    match serve(&mut ongoing, access, endpoint, request).await {
        Ok(Reply::Whole(response)) => {
            let (response, settlement) = ongoing.end(response);
            (response.map(AnswerBody::from), settlement)
        }
        Ok(Reply::Parts(begun)) => {
            let StreamedReply { mut head, body, stream, answer, about } = *begun;
            ongoing.write_head(head.headers_mut());
            let settlement = Settlement::of_stream(ongoing.host.clone());
            let passing = Passing::new(ongoing, body, stream, answer, about);
            (head.map(|()| AnswerBody::Parts(passing.parts())), settlement)
        }
        Err(error) => {
            let (response, settlement) = ongoing.refuse(error);
            (response.map(AnswerBody::from), settlement)
        }
    }
}

/// An answer, or its head.
pub(super) enum Reply<H: Upstream> {
    Whole(Response<Bytes>),
    Parts(Box<StreamedReply<H>>),
}

/// The head of a streamed answer, with the state for the rest.
pub(super) struct StreamedReply<H: Upstream> {
    head: Response<()>,
    body: H::ProviderBody,
    stream: Box<dyn AnswerStream<PlaceRules>>,
    answer: Answer<PlaceRules>,
    about: About,
}

async fn serve<'h, H, B>(
    ongoing: &mut Ongoing<'h, H>,
    access: &Access,
    endpoint: Chat,
    request: Request<B>,
) -> Result<Reply<H>, ApiError>
where
    H: Upstream + Clone + 'h,
    B: Body<Data = Bytes>,
    B::Error: Into<StreamError>,
{
    let host = ongoing.host.clone();
    let Entered { principal, setup } = ongoing.admit(access, request.uri(), request.headers()).await?;
    let service_token = (!ongoing.is_keyless()).then_some(service_token::HEADER);
    if endpoint == Chat::Models && service_token.is_some() {
        return Ok(Reply::Whole(models(&setup)));
    }
    let callers = CallersHeaders::read(request.headers(), service_token)?;
    if endpoint == Chat::Models {
        let page = model_list::ModelPage::read(&request)?;
        let asked = Asked::default();
        let delivery = Delivery::new(ongoing, &host, &principal, &setup, Privacy::default(), asked, callers)?;
        return delivery.list_models(&page).await;
    }
    if let Chat::Stored(what) = endpoint {
        let wanted = Wanted::read(what, ongoing.parameter(), &request)?;
        let asked = Asked::stored(&wanted, &setup)?;
        let delivery = Delivery::new(ongoing, &host, &principal, &setup, Privacy::default(), asked, callers)?;
        return delivery.fetch(&wanted).await;
    }
    let (parts, body) = request.into_parts();
    let mut body = body::of_kind(&host, &parts.headers, body, access.body).await?;
    let privacy = Privacy::take(&mut body)?;
    let asked = Asked::read(&body, endpoint, &setup)?;
    Delivery::new(ongoing, &host, &principal, &setup, privacy, asked, callers)?.hold(endpoint, body).await
}

/// Answers with the model names that requests may use.
fn models(setup: &Setup) -> Response<Bytes> {
    let model = |(name, destination): (String, Destination)| {
        json!({
            "id": name,
            "object": "model",
            "created": 0,
            "owned_by": word(destination.provider.record.provider_type),
        })
    };
    let data: Vec<Value> = destination::models(&setup.routing).into_iter().map(model).collect();
    response::json(StatusCode::OK, json!({ "object": "list", "data": data }).to_string())
}

/// The options of a body.
#[derive(Default)]
struct Asked {
    model: Option<String>,
    /// Whether the answer is streamed.
    streamed: bool,
    /// Whether its last event contains the token counts.
    with_usage: bool,
    /// The response that the request continues, and whether it can be continued.
    continuation: Continuation,
}

impl Asked {
    fn read(body: &Value, endpoint: Chat, setup: &Setup) -> Result<Self, ApiError> {
        let sent = Sent::body(body)?;
        let may_stream = !matches!(endpoint, Chat::Embeddings | Chat::CountTokens);
        let streamed = may_stream && sent.flag("stream")?.unwrap_or(false);
        check_streaming(streamed, setup)?;
        let mut continuation = Continuation::default();
        if endpoint == Chat::Responses {
            check_input(&sent)?;
            continuation = Continuation::read(&sent, setup.routing.configuration.sessions)?;
        } else if endpoint != Chat::Embeddings {
            let is_conversation = |value: &Value| {
                value.as_array().is_some_and(|all| !all.is_empty() && all.iter().all(Value::is_object))
            };
            let messages = sent.read("messages", "a list of objects, and not empty", |value| {
                is_conversation(value).then_some(())
            })?;
            sent.required("messages", messages)?;
        }
        let with_usage = sent.object("stream_options")?.map(|options| options.flag("include_usage"));
        Ok(Self {
            model: sent.line("model", 1..=MAX_MODEL_BYTES)?.map(str::to_owned),
            streamed,
            with_usage: with_usage.transpose()?.flatten().unwrap_or(false),
            continuation,
        })
    }

    /// Returns the options of a request for a stored response.
    fn stored(wanted: &Wanted, setup: &Setup) -> Result<Self, ApiError> {
        let streamed = wanted.is_streamed();
        check_streaming(streamed, setup)?;
        Ok(Self { model: None, streamed, with_usage: false, continuation: Continuation::default() })
    }
}

/// # Errors
/// `invalid_request` if streaming is disabled in the workspace.
fn check_streaming(streamed: bool, setup: &Setup) -> Result<(), ApiError> {
    if streamed && !setup.routing.configuration.streaming.enabled {
        return Err(ApiError::invalid(
            "stream",
            "stream must be false: the workspace's configuration has streaming.enabled set to false",
        ));
    }
    Ok(())
}

/// Checks that a request for a response has an input.
///
/// # Errors
/// `invalid_request` naming `input`.
fn check_input(sent: &Sent<'_>) -> Result<(), ApiError> {
    let is_input = |value: &Value| match value {
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty() && items.iter().all(Value::is_object),
        _ => false,
    };
    let input = sent
        .read("input", "a string or a list of items, and not empty", |value| is_input(value).then_some(()))?;
    // a stored prompt may contain everything
    if sent.value("prompt").is_none() {
        sent.required("input", input)?;
    }
    Ok(())
}

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

impl<'a, 'h, H: Upstream + Clone + 'h> Delivery<'a, 'h, H> {
    /// # Errors
    /// `invalid_request` naming the option of `privacy` that is at fault.
    fn new(
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

    /// Sends the request to the provider, and if that fails to the fallback, if that can take the request.
    async fn hold(mut self, endpoint: Chat, body: Value) -> Result<Reply<H>, ApiError> {
        let model = self.asked.model.as_deref();
        let mut destinations = destinations(&self.setup.routing, model, endpoint, &self.callers)?;
        let sessions = sessions::store(self.host, self.principal, self.setup);
        let earlier = self.asked.continuation.earlier(&sessions).await?;
        if let Some(earlier) = &earlier {
            // other providers do not know the response
            destinations.retain(|to| to.provider.record.id == earlier.provider);
            if destinations.is_empty() {
                let field = self.asked.continuation.field();
                return Err(ApiError::invalid(
                    field,
                    format!("{field} must be of the provider that the request goes to; send its model"),
                ));
            }
        }
        let mut asking = Asking::begin(self.host).await;
        let mut failure = None;
        let mut body = Some(body);
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
            let breaker = to.breaker();
            let state = breaker.state(self.host).await?;
            if state == BreakerState::Open {
                failure.get_or_insert_with(breaker::skipped);
                continue;
            }
            // the last destination may consume the body
            let body = if index == last { body.take() } else { body.clone() };
            let earlier = earlier.as_ref().map(|earlier| &earlier.values);
            let prepared = self.prepare(endpoint, to, body.unwrap_or_default(), earlier).await;
            // the error of a fallback that cannot take the request must not hide why the first one failed
            if failure.is_some() && prepared.as_ref().is_err_and(|error| is_of_the_provider(error.code())) {
                continue;
            }
            if self.privacy.dry_run {
                return prepared.map(|prepared| Reply::Whole(dry_run(to, &prepared)));
            }
            let mut prepared = match prepared {
                Ok(prepared) => prepared,
                Err(error) => return Err(self.record_block(to, error).await?),
            };
            let Some(admission) = breaker.admit(self.host, state).await? else {
                failure.get_or_insert_with(breaker::skipped);
                continue;
            };
            self.record(to, &mut prepared).await?;
            if asking.attempts == 0 {
                self.ongoing.found(&prepared.protected.counts, "input");
                let overhead_ms = self.ongoing.elapsed_ms();
                self.ongoing.sample(Sample::time(&families::OVERHEAD, String::new(), overhead_ms));
            }
            if index > 0 {
                self.ongoing.sample(Sample::count(&families::FALLBACKS, String::new(), 1));
            }
            match self.ask(&mut asking, admission, to, &prepared).await {
                Ok(response) => return self.reply(&asking, to, prepared, response).await,
                Err(Failed::Here(error)) => failure = Some(error),
                Err(Failed::Refused { status, retry_after, body }) => {
                    return Err(self.refused(to, &prepared, status, retry_after, &body).await?);
                }
            }
        }
        Err(failure.unwrap_or_else(|| ApiError::internal("a request has no destination")))
    }

    async fn prepare(
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

    async fn ask(
        &mut self,
        asking: &mut Asking<'_, H>,
        admission: BreakerAdmission,
        to: &Destination,
        prepared: &PreparedRequest,
    ) -> Result<Response<H::ProviderBody>, Failed> {
        let call = prepared.protocol.api_call(&to.model);
        let body = Bytes::from(prepared.request.to_string());
        let response = self.send(asking, admission, to, call, Some(body)).await;
        report::write_headers(&mut self.ongoing.head, &prepared.protected.counts, prepared.bypassed);
        response
    }

    pub(super) async fn send(
        &mut self,
        asking: &mut Asking<'_, H>,
        admission: BreakerAdmission,
        to: &Destination,
        call: ApiCall<'_>,
        body: Option<Bytes>,
    ) -> Result<Response<H::ProviderBody>, Failed> {
        // no way may lead a keyless caller to a credential of the operator
        if !to.admits(&self.callers) {
            return Err(Failed::Here(ApiError::caller_credential_missing()));
        }
        let has_credential = to.takes_callers_credential();
        let from = From::Caller { headers: &self.callers, has_credential };
        let request = providers::prepare(self.host, &to.provider, call, body, from).await;
        let request = request.map_err(|reason| Failed::Here(ApiError::upstream(reason)))?;
        let began_ms = self.ongoing.elapsed_ms();
        let response = self.ongoing.hold_permit(asking.ask(admission, &request, to.credential)).await;
        let took_ms = self.ongoing.elapsed_ms() - began_ms;
        self.upstream_ms += took_ms;
        let labels = format!("provider=\"{}\"", word(to.provider.record.provider_type));
        self.ongoing.sample(Sample::time(&families::UPSTREAM, labels, took_ms));
        let overhead_ms = self.ongoing.elapsed_ms() - self.upstream_ms;
        write_headers(&mut self.ongoing.head, to, asking.attempts, overhead_ms);
        response
    }

    /// Returns the provider's error, with its message restored for the application.
    pub(super) async fn refused(
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

    pub(super) async fn reply(
        mut self,
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
