//! The JavaScript package, the web pages and the documentation: wasm-bindgen as a library, then scripts of npm.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Result, bail};

use crate::{
    build::{self, Module, Optimised},
    setup::{self, NPM_DOCS, NPM_JAVASCRIPT},
    shell::{command, dist, root, run, say, target},
    step::Step,
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
const PACKAGE_SOURCES: [&str; 10] = [
    "bindings-js/js",
    "bindings-js/generate",
    "bindings-js/build.mjs",
    "bindings-js/tsconfig.json",
    "NOTICE",
    "package-lock.json",
    "docs/detectors.md",
    "docs/reference/metadata.md",
    "engine/catalogue",
    "spin-app/service/openapi.json",
];

/// The sources that the web pages share.
const PAGE_SOURCES: [&str; 3] = ["web/ui", "web/bundle.mjs", "package-lock.json"];

/// The sources of the documentation outside its folder: included files, and the sources of its generated
/// references.
const DOCS_SOURCES: [&str; 28] = [
    "ARCHITECTURE.md",
    "NOTICE",
    "SECURITY.md",
    "bindings-js/DESIGN.md",
    "bindings-js/js",
    "bindings-js/tsconfig.json",
    "docs",
    "documents/DESIGN.md",
    "engine/DESIGN.md",
    "engine/catalogue",
    "engine/lexicon/README.md",
    "host-native/DESIGN.md",
    "host-native/examples/detect.rs",
    "restore/DESIGN.md",
    "spin-app/DESIGN.md",
    "spin-app/deploy",
    "spin-app/middleware/src/config.rs",
    "spin-app/service/openapi.json",
    "spin-app/service/src/error/mod.rs",
    "spin-app/service/src/scope.rs",
    "spin-app/service/src/usage/metrics.rs",
    "spin-app/stateless/spin.toml",
    "spin.toml",
    "tests/eval/SCORECARD.md",
    "tests/eval/public-sets.json",
    "web/bundle.mjs",
    "web/playground/public/app/icon.svg",
    "wit",
];

/// Files that the build of the documentation writes among its sources.
const DOCS_GENERATED: [&str; 6] = [
    "docs/.generated",
    "docs/.vitepress/.temp",
    "docs/.vitepress/cache",
    "docs/public",
    "docs/reference/detectors",
    "docs/reference/javascript",
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
    let outputs = ["cjs", "esm", "package.json"].map(|name| dist("npm").join(name));
    Script { folder: NPM_JAVASCRIPT, name: "build:package", outputs: outputs.to_vec() }.run(
        "the npm package",
        PACKAGE_SOURCES.iter().map(root).chain(folders),
        // beside the glue for pages
        &["dist/npm/wasm/speed"],
        &[("TEXTVEIL_SERVERS", For::Servers.folder())],
    )
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
    fn module(self, crate_name: &'static str, name: &str) -> Result<()> {
        let (optimised, flags) = match self {
            Self::Pages => (Optimised::Size, &COMPACT[..]),
            // without symbols bindgen would not see the features of the target, and write other glue
            Self::Servers => (Optimised::Speed, &[][..]),
        };
        let module = Module::new(crate_name, optimised, flags)?;
        let glue = self.folder();
        let wasm = glue.join(format!("{name}_bg.wasm"));
        let step = Step::new(
            &format!("{crate_name}-{}", self.name()),
            module.settings(),
            [wasm.clone(), glue.join(format!("{name}.js"))],
        );
        let sources =
            || Ok([module.sources()?, wasm_opt::made_by().to_vec(), vec![root("xtask/wasm")]].concat());
        step.run(sources, || self.bind(&module, name, &wasm))
    }

    /// Compiles the WebAssembly of a crate and writes its glue.
    fn bind(self, module: &Module, name: &str, wasm: &Path) -> Result<()> {
        module.compile()?;
        let folder = self.folder();
        fs::create_dir_all(&folder)?;
        build::wasm_tool([
            "glue".as_ref(),
            module.file(&target()).as_os_str(),
            name.as_ref(),
            folder.as_os_str(),
        ])?;
        match self {
            Self::Pages => wasm_opt::page(wasm),
            Self::Servers => Ok(()),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Pages => "pages",
            Self::Servers => "servers",
        }
    }
}

/// Builds `dist/playground/`, which contains the package, by the script `build:playground`.
pub fn playground() -> Result<()> {
    page("playground", Some(dist("npm")))
}

/// Builds `dist/console/` by the script `build:console`.
pub fn console() -> Result<()> {
    setup::npm(NPM_JAVASCRIPT)?;
    page("console", None)
}

/// Builds `dist/docs/` by the script `build` of `docs`.
pub fn docs() -> Result<()> {
    setup::npm(NPM_DOCS)?;
    // the types of the package name those of its peers
    setup::npm(NPM_JAVASCRIPT)?;
    Script { folder: NPM_DOCS, name: "build", outputs: vec![dist("docs"), dist("pages/docs.bundle")] }.run(
        "the documentation",
        DOCS_SOURCES.iter().map(root),
        &DOCS_GENERATED,
        &[],
    )
}

fn page(name: &str, contains: Option<PathBuf>) -> Result<()> {
    let sources = PAGE_SOURCES.iter().map(root).chain([root("web").join(name)]).chain(contains);
    let (script, bundle) = (format!("build:{name}"), dist(format!("pages/{name}.bundle")));
    Script { folder: NPM_JAVASCRIPT, name: &script, outputs: vec![dist(name), bundle] }.run(
        &format!("the {name}"),
        sources,
        &[],
        &[],
    )
}

/// A script of a folder's package.
struct Script<'a> {
    folder: &'a str,
    name: &'a str,
    /// The files and folders that it writes.
    outputs: Vec<PathBuf>,
}

impl Script<'_> {
    /// Runs it to build something, unless its sources are unchanged. `generated` are files that it writes among them.
    fn run(
        self,
        what: &str,
        sources: impl Iterator<Item = PathBuf>,
        generated: &[&str],
        environment: &[(&str, PathBuf)],
    ) -> Result<()> {
        let Self { folder, name, outputs } = self;
        let step = format!("npm-{}-{}", folder.trim_matches('.'), name.replace(':', "-"));
        let step = Step::new(&step, [], outputs).generates(generated.iter().map(root));
        step.run(
            || Ok(sources.chain([root(folder).join("package.json")]).collect()),
            || {
                say(format!("building {what}"));
                let mut npm = command("npm", ["run", "--silent", name]);
                npm.current_dir(root(folder)).envs(environment.iter().map(|(name, value)| (name, value)));
                run(npm)
            },
        )
    }
}
