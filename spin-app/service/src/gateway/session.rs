//! One request to a language model, from its admission to its last byte: what holds whatever becomes of it.

use bytes::Bytes;
use http::{HeaderMap, Response, StatusCode};

use super::report;
use crate::{
    audit::{self, Entry},
    cache::Setup,
    chat::{placeholder::RestoreCounts, protect::ActionCounts},
    configuration::AuditSettings,
    error::{ApiError, Code, Refusal},
    log::Counts,
    router::Chat,
    service::{Exchange, Trace},
    timestamp,
    upstream::Upstream,
    usage::{
        Allowance,
        in_flight::{self, Place},
        metrics::{self, Sample, gateway},
        rate::{self, Window},
    },
};

/// A request to a language model.
pub(super) struct Session<'h, H> {
    pub host: H,
    exchange: Exchange<H>,
    workspace: Option<String>,
    window: Option<Window>,
    place: Option<Place<'h>>,
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

impl<'h, H: Upstream + Clone + 'h> Session<'h, H> {
    pub(super) fn new(host: H, exchange: Exchange<H>, endpoint: Chat) -> Self {
        Self {
            host,
            exchange,
            workspace: None,
            window: None,
            place: None,
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

    /// How long it is under way, in milliseconds.
    pub(super) fn elapsed_ms(&self) -> f64 {
        self.exchange.elapsed_ms()
    }

    /// Holds the workspace to its limits.
    ///
    /// # Errors
    /// `rate_limit_exceeded`; `service_unavailable`.
    pub(super) async fn admit(&mut self, workspace: &str, setup: &Setup) -> Result<(), ApiError> {
        self.workspace = Some(workspace.to_owned());
        let allowance = Allowance::of_workspace(workspace, setup.routing.configuration.rate_limits);
        let window = self.window.insert(rate::count(&self.host, &allowance).await?);
        window.check()?;
        self.place = Some(in_flight::enter(&self.host, &allowance).await?);
        Ok(())
    }

    /// Gives what `work` gives, however long that takes: the request is in work meanwhile.
    pub(super) async fn hold_place<W: Future>(&mut self, work: W) -> W::Output {
        match &mut self.place {
            Some(place) => place.keep(&self.host, work).await,
            None => work.await,
        }
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
            self.sample(Sample::Count(&gateway::RESTORES, format!("outcome=\"{outcome}\""), count));
        }
        for (place, count) in [("url", restores.withheld_from_urls), ("tool", restores.withheld_from_tools)] {
            self.sample(Sample::Count(&gateway::WITHHELD, format!("place=\"{place}\""), count));
        }
    }

    /// Records in the audit that placeholders of an answer were withheld.
    ///
    /// The record of the request was written before the provider was asked, so this is another one with the same id. Where
    /// it cannot be written the answer goes on: nothing left the service by what was withheld.
    pub(super) async fn record_withheld(&self, restores: RestoreCounts, source: &Source) {
        let Some(workspace) = self.workspace.as_ref().filter(|_| restores.withheld() > 0) else { return };
        let at = timestamp(self.host.now_ms() / 1_000);
        let entry = Entry { at, withheld: restores.withheld(), ..source.entry.clone() };
        let _ = audit::append(&self.host, source.audit, workspace, entry).await;
    }

    /// Notes the refusal of a text of one direction, where a policy blocks it.
    pub(super) fn refused(&mut self, error: &ApiError, direction: &str) {
        if error.code() == Code::PolicyViolation {
            self.sample(Sample::Count(&gateway::BLOCKS, format!("direction=\"{direction}\""), 1));
        }
    }

    /// Notes the refusal of an answer, where a policy blocks it, in the audit too: that has its request only.
    pub(super) async fn refused_answer(&mut self, error: &ApiError, source: &Source) {
        self.refused(error, "output");
        let entry = Entry { at: timestamp(self.host.now_ms() / 1_000), ..source.entry.clone() };
        if let (Some(entry), Some(workspace)) = (report::of_block(entry, error), &self.workspace) {
            // where it cannot be recorded, nothing of the answer is passed on either
            let _ = audit::append(&self.host, source.audit, workspace, entry).await;
        }
    }

    /// Notes that it goes on though not all of it was looked at or recorded.
    pub(super) fn bypass(&mut self) {
        self.bypassed = true;
        self.sample(Sample::Count(&gateway::BYPASSES, String::new(), 1));
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

    /// Ends it with a refusal. It may come from a provider that got what was not looked at.
    pub(super) async fn refuse(mut self, error: ApiError) -> Response<Bytes> {
        if self.bypassed {
            report::write_bypass(&mut self.head);
        }
        let response = error.into_response_as(self.endpoint.shape());
        self.end(response).await
    }

    /// Ends it with an answer that is there as a whole.
    pub(super) async fn end(mut self, mut response: Response<Bytes>) -> Response<Bytes> {
        let end = response.extensions().get::<Refusal>().copied().map_or(End::Whole, End::Refused);
        self.settle(end).await;
        self.write_head(response.headers_mut());
        let trace = Trace { workspace: self.workspace, counts: self.counts, probe: false };
        self.exchange.end(response, trace).await
    }

    /// Ends it when no part of an answer comes any more. The head said 200, whatever became of the rest.
    pub(super) async fn close(mut self, end: End) {
        let (status, refusal) = match end {
            End::Whole => (StatusCode::OK, None),
            End::Refused(refusal) => (StatusCode::OK, Some(refusal)),
            End::Abandoned => (client_closed_request(), None),
        };
        self.settle(end).await;
        let trace = Trace { workspace: self.workspace, counts: self.counts, probe: false };
        self.exchange.report(status, refusal, trace).await;
    }

    async fn settle(&mut self, end: End) {
        let outcome = match end {
            End::Whole => "ok",
            End::Abandoned => "abandoned",
            End::Refused(Refusal { error, .. }) => {
                self.sample(Sample::Count(&gateway::FAILURES, format!("code=\"{error}\""), 1));
                if error == Code::PolicyViolation.as_str() { "blocked" } else { "failed" }
            }
        };
        let labels = format!("endpoint=\"{}\",outcome=\"{outcome}\"", self.endpoint.name());
        self.sample(Sample::Count(&gateway::REQUESTS, labels, 1));
        metrics::record(&self.host, std::mem::take(&mut self.samples)).await;
        if let Some(place) = self.place.take() {
            place.leave(&self.host).await;
        }
    }
}
