//! The contexts in which the texts of a request are read.

use textveil_engine::{Belief, Context, Entity, Error, Work};

use super::{Guard, Rules};
use crate::{chat::request::At, order};

/// The contexts of a body's texts, such that a value that is replaced in one turn is replaced in all
/// following turns.
///
/// Earlier messages are country evidence for later ones, never the reverse. So a conversation is read the
/// same in each of its turns, whatever the rest of the request is. The rest is read with its own evidence,
/// and once more with the conversation's whenever its belief changes: a new turn can only add findings there.
pub(super) struct Readings {
    /// The body has texts outside the conversation.
    pub(super) has_beside: bool,
    conversation: Context,
    /// The contexts for reading the rest of the request, one for each belief.
    beside: Vec<(Belief, Context)>,
    /// The steps so far: all texts of a request share the budget for custom detectors.
    pub(super) work: Work,
}

/// The maximum number of readings of the rest of a request: few conversations mention that many countries.
const MAX_READINGS: usize = 8;

impl Default for Readings {
    fn default() -> Self {
        Self {
            has_beside: true,
            conversation: Context::default(),
            beside: vec![Default::default()],
            work: Work::default(),
        }
    }
}

impl Readings {
    pub(super) fn find<R: Rules>(
        &mut self,
        guard: &Guard<R>,
        at: At<'_>,
        text: &str,
        from: usize,
    ) -> Result<Vec<Entity>, Error> {
        if at.beside { self.find_beside(guard, text, from) } else { self.find_said(guard, text, from) }
    }

    fn find_said<R: Rules>(
        &mut self,
        guard: &Guard<R>,
        text: &str,
        from: usize,
    ) -> Result<Vec<Entity>, Error> {
        let found = guard.finder.find(text, from, &mut self.conversation, &self.work)?;
        if !self.has_beside {
            return Ok(found);
        }
        let believed = guard.finder.belief(&self.conversation);
        let is_new = self.beside.iter().all(|(known, _)| *known != believed);
        if is_new && self.beside.len() < MAX_READINGS {
            self.beside.push((believed, self.conversation.clone()));
        }
        Ok(found)
    }

    fn find_beside<R: Rules>(
        &mut self,
        guard: &Guard<R>,
        text: &str,
        from: usize,
    ) -> Result<Vec<Entity>, Error> {
        let mut all: Vec<Entity> = Vec::new();
        for (_, context) in &mut self.beside {
            // a known name is found at any place
            context.swap_names(&mut self.conversation);
            for entity in guard.finder.find(text, from, context, &self.work)? {
                let is_apart = |known: &Entity| {
                    known.bytes.end <= entity.bytes.start || entity.bytes.end <= known.bytes.start
                };
                if all.iter().all(is_apart) {
                    all.push(entity);
                }
            }
            context.swap_names(&mut self.conversation);
        }
        order::sort_by_key(&mut all, |entity| entity.bytes.start);
        Ok(all)
    }

    /// Returns the context of the answer: the belief at the end of the conversation, with the evidence of the
    /// rest of the request and with all names.
    pub(super) fn for_the_answer<R>(mut self, guard: &Guard<R>) -> Context {
        if !self.has_beside {
            return self.conversation;
        }
        let believed = guard.finder.belief(&self.conversation);
        let at = self.beside.iter().position(|(known, _)| *known == believed);
        let last = self.beside.len().saturating_sub(1);
        let (_, mut context) = self.beside.into_iter().nth(at.unwrap_or(last)).unwrap_or_default();
        context.swap_names(&mut self.conversation);
        context
    }
}
