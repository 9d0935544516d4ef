//! The readers of documents as a module of their own, which the package loads for the first document that is not plain
//! text.
//!
//! The engine is another module. A [`Judge`] of JavaScript hands texts to it, and its findings back.

use textveil_documents::{Finding, Format, Passage, Record, Replaced, Value, analyse};
use textveil_engine::Span;
use wasm_bindgen::prelude::*;

#[cfg(target_family = "wasm")]
#[global_allocator]
static ALLOCATOR: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();

#[wasm_bindgen]
extern "C" {
    /// Finds personal data in a text, and what replaces it. A finding lies in one of the cells, given by the start and
    /// the end of each in bytes of UTF-8.
    pub type Judge;

    #[wasm_bindgen(method, catch)]
    fn judge(this: &Judge, text: &str, cells: &[u32]) -> Result<Found, JsValue>;

    /// The findings in a text, in order.
    pub type Found;

    /// Start and end of each finding, in UTF-16 units.
    #[wasm_bindgen(method, getter)]
    fn places(this: &Found) -> Vec<u32>;

    /// The replacement of each of them.
    #[wasm_bindgen(method, getter)]
    fn replacements(this: &Found) -> Vec<String>;
}

/// A document that arrives in pieces, and of which only the values are changed.
#[wasm_bindgen]
pub struct Document {
    document: textveil_documents::Document,
    judge: Judge,
}

/// The document stays out.
impl std::fmt::Debug for Document {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Document").finish_non_exhaustive()
    }
}

#[wasm_bindgen]
impl Document {
    /// Opens a document of a format, such as `csv`.
    ///
    /// # Errors
    /// If there is no such format. The error is a message, here and below, or the error that the judge threw.
    #[wasm_bindgen(constructor)]
    pub fn new(format: &str, judge: Judge) -> Result<Self, JsValue> {
        let format = Format::ALL.into_iter().find(|known| known.name() == format);
        let format = format.ok_or_else(|| JsValue::from_str("the format is not known"))?;
        Ok(Self { document: textveil_documents::Document::open(format), judge })
    }

    /// Takes the next piece and gives what is final by now, protected.
    ///
    /// # Errors
    /// If the document is malformed, with the line.
    pub fn push(&mut self, text: &str) -> Result<String, JsValue> {
        let records = self.document.push(text).map_err(thrown)?;
        self.protected(&records)
    }

    /// Takes the next bytes of a message or a Word document, which is read as a whole.
    ///
    /// # Errors
    /// If the document is longer than 64 MiB, or its format is text.
    #[wasm_bindgen(js_name = pushBytes)]
    pub fn push_bytes(&mut self, bytes: &[u8]) -> Result<(), JsValue> {
        self.document.push_bytes(bytes).map_err(thrown)
    }

    /// Gives the rest.
    ///
    /// # Errors
    /// As [`Document::push`].
    pub fn finish(&mut self) -> Result<String, JsValue> {
        let records = self.document.finish().map_err(thrown)?;
        self.protected(&records)
    }

    fn protected(&self, records: &[Record]) -> Result<String, JsValue> {
        let mut out = String::new();
        for record in records {
            let edits = edits(&record.values, &self.judge)?;
            out.push_str(&record.rewritten(&edits));
        }
        Ok(out)
    }
}

/// Returns why a file is not read, by its first bytes: it is of a format that is not read. Absent for any other.
#[wasm_bindgen]
pub fn unread(start: &[u8]) -> Option<String> {
    textveil_documents::unread(start).map(|unread| unread.to_string())
}

/// Protects the values of fields, which are read together, each after its label.
///
/// # Errors
/// Returns the error that the judge threw.
#[wasm_bindgen(js_name = protectFields)]
pub fn protect_fields(
    labels: Vec<String>,
    texts: Vec<String>,
    judge: &Judge,
) -> Result<Vec<String>, JsValue> {
    let values: Vec<_> =
        labels.into_iter().zip(texts).map(|(label, text)| Value::plain(Some(label), text)).collect();
    let edits = edits(&values, judge)?;
    Ok(values
        .iter()
        .zip(&edits)
        .map(|(value, edits)| textveil_documents::edited(&value.text, edits))
        .collect())
}

fn edits(values: &[Value], judge: &Judge) -> Result<Vec<Vec<textveil_documents::Edit>>, JsValue> {
    let mut failure = None;
    let analysis = analyse(values, |passage| match judge.judge(passage.text(), &cells(passage)) {
        Ok(found) => Ok((replacements(passage.text(), &found.places(), found.replacements()), Vec::new())),
        Err(error) => {
            failure = Some(error);
            anyhow::bail!("the judge failed")
        }
    });
    match analysis {
        Ok(analysis) => Ok(analysis.edits(str::to_owned)),
        Err(error) => Err(failure.unwrap_or_else(|| thrown(error))),
    }
}

/// The start and the end of each cell of a passage, in bytes.
fn cells(passage: &Passage) -> Vec<u32> {
    passage.cells().iter().flat_map(|cell| [cell.start as u32, cell.end as u32]).collect()
}

/// A finding, with what replaces it.
struct Replacement {
    bytes: Span,
    text: String,
}

impl Finding for Replacement {
    fn bytes(&self) -> Span {
        self.bytes
    }

    fn move_to(&mut self, bytes: Span, _: &dyn Fn(Span) -> Option<Span>) {
        self.bytes = bytes;
    }
}

impl Replaced for Replacement {
    fn replacement(&self) -> &str {
        &self.text
    }
}

/// The findings of a judge with their places in bytes.
fn replacements(text: &str, places: &[u32], texts: Vec<String>) -> Vec<Replacement> {
    // both ends of each finding are in order, so one pass finds them all
    let mut characters = text.char_indices().peekable();
    let mut units = 0;
    let mut byte_of = |place: u32| {
        while let Some(&(_, character)) = characters.peek()
            && units < place
        {
            units += u32::from(character as u32 > 0xffff) + 1;
            characters.next();
        }
        characters.peek().map_or(text.len(), |(at, _)| *at)
    };
    let mut ends = places.iter().map(|place| byte_of(*place));
    texts
        .into_iter()
        .map_while(|text| Some(Replacement { bytes: Span { start: ends.next()?, end: ends.next()? }, text }))
        .collect()
}

#[allow(clippy::needless_pass_by_value, reason = "the shape that map_err asks for")]
fn thrown(error: anyhow::Error) -> JsValue {
    JsValue::from_str(&error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_in_units_of_javascript_become_bytes() {
        let found = replacements("🙂č x 🙂", &[0, 2, 2, 3, 4, 5, 6, 8], vec!["a".into(); 4]);
        let bytes: Vec<_> = found.iter().map(|found| (found.bytes.start, found.bytes.end)).collect();
        assert_eq!(bytes, [(0, 4), (4, 6), (7, 8), (9, 13)]);
    }
}
