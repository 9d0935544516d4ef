//! Checks that the modules of a crate use each other in one direction.
//!
//! A test of the crate includes this file as a module and gives the order of its modules.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// The order of a crate's modules.
pub struct Order<'a> {
    /// The modules of `src/`, files or folders: each may use those before it.
    pub modules: Vec<&'a str>,
    /// Modules that each module may use.
    pub everywhere: &'a [&'a str],
}

/// A use of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Used {
    /// The line, from 1.
    line: usize,
    /// The first name after `crate::`.
    name: String,
}

/// A use against the order.
struct Fault {
    /// The module that uses another.
    user: String,
    /// The module that is used.
    used: String,
    /// The place and the reason.
    message: String,
}

impl Order<'_> {
    /// Returns the uses against the order in the crate of a folder, and the exceptions that nothing needs.
    ///
    /// An exception is a module with one that it may use nevertheless.
    pub fn faults(&self, folder: &str, exceptions: &[(&str, &str)]) -> Vec<String> {
        let root = Path::new(folder).join("src");
        let mut needed = BTreeSet::new();
        let mut wrong = Vec::new();
        for path in files(&root).iter().filter(|path| !path.ends_with("src/lib.rs")) {
            let file = path.strip_prefix(&root).unwrap();
            let source = fs::read_to_string(path).unwrap();
            for fault in self.faults_of(file, &source) {
                match exceptions.iter().find(|known| **known == (&fault.user, &fault.used)) {
                    Some(exception) => _ = needed.insert(exception),
                    None => wrong.push(fault.message),
                }
            }
        }
        let unneeded = exceptions.iter().filter(|exception| !needed.contains(exception));
        wrong
            .extend(unneeded.map(|(user, used)| format!("the exception of {user} for {used} is not needed")));
        wrong
    }

    /// Returns the uses and mentions against the order in a file of `src/`.
    fn faults_of(&self, file: &Path, source: &str) -> Vec<Fault> {
        let user = module_of(file);
        let rank = |name: &str| self.modules.iter().position(|known| *known == name);
        let own = rank(&user).unwrap_or_else(|| panic!("src/{user} has no place in the order"));
        // links to functions of the crate are fine: they are its documentation
        let mentions = mentions(source).into_iter().filter(|mention| rank(&mention.name).is_some());
        uses(source)
            .into_iter()
            .chain(mentions)
            .filter(|used| !self.everywhere.contains(&used.name.as_str()))
            .filter_map(|Used { line, name }| {
                let reason = match rank(&name) {
                    Some(used) if used <= own => return None,
                    Some(_) => format!("uses {name}, which comes after it"),
                    None => format!("uses crate::{name}, which is no module of the order"),
                };
                let message = format!("src/{}:{line}: {user} {reason}", file.display());
                Some(Fault { user: user.clone(), used: name, message })
            })
            .collect()
    }
}

/// Returns the module of a file in `src/`: the folder, or the file without its ending.
fn module_of(file: &Path) -> String {
    let first = file.iter().next().unwrap().to_str().unwrap();
    first.strip_suffix(".rs").unwrap_or(first).to_owned()
}

/// Returns the uses of modules in a file, without comments and without its tests.
fn uses(source: &str) -> Vec<Used> {
    let mut code = String::new();
    let mut lines = source.lines().peekable();
    while let Some(line) = lines.next() {
        // the tests of a module are its last item; one in a file of its own is declared before
        if line == "#[cfg(test)]" && lines.peek().is_none_or(|next| !is_declaration(next)) {
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
        uses.extend(
            names
                .into_iter()
                .map(|(at, name)| Used { line: code[..at].lines().count(), name: name.to_owned() }),
        );
    }
    uses
}

/// Whether a line declares a module in a file of its own.
fn is_declaration(line: &str) -> bool {
    declared(line).is_some()
}

/// Returns the name of the module that a line declares in a file of its own.
fn declared(line: &str) -> Option<&str> {
    line.split_once("mod ").and_then(|(_, name)| name.strip_suffix(';'))
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

/// Returns the names after `crate::` in comments, as [`uses`] does.
fn mentions(source: &str) -> Vec<Used> {
    let comments = source.lines().zip(1..).filter_map(|(line, at)| Some((&line[line.find("//")?..], at)));
    let named = comments.flat_map(|(comment, line)| {
        comment
            .match_indices("crate::")
            .map(move |(start, path)| (line, first_name(&comment[start + path.len()..])))
    });
    named.map(|(line, name)| Used { line, name: name.to_owned() }).collect()
}

/// Returns the files of a folder and of those in it, without those that only tests compile.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut of_tests = BTreeSet::new();
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let source = fs::read_to_string(&path).unwrap();
            let lines = source.lines().zip(source.lines().skip(1));
            let tests =
                lines.filter(|(line, _)| *line == "#[cfg(test)]").filter_map(|(_, next)| declared(next));
            // the modules of a file that is not the root of its folder are in a folder of its name
            let is_root = ["mod.rs", "lib.rs"].iter().any(|root| path.ends_with(root));
            let parent = if is_root { folder.to_owned() } else { path.with_extension("") };
            of_tests.extend(tests.map(|name| parent.join(format!("{name}.rs"))));
            found.push(path);
        }
    }
    found.retain(|path| !of_tests.contains(path));
    found.sort();
    found
}

#[test]
fn every_form_of_a_use_is_read() {
    let source = "\
//! As [`crate::last::detect`].
#[cfg(test)]
mod tests;
use crate::{
    first::entity::{Country, Entity}, // crate::last
    third::{self, plan::Plan},
    shared::Phrase,
};
fn f() -> crate::last::Finding {}
pub(crate) fn g() {}
use crate::Finder;
#[cfg(test)]
mod more_tests { use crate::last::Finder; }
";
    let names = [(5, "first"), (6, "third"), (7, "shared"), (9, "last"), (11, "Finder")];
    assert_eq!(uses(source), names.map(|(line, name)| Used { line, name: name.to_owned() }));
    let order = Order { modules: vec!["first", "second", "third", "last"], everywhere: &["shared"] };
    let faults = order.faults_of(Path::new("second/a.rs"), source);
    assert_eq!(
        faults.iter().map(|fault| fault.message.as_str()).collect::<Vec<_>>(),
        [
            "src/second/a.rs:6: second uses third, which comes after it",
            "src/second/a.rs:9: second uses last, which comes after it",
            "src/second/a.rs:11: second uses crate::Finder, which is no module of the order",
            "src/second/a.rs:1: second uses last, which comes after it",
            "src/second/a.rs:5: second uses last, which comes after it",
        ]
    );
    assert_eq!(module_of(Path::new("second.rs")), "second");
}
