//! The Verhoeff check (J. Verhoeff, Error Detecting Decimal Codes, 1969), over the dihedral group D5.

/// The permutation of the second place; those of the others are its powers.
const PERMUTATION: [usize; 10] = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];

/// The product in D5: 0 to 4 are rotations, 5 to 9 reflections.
fn product(a: usize, b: usize) -> usize {
    match (a < 5, b < 5) {
        (true, true) => (a + b) % 5,
        (true, false) => 5 + (a + b) % 5,
        (false, true) => 5 + (a + 5 - b) % 5,
        (false, false) => (a + 5 - b) % 5,
    }
}

/// Whether the digits pass. Anything but a digit fails, and so does nothing at all.
pub(crate) fn verhoeff(value: &str) -> bool {
    let mut state = 0;
    for (place, byte) in value.bytes().rev().enumerate() {
        let Some(digit) = char::from(byte).to_digit(10) else { return false };
        let mut digit = digit as usize;
        for _ in 0..place % 8 {
            digit = PERMUTATION.get(digit).copied().unwrap_or_default();
        }
        state = product(state, digit);
    }
    value.len() > 1 && state == 0
}

#[cfg(test)]
mod tests {
    use super::verhoeff;

    #[test]
    fn verdicts() {
        for (value, valid) in
            [("2363", true), ("2364", false), ("2336", false), ("", false), ("0", false), ("23X3", false)]
        {
            assert_eq!(verhoeff(value), valid, "{value}");
        }
    }
}
