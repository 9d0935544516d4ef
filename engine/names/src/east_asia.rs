//! Finds names in Han characters, kana and Hangul, which are written without spaces.
//!
//! A name is a known family name followed by a few characters, next to a label, a title or the closing of a
//! letter.

use std::{cell::OnceCell, ops::Range};

use textveil_phrase::Phrase;
use textveil_weights as weights;

use crate::{
    Candidate, Kind, Known, Part, Role,
    cues::{self, Cue, Says},
    lexicon,
    person::{Before, before},
    token::{Case, Gap, Token, span},
    words::people::KOREAN_ENDINGS,
};

include!(concat!(env!("OUT_DIR"), "/east_asia.rs"));

/// The maximum number of characters of a family name, and of a full name.
const MAX_FAMILY: usize = 3;
const MAX_NAME: usize = 6;
/// The maximum number of characters of a given name after a family name of one character, and after a longer
/// one.
const MAX_GIVEN: usize = 2;
const MAX_GIVEN_LONG: usize = 3;
/// Finds the names in a text that the words around introduce.
pub(crate) fn find(
    text: &str,
    tokens: &[Token],
    beginnings: &[usize],
    known: &Known,
    out: &mut Vec<Candidate>,
) {
    for row in rows(text, tokens, beginnings) {
        if !is_told(text, tokens, &row) {
            continue;
        }
        let first = out.len();
        names(text, tokens, row, known, out);
        let told = out.split_off(first);
        out.extend(told.into_iter().filter(|candidate| candidate.label >= weights::person::TOLD));
    }
}

/// Whether words before or after any stretch of a row introduce a name. Those of most rows do not, and are not read further.
fn is_told(text: &str, tokens: &[Token], row: &Range<usize>) -> bool {
    row.clone().any(|at| {
        let last = at.checked_sub(1).and_then(|last| tokens.get(last));
        last.is_some_and(|last| !last.is_alone || cues::may_introduce(last.phrase))
            && before(text, tokens, at).weight >= weights::person::TOLD
            || honorific(text, tokens, at + 1).is_some()
    })
}

/// Returns a name with its parts.
pub(crate) fn parts(text: &str, tokens: &[Token], place: Range<usize>) -> Option<Candidate> {
    let (family, _) = Families::new(text, tokens, place.clone()).longest(place.len());
    let found = span(tokens, place.start, place.end)?;
    let given_at = place.start + family;
    Some(Candidate::new(Kind::Name, found, 0.0).with_parts([
        (Role::Family, span(tokens, place.start, given_at).filter(|_| family > 0 && family < place.len())),
        (Role::Given, span(tokens, given_at, place.end).filter(|_| family > 0)),
    ]))
}

/// Returns the rows to search for names. A space may separate a family name and a given name: `佐藤 健`.
fn rows(text: &str, tokens: &[Token], beginnings: &[usize]) -> Vec<Range<usize>> {
    let mut rows: Vec<Range<usize>> = Vec::new();
    each_row(tokens, beginnings, |row| {
        let spaced = tokens.get(row.start).is_some_and(|first| first.gap == Gap::Space);
        match rows.last_mut() {
            Some(last)
                if spaced
                    && last.end == row.start
                    && row.len() <= MAX_GIVEN_LONG
                    && (2..=MAX_FAMILY).contains(&last.len())
                    && Families::new(text, tokens, last.clone()).longest(last.len()).0 == last.len() =>
            {
                last.end = row.end;
            }
            _ => rows.push(row),
        }
    });
    rows
}

/// Calls `take` for every row of adjacent characters, given the words that may begin a name: all such characters may.
pub(crate) fn each_row(tokens: &[Token], beginnings: &[usize], mut take: impl FnMut(Range<usize>)) {
    let mut at = 0;
    for &start in beginnings {
        if start < at || !tokens.get(start).is_some_and(|token| token.is_alone) {
            continue;
        }
        at = start + 1;
        while tokens.get(at).is_some_and(|next| next.is_alone && next.gap == Gap::None) {
            at += 1;
        }
        take(start..at);
    }
}

/// Adds the names of a row, from left to right.
fn names(text: &str, tokens: &[Token], row: Range<usize>, known: &Known, out: &mut Vec<Candidate>) {
    let mut at = row.start;
    while at < row.end {
        if is_within_word(text, tokens, at) {
            at += 1;
            continue;
        }
        let begin = Beginning::new(text, tokens, at, row.end);
        let mut phrase = Phrase::EMPTY;
        let best = (at + 1..=row.end.min(at + MAX_NAME))
            .filter_map(|end| {
                let told = known.len() > 0 && {
                    phrase = phrase.with(tokens.get(end - 1)?.text(text));
                    known.contains(phrase)
                };
                // most stretches are neither of a name nor of a row
                if !(told || (at..end) == row || begin.families.fit(end - at)) {
                    return None;
                }
                begin.name(&row, end, told).map(|candidate| (candidate, end))
            })
            // prefers the longer of two equally likely names
            .reduce(|best, next| if next.0.odds() >= best.0.odds() { next } else { best });
        match best {
            Some((candidate, end)) if candidate.odds() > weights::east_asia::HOPELESS => {
                out.push(candidate);
                at = end;
            }
            _ => at += 1,
        }
    }
}

/// The character at which several candidates begin, and the evidence that they share.
struct Beginning<'t> {
    text: &'t str,
    tokens: &'t [Token],
    at: usize,
    families: Families,
    /// The words before it, and the phrase that it begins; read when a candidate needs them.
    label: OnceCell<Before>,
    said: OnceCell<Option<Cue>>,
}

impl<'t> Beginning<'t> {
    fn new(text: &'t str, tokens: &'t [Token], at: usize, end: usize) -> Self {
        let families = Families::new(text, tokens, at..end);
        Self { text, tokens, at, families, label: OnceCell::new(), said: OnceCell::new() }
    }

    /// Returns the candidate that ends before the character `end`; `told` if it is known.
    fn name(&self, row: &Range<usize>, end: usize, told: bool) -> Option<Candidate> {
        let Self { text, tokens, at, .. } = *self;
        let place = at..end;
        let len = place.len();
        let (family, grade) = self.families.longest(len);
        let given = len - family;
        let label = *self.label.get_or_init(|| before(text, tokens, at));
        // after a label any value is a name
        let labelled = label.weight >= weights::person::LABELLED && place == *row;
        if !(self.families.fit(len) || labelled || told) {
            return None;
        }
        // the closing of a letter, a salutation
        let counts = Says::CLOSING.or(Says::SALUTATION).or(Says::COMMON);
        let said = *self.said.get_or_init(|| cues::from(text, tokens, at, counts));
        if said.is_some_and(|said| said.words >= len) {
            return None;
        }
        let first = tokens.get(at)?;
        let found = span(tokens, place.start, place.end)?;
        let written = text.get(found.start as usize..found.end as usize)?;
        let given_name = written.chars().skip(family).filter(|letter| !letter.is_whitespace());
        if written.chars().any(|letter| NEVER.binary_search(&letter).is_ok()) && !labelled {
            return None;
        }
        // one syllable has a title of one: `김씨`, but `복귀하는` is a verb
        let fits_title =
            |title: &Part| len > 1 || !is_hangul(text, first) || title.end - title.start <= SYLLABLE;
        let honorific = honorific(text, tokens, place.end).filter(fits_title);
        let line = |token: Option<&Token>| token.is_none_or(|token| token.gap == Gap::Line);
        let own_line = line(tokens.get(place.start)) && line(tokens.get(place.end));
        let counts = !label.line || line(tokens.get(place.end)) || honorific.is_some();
        let Before { weight, at, .. } = if counts { label } else { Before::default() };
        let mut shape = weights::east_asia::FAMILY.get(usize::from(grade)).copied().unwrap_or_default();
        shape += if given == 0 { weights::east_asia::FAMILY_ALONE } else { 0.0 };
        // within a sentence a rare family name is probably another word
        if place.start > row.start && grade < 3 && weight == 0.0 && !told {
            return None;
        }
        let cut = |open: bool| if open { weights::east_asia::CUT } else { 0.0 };
        shape +=
            cut(place.start > row.start && weight == 0.0) + cut(place.end < row.end && honorific.is_none());
        shape += if own_line && given > 0 { weights::east_asia::LINE } else { 0.0 };
        shape += if place == *row && grade == 3 { usual(given_name) } else { 0.0 };
        shape += if told { weights::person::REPEATED } else { 0.0 };
        let given_at = place.start + family;
        let parts = [
            (Role::Family, span(tokens, place.start, given_at)),
            (Role::Given, span(tokens, given_at, place.end).filter(|_| family > 0)),
        ];
        Some(Candidate {
            label: weight.max(if honorific.is_some() { weights::person::TITLED } else { 0.0 }),
            label_at: at.or(honorific),
            ..Candidate::new(Kind::Name, found, shape).with_parts(parts)
        })
    }
}

/// Whether a character is within a word of Korean, which has spaces: no name begins there.
fn is_within_word(text: &str, tokens: &[Token], at: usize) -> bool {
    let before = || at.checked_sub(1).and_then(|last| tokens.get(last));
    tokens.get(at).is_some_and(|first| {
        first.gap == Gap::None && is_hangul(text, first) && before().is_some_and(|word| is_hangul(text, word))
    })
}

/// Returns the weight of the characters of a given name. A single Hangul syllable has no weight.
fn usual(given: impl Iterator<Item = char> + Clone) -> f32 {
    let of = |list: &[char], letter: char| list.binary_search(&letter).is_ok();
    let count = given.clone().count();
    let fits = given.clone().all(|letter| of(&GIVEN, letter))
        || count > 1 && given.clone().all(|letter| of(&SYLLABLES, letter));
    if fits { weights::east_asia::USUAL.get(count).copied().unwrap_or_default() } else { 0.0 }
}

/// The known family names at the start of a stretch, by their length in characters, each with its frequency.
#[derive(Default)]
struct Families([Option<u8>; MAX_FAMILY]);

impl Families {
    fn new(text: &str, tokens: &[Token], place: Range<usize>) -> Self {
        let mut families = Self::default();
        let mut phrase = Phrase::EMPTY;
        for (grade, token) in families.0.iter_mut().zip(tokens.get(place).unwrap_or_default()) {
            phrase = if phrase == Phrase::EMPTY { token.phrase } else { phrase.with(token.text(text)) };
            *grade = lexicon::lookup(phrase).map(|(kind, _)| kind.family).filter(|grade| *grade > 0);
        }
        families
    }

    /// Whether a stretch of so many characters is one of them and as many of a given name as it may have.
    #[inline]
    fn fit(&self, len: usize) -> bool {
        let (family, _) = self.longest(len);
        match family {
            0 => false,
            1 => len - family <= MAX_GIVEN,
            _ => len - family <= MAX_GIVEN_LONG,
        }
    }

    /// Returns the length and the frequency of the longest one within a stretch of so many characters.
    fn longest(&self, len: usize) -> (usize, u8) {
        // `司馬`, `田中` before `司`, `田`
        let known = self.0.iter().enumerate().take(len).rev();
        known.filter_map(|(at, grade)| Some((at + 1, (*grade)?))).next().unwrap_or_default()
    }
}

/// Returns the title directly after a name: `王先生`, `山田様`, `김민수 씨`.
fn honorific(text: &str, tokens: &[Token], at: usize) -> Option<Part> {
    let next = tokens.get(at)?;
    if !matches!(next.gap, Gap::None | Gap::Space)
        || next.case != Case::None
        || next.is_alone && !cues::may_begin_title(next.phrase)
    {
        return None;
    }
    let title = cues::from(text, tokens, at, Says::TITLE_AFTER.or(Says::HONORIFIC))?;
    // `복귀하여` is one word, and no `복` with the title `귀하`
    let goes_on = tokens.get(at + title.words).is_some_and(|after| {
        after.gap == Gap::None && is_hangul(text, after) && !KOREAN_ENDINGS.contains(&after.text(text))
    });
    if goes_on { None } else { span(tokens, at, at + title.words) }
}

/// Whether a word is written in Hangul.
fn is_hangul(text: &str, word: &Token) -> bool {
    word.text(text).starts_with(|letter| matches!(letter, '\u{ac00}'..='\u{d7a3}'))
}

/// The length of a syllable of Hangul, in bytes.
const SYLLABLE: u32 = 3;
