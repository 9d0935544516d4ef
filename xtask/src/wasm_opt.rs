//! Makes a component smaller: Binaryen's `wasm-opt`, from npm, takes about a seventh off what the compiler
//! gives.

use std::{fs, path::Path};

use anyhow::{Context, Result};
use wasm_encoder::{Component, ComponentSectionId, RawSection};
use wasmparser::BinaryReader;

use crate::{
    setup::{self, NPM_TOOLS},
    shell::{command, is_fresh, root, run},
};

/// Bytes before the first section: the magic number and the version.
const HEADER_BYTES: usize = 8;

/// What the compiler uses beyond the first version of WebAssembly.
const FEATURES: [&str; 7] = [
    "bulk-memory",
    "bulk-memory-opt",
    "call-indirect-overlong",
    "multivalue",
    "mutable-globals",
    "nontrapping-float-to-int",
    "sign-ext",
];

/// Writes the component `from` to `to`, optimised for size, unless `to` is newer than it and than how it is
/// made.
pub fn component(from: &Path, to: &Path) -> Result<()> {
    let made_by = ["xtask/src/wasm_opt.rs", "xtask/package-lock.json"].map(root);
    if is_fresh(to, made_by.into_iter().chain([from.to_owned()])) {
        return Ok(());
    }
    setup::npm(NPM_TOOLS)?;
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
            smaller.section(&RawSection { id, data: &module(data, &from.with_extension("module"))? });
        } else {
            smaller.section(&RawSection { id, data });
        }
    }
    fs::write(to, smaller.finish()).with_context(|| format!("cannot write {}", to.display()))
}

/// A core module, optimised. `scratch` is a file that may be written for it.
fn module(module: &[u8], scratch: &Path) -> Result<Vec<u8>> {
    fs::write(scratch, module).with_context(|| format!("cannot write {}", scratch.display()))?;
    let mut wasm_opt = command("node", [root("xtask/node_modules/binaryen/bin/wasm-opt")]);
    wasm_opt.arg("-Oz").arg(scratch).arg("--output").arg(scratch);
    wasm_opt.args(FEATURES.map(|feature| format!("--enable-{feature}")));
    run(wasm_opt)?;
    fs::read(scratch).with_context(|| format!("cannot read {}", scratch.display()))
}
