//! The object `privacy` of a request: what its caller wants of the gateway. It is taken out before anything is
//! sent.

use serde_json::Value;
use textveil_engine::{DetectOptions, wire};

use crate::{error::ApiError, limits::MAX_RESTORE_HOSTS, sent::Sent};

const FIELD: &str = "privacy";

/// The options of detection.
const DETECTION: [&str; 3] = ["country", "language", "privacy_preset"];
const RESTORE: &str = "restore";
const FLAGS: [&str; 3] = [RESTORE, "report", "dry_run"];
const HOSTS: &str = "restore_hosts";

/// The caller's options.
#[derive(Clone, Debug)]
pub(crate) struct Privacy {
    pub detection: DetectOptions,
    /// Whether placeholders in the answer are restored.
    pub restore: bool,
    /// Hosts that may get values, beside those of the workspace.
    pub restore_hosts: Vec<String>,
    /// Whether the answer reports the findings.
    pub report: bool,
    /// Whether to answer with the request that would be sent, without sending it.
    pub dry_run: bool,
}

impl Default for Privacy {
    fn default() -> Self {
        let restore_hosts = Vec::new();
        Self {
            detection: DetectOptions::default(),
            restore: true,
            restore_hosts,
            report: false,
            dry_run: false,
        }
    }
}

impl Privacy {
    /// Takes the object out of a body.
    ///
    /// # Errors
    /// `invalid_request` naming the field at fault, also one that is not known: who misspells an option must
    /// not believe that it holds.
    pub(crate) fn take(body: &mut Value) -> Result<Self, ApiError> {
        let taken = body.as_object_mut().and_then(|members| members.shift_remove(FIELD)).unwrap_or_default();
        let empty = Value::Object(serde_json::Map::new());
        let object = if taken.is_null() { &empty } else { &taken };
        let sent = Sent::at(FIELD.to_owned(), object)
            .ok_or_else(|| ApiError::invalid(FIELD, "privacy must be an object"))?;
        if sent.names().any(|name| !DETECTION.contains(&name) && !FLAGS.contains(&name) && name != HOSTS) {
            return Err(sent.wrong(
                "an object of country, language, privacy_preset, restore, restore_hosts, report and dry_run, and \
                 nothing else",
            ));
        }
        Ok(Self {
            report: sent.flag("report")?.unwrap_or(false),
            dry_run: sent.flag("dry_run")?.unwrap_or(false),
            ..Self::without_report(&sent, object)?
        })
    }

    /// Reads the options of a caller that gets no report: the field `name` of a body, which may be absent.
    ///
    /// # Errors
    /// As [`Privacy::take`].
    pub(crate) fn of_guardrail(body: &Value, name: &str) -> Result<Self, ApiError> {
        let Some(object) = body.get(name).filter(|options| !options.is_null()) else {
            return Ok(Self::default());
        };
        let sent = Sent::at(name.to_owned(), object)
            .ok_or_else(|| ApiError::invalid(name, format!("{name} must be an object")))?;
        let is_known = |option: &str| DETECTION.contains(&option) || matches!(option, RESTORE | HOSTS);
        if !sent.names().all(is_known) {
            return Err(sent.wrong(
                "an object of country, language, privacy_preset, restore and restore_hosts, and nothing else",
            ));
        }
        Self::without_report(&sent, object)
    }

    fn without_report(sent: &Sent<'_>, object: &Value) -> Result<Self, ApiError> {
        Ok(Self {
            restore: sent.flag(RESTORE)?.unwrap_or(true),
            restore_hosts: restore_hosts(sent)?,
            detection: detection(sent.place(), object)?,
            ..Self::default()
        })
    }
}

/// Reads names of hosts as in the workspace's `restore_hosts`.
fn restore_hosts(sent: &Sent<'_>) -> Result<Vec<String>, ApiError> {
    let wanted = "names of hosts such as crm.example.com, or *.example.com for all below one";
    let is_host = |name: &str| textveil_restore::pattern(name).is_some();
    Ok(sent.strings(HOSTS, 0..=MAX_RESTORE_HOSTS, wanted, is_host)?.unwrap_or_default())
}

fn detection(path: &str, privacy: &Value) -> Result<DetectOptions, ApiError> {
    wire::decode(privacy).map_err(|error: textveil_engine::Error| match error.field() {
        Some(field) => ApiError::invalid(&format!("{path}.{field}"), format!("{path}.{error}")),
        None => error.into(),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn it_is_taken_out_and_read() {
        for (privacy, want) in [
            (json!(null), (true, false, false)),
            (json!({}), (true, false, false)),
            (json!({ "restore": false, "report": true, "dry_run": true }), (false, true, true)),
        ] {
            let mut body = json!({ "model": "m", "privacy": privacy });
            let got = Privacy::take(&mut body).unwrap();
            assert_eq!((got.restore, got.report, got.dry_run), want, "{privacy}");
            assert_eq!(body, json!({ "model": "m" }));
        }
        let mut body = json!({ "privacy": { "country": "CZ", "privacy_preset": "aggressive" } });
        assert_eq!(Privacy::take(&mut body).unwrap().detection.country.as_deref(), Some("CZ"));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let body = json!({ "privacy": { "restore_hosts": ["crm.example", "*.acme.example"] } });
        assert_eq!(
            Privacy::take(&mut body.clone()).unwrap().restore_hosts,
            ["crm.example", "*.acme.example"]
        );
        for (privacy, field) in [
            (json!({ "restore_hosts": "zanzibar" }), "privacy.restore_hosts"),
            (json!({ "restore_hosts": ["https://zanzibar.example"] }), "privacy.restore_hosts"),
            (json!({ "restore_hosts": ["*.zanzibar"] }), "privacy.restore_hosts"),
            (json!([]), "privacy"),
            (json!({ "restor": false }), "privacy"),
            (json!({ "restore": "no" }), "privacy.restore"),
            (json!({ "privacy_preset": "zanzibar" }), "privacy.privacy_preset"),
        ] {
            let error = Privacy::take(&mut json!({ "privacy": privacy })).unwrap_err();
            let body = error.body(crate::error::Shape::Own);
            assert!(body.contains(&format!("\"field\":\"{field}\"")), "{body}");
            assert!(!body.contains("zanzibar"), "{body}");
        }
    }
}
