//! A password after its label, and not a sentence about passwords or a placeholder.

use super::prelude::*;

/// The value as it stands.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let first = value.chars().next();
    let masked = value.chars().all(|letter| Some(letter) == first);
    let placeholder = value.starts_with(['<', '$', '{', '[', '%', '('])
        || value.contains("env.")
        || value.contains("getenv")
        || value.contains("://");
    let said = ORDINARY.split(' ').any(|word| word.eq_ignore_ascii_case(value));
    if masked || placeholder || said { Err(Invalid::Component) } else { Ok(Facts::default()) }
}

/// What stands after "password:" in forms, in documents and in code.
const ORDINARY: &str = "accepted changed confirm confirmed correct default disabled enabled encrypted enter \
    expired false field forgot forgotten hashed hidden incorrect input invalid length matches minimum missing \
    never nobody nothing null optional password passwords please policy protected redacted repeat required \
    reset secret should string submit temporary undefined unknown update updated username varchar wrong \
    eingeben erforderlich falsch geändert vergessen ungültig obligatoire oublié requis incorrecte obligatorio \
    incorrecta olvidada zapomenuté povinné nesprávné zapomniane wymagane nieprawidłowe vergeten verplicht \
    obbligatorio dimenticata";

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("RJ2Lt9!9x", Ok(())),
        ("hunter2", Ok(())),
        ("swordfish", Ok(())),
        ("********", Err(Invalid::Component)),
        ("${DB_PASSWORD}", Err(Invalid::Component)),
        ("<password>", Err(Invalid::Component)),
        ("process.env.PASSWORD", Err(Invalid::Component)),
        ("Required", Err(Invalid::Component)),
    ] {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
