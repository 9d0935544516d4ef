//! Keys for hashes and tokens.
//!
//! Two keys are derived from a secret of the caller (HKDF-SHA-256, RFC 5869): one for hashes (HMAC-SHA-256)
//! and one for tokens (AES-SIV, RFC 5297, deterministic and authenticated). A token is
//! `tok_<country>_<type>_<id>`. The id is the key's version, the length of the rest, and the sealed original
//! in base32, with type and country as associated data. So tokens need no storage: the key opens them, the
//! same value has the same token everywhere, and a changed token is rejected. A check digit tells a token from
//! other text without the key.

use aes_siv::{KeyInit, siv::Aes128Siv};
use base32ct::{Base32Unpadded, Encoding as _};
use hkdf::Hkdf;
use hmac::{Hmac, Mac};
use sha2::Sha256;

use super::marked;
use crate::{
    api::{answer::Restored, entity::Entity, error::Error, limits::MIN_SECRET_BYTES, wire::protected_type},
    recognise::token::{self, BASE32, CHECKED, LENGTH_DIGITS, Token, check_digit},
};

/// The minimum length of a token, in bytes: `tok_xx_a_`, version, length, and a sealed byte, without a check digit.
const SHORTEST_TOKEN: usize = 41;
/// The length of a hash in bytes; its text has twice as many hex digits.
const HASH_BYTES: usize = 8;

/// Keys for hashes and tokens, all derived from secrets of the caller.
///
/// The first one seals; all of them open tokens.
///
/// # Examples
/// ```
/// use textveil_engine::{DetectOptions, Keyring, Mode, ProtectOptions, protect, restore};
///
/// let old = Keyring::new(1, b"a secret of 16 bytes or more")?;
/// let tokenize = ProtectOptions { mode: Mode::Tokenize, ..ProtectOptions::default() };
/// let text = protect("to jan.novak@example.com", &DetectOptions::default(), &tokenize, Some(&old))?.text;
///
/// let new = Keyring::new(2, b"another secret, long enough")?;
/// assert_eq!(restore(&text, &new)?.unknown, 1);
/// let both = new.with_previous(1, b"a secret of 16 bytes or more")?;
/// assert_eq!(restore(&text, &both)?.text, "to jan.novak@example.com");
/// # Ok::<(), textveil_engine::Error>(())
/// ```
#[derive(Clone)]
pub struct Keyring {
    keys: Vec<Keys>,
}

#[derive(Clone)]
struct Keys {
    version: u8,
    hash: [u8; 32],
    token: [u8; 32],
}

impl Keys {
    fn derive(version: u8, secret: &[u8]) -> Result<Self, Error> {
        if secret.len() < MIN_SECRET_BYTES {
            return Err(Error::invalid("key", "is too short; send at least 16 bytes"));
        }
        if usize::from(version) >= BASE32.len() {
            return Err(Error::invalid("key", "has a version above 31; send a version from 0 to 31"));
        }
        let derived = Hkdf::<Sha256>::new(None, secret);
        let mut keys = Self { version, hash: [0; 32], token: [0; 32] };
        for (info, key) in [("textveil hash", &mut keys.hash), ("textveil token", &mut keys.token)] {
            derived
                .expand(info.as_bytes(), key)
                .map_err(|_| Error::invalid("key", "cannot be derived from"))?;
        }
        Ok(keys)
    }
}

impl Keyring {
    /// Creates a keyring with one key, derived from a secret.
    ///
    /// The version is 0 to 31, and the secret has at least 16 bytes.
    ///
    /// # Errors
    /// `invalid_request` naming `key` if the secret is too short or the version too large.
    pub fn new(version: u8, secret: &[u8]) -> Result<Self, Error> {
        Ok(Self { keys: vec![Keys::derive(version, secret)?] })
    }

    /// Adds an older key, which opens tokens but does not seal.
    ///
    /// # Errors
    /// As [`Keyring::new`], and if the version is already present.
    pub fn with_previous(mut self, version: u8, secret: &[u8]) -> Result<Self, Error> {
        if self.keys.iter().any(|known| known.version == version) {
            return Err(Error::invalid("key", "has a version twice; give every secret a version of its own"));
        }
        self.keys.push(Keys::derive(version, secret)?);
        Ok(self)
    }

    /// Returns 16 hex digits, always the same for a type and a normalised value under this key.
    pub(super) fn hash(&self, entity: &Entity) -> String {
        let mac = self.keys.first().and_then(|keys| Hmac::<Sha256>::new_from_slice(&keys.hash).ok());
        let Some(mut mac) = mac else { return String::new() };
        mac.update(entity.kind.as_bytes());
        mac.update(&[0]);
        mac.update(entity.normalised().as_bytes());
        base16ct::lower::encode_string(mac.finalize().into_bytes().get(..HASH_BYTES).unwrap_or_default())
    }

    /// Returns the token of a finding.
    pub(super) fn seal(&self, entity: &Entity) -> Result<String, Error> {
        let kind = protected_type(entity.kind.clone());
        let country = entity.country.map_or_else(|| "xx".to_owned(), |country| country.lower());
        let failed = || Error::invalid("key", "cannot seal; send another secret");
        let keys = self.keys.first().ok_or_else(failed)?;
        let mut siv = Aes128Siv::new(&keys.token.into());
        let sealed = siv
            .encrypt([kind.as_bytes(), country.as_bytes()], entity.original.as_bytes())
            .map_err(|_| failed())?;
        let sealed = Base32Unpadded::encode_string(&sealed);
        let mut id = String::with_capacity(1 + LENGTH_DIGITS + sealed.len() + 1);
        id.push(digit(usize::from(keys.version)));
        for place in (0..LENGTH_DIGITS).rev() {
            id.push(digit(sealed.len() >> (5 * place)));
        }
        id.push_str(&sealed);
        id.extend(check_digit(&id));
        Ok(format!("tok_{country}_{kind}_{CHECKED}{id}"))
    }

    /// Returns the original of a token. `None` if no key of the ring sealed it, or it was changed.
    fn open(&self, token: Token<'_>) -> Option<String> {
        let keys = self.keys.iter().find(|keys| keys.version == token.version)?;
        let written = token.sealed.to_ascii_lowercase();
        // the unused bits after the last byte must be unchanged
        let sealed = Base32Unpadded::decode_vec(&written).ok()?;
        if Base32Unpadded::encode_string(&sealed) != written {
            return None;
        }
        let mut siv = Aes128Siv::new(&keys.token.into());
        let original = siv.decrypt([token.kind.as_bytes(), token.country.as_bytes()], &sealed).ok()?;
        String::from_utf8(original).ok()
    }
}

/// The base32 digit of the five lowest bits.
fn digit(number: usize) -> char {
    BASE32.get(number & 31).copied().map_or('a', char::from)
}

/// Omits the keys; shows their number only.
impl std::fmt::Debug for Keyring {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Keyring({} keys)", self.keys.len())
    }
}

/// Whether a word that begins like a token is long enough to be one with a changed length.
fn looks_like_token(text: &str) -> bool {
    let word = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'_';
    text.as_bytes().iter().take(SHORTEST_TOKEN).take_while(|byte| word(byte)).count() == SHORTEST_TOKEN
}

/// Restores the original of every token of `keys` in `text`.
///
/// Tokens are several times as long as their originals, so the text may have more than 50,000 characters
/// here.
///
/// # Errors
/// `invalid_request` naming `text` if it is empty.
///
/// # Examples
/// ```
/// use textveil_engine::{DetectOptions, Keyring, Mode, ProtectOptions, protect, restore};
///
/// let keys = Keyring::new(0, b"a secret of 16 bytes or more")?;
/// let tokenize = ProtectOptions { mode: Mode::Tokenize, ..ProtectOptions::default() };
/// let sent = protect("PESEL 44051401359", &DetectOptions::default(), &tokenize, Some(&keys))?.text;
/// assert!(!sent.contains("44051401359"));
/// let restored = restore(&format!("You wrote: {sent}"), &keys)?;
/// assert_eq!(restored.text, "You wrote: PESEL 44051401359");
/// # Ok::<(), textveil_engine::Error>(())
/// ```
pub fn restore(text: &str, keys: &Keyring) -> Result<Restored, Error> {
    restore_observed(text, keys, |_, _| ())
}

/// Restores as [`restore`] does, and reports each well-formed token.
///
/// `observe` receives the version of the token's key (0 to 31) and whether it was restored. An operator who
/// retires a version learns from this whether its tokens are still in use.
///
/// # Examples
/// ```
/// use textveil_engine::{DetectOptions, Keyring, Mode, ProtectOptions, protect, restore_observed};
///
/// let keys = Keyring::new(3, b"a secret of 16 bytes or more")?;
/// let tokenize = ProtectOptions { mode: Mode::Tokenize, ..ProtectOptions::default() };
/// let text = protect("jan.novak@example.com", &DetectOptions::default(), &tokenize, Some(&keys))?.text;
/// let mut seen = Vec::new();
/// restore_observed(&text, &keys, |version, restored| seen.push((version, restored)))?;
/// assert_eq!(seen, [(3, true)]);
/// # Ok::<(), textveil_engine::Error>(())
/// ```
///
/// # Errors
/// As [`restore`].
pub fn restore_observed(
    text: &str,
    keys: &Keyring,
    mut observe: impl FnMut(u8, bool),
) -> Result<Restored, Error> {
    if text.is_empty() {
        return Err(Error::invalid("text", "is empty; send at least one character"));
    }
    let mut out = Restored { text: String::with_capacity(text.len()), restored: 0, unknown: 0 };
    read(text, keys, &mut observe, &mut |piece| match piece {
        Piece::Text(text) => out.text.push_str(text),
        Piece::Token { original: Some(original), .. } => {
            out.text.push_str(&original);
            out.restored += 1;
        }
        Piece::Token { written, original: None } => {
            out.text.push_str(written);
            out.unknown += 1;
        }
    });
    Ok(out)
}

/// A part of a text with tokens.
#[derive(Debug, PartialEq, Eq)]
pub enum Piece<'t> {
    /// Text without tokens.
    Text(&'t str),
    /// A token, or what looks like one.
    Token {
        /// The token as it is written.
        written: &'t str,
        /// Its original; `None` if no key opens it.
        original: Option<String>,
    },
}

/// Reads a text and passes on its parts.
///
/// A part is text, or a token with its original. For callers that restore some of the tokens only.
///
/// # Examples
/// ```
/// use textveil_engine::{DetectOptions, Keyring, Mode, Piece, ProtectOptions, protect, read_tokens};
///
/// let keys = Keyring::new(0, b"a secret of 16 bytes or more")?;
/// let tokenize = ProtectOptions { mode: Mode::Tokenize, ..ProtectOptions::default() };
/// let text = protect("to jan.novak@example.com", &DetectOptions::default(), &tokenize, Some(&keys))?.text;
/// let mut originals = Vec::new();
/// read_tokens(&text, &keys, |piece| {
///     if let Piece::Token { original, .. } = piece {
///         originals.extend(original);
///     }
/// });
/// assert_eq!(originals, ["jan.novak@example.com"]);
/// # Ok::<(), textveil_engine::Error>(())
/// ```
pub fn read_tokens(text: &str, keys: &Keyring, mut take: impl FnMut(Piece<'_>)) {
    read(text, keys, &mut |_, _| (), &mut take);
}

fn read(text: &str, keys: &Keyring, observe: &mut impl FnMut(u8, bool), take: &mut impl FnMut(Piece<'_>)) {
    let has_marks = marked::may_have_marks(text);
    let find = |from: usize, find: &dyn Fn(&str) -> Option<usize>| Some(from + find(text.get(from..)?)?);
    let plain_at = |from: usize| find(from, &|rest| rest.find("tok_"));
    let marked_at = |from: usize| if has_marks { find(from, &marked::find) } else { None };
    let mut rest = text;
    // the next places: each is looked for once for all before it
    let (mut next_plain, mut next_marked) = (plain_at(0), marked_at(0));
    loop {
        let done = text.len() - rest.len();
        if next_plain.is_some_and(|at| at < done) {
            next_plain = plain_at(done);
        }
        if next_marked.is_some_and(|at| at < done) {
            next_marked = marked_at(done);
        }
        let next = next_plain.into_iter().chain(next_marked).min();
        let Some((before, found)) = next.and_then(|at| rest.split_at_checked(at - done)) else { break };
        take(Piece::Text(before));
        let plain = token::token(found);
        let marked = if has_marks && plain.is_none() { marked::marked(found) } else { None };
        let token = plain.or_else(|| token::token(&marked.as_ref()?.text));
        let len = match (token, &marked) {
            (Some(token), Some(marked)) if plain.is_none() => marked.written_len(token.len),
            (Some(token), _) => token.len,
            (None, _) if found.starts_with("tok_") => "tok_".len(),
            (None, _) => 1,
        };
        let (written, after) = found.split_at_checked(len).unwrap_or((found, ""));
        let original = token.and_then(|token| keys.open(token));
        if let Some(token) = token {
            observe(token.version, original.is_some());
        }
        match token.is_some() || looks_like_token(found) {
            true => take(Piece::Token { written, original }),
            false => take(Piece::Text(written)),
        }
        rest = after;
    }
    take(Piece::Text(rest));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::entity::{Category, Country, Metadata, Span};

    const SECRET: &[u8] = b"a secret of 16 bytes or more";
    const OTHER: &[u8] = b"another secret, long enough";

    fn entity(kind: &str, original: &str) -> Entity {
        Entity {
            kind: kind.to_owned().into(),
            category: Category::Contact,
            original: original.to_owned(),
            country: Country::parse("PL"),
            confidence: 0.9,
            validated: true,
            span: Span { start: 0, end: original.len() },
            bytes: Span { start: 0, end: original.len() },
            metadata: Metadata::default(),
            evidence: Vec::new(),
        }
    }

    #[test]
    fn secrets_and_versions() {
        for (version, secret, accepted) in [
            (0, SECRET, true),
            (31, SECRET, true),
            (32, SECRET, false),
            (0, &SECRET[..16], true),
            (0, &SECRET[..15], false),
        ] {
            assert_eq!(Keyring::new(version, secret).is_ok(), accepted, "{version} {}", secret.len());
        }
        let keys = Keyring::new(1, SECRET).unwrap();
        assert!(keys.clone().with_previous(0, OTHER).is_ok());
        assert_eq!(keys.with_previous(1, OTHER).unwrap_err().field(), Some("key"));
    }

    #[test]
    fn hashes_are_of_type_and_value() {
        let keys = Keyring::new(0, SECRET).unwrap();
        let hash = keys.hash(&entity("email", "jan@example.cz"));
        assert!(hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()), "{hash}");
        for (other, same) in [
            (keys.hash(&entity("email", "jan@example.cz")), true),
            (keys.hash(&entity("email", "ewa@example.cz")), false),
            (keys.hash(&entity("name", "jan@example.cz")), false),
            (Keyring::new(0, OTHER).unwrap().hash(&entity("email", "jan@example.cz")), false),
            // the version is no part of a hash
            (Keyring::new(1, SECRET).unwrap().hash(&entity("email", "jan@example.cz")), true),
        ] {
            assert_eq!(hash == other, same, "{other}");
        }
    }

    #[test]
    fn tokens_open_with_their_key_only() {
        let keys = Keyring::new(1, SECRET).unwrap();
        let token = keys.seal(&entity("phone_number", "Łódź 🙂")).unwrap();
        assert!(token.starts_with("tok_pl_phone_"), "{token}");
        assert_eq!(keys.seal(&entity("phone_number", "Łódź 🙂")).unwrap(), token);
        let ring = |version, secret, previous| {
            let ring = Keyring::new(version, secret).unwrap();
            match previous {
                Some((version, secret)) => ring.with_previous(version, secret).unwrap(),
                None => ring,
            }
        };
        for (ring, restored) in [
            (ring(1, SECRET, None), 1),
            (ring(2, OTHER, Some((1, SECRET))), 1),
            (ring(1, OTHER, None), 0),
            (ring(2, SECRET, None), 0),
        ] {
            let answer = restore(&token, &ring).unwrap();
            assert_eq!((answer.restored, answer.unknown), (restored, 1 - restored));
            assert_eq!(answer.text == "Łódź 🙂", restored == 1);
        }
    }

    #[test]
    fn a_changed_token_stays() {
        let keys = Keyring::new(1, SECRET).unwrap();
        let token = keys.seal(&entity("email", "jan@example.cz")).unwrap();
        let (head, last) = token.split_at(token.len() - 1);
        for (text, restored, unknown) in [
            (format!("to {token}, and {token}."), 2, 0),
            (format!("{token}and more"), 1, 0),
            (token.replace("_pl_", "_de_"), 0, 1),
            (token.replace("_email_", "_url_"), 0, 1),
            (format!("{head}{}", if last == "a" { "b" } else { "a" }), 0, 1),
            (head.to_owned(), 0, 1),
            // without a check digit, as version 0.1 wrote it
            (head.replace("_email_1", "_email_"), 1, 0),
            ("tok_ and tok_pl_email".to_owned(), 0, 0),
        ] {
            let answer = restore(&text, &keys).unwrap();
            assert_eq!((answer.restored, answer.unknown), (restored, unknown), "{text}");
            assert!(restored > 0 || answer.text == text);
        }
        assert_eq!(restore("", &keys).unwrap_err().field(), Some("text"));
    }
}
