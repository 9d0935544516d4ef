//! Sorting, and searching what is sorted.
//!
//! The standard sort is 5 kB of code for every type that it sorts, which a web page would download ten
//! times over. So code that is made to be small sorts places, in one copy, and the things follow.

use std::cmp::Ordering;

/// Sorts a slice; what compares as equal stays in its order.
#[cfg(not(any(small, test)))]
pub(crate) fn sort<T>(things: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    things.sort_by(compare);
}

/// The same in few bytes.
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

/// The places of so many things, in the order of the things: ever longer sorted runs are merged.
#[cfg(any(small, test))]
fn sorted_places(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut places: Vec<usize> = (0..count).collect();
    let mut run = 1;
    while run < count {
        let mut merged = Vec::with_capacity(count);
        for pair in places.chunks(2 * run) {
            let (mut left, mut right) = pair.split_at_checked(run).unwrap_or((pair, &[]));
            while let ([a, left_rest @ ..], [b, right_rest @ ..]) = (left, right) {
                if compare(*a, *b).is_le() {
                    merged.push(*a);
                    left = left_rest;
                } else {
                    merged.push(*b);
                    right = right_rest;
                }
            }
            merged.extend(left.iter().chain(right));
        }
        places = merged;
        run *= 2;
    }
    places
}

/// Things sorted by their numbers, a byte at a time; those of one number stay in their order.
pub(crate) fn by_number<T: Copy>(mut things: Vec<(u32, T)>) -> Vec<(u32, T)> {
    if things.is_sorted_by_key(|(number, _)| *number) {
        return things;
    }
    // memory is dear at the start of a page, so that the passes share their room
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
        // from how many there are of a digit to where the next of them goes
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

/// The rest of a list of words in their order from the first one on that is not less: a reference to each word would weigh
/// as much as the word.
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

/// The word to which others compare like this in a list of words in their order, with a space between two.
pub(crate) fn find_word(list: &str, compare: impl Fn(&[u8]) -> Ordering) -> Option<&str> {
    let rest = lower_bound(list, b' ', |word| compare(word.as_bytes()).is_lt());
    rest.split(' ').next().filter(|word| !word.is_empty() && compare(word.as_bytes()).is_eq())
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
            // the remainders come again and again: what is equal has to stay in its order
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
