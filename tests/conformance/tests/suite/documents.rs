//! Documents on every surface that reads them: what comes out is the same, byte for byte.
//!
//! `bindings-js/test/page.test.mjs` compares a page with Node.

use std::{collections::BTreeSet, fs, path::PathBuf, process::Command};

use base64ct::{Base64, Encoding};
use serde_json::{Value, json};
use textveil_documents::Format;
use textveil_tests::{
    Surface, Verb, dist, program,
    surfaces::{Http, JavaScript},
    workspace,
};

/// The folders of the documents. Those of Office are LibreOffice's.
const FOLDERS: [&str; 2] = ["tests/conformance/documents", "documents/tests/office"];

struct Document {
    path: PathBuf,
    name: String,
    /// The format that the name tells.
    format: Option<Format>,
}

fn documents() -> Vec<Document> {
    let paths = FOLDERS.iter().flat_map(|folder| fs::read_dir(workspace(folder)).unwrap());
    let document = |path: PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        Document { format: Format::of_name(&name), path, name }
    };
    let mut all: Vec<_> = paths.map(|entry| document(entry.unwrap().path())).collect();
    // sources of the documents of Office, and the script that makes these
    all.retain(|Document { name, .. }| {
        ![".fodt", ".fods", ".fodp", ".sh"].iter().any(|end| name.ends_with(end))
    });
    all.sort_by(|a, b| a.path.cmp(&b.path));
    all
}

/// Returns what the program writes, with the findings masked.
fn by_program(Document { path, .. }: &Document) -> String {
    let mut protect = Command::new(program().unwrap());
    protect.env("TEXTVEIL_COMPONENT", dist("textveil-engine.wasm").unwrap());
    let out = protect.args(["protect", "--mode", "mask"]).arg(path).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

fn by(surface: &mut dyn Surface, request: &Value) -> String {
    let answer = surface.call(Verb::ProtectDocument, request).unwrap();
    answer["protected_document"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

#[test]
fn every_format_is_among_the_documents() {
    let told: BTreeSet<_> =
        documents().iter().filter_map(|document| document.format).map(Format::name).collect();
    let without_text = Format::ALL.into_iter().filter(|format| *format != Format::Text);
    assert_eq!(told, without_text.map(Format::name).collect());
}

#[test]
fn surfaces_agree_on_documents() {
    let (mut http, mut javascript) = (Http::new().unwrap(), JavaScript::new().unwrap());
    for document in documents() {
        let bytes = fs::read(&document.path).unwrap();
        let content = Base64::encode_string(&bytes);
        let name = &document.name;
        let out = by_program(&document);
        assert!(out.contains("*****") && !out.contains("@example"), "{name}: {out}");
        // the service is told the format, and the package the name
        let format = document.format.or_else(|| name.contains('.').then_some(Format::Text)).map(Format::name);
        let request = json!({ "document_base64": content, "format": format, "mode": "mask" });
        assert_eq!(by(&mut http, &request), out, "{name}, service and program");
        let request = json!({ "document_base64": content, "name": name, "mode": "mask" });
        assert_eq!(by(&mut javascript, &request), out, "{name}, package and program");
    }
}
