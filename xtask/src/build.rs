//! `cargo xtask build`: puts what ships into `dist/`.

use std::{
    collections::BTreeSet,
    env, fs,
    io::Write,
    panic::resume_unwind,
    path::{Path, PathBuf},
    thread,
};

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use flate2::{Compression, write::GzEncoder};
use wasm_encoder::{ComponentSection as _, CustomSection};
use wit_component::{ComponentEncoder, DecodedWasm};
use wit_parser::{PackageMetadata, Resolve};

use crate::{
    setup,
    shell::{cargo, copy_if_changed, dist, root, run as run_command, say, target, write_if_changed},
};

/// Build what ships into dist/: the components, the npm package, the web pages, the documentation, the program.
#[derive(clap::Args)]
pub struct Arguments {
    /// Build only this part and its dependencies; may be repeated
    #[arg(long, value_enum, value_name = "PART")]
    only: Vec<Part>,
}

/// A part of what ships. Each follows its dependencies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Part {
    /// dist/npm/, the JavaScript package, ready for `npm pack`
    Npm,
    /// dist/textveil-engine.wasm, the engine as a component that imports nothing
    Component,
    /// dist/api.wasm, the service as a Spin component
    Api,
    /// dist/gateway.wasm, what sends requests to LLM providers, as a Spin component
    Gateway,
    /// dist/pages.wasm, what sends the web pages, as a Spin component
    Pages,
    /// dist/stateless.wasm, the service without stores, as a Spin component of WASI 0.3
    Stateless,
    /// dist/playground/, the web page that the service serves at /
    Playground,
    /// dist/console/, the web page that the service serves at /console
    Console,
    /// dist/docs/, the documentation that the service serves below /docs/
    Docs,
    /// dist/middleware.wasm, what protects the requests to other applications of Spin
    Middleware,
    /// dist/stateless-wasi02.wasm, the service without stores, as a Spin component of WASI 0.2
    StatelessWasi02,
    /// dist/textveil, the native program
    Host,
}

/// The parts that `textveil serve` needs: the files in its manifest, and their dependencies.
pub const SERVICE: [Part; 7] =
    [Part::Api, Part::Gateway, Part::Pages, Part::Playground, Part::Console, Part::Docs, Part::Host];

/// The components that use the same features of each package. One run of cargo builds them, so that it links two at once.
/// In a run with others, packages would get the features of all.
const ALIKE: [Part; 4] = [Part::Api, Part::Gateway, Part::Pages, Part::Stateless];

/// Builds the requested parts and prints their sizes.
pub fn run(arguments: &Arguments) -> Result<()> {
    let parts = if arguments.only.is_empty() { Part::value_variants() } else { &arguments.only };
    build(parts)?;
    print_sizes()
}

/// Builds parts in the order in which they need one another. The native program is built beside the others, since
/// each leaves a processor idle at times.
pub fn build(parts: &[Part]) -> Result<()> {
    let with_host = parts.contains(&Part::Host);
    thread::scope(|threads| {
        let beside = with_host.then(|| threads.spawn(host));
        let built = steps(parts).iter().try_for_each(|step| build_step(step, Finish::Shipped));
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
    let of = |part: &Part| match part {
        Part::Playground => Some(Part::Npm),
        Part::Host => Some(Part::Component),
        _ => None,
    };
    parts.iter().copied().chain(parts.iter().filter_map(of)).collect()
}

/// The optimisation of the service's components. Everything else is always built as it ships.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Finish {
    /// As a whole, as they ship.
    Shipped,
    /// Each package for itself, for tests: that takes a third of the time.
    #[default]
    Quick,
}

impl Finish {
    /// The settings of cargo beyond those of the profile `wasm`.
    fn settings(self) -> Vec<String> {
        match self {
            Self::Shipped => Optimised::Speed.settings(),
            Self::Quick => ["opt-level = 1", "lto = false", "codegen-units = 16"]
                .map(|setting| format!("profile.wasm.{setting}"))
                .into(),
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
            Self::Api
            | Self::Gateway
            | Self::Pages
            | Self::Middleware
            | Self::Stateless
            | Self::StatelessWasi02 => services(&[self], finish),
            Self::Npm => crate::npm::package(),
            Self::Playground => crate::npm::playground(),
            Self::Console => crate::npm::console(),
            Self::Docs => crate::npm::docs(),
            Self::Host => host(),
        }
    }

    /// Whether it depends on the [`Finish`].
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
            Self::StatelessWasi02 => service(
                "textveil-stateless-wasi02",
                "stateless-wasi02.wasm",
                "Textveil's service without stores, for WASI 0.2.",
            ),
            Self::Component | Self::Npm | Self::Playground | Self::Console | Self::Docs | Self::Host => None,
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

/// Compiles a crate for a WebAssembly target and returns the path of the module.
///
/// `flags` are the compiler's, in addition to those that keep local paths of the sources out of the module.
pub fn wasm(package: &str, target_name: &str, optimised: Optimised, flags: &[&str]) -> Result<PathBuf> {
    wasm_in(&target(), &[package], target_name, &optimised.settings(), flags)?;
    Ok(module(&target(), package, target_name))
}

/// The file of a compiled crate.
fn module(folder: &Path, package: &str, target_name: &str) -> PathBuf {
    folder.join(target_name).join("wasm").join(format!("{}.wasm", package.replace('-', "_")))
}

/// Compiles crates to modules without names of functions, in a folder of what cargo builds.
fn components(folder: &Path, packages: &[&str], target_name: &str, mut settings: Vec<String>) -> Result<()> {
    // of these packages only, and not a flag of the compiler: what they depend on is compiled once for them and the
    // modules that keep the names
    settings
        .extend(packages.iter().map(|package| format!("profile.wasm.package.{package}.strip = \"symbols\"")));
    wasm_in(folder, packages, target_name, &settings, &[])
}

/// Compiles crates as [`wasm`] does, in a folder of what cargo builds, with settings of cargo.
fn wasm_in(
    folder: &Path,
    packages: &[&str],
    target_name: &str,
    settings: &[String],
    flags: &[&str],
) -> Result<()> {
    setup::wasm_targets()?;
    let mut all: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(env::home_dir()?.join(".cargo"))).context("there is no home folder")?;
    for registry in fs::read_dir(home.join("registry/src")).into_iter().flatten() {
        all.push(format!("--remap-path-prefix={}=", registry?.path().display()));
    }
    let mut build = cargo(["build", "--target", target_name, "--profile", "wasm"]);
    for package in packages {
        build.args(["--package", package]);
    }
    build.arg("--config");
    build.arg(format!("target.{target_name}.rustflags = {}", serde_json::to_string(&all)?));
    for setting in settings {
        build.args(["--config", setting]);
    }
    build.arg("--target-dir").arg(folder);
    run_command(build)
}

/// Builds the engine: a module of wasm32-unknown-unknown, which has no imports, converted to a component with
/// the description of its interfaces that wit-bindgen embeds in it.
fn component() -> Result<()> {
    say("building the engine component: dist/textveil-engine.wasm");
    let (component, description) = engine(&target())?;
    write_if_changed(&dist("textveil-engine.wit.wasm"), &description)?;
    write_if_changed(&dist("textveil-engine.wasm"), &component)
}

/// Returns the engine component, and the description of its interfaces as a WIT package with its
/// documentation. `folder` is the build folder of cargo, on which the bytes do not depend.
pub fn engine(folder: &Path) -> Result<(Vec<u8>, Vec<u8>)> {
    let (package, target_name) = ("textveil-component", "wasm32-unknown-unknown");
    components(folder, &[package], target_name, Optimised::Speed.settings())?;
    let module = module(folder, package, target_name);
    let module = fs::read(&module).with_context(|| format!("cannot read {}", module.display()))?;
    let component = ComponentEncoder::default().validate(true).module(&module)?.encode()?;
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_dir(root("wit"))?;
    let description = wit_component::encode(&resolve, package)?;
    let world = resolve.select_world(&[package], None)?;
    let of_package = resolve.packages.get(package).and_then(|package| package.docs.contents.as_deref());
    let of_world = resolve.worlds.get(world).and_then(|world| world.docs.contents.as_deref());
    let docs = of_package.into_iter().chain(of_world);
    let docs = docs.collect::<Vec<_>>().join("\n\n");
    Ok((documented(&component, &docs)?, description))
}

/// Adds the section `package-docs` to a component, with `docs` for its world.
///
/// Those of its interfaces are in the WIT package: what a component exports belongs to another package.
fn documented(component: &[u8], docs: &str) -> Result<Vec<u8>> {
    let DecodedWasm::Component(mut resolve, world) = wit_component::decode(component)? else {
        bail!("this is the description of a package and not a component");
    };
    let world = resolve.worlds.get_mut(world).context("a component has a world")?;
    world.docs.contents = Some(docs.to_owned());
    let package = world.package.context("the world of a component has a package")?;
    let section = CustomSection {
        name: PackageMetadata::SECTION_NAME.into(),
        data: PackageMetadata::extract(&resolve, package).encode()?.into(),
    };
    let mut documented = component.to_vec();
    section.append_to_component(&mut documented);
    // the description in a registry (OCI annotations)
    for (name, value) in
        [("description", docs), ("licenses", "Apache-2.0"), ("version", env!("CARGO_PKG_VERSION"))]
    {
        let data = value.as_bytes().into();
        CustomSection { name: name.into(), data }.append_to_component(&mut documented);
    }
    Ok(documented)
}

/// Builds components of the service into their files of `dist/`, all in one run of cargo.
fn services(parts: &[Part], finish: Finish) -> Result<()> {
    let services: Vec<Service> = parts.iter().filter_map(|part| part.service()).collect();
    if services.is_empty() {
        return Ok(());
    }
    let files: Vec<&str> = services.iter().map(|service| service.file).collect();
    say(format!("building components of the service in dist/: {}", files.join(", ")));
    let target_name = "wasm32-wasip2";
    let packages: Vec<&str> = services.iter().map(|service| service.package).collect();
    components(&target(), &packages, target_name, finish.settings())?;
    for Service { package, file, docs } in services {
        let compiled = module(&target(), package, target_name);
        let bytes = fs::read(&compiled).with_context(|| format!("cannot read {}", compiled.display()))?;
        write_if_changed(&dist(file), &documented(&bytes, docs)?)?;
    }
    Ok(())
}

fn host() -> Result<()> {
    say("building the native program: dist/textveil");
    run_command(cargo(["build", "--package", "textveil", "--release"]))?;
    let program = format!("textveil{}", std::env::consts::EXE_SUFFIX);
    copy_if_changed(&target().join("release").join(&program), &dist(&program))
}

/// Prints the size of each file that is downloaded or deployed separately, and of each folder of such files,
/// uncompressed and compressed as by a web server.
fn print_sizes() -> Result<()> {
    println!("{:<44} {:>12} {:>12}", "in dist/", "bytes", "gzip");
    for path in entries(&dist(""))? {
        print_size(&path)?;
    }
    Ok(())
}

fn print_size(path: &Path) -> Result<Size> {
    let name = path.strip_prefix(dist("")).unwrap_or(path).display();
    let at_top = path.parent().is_some_and(|parent| parent == dist(""));
    if !path.is_dir() {
        let size = Size::of(path)?;
        if at_top || path.extension().is_some_and(|extension| extension == "wasm") {
            println!("{name:<44} {:>12} {:>12}", size.bytes, size.gzip);
        }
        return Ok(size);
    }
    let mut sum = Size::default();
    for entry in entries(path)? {
        let size = print_size(&entry)?;
        sum = Size { bytes: sum.bytes + size.bytes, gzip: sum.gzip + size.gzip };
    }
    if at_top {
        println!("{:<44} {:>12} {:>12}", format!("{name}/, all files"), sum.bytes, sum.gzip);
    }
    Ok(sum)
}

/// A number of bytes, as they are and compressed.
#[derive(Default)]
struct Size {
    bytes: usize,
    gzip: usize,
}

impl Size {
    fn of(file: &Path) -> Result<Self> {
        let bytes = fs::read(file)?;
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        gzip.write_all(&bytes)?;
        Ok(Self { bytes: bytes.len(), gzip: gzip.finish()?.len() })
    }
}

/// Returns the files in a folder, sorted by name, except compressed copies.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    paths.retain(|path| !path.extension().is_some_and(|end| end == "br" || end == "gz"));
    paths.sort();
    Ok(paths)
}
