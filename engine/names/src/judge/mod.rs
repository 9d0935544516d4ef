//! Judges which words are names: a linear-chain model over hashed features of a word and of those around it.
//!
//! A word is outside of all names, begins or continues the name of a person, or belongs to the name of a place or
//! of an organisation. The weights are small integers, and so are all sums: the result is the same on every
//! machine. `cargo xtask train --judge` learns them.

mod characters;
mod planes;
mod reasons;
mod regions;
#[cfg(feature = "train")]
pub mod training;
mod words;

use std::{ops::Range, sync::OnceLock};

use textveil_phrase::{
    Phrase,
    work::{Stage, Work},
};

use crate::{
    Candidate, Kind, Known, Part,
    cues::{self, Says},
    inflection::Forms,
    lexicon,
    recent::Recent,
    token::{self, Case, Token},
};

pub use planes::planes;
pub use reasons::Reason;
pub(crate) use reasons::Reasons;
pub use regions::Script;
pub(crate) use regions::{
    Link, Region, Source, Unit, Window, is_regnal, is_spaced_without_capitals, is_unlearnt, regions,
};
use words::{AROUND, As, SeenWord, WeighedWord};

/// The kind of a word, in the order of the weights. All scores of [`Tag::Other`] are 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Tag {
    /// Not part of a name.
    #[default]
    Other,
    /// The first word of the name of a person.
    Begin,
    /// Another word of the name of a person.
    Inside,
    /// A word of the name of a place.
    Place,
    /// A word of the name of an organisation.
    Organization,
}

impl Tag {
    /// All tags.
    pub const ALL: [Self; TAGS] = [Self::Other, Self::Begin, Self::Inside, Self::Place, Self::Organization];

    /// Whether a word with this tag belongs to the name of a person.
    pub fn is_person(self) -> bool {
        matches!(self, Self::Begin | Self::Inside)
    }
}

/// The number of tags.
pub const TAGS: usize = 5;
/// The number of tags with weights.
pub const WEIGHED: usize = TAGS - 1;
/// The number of bits in the index of a feature.
pub const BITS: u32 = 21;
/// These bits.
const INDEX: u32 = (1 << BITS) - 1;
/// The number of classes of gaps between two words.
pub const GAPS: usize = 8;
/// The steps of a weight that are one unit of log-odds.
pub const STEPS: i32 = 8;

/// Whether the letter case of a region tells names. Each domain has a model of its own: what texts without capitals teach
/// takes nothing from other texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Domain {
    /// Capitals tell names, or the script is without them.
    #[default]
    Plain,
    /// A passage without capitals, or in capitals only.
    Caseless,
}

/// The number of scripts of a domain: [`Script`].
pub const SCRIPTS: usize = 3;

/// The line of organisations in a calibration, behind those of people in each script.
pub const ORGANIZATIONS: usize = SCRIPTS;

/// The log-odds at a margin of 0 and those of a step, in 1,024ths: a line for people in each script of a domain, and one for
/// organisations.
pub type Calibration = [(i16, i16); SCRIPTS + 1];

/// The models of both domains.
pub type Models<'w> = [Weights<'w>; 2];

/// The trained model: which features have weights, their weights, and the probability of a margin.
#[derive(Clone, Copy, Debug)]
pub struct Weights<'w> {
    /// A bit for each feature that has weights.
    pub present: &'w Bits,
    /// The number of features with weights before each 64 features: [`ranks`].
    pub ranks: &'w [u32],
    /// The weights of each feature with weights, for each tag but [`Tag::Other`], in steps: [`planes`].
    pub planes: [&'w [u8]; 4],
    /// The weights of two tags in a row: [`pairs`].
    pub pairs: &'w Pairs,
    /// The probability of a margin.
    pub calibration: Calibration,
    /// Two bits for each frequent word that never begins a name by its own features: [`ordinary_bits`].
    pub ordinary: &'w [u8],
}

/// The length of [`Weights::ordinary`] in bytes.
pub const ORDINARY: usize = 1 << 16;

/// Returns the bits of a word among those of ordinary ones. Words share bits: a few names count as ordinary words.
#[inline]
pub fn ordinary_bits(word: u32) -> [u32; 2] {
    const BITS: u32 = (8 * ORDINARY).trailing_zeros();
    [word % (1 << BITS), word >> (u32::BITS - BITS)]
}

include!(concat!(env!("OUT_DIR"), "/judge.rs"));

/// Returns what `cargo xtask train --judge` and `--case` wrote.
///
/// The ranks are counted at the first call, so that no page downloads them.
pub fn learnt() -> Models<'static> {
    static RANKS: OnceLock<[Vec<u32>; 2]> = OnceLock::new();
    let [plain, caseless] =
        RANKS.get_or_init(|| [LEARNT.present, LEARNT_CASE.present].map(|bits| ranks(bits)));
    [Weights { ranks: plain, ..LEARNT }, Weights { ranks: caseless, ..LEARNT_CASE }]
}

/// Returns the log-odds that a stretch with this margin is the name of a person.
pub(crate) fn odds(script: Script, margin: i32) -> f32 {
    of(&[LEARNT, LEARNT_CASE], script).odds(script.line(), margin)
}

/// Returns the log-odds that a stretch with this margin is the name of an organisation.
pub(crate) fn organization_odds(script: Script, margin: i32) -> f32 {
    of(&[LEARNT, LEARNT_CASE], script).odds(ORGANIZATIONS, margin)
}

/// Returns whether a word is frequent in texts without capitals, and no part of a name by its own features.
pub(crate) fn is_ordinary(word: Phrase) -> bool {
    LEARNT_CASE.is_ordinary(word)
}

/// Returns the model for a script.
pub fn of<'m, 'w>(models: &'m Models<'w>, script: Script) -> &'m Weights<'w> {
    let [plain, caseless] = models;
    match script.domain() {
        Domain::Plain => plain,
        Domain::Caseless => caseless,
    }
}

/// For each class of gaps, the weights of a tag in each row after that in each column, in steps.
pub type Pairs = [[[i32; TAGS]; TAGS]; GAPS];

/// Reads the weights of two tags in a row: for each class of gaps and each tag, those of the tags after it; signed, in steps.
///
/// A name is only continued after its beginning.
#[allow(clippy::indexing_slicing, reason = "evaluated by the compiler")]
pub const fn pairs(written: &[u8; GAPS * TAGS * TAGS]) -> Pairs {
    let mut pairs = [[[0; TAGS]; TAGS]; GAPS];
    let mut at = 0;
    while at < written.len() {
        let (gap, from, to) = (at / TAGS / TAGS, at / TAGS % TAGS, at % TAGS);
        let continues = from == Tag::Begin as usize || from == Tag::Inside as usize;
        pairs[gap][to][from] = match continues || to != Tag::Inside as usize {
            true => written[at].cast_signed() as i32,
            false => NEVER,
        };
        at += 1;
    }
    pairs
}

/// Returns the number of bits that are set before each 64 bits.
pub fn ranks(present: &[[u8; 8]]) -> Vec<u32> {
    let mut ranks: Vec<u32> = present.iter().map(|word| u64::from_le_bytes(*word).count_ones()).collect();
    let mut before = 0;
    for rank in &mut ranks {
        before += std::mem::replace(rank, before);
    }
    ranks
}

/// Larger margins are not told apart.
const MAX_MARGIN: i32 = 100;
/// The maximum number of features of a unit.
const MAX_FEATURES: usize = 64;
/// The class of a gap that is a space.
const SPACE: u8 = 0;
/// The class of no gap, as between the characters of a script without spaces.
const WITHIN: u8 = 5;
/// The score of an impossible path.
const NEVER: i32 = -1_000_000;

/// A stretch of words that is a name, as judged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Judged {
    pub tag: Tag,
    /// The units, as indices within the region.
    pub start: usize,
    pub end: usize,
    /// By how much it is likelier a name than none, in [`STEPS`] of log-odds.
    pub margin: i32,
    /// Its reasons, if the caller requests them.
    pub reasons: Reasons,
}

/// A request to the judge.
#[derive(Clone, Copy)]
pub(crate) struct Ask {
    /// By how many steps names are made likelier, to propose less likely ones.
    pub bonus: i32,
    /// Whether names have their reasons.
    pub reasons: bool,
}

/// The bonus of names, so that less likely ones are proposed, in steps.
pub(crate) const BONUS: i32 = 4 * STEPS;

/// A bit for each feature, in words of 64.
pub type Bits = [[u8; 8]; 1 << (BITS - 6)];

/// The features of a unit that have weights.
#[derive(Clone, Copy)]
pub(crate) struct Features<'w> {
    /// The features that have weights.
    with_weights: &'w Bits,
    /// The index of each feature, then a bit for [`Of::Repetition`], then its template.
    packed: [u32; MAX_FEATURES],
    len: usize,
}

impl<'w> Features<'w> {
    fn new(with_weights: &'w Bits) -> Self {
        Self { with_weights, packed: [0; MAX_FEATURES], len: 0 }
    }

    /// Adds a feature, a template with up to three values, if it has weights: without a branch, which the processor would have
    /// to predict.
    #[inline(always)]
    fn add(&mut self, template: u32, of: Of, values: [u32; 3]) {
        self.push(template, of, feature(template, of, values));
    }

    /// Adds a feature by its index.
    #[inline(always)]
    fn push(&mut self, template: u32, of: Of, index: u32) {
        if let Some(place) = self.packed.get_mut(self.len % MAX_FEATURES) {
            *place = index | (of as u32 >> 1 | template << 1) << BITS;
        }
        self.len += (bits_at(self.with_weights, index) >> (index % 64) & 1) as usize;
    }

    /// Sorts the features by their templates, so that the training adds them up in one order.
    fn sort(&mut self) {
        self.packed.get_mut(..self.len).unwrap_or_default().sort_by_key(|packed| packed >> (BITS + 1));
    }

    /// The indices of the features.
    #[cfg(feature = "train")]
    fn indices(&self) -> Vec<u32> {
        self.packed().iter().map(|packed| packed & INDEX).collect()
    }

    /// The features, each with its template.
    fn packed(&self) -> &[u32] {
        self.packed.get(..self.len).unwrap_or_default()
    }
}

/// The word of 64 bits in which that of a feature is.
#[inline(always)]
fn bits_at(bits: &Bits, feature: u32) -> u64 {
    bits.get(feature as usize / 64).map_or(0, |word| u64::from_le_bytes(*word))
}

/// Whether a feature is of the words themselves and their letters, or of what is known of them: their case, lexicons,
/// the gaps between them. Both have indices of their own, whose last bit tells, so that the training can leave out the former.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
enum Of {
    Letters = 0,
    Knowledge = 1,
    /// Knowledge that the word was recognised as a name before, here or elsewhere in the text.
    Repetition = 3,
}

impl Of {
    /// Of whether a word is known.
    fn known(known: bool) -> Self {
        if known { Self::Repetition } else { Self::Knowledge }
    }
}

/// The index of a feature: a template with up to three values.
#[inline(always)]
fn feature(template: u32, of: Of, [a, b, c]: [u32; 3]) -> u32 {
    index(template, of, product::<0>(a) ^ product::<1>(b) ^ product::<2>(c))
}

/// Returns the part that a value has in the index of a feature, as its first, second or third value.
#[inline(always)]
fn product<const AT: usize>(value: u32) -> u32 {
    match AT {
        0 => value.wrapping_mul(0x9e37_79b1),
        1 => value.wrapping_mul(0x85eb_ca6b).rotate_left(11),
        _ => value.wrapping_mul(0xc2b2_ae35).rotate_left(21),
    }
}

/// The index of a feature from the products of its values.
#[inline(always)]
fn index(template: u32, of: Of, products: u32) -> u32 {
    let mixed = products ^ (template + 1).wrapping_mul(0x27d4_eb2f);
    let mixed = (mixed ^ mixed >> 15).wrapping_mul(0x2c1b_3c6d);
    (mixed ^ mixed >> 16).wrapping_mul(0x297a_2d39) >> (32 - BITS) & !1 | of as u32 & 1
}

/// The sums of weights for each tag with weights: 16 bits each in one number, so that one addition adds all of them. A negative
/// one borrows from the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sums(u64);

impl Sums {
    /// Returns the weights of a feature from its places in the planes.
    #[inline(always)]
    fn of_planes(low: [u8; 2], high: [u8; 2]) -> Self {
        // nearly all weights are small
        if high != [0; 2] {
            return Self::of_large(low, high);
        }
        let [first, second] =
            low.map(|pair| planes::SMALL.get(usize::from(pair)).copied().unwrap_or_default());
        Self(i64::from(first).wrapping_add(i64::from(second) << 32).cast_unsigned())
    }

    #[inline(never)]
    fn of_large(low: [u8; 2], high: [u8; 2]) -> Self {
        let weights = planes::joined(low, high).to_le_bytes().into_iter().rev();
        Self(weights.fold(0, |sums, weight| {
            (sums << 16).wrapping_add_signed(i64::from(weight) - i64::from(planes::BIAS))
        }))
    }

    #[inline(always)]
    fn add(&mut self, other: Self) {
        self.0 = self.0.wrapping_add(other.0);
    }

    fn subtract(&mut self, other: Self) {
        self.0 = self.0.wrapping_sub(other.0);
    }

    /// Returns each sum.
    #[inline(always)]
    fn each(self) -> [i32; WEIGHED] {
        let sum = |rest: u64| i32::from(rest as i16);
        let next = |rest: u64| (rest >> 16) + (rest >> 15 & 1);
        let (first, rest) = (sum(self.0), next(self.0));
        let (second, rest) = (sum(rest), next(rest));
        let (third, rest) = (sum(rest), next(rest));
        [first, second, third, sum(rest)]
    }
}

impl Weights<'_> {
    /// The sums of the weights of features.
    fn sum(&self, features: &Features<'_>) -> Sums {
        let mut sums = Sums::default();
        features.packed().iter().for_each(|packed| sums.add(self.of(packed & INDEX)));
        sums
    }

    /// Adds the weights of a feature, if it has any.
    #[inline(always)]
    fn add(&self, sums: &mut Sums, feature: u32) {
        if bits_at(self.present, feature) >> (feature % 64) & 1 == 1 {
            sums.add(self.of(feature));
        }
    }

    /// The weights of a feature that has weights.
    #[inline(always)]
    fn of(&self, feature: u32) -> Sums {
        let bits = bits_at(self.present, feature) << (!feature % 64);
        let rank = self.ranks.get(feature as usize / 64).copied().unwrap_or_default();
        self.at((rank + bits.count_ones()).wrapping_sub(1) as usize)
    }

    /// The weights of the feature with this rank.
    #[inline(always)]
    fn at(&self, rank: usize) -> Sums {
        let [first_low, second_low, first_high, second_high] =
            self.planes.map(|plane| plane.get(rank).copied().unwrap_or_default());
        Sums::of_planes([first_low, second_low], [first_high, second_high])
    }

    /// Whether a word is frequent, and no part of a name by its own features.
    #[inline]
    pub fn is_ordinary(&self, word: Phrase) -> bool {
        let has =
            |bit: u32| self.ordinary.get(bit as usize / 8).is_some_and(|byte| byte >> (bit % 8) & 1 == 1);
        ordinary_bits(word.value()).into_iter().all(has)
    }

    /// The log-odds of a margin by this line of the calibration.
    pub fn odds(&self, line: usize, margin: i32) -> f32 {
        let (start, step) = self.calibration.get(line).copied().unwrap_or_default();
        (i32::from(start) + i32::from(step) * margin.clamp(-MAX_MARGIN, MAX_MARGIN)) as f32 / 1024.0
    }

    /// Whether the best tag of a word that is a region of its own begins a name, as [`Chain::best`] finds it: most regions are
    /// one word, and no name.
    fn is_likely_alone(&self, scores: &[i32; TAGS], gap: u8, bonus: i32) -> bool {
        let mut best = (NEVER, Tag::Other);
        for ((score, [behind_other, ..]), tag) in scores.iter().zip(self.transitions(gap)).zip(Tag::ALL) {
            let bonus = if tag == Tag::Begin { bonus } else { 0 };
            let score = score + bonus + behind_other;
            if score > best.0 {
                best = (score, tag);
            }
        }
        matches!(best.1, Tag::Begin | Tag::Organization)
    }

    /// The weights of a tag in each row after that in each column, for a class of gaps.
    #[inline]
    fn transitions(&self, gap: u8) -> &[[i32; TAGS]; TAGS] {
        static NONE: [[i32; TAGS]; TAGS] = [[0; TAGS]; TAGS];
        self.pairs.get(usize::from(gap)).unwrap_or(&NONE)
    }
}

/// A name of at least two words with a larger margin makes its words known: they are names at any place of the text.
const SURE: i32 = 3 * STEPS;
/// So does a single word, for the places where it repeats. Names of one word seldom have large margins, but most of them
/// repeat, and at one place the words around tell more than at another.
const SURE_ALONE: i32 = STEPS;
/// So does a name in a script without spaces, where margins are smaller.
const SURE_CHARACTERS: i32 = 2 * STEPS;
/// The minimum number of letters of a word that becomes known.
const LEAST_KNOWN: usize = 3;

/// Calls `take` with each name of a text; a second reading of the regions with words that became known by then.
pub(crate) fn names<'t>(
    models: &Models<'_>,
    source: Source<'t>,
    known: &mut Known,
    ask: Ask,
    work: &Work,
    mut take: impl FnMut(&mut Forms<'t>, &Region, &Judged),
) {
    let Source { text, tokens, .. } = source;
    let before = known.clone();
    let mut forms = Forms::new(text, tokens);
    // the words of the regions that may have names, and their names
    let mut judged = Vec::new();
    let mut judges = Judges::new(models, text, tokens, &before);
    let windows = judges.windows(source, work, &mut forms);
    regions(source, &windows, |region| {
        if region.is_initials(tokens) {
            return;
        }
        work.add(Stage::Names, MAX_FEATURES * region.units.len());
        let names = judges.of(region.script).names(region, ask, &mut forms);
        names.iter().for_each(|name| remember(text, region, name, known));
        judged.push((region.script, region.words(), Some(names)));
    });
    let grown = known.len() > before.len();
    judged.retain(|(.., names)| grown || names.as_ref().is_some_and(|names| !names.is_empty()));
    let mut judges = Judges::new(models, text, tokens, known);
    if grown && !windows.is_empty() {
        // a known word is an anchor
        let windows = judges.windows(source, work, &mut forms);
        judged = with_windows(judged, windows);
    }
    let mut region = Region { script: Script::Cased, units: Vec::new() };
    for (script, words, names) in judged {
        region.read_again(text, tokens, script, words);
        let region = &region;
        let names = match names {
            Some(names) if !grown || !tells(text, tokens, region, &names, known, &before) => names,
            _ => {
                work.add(Stage::Names, MAX_FEATURES * region.units.len());
                judges.of(script).names(region, ask, &mut forms)
            }
        };
        names.iter().for_each(|name| take(&mut forms, region, name));
    }
}

/// A region that was judged: its script, its words, and its names unless it has to be judged again.
type JudgedRegion = (Script, Range<usize>, Option<Vec<Judged>>);

/// Replaces the windows of the first reading by those of the second one.
fn with_windows(judged: Vec<JudgedRegion>, windows: Vec<Window>) -> Vec<JudgedRegion> {
    let mut out = Vec::with_capacity(judged.len() + windows.len());
    let mut windows = windows.into_iter().peekable();
    for region in judged {
        let (script, words, names) = region;
        let is_window = script.is_window();
        while let Some(window) = windows.next_if(|window| window.words.start < words.start) {
            out.push((window.script, window.words, None));
        }
        match windows.next_if(|window| is_window && window.words == words) {
            Some(_) => out.push((script, words, names)),
            None if is_window => {}
            None => out.push((script, words, names)),
        }
    }
    out.extend(windows.map(|window| (window.script, window.words, None)));
    out
}

/// A judge for each domain.
pub(crate) struct Judges<'w, 't>([Judge<'w, 't>; 2]);

impl<'w, 't> Judges<'w, 't> {
    pub fn new(models: &'w Models<'w>, text: &'t str, tokens: &'t [Token], known: &'w Known) -> Self {
        Self(models.each_ref().map(|weights| Judge::new(weights, text, tokens, known)))
    }

    /// Returns the judge for a script.
    pub fn of(&mut self, script: Script) -> &mut Judge<'w, 't> {
        let Self([plain, caseless]) = self;
        match script.domain() {
            Domain::Plain => plain,
            Domain::Caseless => caseless,
        }
    }

    /// Returns the windows of passages without capitals.
    pub fn windows(&mut self, source: Source<'t>, work: &Work, forms: &mut Forms<'t>) -> Vec<Window> {
        let Self([_, judge]) = self;
        regions::windows(source, |script, at| {
            work.add(Stage::Names, 1);
            judge.is_anchor(script, at, forms)
        })
    }
}

/// Whether a name may begin with the first of these words, which is in lower case.
pub(crate) fn may_begin(text: &str) -> bool {
    let tokens = token::tokens(text);
    let (models, known) = (learnt(), Known::default());
    let is_small = tokens.first().is_some_and(|token| token.case == Case::Lower);
    is_small
        && Judges::new(&models, text, &tokens, &known).of(Script::Small).is_anchor(
            Script::Small,
            0,
            &mut Forms::new(text, &tokens),
        )
}

/// Adds the strongest reasons to each name of a person or of an organisation. `candidates` are sorted by position.
pub(crate) fn explain(
    models: &Models<'_>,
    source: Source<'_>,
    mut known: Known,
    candidates: &mut [Candidate],
) {
    let mut first = 0;
    let ask = Ask { bonus: BONUS, reasons: true };
    names(models, source, &mut known, ask, &Work::default(), |_, region, name| {
        let Some(Part { start, end }) = region.span(name) else { return };
        while candidates.get(first).is_some_and(|candidate| candidate.end <= start) {
            first += 1;
        }
        let is_of = |candidate: &Candidate| match candidate.kind {
            Kind::Name => name.tag.is_person(),
            Kind::Organization => name.tag == Tag::Organization,
            _ => false,
        };
        let mut overlapping = candidates.iter_mut().skip(first).take_while(|candidate| candidate.start < end);
        if let Some(candidate) = overlapping.find(|candidate| is_of(candidate)) {
            candidate.reasons =
                name.reasons.strongest(of(models, region.script), region.script, name.end - name.start);
        }
    });
}

/// Whether a name makes its words known.
fn is_sure(script: Script, name: &Judged) -> bool {
    let units = name.end - name.start;
    let least = match script {
        // a character alone is part of too many words
        Script::Characters if units < 2 => return false,
        Script::Characters => SURE_CHARACTERS,
        Script::Cased | Script::Capitals | Script::Words if units < 2 => SURE_ALONE,
        _ => SURE,
    };
    name.tag.is_person() && name.margin >= least
}

/// Adds the words of a sure name to those that are known.
fn remember(text: &str, region: &Region, name: &Judged, known: &mut Known) {
    let units = region.units.get(name.start..name.end).unwrap_or_default();
    if !is_sure(region.script, name) {
        return;
    }
    let written = |unit: &Unit| text.get(unit.start as usize..unit.end as usize).unwrap_or_default();
    if region.script == Script::Characters {
        known.insert(units.iter().fold(Phrase::EMPTY, |phrase, unit| phrase.with(written(unit))));
        return;
    }
    for unit in units {
        if written(unit).chars().count() >= LEAST_KNOWN {
            known.insert(Phrase::EMPTY.with(written(unit)));
        }
    }
}

/// Whether a region has a word that is known only now. A word that is a sure name there already says nothing new.
fn tells(
    text: &str,
    tokens: &[Token],
    region: &Region,
    names: &[Judged],
    known: &Known,
    before: &Known,
) -> bool {
    if region.script == Script::Characters {
        let mut found = false;
        characters::each_phrase(text, region, |_, _, phrase| {
            found |= known.contains(phrase) && !before.contains(phrase);
        });
        return found;
    }
    let alone =
        |at| names.iter().any(|name| name.start == at && name.end == at + 1 && is_sure(region.script, name));
    region.units.iter().enumerate().filter(|(at, _)| !alone(*at)).any(|(_, unit)| {
        tokens.get(unit.token as usize).is_some_and(|token| {
            let is_in = |words: &Known| words.contains_form(token.text(text), token.phrase);
            is_in(known) && !is_in(before)
        })
    })
}

/// Judges the regions of a text.
pub(crate) struct Judge<'w, 't> {
    text: &'t str,
    tokens: &'t [Token],
    known: &'w Known,
    /// The last words that may be part of a name.
    recent: Recent<'t, WeighedWord>,
    /// The last words beside them.
    context: Recent<'t, SeenWord>,
    characters: characters::Recently,
    /// The words of a region and those around it.
    words: Vec<WeighedWord>,
    chain: Chain<'w>,
}

impl<'w, 't> Judge<'w, 't> {
    pub fn new(weights: &'w Weights<'w>, text: &'t str, tokens: &'t [Token], known: &'w Known) -> Self {
        Self {
            text,
            tokens,
            known,
            recent: Recent::new(text, tokens),
            context: Recent::new(text, tokens),
            characters: characters::Recently::new(text),
            words: Vec::new(),
            chain: Chain::new(weights),
        }
    }

    /// Returns the names in a region: the likeliest ones, then those that would be with the bonus.
    pub fn names(&mut self, region: &Region, ask: Ask, forms: &mut Forms<'t>) -> Vec<Judged> {
        let Ask { bonus, reasons } = ask;
        self.score(region, forms);
        let chain = &mut self.chain;
        if let ([scores], [unit]) = (&chain.scores[..], &region.units[..])
            && !chain.weights.is_likely_alone(scores, unit.gap, bonus)
        {
            return Vec::new();
        }
        chain.gaps.clear();
        chain.gaps.extend(region.units.iter().map(|unit| (unit.gap, unit.link)));
        let likely = chain.best(bonus);
        // most regions have no name, however likely it is made
        if !likely.iter().any(|tag| matches!(tag, Tag::Begin | Tag::Organization)) {
            return Vec::new();
        }
        let best = chain.best(0);
        chain.look_back();
        let names_of = |tags: &[Tag]| {
            let mut names = chain.names(tags);
            if region.script == Script::Characters {
                characters::complete(self.text, &region.units, &mut names);
            }
            names
        };
        let mut names = names_of(&best);
        if bonus > 0 {
            // but those that overlap a likelier one
            let mut more = names_of(&likely);
            let overlaps = |one: &Judged, two: &Judged| one.start < two.end && two.start < one.end;
            more.retain(|more| more.tag.is_person() && !names.iter().any(|name| overlaps(name, more)));
            for name in more {
                names.insert(names.partition_point(|known| known.start < name.start), name);
            }
        }
        if reasons {
            names.iter_mut().for_each(|name| self.add_reasons(region, name));
        }
        names
    }

    /// Whether a word in lower case may be part of a name, by itself or by the phrase before it: the words around it are judged.
    ///
    /// Most words are ordinary ones, which one look at a table tells. Where a capital begins the passage, the writer may set
    /// capitals in names, too. There a word has to be in the lists of names and no word of a language.
    pub fn is_anchor(&mut self, script: Script, at: usize, forms: &mut Forms<'t>) -> bool {
        let Some(token) = self.tokens.get(at) else { return false };
        if self.known.contains_form(token.text(self.text), token.phrase) {
            return true;
        }
        if self.chain.weights.is_ordinary(token.phrase) || token.case == Case::Initial {
            return false;
        }
        let is_likely = if script == Script::Small {
            let [begin, inside, ..] = self.own(token, forms).sums.each();
            begin.max(inside) >= LEAST_OWN
        } else {
            lexicon::lookup(token.phrase).is_some_and(|(kind, _)| kind.name() > 0 && !kind.word)
        };
        is_likely || cues::before(self.text, self.tokens, at, INTRODUCING).is_some()
    }

    /// Reads a word that may be part of a name.
    fn own(&mut self, token: &Token, forms: &mut Forms<'t>) -> WeighedWord {
        let Self { known, recent, chain: Chain { weights, .. }, .. } = self;
        recent.get(token, |written| {
            let seen = SeenWord::new(written, token, As::Name, known, forms);
            WeighedWord::new(written, seen, weights.present, |features| weights.sum(features))
        })
    }

    /// Adds the reasons for a name in a region whose words have been read.
    fn add_reasons(&self, region: &Region, name: &mut Judged) {
        let (text, weights) = (self.text, self.chain.weights);
        let mut add = |unit: usize, features: &[&Features]| {
            let tag = match name.tag {
                Tag::Begin if unit > name.start => Tag::Inside,
                tag => tag,
            };
            if (name.start..name.end).contains(&unit) {
                features.iter().for_each(|features| name.reasons.add(weights, features, tag));
            }
        };
        let mut units = 0..region.units.len();
        if region.script == Script::Characters {
            characters::features(text, region, self.known, weights.present, &mut |features| {
                if let Some(unit) = units.next() {
                    add(unit, &[features]);
                }
            });
            return;
        }
        words::around(text, self.tokens, region, &self.words, weights.present, |word, features| {
            let Some(unit) = units.next() else { return };
            let token = region.units.get(unit).and_then(|unit| self.tokens.get(unit.token as usize));
            let written = token.map_or("", |token| token.text(text));
            add(unit, &[&word.own(written, weights.present), features]);
        });
    }

    /// Writes the scores of the tags for each unit in a region.
    fn score(&mut self, region: &Region, forms: &mut Forms<'t>) {
        let Self { text, tokens, known, recent, context, characters, words, chain } = self;
        let Chain { weights, scores, .. } = chain;
        let with = |sums: Sums| {
            let [begin, inside, place, organization] = sums.each();
            [0, begin, inside, place, organization]
        };
        scores.clear();
        if region.script == Script::Characters {
            characters.sums(text, region, known, weights, |sums| scores.push(with(sums)));
            return;
        }
        words::read(text, tokens, region, words, |token, is| {
            let mut read = |written| {
                let seen = SeenWord::new(written, token, is, known, forms);
                WeighedWord::new(written, seen, weights.present, |features| weights.sum(features))
            };
            match is {
                As::Context => {
                    let seen = context.get(token, |written| SeenWord::context(written, token));
                    WeighedWord { seen, ..WeighedWord::default() }
                }
                // a word in lower case is kept as a particle
                As::Name if token.case == Case::Lower && region.script == Script::Words => {
                    read(token.text(text))
                }
                As::Name | As::Particle => recent.get(token, read),
            }
        });
        words::around(text, tokens, region, words, weights.present, |word, features| {
            let mut sums = weights.sum(features);
            sums.add(word.sums);
            scores.push(with(sums));
        });
    }
}

/// A word in lower case is an anchor if the weights of its own features have at least this sum, in steps.
const LEAST_OWN: i32 = STEPS;

/// The meanings of phrases that make the next word an anchor.
const INTRODUCING: Says = Says::ANY_TITLE
    .or(Says::LABEL)
    .or(Says::SALUTATION)
    .or(Says::INTRODUCTION)
    .or(Says::CLOSING)
    .or(Says::RELATION);

/// The scores of a region, and the best scores of all paths up to each unit and from it.
struct Chain<'w> {
    weights: &'w Weights<'w>,
    scores: Vec<[i32; TAGS]>,
    /// The class of the gap before each unit, and whether a name may go on over it.
    gaps: Vec<(u8, Link)>,
    forward: Vec<[i32; TAGS]>,
    backward: Vec<[i32; TAGS]>,
}

/// The best scores before the first unit, which nothing is before.
const NOTHING: [i32; TAGS] = [0, NEVER, NEVER, NEVER, NEVER];

impl<'w> Chain<'w> {
    fn new(weights: &'w Weights<'w>) -> Self {
        Self { weights, scores: Vec::new(), gaps: Vec::new(), forward: Vec::new(), backward: Vec::new() }
    }

    /// Writes the best scores from after each unit on.
    fn look_back(&mut self) {
        let mut after = [0; TAGS];
        self.backward.clear();
        for (scores, (gap, _)) in self.scores.iter().zip(&self.gaps).rev() {
            self.backward.push(after);
            let mut before = [NEVER; TAGS];
            for ((row, score), rest) in self.weights.transitions(*gap).iter().zip(scores).zip(after) {
                for (best, weight) in before.iter_mut().zip(row) {
                    *best = (*best).max(weight + score + rest);
                }
            }
            after = before;
        }
        self.backward.reverse();
    }

    /// Writes the best scores up to each unit with each tag.
    fn look_ahead(&mut self, bonus: i32) {
        self.forward.clear();
        let mut last = NOTHING;
        for (scores, (gap, _)) in self.scores.iter().zip(&self.gaps) {
            let mut now = [NEVER; TAGS];
            for ((best, score), row) in now.iter_mut().zip(scores).zip(self.weights.transitions(*gap)) {
                let before = last.iter().zip(row).map(|(before, weight)| before + weight);
                *best = before.fold(NEVER - score, i32::max) + score;
            }
            if let Some(begin) = now.get_mut(Tag::Begin as usize) {
                *begin += bonus;
            }
            self.forward.push(now);
            last = now;
        }
    }

    /// The best tags, with a bonus for each name of a person.
    fn best(&mut self, bonus: i32) -> Vec<Tag> {
        self.look_ahead(bonus);
        let last = self.forward.last().copied().unwrap_or_default();
        let mut tag =
            last.iter().enumerate().rev().max_by_key(|(_, score)| **score).map_or(0, |(tag, _)| tag);
        let mut tags: Vec<Tag> = Vec::with_capacity(self.forward.len());
        let units = self.scores.iter().zip(&self.gaps).enumerate();
        for (at, (scores, (gap, _))) in units.rev() {
            let before = at.checked_sub(1).and_then(|last| self.forward.get(last)).unwrap_or(&NOTHING);
            tags.push(Tag::ALL.get(tag).copied().unwrap_or_default());
            let row = self.weights.transitions(*gap).get(tag).copied().unwrap_or_default();
            let score = scores.get(tag).copied().unwrap_or_default();
            // the first of the best tags before it
            let (mut best, mut from) = (NEVER - score, 0);
            for (other, (before, weight)) in before.iter().zip(row).enumerate() {
                if before + weight > best {
                    (best, from) = (before + weight, other);
                }
            }
            tag = from;
        }
        tags.reverse();
        tags
    }

    /// Returns the margin by which a unit is likelier part of a name with this tag than not.
    fn margin(&self, at: usize, tag: Tag) -> i32 {
        let (Some(forward), Some(backward)) = (self.forward.get(at), self.backward.get(at)) else { return 0 };
        let (mut inside, mut outside) = (NEVER, NEVER);
        for (score, other) in forward.iter().zip(backward).map(|(one, two)| one + two).zip(Tag::ALL) {
            let is = other == tag || tag.is_person() && other.is_person();
            let best = if is { &mut inside } else { &mut outside };
            *best = (*best).max(score);
        }
        inside - outside
    }

    /// By how much a stretch is likelier a name than none: each of its words, and of joined names the surest.
    fn margin_of(&self, tags: &[Tag], start: usize, end: usize) -> i32 {
        let mut surest = NEVER;
        let mut least = -NEVER;
        for (at, tag) in tags.iter().enumerate().take(end).skip(start) {
            if *tag == Tag::Begin && at > start {
                surest = surest.max(least);
                least = -NEVER;
            }
            least = least.min(self.margin(at, *tag));
        }
        surest.max(least)
    }

    fn names(&self, tags: &[Tag]) -> Vec<Judged> {
        let mut out = Vec::new();
        let mut start = 0;
        while let Some(tag) = tags.get(start).copied() {
            let goes_on = |(next, (gap, link)): &(&Tag, &(u8, Link))| match tag {
                Tag::Begin | Tag::Inside => {
                    let joins = *gap == SPACE || *link == Link::Dot;
                    *link != Link::Break && (**next == Tag::Inside || **next == Tag::Begin && joins)
                }
                tag => **next == tag,
            };
            let rest = tags.iter().zip(&self.gaps).skip(start + 1);
            let more = rest.take_while(goes_on).count();
            let end = start + 1 + more;
            if tag != Tag::Other {
                // the rest after a break is a name of its own
                let tag = if tag == Tag::Inside { Tag::Begin } else { tag };
                out.push(Judged {
                    tag,
                    start,
                    end,
                    margin: self.margin_of(tags, start, end),
                    reasons: Reasons::default(),
                });
            }
            start = end;
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Anchors, token};

    /// The regions of a text, as written.
    fn regions_of(text: &str) -> Vec<(Script, String)> {
        let tokens = token::tokens(text);
        let anchors = Anchors::new(text, &tokens);
        let mut out = Vec::new();
        let source = anchors.source(text, &tokens);
        let windows = regions::windows(source, |_, _| true);
        regions(source, &windows, |region| {
            let units =
                region.units.iter().map(|unit| text.get(unit.start as usize..unit.end as usize).unwrap());
            out.push((region.script, units.collect::<Vec<_>>().join("|")));
        });
        out
    }

    #[test]
    fn regions_are_where_names_may_be() {
        use Script::{Capitals, Cased, Characters, Opening, Small, Words};
        for (text, want) in [
            ("he met Ana de la Cruz there", vec![(Cased, "Ana|de|la|Cruz")]),
            ("The plan. We met in May", vec![(Cased, "May")]),
            (
                "First name: Jan Surname: Novak",
                vec![(Cased, "First"), (Cased, "Jan"), (Cased, "Surname|Novak")],
            ),
            ("we met. In May Bob came", vec![(Cased, "In|May|Bob")]),
            ("Ana\nBob", vec![(Cased, "Ana"), (Cased, "Bob")]),
            ("قال أحمد 12", vec![(Words, "قال|أحمد")]),
            ("彼は山田太郎です", vec![(Characters, "彼"), (Characters, "山|田|太|郎")]),
            ("นายสมชาย", vec![(Characters, "น|า|ย|ส|ม|ช|า|ย")]),
            ("ที่", vec![(Characters, "ที่")]),
            // without capitals all words are judged, and in capitals
            ("12 words in lower case", vec![(Small, "words|in|lower|case")]),
            ("hi, its ana from ROME", vec![(Small, "hi|its|ana|from"), (Cased, "ROME")]),
            ("hi, its ana. He met Bob", vec![(Cased, "He"), (Cased, "Bob")]),
            ("Hi, its ana", vec![(Cased, "Hi"), (Opening, "its|ana")]),
            ("ана спит. אני ana", vec![(Small, "ана|спит"), (Words, "אני")]),
            ("CALL ANA OR PETER\nCall Ana", vec![(Capitals, "CALL|ANA|OR|PETER"), (Cased, "Call|Ana")]),
            // but parts of identifiers
            (
                "ask jan.novak@example.cz or get_jan or sarah's https://example.com/jan --jan",
                vec![(Small, "ask"), (Small, "or"), (Small, "or|sarah|s")],
            ),
        ] {
            let want: Vec<_> = want.into_iter().map(|(script, units)| (script, units.to_owned())).collect();
            assert_eq!(regions_of(text), want, "{text}");
        }
    }

    #[test]
    fn long_regions_are_cut() {
        let text = "Ana ".repeat(300);
        assert!(regions_of(&text).iter().all(|(_, units)| units.split('|').count() <= 128));
        assert_eq!(regions_of(&text).len(), 3);
    }

    /// The best score of all ways to tag, with a tag at a place if one is given.
    fn best(
        weights: &Weights<'_>,
        scores: &[[i32; TAGS]],
        gaps: &[(u8, Link)],
        at: Option<(usize, usize)>,
    ) -> i32 {
        let mut best = NEVER;
        for code in 0..TAGS.pow(scores.len() as u32) {
            let (mut rest, mut before, mut sum) = (code, 0, 0);
            let mut allowed = true;
            for (place, scores) in scores.iter().enumerate() {
                let tag = rest % TAGS;
                rest /= TAGS;
                allowed &= at.is_none_or(|(wanted, of)| wanted != place || of == tag);
                sum += weights.transitions(gaps[place].0)[tag][before] + scores[tag];
                before = tag;
            }
            best = if allowed { best.max(sum) } else { best };
        }
        best
    }

    #[test]
    fn the_best_tags_are_those_of_all_ways_to_tag() {
        let [weights, _] = learnt();
        let mut state = 7_u32;
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) as i32 % 40 - 20
        };
        for len in 1..=4 {
            for _ in 0..20 {
                let scores: Vec<[i32; TAGS]> =
                    (0..len).map(|_| [0, random(), random(), random(), random()]).collect();
                let gaps = vec![(0, Link::Plain); len];
                let mut chain = Chain { scores: scores.clone(), gaps: gaps.clone(), ..Chain::new(&weights) };
                chain.look_ahead(0);
                chain.look_back();
                let total = chain.forward[len - 1].iter().max().copied().unwrap();
                assert_eq!(total, best(&weights, &scores, &gaps, None));
                for at in 0..len {
                    let of = |tag: Tag| best(&weights, &scores, &gaps, Some((at, tag as usize)));
                    let person = of(Tag::Begin).max(of(Tag::Inside));
                    let other = of(Tag::Other).max(of(Tag::Place)).max(of(Tag::Organization));
                    assert_eq!(chain.margin(at, Tag::Begin), person - other);
                }
            }
        }
    }

    #[test]
    fn a_word_alone_is_judged_as_a_region_of_one() {
        let [weights, _] = learnt();
        for step in 0..2_000_i32 {
            let score = |prime: i32| (step * prime) % 41 - 20;
            let scores = [[0, score(7), score(11), score(13), score(17)]];
            let (gap, bonus) = (step as u8 % GAPS as u8, step % 3 * 8);
            let mut chain =
                Chain { scores: scores.to_vec(), gaps: vec![(gap, Link::Plain)], ..Chain::new(&weights) };
            let is_name = matches!(chain.best(bonus)[..], [Tag::Begin | Tag::Organization]);
            assert_eq!(weights.is_likely_alone(&scores[0], gap, bonus), is_name, "{scores:?} {gap} {bonus}");
        }
    }

    #[test]
    fn names_that_only_a_space_or_a_middle_dot_divides_are_one() {
        let [weights, _] = learnt();
        let scores = [[0, 30, 0, 0, 0], [0, 50, 0, 0, 0], [0, 0, 40, 0, 0]];
        let tags = [Tag::Begin, Tag::Begin, Tag::Inside];
        let [comma, dot, space] = [(4, Link::Plain), (6, Link::Dot), (SPACE, Link::Plain)];
        for (gap, want) in [(space, vec![(0, 3)]), (dot, vec![(0, 3)]), (comma, vec![(0, 1), (1, 3)])] {
            let gaps = vec![(0, Link::Plain), gap, space];
            let mut chain = Chain { scores: scores.to_vec(), gaps, ..Chain::new(&weights) };
            chain.look_ahead(0);
            chain.look_back();
            let names = chain.names(&tags);
            assert_eq!(names.iter().map(|name| (name.start, name.end)).collect::<Vec<_>>(), want);
            // as sure as the surest of them
            let surest = (0..3).map(|at| chain.margin(at, tags[at])).collect::<Vec<_>>();
            let last = names.last().unwrap().margin;
            assert!(if want.len() == 1 { last >= surest[0] } else { last == surest[1].min(surest[2]) });
        }
    }

    #[test]
    fn a_break_cuts_a_name_in_two() {
        let [weights, _] = learnt();
        let scores = vec![[0, 30, 0, 0, 0], [0, 0, 30, 0, 0]];
        for (link, want) in [(Link::Plain, vec![(0, 2)]), (Link::Break, vec![(0, 1), (1, 2)])] {
            let gaps = vec![(0, Link::Plain), (6, link)];
            let mut chain = Chain { scores: scores.clone(), gaps, ..Chain::new(&weights) };
            let tags = chain.best(0);
            assert_eq!(tags, [Tag::Begin, Tag::Inside]);
            chain.look_back();
            let names = chain.names(&tags);
            assert!(names.iter().all(|name| name.tag == Tag::Begin));
            assert_eq!(names.iter().map(|name| (name.start, name.end)).collect::<Vec<_>>(), want, "{link:?}");
        }
    }

    #[test]
    fn weights_are_those_of_the_planes() {
        let all: Vec<u8> = (0..=255).collect();
        let planes_of_all = planes(&all);
        let weights = Weights { planes: planes_of_all.each_ref().map(Vec::as_slice), ..LEARNT };
        let joined: Vec<i32> = (0..64).flat_map(|at| weights.at(at).each()).collect();
        assert_eq!(joined, all.iter().map(|weight| i32::from(weight.cast_signed())).collect::<Vec<_>>());
        // small ones have no high half
        let [.., first_high, second_high] = planes(&[7, 249, 0, 248]);
        assert!(first_high == [0] && second_high == [0]);
    }

    #[test]
    fn weights_are_found_by_their_rank() {
        let [plain, _] = learnt();
        let (mut with, mut without) = (0, 0);
        for value in 0..2_000 {
            // as many features as fit, all of them the same
            let mut list = Features::new(LEARNT.present);
            (0..MAX_FEATURES).for_each(|_| list.add(0, Of::Letters, [value, 0, 0]));
            let index = feature(0, Of::Letters, [value, 0, 0]) as usize;
            let is_present = |index: usize| LEARNT.present[index / 64][index / 8 % 8] >> (index % 8) & 1 == 1;
            let rank = (0..index).filter(|index| is_present(*index)).count();
            let mut want = [0; WEIGHED];
            if is_present(index) {
                with += 1;
                want = LEARNT.at(rank).each().map(|weight| MAX_FEATURES as i32 * weight);
            } else {
                without += 1;
            }
            assert_eq!(plain.sum(&list).each(), want, "{index}");
        }
        assert!(with > 50 && without > 50, "{with} {without}");
        assert_eq!(plain.sum(&Features::new(LEARNT.present)), Sums::default());
    }

    #[test]
    fn words_of_sure_names_are_known_for_the_second_reading() {
        // the surname alone is no name to the first reading
        let alone = "Then Brenholt went home.";
        let inflected = "Policja odda\u{142}a Brenholtowi kapelusz.";
        let found = |text: &str| {
            let mut names = Vec::new();
            let mut known = Known::default();
            let tokens = token::tokens(text);
            let work = Work::default();
            let anchors = Anchors::new(text, &tokens);
            let source = anchors.source(text, &tokens);
            let ask = Ask { bonus: 0, reasons: false };
            self::names(&learnt(), source, &mut known, ask, &work, |_, region, name| {
                if name.tag.is_person() {
                    let span = region.span(name).unwrap();
                    let written = text.get(span.start as usize..span.end as usize).unwrap();
                    names.push((written.to_owned(), name.margin));
                }
            });
            names
        };
        let margin = |text: &str, name: &str| {
            let names = found(text);
            names.iter().rev().find(|(found, _)| found == name).map(|(_, margin)| *margin)
        };
        for (told, text, name) in [
            ("Yesterday Professor Margaret Brenholt was elected president.", alone, "Brenholt"),
            ("Yesterday Professor Margaret Brenholt was elected president.", inflected, "Brenholtowi"),
            ("\u{201c}Yes,\u{201d} said Dr. Harold Brenholt to his wife.", alone, "Brenholt"),
        ] {
            let both = format!("{told} {text}");
            assert!(margin(&both, name) > margin(text, name), "{:?} {:?}", found(&both), found(text));
        }
        // a sure name of one word is not judged again, with itself as a proof
        let one = "\u{201c}Yes,\u{201d} said Mr. Brenholt to his wife.";
        assert_eq!(margin(&format!("{one} It rained."), "Brenholt"), margin(one, "Brenholt"));
    }
}
