//! WebAssembly glue of the npm package `textveil`. The public API is the TypeScript in `js/`; this crate
//! turns its calls into the engine's and the engine's answers into objects of JavaScript.
//!
//! Options cross as JSON text, and are compiled once for many calls ([`Options`]). So every surface reads a request with the
//! same decoder, which rejects an unknown key in a policy's condition: a reader that looks up only the properties
//! it knows would drop it and fail open. Texts cross as strings of their own. Answers with findings cross as
//! numbers and one text (`answers`), all others as JSON text. The answers leave the caller's text
//! empty: the caller has it.
//!
//! JavaScript names its properties in camelCase. JSON is written so (`Case::Camel`); `js/wire.ts` translates
//! the names of options.

mod answers;
mod restoring;

use std::{cell::OnceCell, io};

use serde::Serialize;
use serde_json::{Serializer, ser::Formatter};
use textveil_documents::Format;
use textveil_engine::{
    Country, DetectOptions, Error, Finder, Keyring, OffsetUnit, Piece, ProtectOptions, Protected, Protection,
    Span, Stream, TypeCounts, Work,
    tree::FromTree,
    wire::{
        DetectBatchResponse, DetectResponse, DetectorsResponse, GivenFindings, ProtectResponse,
        ProtectedEntity, ValidateResponse, decode, decode_known,
    },
};
use textveil_names::wire;
use wasm_bindgen::prelude::*;

use answers::{Answer, Reader};

#[cfg(target_family = "wasm")]
#[global_allocator]
static ALLOCATOR: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();

#[wasm_bindgen]
extern "C" {
    /// Milliseconds on the host's monotonic clock; the engine itself is without a clock.
    #[wasm_bindgen(js_namespace = performance)]
    fn now() -> f64;
}

#[wasm_bindgen]
extern "C" {
    /// The module of names, which the page loaded.
    pub type Names;

    /// As `find` of `textveil-names-js`.
    #[wasm_bindgen(method)]
    fn find(this: &Names, text: &str, known: &[u32], explain: bool) -> Vec<u32>;
}

#[wasm_bindgen]
extern "C" {
    /// Decides what replaces the findings of a stream.
    pub type Editor;

    /// Takes a finding as a ProtectedEntity and returns another replacement, or `undefined`. It must not
    /// throw: an exception would leave the stream locked.
    #[wasm_bindgen(method)]
    fn edit(this: &Editor, entity: JsValue) -> Option<String>;
}

thread_local! {
    static NAMES: OnceCell<Names> = const { OnceCell::new() };
    static READER: OnceCell<Reader> = const { OnceCell::new() };
}

/// Sets the reader of answers with findings, before the first call; the first one stays.
#[wasm_bindgen(js_name = readWith)]
pub fn read_with(reader: Reader) {
    READER.with(move |cell| cell.set(reader).ok());
}

/// Has names found by a module from now on; the first one stays.
#[wasm_bindgen(js_name = findNamesWith)]
pub fn find_names_with(names: Names) {
    NAMES.with(move |cell| cell.set(names).ok());
    textveil_engine::find_names_with(|text, known, explain| {
        let before = wire::write(known, &[]);
        let numbers = NAMES.with(|names| names.get().map(|names| names.find(text, &before, explain)));
        let (now, candidates) = wire::read(&numbers.unwrap_or_default());
        *known = now;
        candidates
    });
}

/// Returns the format that the first bytes of a document tell, such as `sql`; absent if they tell none.
///
/// It is not in the module of documents, which is not loaded for plain text.
#[wasm_bindgen(js_name = formatOfContent)]
pub fn format_of_content(start: &[u8]) -> Option<String> {
    Format::of_content(start).map(|format| format.name().to_owned())
}

/// Options that are read, checked and compiled once for many calls.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Options {
    finder: Finder,
    protection: ProtectOptions,
}

#[wasm_bindgen]
impl Options {
    /// Compiles options of detection.
    ///
    /// # Errors
    /// A `Refusal` naming the option at fault, as every function here.
    #[wasm_bindgen(js_name = ofDetection)]
    pub fn of_detection(options: &str) -> Result<Self, JsValue> {
        let options = known(options, &[&OWN, &OF_PROTECTION])?;
        Self::new(options, ProtectOptions::default())
    }

    /// Compiles options of protection, which are those of detection, too.
    ///
    /// # Errors
    /// As [`Options::of_detection`].
    #[wasm_bindgen(js_name = ofProtection)]
    pub fn of_protection(options: &str) -> Result<Self, JsValue> {
        let (detection, protection) = known(options, &[&OWN])?;
        Self::new(detection, protection)
    }

    fn new(mut detection: DetectOptions, protection: ProtectOptions) -> Result<Self, JsValue> {
        check_country(detection.country.as_deref(), &[])?;
        // the units of `text.slice(start, end)`
        detection.offset_unit.get_or_insert(OffsetUnit::Utf16);
        Ok(Self { finder: Finder::unlimited(&detection).map_err(refuse)?, protection })
    }

    /// Finds personal data in `text`: a DetectResponse.
    ///
    /// # Errors
    /// As [`Options::of_detection`], for hints and cells.
    pub fn detect(&self, text: &str) -> Result<JsValue, JsValue> {
        let started = now();
        let found = self.finder.detect(text).map_err(refuse)?;
        Ok(handed_over(&DetectResponse::new("", found, now() - started)))
    }

    /// Finds personal data in each of `texts`: a DetectBatchResponse.
    ///
    /// # Errors
    /// As [`Options::detect`].
    #[wasm_bindgen(js_name = detectBatch)]
    pub fn detect_batch(&self, texts: Vec<String>) -> Result<JsValue, JsValue> {
        let started = now();
        let found = self.finder.detect_batch(&texts).map_err(refuse)?;
        let elapsed = now() - started;
        // the engine works through a batch in one go, so each text has its share of the time
        let share = elapsed / found.len().max(1) as f64;
        let results = found.into_iter().map(|one| DetectResponse::new("", one, share)).collect();
        Ok(handed_over(&DetectBatchResponse::new(results, elapsed)))
    }
}

/// Validates `value` as an `entity_type`: a ValidateResponse.
///
/// # Errors
/// A `Refusal`.
#[wasm_bindgen]
pub fn validate(value: &str, entity_type: &str, country: Option<String>) -> Result<String, JsValue> {
    check_country(country.as_deref(), &[])?;
    let verdict = textveil_engine::validate(value, entity_type, country.as_deref()).map_err(refuse)?;
    reply(&ValidateResponse::new("", verdict))
}

/// The detectors of `country`, or all of them: a DetectorsResponse.
///
/// # Errors
/// A `Refusal` naming `country`.
#[wasm_bindgen]
pub fn detectors(country: Option<String>) -> Result<String, JsValue> {
    check_country(country.as_deref(), &["EU", "GLOBAL"])?;
    reply(&DetectorsResponse::new(textveil_engine::detectors(country.as_deref())))
}

/// The keys of hashes and tokens, and the verbs that need them.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Keys(Keyring);

#[wasm_bindgen]
impl Keys {
    /// Keys from a secret of at least 16 bytes, whose version is 0 to 31.
    ///
    /// # Errors
    /// A `Refusal` naming `key`.
    #[wasm_bindgen(constructor)]
    pub fn new(version: f64, secret: &[u8]) -> Result<Self, JsValue> {
        Keyring::new(key_version(version), secret).map(Self).map_err(refuse)
    }

    /// Adds an older secret, which opens tokens and seals none.
    ///
    /// # Errors
    /// As [`Keys::new`].
    #[wasm_bindgen(js_name = withPrevious)]
    pub fn with_previous(self, version: f64, secret: &[u8]) -> Result<Self, JsValue> {
        self.0.with_previous(key_version(version), secret).map(Self).map_err(refuse)
    }

    /// Finds personal data in `text` and replaces it: a ProtectResponse.
    ///
    /// # Errors
    /// As [`Options::detect`], and where a policy blocks.
    pub fn protect(&self, text: &str, options: &Options) -> Result<JsValue, JsValue> {
        protected(|| options.finder.protect(text, &options.protection, Some(&self.0)))
    }

    /// Finds and replaces personal data in the cells of `text`, given by the start and the end of each in bytes of UTF-8:
    /// a ProtectResponse.
    ///
    /// # Errors
    /// As [`Keys::protect`].
    #[wasm_bindgen(js_name = protectCells)]
    pub fn protect_cells(&self, text: &str, cells: &[u32], options: &Options) -> Result<JsValue, JsValue> {
        let (ends, _) = cells.as_chunks();
        let span = |[start, end]: &[u32; 2]| Span { start: *start as usize, end: *end as usize };
        let cells: Vec<Span> = ends.iter().map(span).collect();
        protected(|| {
            let Options { finder, protection } = options;
            finder.protect_cells(text, &cells, protection, Some(&self.0), &Work::default())
        })
    }

    /// Replaces the `findings` of an object in `text`, and nothing else: a ProtectResponse.
    ///
    /// # Errors
    /// As [`Keys::protect`], and naming a finding that overlaps another or is outside the text.
    pub fn apply(&self, text: &str, findings: &str, options: &Options) -> Result<JsValue, JsValue> {
        // findings are answers with more facts than these
        let GivenFindings { findings } =
            decode(&mut serde_json::Deserializer::from_str(findings)).map_err(refuse)?;
        protected(|| options.finder.apply(text, &findings, &options.protection, Some(&self.0)))
    }

    /// Finds the tokens in `text`: a list of start, end and original for each, in UTF-16 units and in their order. The
    /// original is null for a token of another key, and for what only looks like one.
    ///
    /// # Errors
    /// None but a defect.
    pub fn tokens(&self, text: &str) -> Result<String, JsValue> {
        let mut tokens = Vec::new();
        let mut at = 0;
        textveil_engine::read_tokens(text, &self.0, |piece| {
            let start = at;
            match piece {
                Piece::Text(text) => at += text.encode_utf16().count(),
                Piece::Token { written, original } => {
                    at += written.encode_utf16().count();
                    tokens.push((start, at, original));
                }
            }
        });
        json(&tokens, Case::Unchanged).ok_or_else(unwritable)
    }

    /// Protects a text that arrives in pieces.
    ///
    /// # Errors
    /// A `Refusal` naming hints or cells, which belong to one text, or an operator or a policy at fault.
    pub fn stream(&self, options: &Options, editor: Option<Editor>) -> Result<ProtectStream, JsValue> {
        let stream = options.finder.stream(&options.protection, Some(self.0.clone())).map_err(refuse)?;
        Ok(ProtectStream { stream, editor })
    }
}

/// Protects a text that arrives in pieces.
#[wasm_bindgen]
pub struct ProtectStream {
    stream: Stream,
    editor: Option<Editor>,
}

/// The text stays out.
impl std::fmt::Debug for ProtectStream {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("ProtectStream").field("stream", &self.stream).finish_non_exhaustive()
    }
}

#[wasm_bindgen]
impl ProtectStream {
    /// Takes the next piece and gives what is final by now, protected.
    ///
    /// # Errors
    /// A `Refusal` where a policy blocks.
    pub fn push(&mut self, chunk: &str) -> Result<String, JsValue> {
        let Self { stream, editor } = self;
        match editor {
            Some(editor) => stream.push_edited(chunk, |found| edit(editor, found)),
            None => stream.push(chunk),
        }
        .map_err(refuse)
    }

    /// Gives the rest.
    ///
    /// # Errors
    /// As [`ProtectStream::push`].
    pub fn finish(&mut self) -> Result<String, JsValue> {
        let Self { stream, editor } = self;
        match editor {
            Some(editor) => stream.finish_edited(|found| edit(editor, found)),
            None => stream.finish(),
        }
        .map_err(refuse)
    }

    /// Returns the number of findings so far by type, under the names of detection: the wire's name of a
    /// type is `js/engine.ts`'s, since a second map would cost a page 3 kB.
    ///
    /// # Errors
    /// None but a defect.
    pub fn found(&self) -> Result<String, JsValue> {
        json(self.stream.found(), Case::Unchanged).ok_or_else(unwritable)
    }
}

/// Asks the editor what replaces a finding.
fn edit(editor: &Editor, found: &mut Protected) {
    if let Some(replacement) = editor.edit(handed_over(&ProtectedEntity::new(found.clone()))) {
        found.replacement = replacement;
    }
}

/// The reason for a rejected call: thrown as JSON text, which `js/error.ts` turns into a `TextveilError`.
#[derive(Serialize)]
struct Refusal<'a> {
    code: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<&'a TypeCounts>,
}

/// Options that `js/` reads itself, by their names there. None of them reaches a call that does not take it.
const OWN: [&str; 20] = [
    "keep",
    "replace",
    "key",
    "keyVersion",
    "previousKeys",
    "session",
    "store",
    "signal",
    "format",
    "encoding",
    "binary",
    "fetch",
    "restore",
    "tools",
    "worker",
    "wasm",
    "names",
    "documents",
    "restoreHosts",
    "onRestored",
];

/// Options of protection, which detection does not take.
const OF_PROTECTION: [&str; 4] = ["mode", "operators", "policies", "default_action"];

fn known<T: FromTree>(options: &str, elsewhere: &[&[&'static str]]) -> Result<T, JsValue> {
    decode_known(&mut serde_json::Deserializer::from_str(options), elsewhere).map_err(refuse)
}

/// Protects, and hands the answer over.
fn protected(protect: impl FnOnce() -> Result<Protection, Error>) -> Result<JsValue, JsValue> {
    let started = now();
    let protection = protect().map_err(refuse)?;
    Ok(handed_over(&ProtectResponse::new("", protection, now() - started)))
}

/// Rejects a country that is not a code: as evidence it would be ignored.
fn check_country(country: Option<&str>, regions: &[&str]) -> Result<(), JsValue> {
    let is_known = |code| regions.contains(&code) || Country::parse(code).is_some_and(Country::is_assigned);
    if country.is_none_or(is_known) {
        return Ok(());
    }
    Err(refuse(Error::invalid("country", "must be a code of ISO 3166-1 alpha-2, such as PL")))
}

/// A JavaScript number as a version; another value becomes a version that the engine rejects.
fn key_version(number: f64) -> u8 {
    if number.fract() == 0.0 && (0.0..=255.0).contains(&number) { number as u8 } else { u8::MAX }
}

/// Hands an answer to the reader of JavaScript; `undefined` before it is set.
fn handed_over(answer: &impl Answer) -> JsValue {
    READER.with(|reader| reader.get().map(|reader| answer.read_by(reader))).unwrap_or_default()
}

fn reply(response: &impl Serialize) -> Result<String, JsValue> {
    json(response, Case::Camel).ok_or_else(unwritable)
}

fn unwritable() -> JsValue {
    let message = "the answer cannot be written as JSON; please report this defect of the engine";
    throw(&Refusal { code: "internal_error", message, field: None, details: None })
}

/// Writes a value as JSON.
fn json(value: &impl Serialize, case: Case) -> Option<String> {
    let mut out = Vec::with_capacity(256);
    value.serialize(&mut Serializer::with_formatter(&mut out, Json { case, is_name: false })).ok()?;
    String::from_utf8(out).ok()
}

/// The case of the names of properties.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    /// `birth_date` becomes `birthDate`.
    Camel,
    /// For objects whose names are data, such as types of findings.
    Unchanged,
}

/// Writes compact JSON; one type for both cases, so that the serialisers of the answers are compiled once.
struct Json {
    case: Case,
    /// Whether the string that is being written is the name of a property.
    is_name: bool,
}

impl Formatter for Json {
    fn begin_object_key<W: ?Sized + io::Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.is_name = true;
        if first { Ok(()) } else { out.write_all(b",") }
    }

    fn end_object_key<W: ?Sized + io::Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.is_name = false;
        Ok(())
    }

    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        if !self.is_name || self.case == Case::Unchanged {
            return out.write_all(fragment.as_bytes());
        }
        let mut words = fragment.split('_');
        out.write_all(words.next().unwrap_or_default().as_bytes())?;
        for word in words {
            let mut letters = word.chars();
            if let Some(first) = letters.next() {
                out.write_all(first.to_ascii_uppercase().encode_utf8(&mut [0; 4]).as_bytes())?;
            }
            out.write_all(letters.as_str().as_bytes())?;
        }
        Ok(())
    }
}

#[allow(clippy::needless_pass_by_value, reason = "the shape that map_err asks for")]
fn refuse(error: Error) -> JsValue {
    throw(&Refusal {
        code: error.code(),
        message: &error.to_string(),
        field: error.field(),
        details: error.blocked(),
    })
}

fn throw(refusal: &Refusal<'_>) -> JsValue {
    JsValue::from_str(&json(refusal, Case::Unchanged).unwrap_or_default())
}
