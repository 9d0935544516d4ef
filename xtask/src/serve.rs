//! `cargo xtask serve`: builds what the service answers with, starts it, and builds its web pages meanwhile.

use std::{
    ffi::OsString,
    fs,
    io::{Read as _, Write as _},
    net::TcpStream,
    process::Command,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result};

use crate::{
    build::{self, Finish, PAGES, SERVICE},
    program,
    shell::{command, dist, run as run_command, say, shown},
};

/// Build the service and start it for development on 127.0.0.1:3000, with its state in .textveil/.
///
/// Compiles the program and the components of the service for development, which takes some minutes once; `cargo xtask
/// build` makes what ships. Builds playground, console and documentation while the service answers already.
/// The first start makes credentials for development and prints how to use them.
#[derive(clap::Args)]
pub struct Arguments {
    /// Passed on to `textveil serve --dev`, after the arguments of this task: `cargo xtask serve -- --help`
    #[arg(last = true)]
    arguments: Vec<OsString>,
}

/// The default address of the service, and the folder of its state.
const DEFAULTS: [(&str, &str); 3] =
    [("--listen", "127.0.0.1:3000"), ("--state-dir", ".textveil"), ("--manifest", "spin.toml")];

/// The page that the service answers with until a page is built.
const UNFINISHED: &str = r#"<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Textveil</title>
<p>This page is being built. Reload it in a few minutes. The API answers already.</p>
</html>
"#;

/// Builds and serves until the program is stopped.
pub fn run(arguments: &Arguments) -> Result<()> {
    build::build(&SERVICE, Finish::Served)?;
    make_bundles()?;
    let mut serve = command(program::path(Finish::Served), ["serve", "--dev"]);
    for (flag, value) in DEFAULTS {
        if !arguments.arguments.iter().any(|given| is_flag(given, flag)) {
            serve.args([flag, value]);
        }
    }
    serve.args(&arguments.arguments);
    say(shown(&serve));
    let address = listens_on(&serve);
    // not joined: the task ends with the service
    thread::spawn(move || {
        wait_for_an_answer(&address);
        build_pages();
    });
    run_command(serve)
}

/// Returns the address that the command listens on: `--listen ADDRESS` or `--listen=ADDRESS`.
fn listens_on(serve: &Command) -> String {
    let words: Vec<_> = serve.get_args().filter_map(|word| word.to_str()).collect();
    let next =
        words.iter().skip(1).zip(&words).find_map(|(next, word)| (*word == "--listen").then_some(next));
    let joined = words.iter().find_map(|word| word.strip_prefix("--listen="));
    let address = joined.or(next.copied()).unwrap_or_default();
    // all interfaces: also this machine's own
    address.replace("0.0.0.0:", "127.0.0.1:").replace("[::]:", "[::1]:")
}

/// Waits until the service answers. Until then it compiles its components, for which it needs all cores.
///
/// Does not wait if nobody listens there after a minute: the address may be one that the system chooses.
fn wait_for_an_answer(address: &str) {
    for _ in 0..60 {
        if let Ok(mut connection) = TcpStream::connect(address) {
            let request = b"GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n";
            let _ = connection.write_all(request).and_then(|()| connection.read(&mut [0]));
            return;
        }
        thread::sleep(Duration::from_secs(1));
    }
}

/// Makes the bundles of the web pages that are not built yet, since the service mounts their folder.
///
/// # Errors
/// If one cannot be written.
pub fn make_bundles() -> Result<()> {
    for bundle in ["playground", "console", "docs"].map(|page| dist(format!("pages/{page}.bundle"))) {
        if !bundle.exists() {
            fs::create_dir_all(dist("pages"))?;
            let content = format!("{{\"index.html\":[0,{}]}}\n{UNFINISHED}", UNFINISHED.len());
            fs::write(&bundle, content).with_context(|| format!("cannot write {}", bundle.display()))?;
        }
    }
    Ok(())
}

/// Builds the web pages and tells when they are there. The service goes on without them.
fn build_pages() {
    let start = Instant::now();
    match build::build(&PAGES, Finish::Shipped) {
        Ok(()) if start.elapsed().as_secs() == 0 => {}
        Ok(()) => say("playground, console and documentation are ready: reload the page"),
        Err(error) => say(format!(
            "the web pages are not built: {error:#}; the service goes on without them, and `cargo xtask build --only \
             playground --only console --only docs` tries again"
        )),
    }
}

/// `--listen` and `--listen=…` alike.
fn is_flag(argument: &OsString, flag: &str) -> bool {
    argument
        .to_str()
        .and_then(|text| text.strip_prefix(flag))
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
}
