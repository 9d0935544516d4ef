//! `cargo xtask train`: generates the lexicon's data from third-party packages.

use anyhow::Result;

use crate::shell::{command, run as run_command, say, target};

/// Learn how names are spelled, and write names/lexicon/spelling.bin: the same bytes from the same lists.
///
/// Prints how well names that were not used for training are distinguished from words. The source packages
/// are pinned; they are downloaded once, to target/lexicon.
#[derive(clap::Args)]
pub struct Arguments {
    /// First make the lists of names and cities anew, out of the packages in names/lexicon/LICENCES.md
    #[arg(long)]
    lexicon: bool,
}

/// Runs the scripts of the lexicon.
///
/// # Errors
/// Where Python 3 is not there, or a package that is not there yet cannot be had.
pub fn run(arguments: &Arguments) -> Result<()> {
    if arguments.lexicon {
        say("making the lists of names and cities");
        script("build")?;
    }
    say("learning how names are spelled");
    script("train")
}

fn script(name: &str) -> Result<()> {
    let script = format!("names/lexicon/{name}.py");
    // -B: what Python would compile into the folder would make cargo build the lexicon again
    let mut python = command("python3", ["-B", &script, "--cache"]);
    python.arg(target().join("lexicon"));
    run_command(python)
}
