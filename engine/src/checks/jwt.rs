//! A JSON web token: the part before the first dot is base64url of a JSON object that names an algorithm.
//!
//! Source: RFC 7515, sections 3.1 and 4.1.1; RFC 7516.

use base64ct::{Base64UrlUnpadded, Encoding as _};

use super::prelude::*;

/// Headers that are longer than this, encoded, are not read.
const LONGEST_HEADER: usize = 1_024;

/// Checks the token as written.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let (header, _) = value.split_once('.').ok_or(Invalid::Format)?;
    if header.len() > LONGEST_HEADER {
        return Ok(Facts::default());
    }
    let mut buffer = [0; LONGEST_HEADER];
    let header = Base64UrlUnpadded::decode(header, &mut buffer).map_err(|_| Invalid::Checksum)?;
    let names_algorithm = header.windows(5).any(|window| window == b"\"alg\"");
    if header.starts_with(b"{") && header.ends_with(b"}") && names_algorithm {
        Ok(Facts::default())
    } else {
        Err(Invalid::Checksum)
    }
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        // the example of RFC 7515, appendix A.1
        (
            "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UifQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
            Ok(()),
        ),
        ("eyJhbGciOiJub25lIn0.eyJpc3MiOiJqb2UifQ.", Ok(())),
        ("eyJ0eXAiOiJKV1QifQ.eyJpc3MiOiJqb2UifQ.dBjf", Err(Invalid::Checksum)), // no algorithm
        ("eyJxxxxxxxxxxxx.eyJ4.sig", Err(Invalid::Checksum)),
        ("eyJ0eXAiOiJKV1QifQ", Err(Invalid::Format)),
    ] {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
