//! The suites: what each needs, and the program that runs it.

use std::{ffi::OsStr, fs, path::PathBuf, process::Command};

use anyhow::Result;
use clap::ValueEnum;

use super::{native, native::Tests, tally::Tally};
use crate::{
    build::{self, PAGES, Part, SERVICE},
    eval,
    setup::{self, INTEROP, NPM_DOCS, NPM_EXAMPLES, NPM_JAVASCRIPT},
    shell::{cargo, command, dist, output, program, root, run as run_command},
};

/// Tests that are run by one program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Suite {
    /// Documents, messages, help and page texts: the terms of the glossary, sentences, phrases to avoid
    Prose,
    /// Every crate without wasmtime: engine, names, service, glue of the npm package, evaluation, these tasks
    Rust,
    /// The native host and its program
    Host,
    /// The corpus on every surface: engine, component, HTTP, JavaScript
    Conformance,
    /// Third-party clients against the service: fastpii-connect, Presidio's, LiteLLM with its proxy,
    /// curl lines of README and docs; the client and servers of MCP against the program
    Clients,
    /// The gateway between clients and mocked providers: openai, anthropic, LiteLLM, LangChain, leak gates
    Gateway,
    /// Reports for repositories: SARIF, pre-commit, the action of GitHub
    Repositories,
    /// The npm package, packed and installed, in Node, in browsers and in bundlers
    Javascript,
    /// The web pages in browsers: the playground, the console against the service
    Web,
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
    /// The wheel for Python in an environment of its own: its verbs, Presidio's shapes, logging, pandas and polars
    Wheel,
    /// The service against its OpenAPI document, through schemathesis
    Schemathesis,
    /// Validation against third-party libraries: python-stdnum, phonenumbers, schwifty and more
    Differential,
    /// All generated documents of the scorecard: nothing is worse than committed
    Evaluation,
    /// The scores of `cargo xtask bench --only people`
    People,
}

impl Suite {
    /// Every suite, in the order of the table. Those that take long, and the second build of the engine, only with `full`.
    pub fn all(full: bool) -> Vec<Self> {
        let is_long =
            |suite: &Self| matches!(suite, Self::Evaluation | Self::Schemathesis | Self::Reproducible);
        Self::value_variants().iter().copied().filter(|suite| full || !is_long(suite)).collect()
    }

    /// As it is named on the command line.
    pub fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// Returns about how many seconds it takes beside others, on two processors. Only the order matters: the longest
    /// suite begins first.
    pub fn seconds(self) -> u32 {
        match self {
            Self::Evaluation => 1200,
            Self::Schemathesis => 600,
            Self::Host => 280,
            Self::Gateway => 240,
            Self::Web => 220,
            Self::Rust => 170,
            Self::Javascript => 120,
            Self::Examples => 90,
            Self::Conformance | Self::Reproducible => 85,
            Self::Prose => 40,
            Self::Clients => 35,
            Self::Docs => 31,
            Self::Differential => 30,
            Self::Wheel => 25,
            Self::Repositories => 15,
            Self::Jco | Self::Python | Self::People => 2,
        }
    }

    /// Whether a failure may be the machine's: such a suite waits for a browser or a server.
    pub fn waits(self) -> bool {
        !matches!(self, Self::Prose | Self::Rust | Self::Wheel | Self::Reproducible | Self::Evaluation)
    }

    /// Whether [`Tests::compile`] compiles its tests.
    pub fn is_native(self) -> bool {
        matches!(self, Self::Rust | Self::Host | Self::Conformance)
    }

    /// The shipped parts that the suite tests. [`Part::Host`] stands for the program as [`program::build`]
    /// compiles it.
    pub fn parts(self) -> Vec<Part> {
        match self {
            Self::Host => {
                [&SERVICE[..], &PAGES, &[Part::Component, Part::Middleware, Part::Stateless]].concat()
            }
            Self::Conformance => [&SERVICE[..], &PAGES, &[Part::Component]].concat(),
            Self::Clients => [&SERVICE[..], &[Part::Component]].concat(),
            Self::Gateway | Self::Schemathesis => SERVICE.to_vec(),
            Self::Web => [&SERVICE[..], &PAGES].concat(),
            // the package must read documents as the program does
            Self::Javascript => vec![Part::Npm, Part::Component, Part::Host],
            Self::Examples => vec![Part::Npm],
            Self::Docs => vec![Part::Npm, Part::Docs, Part::Component, Part::Host],
            Self::Reproducible | Self::Jco | Self::Python => vec![Part::Component],
            Self::Repositories => vec![Part::Component, Part::Host],
            Self::Wheel => vec![Part::Wheel],
            Self::Prose | Self::Rust | Self::Differential | Self::Evaluation | Self::People => Vec::new(),
        }
    }

    /// Installs the packages of the suite. [`Self::parts`] are built, and `tests` are compiled if it [is
    /// native](Self::is_native). With `full`, its tests take whole samples.
    ///
    /// # Errors
    /// If something that the suite needs cannot be compiled or installed.
    pub fn prepare(self, tests: &Tests, full: bool) -> Result<Prepared> {
        match self {
            Self::Prose => node(|| {
                setup::npm(NPM_DOCS)?;
                Ok(npm_script(NPM_DOCS, "prose"))
            }),
            Self::Rust => Ok(Prepared::of(Work::Commands(tests.except(&[HOST, CONFORMANCE], full)))),
            Self::Host => {
                // the applications of its tests, which build them too: not while a test waits for them
                for application in
                    ["textveil-test-guest", "textveil-test-guest-wasi02", "textveil-example-notes"]
                {
                    let mut build =
                        cargo(["build", "--quiet", "--target=wasm32-wasip2", "--package", application]);
                    build.arg("--target-dir").arg(root("target"));
                    run_command(build)?;
                }
                Ok(with_faults(tests.of(HOST)))
            }
            Self::Conformance => match lacking_node() {
                Some(reason) => Ok(Prepared::skipped(reason)),
                None => Ok(with_faults(tests.of(CONFORMANCE))),
            },
            Self::Clients => {
                // the tests with servers or clients in Node skip themselves
                if lacking_node().is_none() {
                    setup::npm(INTEROP)?;
                }
                Ok(pytest(self, full))
            }
            Self::Repositories | Self::Schemathesis | Self::Python | Self::People => Ok(pytest(self, full)),
            Self::Wheel => wheel(),
            Self::Gateway => gateway(full),
            Self::Javascript => with_browsers(NPM_JAVASCRIPT, "test:javascript", both(full)),
            Self::Web => with_browsers(NPM_JAVASCRIPT, "test:web", both(full)),
            Self::Examples => with_browsers(NPM_EXAMPLES, "test", &[CHROME]),
            Self::Docs => with_browsers(NPM_DOCS, "test", &[CHROME]),
            Self::Reproducible => Ok(Prepared::of(Work::Function(reproducible))),
            Self::Jco => node(|| {
                setup::npm(INTEROP)?;
                Ok(npm_script(INTEROP, "test:jco"))
            }),
            Self::Differential => {
                let mut prepared = pytest(self, full);
                prepared.set("TEXTVEIL_EXAMPLES", native::build_example()?);
                Ok(prepared)
            }
            Self::Evaluation => Ok(Prepared::of(Work::Function(evaluation))),
        }
    }
}

/// The folders of the crates with suites of their own.
const HOST: &str = "host-native";
const CONFORMANCE: &str = "tests/conformance";

/// A suite that is ready to run.
pub struct Prepared {
    /// The work that runs its tests; absent if this machine cannot run them.
    work: Option<Work>,
    /// The programs that this machine lacks.
    lacking: Tally,
}

enum Work {
    /// Test runners, one after the other.
    Commands(Vec<Command>),
    /// A test of these tasks.
    Function(fn() -> Result<Tally>),
}

impl Prepared {
    fn of(work: Work) -> Self {
        Self { work: Some(work), lacking: Tally::default() }
    }

    fn skipped(reason: &str) -> Self {
        Self { work: None, lacking: Tally::skipped(reason) }
    }

    /// Sets a variable of the test runners.
    pub fn set(&mut self, variable: &str, value: impl AsRef<OsStr>) {
        if let Some(Work::Commands(commands)) = &mut self.work {
            for command in commands {
                command.env(variable, &value);
            }
        }
    }

    /// Prepares another run: pytest takes the tests that failed, and all of them if it did not come to its end.
    pub fn repeats(&mut self) {
        self.set("PYTEST_ADDOPTS", "--last-failed");
    }

    /// Runs the tests. Each printed line begins with `prefix`.
    ///
    /// # Errors
    /// If the test runner cannot be started.
    pub fn run(&mut self, prefix: &str) -> Result<Tally> {
        let tally = match &mut self.work {
            Some(Work::Commands(commands)) => Tally::of(commands, prefix)?,
            Some(Work::Function(test)) => test()?,
            None => Tally::default(),
        };
        Ok(tally.and(self.lacking.clone()))
    }
}

/// Tests in Rust with those that are `ignored`, which need what a machine may lack: their names begin with it.
fn with_faults(mut tests: Vec<Command>) -> Prepared {
    let redis = setup::redis_server();
    // of this program's own: whether it may do so depends on the kernel, and on the container if there is one
    let mounts = output(command("unshare", ["--map-root-user", "--mount", "true"]));
    let mut skipped = vec!["--include-ignored"];
    let mut lacking = Tally::default();
    if let Err(reason) = &redis {
        skipped.extend(["--skip", "with_redis_"]);
        lacking = lacking.and(Tally::skipped(&format!("redis: {reason:#}")));
    }
    if mounts.is_err() {
        skipped.extend(["--skip", "with_mounts_"]);
        let reason = "mounts: `unshare --map-root-user --mount` is not to be had here; try as root";
        lacking = lacking.and(Tally::skipped(reason));
    }
    for command in &mut tests {
        command.args(&skipped);
    }
    let mut prepared = Prepared { work: Some(Work::Commands(tests)), lacking };
    if let Ok(server) = redis {
        prepared.set("REDIS_SERVER", server);
    }
    prepared
}

fn lacking_node() -> Option<&'static str> {
    let there = program("node").is_some() && program("npm").is_some();
    (!there).then_some("node and npm are not installed; install Node 20 or later")
}

/// A suite that runs in Node, if there is one.
fn node(tests: impl FnOnce() -> Result<Command>) -> Result<Prepared> {
    match lacking_node() {
        Some(reason) => Ok(Prepared::skipped(reason)),
        None => Ok(Prepared::of(Work::Commands(vec![tests()?]))),
    }
}

/// Runs a script of a folder's `package.json`.
fn npm_script(folder: &str, name: &str) -> Command {
    let mut script = command("npm", ["run", "--silent", name]);
    script.current_dir(root(folder));
    script
}

/// A suite in Python: the folder and the group of packages have its name.
fn pytest(suite: Suite, full: bool) -> Prepared {
    let name = suite.name();
    match setup::python(&name) {
        Ok(python) => {
            let mut tests = command(python, ["-m", "pytest", &name, "--durations=10"]);
            // of its own, since another suite may run beside it
            tests.args(["-o", &format!("cache_dir=.pytest_cache/{name}")]);
            tests.args(full.then_some("--full"));
            tests.current_dir(root(INTEROP));
            // a line is seen when it is printed
            tests.env("PYTHONUNBUFFERED", "1");
            Prepared::of(Work::Commands(vec![tests]))
        }
        Err(reason) => Prepared::skipped(&format!("{reason:#}")),
    }
}

/// Installs the wheel in an environment of its own, and runs its tests there.
fn wheel() -> Result<Prepared> {
    let python = match setup::wheel_python() {
        Ok(python) => python,
        Err(reason) => return Ok(Prepared::skipped(&format!("{reason:#}"))),
    };
    setup::install_wheel(&python)?;
    let mut tests = command(&python, ["-m", "pytest", "-v", "-rfEs", "--disable-plugin-autoload"]);
    tests.args(["-p", "no:cacheprovider", "."]).current_dir(root("bindings-python/test"));
    tests.env("PYTHONUNBUFFERED", "1").env("PYTHONDONTWRITEBYTECODE", "1");
    Ok(Prepared::of(Work::Commands(vec![tests])))
}

fn gateway(full: bool) -> Result<Prepared> {
    if let Some(reason) = lacking_node() {
        return Ok(Prepared::skipped(reason));
    }
    setup::npm(INTEROP)?;
    let mut prepared = pytest(Suite::Gateway, full);
    // the tests that need it skip themselves
    if let Ok(server) = setup::redis_server() {
        prepared.set("REDIS_SERVER", server);
    }
    Ok(prepared)
}

/// A variable with the path of a browser, and what finds the browser and installs it if possible.
type Browser = (&'static str, fn() -> Result<PathBuf>);

const CHROME: Browser = ("CHROME", setup::browser);
const FIREFOX: Browser = ("FIREFOX", setup::firefox);

/// Returns the browsers of tests that run in two of them with `full`.
fn both(full: bool) -> &'static [Browser] {
    if full { &[CHROME, FIREFOX] } else { &[CHROME] }
}

/// Runs a script of a folder; some of its tests open these browsers.
fn with_browsers(folder: &str, script: &str, browsers: &[Browser]) -> Result<Prepared> {
    let mut lacking = Tally::default();
    let prepared = node(|| {
        setup::npm(folder)?;
        let mut tests = npm_script(folder, script);
        for (variable, browser) in browsers {
            match browser() {
                Ok(browser) => {
                    tests.env(variable, browser);
                }
                // the tests that need it skip themselves
                Err(reason) => lacking.skips(format!("no browser: {reason:#}")),
            }
        }
        Ok(tests)
    })?;
    Ok(Prepared { lacking: prepared.lacking.and(lacking), ..prepared })
}

/// Measures all generated documents of the committed scorecard.
fn evaluation() -> Result<Tally> {
    match eval::measure() {
        Ok(()) => Ok(Tally { passed: 1, ..Tally::default() }),
        Err(error) => Ok(Tally::broken(&format!("{error:#}"))),
    }
}

/// Builds the engine component in an empty folder, and compares it with the one in `dist`.
fn reproducible() -> Result<Tally> {
    let folder = tempfile::tempdir()?;
    build::engine(folder.path(), folder.path())?;
    for file in build::ENGINE_FILES {
        if fs::read(dist(file))? != fs::read(folder.path().join(file))? {
            return Ok(Tally::broken(&format!("two builds of dist/{file} have different bytes")));
        }
    }
    Ok(Tally { passed: 1, ..Tally::default() })
}
