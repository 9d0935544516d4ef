//! Which hosts a component may send requests to.

use std::net::IpAddr;
use std::sync::Arc;

use anyhow::{Context as _, Result, bail, ensure};
use http::Uri;
use ipnet::IpNet;
use wasmtime_wasi_http::{Error, RequestOptions, WasiBody, WasiHttpHooks, default_send_request};

/// The `allowed_outbound_hosts` of a component. The empty list allows nothing.
#[derive(Debug, Default)]
pub(crate) struct AllowedHosts(Vec<Pattern>);

/// `scheme://host[:port]` in Spin's notation.
#[derive(Debug)]
struct Pattern {
    /// None is any.
    scheme: Option<String>,
    host: HostPattern,
    /// First and last, inclusive; none is any.
    ports: Option<(u16, u16)>,
}

#[derive(Debug)]
enum HostPattern {
    Any,
    Exact(String),
    /// `*.example.com`: the text after the `*`, dot included.
    Subdomains(String),
    Network(IpNet),
}

impl AllowedHosts {
    /// Reads patterns whose templates are expanded already. An empty pattern allows nothing, so that
    /// a variable can switch a host off.
    ///
    /// # Errors
    /// Says which pattern is malformed and why.
    pub(crate) fn parse<'a>(patterns: impl IntoIterator<Item = &'a str>) -> Result<Self> {
        patterns
            .into_iter()
            .filter(|pattern| !pattern.is_empty())
            .map(|pattern| Pattern::parse(pattern).with_context(|| format!("allowed host {pattern:?}")))
            .collect::<Result<_>>()
            .map(Self)
    }

    /// Whether a request to this absolute URI may leave.
    pub(crate) fn allows(&self, uri: &Uri) -> bool {
        let (Some(scheme), Some(host)) = (uri.scheme_str(), uri.host()) else { return false };
        let Some(port) = uri.port_u16().or_else(|| well_known_port(scheme)) else { return false };
        let host = host.trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
        self.0.iter().any(|pattern| pattern.allows(scheme, &host, port))
    }
}

impl Pattern {
    fn parse(text: &str) -> Result<Self> {
        let (scheme, rest) = text.split_once("://").context("write it as scheme://host[:port]")?;
        let scheme = (scheme != "*").then(|| scheme.to_ascii_lowercase());
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let (host, port) = match rest.strip_prefix('[') {
            Some(bracketed) => {
                let (host, port) = bracketed.split_once(']').context("it opens `[` and does not close it")?;
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
}

impl HostPattern {
    fn parse(text: &str) -> Result<Self> {
        let text = text.to_ascii_lowercase();
        ensure!(!text.is_empty(), "it has no host");
        ensure!(text != "self" && !text.ends_with(".spin.internal"), "this host does not chain components");
        if text == "*" {
            return Ok(Self::Any);
        }
        if text.contains('/') {
            return Ok(Self::Network(text.parse().context("it is neither a host nor a network (CIDR)")?));
        }
        match text.strip_prefix('*') {
            Some(domain) => {
                ensure!(
                    domain.starts_with('.') && !domain.contains('*'),
                    "write a wildcard as *.example.com"
                );
                Ok(Self::Subdomains(domain.to_owned()))
            }
            None => {
                ensure!(!text.contains('*'), "a wildcard stands alone or first, as in *.example.com");
                Ok(Self::Exact(text))
            }
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

fn ports(text: Option<&str>, scheme: Option<&str>) -> Result<Option<(u16, u16)>> {
    let number = |text: &str| text.parse::<u16>().context("its port is no number, range (80..90) or `*`");
    match text {
        Some("*") => Ok(None),
        Some(text) => match text.split_once("..") {
            // Spin's ranges leave the end out
            Some((first, end)) => {
                let (first, end) = (number(first)?, number(end)?);
                ensure!(first < end, "its range of ports is empty");
                Ok(Some((first, end.saturating_sub(1))))
            }
            None => number(text).map(|port| Some((port, port))),
        },
        None => match scheme.and_then(well_known_port) {
            Some(port) => Ok(Some((port, port))),
            None => bail!("give it a port, since its scheme has no usual one"),
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

/// Sends the requests of one component, if they go to its allowed hosts.
pub(crate) struct Outbound(pub(crate) Arc<AllowedHosts>);

type Sending = Box<dyn Future<Output = Result<(http::Response<WasiBody>, Transfer), Error>> + Send>;
type Transfer = Box<dyn Future<Output = Result<(), Error>> + Send>;

impl WasiHttpHooks for Outbound {
    fn send_request(
        &mut self,
        request: http::Request<WasiBody>,
        options: Option<RequestOptions>,
        _received: Transfer,
    ) -> Sending {
        let allowed = self.0.allows(request.uri());
        Box::new(async move {
            if !allowed {
                return Err(Error::HttpRequestDenied);
            }
            let (response, transfer) = default_send_request(request, options).await?;
            Ok((response.map(http_body_util::BodyExt::boxed_unsync), Box::new(transfer) as Transfer))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_listed_is_allowed() {
        for (pattern, allowed, denied) in [
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
            let hosts = AllowedHosts::parse([pattern]).unwrap();
            for (uris, want) in [(allowed, true), (denied, false)] {
                for uri in uris {
                    assert_eq!(hosts.allows(&uri.parse().unwrap()), want, "{pattern:?} for {uri}");
                }
            }
        }
        assert!(!AllowedHosts::parse(["*://*:*"]).unwrap().allows(&"/relative".parse().unwrap()));
    }

    #[test]
    fn faulty_patterns_are_refused() {
        for pattern in [
            "example.com",
            "https://",
            "*://a",
            "https://a:x",
            "https://a:9..9",
            "https://a*.com",
            "https://*a.com",
            "https://a.*.com",
            "https://10.0.0.0/99",
            "http://[::1",
            "http://self",
            "http://api.spin.internal",
        ] {
            assert!(AllowedHosts::parse([pattern]).is_err(), "{pattern}");
        }
    }
}
