//! Texts in base64 inside a text, also in `data:` addresses: each is searched as a text of its own, and encoded again.

use std::ops::Range;

use base64ct::{Base64Unpadded, Base64UrlUnpadded, Encoding as _};

/// The shortest run of base64 that is decoded, in characters: shorter ones are words.
const MIN_LEN: usize = 16;
/// The characters that tell a word or an image from text.
const HEAD: usize = 16;

/// A run of base64 that is a text.
pub(super) struct EncodedText {
    /// Its place in the text around it.
    pub place: Range<usize>,
    /// The text.
    pub text: String,
    /// Whether it has `-` and `_` instead of `+` and `/`.
    is_of_urls: bool,
    /// Whether it ends with `=` where the length needs it.
    is_padded: bool,
}

impl EncodedText {
    /// Encodes another text in the form of this run.
    pub(super) fn encode(&self, text: &str) -> String {
        let bytes = text.as_bytes();
        let mut run = match self.is_of_urls {
            true => Base64UrlUnpadded::encode_string(bytes),
            false => Base64Unpadded::encode_string(bytes),
        };
        if self.is_padded {
            run.extend(std::iter::repeat_n('=', (4 - run.len() % 4) % 4));
        }
        run
    }
}

/// Returns the texts in base64 of a text, in order. Runs are long, so a text without them costs one pass.
pub(super) fn encoded_texts(text: &str) -> Vec<EncodedText> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..) {
        let Some(start) = rest.find(is_letter) else { break };
        let run = rest.get(start..).unwrap_or_default();
        let len = run.find(|letter| !is_letter(letter)).unwrap_or(run.len());
        let padding = run.bytes().skip(len).take(2).take_while(|byte| *byte == b'=').count();
        if len >= MIN_LEN
            && let Some(run) = run.get(..len)
        {
            read(run, at + start, padding, &mut found);
        }
        at += start + len + padding;
    }
    found
}

/// Adds the text of a run, or the texts between its slashes: an address has them between its parts.
fn read(run: &str, start: usize, padding: usize, found: &mut Vec<EncodedText>) {
    if let Some(text) = decode(run, start, padding) {
        return found.push(text);
    }
    let mut at = start;
    let parts: Vec<&str> = run.split('/').collect();
    let last = parts.len().saturating_sub(1);
    for (number, part) in parts.into_iter().enumerate().filter(|_| last > 0) {
        found.extend(decode(part, at, if number == last { padding } else { 0 }));
        at += part.len() + 1;
    }
}

fn is_letter(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '+' | '/' | '-' | '_')
}

/// Decodes a run; `None` if it is something else than text.
fn decode(run: &str, start: usize, padding: usize) -> Option<EncodedText> {
    if run.len() < MIN_LEN || run.len() % 4 == 1 {
        return None;
    }
    let is_of_urls = run.contains(['-', '_']);
    let bytes = |run: &str| match is_of_urls {
        true => Base64UrlUnpadded::decode_vec(run),
        false => Base64Unpadded::decode_vec(run),
    };
    let is_text = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~' | 0x80..);
    if !bytes(run.get(..HEAD)?).ok()?.iter().all(is_text) {
        return None;
    }
    let text = String::from_utf8(bytes(run).ok()?).ok()?;
    let is_printed = |letter: char| !letter.is_control() || matches!(letter, '\t' | '\n' | '\r');
    let is_padded = padding > 0 || run.len().is_multiple_of(4);
    let place = start..start + run.len() + padding;
    text.chars().all(is_printed).then_some(EncodedText { place, text, is_of_urls, is_padded })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn runs_that_are_texts() {
        for (written, want) in [
            ("see amFuLm5vdmFrQGV4YW1wbGUuY3o= here", &["jan.novak@example.cz"][..]),
            ("amFuLm5vdmFrQGV4YW1wbGUuY3o", &["jan.novak@example.cz"]),
            ("data:text/plain;base64,xb1sdcWlb3XEjWvDvSBrxa/FiA==", &["Žluťoučký kůň"]),
            ("xb1sdcWlb3XEjWvDvSBrxa_FiA", &["Žluťoučký kůň"]),
            ("https://x.example/u/amFuLm5vdmFrQGV4YW1wbGUuY3o/edit", &["jan.novak@example.cz"]),
            ("eyJzdWIiOiJqYW4ifQ.eyJuYW1lIjoiSmFuIn0", &[r#"{"sub":"jan"}"#, r#"{"name":"Jan"}"#]),
            // words, hashes, paths, images
            ("internationalisation and antidisestablishmentarianism", &[]),
            ("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b", &[]),
            ("/usr/local/share/applications/textveil", &[]),
            ("iVBORw0KGgoAAAANSUhEUgAAAAUA", &[]),
            ("", &[]),
        ] {
            let found: Vec<String> = encoded_texts(written).into_iter().map(|one| one.text).collect();
            assert_eq!(found, want, "{written}");
        }
    }

    proptest! {
        /// Every printed text is found again, and encoded as it was.
        #[test]
        fn texts_keep_their_form(text in "[ -~á]{12,60}", is_of_urls: bool, is_padded: bool) {
            let one = EncodedText { place: 0..0, text: text.clone(), is_of_urls, is_padded };
            let written = format!("a: {} b", one.encode(&text));
            let found = encoded_texts(&written);
            prop_assert_eq!(found.len(), 1, "{}", written);
            prop_assert_eq!(&found[0].text, &text);
            let run = written.get(found[0].place.clone()).unwrap();
            let again = found[0].encode(&text);
            prop_assert_eq!(again.trim_end_matches('='), run.trim_end_matches('='));
        }
    }
}
