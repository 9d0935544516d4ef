//! Texts in base64 inside a text, also in `data:` addresses: each is searched as a text of its own.

use std::ops::Range;

use base64ct::{Base64Unpadded, Base64UrlUnpadded, Encoding as _};

/// The shortest run of base64 that is decoded, in characters: shorter ones are words.
const MIN_LEN: usize = 16;
/// The characters that tell a word or an image from text.
const HEAD: usize = 16;

/// A run of base64 that is a text.
#[derive(Clone, Debug)]
pub struct EncodedText {
    /// Its place in the text around it, in bytes.
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
    ///
    /// # Examples
    /// ```
    /// use textveil_engine::encoded_texts;
    ///
    /// let found = encoded_texts("payload=amFuLm5vdmFrQGV4YW1wbGUuY3o=");
    /// assert_eq!(found[0].encode("[REDACTED]"), "W1JFREFDVEVEXQ==");
    /// ```
    pub fn encode(&self, text: &str) -> String {
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

/// Returns the texts in base64 of a text, in order.
///
/// Runs have at least 16 characters (RFC 4648, sections 4 and 5), and what they encode is printed text in UTF-8. A text without such
/// runs costs one pass.
///
/// # Examples
/// ```
/// use textveil_engine::encoded_texts;
///
/// let found = encoded_texts("payload=amFuLm5vdmFrQGV4YW1wbGUuY3o=");
/// assert_eq!((found[0].place.clone(), found[0].text.as_str()), (8..36, "jan.novak@example.cz"));
/// ```
pub fn encoded_texts(text: &str) -> Vec<EncodedText> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = MIN_LEN - 1;
    // every run that is long enough has one of these places
    while let Some(byte) = bytes.get(at) {
        if is_letter(byte) {
            let (before, behind) = bytes.split_at(at);
            let start = at - before.iter().rev().take_while(|byte| is_letter(byte)).count();
            let end = at + behind.iter().take_while(|byte| is_letter(byte)).count();
            let padding = bytes.iter().skip(end).take(2).take_while(|byte| **byte == b'=').count();
            if let Some(run) = text.get(start..end).filter(|run| run.len() >= MIN_LEN) {
                read(run, start, padding, &mut found);
            }
            at = end;
        }
        at += MIN_LEN;
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

fn is_letter(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_')
}

/// Decodes a run; `None` if it is something else than text.
fn decode(run: &str, start: usize, padding: usize) -> Option<EncodedText> {
    if run.len() < MIN_LEN || run.len() % 4 == 1 {
        return None;
    }
    let is_of_urls = run.contains(['-', '_']);
    // text in ASCII has capitals and small letters in base64
    if is_of_urls && run.contains(['+', '/']) || !run.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return None;
    }
    let is_text = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~' | 0x80..);
    if !bytes(run.get(..HEAD)?)?.iter().all(is_text) {
        return None;
    }
    let text = String::from_utf8(bytes(run)?).ok()?;
    let is_printed = |letter: char| !letter.is_control() || matches!(letter, '\t' | '\n' | '\r');
    let is_padded = padding > 0 || run.len().is_multiple_of(4);
    let place = start..start + run.len() + padding;
    text.chars().all(is_printed).then_some(EncodedText { place, text, is_of_urls, is_padded })
}

/// Decodes either alphabet with the decoder of one, since a web page downloads it.
fn bytes(run: &str) -> Option<Vec<u8>> {
    Base64UrlUnpadded::decode_vec(&run.replace('+', "-").replace('/', "_")).ok()
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
            // at every distance from the start
            ("0 amFuLm5vdmFrQGV4YW1wbGUuY3o", &["jan.novak@example.cz"]),
            (
                "seventeen letters amFuLm5vdmFrQGV4YW1wbGUuY3o 12 amFuLm5vdmFrQGV4YW1wbGUuY3o=",
                &["jan.novak@example.cz"; 2],
            ),
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
