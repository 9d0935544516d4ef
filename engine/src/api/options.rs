//! The options of a call, on every surface.
//!
//! Every field is optional. An unknown field is ignored; an unknown value of a known field is an
//! error that names the field ([`crate::api::wire::decode`]).

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};

#[cfg(feature = "schema")]
use crate::api::limits::{
    MAX_CUSTOM_DETECTORS, MAX_LIST, MAX_NAME_BYTES, MAX_PATTERN_BYTES, MAX_POLICIES, MAX_TEXT_CHARS,
};
use crate::api::{
    entity::{Category, OffsetUnit, Span},
    schema::{Check, Part},
    tree::{Fault, FromTree, Tree, deserialize_by_tree, named},
};

/// The minimum confidence of reported findings, by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Preset {
    /// Only near-certain personal data: fewest false positives.
    Conservative,
    /// The default.
    #[default]
    Balanced,
    /// All possible personal data: fewest misses.
    Aggressive,
}

impl Preset {
    /// Returns the lowest reported confidence.
    ///
    /// # Examples
    /// ```
    /// use textveil_engine::Preset;
    ///
    /// assert!(Preset::Conservative.threshold() > Preset::Aggressive.threshold());
    /// ```
    pub fn threshold(self) -> f64 {
        match self {
            Self::Conservative => 0.85,
            Self::Balanced => 0.60,
            Self::Aggressive => 0.35,
        }
    }

    /// Returns the lowest reported confidence of names of people.
    ///
    /// They have thresholds of their own, since their confidence is calibrated on real text: in `conservative` at least 95 % of
    /// names are right there, in `balanced` F1 is best. `tests/eval/SCORECARD.md` has the share of names that are right, by
    /// confidence.
    ///
    /// # Examples
    /// ```
    /// use textveil_engine::Preset;
    ///
    /// assert!(Preset::Balanced.name_threshold() < Preset::Balanced.threshold());
    /// ```
    pub fn name_threshold(self) -> f64 {
        match self {
            Self::Conservative => 0.92,
            Self::Balanced => 0.50,
            Self::Aggressive => 0.20,
        }
    }

    /// Returns the lowest reported confidence of names of several words without capitals.
    ///
    /// In Arabic, Devanagari, Hangul, Hebrew and other scripts with spaces and without capitals, fewer names are certain,
    /// so the best F1 is at a lower confidence. Single words would bring false alarms in lists of things.
    ///
    /// # Examples
    /// ```
    /// use textveil_engine::Preset;
    ///
    /// assert!(Preset::Balanced.uncased_name_threshold() < Preset::Balanced.name_threshold());
    /// ```
    pub fn uncased_name_threshold(self) -> f64 {
        match self {
            Self::Balanced => 0.35,
            preset => preset.name_threshold(),
        }
    }

    /// Returns the name on the wire.
    ///
    /// # Examples
    /// ```
    /// use textveil_engine::Preset;
    ///
    /// assert_eq!(Preset::default().as_str(), "balanced");
    /// ```
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Conservative => "conservative",
            Self::Balanced => "balanced",
            Self::Aggressive => "aggressive",
        }
    }
}

/// Options of detection; protection takes them too.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(default))]
pub struct DetectOptions {
    /// Country of the text, as ISO 3166-1 alpha-2 code; inferred when absent. It weighs as evidence and hides
    /// nothing. An unknown code is ignored.
    pub country: Option<String>,
    /// Language of the text, such as `de`. It is evidence for the countries that speak it.
    pub language: Option<String>,
    /// The preset of the minimum confidence; `balanced` when absent.
    pub privacy_preset: Option<Preset>,
    /// Report these types only; empty for all. Aliases of other tools are understood.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<String>>", length(max = MAX_LIST)))]
    pub entities: Vec<String>,
    /// Never report these types.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<String>>", length(max = MAX_LIST)))]
    pub exclude_entities: Vec<String>,
    /// Minimum confidence instead of the preset's threshold, 0 to 1.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub min_confidence: Option<f64>,
    /// Findings that are not reported.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<AllowRule>>", length(max = MAX_LIST)))]
    pub allow_list: Vec<AllowRule>,
    /// Texts that are always reported.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<DenyRule>>", length(max = MAX_LIST)))]
    pub deny_list: Vec<DenyRule>,
    /// The caller's own detectors.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<CustomDetector>>", length(max = MAX_CUSTOM_DETECTORS)))]
    pub custom_detectors: Vec<CustomDetector>,
    /// Findings of the caller's own model, as evidence. They belong to one text: calls with several texts, and
    /// streams, take none.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<Hint>>", length(max = MAX_LIST)))]
    pub hints: Vec<Hint>,
    /// The values of a text that joins several, in order. Such a text is made of a table, a form or a
    /// document. A finding lies in one of the cells: one over several is a finding in each. The text between
    /// them is read and never reported. They belong to one text, as hints do. Empty for a text that is one
    /// value.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<Span>>", length(max = MAX_TEXT_CHARS)))]
    pub cells: Vec<Span>,
    /// The unit of offsets; code points when absent (UTF-16 in JavaScript).
    pub offset_unit: Option<OffsetUnit>,
    /// Report the evidence of each finding and of each country.
    #[cfg_attr(feature = "schema", schemars(with = "Option<bool>"))]
    pub explain: bool,
}

impl FromTree for DetectOptions {
    fn from_tree(tree: &Tree<'_>) -> Result<Self, Fault> {
        tree.object(|fields| Self {
            country: fields.optional("country"),
            language: fields.optional("language"),
            privacy_preset: fields.optional("privacy_preset"),
            entities: fields.optional("entities"),
            exclude_entities: fields.optional("exclude_entities"),
            min_confidence: fields.optional("min_confidence"),
            allow_list: fields.optional("allow_list"),
            deny_list: fields.optional("deny_list"),
            custom_detectors: fields.optional("custom_detectors"),
            hints: fields.optional("hints"),
            cells: fields.optional("cells"),
            offset_unit: fields.optional("offset_unit"),
            explain: fields.optional("explain"),
        })
    }
}

impl DetectOptions {
    /// Returns the lowest reported confidence.
    ///
    /// # Examples
    /// ```
    /// use textveil_engine::{DetectOptions, Preset};
    ///
    /// let preset = DetectOptions { privacy_preset: Some(Preset::Aggressive), ..DetectOptions::default() };
    /// assert_eq!(preset.threshold(), 0.35);
    /// let own = DetectOptions { min_confidence: Some(0.9), ..preset };
    /// assert_eq!(own.threshold(), 0.9);
    /// ```
    pub fn threshold(&self) -> f64 {
        self.min_confidence.unwrap_or_else(|| self.preset().threshold())
    }

    /// Returns the lowest reported confidence of names of people.
    ///
    /// # Examples
    /// ```
    /// use textveil_engine::{DetectOptions, Preset};
    ///
    /// assert_eq!(DetectOptions::default().name_threshold(), Preset::Balanced.name_threshold());
    /// ```
    pub fn name_threshold(&self) -> f64 {
        self.min_confidence.unwrap_or_else(|| self.preset().name_threshold())
    }

    /// Returns the lowest reported confidence of names of several words without capitals.
    ///
    /// # Examples
    /// ```
    /// use textveil_engine::DetectOptions;
    ///
    /// let options = DetectOptions { min_confidence: Some(0.5), ..DetectOptions::default() };
    /// assert_eq!(options.uncased_name_threshold(), options.name_threshold());
    /// ```
    pub fn uncased_name_threshold(&self) -> f64 {
        self.min_confidence.unwrap_or_else(|| self.preset().uncased_name_threshold())
    }

    /// Returns the effective preset.
    ///
    /// # Examples
    /// ```
    /// use textveil_engine::{DetectOptions, Preset};
    ///
    /// assert_eq!(DetectOptions::default().preset(), Preset::Balanced);
    /// ```
    pub fn preset(&self) -> Preset {
        self.privacy_preset.unwrap_or_default()
    }
}

/// A finding that matches is not reported.
#[derive(Clone, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum AllowRule {
    /// The whole finding, ignoring case.
    Value(#[cfg_attr(feature = "schema", schemars(length(min = 1, max = MAX_PATTERN_BYTES)))] String),
    /// The whole finding matches this pattern.
    Regex(#[cfg_attr(feature = "schema", schemars(length(min = 1, max = MAX_PATTERN_BYTES)))] String),
    /// An e-mail address or a URL of this domain or its subdomains.
    Domain(#[cfg_attr(feature = "schema", schemars(length(min = 1, max = MAX_PATTERN_BYTES)))] String),
}

impl FromTree for AllowRule {
    fn from_tree(tree: &Tree<'_>) -> Result<Self, Fault> {
        tree.object(|fields| {
            fields.only(&["value", "regex", "domain"]);
            match ["value", "regex", "domain"].map(|name| fields.optional::<Option<String>>(name)) {
                [Some(value), None, None] => Self::Value(value),
                [None, Some(regex), None] => Self::Regex(regex),
                [None, None, Some(domain)] => Self::Domain(domain),
                _ => {
                    fields.refuse(Fault::default());
                    Self::Value(String::new())
                }
            }
        })
    }
}

/// Omits the content: rules often contain personal data.
impl fmt::Debug for AllowRule {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Value(_) => "Value(…)",
            Self::Regex(_) => "Regex(…)",
            Self::Domain(_) => "Domain(…)",
        })
    }
}

/// A text that is reported wherever it occurs as a separate word.
#[derive(Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DenyRule {
    /// The text, found ignoring case.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = MAX_PATTERN_BYTES)))]
    pub value: String,
    /// The type to report; `deny_list` when absent.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[a-z][a-z0-9_]*$"), length(max = MAX_NAME_BYTES)))]
    pub kind: Option<String>,
}

impl FromTree for DenyRule {
    fn from_tree(tree: &Tree<'_>) -> Result<Self, Fault> {
        tree.object(|fields| Self { value: fields.required("value"), kind: fields.optional("type") })
    }
}

impl fmt::Debug for DenyRule {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "DenyRule({:?}, {} bytes)", self.kind, self.value.len())
    }
}

/// A detector of the caller, with the fields of a catalogue file.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CustomDetector {
    /// The type to report: lower-case letters, digits and `_`.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[a-z][a-z0-9_]*$"), length(max = MAX_NAME_BYTES)))]
    pub name: String,
    /// A regular expression, matched against each whole line. It must not match the empty text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = MAX_PATTERN_BYTES)))]
    pub pattern: Option<String>,
    /// Shapes of the value, such as `d4-d4`. Instead of a pattern, or in addition to one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<String>>"))]
    pub shapes: Vec<String>,
    /// Words that stand next to the value, such as `member number`. They are evidence like the labels of the catalogue: also
    /// as the head of a column, or in the question before an answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<String>>", length(max = MAX_LIST)))]
    pub labels: Vec<String>,
    /// Further shapes, found only next to one of the labels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<String>>"))]
    pub labelled: Vec<String>,
    /// The contents of fixed places of the values that a shape finds. Values with other contents are not reported.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<Part>>", length(max = MAX_LIST)))]
    pub parts: Vec<Part>,
    /// Check digits of the values that a shape finds. Values that fail are not reported. The rule `function`
    /// is rejected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<Check>,
    /// Words near a match that are evidence for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<String>>", length(max = MAX_LIST)))]
    pub context: Vec<String>,
    /// Confidence of a match without any of the words, 0 to 1. The default is 0.75.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub confidence: Option<f64>,
    /// Its category; `personal` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<Category>,
}

impl FromTree for CustomDetector {
    fn from_tree(tree: &Tree<'_>) -> Result<Self, Fault> {
        tree.object(|fields| Self {
            name: fields.required("name"),
            pattern: fields.optional("pattern"),
            shapes: fields.optional("shapes"),
            labels: fields.optional("labels"),
            labelled: fields.optional("labelled"),
            parts: fields.optional("parts"),
            check: fields.whole("check"),
            context: fields.optional("context"),
            confidence: fields.optional("confidence"),
            category: fields.optional("category"),
        })
    }
}

/// A finding of the caller's own model, which is evidence.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Hint {
    /// A type of the catalogue, or one of the model. The name of a type in another tool, such as `PERSON`, is
    /// understood. A type of the model has lower-case letters, digits and `_`.
    #[serde(rename = "type")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = MAX_NAME_BYTES)))]
    pub kind: String,
    /// Offset of its first unit in the text, counted from zero.
    pub start: usize,
    /// Offset after its last unit.
    pub end: usize,
    /// The probability that the model gives, 0 to 1.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub confidence: f64,
}

impl FromTree for Hint {
    fn from_tree(tree: &Tree<'_>) -> Result<Self, Fault> {
        tree.object(|fields| Self {
            kind: fields.required("type"),
            start: fields.required("start"),
            end: fields.required("end"),
            confidence: fields.required("confidence"),
        })
    }
}

impl FromTree for Span {
    fn from_tree(tree: &Tree<'_>) -> Result<Self, Fault> {
        tree.object(|fields| Self { start: fields.required("start"), end: fields.required("end") })
    }
}

/// The kind of replacement for a finding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Mode {
    /// The constant `[REDACTED]`.
    #[default]
    Replace,
    /// An asterisk for each character (code point).
    Mask,
    /// 16 hex digits of a keyed hash of type and normalised value.
    Hash,
    /// A reversible token `tok_<country>_<type>_<id>`.
    Tokenize,
    /// Each finding by the first policy that applies to it.
    Policy,
}

impl Mode {
    /// The names on the wire, in the order of the variants.
    pub const NAMES: [&str; 5] = ["replace", "mask", "hash", "tokenize", "policy"];

    /// The requirement for the mode of a request.
    pub(super) const EXPECTED: &str = "must be one of replace, mask, hash, tokenize, policy";

    /// Returns the name on the wire.
    ///
    /// # Examples
    /// ```
    /// use textveil_engine::Mode;
    ///
    /// assert_eq!(Mode::Tokenize.as_str(), "tokenize");
    /// assert!(Mode::NAMES.contains(&Mode::Mask.as_str()));
    /// ```
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Replace => "replace",
            Self::Mask => "mask",
            Self::Hash => "hash",
            Self::Tokenize => "tokenize",
            Self::Policy => "policy",
        }
    }
}

/// Options of protection, in addition to those of detection.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(default))]
pub struct ProtectOptions {
    /// The mode for findings without an operator for their type. The default is `replace`.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Mode>"))]
    pub mode: Mode,
    /// Operators by type, instead of `mode`.
    #[cfg_attr(feature = "schema", schemars(with = "Option<BTreeMap<String, Operator>>"))]
    pub operators: BTreeMap<String, Operator>,
    /// For mode `policy`: the policies, in any order.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<Policy>>", length(max = MAX_POLICIES)))]
    pub policies: Vec<Policy>,
    /// For mode `policy`: the action if no policy applies; `MASK` when absent.
    pub default_action: Option<Action>,
}

impl FromTree for ProtectOptions {
    fn from_tree(tree: &Tree<'_>) -> Result<Self, Fault> {
        tree.object(|fields| Self {
            mode: fields.optional("mode"),
            operators: fields.optional("operators"),
            policies: fields.optional("policies"),
            default_action: fields.optional("default_action"),
        })
    }
}

/// The replacement of the findings of one type.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(default))]
pub struct Operator {
    /// Any mode except `policy`.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Mode>", extend("enum" = ["replace", "mask", "hash", "tokenize", null])))]
    pub mode: Mode,
    /// For `mask`: one character instead of `*`.
    pub mask_char: Option<char>,
    /// For `mask`: the number of leading letters and digits that stay.
    #[cfg_attr(feature = "schema", schemars(with = "Option<usize>"))]
    pub keep_first: usize,
    /// For `mask`: the number of trailing letters and digits that stay.
    #[cfg_attr(feature = "schema", schemars(with = "Option<usize>"))]
    pub keep_last: usize,
    /// For `replace`: the text instead of `[REDACTED]`.
    pub new_value: Option<String>,
}

impl FromTree for Operator {
    fn from_tree(tree: &Tree<'_>) -> Result<Self, Fault> {
        tree.object(|fields| Self {
            mode: fields.optional("mode"),
            mask_char: fields.optional("mask_char"),
            keep_first: fields.optional("keep_first"),
            keep_last: fields.optional("keep_last"),
            new_value: fields.optional("new_value"),
        })
    }
}

/// The action of a policy, from the mildest to the strictest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Action {
    /// Keeps the finding.
    Allow,
    /// Keeps the finding and reports it.
    Flag,
    /// Asterisks.
    Mask,
    /// A reversible token.
    Tokenize,
    /// A keyed hash.
    Hash,
    /// `[REDACTED]`.
    #[default]
    Redact,
    /// Rejects the call.
    Block,
}

impl Action {
    /// Returns the name of the action in requests and answers.
    ///
    /// # Examples
    /// ```
    /// use textveil_engine::Action;
    ///
    /// assert_eq!(Action::Tokenize.as_str(), "TOKENIZE");
    /// ```
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "ALLOW",
            Self::Flag => "FLAG",
            Self::Mask => "MASK",
            Self::Tokenize => "TOKENIZE",
            Self::Hash => "HASH",
            Self::Redact => "REDACT",
            Self::Block => "BLOCK",
        }
    }
}

/// A gateway policy: its part that decides on findings.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Policy {
    /// Reported with each finding that it decides on.
    pub name: String,
    /// The highest wins; ties go to the stricter action.
    #[cfg_attr(feature = "schema", schemars(default, with = "Option<i64>"))]
    pub priority: i64,
    /// The action.
    pub action: Action,
    /// Alternative conditions; empty for every finding.
    #[cfg_attr(feature = "schema", schemars(default, with = "Option<Vec<Condition>>", length(max = MAX_POLICIES)))]
    pub conditions: Vec<Condition>,
    /// Applies only if no other policy does.
    #[cfg_attr(feature = "schema", schemars(default, with = "Option<bool>"))]
    pub is_default: bool,
}

impl FromTree for Policy {
    fn from_tree(tree: &Tree<'_>) -> Result<Self, Fault> {
        tree.object(|fields| Self {
            name: fields.required("name"),
            priority: fields.optional("priority"),
            action: fields.required("action"),
            conditions: fields.optional("conditions"),
            is_default: fields.optional("is_default"),
        })
    }
}

/// Keys of one condition; all that are present must hold.
///
/// An unknown key is rejected: ignoring it would fail open.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(default, deny_unknown_fields))]
pub struct Condition {
    /// The minimum confidence of the finding, 0 to 1.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub confidence_min: Option<f64>,
    /// The finding has one of these types.
    pub entity_types: Option<Vec<String>>,
    /// The finding's type is not one of these.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<String>>"))]
    pub exclude_entity_types: Vec<String>,
    /// The finding has one of these countries.
    #[cfg_attr(feature = "schema", schemars(inner(regex(pattern = "^[A-Za-z]{2}$"))))]
    pub countries: Option<Vec<String>>,
    /// The finding has one of these categories.
    pub categories: Option<Vec<Category>>,
    /// The finding passed its checksum or structural rule, or did not.
    pub validated: Option<bool>,
    /// The minimum number of findings of its type in the text.
    pub min_count: Option<usize>,
}

impl FromTree for Condition {
    fn from_tree(tree: &Tree<'_>) -> Result<Self, Fault> {
        tree.object(|fields| {
            fields.only(&[
                "confidence_min",
                "entity_types",
                "exclude_entity_types",
                "countries",
                "categories",
                "validated",
                "min_count",
            ]);
            Self {
                confidence_min: fields.optional("confidence_min"),
                entity_types: fields.optional("entity_types"),
                exclude_entity_types: fields.optional("exclude_entity_types"),
                countries: fields.optional("countries"),
                categories: fields.optional("categories"),
                validated: fields.optional("validated"),
                min_count: fields.optional("min_count"),
            }
        })
    }
}

macro_rules! choices {
    ($($choice:ty)*) => {$(
        impl FromTree for $choice {
            fn from_tree(tree: &Tree<'_>) -> Result<Self, Fault> {
                named(tree)
            }
        }
    )*};
}

choices!(Preset Mode Action OffsetUnit Category);

deserialize_by_tree!(DetectOptions Hint AllowRule DenyRule CustomDetector ProtectOptions Operator Policy Condition);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_modes() {
        let modes = [Mode::Replace, Mode::Mask, Mode::Hash, Mode::Tokenize, Mode::Policy];
        assert_eq!(modes.map(Mode::as_str), Mode::NAMES);
        for name in Mode::NAMES {
            assert_eq!(serde_json::from_value::<Mode>(name.into()).unwrap().as_str(), name);
        }
        assert_eq!(Mode::EXPECTED, format!("must be one of {}", Mode::NAMES.join(", ")));
    }
}
