//! `/api/v1/gateway/…`: the administration of the gateway.

pub(crate) mod audit;
pub(crate) mod configuration;
pub(crate) mod policies;
pub(crate) mod policy_test;
pub(crate) mod transfer;
