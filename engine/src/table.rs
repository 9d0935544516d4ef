//! The hash tables that the build makes of the catalogue. A page downloads them, so nothing in them can be
//! computed from the rest, and what is alike stands together for the sake of compression.

/// Buckets that share an entry of [`Table::groups`].
pub(crate) const GROUP: usize = 8;

/// How many bits of a key count. What is no key looks like one of ten thousand keys in one case of 27,000; more bits
/// are bytes that do not compress.
const BITS: u32 = 28;

/// From keys, which are hashes already, to lists. The low bits of a key choose one of a power of two of
/// buckets; a bucket has the keys of several lists, one after the other.
#[derive(Debug)]
pub(crate) struct Table<T: 'static> {
    /// For every eight buckets where their keys and their lists start.
    pub groups: &'static [(u16, u16)],
    /// How many keys a bucket has.
    pub counts: &'static [u8],
    /// Of each key the bits above those that choose the bucket: the lower 16 of them, and the rest.
    pub keys: (&'static [u16], &'static [u8]),
    /// How long the list of each key is.
    pub lengths: &'static [u8],
    /// All lists.
    pub items: &'static [T],
    /// A bit for each beginning of something longer that is no key itself; some other keys have it too.
    pub beginnings: &'static [u64],
}

impl<T> Table<T> {
    /// The list of a key. Empty, too, where the key may be the beginning of something longer.
    #[inline]
    pub fn get(&self, key: u32) -> Option<&'static [T]> {
        let buckets = self.counts.len();
        let bucket = key as usize & buckets.wrapping_sub(1);
        let (first, items) = *self.groups.get(bucket / GROUP)?;
        let start = usize::from(first) + sum(self.counts.get(bucket / GROUP * GROUP..bucket)?);
        let end = start + usize::from(*self.counts.get(bucket)?);
        let (low, high) = rest(key, buckets);
        let mut keys = self.keys.0.get(start..end)?.iter().zip(self.keys.1.get(start..end)?);
        let Some(at) = keys.position(|key| key == (&low, &high)) else { return self.begins(key) };
        let items = usize::from(items) + sum(self.lengths.get(usize::from(first)..start + at)?);
        self.items.get(items..items + usize::from(*self.lengths.get(start + at)?))
    }

    /// Nothing, but empty for what may be a beginning.
    #[inline]
    fn begins(&self, key: u32) -> Option<&'static [T]> {
        let bit = beginning(key, self.beginnings.len());
        let word = self.beginnings.get(bit / 64)?;
        (word >> (bit % 64) & 1 == 1).then_some(&[])
    }
}

/// What a bucket keeps of a key. The build computes the same.
#[inline]
pub(crate) fn rest(key: u32, buckets: usize) -> (u16, u8) {
    let rest = (key & ((1 << BITS) - 1)) >> buckets.trailing_zeros();
    (rest as u16, (rest >> 16) as u8)
}

/// The bit of a key among those of so many words, a power of two. The build computes the same.
#[inline]
pub(crate) fn beginning(key: u32, words: usize) -> usize {
    (key.wrapping_mul(0x85eb_ca6b) >> 8) as usize & (words * 64).wrapping_sub(1)
}

fn sum(counts: &[u8]) -> usize {
    counts.iter().map(|count| usize::from(*count)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_their_lists() {
        // of 256 buckets number 3 has two keys, number 4 one and number 255 one
        let mut counts = [0; 256];
        (counts[3], counts[4], counts[255]) = (2, 1, 1);
        let mut groups = [(3, 3); 32];
        groups[0] = (0, 0);
        let mut beginnings = [0_u64; 2];
        let bit = beginning(0x1234_5678, 2);
        beginnings[bit / 64] = 1 << (bit % 64);
        let table: Table<u16> = Table {
            groups: Box::leak(Box::new(groups)),
            counts: Box::leak(Box::new(counts)),
            keys: (&[1, 0, 5, 6], &[0, 0x0f, 0, 0]),
            lengths: &[1, 2, 0, 1],
            items: &[7, 8, 9, 10],
            beginnings: Box::leak(Box::new(beginnings)),
        };
        for (key, list) in [
            (0x0000_0103, Some(&[7][..])),
            (0xaf00_0003, Some(&[8, 9])),
            (0x0000_0504, Some(&[])),
            (0x0000_06ff, Some(&[10])),
            (0x0000_0003, None),
            (0x0000_0104, None),
            (0x0f00_00ff, None),
            (0x1234_5678, Some(&[])),
        ] {
            assert_eq!(table.get(key), list, "{key:x}");
        }
    }
}
