//! The destination of a request: one of the workspace's LLM providers, with a model.

use super::{endpoint::Chat, protocol::protocol};
use crate::{
    configuration::{FALLBACK, ModelRoute, PRIMARY},
    error::ApiError,
    order,
    providers::{self, CallersHeaders, Provider},
    sessions::Session,
    setup::Routing,
    usage::breaker::{Breaker, RouteCredential},
};

/// A provider and a model of it.
#[derive(Clone, Debug)]
pub(super) struct Destination {
    /// The route to it, if it has one.
    pub route: Option<String>,
    pub provider: Provider,
    pub model: String,
    /// The source of the credential that the provider gets.
    pub credential: RouteCredential,
}

impl Destination {
    fn by_route(routing: &Routing, name: &str, route: &ModelRoute) -> Option<Self> {
        let provider = active(routing, &route.provider)?.clone();
        let (model, credential) = (route.model.clone(), route.credential);
        Some(Self { route: Some(name.to_owned()), provider, model, credential })
    }

    /// A provider that no route leads to.
    fn by_itself(provider: Provider, model: &str) -> Self {
        Self { route: None, provider, model: model.to_owned(), credential: RouteCredential::Provider }
    }

    /// Whether the caller's own credential is sent to the provider.
    pub(super) fn takes_callers_credential(&self) -> bool {
        self.credential == RouteCredential::Caller
    }

    /// Whether this caller may use it: one without a credential of the gateway uses none of the operator.
    pub(super) fn admits(&self, callers: &CallersHeaders) -> bool {
        self.takes_callers_credential() || !callers.is_keyless()
    }

    /// Whether its provider speaks the protocol of an endpoint, also by translation.
    fn speaks(&self, endpoint: Chat) -> bool {
        protocol(endpoint, self).is_ok()
    }

    /// Returns the breaker that counts its failures.
    pub(super) fn breaker(&self) -> Breaker {
        Breaker::of(&self.provider.record.id, self.credential)
    }

    fn leads_where(&self, other: &Self) -> bool {
        self.provider.record.id == other.provider.record.id && self.model == other.model
    }

    /// Whether the model is that of the route, which an administrator wrote, and not the caller.
    pub(super) fn is_as_configured(&self, routing: &Routing) -> bool {
        let route = self.route.as_ref().and_then(|name| routing.configuration.providers.get(name));
        route.is_some_and(|route| route.model == self.model)
    }

    /// Whether the provider may be used with the model.
    fn is_allowed(&self) -> bool {
        let record = &self.provider.record;
        record.allowed_models.is_empty()
            || record.default_model == self.model
            || record.allowed_models.contains(&self.model)
    }
}

/// Returns the destinations of a request for `model`, the fallback last.
///
/// `model` is the name of a route, a model, or a provider and a model separated by a slash. A model that neither a
/// route nor a provider contains goes to the [`default`] destination. Destinations that do not admit the caller do not
/// count.
///
/// # Errors
/// `no_provider` if the workspace has no provider; `not_found` if no provider has the model.
pub(super) fn destinations(
    routing: &Routing,
    model: Option<&str>,
    endpoint: Chat,
    callers: &CallersHeaders,
) -> Result<Vec<Destination>, ApiError> {
    let admitted = |to: &Destination| to.admits(callers);
    let first = match model {
        None => default(routing, endpoint, callers),
        Some(model) => by_route(routing, model)
            .filter(admitted)
            .or_else(|| by_provider(routing, model).filter(admitted))
            .or_else(|| by_model(routing, model).filter(admitted))
            .or_else(|| {
                let one = default(routing, endpoint, callers)?;
                Some(Destination { model: model.to_owned(), ..one })
            }),
    };
    let first = first.ok_or_else(|| {
        ApiError::no_provider(
            "the workspace has no active LLM provider that this request could go to; add one, and routes to it",
        )
    })?;
    if !first.is_allowed() {
        return Err(ApiError::no_such("model, or its provider may not be asked for it"));
    }
    let fallback = by_route(routing, FALLBACK)
        .filter(|other| !other.leads_where(&first) && other.is_allowed() && admitted(other));
    Ok([Some(first), fallback].into_iter().flatten().collect())
}

fn by_route(routing: &Routing, name: &str) -> Option<Destination> {
    Destination::by_route(routing, name, routing.configuration.providers.get(name)?)
}

fn by_provider(routing: &Routing, name: &str) -> Option<Destination> {
    let (provider, model) = name.split_once('/')?;
    let provider = active(routing, provider)?.clone();
    Some(Destination::by_itself(provider, model))
}

/// By a route to the model, else by a provider that names it.
fn by_model(routing: &Routing, model: &str) -> Option<Destination> {
    let mut routes: Vec<_> =
        routing.configuration.providers.iter().filter(|(_, route)| route.model == model).collect();
    // the primary one first, the fallback last
    order::sort_by_key(&mut routes, |(name, _)| (name.as_str() != PRIMARY, name.as_str() == FALLBACK));
    let found = routes.into_iter().find_map(|(name, route)| Destination::by_route(routing, name, route));
    if found.is_some() {
        return found;
    }
    let names = |provider: &&Provider| {
        provider.record.default_model == model
            || provider.record.allowed_models.iter().any(|one| one == model)
    };
    let provider = providers::in_order(&routing.providers).into_iter().find(names)?.clone();
    Some(Destination::by_itself(provider, model))
}

/// Returns the primary route; without any route, the default model of the first provider.
///
/// A keyless caller has a credential for the provider whose protocol it speaks. So it is the first route to a provider
/// that speaks the protocol of the endpoint, the primary one before others.
pub(super) fn default(routing: &Routing, endpoint: Chat, callers: &CallersHeaders) -> Option<Destination> {
    let routes = &routing.configuration.providers;
    if routes.is_empty() {
        let provider = providers::in_order(&routing.providers).into_iter().next()?.clone();
        let model = provider.record.default_model.clone();
        return Some(Destination::by_itself(provider, &model)).filter(|to| to.admits(callers));
    }
    let primary = by_route(routing, PRIMARY).filter(|to| to.admits(callers));
    if !callers.is_keyless() {
        return primary;
    }
    let others = routes.keys().filter(|name| name.as_str() != PRIMARY);
    let others = others.filter_map(|name| by_route(routing, name)).filter(|to| to.admits(callers));
    // without one that speaks it, the error is that of the primary route
    primary.clone().into_iter().chain(others).find(|to| to.speaks(endpoint)).or(primary)
}

fn active<'r>(routing: &'r Routing, name: &str) -> Option<&'r Provider> {
    providers::named(&routing.providers, name).filter(|provider| provider.record.is_active)
}

/// Returns the destination of a session's response; `None` if its provider is no longer active.
pub(super) fn of_session(routing: &Routing, session: &Session) -> Option<Destination> {
    let is_it = |to: &Destination| to.provider.record.id == session.provider;
    let by_its_route = session.route.as_deref().and_then(|name| by_route(routing, name)).filter(is_it);
    let to = by_its_route.or_else(|| {
        let provider = active(routing, &session.provider)?.clone();
        Some(Destination::by_itself(provider, &session.model))
    })?;
    Some(Destination { model: session.model.clone(), ..to })
}

/// The names that requests of the workspace may have for a model: routes first, then models.
pub(super) fn models(routing: &Routing) -> Vec<(String, Destination)> {
    let by_name = routing
        .configuration
        .providers
        .keys()
        .filter_map(|name| by_route(routing, name).map(|destination| (name.clone(), destination)));
    let mut models: Vec<_> = by_name.collect();
    for provider in providers::in_order(&routing.providers) {
        let record = &provider.record;
        for model in [&record.default_model].into_iter().chain(&record.allowed_models) {
            if models.iter().all(|(known, _)| known != model) {
                models.push((model.clone(), Destination::by_itself(provider.clone(), model)));
            }
        }
    }
    models
}
