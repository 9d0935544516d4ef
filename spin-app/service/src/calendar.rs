//! Months and timestamps of Unix time, in UTC.

use std::fmt;

use time::{OffsetDateTime, format_description::well_known::Rfc3339};

/// A calendar month.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Month {
    year: i32,
    month: time::Month,
}

impl Month {
    /// The month of a Unix time in seconds.
    pub(crate) fn at(seconds: u64) -> Self {
        let moment = moment(seconds);
        Self { year: moment.year(), month: moment.month() }
    }

    /// The month before this one.
    pub(crate) fn before(self) -> Self {
        let year = if self.month == time::Month::January { self.year - 1 } else { self.year };
        Self { year, month: self.month.previous() }
    }
}

/// Such as `2026-11`.
impl fmt::Display for Month {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:04}-{:02}", self.year, u8::from(self.month))
    }
}

/// The moment of a Unix time in seconds; those beyond the calendar are its beginning.
fn moment(seconds: u64) -> OffsetDateTime {
    let moment = i64::try_from(seconds).ok().and_then(|at| OffsetDateTime::from_unix_timestamp(at).ok());
    moment.unwrap_or(OffsetDateTime::UNIX_EPOCH)
}

/// A Unix time in seconds as ISO 8601, such as `2026-11-23T10:00:20Z`.
pub fn timestamp(seconds: u64) -> String {
    moment(seconds).format(&Rfc3339).unwrap_or_default()
}

/// The Unix time in seconds of an ISO 8601 timestamp with its offset (RFC 3339); none if it is not one,
/// or lies before 1970.
pub fn parse_timestamp(timestamp: &str) -> Option<u64> {
    let moment = OffsetDateTime::parse(timestamp, &Rfc3339).ok()?;
    u64::try_from(moment.unix_timestamp()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_there_and_back() {
        for (seconds, want) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_795_428_020, "2026-11-23T10:00:20Z"),
        ] {
            assert_eq!(timestamp(seconds), want);
            assert_eq!(parse_timestamp(want), Some(seconds));
        }
        assert_eq!(parse_timestamp("2026-11-23T11:00:20.5+01:00"), Some(1_795_428_020));
        for wrong in ["", "2026-11-23", "2026-13-01T00:00:00Z", "1969-12-31T23:59:59Z", "tomorrow"] {
            assert_eq!(parse_timestamp(wrong), None, "{wrong}");
        }
        assert_eq!(timestamp(u64::MAX), "1970-01-01T00:00:00Z");
    }

    #[test]
    fn months_follow_each_other() {
        let january = Month::at(1_767_225_600);
        assert_eq!(january.to_string(), "2026-01");
        assert_eq!(january.before().to_string(), "2025-12");
        assert_eq!(january.before().before().to_string(), "2025-11");
    }
}
