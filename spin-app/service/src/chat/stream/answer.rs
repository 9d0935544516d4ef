//! The state that all texts of an answer share.

use std::{collections::BTreeMap, fmt, mem};

use textveil_engine::{Action, Context, Protected, limits::MAX_PATTERN_BYTES};
use textveil_restore::{Hosts, Transcripts};

use super::{
    ROLE, TextStream,
    window::{MAX_STRETCH, MIN_WINDOW},
};
use crate::{
    chat::{
        call::ToolCall,
        placeholder::{Placeholders, RestoreCounts},
        protect::{ActionCounts, Guard, Rules, replacement},
    },
    error::ApiError,
};

/// The shared state of the texts of one answer.
pub struct Answer<R> {
    pub(super) guard: Guard<R>,
    pub(super) placeholders: Placeholders,
    /// Placeholders of values that the model emitted; they are not restored.
    pub(super) emitted: Placeholders,
    pub(super) counts: RestoreCounts,
    /// The state of the application's readers of the answer.
    pub(super) transcripts: Transcripts,
    /// The same for readers of the events that repeat whole texts, by the name of those.
    repeated: BTreeMap<&'static str, Transcripts>,
    /// The country evidence of the request, from which each text of the answer starts.
    pub(super) context: Context,
    pub(super) window: usize,
    /// An output policy may change or block the model's own text.
    pub(super) is_changed: bool,
}

impl<R> Answer<R> {
    /// Returns what the application has read of the answer.
    pub(in crate::chat) fn transcripts(&mut self) -> &mut Transcripts {
        &mut self.transcripts
    }

    /// Returns the placeholders of the request.
    pub(in crate::chat) fn placeholders(&self) -> &Placeholders {
        &self.placeholders
    }
}

impl<R: Rules> Answer<R> {
    /// Creates the answer to the request of these placeholders and this context. `window` is the maximum
    /// number of characters to wait for.
    pub fn new(guard: Guard<R>, placeholders: Placeholders, context: Context, window: usize) -> Self {
        // an entry of a list may be as long as a pattern, and is found only when complete
        let least = if guard.finds_any_words() { MAX_PATTERN_BYTES } else { MIN_WINDOW };
        Self {
            is_changed: guard.changes(ROLE),
            guard,
            emitted: placeholders.clone(),
            placeholders,
            counts: RestoreCounts::default(),
            transcripts: Transcripts::default(),
            repeated: BTreeMap::new(),
            context,
            window: window.clamp(least, MAX_STRETCH),
        }
    }

    /// Lets values go to these hosts.
    pub fn to_hosts(self, hosts: Hosts) -> Self {
        Self { transcripts: Transcripts::new(hosts), ..self }
    }

    /// Returns the counts of restored placeholders so far.
    pub fn restores(&self) -> RestoreCounts {
        self.counts
    }

    /// Returns the counts of findings that the model emitted so far, by type and action.
    pub fn emitted(&self) -> &ActionCounts {
        self.guard.counts()
    }

    /// Runs `work` on a repetition of texts that are counted already, without counting it again.
    ///
    /// `reader` names the events of the repetition: an application that reads only these joins them.
    ///
    /// # Errors
    /// The error of `work`.
    pub fn uncounted<T>(
        &mut self,
        reader: &'static str,
        work: impl FnOnce(&mut Self) -> Result<T, ApiError>,
    ) -> Result<T, ApiError> {
        let (counts, found) = (self.counts, self.guard.counts().clone());
        let done = self.for_reader(reader, work);
        self.counts = counts;
        self.guard.recount(found);
        done
    }

    /// Runs `work` on texts that only this reader of the answer joins with its other texts.
    ///
    /// # Errors
    /// The error of `work`.
    pub fn for_reader<T>(
        &mut self,
        reader: &'static str,
        work: impl FnOnce(&mut Self) -> Result<T, ApiError>,
    ) -> Result<T, ApiError> {
        let own = self.repeated.remove(reader).unwrap_or_else(|| self.transcripts.anew());
        let others = mem::replace(&mut self.transcripts, own);
        let done = work(self);
        self.repeated.insert(reader, mem::replace(&mut self.transcripts, others));
        done
    }

    /// Runs `work` on a whole answer, which is not joined with what was read before.
    ///
    /// # Errors
    /// The error of `work`.
    pub fn for_whole<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, ApiError>,
    ) -> Result<T, ApiError> {
        self.repeated.remove("whole");
        self.uncounted("whole", work)
    }

    /// Protects a text without a label, as [`TextStream::whole`].
    ///
    /// # Errors
    /// As [`TextStream::push`].
    pub fn text(&mut self, text: &str) -> Result<String, ApiError> {
        match self.word(text) {
            Some(word) => Ok(word),
            None => Ok(TextStream::default().whole(self, text)?.0),
        }
    }

    /// Restores a text that is a name or an identifier of the request, with placeholders inside.
    pub(in crate::chat) fn word(&mut self, text: &str) -> Option<String> {
        let word = self.placeholders.word(text)?.to_owned();
        self.counts.restored += 1;
        Some(word)
    }

    /// Whether a call may receive the value of a placeholder in its arguments.
    pub(super) fn may_have(&self, call: &ToolCall, name: &str) -> bool {
        if call.names_foreign() {
            return false;
        }
        // nobody knows who said the value of a token
        let Some(source) = self.placeholders.source(name) else { return !self.placeholders.is_token(name) };
        self.guard.restores(source, call.tool()).unwrap_or_else(|| !source.is_of_other_tools(call.tool()))
    }

    /// Returns the replacement of a finding that the model emitted.
    pub(super) fn replacement(&mut self, protected: &Protected) -> Result<String, ApiError> {
        let entity = &protected.entity;
        let masked = protected.action == Some(Action::Mask);
        // its placeholder is one of the request's, which are restored: the caller's own value
        if masked && self.placeholders.has(&entity.kind, entity.referent()) {
            return Ok(entity.original.clone());
        }
        replacement(protected, &mut self.emitted)
    }
}

/// Omits the values.
impl<R> fmt::Debug for Answer<R> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Answer").field("counts", &self.counts).finish_non_exhaustive()
    }
}
