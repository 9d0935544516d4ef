//! The hosts and addresses that a component may send requests to.
//!
//! A host must be on the component's list. If only a wildcard puts it there, the author of the list
//! did not think of it, and anybody can make a name that leads to an address of this network: then it may
//! lead to the public internet only. That is decided about the address that is connected to, after the
//! name was looked up.

mod client;

use std::net::IpAddr;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use bytes::Bytes;
use client::HttpClient;
use http::{Request, Response, Uri};
use http_body_util::{BodyExt as _, Full};
use ipnet::IpNet;
use serde::{Deserialize, Deserializer, de};
use textveil_service::network::{AllowedHosts, Breadth, is_public};
use wasmtime_wasi_http::{Error, RequestOptions, WasiBody, WasiHttpHooks};

/// The permitted destinations of a component, and its clients.
#[derive(Debug)]
pub(crate) struct OutboundRules {
    allowed: AllowedHosts,
    /// For hosts that are allowed by name, and for those that only a wildcard allows.
    literal: HttpClient,
    wildcard: HttpClient,
}

impl OutboundRules {
    /// Reads `allowed_outbound_hosts`, whose templates are expanded already. An entry may hold several
    /// patterns, separated by commas or spaces, or none, so that a variable can be a list. `nodelay` is that of TCP.
    ///
    /// # Errors
    /// Says which entry is malformed and why.
    pub(crate) fn new<'a>(
        entries: impl IntoIterator<Item = &'a str>,
        blocked: &BlockedNetworks,
        nodelay: bool,
    ) -> Result<Self> {
        let mut allowed = AllowedHosts::default();
        for entry in entries {
            let hosts = AllowedHosts::parse(entry).with_context(|| format!("allowed host {entry:?}"))?;
            allowed.extend(hosts);
        }
        let client = |breadth| HttpClient::new(Admission { breadth, blocked: blocked.clone() }, nodelay);
        Ok(Self { allowed, literal: client(Breadth::Literal), wildcard: client(Breadth::Wildcard) })
    }

    /// Whether a request to this absolute URI may leave, and how exactly its host is allowed.
    fn allows(&self, uri: &Uri) -> Option<Breadth> {
        self.allowed.allows(uri.scheme_str()?, uri.host()?, uri.port_u16())
    }

    /// The client for hosts that are allowed so exactly.
    fn client(&self, breadth: Breadth) -> &HttpClient {
        match breadth {
            Breadth::Literal => &self.literal,
            Breadth::Wildcard => &self.wildcard,
        }
    }
}

/// The addresses that hosts of one breadth may have.
#[derive(Clone, Debug)]
struct Admission {
    breadth: Breadth,
    blocked: BlockedNetworks,
}

impl Admission {
    fn admits(&self, address: IpAddr) -> bool {
        !self.blocked.contains(address) && (self.breadth == Breadth::Literal || is_public(address))
    }
}

/// Addresses that no component may reach, however it names them: `block_networks` of Spin's runtime
/// configuration, a list of networks (CIDR), and of `private` for all that is not public.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BlockedNetworks {
    private: bool,
    networks: Vec<IpNet>,
}

impl BlockedNetworks {
    fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        (self.private && !is_public(address))
            || self.networks.iter().any(|network| network.contains(&address))
    }
}

impl<'de> Deserialize<'de> for BlockedNetworks {
    fn deserialize<D: Deserializer<'de>>(list: D) -> Result<Self, D::Error> {
        let mut blocked = Self::default();
        for entry in Vec::<String>::deserialize(list)? {
            match entry.as_str() {
                "private" => blocked.private = true,
                network => blocked.networks.push(network.parse().map_err(|_| {
                    de::Error::custom("block_networks lists networks such as 10.0.0.0/8, or \"private\"")
                })?),
            }
        }
        Ok(blocked)
    }
}

/// The body of an answer, read while it arrives.
pub type ResponseBody = WasiBody;

/// Sends requests of this program itself, to any host that it names.
#[derive(Debug)]
pub struct OutboundClient(HttpClient);

impl Default for OutboundClient {
    fn default() -> Self {
        Self::new()
    }
}

impl OutboundClient {
    /// Creates a client without connections.
    ///
    /// # Examples
    /// ```
    /// let client = textveil::app::OutboundClient::new();
    /// assert!(format!("{client:?}").starts_with("OutboundClient"));
    /// ```
    pub fn new() -> Self {
        let admission = Admission { breadth: Breadth::Literal, blocked: BlockedNetworks::default() };
        Self(HttpClient::new(admission, true))
    }

    /// Sends a request with an absolute URI and its header `Host`.
    ///
    /// # Errors
    /// If the host cannot be connected to, or the connection breaks off.
    ///
    /// # Examples
    /// ```no_run
    /// # async fn program() -> anyhow::Result<()> {
    /// let request = http::Request::get("http://127.0.0.1:3000/health").header("host", "127.0.0.1:3000");
    /// let answer = textveil::app::OutboundClient::new().send(request.body(Default::default())?).await?;
    /// assert!(answer.status().is_success());
    /// # Ok(())
    /// # }
    /// ```
    pub async fn send(&self, request: Request<Bytes>) -> Result<Response<ResponseBody>> {
        let request = request.map(|body| Full::new(body).map_err(|never| match never {}).boxed_unsync());
        let response = self.0.send(request, RequestOptions::default()).await?;
        Ok(response.map(|body| body.boxed_unsync()))
    }
}

/// Sends the requests of one component to permitted destinations.
pub(crate) struct Outbound(pub(crate) Arc<OutboundRules>);

type Sending = Box<dyn Future<Output = Result<(http::Response<WasiBody>, Transfer), Error>> + Send>;
type Transfer = Box<dyn Future<Output = Result<(), Error>> + Send>;

impl WasiHttpHooks for Outbound {
    fn send_request(
        &mut self,
        request: http::Request<WasiBody>,
        options: Option<RequestOptions>,
        _received: Transfer,
    ) -> Sending {
        let rules = self.0.clone();
        Box::new(async move {
            let breadth = rules.allows(request.uri()).ok_or(Error::HttpRequestDenied)?;
            let response = rules.client(breadth).send(request, options.unwrap_or_default()).await?;
            // the connection continues in its own task: a later error is one of the body
            let transfer: Transfer = Box::new(async { Ok(()) });
            Ok((response.map(|body| body.boxed_unsync()), transfer))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_a_list() {
        let entries = ["https://a", "", "http://b:1, http://c:2"];
        let rules = OutboundRules::new(entries, &BlockedNetworks::default(), true).unwrap();
        for (uri, want) in [
            ("https://a/x", true),
            ("http://b:1", true),
            ("http://c:2", true),
            ("http://a", false),
            ("/a", false),
        ] {
            assert_eq!(rules.allows(&uri.parse().unwrap()).is_some(), want, "{uri}");
        }
        let error = OutboundRules::new(["https://a", "b"], &BlockedNetworks::default(), true).unwrap_err();
        assert!(format!("{error:#}").contains("allowed host \"b\""), "{error:#}");
    }

    #[test]
    fn wildcards_lead_to_public_addresses_and_blocked_networks_are_blocked_for_all() {
        #[derive(Deserialize)]
        struct Table {
            block_networks: BlockedNetworks,
        }
        use Breadth::{Literal, Wildcard};
        for (blocked, breadth, address, want) in [
            ("[]", Literal, "127.0.0.1", true),
            ("[]", Literal, "169.254.169.254", true),
            ("[]", Wildcard, "127.0.0.1", false),
            ("[]", Wildcard, "10.0.0.1", false),
            ("[]", Wildcard, "169.254.169.254", false),
            ("[]", Wildcard, "::1", false),
            ("[]", Wildcard, "::ffff:127.0.0.1", false),
            ("[]", Wildcard, "fd00:ec2::254", false),
            ("[]", Wildcard, "1.1.1.1", true),
            ("[]", Wildcard, "2606:4700:4700::1111", true),
            (r#"["private"]"#, Literal, "127.0.0.1", false),
            (r#"["private"]"#, Literal, "::ffff:10.0.0.1", false),
            (r#"["private"]"#, Literal, "1.1.1.1", true),
            (r#"["1.1.0.0/16"]"#, Literal, "1.1.1.1", false),
            (r#"["1.1.0.0/16"]"#, Wildcard, "::ffff:1.1.1.1", false),
            (r#"["1.1.0.0/16"]"#, Literal, "127.0.0.1", true),
        ] {
            let table: Table = toml::from_str(&format!("block_networks = {blocked}")).unwrap();
            let admission = Admission { breadth, blocked: table.block_networks };
            let admitted = admission.admits(address.parse().unwrap());
            assert_eq!(admitted, want, "{blocked}, {breadth:?}: {address}");
        }
    }
}
