//! The shapes of a catalogue file that both the build and the running engine know: parts and checks.
//!
//! The build reads them from TOML and writes them out as constants; a caller's custom detector brings
//! them along in its request.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// What stands at fixed places of a compact value.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// The first place; negative from the end.
    pub at: i8,
    /// How many places.
    #[serde(default = "one")]
    pub len: u8,
    /// The smallest number there.
    #[serde(default)]
    pub min: Option<u64>,
    /// The largest number there.
    #[serde(default)]
    pub max: Option<u64>,
    /// Numbers that are never there.
    #[serde(default)]
    pub not: Cow<'static, [u64]>,
    /// Each character there is one of these.
    #[serde(default)]
    pub chars: Cow<'static, str>,
    /// The characters there are one of these.
    #[serde(default)]
    pub one_of: Cow<'static, [Cow<'static, str>]>,
}

/// Check digits: what must hold of the compact value, which is the text found without its separators and
/// without the literal beginning of its shape. Letters count 10 to 35 unless a rule says otherwise.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "rule", rename_all = "snake_case", deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Check {
    /// No check, for use inside `by_length`.
    None,
    /// The Luhn algorithm.
    Luhn {
        /// Put before the value.
        #[serde(default)]
        prefix: Cow<'static, str>,
    },
    /// A sum of digits times weights.
    Weighted(Weighted),
    /// The whole number and its remainder.
    Integer(Integer),
    /// ISO 7064 mod 97-10.
    Mod97 {
        /// What must remain.
        #[serde(default = "one")]
        residue: u8,
    },
    /// ISO 7064 mod 11,10.
    Mod11_10,
    /// ISO 7064 mod 11-2.
    Mod11_2,
    /// ISO 7064 mod 37,36.
    Mod37_36,
    /// The Verhoeff algorithm.
    Verhoeff,
    /// A check of a part.
    Part {
        /// The first place, counted from 0; negative from the end.
        #[serde(default)]
        from: i8,
        /// The place after the last; negative from the end, absent for the end.
        #[serde(default)]
        to: Option<i8>,
        /// What must hold of the part.
        #[serde(deserialize_with = "single", serialize_with = "write_single")]
        #[cfg_attr(feature = "schema", schemars(with = "Box<Check>"))]
        check: Cow<'static, [Check]>,
    },
    /// Every one of several checks.
    All {
        /// All of them must hold.
        checks: Cow<'static, [Check]>,
    },
    /// One of several checks.
    Any {
        /// One of them must hold.
        checks: Cow<'static, [Check]>,
    },
    /// A check that depends on the length.
    ByLength {
        /// By length, as a number; a length that is not named has no check.
        #[serde(deserialize_with = "by_length", serialize_with = "write_by_length")]
        #[cfg_attr(feature = "schema", schemars(with = "std::collections::BTreeMap<String, Check>"))]
        lengths: Cow<'static, [(u8, Check)]>,
    },
    /// Of the catalogue only; a caller has no functions.
    #[cfg_attr(feature = "schema", schemars(skip))]
    Function {
        /// A function of `rules/checks.rs`.
        name: Cow<'static, str>,
        /// Filled in by the build of the catalogue.
        #[serde(skip)]
        call: Option<fn(&str) -> bool>,
    },
}

/// A sum of digits times weights: its remainder is one of `residues`, or with `check` tells the check digit.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Weighted {
    /// One a place; those shorter than the value repeat with `cyclic`.
    pub weights: Cow<'static, [i16]>,
    /// What the sum is divided by.
    pub modulus: u16,
    /// Remainders that are right.
    #[serde(default = "zero_only")]
    pub residues: Cow<'static, [u16]>,
    /// The check digit for each remainder, where `-` says "never issued" and `?` "try the weights of `then`".
    #[serde(default)]
    pub check: Cow<'static, str>,
    /// The place of the check digit, which is left out of the sum; negative from the end.
    #[serde(default = "last")]
    pub at: i8,
    /// Added to the sum.
    #[serde(default)]
    pub offset: i16,
    /// What is added up.
    #[serde(default)]
    pub product: Product,
    /// Other weights, for where `check` says `?`; where they say it too, the digit is 0.
    #[serde(default)]
    pub then: Cow<'static, [i16]>,
    /// Letters count their place in it.
    #[serde(default)]
    pub alphabet: Cow<'static, str>,
    /// The weights repeat.
    #[serde(default)]
    pub cyclic: bool,
}

/// What a weighted sum adds up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Product {
    /// The products themselves.
    #[default]
    Plain,
    /// The digits of each product.
    DigitSum,
}

/// The whole number divided by `modulus`: the remainder is one of `residues`, or tells the check digits.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Integer {
    /// What the number is divided by.
    pub modulus: u32,
    /// Remainders that are right.
    #[serde(default = "zero_only")]
    pub residues: Cow<'static, [u16]>,
    /// So many of the last digits are the remainder of those before them.
    #[serde(default)]
    pub check_len: u8,
    /// They are `modulus` less the remainder.
    #[serde(default)]
    pub complement: bool,
    /// The last character for each remainder of what stands before it.
    #[serde(default)]
    pub check: Cow<'static, str>,
}

fn one() -> u8 {
    1
}

fn last() -> i8 {
    -1
}

fn zero_only() -> Cow<'static, [u16]> {
    Cow::Borrowed(&[0])
}

fn single<'de, D: Deserializer<'de>>(from: D) -> Result<Cow<'static, [Check]>, D::Error> {
    Ok(Cow::Owned(vec![Check::deserialize(from)?]))
}

fn write_single<S: Serializer>(check: &Cow<'static, [Check]>, to: S) -> Result<S::Ok, S::Error> {
    check.first().serialize(to)
}

fn by_length<'de, D: Deserializer<'de>>(from: D) -> Result<Cow<'static, [(u8, Check)]>, D::Error> {
    let named = std::collections::BTreeMap::<String, Check>::deserialize(from)?;
    let lengths = named.into_iter().map(|(length, check)| {
        length
            .parse()
            .map(|length| (length, check))
            .map_err(|_| D::Error::custom("a length must be a number"))
    });
    lengths.collect::<Result<Vec<_>, _>>().map(Cow::Owned)
}

fn write_by_length<S: Serializer>(lengths: &Cow<'static, [(u8, Check)]>, to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(lengths.iter().map(|(length, check)| (length, check)))
}
