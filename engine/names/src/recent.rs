//! Keeps what was read of the last words of a text, so that a word that repeats is read once.

use crate::token::Token;

/// The maximum number of words that are kept.
const MAX_WORDS: usize = 256;

/// A cache of what was read last: each key has one place, by its hash.
pub(crate) struct Memo<K, T> {
    /// The number of places, a power of two. They are made when the first key is read.
    size: usize,
    places: Vec<Option<(K, T)>>,
}

impl<K: Copy + PartialEq, T: Copy> Memo<K, T> {
    /// Returns a cache for a text that has at most so many keys.
    pub fn new(keys: usize, most: usize) -> Self {
        Self { size: keys.next_power_of_two().min(most), places: Vec::new() }
    }

    /// Returns what was read of a key, or reads it.
    #[inline]
    pub fn get(&mut self, hash: u32, key: K, read: impl FnOnce() -> T) -> T {
        if self.places.is_empty() {
            self.places.resize(self.size, None);
        }
        let place = self.places.get_mut(hash as usize & (self.size - 1));
        if let Some(Some((of, known))) = place.as_deref()
            && *of == key
        {
            return *known;
        }
        let known = read();
        if let Some(place) = place {
            *place = Some((key, known));
        }
        known
    }
}

/// A cache of the last words as they are written.
pub(crate) struct Recent<'t, T> {
    text: &'t str,
    words: Memo<&'t str, T>,
}

impl<'t, T: Copy> Recent<'t, T> {
    pub fn new(text: &'t str, tokens: &[Token]) -> Self {
        Self { text, words: Memo::new(tokens.len(), MAX_WORDS) }
    }

    /// Returns what was read of a word as it is written, or reads it.
    pub fn get(&mut self, token: &Token, read: impl FnOnce(&'t str) -> T) -> T {
        let written = token.text(self.text);
        self.words.get(token.phrase.value(), written, || read(written))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::tokens;

    #[test]
    fn a_word_is_read_once_as_it_is_written() {
        let text = "Ján Jan JAN Ján jan Jan";
        let tokens = tokens(text);
        let mut recent = Recent::new(text, &tokens);
        let mut read = Vec::new();
        for token in &tokens {
            let word = recent.get(token, |word| {
                read.push(word);
                word
            });
            assert_eq!(word, token.text(text));
        }
        // all are one phrase, so each takes the place of the one before
        assert_eq!(read, ["Ján", "Jan", "JAN", "Ján", "jan", "Jan"]);
        let first = tokens.first().unwrap();
        for _ in 0..2 {
            recent.get(first, |word| word);
        }
        assert!(recent.words.places.iter().flatten().any(|(word, _)| *word == "Ján"));
    }
}
