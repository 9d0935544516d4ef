//! The classes of bytes that end words or are part of them: the first thing that every walk over a text looks at.

/// A small letter of ASCII.
pub const LOWER: u8 = 1;
/// A capital of ASCII.
pub const UPPER: u8 = 2;
/// A digit of ASCII.
pub const DIGIT: u8 = 4;
/// A byte of a character beyond ASCII.
pub const HIGH: u8 = 8;
/// The first byte of a three-byte or four-byte character; all scripts without spaces have such characters.
pub const WIDE: u8 = 16;

#[allow(clippy::indexing_slicing, reason = "evaluated by the compiler")]
const CLASS: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'0'..=b'9' => DIGIT,
            b'A'..=b'Z' => UPPER,
            b'a'..=b'z' => LOWER,
            0x80..0xe0 => HIGH,
            0xe0.. => HIGH | WIDE,
            _ => 0,
        };
        byte += 1;
    }
    table
};

/// Returns the class of a byte; 0 for one that ends a word.
///
/// ```
/// use textveil_phrase::bytes::{HIGH, LOWER, WIDE, class_of};
///
/// assert_eq!([class_of(b'a'), class_of(b' '), class_of("漢".as_bytes()[0])], [LOWER, 0, HIGH | WIDE]);
/// ```
#[inline]
pub fn class_of(byte: u8) -> u8 {
    CLASS.get(usize::from(byte)).copied().unwrap_or_default()
}
