//! The cost of the whole catalogue, compared with that of its first 20 detectors.
//!
//! `cargo bench -p textveil-engine-first-20`
#![allow(clippy::unwrap_used, missing_docs, reason = "a benchmark")]

use criterion::{Criterion, criterion_group, criterion_main};

const PROSE: &str = include_str!("../texts/prose.txt");
const DENSE: &str = include_str!("../texts/dense.txt");

/// A text of so many characters, the pieces over and over.
fn filled<'t>(pieces: impl Iterator<Item = &'t str> + Clone, length: usize) -> String {
    pieces.cycle().flat_map(str::chars).take(length).collect()
}

fn catalogue(c: &mut Criterion) {
    let mut group = c.benchmark_group("catalogue");
    let prose = filled(std::iter::once(PROSE), 50_000);
    for (name, text) in [("prose", prose), ("dense", filled(DENSE.lines(), 38_000))] {
        group.bench_function(format!("{name}, first 20 detectors"), |b| {
            use textveil_engine_first_20::{DetectOptions, detect};
            b.iter(|| detect(&text, &DetectOptions::default()).unwrap())
        });
        group.bench_function(format!("{name}, all detectors"), |b| {
            use textveil_engine::{DetectOptions, detect};
            b.iter(|| detect(&text, &DetectOptions::default()).unwrap())
        });
    }
    group.finish();
}

criterion_group!(benches, catalogue);
criterion_main!(benches);
