//! The body of an answer of the gateway: whole, or in parts as a provider sends them.

use std::{
    cell::Cell,
    convert::Infallible,
    fmt,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll},
};

use bytes::Bytes;
use futures_util::{Stream, StreamExt as _};
use http_body::{Body, Frame, SizeHint};

/// A body; one that comes in parts lives as long as the host that it asks for them.
pub enum AnswerBody<'h> {
    /// All of it is there; none when it was read.
    Whole(Option<Bytes>),
    /// It comes in parts.
    Parts(Parts<'h>),
}

/// The parts of an answer.
pub struct Parts<'h> {
    parts: Pin<Box<dyn Stream<Item = Bytes> + 'h>>,
    is_abandoned: Rc<Cell<bool>>,
}

impl<'h> Parts<'h> {
    /// Parts that end as soon as they can where the flag is set.
    pub(super) fn new(parts: impl Stream<Item = Bytes> + 'h, is_abandoned: Rc<Cell<bool>>) -> Self {
        Self { parts: Box::pin(parts.fuse()), is_abandoned }
    }
}

impl AnswerBody<'_> {
    /// Ends an answer whose reader has gone. The rest of it is not requested; the request is counted and logged, and
    /// its permit is free.
    pub async fn abandon(self) {
        if let Self::Parts(Parts { mut parts, is_abandoned }) = self {
            is_abandoned.set(true);
            while parts.next().await.is_some() {}
        }
    }
}

impl From<Bytes> for AnswerBody<'_> {
    fn from(whole: Bytes) -> Self {
        Self::Whole(Some(whole).filter(|bytes| !bytes.is_empty()))
    }
}

impl Body for AnswerBody<'_> {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let part = match self.get_mut() {
            Self::Whole(bytes) => Poll::Ready(bytes.take()),
            Self::Parts(Parts { parts, .. }) => parts.as_mut().poll_next(context),
        };
        part.map(|part| part.map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Whole(None))
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) => {
                let length = bytes.as_ref().map_or(0, Bytes::len);
                SizeHint::with_exact(u64::try_from(length).unwrap_or(u64::MAX))
            }
            Self::Parts(_) => SizeHint::default(),
        }
    }
}

/// The text stays out.
impl fmt::Debug for AnswerBody<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Whole(_) => "AnswerBody::Whole",
            Self::Parts(_) => "AnswerBody::Parts",
        })
    }
}
