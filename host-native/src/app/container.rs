//! The memory that this process may use.

use std::path::{Path, PathBuf};

/// The root of the control groups.
const GROUPS: &str = "/sys/fs/cgroup";

/// Returns the memory of the container or of the machine, the smaller one, in bytes.
///
/// Returns `None` where the system does not say.
pub(crate) fn memory() -> Option<usize> {
    smallest(&|path| std::fs::read_to_string(path).ok())
}

/// Returns the smallest limit in the files of the system.
fn smallest(read: &dyn Fn(&Path) -> Option<String>) -> Option<usize> {
    let of_groups = groups(&read(Path::new("/proc/self/cgroup")).unwrap_or_default());
    let limits = of_groups.into_iter().filter_map(|path| read(&path)?.trim().parse().ok());
    let machine = read(Path::new("/proc/meminfo")).and_then(|text| total(&text));
    limits.chain(machine).min()
}

/// Returns the files with the limits of a process's control groups, from `/proc/self/cgroup`.
///
/// A group has its own limit and those of all groups that contain it.
fn groups(cgroup: &str) -> Vec<PathBuf> {
    // in a namespace of its own, a container sees itself as the root
    let mut files =
        vec![Path::new(GROUPS).join("memory.max"), Path::new(GROUPS).join("memory/memory.limit_in_bytes")];
    for line in cgroup.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else { continue };
        let (root, file) = match controllers {
            "" => (PathBuf::from(GROUPS), "memory.max"),
            _ if controllers.split(',').any(|one| one == "memory") => {
                (Path::new(GROUPS).join("memory"), "memory.limit_in_bytes")
            }
            _ => continue,
        };
        let group = root.join(path.trim_start_matches('/'));
        let containing = group.ancestors().take_while(|group| **group != root);
        files.extend(containing.map(|group| group.join(file)));
    }
    files
}

/// Returns the memory of the machine, from `/proc/meminfo`.
fn total(meminfo: &str) -> Option<usize> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_limit_counts() {
        let machine = ("/proc/meminfo", "MemTotal:        2048 kB\nMemFree: 1 kB\n");
        let second = ("/proc/self/cgroup", "0::/pods/one\n");
        let first = ("/proc/self/cgroup", "9:cpu:/x\n4:memory,hugetlb:/pods/one\n0::/\n");
        for (files, want) in [
            (vec![], None),
            (vec![machine], Some(2 << 20)),
            (vec![machine, ("/sys/fs/cgroup/memory.max", "max\n")], Some(2 << 20)),
            (vec![machine, ("/sys/fs/cgroup/memory.max", "1048576\n")], Some(1 << 20)),
            (vec![machine, second, ("/sys/fs/cgroup/pods/memory.max", "4096\n")], Some(4096)),
            (vec![machine, second, ("/sys/fs/cgroup/pods/one/memory.max", "8192\n")], Some(8192)),
            (
                vec![machine, first, ("/sys/fs/cgroup/memory/pods/memory.limit_in_bytes", "4096\n")],
                Some(4096),
            ),
            (
                vec![machine, ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n")],
                Some(2 << 20),
            ),
        ] {
            let read = |path: &Path| {
                let (_, text) = files.iter().find(|(known, _)| Path::new(known) == path)?;
                Some((*text).to_owned())
            };
            assert_eq!(smallest(&read), want, "{files:?}");
        }
    }
}
