//! The JavaScript package and the web page: wasm-bindgen as a library, then the scripts of `bindings-js`.

use std::path::{Path, PathBuf};

use anyhow::Result;
use wasm_bindgen_cli_support::Bindgen;

use crate::{
    build,
    setup::{self, NPM_PACKAGE},
    shell::{command, dist, is_fresh, root, run, say, target, touch},
};

/// What the package is made from, in its folder, beside the WebAssembly.
const PACKAGE_SOURCES: [&str; 4] = ["js", "build.mjs", "tsconfig.json", "package-lock.json"];

/// Ciphers and hashes as loops, not unrolled: a page downloads them, and they work on a line at most.
const COMPACT: &str = concat!(
    "target.wasm32-unknown-unknown.rustflags = ",
    r#"['--cfg=aes_backend_soft="compact"', '--cfg=sha2_backend_soft="compact"']"#,
);

/// Builds `dist/npm/`: the WebAssembly and its glue into `dist/npm/wasm/`, then the package around it
/// by the script `build` of `bindings-js`.
pub fn package() -> Result<()> {
    say("building the npm package: dist/npm/");
    setup::npm(NPM_PACKAGE)?;
    let module = build::wasm("textveil-js", "wasm32-unknown-unknown", "web", &[COMPACT])?;
    let glue = dist("npm/wasm");
    let is_bound = |name: &str| is_fresh(&glue.join(name), [&module]);
    if !is_bound("textveil_bg.wasm") || !is_bound("textveil.js") {
        Bindgen::new()
            .input_path(&module)
            .out_name("textveil")
            .web(true)?
            .typescript(true)
            // the entry points of the package say where the WebAssembly is
            .omit_default_module_path(true)
            .remove_name_section(true)
            .remove_producers_section(true)
            .generate(&glue)?;
    }
    let sources = sources(&PACKAGE_SOURCES).chain([glue]);
    script("build", &dist("npm/package.json"), sources)
}

/// Builds `dist/playground/`, which contains the package, by the script `build:playground` of
/// `bindings-js`.
pub fn playground() -> Result<()> {
    say("building the web page: dist/playground/");
    let sources = sources(&["playground", "package-lock.json"]).chain([dist("npm")]);
    script("build:playground", &dist("playground/index.html"), sources)
}

fn sources<'a>(names: &'a [&str]) -> impl Iterator<Item = PathBuf> + 'a {
    names.iter().map(|name| root(NPM_PACKAGE).join(name))
}

/// Runs a script of `bindings-js`, unless it ran since its sources changed and `output` is there.
fn script(name: &str, output: &Path, sources: impl Iterator<Item = PathBuf>) -> Result<()> {
    // an output may be a copy that keeps the age of its source, so a file of our own tells when it was
    let done = target().join("xtask").join(name.replace(':', "-"));
    if output.exists() && is_fresh(&done, sources) {
        return Ok(());
    }
    let mut npm = command("npm", ["run", "--silent", name]);
    npm.current_dir(root(NPM_PACKAGE));
    run(npm)?;
    touch(&done)
}
