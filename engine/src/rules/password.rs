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
    let word = value.trim_end_matches(['.', '!', '?', ':', ')']);
    let said = ORDINARY.split(' ').any(|ordinary| ordinary.eq_ignore_ascii_case(word));
    if masked || placeholder || said { Err(Invalid::Format) } else { Ok(Facts::default()) }
}

/// What stands after "password:" in forms, in documents and in code.
const ORDINARY: &str = "await bool char const nil none pass passwd pwd raise return self str text true accepted changed confirm confirmed correct default disabled enabled encrypted enter \
    expired false field forgot forgotten hashed hidden incorrect input invalid length matches minimum missing \
    never nobody nothing null optional password passwords please policy protected redacted repeat required \
    reset secret should string submit temporary undefined unknown update updated username varchar wrong \
    eingeben erforderlich falsch geändert vergessen ungültig obligatoire oublié requis incorrecte obligatorio \
    incorrecta olvidada zapomenuté povinné nesprávné zapomniane wymagane nieprawidłowe vergeten verplicht \
    obbligatorio dimenticata aes128 aes256 argon2 argon2id base32 base64 bcrypt2 http2 ipv4 ipv6 md5 oauth2 pbkdf2 sha1 \
    sha256 sha384 sha512 utf8 utf16 win32 x509";

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("RJ2Lt9!9x", Ok(())),
        ("hunter2", Ok(())),
        ("swordfish", Ok(())),
        ("********", Err(Invalid::Format)),
        ("${DB_PASSWORD}", Err(Invalid::Format)),
        ("<password>", Err(Invalid::Format)),
        ("process.env.PASSWORD", Err(Invalid::Format)),
        ("Required.", Err(Invalid::Format)),
    ] {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
