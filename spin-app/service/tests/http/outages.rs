//! What the service answers when something that it depends on is missing.

use http::Request;
use http_body_util::Full;
use serde_json::json;
use textveil_service::Label;

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
