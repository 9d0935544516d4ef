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
pub(super) struct CompiledPolicy {
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
pub(super) fn compile(policies: &[Policy]) -> Result<Vec<CompiledPolicy>, Error> {
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
            Ok(CompiledPolicy {
                name: policy.name.clone(),
                action: policy.action,
                conditions: ready.collect::<Result<_, _>>()?,
            })
        })
        .collect()
}

/// Returns the first policy that applies to a finding; `count` is the number of findings of its type.
pub(super) fn decide<'r>(
    rules: &'r [CompiledPolicy],
    entity: &Entity,
    count: usize,
) -> Option<&'r CompiledPolicy> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::entity::{Metadata, Span};

    fn entity(kind: &str, country: Option<&str>, confidence: f64, validated: bool) -> Entity {
        Entity {
            kind: kind.to_owned().into(),
            category: Category::Identity,
            original: "44051401359".to_owned(),
            country: country.and_then(Country::parse),
            confidence,
            validated,
            span: Span { start: 0, end: 11 },
            bytes: Span { start: 0, end: 11 },
            metadata: Metadata::default(),
            evidence: Vec::new(),
        }
    }

    fn policy(name: &str, priority: i64, action: Action, conditions: Vec<Condition>) -> Policy {
        Policy { name: name.to_owned(), priority, action, conditions, is_default: false }
    }

    #[test]
    fn conditions() {
        let found = entity("pesel", Some("PL"), 0.8, true);
        let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let any = Condition::default;
        for (condition, count, holds) in [
            (any(), 1, true),
            (Condition { confidence_min: Some(0.8), ..any() }, 1, true),
            (Condition { confidence_min: Some(0.81), ..any() }, 1, false),
            (Condition { entity_types: Some(list(&["pesel"])), ..any() }, 1, true),
            (Condition { entity_types: Some(list(&["PL_PESEL"])), ..any() }, 1, true),
            (Condition { entity_types: Some(list(&["email"])), ..any() }, 1, false),
            (Condition { entity_types: Some(list(&[])), ..any() }, 1, false),
            (Condition { exclude_entity_types: list(&["pesel"]), ..any() }, 1, false),
            (Condition { countries: Some(list(&["pl"])), ..any() }, 1, true),
            (Condition { countries: Some(list(&["DE"])), ..any() }, 1, false),
            (Condition { categories: Some(vec![Category::Identity]), ..any() }, 1, true),
            (Condition { categories: Some(vec![Category::Contact]), ..any() }, 1, false),
            (Condition { validated: Some(true), ..any() }, 1, true),
            (Condition { validated: Some(false), ..any() }, 1, false),
            (Condition { min_count: Some(2), ..any() }, 1, false),
            (Condition { min_count: Some(2), ..any() }, 2, true),
            // every part of a condition must hold
            (Condition { validated: Some(true), min_count: Some(2), ..any() }, 1, false),
        ] {
            let rules = compile(&[policy("one", 0, Action::Mask, vec![condition.clone()])]).unwrap();
            assert_eq!(decide(&rules, &found, count).is_some(), holds, "{condition:?} {count}");
        }
        // a finding without a country is of none
        let somewhere = Condition { countries: Some(list(&["PL"])), ..any() };
        let rules = compile(&[policy("one", 0, Action::Mask, vec![somewhere])]).unwrap();
        assert!(decide(&rules, &entity("email", None, 0.8, true), 1).is_none());
    }

    #[test]
    fn order_of_policies() {
        let default = |policy: Policy| Policy { is_default: true, ..policy };
        let never = || vec![Condition { min_count: Some(9), ..Condition::default() }];
        let of = |name: &str, priority, action| policy(name, priority, action, Vec::new());
        for (policies, want) in [
            (vec![of("low", 1, Action::Mask), of("high", 2, Action::Allow)], "high"),
            // of one priority the stricter
            (vec![of("allow", 1, Action::Allow), of("block", 1, Action::Block)], "block"),
            (vec![default(of("default", 9, Action::Mask)), of("other", 0, Action::Allow)], "other"),
            (
                vec![default(of("default", 0, Action::Mask)), policy("other", 9, Action::Allow, never())],
                "default",
            ),
        ] {
            let rules = compile(&policies).unwrap();
            let decided = decide(&rules, &entity("pesel", None, 0.8, true), 1).unwrap();
            assert_eq!(decided.name, want);
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        let refused = |condition: Condition| {
            let policies = [of_mask(Vec::new()), of_mask(vec![Condition::default(), condition])];
            compile(&policies).err().unwrap().field().map(str::to_owned)
        };
        fn of_mask(conditions: Vec<Condition>) -> Policy {
            policy("one", 0, Action::Mask, conditions)
        }
        let unsure = Condition { confidence_min: Some(2.0), ..Condition::default() };
        assert_eq!(refused(unsure).as_deref(), Some("policies[1].conditions[1].confidence_min"));
        let nowhere = Condition { countries: Some(vec!["Poland".to_owned()]), ..Condition::default() };
        assert_eq!(refused(nowhere).as_deref(), Some("policies[1].conditions[1].countries"));
        let many = vec![of_mask(Vec::new()); MAX_POLICIES + 1];
        assert_eq!(compile(&many).err().unwrap().field(), Some("policies"));
    }
}
