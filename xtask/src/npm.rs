//! The JavaScript package and the web page: wasm-bindgen as a library, then the scripts of `bindings-js`.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use wasm_bindgen_cli_support::Bindgen;

use crate::{
    build,
    setup::{self, NPM_PACKAGE},
    shell::{command, dist, is_fresh, root, run, say, target, touch},
    wasm_opt,
};

/// What the package is made from, in its folder, beside the WebAssembly.
const PACKAGE_SOURCES: [&str; 4] = ["js", "build.mjs", "tsconfig.json", "package-lock.json"];

/// Builds `dist/npm/`: the WebAssembly and its glue into `dist/npm/wasm/`, then the package around it
/// by the script `build` of `bindings-js`.
pub fn package() -> Result<()> {
    say("building the npm package: dist/npm/");
    setup::npm(NPM_PACKAGE)?;
    let module = build::wasm("textveil-js", "wasm32-unknown-unknown", "web", &[&rustflags()?])?;
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

/// How the compiler makes what a page downloads: ciphers and hashes as loops and not unrolled, since they work on
/// a line at most; and nothing of where the sources lie on this machine.
fn rustflags() -> Result<String> {
    let mut flags = vec![
        r#"--cfg=aes_backend_soft="compact""#.to_owned(),
        r#"--cfg=sha2_backend_soft="compact""#.to_owned(),
    ];
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(env::home_dir()?.join(".cargo"))).context("there is no home folder")?;
    let registries = fs::read_dir(home.join("registry/src")).into_iter().flatten();
    for registry in registries {
        flags.push(format!("--remap-path-prefix={}=", registry?.path().display()));
    }
    Ok(format!("target.wasm32-unknown-unknown.rustflags = {}", serde_json::to_string(&flags)?))
}

/// Builds `dist/playground/`, which contains the package, by the script `build:playground` of
/// `bindings-js`.
pub fn playground() -> Result<()> {
    say("building the web page: dist/playground/");
    let sources = sources(&["playground", "ui", "package-lock.json"]).chain([dist("npm")]);
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
