//! Benchmarks of hostile texts: repetitions of every label, anchor, value and pair of the catalogue, as a ratio to
//! prose.
//!
//! `cargo bench -p textveil-engine --bench hostile`; with `-- --full` every piece instead of a sample, and with
//! `-- --piece TEXT` one piece a hundred times, for a profiler.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs, reason = "a benchmark")]

#[path = "../tests/hostile/mod.rs"]
mod hostile;

use std::time::{Duration, Instant};

use hostile::{Pieces, filled};
use textveil_engine::{DetectOptions, detect};

const PROSE: &str = include_str!("texts/prose.txt");
/// The length of a text, in bytes: as many as the longest text of a call has characters.
const LENGTH: usize = 50_000;
/// Measurements of a text; the shortest time counts.
const RUNS: usize = 3;
/// The number of slowest texts that are shown.
const SHOWN: usize = 30;

/// The shortest time that the text takes.
fn time(text: &str, runs: usize) -> Duration {
    let options = DetectOptions::default();
    let run = |_| {
        let start = Instant::now();
        std::hint::black_box(detect(text, &options).unwrap());
        start.elapsed()
    };
    (0..runs).map(run).min().unwrap()
}

/// The first `LENGTH` bytes at most of a text, up to a character.
fn text(piece: &str) -> String {
    let mut text = filled(piece, LENGTH);
    text.truncate(text.floor_char_boundary(LENGTH));
    text
}

fn main() {
    let piece = std::env::args().skip_while(|argument| argument != "--piece").nth(1);
    if let Some(piece) = piece {
        return println!("{:?}", time(&text(&piece), 100));
    }
    let full = std::env::args().any(|argument| argument == "--full");
    let pieces = Pieces::read();
    let prose = time(&text(PROSE), 50);
    let mut all = pieces.singles(if full { 1 } else { 20 });
    all.extend(pieces.pairs(if full { 20_000 } else { 2_000 }));
    let mut slow: Vec<(Duration, String)> =
        all.into_iter().map(|piece| (time(&text(&piece), 1), piece)).collect();
    slow.sort_by(|a, b| b.cmp(a));
    slow.truncate(4 * SHOWN);
    for (took, piece) in &mut slow {
        *took = time(&text(piece), RUNS).min(*took);
    }
    slow.sort_by(|a, b| b.cmp(a));
    println!("prose: {:.2} ms for {LENGTH} bytes", prose.as_secs_f64() * 1e3);
    for (took, piece) in slow.iter().take(SHOWN) {
        println!("{:>8.2}  {piece:?}", took.as_secs_f64() / prose.as_secs_f64());
    }
}
