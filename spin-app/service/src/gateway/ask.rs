//! Sends requests to providers, with deadlines and retries.

use bytes::Bytes;
use http::{HeaderMap, Request, Response, StatusCode, header::RETRY_AFTER};
use http_body_util::{BodyExt, LengthLimitError, Limited};

use super::deadlines::Limits;
use crate::{
    error::ApiError,
    limits::{MAX_ANSWER_BYTES, MAX_ATTEMPTS, MAX_RETRY_PAUSE_MS, RETRY_PAUSE_MS},
    providers::credential,
    system::within,
    upstream::{Failure, Upstream},
    usage::{
        FailureClass,
        breaker::{BreakerAdmission, RouteCredential},
    },
};

/// The state of one request to providers.
pub(super) struct Asking<'a, H> {
    host: &'a H,
    limits: Limits,
    /// When all of it must be over, by the host's clock.
    until_ms: u64,
    /// Requests that were sent.
    pub attempts: u32,
}

/// Why a provider gave no answer.
pub(super) enum Failed {
    /// Another provider may give one.
    Here(ApiError),
    /// The provider rejected the request with this status, a 4xx; every other one would.
    Refused { status: StatusCode, retry_after: Option<String>, body: Bytes },
}

/// A failed attempt.
struct FailedAttempt {
    class: FailureClass,
    failed: Failed,
    retry: Retry,
}

/// Whether a failed attempt is repeated.
enum Retry {
    Never,
    /// After this pause in milliseconds, if the provider sent one.
    After(Option<u64>),
}

impl<'a, H: Upstream> Asking<'a, H> {
    /// Begins now.
    pub(super) async fn begin(host: &'a H) -> Self {
        let limits = Limits::of(host).await;
        Self { host, limits, until_ms: host.now_ms().saturating_add(limits.total_ms), attempts: 0 }
    }

    /// When all of it must be over, by the host's clock.
    pub(super) fn until_ms(&self) -> u64 {
        self.until_ms
    }

    /// Whether no time is left for another provider.
    pub(super) fn is_over(&self) -> bool {
        self.left_ms() == 0
    }

    /// The answer of a provider, a success. The probe of a half open breaker has one attempt.
    ///
    /// # Errors
    /// See [`Failed`].
    pub(super) async fn ask(
        &mut self,
        mut admission: BreakerAdmission,
        request: &Request<Bytes>,
        credential: RouteCredential,
    ) -> Result<Response<H::ProviderBody>, Failed> {
        let mut pause_ms = RETRY_PAUSE_MS;
        let max_attempts = if admission.is_probe() { 1 } else { MAX_ATTEMPTS };
        for tries_left in (0..max_attempts).rev() {
            self.attempts += 1;
            let attempt = self.attempt(request, credential).await;
            let class = attempt.as_ref().err().map(|attempt| attempt.class);
            admission.note(self.host, class).await;
            let FailedAttempt { failed, retry, .. } = match attempt {
                Ok(answer) => return Ok(answer),
                Err(failed) => failed,
            };
            let Retry::After(asked_ms) = retry else { return Err(failed) };
            let wait_ms = asked_ms.unwrap_or_else(|| self.spread(pause_ms));
            if tries_left == 0 || wait_ms > MAX_RETRY_PAUSE_MS || wait_ms >= self.left_ms() {
                return Err(failed);
            }
            self.host.sleep_ms(wait_ms).await;
            pause_ms *= 2;
        }
        Err(Failed::Here(ApiError::upstream_timeout()))
    }

    /// Half of it to all of it, so that those who failed together do not come back together.
    fn spread(&self, pause_ms: u64) -> u64 {
        let half = pause_ms / 2;
        half + u64::try_from(self.host.random() % u128::from(half.max(1))).unwrap_or_default()
    }

    fn left_ms(&self) -> u64 {
        self.until_ms.saturating_sub(self.host.now_ms())
    }

    async fn attempt(
        &self,
        request: &Request<Bytes>,
        credential: RouteCredential,
    ) -> Result<Response<H::ProviderBody>, FailedAttempt> {
        let sent = self.host.send(request.clone(), self.limits.of_attempt());
        let answer = match within(self.host, self.left_ms(), sent).await {
            Some(Ok(answer)) => answer,
            Some(Err(failure)) => return Err(self.failed(failure).await),
            None => return Err(self.failed(Failure::AnswerTimeout).await),
        };
        let status = answer.status();
        let Some(class) = FailureClass::of_status(status) else { return Ok(answer) };
        let retry_after = header(answer.headers());
        let pause_ms = retry_after.as_ref().map(|seconds| seconds.parse().unwrap_or(u64::MAX));
        let again = Retry::After(pause_ms.map(|seconds| seconds.saturating_mul(1_000)));
        let (failed, retry) = match class {
            FailureClass::Credential => (Failed::Here(bad_credential(credential, status)), Retry::Never),
            FailureClass::Quota if status == StatusCode::TOO_MANY_REQUESTS => {
                let message = "the provider's own rate limit is reached; retry later".to_owned();
                (Failed::Here(ApiError::upstream_refused(status, message, retry_after)), again)
            }
            FailureClass::Quota => {
                let message =
                    "the quota of the credential at the provider is used up; raise it there".to_owned();
                (Failed::Here(ApiError::upstream_refused(status, message, None)), Retry::Never)
            }
            FailureClass::Model | FailureClass::Request => {
                let body = whole(self.host, answer.into_body(), self.until_ms).await.unwrap_or_default();
                (Failed::Refused { status, retry_after, body }, Retry::Never)
            }
            FailureClass::Record => {
                let message = "the provider answered with a redirect, which is not followed; check base_url";
                (Failed::Here(ApiError::upstream(message)), Retry::Never)
            }
            FailureClass::Transient => {
                let message = format!("the provider answered with status {}; retry later", status.as_u16());
                (Failed::Here(ApiError::upstream(message)), again)
            }
        };
        Err(FailedAttempt { class, failed, retry })
    }

    /// Returns the result of an attempt without an answer.
    async fn failed(&self, failure: Failure) -> FailedAttempt {
        let retry = match failure {
            Failure::Unreachable | Failure::Broken | Failure::ConnectTimeout => Retry::After(None),
            // after a late answer the provider may still be at work
            Failure::HostForbidden | Failure::AddressForbidden | Failure::AnswerTimeout => Retry::Never,
        };
        let error = match failure {
            Failure::HostForbidden => ApiError::upstream(credential::why_host_is_forbidden(self.host).await),
            Failure::AddressForbidden => ApiError::upstream(credential::ADDRESS_FORBIDDEN),
            Failure::Unreachable => ApiError::upstream("there is no connection to the provider; retry later"),
            Failure::Broken => ApiError::upstream("the connection to the provider broke off; retry later"),
            Failure::ConnectTimeout | Failure::AnswerTimeout => ApiError::upstream_timeout(),
        };
        FailedAttempt { class: FailureClass::of(failure), failed: Failed::Here(error), retry }
    }
}

/// The error for a rejected credential. A caller gets the status for its own, since clients renew a credential at 401.
fn bad_credential(credential: RouteCredential, status: StatusCode) -> ApiError {
    match credential {
        RouteCredential::Provider => ApiError::upstream(
            "the provider rejects the credential; the operator of the service sets another one",
        ),
        RouteCredential::Caller => {
            let message = "the provider rejects your credential; send another one".to_owned();
            ApiError::upstream_refused(status, message, None)
        }
    }
}

fn header(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?;
    // a date, or what else a provider may write, is not repeated
    let is_number = !value.is_empty() && value.bytes().all(|digit| digit.is_ascii_digit());
    is_number.then(|| value.to_owned())
}

/// An answer that does not come to its end.
pub(super) fn broken_off(failure: Option<&Failure>) -> ApiError {
    match failure {
        Some(Failure::AnswerTimeout) => ApiError::upstream_timeout(),
        _ => ApiError::upstream("the provider's answer broke off; retry later"),
    }
}

/// The whole body of an answer, if it comes in time.
///
/// # Errors
/// `upstream_error`, `upstream_timeout`.
pub(super) async fn whole<H: Upstream>(
    host: &H,
    body: H::ProviderBody,
    until_ms: u64,
) -> Result<Bytes, ApiError> {
    let left_ms = until_ms.saturating_sub(host.now_ms());
    match within(host, left_ms, Limited::new(body, MAX_ANSWER_BYTES).collect()).await {
        Some(Ok(body)) => Ok(body.to_bytes()),
        Some(Err(error)) if error.is::<LengthLimitError>() => {
            Err(ApiError::upstream("the provider's answer is too large; ask for less"))
        }
        Some(Err(error)) => Err(broken_off(error.downcast_ref())),
        None => Err(ApiError::upstream_timeout()),
    }
}
