//! A tool's call in an answer: whether its arguments get values.
//!
//! The arguments get values unless they name a host or an address that is not allowed, which may come after a value. So
//! they are held from the first placeholder on until they end; arguments without a placeholder pass as they arrive.

use std::{cell::Cell, rc::Rc};

use serde_json::Value;
use textveil_restore::Arguments;

use super::{
    json_text::{Lexer, Token},
    placeholder::{Piece, Placeholders, Reader},
    stream::Answer,
};

/// The most text of one call's arguments that is held, in bytes. Longer arguments keep their placeholders.
const MAX_HELD: usize = 1 << 20;

/// A call of a tool.
#[derive(Debug)]
pub struct ToolCall {
    /// The name of the tool; empty if it is unknown.
    tool: Rc<str>,
    names_foreign: Cell<bool>,
}

impl ToolCall {
    /// Creates a call of the tool whose arguments are to come.
    pub fn of(tool: &Rc<str>) -> Rc<Self> {
        Rc::new(Self { tool: Rc::clone(tool), names_foreign: Cell::new(false) })
    }

    /// Creates a call of the tool with these arguments.
    pub(super) fn whole<R>(answer: &mut Answer<R>, tool: &Rc<str>, arguments: &Value) -> Rc<Self> {
        let call = Self::of(tool);
        let mut scan = Scan::of(&call);
        scan.value(answer, arguments);
        call.names_foreign.set(scan.arguments.names_foreign());
        call
    }

    pub(super) fn tool(&self) -> &str {
        &self.tool
    }

    /// Whether its arguments name a host or an address that is not allowed.
    pub(super) fn names_foreign(&self) -> bool {
        self.names_foreign.get()
    }
}

/// Holds the arguments of a call until it is known whether they get values.
pub(super) struct Gate {
    call: Rc<ToolCall>,
    scan: Scan,
    lexer: Lexer,
    /// Finds the first placeholder.
    finder: Reader,
    /// The arguments from the first placeholder on.
    held: Option<String>,
    is_open: bool,
}

impl Gate {
    pub fn new(call: &Rc<ToolCall>) -> Self {
        Self {
            call: Rc::clone(call),
            scan: Scan::of(call),
            lexer: Lexer::default(),
            finder: Reader::default(),
            held: None,
            is_open: false,
        }
    }

    /// Adds a piece and returns the text that may pass.
    pub fn push<R>(&mut self, answer: &mut Answer<R>, chunk: &str) -> String {
        if self.is_open {
            return chunk.to_owned();
        }
        self.lexer.push(chunk, &mut |token| self.scan.token(answer, &token));
        let mut out = self.find(answer.placeholders(), chunk);
        let is_too_long = self.held.as_ref().is_some_and(|held| held.len() > MAX_HELD);
        if is_too_long || self.scan.arguments.names_foreign() {
            self.call.names_foreign.set(true);
            out.push_str(&self.rest());
        }
        out
    }

    /// Returns the rest.
    pub fn finish<R>(&mut self, answer: &mut Answer<R>) -> String {
        if self.is_open {
            return String::new();
        }
        self.lexer.finish(&mut |token| self.scan.token(answer, &token));
        self.call.names_foreign.set(self.scan.arguments.names_foreign());
        self.rest()
    }

    /// Returns the text before the first placeholder, and holds the rest.
    fn find(&mut self, placeholders: &Placeholders, chunk: &str) -> String {
        if let Some(held) = &mut self.held {
            held.push_str(chunk);
            return String::new();
        }
        let mut out = String::new();
        let held = &mut self.held;
        let mut take = |piece: Piece<'_>| match (piece, &mut *held) {
            (Piece::Text(text) | Piece::Name { written: text, .. }, Some(held)) => held.push_str(text),
            (Piece::Name { name, written, is_exact }, none)
                if placeholders.resolve(&name, is_exact).is_some() =>
            {
                *none = Some(written.to_owned());
            }
            (Piece::Text(text) | Piece::Name { written: text, .. }, None) => out.push_str(text),
        };
        self.finder.push(chunk, &mut take);
        if held.is_some() {
            let mut take = |piece: Piece<'_>| match (piece, &mut *held) {
                (Piece::Text(text) | Piece::Name { written: text, .. }, Some(held)) => held.push_str(text),
                (_, None) => {}
            };
            self.finder.finish(&mut take);
        }
        out
    }

    fn rest(&mut self) -> String {
        self.is_open = true;
        let mut rest = self.held.take().unwrap_or_default();
        self.finder.finish(&mut |piece| match piece {
            Piece::Text(text) | Piece::Name { written: text, .. } => rest.push_str(text),
        });
        rest
    }
}

/// Reads arguments as a tool does: their strings without escapes, each with the name of its field.
struct Scan {
    arguments: Arguments,
    /// Finds the placeholders of the current string.
    reader: Reader,
    field: String,
    is_field: bool,
    /// The text is no JSON.
    is_broken: bool,
}

impl Scan {
    fn of(call: &ToolCall) -> Self {
        Self {
            arguments: Arguments::of_tool(&call.tool),
            reader: Reader::default(),
            field: String::new(),
            is_field: false,
            is_broken: false,
        }
    }

    fn token<R>(&mut self, answer: &mut Answer<R>, token: &Token<'_>) {
        match token {
            Token::Plain(_) | Token::Number(_) => {}
            Token::Begin { key } => {
                self.is_field = *key;
                self.begin();
            }
            Token::Text(text) => {
                if self.is_field {
                    self.field.push_str(text);
                }
                self.text(answer, text);
            }
            Token::End => self.end(answer),
            Token::Broken(text) => {
                if !std::mem::replace(&mut self.is_broken, true) {
                    self.arguments.begin(None);
                }
                self.text(answer, text);
            }
        }
    }

    fn begin(&mut self) {
        let field = (!self.is_field && !self.field.is_empty()).then_some(self.field.as_str());
        self.arguments.begin(field);
        if self.is_field {
            self.field.clear();
        }
    }

    fn text<R>(&mut self, answer: &mut Answer<R>, text: &str) {
        let mut reader = std::mem::take(&mut self.reader);
        reader.push(text, &mut |piece| self.piece(answer, &piece));
        self.reader = reader;
    }

    fn end<R>(&mut self, answer: &mut Answer<R>) {
        std::mem::take(&mut self.reader).finish(&mut |piece| self.piece(answer, &piece));
        self.arguments.end(answer.transcripts().hosts());
    }

    fn piece<R>(&mut self, answer: &mut Answer<R>, piece: &Piece<'_>) {
        let is_value = match piece {
            Piece::Text(_) => false,
            Piece::Name { name, is_exact, .. } => answer.placeholders().resolve(name, *is_exact).is_some(),
        };
        let hosts = answer.transcripts().hosts();
        match piece {
            _ if is_value => self.arguments.value(hosts),
            Piece::Text(text) | Piece::Name { written: text, .. } => self.arguments.text(text, hosts),
        }
    }

    /// Reads arguments that are there as a whole.
    fn value<R>(&mut self, answer: &mut Answer<R>, value: &Value) {
        match value {
            Value::String(text) => self.string(answer, text, false),
            Value::Array(values) => values.iter().for_each(|value| self.value(answer, value)),
            Value::Object(members) => {
                for (key, value) in members {
                    self.string(answer, key, true);
                    self.field.clone_from(key);
                    self.value(answer, value);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn string<R>(&mut self, answer: &mut Answer<R>, text: &str, is_field: bool) {
        self.is_field = is_field;
        self.begin();
        self.text(answer, text);
        self.end(answer);
    }
}
