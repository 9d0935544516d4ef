//! The engine of Textveil: finds personal data in text, validates it and protects it.
//!
//! Text in, answers out: no clock, no I/O, no randomness. Every surface (the WebAssembly component,
//! the service, the JavaScript package, the command line) is a thin layer over the verbs here:
//! [`detect()`], [`detect_batch`], [`validate()`], [`protect()`], [`protect_batch`], [`restore`],
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

pub mod entity;
pub mod limits;
pub mod options;
pub mod schema;
pub mod wire;

mod catalogue;
mod checksum;
mod conversation;
mod custom;
mod detect;
mod error;
mod facts;
mod finder;
mod fold;
mod hypothesis;
mod infer;
mod labels;
#[cfg_attr(not(any(small, test)), allow(dead_code, reason = "the build makes the table"))]
mod layouts;
mod names;
mod order;
mod part;
mod phone;
mod plan;
mod protect;
mod recognise;
mod resolve;
mod rules;
mod scan;
mod shape;
mod stream;
#[cfg_attr(not(any(small, test)), allow(dead_code, reason = "the build makes the table"))]
mod table;
mod tables;
mod text;
mod validate;
mod weigh;

use textveil_phrase as phrase;

pub use conversation::{Belief, Context, Decider};
pub use detect::{Detection, detect, detect_batch, detect_counted, detectors};
pub use entity::{
    Category, Country, CountryDetection, Entity, Evidence, Fact, Metadata, OffsetUnit, Span, TypeCounts,
};
pub use error::Error;
pub use finder::Finder;
pub use names::{FindNames, find_names_with, may_begin};
pub use options::{Action, Condition, DetectOptions, Mode, Policy, Preset, ProtectOptions};
pub use plan::types_named;
pub use protect::{
    GivenFinding, Keyring, Normalised, Protected, Protection, Restored, protect, protect_batch,
    protect_counted, restore, restore_observed,
};
pub use recognise::labelled::awaits_phrase;
pub use stream::Stream;
pub use textveil_phrase::work::{Stage, Work};
pub use validate::{Validation, validate};
