//! The tests in Rust, compiled with the packages that the program is compiled with, or some of them optimised.

use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::{
    program::{self, SELECTED},
    shell::{cargo, command, root, shown, target},
};

/// The variable in which the other suites have the program that they start.
pub const PROGRAM: &str = "TEXTVEIL";

/// Compiles the example of the evaluation that validates, and returns its folder.
///
/// # Errors
/// If it does not compile.
pub fn build_example() -> Result<PathBuf> {
    program::compile(&["--example=validate"])?;
    Ok(target().join("debug/examples"))
}

/// The compiled tests of the workspace.
#[derive(Clone, Debug, Default)]
pub struct Tests(Vec<Test>);

/// A compiled test.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Test {
    /// The folder of its package.
    folder: PathBuf,
    executable: PathBuf,
}

/// The fields of a message of cargo that tell a compiled test from the rest.
#[derive(Deserialize)]
struct Message {
    manifest_path: Option<PathBuf>,
    executable: Option<PathBuf>,
    profile: Option<Profile>,
}

#[derive(Deserialize)]
struct Profile {
    test: bool,
}

impl Tests {
    /// Compiles the tests of the workspace.
    ///
    /// # Errors
    /// If one of them does not compile.
    pub fn compile() -> Result<Self> {
        Self::compile_with(&SELECTED)
    }

    /// Compiles the tests that these arguments of `cargo test` select.
    ///
    /// # Errors
    /// If one of them does not compile.
    pub fn compile_with(arguments: &[&str]) -> Result<Self> {
        let mut compile = cargo(["test", "--no-run", "--message-format=json-render-diagnostics"]);
        compile.args(arguments).stdout(Stdio::piped());
        let name = shown(&compile);
        let mut child = compile.spawn().with_context(|| format!("cannot start `{name}`"))?;
        let printed = child.stdout.take().context("cargo has a standard output")?;
        let mut tests = Vec::new();
        for line in BufReader::new(printed).lines() {
            tests.extend(Test::of(&line?)?);
        }
        let status = child.wait()?;
        if !status.success() {
            bail!("`{name}` failed: {status}");
        }
        Ok(Self(tests))
    }

    /// Returns what runs the tests of the package in a folder, given relative to the root of the workspace.
    pub fn of(&self, folder: &str) -> Vec<Command> {
        let folder = root(folder);
        self.0.iter().filter(|test| test.folder == folder).map(Test::command).collect()
    }

    /// Returns what runs one compiled test of the package in a folder, if it has a test of this name.
    pub fn named(&self, folder: &str, name: &str) -> Option<Command> {
        let folder = root(folder);
        // cargo writes a hash behind the name
        let is_named = |test: &&Test| {
            let file = test.executable.file_stem().and_then(|file| file.to_str());
            test.folder == folder
                && file.and_then(|file| file.rsplit_once('-')).is_some_and(|(own, _)| own == name)
        };
        self.0.iter().find(is_named).map(Test::command)
    }

    /// Returns what runs the tests of all packages except those in these folders, and all examples in documentation;
    /// with `full`, ignored tests, too.
    pub fn except(&self, folders: &[&str], full: bool) -> Vec<Command> {
        let excluded: Vec<_> = folders.iter().map(root).collect();
        let mut documentation = cargo(["test", "--no-fail-fast", "--doc"]);
        documentation.args(SELECTED);
        let tasks = cargo(["test", "--no-fail-fast", "--package=xtask"]);
        let tests = self.0.iter().filter(|test| !excluded.contains(&test.folder)).map(|test| {
            let mut command = test.command();
            command.args(full.then_some("--include-ignored"));
            command
        });
        tests.chain([documentation, tasks]).collect()
    }
}

impl Test {
    /// Reads a line that cargo prints; `None` if it is not about a compiled test.
    fn of(line: &str) -> Result<Option<Self>> {
        let message: Message = serde_json::from_str(line).context("in a message of cargo")?;
        Ok(match message {
            Message {
                manifest_path: Some(manifest),
                executable: Some(executable),
                profile: Some(Profile { test: true }),
            } => manifest.parent().map(|folder| Self { folder: folder.to_path_buf(), executable }),
            _ => None,
        })
    }

    /// Returns the command that runs it, in the folder in which `cargo test` would.
    fn command(&self) -> Command {
        let mut test = command::<&Path>(&self.executable, []);
        test.current_dir(&self.folder).env("CARGO_MANIFEST_DIR", &self.folder);
        test
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_about_tests_are_read() {
        let artifact = |test, executable| {
            format!(
                r#"{{"reason":"compiler-artifact","manifest_path":"/w/engine/Cargo.toml","profile":{{"test":{test}}},"executable":{executable}}}"#
            )
        };
        let test = Test { folder: "/w/engine".into(), executable: "/t/x-1".into() };
        for (line, expected) in [
            (artifact("true", r#""/t/x-1""#), Some(test)),
            (artifact("false", r#""/t/x-1""#), None),
            (artifact("true", "null"), None),
            (r#"{"reason":"build-finished","success":true}"#.to_owned(), None),
        ] {
            assert_eq!(Test::of(&line).unwrap(), expected, "{line}");
        }
        assert!(Test::of("warning: no JSON").is_err());
    }
}
