//! The engine as a component under wasmtime, with and without a check for interruption at each loop and
//! function, against the engine as a library, in one run.
//!
//! `cargo xtask build --only component && cargo bench -p textveil --bench component`
#![allow(clippy::unwrap_used, missing_docs, reason = "a benchmark")]

use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use textveil::{DetectOptions, Engine, Limits};

const PROSE: &str = include_str!("../../engine/benches/texts/prose.txt");
const DENSE: &str = "RČ 800101/1238, tel. +420 601 123 456, jan.novak@example.cz, PESEL 44051401359, SIREN 732 829 320, \
    IdNr 86 095 742 719, IBAN DE89 3704 0044 0532 0130 00, card 4111 1111 1111 1111, ";

/// The piece over and over, so many characters.
fn filled(piece: &str, length: usize) -> String {
    piece.chars().cycle().take(length).collect()
}

fn component(c: &mut Criterion) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../dist/textveil-engine.wasm");
    let engine = Engine::load(path, Limits { time: None, ..Limits::default() }).unwrap();
    let time = Some(Duration::from_secs(600));
    let interruptible = Engine::load(path, Limits { time, ..Limits::default() }).unwrap();
    let options = DetectOptions::default();
    for (name, text) in [("prose", filled(PROSE, 50_000)), ("dense", filled(DENSE, 38_000))] {
        let mut group = c.benchmark_group(name);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function("native", |b| b.iter(|| textveil_engine::detect(&text, &options).unwrap()));
        group.bench_function("component", |b| b.iter(|| engine.detect(&text, &options).unwrap()));
        group.bench_function("interruptible component", |b| {
            b.iter(|| interruptible.detect(&text, &options).unwrap());
        });
        group.finish();
    }
    c.bench_function("a call of one word", |b| b.iter(|| engine.detect("word", &options).unwrap()));
}

criterion_group!(benches, component);
criterion_main!(benches);
