//! The parts of a Czech bank account: `[prefix-]number/bank`.
//!
//! A prefix of up to six digits, a number of two to ten with at least two that are not 0, and the
//! bank's four-digit code. The check digits of prefix and number are the catalogue's.
//!
//! Source: Czech National Bank, Decree 169/2011 Coll. and the list of payment system codes.

use super::prelude::*;

/// Codes of the payment system, including those of former banks: old documents contain old accounts.
const BANKS: [u16; 71] = [
    100, 300, 600, 710, 800, 2010, 2020, 2060, 2070, 2100, 2200, 2210, 2220, 2240, 2250, 2260, 2275, 2310,
    2400, 2600, 2700, 3030, 3040, 3050, 3060, 3500, 4000, 4300, 5000, 5400, 5500, 5800, 6000, 6100, 6200,
    6210, 6300, 6363, 6700, 6800, 7910, 7940, 7950, 7960, 7970, 7980, 7990, 8030, 8040, 8060, 8090, 8150,
    8190, 8198, 8199, 8200, 8215, 8220, 8230, 8240, 8250, 8255, 8265, 8270, 8280, 8283, 8293, 8299, 8500,
    8610, 8660,
];

/// An account has no facts; the value includes the separators `-` and `/`.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let (account, bank) = value.split_once('/').ok_or(Invalid::Format)?;
    let (prefix, account) = account.split_once('-').unwrap_or(("0", account));
    if ![prefix, account, bank].iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit())) {
        return Err(Invalid::Format);
    }
    if !(1..=6).contains(&prefix.len()) || !(2..=10).contains(&account.len()) || bank.len() != 4 {
        return Err(Invalid::Length);
    }
    let known = BANKS.iter().any(|code| u64::from(*code) == number(bank, 0, 4));
    if !known || account.bytes().filter(|byte| *byte != b'0').count() < 2 {
        return Err(Invalid::Component);
    }
    Ok(Facts::default())
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("19-2000145399/0800", Ok(())),
        ("178124-4159/0710", Ok(())),
        ("2000145399/0800", Ok(())),
        ("19-2000145399/9999", Err(Invalid::Component)), // no such bank
        ("19-2000000000/0800", Err(Invalid::Component)), // one digit that is not 0
        ("1234567-2000145399/0800", Err(Invalid::Length)),
        ("3/0800", Err(Invalid::Length)),
        ("20001453990800", Err(Invalid::Format)),
        ("19-20001X5399/0800", Err(Invalid::Format)),
    ] {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
