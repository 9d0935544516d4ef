//! Finds secrets on command lines: `mysql -pX`, `curl -u user:X`, `sshpass -p X`, `--password X`, `IDENTIFIED BY 'X'`,
//! and in the lines of a `.netrc`.

use super::{
    cookie,
    labelled::{is_mixed, named},
    quoting::quoted,
    scan::{ScannedWord, Scanner},
    secret::{self, SecretPlace, names_secret, of_secrets, place},
    table::Recognise,
};
use crate::phrase::bytes::UPPER;

/// The longest command that is read, in bytes.
const MAX_COMMAND: usize = 1_024;
/// The longest value of an option, in bytes.
const MAX: usize = 256;
/// The longest name of a program and of an option, in bytes.
const MAX_NAME: usize = 40;
/// The shortest name of an option that may be a label, in bytes.
const MIN_NAME: usize = 4;
/// The label of the secrets of command lines.
const LABEL: &str = "password";

/// Programs, the subcommand that they need, and their options with a secret.
///
/// The last character of an option tells its value: `=` a secret, which may be glued to the option; `+` only a glued one; `;`
/// cookies; any other one precedes the secret after the name of a user.
const PROGRAMS: &[(&str, &str, &str)] = &[
    ("curl", "", "-u: --user: -U: --proxy-user: -b; --cookie;"),
    ("http https xh", "", "-a: --auth:"),
    ("lftp", "", "-u,"),
    (
        "mysql mysqldump mysqladmin mysqlimport mysqlcheck mysqlpump mariadb mariadb-dump mariadb-admin",
        "",
        "-p+",
    ),
    ("sshpass", "", "-p="),
    ("docker podman nerdctl buildah skopeo crane helm oras oc az cf", "login", "-p="),
    ("redis-cli", "", "-a= --pass="),
    ("mongo mongosh mongodump mongorestore mongoexport mongoimport", "", "-p="),
    ("ldapsearch ldapadd ldapmodify ldapdelete ldapwhoami", "", "-w="),
    ("zip unzip sqlcmd bcp ipmitool mosquitto_pub mosquitto_sub", "", "-P="),
    ("rar unrar", "", "-p+ -hp+"),
    ("smbclient rpcclient smbmap", "", "-U% --user%"),
    ("plink pscp psftp", "", "-pw="),
    ("cqlsh rabbitmqadmin twine xfreerdp rdesktop", "", "-p= /p:+"),
    ("nmcli", "", "password="),
];

/// Whether a word begins the name of a program of [`PROGRAMS`].
fn begins_program(word: &[u8]) -> bool {
    matches!(
        word,
        b"curl"
            | b"http"
            | b"https"
            | b"xh"
            | b"lftp"
            | b"mysql"
            | b"mysqldump"
            | b"mysqladmin"
            | b"mysqlimport"
            | b"mysqlcheck"
            | b"mysqlpump"
            | b"mariadb"
            | b"sshpass"
            | b"docker"
            | b"podman"
            | b"nerdctl"
            | b"buildah"
            | b"skopeo"
            | b"crane"
            | b"helm"
            | b"oras"
            | b"oc"
            | b"az"
            | b"cf"
            | b"redis"
            | b"mongo"
            | b"mongosh"
            | b"mongodump"
            | b"mongorestore"
            | b"mongoexport"
            | b"mongoimport"
            | b"ldapsearch"
            | b"ldapadd"
            | b"ldapmodify"
            | b"ldapdelete"
            | b"ldapwhoami"
            | b"zip"
            | b"unzip"
            | b"sqlcmd"
            | b"bcp"
            | b"ipmitool"
            | b"mosquitto"
            | b"rar"
            | b"unrar"
            | b"smbclient"
            | b"rpcclient"
            | b"smbmap"
            | b"plink"
            | b"pscp"
            | b"psftp"
            | b"cqlsh"
            | b"rabbitmqadmin"
            | b"twine"
            | b"xfreerdp"
            | b"rdesktop"
            | b"nmcli"
    )
}

/// Whether the next line continues the command that a text ends with.
pub(crate) fn breaks_off(text: &str) -> bool {
    text.len() < MAX_COMMAND && text.trim_end_matches('\n').trim_end_matches('\r').ends_with(" \\")
}

/// The words of a command, as a shell cuts them, with their quotes.
struct CommandWords<'t> {
    text: &'t str,
    at: usize,
    end: usize,
}

impl Iterator for CommandWords<'_> {
    type Item = (usize, usize);

    fn next(&mut self) -> Option<(usize, usize)> {
        let rest = self.text.get(self.at..self.end)?;
        let mut line = rest.trim_start_matches([' ', '\t', ',']);
        while let Some(next) = line.strip_prefix("\\\n").or_else(|| line.strip_prefix("\\\r\n")) {
            line = next.trim_start_matches([' ', '\t']);
        }
        let start = self.end - line.len();
        let mut at = start;
        while let Some(letter) = self.text.get(at..self.end).and_then(|rest| rest.chars().next()) {
            let inside = matches!(letter, '"' | '\'').then(|| self.text.get(at..self.end)).flatten();
            at += match inside.and_then(|inside| quoted(inside, MAX)) {
                Some(inside) => inside.end + 1,
                None if letter.is_whitespace() || matches!(letter, '|' | ';' | ']' | '`') => break,
                None => letter.len_utf8(),
            };
        }
        self.at = at;
        (at > start).then_some((start, at))
    }
}

/// Secrets on command lines. The state is the end of the last command.
pub(super) struct CommandLines;

impl Recognise for CommandLines {
    type State = usize;

    const MARKS: &'static [u8] = b"-";

    fn at_mark(scanner: &mut Scanner<'_>, at: usize, _: u8) {
        read_option(scanner, at);
    }

    #[inline(always)]
    fn at_word(scanner: &mut Scanner<'_>, word: ScannedWord) {
        if word.plain || word.class == UPPER {
            read(scanner, word.start, word.end);
        }
    }
}

/// Reads the command that a word may begin, or the secret behind the word.
#[inline]
fn read(scanner: &mut Scanner<'_>, start: usize, end: usize) {
    let Some(word) = scanner.bytes.get(start..end) else { return };
    match word {
        b"password" | b"PASSWORD" => password_word(scanner, start, end),
        b"identified" | b"IDENTIFIED" => identified(scanner, start, end),
        // the scheme of a URL is no program
        _ if start >= scanner.states.command
            && begins_program(word)
            && scanner.bytes.get(end) != Some(&b':') =>
        {
            program(scanner, start);
        }
        _ => {}
    }
}

/// Reads the options of a program.
#[inline(never)]
fn program(scanner: &mut Scanner<'_>, start: usize) {
    let text = scanner.text;
    let Some(rest) = text.get(start..) else { return };
    let len = rest.bytes().take(MAX_NAME).position(|byte| matches!(byte, b' ' | b'"' | b'\'' | b'\t'));
    let Some(name) = len.and_then(|len| rest.get(..len)) else { return };
    let known = |(names, ..): &&(&str, &str, &str)| names.split(' ').any(|known| known == name);
    let Some((_, needs, options)) = PROGRAMS.iter().find(known) else { return };
    let from = start
        + name.len()
        + usize::from(rest.get(name.len()..).is_some_and(|rest| rest.starts_with(['"', '\''])));
    let end = text.floor_char_boundary(from + MAX_COMMAND);
    let mut words = CommandWords { text, at: from, end };
    let mut is_met = needs.is_empty();
    while let Some((start, end)) = words.next() {
        let inside = quoted(text.get(start..end).unwrap_or_default(), MAX);
        let (from, to) = inside.map_or((start, end), |inside| (start + inside.start, start + inside.end));
        let Some(word) = text.get(from..to) else { continue };
        is_met |= word == *needs;
        let option = options.split(' ').find_map(|option| {
            let kind = option.chars().next_back()?;
            let name = option.strip_suffix(kind)?;
            let glued = word.strip_prefix(name)?;
            // a long option needs a space or a sign, which is read as a label's
            (glued.is_empty() || !name.starts_with("--") && kind != ';').then_some((kind, glued))
        });
        let Some((kind, glued)) = option.filter(|_| is_met) else { continue };
        let value = if glued.is_empty() && kind != '+' {
            words.next().map(|(start, _)| start)
        } else {
            (!glued.is_empty()).then(|| to - glued.len())
        };
        let Some(value) = value.and_then(|value| place(text, value, false, false, MAX)) else { continue };
        match kind {
            ';' => cookie::read_list(scanner, value.start, value.end),
            '=' | '+' => secret_of_command(scanner, value, (from, to)),
            separator => login(scanner, value, separator, (from, to)),
        }
    }
    scanner.count(words.at - start);
    scanner.states.command = words.at;
}

/// Reads the secret after the name of a user: `user:secret`.
fn login(scanner: &mut Scanner<'_>, place: SecretPlace, separator: char, option: (usize, usize)) {
    let value = scanner.text.get(place.start..place.end).unwrap_or_default();
    if let Some((user, _)) = value.split_once(separator) {
        secret_of_command(scanner, SecretPlace { start: place.start + user.len() + 1, ..place }, option);
    }
}

/// Adds the secret of an option as a candidate.
fn secret_of_command(scanner: &mut Scanner<'_>, place: SecretPlace, option: (usize, usize)) {
    let value = scanner.text.get(place.start..place.end).unwrap_or_default();
    if !value.starts_with('-') && !names_secret(value) {
        let password = of_secrets(&named(LABEL, LABEL.len(), false));
        secret::push(scanner, &password, place, option);
    }
}

/// Reads the value of an option that is named like a secret: `--db-password X`, `-storepass X`.
fn read_option(scanner: &mut Scanner<'_>, at: usize) {
    let before = at.checked_sub(1).and_then(|before| scanner.bytes.get(before));
    if before.is_some_and(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'"' | b'\'' | b'[' | b'(' | b'`')) {
        return;
    }
    let Some(rest) = scanner.text.get(at..) else { return };
    let of_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let len = rest.bytes().take(MAX_NAME).take_while(of_name).count();
    let end = at + len;
    // in a list of JSON, quotes and a comma are between an option and its value
    let gap = scanner.text.get(end..).unwrap_or_default();
    let behind = gap.strip_prefix("\",").or_else(|| gap.strip_prefix("',")).unwrap_or(gap);
    // `-password = "…"` is a setting, in a difference of two files
    let is_setting = behind.trim_start_matches([' ', '\t']).starts_with(['=', ':']);
    if len < MIN_NAME || !behind.starts_with([' ', '\t']) || is_setting {
        return;
    }
    let secrets = of_secrets(&named(scanner.text, end, false));
    if secrets.is_empty() {
        return;
    }
    scanner.count(MAX / 8);
    let from = end + gap.len() - behind.len();
    let Some(found) = place(scanner.text, from, false, false, MAX) else { return };
    let (Some(value), Some(next)) = (scanner.text.get(found.start..found.end), scanner.text.get(found.end..))
    else {
        return;
    };
    let is_word = !found.quoted && value.chars().all(char::is_alphabetic);
    if value.starts_with('-') || names_secret(value) || is_word && continues_sentence(next) {
        return;
    }
    scanner.states.labelled.done = found.end;
    secret::push(scanner, &secrets, found, (at, end));
}

/// Reads the string after the word `password` in SQL, or the word after it in a `.netrc`.
#[inline(never)]
fn password_word(scanner: &mut Scanner<'_>, start: usize, end: usize) {
    let Some(next) = scanner.text.get(end..) else { return };
    let Some(value) = next.strip_prefix(' ') else { return };
    let is_string = value.starts_with('\'');
    let is_login = || {
        let from = scanner.text.floor_char_boundary(start.saturating_sub(MAX_NAME + MIN_NAME));
        let mut words = scanner.text.get(from..start).unwrap_or_default().split_whitespace().rev().skip(1);
        words.next() == Some("login")
    };
    if is_string || is_login() {
        let Some(found) = place(scanner.text, end, false, false, MAX) else { return };
        secret_of_command(scanner, found, (start, end));
    }
}

/// Reads the string of `IDENTIFIED BY 'X'` and `IDENTIFIED WITH plugin BY 'X'` in SQL.
#[inline(never)]
fn identified(scanner: &mut Scanner<'_>, start: usize, end: usize) {
    let Some(clause) = scanner.text.get(end..scanner.text.floor_char_boundary(end + MAX_NAME)) else {
        return;
    };
    let Some(string) = clause.find(['\'', '"']) else { return };
    let before = clause.get(..string).unwrap_or_default().trim_end();
    let by = before.rsplit(' ').next().is_some_and(|by| {
        by.eq_ignore_ascii_case("by") || by.eq_ignore_ascii_case("as") || by.eq_ignore_ascii_case(LABEL)
    });
    if by && let Some(found) = place(scanner.text, end + string, false, false, MAX) {
        secret_of_command(scanner, found, (start, end));
    }
}

/// Whether the word after a value is one of a sentence, and not an option, a file or a host.
fn continues_sentence(next: &str) -> bool {
    let Some(next) = next.strip_prefix(' ') else { return next.starts_with(['.', ',', ')', '*']) };
    let word = next.split(char::is_whitespace).next().unwrap_or_default();
    let body = word.trim_end_matches(['.', ',', ')', ';', ':']);
    !body.is_empty() && body.chars().all(char::is_alphabetic) && !is_mixed(word)
}
