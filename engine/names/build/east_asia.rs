//! Characters of names in Han characters and Hangul, in their order.

use std::{collections::BTreeSet, fmt::Write as _, path::Path};

use serde::Deserialize;

use crate::tables::parse;

/// `lexicon/east-asia.toml`.
#[derive(Deserialize)]
struct Characters {
    given: String,
    syllables: String,
    never: String,
}

/// The constants, as Rust.
pub fn compile(folder: &Path) -> String {
    let characters: Characters = parse(&folder.join("east-asia.toml"));
    let mut out = String::new();
    for (name, of) in
        [("GIVEN", characters.given), ("SYLLABLES", characters.syllables), ("NEVER", characters.never)]
    {
        let sorted: BTreeSet<char> = of.chars().filter(|letter| !letter.is_whitespace()).collect();
        writeln!(out, "static {name}: [char; {}] = {sorted:?};", sorted.len()).unwrap();
    }
    out.replace('{', "[").replace('}', "]")
}
