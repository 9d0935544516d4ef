//! Credentials after the name of their scheme in the header `Authorization`: a token with digits and
//! letters after `Bearer`, base64 of `user:password` after `Basic`.
//!
//! Source: RFC 6750, section 2.1; RFC 7617, section 2.

use base64ct::{Base64UrlUnpadded, Encoding as _};

use super::{credential, prelude::*};

/// Longer user names and passwords are not read.
const LONGEST: usize = 1_024;

/// The scheme and the credentials.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let (scheme, credentials) = value.split_once(' ').ok_or(Invalid::Format)?;
    let credentials = credentials.trim_start_matches(' ');
    if !scheme.eq_ignore_ascii_case("basic") {
        return credential::facts(credentials);
    }
    let mut buffer = [0; LONGEST];
    let digits = credentials.trim_end_matches('=');
    let padding = credentials.len() - digits.len();
    if digits.contains(['-', '_']) || padding > 2 || padding > 0 && !credentials.len().is_multiple_of(4) {
        return Err(Invalid::Format);
    }
    // in the alphabet of URLs, since one decoder is enough for a web page to download
    let digits = digits.replace('+', "-").replace('/', "_");
    let plain = Base64UrlUnpadded::decode(&digits, &mut buffer).map_err(|_| Invalid::Format)?;
    if plain.contains(&b':') { Ok(Facts::default()) } else { Err(Invalid::Format) }
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", Ok(())), // the example of RFC 7617
        ("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ", Ok(())),
        ("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=", Err(Invalid::Format)), // padded by half
        ("Basic Oj4+Pg==", Ok(())),
        ("Basic Oj4-Pg", Err(Invalid::Format)), // in the alphabet of URLs
        ("Bearer mF_9.B5f-4.1JqM", Ok(())),     // the example of RFC 6750
        ("Basic understandingofthe", Err(Invalid::Format)),
        ("Bearer certificateholders", Err(Invalid::Format)),
        ("Bearer", Err(Invalid::Format)),
    ] {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
