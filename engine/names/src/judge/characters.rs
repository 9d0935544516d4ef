//! The features of characters of scripts without spaces: the characters around, their classes, and the names
//! of the lexicons that begin or end here.

use textveil_phrase::Phrase;

use super::{
    Bits, Features, Judged,
    Of::{self, Knowledge, Letters},
    Region, Unit, WITHIN,
    regions::{Link, is_katakana, is_mark},
};
use crate::{Known, lexicon};

/// The number of characters read before and after a region.
const AROUND: usize = 6;
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

/// The class of a character.
fn class(letter: char) -> u32 {
    match letter {
        '\0' => 0,
        '\n' => 1,
        '0'..='9' | '\u{ff10}'..='\u{ff19}' | '\u{e50}'..='\u{e59}' => 2,
        ' ' | '\u{3000}' | '\t' => 3,
        '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}' | '々' => 4,
        '\u{3040}'..='\u{309f}' => 5,
        _ if is_katakana(letter) => 6,
        '\u{ac00}'..='\u{d7a3}' => 7,
        '\u{e00}'..='\u{e7f}' => 8,
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
struct Seen {
    characters: Vec<SeenCharacter>,
    /// The place of each unit among them.
    places: Vec<usize>,
}

/// Reads the characters of a region, with [`AROUND`] before and after it. A gap between two units is one character.
fn read(text: &str, region: &Region, known: &Known) -> Seen {
    let mut places = Vec::with_capacity(region.units.len());
    let (Some(first), Some(last)) = (region.units.first(), region.units.last()) else {
        return Seen { characters: Vec::new(), places };
    };
    let before = text.get(..first.start as usize).unwrap_or_default();
    let after = text.get(last.end as usize..).unwrap_or_default();
    let mut letters: Vec<char> =
        before.chars().rev().filter(|letter| !is_mark(*letter)).take(AROUND).collect();
    letters.resize(AROUND, '\0');
    letters.reverse();
    let mut end = first.start;
    for unit in &region.units {
        let gap = text.get(end as usize..unit.start as usize).unwrap_or_default();
        if let Some(space) = gap.chars().next() {
            letters.push(gap.chars().find(|sign| !sign.is_whitespace()).unwrap_or(space));
        }
        places.push(letters.len());
        letters.extend(text.get(unit.start as usize..).and_then(|rest| rest.chars().next()));
        end = unit.end;
    }
    let count = letters.len() + AROUND;
    letters.extend(after.chars().filter(|letter| !is_mark(*letter)).take(AROUND));
    letters.resize(count, '\0');
    let mut seen: Vec<SeenCharacter> = letters
        .iter()
        .map(|letter| SeenCharacter {
            letter: *letter as u32,
            class: class(*letter),
            ..SeenCharacter::default()
        })
        .collect();
    runs(&mut seen);
    names(text, region, known, &places, &mut seen);
    Seen { characters: seen, places }
}

/// Writes the places of characters within the run of their class.
fn runs(seen: &mut [SeenCharacter]) {
    let mut run = SeenCharacter::default();
    for one in seen.iter_mut() {
        one.before = if one.class == run.class { run.before + 1 } else { 0 };
        run = *one;
    }
    run = SeenCharacter::default();
    for one in seen.iter_mut().rev() {
        one.after = if one.class == run.class { run.after + 1 } else { 0 };
        run = *one;
    }
}

/// Calls `take` with each stretch of a few characters: its first unit, its length and its phrase.
pub(super) fn each_phrase(text: &str, region: &Region, mut take: impl FnMut(usize, usize, Phrase)) {
    for at in 0..region.units.len() {
        let mut phrase = Phrase::EMPTY;
        for (len, unit) in (1..).zip(region.units.get(at..).unwrap_or_default().iter().take(MAX_NAME)) {
            phrase = phrase.with(text.get(unit.start as usize..unit.end as usize).unwrap_or_default());
            take(at, len, phrase);
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
    characters.fold(7, |hash, one| (hash ^ one.letter).wrapping_mul(0x0100_0193))
}

/// Calls `take` with the features of each unit.
pub(super) fn features(
    text: &str,
    region: &Region,
    known: &Known,
    with_weights: &Bits,
    take: &mut impl FnMut(&Features<'_>),
) {
    let Seen { characters: seen, places } = read(text, region, known);
    for (this, &at) in region.units.iter().zip(&places) {
        let Some(around) = seen.get(at - AROUND..=at + AROUND) else { return };
        let [a6, a5, a4, a3, a2, a1, c, b1, b2, b3, b4, b5, b6] = around else { return };
        let mut list = Features::new(with_weights);
        let pair = |one: &SeenCharacter, two: &SeenCharacter| one.letter << 16 ^ two.letter;
        list.add(100, Letters, [c.letter, 0, 0]);
        for (template, one) in (101..).zip([a3, a2, a1, b1, b2, b3]) {
            list.add(template, Letters, [one.letter, 0, 0]);
        }
        for (template, [one, two]) in
            (110..).zip([[a3, a2], [a2, a1], [a1, c], [c, b1], [b1, b2], [b2, b3], [a1, b1]])
        {
            list.add(template, Letters, [pair(one, two), 0, 0]);
        }
        for (template, [one, two, three]) in
            (120..).zip([[a3, a2, a1], [a2, a1, c], [a1, c, b1], [c, b1, b2], [b1, b2, b3]])
        {
            list.add(template, Letters, [pair(one, two), three.letter, 0]);
        }
        for (template, [one, two, three, four]) in (130..).zip([
            [a4, a3, a2, a1],
            [a3, a2, a1, c],
            [c, b1, b2, b3],
            [b1, b2, b3, b4],
            [a2, a1, c, b1],
            [a1, c, b1, b2],
        ]) {
            list.add(template, Letters, [pair(one, two), pair(three, four), 0]);
        }
        list.add(140, Letters, [pair(a6, a5), pair(a4, a3), pair(a2, a1)]);
        list.add(141, Letters, [pair(b1, b2), pair(b3, b4), pair(b5, b6)]);
        list.add(142, Letters, [pair(a5, a4), pair(a3, a2), a1.letter]);
        list.add(143, Letters, [pair(c, b1), pair(b2, b3), b4.letter]);
        let classes = a2.class << 20 | a1.class << 15 | c.class << 10 | b1.class << 5 | b2.class;
        list.add(150, Knowledge, [classes, 0, 0]);
        list.add(151, Knowledge, [classes & 0xf_ffff & !0x1f, 0, 0]);
        let run = c.before.min(6) << 4 | c.after.min(6);
        list.add(152, Knowledge, [c.class, run, 0]);
        list.add(153, Letters, [c.class, c.before.min(6), a1.letter]);
        list.add(154, Knowledge, [c.family, 0, 0]);
        list.add(155, Knowledge, [c.given, 0, 0]);
        list.add(156, Knowledge, [c.family, a1.class, run]);
        list.add(157, Knowledge, [a1.family, b1.given, c.given]);
        list.add(158, Knowledge, [a1.family, a2.family, a3.family]);
        list.add(159, Knowledge, [c.ends, 0, 0]);
        list.add(160, Letters, [c.ends, b1.letter, 0]);
        list.add(161, Knowledge, [c.ends, b1.class, a1.ends]);
        list.add(162, Knowledge, [c.family, b1.given, b2.given]);
        list.add(163, Letters, [a1.letter, c.family, 0]);
        list.add(164, Of::known(c.known), [u32::from(c.known), u32::from(a1.known), u32::from(b1.known)]);
        list.add(165, Letters, [u32::from(this.gap), c.letter, 0]);
        list.add(166, Letters, [u32::from(this.gap), a1.letter, c.family]);
        // the whole run, for names in katakana and words between spaces
        let start = at - c.before.min(8) as usize;
        let whole = seen.get(start..=at + c.after.min(8) as usize).unwrap_or_default();
        list.add(167, Letters, [hash(whole.iter()), c.before.min(8), 0]);
        let before = start.checked_sub(1).and_then(|at| seen.get(at)).map_or(0, |one| one.letter);
        let after = seen.get(at + c.after as usize + 1).map_or(0, |one| one.letter);
        list.add(168, Letters, [before, c.class, run]);
        list.add(169, Letters, [after, c.class, run]);
        // `นายสมชาย ใจดี`: a title begins the word, or that before it
        if matches!(c.class, 8 | 9) {
            let beginning = |start: usize| hash(seen.get(start..).unwrap_or_default().iter().take(TITLE));
            let begins = u32::from(c.before == 0);
            let start = at - c.before as usize;
            list.add(170, Letters, [beginning(start), begins, 0]);
            let last = start.checked_sub(2).and_then(|last| seen.get(last));
            if let Some(last) = last.filter(|last| last.class == c.class) {
                let before = beginning(start - 2 - last.before as usize);
                let len = (c.before + c.after + 1).min(15) / 3;
                list.add(171, Letters, [before, begins, 0]);
                list.add(172, Letters, [before, len, begins]);
            }
        }
        take(&list);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        judge::{Reasons, Script, Tag},
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
            let Seen { characters, places } = read(text, &region, &Known::default());
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
