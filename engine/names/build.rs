//! Compiles the languages (`../lexicon/*.toml`) and the lists of no one language (`lexicon/*`) into constant tables,
//! so that nothing is parsed at run time.

// A build that meets a faulty lexicon has to stop with a message.
#![allow(
    clippy::panic,
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "runs at build time only"
)]

#[path = "build/ages.rs"]
mod ages;
#[path = "build/burmese.rs"]
mod burmese;
#[path = "build/cues.rs"]
mod cues;
#[path = "build/dates.rs"]
mod dates;
#[path = "build/east_asia.rs"]
mod east_asia;
#[path = "build/entries.rs"]
mod entries;
#[path = "build/inflection.rs"]
mod inflection;
#[path = "build/judge.rs"]
mod judge;
#[path = "build/numbers.rs"]
mod numbers;
#[path = "build/particles.rs"]
mod particles;
#[path = "build/proclitics.rs"]
mod proclitics;
#[path = "build/tables.rs"]
mod tables;
#[path = "build/words.rs"]
mod words;

use std::{env, fs, path::PathBuf};

use textveil_phrase::languages;

/// The length of the filter of signs, in 64-bit words.
const SIGNS: usize = 1 << 11;

fn main() {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo says where the crate is"));
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo says where to write"));
    println!("cargo::rerun-if-changed=lexicon");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=src/judge/planes.rs");
    let countries = root.join("../countries.toml");
    println!("cargo::rerun-if-changed={}", countries.display());
    let files = root.join("../lexicon");
    println!("cargo::rerun-if-changed={}", files.display());
    let languages = languages::read(&files).unwrap_or_else(|error| panic!("{error}"));
    let lexicon = root.join("lexicon");
    let (cues, [forms, naming, telling]) = cues::compile(&languages, &lexicon, &countries);
    let (dates, months) = dates::compile(&languages);
    let (numbers, first_numbers) = numbers::compile(&languages);
    let (dictation, digits) = numbers::dictation(&languages);
    let signs = [&forms, &naming, &telling, &(&(&first_numbers | &months) | &digits)];
    for (name, code) in [
        ("ages.rs", ages::compile(&languages)),
        ("burmese.rs", burmese::compile(&lexicon)),
        ("entries.rs", entries::compile(&lexicon)),
        ("cues.rs", cues),
        ("dates.rs", dates),
        ("dictation.rs", dictation),
        ("east_asia.rs", east_asia::compile(&lexicon)),
        ("inflection.rs", inflection::compile(&languages)),
        ("judge.rs", judge::compile(&lexicon, &out)),
        ("numbers.rs", numbers),
        ("particles.rs", particles::compile(&languages)),
        ("proclitics.rs", proclitics::compile(&languages)),
        ("signs.rs", tables::sets("SIGNS", &signs, SIGNS)),
        ("words.rs", words::compile(&lexicon)),
    ] {
        fs::write(out.join(name), code).expect("the folder can be written");
    }
}
