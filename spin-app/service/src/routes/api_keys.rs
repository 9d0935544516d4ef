//! `/api/v1/api-keys`: the keys of a user's workspace.

use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    api_keys::{self, NewKey},
    auth::Principal,
    body::{object_inside, record},
    calendar::{parse_timestamp, timestamp},
    call::{Call, RouteResult, answer, ok},
    credentials::{ApiKeyRecord, KeyLimits, Plan},
    error::ApiError,
    host::Host,
    limits::{MAX_MONTHLY_REQUESTS, MAX_NAME_CHARS},
    scope::Scopes,
    usage::quota,
};

/// The settings of a new key.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "CreateApiKeyRequest"))]
pub(crate) struct CreateRequest {
    /// For people: what the key is for.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(length(max = MAX_NAME_CHARS)))]
    name: Option<String>,
    /// At most the workspace's own, which it is when absent.
    #[serde(default)]
    plan: Option<Plan>,
    /// In place of the limits that every key has; at most those of the plan.
    #[serde(default, deserialize_with = "object_inside")]
    limits: Option<KeyLimits>,
    /// `detect`, `protect`, `restore`, `settings.read`, `settings.write` and `settings.allow`; all but the last two when absent.
    #[serde(default)]
    scopes: Option<Scopes>,
    /// ISO 8601 with offset, in the future: the key is rejected from then on. Never when absent.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(extend("format" = "date-time")))]
    expires_at: Option<String>,
}

/// The record of a key, without the key itself.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct ApiKey {
    /// A UUID.
    id: String,
    /// For people: what the key is for.
    name: String,
    /// The first characters of the key, by which people know it.
    key_prefix: String,
    /// The workspace of the key.
    workspace_id: String,
    /// The plan, which bounds its limits and modes.
    plan: Plan,
    /// Limits of its own.
    limits: KeyLimits,
    /// Its rights.
    scopes: Scopes,
    /// Neither expired nor revoked.
    is_active: bool,
    /// ISO 8601.
    #[cfg_attr(feature = "schema", schemars(extend("format" = "date-time")))]
    created_at: String,
    /// ISO 8601; null for a key that never expires.
    #[cfg_attr(feature = "schema", schemars(extend("format" = "date-time")))]
    expires_at: Option<String>,
    /// ISO 8601; null for a key that is not revoked.
    #[cfg_attr(feature = "schema", schemars(extend("format" = "date-time")))]
    revoked_at: Option<String>,
}

/// The keys of a workspace.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct ApiKeys {
    /// Oldest first, revoked and expired ones included.
    api_keys: Vec<ApiKey>,
    /// The number of keys.
    total: usize,
}

/// A new key.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct CreatedApiKey {
    /// Its record.
    #[serde(flatten)]
    record: ApiKey,
    /// The key itself; it is shown this once.
    key: String,
}

impl ApiKey {
    fn new(record: ApiKeyRecord, now: u64) -> Self {
        Self {
            is_active: record.is_active(now),
            scopes: record.scopes(),
            id: record.id,
            name: record.name,
            key_prefix: record.key_prefix,
            workspace_id: record.workspace,
            plan: record.plan,
            limits: record.limits,
            created_at: timestamp(record.created_at),
            expires_at: record.expires_at.map(timestamp),
            revoked_at: record.revoked_at.map(timestamp),
        }
    }
}

pub(crate) async fn list<H: Host>(call: Call<'_, H>) -> RouteResult {
    let now = call.host.now_ms() / 1_000;
    let records = api_keys::list(call.host, call.workspace()).await?;
    let keys: Vec<_> = records.into_iter().map(|record| ApiKey::new(record, now)).collect();
    ok(&ApiKeys { total: keys.len(), api_keys: keys })
}

pub(crate) async fn show<H: Host>(call: Call<'_, H>) -> RouteResult {
    let found = api_keys::find(call.host, call.workspace(), call.parameter).await?;
    ok(&ApiKey::new(found, call.host.now_ms() / 1_000))
}

/// Creates a key. This answer alone holds the key itself.
pub(crate) async fn create<H: Host>(call: Call<'_, H>, request: Value) -> RouteResult {
    let now = call.host.now_ms() / 1_000;
    let new = checked(record(request)?, call.principal, now)?;
    let quota = quota::of_plan(call.host, new.plan).await?;
    check_limits(&new.limits, new.plan, quota)?;
    let (key, made) = api_keys::create(call.host, call.principal, call.request_id, new).await?;
    answer(StatusCode::CREATED, &CreatedApiKey { record: ApiKey::new(made, now), key })
}

/// Revokes a key. Its record stays.
pub(crate) async fn revoke<H: Host>(call: Call<'_, H>) -> RouteResult {
    let revoked = api_keys::revoke(call.host, call.principal, call.request_id, call.parameter).await?;
    ok(&ApiKey::new(revoked, call.host.now_ms() / 1_000))
}

fn checked(request: CreateRequest, principal: &Principal, now: u64) -> Result<NewKey, ApiError> {
    let name = request.name.unwrap_or_default();
    if name.chars().count() > MAX_NAME_CHARS {
        return Err(ApiError::invalid("name", format!("name must have at most {MAX_NAME_CHARS} characters")));
    }
    if request.plan.is_some_and(|wanted| wanted > principal.plan) {
        return Err(ApiError::permission_denied(
            "the workspace's plan does not include the plan asked for; leave plan out for the workspace's own",
        ));
    }
    if let Some(scopes) = request.scopes {
        if scopes.is_empty() || !scopes.is_within(Scopes::GRANTABLE_TO_KEY) {
            return Err(ApiError::invalid(
                "scopes",
                "scopes must be some of detect, protect, restore, settings.read, settings.write and settings.allow",
            ));
        }
        if !scopes.is_within(principal.scopes) {
            return Err(ApiError::permission_denied(
                "a key cannot have scopes that its creator lacks; leave them out",
            ));
        }
    }
    let expires_at = match request.expires_at.as_deref().map(parse_timestamp) {
        None => None,
        Some(Some(moment)) if moment > now => Some(moment),
        Some(_) => {
            return Err(ApiError::invalid(
                "expires_at",
                "expires_at must be an ISO 8601 timestamp with offset, in the future",
            ));
        }
    };
    Ok(NewKey {
        plan: request.plan.unwrap_or(principal.plan),
        name,
        limits: request.limits.unwrap_or_default(),
        scopes: request.scopes,
        expires_at,
    })
}

/// Checks that limits stay within those of the plan. The operator raises them with `textveil keys create`.
fn check_limits(limits: &KeyLimits, plan: Plan, quota: Option<u64>) -> Result<(), ApiError> {
    if limits.requests_per_minute == Some(0) || limits.concurrent_requests == Some(0) {
        return Err(ApiError::invalid("limits", "limits must be numbers above 0; revoke a key to close it"));
    }
    let (requests_per_minute, concurrent_requests) = plan.key_limits();
    for (field, wanted, most) in [
        ("requests_per_minute", limits.requests_per_minute.map(u64::from), requests_per_minute.into()),
        ("concurrent_requests", limits.concurrent_requests.map(u64::from), concurrent_requests.into()),
        ("requests_per_month", limits.requests_per_month, quota.unwrap_or(MAX_MONTHLY_REQUESTS)),
    ] {
        if wanted.is_some_and(|wanted| wanted > most) {
            return Err(ApiError::permission_denied(format!(
                "limits.{field} must be at most {most} on this plan; the operator creates keys with higher limits"
            )));
        }
    }
    Ok(())
}
