//! Competition: of the candidates for one place the best becomes a finding with a confidence.

use textveil_weights::confidence as weights;

use crate::{
    catalogue::same_kind,
    evidence::candidate::{Candidate, Source, Verdict},
    phrase::work::{Stage, Work},
    recognise::custom::Customs,
    text::order,
};

/// The best candidate for a place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Finding<'h> {
    pub candidate: &'h Candidate,
    pub confidence: f32,
    /// The penalty from the other candidates for the place, in log-odds.
    pub competing: f32,
    pub suppressor: bool,
    pub container: bool,
}

/// Whether it is found by a literal prefix.
fn is_token(source: Source) -> bool {
    source.detector().is_some_and(|detector| detector.token)
}

/// Returns one finding per place, sorted by start, the longest first. Candidates for a place compete by their
/// odds.
pub(crate) fn compete<'h>(candidates: &'h [Candidate], customs: &Customs, work: &Work) -> Vec<Finding<'h>> {
    let mut candidates: Vec<&Candidate> = candidates.iter().collect();
    order::sort(&mut candidates, |a, b| (a.start, b.end).cmp(&(b.start, a.end)));
    let places = candidates.chunk_by(|a, b| (a.start, a.end) == (b.start, b.end));
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
    place: &[&'h Candidate],
    customs: &Customs,
    rivals: &mut Vec<(&'h Candidate, f64)>,
) -> Option<Finding<'h>> {
    let suppressor =
        |candidate: &Candidate| candidate.source.detector().is_some_and(|detector| detector.suppressor);
    let counts = |candidate: &&&Candidate| {
        let labelled = candidate.named
            || candidate.hint > 0.0
            || candidate.near.weight > 0.0 && candidate.country > weights::COUNTRY_TELLS;
        // a failed check is a typing error or a newer value next to a label, after an unambiguous literal prefix, or
        // where a model says so, and an unrelated number elsewhere
        let meant = candidate.named || is_token(candidate.source) || candidate.hint > 0.0;
        let failed = matches!(candidate.verdict, Verdict::Failed(_) | Verdict::Exempt)
            && (suppressor(candidate) || !meant);
        (!candidate.needs_label || labelled) && !failed
    };
    // computes the odds of each rival once
    rivals.clear();
    rivals.extend(place.iter().filter(counts).map(|candidate| (*candidate, odds(candidate))));
    let total: f64 = 1.0 + rivals.iter().map(|(_, odds)| odds).sum::<f64>();
    // detectors of one type count together, whatever their country
    let kind_odds = |candidate: &Candidate| -> f64 {
        let alike = rivals.iter().filter(|(other, _)| one_kind(other.source, candidate.source, customs));
        alike.map(|(_, odds)| odds).sum()
    };
    let mut best: Option<(&Candidate, f64, f64)> = None;
    for (candidate, own) in rivals.iter() {
        let of_kind = if rivals.len() == 1 { *own } else { kind_odds(candidate) };
        if best.is_none_or(|(_, kind, one)| {
            of_kind > kind * 1.000_001 || of_kind > kind * 0.999_999 && *own > one * 1.000_001
        }) {
            best = Some((*candidate, of_kind, *own));
        }
    }
    let (winner, of_kind, own) = best?;
    let detectors = rivals.iter().filter(|(candidate, _)| suppressor(winner) || !suppressor(candidate));
    let mass: f64 = detectors.map(|(_, odds)| odds).sum::<f64>() / total;
    let share = of_kind / total;
    let confidence = share + weights::COMPETING * (mass - share);
    let alone = own / (1.0 + own);
    let container = winner.source.detector().is_some_and(|detector| detector.container);
    Some(Finding {
        candidate: winner,
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
fn odds(candidate: &Candidate) -> f64 {
    f64::from(candidate.odds()).clamp(-30.0, 30.0).exp()
}

/// The log-odds of a probability.
pub(super) fn logit(p: f64) -> f64 {
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
pub(super) fn round(confidence: f64) -> f32 {
    ((confidence.clamp(0.0001, 0.9999) * 10_000.0).round() / 10_000.0) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{api::facts::Invalid, catalogue};

    fn candidate(detector: &str, shape: f32) -> Candidate {
        let (index, _) = catalogue::numbered_by_type(detector).next().unwrap();
        Candidate { shape, ..Candidate::new(Source::Catalogue(index), 0, 9) }
    }

    /// The type and the confidence of the best candidate of a place.
    fn best(candidates: &[Candidate]) -> Option<(&'static str, f32)> {
        let customs = Customs::default();
        let findings = compete(candidates, &customs, &Work::default());
        assert!(findings.len() < 2, "one place has one finding");
        findings.first().map(|finding| match finding.candidate.source {
            Source::Catalogue(index) => (catalogue::detector(index).unwrap().kind(), finding.confidence),
            _ => ("", finding.confidence),
        })
    }

    #[test]
    fn candidates_for_one_place() {
        let failed = Verdict::Failed(Invalid::Checksum);
        for (candidates, want) in [
            (vec![], None),
            (vec![candidate("pesel", 0.0)], Some(("pesel", 0.5))),
            (vec![candidate("pesel", 2.0)], Some(("pesel", 0.8808))),
            // two types share the place, and none of them is a rival, too
            (vec![candidate("pesel", 2.0), candidate("siren", 0.0)], Some(("pesel", 0.8402))),
            (vec![candidate("siren", 0.0), candidate("pesel", 2.0)], Some(("pesel", 0.8402))),
            (vec![Candidate { needs_label: true, ..candidate("pesel", 9.0) }], None),
            (
                vec![Candidate { needs_label: true, named: true, ..candidate("pesel", 0.0) }],
                Some(("pesel", 0.5)),
            ),
            (vec![Candidate { verdict: failed, ..candidate("pesel", 9.0) }], None),
            (
                vec![Candidate { verdict: failed, named: true, ..candidate("pesel", 0.0) }],
                Some(("pesel", 0.5)),
            ),
            // never quite sure, never impossible
            (vec![candidate("pesel", 99.0)], Some(("pesel", 0.9999))),
            (vec![candidate("pesel", -99.0)], Some(("pesel", 0.0001))),
        ] {
            assert_eq!(best(&candidates), want, "{candidates:?}");
        }
    }

    /// Detectors of one type count together, and the likelier of them wins.
    #[test]
    fn one_type_of_two_countries() {
        let mut numbered = catalogue::numbered_by_type("jmbg").map(|(index, _)| index);
        let (first, second) = (numbered.next().unwrap(), numbered.next().unwrap());
        let of = |index, shape| Candidate { shape, ..Candidate::new(Source::Catalogue(index), 0, 9) };
        let candidates = [of(first, 0.0), of(second, 0.5), candidate("pesel", 0.8)];
        let customs = Customs::default();
        let findings = compete(&candidates, &customs, &Work::default());
        assert_eq!(findings[0].candidate.source, Source::Catalogue(second));
        assert!(findings[0].competing != 0.0);
    }

    #[test]
    fn places_are_in_order() {
        let at = |start, end| Candidate { start, end, ..candidate("pesel", 1.0) };
        let candidates = [at(9, 12), at(0, 3), at(0, 9)];
        let customs = Customs::default();
        let found = compete(&candidates, &customs, &Work::default());
        let places: Vec<(u32, u32)> =
            found.iter().map(|finding| (finding.candidate.start, finding.candidate.end)).collect();
        assert_eq!(places, [(0, 9), (0, 3), (9, 12)]);
    }
}
