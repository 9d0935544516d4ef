//! The shapes of a catalogue file that both the build and the running engine know: parts and checks.
//!
//! The build reads them from TOML and writes them out as constants; a caller's custom detector brings
//! them along in its request.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, de::Error as _};

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

/// A check of the compact value. See `catalogue/README.md` for what each rule and parameter means.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "rule", rename_all = "snake_case", deny_unknown_fields)]
#[allow(missing_docs, reason = "catalogue/README.md documents the rules")]
pub enum Check {
    None,
    Luhn {
        #[serde(default)]
        prefix: Cow<'static, str>,
    },
    Weighted(Weighted),
    Integer(Integer),
    Mod97 {
        #[serde(default = "one")]
        residue: u8,
    },
    Mod11_10,
    Mod11_2,
    Mod37_36,
    Verhoeff,
    Part {
        #[serde(default)]
        from: i8,
        #[serde(default)]
        to: Option<i8>,
        #[serde(deserialize_with = "single")]
        check: Cow<'static, [Check]>,
    },
    All {
        checks: Cow<'static, [Check]>,
    },
    Any {
        checks: Cow<'static, [Check]>,
    },
    ByLength {
        #[serde(deserialize_with = "by_length")]
        lengths: Cow<'static, [(u8, Check)]>,
    },
    Function {
        name: Cow<'static, str>,
        /// Filled in by the build of the catalogue; a caller has no functions.
        #[serde(skip)]
        call: Option<fn(&str) -> bool>,
    },
}

/// Parameters of the rule `weighted`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "catalogue/README.md documents the parameters")]
pub struct Weighted {
    pub weights: Cow<'static, [i16]>,
    pub modulus: u16,
    #[serde(default = "zero_only")]
    pub residues: Cow<'static, [u16]>,
    #[serde(default)]
    pub check: Cow<'static, str>,
    #[serde(default = "last")]
    pub at: i8,
    #[serde(default)]
    pub offset: i16,
    #[serde(default)]
    pub product: Product,
    #[serde(default)]
    pub then: Cow<'static, [i16]>,
    #[serde(default)]
    pub alphabet: Cow<'static, str>,
    #[serde(default)]
    pub cyclic: bool,
}

/// What a weighted sum adds up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Product {
    /// The products themselves.
    #[default]
    Plain,
    /// The digits of each product.
    DigitSum,
}

/// Parameters of the rule `integer`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "catalogue/README.md documents the parameters")]
pub struct Integer {
    pub modulus: u32,
    #[serde(default = "zero_only")]
    pub residues: Cow<'static, [u16]>,
    #[serde(default)]
    pub check_len: u8,
    #[serde(default)]
    pub complement: bool,
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
