//! Compresses the generated files that the service serves: as they stand they would take more of the
//! component than all of its code for requests.

use std::{env, error::Error, fs, path::Path};

use miniz_oxide::deflate::compress_to_vec_zlib;

const FILES: [&str; 2] = ["openapi.json", "docs.html"];

/// The best that zlib knows.
const LEVEL: u8 = 10;

fn main() -> Result<(), Box<dyn Error>> {
    let out = env::var("OUT_DIR")?;
    for file in FILES {
        println!("cargo::rerun-if-changed={file}");
        fs::write(Path::new(&out).join(file), compress_to_vec_zlib(&fs::read(file)?, LEVEL))?;
    }
    Ok(())
}
