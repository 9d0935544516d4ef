//! Tasks of CONTRIBUTING.md for the engine and the service: each names few files, and three are followed.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test"
)]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The most files that a task may ask for.
const MOST: usize = 4;

/// The most files with code of the engine that a recogniser may need.
const MOST_OF_RECOGNISER: usize = 2;

/// The heading of the tasks of the service, and the folder of their paths that do not begin with a slash.
const SERVICE_TASKS: &str = "### Service and gateway";
const SERVICE: &str = "spin-app/service";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

/// Returns the files that a task names, from the root. `<…>` and `*` stand for names.
fn files(task: &str) -> BTreeSet<String> {
    let text = fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
    let heading = format!("**{task}.**");
    let (before, rest) = text.split_once(&heading).unwrap_or_else(|| panic!("there is no task {heading}"));
    let is_of_service = before.contains(SERVICE_TASKS);
    let steps = rest.split("\n\n**").next().unwrap();
    let quoted = steps.split('`').skip(1).step_by(2);
    let paths = quoted.filter(|path| path.contains('/') && path.contains('.') && !path.contains(' '));
    paths
        .map(|path| match path.strip_prefix('/') {
            Some(path) => path.to_owned(),
            None if is_of_service => format!("{SERVICE}/{path}"),
            None => path.to_owned(),
        })
        .collect()
}

#[test]
fn a_task_names_at_most_four_files() {
    for task in [
        "Add a recogniser",
        "Add a route",
        "Add a type of provider",
        "Add a field of a request",
        "Add a field of an answer",
        "Add a store of the service",
        "Add a metric",
    ] {
        let files = files(task);
        assert!((1..=MOST).contains(&files.len()), "{task}: {files:?}");
        for file in files {
            let known = file.split(['<', '*']).next().unwrap();
            assert!(root().join(known).exists(), "{task}: {file} is not there");
        }
    }
}

#[test]
fn a_recogniser_is_one_file_and_one_row() {
    let files = files("Add a recogniser");
    let code = files.iter().filter(|file| file.starts_with("engine/") && file.ends_with(".rs"));
    let code: Vec<&String> = code.filter(|file| !file.contains("/tests/")).collect();
    assert_eq!(code.len(), MOST_OF_RECOGNISER, "{code:?}");
}

/// The repository as it is, in a folder of its own, to be changed by a newcomer.
struct Copy(PathBuf);

impl Copy {
    fn of(target: &Path) -> Self {
        let _ = fs::remove_dir_all(target);
        let listed = Command::new("git").args(["ls-files", "-z"]).current_dir(root()).output().unwrap();
        for file in String::from_utf8(listed.stdout).unwrap().split_terminator('\0') {
            // a file may be deleted and not yet committed
            if let Ok(content) = fs::read(root().join(file)) {
                let to = target.join(file);
                fs::create_dir_all(to.parent().unwrap()).unwrap();
                fs::write(to, content).unwrap();
            }
        }
        Self(target.to_owned())
    }

    /// Follows a task: replaces text in files that it names, and in no others.
    fn follow(&self, task: &str, changes: &[(&str, &str, &str)]) {
        let named = files(task);
        for (file, from, to) in changes {
            assert!(named.contains(*file), "{task} does not name {file}");
            let path = self.0.join(file);
            let text = fs::read_to_string(&path).unwrap();
            assert!(text.contains(from), "{file} has changed; follow the task anew");
            fs::write(path, text.replace(from, to)).unwrap();
        }
    }

    /// Follows a task: writes a file that it names, with a name of its own for `<…>`.
    fn add(&self, task: &str, file: &str, text: &str) {
        let is_named = |named: &String| {
            let ends = named.split_once('<').and_then(|(start, rest)| Some((start, rest.split_once('>')?.1)));
            ends.is_some_and(|(start, end)| file.starts_with(start) && file.ends_with(end))
        };
        assert!(files(task).iter().any(is_named), "{task} does not name {file}");
        fs::write(self.0.join(file), text).unwrap();
    }

    fn cargo(&self, arguments: &[&str]) {
        let status = Command::new(env!("CARGO"))
            .args(arguments)
            .current_dir(&self.0)
            // dependencies are compiled already
            .env("CARGO_TARGET_DIR", root().join("target"))
            .status()
            .unwrap();
        assert!(status.success(), "cargo {}", arguments.join(" "));
    }
}

#[test]
#[ignore = "compiles the service anew"]
fn a_store_and_a_type_of_provider_are_added_by_their_tasks() {
    let copy = Copy::of(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("newcomer"));
    let provider = "spin-app/service/src/providers/provider_type.rs";
    copy.follow(
        "Add a type of provider",
        &[
            (provider, "    Vllm,\n}", "    Vllm,\n    /// Zanzibar.\n    Zanzibar,\n}"),
            (provider, "        Self::Vllm,\n    ];", "        Self::Vllm,\n        Self::Zanzibar,\n    ];"),
            (provider, "Self::AzureOpenAi => (", "Self::AzureOpenAi | Self::Zanzibar => ("),
            (provider, "ollama or vllm\"", "ollama, vllm or zanzibar\""),
        ],
    );
    let (host, grant) = ("spin-app/service/src/host.rs", "key_value_stores = [\"config\", ");
    let backend = "\n[key_value_store.archive]\ntype = \"spin\"\n\n[outbound_networking]";
    copy.follow(
        "Add a store of the service",
        &[
            (host, "    Audit,\n}", "    Audit,\n    /// What is old.\n    Archive,\n}"),
            (host, "ALL: [Self; 3] = [Self::Config, ", "ALL: [Self; 4] = [Self::Archive, Self::Config, "),
            (
                host,
                "Self::Audit => \"audit\",",
                "Self::Audit => \"audit\",\n            Self::Archive => \"archive\",",
            ),
            (host, "let [config, ", "let [archive, config, "),
            (
                host,
                "Label::Audit => audit,",
                "Label::Audit => audit,\n            Label::Archive => archive,",
            ),
            (
                host,
                "            Label::Audit => \"the key-value store `audit` does not answer\",",
                "            Label::Audit => \"the key-value store `audit` does not answer\",\n            \
                 Label::Archive => \"the key-value store `archive` does not answer\",",
            ),
            ("spin.toml", grant, "key_value_stores = [\"archive\", \"config\", "),
            ("spin-app/runtime-config.toml", "\n[outbound_networking]", backend),
            ("spin-app/deploy/redis.toml", "\n[outbound_networking]", backend),
        ],
    );
    copy.cargo(&["test", "-p", "textveil-service", "--lib", "--", "host::", "providers::"]);
    copy.cargo(&["test", "-p", "textveil-service", "--test", "http", "--", "outages::", "llm_providers::"]);
}

/// A recogniser with an anchor that no other one has, a state, and a judgement of one value.
const RECOGNISER: &str = r#"//! Tickets of the ferry to Zanzibar, from their circumflex: `^24170396`.

use super::{
    scan::Scanner,
    table::{Read, Recognise, WrittenValue},
};
use crate::{api::facts::Invalid, catalogue};

/// The number of digits.
const DIGITS: usize = 8;

/// Tickets. The state is the end of the last one.
pub(super) struct FerryTickets;

impl Recognise for FerryTickets {
    type State = usize;

    const MARKS: &'static [u8] = b"^";

    fn at_mark(scanner: &mut Scanner<'_>, at: usize, _: u8) {
        let behind = scanner.bytes.get(at + 1..).unwrap_or_default();
        let digits = behind.iter().take(DIGITS + 1).take_while(|byte| byte.is_ascii_digit()).count();
        scanner.count(digits);
        if digits == DIGITS && at >= scanner.states.zanzibar {
            scanner.states.zanzibar = at + 1 + digits;
            scanner.judged(catalogue::ZANZIBAR, at, at + 1 + digits);
        }
    }

    fn judge(value: &WrittenValue<'_>) -> Result<Read, Invalid> {
        let digits = value.text.strip_prefix('^').unwrap_or_default();
        value.valid_if(digits.len() == DIGITS && digits.bytes().all(|byte| byte.is_ascii_digit()))
    }
}

#[cfg(test)]
#[test]
fn tickets() {
    let text = "my ticket ^24170396, not ^2417";
    let found = crate::detect(text, &crate::DetectOptions::default()).unwrap().entities;
    let found: Vec<_> = found.iter().map(|entity| (entity.kind.as_ref(), entity.original.as_str())).collect();
    assert_eq!(found, [("zanzibar", "^24170396")]);
    for (value, valid) in [("^24170396", true), ("^2417", false), ("24170396", false)] {
        assert_eq!(crate::validate(value, "zanzibar", None).unwrap().valid, valid, "{value}");
    }
}
"#;

const DETECTOR: &str = r#"description = "Ticket of the ferry to Zanzibar"
category = "personal"
source = "a test"
recogniser = "zanzibar"
prior = 5.0

[words]
en = ["ferry ticket"]

[[case]]
value = "^24170396"

[[case]]
value = "^2417"
refused = "format"
"#;

#[test]
#[ignore = "compiles the engine anew"]
fn a_recogniser_is_added_by_its_task() {
    let copy = Copy::of(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("newcomer_recogniser"));
    let (task, table) = ("Add a recogniser", "engine/src/recognise/mod.rs");
    copy.add(task, "engine/src/recognise/zanzibar.rs", RECOGNISER);
    copy.add(task, "engine/catalogue/global/zanzibar.toml", DETECTOR);
    copy.follow(
        task,
        &[
            (table, "mod user;\n", "mod user;\nmod zanzibar;\n"),
            (table, "recognisers! {\n", "recognisers! {\n    zanzibar::FerryTickets [Zanzibar],\n"),
        ],
    );
    copy.cargo(&["test", "-p", "textveil-engine", "--lib", "--", "recognise::"]);
}
