//! The items of a request for a response, and the format of its text.

use serde_json::Value;

use crate::chat::request::{
    ASSISTANT, BodyWalk, Spelling, Visit, Walked,
    forms::{is_name, is_seal, string},
};

/// Known items of OpenAI's responses, other than calls and their results.
const ITEMS: [&str; 7] = [
    "compaction",
    "item_reference",
    "mcp_approval_request",
    "mcp_approval_response",
    "mcp_list_tools",
    "reasoning",
    "tool_search_output",
];

impl<V: Visit> BodyWalk<'_, V> {
    /// Visits an item of the input of OpenAI's responses.
    pub(in crate::chat) fn item(&mut self, item: &mut Value) -> Walked {
        let kind = string(item.get("type"));
        if matches!(kind, "" | "message") {
            return self.message(item);
        }
        if kind.ends_with("_call_output") {
            let tool = self.called(item.get("call_id"));
            return self.as_tool(tool, |walk| walk.item_of(item));
        }
        self.note_call(item.get("call_id"), item.get("name").or_else(|| item.get("type")));
        match kind {
            "image_generation_call" => self.left.images += usize::from(item.get("result").is_some()),
            kind if kind.ends_with("_call") || ITEMS.contains(&kind) => {}
            _ => self.left.unknown += 1,
        }
        self.as_role(ASSISTANT, |walk| walk.item_of(item))
    }

    /// Visits the fields of an item.
    pub(in crate::chat) fn item_of(&mut self, item: &mut Value) -> Walked {
        let is_sealed_item = matches!(string(item.get("type")), "reasoning" | "compaction");
        let is_image = string(item.get("type")) == "image_generation_call";
        // the provider runs these tools, and the item of a call has its results, too
        let tool = item.get("name").or_else(|| item.get("type"));
        let tool = string(tool).to_owned();
        let Value::Object(members) = item else { return self.data(item, None) };
        for (key, value) in members.iter_mut() {
            match key.as_str() {
                "type" | "status" if is_name(value) => {}
                "id" | "call_id" => self.id(value)?,
                "encrypted_content" if is_sealed_item && is_seal(value) => self.left.signed += 1,
                "result" if is_image && is_seal(value) => {}
                "arguments" | "input" => match value {
                    Value::String(json) => self.json(json),
                    other => self.data(other, Some(key))?,
                },
                "output" if self.tool.is_none() => self.as_tool(tool.clone(), |walk| walk.output(value))?,
                "error" | "outputs" | "results" | "tools" if self.tool.is_none() => {
                    self.as_tool(tool.clone(), |walk| walk.data(value, Some(key)))?;
                }
                "content" | "output" | "summary" => self.output(value)?,
                "name" => self.word(value, Spelling::Word)?,
                _ => self.data(value, Some(key))?,
            }
        }
        self.keys(members, is_item_key)
    }

    /// Visits the output of an item: a string, parts, or any result of a tool.
    pub(in crate::chat) fn output(&mut self, output: &mut Value) -> Walked {
        match output {
            Value::Array(_) => self.each(output, Self::part),
            other => self.data(other, None),
        }
    }

    /// Visits the required format of the answer's text.
    pub(in crate::chat) fn text_format(&mut self, text: &mut Value) -> Walked {
        let Value::Object(members) = text else { return self.data(text, None) };
        for (key, value) in members.iter_mut() {
            match key.as_str() {
                "format" => self.format(value)?,
                _ => self.data(value, None)?,
            }
        }
        self.keys(members, |key| matches!(key, "format" | "verbosity"))
    }
}

fn is_item_key(key: &str) -> bool {
    const KNOWN: [&str; 13] = [
        "action",
        "arguments",
        "call_id",
        "content",
        "encrypted_content",
        "id",
        "input",
        "name",
        "output",
        "result",
        "status",
        "summary",
        "type",
    ];
    KNOWN.contains(&key)
}
