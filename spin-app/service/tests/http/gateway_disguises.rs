//! Values in another form, or over several texts: providers must not receive them.

use base64ct::{Base64, Base64UrlUnpadded, Encoding as _};
use serde_json::{Value, json};

use crate::{
    gateway::{CHAT, MESSAGES, chat, echoing, gateway},
    gateway_responses::RESPONSES,
    host::{Memory, Reply},
};

const EMAIL: &str = "jan.novak@example.cz";
const CARD: &str = "4111111111111111";

/// The bodies that providers received, without the placeholders and what the gateway adds.
fn received(host: &Memory) -> String {
    let bodies = host.sent.borrow();
    bodies.iter().map(|request| String::from_utf8(request.body().to_vec()).unwrap()).collect()
}

/// A body of each protocol that says these texts, as parts of one message or as messages.
fn saying(path: &str, texts: &[String], as_parts: bool) -> Value {
    let part = |text: &String| match path {
        RESPONSES => json!({ "type": "input_text", "text": text }),
        _ => json!({ "type": "text", "text": text }),
    };
    let messages: Vec<Value> = match as_parts {
        true => vec![json!({ "role": "user", "content": texts.iter().map(part).collect::<Vec<_>>() })],
        false => texts.iter().map(|text| json!({ "role": "user", "content": text })).collect(),
    };
    match path {
        RESPONSES => json!({ "model": "primary", "input": messages }),
        _ => json!({ "model": "primary", "max_tokens": 9, "messages": messages }),
    }
}

/// A host whose provider speaks all protocols, and answers nothing of use.
async fn host_of(path: &str) -> Memory {
    let kind = if path == MESSAGES { "anthropic" } else { "openai" };
    gateway(&[(kind, json!({}))], |_| Reply { status: 418, ..Reply::default() }).await
}

#[tokio::test]
async fn values_are_seen_through_encodings() {
    let each = |of: &dyn Fn(char) -> String| EMAIL.chars().map(of).collect::<String>();
    let forms = [
        ("escapes", each(&|letter| format!("\\u{:04x}", u32::from(letter)))),
        ("escaped escapes", each(&|letter| format!("\\\\u{:04x}", u32::from(letter)))),
        ("hexadecimal escapes", each(&|letter| format!("\\x{:02x}", u32::from(letter)))),
        (
            "escaped JSON",
            json!(json!({ "a": each(&|letter| format!("\\u{:04x}", u32::from(letter))) }).to_string())
                .to_string(),
        ),
        ("percent", each(&|letter| format!("%{:02X}", u32::from(letter)))),
        ("one percent", EMAIL.replace('@', "%40")),
        ("percent twice", EMAIL.replace('@', "%2540")),
        ("references", each(&|letter| format!("&#{};", u32::from(letter)))),
        ("one reference", EMAIL.replace('@', "&#x40;")),
        ("a named reference", EMAIL.replace('@', "&commat;")),
        ("tag characters", each(&|letter| char::from_u32(u32::from(letter) + 0xe_0000).unwrap().to_string())),
        ("base64", Base64::encode_string(EMAIL.as_bytes())),
        ("base64 of URLs", Base64UrlUnpadded::encode_string(EMAIL.as_bytes())),
        (
            "a data address",
            format!("data:text/plain;base64,{}", Base64::encode_string(format!("I am {EMAIL}").as_bytes())),
        ),
        ("base64 twice", Base64::encode_string(Base64::encode_string(EMAIL.as_bytes()).as_bytes())),
        ("base64 of JSON", Base64::encode_string(json!({ "to": EMAIL }).to_string().as_bytes())),
    ];
    for (name, form) in &forms {
        for path in [CHAT, RESPONSES, MESSAGES] {
            let host = host_of(path).await;
            let text = format!("Look at {form} please");
            chat(&host, path, &saying(path, &[text], false)).await;
            let received = received(&host);
            let written = json!(form).to_string();
            assert!(!received.is_empty(), "{path} {name}");
            assert!(!received.contains(written.trim_matches('"')), "{path} {name}: {received}");
            assert!(received.contains("Look at "), "{path} {name}: {received}");
            let is_base64 = name.contains("base64") || name.contains("address");
            assert!(is_base64 || received.contains("EMAIL_"), "{path} {name}: {received}");
        }
    }
}

#[tokio::test]
async fn files_of_text_are_protected_and_stay_files() {
    let text = format!("Pay with {CARD}\r\nor ask {EMAIL}\r\n");
    let encoded = Base64::encode_string(text.as_bytes());
    let of_kind = |kind: &str| format!("data:{kind};base64,{encoded}");
    let source = json!({ "type": "base64", "media_type": "text/plain", "data": encoded });
    for (path, part, place) in [
        (
            CHAT,
            json!({ "type": "file", "file": { "filename": "a.txt", "file_data": of_kind("text/plain") } }),
            "/messages/0/content/0/file/file_data",
        ),
        (
            RESPONSES,
            json!({ "type": "input_file", "filename": "a.csv", "file_data": of_kind("text/csv") }),
            "/input/0/content/0/file_data",
        ),
        (MESSAGES, json!({ "type": "document", "source": source }), "/messages/0/content/0/source/data"),
    ] {
        let host = host_of(path).await;
        let messages = json!([{ "role": "user", "content": [part] }]);
        let body = match path {
            RESPONSES => json!({ "model": "primary", "input": messages }),
            _ => json!({ "model": "primary", "max_tokens": 9, "messages": messages }),
        };
        chat(&host, path, &body).await;
        let received: Value = serde_json::from_str(&received(&host)).unwrap();
        let file = received.pointer(place).and_then(Value::as_str).unwrap();
        let data = file.rsplit(',').next().unwrap();
        let file = String::from_utf8(Base64::decode_vec(data).unwrap()).unwrap();
        assert!(file.starts_with("Pay with ") && file.ends_with("\r\n"), "{path}: {file}");
        assert!(file.contains("EMAIL_") && !file.contains(CARD) && !file.contains(EMAIL), "{path}: {file}");
    }
}

#[tokio::test]
async fn values_are_seen_over_texts() {
    for (texts, secrets) in [
        (&["My card is 4111 1111", "1111 1111, thanks"][..], &["4111 1111", "1111 1111"][..]),
        (&["My card is 4111", "1111", "1111", "1111"], &["4111", "\"1111\""]),
        (&["Write to jan.novak", "@example.cz"], &["jan.novak", "@example.cz"]),
        (&["IBAN DE89 3704 0044 0532 ", "0130 00"], &["DE89 3704", "0130 00"]),
    ] {
        for path in [CHAT, RESPONSES, MESSAGES] {
            for as_parts in [true, false] {
                let host = host_of(path).await;
                let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
                chat(&host, path, &saying(path, &texts, as_parts)).await;
                let received = received(&host);
                assert!(!received.is_empty(), "{path} {texts:?}");
                for secret in secrets {
                    assert!(!received.contains(secret), "{path} {texts:?}: {received}");
                }
            }
        }
    }
}

/// Fields that are no text, and are searched unless a provider made them.
#[tokio::test]
async fn identifiers_numbers_and_names_are_searched() {
    let call = |id: &str, name: &str, arguments: &str| {
        json!([
            { "role": "user", "content": "hi", "name": "Eva" },
            { "role": "assistant", "content": null, "tool_calls": [
                { "id": id, "type": "function", "function": { "name": name, "arguments": arguments } }] },
            { "role": "tool", "tool_call_id": id, "content": "done" },
        ])
    };
    let good = "call_zqHD4ndf4bXZYyHJpSwUwQUN";
    for (messages, secret) in [
        (call("call_4111111111111111", "f", "{}"), CARD),
        (call("pesel_44051401359", "f", "{}"), "44051401359"),
        (call(&format!("call_{EMAIL}"), "f", "{}"), "novak"),
        (call(good, "f", r#"{"card": 4111111111111111.0}"#), "4111111111111111"),
        (call(good, "f", r#"{"card": 4.111111111111111e15}"#), "4.111111111111111e15"),
        (call(good, "f", r#"{"card": 4.111111111111111E+15}"#), "4.111111111111111E+15"),
        (call(good, "pay_card_4111111111111111", "{}"), CARD),
        (json!([{ "role": "user", "content": "hi", "name": "Jan_Novak" }]), "Novak"),
        (json!([{ "role": "user", "content": "hi", "name": "jan_novak" }]), "novak"),
    ] {
        let host = echoing().await;
        let answer = chat(&host, CHAT, &json!({ "messages": messages })).await;
        let received = received(&host);
        assert!(!received.is_empty(), "{}", answer.text);
        assert!(!received.contains(secret), "{messages}: {received}");
        // providers take letters, digits, `_` and `-` in names and identifiers
        let body: Value = serde_json::from_str(&received).unwrap();
        let names =
            ["/messages/0/name", "/messages/1/tool_calls/0/id", "/messages/1/tool_calls/0/function/name"];
        for word in names.iter().filter_map(|place| body.pointer(place)?.as_str()) {
            assert!(word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte)), "{word}");
        }
        // the call and its result still belong together
        let ids =
            ["/messages/1/tool_calls/0/id", "/messages/2/tool_call_id"].map(|place| body.pointer(place));
        assert_eq!(ids[0], ids[1], "{received}");
    }
    // a name and an identifier of a provider stay
    let host = echoing().await;
    chat(&host, CHAT, &json!({ "messages": call(good, "get_weather", r#"{"n": 1.5e3}"#) })).await;
    let received = received(&host);
    assert!(
        received.contains(good) && received.contains("get_weather") && received.contains("1.5e3"),
        "{received}"
    );
}

/// A tool whose name holds a value is called by the name that the application knows.
#[tokio::test]
async fn a_replaced_name_of_a_tool_is_restored() {
    let host = gateway(&[("openai", json!({}))], |request| {
        let body: Value = serde_json::from_slice(request.body()).unwrap();
        let name = &body["tools"][0]["function"]["name"];
        let call = json!({ "id": "call_zqHD4ndf4bXZYyHJpSwUwQUN", "type": "function",
            "function": { "name": name, "arguments": "{}" } });
        let message = json!({ "role": "assistant", "content": null, "tool_calls": [call] });
        crate::gateway::whole(
            200,
            &json!({ "id": "c", "object": "chat.completion", "created": 1, "model": "m",
                "choices": [{ "index": 0, "finish_reason": "tool_calls", "message": message }] }),
        )
    })
    .await;
    let name = "pay_card_4111111111111111";
    let tool =
        json!({ "type": "function", "function": { "name": name, "parameters": { "type": "object" } } });
    let body = json!({ "messages": [{ "role": "user", "content": "pay" }], "tools": [tool] });
    let answer = chat(&host, CHAT, &body).await;
    assert!(!received(&host).contains(CARD), "{}", received(&host));
    let call = &answer.json["choices"][0]["message"]["tool_calls"][0];
    assert_eq!(call["function"]["name"], name, "{}", answer.text);
}
