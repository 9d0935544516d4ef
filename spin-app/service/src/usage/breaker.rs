//! A circuit breaker for each provider and source of the credential, shared by all instances with one store `usage`.
//!
//! ```text
//! closed ── half of a slot's attempts fail, and more than a few ──> open
//! open ── half a minute ──> half open ── the probe succeeds ──> closed
//!   ^───── the probe fails ─────┘
//! ```
//!
//! A closed breaker is two counters for each slot of half a minute, of attempts and of failures. An open breaker is a
//! key with the time at which a probe is due. Then one request is the probe: the first to increment the counter
//! of that time. It moves the time by half a minute at once, so a probe that never ends is followed by another one.
//!
//! [`FailureClass`] says which failures count. A caller's own credential has a breaker of its own, since the
//! failures of one caller say nothing about the provider's credential.

use serde::{Deserialize, Serialize};

use super::{failure::FailureClass, metrics};
use crate::{
    error::ApiError,
    host::{Host, KeyValue, Label, Unavailable},
};

/// Length of a slot, and of the time in which an open breaker admits nothing.
const SLOT_MS: u64 = 30_000;

/// Failures of a slot from which on the breaker may open.
const MIN_FAILURES: i64 = 5;

/// The credential sent to the provider of a route.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) enum RouteCredential {
    /// The provider's configured credential.
    #[default]
    Provider,
    /// The caller's `Authorization` or `X-API-Key`; the gateway's own token comes in `X-Service-Token`.
    Caller,
}

impl RouteCredential {
    pub(crate) fn is_of_provider(&self) -> bool {
        *self == Self::Provider
    }
}

/// The breaker of a provider for one source of the credential.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Breaker {
    provider: String,
    credential: RouteCredential,
}

/// The state of a breaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BreakerState {
    /// Every request is admitted.
    Closed,
    /// One request is admitted, the probe that was due at this time.
    HalfOpen { due_ms: u64 },
    /// No request is admitted.
    Open,
}

/// A request that the breaker admitted, whose attempts it counts.
#[derive(Debug)]
pub(crate) struct BreakerAdmission {
    breaker: Breaker,
    /// When the probe was due, if this is one.
    probe_due_ms: Option<u64>,
}

/// The suffix of the name of a breaker for the caller's own credentials.
const CALLERS: &str = ":caller";

impl Breaker {
    /// Returns the breaker of a provider's id.
    pub(crate) fn of(provider: &str, credential: RouteCredential) -> Self {
        Self { provider: provider.to_owned(), credential }
    }

    /// Reads [`Breaker::name`].
    pub(crate) fn named(name: &str) -> Self {
        match name.strip_suffix(CALLERS) {
            Some(provider) => Self::of(provider, RouteCredential::Caller),
            None => Self::of(name, RouteCredential::Provider),
        }
    }

    /// Returns its name in keys of the store.
    pub(crate) fn name(&self) -> String {
        let source = match self.credential {
            RouteCredential::Provider => "",
            RouteCredential::Caller => CALLERS,
        };
        format!("{}{source}", self.provider)
    }

    /// Returns its labels in metrics.
    pub(crate) fn labels(&self) -> String {
        let source = match self.credential {
            RouteCredential::Provider => "",
            RouteCredential::Caller => ",credential=\"caller\"",
        };
        format!("provider=\"{}\"{source}", self.provider)
    }

    fn key(&self, what: &str) -> String {
        format!("breaker:{}:{what}", self.name())
    }

    fn attempts(&self, slot: u64) -> String {
        self.key(&format!("attempts:{slot}"))
    }

    fn failures(&self, slot: u64) -> String {
        self.key(&format!("failures:{slot}"))
    }

    fn probe(&self, due_ms: u64) -> String {
        self.key(&format!("probe:{due_ms}"))
    }

    /// The key with the time at which a probe is due.
    fn due(&self) -> String {
        self.key("due")
    }

    /// Returns its state.
    ///
    /// # Errors
    /// [`Unavailable`].
    pub(crate) async fn state(&self, host: &impl Host) -> Result<BreakerState, Unavailable> {
        let due = host.store(Label::Usage).get(&self.due()).await?;
        let due_ms = due.and_then(|due| String::from_utf8(due).ok()?.parse().ok());
        Ok(match due_ms {
            None => BreakerState::Closed,
            Some(due_ms) if due_ms <= host.now_ms() => BreakerState::HalfOpen { due_ms },
            Some(_) => BreakerState::Open,
        })
    }

    /// Whether requests are rejected.
    ///
    /// # Errors
    /// [`Unavailable`].
    pub(crate) async fn is_open(&self, host: &impl Host) -> Result<bool, Unavailable> {
        Ok(self.state(host).await? == BreakerState::Open)
    }

    /// Admits a request in this state; `None` if it is rejected.
    ///
    /// # Errors
    /// [`Unavailable`].
    pub(crate) async fn admit(
        self,
        host: &impl Host,
        state: BreakerState,
    ) -> Result<Option<BreakerAdmission>, Unavailable> {
        let probe_due_ms = match state {
            BreakerState::Closed => None,
            BreakerState::Open => return Ok(None),
            BreakerState::HalfOpen { due_ms } => {
                let store = host.store(Label::Usage);
                if store.increment(&self.probe(due_ms), 1).await? != 1 {
                    return Ok(None);
                }
                self.open(host).await?;
                Some(due_ms)
            }
        };
        Ok(Some(BreakerAdmission { breaker: self, probe_due_ms }))
    }

    async fn open(&self, host: &impl Host) -> Result<(), Unavailable> {
        let due_ms = host.now_ms().saturating_add(SLOT_MS);
        host.store(Label::Usage).set(&self.due(), due_ms.to_string().as_bytes()).await
    }

    /// Closes it; the failures before count no longer.
    async fn close(&self, host: &impl Host) -> Result<(), Unavailable> {
        let store = host.store(Label::Usage);
        let slot = host.now_ms() / SLOT_MS;
        store.delete(&self.attempts(slot)).await?;
        store.delete(&self.failures(slot)).await?;
        store.delete(&self.due()).await
    }
}

/// Returns the error of a request whose only provider is skipped.
pub(crate) fn skipped() -> ApiError {
    ApiError::no_provider("the provider keeps failing and is passed over; retry in half a minute")
}

impl BreakerAdmission {
    /// Whether this is the probe of a half open breaker, which has one attempt.
    pub(crate) fn is_probe(&self) -> bool {
        self.probe_due_ms.is_some()
    }

    /// Counts the outcome of an attempt. A store that fails loses the count.
    pub(crate) async fn note(&mut self, host: &impl Host, failure: Option<FailureClass>) {
        let is_counted = failure.is_some_and(|class| class.is_of_provider(self.breaker.credential));
        let noted = match self.probe_due_ms.take() {
            Some(due_ms) => self.note_probe(host, due_ms, is_counted).await,
            None => self.note_attempt(host, is_counted).await,
        };
        let _ = noted;
    }

    async fn note_probe(&self, host: &impl Host, due_ms: u64, failed: bool) -> Result<(), Unavailable> {
        if failed {
            self.breaker.open(host).await?;
        } else {
            self.breaker.close(host).await?;
        }
        host.store(Label::Usage).delete(&self.breaker.probe(due_ms)).await
    }

    async fn note_attempt(&self, host: &impl Host, failed: bool) -> Result<(), Unavailable> {
        let Self { breaker, .. } = self;
        let slot = host.now_ms() / SLOT_MS;
        let store = host.store(Label::Usage);
        let attempts = store.increment(&breaker.attempts(slot), 1).await?;
        if attempts == 1 {
            // a provider without requests for a while leaves four counters behind
            for old in [slot.saturating_sub(2), slot.saturating_sub(1)] {
                store.delete(&breaker.attempts(old)).await?;
                store.delete(&breaker.failures(old)).await?;
            }
        }
        if !failed {
            return Ok(());
        }
        let failures = store.increment(&breaker.failures(slot), 1).await?;
        if failures >= MIN_FAILURES && failures * 2 >= attempts {
            breaker.open(host).await?;
            metrics::show_breaker(&store, breaker).await?;
        }
        Ok(())
    }
}
