//! Compiles the words that are written together with the name behind them.

use std::collections::{BTreeMap, BTreeSet};

use textveil_phrase::languages::Language;

/// Returns a constant, as Rust: the words of all languages, the shortest first.
pub fn compile(languages: &BTreeMap<String, Language>) -> String {
    let words = languages.values().flat_map(|language| &language.inflection.proclitics);
    let words: BTreeSet<(usize, &str)> = words.map(|word| (word.len(), word.as_str())).collect();
    let words: Vec<&str> = words.into_iter().map(|(_, word)| word).collect();
    format!("static PROCLITICS: [&str; {}] = {words:?};\n", words.len())
}
