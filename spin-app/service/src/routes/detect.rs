//! `POST /api/v1/detect` and `/api/v1/detect/batch`.

use serde_json::Value;
use textveil_engine::{
    Detection, detect, detect_batch,
    wire::{self, DetectBatchResponse, DetectResponse, OneText},
};

use super::{Answer, Call, detection, ok, texts};
use crate::{host::Host, log::Counts};

pub(super) async fn one<H: Host>(call: Call<'_, H>, request: Value) -> Answer {
    let options = detection(&call, &request).await?;
    let OneText { text } = wire::decode(request)?;
    let found = detect(&text, &options)?;
    count(call.counts, &found);
    ok(&DetectResponse::new(&text, found, call.clock.elapsed_ms()))
}

pub(super) async fn batch<H: Host>(call: Call<'_, H>, request: Value) -> Answer {
    let options = detection(&call, &request).await?;
    let texts = texts(request)?;
    let detections = detect_batch(&texts, &options)?;
    let elapsed_ms = call.clock.elapsed_ms();

    // the engine takes time in proportion to the length, so each text is given its share
    let total: usize = texts.iter().map(String::len).sum();
    let results = texts.iter().zip(detections).map(|(text, detection)| {
        count(call.counts, &detection);
        DetectResponse::new(text, detection, elapsed_ms * text.len() as f64 / total.max(1) as f64)
    });
    ok(&DetectBatchResponse::new(results.collect(), elapsed_ms))
}

fn count(counts: &mut Counts, detection: &Detection) {
    detection.entities.iter().for_each(|entity| counts.add(entity));
}
