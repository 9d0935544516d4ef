//! Postal addresses of East Asia, from the largest place to the number of the house: `東京都千代田区千代田1-1`,
//! `北京市朝阳区建国路88号`, `서울특별시 중구 세종대로 110`.

use std::ops::Range;

use textveil_phrase::Phrase;

use crate::{
    Guess, Kind, Part, Role, east_asia, lexicon,
    token::{self, Token},
};

/// What ends the name of a region or a city, of a district, and of a street or a quarter.
const PLACES: &str = "都道府県省縣市州";
const DISTRICTS: &str = "区區市郡县縣町村鎮镇鄉乡";
const STREETS: &str = "路街道巷弄段";
/// What ends the same in Korea.
const KOREAN_PLACES: [&str; 4] = ["특별시", "광역시", "시", "도"];
const KOREAN_DISTRICTS: &str = "구군시동읍면리";
const KOREAN_STREETS: &str = "로길동리가";
/// Regions that are called after no city.
const REGIONS: [&str; 60] = [
    "三重",
    "云南",
    "兵庫",
    "内蒙古",
    "北海",
    "吉林",
    "四川",
    "埼玉",
    "宁夏",
    "安徽",
    "宮城",
    "山东",
    "山梨",
    "山西",
    "岩手",
    "島根",
    "广东",
    "广西",
    "愛媛",
    "愛知",
    "新疆",
    "栃木",
    "江苏",
    "江西",
    "沖縄",
    "河北",
    "河南",
    "浙江",
    "海南",
    "湖北",
    "湖南",
    "滋賀",
    "甘肃",
    "石川",
    "神奈川",
    "福建",
    "群馬",
    "茨城",
    "西藏",
    "贵州",
    "辽宁",
    "陕西",
    "青海",
    "香川",
    "黑龙江",
    "강원",
    "경기",
    "경남",
    "경북",
    "경상남",
    "경상북",
    "전남",
    "전라남",
    "전라북",
    "전북",
    "제주",
    "충남",
    "충북",
    "충청남",
    "충청북",
];
/// The longest name of a region or a city, in characters.
const MAX_PLACE: usize = 3;
/// The most characters in front of the number of a house, and the most words in Korea.
const MAX_LETTERS: usize = 32;
const MAX_WORDS: usize = 5;
/// What stands behind the numbers of an address; the longest first.
const UNITS: [&str; 23] = [
    "号室", "번길", "번지", "丁目", "番地", "单元", "号楼", "號樓", "番", "号", "號", "弄", "巷", "段", "室",
    "楼", "樓", "階", "层", "栋", "동", "층", "호",
];
/// How likely what is written like that is an address.
const ODDS: f32 = 4.0;

/// Finds the addresses in a text.
pub(crate) fn find(text: &str, tokens: &[Token], out: &mut Vec<Guess>) {
    let mut done = 0;
    east_asia::each_row(tokens, |row| {
        let place = token::span(tokens, row.start, row.end).filter(|place| place.start >= done);
        let found = place.and_then(|Part { start, end }| address(text, start as usize..end as usize));
        if let Some((guess, part)) = found {
            done = guess.end;
            out.push(guess.with_parts([(Role::PostalCode, part)]));
        }
    });
}

/// The address whose places stand in a row of characters, or begin with it, and its postal code.
fn address(text: &str, row: Range<usize>) -> Option<(Guess, Option<Part>)> {
    let written = text.get(row.clone())?;
    let is_korean = written.starts_with(is_hangul);
    // most rows have no number behind them, and are out here
    let (start, number) = if is_korean {
        let number = korean_street(text, row.end)?;
        is_korean_place(written).then_some((row.start, number))?
    } else {
        let number = text.get(row.end..)?.starts_with(char::is_numeric);
        (row.start + number.then(|| places(written))??, row.end)
    };
    let end = number + house(text.get(number..)?, is_korean)?;
    let code = postal_code(text.get(..start)?);
    let start = code.map_or(start as u32, |code| code.start);
    Some((Guess::new(Kind::Address, Part { start, end: end as u32 }, ODDS), code))
}

fn is_hangul(letter: char) -> bool {
    ('가'..='힣').contains(&letter)
}

/// Where the name of a region or a city begins in a row that goes on with a district, and with a street or a quarter to
/// its end.
fn places(row: &str) -> Option<usize> {
    let letters = row.char_indices().rev().take(MAX_LETTERS).collect::<Vec<_>>();
    let (_, last) = *letters.first()?;
    // a particle goes on with a sentence
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

/// Whether a word of Hangul is the name of a region or a city: `서울`, `서울특별시`, `경기도`.
fn is_korean_place(word: &str) -> bool {
    is_place(word) || KOREAN_PLACES.iter().filter_map(|end| word.strip_suffix(end)).any(is_place)
}

fn is_place(name: &str) -> bool {
    let city = || lexicon::lookup(Phrase::EMPTY.with(name)).is_some_and(|(kind, _)| kind.city > 0);
    REGIONS.binary_search(&name).is_ok() || city()
}

/// Where the number of the house is behind districts and a street, each behind a space.
fn korean_street(text: &str, mut at: usize) -> Option<usize> {
    let ends_with = |at: usize, places: &str| {
        text.get(..at).and_then(|before| before.chars().next_back()).is_some_and(|last| places.contains(last))
    };
    for words in 0..=MAX_WORDS {
        let rest = text.get(at..)?;
        let word = rest.strip_prefix(' ').unwrap_or(rest);
        let len = word.find(|letter| !is_hangul(letter)).unwrap_or(word.len());
        let next = at + rest.len() - word.len() + len;
        if len == 0 {
            let told = words > 1 && ends_with(at, KOREAN_STREETS);
            return (told && word.starts_with(|letter: char| letter.is_ascii_digit())).then_some(next);
        }
        // `테헤란로152`
        let touched = text.get(next..)?.starts_with(|letter: char| letter.is_ascii_digit());
        if touched && ends_with(next, KOREAN_STREETS) {
            return Some(next);
        }
        if word.len() == rest.len() || !(ends_with(next, KOREAN_DISTRICTS) || ends_with(next, KOREAN_STREETS))
        {
            return None;
        }
        at = next;
    }
    None
}

/// How long the numbers of a house are that a text begins with: `1-1`, `88号`, `二段7號3樓`, `152, 101동 202호`. A number
/// alone is one of something else, but behind a street of Korea.
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

/// How many bytes of digits a text begins with, with dashes between them.
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

/// The postal code that a text ends with behind its sign: `〒100-0001`.
fn postal_code(before: &str) -> Option<Part> {
    let trimmed = before.trim_end_matches([' ', '\u{3000}']);
    let of_code = |byte: &u8| byte.is_ascii_digit() || *byte == b'-';
    let len = trimmed.bytes().rev().take(9).take_while(of_code).count();
    let start = trimmed.len() - len;
    let signed = (7..=8).contains(&len) && trimmed.get(..start)?.ends_with('〒');
    signed.then_some(Part { start: start as u32, end: trimmed.len() as u32 })
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
            find(text, &tokens, &mut found);
            let found = found.first().and_then(|guess| text.get(guess.start as usize..guess.end as usize));
            assert_eq!(found, want, "{text}");
        }
        assert!(REGIONS.is_sorted());
    }
}
