//! Heavy requests let the others of their instance go on: under Spin one instance serves several at once.

use serde_json::{Value, json};

use crate::{
    gateway::{self, chat, gateway, whole},
    host::Memory,
};

const TEXTS: usize = 40;
const OPENAI: &str = "openai_compatible";

fn texts() -> Vec<Value> {
    (0..TEXTS).map(|number| json!(format!("{number}. Write to jan.novak@example.cz."))).collect()
}

#[tokio::test]
async fn a_batch_is_done_in_turns() {
    for (path, body) in [
        ("/api/v1/detect/batch", json!({ "texts": texts() })),
        ("/api/v1/protect/batch", json!({ "texts": texts() })),
        ("/analyze", json!({ "text": texts(), "language": "en" })),
    ] {
        let host = Memory::default();
        let answer = host.post("pro", path, &body).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text);
        // the test host's clock simulates long work for each text
        assert!(host.turns.get() >= TEXTS / 8, "{path}: {} turns", host.turns.get());
    }
}

#[tokio::test]
async fn a_conversation_is_protected_in_turns() {
    let messages: Vec<_> =
        texts().into_iter().map(|text| json!({ "role": "user", "content": text })).collect();
    for (provider, path, body) in [
        (OPENAI, gateway::CHAT, json!({ "messages": messages })),
        ("anthropic", gateway::MESSAGES, json!({ "messages": messages, "max_tokens": 9 })),
        (OPENAI, "/v1/responses", json!({ "input": messages })),
        (OPENAI, "/v1/embeddings", json!({ "input": texts() })),
    ] {
        let host = gateway(&[(provider, json!({}))], |_| whole(200, &json!({}))).await;
        let answer = chat(&host, path, &body).await;
        assert_eq!(host.sent.borrow().len(), 1, "{path}: {}", answer.text);
        assert!(host.turns.get() >= TEXTS / 8, "{path}: {} turns", host.turns.get());
    }
}
