//! The answers of the service when a dependency is missing.

use std::future::pending;

use http::Request;
use http_body_util::Full;
use serde_json::json;
use textveil_service::{
    Host as _, KeyValue, Label, Unavailable,
    bounded::{Bounded, HURRY_MS, Liveness, PATIENCE_MS, PAUSE_MS},
    config::LISTS_OF_HOSTS,
};

use crate::host::{Answer, Memory, key};

async fn get(host: &Memory, path: &str) -> Answer {
    host.send(Request::get(path).header("x-api-key", key("pro")).body(Full::default()).unwrap()).await
}

#[tokio::test]
async fn without_a_store_nothing_passes() {
    for label in [Label::Config, Label::Usage] {
        let host = Memory::default();
        host.down.set(Some(label));
        for answer in [
            host.post("pro", "/api/v1/detect", &json!({ "text": "nothing" })).await,
            get(&host, "/api/v1/health").await,
            get(&host, "/readyz").await,
        ] {
            assert_eq!(answer.status, 503, "{label:?}: {}", answer.text);
            assert_eq!(answer.json["error"]["code"], "service_unavailable");
            assert_eq!(answer.json["type"], "service_unavailable");
            let line = host.log.borrow().last().cloned().unwrap();
            assert!(
                line.contains(&format!("the key-value store `{}` does not answer", label.as_str())),
                "{line}"
            );
        }
        assert_eq!(get(&host, "/healthz").await.status, 200, "alive without {label:?}");

        host.down.set(None);
        assert_eq!(get(&host, "/readyz").await.status, 200, "ready again with {label:?}");
    }
}

/// A store that is read and not written, as on a full disk, must not get requests.
#[tokio::test]
async fn readiness_writes() {
    for sets in 0..3 {
        let host = Memory::default();
        host.sets_left.set(Some(sets));
        assert_eq!(get(&host, "/readyz").await.status, 503, "{sets} writes");
    }
    let host = Memory::default();
    host.sets_left.set(Some(3));
    for _ in 0..3 {
        // a flood of probes is no flood of writes
        assert_eq!(get(&host, "/readyz").await.status, 200);
    }
    host.now_ms.set(host.now_ms.get() + 2_000);
    assert_eq!(get(&host, "/readyz").await.status, 503, "the disk is full now");
}

/// A kind of call that a store may not answer.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Get,
    Set,
    Delete,
    Increment,
}

/// A store of a backend that hangs, as Redis does under Spin: calls of these kinds never end.
struct Frozen<'a, S> {
    store: S,
    frozen: &'a [Kind],
    /// `increment` blocks the instance, so nothing may call it while the store hangs.
    blocks: bool,
}

impl<S> Frozen<'_, S> {
    async fn pass(&self, kind: Kind) {
        if self.frozen.contains(&kind) {
            pending::<()>().await;
        }
    }
}

impl<S: KeyValue> KeyValue for Frozen<'_, S> {
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, Unavailable> {
        self.pass(Kind::Get).await;
        self.store.get(key).await
    }

    async fn set(&self, key: &str, value: &[u8]) -> Result<(), Unavailable> {
        self.pass(Kind::Set).await;
        self.store.set(key, value).await
    }

    async fn delete(&self, key: &str) -> Result<(), Unavailable> {
        self.pass(Kind::Delete).await;
        self.store.delete(key).await
    }

    async fn increment(&self, key: &str, by: i64) -> Result<i64, Unavailable> {
        assert!(!self.blocks, "{key}: the instance would be blocked");
        self.pass(Kind::Increment).await;
        self.store.increment(key, by).await
    }
}

/// A store that never answers calls of some kinds, under the bound of the service.
fn bounded<'a>(
    host: &'a Memory,
    frozen: &'a [Kind],
    liveness: &'static Liveness,
) -> Bounded<&'a Memory, impl KeyValue + use<'a>> {
    let blocks = frozen.contains(&Kind::Get);
    let store = Frozen { store: host.store(Label::Usage), frozen, blocks };
    Bounded::new(host, store, Label::Usage, liveness)
}

async fn call(store: &impl KeyValue, kind: Kind) -> Result<(), Unavailable> {
    match kind {
        Kind::Get => store.get("value").await.map(drop),
        Kind::Set => store.set("value", b"1").await,
        Kind::Delete => store.delete("value").await,
        Kind::Increment => store.increment("counter", 1).await.map(drop),
    }
}

#[tokio::test]
async fn a_call_that_a_store_never_answers_ends_in_time() {
    const ALL: [Kind; 4] = [Kind::Get, Kind::Set, Kind::Delete, Kind::Increment];
    for kind in ALL {
        let host = Memory::default();
        let liveness: &'static Liveness = Box::leak(Box::default());
        let waited = async |frozen: &[Kind], kind| {
            let began = host.now_ms.get();
            let result = call(&bounded(&host, frozen, liveness), kind).await;
            (host.now_ms.get() - began, result)
        };
        let unavailable = Err(Unavailable(Label::Usage));
        assert_eq!(waited(&[], kind).await, (0, Ok(())), "{kind:?}");
        assert_eq!(waited(&[kind], kind).await, (PATIENCE_MS, unavailable), "{kind:?}");
        // the next calls do not wait as long, nor does the instance enter a call that would block it
        for next in ALL {
            assert_eq!(waited(&ALL, next).await, (HURRY_MS, unavailable), "{next:?}");
        }
        // it may be slow only
        host.now_ms.set(host.now_ms.get() + PAUSE_MS);
        assert_eq!(waited(&ALL, Kind::Get).await, (PATIENCE_MS, unavailable), "{kind:?}");
        // a store that answers again is used at once
        assert_eq!(waited(&[], kind).await, (0, Ok(())), "{kind:?}");
        assert_eq!(waited(&[Kind::Get], Kind::Get).await, (PATIENCE_MS, unavailable), "{kind:?}");
    }
}

#[tokio::test]
async fn an_increment_is_called_only_where_the_store_answers() {
    let host = Memory::default();
    let liveness: &'static Liveness = Box::leak(Box::default());
    assert_eq!(call(&bounded(&host, &[], liveness), Kind::Increment).await, Ok(()));
    host.now_ms.set(host.now_ms.get() + 101);
    // the store asserts that it is not called
    let store = bounded(&host, &[Kind::Get, Kind::Increment], liveness);
    assert_eq!(call(&store, Kind::Increment).await, Err(Unavailable(Label::Usage)));
}

#[tokio::test]
async fn faulty_variables_keep_the_service_from_being_ready() {
    for (name, value) in [
        ("monthly_quotas", "zanzibar"),
        ("service_tokens", "zanzibar"),
        ("user_token_key", "zanzibar"),
        ("upstream_deadlines", "zanzibar"),
        ("presidio_workspace", "zan zibar"),
        ("provider_hosts", "zanzibar"),
        // of several patterns Spin lets no request out
        ("provider_hosts", "https://zanzibar.example https://zibar.example"),
        ("otlp_collector", "zanzibar"),
        // of an empty pattern, too
        ("otlp_collector", ""),
        ("otlp_path", "zanzibar"),
        ("profile", "zanzibar"),
        ("sign_in_client_id", "zanzibar \u{e9}"),
        ("sign_in_scope", "zanzibar"),
        ("sign_in_token", "zanzibar"),
        ("sign_in_token_origin", "http://zanzibar"),
    ] {
        let host = Memory::default();
        host.variables.borrow_mut().insert(name, value.to_owned());
        let answer = get(&host, "/readyz").await;
        assert_eq!(answer.status, 503, "{name}");
        assert!(answer.text.contains(name) && !answer.text.contains("zibar"), "{name}: {}", answer.text);
        assert_eq!(get(&host, "/readyz").await.status, 503, "{name}");
        let said =
            |line: &&String| line.contains("\"fault\":") && line.contains(name) && !line.contains("zibar");
        assert_eq!(host.log.borrow().iter().filter(said).count(), 1, "{name}: once, not at each probe");
        assert_eq!(get(&host, "/healthz").await.status, 200, "{name}");
    }
    let host = Memory::default();
    host.variables.borrow_mut().insert("service_tokens", "zanzibar".to_owned());
    assert_eq!(get(&host, "/readyz").await.status, 503);
    host.variables.borrow_mut().insert("service_tokens", String::new());
    assert_eq!(get(&host, "/readyz").await.status, 200, "it is corrected");

    let host = Memory::default();
    let hosts = "https://a.example https://b.example".to_owned();
    host.variables.borrow_mut().extend([("provider_hosts", hosts), (LISTS_OF_HOSTS, "true".to_owned())]);
    assert_eq!(get(&host, "/readyz").await.status, 200, "a host that takes lists");

    let host = Memory::default();
    host.variables.borrow_mut().insert("profile", "strict".to_owned());
    let answer = get(&host, "/readyz").await;
    assert!(answer.text.contains("user_token_issuer"), "{}", answer.text);
}

/// The cause goes to the operator's log, not to the caller.
#[tokio::test]
async fn a_credential_that_a_faulty_variable_refuses_has_a_cause_in_the_log() {
    for (name, value, header) in
        [("user_token_key", "zanzibar", "authorization"), ("service_tokens", "zanzibar", "x-service-token")]
    {
        let host = Memory::default();
        host.variables.borrow_mut().insert(name, value.to_owned());
        let path = if name == "user_token_key" { "/api/v1/api-keys" } else { "/api/v1/gateway/config" };
        let request = Request::get(path).header(header, format!("Bearer {}", crate::host::user_token()));
        let request = request.body(Full::new(bytes::Bytes::new())).unwrap();
        let answer = if path.contains("gateway") {
            host.send_to_gateway(request).await
        } else {
            host.send(request).await
        };
        assert_eq!(answer.status, 401, "{name}: {}", answer.text);
        assert!(!answer.text.contains(name), "{name}: {}", answer.text);
        let log = host.log.borrow().join("\n");
        assert!(log.contains(&format!("\"cause\":\"{name} must be")) && !log.contains("zanzibar"), "{log}");
    }
}

#[tokio::test]
async fn without_usable_secrets_only_protection_and_restoring_fail() {
    for secrets in
        [None, Some(""), Some("1"), Some("1:zz"), Some("1:0011"), Some("99:000102030405060708090a0b0c0d0e0f")]
    {
        let host = Memory::default();
        match secrets {
            None => host.variables.borrow_mut().remove("token_secrets"),
            Some(secrets) => host.variables.borrow_mut().insert("token_secrets", secrets.to_owned()),
        };
        let text = json!({ "text": "PESEL 44051401359", "mode": "tokenize" });
        assert_eq!(host.post("pro", "/api/v1/detect", &text).await.status, 200, "{secrets:?}");
        for path in ["/api/v1/protect", "/api/v1/restore"] {
            let answer = host.post("pro", path, &text).await;
            assert_eq!(
                (answer.status.as_u16(), &answer.json["type"]),
                (500, &json!("internal_error")),
                "{secrets:?}"
            );
            assert_eq!(answer.json["error"].get("details"), None);
            assert!(!answer.text.contains("token_secrets"), "the cause is for the log only");
            assert!(host.log.borrow().last().unwrap().contains("the variable token_secrets"));
        }
        assert_eq!(get(&host, "/readyz").await.status, 503, "{secrets:?}");
    }
}

#[tokio::test]
async fn a_document_that_is_no_record_is_a_defect_of_the_service() {
    for document in
        [b"".as_slice(), b"{", b"{}", b"\xff", br#"{"sha256":"","workspace":"acme","plan":"gold"}"#]
    {
        let host = Memory::default();
        host.put_document(&key("pro"), document);
        let answer = get(&host, "/api/v1/health").await;
        assert_eq!((answer.status.as_u16(), &answer.json["type"]), (500, &json!("internal_error")));
    }
}
