//! SARIF 2.1.0, for code scanning.

use std::{collections::BTreeSet, io::Write};

use anyhow::Result;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use super::{Reported, Rules};

/// The schema of the report.
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// Characters that a path of a URI has in percent encoding: all but the unreserved ones of RFC 3986 and the slash.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

pub(super) fn write(out: &mut impl Write, findings: &[Reported], rules: &Rules) -> Result<()> {
    serde_json::to_writer(&mut *out, &report(findings, rules))?;
    Ok(writeln!(out)?)
}

fn report(findings: &[Reported], rules: &Rules) -> Value {
    let names: Vec<&str> =
        findings.iter().map(|finding| finding.rule.as_str()).collect::<BTreeSet<_>>().into_iter().collect();
    let described = |name: &&str| {
        json!({
            "id": name,
            "shortDescription": { "text": rules.description(name) },
            "defaultConfiguration": { "level": "warning" },
        })
    };
    let results: Vec<Value> = findings.iter().map(|finding| result(finding, &names)).collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "textveil",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": names.iter().map(described).collect::<Vec<_>>(),
            } },
            // as this program counts them
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn result(finding: &Reported, names: &[&str]) -> Value {
    let Reported { rule, path, line, column, end_line, end_column, fingerprint, .. } = finding;
    let mut artifact = json!({ "uri": uri(path) });
    if !path.starts_with('/')
        && let Some(artifact) = artifact.as_object_mut()
    {
        artifact.insert("uriBaseId".to_owned(), json!("%SRCROOT%"));
    }
    json!({
        "ruleId": rule,
        "ruleIndex": names.binary_search(&rule.as_str()).unwrap_or_default(),
        "level": "warning",
        "message": { "text": finding.message() },
        "locations": [{ "physicalLocation": {
            "artifactLocation": artifact,
            "region": {
                "startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column,
            },
        } }],
        "partialFingerprints": { "textveilHash/v1": fingerprint },
    })
}

/// Returns a path as a URI.
fn uri(path: &str) -> String {
    let scheme = if path.starts_with('/') { "file://" } else { "" };
    format!("{scheme}{}", utf8_percent_encode(path, ENCODED))
}

#[cfg(test)]
mod tests {
    use super::{super::finding, *};

    #[test]
    fn results_lead_to_their_rules_and_places() {
        let rules = Rules::new(Vec::new());
        let findings = [finding("pl/pesel", "a b/č.txt", 2), finding("global/email", "/tmp/x", 3)];
        let report = report(&findings, &rules);
        let run = &report["runs"][0];
        let named = |result: &Value| {
            let index = result["ruleIndex"].as_u64().unwrap() as usize;
            (run["tool"]["driver"]["rules"][index]["id"].clone(), result["ruleId"].clone())
        };
        for result in run["results"].as_array().unwrap() {
            let (rule, id) = named(result);
            assert_eq!(rule, id);
        }
        let place = |index: usize| &run["results"][index]["locations"][0]["physicalLocation"];
        assert_eq!(
            place(0)["artifactLocation"],
            json!({ "uri": "a%20b/%C4%8D.txt", "uriBaseId": "%SRCROOT%" })
        );
        assert_eq!(place(1)["artifactLocation"], json!({ "uri": "file:///tmp/x" }));
        let region = json!({ "startLine": 2, "startColumn": 3, "endLine": 2, "endColumn": 9 });
        assert_eq!(place(0)["region"], region);
    }
}
