//! Weighing: the evidence of each guess becomes log-odds, guesses about one place compete, and the best
//! of each place becomes a finding with a confidence.

use crate::{
    catalogue,
    custom::Customs,
    hypothesis::{Extra, Hypothesis, Signal, Source},
    infer::Countries,
    labels::{Context, Labels, Nearness},
    scan::{LocalNumber, hypothesis},
};

/// What a label adds, by how it stands to the value.
const LABEL: [f32; 3] = [9.0, 6.0, 3.0];
/// What a word that only stands near adds.
const NEAR: f32 = 3.0;
/// What a label of another type takes away.
const OTHER_LABEL: f32 = -4.0;
/// What the country of the text adds at most, and what another one takes away.
const COUNTRY: f32 = 3.0;
const OTHER_COUNTRY: f32 = -0.4;

/// The best guess about a place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Finding {
    pub hypothesis: Hypothesis,
    pub confidence: f32,
    /// What the other guesses about the place take away, in log-odds.
    pub competing: f32,
    pub suppressor: bool,
    pub container: bool,
}

/// Reads the labels around every guess.
pub(crate) fn label(labels: &mut Labels<'_>, hypotheses: &mut [Hypothesis]) {
    let mut contexts: Vec<Context> = Vec::new();
    let mut place = None;
    for hypothesis in hypotheses {
        if place != Some((hypothesis.start, hypothesis.end)) {
            place = Some((hypothesis.start, hypothesis.end));
            labels.around(hypothesis.start as usize, hypothesis.end as usize, &mut contexts);
        }
        if let Source::Catalogue(index) = hypothesis.source {
            apply(hypothesis, index, &contexts);
        }
    }
}

fn apply(hypothesis: &mut Hypothesis, index: u16, contexts: &[Context]) {
    let place = |context: &Context| Some((context.start as u32, context.end as u32));
    let own = |context: &&Context| context.detector == index && !context.weak;
    if let Some(label) = contexts.iter().filter(own).min_by_key(|context| context.nearness) {
        let weight = LABEL.get(label.nearness as usize).copied().unwrap_or_default();
        hypothesis.label = Signal { weight, place: place(label) };
        hypothesis.named = label.nearness <= Nearness::Close;
    }
    if !hypothesis.named {
        // the closest label names something else
        let other = contexts.iter().find(|context| {
            context.nearness == Nearness::Direct && !context.weak && !same_kind(context.detector, index)
        });
        if let Some(other) = other {
            hypothesis.label = Signal { weight: hypothesis.label.weight + OTHER_LABEL, place: place(other) };
        }
        if let Some(near) = contexts.iter().find(|context| context.detector == index && context.weak) {
            hypothesis.near = Signal { weight: NEAR, place: place(near) };
        }
    }
}

/// Whether two detectors report the same type.
fn same_kind(a: u16, b: u16) -> bool {
    match (catalogue::detector(a), catalogue::detector(b)) {
        (Some(a), Some(b)) => a.kind == b.kind,
        _ => false,
    }
}

/// What the countries of the text say about a guess.
pub(crate) fn apply_countries(hypothesis: &mut Hypothesis, countries: &Countries) {
    let Source::Catalogue(index) = hypothesis.source else { return };
    let Some(detector) = catalogue::detector(index) else { return };
    let Some(country) = detector.country else { return };
    let own = std::iter::once(country).chain(detector.also.iter().copied());
    let confidence = own.map(|country| countries.confidence(country)).fold(0.0, f32::max);
    let best = countries.likely.first().map_or(0.0, |(_, best)| *best);
    // of two countries that share an identifier, the one that the text is about
    let exact = 0.2 * (countries.confidence(country) - confidence);
    hypothesis.country = Signal::own(COUNTRY * confidence + OTHER_COUNTRY * (best - confidence).max(0.0) + exact);
}

/// The guesses that local numbers become, now that the countries are known.
pub(crate) fn local_phones(
    numbers: &[LocalNumber],
    labels: &mut Labels<'_>,
    countries: &Countries,
    into: &mut Vec<Hypothesis>,
) {
    let Some(&index) = catalogue::PHONE.first() else { return };
    let mut contexts = Vec::new();
    for number in numbers {
        let digits = number.digits();
        labels.around(number.start as usize, number.end as usize, &mut contexts);
        let named = contexts.iter().any(|context| context.detector == index && !context.weak && context.nearness <= Nearness::Close);
        let usual = usual_country(number);
        let candidates = countries.likely.iter().take(3).copied().chain(usual.map(|country| (country, 0.1)));
        let best = candidates
            .filter_map(|(country, confidence)| Some((crate::phone::national(digits, country)?, country, confidence)))
            .max_by(|a, b| a.2.total_cmp(&b.2));
        let grouped = number.groups > 1;
        let (extra, verdict, confidence) = match best {
            Some((phone, _, confidence)) => (Extra::Phone(phone), crate::hypothesis::Verdict::Valid, confidence),
            // no plan is known to have it, but the text calls it a telephone number
            None if named => (Extra::None, crate::hypothesis::Verdict::Unchecked, 0.0),
            None => continue,
        };
        let trunk = digits.starts_with('0') && grouped;
        let shape = match (grouped, trunk) {
            (_, true) => -0.5,
            (true, false) => -2.5,
            (false, false) => -5.0,
        };
        let mut guess = hypothesis(Source::Catalogue(index), number.start as usize, number.end as usize);
        guess.verdict = verdict;
        guess.extra = extra;
        guess.shape = Signal::own(if extra == Extra::None { -6.0 } else { shape });
        guess.country = Signal::own(if usual.is_some() && confidence <= 0.1 { 1.0 } else { COUNTRY * confidence });
        guess.neighbour = number.neighbour;
        apply(&mut guess, index, &contexts);
        into.push(guess);
    }
}

/// The country in which numbers are written in just these groups.
fn usual_country(number: &LocalNumber) -> Option<crate::entity::Country> {
    let digits = number.digits();
    let country = match (number.groups, digits.len(), digits.starts_with('0')) {
        (5, 10, true) => "FR",
        (3, 10, false) => "US",
        (2..=3, 11, true) => "GB",
        _ => return None,
    };
    crate::entity::Country::parse(country)
}

/// One finding a place: the guesses about it compete by their odds.
pub(crate) fn compete(hypotheses: &mut [Hypothesis], customs: &Customs) -> Vec<Finding> {
    hypotheses.sort_by_key(|guess| (guess.start, guess.end));
    let mut findings = Vec::new();
    for place in hypotheses.chunk_by(|a, b| (a.start, a.end) == (b.start, b.end)) {
        findings.extend(best_of(place, customs));
    }
    findings
}

fn best_of(place: &[Hypothesis], customs: &Customs) -> Option<Finding> {
    let counts = |guess: &&Hypothesis| !guess.needs_label || guess.named || guess.near.weight > 0.0 && guess.country.weight > 1.0;
    let odds = |guess: &Hypothesis| f64::from(guess.odds()).clamp(-30.0, 30.0).exp();
    let rivals = || place.iter().filter(counts);
    let total: f64 = 1.0 + rivals().map(odds).sum::<f64>();
    let suppressor = |guess: &Hypothesis| match guess.source {
        Source::Catalogue(index) => catalogue::detector(index).is_some_and(|detector| detector.suppressor),
        Source::Custom(_) | Source::Denied(_) => false,
    };
    // detectors of one type stand together, whichever country they are of
    let kind_odds = |guess: &Hypothesis| -> f64 {
        rivals().filter(|other| customs.kind(other.source) == customs.kind(guess.source)).map(odds).sum()
    };
    let mut best: Option<(&Hypothesis, f64, f64)> = None;
    for guess in rivals() {
        let (of_kind, own) = (kind_odds(guess), odds(guess));
        if best.is_none_or(|(_, kind, one)| of_kind > kind * 1.000_001 || of_kind > kind * 0.999_999 && own > one * 1.000_001) {
            best = Some((guess, of_kind, own));
        }
    }
    let (winner, of_kind, _) = best?;
    let mass: f64 = rivals().filter(|guess| suppressor(winner) || !suppressor(guess)).map(odds).sum::<f64>() / total;
    let share = of_kind / total;
    let confidence = share + 0.5 * (mass - share);
    let alone = 1.0 / (1.0 + f64::from(-winner.odds()).exp());
    let logit = |p: f64| (p.clamp(1e-9, 1.0 - 1e-9) / (1.0 - p.clamp(1e-9, 1.0 - 1e-9))).ln();
    let container = match winner.source {
        Source::Catalogue(index) => catalogue::detector(index).is_some_and(|detector| detector.container),
        Source::Custom(_) | Source::Denied(_) => false,
    };
    Some(Finding {
        hypothesis: *winner,
        confidence: round(confidence),
        competing: (logit(confidence) - logit(alone)) as f32,
        suppressor: suppressor(winner),
        container,
    })
}

/// Four decimals, so that every platform says the same; never quite 0 or 1.
fn round(confidence: f64) -> f32 {
    ((confidence.clamp(0.0001, 0.9999) * 10_000.0).round() / 10_000.0) as f32
}
