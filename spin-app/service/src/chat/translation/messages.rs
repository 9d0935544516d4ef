//! Translates the messages of a conversation: separate system texts, then alternating turns of user and
//! assistant.
//!
//! Consecutive messages of one side are one turn. The results of tools come first in the turn after their
//! calls, as the API requires. A text of white space only is omitted, because the API rejects it.

use serde_json::{Map, Value, json};

use super::{filled, object, unsupported};
use crate::{error::ApiError, sent::Sent};

/// The key of a call's arguments that are not a JSON object: its value is the string. The
/// API takes objects only, and the model has to see what it wrote.
pub const RAW_ARGUMENTS: &str = "raw_arguments";

/// The API's own limit of messages in a request; it applies to all lists here.
pub(super) const MAX_ENTRIES: usize = 100_000;

const USER: &str = "user";
const ASSISTANT: &str = "assistant";
/// The forms of an image in a request.
const IMAGE: &str = "an https URL, or a data URL with a GIF, JPEG, PNG or WebP image in base64";
/// The kinds of images that the API takes.
const IMAGES: [&str; 4] = ["image/gif", "image/jpeg", "image/png", "image/webp"];

/// A conversation as the API has it.
#[derive(Default)]
pub(super) struct MessageList {
    /// Blocks of text.
    pub system: Vec<Value>,
    turns: Vec<Turn>,
}

/// The consecutive messages of one side.
struct Turn {
    role: &'static str,
    blocks: Vec<Value>,
    /// The number of tool results at its start.
    results: usize,
}

impl MessageList {
    /// Reads the messages of a body.
    ///
    /// # Errors
    /// `invalid_request` naming the message and its field.
    pub(super) fn read(sent: &Sent<'_>) -> Result<Self, ApiError> {
        let mut conversation = Self::default();
        for message in sent.required("messages", sent.objects("messages", MAX_ENTRIES)?)? {
            conversation.add(&message)?;
        }
        if conversation.turns.is_empty() {
            return Err(sent.refused("messages", "a list with a message of the user that is not empty"));
        }
        Ok(conversation)
    }

    /// Returns the turns as JSON.
    pub(super) fn messages(self) -> Value {
        let message = |turn: Turn| json!({ "role": turn.role, "content": turn.blocks });
        self.turns.into_iter().map(message).collect()
    }

    fn add(&mut self, message: &Sent<'_>) -> Result<(), ApiError> {
        match required_text(message, "role")? {
            // at any position, as in Anthropic's own endpoint for OpenAI's clients
            "system" | "developer" => self.system.extend(content(message)?),
            "user" => self.say(USER, content(message)?),
            "assistant" => self.say(ASSISTANT, assistant(message)?),
            "tool" => self.answer(tool_result(message)?),
            _ => return Err(message.refused("role", "system, developer, user, assistant or tool")),
        }
        Ok(())
    }

    fn say(&mut self, role: &'static str, blocks: Vec<Value>) {
        if !blocks.is_empty() {
            self.in_turn(role, |turn| turn.blocks.extend(blocks));
        }
    }

    fn answer(&mut self, result: Value) {
        self.in_turn(USER, |turn| {
            turn.blocks.insert(turn.results, result);
            turn.results += 1;
        });
    }

    fn in_turn(&mut self, role: &'static str, change: impl FnOnce(&mut Turn)) {
        let last = self.turns.pop_if(|turn| turn.role == role);
        let mut turn = last.unwrap_or_else(|| Turn { role, blocks: Vec::new(), results: 0 });
        change(&mut turn);
        self.turns.push(turn);
    }
}

/// A string that must be there.
pub(super) fn required_text<'v>(sent: &Sent<'v>, name: &str) -> Result<&'v str, ApiError> {
    sent.required(name, sent.read(name, "a string", Value::as_str)?)
}

/// A content, of parts or of one text, as blocks.
fn content(message: &Sent<'_>) -> Result<Vec<Value>, ApiError> {
    match message.value("content") {
        None => Ok(Vec::new()),
        Some(Value::String(text)) => Ok(text_block(text).into_iter().collect()),
        Some(Value::Array(_)) => {
            let parts = message.objects("content", MAX_ENTRIES)?.unwrap_or_default();
            parts.iter().filter_map(|part| block(part).transpose()).collect()
        }
        Some(_) => Err(message.refused("content", "a string or a list of parts")),
    }
}

fn block(part: &Sent<'_>) -> Result<Option<Value>, ApiError> {
    Ok(match required_text(part, "type")? {
        kind @ ("text" | "refusal") => text_block(required_text(part, kind)?),
        "image_url" => Some(image(part)?),
        _ => return Err(part.refused("type", "text or image_url with this provider")),
    })
}

fn text_block(text: &str) -> Option<Value> {
    (!text.trim().is_empty()).then(|| json!({ "type": "text", "text": text }))
}

fn image(part: &Sent<'_>) -> Result<Value, ApiError> {
    let image = part.required("image_url", part.object("image_url")?)?;
    let source = image.read("url", IMAGE, |url| source(url.as_str()?))?;
    Ok(json!({ "type": "image", "source": image.required("url", source)? }))
}

fn source(url: &str) -> Option<Value> {
    let (scheme, rest) = url.split_once(':')?;
    if scheme.eq_ignore_ascii_case("https") {
        return Some(json!({ "type": "url", "url": url }));
    }
    let (header, data) = rest.split_once(',').filter(|_| scheme.eq_ignore_ascii_case("data"))?;
    let kind = header.strip_suffix(";base64")?.split(';').next()?.to_ascii_lowercase();
    IMAGES.contains(&kind.as_str()).then(|| json!({ "type": "base64", "media_type": kind, "data": data }))
}

fn assistant(message: &Sent<'_>) -> Result<Vec<Value>, ApiError> {
    for name in ["audio", "function_call"] {
        if message.value(name).is_some() {
            return Err(unsupported(&message.field(name)));
        }
    }
    let mut blocks = content(message)?;
    blocks.extend(message.read("refusal", "a string", Value::as_str)?.and_then(text_block));
    for call in message.objects("tool_calls", MAX_ENTRIES)?.unwrap_or_default() {
        blocks.push(tool_use(&call)?);
    }
    Ok(blocks)
}

fn tool_use(call: &Sent<'_>) -> Result<Value, ApiError> {
    let function = function(call)?;
    Ok(json!({
        "type": "tool_use",
        "id": id(call, "id")?,
        "name": required_text(&function, "name")?,
        "input": input(required_text(&function, "arguments")?),
    }))
}

/// The function of a tool or of a call; the API knows no other kind.
pub(super) fn function<'v>(tool: &Sent<'v>) -> Result<Sent<'v>, ApiError> {
    let is_function = |kind: &Value| (kind == "function").then_some(());
    tool.read("type", "function with this provider", is_function)?;
    tool.required("function", tool.object("function")?)
}

fn input(arguments: &str) -> Map<String, Value> {
    // some models send an empty string for a tool without arguments
    if arguments.trim().is_empty() {
        return Map::new();
    }
    serde_json::from_str(arguments)
        .unwrap_or_else(|_| Map::from_iter([(RAW_ARGUMENTS.to_owned(), Value::from(arguments))]))
}

fn tool_result(message: &Sent<'_>) -> Result<Value, ApiError> {
    Ok(object([
        ("type", Some(Value::from("tool_result"))),
        ("tool_use_id", Some(id(message, "tool_call_id")?)),
        ("content", filled(content(message)?)),
    ]))
}

/// An id of a call. Other providers make some with characters that the API rejects; a call and its result
/// lose them alike. The provider rejects two ids that become one.
fn id(sent: &Sent<'_>, name: &str) -> Result<Value, ApiError> {
    let allowed = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    let id = required_text(sent, name)?;
    Ok(id.chars().map(|letter| if allowed(letter) { letter } else { '_' }).collect::<String>().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(messages: &Value) -> Result<(Vec<Value>, Value), ApiError> {
        let body = json!({ "messages": messages });
        let mut conversation = MessageList::read(&Sent::body(&body)?)?;
        Ok((std::mem::take(&mut conversation.system), conversation.messages()))
    }

    fn says(text: &str) -> Value {
        json!({ "type": "text", "text": text })
    }

    fn call(id: &str, arguments: &str) -> Value {
        json!({ "id": id, "type": "function", "function": { "name": "f", "arguments": arguments } })
    }

    fn uses(id: &str, input: Value) -> Value {
        json!({ "type": "tool_use", "id": id, "name": "f", "input": input })
    }

    fn result(id: &str, text: &str) -> Value {
        json!({ "type": "tool_result", "tool_use_id": id, "content": [says(text)] })
    }

    #[test]
    fn turns() {
        for (name, messages, want) in [
            (
                "messages of one side are one turn",
                json!([{ "role": "user", "content": "a" }, { "role": "user", "content": "b", "name": "Jan" },
                    { "role": "assistant", "content": "c" }, { "role": "assistant", "content": "d" }]),
                json!([{ "role": "user", "content": [says("a"), says("b")] },
                    { "role": "assistant", "content": [says("c"), says("d")] }]),
            ),
            (
                "parts, of which empty ones are left out",
                json!([{ "role": "user", "content": [says("a"), says(" \n"), says("b")] }]),
                json!([{ "role": "user", "content": [says("a"), says("b")] }]),
            ),
            (
                "a message of nothing is no turn",
                json!([{ "role": "user", "content": "a" }, { "role": "assistant", "content": "" },
                    { "role": "user", "content": null }, { "role": "user", "content": "b" }]),
                json!([{ "role": "user", "content": [says("a"), says("b")] }]),
            ),
            (
                "results of several calls stand together, before what the user says",
                json!([{ "role": "assistant", "tool_calls": [call("1", "{}"), call("2", "{}")] },
                    { "role": "user", "content": "hurry" },
                    { "role": "tool", "tool_call_id": "1", "content": "x" },
                    { "role": "tool", "tool_call_id": "2", "content": [says("y")] },
                    { "role": "user", "content": "well?" }]),
                json!([{ "role": "assistant", "content": [uses("1", json!({})), uses("2", json!({}))] },
                    { "role": "user", "content": [result("1", "x"), result("2", "y"), says("hurry"),
                        says("well?")] }]),
            ),
            (
                "a result may be empty",
                json!([{ "role": "tool", "tool_call_id": "1", "content": "" }]),
                json!([{ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "1" }] }]),
            ),
            (
                "ids lose what the API refuses",
                json!([{ "role": "assistant", "tool_calls": [call("functions.f:0", "{}")] },
                    { "role": "tool", "tool_call_id": "functions.f:0", "content": "x" }]),
                json!([{ "role": "assistant", "content": [uses("functions_f_0", json!({}))] },
                    { "role": "user", "content": [result("functions_f_0", "x")] }]),
            ),
            (
                "a text before its calls, a refusal as it was said, no reasoning",
                json!([{ "role": "assistant", "content": "a", "refusal": "no", "reasoning_content": "hm",
                    "tool_calls": [call("1", "{}")] },
                    { "role": "assistant", "content": [{ "type": "refusal", "refusal": "never" }] }]),
                json!([{ "role": "assistant", "content": [says("a"), says("no"), uses("1", json!({})),
                    says("never")] }]),
            ),
        ] {
            assert_eq!(read(&messages).unwrap(), (vec![], want), "{name}");
        }
    }

    #[test]
    fn system_texts() {
        let (system, messages) = read(&json!([
            { "role": "system", "content": "a" },
            { "role": "user", "content": "hi" },
            { "role": "developer", "content": [says("b"), says("c")] },
        ]))
        .unwrap();
        assert_eq!(system, [says("a"), says("b"), says("c")]);
        assert_eq!(messages, json!([{ "role": "user", "content": [says("hi")] }]));
    }

    #[test]
    fn arguments() {
        for (arguments, want) in [
            (r#"{"a": {"b": [1, null]}}"#, json!({ "a": { "b": [1, null] } })),
            ("{}", json!({})),
            ("", json!({})),
            ("[1]", json!({ "raw_arguments": "[1]" })),
            ("null", json!({ "raw_arguments": "null" })),
            (r#"{"a": "#, json!({ "raw_arguments": r#"{"a": "# })),
        ] {
            assert_eq!(Value::Object(input(arguments)), want, "{arguments}");
        }
    }

    #[test]
    fn images() {
        let encoded = |kind: &str| Some(json!({ "type": "base64", "media_type": kind, "data": "iVBORw0=" }));
        let linked = |url: &str| Some(json!({ "type": "url", "url": url }));
        for (url, want) in [
            ("data:image/png;base64,iVBORw0=", encoded("image/png")),
            ("DATA:image/JPEG;base64,iVBORw0=", encoded("image/jpeg")),
            ("data:image/webp;name=a;base64,iVBORw0=", encoded("image/webp")),
            ("https://example.com/a.png?b=c:d,e", linked("https://example.com/a.png?b=c:d,e")),
            ("HTTPS://example.com", linked("HTTPS://example.com")),
            ("http://example.com/a.png", None),
            ("data:image/png,abc", None),
            ("data:image/svg+xml;base64,iVBORw0=", None),
            ("data:;base64,iVBORw0=", None),
            ("image/png;base64,iVBORw0=", None),
            ("", None),
        ] {
            let part = json!({ "type": "image_url", "image_url": { "url": url, "detail": "low" } });
            let got = read(&json!([{ "role": "user", "content": [part] }]));
            let field = "messages[0].content[0].image_url.url";
            let want = want.ok_or_else(|| ApiError::invalid(field, format!("{field} must be {IMAGE}")));
            let block =
                |source| json!([{ "role": "user", "content": [{ "type": "image", "source": source }] }]);
            assert_eq!(got.map(|(_, messages)| messages), want.map(block), "{url}");
        }
    }

    #[test]
    fn refusals() {
        let user = |content: Value| json!([{ "role": "user", "content": content }]);
        let calls = |call: Value| json!([{ "role": "assistant", "tool_calls": [call] }]);
        for (messages, want) in [
            (json!(null), "messages is missing"),
            (json!([]), "messages must be a list with a message of the user that is not empty"),
            (user(json!(" ")), "messages must be a list with a message of the user that is not empty"),
            (json!(["hi"]), "messages[0] must be an object"),
            (json!([{ "content": "hi" }]), "messages[0].role is missing"),
            (
                json!([{ "role": "function", "name": "f", "content": "hi" }]),
                "messages[0].role must be system, developer, user, assistant or tool",
            ),
            (user(json!(1)), "messages[0].content must be a string or a list of parts"),
            (user(json!(["hi"])), "messages[0].content[0] must be an object"),
            (user(json!([{ "text": "hi" }])), "messages[0].content[0].type is missing"),
            (user(json!([{ "type": "text" }])), "messages[0].content[0].text is missing"),
            (
                user(json!([{ "type": "input_audio", "input_audio": { "data": "", "format": "wav" } }])),
                "messages[0].content[0].type must be text or image_url with this provider",
            ),
            (
                user(json!([{ "type": "file", "file": { "file_id": "f" } }])),
                "messages[0].content[0].type must be text or image_url with this provider",
            ),
            (json!([{ "role": "tool", "content": "x" }]), "messages[0].tool_call_id is missing"),
            (
                json!([{ "role": "assistant", "function_call": { "name": "f", "arguments": "" } }]),
                "messages[0].function_call is not supported by this provider; leave it out",
            ),
            (
                json!([{ "role": "assistant", "audio": { "id": "a" } }]),
                "messages[0].audio is not supported by this provider; leave it out",
            ),
            (
                calls(json!({ "id": "1", "type": "custom", "custom": { "name": "f", "input": "" } })),
                "messages[0].tool_calls[0].type must be function with this provider",
            ),
            (
                calls(json!({ "function": { "name": "f", "arguments": "{}" } })),
                "messages[0].tool_calls[0].id is missing",
            ),
            (
                calls(json!({ "id": "1", "function": { "name": "f", "arguments": {} } })),
                "messages[0].tool_calls[0].function.arguments must be a string",
            ),
        ] {
            assert_eq!(read(&messages).unwrap_err().message(), want, "{messages}");
        }
    }
}
