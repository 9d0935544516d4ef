//! The manifests of Spin: `spin build`, `spin watch` and `spin up` must find what they name, without a network.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::{TempDir, tempdir};
use textveil::app::Manifest;
use textveil_tests::workspace;
use toml::{Table, Value};

/// The folders of all manifests.
const FOLDERS: [&str; 3] = ["", "spin-app/stateless", "examples/spin-middleware"];

const TEMPLATE: &str = "templates/textveil-protected";

/// The parameters of the template, as Spin fills them in.
const FILLED: [(&str, &str); 6] = [
    ("{{project-name | kebab_case}}", "my-app"),
    ("{{project-name | snake_case}}", "my_app"),
    ("{{authors}}", "A. Author"),
    ("{{project-description}}", "x"),
    ("{{http-path}}", "/..."),
    ("{{middleware}}", "middleware.wasm"),
];

fn parsed(manifest: &Path) -> Table {
    fs::read_to_string(manifest).unwrap().parse().unwrap()
}

fn strings(list: Option<&Value>) -> impl Iterator<Item = &str> {
    list.and_then(Value::as_array).into_iter().flatten().map(|value| value.as_str().unwrap())
}

/// Makes an application of the template, as `spin new` does.
fn new_application() -> TempDir {
    let made = tempdir().unwrap();
    let content = workspace(TEMPLATE).join("content");
    for (file, to) in
        [("spin.toml", "spin.toml"), ("Cargo.toml.tmpl", "Cargo.toml"), ("src/lib.rs", "src/lib.rs")]
    {
        let text = fs::read_to_string(content.join(file)).unwrap();
        let text = FILLED.iter().fold(text, |text, (name, value)| text.replace(name, value));
        assert!(file.ends_with(".rs") || !text.contains("{{"), "{file} has a parameter that nobody asks for");
        fs::create_dir_all(made.path().join(to).parent().unwrap()).unwrap();
        fs::write(made.path().join(to), text).unwrap();
    }
    made
}

/// A fault of a manifest that Spin shows only when it runs.
fn faults(folder: &Path) -> Vec<String> {
    let manifest = parsed(&folder.join("spin.toml"));
    let mut faults = Vec::new();
    let mut fault = |what: String| faults.push(format!("{}: {what}", folder.display()));
    if let Err(error) = Manifest::read(&folder.join("spin.toml")) {
        fault(format!("{error:#}"));
    }
    if manifest["application"].get("targets").is_some() {
        fault("`spin build` looks up `targets` in a catalogue on the network".to_owned());
    }
    let components = manifest["component"].as_table().unwrap();
    let builds: Vec<_> = components.values().filter_map(|component| component.get("build")).collect();
    let commands: String = builds.iter().map(|build| format!("{} ", build["command"])).collect();
    for (id, component) in components {
        if component.get("targets").is_some() {
            fault(format!("{id} has `targets`"));
        }
        match component["source"].as_str().map(PathBuf::from) {
            None => fault(format!("{id} comes from a registry")),
            Some(source) => {
                let stem = source.file_stem().unwrap().to_str().unwrap();
                // the output of a cargo package, a part of `cargo xtask build`, or a file that is there
                let is_made = commands.contains("cargo build") && source.starts_with("target")
                    || commands.contains(&format!("--package {}", stem.replace('_', "-")))
                    || commands.contains(&format!("--only {stem}"))
                    || folder.join(&source).is_file();
                if !is_made {
                    fault(format!("nothing makes {}", source.display()));
                }
            }
        }
        for files in component.get("files").and_then(Value::as_array).into_iter().flatten() {
            let part = Path::new(files["source"].as_str().unwrap()).file_name().unwrap().to_str().unwrap();
            if !commands.contains(&format!("--only {part}")) {
                fault(format!("nothing makes the folder {part}"));
            }
        }
    }
    for build in builds {
        let workdir = build.get("workdir").map_or("", |folder| folder.as_str().unwrap());
        if !folder.join(workdir).is_dir() {
            fault(format!("there is no folder {workdir}"));
        }
        for pattern in strings(build.get("watch")) {
            let path = folder.join(pattern);
            let mut found = glob::glob(path.to_str().unwrap()).unwrap();
            if pattern.contains("..") || !found.any(|path| path.unwrap().is_file()) {
                fault(format!("`spin watch` sees nothing of {pattern}"));
            }
        }
    }
    faults
}

#[test]
fn spin_builds_and_watches_what_there_is() {
    for folder in FOLDERS {
        assert_eq!(faults(&workspace(folder)), Vec::<String>::new());
    }
    // a manifest with each fault
    let folder = tempdir().unwrap();
    let manifest = r#"
        spin_manifest_version = 2
        [application]
        name = "x"
        targets = ["spin-up:4.1"]
        [[trigger.http]]
        route = "/..."
        component = "x"
        [component.x]
        source = { registry = "registry.example.com", package = "x:x", version = "0.1.0" }
        files = [{ source = "pages", destination = "/" }]
        build = { command = "make", workdir = "none", watch = ["../x", "src/**/*.rs"] }
    "#;
    fs::write(folder.path().join("spin.toml"), manifest).unwrap();
    assert_eq!(faults(folder.path()).len(), 7, "{:#?}", faults(folder.path()));
}

#[test]
fn spin_builds_the_application_once() {
    let manifest = parsed(&workspace("spin.toml"));
    let components = manifest["component"].as_table().unwrap();
    let builds: Vec<_> =
        components.iter().filter_map(|(id, component)| Some((id, component.get("build")?))).collect();
    let [(_, build)] = builds[..] else { panic!("{builds:?}") };
    for part in ["api", "gateway", "pages", "playground", "console", "docs"] {
        assert!(build["command"].as_str().unwrap().contains(&format!("--only {part}")), "{part}");
    }
    // each folder whose sources end up in a component or a page
    let watched: Vec<&str> = strings(build.get("watch")).collect();
    for source in [
        "Cargo.lock",
        "engine/catalogue/",
        "engine/src/",
        "engine/lexicon/",
        "engine/names/",
        "engine/phrase/",
        "engine/schema/",
        "engine/weights/",
        "documents/",
        "spin-app/",
        "bindings-js/js/",
        "bindings-js/src/",
        "web/console/",
        "web/playground/",
        "web/ui/",
        "docs/",
    ] {
        let is_in = |pattern: &&str| source.starts_with(pattern.split('*').next().unwrap());
        assert!(watched.iter().any(|pattern| is_in(pattern) || pattern.starts_with(source)), "{source}");
    }
}

#[test]
fn the_template_makes_an_application_that_starts() {
    let made = new_application();
    let metadata = parsed(&workspace(TEMPLATE).join("metadata/spin-template.toml"));
    assert_eq!(metadata["id"].as_str(), Some("textveil-protected"));
    // each parameter that is filled in is asked for, or Spin's own
    let asked = metadata["parameters"].as_table().unwrap();
    for (name, _) in FILLED {
        let name = name.trim_matches(['{', '}']).split(" |").next().unwrap();
        assert!(asked.contains_key(name) || ["project-name", "authors"].contains(&name), "{name}");
    }
    fs::write(made.path().join("middleware.wasm"), "").unwrap();
    assert_eq!(faults(made.path()), Vec::<String>::new());
    let _ = parsed(&made.path().join("Cargo.toml"));
    // the application of the example
    let line =
        "dependencies.middleware = [{ component = \"textveil\", inherit_configuration = [\"variables\"] }]";
    for manifest in [made.path().join("spin.toml"), workspace("examples/spin-middleware/spin.toml")] {
        let text = fs::read_to_string(manifest).unwrap();
        assert!(text.contains(line) && text.contains("textveil_options = "), "{text}");
    }
    let program = fs::read_to_string(workspace("examples/spin-middleware/app/src/lib.rs")).unwrap();
    assert_eq!(fs::read_to_string(made.path().join("src/lib.rs")).unwrap(), program);
}
