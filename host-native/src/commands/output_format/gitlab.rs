//! A Code Quality report of GitLab.

use std::{collections::HashMap, io::Write};

use anyhow::Result;
use serde_json::{Value, json};

use super::Reported;

pub(super) fn write(out: &mut impl Write, findings: &[Reported]) -> Result<()> {
    // a fingerprint must be unique in a report: of a value that repeats, the others are numbered
    let mut seen: HashMap<(&str, &str), usize> = HashMap::new();
    let issues: Vec<Value> = findings
        .iter()
        .map(|finding| {
            let Reported { rule, path, line, end_line, fingerprint, .. } = finding;
            let count = seen.entry((path, fingerprint)).or_default();
            *count += 1;
            json!({
                "description": finding.message(),
                "check_name": rule,
                "fingerprint": format!("{fingerprint}-{path}-{count}"),
                "severity": "major",
                "location": { "path": path, "lines": { "begin": line, "end": end_line } },
            })
        })
        .collect();
    serde_json::to_writer(&mut *out, &issues)?;
    Ok(writeln!(out)?)
}

#[cfg(test)]
mod tests {
    use super::{super::finding, *};

    #[test]
    fn fingerprints_are_unique() {
        let mut out = Vec::new();
        let one = finding("pl/pesel", "a", 1);
        write(&mut out, &[one.clone(), one]).unwrap();
        let issues: Vec<Value> = serde_json::from_slice(&out).unwrap();
        let prints: Vec<_> = issues.iter().map(|issue| issue["fingerprint"].as_str().unwrap()).collect();
        assert_eq!(prints, ["pl/pesel1-a-1", "pl/pesel1-a-2"]);
        assert_eq!(issues[0]["location"], json!({ "path": "a", "lines": { "begin": 1, "end": 1 } }));
    }
}
