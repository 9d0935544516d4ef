//! Compiles `weights.toml` into constants.
#![allow(clippy::expect_used, clippy::panic, reason = "a build script fails on a wrong file")]

use std::{env, fmt::Write, fs, path::PathBuf};

use toml::{Table, Value};

fn main() {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo says where the crate is"));
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo says where to write"));
    println!("cargo::rerun-if-changed=weights.toml");
    let page = fs::read_to_string(root.join("weights.toml")).expect("the page of weights is readable");
    let stages: Table = page.parse().unwrap_or_else(|error| panic!("weights.toml: {error}"));
    let mut code = String::new();
    for (stage, weights) in &stages {
        let weights = weights.as_table().unwrap_or_else(|| panic!("weights.toml: `{stage}` is not a table"));
        let about = weights.get("about").and_then(Value::as_str);
        let about = about.unwrap_or_else(|| panic!("weights.toml: `{stage}` lacks `about`"));
        let _ = writeln!(code, "#[doc = {about:?}]\npub mod {stage} {{");
        for (name, weight) in weights {
            if let Some(weight) = weight.as_table() {
                constant(stage, name, weight, &mut code);
            }
        }
        code.push_str("}\n");
    }
    fs::write(out.join("weights.rs"), code).expect("the folder can be written");
}

/// Writes the constant of a weight.
fn constant(stage: &str, name: &str, weight: &Table, code: &mut String) {
    let text = |key: &str| {
        let text = weight.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
        text.unwrap_or_else(|| panic!("weights.toml: `{stage}.{name}` lacks `{key}`"))
    };
    let number = |value: &Value| {
        value
            .as_float()
            .unwrap_or_else(|| panic!("weights.toml: `{stage}.{name}` is not a number with a point"))
    };
    let double = weight.get("double").and_then(Value::as_bool).unwrap_or_default();
    let float = if double { "f64" } else { "f32" };
    let (kind, value) = match weight.get("value") {
        Some(Value::Array(values)) => {
            let values: Vec<f64> = values.iter().map(number).collect();
            (format!("[{float}; {}]", values.len()), format!("{values:?}"))
        }
        Some(value) => (float.to_owned(), format!("{:?}", number(value))),
        None => panic!("weights.toml: `{stage}.{name}` lacks `value`"),
    };
    let doc =
        format!("{} Provenance: {}. Example: `{}`.", text("meaning"), text("provenance"), text("shows"));
    let _ = writeln!(code, "    #[doc = {doc:?}]\n    pub const {name}: {kind} = {value};");
}
