//! `textveil audit`: the records of what was done in the gateway, in the state of the service on this machine.

use std::io::{self, Write};

use anyhow::Result;
use clap::{Args, Subcommand};
use textveil_service::{
    Host as _, Label,
    audit::{Verification, verify},
};

use super::{
    Outcome,
    state::{StateFlags, why},
};

/// Check the audit records of the gateway
///
/// Works on the state of a service on this machine, whether it runs or not.
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    state: StateFlags,
}

#[derive(Subcommand)]
enum Command {
    /// Check that no record of the workspace was changed or taken out
    ///
    /// Each record has the hash of the one before it. That the last records of a chain were cut off shows only
    /// when its hash is not the one that this command printed before: keep what it prints.
    Verify {
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
}

/// Runs the command.
///
/// # Errors
/// Where the state cannot be read.
pub fn run(arguments: &Arguments) -> Result<Outcome> {
    let Command::Verify { json } = arguments.command;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let verification = runtime.block_on(async {
        let state = arguments.state.open(Label::Audit)?;
        verify(&state.store(Label::Audit), arguments.state.workspace()?).await.map_err(why)
    })?;
    let mut out = io::stdout().lock();
    if json {
        writeln!(out, "{}", serde_json::to_string(&verification)?)?;
    } else {
        write_report(&mut out, &verification)?;
    }
    Ok(Outcome::found_if(!verification.faults.is_empty()))
}

fn write_report(out: &mut impl Write, verification: &Verification) -> io::Result<()> {
    for report in &verification.chains {
        let (chain, records, head) = (report.chain, report.records, &report.head);
        writeln!(out, "chain {chain}: {records} records, the last is {} {}", head.sequence, head.hash)?;
    }
    for fault in &verification.faults {
        writeln!(out, "{}, line {}: {}", fault.document, fault.line, fault.fault)?;
    }
    match verification.faults.len() {
        0 => writeln!(out, "nothing was changed or taken out"),
        faults => writeln!(out, "{faults} lines are not as they were written"),
    }
}
