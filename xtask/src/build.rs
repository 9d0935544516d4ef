//! `cargo xtask build`: puts what ships into `dist/`.

use std::{
    env, fs,
    io::Write,
    panic::resume_unwind,
    path::{Path, PathBuf},
    thread,
};

use anyhow::{Context, Result};
use clap::ValueEnum;
use flate2::{Compression, write::GzEncoder};
use wit_component::ComponentEncoder;

use crate::{
    setup,
    shell::{cargo, copy_if_changed, dist, run as run_command, say, target, write_if_changed},
    wasm_opt,
};

/// Build what ships into dist/: the components, the npm package, the web page, the program.
#[derive(clap::Args)]
pub struct Arguments {
    /// Build only this; may be repeated. What it needs is built with it.
    #[arg(long, value_enum, value_name = "PART")]
    only: Vec<Part>,
}

/// A part of what ships.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Part {
    /// dist/textveil-engine.wasm, the engine as a component that imports nothing
    Component,
    /// dist/api.wasm, the service as a Spin component
    Api,
    /// dist/gateway.wasm, what sends requests to LLM providers, as a Spin component
    Gateway,
    /// dist/pages.wasm, what sends the web pages, as a Spin component
    Pages,
    /// dist/middleware.wasm, what protects the requests to other applications of Spin
    Middleware,
    /// dist/npm/, the JavaScript package, ready for `npm pack`
    Npm,
    /// dist/playground/, the web page that the service serves at /
    Playground,
    /// dist/console/, the web page that the service serves at /console
    Console,
    /// dist/textveil, the native program
    Host,
}

/// What `textveil serve` runs, with what that needs: the manifest names every one of its files.
pub const SERVICE: [Part; 6] =
    [Part::Api, Part::Gateway, Part::Pages, Part::Playground, Part::Console, Part::Host];

/// Builds the parts that were asked for and prints their sizes.
pub fn run(arguments: &Arguments) -> Result<()> {
    let parts = if arguments.only.is_empty() { Part::value_variants() } else { &arguments.only };
    build(parts)?;
    print_sizes()
}

/// Builds parts in the order in which they need one another; the native program beside the others, most of which are
/// optimised as one piece and leave a processor idle.
pub fn build(parts: &[Part]) -> Result<()> {
    let mut parts = parts.to_vec();
    if parts.contains(&Part::Playground) {
        parts.push(Part::Npm);
    }
    let with_host = parts.contains(&Part::Host);
    if with_host {
        parts.push(Part::Component);
        parts.retain(|part| *part != Part::Host);
    }
    parts.sort();
    parts.dedup();
    thread::scope(|threads| {
        let program = with_host.then(|| threads.spawn(host));
        let built = parts.into_iter().try_for_each(self::part);
        let program = program.map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        built.and(program.unwrap_or(Ok(())))
    })
}

fn part(part: Part) -> Result<()> {
    match part {
        Part::Component => component(),
        Part::Api => service("textveil-api", "api.wasm"),
        Part::Gateway => service("textveil-gateway", "gateway.wasm"),
        Part::Middleware => service("textveil-middleware", "middleware.wasm"),
        Part::Npm => crate::npm::package(),
        Part::Pages => service("textveil-pages", "pages.wasm"),
        Part::Playground => crate::npm::playground(),
        Part::Console => crate::npm::console(),
        Part::Host => host(),
    }
}

/// Compiles a crate for a WebAssembly target and gives the path of the module. `flags` are the compiler's, beside
/// those that keep out of the module where the sources lie on this machine.
pub fn wasm(package: &str, target_name: &str, profile: &str, flags: &[&str]) -> Result<PathBuf> {
    setup::wasm_targets()?;
    let mut all: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(env::home_dir()?.join(".cargo"))).context("there is no home folder")?;
    for registry in fs::read_dir(home.join("registry/src")).into_iter().flatten() {
        all.push(format!("--remap-path-prefix={}=", registry?.path().display()));
    }
    let setting = format!("target.{target_name}.rustflags = {}", serde_json::to_string(&all)?);
    run_command(cargo([
        "build",
        "--package",
        package,
        "--target",
        target_name,
        "--profile",
        profile,
        "--config",
        &setting,
    ]))?;
    let file = format!("{}.wasm", package.replace('-', "_"));
    Ok(target().join(target_name).join(profile).join(file))
}

/// The engine: a module of wasm32-unknown-unknown, so that there is nothing for it to import, made
/// into a component by the description of its interfaces that wit-bindgen left in it.
fn component() -> Result<()> {
    say("building the engine component: dist/textveil-engine.wasm");
    let module = wasm("textveil-component", "wasm32-unknown-unknown", "wasm", &[])?;
    let module = fs::read(&module).with_context(|| format!("cannot read {}", module.display()))?;
    let component = ComponentEncoder::default().validate(true).module(&module)?.encode()?;
    write_if_changed(&dist("textveil-engine.wasm"), &component)
}

/// A component of the service: cargo's wasm32-wasip2 makes it by itself, only larger than need be.
fn service(package: &str, file: &str) -> Result<()> {
    say(format!("building a component of the service: dist/{file}"));
    let compiled = wasm(package, "wasm32-wasip2", "service", &[])?;
    let optimised = compiled.with_file_name(file);
    wasm_opt::component(&compiled, &optimised)?;
    copy_if_changed(&optimised, &dist(file))
}

fn host() -> Result<()> {
    say("building the native program: dist/textveil");
    run_command(cargo(["build", "--package", "textveil", "--release"]))?;
    let program = format!("textveil{}", std::env::consts::EXE_SUFFIX);
    copy_if_changed(&target().join("release").join(&program), &dist(&program))
}

/// Prints the size of each file that is downloaded or deployed by itself, and of each folder of such
/// files, as it is and compressed as a web server would send it.
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

/// What a folder holds, by name, but for the compressed forms of the same files.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    paths.retain(|path| !path.extension().is_some_and(|end| end == "br" || end == "gz"));
    paths.sort();
    Ok(paths)
}
