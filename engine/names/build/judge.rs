//! Compiles what the judge learnt (`lexicon/judge.bin`) into constants.
//!
//! The file has a bit for each feature, then the weights of those whose bit is set, then the weights of two tags in a
//! row, then the calibration: `cargo xtask train --judge` writes it.

use std::{fs, path::Path};

#[path = "../src/judge/planes.rs"]
mod planes;

/// The numbers of `src/judge/mod.rs`.
const BITS: usize = 21;
const WEIGHED: usize = 4;
const PAIRS: usize = 8 * 5 * 5;
const LINES: usize = 4;

/// The files, with the name of each model, and the length of its table of ordinary words.
const MODELS: [(&str, &str, usize); 2] = [("judge", "LEARNT", 0), ("judge-case", "LEARNT_CASE", 1 << 16)];

/// Returns the constants, as Rust, and writes the planes of the weights to `out`.
pub fn compile(folder: &Path, out: &Path) -> String {
    MODELS.map(|(file, name, ordinary)| model(folder, out, file, name, ordinary)).concat()
}

/// Returns the constants of one model.
fn model(folder: &Path, out: &Path, name: &str, constant: &str, ordinary: usize) -> String {
    let file = folder.join(format!("{name}.bin"));
    println!("cargo::rerun-if-changed={}", file.display());
    let bytes = fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let (present, rest) = bytes.split_at((1 << BITS) / 8);
    let features: usize = present.iter().map(|byte| byte.count_ones() as usize).sum();
    assert_eq!(
        rest.len(),
        WEIGHED * features + PAIRS + 4 * LINES + ordinary,
        "{}: another length than expected",
        file.display()
    );
    let (weights, rest) = rest.split_at(WEIGHED * features);
    let (pairs, rest) = rest.split_at(PAIRS);
    let (calibration, ordinary) = rest.split_at(4 * LINES);
    let calibration: Vec<(i16, i16)> = calibration
        .as_chunks()
        .0
        .iter()
        .map(|[a, b, c, d]| (i16::from_le_bytes([*a, *b]), i16::from_le_bytes([*c, *d])))
        .collect();
    let [first_low, second_low, first_high, second_high] = planes::planes(weights);
    let parts = [
        ("present", present),
        ("first-low", &first_low),
        ("second-low", &second_low),
        ("first-high", &first_high),
        ("second-high", &second_high),
        ("pairs", pairs),
        ("ordinary", ordinary),
    ];
    for (part, bytes) in parts {
        let file = out.join(format!("{name}-{part}.bin"));
        fs::write(&file, bytes).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    }
    let include = |part: &str| format!("include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{name}-{part}.bin\"))");
    let [present, first_low, second_low, first_high, second_high, pairs, ordinary] =
        parts.map(|(part, _)| include(part));
    format!(
        "/// What `cargo xtask train --judge` wrote.
        #[allow(clippy::unwrap_used, reason = \"evaluated by the compiler\")]
        static {constant}: Weights<'static> = Weights {{
            present: {present}.as_chunks::<8>().0.first_chunk().unwrap(),
            ranks: &[],
            planes: [{first_low}, {second_low}, {first_high}, {second_high}],
            pairs: &{constant}_PAIRS,
            calibration: {calibration:?},
            ordinary: {ordinary},
        }};
        static {constant}_PAIRS: Pairs = pairs({pairs});
"
    )
}
