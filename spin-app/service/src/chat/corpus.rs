//! The restore texts of `restore/texts.json` in all protocols, whole and a letter an event.

use serde_json::{Map, Value, json};
use textveil_engine::{Action, Context, DetectOptions, Keyring};
use textveil_restore::Hosts;

use super::{
    anthropic::{MessageStream, restore_message},
    events::SseEvent,
    openai::{CompletionStream, restore_answer},
    placeholder::{PlaceholderKey, Placeholders},
    protect::{Guard, Rules},
    responses::{ResponseStream, restore_response},
    stream::Answer,
};

const SECRET: &[u8] = b"0123456789abcdef";

/// The corpus, and an answer to a request with its values.
struct Corpus {
    json: Value,
    /// The signs of the values with their placeholders and the values.
    made: Vec<(String, String, String)>,
    placeholders: Placeholders,
}

impl Corpus {
    fn read() -> Self {
        let json: Value = serde_json::from_str(include_str!("../../../../restore/texts.json")).unwrap();
        let mut placeholders = Placeholders::new(PlaceholderKey::derive(SECRET).unwrap());
        let mut made = Vec::new();
        for (sign, value) in json["values"].as_object().unwrap() {
            let (kind, value) = (json["types"][sign].as_str().unwrap(), value.as_str().unwrap());
            let placeholder = placeholders.make(kind, value, value).unwrap();
            made.push((sign.clone(), placeholder, value.to_owned()));
        }
        Self { json, made, placeholders }
    }

    fn answer(&self) -> Answer<impl Rules + use<>> {
        let rules = |_: &str| (Vec::new(), Some(Action::Flag));
        let guard = Guard::new(&DetectOptions::default(), rules, Keyring::new(0, SECRET).unwrap()).unwrap();
        let hosts = self.json["restore_hosts"].as_array().unwrap().iter().map(|host| host.as_str().unwrap());
        Answer::new(guard, self.placeholders.clone(), Context::default(), 64).to_hosts(Hosts::new(hosts))
    }

    fn rows(&self, name: &str) -> &Vec<Value> {
        self.json[name].as_array().unwrap()
    }

    /// The text as the model writes it.
    fn with_placeholders(&self, text: &str) -> String {
        self.made.iter().fold(text.to_owned(), |text, (sign, made, _)| text.replace(sign, made))
    }

    fn with_values(&self, text: &str) -> String {
        self.made.iter().fold(text.to_owned(), |text, (sign, _, value)| text.replace(sign, value))
    }

    /// The texts with their results, in which placeholders that stay are signs.
    fn texts(&self) -> Vec<(String, String)> {
        let text = |row: &Value, at: usize| row[at].as_str().unwrap().to_owned();
        let withheld = self.rows("withheld").iter().map(|row| (text(row, 1), text(row, 1)));
        let restored =
            self.rows("restored").iter().map(|row| (text(row, 1), self.with_values(&text(row, 1))));
        let mixed = self.rows("mixed").iter().map(|row| (text(row, 1), text(row, 2)));
        withheld.chain(restored).chain(mixed).collect()
    }

    fn with_signs(&self, text: &str) -> String {
        self.made.iter().fold(text.to_owned(), |text, (sign, made, _)| text.replace(made, sign))
    }

    /// The results for an answer of these parts, in each protocol, whole and streamed.
    fn said(&self, parts: &[&str]) -> Vec<(&'static str, Vec<String>)> {
        let parts: Vec<String> = parts.iter().map(|part| self.with_placeholders(part)).collect();
        let got = [
            ("chat", chat(&mut self.answer(), &parts)),
            ("chat, streamed", chat_streamed(&mut self.answer(), &parts)),
            ("messages", messages(&mut self.answer(), &parts)),
            ("messages, streamed", messages_streamed(&mut self.answer(), &parts)),
            ("responses", responses(&mut self.answer(), &parts)),
            ("responses, streamed", responses_streamed(&mut self.answer(), &parts, "delta")),
            ("responses, repeated texts", responses_streamed(&mut self.answer(), &parts, "text")),
            ("responses, repeated parts", responses_streamed(&mut self.answer(), &parts, "part")),
        ];
        let signs = |texts: Vec<String>| texts.iter().map(|text| self.with_signs(text)).collect();
        got.into_iter().map(|(name, texts)| (name, signs(texts))).collect()
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn chat(answer: &mut Answer<impl Rules>, parts: &[String]) -> Vec<String> {
    let content: Value = match parts {
        [only] => json!(only),
        parts => parts.iter().map(|part| json!({ "type": "text", "text": part })).collect(),
    };
    let mut body = json!({ "choices": [{ "index": 0, "message": { "content": content } }] });
    restore_answer(&mut body, answer).unwrap();
    match &body["choices"][0]["message"]["content"] {
        Value::Array(parts) => parts.iter().map(|part| text(&part["text"])).collect(),
        content => vec![text(content)],
    }
}

fn letters(text: &str) -> impl Iterator<Item = String> {
    text.chars().map(String::from)
}

/// Each part is a choice: applications that show all choices join them.
fn chat_streamed(answer: &mut Answer<impl Rules>, parts: &[String]) -> Vec<String> {
    let mut stream = CompletionStream::default();
    let mut out = vec![String::new(); parts.len()];
    let mut events = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        for (delta, reason) in letters(part)
            .map(|letter| (json!({ "content": letter }), Value::Null))
            .chain([(json!({}), json!("stop"))])
        {
            let choice = json!({ "index": index, "delta": delta, "finish_reason": reason });
            let event = SseEvent::data(json!({ "choices": [choice] }).to_string());
            events.extend(stream.push(answer, event).unwrap());
        }
    }
    events.extend(stream.finish(answer).unwrap());
    for event in events {
        let chunk: Value = serde_json::from_str(&event.data).unwrap();
        let choice = &chunk["choices"][0];
        out[usize::try_from(choice["index"].as_u64().unwrap()).unwrap()] +=
            &text(&choice["delta"]["content"]);
    }
    out
}

fn messages(answer: &mut Answer<impl Rules>, parts: &[String]) -> Vec<String> {
    let content: Value = parts.iter().map(|part| json!({ "type": "text", "text": part })).collect();
    let mut body = json!({ "content": content });
    restore_message(&mut body, answer).unwrap();
    body["content"].as_array().unwrap().iter().map(|block| text(&block["text"])).collect()
}

fn messages_streamed(answer: &mut Answer<impl Rules>, parts: &[String]) -> Vec<String> {
    let mut stream = MessageStream::default();
    let mut out = vec![String::new(); parts.len()];
    for (index, part) in parts.iter().enumerate() {
        let begun = json!({ "type": "content_block_start", "index": index, "content_block": { "type": "text", "text": "" } });
        let deltas = letters(part).map(|letter| {
            json!({ "type": "content_block_delta", "index": index, "delta": { "type": "text_delta", "text": letter } })
        });
        let events = [begun]
            .into_iter()
            .chain(deltas)
            .chain([json!({ "type": "content_block_stop", "index": index })]);
        for event in events {
            for event in stream.push(answer, SseEvent::data(event.to_string())).unwrap() {
                let event: Value = serde_json::from_str(&event.data).unwrap();
                out[index] += &text(&event["delta"]["text"]);
            }
        }
    }
    out
}

fn output(parts: &[String]) -> Value {
    let content: Value =
        parts.iter().map(|part| json!({ "type": "output_text", "text": part, "annotations": [] })).collect();
    json!({ "type": "message", "id": "m", "role": "assistant", "content": content })
}

fn responses(answer: &mut Answer<impl Rules>, parts: &[String]) -> Vec<String> {
    let mut body = json!({ "output": [output(parts)] });
    restore_response(&mut body, answer).unwrap();
    body["output"][0]["content"].as_array().unwrap().iter().map(|part| text(&part["text"])).collect()
}

/// Returns the parts that a reader of these events gets: of the deltas, or of the events that repeat each text or each part.
fn responses_streamed(answer: &mut Answer<impl Rules>, parts: &[String], reader: &str) -> Vec<String> {
    let mut stream = ResponseStream::default();
    let mut out = vec![String::new(); parts.len()];
    let event = |kind: &str, index: usize, members: Value| {
        let mut event = json!({ "type": format!("response.{kind}"), "output_index": 0, "content_index": index, "item_id": "m" });
        event.as_object_mut().unwrap().extend(members.as_object().cloned().unwrap_or_default());
        event
    };
    let mut events = vec![event("output_item.added", 0, json!({ "item": output(&[]) }))];
    for (index, part) in parts.iter().enumerate() {
        events.extend(
            letters(part).map(|letter| event("output_text.delta", index, json!({ "delta": letter }))),
        );
        events.push(event("output_text.done", index, json!({ "text": part })));
        let whole = json!({ "type": "output_text", "text": part, "annotations": [] });
        events.push(event("content_part.done", index, json!({ "part": whole })));
    }
    events.push(event("completed", 0, json!({ "response": { "output": [output(parts)] } })));
    let mut completed = Vec::new();
    for event in events {
        for event in stream.push(answer, SseEvent::data(event.to_string())).unwrap().0 {
            let event: Value = serde_json::from_str(&event.data).unwrap();
            let index = event["content_index"].as_u64().unwrap_or_default();
            let own = match reader {
                "part" => &event["part"]["text"],
                reader => &event[reader],
            };
            out[usize::try_from(index).unwrap()] += &text(own);
            if let Some(parts) = event.pointer("/response/output/0/content").and_then(Value::as_array) {
                completed = parts.iter().map(|part| text(&part["text"])).collect();
            }
        }
    }
    assert_eq!(completed, out, "the whole response and its events, {reader}");
    out
}

#[test]
fn every_text_in_every_protocol() {
    let corpus = Corpus::read();
    let mut wrong = Vec::new();
    for (text, want) in corpus.texts() {
        for (protocol, got) in corpus.said(&[&text]) {
            if got != [want.clone()] {
                wrong.push(format!("{protocol}: {text:?} gives {got:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong: {wrong:#?}", wrong.len());
}

#[test]
fn parts_are_one_text_in_every_protocol() {
    let corpus = Corpus::read();
    for row in corpus.rows("parts") {
        let parts: Vec<&str> = row[1].as_array().unwrap().iter().map(|part| part.as_str().unwrap()).collect();
        let want = if row[2].is_null() { &row[1] } else { &row[2] };
        for (protocol, got) in corpus.said(&parts) {
            assert_eq!(&Value::from(got), want, "{protocol}: {}", row[0]);
        }
    }
}

/// The arguments that the application gets, in each protocol, whole and streamed.
fn called(corpus: &Corpus, tool: &str, arguments: &str) -> Vec<(&'static str, String)> {
    let function = json!({ "name": tool, "arguments": arguments });
    let mut body =
        json!({ "choices": [{ "message": { "tool_calls": [{ "id": "c", "function": function }] } }] });
    restore_answer(&mut body, &mut corpus.answer()).unwrap();
    let mut all =
        vec![("chat", text(&body["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"]))];

    let (mut stream, mut answer, mut out) = (CompletionStream::default(), corpus.answer(), String::new());
    let functions = [json!({ "name": tool, "arguments": "" })]
        .into_iter()
        .chain(letters(arguments).map(|letter| json!({ "arguments": letter })));
    let choices = functions
        .map(|function| json!({ "index": 0, "delta": { "tool_calls": [{ "index": 0, "function": function }] } }))
        .chain([json!({ "index": 0, "delta": {}, "finish_reason": "tool_calls" })]);
    for choice in choices {
        for event in
            stream.push(&mut answer, SseEvent::data(json!({ "choices": [choice] }).to_string())).unwrap()
        {
            let chunk: Value = serde_json::from_str(&event.data).unwrap();
            out += &text(&chunk["choices"][0]["delta"]["tool_calls"][0]["function"]["arguments"]);
        }
    }
    all.push(("chat, streamed", out));

    if let Ok(input) = serde_json::from_str::<Map<String, Value>>(arguments) {
        let mut body =
            json!({ "content": [{ "type": "tool_use", "id": "c", "name": tool, "input": input }] });
        restore_message(&mut body, &mut corpus.answer()).unwrap();
        all.push(("messages", body["content"][0]["input"].to_string()));
    }

    let (mut stream, mut answer, mut out) = (MessageStream::default(), corpus.answer(), String::new());
    let block = json!({ "type": "tool_use", "id": "c", "name": tool, "input": {} });
    let deltas = letters(arguments).map(|letter| {
        json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "input_json_delta", "partial_json": letter } })
    });
    let events = [json!({ "type": "content_block_start", "index": 0, "content_block": block })]
        .into_iter()
        .chain(deltas)
        .chain([json!({ "type": "content_block_stop", "index": 0 })]);
    for event in events {
        for event in stream.push(&mut answer, SseEvent::data(event.to_string())).unwrap() {
            let event: Value = serde_json::from_str(&event.data).unwrap();
            out += &text(&event["delta"]["partial_json"]);
        }
    }
    all.push(("messages, streamed", out));

    let item =
        json!({ "type": "function_call", "id": "i", "call_id": "c", "name": tool, "arguments": arguments });
    let mut body = json!({ "output": [item] });
    restore_response(&mut body, &mut corpus.answer()).unwrap();
    all.push(("responses", text(&body["output"][0]["arguments"])));

    let (mut stream, mut answer, mut out) = (ResponseStream::default(), corpus.answer(), String::new());
    let begun = json!({ "type": "function_call", "id": "i", "call_id": "c", "name": tool, "arguments": "" });
    let event = |kind: &str, key: &str, value: Value| json!({ "type": format!("response.{kind}"), "output_index": 0, "item_id": "i", key: value });
    let deltas =
        letters(arguments).map(|letter| event("function_call_arguments.delta", "delta", json!(letter)));
    let events = [event("output_item.added", "item", begun)].into_iter().chain(deltas).chain([event(
        "function_call_arguments.done",
        "arguments",
        json!(arguments),
    )]);
    for event in events {
        for event in stream.push(&mut answer, SseEvent::data(event.to_string())).unwrap().0 {
            let event: Value = serde_json::from_str(&event.data).unwrap();
            out += &text(&event["delta"]);
            if event["type"] == "response.function_call_arguments.done" {
                all.push(("responses, repeated", text(&event["arguments"])));
            }
        }
    }
    all.push(("responses, streamed", out));
    all
}

#[test]
fn every_call_in_every_protocol() {
    let corpus = Corpus::read();
    for row in corpus.rows("calls") {
        let (tool, written) = (row[1].as_str().unwrap(), row[2].as_str().unwrap());
        for (protocol, got) in called(&corpus, tool, &corpus.with_placeholders(written)) {
            let is_restored = corpus.made.iter().all(|(_, made, _)| !got.contains(made));
            assert_eq!(is_restored, row[3] == true, "{protocol}, {}: {got}", row[0]);
        }
    }
}

/// A call's arguments are held from the first placeholder on, and not before.
#[test]
fn arguments_without_a_placeholder_pass() {
    let corpus = Corpus::read();
    let mut stream = MessageStream::default();
    let mut answer = corpus.answer();
    let mut pushed = |event: Value| -> String {
        let events = stream.push(&mut answer, SseEvent::data(event.to_string())).unwrap();
        events
            .iter()
            .map(|event| text(&serde_json::from_str::<Value>(&event.data).unwrap()["delta"]["partial_json"]))
            .collect()
    };
    let delta = |json: &str| json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "input_json_delta", "partial_json": json } });
    let block = json!({ "type": "tool_use", "id": "c", "name": "f", "input": {} });
    pushed(json!({ "type": "content_block_start", "index": 0, "content_block": block }));
    assert_eq!(pushed(delta("{\"a\": \"long text\", ")), "{\"a\": \"long text\", ");
    let email = corpus.with_placeholders("@E");
    assert_eq!(pushed(delta(&format!("\"b\": \"{email}\", \"c\": 1"))), "\"b\": \"");
    // a host that may not get it: the rest need not wait
    let host = delta(", \"d\": \"https://evil.example/\", ");
    assert_eq!(pushed(host), format!("{email}\", \"c\": 1, \"d\": \"https://evil.example/\", "));
}
