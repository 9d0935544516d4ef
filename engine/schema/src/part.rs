//! Conditions on fixed places of a value, in a file of the catalogue and in a custom detector.

use serde::Serialize;

use crate::tree::{Fault, FromTree, Tree, deserialize_by_tree};

/// Fixed places of a compact value and what they may contain.
///
/// The compact value is the text without its separators and without the literal prefix of its shape, with its letters in upper
/// case. All conditions that are given must hold, and at least one is given.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct Part {
    /// The first place, counted from 0; negative from the end.
    pub at: i8,
    /// The number of characters, or 0 up to the end. The default is 1.
    #[cfg_attr(feature = "json-schema", schemars(default = "one"))]
    pub len: u8,
    /// The length of the values that have this part; 0 for all.
    #[cfg_attr(feature = "json-schema", schemars(default))]
    pub length: u8,
    /// The smallest number that may be there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<u32>,
    /// The largest number that may be there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<u32>,
    /// Numbers that are never there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "json-schema", schemars(default))]
    pub not: Vec<u32>,
    /// The characters that may be there.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[cfg_attr(feature = "json-schema", schemars(default))]
    pub chars: String,
    /// Strings that may be there, each of `len` characters.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "json-schema", schemars(default))]
    pub one_of: Vec<String>,
    /// Strings that are never there, each of `len` characters.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "json-schema", schemars(default))]
    pub none_of: Vec<String>,
    /// Numbers that may be there. An entry is a number, or a range such as `1-40`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "json-schema", schemars(default))]
    pub within: Vec<String>,
}

impl FromTree for Part {
    #[inline]
    fn from_tree(tree: &Tree<'_>) -> Result<Self, Fault> {
        tree.object(|fields| {
            fields
                .only(&["at", "len", "length", "min", "max", "not", "chars", "one_of", "none_of", "within"]);
            Self {
                at: fields.required("at"),
                len: fields.or("len", one()),
                length: fields.or("length", 0),
                min: fields.optional("min"),
                max: fields.optional("max"),
                not: fields.optional("not"),
                chars: fields.optional("chars"),
                one_of: fields.optional("one_of"),
                none_of: fields.optional("none_of"),
                within: fields.optional("within"),
            }
        })
    }
}

deserialize_by_tree!(Part);

#[inline]
fn one() -> u8 {
    1
}

/// Returns a place of a value of this length that may count from the end.
///
/// # Examples
/// ```
/// use textveil_schema::place;
///
/// assert_eq!((place(2, 11), place(-2, 11), place(-12, 11)), (2, 9, 0));
/// ```
#[inline]
pub fn place(at: i8, length: usize) -> usize {
    let by = usize::from(at.unsigned_abs());
    if at < 0 { length.saturating_sub(by) } else { by }
}
