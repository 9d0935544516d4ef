//! Changes a configuration field by field; absent fields stay unchanged.

use std::ops::RangeInclusive;

use serde_json::Value;
use textveil_engine::types_named;
use textveil_restore::pattern;

use super::{Configuration, ModelRoute};
use crate::{
    error::ApiError,
    limits::{
        MAX_BUFFER_TOKENS, MAX_CACHE_SECONDS, MAX_GATEWAY_RATE, MAX_MODEL_BYTES, MAX_REGION_CHARS,
        MAX_RESTORE_HOSTS, MAX_RETENTION_DAYS, MAX_RISK_LEVELS, MAX_ROUTE_CHARS, MAX_ROUTES, SESSION_SECONDS,
    },
    sent::Sent,
};

/// The notation of a configuration's fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldShape {
    /// As updates are: `audit_level`.
    Update,
    /// As it is read: `audit.level`.
    Read,
}

/// The names of an action.
pub(crate) const ACTIONS: &str = "ALLOW, FLAG, MASK, REDACT, HASH, TOKENIZE or BLOCK";

/// The names of a risk level.
pub(crate) const RISKS: &str = "NONE, LOW, MEDIUM, HIGH or CRITICAL";

/// Documented route names, which an error may contain.
const KNOWN_ROUTES: [&str; 2] = [super::PRIMARY, super::FALLBACK];

impl Configuration {
    /// Changes the fields of `sent`.
    ///
    /// A null removes an entry from a map and clears `region`, `restore_hosts` and `streaming.fail_closed`;
    /// elsewhere it changes nothing. Routes must name a provider that `is_provider` knows.
    ///
    /// # Errors
    /// `invalid_request` naming the field.
    pub(crate) fn change(
        &mut self,
        sent: &Sent<'_>,
        shape: FieldShape,
        is_provider: &dyn Fn(&str) -> bool,
    ) -> Result<(), ApiError> {
        if let Some(routes) = sent.object("providers")? {
            self.change_routes(&routes, is_provider)?;
        }
        if let Some(levels) = sent.object("risk_levels")? {
            self.change_risk_levels(&levels)?;
        }
        set(&mut self.default_action, sent.choice("default_action", ACTIONS)?);
        if let Some(limits) = sent.object("rate_limits")? {
            let rate = 1..=i64::from(MAX_GATEWAY_RATE);
            set(
                &mut self.rate_limits.requests_per_minute,
                limits.integer("requests_per_minute", rate.clone())?,
            );
            set(&mut self.rate_limits.burst, limits.integer("burst", rate)?);
        }
        if let Some(streaming) = sent.object("streaming")? {
            let tokens = 1..=i64::from(MAX_BUFFER_TOKENS);
            set(&mut self.streaming.enabled, streaming.flag("enabled")?);
            set(&mut self.streaming.buffer_tokens, streaming.integer("buffer_tokens", tokens)?);
            clear_or_set(
                &mut self.streaming.fail_closed,
                &streaming,
                "fail_closed",
                streaming.flag("fail_closed")?,
            );
        }
        if let Some(sessions) = sent.object("sessions")? {
            let seconds = i64::from(*SESSION_SECONDS.start())..=i64::from(*SESSION_SECONDS.end());
            set(&mut self.sessions.enabled, sessions.flag("enabled")?);
            set(&mut self.sessions.ttl, sessions.integer("ttl", seconds)?);
        }
        self.change_flat_fields(sent, shape)?;
        let region = sent.line("region", 1..=MAX_REGION_CHARS)?.map(str::to_owned);
        clear_or_set(&mut self.region, sent, "region", region);
        self.change_restore_hosts(sent)
    }

    /// Those whose names differ between the shapes.
    fn change_flat_fields(&mut self, sent: &Sent<'_>, shape: FieldShape) -> Result<(), ApiError> {
        let seconds = 0..=i64::from(MAX_CACHE_SECONDS);
        for (object, flat, cache) in [
            ("auth", "auth_cache_ttl", &mut self.auth),
            ("provider_config", "provider_config_cache_ttl", &mut self.provider_config),
            ("policy", "policy_cache_ttl", &mut self.policy),
        ] {
            set(&mut cache.cache_ttl, integer(sent, shape, flat, (object, "cache_ttl"), seconds.clone())?);
        }
        let days = 1..=i64::from(MAX_RETENTION_DAYS);
        let retention = integer(sent, shape, "audit_retention_days", ("audit", "retention_days"), days)?;
        set(&mut self.audit.retention_days, retention);
        let levels = "none, minimal, standard or full";
        set(
            &mut self.audit.level,
            match shape {
                FieldShape::Update => sent.choice("audit_level", levels)?,
                FieldShape::Read => {
                    sent.object("audit")?.map_or(Ok(None), |audit| audit.choice("level", levels))?
                }
            },
        );
        Ok(())
    }

    fn change_routes(
        &mut self,
        routes: &Sent<'_>,
        is_provider: &dyn Fn(&str) -> bool,
    ) -> Result<(), ApiError> {
        for name in routes.names() {
            if routes.is_null(name) {
                self.providers.remove(name);
                continue;
            }
            if !(1..=MAX_ROUTE_CHARS).contains(&name.len()) || !name.chars().all(is_of_a_name) {
                let wanted = format!("routes by names of 1 to {MAX_ROUTE_CHARS} letters, digits and -_.");
                return Err(routes.wrong(&wanted));
            }
            let place = routes.field(if KNOWN_ROUTES.contains(&name) { name } else { "*" });
            let route = routes.value(name).and_then(|route| Sent::at(place.clone(), route));
            let route = route.ok_or_else(|| {
                ApiError::invalid(
                    &place,
                    format!("{place} must be an object with provider and model, or null"),
                )
            })?;
            let route = read_route(&route, self.providers.get(name), is_provider)?;
            self.providers.insert(name.to_owned(), route);
        }
        if self.providers.len() > MAX_ROUTES {
            return Err(routes.wrong(&format!("at most {MAX_ROUTES} routes")));
        }
        Ok(())
    }

    fn change_restore_hosts(&mut self, sent: &Sent<'_>) -> Result<(), ApiError> {
        let wanted = "names of hosts such as crm.example.com, or *.example.com for all below one";
        let hosts =
            sent.strings("restore_hosts", 0..=MAX_RESTORE_HOSTS, wanted, |name| pattern(name).is_some())?;
        if hosts.is_some() || sent.is_null("restore_hosts") {
            let mut hosts: Vec<_> = hosts.iter().flatten().filter_map(|name| pattern(name)).collect();
            hosts.sort_unstable();
            hosts.dedup();
            self.restore_hosts = hosts;
        }
        Ok(())
    }

    fn change_risk_levels(&mut self, levels: &Sent<'_>) -> Result<(), ApiError> {
        for name in levels.names() {
            let kind = name.to_ascii_uppercase();
            if levels.is_null(name) {
                self.risk_levels.remove(&kind);
                continue;
            }
            if !(1..=MAX_ROUTE_CHARS).contains(&name.len()) || !name.chars().all(is_of_a_type) {
                let wanted = format!("levels by types of 1 to {MAX_ROUTE_CHARS} letters, digits and _");
                return Err(levels.wrong(&wanted));
            }
            // a type of the catalogue is not the caller's text
            let place = if types_named(name).is_empty() { "*" } else { name };
            let level = levels.value(name).and_then(Value::as_str).unwrap_or_default();
            let level =
                serde_json::from_value(Value::from(level)).map_err(|_| levels.refused(place, RISKS))?;
            self.risk_levels.insert(kind, level);
        }
        if self.risk_levels.len() > MAX_RISK_LEVELS {
            return Err(levels.wrong(&format!("at most {MAX_RISK_LEVELS} types")));
        }
        Ok(())
    }
}

/// A route, with what is absent taken from the one that was there.
fn read_route(
    sent: &Sent<'_>,
    old: Option<&ModelRoute>,
    is_provider: &dyn Fn(&str) -> bool,
) -> Result<ModelRoute, ApiError> {
    let is_named = |value: &Value| value.as_str().filter(|name| is_provider(name)).map(str::to_owned);
    let wanted = "the id of an LLM provider of the workspace, or its type where it is the only one of it; \
                  create it at /api/v1/llm-providers first";
    let is_model = |name: &&str| {
        (1..=MAX_MODEL_BYTES).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_graphic())
    };
    let model = sent.read(
        "model",
        &format!("a name of 1 to {MAX_MODEL_BYTES} ASCII characters without spaces"),
        |value| value.as_str().filter(is_model).map(str::to_owned),
    )?;
    let provider = sent.read("provider", wanted, is_named)?.or_else(|| old.map(|old| old.provider.clone()));
    let model = model.or_else(|| old.map(|old| old.model.clone()));
    let credential = sent.choice("credential", "provider or caller")?;
    Ok(ModelRoute {
        provider: sent.required("provider", provider)?,
        model: sent.required("model", model)?,
        credential: credential.or_else(|| old.map(|old| old.credential)).unwrap_or_default(),
    })
}

/// An integer whose name differs between the shapes.
fn integer(
    sent: &Sent<'_>,
    shape: FieldShape,
    flat: &str,
    (object, name): (&str, &str),
    range: RangeInclusive<i64>,
) -> Result<Option<u32>, ApiError> {
    match shape {
        FieldShape::Update => sent.integer(flat, range),
        FieldShape::Read => sent.object(object)?.map_or(Ok(None), |inner| inner.integer(name, range)),
    }
}

fn is_of_a_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "-_.".contains(letter)
}

fn is_of_a_type(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

fn set<T>(field: &mut T, sent: Option<T>) {
    if let Some(value) = sent {
        *field = value;
    }
}

fn clear_or_set<T>(field: &mut Option<T>, sent: &Sent<'_>, name: &str, value: Option<T>) {
    if value.is_some() || sent.is_null(name) {
        *field = value;
    }
}
