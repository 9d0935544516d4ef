//! `textveil audit`: the audit records in the state of the service.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::{Args, Subcommand};
use textveil_service::audit::{Head, Verification, export, verify};

use super::{
    Outcome,
    state::{StateFlags, why},
};

/// Verify the audit records of the service, and export their signed head
///
/// Works on the state of a service, whether it runs or not.
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    state: StateFlags,
}

#[derive(Subcommand)]
enum Command {
    /// Check that the records of the workspace are authentic and that none is missing
    ///
    /// Each record is authenticated under a key of the workspace, and contains the hash of the previous one.
    /// A truncated chain is detected against a signed head: the stored one, or one that was exported and kept
    /// elsewhere. Exits with status 1 if a fault is found, also where the workspace was changed and has no records at
    /// all.
    Verify {
        /// A head that `textveil audit head` or GET /api/v1/gateway/audit/head has exported; may be repeated
        #[arg(long, value_name = "FILE")]
        head: Vec<PathBuf>,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Print the signed head: the end of every chain of the workspace, as JSON
    Head,
}

/// Runs the command.
///
/// # Errors
/// If the state cannot be read.
pub fn run(arguments: &Arguments) -> Result<Outcome> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let workspace = arguments.state.workspace()?;
        let state = arguments.state.open()?;
        let mut out = io::stdout().lock();
        match &arguments.command {
            Command::Head => {
                let head = export(&state, workspace).await.map_err(why)?;
                writeln!(out, "{}", serde_json::to_string(&head)?)?;
                Ok(Outcome::Done)
            }
            Command::Verify { head, json } => {
                let heads = head.iter().map(|path| read_head(path)).collect::<Result<Vec<_>>>()?;
                let verification = verify(&state, workspace, &heads).await.map_err(why)?;
                if *json {
                    writeln!(out, "{}", serde_json::to_string(&verification)?)?;
                } else {
                    write_report(&mut out, &verification)?;
                }
                Ok(Outcome::found_if(!verification.faults.is_empty()))
            }
        }
    })
}

fn read_head(path: &Path) -> Result<Head> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read the head {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is not a signed head", path.display()))
}

fn write_report(out: &mut impl Write, verification: &Verification) -> io::Result<()> {
    for report in &verification.chains {
        let (chain, records, head) = (report.chain, report.records, &report.head);
        writeln!(out, "chain {chain}: {records} records, the last is {} {}", head.sequence, head.hash)?;
    }
    for fault in &verification.faults {
        match fault.line {
            0 => writeln!(out, "{}: {}", fault.document, fault.fault)?,
            line => writeln!(out, "{}, line {line}: {}", fault.document, fault.fault)?,
        }
    }
    match verification.faults.len() {
        0 if verification.chains.is_empty() => {
            writeln!(
                out,
                "the workspace has no records, and nothing shows that there were any; check --workspace"
            )
        }
        0 => writeln!(out, "every record is authentic, and none is missing"),
        1 => writeln!(out, "1 fault"),
        faults => writeln!(out, "{faults} faults"),
    }
}
