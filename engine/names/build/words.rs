//! Compiles the words and signs within addresses and names of companies, as they are written.

use std::{collections::BTreeMap, fmt::Write as _, path::Path};

use serde::Deserialize;

use crate::tables::parse;

/// A value of `lexicon/words.toml`.
#[derive(Deserialize)]
#[serde(untagged)]
enum Words {
    /// A list, in its order.
    List(Vec<String>),
    /// Single characters.
    Characters(String),
}

/// Returns a module for each table, as Rust: a constant for each key.
pub fn compile(folder: &Path) -> String {
    let tables: BTreeMap<String, BTreeMap<String, Words>> = parse(&folder.join("words.toml"));
    let mut out = String::new();
    for (table, keys) in tables {
        writeln!(out, "pub(crate) mod {table} {{").unwrap();
        for (key, words) in keys {
            let name = key.to_ascii_uppercase();
            match words {
                Words::List(list) => {
                    writeln!(out, "    pub const {name}: [&str; {}] = {list:?};", list.len()).unwrap();
                }
                Words::Characters(characters) => {
                    writeln!(out, "    pub const {name}: &str = {characters:?};").unwrap();
                }
            }
        }
        out.push_str("}\n");
    }
    out
}
