//! The native program: as it ships, or as tests and `cargo xtask serve` run it.

use std::{env::consts::EXE_SUFFIX, path::PathBuf};

use anyhow::Result;

use crate::{
    build::{Finish, sources},
    shell::{cargo, copy_if_changed, dist, run, say, target},
    step::Step,
};

/// The packages of each run of cargo in the profile `dev`. With the same packages, and an example among the targets,
/// each package has the same features in each run, and is compiled once. The program needs the package of the example and all of
/// its dependencies, so that the first start compiles nothing for the example alone.
pub const SELECTED: [&str; 3] = [
    "--workspace",
    // compiled already, alone
    "--exclude=xtask",
    "--exclude=xtask-wasm",
];

/// Returns the path of the program once it is built.
pub fn path(finish: Finish) -> PathBuf {
    match finish {
        Finish::Shipped => dist(name()),
        Finish::Quick | Finish::Served => target().join("debug").join(name()),
    }
}

fn name() -> String {
    format!("textveil{EXE_SUFFIX}")
}

/// Builds the program, unless it is up to date.
///
/// # Errors
/// If it does not compile.
pub fn build(finish: Finish) -> Result<()> {
    let path = path(finish);
    match finish {
        Finish::Shipped => {
            let compiled = target().join("release").join(name());
            Step::new("textveil-shipped", [], [path.clone()]).run(
                || sources(&compiled),
                || {
                    say("building the native program: dist/textveil");
                    run(cargo(["build", "--package", "textveil", "--release"]))?;
                    copy_if_changed(&compiled, &path)
                },
            )
        }
        // with the features that tests have, so that third-party packages are compiled once for both
        Finish::Quick | Finish::Served => Step::new("textveil-quick", [], [path.clone()]).run(
            || sources(&path),
            || {
                say("building the native program for development");
                compile(&["--bin=textveil"])
            },
        ),
    }
}

/// Compiles targets of the [selected](SELECTED) packages, and an example.
///
/// # Errors
/// If they do not compile.
pub fn compile(targets: &[&str]) -> Result<()> {
    let mut build = cargo(["build", "--example=records"]);
    build.args(SELECTED).args(targets);
    run(build)
}
