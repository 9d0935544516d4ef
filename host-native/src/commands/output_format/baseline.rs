//! The baseline: findings that a repository has and that are not reported again.
//!
//! An entry is the rule, the path and a fingerprint of the value, so that it stays when lines move. A hash of a number
//! with ten digits can be found by trying all, so fingerprints have a random key. The baseline has it: the file is as
//! confidential as the repository, and reports with fingerprints may be published.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    fs,
    path::Path,
};

use anyhow::{Context, Result, bail};
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;

use super::Reported;

/// The version of the file.
const VERSION: u32 = 1;

/// The length of a salt, in bytes.
const SALT: usize = 16;

/// The length of a fingerprint, in bytes.
const FINGERPRINT: usize = 16;

/// The file.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Baseline {
    version: u32,
    /// The key of the fingerprints, as hex digits.
    salt: String,
    findings: BTreeSet<Known>,
}

/// A known finding.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    path: String,
    rule: String,
    fingerprint: String,
}

impl Known {
    fn of(finding: &Reported) -> Self {
        let Reported { path, rule, fingerprint, .. } = finding;
        Self { path: path.clone(), rule: rule.clone(), fingerprint: fingerprint.clone() }
    }
}

impl Baseline {
    /// Creates an empty baseline with a random key.
    ///
    /// # Errors
    /// If the system has no randomness.
    pub(super) fn new() -> Result<Self> {
        let mut salt = [0; SALT];
        getrandom::fill(&mut salt).context("the system has no randomness")?;
        let salt = base16ct::lower::encode_string(&salt);
        Ok(Self { version: VERSION, salt, findings: BTreeSet::new() })
    }

    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read or is not a baseline.
    pub(super) fn read(file: &Path) -> Result<Self> {
        let name = || file.display().to_string();
        let text = fs::read_to_string(file).with_context(name)?;
        let baseline: Self = serde_json::from_str(&text).with_context(|| {
            format!("{} is not a baseline; make one with --update-baseline", file.display())
        })?;
        if baseline.version != VERSION {
            bail!("{} has another version; make it anew with --update-baseline", file.display());
        }
        Ok(baseline)
    }

    /// Writes the file, and returns the number of its findings.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn write(&self, file: &Path) -> Result<usize> {
        let mut json = serde_json::to_vec_pretty(self)?;
        json.push(b'\n');
        fs::write(file, json).with_context(|| format!("cannot write {}", file.display()))?;
        Ok(self.findings.len())
    }

    /// Returns the baseline with the findings of these paths. Those of other paths stay.
    pub(super) fn updated(mut self, findings: &[Reported], paths: &HashSet<String>) -> Self {
        self.findings.retain(|known| !paths.contains(&known.path));
        self.findings.extend(findings.iter().map(Known::of));
        self
    }

    /// Whether a finding is known.
    pub(super) fn has(&self, finding: &Reported) -> bool {
        self.findings.contains(&Known::of(finding))
    }
}

/// Makes fingerprints.
pub(super) struct Fingerprints {
    /// The key of the baseline.
    salt: Option<String>,
    /// The number of findings of each rule in each path.
    counts: HashMap<(String, String), usize>,
}

impl Fingerprints {
    pub(super) fn new(baseline: Option<&Baseline>) -> Self {
        Self { salt: baseline.map(|baseline| baseline.salt.clone()), counts: HashMap::new() }
    }

    /// Returns the fingerprint of a finding: of its value if there is a key, or else of its position among those of its rule
    /// in its document.
    pub(super) fn of(&mut self, rule: &str, path: &str, value: &str) -> String {
        let number;
        let (key, parts) = match &self.salt {
            Some(salt) => (salt.as_str(), [rule, "", value]),
            None => {
                let count = self.counts.entry((rule.to_owned(), path.to_owned())).or_default();
                *count += 1;
                number = count.to_string();
                ("", [rule, path, number.as_str()])
            }
        };
        let Ok(mut hash) = Hmac::<Sha256>::new_from_slice(key.as_bytes()) else { return String::new() };
        for part in parts {
            hash.update(&(part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        let digest = hash.finalize().into_bytes();
        base16ct::lower::encode_string(digest.get(..FINGERPRINT).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::{super::finding, *};

    #[test]
    fn a_fingerprint_has_its_key_or_leaves_the_value_out() {
        let (one, other) = (Baseline::new().unwrap(), Baseline::new().unwrap());
        let of = |baseline: Option<&Baseline>, path: &str, value: &str| {
            Fingerprints::new(baseline).of("pl/pesel", path, value)
        };
        assert_eq!(of(Some(&one), "a", "44051401359"), of(Some(&one), "b", "44051401359"));
        assert_ne!(of(Some(&one), "a", "44051401359"), of(Some(&other), "a", "44051401359"));
        assert_ne!(of(Some(&one), "a", "44051401359"), of(Some(&one), "a", "02270803624"));
        assert_eq!(of(None, "a", "44051401359"), of(None, "a", "02270803624"));
        assert_ne!(of(None, "a", "44051401359"), of(None, "b", "44051401359"));
        let mut counted = Fingerprints::new(None);
        assert_ne!(counted.of("pl/pesel", "a", "x"), counted.of("pl/pesel", "a", "x"));
    }

    #[test]
    fn an_update_replaces_the_findings_of_the_paths_that_were_read() {
        let old = Baseline::new().unwrap();
        let old = old.updated(&[finding("pl/pesel", "a", 1), finding("pl/pesel", "b", 2)], &HashSet::new());
        let new = old.updated(&[finding("pl/pesel", "a", 3)], &HashSet::from(["a".to_owned()]));
        for (known, want) in [
            (finding("pl/pesel", "a", 1), false),
            (finding("pl/pesel", "a", 3), true),
            (finding("pl/pesel", "b", 2), true),
            (finding("pl/pesel", "b", 3), false),
        ] {
            assert_eq!(new.has(&known), want, "{known:?}");
        }
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("baseline.json");
        assert_eq!(new.write(&file).unwrap(), 2);
        assert_eq!(Baseline::read(&file).unwrap(), new);
        fs::write(&file, "{}").unwrap();
        assert!(Baseline::read(&file).is_err());
    }
}
