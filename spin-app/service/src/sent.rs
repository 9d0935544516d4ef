//! Reads a JSON object of a request field by field, so that each error names its field and the expected
//! value.
//!
//! Null is equivalent to an absent field, unless the reader checks for it.

use std::ops::RangeInclusive;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::error::ApiError;

/// A JSON object of a request, or one inside it.
#[derive(Clone)]
pub(crate) struct Sent<'a> {
    /// Its path, such as `streaming` or `conditions[0]`; empty for the body.
    path: String,
    fields: &'a Map<String, Value>,
}

impl<'a> Sent<'a> {
    /// Reads the body of a request.
    ///
    /// # Errors
    /// `invalid_request` naming `body` if it is not an object.
    pub(crate) fn body(body: &'a Value) -> Result<Self, ApiError> {
        Self::at(String::new(), body).ok_or_else(|| ApiError::invalid("body", "body must be a JSON object"))
    }

    /// Returns the object at `path`; `None` if it is something else.
    pub(crate) fn at(path: String, value: &'a Value) -> Option<Self> {
        value.as_object().map(|fields| Self { path, fields })
    }

    /// Returns its path.
    pub(crate) fn place(&self) -> &str {
        &self.path
    }

    /// Returns the full name of one of its fields.
    pub(crate) fn field(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    /// Returns the names of its fields, which are the caller's text.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'a str> {
        self.fields.keys().map(String::as_str)
    }

    /// Returns the value of a field; `None` if it is absent or null.
    pub(crate) fn value(&self, name: &str) -> Option<&'a Value> {
        self.fields.get(name).filter(|value| !value.is_null())
    }

    /// Whether a field is null.
    pub(crate) fn is_null(&self, name: &str) -> bool {
        self.fields.get(name).is_some_and(Value::is_null)
    }

    /// Returns the error of a field, which must be `wanted`.
    pub(crate) fn refused(&self, name: &str, wanted: &str) -> ApiError {
        let field = self.field(name);
        ApiError::invalid(&field, format!("{field} must be {wanted}"))
    }

    /// Returns the error of the object itself, which must be `wanted`.
    pub(crate) fn wrong(&self, wanted: &str) -> ApiError {
        let place = &self.path;
        ApiError::invalid(place, format!("{place} must be {wanted}"))
    }

    /// Reads a required field.
    ///
    /// # Errors
    /// `invalid_request` naming it.
    pub(crate) fn required<T>(&self, name: &str, read: Option<T>) -> Result<T, ApiError> {
        let field = self.field(name);
        read.ok_or_else(|| ApiError::invalid(&field, format!("{field} is missing")))
    }

    /// Reads a field with `read`.
    ///
    /// # Errors
    /// `invalid_request` naming the field, which must be `wanted`; as for every reader here.
    pub(crate) fn read<T>(
        &self,
        name: &str,
        wanted: &str,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Result<Option<T>, ApiError> {
        let Some(value) = self.value(name) else { return Ok(None) };
        read(value).map(Some).ok_or_else(|| self.refused(name, wanted))
    }

    /// Reads an integer within `range`.
    ///
    /// # Errors
    /// See [`Sent::read`].
    pub(crate) fn integer<T>(&self, name: &str, range: RangeInclusive<i64>) -> Result<Option<T>, ApiError>
    where
        T: TryFrom<i64>,
    {
        let wanted = format!("an integer from {} to {}", range.start(), range.end());
        let within = |value: &Value| value.as_i64().filter(|number| range.contains(number));
        self.read(name, &wanted, |value| T::try_from(within(value)?).ok())
    }

    /// Reads a Boolean.
    ///
    /// # Errors
    /// See [`Sent::read`].
    pub(crate) fn flag(&self, name: &str) -> Result<Option<bool>, ApiError> {
        self.read(name, "true or false", Value::as_bool)
    }

    /// Reads one of several names, which `names` lists.
    ///
    /// # Errors
    /// See [`Sent::read`].
    pub(crate) fn choice<T: DeserializeOwned>(&self, name: &str, names: &str) -> Result<Option<T>, ApiError> {
        let chosen = |value: &Value| serde_json::from_value(Value::from(value.as_str()?)).ok();
        self.read(name, names, chosen)
    }

    /// Reads a string of limited length without terminal control characters.
    ///
    /// # Errors
    /// See [`Sent::read`].
    pub(crate) fn line(
        &self,
        name: &str,
        length: RangeInclusive<usize>,
    ) -> Result<Option<&'a str>, ApiError> {
        let wanted = format!("a string of {} to {} printable characters", length.start(), length.end());
        let fits = |text: &&str| length.contains(&text.chars().count()) && !text.contains(char::is_control);
        self.read(name, &wanted, |value| value.as_str().filter(fits))
    }

    /// Reads an object inside this one.
    ///
    /// # Errors
    /// See [`Sent::read`].
    pub(crate) fn object(&self, name: &str) -> Result<Option<Self>, ApiError> {
        self.read(name, "an object", |value| Self::at(self.field(name), value))
    }

    /// Reads a list of at most `most` objects.
    ///
    /// # Errors
    /// See [`Sent::read`]; the error names an entry that is not an object.
    pub(crate) fn objects(&self, name: &str, most: usize) -> Result<Option<Vec<Self>>, ApiError> {
        let field = self.field(name);
        let wanted = format!("a list of at most {most} objects");
        let list = self.read(name, &wanted, |value| value.as_array().filter(|list| list.len() <= most))?;
        let Some(list) = list else { return Ok(None) };
        let objects = list.iter().enumerate().map(|(index, value)| {
            let entry = format!("{field}[{index}]");
            Self::at(entry.clone(), value)
                .ok_or_else(|| ApiError::invalid(&entry, format!("{entry} must be an object")))
        });
        objects.collect::<Result<_, _>>().map(Some)
    }

    /// Reads a list of strings, each of which `fits`.
    ///
    /// # Errors
    /// See [`Sent::read`].
    pub(crate) fn strings(
        &self,
        name: &str,
        length: RangeInclusive<usize>,
        wanted: &str,
        fits: impl Fn(&str) -> bool,
    ) -> Result<Option<Vec<String>>, ApiError> {
        let wanted = format!("a list of {} to {} {wanted}", length.start(), length.end());
        let fitting = |value: &Value| value.as_str().filter(|text| fits(text)).map(str::to_owned);
        let all = |value: &Value| {
            let list = value.as_array().filter(|list| length.contains(&list.len()))?;
            list.iter().map(fitting).collect()
        };
        self.read(name, &wanted, all)
    }
}
