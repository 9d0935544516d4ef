//! `textveil detectors`: what the engine can find.

use std::io::{self, Write};

use anyhow::Result;
use clap::Args;
use textveil_engine::wire::DetectorsResponse;

use super::{Outcome, component::ComponentFlag};

/// List what can be found
#[derive(Args)]
pub struct Arguments {
    /// Only the detectors of this country (ISO 3166-1 alpha-2)
    #[arg(long, value_name = "CODE")]
    country: Option<String>,
    /// Answer as the REST service does
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments, component: &ComponentFlag) -> Result<Outcome> {
    let detectors = component.load()?.detectors(arguments.country.as_deref())?;
    let mut out = io::BufWriter::new(io::stdout().lock());
    if arguments.json {
        serde_json::to_writer(&mut out, &DetectorsResponse::new(detectors))?;
        writeln!(out)?;
    } else {
        for detector in detectors {
            let (region, kind) = (detector.region, detector.entity_type);
            writeln!(out, "{region:<7} {kind:<28} {:<11} {}", detector.category, detector.description)?;
        }
    }
    out.flush()?;
    Ok(Outcome::Done)
}
