//! Mode `policy`: selects the caller's policy that decides on a finding.
//!
//! The highest priority wins, ties go to the stricter action; a default policy decides only if no other one
//! applies.

use crate::{
    api::{
        entity::{Category, Country, Entity},
        error::Error,
        limits::MAX_POLICIES,
        options::{Action, Condition, Policy},
    },
    detect::plan,
    text::order,
};

/// A compiled policy.
pub(super) struct Rule {
    pub name: String,
    pub action: Action,
    conditions: Vec<Ready>,
}

/// A condition, its names resolved.
struct Ready {
    confidence_min: f64,
    kinds: Option<Vec<String>>,
    not_kinds: Vec<String>,
    countries: Option<Vec<Country>>,
    categories: Option<Vec<Category>>,
    validated: Option<bool>,
    min_count: usize,
}

/// Compiles the policies, in the order in which they are tried.
///
/// # Errors
/// `invalid_request` naming the policy's field at fault.
pub(super) fn compile(policies: &[Policy]) -> Result<Vec<Rule>, Error> {
    if policies.len() > MAX_POLICIES {
        return Err(Error::invalid("policies", "has more than 200 entries; send fewer"));
    }
    let mut ordered: Vec<(usize, &Policy)> = policies.iter().enumerate().collect();
    order::sort(&mut ordered, |(_, a), (_, b)| {
        a.is_default.cmp(&b.is_default).then(b.priority.cmp(&a.priority)).then(b.action.cmp(&a.action))
    });
    ordered
        .into_iter()
        .map(|(index, policy)| {
            if policy.conditions.len() > MAX_POLICIES {
                return Err(Error::invalid(
                    format!("policies[{index}].conditions"),
                    "has more than 200 entries; send fewer",
                ));
            }
            let ready = policy
                .conditions
                .iter()
                .enumerate()
                .map(|(at, condition)| ready(condition, &format!("policies[{index}].conditions[{at}]")));
            Ok(Rule {
                name: policy.name.clone(),
                action: policy.action,
                conditions: ready.collect::<Result<_, _>>()?,
            })
        })
        .collect()
}

/// Returns the first policy that applies to a finding; `count` is the number of findings of its type.
pub(super) fn decide<'r>(rules: &'r [Rule], entity: &Entity, count: usize) -> Option<&'r Rule> {
    rules.iter().find(|rule| {
        rule.conditions.is_empty() || rule.conditions.iter().any(|condition| condition.holds(entity, count))
    })
}

impl Ready {
    fn holds(&self, entity: &Entity, count: usize) -> bool {
        let of = |kinds: &[String]| kinds.iter().any(|kind| *kind == entity.kind);
        entity.confidence >= self.confidence_min
            && self.kinds.as_deref().is_none_or(of)
            && !of(&self.not_kinds)
            && self
                .countries
                .as_ref()
                .is_none_or(|known| entity.country.is_some_and(|country| known.contains(&country)))
            && self.categories.as_ref().is_none_or(|known| known.contains(&entity.category))
            && self.validated.is_none_or(|validated| validated == entity.validated)
            && count >= self.min_count
    }
}

fn ready(condition: &Condition, field: &str) -> Result<Ready, Error> {
    let confidence_min = condition.confidence_min.unwrap_or_default();
    if !(0.0..=1.0).contains(&confidence_min) {
        return Err(Error::invalid(format!("{field}.confidence_min"), "must be a number from 0 to 1"));
    }
    let countries = condition.countries.as_ref().map(|codes| {
        let parsed = codes.iter().map(|code| Country::parse(code));
        parsed.collect::<Option<Vec<_>>>().ok_or_else(|| {
            Error::invalid(format!("{field}.countries"), "must be a list of ISO 3166-1 alpha-2 codes")
        })
    });
    Ok(Ready {
        confidence_min,
        kinds: condition.entity_types.as_deref().map(kinds),
        not_kinds: kinds(&condition.exclude_entity_types),
        countries: countries.transpose()?,
        categories: condition.categories.clone(),
        validated: condition.validated,
        min_count: condition.min_count.unwrap_or_default(),
    })
}

/// Returns the types of these names, with aliases resolved; a name that is not in the catalogue is that of a
/// custom detector.
fn kinds(names: &[String]) -> Vec<String> {
    let resolve = |name: &String| {
        let own = name.trim().to_ascii_lowercase();
        plan::resolve(&own).map(str::to_owned).chain([own.clone()]).collect::<Vec<_>>()
    };
    names.iter().flat_map(resolve).collect()
}
