//! Reports what a text in base64 contains, with the range of its run.

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
/// `aggressive` reports all runs with a finding, the other presets those with a value that has a check digit, or with an
/// e-mail address. A run that another finding covers, such as a token, is that finding's.
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
        let next = entities.partition_point(|entity| entity.bytes.end <= place.start);
        let meets = |entity: &Entity| entity.bytes.start < place.end;
        let met = entities.iter().skip(next).take_while(|entity| meets(entity)).count();
        let covers = |entity: &Entity| entity.bytes.start <= place.start && place.end <= entity.bytes.end;
        if entities.get(next).is_some_and(covers) {
            continue;
        }
        let found = super::find(&inside, depth + 1, plan, &[], None, work).entities;
        let best = found
            .into_iter()
            .filter(|entity| tells(entity, plan))
            .reduce(|best, entity| if entity.confidence > best.confidence { entity } else { best });
        let Some(best) = best else { continue };
        let offsets = offsets.get_or_insert_with(|| Offsets::new(text, plan.unit));
        let entity = Entity {
            original: text.get(place.clone()).unwrap_or_default().to_owned(),
            span: offsets.span(place.start, place.end),
            bytes: Span { start: place.start, end: place.end },
            metadata: facts_of_run(&best),
            evidence: Vec::new(),
            ..best
        };
        // findings in the encoded form are replaced
        entities.splice(next..next + met, [entity]);
    }
}

/// Whether a finding tells that a run contains personal data, and not letters that look like it by chance.
fn tells(entity: &Entity, plan: &Plan) -> bool {
    plan.preset == Preset::Aggressive || entity.kind == EMAIL || is_checked(entity)
}

/// Whether the check digits of a value hold.
fn is_checked(entity: &Entity) -> bool {
    entity.validated && entity.metadata.get(CHECKED) == Some(&Fact::Flag(true))
}

/// Returns the facts about a value that also hold for its run, which has another written form.
fn facts_of_run(entity: &Entity) -> Metadata {
    let mut facts = Metadata::default();
    if is_checked(entity) {
        facts.flag(CHECKED, true);
    }
    facts
}
