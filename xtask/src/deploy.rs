//! `cargo xtask deploy`: the variables in the deployment files.
//!
//! The settings of a deployment are the same for systemd, containers, Spin and SpinKube. One table contains
//! them (`spin-app/deploy/variables.toml`); this task writes it into the marked regions of the files.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use serde::Deserialize;

use crate::shell::root;

/// Write the variables of a deployment into the files of spin-app/deploy
///
/// The table is spin-app/deploy/variables.toml. Only the regions between the marks of a file change.
#[derive(Args)]
pub struct Arguments {
    /// Change nothing, and fail if a file differs from the table
    #[arg(long)]
    check: bool,
}

#[derive(Deserialize)]
struct Table {
    variable: Vec<Variable>,
}

/// A variable that a deployment sets.
#[derive(Deserialize)]
struct Variable {
    name: String,
    /// The command whose output is its first value.
    make: String,
}

#[derive(Deserialize)]
struct Manifest {
    variables: std::collections::BTreeMap<String, Declaration>,
}

#[derive(Deserialize)]
struct Declaration {
    #[serde(default)]
    secret: bool,
}

/// A region of a file, and what it contains.
struct Region {
    file: &'static str,
    /// The mark that begins it, as a comment of the file; the mark `end of {name}` ends it.
    name: &'static str,
    contents: String,
}

/// Runs the task.
///
/// # Errors
/// If a file cannot be read or written, has no such region, or, with `--check`, is not current.
pub fn run(arguments: &Arguments) -> Result<()> {
    let folder = root("spin-app/deploy");
    for region in regions()? {
        let path = folder.join(region.file);
        let old = read(&path)?;
        let new = region.written_into(&old)?;
        if new == old {
            continue;
        }
        if arguments.check {
            bail!(
                "spin-app/deploy/{} is not what variables.toml says; run `cargo xtask deploy`",
                region.file
            );
        }
        fs::write(&path, new).with_context(|| format!("cannot write {}", path.display()))?;
        println!("wrote the region `{}` of spin-app/deploy/{}", region.name, region.file);
    }
    Ok(())
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

impl Region {
    fn written_into(&self, text: &str) -> Result<String> {
        let mark = |words: &str| {
            let found = text.lines().find(|line| {
                line.trim().trim_start_matches(['#', '<', '!', '-']).trim_end_matches(['-', '>']).trim()
                    == words
            });
            found.with_context(|| format!("{} has no line with the mark `{words}`", self.file))
        };
        let (begin, end) = (mark(self.name)?, mark(&format!("end of {}", self.name))?);
        let parts = text.split_once(begin).and_then(|(before, rest)| Some((before, rest.split_once(end)?.1)));
        let (before, after) = parts
            .with_context(|| format!("{} ends the region `{}` before it begins", self.file, self.name))?;
        Ok(format!("{before}{begin}\n{}{end}{after}", self.contents))
    }
}

fn regions() -> Result<Vec<Region>> {
    let Table { variable: variables } = toml::from_str(&read(&root("spin-app/deploy/variables.toml"))?)?;
    let manifest: Manifest = toml::from_str(&read(&root("spin.toml"))?)?;
    let (mut unit, mut kubernetes, mut make) = (String::new(), String::new(), String::new());
    let mut flags = [String::new(), String::new(), String::new()];
    for Variable { name, make: command } in &variables {
        let declared = manifest.variables.get(name);
        let declaration = declared.with_context(|| format!("spin.toml has no variable `{name}`"))?;
        unit += &format!("LoadCredential={name}:/etc/textveil/{name}\n");
        make += &format!("{command} > secrets/{name}\n");
        kubernetes += &if declaration.secret {
            format!(
                "    - name: {name}\n      valueFrom:\n        secretKeyRef:\n          name: textveil\n          key: {name}\n"
            )
        } else {
            format!("    - name: {name}\n      value: \"\"\n")
        };
        for (flags, folder) in
            flags.iter_mut().zip(["${CREDENTIALS_DIRECTORY}", "/run/secrets/textveil", "secrets"])
        {
            *flags += &format!(" --variable {name}=@{folder}/{name}");
        }
    }
    let [of_unit, of_container, of_spin] = flags.map(|flags| flags.trim_start().to_owned());
    let folded = |flags: &str| flags.replace(" --variable", " \\\n  --variable");
    unit += &format!(
        "ExecStart=/opt/textveil/dist/textveil serve --listen 127.0.0.1:3000 --metrics-listen 127.0.0.1:9464 \
         --max-connections-per-client 0 --manifest /opt/textveil/spin.toml --state-dir ${{STATE_DIRECTORY}} {of_unit}\n"
    );
    let block = |commands: &str| format!("```sh\n{commands}```\n");
    let region = |file, name, contents| Region { file, name, contents };
    Ok(vec![
        region("textveil.service", "variables", unit),
        region("spinkube.yaml", "variables", kubernetes),
        region("README.md", "values", block(&format!("install -d -m 700 secrets\numask 077\n{make}"))),
        region(
            "README.md",
            "container",
            block(&format!(
                "sudo chown -R 65532:65532 secrets\npodman run -p 127.0.0.1:3000:3000 -v textveil:/var/lib/textveil \
                 -v ./secrets:/run/secrets/textveil:ro textveil \\\n  {}\n",
                folded(&of_container)
            )),
        ),
        region(
            "README.md",
            "spin",
            block(&format!(
                "spin up --runtime-config-file spin-app/deploy/redis.toml \\\n  \
                 --max-instance-concurrent-reuse-count 1 \\\n  {}\n",
                folded(&of_spin)
            )),
        ),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deployment_files_are_those_of_the_table() {
        run(&Arguments { check: true }).expect("current files");
    }

    #[test]
    fn only_the_region_changes() {
        let region = Region { file: "x", name: "variables", contents: "new\n".into() };
        let text = "a\n# variables\nold\nold\n# end of variables\nb\n";
        assert_eq!(region.written_into(text).unwrap(), "a\n# variables\nnew\n# end of variables\nb\n");
        for faulty in ["a\n", "# variables\nold\n", "# end of variables\n# variables\n"] {
            assert!(region.written_into(faulty).is_err(), "{faulty}");
        }
    }
}
