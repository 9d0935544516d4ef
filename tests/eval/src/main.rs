//! `cargo xtask eval`: the generated evaluation.

use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;
use textveil_eval::{
    DOCUMENTS, SEED,
    catalogue::Catalogue,
    evaluate,
    public_sets::PublicSets,
    root,
    scorecard::{self, Scorecard},
};

/// How much of the personal data in generated documents is found, and how often the country is right.
#[derive(Parser)]
#[command(name = "cargo xtask eval")]
struct Arguments {
    /// Other documents by the same rules
    #[arg(long, default_value_t = SEED)]
    seed: u64,
    /// How many documents
    #[arg(long, default_value_t = DOCUMENTS)]
    documents: usize,
    /// Print the scorecard as JSON instead of tables
    #[arg(long)]
    json: bool,
    /// Print every type, not only those below their aim
    #[arg(long)]
    full: bool,
    /// Make this run the committed scorecard
    #[arg(long)]
    bless: bool,
    /// Write the summary of the committed figures anew, and evaluate nothing
    #[arg(long)]
    summarise: bool,
    /// Print what was not found of the detectors whose key contains this; `inference` prints texts whose country was
    /// not the first, `false:KEY` false alarms
    #[arg(long, value_name = "KEY")]
    misses: Option<String>,
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    let catalogue = Catalogue::read(&root().join("engine/catalogue"))?;
    let public = PublicSets::committed()?;
    if arguments.summarise {
        let summary = Scorecard::committed()?.summary(&catalogue, &public, false);
        std::fs::write(scorecard::summary_path(), summary)?;
        return Ok(ExitCode::SUCCESS);
    }
    let measures = evaluate(arguments.seed, arguments.documents, arguments.misses.as_deref())?;
    let card = Scorecard { seed: arguments.seed, documents: arguments.documents, scores: measures.scores };
    if arguments.json {
        print!("{}", card.json()?);
    } else if arguments.bless {
        println!("{}", card.head());
    } else if arguments.misses.is_none() {
        print!("{}", card.summary(&catalogue, &public, arguments.full));
    }
    if arguments.bless {
        std::fs::write(scorecard::path(), card.json()?)?;
        std::fs::write(scorecard::summary_path(), card.summary(&catalogue, &public, false))?;
        return Ok(ExitCode::SUCCESS);
    }
    let drops = card.drops(&Scorecard::committed()?);
    for drop in &drops {
        eprintln!("worse than the committed scorecard: {drop}");
    }
    Ok(if drops.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
