//! For arbitrary bytes, the answer is as documented and repeats none of them.

use std::fmt;

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Request};
use http_body_util::Full;
use proptest::{collection::vec, option, prelude::*, sample::select};
use serde_json::{Map, Value, json};
use textveil_service::router::ROUTES;

use crate::{
    host::{Memory, SERVICE_TOKEN, key, user_token},
    openapi::{self, DOCUMENT, TEXT, is_gateways, template},
};

/// `{"text":"PESEL 44051401359"}`, compressed.
const GZIP: &[u8] = &[
    31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 171, 86, 42, 73, 173, 40, 81, 178, 82, 10, 112, 13, 118, 245, 81, 48,
    49, 49, 48, 53, 52, 49, 48, 52, 54, 181, 84, 170, 5, 0, 138, 32, 251, 141, 28, 0, 0, 0,
];

const METHODS: &[&str] = &["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"];

/// Strings that this long must not come back.
const TELLING: usize = 6;

/// A request, as far as it may be anything.
struct Sent {
    method: String,
    uri: String,
    headers: Vec<Header>,
    body: Vec<u8>,
}

impl fmt::Debug for Sent {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{} {}", self.method, self.uri)?;
        for (name, value) in &self.headers {
            writeln!(out, "{name}: {}", value.escape_ascii())?;
        }
        write!(out, "{}", self.body.escape_ascii())
    }
}

/// Strings of the caller's own: each may be somebody's data.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        40 => "zq[a-z0-9]{8,24}",
        10 => "\\PC{6,30}",
        10 => select(vec![
            "44051401359",
            "jan.novak@example.cz",
            "\u{0}secret\u{0}",
            "../../../../etc/passwd",
            "' OR 1=1 --",
            "${jndi:ldap://x}",
            "<script>alert(1)</script>",
            "\u{feff}\u{202e}hidden",
            "tok_pl_pesel_0000aaaaaaaa",
            "(((((((((((((((((((((((((((((((((((((((((((((",
            "(a{1000}){1000}",
        ])
        .prop_map(str::to_owned),
        // longer than a text may be
        1 => Just("zqlong".repeat(9_000)),
    ]
}

/// Returns values of every type, most of them of the wrong type at their position.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        3 => text().prop_map(Value::from),
        1 => select(vec![
            json!(null),
            json!(true),
            json!(0),
            json!(-1),
            json!(0.5),
            json!(1e300),
            json!(u64::MAX),
            json!(i64::MIN),
            json!(""),
            json!([]),
            json!({}),
        ]),
    ];
    leaf.prop_recursive(4, 24, 6, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Value::from),
            vec((text(), inner), 0..6).prop_map(|fields| Value::from(Map::from_iter(fields))),
        ]
    })
}

/// Returns the example of a route's body, or an arbitrary object if it takes none.
fn example(path: &str, method: &str) -> Value {
    let example = DOCUMENT["paths"][path][method.to_ascii_lowercase()]
        .pointer("/requestBody/content/application~1json/example");
    example.cloned().unwrap_or_else(|| json!({ "text": "a" }))
}

/// The names of all fields that a route's body may have.
fn fields(path: &str, method: &str) -> Vec<String> {
    let schema = DOCUMENT["paths"][path][method.to_ascii_lowercase()]
        .pointer("/requestBody/content/application~1json/schema/$ref");
    let target = schema.and_then(Value::as_str).unwrap_or("#/none");
    let schema = DOCUMENT.pointer(target.trim_start_matches('#')).unwrap_or(&Value::Null);
    let objects = std::iter::once(schema).chain(schema["oneOf"].as_array().into_iter().flatten());
    let names = objects.filter_map(|object| object["properties"].as_object()).flat_map(Map::keys);
    names.cloned().chain(["text".to_owned(), "zqunknownfield".to_owned()]).collect()
}

/// Bodies: documented ones with something wrong in them, and bytes of any kind.
fn body(path: &'static str, method: &'static str) -> BoxedStrategy<Vec<u8>> {
    let example = example(path, method);
    let names = fields(path, method);
    let written = example.to_string();
    let edited = {
        let example = example.clone();
        vec((select(names.clone()), value()), 1..3).prop_map(move |edits| {
            let mut body = example.clone();
            for (name, value) in edits {
                body[name] = value;
            }
            body.to_string().into_bytes()
        })
    };
    let twice = (select(names), value(), value())
        .prop_map(|(name, one, other)| format!("{{\"{name}\":{one},\"{name}\":{other}}}").into_bytes());
    let raw = select(vec!["\\ud800", "\\udfff", "\\u0000", "\\ud83d\\u0041", "\u{0}", "\n", "\\x", "\""]);
    let escapes = (text(), raw).prop_map(|(text, raw)| {
        format!("{{\"text\":\"{}{raw}\"}}", text.replace(['"', '\\', '\u{0}'], "")).into_bytes()
    });
    let numbers = select(vec![
        "1e400",
        "-1e400",
        "0x10",
        "01",
        "+1",
        ".5",
        "NaN",
        "Infinity",
        "1e",
        "123456789012345678901234567890",
    ])
    .prop_map(|number| {
        format!("{{\"text\":\"a\",\"min_confidence\":{number},\"limits\":{number}}}").into_bytes()
    });
    let nested = (select(vec![("[", "]"), ("{\"a\":", "}")]), 1_usize..300, any::<bool>()).prop_map(
        |((open, close), depth, closed)| {
            let end = if closed { close.repeat(depth) } else { String::new() };
            format!("{{\"text\":{}1{end}}}", open.repeat(depth)).into_bytes()
        },
    );
    let cut = {
        let written = written.clone();
        (0..=written.len()).prop_map(move |length| written.as_bytes()[..length].to_vec())
    };
    let flipped = (0..written.len(), any::<u8>()).prop_map(move |(at, byte)| {
        let mut bytes = written.clone().into_bytes();
        bytes[at] = byte;
        bytes
    });
    prop_oneof![
        4 => Just(example.to_string().into_bytes()),
        8 => edited,
        2 => value().prop_map(|value| value.to_string().into_bytes()),
        2 => twice,
        2 => escapes,
        1 => numbers,
        1 => nested,
        1 => cut,
        2 => flipped,
        1 => vec(any::<u8>(), 0..200),
        1 => Just(GZIP.to_vec()),
        1 => Just(Vec::new()),
    ]
    .boxed()
}

fn uri(path: &'static str) -> impl Strategy<Value = String> {
    let parameter = prop_oneof![
        3 => "zq[a-z0-9]{8}",
        1 => Just("employee_id".to_owned()),
        1 => "[A-Za-z0-9._~!$&'()*+,;=:@-]{1,40}",
        1 => "(%[0-9a-fA-F]{2}){1,12}",
    ];
    let known = parameter.clone().prop_map(move |parameter| match path.split_once('{') {
        Some((before, _)) => format!("{before}{parameter}"),
        None => path.to_owned(),
    });
    let query = prop_oneof![
        4 => Just(String::new()),
        2 => "\\?country=[A-Za-z]{2}",
        4 => Just("?workspace_id=initech".to_owned()),
        1 => "\\?[a-z]{1,8}=zq[a-z]{8}",
        1 => "\\?(%[0-9a-fA-F]{2}|[a-z&=+]){0,30}",
    ];
    let other = (Just(path), parameter).prop_map(|(path, more)| format!("{path}/{more}"));
    let path = prop_oneof![9 => known, 1 => other, 1 => "/[A-Za-z0-9._~!$&'()*+,;=:@/-]{0,60}"];
    (path, query).prop_map(|(path, query)| path + &query)
}

type Header = (String, Vec<u8>);

fn header(name: &str, value: impl Into<Vec<u8>>) -> Header {
    (name.to_owned(), value.into())
}

/// Mostly those that each surface asks for, side by side.
fn credentials() -> impl Strategy<Value = Vec<Header>> {
    prop_oneof![
        12 => select(vec!["pro", "enterprise", "enterprise", "free"]).prop_map(|name| vec![
            header("x-api-key", key(name)),
            header("authorization", format!("Bearer {}", user_token())),
            header("x-service-token", SERVICE_TOKEN),
        ]),
        1 => "Bearer zq[A-Za-z0-9]{8,60}".prop_map(|wrong| vec![header("authorization", wrong)]),
        1 => "fpk_[A-Za-z0-9]{43}".prop_map(|wrong| vec![header("x-api-key", wrong)]),
        1 => Just(Vec::new()),
    ]
}

fn headers() -> impl Strategy<Value = Vec<Header>> {
    let content_type = prop_oneof![
        20 => Just("application/json"),
        5 => select(vec![
            "APPLICATION/JSON; charset=utf-8",
            "application/json; charset=utf-16",
            "text/plain",
            "multipart/form-data; boundary=zqboundary",
            "application/x-www-form-urlencoded",
            "",
        ]),
    ];
    let content_type = content_type.prop_map(|kind| header("content-type", kind));
    let names = select(vec![
        "x-request-id",
        "content-length",
        "content-encoding",
        "accept",
        "if-none-match",
        "transfer-encoding",
        "cookie",
        "x-forwarded-for",
        "zq-own",
    ]);
    let values = prop_oneof![
        2 => "zq[a-z0-9]{6,40}".prop_map(String::into_bytes),
        1 => select(vec!["gzip", "chunked", "*", "-1", "18446744073709551616", "10"])
            .prop_map(|value| value.as_bytes().to_vec()),
        1 => vec(prop_oneof![Just(9_u8), 32_u8..127, 128_u8..=255], 0..40),
    ];
    let others = vec((names, values).prop_map(|(name, value)| header(name, value)), 0..3);
    (option::weighted(0.95, content_type), credentials(), others)
        .prop_map(|(kind, credentials, others)| kind.into_iter().chain(credentials).chain(others).collect())
}

fn sent() -> impl Strategy<Value = Sent> {
    // a route that reads a body can fail in more ways
    let routes = ROUTES.iter().flat_map(|route| vec![route; if route.method == "POST" { 4 } else { 1 }]);
    select(routes.collect::<Vec<_>>()).prop_flat_map(|route| {
        let path = route.path;
        let method = route.method.as_str();
        let methods = prop_oneof![
            16 => Just(method.to_owned()),
            1 => select(METHODS).prop_map(str::to_owned),
            1 => "ZQ[A-Z]{4,12}",
        ];
        (methods, uri(path), headers(), body(path, method)).prop_map(|(method, uri, headers, body)| Sent {
            method,
            uri,
            headers,
            body,
        })
    })
}

/// Returns every string of the request that must not be repeated in the answer. Strings of the documentation
/// may be.
fn telling(sent: &Sent) -> Vec<String> {
    let mut strings: Vec<String> = Some(&sent.method)
        .filter(|method| !METHODS.contains(&method.as_str()))
        .into_iter()
        .cloned()
        .collect();
    strings.extend(sent.uri.split(['/', '?', '&', '=']).map(str::to_owned));
    strings.extend(sent.headers.iter().map(|(_, value)| String::from_utf8_lossy(value).into_owned()));
    match serde_json::from_slice(&sent.body) {
        Ok(json) => leaves(&json, &mut strings),
        Err(_) => strings.extend(String::from_utf8_lossy(&sent.body).split('"').map(str::to_owned)),
    }
    strings.retain(|string| string.len() >= TELLING && !TEXT.contains(string.trim()));
    strings
}

fn leaves(json: &Value, strings: &mut Vec<String>) {
    match json {
        Value::String(string) => strings.push(string.clone()),
        Value::Array(values) => values.iter().for_each(|value| leaves(value, strings)),
        Value::Object(fields) => {
            strings.extend(fields.keys().cloned());
            fields.values().for_each(|value| leaves(value, strings));
        }
        _ => {}
    }
}

/// Sends the request, if it is valid HTTP, and returns the faults of the answer.
async fn wrong(host: &Memory, sent: &Sent) -> Vec<String> {
    let mut request = Request::builder().method(sent.method.as_str()).uri(&sent.uri);
    for (name, value) in &sent.headers {
        let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
        request = request.header(name, HeaderValue::from_bytes(value).unwrap());
    }
    // a request that is not valid HTTP never reaches the service
    let Ok(request) = request.body(Full::new(Bytes::from(sent.body.clone()))) else { return Vec::new() };
    let path = request.uri().path().to_owned();
    // as the manifest's routes have it
    let below_the_gateways = ["/v1/", "/api/v1/gateway/"].iter().any(|prefix| path.starts_with(prefix));
    let response = if below_the_gateways || template(&path).is_some_and(is_gateways) {
        host.answer_of_gateway(request).await
    } else {
        host.answer(request).await
    };

    let status = response.status().as_u16();
    let answered = |name| response.headers().get(name).map(|it| it.to_str().unwrap()).unwrap_or_default();
    let kind = answered("content-type");
    let text = std::str::from_utf8(response.body()).expect("answers are UTF-8");
    let json = match kind {
        "application/json" if !text.is_empty() => serde_json::from_str(text).expect("answers are JSON"),
        _ => Value::Null,
    };
    let mut wrong = openapi::faults(&sent.method, &path, status, kind, &json);
    // none of these workspaces has a provider
    let lacks_provider =
        json["error"]["code"] == "no_provider" || json["error"]["type"] == "overloaded_error";
    if [500, 503].contains(&status) && !lacks_provider {
        wrong.push(format!("{status}: a request makes the service fail"));
    }
    if status >= 400 {
        // types that the caller named itself are counted under their names
        let mut said = json.clone();
        if json["type"] == "policy_violation" {
            said["error"]["details"].take();
        }
        // JSON-RPC repeats the id of a message
        if json["jsonrpc"] == "2.0" {
            said["id"].take();
        }
        let said = said.to_string();
        let repeated = telling(sent).into_iter().filter(|string| said.contains(string.as_str()));
        wrong.extend(repeated.map(|string| format!("an error repeats {string:.80}")));
    }
    for line in host.log.borrow_mut().drain(..) {
        let line: Value = serde_json::from_str(&line).unwrap();
        let mut line = line.as_object().unwrap().clone();
        // an id is the caller's if it is a safe one, and is there to be found
        line.remove("request_id");
        // so is the workspace, which an administrator may name
        line.remove("workspace");
        let line = Value::from(line).to_string();
        let logged = telling(sent).into_iter().filter(|string| line.contains(string.as_str()));
        wrong.extend(logged.map(|string| format!("the log has {string:.80}")));
    }
    wrong
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    /// Several requests to one host, since what one of them stores the next may read.
    #[test]
    fn every_answer_is_documented_and_repeats_nothing(requests in vec(sent(), 1..5)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let host = Memory::default();
        host.variables.borrow_mut().insert("otlp_collector", "http://127.0.0.1:4318".to_owned());
        for sent in &requests {
            let wrong = runtime.block_on(wrong(&host, sent));
            prop_assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        }
    }
}

/// Every place of a JSON value, outermost first, as a JSON pointer.
fn places(json: &Value, here: String, places: &mut Vec<String>) {
    places.push(here.clone());
    let children: Vec<(String, &Value)> = match json {
        Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), value)).collect(),
        Value::Array(values) => {
            values.iter().enumerate().map(|(index, value)| (index.to_string(), value)).collect()
        }
        _ => Vec::new(),
    };
    for (name, value) in children {
        self::places(value, format!("{here}/{name}"), places);
    }
}

/// The bodies of a route with something of the caller's in one place, each place in turn.
fn with_a_secret_somewhere(path: &str, method: &str) -> Vec<Value> {
    let mut whole = example(path, method);
    for field in fields(path, method) {
        if whole.get(&field).is_none() {
            whole[field] = Value::Null;
        }
    }
    let mut all = Vec::new();
    places(&whole, String::new(), &mut all);
    let secret = "zqsecret";
    let secrets = [json!(secret), json!([secret]), json!([{ secret: secret }])];
    let replaced = all.iter().flat_map(|place| secrets.iter().map(move |secret| (place, secret.clone())));
    let mut bodies: Vec<Value> = replaced
        .map(|(place, secret)| {
            let mut body = example(path, method);
            match place.rsplit_once('/') {
                None => body = secret,
                Some((of, name)) => match body.pointer_mut(of).expect("a place of the example") {
                    Value::Array(values) => values[name.parse::<usize>().unwrap()] = secret,
                    object => object[name] = secret,
                },
            }
            body
        })
        .collect();
    // and an unknown name, in every object
    for place in &all {
        let mut body = example(path, method);
        if let Some(Value::Object(fields)) = body.pointer_mut(place) {
            fields.insert(secret.to_owned(), json!(secret));
            bodies.push(body);
        }
    }
    bodies
}

#[tokio::test]
async fn no_place_of_a_body_comes_back_in_an_error() {
    let mut sent_bodies = 0;
    let reading = ROUTES.iter().filter(|route| ["POST", "PUT", "PATCH"].contains(&route.method.as_str()));
    for route in reading {
        let path = route.path;
        let method = route.method.as_str();
        for body in with_a_secret_somewhere(path, method) {
            let headers = vec![
                header("content-type", "application/json"),
                header("x-api-key", key("enterprise")),
                header("authorization", format!("Bearer {}", user_token())),
            ];
            let uri = path.replace("{id}", "zqid").replace("{name}", "zqname");
            let sent = Sent { method: method.to_owned(), uri, headers, body: body.to_string().into_bytes() };
            let host = Memory::default();
            let wrong = wrong(&host, &sent).await;
            assert!(wrong.is_empty(), "{}\n{sent:?}", wrong.join("\n"));
            sent_bodies += 1;
        }
    }
    assert!(sent_bodies > 500, "{sent_bodies} bodies are too few to say anything");
}
