//! The `textveil` program: formats, streams, exit statuses.

use std::{
    fs,
    io::{Read, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::{Value, json};
use tempfile::TempDir;
use textveil::app::{Options, open_store};
use zip::{ZipWriter, write::SimpleFileOptions};

const PROGRAM: &str = env!("CARGO_BIN_EXE_textveil");

/// The result of a run of the program.
struct Run {
    status: i32,
    out: String,
    err: String,
}

impl Run {
    #[track_caller]
    fn ok(self) -> String {
        assert_eq!(self.status, 0, "{}", self.err);
        self.out
    }

    #[track_caller]
    fn json(self) -> Vec<Value> {
        self.ok().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(arguments).current_dir(folder).stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    for variable in ["TEXTVEIL_COMPONENT", "TEXTVEIL_KEY_FILE", "NO_COLOR"] {
        command.env_remove(variable);
    }
    command
}

fn run_in(folder: &Path, arguments: &[&str], input: &str) -> Run {
    let mut child = command(folder, arguments).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    // a program that rejects its arguments does not read
    let writer = std::thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    Run {
        status: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

fn run(arguments: &[&str], input: &str) -> Run {
    run_in(Path::new("."), arguments, input)
}

/// The key that authenticates the audit records of a service.
const SECRETS: (&str, &str) = ("state/token_secrets", "1:000102030405060708090a0b0c0d0e0f\n");

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, content) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    folder
}

fn read(folder: &TempDir, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).unwrap()
}

fn key(folder: &TempDir) -> PathBuf {
    run_in(folder.path(), &["key-file", "new", "k"], "").ok();
    folder.path().join("k")
}

#[test]
fn detect_says_where_and_what() {
    let files = folder(&[("a.txt", "Jan\nmůj PESEL 44051401359\n")]);
    let out = run_in(files.path(), &["detect", "a.txt"], "").ok();
    let start = "a.txt:2:11: pesel PL ";
    assert!(out.starts_with(start) && out.ends_with(" 44051401359\n"), "{out}");
    assert_eq!(run(&["detect"], "nothing here").ok(), "");
    assert_eq!(run(&["detect"], "").ok(), "");
    let explained = run_in(files.path(), &["detect", "--explain", "a.txt"], "").ok();
    assert!(
        explained.lines().any(|line| line.starts_with("    +") && line.ends_with(" label")),
        "{explained}"
    );
}

#[test]
fn detect_answers_in_the_shapes_of_the_service() {
    let text = "🦀 PESEL 44051401359, a@example.cz\n";
    let [answer] = &run(&["detect", "--json", "--offset-unit", "utf16"], text).json()[..] else {
        panic!("one answer expected")
    };
    assert_eq!(answer["text"], text);
    assert_eq!(answer["privacy_preset"], "balanced");
    assert_eq!(answer["api_version"], "v1");
    assert!(answer["processing_time_ms"].is_u64());
    let pesel = &answer["entities"][0];
    assert_eq!((&pesel["type"], &pesel["start"], &pesel["end"]), (&json!("pesel"), &json!(9), &json!(20)));
    assert_eq!(pesel["metadata"]["birth_date"], "1944-05-14");
    assert_eq!(pesel["metadata"]["gender"], "male");
    assert_eq!(answer["entities"][1]["type"], "email");
    assert!(answer.get("path").is_none());
    let [answer] = &run(&["detect", "--json"], "nothing").json()[..] else { panic!("one answer expected") };
    assert_eq!(answer["entities"], json!([]));
}

#[test]
fn a_text_longer_than_one_call_is_one_answer() {
    let line = "Zpráva 🦀 přišla z adresy zofie@example.cz a pak nic.\n";
    let text = line.repeat(3_000);
    let [answer] = &run(&["detect", "--json"], &text).json()[..] else { panic!("one answer expected") };
    let entities = answer["entities"].as_array().unwrap();
    assert_eq!(entities.len(), 3_000);
    let letters: Vec<char> = text.chars().collect();
    for entity in entities {
        let at = |name: &str| usize::try_from(entity[name].as_u64().unwrap()).unwrap();
        assert_eq!(letters[at("start")..at("end")].iter().collect::<String>(), "zofie@example.cz");
    }
}

#[test]
fn flags_say_what_is_found() {
    let text = "a@example.cz, b@other.org, +420 601 123 456, EMP-1234, Projekt X\n";
    let kinds = |flags: &[&str]| -> Vec<String> {
        let answers = run(&[&["detect", "--json"], flags].concat(), text).json();
        let entities = answers[0]["entities"].as_array().unwrap();
        entities.iter().map(|entity| entity["type"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(kinds(&[]), ["email", "email", "phone_number"]);
    assert_eq!(kinds(&["--entities", "PHONE_NUMBER"]), ["phone_number"]);
    assert_eq!(kinds(&["--exclude-entities", "email,phone_number"]), [""; 0]);
    assert_eq!(kinds(&["--allow-domain", "example.cz", "--allow", "B@OTHER.ORG"]), ["phone_number"]);
    assert_eq!(kinds(&["--allow-regex", ".*@.*"]), ["phone_number"]);
    assert_eq!(kinds(&["--min-confidence", "0.9999", "--deny", "secret=projekt x"]), ["secret"]);
    let own =
        ["--custom-detector", "employee=EMP-[0-9]{4}", "--entities", "employee", "--preset", "aggressive"];
    assert_eq!(kinds(&own), ["employee"]);
    let files = folder(&[("o.json", r#"{"entities": ["email"], "allow_list": [{"domain": "other.org"}]}"#)]);
    let options = files.path().join("o.json");
    assert_eq!(kinds(&["--options", options.to_str().unwrap()]), ["email"]);
}

#[test]
fn hints_are_evidence_for_one_text() {
    let text = "🙂 ask zq kvorn\n";
    let files = folder(&[
        ("h.json", r#"[{"type": "PERSON", "start": 6, "end": 14, "confidence": 0.9}]"#),
        ("far.json", r#"[{"type": "name", "start": 6, "end": 99, "confidence": 0.9}]"#),
        ("a.txt", text),
        ("b.csv", "a,b\n"),
    ]);
    let path = |name: &str| files.path().join(name).to_str().unwrap().to_owned();
    let hints = path("h.json");
    let found = run(&["detect", "--json", "--hints", &hints], text).json();
    assert_eq!(found[0]["entities"][0]["original"], "zq kvorn", "{found:?}");
    assert_eq!(run(&["protect", "--hints", &hints], text).out, "🙂 ask [REDACTED]\n");
    assert_eq!(run(&["protect"], text).out, text);
    for (flags, message) in [
        (vec!["detect", "--hints", &hints, &path("a.txt"), &path("a.txt")], "hints belong to one plain text"),
        (vec!["detect", "--hints", &hints, &path("b.csv")], "hints belong to one plain text"),
        (vec!["detect", "--hints", &path("far.json")], "hints[0].end must be the offset"),
        (vec!["detect", "--hints", &path("a.txt")], "a.txt"),
    ] {
        let ended = run(&flags, text);
        assert!(ended.err.contains(message), "{flags:?}: {}", ended.err);
        assert!(!ended.err.contains("kvorn"), "{}", ended.err);
    }
    let long = run(&["detect", "--hints", &hints], &"a word ".repeat(8_000));
    assert!(long.err.contains("has at most 50000 characters"), "{}", long.err);
}

#[test]
fn check_exits_with_1_and_keeps_what_it_found_to_itself() {
    let files = folder(&[("a.txt", "a@example.cz\n"), ("b.txt", "nothing\n")]);
    let found = run_in(files.path(), &["detect", "--check", "a.txt", "b.txt"], "");
    assert_eq!(found.status, 1);
    assert!(found.out.starts_with("a.txt:1:1: email - "), "{}", found.out);
    assert!(!found.out.contains("example"), "{}", found.out);
    assert_eq!(run_in(files.path(), &["detect", "--check", "b.txt"], "").status, 0);
    assert_eq!(run_in(files.path(), &["protect", "--check", "b.txt"], "").status, 0);
    let protected = run_in(files.path(), &["protect", "--check", "a.txt"], "");
    assert_eq!((protected.status, protected.out.as_str()), (1, "[REDACTED]\n"));
}

#[test]
fn errors_exit_with_2_and_say_what_to_do() {
    let files = folder(&[
        ("bad.json", "{"),
        ("latin.txt", "x"),
        ("o.json", r#"{"entities": 3}"#),
        ("typo.json", r#"{"denylist": [], "mode": "mask"}"#),
        ("operator.json", r#"{"operators": {"email": {"mode": "mask", "keeplast": 4}}}"#),
        ("policies.json", r#"[{"name": "p", "actions": "mask"}]"#),
    ]);
    fs::write(files.path().join("latin.txt"), b"a\nNov\xe1k\n").unwrap();
    for (arguments, message) in [
        (&["detect", "no/such/file"][..], "cannot read no/such/file"),
        (&["detect", "bad.json"], "bad.json: line 1 is not valid JSON"),
        (
            &["detect", "--encoding", "utf-8", "latin.txt"],
            "latin.txt: line 2 is not UTF-8; say which encoding",
        ),
        (
            &["protect", "--encoding", "utf-8", "latin.txt"],
            "latin.txt: line 2 is not UTF-8; say which encoding",
        ),
        (&["protect", "--encoding", "utf-99", "latin.txt"], "must have a known name"),
        (&["detect", "--format", "docx", "latin.txt"], "latin.txt: the file is not a Word document"),
        (&["protect", "--in-place", "--format", "docx", "latin.txt"], "say --output FOLDER"),
        (&["detect", "--min-confidence", "7"], "min_confidence"),
        (&["detect", "--entities", "no_such_type"], "entities"),
        (&["detect", "--options", "o.json"], "entities must be a list of entity types"),
        (&["detect", "--options", "typo.json"], "denylist is not an option; did you mean deny_list?"),
        (&["protect", "--options", "operator.json"], "operators.email.keeplast is not an option"),
        (&["detect", "--options", "operator.json"], "operators.email.keeplast is not an option"),
        (&["protect", "--policies", "policies.json"], "policies[0].actions is not an option"),
        (&["detect", "--preset", "brave"], "conservative, balanced, aggressive"),
        (&["protect", "--mode", "hash"], "textveil key-file new"),
        (&["protect", "--operator", "email=tokenize"], "textveil key-file new"),
        (&["protect", "--operator", "email=shred"], "replace, mask, hash, tokenize"),
        (&["protect", "bad.json", "latin.txt"], "--output FOLDER or --in-place"),
        (&["protect", "--in-place"], "standard input has no place"),
        (&["restore"], "--key-file"),
        (&["validate", "no_such_type", "1"], "entity_type"),
        (&["--component", "no.wasm", "detectors"], "cannot read no.wasm"),
        (&["frobnicate"], "unrecognized subcommand"),
    ] {
        let run = run_in(files.path(), arguments, "some text");
        assert_eq!(run.status, 2, "{arguments:?}: {}", run.out);
        assert!(run.err.contains(message), "{arguments:?}: {}", run.err);
        assert!(!run.err.contains("Nov") && !run.err.contains("some text"), "{}", run.err);
    }
}

#[test]
fn one_bad_document_does_not_stop_the_others() {
    let files = folder(&[("in/a.json", "["), ("in/b.txt", "a@example.cz")]);
    let run = run_in(files.path(), &["protect", "in", "--output", "out"], "");
    assert_eq!(run.status, 2);
    assert!(run.err.contains("1 of 2 documents failed"), "{}", run.err);
    assert_eq!(read(&files, "out/b.txt"), "[REDACTED]");
    assert!(!files.path().join("out/a.json").exists());
}

#[test]
fn a_missing_file_does_not_stop_the_others() {
    let files = folder(&[("a.txt", "a@example.cz"), ("in/b.txt", "b@example.cz")]);
    let run = run_in(files.path(), &["detect", "--check", "gone.txt", "a.txt", "no/such", "in"], "");
    assert_eq!(run.status, 2);
    assert!(
        run.out.starts_with("a.txt:1:1: email") && run.out.contains("\nin/b.txt:1:1: email"),
        "{}",
        run.out
    );
    let expected = "error: cannot read gone.txt: No such file or directory (os error 2)\n\
                    error: cannot read no/such: No such file or directory (os error 2)\n\
                    error: 2 of 4 documents failed\n";
    assert_eq!(run.err, expected);
    let run = run_in(files.path(), &["protect", "--in-place", "gone.txt", "a.txt"], "");
    assert_eq!((run.status, read(&files, "a.txt").as_str()), (2, "[REDACTED]"), "{}", run.err);
}

/// Files of a folder are read by the rules of git and of the caller, and the program says what it leaves out.
#[test]
fn folders_are_walked_by_rules() {
    let names = [".config/d.txt", ".env", ".git/x.txt", "a.txt", "b.log", "build/c.txt", "src/e.txt"];
    let files = folder(&names.map(|name| (name, "a@example.cz\n")));
    fs::write(files.path().join(".gitignore"), "build/\n*.log\n/.env\n").unwrap();
    let ignored = "left out: 3 files and folders that are named in .gitignore or the like, such as ./.env; --no-ignore reads them\n";
    let build = "left out: 1 file or folder that is named in .gitignore or the like, such as ./build; --no-ignore reads it\n";
    let hidden = |count: usize, example: &str| {
        format!(
            "left out: {count} files and folders that are hidden, such as {example}; --hidden reads them\n"
        )
    };
    let all = [".config/d.txt", ".env", "a.txt", "b.log", "build/c.txt", "src/e.txt"];
    for (flags, want, err) in [
        (&[][..], &[".config/d.txt", "a.txt", "src/e.txt"][..], ignored.to_owned()),
        (&["--no-hidden", "--hidden"], &[".config/d.txt", "a.txt", "src/e.txt"], ignored.to_owned()),
        (&["--quiet"], &[".config/d.txt", "a.txt", "src/e.txt"], String::new()),
        (&["--no-ignore"], &all, String::new()),
        (
            &["--no-ignore", "--no-hidden"],
            &["a.txt", "b.log", "build/c.txt", "src/e.txt"],
            hidden(3, "./.env"),
        ),
        (
            &["--no-hidden"],
            &["a.txt", "src/e.txt"],
            hidden(3, "./.env") + &ignored.replace("3 files", "2 files").replace("./.env", "./b.log"),
        ),
        (&["--glob", "*.log", "-g", ".env"], &[".env", "b.log"], build.to_owned()),
        (&["--glob", "!src", "--glob", "!.config"], &["a.txt"], ignored.to_owned()),
        (&["--glob", "src/*.txt"], &["src/e.txt"], build.to_owned()),
    ] {
        let run = run_in(files.path(), &[&["detect", "."], flags].concat(), "");
        let read: Vec<_> = run.out.lines().map(|line| line[2..].split(':').next().unwrap()).collect();
        assert_eq!((run.status, run.err.as_str()), (0, err.as_str()), "{flags:?}");
        assert_eq!(read, want, "{flags:?}");
    }
    // a file that is named is read
    let run = run_in(files.path(), &["detect", "--no-hidden", "b.log", ".env"], "");
    assert_eq!((run.out.lines().count(), run.err.as_str()), (2, ""));
    let run = run_in(files.path(), &["detect", "--glob", "a[", "."], "");
    assert!(run.status == 2 && run.err.contains("--glob a["), "{}", run.err);
}

/// However many threads read them, results come in the order of the documents.
#[test]
fn documents_are_read_in_threads() {
    let names: Vec<_> =
        (0..400).map(|number| format!("in/{number:03}.{}", ["txt", "csv"][number % 2])).collect();
    let texts: Vec<_> =
        (0..400).map(|number| format!("to {number}@example.cz\n").repeat(1 + (400 - number) / 40)).collect();
    let all: Vec<_> = names.iter().zip(&texts).map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let files = folder(&all);
    fs::write(files.path().join("in/200.txt"), b"\0").unwrap();
    for arguments in
        [&["detect", "in"][..], &["detect", "--output-format", "json", "in"], &["protect", "--json", "in"]]
    {
        let runs =
            ["1", "7"].map(|threads| run_in(files.path(), &[arguments, &["-j", threads]].concat(), ""));
        let [one, many] = runs.map(|run| {
            let times = without_times(&run.out);
            (run.status, times, run.err)
        });
        assert!(one == many, "{arguments:?}: the order differs");
        assert!(one.0 == 3 && one.1.contains("0@example.cz") != arguments.contains(&"json"), "{}", one.2);
    }
    run_in(files.path(), &["protect", "in", "-o", "out", "--allow-skipped", "-j", "3"], "").ok();
    assert!(names.iter().filter(|name| !name.contains("200")).all(|name| {
        let protected = read(&files, &name.replacen("in", "out", 1));
        protected.starts_with("to [REDACTED]\n") && !protected.contains('@')
    }));
}

/// The output without times.
fn without_times(out: &str) -> String {
    let mut parts = out.split("\"processing_time_ms\":");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |out, part| {
        out + part.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '.')
    })
}

#[test]
fn statistics_and_quiet_runs() {
    let files = folder(&[
        ("in/a.txt", "a@example.cz, b@example.cz, PESEL 44051401359\n"),
        ("in/b.csv", "x\ny\n"),
        ("in/.gitignore", "z\n"),
        ("in/z", ""),
    ]);
    fs::write(files.path().join("in/c.bin"), b"\0").unwrap();
    for command in ["detect", "protect"] {
        let run = run_in(
            files.path(),
            &[command, "--stats", "--allow-skipped", "in", "-o", "out"]
                [..if command == "detect" { 4 } else { 6 }],
            "",
        );
        assert_eq!(run.status, 0, "{}", run.err);
        for line in [
            "files     3 read, 1 skipped, 0 failed, 1 left out\n",
            "bytes     53 in ",
            "findings  3 findings in 1 file\n         2 email\n         1 pesel\n",
        ] {
            assert!(run.err.contains(line), "{command}: {}", run.err);
        }
    }
    let run = run_in(files.path(), &["detect", "-q", "in"], "");
    assert_eq!((run.status, run.err.as_str(), run.out.lines().count()), (3, "", 3));
    // an error is printed in any case, and a summary only on a terminal
    let run = run_in(files.path(), &["detect", "-q", "gone"], "");
    assert!(run.err.contains("cannot read gone"), "{}", run.err);
    let run = run_in(files.path(), &["detect", "in/a.txt", "in/b.csv"], "");
    assert_eq!(run.err, "");
}

#[test]
fn protect_by_mode_and_operator() {
    let text = "PESEL 44051401359, a@example.cz\r\n";
    assert_eq!(run(&["protect"], text).ok(), "PESEL [REDACTED], [REDACTED]\r\n");
    assert_eq!(run(&["protect", "--mode", "mask"], text).ok(), "PESEL ***********, ************\r\n");
    let operators = [
        "protect",
        "--operator",
        "pesel=mask,keep_last=4,mask_char=#",
        "--operator",
        "email=replace,new_value=<mail>",
    ];
    assert_eq!(run(&operators, text).ok(), "PESEL #######1359, <mail>\r\n");
    let [answer] = &run(&["protect", "--json"], text).json()[..] else { panic!("one answer expected") };
    assert_eq!(answer["original_text"], text);
    assert_eq!(answer["protected_text"], "PESEL [REDACTED], [REDACTED]\r\n");
    assert_eq!(answer["protection_mode"], "replace");
    assert_eq!(
        (&answer["entities"][0]["country"], &answer["entities"][0]["start"]),
        (&json!("pl"), &json!(6))
    );
    assert_eq!(answer["entities"][0]["protected"], "[REDACTED]");
}

#[test]
fn protect_by_policy() {
    let policies = r#"[{"name": "mails", "priority": 1, "action": "ALLOW", "conditions": [{"entity_types": ["email"]}]}]"#;
    let files = folder(&[
        ("p.json", policies),
        ("answer.json", &format!(r#"{{"policies": {policies}, "total": 1}}"#)),
        ("odd.json", r#"[{"name": "a", "action": "MASK", "conditions": [{"colour": "red"}]}]"#),
    ]);
    for file in ["p.json", "answer.json"] {
        let arguments = ["protect", "--mode", "policy", "--policies", file, "--default-action", "REDACT"];
        let out = run_in(files.path(), &arguments, "PESEL 44051401359, a@example.cz").ok();
        assert_eq!(out, "PESEL [REDACTED], a@example.cz");
    }
    let arguments = ["protect", "--mode", "policy", "--policies", "p.json", "--default-action", "BLOCK"];
    let blocked = run_in(files.path(), &arguments, "PESEL 44051401359");
    assert_eq!((blocked.status, blocked.out.as_str()), (2, ""));
    assert!(blocked.err.contains("a policy blocks this text"), "{}", blocked.err);
    let odd = run_in(files.path(), &["protect", "--mode", "policy", "--policies", "odd.json"], "a");
    assert!(odd.status == 2 && odd.err.contains("policies"), "{}", odd.err);
}

#[test]
fn tokens_are_restored_in_every_format() {
    let files = folder(&[
        ("in/a.txt", "Jan, PESEL 44051401359\r\na@example.cz\n"),
        ("in/b.csv", "zboží;jméno;e-mail\r\n\"stůl; \"\"dub\"\"\";Jana;\"a@example.cz\"\r\n"),
        (
            "in/deep/c.json",
            "{\n  \"mail\" : \"a@example.cz\\n\\u017d\", \"n\": 1.50, \"pesel\": [\"44051401359\"]\n}\n",
        ),
        (
            "in/d.ndjson",
            "{\"mail\":\"a@example.cz\"}\r\n\n{\"x\":1e5,\"mail\":\"b@example.cz\"}\nlog of a@example.cz",
        ),
        (
            "in/e.html",
            "<p>&eacute; a@example.cz <a href=\"mailto:a@example.cz\">x</a>\r\n<script>let pesel = '44051401359';</script>",
        ),
        (
            "in/f.xml",
            "<?xml version=\"1.0\"?>\n<c mail=\"a@example.cz\"><pesel>44051401359</pesel><!-- x --></c>\n",
        ),
        ("in/g.eml", "From: a@example.cz\nContent-Type: text/html\n\n<b>a@example.cz</b>\n"),
    ]);
    let key = key(&files);
    let key = key.to_str().unwrap();
    let (hide, show) = (["protect", "--mode", "tokenize", "--key-file", key], ["restore", "--key-file", key]);
    run_in(files.path(), &[&hide[..], &["in", "--output", "out"]].concat(), "").ok();
    for name in ["a.txt", "b.csv", "deep/c.json", "d.ndjson", "e.html", "f.xml", "g.eml"] {
        let protected = read(&files, &format!("out/{name}"));
        assert!(!protected.contains("example") && !protected.contains("44051401359"), "{protected}");
        assert!(protected.contains("tok_xx_email_"), "{protected}");
    }
    let table = read(&files, "out/b.csv");
    assert!(table.starts_with("zboží;jméno;e-mail\r\n\"stůl; \"\"dub\"\"\";tok_xx_name_"), "{table}");
    assert!(table.contains(";\"tok_xx_email_"), "{table}");
    assert!(read(&files, "out/deep/c.json").contains("\"n\": 1.50, \"pesel\": [\"tok_pl_pesel_"));
    run_in(files.path(), &[&show[..], &["out", "--in-place"]].concat(), "").ok();
    for name in ["a.txt", "b.csv", "d.ndjson", "e.html", "f.xml", "g.eml"] {
        assert_eq!(read(&files, &format!("out/{name}")), read(&files, &format!("in/{name}")), "{name}");
    }
    let whole: Value = serde_json::from_str(&read(&files, "out/deep/c.json")).unwrap();
    assert_eq!(whole, serde_json::from_str::<Value>(&read(&files, "in/deep/c.json")).unwrap());
}

#[test]
fn tokens_of_another_key_stay() {
    let files = folder(&[]);
    let key = key(&files);
    let key = key.to_str().unwrap();
    let protected = run(&["protect", "--mode", "tokenize", "--key-file", key], "a@example.cz\n").ok();
    run_in(files.path(), &["key-file", "new", "other"], "").ok();
    let kept = run_in(files.path(), &["restore", "--key-file", "other"], &protected);
    assert_eq!((kept.status, kept.out.as_str()), (0, protected.as_str()));
    assert!(kept.err.contains("1 tokens stay"), "{}", kept.err);
    let [answer] = &run(&["restore", "--json", "--key-file", key], &protected).json()[..] else { panic!() };
    assert_eq!(
        (&answer["text"], &answer["restored"], &answer["unknown"]),
        (&json!("a@example.cz\n"), &json!(1), &json!(0))
    );
}

#[test]
fn api_keys_are_made_listed_and_revoked() {
    let state = folder(&[SECRETS]);
    let keys = |arguments: &[&str]| {
        let arguments = [&["keys"], arguments, &["--state-dir", "state"]].concat();
        run_in(state.path(), &arguments, "")
    };
    let made = keys(&["create", "--plan", "enterprise", "--name", "nightly", "--requests-per-minute", "600"]);
    let key = made.out.trim();
    assert!(made.status == 0 && key.starts_with("fpk_") && key.len() == 47, "{} {}", made.out, made.err);
    keys(&["create", "--workspace", "other"]).ok();

    let [record] = &keys(&["list", "--json"]).json()[..] else { panic!("one key of the workspace") };
    assert_eq!(
        (&record["name"], &record["plan"], &record["limits"], &record["revoked_at"]),
        (&json!("nightly"), &json!("enterprise"), &json!({ "requests_per_minute": 600 }), &json!(null))
    );
    let table = keys(&["list"]).ok();
    assert!(table.contains("active") && table.contains(&key[..8]) && !table.contains(key), "{table}");

    let id = record["id"].as_str().unwrap();
    keys(&["revoke", id]).ok();
    assert!(keys(&["list"]).ok().contains("revoked"));
    for (arguments, want) in [
        (&["revoke", "nobody"][..], "no such API key"),
        (&["revoke", id, "--workspace", "other"], "no such API key"),
        (&["create", "--workspace", "a:b"], "--workspace"),
        (&["create", "--plan", "gold"], "free, pro or enterprise"),
        (&["create", "--expires-at", "tomorrow"], "ISO 8601"),
    ] {
        let refused = keys(arguments);
        assert!(refused.status == 2 && refused.err.contains(want), "{arguments:?}: {}", refused.err);
    }
}

#[tokio::test]
async fn audit_records_are_checked() {
    let folder = folder(&[SECRETS]);
    let textveil = |arguments: &[&str]| {
        let arguments = [arguments, &["--state-dir", "state"]].concat();
        run_in(folder.path(), &arguments, "")
    };
    const AUTHENTIC: &str = "every record is authentic";
    const NONE: &str = "the workspace has no records, and nothing shows that there were any";
    assert!(textveil(&["audit", "verify"]).ok().contains(NONE));
    for _ in 0..3 {
        textveil(&["keys", "create"]).ok();
    }
    let report = textveil(&["audit", "verify"]).ok();
    assert!(report.contains("3 records, the last is 3 ") && report.contains(AUTHENTIC), "{report}");
    fs::write(folder.path().join("head.json"), textveil(&["audit", "head"]).ok()).unwrap();
    let verify = &["audit", "verify", "--head", "head.json"];
    assert!(textveil(verify).ok().contains(AUTHENTIC));

    let store = open_store("audit", &Options::new(folder.path().join("state"))).unwrap();
    let documents = store.keys().await.unwrap();
    let document = documents.iter().find(|key| key.starts_with("audit:default:")).unwrap();
    let records = String::from_utf8(store.get(document).await.unwrap().unwrap()).unwrap();
    let [first, second, third] = &records.lines().collect::<Vec<_>>()[..] else { panic!("{records}") };
    for (name, records, want) in [
        ("removed", format!("{first}\n{third}\n"), "does not follow"),
        ("changed", records.replacen("key_create", "key_revoke", 1), "does not match its MAC"),
        ("swapped", format!("{second}\n{first}\n{third}\n"), "does not follow"),
        ("cut off", format!("{first}\n{second}\n"), "are missing"),
    ] {
        store.set(document, records.into_bytes()).await.unwrap();
        let found = textveil(verify);
        assert!(found.status == 1 && found.out.contains(want), "{name}: {} {}", found.out, found.err);
        let report: Value =
            serde_json::from_str(&textveil(&[verify as &[_], &["--json"]].concat()).out).unwrap();
        assert!(!report["faults"].as_array().unwrap().is_empty(), "{name}: {report}");
    }
    for key in &documents {
        store.delete(key).await.unwrap();
    }
    assert_eq!(textveil(verify).status, 1, "a deleted chain leaves no trace");
    let config = open_store("config", &Options::new(folder.path().join("state"))).unwrap();
    config.delete("audit-head:default").await.unwrap();
    let found = textveil(&["audit", "verify"]);
    assert!(found.status == 1 && found.out.contains("the audit has no record of it"), "{}", found.out);
    assert!(textveil(&["audit", "verify", "--workspace", "other"]).ok().contains(NONE));

    fs::remove_file(folder.path().join("state/token_secrets")).unwrap();
    let refused = textveil(&["audit", "verify"]);
    assert!(refused.status == 2 && refused.err.contains("--token-secrets-file"), "{}", refused.err);
}

#[test]
fn keys_are_made_renewed_and_kept_private() {
    let files = folder(&[]);
    let key = key(&files);
    let first = read(&files, "k");
    let line = first.lines().find(|line| line.starts_with("1:")).unwrap();
    assert_eq!(line.len(), 2 + 64);
    let hide = |name: &str| {
        run_in(files.path(), &["protect", "--mode", "tokenize", "--key-file", name], "a@example.cz").ok()
    };
    let old = hide("k");
    assert_eq!(old, hide("k"));
    run_in(files.path(), &["key-file", "rotate", "k"], "").ok();
    assert!(read(&files, "k").contains(line));
    assert_ne!(hide("k"), old);
    assert_eq!(run_in(files.path(), &["restore", "--key-file", "k"], &old).ok(), "a@example.cz");
    let again = run_in(files.path(), &["key-file", "new", "k"], "");
    assert_eq!(again.status, 2, "an existing key file must not be overwritten");
    fs::write(files.path().join("odd"), "1:zz\n").unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(key.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).unwrap();
        let open = run_in(files.path(), &["restore", "--key-file", "k"], "a");
        assert!(open.status == 2 && open.err.contains("chmod 600 k"), "{}", open.err);
        fs::set_permissions(files.path().join("odd"), fs::Permissions::from_mode(0o600)).unwrap();
    }
    let odd = run_in(files.path(), &["restore", "--key-file", "odd"], "a");
    assert!(odd.status == 2 && odd.err.contains("line 1: is no VERSION:HEX"), "{}", odd.err);
    assert!(!odd.err.contains("zz"), "{}", odd.err);
}

#[test]
fn columns_and_keys_speak_for_their_values() {
    let table = "birth_number,other\n800101/1239,x\n";
    let answers = run(&["detect", "--json", "--format", "csv"], table).json();
    let found: Vec<_> =
        answers.iter().map(|answer| (&answer["entities"][0]["type"], &answer["field"])).collect();
    assert_eq!(found, [(&json!("rodne_cislo"), &json!("birth_number"))], "a wrong checksum needs its label");
    assert_eq!((&answers[0]["line"], &answers[0]["entities"][0]["start"]), (&json!(2), &json!(0)));
    let document = r#"{"birth number": ["800101/1239"]}"#;
    assert_eq!(run(&["protect", "--format", "json"], document).ok(), r#"{"birth number": ["[REDACTED]"]}"#);
}

#[test]
fn of_tables_only_cells_change() {
    let table = "id;mail\r\n1;\"a@example.cz\"\r\n2;nothing\r\n3;c@example.cz;extra\r\n";
    let expected = "id;mail\r\n1;\"[REDACTED]\"\r\n2;nothing\r\n3;[REDACTED];extra\r\n";
    assert_eq!(run(&["protect", "--format", "csv"], table).ok(), expected);
    let tabs = run(&["protect", "--format", "csv", "--delimiter", "tab"], "a;b@example.cz\tc\n").ok();
    assert_eq!(tabs, "a;[REDACTED]\tc\n");
    let listed = run(&["detect", "--format", "csv"], table).ok();
    assert!(listed.starts_with("stdin:2:4: email - "), "{listed}");
}

#[test]
fn other_encodings_come_out_in_utf8() {
    let files = folder(&[]);
    // windows-1250
    let text = b"P\xf8\xedli\x9a \x9elu\x9dou\xe8k\xfd k\xf9\xf2, rodn\xe9 \xe8\xedslo 800101/1238\r\n";
    fs::write(files.path().join("a.txt"), text).unwrap();
    let expected = "Příliš žluťoučký kůň, rodné číslo [REDACTED]\r\n";
    let given = ["protect", "a.txt", "--exclude-entities", "name", "--encoding", "windows-1250"];
    let given = run_in(files.path(), &given, "");
    assert_eq!((given.out.as_str(), given.err.as_str()), (expected, ""));
    let found = run_in(files.path(), &["detect", "--check", "a.txt"], "");
    assert!(found.out.contains("a.txt:1:35: rodne_cislo CZ"), "{}", found.out);
    assert!(found.err.contains("a.txt: was read as windows-125"), "{}", found.err);
    let utf16: Vec<u8> = "\u{feff}PESEL 44051401359".encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs::write(files.path().join("b.txt"), utf16).unwrap();
    assert_eq!(run_in(files.path(), &["protect", "b.txt"], "").out, "\u{feff}PESEL [REDACTED]");
}

#[test]
fn of_word_documents_the_text_comes_out() {
    let files = folder(&[]);
    fs::create_dir(files.path().join("in")).unwrap();
    let mut archive = ZipWriter::new(fs::File::create(files.path().join("in/a.docx")).unwrap());
    archive.start_file("word/document.xml", SimpleFileOptions::default()).unwrap();
    let body = "<w:document xmlns:w=\"w\"><w:p><w:r><w:t>PESEL 440514</w:t></w:r><w:r><w:t>01359</w:t></w:r></w:p>\
        <w:p><w:r><w:t>by</w:t></w:r></w:p></w:document>";
    archive.write_all(body.as_bytes()).unwrap();
    archive.finish().unwrap();
    assert_eq!(run_in(files.path(), &["protect", "in/a.docx"], "").ok(), "PESEL [REDACTED]\nby\n");
    let listed = run_in(files.path(), &["detect", "in"], "").ok();
    assert_eq!(listed, "in/a.docx:1:7: pesel PL 1.00 44051401359\n");
    run_in(files.path(), &["protect", "in", "--output", "out"], "").ok();
    assert_eq!(read(&files, "out/a.docx.txt"), "PESEL [REDACTED]\nby\n");
}

#[test]
fn in_place_touches_only_what_changes() {
    let files = folder(&[("a.txt", "a@example.cz"), ("b.txt", "nothing"), (".git/config", "a@example.cz")]);
    fs::write(files.path().join("c.bin"), b"\0a@example.cz").unwrap();
    let before = files.path().join("b.txt").metadata().unwrap().modified().unwrap();
    let run = run_in(files.path(), &["protect", "--in-place", "."], "");
    assert!(run.err.contains("skipped: ./c.bin: the file has a zero byte"), "{}", run.err);
    assert!(run.err.contains("1 file was skipped and may have personal data"), "{}", run.err);
    assert_eq!(run.status, 3);
    assert_eq!(read(&files, "a.txt"), "[REDACTED]");
    assert_eq!(read(&files, ".git/config"), "a@example.cz");
    assert_eq!(fs::read(files.path().join("c.bin")).unwrap(), b"\0a@example.cz");
    assert_eq!(files.path().join("b.txt").metadata().unwrap().modified().unwrap(), before);
    let left: Vec<_> = fs::read_dir(files.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 4, "{left:?}");
}

#[test]
fn output_goes_to_a_file_or_a_folder() {
    let files = folder(&[("a.txt", "a@example.cz"), ("x/a.txt", "b@example.cz")]);
    run_in(files.path(), &["protect", "a.txt", "--output", "new/out.txt"], "").ok();
    assert_eq!(read(&files, "new/out.txt"), "[REDACTED]");
    run_in(files.path(), &["protect", "-o", "piped.txt"], "a@example.cz").ok();
    assert_eq!(read(&files, "piped.txt"), "[REDACTED]");
    let same = run_in(files.path(), &["protect", "a.txt", "x/a.txt", "-o", "out/"], "");
    assert!(same.status == 2 && same.err.contains("run them apart"), "{}", same.err);
    assert_eq!(read(&files, "a.txt"), "a@example.cz");
}

#[test]
fn lines_come_out_while_more_goes_in() {
    for (arguments, line, expected) in [
        (&["protect"][..], "a@example.cz\n", "[REDACTED]\n"),
        (&["protect", "--format", "ndjson"], "{\"a\":\"a@example.cz\"}\n", "{\"a\":\"[REDACTED]\"}\n"),
        (&["protect", "--format", "csv"], "a@example.cz,b\n", "[REDACTED],b\n"),
    ] {
        let mut child = command(Path::new("."), arguments).spawn().unwrap();
        let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        for _ in 0..3 {
            stdin.write_all(line.as_bytes()).unwrap();
            let mut out = vec![0; expected.len()];
            stdout.read_exact(&mut out).unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
        drop(stdin);
        assert!(child.wait().unwrap().success());
    }
}

#[test]
fn a_long_text_streams() {
    let line = "Zpráva 🦀 přišla z adresy zofie@example.cz\n";
    let out = run(&["protect"], &line.repeat(40_000)).ok();
    assert_eq!(out, "Zpráva 🦀 přišla z adresy [REDACTED]\n".repeat(40_000));
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let mut child = command(Path::new("."), &["protect"]).spawn().unwrap();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || drop(stdin.write_all("a line\n".repeat(100_000).as_bytes())));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

#[test]
fn colours_highlight_and_can_be_turned_off() {
    let text = "můj PESEL 44051401359 a nic\n";
    let colored = run(&["--color", "always", "detect"], text).ok();
    assert!(colored.contains("\u{1b}["), "{colored}");
    assert!(colored.contains("můj PESEL ") && colored.contains("⟨pesel "), "{colored}");
    assert!(colored.contains("44051401359") && colored.trim_end().ends_with(" a nic"), "{colored}");
    let protected = run(&["--color", "always", "protect"], text).ok();
    assert!(protected.starts_with("můj PESEL \u{1b}["), "{protected}");
    for arguments in [&["detect"][..], &["--color", "never", "detect"], &["protect"]] {
        assert!(!run(arguments, text).ok().contains('\u{1b}'), "{arguments:?}");
    }
}

#[test]
fn validate_says_it_by_its_status() {
    let valid = run(&["validate", "pesel", "44051401359"], "");
    assert_eq!(valid.status, 0);
    assert!(
        valid.out.starts_with("valid pesel") && valid.out.contains("birth_date=1944-05-14"),
        "{}",
        valid.out
    );
    let wrong = run(&["validate", "PESEL", "-", "--json"], "44051401358\n");
    assert_eq!(wrong.status, 1);
    let answer: Value = serde_json::from_str(&wrong.out).unwrap();
    assert_eq!((&answer["valid"], &answer["entity_type"]), (&json!(false), &json!("pesel")));
    assert_eq!(answer["metadata"]["reason"], "checksum");
}

#[test]
fn detectors_are_listed() {
    let [answer] = &run(&["detectors", "--json", "--country", "PL"], "").json()[..] else { panic!() };
    let detectors = answer["detectors"].as_array().unwrap();
    assert_eq!(answer["count"], detectors.len());
    assert!(detectors.iter().any(|detector| detector["entity_type"] == "pesel"));
    assert!(detectors.iter().all(|detector| detector["region"] == "PL"));
    assert!(run(&["detectors"], "").ok().lines().count() > detectors.len());
}

#[test]
fn completions_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = run(&["completions", shell], "").ok();
        assert!(script.contains("textveil") && script.contains("protect"), "{shell}");
    }
}

#[test]
fn the_component_can_be_named() {
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../dist/textveil-engine.wasm");
    let files = folder(&[]);
    fs::copy(built, files.path().join("mine.wasm")).unwrap();
    let out = run_in(files.path(), &["--component", "mine.wasm", "protect"], "a@example.cz").ok();
    assert_eq!(out, "[REDACTED]");
}

/// An entity over several cells is replaced in each, and restored to the same file.
#[test]
fn tokens_of_documents_are_restored_to_the_same_document() {
    let documents = [
        ("a.csv", "name,street,zip,city\nAnna Kellermann,12 High St,LS1 1AA,Leeds\n"),
        (
            "a.json",
            "{\"address\":{\"line1\":\"12 High St\",\"line2\":\"Flat 3\",\"postcode\":\"LS1 1AA\"}}\n",
        ),
        ("b.json", "{\"name\": \"Ren\\u00e9 M\\u00fcller\", \"card\": 4111111111111111}\n"),
        ("a.ndjson", "{\"street\":\"12 High St\",\"zip\":\"LS1 1AA\"}\nplain a@example.com\n"),
        ("a.xml", "<p mail='a@example.com'><street>12 High St</street><zip>LS1 1AA</zip></p>\n"),
    ];
    let files = folder(&documents);
    run_in(files.path(), &["key-file", "new", "k"], "").ok();
    let key = ["--key-file", "k"];
    for (name, document) in documents {
        let tokens = [&["protect", "--mode", "tokenize", name, "-o", "t"], &key[..]].concat();
        run_in(files.path(), &tokens, "").ok();
        let protected = read(&files, "t");
        assert!(
            !["High", "LS1", "example", "4111"].iter().any(|value| protected.contains(value)),
            "{protected}"
        );
        let format = name.rsplit('.').next().unwrap();
        let restored = [&["restore", "--format", format, "t"], &key[..]].concat();
        assert_eq!(run_in(files.path(), &restored, "").ok(), document, "{protected}");
        let masked = run_in(files.path(), &["protect", "--mode", "mask", name], "").ok();
        assert_eq!(masked.matches([',', '<', '\n']).count(), document.matches([',', '<', '\n']).count());
    }
}

/// Files that are not read are errors that name their formats; in a folder, the other files are still read.
#[test]
fn what_is_not_read_is_named() {
    let files = folder(&[("in/a.txt", "a@example.com")]);
    for (name, bytes, what) in [
        (
            "in/a.pdf",
            &b"%PDF-1.4\n1 0 obj\n<< >>\nendobj\n"[..],
            "a PDF document, which is not read; extract its text",
        ),
        ("in/b.png", b"\x89PNG\r\n\x1a\n\0\0", "an image (PNG)"),
        ("in/c.log.gz", b"\x1f\x8b\x08\0\0", "a gzip archive"),
        ("in/d.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "of an old format, or an encrypted one"),
        ("in/e.csv", b"SQLite format 3\0", "an SQLite database"),
    ] {
        fs::write(files.path().join(name), bytes).unwrap();
        for command in ["detect", "protect", "restore"] {
            let mut arguments = vec![command, name];
            if command == "restore" {
                run_in(files.path(), &["key-file", "new", "k"], "");
                arguments.extend(["--key-file", "k"]);
            }
            let run = run_in(files.path(), &arguments, "");
            assert_eq!((run.status, run.out.as_str()), (2, ""), "{name} {}", run.err);
            assert!(run.err.contains(what), "{}", run.err);
        }
    }
    let run = run_in(files.path(), &["detect", "in"], "");
    assert!(run.status == 3 && run.out.starts_with("in/a.txt:1:1: email"), "{} {}", run.out, run.err);
    assert_eq!(run.err.matches("skipped: in/").count(), 5, "{}", run.err);
    assert!(run.err.ends_with("5 files were skipped and may have personal data\n"), "{}", run.err);
    assert_eq!(run_in(files.path(), &["detect", "--check", "in"], "").status, 1, "a finding comes first");
    let allowed = run_in(files.path(), &["detect", "--check", "--allow-skipped", "in"], "");
    assert_eq!(allowed.status, 1, "a finding counts");
    fs::write(files.path().join("in/a.txt"), "nothing").unwrap();
    let allowed = run_in(files.path(), &["detect", "--check", "--allow-skipped", "in"], "");
    assert_eq!((allowed.status, allowed.out.as_str()), (0, ""), "{}", allowed.err);
    assert_eq!(allowed.err.matches("skipped: in/").count(), 5, "{}", allowed.err);
    assert_eq!(run_in(files.path(), &["detect", "--check", "in"], "").status, 3);
    let utf16: Vec<u8> =
        "name\tmail\r\nAnna\ta@example.com\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs::write(files.path().join("u.tsv"), utf16).unwrap();
    assert!(run_in(files.path(), &["protect", "u.tsv"], "").ok().contains("\t[REDACTED]\r\n"));
}
