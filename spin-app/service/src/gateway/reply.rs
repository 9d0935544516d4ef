//! The answer to a client of a language model.

use bytes::Bytes;
use http::Response;

use super::{conversation::PlaceRules, streaming::About};
use crate::{
    chat::{protocol::AnswerStream, stream::Answer},
    upstream::Upstream,
};

/// An answer, or its head.
pub(super) enum Reply<H: Upstream> {
    Whole(Response<Bytes>),
    Parts(Box<StreamedReply<H>>),
}

/// The head of a streamed answer, with the state for the rest.
pub(super) struct StreamedReply<H: Upstream> {
    pub head: Response<()>,
    pub body: H::ProviderBody,
    pub stream: Box<dyn AnswerStream<PlaceRules>>,
    pub answer: Answer<PlaceRules>,
    pub about: About,
}
