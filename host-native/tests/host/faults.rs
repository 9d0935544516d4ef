//! Full and read-only disks. The state folder is on a separate file system, which only the program sees.
//!
//! Creating one needs a right that not every machine grants, so these tests are ignored by default, and their
//! names begin with `with_mounts_`: `cargo xtask test` runs them if possible, and otherwise reports that it
//! does not.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use rusqlite::Connection;
use tempfile::{TempDir, tempdir};

use crate::support::server::{Server, command, stderr};

/// `textveil serve` on the application in `folder`, after `prepare`, a shell script, has seen to its state
/// folder, `$STATE`.
fn prepared(folder: &Path, prepare: &str) -> Command {
    let serve = command(folder, &[]);
    let state = folder.join("state");
    std::fs::create_dir_all(&state).unwrap();
    let mut unshare = Command::new("unshare");
    unshare
        .args(["--map-root-user", "--mount", "sh", "-euc", &format!("{prepare}\nexec \"$@\""), "sh"])
        .arg(serve.get_program())
        .args(serve.get_args())
        .env("STATE", state)
        .env_remove("SPIN_VARIABLE_TOKEN_SECRETS")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    unshare
}

/// Takes all the space that is left.
fn fill(path: &Path) {
    let mut file = File::create(path).unwrap();
    let mut length = 1 << 20;
    while length > 0 {
        if file.write_all(&vec![1; length]).is_err() {
            length /= 2;
        }
    }
}

/// A copy of the stores, opened. SQLite itself would follow the path out of the program's file system.
fn copied(state: &Path) -> (TempDir, Connection) {
    let folder = tempdir().unwrap();
    for file in ["stores.db", "stores.db-wal"] {
        std::fs::copy(state.join(file.replace("stores", "sqlite_key_value")), folder.path().join(file))
            .unwrap();
    }
    let connection = Connection::open(folder.path().join("stores.db")).unwrap();
    (folder, connection)
}

#[test]
#[ignore = "needs the right to mount"]
fn with_mounts_a_full_disk_loses_nothing_and_passes() {
    let folder = tempdir().unwrap();
    let mut server = Server::of(&mut prepared(folder.path(), "mount -t tmpfs -o size=16m tmpfs \"$STATE\""));
    // the file system as the program sees it
    let state =
        PathBuf::from(format!("/proc/{}/root{}", server.child.id(), folder.path().join("state").display()));
    let long = "x".repeat(100_000);
    for round in 1..=3 {
        assert_eq!(server.ask("GET", "/a/increment/default/n/1", ""), round.to_string());
        assert_eq!(server.ask("POST", "/a/set/default/kept", &long), "()");

        fill(&state.join("filler"));
        for _ in 0..3 {
            let refused = server.ask("POST", &format!("/a/set/default/refused{round}"), &long);
            assert!(refused.contains("the key-value file failed: database or disk is full"), "{refused}");
        }
        // present values can be read, and those in memory counted
        assert_eq!(server.ask("GET", "/a/get/default/kept", ""), long);
        assert_eq!(server.ask("GET", "/a/increment/usage/n/1", ""), round.to_string());

        std::fs::remove_file(state.join("filler")).unwrap();
        assert_eq!(server.ask("GET", &format!("/a/exists/default/refused{round}"), ""), "false");
    }
    let sound: String = copied(&state).1.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(sound, "ok");
    // failed writes are repeated later
    let counted = || -> Vec<u8> {
        let select = "SELECT value FROM spin_key_value WHERE store = 'usage' AND key = 'n'";
        copied(&state).1.query_row(select, [], |row| row.get(0)).unwrap_or_default()
    };
    for _ in 0..100 {
        if counted() == 3_i64.to_le_bytes() {
            break;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(counted(), 3_i64.to_le_bytes());
    server.signal("-TERM");
    assert!(server.child.wait().unwrap().success(), "{}", stderr(&mut server.child));
}

#[test]
#[ignore = "needs the right to mount"]
fn with_mounts_a_folder_that_cannot_be_written_is_named() {
    let folder = tempdir().unwrap();
    let full = "mount -t tmpfs -o size=1m tmpfs \"$STATE\"; \
                head -c 2m /dev/zero > \"$STATE/filler\" 2> /dev/null || true";
    let read_only = "mount --bind \"$STATE\" \"$STATE\"; mount -o remount,ro,bind \"$STATE\"";
    for (prepare, started_before, want) in [
        (full, false, "token_secrets: No space left"),
        (read_only, false, "token_secrets: Read-only file system"),
        (read_only, true, "sqlite_key_value.db is read-only"),
    ] {
        if started_before {
            drop(Server::start(folder.path(), &["--quiet"]));
        }
        let output = prepared(folder.path(), prepare).output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains("/state/") && message.contains(want), "{message}");
    }
}
