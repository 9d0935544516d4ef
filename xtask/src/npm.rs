//! The JavaScript package and the web page: wasm-bindgen, then the scripts of `bindings-js`.

use std::path::Path;

use anyhow::Result;
use wasm_bindgen_cli_support::Bindgen;

use crate::{
    build, setup,
    shell::{command, dist, is_fresh, root, run, say},
};

/// The folder of the JavaScript package.
const PACKAGE: &str = "bindings-js";

/// Builds `dist/npm/`: the WebAssembly and its glue into `dist/npm/wasm/`, then the package around it
/// by the script `build` of `bindings-js`.
pub fn package() -> Result<()> {
    say("building the npm package: dist/npm/");
    setup::npm(Path::new(PACKAGE))?;
    let module = build::wasm("textveil-js", "wasm32-unknown-unknown", "web")?;
    let glue = dist("npm/wasm");
    if !is_fresh(&glue.join("textveil_bg.wasm"), [&module]) {
        Bindgen::new()
            .input_path(&module)
            .out_name("textveil")
            .web(true)?
            .typescript(true)
            .generate(&glue)?;
    }
    script("build")
}

/// Builds `dist/playground/` by the script `build:playground` of `bindings-js`.
pub fn playground() -> Result<()> {
    say("building the web page: dist/playground/");
    script("build:playground")
}

fn script(name: &str) -> Result<()> {
    let mut npm = command("npm", ["run", "--silent", name]);
    npm.current_dir(root(PACKAGE));
    run(npm)
}
