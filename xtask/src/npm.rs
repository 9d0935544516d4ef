//! The JavaScript package, the web pages and the documentation: wasm-bindgen as a library, then scripts of npm.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Result, bail};
use wasm_bindgen_cli_support::Bindgen;

use crate::{
    build::{self, Optimised},
    setup::{self, NPM_DOCS, NPM_JAVASCRIPT},
    shell::{command, dist, is_fresh, root, run, say, target, touch},
    wasm_opt,
};

/// The compiler's flags for downloads of a page: ciphers and hashes as loops and not unrolled, since they work on a line
/// at most.
const COMPACT: [&str; 2] = [r#"--cfg=aes_backend_soft="compact""#, r#"--cfg=sha2_backend_soft="compact""#];

/// The modules of the package: each crate, and the name of its WebAssembly.
const MODULES: [(&str, &str); 3] =
    [("textveil-js", "textveil"), ("textveil-names-js", "names"), ("textveil-documents-js", "documents")];

/// The sources of the package, in addition to the WebAssembly. Its build generates the types from the documentation and
/// the description of the API.
const PACKAGE_SOURCES: [&str; 8] = [
    "bindings-js/js",
    "bindings-js/generate",
    "bindings-js/build.mjs",
    "bindings-js/tsconfig.json",
    "package-lock.json",
    "docs/detectors.md",
    "docs/reference/metadata.md",
    "spin-app/service/openapi.json",
];

/// The sources that the web pages share.
const PAGE_SOURCES: [&str; 3] = ["web/ui", "web/compress.mjs", "package-lock.json"];

/// The sources of the documentation outside its folder: included files, and the sources of its generated
/// references.
const DOCS_SOURCES: [&str; 20] = [
    "ARCHITECTURE.md",
    "SECURITY.md",
    "bindings-js/js",
    "bindings-js/tsconfig.json",
    "docs",
    "engine/catalogue",
    "host-native/examples/detect.rs",
    "spin-app/deploy/redis.toml",
    "spin-app/middleware/src/config.rs",
    "spin-app/service/openapi.json",
    "spin-app/service/src/auth/scope.rs",
    "spin-app/service/src/error.rs",
    "spin-app/service/src/usage/metrics.rs",
    "spin-app/spin.toml",
    "spin-app/stateless/spin.toml",
    "tests/eval/SCORECARD.md",
    "tests/eval/public-sets.json",
    "web/compress.mjs",
    "web/playground/public/app/icon.svg",
    "wit",
];

/// For what a module of the package is compiled.
#[derive(Clone, Copy)]
enum For {
    /// Pages and edge runtimes, which download it.
    Pages,
    /// Node, Deno and Bun, which have it on the disk.
    Servers,
}

/// Builds `dist/npm/`: the WebAssembly and its glue for pages into `dist/npm/wasm/`, those for servers into a folder of
/// their own, then the package around both by the script `build:package`.
pub fn package() -> Result<()> {
    say("building the npm package: dist/npm/");
    setup::npm(NPM_JAVASCRIPT)?;
    for (crate_name, name) in MODULES {
        For::Pages.module(crate_name, name)?;
        For::Servers.module(crate_name, name)?;
    }
    let folders = [For::Pages, For::Servers].map(For::folder);
    for (_, name) in MODULES {
        let glue = format!("{name}.js");
        let [pages, servers] = folders.each_ref().map(|folder| fs::read(folder.join(&glue)));
        // `textveil/slim` loads the WebAssembly of pages in Node
        if pages? != servers? {
            bail!("bindgen's {glue} for pages and that for servers differ; one of them has to serve both");
        }
    }
    let sources = PACKAGE_SOURCES.iter().map(root).chain(folders);
    let environment = [("TEXTVEIL_SERVERS", For::Servers.folder())];
    script(NPM_JAVASCRIPT, "build:package", &dist("npm/package.json"), sources, &environment)
}

impl For {
    /// Returns the folder of the modules and their glue.
    fn folder(self) -> PathBuf {
        match self {
            Self::Pages => dist("npm/wasm"),
            Self::Servers => target().join("xtask/npm-servers"),
        }
    }

    /// Builds the WebAssembly of a crate and its glue.
    fn module(self, crate_name: &str, name: &str) -> Result<()> {
        let (optimised, flags) = match self {
            Self::Pages => (Optimised::Size, &COMPACT[..]),
            // without symbols bindgen would not see the features of the target, and write other glue
            Self::Servers => (Optimised::Speed, &[][..]),
        };
        let module = build::wasm(crate_name, "wasm32-unknown-unknown", optimised, flags)?;
        let glue = self.folder();
        let wasm = glue.join(format!("{name}_bg.wasm"));
        // bindgen's output is complete only after it is optimised, so a marker file records that
        let kind = match self {
            Self::Pages => "bind",
            Self::Servers => "bind-servers",
        };
        let done = target().join("xtask").join(format!("{kind}-{name}"));
        let is_there = wasm.exists() && glue.join(format!("{name}.js")).exists();
        if is_there && is_fresh(&done, wasm_opt::made_by().into_iter().chain([module.clone()])) {
            return Ok(());
        }
        Bindgen::new()
            .input_path(&module)
            .out_name(name)
            .web(true)?
            .typescript(true)
            // the entry points of the package locate the WebAssembly
            .omit_default_module_path(true)
            .remove_name_section(true)
            .remove_producers_section(true)
            .generate(&glue)?;
        if matches!(self, Self::Pages) {
            wasm_opt::page(&wasm)?;
        }
        touch(&done)
    }
}

/// Builds `dist/playground/`, which contains the package, by the script `build:playground`.
pub fn playground() -> Result<()> {
    say("building the playground: dist/playground/");
    page("playground", Some(dist("npm")))
}

/// Builds `dist/console/` by the script `build:console`.
pub fn console() -> Result<()> {
    say("building the console: dist/console/");
    setup::npm(NPM_JAVASCRIPT)?;
    page("console", None)
}

/// Builds `dist/docs/` by the script `build` of `docs`.
pub fn docs() -> Result<()> {
    say("building the documentation: dist/docs/");
    setup::npm(NPM_DOCS)?;
    // the types of the package name those of its peers
    setup::npm(NPM_JAVASCRIPT)?;
    script(NPM_DOCS, "build", &dist("docs/index.html"), DOCS_SOURCES.iter().map(root), &[])
}

fn page(name: &str, contains: Option<PathBuf>) -> Result<()> {
    let sources = PAGE_SOURCES.iter().map(root).chain([root("web").join(name)]).chain(contains);
    script(NPM_JAVASCRIPT, &format!("build:{name}"), &dist(format!("{name}/index.html")), sources, &[])
}

/// Runs a script of a folder's package, unless it ran since its sources changed and `output` is there.
fn script(
    folder: &str,
    name: &str,
    output: &Path,
    sources: impl Iterator<Item = PathBuf>,
    environment: &[(&str, PathBuf)],
) -> Result<()> {
    // an output may be a copy with the modification time of its source, so a marker file records when it was
    // made
    let done =
        target().join("xtask").join(format!("npm-{}-{}", folder.trim_matches('.'), name.replace(':', "-")));
    if output.exists() && is_fresh(&done, sources) {
        return Ok(());
    }
    let mut npm = command("npm", ["run", "--silent", name]);
    npm.current_dir(root(folder)).envs(environment.iter().map(|(name, value)| (name, value)));
    run(npm)?;
    touch(&done)
}
