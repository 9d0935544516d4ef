//! Compiles the small words in and before names.

use std::collections::{BTreeMap, BTreeSet};

use textveil_phrase::languages::Language;

/// Returns functions, as Rust: the compiler compares words of one length as numbers.
pub fn compile(languages: &BTreeMap<String, Language>) -> String {
    type List = fn(&Language) -> &Vec<String>;
    let lists: [(&str, &str, &str, List); 2] = [
        ("words", "is_particle", "Whether a lower-case word within a name connects its parts.", |language| {
            &language.particles.words
        }),
        ("articles", "is_article", "Whether a word in lower case is an article.", |language| {
            &language.particles.articles
        }),
    ];
    let mut out = String::new();
    for (key, function, meaning, list) in lists {
        for (code, language) in languages {
            for word in list(language) {
                let is_valid = word.chars().all(char::is_lowercase);
                assert!(is_valid, "{code}.toml: particles.{key}: {word}: write one word in lower case");
            }
        }
        let words: BTreeSet<String> =
            languages.values().flat_map(list).map(|word| format!("{word:?}")).collect();
        let words: Vec<String> = words.into_iter().collect();
        let words = words.join(" | ");
        out.push_str(&format!(
            "/// {meaning}\npub(crate) fn {function}(word: &str) -> bool {{\n    matches!(word, {words})\n}}\n"
        ));
    }
    out
}
