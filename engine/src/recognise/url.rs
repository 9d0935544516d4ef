//! URLs, from their `://` or their `www.` (RFC 3986 as people write them).

use textveil_weights::prior as weights;

use super::{
    scan::{ScannedWord, Scanner},
    table::{Read, Recognise, WrittenValue},
};
use crate::{
    api::facts::{Facts, Invalid},
    catalogue,
    checks::reference::is_reference,
    evidence::candidate::{Candidate, Source, Verdict, weight_of},
    phrase::work::{Stage, Work},
    text::order::has_word,
};

/// The longest scheme, in bytes.
const MAX_SCHEME: usize = 20;
/// The shortest number that is a table cell of its own after a URL, in digits.
const NUMBER: usize = 7;

/// Returns the URL whose `://` is at `colon`, in bytes of the text.
pub(crate) fn around(text: &str, colon: usize) -> Option<(usize, usize)> {
    let before = text.get(..colon)?;
    let scheme_len = before
        .bytes()
        .rev()
        .take(MAX_SCHEME)
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'.' | b'-'))
        .count();
    let scheme = before.get(colon - scheme_len..)?;
    let scheme = scheme.trim_start_matches(|letter: char| !letter.is_ascii_alphabetic());
    if scheme.len() < 2 {
        return None;
    }
    let start = colon - scheme.len();
    let authority = colon + 3;
    let rest = text.get(authority..)?;
    if !rest.starts_with(|letter: char| letter.is_alphanumeric() || letter == '[') {
        return None;
    }
    let end = authority + tail(rest);
    (end > authority).then_some((start, end))
}

/// Whether a URL without a scheme starts with `www.` at `start`, and the end of the text that was read.
pub(crate) fn bare(text: &str, start: usize) -> (bool, usize) {
    let rest = text.get(start..).unwrap_or_default();
    let end = tail(rest);
    let host =
        rest.get(..end).and_then(|url| url.get(4..)).and_then(|host| host.split(['/', '?', '#', ':']).next());
    let found = host.is_some_and(|host| {
        let top = host.rsplit('.').next().unwrap_or_default();
        host.contains('.') && super::email::known_top(top)
    });
    (found, start + end.max(1))
}

/// Number of times that the bytes of a URL are read.
const READINGS: usize = 4;
/// The longest host of [`PROFILE_HOSTS`] or [`NETWORKS`] with its subdomain, in bytes.
const MAX_HOST: usize = 24;
/// The longest address of a profile, in bytes.
const MAX_PROFILE: usize = 256;

/// Returns the address without a scheme whose first `/` is at `slash`, if its host has profiles, and whether it is that
/// of a person: `linkedin.com/in/jane`, `t.me/jane`.
///
/// Not of hosts whose paths are packages more often: `github.com/foo`.
fn profile(text: &str, slash: usize, work: &Work) -> Option<(usize, usize, bool)> {
    let before = text.as_bytes().get(slash.saturating_sub(MAX_HOST + 1)..slash)?;
    let is_of_host = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
    let len = before.iter().rev().take_while(|byte| is_of_host(byte)).count();
    let start = slash - len;
    work.add(Stage::Recognise, 1 + len);
    // most words before a stroke have no dot
    let host = text.get(start..slash).filter(|host| host.contains('.'))?;
    let site = host.strip_prefix("www.").unwrap_or(host);
    // `pl.linkedin.com`
    let network = NETWORKS.split(' ').any(|network| {
        site.strip_suffix(network).is_some_and(|country| country.is_empty() || country.ends_with('.'))
    });
    let is_profile_host = network || has_word(PROFILE_HOSTS, site) && !has_word(PACKAGE_HOSTS, site);
    let touched = text.get(..start)?.ends_with(['/', '@', '_', '=']) || start > 0 && len > MAX_HOST;
    if !is_profile_host || touched {
        return None;
    }
    let read = text.floor_char_boundary(start + MAX_PROFILE);
    let rest = text.get(start..read)?;
    let end = start + tail(rest.split([',', ';']).next().unwrap_or(rest));
    work.add(Stage::Recognise, READINGS * (end - start));
    Some((start, end, is_personal(text.get(start..end)?)))
}

/// Returns the end of the URL at the start of the text: before a space, a quote or a bracket, and before the
/// punctuation of the surrounding sentence.
fn tail(text: &str) -> usize {
    let stop = |letter: char| {
        letter.is_whitespace()
            || matches!(
                letter,
                '"' | '<' | '>' | '`' | '{' | '}' | '|' | '\\' | '^' | '„' | '“' | '”' | '»' | '«'
            )
    };
    let url = text.find(stop).and_then(|end| text.get(..end)).unwrap_or(text);
    let mut url = cell_end(url).and_then(|end| url.get(..end)).unwrap_or(url);
    let (mut open, mut close) = (count(url, '(') + count(url, '['), count(url, ')') + count(url, ']'));
    while let Some(last) = url.chars().next_back() {
        match last {
            '.' | ',' | ';' | ':' | '!' | '?' | '\'' | '*' => {}
            ')' | ']' if close > open => close -= 1,
            '(' | '[' => open -= 1,
            _ => break,
        }
        url = url.strip_suffix(last).unwrap_or_default();
    }
    url.len()
}

/// Returns the end of a URL that is a cell of a row such as `https://example.com/a;jan@example.com`.
///
/// The cell ends at a separator before another cell. A parameter such as `;version=2` is not a cell, nor is
/// text after a comma within a URL.
fn cell_end(url: &str) -> Option<usize> {
    let mut marks = url.match_indices([';', ',']);
    let ends = marks.find(|(at, mark)| {
        let (before, behind) = url.split_at_checked(*at).unwrap_or_default();
        let behind = behind.get(1..).unwrap_or_default();
        let next = behind.split([';', ',']).next().unwrap_or_default();
        let digits = next.strip_prefix('+').unwrap_or(next);
        let number = digits.len() >= NUMBER && digits.bytes().all(|byte| byte.is_ascii_digit());
        // `?a=1&amp;b=2`
        let word = before.rsplit(|letter: char| !letter.is_ascii_alphanumeric()).next().unwrap_or_default();
        let escaped = before.strip_suffix(word).is_some_and(|before| before.ends_with(['&', '#']));
        let plain = |letter: char| letter.is_alphanumeric() || matches!(letter, '.' | '-' | ':' | '\'' | '_');
        let date = |letter: char| letter.is_ascii_digit() || letter == '/';
        let cell = *mark == ";" && !escaped && (next.chars().all(plain) || next.chars().all(date));
        number || cell || next.contains("://") || next.contains('@') && next.contains('.')
    });
    ends.map(|(at, _)| at)
}

fn count(text: &str, letter: char) -> usize {
    text.matches(letter).count()
}

/// Hosts whose first path segment is a profile.
const PROFILE_HOSTS: &str = "bsky.app calendly.com cash.app facebook.com fb.com github.com gitlab.com instagram.com keybase.io \
                             linktr.ee ok.ru orcid.org paypal.me pinterest.com snapchat.com soundcloud.com t.me threads.net \
                             tiktok.com twitch.tv twitter.com venmo.com vk.com wa.me x.com youtube.com";
/// Those of them where a path is a package more often than a profile.
const PACKAGE_HOSTS: &str = "github.com gitlab.com";
/// Hosts whose profiles have a segment of their own in front: `/in/jane`.
const NETWORKS: &str = "linkedin.com xing.com";
/// First path segments of such hosts that are pages of the host.
const HOST_PAGES: &str = "about add channel explore features feed hashtag help home intent jobs login p privacy reel search \
                          settings share signup terms topics trending watch";
/// Path segments before the name of a person or an account.
const PROFILE_SEGMENTS: &str = "account accounts author customer customers in member members patient patients people person \
                                profile profiles u user users";
/// Names of parameters with personal data or a credential.
const PERSONAL_PARAMETERS: &str = "access_token account apikey api_key auth birthdate code_verifier customer customer_id dob \
                                   email e_mail first_name id_token jwt key last_name login mail mobile msisdn name passwd \
                                   password phone pwd refresh_token secret session session_id sessionid sid sig signature ssn \
                                   tel token uid user user_id userid username";
/// The shortest opaque value that is a token, in characters.
const OPAQUE: usize = 20;

/// Whether a URL carries personal data: user information, an e-mail address, a token, or the path of a profile.
///
/// Identifiers within it are for their own detectors to find.
pub(crate) fn is_personal(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let (authority, rest) =
        rest.split_at_checked(rest.find(['/', '?', '#']).unwrap_or(rest.len())).unwrap_or((rest, ""));
    let (userinfo, host) = authority.rsplit_once('@').unwrap_or(("", authority));
    // `postgres://app:$DB_PASSWORD@db` is the account of a program
    let refers = userinfo.split_once(':').is_some_and(|(_, password)| is_reference(password));
    if !userinfo.is_empty() && !refers {
        return true;
    }
    let host = host.split(':').next().unwrap_or_default();
    let host = host.strip_prefix("www.").unwrap_or(host);
    let (path, query) =
        rest.split_at_checked(rest.find(['?', '#']).unwrap_or(rest.len())).unwrap_or((rest, ""));
    has_email(rest) || has_profile(host, path) || query.split(['?', '#', '&', ';']).any(is_personal_parameter)
}

/// Whether the path or the query contains an e-mail address.
fn has_email(rest: &str) -> bool {
    let word = |letter: char| letter.is_alphanumeric();
    let is_email = |part: &str| {
        let Some((before_dot, _)) = part.rsplit_once('.') else { return false };
        before_dot.match_indices('@').any(|(at, sign)| {
            part.get(..at).is_some_and(|before| before.ends_with(word))
                && part.get(at + sign.len()..).is_some_and(|behind| behind.starts_with(word))
        })
    };
    rest.split(['/', '?', '&', '#', ';', ',']).any(is_email)
}

/// Whether a path is that of a person or an account: `/in/jane`, `/@jane`, `/~jane`, or the only segment on a social network.
fn has_profile(host: &str, path: &str) -> bool {
    let mut segments = path.split('/').filter(|segment| !segment.is_empty()).peekable();
    let first = segments.peek().copied().unwrap_or_default();
    // `@scope%2fname` is a package
    let named = |segment: &str| segment.starts_with(char::is_alphabetic) && !segment.contains('%');
    if first.strip_prefix(['@', '~']).is_some_and(named) {
        return true;
    }
    let count = segments.clone().take(2).count();
    if count == 1 && has_word(PROFILE_HOSTS, host) && !has_word(HOST_PAGES, first) {
        return true;
    }
    let mut before = "";
    segments.any(|segment| {
        let led = has_word(PROFILE_SEGMENTS, before) && !segment.contains('.');
        before = segment;
        led
    })
}

/// Whether a parameter is named like personal data, or has an opaque value as long as a token.
fn is_personal_parameter(parameter: &str) -> bool {
    let (name, value) = parameter.split_once('=').unwrap_or(("", parameter));
    let has = |class: fn(&u8) -> bool| value.as_bytes().iter().any(class);
    let opaque = value.len() >= OPAQUE
        && value
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~' | b'%'))
        && has(u8::is_ascii_digit)
        && (has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase)
            || value.bytes().all(|byte| byte.is_ascii_hexdigit()));
    !value.is_empty() && (opaque || has_word(PERSONAL_PARAMETERS, name))
}

/// Whether `//` follows a colon, so that a scheme precedes it.
pub(super) fn begins_authority(text: &[u8], colon: usize) -> bool {
    text.get(colon + 1..colon + 3) == Some(b"//")
}

/// URLs, and addresses of profiles without a scheme.
pub(super) struct UrlValues;

/// The ends of the text that was read, so that no text is read twice.
#[derive(Default)]
pub(super) struct UrlState {
    pub done: usize,
    profile: usize,
}

impl Recognise for UrlValues {
    type State = UrlState;

    const MARKS: &'static [u8] = b":/";
    const HAS_DOMAIN: bool = true;

    fn at_mark(scanner: &mut Scanner<'_>, at: usize, byte: u8) {
        if at < scanner.states.url.done {
            return;
        }
        if byte == b'/' {
            read_profile(scanner, at);
        } else if begins_authority(scanner.bytes, at) {
            read_schemed(scanner, at);
        }
    }

    #[inline(always)]
    fn at_atom(scanner: &mut Scanner<'_>, word: ScannedWord) {
        let ScannedWord { start, end, .. } = word;
        if end - start == 3
            && start >= scanner.states.url.done
            && scanner.text.get(start..end).is_some_and(|word| word.eq_ignore_ascii_case("www"))
        {
            read_bare(scanner, start);
        }
    }

    fn judge(value: &WrittenValue<'_>) -> Result<Read, Invalid> {
        let text = value.text;
        let schemed = text.find("://").and_then(|colon| around(text, colon));
        let is_url = schemed == Some((0, text.len()))
            || text.starts_with("www.") && bare(text, 0) == (true, text.len());
        value.valid_if(is_url)
    }
}

/// Reads a URL from the colon of its scheme.
fn read_schemed(scanner: &mut Scanner<'_>, colon: usize) {
    scanner.count(MAX_SCHEME);
    if let Some((start, end)) = around(scanner.text, colon) {
        scanner.count(READINGS * (end - start));
        scanner.states.url.done = end;
        push(scanner, start, end);
    }
}

/// Reads a URL without a scheme from its `www`.
fn read_bare(scanner: &mut Scanner<'_>, start: usize) {
    let (found, end) = bare(scanner.text, start);
    scanner.count(READINGS * (end - start));
    scanner.states.url.done = end;
    if found {
        push(scanner, start, end);
    }
}

/// Reads the profile of a person whose host ends at `slash`.
fn read_profile(scanner: &mut Scanner<'_>, slash: usize) {
    if slash < scanner.states.url.profile {
        return;
    }
    if let Some((start, end, is_personal)) = profile(scanner.text, slash, scanner.work) {
        // no other one is within it
        scanner.states.url.profile = end;
        if is_personal {
            scanner.states.url.done = end;
            push(scanner, start, end);
        }
    }
}

/// Adds a URL as a candidate.
fn push(scanner: &mut Scanner<'_>, start: usize, end: usize) {
    let Some(&index) = catalogue::URL.first() else { return };
    let Some(detector) = catalogue::detector(index) else { return };
    let written = scanner.text.get(start..end).unwrap_or_default();
    scanner.keep(Candidate {
        verdict: Verdict::Valid,
        shape: detector.prior().unwrap_or(weights::URL),
        check: weight_of(Verdict::Valid, detector, &Facts::default(), 0),
        impersonal: !is_personal(written),
        ..Candidate::new(Source::Catalogue(index), start, end)
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_that_carry_personal_data() {
        for (url, personal) in [
            ("https://en.wikipedia.org/wiki/Rust", false),
            ("https://example.com", false),
            ("https://example.com/search?q=rust&page=2", false),
            ("https://example.com/a#section-2", false),
            ("https://github.com/rust-lang/rust/blob/3f9d2c1b8a7e6f5d4c3b2a1908f7e6d5c4b3a291/x.rs", false),
            ("https://www.youtube.com/watch?v=dQw4w9WgXcQ", false),
            ("https://www.npmjs.com/package/@types/node", false),
            ("https://www.google.com/maps/@50.08,14.4378,15z", false),
            ("https://example.com/users.html", false),
            ("https://example.com/users/", false),
            ("https://jan@example.com/a", true),
            ("postgres://user:secret@db:5432/x", true),
            ("postgres://app:$DB_PASSWORD@db:5432/x", false),
            ("https://example.com/?mail=jane@example.com", true),
            ("https://example.com/reset?e=jane@example.com", true),
            ("https://example.com/?access_token=x1", true),
            ("https://example.com/reset?r=Zx81Kd92mQp04Lr7Vb3n", true),
            ("https://example.com/#3f9d2c1b8a7e6f5d4c3b2a19", true),
            ("https://www.linkedin.com/in/jane-novak", true),
            ("https://t.me/janenovak", true),
            ("https://github.com/janenovak", true),
            ("https://social.example/@jane", true),
            ("http://example.edu/~jane/index.html", true),
            ("https://example.com/users/42?tab=orders", true),
        ] {
            assert_eq!(is_personal(url), personal, "{url}");
        }
    }

    #[test]
    fn urls() {
        for (text, want) in [
            ("see https://example.com/a?b=c#d.", Some("https://example.com/a?b=c#d")),
            ("(https://example.com/wiki/A_(b))", Some("https://example.com/wiki/A_(b)")),
            ("postgres://user:secret@db:5432/x", Some("postgres://user:secret@db:5432/x")),
            ("\"ftp://example.org\",", Some("ftp://example.org")),
            ("http://[2001:db8::1]/", Some("http://[2001:db8::1]/")),
            ("https://пример.испытание/путь", Some("https://пример.испытание/путь")),
            ("https://example.com/a;jan@example.com", Some("https://example.com/a")),
            ("https://example.com/a,jan@example.com,1", Some("https://example.com/a")),
            ("https://example.com/a;4111111111111111", Some("https://example.com/a")),
            ("https://example.com/a,+420601123456", Some("https://example.com/a")),
            ("https://example.com/a,https://example.com/b", Some("https://example.com/a")),
            ("https://example.com/a;;x", Some("https://example.com/a")),
            ("https://example.com/a;Jan;Novák", Some("https://example.com/a")),
            ("https://example.com/a;16/05/2021;x", Some("https://example.com/a")),
            ("https://example.com/?a=b;%0Ac;+d", Some("https://example.com/?a=b;%0Ac;+d")),
            ("https://example.com/a;v=1;w=2/b", Some("https://example.com/a;v=1;w=2/b")),
            ("https://example.com/?a=1&amp;b=2", Some("https://example.com/?a=1&amp;b=2")),
            ("https://example.com/@50.08,14.4378,15z", Some("https://example.com/@50.08,14.4378,15z")),
            ("https://example.com/a,b/c,123.html", Some("https://example.com/a,b/c,123.html")),
            ("a://b", None),
            ("://example.com", None),
            ("http:// example", None),
        ] {
            let found = around(text, text.find("://").unwrap()).map(|(start, end)| &text[start..end]);
            assert_eq!(found, want, "{text}");
        }
        for (text, want) in [
            ("see linkedin.com/in/jane-novak, or", Some("linkedin.com/in/jane-novak")),
            ("pl.linkedin.com/in/jane", Some("pl.linkedin.com/in/jane")),
            ("(t.me/janenovak)", Some("t.me/janenovak")),
            ("instagram.com/explore", None),
            ("import github.com/foo", None),
            ("notlinkedin.com/in/jane", None),
            ("linkedin.com/company/acme", None),
            ("https://t.me/jane", None),
            ("a/b", None),
        ] {
            let slashes = text.match_indices('/').filter_map(|(at, _)| profile(text, at, &Work::default()));
            let found =
                slashes.filter(|(.., is_personal)| *is_personal).map(|(start, end, _)| &text[start..end]);
            assert_eq!(found.collect::<Vec<_>>(), want.into_iter().collect::<Vec<_>>(), "{text}");
        }
        assert_eq!(bare("www.example.com/x, or", 0), (true, 17));
        assert_eq!(bare("www.example", 0), (false, 11));
    }
}
