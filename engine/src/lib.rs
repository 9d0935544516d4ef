//! Finds personal data in text, validates it and protects it.
//!
//! This is the engine of Textveil. Text in, answers out: no clock, no I/O, no randomness. Every surface (the
//! WebAssembly component, the service, the JavaScript package, the command line) is a thin layer over the
//! verbs here: [`detect()`], [`detect_batch`], [`validate()`], [`protect()`], [`protect_batch`], [`restore`],
//! [`detectors`] and [`Stream`].
//!
//! ```
//! use textveil_engine::{DetectOptions, detect};
//!
//! let found = detect("PESEL 44051401359", &DetectOptions::default())?;
//! assert_eq!(found.entities[0].kind, "pesel");
//! assert_eq!(found.entities[0].span.start, 6);
//! # Ok::<(), textveil_engine::Error>(())
//! ```

#![cfg_attr(test, allow(clippy::string_slice, reason = "tests know their texts"))]

mod api;
mod catalogue;
mod checks;
mod country;
mod detect;
mod evidence;
mod lexicon;
mod pattern;
mod phone;
mod protect;
mod recognise;
mod resolve;
mod text;
mod verbs;

use textveil_phrase as phrase;

pub use api::{
    answer::{Detection, GivenFinding, Normalised, Protected, Protection, Restored, Validation},
    entity::{
        self, Category, Country, CountryDetection, Entity, Evidence, Fact, Metadata, OffsetUnit, Span,
        TypeCounts,
    },
    error::Error,
    limits,
    options::{self, Action, Condition, DetectOptions, Mode, Policy, Preset, ProtectOptions},
    schema, tree, wire,
};
pub use country::context::{Belief, Context};
pub use detect::{plan::types_named, validate::validate};
pub use protect::{Decider, Keyring, Piece, Stream, read_tokens, restore, restore_observed};
pub use recognise::{
    labelled::awaits_phrase,
    names::{FindNames, begins_dictation, find_names_with, may_be_dictated, may_begin},
    token::placeholder_id,
};
pub use text::{
    encoded::{EncodedText, encoded_texts},
    escape::escape,
    offsets::{Offsets, byte_at},
};
pub use textveil_phrase::work::{Stage, Work};
pub use verbs::{
    Finder, detect, detect_batch, detect_counted, detectors, presidio_type, protect, protect_batch,
    protect_counted,
};
