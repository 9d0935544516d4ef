//! The evidence of the text's countries for candidates, and for telephone numbers in national notation.

use textveil_weights as weights;

use super::infer::Countries;
use crate::{
    api::entity::Country,
    evidence::candidate::{Candidate, Extra, LocalNumber, TRUNK_LENGTHS, Verdict},
    phone::{self, Phone, digits::Digits},
};

/// Adds the evidence of the text's countries to a candidate, then caps the odds of a bare number.
pub(crate) fn apply_countries(candidate: &mut Candidate, countries: &Countries) {
    let Some(detector) = candidate.source.detector() else { return };
    if let Some(country) = detector.country {
        let own = std::iter::once(country).chain(detector.also.iter().copied());
        let confidence = own.map(|country| countries.confidence(country)).fold(0.0, f32::max);
        let best = countries.likely.first().map_or(0.0, |(_, best)| *best);
        // of two countries that share an identifier, prefers the one that the text is about
        let exact = weights::country::EXACT * (countries.confidence(country) - confidence);
        // a label at the value is stronger evidence than the country of the text
        let other = if candidate.named { weights::country::OTHER_LABELLED } else { weights::country::OTHER };
        candidate.country = weights::country::OWN * confidence + other * (best - confidence).max(0.0) + exact;
    }
    if !detector.suppressor {
        candidate.temper();
    }
}

/// Adds the candidates of local numbers for the known countries.
pub(crate) fn local_phones(numbers: &[LocalNumber], countries: &Countries, into: &mut Vec<Candidate>) {
    for number in numbers {
        let mut candidate = number.candidate;
        match planned(number, countries) {
            Some(_) if number.digits.len() < 9 && !number.named && candidate.near.weight <= 0.0 => {
                continue;
            }
            Some(planned) => {
                candidate.verdict = Verdict::Valid;
                candidate.extra = Extra::Phone(planned.phone);
                (candidate.shape, candidate.country) = (planned.shape, planned.country);
                candidate.neighbour += behind_name(number, true);
            }
            // no plan has the number, but the text has a label for it, or it is written behind a name as it is dialled
            None if number.named || number.behind_name && has_trunk_prefix(&number.digits) => {
                candidate.shape = if number.groups > 1 {
                    weights::phone_country::UNPLANNED_IN_GROUPS
                } else {
                    weights::phone_country::UNPLANNED
                };
                candidate.neighbour += behind_name(number, false);
            }
            None => continue,
        }
        into.push(candidate);
    }
}

/// A local number in the plan of a country, with the weights of its form and of the country.
struct Planned {
    phone: Phone,
    shape: f32,
    country: f32,
}

/// Returns a local number in the likeliest country whose plan has it, or in the country with exactly this
/// notation.
fn planned(number: &LocalNumber, countries: &Countries) -> Option<Planned> {
    let digits = number.digits.as_bytes();
    let usual = usual_country(number);
    let shape = match (digits.starts_with(b"0"), number.groups > 1) {
        (true, true) => weights::phone_country::TRUNK_IN_GROUPS,
        (false, true) => weights::phone_country::IN_GROUPS,
        (_, false) => weights::phone_country::UNGROUPED,
    };
    // this notation is used for telephone numbers almost only
    let own_shape = match (number.north_american, number.area_in_brackets) {
        (true, true) => Some(weights::phone_country::AREA_IN_BRACKETS),
        (true, false) => Some(weights::phone_country::NORTH_AMERICAN),
        (false, _) => number.russian.then_some(weights::phone_country::RUSSIAN),
    };
    let in_country = |country: Country, confidence: f32| {
        let phone = phone::national(digits, country)?;
        let own_shape = own_shape.filter(|_| usual == Some(country));
        // a little evidence for the country of a grouping does not make its number less likely than none
        let country = match own_shape {
            Some(_) => weights::country::OWN * confidence + weights::phone_country::USUAL,
            None if confidence == 0.0 || usual == Some(country) => {
                (weights::country::OWN * confidence).max(weights::phone_country::USUAL)
            }
            None => weights::country::OWN * confidence,
        };
        Some(Planned { phone, shape: own_shape.unwrap_or(shape), country })
    };
    // a number without a leading `0` is not of a country that writes one
    let written = |country: Country| digits.starts_with(b"0") || !writes_trunk_prefix(country);
    if let Some(told) = number.told
        && let Some(planned) = in_country(told, countries.confidence(told))
    {
        return Some(planned);
    }
    let mut likely = countries.likely.iter().take(3).filter(|(country, _)| written(*country));
    let first = likely.find_map(|(country, confidence)| Some((*country, in_country(*country, *confidence)?)));
    // the odds in its own country are an upper bound, known before the look-up in its plan
    let own = own_shape.unwrap_or(shape) + weights::phone_country::USUAL;
    let better = usual.filter(|usual| {
        first
            .as_ref()
            .is_none_or(|(country, planned)| country != usual && own > planned.shape + planned.country)
    });
    better.and_then(|country| in_country(country, 0.0)).or(first.map(|(_, planned)| planned))
}

/// Returns the weight of a name directly before a number.
fn behind_name(number: &LocalNumber, is_planned: bool) -> f32 {
    match (is_planned, number.groups > 1) {
        _ if !number.behind_name => 0.0,
        (false, _) if !number.named => weights::phone_country::UNPLANNED_BEHIND_NAME,
        (true, false) => weights::phone_country::UNGROUPED_BEHIND_NAME,
        _ => weights::phone_country::BEHIND_NAME,
    }
}

/// Whether a number begins with the trunk prefix `0`, and has as many digits as numbers with it.
fn has_trunk_prefix(digits: &Digits) -> bool {
    matches!(digits.as_bytes(), [b'0', b'1'..=b'9', ..]) && TRUNK_LENGTHS.contains(&digits.len())
}

/// Countries whose national numbers are written with a leading `0`.
fn writes_trunk_prefix(country: Country) -> bool {
    const CODES: [&[u8; 2]; 20] = [
        b"AT", b"BE", b"BG", b"CH", b"DE", b"FI", b"FR", b"GB", b"HR", b"IE", b"JP", b"MD", b"NL", b"RO",
        b"RS", b"SE", b"SI", b"SK", b"TR", b"UA",
    ];
    CODES.iter().any(|code| Country::literal(**code) == country)
}

/// Returns the country with exactly this grouping of numbers.
fn usual_country(number: &LocalNumber) -> Option<Country> {
    let digits = number.digits.as_bytes();
    let country = match (number.groups, digits.len(), digits.starts_with(b"0")) {
        (5, 10, true) => "FR",
        (3, 10, false) => "US",
        (4, 11, false) if digits.starts_with(b"1") => "US",
        (2..=3, 11, true) => "GB",
        (5, 11, false) if number.russian => "RU",
        _ => return None,
    };
    Country::parse(country)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::candidate::{Signal, Source};
    use crate::{api::facts::Facts, catalogue};

    fn country(code: &str) -> Country {
        Country::parse(code).unwrap()
    }

    #[test]
    fn weights_of_countries() {
        for (given, named, want) in [
            (Some("PL"), false, weights::country::OWN),
            (Some("DE"), false, weights::country::OTHER),
            (Some("DE"), true, weights::country::OTHER_LABELLED),
            (None, false, 0.0),
        ] {
            let countries = given.map_or_else(Countries::default, |code| Countries::given(country(code)));
            let (index, _) = catalogue::numbered_by_type("pesel").next().unwrap();
            let mut candidate = Candidate { named, ..Candidate::new(Source::Catalogue(index), 0, 11) };
            apply_countries(&mut candidate, &countries);
            assert!((candidate.country - want).abs() < 0.001, "{given:?} {named}: {}", candidate.country);
        }
    }

    /// A bare number without evidence around it is never sure.
    #[test]
    fn a_bare_number() {
        let (index, _) = catalogue::numbered_by_type("pesel").next().unwrap();
        let bare = Candidate { shape: -5.0, check: 12.0, ..Candidate::new(Source::Catalogue(index), 0, 11) };
        let labelled = Candidate { label: Signal { weight: 9.0, place: (0, 5) }, ..bare };
        for (mut candidate, want) in [(bare, 1.6), (labelled, 16.0)] {
            apply_countries(&mut candidate, &Countries::default());
            assert!((candidate.odds() - want).abs() < 0.001, "{}", candidate.odds());
        }
    }

    #[test]
    fn local_numbers() {
        for (written, groups, given, named, want) in [
            ("601123456", 3, Some("CZ"), false, Some("+420601123456")),
            ("601123456", 3, None, false, None),
            ("0612345678", 5, None, false, Some("+33612345678")),
            ("4155550132", 3, None, false, Some("+14155550132")),
            ("0301234567", 2, Some("DE"), false, Some("+49301234567")),
            // a country that writes a leading 0 has no number without it
            ("301234567", 2, Some("DE"), false, None),
            ("1", 1, Some("DE"), true, Some("no plan")),
        ] {
            let candidate =
                Candidate { facts: Facts::default(), named, ..Candidate::new(Source::Catalogue(0), 0, 9) };
            let number = LocalNumber {
                digits: crate::phone::digits::Digits::of(written.as_bytes()).unwrap(),
                groups,
                north_american: false,
                area_in_brackets: false,
                russian: false,
                candidate,
                named,
                behind_name: false,
                told: None,
            };
            let countries = given.map_or_else(Countries::default, |code| Countries::given(country(code)));
            let mut found = Vec::new();
            local_phones(&[number], &countries, &mut found);
            let phone = found.first().map(|candidate| match candidate.extra {
                Extra::Phone(phone) => phone.to_string(),
                _ => "no plan".to_owned(),
            });
            assert_eq!(phone.as_deref(), want, "{written}");
        }
    }
}
