//! Tables of phrases.

use std::{collections::BTreeMap, fmt::Write as _};

use textveil_phrase::{self as phrase, Phrase};

use crate::{
    lexicon::{front_coding, table::PhraseTable},
    write::{check_lengths, constant_table},
};

/// Phrases as written, by their folded letters, each with its list.
pub(crate) struct Phrases<T> {
    entries: BTreeMap<String, (String, Vec<T>)>,
}

impl<T> Default for Phrases<T> {
    fn default() -> Self {
        Self { entries: BTreeMap::new() }
    }
}

impl<T: Copy + PartialEq + std::fmt::Debug + 'static> Phrases<T> {
    /// Returns the list of a phrase.
    pub(crate) fn entry(&mut self, phrase: &str) -> &mut Vec<T> {
        let letters: String = phrase::letters(phrase).collect();
        assert!(!letters.is_empty() && !phrase.contains(char::is_control), "{phrase}: not a phrase");
        let (written, list) = self.entries.entry(letters).or_default();
        // `a. i. c.` is also found as `aic`, but not the other way round
        if phrase::words(phrase).count() > phrase::words(written).count() {
            phrase.clone_into(written);
        }
        list
    }

    /// Checks that no two phrases or prefixes have one hash.
    fn check(&self, name: &str) {
        let mut spelled: BTreeMap<u32, String> = BTreeMap::new();
        for (written, _) in self.entries.values() {
            for begun in prefixes(written).chain([written.as_str()]) {
                let letters: String = phrase::letters(begun).collect();
                let known =
                    spelled.entry(Phrase::EMPTY.with(begun).value()).or_insert_with(|| letters.clone());
                assert_eq!(*known, letters, "{name}: two phrases have one hash");
            }
        }
    }

    /// Writes the table as a constant, or its list for builds that build the table at run time.
    ///
    /// `marks` are items that end a list and say nothing of its phrase's meaning, such as that it is a plural.
    pub(crate) fn write(mut self, name: &str, of: &str, marks: &[T], small: bool, out: &mut String) {
        self.check(name);
        for (_, list) in self.entries.values_mut() {
            list.sort_by_key(|item| marks.iter().position(|mark| mark == item).map_or(0, |place| place + 1));
        }
        if small {
            // neighbours share more of how they are written than of their letters
            let sorted: BTreeMap<&str, &[T]> =
                self.entries.values().map(|(written, list)| (written.as_str(), list.as_slice())).collect();
            let phrases = front_coding::encode(sorted.keys().copied());
            let (lengths, items) = front_coding::encode_lists(sorted.values().copied(), marks);
            assert!(
                front_coding::decode_lists(&lengths, &items, marks).iter().eq(sorted.values()),
                "{name}: a list is too long"
            );
            let name = format!("{}_LIST", name.strip_suffix('S').unwrap());
            writeln!(
                out,
                "static {name}: PhraseList<{of}> = PhraseList {{ phrases: {phrases:?}, lengths: &{lengths:?}, items: &{items:?}, marks: &{marks:?} }};"
            )
            .unwrap();
            return;
        }
        let lists = self.entries.values().map(|(written, list)| (written.as_str(), list.as_slice()));
        let table = PhraseTable::new(lists.clone());
        let is_found = |(written, list): (&str, &[T])| {
            table.get(Phrase::EMPTY.with(written), written) == Some(list)
                && prefixes(written).all(|begun| table.get(Phrase::EMPTY.with(begun), begun).is_some())
        };
        assert!(lists.clone().all(is_found), "{name}: a phrase is not found");
        let PhraseTable { table, letters, starts } = table;
        check_lengths(&table);
        let table = constant_table(&table, small, |item| format!("{item:?}"));
        writeln!(
            out,
            "static {name}: PhraseTable<{of}> = PhraseTable {{ table: {table}, letters: {letters:?}, starts: &{starts:?} }};"
        )
        .unwrap();
    }
}

/// The proper prefixes of a phrase that end with one of its words.
fn prefixes(phrase: &str) -> impl Iterator<Item = &str> {
    let last = phrase::words(phrase).last().map_or(0, |(_, end)| end);
    phrase::words(phrase).filter(move |(_, end)| *end < last).filter_map(|(_, end)| phrase.get(..end))
}
