//! The business identifier code of a bank (SWIFT code).
//!
//! Four letters for the bank, the country (ISO 3166-1, and XK for Kosovo), two characters for the place,
//! three more for a branch, or nothing.
//!
//! Source: ISO 9362:2022.

use super::prelude::*;

/// The country, as `("country", code)`, of the eight or eleven characters.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    if !matches!(value.len(), 8 | 11) {
        return Err(Invalid::Length);
    }
    let formed = value
        .bytes()
        .enumerate()
        .all(|(at, byte)| byte.is_ascii_uppercase() || (at >= 6 && byte.is_ascii_digit()));
    if !formed {
        return Err(Invalid::Format);
    }
    let words = if value.len() == 8 { WORDS_OF_EIGHT } else { WORDS_OF_ELEVEN };
    if entry(words, value).is_some() {
        return Err(Invalid::Format);
    }
    let country = value.get(4..6).ok_or(Invalid::Format)?;
    let known = entry(COUNTRIES, country).ok_or(Invalid::Component)?;
    Ok(Facts { other: Some(("country", known)), ..Facts::default() })
}

/// Words in headings about banks, with the letters of a country at its position.
const WORDS_OF_EIGHT: &str = "ACCEPTED BUSINESS CUSTOMER DELIVERY DOCUMENT EXCHANGE MERCHANT MESSAGES \
    NATIONAL OPTIONAL OVERVIEW PASSPORT PAYMENTS PLATFORM PROVIDED PURCHASE REQUIRED SECURITY SERVICES \
    STANDARD TRANSFER TREASURY VALIDATE";
const WORDS_OF_ELEVEN: &str = "INFORMATION INSTITUTION UNAVAILABLE";

/// Codes of countries (ISO 3166-1, and XK for Kosovo), in order.
pub(super) const COUNTRIES: &str = "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN \
    BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC \
    EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR \
    HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT \
    LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP \
    NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL \
    SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE \
    VG VI VN VU WF WS XK YE YT ZA ZM ZW";

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("DEUTDEFF", Ok("DE")),
        ("COBADEFFXXX", Ok("DE")),
        ("ABNANL2A", Ok("NL")),
        ("DEUTXXFF", Err(Invalid::Component)),
        ("DEU1DEFF", Err(Invalid::Format)),
        ("DEUTDEF", Err(Invalid::Length)),
    ] {
        let country = facts(value).map(|facts| facts.other.map_or("", |(_, country)| country));
        assert_eq!(country, want, "{value}");
    }
}
