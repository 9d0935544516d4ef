//! The manifest of a Spin application, `spin.toml` version 2.
//!
//! Unsupported content is rejected when the manifest is read, never ignored: an application that starts here
//! has exactly the rights and routes of its manifest.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};
use serde::Deserialize;

use super::variables::of_environment;

/// A validated manifest.
///
/// # Examples
/// ```
/// use std::collections::BTreeMap;
/// use textveil::app::Manifest;
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("spin.toml");
/// std::fs::write(&path, r#"
///     spin_manifest_version = 2
///     application = { name = "notes" }
///     variables.motto = { required = true }
///     variables.title = { default = "Notes" }
///     trigger.http = [{ route = "/health", static_response = { body = "up" } }]
/// "#)?;
/// let manifest = Manifest::read(&path)?;
/// let given = BTreeMap::from([("motto".to_owned(), "write it down".to_owned())]);
/// assert!(manifest.lacks("motto", &BTreeMap::new()) && !manifest.lacks("motto", &given));
/// assert_eq!(manifest.variable("title", &given).as_deref(), Some("Notes"));
/// # Ok::<(), anyhow::Error>(())
/// ```
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    spin_manifest_version: u32,
    #[serde(rename = "application")]
    _application: Application,
    #[serde(default)]
    pub(crate) variables: BTreeMap<String, VariableDeclaration>,
    #[serde(default)]
    pub(crate) trigger: Triggers,
    #[serde(default)]
    pub(crate) component: BTreeMap<String, ComponentDeclaration>,
    /// The base folder of relative paths.
    #[serde(skip)]
    folder: PathBuf,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Application {
    #[serde(rename = "name")]
    _name: String,
    #[serde(rename = "version")]
    _version: Option<String>,
    #[serde(rename = "description")]
    _description: Option<String>,
    #[serde(default, rename = "authors")]
    _authors: Vec<String>,
    #[serde(default, rename = "targets")]
    _targets: Vec<String>,
}

/// A variable of the application: required, or with a default.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct VariableDeclaration {
    pub(crate) default: Option<String>,
    #[serde(default)]
    pub(crate) required: bool,
    #[serde(default)]
    pub(crate) secret: bool,
    #[serde(rename = "description")]
    pub(crate) _description: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Triggers {
    #[serde(default)]
    pub(crate) http: Vec<HttpTrigger>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HttpTrigger {
    #[serde(rename = "id")]
    _id: Option<String>,
    route: RouteDeclaration,
    pub(crate) component: Option<String>,
    pub(crate) static_response: Option<StaticResponse>,
    #[serde(default)]
    dependencies: TriggerDependencies,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct TriggerDependencies {
    #[serde(default)]
    middleware: Vec<MiddlewareDeclaration>,
}

/// A component that handles requests before and answers after another one, and the rights that it inherits
/// from it.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(deny_unknown_fields)]
pub(crate) struct MiddlewareDeclaration {
    pub(crate) component: String,
    #[serde(default)]
    pub(crate) inherit_configuration: Inherited,
}

/// The rights that a middleware inherits: all, none, or keys of the component's declaration.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(untagged)]
pub(crate) enum Inherited {
    Whole(bool),
    Keys(Vec<String>),
}

impl Default for Inherited {
    fn default() -> Self {
        Self::Whole(false)
    }
}

impl Inherited {
    /// Whether the middleware inherits the right of this key of the component.
    pub(crate) fn has(&self, key: &str) -> bool {
        match self {
            Self::Whole(whole) => *whole,
            Self::Keys(keys) => keys.iter().any(|known| known == key),
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum RouteDeclaration {
    Path(String),
    Private(#[allow(dead_code, reason = "it is only ever refused")] toml::Table),
}

impl HttpTrigger {
    /// Returns the middleware of a request, outermost first.
    pub(crate) fn middleware(&self) -> &[MiddlewareDeclaration] {
        &self.dependencies.middleware
    }

    /// The route's pattern, such as `/api/...`.
    pub(crate) fn route(&self) -> Result<&str> {
        match &self.route {
            RouteDeclaration::Path(path) => Ok(path),
            RouteDeclaration::Private(_) => {
                bail!("a private route is not supported by this host; give the trigger a path or remove it")
            }
        }
    }
}

/// An answer without a component.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StaticResponse {
    #[serde(default = "ok")]
    pub(crate) status_code: u16,
    #[serde(default)]
    pub(crate) headers: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) body: String,
}

fn ok() -> u16 {
    200
}

/// The source of a component, and its rights.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ComponentDeclaration {
    #[serde(rename = "description")]
    _description: Option<String>,
    source: ComponentSource,
    #[serde(default)]
    pub(crate) key_value_stores: Vec<String>,
    #[serde(default)]
    pub(crate) variables: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) allowed_outbound_hosts: Vec<String>,
    #[serde(default)]
    pub(crate) environment: BTreeMap<String, String>,
    #[serde(default)]
    files: Vec<Files>,
    #[serde(rename = "build")]
    _build: Option<toml::Table>,
    #[serde(rename = "tool")]
    _tool: Option<toml::Table>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum ComponentSource {
    Path(PathBuf),
    Remote(#[allow(dead_code, reason = "it is only ever refused")] toml::Table),
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Files {
    Folder { source: PathBuf, destination: String },
    Pattern(String),
}

/// A folder of this machine that a component can read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mount {
    pub(crate) source: PathBuf,
    pub(crate) destination: String,
}

impl Manifest {
    /// Reads the manifest at `path`.
    ///
    /// # Errors
    /// Describes what in the file cannot be read, is unknown, or is not supported by this host.
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read the manifest {}", path.display()))?;
        let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
        Self::parse(&text, folder).with_context(|| format!("in the manifest {}", path.display()))
    }

    /// Reads a manifest with relative paths based on `folder`.
    pub(crate) fn parse(text: &str, folder: PathBuf) -> Result<Self> {
        let manifest = Self { folder, ..toml::from_str(text)? };
        manifest.check()?;
        Ok(manifest)
    }

    /// Whether the application declares a variable that has no value.
    ///
    /// Values are those `given` and those in the environment; a default does not count.
    pub fn lacks(&self, name: &str, given: &BTreeMap<String, String>) -> bool {
        let environment = |name: &str| std::env::var(name).ok();
        self.variables.get(name).is_some_and(|declaration| {
            !given.contains_key(name) && of_environment(name, declaration, environment).is_none()
        })
    }

    /// Returns the value that a declared variable will have.
    ///
    /// It is the one `given`, else that of the environment, else the default.
    pub fn variable(&self, name: &str, given: &BTreeMap<String, String>) -> Option<String> {
        let declaration = self.variables.get(name)?;
        let environment = |name: &str| std::env::var(name).ok();
        let value = given.get(name).cloned().or_else(|| of_environment(name, declaration, environment));
        value.or_else(|| declaration.default.clone())
    }

    /// Reduces the application to one route, with the components behind it.
    ///
    /// They may send requests to `outbound` only, a list of hosts in the notation of `allowed_outbound_hosts`.
    ///
    /// # Errors
    /// If there is no such route.
    ///
    /// # Examples
    /// ```
    /// use textveil::app::Manifest;
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("spin.toml");
    /// std::fs::write(&path, r#"
    ///     spin_manifest_version = 2
    ///     application = { name = "hello" }
    ///     trigger.http = [
    ///         { route = "/health", static_response = { body = "up" } },
    ///         { route = "/...", static_response = { body = "hello" } },
    ///     ]
    /// "#)?;
    /// let mut manifest = Manifest::read(&path)?;
    /// manifest.reduce_to("/health", &[])?;
    /// assert!(manifest.reduce_to("/...", &[]).is_err());
    /// # Ok::<(), anyhow::Error>(())
    /// ```
    pub fn reduce_to(&mut self, route: &str, outbound: &[String]) -> Result<()> {
        self.trigger.http.retain(|trigger| trigger.route().is_ok_and(|known| known == route));
        ensure!(!self.trigger.http.is_empty(), "the manifest has no route {route}; name that of Textveil");
        let used: BTreeSet<_> = self
            .trigger
            .http
            .iter()
            .flat_map(|trigger| {
                let middleware = trigger.middleware().iter().map(|middleware| &middleware.component);
                middleware.chain(&trigger.component)
            })
            .collect();
        self.component.retain(|id, _| used.contains(id));
        for component in self.component.values_mut() {
            component.allowed_outbound_hosts = outbound.to_vec();
        }
        Ok(())
    }

    /// Returns the path of the component's wasm file.
    pub(crate) fn source(&self, component: &ComponentDeclaration) -> Result<PathBuf> {
        match &component.source {
            ComponentSource::Path(path) => Ok(self.folder.join(path)),
            ComponentSource::Remote(_) => {
                bail!("`source` names a remote component; this host takes the path of a file")
            }
        }
    }

    /// Returns the folders that the component can read.
    pub(crate) fn mounts(&self, component: &ComponentDeclaration) -> Result<Vec<Mount>> {
        component
            .files
            .iter()
            .map(|files| match files {
                Files::Folder { source, destination } => {
                    let source = self.folder.join(source);
                    ensure!(
                        source.is_dir(),
                        "`files`: {} is no folder; this host mounts folders",
                        source.display()
                    );
                    Ok(Mount { source, destination: destination.clone() })
                }
                Files::Pattern(pattern) => bail!(
                    "`files`: the pattern {pattern:?} is not supported by this host; write {{ source = \
                     \"folder\", destination = \"/folder\" }}"
                ),
            })
            .collect()
    }

    fn check(&self) -> Result<()> {
        ensure!(
            self.spin_manifest_version == 2,
            "spin_manifest_version is {}; this host reads version 2",
            self.spin_manifest_version
        );
        for (name, variable) in &self.variables {
            ensure!(is_variable_name(name), "variable {name:?}: use lower-case words joined by `_`");
            ensure!(
                variable.required != variable.default.is_some(),
                "variable `{name}`: give either `required = true` or a `default`"
            );
        }
        for (id, component) in &self.component {
            ensure!(is_component_id(id), "component {id:?}: use lower-case words joined by `-`");
            let check = || {
                self.source(component)?;
                self.mounts(component)?;
                for name in component.variables.keys() {
                    ensure!(is_variable_name(name), "variable {name:?}: use lower-case words joined by `_`");
                }
                Ok(())
            };
            check().with_context(|| format!("component `{id}`"))?;
        }
        ensure!(!self.trigger.http.is_empty(), "the application has no [[trigger.http]]; nothing would run");
        for (index, trigger) in self.trigger.http.iter().enumerate() {
            let check = || {
                trigger.route()?;
                match (&trigger.component, &trigger.static_response) {
                    (Some(id), None) => {
                        let middleware = trigger.middleware().iter().map(|middleware| &middleware.component);
                        for id in middleware.chain([id]) {
                            ensure!(self.component.contains_key(id), "there is no [component.{id}]");
                        }
                        Ok(())
                    }
                    (None, Some(_)) => {
                        ensure!(trigger.middleware().is_empty(), "a static response has no middleware");
                        Ok(())
                    }
                    _ => bail!("give it either a `component` or a `static_response`"),
                }
            };
            check().with_context(|| format!("HTTP trigger {}", index.saturating_add(1)))?;
        }
        Ok(())
    }
}

/// Lower-case words joined by single `_`, each starting with a letter.
pub(crate) fn is_variable_name(name: &str) -> bool {
    is_joined_words(name, '_')
}

fn is_component_id(id: &str) -> bool {
    is_joined_words(id, '-')
}

fn is_joined_words(text: &str, joint: char) -> bool {
    text.split(joint).all(|word| {
        word.starts_with(|first: char| first.is_ascii_lowercase())
            && word.chars().all(|character| character.is_ascii_lowercase() || character.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = r#"
        spin_manifest_version = 2
        [application]
        name = "x"
        version = "0.1.0"
        authors = ["a <a@example.com>"]
        targets = ["spin-up:4.1"]
        [variables]
        greeting = { default = "hi" }
        token = { required = true, secret = true }
        [[trigger.http]]
        route = "/api/..."
        component = "api"
        [[trigger.http]]
        route = "/teapot"
        static_response = { status_code = 418, body = "short and stout", headers = { x-a = "b" } }
        [component.api]
        source = "api.wasm"
        key_value_stores = ["default"]
        variables = { greeting = "{{ greeting }}" }
        allowed_outbound_hosts = []
        environment = { A = "b" }
        [component.api.build]
        command = "cargo build"
        watch = ["src/**/*.rs"]
    "#;

    #[test]
    fn a_whole_manifest_is_read() {
        let manifest = Manifest::parse(WHOLE, PathBuf::from("/app")).unwrap();
        let api = &manifest.component["api"];
        assert_eq!(manifest.source(api).unwrap(), Path::new("/app/api.wasm"));
        assert_eq!(api.key_value_stores, ["default"]);
        assert_eq!(manifest.trigger.http[0].route().unwrap(), "/api/...");
        assert_eq!(manifest.trigger.http[1].static_response.as_ref().unwrap().status_code, 418);
        let none = BTreeMap::new();
        let given = BTreeMap::from([("token".to_owned(), String::new())]);
        assert!(manifest.lacks("token", &none));
        assert!(!manifest.lacks("token", &given) && !manifest.lacks("other", &none));
        let variable = |name, given| manifest.variable(name, given);
        assert_eq!((variable("token", &given), variable("token", &none)), (Some(String::new()), None));
        assert_eq!((variable("greeting", &none), variable("other", &none)), (Some("hi".into()), None));
    }

    #[test]
    fn what_cannot_be_honoured_is_refused() {
        for (from, to, want) in [
            ("version = 2", "version = 1", "reads version 2"),
            (r#"route = "/teapot""#, "route = { private = true }", "private route"),
            (r#"component = "api""#, r#"component = "other""#, "no [component.other]"),
            (r#"component = "api""#, "", "either a `component` or a `static_response`"),
            (r#"source = "api.wasm""#, r#"source = { url = "x", digest = "y" }"#, "remote component"),
            ("required = true, ", "", "either `required = true` or a `default`"),
            ("token =", "Token =", "lower-case words joined by `_`"),
            (
                "key_value_stores",
                r#"sqlite_databases = ["default"]
              key_value_stores"#,
                "sqlite_databases",
            ),
            (
                "environment",
                r#"files = ["*.txt"]
              environment"#,
                "pattern",
            ),
            (
                "[application]",
                "[[trigger.redis]]
              channel = \"c\"
              [application]",
                "redis",
            ),
        ] {
            assert!(WHOLE.contains(from), "{from}");
            let error = Manifest::parse(&WHOLE.replacen(from, to, 1), PathBuf::new()).unwrap_err();
            let message = format!("{error:#}");
            assert!(message.contains(want), "{to}: {message}");
        }
    }

    #[test]
    fn names_are_joined_words() {
        for (name, want) in [
            ("a", true),
            ("a_b2", true),
            ("", false),
            ("_a", false),
            ("a__b", false),
            ("2a", false),
            ("A", false),
        ] {
            assert_eq!(is_variable_name(name), want, "{name}");
        }
    }
}
