//! Names of people, addresses and organisations, found without a model on the wire: by what words are known as and
//! by what stands around them.

mod address;
mod age;
mod birth_date;
mod cues;
mod east_asia;
mod east_asian_address;
mod inflection;
mod lexicon;
mod markup;
mod number;
mod organization;
mod person;
mod place;
mod signs;
mod spelling;
mod table;
mod token;
pub mod wire;

use std::fmt;

use textveil_phrase::{
    Phrase,
    work::{Stage, Work},
};

use signs::Signs;
pub use token::breaks_off;
use token::{Case, Gap, Token};

/// What is guessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A name of a person.
    Name,
    /// A postal address.
    Address,
    /// A company or another body.
    Organization,
    /// A city behind its label.
    City,
    /// Where someone was born, behind its label.
    Birthplace,
    /// How old someone is.
    Age,
    /// A day, which is that of someone's birth where something says so.
    BirthDate,
}

/// A day of the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Day {
    /// Of the common era.
    pub year: u16,
    /// From 1 to 12; none where its name is that of several.
    pub month: Option<u8>,
    /// Of the month.
    pub day: u8,
}

/// What a part of what is found is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Given names.
    Given,
    /// Family names.
    Family,
    /// Titles before a name, which are no part of it.
    Title,
    /// A street.
    Street,
    /// The number of a house.
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

/// Of whom a name usually is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gender {
    /// Of a woman.
    Female,
    /// Of a man.
    Male,
}

/// A place of the text, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// First byte inside.
    pub start: u32,
    /// First byte after.
    pub end: u32,
}

/// A place of the text that is probably what is looked for, and what speaks for it, in log-odds.
#[derive(Clone, Debug)]
pub struct Guess {
    /// What it is.
    pub kind: Kind,
    /// First byte inside.
    pub start: u32,
    /// First byte after.
    pub end: u32,
    /// What its words say, and what touches it.
    pub shape: f32,
    /// What the words around it say.
    pub label: f32,
    /// Where these stand.
    pub label_at: Option<Part>,
    /// What it is made of.
    pub parts: Vec<(Role, Part)>,
    /// Of whom the given name, or the title, usually is.
    pub gender: Option<Gender>,
    /// Where it is most usual (ISO 3166-1 alpha-2, upper case).
    pub country: Option<[u8; 2]>,
    /// The day that a date is.
    pub day: Option<Day>,
}

impl Guess {
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
        }
    }

    /// The same guess, with those of these parts that it has.
    fn with_parts<const N: usize>(self, parts: [(Role, Option<Part>); N]) -> Self {
        let parts = parts.into_iter().filter_map(|(role, place)| Some((role, place?)));
        Self { parts: parts.collect(), ..self }
    }

    /// The same guess about a text that begins so many bytes before.
    pub fn shift(&mut self, by: u32) {
        let places = self.parts.iter_mut().map(|(_, place)| place).chain(&mut self.label_at);
        places.for_each(|place| *place = Part { start: place.start + by, end: place.end + by });
        self.start += by;
        self.end += by;
    }

    /// The place of a part.
    pub fn part(&self, role: Role) -> Option<Part> {
        self.parts.iter().find(|(known, _)| *known == role).map(|(_, place)| *place)
    }

    /// The sum of what speaks for it.
    pub fn odds(&self) -> f32 {
        self.shape + self.label
    }
}

/// Names that were found before: their parts are names wherever they stand. A stream and a conversation keep them, so
/// there are [`MAX_KNOWN`] at most; the first ones stay.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Known(Vec<u32>);

/// How many words of names are remembered.
const MAX_KNOWN: usize = 4_096;

/// Hashes of names stay out: of a name, its hash tells as much as it does.
impl fmt::Debug for Known {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Known").field("names", &self.len()).finish()
    }
}

impl Known {
    fn contains(&self, name: Phrase) -> bool {
        self.0.binary_search(&name.value()).is_ok()
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

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// How much of the text before a word [`may_begin`] reads, in bytes.
const BEFORE: usize = 40;

/// Whether something may begin with a word in small letters, which otherwise only continues what began before it:
/// `my name is jan`, `thirty-four years old`, `rue de la Paix 5`. Some words that begin nothing are taken for such, too.
pub fn may_begin(before: &str, word: &str) -> bool {
    let start = before.floor_char_boundary(before.len().saturating_sub(BEFORE));
    let before = token::tokens(before.get(start..).unwrap_or_default());
    before.last().is_some_and(|last| last.signs.has(Signs::NAMING))
        || token::tokens(word)
            .first()
            .is_some_and(|word| birth_date::may_begin(word) || address::may_begin(word))
}

/// A place as likely as this keeps names away that stand within it.
const PLACE: f32 = -0.5;

/// Finds names, addresses and organisations in a text, in the order of their places.
pub fn find(text: &str, known: &mut Known) -> Vec<Guess> {
    find_counted(text, known, &Work::default())
}

/// Finds the same as [`find`] and counts the steps.
pub fn find_counted(text: &str, known: &mut Known, work: &Work) -> Vec<Guess> {
    let tokens = token::tokens(text);
    let Anchors { names: beginnings, others: anchors } = Anchors::new(text, &tokens);
    work.add(Stage::Names, text.len() + 10 * (beginnings.len() + anchors.len()));
    let mut out = Vec::new();
    organization::find(text, &tokens, &anchors, &mut out);
    address::find(text, &tokens, &anchors, &mut out);
    east_asian_address::find(text, &tokens, &mut out);
    place::find(text, &tokens, &beginnings, &mut out);
    age::find(text, &tokens, &anchors, &mut out);
    birth_date::find(text, &tokens, &anchors, &mut out);
    let places = out.len();
    person::find(text, &tokens, &beginnings, known, &mut out);
    east_asia::find(text, &tokens, known, &mut out);
    work.add(Stage::Names, 20 * out.len());
    // a street that is called after someone, a company of someone's
    let mut names = out.split_off(places);
    // what stands behind the label of a company may be a person
    names.sort_by_key(|guess| guess.start);
    out.retain(|place| {
        let at = names.partition_point(|name| name.start < place.start);
        let same = names.get(at).filter(|name| (name.start, name.end) == (place.start, place.end));
        place.kind != Kind::Organization
            || place.label == 0.0
            || same.is_none_or(|name| name.odds() <= place.odds())
    });
    out.sort_by_key(|guess| guess.start);
    // the furthest end of any place up to each
    let ends: Vec<u32> = out
        .iter()
        .scan(0, |end, place| {
            *end = if place.odds() > PLACE { place.end.max(*end) } else { *end };
            Some(*end)
        })
        .collect();
    names.retain(|name| {
        let before = out.partition_point(|place| place.start < name.end);
        before.checked_sub(1).and_then(|last| ends.get(last)).is_none_or(|end| *end <= name.start)
    });
    out.extend(names);
    out.sort_by_key(|guess| (guess.start, guess.end));
    out
}

/// The words of a text at which something may be told.
#[derive(Default)]
struct Anchors {
    /// What a name, or a place behind its label, may begin with: capitals, words of scripts that have none, and words in
    /// small letters behind what tells a name.
    names: Vec<usize>,
    /// What else may be told at: numbers, what stands behind a label, and what a legal form or a number in words begins
    /// with, and months.
    others: Vec<usize>,
}

impl Anchors {
    fn new(text: &str, tokens: &[Token]) -> Self {
        let mut anchors = Self::default();
        for (at, token) in tokens.iter().enumerate() {
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
                || token.signs.has(Signs::FORM) && organization::may_be_form(text, tokens, at)
            {
                anchors.others.push(at);
            }
        }
        anchors
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
}
