//! Finds names of companies and other bodies: before a legal form, or after a label.

use textveil_phrase::case::lower_text;
use textveil_weights::organization as weights;

use crate::{
    Candidate, Kind, Part,
    cues::{self, Says, says},
    person::{is_article, is_of_thing},
    signs::Signs,
    token::{Case, Gap, Token},
    words::companies::{AMBIGUOUS, CASED, CONNECTORS, SHORT},
};

/// The maximum number of words of a name before its legal form.
const MAX_WORDS: usize = 8;
/// The maximum number of legal forms after the first.
const MAX_FORMS: usize = 3;
/// The longest name in quotes, in characters.
const MAX_QUOTED: usize = 120;

/// Finds the organisations in a text, from the anchors among its words.
pub(crate) fn find(text: &str, tokens: &[Token], anchors: &[usize], out: &mut Vec<Candidate>) {
    let mut done = 0;
    for &at in anchors {
        let Some(token) = tokens.get(at) else { continue };
        if at < done || !(token.signs.has(Signs::FORM) || token.gap == Gap::Colon) {
            continue;
        }
        if let Some(end) = behind_form(text, tokens, at) {
            out.push(Candidate { label: weights::FORMED, ..candidate(text, tokens, at, end, 0.0) });
            done = end;
        } else if let Some((start, end)) = with_form(text, tokens, at, done) {
            let shouted =
                tokens.get(start..end).is_some_and(|words| words.iter().all(|word| word.case == Case::Upper));
            let shape = if shouted { weights::SHOUTED } else { 0.0 };
            out.push(Candidate { label: weights::FORMED, ..candidate(text, tokens, start, end, shape) });
            done = end;
        } else if token.gap == Gap::Colon
            && token.is_capital()
            && cues::before(text, tokens, at, Says::LABEL_ORGANIZATION).is_some()
            && !is_of_thing(text, tokens, at)
        {
            let end = clause_end(tokens, at);
            // `Acme, s.r.o.`
            let end = with_form(text, tokens, end, at).map_or(end, |(_, end)| end);
            out.push(Candidate { label: weights::LABELLED, ..candidate(text, tokens, at, end, 0.0) });
            done = end;
        }
    }
}

fn candidate(text: &str, tokens: &[Token], start: usize, end: usize, shape: f32) -> Candidate {
    let place = tokens.get(start..end).unwrap_or_default();
    let last = place.last().map_or(0, |token| token.end);
    // the dot belongs to `s.r.o.`
    let form = place.iter().rev().take_while(|token| token.gap == Gap::Dot).count();
    let dotted = form > 0 && text.as_bytes().get(last as usize) == Some(&b'.');
    let span = Part { start: place.first().map_or(0, |token| token.start), end: last + u32::from(dotted) };
    Candidate::new(Kind::Organization, span, shape)
}

/// Returns the end of a value after its label: the end of the line, or a separator.
fn clause_end(tokens: &[Token], at: usize) -> usize {
    let rest = tokens.get(at + 1..).unwrap_or_default();
    at + 1
        + rest
            .iter()
            .take(MAX_WORDS)
            .take_while(|token| matches!(token.gap, Gap::Space | Gap::Hyphen | Gap::Apostrophe | Gap::Dot))
            .count()
}

/// Whether a word is written like the first one of a legal form. Most words are not: `s. r. o.` and `a. s.`
/// have a dot after the letter, others a capital.
pub(crate) fn may_be_form(text: &str, tokens: &[Token], at: usize) -> bool {
    let Some(token) = tokens.get(at) else { return false };
    token.is_capital()
        || ends_with_point(text, token)
        || tokens.get(at + 1).is_some_and(|next| next.gap == Gap::Dot)
}

/// Reads a name whose legal form begins with the word `at`; returns the index of its first word and the index
/// after its last one.
fn with_form(text: &str, tokens: &[Token], at: usize, from: usize) -> Option<(usize, usize)> {
    let token = tokens.get(at)?;
    if at == 0 || !may_be_form(text, tokens, at) || !matches!(token.gap, Gap::Space | Gap::Comma | Gap::Other)
    {
        return None;
    }
    let mut end = form(text, tokens, at)?;
    // `& Sons Ltd`
    for _ in 0..MAX_FORMS {
        let joins = |next: &Token| next.is_capital() && matches!(next.gap, Gap::Space | Gap::Other);
        let more = tokens.get(end).is_some_and(joins).then(|| form(text, tokens, end)).flatten();
        let Some(more) = more else { break };
        end = more;
    }
    let start = name_start(text, tokens, at, from)?;
    // `Tarif AB`: two letters after a word are ambiguous
    let written = text.get(token.start as usize..tokens.get(end - 1)?.end as usize)?;
    if AMBIGUOUS.contains(&written) && at - start == 1 && token.gap != Gap::Comma {
        return None;
    }
    // `Die Müller GmbH`
    let article =
        |word: &Token| matches!(word.gap, Gap::Line | Gap::Dot) && says(word.phrase).any(Says::NO_NAME);
    let first = tokens.get(start)?;
    // `Eine GmbH haftet`
    if at - start == 1 && is_article(&lower_text(first.text(text))) {
        return None;
    }
    let start = start + usize::from(at - start > 1 && article(first));
    let names = |word: &Token| {
        let other = Says::NEVER.or(Says::LABEL_OTHER);
        word.end - word.start >= 3 && word.is_capital() && !says(word.phrase).any(other)
    };
    tokens.get(start..at)?.iter().any(names).then_some((start, end))
}

/// Returns the end of a name after its legal form: `SIA Priedes`, `ООО «Ромашка»`.
fn behind_form(text: &str, tokens: &[Token], at: usize) -> Option<usize> {
    let token = tokens.get(at)?;
    if token.case != Case::Upper || !says(token.phrase).any(Says::LEGAL_FORM_BEFORE) {
        return None;
    }
    let next = tokens.get(at + 1)?;
    let between = text.get(token.end as usize..next.start as usize)?;
    // the opening quote must be on the same line
    let quote = between.strip_prefix(' ')?;
    let rest = tokens.get(at + 1..)?;
    let count = match quote.chars().next() {
        Some('"' | '«' | '„' | '“') => {
            let rest_of = text.get(next.start as usize..)?;
            let quoted =
                rest_of.char_indices().take(MAX_QUOTED).find(|(_, letter)| "\"»“”".contains(*letter));
            let closed = quoted?.0 as u32 + next.start;
            rest.iter().take(MAX_WORDS).take_while(|word| word.end <= closed).count()
        }
        None => {
            let joined = |(index, word): &(usize, &Token)| {
                word.case == Case::Capital && (*index == 0 || matches!(word.gap, Gap::Space | Gap::Hyphen))
            };
            rest.iter().take(4).enumerate().take_while(joined).count()
        }
        _ => 0,
    };
    (count > 0).then_some(at + 1 + count)
}

/// Returns the index after a legal form that begins with the word `at`.
///
/// Two or three letters are ambiguous: `a.s.` needs its dots, but a few forms are written without.
fn form(text: &str, tokens: &[Token], at: usize) -> Option<usize> {
    let end = at + cues::from(text, tokens, at, Says::LEGAL_FORM)?.words;
    let (first, last) = (tokens.get(at)?, tokens.get(end - 1)?);
    let written = text.get(first.start as usize..last.end as usize)?;
    if CASED.iter().any(|cased| written != *cased && written.eq_ignore_ascii_case(cased)) {
        return None;
    }
    let points = written.matches('.').count() + usize::from(ends_with_point(text, last));
    let letters = written.chars().filter(|letter| letter.is_alphabetic()).count();
    (letters > 3 || points >= 2 || SHORT.contains(&written)).then_some(end)
}

fn ends_with_point(text: &str, word: &Token) -> bool {
    text.as_bytes().get(word.end as usize) == Some(&b'.')
}

/// Whether a word in capitals is one that is never written with a capital in a name: `INCLUDING BUT NOT LIMITED`.
fn is_shouted(word: &Token) -> bool {
    word.case == Case::Upper && word.end - word.start > 1 && says(word.phrase).any(Says::COMMON)
}

/// Returns the start of the name that ends before the word `form`.
fn name_start(text: &str, tokens: &[Token], form: usize, from: usize) -> Option<usize> {
    let mut start = None;
    let mut at = form;
    while at > from && form - at < MAX_WORDS {
        let (Some(word), Some(next)) = (tokens.get(at - 1), tokens.get(at)) else { break };
        let joined = match next.gap {
            Gap::Space | Gap::Hyphen | Gap::Apostrophe => true,
            Gap::Comma => at == form,
            Gap::Dot => word.end - word.start <= 3,
            Gap::Other => {
                let between = text.get(word.end as usize..next.start as usize).unwrap_or_default().trim();
                matches!(between, "&" | "+" | "\"" | "“" | "”" | "»" | "\"," | "”," | "»," | "'")
                    || between.is_empty()
            }
            _ => false,
        };
        if !joined {
            break;
        }
        let capital = word.is_capital() && !is_shouted(word) || word.case == Case::Number;
        let connects = word.case == Case::Lower && CONNECTORS.contains(&word.text(text));
        if capital {
            let said = says(word.phrase);
            if said.any(Says::NEVER) && !word.is_capital() {
                break;
            }
            start = Some(at - 1);
        } else if !connects || at == form {
            break;
        }
        at -= 1;
    }
    start
}
