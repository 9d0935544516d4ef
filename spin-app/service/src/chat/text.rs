//! The texts of answers: strings at any depth of a JSON value, and texts that contain JSON.

use std::rc::Rc;

use serde_json::{Map, Value};
use textveil_restore::Lane;

use super::{
    call::{Gate, ToolCall},
    edits::Edits,
    json_text::{Lexer, Token, escape},
    protect::Rules,
    request::{forms::is_seal, free_key},
    stream::{Answer, TextStream},
};
use crate::error::ApiError;

/// The maximum nesting depth of an answer.
const MAX_DEPTH: usize = 64;
/// The length of a call's arguments that is held until they are recognised as JSON or not, in bytes.
const MAX_START: usize = 1_024;

/// Whether a key of a message or of a call contains its identifier or type.
pub(super) fn is_mark(key: &str) -> bool {
    matches!(key, "id" | "index" | "role" | "type")
}

/// Whether a provider encrypted or signed this value, so that it must be returned unchanged.
pub(super) fn is_sealed(key: &str, value: &Value) -> bool {
    matches!(key, "encrypted_content" | "encrypted_index" | "signature" | "thought_signature")
        && is_seal(value)
}

/// Reads the name of the tool in a call; empty if absent.
pub(super) fn tool(call: &Map<String, Value>) -> Rc<str> {
    call.get("name").and_then(Value::as_str).unwrap_or_default().into()
}

/// Restores every string at any depth, except sealed ones; keys are restored too.
///
/// # Errors
/// `policy_violation` if a policy blocks; `upstream_error` if the value nests too deep.
pub fn texts<R: Rules>(value: &mut Value, answer: &mut Answer<R>, depth: usize) -> Result<(), ApiError> {
    check_depth(depth)?;
    match value {
        Value::String(_) => text(value, answer, &Form::Data).map(drop),
        Value::Array(values) => values.iter_mut().try_for_each(|value| texts(value, answer, depth + 1)),
        Value::Object(members) => {
            let mut restored = Map::new();
            for (key, mut value) in std::mem::take(members) {
                if !is_sealed(&key, &value) {
                    texts(&mut value, answer, depth + 1)?;
                }
                let key = free_key(&restored, answer.text(&key)?);
                restored.insert(key, value);
            }
            *members = restored;
            Ok(())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
    }
}

/// Limits the depth of an answer.
pub(super) fn check_depth(depth: usize) -> Result<(), ApiError> {
    if depth > MAX_DEPTH {
        return Err(ApiError::upstream("the answer of the provider nests too deep"));
    }
    Ok(())
}

/// Restores a text of this form; returns whether it was changed.
pub(super) fn text<R: Rules>(
    value: &mut Value,
    answer: &mut Answer<R>,
    form: &Form,
) -> Result<bool, ApiError> {
    let Value::String(text) = value else { return Ok(false) };
    let (new, _) = edited(text, answer, form)?;
    let changed = new != *text;
    *text = new;
    Ok(changed)
}

/// Restores a text that has annotations beside it; returns what was changed.
///
/// # Errors
/// `policy_violation` if a policy blocks.
pub(super) fn annotated<R: Rules>(
    text: &mut String,
    answer: &mut Answer<R>,
    form: &Form,
) -> Result<Edits, ApiError> {
    let (new, edits) = edited(text, answer, form)?;
    *text = new;
    Ok(edits)
}

/// Annotations of JSON keep their positions: its strings are restored one by one.
fn edited<R: Rules>(text: &str, answer: &mut Answer<R>, form: &Form) -> Result<(String, Edits), ApiError> {
    if let Some(word) = answer.word(text) {
        return Ok((word, Edits::default()));
    }
    match begins_json(text, form) {
        Some(true) => Ok((JsonStream::new(form.clone()).whole(answer, text)?, Edits::default())),
        _ => form.stream("").whole(answer, text),
    }
}

/// Calls a function for each value of a list, which may be absent.
pub(super) fn each(
    value: &mut Value,
    one: impl FnMut(&mut Value) -> Result<(), ApiError>,
) -> Result<(), ApiError> {
    match value {
        Value::Array(values) => values.iter_mut().try_for_each(one),
        Value::Null => Ok(()),
        _ => Err(other_form()),
    }
}

/// The error for an answer whose texts cannot be located.
pub(super) fn other_form() -> ApiError {
    ApiError::upstream("the answer of the provider has another form than that of its API")
}

/// Restores a whole value in the arguments of a tool call; the key before it is its label.
fn argument<R: Rules>(
    answer: &mut Answer<R>,
    call: &Rc<ToolCall>,
    label: &str,
    value: &str,
) -> Result<String, ApiError> {
    JsonStream::behind(label, &Form::Arguments(Rc::clone(call))).whole(answer, value)
}

/// Restores the input of a tool.
pub(super) fn input<R: Rules>(
    value: &mut Value,
    answer: &mut Answer<R>,
    tool: &Rc<str>,
) -> Result<(), ApiError> {
    let depth = 1;
    check_nesting(value, depth)?;
    let call = ToolCall::whole(answer, tool, value);
    input_below(value, answer, &call, &mut String::new())
}

/// Limits the depth of a value.
fn check_nesting(value: &Value, depth: usize) -> Result<(), ApiError> {
    check_depth(depth)?;
    match value {
        Value::Array(values) => values.iter().try_for_each(|value| check_nesting(value, depth + 1)),
        Value::Object(members) => members.values().try_for_each(|value| check_nesting(value, depth + 1)),
        _ => Ok(()),
    }
}

/// Restores a value of the input; `label` is the last key before.
fn input_below<R: Rules>(
    value: &mut Value,
    answer: &mut Answer<R>,
    call: &Rc<ToolCall>,
    label: &mut String,
) -> Result<(), ApiError> {
    match value {
        Value::String(text) => *text = argument(answer, call, label, text)?,
        Value::Number(number) => {
            let written = number.to_string();
            let new = argument(answer, call, label, &written)?;
            if new != written {
                *value = Value::String(new);
            }
        }
        Value::Array(values) => {
            values.iter_mut().try_for_each(|value| input_below(value, answer, call, label))?;
        }
        Value::Object(members) => {
            let mut restored = Map::new();
            for (key, mut value) in std::mem::take(members) {
                let new = argument(answer, call, "", &key)?;
                *label = key;
                input_below(&mut value, answer, call, label)?;
                restored.insert(free_key(&restored, new), value);
            }
            *members = restored;
        }
        Value::Null | Value::Bool(_) => {}
    }
    Ok(())
}

/// The form of a text of an answer.
#[derive(Clone, Debug)]
pub enum Form {
    /// Prose, or a JSON object if the request asks for structured output. Applications join the texts of a lane.
    Text(Lane),
    /// Text that is joined with no other, such as a title.
    Data,
    /// The arguments of this call: a JSON object or list, or text for a custom tool.
    Arguments(Rc<ToolCall>),
    /// Reasoning signed by its provider: it is inspected and stays unchanged.
    Signed,
}

impl Form {
    /// The form of the arguments of a call of this tool.
    pub fn arguments(tool: &Rc<str>) -> Self {
        Self::Arguments(ToolCall::of(tool))
    }

    /// Begins a text of this form with this label.
    fn stream(&self, label: &str) -> TextStream {
        let text = if label.is_empty() { TextStream::default() } else { TextStream::labelled(label) };
        match self {
            Self::Signed if label.is_empty() => TextStream::signed(),
            Self::Signed | Self::Data => text,
            Self::Text(lane) => text.in_lane(Lane::clone(lane)),
            Self::Arguments(call) => text.for_call(Rc::clone(call)),
        }
    }
}

/// A text that may be JSON and arrives in pieces.
///
/// If the input is JSON, the output is too: originals are escaped in strings, and in JSON within strings, and
/// a replaced number becomes a string.
pub struct JsonStream {
    form: Form,
    /// The start of the text, until its form is known.
    start: String,
    /// Whether it is JSON; `None` if more text is needed.
    is_json: Option<bool>,
    lexer: Lexer,
    /// Text that is not JSON.
    text: TextStream,
    /// The current string.
    string: Option<Box<Self>>,
    /// The last key, which is the label of the following value.
    label: String,
    /// The current string is a key.
    is_key: bool,
    /// Holds arguments until it is known whether they get values.
    gate: Option<Gate>,
    /// It is JSON that continues a URL of an earlier text, so no string of it begins anew.
    continues: Option<bool>,
}

impl JsonStream {
    /// Creates a stream for a text of this form.
    pub fn new(form: Form) -> Self {
        let gate = match &form {
            Form::Arguments(call) => Some(Gate::new(call)),
            Form::Text(_) | Form::Data | Form::Signed => None,
        };
        Self { gate, ..Self::within(form) }
    }

    /// Creates a stream for a part of a text of this form.
    fn within(form: Form) -> Self {
        let text = form.stream("");
        Self {
            form,
            start: String::new(),
            is_json: None,
            lexer: Lexer::default(),
            text,
            string: None,
            label: String::new(),
            is_key: false,
            gate: None,
            continues: None,
        }
    }

    /// Creates a stream for the value of a key.
    fn behind(label: &str, form: &Form) -> Self {
        let mut stream = Self::within(form.clone());
        stream.text = form.stream(label).as_string();
        label.clone_into(&mut stream.label);
        stream
    }

    /// Returns a whole text, restored.
    ///
    /// # Errors
    /// As [`TextStream::push`].
    pub fn whole<R: Rules>(mut self, answer: &mut Answer<R>, text: &str) -> Result<String, ApiError> {
        let mut out = self.push(answer, text)?;
        out.push_str(&self.finish(answer)?);
        Ok(out)
    }

    /// Adds a piece and returns the text that is final.
    ///
    /// # Errors
    /// As [`TextStream::push`].
    pub fn push<R: Rules>(&mut self, answer: &mut Answer<R>, chunk: &str) -> Result<String, ApiError> {
        match &mut self.gate {
            Some(gate) if !answer.placeholders().is_empty() => {
                let passed = gate.push(answer, chunk);
                self.advance(answer, &passed)
            }
            _ => self.advance(answer, chunk),
        }
    }

    fn advance<R: Rules>(&mut self, answer: &mut Answer<R>, chunk: &str) -> Result<String, ApiError> {
        if let Some(is_json) = self.is_json {
            return self.read(answer, chunk, is_json);
        }
        self.start.push_str(chunk);
        let Some(is_json) = begins_json(&self.start, &self.form) else { return Ok(String::new()) };
        self.is_json = Some(is_json);
        let start = std::mem::take(&mut self.start);
        self.read(answer, &start, is_json)
    }

    fn read<R: Rules>(
        &mut self,
        answer: &mut Answer<R>,
        chunk: &str,
        is_json: bool,
    ) -> Result<String, ApiError> {
        if !is_json {
            return self.text.push(answer, chunk);
        }
        let mut out = Ok(String::new());
        let mut lexer = std::mem::take(&mut self.lexer);
        lexer.push(chunk, &mut |token| self.take(answer, &token, &mut out));
        self.lexer = lexer;
        out
    }

    /// Returns the rest.
    ///
    /// # Errors
    /// As [`TextStream::push`].
    pub fn finish<R: Rules>(&mut self, answer: &mut Answer<R>) -> Result<String, ApiError> {
        let next = Self::within(self.form.clone());
        Ok(std::mem::replace(self, next).end(answer)?.0)
    }

    /// Returns the rest, and what was changed of the whole text, which is unknown for JSON.
    ///
    /// # Errors
    /// As [`TextStream::push`].
    pub fn end<R: Rules>(mut self, answer: &mut Answer<R>) -> Result<(String, Edits), ApiError> {
        let held = self.gate.take().map(|mut gate| gate.finish(answer)).unwrap_or_default();
        let before = self.advance(answer, &held)?;
        let start = std::mem::take(&mut self.start);
        let mut out = self.text.push(answer, &start).map(|out| before + &out);
        let mut lexer = std::mem::take(&mut self.lexer);
        lexer.finish(&mut |token| self.take(answer, &token, &mut out));
        let out = out?;
        let (rest, edits) = self.text.end(answer)?;
        let edits = if self.is_json == Some(true) { Edits::default() } else { edits };
        Ok((out + &rest, edits))
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
                }
                if matches!(self.form, Form::Text(_)) {
                    self.continues.get_or_insert_with(|| answer.transcripts().is_in_url());
                }
                self.string = Some(Box::new(Self::behind(&self.label, &self.form)));
            }
            Token::Text(text) => {
                if self.is_key {
                    self.label.push_str(text);
                }
                if let Some(string) = &mut self.string {
                    out.push_str(&escape(&string.push(answer, text)?));
                }
            }
            Token::End => {
                if let Some(mut string) = self.string.take() {
                    out.push_str(&escape(&string.finish(answer)?));
                }
                // the quotation mark ends a URL
                if self.continues == Some(false) {
                    answer.transcripts().space();
                }
            }
            Token::Number(number) => {
                let new = JsonStream::behind(&self.label, &self.form).whole(answer, number)?;
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

/// Whether a text begins as JSON of its form; `None` if more is needed.
///
/// `[[EMAIL_`, `{{name}}`, `12 eggs` and a quotation do not: only text may have any form. Prose may begin
/// with `[1]`.
fn begins_json(text: &str, form: &Form) -> Option<bool> {
    let space = |letter| matches!(letter, ' ' | '\t' | '\n' | '\r');
    let inside = text.trim_start_matches(|letter| space(letter) || letter == '[');
    let is_list = text.trim_start_matches(space).starts_with('[');
    match form {
        Form::Signed => return Some(false),
        Form::Text(_) | Form::Data if is_list => return Some(false),
        Form::Text(_) | Form::Data | Form::Arguments(_) => {}
    }
    let (object, next) = match inside.strip_prefix('{') {
        Some(inside) => (true, inside.trim_start_matches(space)),
        None => (false, inside),
    };
    // such a long run of white space does not begin real JSON
    if text.len() - next.len() > MAX_START {
        return Some(false);
    }
    match next.chars().next() {
        None => None,
        Some(letter) if object => Some(matches!(letter, '"' | '}')),
        Some(letter) => Some(is_list && matches!(letter, '"' | ']' | '-' | '0'..='9')),
    }
}

/// Omits the text; shows its length only.
impl std::fmt::Debug for JsonStream {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "JsonStream({:?})", self.text)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;
    use serde_json::json;
    use textveil_engine::{Action, Context, DetectOptions, Keyring};

    use super::*;
    use crate::chat::{
        placeholder::{PlaceholderKey, Placeholders},
        protect::Guard,
    };

    const SECRET: &[u8] = b"0123456789abcdef";

    /// Returns an answer to a request with one value that needs escapes, and its placeholder.
    pub fn answer(action: Action) -> (Answer<impl Rules>, String) {
        let rules = move |_: &str| (Vec::new(), Some(action));
        let guard = Guard::new(&DetectOptions::default(), rules, Keyring::new(0, SECRET).unwrap()).unwrap();
        let mut placeholders = Placeholders::new(PlaceholderKey::derive(SECRET).unwrap());
        let made = placeholders.make("person", "v", "Jan \"J\"\nNovák").unwrap();
        (Answer::new(guard, placeholders, Context::default(), 64), made)
    }

    /// A text with a citation, as the provider sends it and as the application receives it.
    pub fn cited_text() -> (String, String) {
        let sent = "to @P and eva@example.com, see [1].".replace("@P", &answer(Action::Redact).1);
        (sent, format!("to {VALUE} and [REDACTED], see [1]."))
    }

    /// The annotation of the citation in a text, as `/v1/responses` has it.
    pub fn citation(text: &str) -> Value {
        let start = text.split_once("[1]").unwrap().0.chars().count();
        json!({ "type": "url_citation", "start_index": start, "end_index": start + 3, "title": "A" })
    }

    pub const VALUE: &str = "Jan \"J\"\nNovák";

    const ARGUMENTS: &[(&str, &str)] = &[
        (
            r#"{"passport_number": "C01234567", "a": "C01234567"}"#,
            r#"{"passport_number": "[REDACTED]", "a": "C01234567"}"#,
        ),
        (r#"{"to": "@P", "n": 1.50}"#, r#"{"to": "Jan \"J\"\nNovák", "n": 1.50}"#),
        (r#"{"@P": ["\u0034111 1111 1111 1111"]}"#, r#"{"Jan \"J\"\nNovák": ["[REDACTED]"]}"#),
        (r#"{"card": 4111111111111111}"#, r#"{"card": "[REDACTED]"}"#),
        (r#"{"a": "\\\"é\ud83d\ude00"}"#, r#"{"a": "\\\"é😀"}"#),
        ("write to eva@example.com", "write to [REDACTED]"),
        (r#"{"to": "eva@example.com"#, r#"{"to": "[REDACTED]"#),
        ("@P, hello", "Jan \"J\"\nNovák, hello"),
        ("{{@P}}", "{{Jan \"J\"\nNovák}}"),
        ("\"@P\" said", "\"Jan \"J\"\nNovák\" said"),
        ("4111 1111 1111 1111", "[REDACTED]"),
        (" [ { \"a\": [\"@P\"] } ]", " [ { \"a\": [\"Jan \\\"J\\\"\\nNovák\"] } ]"),
        ("[[4111111111111111], []]", "[[\"[REDACTED]\"], []]"),
        ("{}", "{}"),
        (" [", " ["),
        // JSON in a string of JSON, and once more
        (
            r#"{"body": "{\"to\": \"@P\", \"card\": 4111111111111111}"}"#,
            r#"{"body": "{\"to\": \"Jan \\\"J\\\"\\nNovák\", \"card\": \"[REDACTED]\"}"}"#,
        ),
        (
            r#"{"passport_number": "[\"C01234567\", \"{\\\"a\\\": \\\"@P\\\"}\"]"}"#,
            r#"{"passport_number": "[\"[REDACTED]\", \"{\\\"a\\\": \\\"Jan \\\\\\\"J\\\\\\\"\\\\nNovák\\\"}\"]"}"#,
        ),
        (
            r#"{"a": "{not} @P", "b": "{\"x\": 1} @P"}"#,
            r#"{"a": "{not} Jan \"J\"\nNovák", "b": "{\"x\": 1} Jan \"J\"\nNovák"}"#,
        ),
    ];

    const TEXTS: &[(&str, &str)] = &[
        ("to @P", "to Jan \"J\"\nNovák"),
        (r#"{"to": "@P"}"#, r#"{"to": "Jan \"J\"\nNovák"}"#),
        (
            r#"{"mail": "eva\u0040example.com", "n": [1, 4111111111111111]}"#,
            r#"{"mail": "[REDACTED]", "n": [1, "[REDACTED]"]}"#,
        ),
        ("[4111 1111 1111 1111]", "[[REDACTED]]"),
        (r#"["eva@example.com"]"#, r#"["[REDACTED]"]"#),
        ("{} @P", "{} Jan \"J\"\nNovák"),
        ("\n{not JSON} eva@example.com", "\n{not JSON} [REDACTED]"),
    ];

    fn joined(form: &Form, pieces: &[&str]) -> String {
        let (mut answer, _) = answer(Action::Redact);
        let mut stream = JsonStream::new(form.clone());
        let mut out = String::new();
        for piece in pieces {
            out.push_str(&stream.push(&mut answer, piece).unwrap());
        }
        out + &stream.finish(&mut answer).unwrap()
    }

    #[test]
    fn json_split_anywhere_is_json_again() {
        let arguments = ARGUMENTS.iter().map(|case| (Form::arguments(&"f".into()), case));
        let (_, made) = answer(Action::Redact);
        for (form, (source, want)) in arguments.chain(TEXTS.iter().map(|case| (Form::Data, case))) {
            let source = source.replace("@P", &made);
            assert_eq!(joined(&form, &[&source]), *want, "{source}");
            for (place, _) in source.char_indices() {
                let (first, second) = source.split_at(place);
                assert_eq!(joined(&form, &[first, second]), *want, "{source} at {place}");
            }
            let letters: Vec<String> = source.chars().map(String::from).collect();
            let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
            assert_eq!(joined(&form, &letters), *want, "{source} letter by letter");
        }
    }

    /// Structured output is protected like a content.
    #[test]
    fn contents_are_json_again() {
        for (source, want) in TEXTS {
            let (mut answer, made) = answer(Action::Redact);
            let mut content = json!(source.replace("@P", &made));
            texts(&mut content, &mut answer, 0).unwrap();
            assert_eq!(content, *want, "{source}");
        }
    }

    #[test]
    fn a_beginning_is_not_held_for_ever() {
        let (mut answer, _) = answer(Action::Redact);
        let mut stream = JsonStream::new(Form::arguments(&"f".into()));
        assert_eq!(stream.push(&mut answer, &" ".repeat(MAX_START)).unwrap(), "");
        assert_ne!(stream.push(&mut answer, " ").unwrap(), "");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn json_stays_json(texts in prop::collection::vec(any::<String>(), 0..4), number in any::<f64>()) {
            let (_, made) = answer(Action::Redact);
            let json = json!({ "texts": texts, "n": number, "p": format!("\\{made}\"") }).to_string();
            let out = joined(&Form::arguments(&"f".into()), &[&json]);
            prop_assert!(serde_json::from_str::<Value>(&out).is_ok(), "{}", out);
            let outer = json!({ "inner": json }).to_string();
            let out: Value = serde_json::from_str(&joined(&Form::arguments(&"f".into()), &[&outer])).unwrap();
            let inner = out["inner"].as_str().unwrap();
            prop_assert!(serde_json::from_str::<Value>(inner).is_ok(), "{}", inner);
        }
    }
}
