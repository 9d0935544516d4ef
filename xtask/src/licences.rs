//! `cargo xtask licences`: checks that the licence of every dependency is allowed.
//!
//! The list is `deny.toml`, in the format of cargo-deny, so that `cargo deny check licenses` has the same
//! result; this check needs neither that program nor a network.

use std::fs;

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use spdx::{Expression, Licensee, ParseMode};

use crate::shell::{cargo, command, output, root, say};

/// Check the licence of every crate that we depend on against deny.toml; needs no network.
#[derive(clap::Args)]
pub struct Arguments {}

/// The fields used of `deny.toml`.
#[derive(Deserialize)]
struct Deny {
    licenses: Licences,
}

#[derive(Deserialize)]
struct Licences {
    allow: Vec<Licence>,
    #[serde(default)]
    exceptions: Vec<Exception>,
}

/// Further licences of one crate.
#[derive(Deserialize)]
struct Exception {
    #[serde(rename = "crate")]
    package: String,
    allow: Vec<Licence>,
}

/// A licence that we accept; it also covers "this version or later".
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
struct Licence(Licensee);

impl TryFrom<String> for Licence {
    type Error = spdx::ParseError;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        Ok(Self(Licensee::parse(&name)?))
    }
}

/// The fields used of cargo's metadata.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    license: Option<String>,
}

/// Checks all of them.
///
/// # Errors
/// If a licence is not allowed, with the crates that have it.
pub fn run(_: &Arguments) -> Result<()> {
    let deny: Deny = toml::from_str(&fs::read_to_string(root("deny.toml"))?).context("in deny.toml")?;
    let packages = packages()?;
    let refused: Vec<_> = packages
        .iter()
        .filter(|package| !deny.licenses.allow(package))
        .map(|Package { name, version, license }| {
            format!("  {name} {version}: {}", license.as_deref().unwrap_or("no licence"))
        })
        .collect();
    if !refused.is_empty() {
        bail!("these crates have licences that deny.toml does not allow:\n{}", refused.join("\n"));
    }
    say(format!("the licences of {} crates are allowed", packages.len()));
    Ok(())
}

/// Every crate that is compiled for this machine or for WebAssembly.
fn packages() -> Result<Vec<Package>> {
    let about = output(command("rustc", ["-vV"]))?;
    let host = about.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc names no host")?;
    let mut metadata = cargo(["metadata", "--format-version", "1", "--locked"]);
    for target in [host, "wasm32-unknown-unknown", "wasm32-wasip2"] {
        metadata.args(["--filter-platform", target]);
    }
    Ok(serde_json::from_str::<Metadata>(&output(metadata)?)?.packages)
}

impl Licences {
    fn allow(&self, package: &Package) -> bool {
        let expression = package.license.as_deref().map(|text| Expression::parse_mode(text, ParseMode::LAX));
        let Some(Ok(expression)) = expression else { return false };
        let exceptions = self.exceptions.iter().filter(|exception| exception.package == package.name);
        let allowed: Vec<&Licence> =
            self.allow.iter().chain(exceptions.flat_map(|exception| &exception.allow)).collect();
        expression.evaluate(|requirement| allowed.iter().any(|allowed| allowed.0.satisfies(requirement)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_weighed() {
        let licences: Licences = toml::from_str(
            r#"
            allow = ["MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception"]
            exceptions = [
                { crate = "tables", allow = ["Unicode-3.0"] },
                { crate = "strings", allow = ["MPL-2.0"] },
            ]
            "#,
        )
        .unwrap();
        for (name, license, want) in [
            ("a", Some("MIT"), true),
            ("a", Some("MIT OR GPL-3.0-only"), true),
            ("a", Some("GPL-3.0-only"), false),
            ("a", Some("MIT AND GPL-3.0-only"), false),
            ("a", Some("MIT/Apache-2.0"), true),
            ("a", Some("Apache-2.0 WITH LLVM-exception"), true),
            ("a", Some("(MIT OR Apache-2.0) AND Unicode-3.0"), false),
            ("tables", Some("(MIT OR Apache-2.0) AND Unicode-3.0"), true),
            ("a", Some("MPL-2.0+"), false),
            ("strings", Some("MPL-2.0+"), true),
            ("strings", Some("GPL-2.0+"), false),
            ("a", Some("no such licence"), false),
            ("a", None, false),
        ] {
            let package =
                Package { name: name.into(), version: "1".into(), license: license.map(str::to_owned) };
            assert_eq!(licences.allow(&package), want, "{name} {license:?}");
        }
    }
}
