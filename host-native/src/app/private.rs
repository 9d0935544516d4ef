//! Files and folders that only the user of this process may read.

use std::fs;
use std::io;
use std::path::Path;

/// The mode of a private folder.
pub(crate) const FOLDER: u32 = 0o700;
/// The mode of a private file.
pub(crate) const FILE: u32 = 0o600;

/// Takes the permissions of everybody else from a file or a folder that may have existed before.
///
/// A folder that all users share, such as `/tmp`, stays; so does one of another user, as volumes of containers may be, and
/// one that cannot be written. The operator is warned about each.
///
/// # Errors
/// If it does not exist, or its permissions cannot be read.
#[cfg(unix)]
pub(crate) fn narrow(path: &Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;

    const SHARED: u32 = 0o1000;
    let had = fs::metadata(path)?.permissions().mode();
    if had & 0o777 & !mode == 0 {
        return Ok(());
    }
    let narrowed = if had & SHARED == 0 {
        fs::set_permissions(path, fs::Permissions::from_mode(had & mode))
    } else {
        Err(io::ErrorKind::PermissionDenied.into())
    };
    match narrowed {
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
            ) =>
        {
            eprintln!(
                "textveil: other users of this machine may read {}; choose a folder of its own with --state-dir",
                path.display()
            );
            Ok(())
        }
        narrowed => narrowed,
    }
}

/// Does nothing where files have no modes.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub(crate) fn narrow(_path: &Path, _mode: u32) -> io::Result<()> {
    Ok(())
}

/// Creates a file if it is absent, and makes it private.
///
/// # Errors
/// If it cannot be created.
pub(crate) fn create_file(path: &Path) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, FILE);
    drop(options.open(path)?);
    narrow(path, FILE)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn nobody_else_reads() {
        let folder = tempfile::tempdir().unwrap();
        let (state, file) = (folder.path().join("state"), folder.path().join("file"));
        fs::create_dir(&state).unwrap();
        for (had, want) in
            [(0o755, 0o700), (0o555, 0o500), (0o770, 0o700), (0o700, 0o700), (0o500, 0o500), (0o1777, 0o1777)]
        {
            fs::set_permissions(&state, fs::Permissions::from_mode(had)).unwrap();
            narrow(&state, FOLDER).unwrap();
            assert_eq!(mode(&state), want, "{had:o}");
        }
        create_file(&file).unwrap();
        assert_eq!(mode(&file), FILE);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        create_file(&file).unwrap();
        assert_eq!(mode(&file), FILE);
    }
}
