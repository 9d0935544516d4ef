//! The syntax of patterns: that of `regex-lite`.
//!
//! Classes and boundaries of words are those of ASCII, and so is the other case of a letter. Look-around,
//! backreferences and classes of Unicode are rejected. Groups capture nothing here.

use super::{Fault, class::Class, look::Look};

/// Deepest nesting of groups and of repetitions.
const MAX_DEPTH: usize = 32;

/// A pattern as a tree.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Empty,
    Char(char),
    Class(Class),
    Look(Look),
    Concat(Vec<Self>),
    /// One of several; the first has priority.
    Either(Vec<Self>),
    Repeat {
        node: Box<Self>,
        min: u32,
        max: Option<u32>,
        greedy: bool,
    },
}

impl Node {
    /// Whether a match may have no characters.
    pub fn may_be_empty(&self) -> bool {
        match self {
            Self::Empty | Self::Look(_) => true,
            Self::Char(_) | Self::Class(_) => false,
            Self::Concat(nodes) => nodes.iter().all(Self::may_be_empty),
            Self::Either(nodes) => nodes.iter().any(Self::may_be_empty),
            Self::Repeat { node, min, .. } => *min == 0 || node.may_be_empty(),
        }
    }

    fn concat(mut nodes: Vec<Self>) -> Self {
        match nodes.len() {
            0 => Self::Empty,
            1 => nodes.pop().unwrap_or(Self::Empty),
            _ => Self::Concat(nodes),
        }
    }
}

/// Reads a pattern.
///
/// # Errors
/// [`Fault::Syntax`]
pub(super) fn parse(written: &str) -> Result<Node, Fault> {
    let mut parser = Parser {
        letters: written.chars().collect(),
        at: 0,
        depth: 0,
        flags: Flags::default(),
        names: Vec::new(),
    };
    let node = parser.alternatives()?;
    if parser.peek().is_some() { Err(Fault::Syntax) } else { Ok(node) }
}

/// The flags that hold at a place of a pattern.
#[derive(Clone, Copy, Default)]
struct Flags {
    /// `i`
    any_case: bool,
    /// `m`
    lines: bool,
    /// `s`
    dot_is_any: bool,
    /// `U`
    lazy: bool,
    /// `R`
    any_line: bool,
    /// `x`
    spaced: bool,
}

struct Parser {
    letters: Vec<char>,
    at: usize,
    depth: usize,
    flags: Flags,
    names: Vec<String>,
}

/// An item of a set in brackets.
enum Item {
    Char(char),
    Class(Class),
}

impl Parser {
    fn peek(&self) -> Option<char> {
        self.letters.get(self.at).copied()
    }

    fn after(&self, offset: usize) -> Option<char> {
        self.letters.get(self.at + offset).copied()
    }

    /// Reads the next character; the pattern must have one.
    fn take(&mut self) -> Result<char, Fault> {
        let letter = self.peek().ok_or(Fault::Syntax)?;
        self.at += 1;
        Ok(letter)
    }

    fn take_if(&mut self, wanted: &str) -> bool {
        let is_next = wanted.chars().enumerate().all(|(offset, letter)| self.after(offset) == Some(letter));
        if is_next {
            self.at += wanted.chars().count();
        }
        is_next
    }

    /// Skips white space and comments where the flag `x` holds.
    fn skip_space(&mut self) {
        if !self.flags.spaced {
            return;
        }
        while let Some(letter) = self.peek() {
            if letter == '#' {
                while self.peek().is_some_and(|letter| letter != '\n') {
                    self.at += 1;
                }
            } else if !letter.is_whitespace() {
                break;
            }
            self.at += usize::from(self.peek().is_some());
        }
    }

    fn alternatives(&mut self) -> Result<Node, Fault> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Fault::Syntax);
        }
        let (mut either, mut nodes) = (Vec::new(), Vec::new());
        // stacked repetitions of one node, which nest without a group
        let mut stacked = 0;
        loop {
            self.skip_space();
            let Some(letter) = self.peek() else { break };
            let repeats = matches!(letter, '?' | '*' | '+' | '{');
            stacked = if repeats { stacked + 1 } else { 0 };
            if self.depth + stacked > MAX_DEPTH {
                return Err(Fault::Syntax);
            }
            match letter {
                '(' => nodes.extend(self.group()?),
                ')' if self.depth == 1 => return Err(Fault::Syntax),
                ')' => break,
                '|' => {
                    self.at += 1;
                    either.push(Node::concat(std::mem::take(&mut nodes)));
                }
                '[' => {
                    let class = self.set()?;
                    nodes.push(Node::Class(class));
                }
                _ if repeats => {
                    let node = nodes.pop().ok_or(Fault::Syntax)?;
                    nodes.push(self.repetition(node)?);
                }
                _ => nodes.push(self.single()?),
            }
        }
        self.depth -= 1;
        let last = Node::concat(nodes);
        if either.is_empty() {
            return Ok(last);
        }
        either.push(last);
        Ok(Node::Either(either))
    }

    /// Reads a group. Returns `None` for one that sets flags.
    fn group(&mut self) -> Result<Option<Node>, Fault> {
        self.at += 1;
        self.skip_space();
        let outside = self.flags;
        if ["?=", "?!", "?<=", "?<!"].iter().any(|look| self.take_if(look)) {
            return Err(Fault::Syntax);
        }
        if self.take_if("?P<") || self.take_if("?<") {
            self.name()?;
        } else if self.take_if("?") && self.flags()? {
            return Ok(None);
        }
        let node = self.alternatives()?;
        if !self.take_if(")") {
            return Err(Fault::Syntax);
        }
        self.flags = outside;
        Ok(Some(node))
    }

    /// Reads the name of a group.
    fn name(&mut self) -> Result<(), Fault> {
        let mut name = String::new();
        loop {
            let letter = self.take()?;
            let fits = letter == '_'
                || if name.is_empty() {
                    letter.is_alphabetic()
                } else {
                    letter.is_alphanumeric() || matches!(letter, '.' | '[' | ']')
                };
            match letter {
                '>' if name.is_empty() || self.names.contains(&name) => return Err(Fault::Syntax),
                '>' => break,
                _ if fits => name.push(letter),
                _ => return Err(Fault::Syntax),
            }
        }
        self.names.push(name);
        Ok(())
    }

    /// Reads flags up to `:` or `)`. Returns whether the group ends there.
    fn flags(&mut self) -> Result<bool, Fault> {
        let mut seen = Vec::new();
        loop {
            let letter = self.take()?;
            let value = !seen.contains(&'-');
            match letter {
                ':' | ')' => {
                    let dangling = seen.last() == Some(&'-') || (letter == ')' && seen.is_empty());
                    return if dangling { Err(Fault::Syntax) } else { Ok(letter == ')') };
                }
                _ if seen.contains(&letter) => return Err(Fault::Syntax),
                'i' => self.flags.any_case = value,
                'm' => self.flags.lines = value,
                's' => self.flags.dot_is_any = value,
                'U' => self.flags.lazy = value,
                'R' => self.flags.any_line = value,
                'x' => self.flags.spaced = value,
                // `u` means nothing here: words are those of ASCII
                '-' | 'u' => {}
                _ => return Err(Fault::Syntax),
            }
            seen.push(letter);
        }
    }

    /// Reads the repetition of a node.
    fn repetition(&mut self, node: Node) -> Result<Node, Fault> {
        let (min, max) = match self.take()? {
            '?' => (0, Some(1)),
            '*' => (0, None),
            '+' => (1, None),
            _ => self.counts()?,
        };
        let lazy = self.take_if("?");
        if max.is_some_and(|max| max < min) {
            return Err(Fault::Syntax);
        }
        Ok(match (min, max) {
            (0, Some(0)) => Node::Empty,
            (1, Some(1)) => node,
            _ => Node::Repeat { node: Box::new(node), min, max, greedy: lazy == self.flags.lazy },
        })
    }

    /// Reads the counts of a repetition behind its `{`.
    fn counts(&mut self) -> Result<(u32, Option<u32>), Fault> {
        self.skip_space();
        let min = self.number()?;
        let mut max = Some(min);
        if self.take_if(",") {
            self.skip_space();
            max = if self.peek() == Some('}') { None } else { Some(self.number()?) };
        }
        if !self.take_if("}") {
            return Err(Fault::Syntax);
        }
        self.skip_space();
        Ok((min, max))
    }

    /// Reads a decimal number with white space on both sides.
    fn number(&mut self) -> Result<u32, Fault> {
        let space = |parser: &mut Self| {
            while parser.peek().is_some_and(char::is_whitespace) {
                parser.at += 1;
            }
            parser.skip_space();
        };
        space(self);
        let mut digits = String::new();
        while let Some(digit) = self.peek().filter(char::is_ascii_digit) {
            digits.push(digit);
            self.at += 1;
            self.skip_space();
        }
        space(self);
        digits.parse().map_err(|_| Fault::Syntax)
    }

    /// Reads a character, a class or a condition.
    fn single(&mut self) -> Result<Node, Fault> {
        let letter = self.take()?;
        let flags = self.flags;
        Ok(match letter {
            '\\' => return self.escape(),
            '.' if flags.dot_is_any => Node::Class(Class::default().negated()),
            '.' if flags.any_line => Node::Class(Class::new(vec![(10, 10), (13, 13)]).negated()),
            '.' => Node::Class(Class::new(vec![(10, 10)]).negated()),
            '^' if flags.lines && flags.any_line => Node::Look(Look::AnyLineStart),
            '^' if flags.lines => Node::Look(Look::LineStart),
            '^' => Node::Look(Look::Start),
            '$' if flags.lines && flags.any_line => Node::Look(Look::AnyLineEnd),
            '$' if flags.lines => Node::Look(Look::LineEnd),
            '$' => Node::Look(Look::End),
            _ => self.letter(letter),
        })
    }

    /// Returns the node of a literal character, in both cases where the flag `i` holds.
    fn letter(&self, letter: char) -> Node {
        if self.flags.any_case && letter.is_ascii_alphabetic() {
            let code = u32::from(letter);
            return Node::Class(Class::new(vec![(code, code)]).with_both_cases());
        }
        Node::Char(letter)
    }

    /// Reads what follows a backslash.
    fn escape(&mut self) -> Result<Node, Fault> {
        let letter = self.take()?;
        let look = match letter {
            'A' => Look::Start,
            'z' => Look::End,
            'b' => self.boundary()?,
            'B' => Look::NotWord,
            '<' => Look::WordStart,
            '>' => Look::WordEnd,
            _ => {
                self.at -= 1;
                return Ok(match self.escaped()? {
                    Item::Char(letter) => self.letter(letter),
                    Item::Class(class) => Node::Class(class),
                });
            }
        };
        Ok(Node::Look(look))
    }

    /// Reads the kind of a boundary, such as `{start}` behind `\b`. A count may follow instead.
    fn boundary(&mut self) -> Result<Look, Fault> {
        let start = self.at;
        if !self.take_if("{") {
            return Ok(Look::Word);
        }
        self.skip_space();
        let mut kind = String::new();
        while let Some(letter) = self.peek().filter(|letter| letter.is_ascii_alphabetic() || *letter == '-') {
            kind.push(letter);
            self.at += 1;
            self.skip_space();
        }
        if kind.is_empty() && self.peek().is_some() {
            self.at = start;
            return Ok(Look::Word);
        }
        if !self.take_if("}") {
            return Err(Fault::Syntax);
        }
        match kind.as_str() {
            "start" => Ok(Look::WordStart),
            "end" => Ok(Look::WordEnd),
            "start-half" => Ok(Look::WordStartHalf),
            "end-half" => Ok(Look::WordEndHalf),
            _ => Err(Fault::Syntax),
        }
    }

    /// Reads an escaped character or class.
    fn escaped(&mut self) -> Result<Item, Fault> {
        let letter = self.take()?;
        let class = |name: &str| Class::named(name).unwrap_or_default();
        Ok(match letter {
            'd' => Item::Class(class("digit")),
            'D' => Item::Class(class("digit").negated()),
            's' => Item::Class(class("space")),
            'S' => Item::Class(class("space").negated()),
            'w' => Item::Class(class("word")),
            'W' => Item::Class(class("word").negated()),
            'x' => Item::Char(self.code(2)?),
            'u' => Item::Char(self.code(4)?),
            'U' => Item::Char(self.code(8)?),
            'a' => Item::Char('\x07'),
            'f' => Item::Char('\x0C'),
            't' => Item::Char('\t'),
            'n' => Item::Char('\n'),
            'r' => Item::Char('\r'),
            'v' => Item::Char('\x0B'),
            '<' | '>' => return Err(Fault::Syntax),
            _ if letter.is_ascii() && !letter.is_ascii_alphanumeric() => Item::Char(letter),
            _ => return Err(Fault::Syntax),
        })
    }

    /// Reads a code point: this many hexadecimal digits, or any number of them in braces.
    fn code(&mut self, digits: usize) -> Result<char, Fault> {
        self.skip_space();
        let mut written = String::new();
        if self.take_if("{") {
            loop {
                self.skip_space();
                match self.take()? {
                    '}' => break,
                    digit => written.push(digit),
                }
            }
        } else {
            for _ in 0..digits {
                self.skip_space();
                written.push(self.take()?);
            }
        }
        self.skip_space();
        // a number may begin with a sign, a code point may not
        if !written.chars().all(|digit| digit.is_ascii_hexdigit()) {
            return Err(Fault::Syntax);
        }
        u32::from_str_radix(&written, 16).ok().and_then(char::from_u32).ok_or(Fault::Syntax)
    }

    /// Reads a set in brackets.
    fn set(&mut self) -> Result<Class, Fault> {
        self.at += 1;
        self.skip_space();
        let negated = self.take_if("^");
        self.skip_space();
        let mut ranges = Vec::new();
        while self.take_if("-") {
            ranges.push((u32::from('-'), u32::from('-')));
            self.skip_space();
        }
        if ranges.is_empty() && self.take_if("]") {
            ranges.push((u32::from(']'), u32::from(']')));
        }
        loop {
            self.skip_space();
            match (self.peek().ok_or(Fault::Syntax)?, self.after(1)) {
                (']', _) => break,
                ('[', _) => ranges.extend_from_slice(self.posix()?.ranges()),
                ('&', Some('&')) | ('-', Some('-')) | ('~', Some('~')) => return Err(Fault::Syntax),
                _ => self.range(&mut ranges)?,
            }
        }
        self.at += 1;
        let class = Class::new(ranges);
        let class = if self.flags.any_case { class.with_both_cases() } else { class };
        Ok(if negated { class.negated() } else { class })
    }

    /// Reads a character, a range or a class within brackets.
    fn range(&mut self, ranges: &mut Vec<(u32, u32)>) -> Result<(), Fault> {
        let first = self.item()?;
        self.skip_space();
        let is_range = self.peek() == Some('-') && {
            let dash = self.at;
            self.at += 1;
            self.skip_space();
            let last = self.peek();
            self.at = dash;
            !matches!(last, Some(']' | '-'))
        };
        match first {
            Item::Class(_) if is_range => return Err(Fault::Syntax),
            Item::Class(class) => ranges.extend_from_slice(class.ranges()),
            Item::Char(first) if is_range => {
                self.at += 1;
                self.skip_space();
                match self.item()? {
                    Item::Char(last) if last >= first => ranges.push((u32::from(first), u32::from(last))),
                    _ => return Err(Fault::Syntax),
                }
            }
            Item::Char(letter) => ranges.push((u32::from(letter), u32::from(letter))),
        }
        Ok(())
    }

    fn item(&mut self) -> Result<Item, Fault> {
        match self.take()? {
            '\\' => self.escaped(),
            letter => Ok(Item::Char(letter)),
        }
    }

    /// Reads a class of POSIX, such as `[:alpha:]`.
    fn posix(&mut self) -> Result<Class, Fault> {
        if !self.take_if("[:") {
            return Err(Fault::Syntax);
        }
        let negated = self.take_if("^");
        let mut name = String::new();
        while let Some(letter) = self.peek().filter(|letter| *letter != ':') {
            name.push(letter);
            self.at += 1;
        }
        if !self.take_if(":]") {
            return Err(Fault::Syntax);
        }
        let class = Class::named(&name).ok_or(Fault::Syntax)?;
        Ok(if negated { class.negated() } else { class })
    }
}
