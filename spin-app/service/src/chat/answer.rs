//! A whole answer of a chat completion: every text of every choice is protected, then restored.
//!
//! The same as in a stream of its texts: an application sees no difference.

use serde_json::{Map, Value};

use super::{
    body::free_key,
    json_text::{Lexer, Token, escape},
    protect::Rules,
    stream::{Answer, TextStream},
};
use crate::error::ApiError;

/// How deep an answer may nest.
const MAX_DEPTH: usize = 64;

/// Protects and restores an answer in place. On an error nothing of it may be passed on.
///
/// Everything that is no text of a choice is protected and restored too, but for what the API itself says.
///
/// # Errors
/// `policy_violation` where a policy blocks; `internal_error` where the answer nests too deep.
pub fn restore_answer<R: Rules>(body: &mut Value, answer: &mut Answer<R>) -> Result<(), ApiError> {
    let Value::Object(members) = body else { return texts(body, answer, 0) };
    for (key, value) in members.iter_mut() {
        match key.as_str() {
            "choices" => each(value, |choice| self::choice(choice, answer))?,
            "id" | "object" | "model" | "created" | "usage" | "service_tier" | "system_fingerprint" => {}
            _ => texts(value, answer, 1)?,
        }
    }
    Ok(())
}

fn choice<R: Rules>(choice: &mut Value, answer: &mut Answer<R>) -> Result<(), ApiError> {
    let Value::Object(members) = choice else { return texts(choice, answer, 0) };
    let mut changed = false;
    for (key, value) in members.iter_mut() {
        match key.as_str() {
            "message" | "delta" => changed |= message(value, answer)?,
            "text" => changed |= text(value, answer)?,
            "finish_reason" | "index" | "logprobs" => {}
            _ => texts(value, answer, 1)?,
        }
    }
    logprobs(members, answer, changed)
}

/// The tokens of a text that was changed say what it was, and no longer fit it.
fn logprobs<R: Rules>(
    choice: &mut Map<String, Value>,
    answer: &mut Answer<R>,
    changed: bool,
) -> Result<(), ApiError> {
    let Some(logprobs) = choice.get_mut("logprobs") else { return Ok(()) };
    if changed || says_more(logprobs, answer)? {
        *logprobs = Value::Null;
    }
    Ok(())
}

/// Whether other likely tokens, put together, say something that is found.
fn says_more<R: Rules>(logprobs: &Value, answer: &mut Answer<R>) -> Result<bool, ApiError> {
    let mut words = Vec::new();
    tokens(logprobs, &mut words);
    words.into_iter().try_fold(false, |more, word| Ok(more || answer.text(word)? != word))
}

fn tokens<'v>(value: &'v Value, words: &mut Vec<&'v str>) {
    match value {
        Value::String(word) => words.push(word),
        Value::Array(values) => values.iter().for_each(|value| tokens(value, words)),
        Value::Object(members) => members.values().for_each(|value| tokens(value, words)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Whether anything of the message was changed.
fn message<R: Rules>(message: &mut Value, answer: &mut Answer<R>) -> Result<bool, ApiError> {
    let before = message.clone();
    let Value::Object(members) = message else {
        texts(message, answer, 0)?;
        return Ok(*message != before);
    };
    for (key, value) in members.iter_mut() {
        match key.as_str() {
            "role" => {}
            "tool_calls" => each(value, |call| self::call(call, answer))?,
            "function_call" => function(value, answer)?,
            _ => texts(value, answer, 1)?,
        }
    }
    Ok(*message != before)
}

fn call<R: Rules>(call: &mut Value, answer: &mut Answer<R>) -> Result<(), ApiError> {
    let Value::Object(members) = call else { return texts(call, answer, 0) };
    for (key, value) in members.iter_mut() {
        match key.as_str() {
            "id" | "type" | "index" => {}
            "function" | "custom" => function(value, answer)?,
            _ => texts(value, answer, 1)?,
        }
    }
    Ok(())
}

fn function<R: Rules>(function: &mut Value, answer: &mut Answer<R>) -> Result<(), ApiError> {
    let Value::Object(members) = function else { return texts(function, answer, 0) };
    for (key, value) in members.iter_mut() {
        match (key.as_str(), value) {
            ("arguments", Value::String(json)) => {
                let mut arguments = ArgumentsStream::default();
                let mut out = arguments.push(answer, json)?;
                out.push_str(&arguments.finish(answer)?);
                *json = out;
            }
            (_, value) => texts(value, answer, 1)?,
        }
    }
    Ok(())
}

/// Every string at any depth; keys are restored too.
fn texts<R: Rules>(value: &mut Value, answer: &mut Answer<R>, depth: usize) -> Result<(), ApiError> {
    if depth > MAX_DEPTH {
        return Err(ApiError::internal("the answer of the provider nests too deep"));
    }
    match value {
        Value::String(_) => text(value, answer).map(drop),
        Value::Array(values) => values.iter_mut().try_for_each(|value| texts(value, answer, depth + 1)),
        Value::Object(members) => {
            let mut restored = Map::new();
            for (key, mut value) in std::mem::take(members) {
                texts(&mut value, answer, depth + 1)?;
                let key = free_key(&restored, answer.text(&key)?);
                restored.insert(key, value);
            }
            *members = restored;
            Ok(())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
    }
}

/// Whether the text was changed.
fn text<R: Rules>(value: &mut Value, answer: &mut Answer<R>) -> Result<bool, ApiError> {
    let Value::String(text) = value else { return Ok(false) };
    let new = answer.text(text)?;
    let changed = new != *text;
    *text = new;
    Ok(changed)
}

fn each(value: &mut Value, one: impl FnMut(&mut Value) -> Result<(), ApiError>) -> Result<(), ApiError> {
    match value {
        Value::Array(values) => values.iter_mut().try_for_each(one),
        Value::Null => Ok(()),
        _ => Err(ApiError::internal("the answer of the provider has another form than a chat completion")),
    }
}

/// The arguments of a tool call, a text of JSON that arrives in pieces. What comes out is JSON wherever what
/// came in was: what is put into a string is escaped, and a number that is replaced becomes a string.
#[derive(Default)]
pub struct ArgumentsStream {
    lexer: Lexer,
    text: TextStream,
    /// The last key, which is the label of what follows.
    label: String,
    /// The current string is a key.
    is_key: bool,
}

impl ArgumentsStream {
    /// Takes the next piece and gives what is final by now.
    ///
    /// # Errors
    /// As [`TextStream::push`].
    pub fn push<R: Rules>(&mut self, answer: &mut Answer<R>, chunk: &str) -> Result<String, ApiError> {
        let mut out = Ok(String::new());
        let mut lexer = std::mem::take(&mut self.lexer);
        lexer.push(chunk, &mut |token| self.take(answer, &token, &mut out));
        self.lexer = lexer;
        out
    }

    /// Gives the rest.
    ///
    /// # Errors
    /// As [`TextStream::push`].
    pub fn finish<R: Rules>(&mut self, answer: &mut Answer<R>) -> Result<String, ApiError> {
        let mut out = Ok(String::new());
        let mut lexer = std::mem::take(&mut self.lexer);
        lexer.finish(&mut |token| self.take(answer, &token, &mut out));
        let mut out = out?;
        out.push_str(&self.text.finish(answer)?);
        *self = Self::default();
        Ok(out)
    }

    fn take<R: Rules>(
        &mut self,
        answer: &mut Answer<R>,
        token: &Token<'_>,
        out: &mut Result<String, ApiError>,
    ) {
        if let Ok(written) = out
            && let Err(error) = self.write(answer, token, written)
        {
            *out = Err(error);
        }
    }

    fn write<R: Rules>(
        &mut self,
        answer: &mut Answer<R>,
        token: &Token<'_>,
        out: &mut String,
    ) -> Result<(), ApiError> {
        match token {
            Token::Plain(plain) => out.push_str(plain),
            Token::Begin { key } => {
                self.is_key = *key;
                if *key {
                    self.label.clear();
                } else if !self.label.is_empty() {
                    self.text = TextStream::labelled(&self.label);
                }
            }
            Token::Text(text) => {
                if self.is_key {
                    self.label.push_str(text);
                }
                out.push_str(&escape(&self.text.push(answer, text)?));
            }
            Token::End => out.push_str(&escape(&self.text.finish(answer)?)),
            Token::Number(number) => {
                let mut text = TextStream::labelled(&self.label);
                let new = text.push(answer, number)? + &text.finish(answer)?;
                if new == *number {
                    out.push_str(number);
                } else {
                    out.push_str(&format!("\"{}\"", escape(&new)));
                }
            }
            Token::Broken(text) => out.push_str(&self.text.push(answer, text)?),
        }
        Ok(())
    }
}

/// The text stays out: only its length is shown.
impl std::fmt::Debug for ArgumentsStream {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "ArgumentsStream({:?})", self.text)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;
    use textveil_engine::{Action, Context, DetectOptions, Keyring};

    use super::*;
    use crate::chat::{
        placeholder::{PlaceholderKey, Placeholders, RestoreCounts},
        protect::Guard,
    };

    const SECRET: &[u8] = b"0123456789abcdef";

    /// An answer to a request with one value that needs escapes, and its placeholder.
    fn answer(action: Action) -> (Answer<impl Rules>, String) {
        let rules = move |_: &str| (Vec::new(), Some(action));
        let guard = Guard::new(&DetectOptions::default(), rules, Keyring::new(0, SECRET).unwrap()).unwrap();
        let mut placeholders = Placeholders::new(PlaceholderKey::derive(SECRET).unwrap());
        let made = placeholders.make("person", "v", "Jan \"J\"\nNovák").unwrap();
        (Answer::new(guard, placeholders, Context::default(), 64), made)
    }

    fn restored(body: &Value) -> (Value, RestoreCounts) {
        let (mut answer, made) = answer(Action::Redact);
        let mut body = serde_json::from_str(&body.to_string().replace("@P", &made)).unwrap();
        restore_answer(&mut body, &mut answer).unwrap();
        (body, answer.restores())
    }

    const VALUE: &str = "Jan \"J\"\nNovák";

    #[test]
    fn every_text_of_every_choice() {
        let (body, counts) = restored(&json!({ "id": "1", "model": "m", "object": "chat.completion",
            "choices": [
                { "index": 0, "finish_reason": "stop", "message": { "role": "assistant", "content": "to @P",
                    "refusal": "no @P", "reasoning_content": "hm, eva@example.com", "new": { "@P": ["@P"] } } },
                { "index": 1, "message": { "role": "assistant", "content": null, "tool_calls": [{ "id": "c",
                    "type": "function", "function": { "name": "f", "arguments": "{\"to\": \"@P\"}" } }] } },
                { "index": 2, "text": "@P" },
            ], "usage": { "total_tokens": 3 } }));
        let arguments = "{\"to\": \"Jan \\\"J\\\"\\nNovák\"}";
        let want = json!({ "id": "1", "model": "m", "object": "chat.completion",
            "choices": [
                { "index": 0, "finish_reason": "stop", "message": { "role": "assistant",
                    "content": format!("to {VALUE}"), "refusal": format!("no {VALUE}"),
                    "reasoning_content": "hm, [REDACTED]", "new": { VALUE: [VALUE] } } },
                { "index": 1, "message": { "role": "assistant", "content": null, "tool_calls": [{ "id": "c",
                    "type": "function", "function": { "name": "f", "arguments": arguments } }] } },
                { "index": 2, "text": VALUE },
            ], "usage": { "total_tokens": 3 } });
        assert_eq!(body, want);
        assert_eq!(counts, RestoreCounts { restored: 6, unknown: 0 });
    }

    #[test]
    fn keys_that_become_one_keep_their_values() {
        let (body, _) = restored(&json!({ "new": { "a@example.com": 1, "b@example.com": 2 } }));
        assert_eq!(body, json!({ "new": { "[REDACTED]": 1, "[REDACTED]_2": 2 } }));
    }

    #[test]
    fn tokens_of_a_changed_text_are_dropped() {
        for (content, token, kept) in [
            ("hello", "hello", true),
            ("to @P", "to", false),
            ("eva@example.com", "eva", false),
            ("hello", "eva@example.com", false),
        ] {
            let (body, _) = restored(&json!({ "choices": [{ "message": { "content": content },
                "logprobs": { "content": [{ "token": token, "logprob": -0.1 }] } }] }));
            assert_eq!(body["choices"][0]["logprobs"].is_object(), kept, "{content}, {token}");
        }
    }

    #[test]
    fn what_is_no_answer_is_refused() {
        let deep = (0..100).fold(json!("x"), |inner, _| json!([inner]));
        for body in [json!({ "choices": "x" }), json!({ "error": deep })] {
            let (mut answer, _) = answer(Action::Redact);
            let error = restore_answer(&mut body.clone(), &mut answer).unwrap_err();
            assert_eq!(error.code(), crate::error::Code::InternalError);
        }
        let (mut blocking, _) = answer(Action::Block);
        let mut body = json!({ "choices": [{ "message": { "content": "eva@example.com" } }] });
        let error = restore_answer(&mut body, &mut blocking).unwrap_err();
        assert_eq!(error.code(), crate::error::Code::PolicyViolation);
    }

    const ARGUMENTS: [(&str, &str); 7] = [
        (
            r#"{"passport_number": "C01234567", "a": "C01234567"}"#,
            r#"{"passport_number": "[REDACTED]", "a": "C01234567"}"#,
        ),
        (r#"{"to": "@P", "n": 1.50}"#, r#"{"to": "Jan \"J\"\nNovák", "n": 1.50}"#),
        (r#"{"@P": ["\u0065va@example.com"]}"#, r#"{"Jan \"J\"\nNovák": ["[REDACTED]"]}"#),
        (r#"{"card": 4111111111111111}"#, r#"{"card": "[REDACTED]"}"#),
        (r#"{"a": "\\\"é\ud83d\ude00"}"#, r#"{"a": "\\\"é😀"}"#),
        ("write to eva@example.com", "write to [REDACTED]"),
        (r#"{"to": "eva@example.com"#, r#"{"to": "[REDACTED]"#),
    ];

    fn arguments(pieces: &[&str]) -> String {
        let (mut answer, _) = answer(Action::Redact);
        let mut stream = ArgumentsStream::default();
        let mut out = String::new();
        for piece in pieces {
            out.push_str(&stream.push(&mut answer, piece).unwrap());
        }
        out + &stream.finish(&mut answer).unwrap()
    }

    #[test]
    fn arguments_split_anywhere_are_json_again() {
        let (_, made) = answer(Action::Redact);
        for (source, want) in ARGUMENTS {
            let source = source.replace("@P", &made);
            assert_eq!(arguments(&[&source]), want, "{source}");
            for (place, _) in source.char_indices() {
                let (first, second) = source.split_at(place);
                assert_eq!(arguments(&[first, second]), want, "{source} at {place}");
            }
            let letters: Vec<String> = source.chars().map(String::from).collect();
            let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
            assert_eq!(arguments(&letters), want, "{source} letter by letter");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn json_stays_json(texts in prop::collection::vec(any::<String>(), 0..4), number in any::<f64>()) {
            let (_, made) = answer(Action::Redact);
            let json = json!({ "texts": texts, "n": number, "p": format!("\\{made}\"") }).to_string();
            let out = arguments(&[&json]);
            prop_assert!(serde_json::from_str::<Value>(&out).is_ok(), "{}", out);
        }
    }
}
