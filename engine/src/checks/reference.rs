//! Tells references to secrets, placeholders and masks from secrets: `${DB_PASSWORD}`, `<your-token>`, `********`,
//! `/run/secrets/db`.

use crate::text::order;

/// The beginnings of a reference in templates, programs and stores of secrets.
const BEGINNINGS: &str = "${ $( $[ {{ {% <% #{ %( !ref !sub !vault !secret !env enc[ enc( vault: env: ssm: arn: sm: file: secret: \
    secretref: keyring: keychain: kv: ref+ resolve: process. import. secrets. vars. environ. os.environ";
/// Parts of a value that read it from elsewhere.
const READS: &[&str] = &["env.", "getenv", "://", "${", "{{"];
/// The shortest run of a character that is a mask.
const MASK: usize = 4;
/// The characters of masks.
const MASKS: &str = "*xX•●·._…#∙⋅×?";
/// First words of placeholders.
const STAND_INS: &str = "change changeit changeme changethis dein dummy enter example fixme hidden ihr insert masked placeholder redacted \
    removed replace replaceme sample tbd todo tu twoje votre your";

/// Whether a value is not a secret itself.
pub(crate) fn is_reference(value: &str) -> bool {
    is_masked(value) || is_variable(value) || is_path(value) || is_placeholder(value)
}

/// Whether a value is a mask or has one in it: `********`, `hunt****`, `sk-xxxx`.
fn is_masked(value: &str) -> bool {
    let (mut last, mut run, mut longest) = ('\0', 0, 0);
    for letter in value.chars() {
        run = if letter == last { run + 1 } else { 1 };
        last = letter;
        if MASKS.contains(letter) {
            longest = longest.max(run);
        }
    }
    longest >= MASK || run == value.chars().count()
}

/// Whether a value begins with one of these, ignoring case.
fn begins(value: &str, starts: &str) -> bool {
    let mut starts = starts.split(' ').filter(|start| !start.is_empty());
    starts.any(|start| value.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start)))
}

/// Whether a value is read from a variable: `${NAME}`, `$NAME`, `<name>`, `{{name}}`, `[name]`, `%NAME%`, `%s`.
fn is_variable(value: &str) -> bool {
    if begins(value, BEGINNINGS) || READS.iter().any(|part| value.contains(part)) {
        return true;
    }
    let inside = value.trim_matches(|letter| "$[](){}%@<>".contains(letter));
    let words = inside.bytes().all(|byte| byte.is_ascii_alphabetic() || b"_-. ".contains(&byte));
    let constant =
        inside.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    match value.as_bytes() {
        [b'<' | b'{', ..] | [b'%', _] | [b'_', b'_', .., b'_', b'_'] => true,
        [b'$', ..] | [b'%', .., b'%'] | [b'@', .., b'@'] => words || constant,
        [b'[' | b'(' | b'%', ..] => words,
        _ => false,
    }
}

/// Whether a value is the path of a file or of a store: `/run/secrets/db`, `~/.ssh/id_ed25519`, `C:\keys\a.pem`.
fn is_path(value: &str) -> bool {
    let is_drive = matches!(value.as_bytes(), [drive, b':', b'\\' | b'/', ..] if drive.is_ascii_alphabetic());
    let in_path = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"/._-~@+".contains(&byte);
    // `projects/my-app/secrets/db`
    let segments = || value.matches('/').count() > 1 && value.split('/').all(is_segment);
    is_drive
        || begins(value, "~/ ./ ../ \\\\")
        || value.starts_with('/') && value.bytes().all(in_path)
        || segments()
}

/// Whether a segment of a path is words in lower case, with a number behind them.
fn is_segment(segment: &str) -> bool {
    let words = segment.trim_end_matches(|letter: char| letter.is_ascii_digit());
    words.bytes().all(|byte| byte.is_ascii_lowercase() || b"-_.".contains(&byte))
}

/// Whether a value is a placeholder of words: `changeme`, `your-api-key-here`, `REPLACE_ME`.
fn is_placeholder(value: &str) -> bool {
    let body = value.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '!');
    let separates = |letter: char| matches!(letter, '_' | '-' | '.' | ' ');
    let first = body.split(separates).next().unwrap_or_default();
    let is_words = body.chars().all(|letter| letter.is_alphabetic() || separates(letter));
    is_words && (order::has_word(STAND_INS, first) || begins(body, "your changeme"))
}

#[cfg(test)]
#[test]
fn references_and_secrets() {
    for (value, want) in [
        ("********", true),
        ("hunt****", true),
        ("xxxx-xxxx-xxxx", true),
        ("...", true),
        ("${DB_PASSWORD:-x}", true),
        ("$DB_PASS1", true),
        ("{{ vault_password }}", true),
        ("%PASSWORD%", true),
        ("@TOKEN@", true),
        ("__TOKEN__", true),
        ("<your password>", true),
        ("[your password]", true),
        ("process.env.PASSWORD", true),
        ("vault:secret/data/db#password", true),
        ("!Ref DbPassword", true),
        ("/run/secrets/db", true),
        ("~/.ssh/id_ed25519", true),
        (r"C:\keys\a.pem", true),
        ("projects/my-app/secrets/db/versions/1", true),
        ("changeme", true),
        ("change_me", true),
        ("CHANGEME123", true),
        ("your-api-key-here", true),
        ("yourPassword", true),
        ("example-password", true),
        ("hunter2", false),
        ("$3cr3t!", false),
        ("[Kx7]mQp2", false),
        ("@Tulip!99", false),
        ("/Kx7mQ+p2", false),
        ("sunflower", false),
        ("exchange-rate", false),
        ("a8$k=!m2", false),
        ("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", false),
    ] {
        assert_eq!(is_reference(value), want, "{value}");
    }
}
