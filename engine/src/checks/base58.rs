//! Base58Check: a number to the base 58 whose last four bytes are the beginning of a hash of the others.
//!
//! Source: Bitcoin Wiki, "Base58Check encoding"; XRP Ledger, "Base58 Encodings" (another alphabet).

use bs58::Alphabet;
use sha2::{Digest, Sha256};

use super::prelude::*;

/// The longest value, in bytes: an extended key and its check.
const LONGEST: usize = 82;

/// The version of an address with a hash of twenty bytes, in one byte or in two; of a private key: the
/// version and whether its public key is compressed; of an extended key: its four bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Payload {
    Address(u8),
    Address2([u8; 2]),
    Key { version: u8, compressed: bool },
    Extended([u8; 4]),
}

/// Decodes the characters. Returns `None` if the check does not hold.
pub(super) fn decode(value: &str, alphabet: &Alphabet) -> Result<Option<Payload>, Invalid> {
    let mut buffer = [0; LONGEST];
    let length = match bs58::decode(value).with_alphabet(alphabet).onto(&mut buffer) {
        Ok(length) => length,
        Err(bs58::decode::Error::BufferTooSmall) => return Err(Invalid::Length),
        Err(_) => return Err(Invalid::Format),
    };
    let bytes = buffer.get(..length).ok_or(Invalid::Length)?;
    let (payload, check) = bytes.split_at_checked(length.saturating_sub(4)).ok_or(Invalid::Length)?;
    let read = match (payload.len(), payload) {
        (21, [version, ..]) => Payload::Address(*version),
        (22, [first, second, ..]) => Payload::Address2([*first, *second]),
        (33, [version, ..]) => Payload::Key { version: *version, compressed: false },
        (34, [version, .., 1]) => Payload::Key { version: *version, compressed: true },
        (78, [a, b, c, d, ..]) => Payload::Extended([*a, *b, *c, *d]),
        _ => return Err(Invalid::Length),
    };
    let hash = Sha256::digest(Sha256::digest(payload));
    Ok(hash.starts_with(check).then_some(read))
}
