//! Learns the weights of the judge of names from annotated text.

#![allow(
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a tool of the project, not part of what ships: a wrong index has to stop it"
)]

mod case;
mod crf;
mod data;
mod score;

use std::path::PathBuf;

use anyhow::Result;
use clap::Parser;
use textveil_names::judge::Domain;

/// Learns from `train/` and `negatives/train/` of a folder, and reports how well it does on `dev/`.
#[derive(Parser)]
pub struct Arguments {
    /// The folder of annotated texts.
    data: PathBuf,
    /// Generated documents to learn from, too.
    #[arg(long)]
    generated: Option<PathBuf>,
    /// The file for the weights.
    #[arg(long)]
    out: PathBuf,
    /// The number of passes over the texts.
    #[arg(long, default_value_t = 6)]
    epochs: usize,
    /// The step of the gradient.
    #[arg(long, default_value_t = 0.15)]
    rate: f32,
    /// The penalty of a weight, which makes most of them 0.
    #[arg(long, default_value_t = 0.0003)]
    penalty: f32,
    /// The share of the features that each example is learnt without.
    #[arg(long, default_value_t = 0.2)]
    drop: f32,
    /// The share of the examples that are learnt without the words themselves, for languages without texts.
    #[arg(long, default_value_t = 0.15)]
    blind: f32,
    /// Features that are seen less often are left out.
    #[arg(long, default_value_t = 3)]
    least: u32,
    /// Keep this many features, and learn them again.
    #[arg(long, default_value_t = 229_000)]
    keep: usize,
    /// The number of passes with the features that are kept.
    #[arg(long, default_value_t = 10)]
    more: usize,
    /// The weights are their means over the last of these readings.
    #[arg(long, default_value_t = 4)]
    averaged: usize,
    /// Read the texts in twice as many random orders, and take the mean of the weights.
    #[arg(long, default_value_t = 2)]
    pairs_of_orders: u32,
    /// Learn from copies in lower case and in capitals, for the passages whose letter case does not tell names.
    #[arg(long)]
    case: bool,
    /// Leave out the texts of these languages.
    #[arg(long)]
    without: Vec<String>,
    /// Show errors on `dev/` in this language.
    #[arg(long)]
    misses: Option<String>,
    /// Only score the weights that `out` has.
    #[arg(long)]
    score: bool,
}

impl Arguments {
    /// The domain whose weights are learnt.
    fn domain(&self) -> Domain {
        if self.case { Domain::Caseless } else { Domain::Plain }
    }
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let domain = arguments.domain();
    if !arguments.score {
        let mut documents = data::learnable(&arguments.data)?;
        if let Some(file) = &arguments.generated {
            documents.extend(data::generated(file)?);
        }
        let learnt = crf::train(&documents, &arguments);
        std::fs::write(&arguments.out, learnt.bytes())?;
    }
    let learnt = crf::Learnt::read(&std::fs::read(&arguments.out)?);
    score::report(&data::read(&arguments.data, "dev")?, &learnt.models(domain), arguments.misses.as_deref());
    Ok(())
}
