//! Why a call was rejected.
//!
//! An opaque [`Error`] has a `code` and, if one field is at fault, its name. A message says what is wrong and
//! what to do, and never contains the caller's text.

use std::{borrow::Cow, fmt};

use crate::api::entity::TypeCounts;

/// A rejected call. [`Error::code`] lists the kinds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Kind);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    InvalidRequest { field: String, message: Cow<'static, str> },
    PolicyViolation { counts: TypeCounts },
    NotLoaded,
}

impl Error {
    /// The value of `field` is missing, outside its limits or of no known kind.
    ///
    /// `message` starts lower-case, says what to send instead and must not quote the caller.
    pub fn invalid(field: impl Into<String>, message: impl Into<Cow<'static, str>>) -> Self {
        Self(Kind::InvalidRequest { field: field.into(), message: message.into() })
    }

    /// A policy with the action `BLOCK` applies; `counts` are findings by type.
    pub fn policy_violation(counts: TypeCounts) -> Self {
        Self(Kind::PolicyViolation { counts })
    }

    /// The caller asks for names, and their lexicons are neither compiled in nor loaded.
    pub(crate) fn not_loaded() -> Self {
        Self(Kind::NotLoaded)
    }

    /// `invalid_request` or `policy_violation`, as the service writes it; `not_loaded` only where names are compiled
    /// without their lexicons.
    pub fn code(&self) -> &'static str {
        match self.0 {
            Kind::InvalidRequest { .. } => "invalid_request",
            Kind::PolicyViolation { .. } => "policy_violation",
            Kind::NotLoaded => "not_loaded",
        }
    }

    /// The offending field, named as on the REST surface; elements of lists as `texts[3]`.
    pub fn field(&self) -> Option<&str> {
        match &self.0 {
            Kind::InvalidRequest { field, .. } => Some(field),
            Kind::PolicyViolation { .. } => None,
            Kind::NotLoaded => Some("entities"),
        }
    }

    /// Findings by type that a policy blocked: the `details` of a `policy_violation`. None for every other error.
    pub fn blocked(&self) -> Option<&TypeCounts> {
        match &self.0 {
            Kind::PolicyViolation { counts } => Some(counts),
            Kind::InvalidRequest { .. } | Kind::NotLoaded => None,
        }
    }

    /// The same refusal for a field inside another: `text` inside `texts[3]` becomes `texts[3]`.
    pub fn within(self, field: String) -> Self {
        match self.0 {
            Kind::InvalidRequest { message, .. } => Self(Kind::InvalidRequest { field, message }),
            other => Self(other),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::InvalidRequest { field, message } => write!(out, "{field} {message}"),
            Kind::PolicyViolation { .. } => {
                write!(out, "a policy blocks this text; remove the personal data or change the policy")
            }
            Kind::NotLoaded => {
                write!(out, "entities asks for names, which are not loaded; call `await initNames()` first")
            }
        }
    }
}

impl std::error::Error for Error {}
