//! Makes what a web page downloads smaller by two hundredths, by Binaryen's `wasm-opt` from npm.
//!
//! Components are not optimised by it: they would be smaller by a fourteenth, and no faster.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::{
    build,
    setup::{self, NPM_TOOLS},
    shell::{command, root, run},
};

/// The passes that make a module smaller when compressed; `-Oz` leaves fewer bytes, which compress to more.
/// Some passes run again when there are fewer instructions. Alignments are hints that engines ignore; equal
/// ones compress best.
///
/// A function that is hardly longer than its call, and a small one with one call, are inlined: a browser
/// compiles each function on its first call, so more functions take longer. Inlining larger ones increases
/// the compressed size.
const PASSES: [&str; 20] = [
    "--always-inline-max-function-size=5",
    "--one-caller-inline-max-function-size=15",
    "--flexible-inline-max-function-size=0",
    "--inlining",
    "--remove-unused-module-elements",
    "--dae-optimizing",
    "--duplicate-function-elimination",
    "--optimize-instructions",
    "--code-folding",
    "--remove-unused-brs",
    "--code-pushing",
    "--rse",
    "--simplify-locals-nostructure",
    "--coalesce-locals",
    "--vacuum",
    "--reorder-locals",
    "--optimize-instructions",
    "--merge-blocks",
    "--dealign",
    "--strip-target-features",
];

/// The WebAssembly features beyond the first version that the compiler and wasm-bindgen use.
const FEATURES: [&str; 8] = [
    "bulk-memory",
    "bulk-memory-opt",
    "call-indirect-overlong",
    "multivalue",
    "mutable-globals",
    "nontrapping-float-to-int",
    "reference-types",
    "sign-ext",
];

/// Returns the files that determine how a module is optimised.
pub fn made_by() -> [PathBuf; 2] {
    ["xtask/src/wasm_opt.rs", "xtask/package-lock.json"].map(root)
}

/// The passes that put functions in the order of their names.
const ORDER: [&str; 2] = ["--reorder-functions-by-name", "--strip-debug"];

/// Optimises the module at `path`, for a web page.
pub fn page(path: &Path) -> Result<()> {
    setup::npm(NPM_TOOLS)?;
    pass(path, &PASSES)?;
    build::wasm_tool(["order".as_ref(), path.as_os_str()])?;
    pass(path, &ORDER)
}

fn pass(path: &Path, passes: &[&str]) -> Result<()> {
    let mut wasm_opt = command("node", [root("xtask/node_modules/binaryen/bin/wasm-opt")]);
    wasm_opt.args(passes).arg(path).arg("--output").arg(path);
    wasm_opt.args(FEATURES.map(|feature| format!("--enable-{feature}")));
    run(wasm_opt)
}
