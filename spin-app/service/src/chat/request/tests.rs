use futures_util::FutureExt;
use serde_json::json;

use super::{forms::is_seal, *};

fn walk(body: &mut Value, schema: RequestSchema, visit: &mut impl Visit) -> Result<Left, TooDeep> {
    super::walk(body, schema, visit, &mut async || {}).now_or_never().unwrap()
}

/// As Anthropic's signatures look.
const SEAL: &str = "EqQBCgIYAhIM1gbcDa9GJwZA2b3h";

/// Every string that is shown, as `role|label|text`, and the body with each of them in brackets.
fn shown(body: &Value) -> (Vec<String>, Value, Left) {
    let (mut body, mut seen) = (body.clone(), Vec::new());
    let mut visit = |at: At<'_>, text: &str| {
        let signed = if at.signed { "signed|" } else { "" };
        seen.push(format!("{signed}{}|{}|{text}", at.role, at.label.unwrap_or("-")));
        Some(format!("<{text}>"))
    };
    let left = walk(&mut body, RequestSchema::Messages, &mut visit).unwrap();
    seen.sort();
    (seen, body, left)
}

#[test]
fn strings_and_their_roles() {
    for (body, want, after) in [
        (
            json!({ "model": "m", "messages": [{ "role": "user", "content": "hi", "name": "Jan" }] }),
            vec!["user|-|Jan", "user|-|hi"],
            json!({ "model": "m", "messages": [{ "role": "user", "content": "<hi>", "name": "<Jan>" }] }),
        ),
        (
            json!({ "messages": [{ "role": "tool", "tool_call_id": "call_1", "content": [
                { "type": "text", "text": "a" }, "b" ] }] }),
            vec!["tool|-|1", "tool|-|a", "tool|-|b"],
            json!({ "messages": [{ "role": "tool", "tool_call_id": "call_<1>", "content": [
                { "type": "text", "text": "<a>" }, "<b>" ] }] }),
        ),
        (
            json!({ "messages": [{ "role": "jan@x.cz", "tool_call_id": "jan@x.cz" }] }),
            vec!["user|-|jan@x.cz", "user|-|jan@x.cz"],
            json!({ "messages": [{ "role": "<jan@x.cz>", "tool_call_id": "<jan@x.cz>" }] }),
        ),
        (
            json!({ "messages": [{ "role": "assistant", "content": null, "tool_calls": [{ "id": "c",
                "type": "function", "function": { "name": "f",
                "arguments": "{ \"ssn\": \"1\", \"n\": 1.50, \"card\": 4111111111111111 }" } }] }] }),
            vec![
                "assistant|-|c",
                "assistant|-|card",
                "assistant|-|f",
                "assistant|-|n",
                "assistant|-|ssn",
                "assistant|card|4111111111111111",
                "assistant|ssn|1",
            ],
            json!({ "messages": [{ "role": "assistant", "content": null, "tool_calls": [{ "id": "<c>",
                "type": "function", "function": { "name": "<f>", "arguments":
                "{ \"<ssn>\": \"<1>\", \"<n>\": 1.50, \"<card>\": \"<4111111111111111>\" }" } }] }] }),
        ),
        (
            json!({ "messages": [{ "role": "assistant", "tool_calls": [{ "function": {
                "arguments": "not json" } }] }] }),
            vec!["assistant|-|not json"],
            json!({ "messages": [{ "role": "assistant", "tool_calls": [{ "function": {
                "arguments": "<not json>" } }] }] }),
        ),
        (
            json!({ "user": "u", "metadata": { "k": "v", "type": "t" }, "new": ["x"], "seed": 12345678 }),
            vec![
                "user|-|k",
                "user|-|new",
                "user|-|type",
                "user|k|v",
                "user|new|x",
                "user|type|t",
                "user|user|u",
            ],
            json!({ "user": "<u>", "metadata": { "<k>": "<v>", "<type>": "<t>" }, "<new>": ["<x>"],
                "seed": 12345678 }),
        ),
        (
            json!({ "system": "s", "tools": [{ "type": "function", "function": { "name": "f",
                "description": "d", "parameters": { "type": "object", "properties": { "p": {
                "type": "string", "enum": ["e"], "description": "pd", "default": "dv" } },
                "required": ["p"] } } }] }),
            vec![
                "system|-|d",
                "system|-|dv",
                "system|-|e",
                "system|-|f",
                "system|-|p",
                "system|-|p",
                "system|-|pd",
                "system|-|s",
            ],
            json!({ "system": "<s>", "tools": [{ "type": "function", "function": { "name": "<f>",
                "description": "<d>", "parameters": { "type": "object", "properties": { "<p>": {
                "type": "string", "enum": ["<e>"], "description": "<pd>", "default": "<dv>" } },
                "required": ["<p>"] } } }] }),
        ),
        (
            json!({ "messages": [{ "role": "assistant", "function_call": { "name": "f", "arguments": "{\"a\":\"b\"}" } }] }),
            vec!["assistant|-|a", "assistant|-|f", "assistant|a|b"],
            json!({ "messages": [{ "role": "assistant", "function_call": { "name": "<f>",
                "arguments": "{\"<a>\":\"<b>\"}" } }] }),
        ),
        (json!("alone"), vec!["user|-|alone"], json!("<alone>")),
    ] {
        let (seen, changed, _) = shown(&body);
        assert_eq!(seen, want, "{body}");
        assert_eq!(changed, after, "{body}");
    }
}

#[test]
fn what_is_left() {
    let parts = |parts: Value| json!({ "messages": [{ "role": "user", "content": parts }] });
    let thought = |parts: Value| json!({ "messages": [{ "role": "assistant", "content": parts }] });
    let none = Left::default();
    for (body, want, seen) in [
        (
            parts(json!([{ "type": "image_url", "image_url": { "url": "data:image/png;base64,AA" } }])),
            Left { images: 1, ..none },
            vec![],
        ),
        (
            parts(json!([{ "type": "image_url", "image_url": { "url": "https://x/" } }])),
            Left { images: 1, ..none },
            vec!["user|-|https://x/"],
        ),
        (
            parts(json!([{ "type": "input_audio", "input_audio": { "data": "AA", "format": "wav" } }])),
            Left { audio: 1, ..none },
            vec!["user|-|wav"],
        ),
        (
            parts(json!([{ "type": "file", "file": { "file_id": "f-1" } }])),
            Left { files: 1, ..none },
            vec!["user|-|f-1"],
        ),
        (
            parts(json!([{ "type": "file", "file": { "file_id": "file-BK7bzQj3FfZFXr7DbL6xJwfo" } }])),
            Left { files: 1, ids: 1, ..none },
            vec![],
        ),
        // a file of text is read, and does not count as one that cannot be inspected
        (
            parts(
                json!([{ "type": "input_file", "filename": "n", "file_data": "data:text/plain;base64,dA==" }]),
            ),
            none,
            vec!["user|-|t", "user|filename|n"],
        ),
        (
            parts(
                json!([{ "type": "file", "file": { "filename": "n", "file_data": "data:text/csv;base64,dA==" } }]),
            ),
            none,
            vec!["user|-|n", "user|-|t"],
        ),
        (
            parts(json!([{ "type": "document", "title": "n",
                "source": { "type": "base64", "media_type": "text/plain", "data": "dA==" } }])),
            none,
            vec!["user|-|base64", "user|-|t", "user|-|text/plain", "user|-|title", "user|title|n"],
        ),
        (
            parts(json!([{ "type": "input_file", "file_data": "data:application/pdf;base64,dA==" }])),
            Left { files: 1, ..none },
            vec![],
        ),
        (
            parts(json!([{ "type": "thinking", "thinking": "t", "signature": "" }])),
            none,
            vec!["user|-|signature", "user|-|thinking", "user|thinking|t"],
        ),
        // a search of the provider's, as it comes back with the next turn
        (
            parts(json!([
                { "type": "server_tool_use", "id": "s1", "name": "web_search", "input": { "query": "q" } },
                { "type": "web_search_tool_result", "tool_use_id": "s1", "content": [
                    { "type": "web_search_result", "title": "t", "encrypted_content": "EqQBCgIYAhIM1gbcDa9GJwZA2b3h" }] },
                { "type": "web_search_tool_result", "tool_use_id": "s2", "content":
                    { "type": "web_search_tool_result_error", "error_code": "c" } },
            ])),
            none,
            vec![
                "tool|-|error_code",
                "tool|-|s1",
                "tool|-|s2",
                "tool|-|title",
                "tool|error_code|c",
                "tool|title|t",
                "user|-|query",
                "user|-|s1",
                "user|-|web_search",
                "user|query|q",
            ],
        ),
        (
            json!({ "modalities": ["text", "audio"] }),
            Left { audio: 1, ..none },
            vec!["user|-|audio", "user|-|text"],
        ),
        // bytes in an unexpected place are text
        (
            parts(
                json!([{ "type": "text", "text": "t", "file": { "file_data": "f" }, "image_url": "data:,i" }]),
            ),
            none,
            vec!["user|-|file_data", "user|-|t", "user|file_data|f", "user|image_url|data:,i"],
        ),
        (
            parts(
                json!([{ "type": "tool_result", "content": [{ "type": "text", "source": { "data": "s" } }] }]),
            ),
            none,
            vec!["tool|-|data", "tool|data|s"],
        ),
        (
            parts(json!([{ "type": "document", "source": { "type": "text", "data": "d" } }])),
            none,
            vec!["user|-|data", "user|-|type", "user|data|d", "user|type|text"],
        ),
        // a search result is no text of the caller, nor is what a document has in it
        (
            parts(json!([{ "type": "search_result", "source": "https://x/", "title": "t",
                "content": [{ "type": "text", "text": "c" }] }])),
            none,
            vec!["tool|-|c", "tool|-|title", "tool|source|https://x/", "tool|title|t"],
        ),
        (
            parts(json!([{ "type": "document", "source": { "type": "content", "content": [
                { "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "AA" } }] } }])),
            Left { images: 1, ..none },
            vec!["user|-|base64", "user|-|image/png"],
        ),
        // nothing that a user says is signed by the provider
        (
            parts(json!([{ "type": "text", "text": "t", "signature": "EqQBCgIYAhIM1gbcDa9GJwZA2b3h" }])),
            none,
            vec!["user|-|signature", "user|-|t", "user|signature|EqQBCgIYAhIM1gbcDa9GJwZA2b3h"],
        ),
        (
            json!({ "messages": [{ "images": ["AA"], "audio": { "data": "BB" },
                "x": [{ "y": "data:image/png;base64,AA" }], "content": "data:image/png;base64,AA" }] }),
            Left { images: 1, audio: 1, files: 1, ..none },
            vec![
                "user|-|AA",
                "user|-|BB",
                "user|-|data",
                "user|-|data:image/png;base64,AA",
                "user|-|images",
                "user|-|x",
                "user|-|y",
                "user|y|data:image/png;base64,AA",
            ],
        ),
        (
            json!({ "user": 4111111111111111_u64, "seed": 4111111111111111_u64, "metadata": 4111111111111111_u64 }),
            none,
            vec!["user|metadata|4111111111111111", "user|user|4111111111111111"],
        ),
        (
            json!({ "messages": [{ "tool_call_id": "44051401359", "content": [
                { "type": "redacted_thinking", "data": "44051401359" }] }] }),
            none,
            vec!["user|-|44051401359", "user|-|data", "user|data|44051401359"],
        ),
        (
            json!({ "tools": [{ "parameters": { "enum": [1, 2.5], "const": { "a": ["b", 3, null] } } }] }),
            none,
            vec!["system|-|a", "system|a|b"],
        ),
        (
            parts(json!([{ "type": "new", "x": "y" }])),
            Left { unknown: 1, ..none },
            vec!["user|-|x", "user|x|y"],
        ),
        (parts(json!({ "x": "y" })), Left { unknown: 1, ..none }, vec!["user|-|x", "user|x|y"]),
        // a seal of a provider, in the role that has one
        (
            thought(json!([{ "type": "thinking", "thinking": "t", "signature": SEAL }])),
            Left { signed: 1, ..none },
            vec!["signed|assistant|-|t"],
        ),
        (
            thought(json!([{ "type": "redacted_thinking", "data": SEAL, "x": "y" }])),
            Left { signed: 1, ..none },
            vec!["assistant|-|x", "assistant|x|y"],
        ),
        // a made-up seal, and a seal in another role
        (
            thought(json!([{ "type": "thinking", "thinking": "t", "signature": "4111111111111111" }])),
            none,
            vec![
                "assistant|-|signature",
                "assistant|-|thinking",
                "assistant|signature|4111111111111111",
                "assistant|thinking|t",
            ],
        ),
        (
            parts(json!([{ "type": "thinking", "thinking": "t", "signature": SEAL }])),
            none,
            vec![
                "user|-|signature",
                "user|-|thinking",
                "user|signature|EqQBCgIYAhIM1gbcDa9GJwZA2b3h",
                "user|thinking|t",
            ],
        ),
        (
            parts(json!([{ "type": "text", "text": "t", "encrypted_content": "4111111111111111" }])),
            none,
            vec!["user|-|t", "user|encrypted_content|4111111111111111"],
        ),
        (
            json!({ "response_format": { "type": "json_schema", "json_schema": { "schema": {
                "properties": { "a": { "const": "c", "$ref": "r" } }, "$defs": { "d": { "pattern": "p" } } } } } }),
            none,
            vec!["system|-|a", "system|-|c", "system|-|d", "system|-|p", "system|-|r"],
        ),
    ] {
        let (shown, _, left) = shown(&body);
        assert_eq!((left, shown), (want, seen.into_iter().map(str::to_owned).collect()), "{body}");
    }
}

#[test]
fn keys_that_become_one_keep_their_values() {
    let mut body = json!({ "metadata": { "a": 1, "b": 2, "c": 3 } });
    let mut visit = |_: At<'_>, text: &str| (text.len() == 1).then(|| "x".to_owned());
    walk(&mut body, RequestSchema::Messages, &mut visit).unwrap();
    assert_eq!(body, json!({ "metadata": { "x": 1, "x_2": 2, "x_3": 3 } }));
}

/// A provider that signs nothing gets nothing that is called signed.
#[test]
fn without_seals_everything_is_text() {
    let part = json!({ "type": "thinking", "thinking": "t", "signature": SEAL, "encrypted_content": SEAL });
    let mut body = json!({ "messages": [{ "role": "assistant", "content": [part] }] });
    let mut seen = 0;
    let left = walk(&mut body, RequestSchema::Completions, &mut |at: At<'_>, _: &str| {
        assert!(!at.signed);
        seen += 1;
        None
    });
    assert_eq!((left, seen), (Ok(Left::default()), 5));
}

#[test]
fn seals() {
    for (text, want) in [
        (SEAL, true),
        ("c2lnbmVkIGJ5IHRoZSBwcm92aWRlcg==", true),
        ("gAAAAABm-_x7Zk2qd3mabX9Y8Z7W6V5U", true),
        ("4111111111111111", false),
        ("41111111111111114111111111111111", false),
        ("made-up", false),
        ("eva@example.com0123456789ABCDEFGH", false),
        ("jannovakjannovakjannovak", false),
        ("EqQBCgIYAhIM1gbcDa9GJwZA2b3h=a", false),
    ] {
        assert_eq!(is_seal(&json!(text)), want, "{text}");
    }
}

#[test]
fn depth_is_bounded() {
    let nest = |levels: usize| (0..levels).fold(json!("x"), |inner, _| json!([inner]));
    for (levels, fits) in [(50, true), (100, false)] {
        let mut body = json!({ "metadata": nest(levels) });
        assert_eq!(
            walk(&mut body, RequestSchema::Messages, &mut |_: At<'_>, _: &str| None).is_ok(),
            fits,
            "{levels}"
        );
    }
}
