//! Reads the bundles that `web/bundle.mjs` writes: the files of a page in one file.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{BufRead, BufReader, Read, Seek, SeekFrom},
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

/// The folder with the bundles, as the manifest mounts it.
const FOLDER: &str = "/pages";

/// Names of files with the place and the length of their content, in bytes.
type Names = BTreeMap<String, (u64, u64)>;

/// The index of a bundle.
struct Index {
    names: Names,
    /// The place of the contents in the file, in bytes.
    contents: u64,
    version: Version,
}

/// The version of a file: while it stays, so does the file.
type Version = (Option<SystemTime>, u64);

/// The indexes that this instance has read, by the name of the bundle.
static INDEXES: Mutex<BTreeMap<String, Arc<Index>>> = Mutex::new(BTreeMap::new());

/// Returns the content of a path such as `docs/index.html`; `None` if it is absent.
pub(crate) fn read(path: &str) -> Option<Vec<u8>> {
    let (bundle, name) = path.split_once('/')?;
    read_from(Path::new(FOLDER), bundle, name)
}

fn read_from(folder: &Path, bundle: &str, name: &str) -> Option<Vec<u8>> {
    let mut file = File::open(folder.join(format!("{bundle}.bundle"))).ok()?;
    let index = index(&file, bundle)?;
    let (place, length) = *index.names.get(name)?;
    file.seek(SeekFrom::Start(index.contents.checked_add(place)?)).ok()?;
    let mut content = Vec::new();
    file.take(length).read_to_end(&mut content).ok()?;
    (u64::try_from(content.len()) == Ok(length)).then_some(content)
}

/// Returns the index of a bundle, read once for each version of its file.
fn index(file: &File, bundle: &str) -> Option<Arc<Index>> {
    let metadata = file.metadata().ok()?;
    let version = (metadata.modified().ok(), metadata.len());
    let known = INDEXES.lock().unwrap_or_else(PoisonError::into_inner).get(bundle).cloned();
    if let Some(known) = known.filter(|known| known.version == version) {
        return Some(known);
    }
    let mut line = Vec::new();
    BufReader::new(file).read_until(b'\n', &mut line).ok()?;
    let names = serde_json::from_slice(&line).ok()?;
    let index = Arc::new(Index { names, contents: u64::try_from(line.len()).ok()?, version });
    INDEXES.lock().unwrap_or_else(PoisonError::into_inner).insert(bundle.to_owned(), Arc::clone(&index));
    Some(index)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn files_are_read_by_their_names() {
        let folder = std::env::temp_dir().join(format!("bundle-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let write = |text: &str| fs::write(folder.join("tested.bundle"), text).unwrap();
        let read = |name: &str| read_from(&folder, "tested", name);
        write("{\"a.html\":[0,3],\"b/c.js\":[3,4],\"cut\":[5,9]}\nonefour");
        assert_eq!((read("a.html"), read("b/c.js")), (Some(b"one".to_vec()), Some(b"four".to_vec())));
        assert_eq!((read("cut"), read("d"), read_from(&folder, "other", "a.html")), (None, None, None));
        // a new version is seen
        write("{\"a.html\":[1,3]}\nanother");
        assert_eq!((read("a.html"), read("b/c.js")), (Some(b"not".to_vec()), None));
        for malformed in ["", "{", "{}", "[]\n", "{\"a.html\":[0]}\n"] {
            write(malformed);
            assert_eq!(read("a.html"), None, "{malformed:?}");
        }
        fs::remove_dir_all(folder).unwrap();
    }
}
