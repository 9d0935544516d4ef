//! Accepts a password after its label; rejects sentences about passwords and placeholders.

use super::{prelude::*, reference::is_reference};
use crate::{
    lexicon,
    phrase::{Phrase, is_alone},
    text::order,
};

/// The most words of a passphrase.
const MAX_WORDS: usize = 12;

/// Checks the value unchanged.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let word = value.trim_end_matches(['.', '!', '?', ':', ')']);
    // instructions of a form in a script without spaces
    let unspaced = value.chars().all(|letter| is_alone(letter) || !letter.is_alphanumeric());
    let said = value.contains(' ') && is_sentence(value) || unspaced || order::has_word(ORDINARY, word);
    if is_reference(value) || said { Err(Invalid::Format) } else { Ok(Facts::default()) }
}

/// Whether quoted words are the text of a form and not a passphrase: they end like a sentence, or more than half of
/// them are common words of a language. A word of [`ORDINARY`] counts twice.
fn is_sentence(value: &str) -> bool {
    let ends = value.ends_with(['.', '?', ':', '…']);
    let (mut words, mut common) = (0, 0);
    for word in value.split(' ').filter(|word| !word.is_empty()) {
        words += 1;
        let is_common = || lexicon::languages(Phrase::EMPTY.with(word), word).is_some();
        common += if order::has_word(ORDINARY, word) { 2 } else { usize::from(is_common()) };
    }
    ends || !(2..=MAX_WORDS).contains(&words) || common * 2 > words
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
    sha256 sha384 sha512 utf8 utf16 win32 x509 flag option argument parameter value switch";

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("RJ2Lt9!9x", Ok(())),
        ("hunter2", Ok(())),
        ("swordfish", Ok(())),
        ("correct horse battery staple", Ok(())),
        ("My Dog Rex", Ok(())),
        ("two words", Ok(())),
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
        ("a8$k=!m2", Ok(())),
        ("changeme", Err(Invalid::Format)),
        ("/run/secrets/db", Err(Invalid::Format)),
        ("$DB_PASSWORD", Err(Invalid::Format)),
        ("%PASSWORD%", Err(Invalid::Format)),
        ("[your password]", Err(Invalid::Format)),
        ("请输入密码", Err(Invalid::Format)),
        ("...", Err(Invalid::Format)),
    ] {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
