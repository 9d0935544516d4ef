//! Reports numbers that a scanner or markup has broken, read another way.

use std::ops::Range;

use textveil_weights::confidence as weights;

use super::{Report, encoded::cover, values};
use crate::{
    api::entity::Entity,
    evidence::{labels::Labels, persons::Persons},
    phrase::work::Stage,
    text::reread::{Reread, reread},
};

/// The text before a broken place that is read again with it, and that behind it, in bytes.
const BEFORE: usize = 128;
const BEHIND: usize = 192;
/// The longest value, in bytes: one that begins farther behind a place is read with the next place.
const MAX_VALUE: usize = 64;
/// The signal of a label before or behind a value.
const LABEL: &str = "label";

impl Report<'_> {
    /// Adds what other readings of the lines around some places have: values that are valid and have a label.
    pub(super) fn add_broken(&self, places: &[u32], entities: &mut Vec<Entity>) {
        let mut done = 0;
        for place in places.iter().map(|place| *place as usize) {
            if place < done {
                continue;
            }
            let part = self.part_around(place);
            done = part.end.saturating_sub(MAX_VALUE).max(place + 1);
            let Some(again) = self.folded.text.get(part.clone()).and_then(reread) else { continue };
            for (found, places) in self.find_again(&part, &again) {
                let (start, end) =
                    self.folded.original(part.start + found.bytes.start, part.start + found.bytes.end);
                let covers = |entity: &Entity| entity.bytes.start <= start && end <= entity.bytes.end;
                let next = entities.partition_point(|entity| entity.bytes.end <= start);
                if entities.get(next).is_some_and(covers) {
                    continue;
                }
                for place in places {
                    let (start, end) = self.folded.original(part.start + place.start, part.start + place.end);
                    cover(self.text, start..end, found.clone(), &self.offsets, entities);
                }
            }
        }
    }

    /// Returns the part of a line around a place, in bytes of the copy.
    fn part_around(&self, place: usize) -> Range<usize> {
        let text = &*self.folded.text;
        let before = text.ceil_char_boundary(place.saturating_sub(BEFORE))..place;
        let behind = place..text.floor_char_boundary(place + BEHIND);
        let line = text.get(before.clone()).and_then(|before| before.rfind('\n'));
        let start = line.map_or(before.start, |end| before.start + end + 1);
        let line = text.get(behind.clone()).and_then(|behind| behind.find('\n'));
        start..line.map_or(behind.end, |end| behind.start + end)
    }

    /// Finds the values of another reading that the text as it is written has not, each with its places between tags.
    fn find_again(&self, part: &Range<usize>, again: &Reread<'_>) -> Vec<(Entity, Vec<Range<usize>>)> {
        let Self { plan, countries, work, .. } = *self;
        let text = self.folded.text.get(part.clone()).unwrap_or_default();
        work.add(Stage::Fold, text.len());
        let labels = Labels::new(&again.folded.text, plan.customs.vocabulary(), work);
        let mut found = values(text, &again.folded, 0, plan, labels, work);
        let report = Report { explain: true, ..Report::new(text, &again.folded, countries, plan, work) };
        let found = report.entities(&mut found, &mut Persons::default()).into_iter();
        let is_cut = |entity: &Entity| {
            entity.bytes.start == 0 && !self.begins_line(part.start)
                || entity.bytes.end == text.len() && !self.ends_line(part.end)
        };
        let is_other = |entity: &Entity| {
            let copied = again.folded.copied(entity.bytes.start)..again.folded.copied(entity.bytes.end);
            again.folded.text.get(copied) != Some(&*entity.original)
        };
        let is_sure = |entity: &Entity| {
            entity.validated
                && entity.evidence.iter().any(|signal| signal.signal == LABEL && signal.weight > 0.0)
        };
        let found = found.filter(|entity| is_sure(entity) && is_other(entity) && !is_cut(entity));
        let found = found.filter_map(|entity| {
            let confidence = (entity.confidence * weights::BROKEN * 10_000.0).round() / 10_000.0;
            let places = between(entity.bytes.start..entity.bytes.end, &again.tags, text);
            plan.is_sure(confidence).then_some((Entity { confidence, ..entity }, places))
        });
        found.collect()
    }

    fn begins_line(&self, at: usize) -> bool {
        at == 0 || self.folded.text.as_bytes().get(at - 1) == Some(&b'\n')
    }

    fn ends_line(&self, at: usize) -> bool {
        self.folded.text.as_bytes().get(at).is_none_or(|byte| *byte == b'\n')
    }
}

/// Returns the parts of a value between tags, without the white space around them.
fn between(value: Range<usize>, tags: &[Range<usize>], text: &str) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut from = value.start;
    let within = tags.iter().filter(|tag| value.start <= tag.start && tag.end <= value.end).cloned();
    for tag in within.chain(std::iter::once(value.end..value.end)) {
        let part = text.get(from..tag.start).unwrap_or_default();
        let start = from + part.len() - part.trim_start().len();
        if !part.trim().is_empty() {
            parts.push(start..start + part.trim().len());
        }
        from = tag.end;
    }
    parts
}
