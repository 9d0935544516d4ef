//! Sealing what sessions hold.

use aes_siv::{KeyInit, siv::Aes128Siv};

/// Bytes of the nonce of a sealed document.
const NONCE: usize = 16;

/// Bytes of the end of a document, Unix time in seconds.
const END: usize = 8;

/// The keys of a workspace's sessions, newest first. The first one seals, the others only open.
#[derive(Clone)]
pub struct SessionKeys(Vec<(u8, [u8; 32])>);

impl SessionKeys {
    /// Keys by the versions of the secrets that they are derived from.
    pub fn new(keys: Vec<(u8, [u8; 32])>) -> Self {
        Self(keys)
    }

    /// Seals a document for its place in the store, until `end`, Unix time in seconds (AES-SIV, RFC 5297).
    ///
    /// The result is the version of the key, the end, the nonce and the sealed document. Place, end and nonce are
    /// authenticated: a document that was moved or prolonged does not open. `None` where there is no key.
    pub(super) fn seal(&self, place: &str, end: u64, nonce: u128, document: &[u8]) -> Option<Vec<u8>> {
        let (version, key) = self.0.first()?;
        let (end, nonce) = (end.to_be_bytes(), nonce.to_be_bytes());
        let sealed = Aes128Siv::new(key.into()).encrypt([place.as_bytes(), &end, &nonce], document).ok()?;
        Some([&[*version][..], &end, &nonce, &sealed].concat())
    }

    /// Opens a document; `None` where no key of these sealed it for this place, or where it was changed.
    pub(super) fn open(&self, place: &str, sealed: &[u8]) -> Option<Vec<u8>> {
        let (version, rest) = sealed.split_first()?;
        let (end, rest) = rest.split_first_chunk::<END>()?;
        let (nonce, sealed) = rest.split_first_chunk::<NONCE>()?;
        let (_, key) = self.0.iter().find(|(known, _)| known == version)?;
        Aes128Siv::new(key.into()).decrypt([place.as_bytes(), end, nonce], sealed).ok()
    }
}

/// The end of a sealed document, Unix time in seconds. Only what opens has the end that it says.
pub(super) fn end(sealed: &[u8]) -> Option<u64> {
    let (_, rest) = sealed.split_first()?;
    rest.first_chunk::<END>().map(|end| u64::from_be_bytes(*end))
}

/// Keys stay out: only how many there are is shown.
impl std::fmt::Debug for SessionKeys {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "SessionKeys({})", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_sealed_for_the_place_opens() {
        let old = SessionKeys::new(vec![(1, [1; 32])]);
        let sealed = old.seal("a", 7, 9, b"text").unwrap();
        assert_eq!(end(&sealed), Some(7));
        assert!(!sealed.windows(4).any(|bytes| bytes == b"text"));
        let both = SessionKeys::new(vec![(2, [2; 32]), (1, [1; 32])]);
        for keys in [&old, &both] {
            assert_eq!(keys.open("a", &sealed).as_deref(), Some(&b"text"[..]));
            assert_eq!(keys.open("b", &sealed), None);
        }
        assert_eq!(SessionKeys::new(vec![(1, [3; 32])]).open("a", &sealed), None);
        assert_eq!(SessionKeys::new(vec![(2, [1; 32])]).open("a", &sealed), None);
        for changed in 0..sealed.len() {
            let mut sealed = sealed.clone();
            sealed[changed] ^= 1;
            assert_eq!(both.open("a", &sealed), None, "{changed}");
        }
        for cut in 0..sealed.len() {
            assert_eq!(both.open("a", &sealed[..cut]), None, "{cut}");
        }
        assert_ne!(both.seal("a", 7, 9, b"text"), both.seal("a", 7, 10, b"text"));
    }
}
