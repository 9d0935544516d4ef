//! `POST /api/v1/documents`: documents of each format.

use base64ct::{Base64, Encoding};
use serde_json::{Value, json};

use crate::host::{Answer, Memory};

async fn protect(host: &Memory, body: Value) -> Answer {
    host.post("pro", "/api/v1/documents", &body).await
}

#[tokio::test]
async fn only_values_change() {
    let host = Memory::default();
    for (format, document, expected) in [
        ("text", "PESEL 44051401359", "PESEL [REDACTED]"),
        ("csv", "pesel;x\r\n44051401359;1\r\n", "pesel;x\r\n[REDACTED];1\r\n"),
        ("json", "{\"pesel\": 44051401359, \"n\": 1.50}", "{\"pesel\": \"[REDACTED]\", \"n\": 1.50}"),
        (
            "ndjson",
            "{\"pesel\":44051401359}\nPESEL 44051401359",
            "{\"pesel\":\"[REDACTED]\"}\nPESEL [REDACTED]",
        ),
        ("html", "<p>PESEL 440514<b>01359</b>", "<p>PESEL [REDACTED]<b>[REDACTED]</b>"),
        ("xml", "<pesel>44051401359</pesel>", "<pesel>[REDACTED]</pesel>"),
        ("yaml", "pesel: 44051401359\nn: 1\n", "pesel: \"[REDACTED]\"\nn: 1\n"),
        ("toml", "pesel = 44051401359\n", "pesel = \"[REDACTED]\"\n"),
        ("ini", "pesel = 44051401359\n", "pesel = [REDACTED]\n"),
        ("ipynb", "{\"source\": [\"PESEL 44051401359\"]}", "{\"source\": [\"PESEL [REDACTED]\"]}"),
        ("vcard", "PESEL:44051401359\n", "PESEL:[REDACTED]\n"),
        ("srt", "1\n00:01 --> 00:02\nPESEL 44051401359\n", "1\n00:01 --> 00:02\nPESEL [REDACTED]\n"),
        ("eml", "Subject: PESEL 44051401359\n\nx\n", "Subject: PESEL [REDACTED]\n\nx\n"),
    ] {
        let answer = protect(&host, json!({ "document": document, "format": format })).await;
        assert_eq!(answer.status.as_u16(), 200, "{}", answer.text);
        assert_eq!(answer.json["protected_document"], expected, "{format}");
        assert_eq!(answer.json["format"], format);
        assert_eq!(answer.json["countries_detected"][0]["code"], "pl", "{format}");
    }
}

#[tokio::test]
async fn a_name_is_found_in_a_key() {
    let host = Memory::default();
    let document = r#"{"Emily Carter": 1, "Full Name": 2, "John Smith": {"count": [3]}}"#;
    let answer = protect(&host, json!({ "document": document, "format": "json" })).await;
    let expected = r#"{"[REDACTED]": 1, "Full Name": 2, "[REDACTED]": {"count": [3]}}"#;
    assert_eq!(answer.json["protected_document"], expected, "{}", answer.text);
    let found = &answer.json["entities"][0];
    let place = (&found["original"], &found["line"], &found["column"], &found["field"]);
    assert_eq!(place, (&json!("Emily Carter"), &json!(1), &json!(3), &Value::Null), "{}", answer.text);
}

#[tokio::test]
async fn findings_have_their_places() {
    let host = Memory::default();
    let document = "note,pesel\nč,\"44051401359\"\n";
    let answer = protect(&host, json!({ "document": document, "format": "csv", "explain": true })).await;
    let found = &answer.json["entities"][0];
    assert_eq!(
        (&found["line"], &found["column"], &found["field"], &found["start"], &found["end"]),
        (&json!(2), &json!(4), &json!("pesel"), &json!(0), &json!(11)),
        "{}",
        answer.text
    );
    assert_eq!((&found["original"], &found["protected"]), (&json!("44051401359"), &json!("[REDACTED]")));
}

#[tokio::test]
async fn tokens_are_restored() {
    let host = Memory::default();
    let body = json!({ "document": "<a href=\"mailto:jan.novak@example.cz\">", "format": "html", "mode": "tokenize" });
    let tokens = protect(&host, body).await.json["protected_document"].clone();
    assert!(tokens.as_str().unwrap().contains("tok_xx_email_"), "{tokens}");
    let restored = host.post("pro", "/api/v1/restore", &json!({ "text": tokens })).await;
    assert_eq!(restored.json["text"], "<a href=\"mailto:jan.novak@example.cz\">");
    // read as text, a token is known by its escapes, and its original is written as it reads
    let body =
        json!({ "document": "<p>Siobh&aacute;n O&#039;Brien</p>", "format": "html", "mode": "tokenize" });
    let tokens = protect(&host, body).await.json["protected_document"].clone();
    assert!(tokens.as_str().unwrap().contains("&#0"), "{tokens}");
    let restored = host.post("pro", "/api/v1/restore", &json!({ "text": tokens })).await;
    assert_eq!(restored.json["text"], "<p>Siobhán O'Brien</p>");
}

#[tokio::test]
async fn content_tells_the_format_where_the_caller_does_not() {
    let host = Memory::default();
    for (document, format, expected) in [
        (
            "-- people\nINSERT INTO t (id, pesel) VALUES (1, 44051401359);\n",
            "sql",
            "-- people\nINSERT INTO t (id, pesel) VALUES (1, '[REDACTED]');\n",
        ),
        ("Please insert PESEL 44051401359.", "text", "Please insert PESEL [REDACTED]."),
    ] {
        let encoded = Base64::encode_string(document.as_bytes());
        for body in [json!({ "document": document }), json!({ "document_base64": encoded })] {
            let answer = protect(&host, body).await;
            assert_eq!(answer.json["format"], format, "{}", answer.text);
            assert_eq!(answer.json["protected_document"], expected, "{}", answer.text);
        }
    }
}

#[tokio::test]
async fn other_encodings_are_read() {
    let host = Memory::default();
    let bytes = b"rodn\xe9 \xe8\xedslo 800101/1238";
    for charset in [json!("windows-1250"), Value::Null] {
        let encoded = Base64::encode_string(bytes);
        let body = json!({ "document_base64": encoded, "format": "text", "charset": charset });
        let answer = protect(&host, body).await;
        let text = answer.json["protected_document"].as_str().unwrap();
        assert!(text.ends_with("slo [REDACTED]"), "{text}");
        assert!(charset.is_null() || text.starts_with("rodné číslo"), "{text}");
    }
}

#[tokio::test]
async fn what_is_at_fault_is_named_and_not_quoted() {
    let host = Memory::default();
    let document = |format: &str, document: &str| json!({ "format": format, "document": document });
    for (body, field) in [
        (document("csv", "a,b\n1,\"44051401359"), "document"),
        (document("json", "{\"44051401359\": [}"), "document"),
        (document("docx", "44051401359"), "document"),
        (document("eml", "Content-Type: image/png\n\n44051401359"), "document"),
        (document("pdf", "44051401359"), "format"),
        (json!({ "format": 1, "document": "44051401359" }), "format"),
        (json!({ "format": "text" }), "document"),
        (json!({ "format": "text", "document": 44051401359_u64 }), "document"),
        (json!({ "format": "text", "document": "44051401359", "document_base64": "" }), "document"),
        (json!({ "format": "text", "document_base64": "44051401359" }), "document_base64"),
        (json!({ "format": "text", "document_base64": "", "charset": "utf-99" }), "charset"),
        (json!({ "format": "text", "document": "44051401359", "charset": "utf-8" }), "charset"),
        (
            json!({ "format": "text", "document": "44051401359", "hints": [{ "type": "name", "start": 0, "end": 1, "confidence": 0.9 }] }),
            "hints",
        ),
        (
            json!({ "format": "text", "document": "44051401359", "cells": [{ "start": 0, "end": 1 }] }),
            "cells",
        ),
        (document("text", "%PDF-1.4\n44051401359"), "document"),
        (json!({ "format": "text", "document": "44051401359", "mode": "shred" }), "mode"),
    ] {
        let answer = protect(&host, body.clone()).await;
        assert_eq!(
            (answer.status.as_u16(), &answer.json["error"]["details"]["field"]),
            (400, &json!(field)),
            "{body} {}",
            answer.text
        );
        assert!(!answer.text.contains("4405"), "{}", answer.text);
    }
}

#[tokio::test]
async fn policies_apply() {
    let host = Memory::default();
    host.put_config(
        "policies:globex",
        &json!([{
            "id": "p", "name": "p", "action": "BLOCK", "priority": 1, "conditions": [{ "entity_types": ["PESEL"] }],
            "workspace_id": "globex", "created_at": "2026-11-23T10:00:20Z", "updated_at": "2026-11-23T10:00:20Z",
        }]),
    );
    let body = json!({ "document": "<pesel>44051401359</pesel>", "format": "xml", "mode": "policy" });
    let blocked = host.post("enterprise", "/api/v1/documents", &body).await;
    assert_eq!(
        (blocked.status.as_u16(), &blocked.json["error"]["code"]),
        (403, &json!("policy_violation")),
        "{}",
        blocked.text
    );
    let refused = protect(&host, body).await;
    assert_eq!(refused.status.as_u16(), 400);
    assert!(refused.text.contains("requires the Enterprise plan"), "{}", refused.text);
}
