//! Reports numbers and e-mail addresses that are dictated in words, with the range of their words.

use super::{
    Report,
    encoded::{cover, surest},
    search,
};
use crate::{
    api::entity::Entity,
    country::infer::Clues,
    evidence::{labels::Labels, persons::Persons},
    phrase::work::Stage,
    text::fold::Folded,
};

/// The text of the line around the words that is read with what they dictate, in bytes.
const BEFORE: usize = 64;
const BEHIND: usize = 24;

impl Report<'_> {
    /// Adds what words dictate, each judged with the words around it.
    pub(super) fn add_dictated(&self, dictated: &[textveil_names::Candidate], entities: &mut Vec<Entity>) {
        let text = &*self.folded.text;
        for candidate in dictated {
            let (start, end) = (candidate.start as usize, candidate.end as usize);
            let (Some(before), Some(behind)) = (text.get(..start), text.get(end..)) else { continue };
            let before =
                before.get(before.ceil_char_boundary(start.saturating_sub(BEFORE))..).unwrap_or_default();
            let before = before.rsplit('\n').next().unwrap_or_default();
            let behind = behind.get(..behind.floor_char_boundary(BEHIND)).unwrap_or_default();
            let behind = behind.split('\n').next().unwrap_or_default();
            let place = before.len()..before.len() + candidate.said.len();
            let found = self.find_in(&[before, &candidate.said, behind].concat()).into_iter();
            let is_whole =
                |entity: &Entity| entity.bytes.start <= place.start && place.end <= entity.bytes.end;
            if let Some(best) = surest(found.filter(is_whole)) {
                let (start, end) = self.folded.original(start, end);
                cover(self.text, start..end, best, &self.offsets, entities);
            }
        }
    }

    /// Finds personal data in another text, which is about the same countries.
    fn find_in(&self, text: &str) -> Vec<Entity> {
        self.work.add(Stage::Fold, text.len());
        let Self { plan, countries, work, .. } = *self;
        let folded = Folded::new(text, work);
        let labels = Labels::new(&folded.text, plan.customs.vocabulary(), work);
        let mut found = search(text, &folded, 0, plan, &mut Clues::default(), labels, work);
        Report::new(text, &folded, countries, plan, work).entities(&mut found, &mut Persons::default())
    }
}
