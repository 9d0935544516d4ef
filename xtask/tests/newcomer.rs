//! The tasks of CONTRIBUTING.md for the service: each names few files, and two are followed.
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

/// The folder of the paths that do not begin with a slash.
const SERVICE: &str = "spin-app/service";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

/// Returns the files that a task names, from the root. `<…>` and `*` stand for names.
fn files(task: &str) -> BTreeSet<String> {
    let text = fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
    let heading = format!("**{task}.**");
    let (_, rest) = text.split_once(&heading).unwrap_or_else(|| panic!("there is no task {heading}"));
    let steps = rest.split("\n\n**").next().unwrap();
    let quoted = steps.split('`').skip(1).step_by(2);
    let paths = quoted.filter(|path| path.contains('/') && path.contains('.') && !path.contains(' '));
    paths
        .map(|path| match path.strip_prefix('/') {
            Some(path) => path.to_owned(),
            None => format!("{SERVICE}/{path}"),
        })
        .collect()
}

#[test]
fn a_task_names_at_most_four_files() {
    for task in [
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
