//! Characters of names in Han characters and Hangul, in their order.

use std::{collections::BTreeSet, fmt::Write as _, fs, path::Path};

use serde::Deserialize;

/// `lexicon/east-asia.toml`.
#[derive(Deserialize)]
struct Characters {
    given: String,
    syllables: String,
    never: String,
}

/// The constants, as Rust.
pub fn compile(folder: &Path) -> String {
    let file = folder.join("east-asia.toml");
    let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let characters: Characters =
        toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let mut out = String::new();
    for (name, of) in
        [("GIVEN", characters.given), ("SYLLABLES", characters.syllables), ("NEVER", characters.never)]
    {
        let sorted: BTreeSet<char> = of.chars().filter(|letter| !letter.is_whitespace()).collect();
        writeln!(out, "static {name}: [char; {}] = {sorted:?};", sorted.len()).unwrap();
    }
    out.replace('{', "[").replace('}', "]")
}
