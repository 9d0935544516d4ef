//! `/api/v1/gateway/…`: the administration of the gateway, by service token (spec §4, §5).

pub(crate) mod audit;
pub(crate) mod configuration;
pub(crate) mod policies;
pub(crate) mod policy_test;
mod query;
pub(crate) mod transfer;

use bytes::Bytes;
use http::Request;
use http_body::Body;

pub(crate) use query::Query;

use super::Answer;
use crate::{
    audit::Origin,
    body::{self, StreamError},
    host::Host,
    limits::{MAX_BATCH_BODY_BYTES, MAX_IMPORT_BODY_BYTES, MAX_RECORD_BODY_BYTES},
    log::Counts,
    router::Admin,
};

/// A request whose service token was accepted.
pub(crate) struct ServiceCall<'a, H> {
    pub host: &'a H,
    pub query: &'a Query,
    /// What stands in the place of the path's parameter.
    pub parameter: &'a str,
    /// The id of the request.
    pub request_id: &'a str,
    /// What was found, for the log.
    pub counts: &'a mut Counts,
}

impl<H> ServiceCall<'_, H> {
    /// This request, for the record of what it does in a workspace.
    fn origin<'a>(&'a self, workspace: &'a str) -> Origin<'a> {
        Origin { workspace, request_id: self.request_id }
    }
}

/// Answers a service.
pub(crate) async fn admin<H, B>(call: ServiceCall<'_, H>, endpoint: Admin, request: Request<B>) -> Answer
where
    H: Host,
    B: Body<Data = Bytes>,
    B::Error: Into<StreamError>,
{
    let host = call.host;
    let texts = async |request| body::object(host, request, MAX_BATCH_BODY_BYTES).await;
    let import = async |request| body::object(host, request, MAX_IMPORT_BODY_BYTES).await;
    let record = async |request| body::object(host, request, MAX_RECORD_BODY_BYTES).await;
    match endpoint {
        Admin::Status => configuration::status(call).await,
        Admin::Configuration => configuration::show(call).await,
        Admin::ChangeConfiguration => configuration::change(call, record(request).await?).await,
        Admin::Providers => configuration::providers(call).await,
        Admin::Export => transfer::export(call).await,
        Admin::Import => transfer::import(call, import(request).await?).await,
        Admin::Audit => audit::list(call).await,
        Admin::Policies => policies::list(call).await,
        Admin::CreatePolicy => policies::create(call, record(request).await?).await,
        Admin::Policy => policies::show(call).await,
        Admin::ReplacePolicy => policies::replace(call, record(request).await?).await,
        Admin::ChangePolicy => policies::change(call, record(request).await?).await,
        Admin::DeletePolicy => policies::delete(call).await,
        Admin::TestPolicies => policy_test::run(call, texts(request).await?).await,
    }
}
