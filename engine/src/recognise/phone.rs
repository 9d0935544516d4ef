//! Telephone numbers in a chain: international ones at once, national ones for when the country is known.

use textveil_weights::phone as weights;

use super::{
    date,
    scan::{Atom, Scanner, Stretch, is_filler},
    table::{Read, Recognise, WrittenValue},
};
use crate::{
    api::facts::{Facts, Invalid},
    catalogue,
    evidence::{
        candidate::{Candidate, Extra, LocalNumber, Source, Verdict},
        siblings::{self, Apparent},
        words,
    },
    lexicon,
    phone::{self, Phone, digits::Digits},
    phrase::is_letter,
};

/// The most digits of an extension.
const MAX_EXTENSION: usize = 6;

/// Telephone numbers.
pub(super) struct TelephoneNumbers;

/// Consecutive words of digits only, with the state of the search for telephone numbers.
#[derive(Default)]
pub(super) struct Row {
    /// The word after its last one.
    end: usize,
    /// The words before this one belong to numbers already.
    next: usize,
    /// A number in national notation may begin here, as at the start of the row; otherwise it needs a trunk
    /// prefix.
    begins: bool,
}

impl Recognise for TelephoneNumbers {
    type State = Row;

    fn after_shapes(scanner: &mut Scanner<'_>, chain: &[Atom], first: usize) {
        let mut row = if first == 0 { Row::default() } else { std::mem::take(&mut scanner.states.phone) };
        read(scanner, chain, first, &mut row);
        scanner.states.phone = row;
    }

    fn judge(value: &WrittenValue<'_>) -> Result<Read, Invalid> {
        let WrittenValue { text: value, country, .. } = *value;
        let written = value.trim_start_matches('(');
        if value.chars().any(|letter| !(letter.is_ascii_digit() || "+ -./()".contains(letter))) {
            return Err(Invalid::Format);
        }
        let digits: String = value.chars().filter(char::is_ascii_digit).collect();
        if !(5..=18).contains(&digits.len()) {
            return Err(Invalid::Length);
        }
        let international = match written.starts_with('+') {
            true => phone::international(digits.as_bytes()),
            false => digits.as_bytes().strip_prefix(b"00").and_then(phone::international),
        };
        let national = || country.and_then(|country| phone::national(digits.as_bytes(), country));
        let found = international.or_else(national).ok_or(Invalid::Component)?;
        let read = Read::new(Verdict::Valid, Facts::default(), false);
        Ok(Read { country: found.country, phone: Some(found), ..read })
    }
}

/// Reads a telephone number that begins with this word of a chain.
///
/// A number after `+` or `00` is validated at once, others when the country is known. Words come in
/// order; `row` is the state from the preceding words.
fn read(scanner: &mut Scanner<'_>, chain: &[Atom], first: usize, row: &mut Row) {
    let number = |atom: &&Atom| atom.digits && !atom.letters;
    let Some(atom) = chain.get(first).filter(number) else { return };
    if first >= row.end {
        // two spaces separate the columns of a table
        let joined = |(last, atom): &(&Atom, &Atom)| {
            number(atom) && atom.joint != b':' && (atom.joint != b' ' || atom.start - last.end == 1)
        };
        let goes_on = |(last, atom): &(&Atom, &Atom)| {
            joined(&(*last, *atom))
                && !(atom.joint == b'/' && parts_numbers(scanner, chain, first, last.end, atom.start))
        };
        let pairs = chain.iter().skip(first).zip(chain.iter().skip(first + 1));
        let more = pairs.take_while(goes_on).count();
        // the number of an item of a list is not part of a telephone number
        let is_item = more > 0 && siblings::is_item_number(scanner.bytes, atom.start, atom.end);
        *row = Row { end: first + 1 + more, next: first + usize::from(is_item), begins: true };
    }
    if first < row.next {
        return;
    }
    let last = row.end - 1;
    let before = |back: usize| atom.start.checked_sub(back).and_then(|at| scanner.bytes.get(at));
    // `1.0.0+20130313144700` is a version
    let joins = before(1) == Some(&b'+') && before(2).is_some_and(u8::is_ascii_digit);
    if joins {
        row.next = row.end;
        return;
    }
    let plus = before(1) == Some(&b'+') || before(1) == Some(&b'(') && before(2) == Some(&b'+');
    let word = scanner.bytes.get(atom.start..atom.end).unwrap_or_default();
    let trunk = word.starts_with(b"0") || before(1) == Some(&b'(');
    let found = match plus || word.starts_with(b"00") {
        true => read_international(scanner, chain, first, last, plus),
        false if row.begins || trunk => read_local(scanner, chain, first, last),
        false => None,
    };
    row.begins = found.is_some();
    row.next = found.unwrap_or(first) + 1;
}

/// Whether a slash is between two numbers of one form: from the end of the first one to the start of the second one.
///
/// The second one may lack the calling code of the first one.
fn parts_numbers(scanner: &Scanner<'_>, chain: &[Atom], first: usize, end: usize, next: usize) -> bool {
    let starts = [chain.get(first), chain.get(first + 1).filter(|_| is_international(scanner, chain, first))];
    starts.into_iter().flatten().any(|atom| atom.start < end && scanner.repeats(atom.start, end, next))
}

/// Whether a number begins with `+` or `00`.
fn is_international(scanner: &Scanner<'_>, chain: &[Atom], first: usize) -> bool {
    let Some(start) = chain.get(first).map(|atom| atom.start) else { return false };
    let led = scanner.bytes.get(..start).unwrap_or_default();
    led.ends_with(b"+") || led.ends_with(b"+(") || scanner.bytes.get(start..start + 2) == Some(b"00")
}

/// Reads a number in international notation that begins with this word; returns the index of its last
/// word.
fn read_international(
    scanner: &mut Scanner<'_>,
    chain: &[Atom],
    first: usize,
    last: usize,
    plus: bool,
) -> Option<usize> {
    let begin = chain.get(first)?.start;
    let mut best = None;
    for index in (first..=last).take(8) {
        let end = chain.get(index)?.end;
        let Some(digits) = Digits::of(scanner.bytes.get(begin..end)?) else { break };
        scanner.count(4);
        let digits = if plus { digits.as_bytes() } else { digits.as_bytes().strip_prefix(b"00")? };
        if let Some(phone) = phone::international(digits) {
            best = Some((index, end, phone));
        }
    }
    let Some((index, end, phone)) = best else {
        if plus {
            push_unplanned(scanner, chain, first, last);
        }
        return None;
    };
    let bracket = scanner.bytes.get(begin.wrapping_sub(2)) == Some(&b'(')
        && begin >= 2
        && scanner.bytes.get(begin - 1) == Some(&b'+');
    let start = if plus {
        begin - 1 - usize::from(bracket && scanner.bytes.get(begin..end)?.contains(&b')'))
    } else {
        begin
    };
    let next = chain.get(index + 1).filter(|next| next.joint == b'/');
    let edge = match next.is_some_and(|next| parts_numbers(scanner, chain, first, end, next.start)) {
        true => 0.0,
        false => scanner.edge_after(start, end),
    };
    // `INV-0049-711-2345`
    let edge = if plus { edge } else { edge + scanner.edge_before(start, end) };
    let shape = if plus { weights::INTERNATIONAL } else { weights::INTERNATIONAL_ZEROS };
    push(scanner, phone, start, with_extension(scanner, end), shape, edge);
    Some(index)
}

/// Whether a letter with a colon is before this place, and a separator before the letter.
fn is_lettered(scanner: &Scanner<'_>, start: usize) -> bool {
    let before = scanner.bytes.get(..start).unwrap_or_default().trim_ascii_end();
    let [rest @ .., letter, b':'] = before else { return false };
    // of home, cell, mobile, office, work, direct line, fax, telephone, private, business
    let is_label = b"HCMOWDFTPBhcmowdftpb".contains(letter);
    is_label && rest.last().is_none_or(|before| matches!(before, b' ' | b'\n' | b'|' | b'(' | b'/' | b'\t'))
}

/// Returns the end of a telephone number with its extension: ` ext. 234`, `x341`, ` (Durchwahl 23)`.
fn with_extension(scanner: &Scanner<'_>, end: usize) -> usize {
    let extension = || {
        let mut rest = scanner.text.get(end..)?;
        let mut skip = |sign: &str| rest.strip_prefix(sign).inspect(|behind| rest = behind).is_some();
        skip(",");
        skip(" ");
        let opened = skip("(");
        let word = lexicon::EXTENSIONS.leading_word(rest)?;
        rest = rest.get(word..)?;
        let mut skip = |sign: &str| rest.strip_prefix(sign).inspect(|behind| rest = behind).is_some();
        if !skip(".") {
            skip(":");
        }
        skip(" ");
        let digits = rest.bytes().take(MAX_EXTENSION + 1).take_while(u8::is_ascii_digit).count();
        let behind = rest.get(digits..)?;
        let is_whole = (1..=MAX_EXTENSION).contains(&digits) && !behind.starts_with(is_letter);
        let closes = opened && behind.starts_with(')');
        is_whole.then(|| scanner.text.len() - behind.len() + usize::from(closes))
    };
    extension().unwrap_or(end)
}

/// Adds a number in international notation that is not in a numbering plan: new ranges, and numbers
/// reserved for fiction.
fn push_unplanned(scanner: &mut Scanner<'_>, chain: &[Atom], first: usize, last: usize) {
    let (Some(&index), Some(begin)) = (catalogue::PHONE.first(), chain.get(first)) else { return };
    let Some(end) = chain.get(last.min(first + 7)).map(|atom| atom.end) else { return };
    let Some(digits) = scanner.bytes.get(begin.start..end).and_then(Digits::of) else { return };
    if (9..=15).contains(&digits.len())
        && !digits.as_bytes().starts_with(b"0")
        && !is_filler(digits.as_bytes())
    {
        let neighbour = scanner.edge_after(begin.start, end);
        let country = phone::country(digits.as_bytes());
        scanner.keep(Candidate {
            shape: weights::UNPLANNED_INTERNATIONAL,
            neighbour,
            extra: country.map_or(Extra::None, Extra::Country),
            ..Candidate::new(Source::Catalogue(index), begin.start - 1, with_extension(scanner, end))
        });
    }
}

fn push(scanner: &mut Scanner<'_>, phone: Phone, start: usize, end: usize, shape: f32, neighbour: f32) {
    let Some(&index) = catalogue::PHONE.first() else { return };
    scanner.keep(Candidate {
        verdict: Verdict::Valid,
        extra: Extra::Phone(phone),
        shape,
        neighbour,
        ..Candidate::new(Source::Catalogue(index), start, end)
    });
}

/// Reads a number in national notation that begins with this word; returns the index of the last word of
/// the longest one.
fn read_local(scanner: &mut Scanner<'_>, chain: &[Atom], first: usize, last: usize) -> Option<usize> {
    let &index = catalogue::PHONE.first()?;
    let begin = chain.get(first)?.start;
    // a date is not a telephone number; the word after it may begin one
    if scanner.bytes.get(begin..).is_some_and(date::begins) {
        return Some(last.min(first + 2));
    }
    let year =
        matches!(scanner.bytes.get(begin..begin + 5), Some([b'1' | b'2', b'9' | b'0', _, _, b'-' | b'/']));
    let mut longest = None;
    // the longest one, and up to two shorter ones
    for at in (first..=last.min(first + 6)).rev() {
        let end = chain.get(at)?.end;
        let written = scanner.bytes.get(begin..end)?;
        if written.len() < 7 {
            break;
        }
        let Some(digits) = Digits::of(written).filter(|digits| (7..=15).contains(&digits.len())) else {
            continue;
        };
        if longest.is_some_and(|longest| at + 2 < longest) || is_filler(digits.as_bytes()) {
            break;
        }
        // an unpaired bracket belongs to the surrounding text
        let opens = written.iter().filter(|byte| **byte == b'(').count();
        let closes = written.iter().filter(|byte| **byte == b')').count();
        let led = begin.checked_sub(1).and_then(|at| scanner.bytes.get(at)) == Some(&b'(');
        if opens + usize::from(led) < closes || opens > closes {
            continue;
        }
        scanner.count(4);
        scanner.out.labels.around(begin, end, &mut scanner.contexts);
        // digits without separators need a label or context word of telephone numbers
        if at == first && !scanner.contexts.mention(index) {
            break;
        }
        longest = longest.or(Some(at));
        let bracket = written.contains(&b')')
            && begin.checked_sub(1).and_then(|at| scanner.bytes.get(at)) == Some(&b'(');
        let stretch = Stretch { chain, first, last: at, start: begin, end };
        let neighbour = if bracket { scanner.edge_after(begin, end) } else { scanner.neighbour(&stretch) };
        // dots and dashes, or a year and a separator: the number of a drawing, a shelf or a file
        let joint =
            |joint| chain.get(first + 1..=at).unwrap_or_default().iter().any(|atom| atom.joint == joint);
        let filed = year || joint(b'.') && joint(b'-');
        let sizes = || chain.get(first..=at).unwrap_or_default().iter().map(|atom| atom.end - atom.start);
        // `654.859.060` may be a large number
        let grouped = sizes().skip(1).all(|size| size == 3)
            && chain.get(first + 1..=at).unwrap_or_default().iter().all(|atom| atom.joint == b'.');
        // `0.2043069471` may be a share
        let decimal = at == first + 1 && joint(b'.') && sizes().next() == Some(1);
        let form = if filed {
            weights::FILED
        } else if decimal {
            weights::DECIMAL
        } else if grouped && at > first {
            weights::GROUPED
        } else {
            0.0
        };
        let is_lettered = at > first && is_lettered(scanner, begin - usize::from(bracket));
        let mut candidate = Candidate {
            neighbour: neighbour + form + if is_lettered { weights::LETTERED } else { 0.0 },
            ..Candidate::new(
                Source::Catalogue(index),
                begin - usize::from(bracket),
                with_extension(scanner, end),
            )
        };
        words::apply(&mut candidate, index, &scanner.contexts);
        let named = candidate.named;
        let told = scanner.contexts.sibling().and_then(|sibling| sibling.heard.known.country);
        scanner.out.labels.tell(begin, end, &scanner.contexts, Apparent::default());
        let groups = (at - first + 1) as u8;
        let north_american = !joint(b' ') && sizes().eq([3, 3, 4]);
        scanner.out.local_numbers.push(LocalNumber {
            north_american,
            area_in_brackets: bracket,
            russian: joint(b'-') && digits.as_bytes().starts_with(b"8") && sizes().eq([1, 3, 3, 2, 2]),
            digits,
            groups,
            candidate,
            named,
            behind_name: false,
            told,
        });
    }
    longest
}
