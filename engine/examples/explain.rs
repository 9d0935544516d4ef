//! Shows what is found in a text, and why: `echo 'PESEL 44051401359' | cargo run --example explain`.
//!
//! Options: `--country CC`, `--preset conservative|balanced|aggressive`.

use std::io::Read;

use textveil_engine::{DetectOptions, Preset, detect};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut options = DetectOptions { explain: true, ..DetectOptions::default() };
    let mut arguments = std::env::args().skip(1);
    while let (Some(name), value) = (arguments.next(), arguments.next()) {
        match (name.as_str(), value) {
            ("--country", country) => options.country = country,
            ("--preset", Some(preset)) => {
                options.privacy_preset = Some(match preset.as_str() {
                    "conservative" => Preset::Conservative,
                    "aggressive" => Preset::Aggressive,
                    _ => Preset::Balanced,
                });
            }
            _ => return Err("the options are --country and --preset".into()),
        }
    }
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let found = detect(text.trim_end(), &options)?;
    for country in &found.countries {
        println!("{:?} {:.4}", country.code, country.confidence);
    }
    for entity in &found.entities {
        let span = entity.span;
        println!("{}..{} {} {:?} {:?}", span.start, span.end, entity.kind, entity.country, entity.original);
        println!("    confidence {:.4} validated {}", entity.confidence, entity.validated);
        for (name, fact) in entity.metadata.iter() {
            println!("    {name} = {fact:?}");
        }
        for evidence in &entity.evidence {
            println!("    {:+.2} {} {:?}", evidence.weight, evidence.signal, evidence.span);
        }
    }
    Ok(())
}
