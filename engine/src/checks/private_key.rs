//! Keys of wallets in Base58Check: a private key of Bitcoin (version 128, 32 bytes, one more where the public
//! key is compressed), and an extended key, whose version says whether it is private.
//!
//! Source: Bitcoin Wiki, "Wallet import format"; BIP 32; SLIP-132.

use bs58::Alphabet;

use super::{
    base58::{self, Payload},
    prelude::*,
};

/// Whether the key is private, as `("key", "private")`.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let key = match base58::decode(value, Alphabet::BITCOIN)?.ok_or(Invalid::Checksum)? {
        Payload::Key { version: 0x80, .. } => "private",
        // xprv, yprv, zprv, Yprv, Zprv, tprv
        Payload::Extended([4, 0x88, 0xad, 0xe4] | [4, 0x9d, 0x78, 0x78] | [4, 0xb2, 0x43, 0x0c]) => "private",
        Payload::Extended([2, 0x95, 0xb0, 5] | [2, 0xaa, 0x7a, 0x99] | [4, 0x35, 0x83, 0x94]) => "private",
        // xpub, ypub, zpub, Ypub, Zpub, tpub
        Payload::Extended([4, 0x88, 0xb2, 0x1e] | [4, 0x9d, 0x7c, 0xb2] | [4, 0xb2, 0x47, 0x46]) => "public",
        Payload::Extended([2, 0x95, 0xb4, 0x3f] | [2, 0xaa, 0x7e, 0xd3] | [4, 0x35, 0x87, 0xcf]) => "public",
        _ => return Err(Invalid::Component),
    };
    Ok(Facts { other: Some(("key", key)), ..Facts::default() })
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ", Ok("private")), // the example of the wiki
        ("KwdMAjGmerYanjeui5SHS7JkmpZvVipYvB2LJGU1ZxJwYvP98617", Ok("private")),
        // the first of the test vectors of BIP 32
        (
            "xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8",
            Ok("public"),
        ),
        (
            "xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi",
            Ok("private"),
        ),
        ("5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTA", Err(Invalid::Checksum)),
        ("1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", Err(Invalid::Component)), // an address
        ("5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyT0", Err(Invalid::Format)),
    ] {
        let key = facts(value).map(|facts| facts.other.map_or("", |(_, key)| key));
        assert_eq!(key, want, "{value}");
    }
}
