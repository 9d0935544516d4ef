//! The tools of this program.

use std::io;

use anyhow::{Context, Result};
use serde_json::{Map, Value};
use textveil::{DetectOptions, ProtectOptions};
use textveil_engine::{
    OffsetUnit,
    wire::{self, OneText, RestoreRequest, ValidateRequest},
};
use textveil_service::mcp::{self, CalledTool, Detectors, Received, Tool};

use super::{
    super::{Outcome, json_value::JsonProtector, restore::restore},
    lines::{self, InputLine, LONGEST, Output},
};

/// The engine, with the options of the operator.
pub struct ToolServer {
    pub json: JsonProtector,
    /// The unit of offsets.
    pub unit: OffsetUnit,
    /// Whether the tool `restore` is offered.
    pub restores: bool,
}

impl ToolServer {
    /// Answers messages until the input ends.
    ///
    /// # Errors
    /// If the input cannot be read or the output has gone.
    pub fn run(self) -> Result<Outcome> {
        let (mut input, output) = (io::stdin().lock(), Output::new(io::stdout()));
        while let Some(line) = lines::next(&mut input)? {
            let answer = match line {
                InputLine::Message(message) => self.answer(&message),
                InputLine::Unreadable(_) => Some(mcp::not_json()),
                InputLine::TooLong => {
                    let why = format!("the message is longer than {} MiB", LONGEST >> 20);
                    Some(mcp::failure(&Value::Null, mcp::code::INVALID_REQUEST, &why))
                }
            };
            if let Some(answer) = answer {
                output.write(&answer)?;
            }
        }
        Ok(Outcome::Done)
    }

    fn answer(&self, message: &Value) -> Option<Value> {
        match mcp::receive(message, self.restores) {
            Received::Nothing => None,
            Received::Answer(answer) => Some(answer),
            Received::Call(mut call) => {
                let arguments = std::mem::take(&mut call.arguments);
                let result = self.call(&call, arguments).map_err(|error| format!("{error:#}"));
                Some(call.answer(result))
            }
        }
    }

    fn call(&self, call: &CalledTool, mut arguments: Map<String, Value>) -> Result<Value> {
        let JsonProtector { engine, keys, .. } = &self.json;
        call.tool.check(&arguments).map_err(anyhow::Error::msg)?;
        Ok(match call.tool {
            Tool::Detect => {
                let has_values = match arguments.remove("values") {
                    None | Some(Value::Null) => false,
                    Some(values) => values.as_bool().context("values must be true or false")?,
                };
                let (OneText { text }, options) = wire::decode(Value::Object(arguments))?;
                mcp::detection(&engine.detect(&text, &self.detection(options))?, has_values)
            }
            Tool::Protect => {
                let has_mode = arguments.get("mode").is_some_and(|mode| !mode.is_null());
                let (OneText { text }, (options, asked)): (_, (DetectOptions, ProtectOptions)) =
                    wire::decode(Value::Object(arguments))?;
                let mut protection = self.json.protection.clone();
                if has_mode {
                    protection.mode = asked.mode;
                }
                mcp::protection(&engine.protect(&text, &self.detection(options), &protection, keys)?)
            }
            Tool::Validate => {
                if let Some(kind) = arguments.remove("type") {
                    arguments.insert("entity_type".to_owned(), kind);
                }
                let ValidateRequest { value, entity_type, country } = wire::decode(Value::Object(arguments))?;
                mcp::validation(&engine.validate(&value, &entity_type, country.as_deref())?)
            }
            Tool::ListDetectors => {
                let wanted = Detectors::read(&arguments).map_err(anyhow::Error::msg)?;
                wanted.page(&engine.detectors(wanted.country.as_deref())?)
            }
            Tool::Restore => {
                let RestoreRequest { text } = wire::decode(Value::Object(arguments))?;
                let restored = restore(engine, keys, &text)?;
                mcp::restored(&restored.unwrap_or(textveil::Restored { text, restored: 0, unknown: 0 }))
            }
        })
    }

    /// Returns the options of the operator with those of a call, which win.
    fn detection(&self, call: DetectOptions) -> DetectOptions {
        let mut options = self.json.detection.clone();
        options.offset_unit = Some(self.unit);
        options.country = call.country.or(options.country);
        options.privacy_preset = call.privacy_preset.or(options.privacy_preset);
        if !call.entities.is_empty() {
            options.entities = call.entities;
        }
        options
    }
}
