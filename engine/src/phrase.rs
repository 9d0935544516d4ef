//! Words and phrases, compared as people read them: without case, diacritics, spaces or punctuation.
//!
//! `r.č.`, `RČ` and `r c` are one phrase; so are `birth number`, `birth_number` and `birthNumber`.
//!
//! The build of the catalogue uses this file too.

/// The letters and digits of a phrase, folded into one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Phrase(u32);

impl Phrase {
    /// The phrase of nothing.
    pub const EMPTY: Self = Self(0x811c_9dc5);

    /// The phrase with the letters and digits of `text` after it.
    pub fn with(self, text: &str) -> Self {
        text.chars().fold(self, Self::and)
    }

    /// The phrase with one more character; anything but a letter or a digit leaves it as it is.
    #[inline]
    fn and(self, letter: char) -> Self {
        if letter.is_ascii() {
            if letter.is_ascii_alphanumeric() { self.mix(letter.to_ascii_lowercase()) } else { self }
        } else {
            fold(letter).filter(|letter| letter.is_alphanumeric()).fold(self, Self::mix)
        }
    }

    #[inline]
    fn mix(self, letter: char) -> Self {
        Self((self.0 ^ letter as u32).wrapping_mul(0x0100_0193))
    }

    /// The number itself, for tables: spread so that its low bits are as good as any.
    #[inline]
    pub fn value(self) -> u32 {
        let mixed = self.0 ^ (self.0 >> 15);
        mixed.wrapping_mul(0x9e37_79b1)
    }
}

/// The words of a text: runs of letters and digits, with where they start and end, in bytes.
pub fn words(text: &str) -> impl Iterator<Item = (usize, usize)> {
    let mut letters = text.char_indices().peekable();
    std::iter::from_fn(move || {
        let (start, first) = letters.find(|(_, letter)| letter.is_alphanumeric())?;
        let mut end = start + first.len_utf8();
        while let Some((at, letter)) = letters.next_if(|(_, letter)| continues(*letter)) {
            end = at + letter.len_utf8();
        }
        Some((start, end))
    })
}

/// Whether a word goes on with this character: a letter, a digit or a mark that belongs to a letter.
fn continues(letter: char) -> bool {
    if letter.is_ascii() { letter.is_ascii_alphanumeric() } else { letter.is_alphanumeric() || is_mark(letter) }
}

/// Combining diacritical marks.
fn is_mark(letter: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&letter)
}

/// Base letters of U+00C0 to U+017F, lower case; `.` for those that have none or more than one.
const LATIN: &[u8; 192] = b"aaaaaa.ceeeeiiiidnooooo.ouuuuy..aaaaaa.ceeeeiiiidnooooo.ouuuuy.y\
aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiii..jjkkklllllll\
lllnnnnnnnnnoooooo..rrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs";

/// A character as it is compared: lower case, without diacritics.
pub fn fold(letter: char) -> impl Iterator<Item = char> {
    let base = (letter as usize).checked_sub(0xc0).and_then(|at| LATIN.get(at)).filter(|base| **base != b'.');
    let single = base.map(|base| char::from(*base));
    let pair = match letter {
        'Æ' | 'æ' => Some(['a', 'e']),
        'Œ' | 'œ' => Some(['o', 'e']),
        'ß' => Some(['s', 's']),
        'Þ' | 'þ' => Some(['t', 'h']),
        'Ĳ' | 'ĳ' => Some(['i', 'j']),
        _ => None,
    };
    let other = (single.is_none() && pair.is_none() && !is_mark(letter)).then(|| letter.to_lowercase());
    single.into_iter().chain(pair.into_iter().flatten()).chain(other.into_iter().flatten().filter(|c| !is_mark(*c)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folded_alike() {
        for (a, b) in [
            ("r.č.", "RC"),
            ("birth number", "birthNumber"),
            ("Vážená", "vazena"),
            ("N° SIREN", "n siren"),
            ("re\u{301}sume\u{301}", "résumé"),
            ("Straße", "STRASSE"),
            ("ИНН", "инн"),
            ("Łódź", "lodz"),
        ] {
            assert_eq!(Phrase::EMPTY.with(a), Phrase::EMPTY.with(b), "{a} {b}");
        }
        assert_ne!(Phrase::EMPTY.with("pesel"), Phrase::EMPTY.with("nip"));
        assert_eq!(LATIN.len(), 0x180 - 0xc0);
        for (accented, base) in [('À', 'a'), ('ÿ', 'y'), ('Č', 'c'), ('ž', 'z'), ('ń', 'n'), ('ř', 'r'), ('ű', 'u')] {
            assert_eq!(fold(accented).collect::<String>(), base.to_string(), "{accented}");
        }
    }

    #[test]
    fn where_words_are() {
        let text = "R.č.: 12 – Mój";
        let found: Vec<&str> = words(text).filter_map(|(start, end)| text.get(start..end)).collect();
        assert_eq!(found, ["R", "č", "12", "Mój"]);
    }
}
