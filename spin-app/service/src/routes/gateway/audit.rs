//! `GET /api/v1/gateway/audit` and `…/audit/head`: the audit records of a workspace.

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{
    audit::{self, Cursor, Event, Filter, FoundRecord},
    calendar::parse_timestamp,
    call::{Call, RouteResult, ok},
    configuration::{ACTIONS, Configuration},
    error::ApiError,
    host::Host,
    limits::{MAX_ACTOR_BYTES, MAX_CONDITION_NAME_BYTES, MAX_SEARCHED_REQUEST_ID_BYTES},
    query::Query,
    routes::page::Page,
};

const DAY_SECONDS: u64 = 86_400;

/// A page of the records that were asked for.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct AuditList {
    /// Those on the page, the newest first.
    records: Vec<FoundRecord>,
    /// The number of all records.
    total: usize,
    /// The page, from 1.
    page: usize,
    /// Most records on a page.
    page_size: usize,
    /// Whether all records of the time were searched; where not, `total` is of those that were. Either there
    /// are more, and `next_cursor` leads to them, or some cannot be read, which `textveil audit verify` shows.
    complete: bool,
    /// Send it as `cursor`, with the same conditions, for the records that were not searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

/// Signs the ends of all chains.
pub(crate) async fn head<H: Host>(call: Call<'_, H>) -> RouteResult {
    ok(&audit::export(call.host, call.workspace()).await?)
}

pub(crate) async fn list<H: Host>(call: Call<'_, H>) -> RouteResult {
    let workspace = call.workspace();
    let page = Page::of(call.query.as_str())?;
    let mut filter = filter(call.query)?;
    let days = Configuration::of(call.host, workspace).await?.audit.retention_days;
    // days are deleted as a whole: readers do not see older records of the first day
    let oldest = (call.host.now_ms() / 1_000).saturating_sub(u64::from(days) * DAY_SECONDS);
    filter.from = filter.from.max(oldest);
    let findings = audit::search(call.host, workspace, days, &filter).await?;
    ok(&AuditList {
        total: findings.records.len(),
        records: page.cut(findings.records),
        page: page.number,
        page_size: page.size,
        complete: !findings.is_damaged && findings.next.is_none(),
        next_cursor: findings.next.map(|cursor| cursor.to_string()),
    })
}

fn filter(query: &Query) -> Result<Filter, ApiError> {
    let filter = Filter {
        from: time(query, "from")?.unwrap_or_default(),
        to: time(query, "to")?.unwrap_or(u64::MAX),
        event: choice(query, "event", Event::NAMES)?,
        actor: name(query, "actor", MAX_ACTOR_BYTES)?,
        action: choice(query, "action", ACTIONS)?,
        entity_type: name(query, "entity_type", MAX_CONDITION_NAME_BYTES)?,
        request_id: name(query, "request_id", MAX_SEARCHED_REQUEST_ID_BYTES)?,
        cursor: cursor(query)?,
    };
    if filter.from > filter.to {
        return Err(ApiError::invalid("from", "from must not be later than to"));
    }
    Ok(filter)
}

fn time(query: &Query, field: &str) -> Result<Option<u64>, ApiError> {
    let Some(sent) = query.get(field)? else { return Ok(None) };
    parse_timestamp(&sent).map(Some).ok_or_else(|| {
        ApiError::invalid(
            field,
            format!("{field} must be an ISO 8601 timestamp such as 2026-11-23T10:00:20Z"),
        )
    })
}

fn cursor(query: &Query) -> Result<Option<Cursor>, ApiError> {
    let Some(sent) = query.get("cursor")? else { return Ok(None) };
    let cursor = Cursor::parse(&sent);
    cursor.map(Some).ok_or_else(|| ApiError::invalid("cursor", "cursor must be the next_cursor of an answer"))
}

fn choice<T: DeserializeOwned>(query: &Query, field: &str, names: &str) -> Result<Option<T>, ApiError> {
    let Some(sent) = query.get(field)? else { return Ok(None) };
    serde_json::from_value(Value::from(sent))
        .map(Some)
        .map_err(|_| ApiError::invalid(field, format!("{field} must be {names}")))
}

fn name(query: &Query, field: &str, most: usize) -> Result<Option<String>, ApiError> {
    let sent = query.get(field)?;
    if sent.as_ref().is_some_and(|sent| sent.len() > most) {
        return Err(ApiError::invalid(field, format!("{field} must have at most {most} bytes")));
    }
    Ok(sent)
}
