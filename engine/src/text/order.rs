//! Sorting, and searching in sorted data.
//!
//! The standard sort takes 5 kB of code for every type, which a web page would download ten times. So code
//! optimised for size sorts indices, in one copy, and then moves the items.

use std::cmp::Ordering;

#[cfg(any(small, test))]
use crate::phrase::order::sorted_places;

/// Sorts a slice; the sort is stable.
#[cfg(not(any(small, test)))]
pub(crate) fn sort<T>(things: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    things.sort_by(compare);
}

/// Sorts a slice with less code, for builds optimised for size; the sort is stable.
#[cfg(any(small, test))]
pub(crate) fn sort<T: Clone>(things: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    if things.is_sorted_by(|a, b| compare(a, b).is_le()) {
        return;
    }
    let before = things.to_vec();
    let places = sorted_places(before.len(), &|a, b| match (before.get(a), before.get(b)) {
        (Some(a), Some(b)) => compare(a, b),
        _ => Ordering::Equal,
    });
    for (thing, place) in things.iter_mut().zip(places) {
        if let Some(sorted) = before.get(place) {
            thing.clone_from(sorted);
        }
    }
}

/// Sorts items by their numbers, a byte at a time; the sort is stable.
pub(crate) fn by_number<T: Copy>(mut things: Vec<(u32, T)>) -> Vec<(u32, T)> {
    if things.is_sorted_by_key(|(number, _)| *number) {
        return things;
    }
    // the passes share a buffer, because memory is scarce when a page starts
    let mut sorted = things.clone();
    for shift in [0, 8, 16, 24] {
        let digit = |number: u32| usize::from((number >> shift) as u8);
        let mut places = [0_usize; 256];
        for (number, _) in &things {
            places.get_mut(digit(*number)).into_iter().for_each(|count| *count += 1);
        }
        if places.contains(&things.len()) {
            continue;
        }
        // converts the counts of the digits to start positions
        let mut start = 0;
        for place in &mut places {
            start += std::mem::replace(place, start);
        }
        for thing in &things {
            let Some(place) = places.get_mut(digit(thing.0)) else { continue };
            sorted.get_mut(*place).into_iter().for_each(|slot| *slot = *thing);
            *place += 1;
        }
        std::mem::swap(&mut things, &mut sorted);
    }
    things
}

/// Returns the rest of a sorted list of words, from the first word that is not less.
///
/// A list of references would take as much memory as the words.
pub(crate) fn lower_bound(list: &str, separator: u8, less: impl Fn(&str) -> bool) -> &str {
    let bytes = list.as_bytes();
    let (mut from, mut to) = (0, bytes.len());
    while from < to {
        let middle = from + (to - from) / 2;
        let parts = |byte: &u8| *byte == separator;
        let before = bytes.get(from..middle).unwrap_or_default().iter().rposition(parts);
        let behind = bytes.get(middle..to).unwrap_or_default().iter().position(parts);
        let start = before.map_or(from, |at| from + at + 1);
        let end = behind.map_or(to, |at| middle + at);
        if less(list.get(start..end).unwrap_or_default()) {
            from = end + 1;
        } else {
            to = start.saturating_sub(1).max(from);
        }
    }
    list.get(from..).unwrap_or_default()
}

/// Returns the word for which the comparison is equal, in a sorted list of words separated by spaces.
pub(crate) fn find_word(list: &str, compare: impl Fn(&[u8]) -> Ordering) -> Option<&str> {
    let rest = lower_bound(list, b' ', |word| compare(word.as_bytes()).is_lt());
    let end = rest.bytes().position(|byte| byte == b' ').unwrap_or(rest.len());
    rest.get(..end).filter(|word| !word.is_empty() && compare(word.as_bytes()).is_eq())
}

/// Whether a list of words separated by spaces contains a word, ignoring case.
pub(crate) fn has_word(list: &str, word: &str) -> bool {
    // the words are so short that a vectorised search takes longer
    let mut known = list.as_bytes().split(|byte| *byte == b' ');
    !word.is_empty() && known.any(|known| known.eq_ignore_ascii_case(word.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        let mut things: Vec<(u32, usize)> =
            (0..5_000).map(|at| ((at as u32 % 1_700).wrapping_mul(0x9e37_79b1), at)).collect();
        let sorted = by_number(things.clone());
        things.sort_by_key(|(number, _)| *number);
        assert_eq!(sorted, things);
    }

    #[test]
    fn as_the_standard_sort() {
        for count in [0, 1, 2, 7, 40, 1_000] {
            // the remainders repeat: equal items must keep their order
            let mut things: Vec<(usize, usize)> = (0..count).map(|at| (at * 7_919 % 31, at)).collect();
            let mut want = things.clone();
            want.sort_by_key(|(key, _)| *key);
            sort(&mut things, |a, b| a.0.cmp(&b.0));
            assert_eq!(things, want);
        }
    }

    #[test]
    fn words_of_a_list() {
        for list in ["", "b", "b d", "b dd f h", "b dd f hh j l nnn"] {
            for word in ["", "a", "b", "c", "dd", "d", "e", "f", "g", "h", "hh", "l", "m", "nnn", "o"] {
                let known = list.split(' ').find(|known| *known == word && !word.is_empty());
                assert_eq!(
                    find_word(list, |known| known.cmp(word.as_bytes())),
                    known,
                    "{word:?} in {list:?}"
                );
            }
        }
    }
}
