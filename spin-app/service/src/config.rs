//! The variables of the application, checked before it starts.

use crate::{auth, gateway, providers::credential, secrets, usage::quota};

/// A variable and what can be wrong with its value.
type Check = (&'static str, fn(&str) -> Option<&'static str>);

const CHECKS: [Check; 8] = [
    (secrets::VARIABLE, secrets::fault),
    (auth::user_token::KEY_VARIABLE, auth::user_token::fault),
    (auth::service_token::VARIABLE, auth::service_token::fault),
    (quota::VARIABLE, quota::fault),
    (credential::HOSTS_VARIABLE, credential::hosts_fault),
    (credential::SECRETS_VARIABLE, credential::secrets_fault),
    (auth::presidio::VARIABLE, auth::presidio::fault),
    (gateway::deadlines::VARIABLE, gateway::deadlines::fault),
];

/// What is wrong with the values of the variables; `value` gives that of a name. Whoever starts the
/// service refuses to on any of these; no message holds a value.
pub fn faults(value: impl Fn(&str) -> Option<String>) -> Vec<&'static str> {
    CHECKS.iter().filter_map(|(name, fault)| fault(&value(name)?)).collect()
}
