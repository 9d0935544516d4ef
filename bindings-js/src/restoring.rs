//! Decides where a text of an answer may get its values: the crate `restore`, for JavaScript.
//!
//! JavaScript finds the replacements and knows their values. Here each is judged, in the order of the text.

use std::{cell::RefCell, rc::Rc};

use textveil_restore::{Encoding, End, Hosts, TextReader, Transcripts, Verdict};
use wasm_bindgen::prelude::*;

/// The state that the readers of one answer share.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Transcript(Rc<RefCell<Transcripts>>);

#[wasm_bindgen]
impl Transcript {
    /// Begins an answer whose values may go to these hosts, which are one text with commas between them.
    pub fn begin(hosts: &str) -> Self {
        Self(Rc::new(RefCell::new(Transcripts::new(Hosts::new(hosts.split(','))))))
    }

    /// Opens a text of the answer, which readers join with those of the same lane; data has no lane.
    pub fn open(&self, lane: Option<String>, is_string: bool) -> Destinations {
        let reader = lane.map_or_else(TextReader::default, |lane| TextReader::of_lane(lane.into()));
        let reader = if is_string { reader.as_string() } else { reader };
        Destinations { transcripts: Rc::clone(&self.0), reader, is_string }
    }

    /// Whether a reader is within a URL of a host that is not allowed, or whose host is not known yet.
    #[wasm_bindgen(js_name = isInUrl)]
    pub fn is_in_url(&self) -> bool {
        self.0.borrow_mut().is_in_url()
    }

    /// Opens the arguments of a call of this tool.
    pub fn arguments(&self, tool: &str) -> Arguments {
        Arguments { transcripts: Rc::clone(&self.0), arguments: textveil_restore::Arguments::of_tool(tool) }
    }
}

/// One text of an answer.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Destinations {
    transcripts: Rc<RefCell<Transcripts>>,
    reader: TextReader,
    is_string: bool,
}

#[wasm_bindgen]
impl Destinations {
    /// Reads more of the text.
    pub fn text(&mut self, text: &str) {
        self.reader.text(&mut self.transcripts.borrow_mut(), text);
    }

    /// Reads a replacement with its value.
    pub fn value(&mut self, value: &str) {
        self.reader.value(&mut self.transcripts.borrow_mut(), value);
    }

    /// Ends the text.
    pub fn end(&mut self) {
        let end = if self.is_string { End::Whole } else { End::Part };
        self.reader.end(&self.transcripts.borrow(), end);
    }

    /// Returns how the next value is written: 0 as it is, 1 as text of HTML, 2 percent-encoded, 9 not at all; `undefined` if that
    /// needs more text.
    pub fn next(&mut self) -> Option<u8> {
        Some(match self.reader.verdict()? {
            Verdict::Withhold => 9,
            Verdict::Restore(Encoding::Plain) => 0,
            Verdict::Restore(Encoding::Html) => 1,
            Verdict::Restore(Encoding::Url | Encoding::Strict) => 2,
        })
    }
}

/// The arguments of one call.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Arguments {
    transcripts: Rc<RefCell<Transcripts>>,
    arguments: textveil_restore::Arguments,
}

#[wasm_bindgen]
impl Arguments {
    /// Begins a string, after the name of its field.
    pub fn begin(&mut self, field: Option<String>) {
        self.arguments.begin(field.as_deref());
    }

    /// Reads more of the string.
    pub fn text(&mut self, text: &str) {
        self.arguments.text(text, self.transcripts.borrow().hosts());
    }

    /// Reads a replacement.
    pub fn value(&mut self) {
        self.arguments.value(self.transcripts.borrow().hosts());
    }

    /// Ends the string.
    pub fn end(&mut self) {
        self.arguments.end(self.transcripts.borrow().hosts());
    }

    /// Whether a host or an address was named that is not allowed.
    #[wasm_bindgen(js_name = namesForeign)]
    pub fn names_foreign(&self) -> bool {
        self.arguments.names_foreign()
    }
}
