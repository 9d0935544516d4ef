//! Finds postal addresses of East Asia, from the largest place to the house number: `東京都千代田区千代田1-1`,
//! `北京市朝阳区建国路88号`, `서울특별시 중구 세종대로 110`.

use std::ops::{Range, RangeInclusive};

use textveil_phrase::Phrase;
use textveil_weights::address_east_asia as weights;

use crate::{
    Candidate, Kind, Part, Role, east_asia, lexicon,
    token::{self, Token},
    words::east_asian_addresses::{
        BEFORE_STREETS, DISTRICTS, KOREAN_DISTRICTS, KOREAN_PLACES, KOREAN_STREETS, PLACES, REGIONS, STREETS,
        UNITS,
    },
};

/// The longest name of a region or a city, in characters.
const MAX_PLACE: usize = 3;
/// The maximum number of characters before a house number, and of words in Korea.
const MAX_LETTERS: usize = 32;
const MAX_WORDS: usize = 5;
/// The longest name of a street, in characters.
const MAX_STREET: usize = 8;

/// Finds the addresses in a text, given the words that may begin a name.
pub(crate) fn find(text: &str, tokens: &[Token], beginnings: &[usize], out: &mut Vec<Candidate>) {
    let mut done = 0;
    east_asia::each_row(tokens, beginnings, |row| {
        let place = token::span(tokens, row.start, row.end).filter(|place| place.start >= done);
        let found = place.and_then(|Part { start, end }| address(text, start as usize..end as usize));
        if let Some((candidate, part)) = found {
            done = candidate.end;
            out.push(candidate.with_parts([(Role::PostalCode, part)]));
        }
    });
}

/// Returns the address whose places form a row of characters, or begin with it, and its postal code.
fn address(text: &str, row: Range<usize>) -> Option<(Candidate, Option<Part>)> {
    let written = text.get(row.clone())?;
    let is_korean = written.starts_with(is_hangul);
    let (start, end, odds) = if is_korean {
        // most rows end here, as no number follows them
        let end = korean_end(text, row.end)?;
        is_korean_place(written).then_some((row.start, end, weights::FULL))?
    } else {
        han(text, row)?
    };
    let code = postal_code(text.get(..start)?);
    let start = code.map_or(start as u32, |code| code.start);
    Some((Candidate::new(Kind::Address, Part { start, end: end as u32 }, odds), code))
}

/// Returns the start, end and odds of a Han address whose first row of characters is this one.
fn han(text: &str, row: Range<usize>) -> Option<(usize, usize, f32)> {
    let (written, behind) = (text.get(row.clone())?, text.get(row.end..)?);
    if behind.starts_with(char::is_numeric) {
        let end = row.end + house(behind, false)?;
        return match places(written) {
            Some(start) => Some((row.start + start, end, weights::FULL)),
            None => Some((row.start + street(written)?, end, weights::STREET)),
        };
    }
    // `四川省成都市锦江区 610021`
    if let Some(code) = code_behind(behind, 5..=6) {
        let start = row.start + places(written)?;
        let code = row.end + code;
        return Some((start, code + street_and_house(text.get(code..)?).unwrap_or(0), weights::FULL));
    }
    // `〒460-0008 愛知県名古屋市中区栄`
    let signed = postal_code(text.get(..row.start)?)
        .filter(|code| text.get(..code.start as usize).is_some_and(|before| before.ends_with('〒')));
    signed.and_then(|_| Some((row.start + places(written)?, row.end, weights::FULL)))
}

/// Returns the length of a street and a house number at the start of a text, after an optional space.
fn street_and_house(text: &str) -> Option<usize> {
    let row = text.trim_start_matches(' ');
    let len = row.find(|letter| !textveil_phrase::is_alone(letter))?;
    street(row.get(..len)?)?;
    let number = text.len() - row.len() + len;
    Some(number + house(text.get(number..)?, false)?)
}

/// Returns the start of the street name that ends a row of characters: after a word such as `在`.
fn street(row: &str) -> Option<usize> {
    row.chars().next_back().filter(|last| STREETS.contains(*last))?;
    let start = row.rfind(|letter| BEFORE_STREETS.contains(letter)).map_or(0, |at| at + '在'.len_utf8());
    let letters = row.get(start..)?.chars().count();
    (2..=MAX_STREET).contains(&letters).then_some(start)
}

/// Returns the length of a postal code with this number of digits after a space, with or without brackets, at
/// the start of the text.
fn code_behind(text: &str, digits: RangeInclusive<usize>) -> Option<usize> {
    let spaced = text.strip_prefix(' ')?;
    let opened = spaced.strip_prefix('(');
    let code = opened.unwrap_or(spaced);
    let len = code.bytes().take_while(u8::is_ascii_digit).count();
    let rest = code.get(len..)?;
    let rest = if opened.is_some() { rest.strip_prefix(')')? } else { rest };
    // a Han street may directly precede it
    let is_han = |letter: char| textveil_phrase::is_alone(letter) && !is_hangul(letter);
    let goes_on = |letter: char| letter.is_alphanumeric() && !is_han(letter) || letter == '-';
    (digits.contains(&len) && !rest.starts_with(goes_on)).then(|| text.len() - rest.len())
}

fn is_hangul(letter: char) -> bool {
    ('가'..='힣').contains(&letter)
}

/// Returns the start of the region's or city's name in a row that continues with a district, and ends with a
/// street or a quarter.
fn places(row: &str) -> Option<usize> {
    let letters = row.char_indices().rev().take(MAX_LETTERS).collect::<Vec<_>>();
    let (_, last) = *letters.first()?;
    // a particle continues a sentence
    if ('ぁ'..='ん').contains(&last) {
        return None;
    }
    letters.iter().rev().map(|(start, _)| *start).find(|start| {
        let ends = row.get(*start..).unwrap_or_default().char_indices().skip(2).take(MAX_PLACE - 1);
        ends.filter(|(_, marker)| PLACES.contains(*marker)).any(|(end, marker)| {
            let behind = row.get(start + end + marker.len_utf8()..).unwrap_or_default();
            let told = behind.contains(|letter| DISTRICTS.contains(letter)) || STREETS.contains(last);
            told && !behind.is_empty() && is_place(row.get(*start..start + end).unwrap_or_default())
        })
    })
}

/// Whether a Hangul word is the name of a region or a city: `서울`, `서울특별시`, `경기도`.
fn is_korean_place(word: &str) -> bool {
    is_place(word) || KOREAN_PLACES.iter().filter_map(|end| word.strip_suffix(end)).any(is_place)
}

fn is_place(name: &str) -> bool {
    let city = || lexicon::lookup(Phrase::EMPTY.with(name)).is_some_and(|(kind, _)| kind.city > 0);
    REGIONS.binary_search(&name).is_ok() || city()
}

/// Returns the end of an address that continues with districts, a street and the house number, separated by
/// spaces.
///
/// A postal code may be among them, and ends the address if none of these follow.
fn korean_end(text: &str, mut at: usize) -> Option<usize> {
    let mut coded = None;
    for words in 0..=MAX_WORDS {
        if let Some(code) = code_behind(text.get(at..)?, 5..=5).filter(|_| words > 0) {
            at += code;
            coded = Some(at);
        }
        let rest = text.get(at..)?;
        let word = rest.strip_prefix(' ').unwrap_or(rest);
        let len = word.find(|letter| !is_hangul(letter)).unwrap_or(word.len());
        let next = at + rest.len() - word.len() + len;
        let behind = text.get(next..)?;
        let is_number = behind.starts_with(|letter: char| letter.is_ascii_digit());
        // `세종대로 110`, `테헤란로152`
        if is_number && (len == 0 && words > 1 && is_street(text, at) || len > 0 && is_street(text, next)) {
            return Some(next + house(behind, true)?).or(coded);
        }
        let is_place = is_street(text, next) || ends_with(text, next, KOREAN_DISTRICTS);
        if len == 0 || word.len() == rest.len() || !is_place {
            break;
        }
        at = next;
    }
    coded
}

fn is_street(text: &str, end: usize) -> bool {
    ends_with(text, end, KOREAN_STREETS) || text.get(..end).is_some_and(|before| before.ends_with("아파트"))
}

/// Whether one of these letters precedes a place.
fn ends_with(text: &str, end: usize, letters: &str) -> bool {
    text.get(..end).and_then(|before| before.chars().next_back()).is_some_and(|last| letters.contains(last))
}

/// Returns the length of the house numbers at the start of a text: `1-1`, `88号`, `二段7號3樓`, `152, 101동 202호`.
///
/// A bare number is not a house number, except after a Korean street.
fn house(text: &str, is_korean: bool) -> Option<usize> {
    let (mut len, mut told) = (0, is_korean);
    loop {
        let rest = text.get(len..)?;
        let space =
            if len > 0 && is_korean { rest.len() - rest.trim_start_matches([',', ' ']).len() } else { 0 };
        let number = rest.get(space..)?;
        let digits = digits(number);
        let behind = number.get(digits..)?;
        let unit = UNITS.iter().find(|unit| behind.starts_with(**unit)).map_or(0, |unit| unit.len());
        if digits == 0 || len > 0 && unit == 0 {
            break;
        }
        told |= unit > 0 || number.get(..digits)?.contains(|letter: char| !letter.is_numeric());
        len += space + digits + unit;
        if unit == 0 && !is_korean {
            break;
        }
        // `1丁目-2`
        len += text.get(len..)?.starts_with('-') as usize;
    }
    let whole = text.get(..len)?.trim_end_matches('-').len();
    (told && whole > 0).then_some(whole)
}

/// Returns the length in bytes of the digits at the start of a text, including dashes between them.
fn digits(text: &str) -> usize {
    let of = |letter: char| matches!(letter, '0'..='9' | '０'..='９' | '-' | '－' | '−');
    let len = text.find(|letter| !of(letter)).unwrap_or(text.len());
    let number = text.get(..len).unwrap_or_default();
    if number.starts_with(['-', '－', '−']) {
        0
    } else {
        number.trim_end_matches(['-', '－', '−']).len()
    }
}

/// Returns the postal code that a text ends with: `〒100-0001`, `610021 `.
fn postal_code(before: &str) -> Option<Part> {
    let trimmed = before.trim_end_matches([' ', '\u{3000}']);
    let of_code = |byte: &u8| byte.is_ascii_digit() || *byte == b'-';
    let len = trimmed.bytes().rev().take(9).take_while(of_code).count();
    let start = trimmed.len() - len;
    let front = trimmed.get(..start)?;
    let signed = (7..=8).contains(&len) && front.ends_with('〒');
    let plain = (5..=6).contains(&len)
        && trimmed.len() < before.len()
        && !trimmed.ends_with('-')
        && !front.ends_with(|letter: char| letter.is_alphanumeric() || "./,+".contains(letter));
    (signed || plain).then_some(Part { start: start as u32, end: trimmed.len() as u32 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        for (text, want) in [
            ("東京都千代田区千代田1-1", Some("東京都千代田区千代田1-1")),
            ("〒150-0043 東京都渋谷区道玄坂2-10-7 ビル", Some("150-0043 東京都渋谷区道玄坂2-10-7")),
            ("私は大阪府大阪市北区梅田3丁目1番1号に住む", Some("大阪府大阪市北区梅田3丁目1番1号")),
            ("北海道札幌市中央区北1条西2丁目", None),
            ("北京市朝阳区建国路88号", Some("北京市朝阳区建国路88号")),
            ("广东省深圳市南山区科技路12号3楼", Some("广东省深圳市南山区科技路12号3楼")),
            ("台北市信義區信義路7號", Some("台北市信義區信義路7號")),
            (
                "610021 四川省成都市锦江区建设大街57号4单元808室",
                Some("610021 四川省成都市锦江区建设大街57号4单元808室"),
            ),
            ("四川省成都市锦江区 610021", Some("四川省成都市锦江区 610021")),
            ("上海市浦东新区 200120中山路361号", Some("上海市浦东新区 200120中山路361号")),
            ("我住在中山路361号", Some("中山路361号")),
            ("香港中環皇后大道中958號", None),
            ("〒460-0008 愛知県名古屋市中区栄", Some("460-0008 愛知県名古屋市中区栄")),
            ("愛知県名古屋市中区栄", None),
            (
                "인천광역시 연수구 (21999) 한빛아파트 701동 607호",
                Some("인천광역시 연수구 (21999) 한빛아파트 701동 607호"),
            ),
            ("서울특별시 중구 04524", Some("서울특별시 중구 04524")),
            ("경기도 성남시 분당구 13494 세종대로 154", Some("경기도 성남시 분당구 13494 세종대로 154")),
            ("서울 중구 12345명", None),
            ("서울특별시 중구 세종대로 110", Some("서울특별시 중구 세종대로 110")),
            (
                "주소는 경기도 성남시 분당구 판교로 235, 101동 202호",
                Some("경기도 성남시 분당구 판교로 235, 101동 202호"),
            ),
            ("東京都港区で3人", None),
            ("北京市朝阳区有3家公司", None),
            ("서울 시민 100명", None),
            ("부산시 인구 335만", None),
        ] {
            let tokens = token::tokens(text);
            let mut found = Vec::new();
            let anchors = crate::Anchors::new(text, &tokens);
            find(text, &tokens, &anchors.names, &mut found);
            let found = found
                .first()
                .and_then(|candidate| text.get(candidate.start as usize..candidate.end as usize));
            assert_eq!(found, want, "{text}");
        }
        assert!(REGIONS.is_sorted());
    }
}
