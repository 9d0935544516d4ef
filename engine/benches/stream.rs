//! Compares streams of short lines with `protect` of the whole text: megabytes per second, medians of runs in turns.
//!
//! `cargo bench -p textveil-engine --bench stream`
#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs, reason = "a benchmark")]

use std::time::Instant;

use textveil_engine::{DetectOptions, ProtectOptions, Stream, protect};

/// The number of runs of each.
const RUNS: usize = 15;
/// Length of a text in bytes: less than the longest text of a call.
const LENGTH: usize = 45_000;

const TEXTS: [(&str, &[&str]); 4] = [
    ("words", &["ok\n", "see you there\n", "and then?\n", "it rained all day long\n"]),
    (
        "chat",
        &[
            "hi, it is Emily\n",
            "my mail is emily@example.com\n",
            "thanks, see you at nine\n",
            "call 601 123 456\n",
        ],
    ),
    (
        "log",
        &[
            "2024-03-12 10:11:12 INFO request 7 of user 17 is done\n",
            "2024-03-12 10:11:13 WARN slow query, 120 ms\n",
            "2024-03-12 10:11:14 INFO login of jan.novak@example.cz from 203.0.113.7\n",
        ],
    ),
    ("dense", &["PESEL 44051401359\n", "IBAN DE89 3704 0044 0532 0130 00\n", "jan.novak@example.cz\n"]),
];

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn timed(work: impl FnOnce() -> usize) -> f64 {
    let start = Instant::now();
    std::hint::black_box(work());
    start.elapsed().as_secs_f64()
}

fn main() {
    println!("{:<8}{:>12}{:>12}{:>8}", "lines", "protect", "stream", "ratio");
    for (name, lines) in TEXTS {
        let text: String = lines.iter().cycle().flat_map(|line| line.chars()).take(LENGTH).collect();
        let (mut whole, mut streamed) = (Vec::new(), Vec::new());
        for _ in 0..RUNS {
            whole.push(timed(|| {
                protect(&text, &DetectOptions::default(), &ProtectOptions::default(), None)
                    .unwrap()
                    .text
                    .len()
            }));
            streamed.push(timed(|| {
                let mut stream =
                    Stream::new(DetectOptions::default(), ProtectOptions::default(), None).unwrap();
                let out: usize =
                    text.split_inclusive('\n').map(|line| stream.push(line).unwrap().len()).sum();
                out + stream.finish().unwrap().len()
            }));
        }
        let speed = |seconds: f64| LENGTH as f64 / 1e6 / seconds;
        let (whole, streamed) = (speed(median(&mut whole)), speed(median(&mut streamed)));
        println!("{name:<8}{whole:>7.2} MB/s{streamed:>7.2} MB/s{:>8.2}", streamed / whole);
    }
}
