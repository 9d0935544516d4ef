//! The manifest of SpinKube.

use std::collections::BTreeMap;

use serde::Deserialize;
use yaml_rust2::{Yaml, YamlLoader};

/// The fields of SpinKube's `core.spinkube.dev/v1alpha1` that are used, by their names there (its operator 0.6.1).
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct SpinApp {
    pub(super) api_version: String,
    pub(super) kind: String,
    pub(super) metadata: Metadata,
    pub(super) spec: Spec,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Metadata {
    pub(super) name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Spec {
    pub(super) image: String,
    pub(super) executor: String,
    pub(super) replicas: u32,
    pub(super) runtime_config: RuntimeConfig,
    pub(super) variables: Vec<Variable>,
    pub(super) checks: BTreeMap<String, Check>,
    pub(super) resources: BTreeMap<String, BTreeMap<String, String>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct RuntimeConfig {
    pub(super) load_from_secret: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) value: Option<String>,
    pub(super) value_from: Option<ValueFrom>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ValueFrom {
    pub(super) secret_key_ref: SecretKey,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct SecretKey {
    pub(super) name: String,
    pub(super) key: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Check {
    pub(super) http_get: HttpGet,
    #[serde(default)]
    pub(super) _timeout_seconds: u32,
    #[serde(default)]
    pub(super) _period_seconds: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct HttpGet {
    pub(super) path: String,
}

impl SpinApp {
    /// Reads `spinkube.yaml`.
    pub(super) fn read() -> Self {
        let [document]: [Yaml; 1] =
            YamlLoader::load_from_str(&super::deploy("spinkube.yaml")).unwrap().try_into().unwrap();
        serde_json::from_value(json(document)).unwrap()
    }
}

fn json(yaml: Yaml) -> serde_json::Value {
    match yaml {
        Yaml::String(text) => text.into(),
        Yaml::Integer(number) => number.into(),
        Yaml::Array(list) => list.into_iter().map(json).collect(),
        Yaml::Hash(object) => {
            object.into_iter().map(|(name, value)| (name.into_string().unwrap(), json(value))).collect()
        }
        other => panic!("the manifest has no need of {other:?}"),
    }
}
