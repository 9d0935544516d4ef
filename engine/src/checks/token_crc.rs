//! The check of the tokens of GitHub and npm: the last six characters are the CRC-32 of the thirty
//! before them, in base 62 (digits, capital letters, small letters).
//!
//! Source: GitHub Blog, "Behind GitHub's new authentication token formats" (2021).

use super::{prelude::*, structure::is_random};

/// Checks the token with its prefix, such as `ghp_`.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let (_, body) = value.split_once('_').ok_or(Invalid::Format)?;
    if !is_random(body) {
        return Err(Invalid::Format);
    }
    let (random, check) = body.split_at_checked(30).ok_or(Invalid::Length)?;
    if check.len() != 6 {
        return Err(Invalid::Length);
    }
    let mut stated = 0_u64;
    for byte in check.bytes() {
        let digit = match byte {
            b'0'..=b'9' => byte - b'0',
            b'A'..=b'Z' => byte - b'A' + 10,
            b'a'..=b'z' => byte - b'a' + 36,
            _ => return Err(Invalid::Format),
        };
        stated = stated * 62 + u64::from(digit);
    }
    if stated == u64::from(crc32(random.as_bytes())) { Ok(Facts::default()) } else { Err(Invalid::Checksum) }
}

/// The CRC-32 of ISO/IEC 8802-3 and of ZIP files.
fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = crc >> 1 ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 };
        }
    }
    !crc
}

#[cfg(test)]
#[test]
fn verdicts() {
    assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    for (value, want) in [
        ("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", Ok(())),
        ("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", Ok(())),
        ("ghp_KKmYhFo5nmunHCpjsQmop85XcwP8FL01gJWA", Err(Invalid::Checksum)),
        ("ghp_YI231M9Y431iF0dd324348cyS8qBBo0n1nNb", Err(Invalid::Checksum)),
        ("ghp_KKmYhFo5nmunHCpjsQmop85XcwP8FL01g", Err(Invalid::Length)),
        ("ghp_KKmYhFo5nmunHCpjsQmop85XcwP8FL01gJW-", Err(Invalid::Format)),
    ] {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
