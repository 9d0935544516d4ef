//! Sorting, compiled once: the standard library's sort is some kilobytes of code for each type that is sorted,
//! and a component is downloaded.

use std::cmp::Ordering;

/// Sorts as [`slice::sort_by`] does: what compares equal keeps its order.
pub(crate) fn sort_by<T>(items: &mut Vec<T>, compare: impl Fn(&T, &T) -> Ordering) {
    let order = order(items.len(), &|one, other| match (items.get(one), items.get(other)) {
        (Some(one), Some(other)) => compare(one, other),
        _ => Ordering::Equal,
    });
    let mut taken: Vec<Option<T>> = items.drain(..).map(Some).collect();
    items.extend(order.into_iter().filter_map(|place| taken.get_mut(place)?.take()));
}

/// Sorts as [`slice::sort_by_key`] does.
pub(crate) fn sort_by_key<T, K: Ord>(items: &mut Vec<T>, key: impl Fn(&T) -> K) {
    sort_by(items, |one, other| key(one).cmp(&key(other)));
}

/// The places of so many items in their order.
fn order(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|one, other| compare(*one, *other));
    order
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_that_of_the_standard_library(items in proptest::collection::vec((0..5, 0..100), 0..50)) {
            let (mut got, mut want) = (items.clone(), items);
            sort_by_key(&mut got, |item| item.0);
            want.sort_by_key(|item| item.0);
            prop_assert_eq!(got, want);
        }
    }
}
