//! The figures of docs/benchmarks.md: what a benchmark printed, with the machine, the version and the date.

use std::{
    ffi::OsString,
    fs,
    io::{BufRead, BufReader, Write},
    process::Stdio,
    thread::available_parallelism,
};

use anyhow::{Context, Result, bail};
use clap::ValueEnum;

use super::Bench;
use crate::shell::{command, output, root, shown, write_if_changed};

/// The page of the figures, from the root of the workspace.
const PAGE: &str = "docs/benchmarks.md";
/// The beginning of the part of the page that is written here; the section of a benchmark follows it as [`HEADING`] and its name.
const FIGURES: &str = "## Figures\n";
const HEADING: &str = "### ";

/// Runs a benchmark in a process of its own, and writes what it prints to the page of figures.
pub(super) fn write(bench: &Bench, passed_on: &[OsString]) -> Result<()> {
    let name = bench.to_possible_value().context("every benchmark has a name")?.get_name().to_owned();
    let mut run = command(std::env::current_exe()?, ["bench", "--only", &name, "--"]);
    run.args(passed_on).stdout(Stdio::piped());
    let shown = shown(&run);
    let mut child = run.spawn()?;
    let mut printed = String::new();
    for line in BufReader::new(child.stdout.take().context("its output is piped")?).lines() {
        let line = line?;
        writeln!(std::io::stdout(), "{line}")?;
        printed.push_str(line.trim_end());
        printed.push('\n');
    }
    let status = child.wait()?;
    if !status.success() {
        bail!("`{shown}` failed: {status}; {PAGE} keeps its figures");
    }
    let page = root(PAGE);
    let figures = with_section(&fs::read_to_string(&page)?, &name, &section(&printed)?)?;
    write_if_changed(&page, figures.as_bytes())
}

/// Returns the section of a benchmark that printed this.
fn section(printed: &str) -> Result<String> {
    let date = output(command("date", ["-u", "+%Y-%m-%d"]))?;
    let version = env!("CARGO_PKG_VERSION");
    let cores = available_parallelism()?;
    let (processor, system) = (processor(), std::env::consts::OS);
    let about = format!("Version {version}, {}, {cores} cores of {processor}, {system}.", date.trim());
    Ok(format!("{about}\n\n```text\n{}\n```\n", printed.trim_matches('\n')))
}

/// Returns the name of the processor, or the architecture where the system does not tell it.
fn processor() -> String {
    let linux = fs::read_to_string("/proc/cpuinfo").ok();
    let linux = linux.as_deref().and_then(|about| {
        let (_, model) = about.lines().find(|line| line.starts_with("model name"))?.split_once(':')?;
        Some(model.trim().to_owned())
    });
    let mac = || output(command("sysctl", ["-n", "machdep.cpu.brand_string"])).ok();
    linux.or_else(mac).map_or_else(|| std::env::consts::ARCH.to_owned(), |name| name.trim().to_owned())
}

/// Returns the page with a new section of a benchmark: it replaces the old one, or follows the others.
fn with_section(page: &str, name: &str, section: &str) -> Result<String> {
    let (before, figures) =
        page.split_once(FIGURES).with_context(|| format!("{PAGE} has no heading {}", FIGURES.trim_end()))?;
    let marker = format!("\n{HEADING}");
    let mut parts = figures.split(&marker);
    let mut whole = format!("{before}{FIGURES}{}", parts.next().unwrap_or_default().trim_end());
    let mut written = false;
    for part in parts.chain([""]) {
        let (of, text) = part.split_once('\n').unwrap_or((name, ""));
        let text = if of == name { section } else { text };
        if of != name || !std::mem::replace(&mut written, true) {
            whole.push_str(&format!("\n{marker}{of}\n{}", text.trim_end()));
        }
    }
    whole.push('\n');
    Ok(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_replaces_that_of_its_benchmark() {
        let page = "# Benchmarks\n\n## Figures\nOf one machine.\n";
        let one = with_section(page, "wheel", "first\n").unwrap();
        assert_eq!(one, format!("{}\n### wheel\nfirst\n", page));
        let two = with_section(&one, "reach", "other\n").unwrap();
        assert_eq!(two, format!("{one}\n### reach\nother\n"));
        let again = with_section(&two, "wheel", "second\n").unwrap();
        assert_eq!(again, two.replace("first", "second"));
        assert!(with_section("# Benchmarks\n", "wheel", "first").is_err());
    }
}
