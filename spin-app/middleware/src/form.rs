//! `application/x-www-form-urlencoded`.

use form_urlencoded::{Serializer, parse};
use textveil_documents::Value;

use crate::{filter::Filter, refusal::Refusal};

/// The output of a lossy decoder for bytes that are not UTF-8.
const REPLACEMENT: char = '\u{fffd}';

/// Filters the values of a form, each with its name as the label. A name that is more than a label is
/// filtered too.
///
/// # Errors
/// As [`Filter::values`]; `Malformed` if a field is not UTF-8: another decoder may read it differently.
pub(crate) fn filtered(filter: &Filter, form: &str) -> Result<String, Refusal> {
    let fields: Vec<_> = parse(form.as_bytes()).collect();
    let mut values = Vec::with_capacity(fields.len() * 2);
    for (name, value) in &fields {
        if [name, value].iter().any(|text| text.contains(REPLACEMENT)) {
            return Err(Refusal::Malformed("a field of the form is not valid UTF-8"));
        }
        let is_label = !name.contains(|letter: char| letter.is_numeric() || letter == '@');
        let named = if is_label { String::new() } else { name.to_string() };
        values.push(Value::plain(None, named));
        values.push(Value::plain(Some(name.to_string()), value.to_string()));
    }
    let changed = filter.values(&values)?;
    if changed.iter().all(Option::is_none) {
        return Ok(form.to_owned());
    }
    let mut out = Serializer::new(String::with_capacity(form.len()));
    for ((name, value), changed) in fields.iter().zip(changed.chunks(2)) {
        let [new_name, new_value] = changed else { continue };
        let (name, value) = (new_name.as_deref().unwrap_or(name), new_value.as_deref().unwrap_or(value));
        out.append_pair(name, value);
    }
    Ok(out.finish())
}
