//! `cargo xtask bench`: runs the benchmarks, prints their figures, and writes those of the documentation.

mod figures;

use std::{ffi::OsString, path::PathBuf};

use anyhow::Result;
use clap::ValueEnum;

use crate::{
    build::{self, Finish, Part, SERVICE},
    eval, serve,
    setup::{self, INTEROP, NPM_BENCH},
    shell::{cargo, command, root, run as run_command, say, target},
};

/// Run the benchmarks: the engine alone, as a component, over HTTP against an unknown path, between an
/// application and a language model, as the npm package, and on public labelled sets.
///
/// The figures are printed. Those of the first two are kept in target/criterion, and the next run is compared
/// with them.
#[derive(clap::Args)]
pub struct Arguments {
    /// Run only this bench; may be repeated.
    #[arg(long, value_enum, value_name = "BENCH")]
    only: Vec<Bench>,
    /// Write the figures to docs/benchmarks.md, with the machine, the version and the date
    #[arg(long)]
    write: bool,
    /// Passed on to criterion: `cargo xtask bench --only engine -- prose --quick`; or to `people`: `-- --bless`
    #[arg(last = true)]
    passed_on: Vec<OsString>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Bench {
    /// The engine as a Rust library
    Engine,
    /// False findings of the engine in texts without personal data, by preset, kind of text and language
    Quiet,
    /// The engine as a library next to PyPI's datafog-core: megabytes a second and microseconds a finding
    Library,
    /// The component under wasmtime against the engine as a library
    Component,
    /// Requests a second of the service against an unknown path in the same host, with stores on SQLite and Redis
    Http,
    /// What clients that read large answers slowly cost another client, and the memory of the service
    SlowReaders,
    /// A language model through the gateway, compared with direct requests, and with other gateways
    Gateway,
    /// The npm package in Node and in a browser next to others: size, time to ready, speed, what they find
    Javascript,
    /// Names of people in public labelled sets, next to Presidio: precision, recall, seconds a megabyte
    People,
    /// The service next to Presidio's analyzer: start, memory, size, requests a second, findings in a labelled set
    Presidio,
    /// What a guardrail, a wrapped MCP server, a repository and an export of telemetry cost, each next to the same without it
    Reach,
    /// The wheel for Python next to the engine as a library: megabytes a second and microseconds a finding
    Wheel,
}

/// Runs the requested benchmarks.
pub fn run(arguments: &Arguments) -> Result<()> {
    let benches = if arguments.only.is_empty() { Bench::value_variants() } else { &arguments.only };
    for bench in benches {
        if arguments.write {
            figures::write(bench, &arguments.passed_on)?;
            continue;
        }
        match bench {
            Bench::Engine => {
                say("measuring the engine");
                criterion("textveil-engine", "engine", &arguments.passed_on)?;
            }
            Bench::Quiet => {
                say("counting false findings");
                run_command(cargo(["bench", "--package", "textveil-engine", "--bench", "quiet"]))?;
            }
            Bench::Library => {
                python("bench-library", "interop.library", "measuring libraries", &arguments.passed_on)?
            }
            Bench::Component => {
                build::build(&[Part::Component], Finish::Shipped)?;
                say("measuring the component");
                criterion("textveil", "*", &arguments.passed_on)?;
            }
            Bench::Http => served("measuring the service", "http", &redis())?,
            Bench::SlowReaders => served("measuring the service beside slow readers", "slow-readers", &[])?,
            Bench::Gateway => served("measuring the gateway", "gateway", &peers())?,
            Bench::Javascript => javascript()?,
            Bench::People => people(&arguments.passed_on)?,
            Bench::Presidio => {
                build_served(&[Part::Component])?;
                python("bench-presidio", "interop.presidio", "measuring Presidio and the service", &[])?;
            }
            Bench::Reach => {
                build_served(&[Part::Component, Part::Npm, Part::Wheel])?;
                setup::npm(INTEROP)?;
                python(
                    "bench-reach",
                    "interop.reach",
                    "measuring the ways to reach it",
                    &arguments.passed_on,
                )?;
            }
            Bench::Wheel => wheel()?,
        }
    }
    if !arguments.write && benches.iter().any(|bench| matches!(bench, Bench::Engine | Bench::Component)) {
        say(format!("figures and plots: {}", target().join("criterion").display()));
    }
    Ok(())
}

/// Builds the service as it ships, with other parts.
fn build_served(parts: &[Part]) -> Result<()> {
    build::build(&[&SERVICE, parts].concat(), Finish::Shipped)?;
    serve::make_bundles()
}

/// Runs a benchmark of the shipped service, with these environment variables.
fn served(what: &str, bench: &str, variables: &[(&str, PathBuf)]) -> Result<()> {
    build_served(&[])?;
    say(what);
    let mut command = cargo(["bench", "--package", "textveil-tests", "--bench", bench]);
    command.envs(variables.iter().map(|(name, value)| (name, value)));
    run_command(command)
}

/// The Redis server, if there is one, for stores on Redis.
fn redis() -> Vec<(&'static str, PathBuf)> {
    match setup::redis_server() {
        Ok(server) => vec![("REDIS_SERVER", server)],
        Err(reason) => {
            say(format!("no Redis: {reason}"));
            Vec::new()
        }
    }
}

/// Other gateways, to be measured in the same run, and another client: those that can be installed here.
fn peers() -> Vec<(&'static str, PathBuf)> {
    let python = || Ok(("MASKFLOW_PYTHON", setup::python("bench-gateway")?));
    let node = || {
        let gateway = setup::npm_bench(INTEROP, "@portkey-ai/gateway")?;
        Ok(("PORTKEY_SERVER", gateway.join("build/start-server.js")))
    };
    let installed: [Result<_>; 3] = [python(), node(), setup::wrk().map(|wrk| ("WRK", wrk))];
    let missing = |error| say(format!("left out: {error:#}"));
    installed.into_iter().filter_map(|peer| peer.map_err(missing).ok()).collect()
}

/// Runs the npm package and similar ones, in Node and, if one is found, in a browser.
fn javascript() -> Result<()> {
    build::build(&[Part::Npm], Finish::Shipped)?;
    setup::npm(NPM_BENCH)?;
    say("measuring the npm package");
    let mut bench = command("npm", ["run", "--silent", "bench"]);
    bench.current_dir(root(NPM_BENCH));
    match setup::browser() {
        Ok(browser) => {
            bench.env("CHROME", browser);
        }
        Err(reason) => say(format!("no browser: {reason:#}")),
    }
    run_command(bench)
}

/// Runs the names of people in public sets, with the engine and its peer; `--bless` updates the scorecard.
fn people(arguments: &[OsString]) -> Result<()> {
    python("bench-people", "interop.people", "measuring names of people in public sets", arguments)?;
    if arguments.iter().any(|argument| argument == "--bless") { eval::summarise() } else { Ok(()) }
}

/// Installs the wheel in an environment of its own, and measures it there.
fn wheel() -> Result<()> {
    build::build(&[Part::Wheel], Finish::Shipped)?;
    let python = setup::wheel_python()?;
    setup::install_wheel(&python)?;
    run_command(cargo(["build", "--release", "--package", "textveil-engine", "--example", "detect"]))?;
    say("measuring the wheel");
    let mut bench = command(python, ["-I", "bindings-python/bench.py"]);
    bench.current_dir(root(""));
    run_command(bench)
}

/// Runs a benchmark in Python with the packages of a group. It builds the program that it measures.
fn python(group: &str, module: &str, what: &str, arguments: &[OsString]) -> Result<()> {
    let python = setup::python(group)?;
    say(what);
    let mut bench = command(python, ["-m", module]);
    bench.current_dir(root("tests"));
    bench.args(arguments);
    run_command(bench)
}

/// The benches of a package; `--bench *` leaves its library out, whose harness is another.
fn criterion(package: &str, name: &str, arguments: &[OsString]) -> Result<()> {
    let mut bench = cargo(["bench", "--package", package, "--bench", name, "--"]);
    bench.args(arguments);
    run_command(bench)
}
