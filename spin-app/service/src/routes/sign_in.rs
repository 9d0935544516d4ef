//! `GET /api/v1/sign-in`: how people sign in to the console, for a page that nobody has signed in to yet.

use serde::Serialize;

use crate::{
    auth::sign_in::IdentityProvider,
    call::{RouteResult, ok},
    host::Host,
};

/// The ways to sign in beside pasted tokens.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct SignInResponse {
    /// The operator's identity provider; `null` without one.
    identity_provider: Option<IdentityProvider>,
}

/// Names the identity provider.
pub(crate) async fn show<H: Host>(host: &H) -> RouteResult {
    ok(&SignInResponse { identity_provider: IdentityProvider::configured(host).await })
}
