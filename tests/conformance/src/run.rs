//! Running cases on a surface, and two surfaces against each other.

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::{
    Surface, Verb, answer,
    corpus::Case,
    expectation::{differences, mismatches},
    offsets::{UNITS, slice},
};

/// The differences, one line each, with the case and the surface.
pub type Failures = Vec<String>;

/// Runs a case: its answer must be as expected, and of a detection, the offsets in each unit must cut
/// each finding out of its text.
///
/// # Errors
/// If the surface fails.
pub fn case(surface: &mut dyn Surface, case: &Case) -> Result<Failures> {
    if !surface.offers(case.verb) {
        return Ok(Vec::new());
    }
    let answer = call(surface, case, &case.request())?;
    let mut failures = mismatches(&Value::Object(case.expect.clone()), &answer);
    if case.verb == Verb::Detect && answer.get("error").is_none() {
        failures.extend(units(surface, case)?);
    }
    let name = surface.name();
    Ok(failures.into_iter().map(|failure| format!("{} ({name}): {failure}", case.name)).collect())
}

/// Runs a case in each unit: only the offsets may differ.
fn units(surface: &mut dyn Surface, case: &Case) -> Result<Failures> {
    let mut failures = Vec::new();
    let text = case.request.get("text").and_then(Value::as_str).unwrap_or_default();
    let mut first: Option<Value> = None;
    for (name, unit) in UNITS {
        let mut request = case.request();
        set(&mut request, "offset_unit", name);
        let found = call(surface, case, &request)?;
        for entity in found.get("entities").and_then(Value::as_array).into_iter().flatten() {
            let (start, end, original) = finding(entity)?;
            let piece = slice(text, unit, start, end);
            if piece.as_deref() != Some(original) {
                failures.push(format!("{start}..{end} in {name} is {piece:?}, not {original:?}"));
            }
        }
        let found = answer::without_offsets(found);
        match &first {
            None => first = Some(found),
            Some(first) => {
                let differ = differences(first, &found).into_iter();
                failures.extend(differ.map(|difference| format!("in {name} {difference}")));
            }
        }
    }
    Ok(failures)
}

fn finding(entity: &Value) -> Result<(usize, usize, &str)> {
    let offset = |name: &str| usize::try_from(entity.get(name)?.as_u64()?).ok();
    match (offset("start"), offset("end"), entity.get("original").and_then(Value::as_str)) {
        (Some(start), Some(end), Some(original)) => Ok((start, end, original)),
        _ => bail!("a finding without start, end or original: {entity}"),
    }
}

/// Runs a case on two surfaces and returns the differences between their answers.
///
/// A detection runs in each unit and with its evidence, so that these are compared too.
///
/// # Errors
/// If a surface fails.
pub fn agreement(first: &mut dyn Surface, second: &mut dyn Surface, case: &Case) -> Result<Failures> {
    if !first.offers(case.verb) || !second.offers(case.verb) {
        return Ok(Vec::new());
    }
    let mut requests = vec![case.request()];
    if case.verb == Verb::Detect {
        requests.extend(UNITS.map(|(unit, _)| {
            let mut request = case.request();
            set(&mut request, "offset_unit", unit);
            set(&mut request, "explain", true);
            request
        }));
    }
    let mut failures = Vec::new();
    for request in requests {
        let (one, other) = (call(first, case, &request)?, call(second, case, &request)?);
        let (one_name, other_name) = (first.name(), second.name());
        failures.extend(
            differences(&one, &other)
                .into_iter()
                .map(|difference| format!("{} ({one_name} against {other_name}): {difference}", case.name)),
        );
    }
    Ok(failures)
}

fn call(surface: &mut dyn Surface, case: &Case, request: &Value) -> Result<Value> {
    let answer = surface.call(case.verb, request);
    answer.map(answer::without_times).with_context(|| format!("{} failed at {}", surface.name(), case.name))
}

/// Sets an option, overriding the case.
fn set(request: &mut Value, name: &str, value: impl Into<Value>) {
    if let Value::Object(fields) = request {
        fields.insert(name.to_owned(), value.into());
    }
}
