//! Compresses the generated files that the service serves, and the list of public suffixes: as they stand they would
//! take more of the component than all of its code for requests.

use std::{env, error::Error, ffi::OsStr, fs, path::Path};

use miniz_oxide::deflate::compress_to_vec_zlib;

const FILES: [&str; 3] = ["openapi.json", "docs.html", "src/routes/settings/public_suffixes.txt"];

/// The best that zlib knows.
const LEVEL: u8 = 10;

fn main() -> Result<(), Box<dyn Error>> {
    let out = env::var("OUT_DIR")?;
    for file in FILES {
        println!("cargo::rerun-if-changed={file}");
        let name = Path::new(file).file_name().unwrap_or(OsStr::new(file));
        fs::write(Path::new(&out).join(name), compress_to_vec_zlib(&fs::read(file)?, LEVEL))?;
    }
    Ok(())
}
