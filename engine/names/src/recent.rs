//! Keeps what was read of the last words of a text, so that a word that repeats is read once.

use crate::token::Token;

/// The maximum number of words that are kept.
const MAX_WORDS: usize = 256;

/// A cache of the last words: each word has one place, by its hash.
pub(crate) struct Recent<'t, T> {
    text: &'t str,
    /// The number of places, a power of two. They are made when the first word is read.
    size: usize,
    words: Vec<Option<(&'t str, T)>>,
}

impl<'t, T: Copy> Recent<'t, T> {
    pub fn new(text: &'t str, tokens: &[Token]) -> Self {
        Self { text, size: tokens.len().next_power_of_two().min(MAX_WORDS), words: Vec::new() }
    }

    /// Returns what was read of a word as it is written, or reads it.
    pub fn get(&mut self, token: &Token, read: impl FnOnce(&'t str) -> T) -> T {
        let written = token.text(self.text);
        if self.words.is_empty() {
            self.words.resize(self.size, None);
        }
        let place = self.words.get_mut(token.phrase.value() as usize & (self.size - 1));
        if let Some(Some((word, known))) = place.as_deref()
            && *word == written
        {
            return *known;
        }
        let known = read(written);
        if let Some(place) = place {
            *place = Some((written, known));
        }
        known
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
        assert!(recent.words.iter().flatten().any(|(word, _)| *word == "Ján"));
    }
}
