//! Compiles the catalogue (`catalogue/**/*.toml`), the languages (`lexicon/*.toml`) and the country evidence
//! (`countries.toml`) into constant tables, so that nothing is parsed at run time.

// A build with an invalid catalogue must stop with a message.
#![allow(
    clippy::panic,
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "runs at build time only"
)]
#![allow(dead_code, reason = "the modules of the engine have more than the build needs")]
#![allow(unexpected_cfgs, reason = "the build itself says what is `small`")]

mod checks;
mod countries;
mod dates;
mod detectors;
mod file;
mod labels;
mod layouts;
mod lookups;
mod phone;
mod phrases;
mod plurals;
mod rules;
mod write;

// the modules that the build shares with the engine, in the same places
#[path = "../src/catalogue"]
mod catalogue {
    pub(crate) mod layouts;
    #[allow(dead_code, reason = "the engine checks values")]
    pub(crate) mod part;
    pub(crate) mod shape;
}
#[path = "../src/lexicon"]
mod lexicon {
    #[allow(dead_code, reason = "a page decodes the lists")]
    pub(crate) mod front_coding;
    pub(crate) mod table;
}
#[path = "../src/text"]
mod text {
    pub(crate) mod order;
}

use std::{fs, path::PathBuf};

use file::Evidence;
use textveil_phrase::languages;
use write::Output;

fn main() {
    let root = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").unwrap());
    let plans = "src/phone/plans.toml";
    for path in [
        "catalogue",
        "countries.toml",
        "lexicon",
        "build",
        plans,
        "src/catalogue/layouts.rs",
        "src/catalogue/part.rs",
        "src/catalogue/shape.rs",
        "src/lexicon/front_coding.rs",
        "src/lexicon/table.rs",
        "src/text/order.rs",
    ] {
        println!("cargo::rerun-if-changed={}", root.join(path).display());
    }
    println!("cargo::rustc-check-cfg=cfg(small)");
    let small = ["s", "z"].contains(&std::env::var("OPT_LEVEL").unwrap().as_str());
    if small {
        println!("cargo::rustc-cfg=small");
    }
    let mut entries =
        textveil_schema::file::read(&root.join("catalogue")).unwrap_or_else(|error| panic!("{error}"));
    let languages = languages::read(&root.join("lexicon")).unwrap_or_else(|error| panic!("{error}"));
    file::add_labels(&mut entries, &languages);
    let evidence: Evidence = file::parse(&root.join("countries.toml"));
    let mut catalogue = Output::new(small);
    catalogue.detectors(&entries);
    catalogue.layouts(&entries);
    catalogue.types(&entries);
    catalogue.starts(&entries);
    let mut lexicon = Output::new(small);
    lexicon.labels(&entries, &evidence, &languages);
    lexicon.word_lists(&evidence, &languages);
    lexicon.copulas(&languages);
    lexicon.number_signs(&languages);
    lexicon.dates(&languages);
    lexicon.last_words(&entries);
    lexicon.countries(&evidence, &languages);
    let plans = fs::read_to_string(root.join(plans)).unwrap();
    let target = PathBuf::from(std::env::var("OUT_DIR").unwrap());
    fs::write(target.join("catalogue.rs"), catalogue.text).unwrap();
    fs::write(target.join("lexicon.rs"), lexicon.text).unwrap();
    fs::write(target.join("phone.rs"), phone::compile(&plans)).unwrap();
}
