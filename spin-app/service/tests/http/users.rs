//! User access tokens: validity, and the endpoints that accept them.

use base64ct::{Base64UrlUnpadded, Encoding as _};
use bytes::Bytes;
use ed25519_dalek::{Signer, SigningKey, pkcs8::DecodePrivateKey};
use hmac::{Hmac, KeyInit, Mac};
use http::{Request, StatusCode};
use http_body_util::Full;
use rsa::{Pkcs1v15Sign, RsaPrivateKey, traits::PublicKeyParts};
use serde_json::{Value, json};
use sha2::{Digest, Sha256, Sha512};

use crate::host::{Memory, NOW_MS, key};

const SECRET: &str = "a secret of the identity provider, long enough";
const NOW: u64 = NOW_MS / 1_000;
const RSA: &str = include_str!("../keys/rsa.pem");
const RSA_PUBLIC: &str = include_str!("../keys/rsa.pub.pem");
const ED25519: &str = include_str!("../keys/ed25519.pem");
const ED25519_PUBLIC: &str = include_str!("../keys/ed25519.pub.pem");

/// A host that checks tokens with this key.
fn host(token_key: &str) -> Memory {
    let host = Memory::default();
    host.variables.borrow_mut().insert("user_token_key", token_key.to_owned());
    host
}

fn claims() -> Value {
    json!({ "sub": "u-1", "exp": NOW + 600, "workspace_id": "acme", "plan": "pro", "role": "admin" })
}

fn with(mut claims: Value, name: &str, value: Value) -> Value {
    claims[name] = value;
    claims
}

fn rsa() -> RsaPrivateKey {
    rsa::pkcs8::DecodePrivateKey::from_pkcs8_pem(RSA).unwrap()
}

fn ed25519() -> SigningKey {
    SigningKey::from_pkcs8_pem(ED25519).unwrap()
}

/// The DER prefix of a hash's identifier and digest (RFC 8017 §9.2, note 1).
fn padding(name: u8, length: u8) -> Pkcs1v15Sign {
    let oid = [0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, name];
    let mut prefix = vec![0x30, 17 + length, 0x30, 0x0d];
    prefix.extend(oid);
    prefix.extend([0x05, 0x00, 0x04, length]);
    Pkcs1v15Sign { hash_len: Some(length.into()), prefix: prefix.into() }
}

/// Returns a JWT built without the library under test.
fn jwt(algorithm: &str, kid: Option<&str>, claims: &Value) -> String {
    signed(algorithm, kid, claims, SECRET.as_bytes())
}

fn signed(algorithm: &str, kid: Option<&str>, claims: &Value, secret: &[u8]) -> String {
    let part = |json: &Value| Base64UrlUnpadded::encode_string(json.to_string().as_bytes());
    let mut head = json!({ "alg": algorithm, "typ": "JWT" });
    if let Some(kid) = kid {
        head["kid"] = json!(kid);
    }
    let message = format!("{}.{}", part(&head), part(claims));
    let bytes = message.as_bytes();
    let signature = match algorithm {
        "HS256" => Hmac::<Sha256>::new_from_slice(secret)
            .unwrap()
            .chain_update(bytes)
            .finalize()
            .into_bytes()
            .to_vec(),
        "HS512" => Hmac::<Sha512>::new_from_slice(secret)
            .unwrap()
            .chain_update(bytes)
            .finalize()
            .into_bytes()
            .to_vec(),
        "RS256" => rsa().sign(padding(1, 32), &Sha256::digest(bytes)).unwrap(),
        "RS512" => rsa().sign(padding(3, 64), &Sha512::digest(bytes)).unwrap(),
        "EdDSA" => ed25519().sign(bytes).to_vec(),
        _ => Vec::new(),
    };
    format!("{message}.{}", Base64UrlUnpadded::encode_string(&signature))
}

async fn status(host: &Memory, authorization: &str) -> StatusCode {
    let request = Request::get("/api/v1/api-keys").header("authorization", authorization);
    host.send(request.body(Full::default()).unwrap()).await.status
}

#[tokio::test]
async fn every_kind_of_key_accepts_its_own_algorithm_and_no_other() {
    for (token_key, accepted) in [(SECRET, "HS256"), (RSA_PUBLIC, "RS256"), (ED25519_PUBLIC, "EdDSA")] {
        let host = host(token_key);
        for algorithm in ["HS256", "HS512", "RS256", "RS512", "EdDSA", "none", "ES256", "PS256"] {
            let token = jwt(algorithm, None, &claims());
            let want = if algorithm == accepted { 200 } else { 401 };
            assert_eq!(status(&host, &format!("Bearer {token}")).await, want, "{algorithm} with {accepted}");
        }
    }
}

#[tokio::test]
async fn a_public_key_is_no_shared_secret() {
    // a classic: sign HS256 with the text of the public key
    let forged = signed("HS256", None, &claims(), RSA_PUBLIC.trim().as_bytes());
    assert_eq!(status(&host(RSA_PUBLIC), &format!("Bearer {forged}")).await, 401);
}

#[tokio::test]
async fn a_changed_token_is_refused() {
    for (algorithm, token_key) in [("HS256", SECRET), ("RS256", RSA_PUBLIC), ("EdDSA", ED25519_PUBLIC)] {
        let host = host(token_key);
        let token = jwt(algorithm, None, &claims());
        let other = jwt(algorithm, None, &with(claims(), "workspace_id", json!("globex")));
        let (message, _) = other.rsplit_once('.').unwrap();
        let (head, signature) = token.rsplit_once('.').unwrap();
        for changed in
            [format!("{message}.{signature}"), format!("{head}."), head.to_owned(), format!("{token}A")]
        {
            assert_eq!(status(&host, &format!("Bearer {changed}")).await, 401, "{algorithm}: {changed}");
        }
    }
}

#[tokio::test]
async fn a_jwks_document_has_several_keys() {
    let text = |bytes: &[u8]| Base64UrlUnpadded::encode_string(bytes);
    let (n, e) = (text(&rsa().n().to_bytes_be()), text(&rsa().e().to_bytes_be()));
    let x = text(ed25519().verifying_key().as_bytes());
    let keys = json!({ "keys": [
        { "kty": "RSA", "use": "sig", "alg": "RS256", "kid": "r", "n": n, "e": e },
        { "kty": "OKP", "crv": "Ed25519", "kid": "e", "x": x },
        { "kty": "oct", "kid": "h", "k": text(SECRET.as_bytes()) },
        { "kty": "EC", "crv": "P-256", "kid": "p", "x": x, "y": x },
    ] });
    let host = host(&keys.to_string());
    for (algorithm, kid, want) in [
        ("RS256", Some("r"), 200),
        ("EdDSA", Some("e"), 200),
        ("HS256", Some("h"), 200),
        ("RS256", None, 200),
        ("RS256", Some("e"), 401),
        ("HS256", Some("r"), 401),
        ("RS256", Some("unknown"), 401),
        ("HS512", Some("h"), 401),
        ("ES256", Some("p"), 401),
        ("none", None, 401),
    ] {
        let token = jwt(algorithm, kid, &claims());
        assert_eq!(status(&host, &format!("Bearer {token}")).await, want, "{algorithm} {kid:?}");
    }
}

/// The JSON Web Key of the RSA key, with further members.
fn rsa_jwk(members: Value) -> Value {
    let text = |bytes: &[u8]| Base64UrlUnpadded::encode_string(bytes);
    let (n, e) = (text(&rsa().n().to_bytes_be()), text(&rsa().e().to_bytes_be()));
    extended(json!({ "kty": "RSA", "n": n, "e": e }), members)
}

/// The JSON Web Key of a shared secret, with further members.
fn secret_jwk(secret: &[u8], members: Value) -> Value {
    extended(json!({ "kty": "oct", "k": Base64UrlUnpadded::encode_string(secret) }), members)
}

fn extended(mut object: Value, members: Value) -> Value {
    object.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    object
}

/// A provider that rotates its keys publishes the next one, or the last one, beside the current one.
#[tokio::test]
async fn of_several_keys_the_token_names_its_own() {
    // an RSA key whose signatures nobody here makes
    let other =
        with(rsa_jwk(json!({ "kid": "next" })), "n", json!(Base64UrlUnpadded::encode_string(&[0xc5; 256])));
    let host = host(&json!({ "keys": [other, rsa_jwk(json!({ "kid": "now" }))] }).to_string());
    for (kid, want) in
        [(Some("now"), 200), (Some("next"), 401), (Some("last"), 401), (Some(""), 401), (None, 401)]
    {
        let token = jwt("RS256", kid, &claims());
        assert_eq!(status(&host, &format!("Bearer {token}")).await, want, "{kid:?}");
    }
}

#[tokio::test]
async fn a_set_of_keys_confuses_no_algorithms() {
    let modulus = rsa().n().to_bytes_be();
    let host = host(&json!({ "keys": [rsa_jwk(json!({ "kid": "r" })), secret_jwk(SECRET.as_bytes(), json!({ "kid": "h" }))] }).to_string());
    for (algorithm, kid, secret, want) in [
        ("HS256", Some("h"), SECRET.as_bytes(), 200),
        // the public key as a shared secret, in the forms that an attacker may have of it
        ("HS256", Some("r"), modulus.as_slice(), 401),
        ("HS256", Some("r"), RSA_PUBLIC.as_bytes(), 401),
        ("HS256", Some("h"), modulus.as_slice(), 401),
        ("HS256", None, modulus.as_slice(), 401),
        // the secret of another key
        ("HS256", Some("r"), SECRET.as_bytes(), 401),
        ("RS256", Some("h"), SECRET.as_bytes(), 401),
        ("none", Some("r"), SECRET.as_bytes(), 401),
    ] {
        let token = signed(algorithm, kid, &claims(), secret);
        assert_eq!(status(&host, &format!("Bearer {token}")).await, want, "{algorithm} {kid:?}");
    }
}

#[tokio::test]
async fn keys_of_a_set_with_another_purpose_verify_nothing() {
    let rsa = |members| (rsa_jwk(members), "RS256");
    let secret = |members| (secret_jwk(SECRET.as_bytes(), members), "HS256");
    for ((key, algorithm), want) in [
        (rsa(json!({})), 200),
        (rsa(json!({ "use": "sig", "key_ops": ["verify"], "alg": "RS256" })), 200),
        (rsa(json!({ "use": "enc" })), 401),
        (rsa(json!({ "key_ops": ["encrypt"] })), 401),
        (rsa(json!({ "alg": "RSA-OAEP" })), 401),
        (rsa(json!({ "alg": "PS256" })), 401),
        (secret(json!({ "alg": "HS256" })), 200),
        (secret(json!({ "alg": "RS256" })), 401),
        ((secret_jwk(b"short", json!({})), "HS256"), 401),
        ((secret_jwk(b"", json!({})), "HS256"), 401),
    ] {
        let host = host(&json!({ "keys": [key] }).to_string());
        let secret = if key["k"].as_str().is_some_and(|text| text.len() < 10) {
            b"short".as_slice()
        } else {
            SECRET.as_bytes()
        };
        let token = signed(algorithm, None, &claims(), secret);
        assert_eq!(status(&host, &format!("Bearer {token}")).await, want, "{key}");
    }
}

/// RFC 7517 §5: a provider may add keys of kinds that are not known yet.
#[tokio::test]
async fn keys_of_unknown_kinds_are_ignored() {
    let unknown = [
        json!({ "kty": "AKP", "alg": "ML-DSA-44", "kid": "r", "pub": "AAAA" }),
        json!({ "kty": "OKP", "crv": "X448", "kid": "r", "x": "AAAA" }),
        json!("RSA"),
    ];
    for unknown in unknown {
        let host = host(&json!({ "keys": [unknown, rsa_jwk(json!({ "kid": "r" }))] }).to_string());
        let token = jwt("RS256", Some("r"), &claims());
        assert_eq!(status(&host, &format!("Bearer {token}")).await, 200, "{unknown}");
    }
}

/// RFC 7515 §4.1.11
#[tokio::test]
async fn a_critical_extension_is_not_passed_over() {
    let part = |json: Value| Base64UrlUnpadded::encode_string(json.to_string().as_bytes());
    let host = host(SECRET);
    for (head, want) in
        [(json!({ "alg": "HS256" }), 200), (json!({ "alg": "HS256", "crit": ["exp"], "exp": 1 }), 401)]
    {
        let message = format!("{}.{}", part(head), part(claims()));
        let signature =
            Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).unwrap().chain_update(&message).finalize();
        let token = format!("{message}.{}", Base64UrlUnpadded::encode_string(&signature.into_bytes()));
        assert_eq!(status(&host, &format!("Bearer {token}")).await, want);
    }
}

/// Many identity providers sign tokens without the claim.
#[tokio::test]
async fn a_token_without_a_role_has_the_default_one() {
    for (default, claim, want) in [
        ("", None, 403),
        ("member", None, 403),
        ("admin", None, 201),
        ("admin", Some("member"), 403),
        ("member", Some("admin"), 201),
        ("owner", None, 401),
        ("owner", Some("admin"), 401),
    ] {
        let host = host(SECRET);
        host.variables.borrow_mut().insert("user_token_default_role", default.to_owned());
        let mut claims = claims();
        match claim {
            Some(role) => claims["role"] = json!(role),
            None => drop(claims.as_object_mut().unwrap().remove("role")),
        }
        let request = Request::post("/api/v1/api-keys")
            .header("authorization", format!("Bearer {}", jwt("HS256", None, &claims)))
            .header("content-type", "application/json")
            .body(Full::new(Bytes::from(r#"{"name": "a key"}"#)));
        let answer = host.send(request.unwrap()).await;
        assert_eq!(answer.status, want, "{default} {claim:?}: {}", answer.text);
    }
}

#[tokio::test]
async fn claims_must_hold() {
    let host = host(SECRET);
    host.variables.borrow_mut().insert("user_token_issuer", "https://id.example".to_owned());
    host.variables.borrow_mut().insert("user_token_audience", "textveil".to_owned());
    let good = with(with(claims(), "iss", json!("https://id.example")), "aud", json!("textveil"));
    let without = |name: &str| {
        let mut claims = good.clone();
        claims.as_object_mut().unwrap().remove(name);
        claims
    };
    for (claims, want) in [
        (good.clone(), 200),
        (with(good.clone(), "aud", json!(["other", "textveil"])), 200),
        (with(good.clone(), "nbf", json!(NOW)), 200),
        (with(good.clone(), "exp", json!(NOW - 29)), 200), // clocks differ
        (with(good.clone(), "exp", json!(NOW - 31)), 401),
        (with(good.clone(), "nbf", json!(NOW + 31)), 401),
        (with(good.clone(), "iss", json!("https://id.example.evil")), 401),
        (with(good.clone(), "aud", json!("other")), 401),
        (with(good.clone(), "aud", json!([])), 401),
        (with(good.clone(), "workspace_id", json!("")), 401),
        (with(good.clone(), "workspace_id", json!("a:b")), 401),
        (with(good.clone(), "workspace_id", json!("a".repeat(65))), 401),
        (with(good.clone(), "plan", json!("gold")), 401),
        (without("exp"), 401),
        (without("iss"), 401),
        (without("aud"), 401),
        (without("workspace_id"), 401),
        (without("plan"), 200),
        (without("sub"), 200),
    ] {
        let token = jwt("HS256", None, &claims);
        assert_eq!(status(&host, &format!("Bearer {token}")).await, want, "{claims}");
    }
}

#[tokio::test]
async fn without_a_configured_key_nobody_is_let_in() {
    let token = format!("Bearer {}", jwt("HS256", None, &claims()));
    for token_key in
        ["", "short", "{}", "{\"keys\":[]}", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----"]
    {
        assert_eq!(status(&host(token_key), &token).await, 401, "{token_key}");
    }
    let empty = signed("HS256", None, &claims(), b"");
    assert_eq!(status(&host(""), &format!("Bearer {empty}")).await, 401);
}

#[tokio::test]
async fn each_surface_refuses_the_credentials_of_the_others() {
    let host = host(SECRET);
    let service_token = "tvs_0123456789abcdef0123456789abcdef";
    host.variables.borrow_mut().insert("service_tokens", service_token.to_owned());
    let user_token = jwt("HS256", None, &claims());
    for (path, credential, want) in [
        ("/api/v1/health", &key("pro"), 200),
        ("/api/v1/health", &user_token, 401),
        ("/api/v1/health", &service_token.to_owned(), 401),
        ("/api/v1/api-keys", &user_token, 200),
        ("/api/v1/api-keys", &key("enterprise"), 401),
        ("/api/v1/api-keys", &service_token.to_owned(), 401),
    ] {
        let request = Request::get(path).header("authorization", format!("Bearer {credential}"));
        let answer = host.send(request.body(Full::default()).unwrap()).await;
        assert_eq!(answer.status, want, "{path}");
        let others = Request::get(path).header("x-service-token", service_token);
        assert_eq!(host.send(others.body(Full::default()).unwrap()).await.status, 401, "{path}");
    }
    for logged in host.log.borrow().iter() {
        assert!(!logged.contains(&user_token) && !logged.contains(service_token), "{logged}");
    }
}
