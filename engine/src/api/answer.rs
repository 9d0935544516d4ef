//! The answers of the verbs, and the findings that a caller gives to a verb.

use std::borrow::Cow;

use super::{
    entity::{Country, CountryDetection, Entity, Metadata},
    options::{Action, Mode, Preset},
    tree::{Fault, FromTree, Tree},
};

/// The result for one text.
#[derive(Clone, Debug, PartialEq)]
pub struct Detection {
    /// Ordered by start, never overlapping.
    pub entities: Vec<Entity>,
    /// Given or inferred, most likely first.
    pub countries: Vec<CountryDetection>,
    /// The effective preset.
    pub preset: Preset,
}

/// The result of a validation.
#[derive(Clone, Debug, PartialEq)]
pub struct Validation {
    /// The type used, after aliases.
    pub kind: Cow<'static, str>,
    /// The country used.
    pub country: Option<Country>,
    /// Checksum and structure hold.
    pub valid: bool,
    /// 0 to 1.
    pub confidence: f64,
    /// Facts, and the `reason` of a refusal: `format`, `length`, `checksum` or `component`.
    pub metadata: Metadata,
}

/// A finding and its replacement.
#[derive(Clone, PartialEq)]
pub struct Protected {
    /// The finding; its span is in the original text.
    pub entity: Entity,
    /// The replacement.
    pub replacement: String,
    /// In mode `policy`: the action.
    pub action: Option<Action>,
    /// In mode `policy`: the policy that decided; `None` for the default action.
    pub policy: Option<String>,
}

/// A protected text.
#[derive(Clone, PartialEq)]
pub struct Protection {
    /// Text after protection.
    pub text: String,
    /// Ordered by start, never overlapping.
    pub entities: Vec<Protected>,
    /// Given or inferred, most likely first.
    pub countries: Vec<CountryDetection>,
    /// Mode used.
    pub mode: Mode,
}

/// A text with its tokens restored.
#[derive(Clone, PartialEq, Eq)]
pub struct Restored {
    /// Text with the originals instead of the tokens.
    pub text: String,
    /// The number of restored tokens.
    pub restored: usize,
    /// The number of unchanged tokens: of another key, or altered.
    pub unknown: usize,
}

/// Omits the text; shows its length only.
impl std::fmt::Debug for Restored {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { text, restored, unknown } = self;
        write!(out, "Restored({} bytes, {restored} restored, {unknown} unknown)", text.len())
    }
}

/// A finding to replace, with the fields that detection reports.
#[derive(Clone, Default)]
pub struct GivenFinding {
    /// Entity type, one of the catalogue or any other. Protection's `phone` means `phone_number`.
    pub kind: String,
    /// Offset of the first unit, in the unit of the options.
    pub start: usize,
    /// Offset after the last unit.
    pub end: usize,
    /// The text between the offsets. If given, it is compared, so that offsets of another text are detected.
    pub original: Option<String>,
    /// ISO 3166-1 alpha-2 code of its country.
    pub country: Option<String>,
    /// 0 to 1; 1 when absent.
    pub confidence: Option<f64>,
    /// Whether a checksum or a structural rule holds.
    pub validated: bool,
    /// The facts that hashes are made from.
    pub metadata: Normalised,
}

/// The normalised forms of a finding.
#[derive(Clone, Default)]
pub struct Normalised {
    /// Of an e-mail address and others.
    pub normalized: Option<String>,
    /// Of a telephone number.
    pub e164: Option<String>,
}

impl FromTree for GivenFinding {
    fn from_tree(tree: &Tree<'_>) -> Result<Self, Fault> {
        tree.object(|fields| Self {
            kind: fields.required("type"),
            start: fields.required("start"),
            end: fields.required("end"),
            original: fields.optional("original"),
            country: fields.optional("country"),
            confidence: fields.optional("confidence"),
            validated: fields.optional("validated"),
            metadata: fields.optional("metadata"),
        })
    }
}

impl FromTree for Normalised {
    fn from_tree(tree: &Tree<'_>) -> Result<Self, Fault> {
        tree.object(|fields| Self {
            normalized: fields.optional("normalized"),
            e164: fields.optional("e164"),
        })
    }
}

/// Omits the text and the facts.
impl std::fmt::Debug for GivenFinding {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("GivenFinding")
            .field("start", &self.start)
            .field("end", &self.end)
            .finish_non_exhaustive()
    }
}

/// The text found stays out.
impl std::fmt::Debug for Protected {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Protected")
            .field("entity", &self.entity)
            .field("action", &self.action)
            .finish_non_exhaustive()
    }
}

/// The text stays out: only its length is shown.
impl std::fmt::Debug for Protection {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Protection")
            .field("text", &format_args!("{} bytes", self.text.len()))
            .field("entities", &self.entities)
            .field("mode", &self.mode)
            .finish_non_exhaustive()
    }
}
