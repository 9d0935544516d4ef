//! The variables of the application, and their checks.

use std::collections::BTreeMap;

use crate::{
    auth, gateway,
    host::Host,
    profile::Profile,
    providers::{self, credential},
    routes::telemetry::collector,
    secrets, stateless,
    usage::quota,
};

/// A variable and the check of its value.
type Check = (&'static str, fn(&str) -> Option<&'static str>);

const CHECKS: [Check; 21] = [
    (Profile::VARIABLE, Profile::fault),
    (secrets::VARIABLE, secrets::fault),
    (auth::user_token::KEY_VARIABLE, auth::user_token::fault),
    (auth::sign_in::CLIENT_VARIABLE, auth::sign_in::client_fault),
    (auth::user_token::DEFAULT_ROLE_VARIABLE, auth::user_token::default_role_fault),
    (auth::sign_in::SCOPE_VARIABLE, auth::sign_in::scope_fault),
    (auth::sign_in::TOKEN_VARIABLE, auth::sign_in::token_fault),
    (auth::sign_in::TOKEN_ORIGIN_VARIABLE, auth::sign_in::token_origin_fault),
    (auth::service_token::VARIABLE, auth::service_token::fault),
    (quota::VARIABLE, quota::fault),
    (credential::HOSTS_VARIABLE, credential::hosts_fault),
    (credential::SECRETS_VARIABLE, credential::secrets_fault),
    (providers::PLATFORM_VARIABLE, providers::platform_fault),
    (auth::presidio::VARIABLE, auth::presidio::fault),
    (auth::keyless::VARIABLE, auth::keyless::fault),
    (auth::keyless::HOSTS_VARIABLE, auth::keyless::hosts_fault),
    (gateway::deadlines::VARIABLE, gateway::deadlines::fault),
    (collector::ORIGIN_VARIABLE, collector::origin_fault),
    (collector::PATH_VARIABLE, collector::path_fault),
    (collector::HEADERS_VARIABLE, collector::headers_fault),
    (stateless::VARIABLE, stateless::fault),
];

/// Says what is wrong with the values of the variables; `value` reads one by its name.
///
/// The service must not start with a fault. Messages name variables and never hold a value.
pub fn faults(value: impl Fn(&str) -> Option<String>) -> Vec<&'static str> {
    let of_values = CHECKS.iter().filter_map(|(name, fault)| fault(&value(name)?));
    let together = [auth::user_token::scope_fault(&value), auth::sign_in::fault(&value)];
    of_values.chain(together.into_iter().flatten()).collect()
}

/// A variable that a host sets for every component if it takes a variable in `allowed_outbound_hosts` for a list of
/// patterns, or none.
/// `textveil serve` does; Spin takes the value for one pattern.
pub const LISTS_OF_HOSTS: &str = "textveil_lists_of_hosts";

/// Says what is wrong with the variables that this component reads.
///
/// A component that does not get a variable finds it empty, which is no fault.
pub(crate) async fn faults_of(host: &impl Host) -> Vec<&'static str> {
    let names = CHECKS.iter().map(|(name, _)| *name).chain(auth::user_token::SCOPE_VARIABLES);
    let mut values = BTreeMap::new();
    for name in names {
        if let Some(value) = host.variable(name).await {
            values.insert(name, value);
        }
    }
    let mut faults = faults(|name| values.get(name).cloned());
    if host.variable(LISTS_OF_HOSTS).await.is_none() {
        let hosts = values.get(credential::HOSTS_VARIABLE);
        faults.extend(hosts.and_then(|hosts| credential::single_host_fault(hosts)));
        let collector = values.get(collector::ORIGIN_VARIABLE);
        faults.extend(collector.and_then(|origin| collector::pattern_fault(origin)));
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "a shared secret of more than 32 bytes";

    #[test]
    fn user_tokens_are_bound_to_an_issuer_and_an_audience() {
        for (variables, want) in [
            (&[][..], 0),
            (&[("user_token_key", SECRET)], 1),
            (&[("user_token_key", SECRET), ("user_token_issuer", "https://id.example")], 1),
            (&[("user_token_key", SECRET), ("user_token_issuer", "i"), ("user_token_audience", "a")], 0),
            (&[("user_token_key", SECRET), ("profile", "dev")], 0),
            // the client id is the audience where no other one is set
            (
                &[
                    ("user_token_key", SECRET),
                    ("user_token_issuer", "https://id.example"),
                    ("sign_in_client_id", "c"),
                ],
                0,
            ),
            (&[("user_token_key", SECRET), ("user_token_issuer", "id"), ("sign_in_client_id", "c")], 1),
            (&[("sign_in_scope", "profile"), ("sign_in_token", "both"), ("sign_in_token_origin", "x")], 3),
            (&[("user_token_key", SECRET), ("profile", "strict")], 1),
            (&[("profile", "lax")], 1),
            (&[("user_token_default_role", "admin")], 0),
            (&[("user_token_default_role", "owner")], 1),
        ] {
            let value = |name: &str| {
                variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            };
            assert_eq!(faults(value).len(), want, "{variables:?}");
        }
    }
}
