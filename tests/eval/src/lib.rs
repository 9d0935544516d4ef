//! Measures how much of the personal data in texts the engine finds: in real text ([`real`]), and in
//! generated documents.
//!
//! The generated documents are a regression test: they contain every type and every country, but in few sentences, so their
//! figures are not representative of other texts. A test measures how much of them is in lists of the engine.
//!
//! Values follow the rules of their issuers, as stated in the catalogue; the documents are written in the
//! languages of `languages/`, with the addresses, telephone numbers and currencies of `countries.toml`. The judge of names
//! learns from documents in other words ([`world::Purpose`]).

#![allow(
    clippy::indexing_slicing,
    clippy::string_slice,
    missing_docs,
    reason = "a tool of the tests that reads its own data; it does not ship"
)]

pub mod catalogue;
pub mod document;
pub mod fit;
pub mod measure;
pub mod people;
pub mod public_sets;
pub mod random;
pub mod real;
pub mod reliability;
pub mod scorecard;
pub mod value;
pub mod world;

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::{
    catalogue::Catalogue,
    document::Document,
    measure::Measures,
    random::Random,
    world::{Purpose, World},
};

/// The seed of the committed scorecard.
pub const SEED: u64 = 1;
/// The number of documents of the committed scorecard.
pub const DOCUMENTS: usize = 15_000;

/// The root of the workspace.
pub fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.ancestors().nth(2).unwrap_or(manifest).to_path_buf()
}

/// Generates `documents` documents and measures the engine on them.
///
/// With `misses`, prints the missed values of the detectors whose name contains it.
///
/// # Errors
/// If a file of the catalogue or of the evaluation cannot be read.
pub fn evaluate(seed: u64, documents: usize, misses: Option<&str>) -> Result<Measures<'_>> {
    let catalogue = Catalogue::read(&root().join("engine/catalogue"))?;
    let mut measures = Measures::new(&catalogue, misses);
    generate(Purpose::Measuring, seed, documents, |_, document| measures.measure(document))?;
    Ok(measures)
}

/// Calls `take` with each of the documents of a seed for a purpose.
///
/// # Errors
/// If a file of the catalogue or of the evaluation cannot be read, and those of `take`.
pub fn generate(
    purpose: Purpose,
    seed: u64,
    documents: usize,
    mut take: impl FnMut(&Catalogue, &Document) -> Result<()>,
) -> Result<()> {
    let catalogue = Catalogue::read(&root().join("engine/catalogue"))?;
    let world = World::read(purpose)?;
    let mut random = Random::new(seed);
    let mut writer = document::Writer::new(&catalogue, &world, &mut random);
    for number in 0..documents {
        take(&catalogue, &writer.document(number, &mut random)?)?;
    }
    Ok(())
}
