//! `POST /api/v1/protect` and `/api/v1/protect/batch`.

use serde_json::Value;
use textveil_engine::{
    DetectOptions, Keyring, Mode, ProtectOptions, Protection, protect, protect_batch,
    wire::{self, OneText, ProtectBatchResponse, ProtectResponse},
};

use super::{Answer, Call, detection, ok, part, shares, texts};
use crate::{
    credentials::Plan,
    error::ApiError,
    host::Host,
    log::Counts,
    policies::{self, Place},
    secrets,
};

pub(super) async fn one<H: Host>(call: Call<'_, H>, request: Value) -> Answer {
    let protector = Protector::new(&call, &request).await?;
    let OneText { text } = wire::decode(request)?;
    let protection = protect(&text, &protector.detection, &protector.protection, Some(&protector.keys))?;
    count(call.counts, &protection);
    ok(&ProtectResponse::new(&text, protection, call.clock.elapsed_ms()))
}

pub(super) async fn batch<H: Host>(call: Call<'_, H>, request: Value) -> Answer {
    let Protector { detection, protection, keys } = Protector::new(&call, &request).await?;
    let texts = texts(request)?;
    let protections = protect_batch(&texts, &detection, &protection, Some(&keys))?;
    let elapsed_ms = call.clock.elapsed_ms();
    let results = shares(&texts, elapsed_ms).zip(protections).map(|((text, share_ms), protection)| {
        count(call.counts, &protection);
        ProtectResponse::new(text, protection, share_ms)
    });
    ok(&ProtectBatchResponse::new(results.collect(), elapsed_ms))
}

/// What the texts of one request are protected with.
struct Protector {
    detection: DetectOptions,
    protection: ProtectOptions,
    keys: Keyring,
}

impl Protector {
    async fn new<H: Host>(call: &Call<'_, H>, request: &Value) -> Result<Self, ApiError> {
        let mut protection: ProtectOptions = part(request)?;
        if protection.mode == Mode::Policy {
            if call.key.plan != Plan::Enterprise {
                return Err(ApiError::policy_mode_needs_enterprise());
            }
            add_policies(call, &mut protection).await?;
        }
        let detection = detection(call, request).await?;
        let keys = secrets::keyring(call.host, &call.key.workspace).await?;
        Ok(Self { detection, protection, keys })
    }
}

/// The workspace's policies decide, unless the request brings its own to try.
async fn add_policies<H: Host>(call: &Call<'_, H>, options: &mut ProtectOptions) -> Result<(), ApiError> {
    let (policies, default_action) = policies::at(call.host, &call.key.workspace, Place::REQUEST).await?;
    if options.policies.is_empty() {
        options.policies = policies;
    }
    options.default_action = options.default_action.or(default_action);
    Ok(())
}

fn count(counts: &mut Counts, protection: &Protection) {
    protection.entities.iter().for_each(|protected| counts.add(&protected.entity));
}
