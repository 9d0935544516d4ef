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
