//! Compiles what the judge learnt (`lexicon/judge.bin`) into constants.
//!
//! The file has a bit for each feature, then the weights of those whose bit is set, then the weights of two tags in a
//! row, then the calibration: `cargo xtask train --judge` writes it.

use std::{fmt::Write as _, fs, path::Path};

/// The numbers of `src/judge/mod.rs`.
const BITS: usize = 21;
const WEIGHED: usize = 4;
const PAIRS: usize = 8 * 5 * 5;
const SCRIPTS: usize = 3;

/// Returns the constants, as Rust.
pub fn compile(folder: &Path) -> String {
    let file = folder.join("judge.bin");
    println!("cargo::rerun-if-changed={}", file.display());
    let bytes = fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let present = &bytes[..(1 << BITS) / 8];
    let features: usize = present.iter().map(|byte| byte.count_ones() as usize).sum();
    let (weights, pairs) = (present.len(), present.len() + features * WEIGHED);
    let calibration = pairs + PAIRS;
    assert_eq!(bytes.len(), calibration + 4 * SCRIPTS, "{}: another length than expected", file.display());
    let number = |at: usize| i16::from_le_bytes([bytes[at], bytes[at + 1]]);
    let pairs_of: Vec<(i16, i16)> = (0..SCRIPTS)
        .map(|script| (number(calibration + 4 * script), number(calibration + 4 * script + 2)))
        .collect();
    let mut out = String::new();
    writeln!(out, "static FILE: [u8; {}] = *include_bytes!({:?});", bytes.len(), file.display().to_string())
        .unwrap();
    writeln!(
        out,
        "/// What `cargo xtask train --judge` wrote.\n#[allow(clippy::unwrap_used, reason = \"evaluated by the compiler\")]\nstatic LEARNT: Weights<'static> = Weights {{ present: FILE.as_chunks::<8>().0.first_chunk().unwrap(), ranks: &[], \
         weights: FILE.split_at({pairs}).0.split_at({weights}).1, pairs: &PAIRS, \
         calibration: {pairs_of:?} }};\nstatic PAIRS: Pairs = pairs(FILE.split_at({calibration}).0.split_at({pairs}).1.as_array().unwrap());"
    )
    .unwrap();
    out
}
