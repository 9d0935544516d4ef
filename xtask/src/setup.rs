//! `cargo xtask setup`: what the other tasks need and a fresh machine lacks.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Result, bail};

use crate::shell::{command, is_fresh, output, program, root, run as run_command, say};

/// Get what the other tasks need: WebAssembly targets, npm packages, a browser, Python packages.
///
/// Each step runs only where something is missing. The other tasks take the steps that they need
/// themselves, so this one is for preparing a machine before it goes offline.
#[derive(clap::Args)]
pub struct Arguments {}

/// The targets of the components and of the npm package.
const WASM_TARGETS: [&str; 2] = ["wasm32-unknown-unknown", "wasm32-wasip2"];

/// Folders with npm packages: the JavaScript package, and the tests of the component in Node.
pub const NPM_PACKAGE: &str = "bindings-js";
pub const NPM_COMPONENT_TESTS: &str = "tests/component/jco";

/// The folder of the tests of the component in Python.
pub const PYTHON_COMPONENT_TESTS: &str = "tests/component/python";

/// The folder of the tests of clients of others.
pub const CLIENT_TESTS: &str = "tests/clients";

/// Names under which a Chromium is installed.
const BROWSERS: [&str; 5] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];

/// Takes every step. What is missing for some of the tests only is said, and is no failure.
pub fn run(_: &Arguments) -> Result<()> {
    wasm_targets()?;
    for folder in [NPM_PACKAGE, NPM_COMPONENT_TESTS] {
        npm(folder)?;
    }
    if let Err(reason) = browser() {
        say(format!("no browser: {reason}"));
    }
    for folder in [PYTHON_COMPONENT_TESTS, CLIENT_TESTS] {
        if let Err(reason) = python(folder) {
            say(format!("no Python packages: {reason}"));
        }
    }
    say("set up");
    Ok(())
}

/// Gives the toolchain its WebAssembly targets.
pub fn wasm_targets() -> Result<()> {
    let sysroot = output(command("rustc", ["--print", "sysroot"]))?;
    let rustlib = Path::new(sysroot.trim()).join("lib/rustlib");
    let missing: Vec<_> = WASM_TARGETS.into_iter().filter(|target| !has_std(&rustlib.join(target))).collect();
    if missing.is_empty() {
        return Ok(());
    }
    say(format!("adding {} to the Rust toolchain", missing.join(" and ")));
    run_command(command(root("xtask/wasm-targets.sh"), missing))
}

fn has_std(target: &Path) -> bool {
    let Ok(files) = fs::read_dir(target.join("lib")) else { return false };
    files.flatten().any(|file| file.file_name().to_string_lossy().starts_with("libstd-"))
}

/// Installs the npm packages of a folder as its lock file has them.
pub fn npm(folder: &str) -> Result<()> {
    let path = root(folder);
    if is_fresh(&path.join("node_modules/.package-lock.json"), [path.join("package-lock.json")]) {
        return Ok(());
    }
    say(format!("installing the npm packages of {folder}"));
    let mut npm = command("npm", ["ci", "--no-audit", "--no-fund"]);
    // Playwright drives the browser that is installed; it need not download one of its own
    npm.current_dir(path).env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1");
    run_command(npm)
}

/// The Chromium for the browser tests: `$CHROME`, else the one installed, else Debian's, which is
/// installed where this runs as root.
///
/// # Errors
/// Where there is none; the message says what to do.
pub fn browser() -> Result<PathBuf> {
    if let Some(chrome) = std::env::var_os("CHROME") {
        let chrome = PathBuf::from(chrome);
        if chrome.is_file() {
            return Ok(chrome);
        }
        bail!("CHROME names no file; set it to the path of a Chromium");
    }
    let installed = || BROWSERS.into_iter().find_map(program);
    if let Some(browser) = installed() {
        return Ok(browser);
    }
    if !Path::new("/etc/debian_version").exists() || output(command("id", ["-u"]))?.trim() != "0" {
        bail!("install Chromium or set CHROME to the path of one (as root on Debian, this task installs it)");
    }
    say("installing Debian's chromium");
    run_command(command("apt-get", ["update", "-qq"]))?;
    let mut install = command("apt-get", ["install", "--yes", "-qq", "--no-install-recommends", "chromium"]);
    install.env("DEBIAN_FRONTEND", "noninteractive");
    run_command(install)?;
    match installed() {
        Some(browser) => Ok(browser),
        None => bail!("Debian's chromium was installed but is not on the search path; set CHROME to it"),
    }
}

/// The Python of a virtual environment with the packages of a folder's `requirements.txt`.
///
/// # Errors
/// Where there is no Python 3 with `venv`, or the packages cannot be had.
pub fn python(folder: &str) -> Result<PathBuf> {
    let wanted = root(folder).join("requirements.txt");
    let environment = root(folder).join(".venv");
    let python = environment.join("bin/python");
    let installed = environment.join("requirements.txt");
    if python.exists()
        && fs::read(&wanted).is_ok_and(|wanted| fs::read(&installed).is_ok_and(|have| have == wanted))
    {
        return Ok(python);
    }
    say(format!("installing the Python packages of {folder}"));
    let outcome = || -> Result<()> {
        run_command(command("python3", [Path::new("-m"), Path::new("venv"), &environment]))?;
        let mut install =
            command(&python, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"]);
        install.arg(&wanted);
        run_command(install)
    };
    outcome()
        .map_err(|error| error.context("Python 3 with venv and pip, and its package index, are needed"))?;
    fs::copy(&wanted, &installed)?;
    Ok(python)
}
