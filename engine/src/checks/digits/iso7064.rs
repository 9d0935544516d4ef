//! The check systems of ISO/IEC 7064:2003.

use super::code;

/// The number that the characters say, modulo 97; letters count 10 to 35. None for anything else.
pub(crate) fn mod97(value: impl Iterator<Item = u8>) -> Option<u32> {
    let mut rest = 0;
    let mut any = false;
    for byte in value {
        let code = code(byte)?;
        rest = (rest * if code < 10 { 10 } else { 100 } + code) % 97;
        any = true;
    }
    any.then_some(rest)
}

/// A pure system with radix 2 over digits and a check character that may be `X`.
pub(super) fn pure(value: &str, modulus: u32) -> bool {
    let Some((body, check)) = value.split_at_checked(value.len().saturating_sub(1)) else { return false };
    let Some(sum) =
        body.bytes().try_fold(0, |sum, byte| Some((sum + char::from(byte).to_digit(10)?) * 2 % modulus))
    else {
        return false;
    };
    let last = if check == "X" { Some(10) } else { check.parse().ok() };
    !body.is_empty() && last.is_some_and(|last: u32| (sum + last) % modulus == 1)
}

/// Whether the check character of a hybrid system holds, mod `radix + 1`, `radix`.
pub(super) fn hybrid(value: &str, radix: u32) -> bool {
    let Some((body, check)) = value.split_at_checked(value.len().saturating_sub(1)) else { return false };
    let last = check.bytes().next().and_then(code).filter(|code| *code < radix);
    !body.is_empty() && last.is_some() && hybrid_check(body.bytes().map(code), radix) == last
}

/// Returns the check value of a hybrid system, mod `radix + 1`, `radix`. `None` for a value that is not below `radix`.
pub(crate) fn hybrid_check(mut values: impl Iterator<Item = Option<u32>>, radix: u32) -> Option<u32> {
    let product = values.try_fold(radix, |product, value| {
        let sum = (product + value.filter(|value| *value < radix)?) % radix;
        Some((if sum == 0 { radix } else { sum }) * 2 % (radix + 1))
    })?;
    Some((radix + 1 - product) % radix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_of_the_standard() {
        assert_eq!(mod97("79444".bytes()), Some(1));
        assert_eq!(mod97("3214282912345698765432161182".bytes()), Some(1)); // IBAN example GB, rearranged
        for (value, valid) in [("07940", true), ("079X", true), ("07941", false)] {
            assert_eq!(pure(value, 11), valid, "{value}");
        }
        assert!(hybrid("07945", 10));
        assert!(!hybrid("07946", 10));
        assert!(hybrid("A12425GABC1234002M", 36));
        assert!(!hybrid("A12425GABC1234002N", 36));
    }
}
