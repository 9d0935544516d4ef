//! The hosts to which the operator or the application lets restored values go.

use std::fmt;

/// The longest name of a host, in bytes (RFC 1035).
const MAX_NAME: usize = 253;
/// Endings of file names that are not top-level domains, so that `report.pdf` is not a host.
const FILES: [&str; 45] = [
    "7z", "bak", "bmp", "bz2", "cfg", "conf", "cpp", "css", "csv", "db", "dll", "doc", "docx", "exe", "gif",
    "go", "gz", "hpp", "htm", "html", "ini", "jar", "java", "jpeg", "jpg", "js", "json", "jsx", "lock",
    "log", "pdf", "php", "png", "ppt", "pptx", "sql", "svg", "tar", "tmp", "toml", "ts", "tsx", "txt", "xml",
    "yaml",
];

/// Hosts that may receive restored values.
#[derive(Clone, Default)]
pub struct Hosts {
    /// Names in lower case; `*.` at the start allows all below a domain.
    patterns: Vec<String>,
}

impl Hosts {
    /// Creates a list of names such as `crm.example.com` and `*.example.com`.
    ///
    /// A name that is not valid allows nothing; [`pattern`] says which are valid.
    pub fn new<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> Self {
        Self { patterns: names.into_iter().filter_map(|name| pattern(name.as_ref())).collect() }
    }

    /// Adds names to the list.
    pub fn extend<S: AsRef<str>>(&mut self, names: impl IntoIterator<Item = S>) {
        self.patterns.extend(Self::new(names).patterns);
    }

    /// Whether a host may receive a value. Its name must be plain: letters, digits, hyphens and dots of ASCII.
    pub fn allow(&self, host: &str) -> bool {
        let host = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
        self.patterns.iter().any(|known| match known.strip_prefix('*') {
            Some(domain) => host.len() > domain.len() && host.ends_with(domain),
            None => *known == host,
        })
    }
}

/// Hosts are the caller's text: only their number is shown.
impl fmt::Debug for Hosts {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Hosts({})", self.patterns.len())
    }
}

/// Returns a name of a list of hosts in lower case; `None` if it is not valid.
///
/// Names of other scripts are written as they are sent: `xn--mnchen-3ya.example`.
pub fn pattern(name: &str) -> Option<String> {
    let host = name.strip_prefix("*.").unwrap_or(name);
    let bare = host.strip_suffix('.').unwrap_or(host);
    let is_label = |label: &str| {
        !label.is_empty()
            && label.len() <= 63
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    };
    let is_valid = bare.len() <= MAX_NAME && bare.split('.').all(is_label);
    let is_wide_enough = host == name || bare.contains('.');
    (is_valid && is_wide_enough)
        .then(|| format!("{}{bare}", if host == name { "" } else { "*." }).to_ascii_lowercase())
}

/// Whether a host name may contain a character.
pub(crate) fn is_host_letter(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '.' | '-' | '_')
}

/// Whether a text looks like the name of a host with a domain, or like an address of four numbers.
pub(crate) fn is_named_host(text: &str) -> bool {
    let name = text.trim_end_matches('.');
    let Some((rest, last)) = name.rsplit_once('.') else { return false };
    let is_domain = (last.chars().count() >= 2 && last.chars().all(char::is_alphabetic)
        || last.starts_with("xn--"))
        && !FILES.contains(&last.to_ascii_lowercase().as_str());
    let is_address = name.split('.').count() == 4 && name.split('.').all(|part| part.parse::<u8>().is_ok());
    !rest.is_empty() && name.chars().all(is_host_letter) && (is_domain || is_address)
}

/// Returns the host of an authority such as `user@example.com:8080`; `None` if programs could disagree on it.
pub(crate) fn host_of(authority: &str) -> Option<&str> {
    let mut parts = authority.rsplitn(3, '@');
    let host = parts.next()?;
    // a second `@` is a part of the user for some programs, and the end of it for others
    let has_one_user = parts.next().is_none_or(|user| !user.is_empty()) && parts.next().is_none();
    let (name, port) = host.split_once(':').unwrap_or((host, ""));
    let is_plain =
        name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
    let is_port = port.len() <= 5 && port.bytes().all(|byte| byte.is_ascii_digit());
    (has_one_user && is_plain && is_port && !name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_of_a_list() {
        let hosts = Hosts::new(["acme.example", "*.intra.example", "not a host", "*.example"]);
        for (host, want) in [
            ("acme.example", true),
            ("ACME.example.", true),
            ("www.acme.example", false),
            ("a.intra.example", true),
            ("a.b.intra.example", true),
            ("intra.example", false),
            ("evilintra.example", false),
            ("x.example", false),
        ] {
            assert_eq!(hosts.allow(host), want, "{host}");
        }
        assert_eq!(format!("{hosts:?}"), "Hosts(2)");
    }

    #[test]
    fn names_of_a_list() {
        for (name, want) in [
            ("Crm.Example.com", Some("crm.example.com")),
            ("*.Example.com", Some("*.example.com")),
            ("localhost", Some("localhost")),
            ("10.0.0.5", Some("10.0.0.5")),
            ("xn--mnchen-3ya.example", Some("xn--mnchen-3ya.example")),
            ("*.com", None),
            ("*", None),
            ("a.*.example", None),
            ("https://a.example", None),
            ("a.example:80", None),
            ("a..example", None),
            ("münchen.example", None),
            ("", None),
        ] {
            assert_eq!(pattern(name).as_deref(), want, "{name}");
        }
    }

    #[test]
    fn hosts_of_authorities() {
        for (authority, want) in [
            ("a.example", Some("a.example")),
            ("a.example:80", Some("a.example")),
            ("u:p@a.example:80", Some("a.example")),
            ("u@v@a.example", None),
            ("@a.example", None),
            ("a.example\"", None),
            ("[::1]", None),
            ("a.example:x", None),
            ("", None),
        ] {
            assert_eq!(host_of(authority), want, "{authority}");
        }
    }

    #[test]
    fn names_of_hosts() {
        for (name, want) in [
            ("evil.example", true),
            ("www.evil.example.", true),
            ("10.0.0.5", true),
            ("1.2.3", false),
            ("v1.2", false),
            ("e.g", false),
            ("report.pdf", false),
            ("localhost", false),
            (".example", false),
        ] {
            assert_eq!(is_named_host(name), want, "{name}");
        }
    }
}
