//! Hash tables generated from the catalogue.
//!
//! A page downloads them. Similar data is therefore stored together, which compresses well, and a key keeps only the
//! bits that it needs. Builds for speed store everything that a lookup needs in one slot instead, because each cache
//! line is a wait.
//!
//! [`Table`] trusts the bits of a hash. [`PhraseTable`] compares the letters as well, so it is exact.
//!
//! The build script of the catalogue uses this file too.

use textveil_phrase::{Phrase, letters, words};

use crate::text::order;

/// Buckets that share an entry of [`Table::groups`] in code optimised for size.
pub(crate) const SMALL_GROUP: usize = 16;
/// Buckets that share an entry in this build.
const GROUP: usize = if cfg!(small) { SMALL_GROUP } else { 1 };

/// The number of keys per bucket: fewer are found sooner, and take more memory.
const LOAD: usize = if cfg!(small) { SMALL_LOAD } else { 1 };
/// The number in a table that is stored for code optimised for size.
pub(crate) const SMALL_LOAD: usize = 6;

/// The end of the search for a multiplier; the build checks that one was found.
const MULTIPLIERS: u32 = 4_001;

/// The bucket of a key, and the bits of it that the bucket keeps, in three bytes.
type Place = (usize, u32);

/// A key of a table that has the bits of the key searched for.
pub(crate) struct Entry<T: 'static> {
    /// Its position among all keys.
    at: usize,
    /// Its list.
    list: &'static [T],
}

/// A map from keys, which are hashes, to lists. Each key belongs to one of a power of two of buckets; the
/// keys of a bucket are consecutive.
#[derive(Debug, PartialEq)]
pub(crate) struct Table<T: 'static> {
    /// The number of bits of a key that are used.
    pub bits: u32,
    /// The multiplier of the hash function.
    pub multiplier: u32,
    /// The number of buckets.
    pub buckets: usize,
    /// The start of the keys and of the lists for each group of buckets; followed by their end if the code is
    /// optimised for speed.
    pub groups: &'static [(u16, u16)],
    /// The number of keys in each bucket.
    pub counts: &'static [u8],
    /// The bits of each key that do not choose the bucket, from the lowest byte to the highest.
    pub keys: [&'static [u8]; 3],
    /// The length of each key's list.
    pub lengths: &'static [u8],
    /// Replaces the last three if the code is optimised for speed: those bits of each key, with the start and
    /// length of its list.
    pub slots: &'static [(u32, u16, u16)],
    /// The concatenated lists.
    pub items: &'static [T],
    /// A bit for each prefix of a longer key that is not a key itself; some other keys share it.
    pub beginnings: &'static [u64],
}

impl<T> Table<T> {
    /// Returns the list of a key; an empty one for a possible prefix of a longer key.
    #[inline]
    pub fn get(&self, key: u32) -> Option<&'static [T]> {
        self.find(key).map(|entry| entry.list).or_else(|| self.begins(key))
    }

    /// Finds the entry of a key by the bits that the table keeps.
    #[inline]
    pub fn find(&self, key: u32) -> Option<Entry<T>> {
        let place = self.place(key);
        let (at, start, len) = if cfg!(small) { self.packed(place)? } else { self.slot(place)? };
        Some(Entry { at, list: self.items.get(start..start + len)? })
    }

    /// Finds the position of a key, and the start and the length of its list, by its slot.
    #[inline]
    fn slot(&self, (bucket, kept): Place) -> Option<(usize, usize, usize)> {
        let ((first, _), (end, _)) = (self.groups.get(bucket)?, self.groups.get(bucket + 1)?);
        let slots = self.slots.get(usize::from(*first)..usize::from(*end))?;
        let at = slots.iter().position(|(known, ..)| *known == kept)?;
        let (_, start, len) = slots.get(at)?;
        Some((usize::from(*first) + at, usize::from(*start), usize::from(*len)))
    }

    /// Finds the same by the bytes of the keys and the counts before them.
    #[inline]
    fn packed(&self, (bucket, kept): Place) -> Option<(usize, usize, usize)> {
        let group = bucket / SMALL_GROUP;
        let (first, items) = *self.groups.get(group)?;
        let (first, items) = (usize::from(first), usize::from(items));
        let counts: &[u8; SMALL_GROUP] = self.counts.get(group * SMALL_GROUP..)?.first_chunk()?;
        let within = bucket % SMALL_GROUP;
        let (start, count) = (first + before(counts, within), usize::from(*counts.get(within)?));
        let [lows, middles, highs] = self.keys;
        let [low, middle, high, _] = kept.to_le_bytes();
        let is_key = |at: &usize| middles.get(*at) == Some(&middle) && highs.get(*at) == Some(&high);
        let alike = lows.get(start..start + count)?.iter().zip(start..).filter(|(byte, _)| **byte == low);
        let at = alike.map(|(_, at)| at).find(is_key)?;
        let start = items + sum(self.lengths.get(first..at)?);
        Some((at, start, usize::from(*self.lengths.get(at)?)))
    }

    /// Returns an empty list for a possible prefix, otherwise `None`.
    #[inline]
    fn begins(&self, key: u32) -> Option<&'static [T]> {
        let bit = beginning(key, self.beginnings.len());
        let word = self.beginnings.get(bit / 64)?;
        (word >> (bit % 64) & 1 == 1).then_some(&[])
    }

    /// Returns the bucket of a key, and its bits stored there.
    #[inline]
    fn place(&self, key: u32) -> Place {
        let key = key.wrapping_mul(self.multiplier) >> (32 - self.bits);
        let kept = key >> self.buckets.trailing_zeros() & 0xff_ffff;
        (key as usize & self.buckets.wrapping_sub(1), kept)
    }
}

/// A table of phrases that compares their letters: no phrase is ever mistaken for another.
#[derive(Debug, PartialEq)]
pub(crate) struct PhraseTable<T: 'static> {
    /// The lists by the hashes of the phrases.
    pub table: Table<T>,
    /// The folded letters of all keys, in the order of the keys.
    pub letters: &'static str,
    /// The offset in `letters` of each key, and of the end.
    pub starts: &'static [u32],
}

impl<T> PhraseTable<T> {
    /// Returns the list of a phrase; an empty one for a possible prefix of a longer phrase.
    #[inline]
    pub fn get(&self, phrase: Phrase, written: &str) -> Option<&'static [T]> {
        let entry = self.table.find(phrase.value()).filter(|entry| self.spells(entry, written));
        entry.map(|entry| entry.list).or_else(|| self.table.begins(phrase.value()))
    }

    /// Checks that a key has the letters of a phrase.
    #[inline]
    fn spells(&self, entry: &Entry<T>, written: &str) -> bool {
        let start = self.starts.get(entry.at).map_or(0, |start| *start as usize);
        let end = self.starts.get(entry.at + 1).map_or(0, |end| *end as usize);
        self.letters.get(start..end).is_some_and(|key| spells(key, written))
    }
}

/// Whether a text has these folded letters.
pub(super) fn spells(key: &str, written: &str) -> bool {
    let mut rest = key;
    for (at, byte) in written.bytes().enumerate() {
        if !byte.is_ascii() {
            return written.get(at..).is_some_and(|written| letters(written).eq(rest.chars()));
        }
        if byte.is_ascii_alphanumeric() {
            let next = rest.as_bytes().first().filter(|next| **next == byte.to_ascii_lowercase());
            match next.and_then(|_| rest.get(1..)) {
                Some(behind) => rest = behind,
                None => return false,
            }
        }
    }
    rest.is_empty()
}

impl<T: Copy + PartialEq> PhraseTable<T> {
    /// Builds the table of phrases as they are written, each with its list.
    ///
    /// The build script makes sure that all letters and all hashes differ.
    pub fn new<'p>(phrases: impl Iterator<Item = (&'p str, &'p [T])>) -> Self
    where
        T: 'p,
    {
        let (mut entries, mut keys) = (Vec::new(), Vec::new());
        for (phrase, list) in phrases {
            let value = each_prefix(phrase, |prefix| entries.push((prefix.value(), None))).value();
            entries.extend(list.iter().map(|item| (value, Some(*item))));
            keys.push((value, phrase));
        }
        let table = Table::new(entries, u32::BITS);
        let places =
            keys.into_iter().filter_map(|(value, phrase)| Some((table.find(value)?.at as u32, phrase)));
        let (mut all, mut starts) = (String::new(), vec![0]);
        for (_, phrase) in order::by_number(places.collect()) {
            if phrase.is_ascii() {
                let letters = phrase.bytes().filter(u8::is_ascii_alphanumeric);
                all.extend(letters.map(|letter| char::from(letter.to_ascii_lowercase())));
            } else {
                all.extend(letters(phrase));
            }
            starts.push(all.len() as u32);
        }
        Self { table, letters: all.leak(), starts: starts.leak() }
    }
}

/// Calls `take` with each proper prefix of a phrase that ends with one of its words, and returns the whole.
///
/// A page waits for this, so that the letters are folded once.
pub(super) fn each_prefix(phrase: &str, mut take: impl FnMut(Phrase)) -> Phrase {
    let (mut whole, mut done, mut last) = (Phrase::EMPTY, 0, None);
    for (_, end) in words(phrase) {
        last.into_iter().for_each(&mut take);
        whole = whole.with(phrase.get(done..end).unwrap_or_default());
        (done, last) = (end, Some(whole));
    }
    whole.with(phrase.get(done..).unwrap_or_default())
}

impl<T: Copy + PartialEq> Table<T> {
    /// Builds the table from `bits` bits of these keys, each with the items of its list in their order;
    /// without an item for a prefix of a longer key.
    ///
    /// Another key is mistaken for one of `n` keys with a probability of `n` / 2^`bits`. One more bit costs
    /// an incompressible byte for every eight keys.
    pub fn new(entries: Vec<(u32, Option<T>)>, bits: u32) -> Self {
        Self::with_load(entries, bits, LOAD)
    }

    /// As [`Table::new`], with about `load` keys in a bucket.
    pub fn with_load(entries: Vec<(u32, Option<T>)>, bits: u32, load: usize) -> Self {
        let entries = order::by_number(entries);
        // all lists, concatenated
        let items: Vec<T> = entries.iter().filter_map(|(_, item)| *item).collect();
        let (mut keyed, mut begun): (Vec<(u32, &[T])>, Vec<u32>) = (Vec::new(), Vec::new());
        let mut rest = items.as_slice();
        for same in entries.chunk_by(|a, b| a.0 == b.0) {
            let len = same.iter().filter(|(_, item)| item.is_some()).count();
            let (list, later) = rest.split_at_checked(len).unwrap_or_default();
            rest = later;
            match same.first() {
                Some((key, _)) if list.is_empty() => begun.push(*key),
                Some((key, _)) => keyed.push((*key, list)),
                None => {}
            }
        }
        let buckets = (keyed.len() / load).next_power_of_two().max(256);
        let mut table = Self {
            bits,
            multiplier: 1,
            buckets,
            groups: &[],
            counts: &[],
            keys: [&[]; 3],
            lengths: &[],
            slots: &[],
            items: &[],
            beginnings: beginnings(&begun),
        };
        table.fill(&keyed);
        // increases the bits until all keys differ
        while bits < u32::BITS
            && table.multiplier < MULTIPLIERS
            && !keyed.iter().all(|(key, list)| table.get(*key) == Some(*list))
        {
            table.multiplier += 2;
            table.fill(&keyed);
        }
        table
    }

    /// Adds lists by their keys. The length of a list must fit a byte.
    fn fill(&mut self, keyed: &[(u32, &[T])]) {
        let placed = keyed.iter().map(|(key, list)| {
            let (bucket, kept) = self.place(*key);
            // lists of the same length are adjacent in a bucket
            ((bucket << 8 | list.len()) as u32, (kept, *list))
        });
        let placed = order::by_number(placed.collect());
        let mut counts = vec![0_u8; self.buckets];
        let mut keys = [const { Vec::new() }; 3];
        let (mut groups, mut lengths, mut items) = (Vec::new(), Vec::new(), Vec::new());
        let mut slots = Vec::new();
        let mut placed = placed.into_iter().peekable();
        for (bucket, count) in counts.iter_mut().enumerate() {
            if bucket.is_multiple_of(GROUP) {
                groups.push((lengths.len() as u16, items.len() as u16));
            }
            while let Some((_, (kept, list))) = placed.next_if(|(of, _)| (*of >> 8) as usize == bucket) {
                *count += 1;
                if !cfg!(small) {
                    slots.push((kept, items.len() as u16, list.len() as u16));
                }
                keys.iter_mut().zip(kept.to_le_bytes()).for_each(|(keys, byte)| keys.push(byte));
                lengths.push(list.len() as u8);
                items.extend_from_slice(list);
            }
        }
        if !cfg!(small) {
            groups.push((lengths.len() as u16, items.len() as u16));
        }
        (self.counts, self.keys, self.slots) = (counts.leak(), keys.map(|keys| &*keys.leak()), slots.leak());
        (self.groups, self.lengths, self.items) = (groups.leak(), lengths.leak(), items.leak());
    }
}

/// Builds the filter of prefixes: with sixteen bits each, one bit in seventeen or more is set.
fn beginnings(begun: &[u32]) -> &'static [u64] {
    if begun.is_empty() {
        return &[];
    }
    let mut beginnings = vec![0_u64; (begun.len() * 16).div_ceil(64).next_power_of_two()];
    for key in begun {
        let bit = beginning(*key, beginnings.len());
        beginnings.get_mut(bit / 64).into_iter().for_each(|word| *word |= 1 << (bit % 64));
    }
    beginnings.leak()
}

/// Returns the bit of a key in an array whose length is a power of two.
#[inline]
fn beginning(key: u32, words: usize) -> usize {
    (key.wrapping_mul(0x85eb_ca6b) >> 8) as usize & (words * 64).wrapping_sub(1)
}

/// Returns the sum of the first `within` bytes of a group in one step: multiplying each half makes its
/// highest byte the sum. The build checks that it fits.
#[inline]
fn before(counts: &[u8; SMALL_GROUP], within: usize) -> usize {
    let counted = u128::from_le_bytes(*counts) & ((1 << (8 * within)) - 1);
    let sum = |half: u64| (half.wrapping_mul(0x0101_0101_0101_0101) >> 56) as usize;
    sum(counted as u64) + sum((counted >> 64) as u64)
}

fn sum(counts: &[u8]) -> usize {
    counts.iter().map(|count| usize::from(*count)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_told_by_their_letters() {
        let list: [(&str, &[u16]); 3] = [("datum narození", &[1, 2]), ("r. č.", &[3]), ("生年月日", &[4])];
        let table = PhraseTable::new(list.into_iter());
        for (written, want) in [
            ("Datum narozeni", Some(&[1, 2][..])),
            ("datum", Some(&[][..])),
            ("RČ", Some(&[3][..])),
            ("r", Some(&[][..])),
            ("生年", Some(&[][..])),
            ("生年月日", Some(&[4][..])),
        ] {
            assert_eq!(table.get(Phrase::EMPTY.with(written), written), want, "{written}");
        }
        // another text with the hash of a key
        let found = table.get(Phrase::EMPTY.with("rč"), "house");
        assert!(found.is_none_or(<[u16]>::is_empty), "{found:?}");
    }

    #[test]
    fn keys_and_their_lists() {
        // with few keys, and with so many that several share a bucket and some would share their bits
        for (count, bits) in [(3, 32), (3_000, 32), (3_000, 20)] {
            let key = |at: u32| at.wrapping_mul(0x9e37_79b1).rotate_left(7);
            let list = |at: u32| (0..=at % 5).map(move |item| (at * 10 + item) as u16);
            let mut entries: Vec<(u32, Option<u16>)> =
                (0..count).flat_map(|at| list(at).map(move |item| (key(at), Some(item)))).collect();
            entries.extend((count..count + 40).map(|at| (key(at), None)));
            // a key is not reported as a prefix
            entries.push((key(0), None));
            let table = Table::new(entries, bits);
            for at in 0..count {
                assert_eq!(table.get(key(at)).unwrap(), list(at).collect::<Vec<_>>(), "{at} of {count}");
            }
            let begun = |at: u32| table.get(key(at)).is_some_and(<[u16]>::is_empty);
            assert!((count..count + 40).all(begun));
            let strangers = 1_000_000..1_100_000_u32;
            let seen =
                strangers.filter(|at| table.get(key(*at)).is_some_and(|list| !list.is_empty())).count();
            let chance = f64::from(count) / 2_f64.powi(bits as i32);
            assert!((seen as f64) < 2.0 * chance * 100_000.0 + 5.0, "{seen} of {count} keys of {bits} bits");
        }
        let empty: Table<u16> = Table::new(Vec::new(), 24);
        assert_eq!(empty.get(7), None);
    }
}
