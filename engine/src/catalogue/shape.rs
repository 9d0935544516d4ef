//! Shapes: how an identifier is written, and its signature for the scanner.
//!
//! A shape such as `d6[ /]?d3..4` describes a finite set of [`Layout`]s (`d9`, `d10`, `d6 d3`, …). Each
//! layout is a sequence of symbols (runs of digits, of letters, of either, and separators), folded into a
//! [`Signature`]. The scanner folds the text into the same signature as it reads, so the look-up of a
//! candidate costs one probe of a table, however many identifiers the catalogue has.
//!
//! The build of the catalogue uses this file too.

/// The maximum number of layouts of one shape.
const MAX_LAYOUTS: usize = 4_096;
/// The longest run of a shape, in characters: an extended key of a wallet has 111.
pub const MAX_RUN: usize = 112;
/// Characters allowed between the parts of an identifier.
pub const SEPARATORS: &[u8] = b" -./:()";

/// A sequence of symbols, folded into one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Signature(u32);

impl Signature {
    /// The signature of an empty sequence.
    pub const EMPTY: Self = Self(0x811c_9dc5);

    /// Returns the signature with one more symbol.
    #[inline]
    pub fn with(self, symbol: Symbol) -> Self {
        let mixed = (self.0 ^ u32::from(symbol.code())).wrapping_mul(0x9e37_79b1);
        Self(mixed ^ (mixed >> 15))
    }

    /// Returns the number itself, for tables.
    pub fn value(self) -> u32 {
        self.0
    }
}

/// One element of a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symbol {
    /// A number of digits.
    Digits(u8),
    /// A number of letters.
    Letters(u8),
    /// A number of letters and digits in any order.
    Any(u8),
    /// One of [`SEPARATORS`].
    Separator(u8),
}

impl Symbol {
    fn code(self) -> u16 {
        match self {
            Self::Digits(len) => 0x100 | u16::from(len),
            Self::Letters(len) => 0x200 | u16::from(len),
            Self::Any(len) => 0x300 | u16::from(len),
            Self::Separator(byte) => 0x400 | u16::from(byte),
        }
    }

    fn len(self) -> u8 {
        match self {
            Self::Digits(len) | Self::Letters(len) | Self::Any(len) => len,
            Self::Separator(_) => 0,
        }
    }

    /// Returns the symbol of two adjacent runs of the same class.
    fn joined(self, next: Self) -> Option<Self> {
        match (self, next) {
            (Self::Digits(a), Self::Digits(b)) => Some(Self::Digits(a.saturating_add(b))),
            (Self::Letters(a), Self::Letters(b)) => Some(Self::Letters(a.saturating_add(b))),
            (Self::Any(a), Self::Any(b)) => Some(Self::Any(a.saturating_add(b))),
            _ => None,
        }
    }
}

/// One way of writing an identifier.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Runs and separators; adjacent runs of one class are one.
    pub symbols: Vec<Symbol>,
    /// The literal prefix, upper case; part of the first run.
    pub literal: String,
}

impl Layout {
    /// Returns the signature of the whole layout.
    pub fn signature(&self) -> Signature {
        self.symbols.iter().fold(Signature::EMPTY, |signature, symbol| signature.with(*symbol))
    }

    /// Returns the layout without its separators.
    pub fn compact(&self) -> Self {
        let mut compact = Self { symbols: Vec::new(), literal: self.literal.clone() };
        for symbol in &self.symbols {
            if !matches!(symbol, Symbol::Separator(_)) {
                compact.push(*symbol);
            }
        }
        compact
    }

    /// Returns the number of characters without separators, including the literal prefix.
    pub fn len(&self) -> usize {
        self.symbols.iter().map(|symbol| usize::from(symbol.len())).sum()
    }

    /// Whether the characters have the classes of the layout after its literal prefix.
    pub fn body_matches(&self, body: impl Iterator<Item = u8>) -> bool {
        let mut body = body;
        let mut literal = self.literal.len();
        for symbol in &self.symbols {
            let skipped = literal.min(usize::from(symbol.len()));
            literal -= skipped;
            for _ in skipped..usize::from(symbol.len()) {
                let matches = body.next().is_some_and(|byte| match symbol {
                    Symbol::Digits(_) => byte.is_ascii_digit(),
                    Symbol::Letters(_) => byte.is_ascii_alphabetic(),
                    Symbol::Any(_) => byte.is_ascii_alphanumeric(),
                    Symbol::Separator(_) => false,
                });
                if !matches {
                    return false;
                }
            }
        }
        body.next().is_none()
    }

    fn push(&mut self, symbol: Symbol) {
        match self.symbols.last_mut().and_then(|last| Some((last.joined(symbol)?, last))) {
            Some((joined, last)) => *last = joined,
            None => self.symbols.push(symbol),
        }
    }
}

/// One element of a shape before it is expanded.
enum Element<'s> {
    Literal(&'s str),
    Run {
        class: fn(u8) -> Symbol,
        from: u8,
        to: u8,
    },
    /// One of `choices`, or nothing if `optional`.
    Separators {
        optional: bool,
        choices: &'s [u8],
        group: usize,
    },
}

/// Returns every layout of a shape.
///
/// # Errors
/// As [`each_layout`].
pub fn expand(shape: &str) -> Result<Vec<Layout>, &'static str> {
    let mut layouts = Vec::new();
    each_layout(shape, &mut |layout| layouts.push(layout.clone()))?;
    Ok(layouts)
}

/// Calls `show` for every layout of a shape; layouts with a common prefix are consecutive.
///
/// # Errors
/// The fault of the shape, without quoting it.
pub fn each_layout(shape: &str, show: &mut dyn FnMut(&Layout)) -> Result<(), &'static str> {
    let (elements, groups) = parse(shape)?;
    if count(&elements) > MAX_LAYOUTS {
        return Err("stands for too many layouts");
    }
    // a run of letters and digits in any order includes the literal prefix
    let any = elements
        .iter()
        .any(|element| matches!(element, Element::Run { class, .. } if matches!(class(1), Symbol::Any(_))));
    let literal_class = if any { Symbol::Any } else { Symbol::Letters };
    let mut walk =
        Expansion { layout: Layout::default(), taken: vec![None; groups], literal_class, empty: false, show };
    walk.on(&elements);
    if walk.empty { Err("stands for an empty or an endless layout") } else { Ok(()) }
}

/// Counts the layouts: all choices of each element; elements of one group of brackets are chosen together.
fn count(elements: &[Element<'_>]) -> usize {
    let mut groups = 0;
    let choices = elements.iter().map(|element| match element {
        Element::Run { from, to, .. } => usize::from(to - from) + 1,
        Element::Separators { optional, choices, group } if *group == groups => {
            groups += 1;
            usize::from(*optional) + choices.len()
        }
        Element::Literal(_) | Element::Separators { .. } => 1,
    });
    choices.fold(1, usize::saturating_mul)
}

/// Expands the elements of a shape: every choice of each.
struct Expansion<'s> {
    layout: Layout,
    /// The current choice of each group of brackets: a separator or nothing.
    taken: Vec<Option<Option<Symbol>>>,
    literal_class: fn(u8) -> Symbol,
    /// A layout was empty or too long.
    empty: bool,
    show: &'s mut dyn FnMut(&Layout),
}

impl Expansion<'_> {
    /// Expands the remaining elements.
    fn on(&mut self, elements: &[Element<'_>]) {
        let Some((element, rest)) = elements.split_first() else {
            self.empty |= self.layout.len() == 0 || self.layout.len() > 2 * MAX_RUN;
            return (self.show)(&self.layout);
        };
        match element {
            Element::Literal(literal) => {
                self.layout.literal = (*literal).to_owned();
                self.with(Some((self.literal_class)(literal.len() as u8)), rest);
            }
            Element::Run { class, from, to } => {
                (*from..=*to).for_each(|len| self.with(Some(class(len)), rest));
            }
            Element::Separators { optional, choices, group } => {
                let before = self.taken.get(*group).copied().flatten();
                let choices = choices.iter().map(|byte| Some(Symbol::Separator(*byte)));
                for choice in optional.then_some(None).into_iter().chain(choices) {
                    if before.is_none_or(|before| before == choice) {
                        self.taken.get_mut(*group).into_iter().for_each(|taken| *taken = Some(choice));
                        self.with(choice, rest);
                    }
                }
                self.taken.get_mut(*group).into_iter().for_each(|taken| *taken = before);
            }
        }
    }

    /// Appends a symbol, expands the rest, and removes the symbol.
    fn with(&mut self, symbol: Option<Symbol>, rest: &[Element<'_>]) {
        let (len, last) = (self.layout.symbols.len(), self.layout.symbols.last().copied());
        symbol.into_iter().for_each(|symbol| self.layout.push(symbol));
        self.on(rest);
        self.layout.symbols.truncate(len);
        if let (Some(now), Some(last)) = (self.layout.symbols.last_mut(), last) {
            *now = last;
        }
    }
}

/// Returns the elements of a shape, and its number of groups of brackets.
fn parse(shape: &str) -> Result<(Vec<Element<'_>>, usize), &'static str> {
    let mut elements = Vec::new();
    let mut groups: Vec<&str> = Vec::new();
    let mut rest = shape;
    while let Some(first) = rest.bytes().next() {
        if first.is_ascii_uppercase() {
            if !elements.is_empty() {
                return Err("has a literal after its beginning");
            }
            let (literal, after) = take(rest, |byte| byte.is_ascii_uppercase());
            elements.push(Element::Literal(literal));
            rest = after;
        } else if let Some(class) = class(first) {
            let (from, after) = length(skip(rest))?;
            let (to, after) = match after.strip_prefix("..") {
                Some(after) => length(after)?,
                None => (from, after),
            };
            if from > to {
                return Err("has a run whose shortest length exceeds its longest");
            }
            elements.push(Element::Run { class, from, to });
            rest = after;
        } else if first == b'[' {
            let (inside, after) = skip(rest).split_once(']').ok_or("has a bracket that is not closed")?;
            let (optional, after) = match after.strip_prefix('?') {
                Some(after) => (true, after),
                None => (false, after),
            };
            if inside.is_empty() || !inside.bytes().all(|byte| SEPARATORS.contains(&byte)) {
                return Err("has a bracket with something other than separators");
            }
            let whole = rest.strip_suffix(after).unwrap_or(rest);
            let group = groups.iter().position(|known| *known == whole).unwrap_or_else(|| {
                groups.push(whole);
                groups.len() - 1
            });
            elements.push(Element::Separators { optional, choices: inside.as_bytes(), group });
            rest = after;
        } else if SEPARATORS.contains(&first) {
            groups.push("");
            let (choice, after) = rest.split_at_checked(1).unwrap_or_default();
            let choices = choice.as_bytes();
            elements.push(Element::Separators { optional: false, choices, group: groups.len() - 1 });
            rest = after;
        } else {
            return Err("has a character of no meaning");
        }
    }
    Ok((elements, groups.len()))
}

/// Returns the literal prefix of a shape, upper case.
pub fn literal(shape: &str) -> &str {
    take(shape, |byte| byte.is_ascii_uppercase()).0
}

fn class(letter: u8) -> Option<fn(u8) -> Symbol> {
    match letter {
        b'd' => Some(Symbol::Digits),
        b'a' => Some(Symbol::Letters),
        b'n' => Some(Symbol::Any),
        _ => None,
    }
}

/// Parses a number at the start, from 1 to [`MAX_RUN`]; returns it with the rest.
fn length(text: &str) -> Result<(u8, &str), &'static str> {
    let (digits, rest) = take(text, |byte| byte.is_ascii_digit());
    match digits.parse() {
        Ok(length) if (1..=MAX_RUN as u8).contains(&length) => Ok((length, rest)),
        _ => Err("has a run without a length from 1 to 112"),
    }
}

/// Splits a text after the longest prefix of ASCII bytes that satisfy `is`.
fn take(text: &str, is: impl Fn(u8) -> bool) -> (&str, &str) {
    let at = text.bytes().position(|byte| !is(byte)).unwrap_or(text.len());
    text.split_at_checked(at).unwrap_or((text, ""))
}

/// Returns the text without its first character, which is ASCII.
fn skip(text: &str) -> &str {
    text.get(1..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(layout: &Layout) -> String {
        let symbols = layout.symbols.iter().map(|symbol| match symbol {
            Symbol::Digits(len) => format!("d{len}"),
            Symbol::Letters(len) => format!("a{len}"),
            Symbol::Any(len) => format!("n{len}"),
            Symbol::Separator(byte) => char::from(*byte).to_string(),
        });
        symbols.collect()
    }

    #[test]
    fn expansions() {
        for (shape, layouts) in [
            ("d11", vec!["d11"]),
            ("d6[/]?d3..4", vec!["d9", "d10", "d6/d3", "d6/d4"]),
            ("d3[ -]?d3[ -]?d4", vec!["d10", "d3 d3 d4", "d3-d3-d4"]),
            ("ATUd8", vec!["a3d8"]),
            ("FN[ ]?d5[ ]?a1", vec!["a2d5a1", "a2 d5 a1"]),
            ("n4.n4", vec!["n4.n4"]),
            ("FR[ ]?n11", vec!["n13", "n2 n11"]),
            ("d2-d2-d2", vec!["d2-d2-d2"]),
            ("a1d6(d1", vec!["a1d6(d1"]), // Hong Kong's identity card, A123456(3)
            ("CHE[-]?d3[.]?d3[.]?d3[ ]a4", vec!["a3d9 a4", "a3d3.d3.d3 a4", "a3-d9 a4", "a3-d3.d3.d3 a4"]),
            ("a6d2a1d2a1d3a1", vec!["a6d2a1d2a1d3a1"]), // Italy's codice fiscale
        ] {
            let expanded: Vec<String> = expand(shape).unwrap().iter().map(written).collect();
            assert_eq!(expanded, layouts, "{shape}");
        }
        assert_eq!(expand("ATUd8").unwrap()[0].literal, "ATU");
        // one group of brackets is one choice, however often it occurs
        assert_eq!(expand(&["d1"; 20].join("[ -]?")).unwrap().len(), 3);
        assert_eq!(expand("d1..64[ ]?d1..64").unwrap_err(), "stands for too many layouts");
        for wrong in ["", "d", "d0", "d113", "d4..2", "x3", "d3[", "d3[]d3", "d3CZ", "d3[x]d3"] {
            assert!(expand(wrong).is_err(), "{wrong}");
        }
    }
}
