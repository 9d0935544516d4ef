//! `textveil validate`: one value against one type.

use std::io::{self, Write};

use anyhow::Result;
use clap::Args;
use textveil_engine::{Fact, wire::ValidateResponse};

use super::{Outcome, Terminal, component::ComponentFlag, report::Styles};

/// Validate a value: exit status 0 if it is valid, 1 if it is not
#[derive(Args)]
pub struct Arguments {
    /// The type, such as `pesel` (see `textveil detectors`)
    #[arg(value_name = "TYPE")]
    entity_type: String,
    /// The value; `-` reads a line of standard input, which keeps it out of the shell's history
    #[arg(allow_hyphen_values = true)]
    value: String,
    /// ISO 3166-1 alpha-2 code, for a type that several countries have
    #[arg(long, value_name = "CODE")]
    country: Option<String>,
    /// Answer as the REST service does
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments, component: &ComponentFlag, terminal: &Terminal) -> Result<Outcome> {
    let value = match arguments.value.as_str() {
        "-" => io::stdin().lines().next().transpose()?.unwrap_or_default(),
        value => value.to_owned(),
    };
    let validation =
        component.load()?.validate(&value, &arguments.entity_type, arguments.country.as_deref())?;
    let valid = validation.valid;
    let mut out = io::stdout().lock();
    if arguments.json {
        serde_json::to_writer(&mut out, &ValidateResponse::new(&value, validation))?;
        writeln!(out)?;
    } else {
        let styles = Styles::new(terminal.colored());
        let (style, verdict) = if valid { (styles.good, "valid") } else { (styles.finding, "not valid") };
        write!(out, "{style}{verdict}{style:#} {}", validation.kind)?;
        for (name, fact) in validation.metadata.iter() {
            match fact {
                Fact::Flag(flag) => write!(out, " {name}={flag}")?,
                Fact::Text(text) => write!(out, " {name}={text}")?,
            }
        }
        writeln!(out)?;
    }
    Ok(Outcome::found_if(!valid))
}
