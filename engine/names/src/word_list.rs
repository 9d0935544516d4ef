//! Lists of words that are not lists of people: of goods, countries, buttons. A word there that could be a name is seldom one.

use crate::{Guess, Kind};

/// The number of items that are read before and after a name.
const ITEMS: usize = 5;
/// The minimum number of other items of a list.
const LEAST_ITEMS: usize = 6;
/// One of so many items of a list of people is a name, at least.
const SHARE: usize = 4;
/// The longest item, in bytes.
const MAX_ITEM: usize = 48;
/// Penalty of a lone name among other words.
const LISTED: f32 = -1.5;

/// Weighs down names of one word, without evidence around them, in lists of lines and of commas with few other names.
///
/// `names` are sorted by position.
pub(crate) fn weigh(text: &str, names: &mut [Guess]) {
    let listed: Vec<bool> = names.iter().map(|name| is_listed(text, name, names)).collect();
    for (name, listed) in names.iter_mut().zip(listed) {
        name.shape += if listed { LISTED } else { 0.0 };
    }
}

fn is_listed(text: &str, name: &Guess, names: &[Guess]) -> bool {
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
fn is_among_words(text: &str, name: &Guess, names: &[Guess], separates: fn(char) -> bool) -> bool {
    let (before, behind) = (text.get(..name.start as usize), text.get(name.end as usize..));
    let (Some(before), Some(behind)) = (before, behind) else { return false };
    let (mut items, mut named) = (0, 0);
    let mut count = |start: usize, end: usize| {
        items += 1;
        let first = names.partition_point(|other| (other.end as usize) <= start);
        named += usize::from(names.get(first).is_some_and(|other| (other.start as usize) < end));
    };
    // the item of the name itself is the first one of each side
    let mut end = before.len();
    for (index, item) in pieces_back(before, separates).take(ITEMS + 1).enumerate() {
        let start = end - item.len();
        if !is_item(item) {
            break;
        }
        if index > 0 {
            count(start, end);
        }
        end = start.saturating_sub(
            before.get(..start).and_then(|rest| rest.chars().next_back()).map_or(0, char::len_utf8),
        );
    }
    let mut start = name.end as usize;
    for (index, item) in pieces(behind, separates).take(ITEMS + 1).enumerate() {
        let end = start + item.len();
        if !is_item(item) {
            break;
        }
        if index > 0 {
            count(start, end);
        }
        start = end + text.get(end..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
    }
    items >= LEAST_ITEMS && named * SHARE <= items
}

/// The pieces of a text between separators, each of at most the longest item and a byte.
fn pieces(text: &str, separates: fn(char) -> bool) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let near = text.get(..text.floor_char_boundary(MAX_ITEM + 1)).unwrap_or_default();
        let end = near.find(separates).unwrap_or(near.len());
        let piece = text.get(..end)?;
        let mut behind = text.get(end..)?.chars();
        rest = behind.next().filter(|next| separates(*next)).map(|_| behind.as_str());
        Some(piece)
    })
}

/// The same from the end on, the last piece first.
fn pieces_back(text: &str, separates: fn(char) -> bool) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let near = text.ceil_char_boundary(text.len().saturating_sub(MAX_ITEM + 1));
        let last = text.get(near..)?;
        let from =
            last.rfind(separates).and_then(|at| Some(near + at + last.get(at..)?.chars().next()?.len_utf8()));
        let start = from.unwrap_or(near);
        let mut ahead = text.get(..start)?.chars();
        rest = ahead.next_back().filter(|sign| separates(*sign)).map(|_| ahead.as_str());
        text.get(start..)
    })
}

/// Whether a piece is words and nothing else: no sentence, no value, no key.
fn is_item(piece: &str) -> bool {
    piece.len() <= MAX_ITEM
        && !piece.contains(|letter: char| letter.is_numeric() || "@:;.!?=<>/\n".contains(letter))
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
            let guess = |name: &str| {
                let at = text.find(name).unwrap() as u32;
                Guess::new(Kind::Name, Part { start: at, end: at + name.len() as u32 }, 1.0)
            };
            let mut names: Vec<Guess> = others.iter().copied().chain([name]).map(guess).collect();
            crate::sort(&mut names);
            weigh(text, &mut names);
            let at = text.find(name).unwrap() as u32;
            let weighed = names.iter().find(|guess| guess.start == at).unwrap();
            assert_eq!(weighed.shape < 1.0, listed, "{text}");
        }
    }
}
