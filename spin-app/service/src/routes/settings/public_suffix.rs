//! Registered names of domains, by the Public Suffix List: `example.co.uk` of `mail.example.co.uk`.
//!
//! The list is stored compressed, 45 kB: a crate that has it as code weighs 865 kB in WebAssembly. A look-up reads all
//! of it, which takes less than a millisecond; only changes of allow lists need it.

use miniz_oxide::inflate::decompress_to_vec_zlib;

use crate::error::ApiError;

/// The rules, one a line.
const RULES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/public_suffixes.txt"));

/// Returns the registered name of a domain in ASCII; `None` for a public suffix.
///
/// # Errors
/// `internal_error` if the list cannot be read.
pub(super) fn registered_name(domain: &str) -> Result<Option<&str>, ApiError> {
    let unreadable = || ApiError::internal("the list of public suffixes cannot be read");
    let rules = decompress_to_vec_zlib(RULES).map_err(|_| unreadable())?;
    let rules = std::str::from_utf8(&rules).map_err(|_| unreadable())?;
    Ok(registered_by(rules, domain))
}

fn registered_by<'d>(rules: &str, domain: &'d str) -> Option<&'d str> {
    let is_below =
        |suffix: &str| domain.strip_suffix(suffix).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    let labels = |name: &str| name.split('.').count();
    // a suffix that the list lacks has one label
    let mut suffix = 1;
    for rule in rules.lines() {
        if let Some(exception) = rule.strip_prefix('!') {
            if is_below(exception) {
                suffix = labels(exception) - 1;
                break;
            }
        } else if let Some(parent) = rule.strip_prefix("*.") {
            if domain != parent && is_below(parent) {
                suffix = suffix.max(labels(parent) + 1);
            }
        } else if is_below(rule) {
            suffix = suffix.max(labels(rule));
        }
    }
    let above = labels(domain).checked_sub(suffix + 1)?;
    let start: usize = domain.split('.').take(above).map(|label| label.len() + 1).sum();
    domain.get(start..)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Examples of the list's own tests.
    #[test]
    fn names_are_registered_below_suffixes() {
        for (domain, want) in [
            ("com", None),
            ("example.com", Some("example.com")),
            ("b.example.com", Some("example.com")),
            ("uk.com", None),
            ("b.example.uk.com", Some("example.uk.com")),
            ("jp", None),
            ("ac.jp", None),
            ("test.ac.jp", Some("test.ac.jp")),
            ("kyoto.jp", None),
            ("ide.kyoto.jp", None),
            ("b.c.kobe.jp", Some("b.c.kobe.jp")),
            ("c.kobe.jp", None),
            ("city.kobe.jp", Some("city.kobe.jp")),
            ("www.city.kobe.jp", Some("city.kobe.jp")),
            ("ck", None),
            ("test.ck", None),
            ("b.test.ck", Some("b.test.ck")),
            ("www.www.ck", Some("www.ck")),
            ("xn--85x722f.com.cn", Some("xn--85x722f.com.cn")),
            ("xn--55qx5d.cn", None),
            ("github.io", None),
            ("acme.github.io", Some("acme.github.io")),
            ("co.uk", None),
            ("gov.pl", None),
            // a suffix that is not in the list
            ("internal", None),
            ("mail.acme.internal", Some("acme.internal")),
        ] {
            assert_eq!(registered_name(domain).unwrap(), want, "{domain}");
        }
    }
}
