//! Sorting with little code.
//!
//! The standard sort takes 5 kB of code for every type, which a web page would download. This one has one copy, and merges
//! ever longer sorted runs.

use std::cmp::Ordering;

/// Returns the sorted order of `count` items as indices; equal items keep their order.
///
/// ```
/// use textveil_phrase::order::sorted_places;
///
/// let items = ["b", "c", "a"];
/// assert_eq!(sorted_places(3, &|one, other| items[one].cmp(items[other])), [2, 0, 1]);
/// ```
pub fn sorted_places(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
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
