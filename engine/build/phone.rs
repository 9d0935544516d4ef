//! Compiles the telephone numbering plans (`src/phone/plans.toml`) into the tables of `src/phone`.
//!
//! Numbers have few digits, so every pattern is a finite set of digit strings. All of them form one acyclic
//! automaton (a DAWG) with shared suffixes. Patterns are parsed into a small program as in regex engines, its
//! sets of threads are followed digit by digit, and equal nodes are merged from the leaves up, so the
//! automaton is minimal. libphonenumber's decisions after matching (lengths, order of line types, the region
//! of a shared calling code) are precomputed here, so at run time the node at the end of a number determines
//! the result.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    reason = "the build stops at a plan that it cannot read"
)]

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fmt::{Debug, Write},
};

use serde::Deserialize;

/// The maximum number of digits of a national number in libphonenumber (E.164 itself allows 15 with the
/// calling code).
const LONGEST: u8 = 17;
/// The bit of a next node that is encoded as a distance, and the offset added to the distance.
const RELATIVE: u16 = 1 << 15;
const MIDDLE: i32 = 1 << 14;

/// The numbering plan of one region, or of a calling code that belongs to none.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Plan {
    code: u16,
    #[serde(default)]
    main: bool,
    prefix: Option<String>,
    rewrite: Option<String>,
    lengths: BTreeSet<u8>,
    general: String,
    lines: BTreeMap<LineType, String>,
}

/// In the order in which libphonenumber asks for them.
#[derive(Deserialize, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "snake_case")]
enum LineType {
    PremiumRate,
    TollFree,
    SharedCost,
    Voip,
    PersonalNumber,
    Pager,
    Uan,
    Voicemail,
    FixedLine,
    Mobile,
    #[serde(skip)]
    FixedLineOrMobile,
}

/// The Rust source of the tables.
pub fn compile(source: &str) -> String {
    let plans: BTreeMap<String, Plan> = toml::from_str(source).expect("plans.toml is a table of plans");
    let mut by_code = BTreeMap::<u16, Vec<(&str, &Plan)>>::new();
    for (region, plan) in &plans {
        by_code.entry(plan.code).or_default().push((region, plan));
    }

    let mut automaton = Automaton::default();
    let (mut verdicts, mut rewrites, mut endings) = (Table::default(), Table::default(), Table::default());
    let (mut codes, mut regions) = (Vec::new(), Vec::new());
    for (code, mut shared) in by_code {
        // libphonenumber: the main region first, the others in the order of its metadata
        shared.sort_by_key(|(_, plan)| !plan.main);
        let root = national_numbers(&mut automaton, &mut verdicts, &shared);
        codes.push((code, root, regions.len()));
        for (region, plan) in shared {
            let prefix = plan.prefix.as_ref().map_or(0, |pattern| {
                let rewrite = plan.rewrite.as_deref();
                national_prefix(&mut automaton, &mut rewrites, &mut endings, pattern, rewrite)
            });
            let general = if prefix == 0 { 0 } else { general_numbers(&mut automaton, &plan.general) };
            regions.push((region, codes.len() - 1, prefix, general, bits(&plan.lengths)));
        }
    }
    let (words, offsets) = automaton.pack();

    let mut out = String::new();
    let node = |id: usize| offsets[id];
    let country = |region: &str| format!("Country::literal(*b\"{region}\")");
    let mut by_value = vec![0; 1000];
    for (index, (code, ..)) in codes.iter().enumerate() {
        by_value[usize::from(*code)] = u8::try_from(index + 1).expect("fewer than 256 calling codes");
    }
    array(&mut out, "NODES", "u16", words.iter());
    array(&mut out, "CODES_BY_VALUE", "u8", by_value.iter());
    array(
        &mut out,
        "CALLING_CODES",
        "CallingCode",
        codes.iter().map(|&(code, root, first)| {
            Source(format!("CallingCode {{ code: {code}, numbers: {}, first: {first} }}", node(root)))
        }),
    );
    array(
        &mut out,
        "REGIONS",
        "Region",
        regions.iter().map(|&(region, code, prefix, general, lengths)| {
            let country =
                if is_country(region) { format!("Some({})", country(region)) } else { "None".to_owned() };
            Source(format!(
                "Region {{ country: {country}, calling_code: {code}, prefix: {}, general: {}, \
                 lengths: {lengths} }}",
                node(prefix),
                node(general),
            ))
        }),
    );
    let mut countries: Vec<_> =
        regions.iter().enumerate().filter(|(_, (region, ..))| is_country(region)).collect();
    countries.sort_by_key(|(_, (region, ..))| *region);
    array(
        &mut out,
        "COUNTRIES",
        "(Country, u8)",
        countries.iter().map(|(index, (region, ..))| Source(format!("({}, {index})", country(region)))),
    );
    array(
        &mut out,
        "VERDICTS",
        "NumberClass",
        verdicts.0.iter().map(|(rank, line)| {
            Source(format!("NumberClass {{ region: {rank}, line_type: LineType::{line:?} }}"))
        }),
    );
    array(
        &mut out,
        "ENDINGS",
        "Ending",
        endings.0.iter().map(|(last, inside)| Source(format!("Ending {{ last: {last}, inside: {inside} }}"))),
    );
    array(&mut out, "REWRITES", "Rewrite", rewrites.0.iter());
    out
}

/// Whether the key of a plan is an ISO 3166 code; otherwise it is a calling code.
fn is_country(region: &str) -> bool {
    region.len() == 2
}

/// Builds the automaton of the valid numbers under one calling code; the class encodes the region and the
/// line type.
fn national_numbers(
    automaton: &mut Automaton,
    verdicts: &mut Table<(usize, LineType)>,
    regions: &[(&str, &Plan)],
) -> usize {
    #[derive(PartialEq, Eq, PartialOrd, Ord, Clone, Copy)]
    enum Part {
        General,
        Line(LineType),
    }
    let mut program = Program::default();
    let (mut parts, mut starts) = (Vec::new(), Vec::new());
    for (rank, (_, plan)) in regions.iter().enumerate() {
        let lines = plan.lines.iter().map(|(line, pattern)| (Part::Line(*line), pattern));
        for (part, pattern) in lines.chain([(Part::General, &plan.general)]) {
            let done = program.push(Op::Match(parts.len()));
            starts.push(program.emit(&parse(pattern), done));
            parts.push((rank, part));
        }
    }

    let mut class = |threads: &[Thread], length: u8| {
        let matched: BTreeSet<_> = program.matches(threads).map(|number| parts[number]).collect();
        let line_of = |(rank, (_, plan)): (usize, &(&str, &Plan))| {
            let is = |line: LineType| matched.contains(&(rank, Part::Line(line)));
            let possible = matched.contains(&(rank, Part::General)) && plan.lengths.contains(&length);
            let line = plan.lines.keys().copied().find(|line| is(*line)).filter(|_| possible)?;
            let both = line == LineType::FixedLine && is(LineType::Mobile);
            Some((rank, if both { LineType::FixedLineOrMobile } else { line }))
        };
        regions.iter().enumerate().find_map(line_of).map_or(0, |verdict| verdicts.number(verdict))
    };
    automaton.add(&program, &starts, false, &mut class)
}

/// Builds the automaton of a plan's general pattern, without its lengths; class 1 is a match.
fn general_numbers(automaton: &mut Automaton, pattern: &str) -> usize {
    let mut program = Program::default();
    let done = program.push(Op::Match(0));
    let start = program.emit(&parse(pattern), done);
    automaton.add(&program, &[start], false, &mut |threads, _| {
        usize::from(program.matches(threads).next().is_some())
    })
}

/// The rewrite of the digits that a prefix pattern matches.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Rewrite {
    /// Digits inserted at the front.
    front: Source,
    /// The range of the matched digits that stay.
    keep: (u8, u8),
    /// The number of matched digits.
    matched: u8,
}

/// Builds the automaton of a national prefix for parsing, which takes the first match in order of preference,
/// as regexes do.
///
/// The class is an ending: the rewrite if the number ends here, and that if it continues.
fn national_prefix(
    automaton: &mut Automaton,
    rewrites: &mut Table<Rewrite>,
    endings: &mut Table<(usize, usize)>,
    pattern: &str,
    rewrite: Option<&str>,
) -> usize {
    let mut program = Program::default();
    let done = program.push(Op::Match(0));
    let start = program.emit(&parse(pattern), done);
    let rewrite = rewrite.map(|rule| {
        let (front, group) = rule.split_once('$').expect("a rewriting rule names a group");
        (front, group.parse::<usize>().expect("a rewriting rule ends in its group"))
    });
    let mut outcome = |threads: &[Thread], length: u8, last: bool| {
        let thread = threads.iter().find(|thread| match program.0[thread.at] {
            Op::Match(_) => true,
            Op::End(next) => last && matches!(program.0[next], Op::Match(_)),
            _ => false,
        })?;
        let kept = rewrite.and_then(|(front, group)| Some((front, thread.groups[group - 1]?)));
        let (front, keep) = kept.unwrap_or(("", (0, 0)));
        Some(rewrites.number(Rewrite { front: Source(format!("b\"{front}\"")), keep, matched: length }))
    };
    automaton.add(&program, &[start], true, &mut |threads, length| {
        let ending = [true, false].map(|last| outcome(threads, length, last).unwrap_or(0));
        if ending == [0, 0] { 0 } else { endings.number((ending[0], ending[1])) }
    })
}

/// A set of numbers below 32 as the bits of a word.
fn bits(numbers: &BTreeSet<u8>) -> u32 {
    numbers.iter().fold(0, |bits, number| bits | 1 << number)
}

/// Values by number, from 1.
struct Table<T>(Vec<T>);

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: PartialEq> Table<T> {
    /// The number of a value, which is added if it is new.
    fn number(&mut self, value: T) -> usize {
        let index = self.0.iter().position(|known| *known == value).unwrap_or_else(|| {
            self.0.push(value);
            self.0.len() - 1
        });
        index + 1
    }
}

/// Rust source, written verbatim.
#[derive(Clone, PartialEq, Eq)]
struct Source(String);

impl Debug for Source {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.0)
    }
}

/// Writes a static array.
fn array<T: Debug>(out: &mut String, name: &str, of: &str, items: impl ExactSizeIterator<Item = T>) {
    write!(out, "static {name}: [{of}; {}] = [", items.len()).expect("a string takes any text");
    for item in items {
        write!(out, "{item:?},").expect("a string takes any text");
    }
    out.push_str("];\n");
}

/// An acyclic automaton over digits without duplicate nodes.
struct Automaton {
    nodes: Vec<Node>,
    ids: HashMap<Node, usize>,
}

/// Node 0 matches nothing.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
struct Node {
    class: usize,
    next: [usize; 10],
}

impl Node {
    /// Returns the runs of digits that lead to the same node: the start of each, and the node.
    fn runs(&self) -> impl Iterator<Item = (usize, usize)> {
        let begins = |digit: &usize| *digit == 0 || self.next[digit - 1] != self.next[*digit];
        (0..10).filter(begins).map(|digit| (digit, self.next[digit]))
    }
}

impl Default for Automaton {
    fn default() -> Self {
        Self { nodes: vec![Node::default()], ids: HashMap::from([(Node::default(), 0)]) }
    }
}

/// Returns the class of a number with this many digits, from the remaining threads.
type Classify<'a> = dyn FnMut(&[Thread], u8) -> usize + 'a;

impl Automaton {
    /// Adds the strings that a program matches; returns the first node.
    fn add(&mut self, program: &Program, starts: &[usize], ordered: bool, class: &mut Classify) -> usize {
        let first = starts.iter().map(|&at| Thread { at, groups: [None; 2] });
        let first = program.settle(first, 0, ordered);
        self.follow(program, first, 0, ordered, class, &mut HashMap::new())
    }

    fn follow(
        &mut self,
        program: &Program,
        threads: Vec<Thread>,
        length: u8,
        ordered: bool,
        class: &mut Classify,
        known: &mut HashMap<(u8, Vec<Thread>), usize>,
    ) -> usize {
        if let Some(id) = known.get(&(length, threads.clone())) {
            return *id;
        }
        let mut node = Node { class: class(&threads, length), next: [0; 10] };
        if length < LONGEST {
            for digit in 0..10 {
                // most digits lead to the same node as the preceding one
                if digit > 0 && !threads.iter().any(|thread| program.parts(thread.at, digit)) {
                    node.next[digit] = node.next[digit - 1];
                    continue;
                }
                let ahead = threads.iter().filter_map(|thread| match program.0[thread.at] {
                    Op::Digit(digits, next) if digits >> digit & 1 == 1 => {
                        Some(Thread { at: next, ..thread.clone() })
                    }
                    _ => None,
                });
                let ahead = program.settle(ahead, length + 1, ordered);
                if !ahead.is_empty() {
                    node.next[digit] = self.follow(program, ahead, length + 1, ordered, class, known);
                }
            }
        }
        let id = *self.ids.entry(node.clone()).or_insert(self.nodes.len());
        if id == self.nodes.len() {
            self.nodes.push(node);
        }
        known.insert((length, threads), id);
        id
    }

    /// Returns the nodes as words, and the offset of each.
    ///
    /// A node is a header and the next nodes of its runs of digits. Bit d of the header means that digit d +
    /// 1 begins a run, the bits from 9 up are the class. A next node is its offset or, with the highest bit
    /// set, its distance from the end of this node plus [`MIDDLE`]. Most nodes have one predecessor and
    /// directly follow it, so the same words repeat, and compress to three quarters.
    fn pack(&self) -> (Vec<u16>, Vec<u16>) {
        let mut near = self.near();
        let offsets = loop {
            let offsets = self.offsets(&near);
            let far = |id: usize, next: usize| distance(self.end(id, &offsets), offsets[next]).is_none();
            let edges =
                self.nodes.iter().enumerate().flat_map(|(id, node)| node.runs().map(move |run| (id, run.1)));
            let too_far: Vec<usize> =
                edges.filter(|(id, next)| near[*next] && far(*id, *next)).map(|(_, next)| next).collect();
            if too_far.is_empty() {
                break offsets;
            }
            for id in too_far {
                near[id] = false;
            }
        };
        let end = self.nodes.iter().map(|node| 1 + node.runs().count()).sum();
        let mut words = vec![0; end];
        for (id, (node, offset)) in self.nodes.iter().zip(&offsets).enumerate() {
            let at = usize::from(*offset);
            let class = u16::try_from(node.class).ok().filter(|class| *class < 128);
            words[at] = class.expect("an automaton has at most 127 classes") << 9;
            for (run, (digit, next)) in node.runs().enumerate() {
                if digit > 0 {
                    words[at] |= 1 << (digit - 1);
                }
                let to = offsets[next];
                words[at + 1 + run] = if near[next] {
                    RELATIVE | distance(self.end(id, &offsets), to).expect("none is too far")
                } else {
                    assert!(to < RELATIVE, "too many nodes follow on several others");
                    to
                };
            }
        }
        (words, offsets)
    }

    /// Returns the number of predecessors of each node.
    fn uses(&self) -> Vec<usize> {
        let mut uses = vec![0; self.nodes.len()];
        for (_, next) in self.nodes.iter().flat_map(Node::runs) {
            uses[next] += 1;
        }
        uses
    }

    /// Returns which nodes have so few predecessors that they are encoded as distances.
    fn near(&self) -> Vec<bool> {
        // node 0 matches nothing
        self.uses().iter().enumerate().map(|(id, uses)| id > 0 && *uses <= 4).collect()
    }

    /// Returns the offset of the end of a node.
    fn end(&self, id: usize, offsets: &[u16]) -> u16 {
        offsets[id] + 1 + self.nodes[id].runs().count() as u16
    }

    /// Returns the offset of each node.
    fn offsets(&self, near: &[bool]) -> Vec<u16> {
        let mut offsets = vec![0; self.nodes.len()];
        let mut end = 0;
        for id in self.order(near) {
            offsets[id] = u16::try_from(end).expect("the automaton has at most 65,536 words");
            end += 1 + self.nodes[id].runs().count();
        }
        offsets
    }

    /// Returns the layout order of the nodes: first those with the most predecessors, each followed by its
    /// near successors.
    fn order(&self, near: &[bool]) -> Vec<usize> {
        let uses = self.uses();
        let mut order: Vec<usize> = (0..self.nodes.len()).filter(|id| !near[*id]).collect();
        order.sort_by_key(|id| (*id > 0, std::cmp::Reverse(uses[*id])));
        let mut laid: Vec<bool> = near.iter().map(|near| !near).collect();
        // a node is created after its successors
        let mut open: Vec<usize> = (0..self.nodes.len()).collect();
        let mut entered = vec![false; self.nodes.len()];
        while let Some(id) = open.pop() {
            if !laid[id] {
                laid[id] = true;
                order.push(id);
            }
            if !entered[id] {
                entered[id] = true;
                let next: Vec<usize> = self.nodes[id].runs().map(|(_, next)| next).collect();
                open.extend(next.into_iter().rev());
            }
        }
        order
    }
}

/// Returns the distance between two offsets plus [`MIDDLE`]. `None` if it does not fit.
fn distance(from: u16, to: u16) -> Option<u16> {
    u16::try_from(i32::from(to) - i32::from(from) + MIDDLE).ok().filter(|distance| *distance < RELATIVE)
}

/// A place in a program and what the groups have captured on the way there.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Thread {
    at: usize,
    groups: [Option<(u8, u8)>; 2],
}

/// One step of a program.
enum Op {
    /// Any of these digits (bits), then on.
    Digit(u16, usize),
    /// The first way rather than the second.
    Split(usize, usize),
    /// A group begins here.
    Open(usize, usize),
    /// A group ends here.
    Close(usize, usize),
    /// Only at the end of the number.
    End(usize),
    /// The pattern of that number matches.
    Match(usize),
}

/// Patterns as a program, built from its end.
#[derive(Default)]
struct Program(Vec<Op>);

impl Program {
    fn push(&mut self, op: Op) -> usize {
        self.0.push(op);
        self.0.len() - 1
    }

    /// Adds a pattern before `next`; the answer is where it begins.
    fn emit(&mut self, pattern: &Pattern, next: usize) -> usize {
        match pattern {
            Pattern::Digit(digits) => self.push(Op::Digit(*digits, next)),
            Pattern::End => self.push(Op::End(next)),
            Pattern::Sequence(parts) => parts.iter().rev().fold(next, |next, part| self.emit(part, next)),
            Pattern::Either(parts) => {
                let ways: Vec<_> = parts.iter().map(|part| self.emit(part, next)).collect();
                ways.into_iter()
                    .rev()
                    .reduce(|rest, way| self.push(Op::Split(way, rest)))
                    .expect("an alternation has a way")
            }
            Pattern::Group(group, inner) => {
                let close = self.push(Op::Close(*group, next));
                let inner = self.emit(inner, close);
                self.push(Op::Open(*group, inner))
            }
            Pattern::Repeat(inner, least, most) => {
                let optional = (*least..*most).fold(next, |rest, _| {
                    let once = self.emit(inner, rest);
                    self.push(Op::Split(once, next))
                });
                (0..*least).fold(optional, |rest, _| self.emit(inner, rest))
            }
        }
    }

    /// Whether a step takes one of that digit and the one before, and not the other.
    fn parts(&self, at: usize, digit: usize) -> bool {
        matches!(self.0[at], Op::Digit(digits, _) if (digits >> digit ^ digits >> (digit - 1)) & 1 == 1)
    }

    /// The numbers of the patterns that match where these threads are.
    fn matches(&self, threads: &[Thread]) -> impl Iterator<Item = usize> {
        threads.iter().filter_map(|thread| match self.0[thread.at] {
            Op::Match(pattern) => Some(pattern),
            _ => None,
        })
    }

    /// Moves threads on to where they wait for a digit or have matched. In an ordered program a match ends
    /// all threads of less preference; else the order is of no matter and is made the same for all.
    fn settle(&self, threads: impl Iterator<Item = Thread>, length: u8, ordered: bool) -> Vec<Thread> {
        let mut settled = Vec::<Thread>::new();
        let mut stack: Vec<_> = threads.collect();
        stack.reverse();
        let mut seen = BTreeSet::new();
        while let Some(mut thread) = stack.pop() {
            if !seen.insert(thread.at) {
                continue;
            }
            match self.0[thread.at] {
                Op::Split(first, second) => {
                    stack.push(Thread { at: second, ..thread.clone() });
                    stack.push(Thread { at: first, ..thread });
                }
                Op::Open(group, next) => {
                    // groups from the third on are of no rewriting rule
                    if let Some(span) = thread.groups.get_mut(group - 1) {
                        *span = Some((length, length));
                    }
                    stack.push(Thread { at: next, ..thread });
                }
                Op::Close(group, next) => {
                    if let Some(Some(span)) = thread.groups.get_mut(group - 1) {
                        span.1 = length;
                    }
                    stack.push(Thread { at: next, ..thread });
                }
                Op::Match(_) if ordered => {
                    settled.push(thread);
                    break;
                }
                Op::Digit(..) | Op::End(_) | Op::Match(_) => settled.push(thread),
            }
        }
        if !ordered {
            settled.sort();
        }
        settled
    }
}

/// A regular expression over digits.
enum Pattern {
    /// Any of these digits, as bits.
    Digit(u16),
    /// `$`
    End,
    Sequence(Vec<Pattern>),
    Either(Vec<Pattern>),
    /// A capturing group and its number.
    Group(usize, Box<Pattern>),
    /// From so many to so many times, rather more than less.
    Repeat(Box<Pattern>, u8, u8),
}

/// All ten digits.
const ANY: u16 = 0x3ff;

/// Parses a pattern.
///
/// # Panics
/// Panics if a pattern holds more than digits, classes of digits, `\d`, groups, `|`, `?`, `{n}`, `{m,n}` and `$`.
fn parse(pattern: &str) -> Pattern {
    let mut parser = Parser { rest: pattern, groups: 0 };
    let parsed = parser.either();
    assert!(parser.rest.is_empty(), "cannot read {:?} in the pattern {pattern:?}", parser.rest);
    parsed
}

struct Parser<'a> {
    rest: &'a str,
    groups: usize,
}

impl Parser<'_> {
    fn eat(&mut self, token: &str) -> bool {
        self.rest.strip_prefix(token).map(|rest| self.rest = rest).is_some()
    }

    fn number(&mut self) -> u8 {
        let end = self.rest.find(|next: char| !next.is_ascii_digit()).unwrap_or(self.rest.len());
        let (number, rest) = self.rest.split_at(end);
        self.rest = rest;
        number.parse().unwrap_or_else(|_| panic!("no number of times before {rest:?}"))
    }

    fn digit(&mut self) -> Option<u16> {
        let digit = self.rest.chars().next()?.to_digit(10)?;
        self.rest = &self.rest[1..];
        u16::try_from(digit).ok()
    }

    fn either(&mut self) -> Pattern {
        let mut parts = vec![self.sequence()];
        while self.eat("|") {
            parts.push(self.sequence());
        }
        if parts.len() > 1 { Pattern::Either(parts) } else { parts.remove(0) }
    }

    fn sequence(&mut self) -> Pattern {
        let mut parts = Vec::new();
        while let Some(part) = self.atom() {
            let times = if self.eat("?") {
                (0, 1)
            } else if self.eat("{") {
                let least = self.number();
                let most = if self.eat(",") { self.number() } else { least };
                assert!(self.eat("}"), "a number of times is not closed before {:?}", self.rest);
                (least, most)
            } else {
                (1, 1)
            };
            parts.push(if times == (1, 1) {
                part
            } else {
                Pattern::Repeat(Box::new(part), times.0, times.1)
            });
        }
        Pattern::Sequence(parts)
    }

    fn atom(&mut self) -> Option<Pattern> {
        if self.eat("(?:") {
            let inner = self.either();
            assert!(self.eat(")"), "a group is not closed before {:?}", self.rest);
            return Some(inner);
        }
        if self.eat("(") {
            self.groups += 1;
            let group = self.groups;
            let inner = self.either();
            assert!(self.eat(")"), "a group is not closed before {:?}", self.rest);
            return Some(Pattern::Group(group, Box::new(inner)));
        }
        if self.eat("[") {
            let mut digits = 0;
            while let Some(first) = self.digit() {
                let last = if self.eat("-") { self.digit().expect("a range has an end") } else { first };
                digits |= (first..=last).fold(0, |digits, digit| digits | 1 << digit);
            }
            assert!(self.eat("]"), "a class is not closed before {:?}", self.rest);
            return Some(Pattern::Digit(digits));
        }
        if self.eat("\\d") {
            return Some(Pattern::Digit(ANY));
        }
        if self.eat("$") {
            return Some(Pattern::End);
        }
        self.digit().map(|digit| Pattern::Digit(1 << digit))
    }
}
