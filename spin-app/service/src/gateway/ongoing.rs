//! A request to a language model, from its admission to its last byte, whatever its outcome.

use bytes::Bytes;
use http::{HeaderMap, Response, StatusCode, Uri};

use super::{endpoint::Chat, report};
use crate::{
    admission::{Admission, Entered},
    audit::{self, AuditSettings, Entry},
    auth::{Actor, Credential, Principal},
    calendar::timestamp,
    chat::{placeholder::RestoreCounts, protect::ActionCounts},
    error::{ApiError, Code, Refusal},
    exchange::{Exchange, Outcome, Settlement},
    route::Access,
    types::Counts,
    upstream::Upstream,
    usage::metrics::{Sample, families},
};

/// A request to a language model.
pub(super) struct Ongoing<'h, H> {
    pub host: H,
    exchange: Exchange<H>,
    admission: Admission<'h>,
    counts: Counts,
    samples: Vec<Sample>,
    bypassed: bool,
    /// The headers of the answer about the destination of the request, whatever its outcome.
    pub head: HeaderMap,
    endpoint: Chat,
}

/// The source of an answer, for the audit.
pub(super) struct Source {
    pub audit: AuditSettings,
    /// The entry shared by all records of the exchange.
    pub entry: Entry,
}

/// The outcome of a request.
#[derive(Clone, Copy)]
pub(super) enum End {
    /// The whole answer was passed on.
    Whole,
    /// It was rejected, or its answer was aborted, for this reason.
    Refused(Refusal),
    /// The client disconnected before the end.
    Abandoned,
}

/// nginx's status for a request whose client disconnected, for metrics and logs. It is never sent.
fn client_closed_request() -> StatusCode {
    StatusCode::from_u16(499).unwrap_or(StatusCode::OK)
}

impl<'h, H: Upstream + Clone + 'h> Ongoing<'h, H> {
    pub(super) fn new(host: H, exchange: Exchange<H>, endpoint: Chat) -> Self {
        Self {
            host,
            exchange,
            admission: Admission::default(),
            counts: Counts::default(),
            samples: Vec::new(),
            bypassed: false,
            head: HeaderMap::new(),
            endpoint,
        }
    }

    /// Returns the id of the request.
    pub(super) fn id(&self) -> &str {
        self.exchange.id()
    }

    /// Returns the parameter in the path of the request; empty without one.
    pub(super) fn parameter(&self) -> &str {
        self.exchange.found.as_ref().map(|found| found.parameter.as_str()).unwrap_or_default()
    }

    /// Returns the time since the request began, in milliseconds.
    pub(super) fn elapsed_ms(&self) -> f64 {
        self.exchange.elapsed_ms()
    }

    /// Admits the request to its workspace.
    ///
    /// # Errors
    /// As [`Admission::admit`].
    pub(super) async fn admit(
        &mut self,
        access: &Access,
        uri: &Uri,
        headers: &HeaderMap,
    ) -> Result<Entered, ApiError> {
        self.admission.admit(&self.host, access, uri, headers).await?;
        self.admission
            .entered
            .clone()
            .ok_or_else(|| ApiError::internal("a route to models enters no workspace"))
    }

    /// Whether the caller has no token of the gateway.
    pub(super) fn is_keyless(&self) -> bool {
        matches!(self.admission.credential, Some(Credential::Keyless(_)))
    }

    /// The principal, once the request has entered its workspace.
    fn principal(&self) -> Option<&Principal> {
        self.admission.entered.as_ref().map(|entered| &entered.principal)
    }

    /// Awaits `work` and renews the in-flight permit meanwhile.
    pub(super) async fn hold_permit<W: Future>(&mut self, work: W) -> W::Output {
        match &mut self.admission.permit {
            Some(permit) => permit.hold(&self.host, work).await,
            None => work.await,
        }
    }

    /// Returns the actor of the request, for the audit.
    pub(super) fn actor(&self) -> Option<Actor> {
        self.principal().map(|principal| principal.actor.clone())
    }

    /// Counts the findings in one direction, `input` or `output`.
    pub(super) fn found(&mut self, counts: &ActionCounts, direction: &str) {
        self.counts.extend(&report::for_log(counts));
        self.samples.extend(report::samples(counts, direction));
    }

    /// Counts the findings and the placeholders in an answer.
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
    /// The record of the request was written before it was sent, so this is another record with the same id.
    /// If it cannot be written, the answer still continues: withheld values do not leave the service.
    pub(super) async fn record_withheld(&self, restores: RestoreCounts, source: &Source) {
        let Some(principal) = self.principal().filter(|_| restores.withheld() > 0) else { return };
        let at = timestamp(self.host.now_ms() / 1_000);
        let entry = Entry { at, withheld: restores.withheld(), ..source.entry.clone() };
        let _ = audit::append(&self.host, source.audit, &principal.workspace, entry).await;
    }

    /// Counts the rejection of a text in one direction, if a policy blocks it.
    pub(super) fn refused(&mut self, error: &ApiError, direction: &str) {
        if error.code() == Code::PolicyViolation {
            self.sample(Sample::count(&families::BLOCKS, format!("direction=\"{direction}\""), 1));
        }
    }

    /// Counts the rejection of an answer, if a policy blocks it, and records it in the audit, which has only
    /// the request.
    pub(super) async fn refused_answer(&mut self, error: &ApiError, source: &Source) {
        self.refused(error, "output");
        let entry = Entry { at: timestamp(self.host.now_ms() / 1_000), ..source.entry.clone() };
        let workspace = self.principal().map(|principal| principal.workspace.as_str());
        if let (Some(entry), Some(workspace)) = (report::of_block(entry, error), workspace) {
            // if the record cannot be written, the answer is not passed on either
            let _ = audit::append(&self.host, source.audit, workspace, entry).await;
        }
    }

    /// Notes that the request is forwarded with uninspected or unrecorded parts.
    pub(super) fn bypass(&mut self) {
        self.bypassed = true;
        self.sample(Sample::count(&families::BYPASSES, String::new(), 1));
    }

    /// Adds a sample to the metrics.
    pub(super) fn sample(&mut self, sample: Sample) {
        self.samples.push(sample);
    }

    /// Adds the headers of every answer.
    pub(super) fn write_head(&self, headers: &mut HeaderMap) {
        if let Some(window) = &self.admission.window {
            window.write(headers);
            window.write_as_openai(headers);
        }
        headers.extend(self.head.clone());
        self.exchange.write_head(headers);
    }

    /// Ends the request with an error, which may come from a provider that received uninspected parts.
    pub(super) fn refuse(mut self, error: ApiError) -> (Response<Bytes>, Settlement<'h, H>) {
        if self.bypassed {
            report::write_bypass(&mut self.head);
        }
        let response = error.into_response_as(self.exchange.shape());
        self.end(response)
    }

    /// Ends the request with a whole answer.
    pub(super) fn end(mut self, mut response: Response<Bytes>) -> (Response<Bytes>, Settlement<'h, H>) {
        let end = response.extensions().get::<Refusal>().copied().map_or(End::Whole, End::Refused);
        self.note_end(end);
        self.write_head(response.headers_mut());
        let (exchange, outcome) = self.into_outcome();
        exchange.end(response, outcome)
    }

    /// Ends a streamed answer, whose head had status 200 whatever the outcome.
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
            workspace: self.admission.entered.map(|entered| entered.principal.workspace),
            counts: self.counts,
            permit: self.admission.permit,
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
