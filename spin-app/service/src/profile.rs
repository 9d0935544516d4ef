//! The profile of the application.

use crate::system::System;

/// The strictness of the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// For production: user tokens are bound to an issuer and an audience, provider secrets to their hosts.
    Strict,
    /// For development on one machine: neither is asked for.
    Dev,
}

impl Profile {
    /// Name of the application's variable: `strict` or `dev`.
    pub const VARIABLE: &str = "profile";

    /// The profile of the application. A value that cannot be read is strict.
    pub(crate) async fn of(system: &impl System) -> Self {
        Self::parse(&system.variable(Self::VARIABLE).await.unwrap_or_default())
    }

    pub(crate) fn parse(variable: &str) -> Self {
        if variable.trim() == "dev" { Self::Dev } else { Self::Strict }
    }

    pub(crate) fn fault(variable: &str) -> Option<&'static str> {
        let is_known = ["", "strict", "dev"].contains(&variable.trim());
        (!is_known).then_some("profile must be strict or dev")
    }
}
