//! Skips a step of a build whose inputs are unchanged.
//!
//! After a step, a record in `target/xtask/steps/` keeps the hash of each input file, and the stamp (size and
//! modification time) of each input and output. A step is up to date if its outputs have their stamps and its inputs
//! their hashes. An input with the recorded stamp is not read, so the check takes a few milliseconds.

use std::{
    collections::BTreeMap,
    env, fs,
    hash::{DefaultHasher, Hasher},
    path::{Path, PathBuf},
    sync::LazyLock,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::shell::{command, output, target, write_if_changed};

/// A step of a build.
pub struct Step {
    record: PathBuf,
    settings: u64,
    outputs: Vec<PathBuf>,
    generated: Vec<PathBuf>,
}

/// The state of the files at the end of a step.
#[derive(Serialize, Deserialize)]
struct Record {
    settings: u64,
    /// The files and folders that the inputs were found in.
    roots: Vec<PathBuf>,
    inputs: BTreeMap<PathBuf, Input>,
    outputs: BTreeMap<PathBuf, Stamp>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
struct Input {
    stamp: Stamp,
    hash: u64,
}

/// Tells that a file was probably not written since.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    pub bytes: u64,
    /// Since 1970.
    modified: Duration,
}

impl Stamp {
    /// Returns the stamp of a file.
    pub fn of(about: &fs::Metadata) -> Self {
        let modified = about.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        Self { bytes: about.len(), modified: modified.unwrap_or_default() }
    }
}

/// The compiler and the variables that change what it does.
static TOOLCHAIN: LazyLock<Vec<String>> = LazyLock::new(|| {
    let variables = env::vars_os().filter_map(|(name, value)| {
        let name = name.to_str()?;
        let counts =
            ["CARGO_BUILD_", "CARGO_PROFILE_", "CARGO_TARGET_", "CARGO_ENCODED_RUSTFLAGS", "RUSTFLAGS"]
                .iter()
                .any(|prefix| name.starts_with(prefix));
        counts.then(|| format!("{name}={}", value.to_string_lossy()))
    });
    let compiler = output(command("rustc", ["--version"])).unwrap_or_default();
    variables.chain([compiler]).collect()
});

impl Step {
    /// Describes a step by its name, which no other step has, its settings and the files or folders that it writes.
    ///
    /// `settings` are everything that the outputs depend on and that is not a file, such as the arguments of a compiler.
    pub fn new(
        name: &str,
        settings: impl IntoIterator<Item = String>,
        outputs: impl IntoIterator<Item = PathBuf>,
    ) -> Self {
        Self {
            record: target().join("xtask/steps").join(name).with_added_extension("json"),
            settings: hash_of(settings.into_iter().chain(TOOLCHAIN.iter().cloned())),
            outputs: outputs.into_iter().collect(),
            generated: Vec::new(),
        }
    }

    /// Excludes files and folders from the inputs, since the step itself writes them.
    pub fn generates(self, paths: impl IntoIterator<Item = PathBuf>) -> Self {
        Self { generated: paths.into_iter().collect(), ..self }
    }

    /// Does the work of a step that is not up to date, and records that it is.
    ///
    /// `roots` returns the files and folders of the inputs once the work is done, since a compiler knows its inputs at
    /// the end. A folder stands for the files in it, except those in `node_modules`.
    ///
    /// # Errors
    /// If the work fails, or the record cannot be written.
    pub fn run(
        &self,
        roots: impl FnOnce() -> Result<Vec<PathBuf>>,
        work: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        if self.is_up_to_date() {
            return Ok(());
        }
        let start = SystemTime::now();
        work()?;
        self.done(roots()?, start)
    }

    /// Whether the step need not run.
    pub fn is_up_to_date(&self) -> bool {
        let Some(record) =
            fs::read(&self.record).ok().and_then(|json| serde_json::from_slice::<Record>(&json).ok())
        else {
            return false;
        };
        let inputs = files(&record.roots, &self.generated);
        record.settings == self.settings
            && self.outputs.iter().all(|output| output.exists())
            && record.outputs == files(&self.outputs, &[])
            && inputs.len() == record.inputs.len()
            && inputs.iter().all(|(path, stamp)| {
                record.inputs.get(path).is_some_and(|input| {
                    input.stamp == *stamp
                        || input.stamp.bytes == stamp.bytes
                            && hash_file(path).is_ok_and(|hash| hash == input.hash)
                })
            })
    }

    /// Records that the step was done, with the inputs that it read.
    ///
    /// It runs again next time if an input was written after `start`: it may have read what was there before.
    ///
    /// # Errors
    /// If an input cannot be read, or the record cannot be written.
    pub fn done(&self, roots: Vec<PathBuf>, start: SystemTime) -> Result<()> {
        let start = start.duration_since(UNIX_EPOCH).unwrap_or_default();
        let mut inputs = BTreeMap::new();
        for (path, stamp) in files(&roots, &self.generated) {
            if stamp.modified >= start {
                return Ok(());
            }
            let hash = hash_file(&path)?;
            inputs.insert(path, Input { stamp, hash });
        }
        let outputs = files(&self.outputs, &[]);
        let record = Record { settings: self.settings, roots, inputs, outputs };
        write_if_changed(&self.record, &serde_json::to_vec(&record)?)
    }
}

/// Returns the files that cargo compiled a crate from, by the list that it writes beside its output, and the manifests
/// above them.
///
/// # Errors
/// If there is no such list.
pub fn compiled_from(output: &Path) -> Result<Vec<PathBuf>> {
    let list = output.with_extension("d");
    let text = fs::read_to_string(&list).with_context(|| format!("cannot read {}", list.display()))?;
    let mut files = inputs_in(&text);
    // written by build scripts, from other files of the list
    files.retain(|file| !file.starts_with(target()));
    let mut manifests: Vec<_> =
        files.iter().flat_map(|file| file.ancestors()).map(|folder| folder.join("Cargo.toml")).collect();
    manifests.sort();
    manifests.dedup();
    files.extend(manifests.into_iter().filter(|manifest| manifest.is_file()));
    Ok(files)
}

/// The inputs in a rule of make: `output: input input`, in which a backslash precedes a space of a path.
fn inputs_in(rules: &str) -> Vec<PathBuf> {
    let mut inputs = Vec::new();
    for (_, rule) in rules.lines().filter_map(|line| line.split_once(": ")) {
        let mut path = String::new();
        for word in rule.split(' ') {
            match word.strip_suffix('\\') {
                Some(start) => {
                    path.push_str(start);
                    path.push(' ');
                }
                None => {
                    path.push_str(word);
                    inputs.push(PathBuf::from(std::mem::take(&mut path)));
                }
            }
        }
    }
    inputs.retain(|input| !input.as_os_str().is_empty());
    inputs
}

/// The files at these paths and in their folders, with their stamps, except the excluded ones. Absent paths are skipped.
fn files(paths: &[PathBuf], excluded: &[PathBuf]) -> BTreeMap<PathBuf, Stamp> {
    let mut found = BTreeMap::new();
    paths.iter().for_each(|path| add_files(path, excluded, &mut found));
    found
}

fn add_files(path: &Path, excluded: &[PathBuf], found: &mut BTreeMap<PathBuf, Stamp>) {
    let Ok(about) = fs::metadata(path) else { return };
    if excluded.iter().any(|other| other == path) {
        return;
    }
    if !about.is_dir() {
        found.insert(path.to_path_buf(), Stamp::of(&about));
        return;
    }
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        if entry.file_name() != "node_modules" {
            add_files(&entry.path(), excluded, found);
        }
    }
}

fn hash_file(path: &Path) -> Result<u64> {
    let content = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut hasher = DefaultHasher::new();
    hasher.write(&content);
    Ok(hasher.finish())
}

fn hash_of(texts: impl Iterator<Item = String>) -> u64 {
    let mut hasher = DefaultHasher::new();
    for text in texts {
        hasher.write(text.as_bytes());
        hasher.write_u8(0xFF);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// A folder with an input and the step that copies it.
    struct Fixture {
        folder: tempfile::TempDir,
        runs: Cell<usize>,
    }

    impl Fixture {
        fn new() -> Self {
            let fixture = Self { folder: tempfile::tempdir().unwrap(), runs: Cell::new(0) };
            fs::create_dir(fixture.path("in")).unwrap();
            fixture.write("in/a", "1", 100);
            fixture
        }

        fn path(&self, name: &str) -> PathBuf {
            self.folder.path().join(name)
        }

        /// Writes a file that is as many seconds old.
        fn write(&self, name: &str, content: &str, age: u64) {
            let path = self.path(name);
            fs::write(&path, content).unwrap();
            let time = SystemTime::now() - Duration::from_secs(age);
            fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
        }

        /// Runs the step and returns how often its work was done.
        fn runs(&self, settings: &str) -> usize {
            let step = Step {
                record: self.path("record"),
                settings: hash_of([settings.to_owned()].into_iter()),
                outputs: vec![self.path("out")],
                generated: Vec::new(),
            };
            let work = || {
                self.runs.set(self.runs.get() + 1);
                Ok(fs::write(self.path("out"), "made")?)
            };
            step.run(|| Ok(vec![self.path("in")]), work).unwrap();
            self.runs.take()
        }
    }

    #[test]
    fn a_step_runs_when_something_changed() {
        let it = Fixture::new();
        assert_eq!((it.runs("a"), it.runs("a")), (1, 0), "first");
        it.write("in/a", "1", 50);
        assert_eq!(it.runs("a"), 0, "the same content, written anew");
        it.write("in/a", "2", 50);
        assert_eq!((it.runs("a"), it.runs("a")), (1, 0), "another content of the same length");
        it.write("in/b", "", 50);
        assert_eq!((it.runs("a"), it.runs("a")), (1, 0), "one more file");
        fs::remove_file(it.path("in/b")).unwrap();
        assert_eq!((it.runs("a"), it.runs("a")), (1, 0), "one file less");
        assert_eq!((it.runs("b"), it.runs("b")), (1, 0), "other settings");
        it.write("out", "else", 0);
        assert_eq!((it.runs("b"), it.runs("b")), (1, 0), "another output");
        fs::remove_file(it.path("out")).unwrap();
        assert_eq!((it.runs("b"), it.runs("b")), (1, 0), "no output");
    }

    #[test]
    fn an_input_that_was_written_meanwhile_is_read_again() {
        let it = Fixture::new();
        let step = Step {
            record: it.path("record"),
            settings: 0,
            outputs: vec![it.path("out")],
            generated: Vec::new(),
        };
        let work = || {
            it.write("in/a", "2", 0);
            Ok(fs::write(it.path("out"), "made of 1")?)
        };
        step.run(|| Ok(vec![it.path("in")]), work).unwrap();
        assert!(!step.is_up_to_date());
    }

    #[test]
    fn rules_of_make_are_read() {
        let rules = "/t/a.wasm: /w/my\\ crate/src/lib.rs /w/b.rs\n\n/t/b.wasm: /w/c.rs\n";
        let expected = ["/w/my crate/src/lib.rs", "/w/b.rs", "/w/c.rs"].map(PathBuf::from);
        assert_eq!(inputs_in(rules), expected);
    }
}
