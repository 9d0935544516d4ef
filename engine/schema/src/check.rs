//! Check digits, in a file of the catalogue and in a custom detector.
//!
//! The build reads them from TOML and writes them as constants; the engine reads those of a custom detector
//! from a request.

use std::borrow::Cow;

use serde::{Deserialize, Serialize, Serializer};

use crate::tree::{Fault, Fields, FromTree, Tree, deserialize_by_tree, named};

/// Check digits of a compact value.
///
/// The compact value is the text without its separators and without the literal prefix of its shape. Letters
/// count 10 to 35 unless a rule defines other values.
// unknown fields beside a rule without parameters are ignored
#[derive(Clone, Debug, Default, Serialize)]
#[serde(tag = "rule", rename_all = "snake_case")]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub enum Check {
    /// No check, for use inside `by_length`.
    #[default]
    #[cfg_attr(feature = "json-schema", schemars(extend("additionalProperties" = true)))]
    None,
    /// The Luhn algorithm.
    Luhn {
        /// Digits inserted before the value.
        #[cfg_attr(feature = "json-schema", schemars(default))]
        prefix: Cow<'static, str>,
    },
    /// A sum of digits times weights.
    Weighted(Weighted),
    /// The whole number and its remainder.
    Integer(Integer),
    /// ISO 7064 mod 97-10.
    Mod97 {
        /// The required remainder.
        #[cfg_attr(feature = "json-schema", schemars(default = "one"))]
        residue: u8,
    },
    /// ISO 7064 mod 11,10.
    #[cfg_attr(feature = "json-schema", schemars(extend("additionalProperties" = true)))]
    Mod11_10,
    /// ISO 7064 mod 11-2.
    #[cfg_attr(feature = "json-schema", schemars(extend("additionalProperties" = true)))]
    Mod11_2,
    /// ISO 7064 mod 37,36.
    #[cfg_attr(feature = "json-schema", schemars(extend("additionalProperties" = true)))]
    Mod37_36,
    /// The Verhoeff algorithm.
    #[cfg_attr(feature = "json-schema", schemars(extend("additionalProperties" = true)))]
    Verhoeff,
    /// A check of a part.
    Part {
        /// The first position, counted from 0; negative from the end.
        #[cfg_attr(feature = "json-schema", schemars(default))]
        from: i8,
        /// The position after the last. Negative from the end, absent for the end.
        #[cfg_attr(feature = "json-schema", schemars(default))]
        to: Option<i8>,
        /// The check of the part.
        #[serde(serialize_with = "write_single")]
        #[cfg_attr(feature = "json-schema", schemars(with = "Box<Check>"))]
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
        /// By length, as a number; other lengths have no check.
        #[serde(serialize_with = "write_by_length")]
        #[cfg_attr(feature = "json-schema", schemars(with = "std::collections::BTreeMap<String, Check>"))]
        lengths: Cow<'static, [(u8, Check)]>,
    },
    /// For the catalogue only; custom detectors have no functions.
    #[cfg_attr(feature = "json-schema", schemars(skip))]
    Function {
        /// A function of `engine/src/checks/digits/special.rs`.
        name: Cow<'static, str>,
        /// Filled in by the build of the catalogue.
        #[serde(skip)]
        call: Option<fn(&str) -> bool>,
    },
}

/// A weighted sum of digits.
///
/// Its remainder is one of `residues`, or determines the check digit with `check`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct Weighted {
    /// One per position; a shorter list repeats with `cyclic`.
    pub weights: Cow<'static, [i16]>,
    /// The divisor of the sum.
    pub modulus: u16,
    /// The valid remainders.
    #[cfg_attr(feature = "json-schema", schemars(default = "zero_only"))]
    pub residues: Cow<'static, [u16]>,
    /// The check digit for each remainder. `-` means "never issued" and `?` "use the weights of `then`".
    #[cfg_attr(feature = "json-schema", schemars(default))]
    pub check: Cow<'static, str>,
    /// The position of the check digit, negative from the end. The sum excludes it.
    #[cfg_attr(feature = "json-schema", schemars(default = "last"))]
    pub at: i8,
    /// Added to the sum.
    #[cfg_attr(feature = "json-schema", schemars(default))]
    pub offset: i16,
    /// The terms of the sum.
    #[cfg_attr(feature = "json-schema", schemars(default))]
    pub product: Product,
    /// Weights used if `check` has `?`. If their remainder has `?` too, the digit is 0.
    #[cfg_attr(feature = "json-schema", schemars(default))]
    pub then: Cow<'static, [i16]>,
    /// The position of a letter in this list is its value.
    #[cfg_attr(feature = "json-schema", schemars(default))]
    pub alphabet: Cow<'static, str>,
    /// The weights repeat.
    #[cfg_attr(feature = "json-schema", schemars(default))]
    pub cyclic: bool,
}

/// The terms of a weighted sum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub enum Product {
    /// The products themselves.
    #[default]
    Plain,
    /// The digits of each product.
    DigitSum,
}

/// The whole number modulo `modulus`.
///
/// The remainder is one of `residues`, or determines the check digits.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct Integer {
    /// The divisor.
    pub modulus: u32,
    /// The valid remainders.
    #[cfg_attr(feature = "json-schema", schemars(default = "zero_only"))]
    pub residues: Cow<'static, [u16]>,
    /// The number of check digits at the end. They are the remainder of the digits before them.
    #[cfg_attr(feature = "json-schema", schemars(default))]
    pub check_len: u8,
    /// The check digits are `modulus` minus the remainder.
    #[cfg_attr(feature = "json-schema", schemars(default))]
    pub complement: bool,
    /// The last character for each remainder of the preceding digits.
    #[cfg_attr(feature = "json-schema", schemars(default))]
    pub check: Cow<'static, str>,
}

impl Check {
    /// Whether values of a length have check digits.
    ///
    /// # Examples
    /// ```
    /// use textveil_schema::Check;
    ///
    /// let check = r#"{"rule": "by_length", "lengths": {"9": {"rule": "none"}, "10": {"rule": "luhn"}}}"#;
    /// let check: Check = serde_json::from_str(check)?;
    /// assert!(check.applies(10));
    /// assert!(!check.applies(9) && !check.applies(8));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[inline]
    pub fn applies(&self, length: usize) -> bool {
        match self {
            Self::None => false,
            Self::ByLength { lengths } => lengths
                .iter()
                .find(|(named, _)| usize::from(*named) == length)
                .is_some_and(|(_, check)| check.applies(length)),
            _ => true,
        }
    }
}

#[inline]
fn one() -> u8 {
    1
}

#[inline]
fn last() -> i8 {
    -1
}

#[inline]
fn zero_only() -> Cow<'static, [u16]> {
    Cow::Borrowed(&[0])
}

impl FromTree for Check {
    #[inline]
    fn from_tree(tree: &Tree<'_>) -> Result<Self, Fault> {
        tree.object(|fields| {
            let rule: String = fields.required("rule");
            let only = |name: &str| fields.only(&["rule", name]);
            match rule.as_str() {
                "none" => Self::None,
                "luhn" => {
                    only("prefix");
                    Self::Luhn { prefix: fields.or("prefix", Cow::default()) }
                }
                "weighted" => Self::Weighted(Weighted::from_fields(fields)),
                "integer" => Self::Integer(Integer::from_fields(fields)),
                "mod97" => {
                    only("residue");
                    Self::Mod97 { residue: fields.or("residue", one()) }
                }
                "mod11_10" => Self::Mod11_10,
                "mod11_2" => Self::Mod11_2,
                "mod37_36" => Self::Mod37_36,
                "verhoeff" => Self::Verhoeff,
                "part" => {
                    fields.only(&["rule", "from", "to", "check"]);
                    Self::Part {
                        from: fields.or("from", 0),
                        to: fields.optional("to"),
                        check: Cow::Owned(vec![fields.required("check")]),
                    }
                }
                "all" => {
                    only("checks");
                    Self::All { checks: fields.required("checks") }
                }
                "any" => {
                    only("checks");
                    Self::Any { checks: fields.required("checks") }
                }
                "by_length" => {
                    only("lengths");
                    let Lengths(lengths) = fields.required("lengths");
                    Self::ByLength { lengths: Cow::Owned(lengths) }
                }
                "function" => {
                    only("name");
                    Self::Function { name: fields.required("name"), call: None }
                }
                _ => {
                    // the rule says which fields there are
                    fields.ignore_others();
                    fields.refuse(Fault::default());
                    Self::None
                }
            }
        })
    }
}

/// Checks by length, each a field whose name is a number.
#[derive(Default)]
struct Lengths(Vec<(u8, Check)>);

impl FromTree for Lengths {
    #[inline]
    fn from_tree(tree: &Tree<'_>) -> Result<Self, Fault> {
        let mut lengths = Vec::new();
        for (length, check) in tree.entries()? {
            let length = length.parse().map_err(|_| Fault::default())?;
            lengths.push((length, Check::from_tree(check)?));
        }
        Ok(Self(lengths))
    }
}

deserialize_by_tree!(Check);

impl Weighted {
    /// Reads the fields next to the name of its rule.
    #[inline]
    fn from_fields(fields: &Fields<'_>) -> Self {
        fields.only(&[
            "rule", "weights", "modulus", "residues", "check", "at", "offset", "product", "then", "alphabet",
            "cyclic",
        ]);
        Self {
            weights: fields.required("weights"),
            modulus: fields.required("modulus"),
            residues: fields.or("residues", zero_only()),
            check: fields.or("check", Cow::default()),
            at: fields.or("at", last()),
            offset: fields.or("offset", 0),
            product: fields.or("product", Product::Plain),
            then: fields.or("then", Cow::default()),
            alphabet: fields.or("alphabet", Cow::default()),
            cyclic: fields.or("cyclic", false),
        }
    }
}

impl FromTree for Product {
    #[inline]
    fn from_tree(tree: &Tree<'_>) -> Result<Self, Fault> {
        named(tree)
    }
}

impl Integer {
    /// Reads the fields next to the name of its rule.
    #[inline]
    fn from_fields(fields: &Fields<'_>) -> Self {
        fields.only(&["rule", "modulus", "residues", "check_len", "complement", "check"]);
        Self {
            modulus: fields.required("modulus"),
            residues: fields.or("residues", zero_only()),
            check_len: fields.or("check_len", 0),
            complement: fields.or("complement", false),
            check: fields.or("check", Cow::default()),
        }
    }
}

fn write_single<S: Serializer>(check: &[Check], to: S) -> Result<S::Ok, S::Error> {
    check.first().serialize(to)
}

fn write_by_length<S: Serializer>(lengths: &[(u8, Check)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(lengths.iter().map(|(length, check)| (length, check)))
}
