//! The listener of the metrics, and the service token that it asks the application with.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use anyhow::{Context as _, Result};
use http::HeaderValue;
use textveil::app::Manifest;
use textveil_service::auth::service_token;
use tokio::net::TcpListener;

use super::credentials::new_secret;

/// Name, scope and workspaces of the entry of `service_tokens` that admits the listener.
const ENTRY: &str = "metrics-listener:metrics@*";

/// A bound listener and its token.
pub struct MetricsListener {
    pub listener: TcpListener,
    pub address: SocketAddr,
    /// Made anew at each start, and known to this process only.
    pub token: HeaderValue,
}

impl MetricsListener {
    /// Binds `address`, and adds a new token to the variable `service_tokens`.
    ///
    /// # Errors
    /// If the address cannot be bound, or the application has no such variable.
    pub async fn bind(
        address: &str,
        manifest: &Manifest,
        variables: &mut BTreeMap<String, String>,
    ) -> Result<Self> {
        let listener = TcpListener::bind(address).await.with_context(|| {
            format!("cannot serve the metrics on {address}; choose another address with --metrics-listen")
        })?;
        let address = listener.local_addr()?;
        let others = manifest
            .variable(service_token::VARIABLE, variables)
            .context("--metrics-listen needs an application with the variable `service_tokens`")?;
        let secret = new_secret("tvs_")?;
        let separator = if others.trim().is_empty() { "" } else { "," };
        let tokens = format!("{}{separator}{ENTRY}:{secret}", others.trim_end());
        variables.insert(service_token::VARIABLE.to_owned(), tokens);
        Ok(Self { listener, address, token: HeaderValue::try_from(secret)? })
    }
}
