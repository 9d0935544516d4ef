//! The OpenAPI document and its page: generated from the types, true of what the service answers.
//!
//! `BLESS=1 cargo test -p textveil-service openapi` writes `openapi.json` and `docs.html` anew.

use std::{cell::RefCell, collections::BTreeMap, fs, path::Path, sync::LazyLock};

use base64ct::{Base64, Encoding as _};
use bytes::Bytes;
use http::{Method, Request, Response};
use http_body_util::Full;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use textveil_service::{
    openapi,
    route::{Group, Route},
    router::ROUTES,
    upstream::Failure,
};

use crate::{
    gateway::{answer_with, whole},
    host::{Answer, Memory, Reply, SERVICE_TOKEN, key, user_token},
    schema,
};

/// The document as it is served.
pub const TEXT: &str = include_str!("../../openapi.json");

/// The document as it is served, parsed.
pub static DOCUMENT: LazyLock<Value> = LazyLock::new(|| serde_json::from_str(TEXT).unwrap());

/// Returns the path template of the document that matches `path`.
pub fn template(path: &str) -> Option<&'static str> {
    let fits =
        |template: &str| {
            let (wanted, sent) = (template.split('/'), path.split('/'));
            template.split('/').count() == path.split('/').count()
                && wanted.zip(sent).all(|(wanted, sent)| {
                    if wanted.starts_with('{') { !sent.is_empty() } else { wanted == sent }
                })
        };
    ROUTES.iter().map(|route| route.path).find(|path| fits(path))
}

/// Returns the differences between an answer and the document.
pub fn faults(method: &str, path: &str, status: u16, content_type: &str, body: &Value) -> Vec<String> {
    let get = if method == "HEAD" { "GET" } else { method };
    let operation =
        template(path).and_then(|path| DOCUMENT["paths"][path].as_object()?.get(&get.to_ascii_lowercase()));
    let Some(operation) = operation else {
        let wanted = match template(path) {
            Some(_) => 405,
            None if status == 501 => 501,
            None => 404,
        };
        // in the shape of what the path has for other methods
        let described = template(path).map(|path| DOCUMENT["paths"][path].to_string()).unwrap_or_default();
        let of_a_model = path.starts_with("/v1/") || (status == 501 && template(path).is_none());
        let error = match () {
            () if described.contains("Presidio's protocol") => "PresidioError",
            () if described.contains("responses/Anthropic") => "AnthropicError",
            () if described.contains("responses/AgentGateway") => "AgentGatewayError",
            () if described.contains("responses/JsonRpc") => "JsonRpcError",
            () if described.contains("responses/Otlp") => "OtlpError",
            () if described.contains("responses/OpenAi") || of_a_model => "OpenAiError",
            () => "Error",
        };
        let mut faults = schema::faults(&DOCUMENT, &DOCUMENT["components"]["schemas"][error], body);
        if method == "HEAD" {
            faults.clear();
        }
        if status != wanted {
            faults.push(format!("{status} instead of {wanted}"));
        }
        return faults;
    };
    let Some(response) = operation["responses"].get(status.to_string()) else {
        return vec![format!("{status} is not documented")];
    };
    let reference = response.get("$ref").and_then(Value::as_str);
    let response = reference.map_or(response, |to| DOCUMENT.pointer(to.trim_start_matches('#')).unwrap());
    let Some((media_type, content)) =
        response["content"].as_object().and_then(|content| content.iter().next())
    else {
        return Vec::new();
    };
    if media_type != content_type {
        return vec![format!("{content_type} instead of {media_type}")];
    }
    if method == "HEAD" || media_type != "application/json" {
        return Vec::new();
    }
    schema::faults(&DOCUMENT, &content["schema"], body)
}

/// Sends the example of every operation to one host, what makes things before what lists and removes
/// them; gives the answers by operation.
async fn answers(document: &Value) -> BTreeMap<String, Value> {
    let host = Memory::default();
    host.variables.borrow_mut().insert("otlp_collector", "http://127.0.0.1:4318".to_owned());
    answer_with(&host, |request| match request.uri().port_u16() {
        Some(4318) => whole(200, &json!({ "partialSuccess": {} })),
        _ => Reply { failure: Some(Failure::HostForbidden), ..Reply::default() },
    });
    let mut operations = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let turn = ["post", "put", "patch", "get", "delete"].iter().position(|one| one == method);
            operations.push((turn.expect("a method with a turn"), path, method, operation));
        }
    }
    operations.sort_by_key(|(turn, ..)| *turn);
    let mut answers = BTreeMap::new();
    let mut made: BTreeMap<&str, Value> = BTreeMap::new();
    for (turn, path, method, operation) in operations {
        // the answers of a language model are not examples of this API
        if is_a_models(path) {
            continue;
        }
        if turn == 4 {
            // or its provider could not be deleted
            host.put_config("gateway-config:initech", &Value::Object(Map::new()));
        }
        let sent = filled(path, operation, &made);
        let mut request = Request::builder().method(method.to_uppercase().as_str()).uri(&sent);
        if operation["security"][0].get("ServiceToken").is_some() {
            request = request.header("x-service-token", SERVICE_TOKEN);
        } else if let Some(scheme) = operation["security"].get(0) {
            let credential = if scheme.get("UserToken").is_some() { user_token() } else { key("enterprise") };
            request = request.header("authorization", format!("Bearer {credential}"));
        }
        let body = operation.pointer("/requestBody/content/application~1json/example");
        if body.is_some() {
            request = request.header("content-type", "application/json");
        }
        let body = Bytes::from(body.map(Value::to_string).unwrap_or_default());
        let request = request.body(Full::new(body)).unwrap();
        let response = if is_gateways(path) {
            host.answer_of_gateway(request).await
        } else {
            host.answer(request).await
        };
        let status = response.status();
        assert!(status.is_success(), "the example of {method} {path} is refused with {status}");
        let content_type = content_type(&response);
        if content_type == "application/json" && path != "/api/v1/openapi.json" {
            let answer: Value = serde_json::from_slice(response.body()).unwrap();
            if method == "post" {
                made.insert(path, answer.clone());
            }
            answers.insert(operation["operationId"].as_str().unwrap().to_owned(), answer);
        }
    }
    answers
}

/// Whether the endpoint is that of a language model's API.
pub fn is_a_models(path: &str) -> bool {
    groups(path).any(|group| group == Group::Chat)
}

/// Whether the gateway component answers there.
pub fn is_gateways(path: &str) -> bool {
    groups(path).any(|group| matches!(group, Group::Chat | Group::Gateway))
}

/// Returns the groups of the routes of a path.
fn groups(path: &str) -> impl Iterator<Item = Group> {
    let here = move |route: &&Route| route.path == path;
    ROUTES.iter().filter(here).map(|route| route.group)
}

/// Returns the path with its parameter replaced by a created id, and the query.
fn filled(path: &str, operation: &Value, made: &BTreeMap<&str, Value>) -> String {
    let mut filled = path.to_owned();
    for parameter in operation["parameters"].as_array().into_iter().flatten() {
        let name = parameter["name"].as_str().unwrap();
        if parameter["in"] == "query" {
            let Some(example) = parameter["example"].as_str() else { continue };
            let joint = if filled.contains('?') { '&' } else { '?' };
            filled += &format!("{joint}{name}={example}");
        } else {
            let collection = path.split("/{").next().unwrap();
            let value = made[collection][name].as_str().unwrap();
            filled = filled.replace(&format!("{{{name}}}"), value);
        }
    }
    filled
}

fn content_type(response: &Response<Bytes>) -> String {
    response.headers().get("content-type").map(|it| it.to_str().unwrap().to_owned()).unwrap_or_default()
}

/// A line of `json` for each of its entries: so that changes of the generated file can be read.
fn pretty(json: &Value) -> String {
    let mut out = Vec::new();
    let format = serde_json::ser::PrettyFormatter::with_indent(b" ");
    let mut to = serde_json::Serializer::with_formatter(&mut out, format);
    serde::Serialize::serialize(json, &mut to).unwrap();
    String::from_utf8(out).unwrap() + "\n"
}

#[tokio::test]
async fn the_document_and_the_page_are_those_of_the_code() {
    let answers = answers(&openapi::document(ROUTES, |_| None)).await;
    let unused = RefCell::new(answers.clone());
    let document = openapi::document(ROUTES, |operation| {
        unused.borrow_mut().remove(operation);
        answers.get(operation).cloned()
    });
    assert!(unused.borrow().is_empty(), "answers of no operation");
    for (file, wanted) in [("openapi.json", pretty(&document)), ("docs.html", openapi::page(&document))] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        if std::env::var_os("BLESS").is_some() {
            fs::write(&path, &wanted).unwrap();
        }
        let found = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            found == wanted,
            "{file} is not what the code has; run BLESS=1 cargo test -p textveil-service openapi"
        );
    }
}

#[test]
fn every_route_is_documented_and_nothing_else() {
    let documented = |path: &str| DOCUMENT["paths"][path].as_object().map_or(0, Map::len);
    let total: usize = DOCUMENT["paths"].as_object().unwrap().keys().map(|path| documented(path)).sum();
    assert_eq!(total, ROUTES.len());
    for route in ROUTES {
        let method = route.method.as_str().to_ascii_lowercase();
        assert!(DOCUMENT["paths"][route.path].get(&method).is_some(), "{} {}", route.method, route.path);
    }
}

/// Everything that is said of `json`, with its place.
fn descriptions(json: &Value, at: &str, found: &mut Vec<(String, String)>) {
    match json {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(text) if ["description", "summary"].contains(&name.as_str()) => {
                        found.push((at.to_owned(), text.clone()));
                    }
                    value => descriptions(value, &format!("{at}/{name}"), found),
                }
            }
        }
        Value::Array(values) => {
            values
                .iter()
                .enumerate()
                .for_each(|(index, value)| descriptions(value, &format!("{at}/{index}"), found));
        }
        _ => {}
    }
}

#[test]
fn descriptions_are_for_users_of_the_api() {
    let mut found = Vec::new();
    descriptions(&DOCUMENT, "", &mut found);
    assert!(found.len() > 200, "descriptions were found");
    for (at, text) in found {
        let of_the_code = ["[`", "`]", "§", "::", "crate", ".md", "Some(", "\n "];
        assert!(!of_the_code.iter().any(|sign| text.contains(sign)), "{at}: {text}");
        assert!(!text.is_empty(), "{at} has an empty description");
    }
}

#[test]
fn every_field_is_described() {
    let schemas = DOCUMENT["components"]["schemas"].as_object().unwrap();
    for (name, schema) in schemas {
        let variants = schema["oneOf"].as_array().into_iter().flatten();
        for object in std::iter::once(schema).chain(variants) {
            for (field, schema) in object["properties"].as_object().into_iter().flatten() {
                // an object with one field is described as a whole
                let alone = object["properties"].as_object().map(Map::len) == Some(1);
                let told = alone && object.get("description").is_some()
                    || ["description", "const", "$ref"].iter().any(|keyword| schema.get(keyword).is_some());
                assert!(told, "{name}.{field} has no description");
            }
        }
    }
}

async fn get(method: Method, path: &str, header: Option<(&str, &str)>) -> Response<Bytes> {
    let mut request = Request::builder().method(method).uri(path);
    if let Some((name, value)) = header {
        request = request.header(name, value);
    }
    Memory::default().answer(request.body(Full::new(Bytes::new())).unwrap()).await
}

#[tokio::test]
async fn both_are_served_to_everybody() {
    let served = [
        ("/api/v1/openapi.json", "application/json", TEXT),
        ("/docs/api", "text/html; charset=utf-8", include_str!("../../docs.html")),
    ];
    for (path, kind, content) in served {
        let whole = get(Method::GET, path, None).await;
        assert_eq!((whole.status().as_u16(), content_type(&whole).as_str()), (200, kind), "{path}");
        assert_eq!(whole.body(), content, "{path}");
        assert_eq!(whole.headers()["cache-control"], "no-cache", "{path}");

        let head = get(Method::HEAD, path, None).await;
        assert_eq!((head.status().as_u16(), head.body().len()), (200, 0), "{path}");

        let tag = whole.headers()["etag"].to_str().unwrap();
        for (sent, want) in [
            (tag.to_owned(), 304),
            (format!("W/{tag}"), 304),
            (format!("\"other\", {tag}"), 304),
            ("*".to_owned(), 304),
            ("\"other\"".to_owned(), 200),
            (tag.trim_matches('"').to_owned(), 200),
        ] {
            let answer = get(Method::GET, path, Some(("if-none-match", &sent))).await;
            assert_eq!(answer.status(), want, "{path} {sent}");
            if want == 304 {
                assert!(answer.body().is_empty() && !answer.headers().contains_key("content-length"));
                assert_eq!(answer.headers()["etag"], tag);
            }
        }
    }
}

#[tokio::test]
async fn the_page_needs_nothing_but_itself() {
    let page = get(Method::GET, "/docs/api", None).await;
    let html = std::str::from_utf8(page.body()).unwrap();
    for sign in ["<script", "<link", "<img", "<iframe", " src=", " style=", "url(", "@import", "javascript:"]
    {
        assert!(!html.contains(sign), "the page has {sign}");
    }
    for target in html.split(" href=\"").skip(1) {
        let target = target.split('"').next().unwrap();
        let id = format!(" id=\"{}\"", target.trim_start_matches('#'));
        assert!(target.starts_with('/') || html.contains(&id), "{target} leads nowhere");
    }
    assert!(html.contains(" href=\"/docs/\""), "the page leads to the documentation");
    // the browser holds it to that, and the policy lets its own style in
    let policy = page.headers()["content-security-policy"].to_str().unwrap();
    let style = html.split("<style>").nth(1).unwrap().split("</style>").next().unwrap();
    let hash = Base64::encode_string(&Sha256::digest(style));
    assert!(policy.starts_with("default-src 'none'; "), "{policy}");
    assert!(policy.contains(&format!("style-src 'sha256-{hash}'")), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
}

#[tokio::test]
async fn the_page_shows_every_operation() {
    let html = include_str!("../../docs.html");
    for (path, methods) in DOCUMENT["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let section = format!("<section id=\"{}\">", operation["operationId"].as_str().unwrap());
            let section = html.split(&section).nth(1).unwrap_or_else(|| panic!("no {method} {path}"));
            let section = section.split("</section>").next().unwrap();
            assert!(section.contains(&format!("<code>{path}</code>")), "{path}");
            assert!(section.contains(&method.to_uppercase()), "{path}");
            for status in operation["responses"].as_object().unwrap().keys() {
                assert!(section.contains(&format!("<code>{status}</code>")), "{method} {path} {status}");
            }
        }
    }
}

/// The check of answers is one that fails.
#[test]
fn an_answer_that_is_not_documented_is_seen() {
    let json = "application/json";
    let health = serde_json::json!({ "status": "healthy", "version": "1", "environment": null });
    for (method, path, status, kind, body, right) in [
        ("GET", "/api/v1/health", 200, json, health.clone(), true),
        ("GET", "/api/v1/health", 200, "text/plain", health.clone(), false),
        ("GET", "/api/v1/health", 201, json, health.clone(), false),
        ("GET", "/api/v1/health", 200, json, Value::Null, false),
        ("GET", "/api/v1/nowhere", 200, json, health, false),
    ] {
        let faults = faults(method, path, status, kind, &body);
        assert_eq!(faults.is_empty(), right, "{method} {path} {status}: {faults:?}");
    }
}

/// Returns the differences between the answer to an exchange and the document.
pub fn answer_faults(method: &str, uri: &str, answer: &Answer) -> Vec<String> {
    let path = uri.split('?').next().unwrap_or_default();
    faults(method, path, answer.status.as_u16(), answer.header("content-type"), &answer.json)
}

/// An application without pages has the description only.
#[tokio::test]
async fn other_addresses_of_the_page_lead_to_it() {
    for path in ["/docs", "/docs/", "/docs/api/"] {
        let answer = get(Method::GET, path, None).await;
        let location = answer.headers().get("location").map(|address| address.to_str().unwrap());
        assert_eq!((answer.status().as_u16(), location), (308, Some("/docs/api")), "{path}");
    }
    assert_eq!(get(Method::GET, "/docs/index.html", None).await.status(), 404);
}
