//! Makes WebAssembly smaller: Binaryen's `wasm-opt`, from npm, takes about a seventh off a component as the
//! compiler gives it, and a hundredth off what a web page downloads.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use wasm_encoder::{Component, ComponentSectionId, RawSection};
use wasmparser::BinaryReader;

use crate::{
    setup::{self, NPM_TOOLS},
    shell::{command, is_fresh, root, run},
};

/// Bytes before the first section: the magic number and the version.
const HEADER_BYTES: usize = 8;

/// The passes that make a component smaller.
const COMPONENT_PASSES: [&str; 1] = ["-Oz"];

/// The passes that make a module smaller when compressed; `-Oz` leaves fewer bytes, which compress to more.
/// Some passes run again when there are fewer instructions. Alignments are hints that engines ignore; equal
/// ones compress best.
///
/// A function that is hardly longer than its call, and a small one with one call, are inlined: a browser
/// compiles each function on its first call, so more functions take longer. Inlining larger ones increases
/// the compressed size.
const PAGE_PASSES: [&str; 20] = [
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

/// Installs `wasm-opt`.
pub fn install() -> Result<()> {
    setup::npm(NPM_TOOLS)
}

/// Writes the component `from` to `to`, optimised for size, unless `to` is newer than it and than how it is
/// made.
pub fn component(from: &Path, to: &Path) -> Result<()> {
    if is_fresh(to, made_by().into_iter().chain([from.to_owned()])) {
        return Ok(());
    }
    let bytes = fs::read(from).with_context(|| format!("cannot read {}", from.display()))?;
    let mut reader = BinaryReader::new(&bytes, 0);
    reader.read_bytes(HEADER_BYTES)?;
    let mut smaller = Component::new();
    let mut is_program = true;
    while !reader.eof() {
        let id = reader.read_u8()?;
        let length = usize::try_from(reader.read_var_u32()?)?;
        let data = reader.read_bytes(length)?;
        // the modules after the first only tie it to its imports
        if is_program && id == u8::from(ComponentSectionId::CoreModule) {
            is_program = false;
            smaller.section(&RawSection {
                id,
                data: &optimised(data, &from.with_extension("module"), &COMPONENT_PASSES)?,
            });
        } else {
            smaller.section(&RawSection { id, data });
        }
    }
    fs::write(to, smaller.finish()).with_context(|| format!("cannot write {}", to.display()))
}

/// Optimises the module at `path`, for a web page.
pub fn page(path: &Path) -> Result<()> {
    install()?;
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let smaller = optimised(&bytes, &path.with_extension("module"), &PAGE_PASSES)?;
    fs::write(path, smaller).with_context(|| format!("cannot write {}", path.display()))
}

/// A core module, optimised. `scratch` is a file that is written for it.
fn optimised(module: &[u8], scratch: &Path, passes: &[&str]) -> Result<Vec<u8>> {
    fs::write(scratch, module).with_context(|| format!("cannot write {}", scratch.display()))?;
    let mut wasm_opt = command("node", [root("xtask/node_modules/binaryen/bin/wasm-opt")]);
    wasm_opt.args(passes).arg(scratch).arg("--output").arg(scratch);
    wasm_opt.args(FEATURES.map(|feature| format!("--enable-{feature}")));
    run(wasm_opt)?;
    let smaller = fs::read(scratch).with_context(|| format!("cannot read {}", scratch.display()))?;
    fs::remove_file(scratch).with_context(|| format!("cannot remove {}", scratch.display()))?;
    Ok(smaller)
}
