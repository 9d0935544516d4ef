//! Recognises inflected names: `Novákovi`, `Kowalskiego`, `Virtasen`.

use textveil_phrase::Phrase;

use crate::{
    lexicon::{self, NameEntry},
    proclitics,
    recent::Recent,
    spelling::each_letter,
    table::{Keys, may_have},
};

include!(concat!(env!("OUT_DIR"), "/inflection.rs"));

const GIVEN_MALE: u8 = 1;
const GIVEN_FEMALE: u8 = 1 << 1;
const FAMILY: u8 = 1 << 2;

/// The minimum number of letters before an inflectional ending.
const LEAST: usize = 2;
/// Longer words are not names.
const MAX_LETTERS: usize = 24;

/// The names that the last words of a text are inflected forms of, as [`known`] returns them.
pub(crate) type Forms<'t> = Recent<'t, Option<(NameEntry, &'static str)>>;

/// Returns the name behind a proclitic in a script without capitals, unless the whole word is a name: where it begins, in
/// bytes, and its kind.
pub(crate) fn after_proclitic(word: &str) -> Option<(usize, (NameEntry, &'static str))> {
    // the first byte of the letters of Hebrew, Arabic and Amharic in UTF-8: the proclitics of other scripts have a capital behind
    // them
    if !matches!(word.as_bytes().first(), Some(0xd7 | 0xd9 | 0xe1)) {
        return None;
    }
    let name = |word: &str| lexicon::lookup(Phrase::EMPTY.with(word)).filter(|(kind, _)| kind.name() > 0);
    let mut names = proclitics::of(word).filter_map(|len| Some((len, name(word.get(len..)?)?)));
    names.next().filter(|_| name(word).is_none())
}

/// Returns the kind of the name that a word is an inflected form of, or has after a proclitic; the best of several.
pub(crate) fn known(word: &str) -> Option<(NameEntry, &'static str)> {
    if let Some((_, known)) = after_proclitic(word) {
        return Some(known);
    }
    // each letter, with the hash of the preceding ones
    let mut letters = [(' ', Phrase::EMPTY); MAX_LETTERS];
    let (mut len, mut stem) = (0, Phrase::EMPTY);
    let mut push = |letter: char| {
        *letters.get_mut(len)? = (letter, stem);
        stem = stem.with_letter(letter);
        len += 1;
        Some(())
    };
    each_letter(word, &mut push)?;
    let mut best: Option<(NameEntry, &'static str)> = None;
    let mut ending = Phrase::EMPTY;
    for size in 1..=LONGEST_ENDING.min(len.saturating_sub(LEAST)) {
        let (letter, stem) = *letters.get(len - size)?;
        ending = ending.with_letter(letter);
        if !may_have(&FILTER, ending) {
            continue;
        }
        let Some(at) = ENDINGS.find(ending) else { continue };
        let (from, to) = (*STARTS_OF.get(at)?, *STARTS_OF.get(at + 1)?);
        for (base, of) in RULES.get(usize::from(from)..usize::from(to))? {
            let name = stem.with(BASES.get(usize::from(*base))?);
            let Some((kind, country)) = lexicon::lookup(name) else { continue };
            let kind = NameEntry {
                given: if allows(*of, kind) { kind.given } else { 0 },
                family: if of & FAMILY != 0 { kind.family } else { 0 },
                ..kind
            };
            let better = |known: &(NameEntry, &str)| kind.name() > known.0.name();
            if kind.name() > 1 && best.as_ref().is_none_or(better) {
                best = Some((kind, country));
            }
        }
    }
    best
}

/// Whether a rule applies to a given name of this kind.
fn allows(of: u8, kind: NameEntry) -> bool {
    of & GIVEN_MALE != 0 && kind.gender & 1 != 0 || of & GIVEN_FEMALE != 0 && kind.gender & 2 != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_behind_proclitics() {
        for (word, want) in [
            // and, to, and to, when
            ("ודוד", Some("דוד")),
            ("לדוד", Some("דוד")),
            ("ולדוד", Some("דוד")),
            ("כשדוד", Some("דוד")),
            // names that begin with such a letter, and other words
            ("לאה", None),
            ("משה", None),
            ("דוד", None),
            ("לבית", None),
            ("ومحمد", Some("محمد")),
            ("محمد", None),
            ("Vdavid", None),
        ] {
            let found = after_proclitic(word);
            assert_eq!(found.and_then(|(at, _)| word.get(at..)), want, "{word}");
            assert!(want.is_none() || known(word).is_some(), "{word}");
        }
    }
}
