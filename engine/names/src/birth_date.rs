//! Finds dates partly in words, as used for birth dates: `the twelfth of May 1980`, `12 мая 1980 г.`,
//! `1980年5月12日`. The caller decides from the surrounding text whether a date is a birth date.

use textveil_phrase::Phrase;

use crate::{
    Candidate, Day, Kind, number,
    signs::Signs,
    table::{Table, has, may_have},
    token::{self, Case, Gap, Token, span},
};

include!(concat!(env!("OUT_DIR"), "/dates.rs"));

/// The maximum number of words of a month or a day, and of the hundreds of a year.
const MAX_WORDS: usize = 3;
/// The maximum number of words between two parts of a date.
const MAX_BETWEEN: usize = 2;
/// The maximum number of words of a date before its month.
const MAX_BEFORE: usize = 6;
/// The maximum number of letters after the digits of a day: `12th`, `1er`.
const MAX_ENDING: usize = 3;
/// The last two digits of the latest year that a year of two digits may be.
const LATEST: u16 = 26;
/// The difference between a year of the Thai Buddhist calendar and the common era.
const BUDDHIST: u16 = 543;

/// Finds the dates in a text, from the words that may be months.
pub(crate) fn find(text: &str, tokens: &[Token], anchors: &[usize], out: &mut Vec<Candidate>) {
    let mut done = 0;
    for &at in anchors {
        let Some(token) = tokens.get(at) else { continue };
        if at < done || !(may_be_month(token) || token.case == Case::Number) {
            continue;
        }
        let found = if token.case == Case::Number {
            in_one_word(token.text(text)).map(|day| (at, at + 1, day))
        } else if has(&MONTH_FIRSTS, token.phrase) {
            around(text, tokens, at, done)
        } else {
            None
        };
        if let Some((start, end, day)) = found
            && let Some(place) = span(tokens, start, end)
        {
            done = end;
            out.push(Candidate { day: Some(day), ..Candidate::new(Kind::BirthDate, place, 0.0) });
        }
    }
}

/// Whether a word may be a month, the first word of a month, or a word that makes a number a month.
#[inline]
pub(crate) fn may_be_month(word: &Token) -> bool {
    word.signs.has(Signs::NUMBER)
}

/// Whether a date may begin with a word, which is then its day.
pub(crate) fn may_begin(word: &Token) -> bool {
    has(&DAY_FIRSTS, word.phrase) || number::value(word.phrase).is_some()
}

/// Reads the date whose month is the word `at`: the indices of its first word, which is not before `from`,
/// and after its last one, and the day.
fn around(text: &str, tokens: &[Token], at: usize, from: usize) -> Option<(usize, usize, Day)> {
    (at.saturating_sub(MAX_BEFORE).max(from)..=at).find_map(|start| {
        let first = tokens.get(start)?;
        let begins = start == at || first.case == Case::Number || may_begin(first);
        let (end, day) = begins.then(|| date(text, tokens, start)).flatten()?;
        (end > at).then_some((start, end, day))
    })
}

/// The parts of a date read so far.
#[derive(Default)]
struct Parts {
    day: Option<u8>,
    /// 0 if its name means different months in different languages.
    month: Option<u8>,
    year: Option<u16>,
}

/// Reads a date that begins with the word `start`, with its parts in any order; returns the index after it,
/// and the day.
fn date(text: &str, tokens: &[Token], start: usize) -> Option<(usize, Day)> {
    let mut parts = Parts::default();
    let mut at = parts.take(text, tokens, start)?;
    for _ in 0..2 {
        at = parts.next(text, tokens, at)?;
    }
    let Parts { day, month, year } = parts;
    let year = year.map(|year| if year > 2_400 { year - BUDDHIST } else { year })?;
    Some((at, Day { year, month: month.filter(|month| *month > 0), day: day.filter(|day| *day > 0)? }))
}

impl Parts {
    /// Reads the next part, after any connecting words; returns the index after it.
    fn next(&mut self, text: &str, tokens: &[Token], at: usize) -> Option<usize> {
        for next in at..=at + MAX_BETWEEN {
            let token = tokens.get(next)?;
            if !is_joined(text, tokens, next) {
                return None;
            }
            if let Some(end) = self.take(text, tokens, next) {
                return Some(end);
            }
            if !has(&BETWEEN, token.phrase) {
                return None;
            }
        }
        None
    }

    /// Reads the part that begins with the word `at`; returns the index after it.
    fn take(&mut self, text: &str, tokens: &[Token], at: usize) -> Option<usize> {
        let token = tokens.get(at)?;
        if token.case == Case::Number {
            return self.figures(text, tokens, at);
        }
        // `tháng 5`
        if self.month.is_none()
            && has(&MONTH_BEFORE, token.phrase)
            && let Some(month) = tokens.get(at + 1).and_then(|next| month_in_figures(next.text(text)))
        {
            self.month = Some(month);
            return Some(at + 2);
        }
        if self.month.is_none()
            && may_be_month(token)
            && let Some((end, month)) =
                token::longest(text, tokens, at, MAX_WORDS, |phrase| MONTHS.get(phrase))
        {
            self.month = Some(month);
            return Some(end);
        }
        // a year in words follows the other parts
        if self.year.is_none()
            && self.day.and(self.month).is_some()
            && let Some((end, year)) = year(text, tokens, at)
        {
            self.year = Some(year);
            return Some(end);
        }
        let (end, day) = self.day.is_none().then(|| day(text, tokens, at)).flatten()?;
        self.day = Some(day);
        Some(end)
    }

    /// Reads a part in digits; the word after it, or its size, determines its kind.
    fn figures(&mut self, text: &str, tokens: &[Token], at: usize) -> Option<usize> {
        let written = tokens.get(at)?.text(text);
        let count = written.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, ending) = written.split_at_checked(count)?;
        let number: u16 = digits.parse().ok()?;
        let marked = tokens.get(at + 1).filter(|next| matches!(next.gap, Gap::None | Gap::Space));
        let marked_by = |marks: &[u32]| marked.is_some_and(|mark| has(marks, mark.phrase));
        if ending.is_empty() && marked_by(&MONTH_AFTER) {
            let month = month_in_figures(digits).filter(|_| self.month.is_none())?;
            self.month = Some(month);
            return Some(at + 2);
        }
        if ending.is_empty() && count == 4 {
            let is_year = matches!(number, 1_900..=2_099) || matches!(number, 2_443..=2_642);
            let year = Some(number).filter(|_| is_year && self.year.is_none())?;
            self.year = Some(year);
            return Some(at + 1 + usize::from(marked_by(&YEAR_AFTER)));
        }
        // `3. April 78`, but not `12 May, 10 people`, and not the hour of `3 April 18:30`
        let is_last = self.day.and(self.month).is_some() && self.year.is_none();
        let is_apart = tokens.get(at).is_none_or(|token| token.gap == Gap::Comma)
            || tokens.get(at + 1).is_some_and(|next| next.gap == Gap::Colon);
        if ending.is_empty() && count == 2 && is_last && !is_apart {
            self.year = Some(if number > LATEST { 1_900 } else { 2_000 } + number);
            return Some(at + 1 + usize::from(marked_by(&YEAR_AFTER)));
        }
        let ends = ending.chars().count() <= MAX_ENDING;
        let day = u8::try_from(number).ok().filter(|day| ends && count <= 2 && (1..=31).contains(day))?;
        self.day.is_none().then(|| self.day = Some(day))?;
        Some(at + 1 + usize::from(marked_by(&DAY_AFTER)))
    }
}

/// `12MAY1980`.
fn in_one_word(word: &str) -> Option<Day> {
    let (head, year) = word.split_at_checked(word.len().checked_sub(4)?)?;
    let letters = head.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let digits = head.strip_suffix(letters).filter(|digits| (1..=2).contains(&digits.len()))?;
    let year = year.parse().ok().filter(|year| (1_900..=2_099).contains(year))?;
    let month = MONTHS.get(Phrase::EMPTY.with(letters))?;
    Some(Day { year, month: Some(month).filter(|month| *month > 0), day: digits.parse().ok()? })
}

/// Whether a word belongs to the same date as the word before it.
fn is_joined(text: &str, tokens: &[Token], at: usize) -> bool {
    let Some(token) = tokens.get(at) else { return false };
    match token.gap {
        Gap::Space | Gap::Dot | Gap::Comma | Gap::Hyphen | Gap::Apostrophe | Gap::None => true,
        Gap::Other => {
            let last = at.checked_sub(1).and_then(|last| tokens.get(last));
            let between = last.and_then(|last| text.get(last.end as usize..token.start as usize));
            matches!(between, Some("/" | "، "))
        }
        Gap::Line | Gap::Colon => false,
    }
}

fn month_in_figures(digits: &str) -> Option<u8> {
    digits.parse().ok().filter(|month| (1..=12).contains(month))
}

/// Reads a day in words: an ordinal, or a cardinal number as in `le douze mai`.
fn day(text: &str, tokens: &[Token], at: usize) -> Option<(usize, u8)> {
    let ordinal = |phrase| may_have(&DAY_FILTER, phrase).then(|| DAYS.get(phrase)).flatten();
    let is = |phrase| ordinal(phrase).or_else(|| number::value(phrase).filter(|day| *day <= 31));
    tokens.get(at).filter(|token| may_begin(token))?;
    token::longest(text, tokens, at, MAX_WORDS, is)
}

/// Reads a year in words: its hundreds, and the number within them; one word in some languages.
fn year(text: &str, tokens: &[Token], at: usize) -> Option<(usize, u16)> {
    let first = tokens.get(at)?.text(text);
    if let Some(year) = glued_year(first) {
        return Some((at + 1, year));
    }
    let (end, hundreds) = token::longest(text, tokens, at, MAX_WORDS, |phrase| CENTURIES.get(phrase))?;
    let hundreds = u16::from(hundreds) * 100;
    let number = number::longest(text, tokens, end).filter(|_| is_joined(text, tokens, end));
    match number {
        Some((end, number)) => Some((end, hundreds + u16::from(number))),
        // `nineteen` alone is not a year, but `two thousand` is one
        None => (hundreds == 2_000 && end > at + 1).then_some((end, hundreds)),
    }
}

/// `neunzehnhundertachtzig`.
fn glued_year(word: &str) -> Option<u16> {
    let mut hundreds = Phrase::EMPTY;
    word.char_indices().find_map(|(start, letter)| {
        hundreds = hundreds.with_letter(letter);
        let of = CENTURIES.get(hundreds)?;
        let number = number::value(Phrase::EMPTY.with(word.get(start + letter.len_utf8()..)?))?;
        Some(u16::from(of) * 100 + u16::from(number))
    })
}

#[cfg(test)]
mod tests {
    use crate::{Kind, Known, find};

    #[test]
    fn dates_with_something_in_words() {
        for (text, date, day) in [
            ("born 12 May 1980", "12 May 1980", "1980-5-12"),
            ("born May 12th, 1980", "May 12th, 1980", "1980-5-12"),
            ("DOB 12-May-1980", "12-May-1980", "1980-5-12"),
            ("DOB 12/MAY/1980", "12/MAY/1980", "1980-5-12"),
            ("DOB 12MAY1980.", "12MAY1980", "1980-5-12"),
            ("on the twelfth of May 1980", "twelfth of May 1980", "1980-5-12"),
            ("on May the twenty-first, 1980", "May the twenty-first, 1980", "1980-5-21"),
            ("on the 1st day of May, 1980", "1st day of May, 1980", "1980-5-1"),
            ("the third of May nineteen eighty-four", "third of May nineteen eighty-four", "1984-5-3"),
            ("2 May two thousand and one", "2 May two thousand and one", "2001-5-2"),
            ("am zwölften Mai neunzehnhundertachtzig", "zwölften Mai neunzehnhundertachtzig", "1980-5-12"),
            ("le 1er août 1988", "1er août 1988", "1988-8-1"),
            (
                "le douze mai mille neuf cent quatre-vingt",
                "douze mai mille neuf cent quatre-vingt",
                "1980-5-12",
            ),
            ("el 5 de mayo de mil novecientos", "", ""),
            ("el 5 de mayo de mil novecientos ochenta", "5 de mayo de mil novecientos ochenta", "1980-5-5"),
            ("il dodici maggio millenovecentottanta", "dodici maggio millenovecentottanta", "1980-5-12"),
            (
                "dvanáctého května devatenáct set osmdesát",
                "dvanáctého května devatenáct set osmdesát",
                "1980-5-12",
            ),
            ("dwunastego maja 1980 r.", "dwunastego maja 1980", "1980-5-12"),
            ("двадцать первого мая 1980 года", "двадцать первого мая 1980", "1980-5-21"),
            ("12 січня 1980 р.", "12 січня 1980", "1980-1-12"),
            ("12. toukokuuta 1980", "12. toukokuuta 1980", "1980-5-12"),
            ("1980. május 12-én", "1980. május 12", "1980-5-12"),
            ("1980. gada 12. maijā", "1980. gada 12. maijā", "1980-5-12"),
            ("1980 m. gegužės 12 d.", "1980 m. gegužės 12", "1980-5-12"),
            ("12 tháng 5 năm 1980", "12 tháng 5 năm 1980", "1980-5-12"),
            ("1980年5月12日生まれ", "1980年5月12日", "1980-5-12"),
            ("1980년 5월 12일", "1980년 5월 12일", "1980-5-12"),
            ("12 במאי 1980", "12 במאי 1980", "1980-5-12"),
            ("12 كانون الثاني 1980", "12 كانون الثاني 1980", "1980-1-12"),
            ("12 พฤษภาคม 2523", "12 พฤษภาคม 2523", "1980-5-12"),
            // November in Polish, October in Croatian
            ("12. listopada 1980", "12. listopada 1980", "1980-?-12"),
            ("in May 1980", "", ""),
            ("12 May, at 10", "", ""),
            ("geb. 3. April 78", "3. April 78", "1978-4-3"),
            ("3 kwietnia 05 r.", "3 kwietnia 05", "2005-4-3"),
            ("12 May, 10 people", "", ""),
            ("12 May 18:30", "", ""),
            ("12 May\n1980", "", ""),
            ("in 1980, 12 people may come", "", ""),
        ] {
            let candidates = find(text, &mut Known::default(), false);
            let found = candidates.iter().find(|candidate| candidate.kind == Kind::BirthDate);
            let written =
                found.and_then(|candidate| text.get(candidate.start as usize..candidate.end as usize));
            let written = written.unwrap_or_default();
            assert_eq!(written, date, "{text}");
            let told = found.and_then(|candidate| candidate.day).map(|told| {
                let month = told.month.map_or("?".to_owned(), |month| month.to_string());
                format!("{}-{month}-{}", told.year, told.day)
            });
            assert_eq!(told.unwrap_or_default(), day, "{text}");
        }
    }
}
