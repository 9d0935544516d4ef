//! Each type of a crate has a name of its own.
//!
//! A search for the name, and the name in a signature, then lead to one type.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test")]

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use walkdir::WalkDir;

/// Names that several modules of a crate may have: clap's derive takes one struct of arguments and one enum of subcommands
/// from the module of each command.
const BY_COMMAND: [&str; 2] = ["Arguments", "Command"];

/// Returns the name that a line declares: a struct, enum, union or trait at any depth, or an alias outside of one.
fn declared(line: &str) -> Option<&str> {
    let trimmed = line.trim_start();
    let public = trimmed.strip_prefix("pub").map_or(trimmed, |rest| {
        let rest = rest.strip_prefix('(').and_then(|rest| Some(rest.split_once(')')?.1)).unwrap_or(rest);
        rest.trim_start()
    });
    let (keyword, rest) = public.split_once(' ')?;
    let is_type = match keyword {
        "struct" | "enum" | "union" | "trait" => true,
        // an alias within an item belongs to a trait
        "type" => line.len() == trimmed.len(),
        _ => false,
    };
    let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len());
    rest.get(..end).filter(|name| is_type && !name.is_empty())
}

/// Returns the folders `src` of the packages of the workspace that have one.
fn crates(root: &Path) -> Vec<PathBuf> {
    let manifest: toml::Table = fs::read_to_string(root.join("Cargo.toml")).unwrap().parse().unwrap();
    let members = manifest["workspace"]["members"].as_array().unwrap();
    let folders = members.iter().map(|member| root.join(member.as_str().unwrap()).join("src"));
    folders.filter(|folder| folder.is_dir()).collect()
}

#[test]
fn no_two_types_of_a_crate_share_a_name() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let (mut types, mut shared) = (0, Vec::new());
    for folder in crates(root) {
        let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let files = WalkDir::new(&folder).into_iter().map(Result::unwrap);
        for file in files.filter(|file| file.path().extension().is_some_and(|end| end == "rs")) {
            let shown = file.path().strip_prefix(root).unwrap().display().to_string();
            for (line, text) in fs::read_to_string(file.path()).unwrap().lines().enumerate() {
                if let Some(name) = declared(text).filter(|name| !BY_COMMAND.contains(name)) {
                    places.entry(name.to_owned()).or_default().push(format!("{shown}:{}", line + 1));
                }
            }
        }
        types += places.len();
        shared.extend(places.into_iter().filter(|(_, places)| places.len() > 1));
    }
    assert!(types > 500, "{types} types were read");
    assert!(shared.is_empty(), "rename one of each: {shared:#?}");
}

#[test]
fn declarations_are_read() {
    for (line, want) in [
        ("struct Word {", Some("Word")),
        ("pub struct Word<'t>(&'t str);", Some("Word")),
        ("pub(crate) enum Kind {", Some("Kind")),
        ("    pub(in crate::chat) trait Visit: Sized {", Some("Visit")),
        ("type Row = (u32, u32);", Some("Row")),
        ("    type Item = u32;", None),
        ("// struct of a word", None),
        ("let structure = 1;", None),
        ("fn struct_of() {}", None),
    ] {
        assert_eq!(declared(line), want, "{line}");
    }
}
