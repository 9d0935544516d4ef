//! `cargo xtask train`: generates the lexicon's data from third-party packages, learns the weights of the judge of names from
//! annotated text, and fits the weights of the evidence.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::shell::{cargo, command, run as run_command, say, target};

/// Learn how names are spelled, and write engine/names/lexicon/spelling.bin: the same bytes from the same lists.
///
/// Prints how well names that were not used for training are distinguished from words. The source packages
/// are pinned; they are downloaded once, to target/lexicon.
#[derive(clap::Args)]
pub struct Arguments {
    /// First make the lists of names and cities anew, out of the packages in engine/names/lexicon/LICENCES.md
    #[arg(long)]
    lexicon: bool,
    /// Instead of the spelling learn which words are names, from the annotated texts of this folder (its form:
    /// tests/eval/README.md), and write engine/names/lexicon/judge.bin
    #[arg(long, value_name = "DIR", conflicts_with_all = ["case", "weights"])]
    judge: Option<PathBuf>,
    /// Instead of that learn the names in passages without capitals and in capitals, from copies of the same texts, and write
    /// engine/names/lexicon/judge-case.bin. It comes before --judge, which depends on its frequent words
    #[arg(long, value_name = "DIR", conflicts_with = "weights")]
    case: Option<PathBuf>,
    /// Instead of that fit the weights that many detectors share, on generated documents and on the texts without personal data of
    /// this folder, and write engine/weights/weights.toml: the same bytes from the same argued values
    #[arg(long, value_name = "DIR")]
    weights: Option<PathBuf>,
    /// Instead of that fit the calibration of each family, on generated documents and on the texts of this folder for the training,
    /// and print it
    #[arg(long, value_name = "DIR", conflicts_with_all = ["judge", "case", "weights"])]
    calibration: Option<PathBuf>,
}

/// The seed and the number of the generated documents that the judge learns from: others than those of the scorecard.
const SEED: &str = "7";
const DOCUMENTS: &str = "6000";
/// The number of features with weights for passages without capitals and in capitals.
const CASE_FEATURES: &str = "132000";

/// Runs the scripts of the lexicon.
///
/// # Errors
/// If Python 3 is not there, or a missing package is not available.
pub fn run(arguments: &Arguments) -> Result<()> {
    if let Some(folder) = &arguments.judge {
        return judge(folder, "engine/names/lexicon/judge.bin", &[]);
    }
    if let Some(folder) = &arguments.case {
        return judge(
            folder,
            "engine/names/lexicon/judge-case.bin",
            &["--case", "--keep", CASE_FEATURES, "--pairs-of-orders", "1"],
        );
    }
    if arguments.weights.is_some() {
        argue()?;
    }
    for (option, folder) in [("--fit", &arguments.weights), ("--calibrate", &arguments.calibration)] {
        if let Some(folder) = folder {
            say("fitting");
            let mut eval = cargo(["run", "--profile=eval", "--package=textveil-eval", "--"]);
            eval.args(["--seed", SEED, "--documents", DOCUMENTS, option]).arg(folder);
            return run_command(eval);
        }
    }
    if arguments.lexicon {
        say("making the lists of names and cities");
        script("build")?;
    }
    say("learning how names are spelled");
    script("train")
}

/// Gives each weight the value that a person chose, from which the fit begins.
fn argue() -> Result<()> {
    let path = "engine/weights/weights.toml";
    let page = std::fs::read_to_string(path)?;
    let mut argued: Vec<String> = Vec::new();
    for line in page.lines() {
        match line.strip_prefix("argued = ") {
            Some(value) => {
                argued.pop();
                argued.push(format!("value = {value}"));
            }
            None => argued.push(line.to_owned()),
        }
    }
    std::fs::write(path, argued.join("\n") + "\n")?;
    Ok(())
}

/// Learns the weights of the judge: some ten minutes on two processors, also from copies in other letter cases.
fn judge(folder: &Path, out: &str, options: &[&str]) -> Result<()> {
    say("generating documents");
    let generated = target().join("generated.jsonl");
    let mut eval = cargo(["run", "--profile=eval", "--package=textveil-eval", "--"]);
    eval.args(["--seed", SEED, "--documents", DOCUMENTS, "--write"]).arg(&generated);
    run_command(eval)?;
    say("learning which words are names");
    let mut train = cargo(["run", "--release", "--package=textveil-names-train", "--"]);
    train.arg(folder).arg("--generated").arg(generated).args(["--out", out]).args(options);
    run_command(train)
}

fn script(name: &str) -> Result<()> {
    let script = format!("engine/names/lexicon/{name}.py");
    // -B: what Python would compile into the folder would make cargo build the lexicon again
    let mut python = command("python3", ["-B", &script, "--cache"]);
    python.arg(target().join("lexicon"));
    run_command(python)
}
