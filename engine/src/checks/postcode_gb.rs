//! The postcode of the United Kingdom.
//!
//! Outward code: area (one or two letters, 124 of them), district (one or two digits, or a digit and a
//! letter). Inward code: a digit and two letters other than C I K M O V.
//!
//! Source: Royal Mail, Programmer's Guide to the Postcode Address File; BS 7666.

use super::prelude::*;

/// The postcode without its space.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    if !(5..=7).contains(&value.len()) {
        return Err(Invalid::Length);
    }
    let (outward, inward) = value.split_at_checked(value.len() - 3).ok_or(Invalid::Format)?;
    let unit = |byte: u8| byte.is_ascii_uppercase() && !b"CIKMOV".contains(&byte);
    let letters = outward.bytes().take_while(u8::is_ascii_uppercase).count();
    let (area, district) = outward.split_at_checked(letters).ok_or(Invalid::Format)?;
    let formed = matches!(inward.as_bytes(), [b'0'..=b'9', a, b] if unit(*a) && unit(*b))
        && matches!(district.as_bytes(), [b'0'..=b'9'] | [b'0'..=b'9', b'0'..=b'9' | b'A'..=b'Z']);
    if !formed {
        return Err(Invalid::Format);
    }
    if AREAS.split(' ').any(|known| known == area) { Ok(Facts::default()) } else { Err(Invalid::Component) }
}

const AREAS: &str = "AB AL B BA BB BD BH BL BN BR BS BT CA CB CF CH CM CO CR CT CV CW DA DD DE DG DH DL DN \
    DT DY E EC EH EN EX FK FY G GL GU GY HA HD HG HP HR HS HU HX IG IM IP IV JE KA KT KW KY L LA LD LE LL LN \
    LS LU M ME MK ML N NE NG NN NP NR NW OL OX PA PE PH PL PO PR RG RH RM S SA SE SG SK SL SM SN SO SP SR SS \
    ST SW SY TA TD TF TN TQ TR TS TW UB W WA WC WD WF WN WR WS WV YO ZE";

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("SW1A1AA", Ok(())),
        ("M11AE", Ok(())),
        ("B338TH", Ok(())),
        ("CR26XH", Ok(())),
        ("EC1A1BB", Ok(())),
        ("QW1A1AA", Err(Invalid::Component)),
        ("SW1A1CA", Err(Invalid::Format)),
        ("SW1AAAA", Err(Invalid::Format)),
        ("M1AE", Err(Invalid::Length)),
    ] {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
