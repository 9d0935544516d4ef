//! Outgoing requests: the interface of the gateway to its host, in addition to [`crate::host::Host`].
//!
//! A body arrives as a stream, so that an answer can be passed on while it arrives; its reader limits its
//! size.

use std::fmt;

use bytes::Bytes;
use http::{
    HeaderName, Request, Response,
    header::{
        ACCEPT, CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HOST, TE, TRANSFER_ENCODING,
        UPGRADE,
    },
};
use http_body::Body;

use crate::host::Host;

/// Headers about the body or the connection. The sender of a request sets them, and no configuration may.
pub const SET_BY_SENDER: [HeaderName; 9] = [
    ACCEPT,
    CONNECTION,
    CONTENT_ENCODING,
    CONTENT_LENGTH,
    CONTENT_TYPE,
    HOST,
    TE,
    TRANSFER_ENCODING,
    UPGRADE,
];

/// The deadlines of the parts of an exchange, in milliseconds. The caller, who reads the body, bounds
/// all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadlines {
    /// Until there is a connection.
    pub connect_ms: u64,
    /// From there until the answer begins.
    pub first_byte_ms: u64,
    /// Between two parts of the answer's body.
    pub between_bytes_ms: u64,
}

/// Why there is no answer, or why it was aborted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The host does not let requests out to this name.
    HostForbidden,
    /// The host does not let requests out to the address that the name leads to.
    AddressForbidden,
    /// No connection, and nothing was sent: the name does not resolve, the host does not accept, or TLS
    /// fails.
    Unreachable,
    /// A deadline passed before the connection was open; nothing was sent.
    ConnectTimeout,
    /// A deadline passed after the request was sent.
    AnswerTimeout,
    /// The connection broke off, or what came is not HTTP.
    Broken,
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::HostForbidden => "requests to the host are not let out",
            Self::AddressForbidden => "requests to the address of the host are not let out",
            Self::Unreachable => "there is no connection to the host",
            Self::ConnectTimeout => "the host was not reached in time",
            Self::AnswerTimeout => "the host did not answer in time",
            Self::Broken => "the connection to the host broke off",
        })
    }
}

impl std::error::Error for Failure {}

/// Sends requests. Redirects are never followed.
#[allow(async_fn_in_trait, reason = "a component has one thread, so futures need not be Send")]
pub trait Upstream: Host {
    /// The body of an answer, as it arrives. An error is the reason why it was aborted.
    type ProviderBody: Body<Data = Bytes, Error = Failure> + Unpin;

    /// Sends a request to the absolute address that is its URI, and gives the answer when its head is there.
    ///
    /// # Errors
    /// See [`Failure`].
    async fn send(
        &self,
        request: Request<Bytes>,
        deadlines: Deadlines,
    ) -> Result<Response<Self::ProviderBody>, Failure>;
}

impl<H: Upstream> Upstream for &H {
    type ProviderBody = H::ProviderBody;

    async fn send(
        &self,
        request: Request<Bytes>,
        deadlines: Deadlines,
    ) -> Result<Response<Self::ProviderBody>, Failure> {
        H::send(self, request, deadlines).await
    }
}
