//! Reading an object that was sent field by field, so that each refusal names its field and says what to
//! send. A null is as good as an absent field, unless the reader asks for it.

use std::ops::RangeInclusive;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::error::ApiError;

/// An object that was sent, or one inside it.
#[derive(Clone)]
pub(crate) struct Sent<'a> {
    /// Where it stands, such as `streaming` or `conditions[0]`; empty for the body.
    path: String,
    fields: &'a Map<String, Value>,
}

impl<'a> Sent<'a> {
    /// The body of a request.
    ///
    /// # Errors
    /// `invalid_request` naming `body` where it is no object.
    pub(crate) fn body(body: &'a Value) -> Result<Self, ApiError> {
        Self::at(String::new(), body).ok_or_else(|| ApiError::invalid("body", "body must be a JSON object"))
    }

    /// The object at `path`; none where there is something else.
    pub(crate) fn at(path: String, value: &'a Value) -> Option<Self> {
        value.as_object().map(|fields| Self { path, fields })
    }

    /// Where it stands.
    pub(crate) fn place(&self) -> &str {
        &self.path
    }

    /// The full name of one of its fields.
    pub(crate) fn field(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    /// The names of its fields, which are the caller's text.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'a str> {
        self.fields.keys().map(String::as_str)
    }

    /// A field as it was sent; none where it is absent or null.
    pub(crate) fn value(&self, name: &str) -> Option<&'a Value> {
        self.fields.get(name).filter(|value| !value.is_null())
    }

    /// Whether a field was sent as null.
    pub(crate) fn is_null(&self, name: &str) -> bool {
        self.fields.get(name).is_some_and(Value::is_null)
    }

    /// The refusal of a field, which must be `wanted`.
    pub(crate) fn refused(&self, name: &str, wanted: &str) -> ApiError {
        let field = self.field(name);
        ApiError::invalid(&field, format!("{field} must be {wanted}"))
    }

    /// The refusal of the object itself, which must be `wanted`.
    pub(crate) fn wrong(&self, wanted: &str) -> ApiError {
        let place = &self.path;
        ApiError::invalid(place, format!("{place} must be {wanted}"))
    }

    /// A field that must be there.
    ///
    /// # Errors
    /// `invalid_request` naming it.
    pub(crate) fn required<T>(&self, name: &str, read: Option<T>) -> Result<T, ApiError> {
        let field = self.field(name);
        read.ok_or_else(|| ApiError::invalid(&field, format!("{field} is missing")))
    }

    /// A field that `read` understands.
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

    /// An integer within `range`.
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

    /// True or false.
    ///
    /// # Errors
    /// See [`Sent::read`].
    pub(crate) fn flag(&self, name: &str) -> Result<Option<bool>, ApiError> {
        self.read(name, "true or false", Value::as_bool)
    }

    /// One of several names, which `names` lists.
    ///
    /// # Errors
    /// See [`Sent::read`].
    pub(crate) fn choice<T: DeserializeOwned>(&self, name: &str, names: &str) -> Result<Option<T>, ApiError> {
        let chosen = |value: &Value| serde_json::from_value(Value::from(value.as_str()?)).ok();
        self.read(name, names, chosen)
    }

    /// A string of so many characters, none of which controls a terminal.
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

    /// An object inside this one.
    ///
    /// # Errors
    /// See [`Sent::read`].
    pub(crate) fn object(&self, name: &str) -> Result<Option<Self>, ApiError> {
        self.read(name, "an object", |value| Self::at(self.field(name), value))
    }

    /// A list of at most so many objects.
    ///
    /// # Errors
    /// See [`Sent::read`]; an entry that is something else is named.
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

    /// A list of so many strings, each of which `fits`.
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
