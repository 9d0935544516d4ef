//! Why a call was rejected.
//!
//! An opaque [`Error`] has a `code` and, if one field is at fault, its name. A message says what is wrong and
//! what to do, and never contains the caller's text.

use std::{borrow::Cow, fmt};

use crate::api::entity::TypeCounts;

/// A rejected call. [`Error::code`] lists the kinds.
///
/// # Examples
/// ```
/// use textveil_engine::Error;
///
/// let error = Error::invalid("text", "is empty; send at least one character");
/// assert_eq!((error.code(), error.field()), ("invalid_request", Some("text")));
/// let error = error.within("texts[3]".to_owned());
/// assert_eq!(error.to_string(), "texts[3] is empty; send at least one character");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Kind);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    InvalidRequest { field: String, message: Cow<'static, str> },
    PolicyViolation { counts: TypeCounts },
    BudgetExceeded,
    NotLoaded,
}

impl Error {
    /// Creates an `invalid_request`.
    ///
    /// The value of `field` is missing, outside its limits or of no known kind. `message` starts lower-case,
    /// says what to send instead and must not quote the caller.
    pub fn invalid(field: impl Into<String>, message: impl Into<Cow<'static, str>>) -> Self {
        Self(Kind::InvalidRequest { field: field.into(), message: message.into() })
    }

    /// Creates a `policy_violation`.
    ///
    /// A policy with the action `BLOCK` applies; `counts` are the findings that it blocks, by type.
    ///
    /// # Examples
    /// ```
    /// use textveil_engine::{Error, TypeCounts};
    ///
    /// let error = Error::policy_violation(TypeCounts::from([("email".into(), 2)]));
    /// assert_eq!(error.blocked().and_then(|counts| counts.get("email")), Some(&2));
    /// ```
    pub fn policy_violation(counts: TypeCounts) -> Self {
        Self(Kind::PolicyViolation { counts })
    }

    /// Creates a `budget_exceeded`.
    ///
    /// The caller's own detectors and lists take too many steps on the texts of a call.
    ///
    /// # Examples
    /// ```
    /// use textveil_engine::{DetectOptions, Error, detect, options::CustomDetector};
    ///
    /// let pattern = Some("(?:.{0,20}[a-z]{0,20}){0,10}!".to_owned());
    /// let costly = CustomDetector { name: "costly".to_owned(), pattern, ..CustomDetector::default() };
    /// let options = DetectOptions { custom_detectors: vec![costly; 20], ..DetectOptions::default() };
    /// let error = detect(&"many words ".repeat(4_000), &options).unwrap_err();
    /// assert_eq!(error, Error::budget_exceeded());
    /// ```
    pub fn budget_exceeded() -> Self {
        Self(Kind::BudgetExceeded)
    }

    /// The caller asks for names, and their lexicons are neither compiled in nor loaded.
    pub(crate) fn not_loaded() -> Self {
        Self(Kind::NotLoaded)
    }

    /// Returns the kind of the error: `invalid_request`, `policy_violation`, `budget_exceeded` or `not_loaded`.
    ///
    /// The service writes the first three. `not_loaded` occurs only where names are compiled without their lexicons.
    pub fn code(&self) -> &'static str {
        match self.0 {
            Kind::InvalidRequest { .. } => "invalid_request",
            Kind::PolicyViolation { .. } => "policy_violation",
            Kind::BudgetExceeded => "budget_exceeded",
            Kind::NotLoaded => "not_loaded",
        }
    }

    /// Returns the offending field, named as on the REST surface.
    ///
    /// An element of a list is named as `texts[3]`.
    pub fn field(&self) -> Option<&str> {
        match &self.0 {
            Kind::InvalidRequest { field, .. } => Some(field),
            Kind::PolicyViolation { .. } | Kind::BudgetExceeded => None,
            Kind::NotLoaded => Some("entities"),
        }
    }

    /// Returns the findings by type that a policy blocked.
    ///
    /// They are the `details` of a `policy_violation`. Returns `None` for every other error.
    ///
    /// # Examples
    /// ```
    /// use textveil_engine::{Action, DetectOptions, Mode, ProtectOptions, protect};
    ///
    /// let default_action = Some(Action::Block);
    /// let block = ProtectOptions { mode: Mode::Policy, default_action, ..ProtectOptions::default() };
    /// let error = protect("PESEL 44051401359", &DetectOptions::default(), &block, None).unwrap_err();
    /// assert_eq!(error.code(), "policy_violation");
    /// assert!(error.blocked().is_some_and(|counts| counts["pesel"] == 1));
    /// ```
    pub fn blocked(&self) -> Option<&TypeCounts> {
        match &self.0 {
            Kind::PolicyViolation { counts } => Some(counts),
            Kind::InvalidRequest { .. } | Kind::BudgetExceeded | Kind::NotLoaded => None,
        }
    }

    /// Returns the same error for a field inside another.
    ///
    /// `text` inside `texts[3]` becomes `texts[3]`.
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
            Kind::BudgetExceeded => {
                write!(
                    out,
                    "custom_detectors, allow_list and deny_list take too long on this much text; send less text or fewer \
                     patterns, and let each begin with fixed characters, such as ID-[0-9]+ instead of .*[0-9]+"
                )
            }
            Kind::NotLoaded => {
                write!(out, "entities asks for names, which are not loaded; call `await initNames()` first")
            }
        }
    }
}

impl std::error::Error for Error {}
