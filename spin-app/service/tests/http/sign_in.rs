//! Sign-in to the console: what the page learns, and which tokens of the provider are accepted.

use http::{Request, StatusCode};
use http_body_util::Full;
use serde_json::{Value, json};
use textveil_service::auth::user_token::{Audience, Claims, issue};

use crate::host::{Memory, NOW_MS, SERVICE_TOKEN};

const KEY: &str = "a secret of the identity provider, long enough";
const ISSUER: &str = "https://id.example/realms/acme";
const NOW: u64 = NOW_MS / 1_000;

/// A host in the strict profile with these variables.
fn host(variables: &[(&'static str, &str)]) -> Memory {
    let host = Memory::default();
    let ours = [("profile", "strict"), ("user_token_key", KEY), ("user_token_issuer", ISSUER)];
    for (name, value) in ours.iter().chain(variables) {
        host.variables.borrow_mut().insert(name, (*value).to_owned());
    }
    host
}

async fn provider(host: &Memory) -> Value {
    let request = Request::get("/api/v1/sign-in").body(Full::default()).unwrap();
    let answer = host.send(request).await;
    assert_eq!(answer.status, StatusCode::OK);
    assert!(!answer.text.contains(KEY) && !answer.text.contains(SERVICE_TOKEN), "{}", answer.text);
    serde_json::from_str::<Value>(&answer.text).unwrap()["identity_provider"].take()
}

async fn status(host: &Memory, claims: &Claims) -> StatusCode {
    let token = issue(KEY, claims).unwrap();
    let request = Request::get("/api/v1/api-keys").header("authorization", format!("Bearer {token}"));
    host.send(request.body(Full::default()).unwrap()).await.status
}

#[tokio::test]
async fn the_page_learns_its_provider() {
    assert_eq!(provider(&host(&[])).await, Value::Null);
    assert_eq!(
        provider(&host(&[("sign_in_client_id", "console")])).await,
        json!({ "issuer": ISSUER, "client_id": "console", "scope": "openid", "token": "access", "token_origin": null })
    );
    let all = [
        ("sign_in_client_id", " console\n"),
        ("sign_in_scope", "openid api"),
        ("sign_in_token", "id"),
        ("sign_in_token_origin", "https://login.example/"),
    ];
    assert_eq!(
        provider(&host(&all)).await,
        json!({
            "issuer": ISSUER, "client_id": "console", "scope": "openid api", "token": "id",
            "token_origin": "https://login.example",
        })
    );
}

#[tokio::test]
async fn a_faulty_provider_is_not_shown() {
    for (name, value) in [
        ("user_token_issuer", "http://id.example"),
        ("user_token_issuer", "https://a;script-src"),
        ("sign_in_client_id", "k\u{e9}y"),
        ("sign_in_scope", "profile"),
        ("sign_in_token", "both"),
        ("sign_in_token_origin", "http://login.example"),
    ] {
        let host = host(&[("sign_in_client_id", "console"), (name, value)]);
        assert_eq!(provider(&host).await, Value::Null, "{name}: {value}");
    }
}

#[tokio::test]
async fn tokens_for_others_are_rejected() {
    let good = || Claims {
        iss: Some(ISSUER.to_owned()),
        aud: Some(Audience::One("console".to_owned())),
        ..Claims::new("u-1", "acme", NOW + 600)
    };
    let aud = |name: &str| Some(Audience::One(name.to_owned()));
    let several =
        |names: &[&str]| Some(Audience::Several(names.iter().map(|&name| name.to_owned()).collect()));
    let of_client = host(&[("sign_in_client_id", "console")]);
    let of_api = host(&[("sign_in_client_id", "console"), ("user_token_audience", "api")]);
    for (claims, with_client, with_api) in [
        (good(), 200, 401),
        (Claims { aud: aud("api"), ..good() }, 401, 200),
        (Claims { aud: several(&["wiki", "console"]), ..good() }, 200, 401),
        (Claims { aud: aud("wiki"), ..good() }, 401, 401),
        (Claims { aud: aud(""), ..good() }, 401, 401),
        (Claims { aud: several(&[]), ..good() }, 401, 401),
        (Claims { aud: None, ..good() }, 401, 401),
        (Claims { iss: None, ..good() }, 401, 401),
        (Claims { iss: Some("https://id.example".to_owned()), ..good() }, 401, 401),
        (Claims { iss: Some(format!("{ISSUER}/")), ..good() }, 401, 401),
        (Claims { exp: NOW - 31, ..good() }, 401, 401),
        (Claims { workspace_id: String::new(), ..good() }, 401, 401),
    ] {
        assert_eq!(status(&of_client, &claims).await, with_client, "{claims:?}");
        assert_eq!(status(&of_api, &claims).await, with_api, "{claims:?}");
    }
}

/// Development checks no audience, unless the console signs in.
#[tokio::test]
async fn development_binds_tokens_too_once_the_console_signs_in() {
    let bare = Claims::new("u-1", "acme", NOW + 600);
    let development = |variables: &[(&'static str, &str)]| {
        let host = host(&[("profile", "dev"), ("user_token_issuer", "")]);
        for (name, value) in variables {
            host.variables.borrow_mut().insert(name, (*value).to_owned());
        }
        host
    };
    assert_eq!(status(&development(&[]), &bare).await, 200);
    let signs_in = development(&[("user_token_issuer", ISSUER), ("sign_in_client_id", "console")]);
    assert_eq!(status(&signs_in, &bare).await, 401);
}
