//! The hosts to which restored values may go: those that the caller wrote, and those of the workspace.

use std::{collections::BTreeSet, fmt};

use url::Url;

/// Most hosts that are remembered of one request.
const MAX_HOSTS: usize = 1_024;

/// Hosts that may receive a value of the request.
#[derive(Clone, Default)]
pub struct Hosts {
    /// In URLs of the caller's own messages.
    callers: BTreeSet<String>,
    /// The workspace's hosts; `*.` at the start allows all subdomains.
    workspaces: Vec<String>,
}

impl Hosts {
    /// Creates a list of the workspace's hosts, to which a request adds its own.
    pub fn new(workspaces: Vec<String>) -> Self {
        Self { callers: BTreeSet::new(), workspaces }
    }

    /// Remembers the hosts in a text that the caller wrote: those of URLs, of `www.` names and before a path.
    pub fn read(&mut self, text: &str) {
        for (at, _) in text.match_indices('/') {
            let (Some(before), Some(behind)) = (text.get(..at), text.get(at + 1..)) else { continue };
            if before.ends_with(':') && behind.starts_with('/') {
                self.add(authority(behind.trim_start_matches('/')));
            } else {
                // `example.com/path`
                let start =
                    before.trim_end_matches(|letter: char| is_host_letter(letter) || letter == ':').len();
                let name = before.get(start..).unwrap_or_default();
                if is_named_host(name.split_once(':').map_or(name, |(name, _)| name)) {
                    self.add(name);
                }
            }
        }
        for (at, _) in text.match_indices("www.") {
            self.add(authority(text.get(at..).unwrap_or_default()));
        }
    }

    /// The hosts that the caller wrote.
    pub(super) fn of_the_caller(&self) -> &BTreeSet<String> {
        &self.callers
    }

    /// Adds hosts that the caller wrote earlier.
    pub(super) fn extend(&mut self, hosts: &BTreeSet<String>) {
        self.callers.extend(hosts.iter().take(MAX_HOSTS).cloned());
    }

    fn add(&mut self, authority: &str) {
        if self.callers.len() < MAX_HOSTS {
            self.callers.extend(host_of(authority));
        }
    }

    /// Whether a host, as returned by [`host_of`], may receive a value.
    pub(super) fn allow(&self, host: &str) -> bool {
        self.callers.contains(host)
            || self.workspaces.iter().any(|known| match known.strip_prefix("*.") {
                Some(domain) => host.strip_suffix(domain).is_some_and(|below| below.ends_with('.')),
                None => known == host,
            })
    }
}

/// Hosts are the caller's text: only their number is shown.
impl fmt::Debug for Hosts {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Hosts({} of the caller, {} of the workspace)", self.callers.len(), self.workspaces.len())
    }
}

/// Returns the authority at the start of a caller's text.
fn authority(text: &str) -> &str {
    let ends = |letter: char| letter.is_whitespace() || "/\\?#<>\"'`()[]{}|,;".contains(letter);
    let authority = text.get(..text.find(ends).unwrap_or(text.len())).unwrap_or_default();
    authority.trim_end_matches(['.', ':', '!', '*', '_'])
}

/// Returns the host of an authority such as `user@example.com:8080`, as browsers read it; `None` if it is
/// invalid.
pub(crate) fn host_of(authority: &str) -> Option<String> {
    if authority.is_empty() {
        return None;
    }
    let url = Url::parse(&format!("https://{authority}/")).ok()?;
    Some(url.host_str()?.trim_end_matches('.').to_owned())
}

/// Whether a host name may contain a character.
pub(super) fn is_host_letter(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '.' | '-' | '_')
}

/// Whether a text looks like the name of a host with a domain, or like an address of four numbers.
pub(super) fn is_named_host(text: &str) -> bool {
    let name = text.rsplit_once('@').map_or(text, |(_, host)| host).trim_end_matches('.');
    let Some((rest, last)) = name.rsplit_once('.') else { return false };
    let is_domain =
        last.chars().count() >= 2 && last.chars().all(char::is_alphabetic) || last.starts_with("xn--");
    let is_address = name.split('.').count() == 4 && name.split('.').all(|part| part.parse::<u8>().is_ok());
    !rest.is_empty() && name.chars().all(is_host_letter) && (is_domain || is_address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_of_the_caller() {
        for (text, host, want) in [
            ("see https://intranet.acme.example/a?b", "intranet.acme.example", true),
            ("see (https://intranet.acme.example).", "intranet.acme.example", true),
            ("see HTTPS://Intranet.ACME.example:8080", "intranet.acme.example", true),
            ("see www.acme.example.", "www.acme.example", true),
            ("see acme.example/docs", "acme.example", true),
            ("at http://localhost:3000/x", "localhost", true),
            ("at 10.0.0.5:80/x", "10.0.0.5", true),
            ("https://acme.example@evil.example/", "acme.example", false),
            ("https://acme.example@evil.example/", "evil.example", true),
            ("https://xn--mnchen-3ya.example/", "xn--mnchen-3ya.example", true),
            // neither a file nor an address is a host
            ("edit src/main.rs", "main.rs", false),
            ("write to jan@acme.example", "acme.example", false),
            ("acme.example", "acme.example", false),
            ("https://acme.example", "sub.acme.example", false),
        ] {
            let mut hosts = Hosts::default();
            hosts.read(text);
            assert_eq!(hosts.allow(host), want, "{text}");
        }
    }

    #[test]
    fn hosts_of_the_workspace() {
        let hosts = Hosts::new(vec!["acme.example".to_owned(), "*.intra.example".to_owned()]);
        for (host, want) in [
            ("acme.example", true),
            ("www.acme.example", false),
            ("a.intra.example", true),
            ("a.b.intra.example", true),
            ("intra.example", false),
            ("evilintra.example", false),
        ] {
            assert_eq!(hosts.allow(host), want, "{host}");
        }
        assert_eq!(format!("{hosts:?}"), "Hosts(0 of the caller, 2 of the workspace)");
    }
}
