//! The engine as a core WebAssembly module of the wheel `textveil`: flat calls, JSON in and out.
//!
//! `textveil/_module.py` is the caller. It writes each argument into a buffer of [`input`], in their order, and calls a
//! function, which takes the buffers. The answer is one buffer: a byte that is 0 for an answer and 1 for an error, and
//! JSON text. It stays until the next call. The returned number has its address in the upper half and its length in
//! the lower.
//!
//! A component would hand over records, which take wasmtime-py nearly a millisecond per finding to read.

#![allow(unsafe_code, reason = "exported functions have their plain names")]

use std::cell::RefCell;

use serde::Serialize;
use textveil_engine::{
    Country, DetectOptions, Error, Finder, Keyring, OffsetUnit, ProtectOptions, Stream, TypeCounts,
    presidio_type,
    tree::FromTree,
    wire::{
        DetectBatchResponse, DetectResponse, DetectorsResponse, GivenFindings, ProtectBatchResponse,
        ProtectResponse, RestoreResponse, ValidateRequest, ValidateResponse, decode, decode_known,
    },
};

thread_local! {
    /// The state of the module, which has one thread.
    static STATE: RefCell<State> = RefCell::default();
}

#[derive(Default)]
struct State {
    /// Arguments of the next call.
    inputs: Vec<Vec<u8>>,
    /// The last answer.
    answer: Vec<u8>,
    finders: Slots<Session>,
    streams: Slots<Stream>,
}

/// Options that are compiled once for many texts.
struct Session {
    finder: Finder,
    protection: ProtectOptions,
    keys: Option<Keyring>,
}

/// Values behind handles.
struct Slots<T>(Vec<Option<T>>);

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Slots<T> {
    fn insert(&mut self, value: T) -> u32 {
        let free = self.0.iter().position(Option::is_none).unwrap_or(self.0.len());
        match self.0.get_mut(free) {
            Some(slot) => *slot = Some(value),
            None => self.0.push(Some(value)),
        }
        free as u32
    }

    fn get(&mut self, handle: u32) -> Result<&mut T, Error> {
        let slot = self.0.get_mut(handle as usize).and_then(Option::as_mut);
        slot.ok_or_else(|| Error::invalid("handle", "is closed; open another one"))
    }

    fn remove(&mut self, handle: u32) {
        if let Some(slot) = self.0.get_mut(handle as usize) {
            *slot = None;
        }
    }
}

impl State {
    /// Takes the arguments of a call.
    fn take<const N: usize>(&mut self) -> Result<[String; N], Error> {
        let inputs = std::mem::take(&mut self.inputs).into_iter();
        let texts = inputs.map(String::from_utf8).collect::<Result<Vec<_>, _>>().unwrap_or_default();
        texts
            .try_into()
            .map_err(|_| Error::invalid("arguments", "must be texts in UTF-8, as many as the call has"))
    }
}

/// The reason for a rejected call.
#[derive(Serialize)]
struct Refusal<'a> {
    code: &'a str,
    message: &'a str,
    field: Option<&'a str>,
    details: Option<&'a TypeCounts>,
}

/// Runs a call and returns the place of its answer.
fn answer<T: Serialize>(call: impl FnOnce(&mut State) -> Result<T, Error>) -> u64 {
    STATE.with_borrow_mut(|state| {
        let result = call(state);
        state.inputs.clear();
        let mut out = std::mem::take(&mut state.answer);
        out.clear();
        out.push(u8::from(result.is_err()));
        let written = match &result {
            Ok(value) => serde_json::to_writer(&mut out, value),
            Err(error) => serde_json::to_writer(
                &mut out,
                &Refusal {
                    code: error.code(),
                    message: &error.to_string(),
                    field: error.field(),
                    details: error.blocked(),
                },
            ),
        };
        if written.is_err() {
            // read as a defect by the caller
            out.truncate(0);
        }
        state.answer = out;
        (state.answer.as_ptr() as u64) << 32 | state.answer.len() as u64
    })
}

/// Returns the address of a new buffer for the next argument.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn input(length: u32) -> u32 {
    STATE.with_borrow_mut(|state| {
        state.inputs.push(vec![0; length as usize]);
        state.inputs.last_mut().map_or(0, |input| input.as_mut_ptr() as usize as u32)
    })
}

/// Compiles options: the options, and the keys as a list of versions with their bytes. Answers with a handle.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn open() -> u64 {
    answer(|state| {
        let [options, keys] = state.take()?;
        let (detection, protection): (DetectOptions, ProtectOptions) = known(&options)?;
        let detection = checked(detection)?;
        let session = Session { finder: Finder::unlimited(&detection)?, keys: keyring(&keys)?, protection };
        Ok(state.finders.insert(session))
    })
}

/// Forgets options.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn close(handle: u32) {
    STATE.with_borrow_mut(|state| state.finders.remove(handle));
}

/// Finds personal data in a text: a DetectResponse without the text.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn detect(handle: u32) -> u64 {
    answer(|state| {
        let [text] = state.take()?;
        let found = state.finders.get(handle)?.finder.detect(&text)?;
        Ok(DetectResponse::new("", found, 0.0))
    })
}

/// Finds personal data in each text of a list: a DetectBatchResponse.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn detect_batch(handle: u32) -> u64 {
    answer(|state| {
        let [texts] = state.take()?;
        let found = state.finders.get(handle)?.finder.detect_batch(&list(&texts)?)?;
        let results = found.into_iter().map(|one| DetectResponse::new("", one, 0.0));
        Ok(DetectBatchResponse::new(results.collect(), 0.0))
    })
}

/// Finds personal data in a text and replaces it: a ProtectResponse without the original text.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn protect(handle: u32) -> u64 {
    answer(|state| {
        let [text] = state.take()?;
        let Session { finder, protection, keys, .. } = state.finders.get(handle)?;
        Ok(ProtectResponse::new("", finder.protect(&text, protection, keys.as_ref())?, 0.0))
    })
}

/// Finds and replaces personal data in each text of a list: a ProtectBatchResponse.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn protect_batch(handle: u32) -> u64 {
    answer(|state| {
        let [texts] = state.take()?;
        let Session { finder, protection, keys, .. } = state.finders.get(handle)?;
        let protected = finder.protect_batch(&list(&texts)?, protection, keys.as_ref())?;
        let results = protected.into_iter().map(|one| ProtectResponse::new("", one, 0.0));
        Ok(ProtectBatchResponse::new(results.collect(), 0.0))
    })
}

/// Replaces the given findings of a text, and no others: a ProtectResponse.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn apply(handle: u32) -> u64 {
    answer(|state| {
        let [text, findings] = state.take()?;
        let GivenFindings { findings } = decode(&mut serde_json::Deserializer::from_str(&findings))?;
        let Session { finder, protection, keys, .. } = state.finders.get(handle)?;
        Ok(ProtectResponse::new("", finder.apply(&text, &findings, protection, keys.as_ref())?, 0.0))
    })
}

/// Restores the tokens in a text: a RestoreResponse.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn restore(handle: u32) -> u64 {
    answer(|state| {
        let [text] = state.take()?;
        let keys = state.finders.get(handle)?.keys.as_ref();
        let keys = keys.ok_or_else(|| {
            Error::invalid("key", "is missing; give the key that the tokens were made with")
        })?;
        Ok(RestoreResponse::new(textveil_engine::restore(&text, keys)?))
    })
}

/// Opens a stream with compiled options. Answers with its handle.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn stream_open(handle: u32) -> u64 {
    answer(|state| {
        let Session { finder, protection, keys } = state.finders.get(handle)?;
        let stream = finder.stream(protection, keys.clone())?;
        Ok(state.streams.insert(stream))
    })
}

/// Adds a piece to a stream. Answers with the protected text that is final by now.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn stream_push(handle: u32) -> u64 {
    answer(|state| {
        let [chunk] = state.take()?;
        state.streams.get(handle)?.push(&chunk)
    })
}

/// Ends a stream. Answers with the rest.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn stream_finish(handle: u32) -> u64 {
    answer(|state| state.streams.get(handle)?.finish())
}

/// Forgets a stream.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn stream_close(handle: u32) {
    STATE.with_borrow_mut(|state| state.streams.remove(handle));
}

/// Validates a value as one of a type: a ValidateResponse without the value.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn validate() -> u64 {
    answer(|state| {
        let [request] = state.take()?;
        let ValidateRequest { value, entity_type, country } = known(&request)?;
        check_country(country.as_deref(), &[])?;
        let verdict = textveil_engine::validate(&value, &entity_type, country.as_deref())?;
        Ok(ValidateResponse::new("", verdict))
    })
}

/// Lists the detectors of a country, or all for an empty one: a DetectorsResponse.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn detectors() -> u64 {
    answer(|state| {
        let [country] = state.take()?;
        let country = Some(country.as_str()).filter(|country| !country.is_empty());
        check_country(country, &["EU", "GLOBAL"])?;
        Ok(DetectorsResponse::new(textveil_engine::detectors(country)))
    })
}

/// Lists Presidio's names: each type of the engine with its region and its name.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn presidio_types() -> u64 {
    answer(|state| {
        let [] = state.take()?;
        let detectors = textveil_engine::detectors(None).into_iter();
        let name = |kind, region| presidio_type(kind, Country::parse(region));
        Ok(detectors
            .map(|one| (one.entity_type, one.region, name(one.entity_type, one.region)))
            .collect::<Vec<_>>())
    })
}

fn known<T: FromTree>(json: &str) -> Result<T, Error> {
    decode_known(&mut serde_json::Deserializer::from_str(json), &[])
}

fn list(texts: &str) -> Result<Vec<String>, Error> {
    serde_json::from_str(texts).map_err(|_| Error::invalid("texts", "must be a list of texts"))
}

fn checked(options: DetectOptions) -> Result<DetectOptions, Error> {
    check_country(options.country.as_deref(), &[])?;
    if options.offset_unit.is_some_and(|unit| unit != OffsetUnit::CodePoint) {
        return Err(Error::invalid("offset_unit", "must be code_point, as Python counts; leave it out"));
    }
    Ok(options)
}

/// Rejects a country that is not a code: as evidence it would be ignored.
fn check_country(country: Option<&str>, regions: &[&str]) -> Result<(), Error> {
    let is_known = |code| regions.contains(&code) || Country::parse(code).is_some_and(Country::is_assigned);
    if country.is_none_or(is_known) {
        return Ok(());
    }
    Err(Error::invalid("country", "must be a code of ISO 3166-1 alpha-2, such as PL"))
}

/// Reads keys. The first one hashes and seals, the others only open tokens.
fn keyring(keys: &str) -> Result<Option<Keyring>, Error> {
    let keys: Vec<(u8, Vec<u8>)> = serde_json::from_str(keys).map_err(|_| {
        Error::invalid("key", "must have a version of 0 to 31 and a secret of at least 16 bytes")
    })?;
    let mut keys = keys.into_iter();
    let Some((version, secret)) = keys.next() else { return Ok(None) };
    let ring = Keyring::new(version, &secret)?;
    keys.try_fold(ring, |ring, (version, secret)| ring.with_previous(version, &secret)).map(Some)
}
