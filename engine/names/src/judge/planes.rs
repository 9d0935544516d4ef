//! The weights as they are stored: half a byte for most of each, and the rest apart.
//!
//! Most weights are near 0. The program that compresses a page finds the same few bytes again everywhere among signed bytes,
//! and writes where, which takes more room than the bytes. Two weights in a byte do not repeat, and the halves that
//! are left are nearly all 0: `gzip` writes a tenth less.

/// Divides signed weights, four for each feature, into planes of a byte for each feature: the low halves of its first and of its
/// second two weights, then their high halves.
pub fn planes(weights: &[u8]) -> [Vec<u8>; 4] {
    let plane = |pair: usize, shift: u32| {
        let half = |weight: u8| folded(weight.cast_signed()) >> shift & 0xf;
        let pairs = weights.as_chunks::<2>().0.iter().skip(pair).step_by(2);
        pairs.map(|[first, second]| half(*first) | half(*second) << 4).collect()
    };
    [plane(0, 0), plane(1, 0), plane(0, 4), plane(1, 4)]
}

/// A weight without its sign, which is the last bit: those near 0 are small numbers.
fn folded(weight: i8) -> u8 {
    (weight << 1 ^ weight >> 7).cast_unsigned()
}

/// The pairs of weights that are half bytes: the first, and the second times 2^16.
#[allow(dead_code, reason = "the build only divides them")]
#[allow(clippy::indexing_slicing, reason = "evaluated by the compiler")]
pub static SMALL: [i32; 256] = {
    let mut pairs = [0; 256];
    let mut pair = 0;
    while pair < 256 {
        let (first, second) = (pair as i32 & 0xf, pair as i32 >> 4);
        pairs[pair] = (first >> 1 ^ -(first & 1)) + ((second >> 1 ^ -(second & 1)) << 16);
        pair += 1;
    }
    pairs
};

/// By how much the weights of [`joined`] are larger than they are.
#[allow(dead_code, reason = "the build only divides them")]
pub const BIAS: i32 = 0x80;

/// Returns the weights of a feature from its places in the planes: a byte for each, from the lowest on, larger by [`BIAS`].
#[allow(dead_code, reason = "the build only divides them")]
#[inline(always)]
pub fn joined(low: [u8; 2], high: [u8; 2]) -> u32 {
    // half a byte in each byte
    let spread = |halves: [u8; 2]| {
        let halves = u32::from(u16::from_le_bytes(halves));
        let halves = (halves | halves << 8) & 0x00ff_00ff;
        (halves | halves << 4) & 0x0f0f_0f0f
    };
    let folded = spread(low) | spread(high) << 4;
    let signs = (folded & 0x0101_0101) * 0xff;
    folded >> 1 & 0x7f7f_7f7f ^ signs ^ 0x8080_8080
}
