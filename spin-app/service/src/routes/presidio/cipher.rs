//! AES in CBC mode as Presidio uses it: PKCS#7 padding, the initialisation vector in front, all of it in
//! URL-safe base64.
//!
//! It is what Presidio's clients ask for and no more: nothing tells a changed text from another one. Tokens
//! of `/api/v1/protect` are authenticated.

use aes::{Aes128, Aes192, Aes256};
use base64ct::{Base64Url, Encoding as _};
use cbc::{
    Decryptor, Encryptor,
    cipher::{BlockModeDecrypt, BlockModeEncrypt, KeyIvInit, block_padding::Pkcs7},
};

const BLOCK_BYTES: usize = 16;

/// A key of one of AES's lengths.
pub(super) enum Key {
    Aes128([u8; 16]),
    Aes192([u8; 24]),
    Aes256([u8; 32]),
}

impl Key {
    /// None for a key of another length.
    pub(super) fn new(key: &[u8]) -> Option<Self> {
        match key.len() {
            16 => key.try_into().ok().map(Self::Aes128),
            24 => key.try_into().ok().map(Self::Aes192),
            32 => key.try_into().ok().map(Self::Aes256),
            _ => None,
        }
    }

    /// The text, sealed under a vector that is used once.
    pub(super) fn encrypt(&self, text: &str, vector: [u8; BLOCK_BYTES]) -> String {
        let iv = &vector.into();
        let sealed = match self {
            Self::Aes128(key) => {
                Encryptor::<Aes128>::new(key.into(), iv).encrypt_padded_vec::<Pkcs7>(text.as_bytes())
            }
            Self::Aes192(key) => {
                Encryptor::<Aes192>::new(key.into(), iv).encrypt_padded_vec::<Pkcs7>(text.as_bytes())
            }
            Self::Aes256(key) => {
                Encryptor::<Aes256>::new(key.into(), iv).encrypt_padded_vec::<Pkcs7>(text.as_bytes())
            }
        };
        Base64Url::encode_string(&[vector.as_slice(), &sealed].concat())
    }

    /// Opens a sealed text; `None` if it was sealed with another key. Base64 of either alphabet is read.
    pub(super) fn decrypt(&self, sealed: &str) -> Option<String> {
        let sealed = sealed.replace('+', "-").replace('/', "_");
        let sealed = Base64Url::decode_vec(&sealed).ok()?;
        let (vector, sealed) = sealed.split_first_chunk::<BLOCK_BYTES>()?;
        let iv = vector.into();
        let text = match self {
            Self::Aes128(key) => Decryptor::<Aes128>::new(key.into(), iv).decrypt_padded_vec::<Pkcs7>(sealed),
            Self::Aes192(key) => Decryptor::<Aes192>::new(key.into(), iv).decrypt_padded_vec::<Pkcs7>(sealed),
            Self::Aes256(key) => Decryptor::<Aes256>::new(key.into(), iv).decrypt_padded_vec::<Pkcs7>(sealed),
        };
        String::from_utf8(text.ok()?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From the tests of Presidio's own API.
    const SEALED: &str = "e6HnOMnIxbd4a8Qea44LshQDnjvxwzBIaAz+YqHNnMW2mC5r3AWoay8Spsoajyyy";

    #[test]
    fn what_presidio_sealed_is_read_and_sealed_again() {
        let key = Key::new(b"1111111111111111").unwrap();
        assert_eq!(key.decrypt(SEALED).as_deref(), Some("text_for_encryption"));
        let url_safe = SEALED.replace('+', "-");
        let vector = *Base64Url::decode_vec(&url_safe).unwrap().first_chunk().unwrap();
        assert_eq!(key.encrypt("text_for_encryption", vector), url_safe);
    }

    #[test]
    fn every_length_of_key_and_of_text_comes_back() {
        for bytes in [16, 24, 32] {
            let key = Key::new(&vec![7; bytes]).unwrap();
            for text in ["", "a", "fifteen bytes..", "sixteen bytes...", "Žofie 🦀 Nová"] {
                let sealed = key.encrypt(text, [9; 16]);
                assert_eq!(key.decrypt(&sealed).as_deref(), Some(text), "{bytes}");
            }
        }
        for bytes in [0, 15, 17, 33] {
            assert!(Key::new(&vec![7; bytes]).is_none(), "{bytes}");
        }
    }

    #[test]
    fn what_was_not_sealed_with_the_key_is_not_read() {
        let key = Key::new(b"2222222222222222").unwrap();
        let (vector, _) = SEALED.split_at(24);
        for sealed in [
            SEALED,
            "",
            "plain words",
            "é",
            vector,
            SEALED.trim_end_matches("yyy"),
            "c29tZSBieXRlcyB0aGF0IGFyZSBubyBibG9jaw==",
        ] {
            assert_eq!(key.decrypt(sealed), None, "{sealed}");
        }
    }
}
