//! The monthly quota of a workspace, by its plan.
//!
//! A batch counts once, and so does a request that fails. A request that the rate limit rejects does not count.

use crate::{
    calendar::Month,
    credentials::{ApiKeyRecord, Plan},
    error::ApiError,
    host::{Host, KeyValue, Label},
};

/// Name of the application's variable: `plan=requests` entries separated by commas. A plan that it does
/// not name has no quota.
pub const VARIABLE: &str = "monthly_quotas";

/// Says what is wrong with a value of the variable, if anything.
pub fn fault(variable: &str) -> Option<&'static str> {
    let faulty = !variable.trim().is_empty() && parse(variable).is_none();
    faulty.then_some("monthly_quotas must be plan=requests entries, such as free=10000,pro=1000000")
}

fn parse(variable: &str) -> Option<Vec<(Plan, u64)>> {
    let entries = variable.split(',').map(|entry| {
        let (plan, requests) = entry.split_once('=')?;
        Some((Plan::parse(plan.trim())?, requests.trim().parse().ok()?))
    });
    entries.collect()
}

/// Counts one request of the workspace.
///
/// # Errors
/// `quota_exceeded`; `service_unavailable`; `internal_error` if the variable cannot be read.
pub(crate) async fn count(host: &impl Host, key: &ApiKeyRecord) -> Result<(), ApiError> {
    let month = Month::at(host.now_ms() / 1_000);
    let store = host.store(Label::Usage);
    let used = store.increment(&counter(&key.workspace, month), 1).await?;
    if used == 1 {
        // the last month stays, for hosts whose clock is behind; a workspace may have been idle for a year
        let mut past = month.before();
        for _ in 0..12 {
            past = past.before();
            store.delete(&counter(&key.workspace, past)).await?;
        }
    }
    let limit = match key.limits.requests_per_month {
        Some(limit) => Some(limit),
        None => of_plan(host, key.plan).await?,
    };
    match limit {
        Some(limit) if u64::try_from(used).unwrap_or_default() > limit => {
            Err(ApiError::quota_exceeded(limit))
        }
        _ => Ok(()),
    }
}

fn counter(workspace: &str, month: Month) -> String {
    format!("quota:{workspace}:{month}")
}

/// Returns the quota of a plan in requests per month; `None` if it is unlimited.
///
/// # Errors
/// `internal_error` if the variable cannot be read.
pub(crate) async fn of_plan(host: &impl Host, plan: Plan) -> Result<Option<u64>, ApiError> {
    let variable = host.variable(VARIABLE).await.unwrap_or_default();
    if variable.trim().is_empty() {
        return Ok(None);
    }
    let quotas =
        parse(&variable).ok_or_else(|| ApiError::internal("the variable monthly_quotas is malformed"))?;
    Ok(quotas.into_iter().find(|(named, _)| *named == plan).map(|(_, requests)| requests))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotas_are_plan_and_number() {
        for (variable, want) in [
            ("free=10", Some(vec![(Plan::Free, 10)])),
            (" free = 10 , enterprise=7", Some(vec![(Plan::Free, 10), (Plan::Enterprise, 7)])),
            ("gold=10", None),
            ("free=-1", None),
            ("free", None),
            ("free=1,", None),
        ] {
            assert_eq!(parse(variable), want, "{variable}");
            assert_eq!(fault(variable).is_some(), want.is_none(), "{variable}");
        }
    }
}
