//! Assembling the document.

use std::collections::{BTreeMap, BTreeSet};

use http::StatusCode;
use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};

use super::schemas::{Schemas, rename};
use crate::{
    auth::{CredentialKind, service_token},
    error::{
        AgentGatewayError, AnthropicError, ApiError, Code, ErrorBody, JsonRpcError, OpenAiError, OtlpError,
        PlanRequired, PresidioError, Shape,
    },
    limits::{BODY_SECONDS, MAX_BODY_BYTES, REQUESTS_PER_MINUTE},
    operation::{Operation, Parameter, Tag},
    route::{Limit, Route, WorkspaceRule},
};

const DESCRIPTION: &str = "\
Finds personal data in text, checks it and replaces it.

Requests and answers are JSON in UTF-8. Send a request with `Content-Type: application/json`; an unknown \
field is ignored, a name that occurs twice in an object is rejected. Every path that \
answers GET answers HEAD, too.

Offsets count Unicode code points, unless `offset_unit` says otherwise: `end` minus `start` is the length \
of `original`.

Texts are neither stored nor logged. An error says what is wrong and what to do, and names the field in \
`error.details.field`; it never repeats what was sent. `X-Request-Id` is in each answer; send your own to \
find a request again.

Paths that do not exist answer 404 with the code `not_found`, methods that a path does not have answer 405 \
with the code `method_not_allowed` and the header `Allow`.";

/// The OpenAPI 3.1 document of a table of routes. `answer_of` gives an example of the answer of an operation, by its id.
pub fn document(routes: &'static [Route], answer_of: impl Fn(&str) -> Option<Value>) -> Value {
    let mut schemas = Schemas::new();
    let described: Vec<Described> = routes.iter().map(|route| Described::new(route, &mut schemas)).collect();
    let code = schemas.answer(SchemaGenerator::subschema_for::<Code>);
    let (definitions, renamed) = schemas.finish();
    let meanings = Meanings::new(&definitions, &code);

    let mut responses = BTreeMap::new();
    let mut paths: BTreeMap<&str, Map<String, Value>> = BTreeMap::new();
    for described in &described {
        let operation = described.object(&renamed, &meanings, &mut responses, &answer_of);
        let method = described.route.method.as_str().to_ascii_lowercase();
        paths.entry(described.route.path).or_default().insert(method, operation);
    }
    let tags = Tag::ALL.map(|tag| json!({ "name": tag.name(), "description": tag.description() }));
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Textveil",
            "version": env!("CARGO_PKG_VERSION"),
            "description": DESCRIPTION,
            "license": { "name": "Apache License 2.0", "identifier": "Apache-2.0" },
        },
        "servers": [{ "url": "/", "description": "The host that serves this document." }],
        "tags": tags,
        "paths": paths,
        "components": {
            "schemas": definitions,
            "responses": responses,
            "headers": headers(),
            "securitySchemes": security_schemes(),
        },
    })
}

/// A route and its description, with its schemas made.
struct Described {
    route: &'static Route,
    operation: Operation,
    request: Option<Value>,
    answer: Value,
    /// The format of its errors, with the schema.
    shape: Shape,
    error: Value,
    plan_required: Value,
}

impl Described {
    fn new(route: &'static Route, schemas: &mut Schemas) -> Self {
        let operation = (route.operation)();
        let shape = route.access.shape;
        Self {
            request: operation.body.as_ref().map(|body| schemas.request(body.schema)),
            answer: schemas.answer(operation.content.schema),
            error: schemas.answer(match shape {
                Shape::Own => SchemaGenerator::subschema_for::<ErrorBody<'static>>,
                Shape::Presidio => SchemaGenerator::subschema_for::<PresidioError<'static>>,
                Shape::OpenAi => SchemaGenerator::subschema_for::<OpenAiError<'static>>,
                Shape::Anthropic => SchemaGenerator::subschema_for::<AnthropicError<'static>>,
                Shape::AgentGateway => SchemaGenerator::subschema_for::<AgentGatewayError<'static>>,
                Shape::JsonRpc => SchemaGenerator::subschema_for::<JsonRpcError<'static>>,
                Shape::Otlp => SchemaGenerator::subschema_for::<OtlpError<'static>>,
            }),
            shape,
            plan_required: schemas.answer(SchemaGenerator::subschema_for::<PlanRequired<'static>>),
            route,
            operation,
        }
    }

    fn object(
        &self,
        renamed: &BTreeSet<String>,
        meanings: &Meanings,
        shared: &mut BTreeMap<String, Value>,
        answer_of: impl Fn(&str) -> Option<Value>,
    ) -> Value {
        let Operation { tag, summary, description, path, query, body, .. } = &self.operation;
        let mut object = json!({
            "operationId": self.route.id,
            "tags": [tag.name()],
            "summary": summary,
            "security": security(self.route.access.credential),
            "responses": self.responses(meanings, shared, answer_of(self.route.id)),
        });
        let parameters = path.iter().map(|one| parameter("path", one));
        let parameters: Vec<_> = parameters.chain(query.iter().map(|one| parameter("query", one))).collect();
        if let Value::Object(object) = &mut object {
            let description = [(*description).to_owned(), self.scopes()];
            let description: Vec<_> = description.into_iter().filter(|part| !part.is_empty()).collect();
            if !description.is_empty() {
                object.insert("description".to_owned(), json!(description.join("\n\n")));
            }
            if !parameters.is_empty() {
                object.insert("parameters".to_owned(), json!(parameters));
            }
            if let (Some(body), Some(schema)) = (body, &self.request) {
                let mut schema = schema.clone();
                rename(&mut schema, renamed);
                let content = json!({ "application/json": { "schema": schema, "example": body.example } });
                object.insert("requestBody".to_owned(), json!({ "required": true, "content": content }));
            }
        }
        object
    }

    /// The scopes of which the credential needs one, in a sentence.
    fn scopes(&self) -> String {
        let names: Vec<_> = self.route.access.any_of.iter().map(|scope| format!("`{scope}`")).collect();
        match names.as_slice() {
            [] => String::new(),
            names => format!("Needs the scope {}.", names.join(" or ")),
        }
    }

    fn responses(
        &self,
        meanings: &Meanings,
        shared: &mut BTreeMap<String, Value>,
        example: Option<Value>,
    ) -> Value {
        let Operation { status, content, cached, takes_notifications, .. } = &self.operation;
        let mut media = json!({ "schema": self.answer });
        if let (Value::Object(media), Some(example)) = (&mut media, example) {
            media.insert("example".to_owned(), example);
        }
        let mut responses = BTreeMap::from([(
            status.as_u16(),
            json!({
                "description": if *status == StatusCode::CREATED { "Made." } else { "The answer." },
                "headers": self.headers(*status),
                "content": { content.media_type: media },
            }),
        )]);
        if *cached {
            let unchanged = StatusCode::NOT_MODIFIED;
            let response = json!({
                "description": "Nothing has changed since the answer that `If-None-Match` names.",
                "headers": self.headers(unchanged),
            });
            responses.insert(unchanged.as_u16(), response);
        }
        if *takes_notifications {
            let accepted = StatusCode::ACCEPTED;
            let response =
                json!({ "description": "A notification was taken.", "headers": self.headers(accepted) });
            responses.insert(accepted.as_u16(), response);
        }
        for (status, codes) in self.refusals() {
            let names: Vec<_> = codes.iter().map(|code| format!("{code:?}")).collect();
            let limited = if self.has_rate_headers(status) { "Limited" } else { "" };
            let shape = match self.shape {
                Shape::Own => "",
                Shape::Presidio => "Presidio",
                Shape::OpenAi => "OpenAi",
                Shape::Anthropic => "Anthropic",
                Shape::AgentGateway => "AgentGateway",
                Shape::JsonRpc => "JsonRpc",
                Shape::Otlp => "Otlp",
            };
            let name = format!("{shape}{limited}{}", names.join("Or"));
            responses.insert(status.as_u16(), json!({ "$ref": format!("#/components/responses/{name}") }));
            shared.entry(name).or_insert_with(|| self.refusal(status, &codes, meanings));
        }
        responses.into_iter().map(|(status, response)| (status.to_string(), response)).collect()
    }

    /// The error codes of the operation, by status.
    fn refusals(&self) -> BTreeMap<StatusCode, BTreeSet<Code>> {
        let access = &self.route.access;
        let mut codes: Vec<Code> = Vec::new();
        if access.credential != CredentialKind::None {
            codes.extend([
                Code::Unauthorized,
                Code::RateLimitExceeded,
                Code::InternalError,
                Code::ServiceUnavailable,
            ]);
        }
        let names_workspace = !matches!(access.workspace, WorkspaceRule::None | WorkspaceRule::OfCredential);
        if !access.any_of.is_empty() || names_workspace {
            codes.push(Code::PermissionDenied);
        }
        if access.is_of_key() {
            codes.push(Code::QuotaExceeded);
        }
        let mut by_status: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        for code in codes.iter().chain(&self.operation.refuses) {
            by_status.entry(code.status()).or_default().insert(*code);
        }
        by_status
    }

    fn refusal(&self, status: StatusCode, codes: &BTreeSet<Code>, meanings: &Meanings) -> Value {
        let only_detail = codes.contains(&Code::PlanRequired);
        let schema = match (only_detail, codes.len()) {
            (false, _) => self.error.clone(),
            (true, 1) => self.plan_required.clone(),
            (true, _) => json!({ "oneOf": [self.error, self.plan_required] }),
        };
        let said = codes.iter().map(|code| format!("`{}`: {}", code.as_str(), meanings.of(*code)));
        let examples: Map<String, Value> = codes
            .iter()
            .map(|code| {
                let body: Value = serde_json::from_str(&sample(*code).body(self.shape)).unwrap_or_default();
                (code.as_str().to_owned(), json!({ "value": body }))
            })
            .collect();
        json!({
            "description": said.collect::<Vec<_>>().join("\n\n"),
            "headers": self.headers(status),
            "content": { "application/json": { "schema": schema, "examples": examples } },
        })
    }

    fn headers(&self, status: StatusCode) -> Value {
        let mut names = vec!["X-Request-Id"];
        if self.has_rate_headers(status) {
            names.extend(["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"]);
        }
        match status {
            StatusCode::UNAUTHORIZED => names.push("WWW-Authenticate"),
            StatusCode::TOO_MANY_REQUESTS => names.push("Retry-After"),
            StatusCode::OK | StatusCode::NOT_MODIFIED if self.operation.cached => names.push("ETag"),
            _ => {}
        }
        let header =
            |name: &str| (name.to_owned(), json!({ "$ref": format!("#/components/headers/{name}") }));
        names.into_iter().map(header).collect()
    }

    /// Every answer to a key has them; not if it was rejected, or if the store of the counters
    /// may be unavailable.
    fn has_rate_headers(&self, status: StatusCode) -> bool {
        (self.route.access.is_of_key() || self.route.access.limit == Limit::OfWorkspace)
            && status != StatusCode::UNAUTHORIZED
            && !status.is_server_error()
    }
}

fn parameter(place: &str, parameter: &Parameter) -> Value {
    let mut object = json!({
        "name": parameter.name,
        "in": place,
        "required": parameter.required,
        "description": parameter.description,
        "schema": { "type": "string" },
    });
    if let (Value::Object(object), Some(example)) = (&mut object, parameter.example) {
        object.insert("example".to_owned(), json!(example));
    }
    object
}

fn security(kind: CredentialKind) -> Value {
    match kind {
        CredentialKind::None => json!([]),
        CredentialKind::PresidioKey => {
            json!([{ "ApiKey": [] }, { "ApiKeyHeader": [] }, { "ApiKeyPassword": [] }])
        }
        CredentialKind::ApiKey => json!([{ "ApiKey": [] }, { "ApiKeyHeader": [] }]),
        CredentialKind::User => json!([{ "UserToken": [] }]),
        CredentialKind::Service => json!([{ "ServiceToken": [] }]),
        CredentialKind::ServiceAsKey | CredentialKind::Client => {
            json!([{ "ServiceToken": [] }, { "ServiceTokenBearer": [] }, { "ServiceTokenKey": [] }])
        }
    }
}

fn security_schemes() -> Value {
    json!({
        "ApiKey": {
            "type": "http",
            "scheme": "bearer",
            "description": "An API key, as `Authorization: Bearer fpk_…`.",
        },
        "ApiKeyHeader": {
            "type": "apiKey",
            "in": "header",
            "name": "X-API-Key",
            "description": "The same API key, as `X-API-Key: fpk_…`, where `Authorization` belongs to a proxy.",
        },
        "ApiKeyPassword": {
            "type": "http",
            "scheme": "basic",
            "description": "The same API key as the password of any user, for clients that take a URL and no more.",
        },
        "UserToken": {
            "type": "http",
            "scheme": "bearer",
            "bearerFormat": "JWT",
            "description": "The access token of a signed-in user, as `Authorization: Bearer …`: a JWT with `exp`, `iss`, \
                `aud` and `workspace_id`. `role` is `admin` or `member`; a token without a role is a member's.",
        },
        "ServiceToken": {
            "type": "apiKey",
            "in": "header",
            "name": service_token::HEADER,
            "description": "A service token, as `X-Service-Token: …`, with its scopes and workspaces.",
        },
        "ServiceTokenBearer": {
            "type": "http",
            "scheme": "bearer",
            "description": "The same service token, where clients of OpenAI put their key.",
        },
        "ServiceTokenKey": {
            "type": "apiKey",
            "in": "header",
            "name": "X-API-Key",
            "description": "The same service token, where clients of Anthropic put their key.",
        },
    })
}

fn headers() -> Value {
    let header = |description: &str, schema: Value, example: Value| json!({ "description": description, "required": true, "schema": schema, "example": example });
    let count = json!({ "type": "integer", "minimum": 0 });
    let text = json!({ "type": "string" });
    json!({
        "X-Request-Id": header(
            "The caller's id, where it sent one of at most 128 letters, digits and `-_.:/+=` that cannot be a person's number; else a new one. It needs a letter, and has seven digits in a row only in a UUID, a ULID or 16 or 32 hex digits.",
            json!({ "type": "string", "pattern": "^[A-Za-z0-9_.:/+=-]{1,128}$" }),
            json!("0123456789abcdef0123456789abcdef"),
        ),
        "X-RateLimit-Limit":
            header("Requests of the key in a minute.", count.clone(), json!(REQUESTS_PER_MINUTE)),
        "X-RateLimit-Remaining": header("Requests left in this minute.", count.clone(), json!(41)),
        "X-RateLimit-Reset":
            header("Unix time in seconds at which the next minute begins.", count.clone(), json!(1_795_428_060)),
        "Retry-After": header("Seconds to wait.", count, json!(39)),
        "WWW-Authenticate": header("`Bearer`.", text.clone(), json!("Bearer")),
        "ETag": header("Send it as `If-None-Match`.", text, json!("\"0123456789abcdef\"")),
    })
}

/// A refusal of each code, as it may be answered.
fn sample(code: Code) -> ApiError {
    match code {
        Code::InvalidRequest => ApiError::invalid("text", "text is empty; send 1 to 50000 characters"),
        Code::Unprocessable => {
            ApiError::invalid("analyzer_results", "analyzer_results is missing").unprocessable()
        }
        Code::PlanRequired => ApiError::policy_mode_needs_enterprise(),
        Code::Unauthorized => ApiError::key_invalid(),
        Code::PolicyViolation => {
            let counts = textveil_engine::TypeCounts::from([("credit_card".into(), 1)]);
            textveil_engine::Error::policy_violation(counts).into()
        }
        Code::BudgetExceeded => textveil_engine::Error::budget_exceeded().into(),
        Code::QuotaExceeded => ApiError::quota_exceeded(10_000),
        Code::PermissionDenied => ApiError::permission_denied(
            "the workspace's plan does not include the plan asked for; leave plan out for the workspace's own",
        ),
        Code::NotFound => ApiError::no_such("entry"),
        Code::MethodNotAllowed => ApiError::method_not_allowed("POST"),
        Code::RequestTimeout => ApiError::request_timeout(BODY_SECONDS),
        Code::Conflict => ApiError::conflict(
            "the workspace has a detector of this name; delete it first, or choose another name",
        ),
        Code::PayloadTooLarge => ApiError::payload_too_large(MAX_BODY_BYTES),
        Code::UnsupportedMediaType => ApiError::unsupported_media_type(),
        Code::RateLimitExceeded => ApiError::rate_limit_exceeded(REQUESTS_PER_MINUTE, 39),
        Code::InternalError => ApiError::internal(""),
        Code::ServiceUnavailable => ApiError::unavailable(""),
        Code::NotSupported => {
            ApiError::not_supported("the provider has no embeddings; use a route to one that has")
        }
        Code::UpstreamError => ApiError::upstream("the provider answered with status 500; retry later"),
        Code::UpstreamRefused => {
            ApiError::upstream_refused(StatusCode::BAD_REQUEST, "max_tokens is too large".to_owned(), None)
        }
        Code::UpstreamTimeout => ApiError::upstream_timeout(),
        Code::PrivacyCheckFailed => ApiError::privacy_check_failed(
            "the request holds images, which cannot be inspected: leave that out, or have streaming.fail_closed of \
             the workspace set to false",
        ),
        Code::NoProvider => ApiError::no_provider(
            "the workspace has no active LLM provider that this request could go to; add one, and routes to it",
        ),
    }
}

/// The meanings of the error codes: the doc comments of their definitions.
struct Meanings(Map<String, Value>);

impl Meanings {
    fn new(definitions: &BTreeMap<String, Value>, code: &Value) -> Self {
        let name = code.pointer("/$ref").and_then(Value::as_str).unwrap_or_default();
        let schema = definitions.get(name.rsplit('/').next().unwrap_or_default());
        let variants = schema.and_then(|schema| schema.pointer("/oneOf")).and_then(Value::as_array);
        let meaning = |variant: &Value| {
            Some((variant.get("const")?.as_str()?.to_owned(), variant.get("description")?.clone()))
        };
        Self(variants.into_iter().flatten().filter_map(meaning).collect())
    }

    fn of(&self, code: Code) -> &str {
        self.0.get(code.as_str()).and_then(Value::as_str).unwrap_or_default()
    }
}
