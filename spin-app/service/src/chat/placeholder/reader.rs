//! Finds placeholders in text, as the gateway writes them and as models distort them.

use textveil_restore::entities;

use super::ID_DIGITS;

/// The longest name between brackets, in bytes: models write longer ids than the gateway.
const MAX_NAME: usize = 96;
/// The maximum number of marks inserted into a placeholder by a model.
const MAX_MARKS: usize = 12;
/// The minimum length of an id in a placeholder.
const MIN_ID: usize = 6;

/// A part of a text.
pub(in crate::chat) enum Piece<'t> {
    /// Text without placeholders.
    Text(&'t str),
    /// A name that looks like a placeholder.
    Name {
        /// The text between the brackets, in lower case and unescaped.
        name: String,
        /// The whole placeholder, as written.
        written: &'t str,
        /// It has the gateway's form, except for letter case and escapes.
        is_exact: bool,
    },
}

/// Finds placeholders in a text that arrives in pieces. It holds back only text that may still become one.
#[derive(Default)]
pub(in crate::chat) struct Reader {
    held: String,
    /// The last character before the held text.
    last: Option<char>,
}

impl Reader {
    /// Adds a piece and emits the parts that are certain.
    pub fn push(&mut self, chunk: &str, take: &mut impl FnMut(Piece<'_>)) {
        self.read(chunk, false, take);
    }

    /// Emits the rest.
    pub fn finish(&mut self, take: &mut impl FnMut(Piece<'_>)) {
        self.read("", true, take);
    }

    /// Returns the held text; it begins like a placeholder, or a distorted form of it.
    pub fn held(&self) -> &str {
        &self.held
    }

    fn read(&mut self, chunk: &str, ends: bool, take: &mut impl FnMut(Piece<'_>)) {
        let mut text = std::mem::take(&mut self.held);
        text.push_str(chunk);
        let mut rest = text.as_str();
        let mut from = 0;
        while let Some(at) = rest.get(from..).and_then(|after| after.find(may_begin)).map(|at| from + at) {
            let (before, here) = rest.split_at_checked(at).unwrap_or((rest, ""));
            let last = before.chars().next_back().or(self.last);
            match seen(here, last, ends) {
                Seen::Partial if !ends => {
                    self.give(before, take);
                    here.clone_into(&mut self.held);
                    return;
                }
                Seen::Partial | Seen::Other => from = at + here.chars().next().map_or(1, char::len_utf8),
                Seen::Name { name, len, is_exact, brackets } => {
                    let own = brackets.unwrap_or_default();
                    let (start, end) = (at + own, at + len - own);
                    self.give(rest.get(..start).unwrap_or_default(), take);
                    let written = rest.get(start..end).unwrap_or_default();
                    take(Piece::Name { name, written, is_exact });
                    self.last = written.chars().next_back();
                    (rest, from) = (rest.get(end..).unwrap_or_default(), 0);
                }
            }
        }
        self.give(rest, take);
    }

    fn give(&mut self, text: &str, take: &mut impl FnMut(Piece<'_>)) {
        if !text.is_empty() {
            self.last = text.chars().next_back();
            take(Piece::Text(text));
        }
    }
}

/// Whether a character may begin a placeholder, or a distorted form of it.
fn may_begin(first: char) -> bool {
    matches!(first, '[' | '\\' | '%' | '&' | '<' | '{' | '【') || first.is_ascii_uppercase()
}

/// The kinds of beginnings of a text.
#[derive(Debug, PartialEq)]
enum Seen {
    Name {
        name: String,
        len: usize,
        /// It has the gateway's form, except for letter case and escapes.
        is_exact: bool,
        /// The length of a Markdown link's text whose single brackets these are.
        brackets: Option<usize>,
    },
    /// The text so far may become a placeholder.
    Partial,
    Other,
}

/// One character of a placeholder, escaped or not.
enum Unit {
    One {
        letter: u8,
        len: usize,
    },
    /// A letter that the gateway's placeholders do not contain, such as one of a translated type.
    Letter {
        letter: char,
        len: usize,
    },
    /// A mark that models insert: spaces, hyphens, Markdown marks, invisible characters.
    Mark {
        len: usize,
    },
    Partial,
    Other,
}

/// Reads the character at the start of the text: unescaped, escaped in JSON (`\u005b`), or, for `[`, `]` and
/// `_`, in Markdown (`\[`), HTML (`&#91;`) or a URL (`%5B`).
fn unit(text: &str) -> Unit {
    let bytes = text.as_bytes();
    match (bytes.first(), bytes.get(1)) {
        (None, _) | (Some(b'\\'), None) => Unit::Partial,
        (Some(b'\\'), Some(b'u')) => {
            let hex = bytes.get(2..bytes.len().min(6)).unwrap_or_default();
            let number = std::str::from_utf8(hex).ok().and_then(|hex| u8::from_str_radix(hex, 16).ok());
            // placeholders are ASCII: `\u00` and two digits
            let fits = hex.iter().take(2).all(|digit| *digit == b'0')
                && hex.iter().all(u8::is_ascii_hexdigit)
                && hex.get(2).is_none_or(|digit| *digit < b'8');
            match (fits, hex.len(), number) {
                (true, 4, Some(letter)) => Unit::One { letter, len: 6 },
                (true, 0..4, _) => Unit::Partial,
                _ => Unit::Other,
            }
        }
        (Some(b'\\'), Some(letter @ (b'[' | b']' | b'_'))) => Unit::One { letter: *letter, len: 2 },
        (Some(b'\\'), Some(_)) => Unit::Other,
        (Some(b'%'), None) => Unit::Partial,
        (Some(b'%'), Some(b'5')) => match bytes.get(2) {
            None => Unit::Partial,
            Some(b'B' | b'b') => Unit::One { letter: b'[', len: 3 },
            Some(b'D' | b'd') => Unit::One { letter: b']', len: 3 },
            Some(b'F' | b'f') => Unit::One { letter: b'_', len: 3 },
            Some(_) => Unit::Other,
        },
        (Some(b'&'), _) => match entities::read(text) {
            // its semicolon may follow
            Some((_, len)) if len == text.len() && !text.ends_with(';') => Unit::Partial,
            Some(('[', len)) => Unit::One { letter: b'[', len },
            Some((']', len)) => Unit::One { letter: b']', len },
            Some(('_', len)) => Unit::One { letter: b'_', len },
            Some(_) => Unit::Other,
            None if entities::may_begin(text) => Unit::Partial,
            None => Unit::Other,
        },
        (Some(b' ' | b'*' | b'`' | b'-'), _) => Unit::Mark { len: 1 },
        (Some(letter), _) if letter.is_ascii() => Unit::One { letter: *letter, len: 1 },
        (Some(_), _) => match text.chars().next() {
            Some(mark) if is_invisible(mark) || mark == '\u{a0}' => Unit::Mark { len: mark.len_utf8() },
            Some(letter) if letter.is_alphabetic() => Unit::Letter { letter, len: letter.len_utf8() },
            _ => Unit::Other,
        },
    }
}

/// Returns what the text behind a character begins with: `[[TYPE_xxxxxx]]`, or a distorted form of it.
fn seen(text: &str, last: Option<char>, ends: bool) -> Seen {
    match text.chars().next() {
        Some('<') => return within(text, '<', '>'),
        Some('{') => return within(text, '{', '}'),
        Some('【') => return within(text, '【', '】'),
        Some(first) if first.is_ascii_uppercase() => {
            let begins_word = last.is_none_or(|last| !last.is_alphanumeric() && last != '_');
            return if begins_word { bare(text, ends) } else { Seen::Other };
        }
        _ => {}
    }
    let at = |len: usize| text.get(len..).unwrap_or_default();
    let opening = match unit(text) {
        Unit::One { letter: b'[', len } => len,
        Unit::Partial => return Seen::Partial,
        _ => return Seen::Other,
    };
    let mut len = opening + invisible(at(opening));
    let is_double = match unit(at(len)) {
        Unit::One { letter: b'[', len: second } if second == opening => {
            len += second;
            true
        }
        // a backslash before the brackets may belong to the text: `DOMAIN\[[NAME_…]]`
        Unit::One { letter: b'[', .. } => return Seen::Other,
        Unit::Partial => return Seen::Partial,
        _ => false,
    };
    let (mut name, mut is_exact, mut marks) = (String::new(), is_double && len == 2 * opening, 0);
    let closing = loop {
        match unit(at(len)) {
            Unit::One { letter, len: more } if letter.is_ascii_alphanumeric() || letter == b'_' => {
                name.push(char::from(letter));
                len += more;
            }
            Unit::One { letter: b']', len: more } => break more,
            Unit::Letter { letter, len: more } if is_double => {
                is_exact = false;
                name.extend(letter.to_lowercase());
                len += more;
            }
            Unit::Mark { len: more } if is_double || invisible(at(len)) > 0 => {
                is_exact = false;
                marks += 1;
                len += more;
            }
            Unit::Partial => return Seen::Partial,
            _ => return Seen::Other,
        }
        if name.len() > MAX_NAME || marks > MAX_MARKS {
            return Seen::Other;
        }
    };
    let inner = len;
    len += closing;
    len += invisible(at(len));
    let is_closed = match unit(at(len)) {
        Unit::One { letter: b']', len: more } => {
            len += more;
            true
        }
        Unit::Partial if !ends => return Seen::Partial,
        _ => false,
    };
    is_exact &= is_closed && inner + 2 * closing == len;
    let is_ours = if is_exact { is_name(&name) } else { has_id(&name) };
    if !is_ours {
        return Seen::Other;
    }
    name.make_ascii_lowercase();
    let is_link = !is_double && !is_closed && at(len).starts_with(['(', '[', ':']);
    Seen::Name { name, len, is_exact, brackets: is_link.then_some(opening) }
}

/// Reads a placeholder in other brackets, one or two: `<TYPE_xxxxxx>`, `{{TYPE_xxxxxx}}`, `【TYPE_xxxxxx】`.
fn within(text: &str, opens: char, closes: char) -> Seen {
    let count = text.chars().take(2).take_while(|letter| *letter == opens).count();
    let start = count * opens.len_utf8();
    let rest = text.get(start..).unwrap_or_default();
    let len = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    let (name, behind) = rest.split_at_checked(len).unwrap_or_default();
    let closed = behind.chars().take_while(|letter| *letter == closes).take(count).count();
    match (closed == count, behind.chars().nth(closed)) {
        _ if len > MAX_NAME => Seen::Other,
        (true, _) if has_id(name) => {
            let len = start + len + count * closes.len_utf8();
            Seen::Name { name: name.to_ascii_lowercase(), len, is_exact: false, brackets: None }
        }
        (false, None) => Seen::Partial,
        _ => Seen::Other,
    }
}

/// Reads a placeholder without brackets, exactly as it was between them: `TYPE_xxxxxx`.
fn bare(text: &str, ends: bool) -> Seen {
    let len = text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    let (name, behind) = text.split_at_checked(len).unwrap_or((text, ""));
    let (kind, id) = name.rsplit_once('_').unwrap_or((name, ""));
    let may_be = len <= MAX_NAME
        && id.len() <= ID_DIGITS
        && !kind.bytes().any(|byte| byte.is_ascii_lowercase())
        && id.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'2'..=b'7'));
    match behind.chars().next() {
        _ if !may_be => Seen::Other,
        None if !ends => Seen::Partial,
        Some(letter) if letter.is_alphanumeric() => Seen::Other,
        _ if id.len() == ID_DIGITS => {
            Seen::Name { name: name.to_ascii_lowercase(), len, is_exact: false, brackets: None }
        }
        _ => Seen::Other,
    }
}

/// Returns the length of the invisible characters at the start of a text.
fn invisible(text: &str) -> usize {
    text.chars().take_while(|letter| is_invisible(*letter)).map(char::len_utf8).sum()
}

fn is_invisible(letter: char) -> bool {
    matches!(letter, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

/// Returns the type in a name, with its underscores.
pub(super) fn name_of(name: &str) -> String {
    name.rsplit_once('_').map_or(name, |(kind, _)| kind).to_owned()
}

/// Whether a name ends with an id of the gateway's form, whatever its type.
fn has_id(name: &str) -> bool {
    split_id(name).is_some_and(|(kind, id)| {
        !kind.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'2'..=b'7'))
    })
}

/// Returns the letters of a type and the id after them, without separators.
pub(super) fn split_id(name: &str) -> Option<(String, String)> {
    let compact: String = name.chars().filter(|letter| letter.is_alphanumeric()).collect();
    let (kind, id) = compact.split_at_checked(compact.len().checked_sub(ID_DIGITS)?)?;
    id.is_ascii().then(|| (kind.to_lowercase(), id.to_ascii_lowercase()))
}

/// Whether a name has the form of a placeholder: the gateway's form with an id of any length, or another
/// letter case with an id of the right length. `[[my_documents]]` is a wiki link.
fn is_name(name: &str) -> bool {
    let Some((kind, id)) = name.rsplit_once('_') else { return false };
    let exact = !kind.bytes().any(|byte| byte.is_ascii_lowercase())
        && !id.bytes().any(|byte| byte.is_ascii_uppercase());
    let ours = id.len() == ID_DIGITS
        && id.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'2'..=b'7'));
    !kind.is_empty() && id.len() >= MIN_ID && (exact || ours)
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns the reader's output for a text in these pieces.
    pub fn read(pieces: &[&str]) -> (String, Vec<String>) {
        let (mut text, mut names) = (String::new(), Vec::new());
        let mut take = |piece: Piece<'_>| match piece {
            Piece::Text(piece) => text.push_str(piece),
            Piece::Name { name, written, .. } => {
                text.push_str(written);
                names.push(name);
            }
        };
        let mut reader = Reader::default();
        pieces.iter().for_each(|piece| reader.push(piece, &mut take));
        reader.finish(&mut take);
        (text, names)
    }

    #[test]
    fn a_reader_holds_only_what_may_become_a_placeholder() {
        for (text, given) in [
            ("plain", "plain"),
            ("a [", "a "),
            ("a [[", "a "),
            ("a [b", "a "),
            ("a [b c", "a [b c"),
            ("a [b](", "a [b]("),
            ("a [[EMAIL_abc", "a "),
            ("a [[EMAIL_abc d", "a "),
            ("a [[EMAIL_abc d.", "a [[EMAIL_abc d."),
            ("a [[EMAIL_abcdefghij]", "a "),
            ("a \\u00", "a "),
            ("a \\n", "a \\n"),
            ("100 %", "100 "),
            ("100 % a", "100 % a"),
            ("q=%5B%5bEM", "q="),
            ("á[[é", "á"),
            ("á[[é!", "á[[é!"),
            ("I am A", "I am "),
            ("the Th", "the Th"),
            ("to EMAIL_ab", "to "),
            ("to EMAIL_abcdefghijkl", "to EMAIL_abcdefghijkl"),
            ("a <EM", "a "),
            ("a <b c", "a <b c"),
            ("{\"to\": ", "{\"to\": "),
        ] {
            let mut out = String::new();
            let mut reader = Reader::default();
            reader.push(text, &mut |piece| {
                if let Piece::Text(text) = piece {
                    out.push_str(text);
                }
            });
            assert_eq!(out, given, "{text}");
        }
    }

    proptest! {
        #[test]
        fn pieces_do_not_matter(
            words in prop::collection::vec(
                prop::sample::select(vec![
                    "[", "[[", "]]", "]", "\\", "\\u005b", "\\[", "EMAIL_", "abcdefghij", "[[EMAIL_abcdefghij]]",
                    "[[email_ABCDEFGHIJ]]", "é", "👩", " ", "\\u005b\\u005bEMAIL_abcdefghij\\u005d]", "_",
                ]),
                0..12,
            ),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
        ) {
            let text = words.concat();
            let whole = read(&[&text]);
            prop_assert_eq!(&whole.0, &text);
            let mut places: Vec<usize> = cuts
                .iter()
                .map(|cut| text.floor_char_boundary(cut.index(text.len() + 1)))
                .chain([0, text.len()])
                .collect();
            places.sort_unstable();
            let pieces: Vec<&str> = places.windows(2).map(|pair| text.get(pair[0]..pair[1]).unwrap()).collect();
            prop_assert_eq!(read(&pieces), whole);
        }
    }
}
