//! The engine component under wasmtime.
//!
//! ```no_run
//! use textveil::{DetectOptions, Engine, Limits};
//!
//! fn main() -> Result<(), textveil::Error> {
//!     let engine = Engine::load("dist/textveil-engine.wasm", Limits::default())?;
//!     let found = engine.detect("PESEL 44051401359", &DetectOptions::default())?;
//!     for entity in &found.entities {
//!         println!("{} at {}..{}", entity.kind, entity.span.start, entity.span.end);
//!     }
//!     Ok(())
//! }
//! ```
//!
//! The component imports nothing, so it can only compute. It is compiled once (and kept in wasmtime's cache
//! between runs), linked once, and its instances are reused. An instance that fails is dropped, and the next
//! call gets a new one.

mod convert;
mod names;

#[allow(missing_docs, reason = "generated from wit/")]
mod generated {
    wasmtime::component::bindgen!({ path: "../wit", world: "engine" });
}

use std::{
    fmt,
    path::Path,
    sync::{Arc, Mutex, PoisonError, Weak},
    thread,
    time::Duration,
};

use textveil_engine::{
    DetectOptions, Detection, ProtectOptions, Protection, Restored, Validation, wire::DetectorInfo,
};
use wasmtime::{
    Cache, CacheConfig, Config, ResourceLimiter, Store,
    component::{Component, Linker, ResourceAny},
    error::Context as _,
};

use generated::exports::textveil::engine::types;

/// The interval of the clock for [`Limits::time`].
const TICK: Duration = Duration::from_millis(10);
/// An instance with more memory than this, in bytes, is not reused.
const KEEP_MEMORY: usize = 16 << 20;

/// The limits of one instance of the component.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of memory.
    pub memory: usize,
    /// The timeout of one call; `None` for no timeout. To the nearest hundredth of a second.
    ///
    /// For untrusted components. The engine itself limits the length of its input and takes time in
    /// proportion to it. Interruptible code takes 1.4 times as long on prose: each loop and function checks a
    /// clock.
    pub time: Option<Duration>,
}

impl Default for Limits {
    /// Returns 256 MiB, far more than any call within the engine's own limits needs, and no timeout.
    fn default() -> Self {
        Self { memory: 256 << 20, time: None }
    }
}

/// A secret from which the keys for hashes and tokens are derived.
#[derive(Clone, PartialEq, Eq)]
pub struct Key {
    /// 0 to 31; part of each token.
    pub version: u8,
    /// At least 16 bytes, from a random source.
    pub secret: Vec<u8>,
}

/// Omits the secret.
impl fmt::Debug for Key {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Key(version {})", self.version)
    }
}

/// Why a call failed.
#[derive(Debug)]
pub enum Error {
    /// The call is at fault: the engine rejected it.
    Refused(textveil_engine::Error),
    /// The component is at fault.
    ///
    /// It cannot be read, is not the engine, failed or exceeded its limits.
    Failed(wasmtime::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(error) => error.fmt(out),
            Self::Failed(error) => write!(out, "engine component: {error:#}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<wasmtime::Error> for Error {
    fn from(error: wasmtime::Error) -> Self {
        Self::Failed(error)
    }
}

impl From<types::Error> for Error {
    fn from(error: types::Error) -> Self {
        Self::Refused(convert::refusal(error))
    }
}

/// The engine component, callable from any number of threads.
///
/// Clones share everything.
#[derive(Clone)]
pub struct Engine(Arc<LoadedEngine>);

struct LoadedEngine {
    wasmtime: wasmtime::Engine,
    component: generated::EnginePre<Memory>,
    limits: Limits,
    /// Instances that wait for their next call.
    idle: Mutex<Vec<Instance>>,
    most_idle: usize,
}

impl fmt::Debug for Engine {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Engine").field("limits", &self.0.limits).finish_non_exhaustive()
    }
}

impl Engine {
    /// Loads the component from a file.
    ///
    /// # Errors
    /// [`Error::Failed`] if the file cannot be read, and as [`Engine::from_bytes`].
    ///
    /// # Examples
    /// ```no_run
    /// use textveil::{Engine, Limits};
    ///
    /// let engine = Engine::load("dist/textveil-engine.wasm", Limits::default())?;
    /// assert!(!engine.detectors(None)?.is_empty());
    /// # Ok::<(), textveil::Error>(())
    /// ```
    pub fn load(path: impl AsRef<Path>, limits: Limits) -> Result<Self, Error> {
        let path = path.as_ref();
        let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        Self::from_bytes(&bytes, limits)
    }

    /// Loads the component from its bytes.
    ///
    /// # Errors
    /// [`Error::Failed`] if they are not a component, or one that imports something or does not export the
    /// interfaces of `wit/`.
    ///
    /// # Examples
    /// ```
    /// use textveil::{Engine, Error, Limits};
    ///
    /// let failed = Engine::from_bytes(b"not a component", Limits::default());
    /// assert!(matches!(failed, Err(Error::Failed(_))));
    /// ```
    pub fn from_bytes(bytes: &[u8], limits: Limits) -> Result<Self, Error> {
        let mut config = Config::new();
        config.epoch_interruption(limits.time.is_some());
        // without a cache folder that can be written to, each run compiles anew
        config.cache(Cache::new(CacheConfig::new()).ok());
        let wasmtime = wasmtime::Engine::new(&config)?;
        let component = Component::new(&wasmtime, bytes)?;
        // an empty linker: a component that imports anything is rejected here
        let component = Linker::new(&wasmtime).instantiate_pre(&component)?;
        let component = generated::EnginePre::new(component)?;
        let most_idle = thread::available_parallelism().map_or(1, usize::from);
        let shared = LoadedEngine { wasmtime, component, limits, idle: Mutex::default(), most_idle };
        let shared = Arc::new(shared);
        if limits.time.is_some() {
            tick(Arc::downgrade(&shared))?;
        }
        Ok(Self(shared))
    }

    /// Finds personal data in `text`, 1 to 50,000 characters.
    ///
    /// # Errors
    /// [`Error::Refused`] as [`textveil_engine::detect()`].
    ///
    /// # Examples
    /// ```no_run
    /// # let engine = textveil::Engine::load("dist/textveil-engine.wasm", textveil::Limits::default())?;
    /// use textveil::DetectOptions;
    ///
    /// let found = engine.detect("PESEL 44051401359", &DetectOptions::default())?;
    /// assert_eq!(found.entities[0].kind, "pesel");
    /// # Ok::<(), textveil::Error>(())
    /// ```
    pub fn detect(&self, text: &str, options: &DetectOptions) -> Result<Detection, Error> {
        let options = convert::detect_options(options).map_err(Error::Refused)?;
        let found = self.call(|instance| {
            let detection = instance.exports.textveil_engine_detection();
            detection.call_detect(&mut instance.store, text, Some(&options))
        })??;
        Ok(convert::detection(found)?)
    }

    /// Finds personal data in each of 1 to 50 texts.
    ///
    /// Returns one detection per text, in their order.
    ///
    /// # Errors
    /// [`Error::Refused`] as [`textveil_engine::detect_batch`].
    ///
    /// # Examples
    /// ```no_run
    /// # let engine = textveil::Engine::load("dist/textveil-engine.wasm", textveil::Limits::default())?;
    /// use textveil::DetectOptions;
    ///
    /// let found = engine.detect_batch(&["to jan.novak@example.com", "nothing"], &DetectOptions::default())?;
    /// assert_eq!(found.iter().map(|text| text.entities.len()).collect::<Vec<_>>(), [1, 0]);
    /// # Ok::<(), textveil::Error>(())
    /// ```
    pub fn detect_batch<T: AsRef<str>>(
        &self,
        texts: &[T],
        options: &DetectOptions,
    ) -> Result<Vec<Detection>, Error> {
        let options = convert::detect_options(options).map_err(Error::Refused)?;
        let texts: Vec<String> = texts.iter().map(|text| text.as_ref().to_owned()).collect();
        let found = self.call(|instance| {
            let detection = instance.exports.textveil_engine_detection();
            detection.call_detect_batch(&mut instance.store, &texts, Some(&options))
        })??;
        Ok(found.into_iter().map(convert::detection).collect::<Result<_, _>>()?)
    }

    /// Returns the detectors of `country`, or all, by region and name.
    ///
    /// # Errors
    /// [`Error::Failed`] only.
    ///
    /// # Examples
    /// ```no_run
    /// # let engine = textveil::Engine::load("dist/textveil-engine.wasm", textveil::Limits::default())?;
    /// assert!(engine.detectors(Some("PL"))?.iter().any(|detector| detector.name == "pesel"));
    /// # Ok::<(), textveil::Error>(())
    /// ```
    pub fn detectors(&self, country: Option<&str>) -> Result<Vec<DetectorInfo>, Error> {
        let detectors = self.call(|instance| {
            let detection = instance.exports.textveil_engine_detection();
            detection.call_detectors(&mut instance.store, country)
        })?;
        Ok(detectors.into_iter().map(convert::detector).collect::<Result<_, _>>()?)
    }

    /// Validates `value` as an `entity_type` of `country`.
    ///
    /// # Errors
    /// [`Error::Refused`] as [`textveil_engine::validate()`].
    ///
    /// # Examples
    /// ```no_run
    /// # let engine = textveil::Engine::load("dist/textveil-engine.wasm", textveil::Limits::default())?;
    /// assert!(engine.validate("DE89 3704 0044 0532 0130 00", "iban", None)?.valid);
    /// # Ok::<(), textveil::Error>(())
    /// ```
    pub fn validate(
        &self,
        value: &str,
        entity_type: &str,
        country: Option<&str>,
    ) -> Result<Validation, Error> {
        let validation = self.call(|instance| {
            let validation = instance.exports.textveil_engine_validation();
            validation.call_validate(&mut instance.store, value, entity_type, country)
        })??;
        Ok(convert::validation(validation)?)
    }

    /// Finds personal data in `text` and replaces it.
    ///
    /// The first of `keys` hashes and seals tokens.
    ///
    /// # Errors
    /// [`Error::Refused`] as [`textveil_engine::protect()`].
    ///
    /// # Examples
    /// ```no_run
    /// # let engine = textveil::Engine::load("dist/textveil-engine.wasm", textveil::Limits::default())?;
    /// use textveil::{DetectOptions, Mode, ProtectOptions};
    ///
    /// let mask = ProtectOptions { mode: Mode::Mask, ..ProtectOptions::default() };
    /// let protected = engine.protect("PESEL 44051401359", &DetectOptions::default(), &mask, &[])?;
    /// assert_eq!(protected.text, "PESEL ***********");
    /// # Ok::<(), textveil::Error>(())
    /// ```
    pub fn protect(
        &self,
        text: &str,
        detection: &DetectOptions,
        protection: &ProtectOptions,
        keys: &[Key],
    ) -> Result<Protection, Error> {
        let detection = convert::detect_options(detection).map_err(Error::Refused)?;
        let options = convert::protect_options(protection);
        let keys = convert::keys(keys);
        let protection = self.call(|instance| {
            let protection = instance.exports.textveil_engine_protection();
            protection.call_protect(&mut instance.store, text, Some(&detection), Some(&options), &keys)
        })??;
        Ok(convert::protection(protection)?)
    }

    /// Restores the original of every token of `keys` in `text`.
    ///
    /// # Errors
    /// [`Error::Refused`] naming `text` if it is empty, and `key` if `keys` is empty.
    ///
    /// # Examples
    /// ```no_run
    /// # let engine = textveil::Engine::load("dist/textveil-engine.wasm", textveil::Limits::default())?;
    /// use textveil::{DetectOptions, Key, Mode, ProtectOptions};
    ///
    /// let keys = [Key { version: 0, secret: b"a secret of 16 bytes or more".to_vec() }];
    /// let tokenize = ProtectOptions { mode: Mode::Tokenize, ..ProtectOptions::default() };
    /// let sent = engine.protect("PESEL 44051401359", &DetectOptions::default(), &tokenize, &keys)?;
    /// assert_eq!(engine.restore(&sent.text, &keys)?.text, "PESEL 44051401359");
    /// # Ok::<(), textveil::Error>(())
    /// ```
    pub fn restore(&self, text: &str, keys: &[Key]) -> Result<Restored, Error> {
        let keys = convert::keys(keys);
        let restored = self.call(|instance| {
            let protection = instance.exports.textveil_engine_protection();
            protection.call_restore(&mut instance.store, text, &keys)
        })??;
        Ok(convert::restored(restored))
    }

    /// Opens a stream that protects a text while it arrives.
    ///
    /// # Errors
    /// [`Error::Refused`] as [`textveil_engine::Stream::new`].
    ///
    /// # Examples
    /// ```no_run
    /// # let engine = textveil::Engine::load("dist/textveil-engine.wasm", textveil::Limits::default())?;
    /// use textveil::{DetectOptions, ProtectOptions};
    ///
    /// let mut stream = engine.stream(&DetectOptions::default(), &ProtectOptions::default(), &[])?;
    /// assert_eq!(stream.push("PESEL 44051401359\n")?, "PESEL [REDACTED]\n");
    /// # Ok::<(), textveil::Error>(())
    /// ```
    pub fn stream(
        &self,
        detection: &DetectOptions,
        protection: &ProtectOptions,
        keys: &[Key],
    ) -> Result<TextStream, Error> {
        let detection = convert::detect_options(detection).map_err(Error::Refused)?;
        let protection = convert::protect_options(protection);
        let keys = convert::keys(keys);
        let mut instance = self.instance()?;
        self.0.start_clock(&mut instance.store);
        let exports = instance.exports.textveil_engine_streaming();
        let opened = exports.text_stream().call_open(
            &mut instance.store,
            Some(&detection),
            Some(&protection),
            &keys,
        )?;
        match opened {
            Ok(stream) => Ok(TextStream { shared: self.0.clone(), stream, instance: Some(instance) }),
            Err(refusal) => {
                self.0.put_back(instance);
                Err(refusal.into())
            }
        }
    }

    /// Calls an instance; one that fails is not used again.
    fn call<T>(&self, call: impl FnOnce(&mut Instance) -> wasmtime::Result<T>) -> Result<T, Error> {
        let mut instance = self.instance()?;
        self.0.start_clock(&mut instance.store);
        let answer = call(&mut instance)?;
        self.0.put_back(instance);
        Ok(answer)
    }

    fn instance(&self) -> Result<Instance, Error> {
        let idle = self.0.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match idle {
            Some(instance) => Ok(instance),
            None => Ok(self.0.instantiate()?),
        }
    }
}

impl LoadedEngine {
    fn instantiate(&self) -> wasmtime::Result<Instance> {
        let mut store = Store::new(&self.wasmtime, Memory { used: 0, limit: self.limits.memory });
        store.limiter(|memory| memory);
        self.start_clock(&mut store);
        let exports = self.component.instantiate(&mut store)?;
        Ok(Instance { store, exports })
    }

    fn put_back(&self, instance: Instance) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < self.most_idle && instance.store.data().used <= KEEP_MEMORY {
            idle.push(instance);
        }
    }

    /// Gives the call that follows its time; one tick more, since the first may come at once.
    fn start_clock(&self, store: &mut Store<Memory>) {
        if let Some(time) = self.limits.time {
            store.set_epoch_deadline((time.as_millis() / TICK.as_millis()) as u64 + 1);
        }
    }
}

/// Advances the engine's clock until the engine is gone.
fn tick(shared: Weak<LoadedEngine>) -> Result<(), Error> {
    let clock = move || {
        while let Some(shared) = shared.upgrade() {
            shared.wasmtime.increment_epoch();
            drop(shared);
            thread::sleep(TICK);
        }
    };
    thread::Builder::new().name("textveil-clock".into()).spawn(clock).context("cannot start a thread")?;
    Ok(())
}

/// An instance of the component. Only open streams are kept between calls.
struct Instance {
    store: Store<Memory>,
    exports: generated::Engine,
}

/// The memory that an instance uses, in bytes.
struct Memory {
    used: usize,
    limit: usize,
}

impl ResourceLimiter for Memory {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let used = self.used.saturating_sub(current).saturating_add(desired);
        let allowed = used <= self.limit;
        if allowed {
            self.used = used;
        }
        Ok(allowed)
    }

    fn table_growing(
        &mut self,
        _current: usize,
        _desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        // the component's tables are as large as its code needs and never grow
        Ok(true)
    }
}

/// A text that is protected while it arrives, in constant memory.
///
/// Each stream has an instance of its own. The output does not depend on how the text is cut into pieces.
///
/// # Examples
/// ```no_run
/// # let engine = textveil::Engine::load("dist/textveil-engine.wasm", textveil::Limits::default())?;
/// use textveil::{DetectOptions, ProtectOptions};
///
/// let mut stream = engine.stream(&DetectOptions::default(), &ProtectOptions::default(), &[])?;
/// assert_eq!(stream.push("to jan.novak@exam")?, "");
/// assert_eq!(stream.push("ple.com\nand more")?, "to [REDACTED]\n");
/// assert_eq!(stream.finish()?, "and more");
/// # Ok::<(), textveil::Error>(())
/// ```
pub struct TextStream {
    shared: Arc<LoadedEngine>,
    stream: ResourceAny,
    /// None once the instance has failed.
    instance: Option<Instance>,
}

impl fmt::Debug for TextStream {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("TextStream").field("usable", &self.instance.is_some()).finish_non_exhaustive()
    }
}

impl TextStream {
    /// Adds a piece and returns the protected text that is final.
    ///
    /// # Errors
    /// [`Error::Refused`] if a policy blocks. After [`Error::Failed`] the stream must not be used again.
    pub fn push(&mut self, chunk: &str) -> Result<String, Error> {
        self.call(|exports, store, stream| exports.call_push(store, stream, chunk))
    }

    /// Returns the rest.
    ///
    /// The stream can be used again afterwards, for another text.
    ///
    /// # Errors
    /// As [`TextStream::push`].
    pub fn finish(&mut self) -> Result<String, Error> {
        self.call(|exports, store, stream| exports.call_finish(store, stream))
    }

    fn call(
        &mut self,
        call: impl FnOnce(
            generated::exports::textveil::engine::streaming::GuestTextStream<'_>,
            &mut Store<Memory>,
            ResourceAny,
        ) -> wasmtime::Result<Result<String, types::Error>>,
    ) -> Result<String, Error> {
        let mut instance =
            self.instance.take().ok_or_else(|| wasmtime::format_err!("the stream has failed before"))?;
        self.shared.start_clock(&mut instance.store);
        let exports = instance.exports.textveil_engine_streaming();
        let answer = call(exports.text_stream(), &mut instance.store, self.stream)?;
        self.instance = Some(instance);
        Ok(answer?)
    }
}

impl Drop for TextStream {
    fn drop(&mut self) {
        let Some(mut instance) = self.instance.take() else { return };
        self.shared.start_clock(&mut instance.store);
        if self.stream.resource_drop(&mut instance.store).is_ok() {
            self.shared.put_back(instance);
        }
    }
}
