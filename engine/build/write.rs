//! Rust expressions for what the tables are made of.

use std::{collections::BTreeMap, fmt::Write as _};

use crate::lexicon::table::{SMALL_GROUP, SMALL_LOAD, Table};

#[derive(Default)]
pub(crate) struct Output {
    pub text: String,
    /// Constants already written to `text`: the source of each list, with its number.
    pub checks: BTreeMap<String, usize>,
    /// Optimise the generated code for size: omit optional tables.
    pub small: bool,
}

impl Output {
    pub(crate) fn new(small: bool) -> Self {
        Self { small, ..Self::default() }
    }

    /// Writes a table by the hashes of words. Its users compare the words themselves.
    pub(crate) fn words<T: Copy + PartialEq + std::fmt::Debug + 'static>(
        &mut self,
        name: &str,
        of: &str,
        entries: impl Iterator<Item = (u32, Vec<T>)>,
    ) {
        let entries: Vec<(u32, Option<T>)> =
            entries.flat_map(|(key, list)| list.into_iter().map(move |item| (key, Some(item)))).collect();
        let table = Table::with_load(entries.clone(), u32::BITS, SMALL_LOAD);
        let is_found = |(key, item): &(u32, Option<T>)| {
            table.get(*key).is_some_and(|list| item.is_none_or(|item| list.contains(&item)))
        };
        assert!(entries.iter().all(is_found), "{name}: two keys look the same with every multiplier");
        check_lengths(&table);
        let table = constant_table(&table, self.small, |item| format!("{item:?}"));
        writeln!(self.text, "static {name}: Table<{of}> = {table};").unwrap();
    }
}

/// Checks that the counts of a table fit their types.
pub(crate) fn check_lengths<T>(table: &Table<T>) {
    let sum = |counts: &[u8]| counts.iter().map(|count| usize::from(*count)).sum::<usize>();
    assert!(table.items.len() < 65_536, "too many items for a table");
    assert_eq!(sum(table.counts), table.lengths.len(), "too many keys in a bucket of a table");
    assert_eq!(sum(table.lengths), table.items.len(), "too many items for one key of a table");
    let mut halves = table.counts.chunks(SMALL_GROUP / 2);
    assert!(halves.all(|half| sum(half) < 256), "too many keys in half a group of a table");
}

/// Returns a table as a constant expression, with the fields for a small or for a fast look-up.
pub(crate) fn constant_table<T>(table: &Table<T>, small: bool, item: impl Fn(&T) -> String) -> String {
    let Table { bits, multiplier, buckets, items, beginnings, .. } = table;
    let items: Vec<String> = items.iter().map(item).collect();
    let found_by = if small {
        let groups: Vec<_> = table.groups[..*buckets].iter().step_by(SMALL_GROUP).collect();
        let Table { counts, keys: [low, middle, high], lengths, .. } = table;
        format!(
            "groups: &{groups:?}, counts: &{counts:?}, keys: [&{low:?}, &{middle:?}, &{high:?}], \
             lengths: &{lengths:?}, slots: &[]"
        )
    } else {
        let Table { groups, slots, .. } = table;
        format!("groups: &{groups:?}, counts: &[], keys: [&[]; 3], lengths: &[], slots: &{slots:?}")
    };
    format!(
        "Table {{ bits: {bits}, multiplier: {multiplier}, buckets: {buckets}, {found_by}, items: &[{}], \
         beginnings: &{beginnings:?} }}",
        items.join(", ")
    )
}

/// Converts log-odds to hundredths.
pub(crate) fn hundredths(odds: f64) -> i16 {
    (odds * 100.0).round() as i16
}

pub(crate) fn country_literal(code: &str) -> String {
    let code = code.as_bytes();
    assert!(code.len() == 2 && code.iter().all(u8::is_ascii_uppercase), "no country code");
    format!("Country::literal({:?})", [code[0], code[1]])
}

pub(crate) fn option(value: Option<String>) -> String {
    value.map_or_else(|| "None".to_owned(), |value| format!("Some({value})"))
}

pub(crate) fn pascal(name: &str) -> String {
    format!("{}{}", name[..1].to_uppercase(), &name[1..])
}

pub(crate) fn cow_str(text: &str) -> String {
    format!("Cow::Borrowed({text:?})")
}
