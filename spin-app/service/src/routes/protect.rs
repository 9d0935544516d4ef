//! `POST /api/v1/protect` and `/api/v1/protect/batch`.

use serde_json::Value;
use textveil_engine::{
    DetectOptions, Error, Keyring, Mode, ProtectOptions, Protection, protect,
    wire::{self, OneText, ProtectBatchResponse, ProtectResponse},
};

use super::{Answer, Call, ok, part, texts};
use crate::{
    credentials::Plan,
    error::ApiError,
    host::{Host, Stopwatch},
    log::Counts,
    secrets,
};

pub(super) async fn one<H: Host>(call: Call<'_, H>, request: Value) -> Answer {
    let protector = Protector::new(&call, &request).await?;
    let OneText { text } = wire::decode(request)?;
    let protection = protector.protect(&text)?;
    count(call.counts, &protection);
    ok(&ProtectResponse::new(&text, protection, call.clock.elapsed_ms()))
}

pub(super) async fn batch<H: Host>(call: Call<'_, H>, request: Value) -> Answer {
    let protector = Protector::new(&call, &request).await?;
    let texts = texts(request)?;
    let results = texts.iter().enumerate().map(|(index, text)| {
        let clock = Stopwatch::start(call.host);
        let protection = protector.protect(text).map_err(|error| match error.field() {
            Some("text") => error.within(format!("texts[{index}]")),
            _ => error,
        })?;
        count(call.counts, &protection);
        Ok(ProtectResponse::new(text, protection, clock.elapsed_ms()))
    });
    let results = results.collect::<Result<_, Error>>()?;
    ok(&ProtectBatchResponse::new(results, call.clock.elapsed_ms()))
}

/// What the texts of one request are protected with.
struct Protector {
    detection: DetectOptions,
    protection: ProtectOptions,
    keys: Keyring,
}

impl Protector {
    async fn new<H: Host>(call: &Call<'_, H>, request: &Value) -> Result<Self, ApiError> {
        let detection = part(request)?;
        let protection: ProtectOptions = part(request)?;
        if protection.mode == Mode::Policy && call.key.plan != Plan::Enterprise {
            return Err(ApiError::policy_mode_needs_enterprise());
        }
        let keys = secrets::keyring(call.host, &call.key.workspace).await?;
        Ok(Self { detection, protection, keys })
    }

    fn protect(&self, text: &str) -> Result<Protection, Error> {
        protect(text, &self.detection, &self.protection, Some(&self.keys))
    }
}

fn count(counts: &mut Counts, protection: &Protection) {
    protection.entities.iter().for_each(|protected| counts.add(&protected.entity));
}
