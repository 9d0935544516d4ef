//! Passes on an answer while it arrives.

use std::{cell::Cell, rc::Rc};

use bytes::Bytes;
use futures_util::{
    future::{Either, LocalBoxFuture, select},
    stream,
};
use http_body_util::BodyExt;

use super::{
    answer_body::Parts,
    ask,
    conversation::PlaceRules,
    ongoing::{End, Ongoing, Source},
    report,
    sessions::Keeping,
};
use crate::{
    chat::{
        events::{EventReader, SseEvent},
        protect::ActionCounts,
        protocol::{AnswerStream, Step},
        request::Left,
        stream::Answer,
    },
    error::ApiError,
    limits::{MAX_ANSWER_BYTES, MAX_EVENT_BYTES},
    upstream::Upstream,
    usage::metrics::{Sample, families},
};

/// The number of bytes that are converted to events before they are sent, so that the first event does not wait for the
/// whole of a long answer.
const SLICE: usize = 4_096;

/// The end of the last event, which some providers omit.
const END: &[u8] = b"\n\n";

/// An answer on its way from a provider to an application.
pub(super) struct Passing<'h, H: Upstream> {
    ongoing: Ongoing<'h, H>,
    body: H::ProviderBody,
    /// Received bytes that are not parsed yet.
    unread: Bytes,
    /// The deadline of the answer.
    deadline: LocalBoxFuture<'h, ()>,
    reader: EventReader,
    stream: Box<dyn AnswerStream<PlaceRules>>,
    answer: Answer<PlaceRules>,
    about: About,
    /// The number of received bytes.
    received: usize,
    /// Whether an event was passed on.
    begun: bool,
    over: bool,
    /// The client has disconnected.
    is_abandoned: Rc<Cell<bool>>,
    /// Why it was aborted, if it was.
    error: Option<ApiError>,
}

/// The state when the first byte arrives.
pub(super) struct About {
    /// The deadline of the answer, by the host's clock.
    pub until_ms: u64,
    /// The type of the provider.
    pub provider_type: String,
    /// The origin of the answer, for the audit.
    pub source: Source,
    /// The findings and the uninspected parts of the request, if the answer must report them.
    pub report: Option<(ActionCounts, Left)>,
    /// The data to keep of the request when an event contains the id of its response.
    pub keeping: Option<Keeping>,
}

impl<'h, H: Upstream + Clone + 'h> Passing<'h, H> {
    pub(super) fn new(
        ongoing: Ongoing<'h, H>,
        body: H::ProviderBody,
        stream: Box<dyn AnswerStream<PlaceRules>>,
        answer: Answer<PlaceRules>,
        about: About,
    ) -> Self {
        let host = ongoing.host.clone();
        let left_ms = about.until_ms.saturating_sub(host.now_ms());
        Self {
            ongoing,
            body,
            unread: Bytes::new(),
            deadline: Box::pin(async move { host.sleep_ms(left_ms).await }),
            reader: EventReader::of_json(MAX_EVENT_BYTES),
            stream,
            answer,
            about,
            received: 0,
            begun: false,
            over: false,
            is_abandoned: Rc::default(),
            error: None,
        }
    }

    /// Returns the parts of the answer.
    pub(super) fn parts(self) -> Parts<'h> {
        let is_abandoned = Rc::clone(&self.is_abandoned);
        let parts = stream::unfold(Some(self), async |passing| {
            let mut passing = passing?;
            if passing.over || passing.is_abandoned.get() {
                passing.close().await;
                return None;
            }
            let part = passing.next().await;
            Some((part, Some(passing)))
        });
        Parts::new(parts, is_abandoned)
    }

    /// Returns the next part that is not empty, or the last one.
    async fn next(&mut self) -> Bytes {
        let mut out = String::new();
        while out.is_empty() && !self.over {
            let mut events = Vec::new();
            if let Err(error) = self.read(&mut events).await {
                // events before the error in the same bytes are sent first
                events.extend(self.break_off(error).await);
            }
            events.iter().for_each(|event| out.push_str(&event.write()));
        }
        if !self.begun && !out.is_empty() {
            self.begun = true;
            let labels = format!("provider=\"{}\"", self.about.provider_type);
            let first_ms = self.ongoing.elapsed_ms();
            self.ongoing.sample(Sample::time(&families::FIRST_TOKEN, labels, first_ms));
        }
        Bytes::from(out)
    }

    /// Converts the provider's next bytes to events.
    async fn read(&mut self, out: &mut Vec<SseEvent>) -> Result<(), ApiError> {
        let received = self.receive().await?;
        let bytes = received.as_deref().unwrap_or(END);
        self.received = self.received.saturating_add(bytes.len());
        if self.received > MAX_ANSWER_BYTES {
            return Err(ApiError::upstream("the provider's answer is too large; ask for less"));
        }
        let passed = self.pass(bytes, out);
        // before any event is sent: the application may continue the response at once
        if let Some(id) = self.stream.response_id()
            && let Some(keeping) = self.about.keeping.take()
        {
            keeping.keep(&self.ongoing.host, id).await;
        }
        passed?;
        if received.is_none() && !self.over {
            let last = self.stream.end(&mut self.answer)?;
            self.finish(
                last.ok_or_else(|| ApiError::upstream("the provider's answer broke off; retry"))?,
                out,
            );
        }
        Ok(())
    }

    /// Converts these bytes to events.
    fn pass(&mut self, bytes: &[u8], out: &mut Vec<SseEvent>) -> Result<(), ApiError> {
        let mut received = Vec::new();
        let unreadable = self.reader.push(bytes, &mut received).err();
        for event in received {
            match self.stream.push(&mut self.answer, event)? {
                Step::On(events) => out.extend(events),
                Step::Over(events) => {
                    self.finish(events, out);
                    return Ok(());
                }
                Step::Failed => {
                    return Err(ApiError::upstream("the provider failed while it answered; retry"));
                }
            }
        }
        match unreadable {
            Some(_) => Err(ApiError::upstream("the provider's answer is no stream of events in UTF-8")),
            None => Ok(()),
        }
    }

    /// Adds the last events.
    fn finish(&mut self, mut events: Vec<SseEvent>, out: &mut Vec<SseEvent>) {
        self.over = true;
        if let Some((found, left)) = &self.about.report {
            let answer = Some((self.answer.emitted(), self.answer.restores()));
            self.stream.report(&mut events, report::report(found, *left, answer));
        }
        out.extend(events);
    }

    /// Returns some of the provider's next bytes; `None` at the end.
    async fn receive(&mut self) -> Result<Option<Bytes>, ApiError> {
        // the timer is not polled while there is always data to read
        if self.ongoing.host.now_ms() >= self.about.until_ms {
            return Err(ApiError::upstream_timeout());
        }
        while self.unread.is_empty() {
            let frame = select(self.body.frame(), &mut self.deadline);
            match self.ongoing.hold_permit(frame).await {
                Either::Right(_) => return Err(ApiError::upstream_timeout()),
                Either::Left((None, _)) => return Ok(None),
                Either::Left((Some(Err(failure)), _)) => return Err(ask::broken_off(Some(&failure))),
                Either::Left((Some(Ok(frame)), _)) => {
                    // trailers are not passed on
                    self.unread = frame.into_data().unwrap_or_default();
                }
            }
        }
        Ok(Some(self.unread.split_to(SLICE.min(self.unread.len()))))
    }

    /// Drops the text held back, and returns the events of the error.
    async fn break_off(&mut self, error: ApiError) -> Vec<SseEvent> {
        self.over = true;
        let events = self.stream.broken(&error);
        self.ongoing.refused_answer(&error, &self.about.source).await;
        self.error = Some(error);
        events
    }

    async fn close(mut self) {
        self.ongoing.answered(self.answer.emitted(), self.answer.restores());
        self.ongoing.record_withheld(self.answer.restores(), &self.about.source).await;
        let end = match &self.error {
            Some(error) => End::Refused(error.refusal()),
            None if self.over => End::Whole,
            None => End::Abandoned,
        };
        self.ongoing.close(end).await;
    }
}
