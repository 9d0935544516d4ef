//! Benchmarks of hostile texts: repetitions of every label, anchor, value and pair of the catalogue, as a ratio to
//! prose in their script.
//!
//! `cargo bench -p textveil-engine --bench hostile`; with `-- --full` every piece instead of a sample, and with
//! `-- --piece TEXT` one piece a hundred times, for a profiler.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs, reason = "a benchmark")]

#[path = "../tests/hostile/mod.rs"]
mod hostile;

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use hostile::{Pieces, filled, prose_for};
use textveil_engine::{DetectOptions, detect};

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
    let mut all = pieces.singles(if full { 1 } else { 20 });
    all.extend(pieces.pairs(if full { 20_000 } else { 2_000 }));
    let mut prose = BTreeMap::new();
    let mut ratio = |took: Duration, piece: &str| {
        let (script, sample) = prose_for(piece);
        let usual = *prose.entry(script).or_insert_with(|| {
            let usual = time(&text(sample), 50);
            println!("{script} prose: {:.2} ms for {LENGTH} bytes", usual.as_secs_f64() * 1e3);
            usual
        });
        took.as_secs_f64() / usual.as_secs_f64()
    };
    let mut slow: Vec<(f64, String)> =
        all.into_iter().map(|piece| (ratio(time(&text(&piece), 1), &piece), piece)).collect();
    slow.sort_by(|a, b| b.0.total_cmp(&a.0));
    slow.truncate(4 * SHOWN);
    for (slowness, piece) in &mut slow {
        *slowness = ratio(time(&text(piece), RUNS), piece).min(*slowness);
    }
    slow.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (slowness, piece) in slow.iter().take(SHOWN) {
        println!("{slowness:>8.2}  {piece:?}");
    }
}
