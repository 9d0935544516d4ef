//! Converts the body of a chat completion to that of a message.

use serde_json::{Value, json};

use super::{
    filled,
    messages::{MAX_ENTRIES, MessageList, function, required_text},
    object, unsupported,
};
use crate::{error::ApiError, sent::Sent};

/// The maximum number of tokens of an answer, if the caller does not set one.
///
/// The API requires a value; this is the highest one that all of its models accept.
pub const DEFAULT_MAX_TOKENS: u32 = 4_096;

/// The handling of a parameter.
enum Fate {
    /// The API has it, possibly with another name.
    Told,
    /// It is an instruction to OpenAI that does not affect the answer.
    Dropped,
    /// It would change the answer: rejected, except for values that equal the default.
    Refused(fn(&Value) -> bool),
}
use Fate::{Dropped, Refused, Told};

/// Every parameter. Others are rejected too, because their effect is unknown.
const PARAMETERS: [(&str, Fate); 42] = [
    ("audio", Refused(asks_nothing)),
    ("frequency_penalty", Refused(asks_nothing)),
    ("function_call", Refused(asks_nothing)),
    ("functions", Refused(asks_nothing)),
    ("logit_bias", Refused(asks_nothing)),
    ("logprobs", Refused(asks_nothing)),
    ("max_completion_tokens", Told),
    ("max_tokens", Told),
    ("messages", Told),
    // keys of the caller, which OpenAI stores; only `user_id` is forwarded
    ("metadata", Told),
    ("min_p", Refused(asks_nothing)),
    ("modalities", Refused(|value| *value == json!(["text"]))),
    ("model", Told),
    ("moderation", Refused(|_| false)),
    ("n", Refused(|value| value.as_u64() == Some(1))),
    ("parallel_tool_calls", Told),
    // it only makes an answer faster
    ("prediction", Dropped),
    ("presence_penalty", Refused(asks_nothing)),
    ("prompt_cache_key", Dropped),
    ("prompt_cache_options", Dropped),
    ("prompt_cache_retention", Dropped),
    ("reasoning", Refused(asks_nothing)),
    ("reasoning_effort", Told),
    ("repetition_penalty", Refused(|value| value.as_f64() == Some(1.0))),
    ("response_format", Told),
    ("safety_identifier", Told),
    // OpenAI only promises best effort
    ("seed", Dropped),
    ("service_tier", Dropped),
    ("stop", Told),
    ("store", Dropped),
    ("stream", Told),
    // the writer of the chunks implements it
    ("stream_options", Dropped),
    ("temperature", Told),
    ("thinking", Refused(|_| false)),
    ("tool_choice", Told),
    ("tools", Told),
    ("top_k", Refused(asks_nothing)),
    ("top_logprobs", Refused(asks_nothing)),
    ("top_p", Told),
    ("user", Told),
    ("verbosity", Refused(|value| value == "medium")),
    // even an empty object enables the search
    ("web_search_options", Refused(|_| false)),
];

/// Returns the body of a message for `model`, from the body of a chat completion.
///
/// `max_completion_tokens` has priority over `max_tokens`. A `temperature` above 1, which is the API's
/// highest, becomes 1. `reasoning_effort` becomes `effort`, its `minimal` becomes `low`, and `none` turns
/// thinking off; models reject what they do not support. `stream` is forwarded.
///
/// # Errors
/// `invalid_request` naming the field that is invalid, or without a counterpart in the API. The name of an
/// unknown parameter is the caller's text, so the error names `body`.
pub fn request(body: &Value, model: &str) -> Result<Value, ApiError> {
    let sent = &Sent::body(body)?;
    check_parameters(sent)?;
    let mut conversation = MessageList::read(sent)?;
    let system = std::mem::take(&mut conversation.system);
    let tools = tools(sent)?;
    Ok(object([
        ("model", Some(Value::from(model))),
        ("max_tokens", Some(max_tokens(sent)?)),
        ("system", filled(system)),
        ("messages", Some(conversation.messages())),
        ("tool_choice", tool_choice(sent, tools.is_empty())?),
        ("tools", filled(tools)),
        ("temperature", temperature(sent)?),
        ("top_p", number(sent, "top_p", 1.0)?.map(Value::from)),
        ("stop_sequences", filled(stop(sent)?)),
        ("stream", sent.flag("stream")?.map(Value::from)),
        ("metadata", user_id(sent)?.map(|id| json!({ "user_id": id }))),
        ("output_config", output_config(sent)?),
        ("thinking", (effort(sent)? == Some(NO_EFFORT)).then(|| json!({ "type": "disabled" }))),
    ]))
}

fn check_parameters(sent: &Sent<'_>) -> Result<(), ApiError> {
    for name in sent.names() {
        let Some(value) = sent.value(name) else { continue };
        match PARAMETERS.iter().find(|(known, _)| *known == name) {
            Some((_, Told | Dropped)) => {}
            Some((_, Refused(harmless))) if harmless(value) => {}
            Some((known, Refused(_))) => return Err(unsupported(known)),
            None => {
                let message = "body has a parameter that this provider does not know; send those of OpenAI's \
                               chat completions only";
                return Err(ApiError::invalid("body", message));
            }
        }
    }
    Ok(())
}

/// Whether a value is equivalent to an absent one.
fn asks_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(flag) => !flag,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(values) => values.is_empty(),
        Value::Object(members) => members.is_empty(),
    }
}

fn max_tokens(sent: &Sent<'_>) -> Result<Value, ApiError> {
    let tokens = |name| sent.integer::<u32>(name, 1..=i64::from(u32::MAX));
    let (new, old) = (tokens("max_completion_tokens")?, tokens("max_tokens")?);
    Ok(new.or(old).unwrap_or(DEFAULT_MAX_TOKENS).into())
}

fn temperature(sent: &Sent<'_>) -> Result<Option<Value>, ApiError> {
    Ok(number(sent, "temperature", 2.0)?.map(|temperature| temperature.min(1.0).into()))
}

fn number(sent: &Sent<'_>, name: &str, most: f64) -> Result<Option<f64>, ApiError> {
    let within = |value: &Value| value.as_f64().filter(|number| (0.0..=most).contains(number));
    sent.read(name, &format!("a number from 0 to {most}"), within)
}

fn stop(sent: &Sent<'_>) -> Result<Vec<Value>, ApiError> {
    // the API rejects others, and an answer that does not stop there would differ
    let wanted = "a string or a list of strings, each with something else than white space in it";
    let one = |value: &Value| value.as_str().filter(|text| !text.trim().is_empty()).map(Value::from);
    let all = |value: &Value| match value {
        Value::Array(values) => values.iter().map(one).collect(),
        value if asks_nothing(value) => Some(Vec::new()),
        value => Some(vec![one(value)?]),
    };
    Ok(sent.read("stop", wanted, all)?.unwrap_or_default())
}

/// Returns the user's id, from the field of either API.
fn user_id<'v>(sent: &Sent<'v>) -> Result<Option<&'v str>, ApiError> {
    let text = |sent: &Sent<'v>, name| sent.read(name, "a string", Value::as_str);
    let metadata = match sent.object("metadata")? {
        Some(metadata) => text(&metadata, "user_id")?,
        None => None,
    };
    let (newer, user) = (text(sent, "safety_identifier")?, text(sent, "user")?);
    Ok(metadata.or(newer).or(user))
}

/// Disables reasoning, which is another field in the API than its effort.
const NO_EFFORT: &str = "none";

fn effort(sent: &Sent<'_>) -> Result<Option<&'static str>, ApiError> {
    let known = |value: &Value| {
        Some(match value.as_str()? {
            "none" => NO_EFFORT,
            "minimal" | "low" => "low",
            "medium" => "medium",
            "high" => "high",
            "xhigh" => "xhigh",
            "max" => "max",
            _ => return None,
        })
    };
    sent.read("reasoning_effort", "none, minimal, low, medium, high, xhigh or max", known)
}

fn output_config(sent: &Sent<'_>) -> Result<Option<Value>, ApiError> {
    let effort = effort(sent)?.filter(|effort| *effort != NO_EFFORT).map(Value::from);
    let config = object([("effort", effort), ("format", format(sent)?)]);
    Ok(Some(config).filter(|config| !asks_nothing(config)))
}

fn format(sent: &Sent<'_>) -> Result<Option<Value>, ApiError> {
    let Some(format) = sent.object("response_format")? else { return Ok(None) };
    match required_text(&format, "type")? {
        "text" => Ok(None),
        "json_schema" => {
            let named = format.required("json_schema", format.object("json_schema")?)?;
            let schema = named.required("schema", named.read("schema", "an object", an_object)?)?;
            Ok(Some(json!({ "type": "json_schema", "schema": schema })))
        }
        // the API cannot enforce a format without a schema
        _ => Err(format.refused("type", "text or json_schema with this provider")),
    }
}

fn an_object(value: &Value) -> Option<&Value> {
    value.is_object().then_some(value)
}

fn tools(sent: &Sent<'_>) -> Result<Vec<Value>, ApiError> {
    sent.objects("tools", MAX_ENTRIES)?.unwrap_or_default().iter().map(tool).collect()
}

fn tool(tool: &Sent<'_>) -> Result<Value, ApiError> {
    let function = function(tool)?;
    Ok(object([
        ("name", Some(required_text(&function, "name")?.into())),
        ("description", function.read("description", "a string", Value::as_str)?.map(Value::from)),
        ("input_schema", Some(input_schema(function.read("parameters", "an object", an_object)?))),
        ("strict", function.flag("strict")?.filter(|strict| *strict).map(Value::from)),
    ]))
}

/// Returns the schema of a tool's input, an object. A function without parameters may lack it, or have one
/// without a type.
fn input_schema(parameters: Option<&Value>) -> Value {
    let mut schema = parameters.cloned().unwrap_or_else(|| json!({ "properties": {} }));
    if let Value::Object(members) = &mut schema {
        members.entry("type").or_insert_with(|| "object".into());
    }
    schema
}

fn tool_choice(sent: &Sent<'_>, no_tools: bool) -> Result<Option<Value>, ApiError> {
    let wanted = "none, auto, required, or an object of type function with the function's name";
    let asked = sent.read("tool_choice", wanted, chosen)?;
    let alone = sent.flag("parallel_tool_calls")? == Some(false);
    let (kind, name) = match asked {
        None if !alone => return Ok(None),
        asked => asked.unwrap_or(("auto", None)),
    };
    if no_tools {
        // the API accepts no choice without tools, and OpenAI only these
        let nothing = matches!(kind, "auto" | "none").then_some(None);
        return nothing.ok_or_else(|| sent.refused("tool_choice", "none or auto where there are no tools"));
    }
    Ok(Some(object([
        ("type", Some(kind.into())),
        ("name", name.map(Value::from)),
        ("disable_parallel_tool_use", (alone && kind != "none").then_some(Value::Bool(true))),
    ])))
}

/// Returns the API's value of a choice, and the name of the chosen tool.
fn chosen(choice: &Value) -> Option<(&'static str, Option<&str>)> {
    Some(match choice.as_str() {
        Some("auto") => ("auto", None),
        Some("none") => ("none", None),
        Some("required") => ("any", None),
        None if choice.get("type")? == "function" => {
            ("tool", Some(choice.get("function")?.get("name")?.as_str()?))
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{chat::translation::tests::spoilt, error::Code};

    fn with(mut object: Value, more: &Value) -> Value {
        object.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        object
    }

    /// A body of one message with these parameters besides.
    fn body(parameters: &Value) -> Value {
        with(json!({ "model": "route", "messages": [{ "role": "user", "content": "hi" }] }), parameters)
    }

    fn function(name: &str) -> Value {
        json!({ "type": "function", "function": { "name": name, "parameters": { "type": "object" } } })
    }

    #[test]
    fn parameters() {
        let tool = json!({ "name": "f", "input_schema": { "type": "object" } });
        let with_tool = |parameters: Value| with(parameters, &json!({ "tools": [function("f")] }));
        let schema = json!({ "type": "object", "properties": {}, "additionalProperties": false });
        for (parameters, want) in [
            (json!({}), json!({})),
            (json!({ "max_tokens": 7 }), json!({ "max_tokens": 7 })),
            (json!({ "max_tokens": 7, "max_completion_tokens": 8 }), json!({ "max_tokens": 8 })),
            (json!({ "max_tokens": null, "temperature": null, "stop": null, "tools": null }), json!({})),
            (json!({ "temperature": 0.2, "top_p": 0.9 }), json!({ "temperature": 0.2, "top_p": 0.9 })),
            (json!({ "temperature": 1.7 }), json!({ "temperature": 1.0 })),
            (json!({ "stop": "END" }), json!({ "stop_sequences": ["END"] })),
            (json!({ "stop": ["a", "b\n"] }), json!({ "stop_sequences": ["a", "b\n"] })),
            (json!({ "stop": [] }), json!({})),
            (json!({ "stop": "" }), json!({})),
            (
                json!({ "stream": true, "stream_options": { "include_usage": true } }),
                json!({ "stream": true }),
            ),
            (json!({ "stream": false }), json!({ "stream": false })),
            (json!({ "user": "u" }), json!({ "metadata": { "user_id": "u" } })),
            (json!({ "user": "u", "safety_identifier": "s" }), json!({ "metadata": { "user_id": "s" } })),
            (
                json!({ "user": "u", "metadata": { "user_id": "m", "job": "j" } }),
                json!({ "metadata": { "user_id": "m" } }),
            ),
            (json!({ "metadata": { "job": "j" } }), json!({})),
            (json!({ "reasoning_effort": "minimal" }), json!({ "output_config": { "effort": "low" } })),
            (json!({ "reasoning_effort": "high" }), json!({ "output_config": { "effort": "high" } })),
            (json!({ "reasoning_effort": "none" }), json!({ "thinking": { "type": "disabled" } })),
            (json!({ "response_format": { "type": "text" } }), json!({})),
            (
                json!({ "reasoning_effort": "low", "response_format": { "type": "json_schema",
                    "json_schema": { "name": "n", "strict": true, "schema": schema } } }),
                json!({ "output_config": { "effort": "low",
                    "format": { "type": "json_schema", "schema": schema } } }),
            ),
            (
                json!({ "tools": [{ "type": "function", "function": { "name": "f", "description": "d",
                    "strict": true, "parameters": schema } }] }),
                json!({ "tools": [{ "name": "f", "description": "d", "strict": true,
                    "input_schema": schema }] }),
            ),
            (
                json!({ "tools": [{ "type": "function", "function": { "name": "f", "strict": false } }] }),
                json!({ "tools": [{ "name": "f", "input_schema": { "type": "object", "properties": {} } }] }),
            ),
            (
                json!({ "tools": [{ "type": "function", "function": { "name": "f", "parameters": {} } }] }),
                json!({ "tools": [tool] }),
            ),
            (json!({ "tools": [], "tool_choice": "auto", "parallel_tool_calls": false }), json!({})),
            (
                with_tool(json!({ "tool_choice": "auto" })),
                json!({ "tools": [tool], "tool_choice": { "type": "auto" } }),
            ),
            (
                with_tool(json!({ "tool_choice": "none", "parallel_tool_calls": false })),
                json!({ "tools": [tool], "tool_choice": { "type": "none" } }),
            ),
            (
                with_tool(json!({ "tool_choice": "required", "parallel_tool_calls": true })),
                json!({ "tools": [tool], "tool_choice": { "type": "any" } }),
            ),
            (
                with_tool(json!({ "tool_choice": { "type": "function", "function": { "name": "f" } } })),
                json!({ "tools": [tool], "tool_choice": { "type": "tool", "name": "f" } }),
            ),
            (
                with_tool(json!({ "parallel_tool_calls": false })),
                json!({ "tools": [tool],
                    "tool_choice": { "type": "auto", "disable_parallel_tool_use": true } }),
            ),
            (
                json!({ "n": 1, "logprobs": false, "top_logprobs": 0, "logit_bias": {}, "presence_penalty": 0,
                    "frequency_penalty": 0.0, "modalities": ["text"], "functions": [], "verbosity": "medium",
                    "audio": null, "repetition_penalty": 1.0 }),
                json!({}),
            ),
            (
                json!({ "seed": 7, "store": true, "service_tier": "flex", "prompt_cache_key": "k",
                    "prompt_cache_retention": "24h", "prompt_cache_options": { "ttl": "30m" },
                    "prediction": { "type": "content", "content": "x" } }),
                json!({}),
            ),
        ] {
            let whole = json!({ "model": "claude", "max_tokens": 4096,
                "messages": [{ "role": "user", "content": [{ "type": "text", "text": "hi" }] }] });
            assert_eq!(request(&body(&parameters), "claude").unwrap(), with(whole, &want), "{parameters}");
        }
    }

    #[test]
    fn what_has_no_counterpart() {
        for parameters in [
            json!({ "n": 2 }),
            json!({ "logprobs": true }),
            json!({ "top_logprobs": 3 }),
            json!({ "logit_bias": { "50256": -100 } }),
            json!({ "presence_penalty": 0.5 }),
            json!({ "frequency_penalty": -2 }),
            json!({ "audio": { "voice": "alloy", "format": "wav" } }),
            json!({ "modalities": ["text", "audio"] }),
            json!({ "functions": [{ "name": "f" }] }),
            json!({ "function_call": "auto" }),
            json!({ "moderation": { "model": "m" } }),
            json!({ "verbosity": "low" }),
            json!({ "web_search_options": {} }),
            json!({ "thinking": { "type": "enabled", "budget_tokens": 1024 } }),
            json!({ "reasoning": { "effort": "low" } }),
            json!({ "top_k": 40 }),
            json!({ "min_p": 0.1 }),
            json!({ "repetition_penalty": 1.1 }),
        ] {
            let field = parameters.as_object().unwrap().keys().next().unwrap().clone();
            assert_eq!(request(&body(&parameters), "claude"), Err(unsupported(&field)), "{parameters}");
        }
    }

    #[test]
    fn refusals() {
        let format = |format: Value| json!({ "response_format": format });
        for (parameters, want) in [
            (
                json!({ "eva@example.com": 1 }),
                "body has a parameter that this provider does not know; send those of OpenAI's chat \
                 completions only",
            ),
            (json!({ "max_tokens": 0 }), "max_tokens must be an integer from 1 to 4294967295"),
            (json!({ "max_tokens": "7" }), "max_tokens must be an integer from 1 to 4294967295"),
            (json!({ "temperature": 2.1 }), "temperature must be a number from 0 to 2"),
            (json!({ "top_p": -0.1 }), "top_p must be a number from 0 to 1"),
            (
                json!({ "stop": "\n" }),
                "stop must be a string or a list of strings, each with something else than white space in it",
            ),
            (
                json!({ "stop": ["a", ""] }),
                "stop must be a string or a list of strings, each with something else than white space in it",
            ),
            (json!({ "stream": "yes" }), "stream must be true or false"),
            (json!({ "user": 7 }), "user must be a string"),
            (json!({ "metadata": { "user_id": 7 } }), "metadata.user_id must be a string"),
            (
                json!({ "reasoning_effort": "huge" }),
                "reasoning_effort must be none, minimal, low, medium, high, xhigh or max",
            ),
            (
                format(json!({ "type": "json_object" })),
                "response_format.type must be text or json_schema with this provider",
            ),
            (format(json!({ "type": "json_schema" })), "response_format.json_schema is missing"),
            (
                format(json!({ "type": "json_schema", "json_schema": { "name": "n" } })),
                "response_format.json_schema.schema is missing",
            ),
            (
                json!({ "tools": [{ "type": "custom", "custom": { "name": "f" } }] }),
                "tools[0].type must be function with this provider",
            ),
            (json!({ "tools": [function("f"), { "type": "function" }] }), "tools[1].function is missing"),
            (json!({ "tools": [{ "function": {} }] }), "tools[0].function.name is missing"),
            (
                json!({ "tools": [{ "function": { "name": "f", "parameters": "p" } }] }),
                "tools[0].function.parameters must be an object",
            ),
            (
                json!({ "tools": [function("f")], "tool_choice": { "type": "allowed_tools" } }),
                "tool_choice must be none, auto, required, or an object of type function with the function's \
                 name",
            ),
            (
                json!({ "tool_choice": "required" }),
                "tool_choice must be none or auto where there are no tools",
            ),
        ] {
            let error = request(&body(&parameters), "claude").unwrap_err();
            assert_eq!((error.code(), error.message()), (Code::InvalidRequest, want), "{parameters}");
        }
    }

    #[test]
    fn every_parameter_once_in_order() {
        assert!(PARAMETERS.is_sorted_by(|(one, _), (other, _)| one < other));
    }

    /// Three turns: a question, two calls and their results, a call whose arguments are not JSON.
    fn conversation() -> Value {
        json!({
            "model": "primary",
            "messages": [
                { "role": "system", "content": "Be brief." },
                { "role": "user", "content": "What does [[PERSON_x7k2qd]] owe, and what is the weather?" },
                { "role": "assistant", "content": "I look it up.", "tool_calls": [
                    { "id": "call_1", "type": "function", "function": { "name": "debts",
                        "arguments": "{\"who\": \"[[PERSON_x7k2qd]]\", \"since\": 2020}" } },
                    { "id": "call_2", "type": "function", "function": { "name": "weather",
                        "arguments": "{}" } },
                ] },
                { "role": "tool", "tool_call_id": "call_1", "content": "[[IBAN_h3m9rt]]: 120 EUR" },
                { "role": "tool", "tool_call_id": "call_2", "content": "rain" },
                { "role": "assistant", "content": "120 EUR; it rains." },
                { "role": "user", "content": [
                    { "type": "text", "text": "And this bill?" },
                    { "type": "image_url", "image_url": { "url": "data:image/png;base64,iVBORw0=" } },
                ] },
                { "role": "assistant", "content": null, "tool_calls": [
                    { "id": "call_3", "type": "function", "function": { "name": "debts",
                        "arguments": "[[PERSON_x7k2qd]]" } },
                ] },
                { "role": "tool", "tool_call_id": "call_3", "content": "bad arguments" },
                { "role": "user", "content": "Try again." },
            ],
            "tools": [
                { "type": "function", "function": { "name": "debts", "description": "What a person owes",
                    "parameters": { "type": "object", "properties": { "who": { "type": "string" } } } } },
                { "type": "function", "function": { "name": "weather" } },
            ],
            "tool_choice": "auto",
            "parallel_tool_calls": true,
            "max_completion_tokens": 500,
            "temperature": 0.5,
            "user": "[[EMAIL_q2w3er]]",
        })
    }

    #[test]
    fn a_conversation_of_three_turns() {
        let want = json!({
            "model": "claude-sonnet-4-5",
            "max_tokens": 500,
            "system": [{ "type": "text", "text": "Be brief." }],
            "messages": [
                { "role": "user", "content": [
                    { "type": "text", "text": "What does [[PERSON_x7k2qd]] owe, and what is the weather?" },
                ] },
                { "role": "assistant", "content": [
                    { "type": "text", "text": "I look it up." },
                    { "type": "tool_use", "id": "call_1", "name": "debts",
                        "input": { "who": "[[PERSON_x7k2qd]]", "since": 2020 } },
                    { "type": "tool_use", "id": "call_2", "name": "weather", "input": {} },
                ] },
                { "role": "user", "content": [
                    { "type": "tool_result", "tool_use_id": "call_1", "content": [
                        { "type": "text", "text": "[[IBAN_h3m9rt]]: 120 EUR" } ] },
                    { "type": "tool_result", "tool_use_id": "call_2", "content": [
                        { "type": "text", "text": "rain" } ] },
                ] },
                { "role": "assistant", "content": [{ "type": "text", "text": "120 EUR; it rains." }] },
                { "role": "user", "content": [
                    { "type": "text", "text": "And this bill?" },
                    { "type": "image", "source": { "type": "base64", "media_type": "image/png",
                        "data": "iVBORw0=" } },
                ] },
                { "role": "assistant", "content": [
                    { "type": "tool_use", "id": "call_3", "name": "debts",
                        "input": { "raw_arguments": "[[PERSON_x7k2qd]]" } },
                ] },
                { "role": "user", "content": [
                    { "type": "tool_result", "tool_use_id": "call_3", "content": [
                        { "type": "text", "text": "bad arguments" } ] },
                    { "type": "text", "text": "Try again." },
                ] },
            ],
            "tools": [
                { "name": "debts", "description": "What a person owes",
                    "input_schema": { "type": "object", "properties": { "who": { "type": "string" } } } },
                { "name": "weather", "input_schema": { "type": "object", "properties": {} } },
            ],
            "tool_choice": { "type": "auto" },
            "temperature": 0.5,
            "metadata": { "user_id": "[[EMAIL_q2w3er]]" },
        });
        assert_eq!(request(&conversation(), "claude-sonnet-4-5").unwrap(), want);
    }

    #[test]
    fn refusals_hold_nothing_that_was_sent() {
        let mut refused = 0;
        for body in spoilt(&conversation()) {
            if let Err(error) = request(&body, "claude") {
                assert_eq!(error.code(), Code::InvalidRequest, "{body}");
                assert!(!error.message().contains("Novák"), "{}", error.message());
                refused += 1;
            }
        }
        assert!(refused > 100, "{refused}");
    }
}
