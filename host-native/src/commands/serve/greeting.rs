//! The output of `textveil serve` at startup.

use std::collections::BTreeMap;
use std::io::{IsTerminal as _, Write};
use std::net::SocketAddr;
use std::path::Path;

use textveil::app::Manifest;
use textveil_service::auth::{service_token, user_token};

use super::credentials::{self, Credentials};

/// Prints the service's URL, the address of the metrics and, given development credentials, how to make a first request.
///
/// The credentials themselves go to a terminal only: logs keep what a pipe receives.
pub fn print(
    address: &str,
    metrics: Option<SocketAddr>,
    credentials: Option<&Credentials>,
) -> std::io::Result<()> {
    let out = std::io::stdout();
    let is_terminal = out.is_terminal();
    write(&mut out.lock(), address, metrics, credentials, is_terminal)
}

fn write(
    out: &mut impl Write,
    address: &str,
    metrics: Option<SocketAddr>,
    credentials: Option<&Credentials>,
    is_terminal: bool,
) -> std::io::Result<()> {
    writeln!(out, "Serving {address}")?;
    if let Some(metrics) = metrics {
        writeln!(out, "Metrics http://{metrics}/metrics")?;
    }
    let Some(credentials) = credentials else { return out.flush() };
    let file = credentials.file.display();
    let key = match credentials.made.first() {
        Some((_, key)) if is_terminal => {
            writeln!(out, "\nCredentials for development, kept in {file}:")?;
            for (name, value) in &credentials.made {
                writeln!(out, "  {name}={value}")?;
            }
            writeln!(out, "\nTry it:")?;
            key
        }
        _ => {
            writeln!(out, "\nCredentials for development are in {file}. Try it, after `. {file}`:")?;
            "$TEXTVEIL_API_KEY"
        }
    };
    writeln!(
        out,
        "  curl {address}/api/v1/detect -H \"Authorization: Bearer {key}\" -H \"Content-Type: \
         application/json\" -d '{{\"text\": \"Write to jan.novak@example.com or call +420 601 123 456\"}}'\n"
    )?;
    out.flush()
}

/// Returns warnings about missing credentials, callers with all rights, and remains of a start with `--dev`.
pub fn warnings(manifest: &Manifest, variables: &BTreeMap<String, String>, state_dir: &Path) -> Vec<String> {
    let is_empty =
        |name: &str| manifest.variable(name, variables).is_some_and(|value| value.trim().is_empty());
    let mut warnings = Vec::new();
    for (variable, consequence) in [
        (
            service_token::VARIABLE,
            "no service can use or administer the gateway; set it with --variable service_tokens=@FILE, to \
             secrets of at least 32 characters",
        ),
        (
            user_token::KEY_VARIABLE,
            "no user can manage API keys and providers; set it with --variable user_token_key=@FILE, or make \
             API keys with `textveil keys create`",
        ),
    ] {
        if is_empty(variable) {
            warnings.push(format!("`{variable}` is empty: {consequence}"));
        }
    }
    let tokens = manifest.variable(service_token::VARIABLE, variables).unwrap_or_default();
    warnings.extend(service_token::warnings(&tokens));
    let left = credentials::file(state_dir);
    if left.exists() {
        warnings.push(format!(
            "the API keys in {} were made for development and still work; revoke them with `textveil keys \
             revoke` and delete the file",
            left.display()
        ));
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(credentials: Option<&Credentials>, is_terminal: bool) -> String {
        let mut out = Vec::new();
        write(&mut out, "http://127.0.0.1:3000", None, credentials, is_terminal).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn credentials_are_printed_to_a_terminal_only() {
        let file = "state/credentials.env".into();
        let made = Credentials { file, made: vec![("TEXTVEIL_API_KEY", "fpk_secret".to_owned())] };
        let kept = Credentials { file: made.file.clone(), made: Vec::new() };
        for (credentials, is_terminal, shows_file, shows_key) in [
            (Some(&made), true, true, true),
            (Some(&made), false, true, false),
            (Some(&kept), true, true, false),
            (Some(&kept), false, true, false),
            (None, true, false, false),
        ] {
            let printed = printed(credentials, is_terminal);
            assert!(printed.starts_with("Serving http://127.0.0.1:3000\n"), "{printed}");
            assert_eq!(printed.contains("state/credentials.env"), shows_file, "{printed}");
            assert_eq!(printed.contains("fpk_secret"), shows_key, "{printed}");
            assert_eq!(printed.contains("curl "), shows_file, "{printed}");
        }
    }
}
