//! Finds ages: `34 years old`, `j'ai 34 ans`, `age: thirty-four`.

use textveil_weights::age as weights;

use crate::{
    Candidate, Kind, Part, number,
    table::{has, may_have},
    token::{self, Case, Gap, Token, span},
};

include!(concat!(env!("OUT_DIR"), "/ages.rs"));

/// The maximum number of words in a phrase before or after a number.
const MAX_PHRASE: usize = 4;
/// The maximum number of words between an age and its person: `73-year-old retired postmistress`.
const MAX_BETWEEN: usize = 2;
/// The longest word that is an article or a preposition as well, in bytes.
const SHORT: u32 = 3;
/// Nobody is older.
const OLDEST: u32 = 119;

/// Finds the ages in a text, from the anchors among its words.
pub(crate) fn find(text: &str, tokens: &[Token], anchors: &[usize], out: &mut Vec<Candidate>) {
    let mut done = 0;
    for &at in anchors {
        let Some(token) = tokens.get(at) else { continue };
        let figures = token.case == Case::Number;
        if at < done || !(figures || number::may_begin(token) && may_be_told(tokens, at)) {
            continue;
        }
        let end = if figures {
            figure(text, token).then_some(at + 1)
        } else {
            number::longest(text, tokens, at).map(|(end, _)| end)
        };
        let Some(end) = end else { continue };
        let candidate = candidate(text, tokens, at, end, figures);
        done = if candidate.is_some() { end } else { done };
        out.extend(candidate);
    }
}

/// Whether a word around a number in words may be evidence for an age.
fn may_be_told(tokens: &[Token], at: usize) -> bool {
    let mut behind = tokens.get(at + 1..).unwrap_or_default().iter().take(number::MAX_WORDS);
    let ahead = at.checked_sub(1).and_then(|last| tokens.get(last));
    ahead.is_some_and(|last| may_have(&AHEAD, last.phrase))
        || behind.any(|next| may_have(&BEHIND, next.phrase))
}

fn candidate(text: &str, tokens: &[Token], at: usize, end: usize, figures: bool) -> Option<Candidate> {
    let old = behind(text, tokens, end, &OLD_PHRASES);
    let years = behind(text, tokens, end, &YEARS);
    let first = tokens.get(at)?;
    // `one`, `un`: usually an article, not a number
    let article = end == at + 1 && first.end - first.start <= SHORT && first.gap != Gap::Colon;
    if old.is_none() && years.is_none() && (figures || article) {
        return None;
    }
    let told = before(text, tokens, at, &PERSON);
    let label = before(text, tokens, at, &BEFORE);
    let (weight, end, label_at) = match (label, told, old, years) {
        // the engine finds digits after a label of one word itself, and whisky is aged 12 years
        (Some(label), ..) if !figures || old.or(years).is_some() && has_words(text, label) => {
            (weights::LABELLED, old.or(years).unwrap_or(end), Some(label))
        }
        (_, Some(told), Some(end), _) | (_, Some(told), None, Some(end)) => (weights::TOLD, end, Some(told)),
        // `73-year-old woman`
        (_, None, Some(end), _)
            if (end..=end + MAX_BETWEEN).any(|at| behind(text, tokens, at, &PERSON).is_some()) =>
        {
            (weights::TOLD, end, None)
        }
        (_, None, Some(end), _) => (weights::OLD, end, None),
        _ => return None,
    };
    let place = span(tokens, at, end)?;
    Some(Candidate { label: weight, label_at, ..Candidate::new(Kind::Age, place, 0.0) })
}

/// Whether a label has several words: `âgée de`.
fn has_words(text: &str, label: Part) -> bool {
    text.get(label.start as usize..label.end as usize).is_some_and(|label| label.contains(' '))
}

/// Whether a number in figures may be an age.
fn figure(text: &str, token: &Token) -> bool {
    token.text(text).parse::<u32>().is_ok_and(|age| (1..=OLDEST).contains(&age))
}

/// Returns the end of the phrase directly after the word before `at`.
fn behind(text: &str, tokens: &[Token], at: usize, phrases: &[u32]) -> Option<usize> {
    let may_begin =
        |next: &Token| matches!(next.gap, Gap::Space | Gap::Hyphen) && may_have(&BEHIND, next.phrase);
    let joined = tokens.get(at).is_some_and(may_begin);
    let known = |phrase| has(phrases, phrase).then_some(());
    joined.then(|| token::longest(text, tokens, at, MAX_PHRASE, known)).flatten().map(|(end, ())| end)
}

/// The place of the phrase of a list that ends before the word `at`.
fn before(text: &str, tokens: &[Token], at: usize, phrases: &[u32]) -> Option<Part> {
    let gap = tokens.get(at)?.gap;
    let last = tokens.get(at.checked_sub(1)?)?;
    if !matches!(gap, Gap::Space | Gap::Colon) || !may_have(&AHEAD, last.phrase) {
        return None;
    }
    (1..=MAX_PHRASE.min(at)).find_map(|words| {
        let phrase = token::phrase(text, tokens.get(at - words..at)?);
        has(phrases, phrase).then(|| span(tokens, at - words, at)).flatten()
    })
}

#[cfg(test)]
mod tests {
    use crate::{Kind, Known, find};

    #[test]
    fn ages_in_words_and_figures() {
        for (text, age) in [
            ("I am 34 years old.", Some("34 years old")),
            ("She is thirty-four years old.", Some("thirty-four years old")),
            ("age: thirty-four", Some("thirty-four")),
            ("Alter: vierunddreißig", Some("vierunddreißig")),
            ("Ich bin vierunddreißig Jahre alt.", Some("vierunddreißig Jahre alt")),
            ("J'ai 34 ans.", Some("34 ans")),
            ("Elle a soixante-quinze ans.", Some("soixante-quinze ans")),
            ("Tengo treinta y cuatro años.", Some("treinta y cuatro años")),
            ("Je mi 34 let.", Some("34 let")),
            ("věk: čtyřiatřicet", Some("čtyřiatřicet")),
            ("Maëlle, âgée de 11 ans.", Some("11 ans")),
            ("seen today: a 73-year-old woman with a cough", Some("73-year-old")),
            ("a whisky aged 12 years", None),
            ("I saw this 73 year old retired postmistress", Some("73 year old")),
            ("a 51-year-old right-handed man", Some("51-year-old")),
            ("a 40 year old building", Some("40 year old")),
            ("Mam trzydzieści cztery lata.", Some("trzydzieści cztery lata")),
            // years of something else, and an impossible age
            ("The guarantee holds for 34 years.", None),
            ("záruka 5 let", None),
            ("I am 340 years old.", None),
            ("one of the two", None),
        ] {
            let candidates = find(text, &mut Known::default(), false);
            let found = candidates.iter().find(|candidate| candidate.kind == Kind::Age);
            let found =
                found.and_then(|candidate| text.get(candidate.start as usize..candidate.end as usize));
            assert_eq!(found, age, "{text}");
        }
    }
}
