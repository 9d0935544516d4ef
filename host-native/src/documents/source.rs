//! The sources of documents: files, folders, standard input.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, IsTerminal, Read},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use textveil_documents::{Format, refusal};
use walkdir::WalkDir;

/// Work that takes less time shows no progress.
const PATIENCE: Duration = Duration::from_millis(700);
/// The number of bytes at the start of a file that tell whether it is text.
const PEEK: usize = 8 << 10;

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
}

/// The documents given on the command line, with the files of folders.
#[derive(Debug)]
pub struct Sources {
    /// In the order given; the files of a folder sorted by name.
    pub all: Vec<Source>,
    /// Their total size in bytes, as far as known.
    pub bytes: u64,
}

impl Sources {
    /// Lists the documents of `paths`; standard input for `-`, and without paths.
    ///
    /// Folders are walked, hidden files included, `.git` left out, symbolic links not followed.
    ///
    /// # Errors
    /// If a path does not exist or a folder cannot be read.
    pub fn list(paths: &[PathBuf], format: Option<Format>) -> Result<Self> {
        let mut sources = Self { all: Vec::new(), bytes: 0 };
        let stdin = [PathBuf::from("-")];
        for path in if paths.is_empty() { &stdin } else { paths } {
            if path.as_os_str() == "-" {
                let format = format.unwrap_or(Format::Text);
                sources.all.push(Source::new(None, "stdin".into(), format, false));
                continue;
            }
            let metadata = path.metadata().with_context(|| format!("cannot read {}", path.display()))?;
            if metadata.is_dir() {
                sources.walk(path, format)?;
            } else {
                sources.bytes += metadata.len();
                let inside = path.file_name().map_or_else(|| path.clone(), PathBuf::from);
                let format = format.unwrap_or_else(|| format_of(path));
                sources.all.push(Source::new(Some(path.clone()), inside, format, false));
            }
        }
        Ok(sources)
    }

    fn walk(&mut self, folder: &Path, format: Option<Format>) -> Result<()> {
        let files = WalkDir::new(folder).sort_by_file_name().into_iter();
        for file in files.filter_entry(|entry| entry.file_name() != ".git") {
            let file = file?;
            if !file.file_type().is_file() {
                continue;
            }
            self.bytes += file.metadata()?.len();
            let path = file.into_path();
            let inside = path.strip_prefix(folder).unwrap_or(&path).to_owned();
            let format = format.unwrap_or_else(|| format_of(&path));
            self.all.push(Source::new(Some(path), inside, format, true));
        }
        Ok(())
    }
}

/// The format of a file, by its extension; plain text for an unknown one.
fn format_of(path: &Path) -> Format {
    path.file_name().and_then(|name| Format::of_name(&name.to_string_lossy())).unwrap_or(Format::Text)
}

impl Source {
    fn new(path: Option<PathBuf>, inside: PathBuf, format: Format, found: bool) -> Self {
        let mut inside = inside.into_os_string();
        if format == Format::Docx {
            // of a Word document, the text comes out
            inside.push(".txt");
        }
        Self { path, inside: inside.into(), format, found }
    }

    /// Whether the document is a plain text.
    pub fn is_plain(&self) -> bool {
        self.format == Format::Text
    }

    /// Returns the path as the user would write it; `stdin` for standard input.
    pub fn name(&self) -> String {
        self.path.as_ref().unwrap_or(&self.inside).display().to_string()
    }

    /// Opens the document, or says why it is skipped: it was found in a folder, and is of a format that is not read.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn open(&self, progress: &Progress) -> Result<Result<Box<dyn BufRead>, String>> {
        let Some(path) = &self.path else {
            if io::stdin().is_terminal() {
                eprintln!("reading standard input; end it with Ctrl-D");
            }
            return Ok(Ok(Box::new(BufReader::new(progress.count(io::stdin())))));
        };
        let mut file = File::open(path)?;
        let mut start = Vec::new();
        file.by_ref().take(PEEK as u64).read_to_end(&mut start)?;
        if let Some(reason) = refusal(&start, self.format).filter(|_| self.found) {
            return Ok(Err(reason));
        }
        let file = progress.count(io::Cursor::new(start).chain(file));
        Ok(Ok(Box::new(BufReader::with_capacity(64 << 10, file))))
    }
}

/// A progress bar on standard error: on a terminal, for longer work.
#[derive(Clone)]
pub struct Progress {
    bar: ProgressBar,
    since: Instant,
    wanted: bool,
}

impl Progress {
    /// Creates a progress bar for `bytes` of work; of unknown length for 0. Hidden if the output goes to the
    /// same terminal.
    pub fn new(bytes: u64, output_on_terminal: bool) -> Self {
        let bar = ProgressBar::with_draw_target((bytes > 0).then_some(bytes), ProgressDrawTarget::hidden());
        let shape = match bytes {
            0 => "{spinner} {bytes} {binary_bytes_per_sec}",
            _ => "{wide_bar} {bytes}/{total_bytes} {binary_bytes_per_sec} {eta}",
        };
        if let Ok(style) = ProgressStyle::with_template(shape) {
            bar.set_style(style);
        }
        Self { bar, since: Instant::now(), wanted: !output_on_terminal && io::stderr().is_terminal() }
    }

    /// Prints a line to standard error, above the bar.
    pub fn note(&self, line: &str) {
        self.bar.suspend(|| eprintln!("{line}"));
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn count<R: Read>(&self, input: R) -> Counted<R> {
        Counted { input, progress: self.clone() }
    }

    fn read(&self, bytes: usize) {
        if self.wanted && self.bar.is_hidden() && self.since.elapsed() > PATIENCE {
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
