//! The part of a catalogue file that both the build and the running engine know: checks.
//!
//! The build reads them from TOML and writes them out as constants; a caller's custom detector brings
//! them along in its request.

use std::{borrow::Cow, fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error as _, MapAccess, Visitor, value::MapAccessDeserializer},
};

/// A struct that is sent as an object. By itself a struct would be read from a list as well, by position:
/// so `[]` would be a policy's condition that always holds.
#[derive(Clone, Debug)]
pub struct Object<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Fields<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Fields<T> {
            type Value = T;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<T, A::Error> {
                T::deserialize(MapAccessDeserializer::new(fields))
            }
        }

        from.deserialize_map(Fields(PhantomData)).map(Self)
    }
}

/// Reads an object, or none where there is `null`.
///
/// # Errors
/// For anything else.
pub fn object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Option<T>, D::Error> {
    Ok(Option::deserialize(from)?.map(|Object(value)| value))
}

/// Check digits: what must hold of the compact value, which is the text found without its separators and
/// without the literal beginning of its shape. Letters count 10 to 35 unless a rule says otherwise.
// serde ignores unknown fields beside a rule without parameters, whatever it is told
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "rule", rename_all = "snake_case", deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Check {
    /// No check, for use inside `by_length`.
    #[cfg_attr(feature = "schema", schemars(extend("additionalProperties" = true)))]
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
    #[cfg_attr(feature = "schema", schemars(extend("additionalProperties" = true)))]
    Mod11_10,
    /// ISO 7064 mod 11-2.
    #[cfg_attr(feature = "schema", schemars(extend("additionalProperties" = true)))]
    Mod11_2,
    /// ISO 7064 mod 37,36.
    #[cfg_attr(feature = "schema", schemars(extend("additionalProperties" = true)))]
    Mod37_36,
    /// The Verhoeff algorithm.
    #[cfg_attr(feature = "schema", schemars(extend("additionalProperties" = true)))]
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
        #[serde(deserialize_with = "several")]
        checks: Cow<'static, [Check]>,
    },
    /// One of several checks.
    Any {
        /// One of them must hold.
        #[serde(deserialize_with = "several")]
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
    let Object(check) = Object::deserialize(from)?;
    Ok(Cow::Owned(vec![check]))
}

fn several<'de, D: Deserializer<'de>>(from: D) -> Result<Cow<'static, [Check]>, D::Error> {
    let checks = Vec::<Object<Check>>::deserialize(from)?;
    Ok(checks.into_iter().map(|Object(check)| check).collect())
}

fn write_single<S: Serializer>(check: &[Check], to: S) -> Result<S::Ok, S::Error> {
    check.first().serialize(to)
}

fn by_length<'de, D: Deserializer<'de>>(from: D) -> Result<Cow<'static, [(u8, Check)]>, D::Error> {
    let named = std::collections::BTreeMap::<String, Object<Check>>::deserialize(from)?;
    let lengths = named.into_iter().map(|(length, Object(check))| {
        length
            .parse()
            .map(|length| (length, check))
            .map_err(|_| D::Error::custom("a length must be a number"))
    });
    lengths.collect::<Result<Vec<_>, _>>().map(Cow::Owned)
}

fn write_by_length<S: Serializer>(lengths: &[(u8, Check)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(lengths.iter().map(|(length, check)| (length, check)))
}
