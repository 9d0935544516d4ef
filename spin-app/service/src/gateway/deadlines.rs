//! The deadlines of providers.
//!
//! The variable `upstream_deadlines` holds `name=seconds` entries separated by commas; what it does not name
//! has its default.

use crate::{host::Host, upstream::Deadlines};

/// Name of the application's variable.
pub const VARIABLE: &str = "upstream_deadlines";

/// Longest time of an entry, in seconds: as long as OpenAI's clients wait, and less than the native host does.
const MAX_SECONDS: u64 = 600;

/// Returns the fault of a value of the variable, if it has one.
pub fn fault(variable: &str) -> Option<&'static str> {
    Limits::parse(variable).is_none().then_some(
        "upstream_deadlines must be name=seconds entries of 1 to 600 seconds, such as \
         connect=10,first_byte=120,total=600",
    )
}

/// The deadlines of an exchange with providers, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Limits {
    connect_ms: u64,
    first_byte_ms: u64,
    /// From the first attempt to the last byte.
    pub total_ms: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { connect_ms: 10_000, first_byte_ms: 120_000, total_ms: 600_000 }
    }
}

impl Limits {
    /// Those of the application. No host starts the service with others than can be read.
    pub(super) async fn of(host: &impl Host) -> Self {
        let variable = host.variable(VARIABLE).await.unwrap_or_default();
        Self::parse(&variable).unwrap_or_default()
    }

    fn parse(variable: &str) -> Option<Self> {
        let mut limits = Self::default();
        for entry in variable.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
            let (name, seconds) = entry.split_once('=')?;
            let seconds =
                seconds.trim().parse().ok().filter(|seconds| (1..=MAX_SECONDS).contains(seconds))?;
            let place = match name.trim() {
                "connect" => &mut limits.connect_ms,
                "first_byte" => &mut limits.first_byte_ms,
                "total" => &mut limits.total_ms,
                _ => return None,
            };
            *place = seconds * 1_000;
        }
        Some(limits)
    }

    /// Those of one attempt. Between two parts of an answer a model may think as long as before the first.
    pub(super) fn of_attempt(self) -> Deadlines {
        Deadlines {
            connect_ms: self.connect_ms,
            first_byte_ms: self.first_byte_ms,
            between_bytes_ms: self.first_byte_ms,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_names_and_seconds() {
        let default = Limits::default();
        for (variable, want) in [
            ("", Some(default)),
            ("connect=1", Some(Limits { connect_ms: 1_000, ..default })),
            (
                " first_byte=2 , total=300,",
                Some(Limits { first_byte_ms: 2_000, total_ms: 300_000, ..default }),
            ),
            ("total", None),
            ("total=0", None),
            ("total=601", None),
            ("total=1.5", None),
            ("other=1", None),
        ] {
            assert_eq!(Limits::parse(variable), want, "{variable}");
            assert_eq!(fault(variable).is_some(), want.is_none(), "{variable}");
        }
    }
}
