//! `cargo xtask eval`: the evaluation on generated documents, or with `--real` on real text.

use std::{
    fs::File,
    io::{BufWriter, Write as _},
    path::PathBuf,
    process::ExitCode,
};

use anyhow::Result;
use clap::Parser;
use textveil_eval::{
    DOCUMENTS, SEED,
    catalogue::Catalogue,
    evaluate, fit, generate,
    public_sets::PublicSets,
    real::{self, RealScores},
    root,
    scorecard::{self, Scorecard},
    world::Purpose,
};

/// Measure how much of the personal data in generated documents is found, and how often the country is right.
#[derive(Parser)]
#[command(name = "cargo xtask eval")]
struct Arguments {
    /// Measure the real text in this folder instead; see tests/eval/README.md
    #[arg(long, value_name = "DIR")]
    real: Option<PathBuf>,
    /// Write generated documents to learn from to this file instead, in the format of the real texts
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// Fit the shared weights on generated documents and on the texts without personal data of this folder instead, and write
    /// them to engine/weights/weights.toml
    #[arg(long, value_name = "DIR")]
    fit: Option<PathBuf>,
    /// Fit the calibration of each family, on generated documents and on the texts of this folder for the training, and print it
    #[arg(long, value_name = "DIR")]
    calibrate: Option<PathBuf>,
    /// Other documents by the same rules
    #[arg(long, default_value_t = SEED)]
    seed: u64,
    /// The number of documents
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
    /// Rewrite the summary of the committed figures, without an evaluation
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
    if let Some(folder) = &arguments.real {
        let Some(scores) = real::measure(folder)? else {
            eprintln!("skipped: {} has no folder dev with texts; see tests/eval/README.md", folder.display());
            return Ok(ExitCode::SUCCESS);
        };
        if arguments.json {
            println!("{}", serde_json::to_string_pretty(&scores)?);
        } else {
            print!("{}", scores.section());
        }
        if arguments.bless {
            scores.commit()?;
            let summary = Scorecard::committed()?.summary(&catalogue, &scores, &public, false);
            std::fs::write(scorecard::summary_path(), summary)?;
            return Ok(ExitCode::SUCCESS);
        }
        return Ok(report(&scores.drops(&RealScores::committed()?)));
    }
    if let Some(file) = &arguments.write {
        let mut out = BufWriter::new(File::create(file)?);
        generate(Purpose::Training, arguments.seed, arguments.documents, |catalogue, document| {
            writeln!(out, "{}", real::line(catalogue, document)).map_err(Into::into)
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(folder) = &arguments.fit {
        let fitted = fit::weights(arguments.seed, arguments.documents, folder)?;
        print!("{}", fit::write(&fitted, "generated documents and of texts without personal data")?);
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(folder) = &arguments.calibrate {
        for (name, calibration) in fit::calibrations(arguments.seed, arguments.documents, folder)? {
            println!("{name}: {calibration:?}");
        }
        return Ok(ExitCode::SUCCESS);
    }
    let real = RealScores::committed()?;
    if arguments.summarise {
        let summary = Scorecard::committed()?.summary(&catalogue, &real, &public, false);
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
        print!("{}", card.summary(&catalogue, &real, &public, arguments.full));
    }
    if arguments.bless {
        std::fs::write(scorecard::path(), card.json()?)?;
        std::fs::write(scorecard::summary_path(), card.summary(&catalogue, &real, &public, false))?;
        return Ok(ExitCode::SUCCESS);
    }
    Ok(report(&card.drops(&Scorecard::committed()?)))
}

/// Says what is worse than it was.
fn report(drops: &[String]) -> ExitCode {
    for drop in drops {
        eprintln!("worse than the committed scorecard: {drop}");
    }
    if drops.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
