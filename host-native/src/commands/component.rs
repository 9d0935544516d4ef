//! Finding and loading the engine component.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use textveil::{Engine, Limits};

/// File name of the component.
const NAME: &str = "textveil-engine.wasm";

/// The component to run.
#[derive(Args)]
pub struct ComponentFlag {
    /// The engine component, textveil-engine.wasm; by default the one beside this program, or the one in
    /// dist/ of the build
    #[arg(
        long,
        global = true,
        help_heading = "Options of every command",
        env = "TEXTVEIL_COMPONENT",
        value_name = "FILE"
    )]
    component: Option<PathBuf>,
}

impl ComponentFlag {
    /// Loads the component.
    ///
    /// # Errors
    /// If the component is not found, or cannot be loaded.
    pub fn load(&self) -> Result<Engine> {
        Ok(Engine::load(self.find()?, Limits::default())?)
    }

    fn find(&self) -> Result<PathBuf> {
        if let Some(path) = &self.component {
            return Ok(path.clone());
        }
        let program = std::env::current_exe()?.canonicalize()?;
        match candidates(&program).find(|path| path.is_file()) {
            Some(path) => Ok(path),
            None => bail!(
                "{NAME} is not beside this program; build it with `cargo xtask build --only component`, or name it with --component"
            ),
        }
    }
}

/// Returns the possible paths: beside the program, and in `dist/` beside the `target/` of the program.
fn candidates(program: &Path) -> impl Iterator<Item = PathBuf> {
    let beside = program.parent().map(|folder| folder.join(NAME));
    let target = program.ancestors().find(|folder| folder.ends_with("target"));
    let built = target.and_then(Path::parent).map(|workspace| workspace.join("dist").join(NAME));
    beside.into_iter().chain(built)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_the_component_is_looked_for() {
        let found = |program| candidates(Path::new(program)).collect::<Vec<_>>();
        assert_eq!(found("/usr/bin/textveil"), [PathBuf::from("/usr/bin/textveil-engine.wasm")]);
        assert_eq!(
            found("/w/target/release/textveil"),
            [
                PathBuf::from("/w/target/release/textveil-engine.wasm"),
                PathBuf::from("/w/dist/textveil-engine.wasm")
            ]
        );
    }
}
