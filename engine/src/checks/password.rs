//! Accepts a password after its label; rejects sentences about passwords and placeholders.

use super::prelude::*;
use crate::{phrase::is_alone, text::order};

/// Checks the value unchanged.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let first = value.chars().next();
    let masked = value.chars().all(|letter| Some(letter) == first);
    let placeholder =
        is_variable(value) || value.contains("env.") || value.contains("getenv") || value.contains("://");
    let sentence = value.contains(' ') && !is_passphrase(value);
    let word = value.trim_end_matches(['.', '!', '?', ':', ')']);
    // instructions of a form in a script without spaces
    let unspaced = value.chars().all(|letter| is_alone(letter) || !letter.is_alphanumeric());
    let said = sentence || unspaced || order::has_word(ORDINARY, word);
    if masked || placeholder || said { Err(Invalid::Format) } else { Ok(Facts::default()) }
}

/// Whether a value is a placeholder: `${NAME}`, `$NAME`, `<name>`, `{{name}}`, `[name]`, `%NAME%`, `%s`,
/// `%(name)s`.
fn is_variable(value: &str) -> bool {
    let named = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphabetic() || b"_-. ".contains(&byte));
    match value.as_bytes() {
        [b'<' | b'{', ..] | [b'$', b'{' | b'(', ..] | [b'%', b'(', ..] | [b'%', _] => true,
        [b'$' | b'[' | b'(' | b'%', ..] => named(value.trim_matches(|letter| "$[](){}%".contains(letter))),
        _ => false,
    }
}

/// Whether quoted words are a passphrase and not the text of a form: four or more lower-case words of three
/// letters or more, none of which is `your` or begins with `passw`.
fn is_passphrase(value: &str) -> bool {
    let chosen = |word: &str| {
        let letters = word.len() >= 3 && word.bytes().all(|byte| byte.is_ascii_lowercase());
        letters && word != "your" && !word.starts_with("passw")
    };
    value.split(' ').all(chosen) && value.split(' ').count() >= 4
}

/// Words after "password:" in forms, documents and code.
const ORDINARY: &str = "any await bool boolean buffer bytes char const dict dummy empty example int integer list min number object \
    placeholder unset nil none pass passwd pwd raise return self str text true accepted changed confirm confirmed correct default disabled enabled encrypted enter \
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
        ("correct horse battery staple", Ok(())),
        ("the one you use to log in", Err(Invalid::Format)),
        ("your new password twice", Err(Invalid::Format)),
        ("Enter the correct password", Err(Invalid::Format)),
        ("********", Err(Invalid::Format)),
        ("${DB_PASSWORD}", Err(Invalid::Format)),
        ("<password>", Err(Invalid::Format)),
        ("process.env.PASSWORD", Err(Invalid::Format)),
        ("Required.", Err(Invalid::Format)),
        ("$3cr3t!", Ok(())),
        ("[Kx7]mQp2", Ok(())),
        ("$DB_PASSWORD", Err(Invalid::Format)),
        ("%PASSWORD%", Err(Invalid::Format)),
        ("[your password]", Err(Invalid::Format)),
        ("请输入密码", Err(Invalid::Format)),
        ("...", Err(Invalid::Format)),
    ] {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
