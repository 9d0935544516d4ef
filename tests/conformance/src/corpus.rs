//! The cases: those of `vectors/*.json`, those at the limits of the API, and those that each file
//! of the catalogue brings along.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use textveil_engine::limits::{MAX_BATCH, MAX_TEXT_CHARS};

use crate::{Verb, workspace};

/// A request and what must be in its answer.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The behaviour that the case shows; unique among all cases.
    pub name: String,
    /// The function to call.
    pub verb: Verb,
    /// The request, in the shape of the REST API.
    pub request: Map<String, Value>,
    /// The required content of the answer; see [`crate::expectation`].
    pub expect: Map<String, Value>,
}

impl Case {
    /// The request as a value.
    pub fn request(&self) -> Value {
        Value::Object(self.request.clone())
    }

    /// Returns the expected entities, of one text or of all texts of a batch; `None` if the case expects an
    /// error, or no entities are given.
    pub fn expected_entities(&self) -> Option<Vec<&Value>> {
        if let Some(results) = self.expect.get("results").and_then(Value::as_array) {
            let lists = results.iter().map(|result| result.get("entities")?.as_array());
            return Some(lists.collect::<Option<Vec<_>>>()?.into_iter().flatten().collect());
        }
        Some(self.expect.get("entities")?.as_array()?.iter().collect())
    }
}

/// Every case there is.
///
/// # Errors
/// As [`vectors`] and [`catalogue`].
pub fn all() -> Result<Vec<Case>> {
    Ok([vectors()?, of_service()?, limits(), beyond_limits(), catalogue()?].concat())
}

/// The cases of the npm package, which has no limits and checks every name: all but [`beyond_limits`] and [`of_service`].
///
/// # Errors
/// As [`all`].
pub fn of_library() -> Result<Vec<Case>> {
    Ok([vectors()?, limits(), catalogue()?].concat())
}

/// Every case of `vectors/*.json`, files and cases in order.
///
/// # Errors
/// If a file cannot be read or is not of the format.
pub fn vectors() -> Result<Vec<Case>> {
    read("vectors")
}

/// The cases that the npm package answers otherwise: empty texts, unknown names, unknown countries.
///
/// # Errors
/// As [`vectors`].
pub fn of_service() -> Result<Vec<Case>> {
    read("service")
}

fn read(folder: &str) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for file in files(&workspace("tests/conformance").join(folder), "json")? {
        let text = fs::read_to_string(&file)?;
        let read: Vec<Case> =
            serde_json::from_str(&text).with_context(|| format!("in {}", file.display()))?;
        cases.extend(read);
    }
    Ok(cases)
}

/// The cases at the limits of the API, whose texts are too long for a file.
pub fn limits() -> Vec<Case> {
    let longest = |character: &str| character.repeat(MAX_TEXT_CHARS);
    let quiet = json!({ "entities": [] });
    at_limits([
        ("the longest text", Verb::Detect, json!({ "text": longest(".") }), quiet.clone()),
        (
            "the longest text, all of it outside the basic plane",
            Verb::Detect,
            json!({ "text": longest("👍") }),
            quiet,
        ),
        (
            "the longest batch",
            Verb::DetectBatch,
            json!({ "texts": vec!["a"; MAX_BATCH] }),
            json!({ "total_entities": 0 }),
        ),
    ])
}

/// The cases beyond the limits of the API, which every surface of the service rejects.
pub fn beyond_limits() -> Vec<Case> {
    let longest = |character: &str| character.repeat(MAX_TEXT_CHARS);
    let refused = |field: &str| json!({ "error": { "code": "invalid_request", "field": field } });
    let too_long = longest("a ") + "b";
    at_limits([
        (
            "a text one character too long",
            Verb::Detect,
            json!({ "text": longest(".") + "." }),
            refused("text"),
        ),
        ("a text to protect, too long", Verb::Protect, json!({ "text": too_long }), refused("text")),
        (
            "a batch with a text too long",
            Verb::DetectBatch,
            json!({ "texts": ["a", too_long] }),
            refused("texts[1]"),
        ),
        (
            "a batch of one text too many",
            Verb::DetectBatch,
            json!({ "texts": vec!["a"; MAX_BATCH + 1] }),
            refused("texts"),
        ),
    ])
}

fn at_limits<const N: usize>(cases: [(&str, Verb, Value, Value); N]) -> Vec<Case> {
    cases
        .into_iter()
        .map(|(name, verb, request, expect)| Case {
            name: format!("limits: {name}"),
            verb,
            request: fields(request),
            expect: fields(expect),
        })
        .collect()
}

fn fields(object: Value) -> Map<String, Value> {
    match object {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

/// The part of a catalogue file that its cases are made from.
#[derive(Deserialize)]
struct CatalogueFile {
    role: Option<String>,
    #[serde(default, rename = "case")]
    cases: Vec<CatalogueCase>,
}

#[derive(Deserialize)]
struct CatalogueCase {
    value: String,
    refused: Option<String>,
    #[serde(default)]
    facts: Map<String, Value>,
}

/// The cases of the catalogue: each value validated by its detector, in its country.
///
/// # Errors
/// If a file cannot be read.
pub fn catalogue() -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for folder in folders(&workspace("engine/catalogue"))? {
        for path in files(&folder, "toml")? {
            let text = fs::read_to_string(&path)?;
            let file: CatalogueFile =
                toml::from_str(&text).with_context(|| format!("in {}", path.display()))?;
            if file.role.as_deref() != Some("suppressor") {
                let (country, name) = (stem(&folder)?, stem(&path)?);
                cases.extend(file.cases.iter().map(|case| case.validation(country, name)));
            }
        }
    }
    Ok(cases)
}

impl CatalogueCase {
    fn validation(&self, folder: &str, name: &str) -> Case {
        let mut request = Map::from_iter([
            ("value".to_owned(), json!(self.value)),
            ("entity_type".to_owned(), json!(name)),
        ]);
        if folder != "global" {
            request.insert("country".to_owned(), json!(folder));
        }
        let mut metadata = self.facts.clone();
        if let Some(reason) = &self.refused {
            metadata.insert("reason".to_owned(), json!(reason));
        }
        let mut expect = Map::from_iter([("valid".to_owned(), json!(self.refused.is_none()))]);
        if !metadata.is_empty() {
            expect.insert("metadata".to_owned(), Value::Object(metadata));
        }
        Case {
            name: format!("catalogue/{folder}/{name}: {}", self.value),
            verb: Verb::Validate,
            request,
            expect,
        }
    }
}

fn stem(path: &Path) -> Result<&str> {
    match path.file_stem().and_then(|stem| stem.to_str()) {
        Some(stem) => Ok(stem),
        None => bail!("{} has no name in UTF-8", path.display()),
    }
}

fn folders(folder: &Path) -> Result<Vec<PathBuf>> {
    Ok(entries(folder)?.into_iter().filter(|path| path.is_dir()).collect())
}

fn files(folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let is_wanted = |path: &PathBuf| path.extension().is_some_and(|found| found == extension);
    Ok(entries(folder)?.into_iter().filter(is_wanted).collect())
}

/// Returns the files in a folder, sorted by name.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let read = || fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>();
    let mut paths = read().with_context(|| format!("cannot read {}", folder.display()))?;
    paths.sort();
    Ok(paths)
}
