//! Finds the detectors that accept the values of another one.

use std::{collections::BTreeMap, thread};

use textveil_engine::validate;
use textveil_schema::file::Entry;

use super::needs_label;

/// Share of all good values above which a detector is left out: a password may be almost any value.
const MOST_ACCEPTED: f64 = 0.2;

/// For each detector, the indices of the others that accept one of its good values.
pub(super) struct Confusions {
    by_name: BTreeMap<String, Vec<usize>>,
    /// Types that accept so many values that no entry lists them.
    pub(super) of_anything: Vec<String>,
}

impl Confusions {
    /// Validates each good value of the catalogue as each of its types.
    pub(super) fn new(entries: &[Entry]) -> Self {
        let accepted = accepted(entries);
        let values = accepted.len() as f64;
        let is_of_anything: Vec<bool> = (0..entries.len())
            .map(|other| {
                accepted.iter().filter(|(_, others)| others.contains(&other)).count() as f64
                    > MOST_ACCEPTED * values
            })
            .collect();
        let mut by_name: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (index, others) in accepted {
            let known = by_name.entry(entries[index].name.clone()).or_default();
            known.extend(others.into_iter().filter(|other| !is_of_anything[*other]));
        }
        for others in by_name.values_mut() {
            others.sort_unstable();
            others.dedup();
        }
        let of_anything = entries
            .iter()
            .zip(is_of_anything)
            .filter(|(_, is)| *is)
            .map(|(entry, _)| entry.name.clone())
            .collect();
        Self { by_name, of_anything }
    }

    /// The others, nearest first: of the same country, then those that need no label.
    pub(super) fn of<'e>(&self, entry: &Entry, entries: &'e [Entry]) -> Vec<&'e Entry> {
        let mut others: Vec<&Entry> =
            self.by_name.get(&entry.name).into_iter().flatten().map(|other| &entries[*other]).collect();
        others.sort_by_key(|other| {
            (other.region != entry.region, needs_label(&other.file), other.name.clone())
        });
        others
    }
}

/// Each good value as the index of its detector, with those of the detectors of other types that accept it.
fn accepted(entries: &[Entry]) -> Vec<(usize, Vec<usize>)> {
    let values: Vec<(usize, &str)> = entries
        .iter()
        .enumerate()
        .filter(|(_, entry)| entry.is_reported())
        .flat_map(|(index, entry)| entry.file.good().map(move |case| (index, case.value.as_str())))
        .collect();
    let others = |&(index, value): &(usize, &str)| (index, accepting(value, entries[index].kind(), entries));
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let chunk = values.len().div_ceil(threads).max(1);
    thread::scope(|scope| {
        let running: Vec<_> = values
            .chunks(chunk)
            .map(|chunk| scope.spawn(move || chunk.iter().map(others).collect::<Vec<_>>()))
            .collect();
        running.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    })
}

/// The detectors of other types than `kind` that accept a value.
fn accepting(value: &str, kind: &str, entries: &[Entry]) -> Vec<usize> {
    let is_other = |entry: &Entry| entry.is_reported() && !entry.file.is_name() && entry.kind() != kind;
    let accepts =
        |entry: &Entry| validate(value, &entry.name, entry.country()).is_ok_and(|found| found.valid);
    let matches = entries.iter().enumerate().filter(|(_, entry)| is_other(entry) && accepts(entry));
    matches.map(|(index, _)| index).collect()
}

#[test]
fn types_with_a_value_in_common_are_found() {
    let entries = super::super::entries();
    let find = |name: &str| entries.iter().find(|entry| entry.name == name).unwrap();
    let names = |value: &str, kind: &str| -> Vec<&str> {
        accepting(value, kind, &entries).into_iter().map(|index| entries[index].name.as_str()).collect()
    };
    assert!(names("80-237", "kod_pocztowy").contains(&"plz"), "five digits are a German postal code, too");
    assert!(!names("80237", "plz").contains(&"plz"), "a type is not confused with itself");
    assert!(!names("44051401359", "pesel").contains(&"iban"), "a PESEL is not an IBAN");

    // the order: the same country, then those without a label
    let by_name = BTreeMap::from([("pesel".to_owned(), (0..entries.len()).collect())]);
    let confusions = Confusions { by_name, of_anything: Vec::new() };
    let regions: Vec<&str> =
        confusions.of(find("pesel"), &entries).into_iter().map(|entry| entry.region.as_str()).collect();
    let own = regions.iter().filter(|region| **region == "PL").count();
    assert!(regions.iter().take(own).all(|region| *region == "PL"), "{regions:?}");
}
