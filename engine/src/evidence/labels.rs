//! The words around a candidate: labels such as `PESEL:`, read once and only near candidates.

use crate::{
    api::{entity::Country, limits::MAX_CUSTOM_DETECTORS},
    catalogue::{self, DETECTORS},
    evidence::{
        siblings::{self, Apparent, Heard, Likeness, ListJoint, Open, Pass, Sibling, Siblings},
        tables::tables,
    },
    lexicon::{self, CONNECTOR, COUNTED, PLURAL, WordList, vocabulary::Vocabulary},
    phrase::{
        Phrase,
        bytes::{DIGIT, WIDE, class_of},
        phrases,
        tables::{Cell, Head, Tables, humps},
        work::{Stage, Work},
    },
};

/// The longest distance from a context word to a following candidate, in bytes.
const BEFORE: usize = 96;
/// The longest distance from a label in a question to a following candidate, in bytes: the rest of the
/// question, and the time and the speaker of the answer, are between them.
const ASKED: usize = 200;
/// The longest distance from a label to the end of a turn without a question mark that asks for its value, in bytes.
const MAX_REQUEST: usize = 40;
/// The most lines from a question to its answer.
const MAX_TURNS: u32 = 4;
/// The longest name of a speaker, with the time before it, in bytes.
const MAX_SPEAKER: usize = 64;
/// The longest distance from a candidate to a following label, in bytes.
const AFTER: usize = 40;
/// The longest word that may be part of a label, in bytes: Thai writes several words in one.
const MAX_WORD: usize = 72;
/// The longest gap between a value and the label directly before it, in bytes.
const MAX_GAP: usize = 24;
/// A label of at most this length is an abbreviation, in bytes.
const MAX_SHORT: usize = 3;
/// The longest gap between an abbreviation and the value on the next line, in bytes.
const MAX_GAP_SHORT: usize = 3;
/// The longest gap between a value and a following label without a connecting word, in bytes.
const MAX_GAP_AFTER: usize = 16;
/// The longest gap between a label and the name of a country next to it, in bytes.
const MAX_NAME_GAP: usize = 2;
/// The shortest label that its value may directly follow, in bytes, and the minimum number of digits then:
/// identifiers themselves may begin with two letters.
const GLUED: usize = 3;
/// The maximum number of labels for one candidate; the nearest ones count.
const MAX_NEAR: usize = 16;
/// The maximum number of labels that a value tells those that follow it in a list; the nearest ones count.
const MAX_TOLD: usize = 4;
/// The initial capacity for the words around one candidate.
const FEW_WORDS: usize = 32;
/// The longest abbreviation, whose dot does not end a sentence, in bytes.
const MAX_ABBREVIATION: usize = 4;
/// The number of labels before a country's name that are checked: those that end at most a word before it.
const RECENT: usize = 8;
/// Names of countries shorter than this count in capitals only: `us` is a word.
const SHORT_NAME: usize = 4;

/// A word of the text, with the counts up to it since reading began.
#[derive(Clone, Copy, Debug, Default)]
struct Word {
    end: usize,
    before: Between,
    /// The country whose name ends with it.
    country: Option<Country>,
}

/// Counts of words, lines and breaks up to a place. The difference of two is the gap between their places.
#[derive(Clone, Copy, Debug, Default)]
struct Between {
    /// Words that do not connect a label with its value; one with a digit counts for four.
    others: u32,
    lines: u32,
    /// Ends of sentences and lines.
    breaks: u32,
}

/// A label in the text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit<'t> {
    start: usize,
    end: usize,
    /// Its length; in a stream, a label that is told may be in the text before.
    length: usize,
    uses: &'t [u16],
    /// The country whose name is next to it.
    country: Option<Country>,
    /// The counts up to its end.
    before: Between,
    /// It is part of a question, and the next turn of the dialogue may answer it.
    asked: bool,
    /// It is the head of a column.
    head: bool,
    /// It is a plural.
    plural: bool,
    /// It is the plural of a thing, which may be counted.
    counted: bool,
}

impl<'t> Hit<'t> {
    /// Returns the label at a place, apart from the text around it.
    fn new(start: usize, end: usize, uses: &'t [u16]) -> Self {
        let (mut plural, mut counted) = (false, false);
        for packed in uses {
            plural |= *packed == lexicon::packed_use(PLURAL, false);
            counted |= *packed == lexicon::packed_use(COUNTED, false);
        }
        Self {
            start,
            end,
            length: end - start,
            uses,
            country: None,
            before: Between::default(),
            asked: false,
            head: false,
            plural,
            counted,
        }
    }

    /// Whether it may be a word between a label and its value.
    fn connects(&self) -> bool {
        self.uses.contains(&lexicon::packed_use(CONNECTOR, false))
    }

    /// Whether the country's name next to it excludes this detector.
    fn is_foreign(&self, detector: u16) -> bool {
        self.country.is_some_and(|country| {
            catalogue::detector(detector)
                .is_some_and(|detector| detector.country.is_some() && !detector.of(country))
        })
    }

    /// Returns the context of a detector that has this label.
    fn says(&self, detector: u16, nearness: Nearness) -> NearLabel {
        let nearness = if self.is_foreign(detector) { nearness.further() } else { nearness };
        let Self { start, end, length, plural, .. } = *self;
        NearLabel { detector, nearness, start, end, length, plural }
    }

    /// Returns the uses that tell a type, or that a number is no personal data.
    fn types(&self) -> impl Iterator<Item = (u16, bool)> + use<'t> {
        let uses = self.uses.iter().map(|packed| lexicon::label_use(*packed));
        uses.filter(|(detector, _)| {
            !matches!(*detector, CONNECTOR | COUNTED | PLURAL) && lexicon::country_named(*detector).is_none()
        })
    }
}

/// The labels of a value, with their positions relative to the first value of its list.
type ToldLabels<'t> = Vec<(Hit<'t>, Nearness)>;

/// A list at the end of a text, for the text that continues it.
#[derive(Debug, Default)]
pub(crate) struct OpenList(Vec<Open<Vec<OwnHit>>>);

/// A label that outlives its text.
#[derive(Debug)]
struct OwnHit {
    uses: Vec<u16>,
    length: usize,
    country: Option<Country>,
    nearness: Nearness,
}

/// The position of a label relative to a candidate, the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Nearness {
    /// Directly before it, or directly after it in brackets.
    Direct,
    /// A few words away, or after it with a connecting word.
    Close,
    /// In the neighbourhood.
    Near,
}

impl Nearness {
    /// Returns the next weaker nearness.
    fn further(self) -> Self {
        match self {
            Self::Direct => Self::Close,
            Self::Close | Self::Near => Self::Near,
        }
    }
}

/// A label near a candidate, as evidence for a detector.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NearLabel {
    pub detector: u16,
    pub nearness: Nearness,
    pub start: usize,
    pub end: usize,
    pub length: usize,
    /// It is in the plural.
    pub plural: bool,
}

/// The number of detectors of a call: those of the catalogue, then those of the caller.
pub(crate) const ALL_DETECTORS: usize = DETECTORS.len() + MAX_CUSTOM_DETECTORS;
/// The length of the bit set in 64-bit words: two bits per detector.
const BITS: usize = (2 * ALL_DETECTORS).div_ceil(64);

/// A bit set of the uses of labels.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Uses([u64; BITS]);

impl Uses {
    fn add(&mut self, uses: &[u16]) {
        for packed in uses {
            // a connector or the name of a country has no bit
            let bits = self.0.get_mut(usize::from(*packed) / 64);
            bits.into_iter().for_each(|bits| *bits |= 1 << (packed % 64));
        }
    }

    /// Returns the word of bits from that of a use on.
    #[inline]
    fn bits(&self, packed: u16) -> u64 {
        self.0.get(usize::from(packed) / 64).map_or(0, |bits| bits >> (packed % 64))
    }

    /// Whether a label or context word of this detector is among the uses.
    #[inline]
    pub fn mention(&self, detector: u16) -> bool {
        // the two uses of a detector have adjacent bits
        self.bits(lexicon::packed_use(detector, false)) & 0b11 != 0
    }
}

/// The labels and context words near a candidate.
#[derive(Debug, Default)]
pub(crate) struct Contexts<'t> {
    /// The nearby labels, the last one first, with their positions relative to the candidate.
    near: Vec<(Hit<'t>, Nearness)>,
    /// The uses of all nearby labels.
    pub uses: Uses,
    /// The start of the candidate if all labels precede it: a longer candidate from there has the same
    /// labels.
    before: Option<usize>,
    /// The evidence of the value before, if both are in a list.
    sibling: Option<Sibling<ToldLabels<'t>>>,
}

impl<'t> Contexts<'t> {
    fn clear(&mut self) {
        self.near.clear();
        self.uses = Uses::default();
    }

    fn add(&mut self, hit: &Hit<'t>, nearness: Nearness) {
        self.uses.add(hit.uses);
        self.near.push((*hit, nearness));
    }

    /// Returns the nearest label with this use.
    #[inline]
    fn nearest(&self, detector: u16, weak: bool) -> Option<NearLabel> {
        let packed = lexicon::packed_use(detector, weak);
        if self.uses.bits(packed) & 1 == 0 { None } else { self.nearest_with(packed) }
    }

    #[inline(never)]
    #[allow(clippy::manual_contains, reason = "`contains` is not inlined, and the lists are short")]
    fn nearest_with(&self, packed: u16) -> Option<NearLabel> {
        let (detector, _) = lexicon::label_use(packed);
        let near = self.near.iter().filter(|(hit, _)| hit.uses.iter().any(|known| *known == packed));
        near.map(|(hit, nearness)| hit.says(detector, *nearness)).min_by_key(|context| context.nearness)
    }

    /// Returns the nearest label of this detector.
    pub fn label(&self, detector: u16) -> Option<NearLabel> {
        self.nearest(detector, false)
    }

    /// Returns the nearest context word of this detector.
    pub fn word(&self, detector: u16) -> Option<NearLabel> {
        self.nearest(detector, true)
    }

    /// Returns the labels directly at the candidate.
    pub fn direct(&self) -> impl Iterator<Item = NearLabel> {
        // the head of a column is not evidence against a cell
        directly(self.near.iter().filter(|(hit, _)| !hit.head))
    }

    /// Returns what the value before tells the candidate, if they are in a list.
    pub fn sibling(&self) -> Option<&Sibling<ToldLabels<'t>>> {
        self.sibling.as_ref()
    }

    /// Whether the candidate goes on with a list.
    pub fn goes_on(&self, start: usize, end: usize) -> bool {
        self.sibling().is_some_and(|sibling| (sibling.start, sibling.end) == (start, end))
    }

    /// Returns the labels directly at the first value of the candidate's list, if their forms are alike and no line ends
    /// between them: a line may be a field of its own.
    pub fn told(&self) -> impl Iterator<Item = NearLabel> {
        let is_alike = |sibling: &&Sibling<ToldLabels<'t>>| {
            matches!(sibling.likeness, Likeness::Same | Likeness::Close) && sibling.joint != ListJoint::Line
        };
        let alike = self.sibling().into_iter().filter(is_alike);
        directly(alike.flat_map(|sibling| &sibling.heard.labels))
    }

    /// Returns the nearest label of this detector to the first value of the candidate's list.
    pub fn told_label(&self, detector: u16) -> Option<NearLabel> {
        let packed = lexicon::packed_use(detector, false);
        let labels = self.sibling()?.heard.labels.iter().filter(|(hit, _)| hit.uses.contains(&packed));
        labels.map(|(hit, nearness)| hit.says(detector, *nearness)).min_by_key(|context| context.nearness)
    }

    /// Whether a label or context word of this detector is near the candidate, or near the first value of its list.
    #[inline]
    pub fn mention(&self, detector: u16) -> bool {
        self.uses.mention(detector) || self.sibling.is_some() && self.is_told(detector)
    }

    #[inline(never)]
    fn is_told(&self, detector: u16) -> bool {
        let is_number = |sibling: &Sibling<ToldLabels<'t>>| {
            sibling.heard.known.country.is_some() && catalogue::PHONE.contains(&detector)
        };
        self.told_label(detector).is_some() || self.sibling().is_some_and(is_number)
    }
}

/// Returns the labels among these that are directly at a value.
fn directly<'h, 't: 'h>(
    hits: impl Iterator<Item = &'h (Hit<'t>, Nearness)>,
) -> impl Iterator<Item = NearLabel> {
    let direct = hits.filter(|(_, nearness)| *nearness == Nearness::Direct);
    let labels = direct.flat_map(|(hit, nearness)| {
        let labels = hit.types().filter(|(_, weak)| !weak);
        labels.map(|(detector, _)| hit.says(detector, *nearness))
    });
    labels.filter(|context| context.nearness == Nearness::Direct)
}

/// The labels of a text, read as far as candidates need them.
#[derive(Debug)]
pub(crate) struct Labels<'t> {
    text: &'t str,
    /// Everything before has been read, or is too far from any later candidate.
    read: usize,
    /// No candidate from here on needs the text before what has been read.
    since: usize,
    /// The next word starts at or after this place.
    next: usize,
    /// The next word, if the last candidate was too far from it.
    peeked: Option<(usize, usize, Phrase)>,
    words: Vec<Word>,
    hits: Vec<Hit<'t>>,
    /// The uses of all labels that have been read.
    pub uses: Uses,
    /// The uses of the labels that may be near a candidate, from a hit on.
    in_reach: Uses,
    first_in_reach: usize,
    /// Prefixes of labels of several words that may continue.
    open: Vec<(usize, Phrase)>,
    /// The counts before the next word.
    before: Between,
    /// The end of the last label of a question.
    asked: Option<usize>,
    /// The tables of the text, whose heads are labels.
    tables: Tables<&'t [u16]>,
    /// The last values, for those that follow them in a list.
    siblings: Siblings<ToldLabels<'t>>,
    vocabulary: &'t Vocabulary,
    work: &'t Work,
}

impl<'t> Labels<'t> {
    pub fn new(text: &'t str, vocabulary: &'t Vocabulary, work: &'t Work) -> Self {
        Self::with_tables(text, tables(text, vocabulary, work), vocabulary, work)
    }

    fn with_tables(
        text: &'t str,
        tables: Tables<&'t [u16]>,
        vocabulary: &'t Vocabulary,
        work: &'t Work,
    ) -> Self {
        let mut uses = Uses::default();
        tables.heads().iter().for_each(|head| uses.add(head.label));
        Self {
            text,
            read: 0,
            since: 0,
            next: 0,
            peeked: None,
            words: Vec::new(),
            hits: Vec::new(),
            uses,
            in_reach: Uses::default(),
            first_in_reach: 0,
            open: Vec::new(),
            before: Between::default(),
            asked: None,
            tables,
            siblings: Siblings::default(),
            vocabulary,
            work,
        }
    }

    /// Goes on with a list of the text before, which ended at `end`.
    pub fn resume(&mut self, list: &'t OpenList, end: usize) {
        for open in &list.0 {
            self.siblings.resume(open, end, |own, (start, end)| {
                let told = own.iter().map(|OwnHit { uses, length, country, nearness }| {
                    self.uses.add(uses);
                    (Hit { length: *length, country: *country, ..Hit::new(start, end, uses) }, *nearness)
                });
                told.collect()
            });
        }
    }

    /// Begins a pass over the text, which hears nothing of the values of another one.
    pub fn begin(&mut self, pass: Pass) {
        self.siblings.begin(pass);
    }

    /// Returns the list at the end of the text, for the text that continues it.
    pub fn open_list(&self) -> OpenList {
        let own = |(hit, nearness): (Hit<'t>, Nearness)| OwnHit {
            uses: hit.uses.to_vec(),
            length: hit.length,
            country: hit.country,
            nearness,
        };
        let open = self.siblings.open(self.text);
        OpenList(open.map(|open| open.map(|told| told.into_iter().map(own).collect())).collect())
    }

    /// Keeps a candidate with its labels for those that follow it in a list; `contexts` are those of the candidate.
    ///
    /// `known` is what the candidate tells without a label.
    pub fn tell(&mut self, start: usize, end: usize, contexts: &Contexts<'t>, known: Apparent) {
        let own = contexts.near.iter().filter(|(hit, nearness)| {
            // the head of a column labels its cells only
            *nearness <= Nearness::Close && !hit.head && hit.types().next().is_some()
        });
        let mut heard = Heard { labels: own.take(MAX_TOLD).copied().collect::<ToldLabels<'_>>(), known };
        if heard.labels.is_empty()
            && let Some(sibling) = contexts.sibling().filter(|_| contexts.goes_on(start, end))
        {
            heard.labels.clone_from(&sibling.heard.labels);
            heard.known.country = known.country.or(sibling.heard.known.country);
        }
        if !heard.known.is_empty() || !heard.labels.is_empty() {
            let cell = self.tables.around(start, end).map(|(cell, _)| cell.start);
            self.siblings.keep(self.text, (start, end), cell, heard, self.work);
        }
    }

    /// Restarts if necessary, so that candidates from `start` on can be looked up again.
    pub fn rewind(&mut self, start: usize) {
        if start < self.since {
            let (tables, siblings) = (std::mem::take(&mut self.tables), std::mem::take(&mut self.siblings));
            *self = Self::with_tables(self.text, tables, self.vocabulary, self.work);
            self.siblings = siblings;
        }
    }

    /// Collects the labels around the candidate `start..end` in `into`, which must be as the last call left
    /// it.
    ///
    /// Candidates must be in ascending order of their starts.
    pub fn around(&mut self, start: usize, end: usize, into: &mut Contexts<'t>) {
        self.words_around(start, end, into);
        let cell = self.tables.around(start, end);
        if let Some((_, Head { start, end, label: uses })) = cell {
            into.add(&Hit { head: true, ..Hit::new(start, end, uses) }, Nearness::Direct);
            // a longer candidate may be beyond the cell
            into.before = None;
        }
        let cell = cell.map(|(cell, _)| cell.start);
        into.sibling = self.siblings.of(self.text, (start, end), cell, self.work);
        // `Passports: 1204556 issued in 2023`
        if into.near.iter().any(|(hit, _)| hit.counted)
            && siblings::is_count(self.text.as_bytes(), start, end)
        {
            let of_number = |(hit, nearness): &mut (Hit<'t>, Nearness)| {
                if hit.counted {
                    *nearness = Nearness::Near;
                }
            };
            into.near.iter_mut().for_each(of_number);
            // a longer candidate may be no count
            into.before = None;
        }
    }

    /// Whether a value is a whole cell whose column has a label.
    #[inline]
    pub fn is_cell(&self, start: usize, end: usize) -> bool {
        self.tables.around(start, end).is_some_and(|(cell, _)| (cell.start, cell.end) == (start, end))
    }

    /// The cells of tables with the uses of their labels.
    pub fn cells(&self) -> Vec<(Cell, &'t [u16])> {
        let cells = self.tables.cells().iter();
        cells.filter_map(|cell| Some((*cell, self.tables.head(*cell)?.label))).collect()
    }

    fn words_around(&mut self, start: usize, end: usize, into: &mut Contexts<'t>) {
        self.read(start, end);
        let mut hits = self.hits_to(end + AFTER + MAX_WORD);
        // the last label behind the candidate that counts
        let mut behind = None;
        while let [rest @ .., hit] = hits
            && hit.end > end
        {
            behind = if hit.start < end { None } else { self.after(end, hit.start) };
            if behind.is_some() {
                break;
            }
            hits = rest;
        }
        self.work.add(Stage::Labels, 1);
        if behind.is_none() && into.before == Some(start) {
            return;
        }
        into.clear();
        into.before = if behind.is_none() { Some(start) } else { None };
        let reach = self.reach(start);
        if hits.last().is_none_or(|hit| hit.end + reach < start) {
            return;
        }
        // the counts of everything before the candidate's first word
        let until = self.counts_before(start);
        let mut read = 0;
        for hit in hits.iter().rev() {
            read += 1;
            if hit.end + reach < start || into.near.len() == MAX_NEAR {
                break;
            }
            let nearness = if hit.end <= start {
                // the head of a column labels its cells only, not what the next line begins with
                if hit.before.lines < until.lines && self.tables.is_head(hit.start, hit.end) {
                    continue;
                }
                let near = if hit.end + BEFORE < start { None } else { before(hit, until, start) };
                match near {
                    Some(Nearness::Direct | Nearness::Close) => near,
                    _ if hit.asked && self.answers(hit, until, start) => Some(Nearness::Close),
                    _ => near,
                }
            } else if hit.start >= end {
                self.after(end, hit.start)
            } else {
                None
            };
            if let Some(nearness) = nearness {
                into.add(hit, nearness);
            }
        }
        self.work.add(Stage::Labels, read);
    }

    /// Returns the longest distance from a label to a following candidate that starts at `start`, in bytes.
    fn reach(&self, start: usize) -> usize {
        if self.asked.is_some_and(|asked| asked + ASKED >= start) { ASKED } else { BEFORE }
    }

    /// Returns the counts of everything before the first word that ends after a place.
    fn counts_before(&self, start: usize) -> Between {
        // mostly one of the last words
        let recent = self.words.len().saturating_sub(FEW_WORDS);
        let recent = if self.words.get(recent).is_some_and(|word| word.end <= start) { recent } else { 0 };
        let words = self.words.get(recent..).unwrap_or_default();
        let first = words.partition_point(|word| word.end <= start);
        words.get(first).map_or(self.before, |word| word.before)
    }

    /// Returns the labels that end at `end` or before. More may have been read for a longer candidate.
    fn hits_to(&self, end: usize) -> &[Hit<'t>] {
        match self.hits.last() {
            Some(last) if last.end > end => {
                let count = self.hits.partition_point(|hit| hit.end <= end);
                self.hits.get(..count).unwrap_or_default()
            }
            _ => &self.hits,
        }
    }

    /// Whether a candidate that starts at `start` may answer the question that contains a label.
    ///
    /// It follows the question mark, begins the next line, or is in one of the next turns, which begin with their speaker. Only
    /// values for the other labels of the question are before it.
    fn answers(&self, hit: &Hit<'_>, until: Between, start: usize) -> bool {
        let text = self.text.as_bytes();
        let lines = until.lines.saturating_sub(hit.before.lines);
        if lines == 0 {
            let between = text.get(hit.end..start).unwrap_or_default();
            self.work.add(Stage::Labels, between.len() / 8);
            // another question has another answer
            return between.iter().filter(|byte| **byte == b'?').count() <= 1 && ends_question(between);
        }
        let before = text.get(start.saturating_sub(ASKED)..start).unwrap_or_default();
        let turn = before.iter().rposition(|byte| *byte == b'\n').and_then(|end| before.get(end + 1..));
        let Some(turn) = turn.filter(|_| lines <= MAX_TURNS) else { return false };
        let between = text.get(hit.end..start - turn.len()).unwrap_or_default();
        self.work.add(Stage::Labels, (turn.len() + between.len()) / 8);
        let mut between = between.trim_ascii_end().split(|byte| *byte == b'\n');
        let question = between.next().unwrap_or_default();
        if !turn.iter().any(|byte| byte.is_ascii_alphanumeric() || *byte >= 0x80) {
            return ends_question(question) && between.all(|line| line.trim_ascii().is_empty());
        }
        let Some(mut values) = said(turn).map(count_values) else { return false };
        for line in between.filter(|line| !line.trim_ascii().is_empty()) {
            // another question has another answer
            let Some(said) = said(line).filter(|said| !said.contains(&b'?')) else { return false };
            values += count_values(said);
        }
        values == 0 || values <= self.asked_beside(hit)
    }

    /// Returns the number of the other labels in the question of a label.
    fn asked_beside(&self, hit: &Hit<'_>) -> usize {
        let hits = self.hits.iter().rev().skip_while(|other| other.before.lines > hit.before.lines);
        let of_question =
            hits.take_while(|other| other.before.lines == hit.before.lines && other.asked).take(MAX_NEAR);
        let (mut count, mut start) = (0, usize::MAX);
        for other in of_question {
            self.work.add(Stage::Labels, 1);
            let beside = other.end <= hit.start || hit.end <= other.start;
            if !beside || other.connects() {
                continue;
            }
            // the parts of a label are labels, too
            count += usize::from(other.end <= start);
            start = start.min(other.start);
        }
        count
    }

    /// Returns the nearness of a label that starts at `start` to a candidate that ends at `end`.
    fn after(&self, end: usize, start: usize) -> Option<Nearness> {
        let gap = self.text.as_bytes().get(end..start).filter(|gap| gap.len() <= MAX_GAP)?;
        // `1980年5月12日生まれ`, `1980년 5월 12일생`, `1978년 4월 3일 출생`
        let is_of_wide_script = |first: &u8| class_of(*first) & WIDE != 0;
        if matches!(gap, b"" | b" ")
            && self
                .text
                .as_bytes()
                .get(start)
                .is_some_and(|first| is_of_wide_script(first) || gap.is_empty() && !first.is_ascii())
        {
            return Some(Nearness::Direct);
        }
        let only_marks =
            gap.len() <= 3 && !gap.iter().any(|byte| byte.is_ascii_alphanumeric() || *byte == b'\n');
        if only_marks && gap.iter().any(|byte| matches!(byte, b'(' | b'[')) {
            return Some(Nearness::Direct);
        }
        let parts = |pair: &[u8]| matches!(pair, [b'\n' | b';' | b',' | b':', ..] | b". ");
        if gap.windows(2).any(parts) || gap.last().is_some_and(|last| parts(&[*last])) {
            return None;
        }
        if self.text.get(end..start).is_some_and(ties) {
            return Some(Nearness::Close);
        }
        (gap.len() <= MAX_GAP_AFTER).then_some(Nearness::Near)
    }

    /// Reads the words around the candidate `start..end`.
    #[inline]
    pub fn read(&mut self, start: usize, end: usize) {
        let end = (end + AFTER).min(self.text.len());
        // most have been read for the candidate before
        if self.next.max(self.read) < end || self.read + BEFORE + MAX_WORD < start {
            self.read_to(start, end);
        }
    }

    /// Reads the words around the candidate `start..end`, and returns the uses of all labels that may be near it.
    ///
    /// They are all uses if the head of a column or a list may label it. Candidates must be in ascending order of their starts.
    #[inline]
    pub fn approach(&mut self, start: usize, end: usize) -> Uses {
        self.read(start, end);
        let reach = self.reach(start);
        let hits = self.hits.get(self.first_in_reach..).unwrap_or_default();
        let far = hits.iter().take_while(|hit| hit.end + reach < start).count();
        if far > 0 {
            self.first_in_reach += far;
            self.in_reach = Uses::default();
            hits.iter().skip(far).for_each(|hit| self.in_reach.add(hit.uses));
        }
        let is_told =
            self.tables.around(start, end).is_some() || self.siblings.precede(self.text, start, self.work);
        if is_told { Uses([u64::MAX; BITS]) } else { self.in_reach }
    }

    /// Reads the words before a candidate that starts at `start`, and those up to `end`.
    #[inline(never)]
    fn read_to(&mut self, start: usize, end: usize) {
        let mut from = start.saturating_sub(BEFORE + MAX_WORD);
        if self.read < from {
            let mut lines = 1;
            if asks(self.text.as_bytes(), start) {
                from = self.read.max(start.saturating_sub(ASKED + MAX_WORD));
                lines = MAX_TURNS as usize;
            }
            self.open.clear();
            self.words.clear();
            self.since = start;
            self.peeked = None;
            self.read = from;
            while !self.text.is_char_boundary(self.read) {
                self.read += 1;
            }
            // a label counts on the line of a candidate and on the one before it
            let before = self.text.as_bytes().get(self.read..start).unwrap_or_default();
            let mut ends = before.iter().enumerate().rev().filter(|(_, byte)| **byte == b'\n');
            self.read += ends.nth(lines).map_or(0, |(end, _)| end + 1);
        }
        if self.next.max(self.read) >= end {
            return;
        }
        if self.words.is_empty() {
            self.words.reserve(FEW_WORDS);
        }
        let (text, peeked) = (self.text, self.peeked.take());
        let base = peeked.map_or(self.read, |(_, to, _)| to);
        let Some(rest) = text.get(base..) else { return };
        let words = phrases(rest).map(|(from, to, phrase)| (base + from, base + to, phrase));
        for word in peeked.into_iter().chain(words) {
            self.next = word.0;
            if self.next >= end {
                self.peeked = Some(word);
                return;
            }
            self.gap(self.next);
            let mut next = Some(word);
            while let Some((start, end, alone)) = next.take() {
                let value = self.glued(start, end).or_else(|| self.key_part(start, end));
                let (end, alone) = match value {
                    Some(value) => {
                        let part = |start, end| Phrase::EMPTY.with(text.get(start..end).unwrap_or_default());
                        next = Some((value, end, part(value, end)));
                        (value, part(start, value))
                    }
                    None => (end, alone),
                };
                self.word(start, end, alone);
                self.read = end;
            }
        }
        self.next = text.len();
    }

    /// Returns the start of the value in a word that starts with a label, or with the end of an open one.
    #[inline]
    fn glued(&self, start: usize, end: usize) -> Option<usize> {
        let begins = self.text.as_bytes().get(start).is_none_or(|byte| class_of(*byte) != DIGIT);
        if begins && end - start >= 2 * GLUED { self.begins_with_label(start, end) } else { None }
    }

    /// Returns the start of the second word of a key in camel case that is not a label itself:
    /// `customerPhone: …`.
    #[inline]
    fn key_part(&self, start: usize, end: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let word = bytes.get(start..end).filter(|word| (4..=MAX_WORD).contains(&word.len()))?;
        if !word.iter().skip(1).any(u8::is_ascii_uppercase) {
            return None;
        }
        let sign = bytes.get(end..)?.iter().find(|byte| !matches!(byte, b'"' | b'\'' | b' '));
        let sign = sign.filter(|sign| matches!(sign, b':' | b'=' | b'>'));
        let written = self.text.get(start..end).filter(|word| sign.is_some() && !lexicon::is_label(word))?;
        humps(written).next().map(|hump| start + hump)
    }

    #[inline(never)]
    fn begins_with_label(&self, start: usize, end: usize) -> Option<usize> {
        let word = self.text.get(start..end)?;
        let within = glued(word).or_else(|| {
            let label = before_digits(word)?;
            let whole = |from: usize| self.text.get(from..start + label.len()).unwrap_or_default();
            let ends = self.open.iter().any(|(from, _)| lexicon::is_label(whole(*from)));
            ends.then_some(label.len())
        })?;
        Some(start + within)
    }

    /// Updates the counts for the gap between the last word and the next one, which starts at `start`.
    fn gap(&mut self, start: usize) {
        let gap = self.text.as_bytes().get(self.read..start).unwrap_or_default();
        for (at, byte) in gap.iter().enumerate() {
            match byte {
                b'\n' => {
                    if self.requests(self.read + at) {
                        self.ask();
                    }
                    self.before.lines += 1;
                    self.before.breaks += 1;
                }
                b';' => {
                    // the question mark of Greek, whose letters are two bytes
                    if at == 0 && gap.get(1).is_none_or(|next| *next == b'\n') && self.is_greek() {
                        self.ask();
                    }
                    self.before.breaks += 1;
                }
                // except that of a query
                b'?' if gap.get(at + 1).is_some_and(|next| !next.is_ascii_alphanumeric()) => self.ask(),
                // the question mark of Arabic
                0xd8 if gap.get(at + 1) == Some(&0x9f) => self.ask(),
                b'.' if gap.get(at + 1) == Some(&b' ') && !(at == 0 && self.abbreviates()) => {
                    self.before.breaks += 1;
                }
                _ => {}
            }
        }
    }

    /// Marks the labels of the line that is read as parts of a question.
    fn ask(&mut self) {
        let (line, read) = (self.before.lines, self.read);
        let in_question = |hit: &&mut Hit<'_>| hit.end + BEFORE > read && hit.before.lines == line;
        for hit in self.hits.iter_mut().rev().take_while(in_question) {
            hit.asked = true;
            self.asked = Some(self.asked.unwrap_or_default().max(hit.end));
        }
    }

    /// Whether the line that ends at `end` is a turn of a dialogue that ends with a label, or nearly so: `Agent: Can I take your
    /// date of birth please.`
    fn requests(&self, end: usize) -> bool {
        let label = self.hits.iter().rev().find(|hit| !hit.connects());
        let label = label.filter(|hit| hit.before.lines == self.before.lines && hit.end + MAX_REQUEST > end);
        let Some(label) = label else { return false };
        let text = self.text.as_bytes();
        let before = text.get(label.end.saturating_sub(ASKED)..label.end).unwrap_or_default();
        let line = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        self.work.add(Stage::Labels, (before.len() - line) / 8);
        let after = self.text.get(label.end..end).unwrap_or_default().trim_ascii_end();
        let after = after.strip_suffix(':').unwrap_or(after);
        // `Your date of birth is on file`
        let written = self.text.get(label.start..label.end).unwrap_or_default();
        let mut words = after.split_ascii_whitespace();
        let states = written.split(' ').next_back().is_some_and(connects)
            || words.next().is_some_and(connects) && words.next().is_some();
        before.get(line..).is_some_and(|line| said(line).is_some())
            && !states
            && !after.bytes().any(|byte| byte.is_ascii_digit() || byte == b':')
    }

    /// Whether the last word ends with a Greek letter.
    fn is_greek(&self) -> bool {
        matches!(self.text.as_bytes().get(self.read.saturating_sub(2)..self.read), Some([0xce | 0xcf, _]))
    }

    /// Whether the dot after the last word is that of an abbreviation, as in `CPF Resp. Fin.:`.
    fn abbreviates(&self) -> bool {
        let read = self.text.as_bytes().get(..self.read).unwrap_or_default();
        let letters = read
            .iter()
            .rev()
            .take(MAX_ABBREVIATION + 1)
            .take_while(|byte| byte.is_ascii_alphabetic())
            .count();
        (1..=MAX_ABBREVIATION).contains(&letters)
    }

    /// Whether a word is the number of a field, as in `Phone 2: …` and `"phone_1": …`: between a label and a
    /// sign; or that of an item of a list.
    fn numbers_a_label(&self, start: usize, end: usize) -> bool {
        let text = self.text.as_bytes();
        if siblings::is_item_number(text, start, end) {
            return true;
        }
        let labelled = self.hits.last().is_some_and(|hit| hit.end < start && start - hit.end <= 2);
        labelled
            && end - start <= 2
            && text.get(start..end).is_some_and(|word| word.iter().all(u8::is_ascii_digit))
            && matches!(text.get(end), Some(b':' | b'=' | b'"'))
    }

    /// Reads the next word, with `alone` as its own phrase: it ends open labels, and may begin one.
    fn word(&mut self, start: usize, end: usize, alone: Phrase) {
        self.work.add(Stage::Labels, 1 + self.open.len());
        let text = self.text;
        let written = text.get(start..end).unwrap_or_default();
        let before = self.before;
        let mut meant = Meant::default();
        if end - start > MAX_WORD {
            self.open.clear();
        }
        if !self.open.is_empty() {
            let mut open = std::mem::take(&mut self.open);
            // a label does not continue on the next line
            let gap = text.as_bytes().get(self.read..start).unwrap_or_default();
            let same_line = !gap.contains(&b'\n');
            open.retain_mut(|(from, phrase)| {
                *phrase = phrase.with(written);
                same_line && self.phrase(*phrase, *from, end, &mut meant)
            });
            self.open = open;
        }
        if end - start <= MAX_WORD && self.phrase(alone, start, end, &mut meant) {
            self.open.push((start, alone));
        }
        if let Some((from, country)) = meant.country {
            self.name(from, country);
        }
        self.words.push(Word { end, before, country: meant.country.map(|(_, country)| country) });
        self.before.others += match written.bytes().any(|byte| byte.is_ascii_digit()) {
            true if self.numbers_a_label(start, end) => 0,
            true => 4,
            false => u32::from(!meant.connects),
        };
        // the words of a label do not count as words between it and its value
        let after = self.before;
        self.hits.iter_mut().rev().take_while(|hit| hit.end == end).for_each(|hit| hit.before = after);
    }

    /// Looks up a phrase that ends with the current word; returns whether a label continues from here.
    fn phrase(&mut self, phrase: Phrase, start: usize, end: usize, meant: &mut Meant) -> bool {
        let written = self.text.get(start..end).unwrap_or_default();
        let Some(uses) = self.vocabulary.get(phrase, written) else { return false };
        if uses.is_empty() {
            return true;
        }
        let single = self.words.last().is_none_or(|word| word.end <= start);
        for packed in uses {
            let (stands_for, _) = lexicon::label_use(*packed);
            meant.connects |= single && stands_for == CONNECTOR;
            if let Some(country) = lexicon::country_named(stands_for)
                && is_name(written)
            {
                meant.connects |= single;
                meant.country = Some((start, country));
            }
        }
        let led = self.words.iter().rev().find(|word| word.end <= start);
        let country = led.filter(|word| touches(self.text, word.end, start)).and_then(|word| word.country);
        self.uses.add(uses);
        self.in_reach.add(uses);
        self.hits.push(Hit { country, before: self.before, ..Hit::new(start, end, uses) });
        true
    }

    /// Sets the country of the label before a country's name, and of the shorter labels within that label.
    fn name(&mut self, from: usize, country: Country) {
        let recent = self.hits.iter_mut().rev().take(RECENT).filter(|hit| hit.end <= from);
        let mut label = usize::MAX;
        for hit in recent {
            if touches(self.text, hit.end, from) {
                label = label.min(hit.start);
            }
            if hit.start >= label {
                hit.country = Some(country);
            }
        }
    }
}

/// Whether the line of a place is a turn of a dialogue, or the line before ends with a question mark.
fn asks(text: &[u8], start: usize) -> bool {
    let before = text.get(start.saturating_sub(ASKED)..start).unwrap_or_default();
    let Some(end) = before.iter().rposition(|byte| *byte == b'\n') else { return false };
    let (above, line) = before.split_at(end);
    said(line.trim_ascii_start()).is_some() || above.trim_ascii_end().ends_with(b"?")
}

/// Returns the text of a turn behind its speaker: `[08:19] customer: …`, `<jan> …`, `Client : …`.
fn said(line: &[u8]) -> Option<&[u8]> {
    let is_of_name =
        |byte: u8| byte.is_ascii_alphabetic() || byte >= 0x80 || matches!(byte, b')' | b']' | b'*');
    let ends_name = |sign: &usize| match line.get(..*sign) {
        // the colon of a time has a digit before it
        Some([.., last, b' ']) | Some([.., last]) => is_of_name(*last),
        _ => false,
    };
    let is_sign = |(_, byte): &(usize, &u8)| matches!(byte, b':' | b'>');
    let mut signs = line.iter().enumerate().take(MAX_SPEAKER).filter(is_sign).map(|(at, _)| at);
    signs.find(ends_name).and_then(|sign| line.get(sign + 1..))
}

/// Whether a text ends with a question mark, also that of Greek or Arabic.
fn ends_question(text: &[u8]) -> bool {
    let text = text.trim_ascii_end();
    text.ends_with(b"?") || text.ends_with(b";") || text.ends_with("؟".as_bytes())
}

/// Returns the number of values with a digit in an enumeration.
fn count_values(said: &[u8]) -> usize {
    let values = said.split(|byte| matches!(byte, b',' | b';'));
    values.filter(|value| value.iter().any(u8::is_ascii_digit)).count()
}

/// Returns the start of the value in a word that starts with a label: `PESEL44051401359`. `sha256` is a label
/// itself.
pub(crate) fn glued(word: &str) -> Option<usize> {
    let label = before_digits(word).filter(|label| lexicon::is_label(label))?;
    (!lexicon::is_label(word)).then_some(label.len())
}

/// Returns the letters at the start of a word if they are long enough for a label and the digits after them
/// for a value.
fn before_digits(word: &str) -> Option<&str> {
    let letters = word.bytes().position(|byte| byte.is_ascii_digit())?;
    let digits = word.bytes().skip(letters).take_while(u8::is_ascii_digit).count();
    word.get(..letters).filter(|label| label.len() >= GLUED && digits >= GLUED)
}

/// The meanings of the phrases that end with one word.
#[derive(Default)]
struct Meant {
    /// Whether the word alone connects a label with its value.
    connects: bool,
    /// The start of a country's name that ends with the word, and the country.
    country: Option<(usize, Country)>,
}

/// Whether the text between a value and a label behind it connects them: `44051401359 as my PESEL`, `AB1234567 is my
/// passport`.
fn ties(gap: &str) -> bool {
    let mut words = gap.split_ascii_whitespace();
    let is_among = |list: &WordList, word: &str| list.leading_word(word) == Some(word.len());
    let Some(first) = words.next() else { return false };
    is_among(&lexicon::TIES, first)
        || connects(first) && words.next().is_some_and(|word| is_among(&lexicon::POSSESSIVES, word))
}

/// Whether a word connects a label with its value: is, of.
fn connects(word: &str) -> bool {
    lexicon::label(Phrase::EMPTY.with(word), word)
        .is_some_and(|uses| uses.contains(&lexicon::packed_use(CONNECTOR, false)))
}

/// Whether the name of a country has the right letter case.
fn is_name(written: &str) -> bool {
    written.len() >= SHORT_NAME || !written.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// Whether a label and a country's name are adjacent: from the `end` of one to the `start` of the other.
fn touches(text: &str, end: usize, start: usize) -> bool {
    let gap = text.as_bytes().get(end..start);
    gap.is_some_and(|gap| {
        gap.len() <= MAX_NAME_GAP && !gap.iter().any(|byte| matches!(byte, b',' | b';' | b':' | b'\n'))
    })
}

/// Returns the nearness of a label to a candidate that starts at `start`; `until` are the counts up to the
/// candidate.
fn before(hit: &Hit<'_>, until: Between, start: usize) -> Option<Nearness> {
    let others = until.others.saturating_sub(hit.before.others);
    let lines = until.lines.saturating_sub(hit.before.lines);
    let breaks = until.breaks.saturating_sub(hit.before.breaks);
    // an abbreviation counts for the next line only if it is at the end of its own line
    let gap = if lines > 0 && hit.end - hit.start <= MAX_SHORT { MAX_GAP_SHORT } else { MAX_GAP };
    Some(match others {
        0 if lines <= 1 && start - hit.end <= gap => Nearness::Direct,
        0..=3 if breaks == 0 => Nearness::Close,
        _ if lines <= 1 => Nearness::Near,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the nearness of the label of a detector to a value in a text, and of its context word.
    fn near(text: &str, value: &str, detector: &str) -> (Option<Nearness>, Option<Nearness>) {
        let work = Work::default();
        let start = text.find(value).unwrap();
        let (index, _) = catalogue::numbered_by_type(detector).next().unwrap();
        let mut contexts = Contexts::default();
        let vocabulary = Vocabulary::default();
        Labels::new(text, &vocabulary, &work).around(start, start + value.len(), &mut contexts);
        let of = |context: Option<NearLabel>| context.map(|context| context.nearness);
        (of(contexts.label(index)), of(contexts.word(index)))
    }

    #[test]
    fn labels_by_their_place() {
        for (text, detector, want) in [
            ("PESEL: 44051401359", "pesel", Some(Nearness::Direct)),
            ("pesel 44051401359", "pesel", Some(Nearness::Direct)),
            ("PESEL is 44051401359", "pesel", Some(Nearness::Direct)),
            ("the PESEL of our client 44051401359", "pesel", Some(Nearness::Close)),
            ("44051401359 (PESEL)", "pesel", Some(Nearness::Direct)),
            ("44051401359生まれ", "date_of_birth", Some(Nearness::Direct)),
            ("44051401359 as my PESEL", "pesel", Some(Nearness::Close)),
            ("44051401359, PESEL", "pesel", None),
            ("PESEL. The next sentence, and then 44051401359", "pesel", Some(Nearness::Near)),
            ("a number: 44051401359", "pesel", None),
            ("PESEL: 44051401359", "siren", None),
            ("id,name,pesel\n1,Jan,44051401359\n2,Ewa,02270803624", "pesel", Some(Nearness::Direct)),
            // the head of the last column is no label of the next line's first cell
            ("id,name,pesel\n44051401359,Jan,1\n2,Ewa,3", "pesel", None),
            // a country's name at a label makes it one of that country
            ("passport number: 44051401359", "passport_us", Some(Nearness::Direct)),
            ("German passport number: 44051401359", "passport_us", Some(Nearness::Close)),
        ] {
            assert_eq!(near(text, "44051401359", detector).0, want, "{detector} in {text}");
        }
    }

    #[test]
    fn a_label_is_out_of_reach_after_long_text() {
        for (words, want) in [(1, true), (40, false)] {
            let text = format!("PESEL {}44051401359", "and words ".repeat(words));
            assert_eq!(near(&text, "44051401359", "pesel").0.is_some(), want, "{words}");
        }
    }
}
