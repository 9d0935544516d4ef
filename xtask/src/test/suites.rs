//! The suites: what each needs, and the program that runs it.

use std::{fs, path::PathBuf};

use anyhow::Result;
use clap::ValueEnum;

use super::tally::Tally;
use crate::{
    build::{self, Part, SERVICE},
    setup::{
        self, CLIENT_TESTS, DIFFERENTIAL_TESTS, GATEWAY_TESTS, NPM_COMPONENT_TESTS, NPM_DOCS, NPM_EXAMPLES,
        NPM_PACKAGE, PEOPLE_TESTS, PYTHON_COMPONENT_TESTS, PYTHON_OPENAPI_TESTS,
    },
    shell::{cargo, command, dist, output, program, root},
};

/// Tests that are run by one program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Suite {
    /// Documents, messages, help and page texts: the terms of the glossary, sentences, phrases to avoid
    Prose,
    /// Every crate without wasmtime: engine, names, service, glue of the npm package, these tasks
    Rust,
    /// The generated evaluation, a few documents of it
    Eval,
    /// The native host and its program
    Host,
    /// The corpus on every surface: engine, component, HTTP, JavaScript
    Conformance,
    /// Third-party clients against the service: fastpii-connect, Presidio's, LiteLLM, curl lines of README and docs
    Clients,
    /// The gateway between clients and mocked providers: openai, anthropic, LiteLLM, LangChain, leak gates
    Gateway,
    /// The npm package, packed and installed, in Node and in browsers; the web pages, from the service
    Javascript,
    /// The examples: form upload, Chrome extension, Express, Hono, Next.js, log pipeline, edge worker
    Examples,
    /// The documentation: its examples, its references, its links, in a browser
    Docs,
    /// The engine component, built once more from nothing: the same bytes
    Reproducible,
    /// The engine component in Node, through jco
    Jco,
    /// The engine component in Python, through wasmtime-py
    Python,
    /// The service against its OpenAPI document, through schemathesis
    Schemathesis,
    /// Validation against third-party libraries: python-stdnum, phonenumbers, schwifty and more (a sample)
    Differential,
    /// The scores of `cargo xtask bench --only people`
    People,
}

impl Suite {
    /// Every suite, in the order in which they are run: what compiles fast comes first.
    pub fn all() -> &'static [Self] {
        Self::value_variants()
    }

    /// As it is named on the command line.
    pub fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// Builds what the suite needs and runs it.
    ///
    /// # Errors
    /// Where something that it needs cannot be built or installed.
    pub fn run(self) -> Result<Tally> {
        match self {
            Self::Prose => prose(),
            Self::Rust => Tally::of(cargo([
                "test",
                "--no-fail-fast",
                "--workspace",
                // these have suites of their own
                "--exclude=textveil",
                "--exclude=textveil-tests",
                "--exclude=textveil-eval",
                // the engine once more, with fewer detectors, for its benchmarks
                "--exclude=textveil-engine-first-20",
            ])),
            Self::Eval => {
                Tally::of(cargo(["test", "--profile=eval", "--no-fail-fast", "--package=textveil-eval"]))
            }
            Self::Host => {
                build::build(&SERVICE)?;
                build::build(&[Part::Middleware, Part::Stateless, Part::StatelessWasi02])?;
                with_faults("textveil")
            }
            Self::Conformance => {
                let Some(reason) = lacking_node() else {
                    build::build(&SERVICE)?;
                    return with_faults("textveil-tests");
                };
                Ok(Tally::skipped(reason))
            }
            Self::Clients => clients(),
            Self::Gateway => gateway(),
            Self::Javascript => javascript(),
            Self::Examples => examples(),
            Self::Docs => docs(),
            Self::Reproducible => reproducible(),
            Self::Jco => jco(),
            Self::Python => python(),
            Self::Schemathesis => schemathesis(),
            Self::Differential => differential(),
            Self::People => people(),
        }
    }
}

fn prose() -> Result<Tally> {
    if let Some(reason) = lacking_node() {
        return Ok(Tally::skipped(reason));
    }
    setup::npm(NPM_DOCS)?;
    let mut check = command("npm", ["run", "--silent", "prose"]);
    check.current_dir(root(NPM_DOCS));
    Tally::of(check)
}

/// The tests of a crate that depends on wasmtime, which is compiled once, in release. Those that are
/// ignored need what a machine may lack; their names begin with it.
fn with_faults(package: &str) -> Result<Tally> {
    let mut tests = cargo(["test", "--release", "--no-fail-fast", "--package", package, "--"]);
    tests.arg("--include-ignored");
    let mut lacking = Tally::default();
    match setup::redis_server() {
        Ok(server) => {
            tests.env("REDIS_SERVER", server);
        }
        Err(reason) => {
            tests.args(["--skip", "with_redis_"]);
            lacking = lacking.and(Tally::skipped(&format!("redis: {reason:#}")));
        }
    }
    // of this program's own: whether it may do so depends on the kernel, and on the container if there is one
    let mounts = output(command("unshare", ["--map-root-user", "--mount", "true"]));
    if mounts.is_err() {
        tests.args(["--skip", "with_mounts_"]);
        let reason = "mounts: `unshare --map-root-user --mount` is not to be had here; try as root";
        lacking = lacking.and(Tally::skipped(reason));
    }
    Ok(Tally::of(tests)?.and(lacking))
}

fn lacking_node() -> Option<&'static str> {
    let there = program("node").is_some() && program("npm").is_some();
    (!there).then_some("node and npm are not installed; install Node 20 or later")
}

fn clients() -> Result<Tally> {
    let python = match setup::python(CLIENT_TESTS) {
        Ok(python) => python,
        Err(reason) => return Ok(Tally::skipped(&format!("{reason:#}"))),
    };
    build::build(&SERVICE)?;
    Tally::of(command(python, [root(CLIENT_TESTS)]))
}

fn gateway() -> Result<Tally> {
    if let Some(reason) = lacking_node() {
        return Ok(Tally::skipped(reason));
    }
    let python = match setup::python(GATEWAY_TESTS) {
        Ok(python) => python,
        Err(reason) => return Ok(Tally::skipped(&format!("{reason:#}"))),
    };
    setup::npm(GATEWAY_TESTS)?;
    build::build(&SERVICE)?;
    let mut tests = command(python, [root(GATEWAY_TESTS)]);
    // the tests that need it skip themselves
    if let Ok(server) = setup::redis_server() {
        tests.env("REDIS_SERVER", server);
    }
    Tally::of(tests)
}

fn javascript() -> Result<Tally> {
    if let Some(reason) = lacking_node() {
        return Ok(Tally::skipped(reason));
    }
    // some tests open the pages as the service sends them
    build::build(&SERVICE)?;
    with_browsers(NPM_PACKAGE, &[("CHROME", setup::browser), ("FIREFOX", setup::firefox)])
}

fn examples() -> Result<Tally> {
    if let Some(reason) = lacking_node() {
        return Ok(Tally::skipped(reason));
    }
    build::build(&[Part::Npm])?;
    setup::npm(NPM_EXAMPLES)?;
    with_browsers(NPM_EXAMPLES, &[("CHROME", setup::browser)])
}

fn docs() -> Result<Tally> {
    if let Some(reason) = lacking_node() {
        return Ok(Tally::skipped(reason));
    }
    build::build(&[Part::Npm, Part::Docs, Part::Host])?;
    with_browsers(NPM_DOCS, &[("CHROME", setup::browser)])
}

/// Finds a browser, and installs it if possible.
type FindBrowser = fn() -> Result<PathBuf>;

/// Runs the script `test` of a folder; some of its tests open a browser whose path is in an environment
/// variable.
fn with_browsers(folder: &str, browsers: &[(&str, FindBrowser)]) -> Result<Tally> {
    let mut tests = command("npm", ["run", "--silent", "test"]);
    tests.current_dir(root(folder));
    let mut remarks = Tally::default();
    for (variable, browser) in browsers {
        match browser() {
            Ok(browser) => {
                tests.env(variable, browser);
            }
            // the tests that need it skip themselves
            Err(reason) => remarks.remarks.push(format!("no browser: {reason:#}")),
        }
    }
    Ok(Tally::of(tests)?.and(remarks))
}

/// Builds the engine component in an empty folder, and compares it with the one in `dist`.
fn reproducible() -> Result<Tally> {
    build::build(&[Part::Component])?;
    let folder = tempfile::tempdir()?;
    let (component, description) = build::engine(folder.path())?;
    for (file, again) in [("textveil-engine.wasm", component), ("textveil-engine.wit.wasm", description)] {
        if fs::read(dist(file))? != again {
            return Ok(Tally::broken(format!("two builds of dist/{file} have different bytes")));
        }
    }
    Ok(Tally { passed: 1, ..Tally::default() })
}

fn jco() -> Result<Tally> {
    if let Some(reason) = lacking_node() {
        return Ok(Tally::skipped(reason));
    }
    build::build(&[Part::Component])?;
    setup::npm(NPM_COMPONENT_TESTS)?;
    let mut tests = command("npm", ["run", "--silent", "test"]);
    tests.current_dir(root(NPM_COMPONENT_TESTS));
    Tally::of(tests)
}

fn python() -> Result<Tally> {
    let python = match setup::python(PYTHON_COMPONENT_TESTS) {
        Ok(python) => python,
        Err(reason) => return Ok(Tally::skipped(&format!("{reason:#}"))),
    };
    build::build(&[Part::Component])?;
    let mut tests = command(python, [root(PYTHON_COMPONENT_TESTS)]);
    tests.arg(dist("textveil-engine.wasm"));
    Tally::of(tests)
}

fn schemathesis() -> Result<Tally> {
    let python = match setup::python(PYTHON_OPENAPI_TESTS) {
        Ok(python) => python,
        Err(reason) => return Ok(Tally::skipped(&format!("{reason:#}"))),
    };
    build::build(&SERVICE)?;
    Tally::of(command(python, [root(PYTHON_OPENAPI_TESTS)]))
}

fn differential() -> Result<Tally> {
    match setup::python(DIFFERENTIAL_TESTS) {
        // it builds the program that it asks
        Ok(python) => Tally::of(command(python, [root(DIFFERENTIAL_TESTS)])),
        Err(reason) => Ok(Tally::skipped(&format!("{reason:#}"))),
    }
}

fn people() -> Result<Tally> {
    // they need only Python: the measured tools are installed for the benchmark only
    let Some(python) = program("python3") else {
        return Ok(Tally::skipped("python3 is not installed; install Python 3.11 or later"));
    };
    let mut tests = command(python, [root(PEOPLE_TESTS)]);
    tests.arg("--test");
    Tally::of(tests)
}
