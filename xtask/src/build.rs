//! `cargo xtask build`: puts what ships into `dist/`.

use std::{
    collections::BTreeSet,
    env,
    ffi::OsStr,
    fs,
    panic::resume_unwind,
    path::{Path, PathBuf},
    thread,
    time::SystemTime,
};

use anyhow::{Context, Result};
use clap::ValueEnum;

use crate::{
    program, setup,
    shell::{cargo, command, copy_if_changed, dist, root, run as run_command, say, target},
    sizes,
    step::{self, Step},
};

/// Build what ships into dist/: the components, the npm package, the web pages, the documentation, the program.
#[derive(clap::Args)]
pub struct Arguments {
    /// Build only this part and its dependencies; may be repeated
    #[arg(long, value_enum, value_name = "PART")]
    only: Vec<Part>,
}

/// A part of what ships, in the order in which they are built. Each follows its dependencies; what most suites wait for
/// comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Part {
    /// dist/api.wasm, the service as a Spin component
    Api,
    /// dist/gateway.wasm, what sends requests to LLM providers, as a Spin component
    Gateway,
    /// dist/pages.wasm, what sends the web pages, as a Spin component
    Pages,
    /// dist/stateless.wasm, the service without stores, as a Spin component
    Stateless,
    /// dist/npm/, the JavaScript package, ready for `npm pack`
    Npm,
    /// dist/textveil-engine.wasm, the engine as a component that imports nothing
    Component,
    /// dist/playground/, the web page that the service serves at /, and its bundle in dist/pages/
    Playground,
    /// dist/console/, the web page that the service serves at /console, and its bundle
    Console,
    /// dist/docs/, the documentation that the service serves below /docs/, and its bundle
    Docs,
    /// dist/middleware.wasm, what protects the requests to other applications of Spin
    Middleware,
    /// dist/python/, the wheel for Python
    Wheel,
    /// dist/textveil, the native program
    Host,
}

/// The parts that `textveil serve` answers with: the program, and the components in its manifest.
pub const SERVICE: [Part; 4] = [Part::Api, Part::Gateway, Part::Pages, Part::Host];

/// The web pages in the manifest of the service.
pub const PAGES: [Part; 3] = [Part::Playground, Part::Console, Part::Docs];

/// The components that use the same features of each package. One run of cargo builds them, so that it links two at once.
/// In a run with others, packages would get the features of all.
const ALIKE: [Part; 4] = [Part::Api, Part::Gateway, Part::Pages, Part::Stateless];

/// Builds the requested parts and prints their sizes.
pub fn run(arguments: &Arguments) -> Result<()> {
    let parts = if arguments.only.is_empty() { Part::value_variants() } else { &arguments.only };
    build(parts, Finish::Shipped)?;
    sizes::print()
}

/// Builds parts in the order in which they need one another. The native program is built beside the others, since
/// each leaves a processor idle at times.
pub fn build(parts: &[Part], finish: Finish) -> Result<()> {
    let with_host = parts.contains(&Part::Host);
    thread::scope(|threads| {
        let beside = with_host.then(|| threads.spawn(|| program::build(finish)));
        let built = steps(parts).iter().try_for_each(|step| build_step(step, finish));
        let host = beside.map_or(Ok(()), |thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        built.and(host)
    })
}

/// Returns parts and their dependencies, except the native program, in the order in which they need one another. The
/// parts of a step are built together.
pub fn steps(parts: &[Part]) -> Vec<Vec<Part>> {
    let mut steps: Vec<Vec<Part>> = Vec::new();
    for part in with_dependencies(parts).into_iter().filter(|part| *part != Part::Host) {
        match steps.last_mut() {
            Some(step) if ALIKE.contains(&part) && step.iter().all(|other| ALIKE.contains(other)) => {
                step.push(part);
            }
            _ => steps.push(vec![part]),
        }
    }
    steps
}

/// Returns parts with their dependencies, each once and in its order.
pub fn with_dependencies(parts: &[Part]) -> BTreeSet<Part> {
    let of = |part: &Part| (*part == Part::Playground).then_some(Part::Npm);
    parts.iter().copied().chain(parts.iter().filter_map(of)).collect()
}

/// The optimisation of the service's components and of the native program, the best first. Everything else is always
/// built as it ships.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Finish {
    /// As a whole, as they ship.
    Shipped,
    /// Each package for itself, for tests: that takes a third of the time.
    #[default]
    Quick,
    /// As for tests, and without the documentation of their worlds, for `cargo xtask serve`.
    Served,
}

/// The settings for packages in which the compiler spends long at level 1, while nothing waits for them. `Cargo.toml` has
/// them for the native program, too.
const UNOPTIMISED: [&str; 6] = [
    "package.mail-parser.opt-level = 0",
    "package.schemars.opt-level = 0",
    "package.textveil-api.opt-level = 0",
    "package.textveil-gateway.opt-level = 0",
    "package.textveil-service.opt-level = 0",
    "package.time.opt-level = 0",
];

impl Finish {
    /// A word for the names of files.
    fn name(self) -> &'static str {
        match self {
            Self::Shipped => "shipped",
            Self::Quick => "quick",
            Self::Served => "served",
        }
    }

    /// The settings of cargo beyond those of the profile `wasm`.
    fn settings(self) -> Vec<String> {
        match self {
            Self::Shipped => Optimised::Speed.settings(),
            Self::Quick | Self::Served => ["opt-level = 1", "lto = false", "codegen-units = 16"]
                .into_iter()
                .chain(UNOPTIMISED)
                .map(|setting| format!("profile.wasm.{setting}"))
                .collect(),
        }
    }
}

/// Builds the parts of a step.
pub fn build_step(step: &[Part], finish: Finish) -> Result<()> {
    match step {
        [part] => part.build(finish),
        _ => services(step, finish),
    }
}

impl Part {
    fn build(self, finish: Finish) -> Result<()> {
        match self {
            Self::Component => component(),
            Self::Wheel => wheel(),
            Self::Api | Self::Gateway | Self::Pages | Self::Middleware | Self::Stateless => {
                services(&[self], finish)
            }
            Self::Npm => crate::npm::package(),
            Self::Playground => crate::npm::playground(),
            Self::Console => crate::npm::console(),
            Self::Docs => crate::npm::docs(),
            Self::Host => program::build(finish),
        }
    }

    /// Whether its file in `dist/` depends on the [`Finish`].
    pub fn has_finish(self) -> bool {
        self.service().is_some()
    }

    /// The component of the service that the part is.
    fn service(self) -> Option<Service> {
        let service = |package, file, docs| Some(Service { package, file, docs });
        match self {
            Self::Api => service(
                "textveil-api",
                "api.wasm",
                "Textveil's service: finds, validates and protects personal data in text.",
            ),
            Self::Gateway => service(
                "textveil-gateway",
                "gateway.wasm",
                "Textveil's gateway: protects requests to language models, and restores their answers.",
            ),
            Self::Pages => service("textveil-pages", "pages.wasm", "Textveil's web pages."),
            Self::Middleware => service(
                "textveil-middleware",
                "middleware.wasm",
                "Protects personal data in what passes to an application of Spin.",
            ),
            Self::Stateless => {
                service("textveil-stateless", "stateless.wasm", "Textveil's service without stores.")
            }
            Self::Component
            | Self::Wheel
            | Self::Npm
            | Self::Playground
            | Self::Console
            | Self::Docs
            | Self::Host => None,
        }
    }
}

/// A component of the service.
struct Service {
    package: &'static str,
    /// The file in `dist/`.
    file: &'static str,
    /// The documentation of its world.
    docs: &'static str,
}

/// The goal of the compiler's optimisation of WebAssembly.
#[derive(Clone, Copy)]
pub enum Optimised {
    /// Size: what web pages download.
    Size,
    /// Speed: what runs anywhere else.
    Speed,
}

impl Optimised {
    /// The settings of cargo beyond those of the profile `wasm`.
    fn settings(self) -> Vec<String> {
        match self {
            Self::Size => Vec::new(),
            Self::Speed => vec!["profile.wasm.opt-level = 3".to_owned()],
        }
    }
}

/// A crate that cargo compiles for a WebAssembly target.
pub struct Module {
    pub package: &'static str,
    target_name: &'static str,
    /// Whether it lacks the names of its functions.
    is_stripped: bool,
    arguments: Vec<String>,
}

impl Module {
    /// Describes a module of `wasm32-unknown-unknown` with the names of its functions. `flags` are the compiler's.
    ///
    /// # Errors
    /// If there is no home folder.
    pub fn new(package: &'static str, optimised: Optimised, flags: &[&str]) -> Result<Self> {
        let target_name = "wasm32-unknown-unknown";
        let arguments = arguments(target_name, &optimised.settings(), flags)?;
        Ok(Self { package, target_name, is_stripped: false, arguments })
    }

    /// Describes a module without the names of its functions.
    fn stripped(package: &'static str, target_name: &'static str, settings: &[String]) -> Result<Self> {
        Ok(Self {
            package,
            target_name,
            is_stripped: true,
            arguments: arguments(target_name, settings, &[])?,
        })
    }

    /// Returns the file in the folder that cargo builds in.
    pub fn file(&self, folder: &Path) -> PathBuf {
        let name = format!("{}.wasm", self.package.replace('-', "_"));
        folder.join(self.target_name).join("wasm").join(name)
    }

    /// Returns what it is compiled from, once it is compiled, for a [`Step`].
    ///
    /// # Errors
    /// If it was not compiled.
    pub fn sources(&self) -> Result<Vec<PathBuf>> {
        sources(&self.file(&target()))
    }

    /// Returns all but files that its bytes depend on, for a [`Step`].
    pub fn settings(&self) -> Vec<String> {
        self.arguments.iter().cloned().chain(self.stripping()).collect()
    }

    /// The setting of cargo for this package only. As a flag of the compiler, its dependencies would be compiled once
    /// more for it.
    fn stripping(&self) -> Option<String> {
        self.is_stripped.then(|| format!("profile.wasm.package.{}.strip = \"symbols\"", self.package))
    }

    /// Compiles it in the folder that cargo builds in.
    ///
    /// # Errors
    /// If it does not compile.
    pub fn compile(&self) -> Result<()> {
        compile(&target(), &[self])
    }
}

/// The files that cargo compiled an output from, and those that say how.
pub fn sources(output: &Path) -> Result<Vec<PathBuf>> {
    let mut files = step::compiled_from(output)?;
    files
        .extend([".cargo/config.toml", "Cargo.lock", "xtask/src/build.rs", "xtask/src/program.rs"].map(root));
    Ok(files)
}

/// The arguments of cargo for a WebAssembly target, except the packages. Local paths of the sources stay out of the module.
fn arguments(target_name: &str, settings: &[String], flags: &[&str]) -> Result<Vec<String>> {
    let mut all: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(env::home_dir()?.join(".cargo"))).context("there is no home folder")?;
    for registry in fs::read_dir(home.join("registry/src")).into_iter().flatten() {
        all.push(format!("--remap-path-prefix={}=", registry?.path().display()));
    }
    let flags = format!("target.{target_name}.rustflags = {}", serde_json::to_string(&all)?);
    let mut arguments = ["build", "--target", target_name, "--profile", "wasm"].map(str::to_owned).to_vec();
    arguments
        .extend(settings.iter().chain([&flags]).flat_map(|setting| ["--config".to_owned(), setting.clone()]));
    Ok(arguments)
}

/// Compiles modules with the same arguments in a folder, all in one run of cargo.
fn compile(folder: &Path, modules: &[&Module]) -> Result<()> {
    let Some(first) = modules.first() else { return Ok(()) };
    setup::wasm_targets()?;
    let mut build = cargo(&first.arguments);
    for module in modules {
        build.args(["--package", module.package]);
        build.args(module.stripping().iter().flat_map(|setting| ["--config", setting]));
    }
    build.arg("--target-dir").arg(folder);
    run_command(build)
}

/// Builds the engine component and the description of its interfaces.
fn component() -> Result<()> {
    let files = ENGINE_FILES.map(dist);
    let module = engine_module()?;
    let sources = || Ok([module.sources()?, vec![root("wit"), root("xtask/wasm")]].concat());
    Step::new("textveil-engine", module.settings(), files).run(sources, || {
        say("building the engine component: dist/textveil-engine.wasm");
        engine(&target(), &dist(""))
    })
}

/// The folder of the sources of the wheel.
const WHEEL: &str = "bindings-python";

/// Returns the built wheel.
///
/// # Errors
/// If it is not built.
pub fn built_wheel() -> Result<PathBuf> {
    let files = fs::read_dir(dist("python")).context("the wheel is not built")?;
    let mut paths = files.flatten().map(|file| file.path());
    paths
        .find(|path| path.extension().is_some_and(|extension| extension == "whl"))
        .context("the wheel is not built")
}

/// Builds the wheel: the engine as a module of wasm32-unknown-unknown, and the package in Python over it.
fn wheel() -> Result<()> {
    let module = Module::stripped("textveil-python", "wasm32-unknown-unknown", &Optimised::Speed.settings())?;
    let into = dist("python");
    let files = ["build.py", "README.md", "textveil"].map(|name| root(WHEEL).join(name));
    let sources = || Ok([module.sources()?, files.to_vec(), vec![root("LICENSE"), root("NOTICE")]].concat());
    // the interpreter writes its caches beside the sources
    let step = Step::new("textveil-wheel", module.settings(), [into.clone()])
        .generates([root(WHEEL).join("textveil/__pycache__")]);
    step.run(sources, || {
        say("building the wheel for Python in dist/python/");
        module.compile()?;
        let script = root(WHEEL).join("build.py");
        run_command(command(
            "python3",
            [script.as_os_str(), module.file(&target()).as_os_str(), into.as_os_str()],
        ))
    })
}

/// The engine component, and the description of its interfaces as a WIT package with its documentation.
pub const ENGINE_FILES: [&str; 2] = ["textveil-engine.wasm", "textveil-engine.wit.wasm"];

/// Builds the [files of the engine](ENGINE_FILES) into a folder: a module of wasm32-unknown-unknown, which has no
/// imports, converted to a component. Their bytes do not depend on `build`, the build folder of cargo.
///
/// # Errors
/// If it does not compile.
pub fn engine(build: &Path, into: &Path) -> Result<()> {
    let module = engine_module()?;
    compile(build, &[&module])?;
    let [component, description] = ENGINE_FILES.map(|file| into.join(file));
    wasm_tool([
        "component".as_ref(),
        module.file(build).as_os_str(),
        root("wit").as_os_str(),
        component.as_os_str(),
        description.as_os_str(),
    ])
}

fn engine_module() -> Result<Module> {
    Module::stripped("textveil-component", "wasm32-unknown-unknown", &Optimised::Speed.settings())
}

/// Runs the program of these tasks for compiled WebAssembly, `xtask/wasm`.
///
/// It has a profile of its own: cargo compiles it beside the native program.
///
/// # Errors
/// If it does not compile, or fails.
pub fn wasm_tool<'a>(arguments: impl IntoIterator<Item = &'a OsStr>) -> Result<()> {
    let mut tool = cargo(["run", "--quiet", "--profile", "tools", "--package", "xtask-wasm", "--"]);
    tool.args(arguments);
    run_command(tool)
}

/// Builds the components of the service that are not up to date into their files of `dist/`, all in one run of cargo.
fn services(parts: &[Part], finish: Finish) -> Result<()> {
    let start = SystemTime::now();
    let mut stale = Vec::new();
    for service in parts.iter().filter_map(|part| part.service()) {
        if !service.is_up_to_date(finish)? {
            stale.push((service.module(finish)?, service));
        }
    }
    if stale.is_empty() {
        return Ok(());
    }
    let files: Vec<&str> = stale.iter().map(|(_, service)| service.file).collect();
    say(format!("building components of the service in dist/: {}", files.join(", ")));
    compile(&target(), &stale.iter().map(|(module, _)| module).collect::<Vec<_>>())?;
    for (module, service) in &stale {
        let compiled = module.file(&target());
        match finish {
            Finish::Served => copy_if_changed(&compiled, &dist(service.file))?,
            Finish::Quick | Finish::Shipped => wasm_tool([
                "document".as_ref(),
                compiled.as_os_str(),
                service.docs.as_ref(),
                dist(service.file).as_os_str(),
            ])?,
        }
        service.step(finish)?.done(module.sources()?, start)?;
    }
    Ok(())
}

impl Service {
    fn module(&self, finish: Finish) -> Result<Module> {
        Module::stripped(self.package, "wasm32-wasip2", &finish.settings())
    }

    fn step(&self, finish: Finish) -> Result<Step> {
        let name = format!("{}-{}", self.package, finish.name());
        Ok(Step::new(&name, self.module(finish)?.settings(), [dist(self.file)]))
    }

    /// Whether its file is up to date, with this finish or a better one.
    fn is_up_to_date(&self, finish: Finish) -> Result<bool> {
        for better in [Finish::Shipped, Finish::Quick, Finish::Served] {
            if better <= finish && self.step(better)?.is_up_to_date() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
