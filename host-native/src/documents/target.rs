//! Destinations of documents: standard output, a file, a folder, or the file that a document came from.
//!
//! A file appears complete or not at all: it is written under a temporary name and then renamed.

use std::{
    fs::{self, File},
    io::{self, BufReader, BufWriter, Read, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use tempfile::NamedTempFile;

use super::Source;

/// The destination of all documents.
#[derive(Debug)]
pub enum Targets {
    /// Standard output.
    Standard,
    /// One file, for one document.
    File(PathBuf),
    /// A folder; each document keeps its path inside the folder that it came from.
    Folder(PathBuf),
    /// The file that the document came from.
    InPlace,
}

impl Targets {
    /// Returns the destination that `--output` and `--in-place` mean for these documents.
    ///
    /// # Errors
    /// If several documents would be written to one file, or in place to standard input or an Office document.
    pub fn choose(output: Option<&Path>, in_place: bool, sources: &[Source]) -> Result<Self> {
        let folder = |path: &Path| path.is_dir() || path.as_os_str().to_string_lossy().ends_with(['/', '\\']);
        match output {
            _ if in_place && sources.iter().any(|source| source.path.is_none()) => {
                bail!("--in-place needs files; standard input has no place")
            }
            _ if in_place && sources.iter().any(|source| source.format.is_package()) => {
                bail!("of an Office document, the text comes out: say --output FOLDER instead of --in-place")
            }
            _ if in_place => Ok(Self::InPlace),
            Some(path) if sources.len() != 1 || sources.iter().any(|source| source.found) || folder(path) => {
                if path.exists() && !path.is_dir() {
                    bail!("--output {} is a file; several documents need a folder", path.display());
                }
                let mut inside: Vec<_> = sources.iter().map(|source| &source.inside).collect();
                inside.sort();
                if let Some([twice, _]) = inside.array_windows().find(|[a, b]| a == b) {
                    bail!("two documents would be written to {}; run them apart", path.join(twice).display());
                }
                Ok(Self::Folder(path.to_owned()))
            }
            Some(path) => Ok(Self::File(path.to_owned())),
            None if sources.len() > 1 => {
                bail!("{} documents need --output FOLDER or --in-place", sources.len())
            }
            None => Ok(Self::Standard),
        }
    }

    /// Opens the destination of one document; `out` stands for the standard output.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn open<'o>(&self, source: &Source, out: &'o mut dyn Write) -> Result<Target<'o>> {
        match self {
            Self::Standard => Ok(Target::Stream(Box::new(out))),
            Self::File(path) => Target::file(path),
            Self::Folder(folder) => Target::file(&folder.join(&source.inside)),
            Self::InPlace => {
                let path = source.path.as_deref().context("standard input has no place")?;
                // a symbolic link stays; its target is replaced
                Target::replace(&path.canonicalize()?)
            }
        }
    }
}

/// The destination of one document.
pub enum Target<'o> {
    /// An output that cannot be replaced: standard output, a pipe, a device.
    Stream(Box<dyn Write + 'o>),
    /// A file that appears once it is complete.
    File {
        /// The temporary file.
        written: BufWriter<NamedTempFile>,
        /// The final name.
        path: PathBuf,
    },
}

impl Target<'_> {
    fn file(path: &Path) -> Result<Self> {
        match path.metadata() {
            Ok(metadata) if metadata.is_file() => return Self::replace(&path.canonicalize()?),
            Ok(_) => return Ok(Self::Stream(Box::new(File::options().write(true).open(path)?))),
            Err(_) => (),
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder {
            fs::create_dir_all(folder)?;
        }
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // the permissions of any new file, restricted by the process's umask
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let written = builder.tempfile_in(folder.unwrap_or(Path::new(".")))?;
        Ok(Self::File { written: BufWriter::new(written), path: path.to_owned() })
    }

    fn replace(path: &Path) -> Result<Self> {
        let folder = path.parent().unwrap_or(Path::new("."));
        let written = NamedTempFile::new_in(folder)?;
        written.as_file().set_permissions(path.metadata()?.permissions())?;
        Ok(Self::File { written: BufWriter::new(written), path: path.to_owned() })
    }

    /// Renames the file to its final name. A file with unchanged content is not replaced.
    ///
    /// # Errors
    /// If the remaining output cannot be written.
    pub fn finish(self) -> Result<()> {
        match self {
            Self::Stream(mut stream) => Ok(stream.flush()?),
            Self::File { written, path } => {
                let written = written.into_inner().map_err(io::IntoInnerError::into_error)?;
                if !path.exists() || !same(&mut BufReader::new(written.reopen()?), &path)? {
                    written.persist(&path).map_err(|error| error.error)?;
                }
                Ok(())
            }
        }
    }
}

impl Write for Target<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stream(stream) => stream.write(bytes),
            Self::File { written, .. } => written.write(bytes),
        }
    }

    /// Flushes only outputs that a reader may be waiting for.
    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stream(stream) => stream.flush(),
            Self::File { .. } => Ok(()),
        }
    }
}

fn same(new: &mut impl Read, path: &Path) -> io::Result<bool> {
    let mut old = BufReader::new(File::open(path)?);
    let (mut a, mut b) = (Vec::new(), Vec::new());
    loop {
        a.clear();
        b.clear();
        new.take(64 << 10).read_to_end(&mut a)?;
        old.by_ref().take(64 << 10).read_to_end(&mut b)?;
        if a != b || a.is_empty() {
            return Ok(a == b);
        }
    }
}
