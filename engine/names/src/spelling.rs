//! Scores a word as a name by its letters: a linear model over groups of two to four of them.

use textveil_phrase::each_folded;

/// The weights of the groups by their hashes, then that of any word, in sixteenths of log-odds; `cargo xtask train`
/// makes them.
const WEIGHTS: &[u8; ANY + 1] = include_bytes!("../lexicon/spelling.bin");
const BITS: u32 = 13;
/// The index of the weight of any word.
const ANY: usize = 1 << BITS;
/// Longer words are not names.
const MAX_LETTERS: usize = 24;

/// The log-odds that a word in Latin letters is a name and no ordinary word; 0 for any other.
pub(crate) fn looks_like_name(word: &str) -> f32 {
    let mut letters = [b'^'; MAX_LETTERS + 2];
    let mut len = 1;
    let mut push = |letter: char| {
        *letters.get_mut(len).filter(|_| letter.is_ascii_lowercase())? = letter as u8;
        len += 1;
        Some(())
    };
    if each_letter(word, &mut push).is_none() {
        return 0.0;
    }
    let Some(place) = letters.get_mut(len) else { return 0.0 };
    *place = b'$';
    let letters = letters.get(..=len).unwrap_or_default();
    let mut seen = [0_u64; ANY / 64];
    let mut sum = weight(ANY);
    for start in 0..len {
        for bucket in groups(letters.get(start..).unwrap_or_default()) {
            // a group counts once
            let Some(bits) = seen.get_mut(bucket / 64) else { continue };
            if *bits >> (bucket % 64) & 1 == 0 {
                *bits |= 1 << (bucket % 64);
                sum += weight(bucket);
            }
        }
    }
    sum as f32 / 16.0
}

/// Calls `take` for each letter of a normalised word, as long as it returns `Some`.
#[inline]
pub(crate) fn each_letter(word: &str, take: &mut impl FnMut(char) -> Option<()>) -> Option<()> {
    word.chars().try_for_each(|letter| {
        // most are
        if letter.is_ascii() { take(letter.to_ascii_lowercase()) } else { each_folded(letter, take) }
    })
}

fn weight(bucket: usize) -> i32 {
    i32::from(WEIGHTS.get(bucket).copied().unwrap_or_default().cast_signed())
}

/// The buckets of the groups of two letters, three and four that begin with the first letter.
fn groups(letters: &[u8]) -> impl Iterator<Item = usize> {
    let hashes = letters.iter().take(4).scan(0x811c_9dc5_u32, |hash, letter| {
        *hash = (*hash ^ u32::from(*letter)).wrapping_mul(0x0100_0193);
        Some(*hash)
    });
    hashes.skip(1).map(|hash| ((hash ^ hash >> 15).wrapping_mul(0x9e37_79b1) >> (32 - BITS)) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_words_look_different() {
        // names that none of the lists has
        for name in [
            "Havlíčkovský",
            "Grzybowicz",
            "Papadimitrakis",
            "Matthíasson",
            "Khadzhiyev",
            "Shervashidze",
            "Vandenbroecke",
            "Giancarletti",
            "Stoyanovska",
            "Kastnerová",
            "Yıldırımoğlu",
            "Samurakami",
        ] {
            assert!(looks_like_name(name) > 1.0, "{name} {}", looks_like_name(name));
        }
        for word in [
            "Rechnungsnummer",
            "Bestellbestätigung",
            "objednávka",
            "potvrzení",
            "odpowiedź",
            "remboursement",
            "notificación",
            "aggiornamento",
            "encaminhamento",
            "toegankelijkheid",
            "deployment",
            "subscription",
        ] {
            assert!(looks_like_name(word) < -1.0, "{word} {}", looks_like_name(word));
        }
    }

    #[test]
    fn only_words_in_latin_letters_are_told() {
        let (longest, longer) = ("ova".repeat(MAX_LETTERS / 3), "ova".repeat(MAX_LETTERS / 3) + "k");
        assert_ne!(looks_like_name(&longest), 0.0);
        for word in [longer.as_str(), "Иванов", "O'Brien", "K9"] {
            assert_eq!(looks_like_name(word), 0.0, "{word}");
        }
    }

    #[test]
    fn buckets_are_those_of_the_training() {
        // `lexicon/train.py` has the same numbers
        for (group, want) in [("^n", 6688), ("ova", 3453), ("ski$", 6347)] {
            assert_eq!(groups(group.as_bytes()).last(), Some(want), "{group}");
        }
    }
}
