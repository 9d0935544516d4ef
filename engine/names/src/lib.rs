//! Finds names of people, addresses and organisations from lexicons, the words around them, and a small model that
//! learnt from annotated text.

use textveil_weights::place as weights;

mod address;
mod age;
mod birth_date;
mod burmese;
mod columns;
mod cues;
mod dictation;
mod east_asia;
mod east_asian_address;
mod inflection;
mod initials;
pub mod judge;
mod lexicon;
mod markup;
mod number;
mod organization;
mod passages;
mod person;
mod place;
mod proclitics;
mod recent;
mod signs;
mod speakers;
mod spelling;
mod table;
mod token;
pub mod wire;
mod word_list;
mod words;

use std::fmt;

use textveil_phrase::{
    Phrase,
    order::sorted_places,
    work::{Stage, Work},
};

use columns::Columns;
pub use judge::Reason;
use passages::{Passage, Passages};
use signs::Signs;
pub use token::breaks_off;
use token::{Case, Gap, Token};

/// The type of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A name of a person.
    Name,
    /// A postal address.
    Address,
    /// A company or another body.
    Organization,
    /// A city after its label.
    City,
    /// A birthplace after its label.
    Birthplace,
    /// An age.
    Age,
    /// A date, which is a birth date if other evidence says so.
    BirthDate,
    /// A number or an e-mail address that is dictated in words.
    Dictated,
}

/// A day of the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Day {
    /// The year of the common era.
    pub year: u16,
    /// The month, 1 to 12; `None` if its name means several months.
    pub month: Option<u8>,
    /// The day of the month.
    pub day: u8,
}

/// The role of a part of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Given names.
    Given,
    /// Family names.
    Family,
    /// Titles before a name, which are not part of it.
    Title,
    /// A street.
    Street,
    /// A house number.
    Number,
    /// A flat, a floor, a building.
    Unit,
    /// A postal code.
    PostalCode,
    /// A city.
    City,
    /// A state or a county.
    Region,
    /// A country.
    Country,
}

/// The usual gender of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gender {
    /// A woman's.
    Female,
    /// A man's.
    Male,
}

/// A range of the text, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// First byte inside.
    pub start: u32,
    /// First byte after.
    pub end: u32,
}

/// A candidate in the text, with its evidence in log-odds.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The type.
    pub kind: Kind,
    /// First byte inside.
    pub start: u32,
    /// First byte after.
    pub end: u32,
    /// The odds from its own words and adjacent text.
    pub shape: f32,
    /// The weight of the label or other words around it.
    pub label: f32,
    /// The range of those words.
    pub label_at: Option<Part>,
    /// Its parts.
    pub parts: Vec<(Role, Part)>,
    /// The usual gender of the given name or the title.
    pub gender: Option<Gender>,
    /// The country in which the name is most frequent (ISO 3166-1 alpha-2, upper case).
    pub country: Option<[u8; 2]>,
    /// The day of a date.
    pub day: Option<Day>,
    /// The number or the e-mail address that words dictate.
    pub said: String,
    /// The strongest reasons for or against it, in log-odds, the strongest first, if [`find`] is to explain them.
    pub reasons: Vec<(Reason, f32)>,
}

impl Candidate {
    fn new(kind: Kind, place: Part, shape: f32) -> Self {
        let Part { start, end } = place;
        Self {
            kind,
            start,
            end,
            shape,
            label: 0.0,
            label_at: None,
            parts: Vec::new(),
            gender: None,
            country: None,
            day: None,
            said: String::new(),
            reasons: Vec::new(),
        }
    }

    /// Returns the candidate with these parts, ignoring absent ones.
    fn with_parts<const N: usize>(self, parts: [(Role, Option<Part>); N]) -> Self {
        let parts = parts.into_iter().filter_map(|(role, place)| Some((role, place?)));
        Self { parts: parts.collect(), ..self }
    }

    /// Shifts the candidate for a text that begins `by` bytes earlier.
    pub fn shift(&mut self, by: u32) {
        let places = self.parts.iter_mut().map(|(_, place)| place).chain(&mut self.label_at);
        places.for_each(|place| *place = Part { start: place.start + by, end: place.end + by });
        self.start += by;
        self.end += by;
    }

    /// Returns the range of a part.
    pub fn part(&self, role: Role) -> Option<Part> {
        self.parts.iter().find(|(known, _)| *known == role).map(|(_, place)| *place)
    }

    /// Returns the sum of all evidence, in log-odds.
    pub fn odds(&self) -> f32 {
        self.shape + self.label
    }
}

/// Names found earlier: their parts are names at any place of the text.
///
/// A stream and a conversation keep them, so there are `MAX_KNOWN` at most; the first ones stay.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Known(Vec<u32>);

/// The maximum number of known words.
const MAX_KNOWN: usize = 4_096;

/// The minimum length of a known word that is found with an ending, in characters, and the maximum length of the ending.
const LEAST_STEM: usize = 4;
const MAX_ENDING: usize = 3;

/// Omits the hashes: the hash of a name identifies it.
impl fmt::Debug for Known {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Known").field("names", &self.len()).finish()
    }
}

impl Known {
    fn contains(&self, name: Phrase) -> bool {
        self.0.binary_search(&name.value()).is_ok()
    }

    /// Whether a word is known, or what is left of it without an ending: `Tonikowi` of `Tonik`.
    fn contains_form(&self, written: &str, name: Phrase) -> bool {
        if self.0.is_empty() {
            return false;
        }
        if self.contains(name) {
            return true;
        }
        // the word without its last letter, without its last two, and so on
        let (mut stems, mut stem, mut len) = ([Phrase::EMPTY; MAX_ENDING], Phrase::EMPTY, 0_usize);
        for letter in written.chars() {
            stems.rotate_right(1);
            if let Some(first) = stems.first_mut() {
                *first = stem;
            }
            stem = stem.with_letter(letter);
            len += 1;
        }
        stems.iter().take(len.saturating_sub(LEAST_STEM)).any(|stem| self.contains(*stem))
    }

    fn insert(&mut self, name: Phrase) {
        if self.len() < MAX_KNOWN
            && let Err(place) = self.0.binary_search(&name.value())
        {
            self.0.insert(place, name.value());
        }
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}

/// Length of the text before a word that [`may_begin`] reads, in bytes.
const BEFORE: usize = 40;

/// Whether a finding may begin with a lower-case word, which usually continues a finding: `my name is jan`, `sarah miller`,
/// `thirty-four years old`, `rue de la Paix 5`.
///
/// False positives are possible.
pub fn may_begin(before: &str, word: &str) -> bool {
    let start = before.floor_char_boundary(before.len().saturating_sub(BEFORE));
    let before = before.get(start..).unwrap_or_default();
    // of these scripts, Georgian has letters in lower case
    word.contains(judge::is_unlearnt)
        || is_introduced(before, word)
        || token::tokens(word).first().is_some_and(|word| {
            birth_date::may_begin(word) || address::may_begin(word) || dictation::may_begin(word)
        })
        || judge::may_begin(word)
}

/// Whether a dictated number may begin with this word.
pub fn begins_dictation(word: &str) -> bool {
    token::tokens(word).first().is_some_and(dictation::may_begin)
}

/// Whether a word may begin a dictated e-mail address.
///
/// The text behind the word decides: ` dot novak at example dot cz`.
///
/// `None` if that text has not arrived.
pub fn may_be_dictated(rest: &str) -> Option<bool> {
    dictation::joins(rest)
}

/// Whether the end of a text may introduce a name in lower case that begins with this word.
fn is_introduced(before: &str, word: &str) -> bool {
    let tokens = token::tokens(&[before, word].concat());
    tokens
        .iter()
        .position(|token| token.start as usize >= before.len())
        .is_some_and(|at| person::may_be_told(&tokens, at))
}

/// Whether a text is several words of a script that has spaces and no capitals, such as Arabic or Hangul.
///
/// ```
/// assert!(textveil_names::are_words_without_capitals("محمد علي"));
/// assert!(textveil_names::are_words_without_capitals("엘비스 코스텔로"));
/// assert!(!textveil_names::are_words_without_capitals("محمد"));
/// assert!(!textveil_names::are_words_without_capitals("Жан Дюпон"));
/// assert!(!textveil_names::are_words_without_capitals("山田 太郎"));
/// ```
pub fn are_words_without_capitals(text: &str) -> bool {
    text.contains(' ') && text.chars().next().is_some_and(judge::is_spaced_without_capitals)
}

/// Finds names, addresses and organisations in a text, sorted by position.
///
/// Adds the sure names to `known`. With `explain`, names of people and organisations have their strongest reasons:
/// [`Candidate::reasons`].
///
/// ```
/// use textveil_names::{Known, Reason, find};
///
/// let candidates = find("He asked Dr. Emily Carter about it.", &mut Known::default(), true);
/// let reasons: Vec<Reason> = candidates[0].reasons.iter().map(|(reason, _)| *reason).collect();
/// assert!(reasons.contains(&Reason::Lexicon));
/// ```
pub fn find(text: &str, known: &mut Known, explain: bool) -> Vec<Candidate> {
    find_counted(text, known, explain, &Work::default())
}

/// Finds the same as [`find`], and counts the steps, except those of the reasons.
pub fn find_counted(text: &str, known: &mut Known, explain: bool, work: &Work) -> Vec<Candidate> {
    let before = explain.then(|| known.clone());
    let mut candidates = find_everywhere(text, known, work);
    if let Some(before) = before {
        self::explain(text, before, &mut candidates);
    }
    candidates
}

/// Finds names in a text and in its tables.
fn find_everywhere(text: &str, known: &mut Known, work: &Work) -> Vec<Candidate> {
    let columns = Columns::new(text, work);
    if columns.is_empty() {
        return read(text, known, work);
    }
    let mut found = columns.in_text(read(&columns.form, known, work));
    let others = read(text, known, work);
    found.extend(others.iter().filter(|candidate| !columns.overrule(candidate, text, &others)).cloned());
    sort(&mut found);
    found
}

/// Adds the strongest reasons to names of people and organisations; `known` are the names that were known before the text.
fn explain(text: &str, known: Known, candidates: &mut [Candidate]) {
    let tokens = token::tokens(text);
    let anchors = Anchors::new(text, &tokens);
    judge::explain(&judge::learnt(), anchors.source(text, &tokens), known, candidates);
}

/// Sorts candidates by their position.
#[inline(never)]
pub(crate) fn sort(candidates: &mut Vec<Candidate>) {
    let key = |candidate: &Candidate| (candidate.start, candidate.end);
    if candidates.is_sorted_by_key(key) {
        return;
    }
    let at = |place: usize| candidates.get(place).map(key);
    let places = sorted_places(candidates.len(), &|one, other| at(one).cmp(&at(other)));
    let mut unsorted: Vec<Option<Candidate>> = candidates.drain(..).map(Some).collect();
    candidates.extend(places.into_iter().filter_map(|place| unsorted.get_mut(place)?.take()));
}

/// Finds names, addresses and organisations in a text without tables, sorted by position.
fn read(text: &str, known: &mut Known, work: &Work) -> Vec<Candidate> {
    let tokens = token::tokens(text);
    let all = Anchors::new(text, &tokens);
    let Anchors { names: beginnings, others: anchors, .. } = &all;
    work.add(Stage::Names, text.len() + 10 * (beginnings.len() + anchors.len()));
    let mut out = Vec::new();
    organization::find(text, &tokens, anchors, &mut out);
    address::find(text, &tokens, anchors, &mut out);
    east_asian_address::find(text, &tokens, beginnings, &mut out);
    place::find(text, &tokens, beginnings, &mut out);
    age::find(text, &tokens, anchors, &mut out);
    dictation::find(text, &tokens, anchors, &mut out);
    birth_date::find(text, &tokens, anchors, &mut out);
    let places = out.len();
    person::find(all.source(text, &tokens), known, &mut out, work);
    work.add(Stage::Names, 20 * out.len());
    // a name may be part of a street or of a company
    let mut names = out.split_off(places);
    // the value after the label of a company may be a person
    sort(&mut names);
    out.retain(|place| {
        let at = names.partition_point(|name| name.start < place.start);
        let is_same =
            |name: &&Candidate| name.kind == Kind::Name && (name.start, name.end) == (place.start, place.end);
        let same = names.get(at).filter(is_same);
        place.kind != Kind::Organization || same.is_none_or(|name| name.odds() <= place.odds())
    });
    sort(&mut out);
    // the furthest end of all places up to each one
    let ends: Vec<u32> = out
        .iter()
        .scan(0, |end, place| {
            *end = if place.odds() > weights::WINS { place.end.max(*end) } else { *end };
            Some(*end)
        })
        .collect();
    names.retain(|name| {
        let before = out.partition_point(|place| place.start < name.end);
        before.checked_sub(1).and_then(|last| ends.get(last)).is_none_or(|end| *end <= name.start)
    });
    initials::find(text, &tokens, &names, known, &mut out);
    out.extend(names);
    sort(&mut out);
    out
}

/// The words of a text at which a candidate may begin or end.
#[derive(Default)]
struct Anchors {
    /// Words that may begin a name, or a place after its label: all with capitals and of scripts without capitals,
    /// and lower-case words after a phrase that introduces a name.
    names: Vec<usize>,
    /// All other anchors: numbers, words after a label, the first words of legal forms and of numbers in
    /// words, and months.
    others: Vec<usize>,
    /// The passages whose letter case does not tell names.
    passages: Vec<Passage>,
}

impl Anchors {
    pub fn new(text: &str, tokens: &[Token]) -> Self {
        let mut anchors = Self::default();
        let mut last = Signs::NONE;
        let mut passages = Passages::default();
        for (at, token) in tokens.iter().enumerate() {
            let before = std::mem::replace(&mut last, token.signs);
            // most words
            if token.case == Case::Lower
                && token.gap == Gap::Space
                && !token.signs.has(Signs::NUMBER.or(Signs::FORM))
                && !before.has(Signs::NAMING)
            {
                continue;
            }
            passages.read(text, tokens, at, token);
            let begins = match token.case {
                Case::Number => false,
                Case::Lower => person::may_be_told(tokens, at),
                _ => true,
            };
            if begins {
                anchors.names.push(at);
            }
            if token.case == Case::Number
                || token.gap == Gap::Colon
                || token.signs.has(Signs::NUMBER)
                || token.gap == Gap::Other && address::has_no_number(text, tokens, at)
                || token.signs.has(Signs::FORM) && organization::may_be_form(text, tokens, at)
            {
                anchors.others.push(at);
            }
        }
        anchors.passages = passages.finish(tokens.len());
        anchors
    }

    /// The text as it is judged.
    pub fn source<'t>(&'t self, text: &'t str, tokens: &'t [Token]) -> judge::Source<'t> {
        judge::Source { text, tokens, beginnings: &self.names, passages: &self.passages }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_bounded_and_stays_out_of_debug() {
        let mut known = Known::default();
        for number in 0..2 * MAX_KNOWN {
            known.insert(Phrase::EMPTY.with(&format!("name{number}")));
        }
        assert_eq!(known.len(), MAX_KNOWN);
        assert!(known.contains(Phrase::EMPTY.with("Name0")));
        assert_eq!(format!("{known:?}"), "Known { names: 4096 }");
    }

    #[test]
    fn known_words_have_endings() {
        let mut known = Known::default();
        ["Ton\u{ed}k", "Bob"].iter().for_each(|name| known.insert(Phrase::EMPTY.with(name)));
        for (word, is_known) in [
            ("Ton\u{ed}k", true),
            ("Ton\u{ed}kovi", true),
            ("Ton\u{ed}kovic", false),
            ("ton\u{ed}ka", true),
            ("Bob", true),
            // three letters are too short a stem
            ("Bobs", false),
        ] {
            assert_eq!(known.contains_form(word, Phrase::EMPTY.with(word)), is_known, "{word}");
        }
    }

    #[test]
    fn names_in_lower_case_have_an_introduction() {
        for (before, expected) in [
            ("my name is ", true),
            ("se llama ", true),
            ("first name: ", true),
            ("first_name=", true),
            ("the price of ", false),
            ("ask the ", false),
            ("", false),
        ] {
            assert_eq!(is_introduced(before, "jan"), expected, "{before}");
        }
        assert!(may_begin("", "\u{10d3}\u{10d0}\u{10d5}\u{10d8}\u{10d7}") && !may_begin("", "bread"));
    }
}
