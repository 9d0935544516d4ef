//! Prints the size of each file in `dist/` that is downloaded or deployed separately, and of each folder of such files.

use std::{
    collections::BTreeMap,
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::Result;
use flate2::{Compression, write::GzEncoder};
use serde::{Deserialize, Serialize};

use crate::{
    shell::{dist, target, write_if_changed},
    step::Stamp,
};

/// The compressed sizes of the last run. To compress everything takes a minute.
type Known = BTreeMap<PathBuf, Compressed>;

#[derive(Clone, Copy, Serialize, Deserialize)]
struct Compressed {
    stamp: Stamp,
    gzip: u64,
}

/// In bytes.
#[derive(Clone, Copy, Default)]
struct Size {
    plain: u64,
    /// As a web server compresses it.
    gzip: u64,
}

/// Prints the sizes, uncompressed and compressed as by a web server.
///
/// # Errors
/// If a file cannot be read.
pub fn print() -> Result<()> {
    let cache = target().join("xtask/sizes.json");
    let known = fs::read(&cache).ok().and_then(|json| serde_json::from_slice(&json).ok()).unwrap_or_default();
    let mut sizes = Sizes { known, now: Known::new() };
    println!("{:<44} {:>12} {:>12}", "in dist/", "bytes", "gzip");
    for path in entries(&dist(""))? {
        sizes.print(&path)?;
    }
    write_if_changed(&cache, &serde_json::to_vec(&sizes.now)?)
}

struct Sizes {
    known: Known,
    now: Known,
}

impl Sizes {
    fn print(&mut self, path: &Path) -> Result<Size> {
        let name = path.strip_prefix(dist("")).unwrap_or(path).display();
        let at_top = path.parent().is_some_and(|parent| parent == dist(""));
        if !path.is_dir() {
            let size = self.size(path)?;
            if at_top || path.extension().is_some_and(|extension| extension == "wasm") {
                println!("{name:<44} {:>12} {:>12}", size.plain, size.gzip);
            }
            return Ok(size);
        }
        let mut sum = Size::default();
        for entry in entries(path)? {
            let size = self.print(&entry)?;
            sum = Size { plain: sum.plain + size.plain, gzip: sum.gzip + size.gzip };
        }
        if at_top {
            println!("{:<44} {:>12} {:>12}", format!("{name}/, all files"), sum.plain, sum.gzip);
        }
        Ok(sum)
    }

    fn size(&mut self, file: &Path) -> Result<Size> {
        let stamp = Stamp::of(&fs::metadata(file)?);
        let gzip = match self.known.get(file) {
            Some(known) if known.stamp == stamp => known.gzip,
            _ => {
                let mut gzip = GzEncoder::new(Counter(0), Compression::best());
                gzip.write_all(&fs::read(file)?)?;
                gzip.finish()?.0
            }
        };
        self.now.insert(file.to_path_buf(), Compressed { stamp, gzip });
        Ok(Size { plain: stamp.bytes, gzip })
    }
}

/// Counts the bytes that are written to it.
struct Counter(u64);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Returns the files in a folder, sorted by name.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}
