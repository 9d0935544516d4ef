//! Reports for repositories.

use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;

const PESEL: &str = "44051401359";
const EMAIL: &str = "jan.novak@example.cz";

/// Runs the program, and returns its status, its output and its errors.
fn textveil(folder: &Path, arguments: &[&str], input: &str) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_textveil"));
    command.args(arguments).current_dir(folder).stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    for variable in ["TEXTVEIL_COMPONENT", "TEXTVEIL_KEY_FILE"] {
        command.env_remove(variable);
    }
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // a program that rejects its arguments does not read
    drop(stdin.write_all(input.as_bytes()));
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn repository() -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("docs")).unwrap();
    let notes = format!(
        "žluťoučký PESEL {PESEL}\n# textveil:allow email the address of an example\nwrite to {EMAIL}\nalso {EMAIL}\n"
    );
    fs::write(folder.path().join("docs/notes 1.txt"), notes).unwrap();
    fs::write(folder.path().join("people.csv"), format!("name,mail\nx,{EMAIL}\n")).unwrap();
    folder
}

#[test]
fn reports_have_types_and_places_and_no_values() {
    let folder = repository();
    for format in ["text", "json", "github", "gitlab", "sarif"] {
        let (status, out, err) =
            textveil(folder.path(), &["detect", "--check", "--output-format", format, "."], "");
        assert_eq!(status, 1, "{format}: {err}");
        assert!(!out.contains(PESEL) && !out.contains(EMAIL), "{format}: {out}");
        assert!(out.contains("pesel"), "{format}: {out}");
        if format != "text" && format != "github" {
            assert!(serde_json::from_str::<Value>(&out).is_ok(), "{format}: {out}");
        }
    }
    let (_, out, _) =
        textveil(folder.path(), &["detect", "--output-format", "json", "./docs", "people.csv"], "");
    let report: Value = serde_json::from_str(&out).unwrap();
    let places: Vec<_> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| {
            let number = |name: &str| finding[name].as_u64().unwrap();
            let (rule, path) = (finding["rule"].as_str().unwrap(), finding["path"].as_str().unwrap());
            (rule, path, number("line"), number("column"), number("end_column"))
        })
        .collect();
    // the line below the comment is allowed
    assert_eq!(
        places,
        [
            ("pl/pesel", "docs/notes 1.txt", 1, 17, 28),
            ("global/email", "docs/notes 1.txt", 4, 6, 26),
            ("global/email", "people.csv", 2, 3, 23),
        ]
    );
    let (status, out, _) = textveil(folder.path(), &["detect", "--check", "docs"], "");
    assert!(status == 1 && out.lines().count() == 3, "without a report, comments allow nothing: {out}");
}

#[test]
fn a_comment_without_a_reason_allows_nothing_and_is_named() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("a.py"), format!("mail = '{EMAIL}'  # textveil:allow email\n")).unwrap();
    let (status, out, err) =
        textveil(folder.path(), &["detect", "--check", "--output-format", "text", "a.py"], "");
    assert_eq!((status, out.as_str()), (1, "a.py:1:9: email - 1.00\n"), "{err}");
    assert!(err.contains("a.py:1: textveil:allow needs types, and a reason after them"), "{err}");
}

#[test]
fn a_baseline_has_known_findings_wherever_their_lines_are() {
    let folder = repository();
    let run = |arguments: &[&str]| {
        let all = [&["detect", "--check", "--output-format", "text", "--baseline", "known.json"], arguments]
            .concat();
        textveil(folder.path(), &all, "")
    };
    let (status, _, err) = run(&["docs"]);
    assert_eq!(status, 2);
    assert!(err.contains("make it with --update-baseline"), "{err}");
    let (status, out, err) = run(&["--update-baseline", "docs", "people.csv"]);
    assert_eq!((status, out.as_str()), (0, ""), "{err}");
    let known = fs::read_to_string(folder.path().join("known.json")).unwrap();
    assert!(!known.contains(PESEL) && !known.contains(EMAIL), "{known}");
    assert_eq!(run(&["docs", "people.csv"]).0, 0);

    let notes = folder.path().join("docs/notes 1.txt");
    let text = fs::read_to_string(&notes).unwrap();
    fs::write(&notes, format!("new lines\n\n{text}PESEL 02270803624\n")).unwrap();
    let (status, out, _) = run(&["docs", "people.csv"]);
    assert_eq!((status, out.as_str()), (1, "docs/notes 1.txt:7:7: pesel PL 1.00\n"));

    // an update of some paths keeps the findings of others
    assert_eq!(run(&["--update-baseline", "docs"]).0, 0);
    assert_eq!(run(&["docs", "people.csv"]).0, 0);
    fs::write(folder.path().join("known.json"), "{}").unwrap();
    assert_eq!(run(&["docs"]).0, 2);
}
