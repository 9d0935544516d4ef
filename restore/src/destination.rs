//! Decides by its destination whether a value may be restored in a text.
//!
//! A value is restored in text. Inside a construct that names a host it is restored only if that host is allowed: a
//! page that shows the construct, or a reader who follows it, sends the value there. The constructs are URLs with a
//! scheme, `//host`, bare hosts before a path, destinations of Markdown, attributes, and `url()` of style sheets.
//! Programs disagree on where these end, so the latest end holds: a word ends at white space, an attribute at its
//! quotation mark, a link at its parenthesis.
//!
//! One pass, one letter at a time: the verdicts depend on the text and not on its pieces. A construct is a level
//! ([`Reach`]), not a text; only an unfinished host or recipient is kept, at most [`MAX_HOST`] bytes of it.

use std::{collections::VecDeque, mem, ops::Range};

use crate::{
    encoding::Encoding,
    hosts::{Hosts, host_of, is_host_letter, is_named_host},
    letters::{Letter, Letters},
};

/// The longest authority, host or recipient that is read, in bytes. A longer one is a foreign host.
const MAX_HOST: usize = 512;
/// The longest name of a tag that is kept, in bytes.
const MAX_NAME: usize = 16;
/// Schemes that browsers read with any number of slashes.
const SPECIAL: [&str; 5] = ["http", "https", "ws", "wss", "ftp"];
/// Schemes that address a person.
const PERSONAL: [&str; 9] = ["mailto", "tel", "sms", "smsto", "callto", "facetime", "sip", "sips", "xmpp"];
/// Schemes whose content is run.
const CODE: [&str; 2] = ["javascript", "vbscript"];
/// Elements whose content is sent with a form.
const CONTROLS: [&str; 6] = ["input", "button", "textarea", "select", "option", "output"];
/// Stands for a value in the text of a recipient.
const VALUE: char = '\u{1}';

/// The verdict on a placeholder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// It is replaced by its value.
    Restore(Encoding),
    /// It stays.
    Withhold,
}

/// The end of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Something else of the answer may follow it: a part, another event.
    Part,
    /// Nothing can follow it, such as the quotation mark of a string of JSON.
    Whole,
}

/// The hosts of a construct.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Reach {
    /// It names none: it is text.
    #[default]
    Nobody,
    Allowed,
    Foreign,
}

/// The source of a letter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    /// The text, as it is.
    Raw,
    /// An escape in the text.
    Escape,
    /// A value.
    Value,
}

/// The item before a letter.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Before {
    #[default]
    Start,
    Raw(char),
    Escape(char),
    Value,
}

impl Before {
    fn is(self, letter: char) -> bool {
        matches!(self, Self::Raw(own) | Self::Escape(own) if own == letter)
    }

    fn quote(self) -> Option<char> {
        match self {
            Self::Raw(letter @ ('"' | '\'' | '`')) => Some(letter),
            _ => None,
        }
    }
}

/// A value that is not decided.
#[derive(Clone, Copy)]
struct Placed {
    verdict: Verdict,
    /// The number of unfinished hosts and recipients that it is part of.
    holds: u8,
}

/// A value, or a part of it, in a host.
#[derive(Clone)]
struct Span {
    id: usize,
    range: Range<usize>,
}

/// Letters of a host, with the values in them.
#[derive(Clone, Default)]
struct Name {
    text: String,
    spans: Vec<Span>,
    is_too_long: bool,
    has_escape: bool,
}

impl Name {
    /// Adds a letter; returns whether the value in `id` is new to it.
    fn push(&mut self, letter: char, source: Source, id: usize) -> bool {
        if self.text.len() + letter.len_utf8() > MAX_HOST {
            self.is_too_long = true;
        } else {
            self.text.push(letter);
        }
        self.has_escape |= source == Source::Escape;
        if source != Source::Value {
            return false;
        }
        match self.spans.last_mut().filter(|span| span.id == id) {
            Some(span) => {
                span.range.end = self.text.len();
                false
            }
            None => {
                let start = self.text.len().saturating_sub(letter.len_utf8());
                self.spans.push(Span { id, range: start..self.text.len() });
                true
            }
        }
    }

    /// Whether it is one value and at most a port.
    fn is_whole(&self, span: &Span) -> bool {
        let rest = self.text.get(span.range.end..).unwrap_or_default();
        let port = rest.strip_prefix(':').unwrap_or(rest);
        span.range.start == 0
            && port.bytes().all(|byte| byte.is_ascii_digit())
            && (rest.is_empty() || port.len() < rest.len())
    }

    fn reach(&self, hosts: &Hosts) -> Reach {
        let host = host_of(&self.text).filter(|_| !self.is_too_long && !self.has_escape);
        if host.is_some_and(|host| hosts.allow(host)) { Reach::Allowed } else { Reach::Foreign }
    }

    /// The name without user and port.
    fn host(&self) -> &str {
        let host = self.text.rsplit('@').next().unwrap_or_default();
        host.split_once(':').map_or(host, |(host, _)| host)
    }
}

/// The state before a host: letters in a row, which may be a host or a scheme, and the signs after them.
#[derive(Clone, Default)]
struct Head {
    name: Name,
    before: Before,
    after: After,
    /// Nothing precedes it in its construct.
    is_first: bool,
    /// Nothing precedes it in its string of JSON.
    begins_string: bool,
    /// The value whose letter it began with.
    begun_by: Option<usize>,
    owner: u64,
}

impl Head {
    fn scheme(&self) -> Scheme {
        let name = self.name.text.trim_start_matches(|letter: char| !letter.is_ascii_alphabetic());
        if SPECIAL.iter().any(|special| special.eq_ignore_ascii_case(name)) {
            return Scheme::Special;
        }
        // `C:\\` is no scheme
        if name.len() > 1 { Scheme::Other } else { Scheme::Absent }
    }

    /// Whether the next letter may begin an authority.
    fn may_open(&self) -> bool {
        match self.after {
            After::Letters | After::Port => false,
            After::Colon => self.scheme() == Scheme::Special,
            After::Slashes { count, scheme } => count > 1 || scheme == Scheme::Special,
        }
    }
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum After {
    #[default]
    Letters,
    Colon,
    /// A colon and digits.
    Port,
    Slashes {
        count: u8,
        scheme: Scheme,
    },
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Scheme {
    #[default]
    Absent,
    Special,
    Other,
}

/// An unfinished authority of a URL.
#[derive(Clone)]
struct Authority {
    name: Name,
    before: Before,
    /// Without a scheme it is one only if it looks like a host.
    needs_name: bool,
    /// The value in which the URL began.
    begun_by: Option<usize>,
    owner: u64,
    /// Texts of several owners make it.
    is_mixed: bool,
}

/// The end of an authority.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Closed {
    /// Its path begins.
    Path,
    /// White space, which some programs skip.
    Space,
    /// The construct around it ends.
    Around,
    /// The text ends.
    Text(End),
}

/// An unfinished recipient, such as that of `mailto:`.
#[derive(Clone, Default)]
struct Recipient {
    text: String,
    ids: Vec<usize>,
    owner: u64,
}

/// A string or an attribute in quotation marks.
#[derive(Clone, Copy)]
struct Quoted {
    reach: Reach,
    is_attribute: bool,
}

/// A destination in parentheses.
#[derive(Clone, Copy)]
struct Parentheses {
    reach: Reach,
    form: Form,
    /// A slash or a query was read.
    has_path: bool,
}

impl Parentheses {
    /// Reads a letter; returns whether it ends the destination.
    fn read(&mut self, letter: char, is_raw: bool) -> bool {
        self.has_path |= matches!(letter, '/' | '?' | '#');
        self.form = match (self.form, letter) {
            (Form::Unknown, letter) if is_raw && letter.is_whitespace() => Form::Unknown,
            (Form::Unknown, '<') if is_raw => Form::Angle,
            (Form::Angle, '>') if is_raw => Form::Title,
            // no destination in angle brackets has an end of line: some programs read on
            (Form::Angle, '\n') => Form::Bare(1),
            (Form::Unknown | Form::Title | Form::Bare(1), ')') if is_raw => return true,
            (Form::Unknown, '(') if is_raw => Form::Bare(2),
            (Form::Unknown, _) => Form::Bare(1),
            (Form::Bare(depth), '(') if is_raw => Form::Bare(depth + 1),
            (Form::Bare(depth), ')') if is_raw => Form::Bare(depth - 1),
            (form, _) => form,
        };
        false
    }
}

/// The notation of a destination of Markdown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Only white space was read.
    Unknown,
    /// With this depth of parentheses.
    Bare(u32),
    /// After `<`.
    Angle,
    /// After the `>` of that.
    Title,
}

/// The current tag of HTML.
#[derive(Clone, Default)]
struct Tag {
    state: TagState,
    name: String,
    is_closing: bool,
    /// It names a foreign host.
    is_foreign: bool,
    /// It has signs that no tag has.
    is_odd: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum TagState {
    #[default]
    Outside,
    /// After `<`.
    Begun,
    Name,
    /// Among the attributes.
    Inside,
}

/// Reads a text and decides on its placeholders, in order.
#[derive(Clone, Default)]
pub struct DestinationReader {
    letters: Letters,
    values: VecDeque<Placed>,
    /// The number of values with a verdict that was taken.
    taken: usize,
    /// The text is a string of JSON: if it begins with a URL, all of it is one.
    is_string: bool,
    before: Before,
    /// The last one that is not white space.
    before_space: Before,
    /// Nothing was read of the current construct.
    is_first: bool,
    head: Head,
    authority: Option<Authority>,
    recipient: Option<Recipient>,
    /// `data:` and this many letters of its media type.
    media: Option<usize>,
    /// `javascript:` was read.
    code: bool,
    word: Reach,
    /// The quotation mark before the URL of this word, which ends it.
    word_quote: Option<char>,
    /// Of all of a string of JSON.
    string: Reach,
    /// In `"`, `'` and `` ` ``.
    quoted: [Option<Quoted>; 3],
    parentheses: Option<Parentheses>,
    /// After `<` before a URL.
    angle: Option<Reach>,
    tag: Tag,
    /// The element whose content may leave by itself: a script, or a field of a form.
    element: String,
    /// The script names a foreign host in a string.
    is_script_foreign: bool,
    /// A form is sent to a foreign host.
    has_foreign_form: bool,
    /// Relative links go to a foreign host.
    has_foreign_base: bool,
    owner: u64,
}

impl DestinationReader {
    /// Reads a string of JSON: if it begins with a URL, all of it is one, whatever it contains.
    pub fn of_string() -> Self {
        Self { is_string: true, is_first: true, ..Self::default() }
    }

    /// Reads more of the text.
    pub fn text(&mut self, text: &str, hosts: &Hosts) {
        let mut letters = mem::take(&mut self.letters);
        letters.push(text, &mut |letter| self.written(letter, hosts));
        self.letters = letters;
    }

    /// Reads a placeholder with its `value`.
    pub fn value(&mut self, value: &str, hosts: &Hosts) {
        self.flush(hosts);
        if mem::take(&mut self.code) {
            self.mention(Reach::Foreign, Before::Value);
        }
        let id = self.taken + self.values.len();
        self.values.push_back(Placed { verdict: self.here(), holds: 0 });
        if let Some(recipient) = &mut self.recipient {
            recipient.text.push(VALUE);
            recipient.ids.push(id);
        }
        if self.recipient.is_some() {
            self.hold(id);
        }
        for letter in value.chars() {
            self.step(letter, Source::Value, id, hosts);
        }
        self.before = Before::Value;
        self.before_space = Before::Value;
        self.is_first = false;
    }

    /// Ends the text; every placeholder is then decided. More text may follow after [`End::Part`].
    pub fn end(&mut self, end: End, hosts: &Hosts) {
        self.flush(hosts);
        self.close(Closed::Text(end), hosts);
        self.end_head(hosts);
        self.end_recipient();
    }

    /// Returns the verdict on the next placeholder; `None` if it needs more text.
    pub fn verdict(&mut self) -> Option<Verdict> {
        let placed = self.values.pop_front_if(|placed| placed.holds == 0)?;
        self.taken += 1;
        Some(placed.verdict)
    }

    /// Names the author of what follows, where several texts make one.
    pub(crate) fn set_owner(&mut self, owner: u64) {
        self.owner = owner;
    }

    /// Whether texts of other owners have begun a construct from which a value of this owner would leave.
    pub(crate) fn is_begun_by_others(&mut self, hosts: &Hosts) -> bool {
        self.flush(hosts);
        let owner = self.owner;
        let is_of_others = |own: u64| own != owner;
        let in_authority = self
            .authority
            .as_ref()
            .is_some_and(|authority| authority.is_mixed || is_of_others(authority.owner));
        let in_recipient =
            self.recipient.as_ref().is_some_and(|one| is_of_others(one.owner) && !one.text.is_empty());
        self.is_foreign()
            || in_authority
            || in_recipient
            || is_of_others(self.head.owner) && self.head.may_open()
    }

    fn flush(&mut self, hosts: &Hosts) {
        let mut letters = mem::take(&mut self.letters);
        letters.flush(&mut |letter| self.written(letter, hosts));
        self.letters = letters;
    }

    fn written(&mut self, Letter { letter, is_raw }: Letter, hosts: &Hosts) {
        let source = if is_raw { Source::Raw } else { Source::Escape };
        let before = self.before;
        self.step(letter, source, 0, hosts);
        self.before = if is_raw { Before::Raw(letter) } else { Before::Escape(letter) };
        if !letter.is_ascii_whitespace() {
            self.before_space = self.before;
            self.is_first &= is_raw && letter == '<';
        }
        if is_raw {
            self.structure_begins(letter, before);
        }
    }

    /// Reads one letter; `id` is that of the value that it is from.
    fn step(&mut self, letter: char, source: Source, id: usize, hosts: &Hosts) {
        if source != Source::Value {
            self.recipient_letter(letter, source);
        }
        self.scheme_letter(letter, source);
        let is_url_function = letter == '(' && self.head.name.text.eq_ignore_ascii_case("url");
        if !self.authority_letter(letter, source, id, hosts) {
            self.head_letter(letter, source, id, hosts);
        }
        if source == Source::Raw {
            self.structure(letter, is_url_function);
        } else if let Some(destination) = &mut self.parentheses {
            destination.read(letter, false);
        }
        if source == Source::Value {
            self.before = Before::Escape(letter);
        }
    }

    /* Values. */

    fn placed(&mut self, id: usize) -> Option<&mut Placed> {
        self.values.get_mut(id.checked_sub(self.taken)?)
    }

    fn hold(&mut self, id: usize) {
        if let Some(placed) = self.placed(id) {
            placed.holds = placed.holds.saturating_add(1);
        }
    }

    /// Decides for one host or recipient that a value is part of.
    fn release(&mut self, id: usize, verdict: Option<Verdict>) {
        if let Some(placed) = self.placed(id) {
            placed.holds = placed.holds.saturating_sub(1);
            placed.verdict = verdict.map_or(placed.verdict, |verdict| verdict.max(placed.verdict));
        }
    }

    /// The verdict on a value at this place, before what follows is known.
    fn here(&self) -> Verdict {
        let in_attribute = self.tag.state == TagState::Inside
            && !self.tag.is_odd
            && self.quoted.iter().flatten().any(|quoted| quoted.is_attribute);
        if self.is_foreign() {
            Verdict::Withhold
        } else if self.authority.is_none()
            && (self.word == Reach::Allowed
                || self.parentheses.is_some_and(|destination| destination.has_path))
        {
            Verdict::Restore(Encoding::Url)
        } else if in_attribute {
            Verdict::Restore(Encoding::Html)
        } else {
            Verdict::Restore(Encoding::Plain)
        }
    }

    fn is_foreign(&self) -> bool {
        let is_control = |name: &str| CONTROLS.contains(&name);
        let in_form = self.has_foreign_form
            && (is_control(&self.element)
                || self.tag.state == TagState::Inside && is_control(&self.tag.name));
        let in_link =
            self.has_foreign_base && (self.parentheses.is_some() || self.quoted.iter().any(Option::is_some));
        self.constructs().any(|reach| reach == Reach::Foreign)
            || in_form
            || in_link
            || self.is_script_foreign && self.element == "script"
    }

    /// The open constructs.
    fn constructs(&self) -> impl Iterator<Item = Reach> {
        let quoted = self.quoted.iter().flatten().map(|quoted| quoted.reach);
        let parentheses = self.parentheses.iter().map(|destination| destination.reach);
        [self.word, self.string].into_iter().chain(quoted).chain(parentheses).chain(self.angle)
    }

    /// A host was named: the open constructs go there.
    fn mention(&mut self, reach: Reach, before: Before) {
        self.word = self.word.max(reach);
        let quoted = self.quoted.iter_mut().flatten().map(|quoted| &mut quoted.reach);
        let parentheses = self.parentheses.iter_mut().map(|destination| &mut destination.reach);
        for open in quoted.chain(parentheses).chain(&mut self.angle) {
            *open = reach.max(*open);
        }
        // the URL began the string, or all of the string is one already
        if self.string != Reach::Nobody {
            self.string = self.string.max(reach);
        }
        if reach == Reach::Foreign {
            self.tag.is_foreign |= matches!(self.tag.state, TagState::Name | TagState::Inside);
            self.is_script_foreign |= self.element == "script" && before.quote().is_some();
        }
    }

    /* Hosts. */

    fn head_letter(&mut self, letter: char, source: Source, id: usize, hosts: &Hosts) {
        let is_space = source == Source::Raw && letter.is_ascii_whitespace();
        match self.head.after {
            After::Letters if is_host_letter(letter) => {
                if self.head.name.text.is_empty() {
                    self.begin_head(source, id);
                }
                if self.head.name.push(letter, source, id) {
                    self.hold(id);
                }
                if self.head.name.is_too_long {
                    self.release_head();
                }
            }
            After::Letters => match letter {
                ':' if !self.head.name.text.is_empty() => {
                    self.begin_scheme();
                    self.head.after = After::Colon;
                }
                '/' | '?' | '#' => {
                    let is_empty = self.head.name.text.is_empty();
                    self.bare_host(hosts);
                    if letter == '/' {
                        self.begin_head(source, id);
                        self.head.is_first &= is_empty;
                        self.head.after = After::Slashes { count: 1, scheme: Scheme::Absent };
                    }
                }
                _ => self.end_head(hosts),
            },
            After::Colon => {
                let scheme = self.head.scheme();
                match letter {
                    '/' => {
                        self.release_head();
                        self.head.after = After::Slashes { count: 1, scheme };
                    }
                    _ if scheme == Scheme::Special && !is_space => self.open(letter, source, id, scheme),
                    '0'..='9' => self.head.after = After::Port,
                    _ => self.again(letter, source, id, hosts),
                }
            }
            After::Port => match letter {
                '0'..='9' => {}
                '/' | '?' | '#' => {
                    self.bare_host(hosts);
                    self.head_letter(letter, source, id, hosts);
                }
                _ => self.again(letter, source, id, hosts),
            },
            After::Slashes { count, scheme } => match letter {
                // `file:///path` has no host
                '/' if scheme == Scheme::Other && count == 2 => self.head = Head::default(),
                '/' => self.head.after = After::Slashes { count: count.saturating_add(1), scheme },
                _ if is_space || !self.head.may_open() => self.again(letter, source, id, hosts),
                _ => self.open(letter, source, id, scheme),
            },
        }
    }

    fn begin_head(&mut self, source: Source, id: usize) {
        self.head.before = self.before;
        self.head.is_first = self.is_first;
        self.head.begins_string = self.is_string && self.before_space == Before::Start;
        self.head.begun_by = (source == Source::Value).then_some(id);
        self.head.owner = self.owner;
    }

    /// Reads a letter anew, as the first one.
    fn again(&mut self, letter: char, source: Source, id: usize, hosts: &Hosts) {
        self.release_head();
        self.head = Head::default();
        self.head_letter(letter, source, id, hosts);
    }

    /// The letters are no host: their values are text.
    fn release_head(&mut self) {
        for span in mem::take(&mut self.head.name.spans) {
            self.release(span.id, None);
        }
    }

    /// Ends letters that no path follows: of these only `www.` is shown as a link.
    fn end_head(&mut self, hosts: &Hosts) {
        let is_www = self.head.name.text.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("www."));
        if is_www && self.head.after == After::Letters {
            self.bare_host(hosts);
        }
        self.release_head();
        self.head = Head::default();
    }

    /// Mentions the letters if they look like a host.
    fn bare_host(&mut self, hosts: &Hosts) {
        let Head { name, before, .. } = mem::take(&mut self.head);
        let whole = match name.spans.as_slice() {
            [span] => name.is_whole(span),
            _ => false,
        };
        // `a/b.example/` is a path, and `jan@b.example/` an address, unless they begin or end in a value
        let is_host = is_named_host(&name.text)
            && !name.is_too_long
            && !before.is('/')
            && (!before.is('@') || !name.spans.is_empty() && !whole);
        let reach = if is_host { name.reach(hosts) } else { Reach::Nobody };
        for span in &name.spans {
            let verdict = (reach == Reach::Foreign && !whole).then_some(Verdict::Withhold);
            self.release(span.id, verdict);
        }
        if reach != Reach::Nobody {
            self.mention(reach, before);
        }
    }

    /// Opens the authority of a URL with its first letter.
    fn open(&mut self, letter: char, source: Source, id: usize, scheme: Scheme) {
        self.release_head();
        let Head { before, is_first, begins_string, begun_by, owner, .. } = mem::take(&mut self.head);
        if let Some(quote) = before.quote() {
            self.word_quote = Some(quote);
            if let Some(place) = self.quoted.get_mut(index(quote)) {
                place.get_or_insert(Quoted { reach: Reach::Nobody, is_attribute: false });
            }
        }
        if before == Before::Raw('<') && scheme != Scheme::Absent {
            self.angle.get_or_insert_default();
        }
        if begins_string {
            self.string = self.string.max(Reach::Allowed);
        }
        let mut authority = Authority {
            name: Name::default(),
            before,
            needs_name: scheme == Scheme::Absent && !is_first,
            begun_by: begun_by.filter(|own| source == Source::Value && *own == id),
            owner,
            is_mixed: owner != self.owner,
        };
        if authority.name.push(letter, source, id) {
            self.hold(id);
        }
        self.authority = Some(authority);
    }

    /// Reads a letter of an authority; returns whether it is part of it.
    fn authority_letter(&mut self, letter: char, source: Source, id: usize, hosts: &Hosts) -> bool {
        let Some(authority) = &mut self.authority else { return false };
        authority.is_mixed |= authority.owner != self.owner;
        let closed = match letter {
            '/' | '?' | '#' => {
                authority.name.has_escape |= source == Source::Escape;
                Some(Closed::Path)
            }
            _ if source != Source::Raw => None,
            letter if letter.is_ascii_whitespace() => Some(Closed::Space),
            '<' | '>' => Some(Closed::Around),
            ')' if self.parentheses.is_some() => Some(Closed::Around),
            '"' | '\'' | '`' if self.quoted.get(index(letter)).is_some_and(Option::is_some) => {
                Some(Closed::Around)
            }
            _ => None,
        };
        if let Some(closed) = closed {
            self.close(closed, hosts);
            return false;
        }
        let is_new = authority.name.push(letter, source, id);
        let is_too_long = authority.name.is_too_long;
        if is_new {
            self.hold(id);
        }
        if is_too_long {
            self.close(Closed::Around, hosts);
        }
        true
    }

    /// Ends the authority: its host is known.
    fn close(&mut self, closed: Closed, hosts: &Hosts) {
        let Some(Authority { name, before, needs_name, begun_by, .. }) = self.authority.take() else {
            return;
        };
        let is_whole = matches!(name.spans.as_slice(), [only] if name.is_whole(only));
        let is_in_more =
            self.parentheses.is_some() || self.angle.is_some() || self.quoted.iter().any(Option::is_some);
        let reach = match name.reach(hosts) {
            _ if name.text.is_empty() => Reach::Nobody,
            _ if needs_name && !name.is_too_long && (is_whole || !is_named_host(name.host())) => {
                Reach::Nobody
            }
            // some programs skip white space within a URL
            _ if closed == Closed::Space && is_in_more => Reach::Foreign,
            reach => reach,
        };
        for span in &name.spans {
            let is_own = begun_by == Some(span.id);
            // a value that is all of the host tells it to nobody else
            let is_host = is_whole && (is_own || is_named_host(name.host()) && !name.text.contains('@'));
            let may_go_on = !is_own && closed == Closed::Text(End::Part);
            let verdict = match reach {
                Reach::Nobody => None,
                Reach::Allowed if is_own => None,
                Reach::Allowed => Some(Verdict::Restore(Encoding::Url)),
                Reach::Foreign if is_host && !may_go_on => None,
                Reach::Foreign => Some(Verdict::Withhold),
            };
            self.release(span.id, verdict);
        }
        if reach != Reach::Nobody {
            self.mention(reach, before);
        }
    }

    /* Schemes without a host. */

    fn begin_scheme(&mut self) {
        let scheme = self.head.name.text.trim_start_matches(|letter: char| !letter.is_ascii_alphabetic());
        let is_one_of = |names: &[&str]| names.iter().any(|name| name.eq_ignore_ascii_case(scheme));
        let (is_personal, is_code, is_data) = (is_one_of(&PERSONAL), is_one_of(&CODE), is_one_of(&["data"]));
        if is_personal {
            self.end_recipient();
            self.recipient = Some(Recipient { owner: self.head.owner, ..Recipient::default() });
        }
        self.code = is_code;
        self.media = is_data.then_some(0);
    }

    /// Reads what follows `data:` or `javascript:`; the colon itself comes after this.
    fn scheme_letter(&mut self, letter: char, source: Source) {
        if mem::take(&mut self.code) && !(source == Source::Raw && letter.is_ascii_whitespace()) {
            self.mention(Reach::Foreign, Before::Start);
        }
        self.media = match (self.media.take(), letter) {
            (Some(0), ',' | ';') | (Some(1..), '/') => {
                self.mention(Reach::Foreign, Before::Start);
                None
            }
            (Some(count), letter) if letter.is_ascii_alphanumeric() || "+.-".contains(letter) => {
                Some(count + 1)
            }
            _ => None,
        };
    }

    fn recipient_letter(&mut self, letter: char, source: Source) {
        let Some(recipient) = &mut self.recipient else { return };
        let ends = letter.is_ascii_whitespace()
            || "<>\"'`)]|}".contains(letter)
            || !letter.is_ascii() && !letter.is_alphanumeric();
        if source == Source::Raw && ends {
            return self.end_recipient();
        }
        recipient.text.push(letter);
        if recipient.text.len() > MAX_HOST {
            self.end_recipient();
            self.mention(Reach::Foreign, Before::Start);
        }
    }

    /// A value is restored if it is the whole recipient, and no one else is named.
    fn end_recipient(&mut self) {
        let Some(Recipient { text, ids, .. }) = self.recipient.take() else { return };
        let rest = text.strip_prefix(VALUE);
        let is_whole = rest.is_some_and(|rest| {
            let has_others = rest.contains([VALUE, '@', ',']) || rest.contains("//");
            rest.trim_matches(|letter| ".,;:!?*_".contains(letter)).is_empty()
                || rest.starts_with('?') && !has_others
        });
        for id in ids {
            self.release(id, (!is_whole).then_some(Verdict::Withhold));
        }
    }

    /* The structure of the text. */

    /// Reads a letter that may end a construct.
    fn structure(&mut self, letter: char, is_url_function: bool) {
        if letter.is_ascii_whitespace() || letter == '<' {
            self.word = Reach::Nobody;
            self.word_quote = None;
        }
        if matches!(letter, '>' | '\n') {
            self.angle = None;
        }
        if letter == '\n' {
            for place in &mut self.quoted {
                *place = place.take().filter(|quoted| quoted.is_attribute);
            }
        }
        self.tag_letter(letter);
        if matches!(letter, '"' | '\'' | '`') {
            self.quotation(letter);
        }
        let is_empty_line = letter == '\n' && self.before == Before::Raw('\n');
        if let Some(destination) = &mut self.parentheses {
            if destination.read(letter, true) || is_empty_line {
                self.parentheses = None;
            }
        } else if letter == '('
            && (is_url_function || matches!(self.before, Before::Raw(']') | Before::Value))
        {
            self.parentheses =
                Some(Parentheses { reach: Reach::Nobody, form: Form::Unknown, has_path: false });
        }
    }

    /// Notes that a construct begins after this letter.
    fn structure_begins(&mut self, letter: char, before: Before) {
        let begins_destination =
            letter == '(' && self.parentheses.is_some_and(|destination| destination.form == Form::Unknown);
        let begins_attribute = matches!(letter, '"' | '\'' | '`')
            && self
                .quoted
                .get(index(letter))
                .is_some_and(|place| place.is_some_and(|quoted| quoted.is_attribute));
        let begins_definition = letter == ':' && before == Before::Raw(']');
        self.is_first |= begins_destination || begins_attribute || begins_definition;
    }

    fn quotation(&mut self, quote: char) {
        let is_attribute = self.before_space == Before::Raw('=');
        let Some(place) = self.quoted.get_mut(index(quote)) else { return };
        if is_attribute {
            // an apparent end of one attribute may begin another
            *place = Some(Quoted { reach: Reach::Nobody, is_attribute });
        } else {
            *place = None;
            if self.word_quote == Some(quote) {
                self.word_quote = None;
                self.word = Reach::Nobody;
            }
        }
    }

    fn tag_letter(&mut self, letter: char) {
        if letter == '<' {
            self.tag = Tag { state: TagState::Begun, ..Tag::default() };
            return;
        }
        let tag = &mut self.tag;
        let ends = letter == '>' && self.quoted.iter().flatten().all(|quoted| !quoted.is_attribute);
        match tag.state {
            TagState::Outside => {}
            TagState::Begun => match letter {
                '/' if !tag.is_closing => tag.is_closing = true,
                letter if letter.is_ascii_alphabetic() => {
                    tag.state = TagState::Name;
                    tag.name.push(letter.to_ascii_lowercase());
                }
                _ => tag.state = TagState::Outside,
            },
            TagState::Name if letter == '>' => self.end_tag(),
            TagState::Name if letter.is_ascii_whitespace() || letter == '/' => tag.state = TagState::Inside,
            TagState::Name if tag.name.len() < MAX_NAME => tag.name.push(letter.to_ascii_lowercase()),
            TagState::Name => {}
            TagState::Inside if ends => self.end_tag(),
            TagState::Inside => tag.is_odd |= "&|;(){}".contains(letter),
        }
    }

    fn end_tag(&mut self) {
        let Tag { name, is_closing, is_foreign, .. } = mem::take(&mut self.tag);
        let is_control = CONTROLS.contains(&name.as_str());
        if is_closing {
            if name == self.element || is_control || name == "form" {
                self.element.clear();
            }
            return;
        }
        self.has_foreign_form |= is_foreign && name == "form";
        self.has_foreign_base |= is_foreign && name == "base";
        if name == "script" {
            self.is_script_foreign = false;
        }
        let has_content = is_control && name != "input";
        if (name == "script" || has_content) && self.element != "script" {
            self.element = name;
        }
    }
}

/// The place of a quotation mark.
fn index(quote: char) -> usize {
    match quote {
        '"' => 0,
        '\'' => 1,
        _ => 2,
    }
}
