//! Compiles the words that connect the parts of a name.

use std::{collections::BTreeMap, path::Path};

use serde::Deserialize;

use crate::tables::parse;

#[derive(Deserialize)]
struct Particles {
    words: Vec<String>,
}

/// Returns a function, as Rust: the compiler compares words of one length as numbers.
pub fn compile(folder: &Path) -> String {
    let languages: BTreeMap<String, Particles> = parse(&folder.join("particles.toml"));
    let mut words: Vec<&String> = languages.values().flat_map(|particles| &particles.words).collect();
    words.sort_unstable();
    words.dedup();
    for word in &words {
        let is_lower = word.chars().all(char::is_lowercase);
        assert!(is_lower, "particles.toml: {word}: a particle is one word in lower case");
    }
    let words: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
    format!(
        "/// Whether a lower-case word within a name connects its parts.\npub(crate) fn is_particle(word: &str) -> \
         bool {{\n    matches!(word, {})\n}}\n",
        words.join(" | ")
    )
}
