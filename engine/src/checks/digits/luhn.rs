//! The Luhn check (ISO/IEC 7812-1, annex B).

/// Whether the digits pass: every second one from the right is doubled, the digits of all products add
/// up to a multiple of 10. Anything but a digit fails, and so does nothing at all.
pub(crate) fn luhn(digits: impl DoubleEndedIterator<Item = u8>) -> bool {
    let mut sum = 0_u32;
    let mut count = 0_u32;
    for byte in digits.rev() {
        let Some(digit) = char::from(byte).to_digit(10) else { return false };
        let doubled = digit << (count % 2);
        sum += doubled - if doubled > 9 { 9 } else { 0 };
        count += 1;
    }
    count > 1 && sum.is_multiple_of(10)
}

#[cfg(test)]
mod tests {
    use super::luhn;

    #[test]
    fn verdicts() {
        // the standard's example, a card maker's test number, and each with two digits changed round
        for (value, valid) in [
            ("79927398713", true),
            ("4111111111111111", true),
            ("79927398731", false),
            ("4111111111111112", false),
            ("", false),
            ("0", false),
            ("7992739871X", false),
        ] {
            assert_eq!(luhn(value.bytes()), valid, "{value}");
        }
    }
}
