//! The codes of countries.
//!
//! Source: ISO 3166-1, and clause 8.1.3 for the codes that are no country's.

use super::{entry, prelude::Invalid};

/// Codes of countries (ISO 3166-1, and XK for Kosovo), in order.
const COUNTRIES: &str = "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN \
    BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC \
    EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR \
    HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT \
    LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP \
    NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL \
    SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE \
    VG VI VN VU WF WS XK YE YT ZA ZM ZW";

/// Returns a country's code, if it is one.
pub(crate) fn code(code: &str) -> Option<&'static str> {
    entry(COUNTRIES, code)
}

/// Returns the country of an issuer's code; `None` for codes that stand for no country.
///
/// Those are `EU`, `QM` to `QZ` and `XA` to `XZ`: users have them, and international bodies issue under them.
///
/// # Errors
/// `Format` for anything but capital letters, `Component` for a code of no country.
pub(crate) fn issuer(code: &str) -> Result<Option<&'static str>, Invalid> {
    if !code.bytes().all(|byte| byte.is_ascii_uppercase()) {
        return Err(Invalid::Format);
    }
    match self::code(code) {
        Some(code) => Ok(Some(code)),
        None if matches!(code.as_bytes(), b"EU" | [b'Q', b'M'..=b'Z'] | [b'X', _]) => Ok(None),
        None => Err(Invalid::Component),
    }
}

#[cfg(test)]
#[test]
fn issuers() {
    for (code, want) in [
        ("US", Ok(Some("US"))),
        ("DE", Ok(Some("DE"))),
        ("XS", Ok(None)),
        ("EU", Ok(None)),
        ("QZ", Ok(None)),
        ("YY", Err(Invalid::Component)),
        ("U2", Err(Invalid::Format)),
    ] {
        assert_eq!(issuer(code), want, "{code}");
    }
}
