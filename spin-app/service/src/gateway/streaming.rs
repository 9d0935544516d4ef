//! An answer that is passed on while it comes in.

use std::{borrow::Cow, cell::Cell, rc::Rc};

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
        body::Left,
        events::{EventReader, SseEvent},
        protect::ActionCounts,
        protocol::{AnswerStream, Step},
        stream::Answer,
        surrogates::Surrogates,
    },
    error::ApiError,
    limits::{MAX_ANSWER_BYTES, MAX_EVENT_BYTES},
    upstream::Upstream,
    usage::metrics::{Sample, families},
};

/// How many bytes become events before the application gets those, so that the first does not wait for a long answer that
/// came at once.
const SLICE: usize = 4_096;

/// What ends an event where the provider's bytes end: its own line, and itself. Some leave that out of the last.
const END: &[u8] = b"\n\n";

/// An answer on its way from a provider to an application.
pub(super) struct Passing<'h, H: Upstream> {
    ongoing: Ongoing<'h, H>,
    body: H::AnswerBody,
    /// Bytes that came and were not read.
    unread: Bytes,
    /// When the answer must be there.
    deadline: LocalBoxFuture<'h, ()>,
    reader: EventReader,
    surrogates: Surrogates,
    stream: Box<dyn AnswerStream<PlaceRules>>,
    answer: Answer<PlaceRules>,
    about: About,
    /// Bytes that came so far.
    received: usize,
    /// Whether anything was passed on.
    begun: bool,
    over: bool,
    /// Nobody reads it any more.
    is_abandoned: Rc<Cell<bool>>,
    /// Why it broke off, if it did.
    error: Option<ApiError>,
}

/// What is known when the first byte comes.
pub(super) struct About {
    /// When the answer must be there, by the host's clock.
    pub until_ms: u64,
    /// The type of the provider.
    pub provider_type: String,
    /// The origin of the answer, for the audit.
    pub source: Source,
    /// What was found in the request and not looked at in it, where the answer is to say so.
    pub report: Option<(ActionCounts, Left)>,
    /// What is kept of the request as soon as an event says the id of its response.
    pub keeping: Option<Keeping>,
}

impl<'h, H: Upstream + Clone + 'h> Passing<'h, H> {
    pub(super) fn new(
        ongoing: Ongoing<'h, H>,
        body: H::AnswerBody,
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
            reader: EventReader::new(MAX_EVENT_BYTES),
            surrogates: Surrogates::default(),
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

    /// The parts of the answer.
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

    /// The next part that is not empty, or the last.
    async fn next(&mut self) -> Bytes {
        let mut out = String::new();
        while out.is_empty() && !self.over {
            let mut events = Vec::new();
            if let Err(error) = self.read(&mut events).await {
                // what came before it in the same bytes goes out, as if it had come by itself
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

    /// Gives the events that the provider's next bytes become.
    async fn read(&mut self, out: &mut Vec<SseEvent>) -> Result<(), ApiError> {
        let received = self.receive().await?;
        let bytes = received.as_deref().unwrap_or(END);
        self.received = self.received.saturating_add(bytes.len());
        if self.received > MAX_ANSWER_BYTES {
            return Err(ApiError::upstream("the provider's answer is too large; ask for less"));
        }
        let passed = self.pass(bytes, out);
        // before any of it goes out: the application may go on from it at once
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

    /// Gives the events that these bytes become.
    fn pass(&mut self, bytes: &[u8], out: &mut Vec<SseEvent>) -> Result<(), ApiError> {
        let mut received = Vec::new();
        let unreadable = self.reader.push(bytes, &mut received).err();
        for mut event in received {
            if let Cow::Owned(mended) = self.surrogates.mend(&event.data) {
                event.data = mended;
            }
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

    /// Gives the last events.
    fn finish(&mut self, mut events: Vec<SseEvent>, out: &mut Vec<SseEvent>) {
        self.over = true;
        if let Some((found, left)) = &self.about.report {
            let answer = Some((self.answer.emitted(), self.answer.restores()));
            self.stream.report(&mut events, report::report(found, *left, answer));
        }
        out.extend(events);
    }

    /// Some of the provider's next bytes; none where it ends.
    async fn receive(&mut self) -> Result<Option<Bytes>, ApiError> {
        // a timer is not looked at while there is always something to read
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
                    // trailers say nothing to an application
                    self.unread = frame.into_data().unwrap_or_default();
                }
            }
        }
        Ok(Some(self.unread.split_to(SLICE.min(self.unread.len()))))
    }

    /// Nothing that is held goes out any more.
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
