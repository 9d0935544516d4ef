//! The network of a blockchain address, and its check.
//!
//! The catalogue's files restrict the address further, by its shape and its first characters.
//!
//! - Base58Check: Bitcoin, Litecoin, Dogecoin, Dash, Zcash, TRON, and the XRP Ledger with its own alphabet.
//! - Bech32: SegWit addresses of Bitcoin and Litecoin, Cardano, networks of the Cosmos SDK.
//! - CashAddr: Bitcoin Cash. Base32 with a CRC: Stellar. Base58 in blocks with Keccak: Monero.
//!
//! Source: BIP 13, BIP 173, BIP 350; chain parameters of Litecoin, Dogecoin and Dash; Zcash Protocol
//! Specification, section 5.6; CIP-19; Cosmos SDK, ADR 28; Bitcoin Cash, CashAddr; SEP-23; Monero,
//! "Standard address".

use base32ct::{Base32UpperUnpadded, Encoding as _};
use bech32::{
    Bech32,
    primitives::decode::{CheckedHrpstring, SegwitHrpstring},
};
use bs58::Alphabet;
use sha3::{Digest, Keccak256};

use super::{
    base58::{self, Payload},
    prelude::*,
};

/// Human-readable parts, and their networks.
const PARTS: [(&str, &str); 8] = [
    ("bc", "bitcoin"),
    ("ltc", "litecoin"),
    ("addr", "cardano"),
    ("stake", "cardano"),
    ("cosmos", "cosmos"),
    ("osmo", "osmosis"),
    ("terra", "terra"),
    ("inj", "injective"),
];
/// The digits of Bech32 and CashAddr.
const BECH32: &[u8; 32] = b"qpzry9x8gf2tvdw0s3jn54khce6mua7l";
/// The digits of base 58.
const BASE58: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/// Returns the network, as `("network", "bitcoin")`, of the address as written.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let network = match (value.len(), value.as_bytes().first()) {
        (56, Some(b'G' | b'S')) => stellar(value).then_some("stellar"),
        (95 | 106, Some(b'4' | b'8')) => monero(value)?.then_some("monero"),
        // no other address is as long
        (95 | 106, _) => return Err(Invalid::Format),
        _ => match part(value) {
            Some(&(_, network)) => bech32(value).then_some(network),
            None => match cash(value) {
                Some(body) => cash_addr(body).then_some("bitcoin_cash"),
                None => base58(value)?,
            },
        },
    };
    let network = network.ok_or(Invalid::Checksum)?;
    Ok(Facts { other: Some(("network", network)), ..Facts::default() })
}

fn base58(value: &str) -> Result<Option<&'static str>, Invalid> {
    if value.starts_with('r') {
        let payload = base58::decode(value, Alphabet::RIPPLE)?;
        return Ok((payload == Some(Payload::Address(0))).then_some("ripple"));
    }
    Ok(Some(match base58::decode(value, Alphabet::BITCOIN)? {
        None => return Ok(None),
        Some(Payload::Address(0 | 5)) => "bitcoin",
        Some(Payload::Address(0x30 | 0x32)) => "litecoin",
        Some(Payload::Address(0x1e | 0x16)) => "dogecoin",
        Some(Payload::Address(0x4c | 0x10)) => "dash",
        Some(Payload::Address(0x41)) => "tron",
        Some(Payload::Address2([0x1c, 0xb8 | 0xbd])) => "zcash",
        Some(_) => return Err(Invalid::Component),
    }))
}

/// The human-readable part that the value begins with, if it is one of ours.
fn part(value: &str) -> Option<&'static (&'static str, &'static str)> {
    let (start, _) = value.split_once('1')?;
    PARTS.iter().find(|(part, _)| start.eq_ignore_ascii_case(part))
}

fn bech32(value: &str) -> bool {
    SegwitHrpstring::new(value).is_ok()
        || !value.get(..3).is_some_and(|start| matches!(start, "bc1" | "BC1" | "ltc" | "LTC"))
            && CheckedHrpstring::new::<Bech32>(value).is_ok()
}

/// Checks an address of Bitcoin Cash without its prefix: 42 digits, the first of which encodes its kind.
fn cash(value: &str) -> Option<&str> {
    let body = value.strip_prefix("bitcoincash:").unwrap_or(value);
    (body.len() == 42 && body.starts_with(['q', 'p'])).then_some(body)
}

/// The checksum of CashAddr, over the prefix `bitcoincash`.
fn cash_addr(body: &str) -> bool {
    let digits = body.bytes().map(|byte| BECH32.iter().position(|digit| *digit == byte).map(|at| at as u64));
    let prefix = b"bitcoincash".iter().map(|byte| Some(u64::from(byte & 0x1f)));
    let mut rest = 1_u64;
    for digit in prefix.chain([Some(0)]).chain(digits) {
        let Some(digit) = digit else { return false };
        let top = rest >> 35;
        rest = (rest & 0x07_ffff_ffff) << 5 ^ digit;
        let generator = [0x98_f2bc_8e61, 0x79_b76d_99e2, 0xf3_3e5f_b3c4, 0xae_2eab_e2a8, 0x1e_4f43_e470];
        for (bit, term) in generator.into_iter().enumerate() {
            rest ^= if top >> bit & 1 == 1 { term } else { 0 };
        }
    }
    rest == 1
}

/// A version, 32 bytes and their CRC-16 (XMODEM), the low byte first.
fn stellar(value: &str) -> bool {
    let mut buffer = [0; 35];
    let Ok([body @ .., low, high]) = Base32UpperUnpadded::decode(value, &mut buffer) else { return false };
    let mut crc = 0_u16;
    for byte in body {
        crc ^= u16::from(*byte) << 8;
        for _ in 0..8 {
            crc = crc << 1 ^ if crc >> 15 == 1 { 0x1021 } else { 0 };
        }
    }
    crc == u16::from_le_bytes([*low, *high])
}

/// Blocks of eleven digits are eight bytes each, the last seven digits are five; the last four bytes are
/// those of the hash.
fn monero(value: &str) -> Result<bool, Invalid> {
    let mut bytes = [0; 80];
    let mut length = 0;
    for block in value.as_bytes().chunks(11) {
        let mut number = 0_u128;
        for byte in block {
            let digit = BASE58.iter().position(|digit| digit == byte).ok_or(Invalid::Format)?;
            number = number * 58 + digit as u128;
        }
        let size = if block.len() == 11 { 8 } else { 5 };
        let said = number.to_be_bytes();
        let (Some(to), Some(from)) = (bytes.get_mut(length..length + size), said.get(16 - size..)) else {
            return Err(Invalid::Length);
        };
        to.copy_from_slice(from);
        length += size;
    }
    let Some((body, check)) = bytes.get(..length).and_then(|bytes| bytes.split_at_checked(length - 4)) else {
        return Err(Invalid::Length);
    };
    Ok(matches!(body.first(), Some(18 | 19 | 42)) && Keccak256::digest(body).starts_with(check))
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", Ok("bitcoin")), // of the first block
        ("3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy", Ok("bitcoin")),
        // the examples of BIP 173 and BIP 350
        ("BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4", Ok("bitcoin")),
        ("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", Ok("bitcoin")),
        ("bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0", Ok("bitcoin")),
        ("LZrDLAgMKQwTZ8dLxZQmbYsWpK6bKmLB7U", Ok("litecoin")),
        ("ltc1q4jkgds8xp89fqmmr9v8zmtxvk2mh6g4sfrfew4", Ok("litecoin")),
        ("DHqnMuHen1nfkNrzNi2B1nimmVfxnEgDVV", Ok("dogecoin")),
        ("Xy4GKVi6xTKptqas1Q843WZ52YAyDPVRgw", Ok("dash")),
        ("t1Q91B3EbLVMNSvHpkmp7oUALZgMZjQqQkj", Ok("zcash")),
        ("TJxG5nquT49X9deNVE91qhVxaCL6d9eKHX", Ok("tron")),
        ("rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh", Ok("ripple")), // of the first ledger
        // the example of CashAddr
        ("bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a", Ok("bitcoin_cash")),
        ("GDWBR2WI25MLD25FFU6BBU423RW5TADEOLFUVYDJMNOTQPMQQ2SRGHFS", Ok("stellar")),
        // the example of CIP-19
        ("addr1v8g0vvw2rhd63kemel9euptumjvdqdulr0hqpe6623g50gspdwk8k", Ok("cardano")),
        ("cosmos1d2ulr6u005ec3a8e6kr0vm5el42qsr0jy5uj97", Ok("cosmos")),
        (
            "44AFFq5kSiGBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVGQBEP3A",
            Ok("monero"), // of the project's donations
        ),
        ("1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb", Err(Invalid::Checksum)),
        ("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5", Err(Invalid::Checksum)),
        ("bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx0a", Err(Invalid::Checksum)),
        ("GDWBR2WI25MLD25FFU6BBU423RW5TADEOLFUVYDJMNOTQPMQQ2SRGHFA", Err(Invalid::Checksum)),
        ("1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfN0", Err(Invalid::Format)),
        ("1A1zP1eP5QGefi2DMPTfTL5SLmv7", Err(Invalid::Length)),
    ] {
        let network = facts(value).map(|facts| facts.other.map_or("", |(_, network)| network));
        assert_eq!(network, want, "{value}");
    }
}
