//! A Russian bank account of twenty digits, of the classes 3 and 4. With the nine digits of the bank's BIK
//! in front its key can be checked: three digits of the BIK and the account, weighted 7, 1, 3, are
//! divisible by 10.
//!
//! Source: Bank of Russia, Порядок расчета контрольного ключа в номере лицевого счета (1997).

use super::{digits::special::weighted, prelude::*};

const WEIGHTS: [u32; 23] = [7, 1, 3, 7, 1, 3, 7, 1, 3, 7, 1, 3, 7, 1, 3, 7, 1, 3, 7, 1, 3, 7, 1];

/// The account, or BIK and account.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let (bik, account) = match value.len() {
        20 => ("", value),
        29 => value.split_at_checked(9).ok_or(Invalid::Format)?,
        _ => return Err(Invalid::Length),
    };
    if !value.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Invalid::Format);
    }
    if !account.starts_with(['3', '4']) || !bik.is_empty() && !bik.starts_with('0') {
        return Err(Invalid::Component);
    }
    // an account of the bank itself with the Bank of Russia
    let own = account.starts_with("301");
    let (zero, office) = if own { ("0", bik.get(4..6)) } else { ("", bik.get(6..)) };
    let key = |office: &str| weighted(&[zero, office, account].concat(), &WEIGHTS).is_multiple_of(10);
    if office.is_none_or(key) { Ok(Facts::default()) } else { Err(Invalid::Checksum) }
}
