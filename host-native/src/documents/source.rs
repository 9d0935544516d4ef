//! The sources of documents: files, folders, standard input.

use std::{
    collections::HashSet,
    fs::File,
    io::{self, BufRead, BufReader, IsTerminal, Read},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use ignore::{
    WalkBuilder,
    overrides::{Override, OverrideBuilder},
};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use textveil_documents::{Format, refusal};

/// Work that takes less time shows no progress.
const PATIENCE: Duration = Duration::from_millis(700);
/// The number of bytes at the start of a file that tell whether it is text.
const PEEK: usize = 8 << 10;
/// The folder of git's own files.
const GIT: &str = ".git";

/// One document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its file; `None` for standard input.
    pub path: Option<PathBuf>,
    /// The path of what comes out, inside the given folder; the file's name for a given file.
    pub inside: PathBuf,
    /// The format in which it is read.
    pub format: Format,
    /// It was found in a folder, not given by name.
    pub found: bool,
    /// Neither the caller nor its name tells its format, so its content may.
    is_unnamed: bool,
}

/// The rules by which files of folders are read. `.git` is always left out, symbolic links are not followed.
#[derive(Clone, Debug)]
pub struct Walking {
    /// Patterns of `.gitignore` for paths inside the given folder; one with `!` leaves out. Without patterns, every file.
    pub globs: Vec<String>,
    /// Whether hidden files and folders are read.
    pub reads_hidden: bool,
    /// Whether files are read that `.gitignore` and the like name.
    pub reads_ignored: bool,
}

/// Files and folders that a rule leaves out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// A folder counts once.
    pub count: usize,
    /// One of them: the first hidden file, which may have secrets, or else the first.
    example: String,
    is_hidden_file: bool,
}

/// A document in the format in which it is read, and its content.
pub type Opened = (Source, Box<dyn BufRead>);

/// The documents given on the command line, with the files of folders.
#[derive(Debug, Default)]
pub struct Sources {
    /// In the order given; the files of a folder sorted by name.
    pub all: Vec<Source>,
    /// Their total size in bytes, as far as known.
    pub bytes: u64,
    /// The problems of paths that cannot be read.
    pub failed: Vec<String>,
    /// Left out since they are hidden.
    pub hidden: LeftOut,
    /// Left out since `.gitignore` or the like names them.
    pub ignored: LeftOut,
}

impl Sources {
    /// Lists the documents of `paths`; standard input for `-`, and without paths.
    ///
    /// # Errors
    /// If a pattern is not valid. A path that does not exist is one of the problems.
    pub fn list(paths: &[PathBuf], format: Option<Format>, walking: &Walking) -> Result<Self> {
        let mut sources = Self::default();
        let stdin = [PathBuf::from("-")];
        for path in if paths.is_empty() { &stdin } else { paths } {
            if path.as_os_str() == "-" {
                sources.all.push(Source::new(None, "stdin".into(), format, false));
                continue;
            }
            match path.metadata() {
                Err(error) => sources.failed.push(format!("cannot read {}: {error}", path.display())),
                Ok(metadata) if metadata.is_dir() => sources.walk(path, format, walking)?,
                Ok(metadata) => {
                    sources.bytes += metadata.len();
                    let inside = path.file_name().map_or_else(|| path.clone(), PathBuf::from);
                    sources.all.push(Source::new(Some(path.clone()), inside, format, false));
                }
            }
        }
        Ok(sources)
    }

    fn walk(&mut self, folder: &Path, format: Option<Format>, walking: &Walking) -> Result<()> {
        let globs = walking.overrides(folder)?;
        let mut walk = WalkBuilder::new(folder);
        walk.standard_filters(!walking.reads_ignored)
            .require_git(false)
            .hidden(!walking.reads_hidden)
            .overrides(globs.clone())
            .sort_by_file_name(Ord::cmp)
            .filter_entry(|entry| entry.file_name() != GIT);
        let mut folders = Vec::new();
        let mut seen = HashSet::new();
        for entry in walk.build() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    self.failed.push(format!("cannot read {}: {error}", folder.display()));
                    continue;
                }
            };
            let path = entry.path().to_owned();
            match entry.file_type() {
                Some(kind) if kind.is_dir() => folders.push(path.clone()),
                Some(kind) if kind.is_file() => {
                    self.bytes += entry.metadata().map_or(0, |metadata| metadata.len());
                    let inside = path.strip_prefix(folder).unwrap_or(&path).to_owned();
                    self.all.push(Source::new(Some(path.clone()), inside, format, true));
                }
                _ => (),
            }
            seen.insert(path);
        }
        if !walking.reads_hidden || !walking.reads_ignored {
            folders.iter().for_each(|inside| self.count_left_out(inside, &seen, &globs, walking));
        }
        Ok(())
    }

    /// Counts the entries of a folder that the walk left out, except those that the caller's patterns leave out.
    fn count_left_out(
        &mut self,
        folder: &Path,
        seen: &HashSet<PathBuf>,
        globs: &Override,
        walking: &Walking,
    ) {
        let Ok(entries) = folder.read_dir() else { return };
        let mut left: Vec<_> = entries
            .flatten()
            .filter(|entry| entry.file_name() != GIT && !seen.contains(&entry.path()))
            .map(|entry| (entry.path(), entry.file_type().is_ok_and(|kind| kind.is_dir())))
            .filter(|(path, is_folder)| !globs.matched(path, *is_folder).is_ignore())
            .collect();
        left.sort();
        for (path, is_folder) in left {
            let is_hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
            let why = if is_hidden && !walking.reads_hidden { &mut self.hidden } else { &mut self.ignored };
            let is_hidden_file = is_hidden && !is_folder;
            if why.count == 0 || is_hidden_file && !why.is_hidden_file {
                (why.example, why.is_hidden_file) = (path.display().to_string(), is_hidden_file);
            }
            why.count += 1;
        }
    }

    /// Returns a line for each rule that left something out, with the flag that reads it.
    pub fn left_out(&self) -> impl Iterator<Item = String> {
        let rules = [
            (&self.hidden, "are hidden", "--hidden"),
            (&self.ignored, "are named in .gitignore or the like", "--no-ignore"),
        ];
        rules.into_iter().filter(|(left, ..)| left.count > 0).map(
            |(LeftOut { count, example, .. }, why, flag)| {
                let (files, why, them) = match count {
                    1 => ("file or folder", why.replace("are", "is"), "it"),
                    _ => ("files and folders", why.to_owned(), "them"),
                };
                format!("left out: {count} {files} that {why}, such as {example}; {flag} reads {them}")
            },
        )
    }
}

impl Walking {
    /// Returns the patterns for the files of a folder.
    ///
    /// # Errors
    /// If one is not valid.
    fn overrides(&self, folder: &Path) -> Result<Override> {
        let mut globs = OverrideBuilder::new(folder);
        for glob in &self.globs {
            globs.add(glob).with_context(|| format!("--glob {glob}"))?;
        }
        Ok(globs.build()?)
    }
}

impl Source {
    /// Without a format, it is that of the file's extension, or else plain text.
    fn new(path: Option<PathBuf>, inside: PathBuf, format: Option<Format>, found: bool) -> Self {
        let name = path.as_ref().and_then(|path| path.file_name()).map(|name| name.to_string_lossy());
        let known = format.or_else(|| name.as_deref().and_then(Format::of_name));
        let is_unnamed = known.is_none() && !name.is_some_and(|name| name.contains('.'));
        let format = known.unwrap_or(Format::Text);
        let mut inside = inside.into_os_string();
        if let Some(extension) = format.extension_written() {
            // of an Office document, the text comes out
            inside.push(".");
            inside.push(extension);
        }
        Self { path, inside: inside.into(), format, found, is_unnamed }
    }

    /// Returns the source in the format that its content tells, if nothing else does.
    fn by_content(&self, start: &[u8]) -> Self {
        let told = if self.is_unnamed { Format::of_content(start) } else { None };
        Self { format: told.unwrap_or(self.format), ..self.clone() }
    }

    /// Whether the document is a plain text.
    pub fn is_plain(&self) -> bool {
        self.format == Format::Text
    }

    /// Returns the path as the user would write it; `stdin` for standard input.
    pub fn name(&self) -> String {
        self.path.as_ref().unwrap_or(&self.inside).display().to_string()
    }

    /// Opens the document, or says why it is skipped: it was found in a folder, and is of a format that is not read. The
    /// format may be another then, which its content tells.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn open(&self, progress: &Progress) -> Result<Result<Opened, String>> {
        let Some(path) = &self.path else {
            if io::stdin().is_terminal() {
                eprintln!("reading standard input; end it with Ctrl-D");
            }
            let mut input = BufReader::new(progress.count(io::stdin()));
            let source = if self.is_unnamed { self.by_content(input.fill_buf()?) } else { self.clone() };
            return Ok(Ok((source, Box::new(input))));
        };
        let mut file = File::open(path)?;
        let mut start = Vec::new();
        file.by_ref().take(PEEK as u64).read_to_end(&mut start)?;
        if let Some(reason) = refusal(&start, self.format).filter(|_| self.found) {
            return Ok(Err(reason));
        }
        let source = self.by_content(&start);
        let file = progress.count(io::Cursor::new(start).chain(file));
        Ok(Ok((source, Box::new(BufReader::with_capacity(64 << 10, file)))))
    }
}

/// A progress bar on standard error: on a terminal, for longer work.
#[derive(Clone)]
pub struct Progress {
    bar: ProgressBar,
    since: Instant,
    is_wanted: bool,
    is_quiet: bool,
}

impl Progress {
    /// Creates a progress bar for `bytes` of work; of unknown length for 0. Hidden if the output goes to the
    /// same terminal. If it is quiet, only errors are printed.
    pub fn new(bytes: u64, output_on_terminal: bool, is_quiet: bool) -> Self {
        let bar = ProgressBar::with_draw_target((bytes > 0).then_some(bytes), ProgressDrawTarget::hidden());
        let shape = match bytes {
            0 => "{spinner} {bytes} {binary_bytes_per_sec}",
            _ => "{wide_bar} {bytes}/{total_bytes} {binary_bytes_per_sec} {eta}",
        };
        if let Ok(style) = ProgressStyle::with_template(shape) {
            bar.set_style(style);
        }
        let is_wanted = !output_on_terminal && !is_quiet && io::stderr().is_terminal();
        Self { bar, since: Instant::now(), is_wanted, is_quiet }
    }

    /// Prints a line to standard error, above the bar.
    pub fn note(&self, line: &str) {
        if !self.is_quiet {
            self.error(line);
        }
    }

    /// The same for a line that is printed in any case.
    pub fn error(&self, line: &str) {
        self.bar.suspend(|| eprintln!("{line}"));
    }

    /// Returns the number of bytes that were read, and the time since the start.
    pub fn so_far(&self) -> (u64, Duration) {
        (self.bar.position(), self.since.elapsed())
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn count<R: Read>(&self, input: R) -> Counted<R> {
        Counted { input, progress: self.clone() }
    }

    fn read(&self, bytes: usize) {
        if self.is_wanted && self.bar.is_hidden() && self.since.elapsed() > PATIENCE {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.inc(bytes as u64);
    }
}

struct Counted<R> {
    input: R,
    progress: Progress,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(into)?;
        self.progress.read(read);
        Ok(read)
    }
}
