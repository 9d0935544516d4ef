//! Random numbers from a seed: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).

/// A sequence of numbers that its seed decides.
pub struct Random(u64);

impl Random {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x9e37_79b9_7f4a_7c15)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which is at least 1.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 11) as usize % bound.max(1)
    }

    /// A number from `min` to `max`.
    pub fn between(&mut self, min: usize, max: usize) -> usize {
        min + self.below(max - min + 1)
    }

    /// True in `percent` of all cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of several, of which there is at least one.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// One of some characters.
    pub fn letter(&mut self, from: &str) -> char {
        let letters: Vec<char> = from.chars().collect();
        letters[self.below(letters.len())]
    }

    /// A digit.
    pub fn digit(&mut self) -> char {
        char::from(b'0' + self.below(10) as u8)
    }

    /// Another order of the same things.
    pub fn shuffle<T>(&mut self, things: &mut [T]) {
        for last in (1..things.len()).rev() {
            things.swap(last, self.below(last + 1));
        }
    }

    /// Replaces each `#` of a pattern by a digit, each `%` by one from 1 to 9, and each `@` by a capital
    /// letter.
    pub fn fill(&mut self, pattern: &str) -> String {
        let filled = pattern.chars().map(|letter| match letter {
            '#' => self.digit(),
            '%' => char::from(b'1' + self.below(9) as u8),
            '@' => char::from(b'A' + self.below(26) as u8),
            other => other,
        });
        filled.collect()
    }
}
