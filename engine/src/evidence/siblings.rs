//! Siblings: what one value of a list is, its siblings are.
//!
//! A list is values of one form with separators between them: `601 123 456, 602 123 456 or 603 123 456`; one a line with the
//! same indentation or bullet; or without spaces, with one space between them. A value reads the labels of the value before
//! it, so those of the first one reach the last, however long the list is. Nothing else than separators is between two
//! values of a list, so it never crosses a sentence. The labels of a value behind are not read: a finding does not depend on
//! the text of later lines, as in a stream.

use crate::{
    api::entity::Country,
    lexicon::CONJUNCTIONS,
    phrase::{
        bytes::{DIGIT, class_of},
        is_letter,
        work::{Stage, Work},
    },
};

/// The longest text between two values of a list, in bytes.
const MAX_GAP: usize = 40;
/// The longest text before a value on its line that may be its indentation and its bullet, in bytes.
const MAX_BULLET: usize = 24;
/// The longest note in brackets behind a value, in bytes: `601 123 456 (mobile), 602 123 456`.
const MAX_NOTE: usize = 24;
/// Signs before the items of a list; none for items that only their indentation marks.
const BULLETS: [&str; 10] = ["", "-", "–", "—", "*", "•", "·", "‣", ">", "→"];
/// The most marks and conjunctions between two values: `and/or`.
const MAX_JOINTS: usize = 3;
/// The fewest letters and digits of a value in a list. Years, fractions and ranges have fewer: `10/20`, `2024/2025`.
const SHORTEST: usize = 5;
/// The fewest letters and digits of values with only a space between them, or with a slash that no space surrounds.
const LONG: usize = 7;
/// The longest value that is compared with the next one, in bytes.
pub(crate) const MAX_VALUE: usize = 48;
/// The most digits of a quantity.
const MAX_COUNT: usize = 8;
/// The number of the last values that are kept.
const KEPT: usize = 8;

/// The number of digits of a date.
const DIGITS_OF_DATE: std::ops::RangeInclusive<usize> = 6..=8;

/// The number of letters and digits of a value, and how they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ValueForm {
    digits: usize,
    letters: usize,
    /// It has a space.
    spaced: bool,
    /// Its groups are those of a date in digits.
    date: bool,
    /// It begins with a zero, as telephone numbers of several lengths do.
    led: bool,
}

impl ValueForm {
    fn of(value: &[u8]) -> Self {
        let (mut digits, mut letters, mut spaced) = (0, 0, false);
        for byte in value {
            match class_of(*byte) {
                DIGIT => digits += 1,
                0 => spaced |= *byte == b' ',
                _ => letters += 1,
            }
        }
        let date = letters == 0 && !spaced && DIGITS_OF_DATE.contains(&digits) && is_date(value);
        Self { digits, letters, spaced, date, led: value.starts_with(b"0") }
    }

    fn len(self) -> usize {
        self.digits + self.letters
    }

    fn likeness(self, other: Self) -> Likeness {
        let gap = self.digits.abs_diff(other.digits);
        match self.letters == other.letters && self.date == other.date {
            true if gap == 0 => Likeness::Same,
            true if gap <= 2 && self.led && other.led && self.letters == 0 && !self.date => Likeness::Close,
            true if self.letters == 0 && !self.date => Likeness::Digits,
            _ => Likeness::Other,
        }
    }
}

/// Whether a value has the form of a date in digits: `3.2.2024`, `2024-02-03`.
fn is_date(value: &[u8]) -> bool {
    let mut groups = value.split(|byte| !byte.is_ascii_digit()).map(<[u8]>::len);
    let groups = [groups.next(), groups.next(), groups.next(), groups.next()];
    matches!(groups, [Some(1..=2), Some(1..=2), Some(4), None] | [Some(4), Some(1..=2), Some(1..=2), None])
}

/// The likeness of the forms of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Likeness {
    /// They have as many digits and as many letters.
    Same,
    /// They have digits only, nearly as many, and begin with a zero.
    Close,
    /// They have digits only.
    Digits,
    /// Only what they stand for tells whether they are alike.
    Other,
}

/// The separator of two values of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListJoint {
    Space,
    /// A comma, a semicolon, a bar.
    Mark,
    /// A conjunction, a slash, an ampersand.
    Tie,
    /// A line break: the second value is alone on its line.
    Line,
}

/// A value that may be the first of a list, or a further one.
#[derive(Clone, Debug)]
struct ListedValue<L> {
    start: usize,
    end: usize,
    form: ValueForm,
    /// The cell of a table that it is in, by its start.
    cell: Option<usize>,
    heard: Heard<L>,
    pass: Pass,
    /// The separator before the last value that was compared.
    joint: Option<ListJoint>,
}

/// The evidence of a value for those that follow it in a list.
#[derive(Clone, Debug)]
pub(crate) struct Heard<L> {
    /// Its labels.
    pub labels: L,
    pub known: Apparent,
}

/// The evidence of a value without a label.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Apparent {
    /// The country of a telephone number in international notation.
    pub country: Option<Country>,
    /// Detectors whose check digits hold, which few other numbers pass.
    pub checked: [Option<u16>; 2],
}

impl Apparent {
    pub fn is_empty(&self) -> bool {
        self.country.is_none() && self.checked.iter().all(Option::is_none)
    }
}

/// The evidence of the value before for a value of a list.
#[derive(Clone, Debug)]
pub(crate) struct Sibling<L> {
    /// The range of the value that hears it.
    pub start: usize,
    pub end: usize,
    /// The range of the value before.
    pub before: (usize, usize),
    pub likeness: Likeness,
    pub joint: ListJoint,
    pub heard: Heard<L>,
}

/// The last values of a text that may have siblings.
///
/// A text is passed over by the scan, for the caller's detectors and for names. Each pass has values of its own,
/// so that what a value hears does not depend on its place in the text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Siblings<L> {
    /// From the oldest to the latest.
    items: Vec<ListedValue<L>>,
    pass: Pass,
    /// A value of this pass that starts behind this place is too far from all.
    reach: usize,
    /// The start of the last value that was compared, and whether one of the values joins it.
    joined: (usize, bool),
}

/// A pass over the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Pass {
    #[default]
    Scan,
    /// For a detector of the caller.
    Custom(u16),
    /// For dates in words.
    Names,
}

impl<L: Clone> Siblings<L> {
    /// Begins a pass over the text.
    pub fn begin(&mut self, pass: Pass) {
        self.pass = pass;
        self.joined = (0, false);
        let own = self.items.iter().filter(|item| item.pass == pass);
        self.reach = own.map(|item| item.end + MAX_GAP).max().unwrap_or_default();
    }

    /// Keeps a value with what it tells its siblings.
    pub fn keep(
        &mut self,
        text: &str,
        place: (usize, usize),
        cell: Option<usize>,
        heard: Heard<L>,
        work: &Work,
    ) {
        let (start, end) = place;
        let Some(value) = text.as_bytes().get(start..end) else { return };
        work.add(Stage::Labels, 1 + value.len() / 8);
        let form = ValueForm::of(value);
        if form.len() < SHORTEST {
            return;
        }
        let pass = self.pass;
        self.reach = self.reach.max(end + MAX_GAP);
        if end < self.joined.0 {
            self.joined = (0, false);
        }
        let item = ListedValue { start, end, form, cell, heard, pass, joint: None };
        let own = |item: &ListedValue<L>| item.pass == pass;
        if let Some(known) =
            self.items.iter_mut().find(|known| own(known) && (known.start, known.end) == place)
        {
            *known = item;
            return;
        }
        if self.items.iter().filter(|item| own(item)).count() == KEPT
            && let Some(oldest) = self.items.iter().position(own)
        {
            self.items.remove(oldest);
        }
        self.items.push(item);
    }

    /// Whether a value that starts at `start` may be in a list with one before it.
    #[inline]
    pub fn precede(&mut self, text: &str, start: usize, work: &Work) -> bool {
        if self.reach >= start && self.joined.0 != start {
            self.joined = (start, self.join(text, start, work));
        }
        self.joined == (start, true)
    }

    /// Reads what is between the values before and one that starts at `start`; returns whether one joins it.
    #[inline(never)]
    fn join(&mut self, text: &str, start: usize, work: &Work) -> bool {
        work.add(Stage::Labels, 1);
        let before = text.as_bytes().get(..start).unwrap_or_default();
        match before.iter().rev().find(|byte| **byte != b' ') {
            // of a label, or of another value
            Some(b':' | b'=') => return false,
            Some(b'0'..=b'9') if !self.items.iter().any(|item| item.end + 1 == start) => return false,
            _ => {}
        }
        // several values may end where one does, and none with digits is between two of a list
        let (mut last, mut nearest, mut any) = ((usize::MAX, None), 0, false);
        for item in self.items.iter_mut().rev() {
            item.joint = None;
            let is_near = item.end < start && start - item.end <= MAX_GAP && item.end > nearest;
            if item.pass != self.pass || !is_near {
                continue;
            }
            if item.form.digits > 0 {
                nearest = nearest.max(item.start);
            }
            if last.0 != item.end {
                work.add(Stage::Labels, 1 + (start - item.end) / 4);
                last = (item.end, joint(text, item.end, start));
            }
            let is_joint = |(joint, here): &(ListJoint, &str)| match joint {
                ListJoint::Space => !item.form.spaced && item.form.len() >= LONG,
                ListJoint::Line => is_next_line(before_on_line(text, item.start), here),
                ListJoint::Mark | ListJoint::Tie => true,
            };
            item.joint = last.1.filter(is_joint).map(|(joint, _)| joint);
            any |= item.joint.is_some();
        }
        any
    }

    /// Returns what the value before tells the value `start..end`; `None` if it is in no list.
    pub fn of(
        &mut self,
        text: &str,
        (start, end): (usize, usize),
        cell: Option<usize>,
        work: &Work,
    ) -> Option<Sibling<L>> {
        if !self.precede(text, start, work) {
            return None;
        }
        work.add(Stage::Labels, 2 + (end - start) / 8);
        let form = ValueForm::of(text.as_bytes().get(start..end).unwrap_or_default());
        let mut best: Option<(usize, Likeness, ListJoint)> = None;
        for (index, item) in self.items.iter().enumerate().rev() {
            let Some(joint) = item.joint else { continue };
            let likeness = form.likeness(item.form);
            let fits = match joint {
                ListJoint::Space => likeness == Likeness::Same && !form.spaced,
                ListJoint::Line => is_alone(text, end),
                ListJoint::Mark | ListJoint::Tie => true,
            };
            if !fits || form.len() < SHORTEST || cell != item.cell {
                continue;
            }
            // of two values that end there, the one of the same form
            if best.is_none_or(|(_, best, _)| likeness == Likeness::Same && best != Likeness::Same) {
                best = Some((index, likeness, joint));
            }
        }
        let (index, likeness, joint) = best?;
        let item = self.items.get(index)?;
        let (before, heard) = ((item.start, item.end), item.heard.clone());
        Some(Sibling { start, end, before, likeness, joint, heard })
    }

    /// Returns the values that those behind the text may follow.
    pub fn open(&self, text: &str) -> impl Iterator<Item = Open<L>> {
        let len = text.len();
        let is_near = move |item: &&ListedValue<L>| item.end <= len && len - item.end <= MAX_GAP;
        self.items.iter().filter(is_near).map(move |item| Open {
            ahead: (len - item.start, len - item.end),
            form: item.form,
            heard: item.heard.clone(),
            pass: item.pass,
        })
    }

    /// Adds a value of the text before, which ended at `end`.
    pub fn resume<'o, M>(
        &mut self,
        open: &'o Open<M>,
        end: usize,
        labels: impl FnOnce(&'o M, (usize, usize)) -> L,
    ) {
        let (start, end) = (end.checked_sub(open.ahead.0), end.checked_sub(open.ahead.1));
        let (Some(start), Some(end)) = (start, end) else { return };
        let Open { form, ref heard, pass, .. } = *open;
        if pass == self.pass {
            self.reach = self.reach.max(end + MAX_GAP);
        }
        let heard = Heard { labels: labels(&heard.labels, (start, end)), known: heard.known };
        self.items.push(ListedValue { start, end, form, cell: None, heard, pass, joint: None });
    }
}

/// A value at the end of a text that another text continues.
#[derive(Clone, Debug)]
pub(crate) struct Open<L> {
    /// The distances of its start and of its end to the end of the text.
    ahead: (usize, usize),
    form: ValueForm,
    heard: Heard<L>,
    pass: Pass,
}

impl<L> Open<L> {
    /// Converts its labels.
    pub fn map<M>(self, labels: impl FnOnce(L) -> M) -> Open<M> {
        let Self { ahead, form, heard, pass } = self;
        Open { ahead, form, heard: Heard { labels: labels(heard.labels), known: heard.known }, pass }
    }
}

/// Returns what separates a value that ends at `end` from one that starts at `start`, and the text behind the line break
/// between them. `None` if they are in no list; of two lines, [`is_next_line`] tells more.
fn joint(text: &str, end: usize, start: usize) -> Option<(ListJoint, &str)> {
    let gap = text.get(end..start)?;
    if gap == " " {
        return Some((ListJoint::Space, ""));
    }
    let (mut rest, mut joints, mut ties, mut said) = (gap, 0, 0, false);
    while let Some(sign) = rest.chars().next() {
        let after = rest.get(sign.len_utf8()..)?;
        rest = match sign {
            ' ' | '\t' | '\r' | '\u{a0}' | '"' | '\'' | '`' | '”' | '“' => after,
            ',' | ';' | '|' | '、' | '，' | '；' | '،' | '؛' => {
                joints += 1;
                after
            }
            '/' | '&' => {
                ties += 1;
                after
            }
            // of the next value; a hyphen joins it to a conjunction of one letter: `ו-602`
            '(' | '+' if after.is_empty() => after,
            '-' if said && after.is_empty() => after,
            '(' if joints + ties == 0 => after_note(after)?,
            '<' => {
                joints += 1;
                after_break(after)?
            }
            // in HTML, a line break is a space
            '\n' if after.trim_start().starts_with('<') => after,
            '\n' => return Some((ListJoint::Line, after)),
            _ if is_letter(sign) => {
                (ties, said) = (ties + 1, true);
                after_conjunction(rest)?
            }
            _ => return None,
        };
    }
    let joint = if ties > 0 { ListJoint::Tie } else { ListJoint::Mark };
    (1..=MAX_JOINTS).contains(&(joints + ties)).then_some((joint, ""))
}

/// Returns the text behind a note in brackets without digits.
fn after_note(note: &str) -> Option<&str> {
    let (note, after) = note.split_once(')')?;
    (note.len() <= MAX_NOTE && !note.contains(|letter: char| letter.is_ascii_digit() || letter == '\n'))
        .then_some(after)
}

/// Returns the text behind a tag that begins a line or an item of a list.
fn after_break(tag: &str) -> Option<&str> {
    let (tag, after) = tag.split_once('>')?;
    let name = tag.trim_matches(['/', ' ']);
    (name.eq_ignore_ascii_case("br") || name.eq_ignore_ascii_case("li")).then_some(after)
}

/// Returns the text behind a conjunction: and, or.
fn after_conjunction(text: &str) -> Option<&str> {
    let written = CONJUNCTIONS.leading_word(text)?;
    text.get(written..)
}

/// Returns the text before a value on its line; `None` if it is too long for a bullet.
fn before_on_line(text: &str, start: usize) -> Option<&str> {
    let from = text.floor_char_boundary(start.saturating_sub(MAX_BULLET));
    let before = text.get(from..start)?;
    match before.rfind('\n') {
        Some(line) => before.get(line + 1..),
        None => Some(before).filter(|_| from == 0),
    }
}

/// Whether a value goes on with the list of the line before: the indentation and the bullets are the same, or a label is
/// before the other value and only spaces are before this one.
fn is_next_line(above: Option<&str>, here: &str) -> bool {
    match above.filter(|above| is_bullet_text(above)) {
        Some(above) => is_bullet_text(here) && signs(above).eq(signs(here)),
        None => here.len() <= MAX_BULLET && here.trim_matches([' ', '\t', '"', '\'', '(', '+']).is_empty(),
    }
}

/// Whether a text is an indentation, with a bullet or a number: `  - `, `2. `, `(3) `.
fn is_bullet_text(text: &str) -> bool {
    let bare = text.trim_matches([' ', '\t', '(', '"', '\'', '+']);
    let number = bare.trim_start_matches(|sign: char| sign.is_ascii_digit());
    let numbered = number.len() < bare.len();
    text.len() <= MAX_BULLET
        && if numbered { bare.len() <= 4 && matches!(number, "." | ")") } else { BULLETS.contains(&bare) }
}

/// The signs of an indentation and a bullet. Numbers are alike, and are aligned at their ends.
fn signs(text: &str) -> impl Iterator<Item = char> {
    let numbered = text.bytes().any(|byte| byte.is_ascii_digit());
    let text = if numbered { text.trim_start() } else { text };
    text.chars().filter(|sign| !sign.is_ascii_digit())
}

/// Whether nothing but the end of a line, or of a part of a list, follows a value.
fn is_alone(text: &str, end: usize) -> bool {
    let after = text.as_bytes().get(end..).unwrap_or_default();
    let mut after = after.iter().skip_while(|byte| matches!(byte, b' ' | b'\t' | b'"' | b'\'' | b')'));
    after.next().is_none_or(|byte| {
        matches!(byte, b'\n' | b'\r' | b',' | b';' | b'/' | b'|' | b'(' | b'<' | b'.' | b']')
    })
}

/// Whether the text at `at` is written like the value `start..end`: the same groups of digits and letters with the same
/// separators.
pub(crate) fn repeats(text: &[u8], start: usize, end: usize, at: usize) -> bool {
    let length = end.saturating_sub(start);
    if !(LONG..=MAX_VALUE).contains(&length) {
        return false;
    }
    let (Some(value), Some(other)) = (text.get(start..end), text.get(at..at + length)) else { return false };
    let class = |byte: u8| match byte {
        b'0'..=b'9' => b'0',
        b'a'..=b'z' | b'A'..=b'Z' => b'a',
        _ => byte,
    };
    let whole = |at: usize| !text.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte >= 0x80);
    value.iter().filter(|byte| byte.is_ascii_alphanumeric()).count() >= LONG
        && value.iter().zip(other).all(|(one, other)| class(*one) == class(*other))
        && whole(at + length)
        && at.checked_sub(1).is_none_or(whole)
}

/// Whether a value may tell how many there are: up to eight digits in one group or in groups of three, and no other value of
/// this form behind it.
pub(crate) fn is_count(text: &[u8], start: usize, end: usize) -> bool {
    let value = text.get(start..end).unwrap_or_default();
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    let mut groups = value.split(|byte| !byte.is_ascii_digit()).map(<[u8]>::len);
    let first = groups.next().unwrap_or_default();
    digits <= MAX_COUNT
        && (first == digits || groups.all(|length| length == 3) && first <= 3)
        && value.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b' ' | b',' | b'.' | b'\''))
        && !(1..=2).any(|gap| repeats(text, start, end, end + gap))
}

/// Whether a number is that of an item of a list: `2. 602 123 456` at the start of a line.
pub(crate) fn is_item_number(text: &[u8], start: usize, end: usize) -> bool {
    let before = text.get(start.saturating_sub(MAX_BULLET)..start).unwrap_or_default();
    let indent = before.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let begins = match before.len().checked_sub(indent + 1).and_then(|last| before.get(last)) {
        Some(last) => *last == b'\n',
        None => before.len() == start,
    };
    begins
        && end - start <= 2
        && text
            .get(start..end)
            .is_some_and(|word| !word.starts_with(b"0") && word.iter().all(u8::is_ascii_digit))
        && matches!(text.get(end..end + 2), Some([b'.' | b')', b' ']))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what separates two values, which are the first and the last run of digits of a text.
    fn between(text: &str) -> Option<ListJoint> {
        let is_digit = |letter: char| letter.is_ascii_digit();
        let start = text.find("44")?;
        let end = start + text.get(start..)?.find(|letter| !is_digit(letter))?;
        let (joint, here) = joint(text, end, text.rfind("02")?)?;
        (joint != ListJoint::Line || is_next_line(before_on_line(text, start), here)).then_some(joint)
    }

    #[test]
    fn separators_of_lists() {
        for (text, want) in [
            ("4405, 0227", Some(ListJoint::Mark)),
            ("4405/0227", Some(ListJoint::Tie)),
            ("4405 & 0227", Some(ListJoint::Tie)),
            ("4405 and 0227", Some(ListJoint::Tie)),
            ("4405, ODER 0227", Some(ListJoint::Tie)),
            ("4405和0227", Some(ListJoint::Tie)),
            ("4405、0227", Some(ListJoint::Mark)),
            ("4405 and/or 0227", Some(ListJoint::Tie)),
            ("4405 (home), 0227", Some(ListJoint::Mark)),
            ("\"4405\", \"0227", Some(ListJoint::Mark)),
            ("4405<br/>0227", Some(ListJoint::Mark)),
            ("4405</li>\n  <li>0227", Some(ListJoint::Mark)),
            ("4405, (0227", Some(ListJoint::Mark)),
            ("4405 ו-0227", Some(ListJoint::Tie)),
            ("4405 0227", Some(ListJoint::Space)),
            // no separator
            ("4405  0227", None),
            ("4405 (home) 0227", None),
            ("4405 - 0227", None),
            // a sentence ends, or another word follows
            ("4405. 0227", None),
            ("4405 and the 0227", None),
            ("4405, order 0227", None),
            ("4405 (in 1999), 0227", None),
            ("4405 <b>0227", None),
            ("4405, and, or, but, 0227", None),
            // lines
            ("4405\n0227", Some(ListJoint::Line)),
            ("- 4405\r\n- 0227", Some(ListJoint::Line)),
            (" 9. 4405,\n10. 0227", Some(ListJoint::Line)),
            ("id: 4405\n    0227", Some(ListJoint::Line)),
            ("  - \"4405\",\n  - \"0227", Some(ListJoint::Line)),
            ("- 4405\n* 0227", None),
            ("- 4405\n  - 0227", None),
            ("- 4405\n0227", None),
            ("id: 4405\n- 0227", None),
            ("4405\n\n0227", None),
            ("1.5 4405\n1.5 0227", None),
        ] {
            assert_eq!(between(text), want, "{text:?}");
        }
    }

    #[test]
    fn forms_of_values() {
        for (one, other, want) in [
            ("601 123 456", "602-123-456", Likeness::Same),
            ("AB1234567", "CD1234567", Likeness::Same),
            ("030 23125014", "0171 39200", Likeness::Close),
            ("601123456", "20240512", Likeness::Digits),
            ("23 12 50 14", "03.02.2024", Likeness::Other),
            ("1980-05-12", "2024-5-3", Likeness::Other),
            ("601 123 456", "AB123456", Likeness::Other),
            ("44051401359", "12345", Likeness::Digits),
        ] {
            let [one, other] = [one, other].map(|value| ValueForm::of(value.as_bytes()));
            assert_eq!(one.likeness(other), want, "{one:?} {other:?}");
        }
    }

    /// A list whose first value has the label 7.
    fn told(text: &str, values: &[&str]) -> Vec<Option<u8>> {
        let (work, mut siblings) = (Work::default(), Siblings::default());
        let mut at = 0;
        let each = values.iter().enumerate().map(|(index, value)| {
            let start = at + text.get(at..).and_then(|rest| rest.find(value)).unwrap_or_default();
            at = start + value.len();
            let heard = siblings.of(text, (start, at), None, &work).map(|sibling| sibling.heard);
            let own = (index == 0).then_some(Heard { labels: 7, known: Apparent::default() });
            if let Some(heard) = own.or(heard.clone()) {
                siblings.keep(text, (start, at), None, heard, &work);
            }
            heard.map(|heard| heard.labels)
        });
        each.collect()
    }

    #[test]
    fn a_label_reaches_the_end_of_its_list() {
        for (text, values, want) in [
            (
                "4405140, 0227080 or 9912311",
                &["4405140", "0227080", "9912311"][..],
                &[None, Some(7), Some(7)][..],
            ),
            ("4405140 0227080", &["4405140", "0227080"], &[None, Some(7)]),
            (
                "4405140,                                         0227080",
                &["4405140", "0227080"],
                &[None, None],
            ),
            // a line with more than a value
            ("4405140\n0227080 is another", &["4405140", "0227080"], &[None, None]),
            // too short for a list, or for one with spaces
            ("4405, 0227", &["4405", "0227"], &[None, None]),
            ("44051 02270", &["44051", "02270"], &[None, None]),
            ("44 05140 02 27080", &["44 05140", "02 27080"], &[None, None]),
        ] {
            assert_eq!(told(text, values), want, "{text:?}");
        }
    }

    #[test]
    fn a_value_in_a_cell_tells_the_values_of_its_cell() {
        let (text, work) = ("4405140, 0227080", Work::default());
        for (first, second, want) in
            [(Some(3), Some(3), true), (Some(3), None, false), (None, Some(9), false)]
        {
            let mut siblings = Siblings::default();
            siblings.keep(text, (0, 7), first, Heard { labels: 7, known: Apparent::default() }, &work);
            assert_eq!(siblings.of(text, (9, 16), second, &work).is_some(), want, "{first:?} {second:?}");
        }
    }

    /// A pass hears nothing of what another one found, as that may be behind it.
    #[test]
    fn passes_are_apart() {
        let (text, work, mut siblings) = ("4405140, 0227080", Work::default(), Siblings::default());
        siblings.keep(text, (0, 7), None, Heard { labels: 7, known: Apparent::default() }, &work);
        for (pass, want) in [(Pass::Names, false), (Pass::Custom(1), false), (Pass::Scan, true)] {
            siblings.begin(pass);
            assert_eq!(siblings.of(text, (9, 16), None, &work).is_some(), want, "{pass:?}");
        }
    }

    #[test]
    fn values_that_are_written_alike() {
        for (text, value, at, want) in [
            ("601 123 456/602 123 456", "601 123 456", "602", true),
            ("AB1234567/CD7654321.", "AB1234567", "CD", true),
            ("601 123 456/602-123-456", "601 123 456", "602", false),
            ("601 123 456/602 123 4567", "601 123 456", "602", false),
            ("12/13", "12", "13", false),
            ("2024/2025", "2024", "2025", false),
        ] {
            let (start, at) = (text.find(value).unwrap_or_default(), text.find(at).unwrap_or_default());
            assert_eq!(repeats(text.as_bytes(), start, start + value.len(), at), want, "{text}");
        }
    }

    #[test]
    fn quantities() {
        for (text, want) in [
            ("1204556 issued", true),
            ("1 204 556", true),
            ("1,204,556", true),
            ("1204556, 1204557", false),
            ("601 123 456", false),
            ("415-555-0132", false),
            ("20 12 34 56", false),
            ("AB1204556", false),
            ("120455612", false),
        ] {
            let end = text.find(", 1204557").or(text.find(" issued")).unwrap_or(text.len());
            assert_eq!(is_count(text.as_bytes(), 0, end), want, "{text}");
        }
    }

    #[test]
    fn numbers_of_items() {
        for (text, want) in [
            ("2. 602 123 456", true),
            ("a\n  2) 602", true),
            // an area code
            ("(11) 91234", false),
            ("02) 9371", false),
            ("a 2. 602", false),
            ("2.602", false),
            ("123. 602", false),
        ] {
            let start = text.find(|letter: char| letter.is_ascii_digit()).unwrap_or_default();
            let end = start + text.bytes().skip(start).take_while(u8::is_ascii_digit).count();
            assert_eq!(is_item_number(text.as_bytes(), start, end), want, "{text:?}");
        }
    }
}
