//! `POST /api/v1/protect` and `/api/v1/protect/batch`.

use std::sync::Arc;

use serde_json::Value;
use textveil_engine::{
    Finder, Keyring, Mode, ProtectOptions, Protection,
    tree::FromTree,
    wire::{ManyTexts, OneText, ProtectBatchResponse, ProtectResponse},
};

use super::{detection, shares, texts};
use crate::{
    call::{Call, RouteResult, ok},
    credentials::Plan,
    error::ApiError,
    host::Host,
    policies::{self, Place},
    secrets,
    system::Pace,
    types::Counts,
};

pub(crate) async fn one<H: Host>(call: Call<'_, H>, request: &Value) -> RouteResult {
    let (OneText { text }, Protector { finder, protection, keys }) = read(&call, request).await?;
    let protection = finder.protect(&text, &protection, Some(&keys))?;
    count(call.counts, &protection);
    ok(&ProtectResponse::new(&text, protection, call.clock.elapsed_ms()))
}

pub(crate) async fn batch<H: Host>(call: Call<'_, H>, request: &Value) -> RouteResult {
    let (request, Protector { finder, protection, keys }): (ManyTexts, _) = read(&call, request).await?;
    let texts = texts(request)?;
    let mut pace = Pace::start(call.host);
    let mut protections = Vec::with_capacity(texts.len());
    for protection in finder.protect_each(&texts, &protection, Some(&keys))? {
        protections.push(protection?);
        pace.rest().await;
    }
    let elapsed_ms = call.clock.elapsed_ms();
    let results = shares(&texts, elapsed_ms).zip(protections).map(|((text, share_ms), protection)| {
        count(call.counts, &protection);
        ProtectResponse::new(text, protection, share_ms)
    });
    ok(&ProtectBatchResponse::new(results.collect(), elapsed_ms))
}

/// The options and keys of one request.
pub(super) struct Protector {
    pub(super) finder: Arc<Finder>,
    pub(super) protection: ProtectOptions,
    pub(super) keys: Keyring,
}

/// Reads the texts of a request and how to protect them.
pub(super) async fn read<H: Host, T: FromTree>(
    call: &Call<'_, H>,
    request: &Value,
) -> Result<(T, Protector), ApiError> {
    let ((texts, mut protection), finder): ((T, ProtectOptions), _) = detection(call, request).await?;
    if protection.mode == Mode::Policy {
        if call.principal.plan != Plan::Enterprise {
            return Err(ApiError::policy_mode_needs_enterprise());
        }
        add_policies(call, &mut protection).await?;
    }
    let keys = secrets::keyring(call.host, call.workspace()).await?;
    Ok((texts, Protector { finder, protection, keys }))
}

/// The workspace's policies decide, unless the request brings its own to try.
async fn add_policies<H: Host>(call: &Call<'_, H>, options: &mut ProtectOptions) -> Result<(), ApiError> {
    let (policies, default_action) = policies::at(call.host, call.workspace(), Place::REQUEST).await?;
    if options.policies.is_empty() {
        options.policies = policies;
    }
    options.default_action = options.default_action.or(default_action);
    Ok(())
}

pub(super) fn count(counts: &mut Counts, protection: &Protection) {
    protection.entities.iter().for_each(|protected| counts.add(&protected.entity));
}
