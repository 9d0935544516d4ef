//! The JavaScript package and the web page: wasm-bindgen as a library, then the scripts of `bindings-js`.

use std::path::{Path, PathBuf};

use anyhow::Result;
use wasm_bindgen_cli_support::Bindgen;

use crate::{
    build,
    setup::{self, NPM_PACKAGE},
    shell::{command, dist, is_fresh, root, run, say, target, touch},
    wasm_opt,
};

/// How the compiler makes what a page downloads: ciphers and hashes as loops and not unrolled, since they work on a line
/// at most.
const COMPACT: [&str; 2] = [r#"--cfg=aes_backend_soft="compact""#, r#"--cfg=sha2_backend_soft="compact""#];

/// What the package is made from, in its folder, beside the WebAssembly.
const PACKAGE_SOURCES: [&str; 4] = ["js", "build.mjs", "tsconfig.json", "package-lock.json"];

/// Builds `dist/npm/`: the WebAssembly and its glue into `dist/npm/wasm/`, then the package around it
/// by the script `build` of `bindings-js`.
pub fn package() -> Result<()> {
    say("building the npm package: dist/npm/");
    setup::npm(NPM_PACKAGE)?;
    let module = build::wasm("textveil-js", "wasm32-unknown-unknown", "web", &COMPACT)?;
    let glue = dist("npm/wasm");
    // what bindgen writes is not done before `wasm-opt` is, so a file of our own tells that both are
    let done = target().join("xtask/bind");
    let is_there = ["textveil_bg.wasm", "textveil.js"].iter().all(|name| glue.join(name).exists());
    if !is_there || !is_fresh(&done, wasm_opt::made_by().into_iter().chain([module.clone()])) {
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
        wasm_opt::page(&glue.join("textveil_bg.wasm"))?;
        touch(&done)?;
    }
    let sources = sources(&PACKAGE_SOURCES).chain([glue]);
    script("build", &dist("npm/package.json"), sources)
}

/// Builds `dist/playground/`, which contains the package, by the script `build:playground` of
/// `bindings-js`.
pub fn playground() -> Result<()> {
    say("building the playground: dist/playground/");
    page("playground", Some(dist("npm")))
}

/// Builds `dist/console/` by the script `build:console` of `bindings-js`.
pub fn console() -> Result<()> {
    say("building the console: dist/console/");
    setup::npm(NPM_PACKAGE)?;
    page("console", None)
}

fn page(name: &str, contains: Option<PathBuf>) -> Result<()> {
    let names = [name, "ui", "compress.mjs", "package-lock.json"];
    let sources = sources(&names).chain(contains);
    script(&format!("build:{name}"), &dist(format!("{name}/index.html")), sources)
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
