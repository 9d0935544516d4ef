//! Finds personal data in the text on standard input:
//!
//! ```text
//! echo "PESEL 44051401359" | cargo run --release -p textveil --example detect
//! ```

use std::io::Read;

use textveil::{DetectOptions, Engine, Limits};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let engine = Engine::load("dist/textveil-engine.wasm", Limits::default())?;
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    for entity in engine.detect(&text, &DetectOptions::default())?.entities {
        println!("{} at {}..{}", entity.kind, entity.span.start, entity.span.end);
    }
    Ok(())
}
