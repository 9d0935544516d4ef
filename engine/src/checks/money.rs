//! An amount of money: a currency code of ISO 4217 before or after the digits.

use super::prelude::*;

/// The currency, as `("currency", code)`, of the code and the digits.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let amount_first = value.starts_with(|letter: char| letter.is_ascii_digit());
    let at = if amount_first { value.len().saturating_sub(3) } else { 3 };
    let (first, last) = value.split_at_checked(at).ok_or(Invalid::Format)?;
    let (amount, code) = if amount_first { (first, last) } else { (last, first) };
    if amount.is_empty() || !amount.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Invalid::Format);
    }
    let known = entry(CURRENCIES, code).ok_or(Invalid::Format)?;
    Ok(Facts { other: Some(("currency", known)), ..Facts::default() })
}

/// The codes of the currencies that people write most.
const CURRENCIES: &str = "AED ARS AUD BGN BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP HKD HUF IDR ILS INR ISK \
    JPY KES KRW KZT MAD MXN MYR NGN NOK NZD PEN PHP PKR PLN QAR RON RSD RUB SAR SEK SGD THB TND TRY TWD UAH USD \
    UYU VND ZAR";

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("EUR1500", Ok("EUR")),
        ("12345CZK", Ok("CZK")),
        ("ABC1500", Err(Invalid::Format)),
        ("1500", Err(Invalid::Format)),
        ("EUR15EUR", Err(Invalid::Format)),
    ] {
        let currency = facts(value).map(|facts| facts.other.map_or("", |(_, code)| code));
        assert_eq!(currency, want, "{value}");
    }
}
