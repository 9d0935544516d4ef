//! The countries that a text is probably about.
//!
//! Every signal adds a weight to a country: the calling code of a telephone number, the top-level domain
//! of an address, the country of an IBAN, of a BIC or of a VAT number; an identifier that passes its check,
//! the label of an identifier; the words and letters of a language, a place, a postal code, a currency. The
//! sum becomes a confidence; several countries may be likely at once.

use textveil_weights::vote as weights;

use crate::{
    api::entity::Country,
    catalogue::{self, DETECTORS},
    evidence::{
        candidate::{Candidate, Extra, Source, Verdict},
        persons::Persons,
    },
    lexicon::{self, LANGUAGES, POSTAL},
    phrase::{
        Phrase,
        case::{is_upper, lower},
        phrases,
        work::{Stage, Work},
    },
    recognise,
    text::order,
};

/// The number of words from which the language of a text is inferred.
const MAX_WORDS: usize = 1_000;
/// Steps of the confidence of a country, as two contexts compare it.
const STEPS: f32 = 4.0;
/// The longest gap between a postal code and its place, in bytes.
const ADDRESS_GAP: usize = 10;
/// Places shorter than this are abbreviations: they count only next to a postal code.
const SHORT_PLACE: usize = 4;
/// Top-level domains of countries that are used all over the world.
const GENERIC_DOMAINS: &str = "ac ai cc co eu fm gg im io ly me sh st tk to tv ws";

/// The longest format of a postal code, in bytes.
const LONGEST_POSTAL: usize = 10;
/// The formats of postal codes that begin with a word of so many bytes, one bit each: those that begin with a letter, and
/// those that begin with a digit.
static POSTAL_BEGINNINGS: [[u32; LONGEST_POSTAL + 1]; 2] = postal_beginnings();

#[allow(clippy::indexing_slicing, reason = "the compiler runs it")]
const fn postal_beginnings() -> [[u32; LONGEST_POSTAL + 1]; 2] {
    let mut beginnings = [[0; LONGEST_POSTAL + 1]; 2];
    let mut number = 0;
    while number < POSTAL.len() {
        let format = POSTAL[number].0.as_bytes();
        let mut len = 1;
        // the code ends with the word or has a separator behind it
        while len <= format.len() {
            if len == format.len() || !format[len].is_ascii_alphabetic() {
                beginnings[(format[0] == b'd') as usize][len] |= 1 << number;
            }
            len += 1;
        }
        number += 1;
    }
    beginnings
}

/// One signal for a country.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vote {
    pub country: Country,
    pub signal: &'static str,
    pub weight: f32,
    /// Its place in the copy, in bytes.
    pub place: Option<(u32, u32)>,
}

/// The countries with their confidence, most likely first, and the votes they come from.
#[derive(Debug, Default)]
pub(crate) struct Countries {
    pub likely: Vec<(Country, f32)>,
    pub votes: Vec<Vote>,
    /// The caller gave the country.
    given: bool,
}

/// Whether the first or the second number of a date such as `03/04/1980` is the day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DateOrder {
    DayFirst,
    MonthFirst,
}

impl DateOrder {
    /// Returns the date order of a country; a country that puts the year first otherwise writes the day
    /// before the month.
    fn of(country: Country) -> Self {
        match country.upper().as_str() {
            "US" | "PH" | "PR" | "GU" | "FM" | "MH" | "PW" => Self::MonthFirst,
            _ => Self::DayFirst,
        }
    }
}

impl Countries {
    /// The country given by the caller.
    pub fn given(country: Country) -> Self {
        Self { likely: vec![(country, 1.0)], votes: Vec::new(), given: true }
    }

    /// Returns the confidence of a country.
    pub fn confidence(&self, country: Country) -> f32 {
        self.likely.iter().find(|(known, _)| *known == country).map_or(0.0, |(_, confidence)| *confidence)
    }

    /// Returns the date order from the country or the language that the caller gives, from the language of
    /// the label of the date, or from the likely countries.
    ///
    /// `None` if these disagree.
    pub fn date_order(&self, language: Option<&str>, label: &str) -> Option<DateOrder> {
        if self.given {
            return self.likely.first().map(|(country, _)| DateOrder::of(*country));
        }
        if let Some((language, country)) =
            language.map(|tag| tag.trim().split_once(['-', '_']).unwrap_or((tag, "")))
        {
            match Country::parse(country) {
                Some(country) => return Some(DateOrder::of(country)),
                None if !language.trim().eq_ignore_ascii_case("en") => return Some(DateOrder::DayFirst),
                None => {}
            }
        }
        if !label.is_empty() && !lexicon::is_english_date_label(Phrase::EMPTY.with(label)) {
            return Some(DateOrder::DayFirst);
        }
        let mut orders = self
            .likely
            .iter()
            .filter(|(_, confidence)| *confidence >= weights::DECIDES)
            .map(|(country, _)| DateOrder::of(*country));
        let first = orders.next()?;
        orders.all(|order| order == first).then_some(first)
    }
}

/// The evidence for countries, the known names and the people of a text so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clues {
    votes: Vec<Vote>,
    languages: Languages,
    /// Known names of the text.
    pub names: textveil_names::Known,
    /// People who were named in full.
    pub persons: Persons,
}

impl Clues {
    /// The maximum number of votes of one kind for one country that are kept for the following text: more
    /// would have no effect.
    const KEPT: usize = 8;

    /// Reads the evidence of the words of the text, from `from` on.
    pub fn read(&mut self, text: &str, from: usize, work: &Work) {
        let before = self.languages.read;
        self.languages.read(text, from, &mut self.votes);
        work.add(Stage::Countries, 4 * (self.languages.read - before));
    }

    /// Returns the countries, from the words read so far and from the candidates.
    pub fn countries(&self, text: &str, language: Option<&str>, candidates: &[Candidate]) -> Countries {
        let mut votes = self.votes.clone();
        language_given(language, &mut votes);
        self.languages.vote(&mut votes);
        for candidate in candidates {
            vote(text, candidate, &mut votes);
        }
        self.languages.vote_postal(&mut votes);
        Countries { likely: tally(&votes), votes, given: false }
    }

    /// Returns the most likely country of the texts so far, and its confidence in quarters.
    pub fn belief(&self, language: Option<&str>) -> Option<(Country, u8)> {
        let likely = self.countries("", language, &[]).likely;
        // between 0 and 1
        likely.first().map(|(country, confidence)| (*country, (confidence * STEPS) as u8))
    }

    /// Keeps the votes of the candidates for the following text.
    pub fn keep(&mut self, text: &str, candidates: &[Candidate]) {
        let mut votes = Vec::new();
        for candidate in candidates {
            vote(text, candidate, &mut votes);
        }
        for vote in votes {
            let same = |known: &&Vote| (known.country, known.signal) == (vote.country, vote.signal);
            if self.votes.iter().filter(same).count() < Self::KEPT {
                self.votes.push(Vote { place: None, ..vote });
            }
        }
    }
}

/// Adds the votes of an identifier.
fn vote(text: &str, candidate: &Candidate, votes: &mut Vec<Vote>) {
    let Source::Catalogue(index) = candidate.source else { return };
    let Some(detector) = catalogue::detector(index) else { return };
    let place = Some((candidate.start, candidate.end));
    let mut add = |country: Option<Country>, signal, weight| {
        votes.extend(country.map(|country| Vote { country, signal, weight, place }));
    };
    match candidate.extra {
        Extra::Phone(phone) => return add(phone.country, "phone", weights::PHONE),
        Extra::Country(country) if candidate.verdict == Verdict::Valid => {
            return add(Some(country), "iban", weights::IBAN);
        }
        Extra::Country(_) | Extra::Named(_) | Extra::Literal(_) | Extra::None => {}
    }
    if recognise::has_domain(detector) {
        let found = text.get(candidate.start as usize..candidate.end as usize).unwrap_or_default();
        return add(domain_country(found), "domain", weights::DOMAIN);
    }
    let found = text.get(candidate.start as usize..candidate.end as usize).unwrap_or_default();
    if detector.kind() == "bic" && candidate.odds() > 0.0 {
        return add(found.get(4..6).and_then(Country::parse), "bic", weights::BIC);
    }
    if detector.country.is_none() || detector.suppressor || candidate.needs_label && !candidate.named {
        return;
    }
    // a VAT number has its country as a prefix
    if detector.kind() == "vat_id"
        && candidate.verdict == Verdict::Valid
        && found.get(..2).and_then(Country::parse).is_some_and(|country| detector.of(country))
    {
        return add(detector.country, "vat", weights::VAT);
    }
    // a label next to the value is strong evidence, a check that rarely passes by chance is weaker
    let weight = match (candidate.named, candidate.verdict) {
        (true, Verdict::Valid | Verdict::Unchecked | Verdict::Exempt) => weights::LABELLED,
        (true, Verdict::Failed(_)) => weights::LABELLED_FAILED,
        (false, Verdict::Valid)
            if detector.checksummed
                && detector.llr > weights::CHECK
                && candidate.odds() > weights::SPEAKS
                && !candidate.is_bare() =>
        {
            weights::CHECKED
        }
        _ => return,
    };
    add(detector.country, "identifier", weight);
    for country in detector.also {
        add(Some(*country), "identifier", weight * weights::ALSO);
    }
}

/// Returns the country of the top-level domain of an e-mail address or a URL.
fn domain_country(found: &str) -> Option<Country> {
    let host = found.split_once("://").map_or(found, |(_, rest)| rest);
    let host = host.split(['/', '?', '#']).next()?;
    let host = host.rsplit('@').next()?;
    let top = host.split(':').next()?.rsplit('.').next()?;
    if order::has_word(GENERIC_DOMAINS, top) { None } else { Country::parse(top) }
}

fn language_given(language: Option<&str>, votes: &mut Vec<Vote>) {
    let Some(code) = language.and_then(|language| language.trim().split(['-', '_']).next()) else { return };
    let known = LANGUAGES.iter().find(|known| known.code.eq_ignore_ascii_case(code));
    for (country, share) in known.map(|known| known.countries).unwrap_or_default() {
        votes.push(Vote {
            country: *country,
            signal: "language_given",
            weight: weights::LANGUAGE_GIVEN * share,
            place: None,
        });
    }
}

/// Counts of a text's common words and letters by language.
#[derive(Clone, Debug)]
struct Languages {
    counts: [u32; LANGUAGES.len()],
    /// The first place of each language.
    first: [Option<(u32, u32)>; LANGUAGES.len()],
    /// The number of words that are not numbers.
    total: u32,
    /// The number of words, including numbers.
    read: usize,
    /// The formats of postal codes found, one bit each, and the place of the first one.
    postal: u32,
    first_postal: Option<(u32, u32)>,
}

impl Default for Languages {
    fn default() -> Self {
        Self {
            counts: [0; LANGUAGES.len()],
            first: [None; LANGUAGES.len()],
            total: 0,
            read: 0,
            postal: 0,
            first_postal: None,
        }
    }
}

impl Languages {
    fn count(&mut self, language: u8, by: u32, place: (usize, usize)) {
        let language = usize::from(language);
        if let (Some(count), Some(first)) = (self.counts.get_mut(language), self.first.get_mut(language)) {
            *count += by;
            first.get_or_insert((place.0 as u32, place.1 as u32));
        }
    }

    /// Reads the words from `from` on, up to the maximum; votes of currencies go to `votes`.
    fn read(&mut self, text: &str, from: usize, votes: &mut Vec<Vote>) {
        let mut read = from;
        // the preceding word, if it is a number
        let mut amount = false;
        let mut last = (from, from);
        let mut address = Address::default();
        let words = phrases(text.get(from..).unwrap_or_default()).take(MAX_WORDS.saturating_sub(self.read));
        for (start, end, phrase) in words.map(|(start, end, phrase)| (from + start, from + end, phrase)) {
            self.read += 1;
            let gap = text.get(read..start).unwrap_or_default();
            read = end;
            let Some(word) = text.get(start..end).filter(|word| word.len() <= 24) else { continue };
            let number = word.bytes().all(|byte| byte.is_ascii_digit());
            if !gap.is_ascii() && (amount || number) {
                currency_signs(gap, start, votes);
            }
            if number && !amount {
                currency_before(text, last, start, votes);
            }
            last = (start, end);
            if matches!(word.as_bytes(), [b'0'..=b'9' | b'A'..=b'Z', ..]) {
                self.postal(text, last, &mut address, votes);
            }
            if !number {
                self.total += 1;
                let ascii = word.is_ascii();
                // one short word is not evidence: `com`, `o`, `da`
                let letters = if ascii { word.len() } else { word.chars().count() };
                let says = if letters > 3 { 2 } else { 1 };
                for language in lexicon::languages(phrase, word).unwrap_or_default() {
                    match lexicon::spoken_for(*language) {
                        None => self.count(*language, says, (start, end)),
                        Some((country, true)) => address.place(text, country, (start, end), votes),
                        Some((country, false)) => votes.push(Vote {
                            country,
                            signal: "language",
                            weight: weights::ADJECTIVE,
                            place: Some((start as u32, end as u32)),
                        }),
                    }
                }
                if amount && is_currency(word) {
                    currency(lexicon::currency_name(phrase), (start, end), votes);
                }
                if !ascii {
                    for letter in word.chars().filter(|letter| !letter.is_ascii()).map(lower) {
                        for language in lexicon::languages_with(letter) {
                            self.count(*language, 1, (start, end));
                        }
                    }
                }
            }
            amount = number;
        }
    }

    /// Reads the postal code that begins with the word `start..end`, if a place can be next to it.
    fn postal(
        &mut self,
        text: &str,
        (start, end): (usize, usize),
        address: &mut Address,
        votes: &mut Vec<Vote>,
    ) {
        let digit = text.as_bytes().get(start).is_some_and(u8::is_ascii_digit);
        let [of_letters, of_digits] = &POSTAL_BEGINNINGS;
        let beginnings = if digit { of_digits } else { of_letters };
        let mut formats = beginnings.get(end - start).copied().unwrap_or_default();
        while formats != 0 {
            let number = formats.trailing_zeros();
            formats &= formats - 1;
            let Some((pattern, countries)) = POSTAL.get(number as usize) else { return };
            let Some(end) = postal_end(text, start, pattern) else { continue };
            // a code of letters and digits must begin with the abbreviation of a region
            let region = pattern.starts_with("aa ") || pattern.starts_with("aaa ");
            if region {
                let letters = text.get(start..start + pattern.find(' ').unwrap_or_default());
                let letters = letters.unwrap_or_default();
                let known = lexicon::languages(Phrase::EMPTY.with(letters), letters);
                let is_place = |country: &Country| known.is_some_and(|uses| speaks_for(uses, *country));
                if !countries.iter().any(is_place) {
                    continue;
                }
            }
            if region {
                let place = Some((start as u32, end as u32));
                let whose = countries.iter();
                votes.extend(whose.map(|country| Vote {
                    country: *country,
                    signal: "postal_code",
                    weight: weights::POSTAL_REGION,
                    place,
                }));
            } else if pattern.len() > 3 {
                self.postal |= 1 << number;
                self.first_postal.get_or_insert((start as u32, end as u32));
            }
            address.code(text, countries, (start, end), votes);
            return;
        }
    }

    /// Adds votes of postal codes used in several countries, for countries with other evidence.
    fn vote_postal(&self, votes: &mut Vec<Vote>) {
        let mut known: Vec<Country> = votes.iter().map(|vote| vote.country).collect();
        order::sort(&mut known, Ord::cmp);
        known.dedup();
        for (number, (_, countries)) in POSTAL.iter().enumerate() {
            if self.postal >> number & 1 == 0 {
                continue;
            }
            votes.extend(countries.iter().filter(|country| known.contains(country)).map(|country| Vote {
                country: *country,
                signal: "postal_code",
                weight: weights::POSTAL_ALONE,
                place: self.first_postal,
            }));
        }
    }

    /// Adds the votes of the languages.
    fn vote(&self, votes: &mut Vec<Vote>) {
        let best = self.counts.iter().copied().max().unwrap_or_default();
        for ((language, count), place) in LANGUAGES.iter().zip(self.counts).zip(self.first) {
            // related languages share words, so only those close to the best one count
            if count < 2 || count * 3 < best * 2 {
                continue;
            }
            let share = count as f32 / (2 * self.total).max(1) as f32;
            let strength = (count as f32 / weights::WORDS).min(weights::LANGUAGE)
                * (share * weights::SHARE).min(1.0)
                * (count as f32 / best as f32).powi(2);
            for (country, part) in language.countries {
                votes.push(Vote { country: *country, signal: "language", weight: strength * part, place });
            }
        }
    }
}

/// The last place and the last postal code.
#[derive(Default)]
struct Address {
    place: Option<(Country, (usize, usize))>,
    code: Option<(&'static [Country], (usize, usize))>,
}

impl Address {
    /// Adds a place: it counts more next to a postal code of its country.
    fn place(&mut self, text: &str, country: Country, at: (usize, usize), votes: &mut Vec<Vote>) {
        let written = text.get(at.0..at.1).unwrap_or_default();
        if written.starts_with(|letter: char| letter.is_ascii_lowercase()) {
            return;
        }
        if written.len() >= SHORT_PLACE {
            let place = Some((at.0 as u32, at.1 as u32));
            votes.push(Vote { country, signal: "place", weight: weights::PLACE, place });
        }
        self.place = Some((country, at));
        if let Some((countries, code)) = self.code.filter(|(_, code)| beside(text, code.1, at.0)) {
            together(country, countries, code, votes);
        }
    }

    /// Adds a postal code, which may be next to the place.
    fn code(&mut self, text: &str, countries: &'static [Country], at: (usize, usize), votes: &mut Vec<Vote>) {
        self.code = Some((countries, at));
        if let Some((country, _)) = self.place.filter(|(_, place)| beside(text, place.1, at.0)) {
            together(country, countries, at, votes);
        }
    }
}

/// Adds a vote for a postal code next to a place of a country with such codes.
fn together(country: Country, countries: &[Country], code: (usize, usize), votes: &mut Vec<Vote>) {
    if countries.contains(&country) {
        let place = Some((code.0 as u32, code.1 as u32));
        votes.push(Vote { country, signal: "postal_code", weight: weights::POSTAL_BESIDE, place });
    }
}

/// Whether a place that ends at `end` and one that starts at `start` are on one line of an address.
fn beside(text: &str, end: usize, start: usize) -> bool {
    let gap = text.as_bytes().get(end..start);
    gap.is_some_and(|gap| gap.len() <= ADDRESS_GAP && !gap.contains(&b'\n'))
}

/// Whether one of the uses of a word is a place of the country.
fn speaks_for(uses: &[u8], country: Country) -> bool {
    uses.iter().any(|one| lexicon::spoken_for(*one) == Some((country, true)))
}

/// Returns the end of the postal code in that format at `start`, if it is isolated and next to a word.
fn postal_end(text: &str, start: usize, pattern: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let fits = |(byte, wanted): (&u8, u8)| match wanted {
        b'd' => byte.is_ascii_digit(),
        b'a' => byte.is_ascii_uppercase(),
        other => *byte == other,
    };
    let end = start + pattern.len();
    if !bytes.get(start..end)?.iter().zip(pattern.bytes()).all(fits) {
        return None;
    }
    let joins = |byte: Option<&u8>| {
        byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'/' | b'.' | b':'))
    };
    let before = start.checked_sub(1).and_then(|at| bytes.get(at));
    let stops = bytes.get(end) == Some(&b'.') && !joins(bytes.get(end + 1));
    if joins(before) || joins(bytes.get(end)) && !stops {
        return None;
    }
    // a place must follow or precede it
    let behind = text.get(end..)?.strip_prefix([' ', ','])?.trim_start_matches(' ');
    let place = |letter: char| is_upper(letter) || letter as u32 > 0x5ff;
    let ahead = text.get(..start)?.trim_end_matches([' ', ',', '-', '(']);
    (behind.starts_with(place) || start - ahead.len() <= 3 && ahead.ends_with(char::is_alphabetic))
        .then_some(end)
}

/// Whether the name of a currency has the right letter case: `KM` is marks, `km` is not.
fn is_currency(written: &str) -> bool {
    written.len() > 3
        || !written.bytes().all(|byte| byte.is_ascii_lowercase())
        || matches!(written, "kr" | "kn" | "lei" | "din")
}

/// Adds the name of a currency directly before an amount that starts at `start`; `last` is the preceding
/// word.
fn currency_before(text: &str, last: (usize, usize), start: usize, votes: &mut Vec<Vote>) {
    let Some(gap) = text.get(last.1..start) else { return };
    let place = (last.0, start);
    let word = text.get(last.0..last.1).unwrap_or_default();
    if let Some(before) = gap.trim_end_matches(' ').strip_suffix('$') {
        let whose = if before.is_empty() { dollars(word) } else { None };
        match whose {
            Some(country) => currency(&[country], place, votes),
            None => votes.extend(DOLLARS.iter().map(|(country, weight)| Vote {
                country: Country::literal(**country),
                signal: "currency",
                weight: *weight,
                place: Some((last.1 as u32, start as u32)),
            })),
        }
    } else if matches!(gap, " " | "" | "." | ". ") && is_currency(word) {
        currency(lexicon::currency_name(Phrase::EMPTY.with(word)), place, votes);
    }
}

/// The countries of a bare `$`, for dollars and pesos, with their weights.
const DOLLARS: &[(&[u8; 2], f32)] = &[
    (b"US", weights::DOLLAR),
    (b"CA", weights::DOLLAR_OTHER),
    (b"AU", weights::DOLLAR_OTHER),
    (b"MX", weights::PESO),
    (b"AR", weights::PESO),
    (b"CO", weights::PESO),
    (b"CL", weights::PESO),
];

/// Returns the country of the letters before `$`, for dollars and reals.
fn dollars(letters: &str) -> Option<Country> {
    let code = match letters {
        "US" => b"US",
        "A" | "AU" => b"AU",
        "C" | "CA" | "CAD" => b"CA",
        "NZ" => b"NZ",
        "HK" => b"HK",
        "S" | "SG" => b"SG",
        "NT" => b"TW",
        "R" => b"BR",
        "MX" => b"MX",
        "AR" => b"AR",
        "CLP" => b"CL",
        "COP" => b"CO",
        _ => return None,
    };
    Some(Country::literal(*code))
}

/// Adds votes for the currency signs in the gap before the word at `start`.
fn currency_signs(gap: &str, start: usize, votes: &mut Vec<Vote>) {
    let from = start - gap.len();
    for (at, sign) in gap.char_indices() {
        currency(lexicon::currency_sign(sign), (from + at, from + at + sign.len_utf8()), votes);
    }
}

fn currency(countries: &[Country], place: (usize, usize), votes: &mut Vec<Vote>) {
    let place = Some((place.0 as u32, place.1 as u32));
    // several countries have crowns
    let weight = if countries.len() > 2 { weights::CURRENCY_SHARED } else { weights::CURRENCY };
    votes.extend(countries.iter().map(|country| Vote {
        country: *country,
        signal: "currency",
        weight,
        place,
    }));
}

/// Converts votes to confidences: each kind of signal is capped, and the confidences are relative to the best
/// country.
fn tally(votes: &[Vote]) -> Vec<(Country, f32)> {
    let mut kinds: Vec<(Country, &str, f32)> = Vec::new();
    for vote in votes {
        match kinds.iter_mut().find(|(country, signal, _)| (*country, *signal) == (vote.country, vote.signal))
        {
            Some((_, _, sum)) => *sum = (*sum + vote.weight * weights::REPEATED).min(weights::MAX_KIND),
            None => kinds.push((vote.country, vote.signal, vote.weight)),
        }
    }
    let mut sums: Vec<(Country, f32)> = Vec::new();
    for (country, _, sum) in kinds {
        match sums.iter_mut().find(|(known, _)| *known == country) {
            Some((_, total)) => *total += sum,
            None => sums.push((country, sum)),
        }
    }
    let best = sums.iter().map(|(_, sum)| *sum).fold(0.0, f32::max);
    let mut likely: Vec<(Country, f32)> = sums
        .into_iter()
        .map(|(country, sum)| (country, sum / (sum + 1.0) * (sum / best).sqrt()))
        .filter(|(_, confidence)| *confidence >= weights::LISTED)
        .collect();
    order::sort(&mut likely, |a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    likely
}

const _: () = assert!(LANGUAGES.len() <= u8::MAX as usize && DETECTORS.len() < 1 << 15);

#[cfg(test)]
mod tests {
    use super::*;

    fn country(code: &str) -> Country {
        Country::parse(code).unwrap()
    }

    /// The countries of the words of a text.
    fn likely(text: &str, language: Option<&str>) -> Countries {
        let mut clues = Clues::default();
        clues.read(text, 0, &Work::default());
        clues.countries(text, language, &[])
    }

    #[test]
    fn words_and_signs() {
        for (text, language, want) in [
            ("", None, None),
            ("0 1 2", None, None),
            ("Dzień dobry, proszę przesłać fakturę na adres firmy, ponieważ nie mam", None, Some("PL")),
            ("das ist nicht die Rechnung, die wir für München bezahlt haben", None, Some("DE")),
            ("12 Kč", None, Some("CZ")),
            ("12 PLN", None, Some("PL")),
            ("£12", None, Some("GB")),
            ("", Some("pl"), Some("PL")),
            ("", Some("de-AT"), Some("DE")),
        ] {
            let found = likely(text, language).likely.first().map(|(country, _)| *country);
            assert_eq!(found, want.map(country), "{text} {language:?}");
        }
    }

    #[test]
    fn orders_of_dates() {
        let of = |codes: &[&str]| Countries {
            likely: codes.iter().map(|code| (country(code), 0.9)).collect(),
            ..Countries::default()
        };
        for (countries, language, label, want) in [
            (Countries::given(country("US")), None, "", Some(DateOrder::MonthFirst)),
            (Countries::given(country("DE")), Some("en-US"), "", Some(DateOrder::DayFirst)),
            (of(&["US"]), None, "", Some(DateOrder::MonthFirst)),
            (of(&["GB"]), None, "", Some(DateOrder::DayFirst)),
            (of(&["US", "GB"]), None, "", None),
            (of(&[]), None, "", None),
            (of(&[]), Some("en-US"), "", Some(DateOrder::MonthFirst)),
            (of(&[]), Some("fr"), "", Some(DateOrder::DayFirst)),
            (of(&["US"]), None, "Geburtsdatum", Some(DateOrder::DayFirst)),
            (of(&["US"]), None, "date of birth", Some(DateOrder::MonthFirst)),
        ] {
            assert_eq!(countries.date_order(language, label), want, "{countries:?} {language:?} {label}");
        }
    }

    #[test]
    fn domains() {
        for (found, want) in [
            ("jan@example.cz", Some("CZ")),
            ("https://example.de/page", Some("DE")),
            ("jan@example.com", None),
            ("jan@example.io", None),
        ] {
            assert_eq!(domain_country(found), want.map(country), "{found}");
        }
    }
}
