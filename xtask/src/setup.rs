//! `cargo xtask setup`: what the other tasks need and a fresh machine lacks.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Result, bail};

use crate::{
    build::built_wheel,
    shell::{command, is_fresh, output, program, root, run as run_command, say, target},
};

/// Install the dependencies of the other tasks: WebAssembly targets, npm packages, a browser, Redis, Python
/// packages.
///
/// Each step runs only if something is missing. The other tasks run the steps that they need themselves, so
/// this one is for preparing a machine before it goes offline.
#[derive(clap::Args)]
pub struct Arguments {}

/// The targets of the components and of the npm package.
const WASM_TARGETS: [&str; 2] = ["wasm32-unknown-unknown", "wasm32-wasip2"];

/// Folders with npm packages: the JavaScript package with the web pages, the packages that it is measured next to, the documentation, the
/// examples with the package, and what these tasks need.
pub const NPM_JAVASCRIPT: &str = ".";
pub const NPM_BENCH: &str = "bindings-js/bench";
pub const NPM_DOCS: &str = "docs";
pub const NPM_EXAMPLES: &str = "examples";
pub const NPM_TOOLS: &str = "xtask";

/// The folder of the suites with third-party clients and libraries: a project of Python, and one of Node.
pub const INTEROP: &str = "tests/interop";

/// The groups of Python packages that suites need, as `pyproject.toml` names them.
const PYTHON_GROUPS: [&str; 7] =
    ["clients", "gateway", "repositories", "schemathesis", "python", "differential", "people"];

/// Names under which a Chromium is installed.
const BROWSERS: [&str; 5] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];

/// Names under which a Firefox is installed.
const FIREFOXES: [&str; 2] = ["firefox-esr", "firefox"];

/// Names under which Redis, or what took over from it, is installed.
const REDIS_SERVERS: [&str; 2] = ["redis-server", "valkey-server"];

/// Runs every step. A missing dependency of some tests is reported, but is not a failure.
pub fn run(_: &Arguments) -> Result<()> {
    wasm_targets()?;
    if let Err(reason) = redis_server() {
        say(format!("no Redis: {reason}"));
    }
    for folder in [NPM_JAVASCRIPT, NPM_DOCS, NPM_EXAMPLES, NPM_TOOLS, INTEROP] {
        npm(folder)?;
    }
    for browser in [browser(), firefox()] {
        if let Err(reason) = browser {
            say(format!("no browser: {reason}"));
        }
    }
    for group in PYTHON_GROUPS {
        if let Err(reason) = python(group) {
            say(format!("no Python packages: {reason}"));
        }
    }
    if let Err(reason) = wheel_python() {
        say(format!("no Python packages: {reason}"));
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
    run_installer(command(root("xtask/wasm-targets.sh"), missing))
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
    npm_ci(folder, &[])
}

/// Installs the npm packages of a folder with those of benchmarks, which its `.npmrc` leaves out, and returns the
/// folder of the named one.
pub fn npm_bench(folder: &str, package: &str) -> Result<PathBuf> {
    let path = root(folder).join("node_modules").join(package);
    if !path.exists() {
        npm_ci(folder, &["--include=dev"])?;
    }
    Ok(path)
}

/// Runs an installer, whose messages are no part of the output of the task that needs it.
fn run_installer(mut installer: Command) -> Result<()> {
    installer.stdout(io::stderr());
    run_command(installer)
}

fn npm_ci(folder: &str, options: &[&str]) -> Result<()> {
    say(format!("installing the npm packages of {folder}"));
    let mut npm = command("npm", ["ci", "--no-audit", "--no-fund"]);
    npm.args(options);
    // Playwright uses the installed browser and need not download one
    npm.current_dir(root(folder)).env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1");
    run_installer(npm)
}

/// Returns the Chromium for the browser tests: `$CHROME`, else an installed one, else Debian's package, which
/// is installed if this runs as root.
///
/// # Errors
/// If no Chromium is found; the message says what to do.
pub fn browser() -> Result<PathBuf> {
    installed("CHROME", &BROWSERS, "chromium")
}

/// Returns the Firefox for the npm package's tests in a second browser: `$FIREFOX`, else an installed one,
/// else Debian's package, which is installed if this runs as root.
///
/// # Errors
/// If no Firefox is found; the message says what to do.
pub fn firefox() -> Result<PathBuf> {
    installed("FIREFOX", &FIREFOXES, "firefox-esr")
}

/// Returns the Redis for the tests of its stores: `$REDIS_SERVER`, else an installed one, else Debian's
/// package, which is installed if this runs as root. The tests start servers of their own from it.
///
/// # Errors
/// If no Redis is found; the message says what to do.
pub fn redis_server() -> Result<PathBuf> {
    installed("REDIS_SERVER", &REDIS_SERVERS, "redis-server")
}

/// Returns the load generator for the gateway's benchmark: `$WRK`, else an installed one, else Debian's
/// package, which is installed if this runs as root.
///
/// # Errors
/// If `wrk` is not found; the message says what to do.
pub fn wrk() -> Result<PathBuf> {
    installed("WRK", &["wrk"], "wrk")
}

/// The program that `variable` names, else one of `names` on the search path, else that of a Debian
/// package.
fn installed(variable: &str, names: &[&str], package: &str) -> Result<PathBuf> {
    if let Some(path) = std::env::var_os(variable) {
        let path = PathBuf::from(path);
        if path.is_file() {
            return Ok(path);
        }
        bail!("{variable} names no file; set it to the path of the program");
    }
    let find = || names.iter().find_map(|name| program(name));
    if let Some(found) = find() {
        return Ok(found);
    }
    if !Path::new("/etc/debian_version").exists() || output(command("id", ["-u"]))?.trim() != "0" {
        bail!(
            "install {package} or set {variable} to the path of the program (as root on Debian, this task \
             installs it)"
        );
    }
    say(format!("installing Debian's {package}"));
    run_installer(command("apt-get", ["update", "-qq"]))?;
    let mut install = command("apt-get", ["install", "--yes", "-qq", "--no-install-recommends", package]);
    // only the program is needed: the package must not start its service
    install.env("DEBIAN_FRONTEND", "noninteractive").env("RUNLEVEL", "1").env("SYSTEMD_OFFLINE", "1");
    run_installer(install)?;
    match find() {
        Some(found) => Ok(found),
        None => bail!("Debian's {package} was installed but is not on the search path; set {variable} to it"),
    }
}

/// Returns the Python of the suites' virtual environment, with a group of packages of its `pyproject.toml`.
///
/// # Errors
/// If Python 3 with `venv` is missing, or the packages cannot be installed.
pub fn python(group: &str) -> Result<PathBuf> {
    python_in(&root(INTEROP).join(".venv"), group)
}

/// Returns the Python of the virtual environment for the wheel, with what the wheel and its tests need.
///
/// # Errors
/// As [`python`].
pub fn wheel_python() -> Result<PathBuf> {
    python_in(&target().join("xtask/wheel"), "wheel")
}

/// Installs the built wheel with this Python.
///
/// # Errors
/// If it is not built, or needs what is not installed.
pub fn install_wheel(python: &Path) -> Result<()> {
    let pip = |arguments: &[&str]| {
        let mut pip = command(python, ["-m", "pip", "--disable-pip-version-check"]);
        pip.args(arguments);
        pip
    };
    // its version may be the installed one
    let mut install = pip(&["install", "--quiet", "--no-index", "--no-deps", "--force-reinstall"]);
    install.arg(built_wheel()?);
    run_installer(install)?;
    // that it names what it needs
    run_installer(pip(&["check"]))
}

fn python_in(environment: &Path, group: &str) -> Result<PathBuf> {
    let folder = root(INTEROP);
    let python = environment.join("bin/python");
    let wanted =
        [fs::read(folder.join("pyproject.toml"))?, fs::read(folder.join("constraints.txt"))?].concat();
    // the content of both when the group was installed
    let installed = environment.join(format!("group-{group}"));
    if python.exists() && fs::read(&installed).is_ok_and(|have| have == wanted) {
        return Ok(python);
    }
    say(format!("installing the Python packages of {group}"));
    let outcome = || -> Result<()> {
        run_installer(command("python3", [Path::new("-m"), Path::new("venv"), environment]))?;
        let mut pip = command(&python, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
        pip.args(["uv", "--constraint", "constraints.txt"]).current_dir(&folder);
        run_installer(pip)?;
        // it resolves and unpacks hundreds of packages in seconds, where pip takes minutes of a processor
        let mut uv = command(&python, ["-m", "uv", "pip", "install", "--quiet", "--python"]);
        uv.arg(&python).args(["--group", group, "--constraint", "constraints.txt"]).current_dir(&folder);
        run_installer(uv)
    };
    outcome()
        .map_err(|error| error.context("Python 3 with venv and pip, and its package index, are needed"))?;
    fs::write(installed, wanted)?;
    Ok(python)
}
