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

/// Where what bindgen writes lies, in `dist/`.
const GLUE: &str = "npm/wasm";

/// What the package is made from, in its folder, beside the WebAssembly.
const PACKAGE_SOURCES: [&str; 4] = ["js", "build.mjs", "tsconfig.json", "package-lock.json"];

/// Builds `dist/npm/`: the WebAssembly and its glue into `dist/npm/wasm/`, then the package around it
/// by the script `build` of `bindings-js`.
pub fn package() -> Result<()> {
    say("building the npm package: dist/npm/");
    setup::npm(NPM_PACKAGE)?;
    module("textveil-js", "textveil")?;
    module("textveil-names-js", "names")?;
    let sources = sources(&PACKAGE_SOURCES).chain([dist(GLUE)]);
    script("build", &dist("npm/package.json"), sources)
}

/// Builds the WebAssembly of a crate and its glue into `dist/npm/wasm/`.
fn module(crate_name: &str, name: &str) -> Result<()> {
    let module = build::wasm(crate_name, "wasm32-unknown-unknown", "web", &COMPACT)?;
    let glue = dist(GLUE);
    let wasm = glue.join(format!("{name}_bg.wasm"));
    // what bindgen writes is not done before `wasm-opt` is, so a file of our own tells that both are
    let done = target().join("xtask").join(format!("bind-{name}"));
    let is_there = wasm.exists() && glue.join(format!("{name}.js")).exists();
    if !is_there || !is_fresh(&done, wasm_opt::made_by().into_iter().chain([module.clone()])) {
        Bindgen::new()
            .input_path(&module)
            .out_name(name)
            .web(true)?
            .typescript(true)
            // the entry points of the package say where the WebAssembly is
            .omit_default_module_path(true)
            .remove_name_section(true)
            .remove_producers_section(true)
            .generate(&glue)?;
        wasm_opt::page(&wasm)?;
        touch(&done)?;
    }
    Ok(())
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
