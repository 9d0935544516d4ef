//! Compiles the words that connect the parts of a name.

use std::collections::BTreeMap;

use textveil_phrase::languages::Language;

/// Returns a function, as Rust: the compiler compares words of one length as numbers.
pub fn compile(languages: &BTreeMap<String, Language>) -> String {
    for (code, language) in languages {
        for word in &language.particles.words {
            let is_valid = word.chars().all(char::is_lowercase);
            assert!(is_valid, "{code}.toml: particles.words: {word}: write one word in lower case");
        }
    }
    let mut words: Vec<&String> = languages.values().flat_map(|language| &language.particles.words).collect();
    words.sort_unstable();
    words.dedup();
    let words: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
    format!(
        "/// Whether a lower-case word within a name connects its parts.\npub(crate) fn is_particle(word: &str) -> \
         bool {{\n    matches!(word, {})\n}}\n",
        words.join(" | ")
    )
}
