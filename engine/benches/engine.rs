//! Benchmarks of the engine: prose in nine scripts, dense and hostile texts.
//!
//! `cargo bench -p textveil-engine`
#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs, reason = "a benchmark")]

#[path = "../tests/hostile/mod.rs"]
mod hostile;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use hostile::{PROSE, SCRIPTS};
use textveil_engine::{DetectOptions, ProtectOptions, detect, protect};

/// Texts with an identifier every thirty characters or so; specimens of the catalogue.
const DENSE: &str = include_str!("texts/dense.txt");

fn dense() -> Vec<&'static str> {
    DENSE.lines().collect()
}

/// A text of so many characters, the pieces over and over.
fn filled(pieces: &[&str], length: usize) -> String {
    pieces.iter().cycle().flat_map(|piece| piece.chars()).take(length).collect()
}

fn texts(c: &mut Criterion) {
    let mut group = c.benchmark_group("detect");
    let hostile = [
        "1",
        "@",
        "+",
        "AA11",
        "1 ",
        ":",
        "a:",
        "1-",
        "=",
        "://",
        "tok_",
        "eyJ",
        "[[",
        "pwd=a;",
        "password:",
    ];
    let texts = [("prose", filled(&[PROSE], 50_000)), ("dense", filled(&dense(), 38_000))];
    let hostile = hostile.map(|piece| (piece, filled(&[piece], 50_000)));
    let scripts = SCRIPTS.map(|(name, prose, _)| (name, filled(&[prose], 50_000)));
    for (name, text) in texts.iter().chain(&scripts).chain(&hostile) {
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(*name, |b| b.iter(|| detect(text, &DetectOptions::default()).unwrap()));
    }
    // the lower bound of every detection: writing its answer once
    let found = detect(&filled(&dense(), 38_000), &DetectOptions::default()).unwrap().entities;
    group.throughput(Throughput::Elements(found.len() as u64));
    group.bench_function("dense, its findings copied", |b| b.iter(|| found.clone()));
    group.finish();
}

fn verbs(c: &mut Criterion) {
    let text = filled(&dense(), 1_000);
    let options = DetectOptions::default();
    let mut group = c.benchmark_group("1 kB dense");
    group.bench_function("detect", |b| b.iter(|| detect(&text, &options).unwrap()));
    group.bench_function("protect", |b| {
        b.iter(|| protect(&text, &options, &ProtectOptions::default(), None).unwrap())
    });
    group.finish();
}

criterion_group!(benches, texts, verbs);
criterion_main!(benches);
