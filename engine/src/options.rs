//! What a caller may ask for, on every surface (design §4 "Requests, beyond the spec").
//!
//! Every field is optional. An unknown field is ignored; an unknown value of a known field is an
//! error that names the field ([`crate::wire::decode`]).

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Deserializer, Serialize};

#[cfg(feature = "schema")]
use crate::limits::{MAX_CUSTOM_DETECTORS, MAX_LIST, MAX_NAME_BYTES, MAX_PATTERN_BYTES, MAX_POLICIES};
use crate::{
    entity::{Category, OffsetUnit},
    schema::Check,
};

/// How sure a finding must be to be reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Preset {
    /// Only what is surely personal data: fewest false alarms.
    Conservative,
    /// The default.
    #[default]
    Balanced,
    /// Whatever may be personal data: fewest misses.
    Aggressive,
}

impl Preset {
    /// The lowest confidence that is reported.
    pub fn threshold(self) -> f64 {
        match self {
            Self::Conservative => 0.85,
            Self::Balanced => 0.60,
            Self::Aggressive => 0.35,
        }
    }

    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Conservative => "conservative",
            Self::Balanced => "balanced",
            Self::Aggressive => "aggressive",
        }
    }
}

/// Options of detection; protection takes them too.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DetectOptions {
    /// ISO 3166-1 alpha-2 code of the country that the text is about; inferred when absent. It weighs
    /// as evidence and hides nothing. A code of no country is ignored.
    #[serde(deserialize_with = "or_default")]
    pub country: Option<String>,
    /// Language of the text, such as `de`: evidence for the countries that speak it.
    #[serde(deserialize_with = "or_default")]
    pub language: Option<String>,
    /// How sure a finding must be; `balanced` when absent.
    #[serde(deserialize_with = "or_default")]
    pub privacy_preset: Option<Preset>,
    /// Report these types only; empty for all. Aliases of other tools are understood.
    #[serde(deserialize_with = "or_default")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<String>>", length(max = MAX_LIST)))]
    pub entities: Vec<String>,
    /// Never report these types.
    #[serde(deserialize_with = "or_default")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<String>>", length(max = MAX_LIST)))]
    pub exclude_entities: Vec<String>,
    /// In place of the preset's threshold, 0 to 1.
    #[serde(deserialize_with = "or_default")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub min_confidence: Option<f64>,
    /// Findings that are none.
    #[serde(deserialize_with = "or_default")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<AllowRule>>", length(max = MAX_LIST)))]
    pub allow_list: Vec<AllowRule>,
    /// Texts that are findings always.
    #[serde(deserialize_with = "or_default")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<DenyRule>>", length(max = MAX_LIST)))]
    pub deny_list: Vec<DenyRule>,
    /// Detectors of the caller's own.
    #[serde(deserialize_with = "or_default")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<CustomDetector>>", length(max = MAX_CUSTOM_DETECTORS)))]
    pub custom_detectors: Vec<CustomDetector>,
    /// What offsets count; code points when absent (UTF-16 in JavaScript).
    #[serde(deserialize_with = "or_default")]
    pub offset_unit: Option<OffsetUnit>,
    /// Report the evidence of each finding and of each country.
    #[serde(deserialize_with = "or_default")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<bool>"))]
    pub explain: bool,
}

impl DetectOptions {
    /// The lowest confidence that is reported.
    pub fn threshold(&self) -> f64 {
        self.min_confidence.unwrap_or_else(|| self.preset().threshold())
    }

    /// The effective preset.
    pub fn preset(&self) -> Preset {
        self.privacy_preset.unwrap_or_default()
    }
}

/// A finding that matches is not reported.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum AllowRule {
    /// The whole finding, compared without regard to case.
    Value(#[cfg_attr(feature = "schema", schemars(length(min = 1, max = MAX_PATTERN_BYTES)))] String),
    /// The whole finding matches this pattern.
    Regex(#[cfg_attr(feature = "schema", schemars(length(min = 1, max = MAX_PATTERN_BYTES)))] String),
    /// An e-mail address or a URL of this domain or of one below it.
    Domain(#[cfg_attr(feature = "schema", schemars(length(min = 1, max = MAX_PATTERN_BYTES)))] String),
}

/// Rules hold personal data as often as not.
impl fmt::Debug for AllowRule {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Value(_) => "Value(…)",
            Self::Regex(_) => "Regex(…)",
            Self::Domain(_) => "Domain(…)",
        })
    }
}

/// A text that is reported wherever it stands as a word of its own.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DenyRule {
    /// The text, found without regard to case.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = MAX_PATTERN_BYTES)))]
    pub value: String,
    /// The type to report; `deny_list` when absent.
    #[serde(
        default,
        rename = "type",
        deserialize_with = "or_default",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[a-z][a-z0-9_]*$"), length(max = MAX_NAME_BYTES)))]
    pub kind: Option<String>,
}

impl fmt::Debug for DenyRule {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "DenyRule({:?}, {} bytes)", self.kind, self.value.len())
    }
}

/// A detector of the caller's own, with the fields that a file of the catalogue has.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CustomDetector {
    /// The type to report: lower-case letters, digits and `_`.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[a-z][a-z0-9_]*$"), length(max = MAX_NAME_BYTES)))]
    pub name: String,
    /// A regular expression; it must not match the empty text and is matched within one line.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = MAX_PATTERN_BYTES)))]
    pub pattern: Option<String>,
    /// How it is written, such as `d4-d4`; in place of a pattern, or beside it.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<String>>"))]
    pub shapes: Vec<String>,
    /// Check digits of what a shape finds; what fails is not reported. The rule `function` is refused.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Option::is_none")]
    pub check: Option<Check>,
    /// Words that speak for it when they stand near.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<String>>", length(max = MAX_LIST)))]
    pub context: Vec<String>,
    /// Confidence of a match without any of the words, 0 to 1; 0.75 when absent.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub confidence: Option<f64>,
    /// What it is about; `personal` when absent.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Option::is_none")]
    pub category: Option<Category>,
}

/// What protection does with a finding.
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
    /// The name on the wire.
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

/// Options of protection, beside those of detection.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProtectOptions {
    /// What to do with every finding that has no operator of its own; `replace` when absent.
    #[serde(deserialize_with = "or_default")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Mode>"))]
    pub mode: Mode,
    /// By type, in place of `mode`.
    #[serde(deserialize_with = "or_default")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<BTreeMap<String, Operator>>"))]
    pub operators: BTreeMap<String, Operator>,
    /// For mode `policy`: the policies, in any order.
    #[serde(deserialize_with = "or_default")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<Policy>>", length(max = MAX_POLICIES)))]
    pub policies: Vec<Policy>,
    /// For mode `policy`: what to do where no policy applies; `MASK` when absent.
    #[serde(deserialize_with = "or_default")]
    pub default_action: Option<Action>,
}

/// What to do with the findings of one type.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Operator {
    /// Any mode but `policy`.
    #[serde(deserialize_with = "or_default")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Mode>", extend("enum" = ["replace", "mask", "hash", "tokenize", null])))]
    pub mode: Mode,
    /// For `mask`: one character in place of `*`.
    #[serde(deserialize_with = "or_default")]
    pub mask_char: Option<char>,
    /// For `mask`: letters and digits at the start that stay.
    #[serde(deserialize_with = "or_default")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<usize>"))]
    pub keep_first: usize,
    /// For `mask`: letters and digits at the end that stay.
    #[serde(deserialize_with = "or_default")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<usize>"))]
    pub keep_last: usize,
    /// For `replace`: the text in place of `[REDACTED]`.
    #[serde(deserialize_with = "or_default")]
    pub new_value: Option<String>,
}

/// What a policy does, from the mildest to the strictest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Action {
    /// Leaves it.
    Allow,
    /// Leaves it and reports it.
    Flag,
    /// Asterisks.
    Mask,
    /// A reversible token.
    Tokenize,
    /// A keyed hash.
    Hash,
    /// `[REDACTED]`.
    Redact,
    /// Refuses the call.
    Block,
}

/// A gateway policy (spec §2), as far as it decides about findings.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Policy {
    /// Reported with each finding that it decides about.
    pub name: String,
    /// The highest wins; ties go to the stricter action.
    #[serde(default, deserialize_with = "or_default")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<i64>"))]
    pub priority: i64,
    /// What to do.
    pub action: Action,
    /// Alternatives; none for every finding.
    #[serde(default, deserialize_with = "or_default")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<Condition>>", length(max = MAX_POLICIES)))]
    pub conditions: Vec<Condition>,
    /// Decides only where no other policy applies.
    #[serde(default, deserialize_with = "or_default")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<bool>"))]
    pub is_default: bool,
}

/// Keys of one condition; all that are present must hold. An unknown key is refused: to drop it
/// silently would fail open.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Condition {
    /// The finding is at least as sure, 0 to 1.
    #[serde(deserialize_with = "or_default")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub confidence_min: Option<f64>,
    /// The finding is of one of these types.
    #[serde(deserialize_with = "or_default")]
    pub entity_types: Option<Vec<String>>,
    /// The finding is of none of these types.
    #[serde(deserialize_with = "or_default")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<String>>"))]
    pub exclude_entity_types: Vec<String>,
    /// The finding is of one of these countries.
    #[serde(deserialize_with = "or_default")]
    #[cfg_attr(feature = "schema", schemars(inner(regex(pattern = "^[A-Za-z]{2}$"))))]
    pub countries: Option<Vec<String>>,
    /// The finding is of one of these categories.
    #[serde(deserialize_with = "or_default")]
    pub categories: Option<Vec<Category>>,
    /// The finding passed its checksum or structural rule, or did not.
    #[serde(deserialize_with = "or_default")]
    pub validated: Option<bool>,
    /// The text has at least so many findings of its type.
    #[serde(deserialize_with = "or_default")]
    pub min_count: Option<usize>,
}

/// JSON's `null` means the same as an absent field.
fn or_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(from: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or_default())
}
