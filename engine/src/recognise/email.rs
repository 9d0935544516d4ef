//! Finds e-mail addresses from their `@` (RFC 5321 and 5322).
//!
//! Includes internationalised domains and local parts (RFC 6531), and addresses obfuscated against
//! harvesting: `jan (at) example (dot) com`.

use textveil_weights::prior as weights;

use super::{
    scan::Scanner,
    table::{Read, Recognise, WrittenValue},
};
use crate::{
    api::facts::Invalid,
    catalogue::{self, Detector},
    evidence::candidate::Verdict,
    phrase::{
        case::lower_text,
        work::{Stage, Work},
    },
    text::order,
};

/// Top-level domains of more than two letters (IANA root zone, the most used), sorted. Those of two letters
/// are country codes and all accepted.
const TLDS: &str = "academy aero agency app arpa art asia audio bank bar berlin best bike bio biz blog build business cafe camp \
    capital care cars cash cat center chat church city click clinic cloud club codes coffee com community company \
    computer consulting cool coop country credit dental design dev digital direct doctor domains earth edu education \
    email energy engineering enterprises estate events example exchange expert express family farm fashion finance \
    financial fit fitness foundation fun fund gallery games global gmbh gov group guide guru hamburg health help \
    home host hosting house icu immo inc info ink institute insurance int international investments jobs kitchen \
    land law legal life limited link live llc loan london ltd management market marketing media men mil mobi money \
    moscow museum name net network news ninja nyc one online org page paris partners party pharmacy photo \
    photography photos plus post praha press pro productions properties pub rehab rent report restaurant review \
    reviews rocks run saarland sale school science search services shop site ski social software solar solutions \
    space store studio style support swiss systems tax team tech technology tel test theater tips today tools top \
    tours town toys trade training travel tube university vet video vip vote wales watch website wien wiki win wine \
    work works world wtf xxx xyz yoga zone";

/// The longest local part and the longest domain, in bytes (RFC 5321 §4.5.3.1).
const MAX_LOCAL: usize = 64;
const MAX_DOMAIN: usize = 255;
/// The longest label of a domain, in bytes (RFC 1035 §2.3.4).
const MAX_LABEL: usize = 63;

/// An address, in bytes of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Email {
    pub start: usize,
    pub end: usize,
    /// Its top-level domain exists.
    pub known: bool,
}

/// The words in brackets for `@` and for a dot in an obfuscated address.
const AT: &str = "at";
const DOT: &str = "dot";

/// Returns the address around the sign at `at`, which is `@` or `(at)`. `None` if that is not part of an address.
pub(crate) fn around(text: &str, at: usize, work: &Work) -> Option<Email> {
    let (before, rest) = (text.get(..at)?, text.get(at..)?);
    if let Some(sign) = spelled(rest, AT) {
        let start = local_start(before.strip_suffix(' ').unwrap_or(before), work)?;
        let domain = hidden_domain(rest.get(sign..)?, work)?;
        return Some(Email { start, end: at + sign + domain, known: true });
    }
    let start = local_start(before, work)?;
    let sign = '@'.len_utf8();
    let domain = domain(rest.get(sign..)?, work)?;
    let end = at + sign + domain.len();
    // `git@host:path` is a remote, `user@host/` a URL's authority
    let remote = text.get(end..)?.strip_prefix(':').is_some_and(|path| {
        path.starts_with(|next: char| next.is_alphabetic() || next == '~' || next == '/')
    });
    let top = domain.rsplit('.').next()?;
    Some(Email { start, end, known: known_top(top) && !remote })
}

/// Returns an address in its plain form, in lower case.
pub(crate) fn normalized(written: &str) -> String {
    let lower = lower_text(written);
    let mut plain = String::new();
    let mut rest = lower.as_str();
    while let Some(letter) = rest.chars().next() {
        let sign = spelled(rest, AT).map(|length| (length, '@'));
        let sign = sign.or_else(|| Some((spelled(rest, DOT)?, '.')));
        let (length, letter) = sign.unwrap_or((letter.len_utf8(), letter));
        plain.push(letter);
        rest = rest.get(length..).unwrap_or_default();
    }
    plain
}

/// Returns the length of this word in brackets at the start of the text, including an optional space on each side.
fn spelled(text: &str, word: &str) -> Option<usize> {
    let bracketed = text.strip_prefix(' ').unwrap_or(text).strip_prefix(['(', '[', '{'])?;
    let (said, rest) = bracketed.split_at_checked(word.len())?;
    let rest = rest.strip_prefix([')', ']', '}']).filter(|_| said.eq_ignore_ascii_case(word))?;
    Some(text.len() - rest.strip_prefix(' ').unwrap_or(rest).len())
}

/// Returns the length of the domain of an obfuscated address at the start of the text.
///
/// Its dots may be words, and its top-level domain must exist.
fn hidden_domain(text: &str, work: &Work) -> Option<usize> {
    let (mut end, mut labels) = (0, 0);
    loop {
        let rest = text.get(end..)?;
        let label = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'-').count();
        labels += 1;
        work.add(Stage::Recognise, 2 + label);
        let behind = rest.get(label..)?;
        let dot = if behind.starts_with('.') { Some(1) } else { spelled(behind, DOT) };
        let goes_on = |dot: &usize| behind.as_bytes().get(*dot).is_some_and(u8::is_ascii_alphanumeric);
        if let Some(dot) = dot.filter(goes_on).filter(|_| label > 0 && end <= MAX_DOMAIN) {
            end += label + dot;
            continue;
        }
        let whole = labels > 1 && known_top(rest.get(..label)?) && !behind.starts_with(['_', '(', '@']);
        return whole.then_some(end + label);
    }
}

/// Returns the start of the local part that ends the text.
fn local_start(before: &str, work: &Work) -> Option<usize> {
    if before.ends_with('"') {
        work.add(Stage::Recognise, MAX_LOCAL.min(before.len()));
        return quoted_start(before);
    }
    let mut start = before.len();
    let spaced = !before.chars().next_back().is_some_and(is_unspaced);
    for (at, letter) in before.char_indices().rev() {
        // Chinese and Japanese have no space before an address
        if before.len() - at > MAX_LOCAL || !is_local(letter) || spaced && is_unspaced(letter) {
            break;
        }
        start = at;
    }
    let local = before.get(start..)?;
    work.add(Stage::Recognise, 2 + 2 * local.len());
    // a local part does not begin or end with punctuation or a dot
    let trimmed =
        local.trim_start_matches(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != '+');
    let longer = before
        .get(..start)?
        .chars()
        .next_back()
        .is_some_and(|letter| is_local(letter) && !is_unspaced(letter));
    (!trimmed.is_empty() && !local.ends_with(['.', '%']) && !local.contains("..") && !longer)
        .then(|| before.len() - trimmed.len())
}

/// Returns the start of a quoted local part that ends the text: `"john doe"@…`.
fn quoted_start(before: &str) -> Option<usize> {
    let inside = before.strip_suffix('"')?;
    let mut from = inside.len().saturating_sub(MAX_LOCAL);
    while !inside.is_char_boundary(from) {
        from += 1;
    }
    let open = from + inside.get(from..)?.rfind('"')?;
    let quoted = inside.get(open + 1..)?;
    (!quoted.is_empty() && !quoted.contains('\n')).then_some(open)
}

/// Letters of scripts that put no spaces between words: kana, Han, Hangul, Thai.
fn is_unspaced(letter: char) -> bool {
    matches!(letter, '\u{0e00}'..='\u{0e7f}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

fn is_local(letter: char) -> bool {
    letter.is_alphanumeric()
        || ('\u{300}'..='\u{36f}').contains(&letter)
        || matches!(letter, '.' | '_' | '%' | '+' | '-' | '\'' | '&' | '~')
}

/// Returns the domain at the start of the text: labels separated by dots, the last of which is a name.
fn domain<'t>(text: &'t str, work: &Work) -> Option<&'t str> {
    let spaced = !text.starts_with(is_unspaced);
    let end = text
        .char_indices()
        .find(|(at, letter)| {
            spaced && is_unspaced(*letter)
                || !(letter.is_alphanumeric() || matches!(letter, '.' | '-'))
                || *at > MAX_DOMAIN
        })
        .map_or(text.len(), |(at, _)| at);
    work.add(Stage::Recognise, 2 + 3 * end);
    let domain = text.get(..end)?.trim_end_matches(['.', '-']);
    let (mut at, mut whole) = (0, None);
    for label in domain.split('.') {
        if label.is_empty() || label.len() > MAX_LABEL || label.starts_with('-') || label.ends_with('-') {
            return None;
        }
        let is_name = label.starts_with("xn--")
            || label.chars().all(char::is_alphabetic) && label.chars().nth(1).is_some();
        // `jan@example.com.2` ends before the number
        if at > 0 && is_name {
            whole = domain.get(..at + label.len());
        }
        at += label.len() + 1;
    }
    whole
}

/// Whether a top-level domain exists.
pub(crate) fn known_top(top: &str) -> bool {
    let ascii = top.is_ascii();
    !ascii
        || top.len() == 2
        || top.starts_with("xn--")
        || order::find_word(TLDS, |known| {
            known.iter().copied().cmp(top.bytes().map(|byte| byte.to_ascii_lowercase()))
        })
        .is_some()
}

/// E-mail addresses.
pub(super) struct EmailAddresses;

impl Recognise for EmailAddresses {
    type State = ();

    const MARKS: &'static [u8] = b"@([{";
    const HAS_DOMAIN: bool = true;

    fn at_mark(scanner: &mut Scanner<'_>, at: usize, byte: u8) {
        if byte == b'@' {
            read(scanner, at);
        } else {
            read_hidden(scanner, at);
        }
    }

    fn judge(value: &WrittenValue<'_>) -> Result<Read, Invalid> {
        let text = value.text;
        let at = text.rfind('@').or_else(|| text.find(['(', '[', '{'])).ok_or(Invalid::Format)?;
        let found = around(text, at, &Work::default());
        value.valid_if(found.is_some_and(|email| email.start == 0 && email.end == text.len()))
    }

    fn normalized(_: &Detector, written: &str) -> Option<String> {
        Some(normalized(written))
    }
}

/// Reads an address from its `@`.
fn read(scanner: &mut Scanner<'_>, at: usize) {
    let (Some(email), Some(&index)) = (around(scanner.text, at, scanner.work), catalogue::EMAIL.first())
    else {
        return;
    };
    let shape = if email.known { weights::EMAIL } else { weights::EMAIL_UNKNOWN };
    scanner.push(index, email.start, email.end, Verdict::Valid, shape);
}

/// Reads an address with `(at)` instead of `@`.
fn read_hidden(scanner: &mut Scanner<'_>, at: usize) {
    if matches!(scanner.bytes.get(at + 1..at + 3), Some([b'a' | b'A', b't' | b'T'])) {
        read(scanner, at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        assert!(TLDS.split(' ').is_sorted());
        for (text, want) in [
            ("jan.novak@example.cz", Some("jan.novak@example.cz")),
            ("<jan@example.com>,", Some("jan@example.com")),
            ("Write to jan+tag@mail.example.co.uk.", Some("jan+tag@mail.example.co.uk")),
            ("\"jan novak\"@example.org", Some("\"jan novak\"@example.org")),
            ("müller@bücher.example", Some("müller@bücher.example")),
            ("用户@例子.公司", Some("用户@例子.公司")),
            ("mailto:a@b.de?subject=x", Some("a@b.de")),
            ("请联系jane@example.com谢谢", Some("jane@example.com")),
            ("jose\u{301}@example.com", Some("jose\u{301}@example.com")),
            ("'jan@example.com'", Some("jan@example.com")),
            ("user=jan@example.com", Some("jan@example.com")),
            ("jan@example.com-", Some("jan@example.com")),
            ("jan@example.com.2", Some("jan@example.com")),
            ("o'brien@example.ie", Some("o'brien@example.ie")),
            ("%PASS%@example.com", None),
            ("jan@localhost", None),
            ("@types/node", None),
            ("package@1.2.3", None),
            ("a..b@example.com", None),
            ("jan.@example.com", None),
            ("jan@-example.com", None),
            ("jan@@example.com", None),
        ] {
            let at = text.find('@').unwrap();
            let found = around(text, at, &Work::default()).map(|email| &text[email.start..email.end]);
            assert_eq!(found, want, "{text}");
        }
        for (text, want) in [
            ("jan.novak(at)example.cz", Some(("jan.novak(at)example.cz", "jan.novak@example.cz"))),
            ("write to Jan [AT] example [dot] com.", Some(("Jan [AT] example [dot] com", "jan@example.com"))),
            (
                "jan (at) mail.example(dot)org, or",
                Some(("jan (at) mail.example(dot)org", "jan@mail.example.org")),
            ),
            ("jan {at} example.com", Some(("jan {at} example.com", "jan@example.com"))),
            ("meet (at) noon", None),
            ("(at) example.com", None),
            ("the door (at) www", None),
            ("rest.split(at) rest.is_empty()", None),
            ("bytes[at].is_some", None),
            ("jan (at) example.com_x", None),
        ] {
            let at = text.find(['(', '[', '{']).unwrap();
            let found = around(text, at, &Work::default()).map(|email| &text[email.start..email.end]);
            assert_eq!(found, want.map(|(written, _)| written), "{text}");
            assert_eq!(found.map(normalized).as_deref(), want.map(|(_, plain)| plain), "{text}");
        }
        assert!(!around("git@github.com:org/repo", 3, &Work::default()).unwrap().known);
        assert!(!around("image@2x.png", 5, &Work::default()).unwrap().known);
    }
}
