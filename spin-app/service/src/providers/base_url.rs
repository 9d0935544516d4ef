//! Addresses of providers, and the rules that keep a caller from sending this service's requests into its
//! own network.
//!
//! An address is checked when it is entered and again before each request. The host checks the resolved
//! address when it connects.

use std::net::IpAddr;

use url::{Host, Url};

use crate::{
    error::ApiError,
    limits::MAX_BASE_URL_BYTES,
    network::{AllowedHosts, is_public},
};

/// Domains that are not on the public internet (RFC 6761, RFC 6762, RFC 8375, ICANN), of Kubernetes, or of the
/// metadata of a cloud.
const INTERNAL_DOMAINS: [&str; 14] = [
    "localhost",
    "local",
    "internal",
    "home.arpa",
    "localdomain",
    "lan",
    "home",
    "corp",
    "intranet",
    "onion",
    "svc",
    "pod",
    "cluster",
    "private",
];

/// An address of a provider that the rules allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseUrl(Url);

impl BaseUrl {
    /// Checks an address: `https`, a name or address of the public internet, no user, query or fragment.
    ///
    /// Hosts in `allowed` may use `http` and any address.
    ///
    /// # Errors
    /// `invalid_request` naming `base_url`.
    pub fn parse(text: &str, allowed: &AllowedHosts) -> Result<Self, ApiError> {
        check(text, allowed).map(Self).map_err(|reason| ApiError::invalid("base_url", reason))
    }

    /// Appends `path` to the address, after `/v1` if the address has no API version in its own path.
    pub fn versioned(&self, path: &str) -> Url {
        let is_version = |segment: &str| {
            let mut characters = segment.chars();
            characters.next() == Some('v') && characters.next().is_some_and(|digit| digit.is_ascii_digit())
        };
        let has_version = self.segments().any(is_version);
        self.join(if has_version { "" } else { "/v1" }, path)
    }

    /// Appends `path` to the address without `suffix` at the end of its own path.
    pub fn without(&self, suffix: &str, path: &str) -> Url {
        let mut base = self.clone();
        let own = self.0.path().trim_end_matches('/');
        base.0.set_path(own.strip_suffix(suffix).unwrap_or(own));
        base.join("", path)
    }

    /// The parts of the address's path.
    pub fn segments(&self) -> impl Iterator<Item = &str> {
        self.0.path().split('/').filter(|segment| !segment.is_empty())
    }

    fn join(&self, version: &str, path: &str) -> Url {
        let mut url = self.0.clone();
        let own = self.0.path().trim_end_matches('/');
        url.set_path(&format!("{own}{version}{path}"));
        url
    }

    /// Whether `hosts` lists the address.
    pub fn is_listed(&self, hosts: &AllowedHosts) -> bool {
        is_listed(&self.0, hosts)
    }
}

fn is_listed(url: &Url, hosts: &AllowedHosts) -> bool {
    let host = url.host_str().unwrap_or_default().trim_end_matches('.');
    hosts.allows(url.scheme(), host, url.port()).is_some()
}

fn check(text: &str, allowed: &AllowedHosts) -> Result<Url, &'static str> {
    const FORM: &str = "base_url must be an absolute address in ASCII, such as https://api.example.com/v1";
    if text.len() > MAX_BASE_URL_BYTES {
        return Err("base_url must have at most 1024 bytes");
    }
    // characters that parsers of addresses drop or replace
    if text.contains(|wrong: char| wrong.is_whitespace() || wrong.is_control() || wrong == '\\') {
        return Err(FORM);
    }
    let url = Url::parse(text).map_err(|_| FORM)?;
    if !matches!(url.scheme(), "http" | "https") || !has_authority(text, url.scheme()) {
        return Err(FORM);
    }
    if authority(text).contains('@') {
        return Err("base_url must not hold a user or a password; give the credential by env_placeholder");
    }
    if text.contains(['?', '#']) {
        return Err("base_url must have neither a query nor a fragment; leave them out");
    }
    if url.port() == Some(0) {
        return Err("base_url must not have port 0");
    }
    if is_listed(&url, allowed) {
        return Ok(url);
    }
    if url.scheme() != "https" {
        return Err("base_url must be https, unless the operator allows its host by the variable \
                    provider_hosts");
    }
    let public = match url.host() {
        Some(Host::Ipv4(address)) => is_public(IpAddr::V4(address)),
        Some(Host::Ipv6(address)) => is_public(IpAddr::V6(address)),
        Some(Host::Domain(name)) => is_public_name(name),
        None => false,
    };
    public.then_some(url).ok_or(
        "base_url must be on the public internet, unless the operator allows its host by the \
         variable provider_hosts",
    )
}

/// Parsers take `https:host` and `https:///host` for addresses as well.
fn has_authority(text: &str, scheme: &str) -> bool {
    let rest = text.get(scheme.len()..).unwrap_or_default();
    rest.strip_prefix("://").is_some_and(|rest| !rest.starts_with('/'))
}

fn authority(text: &str) -> &str {
    let (_, rest) = text.split_once("://").unwrap_or_default();
    rest.split(['/', '?', '#']).next().unwrap_or_default()
}

/// A name with at least two parts, outside of what is internal by its name.
fn is_public_name(name: &str) -> bool {
    let name = name.trim_end_matches('.');
    let internal = |domain: &str| {
        name.strip_suffix(domain).is_some_and(|before| before.is_empty() || before.ends_with('.'))
    };
    name.contains('.') && !INTERNAL_DOMAINS.into_iter().any(internal)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALLOWED: &str =
        "http://127.0.0.1:11434, http://[::1]:*, http://ollama:11434, https://*.corp.example";

    #[test]
    fn only_the_public_internet_and_what_is_listed_is_allowed() {
        for (text, want) in [
            ("https://api.openai.com", true),
            ("https://api.openai.com/v1", true),
            ("HTTPS://API.OpenAI.com/v1/", true),
            ("https://api.example.com:8443/v1", true),
            ("https://1.1.1.1/v1", true),
            ("https://[2606:4700:4700::1111]/v1", true),
            ("https://müller.example/v1", false), // written xn--mller-kva.example
            ("https://xn--mller-kva.example/v1", true),
            ("https://local.example.com", true),
            ("https://mylocal", false),
            // listed
            ("http://127.0.0.1:11434", true),
            ("http://127.0.0.1:11434/v1", true),
            ("http://127.1:11434", true), // the same address
            ("http://[::1]:8080/v1", true),
            ("http://[0:0:0:0:0:0:0:1]:8080", true),
            ("http://ollama:11434", true),
            ("https://llm.corp.example", true),
            // not https, or another port or scheme than is listed
            ("http://api.openai.com/v1", false),
            ("http://127.0.0.1:11435", false),
            ("https://127.0.0.1:11434", false),
            ("http://127.0.0.2:11434", false),
            ("http://llm.corp.example", false),
            ("ftp://api.openai.com", false),
            ("ws://api.openai.com", false),
            ("file:///etc/passwd", false),
            ("javascript:alert(1)", false),
            ("data:text/plain,x", false),
            // this machine
            ("https://127.0.0.1", false),
            ("https://127.1", false),
            ("https://2130706433", false),
            ("https://0x7f000001", false),
            ("https://0x7f.0.0.1", false),
            ("https://0177.0.0.1", false),
            ("https://017700000001", false),
            ("https://127.0.0.1.", false),
            ("https://①②⑦.⓪.⓪.①", false),
            ("https://127。0。0。1", false),
            ("https://0", false),
            ("https://0.0.0.0", false),
            ("https://[::]", false),
            ("https://[::1]", false),
            ("https://[0000::1]", false),
            ("https://[::ffff:127.0.0.1]", false),
            ("https://[::ffff:7f00:1]", false),
            ("https://[::127.0.0.1]", false),
            ("https://[64:ff9b::7f00:1]", false),
            ("https://[::1%25eth0]", false),
            ("https://localhost", false),
            ("https://LOCALHOST.", false),
            ("https://a.localhost", false),
            ("https://ⓛocalhost", false),
            ("https://localhost.localdomain", false),
            ("https://%6c%6f%63alhost", false),
            // its network
            ("https://10.0.0.1", false),
            ("https://172.16.5.4", false),
            ("https://192.168.0.1/v1", false),
            ("https://100.64.0.1", false),
            ("https://[fd00::1]", false),
            ("https://[fe80::1]", false),
            ("https://224.0.0.1", false),
            ("https://255.255.255.255", false),
            ("https://printer.local", false),
            ("https://ollama", false),
            ("https://llm.internal/v1", false),
            ("https://llm.corp", false),
            ("https://redis.default.svc", false),
            ("https://redis.default.svc:6379", false),
            ("https://redis.default.svc.cluster.local", false),
            ("https://10-0-0-1.default.pod", false),
            // its cloud
            ("https://169.254.169.254/latest/meta-data", false),
            ("https://0xa9fea9fe", false),
            ("https://2852039166", false),
            ("https://[fd00:ec2::254]", false),
            ("https://[::ffff:a9fe:a9fe]", false),
            ("https://metadata.google.internal", false),
            ("https://METADATA.google.internal.", false),
            ("https://100.100.100.200", false),
            ("https://168.63.129.16", false),
            // URLs that hide their destination
            ("https://user:secret@api.openai.com", false),
            ("https://api.openai.com@127.0.0.1", false),
            ("https://@api.openai.com", false),
            ("https://api.openai.com#@127.0.0.1", false),
            ("https://api.openai.com/v1#x", false),
            ("https://api.openai.com/v1?key=x", false),
            ("https://api.openai.com\\@127.0.0.1", false),
            ("https:\\\\api.openai.com", false),
            ("https:api.openai.com", false),
            ("https:/api.openai.com", false),
            ("https:///api.openai.com", false),
            ("//api.openai.com", false),
            ("api.openai.com/v1", false),
            ("/v1", false),
            ("", false),
            (" https://api.openai.com", false),
            ("https://api.openai.com/\n", false),
            ("ht\ttps://api.openai.com", false),
            ("https://api.openai.com:0", false),
            ("https://api.openai.com:99999", false),
            ("https://api..openai.com:x", false),
            ("https://", false),
            ("https://[::1", false),
            ("https://1.2.3.4.5", false),
            ("https://1.1.1.256", false),
        ] {
            let allowed = AllowedHosts::parse(ALLOWED).expect("patterns");
            let result = check(text, &allowed);
            assert_eq!(result.is_ok(), want, "{text}: {result:?}");
        }
        assert!(check(&format!("https://a.example/{}", "x".repeat(1024)), &AllowedHosts::default()).is_err());
    }

    #[test]
    fn paths_are_put_behind_the_address() {
        let base = |text: &str| BaseUrl::parse(text, &AllowedHosts::default()).expect(text);
        for (text, versioned) in [
            ("https://a.example", "https://a.example/v1/models"),
            ("https://a.example/", "https://a.example/v1/models"),
            ("https://a.example/v1", "https://a.example/v1/models"),
            ("https://a.example/v1/", "https://a.example/v1/models"),
            ("https://a.example/openai/v1", "https://a.example/openai/v1/models"),
            ("https://a.example/v1beta/openai", "https://a.example/v1beta/openai/models"),
            ("https://a.example/proxy", "https://a.example/proxy/v1/models"),
            ("https://a.example/vault", "https://a.example/vault/v1/models"),
            ("https://a.example:8443/api/v4/", "https://a.example:8443/api/v4/models"),
        ] {
            assert_eq!(base(text).versioned("/models").as_str(), versioned);
        }
        for (text, without) in [
            ("https://a.example", "https://a.example/api/tags"),
            ("https://a.example/v1/", "https://a.example/api/tags"),
            ("https://a.example/ollama/v1", "https://a.example/ollama/api/tags"),
            ("https://a.example/ollama", "https://a.example/ollama/api/tags"),
        ] {
            assert_eq!(base(text).without("/v1", "/api/tags").as_str(), without);
        }
    }
}
