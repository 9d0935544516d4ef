//! Recognises inflected names: `Novákovi`, `Kowalskiego`, `Virtasen`.

use textveil_phrase::Phrase;

use crate::{
    lexicon::{self, NameEntry},
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

/// Returns the kind of the name that a word is an inflected form of; the best of several.
pub(crate) fn known(word: &str) -> Option<(NameEntry, &'static str)> {
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
