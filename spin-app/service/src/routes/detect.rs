//! `POST /api/v1/detect` and `/api/v1/detect/batch`.

use serde_json::Value;
use textveil_engine::{
    Detection,
    wire::{DetectBatchResponse, DetectResponse, ManyTexts, OneText},
};

use super::{detection, shares, texts};
use crate::{
    call::{Call, RouteResult, ok},
    host::Host,
    system::Pace,
    types::Counts,
};

pub(crate) async fn one<H: Host>(call: Call<'_, H>, request: &Value) -> RouteResult {
    let (OneText { text }, finder) = detection(&call, request).await?;
    let found = finder.detect(&text)?;
    count(call.counts, &found);
    ok(&DetectResponse::new(&text, found, call.clock.elapsed_ms()))
}

pub(crate) async fn batch<H: Host>(call: Call<'_, H>, request: &Value) -> RouteResult {
    let (request, finder): (ManyTexts, _) = detection(&call, request).await?;
    let texts = texts(request)?;
    let mut pace = Pace::start(call.host);
    let mut detections = Vec::with_capacity(texts.len());
    for detection in finder.detect_each(&texts)? {
        detections.push(detection?);
        pace.rest().await;
    }
    let elapsed_ms = call.clock.elapsed_ms();
    let results = shares(&texts, elapsed_ms).zip(detections).map(|((text, share_ms), detection)| {
        count(call.counts, &detection);
        DetectResponse::new(text, detection, share_ms)
    });
    ok(&DetectBatchResponse::new(results.collect(), elapsed_ms))
}

fn count(counts: &mut Counts, detection: &Detection) {
    detection.entities.iter().for_each(|entity| counts.add(entity));
}
