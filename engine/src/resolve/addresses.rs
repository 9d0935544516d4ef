//! Addresses that extend over the next identifier.

use crate::{
    api::entity::Category,
    catalogue,
    evidence::candidate::{Candidate, Source, Verdict},
    text::order,
};

/// Ends an address before the label of an identifier within it: an address after its label extends over the
/// whole line.
pub(crate) fn cut_addresses(candidates: &mut [Candidate], text: &str) {
    let is_address = |candidate: &Candidate| matches!(candidate.source, Source::Catalogue(index) if catalogue::ADDRESS.contains(&index));
    if !candidates.iter().any(is_address) {
        return;
    }
    let is_identifier = |candidate: &&Candidate| {
        let detector = candidate.source.detector();
        let located = detector.is_none_or(|detector| detector.category == Category::Location);
        candidate.named
            && candidate.verdict == Verdict::Valid
            && !located
            && candidate.label.place.0 < candidate.start
    };
    let labelled = candidates.iter().filter(is_identifier);
    let mut labels: Vec<(u32, u32)> =
        labelled.map(|candidate| (candidate.label.place.0, candidate.end)).collect();
    order::sort(&mut labels, Ord::cmp);
    for address in candidates.iter_mut().filter(|candidate| is_address(candidate)) {
        let first = labels.partition_point(|(label, _)| *label <= address.start);
        let mut within = labels.iter().skip(first).take_while(|(label, _)| *label < address.end);
        if let Some((label, _)) = within.find(|(_, end)| *end <= address.end) {
            let before = text.get(address.start as usize..*label as usize).unwrap_or_default();
            let kept = before.trim_end_matches(|letter: char| !letter.is_alphanumeric());
            address.end = address.start + kept.len() as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::candidate::Signal;

    #[test]
    fn an_address_ends_before_the_next_label() {
        let text = "Address: Main St 5, Springfield, SSN 512-34-5678";
        let (address, ssn) = (9_u32, text.find("512").unwrap() as u32);
        let label = text.find("SSN").unwrap() as u32;
        let number = |named, place| Candidate {
            named,
            verdict: Verdict::Valid,
            label: Signal { weight: 9.0, place },
            ..Candidate::new(Source::Catalogue(0), ssn as usize, text.len())
        };
        for (number, want) in [
            (number(true, (label, label + 3)), "Main St 5, Springfield"),
            (number(false, (label, label + 3)), "Main St 5, Springfield, SSN 512-34-5678"),
            // a label behind the value ends nothing
            (number(true, (ssn + 4, ssn + 7)), "Main St 5, Springfield, SSN 512-34-5678"),
        ] {
            let index = *catalogue::ADDRESS.first().unwrap();
            let mut candidates =
                [Candidate::new(Source::Catalogue(index), address as usize, text.len()), number];
            cut_addresses(&mut candidates, text);
            let [cut, _] = candidates;
            assert_eq!(&text[cut.start as usize..cut.end as usize], want);
        }
    }
}
