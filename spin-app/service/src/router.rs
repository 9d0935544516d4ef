//! The table of routes: each row has the method and the path, the access, and the handler.

use std::{collections::BTreeSet, sync::LazyLock};

use http::Method;
use serde_json::Value;
use textveil_engine::options::{AllowRule, DenyRule};

#[cfg(feature = "schema")]
use crate::openapi::operations;
use crate::{
    call::{Call, RouteResult},
    chat::protocol::StoredResponse,
    error::Shape,
    gateway::Chat,
    host::Host,
    limits::{
        MAX_BATCH_BODY_BYTES, MAX_BODY_BYTES, MAX_CHAT_BODY_BYTES, MAX_DOCUMENT_BODY_BYTES,
        MAX_IMPORT_BODY_BYTES, MAX_RECORD_BODY_BYTES,
    },
    readiness,
    route::{Found, Group, Route, admin, chat, guardrail, key, open, presidio, scraper, telemetry, user},
    routes::{
        api_keys, detect, detectors, documentation,
        gateway::{audit, configuration, policies, policy_test, transfer},
        guardrails::{agent_gateway, litellm, portkey},
        health, llm_providers, mcp, metrics, presidio, protect, protect_document, restore, settings, sign_in,
        telemetry::{self, Telemetry},
        validate,
    },
    scope::Scope as S,
    upstream::Upstream,
};

const TEXT: usize = MAX_BODY_BYTES;
const TEXTS: usize = MAX_BATCH_BODY_BYTES;
const DOCUMENT: usize = MAX_DOCUMENT_BODY_BYTES;
const RECORD: usize = MAX_RECORD_BODY_BYTES;
const IMPORT: usize = MAX_IMPORT_BODY_BYTES;
const CHAT: usize = MAX_CHAT_BODY_BYTES;

/// To take an entry from the allow list, which strengthens protection.
const CHANGE_ALLOWED: &[S] = &[S::SettingsWrite, S::SettingsAllow];
const READ_SETTINGS: &[S] = &[S::SettingsRead, S::SettingsWrite, S::SettingsAllow];
const READ_KEYS: &[S] = &[S::SettingsRead, S::Keys];
const READ_PROVIDERS: &[S] = &[S::SettingsRead, S::Providers];
const READ_GATEWAY: &[S] = &[S::SettingsRead, S::GatewayAdmin];
const WRITE_GATEWAY: &[S] = &[S::GatewayAdmin];

/// Makes the table of all routes, and a function for each group that calls the handlers of its rows.
///
/// The id of a row is also the name of its description in `openapi::operations`. A function returns `None` for a route of
/// another group.
macro_rules! routes {
    ($(
        $(#[$doc:meta])*
        $group:ident [$($head:tt)*] ($($name:ident: $type:ty),*) -> $answer:ty {
            $($id:ident: $method:ident $path:literal, $access:expr => $handler:expr;)*
        }
    )*) => {
        /// Every route.
        pub static ROUTES: &[Route] = &[$($(
            Route {
                id: stringify!($id),
                method: Method::$method,
                path: $path,
                access: $access,
                group: Group::$group,
                #[cfg(feature = "schema")]
                operation: operations::$id,
            },
        )*)*];

        $(
            $(#[$doc])*
            $($head)*(id: &str, $($name: $type),*) -> Option<$answer> {
                Some(match id {
                    $(stringify!($id) => $handler,)*
                    _ => return None,
                })
            }
        )*
    };
}

routes! {
    /// Answers an endpoint that needs no store.
    Core [pub(crate) async fn core<H: Host>](call: Call<'_, H>, request: Value) -> RouteResult {
        alive: GET "/healthz", open() => Ok(readiness::alive());
        ready: GET "/readyz", open() => readiness::ready(call.host).await;
        detect: POST "/api/v1/detect", key(&[S::Detect]).reads(TEXT) => detect::one(call, &request).await;
        detect_batch: POST "/api/v1/detect/batch", key(&[S::Detect]).reads(TEXTS)
            => detect::batch(call, &request).await;
        validate: POST "/api/v1/validate", key(&[S::Detect]).reads(TEXT) => validate::one(&request);
        detectors: GET "/api/v1/detectors", key(&[]) => detectors::list(call.query.as_str());
        protect: POST "/api/v1/protect", key(&[S::Protect]).reads(TEXT) => protect::one(call, &request).await;
        protect_batch: POST "/api/v1/protect/batch", key(&[S::Protect]).reads(TEXTS)
            => protect::batch(call, &request).await;
        protect_document: POST "/api/v1/documents", key(&[S::Protect]).reads(DOCUMENT)
            => protect_document::one(call, &request).await;
        restore: POST "/api/v1/restore", key(&[S::Restore]).reads(TEXT) => restore::one(call, &request).await;
        mcp: POST "/mcp", key(&[S::Detect, S::Protect]).fails_as(Shape::JsonRpc).reads(TEXT)
            => mcp::answer(call, &request).await;
        health: GET "/api/v1/health", key(&[]) => health::report(call).await;
    }

    /// Answers another endpoint of the component of {base_url}.
    Api [pub(crate) async fn api<H: Host>](call: Call<'_, H>, request: Value) -> RouteResult {
        custom_detectors: GET "/api/v1/custom-detectors", key(READ_SETTINGS)
            => settings::custom_detectors(call).await;
        create_custom_detector: POST "/api/v1/custom-detectors", key(&[S::SettingsWrite]).reads(RECORD)
            => settings::create_custom_detector(call, request).await;
        delete_custom_detector: DELETE "/api/v1/custom-detectors/{name}", key(&[S::SettingsWrite])
            => settings::delete_custom_detector(call).await;
        allow_list: GET "/api/v1/allow-list", key(READ_SETTINGS) => settings::rules::<AllowRule, _>(call).await;
        create_allow_rule: POST "/api/v1/allow-list", key(&[S::SettingsAllow]).reads(RECORD)
            => settings::create_rule::<AllowRule, _>(call, request).await;
        delete_allow_rule: DELETE "/api/v1/allow-list/{id}", key(CHANGE_ALLOWED)
            => settings::delete_rule::<AllowRule, _>(call).await;
        deny_list: GET "/api/v1/deny-list", key(READ_SETTINGS) => settings::rules::<DenyRule, _>(call).await;
        create_deny_rule: POST "/api/v1/deny-list", key(&[S::SettingsWrite]).reads(RECORD)
            => settings::create_rule::<DenyRule, _>(call, request).await;
        delete_deny_rule: DELETE "/api/v1/deny-list/{id}", key(&[S::SettingsWrite])
            => settings::delete_rule::<DenyRule, _>(call).await;
        api_keys: GET "/api/v1/api-keys", user(READ_KEYS) => api_keys::list(call).await;
        create_api_key: POST "/api/v1/api-keys", user(&[S::Keys]).reads(RECORD)
            => api_keys::create(call, request).await;
        api_key: GET "/api/v1/api-keys/{id}", user(READ_KEYS) => api_keys::show(call).await;
        revoke_api_key: DELETE "/api/v1/api-keys/{id}", user(&[S::Keys]) => api_keys::revoke(call).await;
        llm_providers: GET "/api/v1/llm-providers", user(READ_PROVIDERS) => llm_providers::list(call).await;
        create_llm_provider: POST "/api/v1/llm-providers", user(&[S::Providers]).reads(RECORD)
            => llm_providers::create(call, request).await;
        llm_provider: GET "/api/v1/llm-providers/{id}", user(READ_PROVIDERS) => llm_providers::show(call).await;
        replace_llm_provider: PUT "/api/v1/llm-providers/{id}", user(&[S::Providers]).reads(RECORD)
            => llm_providers::replace(call, request).await;
        change_llm_provider: PATCH "/api/v1/llm-providers/{id}", user(&[S::Providers]).reads(RECORD)
            => llm_providers::change(call, request).await;
        delete_llm_provider: DELETE "/api/v1/llm-providers/{id}", user(&[S::Providers])
            => llm_providers::delete(call).await;
        presidio_analyze: POST "/analyze", presidio(&[S::Detect]).reads(TEXTS)
            => presidio::analyze(call, request).await;
        presidio_recognizers: GET "/recognizers", presidio(&[]) => presidio::recognizers(call).await;
        presidio_entities: GET "/supportedentities", presidio(&[]) => presidio::supported_entities(call).await;
        presidio_anonymize: POST "/anonymize", presidio(&[S::Protect]).reads(TEXT)
            => presidio::anonymize(call, request);
        presidio_anonymizers: GET "/anonymizers", presidio(&[]) => presidio::anonymizers();
        presidio_deanonymize: POST "/deanonymize", presidio(&[S::Restore]).reads(TEXT)
            => presidio::deanonymize(request);
        presidio_deanonymizers: GET "/deanonymizers", presidio(&[]) => presidio::deanonymizers();
        litellm_guardrail: POST "/beta/litellm_basic_guardrail_api", guardrail()
            => litellm::answer(call, request).await;
        agentgateway_request: POST "/request", guardrail().fails_as(Shape::AgentGateway)
            => agent_gateway::request(call, request).await;
        agentgateway_response: POST "/response", guardrail().fails_as(Shape::AgentGateway)
            => agent_gateway::response(call, request).await;
        portkey_guardrail: POST "/api/v1/guardrails/portkey", guardrail() => portkey::answer(call, request).await;
        langfuse_masking: POST "/api/v1/guardrails/langfuse", guardrail().reads_json(CHAT)
            => telemetry::langfuse(call, request).await;
        metrics: GET "/metrics", scraper() => metrics::show(call.host).await;
        openapi: GET "/api/v1/openapi.json", open() => documentation::document(call.headers);
        docs: GET "/docs/api", open() => documentation::page(call.headers);
        sign_in: GET "/api/v1/sign-in", open() => sign_in::show(call.host).await;
    }

    /// Answers the administration of the gateway, and exporters of telemetry.
    Gateway [pub(crate) async fn gateway<H: Upstream>](call: Call<'_, H>, request: Value) -> RouteResult {
        validate_llm_provider: POST "/api/v1/llm-providers/{id}/validate", user(&[S::Providers])
            => llm_providers::validate(call).await;
        gateway_status: GET "/api/v1/gateway/status", admin(&[]).without_workspace()
            => configuration::status(call).await;
        gateway_config: GET "/api/v1/gateway/config", admin(READ_GATEWAY) => configuration::show(call).await;
        change_gateway_config: PUT "/api/v1/gateway/config", admin(WRITE_GATEWAY).reads(RECORD)
            => configuration::change(call, request).await;
        export_gateway_config: GET "/api/v1/gateway/config/export", admin(READ_GATEWAY)
            => transfer::export(call).await;
        import_gateway_config: POST "/api/v1/gateway/config/import", admin(WRITE_GATEWAY).named_by_query_first().reads(IMPORT)
            => transfer::import(call, request).await;
        gateway_providers: GET "/api/v1/gateway/providers", admin(READ_GATEWAY)
            => configuration::providers(call).await;
        gateway_audit: GET "/api/v1/gateway/audit", admin(&[S::AuditRead]) => audit::list(call).await;
        gateway_audit_head: GET "/api/v1/gateway/audit/head", admin(&[S::AuditRead]) => audit::head(call).await;
        gateway_policies: GET "/api/v1/gateway/policies", admin(READ_GATEWAY) => policies::list(call).await;
        create_gateway_policy: POST "/api/v1/gateway/policies", admin(WRITE_GATEWAY).reads(RECORD)
            => policies::create(call, request).await;
        test_gateway_policies: POST "/api/v1/gateway/policies/test", admin(READ_GATEWAY).reads(TEXTS)
            => policy_test::run(call, request).await;
        gateway_policy: GET "/api/v1/gateway/policies/{id}", admin(READ_GATEWAY) => policies::show(call).await;
        replace_gateway_policy: PUT "/api/v1/gateway/policies/{id}", admin(WRITE_GATEWAY).reads(RECORD)
            => policies::replace(call, request).await;
        change_gateway_policy: PATCH "/api/v1/gateway/policies/{id}", admin(WRITE_GATEWAY).reads(RECORD)
            => policies::change(call, request).await;
        delete_gateway_policy: DELETE "/api/v1/gateway/policies/{id}", admin(WRITE_GATEWAY)
            => policies::delete(call).await;
        export_logs: POST "/api/v1/otlp/v1/logs", telemetry()
            => telemetry::export(call, Telemetry::Logs, request).await;
        export_traces: POST "/api/v1/otlp/v1/traces", telemetry()
            => telemetry::export(call, Telemetry::Traces, request).await;
    }

    /// Returns the endpoint of a language model's interface, which the gateway answers in parts.
    Chat [pub(crate) fn model]() -> Chat {
        chat_completions: POST "/v1/chat/completions", chat(Shape::OpenAi).reads(CHAT)
            => Chat::Completions;
        embeddings: POST "/v1/embeddings", chat(Shape::OpenAi).reads(CHAT)
            => Chat::Embeddings;
        models: GET "/v1/models", chat(Shape::OpenAi) => Chat::Models;
        messages: POST "/v1/messages", chat(Shape::Anthropic).reads(CHAT)
            => Chat::Messages;
        count_tokens: POST "/v1/messages/count_tokens", chat(Shape::Anthropic).reads(CHAT)
            => Chat::CountTokens;
        responses: POST "/v1/responses", chat(Shape::OpenAi).reads(CHAT)
            => Chat::Responses;
        response: GET "/v1/responses/{id}", chat(Shape::OpenAi)
            => Chat::Stored(StoredResponse::Show);
        delete_response: DELETE "/v1/responses/{id}", chat(Shape::OpenAi)
            => Chat::Stored(StoredResponse::Delete);
        cancel_response: POST "/v1/responses/{id}/cancel", chat(Shape::OpenAi)
            => Chat::Stored(StoredResponse::Cancel);
        response_input_items: GET "/v1/responses/{id}/input_items", chat(Shape::OpenAi)
            => Chat::Stored(StoredResponse::Input);
    }
}

/// The routes of one path.
struct Methods {
    /// The pattern.
    path: &'static str,
    routes: Vec<&'static Route>,
}

static PATHS: LazyLock<matchit::Router<Methods>> = LazyLock::new(|| {
    let mut paths = matchit::Router::new();
    for path in ROUTES.iter().map(|route| route.path).collect::<BTreeSet<_>>() {
        let routes = ROUTES.iter().filter(|route| route.path == path).collect();
        // the tests call every path, so they would find two that conflict
        let _ = paths.insert(path, Methods { path, routes });
    }
    paths
});

/// Returns the routes of a path, for all methods.
pub(crate) fn at(path: &str) -> Option<Found> {
    let found = PATHS.at(path).ok()?;
    let parameter = found.params.iter().next().map(|(_, value)| value.to_owned()).unwrap_or_default();
    Some(Found { path: found.value.path, parameter, methods: &found.value.routes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{auth::CredentialKind, route::WorkspaceRule};

    #[test]
    fn every_route_is_reached() {
        for route in ROUTES {
            let path = route.path.replace("{id}", "x").replace("{name}", "x");
            let found = at(&path).unwrap();
            let reached = found.route(&route.method).unwrap();
            assert_eq!((found.path, reached.id), (route.path, route.id), "{}", route.method);
        }
    }

    #[test]
    fn a_name_is_that_of_one_route() {
        let names: BTreeSet<_> = ROUTES.iter().map(|route| route.id).collect();
        assert_eq!(names.len(), ROUTES.len());
    }

    #[test]
    fn every_change_asks_for_a_credential_and_a_scope() {
        for route in ROUTES {
            let what = format!("{} {}", route.method, route.path);
            let access = &route.access;
            if route.method != Method::GET {
                assert!(!access.any_of.is_empty(), "{what} asks for no scope");
            }
            let is_open = access.credential == CredentialKind::None;
            assert!(!is_open || access.any_of.is_empty(), "{what} asks for a scope and for no credential");
            // by design: liveness, readiness, the documentation and the ways to sign in
            assert_eq!(
                is_open,
                ["alive", "ready", "openapi", "docs", "sign_in"].contains(&route.id),
                "{what}"
            );
            let has_workspace = access.workspace != WorkspaceRule::None;
            let may_lack_one = is_open || ["metrics", "gateway_status"].contains(&route.id);
            assert!(has_workspace || may_lack_one, "{what} is about no workspace");
        }
    }
}
