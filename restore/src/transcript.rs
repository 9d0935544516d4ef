//! The texts of one answer, as their readers join them.
//!
//! An application joins the parts, blocks, items and choices of an answer, and a page shows them in a row. So a URL that is
//! split over parts stays a URL: nothing but its own end ends a construct. Some join all texts in the order of delivery,
//! others those of one choice; a value is restored only if neither of these nor its own text withholds it.

use std::{collections::VecDeque, sync::Arc};

use crate::{
    destination::{DestinationReader, End, Verdict},
    hosts::Hosts,
};

/// The most lanes of one answer; further ones share the last.
const MAX_LANES: usize = 256;

/// Texts that a reader joins, such as the content of one choice.
pub type Lane = Arc<str>;

/// The state that the readers of one answer share.
#[derive(Clone, Default)]
pub struct Transcripts {
    hosts: Arc<Hosts>,
    /// All texts.
    all: DestinationReader,
    /// The first lane; while there is no other, it is the same as all.
    first: Option<Lane>,
    lanes: Vec<(Lane, DestinationReader)>,
    texts: u64,
}

impl Transcripts {
    /// Begins an answer whose values may go to these hosts.
    pub fn new(hosts: Hosts) -> Self {
        Self { hosts: Arc::new(hosts), ..Self::default() }
    }

    /// Begins the answer anew, for a reader that sees only what follows.
    #[must_use]
    pub fn anew(&self) -> Self {
        Self { hosts: Arc::clone(&self.hosts), texts: self.texts, ..Self::default() }
    }

    /// Returns the hosts to which values may go.
    pub fn hosts(&self) -> &Hosts {
        &self.hosts
    }

    /// Whether a reader is within a URL of a host that is not allowed, or whose host is not known yet.
    pub fn is_in_url(&mut self) -> bool {
        let hosts = Arc::clone(&self.hosts);
        let is_in_url = |reader: &mut DestinationReader| {
            reader.set_owner(0);
            reader.is_begun_by_others(&hosts)
        };
        is_in_url(&mut self.all) | self.lanes.iter_mut().any(|(_, lane)| is_in_url(lane))
    }

    /// Ends the word that all readers are in.
    pub fn space(&mut self) {
        let hosts = Arc::clone(&self.hosts);
        self.all.text(" ", &hosts);
        self.lanes.iter_mut().for_each(|(_, lane)| lane.text(" ", &hosts));
    }

    /// Reads for all readers of a lane.
    fn each(&mut self, lane: &Lane, owner: u64, mut read: impl FnMut(&mut DestinationReader, &Hosts)) {
        let first = self.first.get_or_insert_with(|| Arc::clone(lane));
        if self.lanes.is_empty() && first != lane {
            self.lanes.push((Arc::clone(first), self.all.clone()));
        }
        let hosts = Arc::clone(&self.hosts);
        self.all.set_owner(owner);
        read(&mut self.all, &hosts);
        if self.lanes.is_empty() {
            return;
        }
        let place = self.lanes.iter().position(|(known, _)| known == lane).unwrap_or_else(|| {
            if self.lanes.len() < MAX_LANES {
                self.lanes.push((Arc::clone(lane), DestinationReader::default()));
            }
            self.lanes.len() - 1
        });
        if let Some((_, own)) = self.lanes.get_mut(place) {
            own.set_owner(owner);
            read(own, &hosts);
        }
    }
}

/// Texts stay out: only their number is shown.
impl std::fmt::Debug for Transcripts {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Transcripts({} texts)", self.texts)
    }
}

/// One text of an answer: decides on its placeholders, in order.
#[derive(Clone, Default)]
pub struct TextReader {
    own: DestinationReader,
    /// Its number in the answer.
    owner: Option<u64>,
    /// The texts that it is joined with; `None` for data that no reader joins.
    lane: Option<Lane>,
    /// For each value without a verdict, whether the texts before it withhold it.
    withheld: VecDeque<bool>,
}

impl TextReader {
    /// Reads a text that is joined with those of the same lane.
    pub fn of_lane(lane: Lane) -> Self {
        Self { lane: Some(lane), ..Self::default() }
    }

    /// Makes the text a string of JSON: if it begins with a URL, all of it is one.
    #[must_use]
    pub fn as_string(self) -> Self {
        Self { own: DestinationReader::of_string(), ..self }
    }

    /// Reads more of the text.
    pub fn text(&mut self, transcripts: &mut Transcripts, text: &str) {
        self.own.text(text, &transcripts.hosts);
        let owner = self.owner(transcripts);
        if let Some(lane) = &self.lane {
            transcripts.each(lane, owner, |reader, hosts| reader.text(text, hosts));
        }
    }

    /// Reads a placeholder with its `value`.
    pub fn value(&mut self, transcripts: &mut Transcripts, value: &str) {
        self.own.value(value, &transcripts.hosts);
        let owner = self.owner(transcripts);
        let mut is_withheld = false;
        if let Some(lane) = &self.lane {
            transcripts.each(lane, owner, |reader, hosts| {
                is_withheld |= reader.is_begun_by_others(hosts);
                reader.value(value, hosts);
                while reader.verdict().is_some() {}
            });
        }
        self.withheld.push_back(is_withheld);
    }

    /// Ends the text; every placeholder is then decided.
    pub fn end(&mut self, transcripts: &Transcripts, end: End) {
        self.own.end(end, &transcripts.hosts);
    }

    /// Returns the verdict on the next placeholder; `None` if it needs more text.
    pub fn verdict(&mut self) -> Option<Verdict> {
        let verdict = self.own.verdict()?;
        let is_withheld = self.withheld.pop_front().unwrap_or_default();
        Some(if is_withheld { Verdict::Withhold } else { verdict })
    }

    fn owner(&mut self, transcripts: &mut Transcripts) -> u64 {
        *self.owner.get_or_insert_with(|| {
            transcripts.texts += 1;
            transcripts.texts
        })
    }
}

/// The text stays out.
impl std::fmt::Debug for TextReader {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "TextReader({} values)", self.withheld.len())
    }
}
