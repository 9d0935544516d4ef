//! The body of an answer of the gateway: whole, or in parts as a provider sends them.

use std::{
    convert::Infallible,
    fmt,
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use futures_util::Stream;
use http_body::{Body, Frame, SizeHint};

/// A body; one that comes in parts lives as long as the host that it asks for them.
pub enum AnswerBody<'h> {
    /// All of it is there; none when it was read.
    Whole(Option<Bytes>),
    /// It comes in parts.
    Parts(Pin<Box<dyn Stream<Item = Bytes> + 'h>>),
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
            Self::Parts(parts) => parts.as_mut().poll_next(context),
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
