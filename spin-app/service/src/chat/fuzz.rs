//! Properties of what strangers send, over made inputs and over the conformance vectors.
//!
//! `cargo xtask fuzz` searches for long.

use base64ct::{Base64, Encoding as _};
use futures_util::FutureExt as _;
use proptest::{prelude::*, sample::select};
use serde_json::{Map, Value, json};
use textveil_engine::{Action, DetectOptions, Keyring};

use super::{
    events::{EventReader, SseEvent, Unreadable},
    json_text::{Leaf, Lexer, RewrittenJson, Token, rewrite},
    placeholder::{PlaceholderKey, Placeholders},
    protect::{Guard, protect_body},
    request::RequestSchema,
};

const SECRET: &[u8] = b"0123456789abcdef";

/// Texts of the conformance vectors.
fn corpus() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/conformance/vectors");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let mut texts = Vec::new();
    for file in files {
        let vectors: Vec<Value> = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
        texts
            .extend(vectors.iter().filter_map(|vector| Some(vector["request"]["text"].as_str()?.to_owned())));
    }
    assert!(texts.len() > 500, "{}", texts.len());
    texts
}

fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) }
}

/// Values that are found wherever they stand.
const PLANTED: [&str; 4] =
    ["jan.novak@example.cz", "4111111111111111", "DE89370400440532013000", "+420 777 123 456"];

/// A value in one of the forms in which programs write it.
fn written(value: &str, form: usize) -> Value {
    let escaped =
        |prefix: &str| value.chars().map(|letter| format!("{prefix}{:04x}", u32::from(letter))).collect();
    let text: String = match form {
        0 => value.to_owned(),
        1 => escaped("\\u"),
        2 => escaped("\\\\u"),
        3 => value.bytes().map(|byte| format!("%{byte:02x}")).collect(),
        4 => value.chars().map(|letter| format!("&#{};", u32::from(letter))).collect(),
        5 => value.chars().filter_map(|letter| char::from_u32(u32::from(letter) + 0xe_0000)).collect(),
        6 => format!(
            "data:text/plain;base64,{}",
            Base64::encode_string(format!("write to {value}").as_bytes())
        ),
        7 => json!({ "to": [{ "a": value }] }).to_string(),
        8 => match value.parse::<u64>() {
            Ok(number) => return json!(number),
            Err(_) => value.to_owned(),
        },
        9 => match value.parse::<f64>() {
            Ok(number) if !value.starts_with('+') => return json!(number),
            _ => value.to_owned(),
        },
        _ => json!({ "to": json!({ "a": value }).to_string() }).to_string(),
    };
    Value::String(text)
}

/// A body in the forms of all protocols, with a place for a value in each string.
fn body() -> impl Strategy<Value = Value> {
    const KEYS: [&str; 21] = [
        "messages",
        "input",
        "content",
        "text",
        "role",
        "name",
        "tool_calls",
        "function",
        "arguments",
        "tools",
        "description",
        "parameters",
        "properties",
        "metadata",
        "system",
        "type",
        "output",
        "user",
        "unknown",
        "source",
        "summary",
    ];
    // a bare number in an identifier may be an order
    const ID_KEYS: [&str; 4] = ["id", "call_id", "tool_call_id", "tool_use_id"];
    const WORDS: [&str; 14] = [
        "user",
        "assistant",
        "tool",
        "system",
        "text",
        "function",
        "tool_use",
        "tool_result",
        "message",
        "hello",
        "function_call",
        "function_call_output",
        "document",
        "reasoning",
    ];
    let value = (select(&PLANTED[..]), 0..11usize).prop_map(|(value, form)| written(value, form));
    let leaf = prop_oneof![
        value,
        select(&WORDS[..]).prop_map(Value::from),
        Just(Value::Null),
        any::<bool>().prop_map(Value::from)
    ];
    leaf.prop_recursive(5, 48, 5, |inner| {
        let id = (select(&ID_KEYS[..]), 0..8usize).prop_map(|(key, form)| (key, written(PLANTED[0], form)));
        let member = prop_oneof![(select(&KEYS[..]), inner.clone()), id];
        let member = member.prop_map(|(key, value)| (key.to_owned(), value));
        prop_oneof![
            prop::collection::vec(inner, 0..5).prop_map(Value::from),
            prop::collection::vec(member, 0..5).prop_map(|members| Value::Object(Map::from_iter(members))),
        ]
    })
}

fn protected(mut body: Value, schema: RequestSchema) -> Value {
    let rules = |_: &str| (Vec::new(), Some(Action::Mask));
    let guard = Guard::new(&DetectOptions::default(), rules, Keyring::new(0, SECRET).unwrap()).unwrap();
    let placeholders = Placeholders::new(PlaceholderKey::derive(SECRET).unwrap());
    let mut rest = async || {};
    let done = protect_body(&mut body, guard, placeholders, schema, &mut rest).now_or_never().unwrap();
    done.unwrap();
    body
}

/// Every token, with adjacent pieces of one kind joined.
fn tokens<'t>(pieces: impl IntoIterator<Item = &'t str>) -> Vec<(&'static str, String)> {
    let mut out: Vec<(&str, String)> = Vec::new();
    let mut lexer = Lexer::default();
    let mut take = |token: Token<'_>| {
        let (kind, text) = match token {
            Token::Plain(text) => ("plain", text),
            Token::Begin { key } => (if key { "key" } else { "value" }, ""),
            Token::Text(text) => ("text", text),
            Token::End => ("end", ""),
            Token::Number(text) => ("number", text),
            Token::Broken(text) => ("broken", text),
        };
        match out.last_mut().filter(|(last, _)| *last == kind && !matches!(kind, "end" | "key" | "value")) {
            Some((_, last)) => last.push_str(text),
            None => out.push((kind, text.to_owned())),
        }
    };
    pieces.into_iter().for_each(|piece| lexer.push(piece, &mut take));
    lexer.finish(&mut take);
    out
}

fn events(pieces: &[&[u8]]) -> (Vec<SseEvent>, Result<(), Unreadable>) {
    let (mut reader, mut events) = (EventReader::new(256), Vec::new());
    for piece in pieces {
        if let Err(error) = reader.push(piece, &mut events) {
            return (events, Err(error));
        }
    }
    (events, Ok(()))
}

fn cut<'t>(text: &'t str, at: &prop::sample::Index) -> [&'t str; 2] {
    let (before, after) = text.split_at(text.floor_char_boundary(at.index(text.len() + 1)));
    [before, after]
}

proptest! {
    #![proptest_config(cases(96))]
    #[test]
    fn what_is_sent_has_no_planted_value(body in body(), schema in 0..3usize) {
        use RequestSchema::{Completions, Messages, Responses};
        let sent = protected(body, [Completions, Responses, Messages][schema]).to_string();
        for value in PLANTED {
            for form in 0..11 {
                let form = written(value, form);
                let form = form.as_str().map_or_else(|| form.to_string(), str::to_owned);
                // as a text, and as it is escaped once more
                let nested = json!(form).to_string();
                prop_assert!(!sent.contains(&form) && !sent.contains(nested.trim_matches('"')), "{form}: {sent}");
            }
        }
    }

    #[test]
    fn a_value_over_two_parts_is_not_sent(value in select(&PLANTED[..3]), at in 4..10usize, is_parts: bool) {
        let (first, second) = value.split_at(at);
        let first = format!("it is {first}");
        let messages = match is_parts {
            true => json!([{ "role": "user", "content": [
                { "type": "text", "text": first }, { "type": "text", "text": second } ] }]),
            false => json!([{ "role": "user", "content": first }, { "role": "user", "content": second }]),
        };
        let sent = protected(json!({ "messages": messages }), RequestSchema::Completions).to_string();
        prop_assert!(!sent.contains(second), "{}", sent);
    }
}

proptest! {
    #![proptest_config(cases(512))]
    #[test]
    fn tokens_of_json_do_not_depend_on_cuts(text in prop_oneof![
        select(corpus()).prop_map(|text| json!({ "a": [text, 1.5e3, null], "b": { "c": text } }).to_string()),
        select(corpus()),
        r#"([\{\}\[\],:"\\ ]|\\u[0-9a-d]{0,4}|[a-f0-9]|true|-1e|é){0,40}"#,
    ], at: prop::sample::Index) {
        prop_assert_eq!(tokens(cut(&text, &at)), tokens([&*text]), "{}", text);
        let same = rewrite(&text, |leaf: Leaf<'_>| (!leaf.number).then(|| leaf.text.to_owned()));
        if let RewrittenJson::Changed(new) = same {
            let read = |text: &str| serde_json::from_str::<Value>(text).ok();
            // half of a pair of surrogates is no character
            prop_assert!(read(&new).is_some() && (text.contains("\\ud") || read(&new) == read(&text)), "{text}: {new}");
        }
    }

    #[test]
    fn events_do_not_depend_on_cuts(
        text in prop_oneof![
            select(corpus()).prop_map(|text| format!("event: x\ndata: {text}\n\n")),
            "(data|event|id|:| |\r|\n|\r\n|\n\n|\u{feff}|é|[a-z0-9\\{\\}]){0,40}",
        ],
        bytes in prop::collection::vec(any::<u8>(), 0..6),
        at: prop::sample::Index,
    ) {
        let all = [text.as_bytes(), &bytes, b"\n\n"].concat();
        let at = at.index(all.len() + 1);
        prop_assert_eq!(events(&[&all[..at], &all[at..]]), events(&[&all]));
        let each: Vec<&[u8]> = all.chunks(1).collect();
        prop_assert_eq!(events(&each), events(&[&all]));
    }
}
