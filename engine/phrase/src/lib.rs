//! Words and phrases, compared as people read them: without case, diacritics, spaces or punctuation.
//!
//! `r.č.`, `RČ` and `r c` are one phrase; so are `birth number`, `birth_number` and `birthNumber`.
//!
//! The engine compares words with it, the build of its catalogue makes tables of them, and so does that of the
//! lexicon. Code that engine and names share lies here, too: the tables of a text, its tags, the count of work,
//! a small sort, the names of character references;
//! and, for their builds, the reader of the languages' files.

pub mod bytes;
pub mod case;
#[cfg(feature = "languages")]
pub mod languages;
pub mod markup;
pub mod order;
pub mod references;
pub mod tables;
pub mod words;
pub mod work;

use case::lower;
pub use words::{phrases, words};

/// The letters and digits of a phrase, folded into one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Phrase(u32);

impl Phrase {
    /// The empty phrase.
    pub const EMPTY: Self = Self(0x811c_9dc5);

    /// The phrase with the letters and digits of `text` after it.
    #[inline]
    pub fn with(self, text: &str) -> Self {
        let mut phrase = self;
        for (at, byte) in text.bytes().enumerate() {
            if byte >= 0x80 {
                return text.get(at..).unwrap_or_default().chars().fold(phrase, Self::with_letter);
            }
            if byte.is_ascii_alphanumeric() {
                phrase = phrase.mix(char::from(byte.to_ascii_lowercase()));
            }
        }
        phrase
    }

    /// The phrase with one more letter or digit of ASCII.
    #[inline]
    pub fn with_ascii(self, byte: u8) -> Self {
        // digits have the bit that small letters have
        self.mix(char::from(byte | 0x20))
    }

    /// Returns the phrase with one more character; other characters than letters and digits are ignored.
    #[inline]
    pub fn with_letter(self, letter: char) -> Self {
        match letter {
            'a'..='z' | '0'..='9' => self.mix(letter),
            'A'..='Z' => self.mix(letter.to_ascii_lowercase()),
            _ if letter.is_ascii() => self,
            // as `with_other` does: characters that are words of their own
            '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' => self.mix(letter),
            _ => match base(letter) {
                Some(base) => self.mix(base),
                None => self.with_other(letter),
            },
        }
    }

    /// Returns the phrase with one more small letter, as UTF-8 has it in two bytes; only those that are the most frequent:
    /// of Cyrillic, and of Latin with a diacritic.
    #[inline]
    pub fn with_small(self, lead: u8, next: u8) -> Option<Self> {
        let letter = u32::from(lead & 0x1f) << 6 | u32::from(next & 0x3f);
        match (lead, letter) {
            (0xd0 | 0xd1, 0x430..0x460) => Some(self.mix(char::from_u32(letter)?)),
            (0xc3, 0xdf..=0xff) => char::from_u32(letter).and_then(base).map(|base| self.mix(base)),
            _ => None,
        }
    }

    /// The phrase with one more character that is neither of ASCII nor has a [`base`].
    #[inline(never)]
    fn with_other(self, letter: char) -> Self {
        if is_uncased(letter) && !is_indic(letter) {
            return self.mix(letter);
        }
        match (single(letter), pair(letter)) {
            (Some(single), _) => self.mix(single),
            (None, Some([first, second])) => self.mix(first).mix(second),
            _ if is_mark(letter) || is_optional(letter) => self,
            _ => Some(lower(letter))
                .filter(|letter| is_letter(*letter))
                .map_or(self, |letter| self.mix(letter)),
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

/// Folds a text to the letters and digits that a [`Phrase`] is made of.
///
/// Two texts with equal letters are equal phrases. The reverse holds unless their hashes collide.
///
/// ```
/// assert!(textveil_phrase::letters("Birth-Numbér").eq("birthnumber".chars()));
/// ```
pub fn letters(text: &str) -> impl Iterator<Item = char> {
    text.chars().flat_map(fold).filter(|letter| letter.is_ascii_alphanumeric() || is_letter(*letter))
}

/// Whether a letter is a word of its own.
///
/// True for scripts that are written without spaces, or with particles directly after a word, so that a label
/// is found at any place of a sentence.
pub fn is_alone(letter: char) -> bool {
    match letter {
        '\0'..='\u{3004}' => false,
        '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{3400}'..='\u{4dbf}' => true,
        '\u{3005}'..='\u{30ff}' => is_letter(letter),
        _ => false,
    }
}

/// Frequent letters and digits from Hebrew to Georgian that are compared unchanged: the first and the last of each range.
const UNCASED: [(usize, usize); 47] = [
    (0x5b0, 0x5bd),
    (0x5d0, 0x5ea),
    (0x610, 0x61a),
    (0x620, 0x621),
    (0x624, 0x624),
    (0x626, 0x628),
    (0x62a, 0x63f),
    (0x641, 0x648),
    (0x64a, 0x64a),
    (0x653, 0x657),
    (0x659, 0x669),
    (0x66e, 0x66f),
    (0x672, 0x6a8),
    (0x6aa, 0x6bf),
    (0x6c2, 0x6cb),
    (0x6cd, 0x6d3),
    (0x900, 0x93b),
    (0x93d, 0x94c),
    (0x94e, 0x950),
    (0x955, 0x963),
    (0x966, 0x96f),
    (0x981, 0x983),
    (0x985, 0x98c),
    (0x993, 0x9a8),
    (0x9aa, 0x9b0),
    (0x9b6, 0x9b9),
    (0x9bd, 0x9c4),
    (0x9c7, 0x9c8),
    (0x9cb, 0x9cc),
    (0x9dc, 0x9dd),
    (0x9df, 0x9e3),
    (0x9e6, 0x9f1),
    (0xb85, 0xb8a),
    (0xba8, 0xbaa),
    (0xbae, 0xbb9),
    (0xbbe, 0xbc2),
    (0xbc6, 0xbc8),
    (0xbca, 0xbcc),
    (0xc2a, 0xc39),
    (0xc3d, 0xc44),
    (0xe01, 0xe3a),
    (0xe40, 0xe46),
    (0xe4d, 0xe4d),
    (0xe50, 0xe59),
    (0x1000, 0x1036),
    (0x103b, 0x1049),
    (0x10d0, 0x10fa),
];
/// The first character of [`BITS`], and its length in words of 64 bits.
const FIRST: usize = 0x580;
const WORDS: usize = (0x1100 - FIRST) / 64;
/// A bit for each character of [`UNCASED`].
#[allow(clippy::indexing_slicing, reason = "evaluated by the compiler")]
static BITS: [u64; WORDS] = {
    let mut bits = [0; WORDS];
    let mut range = 0;
    while range < UNCASED.len() {
        let (mut letter, last) = UNCASED[range];
        while letter <= last {
            bits[(letter - FIRST) / 64] |= 1 << (letter % 64);
            letter += 1;
        }
        range += 1;
    }
    bits
};

/// Whether a character is a letter of a script without capitals that is compared unchanged.
///
/// These ranges classify the most frequent scripts without the Unicode tables, which take ten times as long.
#[inline]
pub(crate) fn is_uncased(letter: char) -> bool {
    match letter {
        '\0'..='\u{5af}' => false,
        '\u{5b0}'..='\u{10ff}' => {
            let bits = BITS.get((letter as usize - FIRST) / 64).copied().unwrap_or_default();
            bits >> (letter as usize % 64) & 1 == 1
        }
        _ => matches!(letter,
            '\u{3041}'..='\u{3096}'
            | '\u{30a1}'..='\u{30fa}'
            | '\u{30fc}'..='\u{30ff}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{ac00}'..='\u{d7a3}'),
    }
}

/// Whether a character is a letter or a digit.
pub fn is_letter(letter: char) -> bool {
    match letter {
        // the most frequent first
        '\0'..='\x7f' => letter.is_ascii_alphanumeric(),
        _ if is_uncased(letter) || arabic(letter).is_some() => true,
        '\u{d7}' | '\u{f7}' => false,
        '\u{c0}'..='\u{24f}' | '\u{3a3}'..='\u{3f5}' | '\u{3f7}'..='\u{481}' | '\u{1ea0}'..='\u{1eff}' => {
            true
        }
        // punctuation, and marks of frequent scripts
        '\u{a0}'..='\u{a9}'
        | '\u{ab}'..='\u{b1}'
        | '\u{93c}'
        | '\u{94d}'
        | '\u{9bc}'
        | '\u{9cd}'
        | '\u{e47}'..='\u{e4c}'
        | '\u{2000}'..='\u{206f}'
        | '\u{3000}'..='\u{3004}'
        | '\u{3008}'..='\u{3020}'
        | '\u{ff01}'..='\u{ff0f}'
        | '\u{ff1a}'..='\u{ff20}' => false,
        _ => letter.is_alphanumeric(),
    }
}

/// Combining diacritical marks, and the signs of other scripts on or under a letter that are not letters:
/// vowel points, tone marks, the stroke that removes a consonant's vowel.
pub fn is_mark(letter: char) -> bool {
    match letter {
        '\u{300}'..='\u{36f}' => true,
        '\0'..='\u{590}' => false,
        '\u{591}'..='\u{5af}' | '\u{5be}' | '\u{5c0}' | '\u{5c3}' | '\u{5c6}' | '\u{658}' => true,
        '\u{e47}'..='\u{e4c}' | '\u{e4e}' => true,
        // virama and nukta of the Indian scripts are at the same positions of their blocks
        '\u{900}'..='\u{d7f}' => matches!(letter as u32 % 0x80, 0x3c | 0x4d),
        '\u{dca}' | '\u{1037}'..='\u{103a}' | '\u{17c6}'..='\u{17d3}' => true,
        _ => false,
    }
}

/// Base letters of U+00C0 to U+017F, lower case; `.` for those without a single base letter.
const LATIN: &[u8; 192] = b"aaaaaa.ceeeeiiiidnooooo.ouuuuy..aaaaaa.ceeeeiiiidnooooo.ouuuuy.y\
aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiii..jjkkklllllll\
lllnnnnnnnnnoooooo..rrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs";

/// Those of U+01CD to U+0233: Romanian, and Chinese in Latin letters.
const LATIN_B: &[u8; 103] = b"aaiioouuuuuuuuuu.aaaa....ggkkoooo..j...gg..nnaa....aaaaeeeeiiiio\
ooorrrruuuusstt..hh......aaeeooooooooyy";

/// Those of U+1E00 to U+1EF9: Vietnamese, Yoruba, Igbo.
const LATIN_ADDITIONAL: &[u8; 250] = b"aabbbbbbccddddddddddeeeeeeeeeeffgghhhhhhhhhhiiiikkkkkkllllllllmm\
mmmmnnnnnnnnoooooooopppprrrrrrrrssssssssssttttttttuuuuuuuuuuvvvv\
wwwwwwwwwwxxxxyyzzzzzzhtwy......aaaaaaaaaaaaaaaaaaaaaaaaeeeeeeee\
eeeeeeeeiiiioooooooooooooooooooooooouuuuuuuuuuuuuuyyyyyyyy";

/// The base letter of a Latin letter with a diacritic, of the most frequent blocks.
#[inline]
fn base(letter: char) -> Option<char> {
    let base = (letter as usize).checked_sub(0xc0).and_then(|at| LATIN.get(at)).filter(|base| **base != b'.');
    base.map(|base| char::from(*base))
}

/// The base letter of a Latin letter with a diacritic, of the other blocks.
#[inline(never)]
fn base_beyond(letter: char) -> Option<char> {
    let base = match letter {
        'Ơ' | 'ơ' => b'o',
        'Ư' | 'ư' => b'u',
        '\u{1cd}'..='\u{233}' => *LATIN_B.get(letter as usize - 0x1cd)?,
        '\u{1e00}'..='\u{1ef9}' => *LATIN_ADDITIONAL.get(letter as usize - 0x1e00)?,
        _ => b'.',
    };
    (base != b'.').then(|| char::from(base))
}

/// Returns the normalised form of a character of a common script, if that is one character.
#[inline]
fn single(letter: char) -> Option<char> {
    match letter {
        '\0'..='\u{17f}' => base(letter),
        '\u{180}'..='\u{233}' | '\u{1e00}'..='\u{1ef9}' => base_beyond(letter),
        '\u{386}'..='\u{3ce}' => greek(letter),
        '\u{430}'..='\u{45f}' => Some(letter),
        _ if is_indic(letter) => devanagari(letter),
        _ if is_uncased(letter) => Some(letter),
        '\u{410}'..='\u{42f}' => char::from_u32(letter as u32 + 0x20),
        '\u{622}'..='\u{6cc}' => arabic(letter),
        _ => None,
    }
}

/// Returns a Greek letter without its accent and its case: capitals are written without accents, and a pronoun behind a word
/// adds one, as in `το τηλέφωνό σας`.
#[inline(never)]
fn greek(letter: char) -> Option<char> {
    Some(match letter {
        'Ά' | 'ά' => 'α',
        'Έ' | 'έ' => 'ε',
        'Ή' | 'ή' => 'η',
        'Ί' | 'ί' | 'Ϊ' | 'ϊ' | 'ΐ' => 'ι',
        'Ό' | 'ό' => 'ο',
        'Ύ' | 'ύ' | 'Ϋ' | 'ϋ' | 'ΰ' => 'υ',
        'Ώ' | 'ώ' => 'ω',
        'ς' => 'σ',
        'Α'..='Ω' => char::from_u32(letter as u32 + 0x20)?,
        'α'..='ω' => letter,
        _ => return None,
    })
}

/// Whether a character is of the scripts from Devanagari to Malayalam.
#[inline]
fn is_indic(letter: char) -> bool {
    matches!(letter, '\u{900}'..='\u{d7f}')
}

/// The letter of Devanagari that a letter of an Indian script is compared as, so that one list of names and one list of words
/// serves all of them.
///
/// Unicode has the same sound at the same position of each block, as ISCII did. Spellings that differ between the
/// languages are one: short and long `e` and `o`, both letters for `sh`, letters with a dot, nasal signs.
#[inline(never)]
fn devanagari(letter: char) -> Option<char> {
    if is_mark(letter) || is_optional(letter) || !is_letter(letter) {
        return None;
    }
    let position = match letter {
        // Bengali and Malayalam letters without a vowel, Assamese `r` and `v`, a nasal sign of Gurmukhi
        '\u{9ce}' => 0x24,
        '\u{9f0}' => 0x30,
        '\u{9f1}' => 0x35,
        '\u{a70}' => 0x02,
        '\u{d7a}' => 0x23,
        '\u{d7b}' => 0x28,
        '\u{d7c}' => 0x30,
        '\u{d7d}' => 0x32,
        '\u{d7e}' => 0x33,
        '\u{d7f}' => 0x15,
        _ => match letter as u32 % 0x80 {
            0x01 => 0x02,
            0x0e => 0x0f,
            0x12 => 0x13,
            0x29 => 0x28,
            0x31 => 0x30,
            0x34 => 0x33,
            0x37 => 0x36,
            0x46 => 0x47,
            0x4a => 0x4b,
            0x58 => 0x15,
            0x59 => 0x16,
            0x5a => 0x17,
            0x5b => 0x1c,
            0x5c => 0x21,
            0x5d => 0x22,
            0x5e => 0x2b,
            0x5f => 0x2f,
            position => position,
        },
    };
    // Devanagari has no letter for signs of accents and of accounts
    char::from_u32(0x900 + position).filter(|letter| is_letter(*letter))
}

/// The letter that a variant of an Arabic or Persian letter is compared as. Writers leave out the hamza and the dots, and
/// Persian has its own yeh and kaf: Lucene's normalisation of both languages.
#[inline]
fn arabic(letter: char) -> Option<char> {
    match letter {
        '\u{622}' | '\u{623}' | '\u{625}' | '\u{671}' => Some('\u{627}'),
        '\u{629}' | '\u{6c0}' | '\u{6c1}' => Some('\u{647}'),
        '\u{649}' | '\u{6cc}' => Some('\u{64a}'),
        '\u{6a9}' => Some('\u{643}'),
        _ => None,
    }
}

/// Whether a letter is not compared: the signs of Arabic vowels, which most texts leave out, the stroke that makes a word
/// longer, and the sign of Gurmukhi that makes a consonant longer. Unicode counts them as letters.
#[inline]
fn is_optional(letter: char) -> bool {
    matches!(letter, '\u{640}' | '\u{64b}'..='\u{652}' | '\u{670}' | '\u{a71}')
}

/// The two letters that a ligature is compared as.
#[inline]
fn pair(letter: char) -> Option<[char; 2]> {
    match letter {
        'Æ' | 'æ' => Some(['a', 'e']),
        'Œ' | 'œ' => Some(['o', 'e']),
        'ß' | 'ẞ' => Some(['s', 's']),
        'Þ' | 'þ' => Some(['t', 'h']),
        'Ĳ' | 'ĳ' => Some(['i', 'j']),
        _ => None,
    }
}

/// Calls `take` with each character of the normalised form of a character, as [`fold`] returns them, as long as it
/// returns `Some`.
#[inline]
pub fn each_folded(letter: char, take: &mut impl FnMut(char) -> Option<()>) -> Option<()> {
    match single(letter) {
        Some(base) => take(base),
        None => fold(letter).try_for_each(take),
    }
}

/// Returns the normalised form of a character: lower case, without diacritics.
pub fn fold(letter: char) -> impl Iterator<Item = char> {
    let (single, pair) = (single(letter), pair(letter));
    let is_compared = !is_mark(letter) && !is_optional(letter);
    let other = (single.is_none() && pair.is_none() && is_compared).then(|| lower(letter));
    single.into_iter().chain(pair.into_iter().flatten()).chain(other)
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
            ("أحمد", "احمد"),
            ("مُحَمَّد", "محمد"),
            ("فاطمة", "فاطمه"),
            ("علی کریمی", "على كريمي"),
            ("محـــمد", "محمد"),
            ("Nguyễn", "nguyen"),
            ("Nguyễn", "Nguye\u{302}\u{303}n"),
            ("người", "nguoi"),
            ("naşterii", "nasterii"),
            ("nașterii", "nasterii"),
            ("Ọ̀gá", "oga"),
            ("STRAẞE", "Straße"),
            ("રાજેશ", "राजेश"),
            ("রাজেশ", "राजेश"),
            ("രാജേഷ്", "राजेश"),
            ("ராஜேஷ்", "राजेश"),
            ("కుమార్", "कुमार"),
            ("ਸਿੰਘ", "सिंघ"),
            ("কুমাৰ", "कुमार"),
            ("ਹਰਪ੍ਰੀਤ", "हरप्रीत"),
        ] {
            assert_eq!(Phrase::EMPTY.with(a), Phrase::EMPTY.with(b), "{a} {b}");
        }
        assert_ne!(Phrase::EMPTY.with("pesel"), Phrase::EMPTY.with("nip"));
        assert_eq!(LATIN.len(), 0x180 - 0xc0);
        for (accented, base) in
            [('À', 'a'), ('ÿ', 'y'), ('Č', 'c'), ('ž', 'z'), ('ń', 'n'), ('ř', 'r'), ('ű', 'u')]
        {
            assert_eq!(fold(accented).collect::<String>(), base.to_string(), "{accented}");
        }
        for letter in '\0'..=char::MAX {
            let mut folded = String::new();
            each_folded(letter, &mut |letter| {
                folded.push(letter);
                Some(())
            });
            assert_eq!(folded, fold(letter).collect::<String>(), "{letter}");
        }
    }

    #[test]
    fn letters_of_scripts_without_capitals() {
        for letter in ('\u{80}'..=char::MAX).filter(|letter| is_uncased(*letter)) {
            assert!(
                letter.is_alphanumeric() && !is_mark(letter) && case::lower(letter) == letter,
                "{letter}"
            );
        }
    }

    #[test]
    fn letters_are_those_of_unicode() {
        for letter in '\0'..=char::MAX {
            assert_eq!(is_letter(letter), letter.is_alphanumeric(), "{letter:?}");
        }
    }

    #[test]
    fn marks_of_hebrew_arabic_and_thai_are_no_letters() {
        for letter in ('\u{591}'..='\u{5c7}').chain('\u{64b}'..='\u{65f}').chain('\u{e47}'..='\u{e4e}') {
            assert_eq!(is_mark(letter), !letter.is_alphabetic(), "{letter:?}");
        }
    }

    #[test]
    fn frequent_small_letters() {
        let mut count = 0;
        for letter in '\u{80}'..='\u{7ff}' {
            let bytes = letter.to_string();
            let &[lead, next] = bytes.as_bytes() else { panic!() };
            if let Some(phrase) = Phrase::EMPTY.with_small(lead, next) {
                assert!(letter.is_lowercase(), "{letter}");
                assert_eq!(phrase, Phrase::EMPTY.with_letter(letter), "{letter}");
                count += 1;
            }
        }
        // without ß, æ, ÷ and þ
        assert_eq!(count, 48 + 33 - 4);
    }

    /// A phrase is the hash of its letters.
    #[test]
    fn letters_of_phrases() {
        for letter in '\0'..=char::MAX {
            let text = letter.to_string();
            assert_eq!(
                Phrase::EMPTY.with(&text),
                letters(&text).fold(Phrase::EMPTY, Phrase::mix),
                "{letter}"
            );
        }
    }
}
