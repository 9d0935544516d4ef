//! Finds postal addresses: a street with its number, followed by postal code, city and country.

use textveil_phrase::Phrase;
use textveil_weights::address as weights;

use crate::{
    Candidate, Kind, Part, Role,
    cues::{self, GLUED, POSTAL, Says, says},
    lexicon, markup,
    token::{Case, Gap, Token, span},
    words::addresses::{
        DIRECTIONS, DOORS, FLOOR_ENDINGS, GLUED_STREETS, HOUSE_REPEATS, INNER, LONG_REGIONS, LOWER_STREETS,
        NUMBER_WORDS, ORDINAL_ENDINGS, POSTAL_WORDS, STROKED_STREETS, TOWN_WORDS,
    },
};

/// The maximum number of words in the name of a street, and of a city.
const MAX_STREET: usize = 6;
const MAX_CITY: usize = 4;
/// The longest postal code in lower case, with the character behind it, in bytes.
const MAX_CODE: usize = 12;
/// The maximum number of words in the name of a street in lower case.
const MAX_LOWER: usize = 3;
/// The longest address after a label, in bytes.
const MAX_LINE: usize = 400;
/// The longest house number or postal code, in bytes.
const MAX_NUMBER: u32 = 12;
/// The longest number of a post-office box, in bytes.
const MAX_BOX: u32 = 7;
/// The longest number of a flat, in bytes.
const MAX_UNIT: u32 = 5;
/// The maximum number of words of a flat with its number.
const MAX_UNIT_WORDS: usize = 4;
/// The maximum number of streets, houses and districts before a city.
const MAX_SEGMENTS: usize = 5;
/// The maximum number of pairs of digits of a post-office box.
const MAX_PAIRS: usize = 4;
/// The maximum number of words after a label.
const MAX_LABELLED: usize = 24;

/// A partial address.
struct Address {
    /// The index of its first word, and the index after its last word.
    start: usize,
    end: usize,
    odds: f32,
    label: f32,
    /// It has a city that is known.
    known_city: bool,
    parts: Vec<(Role, Part)>,
}

/// Whether an address may begin with a lower-case word.
pub(crate) fn may_begin(word: &Token) -> bool {
    says(word.phrase).any(Says::STREET_BEFORE)
}

/// Finds the addresses in a text, from the anchors among its words.
pub(crate) fn find(text: &str, tokens: &[Token], anchors: &[usize], out: &mut Vec<Candidate>) {
    let (mut done, mut from) = (0, 0);
    for &at in anchors {
        let Some(token) = tokens.get(at).filter(|_| at >= done) else { continue };
        let found = match (token.gap, token.case) {
            (Gap::Colon, _) => labelled(text, tokens, at).or_else(|| begin(text, tokens, at, from)),
            _ => begin(text, tokens, at, from),
        };
        let Some(mut address) = found else { continue };
        extend(text, tokens, &mut address);
        precede(text, tokens, &mut address, from);
        done = address.end.max(at + 1);
        if address.odds + address.label > weights::HOPELESS {
            let candidate = address.candidate(tokens);
            // an unlikely place, such as a postal code with its city, may be part of the next one
            from = if candidate.odds() > 0.0 { candidate.end } else { from };
            out.push(candidate);
        }
    }
}

/// Returns the address after its label, up to the end of the line.
fn labelled(text: &str, tokens: &[Token], at: usize) -> Option<Address> {
    let first = tokens.get(at)?;
    // `ul. Długa 5`, `ж.к. Младост 3`, `г. Москва`
    let begins = first.case != Case::Lower
        || cues::from(text, tokens, at, Says::STREET_BEFORE).is_some()
        || TOWN_WORDS.contains(&first.text(text));
    if first.gap != Gap::Colon || !begins {
        return None;
    }
    // `e-mail address` is a label of another type
    let cue = cues::before(text, tokens, at, Says::LABEL_ADDRESS.or(Says::LABEL_OTHER))?;
    if !cue.says.any(Says::LABEL_ADDRESS) {
        return None;
    }
    let ends = |byte: &u8| matches!(byte, b'\n' | b'\t' | b';' | b'"');
    let rest = text.as_bytes().get(first.start as usize..)?;
    let line = first.start + rest.iter().take(MAX_LINE).take_while(|byte| !ends(byte)).count() as u32;
    let mut last = *first;
    let goes_on = |token: &&Token| {
        // a dot after a word ends the sentence, after an abbreviation it does not
        let sentence = token.gap == Gap::Dot
            && token.start > last.start
            && last.end - last.start > 4
            && last.case != Case::Number
            && token.case != Case::Number;
        last = **token;
        token.end <= line && !sentence
    };
    let mut count = tokens.get(at..)?.iter().take(MAX_LABELLED).take_while(goes_on).count();
    // `… Berlin Telefon: 030 …`: ends before the next label
    let begins_field =
        |pair: &[Token]| matches!(pair, [word, next] if next.gap == Gap::Colon && !numbers(text, word, next));
    if let Some(next) = tokens.get(at..at + count)?.windows(2).position(begins_field) {
        count = next;
    }
    let words = tokens.get(at..at + count)?;
    let written = text.get(first.start as usize..words.last()?.end as usize)?;
    let tells = words.len() > 1 && (first.case != Case::Number || first.end - first.start <= MAX_NUMBER);
    if is_code(written) || !tells {
        return None;
    }
    let begun = (at..at + count).find_map(|number| begin(text, tokens, number, first.start));
    let inner = begun.filter(|address| address.start >= at).map(|mut address| {
        extend(text, tokens, &mut address);
        address
    });
    // the city may be on the next line
    let (end, parts) = inner.map_or((0, Vec::new()), |address| (address.end, address.parts));
    let address = Address::new(at, end.max(at + count), 0.0);
    Some(Address { label: weights::LABELLED, parts, ..address })
}

/// Whether a word numbers a house or a flat, with a colon: `No:12 D:5`, `Kat: 2`.
fn numbers(text: &str, word: &Token, next: &Token) -> bool {
    let is_word = word.case == Case::Initial
        || NUMBER_WORDS.contains(&word.text(text))
        || says(word.phrase).any(Says::UNIT);
    is_word && next.case == Case::Number && next.gap == Gap::Colon
}

/// Whether the text after a label is an expression or a type, which have signs that addresses do not contain,
/// or a number.
fn is_code(written: &str) -> bool {
    let field = |pair: &[u8]| matches!(pair, [b'.', b'a'..=b'z']);
    written.contains(['@', '<', '{', '(', '[', '=', '_', ')', '}', '*', '`'])
        || !written.contains(char::is_alphabetic)
        || written.contains("::")
        || written.contains("://")
        || written.as_bytes().windows(2).any(field)
}

impl Address {
    fn new(start: usize, end: usize, odds: f32) -> Self {
        Self { start, end, odds, label: 0.0, known_city: false, parts: Vec::new() }
    }

    fn candidate(self, tokens: &[Token]) -> Candidate {
        let span = span(tokens, self.start, self.end).unwrap_or(Part { start: 0, end: 0 });
        Candidate { label: self.label, parts: self.parts, ..Candidate::new(Kind::Address, span, self.odds) }
    }
}

/// Reads an address whose first number is the word `at`.
fn begin(text: &str, tokens: &[Token], at: usize, from: u32) -> Option<Address> {
    let token = tokens.get(at)?;
    if has_no_number(text, tokens, at) {
        let mut address = street_before(text, tokens, at - 1, from)?;
        address.end = at + 1;
        return Some(address);
    }
    if token.case != Case::Number {
        return None;
    }
    if let Some(address) = post_office_box(text, tokens, at) {
        return Some(address);
    }
    // `28 376,34`: part of a number
    let after = text.get(token.end as usize..).unwrap_or_default().as_bytes();
    if matches!(after, [b',' | b'.' | b':' | b'%', digit, ..] if digit.is_ascii_digit()) {
        return None;
    }
    // `built 3. ledna 1949`
    let is_ordinal = tokens
        .get(at + 1)
        .is_some_and(|next| next.gap == Gap::Dot && next.case == Case::Lower && next.end - next.start > 2);
    if is_house_number(token.text(text)) && !is_ordinal {
        let before = street_before(text, tokens, at, from);
        let behind = || street_behind(text, tokens, at);
        if let Some(address) = before.or_else(behind) {
            return Some(address);
        }
    }
    let code = postal_code(text, tokens, at).filter(|(_, place)| is_telling(text, *place))?;
    city_before(text, tokens, at, from, code)
        .or_else(|| city_behind(text, tokens, at, code))
        .or_else(|| place_before(text, tokens, at, from, code))
}

/// Reads the place before a postal code with letters, whose city is in no list, if a street or a house is before it:
/// `Station Approach, Wymondham NR18 0XQ`.
fn place_before(
    text: &str,
    tokens: &[Token],
    at: usize,
    from: u32,
    (end, place): (usize, Part),
) -> Option<Address> {
    let code = text.get(place.start as usize..place.end as usize)?;
    if !code.contains(|letter: char| letter.is_ascii_uppercase()) {
        return None;
    }
    let city = segment(text, tokens, at, from)?;
    if tokens.get(at)?.gap != Gap::Space || at - city > MAX_CITY {
        return None;
    }
    let start = streets_before(text, tokens, city, from)?;
    let mut address = Address::new(start, end, weights::STREET + weights::POSTAL_CODE);
    address.part(Role::Street, span(tokens, start, city));
    address.part(Role::City, span(tokens, city, at));
    address.part(Role::PostalCode, Some(place));
    Some(address)
}

/// Returns the first of the capitalised words and numbers that end before the word `at`, without a comma between them.
fn segment(text: &str, tokens: &[Token], at: usize, from: u32) -> Option<usize> {
    let mut start = at;
    while at - start < MAX_STREET {
        let Some(word) = start.checked_sub(1).and_then(|before| tokens.get(before)) else { break };
        let joined = start == at
            || tokens.get(start).is_some_and(|next| match next.gap {
                Gap::Space | Gap::Hyphen | Gap::Apostrophe => true,
                Gap::Dot => word.end - word.start <= 4,
                _ => text.get(word.end as usize..next.start as usize) == Some("/"),
            });
        let is_possessive = word.end - word.start == 1 && word.gap == Gap::Apostrophe;
        let may_be =
            word.is_capital() || word.case == Case::Number || word.case == Case::Initial || is_possessive;
        if !joined || !may_be || word.start < from {
            break;
        }
        start -= 1;
    }
    (start < at).then_some(start)
}

/// Returns the start of the name of a house at the beginning of a line, before the street at the word `at` of an address with
/// a postal code with letters; `at` without one: `Rosebank, 5 Chandler's Yard, Hingham NR9 4LT`.
fn house_before(text: &str, tokens: &[Token], at: usize, address: &Address, from: u32) -> usize {
    let code = address.parts.iter().find(|(role, _)| *role == Role::PostalCode);
    let code = code.and_then(|(_, place)| text.get(place.start as usize..place.end as usize));
    let is_lettered = code.is_some_and(|code| code.starts_with(|letter: char| letter.is_ascii_uppercase()));
    let is_behind_comma = tokens.get(at).is_some_and(|street| street.gap == Gap::Comma);
    let name = || {
        let start = segment(text, tokens, at, from)?;
        let first = tokens.get(start)?;
        let words = tokens.get(start..at)?;
        let begins = start == 0 || matches!(first.gap, Gap::Line | Gap::Colon);
        let is_capital = words.iter().all(Token::is_capital);
        // a name before an address is more often that of a person
        let of_person = |word: &Token| {
            lexicon::lookup(word.phrase).is_some_and(|(kind, _)| kind.given > 0 || kind.family > 0)
        };
        let is_house = match words {
            [word] => !of_person(word) && !says(word.phrase).any(Says::NEVER.or(Says::TITLE)),
            [first, .., last] => first.text(text) == "The" || says(last.phrase).any(Says::UNIT),
            [] => false,
        };
        (begins && words.len() <= MAX_CITY && is_capital && is_house).then_some(start)
    };
    if is_lettered && is_behind_comma { name().unwrap_or(at) } else { at }
}

/// Returns the start of the streets, houses and flats before the word `at`, each up to a comma: `B-204, Shanti Apartments,
/// Andheri West, Mumbai`. `None` if no segment is one of them.
fn streets_before(text: &str, tokens: &[Token], at: usize, from: u32) -> Option<usize> {
    let mut found = None;
    let mut end = at;
    for _ in 0..MAX_SEGMENTS {
        if tokens.get(end).is_none_or(|next| next.gap != Gap::Comma) {
            break;
        }
        let Some(start) = segment(text, tokens, end, from) else { break };
        let words = tokens.get(start..end)?;
        let is_street =
            words.len() > 1 && words.last().is_some_and(|last| says(last.phrase).any(Says::STREET_AFTER));
        let is_house = words.first().is_some_and(|first| {
            first.case == Case::Number
                && words.len() > 1
                && is_house_number(first.text(text))
                && postal_code(text, tokens, start).is_none()
        });
        let is_unit = cues::from(text, tokens, start, Says::UNIT.or(Says::STREET_BEFORE))
            .is_some_and(|cue| cue.words < words.len());
        // `B-204`
        let is_door = matches!(words, [block, door] if block.case == Case::Initial && door.gap == Gap::Hyphen && door.case == Case::Number);
        if is_street || is_house || is_unit || is_door {
            found = Some(start);
        }
        end = start;
    }
    found
}

/// Whether a word ends `s/n`, which stands for the number of a house without one in Spanish and Portuguese.
pub(crate) fn has_no_number(text: &str, tokens: &[Token], at: usize) -> bool {
    let Some([first, last]) = at.checked_sub(1).and_then(|first| tokens.get(first..=at)) else {
        return false;
    };
    first.end - first.start == 1
        && last.end - last.start == 1
        && text
            .get(first.start as usize..last.end as usize)
            .is_some_and(|word| word.eq_ignore_ascii_case("s/n"))
}

/// Reads a post-office box whose number is the word `at`: `P.O. Box 123`.
fn post_office_box(text: &str, tokens: &[Token], at: usize) -> Option<Address> {
    let number = tokens.get(at)?;
    if !matches!(number.gap, Gap::Space | Gap::Dot | Gap::Colon) || number.end - number.start > MAX_BOX {
        return None;
    }
    let cue = cues::before(text, tokens, at, Says::PO_BOX)?;
    let written = text.get(tokens.get(at - cue.words)?.start as usize..number.start as usize)?;
    let short = written.trim().chars().count() < 5;
    // `op: __u8`, `cp <= 0x7f`
    let marks = |letter: char| !letter.is_alphanumeric() && !matches!(letter, ' ' | '.' | ':' | '-');
    let plain =
        written.contains(':') || !written.contains(|letter: char| letter == '.' || letter.is_uppercase());
    if written.contains(marks) || short && plain {
        return None;
    }
    // `Postfach 10 01 20`
    let is_pair = |word: &Token| word.case == Case::Number && word.end - word.start == 2;
    let behind = tokens.get(at + 1..).unwrap_or_default().iter();
    let pairs = behind.take(MAX_PAIRS).take_while(|word| word.gap == Gap::Space && is_pair(word)).count();
    let end = if is_pair(number) && pairs < MAX_PAIRS { at + 1 + pairs } else { at + 1 };
    Some(Address::new(at - cue.words, end, if short { weights::PO_BOX_SHORT } else { weights::PO_BOX }))
}

/// Reads a postal code followed by its city: `110 00 Praha`.
fn city_behind(text: &str, tokens: &[Token], at: usize, (end, place): (usize, Part)) -> Option<Address> {
    let city = city(text, tokens, end)?;
    let first = tokens.get(at)?;
    let begins = matches!(first.gap, Gap::Line | Gap::Colon);
    let joined = match tokens.get(end)?.gap {
        Gap::Space => true,
        // `420111, Казань`
        Gap::Comma => begins,
        _ => false,
    };
    let counted = at
        .checked_sub(1)
        .and_then(|before| tokens.get(before))
        .is_some_and(|before| before.case == Case::Number);
    let touched = text.get(..first.start as usize)?.ends_with(['/', '-', '.', '+']);
    if !city.known || !joined || touched || counted && first.gap == Gap::Space {
        return None;
    }
    Some(Address::new(at, at, place_odds(text, tokens, at, city.end, place)))
}

/// Whether a postal code is distinctive: longer than three characters, and not eight digits.
fn is_telling(text: &str, place: Part) -> bool {
    let code = text.get(place.start as usize..place.end as usize).unwrap_or_default();
    code.len() > 3 && !(code.len() == 8 && code.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Reads a city followed by its postal code: `Springfield, IL 62704`, `London NW1 6XE`.
fn city_before(
    text: &str,
    tokens: &[Token],
    at: usize,
    from: u32,
    (end, place): (usize, Part),
) -> Option<Address> {
    // part of a number
    if tokens.get(end).is_some_and(|next| next.case == Case::Number && next.gap == Gap::Space) {
        return None;
    }
    let is_dash = |token: &Token| {
        let before = at.checked_sub(1).and_then(|last| tokens.get(last));
        before.and_then(|last| text.get(last.end as usize..token.start as usize)) == Some(" - ")
    };
    // `Bengaluru - 560001`
    let next = |at: usize| {
        tokens.get(at).filter(|token| matches!(token.gap, Gap::Space | Gap::Comma) || is_dash(token))
    };
    let mut last = at;
    next(at)?;
    // the abbreviation of a state
    let region = tokens.get(at.checked_sub(1)?)?;
    let is_region = region.case == Case::Upper
        && next(at - 1).is_some()
        && (region.end - region.start == 2 || LONG_REGIONS.contains(&region.text(text)));
    last -= usize::from(is_region);
    // `Berlin, 80331 München` is two places
    let code = text.get(place.start as usize..place.end as usize)?;
    let only_digits = code.bytes().all(|byte| byte.is_ascii_digit() || byte == b' ');
    if only_digits && (code.contains(' ') || !is_region && tokens.get(at)?.gap == Gap::Comma) {
        return None;
    }
    let first = (last.saturating_sub(MAX_CITY)..last).find(|first| {
        let here = tokens.get(*first).is_some_and(|token| token.start >= from);
        here && city(text, tokens, *first).is_some_and(|city| city.known && city.end == last)
    })?;
    let mut address = Address::new(
        first,
        end,
        place_odds(text, tokens, first, end, place) + weights::POSTAL_CODE + weights::CITY,
    );
    address.odds += if is_region { weights::REGION } else { 0.0 };
    address.part(Role::City, span(tokens, first, last));
    address.part(Role::Region, span(tokens, last, at));
    address.part(Role::PostalCode, Some(place));
    address.known_city = true;
    Some(address)
}

/// Returns the odds of a postal code with its city without a street: five digits alone may be any number.
fn place_odds(text: &str, tokens: &[Token], start: usize, end: usize, code: Part) -> f32 {
    let begins = tokens.get(start).is_some_and(|first| matches!(first.gap, Gap::Line | Gap::Colon));
    let ends = tokens.get(end).is_none_or(|next| next.gap == Gap::Line);
    let digits = text.get(code.start as usize..code.end as usize).unwrap_or_default().bytes();
    let only_digits = digits.clone().all(|byte| byte.is_ascii_digit());
    let odds = match (only_digits, digits.len()) {
        (true, ..=4) => weights::PLACE_OF_FEW_DIGITS,
        (true, _) => weights::PLACE_OF_DIGITS,
        (false, _) => weights::PLACE,
    };
    odds + if begins && ends { weights::ALONE } else { 0.0 }
}

/// `12`, `12a`, `1234`: up to five digits, the first not zero, and an optional letter.
fn is_house_number(word: &str) -> bool {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let rest = word.len() - digits;
    (1..=5).contains(&digits)
        && !word.starts_with('0')
        && (rest == 0 || rest == 1 && word.ends_with(|letter: char| letter.is_ascii_alphabetic()))
}

fn year(number: &str) -> f32 {
    if matches!(number.as_bytes(), [b'1', b'8' | b'9', _, _] | [b'2', b'0', _, _]) {
        weights::YEAR
    } else {
        0.0
    }
}

/// Reads a street before its number: `Hauptstraße 5`, `ul. Długa 5`, `Petőfi utca 5`, `Calle Mayor, 5`.
fn street_before(text: &str, tokens: &[Token], at: usize, from: u32) -> Option<Address> {
    let number = tokens.get(at)?;
    // `nº 5`, `č. p. 5`, `No:5`
    let mut last = at;
    let tells = |word: &Token| word.case != Case::Number && NUMBER_WORDS.contains(&word.text(text));
    while last > 0 && at - last < 2 && tokens.get(last - 1).is_some_and(tells) {
        last -= 1;
    }
    let joined = matches!(number.gap, Gap::Space | Gap::Comma | Gap::Dot | Gap::Other);
    let joined = joined || number.gap == Gap::Colon && last < at;
    if !joined {
        return None;
    }
    // no street ends with a number
    if let Some(word) = last.checked_sub(1).and_then(|before| tokens.get(before))
        && word.case == Case::Number
        && text.as_bytes().get(word.start as usize).is_some_and(u8::is_ascii_digit)
        && !says(word.phrase).any(Says::STREET_AFTER)
    {
        return None;
    }
    let mut first = last;
    let mut found: Option<(usize, bool)> = None;
    let mut is_in_doubt = false;
    // words in lower case are passed, for a street word before them: `calle del olivar 31`
    let mut is_small = false;
    while first > 0 && last - first < MAX_STREET {
        let (word, next) = (tokens.get(first - 1)?, tokens.get(first)?);
        if word.start < from {
            break;
        }
        let joined = match next.gap {
            Gap::Space | Gap::Hyphen | Gap::Apostrophe => true,
            Gap::Dot => word.end - word.start <= 6 || word.text(text).ends_with("str"),
            Gap::Comma => first == last,
            Gap::Other if is_calle(text, word, next) => true,
            _ => {
                first == at
                    && text
                        .get(word.end as usize..next.start as usize)
                        .is_some_and(|gap| matches!(gap, " č. " | " č." | " № " | " №" | "  "))
            }
        };
        if !joined {
            break;
        }
        first -= 1;
        if last - first > 1 && is_calle(text, word, next) {
            found = Some((first, true));
            break;
        }
        // one or two letters are an abbreviation, which needs its dot
        let short = word.end - word.start <= 2 && next.gap != Gap::Dot;
        let said = if short { Says::default() } else { says(word.phrase) };
        // `Avenida de América 12`, `Av. de Mayo 500`: only with its street word in front
        if said.any(Says::MONTH.or(Says::NEVER)) {
            if !word.is_capital() {
                break;
            }
            is_in_doubt = true;
        }
        // `4.9 g.`
        let counted = word.end - word.start <= 2
            && first >= 1
            && tokens.get(first - 1).is_some_and(|before| before.case == Case::Number);
        let said = if counted { Says::default() } else { said };
        let behind = last - first;
        // `ж.к.`
        let abbreviated = next.gap == Gap::Dot
            && behind > 2
            && cues::from(text, tokens, first, Says::STREET_BEFORE).is_some_and(|cue| cue.words > 1);
        // `Sat Nov 16`: `sat` is a village in one language
        let is_clear = !is_in_doubt || next.gap == Gap::Dot || word.end - word.start > 3;
        if is_small
            && (word.is_capital()
                || said.any(Says::STREET_BEFORE) && !is_street_in_lower_case(tokens, word, at))
        {
            break;
        }
        if said.any(Says::STREET_BEFORE) && behind > 1 && is_clear || abbreviated {
            found = Some((first, true));
            // `Calle del Dr. Esquerdo`: `Dr.` is a street in one language, and part of its name in another
            if next.gap == Gap::Dot && word.end - word.start <= 3 {
                is_in_doubt = true;
                continue;
            }
            // `12 rue …` has the number first
            break;
        }
        let particle = word.case == Case::Lower && word.end - word.start <= 4 && behind > 1;
        let may_be_part = word.is_capital() || particle;
        if is_in_doubt && may_be_part {
            continue;
        } else if is_in_doubt {
            break;
        }
        let after = said.any(Says::STREET_AFTER);
        let is_small_street = || is_glued_in_lower_case(word.text(text), next.gap == Gap::Dot);
        let glued = behind == 1 && !after && (is_glued(word.text(text)) || is_small_street());
        if behind == 1 && (after || glued) {
            found = Some((first, glued));
            if glued {
                // `Alte Jakobstraße`, `Karl-Marx-Straße`
                while first > 0 {
                    let (Some(before), Some(here)) = (tokens.get(first - 1), tokens.get(first)) else {
                        break;
                    };
                    let part = here.gap == Gap::Hyphen
                        || here.gap == Gap::Space && says(before.phrase).any(Says::STREET_WEAK);
                    if !part || before.start < from {
                        break;
                    }
                    first -= 1;
                }
                found = Some((first, true));
                break;
            }
            continue;
        }
        if !may_be_part {
            is_small = found.is_none() && behind < MAX_LOWER && is_named_in_lower_case(word);
            if is_small {
                continue;
            }
            break;
        }
        if let Some((start, false)) = found
            && word.is_capital()
            && start == first + 1
        {
            found = Some((first, false));
        }
    }
    if let Some((mut start, sure)) = found {
        // a word such as `Street`, which follows a name, needs that name
        if !sure && last - start < 2 {
            return None;
        }
        let named = |word: &Token| word.end - word.start > 2 && !says(word.phrase).any(Says::NO_NAME);
        if !tokens.get(start..last)?.iter().any(named) {
            return None;
        }
        if let Some(before) = start.checked_sub(1).and_then(|before| tokens.get(before)).filter(|before| {
            before.case == Case::Number && is_house_number(before.text(text)) && before.start >= from
        }) && tokens.get(start).is_some_and(|word| word.gap == Gap::Space)
            && before.gap != Gap::Dot
        {
            start -= 1;
        }
        let mut address = Address::new(start, at + 1, weights::STREET + year(number.text(text)));
        address.part(Role::Street, span(tokens, start, last));
        address.part(Role::Number, span(tokens, at, at + 1));
        return Some(address);
    }
    bare(text, tokens, at, last, from)
}

/// Whether a word in lower case may be part of the name of a street.
fn is_named_in_lower_case(word: &Token) -> bool {
    word.case == Case::Lower && word.end - word.start > 2 && !says(word.phrase).any(Says::NO_NAME)
}

/// Whether a word in lower case is a street word, and the number at `at` counts nothing behind it: `la calle tiene 20 casas`.
fn is_street_in_lower_case(tokens: &[Token], word: &Token, at: usize) -> bool {
    let counts = |next: &Token| {
        next.gap == Gap::Space
            && next.case == Case::Lower
            && !says(next.phrase).any(Says::NO_NAME.or(Says::UNIT))
    };
    let is_sure = word.end - word.start > 3 || !says(word.phrase).any(Says::STREET_WEAK.or(Says::COMMON));
    word.case == Case::Lower && is_sure && !tokens.get(at + 1).is_some_and(counts)
}

/// Whether a word is the Spanish abbreviation of a street, with its stroke: `C/ Mayor`, `Avda/ América`.
fn is_calle(text: &str, word: &Token, next: &Token) -> bool {
    let gap = text.get(word.end as usize..next.start as usize);
    matches!(gap, Some("/" | "/ ")) && STROKED_STREETS.contains(&word.text(text))
}

/// Reads a name and a number before a postal code: `Hlavní 123, 110 00 Praha`.
fn bare(text: &str, tokens: &[Token], at: usize, last: usize, from: u32) -> Option<Address> {
    let mut first = last;
    while first > 0 && last - first < 4 {
        let word = tokens.get(first - 1)?;
        let next = tokens.get(first)?;
        let joined = first == last || matches!(next.gap, Gap::Space | Gap::Hyphen);
        if word.start < from || !joined || next.gap == Gap::Comma {
            break;
        }
        let inner = word.case == Case::Lower && first < last && INNER.contains(&word.text(text));
        if !(word.is_capital() || inner) || says(word.phrase).any(Says::LABEL_ADDRESS) {
            break;
        }
        first -= 1;
    }
    while first < last && !tokens.get(first)?.is_capital() {
        first += 1;
    }
    let apart = tokens.get(at + 1).is_some_and(|next| next.gap != Gap::Space);
    if first == last || !apart {
        return None;
    }
    let mut probe = Address::new(first, at + 1, 0.0);
    extend(text, tokens, &mut probe);
    let has = |role: Role| probe.parts.iter().any(|(known, _)| *known == role);
    if !has(Role::PostalCode) || !probe.known_city {
        return None;
    }
    let mut address = Address::new(first, at + 1, weights::BARE);
    address.part(Role::Street, span(tokens, first, last));
    address.part(Role::Number, span(tokens, at, at + 1));
    Some(address)
}

fn is_glued(word: &str) -> bool {
    let ends = |end: &&str| word.len() > end.len() + 2 && word.ends_with(end);
    let of_last = |last: &u8| GLUED.iter().find(|(end, _)| end == last);
    word.starts_with(char::is_uppercase)
        && word.as_bytes().last().and_then(of_last).is_some_and(|(_, endings)| endings.iter().any(ends))
}

/// Whether a word in lower case ends with a street word that no other word ends with: `hauptstraße 12`, `lindenstr. 4`.
fn is_glued_in_lower_case(word: &str, is_abbreviated: bool) -> bool {
    let long = GLUED_STREETS.iter().any(|end| word.len() > end.len() + 2 && word.ends_with(end));
    long || is_abbreviated && word.len() > 5 && word.ends_with("str")
}

/// Reads a street after its number: `12 rue de la Paix`, `221B Baker Street`.
fn street_behind(text: &str, tokens: &[Token], at: usize) -> Option<Address> {
    let mut end = at + 1;
    // `14 bis rue des Lilas`
    if repeats(text, tokens.get(end)?) {
        end += 1;
    }
    let number = end;
    let first = tokens.get(end)?;
    if !matches!(first.gap, Gap::Space | Gap::Comma) {
        return None;
    }
    let french = cues::from(text, tokens, end, Says::STREET_BEFORE).filter(|_| {
        let letters = first.end - first.start;
        // `Room 14 Dr. Brandl`
        let is_title = says(first.phrase).any(Says::ANY_TITLE);
        let is_abbreviated = || tokens.get(end + 1).is_some_and(|next| next.gap == Gap::Dot);
        !is_title && (letters > 2 || letters == 2 && is_abbreviated())
    });
    if let Some(cue) = french {
        if first.gap == Gap::Comma && first.case != Case::Lower {
            return None;
        }
        end += cue.words;
        let begin = end;
        while end - begin < MAX_STREET {
            let Some(word) = tokens.get(end) else { break };
            let joined = matches!(word.gap, Gap::Space | Gap::Hyphen | Gap::Apostrophe)
                || word.gap == Gap::Dot && end == begin;
            let particle = word.case == Case::Lower && word.end - word.start <= 4;
            if !joined || !(word.is_capital() || particle) {
                break;
            }
            end += 1;
        }
        while end > begin && !tokens.get(end - 1).is_some_and(Token::is_capital) {
            end -= 1;
        }
        if end == begin {
            return None;
        }
    } else {
        if first.gap != Gap::Space {
            return None;
        }
        let mut street = None;
        while end - at <= MAX_STREET {
            let Some(word) = tokens.get(end) else { break };
            if !matches!(word.gap, Gap::Space | Gap::Hyphen | Gap::Apostrophe)
                || !(word.is_capital() || word.case == Case::Number && is_ordinal(word.text(text)))
            {
                break;
            }
            end += 1;
            // `St Apt 6`
            if street == Some(end - 1) && cues::from(text, tokens, end - 1, Says::UNIT).is_some() {
                break;
            }
            if end - at > 2 && says(word.phrase).any(Says::STREET_AFTER) {
                street = Some(end);
            }
        }
        end = street.or_else(|| in_lower_case(text, tokens, at))?;
        // `NW`, `East`
        if let Some(word) = tokens.get(end)
            && word.gap == Gap::Space
            && DIRECTIONS.contains(&word.text(text))
        {
            end += 1;
        }
    }
    let mut address = Address::new(at, end, weights::STREET + year(tokens.get(at)?.text(text)));
    address.part(Role::Number, span(tokens, at, number));
    address.part(Role::Street, span(tokens, number, end));
    Some(address)
}

/// The end of a street in lower case after its number, up to a sign or its city: `12 oak street, leeds`.
fn in_lower_case(text: &str, tokens: &[Token], at: usize) -> Option<usize> {
    let is_named =
        |word: &Token| matches!(word.gap, Gap::Space | Gap::Hyphen) && is_named_in_lower_case(word);
    let names = tokens
        .get(at + 1..)?
        .iter()
        .take(MAX_LOWER)
        .take_while(|word| is_named(word) && !LOWER_STREETS.contains(&word.text(text)));
    let street = at + 1 + names.count();
    let word = tokens
        .get(street)
        .filter(|word| word.gap == Gap::Space && LOWER_STREETS.contains(&word.text(text)))?;
    let is_behind_space = tokens.get(street + 1).is_some_and(|next| next.gap == Gap::Space);
    // `14 copper beech rd please`
    let goes_on = || {
        let next = tokens.get(street + 1);
        street > at + 2 && next.is_some_and(|next| says(next.phrase).any(Says::NO_NAME))
    };
    let is_city = || {
        let word = tokens.get(street + 1).filter(|word| word.case == Case::Lower);
        let known = word.and_then(|word| lexicon::lookup(word.phrase));
        known.is_some_and(|(kind, _)| kind.city > 0)
    };
    let ends = !is_behind_space || postal_code(text, tokens, street + 1).is_some() || is_city() || goes_on();
    // `4 bus lane`: one digit counts things more often
    let is_house = tokens.get(at).is_some_and(|number| number.end - number.start > 1);
    (street > at + 1 && ends && is_house && word.case == Case::Lower).then_some(street + 1)
}

/// Returns the index of the postal code behind a city in lower case, which begins with a word: `sheffield S11 8YN`,
/// `springfield il 62701`.
fn city_in_lower_case(text: &str, tokens: &[Token], at: usize) -> Option<usize> {
    let is_lower = |word: &Token| {
        word.case == Case::Lower && word.end - word.start > 1 && !says(word.phrase).any(Says::NO_NAME)
    };
    tokens.get(at).filter(|word| is_lower(word) && word.end - word.start > 2)?;
    let mut end = at + 1;
    while end - at <= MAX_LOWER {
        let next = tokens.get(end).filter(|next| next.gap == Gap::Space)?;
        if let Some((_, place)) = postal_code(text, tokens, end) {
            return (place.end - place.start > 4).then_some(end);
        }
        if !is_lower(next) {
            return None;
        }
        end += 1;
    }
    None
}

/// Returns the index after a city of the lists in lower case, which follows a postal code, or a comma behind a street in lower case:
/// `12 rue des Tanneurs, 37000 tours`, `14 birchfield road, london`.
fn known_city_in_lower_case(text: &str, tokens: &[Token], at: usize, is_behind_code: bool) -> Option<usize> {
    let first = tokens.get(at).filter(|word| word.case == Case::Lower && word.end - word.start > 3)?;
    let street = at.checked_sub(1).and_then(|before| tokens.get(before))?;
    let joins = match first.gap {
        Gap::Space => is_behind_code,
        Gap::Comma => !is_behind_code && street.case == Case::Lower,
        _ => false,
    };
    let is_city = |end: &usize| {
        let words = tokens.get(at..*end).unwrap_or_default();
        let written = words.last().and_then(|last| text.get(first.start as usize..last.end as usize));
        let is_joined = words.iter().skip(1).all(|word| word.gap == Gap::Space && word.case == Case::Lower);
        let known = written.and_then(|written| lexicon::lookup(Phrase::EMPTY.with(written)));
        is_joined && words.len() == end - at && known.is_some_and(|(kind, _)| kind.city > 0)
    };
    let is_word = says(first.phrase).any(Says::NO_NAME);
    (joins && !is_word).then(|| (at + 1..=at + 2).rev().find(is_city)).flatten()
}

/// Whether a word tells a house from another one of its number: `14 bis`.
fn repeats(text: &str, word: &Token) -> bool {
    word.gap == Gap::Space && HOUSE_REPEATS.contains(&word.text(text))
}

/// `5th`, `42nd`.
fn is_ordinal(word: &str) -> bool {
    ORDINAL_ENDINGS.iter().any(|end| word.ends_with(end))
}

impl Address {
    fn part(&mut self, role: Role, place: Option<Part>) {
        self.parts.extend(place.map(|place| (role, place)));
    }
}

/// A city: the index after its last word, and whether it is in the lexicon.
struct City {
    end: usize,
    known: bool,
}

/// Extends a street by flat, postal code, city and country, in any order.
fn extend(text: &str, tokens: &[Token], address: &mut Address) {
    if tokens
        .get(address.end)
        .is_some_and(|next| repeats(text, next) || is_letter_of_house(text, tokens, address.end))
    {
        address.end += 1;
    }
    // `12/4`, `12-14`, `12/b`
    let first = address.end;
    while let Some(next) = tokens.get(address.end) {
        let between = tokens
            .get(address.end - 1)
            .and_then(|last| text.get(last.end as usize..next.start as usize))
            .unwrap_or_default();
        let short = next.end - next.start <= 4 && next.case == Case::Number || next.case == Case::Initial;
        let is_letter = next.end - next.start == 1 && between == "/";
        if !(short && matches!(between, "/" | "-" | " / " | "–") || is_letter) {
            break;
        }
        address.end += 1;
        address.odds += weights::RANGE;
    }
    // a sequence of numbers is not an address
    if address.end - first > 1 {
        address.odds += weights::ROW;
        return;
    }
    let has = |role: Role| address.parts.iter().any(|(known, _)| *known == role);
    let (mut postal, mut city_found) = (has(Role::PostalCode), has(Role::City));
    let (mut country, mut has_region) = (has(Role::Country), has(Role::Region));
    for _ in 0..8 {
        let Some(next) = tokens.get(address.end) else { break };
        if is_behind_hash(text, tokens, address.end) {
            address.part(Role::Unit, span(tokens, address.end, address.end + 1));
            address.end += 1;
            address.odds += weights::UNIT;
            continue;
        }
        if !continues(text, tokens, address.end) {
            break;
        }
        let code = address.end + postal_words(text, tokens, address.end);
        if !postal && let Some((end, place)) = postal_code(text, tokens, code) {
            postal = true;
            address.part(Role::PostalCode, Some(place));
            address.end = end;
            address.odds += weights::POSTAL_CODE;
            continue;
        }
        if let Some(unit) = unit(text, tokens, address.end) {
            address.part(Role::Unit, span(tokens, address.end, unit));
            address.end = unit;
            address.odds += weights::UNIT;
            continue;
        }
        if !country
            && let Some(cue) = cues::from(text, tokens, address.end, Says::COUNTRY)
            && next.is_capital()
            && (postal || city_found)
        {
            country = true;
            address.part(Role::Country, span(tokens, address.end, address.end + cue.words));
            address.end += cue.words;
            address.odds += weights::COUNTRY;
            continue;
        }
        if !postal
            && !city_found
            && let Some(code) = city_in_lower_case(text, tokens, address.end)
        {
            city_found = true;
            address.part(Role::City, span(tokens, address.end, code));
            address.end = code;
            continue;
        }
        if !city_found && let Some(end) = known_city_in_lower_case(text, tokens, address.end, postal) {
            city_found = true;
            address.part(Role::City, span(tokens, address.end, end));
            address.end = end;
            address.known_city = true;
            address.odds += weights::CITY;
            continue;
        }
        let town = address.end + usize::from(TOWN_WORDS.contains(&next.text(text)));
        if !city_found && let Some(city) = city(text, tokens, town) {
            let behind_postal = postal
                && tokens
                    .get(address.end)
                    .is_some_and(|word| matches!(word.gap, Gap::Space | Gap::Comma | Gap::Line));
            let before_postal = postal_soon(text, tokens, city.end) || country_soon(text, tokens, city.end);
            if city.known || behind_postal || before_postal {
                city_found = true;
                address.part(Role::City, span(tokens, town, city.end));
                address.end = city.end;
                address.known_city |= city.known;
                address.odds += if city.known { weights::CITY } else { 0.0 };
                continue;
            }
        }
        // `Kadıköy/İstanbul`
        if city_found
            && !has_region
            && next.is_capital()
            && text.get(..next.start as usize).is_some_and(|before| before.ends_with('/'))
        {
            has_region = true;
            address.part(Role::Region, span(tokens, address.end, address.end + 1));
            address.end += 1;
            continue;
        }
        // a region between city and postal code: `IL 62704`
        if city_found && !postal && next.is_capital() && postal_soon(text, tokens, address.end + 1) {
            address.part(Role::Region, span(tokens, address.end, address.end + 1));
            address.end += 1;
            continue;
        }
        break;
    }
}

/// Extends a street by the city before it, with its postal code: `г. Москва, ул. Ленина, 5`, `1011 Budapest, Fő utca 12`.
///
/// The address does not begin before `from`.
fn precede(text: &str, tokens: &[Token], address: &mut Address, from: u32) {
    let has = |role: Role| address.parts.iter().any(|(known, _)| *known == role);
    if has(Role::City)
        && let Some(start) = streets_before(text, tokens, address.start, from)
    {
        address.odds += if has(Role::Street) { weights::UNIT } else { weights::STREET + weights::UNIT };
        address.start = house_before(text, tokens, start, address, from);
        return;
    }
    if let Some(start) = unit_before(text, tokens, address.start, from) {
        address.part(Role::Unit, span(tokens, start, address.start));
        address.start = start;
        address.odds += weights::UNIT;
        return;
    }
    address.start = house_before(text, tokens, address.start, address, from);
    let last = address.start;
    if has(Role::City) || !has(Role::Street) || tokens.get(last).is_none_or(|street| street.gap != Gap::Comma)
    {
        return;
    }
    let is_city = |first: &usize| {
        let here = tokens.get(*first).is_some_and(|token| token.start >= from);
        here && city(text, tokens, *first).is_some_and(|city| city.known && city.end == last)
    };
    let Some(town) = (last.saturating_sub(MAX_CITY)..last).find(is_city) else { return };
    let before =
        |at: usize| at.checked_sub(1).and_then(|at| tokens.get(at)).filter(|token| token.start >= from);
    let mut start = town;
    if before(start).is_some_and(|word| TOWN_WORDS.contains(&word.text(text))) {
        start -= 1;
    }
    address.part(Role::City, span(tokens, town, last));
    address.known_city = true;
    address.odds += weights::CITY;
    // a postal code of one or two words
    let codes = (start.saturating_sub(2)..start)
        .filter(|at| tokens.get(*at).is_some_and(|token| token.start >= from));
    let code =
        codes.filter_map(|at| Some((at, postal_code(text, tokens, at)?))).find(|(_, (end, _))| *end == start);
    if let Some((at, (_, place))) = code
        && !address.parts.iter().any(|(known, _)| *known == Role::PostalCode)
    {
        address.part(Role::PostalCode, Some(place));
        address.odds += weights::POSTAL_CODE;
        start = at;
    }
    address.start = start;
}

/// Whether a word may continue the address before it.
fn continues(text: &str, tokens: &[Token], at: usize) -> bool {
    let (Some(last), Some(next)) = (at.checked_sub(1).and_then(|last| tokens.get(last)), tokens.get(at))
    else {
        return false;
    };
    match next.gap {
        Gap::Space | Gap::Comma | Gap::Dot => true,
        Gap::Line | Gap::Other => {
            let between = text.get(last.end as usize..next.start as usize).unwrap_or_default();
            let mut lines = 0;
            markup::shown(between).all(|letter| {
                lines += usize::from(letter == '\n');
                lines <= 1
                    && matches!(letter, ' ' | ',' | '\n' | '\r' | '.' | '-' | '–' | '(' | '|' | '/' | '>')
            })
        }
        _ => false,
    }
}

/// Whether a word is a flat behind `#`: `100 Main St #4B`.
fn is_behind_hash(text: &str, tokens: &[Token], at: usize) -> bool {
    let (Some(last), Some(next)) = (at.checked_sub(1).and_then(|last| tokens.get(last)), tokens.get(at))
    else {
        return false;
    };
    let between = text.get(last.end as usize..next.start as usize).unwrap_or_default();
    matches!(between, " #" | ", #" | " # ")
        && matches!(next.case, Case::Number | Case::Initial)
        && next.end - next.start <= MAX_UNIT
}

/// Whether a word is the letter of a house, behind its number and before a sign: `Uferstraße 18 b, 10317 Berlin`.
fn is_letter_of_house(text: &str, tokens: &[Token], at: usize) -> bool {
    let Some(letter) = tokens.get(at).filter(|letter| letter.gap == Gap::Space) else { return false };
    matches!(letter.text(text).as_bytes(), [b'a'..=b'h'])
        && tokens.get(at + 1).is_some_and(|next| matches!(next.gap, Gap::Comma | Gap::Line))
}

/// Returns the start of a flat or a floor before the word `at`: `Flat 2b, 14 Beechwood Close`, `3rd Floor, 10 Finsbury Square`.
fn unit_before(text: &str, tokens: &[Token], at: usize, from: u32) -> Option<usize> {
    tokens.get(at).filter(|street| matches!(street.gap, Gap::Comma | Gap::Line))?;
    let is_in = |start: &usize| tokens.get(*start).is_some_and(|first| first.start >= from);
    let is_unit = |start: &usize| unit(text, tokens, *start) == Some(at);
    (at.saturating_sub(MAX_UNIT_WORDS)..at).find(|start| is_in(start) && is_unit(start))
}

/// Whether a word is the number of a floor: `3rd`, `2e`, `2.` in Czech.
fn is_floor_number(text: &str, tokens: &[Token], at: usize) -> bool {
    let (Some(number), Some(next)) = (tokens.get(at), tokens.get(at + 1)) else { return false };
    let word = number.text(text);
    let between = text.get(number.end as usize..next.start as usize);
    number.case == Case::Number
        && number.end - number.start <= MAX_UNIT
        && (next.gap == Gap::Dot
            || between == Some("° ")
            || is_ordinal(word)
            || FLOOR_ENDINGS.iter().any(|end| word.ends_with(end)))
}

/// Reads a flat, a floor or a building with its number.
fn unit(text: &str, tokens: &[Token], at: usize) -> Option<usize> {
    let (first, next) = (tokens.get(at)?, tokens.get(at + 1));
    if next.is_some_and(|next| numbers(text, first, next)) {
        return Some(at + 2);
    }
    // `12 B 15`: a staircase and a flat, in Finnish
    let is_flat =
        |flat: &&Token| flat.gap == Gap::Space && flat.case == Case::Number && flat.end - flat.start <= 3;
    let follows_house =
        at.checked_sub(1).and_then(|at| tokens.get(at)).is_some_and(|last| last.case == Case::Number);
    if first.case == Case::Initial
        && first.gap == Gap::Space
        && follows_house
        && next.filter(is_flat).is_some()
    {
        return Some(at + 2);
    }
    if is_floor_number(text, tokens, at)
        && let Some(cue) = cues::from(text, tokens, at + 1, Says::UNIT)
    {
        return Some(at + 1 + cue.words);
    }
    // `3º B`, `2ª izq.`
    if first.case == Case::Number && text.get(..first.end as usize)?.ends_with(['º', 'ª']) {
        let is_door = |door: &&Token| {
            door.gap == Gap::Space && (door.case == Case::Initial || DOORS.contains(&door.text(text)))
        };
        return Some(at + 1 + usize::from(next.filter(is_door).is_some()));
    }
    let cue = cues::from(text, tokens, at, Says::UNIT)?;
    let end = at + cue.words;
    let number = tokens.get(end).filter(|word| {
        matches!(word.gap, Gap::Space | Gap::Dot)
            && (word.case == Case::Number && word.end - word.start <= MAX_UNIT || word.case == Case::Initial)
    });
    number.map(|_| end + 1)
}

/// Reads the postal code that begins with the word `at`; returns the index after it, and its place.
fn postal_code(text: &str, tokens: &[Token], at: usize) -> Option<(usize, Part)> {
    let first = tokens.get(at)?;
    let rest = text.as_bytes().get(first.start as usize..)?;
    let mut capitals = [0; MAX_CODE];
    let rest = match rest.first() {
        // `derby de1 3fr`
        Some(b'a'..=b'z') if rest.iter().take(3).any(u8::is_ascii_digit) => {
            let letters = capitals.iter_mut().zip(rest);
            letters.for_each(|(capital, letter)| *capital = letter.to_ascii_uppercase());
            capitals.as_slice()
        }
        Some(b'a'..=b'z') => return None,
        _ => rest,
    };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    // all patterns begin with as many digits
    let behind = rest.get(digits..)?;
    let mut patterns = POSTAL.get(digits)?.iter().map(|pattern| pattern.as_bytes());
    let pattern = patterns.find(|pattern| pattern.get(digits..).is_some_and(|rest| fits(behind, rest)))?;
    let end = first.start + pattern.len() as u32;
    let behind = tokens.get(at..)?.iter().take_while(|token| token.end <= end).count();
    let last = tokens.get(at + behind.checked_sub(1)?)?;
    let code = Part { start: first.start, end };
    (last.end == end && !is_area_code(text, tokens, code, at + behind)).then_some((at + behind, code))
}

/// Whether digits are the area code of a telephone number, the rest of which begins with the word `behind`:
/// `020 7946 0958`. A whole number may follow a postal code: `02139 617-555-0123`.
fn is_area_code(text: &str, tokens: &[Token], code: Part, behind: usize) -> bool {
    let rest = || {
        tokens.get(behind..).unwrap_or_default().iter().take_while(|word| {
            word.case == Case::Number && matches!(word.gap, Gap::Space | Gap::Hyphen | Gap::Dot)
        })
    };
    let digits = rest().map(|word| word.end - word.start).sum::<u32>();
    // numbers of countries with a zero before the area have nine to twelve digits
    (9..=12).contains(&(digits + code.end - code.start))
        && text.as_bytes().get(code.start as usize) == Some(&b'0')
}

/// Returns the number of words in the label of a postal code at a word.
fn postal_words(text: &str, tokens: &[Token], at: usize) -> usize {
    let words = tokens.get(at..).unwrap_or_default().iter().take(2);
    words.take_while(|word| POSTAL_WORDS.contains(&word.text(text))).count()
}

/// Whether a text begins with a pattern, in which `9` is any digit and `A` any capital, and the word ends there.
fn fits(text: &[u8], pattern: &[u8]) -> bool {
    let fits = text.len() >= pattern.len()
        && text.iter().zip(pattern).all(|(byte, want)| match want {
            b'9' => byte.is_ascii_digit(),
            b'A' => byte.is_ascii_uppercase(),
            other => byte == other,
        });
    fits && !text.get(pattern.len()).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte >= 0x80)
}

/// Whether a postal code follows within four words.
fn postal_soon(text: &str, tokens: &[Token], at: usize) -> bool {
    for at in at..at + 4 {
        if !continues(text, tokens, at) {
            return false;
        }
        if postal_code(text, tokens, at).is_some() {
            return true;
        }
        if !tokens.get(at).is_some_and(Token::is_capital) {
            return false;
        }
    }
    false
}

/// Whether the name of a country begins at a word.
fn country_soon(text: &str, tokens: &[Token], at: usize) -> bool {
    continues(text, tokens, at) && cues::from(text, tokens, at, Says::COUNTRY).is_some()
}

/// Reads the name of a city that begins with the word `at`.
fn city(text: &str, tokens: &[Token], at: usize) -> Option<City> {
    let first = tokens.get(at)?;
    if !first.is_capital() {
        return None;
    }
    let mut end = at;
    let mut known = 0;
    while end - at < MAX_CITY {
        let Some(word) = tokens.get(end) else { break };
        if end > at && !matches!(word.gap, Gap::Space | Gap::Hyphen | Gap::Apostrophe) {
            break;
        }
        // `Frankfurt am Main`, `Ústí nad Labem`
        let inner = end > at
            && word.case == Case::Lower
            && word.end - word.start <= 4
            && tokens.get(end + 1).is_some_and(|next| {
                next.is_capital() && matches!(next.gap, Gap::Space | Gap::Hyphen | Gap::Apostrophe)
            });
        if !(word.is_capital() || inner) || end > at && says(word.phrase).any(Says::COUNTRY) {
            break;
        }
        end += 1;
        let written = text.get(first.start as usize..word.end as usize)?;
        // three capital letters are an abbreviation
        let abbreviation = end == at + 1 && word.case == Case::Upper && word.end - word.start <= 4;
        let is_city = |(kind, _): (lexicon::NameEntry, &str)| kind.city > 0;
        if word.is_capital()
            && !abbreviation
            && lexicon::lookup(Phrase::EMPTY.with(written)).is_some_and(is_city)
        {
            known = end;
        }
    }
    // `Praha 1`, but not the code of `Manchester M1 3HE`
    let is_number = |word: &Token| word.text(text).bytes().all(|byte| byte.is_ascii_digit());
    let district = tokens
        .get(end)
        .filter(|word| word.gap == Gap::Space && word.end - word.start <= 2 && is_number(word));
    let end =
        if known > 0 && known < end { known } else { end + usize::from(district.is_some() && known == end) };
    (end > at).then_some(City { end, known: known > 0 })
}
