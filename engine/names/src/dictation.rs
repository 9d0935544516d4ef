//! Numbers and e-mail addresses that are dictated in words: `oh double-seven double-oh, nine double-oh, two eight six`, `zéro six douze`,
//! `jan dot novak at example dot cz`.

use std::ops::Range;

use textveil_phrase::Phrase;

use crate::{
    Candidate, Kind, number,
    table::{Table, may_have},
    token::{Case, Gap, Token, span},
};

include!(concat!(env!("OUT_DIR"), "/dictation.rs"));

/// The number of digits of a number that is found.
const DIGITS: std::ops::RangeInclusive<usize> = 6..=24;

/// The most words of an e-mail address before `@`, without those for dots, and of its host.
const MAX_WORDS: usize = 4;
/// Hosts of addresses with one word before `@`: others are `work at example dot com`.
const PROVIDERS: [&str; 14] = [
    "aol",
    "gmail",
    "gmx",
    "googlemail",
    "hotmail",
    "icloud",
    "live",
    "mail",
    "msn",
    "outlook",
    "proton",
    "protonmail",
    "web",
    "yahoo",
];

/// Finds dictated numbers and e-mail addresses in a text, from the anchors among its words.
pub(crate) fn find(text: &str, tokens: &[Token], anchors: &[usize], out: &mut Vec<Candidate>) {
    numbers(text, tokens, anchors, out);
    let mut done = 0;
    for &at in anchors.iter().filter(|at| is_dot(tokens, **at)) {
        if at < done {
            continue;
        }
        if let Some((words, said)) = address(text, tokens, at)
            && words.start >= done
            && let Some(place) = span(tokens, words.start, words.end)
        {
            done = words.end;
            out.push(Candidate { said, ..Candidate::new(Kind::Dictated, place, 0.0) });
        }
    }
}

/// Whether a dictated number may begin with a word.
pub(crate) fn may_begin(word: &Token) -> bool {
    DICTATED.get(word.phrase).is_some_and(|value| !matches!(value, 0 | AT | DOT))
}

/// Whether the next word of a text is one for `@` or a dot; `None` if it has not arrived.
pub(crate) fn joins(rest: &str) -> Option<bool> {
    let rest = rest.trim_start_matches(' ');
    let end = rest.find(|letter: char| !letter.is_alphanumeric());
    let word = Phrase::EMPTY.with(rest.get(..end.unwrap_or(rest.len())).unwrap_or_default());
    match end {
        Some(_) => Some(matches!(DICTATED.get(word), Some(AT | DOT))),
        None if rest.is_empty() || may_have(&SEPARATORS, word) => None,
        None => Some(false),
    }
}

/// Returns the words of an e-mail address around the first dot of its host, and the address.
fn address(text: &str, tokens: &[Token], dot: usize) -> Option<(Range<usize>, String)> {
    let at = dot.checked_sub(2).filter(|at| value(tokens, *at) == Some(AT))?;
    let mut first = at.checked_sub(1)?;
    let mut words = 1;
    while words < MAX_WORDS && first > 1 && is_dot(tokens, first - 1) {
        first -= 2;
        words += 1;
    }
    let mut end = dot + 2;
    while end - dot < 2 * MAX_WORDS && is_dot(tokens, end) {
        end += 2;
    }
    let range = first..end;
    let spoken = tokens.get(range.clone())?;
    let is_joined = |token: &Token| token.gap == Gap::Space;
    if !spoken.iter().skip(1).all(is_joined) {
        return None;
    }
    let mut said = String::new();
    for (index, token) in range.clone().zip(spoken) {
        let is_word = (index - first).is_multiple_of(2);
        match value(tokens, index).filter(|_| !is_word) {
            Some(AT) => said.push('@'),
            Some(DOT) => said.push('.'),
            _ => said.extend(
                token.text(text).chars().filter(char::is_ascii).map(|letter| letter.to_ascii_lowercase()),
            ),
        }
    }
    let is_of_provider =
        || tokens.get(at + 1).is_some_and(|host| PROVIDERS.contains(&&*host.text(text).to_lowercase()));
    let has_digits = || tokens.get(at - 1).is_some_and(|word| word.case == Case::Number);
    (words > 1 || has_digits() || is_of_provider()).then_some((range, said))
}

fn value(tokens: &[Token], at: usize) -> Option<u8> {
    DICTATED.get(tokens.get(at)?.phrase)
}

fn is_dot(tokens: &[Token], at: usize) -> bool {
    value(tokens, at) == Some(DOT)
}

/// Finds the dictated numbers.
fn numbers(text: &str, tokens: &[Token], anchors: &[usize], out: &mut Vec<Candidate>) {
    let mut done = 0;
    for &at in anchors {
        // `oh` and `double` are no anchors of all languages
        let before =
            (done..at).rev().take_while(|at| is_joined(tokens, at + 1) && said(tokens, *at).is_some());
        let first = at - before.count();
        if at < done || !is_joined(tokens, at + 1) || !(first < at || may_be_said(text, tokens, at)) {
            continue;
        }
        let (digits, end) = read(text, tokens, first);
        // each word is read once as the first of a number, so that the time grows with the text
        done = end.max(first + 1);
        if DIGITS.contains(&digits.len())
            && let Some(place) = span(tokens, first, end)
        {
            let said = digits.iter().map(|digit| char::from(b'0' + digit)).collect();
            out.push(Candidate { said, ..Candidate::new(Kind::Dictated, place, 0.0) });
        }
    }
}

/// Reads the digits from the word `at` on, and returns the index after the last word.
fn read(text: &str, tokens: &[Token], mut at: usize) -> (Vec<u8>, usize) {
    let first = at;
    let mut digits = Vec::new();
    while digits.len() <= *DIGITS.end() && (at == first || is_joined(tokens, at)) {
        match said(tokens, at) {
            Some(Said::Digit(digit)) => digits.push(digit),
            Some(Said::Repeat(times)) => match said(tokens, at + 1) {
                Some(Said::Digit(digit)) if is_joined(tokens, at + 1) => {
                    digits.extend(std::iter::repeat_n(digit, times));
                    at += 1;
                }
                _ => break,
            },
            None => match number::longest(text, tokens, at) {
                Some((end, value)) if value > 9 => {
                    digits.extend([value / 10, value % 10]);
                    at = end - 1;
                }
                _ => break,
            },
        }
        at += 1;
    }
    (digits, at)
}

/// Whether a word may begin a dictated number.
fn may_be_said(text: &str, tokens: &[Token], at: usize) -> bool {
    said(tokens, at).is_some()
        || tokens.get(at).is_some_and(number::may_begin)
            && number::longest(text, tokens, at).is_some_and(|(_, value)| value > 9)
}

/// A word of dictation.
enum Said {
    Digit(u8),
    /// The next digit so many times.
    Repeat(usize),
}

fn said(tokens: &[Token], at: usize) -> Option<Said> {
    match value(tokens, at)? {
        0 | AT | DOT => None,
        digit @ 1..=10 => Some(Said::Digit(digit - 1)),
        repeat => Some(Said::Repeat(usize::from(repeat - REPEATS) + 2)),
    }
}

/// Whether a word may go on with the number that the word before it says.
fn is_joined(tokens: &[Token], at: usize) -> bool {
    tokens.get(at).is_some_and(|token| matches!(token.gap, Gap::Space | Gap::Hyphen | Gap::Comma | Gap::None))
}

#[cfg(test)]
mod tests {
    use crate::{Kind, Known, find};

    #[test]
    fn words_that_join() {
        for (rest, want) in [
            ("dot novak", Some(true)),
            ("at ", Some(true)),
            ("a", None),
            ("do", None),
            ("dot", None),
            ("", None),
            ("dog ", Some(false)),
            ("xy", Some(false)),
            ("tečka ", Some(true)),
        ] {
            assert_eq!(super::joins(rest), want, "{rest}");
        }
    }

    #[test]
    fn dictated_numbers_and_addresses() {
        for (text, want) in [
            ("my mobile is oh double-seven double-oh, nine double-oh, two eight six.", Some("07700900286")),
            ("SSN five three one eight four seven seven nine six", Some("531847796")),
            ("zéro six douze trente-quatre cinquante-six soixante-dix-huit", Some("0612345678")),
            ("null eins sieben eins, drei neun zwei null", Some("01713920")),
            ("teléfono seis uno dos tres cuatro cinco seis siete ocho", Some("612345678")),
            ("телефон восемь девять один два три четыре пять", Some("8912345")),
            ("电话一三八零零一三八零零零", Some("13800138000")),
            ("फ़ोन नौ आठ सात छह पाँच चार", Some("987654")),
            ("هاتف صفر خمسة صفر واحد اثنان ثلاثة", Some("050123")),
            ("one two three four five", None),
            ("one of the two, three of the four, five of six", None),
            ("double trouble, oh no, one more", None),
            ("null null null", None),
            ("double double triple double seven three four five six", Some("773456")),
            ("write to jan dot novak at example dot co dot uk please", Some("jan.novak@example.co.uk")),
            ("pište na jana tečka nova zavináč example tečka cz", Some("jana.nova@example.cz")),
            ("anna1988 at example dot com", Some("anna1988@example.com")),
            ("it is anna at gmail dot com", Some("anna@gmail.com")),
            ("correo: ana punto ruiz arroba ejemplo punto es", Some("ana.ruiz@ejemplo.es")),
            ("I work at example dot com", None),
            ("look at the dot. Jan dot novak", None),
        ] {
            let candidates = find(text, &mut Known::default(), false);
            let found = candidates.iter().find(|candidate| candidate.kind == Kind::Dictated);
            assert_eq!(found.map(|candidate| &*candidate.said), want, "{text}");
        }
    }
}
