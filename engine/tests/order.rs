//! The folders of the engine use each other in one direction.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test"
)]

#[path = "../../tests/order.rs"]
mod order;

use std::{fs, path::Path};

use order::Order;

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

#[test]
fn folders_use_only_those_before_them() {
    let order = Order { modules: ORDER.to_vec(), everywhere: &EVERYWHERE };
    let wrong = order.faults(env!("CARGO_MANIFEST_DIR"), &[]);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A recogniser implements `Recognise`: the pass itself stays in one folder.
#[test]
fn the_scanner_has_methods_in_its_own_folder_only() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/recognise");
    let files =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    let mut read = 0;
    for path in files {
        let source = fs::read_to_string(&path).unwrap();
        let mut implementations = source.lines().filter(|line| line.starts_with("impl"));
        let of_scanner = implementations.find(|line| line.contains("Scanner<") && !line.contains(" for "));
        assert_eq!(
            of_scanner,
            None,
            "{}: move it to scan/, or make it a function with a row in the table",
            path.display()
        );
        read += 1;
    }
    assert!(read > 20, "{read} files");
}
