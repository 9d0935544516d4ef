//! One request to a language model, from its admission to its last byte: what holds whatever becomes of it.

use bytes::Bytes;
use http::{HeaderMap, Response, StatusCode};

use super::report;
use crate::{
    audit::{self, Entry},
    auth::{Actor, Principal},
    cache::Setup,
    chat::{placeholder::RestoreCounts, protect::ActionCounts},
    configuration::AuditSettings,
    error::{ApiError, Code, Refusal},
    log::Counts,
    router::Chat,
    service::{Exchange, Outcome, Settlement},
    timestamp,
    upstream::Upstream,
    usage::{
        Allowance,
        in_flight::{self, Permit},
        metrics::{Sample, families},
        rate::{self, Window},
    },
};

/// A request to a language model.
pub(super) struct Ongoing<'h, H> {
    pub host: H,
    exchange: Exchange<H>,
    /// Who sends it, once it is admitted.
    principal: Option<Principal>,
    window: Option<Window>,
    permit: Option<Permit<'h>>,
    counts: Counts,
    samples: Vec<Sample>,
    bypassed: bool,
    /// What the headers of the answer tell of where the request went, whatever becomes of it.
    pub head: HeaderMap,
    endpoint: Chat,
}

/// Where an answer comes from, for the audit.
pub(super) struct Source {
    pub audit: AuditSettings,
    /// What every entry about the exchange says.
    pub entry: Entry,
}

/// How a request ends.
#[derive(Clone, Copy)]
pub(super) enum End {
    /// All of its answer was passed on.
    Whole,
    /// It was refused, or its answer broke off, for this reason.
    Refused(Refusal),
    /// The application left before its end.
    Abandoned,
}

/// What nginx counts and logs a request as whose client left before its answer was there. No answer has it.
fn client_closed_request() -> StatusCode {
    StatusCode::from_u16(499).unwrap_or(StatusCode::OK)
}

impl<'h, H: Upstream + Clone + 'h> Ongoing<'h, H> {
    pub(super) fn new(host: H, exchange: Exchange<H>, endpoint: Chat) -> Self {
        Self {
            host,
            exchange,
            principal: None,
            window: None,
            permit: None,
            counts: Counts::default(),
            samples: Vec::new(),
            bypassed: false,
            head: HeaderMap::new(),
            endpoint,
        }
    }

    /// The id of the request.
    pub(super) fn id(&self) -> &str {
        self.exchange.id()
    }

    /// The parameter in the path of the request, or the empty text.
    pub(super) fn parameter(&self) -> &str {
        self.exchange.found.as_ref().map(|found| found.parameter.as_str()).unwrap_or_default()
    }

    /// How long it is under way, in milliseconds.
    pub(super) fn elapsed_ms(&self) -> f64 {
        self.exchange.elapsed_ms()
    }

    /// Holds the workspace of the principal to its limits.
    ///
    /// # Errors
    /// `rate_limit_exceeded`; `service_unavailable`.
    pub(super) async fn admit(&mut self, principal: &Principal, setup: &Setup) -> Result<(), ApiError> {
        self.principal = Some(principal.clone());
        let limits = setup.routing.configuration.rate_limits;
        let allowance = Allowance::of_workspace(&principal.workspace, limits);
        let window = self.window.insert(rate::count(&self.host, &allowance).await?);
        window.check()?;
        self.permit = Some(in_flight::enter(&self.host, &allowance).await?);
        Ok(())
    }

    /// Awaits `work` and keeps the permit in flight for as long as it takes.
    pub(super) async fn hold_permit<W: Future>(&mut self, work: W) -> W::Output {
        match &mut self.permit {
            Some(permit) => permit.hold(&self.host, work).await,
            None => work.await,
        }
    }

    /// Who sends the request, for the audit.
    pub(super) fn actor(&self) -> Option<Actor> {
        self.principal.as_ref().map(|principal| principal.actor.clone())
    }

    /// Notes what was found in one direction, `input` or `output`.
    pub(super) fn found(&mut self, counts: &ActionCounts, direction: &str) {
        self.counts.extend(&report::for_log(counts));
        self.samples.extend(report::samples(counts, direction));
    }

    /// Notes what was in an answer.
    pub(super) fn answered(&mut self, emitted: &ActionCounts, restores: RestoreCounts) {
        self.found(emitted, "output");
        for (outcome, count) in [("ok", restores.restored), ("unknown", restores.unknown)] {
            self.sample(Sample::count(&families::RESTORES, format!("outcome=\"{outcome}\""), count));
        }
        for (place, count) in [("url", restores.withheld_from_urls), ("tool", restores.withheld_from_tools)] {
            self.sample(Sample::count(&families::WITHHELD, format!("place=\"{place}\""), count));
        }
    }

    /// Records in the audit that placeholders of an answer were withheld.
    ///
    /// The record of the request was written before the provider was asked, so this is another one with the same id. Where
    /// it cannot be written the answer goes on: nothing left the service by what was withheld.
    pub(super) async fn record_withheld(&self, restores: RestoreCounts, source: &Source) {
        let Some(principal) = self.principal.as_ref().filter(|_| restores.withheld() > 0) else { return };
        let at = timestamp(self.host.now_ms() / 1_000);
        let entry = Entry { at, withheld: restores.withheld(), ..source.entry.clone() };
        let _ = audit::append(&self.host, source.audit, &principal.workspace, entry).await;
    }

    /// Notes the refusal of a text of one direction, where a policy blocks it.
    pub(super) fn refused(&mut self, error: &ApiError, direction: &str) {
        if error.code() == Code::PolicyViolation {
            self.sample(Sample::count(&families::BLOCKS, format!("direction=\"{direction}\""), 1));
        }
    }

    /// Notes the refusal of an answer, where a policy blocks it, in the audit too: that has its request only.
    pub(super) async fn refused_answer(&mut self, error: &ApiError, source: &Source) {
        self.refused(error, "output");
        let entry = Entry { at: timestamp(self.host.now_ms() / 1_000), ..source.entry.clone() };
        let workspace = self.principal.as_ref().map(|principal| principal.workspace.as_str());
        if let (Some(entry), Some(workspace)) = (report::of_block(entry, error), workspace) {
            // where it cannot be recorded, nothing of the answer is passed on either
            let _ = audit::append(&self.host, source.audit, workspace, entry).await;
        }
    }

    /// Notes that it goes on though not all of it was looked at or recorded.
    pub(super) fn bypass(&mut self) {
        self.bypassed = true;
        self.sample(Sample::count(&families::BYPASSES, String::new(), 1));
    }

    /// Notes something for the metrics.
    pub(super) fn sample(&mut self, sample: Sample) {
        self.samples.push(sample);
    }

    /// Adds the headers that every answer has.
    pub(super) fn write_head(&self, headers: &mut HeaderMap) {
        if let Some(window) = &self.window {
            window.write(headers);
            window.write_as_openai(headers);
        }
        headers.extend(self.head.clone());
        self.exchange.write_head(headers);
    }

    /// Ends it with an error. It may come from a provider that got uninspected parts.
    pub(super) fn refuse(mut self, error: ApiError) -> (Response<Bytes>, Settlement<'h, H>) {
        if self.bypassed {
            report::write_bypass(&mut self.head);
        }
        let response = error.into_response_as(self.endpoint.shape());
        self.end(response)
    }

    /// Ends it with a whole answer.
    pub(super) fn end(mut self, mut response: Response<Bytes>) -> (Response<Bytes>, Settlement<'h, H>) {
        let end = response.extensions().get::<Refusal>().copied().map_or(End::Whole, End::Refused);
        self.note_end(end);
        self.write_head(response.headers_mut());
        let (exchange, outcome) = self.into_outcome();
        exchange.end(response, outcome)
    }

    /// Ends a streamed answer, whose head said 200 whatever became of the rest.
    pub(super) async fn close(mut self, end: End) {
        let (status, refusal) = match end {
            End::Whole => (StatusCode::OK, None),
            End::Refused(refusal) => (StatusCode::OK, Some(refusal)),
            End::Abandoned => (client_closed_request(), None),
        };
        self.note_end(end);
        let (exchange, outcome) = self.into_outcome();
        exchange.settlement(status, refusal, outcome).settle().await;
    }

    fn into_outcome(self) -> (Exchange<H>, Outcome<'h>) {
        let outcome = Outcome {
            workspace: self.principal.map(|principal| principal.workspace),
            counts: self.counts,
            permit: self.permit,
            samples: self.samples,
            is_probe: false,
        };
        (self.exchange, outcome)
    }

    fn note_end(&mut self, end: End) {
        let outcome = match end {
            End::Whole => "ok",
            End::Abandoned => "abandoned",
            End::Refused(Refusal { error, .. }) => {
                self.sample(Sample::count(&families::FAILURES, format!("code=\"{error}\""), 1));
                if error == Code::PolicyViolation.as_str() { "blocked" } else { "failed" }
            }
        };
        let labels = format!("endpoint=\"{}\",outcome=\"{outcome}\"", self.endpoint.name());
        self.sample(Sample::count(&families::REQUESTS, labels, 1));
    }
}
