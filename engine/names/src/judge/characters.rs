//! The features of characters of scripts without spaces: the characters around, their classes, and the names
//! of the lexicons that begin or end here.

use textveil_phrase::Phrase;

use super::{
    Bits, Features, Judged,
    Of::{self, Knowledge, Letters},
    Region, Sums, Unit, WITHIN, Weights, feature, product,
    regions::{Link, is_katakana, is_mark},
};
use crate::{Known, lexicon, recent::Memo};

/// The number of characters read before and after a region.
const AROUND: usize = 6;
/// The number of characters before and after one of which each alone is a feature.
const NEAR: usize = 3;
/// The maximum length of a name in the lexicon, in characters.
const MAX_NAME: usize = 4;
/// The number of characters at the beginning of a Thai word that tell whether it is a title.
const TITLE: usize = 3;

/// A character, and what is known of it.
#[derive(Clone, Copy, Debug, Default)]
struct SeenCharacter {
    letter: u32,
    class: u32,
    /// The characters before it within the run of characters of its class, and those after it.
    before: u32,
    after: u32,
    /// The longest family name that begins here, and the longest given name: its length and its frequency.
    family: u32,
    given: u32,
    /// The names that end here.
    ends: u32,
    known: bool,
}

impl SeenCharacter {
    /// Reads a character, without those around it.
    fn new(letter: char) -> Self {
        Self { letter: letter.into(), class: class(letter), ..Self::default() }
    }

    /// The names that begin and end here, in 20 bits.
    fn names(&self) -> u64 {
        (self.family | self.given << 5 | self.ends << 10).into()
    }
}

/// The class of a character.
fn class(letter: char) -> u32 {
    match letter {
        // the most frequent first
        '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}' | '々' => 4,
        '\u{ac00}'..='\u{d7a3}' => 7,
        '\u{e00}'..='\u{e4f}' | '\u{e5a}'..='\u{e7f}' => 8,
        '\0' => 0,
        '\n' => 1,
        '0'..='9' | '\u{ff10}'..='\u{ff19}' | '\u{e50}'..='\u{e59}' => 2,
        ' ' | '\u{3000}' | '\t' => 3,
        '\u{3040}'..='\u{309f}' => 5,
        _ if is_katakana(letter) => 6,
        '\u{e80}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' => 9,
        '「' | '『' | '（' | '(' | '《' | '〈' | '“' | '"' => 10,
        '」' | '』' | '）' | ')' | '》' | '〉' | '”' => 11,
        '・' | '·' | '＝' => 12,
        '、' | '，' | ',' => 13,
        '。' | '.' | '!' | '?' | '！' | '？' => 14,
        ':' | '：' => 15,
        letter if letter.is_alphabetic() => 16,
        _ => 17,
    }
}

/// The characters of a region and around it.
#[derive(Default)]
struct Seen {
    characters: Vec<SeenCharacter>,
    /// The place of each unit among them.
    places: Vec<usize>,
}

impl Seen {
    /// Reads the characters of a region, with [`AROUND`] before and after it. A gap between two units is one character.
    fn read(&mut self, text: &str, region: &Region, known: &Known) {
        let Self { characters, places } = self;
        characters.clear();
        places.clear();
        let (Some(first), Some(last)) = (region.units.first(), region.units.last()) else { return };
        let is_letter = |letter: &char| !is_mark(*letter);
        let mut before = ['\0'; AROUND];
        let letters = text.get(..first.start as usize).unwrap_or_default().chars().rev().filter(is_letter);
        before.iter_mut().rev().zip(letters).for_each(|(place, letter)| *place = letter);
        characters.extend(before.into_iter().map(SeenCharacter::new));
        let mut end = first.start;
        for unit in &region.units {
            if unit.start > end {
                let gap = text.get(end as usize..unit.start as usize).unwrap_or_default();
                let sign = gap.chars().find(|sign| !sign.is_whitespace());
                characters.extend(sign.or(gap.chars().next()).map(SeenCharacter::new));
            }
            places.push(characters.len());
            let letter = text.get(unit.start as usize..).and_then(|rest| rest.chars().next());
            characters.extend(letter.map(SeenCharacter::new));
            end = unit.end;
        }
        let count = characters.len() + AROUND;
        let after = text.get(last.end as usize..).unwrap_or_default().chars().filter(is_letter);
        characters.extend(after.take(AROUND).map(SeenCharacter::new));
        characters.resize(count, SeenCharacter::default());
        runs(characters);
        names(text, region, known, places, characters);
    }
}

/// Writes the places of characters within the run of their class.
fn runs(seen: &mut [SeenCharacter]) {
    let (mut class, mut count) = (0, 0);
    for one in seen.iter_mut() {
        count = if one.class == class { count + 1 } else { 0 };
        (one.before, class) = (count, one.class);
    }
    (class, count) = (0, 0);
    for one in seen.iter_mut().rev() {
        count = if one.class == class { count + 1 } else { 0 };
        (one.after, class) = (count, one.class);
    }
}

/// Calls `take` with each stretch of a few characters: its first unit, its length and its phrase.
pub(super) fn each_phrase(text: &str, region: &Region, mut take: impl FnMut(usize, usize, Phrase)) {
    // the stretches that end with a unit, the shortest first
    let mut phrases = [Phrase::EMPTY; MAX_NAME];
    for (at, unit) in region.units.iter().enumerate() {
        let written = text.get(unit.start as usize..unit.end as usize).unwrap_or_default();
        let mut letters = written.chars();
        let letter = letters.next().unwrap_or_default();
        let [first, second, third, _] = phrases;
        phrases = [Phrase::EMPTY, first, second, third];
        phrases.iter_mut().for_each(|phrase| *phrase = phrase.with_letter(letter));
        if !letters.as_str().is_empty() {
            phrases.iter_mut().for_each(|phrase| *phrase = phrase.with(letters.as_str()));
        }
        for (before, phrase) in phrases.into_iter().enumerate().take(at + 1) {
            take(at - before, before + 1, phrase);
        }
    }
}

/// Writes which names of the lexicons begin and end at the characters of a region.
fn names(text: &str, region: &Region, known: &Known, places: &[usize], seen: &mut [SeenCharacter]) {
    each_phrase(text, region, |at, len, phrase| {
        let (Some(at), Some(last)) = (places.get(at).copied(), places.get(at + len - 1).copied()) else {
            return;
        };
        if len > 1 && known.contains(phrase) {
            let all = seen.get_mut(at..=last).unwrap_or_default();
            all.iter_mut().for_each(|one| one.known = true);
        }
        let Some((kind, _)) = lexicon::lookup(phrase) else { return };
        if let Some(first) = seen.get_mut(at) {
            let of = |grade: u8| len as u32 * 4 + u32::from(grade);
            first.family = if kind.family > 0 { of(kind.family) } else { first.family };
            first.given = if kind.given > 0 { of(kind.given) } else { first.given };
        }
        if let Some(last) = seen.get_mut(last) {
            last.ends |= u32::from(kind.family > 0) << (2 * len) | u32::from(kind.given > 0) << (2 * len + 1);
        }
    });
}

/// The maximum length of a part of a foreign name in Han characters, in characters.
const MAX_FOREIGN: usize = 5;

/// Extends the names of people to whole words of katakana, and over dots between the words of a foreign name.
///
/// Japanese writes a foreign name as words of katakana, of which no part is a name. Chinese has a dot between the words, and
/// a word counts if a sign or the region ends it: nothing else tells where it ends.
pub(super) fn complete(text: &str, units: &[Unit], names: &mut Vec<Judged>) {
    let katakana = |at: usize| {
        let unit = units.get(at)?;
        text.get(unit.start as usize..).map(|rest| rest.starts_with(is_katakana))
    };
    let is_within = |at: usize| units.get(at).is_some_and(|unit| unit.gap == WITHIN);
    let is_dotted = |at: usize| at > 0 && units.get(at).is_some_and(|unit| unit.link == Link::Dot);
    let joins = |at: usize| {
        at > 0
            && (is_within(at) || is_dotted(at))
            && katakana(at - 1) == Some(true)
            && katakana(at) == Some(true)
    };
    for name in names.iter_mut().filter(|name| name.tag.is_person()) {
        loop {
            while joins(name.start) {
                name.start -= 1;
            }
            let run = (1..name.start).rev().take_while(|at| is_within(*at)).count() + 1;
            if !is_dotted(name.start) || run > MAX_FOREIGN {
                break;
            }
            name.start -= run;
        }
        loop {
            while joins(name.end) {
                name.end += 1;
            }
            let run = (name.end + 1..units.len()).take_while(|at| is_within(*at)).count() + 1;
            if !is_dotted(name.end) || run > MAX_FOREIGN {
                break;
            }
            name.end += run;
        }
    }
    let mut whole: Vec<Judged> = Vec::with_capacity(names.len());
    for name in names.drain(..) {
        match whole.last_mut() {
            Some(last) if name.start < last.end => match (last.tag.is_person(), name.tag.is_person()) {
                (true, true) => {
                    last.start = last.start.min(name.start);
                    last.end = last.end.max(name.end);
                    last.margin = last.margin.max(name.margin);
                }
                (false, true) => *last = name,
                _ => {}
            },
            _ => whole.push(name),
        }
    }
    *names = whole;
}

/// The hash of the letters of characters.
fn hash<'c>(characters: impl Iterator<Item = &'c SeenCharacter>) -> u32 {
    characters.fold(7, with)
}

fn with(hash: u32, one: &SeenCharacter) -> u32 {
    (hash ^ one.letter).wrapping_mul(0x0100_0193)
}

/// The features of one character: their templates, and its places before (negative) and after the one that is judged, the last
/// place first.
const ONES: [(u32, isize); 2 * NEAR + 1] =
    [(106, 3), (105, 2), (104, 1), (100, 0), (103, -1), (102, -2), (101, -3)];

/// The templates of the features of several characters, in the order of [`grams`].
const GRAMS: [u32; 22] = [
    110, 111, 112, 113, 114, 115, 116, 120, 121, 122, 123, 124, 130, 131, 132, 133, 134, 135, 140, 141, 142,
    143,
];

/// Returns the indices of the features of several characters.
#[inline(always)]
fn grams(letters: &[u32; 2 * AROUND + 1]) -> [u32; GRAMS.len()] {
    let [a6, a5, a4, a3, a2, a1, c, b1, b2, b3, b4, b5, b6] = *letters;
    let pair = |one: u32, two: u32| one << 16 ^ two;
    let (one, two, three) = (product::<0>, product::<1>, product::<2>);
    let mut indices = [
        one(pair(a3, a2)),
        one(pair(a2, a1)),
        one(pair(a1, c)),
        one(pair(c, b1)),
        one(pair(b1, b2)),
        one(pair(b2, b3)),
        one(pair(a1, b1)),
        one(pair(a3, a2)) ^ two(a1),
        one(pair(a2, a1)) ^ two(c),
        one(pair(a1, c)) ^ two(b1),
        one(pair(c, b1)) ^ two(b2),
        one(pair(b1, b2)) ^ two(b3),
        one(pair(a4, a3)) ^ two(pair(a2, a1)),
        one(pair(a3, a2)) ^ two(pair(a1, c)),
        one(pair(c, b1)) ^ two(pair(b2, b3)),
        one(pair(b1, b2)) ^ two(pair(b3, b4)),
        one(pair(a2, a1)) ^ two(pair(c, b1)),
        one(pair(a1, c)) ^ two(pair(b1, b2)),
        one(pair(a6, a5)) ^ two(pair(a4, a3)) ^ three(pair(a2, a1)),
        one(pair(b1, b2)) ^ two(pair(b3, b4)) ^ three(pair(b5, b6)),
        one(pair(a5, a4)) ^ two(pair(a3, a2)) ^ three(a1),
        one(pair(c, b1)) ^ two(pair(b2, b3)) ^ three(b4),
    ];
    for (index, template) in indices.iter_mut().zip(GRAMS) {
        *index = super::index(template, Letters, *index);
    }
    indices
}

/// A character that is judged, among those around it.
struct Around<'s> {
    seen: &'s [SeenCharacter],
    at: usize,
    /// It with the three characters before it and the two after it.
    near: [&'s SeenCharacter; 6],
    beside: Beside,
    /// Its place within the run of its class.
    run: u32,
    /// The classes of the characters from the second before it to the second after it.
    classes: u32,
}

impl<'s> Around<'s> {
    fn new(seen: &'s [SeenCharacter], at: usize, unit: &Unit) -> Option<Self> {
        let [a3, a2, a1, c, b1, b2] = seen.get(at - 3..at + 3)? else { return None };
        Some(Self {
            seen,
            at,
            near: [a3, a2, a1, c, b1, b2],
            beside: Beside { gap: unit.gap.into(), ends: c.ends, family: c.family },
            run: c.before.min(6) << 4 | c.after.min(6),
            classes: a2.class << 20 | a1.class << 15 | c.class << 10 | b1.class << 5 | b2.class,
        })
    }

    /// Returns the letter so many places after it.
    fn letter(&self, by: isize) -> u32 {
        self.seen.get(self.at.saturating_add_signed(by)).map_or(0, |one| one.letter)
    }

    /// Returns its letter and those around it.
    #[inline(always)]
    fn letters(&self) -> [u32; 2 * AROUND + 1] {
        let all = self.seen.get(self.at - AROUND..).and_then(|seen| seen.first_chunk());
        all.map_or([0; 2 * AROUND + 1], |all| all.each_ref().map(|one| one.letter))
    }
}

/// A group of features that depend on few values: a number of these, and what adds the features.
type Group = (fn(&Around<'_>) -> u64, fn(&Around<'_>, &mut Features<'_>));

/// The features of what is known of the characters. Each number has two bits of its group, the first group is 1.
const GROUPS: [Group; 3] = [
    (
        |around| {
            let [_, _, a1, c, b1, _] = around.near;
            let known = u64::from(c.known) | u64::from(a1.known) << 1 | u64::from(b1.known) << 2;
            1 | u64::from(around.classes) << 2 | u64::from(around.run) << 27 | known << 34
        },
        |around, list| {
            let [_, _, a1, c, b1, _] = around.near;
            let Around { classes, run, .. } = *around;
            list.add(150, Knowledge, [classes, 0, 0]);
            list.add(151, Knowledge, [classes & 0xf_ffff & !0x1f, 0, 0]);
            list.add(152, Knowledge, [c.class, run, 0]);
            list.add(164, Of::known(c.known), [u32::from(c.known), u32::from(a1.known), u32::from(b1.known)]);
        },
    ),
    (
        |around| {
            let [_, _, a1, c, ..] = around.near;
            2 | u64::from(around.run) << 2 | c.names() << 9 | u64::from(a1.class) << 29
        },
        |around, list| {
            let [_, _, a1, c, ..] = around.near;
            list.add(154, Knowledge, [c.family, 0, 0]);
            list.add(155, Knowledge, [c.given, 0, 0]);
            list.add(156, Knowledge, [c.family, a1.class, around.run]);
            list.add(159, Knowledge, [c.ends, 0, 0]);
        },
    ),
    (
        |around| {
            let [a3, a2, a1, c, b1, b2] = around.near;
            let bits = |value: u32, at: u32| u64::from(value) << at;
            let given = bits(b1.given, 22) | bits(b2.given, 27);
            let family = bits(a1.family, 32) | bits(a2.family, 37) | bits(a3.family, 42);
            3 | c.names() << 2 | given | family | bits(b1.class, 47) | bits(a1.ends, 52)
        },
        |around, list| {
            let [a3, a2, a1, c, b1, b2] = around.near;
            list.add(157, Knowledge, [a1.family, b1.given, c.given]);
            list.add(158, Knowledge, [a1.family, a2.family, a3.family]);
            list.add(161, Knowledge, [c.ends, b1.class, a1.ends]);
            list.add(162, Knowledge, [c.family, b1.given, b2.given]);
        },
    ),
];

/// The values of a feature beside a letter: the class of the gap before the character that is judged, the names that end there and the
/// family name that begins there.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Beside {
    gap: u32,
    ends: u32,
    family: u32,
}

impl Beside {
    /// Most characters are within a word, and no name of the lists begins or ends there.
    const USUAL: Self = Self { gap: WITHIN as u32, ends: 0, family: 0 };
    /// The templates of these features, and the place of the letter: [`ONES`].
    const TEMPLATES: [(u32, isize); 4] = [(160, 1), (163, -1), (165, 0), (166, -1)];

    /// Returns the index of such a feature.
    fn index(self, template: u32, letter: u32) -> u32 {
        let Self { gap, ends, family } = self;
        let values = match template {
            160 => [ends, letter, 0],
            163 => [letter, family, 0],
            165 => [gap, letter, 0],
            _ => [gap, letter, family],
        };
        feature(template, Letters, values)
    }
}

/// The hash of the letters of a run, up to a place.
struct Whole {
    start: usize,
    end: usize,
    hash: u32,
}

impl Whole {
    const NONE: Self = Self { start: usize::MAX, end: 0, hash: 0 };

    /// Returns the hash of these letters, of which the last ones may have been read.
    fn read(&mut self, seen: &[SeenCharacter], start: usize, end: usize) -> u32 {
        if self.start != start || self.end > end {
            *self = Self { start, end: start, hash: hash([].iter()) };
        }
        let more = seen.get(self.end..end).unwrap_or_default();
        self.hash = more.iter().fold(self.hash, with);
        self.end = end;
        self.hash
    }
}

/// The templates of the features of the run in which a character is, in the order of [`of_run`].
const RUN: [u32; 7] = [153, 167, 168, 169, 170, 171, 172];
/// The index of no feature.
const ABSENT: u32 = u32::MAX;

/// Returns the indices of the features of the run in which a character is.
fn of_run(around: &Around<'_>, whole: &mut Whole) -> [u32; RUN.len()] {
    let Around { seen, at, run, near: [_, _, a1, c, ..], .. } = *around;
    // the whole run, for names in katakana and words between spaces
    let start = at - c.before.min(8) as usize;
    let whole = whole.read(seen, start, at + c.after.min(8) as usize + 1);
    let before = start.checked_sub(1).and_then(|at| seen.get(at)).map_or(0, |one| one.letter);
    let after = seen.get(at + c.after as usize + 1).map_or(0, |one| one.letter);
    let mut titles = [ABSENT; 3];
    // `นายสมชาย ใจดี`: a title begins the word, or that before it
    if matches!(c.class, 8 | 9) {
        let beginning = |start: usize| hash(seen.get(start..).unwrap_or_default().iter().take(TITLE));
        let begins = u32::from(c.before == 0);
        let start = at - c.before as usize;
        let [own, before_begins, before_len] = &mut titles;
        *own = feature(170, Letters, [beginning(start), begins, 0]);
        let last = start.checked_sub(2).and_then(|last| seen.get(last));
        if let Some(last) = last.filter(|last| last.class == c.class) {
            let before = beginning(start - 2 - last.before as usize);
            let len = (c.before + c.after + 1).min(15) / 3;
            *before_begins = feature(171, Letters, [before, begins, 0]);
            *before_len = feature(172, Letters, [before, len, begins]);
        }
    }
    let [own, before_begins, before_len] = titles;
    [
        feature(153, Letters, [c.class, c.before.min(6), a1.letter]),
        feature(167, Letters, [whole, c.before.min(8), 0]),
        feature(168, Letters, [before, c.class, run]),
        feature(169, Letters, [after, c.class, run]),
        own,
        before_begins,
        before_len,
    ]
}

/// Returns the sums of the weights of the features of a character for each place of [`ONES`], with those it usually has there.
fn of_one(letter: u32, weights: &Weights<'_>) -> [Sums; ONES.len()] {
    let mut all = [Sums::default(); ONES.len()];
    for (sums, (template, place)) in all.iter_mut().zip(ONES) {
        weights.add(sums, feature(template, Letters, [letter, 0, 0]));
        for (template, _) in Beside::TEMPLATES.into_iter().filter(|(_, of)| *of == place) {
            weights.add(sums, Beside::USUAL.index(template, letter));
        }
    }
    all
}

/// Calls `take` with the features of each unit.
pub(super) fn features(
    text: &str,
    region: &Region,
    known: &Known,
    with_weights: &Bits,
    take: &mut impl FnMut(&Features<'_>),
) {
    let mut read = Seen::default();
    read.read(text, region, known);
    let Seen { characters: seen, places } = &read;
    let mut whole = Whole::NONE;
    for (unit, &at) in region.units.iter().zip(places) {
        let Some(around) = Around::new(seen, at, unit) else { return };
        let mut list = Features::new(with_weights);
        for (template, by) in ONES {
            list.add(template, Letters, [around.letter(by), 0, 0]);
        }
        let indices = grams(&around.letters()).into_iter().chain(of_run(&around, &mut whole));
        for (template, index) in GRAMS.into_iter().chain(RUN).zip(indices) {
            list.push(template, Letters, index);
        }
        GROUPS.iter().for_each(|(_, add)| add(&around, &mut list));
        for (template, by) in Beside::TEMPLATES {
            list.push(template, Letters, around.beside.index(template, around.letter(by)));
        }
        list.sort();
        take(&list);
    }
}

/// The maximum number of characters whose weights are kept, and of those of values of [`GROUPS`].
const MAX_CHARACTERS: usize = 1024;
const MAX_VALUES: usize = 512;

/// The sums of the weights of features that repeat.
pub(super) struct Recently {
    /// Those of [`ONES`] for a character.
    ones: Memo<u32, [Sums; ONES.len()]>,
    /// Those of [`GROUPS`] for a number.
    groups: Memo<u64, Sums>,
    /// The characters of the last region, and their sums: kept so that no region allocates.
    seen: Seen,
    sums: Vec<Sums>,
}

impl Recently {
    pub fn new(text: &str) -> Self {
        let characters = text.len() / 3;
        Self {
            ones: Memo::new(characters, MAX_CHARACTERS),
            groups: Memo::new(characters, MAX_VALUES),
            seen: Seen::default(),
            sums: Vec::new(),
        }
    }

    /// Calls `take` with the sums of the weights of the features of each unit.
    pub fn sums(
        &mut self,
        text: &str,
        region: &Region,
        known: &Known,
        weights: &Weights<'_>,
        mut take: impl FnMut(Sums),
    ) {
        let Self { ones, groups, seen, sums } = self;
        seen.read(text, region, known);
        let Seen { characters: seen, places } = seen;
        sums.clear();
        sums.resize(seen.len(), Sums::default());
        for (at, one) in seen.iter().enumerate().skip(NEAR) {
            let letter = one.letter;
            let Some(sums) = sums.get_mut(at - NEAR..=at + NEAR) else { break };
            let hash = letter.wrapping_mul(0x9e37_79b1) >> 16;
            let all = ones.get(hash, letter, || of_one(letter, weights));
            // the first template is of the character judged that is the farthest before it
            sums.iter_mut().zip(all).for_each(|(sum, one)| sum.add(one));
        }
        let mut whole = Whole::NONE;
        for (unit, &at) in region.units.iter().zip(&*places) {
            let Some(around) = Around::new(seen, at, unit) else { return };
            let mut sum = sums.get(at).copied().unwrap_or_default();
            grams(&around.letters()).iter().for_each(|index| weights.add(&mut sum, *index));
            of_run(&around, &mut whole).iter().for_each(|index| weights.add(&mut sum, *index));
            if around.beside != Beside::USUAL {
                // the kept sums have those of the usual features
                let mut usual = Sums::default();
                for (template, by) in Beside::TEMPLATES {
                    let letter = around.letter(by);
                    let index = around.beside.index(template, letter);
                    let kept = Beside::USUAL.index(template, letter);
                    if index != kept {
                        weights.add(&mut sum, index);
                        weights.add(&mut usual, kept);
                    }
                }
                sum.subtract(usual);
            }
            for (number, add) in GROUPS {
                let number = number(&around);
                let hash = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
                sum.add(groups.get(hash as u32, number, || {
                    let mut list = Features::new(weights.present);
                    add(&around, &mut list);
                    weights.sum(&list)
                }));
            }
            take(sum);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        judge::{Reasons, Script, Tag, learnt},
        token,
    };

    /// The names of people in the region that a text begins with, completed, where these parts of it were judged to be names.
    fn completed(text: &str, parts: &[&str]) -> Vec<String> {
        let tokens = token::tokens(text);
        let mut region = Region { script: Script::Characters, units: Vec::new() };
        region.read(text, &tokens, 0);
        let mut from = 0;
        let mut names: Vec<Judged> = parts
            .iter()
            .map(|part| {
                let start = from + text.get(from..).unwrap().find(part).unwrap();
                from = start + part.len();
                let unit = |at: usize| region.units.partition_point(|unit| (unit.start as usize) < at);
                let (start, end) = (unit(start), unit(from));
                Judged { tag: Tag::Begin, start, end, margin: 9, reasons: Reasons::default() }
            })
            .collect();
        complete(text, &region.units, &mut names);
        names
            .iter()
            .map(|name| {
                let span = region.span(name).unwrap();
                text.get(span.start as usize..span.end as usize).unwrap().to_owned()
            })
            .collect()
    }

    #[test]
    fn a_gap_is_a_character() {
        for (text, want) in
            [("นายสมชาย ใจดี", "นายสมชาย ใจด"), ("让·雅克，王明", "让·雅克，王明"), ("김 민수", "김 민수")]
        {
            let tokens = token::tokens(text);
            let mut region = Region { script: Script::Characters, units: Vec::new() };
            region.read(text, &tokens, 0);
            let mut seen = Seen::default();
            seen.read(text, &region, &Known::default());
            let Seen { characters, places } = seen;
            let letter = |place: &usize| char::from_u32(characters.get(*place).unwrap().letter).unwrap();
            let inside = *places.first().unwrap()..=*places.last().unwrap();
            assert_eq!(inside.map(|place| letter(&place)).collect::<String>(), want);
            for (unit, place) in region.units.iter().zip(&places) {
                assert!(text.get(unit.start as usize..).unwrap().starts_with(letter(place)), "{text}");
            }
            // each word is a run of its own
            let first = characters.get(AROUND).unwrap();
            let word = want.chars().take_while(|letter| !" ·".contains(*letter)).count();
            assert_eq!((first.before, first.after as usize), (0, word - 1), "{text}");
        }
    }

    #[test]
    fn kept_sums_are_those_of_all_features() {
        let [weights, _] = learnt();
        let mut known = Known::default();
        known.insert(Phrase::EMPTY.with("王明"));
        for text in [
            "王明先生和王明都说，李小龙（演员）来了。12 名让·雅克，王明",
            "นายสมชาย ใจดี และนางสาวสมหญิง",
            "김 민수 씨는 김민수",
            "ジャン・ルソーと山田太郎さん",
        ] {
            let tokens = token::tokens(text);
            let mut region = Region { script: Script::Characters, units: Vec::new() };
            let mut recently = Recently::new(text);
            let mut units = 0;
            // the second time all of them are kept
            for _ in 0..2 {
                let mut first = 0;
                while first < tokens.len() {
                    first = region.read(text, &tokens, first);
                    let (mut want, mut sums) = (Vec::new(), Vec::new());
                    features(text, &region, &known, weights.present, &mut |list| {
                        want.push(weights.sum(list))
                    });
                    recently.sums(text, &region, &known, &weights, |sum| sums.push(sum));
                    assert_eq!(sums, want, "{text}");
                    units += sums.len();
                }
            }
            assert!(units > 10, "{text}");
        }
    }

    #[test]
    fn names_are_whole_words_of_katakana_and_go_on_over_dots() {
        for (text, parts, want) in [
            ("カルロ・ルドヴィーコ・カステッリ", vec!["カルロ"], vec!["カルロ・ルドヴィーコ・カステッリ"]),
            ("マーシオ・フェイトーザ、小林", vec!["マーシオ", "ーザ"], vec!["マーシオ・フェイトーザ"]),
            ("让·雅克·卢梭，王明", vec!["卢梭"], vec!["让·雅克·卢梭"]),
            ("让·雅克·卢梭，王明", vec!["让", "王明"], vec!["让·雅克·卢梭", "王明"]),
            // nothing tells where the word before the dot begins
            ("这本书的作者是让·卢梭", vec!["卢梭"], vec!["卢梭"]),
            // a list of given names
            ("辰次・猪次郎", vec!["辰次", "猪次郎"], vec!["辰次", "猪次郎"]),
            ("山田太郎", vec!["山田"], vec!["山田"]),
        ] {
            assert_eq!(completed(text, &parts), want, "{text} {parts:?}");
        }
    }
}
