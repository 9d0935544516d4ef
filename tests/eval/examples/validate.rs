//! Validates many values, one JSON object a line in and one out, in the shapes of `/api/v1/validate`:
//! `echo '{"value": "44051401359", "entity_type": "pesel"}' | cargo run -p textveil-eval --example validate`.
//!
//! A value that cannot be asked about is answered with `{"error": …}`.

use std::io::{BufRead, BufWriter, Write};

use textveil_engine::{
    validate,
    wire::{ValidateRequest, ValidateResponse, decode},
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let request: ValidateRequest = decode(&mut serde_json::Deserializer::from_str(&line))?;
        match validate(&request.value, &request.entity_type, request.country.as_deref()) {
            Ok(validation) => {
                serde_json::to_writer(&mut out, &ValidateResponse::new(&request.value, validation))?;
            }
            Err(error) => {
                serde_json::to_writer(&mut out, &serde_json::json!({ "error": error.to_string() }))?
            }
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}
