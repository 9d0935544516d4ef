//! The messages of a request. Those of Anthropic have the same fields, or fewer.

use serde_json::{Map, Value};

use crate::chat::request::{
    BodyWalk, Spelling, TOOL, USER, Visit, Walked,
    forms::{is_name, is_one_of, string},
};

/// Roles, which are keywords.
const ROLES: [&str; 6] = ["assistant", "developer", "function", "system", "tool", "user"];

impl<V: Visit> BodyWalk<'_, V> {
    pub(in crate::chat) fn message(&mut self, message: &mut Value) -> Walked {
        let Value::Object(members) = message else { return self.data(message, None) };
        let role = members.get("role").and_then(Value::as_str).filter(|role| ROLES.contains(role));
        let role = role.unwrap_or(USER).to_owned();
        self.tool = match role.as_str() {
            TOOL => Some(self.called(members.get("tool_call_id"))),
            "function" => Some(string(members.get("name")).to_owned()),
            _ => None,
        };
        let walked = self.message_of(&role, members);
        self.tool = None;
        walked
    }

    pub(in crate::chat) fn message_of(&mut self, role: &str, members: &mut Map<String, Value>) -> Walked {
        self.as_role(role, |walk| {
            for (key, value) in members.iter_mut() {
                match key.as_str() {
                    "role" if is_one_of(value, &ROLES) => {}
                    "type" | "status" | "phase" if is_name(value) => {}
                    "content" => walk.content(value)?,
                    "tool_calls" => walk.each(value, Self::call)?,
                    "function_call" => walk.function(value)?,
                    "tool_call_id" | "id" => walk.id(value)?,
                    "audio" => {
                        walk.left.audio += usize::from(value.get("data").is_some());
                        walk.known(value)?;
                    }
                    // Ollama's own API has images here
                    "images" => {
                        walk.left.images += usize::from(!value.is_null());
                        walk.data(value, None)?;
                    }
                    "name" if walk.tool.is_some() => walk.word(value, Spelling::Word)?,
                    "name" => walk.word(value, Spelling::Participant)?,
                    "refusal" | "reasoning" | "reasoning_content" | "role" => walk.data(value, None)?,
                    _ => walk.data(value, Some(key))?,
                }
            }
            walk.keys(members, is_message_key)
        })
    }

    /// Visits a tool call of the model.
    pub(in crate::chat) fn call(&mut self, call: &mut Value) -> Walked {
        let name = call.pointer("/function/name").or_else(|| call.pointer("/custom/name"));
        self.note_call(call.get("id"), name);
        let Value::Object(members) = call else { return self.data(call, None) };
        for (key, value) in members.iter_mut() {
            match key.as_str() {
                "type" if is_name(value) => {}
                "id" => self.id(value)?,
                "function" | "custom" => self.function(value)?,
                _ => self.data(value, Some(key))?,
            }
        }
        self.keys(members, |key| matches!(key, "type" | "id" | "function" | "custom" | "index"))
    }

    pub(in crate::chat) fn function(&mut self, function: &mut Value) -> Walked {
        let Value::Object(members) = function else { return self.data(function, None) };
        for (key, value) in members.iter_mut() {
            match (key.as_str(), value) {
                ("arguments" | "input", Value::String(json)) => self.json(json),
                ("name", value) => self.word(value, Spelling::Word)?,
                (key, value) => self.data(value, Some(key))?,
            }
        }
        self.keys(members, |key| matches!(key, "name" | "arguments" | "input"))
    }
}

fn is_message_key(key: &str) -> bool {
    const KNOWN: [&str; 10] = [
        "audio",
        "content",
        "function_call",
        "id",
        "name",
        "reasoning",
        "reasoning_content",
        "refusal",
        "role",
        "tool_call_id",
    ];
    KNOWN.contains(&key) || key == "tool_calls"
}
