//! Addresses that extend over the next identifier.

use crate::{
    api::entity::Category,
    catalogue,
    evidence::hypothesis::{Hypothesis, Source, Verdict},
    text::order,
};

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
