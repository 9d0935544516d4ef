//! The digits of a telephone number as written.

/// The maximum number of digits of a telephone number with its prefixes.
const MAX: usize = 18;

/// The digits of a telephone number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Digits {
    bytes: [u8; MAX],
    len: usize,
}

impl Digits {
    /// `None` if there are too many digits.
    pub(crate) fn of(written: &[u8]) -> Option<Self> {
        let mut digits = Self { bytes: [0; MAX], len: 0 };
        for byte in written.iter().filter(|byte| byte.is_ascii_digit()) {
            *digits.bytes.get_mut(digits.len)? = *byte;
            digits.len += 1;
        }
        Some(digits)
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }

    /// The number of digits.
    pub(crate) fn len(&self) -> usize {
        self.len
    }
}
