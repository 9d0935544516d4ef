//! Reports what a text in base64 contains, with the range of its run.

use std::ops::Range;

use super::plan::Plan;
use crate::{
    api::{
        entity::{Entity, Fact, Metadata, Span},
        options::Preset,
    },
    phrase::work::{Stage, Work},
    text::{
        encoded::{EncodedText, encoded_texts},
        offsets::Offsets,
    },
};

/// The number of texts in base64 within each other that are searched.
const MAX_DEPTH: usize = 2;
/// The fact that check digits hold.
const CHECKED: &str = "checksum_valid";
/// The type of an e-mail address.
const EMAIL: &str = "email";

/// Adds the runs from `from` on that contain personal data, in the order of the text. `depth` is the number of runs around the text.
///
/// `aggressive` reports all runs with a finding, the other presets those with a value that has a check digit, with an e-mail
/// address, or with a finding of the caller's own detectors and lists. A run that another finding covers, such as a token, is that finding's.
pub(crate) fn add(
    text: &str,
    from: usize,
    depth: usize,
    plan: &Plan,
    entities: &mut Vec<Entity>,
    work: &Work,
) {
    if depth >= MAX_DEPTH {
        return;
    }
    let runs = encoded_texts(text);
    work.add(Stage::Fold, text.len() / 8);
    let mut offsets = None;
    for run in runs.into_iter().filter(|run| from <= run.place.start) {
        let EncodedText { place, text: inside, .. } = run;
        let covers = |entity: &Entity| entity.bytes.start <= place.start && place.end <= entity.bytes.end;
        let next = entities.partition_point(|entity| entity.bytes.end <= place.start);
        if entities.get(next).is_some_and(covers) {
            continue;
        }
        let found = super::find(&inside, depth + 1, plan, &[], None, work).entities;
        if let Some(best) = surest(found.into_iter().filter(|entity| tells(entity, plan))) {
            let offsets = offsets.get_or_insert_with(|| Offsets::new(text, plan.unit));
            cover(text, place, best, offsets, entities);
        }
    }
}

/// Returns the finding with the highest confidence, the first of several.
pub(super) fn surest(found: impl Iterator<Item = Entity>) -> Option<Entity> {
    found.reduce(|best, entity| if entity.confidence > best.confidence { entity } else { best })
}

/// Adds a finding in another written form of a place.
///
/// It takes the place of the findings that meet it, and what these cover beside it stays covered.
pub(super) fn cover(
    text: &str,
    place: Range<usize>,
    found: Entity,
    offsets: &Offsets<'_>,
    entities: &mut Vec<Entity>,
) {
    let next = entities.partition_point(|entity| entity.bytes.end <= place.start);
    let meets = |entity: &Entity| entity.bytes.start < place.end;
    let met = entities.iter().skip(next).take_while(|entity| meets(entity)).count();
    let replaced = entities.get(next..next + met).unwrap_or_default();
    let start = replaced.first().map_or(place.start, |first| first.bytes.start.min(place.start));
    let end = replaced.last().map_or(place.end, |last| last.bytes.end.max(place.end));
    let entity = Entity {
        original: text.get(start..end).unwrap_or_default().to_owned(),
        span: offsets.span(start, end),
        bytes: Span { start, end },
        metadata: facts_of_form(&found),
        evidence: Vec::new(),
        ..found
    };
    entities.splice(next..next + met, [entity]);
}

/// Whether a finding tells that a run contains personal data, and not letters that look like it by chance.
fn tells(entity: &Entity, plan: &Plan) -> bool {
    plan.preset == Preset::Aggressive
        || entity.kind == EMAIL
        || is_checked(entity)
        || plan.customs.names(&entity.kind)
}

/// Whether the check digits of a value hold.
fn is_checked(entity: &Entity) -> bool {
    entity.validated && entity.metadata.get(CHECKED) == Some(&Fact::Flag(true))
}

/// Returns the facts about a value that also hold for its other written form.
fn facts_of_form(entity: &Entity) -> Metadata {
    let mut facts = Metadata::default();
    if is_checked(entity) {
        facts.flag(CHECKED, true);
    }
    facts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DetectOptions, api::options::DenyRule, detect};

    #[test]
    fn an_entry_of_a_deny_list_is_found_in_a_run() {
        let deny = vec![DenyRule { value: "Project Zircon".to_owned(), kind: None }];
        let options = DetectOptions { deny_list: deny, ..DetectOptions::default() };
        let text = "payload=dGhlIFByb2plY3QgWmlyY29uIGlzIHNlY3JldA==";
        let kinds = |options: &DetectOptions| detect(text, options).unwrap().entities.len();
        assert_eq!((kinds(&options), kinds(&DetectOptions::default())), (1, 0));
    }

    /// A finding that reaches into a run stays covered beside it.
    #[test]
    fn a_run_takes_nothing_from_a_finding_beside_it() {
        let text = "Jan payload=YW5uYS5rZWxsZXJAZXhhbXBsZS5jb20=";
        let options = DetectOptions::default();
        let plan = Plan::new(&options).unwrap();
        let [run] = detect(text, &options).unwrap().entities.try_into().unwrap();
        assert_eq!(run.bytes, Span { start: 12, end: text.len() });
        for (start, end, expected) in [(0, 20, 0), (4, 11, 12), (14, 20, 12)] {
            let mut entities = vec![Entity { bytes: Span { start, end }, ..run.clone() }];
            add(text, 0, 0, &plan, &mut entities, &Work::default());
            let last = entities.last().unwrap();
            assert_eq!(last.bytes, Span { start: expected, end: text.len() });
            assert_eq!(last.original, text[expected..]);
        }
    }
}
