//! The folders of the engine use each other in one direction.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test"
)]

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The folders of `src/`: each may use those before it.
const ORDER: [&str; 14] = [
    "api",
    "text",
    "pattern",
    "phone",
    "lexicon",
    "checks",
    "catalogue",
    "evidence",
    "recognise",
    "country",
    "resolve",
    "detect",
    "protect",
    "verbs",
];
/// The module that is not a folder and may be used everywhere: the crate of phrases.
const EVERYWHERE: [&str; 1] = ["phrase"];

/// A use of a folder: the line, from 1, and the first name after `crate::`.
type Used = (usize, String);

/// Returns the uses of folders in a file, without comments and without its tests.
fn uses(source: &str) -> Vec<Used> {
    let mut code = String::new();
    for line in source.lines() {
        // the tests of a module are its last item; one in a file of its own is declared before
        if line == "#[cfg(test)]" && !source.contains("#[cfg(test)]\nmod tests;") {
            break;
        }
        let comment = line.find("//").unwrap_or(line.len());
        code.push_str(&line[..comment]);
        code.push('\n');
    }
    let mut uses = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        // `pub(crate)`, `$crate` and the names of other crates do not end like this
        if code[..at].ends_with(|before: char| before.is_alphanumeric() || before == '_') {
            continue;
        }
        let path = at + "crate::".len();
        let names = match code[path..].strip_prefix('{') {
            Some(group) => entries(group).map(|(offset, name)| (path + 1 + offset, name)).collect(),
            None => vec![(path, first_name(&code[path..]))],
        };
        uses.extend(names.into_iter().map(|(at, name)| (code[..at].lines().count(), name.to_owned())));
    }
    uses
}

/// Returns the first names of the entries of `use crate::{…`, with their offsets after the brace.
fn entries(group: &str) -> impl Iterator<Item = (usize, &str)> {
    let (mut depth, mut starts, mut fresh) = (0, Vec::new(), true);
    for (at, letter) in group.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => fresh = true,
            _ if letter.is_whitespace() => {}
            _ if fresh => {
                starts.push(at);
                fresh = false;
            }
            _ => {}
        }
    }
    starts.into_iter().map(|at| (at, first_name(&group[at..])))
}

fn first_name(path: &str) -> &str {
    path.split(|letter: char| !(letter.is_alphanumeric() || letter == '_')).next().unwrap_or_default()
}

/// Returns the folders that comments name, as [`uses`] does.
fn mentions(source: &str) -> Vec<Used> {
    let comments = source.lines().zip(1..).filter_map(|(line, at)| Some((&line[line.find("//")?..], at)));
    let named = comments.flat_map(|(comment, at)| {
        comment
            .match_indices("crate::")
            .map(move |(start, path)| (at, first_name(&comment[start + path.len()..])))
    });
    // links to functions of the crate are fine: they are its documentation
    named.filter(|(_, name)| ORDER.contains(name)).map(|(at, name)| (at, name.to_owned())).collect()
}

/// Returns what a file of a folder uses or mentions against the order.
fn faults(folder: &str, file: &str, source: &str) -> Vec<String> {
    let rank = |name: &str| ORDER.iter().position(|known| *known == name);
    let own = rank(folder).unwrap_or_else(|| panic!("src/{folder} has no place in the order"));
    uses(source)
        .into_iter()
        .chain(mentions(source))
        .filter(|(_, name)| !EVERYWHERE.contains(&name.as_str()))
        .filter_map(|(line, name)| match rank(&name) {
            Some(used) if used <= own => None,
            Some(_) => Some(format!("{file}:{line}: {folder} uses {name}, which comes after it")),
            None => Some(format!("{file}:{line}: {folder} uses crate::{name}, which is no folder")),
        })
        .collect()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") && !path.ends_with("tests.rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn folders_use_only_those_before_them() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    for path in files(&root).iter().filter(|path| !path.ends_with("src/lib.rs")) {
        let file = path.strip_prefix(&root).unwrap();
        let folder = file.iter().next().unwrap().to_str().unwrap();
        let source = fs::read_to_string(path).unwrap();
        wrong.extend(faults(folder, &format!("src/{}", file.display()), &source));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_form_of_a_use_is_read() {
    let source = "\
//! As [`crate::verbs::detect`].
use crate::{
    api::entity::{Country, Entity}, // crate::verbs
    detect::{self, plan::Plan},
    phrase::Phrase,
};
fn f() -> crate::resolve::Finding {}
pub(crate) fn g() {}
use crate::Finder;
#[cfg(test)]
mod tests { use crate::verbs::Finder; }
";
    let want = [(3, "api"), (4, "detect"), (5, "phrase"), (7, "resolve"), (9, "Finder")];
    assert_eq!(uses(source), want.map(|(line, name)| (line, name.to_owned())));
    let wrong = faults("evidence", "src/evidence/a.rs", source);
    assert_eq!(
        wrong,
        [
            "src/evidence/a.rs:4: evidence uses detect, which comes after it",
            "src/evidence/a.rs:7: evidence uses resolve, which comes after it",
            "src/evidence/a.rs:9: evidence uses crate::Finder, which is no folder",
            "src/evidence/a.rs:1: evidence uses verbs, which comes after it",
            "src/evidence/a.rs:3: evidence uses verbs, which comes after it",
        ]
    );
}
