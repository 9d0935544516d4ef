//! Lists of words that are not lists of people: of goods, countries, buttons. A word there that could be a name is seldom one.

use std::ops::Range;

use textveil_weights::place as weights;

use crate::{Candidate, Kind};

/// The number of items that are read before and after a name.
const ITEMS: usize = 5;
/// The minimum number of other items of a list.
const LEAST_ITEMS: usize = 6;
/// One of so many items of a list of people is a name, at least.
const SHARE: usize = 4;
/// The longest item, in bytes.
const MAX_ITEM: usize = 48;

/// Weighs down names of one word, without evidence around them, in lists of lines and of commas with few other names.
///
/// `names` are sorted by position.
pub(crate) fn weigh(text: &str, names: &mut [Candidate]) {
    let listed: Vec<bool> = names.iter().map(|name| is_listed(text, name, names)).collect();
    for (name, listed) in names.iter_mut().zip(listed) {
        name.shape += if listed { weights::LONE_LISTED } else { 0.0 };
    }
}

fn is_listed(text: &str, name: &Candidate, names: &[Candidate]) -> bool {
    let written = text.get(name.start as usize..name.end as usize).unwrap_or_default();
    name.kind == Kind::Name
        && name.label <= 0.0
        && !written.contains(' ')
        && [is_line_break, is_comma].into_iter().any(|separates| is_among_words(text, name, names, separates))
}

fn is_line_break(letter: char) -> bool {
    letter == '\n'
}

fn is_comma(letter: char) -> bool {
    matches!(letter, ',' | '،' | '、' | '，')
}

/// Whether a name is an item of a list in which few other items are names.
fn is_among_words(text: &str, name: &Candidate, names: &[Candidate], separates: fn(char) -> bool) -> bool {
    let is_words = |item: &Range<usize>| text.get(item.clone()).is_some_and(is_item);
    // the item of the name itself is the first one of each side
    let before =
        items_before(text, name.start as usize, separates).take(ITEMS + 1).take_while(is_words).skip(1);
    let behind =
        items_behind(text, name.end as usize, separates).take(ITEMS + 1).take_while(is_words).skip(1);
    let (mut items, mut named) = (0, 0);
    for item in before.chain(behind) {
        items += 1;
        let first = names.partition_point(|other| (other.end as usize) <= item.start);
        named += usize::from(names.get(first).is_some_and(|other| (other.start as usize) < item.end));
    }
    items >= LEAST_ITEMS && named * SHARE <= items
}

/// Returns the items of a list from a place on, of at most the longest item and a byte each.
fn items_behind(text: &str, from: usize, separates: fn(char) -> bool) -> impl Iterator<Item = Range<usize>> {
    let mut next = Some(from);
    std::iter::from_fn(move || {
        let start = next?;
        let rest = text.get(start..)?;
        let near = rest.get(..rest.floor_char_boundary(MAX_ITEM + 1))?;
        let end = start + near.find(separates).unwrap_or(near.len());
        let separator = text.get(end..)?.chars().next().filter(|sign| separates(*sign));
        next = separator.map(|sign| end + sign.len_utf8());
        Some(start..end)
    })
}

/// Returns the items up to a place, the last one first.
fn items_before(text: &str, to: usize, separates: fn(char) -> bool) -> impl Iterator<Item = Range<usize>> {
    let mut next = Some(to);
    std::iter::from_fn(move || {
        let end = next?;
        let near = text.ceil_char_boundary(end.saturating_sub(MAX_ITEM + 1));
        let mut signs = text.get(near..end)?.char_indices().rev();
        let separator = signs.find(|(_, sign)| separates(*sign));
        let start = separator.map_or(near, |(at, sign)| near + at + sign.len_utf8());
        next = separator.map(|(at, _)| near + at);
        Some(start..end)
    })
}

/// Whether a piece is words and nothing else: no sentence, no value, no key.
fn is_item(piece: &str) -> bool {
    piece.len() <= MAX_ITEM
        && !piece.contains(|letter: char| match letter {
            '@' | ':' | ';' | '.' | '!' | '?' | '=' | '<' | '>' | '/' | '\n' => true,
            // most characters of Chinese and Korean, without a look at the tables of Unicode
            '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' => false,
            _ => letter.is_numeric(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Part;

    #[test]
    fn a_name_among_words_weighs_less() {
        for (text, name, others, listed) in [
            ("fisk\nsykkel\nbie\nMaja\nbil\nfugl\nkatt\nhest", "Maja", &[][..], true),
            ("ryska, franska, komi, Ndebele, tyska, samiska, sanskrit, hindi", "Ndebele", &[], true),
            ("语、法语、约鲁巴语、Yi、俄语、德语、日语、韩语", "Yi", &[], true),
            // people
            ("Tom\nEva\nJan\nMaja\nIda\nPer\nOle\nKai", "Maja", &["Tom", "Eva", "Jan", "Ida"], false),
            // a block of an address, a sentence, and a short list
            ("Acme\nAttn\n5 High St\nMaja\nLeeds LS1\nUK\nfax", "Maja", &[], false),
            ("He asked, by the way, whether Maja, who was late, had called. So it was.", "Maja", &[], false),
            ("bil\nMaja\nfugl", "Maja", &[], false),
        ] {
            let candidate = |name: &str| {
                let at = text.find(name).unwrap() as u32;
                Candidate::new(Kind::Name, Part { start: at, end: at + name.len() as u32 }, 1.0)
            };
            let mut names: Vec<Candidate> = others.iter().copied().chain([name]).map(candidate).collect();
            crate::sort(&mut names);
            weigh(text, &mut names);
            let at = text.find(name).unwrap() as u32;
            let weighed = names.iter().find(|candidate| candidate.start == at).unwrap();
            assert_eq!(weighed.shape < 1.0, listed, "{text}");
        }
    }
}
