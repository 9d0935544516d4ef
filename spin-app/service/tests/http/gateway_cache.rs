//! What an instance of the gateway remembers of a workspace, and for how long (spec §8).

use http::Method;
use serde_json::{Value, json};

use crate::{
    gateway::{ADDRESS, CHAT, ask, chat, echoing, policy, sent},
    host::Answer,
};

#[tokio::test]
async fn a_change_is_seen_at_once_and_what_is_known_is_not_read_again() {
    let host = echoing().await;
    chat(&host, CHAT, &ask(ADDRESS)).await;
    // nobody told of this change: it is not seen before what is known is old
    let hidden = json!([{ "id": "1", "name": "p", "action": "REDACT", "conditions": [], "workspace_id": "initech",
        "created_at": "2026-11-23T10:00:00Z", "updated_at": "2026-11-23T10:00:00Z" }]);
    host.put_config("policies:initech", &hidden);
    let content = |answer: Answer| answer.json["choices"][0]["message"]["content"].clone();
    assert_eq!(content(chat(&host, CHAT, &ask(ADDRESS)).await), ADDRESS);
    host.now_ms.set(host.now_ms.get() + 301_000);
    assert_eq!(content(chat(&host, CHAT, &ask(ADDRESS)).await), "[REDACTED]");
    policy(&host, "FLAG", json!([])).await;
    let answer = host.admin(Method::DELETE, "/policies/1?workspace_id=initech", &Value::Null).await;
    assert_eq!(answer.status, 200);
    assert_eq!(content(chat(&host, CHAT, &ask(ADDRESS)).await), ADDRESS);
    assert!(
        sent(&host).ends_with(&format!(
            "\"role\":\"user\",\"content\":\"{ADDRESS}\"}}],\"model\":\"openai_compatible-1\"}}"
        )),
        "{}",
        sent(&host)
    );
}
