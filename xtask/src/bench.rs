//! `cargo xtask bench`: runs the benches and says where their figures are.

use std::ffi::OsString;

use anyhow::Result;
use clap::ValueEnum;

use crate::{
    build::{self, Part, SERVICE},
    shell::{cargo, run as run_command, say, target},
};

/// Run the benches: the engine by itself, as a component, and behind HTTP against an empty handler.
///
/// The figures are printed, and those of the first two are kept in target/criterion, where the next
/// run is compared with them.
#[derive(clap::Args)]
pub struct Arguments {
    /// Run only this bench; may be repeated.
    #[arg(long, value_enum, value_name = "BENCH")]
    only: Vec<Bench>,
    /// Passed on to criterion: `cargo xtask bench --only engine -- prose --quick`
    #[arg(last = true)]
    criterion: Vec<OsString>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Bench {
    /// The engine as a Rust library
    Engine,
    /// The component under wasmtime against the engine as a library
    Component,
    /// Requests a second of the service against an empty handler in the same host
    Http,
}

/// Runs the benches that were asked for.
pub fn run(arguments: &Arguments) -> Result<()> {
    let benches = if arguments.only.is_empty() { Bench::value_variants() } else { &arguments.only };
    for bench in benches {
        match bench {
            Bench::Engine => {
                say("measuring the engine");
                criterion("textveil-engine", &arguments.criterion)?;
            }
            Bench::Component => {
                build::build(&[Part::Component])?;
                say("measuring the component");
                criterion("textveil", &arguments.criterion)?;
            }
            Bench::Http => {
                build::build(&SERVICE)?;
                say("measuring the service");
                run_command(cargo(["bench", "--package", "textveil-tests", "--bench", "http"]))?;
            }
        }
    }
    if benches.iter().any(|bench| *bench != Bench::Http) {
        say(format!("figures and plots: {}", target().join("criterion").display()));
    }
    Ok(())
}

/// The benches of a package; `--bench *` leaves its library out, whose harness is another.
fn criterion(package: &str, arguments: &[OsString]) -> Result<()> {
    let mut bench = cargo(["bench", "--package", package, "--bench", "*", "--"]);
    bench.args(arguments);
    run_command(bench)
}
