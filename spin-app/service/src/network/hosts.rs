//! Patterns of hosts in the notation of Spin's `allowed_outbound_hosts`.

use std::{fmt, net::IpAddr};

use ipnet::IpNet;

/// A list of patterns. The empty list allows nothing.
///
/// A pattern is `scheme://host[:port]`. Scheme, host and port may be `*`; a host may be `*.example.com` or
/// a network such as `10.0.0.0/8`; a port may be a range such as `8000..8010`, whose end is left out.
#[derive(Clone, Debug, Default)]
pub struct AllowedHosts(Vec<ProviderPattern>);

/// The precision with which a pattern names a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Breadth {
    /// By a wildcard: the author of the list did not think of this host.
    Wildcard,
    /// By its name or address, or by its network.
    Literal,
}

/// Why a pattern cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaultyPattern {
    /// The fault of the pattern, and the right notation.
    pub reason: &'static str,
}

impl fmt::Display for FaultyPattern {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.reason)
    }
}

impl std::error::Error for FaultyPattern {}

#[derive(Clone, Debug)]
struct ProviderPattern {
    /// None is any.
    scheme: Option<String>,
    host: HostPattern,
    /// First and last, inclusive; none is any.
    ports: Option<(u16, u16)>,
}

#[derive(Clone, Debug)]
enum HostPattern {
    Any,
    Exact(String),
    /// `*.example.com`: the text after the `*`, dot included.
    Subdomains(String),
    Network(IpNet),
}

impl AllowedHosts {
    /// Reads patterns separated by commas or spaces. An empty text allows nothing.
    ///
    /// # Errors
    /// Describes the first pattern that cannot be used.
    pub fn parse(list: &str) -> Result<Self, FaultyPattern> {
        let patterns = list.split(|separator: char| separator == ',' || separator.is_whitespace());
        patterns
            .filter(|pattern| !pattern.is_empty())
            .map(ProviderPattern::parse)
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// Adds the patterns of another list.
    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// The number of patterns.
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// Returns how exactly the list allows a request by `scheme` to `host`; `None` if it does not.
    ///
    /// An IPv6 address may be in brackets. The default port is that of the scheme.
    pub fn allows(&self, scheme: &str, host: &str, port: Option<u16>) -> Option<Breadth> {
        let port = port.or_else(|| well_known_port(scheme))?;
        let host = host.trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
        self.0
            .iter()
            .filter(|pattern| pattern.allows(scheme, &host, port))
            .map(ProviderPattern::breadth)
            .max()
    }
}

const fn faulty(reason: &'static str) -> FaultyPattern {
    FaultyPattern { reason }
}

impl ProviderPattern {
    fn parse(text: &str) -> Result<Self, FaultyPattern> {
        let (scheme, rest) = text.split_once("://").ok_or(faulty("write it as scheme://host[:port]"))?;
        let scheme = (scheme != "*").then(|| scheme.to_ascii_lowercase());
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let (host, port) = match rest.strip_prefix('[') {
            Some(bracketed) => {
                let (host, port) =
                    bracketed.split_once(']').ok_or(faulty("it opens `[` and does not close it"))?;
                (host, port.strip_prefix(':'))
            }
            None => match rest.rsplit_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (rest, None),
            },
        };
        Ok(Self { ports: ports(port, scheme.as_deref())?, host: HostPattern::parse(host)?, scheme })
    }

    fn allows(&self, scheme: &str, host: &str, port: u16) -> bool {
        self.scheme.as_deref().is_none_or(|allowed| allowed.eq_ignore_ascii_case(scheme))
            && self.ports.is_none_or(|(first, last)| (first..=last).contains(&port))
            && self.host.allows(host)
    }

    fn breadth(&self) -> Breadth {
        match self.host {
            HostPattern::Any | HostPattern::Subdomains(_) => Breadth::Wildcard,
            HostPattern::Exact(_) | HostPattern::Network(_) => Breadth::Literal,
        }
    }
}

impl HostPattern {
    fn parse(text: &str) -> Result<Self, FaultyPattern> {
        let text = text.to_ascii_lowercase();
        if text.is_empty() {
            return Err(faulty("it has no host"));
        }
        if text == "self" || text.ends_with(".spin.internal") {
            return Err(faulty("it names another component, which is not supported here"));
        }
        if text == "*" {
            return Ok(Self::Any);
        }
        if text.contains('/') {
            let network = text.parse().map_err(|_| faulty("it is neither a host nor a network (CIDR)"))?;
            return Ok(Self::Network(network));
        }
        match text.strip_prefix('*') {
            Some(domain) if !domain.starts_with('.') || domain.contains('*') => {
                Err(faulty("write a wildcard as *.example.com"))
            }
            Some(domain) => Ok(Self::Subdomains(domain.to_owned())),
            None if text.contains('*') => Err(faulty("write a wildcard alone, or first as in *.example.com")),
            None => Ok(Self::Exact(text)),
        }
    }

    fn allows(&self, host: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Exact(allowed) => allowed == host,
            Self::Subdomains(domain) => {
                host.strip_suffix(domain.as_str()).is_some_and(|name| !name.is_empty())
            }
            Self::Network(network) => host.parse::<IpAddr>().is_ok_and(|address| network.contains(&address)),
        }
    }
}

fn ports(text: Option<&str>, scheme: Option<&str>) -> Result<Option<(u16, u16)>, FaultyPattern> {
    let number =
        |text: &str| text.parse::<u16>().map_err(|_| faulty("its port is no number, range (80..90) or `*`"));
    match text {
        Some("*") => Ok(None),
        Some(text) => match text.split_once("..") {
            // Spin's ranges leave the end out
            Some((first, end)) => {
                let (first, end) = (number(first)?, number(end)?);
                let last = end.checked_sub(1).filter(|last| first <= *last);
                Ok(Some((first, last.ok_or(faulty("its range of ports is empty"))?)))
            }
            None => number(text).map(|port| Some((port, port))),
        },
        None => match scheme.and_then(well_known_port) {
            Some(port) => Ok(Some((port, port))),
            None => Err(faulty("give it a port, since its scheme has no usual one")),
        },
    }
}

fn well_known_port(scheme: &str) -> Option<u16> {
    match scheme {
        "http" => Some(80),
        "https" => Some(443),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allows(hosts: &AllowedHosts, address: &str) -> Option<Breadth> {
        let uri: http::Uri = address.parse().expect(address);
        hosts.allows(uri.scheme_str().unwrap_or_default(), uri.host().unwrap_or_default(), uri.port_u16())
    }

    #[test]
    fn only_what_is_listed_is_allowed() {
        for (patterns, allowed, denied) in [
            ("", &[][..], &["http://a", "https://a:1"][..]),
            (
                "https://api.example.com",
                &["https://api.example.com", "https://API.example.com:443/x?y"],
                &[
                    "http://api.example.com",
                    "https://api.example.com:444",
                    "https://example.com",
                    "https://api.example.com.evil.test",
                    "https://xapi.example.com",
                    "https://user@evil.test",
                ],
            ),
            ("https://a/", &["https://a"], &["https://b"]),
            ("https://a, https://b\nhttp://c:1,", &["https://a", "https://b", "http://c:1"], &["https://c"]),
            ("http://a:8080", &["http://a:8080"], &["http://a", "http://a:80"]),
            ("http://a:80..82", &["http://a:80", "http://a:81"], &["http://a:79", "http://a:82"]),
            ("http://a:*", &["http://a:1", "http://a"], &["https://a:1"]),
            ("*://a:443", &["https://a", "http://a:443"], &["http://a"]),
            (
                "https://*.example.com",
                &["https://a.example.com", "https://a.b.example.com"],
                &["https://example.com", "https://.example.com", "https://aexample.com"],
            ),
            ("http://*:*", &["http://a", "http://[::1]:9"], &["https://a"]),
            ("http://10.0.0.0/8:80", &["http://10.1.2.3"], &["http://11.0.0.1", "http://10.example.com"]),
            ("http://127.0.0.1:9", &["http://127.0.0.1:9"], &["http://localhost:9", "http://127.0.0.2:9"]),
            ("http://[::1]:9", &["http://[::1]:9"], &["http://[::2]:9", "http://[::1]"]),
        ] {
            let hosts = AllowedHosts::parse(patterns).expect(patterns);
            for (addresses, want) in [(allowed, true), (denied, false)] {
                for address in addresses {
                    assert_eq!(allows(&hosts, address).is_some(), want, "{patterns:?} for {address}");
                }
            }
        }
        assert_eq!(AllowedHosts::parse("*://*:*").expect("a pattern").allows("", "a", None), None);
    }

    #[test]
    fn the_most_exact_pattern_counts() {
        for (patterns, address, want) in [
            ("https://*:*", "https://a.example.com", Breadth::Wildcard),
            ("https://*.example.com", "https://a.example.com", Breadth::Wildcard),
            ("https://*:* https://a.example.com", "https://a.example.com", Breadth::Literal),
            ("https://a.example.com https://*:*", "https://a.example.com", Breadth::Literal),
            ("https://*:* https://b.example.com", "https://a.example.com", Breadth::Wildcard),
            ("http://10.0.0.0/8:80", "http://10.1.1.1", Breadth::Literal),
        ] {
            let hosts = AllowedHosts::parse(patterns).expect(patterns);
            assert_eq!(allows(&hosts, address), Some(want), "{patterns:?} for {address}");
        }
    }

    #[test]
    fn faulty_patterns_are_refused() {
        for pattern in [
            "example.com",
            "https://",
            "*://a",
            "https://a:x",
            "https://a:9..9",
            "https://a:9..0",
            "https://a*.com",
            "https://*a.com",
            "https://a.*.com",
            "https://10.0.0.0/99",
            "http://[::1",
            "http://self",
            "http://api.spin.internal",
            "https://a b.example",
        ] {
            assert!(AllowedHosts::parse(pattern).is_err(), "{pattern}");
        }
    }
}
