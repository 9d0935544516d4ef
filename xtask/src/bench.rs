//! `cargo xtask bench`: runs the benches and says where their figures are.

use std::ffi::OsString;

use anyhow::Result;
use clap::ValueEnum;

use crate::{
    build::{self, Part, SERVICE},
    shell::{cargo, run as run_command, say, target},
};

/// Run the benches: the engine by itself, as a component, behind HTTP against an empty handler, and between an
/// application and a language model.
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
    /// A language model through the gateway against the same one asked directly
    Gateway,
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
            Bench::Http => served("measuring the service", "http")?,
            Bench::Gateway => served("measuring the gateway", "gateway")?,
        }
    }
    if benches.iter().any(|bench| matches!(bench, Bench::Engine | Bench::Component)) {
        say(format!("figures and plots: {}", target().join("criterion").display()));
    }
    Ok(())
}

/// A bench of the service as it is served.
fn served(what: &str, bench: &str) -> Result<()> {
    build::build(&SERVICE)?;
    say(what);
    run_command(cargo(["bench", "--package", "textveil-tests", "--bench", bench]))
}

/// The benches of a package; `--bench *` leaves its library out, whose harness is another.
fn criterion(package: &str, arguments: &[OsString]) -> Result<()> {
    let mut bench = cargo(["bench", "--package", package, "--bench", "*", "--"]);
    bench.args(arguments);
    run_command(bench)
}
