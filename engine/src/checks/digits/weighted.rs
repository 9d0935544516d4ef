//! Weighted sums and remainders of the whole number: most of the world's check digits.

use super::{CheckDigits, code, place};
use crate::api::schema::{Integer, Product, Weighted};

impl CheckDigits for Weighted {
    fn holds(&self, value: &str) -> bool {
        if self.check.is_empty() {
            return remainder(self, value, &self.weights, None)
                .is_some_and(|rest| self.residues.contains(&rest));
        }
        let at = place(self.at, value.len());
        let Some(found) = value.as_bytes().get(at) else { return false };
        match expected(self, value, &self.weights, at) {
            // if the second weights give no digit either, it is 0
            Some(b'?') => match expected(self, value, &self.then, at) {
                Some(b'?') => *found == b'0',
                expected => expected == Some(*found),
            },
            expected => expected == Some(*found) && *found != b'-',
        }
    }
}

fn expected(rule: &Weighted, value: &str, weights: &[i16], at: usize) -> Option<u8> {
    let rest = remainder(rule, value, weights, Some(at))?;
    rule.check.as_bytes().get(usize::from(rest)).copied()
}

/// The sum modulo the modulus, the place of the check character left out. None where a character
/// has no value or the number of weights does not fit.
fn remainder(rule: &Weighted, value: &str, weights: &[i16], check: Option<usize>) -> Option<u16> {
    let summed = value.len() - usize::from(check.is_some());
    if weights.is_empty() || summed != weights.len() && !rule.cyclic {
        return None;
    }
    let (before, behind) = value.as_bytes().split_at_checked(check.unwrap_or(value.len()))?;
    let (mut sum, mut rest) = (i32::from(rule.offset), weights);
    for byte in before.iter().chain(behind.get(1..).unwrap_or_default()) {
        let (weight, others) = rest.split_first()?;
        rest = if others.is_empty() { weights } else { others };
        let product = value_of(rule, *byte)? as i32 * i32::from(*weight);
        sum += match rule.product {
            Product::Plain => product,
            Product::DigitSum => product / 100 + product / 10 % 10 + product % 10,
        };
    }
    u16::try_from(sum.rem_euclid(i32::from(rule.modulus).max(1))).ok()
}

fn value_of(rule: &Weighted, byte: u8) -> Option<u32> {
    if rule.alphabet.is_empty() {
        return code(byte);
    }
    rule.alphabet.bytes().position(|known| known == byte).and_then(|at| u32::try_from(at).ok())
}

impl CheckDigits for Integer {
    fn holds(&self, value: &str) -> bool {
        let check_len = if self.check.is_empty() { usize::from(self.check_len) } else { 1 };
        let Some((body, found)) = value.split_at_checked(value.len().saturating_sub(check_len)) else {
            return false;
        };
        let modulus = u64::from(self.modulus.max(1));
        let rest = body.bytes().try_fold(0, |rest, byte| {
            char::from(byte).to_digit(10).map(|digit| (rest * 10 + u64::from(digit)) % modulus)
        });
        let Some(rest) = rest.filter(|_| !body.is_empty()) else { return false };
        if !self.check.is_empty() {
            let expected = usize::try_from(rest).ok().and_then(|rest| self.check.as_bytes().get(rest));
            return expected.is_some() && expected == found.as_bytes().first() && found != "-";
        }
        if check_len > 0 {
            let expected = if self.complement { modulus - rest } else { rest };
            return found.bytes().all(|byte| byte.is_ascii_digit()) && found.parse() == Ok(expected);
        }
        self.residues.iter().any(|residue| u64::from(*residue) == rest)
    }
}

#[cfg(test)]
mod tests {
    use crate::{api::schema::Check, checks::digits::CheckDigits};

    /// Each rule with a value that passes and one that does not.
    #[test]
    fn verdicts() {
        for (rule, valid, wrong) in [
            // isikukood of Estonia: the first weights, the second ones, and neither
            (
                r#"rule = "weighted", weights = [1, 2, 3, 4, 5, 6, 7, 8, 9, 1], modulus = 11, check = "0123456789?", then = [3, 4, 5, 6, 7, 8, 9, 1, 2, 3]"#,
                "37605030004",
                "37605030005",
            ),
            (
                r#"rule = "weighted", weights = [1, 2, 3, 4, 5, 6, 7, 8, 9, 1], modulus = 11, check = "0123456789?", then = [3, 4, 5, 6, 7, 8, 9, 1, 2, 3]"#,
                "37605030064",
                "37605030065",
            ),
            (
                r#"rule = "weighted", weights = [1, 2, 3, 4, 5, 6, 7, 8, 9, 1], modulus = 11, check = "0123456789?", then = [3, 4, 5, 6, 7, 8, 9, 1, 2, 3]"#,
                "37605030920",
                "37605030921",
            ),
            // LEI of ISO 17442: mod 97 over letters
            (r#"rule = "mod97""#, "5493001KJTIIGC8Y1R12", "5493001KJTIIGC8Y1R21"),
            // Verhoeff over a part, as the Aadhaar has it over all
            (
                r#"rule = "any", checks = [{ rule = "luhn" }, { rule = "part", to = 4, check = { rule = "verhoeff" } }]"#,
                "23639",
                "23649",
            ),
            // ISBN-10 0-306-40615-2
            (
                r#"rule = "weighted", weights = [10, 9, 8, 7, 6, 5, 4, 3, 2], modulus = 11, check = "0X987654321""#,
                "0306406152",
                "0306406125",
            ),
            // EAN of the GS1 manual
            (
                r#"rule = "weighted", weights = [1, 3], cyclic = true, modulus = 10"#,
                "4006381333931",
                "4006381333913",
            ),
            // identity document of ICAO Doc 9303: L898902C3 with check digit 6
            (
                r#"rule = "weighted", weights = [7, 3, 1], cyclic = true, modulus = 10, check = "0123456789""#,
                "L898902C36",
                "L898902C37",
            ),
            // French tax number key: 511
            (r#"rule = "integer", modulus = 511, check_len = 3"#, "3023217600053", "3023217600054"),
            (
                r#"rule = "integer", modulus = 23, check = "TRWAGMYFPDXBNJZSQVHLCKE""#,
                "12345678Z",
                "12345678X",
            ),
            (r#"rule = "integer", modulus = 11"#, "8001011238", "8001011239"),
            (
                r#"rule = "part", from = 0, to = 9, check = { rule = "luhn" }"#,
                "73282932000074",
                "73282932100074",
            ),
            (r#"rule = "by_length", lengths = { 9 = { rule = "luhn" } }"#, "7328", "732829321"),
        ] {
            let check: Check =
                toml::from_str::<std::collections::BTreeMap<String, Check>>(&format!("check = {{ {rule} }}"))
                    .unwrap()
                    .remove("check")
                    .unwrap();
            assert!(check.holds(valid), "{rule}");
            assert!(!check.holds(wrong), "{rule}");
        }
    }
}
