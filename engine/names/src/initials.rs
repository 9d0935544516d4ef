//! Initials that a text gives a person: `Joanna Whitcombe (JW, chair)`, and `JW` from there on.

use textveil_phrase::Phrase;
use textveil_weights::person as weights;

use crate::{
    Candidate, Kind, Known,
    token::{Case, Token, span},
};

/// The number of initials.
const LEN: std::ops::RangeInclusive<usize> = 2..=4;

/// Adds the initials of these names, which are sorted by position, and of names that are known from earlier texts.
pub(crate) fn find(
    text: &str,
    tokens: &[Token],
    names: &[Candidate],
    known: &mut Known,
    out: &mut Vec<Candidate>,
) {
    let mut names = names.iter().filter(|name| name.kind == Kind::Name).peekable();
    for (at, token) in tokens.iter().enumerate().filter(|(_, token)| token.case == Case::Upper) {
        let initials = token.text(text);
        if !LEN.contains(&initials.chars().count()) {
            continue;
        }
        let mut before = None;
        while let Some(name) = names.next_if(|name| name.end <= token.start) {
            before = Some(name);
        }
        let is_defined = before.is_some_and(|name| {
            text.get(name.end as usize..token.start as usize) == Some(" (")
                && has_initials(text, name, initials)
        });
        if is_defined {
            known.insert(key(initials));
        }
        if known.contains(key(initials))
            && let Some(place) = span(tokens, at, at + 1)
        {
            out.push(Candidate { label: weights::REPEATED, ..Candidate::new(Kind::Name, place, 0.0) });
        }
    }
}

/// The key of initials among known words. It is no word, so that the judge knows none.
fn key(initials: &str) -> Phrase {
    Phrase::EMPTY.with("initials of").with(initials)
}

/// Whether these are the first letters of the words of a name.
fn has_initials(text: &str, name: &Candidate, initials: &str) -> bool {
    let words = text.get(name.start as usize..name.end as usize).unwrap_or_default();
    let letters =
        words.split([' ', '-']).filter_map(|word| word.chars().next()).filter(|first| first.is_uppercase());
    letters.eq(initials.chars())
}

#[cfg(test)]
mod tests {
    use crate::{Kind, Known, find};

    #[test]
    fn initials_of_names() {
        let long = "Present: Joanna Whitcombe (JW, chair), Raj Sethi (RS).\nActions\n- JW: chase quote\n- RS to ring\n- JS later";
        for (text, want) in [
            (long, vec!["JW", "RS", "JW", "RS"]),
            // before they are given, initials may be anything
            ("JW left. Joanna Whitcombe (JW) came.", vec!["JW"]),
            ("Ana van Berg (AB) said AB", vec!["AB", "AB"]),
            ("Joanna Whitcombe (UK) lives in the UK", vec![]),
        ] {
            let candidates = find(text, &mut Known::default(), false);
            let names = candidates.iter().filter(|candidate| candidate.kind == Kind::Name);
            let names =
                names.filter_map(|candidate| text.get(candidate.start as usize..candidate.end as usize));
            assert_eq!(names.filter(|name| name.len() == 2).collect::<Vec<_>>(), want, "{text}");
        }
        let mut known = Known::default();
        find("Joanna Whitcombe (JW)", &mut known, false);
        assert!(find("JW agrees", &mut known, false).iter().any(|candidate| candidate.end == 2));
    }
}
