//! Looks at many texts, one JSON object of `/api/v1/detect` a line in, and one out with the entities and the seconds
//! that they took: `echo '{"text": "Jan Kowalski", "entities": ["name"]}' | cargo run --example detect`.

use std::{
    io::{BufRead, Write},
    time::Instant,
};

use textveil_engine::{
    DetectOptions, detect,
    wire::{DetectResponse, OneText, decode},
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // it writes each line at once, so that a caller may wait for it
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let OneText { text } = decode(&mut serde_json::Deserializer::from_str(&line))?;
        let options: DetectOptions = decode(&mut serde_json::Deserializer::from_str(&line))?;
        let start = Instant::now();
        let found = detect(&text, &options)?;
        let seconds = start.elapsed().as_secs_f64();
        let entities = DetectResponse::new(&text, found, 0.0).entities;
        writeln!(out, "{}", serde_json::json!({ "seconds": seconds, "entities": entities }))?;
    }
    Ok(())
}
