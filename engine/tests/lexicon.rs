//! The files of the languages, and their description.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test"
)]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use textveil_phrase::languages::{parse, read};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("lexicon")
}

fn readme() -> String {
    fs::read_to_string(folder().join("README.md")).unwrap()
}

/// Returns the words in backticks.
fn quoted(text: &str) -> impl Iterator<Item = String> {
    text.split('`').skip(1).step_by(2).map(str::to_owned)
}

/// Returns the keys that the reader allows where a text has the unknown key `unknown`: its message lists them.
fn allowed(text: &str) -> BTreeSet<String> {
    let message = parse("xx.toml", text).unwrap_err().to_string();
    let (_, keys) = message.split_once("`unknown`, expected").unwrap_or_else(|| panic!("{message}"));
    quoted(keys.lines().next().unwrap()).collect()
}

/// Returns the tables that the description has, in its order, each with its keys.
fn described() -> Vec<(String, BTreeSet<String>)> {
    let readme = readme();
    let sections = readme.split("\n### ").skip(1);
    let keys = |section: &str| {
        let rows = section.lines().filter(|line| line.starts_with("| `"));
        rows.flat_map(|row| quoted(row.split(" | ").next().unwrap()).collect::<Vec<_>>()).collect()
    };
    sections.map(|section| (quoted(section).next().unwrap(), keys(section))).collect()
}

#[test]
fn the_description_has_every_table_and_key_of_the_reader() {
    let described = described();
    let tables: BTreeSet<String> = described.iter().map(|(table, _)| table.clone()).collect();
    assert_eq!(tables, allowed("unknown = 1"));
    for (table, keys) in &described {
        assert_eq!(*keys, allowed(&format!("[{table}]\nunknown = []")), "[{table}]");
    }
}

#[test]
fn the_examples_of_the_description_are_valid() {
    let readme = readme();
    let examples: Vec<&str> = readme
        .split("```toml\n")
        .skip(1)
        .map(|block| block.split_once("```").unwrap().0)
        .inspect(|example| _ = parse("xx.toml", example).unwrap())
        .collect();
    let tables: Vec<String> = described().into_iter().map(|(table, _)| format!("[{table}]")).collect();
    let shown: Vec<&str> = examples.iter().map(|example| example.lines().next().unwrap()).collect();
    assert_eq!(shown, tables);
}

#[test]
fn every_file_has_its_tables_in_the_order_of_the_description() {
    let languages = read(&folder()).unwrap();
    assert!(languages.len() > 50);
    let order: Vec<String> = described().into_iter().map(|(table, _)| table).collect();
    for code in languages.keys() {
        let text = fs::read_to_string(folder().join(format!("{code}.toml"))).unwrap();
        let tables: Vec<&str> = text
            .lines()
            .filter_map(|line| line.strip_prefix('[')?.strip_suffix(']'))
            .inspect(|table| assert!(order.iter().any(|known| known == table), "{code}.toml: [{table}]"))
            .collect();
        let place = |table: &&str| order.iter().position(|known| known == table);
        assert!(tables.is_sorted_by_key(place), "{code}.toml: {tables:?} are not in the order of {order:?}");
    }
}

#[test]
fn an_error_names_the_file_and_the_key() {
    for (text, problem) in [
        ("[titles]\nm = []", "xx.toml: titles.m: the list is empty; remove the key"),
        ("[titles]", "xx.toml: titles: the table is empty; remove it"),
        (
            "[evidence]\ncountries = { CZ = 1.0 }\nletters = \"\"",
            "xx.toml: evidence.letters: the text is empty",
        ),
        (
            "[labels]\ncity = [\"Obec\", \"Město\", \"Obec\"]",
            "xx.toml: labels.city: \"Obec\" is twice in the list",
        ),
    ] {
        let message = parse("xx.toml", text).unwrap_err().to_string();
        assert!(message.starts_with(problem), "{message}");
    }
    for text in ["[title]\nm = [\"pan\"]", "[titles]\nmen = [\"pan\"]", "[labels]\ntown = [\"Obec\"]"] {
        let message = parse("xx.toml", text).unwrap_err().to_string();
        assert!(message.starts_with("xx.toml: ") && message.contains("expected one of"), "{message}");
        assert!(message.ends_with("engine/lexicon/README.md describes every table and key"), "{message}");
    }
}

#[test]
fn only_files_of_languages_are_in_the_folder() {
    let folder = std::env::temp_dir().join(format!("textveil-lexicon-{}", std::process::id()));
    for (name, is_valid) in [
        ("xx.toml", true),
        ("sr_latn.toml", true),
        ("czech.toml", false),
        ("cs.txt", false),
        ("sr_cyr.toml", false),
    ] {
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(name), "[titles]\nm = [\"pan\"]").unwrap();
        let languages = read(&folder);
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(languages.is_ok(), is_valid, "{name}");
    }
}
