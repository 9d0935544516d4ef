//! Finds Burmese names, which are written without spaces, together with their titles and with what follows them.
//!
//! A name is a title and syllables that names are made of (`ဒေါ်ခင်မေ`), or such syllables behind words that introduce a name. The
//! judge has learnt nothing of Burmese.

use textveil_weights as weights;

use crate::{Candidate, Kind, Part, person::before, token::Token};

include!(concat!(env!("OUT_DIR"), "/burmese.rs"));

/// The fewest parts of a name behind a title or an introduction, and of one without either.
const TOLD_PARTS: usize = 2;
const PARTS: usize = 3;
/// The most parts of a name.
const MAX_PARTS: usize = 6;

/// Adds the names of a text; `beginnings` are the words that may begin one.
pub(crate) fn find(text: &str, tokens: &[Token], beginnings: &[usize], out: &mut Vec<Candidate>) {
    for &at in beginnings {
        let Some(token) = tokens.get(at) else { continue };
        let written = token.text(text);
        if written.starts_with(is_burmese) {
            let is_introduced = || before(text, tokens, at).weight >= weights::person::TOLD;
            names(written, token.start as usize, is_introduced, out);
        }
    }
}

/// Whether a letter is of the Burmese script.
fn is_burmese(letter: char) -> bool {
    matches!(letter, '\u{1000}'..='\u{109f}')
}

/// Adds the names of a word that starts at `start`.
fn names(word: &str, start: usize, is_introduced: impl Fn() -> bool, out: &mut Vec<Candidate>) {
    let place = |from: usize, to: usize| Part { start: (start + from) as u32, end: (start + to) as u32 };
    let mut at = 0;
    while at < word.len() {
        let rest = word.get(at..).unwrap_or_default();
        let is_title = |title: &&&str| rest.starts_with(**title) && is_boundary(word, at + title.len());
        let title = TITLES.iter().find(is_title).map(|title| title.len());
        let from = at + title.unwrap_or(0);
        let (parts, to) = name(word, from);
        let is_told = title.is_some() || at == 0 && is_introduced();
        let least = if is_told { TOLD_PARTS } else { PARTS };
        let begins = at == 0 || title.is_some();
        // many parts behind a title are a name, whatever follows
        let ends = title.is_some() && parts >= PARTS || ends(word, to);
        if begins && parts >= least && ends {
            let found = Candidate::new(Kind::Name, place(from, to), weights::burmese::ALONE);
            let candidate = match is_told {
                true => {
                    let label_at = title.map(|len| place(at, at + len));
                    Candidate {
                        shape: weights::burmese::NAME,
                        label: weights::person::TITLED,
                        label_at,
                        ..found
                    }
                }
                false => found,
            };
            out.push(candidate);
            at = to;
            continue;
        }
        at = after_syllable(word, at);
    }
}

/// Returns the number of parts of a name that starts at a place, and its end. The particle `ကို` is also a syllable of names.
fn name(word: &str, from: usize) -> (usize, usize) {
    let (mut parts, mut end) = (0, from);
    while parts < MAX_PARTS {
        let rest = word.get(end..).unwrap_or_default();
        let is_part = |part: &&&str| rest.starts_with(**part) && is_boundary(word, end + part.len());
        let Some(part) = SYLLABLES.iter().find(is_part) else { break };
        if parts >= TOLD_PARTS && PARTICLES.contains(part) {
            break;
        }
        parts += 1;
        end += part.len();
    }
    (parts, end)
}

/// Whether a name may end at a place: the word ends there, or a particle follows.
fn ends(word: &str, at: usize) -> bool {
    let rest = word.get(at..).unwrap_or_default();
    rest.is_empty() || PARTICLES.iter().any(|particle| rest.starts_with(particle))
}

/// Whether a syllable ends at a place.
fn is_boundary(word: &str, at: usize) -> bool {
    at == word.len() || word.get(at..).is_some_and(begins_syllable)
}

/// Returns the end of the syllable that begins at a place.
fn after_syllable(word: &str, at: usize) -> usize {
    let rest = word.get(at..).unwrap_or_default();
    let mut places = rest.char_indices().map(|(place, _)| place).skip(1);
    at + places.find(|place| rest.get(*place..).is_some_and(begins_syllable)).unwrap_or(rest.len().max(1))
}

/// Whether a text begins with a letter that begins a syllable: a consonant without the sign of a final one, or a vowel.
fn begins_syllable(text: &str) -> bool {
    let mut letters = text.chars();
    let is_base = letters.next().is_some_and(|letter| matches!(letter, '\u{1000}'..='\u{102a}' | '\u{103f}'));
    let mut next = letters.next();
    // the dot of a tone is before the sign
    if next == Some('\u{1037}') {
        next = letters.next();
    }
    is_base && !matches!(next, Some('\u{1039}' | '\u{103a}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_a_word() {
        for (word, introduced, want) in [
            ("ဒေါ်ခင်မေသည်", false, &["ခင်မေ"][..]),
            ("ဦးထွန်းလင်း", false, &["ထွန်းလင်း"]),
            ("ကိုအောင်မြင့်နှင့်", false, &["အောင်မြင့်"]),
            // the particle of an object
            ("ဒေါ်ခင်မေကို", false, &["ခင်မေ"]),
            ("အောင်မြင့်", true, &["အောင်မြင့်"]),
            ("အောင်မြင့်", false, &[]),
            ("အောင်ကျော်ဇော်", false, &["အောင်ကျော်ဇော်"]),
            // the head of a department
            ("ဦးစီးဌာန", false, &[]),
            ("ဒေါ်ခင်မေလွင်တည်ထောင်", false, &["ခင်မေလွင်"]),
            ("ရုံးသို့", true, &[]),
        ] {
            let mut found = Vec::new();
            names(word, 0, || introduced, &mut found);
            let found: Vec<&str> =
                found.iter().map(|name| word.get(name.start as usize..name.end as usize).unwrap()).collect();
            assert_eq!(found, want, "{word}");
        }
    }
}
