//! Weighing: the evidence of each candidate becomes log-odds, candidates for the same place compete, and the
//! best one becomes a finding with a confidence.

use crate::{
    catalogue::{self, Recogniser},
    custom::Customs,
    entity::{Category, Country},
    hypothesis::{Extra, Hypothesis, Signal, Source, Verdict},
    infer::Countries,
    labels::{Context, Contexts, Nearness},
    order,
    phone::Phone,
    phrase::work::{Stage, Work},
    scan::LocalNumber,
};

/// Weight of a label, by its nearness.
const LABEL: [f32; 3] = [9.0, 6.0, 3.0];
/// Weight of a context word.
const NEAR: f32 = 3.0;
/// Weight of a context word in addition to a label.
const NEAR_LABEL: f32 = 1.0;
/// Weight of a label of another type.
const OTHER_LABEL: f32 = -4.0;
/// The highest weight of the text's country, and the weight of another country.
const COUNTRY: f32 = 3.0;
const OTHER_COUNTRY: f32 = -2.0;
/// Weight of another country for a labelled value.
const OTHER_COUNTRY_NAMED: f32 = -0.4;
/// Weight of the country's usual grouping of a telephone number.
const USUAL: f32 = 1.0;
/// Weight of a grouping of three, three and four digits, the first in brackets: `(415) 555-0132`.
const AREA_IN_BRACKETS: f32 = -0.3;
/// Weight of the same with dashes or dots, as in numbers of articles.
const NORTH_AMERICAN: f32 = -1.5;
/// Weight of Russian notation: `8 (495) 123-45-67`.
const RUSSIAN: f32 = -0.3;

/// The best candidate for a place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Finding<'h> {
    pub hypothesis: &'h Hypothesis,
    pub confidence: f32,
    /// The penalty from the other candidates for the place, in log-odds.
    pub competing: f32,
    pub suppressor: bool,
    pub container: bool,
}

/// Adds the evidence of nearby labels and context words to a candidate.
pub(crate) fn apply(hypothesis: &mut Hypothesis, index: u16, contexts: &Contexts) {
    let place = |context: Context| (context.start as u32, context.end as u32);
    if let Some(label) = contexts.label(index) {
        // of two labels the longer one weighs more: `US passport number`
        let length = (label.end - label.start) as f32;
        let weight =
            LABEL.get(label.nearness as usize).copied().unwrap_or_default() + (0.02 * length).min(0.5);
        hypothesis.label = Signal { weight, place: place(label) };
        hypothesis.named = label.nearness <= Nearness::Close;
    }
    if !hypothesis.named {
        // the closest label is that of another type
        let other = contexts.direct().find(|context| !same_kind(context.detector, index));
        if let Some(other) = other.filter(|_| !speaks_for_itself(hypothesis, index)) {
            hypothesis.label = Signal { weight: hypothesis.label.weight + OTHER_LABEL, place: place(other) };
            // its shape is then no evidence: keys look like digests and UUIDs
            if catalogue::detector(index).is_some_and(|detector| detector.suppressor) {
                hypothesis.shape = hypothesis.shape.min(0.0);
                hypothesis.check = hypothesis.check.min(0.0);
            }
        }
    }
    if let Some(near) = contexts.word(index) {
        // a context word beside a label adds little
        let weight = if hypothesis.label.weight > 0.0 { NEAR_LABEL } else { NEAR };
        hypothesis.near = Signal { weight, place: place(near) };
    }
}

/// Whether a value is identified by its form, whatever precedes it: an address, a token, an IBAN, a telephone
/// number in international notation.
fn speaks_for_itself(hypothesis: &Hypothesis, index: u16) -> bool {
    let international = matches!(hypothesis.extra, Extra::Phone(_));
    catalogue::detector(index).is_some_and(|detector| match detector.recogniser {
        None | Some(Recogniser::Phone | Recogniser::Date) => detector.token || international,
        Some(_) => true,
    })
}

/// Whether it is found by a literal prefix.
fn is_token(source: Source) -> bool {
    matches!(source, Source::Catalogue(index) if catalogue::detector(index).is_some_and(|detector| detector.token))
}

/// Whether two detectors report the same type.
fn same_kind(a: u16, b: u16) -> bool {
    match (catalogue::detector(a), catalogue::detector(b)) {
        (Some(a), Some(b)) => a.kind() == b.kind(),
        _ => false,
    }
}

/// Adds the evidence of the text's countries to a candidate, then caps the odds of a bare number.
pub(crate) fn apply_countries(hypothesis: &mut Hypothesis, countries: &Countries) {
    let Source::Catalogue(index) = hypothesis.source else { return };
    let Some(detector) = catalogue::detector(index) else { return };
    if let Some(country) = detector.country {
        let own = std::iter::once(country).chain(detector.also.iter().copied());
        let confidence = own.map(|country| countries.confidence(country)).fold(0.0, f32::max);
        let best = countries.likely.first().map_or(0.0, |(_, best)| *best);
        // of two countries that share an identifier, prefers the one that the text is about
        let exact = 0.2 * (countries.confidence(country) - confidence);
        // a label at the value is stronger evidence than the country of the text
        let other = if hypothesis.named { OTHER_COUNTRY_NAMED } else { OTHER_COUNTRY };
        hypothesis.country = COUNTRY * confidence + other * (best - confidence).max(0.0) + exact;
    }
    if !detector.suppressor {
        hypothesis.temper();
    }
}

/// Adds the candidates of local numbers for the known countries.
pub(crate) fn local_phones(numbers: &[LocalNumber], countries: &Countries, into: &mut Vec<Hypothesis>) {
    for number in numbers {
        let mut guess = number.guess;
        match planned(number, countries) {
            Some(_) if number.digits().len() < 9 && !number.named && guess.near.weight <= 0.0 => continue,
            Some(planned) => {
                guess.verdict = Verdict::Valid;
                guess.extra = Extra::Phone(planned.phone);
                (guess.shape, guess.country) = (planned.shape, planned.country);
            }
            // no plan has the number, but the text has a label for it
            None if number.named => guess.shape = -6.0,
            None => continue,
        }
        into.push(guess);
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
    let digits = number.digits();
    let usual = usual_country(number);
    let shape = match (digits.starts_with('0'), number.groups > 1) {
        (true, true) => -0.5,
        (false, true) => -2.5,
        (_, false) => -5.0,
    };
    // this notation is used for telephone numbers almost only
    let own_shape = match (number.north_american, number.area_in_brackets) {
        (true, true) => Some(AREA_IN_BRACKETS),
        (true, false) => Some(NORTH_AMERICAN),
        (false, _) => number.russian.then_some(RUSSIAN),
    };
    let in_country = |country: Country, confidence: f32| {
        let phone = crate::phone::national(digits, country)?;
        let own_shape = own_shape.filter(|_| usual == Some(country));
        let usual = if confidence == 0.0 || own_shape.is_some() { USUAL } else { 0.0 };
        Some(Planned { phone, shape: own_shape.unwrap_or(shape), country: COUNTRY * confidence + usual })
    };
    // a number without a leading `0` is not of a country that writes one
    let written = |country: Country| digits.starts_with('0') || !writes_trunk_prefix(country);
    let mut likely = countries.likely.iter().take(3).filter(|(country, _)| written(*country));
    let first = likely.find_map(|(country, confidence)| Some((*country, in_country(*country, *confidence)?)));
    // the odds in its own country are an upper bound, known before the look-up in its plan
    let own = own_shape.unwrap_or(shape) + USUAL;
    let better = usual.filter(|usual| {
        first
            .as_ref()
            .is_none_or(|(country, planned)| country != usual && own > planned.shape + planned.country)
    });
    better.and_then(|country| in_country(country, 0.0)).or(first.map(|(_, planned)| planned))
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
    let digits = number.digits();
    let country = match (number.groups, digits.len(), digits.starts_with('0')) {
        (5, 10, true) => "FR",
        (3, 10, false) => "US",
        (4, 11, false) if digits.starts_with('1') => "US",
        (2..=3, 11, true) => "GB",
        (5, 11, false) if number.russian => "RU",
        _ => return None,
    };
    Country::parse(country)
}

/// Ends an address before the label of an identifier within it: an address after its label extends over the
/// whole line.
pub(crate) fn cut_addresses(hypotheses: &mut [Hypothesis], text: &str) {
    let detector = |guess: &Hypothesis| match guess.source {
        Source::Catalogue(index) => catalogue::detector(index).map(|detector| (index, detector)),
        Source::Custom(_) | Source::Denied(_) => None,
    };
    let is_address =
        |guess: &Hypothesis| detector(guess).is_some_and(|(index, _)| catalogue::ADDRESS.contains(&index));
    if !hypotheses.iter().any(is_address) {
        return;
    }
    let is_identifier = |guess: &&Hypothesis| {
        let located = detector(guess).is_none_or(|(_, detector)| detector.category == Category::Location);
        guess.named && guess.verdict == Verdict::Valid && !located && guess.label.place.0 < guess.start
    };
    let labelled = hypotheses.iter().filter(is_identifier);
    let mut labels: Vec<(u32, u32)> = labelled.map(|guess| (guess.label.place.0, guess.end)).collect();
    order::sort(&mut labels, Ord::cmp);
    for address in hypotheses.iter_mut().filter(|guess| is_address(guess)) {
        let first = labels.partition_point(|(label, _)| *label <= address.start);
        let mut within = labels.iter().skip(first).take_while(|(label, _)| *label < address.end);
        if let Some((label, _)) = within.find(|(_, end)| *end <= address.end) {
            let before = text.get(address.start as usize..*label as usize).unwrap_or_default();
            let kept = before.trim_end_matches(|letter: char| !letter.is_alphanumeric());
            address.end = address.start + kept.len() as u32;
        }
    }
}

/// Returns one finding per place, sorted by start, the longest first. Candidates for a place compete by their
/// odds.
pub(crate) fn compete<'h>(hypotheses: &'h [Hypothesis], customs: &Customs, work: &Work) -> Vec<Finding<'h>> {
    let mut guesses: Vec<&Hypothesis> = hypotheses.iter().collect();
    order::sort(&mut guesses, |a, b| (a.start, b.end).cmp(&(b.start, a.end)));
    let places = guesses.chunk_by(|a, b| (a.start, a.end) == (b.start, b.end));
    let mut rivals = Vec::new();
    let best = places.filter_map(|place| {
        let best = best_of(place, customs, &mut rivals);
        work.add(Stage::Weigh, 4 * place.len() + rivals.len() * rivals.len() / 4);
        best
    });
    best.collect()
}

/// Returns the best candidate for one place; `rivals` is a buffer for the eligible ones, with their odds.
fn best_of<'h>(
    place: &[&'h Hypothesis],
    customs: &Customs,
    rivals: &mut Vec<(&'h Hypothesis, f64)>,
) -> Option<Finding<'h>> {
    let suppressor = |guess: &Hypothesis| match guess.source {
        Source::Catalogue(index) => catalogue::detector(index).is_some_and(|detector| detector.suppressor),
        Source::Custom(_) | Source::Denied(_) => false,
    };
    let counts = |guess: &&&Hypothesis| {
        let labelled = guess.named || guess.near.weight > 0.0 && guess.country > 1.0;
        // a failed check is a typing error next to a label or after an unambiguous literal prefix, and an
        // unrelated number elsewhere
        let meant = guess.named || is_token(guess.source);
        let failed = matches!(guess.verdict, Verdict::Failed(_)) && (suppressor(guess) || !meant);
        (!guess.needs_label || labelled) && !failed
    };
    // computes the odds of each rival once
    rivals.clear();
    rivals.extend(place.iter().filter(counts).map(|guess| (*guess, odds(guess))));
    let total: f64 = 1.0 + rivals.iter().map(|(_, odds)| odds).sum::<f64>();
    // detectors of one type count together, whatever their country
    let kind_odds = |guess: &Hypothesis| -> f64 {
        let alike = rivals.iter().filter(|(other, _)| one_kind(other.source, guess.source, customs));
        alike.map(|(_, odds)| odds).sum()
    };
    let mut best: Option<(&Hypothesis, f64, f64)> = None;
    for (guess, own) in rivals.iter() {
        let of_kind = if rivals.len() == 1 { *own } else { kind_odds(guess) };
        if best.is_none_or(|(_, kind, one)| {
            of_kind > kind * 1.000_001 || of_kind > kind * 0.999_999 && *own > one * 1.000_001
        }) {
            best = Some((*guess, of_kind, *own));
        }
    }
    let (winner, of_kind, own) = best?;
    let detectors = rivals.iter().filter(|(guess, _)| suppressor(winner) || !suppressor(guess));
    let mass: f64 = detectors.map(|(_, odds)| odds).sum::<f64>() / total;
    let share = of_kind / total;
    let confidence = share + 0.5 * (mass - share);
    let alone = own / (1.0 + own);
    let container = match winner.source {
        Source::Catalogue(index) => catalogue::detector(index).is_some_and(|detector| detector.container),
        Source::Custom(_) | Source::Denied(_) => false,
    };
    Some(Finding {
        hypothesis: winner,
        confidence: round(match winner.source {
            Source::Catalogue(_) => confidence,
            // the confidence given by the caller is not reduced
            Source::Custom(_) | Source::Denied(_) => confidence.max(alone),
        }),
        // log-odds only if there were several candidates
        competing: if rivals.len() == 1 { 0.0 } else { (logit(confidence) - logit(alone)) as f32 },
        suppressor: suppressor(winner),
        container,
    })
}

/// Returns the odds of a candidate, within finite bounds.
fn odds(guess: &Hypothesis) -> f64 {
    f64::from(guess.odds()).clamp(-30.0, 30.0).exp()
}

/// The log-odds of a probability.
fn logit(p: f64) -> f64 {
    let p = p.clamp(1e-9, 1.0 - 1e-9);
    (p / (1.0 - p)).ln()
}

/// Whether two candidates have the same type.
fn one_kind(a: Source, b: Source, customs: &Customs) -> bool {
    match (a, b) {
        (Source::Catalogue(a), Source::Catalogue(b)) => a == b || same_kind(a, b),
        _ => customs.kind(a) == customs.kind(b),
    }
}

/// Rounds to four decimals, so that every platform yields the same; never to 0 or 1.
fn round(confidence: f64) -> f32 {
    ((confidence.clamp(0.0001, 0.9999) * 10_000.0).round() / 10_000.0) as f32
}
