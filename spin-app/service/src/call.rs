//! A request on its way to its handler, and the answer of that.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, Response, StatusCode};
use serde::Serialize;

use crate::{
    auth::Principal, cache::Stamp, changes::Origin, error::ApiError, host::Host, query::Query, response,
    system::Stopwatch, types::Counts, usage::metrics::Sample, workspace::Settings,
};

/// A request that was admitted, with the principal that makes it.
pub(crate) struct Call<'a, H> {
    pub host: &'a H,
    pub principal: &'a Principal,
    /// The value of the path's parameter.
    pub parameter: &'a str,
    pub query: &'a Query,
    pub headers: &'a HeaderMap,
    pub request_id: &'a str,
    /// Runs since the request arrived.
    pub clock: &'a Stopwatch<H>,
    /// Findings by type, for the log.
    pub counts: &'a mut Counts,
    /// Further metrics.
    pub samples: &'a mut Vec<Sample>,
    /// The stamp of the workspace, where authentication has read it.
    pub stamp: Option<&'a Stamp>,
}

impl<H: Host> Call<'_, H> {
    /// The settings of the workspace.
    pub(crate) async fn settings(&self) -> Result<Arc<Settings>, ApiError> {
        Settings::of(self.host, self.workspace(), self.stamp).await
    }
}

impl<H> Call<'_, H> {
    /// The workspace that the request is about.
    pub(crate) fn workspace(&self) -> &str {
        &self.principal.workspace
    }

    /// Returns the author of a change, for the audit.
    pub(crate) fn origin(&self) -> Origin<'_> {
        Origin { principal: self.principal, request_id: self.request_id }
    }
}

pub(crate) type RouteResult = Result<Response<Bytes>, ApiError>;

/// Answers with a JSON body.
pub(crate) fn answer(status: StatusCode, answer: &impl Serialize) -> RouteResult {
    let body =
        serde_json::to_vec(answer).map_err(|_| ApiError::internal("the answer cannot be written as JSON"))?;
    Ok(response::json(status, body))
}

/// Answers a request that succeeded.
pub(crate) fn ok(body: &impl Serialize) -> RouteResult {
    answer(StatusCode::OK, body)
}
