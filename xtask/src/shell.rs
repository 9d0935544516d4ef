//! Running programs, and the files and folders that the tasks read and write.

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::LazyLock,
    time::SystemTime,
};

use anyhow::{Context, Result, bail};

/// The root of the workspace.
pub static ROOT: LazyLock<PathBuf> = LazyLock::new(|| {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().unwrap_or(manifest).to_path_buf()
});

/// A path inside the workspace.
pub fn root(path: impl AsRef<Path>) -> PathBuf {
    ROOT.join(path)
}

/// Returns a path inside `dist/`, the folder of the shipped files.
pub fn dist(path: impl AsRef<Path>) -> PathBuf {
    root("dist").join(path)
}

/// Returns the folder that cargo builds in.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root("target"), |folder| root(PathBuf::from(folder)))
}

/// Tells what is being done.
pub fn say(what: impl AsRef<str>) {
    eprintln!("==> {}", what.as_ref());
}

/// A program with its arguments, to be started in the root of the workspace.
pub fn command<S: AsRef<OsStr>>(
    program: impl AsRef<OsStr>,
    arguments: impl IntoIterator<Item = S>,
) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(&*ROOT);
    command
}

/// Returns the cargo that started this task.
///
/// The variables that cargo sets for this task's own package are removed: build scripts that watch them would
/// run again, and their dependents would be compiled again, whenever cargo is run by hand between two tasks.
pub fn cargo<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    let mut cargo = command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()), arguments);
    for (name, _) in std::env::vars_os() {
        let about_the_task = ["CARGO_PKG_", "CARGO_MANIFEST_"]
            .iter()
            .any(|prefix| name.to_str().is_some_and(|name| name.starts_with(prefix)));
        if about_the_task {
            cargo.env_remove(name);
        }
    }
    cargo
}

/// Runs a program to its end; fails if it fails.
pub fn run(mut command: Command) -> Result<()> {
    let name = shown(&command);
    let status = command.status().with_context(|| format!("cannot start `{name}`; is it installed?"))?;
    if !status.success() {
        bail!("`{name}` failed: {status}");
    }
    Ok(())
}

/// Runs a program to its end and gives what it printed.
pub fn output(mut command: Command) -> Result<String> {
    let name = shown(&command);
    let output = command.output().with_context(|| format!("cannot start `{name}`; is it installed?"))?;
    if !output.status.success() {
        bail!("`{name}` failed: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The command line of a program, as a person would type it.
pub fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}

/// The program of that name on the search path.
pub fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|candidate| candidate.is_file())
}

/// Whether `output` is there and no older than any file under `inputs`. Folders are read to their
/// depth, without `node_modules`; an input that is not there does not count.
pub fn is_fresh<P: AsRef<Path>>(output: &Path, inputs: impl IntoIterator<Item = P>) -> bool {
    let Ok(made) = fs::metadata(output).and_then(|about| about.modified()) else { return false };
    inputs.into_iter().filter_map(|input| newest(input.as_ref())).all(|changed| changed <= made)
}

fn newest(path: &Path) -> Option<SystemTime> {
    let about = fs::metadata(path).ok()?;
    if !about.is_dir() {
        return about.modified().ok();
    }
    let entries = fs::read_dir(path).ok()?.flatten();
    entries
        .filter(|entry| entry.file_name() != "node_modules")
        .filter_map(|entry| newest(&entry.path()))
        .max()
}

/// Writes a file, unless it holds just that already: what depends on it by its age stays fresh.
pub fn write_if_changed(path: &Path, contents: &[u8]) -> Result<()> {
    if fs::read(path).is_ok_and(|old| old == contents) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, contents).with_context(|| format!("cannot write {}", path.display()))
}

/// Copies a file with its permissions if its bytes differ. The copy replaces the old file atomically, so a
/// running program can be replaced.
pub fn copy_if_changed(from: &Path, to: &Path) -> Result<()> {
    let new = fs::read(from).with_context(|| format!("cannot read {}", from.display()))?;
    if fs::read(to).is_ok_and(|old| old == new) {
        return Ok(());
    }
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    let beside = to.with_added_extension("new");
    fs::copy(from, &beside).with_context(|| format!("cannot write {}", beside.display()))?;
    fs::rename(&beside, to).with_context(|| format!("cannot write {}", to.display()))
}
