//! The classes of failed attempts at a provider, in one table.

use http::StatusCode;

use super::breaker::RouteCredential;
use crate::upstream::Failure;

/// The part of a request that has to change before an attempt succeeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FailureClass {
    /// The credential, which the provider rejects.
    Credential,
    /// The quota or the rate limit of the credential.
    Quota,
    /// The model, which the provider does not have.
    Model,
    /// The request: every other provider would reject it, too.
    Request,
    /// The record of the provider: its address redirects, or requests to it are not let out.
    Record,
    /// Nothing, or the state of the provider.
    Transient,
}

impl FailureClass {
    /// Classifies the status of an answer; `None` for a success.
    pub(crate) fn of_status(status: StatusCode) -> Option<Self> {
        Some(match status.as_u16() {
            200..=299 => return None,
            401 | 403 => Self::Credential,
            402 | 429 => Self::Quota,
            404 => Self::Model,
            408 | 500..=599 => Self::Transient,
            400..=499 => Self::Request,
            _ => Self::Record,
        })
    }

    /// Classifies the absence of an answer.
    pub(crate) fn of(failure: Failure) -> Self {
        match failure {
            Failure::HostForbidden | Failure::AddressForbidden => Self::Record,
            Failure::Unreachable | Failure::ConnectTimeout | Failure::AnswerTimeout | Failure::Broken => {
                Self::Transient
            }
        }
    }

    /// Whether the failure is the provider's, so that the breaker counts it. Others could be made by one caller, and
    /// must not take the provider from the rest.
    pub(crate) fn is_of_provider(self, credential: RouteCredential) -> bool {
        match self {
            Self::Transient | Self::Record => true,
            Self::Credential => credential == RouteCredential::Provider,
            Self::Quota | Self::Model | Self::Request => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_failure_has_its_class() {
        use FailureClass::{Credential, Model, Quota, Record, Request, Transient};
        // whether the breaker counts it with the provider's credential, and with a caller's
        for (statuses, class, own, callers) in [
            (&[401, 403][..], Credential, true, false),
            (&[402, 429], Quota, false, false),
            (&[404], Model, false, false),
            (&[400, 405, 409, 413, 415, 422, 451], Request, false, false),
            (&[301, 302, 307, 101], Record, true, true),
            (&[408, 500, 502, 503, 504, 529], Transient, true, true),
        ] {
            for status in statuses {
                let status = StatusCode::from_u16(*status).unwrap();
                assert_eq!(FailureClass::of_status(status), Some(class), "{status}");
            }
            assert_eq!(class.is_of_provider(RouteCredential::Provider), own, "{class:?}");
            assert_eq!(class.is_of_provider(RouteCredential::Caller), callers, "{class:?}");
        }
        assert_eq!(FailureClass::of_status(StatusCode::OK), None);
        for (failure, class) in [
            (Failure::HostForbidden, Record),
            (Failure::AddressForbidden, Record),
            (Failure::Unreachable, Transient),
            (Failure::ConnectTimeout, Transient),
            (Failure::AnswerTimeout, Transient),
            (Failure::Broken, Transient),
        ] {
            assert_eq!(FailureClass::of(failure), class, "{failure:?}");
        }
    }
}
